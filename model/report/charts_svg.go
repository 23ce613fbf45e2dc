package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"vantage/model/units"
)

// Sizes in pixels, and counts of parts.
const (
	svgWidth        = 760
	svgMargin       = 24
	svgBars         = 61 // odd: one column is the zero
	svgHalfHeight   = 84 // of the distribution, above and below its axis
	svgTrendHeight  = 64
	svgTrendColumns = 3
	svgBarHeight    = 20 // of a solve rate
)

// svgStyle follows the light or dark scheme of the reader's page. Blue is positive, orange
// negative; the signs at the axis say so without colour.
const svgStyle = `<style>
text { fill: #1f2328; font: 12px system-ui, sans-serif; }
.ground { fill: #ffffff; } .dim { fill: #6e7781; } .title { font-weight: 600; } .number { font-variant-numeric: tabular-nums; }
.plus { fill: #0969da; } .minus { fill: #bc4c00; } .axis { stroke: #d0d7de; } .line { stroke: #0969da; stroke-width: 1.5; stroke-linecap: round; fill: none; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .ground { fill: #0d1117; } .dim { fill: #8b949e; }
.plus { fill: #58a6ff; } .minus { fill: #f0883e; } .axis { stroke: #30363d; } .line { stroke: #58a6ff; }
}
</style>
`

// SVG writes all charts as one picture.
func SVG(w io.Writer, c *Charts) error {
	s := &svg{out: bufio.NewWriter(w)}
	var parts []func(*Charts)
	height := svgMargin
	if c.hasDistribution() {
		parts, height = append(parts, s.distribution), height+2*svgHalfHeight+92
	}
	if rows := (len(c.availableTrends()) + svgTrendColumns - 1) / svgTrendColumns; c.Steps > 1 {
		parts, height = append(parts, s.trends), height+40+rows*(svgTrendHeight+44)
	}
	if c.hasSolved() {
		parts, height = append(parts, s.solved), height+56+len(c.Solved)*svgBarHeight
	}
	fmt.Fprintf(s.out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="advantages, figures over the steps, solve rate">`+"\n", svgWidth, height)
	fmt.Fprint(s.out, svgStyle)
	fmt.Fprintf(s.out, `<rect class="ground" width="%d" height="%d"/>`+"\n", svgWidth, height)
	s.y = svgMargin
	for _, part := range parts {
		part(c)
	}
	fmt.Fprint(s.out, "</svg>\n")
	return s.out.Flush()
}

// availableTrends returns the trends with values.
func (c *Charts) availableTrends() []trendLine {
	var list []trendLine
	for _, l := range c.Trends {
		if l.hasValue() {
			list = append(list, l)
		}
	}
	return list
}

// svg is a picture being drawn, from the top down to y.
type svg struct {
	out *bufio.Writer
	y   int
}

func (s *svg) text(x, y int, class, anchor, text string) {
	fmt.Fprintf(s.out, `<text x="%d" y="%d" class="%s" text-anchor="%s">%s</text>`+"\n", x, y, class, anchor, svgEscape(text))
}

func (s *svg) distribution(c *Charts) {
	s.text(svgMargin, s.y+12, "title", "start", fmt.Sprintf("Advantages of %s: original above the line, processed below", c.stepRange()))
	axis := s.y + 28 + svgHalfHeight
	limit, original, processed, tallest := c.bins(svgBars)
	width := float64(svgWidth-2*svgMargin) / svgBars
	for i := range original {
		class := "plus"
		if i < svgBars/2 {
			class = "minus"
		}
		x := svgMargin + float64(i)*width
		s.bar(x, float64(axis)-scaledHeight(original[i], tallest), width-1, scaledHeight(original[i], tallest), class)
		s.bar(x, float64(axis), width-1, scaledHeight(processed[i], tallest), class)
	}
	fmt.Fprintf(s.out, `<path class="axis" d="M%d %d H%d"/>`+"\n", svgMargin, axis, svgWidth-svgMargin)
	below := axis + svgHalfHeight + 16
	s.text(svgMargin, below, "dim", "start", "−"+units.Short(limit))
	s.text(svgWidth/2, below, "dim", "middle", "0")
	s.text(svgWidth-svgMargin, below, "dim", "end", "+"+units.Short(limit))
	s.text(svgMargin, below+18, "number", "start", momentsText("original", c.Original))
	s.text(svgMargin, below+34, "number", "start", momentsText("processed", c.Processed))
	s.y = below + 34 + 14
}

func scaledHeight(n, tallest int) float64 { return float64(n) / float64(tallest) * svgHalfHeight }

func (s *svg) bar(x, y, w, h float64, class string) {
	if h > 0 {
		fmt.Fprintf(s.out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="%s"/>`+"\n", x, y, w, max(1, h), class)
	}
}

func (s *svg) trends(c *Charts) {
	s.text(svgMargin, s.y+24, "title", "start", fmt.Sprintf("Over %s", c.stepRange()))
	s.y += 40
	const gap = 20
	width := (svgWidth - 2*svgMargin - (svgTrendColumns-1)*gap) / svgTrendColumns
	list := c.availableTrends()
	for i, l := range list {
		x := svgMargin + i%svgTrendColumns*(width+gap)
		s.trend(l, x, width)
		if i%svgTrendColumns == svgTrendColumns-1 || i == len(list)-1 {
			s.y += svgTrendHeight + 44
		}
	}
}

// trend draws one figure between its minimum and maximum. The line breaks at a step
// without a value.
func (s *svg) trend(l trendLine, x, width int) {
	s.text(x, s.y+12, "title", "start", l.Name)
	s.text(x+width, s.y+12, "number", "end", units.Short(l.First)+" → "+units.Short(l.Last))
	var path strings.Builder
	pen := "M"
	for i, v := range l.Values {
		if v != v {
			pen = "M"
			continue
		}
		at := 0.5
		if l.Max > l.Min {
			at = (v/2 - l.Min/2) / (l.Max/2 - l.Min/2)
		}
		fmt.Fprintf(&path, "%s%.1f %.1f ", pen, float64(x)+float64(i)/float64(max(1, len(l.Values)-1))*float64(width), float64(s.y+20)+(1-at)*svgTrendHeight)
		if pen == "M" {
			path.WriteString("h0 ") // a dot, in case no point follows
		}
		pen = "L"
	}
	fmt.Fprintf(s.out, `<path class="axis" d="M%d %d H%d"/><path class="line" d="%s"/>`+"\n", x, s.y+20+svgTrendHeight, x+width, strings.TrimSpace(path.String()))
	s.text(x, s.y+20+svgTrendHeight+13, "dim number", "start", units.Short(l.Min)+" to "+units.Short(l.Max))
}

func (s *svg) solved(c *Charts) {
	s.text(svgMargin, s.y+24, "title", "start", fmt.Sprintf("Groups of %s by how many of their samples reach %s", c.stepRange(), c.SolvedAt))
	s.y += 36
	tallest, all := c.solvedTotals()
	const left, right = 110, 120
	for i, name := range solveBinNames() {
		n := c.Solved[i].Count
		y := s.y + i*svgBarHeight
		s.text(left-8, y+14, "dim", "end", name)
		width := n / max(1, tallest) * (svgWidth - left - right - svgMargin)
		s.bar(left, float64(y+3), width, svgBarHeight-6, "plus")
		s.text(left+int(width)+8, y+14, "number", "start", units.Fraction(int(n), int(all)))
	}
	s.y += len(c.Solved) * svgBarHeight
}
