package tui

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

func problemKeys() keySection {
	return keySection{"log and problems", []binding{
		{[]string{"j", "down"}, "j ↓", "j k scroll", "down", move(App.scrollProblems, 1)},
		{[]string{"k", "up"}, "k ↑", "", "up", move(App.scrollProblems, -1)},
		{[]string{"ctrl+d", "pgdown"}, "^D", "", "a page down", move(App.scrollProblems, 10)},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page up", move(App.scrollProblems, -10)},
		{[]string{"g", "home"}, "g", "", "to the top", move(App.scrollProblems, math.MinInt32)},
		{[]string{"G", "end"}, "G", "", "to the end", move(App.scrollProblems, math.MaxInt32)},
		{[]string{"esc", "!"}, "Esc", "Esc back", "back", App.escape},
	}}
}

// openProblems says how the log was read, and what could not be.
func (a App) openProblems() (App, tea.Cmd) {
	a.position.problemScroll = 0
	return a.pushView(viewProblems)
}

// scrollProblems scrolls, no further than the last line at the bottom.
func (a App) scrollProblems(by int) App {
	seen := a.display.h - len(a.header(a.display.w)) - 3
	lines := len(a.readingLines(a.display.w-4)) + a.listedProblems()
	a.position.problemScroll = clampIndex(a.position.problemScroll+by, max(1, lines-seen+1))
	return a
}

// problemsView is how the log was read over each place that could not be: only those
// in sight are written out, since a broken log has a thousand.
func (a App) problemsView(w, h int) []string {
	t, run := a.display.theme, a.snap.Run
	above := a.readingLines(w - 4)
	all := len(above) + a.listedProblems()
	at := min(a.position.problemScroll, max(0, all-(h-2)))
	c := paneContent{title: " how the log was read", note: units.Plural(a.unreadableCount(), "problems")}
	if all > h-2 {
		c.note = fmt.Sprintf("%d–%d/%d · %s", at+1, min(all, at+h-2), all, c.note)
	}
	for i := at; i < min(all, at+h-2); i++ {
		if i < len(above) {
			c.lines = append(c.lines, above[i])
			continue
		}
		c.lines = append(c.lines, "   "+t.Paint(themes.Warn, cells.Truncate(run.Problems[i-len(above)].String(), w-6)))
	}
	return a.box(layout.Rect{W: w, H: h}, true, c)
}

// listedProblems is how many problems have a line of their own below the reasons: few are said
// at full length instead.
func (a App) listedProblems() int {
	if n := len(a.snap.Run.Problems); n > maxFullProblems {
		return n
	}
	return 0
}

// unreadableCount is how many places could not be read.
func (a App) unreadableCount() int { return max(a.snap.Run.Skipped, len(a.snap.Run.Problems)) }

// readingLines say what was decided about the log, what could not be read and why, and
// what to do about it.
func (a App) readingLines(w int) []string {
	t, run := a.display.theme, a.snap.Run
	var lines []string
	say := func(name, text string) {
		for i, line := range cells.Wrap(sanitize.Line(text), w-14) {
			if i > 0 {
				name = ""
			}
			lines = append(lines, " "+t.Paint(themes.Title, cells.Fit(name, 12))+line)
		}
	}
	for _, d := range a.decisions() {
		say(d.about, d.text)
	}
	lines = append(lines, "")
	switch {
	case a.unreadableCount() > 0:
	case a.snap.Rows == 0:
		return append(lines, " "+t.Paint(themes.Dim, "nothing has been read yet"))
	default:
		return append(lines, " "+t.Paint(themes.Good, "everything could be read"))
	}
	lines = append(lines, " "+t.Paint(themes.Title, units.Plural(a.unreadableCount(), "places")+" could not be read"+a.restWasRead()))
	if a.listedProblems() == 0 {
		for _, p := range run.Problems {
			for _, line := range cells.Wrap(p.String(), w-6) {
				lines = append(lines, "   "+t.Paint(themes.Warn, line))
			}
		}
	} else {
		if n := a.unreadableCount(); n > a.listedProblems() {
			lines = append(lines, " "+t.Paint(themes.Dim, fmt.Sprintf("the first %s of them, by reason and one by one:", units.Count(a.listedProblems()))))
		}
		reasons := countReasons(run.Problems)
		for _, r := range reasons[:min(maxReasonsListed, len(reasons))] {
			say(cells.FitRight(units.Count(r.count), 8)+" ×", r.text+", first at "+r.first)
		}
		if n := len(reasons) - maxReasonsListed; n > 0 {
			say("", "and for "+units.Plural(n, "other reasons"))
		}
	}
	say("what to do", a.remedy())
	return append(lines, "")
}

