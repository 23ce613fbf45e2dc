package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
)

// nestedField is a column that holds lists, structs or maps, such as a conversation: its leaves, and
// how their values make JSON.
type nestedField struct {
	name   string
	root   *parquet.Column
	first  int // index of the first leaf
	leaves []*pages.Column
}

// nestedFields returns the columns of a file that are not flat.
func nestedFields(f *parquet.File, columns []pages.Column) []nestedField {
	var fields []nestedField
	first := 0
	for _, c := range f.Root().Columns() {
		field := nestedField{name: c.Name(), root: c, first: first}
		for range countLeaves(c) {
			field.leaves = append(field.leaves, &columns[first])
			first++
		}
		if !c.Leaf() || c.Repeated() {
			fields = append(fields, field)
		}
	}
	return fields
}

func countLeaves(c *parquet.Column) int {
	if c.Leaf() {
		return 1
	}
	n := 0
	for _, child := range c.Columns() {
		n += countLeaves(child)
	}
	return n
}

// nestedReader reads a nested column of a row group row by row.
type nestedReader struct {
	field  *nestedField
	leaves []leafReader
}

// newNestedReader reads from a row of the group on. chunks are those of the group.
func newNestedReader(field *nestedField, chunks []parquet.ColumnChunk, row int64) (*nestedReader, error) {
	r := &nestedReader{field: field, leaves: make([]leafReader, len(field.leaves))}
	for i := range r.leaves {
		r.leaves[i] = leafReader{pages: chunks[field.first+i].Pages()}
		if row > 0 {
			if err := r.leaves[i].pages.SeekToRow(row); err != nil {
				r.close()
				return nil, err
			}
		}
	}
	return r, nil
}

func (r *nestedReader) close() {
	for _, l := range r.leaves {
		if l.pages != nil {
			_ = l.pages.Close()
		}
	}
}

// fill implements cellReader.
func (r *nestedReader) fill() (rows int, err error) {
	for i := range r.leaves {
		n, err := r.leaves[i].fill(rowBatch)
		if err != nil {
			return 0, err
		}
		if i == 0 || n < rows {
			rows = n
		}
	}
	return rows, nil
}

// next implements cellReader: it returns the row's value as JSON.
func (r *nestedReader) next() jsonscan.Value {
	values := make([][]parquet.Value, len(r.leaves))
	for i := range r.leaves {
		l := &r.leaves[i]
		values[i], l.values = cutInstance(l.values, 0)
		l.rows--
	}
	j := jsonBuilder{leaves: r.field.leaves}
	j.value(r.field.root, values, 0, 0, 0)
	kind := jsonscan.Null
	switch j.text[0] {
	case '[':
		kind = jsonscan.Array
	case '{':
		kind = jsonscan.Object
	}
	return jsonscan.Value{Kind: kind, Raw: j.text}
}

// leafReader reads the values of a leaf of a nested column, of which a row may have many, also on
// several pages.
type leafReader struct {
	pages  parquet.Pages
	page   parquet.ValueReader
	buffer []parquet.Value
	values []parquet.Value
	rows   int // that begin in values
	ended  bool
}

// A reader of nested columns holds at most so many values of several rows, and so many of one: values
// that are all null take no space in a file, and 24 bytes in memory.
const (
	maxHeldValues = 64 << 10
	maxRowValues  = 1 << 20
)

var errManyValues = fmt.Errorf("%w: a row has more than %d values in a nested column", pages.ErrBroken, maxRowValues)

// fill reads until so many rows are complete or the group ends, and returns how many are complete.
func (l *leafReader) fill(want int) (rows int, err error) {
	if l.buffer == nil {
		l.buffer = make([]parquet.Value, rowBatch)
	}
	l.values = append([]parquet.Value(nil), l.values...)
	for l.rows <= want && !l.ended && (l.rows < 2 || len(l.values) < maxHeldValues) {
		if len(l.values) > maxRowValues {
			return 0, errManyValues
		}
		if err := l.read(); err != nil {
			return 0, err
		}
	}
	if l.ended {
		return l.rows, nil
	}
	return l.rows - 1, nil
}

// read reads some values of the page, or opens the next one.
func (l *leafReader) read() error {
	if l.page == nil {
		page, err := l.pages.ReadPage()
		if l.ended = errors.Is(err, io.EOF); l.ended {
			return nil
		}
		if err != nil {
			return err
		}
		l.page = page.Values()
	}
	n, err := l.page.ReadValues(l.buffer)
	for _, v := range l.buffer[:n] {
		if v.RepetitionLevel() == 0 {
			l.rows++
		}
		if l.rows > 0 { // the file may begin in the middle of a row if it is broken
			l.values = append(l.values, v.Clone())
		}
	}
	switch {
	case errors.Is(err, io.EOF), n == 0 && err == nil:
		l.page = nil
	case err != nil:
		return err
	}
	return nil
}

