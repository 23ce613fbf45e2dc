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
	sweepTextLines    = 5  // of the text below the map, where every ratio has a cell
	sweepMessageWidth = 50 // of the text in place of a map
)

// sweepStride returns 1 if there is room for a cell for every ratio, else 2: every other.
func (e env) sweepStride() int {
	n := len(sweep.DefaultRatios().Pos)
	if e.display.w-2 >= sweepAxisWidth+n*sweepCellWidth && e.display.h-4-2 >= n+sweepExtraLines+sweepTextLines {
		return 1
	}
	return 2
}

// sweepMapWidth returns the width of the map.
func (e env) sweepMapWidth() int {
	return sweepAxisWidth + ((len(sweep.DefaultRatios().Pos)-1)/e.sweepStride()+1)*sweepCellWidth
}

// hasWideSweep reports whether there is room for the text to the right of the map.
func (e env) hasWideSweep() bool {
	const minTextWidth = 46
	return e.display.w-e.sweepMapWidth()-2 >= minTextWidth
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

// sweepView draws the map, and to the right or below the cell under the cursor with its configuration,
// which is never cut: on a small screen fewer rows of the map are in sight.
func (a App) sweepView(w, h int) []string {
	if a.hasWideSweep() {
		mapW := a.sweepMapWidth() + 2
		return joinColumns(a.box(layout.Rect{W: mapW, H: h}, true, a.sweepMap(mapW-2, h-2)),
			a.box(layout.Rect{W: w - mapW, H: h}, false, a.sweepSidePane(w-mapW-2, h-2)))
	}
	n := (len(sweep.DefaultRatios().Pos)-1)/a.sweepStride() + 1
	small := h < n+sweepExtraLines+leastTextLines
	below := a.sweepPaneBelow(w-2, small)
	extra := sweepExtraLines
	if small {
		extra--
	}
	above := max(extra+1, min(n+extra, h-3-len(below.lines)))
	if free := h - 3 - above - len(below.lines); !small && a.sweep.grid != nil && free > 0 {
		words := wrapWords(a.cellWords(), w-2)
		below.lines = append(below.lines, words[:min(free, len(words))]...)
	}
	return a.joinedBoxes(w, above, h, a.sweepMap(w-2, above), below)
}

// leastTextLines are the lines below the map, borders among them, where the screen has room for the map:
// on a smaller one the legend goes into the line between the two.
const leastTextLines = 5

// joinedBoxes draws two boxes with one line between them in h lines, of which the first box has above lines
// of text.
func (e env) joinedBoxes(w, above, h int, first, second paneContent) []string {
	t, b := e.display.theme, borders(e.display.glyphs.ASCII)
	upper := e.box(layout.Rect{W: w, H: above + 2}, true, first)
	lower := e.box(layout.Rect{W: w, H: h - above - 1}, true, second)
	left, right := "├", "┤"
	if e.display.glyphs.ASCII {
		left, right = b.topLeft, b.topRight
	}
	lower[0] = strings.Replace(lower[0], t.Paint(themes.Focus, b.topLeft), t.Paint(themes.Focus, left), 1)
	if at := strings.LastIndex(lower[0], b.topRight); at >= 0 {
		lower[0] = lower[0][:at] + right + lower[0][at+len(b.topRight):]
	}
	return append(upper[:len(upper)-1], lower...)
}

// sweepMap draws the map in w×h cells, or as much of it as fits around the cursor.
func (a App) sweepMap(w, h int) paneContent {
	t := a.display.theme
	c := paneContent{title: a.sweepTitle(w)}
	if a.hasWideSweep() {
		c.note = a.sweepNote(w)
	}
	if at, varies := a.sweepFigure(); a.sweep.grid != nil && varies {
		c.lines = a.sweepGridLines(sweep.Figures()[at], h)
		if !a.hasWideSweep() {
			c.lines = beside(c.lines, a.adviceLines(adviceWidth), a.sweepMapWidth()+1, w)
		}
		return c
	}
	text := []string{"computing all pairs of ratios …"}
	switch {
	case a.sweep.job.err != nil:
		text = []string{a.sweep.job.err.Error()}
	case a.sweep.grid != nil:
		text = append([]string{a.adviceSentence(math.MaxInt32), ""}, a.equalFigures()...)
	}
	c.lines = []string{""}
	for _, line := range text {
		for _, part := range cells.Wrap(line, min(sweepMessageWidth, w-4)) {
			c.lines = append(c.lines, "  "+t.Paint(themes.Dim, part))
		}
	}
	return c
}

// sweepNote returns how far the map is, else which figures it does not show since all pairs give the same.
func (a App) sweepNote(w int) string {
	if text := a.sweepProgress(); text != "" {
		return text
	}
	at, varies := a.sweepFigure()
	if a.sweep.grid == nil || !varies {
		return ""
	}
	parts := a.equalFigures()
	if idle := a.idleRatio(sweep.Figures()[at]); idle != "" {
		parts = append([]string{idle}, parts...)
	}
	return cells.JoinFitting(w-4, " · ", parts...)
}

// sweepGridLines draws the cells between their axes, and below them what the shades mean if there is room.
func (a App) sweepGridLines(f sweep.Figure, h int) []string {
	t, g, stride := a.display.theme, a.sweep.grid, a.sweepStride()
	worst, best := a.sweepEnds(f)
	rows := (len(g.Pos)-1)/stride + 1
	extra := sweepExtraLines
	if h < rows+extra {
		extra--
	}
	visible := max(1, min(rows, h-extra))
	lines := []string{t.Paint(themes.Dim, cells.Justify(" keep_pos", "[ set  "+starMark+" best  "+frontMark+" no pair beats it", sweepAxisWidth+sweepCellWidth*((len(g.Neg)-1)/stride+1)))}
	atPos, atNeg := a.sweepCursor()
	first := windowTop(atPos/stride, rows, visible) // the lowest visible row
	for k := first + visible - 1; k >= first; k-- {
		i := k * stride
		line := t.Paint(themes.Dim, cells.FitRight(units.Fixed(g.Pos[i], 2), sweepAxisWidth-1)+" ")
		for j := 0; j < len(g.Neg); j += stride {
			c := g.At(a.settings.now.Recompute, i, j)
			level, known := a.sweepShade(f, c, worst, best)
			line += a.mark(onSweepCell, sweepCellNumber(i, j), a.sweepCellText(f, c, level, known, i == atPos && j == atNeg))
		}
		lines = append(lines, line)
	}
	axis := cells.Spaces(sweepAxisWidth)
	if extra < sweepExtraLines {
		axis = cells.Fit(" neg", sweepAxisWidth)
	}
	for j := 0; j < len(g.Neg); j += stride {
		axis += cells.FitRight(strings.TrimPrefix(strings.Replace(units.Fixed(g.Neg[j], 2), "1.00", "1.0", 1), "0"), sweepCellWidth)
	}
	lines = append(lines, t.Paint(themes.Dim, axis))
	if extra == sweepExtraLines {
		lines = append(lines, t.Paint(themes.Dim, cells.Spaces(sweepAxisWidth)+"keep_neg   ")+a.sweepLegend(f))
	}
	return lines
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// sweepCellText returns a cell: the figure on a shade of the theme, or behind a shade where
// there are no colours. Without a level the figure has no value.
func (a App) sweepCellText(f sweep.Figure, c *sweep.Cell, level int, known, cursor bool) string {
	t := a.display.theme
	text, mark := sweepNumber(f, c), a.adviceMark(c)
	if set := a.settings.now; abs(c.KeepPos-set.KeepPos) < 1e-9 && abs(c.KeepNeg-set.KeepNeg) < 1e-9 {
		text = "[" + text + "]"
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
		text = a.sweepShades(f)[level] + text[1:]
	}
	switch {
	case cursor:
		return t.Paint(themes.CurrentMatch, text)
	case !known:
		return t.Paint(themes.Dim, text)
	}
	return t.Paint(themes.Heat0+themes.Role(level), text)
}

// sweepPaneBelow describes the cell under the cursor below the map: its configuration, and a line for the
// star where there is no table beside the map. On a small screen the title has the legend.
func (a App) sweepPaneBelow(w int, small bool) paneContent {
	c := paneContent{title: " this pair", note: a.sweepNote(w)}
	if a.sweep.grid == nil {
		return c
	}
	c.title = a.configTitle(w)
	if at, varies := a.sweepFigure(); small && varies {
		set := a.cellSettings()
		pair := fmt.Sprintf(" pos %s  neg %s", units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2))
		c.title = cells.Justify(pair, a.sweepLegend(sweep.Figures()[at]), w-2)
	}
	for _, line := range a.configLines(w - 1) {
		c.lines = append(c.lines, " "+line)
	}
	if w-a.sweepMapWidth() < adviceWidth {
		c.lines = append(c.lines, " "+a.display.theme.Paint(themes.Title, cells.Truncate(a.adviceSentence(w-1), w-1)))
	}
	return c
}

// cellWords returns what the pair under the cursor does, its warnings first.
func (a App) cellWords() []string {
	t := a.display.theme
	i, j := a.sweepCursor()
	c := a.sweep.grid.At(a.settings.now.Recompute, i, j)
	var words []string
	for _, k := range c.Warned.Kinds() {
		text := "! " + string(k.Kind)
		if n := a.sweep.grid.Steps; n > 1 {
			text += fmt.Sprintf(" in %d of %d steps", k.Steps, n)
		}
		words = append(words, t.Paint(themes.Warn, text))
	}
	figure := func(name, value string) { words = append(words, t.Paint(themes.Dim, name+" ")+value) }
	figure("signal", units.Fraction(c.Signal, c.Groups))
	figure("kept", units.Fraction(c.Kept, c.Samples))
	figure("trained", units.Fraction(c.Trained, c.Samples))
	figure("mean", units.Signed(c.Mean()))
	figure("std", units.Fixed(c.Std(), 2))
	return words
}

// sweepSidePane describes the advice and the cell under the cursor to the right of the map, with the
// configuration of every framework.
func (a App) sweepSidePane(w, h int) paneContent {
	if a.sweep.grid == nil {
		return paneContent{title: " this pair"}
	}
	out := paneContent{title: a.configTitle(w)}
	for _, line := range a.configLines(w - 2) {
		out.lines = append(out.lines, " "+line)
	}
	out.lines = append(out.lines, "")
	for _, line := range a.adviceLines(w - 2) {
		out.lines = append(out.lines, " "+line)
	}
	for _, line := range cells.Wrap(frontMark+" no other pair is better in everything that is judged, and it raises no warning", w-2) {
		out.lines = append(out.lines, " "+a.display.theme.Paint(themes.Dim, line))
	}
	out.lines = append(append(out.lines, ""), wrapWords(a.cellWords(), w)...)
	own, _ := sweepConfig(a.cellSettings())
	for _, d := range trainer.Dialects() {
		if more := a.dialectLines(d, a.cellSettings(), w); d.Framework != own && len(out.lines)+len(more) <= h {
			out.lines = append(out.lines, more...)
		}
	}
	return out
}

// dialectLines returns the flags of a framework under its name.
func (e env) dialectLines(d trainer.Dialect, set model.Settings, w int) []string {
	lines := []string{"", " " + e.display.theme.Paint(themes.Title, d.Framework)}
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
