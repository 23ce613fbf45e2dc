// Package glance is the view of the run at a glance: what ails it, what became of its samples and groups, and the worst steps.
package glance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/glance"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/sweep"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/baseline"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/finding"
	"vantage/tui/glossary"
	"vantage/tui/job"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/trend"
	"vantage/tui/view"
)

// View is the state of the view of the run at a glance.
type View struct {
	Job    job.Job[glanceKey, runGlance]
	Cursor int // of the findings, and the worst steps behind them

	FirstViewChosen bool // a log that does not grow has had its chance to open the view
	Opened          bool // a step of it is on the screen: Esc leads back

	Left env.Place // where the person was when a row of it was opened
}

// glanceKey is all that the run at a glance depends on.
type glanceKey struct {
	trend *analysis.Trend
	look  *diagnosis.Look // that read answers
}

// runGlance is the run at a glance.
type runGlance struct {
	Glance *glance.Glance
	ratios string // what keep ratios to set, and what that costs; "" while it is computed
}

// Rows makes the findings and the worst steps a list.
func (s *View) Rows(e env.Env) (*int, int) {
	return &s.Cursor, len(e.FoundList()) + len(s.Spans())
}

// OpenRow opens what the cursor is on.
func (*View) OpenRow(env.Env) view.Want { return view.OpenWorst{} }

// Explains returns the metrics of the rows.
func (*View) Explains(env.Env) glossary.List {
	return glossary.List{}.At(figures.Step, "samples", "train", "groups", "signal", "Σ|A|", "flips")
}

// HelpNotes says the order of the worst steps, which no column shows.
func (*View) HelpNotes(env.Env) []view.Note {
	return []view.Note{{Label: "worst steps", Text: "worst first, " + glance.Order(), Names: "order sort badness weight", First: true}}
}

// LeadsToGroups marks that its steps are those whose groups the overview has.
func (*View) LeadsToGroups() {}

// Keys of the run at a glance.
func (*View) Keys() view.Section {
	return view.Section{Name: "run at a glance", Bindings: append(view.ListKeys("j k move"),
		view.Binding{
			Keys: []string{"enter"}, Label: "⏎", Hint: "Enter open",
			Doc: "the finding under the cursor, with its metric over the steps; or the step, the first of several; Esc leads back",
			Do:  view.Ask(view.OpenWorst{}),
		},
		view.Binding{
			Keys: []string{"esc", "1"}, Label: "Esc 1", Hint: "1 groups",
			Doc: "to the groups of the step",
			Do:  view.Ask(view.ShowGroups{}),
		},
	)}
}

// Spans returns the worst steps, the worst first.
func (s View) Spans() []glance.Span {
	if g := s.Job.Value.Glance; g != nil {
		return g.Spans
	}
	return nil
}

// glanceRow is what the cursor is on; the zero value at the top.
type glanceRow struct {
	kind diagnosis.Kind
	from int64 // of the worst steps
}

// Selection returns what the cursor is on.
func (s View) Selection(e env.Env) glanceRow {
	found, spans := e.FoundList(), s.Spans()
	switch i := s.Cursor - len(found); {
	case s.Cursor == 0 || i >= len(spans):
		return glanceRow{}
	case i < 0:
		return glanceRow{kind: found[s.Cursor].Kind}
	default:
		return glanceRow{from: spans[i].From}
	}
}

// Index returns where a row is now; 0 if it is gone.
func (s View) Index(e env.Env, was glanceRow) int {
	if was == (glanceRow{}) {
		return 0
	}
	if was.kind != "" {
		return max(0, slices.IndexFunc(e.FoundList(), func(f diagnosis.Finding) bool { return f.Kind == was.kind }))
	}
	i := slices.IndexFunc(s.Spans(), func(x glance.Span) bool { return x.From <= was.from && was.from <= x.To })
	if i < 0 {
		return 0
	}
	return len(e.FoundList()) + i
}

