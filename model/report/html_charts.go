package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report/markup"
	"vantage/model/sweep"
	"vantage/model/units"
)

// pageTrends returns the figures that a page draws over the steps: those of every report, and how large advantages are.
func pageTrends() []trendLine {
	return append(mainTrends(),
		trendLine{Name: "A≠0", value: func(s *analysis.StepFigures, _ *analysis.Analysis) float64 {
			return float64(s.Nonzero) / float64(s.Rows)
		}},
		trendLine{Name: "|A|", value: meanAbs},
	)
}

// meanAbs is the mean |advantage| of the samples of a step after the filter, 0 of those that it drops.
func meanAbs(_ *analysis.StepFigures, a *analysis.Analysis) float64 {
	sum, n := 0.0, 0
	for _, x := range a.Processed {
		if x-x == 0 {
			sum, n = sum+math.Abs(x), n+1
		}
	}
	return sum / float64(n)
}

// trendMeaning says in few words what a figure is, and then the whole line of the glossary.
func trendMeaning(name string) (short, line string) {
	if name == "|A|" {
		return "mean |advantage| of all samples", "after the filter; dropped samples count 0"
	}
	e, ok := figures.Explain(figures.Step, name)
	if !ok {
		return "", ""
	}
	end := strings.IndexAny(e.Meaning, ":;,")
	if end < 0 {
		end = len(e.Meaning)
	}
	return e.Meaning[:end], e.Explanation()
}

// writeTrends draws the figures that change, and names the others.
func (h *htmlPage) writeTrends() error {
	var same []string
	note := "Each point is a step"
	if h.plots.charts.stepCount > maxPagePoints {
		note = "Each point is the mean of several steps, and the band behind the line is from the least to the most of them"
	}
	h.note(note + ". A step that is still being written is left out.")
	h.Open("div", markup.Class("cards"))
	for i := range h.plots.charts.Trends {
		l := &h.plots.charts.Trends[i]
		switch {
		case !l.hasValue():
		case units.NearlyEqual(l.Min, l.Max):
			same = append(same, l.Name+" "+units.Short(l.Last))
		default:
			h.trendCard(l)
		}
	}
	h.Close()
	if len(same) > 0 {
		h.note("The same at every step: " + strings.Join(same, ", ") + ".")
	}
	return nil
}

// trendCard draws one figure.
func (h *htmlPage) trendCard(l *trendLine) {
	h.Open("figure", markup.Class("card"))
	h.Open("figcaption")
	h.Element("h3", l.Name)
	h.Element("p", units.Short(l.First)+" → "+units.Short(l.Last), markup.Class("figures"), markup.A("title", "first and newest step"))
	meaning, line := trendMeaning(l.Name)
	h.Element("p", meaning, markup.Class("hint"), markup.A("title", line))
	h.Close()
	h.drawTrend(l)
	h.Close()
	h.Break()
}

// drawTrend draws the line of a figure.
func (h *plots) drawTrend(l *trendLine) {
	summary := fmt.Sprintf("%s over %s: first %s, newest %s, least %s, most %s", l.Name, h.charts.stepRange(), units.Short(l.First), units.Short(l.Last), units.Short(l.Min), units.Short(l.Max))
	h.beginPlot(plotHeight, summary)
	axis := newPlotAxis(l.Min, l.Max)
	for i, label := range axis.labels() {
		h.gridLine(axis.y(axis.ticks[i]), label)
	}
	points := h.places()
	h.stepAxis()
	h.band(l, points, axis)
	h.line(l, points, axis)
	h.hovers(l, points)
	h.Close()
}

// plots draw charts: into cards of a page, or at places of one picture.
type plots struct {
	*markup.Writer
	charts *Charts
	at     []markup.Attribute // of the plot that is begun next; nil in a page
}

// Where the plot of a chart lies in its picture.
const (
	plotWidth   = 360
	plotHeight  = 164
	plotLeft    = 40
	plotRight   = 350
	plotTop     = 10
	plotBottom  = 142
	plotLabelAt = 158 // the numbers of steps
)

