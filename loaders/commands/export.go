package commands

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/report"
	"vantage/model/units"
)

// exportOptions are the flags of the command besides settings.
type exportOptions struct {
	format  formatFlag[func(context.Context, io.Writer, *report.SampleTable) error]
	where   whereFlag
	steps   stepRange
	columns string
}

func (p *Program) export() *cobra.Command {
	o := exportOptions{
		format: newFormatFlag("jsonl", report.SampleJSONL).or("csv", report.SampleCSV).or("parquet", writeParquet),
		where:  whereFlag{of: "samples"},
	}
	cmd := &cobra.Command{
		Use:   "export PATH... [algorithm.key=value...]",
		Short: "Write every sample with its advantages",
		Long: `export writes a row for every sample, as JSON lines, CSV or Parquet. pandas, polars and
DuckDB load each of them as it is. The exit code is 0 only if every sample of the log was
written. If records could not be read, all others are written, and the exit code is 1.`,
		Example: `vantage export runs/qwen-math/rollouts --format parquet > samples.parquet
vantage export runs/qwen-math/rollouts --format csv --columns step,group,advantage,file,line
vantage export runs/qwen-math/rollouts --last 1 --columns group,reward,response`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			noteFormat := "text" // although JSONL is the default: only an explicit format counts
			if cmd.Flags().Changed("format") {
				noteFormat = o.format.name
			}
			return p.writeSamples(cmd.Context(), paths, set, o, noteFormat)
		},
	}
	o.format.addTo(cmd)
	cmd.Flags().StringVar(&o.columns, "columns", "", "only these columns, in this order: step,group,advantage; on request also prompt, response and ground_truth")
	o.where.addTo(cmd.Flags())
	o.steps.addFlags(cmd.Flags())
	p.AddLogFlags(cmd)
	return cmd
}

// writeSamples reads the paths to their current end and writes their samples.
func (p *Program) writeSamples(ctx context.Context, paths []string, set model.Settings, o exportOptions, noteFormat string) error {
	write, err := o.format.writer("export")
	if err != nil {
		return err
	}
	samples, err := o.where.parse()
	if err != nil {
		return err
	}
	log, err := p.openChosen(ctx, paths, set)
	if err != nil {
		return err
	}
	defer log.Close()
	columns, err := chooseColumns(log.snap, o.columns)
	if err != nil {
		return err
	}
	if log.snap, err = o.steps.selectFrom(log.snap); err != nil {
		return err
	}
	p.noteConfig(noteFormat)
	p.noteLeftOut(noteFormat, log.snap)
	refusals := &report.Refusals{}
	table := &report.SampleTable{Snap: log.snap, Settings: log.set, Where: samples, Columns: columns, Log: log, Refusals: refusals}
	if o.columns == "" && o.format.name == "jsonl" {
		write = contractJSONL
	}
	if err := write(ctx, p.output(ctx, o.format.name), table); err != nil {
		return classifyError(err)
	}
	p.noteChoice(noteFormat, log.choice)
	if o.where.text != "" && refusals.Written == 0 {
		return o.where.nothing()
	}
	if err := p.noteRefusals(noteFormat, refusals); err != nil {
		return err
	}
	return unreadRecords(log.snap, refusals.Written)
}

// contractJSONL writes the objects that scripts rely on, which have fewer keys than the table has columns.
func contractJSONL(ctx context.Context, w io.Writer, t *report.SampleTable) error {
	return report.SamplesJSONL(ctx, w, t.Snap, t.Settings, t.Where, t.Refusals)
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
