package tui

import (
	"time"

	"vantage/model"
	"vantage/model/match"
)

// chunkMsg is what the source had to say, and when it said it.
type chunkMsg struct {
	chunk *model.Chunk
	at    time.Time
	err   error // io.EOF: the source has ended
}

// analysisMsg answers a request for the step on screen.
type analysisMsg struct {
	revision int // of the request: a late answer is dropped
	analysis *model.Analysis
	base     *model.Analysis // of the baseline, nil if there is none
	err      error
}

// trendMsg answers a request for all steps, or for a part of them.
type trendMsg struct {
	revision int
	samples  int // that were asked for
	trend    *model.Trend
	base     *model.Trend // of the baseline, nil if there is none
	err      error
}

// throttleEndedMsg ends the pause that follows each refresh from data, so that a fast
// log repaints the screen at most twice a second.
type throttleEndedMsg struct{}

// matchMsg says which estimator wrote the advantages of the log.
type matchMsg struct {
	report *match.Report
	err    error
}