// beginPlot begins a picture, which a screen reader reads as its summary.
func (h *plots) beginPlot(height int, summary string) {
	h.Open("svg", append(h.at, markup.A("viewBox", fmt.Sprintf("0 0 %d %d", plotWidth, height)), markup.A("role", "img"), markup.A("aria-label", summary))...)
}

// label writes a text into a picture.
func (h *plots) label(x, y float64, text string, attributes ...markup.Attribute) {
	h.Element("text", text, append(attributes, markup.A("x", markup.Number(x)), markup.A("y", markup.Number(y)))...)
}

// gridLine draws a line at a value, with its label at the left.
func (h *plots) gridLine(y float64, text string) {
	h.Void("path", markup.Class("grid"), markup.A("d", fmt.Sprintf("M%d %sH%d", plotLeft, markup.Number(y), plotRight)))
	h.label(plotLeft-6, y+3.5, text, markup.Class("end"))
}

// pointPlace is where a point of a line is drawn; it has no steps if none of them is complete.
type pointPlace struct {
	pointSteps
	x float64
}

// places returns where the points of all lines are drawn: by the number of their steps, so that missing steps are a gap.
func (h *plots) places() []pointPlace {
	places := make([]pointPlace, len(h.charts.points))
	for i, p := range h.charts.points {
		places[i] = pointPlace{p, h.stepX(float64(p.First)/2 + float64(p.Last)/2)}
	}
	return places
}

// stepX returns where a step is drawn.
func (h *plots) stepX(step float64) float64 {
	first, last := float64(h.charts.FirstStep), float64(h.charts.LastStep)
	if !(first < last) {
		return (plotLeft + plotRight) / 2
	}
	return plotLeft + (step-first)/(last-first)*(plotRight-plotLeft)
}

// stepAxis writes the numbers of the first and the last step, and round ones between them as far as there is room.
func (h *plots) stepAxis() {
	first, last := h.charts.FirstStep, h.charts.LastStep
	h.label(plotLeft, plotLabelAt, fmt.Sprint(first))
	h.label(plotRight, plotLabelAt, fmt.Sprint(last), markup.Class("end"))
	room := 7*float64(len(fmt.Sprint(last))) + 14
	each := max(1, roundTick(float64(last)-float64(first), 4))
	for n := 1.0; n <= 8; n++ {
		step := each * (math.Floor(float64(first)/each) + n)
		if x := h.stepX(step); x > plotLeft+room && x < plotRight-room {
			h.label(x, plotLabelAt, units.Fixed(step, 0), markup.Class("middle"))
			h.Void("path", markup.Class("grid"), markup.A("d", fmt.Sprintf("M%s %dv4", markup.Number(x), plotBottom)))
		}
	}
}

// line draws a figure. The line breaks at a point without a value, and a point alone is a dot.
func (h *plots) line(l *trendLine, points []pointPlace, axis plotAxis) {
	var path strings.Builder
	pen := "M"
	for i, v := range l.Values {
		if v != v {
			pen = "M"
			continue
		}
		path.WriteString(pen + markup.Number(points[i].x) + " " + markup.Number(axis.y(v)))
		if pen == "M" {
			path.WriteString("h0") // a dot, in case no point follows
		}
		pen = "L"
	}
	h.Void("path", markup.Class("line"), markup.A("d", path.String()))
}

// band draws from the least to the most of the steps of each point, if points have several.
func (h *plots) band(l *trendLine, points []pointPlace, axis plotAxis) {
	if h.charts.stepCount <= len(points) {
		return
	}
	var above, below strings.Builder
	for i := range points {
		if l.Values[i] == l.Values[i] {
			fmt.Fprintf(&above, "L%s %s", markup.Number(points[i].x), markup.Number(axis.y(l.Highs[i])))
		}
		if k := len(points) - 1 - i; l.Values[k] == l.Values[k] {
			fmt.Fprintf(&below, "L%s %s", markup.Number(points[k].x), markup.Number(axis.y(l.Lows[k])))
		}
	}
	h.Void("path", markup.Class("band"), markup.A("d", "M"+above.String()[1:]+below.String()+"Z"))
}

