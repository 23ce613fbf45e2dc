package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model/sweep"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
)

// sweepFigure returns the figure of the map: the one that was chosen, or the next after it that is not
// the same for nearly all pairs, which a map cannot show. varies is false if no figure varies.
func (a App) sweepFigure() (index int, varies bool) {
	return a.nextVarying(a.sweep.figure, 1)
}

// nextVarying returns the first figure from an index on, in a direction, that varies over the map.
func (a App) nextVarying(from, by int) (index int, varies bool) {
	all := sweep.Figures()
	for i := range all {
		at := ((from+i*by)%len(all) + len(all)) % len(all)
		if a.sweep.grid == nil {
			return at, true
		}
		if _, others := a.usualValue(all[at]); len(others) > maxExceptions {
			return at, true
		}
	}
	return from, false
}

// maxExceptions is how many of the pairs may have another value than all others for a figure still to be
// said in words: keeping nothing at all is always such a pair.
const maxExceptions = 4

// usualValue returns a cell with the value that a figure has without a filter, and the pairs whose value
// differs from it so that a person would see it, at most one more than maxExceptions.
func (a App) usualValue(f sweep.Figure) (usual *sweep.Cell, others []*sweep.Cell) {
	g, on := a.sweep.grid, a.settings.now.Recompute
	usual = g.At(on, len(g.Pos)-1, len(g.Neg)-1)
	for i := range g.Pos {
		for j := range g.Neg {
			if c := g.At(on, i, j); !sameFigure(f, c, usual) {
				if others = append(others, c); len(others) > maxExceptions {
					return usual, others
				}
			}
		}
	}
	return usual, others
}

// sameFigure reports whether a figure of two cells looks the same.
func sameFigure(f sweep.Figure, c, o *sweep.Cell) bool {
	x, y, least := f.Value(c), f.Value(o), 0.005
	switch {
	case f.Total != nil:
		least *= float64(max(1, f.Total(c)))
	case abs(y) > 1:
		least *= abs(y)
	}
	return abs(x-y) < least || x != x && y != y
}

// moveSweepFigure shows the next figure that varies, or the one before.
func (a App) moveSweepFigure(by int) App {
	shown, _ := a.sweepFigure()
	next, _ := a.nextVarying(shown+by, by)
	if next == shown {
		a.notice = "no other figure varies over the pairs: " + strings.Join(a.equalFigures(), " · ")
	}
	a.sweep.figure = next
	return a
}

// equalFigures says which figures are the same for all pairs, or for all but a few, the chosen one first:
// "all 441 pairs: short 0, flips 0", "all but 0.00/0.00: signal 62%".
func (a App) equalFigures() []string {
	g := a.sweep.grid
	if g == nil {
		return nil
	}
	var heads []string
	values, all := map[string]string{}, sweep.Figures()
	for i := range all {
		f := all[(a.sweep.figure+i)%len(all)]
		usual, others := a.usualValue(f)
		head := fmt.Sprintf("all %d pairs", len(g.Pos)*len(g.Neg))
		switch {
		case len(others) > maxExceptions, math.IsNaN(f.Value(usual)):
			continue
		case len(others) == 1:
			head = fmt.Sprintf("all but %s/%s", units.Fixed(others[0].KeepPos, 2), units.Fixed(others[0].KeepNeg, 2))
		case len(others) > 1:
			head = fmt.Sprintf("all but %d pairs", len(others))
		}
		if _, known := values[head]; !known {
			heads = append(heads, head)
			values[head] = head + ": "
		} else {
			values[head] += ", "
		}
		values[head] += f.Label + " " + sweepShare(f, usual)
	}
	for i, head := range heads {
		heads[i] = values[head]
	}
	return heads
}

// idleRatio says which ratio changes nothing in a figure unless it is 0, "" if both do.
func (a App) idleRatio(f sweep.Figure) string {
	g, on := a.sweep.grid, a.settings.now.Recompute
	posIdle, negIdle := true, true
	for i := 1; i < len(g.Pos); i++ {
		for j := 1; j < len(g.Neg); j++ {
			posIdle = posIdle && sameFigure(f, g.At(on, i, j), g.At(on, len(g.Pos)-1, j))
			negIdle = negIdle && sameFigure(f, g.At(on, i, j), g.At(on, i, len(g.Neg)-1))
		}
	}
	switch {
	case posIdle && !negIdle:
		return "keep_pos above 0 changes nothing here"
	case negIdle && !posIdle:
		return "keep_neg above 0 changes nothing here"
	}
	return ""
}

