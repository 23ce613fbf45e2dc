package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// stepsState is what the view of all steps shows.
type stepsState struct {
	metric string // the figure that is drawn; "" is the first
	second string // drawn beside it; "" is none
}

func stepsKeys() section {
	return section{"steps", []binding{
		{[]string{"j", "down"}, "j ↓", "j k step", "one step on", App.stepOn},
		{[]string{"k", "up"}, "k ↑", "", "one step back", App.stepBack},
		{[]string{"ctrl+d", "pgdown"}, "^D", "", "ten steps on", App.stepOnTen},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "ten steps back", App.stepBackTen},
		{[]string{"g", "home"}, "g", "", "to the first step", App.firstStep},
		{[]string{"G", "end"}, "G", "", "to the newest, and follow it", App.followNewest},
		{[]string{"v"}, "v", "v figure", "draw the next figure", App.nextMetric},
		{[]string{"V"}, "V", "", "draw the previous figure", App.previousMetric},
		{[]string{"a"}, "a", "a second", "keep the figure as a second line; again: without", App.pinMetric},
		{[]string{"w"}, "w", "w onset", "to the next step where a warning appears first", App.nextOnset},
		{[]string{"enter", "esc"}, "⏎ Esc", "Esc back", "to the groups of the step", App.escape},
	}}
}

// openSteps shows all steps under the settings.
func (a App) openSteps() (App, tea.Cmd) { return a.open(viewSteps) }

// enter opens what the focused pane is about.
func (a App) enterPane() (App, tea.Cmd) {
	switch a.place.focus {
	case layout.Steps:
		return a.openSteps()
	case layout.Warnings:
		return a.openProblems()
	default:
		return a.openGroup()
	}
}

func (a App) firstStep() (App, tea.Cmd) { return a.goBy(-len(a.snap.Steps)) }

func (a App) nextMetric() (App, tea.Cmd)     { return a.metricBy(1), nil }
func (a App) previousMetric() (App, tea.Cmd) { return a.metricBy(-1), nil }

