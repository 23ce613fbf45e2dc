package tui

import (
	"fmt"
	"math"
	rand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/session"
	"vantage/tui/env"
)

// onePromptRun returns a run of one prompt a step, six samples each: at step k, k mod 4 of them are solved.
func onePromptRun(steps int) *madeSource {
	source := &madeSource{}
	for step := 1; step <= steps; step++ {
		chunk := &model.Chunk{
			Format: "made", Provenance: "made for a test", Files: []string{"made.jsonl"}, LengthUnit: model.LengthTokens, HasTruth: true,
			Progress: model.Progress{Files: 1, CaughtUp: true},
		}
		for i := range 6 {
			reward := 0.0
			if i < step%4 {
				reward = 1
			}
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(step), Prompt: uint64(step%7 + 1), Preview: fmt.Sprintf("What is %d + %d? Answer with just the number.", 100+step%7, 3*(step%7)),
				Reward: reward, Advantage: math.NaN(), Length: int32(60 + 5*i + step%4), Line: int64(6*step + i), Offset: int64(100 * (6*step + i)),
			})
		}
		source.chunks = append(source.chunks, chunk)
	}
	return source
}

// A run of one prompt a step opens with its last ten steps and says so. Their figures are by hand: of steps
// 16 to 25, 16, 20 and 24 are all wrong, and 0, 1, 2, 3, 0, 1, 2, 3, 0, 1 samples are solved.
func TestRunOfOnePromptAStepOpensWithItsLastSteps(t *testing.T) {
	t.Parallel()
	drive(t, onePromptRun(25), 200, 60, model.DefaultSettings(), func(d *driver) {
		d.wantText(
			" steps 16-25 ", "groups  10 · steps 16-25 · worst first", "advantages · steps 16-25", "warnings · steps 16-25", fmt.Sprintf("metrics  %d · steps 16-25", len(d.app.env.Result.Analysis.Metrics)),
			"reward 0.217", "signal 7/10 (70%)", "42/60 (70%)",
			"each step has only 1 group: the last 10 are shown together (< one, > all)",
		)
		x := d.app.env.Result.Analysis
		for name, want := range map[string]float64{"critic/score/mean": 13. / 60, "vantage/signal": 0.7, "frac_reward_zero_std": 0.3, "pass@1": 13. / 60} {
			if got := x.Metric(name); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		var steps []int64 // the worst first, those of a fate in the order of the steps
		for _, g := range d.app.env.Result.Rows {
			steps = append(steps, x.Table[g].Step)
		}
		if want := []int64{16, 20, 24, 17, 18, 19, 21, 22, 23, 25}; !slices.Equal(steps, want) {
			t.Errorf("groups of steps %v, want %v", steps, want)
		}
		d.press("<")
		d.wantText(" step 25 ", "groups  1 · worst first", "none at this step", "signal 1/1 (100%)")
		d.press("<")
		d.wantText("one step is shown: > shows the last 10 together")
		d.press(">", ">")
		d.wantText(" steps 1-25 ", "groups  25 · steps 1-25", "signal 19/25 (76%)")
		d.press(">")
		d.wantText("all steps are shown: < shows fewer")
	})
}

// A run whose steps have more groups opens with one, whatever it has later; so does one with a single step.
func TestOtherRunsOpenWithOneStep(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, model.DefaultSettings(), func(d *driver) {
		if d.app.env.IsWide() || !d.app.env.Place.Scope.Decided || strings.Contains(d.app.overlays.notice, "together") {
			t.Errorf("%+v, %q", d.app.env.Place.Scope, d.app.overlays.notice)
		}
		d.press(">")
		d.wantText("groups  72 · steps 1-3", " steps 1-3 ")
	})
	drive(t, onePromptRun(1), 120, 36, model.DefaultSettings(), func(d *driver) {
		if d.app.env.IsWide() || d.app.env.Place.Scope.Decided {
			t.Errorf("%+v", d.app.env.Place.Scope)
		}
	})
	mixed := onePromptRun(4)
	mixed.chunks[0].Records = append(mixed.chunks[0].Records, madeRun(1).chunks[0].Records...)
	drive(t, mixed, 120, 36, model.DefaultSettings(), func(d *driver) {
		if d.app.env.IsWide() {
			t.Error("a run whose first step has many groups opens with several steps")
		}
	})
}

