package arrowfile

// kind is what the values of a column are. The numbers are those of the format.
type kind int

const (
	kindNull            kind = 1
	kindInt             kind = 2
	kindFloat           kind = 3
	kindBinary          kind = 4
	kindText            kind = 5
	kindBool            kind = 6
	kindDecimal         kind = 7
	kindDate            kind = 8
	kindTime            kind = 9
	kindTimestamp       kind = 10
	kindInterval        kind = 11
	kindList            kind = 12
	kindStruct          kind = 13
	kindFixedBinary     kind = 15
	kindFixedList       kind = 16
	kindMap             kind = 17
	kindDuration        kind = 18
	kindLargeBinary     kind = 19
	kindLargeText       kind = 20
	kindLargeList       kind = 21
	maxColumns               = 10_000
	maxName                  = 1 << 10 // bytes of the name of a column
	maxDepth                 = 64
	noDictionary             = -1 << 63
	bitsOfByte               = 8
	compressionOfBodies      = 3 // a field of a batch
)

// column is a field of the schema.
type column struct {
	name       string
	kind       kind
	bits       int  // of a value
	signed     bool // of an integer
	size       int  // of a list that is as long in all rows
	children   []*column
	dictionary int64 // its id; noDictionary without one
	values     *column
}

// schema reads the columns.
type schema struct {
	columns []*column
	count   int
	err     error
}

func readSchema(t table) ([]*column, error) {
	var s schema
	if t.integer(0, 2, 0) != 0 {
		return nil, refused("its numbers are big-endian: write it on the machine that reads it")
	}
	for _, f := range t.tables(1, maxColumns+1) {
		s.columns = append(s.columns, s.column(f, 0))
	}
	return s.columns, s.err
}

func (s *schema) column(f table, depth int) *column {
	c := &column{name: f.text(0, maxName), kind: kind(f.integer(2, 1, 0)), dictionary: noDictionary}
	if s.count++; s.count > maxColumns || depth > maxDepth {
		s.err = refused("it has more columns than any log of samples")
		return c
	}
	s.fill(c, f.table(3))
	for _, child := range f.tables(5, maxColumns+1) {
		c.children = append(c.children, s.column(child, depth+1))
		if s.err != nil {
			return c
		}
	}
	if want := map[kind]int{kindList: 1, kindLargeList: 1, kindFixedList: 1, kindMap: 1}[c.kind]; want > len(c.children) {
		s.err = errBroken
	}
	if d := f.table(4); d.at != 0 {
		index := d.table(1)
		c = &column{
			name: c.name, kind: kindInt, bits: int(index.integer(0, 4, 32)), signed: index.at == 0 || index.integer(1, 1, 0) != 0,
			dictionary: d.integer(0, 8, 0), values: c,
		}
		s.checkBits(c)
	}
	return c
}

// fill fills in what the type of a column says.
func (s *schema) fill(c *column, t table) {
	switch c.kind {
	case kindInt:
		c.bits, c.signed = int(t.integer(0, 4, 0)), t.integer(1, 1, 0) != 0
		s.checkBits(c)
	case kindFloat:
		c.bits = doubled(16, t.integer(0, 2, 0))
		s.checkBits(c)
	case kindDate:
		c.kind, c.signed, c.bits = kindInt, true, doubled(32, t.integer(0, 2, 1))
		s.checkBits(c)
	case kindTime:
		c.kind, c.signed, c.bits = kindInt, true, int(t.integer(1, 4, 32))
		s.checkBits(c)
	case kindTimestamp, kindDuration:
		c.kind, c.signed, c.bits = kindInt, true, 64
	case kindFixedList:
		c.size = int(t.integer(0, 4, 0))
		if c.size < 0 {
			s.err = errBroken
		}
	case kindNull, kindBinary, kindText, kindBool, kindDecimal, kindInterval, kindList, kindStruct, kindFixedBinary, kindMap, kindLargeBinary, kindLargeText, kindLargeList:
	default:
		s.err = refused("a column holds unions, views or runs: write it anew without them, as to_json does")
	}
}

