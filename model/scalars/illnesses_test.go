package scalars

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/model/diagnosis"
	"vantage/model/units"
)

// shape is a run that is made: its figures by the share of the run that is over, with noise.
type shape map[string]func(done float64, noise func(sigma float64) float64) float64

// flat, rising and such are courses.
func flat(level float64) func(float64, func(float64) float64) float64 {
	return func(_ float64, noise func(float64) float64) float64 { return level * (1 + noise(0.03)) }
}

func course01(from, to, begin, end float64) func(float64, func(float64) float64) float64 {
	return func(done float64, noise func(float64) float64) float64 {
		return from + (to-from)*min(1, max(0, (done-begin)/(end-begin))) + noise(0.015)
	}
}

func constant(x float64) func(float64, func(float64) float64) float64 {
	return func(float64, func(float64) float64) float64 { return x }
}

// dip is a rise with a fall to the start of it, from one part of the run to another.
func dip(from, to, begin, end float64) func(float64, func(float64) float64) float64 {
	rise := course01(from, to, 0, 1)
	return func(done float64, noise func(float64) float64) float64 {
		if done >= begin && done < end {
			return from + noise(0.015)
		}
		return rise(done, noise)
	}
}

// stopping is a rise to 0.4 that is one value from six tenths of the run on.
func stopping(at float64) func(float64, func(float64) float64) float64 {
	rise := course01(0.2, 0.4, 0, 0.6)
	return func(done float64, noise func(float64) float64) float64 {
		if x := rise(done, noise); done < 0.6 {
			return x
		}
		return at
	}
}

// swinging is a course of six swings whose width goes from one to another.
func swinging(from, to float64) func(float64, func(float64) float64) float64 {
	return func(done float64, noise func(float64) float64) float64 {
		return 0.5 + (from+(to-from)*done)*math.Sin(2*math.Pi*6*done) + noise(0.02)
	}
}

// rem goes from 0 to 1 ten times in a run.
func rem(done float64) float64 { return math.Mod(10*done, 1) }

func healthy() shape {
	return shape{
		"reward": course01(0.2, 0.6, 0, 0.9), "entropy": course01(0.9, 0.5, 0, 1), "kl": course01(0.02, 0.3, 0, 1), "grad_norm": flat(0.4),
		"completions/mean_length": flat(400), "completions/clipped_ratio": func(float64, func(float64) float64) float64 { return 0.02 },
		"frac_reward_zero_std": course01(0.3, 0.2, 0, 1),
	}
}

// binarySpread is the mean deviation within groups of right and wrong answers of which a share is not equal.
func binarySpread(alive func(done float64, noise func(sigma float64) float64) float64) func(float64, func(float64) float64) float64 {
	return func(done float64, noise func(float64) float64) float64 { return 0.42 * alive(done, noise) }
}

func (s shape) with(more shape) shape {
	for name, f := range more {
		s[name] = f
	}
	return s
}

func (s shape) run(seed uint64, steps int) *Scalars {
	r := rand.New(rand.NewPCG(seed, 7))
	noise := func(sigma float64) float64 { return sigma * r.NormFloat64() }
	var l Log
	for i := range steps {
		for _, name := range []string{
			"reward", "entropy", "kl", "grad_norm", "completions/mean_length", "completions/clipped_ratio", "frac_reward_zero_std", "eval_reward",
			"rewards/correct/mean", "rewards/format/mean", "reward_std", "learning_rate", "critic/advantages/min", "critic/advantages/max",
		} {
			f := s[name]
			switch {
			case f == nil:
			case name == "eval_reward" && i%max(1, steps/20) != 0:
				l.Add(int64(i+1), name, math.NaN()) // as tables that were filled up have it
			default:
				l.Add(int64(i+1), name, f(float64(i)/float64(steps), noise))
			}
		}
	}
	return l.Scalars()
}

// alarms are the kinds of the alarms with their steps, as shares of the run.
func alarms(s *Scalars) map[diagnosis.Kind]float64 {
	all := map[diagnosis.Kind]float64{}
	for _, f := range Diagnose(s).Findings {
		if f.Severity == diagnosis.Alarm {
			all[f.Kind] = float64(f.Since-1) / float64(s.Last)
		}
	}
	return all
}

// told is alarms with a kind that may be a watch.
func told(s *Scalars, kind diagnosis.Kind) map[diagnosis.Kind]float64 {
	all := alarms(s)
	for _, f := range Diagnose(s).Findings {
		if f.Kind == kind {
			all[kind] = float64(f.Since-1) / float64(s.Last)
		}
	}
	return all
}