// restWasRead says what became of the rest of a log that could not be read everywhere.
func (a App) restWasRead() string {
	if a.snap.Rows == 0 {
		return ""
	}
	return "; the rest was"
}

func (a App) remedy() string {
	if a.snap.Rows == 0 {
		return "name its fields with the flags above; " + formatsHelp
	}
	return "nothing, if they are few: they count nowhere. Else mend the file and open it again"
}

// decision is what reading found out about the log, or was told.
type decision struct{ about, text string }

// decisions are the decisions behind every number, and how to decide otherwise.
func (a App) decisions() []decision {
	run := a.snap.Run
	format := run.Format
	if format == "" {
		format = "no known format"
	}
	all := []decision{{"log", fmt.Sprintf("%s · %s · %s · %s", format, units.Plural(run.Progress.Files, "files"), units.Plural(len(a.snap.Steps), "steps"), units.Plural(a.snap.Rows, "samples"))}}
	if run.How != "" {
		all = append(all, decision{"read", run.How})
	}
	if a.snap.Rows > 0 {
		all = append(all, a.groupDecisions()...)
		all = append(all, decision{"lengths", run.LengthUnit.Doc()})
	}
	for _, note := range run.Notes {
		all = append(all, decision{"left out", note})
	}
	how := "the kernel tells of changes; files are looked at besides"
	switch {
	case a.sourceState.err != nil:
		how = "no more: " + a.sourceState.err.Error() + "; mend this, and open it again"
	case a.sourceState.ended:
		how = "no more: the log has ended"
	case run.Progress.Polling:
		how = "by polling: this filesystem tells of no changes"
	}
	return append(all, decision{"followed", how},
		decision{"otherwise", "--input-format, --reward, --step, --prompt and --group-by NAME say what is right, if this is not"})
}

func (a App) groupDecisions() []decision {
	g, err := a.snap.Grouping(a.settings.now)
	if err != nil {
		return []decision{{"groups", err.Error()}}
	}
	all := []decision{{"groups", g.Evidence}}
	if g.Doubt != "" {
		all = append(all, decision{"", g.Doubt})
	}
	return all
}

// maxReasonsListed is how many reasons are counted by name: each place is listed
// below.
const maxReasonsListed = 8

// reason is why places could not be read.
type reason struct {
	text, first string // first is where it was met first
	count       int
}

// placeDetails are what differs between places with one reason: where in the line, and what
// stands there.
var placeDetails = regexp.MustCompile(`^column \d+: |"[^"]*"`)

// countReasons counts the problems by reason, the most frequent first. What differs from
// place to place is left out, or each line would have a reason of its own.
func countReasons(problems []model.Problem) []reason {
	at := map[string]int{}
	var all []reason
	for _, p := range problems {
		text := placeDetails.ReplaceAllStringFunc(p.Reason, func(s string) string {
			if s[0] == '"' {
				return "\"…\""
			}
			return ""
		})
		i, ok := at[text]
		if !ok {
			i = len(all)
			at[text] = i
			all = append(all, reason{text: text, first: p.Where()})
		}
		all[i].count++
	}
	slices.SortStableFunc(all, func(x, y reason) int { return cmp.Compare(y.count, x.count) })
	return all
}
