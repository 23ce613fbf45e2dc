package loaders

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"vantage/loaders/decode"
	"vantage/loaders/decode/fast"
	"vantage/loaders/framing"
	"vantage/model"
	"vantage/model/fault"
)

// The large rest of a file of lines is read in strides, by as many workers as there are processors, up
// to maxWorkers: the node has other work.
const (
	maxWorkers       = 4
	maxStrides       = 512     // of a round: between two merges all workers wait for the last one
	maxRoundRows     = 1 << 17 // a round that has more ends: its blocks are held until the next chunk is read
	minParallelBytes = 2 << 20
)

// readParallel reads strides until the deadline. It stops near the file's end, and at a stride from
// which a worker learned something new about the log: that is read line by line, so that all decoders
// learn it in the order of the lines.
func (r *reading) readParallel(f *file, h io.ReaderAt, size int64, deadline time.Time) error {
	lead := f.parallelDecoder()
	if lead == nil || f.workers == nil && !r.isLargeRest(f, size) {
		f.workers = nil
		return nil
	}
	r.seekLineStart(f)
	for !r.chunks.full() && time.Now().Before(deadline) {
		tasks, err := r.nextStrides(f, h, size)
		if err != nil || len(tasks) == 0 {
			f.workers = nil
			return err
		}
		for i := range r.decodeStrides(f, h, lead, tasks, deadline) {
			task := &tasks[i]
			if task.err != nil {
				return task.err
			}
			if !lead.SameNote(task.note) {
				return nil
			}
			r.merge(f, task)
			*task = strideTask{} // the next round keeps nothing of it in memory
		}
	}
	return nil
}

func (r *reading) isLargeRest(f *file, size int64) bool {
	return !r.options.serial && size-f.disk.Pos >= minParallelBytes
}

type noteDecoder interface {
	decode.Decoder
	SameNote(n decode.Note) bool
}

// parallelDecoder returns the decoder that workers clone, nil if the file must be read line by line
// now.
func (f *file) parallelDecoder() noteDecoder {
	hasFormat := !f.refused && f.format != nil && !f.format.MayRepeatRows
	isPlain := f.splitter.DroppedBytes == 0 && !f.splitter.Unterminated
	isAtLongLine := len(f.splitter.Partial) > extraRead
	if !hasFormat || !isPlain || isAtLongLine {
		return nil
	}
	switch d := f.decoder.(type) { // not one that embeds it: text has rows of other kinds
	case *decode.RowDecoder:
		if f.splitter.Framing == (framing.Framing{}) && !d.InOrder {
			return d
		}
	case *decode.CSVDecoder:
		if d.HasHeader() && !d.InOrder {
			return d
		}
	}
	return nil
}

// seekLineStart moves the position back to the start of the partial line.
func (r *reading) seekLineStart(f *file) { r.advance(f, -f.splitter.Rewind()) }

func (r *reading) workerCount() int {
	if r.options.serial {
		return 1
	}
	return min(maxWorkers, runtime.GOMAXPROCS(0))
}

func (r *reading) nextStrides(f *file, h io.ReaderAt, size int64) ([]strideTask, error) {
	from := f.disk.Pos
	whole := min(maxStrides, (size-from)/strideBytes)
	last := 0
	if at := from + whole*strideBytes; whole < maxStrides && at < size {
		var err error
		if last, err = r.wholeLines(h, at, size); err != nil {
			return nil, err
		}
	}
	if cap(r.buffers.strides) <= int(whole) {
		r.buffers.strides = make([]strideTask, whole+1)
	}
	tasks := r.buffers.strides[:whole]
	for i := range tasks {
		tasks[i] = strideTask{from: from + int64(i)*strideBytes, size: strideBytes, first: i == 0}
	}
	if last > 0 {
		tasks = append(tasks, strideTask{from: from + whole*strideBytes, size: last, first: whole == 0})
	}
	return tasks, nil
}

// decodeStrides decodes strides until the deadline, and returns those that it has decoded.
func (r *reading) decodeStrides(f *file, h io.ReaderAt, lead noteDecoder, tasks []strideTask, deadline time.Time) []strideTask {
	_, isCSV := lead.(*decode.CSVDecoder)
	for i := range tasks {
		if isCSV {
			tasks[i].endsInQuotes = make(chan bool, 1)
		}
		if i > 0 {
			tasks[i].inQuotes = tasks[i-1].endsInQuotes
		}
	}
	// Workers that know what the file's own decoder knows are kept, since they remember prompts.
	f.workers = slices.DeleteFunc(f.workers, func(w *worker) bool { return !lead.SameNote(w.decoder.Note()) })
	for len(f.workers) < r.workerCount() {
		f.workers = append(f.workers, newWorker(lead))
	}
	round := strideRound{tasks: tasks, pool: &r.buffers.blocks, lead: lead, deadline: deadline}
	var all fault.Group
	for _, worker := range f.workers {
		all.Go(func() {
			for task := round.take(); task != nil; task = round.take() {
				worker.decode(h, task)
				round.done(task)
			}
		})
	}
	all.Wait()
	return tasks[:round.taken]
}