// hovers writes what the pointer reads at each point.
func (h *plots) hovers(l *trendLine, points []pointPlace) {
	width := float64(plotRight-plotLeft) / float64(max(1, len(points)-1))
	h.Open("g", markup.Class("hovers"), markup.A("stroke-width", markup.Number(max(1, width))))
	for i, v := range l.Values {
		if v != v {
			continue
		}
		p := points[i]
		text := fmt.Sprintf("step %d: %s", p.First, units.Short(v))
		if p.Count > 1 {
			text = fmt.Sprintf("steps %d to %d: mean %s, %s to %s", p.First, p.Last, units.Short(v), units.Short(l.Lows[i]), units.Short(l.Highs[i]))
		}
		h.Open("path", markup.A("d", fmt.Sprintf("M%s %dV%d", markup.Number(p.x), plotTop, plotBottom)))
		h.Element("title", text)
		h.Close()
	}
	h.Close()
}

// plotAxis is the upright axis of a chart.
type plotAxis struct {
	lo, hi float64
	step   float64
	ticks  []float64 // round values on the axis, ascending
}

// newPlotAxis returns an axis that holds lo and hi, which are finite, and ends at round values. What lies close to 0
// begins there.
func newPlotAxis(lo, hi float64) plotAxis {
	if lo > 0 && lo < hi/4 {
		lo = 0
	}
	a := plotAxis{lo: lo, hi: hi}
	if !(hi-lo > 0 && hi-lo < math.MaxFloat64/4) { // the difference of two is beyond numbers, or nothing
		return a
	}
	step := roundTick(hi-lo, 4)
	if !(step > 0) { // the values are too small for a round one
		return a
	}
	a.step = step
	first, last := math.Floor(lo/a.step+1e-9), math.Ceil(hi/a.step-1e-9)
	a.lo, a.hi = first*a.step, last*a.step
	for n := first; n <= last && len(a.ticks) <= 8; n++ {
		a.ticks = append(a.ticks, n*a.step)
	}
	return a
}

// roundTick returns 1, 2 or 5 times a power of ten, so that a span has about n of it.
func roundTick(span float64, n int) float64 {
	if !(span > 0) {
		return 1
	}
	rough := span / float64(n)
	unit := math.Pow(10, math.Floor(math.Log10(rough))) // 0 if that is too small for a number
	for _, part := range []float64{1, 2, 5} {
		if rough <= part*unit*(1+1e-9) {
			return part * unit
		}
	}
	return 10 * unit
}

// y returns where a value is drawn.
func (a plotAxis) y(v float64) float64 {
	if a.step == 0 {
		return (plotTop + plotBottom) / 2
	}
	return plotBottom - (v-a.lo)/(a.hi-a.lo)*(plotBottom-plotTop)
}

// labels returns the ticks as text: with the decimals of the step or, where they are large or tiny, in short, unless
// two would be the same.
func (a plotAxis) labels() []string {
	decimals := max(0, -int(math.Floor(math.Log10(a.step)+1e-9)))
	short, full := make([]string, len(a.ticks)), make([]string, len(a.ticks))
	for i, v := range a.ticks {
		short[i], full[i] = units.Brief(v), units.Fixed(v, min(decimals, 15))
	}
	isReadable := max(-a.lo, a.hi) < 1000 && a.hi-a.lo >= 1e-3
	if isReadable || len(slices.Compact(slices.Clone(short))) < len(short) {
		return full
	}
	return short
}