// sweepTitle names the figure of the map, its unit, and what is swept, and says in full what it is where
// there is room.
func (a App) sweepTitle(w int) string {
	at, varies := a.sweepFigure()
	f := sweep.Figures()[at]
	name := f.Label + ", " + f.Unit
	if !varies {
		name = "every pair gives the same"
	}
	title := " " + a.display.theme.Paint(themes.Title, name) + " · " + a.scopeText() + " · recompute " + onOff(a.settings.now.Recompute)
	if doc := " — " + f.Doc; varies && cells.Width(title+doc)+2 <= w {
		title += doc
	}
	return title
}

// sweepEnds returns the worst and the best cell of a figure, or the least and the most where it is not
// judged; nil if it has no value.
func (a App) sweepEnds(f sweep.Figure) (worst, best *sweep.Cell) {
	g := a.sweep.grid
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range g.Pos {
		for j := range g.Neg {
			c := g.At(a.settings.now.Recompute, i, j)
			x := f.Better.Merit(f.Value(c))
			if x-x != 0 {
				continue
			}
			if x < lo {
				lo, worst = x, c
			}
			if x > hi {
				hi, best = x, c
			}
		}
	}
	return worst, best
}

// sweepLegend says what the shades mean, the good end at the right.
func (a App) sweepLegend(f sweep.Figure) string {
	t := a.display.theme
	worst, best := a.sweepEnds(f)
	if worst == nil {
		return ""
	}
	low, high := "worst ", " best"
	if f.Better == sweep.NotJudged {
		low, high = "least ", " most"
	}
	text := t.Paint(themes.Dim, low+sweepShare(f, worst)+" ")
	for i, mark := range a.sweepShades(f) {
		if t.HasHeatColors() {
			mark = "  "
		}
		text += t.Paint(themes.Heat0+themes.Role(i), mark)
	}
	return text + t.Paint(themes.Dim, " "+sweepShare(f, best)+high)
}

// sweepShades returns the shades without colours, from the worst to the best. What is bad has the most ink:
// most pairs are good, and their numbers are to be read.
func (e env) sweepShades(f sweep.Figure) []string {
	marks := []string{" ", "░", "▒", "▓", "█"}
	if e.display.glyphs.ASCII {
		marks = []string{" ", ".", ":", "+", "#"}
	}
	if f.Better != sweep.NotJudged {
		slices.Reverse(marks)
	}
	return marks
}

// sweepShade returns the level of a value between that of the worst and that of the best cell.
func (e env) sweepShade(f sweep.Figure, c, worst, best *sweep.Cell) (level int, known bool) {
	x := f.Better.Merit(f.Value(c))
	if worst == nil || x-x != 0 {
		return 0, false
	}
	lo, hi := f.Better.Merit(f.Value(worst)), f.Better.Merit(f.Value(best))
	if hi <= lo {
		return 0, true
	}
	return int(math.Round((x - lo) / (hi - lo) * float64(themes.Heat4-themes.Heat0))), true
}

// sweepShare is sweepNumber with the sign of percent.
func sweepShare(f sweep.Figure, c *sweep.Cell) string {
	if text := sweepNumber(f, c); f.Total != nil && text != "0" {
		return text + "%"
	}
	return sweepNumber(f, c)
}

// sweepNumber returns the figure in three characters: a share in percent, or a number with
// as many digits as fit.
func sweepNumber(f sweep.Figure, c *sweep.Cell) string {
	x := f.Value(c)
	switch {
	case x-x != 0:
		return units.Missing
	case f.Total != nil:
		share := 100 * x / float64(max(1, f.Total(c)))
		if share > 0 && share < 1 {
			return "<1"
		}
		return fmt.Sprintf("%.0f", math.Round(share)) // as fractions are rounded
	}
	return shortNumber(x)
}

// shortNumber returns a number in three characters, without the zero before the point.
func shortNumber(x float64) string {
	size := abs(x)
	switch {
	case size < 0.005:
		return "0"
	case size < 0.995 && x > 0:
		return strings.TrimPrefix(fmt.Sprintf("%.2f", x), "0")
	case size < 0.95:
		return strings.Replace(fmt.Sprintf("%.1f", x), "-0", "−", 1)
	case x > 0 && size < 9.95:
		return fmt.Sprintf("%.1f", x)
	case size < 999.5:
		return strings.Replace(fmt.Sprintf("%.0f", x), "-", "−", 1)
	case size < 99.5e3:
		return fmt.Sprintf("%.0fk", x/1e3)
	case size < 949.5e3:
		return strings.TrimPrefix(fmt.Sprintf("%.1fM", x/1e6), "0")
	case size < 99.5e6:
		return fmt.Sprintf("%.0fM", x/1e6)
	}
	return ">9M"
}
