package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
)

// Reader iterates over the pages of a column of a row group.
type Reader struct {
	f            *File
	column       Column
	codec        int
	firstPage    int64 // offset of the first header, after the dictionary once that has been read
	offset, end  int64 // of the next header, and of the chunk
	rows         int64 // of the group
	rowsLeft     int64
	chunk        int // number in the index
	headerBuffer []byte
	numbers      []float64 // the dictionary
	texts        *Texts    // the dictionary
	size         int       // of the dictionary in memory
}

// Page is a page of which only the header has been read.
type Page struct {
	Rows   int // -1 if only its levels say how many
	reader *Reader
	header header
	offset int64
}

// Column returns a reader of a column of a row group.
func (f *File) Column(group, column int) *Reader {
	g := f.Groups[group]
	c := g.chunks[column]
	r := &Reader{}
	if f.memory != nil {
		r = f.memory.readers.next()
	}
	*r = Reader{
		headerBuffer: r.headerBuffer, f: f, column: f.Columns[column], codec: c.codec, firstPage: c.offset, offset: c.offset,
		end:  c.offset + c.size,
		rows: g.Rows, rowsLeft: g.Rows, chunk: group*len(f.Columns) + column,
	}
	return r
}

// Encodings, by their numbers in the format.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingDelta           = 5
	encodingDeltaLength     = 6
	encodingDeltaTexts      = 7
	encodingRLEDictionary   = 8
	encodingByteStreamSplit = 9
)

type header struct {
	kind                 int
	size, compressedSize int // in bytes
	values               int
	rows                 int // V2 only
	encoding             int
	definitionSize       int  // bytes of definition levels; V2 only
	repetitionSize       int  // bytes of repetition levels; V2 only
	uncompressed         bool // the page is not compressed, whatever the codec; V2 only
}

// Kinds of pages, by their numbers in the format.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

func (h *header) decode(d *thriftDecoder) {
	d.fields(func(id int, kind byte) {
		switch {
		case id == 1:
			h.kind = int(d.integer(kind))
		case id == 2:
			h.size = int(d.integer(kind))
		case id == 3:
			h.compressedSize = int(d.integer(kind))
		case (id == 5 || id == 7) && kind == thriftStruct: // of data, or of a dictionary
			d.integers(&h.values, &h.encoding)
		case id == 8 && kind == thriftStruct:
			d.fields(func(id int, kind byte) {
				into := [...]*int{1: &h.values, 3: &h.rows, 4: &h.encoding, 5: &h.definitionSize, 6: &h.repetitionSize}
				switch {
				case id == 7:
					h.uncompressed = kind != thriftTrue
					d.failed = d.failed || kind > thriftTrue+1
				case id > 0 && id < len(into) && into[id] != nil:
					*into[id] = int(d.integer(kind))
				}
			})
		}
	})
}

// headerRead is how many bytes are read at first for a header. Most have some 30; those with a
// minimum and a maximum of texts have more.
const headerRead = 256

// maxRows bounds the rows of a page, since equal values take no space.
const maxRows = 1 << 24

func (r *Reader) nextHeader() (header, error) {
	for size := int64(headerRead); ; size *= 8 {
		size = min(size, r.end-r.offset)
		data, err := r.f.readAt(r.offset, int(size), &r.headerBuffer)
		if err != nil {
			return header{}, err
		}
		d := thriftDecoder{data: data}
		var h header
		h.decode(&d)
		if d.failed && size < r.end-r.offset {
			continue
		}
		r.offset += int64(d.offset)
		fits := 0 <= h.compressedSize && int64(h.compressedSize) <= r.end-r.offset
		isOfASize := 0 <= h.size && h.size <= maxPageSize && 0 <= h.values && h.values <= maxRows
		if d.failed || !fits || !isOfASize {
			return header{}, fmt.Errorf("%w: a page claims to be larger than its column", ErrBroken)
		}
		return h, nil
	}
}