// Work requests the run at a glance while it is on the screen, if the trend has changed or answers were read. The cursor
// stays on its step.
func (s *View) Work(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	selected := s.Selection(e)
	if s.Job.Take(c, msg) {
		s.Cursor = s.Index(e, selected)
	}
	key := glanceKey{e.Result.Trend, e.Findings.Job.Value.Look}
	if !open || key.trend == nil || !s.Job.Lacks(key, job.InTurn) {
		return
	}
	changed := key.trend != s.Job.Key.trend
	answers, snap, set, known := e.AnswersRead(), e.Snap, e.Settings.Now, s.Job.Value.ratios
	s.Job.Start(c, key, job.Once(func(ctx context.Context) (runGlance, error) {
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
	best := grid.Recommend(sweep.UsualGoal(), set.Recompute)
	if best.Cell == nil {
		return best.Reason
	}
	text := sweep.UsualGoal().Aim() + ": " + best.Cell.Sentence()
	if len(steps) < len(snap.Steps) {
		text += fmt.Sprintf(" (newest %s)", units.Plural(len(steps), "steps"))
	}
	return text
}

// Exported returns the worst steps.
func (s *View) Exported(env.Env) report.Table {
	t := report.Table{Title: "worst steps", Columns: []string{"from", "to", "cause", "groups", "signal_groups", "samples", "nonzero_samples"}}
	for _, x := range s.Spans() {
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

// Draw draws what ails the run, what it is and what became of its samples and groups, and below the worst steps.
func (s *View) Draw(e env.Env, w, h int) []string {
	return baseline.WithComparison(e, w, h, func(h int) []string { return s.view(e, w, h) })
}

func (s *View) view(e env.Env, w, h int) []string {
	g := s.Job.Value.Glance
	if g == nil {
		return e.Display.Waiting(" the run at a glance", trend.ComputingSteps, w, h)
	}
	worstRows := minWorstRows
	if len(g.Spans) == 0 && g.Pending == 0 { // a line says so
		worstRows = 1
	}
	least := worstRows + 2 + minGlanceFacts + 2 // lines of the boxes below
	lines := s.whatAils(e, w, max(2, h-least-2))
	h -= len(lines)
	facts := pane.Content{Title: " the run at a glance"}
	switch {
	case e.IsReading():
		facts.Note = "of the rows read so far"
	case g.Pending > 0:
		facts.Note = fmt.Sprintf("%d of %d steps so far", g.Steps-g.Pending, g.Steps)
	}
	room := max(1, h-worstRows-4) // for lines of facts
	bars := 0
	if w >= widthForGlanceBars {
		bars = min(60, w/3)
	}
	facts.Lines = s.facts(e, g, w-bars-2, room, bars > 0)
	above := len(facts.Lines) + 2
	if bars > 0 {
		fates := pane.Content{Title: " groups by fate", Lines: cells.Indent(" ", fateBars(e, g, bars-4))}
		above = min(max(above, len(fates.Lines)+2), room+2)
		facts.Lines = pane.JoinColumns(
			e.Display.Box(layout.Rect{W: w - bars, H: above}, false, facts),
			e.Display.Box(layout.Rect{W: bars, H: above}, false, fates))
	} else {
		facts.Lines = e.Display.Box(layout.Rect{W: w, H: above}, false, facts)
	}
	lines = append(lines, facts.Lines...)
	left, right := w, 0
	if w >= widthForGlanceSteps && len(e.Snap.Steps) > 1 {
		left = w * 11 / 20
		right = w - left
	}
	worst := e.Display.Box(layout.Rect{W: left, H: h - above}, s.Cursor >= len(e.FoundList()), s.worst(e, g, left-2, h-above-2))
	if right > 0 {
		steps := trend.Pane(e, right-2, h-above-2)
		steps.Title = " " + steps.Title
		worst = pane.JoinColumns(worst, e.Display.Box(layout.Rect{W: right, H: h - above}, false, steps))
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
func (s View) whatAils(e env.Env, w, h int) []string {
	all := e.FoundList()
	isOnFinding := s.Cursor < len(all)
	whole := s.findings(e, w-2, h)
	draw := func(w, h int, c pane.Content) []string {
		return e.Display.Box(layout.Rect{W: w, H: h + 2}, isOnFinding, c)
	}
	shown := e.Found(min(s.Cursor, len(all)-1) * model.Count01(isOnFinding))
	if shown == nil || len(shown.Series.Values) < 2 || w < widthForCurve {
		return draw(w, len(whole.Lines), whole)
	}
	left := w * 3 / 5
	text := s.findings(e, left-2, h)
	height := min(h, max(len(text.Lines), heightOfCurve))
	if height < heightForCurve {
		return draw(w, len(whole.Lines), whole)
	}
	return pane.JoinColumns(
		draw(left, height, text),
		e.Display.Box(layout.Rect{W: w - left, H: height + 2}, false, finding.Chart(e, shown, w-left-2, height)),
	)
}

// fact is a labelled sentence of the view.
type fact struct {
	label, text string
	bars        bool // the fates of groups, a line each, where there is room, stand below
	rank        int  // facts of a higher rank go first where there is no room
}

// facts returns the facts about the run in at most h lines of w cells.
func (s View) facts(e env.Env, g *glance.Glance, w, h int, barsBeside bool) []string {
	facts := s.factsOf(e, g)
	draw := func(rank int, bars bool) []string {
		var lines []string
		for _, f := range facts {
			if f.rank > rank {
				continue
			}
			text := f.text
			if fates := g.DeadFates(); f.bars && !bars && !barsBeside && len(fates) > 0 {
				text += ": " + strings.Join(
					model.Mapped(fates, func(c glance.FateCount) string { return units.Count(c.Groups) + " " + c.Fate.String() }), ", ",
				)
			}
			lines = append(lines, e.Display.LabelledLines(f.label, text, w-1)...)
			if f.bars && bars {
				lines = append(lines, cells.Indent(cells.Spaces(13), fateBars(e, g, w-13))...)
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
			return e.Display.CutLines(lines, h, w)
		}
	}
}

func (s View) factsOf(e env.Env, g *glance.Glance) []fact {
	run := e.Snap.Run
	what := []string{run.Format, units.Plural(g.Steps, "steps"), units.Plural(e.Snap.Rows, "samples")}
	if run.Attempts.Several() {
		what = append(what, run.Attempts.String())
	}
	if len(g.Open) > 0 {
		numbers := model.Mapped(g.Open, func(n int64) string { return fmt.Sprint(n) })
		what = append(what, "step "+strings.Join(numbers, ", ")+" is still being written and not judged")
	}
	do, suffix, advice := "do", "", ""
	if g.Dead() == 1 {
		do = "does"
	}
	if e.IsReading() || g.Pending > 0 {
		suffix, advice = ", so far", "so far: "
	} else if e.IsReadingAnswers() {
		advice = "so far, answers are being read: "
	}
	facts := []fact{
		{"run", strings.Join(what, " · ") + " · " + freshnessInFull(e), false, 2},
		{"numbers", e.Choice().WithScale() + suffix, false, 0},
		{"samples", g.SamplesText(), false, 0},
		{"groups", fmt.Sprintf("%s carry signal, %s %s not", units.Fraction(g.Signal, g.Groups), units.Count(g.Dead()), do), true, 0},
	}
	if text := g.UnreadText(); text != "" && advice == "" {
		facts = append(facts, fact{"answers", text, false, 2})
	}
	if s.Job.Value.ratios != "" {
		facts = append(facts, fact{"ratios", s.Job.Value.ratios, false, 1})
	}
	if d := e.Diagnosis(); g.Advice(d) != "" && d.Alarms() == 0 { // what to do about a finding stands beside it
		facts = append(facts, fact{"advice", advice + g.Advice(d), false, 0})
	}
	return facts
}

// freshnessInFull says how fresh the log is, and when its last row was written.
func freshnessInFull(e env.Env) string {
	p := e.Snap.Run.Progress
	text, _ := p.FreshnessText(e.SourceState.Clock)
	switch {
	case e.SourceState.Err != nil:
		text = "reading has stopped"
	case e.SourceState.Ended:
		text = "ended"
	case p.Link.State == model.LinkLost:
		text = e.LinkText()
	case e.IsReading():
		text = "reading " + e.LoadedText()
	}
	if !p.LastWrite.IsZero() {
		text += ", " + e.WrittenText()
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
func fateBars(e env.Env, g *glance.Glance, w int) []string {
	t := e.Display.Theme
	count := max(fateCountWidth, cells.Width(units.Fraction(g.Groups, g.Groups)))
	bar := max(0, min(maxFateBar, w-fateNameWidth-count-1))
	line := func(glyph, name string, role themes.Role, n int) string {
		share := float64(n) / float64(max(1, g.Groups))
		return t.Paint(role, cells.Fit(glyph+" "+name, fateNameWidth)) + cells.Fit(units.Fraction(n, g.Groups), count) + " " + chart.Meter(
			t, e.Display.Glyphs, role, share, bar,
		)
	}
	lines := []string{line(e.Display.Glyphs.Dot, "signal", themes.Good, g.Signal)}
	for _, c := range g.DeadFates() {
		lines = append(lines, line(e.Display.FateGlyph(c.Fate), c.Fate.String(), e.Display.FateRole(c.Fate), c.Groups))
	}
	return lines
}

// minCauseWidth is how far from the cause of worst steps their counts stand at least.
const minCauseWidth = 50

// onlyGroups lists the groups of a run of one step, the worst first, in at most h lines of w cells: there are no other steps to be worse.
func onlyGroups(e env.Env, w, h int) (lines []string) {
	x := e.Result.Analysis
	if x == nil || len(e.Snap.Steps) > 1 || h < 2 {
		return nil
	}
	lines = []string{e.Display.Theme.Paint(themes.Dim, " the groups of this step, worst first")}
	for _, f := range model.Fates() {
		for g := range x.Table {
			if x.Table[g].Fate != f || len(lines) >= h {
				continue
			}
			fate := e.Display.Theme.Paint(e.Display.FateRole(f), cells.Fit(e.Display.FateGlyph(f)+" "+f.String(), fateNameWidth+1))
			lines = append(lines, " "+fate+cells.Truncate(e.PromptOrName(&x.Table[g]), w-fateNameWidth-3))
		}
	}
	return lines
}

// noWorstSteps says why no step is bad, as far as that is known.
func noWorstSteps(e env.Env, g *glance.Glance) string {
	switch {
	case e.IsReading():
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
func (s View) worst(e env.Env, g *glance.Glance, w, h int) pane.Content {
	t, c := e.Display.Theme, pane.Content{Title: " worst steps, and why"}
	if e.IsReading() || g.Pending > 0 || e.IsReadingAnswers() {
		c.Title = " worst steps so far, and why"
	}
	if len(g.Spans) == 0 {
		c.Lines = append([]string{t.Paint(themes.Dim, " "+noWorstSteps(e, g))}, onlyGroups(e, w, h-1)...)
		return c
	}
	name, longest, counts := 0, 0, w >= 90 // there is room for those of the groups that carry signal
	count := fateCountWidth
	for i := range g.Spans {
		name, longest = min(max(name, cells.Width(g.Spans[i].Name())), 15), max(longest, cells.Width(sanitize.Line(g.Spans[i].Cause()))+2)
		count = max(count, cells.Width(units.Fraction(g.Spans[i].Groups, g.Spans[i].Groups)))
	}
	width := w - name - 3
	if counts {
		width = min(width-count-8, max(longest, minCauseWidth))
	}
	found := len(e.FoundList())
	at := s.Cursor - found
	for i := pane.WindowTop(max(0, at), len(g.Spans), h); i < len(g.Spans) && len(c.Lines) < h; i++ {
		span := &g.Spans[i]
		cause := sanitize.Line(span.Cause())
		text := []string{cause}
		if i == at { // in full, where there is room
			if whole := cells.Wrap(cause, width); len(whole) <= h-len(c.Lines) {
				text = whole
			}
		}
		row := " " + t.Paint(themes.Title, cells.FitRight(span.Name(), name)) + "  " + cells.Fit(text[0], width)
		if counts {
			row += t.Paint(themes.Dim, cells.FitRight("signal ", 8)) + cells.Fit(units.Fraction(span.Signal, span.Groups), count)
		}
		e.Display.AddRow(&c, pane.Target{Kind: pane.OnRow, N: found + i}, row, w, i == at)
		for _, more := range text[1:] {
			e.Display.AddRow(&c, pane.Target{Kind: pane.OnRow, N: found + i}, cells.Spaces(name+3)+more, w, i == at)
		}
	}
	c.Lines = append(c.Lines, onlyGroups(e, w, h-len(c.Lines)-2)...)
	if c.Note = units.Count(len(g.Spans)); at >= 0 {
		c.Note = fmt.Sprintf("%d/%d · Enter goes there", at+1, len(g.Spans))
	}
	order := e.Display.SentenceLines("Worst first, "+glance.Order()+".", themes.Dim, w)
	if len(c.Lines)+len(order) >= h {
		c.Remark = "? explains the order"
		return c
	}
	for len(c.Lines)+len(order) < h {
		c.Lines = append(c.Lines, "")
	}
	c.Lines = append(c.Lines, order...)
	return c
}
