package tui

import (
	"fmt"
	"slices"

	"vantage/model/sanitize"
	"vantage/model/session"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

func marksKeys() keySection {
	return keySection{"list of marks", append(listKeys("j k move", onMarked), []binding{
		{[]string{"enter"}, "⏎", "Enter go-to", "go to the mark", App.goToMark},
		{[]string{"*"}, "*", "* unmark", "remove the mark", App.toggleMark},
		{[]string{"a"}, "a", "a note", "write or change its note", App.openNote},
		{[]string{"U"}, "U", "", "restore the last removed mark", App.restoreMark},
		{[]string{"esc", "'"}, "Esc", "Esc back", "back", App.escape},
	}...)}
}

// openMarks opens the list of marks, the cursor on the first of this step or a later one.
func (a App) openMarks() App {
	a.marks.cursor = max(0, slices.IndexFunc(a.session.current.Marks, func(m session.Mark) bool { return m.Step >= a.place.step }))
	return a.pushView(viewMarks)
}

// listedMark returns the mark under the cursor, if there is any.
func (a App) listedMark() (session.Mark, bool) {
	all := a.session.current.Marks
	if len(all) == 0 {
		return session.Mark{}, false
	}
	return all[clampIndex(a.marks.cursor, len(all))], true
}

func (a App) restoreMark() App {
	if a.session.removedMark == (session.Mark{}) {
		a.notice = "no removed mark to restore"
		return a
	}
	m := a.session.removedMark
	a.session.removedMark = session.Mark{}
	a = a.addMark(m)
	a.marks.cursor = slices.IndexFunc(a.session.current.Marks, m.SameTarget)
	return a
}

// goToMark goes to what is marked: to the step now, to the group or sample when the step is
// analysed.
func (a App) goToMark() App {
	m, ok := a.listedMark()
	if !ok {
		return a
	}
	i, found := a.snap.Find(m.Step)
	if !found {
		a.notice = fmt.Sprintf("step %d is not in the log, or was removed", m.Step)
		return a
	}
	a = a.showGroups()
	a.marks.target, a.sampleReader.resumeFollow = &m, false // the newest step is not followed again
	return a.showStep(i)
}

// arriveAtMark puts the cursor on the target of goToMark, if its step is on the screen.
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
		a.notice = fmt.Sprintf("step %d no longer has the group", m.Step)
		return a
	}
	row := slices.Index(a.result.rows, g)
	if row < 0 {
		a.notice = "the filter hides the group: / changes the filter, u undoes it"
		return a
	}
	a.panes.cursor = row
	if m.Sample > 0 {
		a = a.openSample(m.Sample)
	}
	return a.clampCursor()
}

// groupOfMark finds the group of a mark in the step on the screen, by its name, else by its
// prompt.
func (e env) groupOfMark(m session.Mark) (int, bool) {
	x := e.result.analysis
	for g := range x.Table {
		if x.Table[g].Step == m.Step && m.MatchesGroup(x.Table[g].Name) {
			return g, true
		}
	}
	for g := range x.Table {
		if m.Prompt == "" || x.Table[g].Step != m.Step {
			continue
		}
		if step, ok := e.stepOf(&x.Table[g]); ok && e.snap.PromptName(step, int(x.InputRow[x.Offsets[g]])) == m.Prompt {
			return g, true
		}
	}
	return 0, false
}

// openSample opens the group under the cursor at a sample, given by its row in the log.
func (a App) openSample(sample int) App {
	g := a.selectedGroup()
	if sample > g.Size() {
		a.notice = fmt.Sprintf("the group no longer has a row %d", sample)
		return a
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

// marksView draws the list of marks, and below the note under the cursor in full.
func (a App) marksView(w, h int) []string {
	t, all := a.display.theme, a.session.current.Marks
	if len(all) == 0 {
		return a.box(layout.Rect{W: w, H: h}, true, paneContent{title: " marks", lines: []string{
			"", " " + t.Paint(themes.Dim, "Nothing is marked yet."),
			" " + t.Paint(themes.Dim, cells.Truncate("* marks the group, the sample or the step under the cursor, a writes a note on it.", w-4)),
		}})
	}
	m, _ := a.listedMark()
	note := []string{}
	for _, line := range cells.Wrap(sanitize.Line(m.Note), w-4) {
		note = append(note, " "+line)
	}
	if m.Note == "" {
		note = []string{" " + t.Paint(themes.Dim, "no note: a writes one")}
	}
	below := min(len(note), max(1, h/3)) + 2
	return append(a.box(layout.Rect{W: w, H: h - below}, true, a.marksTable(w-2, h-below-2)),
		a.box(layout.Rect{W: w, H: below}, false, paneContent{title: " " + sanitize.Line(a.markText(m)), lines: note})...)
}

// marksTable lists the marks around the cursor.
func (a App) marksTable(w, h int) paneContent {
	t, all := a.display.theme, a.session.current.Marks
	c := paneContent{title: " marks  " + units.Count(len(all))}
	markWidth := max(16, (w-12)*2/5)
	row := func(step, marked, note string) string {
		return cells.Fit(" "+cells.FitRight(step, 7)+"  "+cells.Fit(marked, markWidth)+"  "+note, w)
	}
	c.lines = []string{t.Paint(themes.Dim, row("step", "marked", "note"))}
	a.addRows(&c, onMarked, clampIndex(a.marks.cursor, len(all)), len(all), w, h, func(i int) string {
		marked := "the step"
		if all[i].Group != "" {
			marked = sanitize.Line(a.markText(all[i]))
		}
		return row(fmt.Sprint(all[i].Step), marked, sanitize.Line(all[i].Note))
	})
	return c
}
