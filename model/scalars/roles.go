package scalars

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// Meaning is what a series is of, whatever its trainer calls it.
type Meaning string

// The meanings.
const (
	Reward    Meaning = "reward"     // mean of a step's samples
	RewardStd Meaning = "reward_std" // spread of the reward within a group or a step
	Component Meaning = "component"  // mean of one part of the reward
	Solved    Meaning = "solved"     // share of answers that are right
	Entropy   Meaning = "entropy"    // of the policy, nats per token
	KL        Meaning = "kl"         // between the policy and the reference, nats per token
	StepKL    Meaning = "step_kl"    // between the policy and what sampled: its previous weights, or the inference engine
	GradNorm  Meaning = "grad_norm"  // before clipping
	Length    Meaning = "length"     // mean tokens of an answer
	Truncated Meaning = "truncated"  // share of answers that ended at the limit
	ZeroStd   Meaning = "zero_std"   // share of groups with equal rewards
	AllRight  Meaning = "all_right"  // share of groups whose rewards are all the best
	AllWrong  Meaning = "all_wrong"  // share of groups whose rewards are all the worst
	Groups    Meaning = "groups"     // how many groups a step has
	ClipRatio Meaning = "clip_ratio" // share of tokens whose ratio was clipped
	Loss      Meaning = "loss"
	LR        Meaning = "lr"
	Eval      Meaning = "eval" // score on held-out data

	// Between the trainer and the engine that sampled, of the sampled tokens, means over them.
	LogProbGap      Meaning = "log_prob_gap"     // |log p − log q|, nats
	ProbFactor      Meaning = "prob_factor"      // e to that
	ProbGap         Meaning = "prob_gap"         // |p − q|
	ProbCorrelation Meaning = "prob_correlation" // of p and q
	SampledRatio    Meaning = "sampled_ratio"    // p/q, as it weighs the loss: after bounds

	aside Meaning = "aside" // what tells nothing of these: clocks, counters, extremes, spreads, settings
)

// role is how a name tells a meaning: it is one of some names, or it has a phrase and no word that makes it another figure.
type role struct {
	means   Meaning
	known   []string // whole names of trainers, the better first; * is one part of a name
	phrases []string // words of a name in a row, the better first; / is between its parts
	with    []string // words of which one must be there; nil: none
	without []string // words of which none may be there, besides those of asideWords
	whole   bool     // in its last part a name has no words but these, also, and plainWords
	also    []string
}

