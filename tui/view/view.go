// Package view is what a view of the screen is, and what it may want of the program.
//
// A view is a pointer into App and changes in place: App is copied at every message, so that the frame before keeps its views all the same,
// and nobody has to put a returned view back where it was. A key is a row with what it does, not a case of an Update, because dispatch,
// hints, help and documents read the same row.
package view

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/report"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/job"
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
	Ratios
	OffPolicy

	Count = iota
)

// View is what fills the screen between the header and the hints, with its keys: a part of the program's state, of which the program has
// one. It draws from what it is handed and from its own state, changes that alone, and returns what it wants of the program. What else a
// view has it tells by the interfaces below.
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

// Working is a view that computes or reads in the background. It works after every message, whichever view is open: it takes the message if
// that is its answer, and starts what it lacks while it is open.
type Working interface {
	Work(e env.Env, open bool, c *job.Queue, msg tea.Msg)
}

// Sharing is a view that draws the state of another one, such as that one while its filter is typed. The state works once, for both.
type Sharing interface {
	StateOf() Name
}

// Explained is a view whose help explains metrics: those under the cursor, the most telling first.
type Explained interface {
	Explains(e env.Env) glossary.List
}

// Noted is a view whose help says more of what is under the cursor than the glossary does.
type Noted interface {
	HelpNotes(e env.Env) []Note
}

// Note is a label and what it means.
type Note struct {
	Label, Text string
	Names       string // by which the search of the help finds it too
	First       bool   // it stands before the metrics under the cursor, else behind them
}

// Opened is a view that begins anew when it is opened.
type Opened interface {
	OnOpen(e env.Env)
}

// Conditional is a view that cannot always be opened. It says why not; "" if it can.
type Conditional interface {
	WhyNot(e env.Env) string
}

// Early is a view that can be drawn before a step is computed.
type Early interface {
	View
	DrawsEarly()
}

// Prepared is a view that draws ahead what its frames share, and keeps it until something else is to be drawn in a body of w×h cells. It
// prepares after every message, while it is on the screen.
type Prepared interface {
	Prepare(e env.Env, w, h int)
}

// Saved is a view with which the session is restored, by this name. In place of another one the view behind it is; of one whose name is "",
// too.
type Saved interface {
	SavedAs() string
}

// BeforeGroups is a view in front of the groups of a step: it has their keys too. These, and the keys of steps, lead to the groups and do
// there what they do.
type BeforeGroups interface {
	View
	LeadsToGroups()
}

// LastLine is embedded by a view that is the last line of the screen alone: the view that it was opened from stays drawn above it.
type LastLine struct{}

// Draw draws nothing above the line.
func (LastLine) Draw(env.Env, int, int) []string { return nil }

func (LastLine) onLastLine() {}

// IsLastLine reports whether a view is the last line of the screen alone.
func IsLastLine(v View) bool {
	_, is := v.(interface{ onLastLine() })
	return is
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

// MaxTyped bounds a number or a name that is typed, in bytes.
const MaxTyped = 20

// TypedOr is the line that is typed, or what is said while it is empty.
func TypedOr(line cells.Line, otherwise string) string {
	if line.Text == "" {
		return otherwise
	}
	return line.Shown(MaxTyped + 1)
}

// DidYouMean returns " — did you mean NAME?" for the nearest of some names, "" if none is near.
func DidYouMean(word string, names []string) string {
	if name := model.Nearest(word, names); name != "" && name != word {
		return fmt.Sprintf(" — did you mean %s?", name)
	}
	return ""
}
