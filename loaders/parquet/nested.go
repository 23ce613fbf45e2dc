package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
)

// fieldReader reads a column row by row: its value where it is flat, else JSON of the lists, structs and maps that it holds.
type fieldReader struct {
	table  *pages.File
	node   *pages.Node
	leaves []leafReader
	ready  int // rows that have been read ahead
	json   jsonBuilder
}

func newFieldReader(table *pages.File, node *pages.Node) *fieldReader {
	r := &fieldReader{table: table, node: node, leaves: make([]leafReader, node.Leaves)}
	r.json.first, r.json.leaves = node.First, make([][]entry, node.Leaves)
	return r
}

func (r *fieldReader) open(group int, row int64) error {
	r.ready = 0
	for i := range r.leaves {
		l := &r.leaves[i]
		if l.buffer == nil {
			l.buffer = r.table.Buffer()
		}
		*l = leafReader{pages: r.table.Column(group, r.node.First+i), buffer: l.buffer}
		first, err := l.pages.SeekPage(row)
		if err != nil {
			return err
		}
		l.skip = row - first
	}
	return nil
}

func (r *fieldReader) fill() error {
	r.ready = rowBatch
	for i := range r.leaves {
		n, err := r.leaves[i].fill()
		if err != nil {
			return err
		}
		r.ready = min(r.ready, n)
	}
	if r.ready == 0 {
		return errTooFewRows
	}
	return nil
}

// next returns the value of the next row. A text is valid until the next call.
func (r *fieldReader) next() (v jsonscan.Value, err error) {
	if r.ready == 0 {
		if err := r.fill(); err != nil {
			return v, err
		}
	}
	r.ready--
	if r.node.IsFlat() {
		return r.leaves[0].cutRow()[0].value, nil
	}
	for i := range r.leaves {
		r.json.leaves[i] = r.leaves[i].cutRow()
	}
	r.json.text = nil
	r.json.value(r.node)
	kind := jsonscan.Null
	switch r.json.text[0] {
	case '[':
		kind = jsonscan.Array
	case '{':
		kind = jsonscan.Object
	}
	return jsonscan.Value{Kind: kind, Raw: r.json.text}, nil
}

// leafReader reads the values of a leaf of a column, of which a row may have many, also on several pages.
type leafReader struct {
	pages   *pages.Reader
	buffer  *pages.Buffer
	skip    int64        // rows that are not wanted
	page    pages.Values // the open one
	at      int          // in the page, of the next value
	valid   int          // of the values before it
	entries []entry      // of rows that have been read ahead
	rows    int          // that begin in entries
	ended   bool
}

// entry is a value of a row, a null too, with its levels.
type entry struct {
	repetition, definition int
	value                  jsonscan.Value
}

// A reader of a leaf holds at most so many values of several rows, and so many of one: values that are all null take no
// space in a file, and some bytes in memory.
const (
	maxHeldValues = 64 << 10
	maxRowValues  = 256 << 10
)

var errManyValues = fmt.Errorf("%w: a row has more than %d values in a nested column", pages.ErrBroken, maxRowValues)

// fill reads until some rows are complete or the group ends, and returns how many are. It leaves a page when its last row may
// go on in the next one.
func (l *leafReader) fill() (complete int, err error) {
	for !l.ended && (l.rows < 2 || l.rows <= rowBatch && l.at < l.page.Len() && len(l.entries) < maxHeldValues) {
		if len(l.entries) > maxRowValues {
			return 0, errManyValues
		}
		if l.at < l.page.Len() {
			l.read()
		} else if err := l.nextPage(); err != nil {
			return 0, err
		}
	}
	if l.ended {
		return l.rows, nil
	}
	return l.rows - 1, nil
}

// nextPage opens the next page. The texts of entries lie in the buffer of the one before.
func (l *leafReader) nextPage() error {
	p, err := l.pages.Next()
	if l.ended = errors.Is(err, io.EOF); l.ended {
		return nil
	}
	if err == nil && l.rows == 0 && p.Rows >= 0 && int64(p.Rows) <= l.skip {
		l.skip -= int64(p.Rows)
		return nil
	}
	l.entries = slices.Clone(l.entries)
	for i := range l.entries {
		l.entries[i].value.Raw = bytes.Clone(l.entries[i].value.Raw)
	}
	if err == nil {
		l.page, err = p.Values(l.buffer)
	}
	l.at, l.valid = 0, 0
	return err
}

// read reads some values of the open page.
func (l *leafReader) read() {
	for end := min(l.at+rowBatch, l.page.Len()); l.at < end; l.at++ {
		e := entry{value: jsonscan.Value{Kind: jsonscan.Null}}
		var isValid bool
		if e.repetition, e.definition, isValid = l.page.Levels(l.at); e.repetition == 0 && l.skip > 0 {
			l.skip--
		} else if e.repetition == 0 {
			l.rows++
		}
		if isValid && l.rows > 0 {
			e.value = valueOf(l.page.At(l.valid))
		}
		if isValid {
			l.valid++
		}
		if l.rows > 0 { // a broken file may begin in the middle of a row
			l.entries = append(l.entries, e)
		}
	}
}

