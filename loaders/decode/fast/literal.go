package fast

import (
	"bytes"
	"encoding/binary"
)

// literal are the bytes that stand between two values in every row, keys and all. There
// are a few of them in each of millions of rows, and most are short: their last sixteen
// bytes are compared as two words, of which a mask takes what stands before them.
type literal struct {
	text         []byte
	word0, word1 uint64
	mask0, mask1 uint64
}

const twoWords = 16 // bytes

func newLiteral(text []byte) literal {
	var last, mask [twoWords]byte
	for i := 1; i <= min(len(text), twoWords); i++ {
		last[twoWords-i], mask[twoWords-i] = text[len(text)-i], 0xff
	}
	word := binary.LittleEndian.Uint64
	return literal{bytes.Clone(text), word(last[:]), word(last[8:]), word(mask[:]), word(mask[8:])}
}

// match returns where the bytes end that should stand at at; 0 if others do, or if too few
// stand before them to look at two words.
func (b *literal) match(p []byte, at int) int {
	end := at + len(b.text)
	if end < twoWords || end > len(p) || len(b.text) > twoWords && string(p[at:end]) != string(b.text) {
		return 0
	}
	w := p[end-twoWords : end]
	if (binary.LittleEndian.Uint64(w)^b.word0)&b.mask0|(binary.LittleEndian.Uint64(w[8:])^b.word1)&b.mask1 != 0 {
		return 0
	}
	return end
}
