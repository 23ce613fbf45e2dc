package loaders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
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
	starts     map[int32]int // how often a file was read from its start again
	inOrder    sync.Mutex    // of who reads many texts of a compressed file, for what follows
	last       *pieces       // the one that was read last, nil if none is
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
	start     int         // see textIndex.starts
	lost      string      // why what was read is not there any more; "" if it is
}

func (x *textIndex) add(f *file) {
	if f.disk == nil || f.format == nil {
		return
	}
	t := textFile{
		texts: x, number: f.index, name: f.name, format: f.format, framing: f.splitter.Framing,
		disk: fileio.File{Storage: f.disk.Storage, Root: f.disk.Root, Path: f.disk.Path, Fault: f.disk.Fault},
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
	t.start = x.starts[f.index]
	x.files[f.index] = t
}

// restart notes that a file is read from its start again: what was found in it may be somewhere else.
func (x *textIndex) restart(number int32) {
	x.compressed.Forget(number)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.starts[number]++
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

// errUnlogged says that a sample has no row.
var errUnlogged = errors.New("it has no row in the log: other rows of its group tell its reward")

// ErrNoText says that a sample came from a stream.
var ErrNoText = errors.New("its text cannot be read again, because it came from a stream: write that to a file and open the file")

// Text reads the text of a sample from its file again. It may be called while Next runs. A
// plain file is read at the sample's offset, a compressed file from its start; the text around
// the samples read last is cached. Texts beyond a megabyte are cut.
func (s *Source) Text(ctx context.Context, place model.Place) (model.Text, error) {
	if s.files.table != nil {
		return s.files.table.Text(ctx, place)
	}
	f, ok := s.texts.get(place.File)
	if !ok {
		return model.Text{}, ErrNoText
	}
	if place.IndexInLine < 0 {
		return model.Text{}, errUnlogged
	}
	if f.lost != "" {
		return model.Text{}, fmt.Errorf("%s %s", f.name, f.lost)
	}
	var c *decode.TextCapture
	err := patiently(func() error {
		c = &decode.TextCapture{IndexInLine: place.IndexInLine}
		return f.capture(ctx, place.Offset, c)
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
	start  int     // of the file, see textIndex.starts
	offset int64   // up to which
	lines  int64   // before offset
	marks  []int64 // lines before each multiple of markDistance up to offset
}

const markDistance = 1 << 20

var errEndsBefore = errors.New("it ends before the sample")

// Lines returns the lines at which the records of samples begin, from 1; of a table their rows. It is 0 for a
// sample that came from a stream, or whose file was overwritten. Like Text it may be called while Next runs.
func (s *Source) Lines(ctx context.Context, places []model.Place) ([]int64, error) {
	if s.files.table != nil {
		return s.files.table.Lines(ctx, places)
	}
	lines := model.Mapped(places, func(p model.Place) int64 { return p.Offset + 1 })
	for from, to := range stretches(places, ofOneFile) {
		f, ok := s.texts.get(places[from].File)
		switch {
		case !ok || f.lost != "":
			clear(lines[from:to])
		case !f.format.Framing.Table:
			if err := s.lines.find(ctx, f, places[from:to], lines[from:to]); err != nil {
				return nil, fmt.Errorf("%s cannot be read again: %s", f.name, reasonOf(err))
			}
		}
	}
	return lines, nil
}

func ofOneFile(x, y *model.Place) bool {
	return x.File == y.File && x.IndexInLine < 0 == (y.IndexInLine < 0)
}

func (x *lineIndex) find(ctx context.Context, f textFile, places []model.Place, lines []int64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.counted == nil {
		x.counted, x.buf = map[int32]*countedLines{}, make([]byte, 256<<10)
	}
	c := x.counted[f.number]
	if c == nil || c.start != f.start { // what was counted is not there any more
		c = &countedLines{start: f.start, marks: []int64{0}}
		x.counted[f.number] = c
	}
	for i, p := range places {
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

func (x *lineIndex) release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.close()
}

// Texts passes the texts of many samples to visit, by index, or why one cannot be read. It is quick if they are in the order of the
// log, whose files of lines are then read once, in large pieces, and decompressed once; others go through [Source.Text]. mayHold, which
// may be nil, is asked of the bytes of a record first: those of which it is false are not decoded, and not visited. It may be called from
// several goroutines.
func (s *Source) Texts(
	ctx context.Context, places []model.Place, mayHold func(record []byte) bool, visit func(i int, t model.Text, err error),
) error {
	if s.files.table != nil {
		return s.files.table.Texts(ctx, places, mayHold, visit)
	}
	for lo, hi := range stretches(places, ofOneFile) {
		hasRows := places[lo].IndexInLine >= 0
		ofFile := func(i int, t model.Text, err error) { visit(lo+i, t, err) }
		if read := hasRows && s.textsOfFile(ctx, places[lo:hi], mayHold, ofFile); !read {
			for i, place := range places[lo:hi] {
				t, err := s.Text(ctx, place)
				visit(lo+i, t, err)
				if ctx.Err() != nil {
					break
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// visitText is called with the text of a sample, by the index of its place, or why that cannot be read.
type visitText func(i int, t model.Text, err error)

// textsOfFile reports whether the samples, which are of one file, could be read in large pieces.
func (s *Source) textsOfFile(ctx context.Context, places []model.Place, mayHold func([]byte) bool, visit visitText) bool {
	f, ok := s.texts.get(places[0].File)
	if !ok || f.lost != "" || f.framing.Whole || f.framing.RecordPrefix != "" {
		return false
	}
	h, info, err := f.disk.Open()
	if err != nil {
		return false
	}
	packing, err := compressed.Detect(h)
	if isTable := f.format.Framing.Table; err != nil || packing == compressed.Torch || isTable != (packing == compressed.Parquet) {
		_ = h.Close()
		return false
	} else if isTable {
		defer func() { _ = h.Close() }()
		f.textsOfRows(ctx, h, info, places, visit)
		return true
	}
	in := &pieces{file: h, info: info, number: f.number, quoted: f.framing.Quoted}
	if in.packed = packing != compressed.None; in.packed { // one after the other goes on where the last has stopped
		f.texts.inOrder.Lock()
		defer f.texts.inOrder.Unlock()
		if last := f.texts.last; last != nil && last.number == f.number && fileio.Unchanged(last.info, info) &&
			last.start <= places[0].Offset {
			in = last
			_ = h.Close()
		}
		defer func() { f.texts.keep(in) }()
	} else {
		defer func() { _ = h.Close() }()
	}
	in.from = func(offset int64) (io.Reader, error) { return f.textFrom(context.WithoutCancel(ctx), in.file, offset) }
	return f.textsOfLines(ctx, in, places, mayHold, visit)
}

func (f textFile) textsOfRows(ctx context.Context, h fileio.Handle, info os.FileInfo, places []model.Place, visit visitText) {
	for i, place := range places {
		c := &decode.TextCapture{IndexInLine: place.IndexInLine}
		err := f.captureRow(h, info, place.Offset, c)
		if err == nil && !c.Found {
			err = errEndsBefore
		}
		if err != nil {
			err = fmt.Errorf("%s cannot be read again: %s", f.name, reasonOf(err))
		}
		if visit(i, c.Text, err); ctx.Err() != nil {
			break
		}
	}
}

// keep keeps what reads a compressed file for who reads on from there, and closes what was kept before. It is for who has the lock.
func (x *textIndex) keep(in *pieces) {
	if x.last != nil && x.last != in {
		_ = x.last.file.Close()
	}
	x.last = in
}

func (f textFile) textsOfLines(ctx context.Context, in *pieces, places []model.Place, mayHold func([]byte) bool, visit visitText) bool {
	capture := &decode.TextCapture{}
	d, err := f.capturing(ctx, in.file, capture)
	if err != nil {
		return false
	}
	var kept []model.Record
	for lo, hi := range stretches(places, func(x, y *model.Place) bool { return x.Offset == y.Offset }) {
		if ctx.Err() != nil {
			break
		}
		var record []byte
		err := patiently(func() (err error) {
			record, err = in.recordAt(places[lo].Offset)
			return err
		}, true)
		missing := hi - lo
		switch {
		case err == nil && mayHold != nil && !mayHold(record):
			continue
		case err == nil:
			next := lo
			*capture = decode.TextCapture{Each: func(index int32, t model.Text) {
				for k := range hi - lo { // in the order of the line the next is the first that is tried
					if i := lo + (next-lo+k)%(hi-lo); places[i].IndexInLine == index {
						visit(i, t, nil)
						missing--
						next = i + 1
						return
					}
				}
			}}
			kept, err = d.Decode(kept[:0], record)
		}
		if err == nil && missing > 0 {
			err = errEndsBefore
		}
		for i := lo; i < hi && err != nil; i++ {
			visit(i, model.Text{}, fmt.Errorf("%s cannot be read again: %s", f.name, reasonOf(err)))
		}
	}
	return true
}

// pieces is the text of a file that is read in large pieces, a record at a time.
type pieces struct {
	file   fileio.Handle
	info   os.FileInfo
	number int32
	packed bool // it is decompressed, and goes on rather than to begin again
	quoted bool // a newline between double quotes ends nothing

	from  func(offset int64) (io.Reader, error)
	in    io.Reader // what follows the text
	text  []byte    // of the file, from start
	start int64
	piece int // how much is read next: more, if what follows is wanted
}

// How much is read at once.
const (
	leastPiece = 8 << 10
	mostPiece  = 256 << 10
)

// keptBehind is how much text of a compressed file is kept behind what was read: steps are asked for nearly in their order, by several
// goroutines, and one that comes late would have the file decompressed from its start.
const keptBehind = 4 << 20

// recordAt returns the record that begins at an offset, without its newline. It is valid until the next is asked for.
func (p *pieces) recordAt(offset int64) ([]byte, error) {
	if err := p.seek(offset); err != nil {
		p.in = nil
		return nil, err
	}
	for {
		rest := p.text[offset-p.start:]
		end := bytes.IndexByte(rest, '\n')
		if p.quoted {
			end = framing.QuotedEnd(rest, false)
		}
		if end >= 0 {
			return rest[:end], nil
		}
		if len(rest) > framing.MaxLine {
			return nil, errors.New("a record is too long")
		}
		p.piece = min(max(2*p.piece, leastPiece), mostPiece)
		more, err := p.read(offset, max(p.piece, len(rest))) // a long record takes few reads
		if more > 0 {
			continue
		}
		if len(rest) == 0 || !errors.Is(err, io.EOF) {
			p.in = nil
			return nil, errors.Join(errEndsBefore, err)
		}
		return p.text[offset-p.start:], nil // the last line of a file has no newline
	}
}

// read reads on, and drops the text before an offset, of a compressed file but for what is kept behind it.
func (p *pieces) read(offset int64, room int) (int, error) {
	kept := int64(0)
	if p.packed {
		kept = keptBehind
	}
	if drop := offset - p.start - kept; drop > kept { // seldom, if some is kept: it is copied
		n := copy(p.text, p.text[drop:])
		p.text, p.start = p.text[:n], p.start+drop
	}
	n := len(p.text)
	p.text = slices.Grow(p.text, room)
	more, err := io.ReadAtLeast(p.in, p.text[n:n+room], min(room, leastPiece))
	p.text = p.text[:n+more]
	return more, err
}

// seek makes the text begin at an offset, or before it.
func (p *pieces) seek(offset int64) (err error) {
	end := func() int64 { return p.start + int64(len(p.text)) }
	if p.in == nil || offset < p.start || offset > end() && !p.packed {
		p.text, p.start, p.piece = p.text[:0], offset, leastPiece
		if p.packed {
			p.start = max(0, offset-keptBehind)
		}
		if p.in, err = p.from(p.start); err != nil {
			return err
		}
	}
	for end() < offset {
		if more, err := p.read(end(), mostPiece); more == 0 {
			return errors.Join(errEndsBefore, err)
		}
	}
	return nil
}
