package sweepmap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model/sweep"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// The layout of the map: a cell is a mark and three characters at least, the axes are on the left
// and below.
const (
	sweepCellWidth    = 4 // at least
	wideSweepCell     = 7 // at most
	sweepAxisWidth    = 6
	sweepExtraLines   = 3  // besides the cells: a title, the axis below and its name
	sweepTextLines    = 5  // of the text below the map, where every ratio has a cell
	sweepMessageWidth = 50 // of the text in place of a map
	sweepTextWidth    = 46 // the least of the text to the right of the map
	leastTextLines    = 5  // below the map, borders among them; on a smaller screen the legend goes into the line between the two
)

// sweepMap is the map as it is drawn: one figure of every pair of ratios.
type sweepMap struct {
	env        env.Env
	sweepState View         // with the cursor on a cell of the map
	scopeText  string       // what is swept
	stride     int          // the map has every so many ratios,
	rows       int          // so many of them,
	cellW      int          // of so many cells,
	cellH      int          // in so many lines each,
	width      int          // in so many cells with the axis
	isBeside   bool         // there is room for the text to the right of it
	Figure     sweep.Figure // the chosen one, or the next that varies
	varies     bool         // else no figure does

	Worst, Best *sweep.Cell // of the figure, or the least and the most where it is not judged; nil if it has no value
	set         *sweep.Cell // of the settings at work; nil: it is not on the map
	usual       string      // the figure that more than half of the cells have, which are grey; "" if none is so common
}

// Drawn lays the map out for the screen.
func (s View) Drawn(e env.Env) sweepMap {
	m := sweepMap{env: e, sweepState: s, scopeText: s.scopeText(e), stride: SweepStride(e)}
	m.sweepState.Pos, m.sweepState.Neg = s.SweepCursor(e)
	m.rows = (len(sweep.DefaultRatios().Pos)-1)/m.stride + 1
	m.isBeside = e.Display.W-sweepAxisWidth-m.rows*sweepCellWidth-2 >= sweepTextWidth
	beside := adviceWidth + 1
	if m.isBeside {
		beside = sweepTextWidth + 2
	}
	m.cellW = max(sweepCellWidth, min(wideSweepCell, (e.Display.W-2-sweepAxisWidth-beside)/m.rows))
	m.width, m.cellH = sweepAxisWidth+m.rows*m.cellW, 1
	if m.isBeside && e.Display.H-6 >= 2*m.rows+sweepExtraLines {
		m.cellH = 2
	}
	at, varies := s.shownFigure(e)
	m.Figure, m.varies = sweep.Figures()[at], varies
	if m.sweepState.Grid == nil {
		return m
	}
	lo, hi, set := math.Inf(1), math.Inf(-1), e.Settings.Now
	all := m.sweepState.Grid.Cells(set.Recompute)
	m.usual = UsualNumber(m.Figure, all)
	for i := range all {
		c := &all[i]
		if math.Abs(c.KeepPos-set.KeepPos) < 1e-9 && math.Abs(c.KeepNeg-set.KeepNeg) < 1e-9 {
			m.set = c
		}
		x := m.merit(c)
		if !units.IsFinite(x) {
			continue
		}
		if x < lo {
			lo, m.Worst = x, c
		}
		if x > hi {
			hi, m.Best = x, c
		}
	}
	return m
}

// UsualNumber returns what more than half of the cells say of a figure, "" if nothing is so common.
func UsualNumber(f sweep.Figure, all []sweep.Cell) string {
	seen := map[string]int{}
	for i := range all {
		number := SweepNumber(f, &all[i])
		if seen[number]++; 2*seen[number] > len(all) {
			return number
		}
	}
	return ""
}

func (m sweepMap) merit(c *sweep.Cell) float64 { return m.Figure.Better.Merit(m.Figure.Value(c)) }

func (m sweepMap) here() *sweep.Cell {
	return m.sweepState.Grid.At(m.env.Settings.Now.Recompute, m.sweepState.Pos, m.sweepState.Neg)
}

