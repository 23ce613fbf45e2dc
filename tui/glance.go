package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/glance"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/sweep"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// glanceState is the state of the view of the run at a glance.
type glanceState struct {
	job    job[glanceKey, runGlance]
	cursor int // of the findings, and the worst steps behind them

	firstViewChosen bool // a log that does not grow has had its chance to open the view
	opened          bool // a step of it is on the screen: Esc leads back
}

// glanceKey is all that the run at a glance depends on.
type glanceKey struct {
	trend *analysis.Trend
	look  *diagnosis.Look // that read answers
}

// runGlance is the run at a glance.
type runGlance struct {
	glance *glance.Glance
	ratios string // what keep ratios to set, and what that costs; "" while it is computed
}

func glanceKeys() keySection {
	return keySection{"run at a glance", append(listKeys("j k move", onWorstStep),
		binding{[]string{"enter"}, "⏎", "Enter open", "the finding under the cursor, with its metric over the steps; or the step, the first of several; Esc leads back", App.openWorstStep},
		binding{[]string{"esc", "1"}, "Esc 1", "1 groups", "to the groups of the step", App.showGroups},
	)}
}

func (a App) openGlance() App {
	a.views.glance.opened = false
	if a.position.view == viewGlance {
		a.overlays.notice = "this is the run at a glance: 1 shows the groups of the step, Enter opens the row under the cursor"
		return a
	}
	return a.pushView(viewGlance)
}

// spans returns the worst steps, the worst first.
func (s glanceState) spans() []glance.Span {
	if g := s.job.value.glance; g != nil {
		return g.Spans
	}
	return nil
}

// glanceRow is what the cursor is on; the zero value at the top.
type glanceRow struct {
	kind diagnosis.Kind
	from int64 // of the worst steps
}

func (s glanceState) selection(e env) glanceRow {
	found, spans := e.foundList(), s.spans()
	switch i := s.cursor - len(found); {
	case s.cursor == 0 || i >= len(spans):
		return glanceRow{}
	case i < 0:
		return glanceRow{kind: found[s.cursor].Kind}
	default:
		return glanceRow{from: spans[i].From}
	}
}

func (s glanceState) index(e env, was glanceRow) int {
	if was == (glanceRow{}) {
		return 0
	}
	if was.kind != "" {
		return max(0, slices.IndexFunc(e.foundList(), func(f diagnosis.Finding) bool { return f.Kind == was.kind }))
	}
	i := slices.IndexFunc(s.spans(), func(x glance.Span) bool { return x.From <= was.from && was.from <= x.To })
	if i < 0 {
		return 0
	}
	return len(e.foundList()) + i
}

func (a App) openWorstStep() App {
	at, spans := a.views.glance.cursor-len(a.env.foundList()), a.views.glance.spans()
	switch {
	case at < 0:
		return a.showFinding(a.views.glance.cursor)
	case at >= len(spans):
		return a.showGroups()
	}
	step := spans[at].From
	if a.env.place.scope.kind != scopeStep { // each step has few groups: those of all of these steps, and of no others
		step = spans[at].To
		a.env.place.scope.scope = scope{kind: scopeLast, last: spans[at].Last - spans[at].First + 1}
	}
	i, found := a.env.snap.Find(step)
	if !found {
		return a
	}
	a = a.showGroups()
	a.views.glance.opened = true
	return a.showStep(i)
}

// keysBelowGlance returns the keys that the run at a glance has besides its own: those of the overview and of
// steps lead to the overview and do there what they do.
func keysBelowGlance() []keySection {
	sections := append([]keySection{overviewKeys()}, commonKeys()...)
	for _, s := range sections {
		if s.name != "overview" && s.name != "steps" {
			continue
		}
		for i, b := range s.bindings {
			s.bindings[i].hint, s.bindings[i].action = "", func(a App) App { return b.action(a.showGroups()) }
		}
	}
	return sections
}

// chooseFirstView opens the run at a glance if the log does not grow, once it is known: nothing was written
// for longer than between two steps, or the source has ended. What the person opened or typed before stays.
func (a App) chooseFirstView() App {
	p := a.env.snap.Run.Progress
	if a.views.glance.firstViewChosen || len(a.env.snap.Steps) == 0 || !a.env.sourceState.ended && !p.CaughtUp && p.BytesAll == 0 {
		return a
	}
	a.views.glance.firstViewChosen = true
	grows := !a.env.sourceState.ended && p.Freshness(a.env.sourceState.lastChunk) == model.Live
	if !grows && a.position.view == viewOverview {
		a.position.view = viewGlance
	}
	return a
}

