package commands

import (
	"context"
	"errors"
	"fmt"
	"io"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/report"
)

// breakdownOptions are the flags of report that ask who pays.
type breakdownOptions struct {
	by    string
	where whereFlag
}

// asked reports whether the report is to be broken down.
func (o breakdownOptions) asked() bool { return o.by != "" || o.where.text != "" }

// breakdownFormats are the writers of a breakdown by the names of those of a report.
func breakdownFormats() map[string]func(io.Writer, *report.Breakdown) error {
	return map[string]func(io.Writer, *report.Breakdown) error{
		"text": report.BreakdownText, "md": report.BreakdownMarkdown, "csv": report.BreakdownCSV, "json": report.BreakdownJSON,
	}
}

// writeBreakdown reads the paths and writes the figures of a report part by part.
func (p *Program) writeBreakdown(ctx context.Context, paths []string, set model.Settings, o reportOptions) error {
	switch {
	case o.svg != "":
		return Usage(errors.New("--svg draws the charts of a report, and --by and --where print a breakdown: omit one"))
	case o.per != string(report.PerStep):
		return Usage(fmt.Errorf("--per %s is for a report, and --by and --where print a breakdown, whose rows --by names: omit one", o.per))
	}
	write, known := breakdownFormats()[o.format.name]
	if !known {
		_, err := o.format.writer("report")
		return err
	}
	where, err := o.breakdown.where.parse()
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
	b := report.Breakdown{Head: newHead(paths), By: o.breakdown.by, Where: o.breakdown.where.text, Settings: log.set.Effective(), Choice: log.choice}
	if b.By == "" {
		b.By = "step"
	}
	b.Note = analysis.PartsNote(&log.snap.Run, b.By)
	err = analysis.Each(ctx, log.snap, log.set, func(a *analysis.Analysis) error {
		partOf, err := a.PartNames(ctx, b.By, log.Text)
		if err != nil {
			return byError(b.By, err)
		}
		b.Parts.Add(a, func(g, i int) string {
			if !where.MatchesSample(a, g, i) {
				return ""
			}
			return partOf(g, i)
		})
		return nil
	})
	switch {
	case err != nil:
		return classifyError(err)
	case b.Parts.All.Samples == 0:
		return o.breakdown.where.nothing()
	}
	return p.writeOutput(ctx, o.output, o.format.name, func(w io.Writer) error { return write(w, &b) })
}

// byError says which flag an error of its column is of.
func byError(by string, err error) error {
	if err = fmt.Errorf("--by %s: %w", by, err); errors.Is(err, analysis.ErrNoColumn) {
		return Usage(err)
	}
	return err
}
