package trackio

import (
	"encoding/binary"
	"iter"
)

// Kinds of pages of a table.
const (
	innerPage = 5
	leafPage  = 13
)

// maxDepth bounds the pages above a row; 20 levels hold more rows than there are ids.
const maxDepth = 20

// Rows are the rows of a table with an id above after, in the order of their ids.
func (t *sqlTable) Rows(after int64) iter.Seq[*sqlRow] {
	return func(yield func(*sqlRow) bool) {
		w := walker{view: t.view, after: after, yield: yield, left: 2 * int64(t.view.pages)}
		w.walk(t.root, 0)
	}
}

// Find returns the row with an id, nil if there is none.
func (t *sqlTable) Find(id int64) *sqlRow {
	for r := range t.Rows(id - 1) {
		if r.ID != id {
			break
		}
		return r
	}
	return nil
}

// walker goes through the pages of a table.
type walker struct {
	view  *sqlView
	after int64
	yield func(*sqlRow) bool
	left  int64 // pages that may still be read: a broken table may lead in circles
	last  int64
	begun bool
}

// walk goes through a page and those below it, and reports whether more rows are wanted.
func (w *walker) walk(number uint32, depth int) bool {
	if w.left--; w.left < 0 || depth > maxDepth {
		w.view.broken("its tables lead in circles")
	}
	data, kind, head, cells := w.view.tablePage(number)
	for i := 0; i < cells && w.view.err == nil; i++ {
		var cell []byte
		if at := int(binary.BigEndian.Uint16(data[head+2*i:])); at >= head && at < w.view.usable {
			cell = data[at:w.view.usable]
		}
		if kind == leafPage {
			if !w.row(cell) {
				return false
			}
			continue
		}
		most, _, ok := varint(cell[min(4, len(cell)):])
		if !ok {
			w.view.broken("a row ends early")
		} else if int64(most) > w.after && !w.walk(binary.BigEndian.Uint32(cell), depth+1) {
			return false
		}
	}
	return w.view.err == nil && (kind == leafPage || w.walk(binary.BigEndian.Uint32(data[head-4:]), depth+1))
}

func (w *walker) row(cell []byte) bool {
	r := w.view.row(cell)
	if w.begun && r.ID <= w.last {
		w.view.broken("its rows are out of order")
	}
	w.last, w.begun = r.ID, true
	return w.view.err == nil && (r.ID <= w.after || w.yield(r))
}

const maxPages = 64

// tablePage returns a page of a table: its bytes, its kind, where its header ends and how many cells it has. It is kept: the next look
// at the table begins with the same.
func (v *sqlView) tablePage(number uint32) (data []byte, kind byte, head, cells int) {
	data = v.page[number]
	if data == nil {
		data = make([]byte, v.pageSize)
		if v.readPage(number, data); v.err != nil {
			return nil, 0, 0, 0
		}
		if len(v.page) >= maxPages {
			clear(v.page)
		}
		v.page[number] = data
	}
	if number == 1 {
		head = headerSize
	}
	kind, cells = data[head], int(binary.BigEndian.Uint16(data[head+3:]))
	if head += 8; kind == innerPage {
		head += 4
	}
	if kind != innerPage && kind != leafPage || head+2*cells > v.usable {
		v.broken("page %d is none of a table", number)
	}
	return data, kind, head, cells
}

// sqlRow is a row of a table, of which only the beginning has been read.
type sqlRow struct {
	ID    int64
	view  *sqlView
	size  uint64 // of all of it
	local []byte // what stands on the leaf
	next  uint32 // the page with more of it; 0 if there is none
}

// maxRow is how many bytes SQLite's rows have at most, unless it was built otherwise.
const maxRow = 1_000_000_000

func (v *sqlView) row(cell []byte) *sqlRow {
	size, n, ok := varint(cell)
	id, m, ok2 := varint(cell[n:])
	r := &sqlRow{ID: int64(id), view: v, size: size, local: cell[n+m:]}
	if !ok || !ok2 || size > maxRow {
		v.broken("a row of %d bytes", size)
		return r
	}
	local := int(size) // bytes of it on the leaf
	if most := v.usable - 35; local > most {
		least := (v.usable-12)*32/255 - 23
		if local = least + (int(size)-least)%(v.usable-4); local > most {
			local = least
		}
	}
	switch isWhole := local == int(size); {
	case local > len(r.local) || !isWhole && local+4 > len(r.local):
		v.broken("a row ends early")
		return r
	case !isWhole:
		r.next = binary.BigEndian.Uint32(r.local[local:])
	}
	r.local = r.local[:local]
	return r
}