// update requests the run at a glance while it is on the screen, if the trend has changed or answers were read. The cursor
// stays on its step.
func (s *glanceState) update(e env, open bool, c *commands, msg tea.Msg) {
	selected := s.selection(e)
	if s.job.take(c, msg) {
		s.cursor = s.index(e, selected)
	}
	key := glanceKey{e.result.trend, e.findings.job.value.Look}
	if !open || key.trend == nil || !s.job.lacks(key, inTurn) {
		return
	}
	changed := key.trend != s.job.key.trend
	answers, snap, set, known := e.answersRead(), e.snap, e.settings.now, s.job.value.ratios
	s.job.start(c, key, once(func(ctx context.Context) (runGlance, error) {
		x := runGlance{glance.Of(key.trend, answers, snap.Run), known}
		if changed && key.trend.Complete() {
			x.ratios = ratiosToSet(ctx, snap, set)
		}
		return x, nil
	}))
}

// maxRatioSamples bounds the newest steps that say which keep ratios to set.
const maxRatioSamples = 1 << 16

// ratiosToSet says which keep ratios suit the usual goal on the newest steps, and what they cost; "" if that
// is not known.
func ratiosToSet(ctx context.Context, snap model.Snapshot, set model.Settings) string {
	entry, err := set.FindEstimator()
	if err != nil || !entry.TrainerFilters {
		return ""
	}
	var steps []int
	for i, samples := len(snap.Steps)-1, 0; i >= 0 && (samples == 0 || samples+len(snap.Steps[i].Rewards) <= maxRatioSamples); i-- {
		if !snap.Open(i) {
			steps, samples = append(steps, i), samples+len(snap.Steps[i].Rewards)
		}
	}
	grid, err := sweep.Run(ctx, snap, steps, set, sweep.DefaultRatios())
	if err != nil {
		return ""
	}
	best := grid.Recommend(sweep.DefaultGoal(), set.Recompute)
	if best.Cell == nil {
		return best.Reason
	}
	text := "best for signal: " + best.Cell.Sentence()
	if len(steps) < len(snap.Steps) {
		text += fmt.Sprintf(" (newest %d steps)", len(steps))
	}
	return text
}

func (s glanceState) exported() report.Table {
	t := report.Table{Title: "worst steps", Columns: []string{"from", "to", "cause", "groups", "signal_groups", "samples", "nonzero_samples"}}
	for _, x := range s.spans() {
		t.Rows = append(t.Rows, []any{x.From, x.To, x.Cause(), x.Groups, x.Signal, x.Rows, x.Nonzero})
	}
	return t
}

// widthForGlanceBars is the width from which the groups by fate stand beside the facts.
const widthForGlanceBars = 110

// widthForGlanceSteps is the width from which the metrics over all steps are beside the worst steps.
const widthForGlanceSteps = 180

// How many of the worst steps and of the facts are in sight at least.
const minWorstRows, minGlanceFacts = 3, 4

// view draws what ails the run, what it is and what became of its samples and groups, and below the worst steps.
func (s glanceState) view(e env, w, h int) []string {
	g := s.job.value.glance
	if g == nil {
		return e.display.waiting(" the run at a glance", computingSteps, w, h)
	}
	least := minWorstRows + 2 + minGlanceFacts + 2 // lines of the boxes below
	lines := s.whatAils(e, w, max(2, h-least-2))
	h -= len(lines)
	facts := paneContent{title: " the run at a glance"}
	switch {
	case e.isReading():
		facts.note = "of the rows read so far"
	case g.Pending > 0:
		facts.note = fmt.Sprintf("%d of %d steps so far", g.Steps-g.Pending, g.Steps)
	}
	room := max(1, h-minWorstRows-4) // for lines of facts
	bars := 0
	if w >= widthForGlanceBars {
		bars = min(60, w/3)
	}
	facts.lines = s.facts(e, g, w-bars-2, room, bars > 0)
	above := len(facts.lines) + 2
	if bars > 0 {
		fates := paneContent{title: " groups by fate", lines: cells.Indent(" ", e.fateBars(g, bars-4))}
		above = min(max(above, len(fates.lines)+2), room+2)
		facts.lines = joinColumns(
			e.display.box(layout.Rect{W: w - bars, H: above}, false, facts),
			e.display.box(layout.Rect{W: bars, H: above}, false, fates))
	} else {
		facts.lines = e.display.box(layout.Rect{W: w, H: above}, false, facts)
	}
	lines = append(lines, facts.lines...)
	left, right := w, 0
	if w >= widthForGlanceSteps && len(e.snap.Steps) > 1 {
		left = w * 11 / 20
		right = w - left
	}
	worst := e.display.box(layout.Rect{W: left, H: h - above}, s.cursor >= len(e.foundList()), s.worst(e, g, left-2, h-above-2))
	if right > 0 {
		steps := e.paneSteps(right-2, h-above-2)
		steps.title = " " + steps.title
		worst = joinColumns(worst, e.display.box(layout.Rect{W: right, H: h - above}, false, steps))
	}
	return append(lines, worst...)
}

