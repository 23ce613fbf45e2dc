package tui

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// findings is what ails the run, as far as that is known.
type findings struct {
	look lookAtRun
	job  job[findingsKey, finishedLook]

	snapshots int    // of which steps is
	steps     uint64 // see findingsKey
}

// lookAtRun looks at what ails a run, by the look before, which may be nil.
type lookAtRun func(ctx context.Context, snap model.Snapshot, set model.Settings, previous *diagnosis.Look) (*diagnosis.Look, error)

func (e env) lookAtSamples(ctx context.Context, snap model.Snapshot, set model.Settings, previous *diagnosis.Look) (*diagnosis.Look, error) {
	var how diagnosis.Reading
	if e.texts[0] != nil {
		how.Texts = analysis.ReadTextsOf(e.texts[0])
	}
	return diagnosis.See(ctx, snap, set, how, previous)
}

// finishedLook is a look with how long it took.
type finishedLook struct {
	*diagnosis.Look
	took time.Duration
}

// restAfterLook is how many times as long as a look nothing is looked at, while a log only grows: the node that trains has other work.
const restAfterLook = 9

// findingsKey is all that a look at the run depends on.
type findingsKey struct {
	steps uint64         // a hash of the complete steps
	set   model.Settings // which rewards are of which group, and the estimator of the log: none that is tried changes what ails a run
}

// diagnosis returns what ails the run, nil while that is not known.
func (e env) diagnosis() *diagnosis.Diagnosis {
	if look := e.findings.job.value; look.Look != nil {
		return look.Diagnosis
	}
	return nil
}

// answersRead are those that were read; none while nobody has looked.
func (e env) answersRead() diagnosis.Answers {
	if d := e.diagnosis(); d != nil {
		return d.Answers
	}
	return diagnosis.Answers{}
}

// isReadingAnswers reports whether answers of the run are being read for the first time.
func (e env) isReadingAnswers() bool {
	return e.texts[0] != nil && e.diagnosis() == nil && e.findings.job.busy()
}

// stillLooking says how much of the run was looked at while not all of it was; "" afterwards. Of a log that grows it counts as looked at
// while only the newest steps are missing.
func (e env) stillLooking() string {
	trend, d, n := e.result.trend, e.diagnosis(), len(e.snap.Steps)
	if n == 0 {
		return ""
	}
	upTo := func(end int) string {
		return fmt.Sprintf("steps %d to %d", e.snap.Steps[0].Number, e.snap.Steps[min(end, n)-1].Number)
	}
	doing := "looking at the run"
	if e.texts[0] != nil {
		doing = "reading answers"
	}
	done := 0
	switch {
	case d == nil && e.isReading():
		return "reading the log (" + upTo(n) + " so far)"
	case d == nil && trend != nil && !trend.Complete():
		done = n - trend.Pending
	case d == nil && !e.findings.job.busy() && trend != nil: // it could not be looked at
		return ""
	case d != nil && (!e.findings.job.busy() || 2*d.Steps >= n):
		return ""
	case d != nil: // most was not there yet
		done = d.Steps
	}
	if done == 0 {
		return doing + " (" + upTo(n) + ")"
	}
	return fmt.Sprintf("%s (%s of %d)", doing, upTo(done), e.snap.Steps[n-1].Number)
}

// foundList returns the findings, the worst first.
func (e env) foundList() []diagnosis.Finding {
	if d := e.diagnosis(); d != nil {
		return d.Findings
	}
	return nil
}

