// Package export writes what is exported and copied as text: the run, a table, a group, settings.
package export

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/trainer"
	"vantage/tui/env"
	"vantage/tui/view"
)

// Request is what an export asks for.
type Request struct {
	Format string // the end of its name
	Path   string // as typed; "": among the program's own files
	Shown  bool   // the table on the screen, not the run
}

// Formats are those of the run, or of the table that is shown.
func Formats(shown bool) []string {
	formats := []string{"md", "csv", "jsonl", "txt"}
	if shown {
		return formats[:3]
	}
	return formats
}

// Parse parses [shown] FORMAT [PATH], and [shown] PATH that ends in a format.
func Parse(args []string) (Request, error) {
	var r Request
	if len(args) > 0 && args[0] == "shown" {
		r.Shown, args = true, args[1:]
	}
	formats := Formats(r.Shown)
	if len(args) == 0 {
		return r, fmt.Errorf("export writes %s: give one, or a path that ends in one, such as ~/report.md",
			estimators.Alternatives(formats))
	}
	if slices.Contains(formats, args[0]) {
		r.Format, r.Path = args[0], strings.Join(args[1:], " ")
		return r, nil
	}
	r.Path = strings.Join(args, " ")
	r.Format = cmp.Or(strings.TrimPrefix(path.Ext(r.Path), "."), args[0])
	if slices.Contains(formats, r.Format) {
		return r, nil
	}
	if instead := model.Gone(":export " + r.Format); instead != "" {
		return r, errors.New(instead)
	}
	return r, fmt.Errorf("export writes %s, not %q%s", estimators.Alternatives(formats), r.Format, view.DidYouMean(r.Format, formats))
}

// Run writes the run as a report, its steps as a table, or the samples that the filter shows.
func Run(e env.Env, format string) (text string, err error) {
	switch {
	case e.Result.Trend == nil:
		return "", fmt.Errorf("nothing to export yet")
	case !e.Result.Trend.Complete():
		return "", fmt.Errorf("not all steps are computed yet: %s, try again in a moment", e.TrendProgress())
	}
	var b bytes.Buffer
	r := report.FromTrend(e.Snap, e.Result.Trend)
	r.Choice = e.Choice()
	switch format {
	case "md":
		_, err = report.Markdown(&b, r)
	case "txt":
		_, err = report.Text(&b, r)
	case "csv":
		_, err = report.CSV(&b, r)
	default: // jsonl
		var steps []model.Step
		for _, part := range e.Result.Analysis.Parts() {
			if i, found := e.Snap.Find(part.Step); found {
				steps = append(steps, e.Snap.Steps[i])
			}
		}
		shown, _ := figures.ParseQuery(e.Settings.Filter) // it was parsed when it was set
		table := &report.SampleTable{
			Snap: e.Snap.Only(steps), Settings: e.Settings.Now, Where: shown, Columns: report.UsualSampleColumns(e.Snap),
		}
		err = report.SampleJSONL(context.Background(), &b, table)
	}
	return b.String(), err
}

// Table writes a table of a view in one of its formats.
func Table(format string, t report.Table) (string, error) {
	formats := map[string]func(io.Writer, report.Table) error{
		"csv": report.TableCSV, "jsonl": report.TableJSONL, "md": report.TableMarkdown,
	}
	var b bytes.Buffer
	err := formats[format](&b, t)
	return b.String(), err
}

// GroupsTSV writes the groups that the filter shows.
func GroupsTSV(e env.Env) string {
	s := report.Table{Columns: []string{
		"fate", "group", "prompt", "size", "kept_pos", "kept_neg", "kept_zero", "reward_mean", "reward_std",
		"flips", "step",
	}}
	for _, i := range e.Result.Rows {
		g := &e.Result.Analysis.Table[i]
		s.Rows = append(s.Rows, []any{
			g.Fate, g.Name, g.Preview, g.Size(), g.KeptPos, g.KeptNeg, g.KeptZero,
			fmt.Sprintf("%.6g", g.RewardMean), fmt.Sprintf("%.6g", g.RewardStd), g.Flips.Total(), g.Step,
		})
	}
	_, untitled, _ := strings.Cut(TSV(s), "\n")
	return untitled
}

// TSV writes a table with tabs, below its title.
func TSV(s report.Table) string {
	lines := model.Mapped(s.Rows, func(row []any) string {
		return strings.Join(model.Mapped(row, func(cell any) string { return sanitize.Line(fmt.Sprint(cell)) }), "\t") + "\n"
	})
	return "# " + s.Title + "\n" + strings.Join(s.Columns, "\t") + "\n" + strings.Join(lines, "")
}

// GroupTSV writes the samples of a group.
func GroupTSV(e env.Env, g *analysis.Group) string {
	x := e.Result.Analysis
	s := report.Table{
		Title:   fmt.Sprintf("%s %s, step %d%s: %s", sanitize.Line(g.Name), sanitize.Line(g.Preview), g.Step, e.OfRun(), g.Fate),
		Columns: []string{"reward", "length", "advantage_original", "kept", "advantage"},
	}
	for i := g.Start; i < g.End; i++ {
		s.Rows = append(
			s.Rows,
			[]any{
				fmt.Sprintf("%.9g", x.LoggedRewards[i]), x.Lengths[i], fmt.Sprintf("%.9g", x.Unfiltered[i]), x.Keep[i],
				fmt.Sprintf("%.9g", x.Processed[i]),
			},
		)
	}
	return TSV(s)
}

// Flags are settings in the syntax of each trainer, that of their own first.
func Flags(set model.Settings) string {
	var b strings.Builder
	for _, d := range trainer.OwnFirst(set.Framework) {
		fmt.Fprintf(&b, "# %s\n%s\n", d.Title(), strings.Join(d.Emit(set), "\n"))
	}
	return b.String()
}
