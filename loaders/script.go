package loaders

import (
	"bytes"

	"vantage/loaders/pages"
)

// script is a column of texts that is read row by row beside others: prompts and what
// tells them apart.
type script struct {
	column int
	reader *pages.Reader
	buffer *pages.Buffer
	texts  pages.Texts
	next   int // of the texts
	any    bool

	text  []byte // of the row before
	ok    bool
	entry int32 // in the dictionary, -1 if none
}

func (c *script) begin(r *pages.Reader, f *pages.File) {
	if c.buffer == nil {
		c.buffer = f.Buffer()
	}
	c.reader, c.texts, c.next, c.any = r, pages.Texts{}, 0, false
}

// advance reads the text of the next row. It reports whether that is the same as the
// one before.
func (c *script) advance() (same bool, err error) {
	for c.next == c.texts.Len() {
		if c.any { // what is remembered stands in the memory of the page before
			c.text = bytes.Clone(c.text)
		}
		p, err := c.reader.Next()
		if err != nil {
			return false, err
		}
		if c.texts, err = p.Texts(c.buffer); err != nil {
			return false, err
		}
		c.next, c.entry = 0, -1
	}
	entry := c.texts.Entry(c.next)
	if c.any && entry >= 0 && entry == c.entry {
		c.next++
		return true, nil
	}
	text, ok := c.texts.At(c.next)
	same = c.any && ok == c.ok && bytes.Equal(text, c.text)
	c.text, c.ok, c.entry, c.any = text, ok, entry, true
	c.next++
	return same, nil
}

// value is the text as the decoders of rows know values.
func (c *script) value() Value {
	if c == nil || !c.ok {
		return Value{}
	}
	return TextValue(c.text)
}
