package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/tui/env"
)

// A destination is found from another step, by the name of its group or by its prompt; if it is gone, or the filter leaves it out, a
// notice says so.
func TestDestinations(t *testing.T) {
	t.Parallel()
	group := fmt.Sprintf("%016x", 2)
	drive(t, madeRun(3), 120, 36, model.DefaultSettings(), func(d *driver) {
		going := func(to env.Destination) {
			d.press("esc")
			d.app = d.app.goTo(to)
			d.send(tea.WindowSizeMsg{Width: 120, Height: 36}) // after a message the step is analysed
		}
		for _, c := range []struct {
			to   env.Destination
			want string
		}{
			{env.Destination{Step: 2, Group: "x"}, "step 2 no longer has the group"},
			{env.Destination{Step: 3, Group: "renamed", Prompt: group}, ""},
			{env.Destination{Step: 1, Group: group}, ""},
			{env.Destination{Step: 3, Group: group, Sample: 77}, "no longer has a row 77"},
			{env.Destination{Step: 99, Group: "x"}, "step 99 is not in the log"},
		} {
			going(c.to)
			if !strings.Contains(d.app.overlays.notice, c.want) || c.want == "" && (d.app.env.SelectedGroup().Name != group || d.app.env.Result.Analysis.Step != c.to.Step) {
				t.Errorf("%+v: %q, want %q, the cursor is on %s of step %d", c.to, d.app.overlays.notice, c.want, d.app.env.SelectedGroup().Name, d.app.env.Result.Analysis.Step)
			}
		}
	})
}
