package commands

import (
	"context"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"vantage/model/report"
)

// Bounds of a row group of a written Parquet file, which is held in memory.
const (
	maxGroupRows = 1 << 16
	maxGroupText = 32 << 20 // bytes of texts
)

// writeParquet writes the samples as a Parquet file with typed columns, one row group at a time. A cut
// file has no footer.
func writeParquet(ctx context.Context, w io.Writer, t *report.SampleTable) error {
	out := parquet.NewGenericWriter[any](w, parquetSchema(t.Columns), parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(maxGroupRows))
	rows, text := make([]parquet.Row, 0, 1<<10), 0
	flush := func() error {
		_, err := out.WriteRows(rows)
		rows = rows[:0]
		return err
	}
	err := t.Each(ctx, func(cells []report.Cell) error {
		row := make(parquet.Row, len(cells))
		for k, c := range t.Columns {
			row[k] = parquetValue(c, cells[k], k)
			text += len(cells[k].Text)
		}
		if rows = append(rows, row); len(rows) < cap(rows) && text < maxGroupText {
			return nil
		}
		if err := flush(); err != nil || text < maxGroupText {
			return err
		}
		text = 0
		return out.Flush()
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	return out.Close()
}

// columnGroup is a group of fields in the order of the columns: that of [parquet.Group] is by name.
type columnGroup struct {
	parquet.Group
	order []string
}

// Fields implements [parquet.Node].
func (g columnGroup) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(g.order, a.Name()) - slices.Index(g.order, b.Name())
	})
	return fields
}

func parquetSchema(columns []report.SampleColumn) *parquet.Schema {
	g := columnGroup{Group: parquet.Group{}}
	for _, c := range columns {
		node := parquetNode(c.Type)
		if c.Optional {
			node = parquet.Optional(node)
		}
		g.Group[c.Name], g.order = node, append(g.order, c.Name)
	}
	return parquet.NewSchema("samples", g)
}

// parquetNode returns the type of a column. Advantages are doubles in every precision, which all of them
// fit, so that files of several estimators can be joined.
func parquetNode(t report.CellType) parquet.Node {
	switch t {
	case report.IntegerCell:
		return parquet.Int(64)
	case report.BoolCell:
		return parquet.Leaf(parquet.BooleanType)
	case report.NameCell:
		return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	case report.TextCell:
		return parquet.String()
	default:
		return parquet.Leaf(parquet.DoubleType)
	}
}

// parquetValue returns a cell as a value of column k.
func parquetValue(c report.SampleColumn, cell report.Cell, k int) parquet.Value {
	if cell.Missing {
		return parquet.NullValue().Level(0, 0, k)
	}
	level := 0
	if c.Optional {
		level = 1
	}
	switch c.Type {
	case report.IntegerCell:
		return parquet.Int64Value(cell.Integer).Level(0, level, k)
	case report.BoolCell:
		return parquet.BooleanValue(cell.Bool).Level(0, level, k)
	case report.NameCell, report.TextCell:
		return parquet.ByteArrayValue([]byte(cell.Text)).Level(0, level, k)
	default:
		return parquet.DoubleValue(cell.Number).Level(0, level, k)
	}
}
