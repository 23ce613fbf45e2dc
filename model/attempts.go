package model

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"vantage/model/units"
)

// Attempts says which rows of a log are left out, because the run was started again in the same
// folder or file.
type Attempts struct {
	Shown, Count int         // number of the attempt that is shown, from 1, and how many there are; Shown is 0 if all are
	LeftOut      []OlderRows // in the order of attempts
	NotRead      []LeftOut   // what a source left out itself and did not hand over, as one that can ask for rows
	Doubts       []string    // sentences on what may be another attempt, and is counted
}

// OlderRows are rows that are left out.
type OlderRows struct {
	Attempt    int    // that they are of, from 1
	Of         int    // how many attempts its folder has
	Run        string // folder of the run, if several are open; "" otherwise
	Rows       []RowRange
	Cause      AttemptCause
	Step       int64     // from which the run was resumed, if it was
	Start, End time.Time // when the first and the last of the files were written; zero if unknown
}

// RowRange is the rows of a file at offsets in [From, To) of steps from Step on.
type RowRange struct {
	File     int32
	From, To int64
	Step     int64
}

// AttemptCause is why rows belong to an earlier attempt.
type AttemptCause int

// The causes.
const (
	StartedAgain   AttemptCause = iota // files of earlier steps were written again
	Appended                           // steps go back to the first within a file
	FilesRemoved                       // the files are gone, and the new ones go back to an earlier step
	FolderReplaced                     // the folder is another one, or a link to another one
	Resumed                            // the run was resumed at an earlier step
	Chosen                             // it is newer than the attempt that a person chose
	Numbered                           // a column of the log has other values from a start of the run on
)

// String is the cause in the words of a note.
func (c AttemptCause) String() string {
	return [...]string{
		"the run was started again and writes its files anew",
		"the steps of the file go back to the first, as those of a run that was started again",
		"its files were removed, and the new ones begin at an earlier step",
		"the folder was replaced by another",
		"the run was resumed",
		"another attempt was chosen",
		"the run was started again, according to a column of the table",
	}[c]
}

// RunAttempts is which attempts of a run the log holds; the zero value if there is one and all of its
// rows are counted.
type RunAttempts struct {
	Shown, Count int // see [Attempts]
	LeftOut      []LeftOut
	Doubts       []string
}

// LeftOut is what was left out of a log in one piece. Files is 0 for rows of a table.
type LeftOut struct {
	OlderRows
	Files, Steps, Samples int
	First, Last           int64 // steps
}

// Several reports whether one of several attempts is shown.
func (a RunAttempts) Several() bool { return a.Count > 1 && a.Shown > 0 }

// String is "attempt 2 of 2".
func (a RunAttempts) String() string { return fmt.Sprintf("attempt %d of %d", a.Shown, a.Count) }

// Notes says what was left out and what was assumed, in sentences.
func (a RunAttempts) Notes() []string {
	notes := Mapped(a.LeftOut, LeftOut.sentence)
	return append(notes, a.Doubts...)
}

func (l LeftOut) sentence() string {
	what := fmt.Sprintf("attempt %d of %d", l.Attempt, l.Of)
	why, flag := l.Cause.String(), ""
	switch l.Cause {
	case StartedAgain, Appended, Chosen, Numbered:
		flag = fmt.Sprintf("--attempt %d shows it, --attempt all counts everything", l.Attempt)
	case FolderReplaced:
		flag = "if its folder is still somewhere, open that to see it"
	case FilesRemoved:
		flag = "no flag shows it, because it is gone from the disk"
	case Resumed:
		what, why = "the part beyond the checkpoint", fmt.Sprintf("the run was resumed at step %d", l.Step)
		flag = "--attempt all counts it too"
	}
	if l.Run != "" {
		what += " in " + l.Run
	}
	files := ""
	if l.Files > 0 {
		files = units.Plural(l.Files, "files") + ", "
	}
	return fmt.Sprintf("%s is not counted: %s (%s%s%s), because %s; %s", what, units.Steps(l.First, l.Last),
		files, units.Plural(l.Samples, "samples"), l.writtenText(), why, flag)
}

func (l LeftOut) writtenText() string {
	if l.Start.IsZero() {
		return ""
	}
	const minute = "2006-01-02 15:04"
	from, to := l.Start.Local().Format(minute), l.End.Local().Format(minute)
	switch {
	case from == to:
		return ", written " + from
	case strings.HasPrefix(to, from[:len("2006-01-02")]):
		to = to[len("2006-01-02 "):]
	}
	return ", written " + from + " to " + to
}

type leftOutCount struct {
	files          map[int32]bool
	steps, samples int
	first, last    int64
}

// rowFilter leaves rows out of columns. It is made anew when the attempts change.
type rowFilter struct {
	attempts Attempts
	byFile   map[int32][]filteredRange
	cache    map[int64]filteredStep
}

// filteredRange is a range with the index of its OlderRows.
type filteredRange struct {
	RowRange
	piece int
}

type filteredStep struct {
	from   *stepColumns
	length int          // of from
	kept   *stepColumns // from itself if nothing was left out, nil if nothing is left
	left   []pieceRows
}

