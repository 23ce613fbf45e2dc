package decode

import (
	"bytes"
	"strconv"

	"vantage/loaders/jsonscan"
)

// WandbTable is the layout {"columns": [names], "data": [rows]} of W&B's tables: a row is a sample,
// or a question with its answers in output_1, score_1, output_2, score_2 and so on.
func WandbTable(r *RowDecoder, record []byte, emit func()) error {
	var names, data jsonscan.Value
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		switch string(key.Raw) {
		case "columns":
			names = v
		case "data":
			data = v
		}
	})
	if err != nil {
		return err
	}
	columns, answers := r.wandbColumns(names.Elements())
	data.EachElement(func(row jsonscan.Value) {
		cells := row.Elements()
		cells = cells[:min(len(cells), len(columns))]
		for answer := 1; answer <= answers; answer++ {
			r.BeginRow()
			isAnswered := answers == 1 // of several answers some rows may have fewer
			for i, v := range cells {
				if c := columns[i]; c.answer == 0 || c.answer == answer {
					r.Pick(c.name, v)
					isAnswered = isAnswered || c.answer == answer && v.Kind != jsonscan.Null
				}
			}
			if isAnswered {
				emit()
			}
		}
	})
	return nil
}

// wandbColumn is a column of a table.
type wandbColumn struct {
	name   jsonscan.Value // without the number of the answer
	answer int            // from 1; 0 for a column of all answers
}

// wandbColumns returns the columns with those names, and how many answers a row has.
func (r *RowDecoder) wandbColumns(names []jsonscan.Value) (columns []wandbColumn, answers int) {
	plain, numbered := make([]wandbColumn, len(names)), make([]wandbColumn, len(names))
	answers, hasResponse := 1, false
	for i, name := range names {
		plain[i].name, numbered[i].name = name, name
		at := bytes.LastIndexByte(name.Raw, '_')
		if at < 0 {
			continue
		}
		p, ok := r.Fields.Lookup(name.Raw[:at])
		if n, err := strconv.Atoi(string(name.Raw[at+1:])); ok && err == nil && 1 <= n && n <= maxColumns {
			numbered[i] = wandbColumn{jsonscan.Value{Kind: jsonscan.String, Raw: name.Raw[:at]}, n}
			answers, hasResponse = max(answers, n), hasResponse || p.Role == RoleResponse
		}
	}
	if !hasResponse { // score_1 is the name of a component
		return plain, 1
	}
	return numbered, answers
}