// Each illness is named, with the step, at several lengths of a run, and no other.
func TestIllnesses(t *testing.T) {
	spikes := func(done float64, noise func(float64) float64) float64 {
		for _, at := range []float64{0.3, 0.5, 0.7, 0.9} {
			if done >= at && done < at+0.002 {
				return 60
			}
		}
		return 0.4 * (1 + noise(0.1))
	}
	missed := 0
	for _, c := range []struct {
		kind  diagnosis.Kind
		made  shape
		since float64
		also  diagnosis.Kind
	}{
		{kind: diagnosis.EntropyCollapse, since: 0.5, made: shape{"reward": course01(0.2, 0.4, 0, 0.4), "entropy": course01(1, 0.04, 0.3, 0.5)}},
		{kind: diagnosis.KLDrift, since: 0.6, made: shape{"kl": course01(0.05, 6, 0.6, 1)}},
		{kind: diagnosis.GradientSpikes, since: 0.3, made: shape{"grad_norm": spikes}},
		{kind: diagnosis.EvalDivergence, since: 0.4, made: shape{"reward": course01(0.2, 0.9, 0, 1), "eval_reward": func(done float64, noise func(float64) float64) float64 {
			return 0.2 + 0.6*min(done, 0.4) - 0.4*max(0, done-0.4) + noise(0.008)
		}}, also: diagnosis.RewardHacking},
		{kind: diagnosis.EvalDivergence, since: 0.4, made: shape{"reward": course01(0.2, 0.9, 0, 1), "eval_reward": course01(0.2, 0.48, 0, 0.4)}},
		{kind: diagnosis.RewardHacking, since: 0.5, made: shape{"reward": course01(0.5, 1.1, 0, 1), "rewards/correct/mean": course01(0.4, 0.1, 0.5, 0.6), "rewards/format/mean": course01(0.3, 1, 0.45, 0.7)}},
		{kind: diagnosis.RewardCollapse, since: 0.7, made: shape{"reward": func(done float64, noise func(float64) float64) float64 {
			if done >= 0.7 {
				return 0.05 + noise(0.01)
			}
			return 0.5 + noise(0.03)
		}}},
		{kind: diagnosis.LengthExplosion, since: 0.5, made: shape{"reward": course01(0.2, 0.5, 0, 0.5), "completions/mean_length": func(done float64, noise func(float64) float64) float64 {
			return 400 * (1 + 4*max(0, done-0.5)) * (1 + noise(0.03))
		}}},
		{kind: diagnosis.LengthCollapse, since: 0.5, made: shape{"reward": course01(0.6, 0.45, 0.5, 0.6), "completions/mean_length": func(done float64, noise func(float64) float64) float64 {
			return 400 * (1 - 0.8*min(1, max(0, (done-0.5)/0.1))) * (1 + noise(0.03))
		}}},
		{kind: diagnosis.Truncation, since: 0.6, made: shape{"completions/clipped_ratio": func(done float64, _ func(float64) float64) float64 { return 0.02 + 0.5*max(0, done-0.24) }}},
		{kind: diagnosis.Saturated, since: 0.5, made: shape{
			"reward": course01(0.3, 0.93, 0.2, 0.5), "frac_reward_zero_std": course01(0.3, 0.93, 0.3, 0.53), "reward_std": binarySpread(course01(0.7, 0.07, 0.3, 0.53)),
		}},
		{kind: diagnosis.TooHard, since: 0, made: shape{"reward": flat(0.03), "frac_reward_zero_std": flat(0.92), "reward_std": binarySpread(flat(0.08))}},
		{kind: diagnosis.NotLearning, since: 0, made: shape{"reward": flat(0.5), "frac_reward_zero_std": flat(0.8)}},
		{kind: diagnosis.FallByHalf, since: 0.5, made: shape{"reward": course01(0.8, 0.45, 0.48, 0.52)}},
		{kind: diagnosis.NothingTrains, since: 0, made: healthy().with(shape{"reward": flat(0.45), "learning_rate": constant(0)})},
		{kind: diagnosis.NothingTrains, since: 0, made: healthy().with(shape{
			"reward": flat(0.45), "critic/advantages/min": constant(0), "critic/advantages/max": constant(0),
		})},
		{kind: diagnosis.NothingTrains, since: 0, made: shape{"reward": constant(0), "grad_norm": constant(0), "reward_std": constant(0)}},
		{kind: diagnosis.GraderOutage, since: 0.6, made: shape{"rewards/correct/mean": stopping(0.31), "rewards/format/mean": flat(0.8)}},
		{kind: diagnosis.RewardHacking, since: 0.5, made: shape{"reward": course01(3, 6, 0.3, 0.9), "rewards/correct/mean": course01(0.5, 0.2, 0.5, 0.6)}},
		{kind: diagnosis.KLDrift, since: 0.1, made: shape{"kl": course01(0, 4, 0.05, 0.15)}},
		{kind: diagnosis.EqualRewards, since: 0, made: shape{"reward": flat(0.5), "frac_reward_zero_std": flat(0.98)}},
	} {
		for _, steps := range []int{100, 400, 1500} {
			for seed := range uint64(repotest.Times(2, 5)) {
				found := told(healthy().with(c.made).run(seed, steps), c.kind)
				since, ok := found[c.kind]
				delete(found, c.kind)
				delete(found, c.also)
				off := 0.1
				if c.kind == diagnosis.EvalDivergence { // there are 20 evaluations
					off = 0.2
				}
				if c.kind == diagnosis.NotLearning && !ok && len(found) == 0 {
					missed++ // noise of two standard errors is taken for a gain: in 15 of 400 such runs
					continue
				}
				if !ok || len(found) > 0 || math.Abs(since-c.since) > off {
					t.Errorf("%s, %d steps, seed %d: since %.3f, want %.2f; besides %v", c.kind, steps, seed, since, c.since, found)
				}
			}
		}
	}
	if missed > 1 {
		t.Errorf("%d runs that learn nothing are not named", missed)
	}
}

