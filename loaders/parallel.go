package loaders

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"vantage/model"
)

// A large file of lines is read in strides, by as many workers as there are
// processors, up to a few: the node has better to do. A round is so many strides for
// each of them.
const (
	stride     = 512 << 10
	longest    = 16 << 20 // line that a worker reads
	overlap    = 8 << 10  // beyond it, where its last line mostly ends
	further    = 32 << 10 // where that of long texts does
	perWorker  = 16
	maxWorkers = 4
	leastBytes = 2 << 20
	most       = 4 * stride // of a worker's memory that it keeps
)

// Cloner is a decoder that others of its kind can work beside.
type Cloner interface {
	Decoder
	Clone() Cloner // knows what this one has learned; they share nothing that changes
	SameNote(Note) bool
}

// worker decodes strides, one at a time, into memory of its own: what it reads
// should stay in its processor's cache.
type worker struct {
	decoder Cloner
	quick   *Reader // nil where rows are not plain objects
	buf     []byte
}

// strideWork is a stride and what became of it.
type strideWork struct {
	from     int64 // the lines that begin in [from, from+size)
	size     int   // at most a stride
	first    bool  // a line begins at from
	records  []model.Record
	block    model.Block // of what is quick, in the memory of an old one; else there are records
	problems []model.Problem
	lines    int64
	end      int64 // where the line after the last begins
	note     Note
	err      error
}

// readParallel reads rounds of strides until the deadline, and stops where the
// file's end is near, or where a worker learned something new: what follows is read
// line by line, since it may bear on how all is read.
func (s *Source) readParallel(f *file, h io.ReaderAt, size int64, deadline time.Time) error {
	lead := f.lead()
	if lead == nil || s.workers() < 2 || size-f.disk.Pos < leastBytes {
		f.workers = nil
		return nil
	}
	s.begin(f)
	for !s.out.full() && time.Now().Before(deadline) {
		n := min(int64(s.workers()*perWorker), (size-f.disk.Pos)/stride)
		if n*stride < leastBytes {
			f.workers = nil
			return nil
		}
		round := s.round(f, h, lead, int(n))
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

// lead is the decoder that workers can take after, nil if the file must be read line by
// line now.
func (f *file) lead() Cloner {
	lead, ok := f.decoder.(Cloner)
	if !ok || f.refused || f.format.MayRepeatRows || f.lines.Framing != (Framing{}) || f.lines.DroppedBytes > 0 || f.lines.Unterminated ||
		len(f.lines.Partial) > further { // a long line, which is read by itself
		return nil
	}
	return lead
}

// begin goes back to where a line begins.
func (s *Source) begin(f *file) {
	s.advance(f, -int64(len(f.lines.Partial)))
	f.lines.Partial = nil
}

func (s *Source) workers() int {
	if s.o.serial {
		return 1
	}
	return min(maxWorkers, runtime.GOMAXPROCS(0))
}

// muster sees to it that there are n workers, each of which knows what the file's own
// decoder knows. They stay, since they remember prompts.
func (f *file) muster(lead Cloner, n int) {
	f.workers = slices.DeleteFunc(f.workers, func(w *worker) bool { return !lead.SameNote(w.decoder.Note()) })
	for len(f.workers) < n {
		f.workers = append(f.workers, newWorker(lead))
	}
}

func newWorker(lead Cloner) *worker {
	w := &worker{decoder: lead.Clone(), buf: make([]byte, stride+overlap)}
	if r, ok := w.decoder.(*RowDecoder); ok && r.Layout == nil {
		w.quick = New(r)
	}
	return w
}

// round decodes n strides from where the file has been read to.
func (s *Source) round(f *file, h io.ReaderAt, lead Cloner, n int) []strideWork {
	work := make([]strideWork, n)
	next := make(chan *strideWork, n)
	for i := range work {
		work[i] = strideWork{from: f.disk.Pos + int64(i)*stride, size: stride, first: i == 0, block: s.spent.take()}
		next <- &work[i]
	}
	close(next)
	f.muster(lead, s.workers())
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
func (k *worker) decode(h io.ReaderAt, w *strideWork) {
	if cap(k.buf) > most {
		k.buf = make([]byte, stride+overlap) // a long line is not worth its memory
	}
	k.buf = k.buf[:stride+overlap]
	n, err := h.ReadAt(k.buf, w.from)
	if err != nil && (!errors.Is(err, io.EOF) || n < w.size) {
		w.err = err
		return
	}
	k.buf = k.buf[:n]
	at, err := w.begin(h, k.buf)
	if err != nil {
		w.err = err
		return
	}
	k.begin(w)
	k.lines(h, w, at)
	k.end(w)
}

// begin begins a block.
func (k *worker) begin(w *strideWork) {
	if k.quick != nil {
		k.quick.BeginBlock(w.block)
	}
}

// lines decodes the lines in the buffer, from the one on that begins at at.
func (k *worker) lines(h io.ReaderAt, w *strideWork, at int) {
	for at < w.size {
		if k.quick != nil {
			end, n := k.quick.ReadRows(k.buf, at, w.size, w.from)
			at, w.lines = end, w.lines+int64(n)
			if at >= w.size {
				break
			}
		}
		i := bytes.IndexByte(k.buf[at:], '\n')
		if i < 0 {
			i = k.extend(h, w.from, at)
		}
		if i < 0 {
			w.err = errLongLine
			return
		}
		k.line(w, k.buf[at:at+i], w.from+int64(at))
		at += i + 1
	}
	w.end = w.from + int64(at)
}

// end takes the block.
func (k *worker) end(w *strideWork) {
	w.note, w.block = k.decoder.Note(), model.Block{}
	if k.quick != nil {
		w.block = k.quick.EndBlock()
	}
}

// begin returns where the first line of the stride begins: the line before may end
// here or go on.
func (w *strideWork) begin(h io.ReaderAt, buf []byte) (int, error) {
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

// extend reads on to the end of the line that begins at at in the buffer, and returns
// its length; -1 if it is too long, or not ended yet.
func (k *worker) extend(h io.ReaderAt, from int64, at int) int {
	for more := further; len(k.buf)-at < longest; more *= 2 {
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

// line decodes a line the long way.
func (k *worker) line(w *strideWork, text []byte, offset int64) {
	w.lines++
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	before := len(w.records)
	var err error
	if i := bytes.IndexByte(text, 0); i >= 0 {
		err = ErrNUL(i)
	} else {
		w.records, err = k.decoder.Line(w.records, text)
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
	if k.quick != nil && len(w.records) == 1 {
		k.quick.AddRecord(&w.records[0])
		k.quick.Learn(text)
		w.records = w.records[:0]
	}
}

// merge takes a stride over as if it had been read line by line.
func (s *Source) merge(f *file, w *strideWork) {
	base := f.lines.Count
	for i := range w.records {
		r := &w.records[i]
		r.File, r.Line = f.index, base+r.Line
		f.reached(r.Step)
	}
	for _, step := range w.block.Step {
		f.reached(step)
	}
	for _, p := range w.problems {
		f.skip(Line{Number: base + p.Line}, p.Reason)
	}
	f.out.add(f.format, w.note, w.records)
	if w.block.Len() > 0 {
		w.block.File = f.index
		f.out.addBlock(f.format, w.note, w.block)
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
