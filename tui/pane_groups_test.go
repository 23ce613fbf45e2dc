package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/themes"
	"vantage/tui/overview"
	"vantage/tui/pane"
)

// The prompt has at least 28 cells at 120 columns and 60 at 200, the axis of the dots 11, and 80×24 shows
// nine groups; a step of other metrics changes no width.
func TestRoomForGroups(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ w, h, prompt, groups int }{{80, 24, 28, 9}, {100, 30, 28, 12}, {120, 36, 28, 19}, {160, 45, 40, 22}, {200, 60, 60, 36}} {
		drive(t, madeRun(3), test.w, test.h, model.DefaultSettings(), func(d *driver) {
			width := func() (all []int) {
				c := d.app.views.panes.GroupTable(d.app.env, d.app.views.panes.Screen(d.app.env).Panes[0].Inner().W)
				for _, column := range c.Columns {
					all = append(all, column.Width)
				}
				return append(all, c.DotPlot, c.Why)
			}
			c := width()
			if prompt, dotPlot := c[1], c[len(c)-2]; prompt < test.prompt || dotPlot < overview.MinDotPlot || dotPlot%2 == 0 {
				t.Errorf("%d columns: %+v", test.w, c)
			}
			if got := d.app.views.panes.VisibleGroups(d.app.env); got < test.groups {
				t.Errorf("%d×%d shows %d groups, want %d", test.w, test.h, got, test.groups)
			}
			d.press("[", "p", "p", "m")
			if fmt.Sprint(width()) != fmt.Sprint(c) {
				t.Errorf("%+v at another step, %+v before", width(), c)
			}
			for _, line := range d.app.views.panes.Groups(d.app.env, d.app.views.panes.Screen(d.app.env).Panes[0].Inner().W, 12).Lines {
				if got := ansi.StringWidth(line); got > d.app.views.panes.Screen(d.app.env).Panes[0].Inner().W {
					t.Errorf("%d cells: %q", got, line)
				}
			}
		})
	}
}

// The bar under the cursor has every cell of the row up to the dots, which look as in every row; on the whole screen,
// where words stand behind them, they are on the bar too. Without colours a mark stands beside the row, in every table.
func TestCursorIsSeen(t *testing.T) {
	t.Parallel()
	drive(t, madeRunWithTexts(3, proofText), 120, 36, filterSettings(), func(d *driver) {
		at := func() int { // the line of the screen with the mark
			for i, line := range frameText(d.frame()) {
				if line[:1] == pane.CursorMark {
					return i
				}
			}
			return -1
		}
		d.press("G")
		row, r := at(), d.app.views.panes.Screen(d.app.env).Panes[0]
		if row < 0 {
			t.Fatal("no mark beside the cursor")
		}
		d.app.env.Display.Theme = themes.Default(true)
		dots := d.app.views.panes.GroupTable(d.app.env, r.W-2).DotPlot
		checkBar := func(roles []rune, onBar, beside string) {
			for i, role := range roles {
				if under := i < r.W-2-dots; under && !strings.ContainsRune(onBar, role) || !under && !strings.ContainsRune(beside, role) {
					t.Fatalf("cell %d is %q in %q", i, role, string(roles))
				}
			}
		}
		checkBar([]rune(roleRows(t, d.app.env.Display.Theme, d.frame(), 120, 36)[row])[1:r.W-1], "C", "pnd- ")
		d.app.env.Display.Theme = themes.Mono()
		d.press("z")
		row, d.app.env.Display.Theme = at(), themes.Default(true)
		checkBar([]rune(roleRows(t, d.app.env.Display.Theme, d.frame(), 120, 36)[row])[1:119], "CPND=", "CPND=")
		d.app.env.Display.Theme = themes.Mono()
		d.press("z")
		for _, keys := range [][]string{{"k"}, {"enter"}, {"esc", "3", "3"}, {"esc", "E"}, {"esc", "C"}} {
			if d.press(keys...); at() < 0 {
				t.Errorf("after %q no mark beside the cursor:\n%s", keys, ansi.Strip(d.frame()))
			}
		}
	})
}

// Groups that leave room have the samples of the one under the cursor below them; more groups than lines do not.
func TestSamplesBelowFewGroups(t *testing.T) {
	drive(t, onePromptRun(25), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.wantText("group 1  What is 1", "reward tokens    adv", "zero variance at the worst reward")
		d.press("j", "j", "j", "j")
		d.wantText("group 5  What is 1", "has signal")
	})
	drive(t, madeRun(3), 120, 36, model.DefaultSettings(), func(d *driver) {
		if strings.Contains(d.frame(), "tokens    adv") {
			t.Error("24 groups leave no room for samples")
		}
	})
}
