package view

import (
	"math"

	"vantage/tui/env"
	"vantage/tui/pane"
)

// Lister is a view with rows that a cursor goes through, by keys, wheel and clicks, or with a text whose first line in sight does. For the
// mouse it marks each row that it draws as [pane.OnRow].
type Lister interface {
	View
	Rows(e env.Env) (cursor *int, n int) // of a text n is how many lines can be the first in sight
}

// RowOpener is one whose rows open.
type RowOpener interface {
	OpenRow(e env.Env) Want
}

// RowFollower is one of which something follows when the cursor has moved.
type RowFollower interface {
	OnRow(e env.Env) Want
}

// MoveRow moves the cursor of a list by some rows, no further than its ends.
func MoveRow(l Lister, e env.Env, by int) Want {
	cursor, n := l.Rows(e)
	return ToRow(l, e, pane.ClampIndex(*cursor+by, n))
}

// ToRow moves it to a row.
func ToRow(l Lister, e env.Env, row int) Want {
	cursor, _ := l.Rows(e)
	*cursor = row
	if f, ok := l.(RowFollower); ok {
		return f.OnRow(e)
	}
	return nil
}

// OnRows is what the mouse does on the rows of a list; the wheel scrolls it wherever it is.
func OnRows(l Lister, e env.Env, m Mouse) (w Want, handled bool) {
	opener, opens := l.(RowOpener)
	switch {
	case m.Wheel != 0 && m.On.Kind == pane.OnBody:
		return MoveRow(l, e, WheelLines*m.Wheel), true
	case m.On.Kind != pane.OnRow:
	case m.Click:
		return ToRow(l, e, m.On.N), true
	case m.Twice && opens:
		return opener.OpenRow(e), true
	}
	return nil, false
}

func rowBy(n int) Do {
	return func(v View, e env.Env) Want { return MoveRow(v.(Lister), e, n) }
}

// ListKeys are those that move the cursor of a list.
func ListKeys(hint string) []Binding {
	return []Binding{
		{Keys: []string{"j", "down"}, Label: "j ↓", Hint: hint, Doc: "down", Do: rowBy(1)},
		{Keys: []string{"k", "up"}, Label: "k ↑", Doc: "up", Do: rowBy(-1)},
		{Keys: []string{"ctrl+d", "pgdown"}, Label: "^D", Doc: "a page down", Do: rowBy(10)},
		{Keys: []string{"ctrl+u", "pgup"}, Label: "^U", Doc: "a page up", Do: rowBy(-10)},
		{Keys: []string{"g", "home"}, Label: "g", Doc: "to the top", Do: rowBy(math.MinInt32)},
		{Keys: []string{"G", "end"}, Label: "G", Doc: "to the end", Do: rowBy(math.MaxInt32)},
	}
}

// PickerKeys are those of a list above which is typed what narrows it.
func PickerKeys(enter Binding) []Binding {
	return []Binding{
		{Keys: []string{"down", "ctrl+n"}, Label: "↓", Hint: "↓ ↑ move", Doc: "down", Do: rowBy(1)},
		{Keys: []string{"up", "ctrl+p"}, Label: "↑", Doc: "up", Do: rowBy(-1)},
		{Keys: []string{"pgdown", "ctrl+d"}, Label: "^D", Doc: "ten down", Do: rowBy(10)},
		{Keys: []string{"pgup", "ctrl+u"}, Label: "^U", Doc: "ten up", Do: rowBy(-10)},
		enter,
		{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc back", Doc: "back without changes", Do: Ask(Escape{})},
	}
}

// Narrowed moves the cursor of a list whose words have changed: to the top when there are more.
func Narrowed(l Lister, e env.Env, longer bool) Want {
	if longer {
		return ToRow(l, e, 0)
	}
	return MoveRow(l, e, 0)
}