// [ and ] move the end of the scope; the widest one goes to the newest step, and a narrower one back to
// where the person was.
func TestScopeMoves(t *testing.T) {
	t.Parallel()
	drive(t, onePromptRun(25), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("[", "[")
		d.wantText("groups  10 · steps 14-23")
		d.press(">")
		d.wantText("groups  25 · steps 1-25")
		d.press("<")
		d.wantText("groups  10 · steps 14-23")
		d.press(">", "[", "<")
		d.wantText("groups  10 · steps 15-24")
		d.press("F")
		d.wantText("groups  10 · steps 16-25", "following the newest")
		d.press(withText(":", "scope last 4")...)
		d.press("enter")
		d.wantText("groups  4 · steps 22-25")
		d.press("<", ">")
		d.wantText("groups  4 · steps 22-25")
		d.press(withText(":", "step 3")...)
		d.press("enter")
		d.wantText("groups  3 · steps 1-3")
		d.press(withText(":", "scope 3")...)
		d.press("enter")
		d.wantText("scope takes step, last, all, or last and how many steps")
	})
}

// New steps move the scope; one that is still being written waits until it is complete.
func TestScopeFollowsTheLog(t *testing.T) {
	t.Parallel()
	source := onePromptRun(12)
	last := source.chunks[11]
	last.Records, last.Progress.Open = last.Records[:len(last.Records)-1], true
	drive(t, source, 120, 36, model.DefaultSettings(), func(d *driver) {
		d.wantText("groups  10 · steps 2-11")
		d.press("]")
		d.wantText("step 12 is still being written: < and then ] shows it alone")
		d.press("<", "]")
		d.wantText("step 12 (")
		d.press("<", ">", "F")
		next := onePromptRun(13).chunks[12]
		d.send(chunkMsg{chunk: next})
		d.send(throttleEndedMsg{})
		d.wantText("groups  10 · steps 4-13")
	})
}

// Baseline, filter, sorting, the open group and exports work on the groups of several steps.
func TestGroupsOfSeveralSteps(t *testing.T) {
	t.Parallel()
	files := &memoryFiles{}
	driveWith(t, onePromptRun(25), 120, 36, Options{Settings: model.DefaultSettings(), Files: files}, func(d *driver) {
		d.press("b", "m", "m", "m", "m", "m", "m", "m", "m", "m", "m")
		// keep_neg 0.5 keeps 2, 2, 1, 2, 2, 1, 2 of the 5, 4, 3, 5, 4, 3, 5 negative samples
		if x, base := d.app.env.Result.Analysis, d.app.env.BaselineAnalysis(); base == nil || base.Kept != 60 || x.Kept != 60-3-2-2-3-2-2-3 {
			t.Fatalf("kept %d, before %v", x.Kept, base)
		}
		if kept := comparisonOnScreen(d)["kept"]; kept != [3]string{"60", "43", "−17"} {
			t.Errorf("kept is %q", kept)
		}
		d.wantText("43 mean +0.23")
		if mean := comparisonOnScreen(d)["mean"]; mean[0] != "0.00" || mean[1] != "+0.23" {
			t.Errorf("the mean is %q, not that of the histogram", mean)
		}
		d.press(withText("/", "step>=22 fate:alive")...)
		d.wantText("groups  [3/10] · steps 16-25 · step>=22 fate:alive")
		if f := d.app.env.ShownFigures(); f == nil || f.Rows != 18 || f.Kept != 18-2-2-3 {
			t.Errorf("%+v", f)
		}
		d.press("enter", "o", "o", "o", "o", "o", "o", "o", "g")
		d.wantText("step▼", "by step")
		if g := d.app.env.SelectedGroup(); g.Step != 25 {
			t.Errorf("the newest first is step %d", g.Step)
		}
		d.press("j", "enter")
		d.wantText("group 2/3 · step 23")
		d.press("J")
		d.wantText("group 3/3 · step 22")
		d.press("esc")
		d.press(withText(":", "export shown csv")...)
		d.press("enter")
		if rows := strings.Split(strings.TrimSpace(files.data), "\n"); !strings.HasPrefix(rows[1], "25,alive") || !strings.HasPrefix(rows[3], "22,alive") {
			t.Errorf("exported %q", files.data)
		}
		d.press(withText(":", "export jsonl")...)
		d.press("enter")
		if n := strings.Count(files.data, `"reward"`); n != 18 {
			t.Errorf("%d samples are exported, want those of 3 groups:\n%s", n, files.data)
		}
	})
}

