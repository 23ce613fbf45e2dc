package tui

import (
	"testing"
)

// Esc goes back through the views that were opened, never out of the program.
func TestEscapeLeadsBack(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		for _, way := range []struct {
			keys []string
			back []viewName
		}{
			{[]string{"!"}, []viewName{viewOverview, viewOverview}},
			{[]string{"enter", "!"}, []viewName{viewGroup, viewOverview}},
			{[]string{"3", "3", "!", "S"}, []viewName{viewProblems, viewSteps, viewOverview}},
			{[]string{"enter", "E"}, []viewName{viewGroup, viewOverview}},
			{[]string{"3", "3", "S", "enter"}, []viewName{viewOverview}}, // applied: back in the steps already
			{[]string{"enter", "/", "x", "enter"}, []viewName{viewOverview}},
			{[]string{"3", "3", ":", "esc"}, []viewName{viewOverview}},
			{[]string{"3", "3", "!", "3", "S", "!"}, []viewName{viewSteps, viewOverview}}, // no circles
			{[]string{"3", "3", "!", "y", "s"}, []viewName{viewSteps, viewOverview}},
		} {
			d.press("1")
			d.press(way.keys...)
			for _, want := range way.back {
				d.press("esc")
				if d.app.position.view != want {
					t.Errorf("%v: Esc leads to view %d, want %d", way.keys, d.app.position.view, want)
				}
			}
			if d.app.position.view != viewOverview {
				d.press("esc", "esc", "esc", "esc")
			}
		}
	})
}

// Going back restores the focused pane and the group under the cursor.
func TestEscapeKeepsThePlace(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("j", "j", "j", "4", "enter")
		focus, cursor := d.app.panes.focus, d.app.env.Place.Row
		d.press("esc")
		if d.app.position.view != viewOverview || d.app.panes.focus != focus || d.app.env.Place.Row != cursor {
			t.Errorf("view %d, focus %d, cursor %d", d.app.position.view, d.app.panes.focus, d.app.env.Place.Row)
		}
		d.press("esc")
		if d.app.panes.focus != 0 {
			t.Error("a second Esc does not go to the groups")
		}
	})
}
