package trackio

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Kinds of pages of a table.
const (
	innerPage = 5
	leafPage  = 13
)

// maxDepth bounds the pages above a row; 20 levels hold more rows than there are ids.
const maxDepth = 20

var errStop = errors.New("no more rows are wanted")

// Each calls visit for each row of a table with an id above after, in the order of their ids, until it returns false.
func (t *sqlTable) Each(after int64, visit func(*sqlRow) bool) error {
	w := walker{view: t.view, after: after, visit: visit, left: 2 * int64(t.view.pages)}
	err := w.walk(t.root, 0)
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// Find returns the row with an id, nil if there is none.
func (t *sqlTable) Find(id int64) (row *sqlRow, err error) {
	err = t.Each(id-1, func(r *sqlRow) bool {
		if r.ID == id {
			row = r
		}
		return false
	})
	return row, err
}

// walker goes through the pages of a table.
type walker struct {
	view  *sqlView
	after int64
	visit func(*sqlRow) bool
	left  int64 // pages that may still be read: a broken table may lead in circles
	last  int64
	begun bool
}

// node is a page of a table.
type node struct {
	data  []byte
	base  int // where its header begins
	cells int
	kind  byte
}

// pageOf returns a page of a table, which is kept: the next look at the table begins with the same.
func (v *sqlView) pageOf(number uint32) (n node, err error) {
	n.data = v.page[number]
	if n.data == nil {
		n.data = make([]byte, v.pageSize)
		if err := v.readPage(number, n.data); err != nil {
			return n, err
		}
		if len(v.page) >= maxPages {
			clear(v.page)
		}
		v.page[number] = n.data
	}
	if number == 1 {
		n.base = headerSize
	}
	n.kind, n.cells = n.data[n.base], int(binary.BigEndian.Uint16(n.data[n.base+3:]))
	head := n.base + 8
	if n.kind == innerPage {
		head += 4
	}
	if n.kind != innerPage && n.kind != leafPage || head+2*n.cells > v.usable {
		return n, fmt.Errorf("%w: page %d is none of a table", errBroken, number)
	}
	return n, nil
}

// maxPages is how many pages of a view are kept.
const maxPages = 64

// cell returns what stands in a cell of the page, up to its end.
func (n node) cell(i, usable int) []byte {
	head := n.base + 8
	if n.kind == innerPage {
		head += 4
	}
	at := int(binary.BigEndian.Uint16(n.data[head+2*i:]))
	if at < head || at >= usable {
		return nil
	}
	return n.data[at:usable]
}

func (w *walker) walk(number uint32, depth int) error {
	if w.left--; w.left < 0 || depth > maxDepth {
		return fmt.Errorf("%w: its tables lead in circles", errBroken)
	}
	n, err := w.view.pageOf(number)
	if err != nil {
		return err
	}
	if n.kind == leafPage {
		return w.leaf(n)
	}
	for i := range n.cells {
		cell := n.cell(i, w.view.usable)
		if len(cell) < 5 {
			return errBroken
		}
		most, _, ok := varint(cell[4:])
		if !ok {
			return errBroken
		}
		if int64(most) <= w.after {
			continue
		}
		if err := w.walk(binary.BigEndian.Uint32(cell), depth+1); err != nil {
			return err
		}
	}
	return w.walk(binary.BigEndian.Uint32(n.data[n.base+8:]), depth+1)
}

// leaf visits the rows of a leaf.
func (w *walker) leaf(n node) error {
	for i := range n.cells {
		r, err := w.view.row(n.cell(i, w.view.usable))
		if err != nil {
			return err
		}
		if w.begun && r.ID <= w.last {
			return fmt.Errorf("%w: its rows are out of order", errBroken)
		}
		w.last, w.begun = r.ID, true
		if r.ID > w.after && !w.visit(r) {
			return errStop
		}
	}
	return nil
}

// sqlRow is a row of a table, of which only the beginning has been read.
type sqlRow struct {
	ID    int64
	view  *sqlView
	size  uint64 // of all of it
	local []byte // what stands on the leaf
	next  uint32 // the page with more of it; 0 if there is none
}

// row reads the head of a cell.
func (v *sqlView) row(cell []byte) (*sqlRow, error) {
	size, n, ok := varint(cell)
	id, m, ok2 := varint(cell[min(n, len(cell)):])
	if !ok || !ok2 || size > maxRow {
		return nil, fmt.Errorf("%w: a row of %d bytes", errBroken, size)
	}
	r := &sqlRow{ID: int64(id), view: v, size: size, local: cell[n+m:]}
	local := v.localSize(size)
	if local > len(r.local) || local < int(size) && local+4 > len(r.local) {
		return nil, fmt.Errorf("%w: a row ends early", errBroken)
	}
	if local < int(size) {
		r.next = binary.BigEndian.Uint32(r.local[local:])
	}
	r.local = r.local[:local]
	return r, nil
}

// maxRow is how many bytes SQLite's rows have at most, unless it was built otherwise.
const maxRow = 1_000_000_000

// localSize returns how many bytes of a row stand on its leaf.
func (v *sqlView) localSize(size uint64) int {
	most := v.usable - 35
	if size <= uint64(most) {
		return int(size)
	}
	least := (v.usable-12)*32/255 - 23
	if n := least + int((size-uint64(least))%uint64(v.usable-4)); n <= most {
		return n
	}
	return least
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
func (r *sqlRow) bytes(offset, size uint64) ([]byte, error) {
	if offset > r.size || size > r.size-offset {
		return nil, fmt.Errorf("%w: a value is larger than its row", errBroken)
	}
	all := make([]byte, 0, min(size, firstBytes))
	if local := uint64(len(r.local)); offset < local {
		all = append(all, r.local[offset:min(local, offset+size)]...)
	}
	at, next := uint64(len(r.local)), r.next
	page := make([]byte, r.view.pageSize)
	for pages := uint32(0); uint64(len(all)) < size; pages++ {
		if pages > r.view.pages {
			return nil, fmt.Errorf("%w: a row leads in circles", errBroken)
		}
		if err := r.view.readPage(next, page); err != nil {
			return nil, err
		}
		data := page[4:r.view.usable]
		if end := at + uint64(len(data)); end > offset {
			from := max(at, offset)
			all = append(all, data[from-at:min(end, offset+size)-at]...)
		}
		at, next = at+uint64(len(data)), binary.BigEndian.Uint32(page)
	}
	return all, nil
}

// sqlKind is what a value is.
type sqlKind int

// The kinds. Texts and blobs are not told apart: trackio writes JSON as either.
const (
	sqlNull sqlKind = iota
	sqlInteger
	sqlReal
	sqlText
)

// sqlValue is where a value of a row stands.
type sqlValue struct {
	Kind    sqlKind
	Integer int64 // of a real number its bits
	Size    int64 // of a text in bytes
	offset  uint64
}

// maxHeader bounds the head of a row: one column takes a byte or a few.
const maxHeader = 4 << 10

// Values returns the values of the columns of a row. Texts are not read. A row that was written before a column was added has fewer.
func (r *sqlRow) Values() ([]sqlValue, error) {
	head := r.local
	size, n, ok := varint(head)
	if !ok || size > min(maxHeader, r.size) || uint64(n) > size {
		return nil, fmt.Errorf("%w: a row has no head", errBroken)
	}
	if uint64(len(head)) < size {
		var err error
		if head, err = r.bytes(0, size); err != nil {
			return nil, err
		}
	}
	var values []sqlValue
	offset := size
	for head = head[n:size]; len(head) > 0; {
		kind, n, ok := varint(head)
		if !ok {
			return nil, fmt.Errorf("%w: a row has no head", errBroken)
		}
		head = head[n:]
		v, bytes, err := r.value(kind, offset)
		if err != nil {
			return nil, err
		}
		values, offset = append(values, v), offset+bytes
	}
	return values, nil
}

// integerSizes are the sizes of integers and numbers, by the serial type.
var integerSizes = [...]uint64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}

// value returns a value of a serial type, and how many bytes it takes.
func (r *sqlRow) value(kind, offset uint64) (v sqlValue, size uint64, err error) {
	switch {
	case kind == 0:
		return v, 0, nil
	case kind == 8 || kind == 9:
		return sqlValue{Kind: sqlInteger, Integer: int64(kind - 8)}, 0, nil
	case kind == 10 || kind == 11:
		return v, 0, fmt.Errorf("%w: a value of an unknown type", errBroken)
	case kind >= 12:
		size = (kind - 12) / 2
		if size > r.size {
			return v, 0, fmt.Errorf("%w: a value is larger than its row", errBroken)
		}
		return sqlValue{Kind: sqlText, Size: int64(size), offset: offset}, size, nil
	}
	size = integerSizes[kind]
	data, err := r.bytes(offset, size)
	if err != nil {
		return v, 0, err
	}
	x := int64(int8(data[0]))
	for _, b := range data[1:] {
		x = x<<8 | int64(b)
	}
	if kind == 7 {
		return sqlValue{Kind: sqlReal, Integer: x}, size, nil
	}
	return sqlValue{Kind: sqlInteger, Integer: x}, size, nil
}

// Text returns bytes of a text, from an offset in it on.
func (r *sqlRow) Text(v sqlValue, offset, size int64) ([]byte, error) {
	if v.Kind != sqlText || offset < 0 || size < 0 || offset+size > v.Size {
		return nil, fmt.Errorf("%w: a text is shorter than it says", errBroken)
	}
	return r.bytes(v.offset+uint64(offset), uint64(size))
}
