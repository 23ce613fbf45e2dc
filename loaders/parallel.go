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
	stride     = 1 << 20
	perWorker  = 4
	maxWorkers = 4
	leastBytes = 4 << 20
)

// copier is a decoder that others of its kind can work beside.
type copier interface {
	Decoder
	twin() copier // knows what this one has learned; they share nothing that changes
	same(Note) bool
}

// strideWork is a stride and what became of it.
type strideWork struct {
	from     int64 // the lines that begin in [from, from+stride)
	first    bool  // a line begins at from
	buf      []byte
	records  []model.Record
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
	lead, ok := f.decoder.(copier)
	if !ok || f.refused || f.format.Relogs || f.lines.cut != (cut{}) || f.lines.over > 0 || f.lines.closed ||
		s.workers() < 2 || size-f.disk.pos < leastBytes {
		return nil
	}
	s.advance(f, -int64(len(f.lines.held))) // begin at a line
	f.lines.held = nil
	for !s.out.full() && time.Now().Before(deadline) {
		n := min(int64(s.workers()*perWorker), (size-f.disk.pos)/stride)
		if n*stride < leastBytes {
			return nil
		}
		round := s.round(f, h, lead, int(n))
		for i := range round {
			w := &round[i]
			if w.err != nil {
				return w.err
			}
			if !lead.same(w.note) {
				return nil
			}
			s.merge(f, w)
		}
	}
	return nil
}

func (s *Source) workers() int {
	if s.o.serial {
		return 1
	}
	return min(maxWorkers, runtime.GOMAXPROCS(0))
}

// muster sees to it that there are n decoders beside the file's own, each of which
// knows what that knows. They stay, since they remember prompts.
func (f *file) muster(lead copier, n int) {
	f.twins = slices.DeleteFunc(f.twins, func(d copier) bool { return !lead.same(d.Note()) })
	for len(f.twins) < n {
		f.twins = append(f.twins, lead.twin())
	}
}

// round decodes n strides from where the file has been read to.
func (s *Source) round(f *file, h io.ReaderAt, lead copier, n int) []strideWork {
	for len(s.strides) < n {
		s.strides = append(s.strides, strideWork{})
	}
	work := s.strides[:n]
	for i := range work {
		w := &work[i]
		*w = strideWork{from: f.disk.pos + int64(i)*stride, first: i == 0, buf: w.buf, records: w.records[:0], problems: w.problems[:0]}
	}
	var wg sync.WaitGroup
	next := make(chan *strideWork, n)
	for i := range work {
		next <- &work[i]
	}
	close(next)
	f.muster(lead, s.workers())
	for _, d := range f.twins {
		wg.Go(func() {
			for w := range next {
				w.decode(h, d)
			}
		})
	}
	wg.Wait()
	return work
}

// decode reads the lines that begin in the stride; the last may end beyond it.
func (w *strideWork) decode(h io.ReaderAt, d Decoder) {
	if cap(w.buf) < stride {
		w.buf = make([]byte, stride)
	}
	w.buf = w.buf[:stride]
	if _, err := h.ReadAt(w.buf, w.from); err != nil {
		w.err = err
		return
	}
	at := 0
	if !w.first { // the line before may end here or go on
		var before [1]byte
		if _, w.err = h.ReadAt(before[:], w.from-1); w.err != nil {
			return
		}
		if before[0] != '\n' {
			at = bytes.IndexByte(w.buf, '\n') + 1
			if at == 0 { // a line longer than the stride: another worker has it
				w.end, w.note = w.from, d.Note()
				return
			}
		}
	}
	for at < stride {
		i := bytes.IndexByte(w.buf[at:], '\n')
		if i < 0 {
			i = w.extend(h, at)
			if w.err != nil {
				return
			}
		}
		w.line(d, w.buf[at:at+i], w.from+int64(at))
		at += i + 1
	}
	w.end, w.note = w.from+int64(at), d.Note()
}

var errLongLine = errors.New("a line that is read by itself")

// extend reads on to the end of the line that begins at at, and returns its length.
func (w *strideWork) extend(h io.ReaderAt, at int) int {
	for len(w.buf)-at < maxLine {
		old := len(w.buf)
		w.buf = slices.Grow(w.buf, stride)[:old+stride]
		n, err := h.ReadAt(w.buf[old:], w.from+int64(old))
		w.buf = w.buf[:old+n]
		if i := bytes.IndexByte(w.buf[old:], '\n'); i >= 0 {
			return old + i - at
		}
		if err != nil {
			break
		}
	}
	w.err = errLongLine // too long, or not ended yet
	return 0
}

func (w *strideWork) line(d Decoder, text []byte, offset int64) {
	w.lines++
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	before := len(w.records)
	var err error
	if i := bytes.IndexByte(text, 0); i >= 0 {
		err = errNUL(i)
	} else {
		w.records, err = d.Line(w.records, text)
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
}

// merge takes a stride over as if it had been read line by line.
func (s *Source) merge(f *file, w *strideWork) {
	base := f.lines.number
	for i := range w.records {
		r := &w.records[i]
		r.File, r.Line = f.index, base+r.Line
		if !f.any || r.Step > f.newest {
			f.newest, f.any = r.Step, true
		}
	}
	for _, p := range w.problems {
		f.skip(line{number: base + p.Line}, p.Reason)
	}
	f.out.add(f.format, w.note, w.records)
	f.lines.number += w.lines
	if w.end > f.disk.pos {
		s.advance(f, w.end-f.disk.pos)
		f.lines.at = w.end
	}
}
