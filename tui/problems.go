package tui

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"vantage/model"
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

// openProblems opens the view of how the log was read.
func (a App) openProblems() App {
	a.problems = 0
	return a.pushView(viewProblems)
}

// problemsView draws how the log was read, and below each place that could not be read: it
// formats only those in sight, since there may be thousands.
func (a App) problemsView(w, h int) []string {
	t, run := a.display.theme, a.snap.Run
	above := a.readingLines(w - 4)
	all := len(above) + a.listedProblems()
	at := min(a.problems, max(0, all-(h-2)))
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

// listedProblems returns how many problems have a line each below the reasons. Few ones are
// shown in full above instead.
func (e env) listedProblems() int {
	if n := len(e.snap.Run.Problems); n > maxFullProblems {
		return n
	}
	return 0
}

// unreadableCount returns how many places could not be read.
func (e env) unreadableCount() int { return max(e.snap.Run.Skipped, len(e.snap.Run.Problems)) }

// readingLines says how the log was understood, what could not be read and why, and what to
// do about it.
func (a App) readingLines(w int) []string {
	t := a.display.theme
	var lines []string
	for _, d := range a.decisions() {
		lines = append(lines, a.labelledLines(d.about, d.text, w)...)
	}
	lines = append(lines, "")
	switch {
	case a.unreadableCount() > 0:
		return append(lines, a.problemLines(w)...)
	case a.snap.Rows == 0:
		return append(lines, " "+t.Paint(themes.Dim, "nothing has been read yet"))
	}
	return append(lines, " "+t.Paint(themes.Good, "all rows were read"))
}

// labelledLines wraps a text behind a label.
func (e env) labelledLines(label, text string, w int) []string {
	lines := cells.Wrap(sanitize.Line(text), w-14)
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		lines[i] = " " + e.display.theme.Paint(themes.Title, cells.Fit(label, 12)) + line
	}
	return lines
}

// problemLines says what could not be read: few problems in full, many counted by reason.
func (e env) problemLines(w int) []string {
	t, problems := e.display.theme, e.snap.Run.Problems
	lines := []string{" " + t.Paint(themes.Title, units.Plural(e.unreadableCount(), "places")+" could not be read"+e.restWasRead())}
	if e.listedProblems() == 0 {
		for _, p := range problems {
			for _, line := range cells.Wrap(p.String(), w-6) {
				lines = append(lines, "   "+t.Paint(themes.Warn, line))
			}
		}
	} else {
		if e.unreadableCount() > e.listedProblems() {
			lines = append(lines, " "+t.Paint(themes.Dim, fmt.Sprintf("the first %s of them, by reason and one by one:", units.Count(e.listedProblems()))))
		}
		reasons := countReasons(problems)
		for _, r := range reasons[:min(maxReasonsListed, len(reasons))] {
			lines = append(lines, e.labelledLines(cells.FitRight(units.Count(r.count), 8)+" ×", r.text+", first at "+r.first, w)...)
		}
		if n := len(reasons) - maxReasonsListed; n > 0 {
			lines = append(lines, e.labelledLines("", "and for "+units.Plural(n, "other reasons"), w)...)
		}
	}
	return append(append(lines, e.labelledLines("what to do", e.remedy(), w)...), "")
}

// restWasRead says that the rest of the log was read, if it was.
func (e env) restWasRead() string {
	if e.snap.Rows == 0 {
		return ""
	}
	return "; the rest was"
}

func (e env) remedy() string {
	if e.snap.Rows == 0 {
		return "name its columns with the flags above; " + formatsHelp
	}
	return "nothing if they are few: they are left out of all figures. Otherwise fix the file and open it again"
}

// decision is how something about the log was decided, by evidence or by a flag.
type decision struct{ about, text string }

// decisions returns how the log was understood, and how to change that.
func (a App) decisions() []decision {
	run := a.snap.Run
	format := run.Format
	if format == "" {
		format = "no known format"
	}
	all := []decision{{"log", fmt.Sprintf("%s · %s · %s · %s", format, units.Plural(run.Progress.Files, "files"), units.Plural(len(a.snap.Steps), "steps"), units.Plural(a.snap.Rows, "samples"))}}
	if run.Provenance != "" {
		all = append(all, decision{"read", run.Provenance})
	}
	if a.snap.Rows > 0 {
		if r := a.rewards(); r.IsChoice() {
			all = append(all, decision{"reward", r.String()})
		}
		all = append(all, a.groupDecisions()...)
		if text := a.snap.RolloutEvidence(a.settings.now); text != "" {
			all = append(all, decision{"rollouts", text})
		}
		all = append(all, decision{"lengths", run.LengthUnit.Doc()})
		for _, text := range a.snap.SolvedEvidence(a.rewardScales()) {
			all = append(all, decision{"solved", text})
		}
	}
	for _, note := range run.Notes {
		all = append(all, decision{"left out", note})
	}
	if run.Progress.Link.IsRemote() && !a.sourceState.ended { // then the state is that of some time ago
		all = append(all, a.linkDecision())
	}
	follow := "file system events, plus a periodic check of the files"
	switch {
	case a.sourceState.err != nil:
		follow = "stopped: " + a.sourceState.err.Error() + "; fix this and open the log again"
	case a.sourceState.ended:
		follow = "no: the log has ended"
	case run.Progress.Link.IsRemote():
		follow = "by asking the other machine for changes, once a second at most"
	case run.Progress.Polling:
		follow = "polling: this file system reports no changes"
	}
	if p := run.Progress; !p.LastWrite.IsZero() {
		text := a.lastWriteText()
		if !a.sourceState.ended {
			text += "; " + p.FreshnessRule()
		}
		all = append(all, decision{"written", text})
	}
	return append(all, decision{"followed", follow},
		decision{"to change", "--input-format, --reward, --step, --prompt and --group-by NAME change what was detected"})
}

// rewardScales returns which rewards are solved: those of the analysis if a pass over all samples would
// be needed, since this is for a frame.
func (e env) rewardScales() []model.RewardScale {
	if set := e.settings.now; e.result.analysis != nil && set.Reward+string(set.Weights) != "" {
		return e.result.analysis.RewardScales()
	}
	return e.snap.RewardScales(e.settings.now)
}

func (e env) groupDecisions() []decision {
	g, err := e.snap.Grouping(e.settings.now)
	if err != nil {
		return []decision{{"groups", err.Error()}}
	}
	all := []decision{{"groups", g.Evidence}}
	if g.Doubt != "" {
		all = append(all, decision{"", g.Doubt})
	}
	return all
}

// maxReasonsListed bounds the reasons that are listed with their counts.
const maxReasonsListed = 8

// reason is why places could not be read.
type reason struct {
	text, first string // first is the first place
	full        string // of the first place
	count       int
}

// fullText returns the first place and reason in full, and how many places are like it.
func (r reason) fullText() string {
	if r.count == 1 {
		return r.full
	}
	return fmt.Sprintf("%s (and %s like it)", r.full, units.Count(r.count-1)+" more")
}

// placeDetails matches what differs between places with one reason: the column and quoted
// values.
var placeDetails = regexp.MustCompile(`^column \d+: |"[^"]*"`)

// countReasons counts the problems by reason without the details of the place, the most
// frequent first.
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
			all = append(all, reason{text: text, first: p.Where(), full: p.String()})
		}
		all[i].count++
	}
	slices.SortStableFunc(all, func(x, y reason) int { return cmp.Compare(y.count, x.count) })
	return all
}