// Draw draws the map, and to the right or below the cell under the cursor with its configuration,
// which is never cut: on a small screen fewer rows of the map are in sight.
func (s *View) Draw(e env.Env, w, h int) []string {
	m := s.Drawn(e)
	if m.isBeside {
		left := m.width + 2
		return pane.JoinColumns(m.env.Display.Box(layout.Rect{W: left, H: h}, true, m.mapPane(left-2, h-2)),
			m.env.Display.Box(layout.Rect{W: w - left, H: h}, false, m.sidePane(w-left-2, h-2)))
	}
	extra, small := sweepExtraLines, h < m.rows+sweepExtraLines+leastTextLines
	if small {
		extra--
	}
	below := m.paneBelow(w-2, small)
	above := max(extra+1, min(m.rows+extra, h-3-len(below.Lines)))
	if free := h - 3 - above - len(below.Lines); !small && m.sweepState.Grid != nil && free > 0 {
		words := m.cellWords(w - 2)
		below.Lines = append(below.Lines, words[:min(free, len(words))]...)
	}
	return append(m.env.Display.Box(layout.Rect{W: w, H: above + 1, JoinsBelow: true}, true, m.mapPane(w-2, above)),
		m.env.Display.Box(layout.Rect{W: w, H: h - above - 1, JoinsAbove: true}, true, below)...)
}

// mapPane draws the map in w×h cells, or as much of it as fits around the cursor. The title names the figure, its unit, what is
// swept, and the goal.
func (m sweepMap) mapPane(w, h int) pane.Content {
	name, goal := m.Figure.Label+", "+m.Figure.Unit, m.sweepState.SweepGoal()
	if !m.varies {
		name = "every pair gives the same"
	}
	words := goal.Aim()
	c := pane.Content{Title: cells.JoinFitting(w-2, " · ", " "+m.env.Display.Theme.Paint(themes.Title, name), m.scopeText,
		"recompute "+units.OnOff(m.env.Settings.Now.Recompute), words)}
	if m.isBeside {
		c.Note = m.Note(w)
	}
	if m.sweepState.Grid != nil && m.varies {
		c.Lines = m.gridLines(h)
		if at := m.width + 1; !m.isBeside && w-at >= adviceWidth {
			advice := m.adviceLines(adviceWidth)
			for i := range min(len(c.Lines)-1, len(advice)) { // the first line is the legend's
				c.Lines[i+1] = cells.Fit(c.Lines[i+1], at) + advice[i]
			}
		}
		return c
	}
	text := []string{"computing all pairs of ratios …"}
	switch {
	case m.sweepState.Job.Err != nil:
		text = []string{m.sweepState.Job.Err.Error()}
	case m.sweepState.Grid != nil:
		text = append([]string{m.sweepState.adviceSentence(math.MaxInt32), ""}, m.sweepState.equalFigures(m.env)...)
		if hasMore := len(m.env.Snap.Steps) > 1; hasMore && m.sweepState.currentScope(m.env).Kind != env.ScopeAll {
			text = append(text, "", "> widens the map from "+m.scopeText+", at last to all steps of the run")
		}
	}
	return pane.Content{
		Title: c.Title, Note: c.Note,
		Lines: m.env.Display.SentenceLines(strings.Join(text, "\n"), themes.Dim, min(sweepMessageWidth+4, w)),
	}
}

// Note returns how far the map is, else which figures it does not show since all pairs give the same.
func (m sweepMap) Note(w int) string {
	if part := m.sweepState.Job.Value; m.sweepState.Job.Busy() && part.total > 1 {
		return fmt.Sprintf("%d/%d steps so far, newest first", part.Done, part.total)
	}
	if m.sweepState.Grid == nil || !m.varies {
		return ""
	}
	parts := m.sweepState.equalFigures(m.env)
	if idle := m.idleRatio(); idle != "" {
		parts = append([]string{idle}, parts...)
	}
	return cells.JoinFitting(w-4, "; ", parts...)
}

