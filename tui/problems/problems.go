// Package problems is the view of how the log was read and of what could not be read, and what is said while there is nothing else to show.
package problems

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/report"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// maxFullProblems is how many problems are shown in full; more are counted by reason.
const maxFullProblems = 3

// formatsHelp says where the options of all trainers are listed.
const formatsHelp = "`vantage list formats` lists what can be read, and the option with which each trainer writes it"

// View is the view of how the log was read.
type View struct {
	top int // the first line in sight
}

// Rows makes the text a list.
func (p *View) Rows(e env.Env) (*int, int) {
	return &p.top, e.Display.FirstLines(len(readingLines(e, e.Display.W-4)) + listedProblems(e))
}

// DrawsEarly marks that what cannot be read is shown before a step is computed.
func (*View) DrawsEarly() {}

// OnOpen goes to the top.
func (p *View) OnOpen(env.Env) { p.top = 0 }

// Keys of the view.
func (*View) Keys() view.Section {
	return view.Section{Name: "log and problems", Bindings: append(view.ListKeys("j k scroll"),
		view.Binding{Keys: []string{"esc", "!"}, Label: "Esc", Hint: "Esc back", Doc: "back", Do: view.Ask(view.Escape{})})}
}

// Draw draws how the log was read, and below each place that could not be read: it
// formats only those in sight, since there may be thousands.
func (p *View) Draw(e env.Env, w, h int) []string {
	t, run := e.Display.Theme, e.Snap.Run
	above := readingLines(e, w-4)
	all := len(above) + listedProblems(e)
	at := min(p.top, max(0, all-(h-2)))
	c := pane.Content{Title: " how the log was read", Note: units.Plural(e.UnreadableCount(), "problems")}
	if all > h-2 {
		c.Note = fmt.Sprintf("%d–%d/%d · %s", at+1, min(all, at+h-2), all, c.Note)
	}
	for i := at; i < min(all, at+h-2); i++ {
		if i < len(above) {
			c.Lines = append(c.Lines, above[i])
			continue
		}
		c.Lines = append(c.Lines, "   "+t.Paint(themes.Warn, cells.Truncate(run.Problems[i-len(above)].String(), w-6)))
	}
	return e.Display.Box(layout.Rect{W: w, H: h}, true, c)
}

// listedProblems returns how many problems have a line each below the reasons. Few ones are
// shown in full above instead.
func listedProblems(e env.Env) int {
	if n := len(e.Snap.Run.Problems); n > maxFullProblems {
		return n
	}
	return 0
}

// readingLines says how the log was understood, what could not be read and why, and what to
// do about it.
func readingLines(e env.Env, w int) []string {
	t := e.Display.Theme
	var lines []string
	for _, d := range decisions(e) {
		lines = append(lines, e.Display.LabelledLines(d.about, d.text, w)...)
	}
	lines = append(lines, "")
	switch unreadable := e.UnreadableCount(); {
	case unreadable > 0:
		return append(lines, problemLines(e, w, unreadable)...)
	case e.Snap.Rows == 0:
		return append(lines, " "+t.Paint(themes.Dim, "nothing has been read yet"))
	}
	return append(lines, " "+t.Paint(themes.Good, "all rows were read"))
}

// problemLines says what could not be read: few problems in full, many counted by reason.
func problemLines(e env.Env, w, unreadable int) []string {
	t, problems := e.Display.Theme, e.Snap.Run.Problems
	rest, remedy := "; the rest was", "nothing if they are few: they are left out of all metrics. If they are many, fix the file and "+
		"open it again"
	if e.Snap.Rows == 0 {
		rest, remedy = "", "name its columns with the flags above; "+formatsHelp
	}
	lines := []string{" " + t.Paint(themes.Title, units.Plural(unreadable, "places")+" could not be read"+rest)}
	listed := listedProblems(e)
	if listed == 0 {
		for _, p := range problems {
			lines = append(lines, e.Display.Wrapped("   ", themes.Warn, p.String(), w-6)...)
		}
	} else {
		if unreadable > listed {
			lines = append(lines, " "+t.Paint(themes.Dim, fmt.Sprintf("the first %s of them, by reason and one by one:",
				units.Count(listed))))
		}
		reasons := countReasons(problems)
		for _, r := range reasons[:min(maxReasonsListed, len(reasons))] {
			times := cells.FitRight(units.Count(r.Count), 8) + " ×"
			lines = append(lines, e.Display.LabelledLines(times, r.text+", first at "+r.first, w)...)
		}
		if n := len(reasons) - maxReasonsListed; n > 0 {
			lines = append(lines, e.Display.LabelledLines("", "and for "+units.Plural(n, "other reasons"), w)...)
		}
	}
	return append(append(lines, e.Display.LabelledLines("what to do", remedy, w)...), "")
}

