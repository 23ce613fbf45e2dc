package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
)

// A destination is found from another step, by the name of its group or by its prompt; if it is gone, or the filter leaves it out, a
// notice says so.
func TestDestinations(t *testing.T) {
	t.Parallel()
	group := fmt.Sprintf("%016x", 2)
	drive(t, madeRun(3), 120, 36, model.DefaultSettings(), func(d *driver) {
		going := func(to destination) {
			d.press("esc")
			d.app = d.app.goTo(to)
			d.send(tea.WindowSizeMsg{Width: 120, Height: 36}) // after a message the step is analysed
		}
		for _, c := range []struct {
			to   destination
			want string
		}{
			{destination{step: 2, group: "x"}, "step 2 no longer has the group"},
			{destination{step: 3, group: "renamed", prompt: group}, ""},
			{destination{step: 1, group: group}, ""},
			{destination{step: 3, group: group, sample: 77}, "no longer has a row 77"},
			{destination{step: 99, group: "x"}, "step 99 is not in the log"},
		} {
			going(c.to)
			if !strings.Contains(d.app.overlays.notice, c.want) || c.want == "" && (d.app.env.selectedGroup().Name != group || d.app.env.result.analysis.Step != c.to.step) {
				t.Errorf("%+v: %q, want %q, the cursor is on %s of step %d", c.to, d.app.overlays.notice, c.want, d.app.env.selectedGroup().Name, d.app.env.result.analysis.Step)
			}
		}
	})
}
