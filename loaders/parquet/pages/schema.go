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
	d.list(func(byte) { tree = append(tree, decodeElement(d)) })
	s.leaves, s.raw = leaves(tree), nil
	if !d.failed {
		s.raw = bytes.Clone(d.data[from:d.offset])
	}
	return s.leaves
}

// element is a SchemaElement; the footer lists the tree depth first.
type element struct {
	name                           string
	physical, repetition, children int
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
			n.physical = int(d.int())
		case 3:
			n.repetition = int(d.int())
		case 4:
			n.name = string(d.bytes())
		case 5:
			n.children = int(d.int())
		default:
			d.skip(kind)
		}
	})
	return n
}

// leaves returns the columns of a tree: its elements without children.
func leaves(tree []element) []Column {
	if len(tree) == 0 {
		return nil
	}
	columns := make([]Column, 0, len(tree)-1)
	rest := tree[1:]
	for len(rest) > 0 {
		columns, rest = appendLeaves(columns, rest, "", 0)
	}
	return columns
}

// appendLeaves appends the leaves of the first element, and returns the elements after them.
func appendLeaves(columns []Column, tree []element, prefix string, depth int) ([]Column, []element) {
	n, rest := tree[0], tree[1:]
	if n.children == 0 || depth > maxNesting {
		c := Column{Name: prefix + n.name, Optional: n.repetition == optional, physical: n.physical}
		if depth == 0 && n.repetition != repeated {
			c.Kind = kindOf(n.physical)
		}
		return append(columns, c), rest
	}
	for range n.children {
		if len(rest) == 0 {
			break
		}
		columns, rest = appendLeaves(columns, rest, prefix+n.name+".", depth+1)
	}
	return columns, rest
}

func kindOf(physical int) Kind {
	switch physical {
	case typeBoolean:
		return Bool
	case typeInt32, typeInt64, typeFloat, typeDouble:
		return Number
	case typeByteArray:
		return Text
	}
	return Nested
}
