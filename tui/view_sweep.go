package tui

import (
	"fmt"
	"math"
	"strings"

	"vantage/model"
	"vantage/model/sweep"
	"vantage/model/trainer"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// The measures of the map: a cell is a mark and three characters, an axis stands on
// the left and below.
const (
	sweepCell  = 4
	sweepAxis  = 6
	sweepLines = 3  // beside the cells: a title, the axis below and its name
	sweepWords = 5  // rows that the words below the map want
	sweepSays  = 50 // the width of what is said where there is no map
)

// sweepStride is how many ratios there are from one cell to the next: every one where
// there is room, else every other.
func (a App) sweepStride() int {
	n := len(sweep.Usual().Pos)
	if a.look.w-2 >= sweepAxis+n*sweepCell && a.look.h-4-2 >= n+sweepLines+sweepWords {
		return 1
	}
	return 2
}

// sweepView is the map, and in words what the cell under the cursor does.
func (a App) sweepView(w, h int) []string {
	const beside = 46
	n := (len(sweep.Usual().Pos)-1)/a.sweepStride() + 1
	mapW, mapH := sweepAxis+n*sweepCell+2, n+sweepLines+2
	if w-mapW >= beside {
		left := a.box(layout.Rect{W: mapW, H: h}, true, a.sweepMap(h-2))
		right := a.box(layout.Rect{W: w - mapW, H: h}, false, a.sweepText(w-mapW-4, h))
		for i := range left {
			left[i] += right[i]
		}
		return left
	}
	mapH = min(mapH, h-4)
	return append(a.box(layout.Rect{W: w, H: mapH}, true, a.sweepMap(mapH-2)),
		a.box(layout.Rect{W: w, H: h - mapH}, false, a.sweepText(w-4, h-mapH))...)
}

// sweepMap draws the map in h lines: all of it, or the rows around the cursor.
func (a App) sweepMap(h int) content {
	t, f := a.look.theme, sweep.Figures()[a.sweep.figure]
	c := content{title: fmt.Sprintf(" %s · %s · recompute %s — %s", f.Name, a.scopeWords(), onOff(a.set.now.Recompute), f.Doc), note: a.sweepProgress()}
	if a.sweep.grid == nil {
		text := "computing every pair of ratios …"
		if a.sweep.err != nil {
			text = a.sweep.err.Error()
		}
		c.lines = []string{""}
		for _, line := range cells.Wrap(text, sweepSays) {
			c.lines = append(c.lines, "  "+t.Paint(themes.Dim, line))
		}
		return c
	}
	g, by := a.sweep.grid, a.sweepStride()
	lo, hi := a.sweepRange(f)
	rows := (len(g.Pos)-1)/by + 1
	seen := max(1, min(rows, h-sweepLines))
	c.lines = append(c.lines, t.Paint(themes.Dim, cells.Justify(" keep_pos", "[ ] as it is set", sweepAxis+sweepCell*((len(g.Neg)-1)/by+1))))
	atPos, atNeg := a.sweepAt()
	first := max(0, min(atPos/by-seen/2, rows-seen)) // of those seen, from below
	for k := first + seen - 1; k >= first; k-- {
		i := k * by
		line := t.Paint(themes.Dim, cells.FitRight(units.Fixed(g.Pos[i], 2), sweepAxis-1)+" ")
		for j := 0; j < len(g.Neg); j += by {
			line += a.sweepMark(f, g.At(a.set.now.Recompute, i, j), lo, hi, i == atPos && j == atNeg)
		}
		c.lines = append(c.lines, line)
	}
	axis := cells.Spaces(sweepAxis)
	for j := 0; j < len(g.Neg); j += by {
		axis += cells.FitRight(strings.TrimPrefix(strings.Replace(units.Fixed(g.Neg[j], 2), "1.00", "1.0", 1), "0"), sweepCell)
	}
	c.lines = append(c.lines, t.Paint(themes.Dim, axis), t.Paint(themes.Dim, cells.Spaces(sweepAxis)+"keep_neg   ")+a.sweepLegend(f))
	return c
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func (a App) sweepLegend(f sweep.Figure) string {
	t, marks := a.look.theme, a.sweepMarks()
	text := "least "
	for i, mark := range marks {
		if t.HasHeatColors() {
			mark = "  "
		}
		text += t.Paint(themes.Heat0+themes.Role(i), mark)
	}
	text += t.Paint(themes.Dim, " most")
	if f.Against != nil {
		text += t.Paint(themes.Dim, ", in %")
	}
	return text
}

// sweepRange is the least and the greatest value on the map.
func (a App) sweepRange(f sweep.Figure) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	g := a.sweep.grid
	for i := range g.Pos {
		for j := range g.Neg {
			if x := f.Of(g.At(a.set.now.Recompute, i, j)); x-x == 0 {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
	}
	return lo, hi
}

// sweepMarks are the shades of the map, from the least to the most.
func (a App) sweepMarks() []string {
	if a.look.glyphs.ASCII {
		return []string{" ", ".", ":", "+", "#"}
	}
	return []string{" ", "░", "▒", "▓", "█"}
}

// sweepMark is one cell: the figure on a shade of the theme, or behind a mark where
// there are no colours.
func (a App) sweepMark(f sweep.Figure, c *sweep.Cell, lo, hi float64, cursor bool) string {
	t, marks, x := a.look.theme, a.sweepMarks(), f.Of(c)
	shade := 0
	if hi > lo && x-x == 0 {
		shade = int(math.Round((x - lo) / (hi - lo) * float64(len(marks)-1)))
	}
	text := cells.FitRight(sweepNumber(f, c), sweepCell-1)
	if set := a.set.now; abs(c.KeepPos-set.KeepPos) < 1e-9 && abs(c.KeepNeg-set.KeepNeg) < 1e-9 {
		text = "[" + strings.TrimSpace(text) + "]"
		if cells.Width(text) > sweepCell {
			text = strings.TrimSuffix(text, "]") // [100 says it too
		}
	}
	text = cells.FitRight(text, sweepCell)
	if !t.HasHeatColors() && text[0] == ' ' {
		text = marks[shade] + text[1:]
	}
	if cursor {
		return t.Paint(themes.CurrentMatch, text)
	}
	return t.Paint(themes.Heat0+themes.Role(shade), text)
}

// sweepNumber is the figure in three characters: a share in percent, a number with as
// many digits as fit.
func sweepNumber(f sweep.Figure, c *sweep.Cell) string {
	x := f.Of(c)
	switch {
	case x-x != 0:
		return units.Missing
	case f.Against != nil:
		share := 100 * x / float64(max(1, f.Against(c)))
		if share > 0 && share < 1 {
			return "<1"
		}
		return fmt.Sprintf("%.0f", share)
	case abs(x) < 0.005:
		return "0"
	case abs(x) < 1 && x < 0:
		return strings.Replace(fmt.Sprintf("%.1f", x), "-0", "−", 1)
	case abs(x) < 1:
		return strings.TrimPrefix(fmt.Sprintf("%.2f", x), "0")
	}
	return strings.Replace(fmt.Sprintf("%.3g", x)[:min(3, len(fmt.Sprintf("%.3g", x)))], "-", "−", 1)
}

// sweepText says in words what the cell does, and how to tell the trainer.
func (a App) sweepText(w, h int) content {
	t := a.look.theme
	if a.sweep.grid == nil {
		return content{title: " this pair"}
	}
	i, j := a.sweepAt()
	c := a.sweep.grid.At(a.set.now.Recompute, i, j)
	out := content{title: fmt.Sprintf(" keep_pos %s  keep_neg %s", units.Fixed(c.KeepPos, 2), units.Fixed(c.KeepNeg, 2))}
	figure := func(name, value string) string { return t.Paint(themes.Dim, name+" ") + value }
	words := []string{
		figure("signal", units.Fraction(c.Signal, c.Groups)), figure("kept", units.Fraction(c.Kept, c.Samples)),
		figure("killed", units.Count(c.Killed)), figure("short", units.Count(c.Short)), figure("flips", units.Count(c.Flips)),
		figure("Σ|A|", units.Times(c.AbsRatio())), figure("mean", units.Signed(c.Mean())), figure("std", units.Fixed(c.Std(), 2)),
	}
	out.lines = flowWords(words, w)
	set := a.set.now
	set.KeepPos, set.KeepNeg = c.KeepPos, c.KeepNeg
	if h < tallWords {
		return a.briefDialect(out, set, w)
	}
	for _, d := range trainer.Dialects() {
		out.lines = append(out.lines, a.dialectLines(d, set, w)...)
	}
	return out
}

// tallWords is the height from which there is room for every framework's words.
const tallWords = 24

// briefDialect adds the words of the framework at work, in as few lines as they take.
func (a App) briefDialect(out content, set model.Settings, w int) content {
	if d, ok := trainer.Find(set.Framework); ok {
		for _, line := range cells.Wrap(strings.Join(d.Emit(set), " "), w-2) {
			out.lines = append(out.lines, " "+line)
		}
	}
	return out
}

// dialectLines are settings in a framework's words, under its name.
func (a App) dialectLines(d trainer.Dialect, set model.Settings, w int) []string {
	lines := []string{"", " " + a.look.theme.Paint(themes.Title, d.Framework)}
	for _, line := range d.Emit(set) {
		for _, part := range cells.Wrap(line, w-3) {
			lines = append(lines, "   "+part)
		}
	}
	return lines
}

// flowWords sets short pieces in lines.
func flowWords(words []string, w int) []string {
	var lines []string
	line := ""
	for _, word := range words {
		if line != "" && cells.Width(line)+3+cells.Width(word) > w {
			lines, line = append(lines, line), ""
		}
		line += " " + word + "  "
	}
	return append(lines, line)
}
