package parquet

import (
	"io"
	"math"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
)

// conversations are the conversations that a columnReader reads beside its flat columns.
type conversations struct {
	prompt, response *conversation
	library          *library
	err              error // of opening the file
}

// conversation is a nested column, whose rows are read through all row groups.
type conversation struct {
	leaf  int // the first
	cells cellReader
	ready int // rows that have been read ahead
}

// add adds the column with that first leaf.
func (n *conversations) add(as decode.Role, leaf int) *conversation {
	c := &conversation{leaf: leaf}
	if as == decode.RolePrompt {
		n.prompt = c
	} else {
		n.response = c
	}
	return c
}

// openFile opens the file in which the columns are, if there are any. An error is returned by openGroup.
func (n *conversations) openFile(h io.ReaderAt, table *pages.File) {
	if n.prompt == nil && n.response == nil {
		return
	}
	n.closeColumns()
	n.library, n.err = openLibrary(h, table)
}

func (n *conversations) closeColumns() {
	for _, c := range []*conversation{n.prompt, n.response} {
		if c != nil && c.cells != nil {
			c.cells.close()
			c.cells, c.ready = nil, 0
		}
	}
}

// openGroup opens the columns in a row group.
func (n *conversations) openGroup(group int) error {
	if n.err != nil || n.library == nil {
		return n.err
	}
	n.closeColumns()
	fields := n.library.nested
	for _, c := range []*conversation{n.prompt, n.response} {
		for i := range fields {
			if c == nil || fields[i].first != c.leaf {
				continue
			}
			var err error
			if c.cells, err = n.library.column(group, namedColumn{leaf: c.leaf, nested: &fields[i]}, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// next returns the value of the next row.
func (c *conversation) next() (jsonscan.Value, error) {
	if c.ready == 0 {
		var err error
		if c.ready, err = c.cells.fill(); err != nil {
			return jsonscan.Value{}, err
		}
		if c.ready == 0 {
			return jsonscan.Value{}, errTooFewRows
		}
	}
	c.ready--
	return c.cells.next(), nil
}

// measure reads the lengths of the responses of rows, so that lengths has n, if they are nested.
func (n *conversations) measure(lengths *numberColumn, rows int) error {
	if n.response == nil || lengths == nil {
		return nil
	}
	p := pageRead{column: lengths}
	for range rows - len(lengths.values) {
		v, err := n.response.next()
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
