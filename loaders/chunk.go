package loaders

import (
	"fmt"
	"iter"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/formats"
	"vantage/loaders/jsonscan"
	"vantage/loaders/runs"
	"vantage/model"
)

// The bounds of a chunk. Problems beyond them are counted, but not described.
const (
	maxRecords      = 4096 // blocks are not divided
	maxFileProblems = 100
	maxProblems     = 1000 // of all files
)

type chunkBuilder struct {
	model.Chunk // but for what chunk adds
	format      *formats.Format
	note        decode.Note
	samples     int // in records and blocks
}

func (b *chunkBuilder) empty() bool {
	hasRows := b.samples > 0 || b.Skipped > 0 || len(b.PassedOver) > 0
	hasNews := len(b.Forget) > 0 || len(b.Problems) > 0 || len(b.Notes) > 0 || b.Attempts != nil
	return !hasRows && !hasNews
}

func (b *chunkBuilder) chunk(names []string) *model.Chunk {
	c, n := &b.Chunk, &b.note
	c.Files, c.ComponentNames = names, n.Components
	c.Provenance, c.LengthUnit, c.HasTruth, c.HasTotal, c.SumsComponents = n.Provenance, n.LengthUnit, n.HasTruth, n.HasTotal, false
	if b.format != nil {
		trainerAddsUp := n.NamesRewards && b.format.Framework != "" // what it calls rewards
		c.SumsComponents = n.SumsComponents && !trainerAddsUp
		c.Evaluates = b.evaluates(names)
		c.Format, c.Framework, c.Positional = b.format.Name, b.format.Framework, b.format.Positional
		c.NamesRewards, c.Stepless, c.GroupIsIndex = n.NamesRewards, n.Stepless, n.GroupIsIndex
	}
	return c
}

func (b *chunkBuilder) evaluates(names []string) bool {
	last := int32(-1)
	for i := range b.Records {
		if file := b.Records[i].File; file != last && !b.format.Evaluates(names[file]) {
			return false
		}
		last = b.Records[i].File
	}
	return b.samples > 0 && !slices.ContainsFunc(b.Blocks, func(k model.Block) bool { return !b.format.Evaluates(names[k.File]) })
}

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

// take says what the next samples are. They may be of another file than those before, of which some may have a total, or none.
func (b *chunkBuilder) take(f *formats.Format, n decode.Note) {
	n.HasTotal, n.SumsComponents = n.HasTotal || b.note.HasTotal, n.SumsComponents || b.note.SumsComponents
	b.format, b.note = f, n
}

func (b *chunkBuilder) drop(file int32, name string) {
	b.Records = slices.DeleteFunc(b.Records, func(r model.Record) bool { return r.File == file })
	b.Blocks = slices.DeleteFunc(b.Blocks, func(k model.Block) bool { return k.File == file })
	b.samples = len(b.Records)
	for i := range b.Blocks {
		b.samples += b.Blocks[i].Len()
	}
	if b.samples == 0 {
		b.format, b.note = nil, decode.Note{}
	}
	delete(b.PassedOver, file)
	b.Problems = slices.DeleteFunc(b.Problems, func(p model.Problem) bool { return p.File == name })
}

// chunkQueue turns what files yield into chunks.
type chunkQueue struct {
	ready        []*chunkBuilder // full, oldest first
	pending      *chunkBuilder   // takes the next samples
	problemCount int             // of all chunks
	duplicates   duplicateFinder
	runs         runDirs
	orders       []runs.Order // the steps of each file, see order
	evaluations  runs.Evaluations
	latest       *formats.Format // of the samples added last
	lastNote     decode.Note
	ownFormat    *formats.Format // the last one that is a trainer's own
	ownNote      decode.Note
	missing      []string // columns that a person named and no file has had
	sawRows      bool     // a file has had rows
	tried        int      // rows that fit no format

	contents map[int32]*content // of files that may be copies of others
}

func newChunkQueue() *chunkQueue {
	return &chunkQueue{
		pending: &chunkBuilder{}, duplicates: duplicateFinder{files: map[blockKey]int32{}, repeats: map[int32][]int32{}},
		runs: runDirs{numbers: map[runDir]int32{}, stepOwners: map[int64]int32{}, noted: map[int32]bool{}, versionsIn: map[string]bool{}},
	}
}

func (q *chunkQueue) order(file int32) *runs.Order {
	if missing := int(file) + 1 - len(q.orders); missing > 0 {
		q.orders = append(q.orders, make([]runs.Order, missing)...)
	}
	return &q.orders[file]
}

func (q *chunkQueue) full() bool { return len(q.ready) > 0 || q.pending.samples >= maxRecords }

// add adds records, with the groups of several runs kept apart.
func (q *chunkQueue) add(f *formats.Format, n decode.Note, records []model.Record) {
	if q.runs.several() {
		q.separate(records)
	}
	q.addRecords(f, n, records)
}

