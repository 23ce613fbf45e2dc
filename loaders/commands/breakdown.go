package commands

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"vantage/loaders"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/query"
	"vantage/model/report"
)

// breakdownOptions are the flags of report that ask who pays.
type breakdownOptions struct{ by, where string }

// asked reports whether the report is to be broken down.
func (o breakdownOptions) asked() bool { return o.by != "" || o.where != "" }

// breakdownFormats are the writers of a breakdown by the names of those of a report.
func breakdownFormats() map[string]func(io.Writer, *report.Breakdown) error {
	return map[string]func(io.Writer, *report.Breakdown) error{
		"text": report.BreakdownText, "md": report.BreakdownMarkdown, "csv": report.BreakdownCSV, "json": report.BreakdownJSON,
	}
}

// writeBreakdown reads the paths and writes the figures of a report part by part.
func (p *Program) writeBreakdown(ctx context.Context, paths []string, set model.Settings, o reportOptions) error {
	write, known := breakdownFormats()[o.format.name]
	if !known {
		_, err := o.format.writer("report")
		return err
	}
	where, err := query.Parse(o.breakdown.where)
	if err != nil {
		return Usage(fmt.Errorf("--where: %w", err))
	}
	source, snap, err := p.readOpen(ctx, paths)
	if err != nil {
		return err
	}
	defer source.Close()
	set, chosen, err := p.choose(ctx, snap, set)
	if err != nil {
		return err
	}
	if snap, err = o.steps.selectFrom(snap); err != nil {
		return err
	}
	b := report.Breakdown{By: o.breakdown.by, Where: o.breakdown.where, Settings: set.Effective(), Choice: chosen}
	if b.By == "" {
		b.By = "step"
	}
	labels := columnLabels{ctx: ctx, source: source, column: b.By}
	err = analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
		partOf, err := partsBy(a, b.By, &labels, snap)
		if err != nil {
			return err
		}
		b.Parts.Add(a, func(g, i int) string {
			if !where.MatchesSample(a, g, i) {
				return ""
			}
			return partOf(g, i)
		})
		return nil
	})
	if err != nil {
		return classifyError(err)
	}
	return write(p.output(ctx, o.format.name), &b)
}

// partsBy returns what names the part of a sample.
func partsBy(a *analysis.Analysis, by string, labels *columnLabels, snap model.Snapshot) (func(g, i int) string, error) {
	switch by {
	case "step":
		name := strconv.FormatInt(a.Step, 10)
		return func(int, int) string { return name }, nil
	case "difficulty":
		return func(g, _ int) string { return a.Difficulty(g) }, nil
	case "length":
		names := a.LengthQuarters()
		return func(_, i int) string { return names[i] }, nil
	case "fate":
		return func(g, _ int) string { return a.Table[g].Fate.String() }, nil
	}
	names, err := labels.of(a, snap)
	return func(g, _ int) string { return names[g] }, err
}

// columnLabels reads a column of the log in the first row of each group: columns that are no numbers
// are not kept in memory.
type columnLabels struct {
	ctx    context.Context
	source *loaders.Source
	column string
}

// of returns the value of the column for each group of a step.
func (l *columnLabels) of(a *analysis.Analysis, snap model.Snapshot) ([]string, error) {
	at := slices.IndexFunc(snap.Steps, func(s model.Step) bool { return s.Number == a.Step })
	names := make([]string, a.Groups)
	for g := range names {
		row := int(a.InputRow[a.Offsets[g]])
		text, err := l.source.Text(l.ctx, snap.Steps[at].Place(row))
		if err != nil {
			return nil, fmt.Errorf("--by %s: %w", l.column, err)
		}
		k := slices.IndexFunc(text.Fields, func(f model.Field) bool { return f.Name == l.column })
		if k < 0 {
			return nil, Usage(fmt.Errorf("--by %s: the log has no such column; by difficulty, length, fate and step it goes without one", l.column))
		}
		names[g] = text.Fields[k].Value
		if names[g] == "" {
			names[g] = "empty"
		}
	}
	return names, nil
}
