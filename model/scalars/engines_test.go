package scalars

import (
	"testing"

	"vantage/model/diagnosis"
)

// Sampler and trainer that part are named under the names of each trainer; rounding, and a mean ratio that long answers have, are not.
func TestEngineMismatch(t *testing.T) {
	rises := func(from, to float64) func(float64) float64 {
		return func(done float64) float64 { return from + (to-from)*done }
	}
	for _, c := range []struct {
		name   string
		course func(done float64) float64
		want   diagnosis.Severity // "" if nothing is said
		since  int64              // the least and the greatest step at which it may set in; 0: any
		until  int64
	}{
		{"sampling/sampling_logp_difference/mean", rises(0.004, 0.54), diagnosis.Alarm, 8, 20}, // 0.1 is reached at step 11
		{"sampling/sampling_logp_difference/mean", rises(0.008, 0.009), "", 0, 0},
		{"train/train_rollout_logprob_abs_diff", rises(0.011, 0.011), "", 0, 0},
		{"train/train_rollout_logprob_abs_diff", rises(0.067, 0.067), "", 0, 0}, // FP8
		{"train/train_rollout_logprob_abs_diff", rises(0.012, 0.07), diagnosis.Watch, 0, 0},
		{"policy/rollout_train_logprobs_abs_diff_mean", rises(0.3, 0.3), diagnosis.Alarm, 1, 1},
		{"sampling/importance_sampling_ratio/mean", rises(1, 0.02), diagnosis.Alarm, 30, 56}, // 0.3 is reached at step 43
		{"sampling/importance_sampling_ratio/mean", rises(0.25, 0.25), diagnosis.Watch, 1, 1},
		{"sampling/importance_sampling_ratio/mean", rises(1, 0.99), "", 0, 0},
		{"training/rollout_probs_diff_mean", rises(0.004, 0.005), "", 0, 0},
		{"training/rollout_probs_diff_mean", rises(0.004, 0.2), diagnosis.Alarm, 0, 0},
		{"training/rollout_actor_probs_pearson_corr", rises(0.999, 0.998), "", 0, 0},
		{"training/rollout_actor_probs_pearson_corr", rises(0.999, 0.4), diagnosis.Alarm, 0, 0},
		{"train/token_mult_prob_error", rises(1.01, 1.03), "", 0, 0},
		{"train/token_mult_prob_error", rises(1.01, 1.9), diagnosis.Alarm, 0, 0},
	} {
		var l Log
		for i := range 60 {
			l.Add(int64(i+1), "reward", 0.4+0.3*float64(i)/60)
			l.Add(int64(i+1), c.name, c.course(float64(i)/59))
		}
		var got *diagnosis.Finding
		for _, f := range Diagnose(l.Scalars()).Findings {
			if f.Kind == diagnosis.EngineMismatch {
				got = &f
			}
		}
		switch {
		case c.want == "":
			if got != nil {
				t.Errorf("%s from %g to %g: %s", c.name, c.course(0), c.course(1), got.Title)
			}
		case got == nil || got.Severity != c.want:
			t.Errorf("%s from %g to %g: %v, want %s", c.name, c.course(0), c.course(1), got, c.want)
		case c.since > 0 && (got.Since < c.since || got.Since > c.until):
			t.Errorf("%s from %g to %g: since %d", c.name, c.course(0), c.course(1), got.Since)
		}
	}
}

// A KL to the reference says nothing of the engine; one of the engine does, beside it.
func TestEngineMismatchByKL(t *testing.T) {
	for _, c := range []struct {
		name string
		want bool
	}{{"mismatch_kl/all/mean", true}, {"actor/ppo_kl", false}} {
		var l Log
		for i := range 60 {
			l.Add(int64(i+1), "reward", 0.4+0.3*float64(i)/60)
			l.Add(int64(i+1), "kl", 0.05)
			l.Add(int64(i+1), c.name, 0.3*float64(i)/59)
		}
		found := false
		for _, f := range Diagnose(l.Scalars()).Findings {
			found = found || f.Kind == diagnosis.EngineMismatch
		}
		if found != c.want {
			t.Errorf("%s: %v", c.name, found)
		}
	}
}

// A held-out score that falls for good is named without a reward, and beside one that goes on as before; one that wavers is not.
func TestHeldOutScoreThatFalls(t *testing.T) {
	for _, c := range []struct {
		scores []float64
		want   bool
	}{
		{[]float64{0.99, 0.8, 0.64, 0.64, 0.64, 0.64, 0.64, 0.64, 0.64, 0.64, 0.64, 0.64}, true},
		{[]float64{0.6, 0.62, 0.61, 0.63, 0.6, 0.62, 0.61, 0.64, 0.6, 0.62, 0.63, 0.61}, false},
		{[]float64{0.6, 0.62, 0.5, 0.45, 0.5, 0.58, 0.61, 0.64, 0.6, 0.62, 0.63, 0.61}, false}, // it comes back
		{[]float64{0.3, 0.5, 0.3, 0.6, 0.2, 0.5, 0.3, 0.55, 0.25, 0.5, 0.4, 0.3}, false},       // noise
	} {
		for _, hasReward := range []bool{false, true} {
			var l Log
			for i, x := range c.scores {
				l.Add(int64(25*i), "eval/accuracy", x)
			}
			for i := 0; hasReward && i < 300; i++ {
				l.Add(int64(i), "reward", 0.5+0.1*float64(i%3))
			}
			found := false
			for _, f := range Diagnose(l.Scalars()).Findings {
				found = found || f.Kind == diagnosis.EvalDivergence
			}
			if found != c.want {
				t.Errorf("%v, reward %v: %v", c.scores, hasReward, found)
			}
		}
	}
}

// All of the gain is the format: it is said of the part that gains nothing, and not where right answers gain, or are nearly all right.
func TestGainOfFormAlone(t *testing.T) {
	part := func(from, to float64) func(float64, func(float64) float64) float64 { return course01(from, to, 0, 0.8) }
	for _, c := range []struct {
		correct, format [2]float64
		want            bool
	}{
		{[2]float64{0.2, 0.2}, [2]float64{0.1, 0.9}, true},
		{[2]float64{0.2, 0.6}, [2]float64{0.1, 0.9}, false},
		{[2]float64{0.95, 0.95}, [2]float64{0.1, 0.9}, false},
		{[2]float64{0.2, 0.6}, [2]float64{0.9, 0.9}, false},
		{[2]float64{0, 0}, [2]float64{0.1, 0.9}, true},
		{[2]float64{1, 1}, [2]float64{0.1, 0.9}, false},
	} {
		correct, format := part(c.correct[0], c.correct[1]), part(c.format[0], c.format[1])
		if c.correct[0] == c.correct[1] && c.correct[0] != 0.2 && c.correct[0] != 0.95 {
			correct = constant(c.correct[0]) // to the last digit
		}
		s := healthy().with(shape{
			"rewards/correct/mean": correct, "rewards/format/mean": format,
			"reward": func(done float64, noise func(float64) float64) float64 {
				return correct(done, noise) + format(done, noise)
			},
		}).run(5, 150)
		found := false
		for _, f := range Diagnose(s).Findings {
			found = found || f.Kind == diagnosis.NotLearning
		}
		if found != c.want {
			t.Errorf("correct %v, format %v: %v", c.correct, c.format, found)
		}
	}
}