// updateFindings requests a look at the run when everything that was there has been read and computed, and again when other steps are
// complete. What was found before stays until then.
func (a App) updateFindings(msg tea.Msg) App {
	selected, open := a.glance.selection(a.env), a.found(a.finding)
	if a.findings.job.take(&a.commands, msg) {
		if look := a.findings.job.value.Look; look != nil {
			a.snap.Run.Progress.RowTime = look.Dated
		}
		a.glance.cursor, a.finding = a.glance.index(a.env, selected), 0
		if open != nil {
			a.finding = max(0, slices.IndexFunc(a.foundList(), func(f diagnosis.Finding) bool { return f.Kind == open.Kind }))
		}
	}
	if t := a.result.trend; t == nil || !t.Complete() || a.isReading() {
		return a
	}
	if a.findings.snapshots != a.work.snapshots {
		a.findings.snapshots, a.findings.steps = a.work.snapshots, hashOfSteps(a.snap)
	}
	now, ofLog := a.settings.now, a.session.autoEstimator
	key := findingsKey{a.findings.steps, model.Settings{
		Reward: now.Reward, Weights: now.Weights, SolvedAt: now.SolvedAt, GroupBy: now.GroupBy, NumGenerations: now.NumGenerations, Proved: now.Proved,
		Framework: ofLog.Framework, Estimator: ofLog.Name, Scale: estimators.Scale(ofLog.Scale), Options: ofLog.Options, Assumed: now.Assumed,
	}}
	if !a.findings.job.lacks(key, func(was, wanted findingsKey) bool { return was.set == wanted.set }) {
		return a
	}
	look, snap, previous, rest := a.findings.look, a.snap, a.findings.job.value, time.Duration(0)
	if a.findings.job.of.set == key.set {
		rest = restAfterLook * previous.took
	}
	a.findings.job.start(&a.commands, key, once(func(ctx context.Context) (x finishedLook, err error) {
		select {
		case <-time.After(rest):
		case <-ctx.Done():
		}
		began := time.Now()
		x.Look, err = look(ctx, snap, key.set, previous.Look)
		x.took = time.Since(began)
		return x, err
	}))
	return a
}

// hashOfSteps is another number whenever a complete step is new or has changed.
func hashOfSteps(snap model.Snapshot) uint64 {
	const prime = 1099511628211 // of FNV-1a, over whole numbers
	h := uint64(14695981039346656037)
	for i, s := range snap.Steps {
		if !snap.Open(i) {
			h = ((h^uint64(s.Number))*prime ^ uint64(s.Revision)) * prime
		}
	}
	return h
}

// healthWord is the state of the run in a word for the header: in full, and where there is no room for that.
func (e env) healthWord() (full, short string) {
	t, d := e.display.theme, e.diagnosis()
	switch {
	case d == nil:
		return "", ""
	case d.Alarms() > 0:
		return t.Paint(themes.Bad, "! "+d.HealthText()), t.Paint(themes.Bad, "! "+d.Findings[0].Kind.Words())
	}
	role := map[string]themes.Role{diagnosis.Healthy: themes.Good, diagnosis.Watched: themes.Warn, diagnosis.Unknown: themes.Dim}[d.Health()]
	return t.Paint(role, d.HealthText()), t.Paint(role, d.Health())
}

func (e env) severityMark(s diagnosis.Severity) string {
	switch s {
	case diagnosis.Alarm:
		return e.display.theme.Paint(themes.Bad, "!")
	case diagnosis.Over:
		return e.display.theme.Paint(themes.Dim, "~")
	case diagnosis.Watch:
	}
	return e.display.theme.Paint(themes.Warn, "~")
}

// blindLines is in how many lines at least there is room for what cannot be told; in half of the box if that is more.
const (
	blindLines  = 3
	quotedLines = 2 // of an answer
)

// findings lists what ails the run, each with a line of its evidence, that under the cursor in full; and what cannot be told.
func (s glanceState) findings(e env, w, h int) paneContent {
	t, d, c := e.display.theme, e.diagnosis(), paneContent{title: " what ails the run"}
	switch {
	case d == nil, d.Health() == diagnosis.Unknown && e.stillLooking() != "":
		c.lines = []string{t.Paint(themes.Dim, " "+cmp.Or(e.stillLooking(), "looking")+" …")}
		return c
	case d.Health() == diagnosis.Unknown:
		c.lines = e.cutLines(e.wrapped(" ", themes.Dim, sanitize.Line(d.HealthReason()), w-2), 2, w)
	case len(d.Findings) == 0:
		c.lines = []string{" " + t.Paint(themes.Good, e.display.glyphs.Dot+" "+d.HealthText()) + "  nothing was found at " + units.Plural(d.Steps, "steps")}
	}
	notChecked := sanitize.Line(d.NotChecked())
	below := min(1+model.Count01(notChecked != ""), max(0, h-len(c.lines)-1)) // lines of learning and of what was not checked
	for i, block := range s.findingBlocks(e, d, w, h-len(c.lines)-below) {
		for n, line := range block {
			e.addRow(&c, target{onWorstStep, i}, line, w, s.cursor == i && n == 0)
		}
	}
	if n := len(d.Findings); s.cursor < n {
		c.note = fmt.Sprintf("%d/%d · Enter opens it at step %d", s.cursor+1, n, d.Findings[s.cursor].Example.Step)
	} else if n > 0 {
		c.note = units.Plural(n, "findings")
	}
	if len(c.lines) < h {
		c.lines = append(c.lines, cells.Fit(" "+t.Paint(themes.Dim, "learning ")+sanitize.Line(d.LearningText()), w))
	}
	if notChecked != "" && len(c.lines) < h {
		c.lines = append(c.lines, e.cutLines(e.wrapped(" ", themes.Dim, notChecked, w-2), min(max(blindLines, h/2), h-len(c.lines)), w)...)
	}
	return c
}

