package demo

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vantage/internal/testkit/repotest"
	"vantage/model"
)

func drain(t *testing.T, s *Source) (all []model.Record, open int, last *model.Chunk) {
	t.Helper()
	defer func() { _ = s.Close() }()
	for {
		c, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return all, open, last
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Records) == 0 || len(c.Records) > 4096 || c.Format != "verl" || !c.HasTruth || c.Positional || len(c.Problems) > 0 {
			t.Fatalf("chunk %+v", c)
		}
		if c.Progress.Open {
			open++
		}
		all, last = append(all, c.Records...), c
	}
}

func TestSameSeedSameRows(t *testing.T) {
	repotest.OneGoroutine(t)
	a, open, last := drain(t, New(Options{Seed: 7, History: 12, Steps: 16, Interval: time.Millisecond}))
	b, _, _ := drain(t, New(Options{Seed: 7, History: 3, Steps: 16, Interval: 5 * time.Millisecond}))
	if diff := cmp.Diff(a, b, cmpopts.EquateNaNs()); diff != "" {
		t.Error("the rows depend on timing", diff[:min(len(diff), 500)])
	}
	if open != 4*(bursts-1) || last.Progress.Open || len(last.Files) != 16 || last.Files[15] != "16.jsonl" {
		t.Errorf("%d open chunks, %+v", open, last.Progress)
	}
	c, _, _ := drain(t, New(Options{Seed: 8, History: 16, Steps: 16}))
	if cmp.Equal(a, c, cmpopts.EquateNaNs()) {
		t.Error("another seed makes the same rows")
	}
}

// fates counts the groups of steps by their rewards.
type fates struct {
	right, wrong, allTenth, allSevenTenths, oneRight, oneWrong, mixed, nan, ragged, groups int
	sum                                                                                    float64
}

func (f *fates) add(rewards []float64) {
	ones, equal, nan := 0, true, false
	for _, r := range rewards {
		if r == 1 {
			ones++
		}
		nan = nan || math.IsNaN(r)
		equal = equal && r == rewards[0]
		if r == r {
			f.sum += r / float64(len(rewards))
		}
	}
	f.groups++
	if len(rewards) < groupSize {
		f.ragged++
	}
	switch {
	case nan:
		f.nan++
	case equal && rewards[0] == 1:
		f.right++
	case equal && rewards[0] == 0:
		f.wrong++
	case equal && rewards[0] == 0.1:
		f.allTenth++
	case equal && rewards[0] == 0.7:
		f.allSevenTenths++
	case ones == 1:
		f.oneRight++
	case ones == len(rewards)-1:
		f.oneWrong++
	default:
		f.mixed++
	}
}

func TestEveryFateOccurs(t *testing.T) {
	repotest.OneGoroutine(t)
	all, _, _ := drain(t, New(Options{History: 60, Steps: 60}))
	rewards := map[int64]map[uint64][]float64{}
	lengths := map[bool][]float64{}
	runs, last := 0, uint64(0)
	for _, r := range all {
		if rewards[r.Step] == nil {
			rewards[r.Step] = map[uint64][]float64{}
		}
		rewards[r.Step][r.Prompt] = append(rewards[r.Step][r.Prompt], r.Reward)
		lengths[r.Reward == 1] = append(lengths[r.Reward == 1], float64(r.Length))
		if r.Prompt != last {
			runs, last = runs+1, r.Prompt
		}
	}
	var first, late fates
	for step := int64(1); step <= 60; step++ {
		if step >= outageFrom && step <= outageTo {
			continue
		}
		var f fates
		for _, g := range rewards[step] {
			f.add(g)
		}
		if f.groups != groupsPerStep {
			t.Fatalf("step %d has %d groups", step, f.groups)
		}
		// A NaN or a cut group may replace one of them.
		missing := 0
		for _, n := range []int{f.right, f.wrong, f.allTenth, f.allSevenTenths, f.oneRight, f.oneWrong, f.mixed} {
			if n == 0 {
				missing++
			}
		}
		if missing > 1 || f.ragged != 1 || f.nan != boolInt(step%5 == 3) {
			t.Errorf("step %d: %+v", step, f)
		}
		switch {
		case step <= 10:
			first.sum += f.sum / groupsPerStep / 10
		case step > 50:
			late.sum += f.sum / groupsPerStep / 10
		}
	}
	t.Logf("mean reward %.2f → %.2f, %d rows in %d runs", first.sum, late.sum, len(all), runs)
	if late.sum < first.sum+0.15 {
		t.Error("the run does not improve")
	}
	if runs < len(all)*9/10 {
		t.Error("groups are not interleaved")
	}
	if mean(lengths[false]) < 1.2*mean(lengths[true]) {
		t.Error("wrong answers are not longer")
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

func TestNextHeedsContextAndClose(t *testing.T) {
	s := New(Options{History: 1, Interval: time.Hour})
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	go func() {
		time.Sleep(10 * time.Millisecond)
		_ = s.Close()
	}()
	if _, err := s.Next(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

func TestTasksDiffer(t *testing.T) {
	seen := map[string]bool{}
	graded := 0
	for _, task := range tasks() {
		seen[task.Prompt] = true
		if task.Graded {
			graded++
		}
	}
	if len(seen) != 2*groupsPerStep || graded < 16 {
		t.Errorf("%d tasks, %d graded", len(seen), graded)
	}
}
