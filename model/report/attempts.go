package report

import (
	"time"

	"vantage/model"
)

// attemptsJSON is which attempt of the run is shown, and what is left out for that.
type attemptsJSON struct {
	Shown   int           `json:"shown"` // 0 if several runs differ in it
	Count   int           `json:"count"`
	LeftOut []leftOutJSON `json:"left_out"`
	Doubts  []string      `json:"doubts,omitempty"`
}

// leftOutJSON is an attempt that is left out, or what the one that is shown abandoned.
type leftOutJSON struct {
	Attempt   int    `json:"attempt"`
	Run       string `json:"run,omitempty"` // its folder, if there are several
	Why       string `json:"why"`
	ResumedAt *int64 `json:"resumed_at,omitempty"` // the step, for what was abandoned
	Files     int    `json:"files"`
	Steps     int    `json:"steps"`
	Samples   int    `json:"samples"`
	First     int64  `json:"first_step"`
	Last      int64  `json:"last_step"`
	Start     string `json:"first_write,omitempty"` // in UTC, of the files; absent if rows are left out of a file
	End       string `json:"last_write,omitempty"`
}

// newAttemptsJSON returns nil if the log has one attempt, of which nothing is left out.
func newAttemptsJSON(a model.RunAttempts) *attemptsJSON {
	if a.Count < 2 && len(a.LeftOut)+len(a.Doubts) == 0 {
		return nil
	}
	all := &attemptsJSON{Shown: a.Shown, Count: a.Count, LeftOut: []leftOutJSON{}, Doubts: a.Doubts}
	for _, l := range a.LeftOut {
		one := leftOutJSON{Attempt: l.Attempt, Run: l.Run, Why: l.Cause.String(), Files: l.Files, Steps: l.Steps, Samples: l.Samples, First: l.First, Last: l.Last}
		if l.Cause == model.Resumed {
			one.ResumedAt = &l.Step
		}
		if !l.Start.IsZero() {
			one.Start, one.End = l.Start.UTC().Format(time.RFC3339), l.End.UTC().Format(time.RFC3339)
		}
		all.LeftOut = append(all.LeftOut, one)
	}
	return all
}