// findingBlocks returns the lines of each finding, of w cells and h together: that under the cursor is in sight, in full as far as there
// is room, and the others have a line of evidence where all have one.
func (s glanceState) findingBlocks(e env, d *diagnosis.Diagnosis, w, h int) [][]string {
	t := e.display.theme
	kind, when := 0, 0
	for i := range d.Findings {
		f := &d.Findings[i]
		kind, when = max(kind, cells.Width(f.Kind.Words())), max(when, cells.Width(f.When()))
	}
	blocks := make([][]string, len(d.Findings))
	draw := func(evidence int) (lines int) {
		for i := range d.Findings {
			f := &d.Findings[i]
			head := " " + e.severityMark(f.Severity) + " " + t.Paint(themes.Title, cells.Fit(f.Kind.Words(), kind)) + "  " + t.Paint(themes.Dim, cells.Fit(f.When(), when)) + "  "
			text := e.findingText(f, "", w-cells.Width(head)-1, i == s.cursor)
			if len(d.Findings) == 1 || 3*cells.Width(head) > w { // the text has the whole width
				name := f.Kind.Words() + " " + f.When() + ": "
				text = e.findingText(f, name, w-4, i == s.cursor)
				rest, whole := strings.CutPrefix(text[0], name)
				if head = " " + e.severityMark(f.Severity) + " "; whole {
					text[0] = t.Paint(themes.Title, name) + rest
				}
			}
			if i != s.cursor {
				text = text[:min(len(text), 1+evidence)]
			}
			blocks[i] = cells.Indent(head, text)
			lines += len(text)
		}
		return lines
	}
	selected := s.cursor
	if draw(1) > h && draw(0) > h && selected < len(blocks) { // a line for each of the others
		blocks[selected] = e.cutLines(blocks[selected], max(1, h-len(blocks)+1), w)
	}
	for top := range max(0, min(selected, len(blocks)-h)) {
		blocks[top] = nil
	}
	for i := range blocks {
		blocks[i] = e.cutLines(blocks[i], h, w)
		h -= len(blocks[i])
	}
	return blocks
}

// findingText says what was found, behind a name, in lines of w cells: in full, or a line of it and one of its evidence.
func (e env) findingText(f *diagnosis.Finding, name string, w int, full bool) []string {
	t := e.display.theme
	dim := func(text string) []string { return e.wrapped("", themes.Dim, sanitize.Line(text), w) }
	if !full {
		lines := []string{cells.Truncate(name+sanitize.Line(f.Title), w)}
		if len(f.Evidence) > 0 {
			lines = append(lines, t.Paint(themes.Dim, cells.Truncate(sanitize.Line(f.Evidence[0].String()), w)))
		}
		return lines
	}
	lines := cells.Wrap(name+sanitize.Line(f.Title), w)
	for _, evidence := range f.Evidence {
		lines = append(lines, dim(evidence.String())...)
	}
	if cost := f.Cost.String(); cost != "" {
		lines = append(lines, dim("generated since then: "+cost)...)
	}
	if f.Advice != "" {
		lines = append(lines, cells.Wrap("→ "+sanitize.Line(f.Advice), w)...)
	}
	if f.After.Text != "" {
		for _, answer := range []string{"before, " + f.Before.String(), "after, " + f.After.String()} {
			lines = append(lines, e.cutLines(dim(answer), quotedLines, w)...)
		}
	}
	for _, title := range f.Follows {
		lines = append(lines, dim("and so: "+title)...)
	}
	return lines
}

