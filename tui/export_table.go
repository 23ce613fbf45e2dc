package tui

import (
	"bytes"
	"fmt"
	"io"

	"vantage/model/analysis"
	"vantage/model/report"
	"vantage/model/sweep"
	"vantage/tui/layout"
)

// exportShown returns the table of the view on the screen, filtered and sorted as it is
// there, with its title.
func (a App) exportShown(format string) (title, text string, err error) {
	formats := map[string]func(io.Writer, report.Table) error{"csv": report.TableCSV, "jsonl": report.TableJSONL, "md": report.TableMarkdown}
	table := a.currentView().exported
	if table == nil {
		return "", "", fmt.Errorf("there is no table here to export")
	}
	s := table(a)
	if len(s.Rows) == 0 {
		return "", "", fmt.Errorf("the table is empty: there is nothing to export")
	}
	if a.position.view != viewCompare {
		s.Title += a.ofRun()
	}
	var b bytes.Buffer
	err = formats[format](&b, s)
	return s.Title, b.String(), err
}

// exportedPane returns the table of the focused pane.
func (a App) exportedPane() report.Table {
	switch a.panes.focus {
	case layout.Steps:
		return a.exportedSteps()
	case layout.Metrics:
		return a.exportedMetrics()
	default:
		return a.exportedGroups()
	}
}

// exportedGroups returns the groups that the filter shows, in the order of the table.
func (a App) exportedGroups() report.Table {
	x := a.result.analysis
	s := report.Table{Columns: []string{
		"step", "fate", "group", "prompt", "size", "kept_pos", "kept_neg", "kept_zero", "reward_mean", "reward_std", "flips", "note", "flip_kinds",
	}}
	if x == nil {
		return s
	}
	s.Title = "groups of " + a.scopeWords()
	if of := a.shownCount(); of != "" {
		s.Title += fmt.Sprintf(" %s · %s", of, a.activeFilter())
	}
	for _, i := range a.result.rows {
		g := &x.Table[i]
		s.Rows = append(s.Rows, []any{
			g.Step, g.Fate.Key(), g.Name, g.Preview, g.Size(), g.KeptPos, g.KeptNeg, g.KeptZero, g.RewardMean, g.RewardStd, g.Flips.Total(),
			a.noteOf(g.Step, g.Name), g.Flips.String(),
		})
	}
	return s
}

// exportedSamples returns the samples of the open group, the best first, with the values
// of every reward component.
func (a App) exportedSamples() report.Table {
	g, x := a.selectedGroup(), a.result.analysis
	s := report.Table{Columns: []string{"step", "group", "rank", "row", "reward", "length", "advantage_original", "kept", "advantage"}}
	if g == nil {
		return s
	}
	s.Title = fmt.Sprintf("samples of %s, step %d", a.promptOrName(g), g.Step)
	components := a.components()
	for _, c := range components {
		s.Columns = append(s.Columns, c.name)
	}
	for rank, i := range a.rankedSamples(g) {
		row := []any{g.Step, g.Name, rank + 1, i - g.Start + 1, x.LoggedRewards[i], int(x.Lengths[i]), x.Original[i], x.Keep[i], x.Processed[i]}
		for _, c := range components {
			row = append(row, c.values[x.InputRow[i]])
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// exportedSteps returns the computed steps, with every figure of the table and the one
// that is drawn.
func (a App) exportedSteps() report.Table {
	drawn := a.drawnMetric()
	s := report.Table{Title: "steps", Columns: []string{"step", "samples", "groups", "signal", "kept", "nonzero", "flips", "critic/score/mean", "vantage/abs_advantage_ratio"}}
	extra := drawn != "critic/score/mean" && drawn != "vantage/abs_advantage_ratio"
	if extra {
		s.Columns = append(s.Columns, drawn)
	}
	s.Columns = append(s.Columns, "note")
	if a.result.trend == nil {
		return s
	}
	for i := range a.result.trend.Steps {
		x := &a.result.trend.Steps[i]
		if x.Pending {
			continue
		}
		row := []any{x.Step, x.Rows, x.Groups, x.Signal, x.Kept, x.Nonzero, x.Flips.Total(), x.Metric("critic/score/mean"), x.Metric("vantage/abs_advantage_ratio")}
		if extra {
			row = append(row, x.Metric(drawn))
		}
		s.Rows = append(s.Rows, append(row, a.noteOf(x.Step, "")))
	}
	return s
}

// exportedSweep returns the cells of the map, with every figure.
func (a App) exportedSweep() report.Table {
	s := report.Table{Title: "keep ratios over " + a.scopeText(), Columns: []string{"keep_pos_ratio", "keep_neg_ratio", "compute_new_adv", "samples", "groups"}}
	figures := sweep.Figures()
	for _, f := range figures {
		s.Columns = append(s.Columns, f.Name)
	}
	g := a.sweep.grid
	if g == nil {
		return s
	}
	for i := range g.Pos {
		for j := range g.Neg {
			c := g.At(a.settings.now.Recompute, i, j)
			row := []any{c.KeepPos, c.KeepNeg, a.settings.now.Recompute, c.Samples, c.Groups}
			for _, f := range figures {
				row = append(row, f.Value(c))
			}
			s.Rows = append(s.Rows, row)
		}
	}
	return s
}

// exportedPairs returns the prompts that both runs have, in the order of the table.
func (a App) exportedPairs() report.Table {
	names := a.runNames()
	s := report.Table{Title: fmt.Sprintf("%s against %s, prompt by prompt", names[sideCandidate], names[sideBaseline]), Columns: []string{
		"prompt", "reward of " + names[sideBaseline], "reward of " + names[sideCandidate], "delta",
		"samples of " + names[sideBaseline], "samples of " + names[sideCandidate], "samples_compared", "same_steps",
	}}
	if a.second.job.value.result == nil {
		return s
	}
	pairs := a.second.job.value.result.Pairs
	for i := range pairs {
		p := pairs[i]
		if a.second.bestFirst {
			p = pairs[len(pairs)-1-i]
		}
		s.Rows = append(s.Rows, []any{p.Preview, p.Baseline, p.Candidate, p.Delta(), p.OfBaseline, p.OfCandidate, p.Samples, p.SameSteps})
	}
	return s
}

// exportedProblems returns the places that could not be read.
func (a App) exportedProblems() report.Table {
	s := report.Table{Title: "what could not be read", Columns: []string{"file", "line", "reason"}}
	for _, p := range a.snap.Run.Problems {
		s.Rows = append(s.Rows, []any{p.File, p.Line, p.Reason})
	}
	return s
}

// exportedMarks returns the marks with their notes.
func (a App) exportedMarks() report.Table {
	s := report.Table{Title: "marks", Columns: []string{"step", "group", "row", "prompt", "note"}}
	for _, m := range a.session.current.Marks {
		s.Rows = append(s.Rows, []any{m.Step, m.Group, m.Sample, m.Label, m.Note})
	}
	return s
}

// exportedMetrics returns the metrics of the groups that the filter shows.
func (a App) exportedMetrics() report.Table {
	s := report.Table{Title: "metrics", Columns: []string{"metric", "value"}}
	var x *analysis.Summary
	if a.result.analysis != nil {
		x = a.shownFigures()
	}
	if x == nil {
		return s
	}
	s.Title = fmt.Sprintf("metrics of %s %s", a.scopeWords(), a.shownCount())
	for _, m := range x.Metrics {
		s.Rows = append(s.Rows, []any{m.Name, m.Value})
	}
	return s
}
