package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Reader goes over the pages of a column in a group of rows.
type Reader struct {
	f       *File
	column  Column
	codec   int
	start   int64 // of the first header that is not the dictionary's, once that has been read
	at, end int64 // of the next header, and of the column
	rows    int64 // of the group
	left    int64 // rows to come
	slot    int   // of the index
	head    []byte
	numbers []float64 // the dictionary
	texts   *Texts    // the dictionary
	size    int       // bytes of memory that it takes
	lean    bool      // it is kept for long: nothing beside memory is, and none of the file's
}

// Page is a page whose place is known, and which has not been read.
type Page struct {
	Rows   int
	reader *Reader
	header header
	at     int64
}

// Column reads a column of a group.
func (f *File) Column(group, column int) *Reader {
	g := f.Groups[group]
	c := g.chunks[column]
	r := &Reader{}
	if f.InMemory() {
		r = f.memory.reader()
	}
	*r = Reader{
		head: r.head, f: f, column: f.Columns[column], codec: c.codec, start: c.at, at: c.at, end: c.at + c.size,
		rows: g.Rows, left: g.Rows, slot: group*len(f.Columns) + column,
	}
	return r
}

// Encodings, by their numbers in the format.
const (
	plain           = 0
	plainDictionary = 2
	runs            = 3
	dictionary      = 8
)

// header is what stands before a page.
type header struct {
	kind         int // 0 data, 2 dictionary, 3 data of the second version
	size, packed int // in bytes
	values       int
	encoding     int
	levels       int  // bytes of definition levels; of the second version
	repeats      int  // bytes of repetition levels
	loose        bool // the values are not compressed, although the column is
}

const (
	dataPage       = 0
	dictionaryPage = 2
	dataPage2      = 3
)

func (h *header) decode(d *decoder) {
	d.fields(func(id int, kind byte) {
		switch {
		case id == 1:
			h.kind = int(d.int())
		case id == 2:
			h.size = int(d.int())
		case id == 3:
			h.packed = int(d.int())
		case (id == 5 || id == 7) && kind == typeStruct:
			h.first(d)
		case id == 8 && kind == typeStruct:
			h.second(d)
		default:
			d.skip(kind)
		}
	})
}

// first reads what a page of the first version, and a dictionary, add.
func (h *header) first(d *decoder) {
	d.fields(func(id int, kind byte) {
		switch id {
		case 1:
			h.values = int(d.int())
		case 2:
			h.encoding = int(d.int())
		default:
			d.skip(kind)
		}
	})
}

func (h *header) second(d *decoder) {
	d.fields(func(id int, kind byte) {
		switch id {
		case 1:
			h.values = int(d.int())
		case 4:
			h.encoding = int(d.int())
		case 5:
			h.levels = int(d.int())
		case 6:
			h.repeats = int(d.int())
		case 7:
			h.loose = kind != typeTrue
		default:
			d.skip(kind)
		}
	})
}

// headSize is how much is read of a page to find its header in: mostly some 30 bytes,
// more where it tells the least and greatest value.
const headSize = 256

// maxRows bounds the rows of a page: a run of equal ones takes no bytes.
const maxRows = 1 << 24

// next reads the header that stands at the reader.
func (r *Reader) next() (header, error) {
	for size := int64(headSize); ; size *= 8 {
		size = min(size, r.end-r.at)
		head, err := r.f.bytes(r.at, int(size), &r.head)
		if err != nil {
			return header{}, err
		}
		d := decoder{data: head}
		var h header
		h.decode(&d)
		if d.bad && size < r.end-r.at {
			continue
		}
		r.at += int64(d.at)
		if d.bad || h.packed < 0 || int64(h.packed) > r.end-r.at || h.size < 0 || h.size > maxPage || h.values < 0 || h.values > maxRows {
			return header{}, fmt.Errorf("%w: a page is said to be larger than its column", ErrBroken)
		}
		return h, nil
	}
}

