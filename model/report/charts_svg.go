package report

import (
	"io"
	"strconv"
	"strings"

	"vantage/model/report/markup"
	"vantage/model/units"
)

// Sizes of the picture of all charts, which are two in a row.
const (
	svgMargin = 24
	svgBars   = 61 // odd: one column is the zero
	svgTitle  = 20 // above a chart
	svgWidth  = 2*plotWidth + 3*svgMargin
)

// svgChart is a chart of the picture, with a title and what is written at its right.
type svgChart struct {
	title, figures string
	height         int
	draw           func(*plots)
}

// SVG writes all charts as one picture: those of a page of [HTML].
func SVG(w io.Writer, c *Charts) error {
	var all []svgChart
	if c.hasDistribution() {
		all = append(all, svgChart{"Advantages of " + c.stepRange() + ": original above, processed below", "", spreadHeight, (*plots).drawSpread})
	}
	if c.hasSolved() {
		all = append(all, svgChart{"Groups by how many samples reach " + c.SolvedAt, "", spreadHeight, (*plots).drawSolved})
	}
	for i := range c.Trends {
		if l := &c.Trends[i]; c.Steps > 1 && l.hasValue() {
			all = append(all, svgChart{l.Name, units.Short(l.First) + " → " + units.Short(l.Last), plotHeight, func(p *plots) { p.drawTrend(l) }})
		}
	}
	var notes []string
	if c.hasDistribution() {
		notes = []string{momentsSentence("Original", c.Original), momentsSentence("Processed", c.Processed)}
	}
	p := plots{Writer: markup.New(w), charts: c}
	height := svgMargin
	for i := 0; i < len(all); i += 2 {
		height += svgTitle + rowHeight(all[i:]) + svgMargin
	}
	size := []string{strconv.Itoa(svgWidth), strconv.Itoa(height + len(notes)*svgTitle)}
	p.Open("svg", markup.A("xmlns", "http://www.w3.org/2000/svg"), markup.A("width", size[0]), markup.A("height", size[1]),
		markup.A("viewBox", "0 0 "+strings.Join(size, " ")), markup.A("role", "img"), markup.A("aria-label", "advantages, figures over the steps, solve rate"))
	p.Embedded("style", markup.NewAsset(pageFiles, "charts.css"))
	p.Void("rect", markup.Class("ground"), markup.A("width", size[0]), markup.A("height", size[1]))
	y := svgMargin
	for i, chart := range all {
		x := svgMargin + i%2*(plotWidth+svgMargin)
		p.label(float64(x), float64(y), chart.title, markup.Class("title"))
		p.label(float64(x+plotWidth), float64(y), chart.figures, markup.Class("number end"))
		p.at = []markup.Attribute{
			markup.A("x", strconv.Itoa(x)), markup.A("y", strconv.Itoa(y+svgTitle/2)), markup.A("width", strconv.Itoa(plotWidth)), markup.A("height", strconv.Itoa(chart.height)),
		}
		chart.draw(&p)
		p.Break()
		if i%2 == 1 || i == len(all)-1 {
			y += svgTitle + rowHeight(all[i-i%2:]) + svgMargin
		}
	}
	for i, note := range notes {
		p.label(svgMargin, float64(y+i*svgTitle), note)
	}
	p.Close()
	p.Break()
	return p.Flush()
}

// rowHeight returns the height of the first two charts side by side.
func rowHeight(charts []svgChart) int {
	height := 0
	for _, c := range charts[:min(2, len(charts))] {
		height = max(height, c.height)
	}
	return height
}
