package commands

import (
	"context"

	"vantage/model"
	"vantage/model/report"
	"vantage/model/sweep"
)

// pageRatios are those of the heat maps of a page: 0 to 1 by 0.1.
func pageRatios() sweep.Ratios {
	all := make([]float64, 11)
	for i := range all {
		all[i] = float64(i) / 10
	}
	return sweep.Ratios{Pos: all, Neg: all}
}

// htmlParts returns what the page of a report holds besides its figures. A log that cannot be swept has a page all
// the same, which says why.
func (p *Program) htmlParts(ctx context.Context, source Source, r *report.Report, texts int) (report.HTMLParts, error) {
	parts := report.HTMLParts{
		Texts: texts,
		Text:  func(at model.Place) (model.Text, error) { return source.Text(ctx, at) },
	}
	run, _, err := glanceAt(ctx, source, r.Snap, r.Settings)
	if err != nil {
		return parts, err
	}
	parts.Worst = run.Spans
	grid, err := sweepSelected(ctx, r.Snap, r.Settings, pageRatios(), &selection{})
	switch {
	case ctx.Err() != nil:
		return parts, ctx.Err()
	case err != nil:
		parts.NoSweep = err.Error()
	default:
		parts.Sweep = &report.Sweep{Grid: grid, Choice: r.Choice, Recompute: []bool{false, true}, Goal: sweep.DefaultGoal()}
	}
	return parts, nil
}
