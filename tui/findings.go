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
	"vantage/model/diagnosis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/job"
	"vantage/tui/layout"
	"vantage/tui/pane"
)

// restAfterLook is how many times as long as a look nothing is looked at, while a log only grows: the node that trains has other work.
const restAfterLook = 9

// updateFindings requests a look at the run when everything that was there has been read and computed, and again when other steps are
// complete. What was found before stays until then.
func (a App) updateFindings(msg tea.Msg) App {
	selected, open := a.views.glance.selection(a.env), a.env.Found(a.views.finding)
	if a.env.Findings.Job.Take(&a.commands, msg) {
		if look := a.env.Findings.Job.Value.Look; look != nil {
			a.env.Snap.Run.Progress.RowTime = look.Dated
		}
		a.views.glance.cursor, a.views.finding = a.views.glance.index(a.env, selected), 0
		if open != nil {
			a.views.finding = max(0, slices.IndexFunc(a.env.FoundList(), func(f diagnosis.Finding) bool { return f.Kind == open.Kind }))
		}
	}
	if t := a.env.Result.Trend; t == nil || !t.Complete() || a.env.IsReading() {
		return a
	}
	if a.env.Findings.Snapshots != a.work.snapshots {
		a.env.Findings.Snapshots, a.env.Findings.Steps = a.work.snapshots, hashOfSteps(a.env.Snap)
	}
	now, ofLog := a.env.Settings.Now, a.env.Session.AutoEstimator
	key := env.FindingsKey{Steps: a.env.Findings.Steps, Set: model.Settings{
		Reward: now.Reward, Weights: now.Weights, SolvedAt: now.SolvedAt, GroupBy: now.GroupBy, NumGenerations: now.NumGenerations, Proved: now.Proved,
		Framework: ofLog.Framework, Estimator: ofLog.Name, Scale: estimators.Scale(ofLog.Scale), Options: ofLog.Options, Assumed: now.Assumed,
	}}
	if !a.env.Findings.Job.Lacks(key, func(was, wanted env.FindingsKey) bool { return was.Set == wanted.Set }) {
		return a
	}
	look, snap, previous, rest := a.env.Findings.Look, a.env.Snap, a.env.Findings.Job.Value, time.Duration(0)
	if a.env.Findings.Job.Of.Set == key.Set {
		rest = restAfterLook * previous.Took
	}
	a.env.Findings.Job.Start(&a.commands, key, job.Once(func(ctx context.Context) (x env.FinishedLook, err error) {
		select {
		case <-time.After(rest):
		case <-ctx.Done():
		}
		began := time.Now()
		x.Look, err = look(ctx, snap, key.Set, previous.Look)
		x.Took = time.Since(began)
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
func healthWord(e env.Env) (full, short string) {
	t, d := e.Display.Theme, e.Diagnosis()
	switch {
	case d == nil:
		return "", ""
	case d.Alarms() > 0:
		return t.Paint(themes.Bad, "! "+d.HealthText()), t.Paint(themes.Bad, "! "+d.Findings[0].Kind.Words())
	}
	role := map[string]themes.Role{diagnosis.Healthy: themes.Good, diagnosis.Watched: themes.Warn, diagnosis.Unknown: themes.Dim}[d.Health()]
	return t.Paint(role, d.HealthText()), t.Paint(role, d.Health())
}

func severityMark(e env.Env, s diagnosis.Severity) string {
	switch s {
	case diagnosis.Alarm:
		return e.Display.Theme.Paint(themes.Bad, "!")
	case diagnosis.Over:
		return e.Display.Theme.Paint(themes.Dim, "~")
	case diagnosis.Watch:
	}
	return e.Display.Theme.Paint(themes.Warn, "~")
}

// blindLines is in how many lines at least there is room for what cannot be told; in half of the box if that is more.
const (
	blindLines  = 3
	quotedLines = 2 // of an answer
)

// findings lists what ails the run, each with a line of its evidence, that under the cursor in full; and what cannot be told.
func (s glanceState) findings(e env.Env, w, h int) pane.Content {
	t, d, c := e.Display.Theme, e.Diagnosis(), pane.Content{Title: " what ails the run"}
	switch {
	case d == nil, d.Health() == diagnosis.Unknown && e.StillLooking() != "":
		c.Lines = []string{t.Paint(themes.Dim, " "+cmp.Or(e.StillLooking(), "looking")+" …")}
		return c
	case d.Health() == diagnosis.Unknown:
		c.Lines = e.Display.CutLines(e.Display.Wrapped(" ", themes.Dim, sanitize.Line(d.HealthReason()), w-2), 2, w)
	case len(d.Findings) == 0:
		c.Lines = []string{" " + t.Paint(themes.Good, e.Display.Glyphs.Dot+" "+d.HealthText()) + "  nothing was found at " + units.Plural(d.Steps, "steps")}
	}
	notChecked := sanitize.Line(d.NotChecked())
	below := min(1+model.Count01(notChecked != ""), max(0, h-len(c.Lines)-1)) // lines of learning and of what was not checked
	for i, block := range s.findingBlocks(e, d, w, h-len(c.Lines)-below) {
		for n, line := range block {
			e.Display.AddRow(&c, pane.Target{Kind: pane.OnWorstStep, N: i}, line, w, s.cursor == i && n == 0)
		}
	}
	if n := len(d.Findings); s.cursor < n {
		c.Note = fmt.Sprintf("%d/%d · Enter opens it at step %d", s.cursor+1, n, d.Findings[s.cursor].Example.Step)
	} else if n > 0 {
		c.Note = units.Plural(n, "findings")
	}
	if len(c.Lines) < h {
		c.Lines = append(c.Lines, cells.Fit(" "+t.Paint(themes.Dim, "learning ")+sanitize.Line(d.LearningText()), w))
	}
	if notChecked != "" && len(c.Lines) < h {
		c.Lines = append(c.Lines, e.Display.CutLines(e.Display.Wrapped(" ", themes.Dim, notChecked, w-2), min(max(blindLines, h/2), h-len(c.Lines)), w)...)
	}
	return c
}

// findingBlocks returns the lines of each finding, of w cells and h together: that under the cursor is in sight, in full as far as there
// is room, and the others have a line of evidence where all have one.
func (s glanceState) findingBlocks(e env.Env, d *diagnosis.Diagnosis, w, h int) [][]string {
	t := e.Display.Theme
	kind, when := 0, 0
	for i := range d.Findings {
		f := &d.Findings[i]
		kind, when = max(kind, cells.Width(f.Kind.Words())), max(when, cells.Width(f.When()))
	}
	blocks := make([][]string, len(d.Findings))
	draw := func(evidence int) (lines int) {
		for i := range d.Findings {
			f := &d.Findings[i]
			head := " " + severityMark(e, f.Severity) + " " + t.Paint(themes.Title, cells.Fit(f.Kind.Words(), kind)) + "  " + t.Paint(themes.Dim, cells.Fit(f.When(), when)) + "  "
			text := findingText(e, f, "", w-cells.Width(head)-1, i == s.cursor)
			if len(d.Findings) == 1 || 3*cells.Width(head) > w { // the text has the whole width
				name := f.Kind.Words() + " " + f.When() + ": "
				text = findingText(e, f, name, w-4, i == s.cursor)
				rest, whole := strings.CutPrefix(text[0], name)
				if head = " " + severityMark(e, f.Severity) + " "; whole {
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
		blocks[selected] = e.Display.CutLines(blocks[selected], max(1, h-len(blocks)+1), w)
	}
	for top := range max(0, min(selected, len(blocks)-h)) {
		blocks[top] = nil
	}
	for i := range blocks {
		blocks[i] = e.Display.CutLines(blocks[i], h, w)
		h -= len(blocks[i])
	}
	return blocks
}

// findingText says what was found, behind a name, in lines of w cells: in full, or a line of it and one of its evidence.
func findingText(e env.Env, f *diagnosis.Finding, name string, w int, full bool) []string {
	t := e.Display.Theme
	dim := func(text string) []string { return e.Display.Wrapped("", themes.Dim, sanitize.Line(text), w) }
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
	if f.Advice != "" {
		lines = append(lines, cells.Wrap("→ "+sanitize.Line(f.Advice), w)...)
	}
	if f.After.Text != "" {
		for _, answer := range []string{"before, " + f.Before.String(), "after, " + f.After.String()} {
			lines = append(lines, e.Display.CutLines(dim(answer), quotedLines, w)...)
		}
	}
	for _, title := range f.Follows {
		lines = append(lines, dim("and so: "+title)...)
	}
	if cost := f.Cost.String(); cost != "" {
		lines = append(lines, dim("generated since then: "+cost)...)
	}
	return lines
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
	a.views.finding = i
	f := a.env.Found(a.views.finding)
	if f == nil {
		return a
	}
	a = a.pushView(viewFinding)
	a.env.Place.Scope.Scope = env.Scope{}
	if at, found := a.env.Snap.Find(f.Example.Step); found {
		a = a.showStep(at)
	}
	if f.Example.Group != "" {
		a.views.destination = &env.Destination{Step: f.Example.Step, Group: f.Example.Group}
	}
	return a.arrive()
}

func (a App) moveFinding(by int) App {
	n := len(a.env.FoundList())
	if n < 2 {
		return a.says("there is no other finding")
	}
	return a.showFinding((a.views.finding + by + n) % n)
}

func (a App) goToOnset() App {
	if f := a.env.Found(a.views.finding); f != nil {
		if at, found := a.env.Snap.Find(f.Since); found {
			return a.showStep(at)
		}
	}
	return a
}

func (a App) openFindingGroup() App {
	f, g := a.env.Found(a.views.finding), a.env.SelectedGroup()
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
func (p panes) finding(e env.Env, open, w, h int) []string {
	f := e.Found(open)
	if f == nil {
		return e.Display.Waiting(" finding", "this is not found any more", w, h)
	}
	text := pane.Content{Title: " " + severityMark(e, f.Severity) + " " + e.Display.Theme.Paint(themes.Title, f.Kind.Words()) + " " + f.When(), Note: fmt.Sprintf("%d/%d", open+1, len(e.FoundList()))}
	beside := w >= widthForFindingBeside
	textRect := layout.Rect{W: w}
	if beside {
		textRect.W = w * 2 / 5
	}
	text.Lines = cells.Indent(" ", findingText(e, f, "", textRect.W-4, true))
	if textRect.H = min(len(text.Lines)+2, max(4, h/2)); !beside {
		text.Lines = e.Display.CutLines(text.Lines, textRect.H-2, w-2)
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
				if more := e.Display.Wrapped(" ", themes.Dim, sentence, textRect.W-4); len(text.Lines)+1+len(more) <= textRect.H-2 {
					text.Lines = append(append(text.Lines, ""), more...)
				}
			}
		}
	}
	chartRect := layout.Rect{W: w, H: top - textRect.H}
	lines := e.Display.Box(textRect, true, text)
	if beside {
		chartRect = layout.Rect{W: w - textRect.W, H: top}
		lines = pane.JoinColumns(lines, e.Display.Box(chartRect, false, findingChart(e, f, chartRect.W-2, chartRect.H-2)))
	} else {
		lines = append(lines, e.Display.Box(chartRect, false, findingChart(e, f, chartRect.W-2, chartRect.H-2))...)
	}
	if top == h {
		return lines
	}
	rect := layout.Rect{W: w, H: h - top}
	visible := rect.Inner().H - 1
	if rect.Inner().H >= heightForCause {
		visible--
	}
	p.topRow = max(0, min(p.topRow, len(e.Result.Rows)-visible, e.Place.Row), e.Place.Row-visible+1)
	groups := p.groups(e, rect.Inner().W, rect.Inner().H)
	groups.Title = " " + groups.Title
	return append(lines, e.Display.Box(rect, false, groups)...)
}

// findingChart draws the figure of a finding over the steps: before the onset and after it, which stands on the ruler below.
func findingChart(e env.Env, f *diagnosis.Finding, w, h int) pane.Content {
	t, d := e.Display.Theme, e.Diagnosis()
	c := pane.Content{Title: " " + sanitize.Line(f.Series.Name)}
	n := min(len(f.Series.Values), len(d.Numbers))
	if n == 0 || e.Result.Trend == nil || h <= rowsBelowPlot {
		return c
	}
	onset, _ := slices.BinarySearch(d.Numbers[:n], f.Since)
	if at, found := slices.BinarySearch(d.Numbers[:n], e.Result.Analysis.Last().Step); found {
		c.Title += "  " + t.Paint(themes.Accent, units.Short(f.Series.Values[at])) + t.Paint(themes.Dim, fmt.Sprintf(" at step %d", d.Numbers[at]))
	}
	numbers := make([]float64, n)
	before, after := slices.Clone(f.Series.Values[:n]), slices.Clone(f.Series.Values[:n])
	for i := range n {
		numbers[i] = float64(d.Numbers[i])
		if i > onset {
			before[i] = math.NaN()
		}
		if i < onset {
			after[i] = math.NaN()
		}
	}
	lo, hi := trendRow{}.bounds(f.Series.Values[:n])
	y := chart.Axis{Lo: lo, Hi: hi}.Widened()
	role := themes.Bad
	if f.Severity == diagnosis.Watch {
		role = themes.Warn
	}
	shown := stepChart{width: w - valueWidth - 1, plot: chart.Plot{X: stepAxis(e), Lines: []chart.Line{
		{X: numbers, Y: after, Axis: y, Role: role},
		{X: numbers, Y: before, Axis: y, Role: themes.Accent},
		{X: []float64{float64(f.Since), float64(f.Since)}, Y: []float64{y.Lo, y.Hi}, Axis: y, Role: themes.Track, Stroke: chart.Dotted},
	}}}
	labels := y.RowLabels(h - rowsBelowPlot)
	for i, row := range shown.plot.Draw(t, e.Display.Glyphs, shown.width, h-rowsBelowPlot) {
		c.Lines = append(c.Lines, t.Paint(themes.Dim, cells.FitRight(labels[i], valueWidth-1)+" ")+row)
	}
	c.Lines = e.Display.MarkLines(pane.OnChart, shown.width, append(c.Lines, ruler(e, shown, func(mark rulerMark) { mark(f.Since, role, "!") })...))
	c.Note = fmt.Sprintf("! onset at step %d", f.Since)
	return c
}
