package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sweep"
	"vantage/themes"
	"vantage/tui/sweepmap"
	"vantage/tui/view"
)

// Enter sets the ratios under the cursor, and undo takes them back.
func TestSweepApplies(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("S", "k", "l", "l", "enter")
		if got := d.app.env.Settings.Now; got.KeepPos != 0.75 || got.KeepNeg != 0.6 || !got.Recompute {
			t.Errorf("keep %v and %v, want 0.75 and 0.6", got.KeepPos, got.KeepNeg)
		}
		kept := fmt.Sprintf("kept %d/", d.app.env.Result.Analysis.Kept)
		d.press("S")
		if frame := d.frame(); !strings.Contains(frame, "keep_pos 0.75  keep_neg 0.60") || !strings.Contains(strings.ReplaceAll(frame, d.app.env.Display.Theme.Paint(themes.Dim, "kept "), "kept "), kept) {
			t.Errorf("the map does not say what the overview says: %s\n%s", kept, frame)
		}
		d.press("esc", "u")
		if got := d.app.env.Settings.Now; got != filterSettings() {
			t.Errorf("undo leaves %+v", got)
		}
	})
}

// The help explains the metric of the map first, whichever it is, by the name that it has there.
func TestHelpExplainsTheMetricOfTheMap(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("S")
		for _, f := range sweep.Figures() {
			d.press("v")
			name, _, _ := strings.Cut(strings.TrimPrefix(strings.Split(ansi.Strip(d.frame()), "\n")[3], "╭ "), ",")
			d.press("?")
			if help := ansi.Strip(d.frame()); !strings.Contains(help, " "+name+"  ") {
				t.Errorf("%s: %q is not explained:\n%s", f.Name, name, help)
			}
			d.press("esc")
		}
	})
}

// * goes to the star, whose sentence says what it does, and Enter takes it: for the most signal that is no
// filter, which leaves nothing to recompute. The goal changes by o and :goal.
func TestSweepShowsWhatSuitsTheGoal(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}} {
		drive(t, madeRun(3), size[0], size[1], filterSettings(), func(d *driver) {
			d.press("S", "*")
			text := strings.Join(strings.Fields(ansi.Strip(d.frame())), " ")
			if !strings.Contains(text, "★ no filter: keeps 100% of") || !strings.Contains(strings.ReplaceAll(text, "keep_", ""), "pos 1.00 neg 1.00") {
				t.Errorf("%v: %s", size, text)
			}
			d.press("enter")
			if got := d.app.env.Settings.Now; got.KeepPos != 1 || got.KeepNeg != 1 || got.Recompute {
				t.Errorf("Enter sets %+v", got)
			}
			if want := "recompute is off too"; !strings.Contains(d.app.overlays.notice, want) {
				t.Errorf("%q, want %s", d.app.overlays.notice, want)
			}
			d.press("u", "r", ":") // with recompute every filter of this step flips a sign
			d.typeText("goal cost 0.5")
			d.press("enter")
			best := d.app.views.sweep.Advice.Cell
			if best == nil || !best.Filtering() || best.AbsRatio() < 0.5 || len(best.Warned.Kinds()) > 0 {
				t.Fatalf("%v: %+v", size, best)
			}
			d.press("*", "enter")
			if got := d.app.env.Settings.Now; got != best.Apply(filterSettings()) {
				t.Errorf("%v: Enter sets %+v, the star is %s", size, got, best.Name())
			}
			for _, w := range d.app.env.Result.Analysis.Warnings {
				if w.Kind == analysis.WarnEffectiveRatio || w.Kind == analysis.WarnOneSidedPush {
					t.Errorf("%v: %s", size, w.Sentence())
				}
			}
			d.press("S", "o")
			if got := d.app.views.sweep.SweepGoal(); got.Name != "signal" || d.app.views.sweep.Advice.Goal != got {
				t.Errorf("o leads to %s", got)
			}
			d.press(":")
			d.typeText("goal speed")
			d.press("enter")
			if !strings.Contains(d.app.overlays.notice, "choose signal, balance or cost") {
				t.Errorf("%q", d.app.overlays.notice)
			}
		})
	}
}

