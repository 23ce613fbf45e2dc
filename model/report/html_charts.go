package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/sweep"
	"vantage/model/units"
)

// pageTrends returns the figures that a page draws over the steps: those of every report, and how large advantages are.
func pageTrends() []trendLine {
	return append(mainTrends(),
		trendLine{Name: "train", value: func(s *analysis.StepFigures, _ *analysis.Analysis) float64 {
			return float64(s.Nonzero) / float64(s.Rows)
		}},
		trendLine{Name: "|A|", value: func(_ *analysis.StepFigures, a *analysis.Analysis) float64 {
			sum, n := 0.0, 0
			for _, x := range a.Processed { // 0 of those that the filter drops
				if units.IsFinite(x) {
					sum, n = sum+math.Abs(x), n+1
				}
			}
			return sum / float64(n)
		}},
	)
}

func card(title string, caption []markup, picture markup, below ...markup) markup {
	return tag("figure", class("card"), tag("figcaption", tag("h3", title), caption), picture, below) + lineBreak
}

func hint(text string) markup { return tag("p", class("hint"), text) }

// writeTrends draws the figures that change, and names the others.
func (h *htmlPage) writeTrends() {
	note := "Each point is a step"
	if h.charts.stepCount > maxPagePoints {
		note = "Each point is the mean of several steps, and the band behind the line is from the least to the most of them"
	}
	if len(h.charts.points) >= minSmoothed {
		note += "; the strong line is the mean around each"
	}
	h.note(note + ". A step that is still being written is left out.")
	h.put(openTag("div", class("cards")))
	var same []string
	for i := range h.charts.Trends {
		l := &h.charts.Trends[i]
		switch {
		case !l.hasValue() || l.onset != nil:
		case units.NearlyEqual(l.Min, l.Max):
			same = append(same, l.Name+" "+units.Short(l.Last))
		default:
			meaning, line := trendMeaning(l.Name)
			h.put(card(l.Name, []markup{
				tag("p", class("figures"), attr("title", "means of the first and of the newest tenth of the run, and of all of it"),
					l.overRun()),
				tag("p", class("hint"), attr("title", line), meaning),
			}, h.charts.drawTrend(l)))
		}
	}
	h.put(closeTag("div"))
	if len(same) > 0 {
		h.note("The same at every step: " + strings.Join(same, ", ") + ".")
	}
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
	short = e.Meaning
	if at := strings.IndexAny(short, ":;,"); at >= 0 {
		short = short[:at]
	}
	return short, e.Explanation()
}

// writeDistributions draws the advantages before the filter above the axis and those after it below, and how many groups have
// each solve rate.
func (h *htmlPage) writeDistributions() {
	c := h.charts
	h.put(openTag("div", class("cards wide")))
	if c.hasDistribution() {
		words, below := "above the line: before the filter; below it: the kept samples after the filter; ", c.spreadSentences()
		if len(below) == 1 {
			words = ""
		}
		h.put(card("Advantages of "+c.stepRange(), []markup{hint(words + "values of exactly 0 are not drawn")}, c.drawSpread(),
			model.Mapped(below, hint)...))
	}
	if c.hasSolved() {
		h.put(card("Groups by solve rate", []markup{hint("how many of their samples reach " + c.SolvedAt)},
			c.drawSolved(), hint("Groups that are all solved or all unsolved carry no signal (unless their rewards still differ).")))
	}
	h.put(closeTag("div"))
}

// Sizes of the picture of all charts, which are two in a row.
const (
	svgMargin = 24
	svgTitle  = 20 // above a chart
	svgWidth  = 2*plotWidth + 3*svgMargin
)

