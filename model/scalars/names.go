package scalars

import (
	"path"
	"slices"
	"strings"
)

// Meaning is what a series is of, whatever its trainer calls it.
type Meaning string

// The meanings.
const (
	Reward    Meaning = "reward"     // mean of a step's samples
	RewardStd Meaning = "reward_std" // spread of the reward within a group or a step
	Component Meaning = "component"  // mean of one part of the reward
	Entropy   Meaning = "entropy"    // of the policy, nats per token
	KL        Meaning = "kl"         // between the policy and the reference, nats per token
	StepKL    Meaning = "step_kl"    // between the policy and what sampled: its previous weights, or the inference engine
	GradNorm  Meaning = "grad_norm"  // before clipping
	Length    Meaning = "length"     // mean tokens of an answer
	Truncated Meaning = "truncated"  // share of answers that ended at the limit
	ZeroStd   Meaning = "zero_std"   // share of groups with equal rewards
	AllRight  Meaning = "all_right"  // share of groups whose rewards are all the best
	AllWrong  Meaning = "all_wrong"  // share of groups whose rewards are all the worst
	ClipRatio Meaning = "clip_ratio" // share of tokens whose ratio was clipped
	Loss      Meaning = "loss"
	LR        Meaning = "lr"
	Eval      Meaning = "eval" // score on held-out data
)

// names are what trainers call each meaning, the better first; * is one part of a name. Prefixes of a split (train/) are cut before.
// Read in trl 1.16 grpo_trainer.py and rloo_trainer.py, verl metric_utils.py and dp_actor.py, OpenRLHF ppo_trainer.py, NeMo-RL grpo.py
// and loss functions, prime-rl orchestrator/metrics.py and trainer/rl/train.py, tinker-cookbook rl/train.py, slime
// observability/rollout_metrics.py and megatron_utils/loss.py, ms-swift grpo_trainer.py, rLLM trainer/algorithms/transform.py, SkyRL
// trainer.py and worker.py, EasyR1 ray_trainer.py, ROLL rlvr_pipeline.py, AReaL ppo/actor.py, ART local/backend.py, open-instruct
// grpo_fast.py.
var names = []struct {
	means Meaning
	names []string
}{
	{Reward, []string{
		"reward", "critic/score/mean", "critic/rewards/mean", "reward/overall", "rollout/raw_reward", "reward/avg_raw_reward", "reward/all/mean",
		"reward/mean", "agg/all/*/reward/mean", "env/all/reward/total", "*/task_reward/avg", "rollout/reward", "objective/scores",
		"objective/rlhf_reward", "scores", "reward_mean", "mean_reward", "self_distillation/reward_mean",
	}},
	{RewardStd, []string{"reward_std", "reward/std", "reward/all/std", "reward_std_dev", "critic/score/std", "*/task_reward/std"}},
	{Entropy, []string{
		"entropy", "actor/entropy", "policy/policy_entropy", "policy_entropy", "entropy/all/mean", "entropy/mean", "optim/entropy", "approx_entropy",
		"policy/entropy_avg", "policy/entropy", "critic/entropy/mean", "actor/entropy_loss", "entropy_loss", "*/update/entropy/avg", "objective/entropy",
	}},
	{KL, []string{
		"kl", "actor/kl_loss", "kl_loss", "policy/policy_kl", "loss/avg_kl", "kl_penalty", "kl_policy_base", "objective/kl", "objective/kl_avg", "critic/kl",
		"actor/reward_kl_penalty", "kl_div", "*/update/kl/avg",
	}},
	{StepKL, []string{
		"mismatch_kl/all/mean", "mismatch_kl/mean", "gen_kl_error", "optim/kl_sample_train_v1", "actor/ppo_kl", "ppo_kl", "policy/approxkl_avg",
		"policy/approxkl",
	}},
	{GradNorm, []string{
		"grad_norm", "actor/grad_norm", "optim/grad_norm", "policy/raw_grad_norm", "policy/grad_norm", "unclipped_grad_l2:mean", "optim/unclipped_grad_l2:mean",
		"*/update/grad_norm", "actor/grad_norm/mean",
	}},
	{Length, []string{
		"completions/mean_length", "completion_length", "response_length/mean", "response_length", "rollout/response_len/mean", "response_len/mean",
		"rollout/response_lengths", "mean_gen_tokens_per_sample", "generate/avg_num_tokens", "agg/all/*/completion_tokens/mean", "decode_len/all/mean",
		"seq_len/all/mean", "seq_len/mean", "env/all/ac_tokens_per_turn", "tokens/response_length/mean", "val/sequence_lengths", "episode/response_tokens",
		"batch/step_response_length/mean", "*/seq_len/avg",
	}},
	{Truncated, []string{
		"completions/clipped_ratio", "response_length/clip_ratio", "rollout/truncated_ratio", "rollout/truncated", "truncated_ratio", "truncated_rate",
		"truncation_rate", "agg/all/*/is_truncated/mean", "is_truncated/all/mean", "is_truncated/mean", "completions/truncated_fraction",
	}},
	{ZeroStd, []string{"frac_reward_zero_std", "filters/all/zero_advantage", "self_distillation/flat_group_fraction"}},
	{AllRight, []string{"env/all/by_group/frac_all_good", "agg/all/*/solved_all", "solve_all/all", "solve_all", "batch/*/fractions/too_easy"}},
	{AllWrong, []string{"env/all/by_group/frac_all_bad", "agg/all/*/solved_none", "solve_none/all", "solve_none", "batch/*/fractions/too_hard"}},
	{ClipRatio, []string{"clip_ratio/region_mean", "clip_ratio", "actor/pg_clipfrac", "pg_clipfrac", "policy/clipfrac_avg", "policy/loss_metrics/clip_ratio"}},
	{Loss, []string{"loss", "actor/pg_loss", "actor/loss", "policy/final_loss", "policy_loss", "pg_loss", "loss/mean", "loss/policy_avg"}},
	{LR, []string{"learning_rate", "lr", "actor/lr", "actor_lr", "optim/lr", "policy/policy_lr"}},
	{Component, []string{"rewards/*/mean", "metrics/*/*reward*", "metrics/*/*/*reward*", "agg/all/*/rewards/*/mean", "reward/*", "rewards/*", "env/all/correct", "env/all/format*"}},
}

