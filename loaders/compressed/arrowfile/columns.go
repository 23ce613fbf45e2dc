package arrowfile

import "vantage/loaders/fileio"

// form is what the values of a column become.
type form int

const (
	asNull form = iota // of bytes, decimals and intervals too
	asInteger
	asFloat
	asBool
	asText
	asList
	asObject
	asMap
)

// layout is how values lie in a batch, after the bits that say which are null.
type layout struct {
	form   form
	offset int  // bytes that say where a text or a list begins, 0 if nothing does
	data   bool // there is a buffer with the values themselves
}

// The kinds of values that do not only differ in their layout, by their numbers in the format.
const (
	kindNull      = 1
	kindInt       = 2
	kindFloat     = 3
	kindBool      = 6
	kindDate      = 8
	kindTime      = 9
	kindFixedList = 16
)

// layouts are the layouts of all kinds that are read.
var layouts = map[int64]layout{
	kindNull:      {asNull, 0, false},
	kindInt:       {asInteger, 0, true},
	kindFloat:     {asFloat, 0, true},
	4:             {asNull, 4, true}, // binary
	5:             {asText, 4, true},
	kindBool:      {asBool, 0, true},
	7:             {asNull, 0, true}, // decimal
	kindDate:      {asInteger, 0, true},
	kindTime:      {asInteger, 0, true},
	10:            {asInteger, 0, true}, // timestamp
	11:            {asNull, 0, true},    // interval
	12:            {asList, 4, false},
	13:            {asObject, 0, false},
	15:            {asNull, 0, true}, // binary of one size
	kindFixedList: {asList, 0, false},
	17:            {asMap, 4, false},
	18:            {asInteger, 0, true}, // duration
	19:            {asNull, 8, true},    // large binary
	20:            {asText, 8, true},    // large text
	21:            {asList, 8, false},   // large list
}

const (
	maxColumns   = 10_000
	maxName      = 1 << 10 // bytes of the name of a column
	maxDepth     = 64
	noDictionary = -1 << 63
)

type column struct {
	layout
	name       string
	kind       int64
	bits       int  // of a value, 0 if it has no size of its own
	signed     bool // of an integer
	size       int  // of a list that is as long in all rows
	children   []*column
	dictionary int64 // the id of that into which the values are indexes; noDictionary without one
}

func (r *reader) column(f table, depth int) *column {
	at, n := f.vector(0, 1)
	c := &column{name: string(f.data[at : at+min(n, maxName)]), kind: f.integer(2, 1, 0), dictionary: noDictionary}
	if r.count++; r.count > maxColumns || depth > maxDepth {
		r.fail(fileio.NotRead("it has more columns than any log of samples"))
		return c
	}
	var ok bool
	if c.layout, ok = layouts[c.kind]; !ok {
		r.fail(fileio.NotRead("a column holds unions, views or runs: write it anew without them, as to_json does"))
	}
	c.readType(f.table(3))
	for _, child := range f.tables(5, maxColumns+1) {
		if r.err != nil {
			return c
		}
		c.children = append(c.children, r.column(child, depth+1))
	}
	r.check(c.size >= 0 && c.hasBits() && (c.form != asList && c.form != asMap || len(c.children) > 0))
	if d := f.table(4); d.at != 0 {
		id, index := d.integer(0, 8, 0), d.table(1)
		if r.values[id] == nil {
			r.values[id] = c
		}
		c = &column{
			layout: layouts[kindInt], name: c.name, kind: kindInt, bits: int(index.integer(0, 4, 32)), signed: index.at == 0 || index.integer(1, 1, 0) != 0,
			dictionary: id,
		}
		r.check(c.hasBits())
	}
	return c
}

