package overview

import (
	"fmt"
	"math"
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
	"vantage/tui/mirror"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// heightForChartText is the height from which there is text below the chart.
const heightForChartText = 6

// heightForSummary is the height from which there is a line of more figures.
const heightForSummary = 9

// advantages draws a mirrored histogram over one axis: unfiltered advantages upwards,
// processed ones of kept samples downwards; with a baseline, its processed ones upwards. Of another
// figure it draws all samples upwards and kept ones downwards. What would be drawn twice is drawn once.
func (p Panes) advantages(e env.Env, w, h int) pane.Content {
	width := mirror.OddWidth(w)
	shown := p.Distribution
	m := shown.charts(e, width)
	name, above, below, sides := m.words(w)
	c := pane.Content{Note: shown.binNote(m), Lines: []string{" " + mirror.Moments(e, above, m.Upper, !m.hasFigure, w-1)}}
	ruler := m.ruler(width)
	if h < heightForChartText {
		if c.Title = name + shown.scaleInTitle(); !m.hasFigure {
			c = pane.Content{Title: strings.TrimSpace(c.Title + "  " + sides), Lines: []string{" " + meansLine(e, m, w-1)}}
		}
		c.Lines = append(c.Lines, mirror.Lines(e, shown.LogScale, m.Upper, m.Lower, ruler, width, h-1)...)
		return c
	}
	var under []string
	if m.Distribution.perGroup {
		sides = ""
	} else if !m.Same {
		under = append(under, " "+mirror.Moments(e, below, m.Lower, !m.hasFigure, w-1))
	}
	if !m.hasFigure && h >= heightForSummary {
		under = append(under, " "+summaryLine(e, m.maxAbs, w-1))
	}
	c.Lines = append(append(c.Lines, mirror.Lines(e, shown.LogScale, m.Upper, m.Lower, ruler, width, h-1-len(under))...), under...)
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

// ruler returns the labels of the axis in w cells.
func (m chartCache) ruler(w int) string {
	switch {
	case !m.hasFigure:
		return mirror.AxisRuler(m.Upper.Axis, w)
	case m.whole:
		return m.Upper.Axis.BarLabels(len(m.Upper.Counts), w)
	}
	return cells.Justify(units.Short(m.Upper.Axis.Lo), units.Short(m.Upper.Axis.Hi), w)
}

// words returns the name of what is drawn in w cells, of the upper and of the lower histogram, and of both.
func (m chartCache) words(w int) (name, above, below, sides string) {
	name, above, below, sides = "advantages", "original  ", "processed ", "original over processed"
	switch {
	case m.hasFigure:
		name, above, below, sides = m.Distribution.Name, "all ", "kept", "all over kept"
	case m.key.base != nil:
		above, below, sides = "A baseline ", "B candidate", "processed: baseline (A) over candidate (B)"
		if w < widthForLongTitle {
			sides = "A over B"
		}
	case w < widthForLongTitle:
		sides = ""
	}
	switch {
	case m.Same && m.key.base != nil:
		sides = "B candidate is equal"
	case m.Same:
		above, sides = "samples ", ""
	}
	return name, above, below, sides
}

func meansLine(e env.Env, m chartCache, w int) string {
	n, mean, _ := m.Upper.Moments()
	if m.Same {
		return cells.JoinFitting(w, "  ", e.Display.Theme.Paint(themes.Dim, "mean ")+units.Signed(mean), fmt.Sprintf("n %d", n))
	}
	nLower, meanLower, _ := m.Lower.Moments()
	upper, lower := "orig ", "  proc "
	if m.key.base != nil {
		upper, lower = "A ", "  B "
	}
	means := e.Display.Theme.Paint(themes.Dim, "mean ") + upper + units.Signed(mean) + lower + units.Signed(meanLower)
	return cells.JoinFitting(w, "  ", means, fmt.Sprintf("n %d, %d", n, nLower))
}

// widthForLongTitle is the width from which the title says what is above and below.
const widthForLongTitle = 36

type namedFigure struct{ Name, value string }

// SummaryFigures returns the figures below the distribution of advantages.
func SummaryFigures(e env.Env, x *analysis.StepFigures, largest float64) []namedFigure {
	all := []namedFigure{
		{"train", units.Fraction(x.Nonzero, x.Rows)},
		{"flips", units.Count(x.Flips.Total())},
		{"max |A|", units.Fixed(largest, 2)},
		{"Σ|A|", units.Times(x.Metric("vantage/abs_advantage_ratio"))},
		{"effective", units.Missing},
	}
	if e.Snap.Run.Evaluates() {
		all[0].value, all = env.NoneTrains, all[:len(all)-1]
	} else if ess := x.Metric("vantage/effective_samples"); ess == ess {
		all[len(all)-1].value = fmt.Sprintf("%s of %s", units.Short(math.Round(ess)), units.Count(x.Nonzero))
	}
	return slices.DeleteFunc(all, func(f namedFigure) bool { return !e.ShowsFilter(x) && (f.Name == "flips" || f.Name == "Σ|A|") })
}

// summaryLine returns the SummaryFigures of the groups shown that fit.
func summaryLine(e env.Env, largest float64, w int) (line string) {
	x, t := e.ShownFigures(), e.Display.Theme
	if x == nil {
		return t.Paint(themes.Dim, "…")
	}
	for _, part := range SummaryFigures(e, x, largest) {
		piece := t.Paint(themes.Dim, part.Name) + " " + part.value
		if line != "" {
			piece = "  " + piece
		}
		if cells.Width(line+piece) <= w {
			line += piece
		}
	}
	return line
}

// DistributionState is which distribution the pane draws, and how.
type DistributionState struct {
	Figure   string // the name of a distribution; "" is the advantages
	LogScale bool
	bin      int // the bin whose counts are shown, from the left
	binShown bool
	Cache    chartCache // what the next frame draws from
}

// distribution is the values of a figure: of all samples above the axis, of kept ones
// below it.
type distribution struct {
	Name     string
	Above    []float64
	below    []float64
	perGroup bool      // a value for each group shown, not for each sample
	reach    []float64 // values that the axis has room for, though none may be there
}

// Distributions returns those that the step has values for, the advantages first.
func Distributions(e env.Env) []distribution {
	x := e.Result.Analysis
	all := []distribution{
		{Name: "advantages", Above: x.Unfiltered, below: x.Processed}, {Name: "rewards", Above: x.LoggedRewards, below: x.LoggedRewards},
	}
	if slices.ContainsFunc(x.Lengths, func(l int32) bool { return l >= 0 }) {
		lengths := model.Mapped(x.Lengths, func(l int32) float64 {
			if l < 0 {
				return math.NaN()
			}
			return float64(l)
		})
		all = append(all, distribution{Name: "lengths, " + e.Snap.Run.LengthUnit.String(), Above: lengths, below: lengths})
	}
	for k, name := range e.Snap.Run.ComponentNames {
		if values := componentValues(e, k); values != nil {
			all = append(all, distribution{Name: sanitize.Line(name), Above: values, below: values})
		}
	}
	solved := distribution{Name: "groups by samples solved", perGroup: true, reach: []float64{0, 0}}
	for _, g := range e.Result.Rows {
		if group := &x.Table[g]; group.HasSolved { // its run's rewards say it
			solved.Above = append(solved.Above, float64(group.Solved))
			solved.reach[1] = max(solved.reach[1], float64(group.Size()))
		}
	}
	if len(solved.Above) > 0 {
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
func (s DistributionState) chosen(e env.Env) (distribution, bool) {
	if s.Figure == "" {
		return distribution{}, false
	}
	all := Distributions(e)
	i := slices.IndexFunc(all, func(d distribution) bool { return d.Name == s.Figure })
	return all[max(0, i)], i > 0
}

// MoveFigure draws the distribution of the next figure, or for a negative of the one before.
func (p *Panes) MoveFigure(e env.Env, by int) view.Want {
	if e.Result.Analysis == nil {
		return nil
	}
	all := Distributions(e)
	i := max(0, slices.IndexFunc(all, func(d distribution) bool { return d.Name == p.Distribution.Figure }))
	p.Distribution.Figure = ""
	if next := (i + by + len(all)) % len(all); next > 0 {
		p.Distribution.Figure = all[next].Name
	}
	return p.inFront(e)
}

// inFront brings the distribution into sight, which another pane may hide.
func (p *Panes) inFront(env.Env) view.Want {
	p.FrontPane = layout.Advantages
	p.FullScreen = p.FullScreen && p.Focus == layout.Advantages
	return nil
}

// ToggleLogScale draws counts on a logarithmic axis, or on a linear one again.
func (p *Panes) ToggleLogScale(e env.Env) view.Want {
	p.Distribution.LogScale = !p.Distribution.LogScale
	return p.inFront(e)
}

// MoveBin shows the counts of another bin, at first those of the middle one.
func (p *Panes) MoveBin(e env.Env, by int) view.Want {
	if e.Result.Analysis == nil {
		return nil
	}
	p.inFront(e)
	bins := len(p.Distribution.charts(e, p.chartWidth(e)).Upper.Counts)
	if !p.Distribution.binShown {
		p.Distribution.binShown, p.Distribution.bin = true, bins/2
		return nil
	}
	p.Distribution.bin = pane.ClampIndex(p.Distribution.bin+by, bins)
	return nil
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

func (s DistributionState) scaleInTitle() string {
	if s.LogScale {
		return " (log)"
	}
	return ""
}

func (s DistributionState) binNote(m chartCache) string {
	if !s.binShown {
		return ""
	}
	bins := len(m.Upper.Counts)
	at := pane.ClampIndex(s.bin, bins)
	lo, hi := m.Upper.Axis.Edges(at, bins)
	if m.whole {
		lo, hi = m.Upper.Axis.WholeBounds(at, bins)
	}
	values := units.Short(lo)
	if lo < hi {
		values += " to " + units.Short(hi)
	}
	if m.Distribution.perGroup {
		return values + ": " + units.Plural(m.Upper.Counts[at], "groups")
	}
	if m.Same {
		return values + ": " + units.Plural(m.Upper.Counts[at], "samples")
	}
	return fmt.Sprintf("%s: %s above, %s below", values, units.Count(m.Upper.Counts[at]), units.Count(m.Lower.Counts[at]))
}

// chartCache is what charts need from all samples of the step: computed once for each
// change of what is shown, and drawn from by every frame.
type chartCache struct {
	key          chartKey
	axis         chart.Axis   // of the dot plots
	Distribution distribution // its name is empty for the advantages
	hasFigure    bool         // the distribution is another one than that of the advantages
	mirror.Twins
	whole  bool    // all values are whole numbers, and bins have whole bounds
	maxAbs float64 // the largest processed |A| of the groups shown
}

// chartKey is all that a chartCache depends on.
type chartKey struct {
	analysis, base *analysis.Analysis
	shown          *bool // the first element of ShownSamples: a filter makes a new slice
	figure         string
	width          int
}

// charts returns what is drawn in width cells, from the cache if that has it.
func (s DistributionState) charts(e env.Env, width int) chartCache {
	x := e.Result.Analysis
	key := chartKey{analysis: x, base: e.BaselineAnalysis(), figure: s.Figure, width: width}
	if len(e.Result.ShownSamples) > 0 {
		key.shown = &e.Result.ShownSamples[0]
	}
	if key == s.Cache.key {
		return s.Cache
	}
	all, kept := onlyShown(e, nil), onlyShown(e, x.Keep)
	processed := maxAbs(x.Processed, nil)
	m := chartCache{key: key, axis: chart.SymmetricAxis(max(maxAbs(x.Unfiltered, nil), processed)), maxAbs: processed}
	if all != nil {
		m.maxAbs = maxAbs(x.Processed, kept)
	}
	axis, above := m.axis, x.Unfiltered
	m.Distribution, m.hasFigure = s.chosen(e)
	switch d := m.Distribution; {
	case m.hasFigure:
		var bins int
		if axis, bins, m.whole = chart.WholeAxis(append(slices.Clip(d.Above), d.reach...), width); !m.whole {
			lo, hi := chart.Range(d.Above)
			if lo >= hi {
				lo, hi = lo-0.5, hi+0.5
			}
			axis, bins = chart.Axis{Lo: lo, Hi: hi}, width
		}
		if d.perGroup {
			m.Upper = chart.BinWithZeros(axis, bins, d.Above, nil)
			return m
		}
		m.Upper, m.Lower = chart.BinWithZeros(axis, bins, d.Above, all), chart.BinWithZeros(axis, bins, d.below, kept)
		m.Twins = m.Apart()
		return m
	case key.base != nil:
		above, all = key.base.Processed, onlyShown(e, key.base.Keep)
		axis = chart.SymmetricAxis(max(maxAbs(above, nil), processed))
	}
	var upper fault.Group
	upper.Go(func() { m.Upper = chart.Bin(axis, width, above, all) })
	m.Lower = chart.Bin(axis, width, x.Processed, kept)
	upper.Wait()
	m.Twins = m.Apart()
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

// chartWidth returns the width of the distribution on the screen.
func (p Panes) chartWidth(e env.Env) int {
	return mirror.OddWidth(p.Screen(e).Panes[layout.Advantages].Inner().W)
}
