package loaders

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// maxCompared is how many files are compared to see whether a folder holds the same run as before.
const maxCompared = 16

// identity tells whether a directory is the same as before. Filesystems give the number of a removed
// directory to a new one.
type identity struct {
	info os.FileInfo
	born time.Time // zero if unknown
}

func identify(disk *fileio.Disk, path string) (identity, error) {
	info, err := disk.Stat(path)
	return identity{info: info, born: disk.Born(path + string(filepath.Separator) + ".")}, err
}

// checkReplaced takes a directory for one of another attempt if it is another one than before and
// none of the files that were read is there as it was. Some filesystems number the same directory
// anew. It reports whether it was replaced.
func (s *fileSet) checkReplaced(d *directory) bool {
	disk, here := d.onDisk()
	if !here {
		return false // others do not tell whether a directory is another one
	}
	now, err := identify(disk, d.Path)
	if err != nil || os.SameFile(now.info, d.identity.info) && now.born.Equal(d.identity.born) {
		return false
	}
	d.identity = now
	var read []*file
	for _, f := range s.reading.files {
		if f.directory == d && !s.chunks.order(f.index).Empty() {
			read = append(read, f)
		}
	}
	if len(read) == 0 || slices.ContainsFunc(read[max(0, len(read)-maxCompared):], isAsRead) {
		return false
	}
	for _, f := range s.reading.files {
		if f.directory == d {
			s.retire(f)
		}
	}
	s.attempts.folders++
	s.attempts.changed = true
	before := d.Directory
	*d = directory{
		Directory: discover.Directory{Storage: before.Storage, Path: before.Path, Prefix: before.Prefix, Dirs: before.Dirs},
		shown:     d.shown, identity: now,
	}
	for _, dir := range d.Dirs {
		s.reading.schedule.watcher.renew(filepath.Join(d.Path, dir))
	}
	s.reading.schedule.listNow()
	return true
}

func isAsRead(f *file) bool {
	h, info, err := f.disk.Open()
	if err != nil {
		return false
	}
	defer func() { _ = h.Close() }()
	return info.Size() >= f.disk.Pos && f.disk.StartsTheSame(h)
}

// retire reads a file no more: its folder was replaced. What was read of it is kept.
func (s *fileSet) retire(f *file) {
	s.attempts.replaced[f.index] = replacedFile{written: f.disk.Modified(), number: s.attempts.folders}
	s.reading.bytes.total -= f.disk.Size
	s.reading.bytes.read -= f.disk.Pos
	delete(s.byPath, f.disk.Key())
	sch, is := &s.reading.schedule, func(o *file) bool { return o == f }
	sch.active, sch.recent = slices.DeleteFunc(sch.active, is), slices.DeleteFunc(sch.recent, is)
	s.chunks.duplicates.forget(f.index)
	s.chunks.evaluations.ForgetNewest(f.index)
	s.reading.texts.retire(f.index)
	if f.packed != nil {
		f.packed.close()
	}
	f.releaseWorkers()
	f.disk, f.directory, f.packed, f.decoder, f.scratch = nil, nil, nil, nil, nil
	f.queued, f.recent, f.failing = false, false, false
}

// A file that is gone keeps what was read of it: it was rotated out of the folder. If it is still there under another
// name, by which it is read too, its rows would count twice.

// dropRenamed drops what was read of files that are gone if h, with info, is one of them.
func (s *fileSet) dropRenamed(h fileio.Handle, info os.FileInfo) {
	for _, g := range s.gone {
		if g.disk != nil && g.wasRenamedTo(h, info) {
			s.dropGone(g)
		}
	}
}

// wasRenamedTo reports whether an open file is the one that was read under f's name. A new file may have the number
// of a deleted one, so its bytes are compared too.
func (f *file) wasRenamedTo(h fileio.Handle, info os.FileInfo) bool {
	d := f.disk
	return d.Info != nil && fileio.SameFile(d.Info, info) && info.Size() >= d.Pos && d.StartsTheSame(h)
}

