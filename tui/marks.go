package tui

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/session"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// marks is the state of the list of marks, and of what is under way with one.
type marks struct {
	cursor int
	draft  noteDraft
	target *session.Mark // to go to when its step is analysed; nil: none
}

type noteDraft struct {
	mark session.Mark
	text string
}

// markUnderCursor returns a mark, without a note, of what the cursor is on, if that can be
// marked: a sample, a group, else the step.
func (a App) markUnderCursor() (session.Mark, bool) {
	switch g := a.selectedGroup(); {
	case a.view == viewMarks:
		return a.marks.listed(a.env)
	case a.result.analysis == nil, a.view == viewCompare, a.view == viewAnswers: // of two runs: neither is a step
		return session.Mark{}, false
	case a.view == viewGroup && g != nil:
		return a.sampleReader.mark(a.env), true
	case a.view == viewOverview && a.panes.focus != layout.Steps && g != nil:
		return a.groupMark(), true
	}
	return session.Mark{Step: a.result.analysis.Step}, true
}

func (e env) groupMark() session.Mark {
	g, x := e.selectedGroup(), e.result.analysis
	m := session.Mark{Step: g.Step, Group: g.Name, Label: truncateBytes(g.Preview, session.MaxText)}
	if step, ok := e.analyzedStep(g.Step); ok {
		m.Prompt = e.snap.PromptName(&step, int(x.InputRow[g.Start]))
	}
	return m
}

// truncateBytes cuts text to whole characters of at most limit bytes.
func truncateBytes(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "")
}

const nothingToMark = "nothing to mark here: a mark is of a group, a sample or a step of one run"

func (a App) toggleMark() App {
	m, ok := a.markUnderCursor()
	if !ok {
		return a.says(nothingToMark)
	}
	if old, marked := a.session.current.FindMark(m); marked {
		return a.removeMark(old)
	}
	if a.session.removedMark.SameTarget(m) {
		m.Note = a.session.removedMark.Note
	}
	return a.addMark(m)
}

func (a App) addMark(m session.Mark) App {
	if _, marked := a.session.current.FindMark(m); !marked && len(a.session.current.Marks) >= session.MaxMarks {
		return a.says(fmt.Sprintf("at most %d marks: remove some first", session.MaxMarks))
	}
	what := cells.Truncate(sanitize.Line(a.markText(m)), 40)
	a.notice = "marked " + what + ": a writes a note on it, ' lists all marks"
	if m.Note != "" {
		a.notice = "note saved on " + what + ": ' lists all marks"
	}
	if a.saving.store == nil {
		a.notice += " (only until you quit: nothing is saved for this run)"
	}
	return a.changeSession(func(s session.Session) session.Session { return s.WithMark(m) })
}

// removeMark removes a mark and remembers it: marked again it has its note again.
func (a App) removeMark(m session.Mark) App {
	a.session.removedMark = m
	a.notice = "mark removed"
	if m.Note != "" {
		a.notice += "; marking it again before you quit restores its note"
	}
	a = a.changeSession(func(s session.Session) session.Session { return s.WithoutMark(m) })
	return a.moveRow(onMarked, 0)
}

// markSign returns a star for what is marked, a dim one for a group with a marked sample,
// else a blank.
func (e env) markSign(m session.Mark) string {
	sign := " "
	for _, other := range e.session.current.Marks {
		switch {
		case other.Step != m.Step || !other.MatchesGroup(m.Group):
		case other.Sample == m.Sample:
			return e.display.theme.Paint(themes.Accent, "*")
		case m.Sample == 0:
			sign = e.display.theme.Paint(themes.Dim, "*")
		}
	}
	return sign
}

// groupNote returns the note on the group under the cursor.
func (e env) groupNote() string {
	if len(e.session.current.Marks) == 0 || e.selectedGroup() == nil {
		return ""
	}
	have, _ := e.session.current.FindMark(e.groupMark())
	return sanitize.Line(have.Note)
}

// mark returns a mark of the sample under the cursor.
func (r sampleReader) mark(e env) session.Mark {
	g, m := e.selectedGroup(), e.groupMark()
	m.Sample = e.rankedSamples(g)[clampIndex(r.sample, g.Size())] - g.Start + 1
	return m
}

