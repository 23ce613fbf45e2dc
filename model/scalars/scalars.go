// Package scalars holds what a trainer logged of each step: reward, entropy, KL, norm of the gradient, scores on held-out data. Each
// trainer has its own names for these; [Meaning] knows them.
//
//	Log.Add(step, name, value) … → Log.Scalars → Series by name, with what they mean ──→ Diagnose, Add → Findings
//
// Detectors look at a course of each series. They stand in illnesses.go and rewards.go, their statistics in trend.go. Nothing
// here reads files.
package scalars

import (
	"cmp"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
)

// Scalars are the series of a run.
type Scalars struct {
	Series  []Series // by name, as logged
	Steps   int      // different steps, of the series with the most
	First   int64    // number of the first step, 0 without steps
	Last    int64    // number of the last one
	Dropped int      // names that were left out, since there are too many
	Cut     bool     // older points were left out for the same reason
}

// Series is what was logged under one name, by rising steps.
type Series struct {
	Name   string  // as logged: sanitise before showing
	Means  Meaning // "" if it is not known
	Part   string  // which component or which held-out data, if Means has several: sanitise before showing
	Steps  []int64
	Values []float64 // finite
	Broken []int64   // steps at which it was logged and is NaN or infinite

	rank int // of the name among those with the same meaning: the least is the best
	rows int // whose mean the last value is
}

// Of returns the best series with a meaning that has at least so many points, nil if there is none.
func (s *Scalars) Of(m Meaning, least int) *Series {
	all := s.All(m, least)
	if len(all) == 0 {
		return nil
	}
	return slices.MinFunc(all, func(x, y *Series) int { return cmp.Compare(x.rank, y.rank) })
}

// All returns all series with a meaning that have at least so many points, by name.
func (s *Scalars) All(m Meaning, least int) (all []*Series) {
	for i := range s.Series {
		if x := &s.Series[i]; x.Means == m && len(x.Values) >= least {
			all = append(all, x)
		}
	}
	return all
}

// Last returns the last value, NaN if there is none.
func (s *Series) Last() float64 {
	if len(s.Values) == 0 {
		return math.NaN()
	}
	return s.Values[len(s.Values)-1]
}

// The bounds of a log: a run of 100,000 steps that logs 400 figures is at the edge of what anybody does.
const (
	MaxPoints = 100_000   // of a series: the newest
	MaxSeries = 400       // those with a known meaning are taken in before others
	maxAll    = 4_000_000 // points of all series together, 64 MB
	maxName   = 256       // bytes
)

// Log collects points as they were logged. The zero value is empty.
type Log struct {
	series  map[string]*Series
	unknown int // series without a meaning
	points  int
	dropped map[string]bool
	cut     bool
}

// Add adds a point. Rows of one step, one after the other, count as their mean, as where a loop logs each group. A step that was logged
// before takes back what came after it: the run was started again from there. Values that are not finite are kept apart; names that mean
// nothing beyond the bounds are left out.
func (l *Log) Add(step int64, name string, value float64) {
	if name == "" || len(name) > maxName {
		return
	}
	s := l.series[name]
	if s == nil {
		if s = l.begin(name); s == nil {
			return
		}
	}
	isFinite := !math.IsNaN(value) && !math.IsInf(value, 0)
	if n := len(s.Steps); isFinite && n > 0 && s.Steps[n-1] == step {
		s.rows++
		s.Values[n-1] += (value - s.Values[n-1]) / float64(s.rows)
		return
	}
	s.rows = 1
	for n := len(s.Steps); n > 0 && s.Steps[n-1] >= step; n-- {
		s.Steps, s.Values = s.Steps[:n-1], s.Values[:n-1]
		l.points--
	}
	for n := len(s.Broken); n > 0 && s.Broken[n-1] >= step; n-- {
		s.Broken = s.Broken[:n-1]
	}
	if !isFinite {
		s.Broken = newest(append(s.Broken, step), MaxPoints)
		return
	}
	s.Steps, s.Values = append(s.Steps, step), append(s.Values, value)
	if l.points++; len(s.Steps) >= 2*MaxPoints || l.points > maxAll {
		l.trim()
	}
}

// begin adds a series, nil if there are too many.
func (l *Log) begin(name string) *Series {
	if l.series == nil {
		l.series, l.dropped = map[string]*Series{}, map[string]bool{}
	}
	s := &Series{Name: name}
	s.Means, s.Part, s.rank = meaningOf(name)
	if len(l.series) >= MaxSeries || s.Means == "" && l.unknown >= MaxSeries/2 {
		if len(l.dropped) < 10*MaxSeries {
			l.dropped[name] = true
		}
		return nil
	}
	if s.Means == "" {
		l.unknown++
	}
	l.series[name] = s
	return s
}

// trim leaves out the oldest points of series that have too many, or half of those of all.
func (l *Log) trim() {
	most := MaxPoints
	if l.points > maxAll {
		most = max(1, min(most, maxAll/2/len(l.series)))
	}
	l.points = 0
	for _, s := range l.series {
		l.cut = l.cut || len(s.Steps) > most
		s.Steps, s.Values = newest(s.Steps, most), newest(s.Values, most)
		l.points += len(s.Steps)
	}
}

// newest returns the last n of a list; of twice as many, in a list of its own.
func newest[T any](list []T, n int) []T {
	if len(list) >= 2*n {
		return slices.Clone(list[len(list)-n:])
	}
	return list
}

// Scalars returns what was logged. The log is of no use afterwards.
func (l *Log) Scalars() *Scalars {
	all, begun := &Scalars{Dropped: len(l.dropped), Cut: l.cut}, false
	for _, name := range slices.Sorted(maps.Keys(l.series)) {
		s := l.series[name]
		if extra := len(s.Steps) - MaxPoints; extra > 0 {
			s.Steps, s.Values, all.Cut = s.Steps[extra:], s.Values[extra:], true
		}
		if len(s.Steps)+len(s.Broken) == 0 {
			continue
		}
		all.Series = append(all.Series, *s)
		all.Steps = max(all.Steps, len(s.Steps))
		for _, steps := range [][]int64{s.Steps, s.Broken} {
			if len(steps) == 0 {
				continue
			}
			if !begun {
				all.First, all.Last, begun = steps[0], steps[0], true
			}
			all.First, all.Last = min(all.First, steps[0]), max(all.Last, steps[len(steps)-1])
		}
	}
	return all
}

// Mean returns the mean of series at the steps that all of them have, as one series of that name: nil without such steps.
func Mean(name string, all []*Series) *Series {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	mean := &Series{Name: name, Means: all[0].Means}
	first := slices.MaxFunc(all, func(a, b *Series) int { return cmp.Compare(len(a.Steps), len(b.Steps)) })
	for i, step := range first.Steps {
		sum, n := first.Values[i], 1
		for _, s := range all {
			if at, found := slices.BinarySearch(s.Steps, step); found && s != first {
				sum, n = sum+s.Values[at], n+1
			}
		}
		if n == len(all) {
			mean.Steps, mean.Values = append(mean.Steps, step), append(mean.Values, sum/float64(n))
		}
	}
	return mean
}

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
