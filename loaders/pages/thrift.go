package pages

// decoder reads the compact protocol of Thrift, which headers and footers are in. At
// the end of what it has it goes on with zeros, which end everything: bad tells.
type decoder struct {
	data []byte
	at   int
	bad  bool
}

// The types of fields, as far as anything depends on them.
const (
	typeStop   = 0
	typeTrue   = 1
	typeByte   = 3
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

// maxNesting is deeper than anything in a Parquet file.
const maxNesting = 32

func (d *decoder) byte() byte {
	if d.at >= len(d.data) {
		d.bad = true
		return 0
	}
	d.at++
	return d.data[d.at-1]
}

func (d *decoder) varint() uint64 {
	var x uint64
	for shift := 0; shift < 64; shift += 7 {
		b := d.byte()
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x
		}
	}
	d.bad = true
	return 0
}

// int reads an integer of any size.
func (d *decoder) int() int64 {
	x := d.varint()
	return int64(x>>1) ^ -int64(x&1)
}

// bytes reads a text; it is good as long as the data is.
func (d *decoder) bytes() []byte {
	n := d.varint()
	if n > uint64(len(d.data)-d.at) {
		d.bad, d.at = true, len(d.data)
		return nil
	}
	d.at += int(n)
	return d.data[d.at-int(n) : d.at]
}

// fields shows the fields of a structure; each must be read or skipped.
func (d *decoder) fields(visit func(id int, kind byte)) {
	for id := 0; !d.bad; {
		head := d.byte()
		kind := head & 0x0f
		if kind == typeStop {
			return
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(int16(d.int()))
		}
		visit(id, kind)
	}
}

// list shows the elements of a list.
func (d *decoder) list(visit func(kind byte)) {
	head := d.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = d.varint()
	}
	d.bad = d.bad || n > uint64(len(d.data)-d.at) // each takes a byte at least
	for ; n > 0 && !d.bad; n-- {
		visit(head & 0x0f)
	}
}

// skip passes over a field.
func (d *decoder) skip(kind byte) { d.pass(kind, false, 0) }

// pass passes over a field, or an element of a list, where a truth value takes a byte.
func (d *decoder) pass(kind byte, element bool, depth int) {
	if depth > maxNesting {
		d.bad = true
		return
	}
	switch {
	case kind <= typeTrue+1:
		if element {
			d.byte()
		}
	case kind == typeByte:
		d.byte()
	case kind < typeDouble:
		d.varint()
	case kind == typeDouble:
		d.at, d.bad = min(d.at+8, len(d.data)), d.bad || d.at+8 > len(d.data)
	case kind == typeBinary:
		d.bytes()
	case kind == typeList, kind == typeSet:
		d.list(func(kind byte) { d.pass(kind, true, depth+1) })
	case kind == typeMap:
		d.passMap(depth)
	case kind == typeStruct:
		d.fields(func(_ int, kind byte) { d.pass(kind, false, depth+1) })
	default:
		d.bad = true
	}
}

func (d *decoder) passMap(depth int) {
	n := d.varint()
	if n == 0 {
		return
	}
	kinds := d.byte()
	d.bad = d.bad || n > uint64(len(d.data)-d.at)
	for ; n > 0 && !d.bad; n-- {
		d.pass(kinds>>4, true, depth+1)
		d.pass(kinds&0x0f, true, depth+1)
	}
}
