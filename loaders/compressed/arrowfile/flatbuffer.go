package arrowfile

import "encoding/binary"

// table is a table of a flatbuffer: where it begins, and where its fields are said to be. Reading one that is broken gives zeros.
type table struct {
	data []byte
	at   int // 0 if there is none
}

// uint returns n bytes as a number, 0 outside of the data.
func uintAt(data []byte, at, n int) uint64 {
	if at < 0 || at+n > len(data) {
		return 0
	}
	switch n {
	case 1:
		return uint64(data[at])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data[at:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data[at:]))
	}
	return binary.LittleEndian.Uint64(data[at:])
}

// root returns the table that a flatbuffer begins with.
func root(data []byte) table { return table{data, int(uintAt(data, 0, 4))} }

// field returns where a field is, 0 if it is not there.
func (t table) field(n int) int {
	if t.at <= 0 || t.at >= len(t.data) {
		return 0
	}
	names := t.at - int(int32(uintAt(t.data, t.at, 4)))
	if names < 0 || 4+2*n+2 > int(uintAt(t.data, names, 2)) {
		return 0
	}
	if offset := int(uintAt(t.data, names+4+2*n, 2)); offset != 0 {
		return t.at + offset
	}
	return 0
}

// integer returns a field of that many bytes, missing if it is not there.
func (t table) integer(n, size int, missing int64) int64 {
	at := t.field(n)
	if at == 0 {
		return missing
	}
	x := uintAt(t.data, at, size)
	shift := 64 - 8*size
	return int64(x<<shift) >> shift
}

// follow returns where the offset in a field leads.
func (t table) follow(n int) int {
	at := t.field(n)
	if at == 0 {
		return 0
	}
	return at + int(uintAt(t.data, at, 4))
}

// table returns the table in a field.
func (t table) table(n int) table { return table{t.data, t.follow(n)} }

// vector returns where the elements of a list in a field are, and how many; none if they do not fit into the data.
func (t table) vector(n, size int) (at, count int) {
	if at = t.follow(n); at == 0 {
		return 0, 0
	}
	count = int(uintAt(t.data, at, 4))
	if at += 4; at > len(t.data) || count > (len(t.data)-at)/size {
		return 0, 0
	}
	return at, count
}

// text returns the text in a field, of at most so many bytes.
func (t table) text(n, most int) string {
	at, count := t.vector(n, 1)
	return string(t.data[at : at+min(count, most)])
}

// tables returns the tables of a list in a field, at most so many.
func (t table) tables(n, most int) (all []table) {
	at, count := t.vector(n, 4)
	for i := range min(count, most) {
		all = append(all, table{t.data, at + 4*i + int(uintAt(t.data, at+4*i, 4))})
	}
	return all
}
