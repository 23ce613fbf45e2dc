package pages

import "bytes"

// schemaCache holds the last schema: the files of a run have the same one.
type schemaCache struct {
	raw    []byte // its Thrift encoding
	leaves []Column
}

// columns decodes a schema, or returns the same slice as before if the bytes are equal.
func (s *schemaCache) columns(d *thriftDecoder) []Column {
	if len(s.raw) > 0 && bytes.HasPrefix(d.data[d.offset:], s.raw) {
		d.offset += len(s.raw)
		return s.leaves
	}
	var tree []element
	from := d.offset
	d.list(func(kind byte) {
		tree = append(tree, decodeElement(d))
		d.failed = d.failed || kind != thriftStruct || len(tree) > maxElements
	})
	d.failed = d.failed || !isTree(tree)
	s.leaves, s.raw = leaves(tree), nil
	if !d.failed {
		s.raw = bytes.Clone(d.data[from:d.offset])
	}
	return s.leaves
}

// maxElements and maxNames bound a schema: an element takes a byte of a file and a hundred of memory,
// and each leaf repeats the names of all above it.
const (
	maxElements = 40_000
	maxNames    = 8 << 20
)

// isTree reports whether each element but the first is the child of one.
func isTree(tree []element) bool {
	children := 0
	for i := range tree {
		if children += tree[i].children; tree[i].children < 0 || children >= len(tree) {
			return false
		}
	}
	return children == len(tree)-1
}

// element is a SchemaElement; the footer lists the tree depth first.
type element struct {
	name                                          string
	physical, length, repetition, children, scale int
	meaning                                       meaning
}

// Repetition, by its number in the format.
const (
	optional = 1
	repeated = 2
)

func decodeElement(d *thriftDecoder) element {
	n := element{physical: -1}
	d.fields(func(id int, kind byte) {
		switch id {
		case 1:
			n.physical = int(d.integer(kind))
		case 2:
			n.length = int(d.integer(kind))
		case 3:
			n.repetition = int(d.integer(kind))
		case 4:
			d.failed = d.failed || kind != thriftBinary
			n.name = string(d.bytes())
		case 5:
			n.children = int(d.integer(kind))
		case 6:
			n.setConverted(int(d.integer(kind)))
		case 7:
			n.scale = int(d.integer(kind))
		case 10:
			n.decodeLogical(d, kind)
		default:
			d.skip(kind)
		}
	})
	return n
}

// setConverted sets the meaning by a ConvertedType, the older form of a logical type.
func (n *element) setConverted(converted int) {
	switch converted {
	case 5:
		n.meaning = decimal
	case 11, 12, 13, 14: // 8 to 64 bits
		n.meaning = unsigned
	}
}

// decodeLogical decodes a LogicalType, as far as it changes which number a value is.
func (n *element) decodeLogical(d *thriftDecoder, kind byte) {
	if kind != thriftStruct {
		d.skip(kind)
		return
	}
	d.fields(func(id int, kind byte) {
		switch {
		case id == 5 && kind == thriftStruct:
			n.meaning = decimal
			d.fields(func(id int, kind byte) {
				if id == 1 {
					n.scale = int(d.integer(kind))
				} else {
					d.skip(kind)
				}
			})
		case id == 10 && kind == thriftStruct:
			d.fields(func(id int, kind byte) {
				if id == 2 && kind != thriftTrue {
					n.meaning = unsigned
				}
				d.skip(kind)
			})
		default:
			if id == 15 {
				n.meaning = float16
			}
			d.skip(kind)
		}
	})
}

// leaves returns the columns of a tree: its elements without children.
func leaves(tree []element) []Column {
	if len(tree) == 0 {
		return nil
	}
	columns := make([]Column, 0, len(tree)-1)
	rest, room := tree[1:], maxNames
	for len(rest) > 0 {
		from, field := len(columns), rest[0].name
		columns, rest = appendLeaves(columns, rest, "", 0, &room)
		for i := range columns[from:] {
			columns[from+i].Field = field
		}
	}
	return columns
}

// appendLeaves appends the leaves of the first element, and returns the elements after them; none once
// names have used up the room.
func appendLeaves(columns []Column, tree []element, prefix string, depth int, room *int) ([]Column, []element) {
	n, rest := tree[0], tree[1:]
	if *room -= len(prefix) + len(n.name); *room < 0 {
		return columns, nil
	}
	if n.children == 0 || depth > maxNesting {
		c := Column{Name: prefix + n.name, Optional: n.repetition == optional, Number: newNumberFormat(&n)}
		if depth == 0 && n.repetition != repeated {
			c.Kind = kindOf(&n, &c.Number)
		}
		return append(columns, c), rest
	}
	for range n.children {
		if len(rest) == 0 {
			break
		}
		columns, rest = appendLeaves(columns, rest, prefix+n.name+".", depth+1, room)
	}
	return columns, rest
}

func kindOf(e *element, f *NumberFormat) Kind {
	switch {
	case e.physical == typeBoolean:
		return Bool
	case f.width > 0:
		return Number
	case e.physical == typeByteArray && !f.IsNumber():
		return Text
	}
	return Nested
}