// What is healthy and looks like an illness is none.
func TestHealthyLookAlikes(t *testing.T) {
	for name, made := range map[string]shape{
		"plain":                          {},
		"with a held-out score":          {"eval_reward": course01(0.15, 0.5, 0, 0.9)},
		"entropy falls, reward rises":    {"reward": course01(0.1, 0.9, 0, 1), "entropy": course01(1, 0.06, 0, 1)},
		"long thinking pays":             {"reward": course01(0.2, 0.8, 0.1, 0.9), "completions/mean_length": course01(400, 1600, 0.1, 0.9)},
		"shorter and as good":            {"completions/mean_length": course01(900, 300, 0, 0.6)},
		"a few are cut off":              {"completions/clipped_ratio": flat(0.15)},
		"sparse rewards that rise":       {"reward": course01(0.01, 0.2, 0, 1), "frac_reward_zero_std": flat(0.85)},
		"an uneven gradient":             {"grad_norm": func(_ float64, noise func(float64) float64) float64 { return math.Exp(noise(1.3)) }},
		"a gradient twice as large":      {"grad_norm": func(_ float64, noise func(float64) float64) float64 { return 0.4 * (1 + math.Abs(noise(0.3))) }},
		"a KL that rises steadily":       {"kl": course01(0, 0.9, 0, 1)},
		"a noisy held-out score":         {"eval_reward": func(done float64, noise func(float64) float64) float64 { return 0.1 + 0.3*done + noise(0.06) }},
		"format is full, then the rest":  {"rewards/format/mean": course01(0.3, 1, 0, 0.1), "rewards/correct/mean": course01(0.1, 0.5, 0, 1)},
		"nine tenths without spread":     {"reward": course01(0.4, 0.6, 0, 1), "frac_reward_zero_std": flat(0.9)},
		"partial credits that are equal": {"reward": course01(0.7, 0.85, 0, 1), "frac_reward_zero_std": flat(0.85), "reward_std": flat(0.004)},
		"a dip that is regained":         {"reward": dip(0.2, 0.7, 0.4, 0.55)},
		"a curriculum that begins again": {"reward": func(done float64, noise func(float64) float64) float64 {
			return 0.5 + 0.3*math.Cos(2*math.Pi*3.5*done) + noise(0.02)
		}},
		"a swing as wide as ever": {"reward": swinging(0.25, 0.25)},
		"a swing that ebbs":       {"reward": swinging(0.4, 0.05)},
		"a part that is full": {
			"rewards/format/mean": func(done float64, noise func(float64) float64) float64 {
				return min(1, 0.5+done+0.3*math.Abs(noise(0.03)))
			},
			"rewards/correct/mean": course01(0.1, 0.5, 0, 1),
		},
		"a total that rises with its part": {"reward": course01(3, 6, 0.3, 0.9), "rewards/correct/mean": course01(0.3, 0.5, 0, 0.9)},
		"flat near the top":                {"reward": flat(0.93)},
		"quiet steps between": {"grad_norm": func(done float64, noise func(float64) float64) float64 {
			return 0.3 * (1 + noise(0.1)) * math.Max(1e-6, math.Round(rem(done)))
		}},
		"half solved, the others alive":  {"reward": course01(0.4, 0.75, 0, 0.5), "frac_reward_zero_std": flat(0.5)},
		"a plateau":                      {"reward": course01(0.2, 0.55, 0, 0.2)},
		"a solved task, without entropy": {"reward": course01(0.3, 0.97, 0, 0.4), "entropy": course01(1, 0.03, 0, 0.4)},
	} {
		for _, steps := range []int{30, 100, 400, 1500} {
			for seed := range uint64(repotest.Times(2, 6)) {
				if found := alarms(healthy().with(made).run(seed, steps)); len(found) > 0 {
					t.Errorf("%s, %d steps, seed %d: %v", name, steps, seed, found)
				}
			}
		}
	}
}

