package report

import (
	"fmt"
	"math"
	"strings"

	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report/markup"
	"vantage/model/units"
)

// pageTrends returns the figures that a page draws over the steps: those of every report, and how large advantages are.
func pageTrends() []trendLine {
	return append(mainTrends(),
		trendLine{Name: "A≠0", value: func(s *analysis.Summary, _ *analysis.Analysis) float64 { return float64(s.Nonzero) / float64(s.Rows) }},
		trendLine{Name: "|A|", value: meanAbs},
	)
}

// meanAbs is the mean |advantage| of the samples of a step after the filter, 0 of those that it drops.
func meanAbs(_ *analysis.Summary, a *analysis.Analysis) float64 {
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
	if h.charts.stepCount > maxPagePoints {
		note = "Each point is the mean of several steps, and the band behind the line is from the least to the most of them"
	}
	h.note(note + ". A step that is still being written is left out.")
	h.Open("div", markup.Class("cards"))
	for i := range h.charts.Trends {
		l := &h.charts.Trends[i]
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
	h.Close()
	h.Break()
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
func (h *htmlPage) beginPlot(height int, summary string) {
	h.Open("svg", markup.A("viewBox", fmt.Sprintf("0 0 %d %d", plotWidth, height)), markup.A("role", "img"), markup.A("aria-label", summary))
}

// label writes a text into a picture.
func (h *htmlPage) label(x, y float64, text string, attributes ...markup.Attribute) {
	h.Element("text", text, append(attributes, markup.A("x", markup.Number(x)), markup.A("y", markup.Number(y)))...)
}

// gridLine draws a line at a value, with its label at the left.
func (h *htmlPage) gridLine(y float64, text string) {
	h.Void("path", markup.Class("grid"), markup.A("d", fmt.Sprintf("M%d %sH%d", plotLeft, markup.Number(y), plotRight)))
	h.label(plotLeft-6, y+3.5, text, markup.Class("end"))
}

// pointPlace is where a point of a line is drawn; it has no steps if none of them is complete.
type pointPlace struct {
	pointSteps
	x float64
}

// places returns where the points of all lines are drawn: by the number of their steps, so that missing steps are a gap.
func (h *htmlPage) places() []pointPlace {
	places := make([]pointPlace, len(h.charts.points))
	for i, p := range h.charts.points {
		places[i] = pointPlace{p, h.stepX(float64(p.First)/2 + float64(p.Last)/2)}
	}
	return places
}

// stepX returns where a step is drawn.
func (h *htmlPage) stepX(step float64) float64 {
	first, last := float64(h.charts.FirstStep), float64(h.charts.LastStep)
	if !(first < last) {
		return (plotLeft + plotRight) / 2
	}
	return plotLeft + (step-first)/(last-first)*(plotRight-plotLeft)
}

// stepAxis writes the numbers of the first and the last step, and round ones between them as far as there is room.
func (h *htmlPage) stepAxis() {
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
func (h *htmlPage) line(l *trendLine, points []pointPlace, axis plotAxis) {
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
func (h *htmlPage) band(l *trendLine, points []pointPlace, axis plotAxis) {
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
func (h *htmlPage) hovers(l *trendLine, points []pointPlace) {
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
