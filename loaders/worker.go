package loaders

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/decode/fast"
	"vantage/loaders/framing"
	"vantage/model"
)

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

	block     model.Block    // with a fast reader; its memory is reused
	records   []model.Record // without one
	problems  []model.Problem
	untrained int   // see decode.RowDecoder.LeaveOut
	lines     int64 // how many
	end       int64 // start of the line after the last
	note      decode.Note
	err       error
}

// newWorker returns a worker that knows what lead knows: a RowDecoder or a CSVDecoder.
func newWorker(lead decode.Decoder) *worker {
	w := &worker{}
	switch lead := lead.(type) {
	case *decode.CSVDecoder:
		clone := lead.Clone()
		w.decoder, w.quoted = clone, true
		if !clone.ReadsCells() {
			w.fast = fast.NewCSV(clone)
		}
	case *decode.RowDecoder:
		clone := lead.Clone()
		w.decoder = clone
		if clone.Layout == nil {
			w.fast = fast.New(clone)
		}
	}
	return w
}

// decode decodes the lines that start in the stride. The last one may end beyond it.
func (w *worker) decode(h io.ReaderAt, task *strideTask) {
	if cap(w.buf) > maxKeptBuffer || cap(w.buf) < strideBytes+overlap {
		w.buf = make([]byte, strideBytes+overlap)
	}
	w.buf = w.buf[:strideBytes+overlap]
	defer task.finish()
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

// decodeLines decodes the lines of the stride from offset at of the buffer on.
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
	task.note, task.block, task.untrained = w.decoder.Note(), model.Block{}, takeUntrained(w.decoder)
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
	inQuotes := w.quoted && task.passQuotes(w.buf)
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

// finish lets the next stride be read, whatever happened to this one.
func (task *strideTask) finish() {
	if task.endsInQuotes != nil {
		close(task.endsInQuotes)
	}
}

// passQuotes returns whether the stride begins between quotes, once the worker of the one before knows,
// and tells the next one.
func (task *strideTask) passQuotes(buf []byte) (inQuotes bool) {
	changes := bytes.Count(buf[:task.size], []byte{'"'})%2 == 1
	inQuotes = !task.first && <-task.inQuotes
	task.endsInQuotes <- inQuotes != changes
	return inQuotes
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