// A swing that grows until it loses half of the reward is named; at a look in the middle of a fall it may be called that.
func TestSwingThatGrows(t *testing.T) {
	for _, steps := range []int{100, 400, 1500} {
		if found := alarms(healthy().with(shape{"reward": swinging(0, 0.45)}).run(1, steps)); len(found) != 1 || found[diagnosis.FallByHalf] == 0 {
			t.Errorf("%d steps: %v", steps, found)
		}
	}
}

// A reward that is one value for every sample at all steps trains nothing; a mean alone may be a column that nobody filled.
func TestOneRewardForAll(t *testing.T) {
	for name, c := range map[string]struct {
		greatest []float64
		want     bool
	}{
		"greatest and least are the mean": {[]float64{0, 0}, true},
		"some sample won":                 {[]float64{0, 1}, false},
		"the mean alone":                  {nil, false},
	} {
		var l Log
		for i := range 60 {
			l.Add(int64(i+1), "critic/score/mean", 0)
			l.Add(int64(i+1), "actor/grad_norm", 0.1+0.01*float64(i%7))
			if c.greatest != nil {
				l.Add(int64(i+1), "critic/score/min", 0)
				l.Add(int64(i+1), "critic/score/max", c.greatest[i%2])
			}
		}
		if _, found := alarms(l.Scalars())[diagnosis.NothingTrains]; found != c.want {
			t.Errorf("%s: %t", name, found)
		}
	}
}

// An entropy that is gone within a hundredth of the run is a collapse where the reward does not gain from there on, and none where it does.
func TestEntropyGoneAtOnce(t *testing.T) {
	gone := func(done float64, noise func(float64) float64) float64 {
		return 0.9*math.Exp(-400*done) + 0.02*(1+noise(0.1))
	}
	for name, c := range map[string]struct {
		reward func(float64, func(float64) float64) float64
		want   bool
	}{
		"the reward stays": {flat(0.3), true},
		"the reward gains": {course01(0.1, 0.7, 0.05, 0.9), false},
	} {
		for _, steps := range []int{400, 1500} {
			since, found := alarms(healthy().with(shape{"reward": c.reward, "entropy": gone}).run(1, steps))[diagnosis.EntropyCollapse]
			if found != c.want || since > 0.02 {
				t.Errorf("%s, %d steps: %t, since %.3f", name, steps, found, since)
			}
		}
	}
}

// An entropy that was lost a moment ago says nothing yet of a reward that may still gain; one that has been for a fifth of the run does.
func TestEntropyJustGone(t *testing.T) {
	for gone, want := range map[float64]bool{0.92: false, 0.5: true} {
		made := shape{"reward": course01(0.25, 0.65, 0, 0.35), "entropy": course01(1, 0.05, 0, gone)}
		since, found := alarms(healthy().with(made).run(1, 150))[diagnosis.EntropyCollapse]
		if found != want {
			t.Errorf("gone at %.2f: %t since %.2f", gone, found, since)
		}
	}
}