// strideRound hands out strides to workers, in their order.
type strideRound struct {
	tasks    []strideTask
	deadline time.Time

	mu    sync.Mutex
	pool  *blockPool
	lead  noteDecoder
	taken int
	rows  int // of the strides that are decoded
	ended bool
}

func (r *strideRound) take() *strideTask {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended || r.taken == len(r.tasks) {
		return nil
	}
	task := &r.tasks[r.taken]
	task.block = r.pool.get()
	r.taken++
	return task
}

// done counts the rows of a stride. It ends the round if there are enough, or the strides after it cannot be used.
func (r *strideRound) done(task *strideTask) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows += task.block.Len()
	if r.rows >= maxRoundRows || task.err != nil || !r.lead.SameNote(task.note) || !time.Now().Before(r.deadline) {
		r.ended = true
	}
}

// merge adds the samples of a stride to the chunks, as if it had been read line by line.
func (r *reading) merge(f *file, task *strideTask) {
	base := f.splitter.Lines
	for i := range task.records {
		rec := &task.records[i]
		rec.File, rec.Line = f.index, base+rec.Line
	}
	if f.format.Layout != nil {
		f.nameGroups(task.records)
	}
	f.noteSteps(task.records, &task.block)
	for _, p := range task.problems {
		f.skipLine(framing.Record{Number: base + p.Line}, p.Reason)
	}
	f.chunks.addPassedOver(f.index, task.passedOver)
	f.chunks.add(f.format, task.note, task.records)
	if task.block.Len() > 0 {
		task.block.File = f.index
		f.chunks.addBlock(f.format, task.note, task.block)
	}
	f.splitter.Lines += task.lines
	switch {
	case f.packed != nil:
		f.splitter.Offset = task.end
	case task.end > f.disk.Pos:
		r.advance(f, task.end-f.disk.Pos)
		f.splitter.Offset = task.end
	}
}

const (
	strideBytes   = 512 << 10
	overlap       = 8 << 10         // read beyond a stride, where its last line mostly ends
	extraRead     = 32 << 10        // read beyond that if it does not
	maxWorkerLine = 16 << 20        // longer lines are left to line by line reading
	maxKeptBuffer = 4 * strideBytes // larger buffers are dropped after a long line
)

// worker decodes strides, one at a time. It has its own memory, which stays in its processor's cache.
type worker struct {
	decoder decode.Decoder
	fast    rowReader // nil if only the decoder can read rows
	quoted  bool      // a newline between double quotes ends no record
	buf     []byte
}

// rowReader reads most rows into a block, and leaves the others to the decoder.
type rowReader interface {
	BeginBlock(old model.Block)
	EndBlock() model.Block
	ReadRows(p []byte, at, limit int, offset int64) (end, lines int)
	AddRecord(rec *model.Record)
	Learn(record []byte)
}

// strideTask is a stride, that is the lines that start in a range of the file, and the result of decoding it.
type strideTask struct {
	from  int64 // start of the range
	size  int   // of the range, at most strideBytes
	first bool  // a line starts at from

	// Of CSV, for each stride and the one after it: whether its first byte stands between quotes.
	inQuotes, endsInQuotes chan bool

	block      model.Block    // with a fast reader; its memory is reused
	records    []model.Record // without one
	problems   []model.Problem
	passedOver model.PassedOver
	lines      int64 // how many
	end        int64 // start of the line after the last
	note       decode.Note
	err        error
}

// newWorker returns a worker that knows what lead knows: a RowDecoder or a CSVDecoder.
func newWorker(lead decode.Decoder) *worker {
	w := &worker{}
	switch lead := lead.(type) {
	case *decode.CSVDecoder:
		clone := lead.Clone()
		w.decoder, w.quoted = clone, true
		if clone.ReadCell == nil && !clone.IsWide() && readsTraining(clone.RowDecoder) {
			w.fast = fast.NewCSV(clone)
		}
	case *decode.RowDecoder:
		clone := lead.Clone()
		w.decoder = clone
		if clone.Layout == nil && readsTraining(clone) {
			w.fast = fast.New(clone)
		}
	}
	return w
}

// readsTraining reports whether rows of training are wanted, which are those that are read fast.
func readsTraining(r *decode.RowDecoder) bool { return r.Wants == nil || r.Wants(false) }

// decode decodes the lines that start in the stride. The last one may end beyond it.
func (w *worker) decode(h io.ReaderAt, task *strideTask) {
	if cap(w.buf) > maxKeptBuffer || cap(w.buf) < strideBytes+overlap {
		w.buf = make([]byte, strideBytes+overlap)
	}
	w.buf = w.buf[:strideBytes+overlap]
	if task.endsInQuotes != nil {
		defer close(task.endsInQuotes) // so that the next stride is read, whatever happens to this one
	}
	fault.Plant("worker", "")
	n, err := h.ReadAt(w.buf, task.from)
	if err != nil && (!errors.Is(err, io.EOF) || n < task.size) {
		task.err = err
		return
	}
	w.buf = w.buf[:n]
	at, err := w.firstLineOffset(h, task)
	if err != nil {
		task.err = err
		return
	}
	w.beginBlock(task)
	w.decodeLines(h, task, at)
	w.endBlock(task)
}