// cutLines returns the first n of some lines of w cells, the last with a sign that there are more.
func (e env) cutLines(lines []string, n, w int) []string {
	if n = max(0, n); len(lines) <= n {
		return lines
	}
	if lines = lines[:n]; n > 0 {
		lines[n-1] = cells.Truncate(lines[n-1]+" …", w-1)
	}
	return lines
}

// found returns a finding by its index, nil if there is none.
func (e env) found(i int) *diagnosis.Finding {
	if all := e.foundList(); i < len(all) {
		return &all[i]
	}
	return nil
}

func findingKeys() keySection {
	return keySection{"finding", []binding{
		{[]string{"j", "down"}, "j ↓", "j k step", "next step", move(App.moveStep, 1)},
		{[]string{"k", "up"}, "k ↑", "", "previous step", move(App.moveStep, -1)},
		{[]string{"ctrl+d", "pgdown"}, "^D", "", "ten steps forward", move(App.moveStep, 10)},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "ten steps back", move(App.moveStep, -10)},
		{[]string{"g", "home"}, "g", "g onset", "to the step at which it set in", App.goToOnset},
		{[]string{"enter"}, "⏎", "Enter group", "open the group that shows it", App.openFindingGroup},
		{[]string{"w"}, "w", "w next-finding", "the next finding", move(App.moveFinding, 1)},
		{[]string{"W"}, "W", "", "the previous one", move(App.moveFinding, -1)},
		{[]string{"esc"}, "Esc", "Esc back", "back", App.escape},
	}}
}

func (a App) showFinding(i int) App {
	a.finding = i
	f := a.found(a.finding)
	if f == nil {
		return a
	}
	a = a.pushView(viewFinding)
	a.place.scope.scope = scope{}
	if at, found := a.snap.Find(f.Example.Step); found {
		a = a.showStep(at)
	}
	if f.Example.Group != "" {
		a.destination = &destination{step: f.Example.Step, group: f.Example.Group}
	}
	return a.arrive()
}

func (a App) moveFinding(by int) App {
	n := len(a.foundList())
	if n < 2 {
		return a.says("there is no other finding")
	}
	return a.showFinding((a.finding + by + n) % n)
}

func (a App) goToOnset() App {
	if f := a.found(a.finding); f != nil {
		if at, found := a.snap.Find(f.Since); found {
			return a.showStep(at)
		}
	}
	return a
}

func (a App) openFindingGroup() App {
	f, g := a.found(a.finding), a.selectedGroup()
	if f == nil || g == nil || g.Name != f.Example.Group || g.Step != f.Example.Step {
		return a.showGroups()
	}
	return a.openGroup()
}

// Sizes of the view of a finding.
const (
	widthForFindingBeside = 110 // from which the chart is beside the text
	minGroupsBelow        = 7   // lines of the groups of the step below
	maxFindingChart       = 22  // lines of the chart where there are groups
)

