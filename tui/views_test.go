package tui

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/tui/view"
)

// Esc goes back through the views that were opened, never out of the program.
func TestEscapeLeadsBack(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		for _, way := range []struct {
			keys []string
			back []view.Name
		}{
			{[]string{"!"}, []view.Name{view.Overview, view.Overview}},
			{[]string{"enter", "!"}, []view.Name{view.Group, view.Overview}},
			{[]string{"3", "3", "!", "S"}, []view.Name{view.Problems, view.Steps, view.Overview}},
			{[]string{"enter", "E"}, []view.Name{view.Group, view.Overview}},
			{[]string{"3", "3", "S", "enter"}, []view.Name{view.Overview}}, // applied: back in the steps already
			{[]string{"enter", "/", "x", "enter"}, []view.Name{view.Overview}},
			{[]string{"3", "3", ":", "esc"}, []view.Name{view.Overview}},
			{[]string{"3", "3", "!", "3", "S", "!"}, []view.Name{view.Steps, view.Overview}}, // no circles
			{[]string{"3", "3", "!", "y", "s"}, []view.Name{view.Steps, view.Overview}},
		} {
			d.press("1")
			d.press(way.keys...)
			for _, want := range way.back {
				d.press("esc")
				if d.app.position.view != want {
					t.Errorf("%v: Esc leads to view %d, want %d", way.keys, d.app.position.view, want)
				}
			}
			if d.app.position.view != view.Overview {
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
		focus, cursor := d.app.views.panes.Focus, d.app.env.Place.Row
		d.press("esc")
		if d.app.position.view != view.Overview || d.app.views.panes.Focus != focus || d.app.env.Place.Row != cursor {
			t.Errorf("view %d, focus %d, cursor %d", d.app.position.view, d.app.views.panes.Focus, d.app.env.Place.Row)
		}
		d.press("esc")
		if d.app.views.panes.Focus != 0 {
			t.Error("a second Esc does not go to the groups")
		}
	})
}

// A state that views share works once, for all of them: twice it would start each part of an answer twice.
func TestSharedStateWorksOnce(t *testing.T) {
	t.Parallel()
	var v views
	worked := map[any]view.Name{}
	for name, one := range v.all() {
		if _, works := one.(view.Working); !works || stateOf(one, view.Name(name)) != view.Name(name) {
			continue
		}
		state := any(one)
		if shared := reflect.ValueOf(one); shared.Kind() == reflect.Struct { // which embeds it
			state = shared.Field(0).Interface()
		}
		if before, twice := worked[state]; twice {
			t.Errorf("views %d and %d work on one state: one of them is to be a view.Sharing", before, name)
		}
		worked[state] = view.Name(name)
	}
	if len(worked) < 10 {
		t.Errorf("only %d views work", len(worked))
	}
}

// The map of contributing.md lists the packages of the views; -update writes it.
func TestMapOfTheViews(t *testing.T) {
	t.Parallel()
	var v views
	rooms := map[string]bool{}
	for _, one := range v.all() {
		state := reflect.TypeOf(one)
		if state.Kind() == reflect.Struct && state.NumField() > 0 && state.Field(0).Type.Kind() == reflect.Pointer {
			state = state.Field(0).Type // which it shares
		}
		if state.Kind() == reflect.Pointer {
			state = state.Elem()
		}
		if _, room, isBelow := strings.Cut(state.PkgPath(), "/tui/"); isBelow {
			rooms[room+"/"] = true
		}
	}
	list := "The views, a package below `tui/` each: " + strings.Join(slices.Sorted(maps.Keys(rooms)), " ")
	repotest.Part(t, ".github/docs/contributors/contributing.md", "views", list)
}
