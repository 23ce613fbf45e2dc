package loaders

import "fmt"

// shape finds the samples of a record and, for each, begins a row, picks its
// values and calls sample.
type shape func(r *rows, record []byte, sample func()) error

// plain is one object, one sample.
func plain(r *rows, record []byte, sample func()) error {
	r.begin()
	if err := scanObject(record, r.visit); err != nil {
		return err
	}
	sample()
	return nil
}

// nested is one object with a list of samples under a key; what stands beside the
// list holds for all of them.
func nested(key string) shape {
	return func(r *rows, record []byte, sample func()) error {
		return within(r, record, key, func(value) { sample() })
	}
}

// within begins a row for each object of the list under a key, with what stands beside the
// list, and picks its values.
func within(r *rows, record []byte, key string, sample func(of value)) error {
	var list value
	err := scanObject(record, func(k, v value) {
		if string(k.raw) == key {
			list = v
		}
	})
	if err != nil {
		return err
	}
	eachElement(list, func(e value) {
		r.begin()
		_ = scanObject(record, func(k, v value) {
			if string(k.raw) != key {
				r.pick(k, v)
			}
		})
		if e.kind == object {
			_ = scanObject(e.raw, r.visit)
			sample(e)
		}
	})
	return nil
}

// maxColumns bounds what one record of columns may hold.
const maxColumns = 1024

// columns is one object of lists, the values of one sample under the same index
// of each. Lists of another length, and what is no list, hold for all.
func columns(r *rows, record []byte, sample func()) error {
	type column struct {
		key    value
		values []value
	}
	var all []column
	n := 0
	err := scanObject(record, func(k, v value) {
		if len(all) == maxColumns {
			return
		}
		c := column{key: k, values: elements(v)}
		if p, ok := r.fields.place(k.raw); ok && (p.role == rolePrompt || p.role == roleResponse || p.role == roleReward) {
			n = max(n, len(c.values))
		}
		if v.kind != list {
			c.values = []value{v}
		}
		all = append(all, c)
	})
	if err != nil {
		return err
	}
	for i := range n {
		r.begin()
		for _, c := range all {
			switch {
			case len(c.values) == n:
				r.pick(c.key, c.values[i])
			case len(c.values) == 1:
				r.pick(c.key, c.values[0])
			}
		}
		sample()
	}
	return nil
}

func elements(v value) []value {
	var all []value
	eachElement(v, func(e value) { all = append(all, e) })
	return all
}

// document is a whole file: an object, a list of objects, an object with such a
// list under one of a few names, or lines of objects after all.
func document(r *rows, record []byte, sample func()) error {
	s := scanner{data: record}
	s.space()
	if s.peek() == '[' {
		return listOf(r, record[s.at:], sample)
	}
	var key string
	err := scanObject(record, func(k, v value) {
		switch name := string(k.raw); name {
		case "samples", "rollouts", "results", "rows", "data", "trajectories", "completions":
			if v.kind == list {
				key = name
			}
		}
	})
	switch {
	case err != nil:
		return eachLine(r, record, sample, err)
	case key != "":
		return nested(key)(r, record, sample)
	case r.listed(record):
		return columns(r, record, sample)
	default:
		return plain(r, record, sample)
	}
}

// listed reports whether an object holds several answers and as many rewards, each a list.
func (r *rows) listed(record []byte) bool {
	answers, rewards := 0, 0
	_ = scanObject(record, func(k, v value) {
		p, ok := r.fields.place(k.raw)
		switch {
		case !ok || v.kind != list:
		case p.role == roleResponse:
			answers = v.count()
		case p.role == roleReward:
			rewards = v.count()
		}
	})
	return answers > 1 && answers == rewards
}

// listOf is a list of objects.
func listOf(r *rows, record []byte, sample func()) error {
	s := scanner{data: record}
	v, err := s.value()
	if err != nil {
		return err
	}
	if s.space(); s.at < len(s.data) {
		return s.fail("nothing more")
	}
	bad := 0
	eachElement(v, func(e value) {
		if e.kind != object || plain(r, e.raw, sample) != nil {
			bad++
		}
	})
	if bad > 0 {
		return fmt.Errorf("%d elements of the list are no objects", bad)
	}
	return nil
}

// eachLine reads lines of objects; whole is what was wrong with them as one.
func eachLine(r *rows, record []byte, sample func(), whole error) error {
	l := lines{limit: maxLine}
	var bad error
	take := func(line line) bool {
		if len(line.text) > 0 && bad == nil {
			bad = plain(r, line.text, sample)
		}
		return bad == nil
	}
	l.feed(record, take)
	if l.number == 0 {
		return whole
	}
	if l.torn() && bad == nil {
		take(l.last())
	}
	if bad != nil {
		return whole
	}
	return nil
}
