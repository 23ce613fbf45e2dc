package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"vantage/model"
	"vantage/model/analysis"
)

// sameBatchRun is a log of so many steps of 12 prompts, always the same from step number stuck on.
func sameBatchRun(steps, first, every, answers, stuck int) model.Snapshot {
	rng := rand.New(rand.NewPCG(1, 2))
	chunk := &model.Chunk{Files: []string{"x"}, LengthUnit: model.LengthCharacters, Progress: model.Progress{Files: 1, CaughtUp: true}}
	for step := range steps {
		for i := range 12 * answers {
			prompt := uint64(min(step, stuck)*100 + i/answers + 1)
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(first + step*every), Prompt: prompt, Preview: fmt.Sprint(prompt), Reward: float64(rng.IntN(2)), Advantage: math.NaN(),
				Length: int32(50 + rng.IntN(100)), Offset: int64(1000*step + i),
			})
		}
	}
	s := model.NewStore()
	s.Append(chunk)
	return s.Snapshot()
}

// The same prompts at every k-th step, from the first on, are an evaluation where a trainer would not train so; a trainer that draws one
// batch for good is stuck.
func TestProbesAreNotStuck(t *testing.T) {
	noText := textFunc(func(context.Context, model.Place) (model.Text, error) {
		return model.Text{}, errors.New("there are none")
	})
	for name, c := range map[string]struct {
		steps, first, every, answers, stuck int
		want                                bool
	}{
		"a probe each 50 steps":                  {12, 50, 50, 1, 0, false},
		"a probe each 50 steps, from 0":          {12, 0, 50, 1, 0, false},
		"a probe each 5 steps":                   {12, 5, 5, 1, 0, false},
		"four answers each 50 steps":             {12, 50, 50, 4, 0, false},
		"training, logged each 10 steps, is one": {12, 10, 10, 8, 0, true},
		"training at each step is one":           {12, 1, 1, 8, 0, true},
		"it begins later":                        {24, 50, 50, 4, 10, true},
		"it begins later, one answer":            {24, 50, 50, 1, 10, true},
	} {
		look, err := See(t.Context(), sameBatchRun(c.steps, c.first, c.every, c.answers, c.stuck), model.DefaultSettings(), Reading{Texts: analysis.ReadTextsOf(noText)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, f := range look.Diagnosis.Findings {
			got = got || f.Kind == StuckData
		}
		if got != c.want {
			t.Errorf("%s: stuck_data %t, want %t", name, got, c.want)
		}
	}
}
