package loaders

import (
	"math"
	"slices"

	"vantage/loaders/attempts"
	"vantage/loaders/decode"
	"vantage/loaders/formats"
	"vantage/model"
)

// The bounds of a chunk. Problems beyond them are counted, but not described.
const (
	maxRecords      = 4096 // blocks are not divided
	maxFileProblems = 100
	maxProblems     = 1000 // of all files
)

// chunkBuilder is a chunk under construction.
type chunkBuilder struct {
	format    *formats.Format
	note      decode.Note
	records   []model.Record
	blocks    []model.Block
	samples   int     // in records and blocks
	forget    []int32 // files whose earlier samples are dropped
	problems  []model.Problem
	skipped   int           // lines that could not be read
	untrained map[int32]int // see model.Chunk
	notes     []string
	attempts  *model.Attempts // nil if what is left out has not changed
}

func (b *chunkBuilder) empty() bool {
	return b.samples == 0 && len(b.forget) == 0 && len(b.problems) == 0 && b.skipped == 0 && len(b.notes) == 0 && len(b.untrained) == 0 && b.attempts == nil
}

func (b *chunkBuilder) chunk(names []string) *model.Chunk {
	c := &model.Chunk{
		Files: names, Records: b.records, Blocks: b.blocks, Forget: b.forget,
		Provenance: b.note.Provenance, LengthUnit: b.note.LengthUnit, HasTruth: b.note.HasTruth, HasTotal: b.note.HasTotal, SumsComponents: b.note.SumsComponents,
		ComponentNames: b.note.Components,
		Problems:       b.problems, Skipped: b.skipped, Notes: b.notes, Attempts: b.attempts,
		Untrained: b.untrained,
	}
	if b.format != nil {
		c.Format, c.Framework, c.Positional = b.format.Name, b.format.Framework, b.format.Positional
	}
	return c
}

// accepts reports whether samples of a format may be added: a chunk has one format, one unit of
// lengths and one order of components.
func (b *chunkBuilder) accepts(f *formats.Format, n decode.Note) bool {
	return b.samples == 0 || b.format == f && b.note.LengthUnit == n.LengthUnit && b.note.HasTruth == n.HasTruth && hasPrefix(n.Components, b.note.Components)
}

// hasPrefix reports whether the names start with those of prefix.
func hasPrefix(names, prefix []string) bool {
	return len(names) >= len(prefix) && slices.Equal(names[:len(prefix)], prefix)
}

// align puts the components of a block into the order of the chunk. Their order in a file depends on
// the nulls of its first rows, and without this small files would each need a chunk.
func (b *chunkBuilder) align(n *decode.Note, k *model.Block) {
	if b.samples == 0 || len(n.Components) != len(k.Components) || hasPrefix(n.Components, b.note.Components) {
		return
	}
	names, parts := slices.Clone(n.Components), slices.Clone(k.Components)
	for i, name := range b.note.Components {
		at := slices.Index(names, name)
		if at < i {
			return
		}
		names[i], names[at] = names[at], names[i]
		parts[i], parts[at] = parts[at], parts[i]
	}
	n.Components, k.Components = names, parts
}

// drop removes the samples and problems of a file.
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
	delete(b.untrained, file)
	b.problems = slices.DeleteFunc(b.problems, func(p model.Problem) bool { return p.File == name })
}

// chunkQueue turns what files yield into chunks.
type chunkQueue struct {
	ready        []*chunkBuilder // full, oldest first
	pending      *chunkBuilder   // takes the next samples
	problemCount int             // of all chunks
	duplicates   duplicateFinder
	runs         runDirs
	orders       []attempts.Order // the steps of each file, see order
	evaluations  evaluations
	latest       *formats.Format // of the samples added last
	lastNote     decode.Note
	ownFormat    *formats.Format // the last one that is a trainer's own
	ownNote      decode.Note
	missing      []string // columns that a person named and no file has had
	sawRows      bool     // a file has had rows
	tried        int      // rows that fit no format
}

func newChunkQueue() *chunkQueue {
	return &chunkQueue{pending: &chunkBuilder{}, evaluations: newEvaluations()}
}

// order returns the steps of a file.
func (q *chunkQueue) order(file int32) *attempts.Order {
	if missing := int(file) + 1 - len(q.orders); missing > 0 {
		q.orders = append(q.orders, make([]attempts.Order, missing)...)
	}
	return &q.orders[file]
}

