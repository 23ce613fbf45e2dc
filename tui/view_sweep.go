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

// The layout of the map: a cell is a shade and three characters, the axes are on the left
// and below.
const (
	sweepCellWidth    = 4
	sweepAxisWidth    = 6
	sweepExtraLines   = 3  // besides the cells: a title, the axis below and its name
	sweepTextLines    = 5  // of the text below the map
	sweepMessageWidth = 50 // of the text in place of a map
)

// sweepStride returns 1 if there is room for a cell for every ratio, else 2: every other.
func (a App) sweepStride() int {
	n := len(sweep.DefaultRatios().Pos)
	if a.display.w-2 >= sweepAxisWidth+n*sweepCellWidth && a.display.h-4-2 >= n+sweepExtraLines+sweepTextLines {
		return 1
	}
	return 2
}

// sweepMapWidth returns the width of the map.
func (a App) sweepMapWidth() int {
	return sweepAxisWidth + ((len(sweep.DefaultRatios().Pos)-1)/a.sweepStride()+1)*sweepCellWidth
}

// hasWideSweep reports whether there is room for the text to the right of the map.
func (a App) hasWideSweep() bool {
	const minTextWidth = 46
	return a.display.w-a.sweepMapWidth()-2 >= minTextWidth
}

// beside returns lines with others to the right of them, from column at on, if these fit into w columns.
func beside(lines, right []string, at, w int) []string {
	if w-at < adviceWidth {
		return lines
	}
	for i := range lines {
		if i < len(right) {
			lines[i] = cells.Fit(lines[i], at) + right[i]
		}
	}
	return lines
}

// sweepView draws the map, and to the right or below the cell under the cursor.
func (a App) sweepView(w, h int) []string {
	n := (len(sweep.DefaultRatios().Pos)-1)/a.sweepStride() + 1
	mapW, mapH := a.sweepMapWidth()+2, n+sweepExtraLines+2
	if a.hasWideSweep() {
		return joinColumns(a.box(layout.Rect{W: mapW, H: h}, true, a.sweepMap(h-2)),
			a.box(layout.Rect{W: w - mapW, H: h}, false, a.sweepCellPane(w-mapW-4, h)))
	}
	mapH = min(mapH, h-4)
	return append(a.box(layout.Rect{W: w, H: mapH}, true, a.sweepMap(mapH-2)),
		a.box(layout.Rect{W: w, H: h - mapH}, false, a.sweepCellPane(w-4, h-mapH))...)
}

// sweepMap draws the map in h lines, or as much of it as fits around the cursor.
func (a App) sweepMap(h int) paneContent {
	t, f := a.display.theme, sweep.Figures()[a.sweep.figure]
	c := paneContent{title: fmt.Sprintf(" %s · %s · recompute %s — %s", f.Name, a.scopeText(), onOff(a.settings.now.Recompute), f.Doc), note: a.sweepProgress()}
	if a.sweep.grid != nil {
		c.lines = a.sweepGridLines(f, h)
		if !a.hasWideSweep() {
			c.lines = beside(c.lines, a.adviceLines(adviceWidth), a.sweepMapWidth()+1, a.display.w-2)
		}
		return c
	}
	text := "computing every pair of ratios …"
	if a.sweep.err != nil {
		text = a.sweep.err.Error()
	}
	c.lines = []string{""}
	for _, line := range cells.Wrap(text, sweepMessageWidth) {
		c.lines = append(c.lines, "  "+t.Paint(themes.Dim, line))
	}
	return c
}

