package parquet

import (
	"slices"

	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
)

// EachRow visits the rows of a table in order, each as a JSON object of its columns with those names. The object is valid until the next
// one. It ends with the visit's error.
func EachRow(table *pages.File, names []string, visit func(row int64, object []byte) error) error {
	var columns []rowColumn
	for i := range table.Fields {
		if n := &table.Fields[i]; slices.Contains(names, n.Name) {
			columns = append(columns, rowColumn{newFieldReader(table, n), nameValue(n.Name)})
		}
	}
	var object []byte
	row := int64(0)
	for group := range table.Groups {
		for _, c := range columns {
			if err := c.open(group, 0); err != nil {
				return err
			}
		}
		for range table.Groups[group].Rows {
			object = append(object[:0], '{')
			for _, c := range columns {
				v, err := c.next()
				if err != nil {
					return err
				}
				object = append(jsonscan.AppendText(object, c.key.Raw), ':')
				object = append(appendJSON(object, v), ',')
			}
			object = jsonscan.AppendEnd(object, '}')
			if err := visit(row, object); err != nil {
				return err
			}
			row++
		}
	}
	return nil
}
