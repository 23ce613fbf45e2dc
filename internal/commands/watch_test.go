package commands

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vantage/model"
	"vantage/model/check"
	"vantage/model/diagnosis"
	"vantage/model/match"
)

// madeChunks returns its chunks, each after a pause, and then io.EOF if it ends.
type madeChunks struct {
	chunks []*model.Chunk
	pause  time.Duration
	ends   bool
}

func (s *madeChunks) Next(ctx context.Context) (*model.Chunk, error) {
	if len(s.chunks) == 0 && s.ends {
		return nil, io.EOF
	}
	if len(s.chunks) == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	select {
	case <-time.After(s.pause):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c := s.chunks[0]
	s.chunks = s.chunks[1:]
	c.Progress.LastWrite = time.Now()
	return c, nil
}

// rightRows returns a chunk of rows whose rewards are all 1, so that their step has no signal.
func rightRows(step int64, rows int) *model.Chunk {
	c := &model.Chunk{Format: "made", Progress: model.Progress{CaughtUp: true, BytesAll: 1}}
	for range rows {
		c.Records = append(c.Records, model.Record{Step: step, Prompt: 1, Reward: 1, Advantage: math.NaN(), Length: -1})
	}
	return c
}

// A short last step is judged when its other rows came, when nothing came for a while, or at the end
// of the input.
func TestWatchJudgesCompleteSteps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source madeChunks
		steps  map[time.Duration]int // by time, how many steps are judged
	}{
		"the other rows come": {madeChunks{[]*model.Chunk{rightRows(1, 8), rightRows(2, 2), rightRows(2, 6)}, time.Minute, false}, map[time.Duration]int{
			90 * time.Second: 1, 150 * time.Second: 1, 190 * time.Second: 2,
		}},
		"the next step begins": {madeChunks{[]*model.Chunk{rightRows(1, 8), rightRows(2, 2), rightRows(3, 2)}, time.Minute, false}, map[time.Duration]int{
			150 * time.Second: 1, 190 * time.Second: 3, // as many rows as the shortest step before it
		}},
		"nothing comes": {madeChunks{[]*model.Chunk{rightRows(1, 8), rightRows(2, 2)}, time.Minute, false}, map[time.Duration]int{
			6 * time.Minute: 1, 8 * time.Minute: 2,
		}},
		"it ends": {madeChunks{[]*model.Chunk{rightRows(1, 8), rightRows(2, 2)}, time.Minute, true}, map[time.Duration]int{
			90 * time.Second: 1, 3 * time.Minute: 2,
		}},
	} {
		for at, want := range c.steps {
			t.Run(fmt.Sprintf("%s/%v", name, at), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					if judged := judgedAfter(t, c.source, at); judged != want {
						t.Errorf("%d steps judged, want %d", judged, want)
					}
				})
			})
		}
	}
}

// judgedAfter returns how many steps of a source are judged after a time.
func judgedAfter(t *testing.T, source madeChunks, at time.Duration) (steps int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := check.Parse("signal=0")
	if err != nil {
		t.Fatal(err)
	}
	w := watcher{source: &source, set: model.DefaultSettings(), chosen: match.Choice{Origin: match.FromFlag}, monitor: check.NewMonitor([]check.Rule{r}), print: func(check.Transition) error { return nil }}
	ended := make(chan error, 1)
	go func() { ended <- w.run(ctx, ctx) }()
	time.Sleep(at)
	synctest.Wait()
	cancel()
	<-ended
	for step := range int64(4) {
		if w.monitor.Added(step) {
			steps++
		}
	}
	return steps
}

// The first step in which a prompt comes twice changes the groups of a watched run, since its advantages,
// r less the mean of four rows, prove it; the estimator stays.
func TestWatchTakesGroupsFromTheAdvantages(t *testing.T) {
	t.Parallel()
	repeating := func(step int64, prompts ...uint64) *model.Chunk {
		c := rightRows(step, 0)
		for g, solved := range []int{1, 3, 2} {
			for i := range 4 {
				r := float64(min(1, max(0, solved-i)))
				c.Records = append(c.Records, model.Record{Step: step, Prompt: prompts[g], Reward: r, Advantage: r - float64(solved)/4, Length: -1})
			}
		}
		return c
	}
	var said []string
	p := &program{}
	store := model.NewStore()
	w := watcher{
		given: model.DefaultSettings(), set: model.DefaultSettings(),
		choose: func(_ context.Context, snap model.Snapshot, set model.Settings) (model.Settings, match.Choice, error) {
			return p.choose(t.Context(), snap, set)
		},
		note: func(c match.Choice) { said = append(said, c.Division) },
	}
	for step, want := range []int32{0, 0, 4, 4} {
		prompts := []uint64{1, 2, 3}
		if step == 2 {
			prompts[1] = 1
		}
		store.Append(repeating(int64(step), prompts...))
		snap := store.Snapshot()
		if err := w.settle(t.Context(), snap, snap.Steps[step:]); err != nil || w.set.Proved.Sizes[0] != want {
			t.Errorf("step %d: %v, proved %v, want %d", step, err, w.set.Proved, want)
		}
	}
	if len(said) != 2 || said[0] != "" || said[1] != "4 consecutive rows of a prompt are a group, as the logged advantages prove" {
		t.Errorf("said %q", said)
	}
}

