package offpolicy

import (
	"context"
	"errors"
	"testing"

	rules "vantage/estimators/offpolicy"
	"vantage/model"
	study "vantage/model/offpolicy"
	"vantage/tui/env"
)

// slowReader has one step, then two.
type slowReader struct {
	env.TokenReader
	err error
}

func (r slowReader) OffPolicy(_ context.Context, soFar func(*study.Study)) (*study.Study, error) {
	whole := study.New(study.Asked{}, false)
	for step := 1; step <= 2; step++ {
		whole.Add(study.Sample{Step: step, Place: &study.Place{Place: model.Place{Offset: int64(step)}}, Row: rules.Row{
			Sampler: []float32{-1}, Trainer: []float32{-1.1}, Advantage: 1,
		}})
		if step == 1 {
			part := study.New(study.Asked{}, false)
			part.Finish()
			soFar(part)
		}
	}
	whole.Finish()
	return whole, r.err
}

// While log-probs are read, the view has what is known so far; an error is the last that comes.
func TestReadInParts(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	for _, want := range []error{nil, lost} {
		var steps []int
		next := read(t.Context(), slowReader{err: want})
		for next != nil {
			a, more, err := next(t.Context())
			if err != nil {
				if !errors.Is(err, want) || more != nil || len(steps) != 1 {
					t.Errorf("%v after %v, want %v", err, steps, want)
				}
				break
			}
			if steps = append(steps, len(a.steps)); a.isPart != (more != nil) {
				t.Errorf("the answer of %d steps is a part: %v", len(a.steps), a.isPart)
			}
			next = more
		}
		if want == nil && (len(steps) != 2 || steps[0] != 0 || steps[1] != 2) {
			t.Errorf("parts of %v steps", steps)
		}
	}
}
