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
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
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
func warningLines(e env.Env) []warningLine {
	var all []warningLine
	for i, f := range e.FoundList() {
		all = append(all, warningLine{finding: i + 1, text: sanitize.Line(f.Kind.Words() + " " + f.When() + ": " + f.Title), advice: sanitize.Line(f.Advice), group: -1})
	}
	noMatch := matchWarning(e)
	if x := e.Result.Analysis; x != nil {
		warnings := x.Warnings
		if w := alikeWarning(e); w != nil {
			warnings = append([]model.Warning{*w}, warnings...)
		}
		for _, w := range warnings {
			d := warningLine{kind: w.Kind, text: sanitize.Line(w.Sentence()), advice: w.Advice, group: w.Example, step: w.Step, ofSettings: true}
			if w.Example >= 0 {
				g := x.Table[w.Example]
				where := shortName(g.Name)
				if e.IsWide() {
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
	for _, note := range e.Snap.Run.Notes {
		all = append(all, warningLine{text: sanitize.Line(note), group: -1, isNote: true})
	}
	for _, p := range e.Snap.Run.Problems {
		all = append(all, warningLine{text: p.String(), advice: "the rest of the file was read", group: -1, isProblem: true})
	}
	return all
}

// alikeWarning returns the warning that the answers of the step on the screen are alike, or of steps among those on the screen; nil if
// they are not.
func alikeWarning(e env.Env) (first *model.Warning) {
	x, answers := e.Result.Analysis, e.AnswersRead()
	if !e.IsWide() {
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
func unreadText(e env.Env) string {
	answers, suspect, unread := e.AnswersRead(), 0, 0
	for _, p := range e.Result.Analysis.Parts() {
		if glance.Suspect(&p.StepFigures) {
			_, isRead := answers.Alike[p.Step]
			suspect, unread = suspect+1, unread+model.Count01(!isRead)
		}
	}
	switch {
	case unread == 0 || e.Texts[0] == nil:
		return ""
	case answers.Read == 0: // the log has none
		return ""
	case suspect == 1:
		return "none at this step, of which no answer was read"
	}
	return fmt.Sprintf("none in %s; no answer was read of %s of %s that are mostly all wrong", e.ScopeWords(), units.Count(unread), units.Plural(suspect, "steps"))
}

// enterWarning goes to the group that shows the selected warning, in its step, and opens it. A warning of the
// log without a group opens how the log was read.
func (a App) enterWarning() App {
	all := warningLines(a.env)
	if len(all) == 0 {
		return a.says("no warnings in " + a.env.ScopeWords())
	}
	switch d := all[pane.ClampIndex(a.panes.warning, len(all))]; {
	case d.finding > 0:
		return a.showFinding(d.finding - 1)
	case !d.ofSettings:
		return a.openProblems()
	case d.step != a.env.Result.Analysis.Step:
		i, _ := a.env.Snap.Find(d.step)
		a.overlays.notice = fmt.Sprintf("step %d, to which the warning belongs", d.step)
		return a.showStep(i)
	case d.group < 0:
		whole := "the whole step"
		if a.env.IsWide() {
			whole = "all of " + a.env.ScopeWords()
		}
		return a.says("no one group shows this: it is of " + whole + ". " + d.advice)
	default:
		if !slices.Contains(a.env.Result.Rows, d.group) { // a filter that hides the group goes
			a = a.change(func(s *env.State) { s.Filter = "" })
			a.overlays.notice = "the filter hid this group: u brings it back"
		}
		a.env.Place.Row = max(0, slices.Index(a.env.Result.Rows, d.group))
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
func noWarnings(e env.Env, w int) (lines []string) {
	text := "none at this step"
	if e.IsWide() {
		text = "none in " + e.ScopeWords()
	}
	if reading := cmp.Or(e.StillLooking(), unreadText(e)); reading != "" {
		text = reading
	}
	if e.Result.Analysis != nil && e.Result.Analysis.Open {
		text = "the step is still being written: its warnings come when it is complete"
	}
	if harsh := harshFilter(e); harsh != "" {
		lines = e.Display.Wrapped(" ", themes.Warn, "! the filter is "+harsh+" of what there is without it", w-1)
		text = strings.Replace(text, "none ", "no other ", 1)
	}
	return append(lines, e.Display.Wrapped(" ", themes.Dim, text, w-1)...)
}

// warnings lists the warnings in a line each, the selected one, or if there is room each, in full; the cursor's bar is on it while
// the pane has the focus.
func (p panes) warnings(e env.Env, w, h int) pane.Content {
	all := warningLines(e)
	notes := 0
	for i := range all {
		notes += model.Count01(all[i].isNote)
	}
	title := "warnings  " + units.Count(len(all)-notes)
	if notes > 0 {
		title = cells.JoinFitting(w-4, ", ", title, units.Plural(notes, "notes"))
	}
	c := pane.Content{Title: e.WithScopeWords(title, w)}
	t := e.Display.Theme
	if len(all) == 0 {
		c.Title = e.WithScopeWords("warnings", w)
		c.Lines = noWarnings(e, w)
		return c
	}
	c.Note = fmt.Sprintf("%d/%d", p.warning+1, len(all))
	first, end := 0, 0 // lines of the selected one
	needed := 0
	for i, d := range all {
		needed += len(p.drawWarning(e, d, i == p.warning, true, w))
	}
	for i, d := range all {
		selected := i == p.warning
		lines := e.Display.MarkLines(pane.OnWarning, i, p.drawWarning(e, d, selected, selected || needed <= h || p.fullScreen, w))
		if i == p.warning {
			first, end = len(c.Lines), len(c.Lines)+len(lines)
		}
		c.Lines = append(c.Lines, lines...)
	}
	top := max(0, min(first, end-h)) // scrolls it into sight, rather its beginning than its end
	if p.focus == layout.Warnings {
		c.Cursor = first - top + 1
	}
	if c.Lines = c.Lines[top:]; end-top > h && h > 0 {
		c.Lines[h-1] = cells.Truncate(c.Lines[h-1]+t.Paint(themes.Dim, " …"), w-1)
	}
	return c
}

func (p panes) drawWarning(e env.Env, d warningLine, selected, full bool, w int) []string {
	t := e.Display.Theme
	mark := t.Paint(themes.Warn, " ! ")
	switch {
	case d.finding > 0:
		mark = " " + severityMark(e, e.FoundList()[d.finding-1].Severity) + " "
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
	return append(lines, e.Display.Wrapped("   ", themes.Dim, d.advice, w-4)...)
}
