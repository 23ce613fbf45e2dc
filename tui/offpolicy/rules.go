package offpolicy

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	study "vantage/model/offpolicy"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/pane"
	"vantage/tui/trend"
)

// column is one of the table of rules.
type column struct {
	name  string
	width int
	text  func(*study.Trial) string
}

// columns are those that a table of w cells has.
func columns(w int) []column {
	all := []column{
		{"tokens", 7, func(t *study.Trial) string { return study.Share(float64(t.TokensKept) / float64(t.Tokens)) }},
		{"rows", 7, func(t *study.Trial) string { return study.Share(float64(t.RowsKept) / float64(t.Rows)) }},
		{"emptied", 8, func(t *study.Trial) string {
			if t.Groups == 0 {
				return study.Share(study.Mass{}.Share())
			}
			return strconv.Itoa(t.Emptied)
		}},
		{"Σ|A|", 7, func(t *study.Trial) string { return study.Share(t.Mass().Share()) }},
	}
	if w < widthForRows {
		all = append(all[:1], all[3])
	}
	if w >= wideRules-2 {
		all = append(all,
			column{"A > 0", 7, func(t *study.Trial) string { return study.Share(t.Positive.Share()) }},
			column{"A < 0", 7, func(t *study.Trial) string { return study.Share(t.Negative.Share()) }})
	}
	return append(all, column{"ESS", 7, func(t *study.Trial) string { return study.Share(t.Effective()) }})
}

// widthForRows is that of a table from which it has what a rule does to rows and groups.
const widthForRows = 64

// marksWidth is that of the marks behind the name of a rule.
const marksWidth = 4

// rules lists all rules at their trainers' bounds, and what each keeps.
func (v *View) rules(e env.Env, w, h int) pane.Content {
	t, a := e.Display.Theme, v.Job.Value
	all := columns(w)
	name := w - 1
	for _, c := range all {
		name -= c.width
	}
	head := cells.Fit(" what each rule keeps", name)
	for _, c := range all {
		head += cells.FitRight(c.name, c.width)
	}
	c := pane.Content{Title: " rules at their trainers' bounds", Lines: []string{t.Paint(themes.Dim, head)}}
	e.Display.AddRows(&c, pane.OnRow, v.cursor, len(a.tried), w, h, func(i int) string {
		x := a.tried[i].Trial
		line := " " + cells.Fit(x.Name(), name-1-marksWidth)
		if reason := x.Reason(); reason != "" {
			return line + t.Paint(themes.Dim, " "+sanitize.Line(reason))
		}
		line += cells.Fit(a.marks(e, x), marksWidth)
		for _, c := range all {
			line += cells.FitRight(c.text(x), c.width)
		}
		return line
	})
	c.Remark = cells.JoinFitting(w-14, "  ", runMark(e)+" the run's", "* off by default", "~ first update only", "! fails at a step")
	return c
}

// runMark is that of the rule of the run.
func runMark(e env.Env) string {
	if e.Display.Glyphs.ASCII {
		return "="
	}
	return "◆"
}

// marks say what is special about a rule.
func (a *answer) marks(e env.Env, t *study.Trial) string {
	marks := ""
	if own := a.force.Trial; own != nil && own.Name() == t.Name() {
		marks += runMark(e)
	}
	if t.Options != "" {
		marks += "*"
	}
	if t.Inexact && t.Reason() == "" {
		marks += "~"
	}
	if t.Fails != "" {
		marks += "!"
	}
	return " " + marks
}

// curve is a share over the bounds of a sweep.
type curve struct {
	name   string
	of     func(*study.Trial) float64
	role   themes.Role
	stroke chart.Stroke
}

func curves() []curve {
	return []curve{
		{"ESS", (*study.Trial).Effective, themes.Accent, chart.Solid},
		{"tokens", func(t *study.Trial) float64 { return float64(t.TokensKept) / float64(t.Tokens) }, themes.Plain, chart.Dotted},
		{"Σ|A|", func(t *study.Trial) float64 { return t.Mass().Share() }, themes.Good, chart.DashDotted},
	}
}

// bounds are the points of a sweep that have numbers, the narrow ones first.
type bounds struct {
	points []*study.Trial
	marks  []mark // the most telling first
	others []mark // bounds of other trainers, the smallest first
}

// mark is a point that says something.
type mark struct {
	at    float64 // among the points
	glyph string
	role  themes.Role
	text  string
}

