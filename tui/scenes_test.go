package tui

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"vantage/internal/testkit/modeltest"
	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/tui/env"
)

// scene is a state of the screen with golden frames.
type scene struct {
	name       string
	source     func() env.Source
	compareTwo bool // runs side by side, in place of the source
	keys       []string
	setUp      func(*driver) // instead of keys, or after them
	sizes      [][2]int
}

// allSizes are the smallest size, that of a new terminal, a common one, and a full monitor.
var allSizes = [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}}

// scenes returns every view, every state of it that looks different, and every placeholder.
func scenes() (all []scene) {
	places := keyPlaces()
	for _, section := range slices.Sorted(maps.Keys(places)) {
		if places[section].frames != "" {
			all = append(all, places[section].scene())
		}
	}
	made := func(steps int) func() env.Source { return func() env.Source { return madeRun(steps) } }
	read := func() env.Source { return madeRunWithTexts(3, proofText) }
	usual := [][2]int{{80, 24}, {120, 36}}
	return append(all, []scene{
		{name: "overview", source: made(30)},
		{name: "laststeps", source: func() env.Source { return onePromptRun(300) }, keys: []string{"j", "b", "m", "m"}},
		{name: "run", source: made(30), keys: []string{"0", "j"}},
		{name: "ill", source: made(30), setUp: makeIll("0", "j")},
		{name: "finding", source: made(30), setUp: makeIll("0", "enter", "k")},
		{name: "findingwarnings", source: made(30), setUp: makeIll("w", "w"), sizes: usual},
		{name: "refusals", source: func() env.Source { return refusingRun() }, keys: []string{"0"}},
		{name: "baseline", source: made(30), keys: []string{"b", "m", "m", "m"}, sizes: usual},
		{name: "widegroups", source: made(30), keys: []string{"z", "j", "j"}, sizes: [][2]int{{80, 24}, {120, 36}, {200, 60}}},
		{name: "wideadvantages", source: made(3), keys: []string{"2", "2"}, sizes: usual},
		{name: "widemetrics", source: made(3), keys: []string{"5", "z"}, sizes: usual},
		{name: "widewarnings", source: made(30), keys: []string{"4", "4", "j"}, sizes: usual},
		{name: "metrics", source: made(30), keys: []string{"5"}, sizes: [][2]int{{60, 16}, {80, 24}}},
		{name: "warnings", source: made(30), keys: []string{"w", "w"}, sizes: [][2]int{{60, 16}, {80, 24}}},
		{name: "refused", source: made(30), keys: []string{"e", "p"}, sizes: [][2]int{{60, 16}, {80, 24}}},
		{name: "value", source: made(30), keys: []string{"=", "0", ".", "3"}, sizes: [][2]int{{60, 16}, {80, 24}}},
		{name: "filter", source: made(30), keys: withText("/", "fate:alive reward>0.4")},
		{name: "estimators", source: made(2), keys: []string{"E", "down", "down", "down"}},
		{name: "group", source: read, keys: []string{"G", "enter"}},
		{name: "diff", source: read, keys: []string{"G", "enter", "d"}},
		{name: "conversation", source: func() env.Source { return madeRunWithTexts(3, toolText) }, keys: []string{"G", "enter", "tab", "1"}, sizes: usual},
		{name: "search", source: read, keys: withText("G", "enter", "tab", "/", "red")},
		{name: "sweep", source: made(3), keys: []string{"S", "v", "j", "h"}},
		{name: "chain", source: made(3), keys: []string{"C", "j", "j", "right", "j", "j", "j", "j", "right"}},
		{name: "scope", source: made(15), keys: []string{"S", "v", ">"}, sizes: usual},
		{name: "offpolicy", source: func() env.Source { return staleRun(8) }, setUp: makeStuck("R", "k", "k")},
		{name: "offpolicysweep", source: func() env.Source { return staleRun(8) }, setUp: makeStuck("R", "v", "v", "right", "tab"), sizes: usual},
		{name: "offpolicynone", source: func() env.Source { return staleRun(2).withoutTrainer() }, keys: []string{"R"}, sizes: usual},
		{name: "ratios", source: func() env.Source { return staleRun(8) }, keys: []string{"j", "j", "z"}, sizes: usual},
		{name: "ratiosbelow", source: func() env.Source { return staleRun(8) }, sizes: [][2]int{{120, 36}, {200, 60}}},
		{name: "tokens", source: func() env.Source { return staleRun(8) }, keys: []string{"G", "enter"}, sizes: usual},
		{name: "nosizes", source: func() env.Source { return runOfContinuousRewards() }, keys: append(withText(":", "groupsize"), "enter"), sizes: usual},
		{name: "prompts", source: made(15), keys: []string{"L", "j"}, sizes: usual},
		{name: "grep", source: read, keys: append(withText(":", "grep 1"), "enter", "j"), sizes: usual},
		{name: "breakdown", source: made(15), keys: append(withText(":", "by difficulty"), "enter")},
		{name: "breakdownby", source: read, keys: append(withText(":", "by rewards/format"), "enter", ">"), sizes: usual},
		{name: "selection", source: made(3), keys: append(withText("/", "fate:alive"), "enter", "5"), sizes: usual},
		{name: "steps", source: made(30), keys: []string{"3", "3", "k", "k", "+"}},
		{name: "gaps", source: func() env.Source { return runWithGap() }},
		{name: "gapsinsteps", source: func() env.Source { return runWithGap() }, keys: []string{"3", "3", "k"}, sizes: usual},
		{name: "chart", source: made(30), keys: []string{"b", "p", "3", "3", "A", "x", "z"}, sizes: usual},
		{name: "figures", source: made(30), keys: []string{"3", "3", "tab", "j", "l"}},
		{name: "figurelist", source: made(30), keys: withText("D", "length")},
		{name: "tworuns", compareTwo: true, keys: []string{"3", "3"}, sizes: usual},
		{name: "solved", source: made(30), keys: []string{"2", "v", "v", "v", "#", "l"}, sizes: usual},
		{name: "filling", source: made(30), keys: []string{"3", "3"}, setUp: computeHalfTheTrend, sizes: usual},
		{name: "problems", source: func() env.Source { return runWithProblems() }, keys: []string{"!"}},
		{name: "copy", source: made(30), keys: []string{"y"}},
		{name: "command", source: made(30), keys: withText(":", "export ")},
		{name: "compare", compareTwo: true, keys: []string{"c"}},
		{name: "answers", compareTwo: true, keys: []string{"c", "j", "enter"}},
		{name: "answersdiff", compareTwo: true, keys: []string{"c", "j", "enter", "d"}, sizes: usual},
		{name: "help", source: made(30), keys: []string{"?"}},
		{name: "about", source: made(30), keys: []string{"?", "?"}, sizes: usual},
		{name: "empty", source: func() env.Source { return progressOnly(model.Progress{CaughtUp: true}) }, setUp: keepLive},
		{name: "loading", source: func() env.Source {
			return progressOnly(model.Progress{Files: 3, BytesRead: 1_200_000_000, BytesAll: 3_500_000_000})
		}, setUp: keepLive},
		{name: "unknown", source: func() env.Source {
			return progressOnly(model.Progress{Files: 3, BytesRead: 8400, BytesAll: 8400, CaughtUp: true, Tried: 120}, noRewardProblem)
		}, setUp: keepLive},
		{name: "awaited", source: func() env.Source { return progressOnly(model.Progress{CaughtUp: true, Awaited: "runs/made"}) }, setUp: keepLive, sizes: usual},
		{name: "idle", source: made(3), setUp: idleSince(14 * time.Minute), sizes: usual},
		{name: "ended", source: made(3), setUp: idleSince(50 * time.Hour), sizes: usual},
		{name: "remote", source: func() env.Source { return remoteRun(model.Link{Host: "node7", Latency: 12 * time.Millisecond}) }, setUp: keepLive},
		{name: "linklost", source: func() env.Source { return remoteRun(lostLink) }, setUp: keepLive},
		{name: "linklostwhy", source: func() env.Source { return remoteRun(lostLink) }, keys: []string{"!"}, setUp: keepLive, sizes: usual},
		{name: "connecting", source: func() env.Source {
			return progressOnly(model.Progress{Link: model.Link{Host: "node7", State: model.LinkConnecting}})
		}, setUp: keepLive, sizes: usual},
		{name: "away", source: func() env.Source { return progressOnly(model.Progress{Link: lostLink}) }, setUp: keepLive, sizes: usual[:1]},
		{name: "awaywhy", source: func() env.Source { return progressOnly(model.Progress{Link: lostLink}) }, keys: []string{"!"}, setUp: keepLive, sizes: usual[:1]},
		{name: "failed", source: func() env.Source { return failingSource{errPermission} }},
		{name: "stopped", source: func() env.Source { return &failsAfterSteps{madeRun(3)} }, sizes: [][2]int{{60, 16}, {80, 24}}},
		{name: "why", source: func() env.Source { return &failsAfterSteps{madeRun(3)} }, keys: []string{"!"}, sizes: [][2]int{{60, 16}}},
		{name: "behind", source: func() env.Source { return runStillReading() }, setUp: keepLive, sizes: [][2]int{{60, 16}, {80, 24}}},
		{name: "growing", source: func() env.Source { return growingRun() }, keys: []string{"]"}, setUp: keepLive},
		{name: "small", source: made(3), sizes: [][2]int{{30, 3}, {40, 10}, {59, 30}, {200, 15}}},
	}...)
}

