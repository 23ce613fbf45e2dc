package arrowfile

import "encoding/binary"

// What a message says of its body is a flatbuffer: tables whose values are found by offsets. What lies outside of it reads as 0.

// table is a table of a flatbuffer. The zero value is one that is not there, and has no values.
type table struct {
	b  []byte
	at int
}

func root(b []byte) table { return table{b, int(uint32At(b, 0))} }

func (t table) isThere() bool { return t.at > 0 }

// absent is a place outside of every flatbuffer.
const absent = -1 << 20

// place is where a value of the table is.
func (t table) place(n int) int {
	fields := t.at - int(int32(uint32At(t.b, t.at)))
	if !t.isThere() || 4+2*n >= int(uint16At(t.b, fields)) {
		return absent
	}
	offset := int(uint16At(t.b, fields+4+2*n))
	if offset == 0 {
		return absent
	}
	return t.at + offset
}

func (t table) has(n int) bool { return t.place(n) != absent }

func (t table) byte(n int) byte {
	if at := t.place(n); at >= 0 && at < len(t.b) {
		return t.b[at]
	}
	return 0
}

func (t table) int16(n int) int16 { return int16(uint16At(t.b, t.place(n))) }
func (t table) int32(n int) int32 { return int32(uint32At(t.b, t.place(n))) }
func (t table) int64(n int) int64 { return int64(uint64At(t.b, t.place(n))) }

// follow is the place that a value names.
func (t table) follow(n int) int {
	at := t.place(n)
	if offset := int(uint32At(t.b, at)); offset > 0 && offset < len(t.b) {
		return at + offset
	}
	return absent
}

func (t table) table(n int) table {
	if at := t.follow(n); at > 0 {
		return table{t.b, at}
	}
	return table{}
}

func (t table) text(n int) string {
	v := t.vector(n)
	return string(v.b[min(v.at, len(v.b)):min(v.at+v.n, len(v.b))])
}

// vector is a list of a flatbuffer.
type vector struct {
	b  []byte
	at int // of the first element
	n  int // no more than there are bytes
}

func (t table) vector(n int) vector {
	at := t.follow(n)
	if at < 0 || at+4 > len(t.b) {
		return vector{}
	}
	return vector{t.b, at + 4, min(int(uint32At(t.b, at)), len(t.b)-at-4)}
}

// table is an element of a list of tables.
func (v vector) table(i int) table {
	at := v.at + 4*i
	if offset := int(uint32At(v.b, at)); offset > 0 && offset < len(v.b) {
		return table{v.b, at + offset}
	}
	return table{}
}

// pair is an element of a list of two numbers.
func (v vector) pair(i int) (a, b int64) {
	at := v.at + 16*i
	return int64(uint64At(v.b, at)), int64(uint64At(v.b, at+8))
}

func uint16At(b []byte, at int) uint16 {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint16(b[at:])
}

func uint32At(b []byte, at int) uint32 {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint32(b[at:])
}

func uint64At(b []byte, at int) uint64 {
	if at < 0 || at+8 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint64(b[at:])
}
