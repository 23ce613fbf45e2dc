package report

import (
	"fmt"
	"math"

	"vantage/model/report/markup"
	"vantage/model/sweep"
	"vantage/model/units"
)

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