// Answers of a few tokens that win are a watch: an empty one may win a grader; those that are concise are none.
func TestFewTokensThatWin(t *testing.T) {
	for tokens, want := range map[float64]bool{3: true, 60: false} {
		made := shape{"reward": course01(0.3, 0.7, 0.3, 0.6), "completions/mean_length": course01(200, tokens, 0.3, 0.6)}
		s := healthy().with(made).run(1, 150)
		if _, found := told(s, diagnosis.LengthCollapse)[diagnosis.LengthCollapse]; found != want || len(alarms(s)) > 0 {
			t.Errorf("%v tokens: %t, alarms %v", tokens, found, alarms(s))
		}
	}
}

// Answers that grow with their prompts, as in a curriculum, are a watch; those that grow alone are an alarm.
func TestLengthOfOtherData(t *testing.T) {
	for prompts, want := range map[float64]bool{240: false, 80: true} {
		s := healthy().with(shape{"reward": flat(0.5), "completions/mean_length": course01(100, 300, 0.3, 0.6)})
		var l Log
		r := rand.New(rand.NewPCG(3, 4))
		asked := course01(80, prompts, 0.3, 0.6)
		for _, x := range s.run(1, 150).Series {
			for i, step := range x.Steps {
				l.Add(step, x.Name, x.Values[i])
			}
		}
		for i := range 150 {
			l.Add(int64(i+1), "prompt_length/mean", asked(float64(i)/150, func(sigma float64) float64 { return sigma * r.NormFloat64() }))
		}
		if _, found := alarms(l.Scalars())[diagnosis.LengthExplosion]; found != want {
			t.Errorf("prompts of %v: %t", prompts, found)
		}
	}
}

// A reward that falls as prompts become longer, or a curriculum goes on, is a watch; one that falls by itself is an alarm.
func TestFallOfOtherData(t *testing.T) {
	falls := func(done float64, noise func(float64) float64) float64 {
		if done >= 0.6 {
			return 0.2 + noise(0.02)
		}
		return 0.6 + noise(0.02)
	}
	step := func(before, after float64) func(float64) float64 {
		return func(done float64) float64 {
			if done >= 0.6 {
				return after
			}
			return before
		}
	}
	for _, c := range []struct {
		name   string
		figure func(done float64) float64
		alarm  bool
	}{
		{"prompt_length/mean", step(80, 240), false},
		{"train/curriculum_stage", step(1, 2), false},
		{"prompt_length/mean", step(80, 80), true},
	} {
		var l Log
		r := rand.New(rand.NewPCG(1, 2))
		for i := range 200 {
			done := float64(i) / 200
			l.Add(int64(i+1), "reward", falls(done, func(sigma float64) float64 { return sigma * r.NormFloat64() }))
			l.Add(int64(i+1), c.name, c.figure(done)*(1+0.02*r.NormFloat64()))
		}
		s := l.Scalars()
		found, isAlarm := map[diagnosis.Kind]bool{}, len(alarms(s)) > 0
		for _, f := range Diagnose(s).Findings {
			found[f.Kind] = true
		}
		if isAlarm != c.alarm || !found[diagnosis.RewardCollapse] {
			t.Errorf("%s: alarm %t, want %t: %v", c.name, isAlarm, c.alarm, found)
		}
	}
}

// A finding says what to do, with figures before and after; what cannot be told says why.
func TestFindingIsWhole(t *testing.T) {
	d := Diagnose(healthy().with(shape{"completions/clipped_ratio": func(done float64, _ func(float64) float64) float64 { return done / 2 }}).run(1, 200))
	f := d.Findings[0]
	if f.Kind != diagnosis.Truncation || f.Since < 75 || f.Since > 90 || !f.Lasting || f.Until != 200 || f.Series.Name != "completions/clipped_ratio" || len(f.Series.Values) != 200 {
		t.Errorf("%+v", f)
	}
	if got := f.Evidence[0].String(); !strings.HasPrefix(got, "completions/clipped_ratio 1") || !strings.Contains(got, "→ 47% (") {
		t.Error(got)
	}
	blind := fmt.Sprint(d.Blind)
	for _, want := range []string{"{eval_divergence the log has no held-out score}", "{grader_outage the log has no samples}"} {
		if !strings.Contains(blind, want) {
			t.Errorf("%s: not in %s", want, blind)
		}
	}
}