// sweepGridLines draws the cells between their axes.
func (a App) sweepGridLines(f sweep.Figure, h int) []string {
	t, g, stride := a.display.theme, a.sweep.grid, a.sweepStride()
	lo, hi := a.sweepRange(f)
	rows := (len(g.Pos)-1)/stride + 1
	visible := max(1, min(rows, h-sweepExtraLines))
	lines := []string{t.Paint(themes.Dim, cells.Justify(" keep_pos", "[ ] set  "+starMark+" best  "+frontMark+" unbeaten", sweepAxisWidth+sweepCellWidth*((len(g.Neg)-1)/stride+1)))}
	atPos, atNeg := a.sweepCursor()
	first := windowTop(atPos/stride, rows, visible) // the lowest visible row
	for k := first + visible - 1; k >= first; k-- {
		i := k * stride
		line := t.Paint(themes.Dim, cells.FitRight(units.Fixed(g.Pos[i], 2), sweepAxisWidth-1)+" ")
		for j := 0; j < len(g.Neg); j += stride {
			line += a.sweepCellText(f, g.At(a.settings.now.Recompute, i, j), lo, hi, i == atPos && j == atNeg)
		}
		lines = append(lines, line)
	}
	axis := cells.Spaces(sweepAxisWidth)
	for j := 0; j < len(g.Neg); j += stride {
		axis += cells.FitRight(strings.TrimPrefix(strings.Replace(units.Fixed(g.Neg[j], 2), "1.00", "1.0", 1), "0"), sweepCellWidth)
	}
	return append(lines, t.Paint(themes.Dim, axis), t.Paint(themes.Dim, cells.Spaces(sweepAxisWidth)+"keep_neg   ")+a.sweepLegend(f))
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func (a App) sweepLegend(f sweep.Figure) string {
	t, marks := a.display.theme, a.sweepShades()
	text := "least "
	for i, mark := range marks {
		if t.HasHeatColors() {
			mark = "  "
		}
		text += t.Paint(themes.Heat0+themes.Role(i), mark)
	}
	text += t.Paint(themes.Dim, " most")
	if f.Total != nil {
		text += t.Paint(themes.Dim, ", in %")
	}
	return text
}

// sweepRange returns the smallest and the largest value on the map.
func (a App) sweepRange(f sweep.Figure) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	g := a.sweep.grid
	for i := range g.Pos {
		for j := range g.Neg {
			if x := f.Value(g.At(a.settings.now.Recompute, i, j)); x-x == 0 {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
	}
	return lo, hi
}

// sweepShades returns the shades without colours, from the least to the most.
func (a App) sweepShades() []string {
	if a.display.glyphs.ASCII {
		return []string{" ", ".", ":", "+", "#"}
	}
	return []string{" ", "░", "▒", "▓", "█"}
}

// sweepCellText returns a cell: the figure on a shade of the theme, or behind a shade where
// there are no colours.
func (a App) sweepCellText(f sweep.Figure, c *sweep.Cell, lo, hi float64, cursor bool) string {
	t, marks, x := a.display.theme, a.sweepShades(), f.Value(c)
	shade := 0
	if hi > lo && x-x == 0 {
		shade = int(math.Round((x - lo) / (hi - lo) * float64(len(marks)-1)))
	}
	text, mark := cells.FitRight(sweepNumber(f, c), sweepCellWidth-1), a.adviceMark(c)
	if set := a.settings.now; abs(c.KeepPos-set.KeepPos) < 1e-9 && abs(c.KeepNeg-set.KeepNeg) < 1e-9 {
		text = "[" + strings.TrimSpace(text) + "]"
		if cells.Width(text) > sweepCellWidth {
			text = strings.TrimSuffix(text, "]")
		}
	}
	text = cells.FitRight(text, sweepCellWidth)
	switch {
	case mark == "":
	case text[0] == ' ':
		text = mark + text[1:]
	case strings.HasSuffix(text, "]"):
		text = strings.TrimSuffix(text, "]") + mark
	}
	if !t.HasHeatColors() && text[0] == ' ' {
		text = marks[shade] + text[1:]
	}
	if cursor {
		return t.Paint(themes.CurrentMatch, text)
	}
	return t.Paint(themes.Heat0+themes.Role(shade), text)
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
		return fmt.Sprintf("%.0f", share)
	case abs(x) < 0.005:
		return "0"
	case abs(x) < 1 && x < 0:
		return strings.Replace(fmt.Sprintf("%.1f", x), "-0", "−", 1)
	case abs(x) < 1:
		return strings.TrimPrefix(fmt.Sprintf("%.2f", x), "0")
	}
	text := fmt.Sprintf("%.3g", x)
	return strings.Replace(text[:min(3, len(text))], "-", "−", 1)
}

// sweepCellPane describes the cell under the cursor, with the flags of the trainers.
func (a App) sweepCellPane(w, h int) paneContent {
	t := a.display.theme
	if a.sweep.grid == nil {
		return paneContent{title: " this pair"}
	}
	i, j := a.sweepCursor()
	c := a.sweep.grid.At(a.settings.now.Recompute, i, j)
	out := paneContent{title: fmt.Sprintf(" keep_pos %s  keep_neg %s", units.Fixed(c.KeepPos, 2), units.Fixed(c.KeepNeg, 2))}
	figure := func(name, value string) string { return t.Paint(themes.Dim, name+" ") + value }
	words := []string{
		figure("signal", units.Fraction(c.Signal, c.Groups)), figure("kept", units.Fraction(c.Kept, c.Samples)), figure("trained", units.Fraction(c.Trained, c.Samples)),
		figure("killed", units.Count(c.Killed)), figure("short", units.Count(c.Short)), figure("flips", units.Count(c.Flips)),
		figure("Σ|A|", units.Times(c.AbsRatio())), figure("effective", units.Brief(c.Effective())), figure("mean", units.Signed(c.Mean())), figure("std", units.Fixed(c.Std(), 2)),
	}
	for _, k := range c.Warned.Kinds() {
		words = append(words, t.Paint(themes.Warn, fmt.Sprintf("%s %d/%d", k.Kind, k.Steps, a.sweep.grid.Steps)))
	}
	switch {
	case a.hasWideSweep():
		for _, line := range a.adviceLines(w - 1) {
			out.lines = append(out.lines, " "+line)
		}
		out.lines = append(out.lines, "")
	case a.display.w-2-a.sweepMapWidth() < adviceWidth:
		out.lines = append(out.lines, " "+t.Paint(themes.Title, cells.Truncate(a.adviceSentence(), w-1)))
	}
	out.lines = append(out.lines, wrapWords(words, w)...)
	set := a.settings.now
	set.KeepPos, set.KeepNeg = c.KeepPos, c.KeepNeg
	if h < heightForAllDialects {
		return a.briefDialect(out, set, w)
	}
	for _, d := range trainer.Dialects() {
		out.lines = append(out.lines, a.dialectLines(d, set, w)...)
	}
	return out
}

// heightForAllDialects is the height from which there are the flags of every framework.
const heightForAllDialects = 24

// briefDialect adds the flags of the framework at work, in as few lines as they need.
func (a App) briefDialect(out paneContent, set model.Settings, w int) paneContent {
	if d, ok := trainer.Find(set.Framework); ok {
		for _, line := range cells.Wrap(strings.Join(d.Emit(set), " "), w-2) {
			out.lines = append(out.lines, " "+line)
		}
	}
	return out
}

// dialectLines returns the flags of a framework under its name.
func (a App) dialectLines(d trainer.Dialect, set model.Settings, w int) []string {
	lines := []string{"", " " + a.display.theme.Paint(themes.Title, d.Framework)}
	for _, line := range d.Emit(set) {
		for _, part := range cells.Wrap(line, w-3) {
			lines = append(lines, "   "+part)
		}
	}
	return lines
}

// wrapWords joins words to lines of w cells.
func wrapWords(words []string, w int) []string {
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
