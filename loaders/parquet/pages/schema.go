package pages

import "bytes"

// schemaCache holds the last schema: the files of a run have the same one.
type schemaCache struct {
	raw    []byte // its Thrift encoding
	leaves []Column
	fields []Node
}

// Node is a column of a table, or a part of one that is not flat.
type Node struct {
	Name                   string
	Children               []Node // none of a leaf
	First, Leaves          int    // its leaves among all
	Optional, Repeated     bool
	Repetition, Definition int // the levels of a value that is there
}

// IsFlat reports whether a column has one value in each row, or none.
func (n *Node) IsFlat() bool { return len(n.Children) == 0 && !n.Repeated }

// decode decodes a schema, or returns the same slices as before if the bytes are equal.
func (s *schemaCache) decode(d *thriftDecoder) ([]Column, []Node) {
	if len(s.raw) > 0 && bytes.HasPrefix(d.data[d.offset:], s.raw) {
		d.offset += len(s.raw)
		return s.leaves, s.fields
	}
	var tree []element
	from := d.offset
	d.list(func(kind byte) {
		tree = append(tree, decodeElement(d))
		d.failed = d.failed || kind != thriftStruct || len(tree) > maxElements
	})
	d.failed = d.failed || !isTree(tree)
	b := schemaBuilder{room: maxNames}
	if s.fields = nil; len(tree) > 0 {
		b.rest = tree[1:]
		s.fields = b.nodes(tree[0].children, &Node{}, "", 0)
	}
	s.leaves, s.raw = b.columns, nil
	if !d.failed {
		s.raw = bytes.Clone(d.data[from:d.offset])
	}
	return s.leaves, s.fields
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

// schemaBuilder makes columns and nodes of the elements of a schema.
type schemaBuilder struct {
	rest    []element
	room    int // for names
	columns []Column
}

// nodes returns the next n nodes, which are beneath another; fewer once names have used up the room.
func (b *schemaBuilder) nodes(n int, above *Node, prefix string, depth int) []Node {
	var all []Node
	for range n {
		if len(b.rest) == 0 {
			break
		}
		e := b.rest[0]
		if b.rest, b.room = b.rest[1:], b.room-len(prefix)-len(e.name); b.room < 0 {
			b.rest = nil
			break
		}
		all = append(all, b.node(&e, above, prefix, depth))
	}
	return all
}

func (b *schemaBuilder) node(e *element, above *Node, prefix string, depth int) Node {
	n := Node{
		Name: e.name, First: len(b.columns), Optional: e.repetition == optional, Repeated: e.repetition == repeated,
		Repetition: above.Repetition, Definition: above.Definition,
	}
	if n.Repeated {
		n.Repetition++
	}
	if n.Repeated || n.Optional {
		n.Definition++
	}
	if e.children > 0 && depth <= maxNesting {
		n.Children = b.nodes(e.children, &n, prefix+e.name+".", depth+1)
	} else {
		c := Column{Name: prefix + e.name, Optional: n.Optional, Number: newNumberFormat(e), repetition: n.Repetition, definition: n.Definition}
		c.stored, c.width = storedAs(e, &c.Number)
		if isOther := c.stored == Text && (c.width > 0 || c.Number.IsNumber()); depth == 0 && !n.Repeated && !isOther {
			c.Kind = c.stored
		}
		b.columns = append(b.columns, c)
	}
	n.Leaves = len(b.columns) - n.First
	if depth == 0 {
		for i := range n.Leaves {
			b.columns[n.First+i].Field = e.name
		}
	}
	return n
}

// storedAs returns how the values of a leaf are stored: numbers of a variable width as texts.
func storedAs(e *element, f *NumberFormat) (k Kind, width int) {
	switch {
	case e.physical == typeBoolean:
		return Bool, 0
	case f.width > 0:
		return Number, 0
	case e.physical == typeByteArray:
		return Text, 0
	case e.physical == typeInt96:
		return Text, 12
	case e.physical == typeFixedByteArray && e.length > 0:
		return Text, e.length
	}
	return Nested, 0
}
