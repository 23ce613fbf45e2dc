package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/report"
)

// reportOptions are the flags of the command besides settings.
type reportOptions struct {
	format         formatFlag[func(io.Writer, *report.Report) (*report.Charts, error)]
	per, svg, emit string
	output         string // the file that is written instead of standard output; "" for that
	texts          int
	command        string // the command line, to be run again
	steps          stepRange
	breakdown      breakdownOptions
}

func newReportOptions() reportOptions {
	return reportOptions{
		format: newFormatFlag("text", report.Text).or("md", report.Markdown).or("csv", report.CSV).or("json", report.JSON).or("html", report.HTML),
		per:    string(report.PerStep), breakdown: breakdownOptions{where: whereFlag{of: "samples"}},
	}
}

func (p *Program) report() *cobra.Command {
	o := newReportOptions()
	cmd := &cobra.Command{
		Use:   "report PATH... [algorithm.key=value...]",
		Short: "Print a report of a run: steps, charts, metrics and warnings",
		Long: `report prints what the screen shows: a row per step or per group, charts, and the
metrics and warnings of the newest step. It holds one step in memory at a time. To see
whether an output is complete: a page ends with a line "complete", JSON with "complete":
true, and a table is complete if the exit code is 0.

--format html is one page for a browser, with charts, the sweep, the groups that need
a look and a row per step. It needs no other file and no network: send it, or attach it
to a run.`,
		Example: `vantage report runs/qwen-math/rollouts --last 10
vantage report runs/qwen-math/rollouts --format html -o report.html --texts 5
vantage report runs/qwen-math/rollouts --format md --svg report.svg
vantage report runs/qwen-math/rollouts --per group --steps 3 --format csv`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.command = p.commandLine(cmd, args)
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			if err := o.validate(); err != nil {
				return Usage(err)
			}
			if o.emit != "" {
				return p.emitSettings(cmd.Context(), paths, set, o)
			}
			if o.breakdown.asked() {
				return p.writeBreakdown(cmd.Context(), paths, set, o)
			}
			return p.writeReport(cmd.Context(), paths, set, o)
		},
	}
	o.format.addTo(cmd)
	cmd.Flags().StringVar(&o.per, "per", o.per, "what each row stands for: step, group or run")
	completeFlag(cmd, "per", "step", "group", "run")
	cmd.Flags().StringVar(&o.breakdown.by, "by", "", "break the figures down: a row per difficulty, length, fate, step, or value of a column of the log")
	completeFlag(cmd, "by", analysis.PartKinds()...)
	o.breakdown.where.addTo(cmd.Flags())
	cmd.Flags().StringVar(&o.svg, "svg", "", "write the charts to this file, which text and Markdown then name")
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "write to this file, which is replaced once it is complete")
	cmd.Flags().IntVar(&o.texts, "texts", 0, "of how many of the worst groups the page of --format html holds the best and the worst answer")
	addEmitFlag(cmd, &o.emit, "the settings")
	o.steps.addFlags(cmd.Flags())
	p.AddLogFlags(cmd)
	return cmd
}

// maxTexts is the most groups of which a page holds answers.
const maxTexts = 100

// validate refuses flags that do not go together.
func (o *reportOptions) validate() error {
	isPage := o.format.name == "html"
	switch {
	case !slices.Contains(report.PerValues(), report.Per(o.per)):
		return fmt.Errorf("--per %s: choose step, group or run", o.per)
	case isPage && o.per != string(report.PerStep):
		return fmt.Errorf("--per %s: the page of --format html always has groups and steps; --format text, md, csv and json have rows per %[1]s", o.per)
	case isPage && o.breakdown.asked():
		return errors.New("--by and --where have no page of HTML: choose --format text, md, csv or json")
	case o.texts < 0 || o.texts > maxTexts:
		return fmt.Errorf("--texts %d: expected a number of groups from 0 to %d", o.texts, maxTexts)
	case o.texts > 0 && !isPage:
		return errors.New("--texts is for --format html; `vantage show GROUP PATH` prints the answers of a group")
	}
	return nil
}

// emitSettings reads the paths and writes the settings that a report would be computed with.
func (p *Program) emitSettings(ctx context.Context, paths []string, set model.Settings, o reportOptions) error {
	d, err := findDialect(o.emit)
	if err != nil {
		return err
	}
	log, err := p.openChosen(ctx, paths, set)
	if err != nil {
		return err
	}
	defer log.Close()
	p.noteConfig(o.format.name)
	p.noteLeftOut(o.format.name, log.snap)
	p.noteChoice(o.format.name, log.choice)
	return p.writeOutput(ctx, o.output, "text", func(w io.Writer) error { return writeDialect(w, d, log.set) })
}

