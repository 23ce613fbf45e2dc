package runs

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"vantage/loaders/discover"
	"vantage/model"
)

// Evaluations knows which rows of the logs a trainer wrote while it evaluated, where the log does not
// say so itself. TRL writes them over the training rows of their step; ms-swift and the tables of W&B
// have them after those.
type Evaluations struct {
	Split      discover.Split // which rows are to be read; none are told apart if it is all of them, or ""
	Changed    bool           // tables have changed
	Unreported bool           // what Summary returns has changed
	files      map[int32]*FileTables
	newest     map[int32]fileTable // the training rows of the newest step of each run that logs its blocks one after the other
	noted      bool                // that all steps ask the same prompts
}

// FileTables is what is known of a file.
type FileTables struct {
	OnDisk      *Table    // nil if it has none
	Overwritten *Table    // an evaluation, if training rows that it overwrote were read before, and stay
	FirstSeen   time.Time // when the file had been written when it was read first
	Found       bool      // it holds an evaluation

	repeated *Table   // like OnDisk, but its rows repeat those of another file
	again    []*Table // evaluations that follow the training rows of their steps
	decided  bool     // Found has been decided
}

type fileTable struct {
	*Table
	file int32
}

// Of returns what is known of a file.
func (e *Evaluations) Of(file int32) *FileTables {
	if e.files == nil {
		e.files = map[int32]*FileTables{}
	}
	if e.files[file] == nil {
		e.files[file] = &FileTables{}
	}
	return e.files[file]
}

// ToldApart reports whether it must be found out what rows are.
func (e *Evaluations) ToldApart() bool { return e.Split != "" && e.Split != discover.SplitAll }

// Wants reports whether rows are to be read, by whether they are those of an evaluation.
func (e *Evaluations) Wants(isEvaluation bool) bool {
	return !e.ToldApart() || isEvaluation == (e.Split == discover.SplitVal)
}

// Forget forgets a file that is read again from its start, but not whether it held an evaluation.
func (e *Evaluations) Forget(file int32) {
	e.ForgetNewest(file)
	if t := e.files[file]; t != nil {
		if t.OnDisk != nil || t.Overwritten != nil || t.again != nil {
			e.Changed, e.Unreported = true, true
		}
		t.OnDisk, t.repeated, t.Overwritten, t.again = nil, nil, nil, nil
	}
}

// ForgetNewest forgets the rows of a file that is written anew: what follows them is no second block of
// their step.
func (e *Evaluations) ForgetNewest(file int32) {
	maps.DeleteFunc(e.newest, func(_ int32, t fileTable) bool { return t.file == file })
}

// Read returns what was read of a file, nil if that is not known.
func (t *FileTables) Read() *Table { return cmp.Or(t.OnDisk, t.repeated) }

// AddRows takes rows of the steps first to last of a file into account, which add adds to its table. It reports whether
// they are to be read as far as is known: whether they are those of an evaluation may be found later.
func (e *Evaluations) AddRows(file int32, first, last int64, isRepeat bool, add func(*Table)) bool {
	f := e.Of(file)
	to := &f.OnDisk
	if isRepeat {
		to = &f.repeated
	}
	if *to == nil {
		*to = &Table{Step: first}
	}
	t := *to
	add(t)
	t.ManySteps = t.ManySteps || first != t.Step || last != t.Step
	e.Changed = true
	if t.Step == 0 && !t.ManySteps && !isRepeat && !f.decided {
		f.Found, f.decided = true, true // as it will be decided
	}
	return e.Wants(f.Found)
}

// AddBlock takes a block of rows of a run into account, and reports whether it is that of an evaluation.
func (e *Evaluations) AddBlock(run, file int32, now *Table, isRepeat bool) bool {
	before := e.newest[run]
	isNew := before.Table == nil || before.Step != now.Step
	if now.Evidence == "" && !isNew && !isRepeat && !now.EndsLike(before.Table) {
		now.Evidence = LoggedAgain
	}
	switch {
	case now.Evidence == "" && isNew:
		if e.newest == nil {
			e.newest = map[int32]fileTable{}
		}
		e.newest[run] = fileTable{now, file}
	case now.Evidence != "" && !isRepeat:
		e.Of(file).again = append(e.Of(file).again, now)
		e.Unreported = true
	}
	return now.Evidence != ""
}

