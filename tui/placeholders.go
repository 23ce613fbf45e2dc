package tui

import (
	"fmt"
	"time"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// tooSmall says which size is needed, and shows the figures of the step if there is room.
func (e env) tooSmall(w, h int) []string {
	lines := cells.Wrap(fmt.Sprintf("vantage needs %d×%d, this is %d×%d", layout.MinWidth, layout.MinHeight, w, h), w)
	if e.result.analysis != nil {
		lines = append(lines, e.stepLine(w))
	}
	return cells.FitLines(lines, w, h)
}

// maxFullProblems is how many problems are shown in full.
const maxFullProblems = 3

// emptyBody is the body before there is an analysis: what is missing, why, and what to do.
func (e env) emptyBody(w, h int) []string {
	t := e.display.theme
	var lines []string
	paint := func(role themes.Role, text string) {
		for _, line := range cells.Wrap(text, w-8) {
			lines = append(lines, "    "+t.Paint(role, line))
		}
	}
	text, role, more := e.whyEmpty()
	paint(role, text)
	for _, m := range more {
		paint(themes.Dim, m)
	}
	if reasons := countReasons(e.snap.Run.Problems); len(reasons) > 0 {
		lines = append(lines, "")
		for _, r := range reasons[:min(maxFullProblems, len(reasons))] {
			paint(themes.Warn, r.fullText())
		}
	}
	lines = append(lines, "", "    "+e.keysWhenEmpty())
	above := max(0, min(h/3, h-len(lines)))
	return cells.FitLines(append(make([]string, above), lines...), w, h)
}

// whyEmpty says why there is no analysis, and with more lines what to do.
func (e env) whyEmpty() (text string, role themes.Role, more []string) {
	title, p := sanitize.Line(e.title), e.snap.Run.Progress
	switch {
	case e.sourceState.err != nil:
		return sanitize.Line(e.sourceState.err.Error()), themes.Bad, []string{"reading has stopped: fix this and open the log again"}
	case e.result.err != nil:
		return sanitize.Line(e.result.err.Error()), themes.Warn, nil
	case e.sourceState.lastChunk.IsZero():
		return "reading " + title + " …", themes.Plain, nil
	case len(e.snap.Run.Problems) > 0 && (p.CaughtUp || e.sourceState.ended):
		return "nothing in " + title + " can be read as a sample", themes.Warn, []string{e.sawText()}
	case e.sourceState.ended:
		return title + " holds no samples", themes.Warn, []string{e.sawText(), "", formatsHelp}
	case p.Awaited != "":
		return "waiting for " + sanitize.Line(p.Awaited) + ", which does not exist yet", themes.Plain, []string{"it opens as soon as it exists", "", trainerOptionsHelp, formatsHelp}
	case p.Link.State == model.LinkConnecting:
		return "connecting to " + sanitize.Line(p.Link.Host) + " …", themes.Plain, nil
	case p.Link.State == model.LinkLost:
		return e.linkText(), themes.Warn, []string{sanitize.Line(p.Link.Reason), "it tries again by itself"}
	case !p.CaughtUp && p.BytesAll > 0:
		return "reading " + title, themes.Plain, []string{e.loadedText()}
	case !p.CaughtUp:
		return "waiting for the first row of " + title, themes.Plain, nil
	}
	more = []string{e.sawText() + "; new rows appear here"}
	for _, note := range e.snap.Run.Notes {
		more = append(more, sanitize.Line(note))
	}
	return "waiting for the first step in " + title, themes.Plain, append(more,
		"", trainerOptionsHelp, formatsHelp,
		"groups are found by the log's group ids, else by equal prompts; --group-by changes it",
	)
}

// sawText says what was found, and why nothing came of it if no problem says so.
func (e env) sawText() string {
	p := e.snap.Run.Progress
	text := fmt.Sprintf("found %s at %s", units.Plural(p.Files, "files"), e.sourceState.lastChunk.Format(time.TimeOnly))
	switch {
	case p.Files == 0:
		return text
	case p.BytesRead == 0 && p.BytesAll == 0:
		return text + ", still empty"
	}
	text += ", " + units.Bytes(max(p.BytesRead, p.BytesAll))
	switch {
	case p.Tried > 0:
		return fmt.Sprintf("%s: none of %s is a sample", text, units.Plural(p.Tried, "rows"))
	case len(e.snap.Run.Problems) == 0:
		return text + ", no complete row yet"
	}
	return text
}

// trainerOptionsHelp says which options make the most common trainers write a log.
const trainerOptionsHelp = "verl writes a log with trainer.rollout_data_dir=DIR, TRL with log_completions=True, ms-swift with --log_completions true"

// formatsHelp says where the options of all trainers are listed.
const formatsHelp = "`vantage formats` lists what can be read, and the option with which each trainer writes it"

// keysWhenEmpty returns the keys that are of use while there is no analysis.
func (e env) keysWhenEmpty() string {
	t := e.display.theme
	way := func(key, what string) string { return t.Paint(themes.Key, key) + t.Paint(themes.Dim, " "+what+"    ") }
	line := ""
	if e.result.err != nil {
		line += way("E", "all estimators")
	}
	if e.snap.Run.Format != "" || len(e.snap.Run.Problems) > 0 {
		line += way("!", "how the log was read")
	}
	return line + way("q", "quit")
}
