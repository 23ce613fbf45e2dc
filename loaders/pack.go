package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/klauspost/compress/zstd"

	"vantage/loaders/compressed/gzipindex"
	"vantage/loaders/pages"
	"vantage/model"
)

// pack is a file that cannot be read from where one left off: compressed, or a
// Parquet file. It is read from its begin, and anew when it changes. Its handle is
// held until then, and closed at the end.
type pack struct {
	handle Handle
	info   os.FileInfo // of a file that was opened ahead, until it is its turn
	close  func()      // of the unpacker
	rest   []byte      // text that has not been fed yet

	unpacker *unpacker
	text     int64         // bytes of text so far
	ready    *model.Block  // of a Parquet file: rows that were read ahead
	answers  uint64        // a sum of theirs
	sheet    *sheet        // of one that is read column by column
	table    *parquetTable // of one that is read row by row
	index    pages.Index   // of a Parquet file, once it has been read
	done     bool
}

// parquetBegin is how a Parquet file begins.
const parquetBegin = "PAR1"

// packed returns the kind of packing that a file begins with: "gzip", "zstd",
// "parquet", "" if none.
func packed(h io.ReaderAt) (kind string, err error) {
	var b [4]byte
	n, err := h.ReadAt(b[:], 0)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	case n >= 2 && b[0] == 0x1f && b[1] == 0x8b:
		return "gzip", nil
	case n == 4 && string(b[:]) == "\x28\xb5\x2f\xfd":
		return "zstd", nil
	case n == 4 && string(b[:]) == parquetBegin:
		return "parquet", nil
	}
	return "", nil
}

// packOf is packed for what has been read before.
func packOf(h io.ReaderAt) string {
	kind, _ := packed(h)
	return kind
}

// countedReader counts what is read of a file.
type countedReader struct {
	r io.Reader
	n int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// A compressed file may unpack to so many times its size; beyond the first gigabyte
// of text more than that is a bomb, not a log.
const (
	maxRatio  = 200
	freeBytes = 1 << 30
)

var errBomb = fmt.Errorf("it unpacks to more than %d times its size: the rest is not read", maxRatio)

// maxWindow bounds the memory that a zstd file may ask for.
const maxWindow = 128 << 20

// newUnpacked returns a reader of the text of a compressed file.
func newUnpacked(kind string, r io.Reader) (io.Reader, error) {
	if kind == "gzip" {
		return gzipindex.NewReader(r), nil
	}
	return newZstd(r)
}

// newZstd returns a decoder without goroutines of its own: others have work to do, and
// progress counts what has been read for the text so far.
func newZstd(r io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
}

func (p *pack) end() {
	if !p.done {
		p.done = true
		if p.sheet != nil {
			p.index = p.sheet.file.Index()
		}
		if p.unpacker != nil {
			p.unpacker.stop()
		}
		p.close()
		_ = p.handle.Close()
		p.rest, p.ready, p.sheet, p.table = nil, nil, nil, nil
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
	if f.pack.unpacker == nil {
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
	p, err := s.openKind(f, packOf(h), h, info.Size())
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

// openKind begins to read a file of that kind of packing.
func (s *Source) openKind(f *file, kind string, h Handle, size int64) (*pack, error) {
	if kind == "parquet" {
		p := &pack{handle: h, close: func() {}}
		return p, s.openParquet(f, p, size)
	}
	within, err := tableIn(kind, h)
	switch {
	case err != nil:
		return nil, err
	case within == nil:
		return s.unpackFile(f, kind, h)
	}
	m, err := hold(within)
	if err != nil {
		return nil, err
	}
	p, err := f.openHeld(m)
	if err == nil {
		p.close = func() { _ = h.Close() }
	}
	return p, err
}

// unpackFile begins to decompress a file.
func (s *Source) unpackFile(f *file, kind string, h Handle) (*pack, error) {
	counted := &countedReader{r: h}
	text, err := newUnpacked(kind, counted)
	if err != nil {
		return nil, err
	}
	if r, ok := text.(*gzipindex.Reader); ok {
		s.shelf.gzip.record(f.index, r)
	}
	return &pack{handle: h, close: func() {}, unpacker: startUnpacker(text, counted)}, nil
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
	case errors.Is(err, errBomb), errors.Is(err, errTable):
		return err.Error()
	case errors.Is(err, pages.ErrBroken):
		return err.Error() + "; copy it again, or leave it out if the run was stopped while it was written"
	}
	return "it cannot be unpacked: " + err.Error() + "; copy it again: of what is there, what stands before has been read"
}

// nextPiece takes the next text of a compressed file.
func (s *Source) nextPiece(f *file) error {
	p := f.pack
	text, consumed, err := p.unpacker.next()
	if err != nil {
		return err
	}
	p.rest = text
	p.text += int64(len(text))
	s.advance(f, consumed-f.disk.Pos)
	if p.text > freeBytes && p.text/maxRatio > consumed {
		return errBomb
	}
	return nil
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
			if err := s.nextPiece(f); err != nil {
				return errors.Is(err, io.EOF), ignoreEOF(err)
			}
			s.readPiece(f)
		}
		p.rest = p.rest[f.feed(p.rest):]
		if !time.Now().Before(deadline) {
			return false, nil
		}
	}
	return false, nil
}
