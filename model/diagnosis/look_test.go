package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"vantage/model"
	"vantage/model/analysis"
)

// farRun is a log on another node of so many steps of 4 groups of 4 answers.
func farRun(steps int) model.Snapshot {
	chunk := &model.Chunk{Files: []string{"x"}, LengthUnit: model.LengthTokens, Progress: model.Progress{Files: 1, CaughtUp: true, BytesAll: 1, Link: model.Link{Host: "node7"}}}
	for step := range steps {
		for i := range 16 {
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(step + 1), Prompt: uint64(100*step + i/4 + 1), Reward: float64(i % 2), Advantage: math.NaN(), Length: 20, Offset: int64(1000*step + i),
			})
		}
	}
	s := model.NewStore()
	s.Append(chunk)
	return s.Snapshot()
}

type textFunc func(context.Context, model.Place) (model.Text, error)

func (f textFunc) Text(ctx context.Context, at model.Place) (model.Text, error) { return f(ctx, at) }

// Of a log on another node no text is asked for twice while it grows, and none any more once one cannot be read.
func TestTextsOfAFarLogAreReadOnce(t *testing.T) {
	reads, most := map[int64]int{}, math.MaxInt
	read := func(_ context.Context, at model.Place) (model.Text, error) {
		if len(reads) >= most {
			return model.Text{}, errors.New("the link is lost")
		}
		reads[at.Offset]++
		return model.Text{Prompt: fmt.Sprint("What is ", at.Offset), Response: fmt.Sprint("It is clear that the answer is ", at.Offset, ".")}, nil
	}
	var look *Look
	for steps := 10; steps <= 12; steps++ {
		var err error
		if look, err = See(t.Context(), farRun(steps), model.DefaultSettings(), Reading{Texts: analysis.ReadTextsOf(textFunc(read))}, look); err != nil {
			t.Fatal(err)
		}
	}
	if len(reads) < 100 || len(reads) > maxTexts {
		t.Errorf("%d texts are read", len(reads))
	}
	for at, n := range reads {
		if n > 1 {
			t.Errorf("text %d is read %d times", at, n)
		}
	}
	most = len(reads)
	asked := 0
	lost := func(ctx context.Context, at model.Place) (model.Text, error) {
		asked++
		return read(ctx, at)
	}
	if _, err := See(t.Context(), farRun(10), model.DefaultSettings(), Reading{Texts: analysis.ReadTextsOf(textFunc(lost))}, nil); err != nil || asked != 1 {
		t.Errorf("a lost link is asked %d times, %v", asked, err)
	}
}