// Sizes of the curve of a finding next to its text.
const (
	widthForCurve  = 110
	heightOfCurve  = 9 // lines at least, if there is room
	heightForCurve = 6
)

// whatAils draws the findings, in at most h lines, and next to them the curve of that under the cursor, with its onset.
func (s glanceState) whatAils(e env, w, h int) []string {
	all := e.foundList()
	isOnFinding := s.cursor < len(all)
	whole := s.findings(e, w-2, h)
	draw := func(w, h int, c paneContent) []string {
		return e.display.box(layout.Rect{W: w, H: h + 2}, isOnFinding, c)
	}
	shown := e.found(min(s.cursor, len(all)-1) * model.Count01(isOnFinding))
	if shown == nil || len(shown.Series.Values) < 2 || w < widthForCurve {
		return draw(w, len(whole.lines), whole)
	}
	left := w * 3 / 5
	text := s.findings(e, left-2, h)
	height := min(h, max(len(text.lines), heightOfCurve))
	if height < heightForCurve {
		return draw(w, len(whole.lines), whole)
	}
	return joinColumns(draw(left, height, text), e.display.box(layout.Rect{W: w - left, H: height + 2}, false, e.findingChart(shown, w-left-2, height)))
}

// fact is a labelled sentence of the view.
type fact struct {
	label, text string
	bars        bool // the fates of groups, a line each, where there is room, stand below
	rank        int  // facts of a higher rank go first where there is no room
}