// roles are the meanings in the order in which they are tried. The known names are those that no phrase has, or that are the surer ones of
// several in one log. Read in trl 1.16 grpo_trainer.py and rloo_trainer.py, verl metric_utils.py and dp_actor.py, OpenRLHF ppo_trainer.py,
// NeMo-RL grpo.py and loss functions, prime-rl orchestrator/metrics.py and trainer/rl/train.py, tinker-cookbook rl/train.py, slime
// observability/rollout_metrics.py and megatron_utils/loss.py, ms-swift grpo_trainer.py, rLLM trainer/algorithms/transform.py, SkyRL
// trainer.py and worker.py, EasyR1 ray_trainer.py, ROLL rlvr_pipeline.py, AReaL ppo/actor.py, ART local/backend.py, open-instruct
// grpo_fast.py.
var roles = []role{
	{means: aside, known: []string{
		"rollout/rewards", // slime: after normalisation
		"global_seqlen/*", // verl: of a device
		"critic/returns/*", "critic/advantages/*", "rewards/chosen", "rewards/rejected", "rewards/margins", "rewards/accuracies",
	}},
	{
		means: LogProbGap, known: []string{
			"sampling/sampling_logp_difference/mean", "train_rollout_logprob_abs_diff", "policy/rollout_train_logprobs_abs_diff_mean",
			"debug/vllm_vs_local_logprob_diff_mean",
		},
		phrases: list("sampling_logp_difference rollout_logprob_abs_diff rollout_train_logprobs_abs_diff vllm_vs_local_logprob_diff " +
			"rollout_logprobs_abs_diff logprob_abs_diff logprobs_abs_diff logp_abs_diff"),
	},
	{means: ProbFactor, known: []string{"token_mult_prob_error"}, phrases: list("token_mult_prob_error mult_prob_error")},
	{
		means: ProbGap, known: []string{"rollout_probs_diff_mean", "actor/rollout_probs_diff_mean", "actor/train_infer_diff_token_mean"},
		phrases: list("rollout_probs_diff train_infer_diff_token"),
	},
	{means: ProbCorrelation, phrases: list("rollout_actor_probs_pearson_corr probs_pearson_corr")},
	{
		means: SampledRatio, known: []string{
			"sampling/importance_sampling_ratio/mean", "sampling_importance_ratio", "rollout_corr/rollout_is_mean",
			"rollout_correction/is_weight_mean",
			"actor/train_infer_ratio_token_mean", "behave_imp_weight",
		},
		phrases: list("importance_sampling_ratio"),
	},
	{
		means: ZeroStd, known: []string{"frac_reward_zero_std", "filters/all/zero_advantage"},
		phrases: list("zero_std std_zero zero_reward_std reward_zero_std zero_variance zero_var no_variance zero_spread flat flat_group " +
			"flat_groups degenerate dead_group dead_groups uniform_group uniform_groups uniform_reward uniform_rewards equal_reward " +
			"equal_rewards identical_reward identical_rewards same_reward same_rewards constant_reward constant_rewards all_same " +
			"no_signal zero_signal zero_advantage zero_advantages zero_adv zero_gradient zero_grad uninformative skipped_group " +
			"skipped_groups filtered_group filtered_groups groups_skipped groups_filtered"),
		with: shareWords, without: list("kl token tokens"),
	},
	{
		means: AllRight, known: []string{
			"env/all/by_group/frac_all_good", "agg/all/*/solved_all", "solve_all/all", "solve_all",
			"batch/*/fractions/too_easy",
		},
		phrases: list("all_correct all_right all_good all_solved all_pass all_passed all_success all_ones solve_all solved_all too_easy " +
			"perfect_group perfect_groups group_perfect"),
		with: shareWords,
	},
	{
		means: AllWrong, known: []string{
			"env/all/by_group/frac_all_bad", "agg/all/*/solved_none", "solve_none/all", "solve_none",
			"batch/*/fractions/too_hard",
		},
		phrases: list("all_wrong all_incorrect all_bad all_fail all_failed all_zero all_zeros none_correct none_solved no_correct " +
			"solve_none solved_none too_hard"),
		with: shareWords,
	},
	{
		means: Truncated, known: []string{
			"completions/clipped_ratio", "response_length/clip_ratio", "rollout/truncated_ratio", "rollout/truncated",
			"agg/all/*/is_truncated/mean",
			"is_truncated/all/mean", "is_truncated/mean",
		},
		phrases: list("truncated truncation truncate overlong cap_hit hit_cap at_cap capped limit_hit hit_limit length_limit hit_max " +
			"hit_max_tokens hit_max_length hit_max_len max_tokens_hit max_length_hit max_len_hit max_length_reached max_tokens_reached " +
			"cut_off cutoff no_eos missing_eos without_eos unfinished length_stop finish_length finish_reason_length " +
			"finish_reason/length stop_reason/length"),
		with:    append(list("mean avg average is reason stop finish"), shareWords...),
		without: list("importance tis prompt prompts input reward penalty weight mask kl"),
	},
	{
		means: Truncated, phrases: list("clip_ratio clipped_ratio clipped_frac clipped_fraction clip_frac clip_fraction clip_rate " +
			"clipped_rate"),
		with:    list("completion completions response responses answer answers output outputs generation generations length lengths"),
		without: list("prompt prompts input importance"),
	},
	{
		means: ClipRatio, known: []string{
			"clip_ratio/region_mean", "clip_ratio", "actor/pg_clipfrac", "pg_clipfrac", "policy/clipfrac_avg",
			"policy/loss_metrics/clip_ratio",
		},
		phrases: list("clip_ratio clipfrac clip_frac clip_fraction clipped_ratio clip_rate"),
		without: list("prompt vf value critic grad gradient dual reward advantage"),
	},
	{
		means: RewardStd, phrases: list("reward_std reward/std rewards_std rewards/std std_reward std_rewards reward_std_dev " +
			"reward_stddev reward_stdev rewards_stddev score_std score/std scores_std std_score reward/all/std reward_sd"),
		whole: true, also: list("dev within intra across"),
	},
	{
		means: StepKL, known: []string{
			"mismatch_kl/all/mean", "mismatch_kl/mean", "gen_kl_error", "optim/kl_sample_train_v1",
			"actor/ppo_kl",
		},
		phrases: list("mismatch_kl kl_mismatch ppo_kl kl_sample_train approx_kl approxkl old_kl kl_old kl_to_old rollout_kl " +
			"rollout_corr/kl rollout_corr/k3_kl rollout_correction/kl rollout_correction/k3_kl vllm_local_reverse_kl policy_kl_error " +
			"js_divergence_error sampler_kl behavior_kl behaviour_kl inference_kl vllm_kl update_kl kl_update"),
		without: list("value critic ref reference"),
	},
	{
		means: KL, known: []string{"kl", "actor/kl_loss", "kl_loss", "actor/reward_kl_penalty", "kl_policy_base"},
		phrases: list("kl kld"), whole: true,
		also: list("div divergence loss penalty ref reference base init initial token tokens to from vs k1 k2 k3 low_var"),
	},
	{
		means: Entropy, known: []string{"policy/entropy_avg", "actor/entropy_loss", "entropy_loss"},
		phrases: list("entropy"), whole: true, also: list("token tokens approx logits nats generation response update"),
	},
	{
		means: GradNorm, known: []string{"unclipped_grad_l2:mean", "optim/unclipped_grad_l2:mean", "policy/raw_grad_norm"},
		phrases: list("grad_norm gradient_norm gradnorm grad_global_norm grad_l2 grads_norm gradient_l2 norm_grad"),
		without: list("critic value vf"), whole: true, also: list("unclipped preclip pre before clip clipping l2 norm total model"),
	},
	{
		means: LR, known: []string{"learning_rate", "lr", "actor/lr", "optim/lr"},
		phrases: list("learning_rate lr"), without: list("critic value vf"), whole: true, also: list("optim optimizer current"),
	},
	{
		means: Length, known: []string{
			"completions/mean_length", "completion_length", "response_length/mean", "response_length", "rollout/response_lengths",
			"generate/avg_num_tokens", "agg/all/*/completion_tokens/mean",
			"decode_len/all/mean", "seq_len/all/mean", "env/all/ac_tokens_per_turn", "val/sequence_lengths", "episode/response_tokens",
		},
		phrases: list("completion_length completion_lengths completions_length response_length response_lengths responses_length " +
			"answer_length answer_lengths output_length generation_length gen_length completion_len response_len answer_len output_len " +
			"gen_len completion_tokens response_tokens output_tokens generated_tokens generation_tokens gen_tokens answer_tokens " +
			"decode_len seq_len sequence_length sequence_lengths seq_length tokens_per_completion tokens_per_response tokens_per_answer " +
			"tokens_per_sample tokens_per_rollout num_tokens_mean avg_num_tokens mean_num_tokens mean_length avg_length mean_len " +
			"avg_len length len"),
		without: list("prompt prompts input inputs question context observation ob obs total sum cumulative cum episode episodes " +
			"ep turn turns"),
		whole: true, also: list("token tokens completion completions response responses answer answers sequence generation gen " +
			"length lengths"),
	},
	{
		means: Loss, known: []string{
			"loss", "actor/pg_loss", "actor/loss", "policy/final_loss", "policy_loss", "pg_loss", "loss/mean",
			"loss/policy_avg",
		},
		phrases: list("loss"), without: list("critic value vf kl entropy"), whole: true, also: list("pg ppo grpo surrogate rl objective"),
	},
	{
		means: Reward, known: []string{
			"reward", "critic/score/mean", "critic/rewards/mean", "reward/overall", "rollout/raw_reward", "reward/avg_raw_reward",
			"reward/all/mean", "reward/mean",
			"agg/all/*/reward/mean", "env/all/reward/total", "*/task_reward/avg", "rollout/reward", "objective/scores",
			"objective/rlhf_reward", "self_distillation/reward_mean",
		},
		phrases: list("reward rewards score scores episode_return episodic_return episode_returns ep_rew mean_return avg_return " +
			"average_return return_mean"),
		without: list("model"), whole: true, also: list("scores score"),
	},
	{
		means: Component, known: []string{"env/all/format*"}, phrases: list("reward/* rewards/*"),
		without: notOfRewards,
	},
	{
		means: Solved, phrases: list("accuracy acc solve_rate solved_rate pass_rate success_rate correct_rate correct_ratio correct_frac " +
			"fraction_correct frac_correct correct correctness solved success win_rate"),
		without: list("token tokens reward rewards model critic format groups"), whole: true, also: list("answer answers"),
	},
	{
		means: Component, phrases: list("reward rewards"),
		without: append(list("model accuracy grad lr shift bound"), notOfRewards...),
	},
	{
		means: Groups, known: list("n_groups num_groups groups total_groups groups_total group_count groups/total groups/num_total " +
			"groups/count groups/n groups/num num_total_groups n_total_groups"),
	},
}

