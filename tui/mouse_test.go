package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// The mouse is off until it is switched on; then a click selects a pane and a group.
func TestMouseSelectsOnceOn(t *testing.T) {
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		if d.app.View().MouseMode != tea.MouseModeNone {
			t.Error("the mouse is on")
		}
		d.press(":")
		d.typeText("mouse on")
		d.press("enter")
		if d.app.View().MouseMode != tea.MouseModeCellMotion {
			t.Error("the mouse is off")
		}
		d.send(tea.MouseClickMsg(tea.Mouse{X: 10, Y: 9}))
		if d.app.position.cursor != 4 {
			t.Errorf("a click on the fifth row: cursor %d", d.app.position.cursor)
		}
		if lines := strings.Split(ansi.Strip(d.frame()), "\n"); !strings.Contains(lines[9], "│") {
			t.Error(lines[9])
		}
		d.send(tea.MouseWheelMsg(tea.Mouse{Button: tea.MouseWheelDown}))
		if d.app.position.cursor != 7 {
			t.Errorf("the wheel: cursor %d", d.app.position.cursor)
		}
	})
}
