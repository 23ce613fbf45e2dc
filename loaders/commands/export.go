package commands

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"vantage/loaders/parquet/writer"
	"vantage/model"
	"vantage/model/analysis"
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
	where := &selection{kind: "samples"}
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
		format: format,
		where:  where,
		steps:  &stepRange{},
		sets:   OfLogs,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&columns, "columns", "", "only these columns, in this order: step,group,advantage,…; also prompt, response and ground_truth")
		},
		run: onLog(ofLog, func(ctx context.Context, log *openLog) (t sampleRows, err error) {
			chosen, err := chooseColumns(log.snap, columns)
			if err != nil {
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
				if n := refusals.Residue; n > 0 {
					log.note(fmt.Sprintf("%s of the log hold float residue: their advantage is not 0 here, but they do not train, as summary counts them; --columns step,group,index,advantage,trains says which", units.Plural(n, "samples")))
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

// Bounds of a row group of a written Parquet file, which is held in memory: the first part of the samples that reaches one ends it.
const (
	maxGroupRows = 1 << 16
	maxGroupText = 32 << 20 // bytes of texts
)

// rowGroup collects the rows of a row group.
type rowGroup struct {
	cells      []writer.Cells
	rows, text int
}

// writeParquet writes the samples as a Parquet file with typed columns. Its row groups are encoded on several processors. A cut file has
// no footer.
func writeParquet(ctx context.Context, w io.Writer, t *report.SampleTable) error {
	out, err := writer.New(w, parquetColumns(t.Columns))
	if err != nil {
		return err
	}
	var group *rowGroup
	used := make(chan *rowGroup, 16) // groups whose memory is free: more than the pipeline holds
	parts := sync.Pool{New: func() any { return &part{cells: make([]report.Cells, len(t.Columns))} }}
	groups := analysis.NewPipeline(out.Write)
	defer groups.Close()
	flush := func() error {
		full := group
		group = nil
		const bytesOfSample = maxGroupText / (1 << 18) // so that one group of long texts is held at a time, and two others
		return groups.Add(max(2*full.rows, full.text/bytesOfSample), func() (*writer.RowGroup, error) {
			encoded := out.Encode(full.cells, full.rows)
			used <- full
			return encoded, nil
		})
	}
	err = report.EachPart(ctx, t, func(of *report.SamplePart) (*part, error) {
		p := parts.Get().(*part)
		p.rows = of.Len()
		return p, of.Fill(p.cells)
	}, func(p *part) error {
		if group == nil {
			select {
			case group = <-used:
				group.reset()
			default:
				group = &rowGroup{cells: make([]writer.Cells, len(t.Columns))}
			}
		}
		group.add(t.Columns, p)
		parts.Put(p)
		if group.rows < maxGroupRows && group.text < maxGroupText {
			return nil
		}
		return flush()
	})
	if err == nil && group != nil {
		err = flush()
	}
	if err == nil {
		err = groups.End()
	}
	if err != nil {
		return err
	}
	return out.Close()
}

type part struct {
	cells []report.Cells
	rows  int
}

func (g *rowGroup) reset() {
	g.rows, g.text = 0, 0
	for k := range g.cells {
		c := &g.cells[k]
		clear(c.Texts) // which may be long
		*c = writer.Cells{Missing: c.Missing[:0], Integers: c.Integers[:0], Numbers: c.Numbers[:0], Bools: c.Bools[:0], Texts: c.Texts[:0], Counts: c.Counts[:0]}
	}
}

func (g *rowGroup) add(columns []report.SampleColumn, p *part) {
	g.rows += p.rows
	for k := range g.cells {
		to, from := &g.cells[k], &p.cells[k]
		if columns[k].Optional {
			to.Missing = append(to.Missing, from.Missing...)
		}
		switch columns[k].Type {
		case report.IntegerCell:
			to.Integers = append(to.Integers, from.Integers...)
		case report.BoolCell:
			to.Bools = append(to.Bools, from.Bools...)
		case report.TextCell:
			to.Texts = append(to.Texts, from.Texts...)
			for _, text := range from.Texts {
				g.text += len(text)
			}
		case report.NameCell:
			for _, name := range from.Texts { // most come again in the next row; a missing one is "", and no other is
				g.text += len(name)
				if last := len(to.Texts) - 1; last >= 0 && to.Texts[last] == name {
					to.Counts[last]++
					continue
				}
				to.Texts, to.Counts = append(to.Texts, name), append(to.Counts, 1)
			}
		case report.NumberCell, report.AdvantageCell, report.Number32Cell:
			to.Numbers = append(to.Numbers, from.Numbers...)
		}
	}
}

// parquetColumns returns the columns of the file. Advantages are doubles in every precision, which all of them fit, so that files of
// several estimators can be joined.
func parquetColumns(columns []report.SampleColumn) []writer.Column {
	return model.Mapped(columns, func(c report.SampleColumn) writer.Column {
		t := writer.Number
		switch c.Type {
		case report.IntegerCell:
			t = writer.Integer
		case report.BoolCell:
			t = writer.Bool
		case report.NameCell:
			t = writer.Name
		case report.TextCell:
			t = writer.Text
		case report.NumberCell, report.AdvantageCell, report.Number32Cell:
		}
		return writer.Column{Name: c.Name, Type: t, Optional: c.Optional}
	})
}
