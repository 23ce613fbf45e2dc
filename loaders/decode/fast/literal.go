package fast

import (
	"bytes"
	"encoding/binary"
)

// literal is the bytes between two values, the same in all rows: keys, colons, commas. Each of
// millions of rows has several, and most are short: the last 16 bytes are compared as two words, of
// which a mask leaves out the bytes before the literal.
type literal struct {
	text         []byte
	word0, word1 uint64
	mask0, mask1 uint64
}

const twoWords = 16 // bytes

// newLiteral returns a literal with a copy of text.
func newLiteral(text []byte) literal {
	var last, mask [twoWords]byte
	for i := 1; i <= min(len(text), twoWords); i++ {
		last[twoWords-i], mask[twoWords-i] = text[len(text)-i], 0xff
	}
	word := binary.LittleEndian.Uint64
	return literal{bytes.Clone(text), word(last[:]), word(last[8:]), word(mask[:]), word(mask[8:])}
}

// match returns the end of the literal at p[at:]. It returns 0 if other bytes stand there, or if
// fewer than 16 end there.
func (l *literal) match(p []byte, at int) int {
	end := at + len(l.text)
	if end < twoWords || end > len(p) || len(l.text) > twoWords && string(p[at:end]) != string(l.text) {
		return 0
	}
	w := p[end-twoWords : end]
	if (binary.LittleEndian.Uint64(w)^l.word0)&l.mask0|(binary.LittleEndian.Uint64(w[8:])^l.word1)&l.mask1 != 0 {
		return 0
	}
	return end
}