// failsAfterSteps is a source that fails after its steps.
type failsAfterSteps struct{ *madeSource }

func (s *failsAfterSteps) Next(ctx context.Context) (*model.Chunk, error) {
	if chunk, err := s.madeSource.Next(ctx); err == nil {
		return chunk, nil
	}
	return nil, errors.New("read runs/made/rollouts-3.jsonl: stale NFS file handle")
}

// runOfContinuousRewards returns a run whose rewards do not say what is solved.
func runOfContinuousRewards() *madeSource {
	source := madeRun(3)
	for _, chunk := range source.chunks {
		for i := range chunk.Records {
			chunk.Records[i].Reward += float64(i) / 1024
		}
	}
	return source
}

// lostLink is a connection that broke.
var lostLink = model.Link{Host: "node7", Latency: 12 * time.Millisecond, State: model.LinkLost, Retry: 4 * time.Second, Reason: "node7 closed the connection"}

// remoteRun returns a run on another machine.
func remoteRun(link model.Link) *madeSource {
	source := madeRun(3)
	source.chunks[2].Progress.Link = link
	return source
}

// runStillReading returns a run whose older steps are still being read.
func runStillReading() *madeSource {
	source := madeRun(3)
	source.chunks[2].Progress = model.Progress{Files: 3, BytesRead: 1_200_000_000, BytesAll: 3_500_000_000}
	return source
}