// The text of a sample is read from the place of its own step.
func TestTextsOfSeveralSteps(t *testing.T) {
	t.Parallel()
	drive(t, madeRunWithTexts(3, proofText), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press(">", "o", "o", "o", "o", "o", "o", "o", "G", "enter")
		g := d.app.env.SelectedGroup()
		want, ok := d.app.views.sampleReader.Wanted(d.app.env, g)
		if !ok || g.Step != 1 || want.Texts[0].Place.Offset/1000 != 1 {
			t.Errorf("step %d: %+v, %v", g.Step, want.Texts[0], ok)
		}
		if c := d.app.env.Components(); len(c) != 2 || len(c[0].Values) != 192 {
			t.Errorf("%d components", len(c))
		}
		d.press("esc", "v", "v", "v")
		if m := d.app.views.panes.Distribution.Cache; m.Distribution.Name != "accuracy" || len(m.Distribution.Above) != 3*192 {
			t.Errorf("the distribution of %q has %d values", m.Distribution.Name, len(m.Distribution.Above))
		}
	})
}

// Sweep and breakdown begin with the scope of the overview, and > and < change theirs alone.
func TestSweepAndBreakdownBeginWithTheScope(t *testing.T) {
	t.Parallel()
	drive(t, onePromptRun(25), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("S")
		d.wantText("10 steps, 16 to 25")
		if n := d.app.views.sweep.Grid.At(false, 0, 0).Samples; n != 60 {
			t.Errorf("%d samples are swept", n)
		}
		d.press(">")
		d.wantText("all 25 steps")
		d.press("esc", "C", "i")
		d.wantText("breakdown by difficulty — steps 16-25")
		if all := d.app.views.breakdown.Job.Value.Parts; all.Steps != 10 || all.All.Samples != 60 {
			t.Errorf("%d steps, %d samples", all.Steps, all.All.Samples)
		}
		d.press(">")
		d.wantText("all 25 steps")
		d.press("<", "<")
		d.wantText("step 25")
		d.press("esc", "esc")
		d.press(withText("/", "fate:alive")...)
		d.press("enter", "S", "<", "<")
		d.wantText("[7/10] groups of steps 16-25")
		if c := d.app.views.sweep.Grid.At(false, 0, 0); c.Samples != 42 || c.Groups != 7 {
			t.Errorf("%d samples of %d groups are swept", c.Samples, c.Groups)
		}
	})
}

// The scope that a person chose is saved and restored; the one that a run opens with is not saved.
func TestScopeIsSaved(t *testing.T) {
	t.Parallel()
	var saved *session.View
	drive(t, onePromptRun(25), 120, 36, model.DefaultSettings(), func(d *driver) {
		if v := d.app.viewToSave(); v != nil {
			t.Errorf("saved without a choice: %+v", v)
		}
		d.press("<")
		saved = d.app.viewToSave()
	})
	if saved == nil || saved.Scope != "step" {
		t.Fatalf("%+v", saved)
	}
	for scope, want := range map[string]string{"step": "groups  1 · worst first", "last 3": "groups  3 · steps 23-25", "all": "groups  25 · steps 1-25", "nonsense": "groups  10 · steps 16-25"} {
		saved.Scope = scope
		driveWith(t, onePromptRun(25), 120, 36, Options{Settings: model.DefaultSettings(), Session: session.Session{View: saved}}, func(d *driver) {
			d.wantText(want)
			d.press(withText(":", "forget")...)
			d.press("enter")
			d.wantText("groups  10 · steps 16-25")
		})
	}
}

