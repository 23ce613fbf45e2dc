package commands

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/formatstest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sweep"
)

// Whatever the goal, the settings that sweep recommends raise no warning on logs made by us that the
// log does not raise without them, as its own trainer and as EasyR1 compute.
func TestSweepAdviceOnMadeLogs(t *testing.T) {
	t.Parallel()
	for _, log := range formatstest.Logs(t, filepath.Join("..", "..", "loaders", "formats", "testdata")) {
		t.Run(log.Format, func(t *testing.T) {
			repotest.OneIn(t, 6)
			path := filepath.Join(t.TempDir(), filepath.FromSlash(log.Name))
			filetest.Write(t, path, log.Text)
			checkSweepAdvice(t, path)
		})
	}
}

// The same on the sample logs of trainers, each folder or file of them.
func TestSweepAdviceOnSampleLogs(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	root := repotest.SampleLog(t, ".")
	var logs []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if depth, _ := filepath.Rel(root, path); err == nil && entry.IsDir() && filepath.Dir(depth) != "." && filepath.Dir(filepath.Dir(depth)) == "." {
			logs = append(logs, path)
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	advised := 0
	for _, path := range logs {
		name, _ := filepath.Rel(root, path)
		t.Run(name, func(t *testing.T) {
			repotest.OneIn(t, 10)
			advised += checkSweepAdvice(t, path)
		})
	}
	if advised == 0 && repotest.Times(0, 1) == 1 { // of all logs: few may have none
		t.Error("no log of the samples gets advice")
	}
}

// checkSweepAdvice tries the advice for every goal on a log, and returns how often there was any.
func checkSweepAdvice(t *testing.T, path string) (advised int) {
	t.Helper()
	p := program{split: "all"}
	snap, err := p.readAll(t.Context(), []string{path})
	if err != nil {
		t.Skip(err)
	}
	own, _, err := p.choose(t.Context(), snap, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	easyr1 := model.DefaultSettings()
	easyr1.Weights, easyr1.Reward = own.Weights, own.Reward
	for _, set := range []model.Settings{own, easyr1} {
		steps := make([]int, len(snap.Steps))
		for i := range steps {
			steps[i] = i
		}
		grid, err := sweep.Run(t.Context(), snap, steps, set, sweep.DefaultRatios())
		if err != nil {
			t.Log(err)
			continue
		}
		for _, name := range sweep.GoalNames() {
			a := grid.Recommend(sweep.Goal{Name: name, Least: sweep.DefaultLeast}, false, true)
			if (a.Cell == nil) != !grid.HasSignal() {
				t.Errorf("%s: a recommendation of %v, with signal: %v", name, a.Cell, grid.HasSignal())
			}
			if a.Cell != nil {
				advised++
				checkNoNewWarning(t, snap, a.Cell.Apply(grid.Settings))
			}
		}
	}
	return advised
}

// checkNoNewWarning fails if settings raise a kind of warning at a step that has none of it without a filter.
func checkNoNewWarning(t *testing.T, snap model.Snapshot, set model.Settings) {
	t.Helper()
	unfiltered := set
	unfiltered.KeepPos, unfiltered.KeepNeg, unfiltered.Recompute = 1, 1, false
	for i := range snap.Steps {
		with, err := analysis.Analyze(t.Context(), snap, i, set)
		if err != nil {
			t.Fatal(err)
		}
		without, err := analysis.Analyze(t.Context(), snap, i, unfiltered)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range with.Warnings {
			if !slices.ContainsFunc(without.Warnings, func(o model.Warning) bool { return o.Kind == w.Kind }) {
				t.Errorf("keep %v and %v, recompute %v, at step %d: %s", set.KeepPos, set.KeepNeg, set.Recompute, w.Step, w.Sentence())
			}
		}
	}
}
