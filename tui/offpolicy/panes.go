package offpolicy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vantage/model"
	study "vantage/model/offpolicy"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/trend"
)

const title = " off-policy"

// Sizes: the width from which rules and sweep are side by side, and of each; the least heights of the panes below the words, and the
// widest that words are.
const (
	widthForBoth = 110
	rulesWidth   = 72
	wideRules    = 98
	leastSweep   = 70 // beside wide rules
	leastHead    = 4
	leastUpper   = 7
	leastLower   = 6
	proseWidth   = 150

	heightForCharts  = 22 // of the screen, from which the charts are above the rules where words are wide
	heightForFigures = 30 // of the screen, from which figures are a line of their own, and the rule of the run is another
)

// Draw draws the answer in words and figures, the course over the steps, the bars, the rules and the sweep of one.
func (v *View) Draw(e env.Env, w, h int) []string {
	if !v.isThere() {
		return e.Display.Waiting(title, v.without(e), w, h)
	}
	words := v.Job.Value.words(e, min(w-4, proseWidth))
	room := h - leastLower
	if fronts(e) <= frontCharts {
		room -= leastUpper
	}
	head := layout.Rect{W: w, H: min(len(words)+2, max(leastHead, room))}
	c := pane.Content{Title: v.title(e), Lines: e.Display.CutLines(words, head.H-2, w-2)}
	if e.Display.H < heightForFigures {
		c.Remark = cells.JoinFitting(w-8, "  ", v.Job.Value.figures(e)...)
	}
	lines := e.Display.Box(head, false, c)
	rest := layout.Rect{W: w, H: h - head.H}
	upper := max(leastUpper, min(rest.H*2/5, 16))
	switch front := v.front % fronts(e); {
	case front == frontSweep:
		return append(lines, e.Display.Box(rest, true, v.sweep(e, w-2, rest.H-2))...)
	case front == frontCharts:
		return append(lines, v.charts(e, rest)...)
	case fronts(e) == frontCharts+1:
		return append(lines, e.Display.Box(rest, true, v.rules(e, w-2, rest.H-2))...)
	}
	lines = append(lines, v.charts(e, layout.Rect{W: w, H: upper})...)
	rest.H -= upper
	if w < widthForBoth {
		return append(lines, e.Display.Box(rest, true, v.rules(e, w-2, rest.H-2))...)
	}
	width := rulesWidth
	if w >= wideRules+leastSweep {
		width = wideRules
	}
	left, right := layout.Beside(rest, width)
	return append(lines, pane.JoinColumns(
		e.Display.Box(left, true, v.rules(e, left.W-2, rest.H-2)), e.Display.Box(right, false, v.sweep(e, right.W-2, rest.H-2)),
	)...)
}

// charts draws the course and the bars, side by side.
func (v *View) charts(e env.Env, r layout.Rect) []string {
	left, right := layout.Beside(r, r.W*11/20)
	return pane.JoinColumns(
		e.Display.Box(left, false, v.course(e, left.W-2, r.H-2)), e.Display.Box(right, false, v.bars(e, right.W-2, r.H-2)),
	)
}

// What is in front where there is no room for all.
const (
	frontRules = iota
	frontSweep
	frontCharts
)

// fronts is how many of these there are.
func fronts(e env.Env) int {
	switch {
	case e.Display.H < heightForCharts || e.Display.W < widthForBoth && e.Display.H < heightForFigures:
		return frontCharts + 1
	case e.Display.W < widthForBoth:
		return frontSweep + 1
	}
	return frontRules + 1
}

// without says why there is nothing to draw.
func (v *View) without(e env.Env) string {
	how := study.HowToLog(e.Snap.Run.Framework)
	switch err := v.Job.Err; {
	case e.Tokens.Reader == nil:
		return "This source has no log-probs of tokens: open the log's own file or folder."
	case errors.Is(err, study.ErrNone):
		return "This log does not show how off-policy its samples are, because no log-probs of tokens are in it: " + how + "."
	case err != nil:
		return err.Error()
	case v.Job.Value == nil && e.IsReading():
		return "reading the log …"
	case v.Job.Value == nil && e.Snap.Run.Progress.BytesAll > 0:
		return "reading the log-probs of the tokens in " + units.Bytes(e.Snap.Run.Progress.BytesAll) + " …"
	case v.Job.Value == nil:
		return "reading the log-probs of the tokens …"
	}
	return v.Job.Value.best.Text + " It takes both: " + how + "."
}

func (v *View) title(e env.Env) string {
	t := &v.Job.Value.Total
	much := fmt.Sprintf("  %s in %s, %s",
		units.Plural(t.Rows, "samples"), units.Plural(len(v.Job.Value.steps), "steps"), units.Plural(t.Tokens, "tokens"))
	text := pane.WithRoom(title, much, e.Display.W)
	text = pane.WithRoom(text, " · d = trainer − sampler, in nats", e.Display.W)
	switch {
	case v.Job.Value.isPart:
		text += fmt.Sprintf(", %s so far", units.Fraction(len(v.Job.Value.steps), len(e.Snap.Steps)))
	case v.Job.Busy():
		text += " …"
	}
	return text
}