func (v *View) boundsOf(e env.Env, x study.Tried) (b bounds) {
	best := v.Job.Value.best.Trial
	for _, p := range x.Sweep {
		if p.Reason() != "" {
			continue
		}
		at := float64(len(b.points))
		b.points = append(b.points, p)
		if p.IsUsual {
			b.marks = append(b.marks, mark{at, e.Display.Glyphs.Dot, themes.Accent, "its trainer's " + p.Bound})
		}
		if isBest := best != nil && (p == best || p.IsUsual && best == x.Trial); isBest {
			b.marks = append(b.marks, mark{at, pane.StarMark, themes.Good, "keeps most"})
		}
	}
	if len(b.points) == 0 {
		return b
	}
	letter := 'a'
	for _, m := range x.Elsewhere(b.points) {
		if m.At != m.At {
			continue
		}
		other := mark{m.At, "", themes.Title, m.Text()}
		for _, own := range b.marks {
			if math.Abs(own.at-m.At) < 1e-6 {
				other.glyph = own.glyph // which is on top
			}
		}
		if other.glyph == "" {
			other.glyph = string(letter)
			letter++
		}
		b.others = append(b.others, other)
	}
	return b
}

// sweep draws what is kept by other bounds of the rule under the cursor.
func (v *View) sweep(e env.Env, w, h int) pane.Content {
	t, x := e.Display.Theme, v.Job.Value.tried[v.cursor]
	c := pane.Content{Title: pane.WithRoom(" sweep: "+x.Name(), ", "+x.Moves(), w)}
	b := v.boundsOf(e, x)
	if len(b.points) < 2 {
		why := cmp.Or(x.Reason(), "it has no bound that moves")
		c.Lines = e.Display.SentenceLines(x.Name()+": "+why, themes.Dim, w)
		return c
	}
	plot := chart.Plot{X: chart.Axis{Hi: float64(len(b.points) - 1)}}
	var all []float64
	legend := "kept:"
	for _, k := range curves() {
		line := chart.Line{Role: k.role, Stroke: k.stroke}
		for i, p := range b.points {
			line.X, line.Y = append(line.X, float64(i)), append(line.Y, k.of(p))
		}
		if slices.ContainsFunc(line.Y, units.IsFinite[float64]) {
			plot.Lines, all = append(plot.Lines, line), append(all, line.Y...)
			legend += " " + t.Paint(k.role, e.Display.Glyphs.Sample(k.stroke)) + " " + k.name + " "
		}
	}
	lo, hi := chart.Range(all)
	y := chart.Axis{Lo: lo, Hi: hi}.Widened()
	for i := range plot.Lines {
		plot.Lines[i].Axis = y
	}
	width := max(1, w-labelWidth-1)
	others := b.otherLines(t, w-1, h/4)
	c.Lines = labelled(e, y, study.Share, plot.Draw(t, e.Display.Glyphs, width, max(1, h-3-len(others))))
	c.Lines = append(append(append(c.Lines, b.axis(e, plot.X, width)...), " "+legend), others...)
	c.Remark = strings.Join(model.Mapped(b.marks, func(m mark) string { return m.glyph + " " + m.text }), "  ")
	return c
}

// otherLines name the bounds of other trainers, in at most so many lines of w cells.
func (b bounds) otherLines(t *themes.Theme, w, most int) (lines []string) {
	if len(b.others) == 0 || most == 0 {
		return nil
	}
	text := strings.Join(model.Mapped(b.others, func(m mark) string { return m.glyph + " " + m.text }), "  ")
	lines = cells.Wrap("elsewhere: "+text, w)
	if len(lines) > most {
		lines = append(lines[:most-1], cells.Truncate(strings.Join(lines[most-1:], " "), w))
	}
	for i := range lines {
		lines[i] = " " + t.Paint(themes.Dim, lines[i])
	}
	return lines
}

// axis is the ruler of a sweep and the bounds below it: those that are marked, those at the ends, and others as there is room.
func (b bounds) axis(e env.Env, x chart.Axis, w int) []string {
	r := newRuler(e, w)
	var at []float64
	var texts []string
	put := func(i int) { at, texts = append(at, float64(i)), append(texts, b.points[i].Bound) }
	for _, m := range b.others {
		r.mark(x.PlotColumn(m.at, w), m.role, m.glyph)
	}
	for _, m := range b.marks {
		r.mark(x.PlotColumn(m.at, w), m.role, m.glyph)
		put(int(m.at))
	}
	put(0)
	put(len(b.points) - 1)
	for i := range b.points {
		put(i)
	}
	labels := e.Display.Theme.Paint(themes.Dim, x.TextLabels(at, texts, w))
	return []string{trend.AxisCorner(e, labelWidth) + r.String(), cells.Spaces(labelWidth) + labels}
}
