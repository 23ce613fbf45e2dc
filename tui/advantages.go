package tui

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/fault"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
)

// heightForChartText is the height from which there is text below the chart.
const heightForChartText = 6

// heightForSummary is the height from which there is a line of more figures.
const heightForSummary = 9

// advantages draws a mirrored histogram over one axis: original advantages upwards,
// processed ones of kept samples downwards; with a baseline, its processed ones upwards. Of another
// figure it draws all samples upwards and kept ones downwards. What would be drawn twice is drawn once.
func (p panes) advantages(e env.Env, w, h int) pane.Content {
	t, width := e.Display.Theme, oddWidth(w)
	shown := p.distribution
	m := shown.charts(e, width)
	name, above, below, sides := m.words(w)
	c := pane.Content{Note: shown.binNote(m), Lines: []string{" " + momentsLine(e, above, m.upper, !m.hasFigure, w-1)}}
	if h < heightForChartText {
		if c.Title = name + shown.scaleInTitle(); !m.hasFigure {
			c = pane.Content{Title: strings.TrimSpace(c.Title + "  " + sides), Lines: []string{" " + meansLine(e, m, w-1)}}
		}
		c.Lines = append(c.Lines, shown.mirrorLines(e, m.upper, m.lower, width, h-1)...)
		return c
	}
	ruler := cells.Justify(units.Short(m.upper.Axis.Lo), units.Short(m.upper.Axis.Hi), width)
	switch {
	case !m.hasFigure:
		ruler = axisRuler(m.upper.Axis, width)
	case m.whole:
		ruler = m.upper.Axis.BarLabels(len(m.upper.Counts), width)
	}
	under := []string{" " + t.Paint(themes.Dim, ruler)}
	if m.distribution.perGroup {
		sides = ""
	} else if !m.same {
		under = append(under, " "+momentsLine(e, below, m.lower, !m.hasFigure, w-1))
	}
	if !m.hasFigure && h >= heightForSummary {
		under = append(under, " "+summaryLine(e, m.maxAbs, w-1))
	}
	c.Lines = append(append(c.Lines, shown.mirrorLines(e, m.upper, m.lower, width, h-1-len(under))...), under...)
	name = e.WithScopeWords(strings.TrimSuffix(name+" "+e.ShownCount(), " ")+shown.scaleInTitle(), w)
	c.Title = strings.TrimSpace(pane.FirstFitting(w-6, name+"  "+sides, name))
	if !m.hasFigure && c.Note == "" {
		verdict := strings.Replace(e.MatchVerdict(), "log = ", "", 1)
		estimator, equal, _ := strings.Cut(verdict, ", ")
		_, how, _ := strings.Cut(equal, " ")
		c.Note = pane.FirstFitting(w-4, e.MatchVerdict(), verdict, strings.TrimSuffix(estimator+", "+how, ", "))
	}
	return c
}

// words returns the name of what is drawn in w cells, of the upper and of the lower histogram, and of both.
func (m chartCache) words(w int) (name, above, below, sides string) {
	name, above, below, sides = "advantages", "original  ", "processed ", "original over processed"
	switch {
	case m.hasFigure:
		name, above, below, sides = m.distribution.name, "all ", "kept", "all over kept"
	case m.key.base != nil:
		above, below, sides = "A baseline ", "B candidate", "processed: baseline (A) over candidate (B)"
		if w < widthForLongTitle {
			sides = "A over B"
		}
	case w < widthForLongTitle:
		sides = ""
	}
	switch {
	case m.same && m.key.base != nil:
		sides = "B candidate is equal"
	case m.same:
		above, sides = "samples ", ""
	}
	return name, above, below, sides
}

func meansLine(e env.Env, m chartCache, w int) string {
	n, mean, _ := m.upper.Moments()
	if m.same {
		return cells.JoinFitting(w, "  ", e.Display.Theme.Paint(themes.Dim, "mean ")+units.Signed(mean), fmt.Sprintf("n %d", n))
	}
	nLower, meanLower, _ := m.lower.Moments()
	upper, lower := "orig ", "  proc "
	if m.key.base != nil {
		upper, lower = "A ", "  B "
	}
	means := e.Display.Theme.Paint(themes.Dim, "mean ") + upper + units.Signed(mean) + lower + units.Signed(meanLower)
	return cells.JoinFitting(w, "  ", means, fmt.Sprintf("n %d, %d", n, nLower))
}