// gridLines draws the cells between their axes, and below them what the shades mean if there is room.
func (m sweepMap) gridLines(h int) []string {
	t, g, extra := m.env.Display.Theme, m.sweepState.Grid, sweepExtraLines
	if h < m.rows+extra {
		extra--
	}
	visible := max(1, min(m.rows, (h-extra)/m.cellH))
	set := m.env.Display.Glyphs.Dot + " yours"
	if m.set == nil {
		set = "yours is off the map"
	}
	lines := []string{t.Paint(themes.Dim, " keep_pos   "+set+"  "+pane.StarMark+" best  "+pane.FrontMark+" no pair beats it")}
	first := pane.WindowTop(m.sweepState.Pos/m.stride, m.rows, visible) // the lowest visible row
	for k := first + visible - 1; k >= first; k-- {
		i := k * m.stride
		label := units.Fixed(g.Pos[i], 2)
		for part := range m.cellH {
			line := t.Paint(themes.Dim, cells.FitRight(label, sweepAxisWidth-1)+" ")
			for j := 0; j < len(g.Neg); j += m.stride {
				line += m.env.Display.Mark(pane.OnSweepCell, SweepCellNumber(i, j), m.cell(g.At(m.env.Settings.Now.Recompute, i, j), part))
			}
			lines, label = append(lines, line), ""
		}
	}
	axis := cells.Spaces(sweepAxisWidth)
	if extra < sweepExtraLines {
		axis = cells.Fit(" neg", sweepAxisWidth)
	}
	for j := 0; j < len(g.Neg); j += m.stride {
		axis += m.padded(" ", strings.TrimPrefix(strings.Replace(units.Fixed(g.Neg[j], 2), "1.00", "1.0", 1), "0"))
	}
	lines = append(lines, t.Paint(themes.Dim, axis))
	if extra == sweepExtraLines {
		lines = append(lines, t.Paint(themes.Dim, cells.Spaces(sweepAxisWidth)+"keep_neg   ")+m.Legend())
	}
	return lines
}

// cell returns a line of a cell on a shade of the theme, the cursor's inverted: in the first line a mark and the figure. Where there are
// no colours the shade is a character in the place of the mark.
func (m sweepMap) cell(c *sweep.Cell, part int) string {
	t := m.env.Display.Theme
	level, known := m.Shade(c)
	lead, number := " ", ""
	if !t.HasHeatColors() {
		lead = m.shades()[level]
	}
	if part == 0 {
		lead, number = cmp.Or(m.sweepState.adviceMark(c), lead), m.number(c)
		if c == m.set && !m.sweepState.Advice.IsChoice(c) {
			lead = m.env.Display.Glyphs.Dot
		}
	}
	role := themes.Heat0 + themes.Role(level)
	switch {
	case c == m.here():
		role = themes.CurrentMatch
	case !known, SweepNumber(m.Figure, c) == m.usual:
		role = themes.Dim
	}
	return t.Paint(role, m.padded(lead, number))
}

// widthForDigits is the width of a cell from which a thousand has all of its digits, without which neighbours would look equal.
const widthForDigits = 6

// number returns the figure of a cell.
func (m sweepMap) number(c *sweep.Cell) string {
	x := m.Figure.Value(c)
	if isLong := math.Abs(x) >= 999.5 && math.Abs(x) < 9999.5; isLong && m.Figure.Total == nil && m.cellW >= widthForDigits {
		return fmt.Sprintf("%.0f", x)
	}
	return SweepNumber(m.Figure, c)
}

// padded returns a mark and a number, a blank behind it where there is room, in the width of a cell.
func (m sweepMap) padded(mark, number string) string {
	width := max(sweepCellWidth, m.cellW-1)
	return cells.Fit(mark+cells.FitRight(number, width-1), m.cellW)
}

// Shade returns the level of a cell between the worst and the best one; known is false if the figure has no value there.
func (m sweepMap) Shade(c *sweep.Cell) (level int, known bool) {
	x := m.merit(c)
	if !units.IsFinite(x) {
		return 0, false
	}
	lo, hi := m.merit(m.Worst), m.merit(m.Best)
	if hi <= lo {
		return 0, true
	}
	return int(math.Round((x - lo) / (hi - lo) * float64(themes.Heat4-themes.Heat0))), true
}

