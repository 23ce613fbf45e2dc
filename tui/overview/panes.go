// Package overview draws the panes that the program shows first: groups, advantages, steps, warnings and metrics.
package overview

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model/figures"
	"vantage/model/report"
	"vantage/themes"
	"vantage/tui/baseline"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/trend"
)

// Panes is where in the panes the person is.
type Panes struct {
	TopRow       int // the first row of groups in sight
	Focus        layout.Pane
	FullScreen   bool              // the focused pane has the place of all
	FrontPane    layout.Pane       // of panes that share a rectangle, the one in sight
	Warning      int               // the selected line of the warnings
	Metric       int               // index of the metric under the cursor
	MetricScroll int               // the first row of metrics in sight
	FilterDraft  string            // the filter while it is typed
	Distribution DistributionState // of the pane of distributions
}

// Screen returns where the panes are.
func (p Panes) Screen(e env.Env) layout.Screen {
	held := layout.Held{Groups: 2, OneStep: len(e.Snap.Steps) == 1}
	if x := e.Result.Analysis; x != nil { // of the cursor it does not depend: no border moves with it
		held.Groups += x.Groups + 4 + (x.Rows+x.Groups-1)/max(1, x.Groups)
	}
	s, below := layout.NewScreen(e.Display.W, e.Display.H, p.FrontPane, held), baseline.ComparisonHeight(e)
	if below > 0 && !s.TooSmall {
		s = layout.Arrange(e.Display.W, e.Display.H-below, p.FrontPane, held)
	}
	if p.FullScreen {
		s = s.Only(p.Focus)
	}
	return s
}

// Draw draws the overview.
func (p *Panes) Draw(e env.Env, w, h int) []string {
	return baseline.WithComparison(e, w, h, func(h int) []string { return p.drawnIn(e, h) })
}

// Prepare makes the histograms of all samples.
func (p *Panes) Prepare(e env.Env, _, _ int) {
	p.Distribution.Cache = p.Distribution.charts(e, p.chartWidth(e))
}

// Exported returns the table of the focused pane.
func (p *Panes) Exported(e env.Env) report.Table {
	if p.Focus == layout.Metrics {
		return exportedMetrics(e)
	}
	return ExportedGroups(e)
}

// drawnIn returns all panes that are in sight, in h lines.
func (p Panes) drawnIn(e env.Env, h int) []string {
	s := p.Screen(e)
	var shown []layout.Pane
	for i, rect := range s.Panes {
		if !rect.Empty() {
			shown = append(shown, layout.Pane(i))
		}
	}
	slices.SortStableFunc(shown, func(a, b layout.Pane) int { return s.Panes[a].X - s.Panes[b].X })
	lines := make([]string, h)
	for _, pane := range shown {
		for i, line := range p.DrawPane(e, pane, s.Panes[pane]) {
			lines[s.Panes[pane].Y-s.Header.H+i] += line
		}
	}
	return lines
}

// DrawPane draws a pane in its rectangle.
func (p Panes) DrawPane(e env.Env, which layout.Pane, r layout.Rect) []string {
	in := r.Inner()
	c := paneTable()[which].draw(p, e, in.W, in.H)
	number := fmt.Sprintf(" %d ", which+1)
	if p.Focus == which {
		number = ">" + number[1:] // the colour of the frame is not the only sign
	}
	c.Title = e.Display.Theme.Paint(themes.Key, number) + cells.Truncate(c.Title, max(0, in.W-5))
	c.Target = pane.Target{Kind: pane.OnPane, N: int(which)}
	return e.Display.Box(r, p.Focus == which, c)
}

// FiguresOfGroup returns the figures of the group under the cursor.
func (p Panes) FiguresOfGroup(e env.Env) (l glossary.List) {
	if g := e.SelectedGroup(); g != nil {
		l = l.At(figures.Fates, g.Fate.String())
	}
	return l.At(figures.Group, "kept", "reward", "n", "prompt", "fate")
}

func (p Panes) figuresOfWarnings(e env.Env) (l glossary.List) {
	all := WarningLines(e)
	for i := range all {
		l = l.At(figures.Warning, string(all[(p.Warning+i)%len(all)].kind))
	}
	return l
}

func (p Panes) figuresOfMetrics(e env.Env) (l glossary.List) {
	if x := e.ShownFigures(); x != nil {
		rows := trend.List(x.Metrics)
		for _, row := range rows[pane.ClampIndex(p.Metric, len(rows)):] {
			l = l.At(figures.Metrics, row.Metric.Name)
		}
	}
	return l
}

func (p Panes) figuresOfHistogram(e env.Env) glossary.List {
	if d, ok := p.Distribution.chosen(e); ok {
		name, _, _ := strings.Cut(d.Name, ",")
		l := glossary.List{}.At(figures.Sample, strings.TrimSuffix(name, "s"))
		return l.At(figures.Step, "std")
	}
	names := []string{"original", "processed"}
	if e.Settings.Base.On {
		names = []string{"A baseline", "B candidate"}
	}
	return glossary.List{}.At(figures.Step, append(names, "std", "at 0", "train", "flips", "max |A|", "Σ|A|", "effective")...)
}

// overviewPane is a part of the overview.
type overviewPane struct {
	draw    func(p Panes, e env.Env, w, h int) pane.Content
	figures func(Panes, env.Env) glossary.List // under its cursor, for the help
}

func paneTable() [layout.PaneCount]overviewPane {
	return [layout.PaneCount]overviewPane{
		layout.Groups:     {draw: Panes.Groups, figures: Panes.FiguresOfGroup},
		layout.Advantages: {draw: Panes.advantages, figures: Panes.figuresOfHistogram},
		layout.Steps:      {draw: Panes.steps, figures: Panes.figuresOfSteps},
		layout.Warnings:   {draw: Panes.warnings, figures: Panes.figuresOfWarnings},
		layout.Metrics:    {draw: Panes.Metrics, figures: Panes.figuresOfMetrics},
	}
}

// Explains returns the figures of the row that has the cursor in the focused pane.
func (p Panes) Explains(e env.Env) glossary.List { return paneTable()[p.Focus].figures(p, e) }

func (Panes) steps(e env.Env, w, h int) pane.Content { return trend.Pane(e, w, h) }

func (p Panes) figuresOfSteps(env.Env) (l glossary.List) {
	for _, row := range trend.Rows() {
		l = l.At(figures.Step, row.Name)
	}
	return l
}
