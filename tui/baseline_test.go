package tui

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// With a baseline every figure has its difference, B swaps the two, and undo takes both back.
func TestBaselineShowsDifferences(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		was := d.app.env.Result.Analysis
		d.press("b", "m", "m", "m")
		now := d.app.env.Result.Analysis
		if d.app.env.BaselineAnalysis() == nil || d.app.env.Result.Base.Kept != was.Kept || now.Kept == was.Kept {
			t.Fatalf("kept %d, baseline %v", now.Kept, d.app.env.Result.Base)
		}
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "A baseline") {
			t.Errorf("no baseline is on the screen\n%s", text)
		}
		table := comparisonOnScreen(d)
		want := [3]string{strconv.Itoa(was.Kept), strconv.Itoa(now.Kept), fmt.Sprintf("−%d", was.Kept-now.Kept)}
		if table["kept"] != want {
			t.Errorf("kept is %q, not %q", table["kept"], want)
		}
		d.press("B")
		if d.app.env.Settings.Now != filterSettings() || d.app.env.Settings.Base.Settings.KeepNeg != 0.35 {
			t.Errorf("swapped: %+v against %+v", d.app.env.Settings.Now, d.app.env.Settings.Base.Settings)
		}
		d.press("u", "u", "u", "u")
		if !d.app.env.Settings.Base.On || d.app.env.Settings.Now != filterSettings() {
			t.Errorf("three changes undone: %+v", d.app.env.Settings)
		}
		d.press("b")
		if d.app.env.Settings.Base.On {
			t.Error("b on the baseline's settings does not take it away")
		}
		d.press("B")
		if !strings.Contains(d.app.overlays.notice, "no baseline") {
			t.Errorf("%q", d.app.overlays.notice)
		}
	})
}

// comparisonOnScreen reads the table of a figure under A, B and their difference off the screen.
func comparisonOnScreen(d *driver) map[string][3]string {
	lines := strings.Split(ansi.Strip(d.frame()), "\n")
	for i, line := range lines {
		names := strings.Fields(strings.ReplaceAll(line, "mean A", "mean"))
		if i+3 >= len(lines) || len(names) != 6 || names[0] != "train" {
			continue
		}
		table := map[string][3]string{}
		a, b, delta := strings.Fields(lines[i+1]), strings.Fields(lines[i+2]), strings.Fields(lines[i+3])
		if len(a) != 7 || len(b) != 7 || len(delta) != 7 || a[0]+b[0]+delta[0] != "ABΔ" {
			return nil
		}
		for k, name := range names {
			table[name] = [3]string{a[k+1], b[k+1], delta[k+1]}
		}
		return table
	}
	return nil
}

// checkFactors checks that factors and their difference are written alike, so that one is seen to be the difference of the others.
func checkFactors(t *testing.T, row [3]string) {
	t.Helper()
	var values [3]float64
	for i, text := range row {
		number, isFactor := strings.CutSuffix(strings.ReplaceAll(text, "−", "-"), "×")
		x, err := strconv.ParseFloat(number, 64)
		if values[i] = x; !isFactor || err != nil {
			t.Errorf("Σ|A| is %q", row)
		}
	}
	if off := values[2] - (values[1] - values[0]); math.Abs(off) > 0.0101 {
		t.Errorf("Σ|A| is %q: the difference is off by %g", row, off)
	}
}

// Six figures stand under both settings with their difference, none of them cut, at the narrowest screen too, on the glance and the panes,
// and no pane moves when the settings change again.
func TestSixFiguresUnderBothSettings(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 36}, {200, 60}} {
		drive(t, madeRun(3), size[0], size[1], filterSettings(), func(d *driver) {
			d.press("b", "m", "m", "m", "esc")
			for _, view := range []string{"panes", "glance"} {
				table := comparisonOnScreen(d)
				for _, name := range []string{"train", "kept", "signal", "flips", "Σ|A|", "mean"} {
					if _, ok := table[name]; !ok {
						t.Errorf("%v, %s: no %s in %v\n%s", size, view, name, table, ansi.Strip(d.frame()))
					}
				}
				checkFactors(t, table["Σ|A|"])
				d.press("0")
			}
			if got := len(strings.Split(d.frame(), "\n")); got != size[1] {
				t.Errorf("%v: %d lines", size, got)
			}
		})
	}
}
