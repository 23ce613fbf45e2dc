package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/tui/view"
)

// The table follows each character of the filter, Enter keeps it, a filter that nothing
// matches says what to do, and undo brings all groups back.
func TestFilterNarrowsTheTable(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		all := len(d.app.env.Result.Rows)
		d.press("/")
		for _, c := range "fate:aliv" {
			d.press(string(c))
		}
		if len(d.app.env.Result.Rows) != 0 {
			t.Errorf("half a fate shows %d groups", len(d.app.env.Result.Rows))
		}
		if text := ansi.Strip(d.frame()); !strings.Contains(text, fmt.Sprintf("No groups match fate:aliv (0/%d)", all)) {
			t.Error(text)
		}
		d.press("e", "enter")
		for _, g := range d.app.env.Result.Rows {
			if fate := d.app.env.Result.Analysis.Table[g].Fate; fate != model.FateAlive {
				t.Errorf("a group is %s", fate)
			}
		}
		alive := d.app.env.Result.Analysis.Fates[model.FateAlive]
		if text := ansi.Strip(d.frame()); len(d.app.env.Result.Rows) != alive || !strings.Contains(text, fmt.Sprintf("groups  [%d/%d] · fate:alive", alive, all)) {
			t.Errorf("%d of %d alive groups\n%s", len(d.app.env.Result.Rows), alive, text)
		}
		d.press("u")
		if len(d.app.env.Result.Rows) != all {
			t.Errorf("undo leaves %d of %d groups", len(d.app.env.Result.Rows), all)
		}
		d.press("/", "s", "t", "d", ">", "enter")
		if !strings.Contains(d.app.overlays.notice, "column 5: expected a value") || d.app.position.view != view.Filter {
			t.Errorf("notice %q", d.app.overlays.notice)
		}
		d.press("esc")
		if d.app.env.Settings.Filter != "" || d.app.position.view != view.Overview {
			t.Error("Esc does not leave")
		}
		d.press("/", "f", "l", "tab")
		if d.app.views.panes.FilterDraft != "flips" {
			t.Errorf("Tab makes %q", d.app.views.panes.FilterDraft)
		}
		d.typeText(">0 fate:k")
		d.press("tab")
		if d.app.views.panes.FilterDraft != "flips>0 fate:killed" {
			t.Errorf("Tab makes %q", d.app.views.panes.FilterDraft)
		}
	})
}
