package parquet

import (
	"bytes"
	"math"
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
)

// textColumn reads a column of texts row by row: prompts, ground truths, group ids.
type textColumn struct {
	column  int
	nested  *conversation // nil for a flat column
	reader  *pages.Reader
	buffer  *pages.Buffer
	texts   pages.Texts // of the open page
	at      int         // index of the next text in the page
	started bool        // a row of the group has been read

	text  []byte // of the current row
	valid bool   // it is not null
	entry int32  // in the dictionary, -1 if none
}

func (c *textColumn) open(r *pages.Reader, f *pages.File) {
	if c.buffer == nil {
		c.buffer = f.Buffer()
	}
	c.reader, c.texts, c.at, c.started = r, pages.Texts{}, 0, false
}

// next reads the text of the next row, and reports whether it equals the one before.
func (c *textColumn) next() (same bool, err error) {
	if c.nested != nil {
		return c.nextNested()
	}
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
	entry := c.texts.Entry(c.at)
	if c.started && entry >= 0 && entry == c.entry {
		c.at++
		return true, nil
	}
	text, ok := c.texts.At(c.at)
	same = c.started && ok == c.valid && bytes.Equal(text, c.text)
	c.text, c.valid, c.entry, c.started = text, ok, entry, true
	c.at++
	return same, nil
}

// nextNested is next for a nested column. What is no list is no prompt.
func (c *textColumn) nextNested() (same bool, err error) {
	v, err := c.nested.next()
	if err != nil {
		return false, err
	}
	ok := v.Kind == jsonscan.Array
	same = c.started && ok == c.valid && bytes.Equal(v.Raw, c.text)
	c.text, c.valid, c.entry, c.started = v.Raw, ok, -1, true
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

// conversation is a nested column that is read beside flat ones, through all row groups.
type conversation struct {
	leaf  int          // the first
	field *fieldReader // nil until a row group is opened
	ready int          // rows that have been read ahead
}

// open opens the column in a row group.
func (c *conversation) open(f *pages.File, group int) error {
	if c.field == nil {
		i := slices.IndexFunc(f.Fields, func(n pages.Node) bool { return n.First == c.leaf })
		c.field = newFieldReader(f, &f.Fields[i])
	}
	c.ready = 0
	return c.field.open(group, 0)
}

// next returns the value of the next row.
func (c *conversation) next() (v jsonscan.Value, err error) {
	if c.ready == 0 {
		if c.ready, err = c.field.fill(); err == nil && c.ready == 0 {
			err = errTooFewRows
		}
		if err != nil {
			return v, err
		}
	}
	c.ready--
	return c.field.next(), nil
}

// measure reads the lengths of the responses of rows, so that lengths has n.
func (c *conversation) measure(lengths *numberColumn, n int) error {
	p := pageRead{column: lengths}
	for range n - len(lengths.values) {
		v, err := c.next()
		if err != nil {
			return err
		}
		ok := v.Kind == jsonscan.Array
		if !ok && p.valid == nil {
			p.valid = trues(len(p.values))
		}
		if p.valid != nil {
			p.valid = append(p.valid, ok)
		}
		if !ok {
			p.values = append(p.values, math.NaN())
			continue
		}
		p.values = append(p.values, float64(decode.CountCharacters(v)))
		if lengths.hashesText {
			p.hash = jsonscan.MixHash(p.hash, jsonscan.Hash64(v.Raw))
		}
	}
	lengths.add(&p)
	return nil
}