// widthForLongTitle is the width from which the title says what is above and below.
const widthForLongTitle = 36

func (s distributionState) mirrorLines(e env.Env, up, down chart.Histogram, width, h int) []string {
	if s.logScale {
		up, down = up.Logarithmic(), down.Logarithmic()
	}
	return cells.Indent(" ", chart.Mirror(e.Display.Theme, e.Display.Glyphs, up, down, width, max(1, h)))
}

// momentsLine returns count, mean and std of the values of a histogram that are numbers,
// and of advantages (zeros) how many are 0, which the chart does not draw.
func momentsLine(e env.Env, name string, h chart.Histogram, zeros bool, w int) string {
	n, mean, std := h.Moments()
	t := e.Display.Theme
	dim := func(s string) string { return t.Paint(themes.Dim, s) }
	write := func(x float64) string { return units.Fixed(x, 2) }
	if h.Axis.Hi-h.Axis.Lo < 0.1 {
		write = units.Short
	}
	pieces := []string{t.Paint(themes.Title, name) + cells.FitRight(units.Count(n), 6)}
	if n > 0 {
		text := write(mean)
		if zeros {
			text = units.Signed(mean)
		}
		pieces[0] += dim(" mean ") + text
	}
	if n > 1 {
		pieces = append(pieces, dim("std ")+write(std))
	}
	if zeros && h.Zeros > 0 {
		pieces = append(pieces, dim("at 0 ")+units.Count(h.Zeros))
	}
	return cells.JoinFitting(w, " ", pieces...)
}

type namedFigure struct{ name, value string }

func summaryFigures(e env.Env, x *analysis.StepFigures, largest float64) []namedFigure {
	all := []namedFigure{
		{e.Display.NonzeroName(), units.Fraction(x.Nonzero, x.Rows)},
		{"flips", units.Count(x.Flips.Total())},
		{"max |A|", units.Fixed(largest, 2)},
		{"Σ|A|", units.Times(x.Metric("vantage/abs_advantage_ratio"))},
		{"ESS", units.Missing},
	}
	if ess := x.Metric("vantage/effective_samples"); ess == ess {
		all[len(all)-1].value = fmt.Sprintf("%s of %s", units.Short(math.Round(ess)), units.Count(x.Nonzero))
	}
	return slices.DeleteFunc(all, func(f namedFigure) bool { return !e.ShowsFilter(x) && (f.name == "flips" || f.name == "Σ|A|") })
}

// summaryLine returns the summaryFigures of the groups shown that fit.
func summaryLine(e env.Env, largest float64, w int) (line string) {
	x, t := e.ShownFigures(), e.Display.Theme
	if x == nil {
		return t.Paint(themes.Dim, "…")
	}
	for _, part := range summaryFigures(e, x, largest) {
		piece := t.Paint(themes.Dim, part.name) + " " + part.value
		if line != "" {
			piece = "  " + piece
		}
		if cells.Width(line+piece) <= w {
			line += piece
		}
	}
	return line
}

type distributionState struct {
	figure   string // the name of a distribution; "" is the advantages
	logScale bool
	bin      int // the bin whose counts are shown, from the left
	binShown bool
	cache    chartCache // what the next frame draws from
}

// distribution is the values of a figure: of all samples above the axis, of kept ones
// below it.
type distribution struct {
	name     string
	above    []float64
	below    []float64
	perGroup bool      // a value for each group shown, not for each sample
	reach    []float64 // values that the axis has room for, though none may be there
}