// SVG writes all charts as one picture: those of a page of [HTML].
func SVG(w io.Writer, c *Charts) error {
	type chart struct {
		title, figures string // figures are at the right
		height         int
		draw           func(at ...attribute) markup
	}
	var all []chart
	var notes []string
	if c.hasDistribution() {
		title := "Advantages of " + c.stepRange()
		if notes = c.spreadSentences(); len(notes) > 1 {
			title += ": original above, processed below"
		}
		all = append(all, chart{title, "", spreadHeight, c.drawSpread})
	}
	if c.hasSolved() {
		all = append(all, chart{"Groups by how many samples reach " + c.SolvedAt, "", spreadHeight, c.drawSolved})
	}
	for i := range c.Trends {
		if l := &c.Trends[i]; c.Steps > 1 && l.hasValue() && l.onset == nil {
			all = append(all, chart{l.Name, l.overRun(), plotHeight, func(at ...attribute) markup { return c.drawTrend(l, at...) }})
		}
	}
	var drawn []markup
	y := svgMargin
	for row := range slices.Chunk(all, 2) {
		height := 0
		for i, chart := range row {
			x := svgMargin + i*(plotWidth+svgMargin)
			drawn = append(drawn, label(float64(x), float64(y), chart.title, class("title")),
				label(float64(x+plotWidth), float64(y), chart.figures, class("number end")),
				chart.draw(attr("x", x), attr("y", y+svgTitle/2), attr("width", plotWidth), attr("height", chart.height)), lineBreak)
			height = max(height, chart.height)
		}
		y += svgTitle + height + svgMargin
	}
	for i, note := range notes {
		drawn = append(drawn, label(svgMargin, float64(y+i*svgTitle), note))
	}
	width, height := strconv.Itoa(svgWidth), strconv.Itoa(y+len(notes)*svgTitle)
	size := []attribute{attr("width", width), attr("height", height)}
	_, err := io.WriteString(w, string(tag("svg", attr("xmlns", "http://www.w3.org/2000/svg"), size,
		attr("viewBox", "0 0 "+width+" "+height),
		attr("role", "img"), attr("aria-label", "advantages, metrics over the steps, solve rate"),
		embedded("style", pageFiles, "charts.css"), emptyTag("rect", class("ground"), size), drawn)+lineBreak))
	return err
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

// plot is a picture, which a screen reader reads as its summary. at is where it lies in a larger one.
func plot(height int, summary string, at []attribute, parts ...any) markup {
	return tag("svg", at, attr("viewBox", fmt.Sprintf("0 0 %d %d", plotWidth, height)), attr("role", "img"), attr("aria-label", summary),
		inner(parts...))
}

func label(x, y float64, text string, attributes ...attribute) markup {
	return tag("text", attributes, attr("x", x), attr("y", y), text)
}

// rect is a rectangle; nothing without an area.
func rect(x, y, width, height float64, attributes ...attribute) markup {
	if !(height > 0 && width > 0) {
		return ""
	}
	return emptyTag("rect", attributes, attr("x", x), attr("y", y), attr("width", width), attr("height", height))
}

func (c *Charts) drawTrend(l *trendLine, at ...attribute) markup {
	axis := newPlotAxis(l.Min, l.Max)
	var grid []markup
	for i, text := range axis.labels() {
		y := axis.y(axis.ticks[i])
		grid = append(grid, emptyTag("path", class("grid"), outline("M%v %vH%v", plotLeft, y, plotRight)),
			label(plotLeft-6, y+3.5, text, class("end")))
	}
	xs := make([]float64, len(c.points)) // by the numbers of the steps, so that missing ones are a gap
	for i, p := range c.points {
		xs[i] = c.stepX(float64(p.First)/2 + float64(p.Last)/2)
	}
	// The band is from the least to the most of the steps of each point.
	var above, below strings.Builder
	var hovers []markup
	for i, v := range l.Values {
		if k := len(xs) - 1 - i; l.Values[k] == l.Values[k] {
			fmt.Fprintf(&below, "L%s %s", coordinate(xs[k]), coordinate(axis.y(l.Lows[k])))
		}
		if v != v {
			continue
		}
		fmt.Fprintf(&above, "L%s %s", coordinate(xs[i]), coordinate(axis.y(l.Highs[i])))
		p := c.points[i]
		text := fmt.Sprintf("step %d: %s", p.First, units.Short(v))
		if p.Count > 1 {
			text = fmt.Sprintf("steps %d to %d: mean %s, %s to %s", p.First, p.Last, units.Short(v), units.Short(l.Lows[i]),
				units.Short(l.Highs[i]))
		}
		hovers = append(hovers, tag("path", outline("M%v %vV%v", xs[i], plotTop, plotBottom), tag("title", text)))
	}
	var band markup
	if c.stepCount > len(xs) { // points have several steps
		band = emptyTag("path", class("band"), attr("d", "M"+above.String()[1:]+below.String()+"Z"))
	}
	if l.onset != nil && *l.onset >= c.FirstStep && *l.onset <= c.LastStep {
		band += emptyTag("path", class("onset"), outline("M%v %vV%v", c.stepX(float64(*l.onset)), plotTop, plotBottom))
	}
	width := float64(plotRight-plotLeft) / float64(max(1, len(xs)-1))
	summary := fmt.Sprintf("%s over %s: %s, least %s, most %s", l.Name, c.stepRange(), l.overRun(), units.Short(l.Min), units.Short(l.Max))
	drawn := emptyTag("path", class("line"), attr("d", linePath(xs, l.Values, axis)))
	if at, smooth := l.smooth(xs); smooth != nil {
		drawn = emptyTag("path", class("raw"), attr("d", linePath(xs, l.Values, axis))) +
			emptyTag("path", class("line"), attr("d", linePath(at, smooth, axis)))
	}
	return plot(plotHeight, summary, at, grid, c.stepAxis(), band, drawn,
		tag("g", class("hovers"), attr("stroke-width", max(1, width)), hovers))
}

// linePath is the outline of a line, which breaks at a point without a value. A point alone is a dot.
func linePath(xs, values []float64, axis plotAxis) string {
	var line strings.Builder
	pen := "M"
	for i, v := range values {
		if v != v {
			pen = "M"
			continue
		}
		line.WriteString(pen + coordinate(xs[i]) + " " + coordinate(axis.y(v)))
		if pen == "M" {
			line.WriteString("h0") // in case no point follows
		}
		pen = "L"
	}
	return line.String()
}

// minSmoothed is from how many points a line is smoothed.
const minSmoothed = 40

// smooth returns means of a twentieth of the points around each, NaN where there is no value, and where they are: at every third point,
// which is as smooth and takes less of the page. A line of few points has none.
func (l *trendLine) smooth(xs []float64) (at, means []float64) {
	n := len(l.Values)
	if n < minSmoothed {
		return nil, nil
	}
	for i, v := range l.Values {
		switch {
		case v != v:
			at, means = append(at, xs[i]), append(means, v)
		case i%3 == 0 || i == n-1:
			at, means = append(at, xs[i]), append(means, l.mean(max(0, i-n/40), min(n, i+n/40+1)))
		}
	}
	return at, means
}

// mean returns the mean of the steps of some points, NaN if there is none.
func (l *trendLine) mean(from, to int) float64 {
	sum, count := 0.0, 0
	for i := from; i < to; i++ {
		sum, count = sum+l.sums[i], count+l.counts[i]
	}
	return sum / float64(count)
}

// overRun says how the figure went: the means of the first and of the newest tenth of the points that have values, and of all.
func (l *trendLine) overRun() string {
	first, last := 0, len(l.Values)
	for first < last && l.counts[first] == 0 {
		first++
	}
	for last > first && l.counts[last-1] == 0 {
		last--
	}
	tenth := max(1, (last-first)/10)
	return units.Short(l.mean(first, min(last, first+tenth))) + " → " + units.Short(l.mean(max(first, last-tenth), last)) + " · mean " +
		units.Short(l.mean(first, last))
}

func (c *Charts) stepX(step float64) float64 {
	first, last := float64(c.FirstStep), float64(c.LastStep)
	if !(first < last) {
		return (plotLeft + plotRight) / 2
	}
	return plotLeft + (step-first)/(last-first)*(plotRight-plotLeft)
}

// stepAxis writes the numbers of the first and the last step, and round ones between them as far as there is room.
func (c *Charts) stepAxis() (axis markup) {
	first, last := fmt.Sprint(c.FirstStep), fmt.Sprint(c.LastStep)
	axis = label(plotLeft, plotLabelAt, first) + label(plotRight, plotLabelAt, last, class("end"))
	room := 7*float64(len(last)) + 14
	each := max(1, roundTick(float64(c.LastStep)-float64(c.FirstStep)))
	for n := 1.0; n <= 8; n++ {
		step := each * (math.Floor(float64(c.FirstStep)/each) + n)
		if x := c.stepX(step); x > plotLeft+room && x < plotRight-room {
			axis += label(x, plotLabelAt, units.Fixed(step, 0), class("middle")) +
				emptyTag("path", class("grid"), outline("M%v %vv4", x, plotBottom))
		}
	}
	return axis
}

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
	step := roundTick(hi - lo)
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

// roundTick returns 1, 2 or 5 times a power of ten, so that a span has about four of it.
func roundTick(span float64) float64 {
	if !(span > 0) {
		return 1
	}
	rough := span / 4
	unit := math.Pow(10, math.Floor(math.Log10(rough))) // 0 if that is too small for a number
	for _, part := range []float64{1, 2, 5} {
		if rough <= part*unit*(1+1e-9) {
			return part * unit
		}
	}
	return 10 * unit
}

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

// Sizes of the pictures of distributions.
const (
	spreadHalf   = 84 // above and below its axis
	spreadMiddle = 100
	spreadHeight = 226
	spreadMargin = 8
	solvedBar    = 24 // height of a solve rate
	solvedLeft   = 82
	solvedRight  = 236
)

// spreadSentences describes the distributions of advantages: one where the filter changes nothing.
func (c *Charts) spreadSentences() []string {
	if _, unfiltered, processed, _ := c.bins(); slices.Equal(unfiltered, processed) {
		return []string{momentsSentence("All", c.Unfiltered)}
	}
	return []string{momentsSentence("Original", c.Unfiltered), momentsSentence("Processed", c.Processed)}
}

// drawSpread draws both distributions of advantages on one axis, or one above it if they are equal.
func (c *Charts) drawSpread(at ...attribute) markup {
	limit, unfiltered, processed, tallest := c.bins()
	sentences, middle, half := c.spreadSentences(), spreadMiddle, spreadHalf
	if len(sentences) == 1 {
		middle, half = spreadMiddle+spreadHalf, 2*spreadHalf
	}
	width := float64(plotWidth-2*spreadMargin) / plotColumns
	height := func(n int) float64 { // of a bar: one that is not 0 always shows
		if n == 0 {
			return 0
		}
		return max(1, float64(n)/float64(tallest)*float64(half))
	}
	var bars []markup
	for i := range unfiltered {
		if unfiltered[i]+processed[i] == 0 {
			continue
		}
		sign := class("plus")
		switch {
		case i < plotColumns/2:
			sign = class("minus")
		case i == plotColumns/2:
			sign = class("zero")
		}
		from, to := limit*(2*float64(i)/plotColumns-1), limit*(2*float64(i+1)/plotColumns-1)
		title := fmt.Sprintf("%s to %s: %s before the filter, %s after it", strings.TrimSpace(units.Signed(from)),
			strings.TrimSpace(units.Signed(to)), units.Count(unfiltered[i]), units.Count(processed[i]))
		x, up := spreadMargin+float64(i)*width, height(unfiltered[i])
		bar := []markup{tag("title", title), rect(x, float64(middle)-up, width-1, up)}
		if len(sentences) > 1 {
			bar = append(bar, rect(x, float64(middle), width-1, height(processed[i])))
		}
		bars = append(bars, tag("g", sign, bar))
	}
	const below = spreadMiddle + spreadHalf + 18
	return plot(spreadHeight, "Distribution of advantages. "+strings.Join(sentences, " "), at,
		bars, emptyTag("path", class("axis"), outline("M%d %dH%d", spreadMargin, middle, plotWidth-spreadMargin)),
		label(spreadMargin, below, "−"+units.Short(limit), class("number")),
		label(plotWidth/2, below, "0", class("number middle")),
		label(plotWidth-spreadMargin, below, "+"+units.Short(limit), class("number end")),
		label(plotWidth/4, below+18, "− less likely", class("minus middle")),
		label(3*plotWidth/4, below+18, "+ more likely", class("plus middle")))
}

func (c *Charts) drawSolved(at ...attribute) markup {
	tallest, all := c.solvedTotals()
	var words []string
	var bars []markup
	for i, name := range solveBinNames() {
		n, y := c.Solved[i], float64(i*solvedBar+4)
		words = append(words, name+" "+units.Count(int(n)))
		width := n / max(1, tallest) * (solvedRight - solvedLeft)
		bars = append(bars, label(solvedLeft-8, y+15, name, class("end")), rect(solvedLeft, y+3, width, solvedBar-8, class("plus")),
			label(solvedLeft+width+7, y+15, units.Fraction(int(n), int(all)), class("number")))
	}
	return plot(len(c.Solved)*solvedBar+8, "Groups by solve rate: "+strings.Join(words, ", "), at, bars)
}

// writeSweep draws what each pair of keep ratios leaves of the total advantage, without and with recompute, and says
// what suits the goal.
func (h *htmlPage) writeSweep() {
	s := h.Parts.Sweep
	if s == nil {
		h.note("No sweep: " + h.Parts.NoSweep + ".")
		return
	}
	h.note("Each cell is a pair of keep_pos_ratio and keep_neg_ratio over " + units.Plural(s.Grid.Steps, "steps") +
		". The number is how many percent of Σ|A| without a filter are left; hover for kept samples, killed groups and flips.")
	a := s.recommend(s.Goal)
	h.put(openTag("div", class("cards wide")))
	for _, recompute := range s.Recompute {
		title := "Σ|A| without recompute"
		if recompute {
			title = "Σ|A| with compute_new_adv"
		}
		h.put(card(title, nil, h.heatMap(s, recompute, title, a)))
	}
	h.put(closeTag("div"))
	facts := factTag("frame", "what suits the goal "+a.Goal.String()+": "+a.Goal.Doc())
	for c := range s.cells(s.Recompute...) {
		if h.isCurrent(c) {
			facts += factTag("underline", "the settings of this report")
			break
		}
	}
	if a.Cell != nil {
		facts += factTag("choice", a.Cell.Sentence())
	}
	h.put(tag("dl", class("facts"), facts, factTag("because", a.Reason),
		factTag("other goals", "vantage sweep PATH --goal cost, or balance")))
}

// Sizes of a heat map of the page.
const (
	heatLeft   = 44
	heatTop    = 6
	heatCellH  = 24
	heatLegend = 34 // below
)

// hotShare is from where on a text is read better in the other of black and white: there the luminance of a cell is
// 0.18, in light and in dark.
const hotShare = 0.755

// heatMap draws the cells with or without recompute: Σ|A|, a frame around the choice, and a line under the settings of the report.
func (h *htmlPage) heatMap(s *Sweep, recompute bool, title string, choice sweep.Recommendation) markup {
	rows := len(s.Grid.Pos)
	width := float64(plotWidth-heatLeft-4) / float64(len(s.Grid.Neg))
	least, most := s.valueRange((*sweep.Cell).AbsRatio, recompute, true)
	var drawn []markup
	for i := range s.Grid.Pos {
		y := float64(heatTop + (rows-1-i)*heatCellH)
		drawn = append(drawn, label(heatLeft-6, y+heatCellH/2+4, units.Fixed(s.Grid.Pos[i], 1), class("number end")))
		for j := range s.Grid.Neg {
			c, x := s.Grid.At(recompute, i, j), float64(heatLeft)+float64(j)*width
			ratio, share, text, kind := c.AbsRatio(), 0.0, units.Missing, class("cell middle")
			if units.IsFinite(ratio) {
				text = units.Fixed(100*ratio, 0)
				if most > least {
					share = (ratio - least) / (most - least)
				}
			}
			if share > hotShare {
				kind = class("hot middle")
			}
			cell := tag("title", c.Sentence()) +
				rect(x, y, width, heatCellH, class("heat"), attr("fill-opacity", units.Fixed(0.06+0.9*share, 2))) +
				label(x+width/2, y+heatCellH/2+4, text, kind)
			if choice.IsChoice(c) {
				cell += rect(x+1.5, y+1.5, width-3, heatCellH-3, class("choice-mark"))
			}
			if h.isCurrent(c) {
				cell += emptyTag("path", class("now-mark"), outline("M%v %vh%v", x+4, y+heatCellH-4, width-8))
			}
			drawn = append(drawn, tag("g", cell))
		}
	}
	below := float64(heatTop + rows*heatCellH)
	for j := range s.Grid.Neg {
		drawn = append(drawn, label(heatLeft+(float64(j)+0.5)*width, below+13, units.Fixed(s.Grid.Neg[j], 1), class("number middle")))
	}
	return plot(heatTop+rows*heatCellH+heatLegend, title+": percent of Σ|A| that each pair of keep ratios leaves", nil,
		drawn, label(heatLeft-6, below+28, "↑ pos", class("end")), label(plotWidth-4, below+28, "keep_neg_ratio →", class("end")))
}

func (h *htmlPage) isCurrent(c *sweep.Cell) bool {
	set := h.Settings.Effective()
	return math.Abs(c.KeepPos-set.KeepPos) < 1e-9 && math.Abs(c.KeepNeg-set.KeepNeg) < 1e-9 && c.Recompute == set.Recompute
}
