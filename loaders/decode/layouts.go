package decode

import (
	"fmt"

	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// Layout finds the samples of a record and, for each, begins a row, picks its
// values and calls sample.
type Layout func(r *RowDecoder, record []byte, sample func()) error

// OneObject is one object, one sample.
func OneObject(r *RowDecoder, record []byte, sample func()) error {
	r.BeginRow()
	if err := jsonscan.ScanObject(record, r.visit); err != nil {
		return err
	}
	sample()
	return nil
}

// NestedList is one object with a list of samples under a key; what stands beside the
// list holds for all of them.
func NestedList(key string) Layout {
	return func(r *RowDecoder, record []byte, sample func()) error {
		return EachInList(r, record, key, func(jsonscan.Value) { sample() })
	}
}

// EachInList begins a row for each object of the list under a key, with what stands beside the
// list, and picks its values.
func EachInList(r *RowDecoder, record []byte, key string, sample func(of jsonscan.Value)) error {
	var list jsonscan.Value
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		if string(k.Raw) == key {
			list = v
		}
	})
	if err != nil {
		return err
	}
	list.EachElement(func(e jsonscan.Value) {
		r.BeginRow()
		_ = jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
			if string(k.Raw) != key {
				r.Pick(k, v)
			}
		})
		if e.Kind == jsonscan.Object {
			_ = jsonscan.ScanObject(e.Raw, r.visit)
			sample(e)
		}
	})
	return nil
}

// maxColumns bounds what one record of columns may hold.
const maxColumns = 1024

// ColumnLists is one object of lists, the values of one sample under the same index
// of each. Lists of another length, and what is no list, hold for all.
func ColumnLists(r *RowDecoder, record []byte, sample func()) error {
	type column struct {
		key    jsonscan.Value
		values []jsonscan.Value
	}
	var all []column
	n := 0
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		if len(all) == maxColumns {
			return
		}
		c := column{key: k, values: v.Elements()}
		if p, ok := r.Fields.Lookup(k.Raw); ok && (p.Role == RolePrompt || p.Role == RoleResponse || p.Role == RoleReward) {
			n = max(n, len(c.values))
		}
		if v.Kind != jsonscan.Array {
			c.values = []jsonscan.Value{v}
		}
		all = append(all, c)
	})
	if err != nil {
		return err
	}
	for i := range n {
		r.BeginRow()
		for _, c := range all {
			switch {
			case len(c.values) == n:
				r.Pick(c.key, c.values[i])
			case len(c.values) == 1:
				r.Pick(c.key, c.values[0])
			}
		}
		sample()
	}
	return nil
}

// Document is a whole file: an object, a list of objects, an object with such a
// list under one of a few names, or lines of objects after all.
func Document(r *RowDecoder, record []byte, sample func()) error {
	s := jsonscan.Scanner{Data: record}
	s.SkipSpace()
	if s.Peek() == '[' {
		return listOf(r, record[s.Pos:], sample)
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
		return eachLine(r, record, sample, err)
	case key != "":
		return NestedList(key)(r, record, sample)
	case r.holdsLists(record):
		return ColumnLists(r, record, sample)
	default:
		return OneObject(r, record, sample)
	}
}

// holdsLists reports whether an object holds several answers and as many rewards, each a list.
func (r *RowDecoder) holdsLists(record []byte) bool {
	answers, rewards := 0, 0
	_ = jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		p, ok := r.Fields.Lookup(k.Raw)
		switch {
		case !ok || v.Kind != jsonscan.Array:
		case p.Role == RoleResponse:
			answers = v.Len()
		case p.Role == RoleReward:
			rewards = v.Len()
		}
	})
	return answers > 1 && answers == rewards
}

// listOf is a list of objects.
func listOf(r *RowDecoder, record []byte, sample func()) error {
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
		if e.Kind != jsonscan.Object || OneObject(r, e.Raw, sample) != nil {
			bad++
		}
	})
	if bad > 0 {
		return fmt.Errorf("%d elements of the list are no objects", bad)
	}
	return nil
}

// eachLine reads lines of objects; whole is what was wrong with them as one.
func eachLine(r *RowDecoder, record []byte, sample func(), whole error) error {
	s := framing.Splitter{Limit: framing.MaxLine}
	var bad error
	accept := func(line framing.Record) bool {
		if len(line.Text) > 0 && bad == nil {
			bad = OneObject(r, line.Text, sample)
		}
		return bad == nil
	}
	s.Feed(record, accept)
	if s.Lines == 0 {
		return whole
	}
	if bad == nil {
		s.Flush(accept)
	}
	if bad != nil {
		return whole
	}
	return nil
}
