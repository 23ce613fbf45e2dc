package diagnosis

import (
	"math/rand/v2"
	"testing"

	"vantage/model"
)

// Where all answers are cut off and none ever wins, the limit is named. No answer is left that could be graded better than they.
func TestAllAnswersCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		cut, reward float64
		want        bool
	}{"all are cut": {1, 0, true}, "half are": {0.5, 0, false}, "all are cut and win": {1, 1, false}} {
		d := lookAt(t, 20, func(r *rand.Rand, _, _ int) told {
			s := told{text: model.Text{Prompt: "What is left?", Response: some(r, 30)}, reward: c.reward}
			if r.Float64() < c.cut {
				s.text.Fields = []model.Field{{Name: "finish_reason", Value: "length"}}
			}
			return s
		})
		if title, is := d.has(Truncation); is != c.want {
			t.Errorf("%s: %q", name, title)
		}
	}
}

// Where all answers have one length and stop in the middle, a limit cuts them: an alarm, and a watch while the reward gains.
func TestAllAtLimit(t *testing.T) {
	for name, c := range map[string]struct {
		win  func(step int) float64
		same bool
		want Severity
	}{
		"the reward is level":      {func(int) float64 { return 0.3 }, true, Alarm},
		"the reward gains":         {func(step int) float64 { return float64(step) / 60 }, true, Watch},
		"lengths are not the same": {func(int) float64 { return 0.3 }, false, ""},
	} {
		d := lookAtLengths(t, model.LengthTokens, 60, func(r *rand.Rand, step, _ int) told {
			text := some(r, 80)[:160]
			if !c.same {
				text = text[:100+r.IntN(60)]
			}
			return told{text: model.Text{Prompt: "What is left?", Response: text}, reward: verdict(r, c.win(step))}
		})
		var got Severity
		for _, f := range d.Findings {
			if f.Kind == Truncation {
				got = f.Severity
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