// shades returns the shades without colours, from the worst to the best. What is bad has the most ink:
// most pairs are good, and their numbers are to be read.
func (m sweepMap) shades() []string {
	marks := []string{" ", "░", "▒", "▓", "█"}
	if m.env.Display.Glyphs.ASCII {
		marks = []string{" ", ".", ":", "+", "#"}
	}
	if m.Figure.Better != sweep.NotJudged {
		slices.Reverse(marks)
	}
	return marks
}

// Legend says what the shades mean, the good end at the right.
func (m sweepMap) Legend() string {
	if m.Worst == nil {
		return ""
	}
	t, low, high := m.env.Display.Theme, "worst ", " best"
	if m.Figure.Better == sweep.NotJudged {
		low, high = "least ", " most"
	}
	text := t.Paint(themes.Dim, low+sweepShare(m.Figure, m.Worst)+" ")
	for i, mark := range m.shades() {
		if t.HasHeatColors() {
			mark = "  "
		}
		text += t.Paint(themes.Heat0+themes.Role(i), mark)
	}
	return text + t.Paint(themes.Dim, " "+sweepShare(m.Figure, m.Best)+high)
}

// paneBelow describes the cell under the cursor below the map: its configuration, and a line for the
// star where there is no table beside the map. On a small screen the title has the legend.
func (m sweepMap) paneBelow(w int, small bool) pane.Content {
	c := m.configPane(w, w-1)
	c.Note = m.Note(w)
	if m.sweepState.Grid == nil {
		return c
	}
	if small && m.varies {
		set := m.sweepState.pair(m.env)
		c.Title = cells.Justify(fmt.Sprintf(" pos %s  neg %s", units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2)), m.Legend(), w-2)
	}
	if w-m.width < adviceWidth {
		c.Lines = append(c.Lines, " "+m.env.Display.Theme.Paint(themes.Title, cells.Truncate(m.sweepState.adviceSentence(w-1), w-1)))
	}
	return c
}

// sidePane describes the cell under the cursor and the advice to the right of the map.
func (m sweepMap) sidePane(w, h int) pane.Content {
	c := m.configPane(w, w-2)
	if m.sweepState.Grid == nil {
		return c
	}
	c.Lines = append(c.Lines, "")
	c.Lines = append(c.Lines, cells.Indent(" ", m.adviceLines(w-2))...)
	c.Lines = append(append(c.Lines, ""), m.cellWords(w)...)
	c.Lines = append(c.Lines, m.frontLines(h-len(c.Lines)-1)...)
	addEverySecond := func(title string, n int, at func(i int) *sweep.Cell) {
		var pairs []*sweep.Cell
		for i := n - 1; i >= 0; i -= 2 {
			pairs = append(pairs, at(i))
		}
		if len(c.Lines)+len(pairs)+3 <= h {
			c.Lines = append(c.Lines, m.pairTable(title, pairs)...)
		}
	}
	here, recompute := m.here(), m.env.Settings.Now.Recompute // the map shows one figure of these
	addEverySecond(
		"at keep_pos "+units.Fixed(here.KeepPos, 2), len(m.sweepState.Grid.Neg),
		func(i int) *sweep.Cell { return m.sweepState.Grid.At(recompute, m.sweepState.Pos, i) },
	)
	addEverySecond(
		"at keep_neg "+units.Fixed(here.KeepNeg, 2), len(m.sweepState.Grid.Pos),
		func(i int) *sweep.Cell { return m.sweepState.Grid.At(recompute, i, m.sweepState.Neg) },
	)
	return c
}

// frontLines lists the pairs that no other beats in at most n lines: those that keep most of the signal first.
func (m sweepMap) frontLines(n int) []string {
	var front []*sweep.Cell
	all := m.sweepState.Grid.Cells(m.env.Settings.Now.Recompute)
	for i := range all {
		if c := &all[i]; m.sweepState.adviceMark(c) != "" {
			front = append(front, c)
		}
	}
	if n < 4 || len(front) < 2 {
		return nil
	}
	slices.SortStableFunc(front, func(a, b *sweep.Cell) int { return cmp.Or(b.Signal-a.Signal, cmp.Compare(b.AbsRatio(), a.AbsRatio())) })
	return m.pairTable(pane.FrontMark+" no pair beats these, and none of them raises a warning", front[:min(len(front), n-3)])
}

