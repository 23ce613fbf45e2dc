package view

import (
	"vantage/model"
	"vantage/model/compare"
	"vantage/tui/env"
)

// Want is what a view wants of the program: one of the types below, or one that the program has for its own keys; nil: nothing.
type Want any

// Say and the types below are what views want.
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
	CopyText        struct{ Name, Text string } // to the clipboard and a file
	All             []Want                      // one after the other
)

// Pair is a prompt of a comparison of two runs, whose answers are read.
type Pair struct {
	compare.Pair
	Which string            // of the prompts, as "3/12"
	Sets  [2]model.Settings // of the baseline and of the candidate
	Unit  model.LengthUnit  // of the candidate's lengths
}