// AddOverwriting adds an evaluation that overwrote training rows.
func (e *Evaluations) AddOverwriting(file int32, now *Table) {
	now.Evidence = Rewritten
	e.Of(file).Overwritten = now
	e.Changed, e.Unreported = true, true
}

// IsOverwritten reports whether an evaluation overwrote training rows of a file.
func (e *Evaluations) IsOverwritten(file int32) bool {
	f := e.files[file]
	return f != nil && f.Overwritten != nil
}

// Files returns the files that have a table, ascending.
func (e *Evaluations) Files() []int32 {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(e.files)), func(file int32) bool { return e.files[file].OnDisk == nil })
}

// Find finds the evaluations among the tables of the files of a run, by attempt: see [Find]. leftOut says of which
// attempt a file is that is not shown. It reports, once, whether all steps that are shown ask the same prompts: that may be
// training on few prompts, or an evaluation at each logged step.
func (e *Evaluations) Find(files []int32, leftOut map[int32]int) (askSame bool) {
	attempts := make([][]*Table, 1)
	for _, file := range files {
		i := leftOut[file]
		for i >= len(attempts) {
			attempts = append(attempts, nil)
		}
		attempts[i] = append(attempts[i], e.files[file].OnDisk)
		if t := e.files[file].Overwritten; t != nil {
			attempts[i] = append(attempts[i], t)
		}
	}
	Find(attempts...)
	if e.noted || e.Split != discover.SplitTrain || !AskSamePrompts(attempts[0]) {
		return false
	}
	e.noted = true
	return true
}

// Decide takes the evidence on a file, and reports whether it turned out to be another than before.
func (e *Evaluations) Decide(file int32) (changed bool) {
	f := e.Of(file)
	if f.OnDisk == nil {
		return false
	}
	isEvaluation := f.OnDisk.Evidence != ""
	changed = isEvaluation != f.Found
	e.Unreported = e.Unreported || isEvaluation || changed
	if changed {
		f.Found, f.decided = isEvaluation, true
	}
	return changed
}

// Summary returns what is known now of evaluations among what is not left out with another attempt.
func (e *Evaluations) Summary(names []string, leftOut map[int32]int) *model.Evaluation {
	sum := &model.Evaluation{Shown: e.Split == discover.SplitVal}
	steps, lost, kept, byKind := map[int64]bool{}, map[int64]bool{}, map[int64]bool{}, map[Evidence]*model.EvaluationEvidence{}
	add := func(file int32, t *Table) {
		sum.Rows += t.Rows
		why := byKind[t.Evidence]
		if why == nil {
			why = &model.EvaluationEvidence{Kind: string(t.Evidence), Why: t.Evidence.why(), First: t.Step, File: names[file]}
			byKind[t.Evidence] = why
		}
		if !steps[t.Step] {
			why.Steps++
		}
		if t.Step < why.First {
			why.First, why.File = t.Step, names[file]
		}
		steps[t.Step] = true
	}
	shown := slices.DeleteFunc(slices.Sorted(maps.Keys(e.files)), func(file int32) bool { return leftOut[file] > 0 })
	for _, file := range shown {
		if t := e.files[file].OnDisk; t != nil && t.Evidence != "" {
			add(file, t)
			if t.Step > 0 {
				lost[t.Step] = true
			}
		}
	}
	for _, file := range shown {
		f := e.files[file]
		if f.Overwritten == nil {
			continue
		}
		add(file, f.Overwritten)
		if t := f.OnDisk; t != nil && t.Evidence == "" {
			kept[t.Step] = true
		}
	}
	for _, file := range shown {
		for _, t := range e.files[file].again {
			add(file, t)
		}
	}
	sum.Steps, sum.Lost, sum.Kept = slices.Sorted(maps.Keys(steps)), slices.Sorted(maps.Keys(lost)), slices.Sorted(maps.Keys(kept))
	for _, why := range byKind {
		sum.Evidence = append(sum.Evidence, *why)
	}
	slices.SortFunc(sum.Evidence, func(a, b model.EvaluationEvidence) int {
		return cmp.Or(cmp.Compare(b.Steps, a.Steps), cmp.Compare(a.Kind, b.Kind))
	})
	return sum
}