// dropIfRenamed drops what was read of a file that has just gone if one of those that were read since is it, or its
// compressed copy is there.
func (s *fileSet) dropIfRenamed(g *file, listed map[string]bool) {
	if g.disk.Info == nil {
		return
	}
	for _, packed := range framing.PackedExtensions() {
		if listed[g.disk.Path+packed] {
			s.dropGone(g)
			return
		}
	}
	for _, f := range s.reading.files {
		if f == g || f.disk == nil || f.disk.Info == nil || !fileio.SameFile(f.disk.Info, g.disk.Info) {
			continue
		}
		h, info, err := f.disk.Open()
		if err != nil {
			continue
		}
		renamed := g.wasRenamedTo(h, info)
		_ = h.Close()
		if renamed {
			s.dropGone(g)
			return
		}
	}
}

// dropGone drops what was read of a file that is gone. If it comes back, it is read from its start.
func (s *fileSet) dropGone(g *file) {
	s.reading.restart(g)
	s.reading.bytes.total -= g.disk.Size
	g.disk.Info, g.disk.Size = nil, 0
	s.attempts.changed = true
}

// A trainer may write the same samples into two files, as miles into rollout_data/3.pt and trajectory/3.jsonl. Where both are there, one
// of them is left out: see [formats.Format.Twin].

// twins are the files of a directory of which a trainer writes others that hold no more.
type twins struct {
	listed  map[string][]string // names of those files, by their last part without extension
	leftOut []string            // names of the others, as far as they were left out
	example string              // the twin of the first
	noted   int                 // how many were left out when that was noted last
}

// list takes the files of a listing of d that may be twins.
func (t *twins) list(all []formats.Format, d *directory, files []string) {
	t.listed = map[string][]string{}
	extensions := model.Mapped(all, func(f formats.Format) string { return f.Twin })
	for _, rel := range files {
		if ext := filepath.Ext(rel); ext != "" && slices.Contains(extensions, ext) {
			name := joinName(d.Prefix, rel)
			t.listed[stem(name)] = append(t.listed[stem(name)], name)
		}
	}
}

func stem(name string) string { return strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)) }

// leavesOut reports whether a file of the format has a twin, in its folder or in one that lies beside it, and notes that.
func (t *twins) leavesOut(name string, format *formats.Format) bool {
	if format.Twin == "" {
		return false
	}
	dir := filepath.Dir(name)
	i := slices.IndexFunc(t.listed[stem(name)], func(twin string) bool {
		twinDir := filepath.Dir(twin)
		return filepath.Ext(twin) == format.Twin && (twinDir == dir || filepath.Dir(twinDir) == filepath.Dir(dir))
	})
	if i < 0 {
		return false
	}
	if len(t.leftOut) == 0 {
		t.example = t.listed[stem(name)][i]
	}
	t.leftOut = append(t.leftOut, name)
	return true
}

// noteTwins notes how many files were left out because of their twins, once all is read, and again when they are twice as many.
func (s *fileSet) noteTwins() {
	for _, d := range s.directories {
		t := &d.twins
		if n := len(t.leftOut); n == 0 || n < 2*t.noted || len(s.reading.queue) > 0 {
			continue
		}
		t.noted = len(t.leftOut)
		why, do := "holds the same samples", "give it by itself to read it"
		if t.noted > 1 {
			why, do = "and the like hold the same samples", "give them by themselves to read them"
		}
		s.chunks.addNotes([]string{fmt.Sprintf("counted once: %s, because %s %s; %s", discover.Summarize(t.leftOut), t.example, why, do)})
	}
}

// In the directory of a trainer's log there are other files that look like logs: a data set with a
// column of scores, metrics, W&B's tables of the same samples. They would be counted with it, so
// once a directory holds a trainer's own log, only that is read.

// leavesOut reports whether a file of a format is not read since its directory holds something better, and notes that: of side
// files once for each format, of twins by [fileSet.noteTwins].
func (d *directory) leavesOut(name string, format *formats.Format, chunks *chunkQueue) bool {
	if d.ownFormat == nil || format.Origin == formats.FromTrainer {
		return d.twins.leavesOut(name, format)
	}
	if !slices.Contains(d.leftOut, format.Name) {
		d.leftOut = append(d.leftOut, format.Name)
		chunks.addNotes([]string{fmt.Sprintf("%s (%s) and the like, because the log of %s is next to it; open it by itself to read it",
			name, format.Name, d.ownFormat.Name)})
	}
	return true
}

