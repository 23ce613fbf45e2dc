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
)

// A large file of lines is read in strides, by as many workers as there are
// processors, up to a few: the node has better to do. A round is so many strides for
// each of them.
const (
	stride           = 512 << 10
	maxWorkerLine    = 16 << 20 // line that a worker reads
	overlap          = 8 << 10  // beyond it, where its last line mostly ends
	extraRead        = 32 << 10 // where that of long texts does
	stridesPerWorker = 16
	maxWorkers       = 4
	minParallelBytes = 2 << 20
	maxKeptBuffer    = 4 * stride // of a worker's memory that it keeps
)

// worker decodes strides, one at a time, into memory of its own: what it reads
// should stay in its processor's cache.
type worker struct {
	decoder *decode.RowDecoder
	fast    *fast.Reader // nil where rows are not plain objects
	buf     []byte
}

// strideResult is a stride and what became of it.
type strideResult struct {
	from     int64 // the lines that begin in [from, from+size)
	size     int   // at most a stride
	first    bool  // a line begins at from
	records  []model.Record
	block    model.Block // of what is quick, in the memory of an old one; else there are records
	problems []model.Problem
	lines    int64
	end      int64 // where the line after the last begins
	note     decode.Note
	err      error
}

// readParallel reads rounds of strides until the deadline, and stops where the
// file's end is near, or where a worker learned something new: what follows is read
// line by line, since it may bear on how all is read.
func (s *Source) readParallel(f *file, h io.ReaderAt, size int64, deadline time.Time) error {
	lead := f.parallelDecoder()
	if lead == nil || s.workerCount() < 2 || size-f.disk.Pos < minParallelBytes {
		f.workers = nil
		return nil
	}
	s.seekLineStart(f)
	for !s.chunks.full() && time.Now().Before(deadline) {
		n := min(int64(s.workerCount()*stridesPerWorker), (size-f.disk.Pos)/stride)
		if n*stride < minParallelBytes {
			f.workers = nil
			return nil
		}
		round := s.decodeStrides(f, h, lead, int(n))
		for i := range round {
			w := &round[i]
			if w.err != nil {
				return w.err
			}
			if !lead.SameNote(w.note) {
				return nil
			}
			s.merge(f, w)
		}
	}
	return nil
}

// parallelDecoder is the decoder that workers can take after, nil if the file must be read line by
// line now.
func (f *file) parallelDecoder() *decode.RowDecoder {
	lead, ok := f.decoder.(*decode.RowDecoder) // not one that embeds it: CSV and text have rows of other kinds
	if !ok || f.refused || f.format.MayRepeatRows || f.lines.Framing != (framing.Framing{}) || f.lines.DroppedBytes > 0 || f.lines.Unterminated ||
		len(f.lines.Partial) > extraRead { // a long line, which is read by itself
		return nil
	}
	return lead
}

// seekLineStart goes back to where a line begins.
func (s *Source) seekLineStart(f *file) {
	s.advance(f, -int64(len(f.lines.Partial)))
	f.lines.Partial = nil
}

func (s *Source) workerCount() int {
	if s.options.serial {
		return 1
	}
	return min(maxWorkers, runtime.GOMAXPROCS(0))
}

// ensureWorkers sees to it that there are n workers, each of which knows what the file's own
// decoder knows. They stay, since they remember prompts.
func (f *file) ensureWorkers(lead *decode.RowDecoder, n int) {
	f.workers = slices.DeleteFunc(f.workers, func(w *worker) bool { return !lead.SameNote(w.decoder.Note()) })
	for len(f.workers) < n {
		f.workers = append(f.workers, newWorker(lead))
	}
}

func newWorker(lead *decode.RowDecoder) *worker {
	w := &worker{decoder: lead.Clone(), buf: make([]byte, stride+overlap)}
	if w.decoder.Layout == nil {
		w.fast = fast.New(w.decoder)
	}
	return w
}

// decodeStrides decodes n strides from where the file has been read to.
func (s *Source) decodeStrides(f *file, h io.ReaderAt, lead *decode.RowDecoder, n int) []strideResult {
	work := make([]strideResult, n)
	next := make(chan *strideResult, n)
	for i := range work {
		work[i] = strideResult{from: f.disk.Pos + int64(i)*stride, size: stride, first: i == 0, block: s.pool.get()}
		next <- &work[i]
	}
	close(next)
	f.ensureWorkers(lead, s.workerCount())
	var wg sync.WaitGroup
	for _, worker := range f.workers {
		wg.Go(func() {
			for w := range next {
				worker.decode(h, w)
			}
		})
	}
	wg.Wait()
	return work
}