func (q *chunkQueue) addRecords(f *formats.Format, n decode.Note, records []model.Record) {
	if len(q.contents) > 0 {
		q.addContents(records)
	}
	for len(records) > 0 {
		b := q.builderFor(f, n, len(q.pending.Blocks) > 0, maxRecords) // a chunk's records come before its blocks
		took := min(maxRecords-b.samples, len(records))
		b.Records = append(b.Records, records[:took]...)
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
	if c := q.contents[k.File]; c != nil {
		for i := range k.Len() {
			c.add(k.Step[i], k.Reward[i])
		}
	}
	q.pending.align(&n, &k)
	b := q.builderFor(f, n, false, math.MaxInt)
	b.Blocks = append(b.Blocks, k)
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

// builderFor returns the pending chunk, or a new one if that is full, has samples of another kind, or startNew is set: a chunk has
// one format, one unit of lengths and one order of components.
func (q *chunkQueue) builderFor(f *formats.Format, n decode.Note, startNew bool, limit int) *chunkBuilder {
	b := q.pending
	isAlike := b.format == f && b.note.LengthUnit == n.LengthUnit && b.note.HasTruth == n.HasTruth
	fits := b.samples == 0 || isAlike && hasPrefix(n.Components, b.note.Components)
	if startNew || b.samples >= limit || !fits {
		q.ready = append(q.ready, q.pending)
		q.pending = &chunkBuilder{}
	}
	q.pending.take(f, n)
	return q.pending
}

// forgetRows drops the samples and problems of a file, but not what they were: other files may repeat
// them.
func (q *chunkQueue) forgetRows(f *fileReader) {
	for _, b := range q.ready {
		b.drop(f.index, f.name)
	}
	q.pending.drop(f.index, f.name)
	if c := q.contents[f.index]; c != nil {
		*c = content{}
	}
	q.problemCount -= int(f.problemCount)
	q.pending.Skipped -= int(f.skipped)
	q.tried -= f.detection.tried
	f.problemCount, f.skipped, f.detection.tried = 0, 0, 0
	if !slices.Contains(q.pending.Forget, f.index) {
		q.pending.Forget = append(q.pending.Forget, f.index)
	}
}

func (q *chunkQueue) addNotes(notes []string) { q.pending.Notes = append(q.pending.Notes, notes...) }

// addPassedOver counts rows of a file that are no samples: see model.Chunk.
func (q *chunkQueue) addPassedOver(file int32, n model.PassedOver) {
	if n == (model.PassedOver{}) {
		return
	}
	if q.pending.PassedOver == nil {
		q.pending.PassedOver = map[int32]model.PassedOver{}
	}
	before := q.pending.PassedOver[file]
	q.pending.PassedOver[file] = model.PassedOver{Untrained: before.Untrained + n.Untrained, Evaluated: before.Evaluated + n.Evaluated}
}

func (q *chunkQueue) addProblem(p model.Problem) {
	if q.problemCount < maxProblems {
		q.problemCount++
		q.pending.Problems = append(q.pending.Problems, p)
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

// runDirs keeps the samples of different runs apart: rows in two directories are never in one group,
// even if step and prompt are equal. It is easy to open the directory above two runs, and validation
// uses prompts of training.
type runDirs struct {
	dirs          []runDir
	numbers       map[runDir]int32 // indexes in dirs
	fileDirs      []int32          // index in dirs, by file
	names         []string         // of the files
	stepOwners    map[int64]int32  // index in dirs of the directory that had the first samples of a step
	firstUntil    int64            // steps up to this one belong to the first directory
	hasFirstUntil bool
	versionsIn    map[string]bool // directories of one run, with a directory of digits for each version of the policy
	noted         map[int32]bool  // directories whose steps were noted to be another's too
}

type runDir struct {
	path       string
	validation bool
}

// trialResult is what Harbor writes into the folder of each trial of a job.
const trialResult = "result.json"

// RunFolder returns the folder of the run that a file is of, by its relative path: folders of steps, processes and trials are of one run.
func RunFolder(name string) string { return runDirOf(name).path }

// runDirOf returns the directory of a file, with directories of steps, processes and trials as "*".
func runDirOf(name string) runDir {
	parts := strings.Split(filepath.ToSlash(dirOfName(name)), "/")
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "." || part == "all" || part == "effective" })
	for i, part := range parts {
		if discover.IsNumbered(part) {
			parts[i] = "*"
		}
	}
	if n := len(parts); n > 0 && filepath.Base(name) == trialResult {
		parts[n-1] = "*" // a folder per trial
	}
	return runDir{path: strings.Join(parts, "/"), validation: discover.IsValidation(name)}
}

// dirOf is the directory of a file, with the versions of a policy as "*" where they are known to be such.
func (d *runDirs) dirOf(name string) runDir {
	dir := runDirOf(name)
	if parent, version := path.Split(dir.path); decode.IsDigits(version) && d.versionsIn[parent] {
		dir.path = parent + "*"
	}
	return dir
}

// joinVersions takes the directories that are next to that of a file, and like it only a number, for versions of the policy of one run: the
// trainer that writes the file's format has one for each step. Files may get another number than they had: see [model.Chunk].
func (d *runDirs) joinVersions(name string) {
	parent, version := path.Split(runDirOf(name).path)
	if !decode.IsDigits(version) || d.versionsIn[parent] {
		return
	}
	d.versionsIn[parent] = true
	before := d.fileDirs
	d.dirs, d.fileDirs = nil, make([]int32, 0, len(before))
	clear(d.numbers)
	renamed := map[int32]int32{}
	for i, name := range d.names {
		d.number(d.dirOf(name))
		renamed[before[i]] = d.fileDirs[i]
	}
	for step, owner := range d.stepOwners {
		d.stepOwners[step] = renamed[owner]
	}
	noted := map[int32]bool{}
	for at := range d.noted {
		noted[renamed[at]] = true
	}
	d.noted = noted
}

// addFile adds the next file. newest is the file with the newest step so far, nil if none has a step.
func (d *runDirs) addFile(name string, newest *file) {
	dir := d.dirOf(name)
	if _, known := d.numbers[dir]; !known && len(d.dirs) == 1 && newest != nil {
		d.firstUntil, d.hasFirstUntil = newest.newestStep, true
	}
	d.names = append(d.names, name)
	d.number(dir)
}

// number gives the next file the number of its directory.
func (d *runDirs) number(dir runDir) {
	i, ok := d.numbers[dir]
	if !ok {
		i = int32(len(d.dirs))
		d.dirs, d.numbers[dir] = append(d.dirs, dir), i
	}
	d.fileDirs = append(d.fileDirs, i)
}

func (d *runDirs) several() bool { return len(d.dirs) > 1 }

// toTell reports whether files are of several directories, or were thought to be.
func (d *runDirs) toTell() bool { return len(d.dirs) > 1 || len(d.versionsIn) > 0 }

// otherOwner returns the directory that had the first samples of a step, and whether that is another
// than the file's.
func (d *runDirs) otherOwner(file int32, step int64) (owner int32, other bool) {
	at := d.fileDirs[file]
	owner, ok := d.stepOwners[step]
	switch {
	case ok:
	case d.hasFirstUntil && step <= d.firstUntil:
		owner = 0
	default:
		d.stepOwners[step], owner = at, at
	}
	return owner, owner != at
}

// stretches are the parts of a list whose elements are alike, one after the other: where each begins and ends.
func stretches[T any](all []T, alike func(x, y *T) bool) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from, to := 0, 1; from < len(all); to++ {
			if to == len(all) || !alike(&all[from], &all[to]) {
				if !yield(from, to) {
					return
				}
				from = to
			}
		}
	}
}

