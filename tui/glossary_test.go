package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model/figures"
	"vantage/model/report"
	"vantage/tui/header"
	"vantage/tui/overview"
	"vantage/tui/samples"
	"vantage/tui/steps"
	"vantage/tui/trend"
)

// Every figure and column that the screen shows or exports has a line in the glossary, so that it can be
// explained where it stands.
func TestFiguresOnTheScreenHaveLines(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 200, 60, filterSettings(), func(d *driver) {
		d.press("S")
		a := d.app
		notFigures := map[string]bool{"note": true, "without": true, "at": true, "0": true}
		check := func(place figures.Place, names ...string) {
			for _, name := range names {
				if _, ok := figures.Explain(place, name); !ok && !notFigures[name] {
					t.Errorf("%s: %q has no line in model/figures", place, name)
				}
			}
		}
		for _, f := range header.StepFigures(a.env) {
			check(figures.Step, f.Name)
		}
		for _, f := range overview.SummaryFigures(a.env, a.env.ShownFigures(), 1) {
			check(figures.Step, f.Name)
		}
		for _, row := range trend.Rows() {
			check(figures.Step, row.Name)
			check(figures.Metrics, row.Metric)
		}
		for _, column := range samples.SampleColumns(a.env, a.env.SelectedGroup()) {
			check(figures.Sample, column.Name)
		}
		check(figures.Step, strings.Fields(ansi.Strip(steps.Table(a.env, 198, 3).Lines[0]))...)
		head, _, _ := strings.Cut(ansi.Strip(a.views.panes.Groups(a.env, 198, 9).Lines[0]), "reward")
		check(figures.Group, strings.Fields(head+"reward")...)
		for place, table := range map[figures.Place]report.Table{
			figures.Group: overview.ExportedGroups(a.env), figures.Sample: samples.ExportedSamples(a.env),
			figures.Step: a.views.steps.Exported(a.env), figures.Sweep: a.views.sweep.Exported(a.env),
		} {
			check(place, table.Columns...)
		}
	})
}
