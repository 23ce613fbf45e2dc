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