// separate marks records of steps that another directory owns, so that they join none of its groups.
func (q *chunkQueue) separate(records []model.Record) {
	d := &q.runs
	for from, to := range stretches(records, func(x, y *model.Record) bool { return x.Step == y.Step && x.File == y.File }) {
		r := &records[from]
		if owner, other := d.otherOwner(r.File, r.Step); other {
			at := d.fileDirs[r.File]
			q.noteSharedSteps(owner, at, r.Step)
			for i := from; i < to; i++ {
				d.dirs[at].mark(&records[i])
			}
		}
	}
}

// separateBlock is separate for a block. It returns nil if nothing needs a mark, or else the marked
// records of the block.
func (q *chunkQueue) separateBlock(k *model.Block) []model.Record {
	for i, step := range k.Step {
		if i > 0 && step == k.Step[i-1] {
			continue
		}
		if _, other := q.runs.otherOwner(k.File, step); other {
			records := k.Records()
			q.separate(records)
			return records
		}
	}
	return nil
}

func (d runDir) mark(r *model.Record) {
	name := d.path
	if d.validation {
		name = strings.TrimPrefix(name+" validation", " ")
	}
	if r.Prompt != 0 {
		r.Prompt = max(1, r.Prompt^jsonscan.Hash64([]byte(name)))
	}
	if r.Group != "" {
		r.Group = name + ": " + r.Group
	}
}

// noteSharedSteps notes, once, that two directories hold the same step.
func (q *chunkQueue) noteSharedSteps(owner, at int32, step int64) {
	d := &q.runs
	one, two := d.dirs[owner], d.dirs[at]
	if d.noted[at] || one.validation != two.validation {
		return
	}
	d.noted[at] = true
	q.addNotes([]string{fmt.Sprintf("nothing, although two folders hold the same steps: %s and %s, both step %d. "+
		"Their groups are kept apart, but the metrics of such a step count both: if these are two runs, open one of them, "+
		"or `vantage compare` the two", one.name(), two.name(), step)})
}

func (d runDir) name() string {
	if d.path == "" {
		return "the folder itself"
	}
	return d.path
}
