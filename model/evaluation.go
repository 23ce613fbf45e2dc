package model

import (
	"fmt"
	"strconv"
	"strings"

	"vantage/model/units"
)

// Evaluation is the rows of a log that its trainer wrote while it evaluated, though the log does not
// say so itself. They are no training: by default they are left out.
type Evaluation struct {
	Steps    []int64              // with such rows, ascending
	Rows     int                  // of all of them
	Lost     []int64              // of Steps, those whose training rows were overwritten before they were read
	Kept     []int64              // of Steps, those whose training rows were overwritten after that, and count
	Evidence []EvaluationEvidence // how it is known, the kind with the most steps first
	Shown    bool                 // these rows are read instead of training
}

// EvaluationEvidence is why rows are taken for those of an evaluation.
type EvaluationEvidence struct {
	Kind  string // in a word, as JSON has it: "group size"
	Why   string // to follow "since"
	Steps int    // how many steps it tells of
	First int64  // the first of them
	File  string // in which its rows are
}

// LeftOut says in sentences which rows are not counted, since they are of another attempt or of an
// evaluation.
func (r Run) LeftOut() []string {
	notes := r.Attempts.Notes()
	if r.Evaluation != nil {
		notes = append(notes, r.Evaluation.Sentence())
	}
	return notes
}

// Sentence says what was found, how it is known, and what to do.
func (e *Evaluation) Sentence() string {
	var b strings.Builder
	if e.Shown {
		fmt.Fprintf(&b, "training is not counted, for --split val asks for evaluations: shown are %s", e.found())
		return b.String()
	}
	fmt.Fprintf(&b, "evaluation is not counted: %s", e.found())
	if len(e.Lost) > 0 {
		fmt.Fprintf(&b, ". The training rows that had been logged for %s were overwritten before they were read, and are lost: to have them, open the run while it trains", stepList(e.Lost))
	}
	if len(e.Kept) > 0 {
		fmt.Fprintf(&b, ". The training rows of %s were read before they were overwritten, and count", stepList(e.Kept))
	}
	b.WriteString(". --split val shows evaluations instead, --split all counts them as training")
	return b.String()
}

// found names steps, rows and evidence.
func (e *Evaluation) found() string {
	text := fmt.Sprintf("%s of %s", units.Plural(e.Rows, "rows"), stepList(e.Steps))
	for i, why := range e.Evidence {
		lead := ", since "
		if i > 0 {
			lead = "; "
		}
		count := ""
		if len(e.Evidence) > 1 {
			count = fmt.Sprintf(" (%s)", units.Plural(why.Steps, "steps"))
		}
		text += fmt.Sprintf("%s%s%s, first %s", lead, why.Why, count, why.File)
	}
	return text
}

// maxListedSteps is how many steps are named one by one.
const maxListedSteps = 6

// stepList returns "step 4", "steps 4, 8 and 12", or "40 steps (4, 8, 12, … 160)".
func stepList(steps []int64) string {
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = strconv.FormatInt(step, 10)
	}
	last := len(names) - 1
	switch {
	case last < 0:
		return "no step"
	case last == 0:
		return "step " + names[0]
	case last < maxListedSteps:
		return "steps " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return fmt.Sprintf("%s (%s, … %s)", units.Plural(len(steps), "steps"), strings.Join(names[:3], ", "), names[last])
}
