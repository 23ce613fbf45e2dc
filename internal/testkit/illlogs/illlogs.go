// Package illlogs writes the runs of illruns for tests: to the disk, whatever their format is, with parquet-go where it is TRL's.
package illlogs

import (
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"vantage/loaders/demo/illruns"
)

// Write writes the log of a run to a folder, which it makes.
func Write(run *illruns.Run, folder string, arrange illruns.Arrange) error {
	return run.Write(illruns.Place{Folder: folder, Parquet: writeParquet}, arrange)
}

func writeParquet(out io.Writer, columns []string, rows [][]any) error {
	group := parquet.Group{}
	for k, name := range columns {
		switch rows[0][k].(type) {
		case int64:
			group[name] = parquet.Int(64)
		case float64:
			group[name] = parquet.Leaf(parquet.DoubleType)
		default:
			group[name] = parquet.String()
		}
	}
	schema := parquet.NewSchema("rows", group)
	table := parquet.NewGenericWriter[any](out, schema, parquet.Compression(&parquet.Snappy))
	var made []parquet.Row
	for _, row := range rows {
		values := make(parquet.Row, len(row))
		for i, x := range row {
			k := slices.IndexFunc(schema.Columns(), func(path []string) bool { return path[0] == columns[i] })
			values[k] = parquet.ValueOf(x).Level(0, 0, k)
		}
		made = append(made, values)
	}
	if _, err := table.WriteRows(made); err != nil {
		return err
	}
	return table.Close()
}
