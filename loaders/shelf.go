package loaders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/pages"
	"vantage/model"
)

// shelf is what is needed to find the text of a sample again. Text may be asked for
// while Next reads, so it has a lock.
type shelf struct {
	mu         sync.Mutex
	files      map[int32]volume
	compressed compressed.Index
	parquet    cellCache
}

func newShelf() *shelf {
	return &shelf{files: map[int32]volume{}}
}

// volume is a file as it was read.
type volume struct {
	shelf  *shelf
	number int32 // of the file
	disk   File  // root and path only
	name   string
	format *Format
	cut    Framing
	index  pages.Index // of a Parquet file
}

func (s *shelf) put(f *file) {
	if f.disk == nil || f.format == nil {
		return
	}
	v := volume{
		shelf: s, number: f.index, disk: File{Root: f.disk.Root, Path: f.disk.Path, Fault: f.disk.Fault}, name: f.name, format: f.format, cut: f.lines.Framing,
	}
	if f.pack != nil {
		v.index = f.pack.index
		if f.pack.reader != nil {
			v.index = f.pack.reader.Index()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[f.index] = v
}

func (s *shelf) get(index int32) (volume, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.files[index]
	return v, ok
}

// ErrNoText says that a sample's text cannot be read again.
var ErrNoText = errors.New("its text cannot be read again, since it came from a stream: write that to a file and open the file")

// Text reads the text of a sample from where it stands. It may be called while Next
// runs. A plain file is read at the sample's place, a gzip file from a checkpoint, a zstd
// file from its start; both are cached around the samples read last. Texts beyond a megabyte
// are cut.
func (s *Source) Text(ctx context.Context, at model.Place) (model.Text, error) {
	v, ok := s.shelf.get(at.File)
	if !ok {
		return model.Text{}, ErrNoText
	}
	c := &TextCapture{Nth: at.Nth}
	err := v.read(ctx, at.Offset, c)
	for n := 1; err != nil && passing(err) && n < tries; n++ {
		time.Sleep(backOff(n))
		c = &TextCapture{Nth: at.Nth}
		err = v.read(ctx, at.Offset, c)
	}
	switch {
	case err != nil:
		return model.Text{}, fmt.Errorf("%s cannot be read again: %s", v.name, why(err))
	case !c.Found:
		return model.Text{}, fmt.Errorf("%s has changed: the sample is not there any more", v.name)
	}
	return c.Text, nil
}

// read takes the text of a sample down.
func (v volume) read(ctx context.Context, offset int64, c *TextCapture) error {
	h, info, err := v.disk.Open()
	if err != nil {
		return err
	}
	defer func() { _ = h.Close() }()
	packing, err := compressed.Detect(h)
	if err != nil {
		return err
	}
	switch table := v.format.Framing.Table; {
	case table && packing != compressed.Parquet:
		within, err := tableIn(packing, h)
		if err != nil || within == nil {
			return err
		}
		m, err := hold(within)
		if err != nil {
			return err
		}
		return v.tableRow(m, heldInfo{info, m.Size()}, offset, c)
	case table:
		return v.tableRow(h, info, offset, c)
	}
	return v.record(ctx, h, offset, c)
}

// tableRow decodes a row of a Parquet file.
func (v volume) tableRow(h io.ReaderAt, info os.FileInfo, row int64, c *TextCapture) error {
	r, ok := v.format.Decode(v.name).(*RowDecoder)
	if !ok {
		return errors.ErrUnsupported
	}
	r.Capture = c
	return v.shelf.parquet.decodeRow(r, tableFile{v.number, h, info, v.index}, row)
}

// record decodes the record at an offset of a file's text.
func (v volume) record(ctx context.Context, h Handle, offset int64, c *TextCapture) error {
	d := v.format.Decode(v.name)
	r, ok := d.(interface{ Row() *RowDecoder })
	if !ok {
		return errors.ErrUnsupported
	}
	if _, isGrid := d.(*CSVDecoder); isGrid { // the header tells the columns apart
		header, err := v.recordAt(ctx, h, 0)
		if err != nil {
			return err
		}
		if _, err := d.Line(nil, header); err != nil {
			return err
		}
	}
	text, err := v.recordAt(ctx, h, offset)
	if err != nil {
		return err
	}
	r.Row().Capture = c
	_, err = d.Line(nil, text)
	return err
}

// recordAt cuts the record that begins at an offset out of the file's text.
func (v volume) recordAt(ctx context.Context, h Handle, offset int64) ([]byte, error) {
	in, err := v.textFrom(ctx, h, offset)
	if err != nil {
		return nil, err
	}
	l := Lines{Limit: MaxLine, Framing: v.cut}
	var b Multiline
	var record []byte
	take := func(line Line) bool {
		if v.cut.RecordPrefix != "" {
			whole, ok := b.Add(line, v.cut.RecordPrefix)
			if !ok {
				return true
			}
			line = whole
		}
		record = append([]byte{}, line.Text...)
		return false
	}
	buf := make([]byte, 64<<10)
	for record == nil && ctx.Err() == nil {
		n, err := in.Read(buf)
		l.Feed(buf[:n], take)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && record == nil {
			return nil, err
		}
	}
	if record == nil && l.Pending() {
		take(l.TakeLast())
	}
	if whole, ok := b.Take(); record == nil && ok {
		record = whole.Text
	}
	return record, ctx.Err()
}

// textFrom reads a file's text from an offset on; what is compressed is unpacked.
func (v volume) textFrom(ctx context.Context, h Handle, offset int64) (io.Reader, error) {
	packing, err := compressed.Detect(h)
	switch {
	case err != nil:
		return nil, err
	case packing == compressed.None:
		return io.NewSectionReader(h, offset, math.MaxInt64-offset), nil
	}
	return v.shelf.compressed.TextAt(ctx, packing, v.number, h, offset)
}
