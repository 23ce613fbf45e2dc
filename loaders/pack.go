package loaders

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/pages"
	"vantage/model"
)

// pack is a file that cannot be read from where one left off: compressed, or a
// Parquet file. It is read from its begin, and anew when it changes. Its handle is
// held until then, and closed at the end.
type pack struct {
	handle Handle
	close  func()      // of the memory of a Parquet file
	info   os.FileInfo // of a file that was opened ahead, until it is its turn
	rest   []byte      // text that has not been fed yet

	decompressor *compressed.Decompressor // of a compressed file
	ready        *model.Block             // of a Parquet file: its first rows, which were prefetched
	responses    uint64                   // a hash of their responses
	reader       *parquetReader           // of a Parquet file; nil once all is prefetched
	index        pages.Index              // of a Parquet file, once it has been read
	done         bool
}

func (p *pack) end() {
	if !p.done {
		p.done = true
		if p.reader != nil {
			p.index = p.reader.Index()
		}
		if p.decompressor != nil {
			p.decompressor.Stop()
		}
		if p.close != nil {
			p.close()
		}
		_ = p.handle.Close()
		p.rest, p.ready, p.reader = nil, nil, nil
	}
}

// readPacked reads on in a packed file. It reports whether it came to its end.
func (s *Source) readPacked(f *file, deadline time.Time) bool {
	if f.pack == nil {
		if done := s.openPacked(f); done {
			return true
		}
	}
	if f.pack.info != nil {
		s.saw(f, f.pack.info)
		f.pack.info = nil
	}
	var end bool
	var err error
	if f.pack.decompressor == nil {
		end, err = s.readTable(f, deadline)
	} else {
		end, err = s.readText(f, deadline)
	}
	switch {
	case err != nil && passing(err):
		s.restart(f)
		return s.failed(f, err)
	case err != nil:
		f.remark(packProblem(err))
	case !end:
		return false
	}
	f.disk.fails, f.disk.retry = 0, false
	s.advance(f, f.disk.Size-f.disk.Pos)
	s.remember(f, f.pack.handle)
	f.pack.end()
	if end {
		s.ended(f)
	}
	return true
}

// openPacked begins to read a packed file; done if there is nothing to read yet, or
// it cannot be.
func (s *Source) openPacked(f *file) (done bool) {
	h, info, err := f.disk.Open()
	if err != nil {
		return s.failed(f, err)
	}
	s.saw(f, info)
	p, err := s.openPacking(f, h, info.Size())
	if err != nil && passing(err) {
		_ = h.Close()
		return s.failed(f, err)
	}
	if err != nil {
		s.advance(f, info.Size()-f.disk.Pos)
		s.remember(f, h)
		_ = h.Close()
		f.pack = &pack{done: true}
		if !s.o.Follow {
			f.remark(packProblem(err))
		}
		s.look.warm(f)
		return true
	}
	f.pack = p
	return false
}

// openPacking starts to read a packed file.
func (s *Source) openPacking(f *file, h Handle, size int64) (*pack, error) {
	packing, err := compressed.Detect(h)
	if err != nil {
		return nil, err
	}
	if packing == compressed.Parquet {
		p := &pack{handle: h}
		return p, s.openParquet(f, p, size)
	}
	table, err := tableIn(packing, h)
	if err != nil {
		return nil, err
	}
	if table == nil {
		d, err := s.shelf.compressed.Decompress(packing, f.index, h)
		return &pack{handle: h, decompressor: d}, err
	}
	m, err := hold(table)
	if err != nil {
		return nil, err
	}
	p, err := f.openHeld(m)
	if err == nil {
		_ = h.Close()
	}
	return p, err
}

// remember takes the marks of a packed file, by which it is known when it changes.
func (s *Source) remember(f *file, h io.ReaderAt) {
	if s.o.Follow {
		f.disk.Remember(h)
	}
}

// packProblem says what is wrong with a packed file, and what to do.
func packProblem(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends early: it is still being written, or was cut off; look again when it is whole, or copy it again"
	case errors.Is(err, compressed.ErrBomb), errors.Is(err, errTable):
		return err.Error()
	case errors.Is(err, pages.ErrBroken):
		return err.Error() + "; copy it again, or leave it out if the run was stopped while it was written"
	}
	return "it cannot be unpacked: " + err.Error() + "; copy it again: of what is there, what stands before has been read"
}

// readPiece reads the whole lines of a piece, and what is held of the first, as workers read
// and not line by line. What a worker has learned of something new from
// is read line by line, as in [Source.readParallel].
func (s *Source) readPiece(f *file) {
	p := f.pack
	lead, size := f.lead(), bytes.LastIndexByte(p.rest, '\n')+1
	if lead == nil || size == 0 || s.o.serial || s.out.full() {
		return
	}
	if f.grown == nil || !lead.SameNote(f.grown.decoder.Note()) {
		f.grown = newWorker(lead)
	}
	w := strideWork{from: f.lines.Offset, block: s.spent.take()}
	first := bytes.IndexByte(p.rest, '\n') + 1
	f.grown.begin(&w)
	f.grown.read(&w, append(f.lines.Partial, p.rest[:first]...))
	f.grown.read(&w, p.rest[first:size])
	f.grown.end(&w)
	if lead.SameNote(w.note) {
		s.merge(f, &w)
		f.lines.Partial, p.rest = nil, p.rest[size:]
	}
}

// read decodes whole lines, which go on where the ones before ended.
func (k *worker) read(w *strideWork, text []byte) {
	k.buf, w.size = text, len(text)
	k.lines(nil, w, 0)
	k.buf, w.from = nil, w.end
}

// readText feeds the text of a compressed file.
func (s *Source) readText(f *file, deadline time.Time) (end bool, err error) {
	p := f.pack
	for !s.out.full() {
		if f.refused {
			return true, nil
		}
		if len(p.rest) == 0 {
			text, consumed, err := p.decompressor.Next()
			if err != nil {
				return errors.Is(err, io.EOF), ignoreEOF(err)
			}
			s.advance(f, consumed-f.disk.Pos)
			p.rest = text
			s.readPiece(f)
		}
		p.rest = p.rest[f.feed(p.rest):]
		if !time.Now().Before(deadline) {
			return false, nil
		}
	}
	return false, nil
}
