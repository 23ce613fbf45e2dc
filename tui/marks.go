package tui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"vantage/model/sanitize"
	"vantage/model/session"
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

// noteDraft is a note while it is typed.
type noteDraft struct {
	mark session.Mark
	text string
}

// markUnderCursor returns a mark, without a note, of what the cursor is on, if that can be
// marked: a sample, a group, else the step.
func (a App) markUnderCursor() (session.Mark, bool) {
	switch g := a.selectedGroup(); {
	case a.position.view == viewMarks:
		return a.listedMark()
	case a.result.analysis == nil:
		return session.Mark{}, false
	case a.position.view == viewCompare || a.position.view == viewAnswers: // of two runs: neither is a step
		return session.Mark{}, false
	case a.position.view == viewGroup && g != nil:
		return a.sampleMark(a.rankedSamples(g)[clampIndex(a.sampleReader.sample, g.Size())]), true
	case a.position.view == viewOverview && a.panes.focus != layout.Steps && g != nil:
		return a.groupMark(), true
	}
	return session.Mark{Step: a.result.analysis.Step}, true
}

// groupMark returns a mark of the group under the cursor.
func (a App) groupMark() session.Mark {
	g, x := a.selectedGroup(), a.result.analysis
	m := session.Mark{Step: g.Step, Group: g.Name, Label: truncateBytes(g.Preview, session.MaxText)}
	if step, ok := a.stepOf(g); ok {
		m.Prompt = a.snap.PromptName(step, int(x.InputRow[g.Start]))
	}
	return m
}

// sampleMark returns a mark of a sample of the group under the cursor, given by its column
// of the analysis.
func (a App) sampleMark(column int) session.Mark {
	m := a.groupMark()
	m.Sample = column - a.selectedGroup().Start + 1
	return m
}

// truncateBytes cuts text to whole characters of at most limit bytes.
func truncateBytes(text string, limit int) string {
	for len(text) > limit {
		text = backspace(text)
	}
	return text
}

// nothingToMark says what can be marked.
const nothingToMark = "nothing to mark here: a mark is of a group, a sample or a step of one run"

func (a App) toggleMark() App {
	m, ok := a.markUnderCursor()
	if !ok {
		a.notice = nothingToMark
		return a
	}
	if old, marked := a.session.current.FindMark(m); marked {
		return a.removeMark(old)
	}
	if a.session.removedMark.SameTarget(m) {
		m.Note = a.session.removedMark.Note
	}
	return a.addMark(m)
}

// addMark adds or replaces a mark, unless there are too many.
func (a App) addMark(m session.Mark) App {
	if _, marked := a.session.current.FindMark(m); !marked && len(a.session.current.Marks) >= session.MaxMarks {
		a.notice = fmt.Sprintf("at most %d marks: remove some first", session.MaxMarks)
		return a
	}
	a.notice = "marked " + cells.Truncate(sanitize.Line(a.markText(m)), 40) + ": a writes a note on it, ' lists all marks"
	if m.Note != "" {
		a.notice = "note saved on " + cells.Truncate(sanitize.Line(a.markText(m)), 40) + ": ' lists all marks"
	}
	if a.session.store == nil {
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
func (a App) markSign(m session.Mark) string {
	sign := " "
	for _, other := range a.session.current.Marks {
		switch {
		case other.Step != m.Step || !other.MatchesGroup(m.Group):
		case other.Sample == m.Sample:
			return a.display.theme.Paint(themes.Accent, "*")
		case m.Sample == 0:
			sign = a.display.theme.Paint(themes.Dim, "*")
		}
	}
	return sign
}

// noteUnderCursor returns the note of the sample under the cursor, else that of its group.
func (a App) noteUnderCursor() string {
	if len(a.session.current.Marks) == 0 || a.selectedGroup() == nil {
		return ""
	}
	have, _ := a.session.current.FindMark(a.groupMark())
	if m, ok := a.markUnderCursor(); ok && m.Sample > 0 {
		if of, _ := a.session.current.FindMark(m); of.Note != "" {
			have = of
		}
	}
	return sanitize.Line(have.Note)
}

// noteOf returns the note of a group of a step, or of the step if group is empty.
func (a App) noteOf(step int64, group string) string {
	m, _ := a.session.current.FindMark(session.Mark{Step: step, Group: group})
	return m.Note
}

// openNote opens the line for the note of what the cursor is on.
func (a App) openNote() App {
	m, ok := a.markUnderCursor()
	if !ok {
		a.notice = nothingToMark
		return a
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
		{[]string{"backspace"}, "⌫", "", "delete the last character", App.backspaceNote},
		{[]string{"ctrl+u"}, "^U", "", "delete the whole line", func(a App) App { a.marks.draft.text = ""; return a }},
		{[]string{"esc"}, "Esc", "Esc leave", "cancel", App.closeLine},
	}}
}

func (a App) typeNote(typed string) App {
	a.marks.draft.text = appendTyped(a.marks.draft.text, typed, session.MaxNote)
	return a
}

func (a App) backspaceNote() App {
	a.marks.draft.text = backspace(a.marks.draft.text)
	return a
}

func (a App) saveNote() App {
	m := a.marks.draft.mark
	m.Note = strings.TrimSpace(a.marks.draft.text)
	a = a.closeLine()
	return a.addMark(m)
}

// notePrompt returns the line in w cells, with the end of a long note.
func (a App) notePrompt(w int) string {
	label := " note on " + sanitize.Line(a.markText(a.marks.draft.mark))
	label = cells.Truncate(label, max(12, w/3)) + ": "
	text := sanitize.Line(a.marks.draft.text)
	for free := w - cells.Width(label) - 2; cells.Width(text) > max(1, free); {
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	return a.display.theme.Paint(themes.Dim, label) + a.display.theme.Paint(themes.Accent, text+"▏")
}

// runNote marks what the cursor is on, with a note.
func runNote(a App, args []string) (App, error) {
	m, ok := a.markUnderCursor()
	text := truncateBytes(strings.Join(args, " "), session.MaxNote)
	if !ok || text == "" {
		return a, fmt.Errorf("note needs a text, and the cursor on a group, a sample or a step")
	}
	m.Note = text
	a = a.addMark(m)
	return a, nil
}
