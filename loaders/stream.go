package loaders

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"sync"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/fileio"
	"vantage/model/fault"
)

// stream is standard input or a named pipe. It is read once, as bytes arrive, in its own goroutine: a
// read of standard input cannot be interrupted.
type stream struct {
	buffers  chan []byte    // closed at the end
	err      error          // of reading; set before buffers is closed
	inMemory *fileio.Ranged // the stream, if it is a Parquet file; set before buffers is closed
	rest     []byte         // of the last buffer, not yet decoded
	ended    bool           // everything has been decoded

	closed chan struct{}
	once   sync.Once
	mu     sync.Mutex // of source
	source io.Reader
}

// newStream reads what open returns. Opening a named pipe may block, as reading may.
func newStream(open func() (io.Reader, error)) *stream {
	s := &stream{buffers: make(chan []byte), closed: make(chan struct{})}
	fault.Go(func() {
		defer close(s.buffers)
		defer fault.Catch(func(f *fault.Fault) { s.err = f })
		s.err = s.read(open)
	})
	return s
}

func (s *stream) read(open func() (io.Reader, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.source = r
	s.mu.Unlock()
	b := bufio.NewReader(r)
	start, _ := b.Peek(compressed.SniffSize)
	packing := compressed.Sniff(start)
	if packing != compressed.None && packing != compressed.Parquet {
		text, err := compressed.NewReader(packing, b)
		if err != nil {
			return err
		}
		b = bufio.NewReader(text)
		start, _ = b.Peek(compressed.SniffSize)
	}
	if compressed.Sniff(start) == compressed.Parquet {
		m, err := fileio.ReadAll(b)
		s.inMemory = &m
		return err
	}
	for {
		select {
		case <-s.closed:
			return nil
		default:
		}
		buffer := make([]byte, 64<<10)
		n, err := b.Read(buffer)
		if n > 0 {
			select {
			case s.buffers <- buffer[:n]:
			case <-s.closed:
				return nil
			}
		}
		if err != nil {
			return ignoreEOF(err)
		}
	}
}

// close ends the stream. It closes the source if it can, to wake the goroutine.
func (s *stream) close() {
	s.once.Do(func() {
		close(s.closed)
		s.mu.Lock()
		defer s.mu.Unlock()
		if c, ok := s.source.(io.Closer); ok {
			_ = c.Close()
		}
	})
}

// readStream decodes what has arrived until the deadline. It reports whether that is everything for now.
func (r *reading) readStream(f *file, deadline time.Time) bool {
	st := f.stream
	if f.packed != nil {
		end, err := r.readTable(f, deadline)
		if err != nil {
			f.noteFile(unreadableReason(err))
		}
		if st.ended = end || err != nil; st.ended {
			f.packed.close()
		}
		return st.ended
	}
	for !r.chunks.full() && time.Now().Before(deadline) {
		if f.refused {
			st.rest = nil
		}
		if len(st.rest) > 0 {
			n := f.feed(st.rest)
			st.rest = st.rest[n:]
			r.bytes.read += int64(n)
			f.changed = time.Now()
			continue
		}
		select {
		case buffer, ok := <-st.buffers:
			if !ok {
				r.endStream(f)
				return true
			}
			st.rest = buffer
		default:
			f.noteNoFormat()
			return true
		}
	}
	return false
}

func (r *reading) endStream(f *file) {
	if m := f.stream.inMemory; m != nil && f.stream.err == nil {
		f.stream.inMemory = nil
		r.bytes.read += m.Size()
		if f.packed, f.stream.err = f.openHeld(*m); f.stream.err == nil {
			r.enqueue(f)
			return
		}
		f.packed = nil
	}
	f.stream.ended = true
	switch {
	case errors.Is(f.stream.err, io.ErrUnexpectedEOF):
		f.noteFile("it ends early: what writes it was stopped, or the file was cut off")
	case f.stream.err != nil:
		f.noteFile("it cannot be read: " + reasonOf(f.stream.err))
	case r.bytes.read == 0:
		f.noteFile("nothing came")
	}
	f.finish()
	r.newest.update(f)
}

// tableIn returns the Parquet file in a compressed file, nil if that holds text.
func tableIn(p compressed.Packing, h io.ReaderAt) (io.Reader, error) {
	if p == compressed.Torch {
		return nil, nil
	}
	r, err := compressed.NewReader(p, io.NewSectionReader(h, 0, math.MaxInt64))
	if err != nil {
		return nil, err
	}
	start := make([]byte, compressed.SniffSize)
	if _, err := io.ReadFull(r, start); err != nil || compressed.Sniff(start) != compressed.Parquet {
		return nil, nil
	}
	return io.MultiReader(bytes.NewReader(start), r), nil
}

func (f *file) openHeld(m fileio.Ranged) (*packedFile, error) {
	p := &packedFile{handle: m}
	err := openParquet(f, p, m.Size(), 1)
	if err == nil && p.reader.ByColumns() {
		p.reader.ReadRows(0)
	}
	return p, err
}