// note returns the note on the sample under the cursor, else that on its group.
func (r sampleReader) note(e env) string {
	if len(e.session.current.Marks) > 0 {
		if of, _ := e.session.current.FindMark(r.mark(e)); of.Note != "" {
			return sanitize.Line(of.Note)
		}
	}
	return e.groupNote()
}

func (e env) noteOf(step int64, group string) string {
	m, _ := e.session.current.FindMark(session.Mark{Step: step, Group: group})
	return m.Note
}

func (a App) openNote() App {
	m, ok := a.markUnderCursor()
	if !ok {
		return a.says(nothingToMark)
	}
	if have, marked := a.session.current.FindMark(m); marked {
		m = have
	}
	a.marks.draft = noteDraft{mark: m, text: m.Note}
	return a.openLine(viewNote)
}

func noteKeys() keySection {
	return keySection{"note", []binding{
		{[]string{"enter"}, "⏎", "Enter keep", "save the note", App.saveNote},
		{[]string{"esc"}, "Esc", "Esc leave", "cancel", App.closeLine},
	}}
}

func (a App) saveNote() App {
	m := a.marks.draft.mark
	m.Note = strings.TrimSpace(a.marks.draft.text)
	return a.closeLine().addMark(m)
}

func (s marks) notePrompt(e env, typed cells.Line, w int) string {
	label := " note on " + sanitize.Line(e.markText(s.draft.mark))
	label = cells.Truncate(label, max(12, w/3)) + ": "
	return e.display.theme.Paint(themes.Dim, label) + e.display.theme.Paint(themes.Accent, typed.Shown(w-cells.Width(label)-1))
}

func runNote(a App, args []string) (App, error) {
	m, ok := a.markUnderCursor()
	if m.Note = truncateBytes(strings.Join(args, " "), session.MaxNote); !ok || m.Note == "" {
		return a, fmt.Errorf("note needs a text, and the cursor on a group, a sample or a step")
	}
	return a.addMark(m), nil
}

func marksKeys() keySection {
	return keySection{"list of marks", append(listKeys("j k move", onMarked), []binding{
		{[]string{"enter"}, "⏎", "Enter go-to", "go to the mark", within(marksOf, (*marks).open)},
		{[]string{"*"}, "*", "* unmark", "remove the mark", App.toggleMark},
		{[]string{"a"}, "a", "a note", "write or change its note", App.openNote},
		{[]string{"U"}, "U", "", "restore the last removed mark", App.restoreMark},
		{[]string{"esc", "'"}, "Esc", "Esc back", "back", App.escape},
	}...)}
}

func (a App) openMarks() App {
	a.marks.cursor = max(0, slices.IndexFunc(a.session.current.Marks, func(m session.Mark) bool { return m.Step >= a.place.step }))
	return a.pushView(viewMarks)
}

func (s marks) listed(e env) (m session.Mark, ok bool) {
	if all := e.session.current.Marks; len(all) > 0 {
		return all[clampIndex(s.cursor, len(all))], true
	}
	return m, false
}

func (a App) restoreMark() App {
	if a.session.removedMark == (session.Mark{}) {
		return a.says("no removed mark to restore")
	}
	m := a.session.removedMark
	a.session.removedMark = session.Mark{}
	a = a.addMark(m)
	a.marks.cursor = slices.IndexFunc(a.session.current.Marks, m.SameTarget)
	return a
}

// open goes to what is marked: to the step now, to the group or sample when the step is
// analysed.
func (s *marks) open(e env) action {
	m, ok := s.listed(e)
	if !ok {
		return nil
	}
	return going(m)
}

func (a App) goTo(m session.Mark) App {
	i, found := a.snap.Find(m.Step)
	if !found {
		return a.says(fmt.Sprintf("step %d is not in the log, or was removed", m.Step))
	}
	a = a.showGroups()
	a.marks.target, a.sampleReader.resumeFollow = &m, false // the newest step is not followed again
	return a.showStep(i)
}

// arriveAtMark puts the cursor on what is to be gone to, if its step is on the screen.
func (a App) arriveAtMark() App {
	m := a.marks.target
	if m == nil || a.work.analysis.busy() || a.result.analysis.Of(m.Step) == nil {
		return a
	}
	a.marks.target = nil
	if m.Group == "" {
		return a.focusPane(layout.Steps)
	}
	g, ok := a.groupOfMark(*m)
	if !ok {
		return a.says(fmt.Sprintf("step %d no longer has the group", m.Step))
	}
	row := slices.Index(a.result.rows, g)
	if row < 0 {
		return a.says("the filter hides the group: / changes the filter, u undoes it")
	}
	a.place.row = row
	if m.Sample > 0 {
		a = a.openSample(m.Sample)
	}
	return a.clampCursor()
}

