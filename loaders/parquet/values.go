package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"vantage/estimators"
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
	"vantage/model/fault"
)

// numberColumn holds the values of a column that have been read and not yet returned: its
// numbers, or the lengths of its texts.
type numberColumn struct {
	column       int
	measuresText bool         // a value is the length of a text, in characters
	hashesText   bool         // and hash covers the texts
	nested       *fieldReader // where the texts are conversations in a nested column
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

func (c *numberColumn) at(i int) (x float64, ok bool) {
	return c.values[i], c.valid == nil || c.valid[i]
}

// advantages returns the first n values as advantages: a NaN that is no null is one of the log's.
func (c *numberColumn) advantages(n int) []float64 {
	all := slices.Clone(c.values[:n])
	for i, x := range all {
		if x != x && (c.valid == nil || c.valid[i]) {
			all[i] = estimators.LoggedNaN()
		}
	}
	return all
}

func (c *numberColumn) firstValid(n int) int {
	i := 0
	for c.valid != nil && i < n && !c.valid[i] {
		i++
	}
	return i
}

func (c *numberColumn) hasNull(n int) bool {
	return c.valid != nil && slices.Contains(c.valid[:n], false)
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
	defer fault.Catch(broken(&p.err))
	if p.column.measuresText {
		p.measure(b)
		return
	}
	var levels []int32
	if p.values, levels, p.err = p.page.Numbers(b); levels != nil {
		p.valid = make([]bool, len(levels))
		for i, level := range levels {
			p.valid[i] = level != 0
		}
	}
}

func (p *pageRead) measure(b *pages.Buffer) {
	texts, err := p.page.Texts(b)
	if err != nil {
		p.err = err
		return
	}
	p.values = make([]float64, 0, texts.Len())
	for i := range texts.Len() {
		if text, ok := texts.At(i); ok {
			p.addLength(textLength(text), text)
		} else {
			p.addNull()
		}
	}
}

func (p *pageRead) addLength(n int, text []byte) {
	p.values = append(p.values, float64(n))
	if p.valid != nil {
		p.valid = append(p.valid, true)
	}
	if p.column.hashesText {
		p.hash = jsonscan.MixHash(p.hash, jsonscan.Hash64(text))
	}
}

func (p *pageRead) addNull() {
	if p.valid == nil {
		p.valid = trues(len(p.values))
	}
	p.values, p.valid = append(p.values, math.NaN()), append(p.valid, false)
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

// textColumn reads a column of texts row by row: prompts, ground truths, group ids.
type textColumn struct {
	column  int
	nested  *fieldReader // nil for a flat column
	reader  *pages.Reader
	buffer  *pages.Buffer
	texts   pages.Texts // of the open page
	at      int         // index of the next text in the page
	started bool        // a row of the group has been read

	text  []byte // of the current row
	valid bool   // it is not null
	entry int32  // in the dictionary, -1 if none
}

// next reads the text of the next row, and reports whether it equals the one before. In a nested column what is no list is no
// prompt.
func (c *textColumn) next() (same bool, err error) {
	var text []byte
	var ok bool
	entry := int32(-1)
	if c.nested != nil {
		v, err := c.nested.next()
		if err != nil {
			return false, err
		}
		text, ok = v.Raw, v.Kind == jsonscan.Array
	} else {
		for c.at == c.texts.Len() {
			if c.started { // the text lies in the buffer of the page that ends here
				c.text = bytes.Clone(c.text)
			}
			p, err := c.reader.Next()
			if err != nil {
				return false, notEOF(err)
			}
			if c.texts, err = p.Texts(c.buffer); err != nil {
				return false, err
			}
			c.at, c.entry = 0, -1
		}
		c.at++
		if entry = c.texts.Entry(c.at - 1); c.started && entry >= 0 && entry == c.entry {
			return true, nil
		}
		text, ok = c.texts.At(c.at - 1)
	}
	same = c.started && ok == c.valid && bytes.Equal(text, c.text)
	c.text, c.valid, c.entry, c.started = text, ok, entry, true
	return same, nil
}

// value is the current text as the row decoder takes it, absent if it is null.
func (c *textColumn) value() jsonscan.Value {
	if c == nil || !c.valid {
		return jsonscan.Value{}
	}
	if c.nested != nil {
		return jsonscan.Value{Kind: jsonscan.Array, Raw: c.text}
	}
	return jsonscan.FromText(c.text)
}

// measureNested appends the lengths of conversations, until there are n values.
func (c *numberColumn) measureNested(n int) error {
	p := pageRead{column: c}
	for range n - len(c.values) {
		v, err := c.nested.next()
		if err != nil {
			return err
		}
		if v.Kind == jsonscan.Array {
			p.addLength(decode.CountCharacters(v), v.Raw)
		} else {
			p.addNull()
		}
	}
	c.add(&p)
	return nil
}
