package offpolicy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	rules "vantage/estimators/offpolicy"
	"vantage/model/diagnosis"
)

// scene is a run as its log-probs show it.
type scene struct {
	steps, rows int
	noise       func(step, lag int) float64 // mean |d|
	lag         func(step, row int) int     // nil: the log has no versions
	change      func(random *rand.Rand, step int, x *rules.Row)
	tokens      int // on average; 0: 150
	writer      string
	still       bool
}

func bf16(int, int) float64 { return 0.015 }

// run makes the study of a scene.
func (w scene) run(seed uint64) *Study {
	random := rand.New(rand.NewPCG(seed, 53))
	s := NewOfRun(Asked{Still: w.still})
	tokens := w.tokens
	if tokens == 0 {
		tokens = 150
	}
	for step := 1; step <= w.steps; step++ {
		for row := range w.rows {
			x := Sample{Step: step, Writer: w.writer}
			x.Advantage = float64(random.IntN(2))*2 - 1
			lag := 0
			if w.lag != nil {
				lag = w.lag(step, row)
				x.Versions, x.VersionLag = &rules.Versions{First: step - 1 - lag, Last: step - 1 - lag}, &lag
			}
			scale := w.noise(step, lag) * math.Sqrt(math.Pi/2) * (0.8 + 0.4*random.Float64())
			for range tokens/2 + random.IntN(tokens) {
				r := -0.5 * random.ExpFloat64()
				x.Sampler = append(x.Sampler, float32(r))
				x.Trainer = append(x.Trainer, float32(r+scale*random.NormFloat64()))
			}
			if w.change != nil {
				w.change(random, step, &x.Row)
			}
			s.Add(x)
		}
	}
	s.Finish()
	return s
}

func (w scene) found(seed uint64) []diagnosis.Finding {
	d := &diagnosis.Diagnosis{}
	w.run(seed).Diagnose(d)
	return d.Findings
}