// Sizes of the picture of a distribution.
const (
	spreadHalf   = 84 // above and below its axis
	spreadMiddle = 100
	spreadHeight = 226
	spreadMargin = 8
	solvedBar    = 24 // height of a solve rate
	solvedLeft   = 82
	solvedRight  = 236
)

func (h *htmlPage) writeDistributions() error {
	h.Open("div", markup.Class("cards wide"))
	if h.plots.charts.hasDistribution() {
		h.spread()
	}
	if h.plots.charts.hasSolved() {
		h.solveRates()
	}
	h.Close()
	return nil
}

// spread draws the advantages before the filter above the axis, those after it below.
func (h *htmlPage) spread() {
	c := h.plots.charts
	h.Open("figure", markup.Class("card"))
	h.Open("figcaption")
	h.Element("h3", "Advantages of "+c.stepRange())
	h.Element("p", "above the line before the filter, below it of the kept samples after it; what is exactly 0 is not drawn", markup.Class("hint"))
	h.Close()
	h.drawSpread()
	h.Element("p", momentsSentence("Original", c.Original), markup.Class("hint"))
	h.Element("p", momentsSentence("Processed", c.Processed), markup.Class("hint"))
	h.Close()
	h.Break()
}

// drawSpread draws both distributions on one axis.
func (h *plots) drawSpread() {
	c := h.charts
	h.beginPlot(spreadHeight, "Distribution of advantages. "+momentsSentence("Original", c.Original)+" "+momentsSentence("Processed", c.Processed))
	h.spreadBars()
	limit := units.Short(c.axisLimit())
	const below = spreadMiddle + spreadHalf + 18
	h.label(spreadMargin, below, "−"+limit, markup.Class("number"))
	h.label(plotWidth/2, below, "0", markup.Class("number middle"))
	h.label(plotWidth-spreadMargin, below, "+"+limit, markup.Class("number end"))
	h.label(plotWidth/4, below+18, "− less likely", markup.Class("minus middle"))
	h.label(3*plotWidth/4, below+18, "+ more likely", markup.Class("plus middle"))
	h.Close()
}

func momentsSentence(name string, x *histogram) string {
	if x.N == x.NotFinite {
		return name + ": none."
	}
	text := fmt.Sprintf("%s: %s samples, %s of them 0; mean %s, std %s, largest %s", name,
		units.Count(x.N), units.Count(x.Zeros), strings.TrimSpace(units.Signed(x.Mean())), units.Fixed(x.Std(), 2), units.Fixed(x.MaxAbs, 2))
	if x.NotFinite > 0 {
		text += fmt.Sprintf("; not numbers %s", units.Count(x.NotFinite))
	}
	return text + "."
}

func (h *plots) spreadBars() {
	limit, original, processed, tallest := h.charts.bins(svgBars)
	width := float64(plotWidth-2*spreadMargin) / svgBars
	for i := range original {
		if original[i]+processed[i] == 0 {
			continue
		}
		class := markup.Class("plus")
		switch {
		case i < svgBars/2:
			class = markup.Class("minus")
		case i == svgBars/2:
			class = markup.Class("zero")
		}
		from, to := limit*(2*float64(i)/svgBars-1), limit*(2*float64(i+1)/svgBars-1)
		h.Open("g", class)
		h.Element("title", fmt.Sprintf("%s to %s: %s before the filter, %s after it", strings.TrimSpace(units.Signed(from)), strings.TrimSpace(units.Signed(to)), units.Count(original[i]), units.Count(processed[i])))
		x, up, down := spreadMargin+float64(i)*width, spreadBar(original[i], tallest), spreadBar(processed[i], tallest)
		h.rect(x, spreadMiddle-up, width-1, up)
		h.rect(x, spreadMiddle, width-1, down)
		h.Close()
	}
	h.Void("path", markup.Class("axis"), markup.A("d", fmt.Sprintf("M%d %dH%d", spreadMargin, spreadMiddle, plotWidth-spreadMargin)))
}

