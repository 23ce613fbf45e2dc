package overview

import (
	"cmp"
	"fmt"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/glance"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/finding"
	"vantage/tui/layout"
	"vantage/tui/pane"
)

// matchWarning is the warning that no estimator reproduces the logged advantages.
func matchWarning(e env.Env) []warningLine {
	r := e.LoggedReport()
	if r == nil || r.HasMatch() || r.Undecided || r.OwnRule {
		return nil
	}
	return []warningLine{{
		kind:   analysis.WarnLoggedDiffers,
		Text:   fmt.Sprintf("none of %d estimators and scales reproduces all logged advantages", r.Candidates),
		Advice: sanitize.Line(strings.Join(r.Clues, "; ")) + " — `vantage match` has the details", Group: -1,
	}}
}

// warningLine is a line of the pane: what ails the run, a warning of the step, a note on what was left out of
// the log, or a place in it that could not be read.
type warningLine struct {
	Text, Advice string
	Finding      int               // its index, and one more; 0 of another line
	kind         model.WarningKind // "" of a note or a problem
	Group        int               // an example, -1 if there is none
	Step         int64
	OfSettings   bool // of the step and its settings, not of the log
	isProblem    bool
	isNote       bool
}

// WarningLines returns what ails the run, the warnings of the step, then what the log says about reading it.
func WarningLines(e env.Env) []warningLine {
	var all []warningLine
	for i, f := range e.FoundList() {
		all = append(
			all,
			warningLine{
				Finding: i + 1, Text: sanitize.Line(f.Kind.Words() + " " + f.When() + ": " + f.Title), Advice: sanitize.Line(f.Advice),
				Group: -1,
			},
		)
	}
	noMatch := matchWarning(e)
	if x := e.Result.Analysis; x != nil {
		warnings := x.Warnings
		if w := alikeWarning(e); w != nil {
			warnings = append([]model.Warning{*w}, warnings...)
		}
		for _, w := range warnings {
			d := warningLine{
				kind: w.Kind, Text: sanitize.Line(w.Sentence()), Advice: w.Advice, Group: w.Example, Step: w.Step, OfSettings: true,
			}
			if w.Example >= 0 {
				g := x.Table[w.Example]
				where := shortName(g.Name)
				if e.IsWide() {
					where += fmt.Sprintf(", step %d", g.Step)
				}
				d.Advice = "for example " + sanitize.Line(strings.TrimSpace(g.Preview+" ("+where+")")) + " — " + w.Advice
			}
			if w.Kind == analysis.WarnLoggedDiffers && len(noMatch) > 0 {
				d.Advice = "" // which would be to look for what is known not to be there
			}
			all = append(all, d)
		}
	}
	all = append(all, noMatch...)
	for _, note := range e.Snap.Run.Notes {
		all = append(all, warningLine{Text: "left out: " + sanitize.Line(note), Group: -1, isNote: true})
	}
	for _, p := range e.Snap.Run.Problems {
		all = append(all, warningLine{Text: p.String(), Advice: "the rest of the file was read", Group: -1, isProblem: true})
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
			w.Of, w.Text = x.Groups, fmt.Sprintf(
				"are all wrong, and the answers of their step alike, first at step %d: %s", p.Step, answers.Alike[p.Step],
			)
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
	return fmt.Sprintf(
		"none in %s; no answer was read of %s of %s that are mostly all wrong", e.ScopeWords(), units.Count(unread),
		units.Plural(suspect, "steps"),
	)
}

// shortName cuts the name of a group, which may be a hash.
func shortName(name string) string {
	if len(name) > 12 {
		return name[:8] + "…"
	}
	return name
}

// NoWarnings says that there are none, or why that is not known yet; that the filter is harsh is no warning of the step, and is said all
// the same.
func NoWarnings(e env.Env, w int) (lines []string) {
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
	if harsh := e.HarshFilter(); harsh != "" {
		lines = e.Display.Wrapped(" ", themes.Warn, "! the filter is "+harsh+" of what there is without it", w-1)
		text = strings.Replace(text, "none ", "no other ", 1)
	}
	return append(lines, e.Display.Wrapped(" ", themes.Dim, text, w-1)...)
}

// warnings lists the warnings in a line each, the selected one, or if there is room each, in full; the cursor's bar is on it while
// the pane has the focus.
func (p Panes) warnings(e env.Env, w, h int) pane.Content {
	all := WarningLines(e)
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
		c.Lines = NoWarnings(e, w)
		return c
	}
	c.Note = fmt.Sprintf("%d/%d", p.Warning+1, len(all))
	first, end := 0, 0 // lines of the selected one
	needed := 0
	for i, d := range all {
		needed += len(p.drawWarning(e, d, i == p.Warning, true, w))
	}
	for i, d := range all {
		selected := i == p.Warning
		lines := e.Display.MarkLines(pane.OnWarning, i, p.drawWarning(e, d, selected, selected || needed <= h || p.FullScreen, w))
		if i == p.Warning {
			first, end = len(c.Lines), len(c.Lines)+len(lines)
		}
		c.Lines = append(c.Lines, lines...)
	}
	top := max(0, min(first, end-h)) // scrolls it into sight, rather its beginning than its end
	if p.Focus == layout.Warnings {
		c.Cursor = first - top + 1
	}
	if c.Lines = c.Lines[top:]; end-top > h && h > 0 {
		c.Lines[h-1] = cells.Truncate(c.Lines[h-1]+t.Paint(themes.Dim, " …"), w-1)
	}
	return c
}

func (p Panes) drawWarning(e env.Env, d warningLine, selected, full bool, w int) []string {
	t := e.Display.Theme
	mark := t.Paint(themes.Warn, " ! ")
	switch {
	case d.Finding > 0:
		mark = " " + finding.SeverityMark(e, e.FoundList()[d.Finding-1].Severity) + " "
	case d.isProblem:
		mark = t.Paint(themes.Bad, " ? ")
	case d.isNote:
		mark = t.Paint(themes.Dim, " · ")
	}
	if !full {
		return []string{mark + cells.Truncate(d.Text, w-4)}
	}
	lines := cells.Indent(mark, cells.Wrap(d.Text, w-4))
	if selected && p.Focus == layout.Warnings {
		for i, line := range lines {
			lines[i] = t.Underlay(themes.Cursor, cells.Fit(line, w))
		}
	}
	if d.Advice == "" {
		return lines
	}
	return append(lines, e.Display.Wrapped("   ", themes.Dim, d.Advice, w-4)...)
}