// WriteReport reads the paths to their current end and writes a report per step, as text if the flags say
// nothing else.
func (p *Program) WriteReport(ctx context.Context, paths []string, set model.Settings) error {
	o := newReportOptions()
	o.format.name = cmp.Or(p.outputFormat, o.format.name)
	return p.writeReport(ctx, paths, set, o)
}

func (p *Program) writeReport(ctx context.Context, paths []string, set model.Settings, o reportOptions) error {
	write, err := o.format.writer("report")
	if err != nil {
		return err
	}
	log, err := p.openChosen(ctx, paths, set)
	if err != nil {
		return err
	}
	defer log.Close()
	if log.snap, err = o.steps.selectFrom(log.snap); err != nil {
		return err
	}
	r, err := newReport(ctx, log, log.snap, log.set)
	if err != nil {
		return classifyError(err)
	}
	r.Choice, r.Head = log.choice, newHead(paths)
	r.Head.Command, r.Per, r.ChartsFile = o.command, report.Per(o.per), o.svg
	if o.format.name == "html" {
		if r.Parts, err = p.htmlParts(ctx, log, r, o.texts); err != nil {
			return classifyError(err)
		}
	}
	if o.format.name == "csv" {
		p.noteConfig(o.format.name) // the other formats include it, what is left out and the choice
		p.noteLeftOut(o.format.name, log.snap)
	}
	var charts *report.Charts
	err = p.writeOutput(ctx, o.output, o.format.name, func(w io.Writer) error {
		charts, err = write(w, r)
		return err
	})
	if err == nil && o.format.name == "csv" {
		p.noteChoice(o.format.name, log.choice)
	}
	if err != nil {
		return classifyError(err)
	}
	if o.svg != "" {
		if err := writeFile(o.svg, func(w io.Writer) error { return report.SVG(w, charts) }); err != nil {
			return err
		}
	}
	return p.noteRefusals(o.format.name, &r.Refusals)
}

// newReport returns a report with the warnings about texts.
func newReport(ctx context.Context, source Source, snap model.Snapshot, set model.Settings) (*report.Report, error) {
	r, err := report.New(ctx, snap, set)
	if err != nil {
		return nil, err
	}
	r.More, err = alikeReader{source, snap, set}.warnings(ctx)
	return r, err
}

// stepRange selects steps of a run.
type stepRange struct {
	interval string // FROM:TO, where either may be omitted, or one step
	last     int
}

func (r *stepRange) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&r.interval, "steps", "", "only these steps: one, or FROM:TO, where either may be omitted")
	flags.IntVar(&r.last, "last", 0, "only this many of the newest steps")
}

// selectFrom returns snap with only the selected steps.
func (r stepRange) selectFrom(snap model.Snapshot) (model.Snapshot, error) {
	from, to, err := r.bounds()
	if err != nil {
		return snap, Usage(err)
	}
	if r.last < 0 {
		return snap, Usage(fmt.Errorf("--last %d: expected a number of steps", r.last))
	}
	var selected []model.Step
	for _, step := range snap.Steps {
		if (from == nil || step.Number >= *from) && (to == nil || step.Number <= *to) {
			selected = append(selected, step)
		}
	}
	if r.last > 0 && len(selected) > r.last {
		selected = selected[len(selected)-r.last:]
	}
	if len(selected) == 0 && len(snap.Steps) > 0 {
		return snap, fmt.Errorf("--steps %s: the log has no such step, only %d to %d", r.interval, snap.Steps[0].Number, snap.Steps[len(snap.Steps)-1].Number)
	}
	return snap.Only(selected), nil
}

func (r stepRange) bounds() (from, to *int64, err error) {
	if r.interval == "" {
		return nil, nil, nil
	}
	first, last, several := strings.Cut(r.interval, ":")
	if !several {
		last = first
	}
	if from, err = parseStep(first); err == nil {
		to, err = parseStep(last)
	}
	if err != nil || from != nil && to != nil && *from > *to {
		return nil, nil, fmt.Errorf("--steps %s: expected one step, or FROM:TO with the lower step first", r.interval)
	}
	return from, to, nil
}

func parseStep(text string) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return &n, err
}