// metricNames are the figures of the step: those of the pane first.
func (a App) metricNames() []string {
	var names []string
	for _, row := range trendRows() {
		names = append(names, row.metric)
	}
	if a.result.analysis != nil {
		for _, m := range a.result.analysis.Metrics {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

func (a App) metricBy(by int) App {
	names := a.metricNames()
	at := max(0, slices.Index(names, a.place.steps.metric))
	a.place.steps.metric = names[(at+by+len(names))%len(names)]
	return a
}

func (a App) pinMetric() (App, tea.Cmd) {
	if a.place.steps.second != "" {
		a.place.steps.second = ""
		return a, nil
	}
	a.place.steps.second = a.drawnMetric()
	return a.metricBy(1), nil
}

func (a App) drawnMetric() string {
	if a.place.steps.metric == "" {
		return a.metricNames()[0]
	}
	return a.place.steps.metric
}

// onset is the first step at which a kind of warning appears.
type onset struct {
	kind model.WarningKind
	at   int // index of the trend's steps
}

// onsets are the first steps of all kinds of warnings, in the order of the steps.
func (a App) onsets() []onset {
	if a.result.trend == nil {
		return nil
	}
	seen := map[model.WarningKind]bool{}
	var all []onset
	for i := range a.result.trend.Steps {
		for _, w := range a.result.trend.Steps[i].Warnings {
			if !seen[w.Kind] {
				seen[w.Kind] = true
				all = append(all, onset{w.Kind, i})
			}
		}
	}
	return all
}

// nextOnset goes to the next step where a warning appears first, around the end.
func (a App) nextOnset() (App, tea.Cmd) {
	all := a.onsets()
	if len(all) == 0 {
		a.notice = "no warnings at any step"
		return a, nil
	}
	here, to := a.trendIndex(), all[0]
	for _, o := range all {
		if o.at > here {
			to = o
			break
		}
	}
	step := a.result.trend.Steps[to.at].Step
	a.notice = fmt.Sprintf("%s: first at step %d", to.kind, step)
	i, _ := a.snap.Find(step)
	return a.goTo(i)
}

// stepsView is a figure over all steps, and the table of them.
func (a App) stepsView(w, h int) []string {
	if a.result.trend == nil {
		return a.box(layout.Rect{W: w, H: h}, true, content{title: " steps", lines: []string{"", " " + a.look.theme.Paint(themes.Dim, "computing all steps …")}})
	}
	above := max(5, min(h/3, 16))
	return append(a.box(layout.Rect{W: w, H: above}, false, a.stepsChart(w-2, above-2)),
		a.box(layout.Rect{W: w, H: h - above}, true, a.stepsTable(w-2, h-above-2))...)
}

func (a App) stepsChart(w, h int) content {
	t, name := a.look.theme, a.drawnMetric()
	first, last := a.trendBounds()
	c := content{title: fmt.Sprintf(" %s  steps %d – %d", name, first, last)}
	wide := w - 2*valueRoom
	draw := func(name string, role themes.Role, h int) {
		values := a.series(name)
		lo, hi := trendRow{metric: name}.bounds(values)
		for i, line := range chart.Trend(t, a.look.glyphs, role, values, lo, hi, wide, h) {
			left, right := "", ""
			switch i {
			case 0:
				left = units.Short(hi)
			case h - 1:
				left = units.Short(lo)
			}
			if i == h/2 && a.trendIndex() >= 0 {
				right = units.Short(a.result.analysis.Metric(name))
			}
			c.lines = append(c.lines, t.Paint(themes.Dim, cells.Right(left, valueRoom-1)+" ")+line+t.Paint(themes.Dim, cells.Right(right, valueRoom-1)+" "))
		}
	}
	room := h - 1
	if second := a.place.steps.second; second != "" && h >= 7 {
		c.title += "  and " + second
		draw(name, themes.Accent, room-room/2)
		draw(second, themes.Positive, room/2)
	} else {
		draw(name, themes.Accent, room)
	}
	c.lines = append(c.lines, t.Paint(themes.Dim, cells.Blank(valueRoom))+a.stepsRuler(wide))
	return c
}

// stepsRuler marks the step on the screen, and where warnings appear first.
func (a App) stepsRuler(w int) string {
	t, n := a.look.theme, len(a.result.trend.Steps)
	marks := make([]string, w)
	for i := range marks {
		marks[i] = t.Paint(themes.Track, a.look.glyphs.Rule)
	}
	column := func(i int) int {
		if n < 2 {
			return 0
		}
		return i * (w - 1) / (n - 1)
	}
	for _, o := range a.onsets() {
		marks[column(o.at)] = t.Paint(themes.Warn, "!")
	}
	if i := a.trendIndex(); i >= 0 {
		marks[column(i)] = t.Paint(themes.Accent, a.look.glyphs.Kept)
	}
	return strings.Join(marks, "")
}

// stepsTable has a row per step, around the one on the screen.
func (a App) stepsTable(w, h int) content {
	t, steps := a.look.theme, a.result.trend.Steps
	lines := []string{t.Paint(themes.Dim, stepColumns(w, "step", "samples", "groups", "reward", "signal", "kept", "Σ|A|", "flips")+"what needs a look")}
	here := max(0, a.trendIndex())
	top := max(0, min(here-(h-1)/2, len(steps)-(h-1)))
	first := map[int][]string{}
	for _, o := range a.onsets() {
		first[o.at] = append(first[o.at], string(o.kind))
	}
	for i := top; i < len(steps) && len(lines) < h; i++ {
		s := &steps[i]
		line := stepColumns(w, fmt.Sprint(s.Step), units.Count(s.Rows), units.Count(s.Groups), units.Short(s.Metric("critic/score/mean")),
			units.Fraction(s.Signal, s.Groups), units.Fraction(s.Kept, s.Rows), units.Times(s.Metric("vantage/abs_advantage_ratio")), units.Count(s.Flips))
		if names := first[i]; len(names) > 0 {
			line += t.Paint(themes.Warn, "! first "+strings.Join(names, ", ")+"  ")
		}
		line += a.stepWorries(s)
		line = cells.Fit(line, w)
		if i == here {
			line = t.Over(themes.Cursor, line)
		}
		lines = append(lines, line)
	}
	return content{title: fmt.Sprintf(" all steps  %s", units.Count(len(steps))), note: fmt.Sprintf("%d/%d", here+1, len(steps)), lines: lines}
}

// stepColumns sets the columns of a step; a narrow table does without the sizes.
func stepColumns(w int, step, samples, groups, reward, signal, kept, abs, flips string) string {
	line := cells.Right(step, 8)
	if w >= 110 {
		line += cells.Right(samples, 9) + cells.Right(groups, 8)
	}
	line += cells.Right(reward, 8) + "  " + cells.Fit(signal, 14)
	if w >= 76 {
		line += cells.Fit(kept, 18)
	}
	return line + cells.Right(abs, 7) + cells.Right(flips, 6) + "  "
}

// stepWorries names the fates of a step that a person would want to know of.
func (a App) stepWorries(s *model.Summary) string {
	if s.Open {
		return a.look.theme.Paint(themes.Warn, "still growing")
	}
	var parts []string
	for _, f := range model.Fates() {
		if n := s.Fates[f]; n > 0 && f != model.FateAlive {
			parts = append(parts, a.look.theme.Paint(a.fateRole(f), fmt.Sprintf("%d %s", n, f)))
		}
	}
	return strings.Join(parts, " ")
}

// goTo goes to a step by its index in the snapshot.
func (a App) goTo(i int) (App, tea.Cmd) {
	i = int(math.Max(0, math.Min(float64(i), float64(len(a.snap.Steps)-1))))
	a.place.follow = false
	a.place.step = a.snap.Steps[i].Number
	return a.request()
}
