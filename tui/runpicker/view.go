package runpicker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"vantage/model/runlist"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
)

// Lines around the list: the title, the filter, the names of the columns; what Enter does, the hints.
const (
	headHeight = 3
	footHeight = 3
)

func (p Picker) bodyHeight() int { return max(1, p.h-headHeight-footHeight) }

// View draws the screen. It changes nothing.
func (p Picker) View() tea.View {
	v := tea.NewView(p.frame())
	v.AltScreen = true
	if p.options.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// frame returns the screen as text: exactly h lines of w cells.
func (p Picker) frame() string {
	if p.w == 0 {
		return ""
	}
	lines := append([]string{p.titleLine(), p.filterLine()}, p.body()...)
	frame := strings.Join(cells.FitLines(append(lines, p.theme.Paint(themes.Dim, " "+p.leftOut()), p.effectLine(), p.hints()), p.w, p.h),
		"\n")
	if p.options.ASCII {
		return cells.ASCII(frame)
	}
	return frame
}

func (p Picker) titleLine() string {
	left := " " + p.theme.Paint(themes.Title, "vantage") + "  logs under " + sanitize.Line(p.options.Dir)
	status, role := units.Plural(len(p.list.Runs()), "runs"), themes.Dim
	switch looked := p.finder.Looked(); {
	case p.looking:
		status += ", looking …"
	case len(p.list.Runs()) == 0:
		status = "" // the body says it
	case looked.Partial():
		role, status = themes.Warn, status+"; "+looked.Text()
	}
	return cells.Justify(left, p.theme.Paint(role, status)+" ", p.w)
}

func (p Picker) filterLine() string {
	if !p.typing && p.filter.Text == "" {
		return ""
	}
	found := fmt.Sprintf("%d of %d ", len(p.rows), len(p.list.Runs()))
	return cells.Justify(" "+p.theme.Paint(themes.Key, "/")+" "+p.theme.Paint(themes.Accent, p.filter.Shown(p.w/2)),
		p.theme.Paint(themes.Dim, found), p.w)
}

// line is a line of the list: a row, or a text.
type line struct {
	row  int // -1: the text
	text string
}

// lines returns the lines of the list: without a filter, runs that lie elsewhere have a heading.
func (p Picker) lines() []line {
	var all []line
	isElsewhere := func(row int) bool { return p.list.Runs()[p.rows[row]].Elsewhere }
	for row := range p.rows {
		isFirstElsewhere := isElsewhere(row) && (row == 0 || !isElsewhere(row-1))
		if p.filter.Text == "" && isFirstElsewhere {
			if row > 0 {
				all = append(all, line{-1, ""})
			}
			all = append(all, line{-1, "opened before, elsewhere"})
		}
		all = append(all, line{row, ""})
	}
	return all
}

func (p Picker) lineOf(row int) int {
	return max(0, slices.IndexFunc(p.lines(), func(l line) bool { return l.row == row }))
}

// body returns the names of the columns and the lines of the list that are in sight, or in place of
// them the help or what to do when there is no run.
func (p Picker) body() []string {
	h := p.bodyHeight()
	switch {
	case p.helpOpen:
		page := p.helpPage()
		return cells.FitLines(page[max(0, min(p.helpTop, len(page)-h-1)):], p.w, h+1)
	case len(p.rows) == 0:
		return cells.FitLines(p.empty(), p.w, h+1)
	}
	columns := p.columns()
	body := []string{p.theme.Paint(themes.Dim, cells.Spaces(gutter)+joined(columns, func(c column) string { return c.title }))}
	all := p.lines()
	for _, l := range all[min(p.top, len(all)):min(len(all), p.top+h)] {
		if l.row < 0 {
			body = append(body, cells.Spaces(gutter)+p.theme.Paint(themes.Title, l.text))
			continue
		}
		body = append(body, p.row(columns, l.row))
	}
	return cells.FitLines(body, p.w, h+1)
}

// row draws a run: the cursor and the mark, then the columns.
func (p Picker) row(columns []column, row int) string {
	r := p.list.Runs()[p.rows[row]]
	mark := " "
	for i, id := range p.marked {
		if id == r.ID {
			mark = p.theme.Paint(themes.Accent, fmt.Sprint(i+1))
		}
	}
	text := mark + " " + joined(columns, func(c column) string { return c.text(p, r) })
	if row != p.cursor {
		return "   " + text
	}
	return p.theme.Underlay(themes.Cursor, cells.Fit(" > "+text, p.w))
}

// leftOut says which files are no runs, once all were looked at.
func (p Picker) leftOut() string {
	if p.looking || p.helpOpen || p.filter.Text != "" {
		return ""
	}
	return p.finder.Looked().LeftOutText()
}

func (p Picker) effectLine() string {
	name := func(r runlist.Run, width int) string { return cutMiddle(r.Label(), max(8, width)) }
	switch runs := p.toOpen(); {
	case p.helpOpen || len(runs) == 0:
		return ""
	case len(runs) == 2:
		return " Enter compares 1 " + name(runs[0], (p.w-26)/2) + " with 2 " + name(runs[1], (p.w-26)/2)
	default:
		return " Enter opens " + name(runs[0], p.w-14)
	}
}

// hints returns the last line: the first of the hints that fit, and always help and quit.
func (p Picker) hints() string {
	if p.helpOpen {
		all := []string{"Esc close", "q quit"}
		if len(p.helpPage()) > p.bodyHeight()+1 {
			all = append([]string{"↓ ↑ scroll"}, all...)
		}
		return p.hintLine(all)
	}
	var all []string
	for _, k := range Keys() {
		if k.Hint != "" {
			all = append(all, k.Hint)
		}
	}
	if p.typesQ() {
		all[len(all)-1] = "^C quit"
	}
	if p.typing {
		all[len(all)-2] = "Esc remove"
	}
	if len(p.list.Runs()) == 0 {
		all = append([]string{"^R again"}, all[len(all)-2:]...)
	}
	return p.hintLine(all)
}

// hintLine returns as many hints as fit, always the last two.
func (p Picker) hintLine(all []string) string {
	line := p.label(strings.Join(all, "  "))
	if len(all) > 2 && cells.Width(line)+2 > p.w {
		return p.hintLine(slices.Concat(all[:len(all)-3], all[len(all)-2:]))
	}
	line = ""
	for _, hint := range all { // keys, a space, a word
		hint = p.label(hint)
		at := strings.LastIndex(hint, " ")
		line += "  " + p.theme.Paint(themes.Key, hint[:at]) + p.theme.Paint(themes.Dim, hint[at:])
	}
	return line[1:]
}

// spelled replaces the signs of keys by their names, where there is only ASCII.
var spelled = strings.NewReplacer("⏎", "Enter", "⌫", "Bksp", "↓", "Down", "↑", "Up")

func (p Picker) label(keys string) string {
	if p.options.ASCII {
		return spelled.Replace(keys)
	}
	return keys
}

// column is a column of the list. The first takes what the others leave of the width; these depend on the width of the screen
// alone, so that nothing moves while runs are found.
type column struct {
	title string
	w     int
	from  int // the least width of the screen that shows it
	right bool
	text  func(p Picker, r runlist.Run) string
}

const (
	gutter    = 5 // the cursor and the mark
	columnGap = "  "
)

// columns returns the columns that the screen has room for.
func (p Picker) columns() []column {
	trainer := 11
	if p.w >= 110 {
		trainer = 14
	}
	all := []column{
		{"log", p.w - gutter, 0, false, nil},
		{"trainer", trainer, 76, false, func(_ Picker, r runlist.Run) string { return r.Format }},
		{"steps", 6, 48, true, steps},
		{"samples", 9, 100, true, func(p Picker, r runlist.Run) string { return count(cmp.Or(p.contents[r.ID].Samples, r.Samples)) }},
		{"size", 7, 90, true, func(p Picker, r runlist.Run) string {
			r.Size = cmp.Or(p.contents[r.ID].Size, r.Size)
			return r.SizeText()
		}},
		{"newest row", 12, 0, false, newest},
		{"health", p.healthWidth(), 64, false, p.health},
		{"opened", 12, 150, false, func(p Picker, r runlist.Run) string { return runlist.Age(r.Opened, p.now) }},
	}
	all = slices.DeleteFunc(all, func(c column) bool { return p.w < c.from })
	for _, c := range all[1:] {
		all[0].w -= c.w + len(columnGap)
	}
	all[0].w = max(1, all[0].w-1)
	all[0].text = func(p Picker, r runlist.Run) string { return p.highlighted(cutMiddle(r.Label(), all[0].w)) }
	return all
}

// cutMiddle shortens a name to w cells: paths differ at their ends, and begin with where they are.
func cutMiddle(name string, w int) string {
	if cells.Width(name) <= w {
		return name
	}
	head := cells.Truncate(name, w/3)
	return strings.TrimSuffix(head, "…") + cells.TruncateLeft(name, w-cells.Width(strings.TrimSuffix(head, "…")))
}

func count(n int64) string {
	if n == 0 {
		return ""
	}
	return units.Count(int(n))
}

// steps returns how many steps were read, or which there are by the names of files.
func steps(p Picker, r runlist.Run) string {
	if n := p.contents[r.ID].Steps; n > 0 {
		return units.Count(n)
	}
	switch {
	case !r.HasSteps:
		return ""
	case r.FirstStep == r.LastStep:
		return fmt.Sprint(r.LastStep)
	}
	return fmt.Sprintf("%d–%d", r.FirstStep, r.LastStep)
}

// healthWidth is that of the column of the health: of a name of an illness, and where there is room of its onset.
func (p Picker) healthWidth() int {
	switch {
	case p.w >= 110:
		return 29
	case p.w >= 80:
		return 18
	}
	return 14
}

// health returns what ails a run, as far as it was read: without its onset where that would be cut.
func (p Picker) health(_ Picker, r runlist.Run) string {
	c, known := p.contents[r.ID]
	text := c.Health
	if cells.Width(text) > p.healthWidth() {
		text, _, _ = strings.Cut(strings.Replace(text, " from ", " since ", 1), " since ")
	}
	switch {
	case !known:
		return p.theme.Paint(themes.Dim, "not read yet")
	case c.Samples == 0:
		return p.theme.Paint(themes.Dim, "not read")
	case c.Ill:
		return p.theme.Paint(themes.Bad, text)
	case c.Healthy:
		return p.theme.Paint(themes.Good, text)
	case c.Watched:
		return p.theme.Paint(themes.Warn, text)
	}
	return p.theme.Paint(themes.Dim, text)
}

func joined(columns []column, text func(column) string) string {
	var parts []string
	for _, c := range columns {
		part := cells.Fit(text(c), c.w)
		if c.right {
			part = cells.FitRight(text(c), c.w)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, columnGap)
}

// newest returns how old the newest row is by its own word, else when the log was written, and a mark if that was a moment ago.
func newest(p Picker, r runlist.Run) string {
	at := p.contents[r.ID].Newest
	if at.IsZero() {
		at = r.LastWrite
	}
	age, dot := runlist.Age(at, p.now), "●"
	if p.options.ASCII {
		dot = "*"
	}
	if r.IsLive(p.now) {
		return p.theme.Paint(themes.Good, dot+" "+age)
	}
	return age
}

// highlighted paints where a name holds the filter.
func (p Picker) highlighted(name string) string {
	if p.filter.Text == "" {
		return name
	}
	letters, n := []rune(name), utf8.RuneCountInString(p.filter.Text)
	for at := range max(0, len(letters)-n+1) {
		if match := string(letters[at : at+n]); strings.EqualFold(match, p.filter.Text) {
			return string(letters[:at]) + p.theme.Paint(themes.Match, match) + string(letters[at+n:])
		}
	}
	return name
}

func (p Picker) empty() []string {
	t := p.theme
	switch {
	case len(p.list.Runs()) > 0:
		return []string{"", "    nothing here matches " + t.Paint(themes.Accent, p.filter.Text) + ": " + t.Paint(themes.Key, "Esc") +
			" shows all runs again"}
	case p.looking:
		return []string{"", "    looking for logs …"}
	}
	why := "no log was found under " + sanitize.Line(p.options.Dir) + ": " + p.finder.Looked().Text()
	lines := append(append([]string{""}, cells.WrapIndented("    ", why, p.w-2)...), "")
	for _, what := range [][2]string{
		{"vantage PATH", "opens a log, or the directory of a run"},
		{"vantage demo", "shows a synthetic run that grows while you watch"},
		{"vantage list formats", "lists the option that makes your trainer write its log"},
	} {
		lines = append(lines, "    "+t.Paint(themes.Key, cells.Fit(what[0], 22))+what[1])
	}
	return lines
}

// helpPage explains the keys and the columns.
func (p Picker) helpPage() []string {
	lines := []string{" " + p.theme.Paint(themes.Title, "keys")}
	explain := func(label string, role themes.Role, doc string) {
		for i, line := range cells.Wrap(doc, max(1, p.w-16)) {
			if i > 0 {
				label = ""
			}
			lines = append(lines, "  "+p.theme.Paint(role, cells.FitRight(label, 11))+"  "+line)
		}
	}
	for _, k := range Keys() {
		if k.Label == "" {
			continue
		}
		explain(p.label(k.Label), themes.Key, k.Doc)
	}
	lines = append(lines, " "+p.theme.Paint(themes.Title, "columns"))
	for _, c := range [][2]string{
		{"steps", "that were read, or by the names of files. A log of up to 32 MB is read once, while it is in sight, one at a time"},
		{"newest row", "how old it is by its own word, else when the log was written; green with a dot: within 5 minutes, so it probably grows"},
		{"health", "what ails the run by its rewards and lengths; opening it reads answers too. unknown: too little was looked at"},
	} {
		explain(c[0], themes.Accent, c[1])
	}
	return lines
}