// The cursor stays where it was moved to when an answer or another goal of the same map comes; * leads
// to the star, and from there to the current setting.
func TestStarLeavesTheCursorAlone(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		at := func() [2]int { return [2]int{d.app.views.sweep.Pos, d.app.views.sweep.Neg} }
		d.press("S")
		if at() != [2]int{14, 10} { // 0.70 and 0.50, as set
			t.Errorf("S leads to %v", at())
		}
		d.press("j", "h", "r")
		if at() != [2]int{13, 9} {
			t.Errorf("after r the cursor is at %v", at())
		}
		d.press("*")
		if at() != [2]int{15, 15} {
			t.Errorf("* leads to %v", at())
		}
		d.press("*")
		if at() != [2]int{14, 10} {
			t.Errorf("* on the star leads to %v", at())
		}
		d.press("esc", ":")
		d.typeText("keep pos 0.33")
		d.press("enter", "S", "*", "*")
		d.wantText("the current setting, 0.33 and 0.5, is not on the map: this is the nearest pair")
	})
}

// Without signal there is no star, and the map says why.
func TestSweepWithoutSignal(t *testing.T) {
	t.Parallel()
	source := madeRun(2)
	for _, chunk := range source.chunks {
		for i := range chunk.Records {
			chunk.Records[i].Reward = 1
		}
	}
	drive(t, source, 120, 36, filterSettings(), func(d *driver) {
		d.press("S")
		text := ansi.Strip(d.frame())
		if !strings.Contains(strings.ReplaceAll(text, "\n", " "), "> widens") {
			t.Errorf("nothing says how to leave a step in which no pair differs:\n%s", text)
		}
		if d.app.views.sweep.Advice.Cell != nil || !strings.Contains(text, "of 1 step: no setting") || !strings.Contains(text, "every pair gives the same") || strings.Contains(text, "☆ no pair") {
			t.Error(text)
		}
	})
}

func TestSweepNeedsAnEstimatorThatFilters(t *testing.T) {
	t.Parallel()
	set := filterSettings().WithEstimator("rloo")
	set.KeepPos, set.KeepNeg, set.Recompute = 1, 1, false
	drive(t, madeRun(3), 120, 36, set, func(d *driver) {
		d.press("S")
		if !strings.Contains(d.app.overlays.notice, "only GRPO estimators") || d.app.position.view != view.Overview {
			t.Errorf("view %d, notice %q", d.app.position.view, d.app.overlays.notice)
		}
	})
}

// > and < change the scope from the step to the groups shown, the last ten steps and all steps;
// the map says which it is, and its cells count those samples.
func TestSweepCoversItsScope(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(15), 160, 48, filterSettings(), func(d *driver) {
		samples := func() int { return d.app.views.sweep.Grid.At(false, 0, 0).Samples }
		expect := func(want int, words string) {
			t.Helper()
			if text := ansi.Strip(d.frame()); samples() != want || !strings.Contains(text, " · "+words+" · recompute") {
				t.Errorf("%d samples, want %d of %q:\n%s", samples(), want, words, strings.SplitAfter(text, "\n")[3])
			}
		}
		const perStep = 24 * 8
		d.press("S")
		expect(perStep, "step 15")
		d.press(">") // there is no filter, so no groups shown
		expect(10*perStep, "10 steps, 6 to 15")
		d.press(">", ">")
		expect(15*perStep, "all 15 steps")
		d.press("<", "<", "<")
		expect(perStep, "step 15")
		d.press("esc", "/")
		d.typeText("fate:wrong")
		d.press("enter", "S", ">")
		wrong := d.app.env.Result.Analysis.Fates[model.FateAllWrong]
		expect(8*wrong, fmt.Sprintf("[%d/24] groups of step 15", wrong))
		d.press("[")
		wrong = d.app.env.Result.Analysis.Fates[model.FateAllWrong]
		expect(8*wrong, fmt.Sprintf("[%d/24] groups of step 14", wrong))
		d.press("esc", "u", "S") // without the filter it is the step again
		expect(perStep, "step 14")
		for text, want := range map[string]struct {
			samples int
			words   string
		}{
			"sweep 3 5": {3 * perStep, "3 steps, 3 to 5"}, "sweep 3-5": {3 * perStep, "3 steps, 3 to 5"}, "sweep last 4": {4 * perStep, "4 steps, 11 to 14"},
			"sweep all": {15 * perStep, "all 15 steps"}, "sweep 14 99": {2 * perStep, "2 steps, 14 to 15"},
		} {
			d.press(":")
			d.typeText(text)
			d.press("enter")
			expect(want.samples, want.words)
		}
		d.press(":")
		d.typeText("sweep 40 50")
		d.press("enter")
		if text := ansi.Strip(d.frame()); d.app.views.sweep.Grid != nil || !strings.Contains(text, "no complete step to sweep") {
			t.Error(text)
		}
		d.press(":")
		for _, text := range []string{"sweep five", "sweep -", "sweep 5 3", "sweep 1 2 3", "sweep last 99999999999999999999"} {
			d.typeText(text)
			d.press("enter")
			if !strings.Contains(d.app.overlays.notice, "sweep takes step, shown, all, last 10") {
				t.Errorf("%s: %q", text, d.app.overlays.notice)
			}
			d.press("esc", ":")
		}
	})
}