// spreadBar returns the height of a bar: one that is not 0 always shows.
func spreadBar(n, tallest int) float64 {
	if n == 0 {
		return 0
	}
	return max(1, float64(n)/float64(tallest)*spreadHalf)
}

func (h *plots) rect(x, y, width, height float64, attributes ...markup.Attribute) {
	if height > 0 && width > 0 {
		h.Void("rect", append(attributes, markup.A("x", markup.Number(x)), markup.A("y", markup.Number(y)), markup.A("width", markup.Number(width)), markup.A("height", markup.Number(height)))...)
	}
}

// solveRates draws how many groups have each solve rate.
func (h *htmlPage) solveRates() {
	c := h.plots.charts
	h.Open("figure", markup.Class("card"))
	h.Open("figcaption")
	h.Element("h3", "Groups by solve rate")
	h.Element("p", "how many of their samples reach "+c.SolvedAt, markup.Class("hint"))
	h.Close()
	h.drawSolved()
	h.Element("p", "Groups of which none or all are solved have no signal, unless rewards differ otherwise.", markup.Class("hint"))
	h.Close()
	h.Break()
}

// Sizes of a heat map.
const (
	heatLeft   = 44
	heatTop    = 6
	heatCellH  = 24
	heatLegend = 34 // below
)

// hotShare is from where on a text is read better in the other of black and white: there the luminance of a cell is
// 0.18, in light and in dark.
const hotShare = 0.755

// drawSolved draws a bar per solve rate.
func (h *plots) drawSolved() {
	c := h.charts
	tallest, all := c.solvedTotals()
	var words []string
	for i, name := range solveBinNames() {
		words = append(words, name+" "+units.Count(int(c.Solved[i].Count)))
	}
	h.beginPlot(len(c.Solved)*solvedBar+8, "Groups by solve rate: "+strings.Join(words, ", "))
	for i, name := range solveBinNames() {
		n, y := c.Solved[i].Count, float64(i*solvedBar+4)
		h.label(solvedLeft-8, y+15, name, markup.Class("end"))
		width := n / max(1, tallest) * (solvedRight - solvedLeft)
		h.rect(solvedLeft, y+3, width, solvedBar-8, markup.Class("plus"))
		h.label(solvedLeft+width+7, y+15, units.Fraction(int(n), int(all)), markup.Class("number"))
	}
	h.Close()
}

// writeSweep draws what each pair of keep ratios leaves of the total advantage, without and with recompute, and says
// what suits the goal.
func (h *htmlPage) writeSweep() error {
	s := h.Parts.Sweep
	if s == nil {
		h.note("No sweep: " + h.Parts.NoSweep + ".")
		return nil
	}
	h.note("Each cell is a pair of keep_pos_ratio and keep_neg_ratio over " + units.Plural(s.Grid.Steps, "steps") +
		". The number is how many percent of Σ|A| without a filter are left; hover for kept samples, killed groups and flips.")
	h.Open("div", markup.Class("cards wide"))
	for _, recompute := range s.Recompute {
		h.heatMap(s, recompute)
	}
	h.Close()
	h.recommendation(s)
	return nil
}

