package tui

import (
	"fmt"
	"strings"

	"vantage/model"
	"vantage/model/glance"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// widthForGlanceBars is the width from which the groups by fate stand beside the facts.
const widthForGlanceBars = 110

// minWorstRows is how many of the worst steps are in sight at least.
const minWorstRows = 3

// glanceView draws what the run is and what became of its samples and groups, and below the worst steps.
func (a App) glanceView(w, h int) []string {
	g := a.glance.job.value.glance
	if g == nil {
		return a.box(layout.Rect{W: w, H: h}, true, paneContent{title: " the run at a glance", lines: []string{"", " " + a.display.theme.Paint(themes.Dim, "computing all steps …")}})
	}
	facts := paneContent{title: " the run at a glance", note: glanceProgress(g)}
	room := max(1, h-minWorstRows-4) // for lines of facts
	bars := 0
	if w >= widthForGlanceBars {
		bars = min(60, w/3)
	}
	facts.lines = a.glanceFacts(g, w-bars-2, room, bars > 0)
	above := len(facts.lines) + 2
	if bars > 0 {
		fates := paneContent{title: " groups by fate", lines: a.fateBars(g, bars-3)}
		above = min(max(above, len(fates.lines)+2), room+2)
		facts.lines = joinColumns(
			a.box(layout.Rect{W: w - bars, H: above}, false, facts),
			a.box(layout.Rect{W: bars, H: above}, false, fates))
	} else {
		facts.lines = a.box(layout.Rect{W: w, H: above}, false, facts)
	}
	return append(facts.lines, a.box(layout.Rect{W: w, H: h - above}, true, a.worstSteps(g, w-2, h-above-2))...)
}

// fact is a labelled sentence of the view.
type fact struct {
	label, text string
	bars        bool // the fates of groups, a line each, where there is room, stand below
	rank        int  // facts of a higher rank go first where there is no room
}

// glanceFacts returns the facts about the run in at most h lines of w cells.
func (a App) glanceFacts(g *glance.Glance, w, h int, barsBeside bool) []string {
	facts := a.factsOf(g)
	draw := func(rank int, bars bool) []string {
		var lines []string
		for _, f := range facts {
			if f.rank > rank {
				continue
			}
			text := f.text
			if f.bars && !bars && !barsBeside {
				text += a.fatesInline(g)
			}
			lines = append(lines, a.labelledLines(f.label, text, w-1)...)
			if f.bars && bars {
				for _, line := range a.fateBars(g, w-13) {
					lines = append(lines, cells.Spaces(13)+line)
				}
			}
		}
		return lines
	}
	if lines := draw(2, true); !barsBeside && len(lines) <= h {
		return lines
	}
	for rank := 2; ; rank-- {
		lines := draw(rank, false)
		if len(lines) <= h || rank == 0 {
			return lines[:min(len(lines), h)]
		}
	}
}

// factsOf returns the facts, in the order of the screen.
func (a App) factsOf(g *glance.Glance) []fact {
	run := a.snap.Run
	what := []string{run.Format, units.Plural(g.Steps, "steps"), units.Plural(a.snap.Rows, "samples")}
	if run.Attempts.Several() {
		what = append(what, run.Attempts.String())
	}
	if text := growingSteps(g); text != "" {
		what = append(what, text)
	}
	facts := []fact{
		{"run", strings.Join(what, " · ") + " · " + a.freshnessInFull(), false, 2},
		{"numbers", a.choice().WithScale(), false, 0},
		{"samples", fmt.Sprintf("%s train (%s)", units.Fraction(g.Nonzero, g.Rows), a.nonzeroName()), false, 0},
		{"groups", fmt.Sprintf("%s carry signal, %s do not", units.Fraction(g.Signal, g.Groups), units.Count(g.Dead())), true, 0},
	}
	if a.glance.job.value.ratios != "" {
		facts = append(facts, fact{"ratios", a.glance.job.value.ratios, false, 1})
	}
	if g.Advice != "" {
		facts = append(facts, fact{"advice", g.Advice, false, 0})
	}
	return facts
}

// freshnessInFull says how fresh the log is, and when its last row was written.
func (e env) freshnessInFull() string {
	p := e.snap.Run.Progress
	text, _ := p.FreshnessText(e.sourceState.clock)
	switch {
	case e.sourceState.err != nil:
		text = "reading has stopped"
	case e.sourceState.ended:
		text = "ended"
	case p.Link.State == model.LinkLost:
		text = e.linkText()
	case !p.CaughtUp && p.BytesAll > 0:
		text = "reading " + e.loadedText()
	}
	if !p.LastWrite.IsZero() {
		text += ", last row " + e.lastWriteText()
	}
	return text
}

// fatesInline counts the dead groups by fate: " (12 all correct, 3 all wrong)".
func (e env) fatesInline(g *glance.Glance) string {
	var parts []string
	for _, c := range g.DeadFates() {
		parts = append(parts, units.Count(c.Groups)+" "+c.Fate.String())
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// The columns of a bar of groups by fate.
const (
	fateNameWidth  = 14
	fateCountWidth = 14
	maxFateBar     = 30
)

// fateBars draws a bar for those that carry signal and for each fate of the others, in lines of w cells.
func (e env) fateBars(g *glance.Glance, w int) []string {
	t := e.display.theme
	bar := max(0, min(maxFateBar, w-fateNameWidth-fateCountWidth-1))
	line := func(glyph, name string, role themes.Role, n int) string {
		share := float64(n) / float64(max(1, g.Groups))
		return t.Paint(role, cells.Fit(glyph+" "+name, fateNameWidth)) + cells.Fit(units.Fraction(n, g.Groups), fateCountWidth) + " " + chart.Meter(t, e.display.glyphs, role, share, bar)
	}
	const signal = "signal"
	lines := []string{line(e.display.glyphs.Dot, signal, themes.Good, g.Signal)}
	for _, c := range g.DeadFates() {
		lines = append(lines, line(e.fateGlyph(c.Fate), c.Fate.String(), e.fateRole(c.Fate), c.Groups))
	}
	return lines
}

// noWorstStep says why no step is listed.
func noWorstStep(g *glance.Glance) string {
	if g.Groups == 0 {
		return "no complete step yet"
	}
	return "none: every group of every step carries signal"
}

// worstSteps lists the worst steps, each with its cause, that under the cursor in full, and below them by what they
// are ordered.
func (a App) worstSteps(g *glance.Glance, w, h int) paneContent {
	c := paneContent{title: " worst steps, and why"}
	if len(g.Spans) == 0 {
		c.lines = []string{a.display.theme.Paint(themes.Dim, " "+noWorstStep(g))}
		return c
	}
	columns := worstColumnsFor(g, w)
	for i := windowTop(a.glance.cursor, len(g.Spans), h); i < len(g.Spans) && len(c.lines) < h; i++ {
		for _, line := range a.worstRow(columns, &g.Spans[i], i == a.glance.cursor, h-len(c.lines)) {
			a.addRow(&c, target{onWorstStep, i}, line, w, i == a.glance.cursor)
		}
	}
	c.note = fmt.Sprintf("%d/%d · Enter goes there", a.glance.cursor+1, len(g.Spans))
	order := a.sentenceLines("Worst first, "+glance.Order()+".", themes.Dim, w)
	if len(c.lines)+len(order) >= h {
		c.remark = "? says how they are ordered"
		return c
	}
	for len(c.lines)+len(order) < h {
		c.lines = append(c.lines, "")
	}
	c.lines = append(c.lines, order...)
	return c
}

// worstColumns is the widths of the columns of the worst steps.
type worstColumns struct {
	name, text int
	counts     bool // of the groups that carry signal
}

func worstColumnsFor(g *glance.Glance, w int) worstColumns {
	c := worstColumns{counts: w >= 90}
	for i := range g.Spans {
		c.name = max(c.name, cells.Width(g.Spans[i].Name()))
	}
	c.name = min(c.name, 15)
	c.text = w - c.name - 3
	if c.counts {
		c.text -= fateCountWidth + 8
	}
	return c
}

// worstRow returns the lines of some of the worst steps: one, or if they are whole as many as the cause takes, unless
// those are more than h.
func (e env) worstRow(c worstColumns, s *glance.Span, whole bool, h int) []string {
	t, cause := e.display.theme, sanitize.Line(s.Cause)
	text := cells.Wrap(cause, c.text)
	if !whole || len(text) > h {
		text = []string{cause}
	}
	row := " " + t.Paint(themes.Title, cells.FitRight(s.Name(), c.name)) + "  " + cells.Fit(text[0], c.text)
	if c.counts {
		row += t.Paint(themes.Dim, cells.FitRight("signal ", 8)) + cells.Fit(units.Fraction(s.Signal, s.Groups), fateCountWidth)
	}
	lines := []string{row}
	for _, more := range text[1:] {
		lines = append(lines, cells.Spaces(c.name+3)+more)
	}
	return lines
}
