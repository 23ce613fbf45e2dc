package problems

import (
	"fmt"
	"time"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
)

// EmptyBody is the body before there is an analysis: what is missing, why, and what to do.
func EmptyBody(e env.Env, w, h int) []string {
	var lines []string
	paint := func(role themes.Role, text string) {
		lines = append(lines, e.Display.Wrapped("    ", role, text, w-8)...)
	}
	text, role, more := whyEmpty(e)
	paint(role, text)
	for _, m := range more {
		paint(themes.Dim, m)
	}
	if reasons := countReasons(e.Snap.Run.Problems); len(reasons) > 0 {
		lines = append(lines, "")
		for _, r := range reasons[:min(maxFullProblems, len(reasons))] {
			if r.Count > 1 {
				r.Full += fmt.Sprintf(" (and %s more like it)", units.Count(r.Count-1))
			}
			paint(themes.Warn, r.Full)
		}
	}
	lines = append(lines, "", "    "+keysWhenEmpty(e))
	above := max(0, min(h/3, h-len(lines)))
	return cells.FitLines(append(make([]string, above), lines...), w, h)
}

func whyEmpty(e env.Env) (text string, role themes.Role, more []string) {
	title, p := sanitize.Line(e.Title), e.Snap.Run.Progress
	switch {
	case e.SourceState.Err != nil:
		return sanitize.Line(e.SourceState.Err.Error()), themes.Bad, []string{"reading has stopped: fix this and open the log again"}
	case e.Result.Err != nil:
		return sanitize.Line(e.Result.Err.Error()), themes.Warn, nil
	case p.Silent > 0:
		return e.SilentText(), themes.Warn, []string{"the run appears as soon as it answers"}
	case e.SourceState.LastChunk.IsZero():
		return "reading " + title + " …", themes.Plain, nil
	case len(e.Snap.Run.Problems) > 0 && (p.CaughtUp || e.SourceState.Ended):
		return "nothing in " + title + " can be read as a sample", themes.Warn, []string{sawText(e)}
	case e.SourceState.Ended:
		return title + " holds no samples", themes.Warn, []string{sawText(e), "", formatsHelp}
	case p.Awaited != "":
		return "waiting for " + sanitize.Line(p.Awaited) + ", which does not exist yet", themes.Plain, []string{
			"it opens as soon as it exists", "", trainerOptionsHelp, formatsHelp,
		}
	case p.Link.State == model.LinkConnecting:
		return "connecting to " + sanitize.Line(p.Link.Host) + " …", themes.Plain, nil
	case p.Link.State == model.LinkLost:
		return e.LinkText(), themes.Warn, []string{sanitize.Line(p.Link.Reason), "it tries again by itself"}
	case !p.CaughtUp && p.BytesAll > 0:
		return "reading " + title, themes.Plain, []string{e.LoadedText()}
	case !p.CaughtUp:
		return "waiting for the first row of " + title, themes.Plain, nil
	}
	more = []string{sawText(e) + "; new rows appear here"}
	for _, note := range e.Snap.Run.Notes {
		more = append(more, sanitize.Line(note))
	}
	return "waiting for the first step in " + title, themes.Plain, append(more,
		"", trainerOptionsHelp, formatsHelp,
		"groups are found by the log's group ids, else by equal prompts; --group-by changes it",
	)
}

// sawText says what was found, and why nothing came of it if no problem says so.
func sawText(e env.Env) string {
	p := e.Snap.Run.Progress
	text := fmt.Sprintf("found %s at %s", units.Plural(p.Files, "files"), e.SourceState.LastChunk.Format(time.TimeOnly))
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
	case len(e.Snap.Run.Problems) == 0:
		return text + ", no complete row yet"
	}
	return text
}

// trainerOptionsHelp says which options make the most common trainers write a log.
const trainerOptionsHelp = "verl writes a log with trainer.rollout_data_dir=DIR, TRL with log_completions=True, ms-swift " +
	"with --log_completions true"

func keysWhenEmpty(e env.Env) string {
	t := e.Display.Theme
	way := func(key, what string) string { return t.Paint(themes.Key, key) + t.Paint(themes.Dim, " "+what+"    ") }
	line := ""
	if e.Result.Err != nil {
		line += way("E", "all estimators")
	}
	if e.Snap.Run.Format != "" || len(e.Snap.Run.Problems) > 0 {
		line += way("!", "how the log was read")
	}
	return line + way("q", "quit")
}