// varint returns the integer that data begins with, and how many bytes it has: seven bits in each, the highest first, and eight in
// the ninth.
func varint(data []byte) (x uint64, n int, ok bool) {
	for n < len(data) {
		b := data[n]
		n++
		if n == 9 {
			return x<<8 | uint64(b), n, true
		}
		if x = x<<7 | uint64(b&0x7f); b < 0x80 {
			return x, n, true
		}
	}
	return 0, n, false
}

// firstBytes is how many bytes are allocated for a value before any have been read.
const firstBytes = 256 << 10

// bytes returns size bytes of the row from an offset on. It reads the pages that follow the leaf one after another.
func (r *sqlRow) bytes(offset, size uint64) []byte {
	v := r.view
	if offset > r.size || size > r.size-offset {
		v.broken("a value is larger than its row")
		return nil
	}
	all := make([]byte, 0, min(size, firstBytes))
	at, next, data := uint64(0), r.next, r.local
	var page []byte
	for pages := uint32(0); ; pages++ {
		if end := at + uint64(len(data)); end > offset && at < offset+size {
			from := max(at, offset)
			all = append(all, data[from-at:min(end, offset+size)-at]...)
		}
		if uint64(len(all)) >= size {
			return all
		}
		if page == nil {
			page = make([]byte, v.pageSize)
		}
		if pages > v.pages {
			v.broken("a row leads in circles")
		}
		if v.readPage(next, page); v.err != nil {
			return nil
		}
		at, next, data = at+uint64(len(data)), binary.BigEndian.Uint32(page), page[4:v.usable]
	}
}

type sqlKind int

// The kinds. Texts and blobs are not told apart: trackio writes JSON as either.
const (
	sqlNull sqlKind = iota
	sqlInteger
	sqlReal
	sqlText
)

type sqlValue struct {
	Kind    sqlKind
	Integer int64 // of a real number its bits
	Size    int64 // of a text in bytes
	offset  uint64
}

// maxHeader bounds the head of a row: one column takes a byte or a few.
const maxHeader = 4 << 10

// Values returns the values of the columns of a row. Texts are not read. A row that was written before a column was added has fewer.
func (r *sqlRow) Values() (values []sqlValue) {
	head := r.local
	size, n, ok := varint(head)
	if !ok || size > min(maxHeader, r.size) || uint64(n) > size {
		r.view.broken("a row has no head")
		return nil
	}
	if uint64(len(head)) < size {
		if head = r.bytes(0, size); head == nil {
			return nil
		}
	}
	offset := size
	for head = head[n:size]; len(head) > 0; {
		kind, n, ok := varint(head)
		if !ok {
			r.view.broken("a row has no head")
			return nil
		}
		head = head[n:]
		v, bytes := r.value(kind, offset)
		if r.view.err != nil {
			return nil
		}
		values, offset = append(values, v), offset+bytes
	}
	return values
}

// integerSizes are the sizes of integers and numbers, by the serial type.
var integerSizes = [...]uint64{0, 1, 2, 3, 4, 6, 8, 8}

// value returns a value of a serial type, and how many bytes it takes.
func (r *sqlRow) value(kind, offset uint64) (v sqlValue, size uint64) {
	switch {
	case kind == 0:
		return v, 0
	case kind == 8 || kind == 9:
		return sqlValue{Kind: sqlInteger, Integer: int64(kind - 8)}, 0
	case kind == 10 || kind == 11:
		r.view.broken("a value of an unknown type")
		return v, 0
	case kind >= 12:
		size = (kind - 12) / 2
		if size > r.size {
			r.view.broken("a value is larger than its row")
		}
		return sqlValue{Kind: sqlText, Size: int64(size), offset: offset}, size
	}
	size = integerSizes[kind]
	data := r.bytes(offset, size)
	if data == nil {
		return v, 0
	}
	x := int64(int8(data[0]))
	for _, b := range data[1:] {
		x = x<<8 | int64(b)
	}
	if kind == 7 {
		return sqlValue{Kind: sqlReal, Integer: x}, size
	}
	return sqlValue{Kind: sqlInteger, Integer: x}, size
}

// Text returns bytes of a text, from an offset in it on.
func (r *sqlRow) Text(v sqlValue, offset, size int64) []byte {
	if v.Kind != sqlText || offset < 0 || size < 0 || offset+size > v.Size {
		r.view.broken("a text is shorter than its header claims")
		return nil
	}
	return r.bytes(v.offset+uint64(offset), uint64(size))
}

// TextStart returns the first bytes of a text, at most so many; nil if the value is none.
func (r *sqlRow) TextStart(v sqlValue, most int64) []byte {
	if v.Kind != sqlText {
		return nil
	}
	return r.Text(v, 0, min(v.Size, most))
}
