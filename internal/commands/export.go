package commands

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

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

func (p *program) export() *cobra.Command {
	var columns string
	where := &selection{kind: "samples"}
	writing := func(write func(context.Context, io.Writer, *report.SampleTable) error) func(io.Writer, sampleRows) error {
		return func(w io.Writer, t sampleRows) error { return write(t.ctx, w, t.SampleTable) }
	}
	format := newFormatFlag("jsonl", writing(report.SampleJSONL)).noting(noteAll).or("csv", writing(report.SampleCSV)).noting(noteAll)
	return command[func(io.Writer, sampleRows) error]{
		use:   "export PATH... [algorithm.key=value...]",
		short: "Write every sample with its advantages",
		long: `export writes a row for every sample, as JSON lines or CSV; pandas, polars and DuckDB load
them as they are. Both have the same columns; in JSON lines a number that is missing, NaN
or infinite is null. If some records cannot be read, it writes the others and the exit
code is 1.`,
		example: `vantage export runs/qwen-math/rollouts > samples.jsonl
vantage export runs/a --format csv --columns step,group,advantage,file,line
vantage export runs/a --last 1 --columns group,reward,response`,
		format: format,
		where:  where,
		steps:  &stepRange{},
		sets:   ofLogs,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&columns, "columns", "", "only these columns, in this order: step,group,advantage,…; also prompt, "+
				"response and ground_truth")
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
					log.note(fmt.Sprintf("%s of the log hold a rounding error: their advantage is not 0 here, but they do not train, "+
						"as summary counts them; --columns step,group,index,advantage,trains shows which", units.Plural(n, "samples")))
				}
				return unreadRecords(log.snap, refusals.Written)
			}
			table := &report.SampleTable{
				Snap: log.snap, Settings: log.set, Where: where.query, Columns: chosen, Log: log, Refusals: refusals,
			}
			return sampleRows{SampleTable: table, ctx: ctx}, nil
		}),
	}.build(p)
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
	if named == "" {
		return report.UsualSampleColumns(snap), nil
	}
	all := report.SampleColumns(snap)
	names := model.Mapped(all, func(c report.SampleColumn) string { return c.Name })
	var chosen []report.SampleColumn
	for name := range strings.SplitSeq(named, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(names, name)
		switch {
		case i < 0:
			return nil, usage(fmt.Errorf("--columns: no column %q%s; this log has %s", name,
				strings.TrimSuffix(didYouMean(name, names), "?"), join(names, "and")))
		case slices.ContainsFunc(chosen, func(c report.SampleColumn) bool { return c.Name == name }):
			return nil, usage(fmt.Errorf("--columns names %s twice", name))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
