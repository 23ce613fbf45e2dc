package loaders

import (
	"math"
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/formats"
	"vantage/model"
)

// The bounds of a chunk. Counts beyond them are kept, sentences are not.
const (
	maxRecords      = 4096 // blocks that are read together come together
	maxFileProblems = 100
	maxProblems     = 1000
)

// chunkBuilder is a chunk in the making.
type chunkBuilder struct {
	format   *formats.Format
	note     decode.Note
	records  []model.Record
	blocks   []model.Block
	samples  int // of both
	forget   []int32
	problems []model.Problem
	skipped  int
	notes    []string
}

func (b *chunkBuilder) empty() bool {
	return b.samples == 0 && len(b.forget) == 0 && len(b.problems) == 0 && b.skipped == 0 && len(b.notes) == 0
}

func (b *chunkBuilder) chunk(names []string) *model.Chunk {
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
func (b *chunkBuilder) accepts(f *formats.Format, n decode.Note) bool {
	return b.samples == 0 || b.format == f && b.note.LengthUnit == n.LengthUnit && b.note.HasTruth == n.HasTruth && isPrefix(n.Components, b.note.Components)
}

// isPrefix reports whether the names begin with those before.
func isPrefix(names, before []string) bool {
	return len(names) >= len(before) && slices.Equal(names[:len(before)], before)
}

// align puts the reward functions of a block into the order of the batch: which of them a
// file has first depends on the nulls of its first rows, and small files would come in
// chunks of their own.
func (b *chunkBuilder) align(n *decode.Note, k *model.Block) {
	if b.samples == 0 || len(n.Components) != len(k.Parts) || isPrefix(n.Components, b.note.Components) {
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
func (b *chunkBuilder) drop(file int32, name string) {
	b.records = slices.DeleteFunc(b.records, func(r model.Record) bool { return r.File == file })
	b.blocks = slices.DeleteFunc(b.blocks, func(k model.Block) bool { return k.File == file })
	b.samples = len(b.records)
	for i := range b.blocks {
		b.samples += b.blocks[i].Len()
	}
	if b.samples == 0 {
		b.format, b.note = nil, decode.Note{}
	}
	b.problems = slices.DeleteFunc(b.problems, func(p model.Problem) bool { return p.File == name })
}

// chunkQueue gathers batches; the last one is open, the others wait to be fetched.
type chunkQueue struct {
	ready        []*chunkBuilder
	pending      *chunkBuilder
	problemCount int // problems in all
	duplicates   duplicateFinder
	runs         runDirs
	latest       *formats.Format
	lastNote     decode.Note
	ownFormat    *formats.Format // the latest that is a trainer's own
	ownNote      decode.Note
	missing      []string // columns that a person named and no file has had
	sawRows      bool     // some file has had rows
}

func newChunkQueue() *chunkQueue { return &chunkQueue{pending: &chunkBuilder{}} }

// full reports whether reading should stop and hand over.
func (o *chunkQueue) full() bool { return len(o.ready) > 0 || o.pending.samples >= maxRecords }

func (o *chunkQueue) add(f *formats.Format, n decode.Note, records []model.Record) {
	if o.runs.several() {
		o.separate(records)
	}
	o.addRecords(f, n, records)
}

// addRecords takes records as they are.
func (o *chunkQueue) addRecords(f *formats.Format, n decode.Note, records []model.Record) {
	for len(records) > 0 {
		b := o.builderFor(f, n, len(o.pending.blocks) > 0, maxRecords)
		took := min(maxRecords-b.samples, len(records))
		b.records = append(b.records, records[:took]...)
		b.samples += took
		records = records[took:]
	}
	o.noteFormat(f, n)
}

// addBlock takes a block as a whole. All blocks that are read together come in one
// chunk: while the receiver is at work on it the next are read.
func (o *chunkQueue) addBlock(f *formats.Format, n decode.Note, k model.Block) {
	if o.runs.several() {
		if records := o.separateBlock(&k); records != nil {
			o.addRecords(f, n, records)
			return
		}
	}
	o.pending.align(&n, &k)
	b := o.builderFor(f, n, false, math.MaxInt)
	b.blocks = append(b.blocks, k)
	b.samples += k.Len()
	o.noteFormat(f, n)
}

// noteFormat takes down what the latest records were read as. What one file lacks another may
// have.
func (o *chunkQueue) noteFormat(f *formats.Format, n decode.Note) {
	o.latest, o.lastNote = f, n
	if f.IsTrainers() {
		o.ownFormat, o.ownNote = f, n
	}
	if n.Provenance == "" {
		return // a header
	}
	if !o.sawRows {
		o.sawRows, o.missing = true, slices.Clone(n.Missing)
	}
	o.missing = slices.DeleteFunc(o.missing, func(name string) bool { return !slices.Contains(n.Missing, name) })
}

// builderFor is the open batch, or a new one if that is full or of another kind, or
// has blocks, which come after its records.
func (o *chunkQueue) builderFor(f *formats.Format, n decode.Note, blocks bool, most int) *chunkBuilder {
	if blocks || o.pending.samples >= most || !o.pending.accepts(f, n) {
		o.ready = append(o.ready, o.pending)
		o.pending = &chunkBuilder{}
	}
	o.pending.format, o.pending.note = f, n
	return o.pending
}

func (o *chunkQueue) forgetFile(f *fileReader) {
	for _, b := range o.ready {
		b.drop(f.index, f.name)
	}
	o.pending.drop(f.index, f.name)
	o.duplicates.forget(f.index)
	o.problemCount -= f.problemCount
	if !slices.Contains(o.pending.forget, f.index) {
		o.pending.forget = append(o.pending.forget, f.index)
	}
}

func (o *chunkQueue) addNotes(notes []string) { o.pending.notes = append(o.pending.notes, notes...) }

func (o *chunkQueue) addProblem(p model.Problem) {
	if o.problemCount < maxProblems {
		o.problemCount++
		o.pending.problems = append(o.pending.problems, p)
	}
}

// next returns the next batch; with ready ones about, the open one stays.
func (o *chunkQueue) next() *chunkBuilder {
	if len(o.ready) > 0 {
		b := o.ready[0]
		o.ready = o.ready[1:]
		return b
	}
	b := o.pending
	o.pending = &chunkBuilder{}
	return b
}
