package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"vantage/model/sweep"
	"vantage/model/units"
)

// SweepSVG draws a heat map per figure, with a frame around the recommended cell.
func SweepSVG(w io.Writer, s Sweep) error {
	const cell, left, top, gap = 34, 70, 40, 60
	width := left + cell*len(s.Grid.Neg) + 20
	height := cell*len(s.Grid.Pos) + top + gap
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n", width, height*len(s.Figures)*len(s.Recompute))
	fmt.Fprintln(out, `<rect width="100%" height="100%" fill="#ffffff"/>`) // the page around it may be dark
	y := 0
	for _, recompute := range s.Recompute {
		for _, f := range s.Figures {
			s.heatMap(out, f, recompute, y, cell, left, top)
			y += height
		}
	}
	fmt.Fprint(out, "</svg>\n")
	return out.Flush()
}

func (s Sweep) heatMap(out io.Writer, f sweep.Figure, recompute bool, y, cell, left, top int) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range s.Grid.Pos {
		for j := range s.Grid.Neg {
			if x := f.Value(s.Grid.At(recompute, i, j)); x-x == 0 {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
	}
	text := func(x, y int, anchor, t string) {
		fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="%s">%s</text>`+"\n", x, y, anchor, svgEscape(t))
	}
	text(left, y+16, "start", fmt.Sprintf("%s: %s, compute_new_adv %s", f.Name, f.Doc, onOff(recompute)))
	text(left-8, y+top-6, "end", "keep_pos")
	for i := range s.Grid.Pos {
		row := y + top + (len(s.Grid.Pos)-1-i)*cell
		text(left-8, row+cell/2+4, "end", units.Fixed(s.Grid.Pos[i], 2))
		for j := range s.Grid.Neg {
			c := s.Grid.At(recompute, i, j)
			fill, textColour := shade(f.Value(c), lo, hi)
			fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`, left+j*cell, row, cell, cell, fill)
			fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle" fill="%s">%s</text>`+"\n", left+j*cell+cell/2, row+cell/2+4, textColour, svgEscape(sweepValue(f, c)))
		}
	}
	a := s.recommend(s.Goal)
	for i := range s.Grid.Pos {
		for j := range s.Grid.Neg {
			c := s.Grid.At(recompute, i, j)
			if a.IsChoice(c) {
				fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#bc4c00" stroke-width="2"><title>recommended: goal %s</title></rect>`+"\n",
					left+j*cell+1, y+top+(len(s.Grid.Pos)-1-i)*cell+1, cell-2, cell-2, svgEscape(s.Goal.String()))
			}
		}
	}
	below := y + top + len(s.Grid.Pos)*cell + 16
	for j, neg := range s.Grid.Neg {
		text(left+j*cell+cell/2, below, "middle", units.Fixed(neg, 2))
	}
	text(left, below+16, "start", "keep_neg")
}

// shade returns a blue for x, pale at lo and dark at hi, and a readable colour for text on it.
func shade(x, lo, hi float64) (fill, textColour string) {
	if x-x != 0 || hi <= lo {
		return "#eeeeee", "#000000"
	}
	at := (x - lo) / (hi - lo)
	mix := func(from, to float64) int { return int(math.Round(from + at*(to-from))) }
	textColour = "#000000"
	if at > 0.6 {
		textColour = "#ffffff"
	}
	return fmt.Sprintf("#%02x%02x%02x", mix(240, 8), mix(246, 69), mix(252, 148)), textColour
}

func svgEscape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
