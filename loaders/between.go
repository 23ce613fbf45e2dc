package loaders

import (
	"bytes"
	"encoding/binary"
)

// between are the bytes that stand between two values in every row, keys and all. Their
// end is compared as two words: there are a few of them in each of millions of rows,
// and mostly they are short.
type between struct {
	text     []byte
	w0, w1   uint64 // its last sixteen bytes
	has, all uint64 // which of them it has
}

const two = 16 // bytes in two words

func newBetween(text []byte) between {
	var last, has [two]byte
	for i := 1; i <= min(len(text), two); i++ {
		last[two-i], has[two-i] = text[len(text)-i], 0xff
	}
	word := binary.LittleEndian.Uint64
	return between{bytes.Clone(text), word(last[:]), word(last[8:]), word(has[:]), word(has[8:])}
}

// pass returns where the bytes end that stand at at; 0 if others do, or too few before
// them to look at whole words.
func (b *between) pass(p []byte, at int) int {
	end := at + len(b.text)
	if end < two || end > len(p) || len(b.text) > two && string(p[at:end]) != string(b.text) {
		return 0
	}
	w := p[end-two : end]
	if (binary.LittleEndian.Uint64(w)^b.w0)&b.has|(binary.LittleEndian.Uint64(w[8:])^b.w1)&b.all != 0 {
		return 0
	}
	return end
}