// words are the cause, the answer, the rule of the run and the figures of all rows, in lines of w cells.
func (a *answer) words(e env.Env, w int) (lines []string) {
	t := e.Display.Theme
	sentence := func(head, text string) {
		for i, line := range cells.Wrap(plain(e, head+text), w) {
			if rest, ok := strings.CutPrefix(line, head); ok && i == 0 {
				line = t.Paint(themes.Title, head) + rest
			}
			lines = append(lines, " "+line)
		}
	}
	verdict := string(a.cause.Verdict)
	switch a.cause.Verdict {
	case study.Neither:
		verdict = "neither engine nor staleness"
	case study.Unknown:
		verdict = "engine or staleness cannot be told"
	case study.Engine, study.Stale, study.Both:
	}
	sentence(verdict, ": "+a.cause.Why)
	sentence("", a.best.Text)
	if e.Display.H < heightForFigures {
		return lines
	}
	rule := a.force.By
	if a.force.Trial != nil {
		rule = a.force.Trial.Name() + ", " + a.force.By
	}
	lines = append(lines, " "+cells.JoinFitting(w, "   ", a.figures(e)...))
	return append(lines, " "+cells.Truncate(t.Paint(themes.Dim, "the run's rule ")+plain(e, rule), w))
}

// figures are those of all rows, the most telling first.
func (a *answer) figures(e env.Env) []string {
	figure := func(name, text string) string { return e.Display.Theme.Paint(themes.Dim, name) + " " + text }
	t := &a.Total
	all := []string{
		figure("mean |d|", study.Nats(t.MeanAbs())), figure("k3", study.Nats(t.K3())), figure("ESS", study.Share(t.EffectiveShare())),
		figure("top 1", study.Share(t.Top)), figure("unscored", units.Count(t.Unscored)),
	}
	if lag := t.Lag(); lag == lag {
		all = append(all, figure("lag", study.Nats(lag)))
	}
	return all
}

// plain is a text of a rule as the terminal can show it.
func plain(e env.Env, text string) string {
	if e.Display.Glyphs.ASCII {
		text = strings.NewReplacer("≤", "<=", "≥", ">=", "ρ", "ratio", "δ", "delta", "∞", "inf").Replace(text)
	}
	return sanitize.Line(text)
}

// figureOfCourse is a figure over the steps.
type figureOfCourse struct {
	name    string
	of      func(*study.Tally) float64
	text    func(float64) string
	isWorse func(a, b float64) bool
	ofRow   func(study.RowFigures) float64 // largest of the row that is worst by it
}

func figuresOfCourse() []figureOfCourse {
	more := func(a, b float64) bool { return a > b }
	less := func(a, b float64) bool { return a < b }
	apart := func(f study.RowFigures) float64 { return float64(f.MeanAbs) }
	return []figureOfCourse{
		{"mean |d|", (*study.Tally).MeanAbs, study.Nats, more, apart},
		{"k3", (*study.Tally).K3, study.Nats, more, apart},
		{"ESS", (*study.Tally).EffectiveShare, study.Share, less, study.RowFigures.Weight},
		{"top 1", func(t *study.Tally) float64 { return t.Top }, study.Share, more, study.RowFigures.Weight},
		{"lag", (*study.Tally).Lag, study.Nats, more, apart},
	}
}

// labelWidth is that of the labels at the left of a chart.
const labelWidth = 9

// onset is the finding of log-probs that sets in after the first step; nil: none does.
func (v *View) onset(e env.Env) (since int64, title string, found bool) {
	for _, f := range e.FoundList() {
		if f.Kind.OfLogProbs() && f.Since > int64(v.Job.Value.steps[0].First) {
			return f.Since, f.Title, true
		}
	}
	return 0, "", false
}

