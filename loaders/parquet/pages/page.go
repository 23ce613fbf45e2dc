package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
	longLived    bool      // the dictionary has memory of its own, and no decompressor
}

// Page is a page of which only the header has been read.
type Page struct {
	Rows   int
	reader *Reader
	header header
	offset int64
}

// Column returns a reader of a column of a row group.
func (f *File) Column(group, column int) *Reader {
	g := f.Groups[group]
	c := g.chunks[column]
	r := &Reader{}
	if f.InMemory() {
		r = f.memory.reader()
	}
	*r = Reader{
		headerBuffer: r.headerBuffer, f: f, column: f.Columns[column], codec: c.codec, firstPage: c.offset, offset: c.offset, end: c.offset + c.size,
		rows: g.Rows, rowsLeft: g.Rows, chunk: group*len(f.Columns) + column,
	}
	return r
}

// Encodings, by their numbers in the format.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingDeltaLength     = 6
	encodingRLEDictionary   = 8
	encodingByteStreamSplit = 9
)

// header is the header of a page.
type header struct {
	kind                 int
	size, compressedSize int // in bytes
	values               int
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
		case (id == 5 || id == 7) && kind == thriftStruct:
			h.decodePage(d)
		case id == 8 && kind == thriftStruct:
			h.decodePageV2(d)
		default:
			d.skip(kind)
		}
	})
}

// decodePage decodes a DataPageHeader or a DictionaryPageHeader.
func (h *header) decodePage(d *thriftDecoder) {
	d.fields(func(id int, kind byte) {
		switch id {
		case 1:
			h.values = int(d.integer(kind))
		case 2:
			h.encoding = int(d.integer(kind))
		default:
			d.skip(kind)
		}
	})
}

func (h *header) decodePageV2(d *thriftDecoder) {
	d.fields(func(id int, kind byte) {
		switch id {
		case 1:
			h.values = int(d.integer(kind))
		case 4:
			h.encoding = int(d.integer(kind))
		case 5:
			h.definitionSize = int(d.integer(kind))
		case 6:
			h.repetitionSize = int(d.integer(kind))
		case 7:
			h.uncompressed = kind != thriftTrue
			d.failed = d.failed || kind > thriftTrue+1
		default:
			d.skip(kind)
		}
	})
}

// headerRead is how many bytes are read at first for a header. Most have some 30; those with a
// minimum and a maximum of texts have more.
const headerRead = 256

// maxRows bounds the rows of a page, since equal values take no space.
const maxRows = 1 << 24

// nextHeader reads the header at the offset.
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
		if d.failed || h.compressedSize < 0 || int64(h.compressedSize) > r.end-r.offset || h.size < 0 || h.size > maxPageSize || h.values < 0 || h.values > maxRows {
			return header{}, fmt.Errorf("%w: a page is said to be larger than its column", ErrBroken)
		}
		return h, nil
	}
}

// HeaderSize returns the size of the page header that data begins with; false if it is broken or
// longer than data.
func HeaderSize(data []byte) (n int, ok bool) {
	d := thriftDecoder{data: data}
	d.skip(thriftStruct)
	return d.offset, !d.failed
}

// readAt returns n bytes of the file, in buffer unless the file is in memory.
func (f *File) readAt(at int64, n int, buffer *[]byte) ([]byte, error) {
	if m, ok := f.r.(memoryReader); ok && at+int64(n) <= int64(len(m)) {
		return m[at : at+int64(n)], nil
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
	for r.rowsLeft > 0 && r.offset < r.end {
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
			r.recordPageStart(start)
			if r.rowsLeft -= int64(h.values); r.rowsLeft < 0 {
				return Page{}, fmt.Errorf("%w: a column has more values than rows", ErrBroken)
			}
			return p, nil
		}
	}
	if r.rowsLeft > 0 {
		return Page{}, fmt.Errorf("%w: a column ends early", ErrBroken)
	}
	return Page{}, io.EOF
}

// rewind moves back to the first page.
func (r *Reader) rewind() { r.offset, r.rowsLeft = r.firstPage, r.rows }

func (r *Reader) readDictionary(p Page) error {
	b := &Buffer{}
	if r.longLived {
		defer b.Close()
	} else {
		b = r.f.Buffer()
	}
	data, err := p.read(b)
	if err != nil {
		return err
	}
	r.size = cap(b.compressed) + cap(b.data) + 8*p.header.values
	if p.header.values > len(data) {
		return fmt.Errorf("%w: a dictionary is shorter than it says", ErrBroken)
	}
	switch r.column.Kind {
	case Number:
		r.numbers, err = decodeNumbers(nil, data, &r.column.Number, p.header.values)
	case Text:
		r.texts = &Texts{data: data}
		r.texts.spans, err = decodeSpans(nil, data, p.header.values)
	default:
		err = ErrUnsupported
	}
	return err
}

// read returns the decompressed data of a page: definition levels and values, or values alone
// of a V2 page, whose levels are not compressed.
func (p *Page) read(b *Buffer) ([]byte, error) {
	h := p.header
	compressed, err := p.reader.f.readAt(p.offset, h.compressedSize, &b.compressed)
	if err != nil {
		return nil, err
	}
	if h.kind != pageDataV2 {
		return b.decompress(p.reader.codec, compressed, h.size)
	}
	if h.definitionSize < 0 || h.repetitionSize != 0 || h.definitionSize > len(compressed) || h.definitionSize > h.size {
		return nil, fmt.Errorf("%w: levels longer than their page", ErrBroken)
	}
	if h.uncompressed {
		return compressed[h.definitionSize:], nil
	}
	return b.decompress(p.reader.codec, compressed[h.definitionSize:], h.size-h.definitionSize)
}

// splitValidity returns which rows of a page have a value (1, else 0; nil if all have) and the
// encoded values.
func (p *Page) splitValidity(b *Buffer) (valid []int32, values []byte, err error) {
	levels, values, err := p.split(b)
	if err != nil || levels == nil {
		return nil, values, err
	}
	b.levels, err = decodeHybrid(b.levels[:0], levels, 1, p.Rows)
	return b.levels, values, err
}

// split is splitValidity with encoded levels.
func (p *Page) split(b *Buffer) (levels, values []byte, err error) {
	values, err = p.read(b)
	if err != nil || !p.reader.column.Optional {
		return nil, values, err
	}
	if p.header.kind == pageDataV2 {
		levels, err = p.reader.f.readAt(p.offset, p.header.definitionSize, &b.compressed)
		if err != nil {
			return nil, nil, err
		}
	} else {
		if len(values) < 4 {
			return nil, nil, errTruncated
		}
		n := binary.LittleEndian.Uint32(values)
		if values = values[4:]; uint64(n) > uint64(len(values)) {
			return nil, nil, fmt.Errorf("%w: levels longer than their page", ErrBroken)
		}
		levels, values = values[:n], values[n:]
	}
	if allValid(levels, p.Rows) {
		return nil, values, nil
	}
	return levels, values, nil
}

// allValid reports whether encoded levels are a single run of ones.
func allValid(levels []byte, rows int) bool {
	head, used := binary.Uvarint(levels)
	return used > 0 && head&1 == 0 && head>>1 == uint64(rows) && used < len(levels) && levels[used] == 1
}

// Bytes returns the size of the page in the file.
func (p *Page) Bytes() int { return p.header.compressedSize }