// A rule on stalls begins to fail when no row came for the time that it names, without a new chunk, and
// passes again when one comes.
func TestWatchReportsStalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rules, err := check.ParseAll([]string{"stall>10m"})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		var got []string
		source := &stallingChunks{[]time.Duration{time.Minute, time.Minute, 30 * time.Minute}}
		w := watcher{
			source: source, monitor: check.NewMonitor(rules),
			print: func(o check.Transition) error {
				got = append(got, fmt.Sprintf("%v %v %s", time.Since(start).Round(time.Minute), o.Failing, o.Value))
				return nil
			},
			choose: func(_ context.Context, _ model.Snapshot, _ model.Settings) (model.Settings, match.Choice, error) {
				return model.DefaultSettings(), match.Choice{Origin: match.Assumed}, nil
			},
			note: func(match.Choice) {},
		}
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Minute)
		defer cancel()
		_ = w.run(ctx, ctx)
		want := "[12m0s true no row for 10 min 32m0s false no row for 0 s]"
		if fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
	})
}

// stallingChunks is a source that brings a step after each of some pauses.
type stallingChunks struct{ pauses []time.Duration }

func (s *stallingChunks) Next(ctx context.Context) (*model.Chunk, error) {
	if len(s.pauses) == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	select {
	case <-time.After(s.pauses[0]):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.pauses = s.pauses[1:]
	c := rightRows(int64(10-len(s.pauses)), 8)
	c.Progress.LastWrite = time.Now()
	return c, nil
}

// What begins to ail a run is said once, by its kind and with the step since which it does, and not again while it lasts.
func TestWatchSaysOnceWhatAilsARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		source := &madeChunks{pause: time.Minute, ends: true}
		for step := range 20 {
			c := &model.Chunk{Format: "made", Progress: model.Progress{CaughtUp: true, BytesAll: 1}}
			for i := range 16 {
				prompt := uint64(10*min(step, 9) + i/4 + 1) // from step 10 on those of step 10
				c.Records = append(c.Records, model.Record{Step: int64(step + 1), Prompt: prompt, Reward: float64((i*7 + i*i*step) % 5 % 2), Advantage: math.NaN(), Length: -1})
			}
			source.chunks = append(source.chunks, c)
		}
		rules, err := check.ParseAll([]string{"alarm"})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		w := watcher{
			source: source, monitor: check.NewMonitor(check.ByKind(rules)), set: model.DefaultSettings(), given: model.DefaultSettings(),
			print: func(o check.Transition) error {
				said = append(said, fmt.Sprintf("%s %v at %d: %s", o.Rule.Name, o.Failing, o.Step, o.Value))
				return nil
			},
			choose: func(_ context.Context, _ model.Snapshot, set model.Settings) (model.Settings, match.Choice, error) {
				return set, match.Choice{Origin: match.Assumed}, nil
			},
			note: func(match.Choice) {},
		}
		var told []string // of what a tail tells
		w.found = func(at int64, f *diagnosis.Finding) error {
			told = append(told, fmt.Sprintf("at %d: %s %s %s", at, f.Severity, f.Kind, f.When()))
			return nil
		}
		if err := w.run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(told) != 1 || !strings.HasSuffix(told[0], ": alarm stuck_data since step 11") {
			t.Errorf("it tells %q", told)
		}
		if len(said) != 1 || !strings.HasPrefix(said[0], "stuck_data true at ") || !strings.Contains(said[0], "stuck data since step 11, ") {
			t.Errorf("it says %q", said)
		}
		if !w.monitor.Failing() {
			t.Error("it passes at the end")
		}
	})
}