// facts returns the facts about the run in at most h lines of w cells.
func (s glanceState) facts(e env, g *glance.Glance, w, h int, barsBeside bool) []string {
	facts := s.factsOf(e, g)
	draw := func(rank int, bars bool) []string {
		var lines []string
		for _, f := range facts {
			if f.rank > rank {
				continue
			}
			text := f.text
			if fates := g.DeadFates(); f.bars && !bars && !barsBeside && len(fates) > 0 {
				text += ": " + strings.Join(model.Mapped(fates, func(c glance.FateCount) string { return units.Count(c.Groups) + " " + c.Fate.String() }), ", ")
			}
			lines = append(lines, e.display.labelledLines(f.label, text, w-1)...)
			if f.bars && bars {
				lines = append(lines, cells.Indent(cells.Spaces(13), e.fateBars(g, w-13))...)
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
			return e.display.cutLines(lines, h, w)
		}
	}
}

func (s glanceState) factsOf(e env, g *glance.Glance) []fact {
	run := e.snap.Run
	what := []string{run.Format, units.Plural(g.Steps, "steps"), units.Plural(e.snap.Rows, "samples")}
	if run.Attempts.Several() {
		what = append(what, run.Attempts.String())
	}
	if len(g.Open) > 0 {
		what = append(what, "step "+strings.Join(model.Mapped(g.Open, func(n int64) string { return fmt.Sprint(n) }), ", ")+" is still being written and not judged")
	}
	do, suffix, advice := "do", "", ""
	if g.Dead() == 1 {
		do = "does"
	}
	if e.isReading() || g.Pending > 0 {
		suffix, advice = ", so far", "so far: "
	} else if e.isReadingAnswers() {
		advice = "so far, answers are being read: "
	}
	facts := []fact{
		{"run", strings.Join(what, " · ") + " · " + e.freshnessInFull(), false, 2},
		{"numbers", e.choice().WithScale() + suffix, false, 0},
		{"samples", g.SamplesText(), false, 0},
		{"groups", fmt.Sprintf("%s carry signal, %s %s not", units.Fraction(g.Signal, g.Groups), units.Count(g.Dead()), do), true, 0},
	}
	if text := g.UnreadText(); text != "" && advice == "" {
		facts = append(facts, fact{"answers", text, false, 2})
	}
	if s.job.value.ratios != "" {
		facts = append(facts, fact{"ratios", s.job.value.ratios, false, 1})
	}
	if d := e.diagnosis(); g.Advice(d) != "" && d.Alarms() == 0 { // what to do about a finding stands beside it
		facts = append(facts, fact{"advice", advice + g.Advice(d), false, 0})
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
	case e.isReading():
		text = "reading " + e.loadedText()
	}
	if !p.LastWrite.IsZero() {
		text += ", " + e.writtenText()
	}
	return text
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
	count := max(fateCountWidth, cells.Width(units.Fraction(g.Groups, g.Groups)))
	bar := max(0, min(maxFateBar, w-fateNameWidth-count-1))
	line := func(glyph, name string, role themes.Role, n int) string {
		share := float64(n) / float64(max(1, g.Groups))
		return t.Paint(role, cells.Fit(glyph+" "+name, fateNameWidth)) + cells.Fit(units.Fraction(n, g.Groups), count) + " " + chart.Meter(t, e.display.glyphs, role, share, bar)
	}
	lines := []string{line(e.display.glyphs.Dot, "signal", themes.Good, g.Signal)}
	for _, c := range g.DeadFates() {
		lines = append(lines, line(e.display.fateGlyph(c.Fate), c.Fate.String(), e.display.fateRole(c.Fate), c.Groups))
	}
	return lines
}

// minCauseWidth is how far from the cause of worst steps their counts stand at least.
const minCauseWidth = 50

// onlyGroups lists the groups of a run of one step, the worst first, in at most h lines of w cells: there are no other steps to be worse.
func (e env) onlyGroups(w, h int) (lines []string) {
	x := e.result.analysis
	if x == nil || len(e.snap.Steps) > 1 || h < 2 {
		return nil
	}
	lines = []string{""}
	for _, f := range model.Fates() {
		for g := range x.Table {
			if x.Table[g].Fate != f || len(lines) >= h {
				continue
			}
			lines = append(lines, " "+e.display.theme.Paint(e.display.fateRole(f), cells.Fit(e.display.fateGlyph(f)+" "+f.String(), fateNameWidth+1))+cells.Truncate(e.promptOrName(&x.Table[g]), w-fateNameWidth-3))
		}
	}
	return lines
}

// noWorstSteps says why no step is bad, as far as that is known.
func (e env) noWorstSteps(g *glance.Glance) string {
	switch {
	case e.isReading():
		return "none in the rows read so far"
	case g.Pending > 0:
		return fmt.Sprintf("none in the first %d of %d steps", g.Steps-g.Pending, g.Steps)
	case g.Groups == 0:
		return "no complete step yet"
	}
	return "none: every group of every step carries signal"
}

// worst lists the worst steps, each with its cause, that under the cursor in full, and below them by what they
// are ordered.
func (s glanceState) worst(e env, g *glance.Glance, w, h int) paneContent {
	t, c := e.display.theme, paneContent{title: " worst steps, and why"}
	if e.isReading() || g.Pending > 0 || e.isReadingAnswers() {
		c.title = " worst steps so far, and why"
	}
	if len(g.Spans) == 0 {
		c.lines = append([]string{t.Paint(themes.Dim, " "+e.noWorstSteps(g))}, e.onlyGroups(w, h-1)...)
		return c
	}
	name, longest, counts := 0, 0, w >= 90 // there is room for those of the groups that carry signal
	for i := range g.Spans {
		name, longest = min(max(name, cells.Width(g.Spans[i].Name())), 15), max(longest, cells.Width(sanitize.Line(g.Spans[i].Cause()))+2)
	}
	width := w - name - 3
	if counts {
		width = min(width-fateCountWidth-8, max(longest, minCauseWidth))
	}
	found := len(e.foundList())
	at := s.cursor - found
	for i := windowTop(max(0, at), len(g.Spans), h); i < len(g.Spans) && len(c.lines) < h; i++ {
		span := &g.Spans[i]
		cause := sanitize.Line(span.Cause())
		text := []string{cause}
		if i == at { // in full, where there is room
			if whole := cells.Wrap(cause, width); len(whole) <= h-len(c.lines) {
				text = whole
			}
		}
		row := " " + t.Paint(themes.Title, cells.FitRight(span.Name(), name)) + "  " + cells.Fit(text[0], width)
		if counts {
			row += t.Paint(themes.Dim, cells.FitRight("signal ", 8)) + cells.Fit(units.Fraction(span.Signal, span.Groups), fateCountWidth)
		}
		e.display.addRow(&c, target{onWorstStep, found + i}, row, w, i == at)
		for _, more := range text[1:] {
			e.display.addRow(&c, target{onWorstStep, found + i}, cells.Spaces(name+3)+more, w, i == at)
		}
	}
	c.lines = append(c.lines, e.onlyGroups(w, h-len(c.lines)-2)...)
	if c.note = units.Count(len(g.Spans)); at >= 0 {
		c.note = fmt.Sprintf("%d/%d · Enter goes there", at+1, len(g.Spans))
	}
	order := e.display.sentenceLines("Worst first, "+glance.Order()+".", themes.Dim, w)
	if len(c.lines)+len(order) >= h {
		c.remark = "? explains the order"
		return c
	}
	for len(c.lines)+len(order) < h {
		c.lines = append(c.lines, "")
	}
	c.lines = append(c.lines, order...)
	return c
}
