package env

import (
	"context"
	"fmt"
	"time"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/tui/job"
)

// findings is what ails the run, as far as that is known.
type findings struct {
	Look LookAtRun
	Job  job.Job[FindingsKey, FinishedLook]

	Snapshots int    // of which steps is
	Steps     uint64 // see FindingsKey
}

// LookAtRun looks at what ails a run, by the look before, which may be nil.
type LookAtRun func(ctx context.Context, snap model.Snapshot, set model.Settings, previous *diagnosis.Look) (*diagnosis.Look, error)

// LookAtSamples looks at the samples alone, as far as the source can read their texts again.
func (e Env) LookAtSamples(ctx context.Context, snap model.Snapshot, set model.Settings,
	previous *diagnosis.Look,
) (*diagnosis.Look, error) {
	var how diagnosis.Reading
	if e.Texts[0] != nil {
		how.Texts = analysis.ReadTextsOf(e.Texts[0])
	}
	return diagnosis.See(ctx, snap, set, how, previous)
}

// FinishedLook is a look, and from when on there may be another.
type FinishedLook struct {
	*diagnosis.Look
	Again time.Time
}

// FindingsKey is all that a look at the run depends on.
type FindingsKey struct {
	Steps uint64         // a hash of the complete steps
	Set   model.Settings // which rewards are of which group, and the estimator of the log: none that is tried changes what ails a run
}

// Diagnosis returns what ails the run, nil while that is not known.
func (e Env) Diagnosis() *diagnosis.Diagnosis {
	if look := e.Findings.Job.Value; look.Look != nil {
		return look.Diagnosis
	}
	return nil
}

// AnswersRead are those that were read; none while nobody has looked.
func (e Env) AnswersRead() diagnosis.Answers {
	if d := e.Diagnosis(); d != nil {
		return d.Answers
	}
	return diagnosis.Answers{}
}

// IsReadingAnswers reports whether answers of the run are being read for the first time.
func (e Env) IsReadingAnswers() bool {
	return e.Texts[0] != nil && e.Diagnosis() == nil && e.Findings.Job.Busy()
}

// StillLooking says how much of the run was looked at while not all of it was; "" afterwards. Of a log that grows it counts as looked at
// while only the newest steps are missing.
func (e Env) StillLooking() string {
	trend, d, n := e.Result.Trend, e.Diagnosis(), len(e.Snap.Steps)
	if n == 0 {
		return ""
	}
	upTo := func(end int) string {
		return fmt.Sprintf("steps %d to %d", e.Snap.Steps[0].Number, e.Snap.Steps[min(end, n)-1].Number)
	}
	doing := "looking at the run"
	if e.Texts[0] != nil {
		doing = "reading answers"
	}
	done := 0
	switch {
	case d == nil && e.IsReading():
		return "reading the log (" + upTo(n) + " so far)"
	case d == nil && trend != nil && !trend.Complete():
		done = n - trend.Pending
	case d == nil && !e.Findings.Job.Busy() && trend != nil: // it could not be looked at
		return ""
	case d != nil && (!e.Findings.Job.Busy() || 2*d.Steps >= n):
		return ""
	case d != nil: // most was not there yet
		done = d.Steps
	}
	if done == 0 {
		return doing + " (" + upTo(n) + ")"
	}
	return fmt.Sprintf("%s (%s of %d)", doing, upTo(done), e.Snap.Steps[n-1].Number)
}

// FoundList returns the findings, the worst first.
func (e Env) FoundList() []diagnosis.Finding {
	if d := e.Diagnosis(); d != nil {
		return d.Findings
	}
	return nil
}

// Found returns a finding by its index, nil if there is none.
func (e Env) Found(i int) *diagnosis.Finding {
	if all := e.FoundList(); i < len(all) {
		return &all[i]
	}
	return nil
}