// distributions returns those that the step has values for, the advantages first.
func distributions(e env.Env) []distribution {
	x := e.Result.Analysis
	all := []distribution{{name: "advantages", above: x.Original, below: x.Processed}, {name: "rewards", above: x.LoggedRewards, below: x.LoggedRewards}}
	if slices.ContainsFunc(x.Lengths, func(l int32) bool { return l >= 0 }) {
		lengths := model.Mapped(x.Lengths, func(l int32) float64 {
			if l < 0 {
				return math.NaN()
			}
			return float64(l)
		})
		all = append(all, distribution{name: "lengths, " + e.Snap.Run.LengthUnit.String(), above: lengths, below: lengths})
	}
	for k, name := range e.Snap.Run.ComponentNames {
		if values := componentValues(e, k); values != nil {
			all = append(all, distribution{name: sanitize.Line(name), above: values, below: values})
		}
	}
	solved := distribution{name: "groups by samples solved", perGroup: true, reach: []float64{0, 0}}
	for _, g := range e.Result.Rows {
		if group := &x.Table[g]; group.HasSolved { // its run's rewards say it
			solved.above = append(solved.above, float64(group.Solved))
			solved.reach[1] = max(solved.reach[1], float64(group.Size()))
		}
	}
	if len(solved.above) > 0 {
		all = append(all, solved)
	}
	return all
}

// componentValues returns what reward function k gave to each sample on the screen, NaN in steps where it
// gave nothing; nil if it did in none.
func componentValues(e env.Env, k int) (values []float64) {
	if model.HoldsNames(e.Snap.Run.ComponentNames[k]) {
		return nil
	}
	at := 0
	for _, x := range e.Result.Analysis.Parts() {
		i, found := e.Snap.Find(x.Step)
		if found && k < len(e.Snap.Steps[i].Components) && len(e.Snap.Steps[i].Components[k]) >= x.Rows {
			if values == nil {
				values = slices.Repeat([]float64{math.NaN()}, e.Result.Analysis.Rows)
			}
			for j, row := range x.InputRow {
				values[at+j] = e.Snap.Steps[i].Components[k][row]
			}
		}
		at += x.Rows
	}
	return values
}

// chosen returns the distribution on the screen, or false if that is of the
// advantages, as it is where the step has no values of the chosen one.
func (s distributionState) chosen(e env.Env) (distribution, bool) {
	if s.figure == "" {
		return distribution{}, false
	}
	all := distributions(e)
	i := slices.IndexFunc(all, func(d distribution) bool { return d.name == s.figure })
	return all[max(0, i)], i > 0
}

func (p *panes) nextFigure(e env.Env) action {
	if e.Result.Analysis == nil {
		return nil
	}
	all := distributions(e)
	i := slices.IndexFunc(all, func(d distribution) bool { return d.name == p.distribution.figure })
	p.distribution.figure = ""
	if next := (max(0, i) + 1) % len(all); next > 0 {
		p.distribution.figure = all[next].name
	}
	return p.inFront(e)
}

// inFront brings the distribution into sight, which another pane may hide.
func (p *panes) inFront(env.Env) action {
	p.frontPane = layout.Advantages
	p.fullScreen = p.fullScreen && p.focus == layout.Advantages
	return nil
}

func (p *panes) toggleLogScale(e env.Env) action {
	p.distribution.logScale = !p.distribution.logScale
	return p.inFront(e)
}

// moveBin shows the counts of another bin, at first those of the middle one.
func (p *panes) moveBin(e env.Env, by int) action {
	if e.Result.Analysis == nil {
		return nil
	}
	p.inFront(e)
	bins := len(p.distribution.charts(e, p.chartWidth(e)).upper.Counts)
	if !p.distribution.binShown {
		p.distribution.binShown, p.distribution.bin = true, bins/2
		return nil
	}
	p.distribution.bin = pane.ClampIndex(p.distribution.bin+by, bins)
	return nil
}

// oddWidth returns the width of a chart in w cells with margins: odd, so that zero has a
// column.
func oddWidth(w int) int {
	w -= 2
	if w%2 == 0 {
		w--
	}
	return max(1, w)
}

// onlyShown narrows which samples are drawn to the groups that the filter shows; nil
// stands for all samples.
func onlyShown(e env.Env, drawn []bool) []bool {
	shown := e.Result.ShownSamples
	if shown == nil {
		return drawn
	}
	if drawn == nil {
		return shown
	}
	both := make([]bool, len(drawn))
	for i := range both {
		both[i] = drawn[i] && shown[i]
	}
	return both
}

func (s distributionState) scaleInTitle() string {
	if s.logScale {
		return " (log)"
	}
	return ""
}