func list(words string) []string { return strings.Fields(words) }

var shareWords = list("ratio ratios rate frac fraction fractions share pct percent percentage prop proportion portion")

// plainWords say of a figure that it is the mean of all that there is, and where it was taken.
var plainWords = list("train training mean avg average overall total all raw batch step rollout rollouts episode episodes env agent " +
	"actor policy task final group groups sample samples per metrics metric stats global objective outcome rlhf trajectory traj epoch@ " +
	"log original value of the")

// notOfRewards say that a figure with a reward in its name is none of its parts.
var notOfRewards = list("chosen rejected margin margins accuracies positive negative loss kl entropy pass total overall hacking nan " +
	"error clipped")

// countWords say that a figure is a number of things.
var countWords = list("n num number count counts nb")

// asideWords say that a figure is a clock, a counter, a setting, an extreme or a spread.
var asideWords = slices.Concat(countWords,
	list("time times timing timings timer sec secs second seconds ms runtime throughput mfu perf elapsed duration latency memory mem gpu "+
		"cpu flos flops tflops epoch version coef coeff coefficient beta threshold target weight weights scale min max minimum maximum "+
		"median std stdev stddev var variance p5 p10 p25 p50 p75 p90 p95 p99 quantile percentile best worst top high low lower upper "+
		"delta diff gap baseline ema moving running smoothed correlation slowest fastest steps size advantage advantages adv progress "+
		"seqlen std@ best@ worst@ maj@"))

