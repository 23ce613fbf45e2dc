package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
			a.box(layout.Rect{W: w - mapW, H: h}, false, a.sweep.sweepSidePane(a.env, w-mapW-2, h-2)))
	}
	n := (len(sweep.DefaultRatios().Pos)-1)/a.sweepStride() + 1
	small := h < n+sweepExtraLines+leastTextLines
	below := a.sweep.sweepPaneBelow(a.env, w-2, small)
	extra := sweepExtraLines
	if small {
		extra--
	}
	above := max(extra+1, min(n+extra, h-3-len(below.lines)))
	if free := h - 3 - above - len(below.lines); !small && a.sweep.grid != nil && free > 0 {
		words := wrapWords(a.sweep.cellWords(a.env), w-2)
		below.lines = append(below.lines, words[:min(free, len(words))]...)
	}
	return append(a.box(layout.Rect{W: w, H: above + 1, JoinsBelow: true}, true, a.sweepMap(w-2, above)),
		a.box(layout.Rect{W: w, H: h - above - 1, JoinsAbove: true}, true, below)...)
}

// leastTextLines are the lines below the map, borders among them, where the screen has room for the map:
// on a smaller one the legend goes into the line between the two.
const leastTextLines = 5

// sweepMap draws the map in w×h cells, or as much of it as fits around the cursor.
func (a App) sweepMap(w, h int) paneContent {
	t := a.display.theme
	c := paneContent{title: a.sweepTitle(w)}
	if a.hasWideSweep() {
		c.note = a.sweep.sweepNote(a.env, w)
	}
	if at, varies := a.sweep.sweepFigure(a.env); a.sweep.grid != nil && varies {
		c.lines = a.sweep.sweepGridLines(a.env, sweep.Figures()[at], h)
		if !a.hasWideSweep() {
			c.lines = beside(c.lines, a.sweep.adviceLines(a.env, adviceWidth), a.sweepMapWidth()+1, w)
		}
		return c
	}
	text := []string{"computing all pairs of ratios …"}
	switch {
	case a.sweep.job.err != nil:
		text = []string{a.sweep.job.err.Error()}
	case a.sweep.grid != nil:
		text = append([]string{a.sweep.adviceSentence(math.MaxInt32), ""}, a.sweep.equalFigures(a.env)...)
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
func (s sweepState) sweepNote(e env, w int) string {
	if text := s.sweepProgress(); text != "" {
		return text
	}
	at, varies := s.sweepFigure(e)
	if s.grid == nil || !varies {
		return ""
	}
	parts := s.equalFigures(e)
	if idle := s.idleRatio(e, sweep.Figures()[at]); idle != "" {
		parts = append([]string{idle}, parts...)
	}
	return cells.JoinFitting(w-4, " · ", parts...)
}

// sweepGridLines draws the cells between their axes, and below them what the shades mean if there is room.
func (s sweepState) sweepGridLines(e env, f sweep.Figure, h int) []string {
	t, g, stride := e.display.theme, s.grid, e.sweepStride()
	worst, best := s.sweepEnds(e, f)
	rows := (len(g.Pos)-1)/stride + 1
	extra := sweepExtraLines
	if h < rows+extra {
		extra--
	}
	visible := max(1, min(rows, h-extra))
	lines := []string{t.Paint(themes.Dim, cells.Justify(" keep_pos", "[ set  "+starMark+" best  "+frontMark+" no pair beats it", sweepAxisWidth+sweepCellWidth*((len(g.Neg)-1)/stride+1)))}
	atPos, atNeg := s.sweepCursor(e)
	first := windowTop(atPos/stride, rows, visible) // the lowest visible row
	for k := first + visible - 1; k >= first; k-- {
		i := k * stride
		line := t.Paint(themes.Dim, cells.FitRight(units.Fixed(g.Pos[i], 2), sweepAxisWidth-1)+" ")
		for j := 0; j < len(g.Neg); j += stride {
			c := g.At(e.settings.now.Recompute, i, j)
			level, known := e.sweepShade(f, c, worst, best)
			line += e.mark(onSweepCell, sweepCellNumber(i, j), s.sweepCellText(e, f, c, level, known, i == atPos && j == atNeg))
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
		lines = append(lines, t.Paint(themes.Dim, cells.Spaces(sweepAxisWidth)+"keep_neg   ")+s.sweepLegend(e, f))
	}
	return lines
}

// sweepCellText returns a cell: a mark or a blank, then the figure, in brackets if the cell is set, on a shade of the theme. A mark
// goes into the place of the closing bracket where the first column is taken; where there are no colours the shade is a character
// there. Without a level the figure has no value.
func (s sweepState) sweepCellText(e env, f sweep.Figure, c *sweep.Cell, level int, known, cursor bool) string {
	t := e.display.theme
	number, closing, lead := sweepNumber(f, c), "", ""
	if set := e.settings.now; abs(c.KeepPos-set.KeepPos) < 1e-9 && abs(c.KeepNeg-set.KeepNeg) < 1e-9 {
		if number = "[" + number; cells.Width(number) < sweepCellWidth {
			closing = "]"
		}
	}
	free := sweepCellWidth - cells.Width(number+closing)
	switch mark := s.adviceMark(c); {
	case free > 0 && mark != "":
		lead = mark
	case free > 0 && !t.HasHeatColors():
		lead = e.sweepShades(f)[level]
	case closing != "" && mark != "":
		closing = mark
	}
	text := lead + cells.Spaces(free-cells.Width(lead)) + number + closing
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
func (s sweepState) sweepPaneBelow(e env, w int, small bool) paneContent {
	c := paneContent{title: " this pair", note: s.sweepNote(e, w)}
	if s.grid == nil {
		return c
	}
	c.title = s.configTitle(e, w)
	if at, varies := s.sweepFigure(e); small && varies {
		set := s.cellSettings(e)
		pair := fmt.Sprintf(" pos %s  neg %s", units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2))
		c.title = cells.Justify(pair, s.sweepLegend(e, sweep.Figures()[at]), w-2)
	}
	for _, line := range s.configLines(e, w-1) {
		c.lines = append(c.lines, " "+line)
	}
	if w-e.sweepMapWidth() < adviceWidth {
		c.lines = append(c.lines, " "+e.display.theme.Paint(themes.Title, cells.Truncate(s.adviceSentence(w-1), w-1)))
	}
	return c
}

// cellWords returns what the pair under the cursor does, its warnings first.
func (s sweepState) cellWords(e env) []string {
	t := e.display.theme
	i, j := s.sweepCursor(e)
	c := s.grid.At(e.settings.now.Recompute, i, j)
	var words []string
	for _, k := range c.Warned.Kinds() {
		text := "! " + string(k.Kind)
		if n := s.grid.Steps; n > 1 {
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
func (s sweepState) sweepSidePane(e env, w, h int) paneContent {
	if s.grid == nil {
		return paneContent{title: " this pair"}
	}
	out := paneContent{title: s.configTitle(e, w)}
	for _, line := range s.configLines(e, w-2) {
		out.lines = append(out.lines, " "+line)
	}
	out.lines = append(out.lines, "")
	for _, line := range s.adviceLines(e, w-2) {
		out.lines = append(out.lines, " "+line)
	}
	for _, line := range cells.Wrap(frontMark+" no other pair is better in everything that is judged, and it raises no warning", w-2) {
		out.lines = append(out.lines, " "+e.display.theme.Paint(themes.Dim, line))
	}
	out.lines = append(append(out.lines, ""), wrapWords(s.cellWords(e), w)...)
	own, _ := sweepConfig(s.cellSettings(e))
	for _, d := range trainer.Dialects() {
		more := []string{"", " " + e.display.theme.Paint(themes.Title, d.Framework)}
		for _, line := range d.Emit(s.cellSettings(e)) {
			for _, part := range cells.Wrap(line, w-3) {
				more = append(more, "   "+part)
			}
		}
		if d.Framework != own && len(out.lines)+len(more) <= h {
			out.lines = append(out.lines, more...)
		}
	}
	return out
}

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

// sweepFigure returns the figure of the map: the one that was chosen, or the next after it that is not
// the same for nearly all pairs, which a map cannot show. varies is false if no figure varies.
func (s sweepState) sweepFigure(e env) (index int, varies bool) {
	return s.nextVarying(e, s.figure, 1)
}

// nextVarying returns the first figure from an index on, in a direction, that varies over the map.
func (s sweepState) nextVarying(e env, from, by int) (index int, varies bool) {
	all := sweep.Figures()
	for i := range all {
		at := ((from+i*by)%len(all) + len(all)) % len(all)
		if s.grid == nil {
			return at, true
		}
		if _, others := s.usualValue(e, all[at]); len(others) > maxExceptions {
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
func (s sweepState) usualValue(e env, f sweep.Figure) (usual *sweep.Cell, others []*sweep.Cell) {
	g, on := s.grid, e.settings.now.Recompute
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

func (a App) moveSweepFigure(by int) App {
	shown, _ := a.sweep.sweepFigure(a.env)
	next, _ := a.sweep.nextVarying(a.env, shown+by, by)
	if next == shown {
		a.notice = "no other figure varies over the pairs: " + strings.Join(a.sweep.equalFigures(a.env), " · ")
	}
	a.sweep.figure = next
	return a
}

// equalFigures says which figures are the same for all pairs, or for all but a few, the chosen one first:
// "all 441 pairs: short 0, flips 0", "all but 0.00/0.00: signal 62%".
func (s sweepState) equalFigures(e env) []string {
	g := s.grid
	if g == nil {
		return nil
	}
	var heads []string
	values, all := map[string]string{}, sweep.Figures()
	for i := range all {
		f := all[(s.figure+i)%len(all)]
		usual, others := s.usualValue(e, f)
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
func (s sweepState) idleRatio(e env, f sweep.Figure) string {
	g, on := s.grid, e.settings.now.Recompute
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
	at, varies := a.sweep.sweepFigure(a.env)
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
func (s sweepState) sweepEnds(e env, f sweep.Figure) (worst, best *sweep.Cell) {
	g := s.grid
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range g.Pos {
		for j := range g.Neg {
			c := g.At(e.settings.now.Recompute, i, j)
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
func (s sweepState) sweepLegend(e env, f sweep.Figure) string {
	t := e.display.theme
	worst, best := s.sweepEnds(e, f)
	if worst == nil {
		return ""
	}
	low, high := "worst ", " best"
	if f.Better == sweep.NotJudged {
		low, high = "least ", " most"
	}
	text := t.Paint(themes.Dim, low+sweepShare(f, worst)+" ")
	for i, mark := range e.sweepShades(f) {
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