// course draws a figure over the steps, with the step on the screen and where a finding sets in.
func (v *View) course(e env.Env, w, h int) pane.Content {
	t, a, f := e.Display.Theme, v.Job.Value, figuresOfCourse()[v.figure]
	c := pane.Content{Title: " " + f.name + " over the steps"}
	line := chart.Line{Role: themes.Accent, Spread: true}
	for i := range a.steps {
		line.X, line.Y = append(line.X, float64(a.steps[i].First)), append(line.Y, f.of(&a.steps[i].Tally))
	}
	x := chart.Axis{Lo: line.X[0], Hi: line.X[len(line.X)-1]}
	lo, hi := chart.Range(line.Y)
	switch {
	case !slices.ContainsFunc(line.Y, units.IsFinite[float64]):
		c.Lines = e.Display.SentenceLines("no step has a "+f.name+": the log has no versions of the policies that sampled", themes.Dim, w)
		return c
	case len(line.X) == 1:
		c.Lines = []string{fmt.Sprintf(" %s at step %d, the only one", f.text(line.Y[0]), a.steps[0].First)}
		return c
	case lo > 0 && lo < hi/2:
		lo = 0
	}
	line.Axis = chart.Axis{Lo: lo, Hi: hi}.Widened()
	plot, width := max(1, h-2), max(1, w-labelWidth-1)
	c.Lines = labelled(e, line.Axis, f.text, chart.Plot{X: x, Lines: []chart.Line{line}}.Draw(t, e.Display.Glyphs, width, plot))
	ruler := newRuler(e, width)
	ruler.mark(x.PlotColumn(float64(e.Place.Step), width), themes.Accent, e.Display.Glyphs.Dot)
	if since, title, found := v.onset(e); found {
		ruler.mark(x.PlotColumn(float64(since), width), themes.Warn, "!")
		c.Remark = fmt.Sprintf("! step %d: %s", since, title)
	}
	c.Lines = append(c.Lines, trend.AxisCorner(e, labelWidth)+ruler.String(),
		cells.Spaces(labelWidth)+t.Paint(themes.Dim, x.StepLabels(width)))
	return c
}

// labelled puts the ends of an axis, and its middle, before the rows of a plot.
func labelled(e env.Env, axis chart.Axis, text func(float64) string, rows []string) []string {
	const heightForMiddle = 5
	labels := make([]string, len(rows))
	if len(rows) >= heightForMiddle {
		labels[len(rows)/2] = text(axis.Lo/2 + axis.Hi/2)
	}
	labels[len(rows)-1] = text(axis.Lo)
	labels[0] = text(axis.Hi)
	for i := range rows {
		rows[i] = trend.AxisLabel(e, labels[i], labelWidth) + rows[i]
	}
	return rows
}

// ruler is the line below a plot.
type ruler struct {
	env.Env
	marks []string
}

func newRuler(e env.Env, w int) ruler {
	r := ruler{e, make([]string, w)}
	for i := range r.marks {
		r.marks[i] = e.Display.Theme.Paint(themes.Track, e.Display.Glyphs.Horizontal)
	}
	return r
}

func (r ruler) mark(column int, role themes.Role, glyph string) {
	r.marks[pane.ClampIndex(column, len(r.marks))] = r.Display.Theme.Paint(role, glyph)
}

func (r ruler) String() string { return strings.Join(r.marks, "") }

// division is what the bars divide the rows by.
type division struct {
	name, unit string
	parts      []part
}

type part struct {
	name    string
	meanAbs float64
	n       int
}

// divisions are those that a log has, the most telling first: there is always that by probability.
func divisions(s *study.Study) (all []division) {
	if len(s.Lags) > 0 {
		all = append(all, division{"lag", "samples", model.Mapped(s.Lags, func(l study.Lag) part {
			return part{fmt.Sprint(l.Versions), l.MeanAbs(), l.Compared}
		})})
	}
	var tenths []part
	for i, p := range s.Tenths {
		tenths = append(tenths, part{fmt.Sprintf("%.1f–%.1f", float64(i)/10, float64(i+1)/10), p.MeanAbs(), p.Tokens})
	}
	all = append(all, division{"probability", "tokens", tenths})
	if s.Signs[0].Compared+s.Signs[2].Compared > 0 {
		of := func(i int, name string) part { return part{name, s.Signs[i].MeanAbs(), s.Signs[i].Compared} }
		all = append(all, division{"sign of A", "samples", []part{of(0, "A < 0"), of(1, "A = 0"), of(2, "A > 0")}})
	}
	return all
}

// bars draws mean |d| of each part of the rows.
func (v *View) bars(e env.Env, w, h int) pane.Content {
	t, all := e.Display.Theme, v.Job.Value.groups
	d := all[pane.ClampIndex(v.by, len(all))]
	c := pane.Content{Title: " mean |d| by " + d.name}
	const name, value, count = 9, 9, 8
	room := max(3, w-name-value-count-1)
	c.Lines = []string{t.Paint(themes.Dim, cells.Fit("", name+room)+cells.FitRight("mean |d|", value)+cells.FitRight(d.unit, count))}
	most := 0.0
	for _, p := range d.parts {
		if p.meanAbs > most {
			most = p.meanAbs
		}
	}
	shown := d.parts[:min(len(d.parts), max(0, h-1))]
	for _, p := range shown {
		fraction := 0.0
		if p.n > 0 && most > 0 {
			fraction = p.meanAbs / most
		}
		c.Lines = append(c.Lines, " "+cells.Fit(p.name, name-1)+chart.Meter(t, e.Display.Glyphs, themes.Accent, fraction, room)+
			cells.FitRight(study.Nats(p.meanAbs), value)+t.Paint(themes.Dim, cells.FitRight(units.Count(p.n), count)))
	}
	if left := len(d.parts) - len(shown); left > 0 {
		c.Note = fmt.Sprintf("%d more", left)
	}
	return c
}
