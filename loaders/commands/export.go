package commands

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/report"
	"vantage/model/units"
)

// sampleRows is what an export writes: of a context, since all samples are computed meanwhile.
type sampleRows struct {
	*report.SampleTable
	ctx context.Context
}

func (p *Program) export() *cobra.Command {
	var columns string
	var steps stepRange
	where := selection{kind: "samples"}
	writing := func(write func(context.Context, io.Writer, *report.SampleTable) error) func(io.Writer, sampleRows) error {
		return func(w io.Writer, t sampleRows) error { return write(t.ctx, w, t.SampleTable) }
	}
	format := newFormatFlag("jsonl", writing(func(ctx context.Context, w io.Writer, t *report.SampleTable) error {
		if columns == "" { // the objects that scripts rely on, which have fewer keys than the table has columns
			return report.SamplesJSONL(ctx, w, t.Snap, t.Settings, t.Where, t.Refusals)
		}
		return report.SampleJSONL(ctx, w, t)
	})).noting(noteAll).or("csv", writing(report.SampleCSV)).noting(noteAll).or("parquet", writing(writeParquet)).noting(noteAll)
	return command[func(io.Writer, sampleRows) error]{
		use:   "export PATH... [algorithm.key=value...]",
		short: "Write every sample with its advantages",
		long: `export writes a row for every sample, as JSON lines, CSV or Parquet; pandas, polars and
DuckDB load them as they are. If some records cannot be read, it writes the others and the
exit code is 1.`,
		example: `vantage export runs/qwen-math/rollouts --format parquet > samples.parquet
vantage export runs/a --format csv --columns step,group,advantage,file,line
vantage export runs/a --last 1 --columns group,reward,response`,
		format: &format,
		sets:   OfLogs,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&columns, "columns", "", "only these columns, in this order: step,group,advantage,…; also prompt, response and ground_truth")
			where.addTo(cmd.Flags())
			steps.addTo(cmd.Flags())
		},
		refuse: where.parse,
		run: onLog(ofLog, func(ctx context.Context, log *openLog) (t sampleRows, err error) {
			chosen, err := chooseColumns(log.snap, columns)
			if err != nil {
				return t, err
			}
			if log.snap, err = steps.selectFrom(log.snap); err != nil {
				return t, err
			}
			refusals := &report.Refusals{}
			log.then = func() error {
				if where.text != "" && refusals.Written == 0 {
					return where.nothing()
				}
				if err := log.noteRefusals(refusals); err != nil {
					return err
				}
				return unreadRecords(log.snap, refusals.Written)
			}
			return sampleRows{&report.SampleTable{Snap: log.snap, Settings: log.set, Where: where.query, Columns: chosen, Log: log, Refusals: refusals}, ctx}, nil
		}),
	}.of(p)
}

// unreadRecords is an error if the log holds records that could not be read: their samples were not written.
func unreadRecords(snap model.Snapshot, written int) error {
	problems := snap.Run.Problems
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("the export is incomplete: %s written, without %s of the log that could not be read, first %s",
		units.Plural(written, "samples"), units.Plural(max(snap.Run.Skipped, len(problems)), "records"), problems[0])
}

// chooseColumns returns the columns that --columns names, in that order; for "" all that an export has
// without being asked.
func chooseColumns(snap model.Snapshot, named string) ([]report.SampleColumn, error) {
	all := report.SampleColumns(snap)
	if named == "" {
		return slices.DeleteFunc(all, func(c report.SampleColumn) bool { return c.OnRequest }), nil
	}
	names := model.Mapped(all, func(c report.SampleColumn) string { return c.Name })
	var chosen []report.SampleColumn
	for name := range strings.SplitSeq(named, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(names, name)
		switch {
		case i < 0:
			return nil, Usage(fmt.Errorf("--columns: no column %q%s; this log has %s", name, strings.TrimSuffix(didYouMean(name, names), "?"), join(names, "and")))
		case slices.ContainsFunc(chosen, func(c report.SampleColumn) bool { return c.Name == name }):
			return nil, Usage(fmt.Errorf("--columns names %s twice", name))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// Bounds of a row group of a written Parquet file, which is held in memory.
const (
	maxGroupRows = 1 << 16
	maxGroupText = 32 << 20 // bytes of texts

	maxWrittenRows = 64 // at once: a page ends between two writes
)

// writeParquet writes the samples as a Parquet file with typed columns, one row group at a time. A cut
// file has no footer.
func writeParquet(ctx context.Context, w io.Writer, t *report.SampleTable) error {
	out := parquet.NewGenericWriter[any](w, parquetSchema(t.Columns), parquet.Compression(&parquet.Zstd))
	rows, text := 0, 0 // of the row group
	flush := func() error {
		rows, text = 0, 0
		return out.Flush()
	}
	type part struct {
		columns [][]parquet.Value
		rows    int
		text    int
	}
	err := report.EachPart(ctx, t, func(p *report.SamplePart) (all part, err error) {
		before := make([]report.Cell, len(t.Columns)) // the last value of each
		all.columns = make([][]parquet.Value, len(t.Columns))
		for k := range all.columns {
			all.columns[k] = make([]parquet.Value, p.Len())
		}
		err = p.Each(func(cells []report.Cell) error {
			for k := range cells {
				column := all.columns[k]
				if all.rows > 0 && cells[k] == before[k] && math.Signbit(cells[k].Number) == math.Signbit(before[k].Number) { // as most are
					column[all.rows] = column[all.rows-1]
				} else {
					column[all.rows], before[k] = parquetValue(&t.Columns[k], &cells[k], k), cells[k]
				}
				all.text += len(cells[k].Text)
			}
			all.rows++
			return nil
		})
		return all, err
	}, func(p part) error {
		for lo := 0; lo < p.rows; {
			if rows == maxGroupRows {
				if err := flush(); err != nil {
					return err
				}
			}
			hi := lo + min(maxWrittenRows, p.rows-lo, maxGroupRows-rows)
			for k, column := range out.ColumnWriters() {
				if _, err := column.WriteRowValues(p.columns[k][lo:hi]); err != nil {
					return err
				}
			}
			lo, rows = hi, rows+hi-lo
		}
		if text += p.text; text < maxGroupText {
			return nil
		}
		return flush()
	})
	if err != nil {
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

func parquetValue(c *report.SampleColumn, cell *report.Cell, k int) parquet.Value {
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