// decision is how something about the log was decided, by evidence or by a flag.
type decision struct{ about, text string }

func decisions(e env.Env) []decision {
	run := e.Snap.Run
	format := run.Format
	if format == "" {
		format = "no known format"
	}
	all := []decision{{"log", fmt.Sprintf("%s · %s · %s · %s", format, units.Plural(run.Progress.Files, "files"),
		units.Plural(len(e.Snap.Steps), "steps"), units.Plural(e.Snap.Rows, "samples"))}}
	if run.Provenance != "" {
		all = append(all, decision{"read", run.Provenance})
	}
	if e.Snap.Rows > 0 {
		all = append(all, sampleDecisions(e)...)
	}
	if d := e.Diagnosis(); d != nil {
		about := "not checked"
		for _, b := range d.Blindnesses() {
			all, about = append(all, decision{about, strings.Join(model.Mapped(b.Kinds, diagnosis.Kind.Words), ", ") + ": " + b.Why}), ""
		}
	}
	for _, note := range run.Notes {
		all = append(all, decision{"left out", note})
	}
	if run.Progress.Link.IsRemote() && !e.SourceState.Ended { // then the state is that of some time ago
		all = append(all, decision{"connection", connection(e)})
	}
	if p := run.Progress; !p.LastWrite.IsZero() {
		text := e.TimeText(p.LastWrite)
		if !e.SourceState.Ended {
			text += "; " + p.FreshnessRule()
		}
		all = append(all, decision{"written", text})
	}
	return append(all, decision{"followed", howFollowed(e)},
		decision{"to change", "--input-format, --reward, --step, --prompt and --group-by NAME override the detection"})
}

// sampleDecisions are those about samples.
func sampleDecisions(e env.Env) (all []decision) {
	if r := e.Rewards(); r.IsChoice() {
		all = append(all, decision{"reward", r.String()})
	}
	if g, err := e.Snap.Grouping(e.Settings.Now); err != nil {
		all = append(all, decision{"groups", err.Error()})
	} else if all = append(all, decision{"groups", g.Evidence}); g.Doubt != "" {
		all = append(all, decision{"", g.Doubt})
	}
	if text := e.Snap.RolloutEvidence(e.Settings.Now); text != "" {
		all = append(all, decision{"rollouts", text})
	}
	if text := e.Snap.StatusEvidence(); text != "" {
		all = append(all, decision{"statuses", text})
	}
	all = append(all, decision{"lengths", e.Snap.Run.LengthUnit.Doc()})
	for _, text := range e.Snap.SolvedEvidence(e.RewardScales()) {
		all = append(all, decision{"solved", text})
	}
	return all
}

// connection says where the rows are, and why they cannot be seen if the connection is lost.
func connection(e env.Env) string {
	link := e.Snap.Run.Progress.Link
	text := link.String()
	if link.Reason != "" {
		text += ": " + link.Reason
	}
	if link.Reason != "" && e.Snap.Rows > 0 {
		text += "; the rows read so far stay"
	}
	return text
}

func howFollowed(e env.Env) string {
	switch p := e.Snap.Run.Progress; {
	case e.SourceState.Err != nil:
		return "stopped: " + e.SourceState.Err.Error() + "; fix this and open the log again"
	case e.SourceState.Ended:
		return "no: the log has ended"
	case p.Link.IsRemote():
		return "by asking the other machine for changes, once a second at most"
	case p.Polling:
		return "polling: this file system reports no changes"
	}
	return "file system events, plus a periodic check of the files"
}

// maxReasonsListed bounds the reasons that are listed with their counts.
const maxReasonsListed = 8

type reason struct {
	text, first string // first is the first place
	Full        string // of the first place
	Count       int
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
			all = append(all, reason{text: text, first: p.Where(), Full: p.String()})
		}
		all[at[text]].Count++
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Count > all[j].Count })
	return all
}

// Exported returns what could not be read.
func (*View) Exported(e env.Env) report.Table {
	rows := model.Mapped(e.Snap.Run.Problems, func(p model.Problem) []any { return []any{p.File, p.Line, p.Reason} })
	return report.Table{Title: "what could not be read", Columns: []string{"file", "line", "reason"}, Rows: rows}
}
