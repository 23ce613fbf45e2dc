package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vantage/model/printable"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

func problemKeys() section {
	return section{"log and problems", []binding{
		{[]string{"j", "down"}, "j ↓", "j k scroll", "down", func(a App) (App, tea.Cmd) { return a.problemBy(1), nil }},
		{[]string{"k", "up"}, "k ↑", "", "up", func(a App) (App, tea.Cmd) { return a.problemBy(-1), nil }},
		{[]string{"ctrl+d", "pgdown"}, "^D", "", "a page down", func(a App) (App, tea.Cmd) { return a.problemBy(10), nil }},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page up", func(a App) (App, tea.Cmd) { return a.problemBy(-10), nil }},
		{[]string{"esc", "!"}, "Esc", "Esc back", "back", App.escape},
	}}
}

// openProblems says how the log was read, and what could not be.
func (a App) openProblems() (App, tea.Cmd) {
	a.place.problem = 0
	return a.open(viewProblems)
}

func (a App) problemBy(by int) App {
	a.place.problem = within(a.place.problem+by, len(a.problemLines(a.look.w-4)))
	return a
}

func (a App) problemsView(w, h int) []string {
	lines := a.problemLines(w - 4)
	at := min(a.place.problem, max(0, len(lines)-(h-2)))
	return a.box(layout.Rect{W: w, H: h}, true, content{
		title: " how the log was read", note: units.Plural(max(a.snap.Run.Skipped, len(a.snap.Run.Problems)), "problems"), lines: lines[at:],
	})
}

func (a App) problemLines(w int) []string {
	t, run := a.look.theme, a.snap.Run
	var lines []string
	say := func(name, text string) {
		for i, line := range cells.Wrap(printable.Line(text), w-14) {
			if i > 0 {
				name = ""
			}
			lines = append(lines, " "+t.Paint(themes.Title, cells.Fit(name, 12))+line)
		}
	}
	say("log", fmt.Sprintf("%s · %s · %s · %s", run.Format, units.Plural(run.Progress.Files, "files"), units.Plural(len(a.snap.Steps), "steps"), units.Plural(a.snap.Rows, "samples")))
	say("read", run.How)
	if g, err := a.snap.Grouping(a.set.now); err == nil {
		say("groups", g.Evidence)
		if g.Doubt != "" {
			say("", g.Doubt)
		}
	} else {
		say("groups", err.Error())
	}
	say("lengths", run.LengthUnit.Doc())
	for _, note := range run.Notes {
		say("left out", note)
	}
	how := "the kernel tells of changes; files are looked at besides"
	if run.Progress.Polling {
		how = "by polling: this filesystem tells of no changes"
	}
	say("followed", how)
	say("otherwise", "--input-format, --reward, --step, --prompt and --group-by NAME say what is right, if this is not")
	lines = append(lines, "")
	if len(run.Problems) == 0 {
		return append(lines, " "+t.Paint(themes.Good, "everything could be read"))
	}
	lines = append(lines, " "+t.Paint(themes.Title, fmt.Sprintf("%s could not be read; the rest was", units.Plural(max(run.Skipped, len(run.Problems)), "places"))))
	for _, p := range run.Problems {
		for i, line := range cells.Wrap(p.String(), w-4) {
			if i > 0 {
				line = "  " + line
			}
			lines = append(lines, "   "+t.Paint(themes.Warn, line))
		}
	}
	return lines
}