// heatMap draws the cells with or without recompute.
func (h *htmlPage) heatMap(s *Sweep, recompute bool) {
	title := "Σ|A| without recompute"
	if recompute {
		title = "Σ|A| with compute_new_adv"
	}
	h.Open("figure", markup.Class("card"))
	h.Open("figcaption")
	h.Element("h3", title)
	h.Close()
	rows, columns := len(s.Grid.Pos), len(s.Grid.Neg)
	width := float64(plotWidth-heatLeft-4) / float64(columns)
	h.beginPlot(heatTop+rows*heatCellH+heatLegend, title+": percent of Σ|A| that each pair of keep ratios leaves")
	least, most := heatRange(s, recompute)
	choice := s.recommend(s.Goal)
	for i := range s.Grid.Pos {
		y := float64(heatTop + (rows-1-i)*heatCellH)
		h.label(heatLeft-6, y+heatCellH/2+4, units.Fixed(s.Grid.Pos[i], 1), markup.Class("number end"))
		for j := range s.Grid.Neg {
			c := s.Grid.At(recompute, i, j)
			h.heatCell(c, float64(heatLeft)+float64(j)*width, y, width, heatShare(c.AbsRatio(), least, most), choice.IsChoice(c), h.isCurrent(c))
		}
	}
	below := float64(heatTop + rows*heatCellH)
	for j := range s.Grid.Neg {
		h.label(heatLeft+(float64(j)+0.5)*width, below+13, units.Fixed(s.Grid.Neg[j], 1), markup.Class("number middle"))
	}
	h.label(heatLeft-6, below+28, "↑ pos", markup.Class("end"))
	h.label(plotWidth-4, below+28, "keep_neg_ratio →", markup.Class("end"))
	h.Close()
	h.Close()
	h.Break()
}

// heatRange returns the least and the most share of a map.
func heatRange(s *Sweep, recompute bool) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for i := range s.Grid.Pos {
		for j := range s.Grid.Neg {
			if x := s.Grid.At(recompute, i, j).AbsRatio(); x-x == 0 {
				least, most = min(least, x), max(most, x)
			}
		}
	}
	return least, most
}

// heatShare returns where a value lies between the least and the most, 0 where there is none.
func heatShare(x, least, most float64) float64 {
	if x-x != 0 || most <= least {
		return 0
	}
	return (x - least) / (most - least)
}

func (h *htmlPage) heatCell(c *sweep.Cell, x, y, width, share float64, isChoice, isCurrent bool) {
	h.Open("g")
	h.Element("title", c.Sentence())
	h.rect(x, y, width, heatCellH, markup.Class("heat"), markup.A("fill-opacity", units.Fixed(0.06+0.9*share, 2)))
	class := markup.Class("cell middle")
	if share > hotShare {
		class = markup.Class("hot middle")
	}
	text := units.Missing
	if r := c.AbsRatio(); r-r == 0 {
		text = units.Fixed(100*r, 0)
	}
	h.label(x+width/2, y+heatCellH/2+4, text, class)
	if isChoice {
		h.rect(x+1.5, y+1.5, width-3, heatCellH-3, markup.Class("choice-mark"))
	}
	if isCurrent {
		h.Void("path", markup.Class("now-mark"), markup.A("d", fmt.Sprintf("M%s %sh%s", markup.Number(x+4), markup.Number(y+heatCellH-4), markup.Number(width-8))))
	}
	h.Close()
}

// isCurrent reports whether a cell has the settings of the report.
func (h *htmlPage) isCurrent(c *sweep.Cell) bool {
	set := h.Settings.Effective()
	return math.Abs(c.KeepPos-set.KeepPos) < 1e-9 && math.Abs(c.KeepNeg-set.KeepNeg) < 1e-9 && c.Recompute == set.Recompute
}

// isOnGrid reports whether a cell has the settings of the report.
func (h *htmlPage) isOnGrid(s *Sweep) bool {
	found := false
	s.eachCell(func(c *sweep.Cell) { found = found || h.isCurrent(c) })
	return found
}

// recommendation says what suits the goal, and why.
func (h *htmlPage) recommendation(s *Sweep) {
	a := s.recommend(s.Goal)
	h.Open("dl", markup.Class("facts"))
	row := func(name, value string) {
		h.Open("div")
		h.Element("dt", name)
		h.Element("dd", value)
		h.Close()
	}
	row("frame", "what suits the goal "+a.Goal.String()+": "+a.Goal.Doc())
	if h.isOnGrid(s) {
		row("underline", "the settings of this report")
	}
	if a.Cell != nil {
		row("choice", a.Cell.Sentence())
	}
	row("because", a.Reason)
	row("other goals", "vantage sweep PATH --goal cost, or balance")
	h.Close()
}