func (w *worker) beginBlock(task *strideTask) {
	if w.fast != nil {
		w.fast.BeginBlock(task.block)
	}
}

func (w *worker) decodeLines(h io.ReaderAt, task *strideTask, at int) {
	for at < task.size {
		if w.fast != nil {
			end, n := w.fast.ReadRows(w.buf, at, task.size, task.from)
			at, task.lines = end, task.lines+int64(n)
			if at >= task.size {
				break
			}
		}
		i := w.lineEnd(w.buf[at:], false)
		if i < 0 && !w.readLineEnd(h, task.from, at) {
			task.err = errLongLine
			return
		}
		if i < 0 {
			continue // the fast reader can read the line now
		}
		w.decodeLine(task, w.buf[at:at+i], task.from+int64(at))
		at += i + 1
	}
	task.end = task.from + int64(at)
}

func (w *worker) endBlock(task *strideTask) {
	task.note, task.block, task.passedOver = w.decoder.Note(), model.Block{}, takePassedOver(w.decoder)
	if w.fast != nil {
		task.block = w.fast.EndBlock()
	}
}

// lineEnd returns where the line, or CSV record, ends that begins at p[0], or has its first quote before.
func (w *worker) lineEnd(p []byte, inQuotes bool) int {
	if w.quoted {
		return framing.QuotedEnd(p, inQuotes)
	}
	return bytes.IndexByte(p, '\n')
}

// firstLineOffset returns where in the buffer the first line starts: the line before may end in the
// stride.
func (w *worker) firstLineOffset(h io.ReaderAt, task *strideTask) (int, error) {
	inQuotes := false
	if w.quoted { // known once the worker of the stride before knows, and told to the next
		changes := bytes.Count(w.buf[:task.size], []byte{'"'})%2 == 1
		inQuotes = !task.first && <-task.inQuotes
		task.endsInQuotes <- inQuotes != changes
	}
	if task.first {
		return 0, nil
	}
	var before [1]byte
	if _, err := h.ReadAt(before[:], task.from-1); err != nil || before[0] == '\n' && !inQuotes {
		return 0, err
	}
	if i := w.lineEnd(w.buf[:task.size], inQuotes); i >= 0 {
		return i + 1, nil
	}
	return task.size, nil // a line longer than the stride, which belongs to an earlier one
}

// errLongLine says that a line must be read line by line.
var errLongLine = errors.New("a long line")

// readLineEnd reads more into the buffer until the line at offset at ends. It returns false if the line
// is too long or has no end yet.
func (w *worker) readLineEnd(h io.ReaderAt, from int64, at int) bool {
	for more := extraRead; len(w.buf)-at < maxWorkerLine; more *= 2 {
		old := len(w.buf)
		w.buf = slices.Grow(w.buf, more)[:old+more]
		n, err := h.ReadAt(w.buf[old:], from+int64(old))
		w.buf = w.buf[:old+n]
		if w.lineEnd(w.buf[at:], false) >= 0 {
			return true
		}
		if err != nil {
			break
		}
	}
	return false
}

// decodeLine decodes a line with the row decoder, and lets the fast reader learn from it.
func (w *worker) decodeLine(task *strideTask, text []byte, offset int64) {
	number := task.lines + 1
	task.lines = number
	if w.quoted {
		task.lines += int64(bytes.Count(text, []byte{'\n'}))
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	before := len(task.records)
	var err error
	if i := bytes.IndexByte(text, 0); i >= 0 {
		err = framing.NULError(i)
	} else {
		task.records, err = w.decoder.Decode(task.records, text)
	}
	if err != nil {
		task.records = task.records[:before]
		task.problems = append(task.problems, model.Problem{Line: number, Reason: err.Error()})
		return
	}
	for i := before; i < len(task.records); i++ {
		r := &task.records[i]
		r.Line, r.Offset, r.IndexInLine = number, offset, int32(i-before)
	}
	if w.fast != nil && len(task.records) == 1 {
		w.fast.AddRecord(&task.records[0])
		w.fast.Learn(text)
		task.records = task.records[:0]
	}
}

// blockPool holds blocks whose memory can be reused. New memory costs more than writing to it: the
// first access to a page takes microseconds.
type blockPool []model.Block

// maxPooledBlocks is about how many blocks two chunks of short rows have: the one that the caller has, and
// the one that is being read.
const maxPooledBlocks = 128

// get returns the block that was used last, or one without memory.
func (p *blockPool) get() model.Block {
	last := len(*p) - 1
	if last < 0 {
		return model.Block{}
	}
	block := (*p)[last]
	*p = (*p)[:last]
	return block
}