// doubled doubles a number of bits so many times, as floating-point numbers and dates say their size; 0 if there is no such size.
func doubled(bits int, times int64) int {
	if times < 0 || times > 2 {
		return 0
	}
	return bits << times
}

func (s *schema) checkBits(c *column) {
	if c.bits != 8 && c.bits != 16 && c.bits != 32 && c.bits != 64 {
		s.err = errBroken
	}
}

// array is the values of a column in a batch.
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
	body           []byte
	table          table
	nodes, buffers int // where the next ones are
	nodesLeft      int
	buffersLeft    int
	err            error
}

func newBatch(t table, body []byte) *batch {
	b := &batch{body: body, table: t}
	if t.table(compressionOfBodies).at != 0 {
		b.err = refused("it is compressed: write it without compression, as save_to_disk does")
	}
	b.nodes, b.nodesLeft = t.vector(1, 16)
	b.buffers, b.buffersLeft = t.vector(2, 16)
	return b
}

// buffer returns the next buffer, which must have at least so many bytes.
func (b *batch) buffer(least int) []byte {
	if b.buffersLeft--; b.buffersLeft < 0 {
		b.err = errBroken
		return nil
	}
	at, n := uintAt(b.table.data, b.buffers, 8), uintAt(b.table.data, b.buffers+8, 8)
	b.buffers += 16
	if size := uint64(len(b.body)); at > size || n > size-at || n < uint64(least) {
		b.err = errBroken
		return nil
	}
	return b.body[at : at+n]
}

// array returns the values of a column, with those of the columns below.
func (b *batch) array(c *column) *array {
	a := &array{column: c}
	if b.nodesLeft--; b.nodesLeft < 0 || b.err != nil {
		if b.err == nil {
			b.err = errBroken
		}
		return a
	}
	n, nulls := uintAt(b.table.data, b.nodes, 8), uintAt(b.table.data, b.nodes+8, 8)
	b.nodes += 16
	if n > maxRows || nulls > n {
		b.err = errBroken
		return a
	}
	a.length = int(n)
	if c.kind == kindNull {
		return a
	}
	a.validity = b.buffer(0)
	if nulls == 0 {
		a.validity = nil
	} else if len(a.validity) < (a.length+7)/bitsOfByte {
		b.err = errBroken
	}
	b.fill(a)
	for _, child := range c.children {
		a.children = append(a.children, b.array(child))
	}
	return a
}

// fill takes the buffers of the array itself, after that of its nulls.
func (b *batch) fill(a *array) {
	offsets := a.length + 1
	if a.length == 0 {
		offsets = 0 // they may be missing
	}
	switch c := a.column; c.kind {
	case kindInt, kindFloat:
		a.data = b.buffer(a.length * c.bits / bitsOfByte)
	case kindBool:
		a.data = b.buffer((a.length + 7) / bitsOfByte)
	case kindText, kindBinary:
		a.offsets, a.data = b.buffer(4*offsets), b.buffer(0)
	case kindLargeText, kindLargeBinary:
		a.offsets, a.data = b.buffer(8*offsets), b.buffer(0)
	case kindList, kindMap:
		a.offsets = b.buffer(4 * offsets)
	case kindLargeList:
		a.offsets = b.buffer(8 * offsets)
	case kindDecimal, kindInterval, kindFixedBinary:
		a.data = b.buffer(0)
	default: // structs and lists of one length have no more
	}
}

// isNull reports whether value i is null, or is none.
func (a *array) isNull(i int) bool {
	return i < 0 || i >= a.length || a.column.kind == kindNull || a.validity != nil && a.validity[i/bitsOfByte]>>(i%bitsOfByte)&1 == 0
}

// span returns where text or list i lies.
func (a *array) span(i int) (from, to int64) {
	switch c := a.column; c.kind {
	case kindFixedList:
		return int64(i) * int64(c.size), int64(i+1) * int64(c.size)
	case kindLargeText, kindLargeList:
		return int64(uintAt(a.offsets, 8*i, 8)), int64(uintAt(a.offsets, 8*i+8, 8))
	default:
		return int64(int32(uintAt(a.offsets, 4*i, 4))), int64(int32(uintAt(a.offsets, 4*i+4, 4)))
	}
}