// readType reads what the type of a column says of its sizes. Shifts too far make a size of 0.
func (c *column) readType(t table) {
	switch c.kind {
	case kindInt:
		c.bits, c.signed = int(t.integer(0, 4, 0)), t.integer(1, 1, 0) != 0
	case kindFloat:
		c.bits = 16 << uint64(t.integer(0, 2, 0))
	case kindBool:
		c.bits = 1
	case kindDate:
		c.bits, c.signed = 32<<uint64(t.integer(0, 2, 1)), true
	case kindTime:
		c.bits, c.signed = int(t.integer(1, 4, 32)), true
	case kindFixedList:
		c.size = int(t.integer(0, 4, 0))
	default:
		if c.form == asInteger {
			c.bits, c.signed = 64, true
		}
	}
}

func (c *column) hasBits() bool {
	return c.form != asInteger && c.form != asFloat || c.bits == 8 || c.bits == 16 || c.bits == 32 || c.bits == 64
}

type array struct {
	column   *column
	length   int
	validity []byte // nil if no value is null
	offsets  []byte // of texts and lists
	data     []byte
	children []*array
}

// batch divides the body of a message among the columns.
type batch struct {
	*reader
	body           []byte
	table          table
	nodes, buffers int // where the next ones are
	nodesLeft      int
	buffersLeft    int
}

func (r *reader) batch(t table, body []byte) *batch {
	b := &batch{reader: r, body: body, table: t}
	if t.table(3).at != 0 {
		r.fail(fileio.NotRead("it is compressed: write it without compression, as save_to_disk does"))
	}
	b.nodes, b.nodesLeft = t.vector(1, 16)
	b.buffers, b.buffersLeft = t.vector(2, 16)
	return b
}

// pair returns the next two numbers of a list, of which so many elements are left.
func (b *batch) pair(at, left *int) (x, y uint64) {
	if *left--; *left < 0 {
		b.fail(errBroken)
		return 0, 0
	}
	*at += 16
	return uintAt(b.table.data, *at-16, 8), uintAt(b.table.data, *at-8, 8)
}

// buffer returns the next buffer, which must have at least so many bytes.
func (b *batch) buffer(least int) []byte {
	at, n := b.pair(&b.buffers, &b.buffersLeft)
	size := uint64(len(b.body))
	if b.check(at <= size && n <= size-at && n >= uint64(least)); b.err != nil {
		return nil
	}
	return b.body[at : at+n]
}

func (b *batch) array(c *column) *array {
	a := &array{column: c}
	n, nulls := b.pair(&b.nodes, &b.nodesLeft)
	if b.check(n <= maxRows && nulls <= n); b.err != nil {
		return a
	}
	a.length = int(n)
	if c.kind == kindNull {
		return a
	}
	if a.validity = b.buffer(0); nulls == 0 {
		a.validity = nil
	} else {
		b.check(len(a.validity) >= (a.length+7)/8)
	}
	if c.offset > 0 {
		offsets := a.length + 1
		if a.length == 0 {
			offsets = 0 // they may be missing
		}
		a.offsets = b.buffer(c.offset * offsets)
	}
	if c.data {
		a.data = b.buffer((a.length*c.bits + 7) / 8)
	}
	for _, child := range c.children {
		a.children = append(a.children, b.array(child))
	}
	return a
}

func (a *array) isNull(i int) bool {
	return i < 0 || i >= a.length || a.column.kind == kindNull || a.validity != nil && a.validity[i/8]>>(i%8)&1 == 0
}

// integer returns value i of integers, widened as they are signed or not.
func (a *array) integer(i int) int64 {
	size := a.column.bits / 8
	if a.column.signed {
		return intAt(a.data, i*size, size)
	}
	return int64(uintAt(a.data, i*size, size))
}

// span returns where text or list i lies among so many bytes or elements; false if it does not.
func (a *array) span(i, among int) (from, to int64, ok bool) {
	if width := a.column.offset; width > 0 {
		from, to = intAt(a.offsets, width*i, width), intAt(a.offsets, width*i+width, width)
	} else {
		from, to = int64(i)*int64(a.column.size), int64(i+1)*int64(a.column.size)
	}
	return from, to, 0 <= from && from <= to && to <= int64(among)
}
