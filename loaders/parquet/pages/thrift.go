package pages

import "encoding/binary"

// thriftDecoder decodes the compact protocol of Thrift, the encoding of headers and footers.
// After the end of the data, or an error, it reads zeros, which end all structures.
type thriftDecoder struct {
	data   []byte
	offset int
	failed bool
}

// Types of fields, as far as anything depends on them.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftByte   = 3
	thriftInt16  = 4
	thriftInt32  = 5
	thriftInt64  = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// maxNesting is deeper than anything in a Parquet file.
const maxNesting = 32

func (d *thriftDecoder) byte() byte {
	if d.offset >= len(d.data) {
		d.failed = true
		return 0
	}
	d.offset++
	return d.data[d.offset-1]
}

func (d *thriftDecoder) varint() uint64 {
	x, used := binary.Uvarint(d.data[d.offset:])
	if used <= 0 {
		d.failed, d.offset = true, len(d.data)
		return 0
	}
	d.offset += used
	return x
}

// int decodes an integer of any size but a byte.
func (d *thriftDecoder) int() int64 {
	x := d.varint()
	return int64(x>>1) ^ -int64(x&1)
}

// integer decodes a field that must be an integer. What is none is an error: a reader that skips it in
// another way would see other fields after it.
func (d *thriftDecoder) integer(kind byte) int64 {
	switch {
	case kind == thriftByte:
		return int64(int8(d.byte()))
	case kind > thriftByte && kind < thriftDouble:
		return d.int()
	}
	d.failed = true
	return 0
}

func (d *thriftDecoder) bytes() []byte {
	n := d.varint()
	if n > uint64(len(d.data)-d.offset) {
		d.failed, d.offset = true, len(d.data)
		return nil
	}
	d.offset += int(n)
	return d.data[d.offset-int(n) : d.offset]
}

func (d *thriftDecoder) fields(visit func(id int, kind byte)) {
	for id := 0; !d.failed; {
		head := d.byte()
		kind := head & 0x0f
		if kind == thriftStop {
			return
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(int16(d.int()))
		}
		if from := d.offset; !d.failed {
			if visit(id, kind); d.offset == from { // a bool has no bytes of its own
				d.skipValue(kind, false, 0)
			}
		}
	}
}

// integers decodes a struct of which only integers are wanted: those of the first fields, nil for one that is not.
func (d *thriftDecoder) integers(into ...*int) {
	d.fields(func(id int, kind byte) {
		if id > 0 && id <= len(into) && into[id-1] != nil {
			*into[id-1] = int(d.integer(kind))
		}
	})
}

// list calls visit for each element of a list; visit must decode or skip it.
func (d *thriftDecoder) list(visit func(kind byte)) {
	head := d.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = d.varint()
	}
	d.failed = d.failed || n > uint64(len(d.data)-d.offset) // an element takes at least a byte
	for ; n > 0 && !d.failed; n-- {
		visit(head & 0x0f)
	}
}

// skipValue skips a field, or an element of a list, where a bool takes a byte.
func (d *thriftDecoder) skipValue(kind byte, element bool, depth int) {
	if depth > maxNesting {
		d.failed = true
		return
	}
	switch {
	case kind <= thriftTrue+1:
		if element {
			d.byte()
		}
	case kind == thriftByte:
		d.byte()
	case kind < thriftDouble:
		d.varint()
	case kind == thriftDouble:
		d.offset, d.failed = min(d.offset+8, len(d.data)), d.failed || d.offset+8 > len(d.data)
	case kind == thriftBinary:
		d.bytes()
	case kind == thriftList, kind == thriftSet:
		d.list(func(kind byte) { d.skipValue(kind, true, depth+1) })
	case kind == thriftMap:
		n := d.varint()
		if n == 0 {
			return
		}
		kinds := d.byte()
		d.failed = d.failed || n > uint64(len(d.data)-d.offset)
		for ; n > 0 && !d.failed; n-- {
			d.skipValue(kinds>>4, true, depth+1)
			d.skipValue(kinds&0x0f, true, depth+1)
		}
	case kind == thriftStruct:
		d.fields(func(_ int, kind byte) { d.skipValue(kind, false, depth+1) })
	default:
		d.failed = true
	}
}