// A gradient that is no number to the end is an illness; values that are missing at some steps are none.
func TestBrokenGradient(t *testing.T) {
	s := healthy().run(3, 100)
	g := s.Of(GradNorm, 1)
	g.Broken = []int64{7, 20, 50}
	if found := alarms(s); len(found) > 0 {
		t.Error(found)
	}
	g.Steps, g.Values, g.Broken = g.Steps[:80], g.Values[:80], []int64{7, 81, 82, 83, 84}
	if found := alarms(s); found[diagnosis.GradientSpikes] != 0.8 {
		t.Error(found)
	}
}

// Add adds the kinds of which samples say nothing, and of others what the trainer counts itself: its share of answers that were cut off, and
// not that they become longer.
func TestAddToSamples(t *testing.T) {
	d := &diagnosis.Diagnosis{Steps: 200, Blind: []diagnosis.Blind{{Kind: diagnosis.KLDrift, Why: "no scalars"}, {Kind: diagnosis.Forgetting, Why: "one source"}}}
	more := shape{"kl": course01(0.05, 6, 0.6, 1), "completions/clipped_ratio": flat(0.9), "completions/mean_length": course01(100, 900, 0.5, 1), "reward": flat(0.5)}
	Add(d, healthy().with(more).run(1, 200))
	found := map[diagnosis.Kind]bool{}
	for _, f := range d.Findings {
		found[f.Kind] = true
	}
	if len(found) != 2 || !found[diagnosis.KLDrift] || !found[diagnosis.Truncation] {
		t.Errorf("%v", found)
	}
	for _, b := range d.Blind {
		if !b.Kind.OfScalars() && b.Kind != diagnosis.Forgetting {
			t.Errorf("cannot tell %s", b.Kind)
		}
	}
}

// Whatever is logged, the same is said twice, and of finite values.
func FuzzDiagnose(f *testing.F) {
	f.Add([]byte{1, 2, 3, 250, 9}, uint16(300), uint8(3))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 255}, uint16(60), uint8(0))
	f.Fuzz(func(t *testing.T, bytes []byte, steps uint16, scale uint8) {
		if len(bytes) == 0 {
			return
		}
		var l Log
		n := int(steps % 301)
		if steps%40 == 0 {
			n *= 4 // few are long, since a long one takes a tenth of a second
		}
		for i := range n {
			for k, name := range []string{
				"reward", "entropy", "kl", "grad_norm", "completions/mean_length", "completions/clipped_ratio", "frac_reward_zero_std", "eval_reward", "rewards/a/mean", "rewards/b/mean",
			} {
				b := bytes[(i*(k+1)+k)%len(bytes)]
				x := math.Ldexp(float64(int(b)-int(scale)), int(scale)%80-40)
				if b == 255 {
					x = []float64{math.NaN(), math.Inf(1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64}[i%5]
				}
				l.Add(int64(i), name, x)
			}
		}
		s := l.Scalars()
		d := Diagnose(s)
		if again := Diagnose(s); !reflect.DeepEqual(fmt.Sprint(d), fmt.Sprint(again)) {
			t.Error("another answer the second time")
		}
		for _, x := range d.Findings {
			if x.Title == "" || len(x.Evidence) > 0 && math.IsNaN(x.Evidence[0].After) {
				t.Errorf("%+v", x)
			}
		}
	})
}

// How an illness of a trainer's own averages is found is told in package diagnosis, with the numbers that are here.
func TestHowHasTheLimits(t *testing.T) {
	limits := map[diagnosis.Kind][]string{
		diagnosis.KLDrift:        {fmt.Sprint(klBend) + " times as steep"},
		diagnosis.GradientSpikes: {units.Short(spikeTimes) + " times the median"},
		diagnosis.AveragesDiffer: {
			units.Share(mostShare) + " of the steps", "at " + units.Count(leastWitnessed) + " of them at least", units.Share(leastZeros) + " should be",
			units.Share(otherAverage) + " of the range", units.Count(leastPoints) + " steps",
		},
		diagnosis.EvalDivergence: {units.Plural(surelyParted, "evaluations")},
		diagnosis.FallByHalf:     {units.Short(otherData) + " times as long"},
		diagnosis.NothingTrains:  {units.Count(leastPoints) + " steps"},
		diagnosis.GraderOutage:   {"last " + units.Count(outageValues) + " steps"},
	}
	for _, k := range diagnosis.Kinds() {
		for _, limit := range limits[k.Name] {
			if how := strings.Join(k.How, " "); !strings.Contains(how, limit) {
				t.Errorf("%s: no %q in %q", k.Name, limit, how)
			}
		}
	}
}
