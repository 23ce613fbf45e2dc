package decode

import (
	"fmt"

	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// Layout finds the samples of a record. For each it calls r.BeginRow, passes the fields to r.Pick,
// which knows their names, or values to r.Set, and calls emit. It returns an error, a short sentence
// for a person, if the record cannot be read; what it has emitted is then dropped.
//
// A format without a Layout has one sample per record, a JSON object or a CSV row. Only JSON lines
// without a Layout are read by package decode/fast, several times as fast.
type Layout func(r *RowDecoder, record []byte, emit func()) error

// oneObject is the layout of a format without one.
func oneObject(r *RowDecoder, record []byte, emit func()) error {
	r.BeginRow()
	if err := jsonscan.ScanObject(record, r.visit); err != nil {
		return err
	}
	emit()
	return nil
}

// EachInList begins a row for each object of the list under a key, picks its fields and those beside
// the list, which hold for all of them, and calls finish with the object. It is what a Layout of
// samples in a list is made of: finish calls r.Set, if need be, and emit.
func EachInList(r *RowDecoder, record []byte, key string, finish func(object jsonscan.Value)) error {
	var list jsonscan.Value
	type field struct{ key, value jsonscan.Value }
	var shared []field
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		if string(k.Raw) == key {
			list = v
		} else {
			shared = append(shared, field{k, v})
		}
	})
	if err != nil {
		return err
	}
	list.EachElement(func(e jsonscan.Value) {
		if e.Kind != jsonscan.Object {
			return
		}
		r.BeginRow()
		for _, f := range shared {
			r.Pick(f.key, f.value)
		}
		e.EachField(r.visit)
		finish(e)
	})
	return nil
}

// maxColumns bounds the columns of a record.
const maxColumns = 1024

// ColumnLists is the layout of an object of lists: the values of a sample have the same index in each.
// Values that are no list, and lists of another length, hold for all samples if they are single.
func ColumnLists(r *RowDecoder, record []byte, emit func()) error {
	type column struct {
		key    jsonscan.Value
		values []jsonscan.Value
	}
	var columns []column
	n := 0
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		if len(columns) == maxColumns {
			return
		}
		c := column{key: k, values: v.Elements()}
		if p, ok := r.Fields.Lookup(k.Raw); ok && (p.Role == RolePrompt || p.Role == RoleResponse || p.Role == RoleReward) {
			n = max(n, len(c.values))
		}
		if v.Kind != jsonscan.Array {
			c.values = []jsonscan.Value{v}
		}
		columns = append(columns, c)
	})
	if err != nil {
		return err
	}
	for i := range n {
		r.BeginRow()
		for _, c := range columns {
			switch len(c.values) {
			case n:
				r.Pick(c.key, c.values[i])
			case 1:
				r.Pick(c.key, c.values[0])
			}
		}
		emit()
	}
	return nil
}

// Document is the layout of a whole file: an object, a list of objects, an object with such a list
// under one of a few names, an object of lists, or lines of objects after all.
func Document(r *RowDecoder, record []byte, emit func()) error {
	s := jsonscan.Scanner{Data: record}
	s.SkipSpace()
	if s.Peek() == '[' {
		return objectList(r, record[s.Pos:], emit)
	}
	var key string
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		switch name := string(k.Raw); name {
		case "samples", "rollouts", "results", "rows", "data", "trajectories", "completions":
			if v.Kind == jsonscan.Array {
				key = name
			}
		}
	})
	switch {
	case err != nil:
		return objectLines(r, record, emit, err)
	case key != "":
		return EachInList(r, record, key, func(jsonscan.Value) { emit() })
	case HasGroupLists(r.Fields, record):
		return documentLists(r, record, emit)
	default:
		return oneObject(r, record, emit)
	}
}

// objectList is the layout of a list of objects, one a sample.
func objectList(r *RowDecoder, record []byte, emit func()) error {
	s := jsonscan.Scanner{Data: record}
	v, err := s.Value()
	if err != nil {
		return err
	}
	if s.SkipSpace(); s.Pos < len(s.Data) {
		return s.Expected("nothing more")
	}
	bad := 0
	v.EachElement(func(e jsonscan.Value) {
		if e.Kind != jsonscan.Object || oneObject(r, e.Raw, emit) != nil {
			bad++
		}
	})
	if bad > 0 {
		return fmt.Errorf("%d elements of the list are not objects", bad)
	}
	return nil
}

// objectLines is the layout of lines of objects, one a sample. It returns notDocument if they are
// not: the error of reading the file as one document.
func objectLines(r *RowDecoder, record []byte, emit func(), notDocument error) error {
	s := framing.Splitter{Limit: framing.MaxLine}
	var err error
	accept := func(line framing.Record) bool {
		if len(line.Text) > 0 {
			err = oneObject(r, line.Text, emit)
		}
		return err == nil
	}
	s.Feed(record, accept)
	if s.Lines == 0 {
		return notDocument
	}
	if err == nil {
		s.Flush(accept)
	}
	if err != nil {
		return notDocument
	}
	return nil
}
