package sqlite

import (
	"encoding/binary"
	"fmt"
)

// firstBytes is how many bytes are allocated for a value before any have been read.
const firstBytes = 256 << 10

// bytes returns size bytes of the row from an offset on. It reads the pages that follow the leaf one after another.
func (r *Row) bytes(offset, size uint64) ([]byte, error) {
	if offset > r.size || size > r.size-offset {
		return nil, fmt.Errorf("%w: a value is larger than its row", ErrBroken)
	}
	all := make([]byte, 0, min(size, firstBytes))
	if local := uint64(len(r.local)); offset < local {
		all = append(all, r.local[offset:min(local, offset+size)]...)
	}
	at, next := uint64(len(r.local)), r.next
	page := make([]byte, r.view.pageSize)
	for pages := uint32(0); uint64(len(all)) < size; pages++ {
		if pages > r.view.pages {
			return nil, fmt.Errorf("%w: a row leads in circles", ErrBroken)
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

// Kind is what a value is.
type Kind int

// The kinds. Texts and blobs are not told apart: trackio writes JSON as either.
const (
	Null Kind = iota
	Integer
	Real
	Text
)

// Value is where a value of a row stands.
type Value struct {
	Kind    Kind
	Integer int64 // of a real number its bits
	Size    int64 // of a text in bytes
	offset  uint64
}

// maxHeader bounds the head of a row: one column takes a byte or a few.
const maxHeader = 4 << 10

// Values returns the values of the columns of a row. Texts are not read. A row that was written before a column was added has fewer.
func (r *Row) Values() ([]Value, error) {
	head := r.local
	size, n, ok := varint(head)
	if !ok || size > min(maxHeader, r.size) || uint64(n) > size {
		return nil, fmt.Errorf("%w: a row has no head", ErrBroken)
	}
	if uint64(len(head)) < size {
		var err error
		if head, err = r.bytes(0, size); err != nil {
			return nil, err
		}
	}
	var values []Value
	offset := size
	for head = head[n:size]; len(head) > 0; {
		kind, n, ok := varint(head)
		if !ok {
			return nil, fmt.Errorf("%w: a row has no head", ErrBroken)
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
func (r *Row) value(kind, offset uint64) (v Value, size uint64, err error) {
	switch {
	case kind == 0:
		return v, 0, nil
	case kind == 8 || kind == 9:
		return Value{Kind: Integer, Integer: int64(kind - 8)}, 0, nil
	case kind == 10 || kind == 11:
		return v, 0, fmt.Errorf("%w: a value of an unknown type", ErrBroken)
	case kind >= 12:
		size = (kind - 12) / 2
		if size > r.size {
			return v, 0, fmt.Errorf("%w: a value is larger than its row", ErrBroken)
		}
		return Value{Kind: Text, Size: int64(size), offset: offset}, size, nil
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
		return Value{Kind: Real, Integer: x}, size, nil
	}
	return Value{Kind: Integer, Integer: x}, size, nil
}

// Text returns bytes of a text, from an offset in it on.
func (r *Row) Text(v Value, offset, size int64) ([]byte, error) {
	if v.Kind != Text || offset < 0 || size < 0 || offset+size > v.Size {
		return nil, fmt.Errorf("%w: a text is shorter than it says", ErrBroken)
	}
	return r.bytes(v.offset+uint64(offset), uint64(size))
}