// heldOut begin the names of what was logged of an evaluation.
var heldOut = []string{
	"val-core/", "eval/", "eval_", "evaluation/", "evaluation_", "validation/", "validation_", "valid/", "val/", "val_", "test/", "test_",
	"heldout/", "heldout_", "held_out/", "held_out_",
	"dev/", "val_correct/", "holdout/", "holdout_", "benchmark/", "benchmark_", "bench/", "bench_",
}

// heldOutWords say so anywhere in a name.
var heldOutWords = list("eval evaluation val validation heldout held_out held-out holdout benchmark")

// Known reports whether a name has a meaning for a judgement.
func Known(name string) bool {
	m, _, _ := meaningOf(name)
	return m != ""
}

// spelled is a name as roles read it.
type spelled struct {
	text string // /words_of_a_part/words_of_the_next/
	last int    // where the last part begins that is not only plain words: what is after it belongs to it
}

// spell writes a name in small letters: camelCase is two words, and mean@16 is mean@.
func spell(name string) spelled {
	var b strings.Builder
	b.WriteByte('/')
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte('_')
		}
		lower = unicode.IsLower(r)
		if strings.ContainsRune("-.: ", r) {
			r = '_'
		}
		b.WriteRune(unicode.ToLower(r))
	}
	text := b.String() + "/"
	s := spelled{text: text}
	for at, end := len(text)-1, len(text); at >= 0; at-- {
		if text[at] != '/' || at == len(text)-1 {
			continue
		}
		s.last = at
		if slices.ContainsFunc(wordsOf(text[at:end]), func(w string) bool {
			return !slices.Contains(plainWords, w) && !slices.Contains(asideWords, w)
		}) {
			break
		}
	}
	return s
}

// wordsOf returns the words of a name in small letters; mean@16 is mean@.
func wordsOf(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("/_-.: ", r) })
	for i, w := range words {
		if at := strings.IndexByte(w, '@'); at >= 0 {
			words[i] = w[:at+1]
		}
	}
	return words
}

// without returns a name without a phrase in it, and where that was, -1 if it is not there.
func (s spelled) without(phrase string) (rest string, at int) {
	const ends = "/_"
	if parent, isChild := strings.CutSuffix(phrase, "/*"); isChild {
		at = strings.LastIndex(s.text[:s.last+1], "/"+parent+"/")
		return s.text, at
	}
	for from := 0; ; from = at {
		i := strings.Index(s.text[from:], phrase)
		if i < 0 {
			return "", -1
		}
		at = from + i
		end := at + len(phrase)
		if strings.IndexByte(ends, s.text[at-1]) >= 0 && strings.IndexByte(ends, s.text[end]) >= 0 {
			return s.text[:at] + s.text[end:], at
		}
		at++
	}
}

func hasAny(words, of []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(of, w) })
}