// Evidence is why a table holds an evaluation. Its texts are those of the JSON.
type Evidence string

// The kinds of evidence.
const (
	BeforeTraining Evidence = "step 0"             // TRL logs step 0 only for an evaluation before training
	TrainerState   Evidence = "trainer_state.json" // it has eval_* figures of the step
	Rewritten      Evidence = "rewritten"          // the file of the step was overwritten with other prompts
	LoggedAgain    Evidence = "logged again"       // the step was logged a second time, with other prompts
	GroupSize      Evidence = "group size"         // its groups have another size than those of the other steps
	SamePrompts    Evidence = "same prompts"       // they come again in the same order at regular steps, and at no other
)

// why says what the evidence is, to follow "since".
func (e Evidence) why() string {
	switch e {
	case BeforeTraining:
		return "step 0 is before training"
	case TrainerState:
		return "trainer_state.json has eval_* metrics of it"
	case Rewritten:
		return "the file was overwritten with other prompts after it had been read"
	case LoggedAgain:
		return "the step was logged a second time, with other prompts"
	case GroupSize:
		return "its groups have another size than those of the steps around it"
	case SamePrompts:
		return "the same prompts come in the same order at regular steps, and at no other"
	}
	return ""
}

// tailGroups is how many groups at the end of a table are compared. An evaluation with fewer rows than
// a training step leaves training rows before its own, so only the end is sure to be its own.
const tailGroups = 8

// Table is what one log call wrote: rows of one step, those of a group one after the other.
type Table struct {
	Step     int64
	Rows     int
	Evidence Evidence // why it holds an evaluation; "" if it counts as training

	// ManySteps says that rows of other steps are in the file too: no trainer wrote it at once, and it
	// is taken for training.
	ManySteps bool

	tail    [tailGroups]uint64 // prompts of the last groups, the last one first
	groups  int                // runs of rows with one prompt
	current int                // rows of the last run so far
	size    int                // greatest common divisor of the rows of the runs before
	noName  bool               // a row has no prompt
}

// Add adds the next rows, which have one prompt: its hash, 0 if the log has none.
func (t *Table) Add(prompt uint64, rows int) {
	t.Rows += rows
	t.noName = t.noName || prompt == 0
	if t.groups > 0 && prompt == t.tail[0] {
		t.current += rows
		return
	}
	copy(t.tail[1:], t.tail[:])
	t.size = gcd(t.size, t.current)
	t.tail[0], t.current = prompt, rows
	t.groups++
}

// AddBlock adds the rows of a block.
func (t *Table) AddBlock(b *model.Block) {
	if b.Prompt == nil {
		t.Add(0, b.Len())
		return
	}
	for _, p := range b.Prompt {
		t.Add(b.Prompts[p].Hash, 1)
	}
}

// AddRecords adds the rows of records.
func (t *Table) AddRecords(records []model.Record) {
	for i := range records {
		t.Add(records[i].Prompt, 1)
	}
}

// EndsLike reports whether the last groups of two tables have the same prompts in the same order.
func (t *Table) EndsLike(o *Table) bool {
	return t.tail == o.tail && min(t.groups, tailGroups) == min(o.groups, tailGroups)
}

// AsksOthersThan reports whether a table is of the same step as before, and ends with other prompts.
func (t *Table) AsksOthersThan(before *Table) bool {
	return t.Rows > 0 && !t.ManySteps && t.Step == before.Step && !t.EndsLike(before)
}

// groupSize returns the rows of a group: two groups of one prompt may stand together.
func (t *Table) groupSize() int { return gcd(t.size, t.current) }

func (t *Table) unknown() bool { return t.noName || t.ManySteps }

func (t *Table) end(n int) (prompts [tailGroups]uint64, ok bool) {
	copy(prompts[:n], t.tail[:n])
	return prompts, t.groups >= n && !t.unknown()
}

// gcd returns the greatest common divisor; that of 0 and x is x.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