// groupOfMark finds the group of a mark in the step on the screen, by its name, else by its
// prompt.
func (e env) groupOfMark(m session.Mark) (int, bool) {
	x := e.result.analysis
	byName := func(g analysis.Group) bool { return g.Step == m.Step && m.MatchesGroup(g.Name) }
	byPrompt := func(g analysis.Group) bool {
		if m.Prompt == "" || g.Step != m.Step {
			return false
		}
		step, ok := e.analyzedStep(g.Step)
		return ok && e.snap.PromptName(&step, int(x.InputRow[g.Start])) == m.Prompt
	}
	g := slices.IndexFunc(x.Table, byName)
	if g < 0 {
		g = slices.IndexFunc(x.Table, byPrompt)
	}
	return g, g >= 0
}

// openSample opens the group under the cursor at a sample, given by its row in the log.
func (a App) openSample(sample int) App {
	g := a.selectedGroup()
	if sample > g.Size() {
		return a.says(fmt.Sprintf("the group no longer has a row %d", sample))
	}
	a = a.openGroup()
	a.sampleReader.group, a.sampleReader.sample = keyOf(g), slices.Index(a.rankedSamples(g), g.Start+sample-1)
	return a
}

// markText says what is marked: a sample by its row in the log, which does not depend on
// the rewards as its rank does.
func (e env) markText(m session.Mark) string {
	switch {
	case m.Group == "":
		return fmt.Sprintf("step %d", m.Step)
	case m.Label == "":
		m.Label = "group " + m.Group
	}
	if m.Sample > 0 {
		return fmt.Sprintf("row %d · %s", m.Sample, m.Label)
	}
	return m.Label
}

// view draws the list of marks, and below the note under the cursor in full.
func (s marks) view(e env, w, h int) []string {
	t, all := e.display.theme, e.session.current.Marks
	if len(all) == 0 {
		return e.box(layout.Rect{W: w, H: h}, true, paneContent{title: " marks", lines: []string{
			"", " " + t.Paint(themes.Dim, "Nothing is marked yet."),
			" " + t.Paint(themes.Dim, cells.Truncate("* marks the group, the sample or the step under the cursor, a writes a note on it.", w-4)),
		}})
	}
	m, _ := s.listed(e)
	note := cells.Indent(" ", cells.Wrap(sanitize.Line(m.Note), w-4))
	if m.Note == "" {
		note = []string{" " + t.Paint(themes.Dim, "no note: a writes one")}
	}
	below := min(len(note), max(1, h/3)) + 2
	w, h = w-2, h-below // inside of the list: its frame has two lines
	markWidth := max(16, (w-12)*2/5)
	row := func(step, marked, note string) string {
		return cells.Fit(" "+cells.FitRight(step, 7)+"  "+cells.Fit(marked, markWidth)+"  "+note, w)
	}
	list := paneContent{title: " marks  " + units.Count(len(all)), lines: []string{t.Paint(themes.Dim, row("step", "marked", "note"))}}
	e.addRows(&list, onMarked, clampIndex(s.cursor, len(all)), len(all), w, h-2, func(i int) string {
		marked := "the step"
		if all[i].Group != "" {
			marked = sanitize.Line(e.markText(all[i]))
		}
		return row(fmt.Sprint(all[i].Step), marked, sanitize.Line(all[i].Note))
	})
	return append(e.box(layout.Rect{W: w + 2, H: h}, true, list),
		e.box(layout.Rect{W: w + 2, H: below}, false, paneContent{title: " " + sanitize.Line(e.markText(m)), lines: note})...)
}

func (e env) exportedMarks() report.Table {
	rows := model.Mapped(e.session.current.Marks, func(m session.Mark) []any { return []any{m.Step, m.Group, m.Sample, m.Label, m.Note} })
	return report.Table{Title: "marks", Columns: []string{"step", "group", "row", "prompt", "note"}, Rows: rows}
}