func (s distributionState) binNote(m chartCache) string {
	if !s.binShown {
		return ""
	}
	bins := len(m.upper.Counts)
	at := pane.ClampIndex(s.bin, bins)
	lo, hi := m.upper.Axis.Edges(at, bins)
	if m.whole {
		lo, hi = m.upper.Axis.WholeBounds(at, bins)
	}
	values := units.Short(lo)
	if lo < hi {
		values += " to " + units.Short(hi)
	}
	if m.distribution.perGroup {
		return values + ": " + units.Plural(m.upper.Counts[at], "groups")
	}
	if m.same {
		return values + ": " + units.Plural(m.upper.Counts[at], "samples")
	}
	return fmt.Sprintf("%s: %s above, %s below", values, units.Count(m.upper.Counts[at]), units.Count(m.lower.Counts[at]))
}

// chartCache is what charts need from all samples of the step: computed once for each
// change of what is shown, and drawn from by every frame.
type chartCache struct {
	key          chartKey
	axis         chart.Axis   // of the dot plots
	distribution distribution // its name is empty for the advantages
	hasFigure    bool         // the distribution is another one than that of the advantages
	upper, lower chart.Histogram
	same         bool    // both were equal, so that lower has no bins
	whole        bool    // all values are whole numbers, and bins have whole bounds
	maxAbs       float64 // the largest processed |A| of the groups shown
}

// chartKey is all that a chartCache depends on.
type chartKey struct {
	analysis, base *analysis.Analysis
	shown          *bool // the first element of shownSamples: a filter makes a new slice
	figure         string
	width          int
}

func (s distributionState) charts(e env.Env, width int) chartCache {
	x := e.Result.Analysis
	key := chartKey{analysis: x, base: e.BaselineAnalysis(), figure: s.figure, width: width}
	if len(e.Result.ShownSamples) > 0 {
		key.shown = &e.Result.ShownSamples[0]
	}
	if key == s.cache.key {
		return s.cache
	}
	all, kept := onlyShown(e, nil), onlyShown(e, x.Keep)
	processed := maxAbs(x.Processed, nil)
	m := chartCache{key: key, axis: chart.SymmetricAxis(max(maxAbs(x.Original, nil), processed)), maxAbs: processed}
	if all != nil {
		m.maxAbs = maxAbs(x.Processed, kept)
	}
	axis, above := m.axis, x.Original
	m.distribution, m.hasFigure = s.chosen(e)
	switch d := m.distribution; {
	case m.hasFigure:
		var bins int
		if axis, bins, m.whole = chart.WholeAxis(append(slices.Clip(d.above), d.reach...), width); !m.whole {
			lo, hi := chart.Range(d.above)
			if lo >= hi {
				lo, hi = lo-0.5, hi+0.5
			}
			axis, bins = chart.Axis{Lo: lo, Hi: hi}, width
		}
		if d.perGroup {
			m.upper = chart.BinWithZeros(axis, bins, d.above, nil)
			return m
		}
		m.upper, m.lower = chart.BinWithZeros(axis, bins, d.above, all), chart.BinWithZeros(axis, bins, d.below, kept)
		return m.withoutTwin()
	case key.base != nil:
		above, all = key.base.Processed, onlyShown(e, key.base.Keep)
		axis = chart.SymmetricAxis(max(maxAbs(above, nil), processed))
	}
	var upper fault.Group
	upper.Go(func() { m.upper = chart.Bin(axis, width, above, all) })
	m.lower = chart.Bin(axis, width, x.Processed, kept)
	upper.Wait()
	return m.withoutTwin()
}

// withoutTwin returns the cache without a lower histogram that is equal to the upper one.
func (m chartCache) withoutTwin() chartCache {
	if m.same = reflect.DeepEqual(m.upper, m.lower); m.same {
		m.lower = chart.Histogram{}
	}
	return m
}

// maxAbs returns the largest finite |x| of those that are used, 0 if there is none; nil uses all.
func maxAbs(values []float64, use []bool) (largest float64) {
	for i, x := range values {
		if size := math.Abs(x); size > largest && size <= math.MaxFloat64 && (use == nil || use[i]) {
			largest = size
		}
	}
	return largest
}

func (p panes) chartWidth(e env.Env) int {
	return oddWidth(p.screen(e).Panes[layout.Advantages].Inner().W)
}
