package decode

import (
	"bytes"
	"strconv"

	"vantage/loaders/jsonscan"
)

// WandbTable is {"columns": [names], "data": [rows]}, as W&B writes tables: a row is a sample,
// or a question with its answers as output_1, score_1, output_2 and so on.
func WandbTable(r *RowDecoder, record []byte, sample func()) error {
	var names, data jsonscan.Value
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		switch string(k.Raw) {
		case "columns":
			names = v
		case "data":
			data = v
		}
	})
	if err != nil {
		return err
	}
	heads, most := r.columnHeads(names.Elements())
	data.EachElement(func(row jsonscan.Value) {
		cells := row.Elements()
		cells = cells[:min(len(cells), len(heads))]
		for n := 1; n <= most; n++ {
			r.BeginRow()
			there := most == 1 // of several answers some rows may have fewer
			for i, v := range cells {
				if heads[i].answer == 0 || heads[i].answer == n {
					r.Pick(heads[i].key, v)
					there = there || heads[i].answer == n && v.Kind != jsonscan.Null
				}
			}
			if there {
				sample()
			}
		}
	})
	return nil
}

// columnHead is the name of a column of a table, and which of the answers in a row it is about,
// counted from 1; 0 if about all.
type columnHead struct {
	key    jsonscan.Value
	answer int
}

// columnHeads are those of the columns, and how many answers a row has.
func (r *RowDecoder) columnHeads(names []jsonscan.Value) (heads []columnHead, most int) {
	heads, most = make([]columnHead, len(names)), 1
	answered := false
	for i, name := range names {
		heads[i].key = name
		at := bytes.LastIndexByte(name.Raw, '_')
		if at < 0 {
			continue
		}
		p, known := r.Fields.Lookup(name.Raw[:at])
		if n, err := strconv.Atoi(string(name.Raw[at+1:])); known && err == nil && 1 <= n && n <= maxColumns {
			heads[i] = columnHead{jsonscan.Value{Kind: jsonscan.String, Raw: name.Raw[:at]}, n}
			most, answered = max(most, n), answered || p.Role == RoleResponse
		}
	}
	if !answered {
		for i, name := range names {
			heads[i] = columnHead{key: name}
		}
		return heads, 1
	}
	return heads, most
}
