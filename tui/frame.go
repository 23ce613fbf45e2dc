package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/header"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/problems"
	"vantage/tui/view"
)

// View draws the screen. It changes nothing of App.
func (a App) View() tea.View {
	v := tea.NewView(a.frame())
	v.AltScreen = true
	if a.env.Display.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// frame returns the screen as text: exactly h lines of w cells.
func (a App) frame() string {
	if a.env.Display.W == 0 {
		return ""
	}
	frame := strings.Join(a.lines(), "\n")
	if a.env.Display.Glyphs.ASCII {
		return cells.ASCII(frame)
	}
	return frame
}

func (a App) lines() []string {
	if a.env.Display.IsTooSmall() {
		return tooSmall(a.env, a.env.Display.W, a.env.Display.H)
	}
	bottom := a.bottomLines(a.env.Display.W)
	return append(a.shortened(len(bottom)-1).linesAbove(), bottom...)
}

// linesAbove returns the lines above the last one: the header and the body.
func (a App) linesAbove() []string {
	lines, body := header.Lines(a.env, a.env.Display.W), a.env.Display.BodyHeight()
	switch {
	case a.overlays.help.Open:
		return append(lines, a.env.Display.MarkLines(pane.OnHelp, 0, a.helpPage(a.env.Display.W, body))...)
	case a.env.Result.Analysis == nil && !beforeAnalysis(a.position.view):
		return append(lines, emptyBody(a.env, a.env.Display.W, body)...)
	}
	return append(lines, a.env.Display.MarkLines(pane.OnBody, 0, a.viewDrawn().Draw(a.envToDraw(), a.env.Display.W, body))...)
}

// hints returns the last line: the line of input if one is open, else the hints of the key
// table, as many as fit.
func (a App) hints(w int) string {
	t := a.env.Display.Theme
	switch line, ok := a.viewOpen().(view.Prompted); {
	case ok:
		return cells.Fit(line.Prompt(a.envToDraw(), w), w)
	case a.overlays.help.Open:
		return cells.Fit(" "+a.env.Display.MarkKey("esc", t.Paint(themes.Key, "Esc")+" "+t.Paint(themes.Dim, "close"))+"  "+
			a.env.Display.MarkKey("ctrl+c", t.Paint(themes.Key, "^C")+" "+t.Paint(themes.Dim, "quit")), w)
	}
	line := ""
	if a.position.view == view.Copy {
		line = " " + t.Paint(themes.Accent, "copy")
	}
	for _, b := range a.fittingHints(w - cells.Width(line)) {
		line += " " + a.position.hintText(a.env, b) + " "
	}
	return cells.Fit(line, w)
}

func (p position) hintText(e env.Env, b view.Binding) string {
	t, words := e.Display.Theme, strings.Fields(e.Display.KeyLabel(b.Hint))
	if e.Display.Marking == nil {
		last := len(words) - 1
		return t.Paint(themes.Key, strings.Join(words[:last], " ")) + " " + t.Paint(themes.Dim, words[last])
	}
	for i, word := range words {
		words[i] = e.Display.MarkKey(p.keyOfHint(e, b, word), word)
	}
	return strings.Join(words, " ")
}

// fittingHints returns the hints that fit into w cells, those of the view first. The last
// two, help and quit, are always among them.
func (a App) fittingHints(w int) []view.Binding {
	sections := a.position.activeKeys()
	if last := len(sections) - 1; a.env.Result.Analysis == nil { // the others have nothing to act on yet
		own := 0
		if beforeAnalysis(a.position.view) {
			own = min(1, last)
		}
		sections = slices.Concat(sections[:own], sections[last:])
	}
	var all []view.Binding
	back := ""
	if a.views.panes.FullScreen && a.position.view == view.Overview {
		back = fmt.Sprintf("z Esc %d all-panes", a.views.panes.Focus+1)
		all = append(all, view.Binding{Keys: []string{"z"}, Hint: back})
	}
	taken := map[string]bool{"z": back != ""} // by keys of the view, which come first
	for _, s := range sections {
		for _, b := range s.Bindings {
			if b.Hint != "" && !taken[b.Keys[0]] {
				all = append(all, b)
			}
			taken[b.Keys[0]] = true
		}
	}
	shown := fitting(a.env, all, w)
	most := len(all)
	if a.position.view == view.Overview {
		most = hintsBeforeTuning
	}
	if together, ok := tuningTogether(all, shown, most); ok {
		if fit := fitting(a.env, together, w); slices.ContainsFunc(fit, isTuning) {
			return fit
		}
	}
	return shown
}

// tuningTogether returns all hints with one for all keys of tuning, behind so many at most; ok is false if each has its own in shown.
func tuningTogether(all, shown []view.Binding, most int) (_ []view.Binding, ok bool) {
	keys := model.Mapped(
		slices.DeleteFunc(slices.Clone(all), func(b view.Binding) bool { return !isTuning(b) }),
		func(b view.Binding) string { return b.Label },
	)
	others := slices.DeleteFunc(slices.Clone(all), isTuning)
	if len(keys) < 2 || len(all)-len(others) == len(shown)-len(slices.DeleteFunc(slices.Clone(shown), isTuning)) {
		return nil, false
	}
	at := min(slices.IndexFunc(all, isTuning), most)
	return slices.Insert(others, at, view.Binding{Keys: keys[:1], Hint: strings.Join(keys, " ") + " tuning"}), true
}

// hintsBeforeTuning is how many hints of the overview, which has many, stand before that of all keys of tuning.
const hintsBeforeTuning = 3

// isTuning reports whether a hint is of a key of tuning: these have one hint where there is no room for one each.
func isTuning(b view.Binding) bool { return slices.Contains([]string{"=", "b", "C", "S"}, b.Keys[0]) }

// fitting returns the hints that fit into w cells: the last go first, but for help and quit.
func fitting(e env.Env, all []view.Binding, w int) []view.Binding {
	all = slices.Clone(all)
	width, always := 0, min(2, len(all))
	for _, b := range all {
		width += cells.Width(e.Display.KeyLabel(b.Hint)) + 2
	}
	for len(all) > always && width > w {
		at := len(all) - always - 1
		width -= cells.Width(e.Display.KeyLabel(all[at].Hint)) + 2
		all = slices.Delete(all, at, at+1)
	}
	return all
}

func (a App) says(notice string) App {
	a.overlays.notice = notice
	return a
}

// noticeDuration is how long a notice stays, unless a key ends it earlier.
const noticeDuration = 5 * time.Second

type noticeEndedMsg struct{ number int }

func (msg noticeEndedMsg) on(a App) App {
	if msg.number == a.overlays.noticeNumber {
		a.overlays.notice = ""
	}
	return a
}

func endNotice(ctx context.Context, number int) tea.Cmd {
	return func() tea.Msg {
		select {
		case <-time.After(noticeDuration):
			return noticeEndedMsg{number}
		case <-ctx.Done():
			return nil
		}
	}
}

// timeNotice starts the timer of a notice that a message has set; before is the notice before the message. A
// key or a click sets a new notice even if it says the same again.
func (a App) timeNotice(msg tea.Msg, before string) App {
	_, isKey := msg.(tea.KeyPressMsg)
	_, isClick := msg.(tea.MouseClickMsg)
	if a.overlays.notice == "" || a.overlays.notice == before && !isKey && !isClick {
		return a
	}
	a.overlays.noticeNumber++
	return a.starts(endNotice(a.commands.Ctx, a.overlays.noticeNumber))
}

// noticeLines wraps the notice to lines of w cells; none without a notice.
func noticeLines(e env.Env, notice string, w int) []string {
	if notice == "" {
		return nil
	}
	// a low screen has room for fewer, so that its panes keep theirs
	lines := e.Display.CutLines(cells.Wrap(sanitize.Line(notice), w-2), max(1, min(5, (e.Display.H-10)/2)), w-1)
	for i, line := range lines {
		lines[i] = cells.Fit(" "+e.Display.Theme.Paint(themes.Warn, line), w)
	}
	return lines
}

// roomForHints is how much of the last line a notice leaves to hints at least.
const roomForHints = 40

// bottomLines returns the lines below the body: the hints or the line of input, and above it the notice. A short notice stands before the
// hints, so that the body stays where it is.
func (a App) bottomLines(w int) []string {
	notice := noticeLines(a.env, a.overlays.notice, w)
	_, isTyping := a.viewOpen().(view.Prompted)
	text := " " + a.env.Display.Theme.Paint(themes.Warn, sanitize.Line(a.overlays.notice)) + " "
	if room := w - cells.Width(text); len(notice) == 1 && room >= roomForHints && !isTyping {
		return []string{text + a.hints(room)}
	}
	return append(notice, a.hints(w))
}

// shortened returns App on a screen that is n lines lower, for which a notice has taken them.
func (a App) shortened(n int) App {
	if n > 0 {
		a.env.Display.H -= n
		a.env.Display.Shortened = true
		a = a.clampCursor()
	}
	return a
}

// tooSmall says which size is needed, and shows the figures of the step if there is room.
func tooSmall(e env.Env, w, h int) []string {
	lines := cells.Wrap(fmt.Sprintf("vantage needs %d×%d, this is %d×%d", layout.MinWidth, layout.MinHeight, w, h), w)
	if e.Result.Analysis != nil {
		lines = append(lines, header.StepLine(e, w))
	}
	return cells.FitLines(lines, w, h)
}

// emptyBody is the body before there is an analysis: what is missing, why, and what to do.
func emptyBody(e env.Env, w, h int) []string {
	var lines []string
	paint := func(role themes.Role, text string) {
		lines = append(lines, e.Display.Wrapped("    ", role, text, w-8)...)
	}
	text, role, more := whyEmpty(e)
	paint(role, text)
	for _, m := range more {
		paint(themes.Dim, m)
	}
	if reasons := problems.CountReasons(e.Snap.Run.Problems); len(reasons) > 0 {
		lines = append(lines, "")
		for _, r := range reasons[:min(problems.MaxFullProblems, len(reasons))] {
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
		return title + " holds no samples", themes.Warn, []string{sawText(e), "", problems.FormatsHelp}
	case p.Awaited != "":
		return "waiting for " + sanitize.Line(p.Awaited) + ", which does not exist yet", themes.Plain, []string{
			"it opens as soon as it exists", "", trainerOptionsHelp, problems.FormatsHelp,
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
		"", trainerOptionsHelp, problems.FormatsHelp,
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
