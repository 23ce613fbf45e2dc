package loaders

import (
	"math"
	"slices"

	"vantage/model"
)

// The bounds of a chunk. Counts beyond them are kept, sentences are not.
const (
	maxRecords      = 4096 // blocks that are read together come together
	maxFileProblems = 100
	maxProblems     = 1000
)

// batch is a chunk in the making.
type batch struct {
	format   *Format
	note     Note
	records  []model.Record
	blocks   []model.Block
	samples  int // of both
	forget   []int32
	problems []model.Problem
	skipped  int
	notes    []string
}

func (b *batch) empty() bool {
	return b.samples == 0 && len(b.forget) == 0 && len(b.problems) == 0 && b.skipped == 0 && len(b.notes) == 0
}

func (b *batch) chunk(names []string) *model.Chunk {
	c := &model.Chunk{
		Files: names, Records: b.records, Blocks: b.blocks, Forget: b.forget,
		How: b.note.Provenance, LengthUnit: b.note.LengthUnit, HasTruth: b.note.HasTruth,
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
	return b.samples == 0 || b.format == f && b.note.LengthUnit == n.LengthUnit && b.note.HasTruth == n.HasTruth && begins(n.Components, b.note.Components)
}

// begins reports whether the names begin with those before.
func begins(names, before []string) bool {
	return len(names) >= len(before) && slices.Equal(names[:len(before)], before)
}

// align puts the reward functions of a block into the order of the batch: which of them a
// file has first depends on the nulls of its first rows, and small files would come in
// chunks of their own.
func (b *batch) align(n *Note, k *model.Block) {
	if b.samples == 0 || len(n.Components) != len(k.Parts) || begins(n.Components, b.note.Components) {
		return
	}
	names, parts := slices.Clone(n.Components), slices.Clone(k.Parts)
	for i, name := range b.note.Components {
		at := slices.Index(names, name)
		if at < i {
			return
		}
		names[i], names[at] = names[at], names[i]
		parts[i], parts[at] = parts[at], parts[i]
	}
	n.Components, k.Parts = names, parts
}

// drop takes the records and problems of a file out again.
func (b *batch) drop(file int32, name string) {
	b.records = slices.DeleteFunc(b.records, func(r model.Record) bool { return r.File == file })
	b.blocks = slices.DeleteFunc(b.blocks, func(k model.Block) bool { return k.File == file })
	b.samples = len(b.records)
	for i := range b.blocks {
		b.samples += b.blocks[i].Len()
	}
	if b.samples == 0 {
		b.format, b.note = nil, Note{}
	}
	b.problems = slices.DeleteFunc(b.problems, func(p model.Problem) bool { return p.File == name })
}

// output gathers batches; the last one is open, the others wait to be fetched.
type output struct {
	ready    []*batch
	open     *batch
	listed   int // problems in all
	relogs   relogs
	sites    sites
	latest   *Format
	lastNote Note
	own      *Format // the latest that is a trainer's own
	ownNote  Note
	lacks    []string // columns that a person named and no file has had
	rows     bool     // some file has had rows
}

func newOutput() *output { return &output{open: &batch{}} }

// full reports whether reading should stop and hand over.
func (o *output) full() bool { return len(o.ready) > 0 || o.open.samples >= maxRecords }

func (o *output) add(f *Format, n Note, records []model.Record) {
	if o.sites.several() {
		o.apart(records)
	}
	o.put(f, n, records)
}

// put takes records as they are.
func (o *output) put(f *Format, n Note, records []model.Record) {
	for len(records) > 0 {
		b := o.accepting(f, n, len(o.open.blocks) > 0, maxRecords)
		took := min(maxRecords-b.samples, len(records))
		b.records = append(b.records, records[:took]...)
		b.samples += took
		records = records[took:]
	}
	o.noted(f, n)
}

// addBlock takes a block as a whole. All blocks that are read together come in one
// chunk: while the receiver is at work on it the next are read.
func (o *output) addBlock(f *Format, n Note, k model.Block) {
	if o.sites.several() {
		if records := o.apartBlock(&k); records != nil {
			o.put(f, n, records)
			return
		}
	}
	o.open.align(&n, &k)
	b := o.accepting(f, n, false, math.MaxInt)
	b.blocks = append(b.blocks, k)
	b.samples += k.Len()
	o.noted(f, n)
}

// noted takes down what the latest records were read as. What one file lacks another may
// have.
func (o *output) noted(f *Format, n Note) {
	o.latest, o.lastNote = f, n
	if f.IsTrainers() {
		o.own, o.ownNote = f, n
	}
	if n.Provenance == "" {
		return // a header
	}
	if !o.rows {
		o.rows, o.lacks = true, slices.Clone(n.Missing)
	}
	o.lacks = slices.DeleteFunc(o.lacks, func(name string) bool { return !slices.Contains(n.Missing, name) })
}

// accepting is the open batch, or a new one if that is full or of another kind, or
// has blocks, which come after its records.
func (o *output) accepting(f *Format, n Note, blocks bool, most int) *batch {
	if blocks || o.open.samples >= most || !o.open.accepts(f, n) {
		o.ready = append(o.ready, o.open)
		o.open = &batch{}
	}
	o.open.format, o.open.note = f, n
	return o.open
}

func (o *output) forget(f *intake) {
	for _, b := range o.ready {
		b.drop(f.index, f.name)
	}
	o.open.drop(f.index, f.name)
	o.relogs.forget(f.index)
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
