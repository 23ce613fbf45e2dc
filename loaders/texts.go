package loaders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"vantage/loaders/compressed"
	"vantage/loaders/decode"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/framing"
	"vantage/loaders/parquet"
	"vantage/loaders/parquet/pages"
	"vantage/model"
)

// textIndex finds the text of a sample again. It has a lock, since Text may be called while
// Next runs.
type textIndex struct {
	mu         sync.Mutex
	files      map[int32]textFile
	compressed compressed.Index
	parquet    parquet.CellCache
	inOrder    sync.Mutex // of who reads many texts of a compressed file, for what follows
	last       *pieces    // the one that was read last, nil if none is
}

// release closes what is open, when the source is closed, but not what is being read: that may hang.
func (x *textIndex) release() {
	if x.inOrder.TryLock() {
		defer x.inOrder.Unlock()
		x.keep(nil)
	}
}

type textFile struct {
	texts     *textIndex
	number    int32       // of the file
	disk      fileio.File // where it is; nothing of what was read
	name      string
	format    *formats.Format
	framing   framing.Framing
	pageIndex pages.Index // of a Parquet file
	lost      string      // why what was read is not there any more; "" if it is
}

func (x *textIndex) add(f *file) {
	if f.disk == nil || f.format == nil {
		return
	}
	t := textFile{
		texts: x, number: f.index, disk: fileio.File{Storage: f.disk.Storage, Disk: f.disk.Disk, Root: f.disk.Root, Path: f.disk.Path, Fault: f.disk.Fault}, name: f.name, format: f.format, framing: f.splitter.Framing,
	}
	if f.chunks.evaluations.IsOverwritten(f.index) {
		t.lost = "was overwritten by the evaluation of its step: of its training rows the numbers were read before, their texts are lost"
	}
	if f.packed != nil {
		t.pageIndex = f.packed.index
		if f.packed.reader != nil {
			t.pageIndex = f.packed.reader.Index()
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.files[f.index] = t
}

// retire notes that another file may be where one was.
func (x *textIndex) retire(number int32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if f, ok := x.files[number]; ok {
		f.lost = "is not there any more: its folder was replaced"
		x.files[number] = f
	}
}

func (x *textIndex) get(number int32) (textFile, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f, ok := x.files[number]
	return f, ok
}

// ErrNoText says that a sample came from a stream.
var ErrNoText = errors.New("its text cannot be read again, because it came from a stream: write that to a file and open the file")

// Text reads the text of a sample from its file again. It may be called while Next runs. A
// plain file is read at the sample's offset, a gzip file from a checkpoint before it, a zstd
// file from its start; the text around the samples read last is cached. Texts beyond a
// megabyte are cut.
func (s *Source) Text(ctx context.Context, at model.Place) (model.Text, error) {
	f, ok := s.texts.get(at.File)
	if !ok {
		return model.Text{}, ErrNoText
	}
	if f.lost != "" {
		return model.Text{}, fmt.Errorf("%s %s", f.name, f.lost)
	}
	var c *decode.TextCapture
	err := patiently(func() error {
		c = &decode.TextCapture{IndexInLine: at.IndexInLine}
		return f.capture(ctx, at.Offset, c)
	}, true)
	switch {
	case err != nil:
		return model.Text{}, fmt.Errorf("%s cannot be read again: %s", f.name, reasonOf(err))
	case !c.Found:
		return model.Text{}, fmt.Errorf("%s has changed: the sample is not there any more", f.name)
	}
	return c.Text, nil
}

func (f textFile) capture(ctx context.Context, offset int64, c *decode.TextCapture) error {
	h, info, err := f.disk.Open()
	if err != nil {
		return err
	}
	defer func() { _ = h.Close() }()
	packing, err := compressed.Detect(h)
	if err != nil {
		return err
	}
	switch table := f.format.Framing.Table; {
	case table && packing != compressed.Parquet:
		inner, err := tableIn(packing, h)
		if err != nil || inner == nil {
			return err
		}
		m, err := fileio.ReadAll(inner)
		if err != nil {
			return err
		}
		return f.captureRow(m, fileio.WithSize(info, m.Size()), offset, c)
	case table:
		return f.captureRow(h, info, offset, c)
	}
	return f.captureRecord(ctx, h, offset, c)
}

func (f textFile) captureRow(h io.ReaderAt, info os.FileInfo, row int64, c *decode.TextCapture) error {
	r, ok := f.format.NewDecoder(f.name).(*decode.RowDecoder)
	if !ok {
		return errors.ErrUnsupported
	}
	r.Capture = c
	return f.texts.parquet.DecodeRow(r, parquet.TableFile{Number: f.number, Handle: h, Info: info, Index: f.pageIndex}, row)
}

func (f textFile) captureRecord(ctx context.Context, h fileio.Handle, offset int64, c *decode.TextCapture) error {
	d, err := f.capturing(ctx, h, c)
	if err != nil {
		return err
	}
	text, err := f.recordAt(ctx, h, offset)
	if err == nil {
		_, err = d.Decode(nil, text)
	}
	return err
}

// capturing returns a decoder of the records of the file that keeps their texts. Of a CSV it reads the header first.
func (f textFile) capturing(ctx context.Context, h fileio.Handle, c *decode.TextCapture) (decode.Decoder, error) {
	switch d := f.format.NewDecoder(f.name).(type) {
	case *decode.RowDecoder:
		d.Capture = c
		return d, nil
	case *decode.CSVDecoder:
		d.Capture = c
		header, err := f.recordAt(ctx, h, 0)
		if err == nil {
			_, err = d.Decode(nil, header)
		}
		return d, err
	}
	return nil, errors.ErrUnsupported
}

func (f textFile) recordAt(ctx context.Context, h fileio.Handle, offset int64) ([]byte, error) {
	in, err := f.textFrom(ctx, h, offset)
	if err != nil {
		return nil, err
	}
	s := framing.Splitter{Limit: framing.MaxLine, Framing: f.framing}
	var record []byte
	accept := func(r framing.Record) bool {
		record = append([]byte{}, r.Text...)
		return false
	}
	buf := make([]byte, 4<<10) // many records are short; it doubles for those that are not
	for record == nil && ctx.Err() == nil {
		n, err := in.Read(buf)
		s.Feed(buf[:n], accept)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && record == nil {
			return nil, err
		}
		if n == len(buf) && n < 64<<10 {
			buf = make([]byte, 2*n)
		}
	}
	if record == nil {
		s.Flush(accept)
	}
	return record, ctx.Err()
}

func (f textFile) textFrom(ctx context.Context, h fileio.Handle, offset int64) (io.Reader, error) {
	packing, err := compressed.Detect(h)
	switch {
	case err != nil:
		return nil, err
	case packing == compressed.None:
		return io.NewSectionReader(h, offset, math.MaxInt64-offset), nil
	}
	return f.texts.compressed.TextAt(ctx, packing, f.number, h, offset)
}

// lineIndex finds the line at which a record begins: the store keeps offsets alone. It goes through the
// text once if samples are asked for in the order of the log, and holds one file open.
type lineIndex struct {
	mu      sync.Mutex
	counted map[int32]*countedLines // by number of the file
	open    *countedLines           // whose file is open; nil if none is
	handle  fileio.Handle
	in      io.Reader
	buf     []byte
	unread  []byte // of buf
}

// countedLines is how far the line breaks of a file are counted.
type countedLines struct {
	offset int64   // up to which
	lines  int64   // before offset
	marks  []int64 // lines before each multiple of markDistance up to offset
}

const markDistance = 1 << 20

var errEndsBefore = errors.New("it ends before the sample")

// Lines returns the lines at which the records of samples begin, from 1; of a table their rows. It is 0 for a
// sample that came from a stream, or whose file was overwritten. Like Text it may be called while Next runs.
func (s *Source) Lines(ctx context.Context, at []model.Place) ([]int64, error) {
	lines := make([]int64, len(at))
	for from := 0; from < len(at); {
		to := from
		for ; to < len(at) && at[to].File == at[from].File; to++ {
			lines[to] = at[to].Offset + 1
		}
		f, ok := s.texts.get(at[from].File)
		switch {
		case !ok || f.lost != "":
			clear(lines[from:to])
		case !f.format.Framing.Table:
			if err := s.lines.find(ctx, f, at[from:to], lines[from:to]); err != nil {
				return nil, fmt.Errorf("%s cannot be read again: %s", f.name, reasonOf(err))
			}
		}
		from = to
	}
	return lines, nil
}

func (x *lineIndex) find(ctx context.Context, f textFile, at []model.Place, lines []int64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.counted == nil {
		x.counted, x.buf = map[int32]*countedLines{}, make([]byte, 256<<10)
	}
	c := x.counted[f.number]
	if c == nil {
		c = &countedLines{marks: []int64{0}}
		x.counted[f.number] = c
	}
	for i, p := range at {
		if c != x.open || p.Offset < c.offset {
			if p.Offset < c.offset {
				k := p.Offset / markDistance
				c.offset, c.lines, c.marks = k*markDistance, c.marks[k], c.marks[:k+1]
			}
			if err := x.openAt(ctx, f, c); err != nil {
				return err
			}
		}
		if err := x.advance(c, p.Offset); err != nil {
			x.close()
			return err
		}
		lines[i] = c.lines + 1
	}
	return nil
}

func (x *lineIndex) openAt(ctx context.Context, f textFile, c *countedLines) error {
	x.close()
	h, _, err := f.disk.Open()
	if err != nil {
		return err
	}
	in, err := f.textFrom(ctx, h, c.offset)
	if err != nil {
		_ = h.Close()
		return err
	}
	x.open, x.handle, x.in = c, h, in
	return nil
}

// advance counts the line breaks before an offset.
func (x *lineIndex) advance(c *countedLines, offset int64) error {
	for c.offset < offset {
		if len(x.unread) == 0 {
			n, err := x.in.Read(x.buf)
			if x.unread = x.buf[:n]; n == 0 && errors.Is(err, io.EOF) {
				return errEndsBefore
			} else if n == 0 && err != nil {
				return err
			}
		}
		n := min(int64(len(x.unread)), offset-c.offset, markDistance-c.offset%markDistance)
		c.lines += int64(bytes.Count(x.unread[:n], []byte{'\n'}))
		x.unread, c.offset = x.unread[n:], c.offset+n
		if c.offset%markDistance == 0 {
			c.marks = append(c.marks, c.lines)
		}
	}
	return nil
}

func (x *lineIndex) close() {
	if x.handle != nil {
		_ = x.handle.Close()
	}
	x.open, x.handle, x.in, x.unread = nil, nil, nil, nil
}

// release closes what is open, when the source is closed.
func (x *lineIndex) release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.close()
}