// cutInstance returns the values up to the next that begins another at that repetition level, and
// the rest.
func cutInstance(values []parquet.Value, level int) (instance, rest []parquet.Value) {
	for i := 1; i < len(values); i++ {
		if values[i].RepetitionLevel() <= level {
			return values[:i:i], values[i:]
		}
	}
	return values, nil
}

// jsonBuilder makes JSON of the values of a nested column: lists and maps without the groups that
// Parquet wraps them into, and objects without their null fields, since a struct has the fields of
// all others.
type jsonBuilder struct {
	leaves []*pages.Column
	text   []byte
}

// value appends what a node holds. values are those of its leaves, from index first on, in one
// instance of the node above it, whose levels are given.
func (j *jsonBuilder) value(c *parquet.Column, values [][]parquet.Value, first, repetition, definition int) {
	switch {
	case !isDefined(c, values, definition):
		switch {
		case c.Repeated() && isKeyValue(c):
			j.text = append(j.text, "{}"...)
		case c.Repeated():
			j.text = append(j.text, "[]"...)
		default:
			j.text = append(j.text, "null"...)
		}
	case c.Repeated():
		j.list(c, values, first, repetition+1, definition+1)
	case c.Optional():
		j.content(c, values, first, repetition, definition+1)
	default:
		j.content(c, values, first, repetition, definition)
	}
}

// isDefined reports whether there is a value of a node, or an element of a repeated one.
func isDefined(c *parquet.Column, values [][]parquet.Value, definition int) bool {
	if len(values) == 0 || len(values[0]) == 0 {
		return false
	}
	return !c.Optional() && !c.Repeated() || values[0][0].DefinitionLevel() > definition
}

// list appends the elements of a repeated node.
func (j *jsonBuilder) list(c *parquet.Column, values [][]parquet.Value, first, repetition, definition int) {
	isMap := isKeyValue(c)
	open, end := byte('['), byte(']')
	if isMap {
		open, end = '{', '}'
	}
	j.text = append(j.text, open)
	rest := append([][]parquet.Value(nil), values...)
	element := make([][]parquet.Value, len(values))
	for n := 0; len(rest[0]) > 0; n++ {
		for i := range rest {
			element[i], rest[i] = cutInstance(rest[i], repetition)
		}
		if n > 0 {
			j.text = append(j.text, ',')
		}
		if isMap {
			j.entry(c, element, first, repetition, definition)
		} else {
			j.content(c, element, first, repetition, definition)
		}
	}
	j.text = append(j.text, end)
}

// isKeyValue reports whether the elements of a repeated node are the entries of a map.
func isKeyValue(c *parquet.Column) bool {
	children := c.Columns()
	return len(children) == 2 && children[0].Name() == "key" && children[1].Name() == "value" && children[0].Leaf()
}

// entry appends an entry of a map.
func (j *jsonBuilder) entry(c *parquet.Column, values [][]parquet.Value, first, repetition, definition int) {
	key := jsonBuilder{leaves: j.leaves}
	key.value(c.Columns()[0], values[:1], first, repetition, definition)
	if key.text[0] != '"' {
		key.text = append(append([]byte{'"'}, key.text...), '"')
	}
	j.text = append(append(j.text, key.text...), ':')
	j.value(c.Columns()[1], values[1:], first+1, repetition, definition)
}

// content appends what a node holds that is there.
func (j *jsonBuilder) content(c *parquet.Column, values [][]parquet.Value, first, repetition, definition int) {
	children := c.Columns()
	switch {
	case c.Leaf():
		j.text = appendJSON(j.text, toValue(values[0][0], &j.leaves[first].Number))
	case len(children) == 1 && isWrapper(c):
		j.value(children[0], values, first, repetition, definition)
	default:
		j.object(children, values, first, repetition, definition)
	}
}

// isWrapper reports whether a node with one child only wraps that: the group around a repeated one,
// or the elements of a list, unless an older writer made them structs.
func isWrapper(c *parquet.Column) bool {
	if !c.Repeated() {
		return c.Columns()[0].Repeated()
	}
	return c.Name() == "list" || c.Name() == "bag" || c.Columns()[0].Name() == "element" || c.Columns()[0].Name() == "item"
}

func (j *jsonBuilder) object(fields []*parquet.Column, values [][]parquet.Value, first, repetition, definition int) {
	j.text = append(j.text, '{')
	start := len(j.text)
	for _, c := range fields {
		n := min(countLeaves(c), len(values))
		own := values[:n]
		values = values[n:]
		if c.Repeated() || isDefined(c, own, definition) {
			if len(j.text) > start {
				j.text = append(j.text, ',')
			}
			j.text = append(jsonscan.AppendText(j.text, c.Name()), ':')
			j.value(c, own, first, repetition, definition)
		}
		first += n
	}
	j.text = append(j.text, '}')
}