// withText returns keys of which the last argument is a text.
func withText(keys ...string) []string {
	text := keys[len(keys)-1]
	keys = keys[:len(keys)-1]
	for _, c := range text {
		keys = append(keys, string(c))
	}
	return keys
}

// keepLive makes the source one that has not ended.
func keepLive(d *driver) { d.app.env.SourceState.Ended = false }

// idleSince makes the source one that has not ended, to which nothing was written for so long.
func idleSince(quiet time.Duration) func(*driver) {
	return func(d *driver) {
		keepLive(d)
		d.send(clockMsg{d.app.env.SourceState.Clock.Add(quiet)})
	}
}

// makeIll says that the run is ill, shown by a group that it has, and presses keys.
func makeIll(keys ...string) func(*driver) {
	return func(d *driver) {
		ill := modeltest.Ill(3, len(d.app.env.Snap.Steps))
		ill.Findings[0].Example.Group = "0000000000000003"
		d.app.env.Findings.Job.Value.Look = &diagnosis.Look{Diagnosis: ill}
		d.press(keys...)
	}
}

// computeHalfTheTrend computes the trend again, of the newest steps only.
func computeHalfTheTrend(d *driver) {
	d.app.env.Result.Trend = nil
	a := d.app.startTrend(10 * 192) // a step has 192 samples, and the newest is known
	next, _ := a.withoutCommands().Update(a.commands.Started[0]())
	d.app = next.(App)
}

// runWithProblems returns a run with places that cannot be read and a note on what was left
// out.
func runWithProblems() *madeSource {
	source := madeRun(3)
	last := source.chunks[2]
	last.Notes = []string{"12 rows of validation steps are kept apart: they are not training"}
	for i := range 9 {
		last.Problems = append(last.Problems, model.Problem{File: "made.jsonl", Line: int64(40 + i*17), Reason: "column 3: the reward is no number: \"n/a\""})
	}
	last.Problems = append(last.Problems, model.Problem{File: "torn.jsonl", Line: 7, Reason: "the line ends in the middle of a text"})
	last.Skipped = len(last.Problems)
	return source
}

// show drives App to the scene on a screen of a size.
func (s scene) show(t *testing.T, size [2]int, f func(*driver)) {
	t.Helper()
	there := func(d *driver) {
		d.press(s.keys...)
		if s.setUp != nil {
			s.setUp(d)
		}
		f(d)
	}
	if s.compareTwo {
		driveTwoRuns(t, size[0], size[1], there)
	} else {
		drive(t, s.source(), size[0], size[1], filterSettings(), there)
	}
}

// Every scene at its sizes, in colour, without, and in ASCII, is as in its golden file and
// fills the screen exactly. With the marks of the mouse it is the same.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			var files []txtar.File
			sizes := s.sizes
			if sizes == nil {
				sizes = allSizes
			}
			for _, size := range sizes {
				s.show(t, size, func(d *driver) {
					d.checkMarks()
					files = append(files, d.snapshots()...)
				})
			}
			matchGolden(t, s.name, files)
		})
	}
}