// heldOut begin the names of what was logged of an evaluation.
var heldOut = []string{"val-core/", "eval/", "eval_", "validation/", "validation_", "val/", "val_", "test/", "test_", "val_correct/"}

// Known reports whether a name has a meaning.
func Known(name string) bool {
	m, _, _ := meaningOf(name)
	return m != ""
}

// meaningOf says what a name means, of which part, and how good a name it is for that.
func meaningOf(name string) (m Meaning, part string, rank int) {
	for _, split := range heldOut {
		if rest, ok := strings.CutPrefix(name, split); ok && name != "val/sequence_lengths" {
			return evalOf(rest, split)
		}
	}
	for _, split := range []string{"train/", "training/"} {
		name = strings.TrimPrefix(name, split)
	}
	for _, row := range names {
		for i, pattern := range row.names {
			if ok, _ := path.Match(pattern, name); !ok {
				continue
			}
			if row.means == Component {
				return componentOf(name)
			}
			return row.means, "", i
		}
	}
	return "", "", 0
}

// componentOf is the part of a reward that a name is of. Of a spread or an extreme it is none.
func componentOf(name string) (m Meaning, part string, rank int) {
	part = strings.TrimSuffix(name, "/mean")
	part = part[strings.LastIndexByte(part, '/')+1:]
	if slices.Contains([]string{"mean", "std", "min", "max", "total", "overall", "chosen", "rejected", "margins", "accuracies", "mean_positive_reward"}, part) ||
		strings.HasPrefix(part, "avg_pass_at_") || strings.HasPrefix(part, "num_") {
		return "", "", 0
	}
	return Component, part, 0
}

// A held-out figure is a score if a word of its name is one of scoreWords, and none is one of otherWords: lengths, times, spreads. Only
// whole words count, before an @: data may be called minerva or countdown.
var (
	scoreWords = []string{"acc", "accuracy", "score", "scores", "reward", "rewards", "correct", "pass", "pass1", "pass@", "mean@", "avg@", "solved", "success", "win"}
	otherWords = []string{
		"length", "lengths", "len", "token", "tokens", "time", "runtime", "second", "seconds", "std", "min", "max", "worst", "worst@", "best@", "maj@", "std@",
		"truncated", "clip", "clipped", "loss", "entropy", "kl", "num", "count", "step", "steps", "epoch", "turns", "version", "ratio", "frac", "margins",
		"repetition", "positive", "zero", "perplexity",
	}
)

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

// evalOf is the score that a name is of, after the prefix of its split. The rank tells the whole from the parts: eval_reward before
// eval_rewards/format/mean, all data sets before one.
func evalOf(rest, split string) (m Meaning, part string, rank int) {
	rest = strings.TrimPrefix(rest, "test/") // tinker: test/test/env/all/reward/total
	own := wordsOf(rest)
	has := func(words []string) bool {
		return slices.ContainsFunc(own, func(w string) bool { return slices.Contains(words, w) })
	}
	plain := split == "eval/" && !strings.ContainsAny(rest, "/-") // slime: eval/aime
	switch {
	case has(otherWords), !has(scoreWords) && !plain:
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

// HeldOut returns the scores on held-out data as one series with at least so many points: the best-named one, or the mean of several
// alike; nil if there is none.
func (s *Scalars) HeldOut(least int) *Series {
	best := s.Of(Eval, least)
	if best == nil {
		return nil
	}
	all := slices.DeleteFunc(s.All(Eval, least), func(x *Series) bool { return x.rank != best.rank || 2*len(x.Steps) < len(best.Steps) })
	mean := Mean("mean of "+best.Name+" and others", all)
	if len(mean.Values) < least {
		return best
	}
	return mean
}
