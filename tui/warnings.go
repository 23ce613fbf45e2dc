package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/glance"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// warningLine is a line of the pane: what ails the run, a warning of the step, a note on what was left out of
// the log, or a place in it that could not be read.
type warningLine struct {
	text, advice string
	finding      int               // its index, and one more; 0 of another line
	kind         model.WarningKind // "" of a note or a problem
	group        int               // an example, -1 if there is none
	step         int64
	ofSettings   bool // of the step and its settings, not of the log
	isProblem    bool
	isNote       bool
}

// warningLines returns what ails the run, the warnings of the step, then what the log says about reading it.
func (e env) warningLines() []warningLine {
	var all []warningLine
	for i, f := range e.foundList() {
		all = append(all, warningLine{finding: i + 1, text: sanitize.Line(f.Kind.Words() + " " + f.When() + ": " + f.Title), advice: sanitize.Line(f.Advice), group: -1})
	}
	noMatch := e.matchWarning()
	if x := e.result.analysis; x != nil {
		warnings := x.Warnings
		if w := e.alikeWarning(); w != nil {
			warnings = append([]model.Warning{*w}, warnings...)
		}
		for _, w := range warnings {
			d := warningLine{kind: w.Kind, text: sanitize.Line(w.Sentence()), advice: w.Advice, group: w.Example, step: w.Step, ofSettings: true}
			if w.Example >= 0 {
				g := x.Table[w.Example]
				where := shortName(g.Name)
				if e.isWide() {
					where += fmt.Sprintf(", step %d", g.Step)
				}
				d.advice = "for example " + sanitize.Line(strings.TrimSpace(g.Preview+" ("+where+")")) + " — " + w.Advice
			}
			if w.Kind == model.WarnLoggedDiffers && len(noMatch) > 0 {
				d.advice = "" // which would be to look for what is known not to be there
			}
			all = append(all, d)
		}
	}
	all = append(all, noMatch...)
	for _, note := range e.snap.Run.Notes {
		all = append(all, warningLine{text: sanitize.Line(note), group: -1, isNote: true})
	}
	for _, p := range e.snap.Run.Problems {
		all = append(all, warningLine{text: p.String(), advice: "the rest of the file was read", group: -1, isProblem: true})
	}
	return all
}

// alikeWarning returns the warning that the answers of the step on the screen are alike, or of steps among those on the screen; nil if
// they are not.
func (e env) alikeWarning() (first *model.Warning) {
	x, answers := e.result.analysis, e.answersRead()
	if !e.isWide() {
		return glance.AlikeWarning(answers, &x.StepFigures, x)
	}
	for _, p := range x.Parts() {
		switch w := glance.AlikeWarning(answers, &p.StepFigures, nil); {
		case w == nil:
		case first == nil:
			w.Of, w.Text = x.Groups, fmt.Sprintf("are all wrong, and the answers of their step alike, first at step %d: %s", p.Step, answers.Alike[p.Step])
			first = w
		default:
			first.Count += w.Count
		}
	}
	return first
}

// unreadText says of how many steps on the screen no answer was read that is read of others like them, "" if of none.
func (e env) unreadText() string {
	answers, suspect, unread := e.answersRead(), 0, 0
	for _, p := range e.result.analysis.Parts() {
		if glance.Suspect(&p.StepFigures) {
			_, isRead := answers.Alike[p.Step]
			suspect, unread = suspect+1, unread+model.Count01(!isRead)
		}
	}
	switch {
	case unread == 0 || e.texts[0] == nil:
		return ""
	case answers.Read == 0: // the log has none
		return ""
	case suspect == 1:
		return "none at this step, of which no answer was read"
	}
	return fmt.Sprintf("none in %s; no answer was read of %s of %s that are mostly all wrong", e.scopeWords(), units.Count(unread), units.Plural(suspect, "steps"))
}