// leaveOut drops what was read of the files of a directory for which there is something better now. If a person named the
// format, nothing is left out.
func (s *fileSet) leaveOut(d *directory) {
	for _, f := range s.reading.files {
		if f.directory == d && f.hasStep && !f.refused && len(s.formats) > 1 && d.leavesOut(f.name, f.format, s.chunks) {
			s.reading.drop(f)
		}
	}
}

// leaveOutSideFiles leaves out what lies beside a trainer's own log, once f turns out to be the first of those, or to lie beside
// one.
func (s *fileSet) leaveOutSideFiles(f *file) (left bool) {
	d := f.directory
	if d == nil || !f.hasStep || f.refused || len(s.formats) == 1 {
		return false
	}
	switch isOwn := f.format.Origin == formats.FromTrainer; {
	case isOwn && d.ownFormat == nil:
		d.ownFormat = f.format
		s.leaveOut(d)
	case !isOwn && d.leavesOut(f.name, f.format, s.chunks):
		s.reading.drop(f)
	}
	return f.refused
}

// noteSideFiles notes, once all is read, which files hold no samples: before, the order of notes would be a matter of time.
// If their directory holds a trainer's own log they are notes, once for each name; if nothing better was found they are problems.
// Averages next to samples are neither: the diagnosis reads them, see [Source.Scalars].
func (s *fileSet) noteSideFiles() {
	if len(s.reading.queue) > 0 {
		return
	}
	for _, d := range s.directories {
		hasSamples := slices.ContainsFunc(s.reading.files, func(f *file) bool { return f.directory == d && f.hasStep && !f.refused })
		for _, p := range d.withoutSamples {
			switch base := filepath.Base(p.File); {
			case p.isAverages && hasSamples:
			case d.ownFormat == nil:
				s.chunks.addProblem(p.Problem)
			case !slices.Contains(d.notedNames, base):
				d.notedNames = append(d.notedNames, base)
				p.Reason, _, _ = strings.Cut(p.Reason, "; ") // what to do: nothing, since samples lie beside it
				s.chunks.addNotes([]string{p.String()})
			}
		}
		d.withoutSamples = nil
	}
}

func (r *reading) drop(f *file) {
	r.restart(f)
	f.refused = true
	r.advance(f, f.disk.Size)
	runs := &r.chunks.runs // which owns no steps for it any more
	maps.DeleteFunc(runs.stepOwners, func(_ int64, owner int32) bool { return owner == runs.fileDirs[f.index] })
	r.chunks.latest, r.chunks.lastNote = r.chunks.ownFormat, r.chunks.ownNote
}

// duplicateFinder finds blocks of rows that a trainer logged twice. TRL and ms-swift log from a queue
// that they do not empty: a generation that serves several steps, an evaluation or the final log
// repeats the block of an earlier step, or of the same one. Each of W&B's tables repeats the rows of
// those before it.
type duplicateFinder struct {
	recent     [maxRecent]blockID
	nextRecent int
	files      map[blockKey]int32 // the file of each block
	repeats    map[int32][]int32  // by file, the files that repeat blocks of it
}

type blockID struct {
	blockKey
	file int32
}

type blockKey struct {
	hash uint64
	rows int
	step int64
}

const (
	maxRecent = 8       // blocks of other steps that a new one is compared with
	minBlock  = 4       // rows: fewer may be equal by chance
	maxKnown  = 1 << 16 // blocks that are remembered
)

// recordsID identifies a block of records. The hashes of the responses are part of it where they are
// known, since short responses have equal lengths by chance.
func recordsID(records []model.Record, responses ...uint64) blockID {
	if len(records) == 0 || records[0].Length < 0 {
		return blockID{}
	}
	b := make([]byte, 0, rowIDSize*len(records))
	for i := range records {
		x := &records[i]
		b = appendRowID(b, x.Prompt, x.Reward, x.Advantage, x.Length)
	}
	for _, hash := range responses {
		b = binary.LittleEndian.AppendUint64(b, hash)
	}
	return blockID{blockKey: blockKey{hash: jsonscan.Hash64(b), rows: len(records), step: records[0].Step}, file: records[0].File}
}

