package loaders

import (
	"slices"

	"vantage/model"
)

// The bounds of a chunk. Counts beyond them are kept, sentences are not.
const (
	maxRecords      = 4096
	maxFileProblems = 100
	maxProblems     = 1000
)

// batch is a chunk in the making.
type batch struct {
	format   *Format
	note     Note
	records  []model.Record
	forget   []int32
	problems []model.Problem
	skipped  int
	notes    []string
}

func (b *batch) empty() bool {
	return len(b.records) == 0 && len(b.forget) == 0 && len(b.problems) == 0 && b.skipped == 0 && len(b.notes) == 0
}

func (b *batch) chunk(names []string) *model.Chunk {
	c := &model.Chunk{
		Files: names, Records: b.records, Forget: b.forget,
		How: b.note.How, LengthUnit: b.note.LengthUnit, HasTruth: b.note.HasTruth,
		Components: b.note.Components,
		Problems:   b.problems, Skipped: b.skipped, Notes: b.notes,
	}
	if b.format != nil {
		c.Format, c.Positional = b.format.Name, b.format.Positional
	}
	return c
}

// accepts reports whether records of that kind may join those in the batch: a
// chunk has one format and one unit of lengths.
func (b *batch) accepts(f *Format, n Note) bool {
	return len(b.records) == 0 || b.format == f && b.note.LengthUnit == n.LengthUnit && b.note.HasTruth == n.HasTruth && begins(n.Components, b.note.Components)
}

// begins reports whether the names begin with those before.
func begins(names, before []string) bool {
	return len(names) >= len(before) && slices.Equal(names[:len(before)], before)
}

// drop takes the records and problems of a file out again.
func (b *batch) drop(file int32, name string) {
	b.records = slices.DeleteFunc(b.records, func(r model.Record) bool { return r.File == file })
	b.problems = slices.DeleteFunc(b.problems, func(p model.Problem) bool { return p.File == name })
}

// output gathers batches; the last one is open, the others wait to be fetched.
type output struct {
	ready    []*batch
	open     *batch
	listed   int // problems in all
	relogs   relogs
	latest   *Format
	lastNote Note
}

func newOutput() *output { return &output{open: &batch{}} }

// full reports whether reading should stop and hand over.
func (o *output) full() bool { return len(o.ready) > 0 || len(o.open.records) >= maxRecords }

func (o *output) add(f *Format, n Note, records []model.Record) {
	for len(records) > 0 {
		room := maxRecords - len(o.open.records)
		if room == 0 || !o.open.accepts(f, n) {
			o.ready = append(o.ready, o.open)
			o.open, room = &batch{}, maxRecords
		}
		took := min(room, len(records))
		o.open.records = append(o.open.records, records[:took]...)
		o.open.format, o.open.note = f, n
		records = records[took:]
	}
	o.latest, o.lastNote = f, n
}

func (o *output) forget(f *intake) {
	for _, b := range o.ready {
		b.drop(f.index, f.name)
	}
	o.open.drop(f.index, f.name)
	o.listed -= f.listed
	if !slices.Contains(o.open.forget, f.index) {
		o.open.forget = append(o.open.forget, f.index)
	}
}

func (o *output) note(notes []string) { o.open.notes = append(o.open.notes, notes...) }

func (o *output) problem(p model.Problem) {
	if o.listed < maxProblems {
		o.listed++
		o.open.problems = append(o.open.problems, p)
	}
}

// take returns the next batch; with ready ones about, the open one stays.
func (o *output) take() *batch {
	if len(o.ready) > 0 {
		b := o.ready[0]
		o.ready = o.ready[1:]
		return b
	}
	b := o.open
	o.open = &batch{}
	return b
}
