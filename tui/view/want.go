package view

import (
	"vantage/model"
	"vantage/model/compare"
	"vantage/tui/env"
)

// Want is what a view wants of the program: one of the types below, or one that the program has for its own keys; nil: nothing.
type Want any

// What views want.
type (
	// Say is a notice.
	Say string

	// Open opens a view in place of this one: going back leads where it led before.
	Open struct{ View Name }

	// Push opens a view from which going back leads here.
	Push struct{ View Name }

	// PushAnew is Push of a view that may have been open before this one.
	PushAnew struct{ View Name }

	// BackTo goes back if that view is the one before this.
	BackTo struct{ View Name }

	// Back goes to the view before this one.
	Back struct{}

	// CloseLine goes back from a line that is typed in to the view below it.
	CloseLine struct{}

	// ToLineEnd puts the cursor behind what is typed.
	ToLineEnd struct{}

	// Escape goes where Esc leads to.
	Escape struct{}

	// GoTo goes to a step, a group or a sample.
	GoTo env.Destination

	// ShowGroups goes to the groups of the step on the screen.
	ShowGroups struct{}

	// NextGroup goes so many groups further in the table.
	NextGroup int

	// OpenWorst opens the row under the cursor of the run at a glance.
	OpenWorst struct{}

	// OpenAnswers opens the answers of both runs to the prompt under the cursor of their comparison.
	OpenAnswers struct{}

	// NextPair goes so many prompts further in it.
	NextPair int

	// OpenCopy opens the line of what can be copied.
	OpenCopy struct{}

	// CopyText copies a text to the clipboard and to a file.
	CopyText struct{ Name, Text string }

	// DrawFigure draws a metric over the steps.
	DrawFigure string

	// Use takes settings, unless the trainer refuses them.
	Use struct{ Settings model.Settings }

	// UseEffective takes settings, unless the trainer refuses what of them is at work.
	UseEffective struct{ Settings model.Settings }

	// NextEstimator takes the estimator that is so many further.
	NextEstimator int

	// MoveStep goes so many steps further.
	MoveStep int

	// MoveStepInChart is MoveStep for a chart that may show some of the steps: it follows.
	MoveStepInChart int

	// GoToStep goes to a step by its index in the snapshot.
	GoToStep struct{ Index int }

	// FollowNewest goes to the newest step, and to newer ones as they come.
	FollowNewest struct{}

	// All is several of these, one after the other.
	All []Want
)

// Pair is a prompt of a comparison of two runs, whose answers are read.
type Pair struct {
	compare.Pair
	Which string            // of the prompts, as "3/12"
	Sets  [2]model.Settings // of the baseline and of the candidate
	Unit  model.LengthUnit  // of the candidate's lengths
}