// finding draws what was found, its figure over the steps with the onset, and the groups of the step on the screen.
func (p panes) finding(e env, open, w, h int) []string {
	f := e.found(open)
	if f == nil {
		return e.waiting(" finding", "this is not found any more", w, h)
	}
	text := paneContent{title: " " + e.severityMark(f.Severity) + " " + e.display.theme.Paint(themes.Title, f.Kind.Words()) + " " + f.When(), note: fmt.Sprintf("%d/%d", open+1, len(e.foundList()))}
	beside := w >= widthForFindingBeside
	textRect := layout.Rect{W: w}
	if beside {
		textRect.W = w * 2 / 5
	}
	text.lines = cells.Indent(" ", e.findingText(f, "", textRect.W-4, true))
	if textRect.H = min(len(text.lines)+2, max(4, h/2)); !beside {
		text.lines = e.cutLines(text.lines, textRect.H-2, w-2)
	}
	top := h
	if beside {
		top = min(h, maxFindingChart)
		textRect.H = top
	} else if h-textRect.H > maxFindingChart {
		top = textRect.H + maxFindingChart
	}
	if h-top < minGroupsBelow {
		top = h
		if beside {
			textRect.H = h
		}
	}
	for _, k := range diagnosis.Kinds() { // where there is room, what the kind is
		if k.Name == f.Kind {
			for _, sentence := range []string{k.What, "Healthy, and looks like it: " + k.LooksLike} {
				if more := e.wrapped(" ", themes.Dim, sentence, textRect.W-4); len(text.lines)+1+len(more) <= textRect.H-2 {
					text.lines = append(append(text.lines, ""), more...)
				}
			}
		}
	}
	chartRect := layout.Rect{W: w, H: top - textRect.H}
	lines := e.box(textRect, true, text)
	if beside {
		chartRect = layout.Rect{W: w - textRect.W, H: top}
		lines = joinColumns(lines, e.box(chartRect, false, e.findingChart(f, chartRect.W-2, chartRect.H-2)))
	} else {
		lines = append(lines, e.box(chartRect, false, e.findingChart(f, chartRect.W-2, chartRect.H-2))...)
	}
	if top == h {
		return lines
	}
	rect := layout.Rect{W: w, H: h - top}
	visible := rect.Inner().H - 1
	if rect.Inner().H >= heightForCause {
		visible--
	}
	p.topRow = max(0, min(p.topRow, len(e.result.rows)-visible, e.place.row), e.place.row-visible+1)
	groups := p.groups(e, rect.Inner().W, rect.Inner().H)
	groups.title = " " + groups.title
	return append(lines, e.box(rect, false, groups)...)
}

// findingChart draws the figure of a finding over the steps, in another colour while it lasts. The onset is on the ruler below.
func (e env) findingChart(f *diagnosis.Finding, w, h int) paneContent {
	t, d := e.display.theme, e.diagnosis()
	c := paneContent{title: " " + sanitize.Line(f.Series.Name)}
	n := min(len(f.Series.Values), len(d.Numbers))
	if n == 0 || e.result.trend == nil || h <= rowsBelowPlot {
		return c
	}
	onset, _ := slices.BinarySearch(d.Numbers[:n], f.Since)
	end := n - 1
	if !f.Lasting {
		end, _ = slices.BinarySearch(d.Numbers[:n], f.Until)
	}
	if at, found := slices.BinarySearch(d.Numbers[:n], e.result.analysis.Last().Step); found {
		c.title += "  " + t.Paint(themes.Accent, units.Short(f.Series.Values[at])) + t.Paint(themes.Dim, fmt.Sprintf(" at step %d", d.Numbers[at]))
	}
	numbers := make([]float64, n)
	well, ill := slices.Clone(f.Series.Values[:n]), slices.Clone(f.Series.Values[:n])
	for i := range n {
		numbers[i] = float64(d.Numbers[i])
		if i > onset && (i < end || f.Lasting) {
			well[i] = math.NaN()
		}
		if i < onset || i > end {
			ill[i] = math.NaN()
		}
	}
	lo, hi := trendRow{}.bounds(f.Series.Values[:n])
	y := chart.Axis{Lo: lo, Hi: hi}.Widened()
	role := themes.Bad
	if f.Severity == diagnosis.Watch {
		role = themes.Warn
	}
	shown := stepChart{width: w - valueWidth - 1, plot: chart.Plot{X: e.stepAxis(), Lines: []chart.Line{
		{X: numbers, Y: ill, Axis: y, Role: role},
		{X: numbers, Y: well, Axis: y, Role: themes.Accent},
		{X: []float64{float64(f.Since), float64(f.Since)}, Y: []float64{y.Lo, y.Hi}, Axis: y, Role: themes.Track, Stroke: chart.Dotted},
	}}}
	labels := y.RowLabels(h - rowsBelowPlot)
	for i, row := range shown.plot.Draw(t, e.display.glyphs, shown.width, h-rowsBelowPlot) {
		c.lines = append(c.lines, t.Paint(themes.Dim, cells.FitRight(labels[i], valueWidth-1)+" ")+row)
	}
	c.lines = e.markLines(onChart, shown.width, append(c.lines, e.ruler(shown, func(mark rulerMark) { mark(f.Since, role, "!") })...))
	c.note = fmt.Sprintf("! onset at step %d", f.Since)
	return c
}
