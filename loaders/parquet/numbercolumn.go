package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
)

// numberColumn holds the values of a column that have been read and not yet returned: its
// numbers, or the lengths of its texts.
type numberColumn struct {
	column       int
	measuresText bool          // a value is the length of a text, in characters
	hashesText   bool          // and hash covers the texts
	nested       *conversation // where the texts are conversations in a nested column
	reader       *pages.Reader
	values       []float64
	valid        []bool // parallel to values, false for a null; nil if there is no null
	hash         uint64
}

// add appends the values of a page.
func (c *numberColumn) add(p *pageRead) {
	c.hash = jsonscan.MixHash(c.hash, p.hash)
	if c.valid == nil && p.valid != nil {
		c.valid = trues(len(c.values))
	}
	if p.valid == nil && c.valid != nil {
		p.valid = trues(len(p.values))
	}
	if len(c.values) == 0 {
		c.values, c.valid = p.values, p.valid
		return
	}
	c.values, c.valid = append(c.values, p.values...), append(c.valid, p.valid...)
}

func trues(n int) []bool { return slices.Repeat([]bool{true}, n) }

// drop removes the first n values.
func (c *numberColumn) drop(n int) {
	c.values = c.values[n:]
	if c.valid != nil {
		c.valid = c.valid[n:]
	}
}

// at returns value i; false for a null.
func (c *numberColumn) at(i int) (x float64, ok bool) {
	return c.values[i], c.valid == nil || c.valid[i]
}

// firstValid returns the first of n values that is not null, n if all are.
func (c *numberColumn) firstValid(n int) int {
	i := 0
	for c.valid != nil && i < n && !c.valid[i] {
		i++
	}
	return i
}

// all reports whether each of the first n values is null or satisfies the predicate.
func (c *numberColumn) all(n int, predicate func(float64) bool) bool {
	for i := range n {
		if x, ok := c.at(i); ok && !predicate(x) {
			return false
		}
	}
	return true
}

// read reads the page. Several pages may be read at the same time, each with its own buffer.
func (p *pageRead) read(b *pages.Buffer) {
	defer func() {
		if r := recover(); r != nil {
			p.err = fmt.Errorf("a page is broken: %v", r)
		}
	}()
	if p.column.measuresText {
		p.measure(b)
		return
	}
	var levels []int32
	if p.values, levels, p.err = p.page.Numbers(nil, b); levels != nil {
		p.valid = make([]bool, len(levels))
		for i, level := range levels {
			p.valid[i] = level != 0
		}
	}
}

// measure counts the characters of the page's texts.
func (p *pageRead) measure(b *pages.Buffer) {
	texts, err := p.page.Texts(b)
	if err != nil {
		p.err = err
		return
	}
	p.values = make([]float64, texts.Len())
	for i := range p.values {
		text, ok := texts.At(i)
		if !ok && p.valid == nil {
			p.valid = trues(len(p.values))
		}
		if !ok {
			p.valid[i] = false
			continue
		}
		p.values[i] = float64(textLength(text))
		if p.column.hashesText {
			p.hash = jsonscan.MixHash(p.hash, jsonscan.Hash64(text))
		}
	}
}

// The lowest and the highest bit of each byte of a word.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// textLength is how many characters a text has, or the contents of the messages of a
// conversation in JSON.
func textLength(b []byte) int {
	if len(b) > 1 && b[0] == '[' && b[1] == '{' {
		return decode.CountCharacters(jsonscan.FromText(b))
	}
	n := len(b)
	for ; len(b) >= 32; b = b[32:] {
		w0, w1 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		w2, w3 := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
		if (w0|w1|w2|w3)&highBits != 0 {
			n -= continuationBytes(w0) + continuationBytes(w1) + continuationBytes(w2) + continuationBytes(w3)
		}
	}
	for _, c := range b {
		if c&0xc0 == 0x80 {
			n--
		}
	}
	return n
}

// continuationBytes counts the UTF-8 continuation bytes (10xxxxxx) of a word.
func continuationBytes(w uint64) int { return bits.OnesCount64((w >> 7) & ^(w >> 6) & lowBits) }

// isExactInt reports whether x is an integer that a float64 represents exactly.
func isExactInt(x float64) bool { return x == math.Trunc(x) && math.Abs(x) <= 1<<53 }