// pairTable lists what some pairs do, below a blank line and a title.
func (m sweepMap) pairTable(title string, pairs []*sweep.Cell) []string {
	t := m.env.Display.Theme
	lines := []string{
		"", " " + t.Paint(themes.Title, title),
		t.Paint(themes.Dim, "   keep_pos  keep_neg  signal    kept    Σ|A|   flips  killed"),
	}
	for _, c := range pairs {
		line := fmt.Sprintf(" %s %8s  %8s", cells.Fit(m.sweepState.adviceMark(c), 1), units.Fixed(c.KeepPos, 2), units.Fixed(c.KeepNeg, 2))
		for _, text := range []string{
			units.Percent(c.Signal, c.Groups), units.Percent(c.Kept, c.Samples), shareText(c.AbsRatio()),
			units.Count(c.Flips), units.Count(c.Killed),
		} {
			line += cells.FitRight(text, 8)
		}
		lines = append(lines, line)
	}
	return lines
}

// configPane names the pair under the cursor in its title, and whose configuration is below, in lines of lineWidth cells. The title says
// why it is another trainer's if that fits into w cells; the advice says it too.
func (m sweepMap) configPane(w, lineWidth int) pane.Content {
	if m.sweepState.Grid == nil {
		return pane.Content{Title: " this pair"}
	}
	set := m.sweepState.pair(m.env)
	title, config := sweepConfig(set)
	c := pane.Content{Title: fmt.Sprintf(" keep_pos %s  keep_neg %s · for %s", units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2),
		title)}
	if title != set.Trainer() && set.Filtering() {
		c.Title = cells.JoinFitting(w-2, ": ", c.Title, set.Trainer()+" has no such filter")
	}
	for _, option := range config {
		if note, ok := strings.CutPrefix(option, "# "); ok { // each line of it is one, so that none is taken for an option
			for _, part := range cells.Wrap(note, lineWidth-2) {
				c.Lines = append(c.Lines, " # "+part)
			}
			continue
		}
		for _, word := range strings.Fields(option) {
			last := len(c.Lines) - 1
			followsOption := last >= 0 && !strings.HasPrefix(c.Lines[last], " #")
			if followsOption && cells.Width(c.Lines[last]+word) <= lineWidth {
				c.Lines[last] += " " + word
				continue
			}
			c.Lines = append(c.Lines, cells.WrapIndented(" ", word, lineWidth+1)...) // only words that are longer are broken
		}
	}
	return c
}

// cellWords returns what the pair under the cursor does, its warnings first, in lines of w cells.
func (m sweepMap) cellWords(w int) []string {
	t, c := m.env.Display.Theme, m.here()
	var words []string
	for _, k := range c.Warned.Kinds() {
		text := "! " + strings.ReplaceAll(string(k.Kind), "-", " ")
		if n := m.sweepState.Grid.Steps; n > 1 {
			text += fmt.Sprintf(" in %d of %d steps", k.Steps, n)
		}
		words = append(words, t.Paint(themes.Warn, text))
	}
	for _, f := range [][2]string{
		{"signal", units.Fraction(c.Signal, c.Groups)},
		{"kept", units.Fraction(c.Kept, c.Samples)},
		{"train", units.Fraction(c.Trained, c.Samples)},
		{"mean of all", units.Signed(c.Mean())},
		{"std of all", units.Fixed(c.Std(), 2)},
	} {
		words = append(words, t.Paint(themes.Dim, f[0]+" ")+f[1])
	}
	const column = 25 // three beside each other at 80
	var lines []string
	for i := 0; i < len(words); {
		line := " "
		for ; i < len(words) && (line == " " || cells.Width(line)+column <= w); i++ {
			line = cells.Fit(line, (cells.Width(line)+column-2)/column*column+1) + words[i]
		}
		lines = append(lines, line)
	}
	return lines
}

