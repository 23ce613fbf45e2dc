package tui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"vantage/model/sanitize"
	"vantage/model/session"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// marks is the state of the list of marks, of the note that is written, and of a mark
// that one is on the way to.
type marks struct {
	cursor int
	note   note
	target *session.Mark // nil: one is where one is
}

// note is the line in which a note is written.
type note struct {
	to   session.Mark
	text string
}

// pointed is a mark, without a note, of what the cursor is on.
func (a App) pointed() (session.Mark, bool) {
	switch g := a.selected(); {
	case a.place.view == viewMarks:
		return a.markListed()
	case a.result.analysis == nil:
		return session.Mark{}, false
	case a.place.view == viewSteps, a.place.view == viewOverview && a.place.focus == layout.Steps:
		return session.Mark{Step: a.result.analysis.Step}, true
	case g == nil:
		return session.Mark{}, false
	case a.place.view == viewGroup:
		return a.sampleMark(a.ranking(g)[within(a.reader.sample, g.Size())]), true
	case a.place.view == viewOverview:
		return a.groupMark(), true
	}
	return session.Mark{}, false
}

// groupMark points at the group under the cursor.
func (a App) groupMark() session.Mark {
	g, x := a.selected(), a.result.analysis
	m := session.Mark{Step: x.Step, Group: g.Name, Shown: begun(g.Preview, session.MaxText)}
	if step, ok := a.stepRead(); ok {
		m.Prompt = a.snap.PromptName(step, int(x.Order[g.Start]))
	}
	return m
}

// sampleMark points at a sample of the group under the cursor, by its column.
func (a App) sampleMark(column int) session.Mark {
	m := a.groupMark()
	m.Sample = column - a.selected().Start + 1
	return m
}

// begun is as much of the beginning of a text as some bytes hold.
func begun(text string, most int) string {
	for len(text) > most {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	}
	return text
}

// nothingToMark says where marks are made.
const nothingToMark = "nothing to mark here: groups, samples and steps can be"

func (a App) toggleMark() (App, tea.Cmd) {
	m, ok := a.pointed()
	if !ok {
		a.notice = nothingToMark
		return a, nil
	}
	if old, marked := a.kept.session.Find(m); marked {
		return a.unmark(old)
	}
	if a.kept.removed.Same(m) {
		m.Note = a.kept.removed.Note
	}
	return a.mark(m)
}

// mark marks, if there is room.
func (a App) mark(m session.Mark) (App, tea.Cmd) {
	if _, marked := a.kept.session.Find(m); !marked && len(a.kept.session.Marks) >= session.MaxMarks {
		a.notice = fmt.Sprintf("there are %d marks: take some away first", session.MaxMarks)
		return a, nil
	}
	a.notice = "marked: a writes a note to it, ' lists all marks"
	if m.Note != "" {
		a.notice = "noted: ' lists all marks"
	}
	if a.kept.memory == nil {
		a.notice += " (until you quit: nothing is kept of this run)"
	}
	return a.keep(func(s session.Session) session.Session { return s.With(m) })
}

// unmark takes a mark away; its note comes back with it if it is marked again.
func (a App) unmark(m session.Mark) (App, tea.Cmd) {
	a.kept.removed = m
	a.notice = "no longer marked"
	if m.Note != "" {
		a.notice += ": marked again it has its note again, until you quit"
	}
	a, cmd := a.keep(func(s session.Session) session.Session { return s.Without(m) })
	return a.markBy(0), cmd
}

// markSign is a star before what is marked, a dim one before a group of which a sample
// is.
func (a App) markSign(m session.Mark) string {
	sign := " "
	for _, have := range a.kept.session.Marks {
		switch {
		case have.Step != m.Step || !have.Names(m.Group):
		case have.Sample == m.Sample:
			return a.look.theme.Paint(themes.Accent, "*")
		case m.Sample == 0:
			sign = a.look.theme.Paint(themes.Dim, "*")
		}
	}
	return sign
}

// noteHere is the note to what the cursor is on: to the sample, else to its group.
func (a App) noteHere() string {
	if len(a.kept.session.Marks) == 0 || a.selected() == nil {
		return ""
	}
	have, _ := a.kept.session.Find(a.groupMark())
	if m, ok := a.pointed(); ok && m.Sample > 0 {
		if of, _ := a.kept.session.Find(m); of.Note != "" {
			have = of
		}
	}
	return sanitize.Line(have.Note)
}

// noteTo is the note to a group of a step, or to the step itself.
func (a App) noteTo(step int64, group string) string {
	m, _ := a.kept.session.Find(session.Mark{Step: step, Group: group})
	return m.Note
}

// openNote writes a note to what the cursor is on.
func (a App) openNote() (App, tea.Cmd) {
	m, ok := a.pointed()
	if !ok {
		a.notice = nothingToMark
		return a, nil
	}
	if have, marked := a.kept.session.Find(m); marked {
		m = have
	}
	a.marks.note = note{to: m, text: m.Note}
	a.place.under = a.place.view
	return a.open(viewNote)
}

func noteKeys() section {
	return section{"note", []binding{
		{[]string{"enter"}, "⏎", "Enter keep", "keep the note, and the mark", App.keepNote},
		{[]string{"backspace"}, "⌫", "", "take a character back", App.shortenNote},
		{[]string{"ctrl+u"}, "^U", "", "take all of it back", func(a App) (App, tea.Cmd) { a.marks.note.text = ""; return a, nil }},
		{[]string{"esc"}, "Esc", "Esc leave", "leave it as it was", App.leaveCommand},
	}}
}

func (a App) typeNote(text string) App {
	if len(a.marks.note.text)+len(text) <= session.MaxNote {
		a.marks.note.text += text
	}
	return a
}

func (a App) shortenNote() (App, tea.Cmd) {
	text := a.marks.note.text
	_, n := utf8.DecodeLastRuneInString(text)
	a.marks.note.text = text[:len(text)-n]
	return a, nil
}

func (a App) keepNote() (App, tea.Cmd) {
	m := a.marks.note.to
	m.Note = strings.TrimSpace(a.marks.note.text)
	a, _ = a.leaveCommand()
	return a.mark(m)
}

// notePrompt is the line as the hints show it: of a long note the end.
func (a App) notePrompt(w int) string {
	head := " note to " + sanitize.Line(a.markWords(a.marks.note.to))
	head = cells.Truncate(head, max(12, w/3)) + ": "
	text := sanitize.Line(a.marks.note.text)
	for room := w - cells.Width(head) - 2; cells.Width(text) > max(1, room); {
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	return a.look.theme.Paint(themes.Dim, head) + a.look.theme.Paint(themes.Accent, text+"▏")
}

// runNote marks what the cursor is on with a note.
func runNote(a App, args []string) (App, tea.Cmd, error) {
	m, ok := a.pointed()
	text := begun(strings.Join(args, " "), session.MaxNote)
	if !ok || text == "" {
		return a, nil, fmt.Errorf("note takes a text, and a group, a sample or a step under the cursor")
	}
	m.Note = text
	a, cmd := a.mark(m)
	return a, cmd, nil
}