// bytes returns a piece of the file, in kept if it has not been read.
func (f *File) bytes(at int64, n int, kept *[]byte) ([]byte, error) {
	if m, ok := f.r.(memoryReader); ok && at+int64(n) <= int64(len(m)) {
		return m[at : at+int64(n)], nil
	}
	b := room(kept, n)
	if _, err := f.r.ReadAt(b, at); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// Next returns the next page, io.EOF after the last. The dictionary is read on the way.
func (r *Reader) Next() (Page, error) {
	for r.left > 0 && r.at < r.end {
		begin := r.at
		h, err := r.next()
		if err != nil {
			return Page{}, err
		}
		p := Page{Rows: h.values, reader: r, header: h, at: r.at}
		r.at += int64(h.packed)
		switch h.kind {
		case dictionaryPage:
			if err := r.learn(p); err != nil {
				return Page{}, err
			}
			r.start = r.at
		case dataPage, dataPage2:
			r.note(begin)
			if r.left -= int64(h.values); r.left < 0 {
				return Page{}, fmt.Errorf("%w: a column has more values than rows", ErrBroken)
			}
			return p, nil
		}
	}
	if r.left > 0 {
		return Page{}, fmt.Errorf("%w: a column ends early", ErrBroken)
	}
	return Page{}, io.EOF
}

// rewind goes back to the first page.
func (r *Reader) rewind() { r.at, r.left = r.start, r.rows }

// learn reads the dictionary. It stays as long as the reader.
func (r *Reader) learn(p Page) error {
	b := &Buffer{}
	if r.lean {
		defer b.Close()
	} else {
		b = r.f.Buffer()
	}
	data, err := p.load(b)
	if err != nil {
		return err
	}
	r.size = cap(b.packed) + cap(b.plain) + 8*p.header.values
	if p.header.values > len(data) {
		return fmt.Errorf("%w: a dictionary is shorter than it says", ErrBroken)
	}
	switch r.column.Kind {
	case Number:
		r.numbers, err = numbers(nil, data, r.column.physical, p.header.values)
	case Text:
		r.texts = &Texts{data: data}
		r.texts.spans, err = spans(nil, data, p.header.values)
	default:
		err = ErrUnsupported
	}
	return err
}

// load reads and unpacks what follows a page's header: the levels and the values. Of
// the second version the levels are not compressed.
func (p *Page) load(b *Buffer) ([]byte, error) {
	h := p.header
	packed, err := p.reader.f.bytes(p.at, h.packed, &b.packed)
	if err != nil {
		return nil, err
	}
	if h.kind != dataPage2 {
		return b.unpack(p.reader.codec, packed, h.size)
	}
	if h.levels < 0 || h.repeats != 0 || h.levels > len(packed) || h.levels > h.size {
		return nil, fmt.Errorf("%w: levels longer than their page", ErrBroken)
	}
	if h.loose {
		return packed[h.levels:], nil
	}
	return b.unpack(p.reader.codec, packed[h.levels:], h.size-h.levels)
}

// present splits a page into which of its values are there, nil if all are, and
// those values.
func (p *Page) present(b *Buffer) (there []int32, values []byte, err error) {
	levels, values, err := p.split(b)
	if err != nil || levels == nil {
		return nil, values, err
	}
	b.levels, err = hybrid(b.levels[:0], levels, 1, p.Rows)
	return b.levels, values, err
}

// split is that for levels as they stand in the page.
func (p *Page) split(b *Buffer) (levels, values []byte, err error) {
	values, err = p.load(b)
	if err != nil || !p.reader.column.Optional {
		return nil, values, err
	}
	if p.header.kind == dataPage2 {
		levels, err = p.reader.f.bytes(p.at, p.header.levels, &b.packed)
		if err != nil {
			return nil, nil, err
		}
	} else {
		if len(values) < 4 {
			return nil, nil, errEarly
		}
		n := binary.LittleEndian.Uint32(values)
		if values = values[4:]; uint64(n) > uint64(len(values)) {
			return nil, nil, fmt.Errorf("%w: levels longer than their page", ErrBroken)
		}
		levels, values = values[:n], values[n:]
	}
	if all(levels, p.Rows) {
		return nil, values, nil
	}
	return levels, values, nil
}

// all reports whether levels are one run that says of all rows that they are there.
func all(levels []byte, rows int) bool {
	head, used := binary.Uvarint(levels)
	return used > 0 && head&1 == 0 && head>>1 == uint64(rows) && used < len(levels) && levels[used] == 1
}

// Bytes returns how many bytes a page takes in the file.
func (p *Page) Bytes() int { return p.header.packed }
