package loaders

import (
	"bytes"
	"strconv"
)

// table is {"columns": [names], "data": [rows]}, as W&B writes tables: a row is a sample,
// or a question with its answers as output_1, score_1, output_2 and so on.
func table(r *rows, record []byte, sample func()) error {
	var names, data value
	err := scanObject(record, func(k, v value) {
		switch string(k.raw) {
		case "columns":
			names = v
		case "data":
			data = v
		}
	})
	if err != nil {
		return err
	}
	heads, most := r.heads(elements(names))
	eachElement(data, func(row value) {
		cells := elements(row)
		cells = cells[:min(len(cells), len(heads))]
		for n := 1; n <= most; n++ {
			r.begin()
			there := most == 1 // of several answers some rows may have fewer
			for i, v := range cells {
				if heads[i].of == 0 || heads[i].of == n {
					r.pick(heads[i].key, v)
					there = there || heads[i].of == n && v.kind != null
				}
			}
			if there {
				sample()
			}
		}
	})
	return nil
}

// head is the name of a column of a table, and which of the answers in a row it is about,
// counted from 1; 0 if about all.
type head struct {
	key value
	of  int
}

// heads are those of the columns, and how many answers a row has.
func (r *rows) heads(names []value) (heads []head, most int) {
	heads, most = make([]head, len(names)), 1
	answered := false
	for i, name := range names {
		heads[i].key = name
		at := bytes.LastIndexByte(name.raw, '_')
		if at < 0 {
			continue
		}
		p, known := r.fields.place(name.raw[:at])
		if n, err := strconv.Atoi(string(name.raw[at+1:])); known && err == nil && 1 <= n && n <= maxColumns {
			heads[i] = head{value{kind: text, raw: name.raw[:at]}, n}
			most, answered = max(most, n), answered || p.role == roleResponse
		}
	}
	if !answered {
		for i, name := range names {
			heads[i] = head{key: name}
		}
		return heads, 1
	}
	return heads, most
}
