package pages

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Plain returns a file of the same columns whose footer says only where they lie, and its size. A
// library that allocates what a footer says of statistics and indexes, and that does not know the
// newer fields and types, reads it.
func (f *File) Plain(r io.ReaderAt) (plain io.ReaderAt, size int64, err error) {
	footer := make([]byte, f.size-8-f.footer)
	if _, err := r.ReadAt(footer, f.footer); err != nil {
		return nil, 0, err
	}
	c := footerCopy{thriftDecoder: thriftDecoder{data: footer}}
	c.value(&plainFooter)
	if c.failed {
		return nil, 0, fmt.Errorf("%w: a field of its footer is of another kind", ErrBroken)
	}
	n := len(c.copied)
	tail := append(binary.LittleEndian.AppendUint32(c.copied, uint32(n)), "PAR1"...)
	return &replacedTail{r, f.footer, tail}, f.footer + int64(len(tail)), nil
}

// field is a part of a footer that is copied: a struct with its fields, a list with its elements, or
// a scalar.
type field struct {
	kind    byte
	fields  map[int]*field
	element *field
}

var (
	int32Field = field{kind: thriftInt32}
	int64Field = field{kind: thriftInt64}
	nameField  = field{kind: thriftBinary}

	// By the numbers of parquet.thrift: physical type, length, repetition, name, children.
	plainElement = field{kind: thriftStruct, fields: map[int]*field{1: &int32Field, 2: &int32Field, 3: &int32Field, 4: &nameField, 5: &int32Field}}

	// Physical type, encodings, path, codec, values, both sizes, and where pages, index and dictionary begin.
	plainChunkData = field{kind: thriftStruct, fields: map[int]*field{
		1: &int32Field, 2: {kind: thriftList, element: &int32Field}, 3: {kind: thriftList, element: &nameField}, 4: &int32Field, 5: &int64Field,
		6: &int64Field, 7: &int64Field, 9: &int64Field, 10: &int64Field, 11: &int64Field,
	}}
	plainChunk  = field{kind: thriftStruct, fields: map[int]*field{2: &int64Field, 3: &plainChunkData}}
	plainGroup  = field{kind: thriftStruct, fields: map[int]*field{1: {kind: thriftList, element: &plainChunk}, 2: &int64Field, 3: &int64Field}}
	plainFooter = field{kind: thriftStruct, fields: map[int]*field{
		1: &int32Field, 2: {kind: thriftList, element: &plainElement}, 3: &int64Field, 4: {kind: thriftList, element: &plainGroup},
	}}
)

// footerCopy copies a footer.
type footerCopy struct {
	thriftDecoder

	copied []byte
}

// value copies a value of that kind.
func (c *footerCopy) value(f *field) {
	switch f.kind {
	case thriftStruct:
		c.structure(f.fields)
	case thriftList:
		n, kind := c.listHead()
		c.failed = c.failed || n > 0 && kind != f.element.kind
		c.copied = binary.AppendUvarint(append(c.copied, 0xf0|f.element.kind), n)
		for ; n > 0 && !c.failed; n-- {
			c.value(f.element)
		}
	case thriftBinary:
		b := c.bytes()
		c.copied = append(binary.AppendUvarint(c.copied, uint64(len(b))), b...)
	default:
		c.copied = binary.AppendUvarint(c.copied, c.varint())
	}
}

// structure copies the fields of a struct that have a place in known.
func (c *footerCopy) structure(known map[int]*field) {
	c.fields(func(id int, kind byte) {
		f := known[id]
		if f == nil {
			c.skip(kind)
			return
		}
		c.failed = c.failed || kind != f.kind
		c.copied = append(c.copied, kind)
		c.copied = binary.AppendVarint(c.copied, int64(id))
		c.value(f)
	})
	c.copied = append(c.copied, thriftStop)
}

// replacedTail is a file with another end.
type replacedTail struct {
	io.ReaderAt

	from int64
	tail []byte
}

// ReadAt implements [io.ReaderAt].
func (r *replacedTail) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < r.from {
		n = int(min(int64(len(p)), r.from-offset))
		if n, err = r.ReaderAt.ReadAt(p[:n], offset); err != nil || n == len(p) {
			return n, err
		}
		offset = r.from
	}
	m, err := memoryReader(r.tail).ReadAt(p[n:], offset-r.from)
	return n + m, err
}
