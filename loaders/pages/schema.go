package pages

import "bytes"

// schema is the list of columns that was read last: the files of a run have the same one.
type schema struct {
	written []byte // as it stands in the footer
	leaves  []Column
}

// columns reads a schema, unless it is the one before.
func (s *schema) columns(d *decoder) []Column {
	if len(s.written) > 0 && bytes.HasPrefix(d.data[d.at:], s.written) {
		d.at += len(s.written)
		return s.leaves
	}
	var tree []node
	from := d.at
	d.list(func(byte) { tree = append(tree, element(d)) })
	s.leaves, s.written = leaves(tree), nil
	if !d.bad {
		s.written = bytes.Clone(d.data[from:d.at])
	}
	return s.leaves
}

// node is an element of the tree of columns, which a footer lists depth first.
type node struct {
	name                           string
	physical, repetition, children int
}

// Repetition, by its number in the format.
const (
	optional = 1
	repeated = 2
)

func element(d *decoder) node {
	n := node{physical: -1}
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

// leaves are the columns of a tree: what has no children.
func leaves(tree []node) []Column {
	if len(tree) == 0 {
		return nil
	}
	columns := make([]Column, 0, len(tree)-1)
	rest := tree[1:]
	for len(rest) > 0 {
		columns, rest = branch(columns, rest, "", 0)
	}
	return columns
}

// branch adds the leaves beneath the first node, and returns the nodes after them.
func branch(columns []Column, tree []node, prefix string, depth int) ([]Column, []node) {
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
		columns, rest = branch(columns, rest, prefix+n.name+".", depth+1)
	}
	return columns, rest
}

func kindOf(physical int) Kind {
	switch physical {
	case boolean:
		return Bool
	case int32s, int64s, float32s, float64s:
		return Number
	case byteArrays:
		return Text
	}
	return Nested
}