// Each illness is found by its name, and alone; what is healthy and looks like it is not.
func TestIllsOfLogProbs(t *testing.T) {
	behind := func(most int) func(step, row int) int {
		return func(step, row int) int { return min(row%(most+1), step-1) }
	}
	grown := func(from int, to float64) func(step, lag int) float64 {
		return func(step, _ int) float64 { return 0.01 + max(0, float64(step-from))*(to-0.01)/20 }
	}
	for name, c := range map[string]struct {
		scene
		want diagnosis.Kind
	}{
		"a token late": {scene{noise: bf16, change: func(_ *rand.Rand, _ int, x *rules.Row) {
			x.Trainer = append(x.Trainer[1:], x.Trainer[0])
		}}, diagnosis.ShiftedLogProbs},
		"a token early": {scene{noise: bf16, change: func(_ *rand.Rand, _ int, x *rules.Row) {
			x.Sampler = append(x.Sampler[1:], x.Sampler[0])
		}}, diagnosis.ShiftedLogProbs},
		"other tokens": {scene{noise: bf16, change: func(random *rand.Rand, _ int, x *rules.Row) {
			random.Shuffle(len(x.Trainer), func(i, j int) { x.Trainer[i], x.Trainer[j] = x.Trainer[j], x.Trainer[i] })
		}}, diagnosis.ShiftedLogProbs},
		"a first token of another template": {scene{noise: bf16, change: func(_ *rand.Rand, _ int, x *rules.Row) { x.Trainer[0] -= 4 }}, diagnosis.ShiftedLogProbs},
		"raw against temperature 0.7": {scene{noise: bf16, change: func(_ *rand.Rand, _ int, x *rules.Row) {
			for i, r := range x.Sampler {
				x.Trainer[i] += float32(0.43 * r)
			}
		}}, diagnosis.WrongLogProbs},
		"temperature 1.2 against 1": {scene{noise: bf16, change: func(_ *rand.Rand, _ int, x *rules.Row) {
			for i, r := range x.Sampler {
				x.Trainer[i] -= float32(0.17 * r)
			}
		}}, diagnosis.WrongLogProbs},
		"the sampler renormalises": {scene{noise: func(int, int) float64 { return 0.002 }, change: func(random *rand.Rand, _ int, x *rules.Row) {
			for i := range x.Sampler {
				x.Trainer[i] -= float32(0.02 + 0.05*random.Float64())
			}
		}}, diagnosis.TopPMismatch},
		"the trainer cuts": {scene{noise: bf16, change: func(random *rand.Rand, _ int, x *rules.Row) {
			if random.IntN(3) == 0 {
				x.Trainer[random.IntN(len(x.Trainer))] = float32(math.Inf(-1))
			}
		}}, diagnosis.TopPMismatch},
		"weights stop arriving":         {scene{noise: grown(10, 0.3), lag: func(step, _ int) int { return max(0, step-10) }}, diagnosis.WeightsNotSynced},
		"fresh rows drift":              {scene{noise: grown(10, 0.2), lag: func(int, int) int { return 0 }}, diagnosis.WeightsNotSynced},
		"drift without versions":        {scene{noise: grown(10, 0.2)}, diagnosis.WeightsNotSynced},
		"a jump that stays":             {scene{noise: func(step, _ int) float64 { return map[bool]float64{true: 0.25, false: 0.005}[step > 15] }}, diagnosis.WeightsNotSynced},
		"drift at a learning rate of 0": {scene{noise: grown(10, 0.2), still: true}, diagnosis.EngineMismatch},
		"precision":                     {scene{noise: func(int, int) float64 { return 0.07 }}, diagnosis.EngineMismatch},
		"precision, fresh rows":         {scene{noise: func(int, int) float64 { return 0.07 }, lag: behind(3)}, diagnosis.EngineMismatch},
		"old samples":                   {scene{noise: func(_, lag int) float64 { return 0.01 + 0.04*float64(lag) }, lag: behind(4)}, diagnosis.StaleRollouts},
		"one long answer": {scene{noise: bf16, change: func(random *rand.Rand, _ int, x *rules.Row) {
			for i := range 300 * (random.IntN(8) / 7) {
				x.Sampler, x.Trainer = append(x.Sampler, -1), append(x.Trainer, -1+0.06*float32(i%2))
			}
		}}, diagnosis.OneSequenceDominates},
		"a filter that eats": {scene{writer: "prime-rl", noise: bf16, change: func(random *rand.Rand, _ int, x *rules.Row) {
			for i, r := range x.Sampler {
				if random.IntN(3) == 0 && r > -0.3 && x.Advantage < 0 {
					x.Trainer[i] = r - 0.8
				}
			}
		}}, diagnosis.FilterEatsBatch},

		"bf16":                              {scene{noise: bf16}, ""},
		"bf16, level 0.03":                  {scene{noise: func(int, int) float64 { return 0.03 }}, ""},
		"old samples that differ no more":   {scene{noise: bf16, lag: behind(6)}, ""},
		"weights every five steps":          {scene{noise: func(_, lag int) float64 { return 0.012 + 0.002*float64(lag) }, lag: func(step, _ int) int { return (step - 1) % 5 }}, ""},
		"a drift within what is normal":     {scene{noise: grown(10, 0.03)}, ""},
		"one bad step":                      {scene{noise: func(step, _ int) float64 { return map[bool]float64{true: 0.3, false: 0.01}[step == 12] }}, ""},
		"long answers":                      {scene{noise: bf16, rows: 16, tokens: 3000}, ""},
		"improbable tokens differ more":     {scene{noise: bf16, change: wider}, ""},
		"single tokens without a number":    {scene{noise: bf16, change: func(_ *rand.Rand, _ int, x *rules.Row) { x.Trainer[3] = float32(math.NaN()) }}, ""},
		"a rule that clips, and drops none": {scene{writer: "open-instruct", noise: bf16}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.steps == 0 {
				c.steps = 30
			}
			if c.rows == 0 {
				c.rows = 16
			}
			for seed := range uint64(3) {
				all := c.found(seed)
				isRight := len(all) == 0
				if c.want != "" {
					isRight = slices.ContainsFunc(all, func(f diagnosis.Finding) bool { return f.Kind == c.want })
					isRight = isRight && !slices.ContainsFunc(all, func(f diagnosis.Finding) bool { return c.want.Explains(f.Kind) })
				}
				if !isRight {
					for _, f := range all {
						t.Logf("%s since %d: %s %s", f.Severity, f.Since, f.Kind, f.Title)
					}
					t.Fatalf("seed %d: want %q", seed, c.want)
				}
				if seed == 0 && len(all) > 0 {
					t.Logf("%s since %d: %s: %s", all[0].Severity, all[0].Since, all[0].Kind, all[0].Title)
				}
			}
		})
	}
}

// wider makes improbable tokens differ more, both ways.
func wider(random *rand.Rand, _ int, x *rules.Row) {
	for i, r := range x.Sampler {
		x.Trainer[i] += r * float32(0.03*random.NormFloat64())
	}
}

// The onset is the step at which it set in.
func TestOnsetOfDrift(t *testing.T) {
	jump := scene{steps: 30, rows: 16, noise: func(step, _ int) float64 { return map[bool]float64{true: 0.25, false: 0.005}[step > 15] }}
	stuck := scene{
		steps: 30, rows: 16, lag: func(step, _ int) int { return max(0, step-10) },
		noise: func(_, lag int) float64 { return 0.01 + 0.02*float64(lag) },
	}
	for name, c := range map[string]struct {
		scene
		since int64
	}{"jump": {jump, 16}, "stuck": {stuck, 10}} {
		all := c.found(1)
		if len(all) == 0 || all[0].Since != c.since || all[0].Severity != diagnosis.Alarm {
			t.Errorf("%s: %+v, want an alarm since %d", name, all, c.since)
		}
	}
}
