package tui

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

func problemKeys() keySection {
	return keySection{"log and problems", append(listKeys("j k scroll", onProblems),
		binding{[]string{"esc", "!"}, "Esc", "Esc back", "back", App.escape})}
}

func (a App) openProblems() App {
	a.views.problems = 0
	return a.pushView(viewProblems)
}

// problemsView draws how the log was read, and below each place that could not be read: it
// formats only those in sight, since there may be thousands.
func (e env) problemsView(top, w, h int) []string {
	t, run := e.display.theme, e.snap.Run
	above := e.readingLines(w - 4)
	all := len(above) + e.listedProblems()
	at := min(top, max(0, all-(h-2)))
	c := paneContent{title: " how the log was read", note: units.Plural(e.unreadableCount(), "problems")}
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
	return e.display.box(layout.Rect{W: w, H: h}, true, c)
}

// listedProblems returns how many problems have a line each below the reasons. Few ones are
// shown in full above instead.
func (e env) listedProblems() int {
	if n := len(e.snap.Run.Problems); n > maxFullProblems {
		return n
	}
	return 0
}

func (e env) unreadableCount() int { return max(e.snap.Run.Skipped, len(e.snap.Run.Problems)) }

// readingLines says how the log was understood, what could not be read and why, and what to
// do about it.
func (e env) readingLines(w int) []string {
	t := e.display.theme
	var lines []string
	for _, d := range e.decisions() {
		lines = append(lines, e.display.labelledLines(d.about, d.text, w)...)
	}
	lines = append(lines, "")
	switch unreadable := e.unreadableCount(); {
	case unreadable > 0:
		return append(lines, e.problemLines(w, unreadable)...)
	case e.snap.Rows == 0:
		return append(lines, " "+t.Paint(themes.Dim, "nothing has been read yet"))
	}
	return append(lines, " "+t.Paint(themes.Good, "all rows were read"))
}

func (d display) labelledLines(label, text string, w int) []string {
	lines := cells.Wrap(sanitize.Line(text), w-14)
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		lines[i] = " " + d.theme.Paint(themes.Title, cells.Fit(label, 12)) + line
	}
	return lines
}

// problemLines says what could not be read: few problems in full, many counted by reason.
func (e env) problemLines(w, unreadable int) []string {
	t, problems := e.display.theme, e.snap.Run.Problems
	rest, remedy := "; the rest was", "nothing if they are few: they are left out of all metrics. If they are many, fix the file and open it again"
	if e.snap.Rows == 0 {
		rest, remedy = "", "name its columns with the flags above; "+formatsHelp
	}
	lines := []string{" " + t.Paint(themes.Title, units.Plural(unreadable, "places")+" could not be read"+rest)}
	listed := e.listedProblems()
	if listed == 0 {
		for _, p := range problems {
			lines = append(lines, e.display.wrapped("   ", themes.Warn, p.String(), w-6)...)
		}
	} else {
		if unreadable > listed {
			lines = append(lines, " "+t.Paint(themes.Dim, fmt.Sprintf("the first %s of them, by reason and one by one:", units.Count(listed))))
		}
		reasons := countReasons(problems)
		for _, r := range reasons[:min(maxReasonsListed, len(reasons))] {
			lines = append(lines, e.display.labelledLines(cells.FitRight(units.Count(r.count), 8)+" ×", r.text+", first at "+r.first, w)...)
		}
		if n := len(reasons) - maxReasonsListed; n > 0 {
			lines = append(lines, e.display.labelledLines("", "and for "+units.Plural(n, "other reasons"), w)...)
		}
	}
	return append(append(lines, e.display.labelledLines("what to do", remedy, w)...), "")
}

// decision is how something about the log was decided, by evidence or by a flag.
type decision struct{ about, text string }