type pieceRows struct {
	piece, rows int
	file        int32
}

func (f *rowFilter) concerns(c *stepColumns) bool {
	return f != nil && slices.ContainsFunc(c.fileSpans, func(s fileSpan) bool { return len(f.byFile[s.file]) > 0 })
}

func (s *Store) setAttempts(a Attempts) {
	filter := &rowFilter{attempts: a, byFile: map[int32][]filteredRange{}, cache: map[int64]filteredStep{}}
	for i, l := range a.LeftOut {
		for _, r := range l.Rows {
			filter.byFile[r.File] = append(filter.byFile[r.File], filteredRange{r, i})
		}
	}
	for _, cols := range s.steps {
		if s.filter.concerns(cols) || filter.concerns(cols) {
			cols.Revision = s.revision
		}
	}
	s.filter = filter
}

// apply returns what is left of the columns of a step: nil if that is nothing.
func (f *rowFilter) apply(step int64, c *stepColumns, counts []leftOutCount) *stepColumns {
	old, ok := f.cache[step]
	if !ok || old.from != c || old.length != len(c.Rewards) {
		old = f.filter(step, c)
		f.cache[step] = old
	}
	seen := -1 // pieces are ascending
	for _, l := range old.left {
		c := &counts[l.piece]
		if c.files == nil {
			c.files, c.first, c.last = map[int32]bool{}, step, step
		}
		if l.piece != seen {
			c.steps++
		}
		c.files[l.file] = true
		c.first, c.last, c.samples = min(c.first, step), max(c.last, step), c.samples+l.rows
		seen = l.piece
	}
	return old.kept
}

func (f *rowFilter) filter(step int64, c *stepColumns) filteredStep {
	n := len(c.Rewards)
	result := filteredStep{from: c, length: n, kept: c}
	if !f.concerns(c) {
		return result
	}
	kept := &stepColumns{Step: Step{Revision: c.Revision}}
	for s, to := range spansOf(c.fileSpans, n) {
		for from := s.startRow; from < to; {
			piece, end := f.pieceAt(step, c, s, from, to)
			if piece < 0 {
				kept.appendRows(c, s, from, end)
			} else {
				result.left = append(result.left, pieceRows{piece, end - from, s.file})
			}
			from = end
		}
	}
	sort.SliceStable(result.left, func(i, j int) bool { return result.left[i].piece < result.left[j].piece })
	switch len(kept.Rewards) {
	case 0:
		result.kept = nil
	case n:
	default:
		result.kept = kept
	}
	return result
}

// pieceAt returns why the rows of a span from one on are left out, -1 if they are not, and where that
// ends. The offsets of a file ascend within a step.
func (f *rowFilter) pieceAt(step int64, c *stepColumns, s fileSpan, from, to int) (piece, end int) {
	ranges := f.byFile[s.file]
	at := func(row int) int64 { return s.offset + int64(c.spanOffset[row]) }
	piece, end = -1, to
	for _, r := range ranges {
		if step < r.Step {
			continue
		}
		if piece < 0 && at(from) >= r.From && at(from) < r.To {
			piece = r.piece
		}
		for _, bound := range [...]int64{r.From, r.To} {
			if at(from) < bound && at(end-1) >= bound {
				end = from + sort.Search(end-from, func(i int) bool { return at(from+i) >= bound })
			}
		}
	}
	return piece, end
}

func (f *rowFilter) summary(counts []leftOutCount) RunAttempts {
	a := RunAttempts{Shown: f.attempts.Shown, Count: f.attempts.Count, Doubts: f.attempts.Doubts}
	for i, c := range counts {
		if c.samples > 0 {
			a.LeftOut = append(a.LeftOut, LeftOut{
				OlderRows: f.attempts.LeftOut[i], Files: len(c.files), Steps: c.steps, Samples: c.samples, First: c.first, Last: c.last,
			})
		}
	}
	a.LeftOut = append(a.LeftOut, f.attempts.NotRead...)
	return a
}

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

// Evaluates reports whether the rows that are read are those of evaluations: none of them trains.
func (r Run) Evaluates() bool { return r.EvaluatesOnly || r.Evaluation != nil && r.Evaluation.Shown }

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
	if e.Shown {
		return "training is not counted, for --split val asks for evaluations: shown are " + e.found()
	}
	text := "evaluation is not counted: " + e.found()
	if len(e.Lost) > 0 {
		text += fmt.Sprintf(". The training rows that had been logged for %s were overwritten before they were read, and are lost: to "+
			"have them, open the run while it trains", stepList(e.Lost))
	}
	if len(e.Kept) > 0 {
		text += fmt.Sprintf(". The training rows of %s were read before they were overwritten, and count", stepList(e.Kept))
	}
	return text + ". --split val shows evaluations instead, --split all counts them as training"
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

const maxListedSteps = 6

// stepList returns "step 4", "steps 4, 8 and 12", or "40 steps (4, 8, 12, … 160)".
func stepList(steps []int64) string {
	names := Mapped(steps, func(step int64) string { return strconv.FormatInt(step, 10) })
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