// full reports whether there is enough for a chunk.
func (q *chunkQueue) full() bool { return len(q.ready) > 0 || q.pending.samples >= maxRecords }

// add adds records, with the groups of several runs kept apart.
func (q *chunkQueue) add(f *formats.Format, n decode.Note, records []model.Record) {
	if q.runs.several() {
		q.separate(records)
	}
	q.addRecords(f, n, records)
}

// addRecords adds records as they are.
func (q *chunkQueue) addRecords(f *formats.Format, n decode.Note, records []model.Record) {
	for len(records) > 0 {
		b := q.builderFor(f, n, len(q.pending.blocks) > 0, maxRecords) // a chunk's records come before its blocks
		took := min(maxRecords-b.samples, len(records))
		b.records = append(b.records, records[:took]...)
		b.samples += took
		records = records[took:]
	}
	q.noteFormat(f, n)
}

// addBlock adds a block. All blocks that are read in one go are in one chunk: while the caller works
// on it, the next ones are read.
func (q *chunkQueue) addBlock(f *formats.Format, n decode.Note, k model.Block) {
	if q.runs.several() {
		if records := q.separateBlock(&k); records != nil {
			q.addRecords(f, n, records)
			return
		}
	}
	q.pending.align(&n, &k)
	b := q.builderFor(f, n, false, math.MaxInt)
	b.blocks = append(b.blocks, k)
	b.samples += k.Len()
	q.noteFormat(f, n)
}

// noteFormat notes what the samples added last were read as. A column is missing if no file has it.
func (q *chunkQueue) noteFormat(f *formats.Format, n decode.Note) {
	q.latest, q.lastNote = f, n
	if f.Origin == formats.FromTrainer {
		q.ownFormat, q.ownNote = f, n
	}
	if n.Provenance == "" {
		return // only a header was read
	}
	if !q.sawRows {
		q.sawRows, q.missing = true, slices.Clone(n.Missing)
	}
	q.missing = slices.DeleteFunc(q.missing, func(name string) bool { return !slices.Contains(n.Missing, name) })
}

// builderFor returns the pending chunk, or a new one if that is full, has samples of another kind, or
// startNew is set.
func (q *chunkQueue) builderFor(f *formats.Format, n decode.Note, startNew bool, limit int) *chunkBuilder {
	if startNew || q.pending.samples >= limit || !q.pending.accepts(f, n) {
		q.ready = append(q.ready, q.pending)
		q.pending = &chunkBuilder{}
	}
	q.pending.format, q.pending.note = f, n
	return q.pending
}

// forgetFile drops what was read of a file, here and in chunks that were taken.
func (q *chunkQueue) forgetFile(f *fileReader) {
	q.forgetRows(f)
	q.duplicates.forget(f.index)
	q.evaluations.forget(f.index)
}

// forgetRows drops the samples and problems of a file, but not what they were: other files may repeat
// them.
func (q *chunkQueue) forgetRows(f *fileReader) {
	for _, b := range q.ready {
		b.drop(f.index, f.name)
	}
	q.pending.drop(f.index, f.name)
	q.problemCount -= int(f.problemCount)
	q.pending.skipped -= int(f.skipped)
	q.tried -= f.detection.tried
	f.problemCount, f.skipped, f.detection.tried = 0, 0, 0
	if !slices.Contains(q.pending.forget, f.index) {
		q.pending.forget = append(q.pending.forget, f.index)
	}
}

func (q *chunkQueue) addNotes(notes []string) { q.pending.notes = append(q.pending.notes, notes...) }

// addUntrained counts traces of a file that are no samples: see model.Chunk.
func (q *chunkQueue) addUntrained(file int32, n int) {
	if n == 0 {
		return
	}
	if q.pending.untrained == nil {
		q.pending.untrained = map[int32]int{}
	}
	q.pending.untrained[file] += n
}

func (q *chunkQueue) addProblem(p model.Problem) {
	if q.problemCount < maxProblems {
		q.problemCount++
		q.pending.problems = append(q.pending.problems, p)
	}
}

// next returns the oldest chunk. The pending one is taken only if no other is ready.
func (q *chunkQueue) next() *chunkBuilder {
	if len(q.ready) > 0 {
		b := q.ready[0]
		q.ready = q.ready[1:]
		return b
	}
	b := q.pending
	q.pending = &chunkBuilder{}
	return b
}
