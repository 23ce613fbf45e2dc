package sqlite

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
func (t *Table) Each(after int64, visit func(*Row) bool) error {
	w := walker{view: t.view, after: after, visit: visit, left: 2 * int64(t.view.pages)}
	err := w.walk(t.root, 0)
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// Find returns the row with an id, nil if there is none.
func (t *Table) Find(id int64) (row *Row, err error) {
	err = t.Each(id-1, func(r *Row) bool {
		if r.ID == id {
			row = r
		}
		return false
	})
	return row, err
}

// walker goes through the pages of a table.
type walker struct {
	view  *View
	after int64
	visit func(*Row) bool
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
func (v *View) pageOf(number uint32) (n node, err error) {
	n.data = v.page[number]
	if n.data == nil {
		n.data = make([]byte, v.pageSize)
		if err := v.readPage(number, n.data); err != nil {
			return n, err
		}
		if len(v.page) >= maxCached {
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
		return n, fmt.Errorf("%w: page %d is none of a table", ErrBroken, number)
	}
	return n, nil
}

// maxCached is how many pages of a view are kept.
const maxCached = 64

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
		return fmt.Errorf("%w: its tables lead in circles", ErrBroken)
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
			return ErrBroken
		}
		most, _, ok := varint(cell[4:])
		if !ok {
			return ErrBroken
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
			return fmt.Errorf("%w: its rows are out of order", ErrBroken)
		}
		w.last, w.begun = r.ID, true
		if r.ID > w.after && !w.visit(r) {
			return errStop
		}
	}
	return nil
}

// Row is a row of a table, of which only the beginning has been read.
type Row struct {
	ID    int64
	view  *View
	size  uint64 // of all of it
	local []byte // what stands on the leaf
	next  uint32 // the page with more of it; 0 if there is none
}

// row reads the head of a cell.
func (v *View) row(cell []byte) (*Row, error) {
	size, n, ok := varint(cell)
	id, m, ok2 := varint(cell[min(n, len(cell)):])
	if !ok || !ok2 || size > maxRow {
		return nil, fmt.Errorf("%w: a row of %d bytes", ErrBroken, size)
	}
	r := &Row{ID: int64(id), view: v, size: size, local: cell[n+m:]}
	local := v.localSize(size)
	if local > len(r.local) || local < int(size) && local+4 > len(r.local) {
		return nil, fmt.Errorf("%w: a row ends early", ErrBroken)
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
func (v *View) localSize(size uint64) int {
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
