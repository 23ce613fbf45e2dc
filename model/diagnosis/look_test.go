package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// farRun is a log on another node of so many steps of 4 groups of 4 answers.
func farRun(steps int) model.Snapshot { return runOn("node7", steps) }

// runOn is the same on a host, or on this machine without one.
func runOn(host string, steps int) model.Snapshot {
	chunk := &model.Chunk{Files: []string{"x"}, LengthUnit: model.LengthTokens, Progress: model.Progress{Files: 1, CaughtUp: true, BytesAll: 1, Link: model.Link{Host: host}}}
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

// As many answers are read on this machine as on another; the line of what was not checked says how many were not, and nothing where all were.
func TestAsManyAnswersAreReadFarAway(t *testing.T) {
	const steps = 300
	read := func(_ context.Context, at model.Place) (model.Text, error) {
		return model.Text{Prompt: fmt.Sprint("What is ", at.Offset), Response: fmt.Sprint("It is clear that the answer is ", at.Offset, ".")}, nil
	}
	for _, every := range []bool{false, true} {
		var counts []int
		for _, host := range []string{"", "node7"} {
			look, err := See(t.Context(), runOn(host, steps), model.DefaultSettings(), Reading{Texts: analysis.ReadTextsOf(textFunc(read)), Every: every}, nil)
			if err != nil {
				t.Fatal(err)
			}
			d := look.Diagnosis
			counts = append(counts, d.Answers.Read)
			unread := fmt.Sprintf("not checked: %s of 4800 answers (--texts all reads every one); ", units.Count(16*steps-d.Answers.Read))
			if d.Answers.Of != 16*steps || strings.HasPrefix(d.NotChecked(), unread) == every {
				t.Errorf("every %v: %d of %d, %s", every, d.Answers.Read, d.Answers.Of, d.NotChecked())
			}
		}
		if counts[0] != counts[1] || counts[0] == 0 || every && counts[0] != 16*steps {
			t.Errorf("every %v: %d answers are read here and there", every, counts)
		}
	}
}