func columnsID(k *model.Block) blockID {
	if k.Len() == 0 || k.Length[0] < 0 {
		return blockID{}
	}
	b := make([]byte, 0, rowIDSize*k.Len())
	for i := range k.Len() {
		prompt, advantage := uint64(0), math.NaN()
		if k.Prompt != nil {
			prompt = k.Prompts[k.Prompt[i]].Hash
		}
		if k.Advantage != nil {
			advantage = k.Advantage[i]
		}
		b = appendRowID(b, prompt, k.Reward[i], advantage, k.Length[i])
	}
	return blockID{blockKey: blockKey{hash: jsonscan.Hash64(b), rows: k.Len(), step: k.Step[0]}, file: k.File}
}

const rowIDSize = 28

func appendRowID(b []byte, prompt uint64, reward, advantage float64, length int32) []byte {
	b = binary.LittleEndian.AppendUint64(b, prompt)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(reward))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(advantage))
	return binary.LittleEndian.AppendUint32(b, uint32(length))
}

// find returns the step whose block this one repeats, row by row. A block that repeats none is
// remembered.
func (d *duplicateFinder) find(now blockID) (step int64, found bool) {
	if now.rows == 0 {
		return 0, false
	}
	if file, ok := d.files[now.blockKey]; ok && (now.rows >= minBlock || file != now.file) {
		d.noteRepeat(file, now.file)
		return now.step, true
	}
	for _, old := range d.recent {
		if old.hash == now.hash && old.rows == now.rows && now.rows >= minBlock {
			d.noteRepeat(old.file, now.file)
			return old.step, true
		}
	}
	d.recent[d.nextRecent%maxRecent] = now
	d.nextRecent++
	if len(d.files) >= maxKnown {
		clear(d.files)
	}
	d.files[now.blockKey] = now.file
	return 0, false
}

func (d *duplicateFinder) noteRepeat(file, by int32) {
	if file == by || slices.Contains(d.repeats[file], by) {
		return
	}
	d.repeats[file] = append(d.repeats[file], by)
}

func (d *duplicateFinder) forget(file int32) {
	for i, old := range d.recent {
		if old.file == file {
			d.recent[i] = blockID{}
		}
	}
	maps.DeleteFunc(d.files, func(_ blockKey, in int32) bool { return in == file })
}

// dropRepeats returns the records without the blocks that were logged before, in the same memory.
func (f *fileReader) dropRepeats(records []model.Record) []model.Record {
	if !f.format.MayRepeatRows {
		return records
	}
	var responses []uint64
	if d, ok := f.decoder.(*decode.RowDecoder); ok && len(d.ResponseHashes) == len(records) {
		responses = d.ResponseHashes
	}
	kept := records[:0]
	for from, to := range stretches(records, func(x, y *model.Record) bool { return x.Step == y.Step }) {
		isRepeat := f.isRepeat(recordsID(records[from:to], responses[min(from, len(responses)):min(to, len(responses))]...))
		isWanted := true
		if f.format.Evaluation == formats.AfterTrainingRows && f.mayHoldEvaluation() {
			isWanted = f.chunks.evaluations.Wants(f.isLoggedAgain(records[from:to], isRepeat))
		}
		if !isRepeat && isWanted {
			kept = append(kept, records[from:to]...)
		}
	}
	return kept
}

// tableID identifies the block of a Parquet file that was read last, by what identifies its rows and
// the hashes of its responses, where they are known.
func (f *file) tableID(now blockID) blockID {
	hash := f.packed.responseHash
	f.packed.responseHash = 0
	byColumns := f.packed.reader != nil && f.packed.reader.ByColumns()
	if hash == 0 && byColumns {
		hash = f.packed.reader.ResponseHash()
	}
	switch d, ok := f.decoder.(*decode.RowDecoder); {
	case hash != 0:
		now.hash = jsonscan.MixHash(now.hash, hash)
	case ok && !byColumns:
		for _, hash := range d.ResponseHashes {
			now.hash = jsonscan.MixHash(now.hash, hash)
		}
		d.ResponseHashes = d.ResponseHashes[:0]
	}
	return now
}

// isRepeat reports whether a block was logged before, and notes it.
func (f *fileReader) isRepeat(now blockID) bool {
	step, found := f.chunks.duplicates.find(now)
	switch {
	case found && step != now.step:
		f.chunks.addNotes([]string{fmt.Sprintf("counted once: the %d rows that %s logged for step %d are those of step %d",
			now.rows, f.name, now.step, step)})
	case found:
		f.chunks.addNotes([]string{fmt.Sprintf("counted once: rows of a step that %s logged again for the same step", f.format.Name)})
	}
	return found
}
