// Package view is what a view of the screen is, and what it may want of the program.
package view

import (
	"fmt"
	"math"

	"vantage/model"
	"vantage/model/compare"
	"vantage/model/report"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/pane"
)

// Name names a view: the program has one of each.
type Name int

// The views.
const (
	Overview Name = iota
	Estimators
	Group
	Search
	Sweep
	Filter
	Steps
	Problems
	Copy
	Command
	Compare
	Answers
	Chain
	GroupSize
	Breakdown
	Prompts
	PromptFilter
	Grep
	Figures
	FigureList
	Glance
	Finding
	Value

	Count = iota
)

// View is what fills the screen between the header and the hints, with its keys: a part of the program's state, of which the program has one.
// It draws from what it is handed and from its own state, changes that alone, and returns what it wants of the program. What else a view has it
// tells by the interfaces below.
type View interface {
	Draw(e env.Env, w, h int) []string // exactly h lines of w cells
	Keys() Section                     // they win over the common keys
}

// Typed is a view with a line that is typed in, which no key is then.
type Typed interface {
	View
	Text() *string
	Limit() int                         // in bytes
	Edited(e env.Env, longer bool) Want // what follows a change
}

// Prompted is one whose line is the last of the screen: it draws it in w cells. The others draw it in their frame.
type Prompted interface {
	Typed
	Prompt(e env.Env, w int) string
}

// Exporter is a view with a table for an export.
type Exporter interface {
	Exported(e env.Env) report.Table
}

// Opened is a view that begins anew when it is opened.
type Opened interface {
	OnOpen(e env.Env)
}

// Lister is a view with rows that a cursor goes through, by keys, wheel and clicks, or with a text whose first line in sight does.
type Lister interface {
	View
	Rows(e env.Env) (cursor *int, n int) // of a text n is how many lines can be the first in sight
	RowKind() pane.Kind                  // to the mouse
}

// RowOpener is one whose rows open.
type RowOpener interface {
	OpenRow(e env.Env) Want
}

// RowFollower is one of which something follows when the cursor has moved.
type RowFollower interface {
	OnRow(e env.Env) Want
}

// Pointed is a view with more than rows for the mouse.
type Pointed interface {
	OnMouse(e env.Env, m Mouse) (w Want, handled bool)
}

// Mouse is what the mouse does on a target of a view.
type Mouse struct {
	On    pane.Target
	Click bool // the button is pressed
	Twice bool // once more
	Wheel int  // 1 or -1
	X, W  int  // the column pressed, of so many
}

// WheelLines is how many lines a notch of the wheel scrolls.
const WheelLines = 3

// Binding is a row of the key table. Dispatch, the hints, the help, the manual and the pages come from it.
type Binding struct {
	Keys  []string // as Bubble Tea names them
	Label string   // as a person reads them
	Hint  string   // in the last line of the screen; "": not there
	Doc   string   // in the help and the documentation
	Do    Do
}

// Do is what a key does: it changes the view on the screen, and returns what that wants of the program.
type Do func(v View, e env.Env) Want

// Section is a named part of the key table.
type Section struct {
	Name     string
	Bindings []Binding
}

// Key is a key of a view's own.
func Key[V View](change func(V, env.Env) Want) Do {
	return func(v View, e env.Env) Want { return change(v.(V), e) }
}

// By is a key that moves something of a view by so much.
func By[V View](move func(V, env.Env, int) Want, n int) Do {
	return func(v View, e env.Env) Want { return move(v.(V), e, n) }
}

// Ask is a key that changes nothing of the view: it is for the program.
func Ask(w Want) Do {
	return func(View, env.Env) Want { return w }
}

// Want is what a view wants of the program: one of the types below, or one that the program has for its own keys; nil: nothing.
type Want any

// What views want.
type (
	Say             string              // a notice
	Open            struct{ View Name } // in place of this view: going back leads where it led before
	Push            struct{ View Name } // from which going back leads here
	PushAnew        struct{ View Name } // the same, though that view was open before this one
	BackTo          struct{ View Name } // if it is the view before this one
	Back            struct{}            // to the view before this one
	Escape          struct{}            // to what Esc leads to
	GoTo            env.Destination
	DrawFigure      string                            // over the steps
	Use             struct{ Settings model.Settings } // which the trainer must not refuse
	UseEffective    struct{ Settings model.Settings } // of which only what is at work must not be refused
	NextEstimator   int                               // so many further
	MoveStep        int                               // so many further
	MoveStepInChart int                               // the same; the chart shows the step
	GoToStep        struct{ Index int }               // of the snapshot
	FollowNewest    struct{}
	OpenAnswers     struct{}                    // of both runs to the prompt under the cursor of their comparison
	NextPair        int                         // so many prompts further in it
	NextGroup       int                         // so many groups further in the table
	OpenCopy        struct{}                    // the line of what can be copied
	OpenWorst       struct{}                    // what is under the cursor of the run at a glance
	ShowGroups      struct{}                    // of the step on the screen
	OpenGroup       struct{}                    // that is under the cursor
	CopyText        struct{ Name, Text string } // to the clipboard and a file
	All             []Want                      // one after the other
)

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
	case m.On.Kind != l.RowKind():
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

// OpenRow opens the row under the cursor of a list.
func OpenRow(v View, e env.Env) Want { return v.(RowOpener).OpenRow(e) }

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

// MaxTyped bounds a number or a name that is typed, in bytes.
const MaxTyped = 20

// TypedOr is the line that is typed, or what is said while it is empty.
func TypedOr(line cells.Line, otherwise string) string {
	if line.Text == "" {
		return otherwise
	}
	return line.Shown(MaxTyped + 1)
}

// Pair is a prompt of a comparison of two runs, whose answers are read.
type Pair struct {
	compare.Pair
	Which string            // of the prompts, as "3/12"
	Sets  [2]model.Settings // of the baseline and of the candidate
	Unit  model.LengthUnit  // of the candidate's lengths
}

// DidYouMean returns " — did you mean NAME?" for the nearest of some names, "" if none is near.
func DidYouMean(word string, names []string) string {
	if name := model.Nearest(word, names); name != "" && name != word {
		return fmt.Sprintf(" — did you mean %s?", name)
	}
	return ""
}