// readAt returns n bytes of the file, in buffer unless the file is in memory.
func (f *File) readAt(at int64, n int, buffer *[]byte) ([]byte, error) {
	if f.InMemory() {
		if at+int64(n) > int64(len(f.whole)) {
			return nil, io.ErrUnexpectedEOF
		}
		return f.whole[at : at+int64(n)], nil
	}
	b := resize(buffer, n)
	if _, err := f.r.ReadAt(b, at); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// Next returns the next page, io.EOF after the last. It reads the dictionary when it comes to it.
func (r *Reader) Next() (Page, error) {
	isNested := r.column.Kind == Nested
	for (r.rowsLeft > 0 || isNested) && r.offset < r.end {
		start := r.offset
		h, err := r.nextHeader()
		if err != nil {
			return Page{}, err
		}
		p := Page{Rows: h.values, reader: r, header: h, offset: r.offset}
		r.offset += int64(h.compressedSize)
		switch h.kind {
		case pageDictionary:
			if err := r.readDictionary(p); err != nil {
				return Page{}, err
			}
			r.firstPage = r.offset
		case pageData, pageDataV2:
			if isNested {
				if p.Rows = -1; h.kind == pageDataV2 {
					p.Rows = h.rows
				}
				return p, nil
			}
			r.recordPageStart(start)
			if r.rowsLeft -= int64(h.values); r.rowsLeft < 0 {
				return Page{}, fmt.Errorf("%w: a column has more values than rows", ErrBroken)
			}
			return p, nil
		}
	}
	if r.rowsLeft > 0 && !isNested {
		return Page{}, fmt.Errorf("%w: a column ends early", ErrBroken)
	}
	return Page{}, io.EOF
}

func (r *Reader) readDictionary(p Page) error {
	b := r.f.Buffer()
	_, data, err := p.read(b)
	if err != nil {
		return err
	}
	r.size = cap(b.compressed) + cap(b.data) + 8*p.header.values
	if p.header.values > len(data) {
		return fmt.Errorf("%w: a dictionary is shorter than it claims", ErrBroken)
	}
	switch r.column.stored {
	case Number:
		r.numbers, err = decodeNumbers(nil, data, &r.column.Number, p.header.values)
	case Text:
		r.texts = &Texts{data: data}
		r.texts.spans, err = r.column.plainSpans(nil, data, p.header.values)
	default:
		err = ErrUnsupported
	}
	return err
}

// read returns the decompressed data of a page: its levels and values, or the values alone of a V2 page, whose levels
// are not compressed.
func (p *Page) read(b *Buffer) (levels, data []byte, err error) {
	h := p.header
	compressed, err := p.reader.f.readAt(p.offset, h.compressedSize, &b.compressed)
	if err != nil {
		return nil, nil, err
	}
	if h.kind != pageDataV2 {
		data, err = b.decompress(p.reader.codec, compressed, h.size)
		return nil, data, err
	}
	n := h.repetitionSize + h.definitionSize
	if h.definitionSize < 0 || h.repetitionSize < 0 || n > len(compressed) || n > h.size {
		return nil, nil, errLevels
	}
	levels, data = compressed[:n], compressed[n:]
	if !h.uncompressed {
		data, err = b.decompress(p.reader.codec, data, h.size-n)
	}
	return levels, data, err
}

var errLevels = fmt.Errorf("%w: levels longer than their page", ErrBroken)

// split returns the levels and the values of a page as they are encoded; no levels where all values are there. Some writers have
// levels of repetition in V2 pages where nothing repeats.
func (p *Page) split(b *Buffer) (repetition, definition, values []byte, err error) {
	levels, values, err := p.read(b)
	c := &p.reader.column
	if p.header.kind == pageDataV2 && err == nil {
		repetition, definition = levels[:p.header.repetitionSize], levels[p.header.repetitionSize:]
	}
	if p.header.kind != pageDataV2 && err == nil && c.repetition > 0 {
		repetition, values, err = cutLevels(values)
	}
	if p.header.kind != pageDataV2 && err == nil && c.definition > 0 {
		definition, values, err = cutLevels(values)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if c.definition == 0 || allValid(definition, p.header.values, c.definition) {
		definition = nil
	}
	return repetition, definition, values, nil
}

func cutLevels(data []byte) (levels, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, errTruncated
	}
	n := binary.LittleEndian.Uint32(data)
	if data = data[4:]; uint64(n) > uint64(len(data)) {
		return nil, nil, errLevels
	}
	return data[:n], data[n:], nil
}

func allValid(levels []byte, n, highest int) bool {
	head, used := binary.Uvarint(levels)
	return used > 0 && head&1 == 0 && head>>1 == uint64(n) && used < len(levels) && int(levels[used]) == highest
}

// Bytes returns the size of the page in the file.
func (p *Page) Bytes() int { return p.header.compressedSize }

// Index is where the pages passed so far begin. With it a row is found without reading the
// headers before it.
type Index [][]pageStart // by row group and column

// pageStart is the first row of a page, in its group, and the offset of its header.
type pageStart struct{ row, offset int64 }

// Index returns the index so far. Reading does not change it.
func (f *File) Index() Index { return append(Index(nil), f.index...) }

// SetIndex gives f the index of an earlier reading of the same file. f does not change it.
func (f *File) SetIndex(i Index) {
	if len(i) != len(f.Groups)*len(f.Columns) {
		return
	}
	f.index = make(Index, len(i))
	for n, starts := range i {
		f.index[n] = slices.Clip(starts)
	}
}

func (r *Reader) recordPageStart(offset int64) {
	if r.f.InMemory() {
		return
	}
	if r.f.index == nil {
		r.f.index = make(Index, len(r.f.Groups)*len(r.f.Columns))
	}
	starts := &r.f.index[r.chunk]
	row := r.rows - r.rowsLeft
	if n := len(*starts); n == 0 || (*starts)[n-1].row < row {
		*starts = append(*starts, pageStart{row, offset})
	}
}

// SeekPage moves to the page of a row, or to the last known page before it, and returns the
// first row of that page.
func (r *Reader) SeekPage(row int64) (first int64, err error) {
	if r.f.index == nil {
		return 0, nil
	}
	starts := r.f.index[r.chunk]
	i := sort.Search(len(starts), func(i int) bool { return starts[i].row > row }) - 1
	if i <= 0 {
		return 0, nil
	}
	if starts[0].offset > r.offset { // the dictionary comes before the first page
		if _, err := r.Next(); err != nil {
			return 0, err
		}
	}
	r.offset, r.rowsLeft = starts[i].offset, r.rows-starts[i].row
	return starts[i].row, nil
}

// Cells reads single cells of columns that are not [Nested]. Of each column chunk it keeps the
// dictionary and the page that was read last, which serve the neighbours of a cell. The file's
// index grows by the pages that it passes.
type Cells struct {
	f       *File
	maxSize int
	chunks  map[int]*openChunk // by row group and column
	size    int
}

// openChunk is what is kept of a column of a row group.
type openChunk struct {
	reader   *Reader
	page     Page
	firstRow int64 // of the page, in the group
	buffer   Buffer
	numbers  []float64 // of the page
	valid    []int32   // parallel to numbers, as [Page.Numbers] has it
	texts    Texts     // of the page
	size     int
}

// NewCells reads cells of a file. Beyond maxSize bytes it keeps only the row group read last.
func NewCells(f *File, maxSize int) *Cells {
	return &Cells{f: f, maxSize: maxSize, chunks: map[int]*openChunk{}}
}

// Cell returns a number, or a bool as 0 or 1, or a text, which is valid until the next call; false for a null. The row counts within
// the group.
func (c *Cells) Cell(group, column int, row int64) (x float64, text []byte, ok bool, err error) {
	k, err := c.find(group, column, row)
	if err != nil {
		return 0, nil, false, err
	}
	at := int(row - k.firstRow)
	if k.reader.column.Kind == Text {
		text, ok = k.texts.At(at)
		return 0, text, ok, nil
	}
	return k.numbers[at], nil, k.valid == nil || k.valid[at] != 0, nil
}

// Size returns how many bytes c keeps.
func (c *Cells) Size() int { return c.size }

func (c *Cells) find(group, column int, row int64) (*openChunk, error) {
	n := group*len(c.f.Columns) + column
	k := c.chunks[n]
	if k == nil {
		k = &openChunk{reader: c.f.Column(group, column)}
	}
	delete(c.chunks, n) // it is put back if all goes well
	c.size -= k.size
	if row < k.firstRow || row >= k.firstRow+int64(k.page.Rows) {
		if err := k.readPage(row); err != nil {
			return nil, err
		}
	}
	if c.chunks[n], c.size = k, c.size+k.size; c.size <= c.maxSize {
		return k, nil
	}
	for n, k := range c.chunks {
		if n/len(c.f.Columns) != group {
			delete(c.chunks, n)
			c.size -= k.size
		}
	}
	return k, nil
}

func (k *openChunk) readPage(row int64) error {
	r := k.reader
	r.offset, r.rowsLeft = r.firstPage, r.rows
	first, err := r.SeekPage(row)
	if err != nil {
		return err
	}
	p, err := r.Next()
	for ; err == nil && row >= first+int64(p.Rows); p, err = r.Next() {
		first += int64(p.Rows)
	}
	switch {
	case err != nil:
	case !r.f.HasRoom(p.Rows):
		err = errManyValues
	case r.column.Kind == Text:
		k.texts, err = p.Texts(&k.buffer)
	default:
		k.numbers, k.valid, err = p.Numbers(&k.buffer)
	}
	k.page, k.firstRow = p, first
	b := &k.buffer
	k.size = cap(b.compressed) + cap(b.data) + 8*cap(k.numbers) + 4*cap(b.levels) + 4*cap(b.indexes) + 8*cap(b.spans) + r.size
	return err
}