// nextVarying returns the first figure from an index on, in a direction, that is not the same for nearly all pairs, which a map
// cannot show. varies is false if no figure varies.
func (s View) nextVarying(e env.Env, from, by int) (index int, varies bool) {
	all := sweep.Figures()
	for i := range all {
		at := ((from+i*by)%len(all) + len(all)) % len(all)
		if s.Grid == nil {
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
func (s View) usualValue(e env.Env, f sweep.Figure) (usual *sweep.Cell, others []*sweep.Cell) {
	all := s.Grid.Cells(e.Settings.Now.Recompute)
	usual = &all[len(all)-1]
	for i := 0; i < len(all) && len(others) <= maxExceptions; i++ {
		if !sameFigure(f, &all[i], usual) {
			others = append(others, &all[i])
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
	case math.Abs(y) > 1:
		least *= math.Abs(y)
	}
	return math.Abs(x-y) < least || x != x && y != y
}

// shownFigure returns the index of the figure of the map, and whether it is not the same for all pairs: the one that was chosen, or the
// next that varies; as long as none was chosen, the one of which the cells show the most different numbers, and of which it is known what
// is better.
func (s View) shownFigure(e env.Env) (at int, varies bool) {
	if s.Figure > 0 || s.Grid == nil {
		return s.nextVarying(e, max(0, s.Figure-1), 1)
	}
	const one = 1 // number in all cells: the figure does not vary
	most, isJudged := one, false
	for i, f := range sweep.Figures() {
		shown := map[string]bool{}
		for _, c := range s.Grid.Cells(e.Settings.Now.Recompute) {
			shown[SweepNumber(f, &c)] = true
		}
		judged := f.Better != sweep.NotJudged
		isFirstJudged := judged && !isJudged && len(shown) > one
		if isFirstJudged || judged == isJudged && len(shown) > most {
			most, at, isJudged = len(shown), i, judged
		}
	}
	return at, most > one
}

func (s *View) moveFigure(e env.Env, by int) view.Want {
	shown, _ := s.shownFigure(e)
	next, _ := s.nextVarying(e, shown+by, by)
	if s.Figure = next + 1; next == shown {
		return view.Say("no other metric varies over the pairs: " + strings.Join(s.equalFigures(e), " · "))
	}
	return nil
}

// equalFigures says which figures are the same for all pairs, or for all but a few, the chosen one first:
// "signal is 62% and killed 0 for all pairs but 0.00/0.00".
func (s View) equalFigures(e env.Env) []string {
	if s.Grid == nil {
		return nil
	}
	var heads []string
	values, all := map[string][]string{}, sweep.Figures()
	for i := range all {
		f := all[(max(0, s.Figure-1)+i)%len(all)]
		usual, others := s.usualValue(e, f)
		head := fmt.Sprintf("all %d pairs", len(s.Grid.Cells(false)))
		switch {
		case len(others) > maxExceptions, math.IsNaN(f.Value(usual)):
			continue
		case len(others) == 1:
			head = fmt.Sprintf("all pairs but %s/%s", units.Fixed(others[0].KeepPos, 2), units.Fixed(others[0].KeepNeg, 2))
		case len(others) > 1:
			head = fmt.Sprintf("all pairs but %d", len(others))
		}
		if values[head] == nil {
			heads = append(heads, head)
		}
		is := " is "
		if len(values[head]) > 0 {
			is = " "
		}
		values[head] = append(values[head], f.Label+is+sweepShare(f, usual))
	}
	for i, head := range heads {
		heads[i] = strings.Join(values[head], ", ") + " for " + head
	}
	return heads
}

// idleRatio says which ratio changes nothing in the figure unless it is 0, "" if both do.
func (m sweepMap) idleRatio() string {
	g, on, f := m.sweepState.Grid, m.env.Settings.Now.Recompute, m.Figure
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

// adviceMark returns the mark of a cell, "" if it has none.
func (s View) adviceMark(c *sweep.Cell) string {
	switch {
	case s.Advice.IsChoice(c):
		return pane.StarMark
	case c.Warned == (sweep.StepWarnings{}) && s.Advice.OnFront(c):
		return pane.FrontMark
	}
	return ""
}

// adviceSentence says what suits the goal best, or why nothing does; that the trainer cannot filter is said
// if it fits into w cells.
func (s View) adviceSentence(w int) string {
	r := s.Advice
	if r.Cell == nil {
		return r.Reason
	}
	text := fmt.Sprintf(
		"%s %s: keeps %s of Σ|A|, kills %s, flips %s", pane.StarMark, r.Cell.Name(), shareText(r.Cell.AbsRatio()),
		units.Count(r.Cell.Killed), units.Count(r.Cell.Flips),
	)
	if r.NotInTrainer {
		text = cells.JoinFitting(w, " ", text, fmt.Sprintf("(%s has no such filter)", s.Grid.Settings.Trainer()))
	}
	return text
}

func shareText(x float64) string {
	if x != x {
		return units.Missing
	}
	return fmt.Sprintf("%.0f%%", 100*x)
}

// The columns of the table beside the map.
const (
	adviceLabelWidth  = 9
	adviceColumnWidth = 6
	adviceWidth       = adviceLabelWidth + 3*adviceColumnWidth
)

// adviceLines says what suits the goal best, in lines of w cells: in words, and in figures next to
// the pair under the cursor and what is set.
func (m sweepMap) adviceLines(w int) []string {
	if m.sweepState.Grid == nil {
		return nil
	}
	t := m.env.Display.Theme
	lines := m.env.Display.Wrapped("", themes.Title, m.sweepState.adviceSentence(math.MaxInt32), w)
	row := func(label string, columns ...string) string {
		for _, text := range columns {
			label += cells.FitRight(text, adviceColumnWidth)
		}
		return label
	}
	lines = append(lines, t.Paint(themes.Dim, row(cells.Spaces(adviceLabelWidth), "cursor", "best", "yours")))
	for _, figure := range []struct {
		name string
		text func(*sweep.Cell) string
	}{
		{"signal", func(c *sweep.Cell) string { return units.Percent(c.Signal, c.Groups) }},
		{"kept", func(c *sweep.Cell) string { return units.Percent(c.Kept, c.Samples) }},
		{"Σ|A|", func(c *sweep.Cell) string { return shareText(c.AbsRatio()) }},
		{"effective", func(c *sweep.Cell) string { return units.Brief(c.Effective()) }},
		{"train", func(c *sweep.Cell) string { return units.Percent(c.Trained, c.Samples) }},
		{"flips", func(c *sweep.Cell) string { return units.Count(c.Flips) }},
		{"killed", func(c *sweep.Cell) string { return units.Count(c.Killed) }},
		{"short", func(c *sweep.Cell) string { return units.Count(c.Short) }},
		{"+ : − %", (*sweep.Cell).MassText},
	} {
		texts := []string{units.Missing, units.Missing, units.Missing}
		for i, c := range []*sweep.Cell{m.here(), m.sweepState.Advice.Cell, m.set} {
			if c != nil {
				texts[i] = figure.text(c)
			}
		}
		lines = append(lines, row(t.Paint(themes.Dim, cells.Fit(figure.name, adviceLabelWidth)), texts...))
	}
	return lines
}

// sweepShare is SweepNumber with the sign of percent.
func sweepShare(f sweep.Figure, c *sweep.Cell) string {
	if text := SweepNumber(f, c); f.Total != nil && text != "0" {
		return text + "%"
	}
	return SweepNumber(f, c)
}

// SweepNumber returns the figure in three characters: a share in percent, or a number with
// as many digits as fit.
func SweepNumber(f sweep.Figure, c *sweep.Cell) string {
	x := f.Value(c)
	switch {
	case !units.IsFinite(x):
		return units.Missing
	case f.Total != nil:
		share := 100 * x / float64(max(1, f.Total(c)))
		if share > 0 && share < 1 {
			return "<1"
		}
		return fmt.Sprintf("%.0f", math.Round(share)) // as fractions are rounded
	}
	return ShortNumber(x)
}

// ShortNumber returns a number in three characters, without the zero before the point.
func ShortNumber(x float64) string {
	size := math.Abs(x)
	switch {
	case size < 0.005:
		return "0"
	case size < 0.05 && x < 0:
		return "−0"
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
