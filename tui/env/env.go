// Package env is what all views read: the snapshot of the log, settings, analysis, findings and the display. The program writes it,
// views are handed it.
package env

import (
	"context"
	"time"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/tui/cells"
	"vantage/tui/job"
	"vantage/tui/pane"
)

// Env is what all views draw from, and none changes.
type Env struct {
	Title       string
	Texts       [2]TextReader // of both runs; nil: a source has none
	Snap        model.Snapshot
	Settings    History
	Result      Result
	Subset      job.Job[SubsetKey, Subset]
	LoggedMatch loggedMatch
	Second      SecondRun
	Session     SessionState
	Findings    findings
	Tokens      tokens
	Place       Place
	SourceState sourceState
	Display     pane.Display
	Typing      cells.Line // the line that is typed in the view that is drawn
}

// Place is which steps and which of their groups the person looks at.
type Place struct {
	Step   int64
	Scope  ScopeState // how many steps up to that one
	Row    int        // of the table of groups, under the cursor
	Follow bool       // go to newer steps as they come
}

// Result is what was computed of them.
type Result struct {
	Analysis     *analysis.Analysis
	Trend        *analysis.Trend
	Base         *analysis.Analysis // of the baseline, nil if there is none
	BaseTrend    *analysis.Trend
	SharedPrompt int    // bytes at the beginning of the prompts that all groups share
	Every        int    // of the steps of the scope every n-th is in analysis; 1: all are
	Filter       string // at work: while one is typed, that
	Rows         []int  // groups that the filter shows, in the order of the table
	ShownSamples []bool // by column of analysis: in a group of rows; nil: all are
	Err          error
}

// sourceState is what is known of the source.
type sourceState struct {
	LastChunk time.Time // when the last chunk came
	Clock     time.Time // what the screen takes for now: the last chunk, or when words on time had to change
	NextClock time.Time // when they have to change next; zero if never
	Rate      ReadRate
	Ended     bool
	Err       error
}

// Source is where samples come from: main passes one in, so the screen knows nothing of
// files. Next blocks until something is new and returns io.EOF when nothing more comes.
type Source interface {
	Next(ctx context.Context) (*model.Chunk, error)
}

// TextReader is a Source that can read the text of a sample again. The samples of one
// that cannot are shown without texts.
type TextReader interface {
	Text(ctx context.Context, at model.Place) (model.Text, error)
}

// Destination is a step, a group of it or a sample of that, where the cursor is to go.
type Destination struct {
	Step   int64
	Group  string // its name; "" for the step
	Prompt string // its hash, which finds the group under another grouping
	Sample int    // row of the group in the order of the log, from 1; 0 for the group
	Row    int    // of the step in the order of the log, from 1, which finds group and sample; 0: they are given

	Fate   model.Fate // of the groups of the step, the first of which has the cursor
	ByFate bool       // no group is named, but a fate
}