// A map over many steps comes in parts and says how far it is; the answer to an earlier
// request is dropped; new rows wait for the answer.
func TestSweepComesInParts(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(4), 120, 36, filterSettings(), func(d *driver) {
		d.press("S", ">")
		update := func(a App, msg any) App {
			a.views.sweep.Work(a.env, a.position.view == view.Sweep, &a.commands, msg)
			return a
		}
		a := d.app
		a.views.sweep.Job.Stop()
		next := update(a, nil)
		if len(next.commands.Started) == 0 || !next.views.sweep.Job.Busy() || next.views.sweep.Drawn(next.env).Note(80) != "0/4 steps so far, newest first" {
			t.Fatalf("nothing is computed: %q", next.views.sweep.Drawn(next.env).Note(80))
		}
		grown := next
		grown.env.Snap.Revision++
		if same := update(grown, nil); len(same.commands.Started) != len(next.commands.Started) || same.views.sweep.Job.Key != next.views.sweep.Job.Key {
			t.Error("data that have grown start anew before there is an answer")
		}
		late := next.commands.Started[0]()
		wider := next
		wider.views.sweep.MoveScope(wider.env, 1)
		other := update(wider, nil)
		before := other.views.sweep.Grid
		if after := update(other, late); after.views.sweep.Grid != before || after.views.sweep.Job.Value.Done != 0 {
			t.Error("a late answer is shown")
		}
		next.position.view = view.Overview
		if left := update(next, nil); left.views.sweep.Job.Busy() || left.views.sweep.Job.Key != (sweepmap.SweepKey{}) {
			t.Error("leaving does not give up")
		}
	})
}

// The configuration of the pair under the cursor is never cut, and y copies it, a line for an option. It is
// EasyR1's where the trainer at work cannot filter so.
func TestSweepShowsTheConfigToCopy(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 16}, {80, 24}, {100, 30}, {120, 36}, {160, 45}, {200, 60}} {
		for _, framework := range []string{"easyr1", "verl", "slime"} {
			drive(t, madeRun(3), size[0], size[1], filterSettings().WithFramework(framework), func(d *driver) {
				files := &memoryFiles{}
				d.app.outside.files = files
				d.press("S", "*", "j", "j", "h")
				text := ansi.Strip(d.frame())
				d.press("y")
				want := "algorithm.adv_estimator=grpo\nalgorithm.keep_pos_ratio=%s\nalgorithm.keep_neg_ratio=%s\nalgorithm.compute_new_adv=true\n"
				by := 0.05 * float64(sweepmap.SweepStride(d.app.env))
				want = fmt.Sprintf(want, fmt.Sprintf("%.1f", 1-2*by), strings.TrimSuffix(fmt.Sprintf("%.2f", 1-by), "0"))
				if files.data != want {
					t.Errorf("%v %s: copied\n%s, want\n%s", size, framework, files.data, want)
				}
				for line := range strings.Lines(want) {
					if !strings.Contains(text, strings.TrimSpace(line)) {
						t.Errorf("%v %s: %s is not on the screen:\n%s", size, framework, line, text)
					}
				}
			})
		}
	}
}

