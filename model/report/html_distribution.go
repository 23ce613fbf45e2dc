package report

import (
	"fmt"
	"strings"

	"vantage/model/report/markup"
	"vantage/model/units"
)

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
	if h.charts.hasDistribution() {
		h.spread()
	}
	if h.charts.hasSolved() {
		h.solveRates()
	}
	h.Close()
	return nil
}

// spread draws the advantages before the filter above the axis, those after it below.
func (h *htmlPage) spread() {
	c := h.charts
	h.Open("figure", markup.Class("card"))
	h.Open("figcaption")
	h.Element("h3", "Advantages of "+c.stepRange())
	h.Element("p", "above the line before the filter, below it of the kept samples after it; what is exactly 0 is not drawn", markup.Class("hint"))
	h.Close()
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
	h.Element("p", momentsSentence("Original", c.Original), markup.Class("hint"))
	h.Element("p", momentsSentence("Processed", c.Processed), markup.Class("hint"))
	h.Close()
	h.Break()
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

func (h *htmlPage) spreadBars() {
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

func (h *htmlPage) rect(x, y, width, height float64, attributes ...markup.Attribute) {
	if height > 0 && width > 0 {
		h.Void("rect", append(attributes, markup.A("x", markup.Number(x)), markup.A("y", markup.Number(y)), markup.A("width", markup.Number(width)), markup.A("height", markup.Number(height)))...)
	}
}

// solveRates draws a bar per solve rate.
func (h *htmlPage) solveRates() {
	c := h.charts
	h.Open("figure", markup.Class("card"))
	h.Open("figcaption")
	h.Element("h3", "Groups by solve rate")
	h.Element("p", "how many of their samples reach "+c.SolvedAt, markup.Class("hint"))
	h.Close()
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
	h.Element("p", "Groups of which none or all are solved have no signal, unless rewards differ otherwise.", markup.Class("hint"))
	h.Close()
	h.Break()
}
