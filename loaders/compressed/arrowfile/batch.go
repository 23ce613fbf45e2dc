package arrowfile

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