// decode reads the lines that begin in the stride; the last may end beyond it.
func (k *worker) decode(h io.ReaderAt, w *strideResult) {
	if cap(k.buf) > maxKeptBuffer {
		k.buf = make([]byte, stride+overlap) // a long line is not worth its memory
	}
	k.buf = k.buf[:stride+overlap]
	n, err := h.ReadAt(k.buf, w.from)
	if err != nil && (!errors.Is(err, io.EOF) || n < w.size) {
		w.err = err
		return
	}
	k.buf = k.buf[:n]
	at, err := w.firstLineOffset(h, k.buf)
	if err != nil {
		w.err = err
		return
	}
	k.beginBlock(w)
	k.decodeLines(h, w, at)
	k.endBlock(w)
}

// beginBlock begins a block.
func (k *worker) beginBlock(w *strideResult) {
	if k.fast != nil {
		k.fast.BeginBlock(w.block)
	}
}

// decodeLines decodes the lines in the buffer, from the one on that begins at at.
func (k *worker) decodeLines(h io.ReaderAt, w *strideResult, at int) {
	for at < w.size {
		if k.fast != nil {
			end, n := k.fast.ReadRows(k.buf, at, w.size, w.from)
			at, w.lines = end, w.lines+int64(n)
			if at >= w.size {
				break
			}
		}
		i := bytes.IndexByte(k.buf[at:], '\n')
		if i < 0 {
			i = k.readLineEnd(h, w.from, at)
		}
		if i < 0 {
			w.err = errLongLine
			return
		}
		k.decodeLine(w, k.buf[at:at+i], w.from+int64(at))
		at += i + 1
	}
	w.end = w.from + int64(at)
}

// endBlock takes the block.
func (k *worker) endBlock(w *strideResult) {
	w.note, w.block = k.decoder.Note(), model.Block{}
	if k.fast != nil {
		w.block = k.fast.EndBlock()
	}
}

// firstLineOffset returns where the first line of the stride begins: the line before may end
// here or go on.
func (w *strideResult) firstLineOffset(h io.ReaderAt, buf []byte) (int, error) {
	if w.first {
		return 0, nil
	}
	var before [1]byte
	if _, err := h.ReadAt(before[:], w.from-1); err != nil || before[0] == '\n' {
		return 0, err
	}
	if i := bytes.IndexByte(buf[:w.size], '\n'); i >= 0 {
		return i + 1, nil
	}
	return w.size, nil // a line longer than the stride: another worker has it
}

var errLongLine = errors.New("a line that is read by itself")

// readLineEnd reads on to the end of the line that begins at at in the buffer, and returns
// its length; -1 if it is too long, or not ended yet.
func (k *worker) readLineEnd(h io.ReaderAt, from int64, at int) int {
	for more := extraRead; len(k.buf)-at < maxWorkerLine; more *= 2 {
		old := len(k.buf)
		k.buf = slices.Grow(k.buf, more)[:old+more]
		n, err := h.ReadAt(k.buf[old:], from+int64(old))
		k.buf = k.buf[:old+n]
		if i := bytes.IndexByte(k.buf[old:], '\n'); i >= 0 {
			return old + i - at
		}
		if err != nil {
			break
		}
	}
	return -1
}

// decodeLine decodes a line the long way.
func (k *worker) decodeLine(w *strideResult, text []byte, offset int64) {
	w.lines++
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	before := len(w.records)
	var err error
	if i := bytes.IndexByte(text, 0); i >= 0 {
		err = framing.NULError(i)
	} else {
		w.records, err = k.decoder.Decode(w.records, text)
	}
	if err != nil {
		w.records = w.records[:before]
		w.problems = append(w.problems, model.Problem{Line: w.lines, Reason: err.Error()})
		return
	}
	for i := before; i < len(w.records); i++ {
		r := &w.records[i]
		r.Line, r.Offset, r.Nth = w.lines, offset, int32(i-before)
	}
	if k.fast != nil && len(w.records) == 1 {
		k.fast.AddRecord(&w.records[0])
		k.fast.Learn(text)
		w.records = w.records[:0]
	}
}

// merge takes a stride over as if it had been read line by line.
func (s *Source) merge(f *file, w *strideResult) {
	base := f.lines.Count
	for i := range w.records {
		r := &w.records[i]
		r.File, r.Line = f.index, base+r.Line
		f.noteStep(r.Step)
	}
	for _, step := range w.block.Step {
		f.noteStep(step)
	}
	for _, p := range w.problems {
		f.skipLine(framing.Line{Number: base + p.Line}, p.Reason)
	}
	f.chunks.add(f.format, w.note, w.records)
	if w.block.Len() > 0 {
		w.block.File = f.index
		f.chunks.addBlock(f.format, w.note, w.block)
	}
	f.lines.Count += w.lines
	switch {
	case f.packed != nil:
		f.lines.Offset = w.end
	case w.end > f.disk.Pos:
		s.advance(f, w.end-f.disk.Pos)
		f.lines.Offset = w.end
	}
}