// A figure that is the same for all pairs gives way to the next one that varies; the map says which are the
// same. With recompute it is back.
func TestEqualFiguresGiveWay(t *testing.T) {
	t.Parallel()
	set := filterSettings()
	set.Recompute = false
	drive(t, madeRun(3), 120, 36, set, func(d *driver) {
		d.press("S")
		d.wantText("Σ|A|, times no filter · step 3 · recompute off", "signal is 58%, killed 0 for all pairs but 0.00/0.00; short is 0, flips 0 for all 441 pairs")
		for range 20 {
			d.press("v")
			for _, name := range []string{"signal", "killed", "short", "flips"} {
				if text := ansi.Strip(d.frame()); strings.Contains(text, name+", % of") {
					t.Errorf("v shows a wall of equal numbers:\n%s", text)
				}
			}
		}
		d.press("V", "r")
		d.app.views.sweep.Figure = 1
		d.wantText("signal, % of groups · step 3 · recompute on")
	})
}

// The good end of the palette is the same for all figures: most for signal, none for groups killed, 0 for the
// mean advantage. The legend says it.
func TestShadesSayWhatIsGood(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("S")
		for name, want := range map[string]string{"signal": "58% best", "killed": "0 best", "mean": "0 best", "kept": "100% most"} {
			d.app.views.sweep.Figure = 1 + slices.IndexFunc(sweep.Figures(), func(f sweep.Figure) bool { return f.Name == name })
			m := d.app.views.sweep.Drawn(d.app.env)
			low, _ := m.Shade(m.Worst)
			high, _ := m.Shade(m.Best)
			if legend := ansi.Strip(m.Legend()); m.Figure.Name != name || low != 0 || high != 4 || !strings.HasSuffix(legend, want) {
				t.Errorf("%s: levels %d to %d, %q", name, low, high, legend)
			}
			if x := math.Abs(m.Figure.Value(m.Best)); name == "killed" && x != 0 || name == "mean" && x > 1e-6 {
				t.Errorf("the best %s is %v", name, x)
			}
		}
	})
}

// Numbers take three characters at most, whatever their size.
func TestShortNumbers(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{
		0: "0", 0.004: "0", 0.25: ".25", 0.996: "1.0", 1: "1.0", 9.96: "10", 123.4: "123", 999.7: "1k", 12345: "12k", 123456: ".1M", 2e6: "2M", 1e12: ">9M",
		-0.25: "−.2", -0.03: "−0", -0.07: "−.1", -0.97: "−1", -1.25: "−1", -42: "−42",
	} {
		if got := sweepmap.ShortNumber(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}

// What more than half of the pairs say stands out no more than a blank: only pairs that differ have a shade.
func TestEqualCellsOfTheSweepAreGrey(t *testing.T) {
	t.Parallel()
	kept := sweep.Figure{Value: func(c *sweep.Cell) float64 { return float64(c.Kept) }}
	cells := func(kept ...int) (all []sweep.Cell) {
		for _, n := range kept {
			c := sweep.Cell{}
			c.Kept, c.Samples = n, 10
			all = append(all, c)
		}
		return all
	}
	common, none := sweepmap.UsualNumber(kept, cells(7, 7, 7, 2)), sweepmap.UsualNumber(kept, cells(7, 7, 2, 2))
	if one := cells(7); common != sweepmap.SweepNumber(kept, &one[0]) || none != "" {
		t.Errorf("of 7 7 7 2 the usual is %q, of 7 7 2 2 %q", common, none)
	}
}