// tells reports whether a name tells the role by a phrase, and how good that is: phrases in their order, then the fewer words besides.
func (r *role) tells(s spelled) (rank int, yes bool) {
	for i, phrase := range r.phrases {
		rest, at := s.without(phrase)
		if at < 0 {
			continue
		}
		words := wordsOf(rest)
		if hasAny(words, asideWords) || hasAny(words, r.without) || r.with != nil && !hasAny(wordsOf(s.text), r.with) {
			continue
		}
		foreign := func(w string) bool { return !slices.Contains(plainWords, w) && !slices.Contains(r.also, w) }
		if r.whole && (at+len(phrase) <= s.last || slices.ContainsFunc(wordsOf(rest[min(s.last, at):]), foreign)) {
			continue
		}
		return knownRanks + i*maxBesides + min(len(words), maxBesides-1), true
	}
	return 0, false
}

// Ranks of names: known ones are the best.
const (
	knownRanks = 100
	maxBesides = 10 // words besides a phrase that count
)

// meaningOf says what a name means, of which part, and how good a name it is for that.
func meaningOf(name string) (m Meaning, part string, rank int) {
	if m, part, rank = roleOf(name); m == aside {
		m = ""
	}
	return m, part, rank
}

// roleOf is meaningOf that tells what is aside from what is not known.
func roleOf(name string) (m Meaning, part string, rank int) {
	s := spell(name)
	isKnownLength := name == "val/sequence_lengths"
	for _, split := range heldOut {
		if rest, ok := strings.CutPrefix(name, split); ok && !isKnownLength {
			return evalOf(rest, split)
		}
	}
	if hasAny(wordsOf(name), heldOutWords) && !isKnownLength {
		return evalOf(name, "")
	}
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "train/"), "training/")
	for i := range roles {
		r := &roles[i]
		for k, pattern := range r.known {
			if ok, _ := path.Match(pattern, bare); !ok {
				continue
			}
			if r.means == Component {
				return Component, partOf(bare), k
			}
			return r.means, "", k
		}
	}
	for i := range roles {
		r := &roles[i]
		if rank, ok := r.tells(s); ok {
			if r.means == Component {
				return Component, partOf(bare), rank
			}
			return r.means, "", rank
		}
	}
	if hasAny(wordsOf(name), asideWords) {
		return aside, "", 0
	}
	return "", "", 0
}

// partOf is the part of a reward that a name is of.
func partOf(name string) string {
	for _, suffix := range []string{"/mean", "/avg"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name[strings.LastIndexByte(name, '/')+1:]
}

// countOf says of which share of groups a name has the count: skipped_groups of a step's n_groups.
func countOf(name string) Meaning {
	s := spell(name)
	for i := range roles {
		r := &roles[i]
		if r.means != ZeroStd && r.means != AllRight && r.means != AllWrong {
			continue
		}
		for _, phrase := range append([]string{"skipped"}, r.phrases...) {
			rest, at := s.without(phrase)
			words := append(wordsOf(rest), wordsOf(phrase)...)
			if at >= 0 && hasAny(words, []string{"group", "groups"}) && !hasAny(words, shareWords) && !hasAny(wordsOf(rest), r.without) {
				return r.means
			}
		}
	}
	return ""
}

// A held-out figure is a score if a word of its name is one of scoreWords, and none is one of otherWords: lengths, times, spreads. Only
// whole words count, before an @: data may be called minerva or countdown.
var (
	scoreWords = list("acc accuracy score scores reward rewards correct pass pass1 pass@ mean@ avg@ solved solve success win f1 em exact " +
		"ndcg ndcg@ recall recall@ precision mrr bleu rouge return returns")
	otherWords = slices.Concat(asideWords,
		list("length lengths len token tokens loss truncated clip clipped entropy kl step turns ratio frac margins repetition positive "+
			"zero perplexity violation error refuse"))
)

// evalOf is the score that a name is of, after the prefix of its split. The rank tells the whole from the parts: eval_reward before
// eval_rewards/format/mean, all data sets before one.
func evalOf(rest, split string) (m Meaning, part string, rank int) {
	rest = strings.TrimPrefix(rest, "test/") // tinker: test/test/env/all/reward/total
	own := wordsOf(rest)
	plain := split == "eval/" && !strings.ContainsAny(rest, "/-") // slime: eval/aime
	switch {
	case hasAny(own, otherWords):
		return aside, "", 0
	case !hasAny(own, scoreWords) && !plain:
		return "", "", 0
	case rest == "reward", rest == "accuracy", rest == "score", strings.HasPrefix(rest, "all/"), rest == "env/all/reward/total":
		return Eval, rest, 0
	case split == "val-core/":
		return Eval, rest, 1
	case strings.HasPrefix(rest, "rewards/"), strings.HasPrefix(rest, "env/"):
		return Eval, rest, 3
	}
	return Eval, rest, 2
}