func valueOf(kind pages.Kind, x float64, text []byte) jsonscan.Value {
	switch kind {
	case pages.Text:
		return jsonscan.FromText(text)
	case pages.Bool:
		return jsonscan.Value{Kind: jsonscan.Bool, Raw: strconv.AppendBool(nil, x != 0)}
	default:
		return jsonscan.FromFloat(x)
	}
}

func (l *leafReader) cutRow() []entry {
	n := 1
	for n < len(l.entries) && l.entries[n].repetition > 0 {
		n++
	}
	row := l.entries[:n]
	l.entries = l.entries[n:]
	l.rows--
	return row
}

// jsonBuilder makes JSON of a row of a nested column: lists and maps without the groups that Parquet wraps them into, and
// objects without their null fields, since a struct has the fields of all others. Leaves that disagree, as in a broken file,
// make other values, never too many: each value is taken from its leaf once.
type jsonBuilder struct {
	first  int       // leaf of the column
	leaves [][]entry // what is left of the row
	text   []byte
}

// value appends what a node holds, and takes it from the leaves.
func (j *jsonBuilder) value(n *pages.Node) {
	switch isMap := n.Repeated && isKeyValue(n); {
	case j.isThere(n) && n.Repeated:
		j.list(n, isMap)
	case j.isThere(n):
		j.content(n)
	case isMap:
		j.skip(n, "{}")
	case n.Repeated:
		j.skip(n, "[]")
	default:
		j.skip(n, "null")
	}
}

func (j *jsonBuilder) isThere(n *pages.Node) bool {
	left := j.leaves[n.First-j.first]
	return len(left) > 0 && left[0].definition >= n.Definition
}

// skip takes a value that is not there, and appends what stands for it.
func (j *jsonBuilder) skip(n *pages.Node, instead string) {
	for i := range n.Leaves {
		left := &j.leaves[n.First-j.first+i]
		*left = (*left)[min(1, len(*left)):]
	}
	j.text = append(j.text, instead...)
}

// list appends the elements of a repeated node, of a map its entries.
func (j *jsonBuilder) list(n *pages.Node, isMap bool) {
	brackets, left := "[]", &j.leaves[n.First-j.first]
	if isMap {
		brackets = "{}"
	}
	j.text = append(j.text, brackets[0])
	for isFirst := true; isFirst || len(*left) > 0 && (*left)[0].repetition >= n.Repetition; isFirst = false {
		if isMap {
			start := len(j.text)
			if j.value(&n.Children[0]); j.text[start] != '"' {
				j.text = append(slices.Insert(j.text, start, '"'), '"')
			}
			j.text = append(j.text, ':')
			j.value(&n.Children[1])
		} else {
			j.content(n)
		}
		j.text = append(j.text, ',')
	}
	j.text = jsonscan.AppendEnd(j.text, brackets[1])
}

// isKeyValue reports whether the elements of a repeated node are the entries of a map.
func isKeyValue(n *pages.Node) bool {
	return len(n.Children) == 2 && n.Children[0].Name == "key" && n.Children[1].Name == "value" && len(n.Children[0].Children) == 0
}

// content appends what a node holds that is there.
func (j *jsonBuilder) content(n *pages.Node) {
	switch {
	case len(n.Children) == 0:
		left := &j.leaves[n.First-j.first]
		j.text = appendJSON(j.text, (*left)[0].value)
		*left = (*left)[1:]
	case len(n.Children) == 1 && isWrapper(n):
		j.value(&n.Children[0])
	default:
		j.object(n.Children)
	}
}

// isWrapper reports whether a node with one child only wraps that: the group around a repeated one,
// or the elements of a list, unless an older writer made them structs.
func isWrapper(n *pages.Node) bool {
	child := &n.Children[0]
	if !n.Repeated {
		return child.Repeated
	}
	return n.Name == "list" || n.Name == "bag" || child.Name == "element" || child.Name == "item"
}

func (j *jsonBuilder) object(fields []pages.Node) {
	j.text = append(j.text, '{')
	for i := range fields {
		n := &fields[i]
		if !n.Repeated && !j.isThere(n) {
			j.skip(n, "")
			continue
		}
		j.text = append(jsonscan.AppendText(j.text, n.Name), ':')
		j.value(n)
		j.text = append(j.text, ',')
	}
	j.text = jsonscan.AppendEnd(j.text, '}')
}

func appendJSON(dst []byte, v jsonscan.Value) []byte {
	switch v.Kind {
	case jsonscan.Null:
		return append(dst, "null"...)
	case jsonscan.Bool, jsonscan.Array, jsonscan.Object:
		return append(dst, v.Raw...)
	case jsonscan.String:
		return jsonscan.AppendText(dst, v.Text())
	default:
		return jsonscan.AppendNumber(dst, v.Float)
	}
}