// Of too many samples or steps the scope has every n-th step, and the last: a step that moves the end leaves
// the others as they are.
func TestScopeIsBounded(t *testing.T) {
	t.Parallel()
	snap := model.Snapshot{Steps: make([]model.Step, 5000)}
	steps, every := env.Scope{Kind: env.ScopeAll}.Indexes(snap, 4321)
	if every != 5 || len(steps) != 866 || steps[0] != 0 || steps[1] != 5 || steps[864] != 4320 || steps[865] != 4321 {
		t.Errorf("every %d: %d steps, %v…", every, len(steps), steps[:3])
	}
	large := make([]float64, env.MaxScopeSamples/3)
	snap.Steps = snap.Steps[:9]
	for i := range snap.Steps {
		snap.Steps[i].Rewards = large
	}
	if steps, every := (env.Scope{Kind: env.ScopeLast, Last: 4}).Indexes(snap, 7); every != 2 || !slices.Equal(steps, []int{4, 6, 7}) {
		t.Errorf("every %d: %v", every, steps)
	}
	for i := range snap.Steps {
		snap.Steps[i].Rewards = make([]float64, 2*env.MaxScopeSamples)
	}
	if steps, _ := (env.Scope{Kind: env.ScopeLast, Last: 4}).Indexes(snap, 7); !slices.Equal(steps, []int{7}) {
		t.Errorf("of steps that are too large themselves: %v", steps)
	}
}

// A scope that is too large says how much of it is shown.
func TestScopeSaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	source := onePromptRun(1100)
	for _, chunk := range source.chunks[1:] {
		source.chunks[0].Records = append(source.chunks[0].Records, chunk.Records...)
	}
	source.chunks = source.chunks[:1]
	drive(t, source, 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press(">")
		d.wantText(" 1 in 2 of steps 1-1100 ", "groups  551 · 1 in 2 of steps 1-1100", "1 in 2 of the steps is shown: all have more than 131k samples or 1024 steps")
		d.press("C", "i")
		d.wantText("all 1100 steps")
		if all := d.app.views.breakdown.Job.Value.Parts; all.Steps != 1100 {
			t.Errorf("the breakdown has %d steps", all.Steps)
		}
	})
}

// Whatever keys are pressed in whatever scope while the log grows, every view draws, the cursor is on a group,
// and the steps on the screen are those of the scope.
func TestKeysInEveryScope(t *testing.T) {
	t.Parallel()
	keys := []string{
		"<", ">", ">", "[", "]", "{", "}", "F", "j", "k", "G", "g", "o", "O", "p", "P", "m", "M", "r", "b", "B", "e", "s", "u", "v", "w", "5", "3", "1",
		"enter", "enter", "J", "K", "d", "S", "C", "tab", "esc", "esc", "esc", "0",
	}
	for seed := range uint64(repotest.Times(1, 4)) {
		random := rand.New(rand.NewPCG(seed, 3))
		all := onePromptRun(40)
		if seed%2 == 1 {
			all = madeRun(40)
		}
		later := all.chunks[20:]
		all.chunks = all.chunks[:20]
		drive(t, all, 120, 36, filterSettings(), func(d *driver) {
			for i := range 400 {
				d.press(keys[random.IntN(len(keys))])
				if i%20 == 19 {
					d.send(chunkMsg{chunk: later[i/20]})
					d.send(throttleEndedMsg{})
				}
				d.frame()
				x, end := d.app.env.Result.Analysis, d.app.env.StepIndex()
				if d.app.env.SelectedGroup() == nil && len(d.app.env.Result.Rows) > 0 {
					t.Fatalf("no group under the cursor %d of %d", d.app.env.Place.Row, len(d.app.env.Result.Rows))
				}
				steps, _ := d.app.env.Place.Scope.Indexes(d.app.env.Snap, end)
				if len(steps) != len(x.Parts()) || d.app.env.Snap.Steps[steps[0]].Number != x.Parts()[0].Step || d.app.env.Snap.Steps[end].Number != x.Step {
					t.Fatalf("%v at %d: the screen has %s", d.app.env.Place.Scope.Scope, d.app.env.Place.Step, d.app.env.ScopeWords())
				}
			}
		})
	}
}

// Before there is a step, the keys of the scope and those that name it do nothing worse than say so.
func TestScopeWithoutSteps(t *testing.T) {
	t.Parallel()
	drive(t, progressOnly(model.Progress{CaughtUp: true}), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("w", ">", ">", "<", "<", "<", "[", "F", "S", "esc", "C", "i", "esc", "esc", "3", "enter", "tab", "w", "enter")
		d.press(withText(":", "scope last 3")...)
		d.press("enter")
		d.frame()
	})
}