func (e env) decisions() []decision {
	run := e.snap.Run
	format := run.Format
	if format == "" {
		format = "no known format"
	}
	all := []decision{{"log", fmt.Sprintf("%s · %s · %s · %s", format, units.Plural(run.Progress.Files, "files"), units.Plural(len(e.snap.Steps), "steps"), units.Plural(e.snap.Rows, "samples"))}}
	if run.Provenance != "" {
		all = append(all, decision{"read", run.Provenance})
	}
	if e.snap.Rows > 0 {
		all = append(all, e.sampleDecisions()...)
	}
	if d := e.diagnosis(); d != nil {
		about := "not checked"
		for _, b := range d.Blindnesses() {
			all, about = append(all, decision{about, strings.Join(model.Mapped(b.Kinds, diagnosis.Kind.Words), ", ") + ": " + b.Why}), ""
		}
	}
	for _, note := range run.Notes {
		all = append(all, decision{"left out", note})
	}
	if run.Progress.Link.IsRemote() && !e.sourceState.ended { // then the state is that of some time ago
		all = append(all, decision{"connection", e.connection()})
	}
	if p := run.Progress; !p.LastWrite.IsZero() {
		text := e.timeText(p.LastWrite)
		if !e.sourceState.ended {
			text += "; " + p.FreshnessRule()
		}
		all = append(all, decision{"written", text})
	}
	return append(all, decision{"followed", e.howFollowed()},
		decision{"to change", "--input-format, --reward, --step, --prompt and --group-by NAME override the detection"})
}

// sampleDecisions are those about samples.
func (e env) sampleDecisions() (all []decision) {
	if r := e.rewards(); r.IsChoice() {
		all = append(all, decision{"reward", r.String()})
	}
	if g, err := e.snap.Grouping(e.settings.now); err != nil {
		all = append(all, decision{"groups", err.Error()})
	} else if all = append(all, decision{"groups", g.Evidence}); g.Doubt != "" {
		all = append(all, decision{"", g.Doubt})
	}
	if text := e.snap.RolloutEvidence(e.settings.now); text != "" {
		all = append(all, decision{"rollouts", text})
	}
	if text := e.snap.StatusEvidence(); text != "" {
		all = append(all, decision{"statuses", text})
	}
	all = append(all, decision{"lengths", e.snap.Run.LengthUnit.Doc()})
	for _, text := range e.snap.SolvedEvidence(e.rewardScales()) {
		all = append(all, decision{"solved", text})
	}
	return all
}

// connection says where the rows are, and why they cannot be seen if the connection is lost.
func (e env) connection() string {
	link := e.snap.Run.Progress.Link
	text := link.String()
	if link.Reason != "" {
		text += ": " + link.Reason
	}
	if link.Reason != "" && e.snap.Rows > 0 {
		text += "; the rows read so far stay"
	}
	return text
}

func (e env) howFollowed() string {
	switch p := e.snap.Run.Progress; {
	case e.sourceState.err != nil:
		return "stopped: " + e.sourceState.err.Error() + "; fix this and open the log again"
	case e.sourceState.ended:
		return "no: the log has ended"
	case p.Link.IsRemote():
		return "by asking the other machine for changes, once a second at most"
	case p.Polling:
		return "polling: this file system reports no changes"
	}
	return "file system events, plus a periodic check of the files"
}

// rewardScales returns which rewards are solved: those of the analysis if a pass over all samples would
// be needed, since this is for a frame.
func (e env) rewardScales() []model.RewardScale {
	if set := e.settings.now; e.result.analysis != nil && set.Reward+string(set.Weights) != "" {
		return e.result.analysis.RewardScales()
	}
	return e.snap.RewardScales(e.settings.now)
}

// maxReasonsListed bounds the reasons that are listed with their counts.
const maxReasonsListed = 8

type reason struct {
	text, first string // first is the first place
	full        string // of the first place
	count       int
}

// placeDetails matches what differs between places with one reason: the column and quoted
// values.
var placeDetails = regexp.MustCompile(`^column \d+: |"[^"]*"`)

// countReasons counts the problems by reason without the details of the place, the most
// frequent first.
func countReasons(problems []model.Problem) []reason {
	var all []reason
	at := map[string]int{}
	for _, p := range problems {
		text := placeDetails.ReplaceAllStringFunc(p.Reason, func(s string) string {
			if s[0] == '"' {
				return "\"…\""
			}
			return ""
		})
		if _, known := at[text]; !known {
			at[text] = len(all)
			all = append(all, reason{text: text, first: p.Where(), full: p.String()})
		}
		all[at[text]].count++
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].count > all[j].count })
	return all
}

func (e env) exportedProblems() report.Table {
	rows := model.Mapped(e.snap.Run.Problems, func(p model.Problem) []any { return []any{p.File, p.Line, p.Reason} })
	return report.Table{Title: "what could not be read", Columns: []string{"file", "line", "reason"}, Rows: rows}
}