// enterWarning goes to the group that shows the selected warning, in its step, and opens it. A warning of the
// log without a group opens how the log was read.
func (a App) enterWarning() App {
	all := a.env.warningLines()
	if len(all) == 0 {
		return a.says("no warnings in " + a.env.scopeWords())
	}
	switch d := all[clampIndex(a.panes.warning, len(all))]; {
	case d.finding > 0:
		return a.showFinding(d.finding - 1)
	case !d.ofSettings:
		return a.openProblems()
	case d.step != a.env.result.analysis.Step:
		i, _ := a.env.snap.Find(d.step)
		a.overlays.notice = fmt.Sprintf("step %d, to which the warning belongs", d.step)
		return a.showStep(i)
	case d.group < 0:
		whole := "the whole step"
		if a.env.isWide() {
			whole = "all of " + a.env.scopeWords()
		}
		return a.says("no one group shows this: it is of " + whole + ". " + d.advice)
	default:
		if !slices.Contains(a.env.result.rows, d.group) { // a filter that hides the group goes
			a = a.change(func(s *undoState) { s.filter = "" })
			a.overlays.notice = "the filter hid this group: u brings it back"
		}
		a.env.place.row = max(0, slices.Index(a.env.result.rows, d.group))
		return a.clampCursor().openGroup()
	}
}

// shortName cuts the name of a group, which may be a hash.
func shortName(name string) string {
	if len(name) > 12 {
		return name[:8] + "…"
	}
	return name
}

// noWarnings says that there are none, or why that is not known yet; that the filter is harsh is no warning of the step, and is said all the same.
func (e env) noWarnings(w int) (lines []string) {
	text := "none at this step"
	if e.isWide() {
		text = "none in " + e.scopeWords()
	}
	if reading := cmp.Or(e.stillLooking(), e.unreadText()); reading != "" {
		text = reading
	}
	if e.result.analysis != nil && e.result.analysis.Open {
		text = "the step is still being written: its warnings come when it is complete"
	}
	if harsh := e.harshFilter(); harsh != "" {
		lines = e.display.wrapped(" ", themes.Warn, "! the filter is "+harsh+" of what there is without it", w-1)
		text = strings.Replace(text, "none ", "no other ", 1)
	}
	return append(lines, e.display.wrapped(" ", themes.Dim, text, w-1)...)
}

// warnings lists the warnings in a line each, the selected one, or if there is room each, in full; the cursor's bar is on it while
// the pane has the focus.
func (p panes) warnings(e env, w, h int) paneContent {
	all := e.warningLines()
	notes := 0
	for i := range all {
		notes += model.Count01(all[i].isNote)
	}
	title := "warnings  " + units.Count(len(all)-notes)
	if notes > 0 {
		title = cells.JoinFitting(w-4, ", ", title, units.Plural(notes, "notes"))
	}
	c := paneContent{title: e.withScopeWords(title, w)}
	t := e.display.theme
	if len(all) == 0 {
		c.title = e.withScopeWords("warnings", w)
		c.lines = e.noWarnings(w)
		return c
	}
	c.note = fmt.Sprintf("%d/%d", p.warning+1, len(all))
	first, end := 0, 0 // lines of the selected one
	needed := 0
	for i, d := range all {
		needed += len(p.drawWarning(e, d, i == p.warning, true, w))
	}
	for i, d := range all {
		selected := i == p.warning
		lines := e.display.markLines(onWarning, i, p.drawWarning(e, d, selected, selected || needed <= h || p.fullScreen, w))
		if i == p.warning {
			first, end = len(c.lines), len(c.lines)+len(lines)
		}
		c.lines = append(c.lines, lines...)
	}
	top := max(0, min(first, end-h)) // scrolls it into sight, rather its beginning than its end
	if p.focus == layout.Warnings {
		c.cursor = first - top + 1
	}
	if c.lines = c.lines[top:]; end-top > h && h > 0 {
		c.lines[h-1] = cells.Truncate(c.lines[h-1]+t.Paint(themes.Dim, " …"), w-1)
	}
	return c
}

func (p panes) drawWarning(e env, d warningLine, selected, full bool, w int) []string {
	t := e.display.theme
	mark := t.Paint(themes.Warn, " ! ")
	switch {
	case d.finding > 0:
		mark = " " + e.severityMark(e.foundList()[d.finding-1].Severity) + " "
	case d.isProblem:
		mark = t.Paint(themes.Bad, " ? ")
	case d.isNote:
		mark = t.Paint(themes.Dim, " · ")
	}
	if !full {
		return []string{mark + cells.Truncate(d.text, w-4)}
	}
	lines := cells.Indent(mark, cells.Wrap(d.text, w-4))
	if selected && p.focus == layout.Warnings {
		for i, line := range lines {
			lines[i] = t.Underlay(themes.Cursor, cells.Fit(line, w))
		}
	}
	if d.advice == "" {
		return lines
	}
	return append(lines, e.display.wrapped("   ", themes.Dim, d.advice, w-4)...)
}
