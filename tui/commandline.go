package tui

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/query"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
)

// command is a command of the line that : opens.
type command struct {
	name, args, doc string
	run             func(a App, args []string) (App, tea.Cmd, error)
	complete        func(a App, given []string) []string // what the argument after those given may be
}

// commandWords are all of them.
func commandWords() []command {
	setting := func(key string) func(a App, args []string) (App, tea.Cmd, error) {
		return func(a App, args []string) (App, tea.Cmd, error) {
			if len(args) != 1 {
				return a, nil, fmt.Errorf("%s takes one value", key)
			}
			set, err := a.settings.now.Set(key, args[0])
			if err == nil {
				err = set.Effective().Validate()
			}
			if err != nil {
				return a, nil, err
			}
			a, cmd := a.apply(a.settings.withSettings(set))
			return a, cmd, nil
		}
	}
	action := func(f func(App) (App, tea.Cmd)) func(a App, args []string) (App, tea.Cmd, error) {
		return func(a App, _ []string) (App, tea.Cmd, error) {
			a, cmd := f(a)
			return a, cmd, nil
		}
	}
	return []command{
		{"step", "N", "go to a step", runStep, first(App.stepNumbers)},
		{"framework", "NAME", "whose arithmetic", setting("framework"), first(func(App) []string { return estimators.Frameworks() })},
		{"est", "NAME", "the estimator of the framework", setting("adv_estimator"), first(App.estimatorNames)},
		{"scale", "NAME", "group, batch or none", setting("scale"), first(App.scaleNames)},
		{"keep", "pos|neg RATIO", "keep_pos_ratio or keep_neg_ratio", runKeep, oneOf("pos", "neg")},
		{"recompute", "on|off", "compute_new_adv", setting("compute_new_adv"), oneOf("on", "off")},
		{"reward", "NAME", "take this column as the reward", setting("reward"), first(App.rewardNames)},
		{"filter", "QUERY", "show some groups only", runFilter, offerTerms},
		{"theme", "NAME", "how it looks", runTheme, first(themeNames)},
		{"mouse", "on|off", "wheel and clicks; Shift selects text all the same", runMouse, oneOf("on", "off")},
		{"export", "[shown] md|csv|jsonl|txt|svg", "write it to a file; svg: the screen; shown: its table", runExport, offerForms},
		{"steps", "", "the view of all steps", action(App.openSteps), nil},
		{"sweep", "step|shown|last N|FROM TO|all", "every pair of keep ratios, over so much", runSweep, oneOf("step", "shown", "last", "all")},
		{"mark", "", "mark what the cursor is on, or no longer", action(App.toggleMark), nil},
		{"note", "TEXT", "mark it with a note", runNote, nil},
		{"marks", "", "all marks of the run", action(App.openMarks), nil},
		{"forget", "", "the run as one finds it who was never here; marks stay", action(App.forget), nil},
		{"problems", "", "how the log was read", action(App.openProblems), nil},
		{"help", "", "the keys", action(App.toggleHelp), nil},
		{"q", "", "quit", action(App.quit), nil},
	}
}

// commandLine is what is typed after a colon.
type commandLine struct {
	text         string
	history      []string // commands that were run, the latest at the end
	historyIndex int      // which of them is shown; len(past): none
}

// maxCommandBytes bounds a command, in bytes.
const maxCommandBytes = 200

func commandKeys() keySection {
	return keySection{"command line", []binding{
		{[]string{"enter"}, "⏎", "Enter run", "run the command", App.runCommand},
		{[]string{"tab"}, "Tab", "Tab complete", "complete it", App.completeCommand},
		{[]string{"up"}, "↑", "", "the command before", move(App.recallCommand, -1)},
		{[]string{"down"}, "↓", "", "the command after", move(App.recallCommand, 1)},
		{[]string{"backspace"}, "⌫", "", "take a character back", App.backspaceCommand},
		{[]string{"esc"}, "Esc", "Esc leave", "run nothing", App.leaveCommand},
	}}
}

func (a App) openCommand() (App, tea.Cmd) {
	a.position.viewBelow = a.position.view
	a.commandLine.text, a.commandLine.historyIndex = "", len(a.commandLine.history)
	return a.openView(viewCommand)
}

func (a App) leaveCommand() (App, tea.Cmd) { return a.openView(a.position.viewBelow) }

func (a App) typeCommand(text string) App {
	if len(a.commandLine.text)+len(text) <= maxCommandBytes {
		a.commandLine.text += text
	}
	return a
}

func (a App) backspaceCommand() (App, tea.Cmd) {
	if a.commandLine.text == "" {
		return a.leaveCommand()
	}
	_, n := utf8.DecodeLastRuneInString(a.commandLine.text)
	a.commandLine.text = a.commandLine.text[:len(a.commandLine.text)-n]
	return a, nil
}

func (a App) recallCommand(by int) App {
	a.commandLine.historyIndex = max(0, min(a.commandLine.historyIndex+by, len(a.commandLine.history)))
	a.commandLine.text = ""
	if a.commandLine.historyIndex < len(a.commandLine.history) {
		a.commandLine.text = a.commandLine.history[a.commandLine.historyIndex]
	}
	return a
}

// runCommand runs what is typed. What cannot be understood stays, to be mended.
func (a App) runCommand() (App, tea.Cmd) {
	fields := strings.Fields(a.commandLine.text)
	if len(fields) == 0 {
		return a.leaveCommand()
	}
	i := slices.IndexFunc(commandWords(), func(w command) bool { return w.name == fields[0] })
	if i < 0 {
		a.notice = fmt.Sprintf("no command is called %q: there are %s", fields[0], strings.Join(commandNames(), " "))
		return a, nil
	}
	typed := a.commandLine.text
	a.position.view = a.position.viewBelow
	next, cmd, err := commandWords()[i].run(a, fields[1:])
	if err != nil {
		a.position.view = viewCommand
		a.notice = err.Error()
		return a, nil
	}
	next.commandLine.history = append(a.commandLine.history[:len(a.commandLine.history):len(a.commandLine.history)], typed)
	next.commandLine.text = ""
	return next, cmd
}

func commandNames() []string {
	var names []string
	for _, w := range commandWords() {
		names = append(names, w.name)
	}
	return names
}

// offers are the words that what is typed last may become.
func (a App) offers() (before string, offers []string) {
	at := strings.LastIndexByte(a.commandLine.text, ' ') + 1
	before, begun := a.commandLine.text[:at], a.commandLine.text[at:]
	all := commandNames()
	if at > 0 {
		all = nil
		given := strings.Fields(before)
		for _, w := range commandWords() {
			if len(given) > 0 && w.name == given[0] && w.complete != nil {
				all = w.complete(a, given[1:])
			}
		}
	}
	for _, o := range all {
		if strings.HasPrefix(o, begun) {
			offers = append(offers, o)
		}
	}
	return before, offers
}

// completeCommand goes on as far as all offers agree.
func (a App) completeCommand() (App, tea.Cmd) {
	before, offers := a.offers()
	if len(offers) == 0 {
		return a, nil
	}
	common := offers[0]
	for _, o := range offers[1:] {
		for !strings.HasPrefix(o, common) {
			common = common[:len(common)-1]
		}
	}
	a.commandLine.text = before + common
	if len(offers) == 1 {
		a.commandLine.text += " "
	}
	return a, nil
}

// maxCompletions is how many offers are written out: a run has thousands of steps.
const maxCompletions = 24

// commandPrompt is the line in w cells: what is typed, what it may become, and what that
// does.
func (a App) commandPrompt(w int) string {
	t := a.display.theme
	line, doc := " "+t.Paint(themes.Accent, ":"+a.commandLine.text+"▏"), ""
	_, offers := a.offers()
	next := strings.Join(offers[:min(len(offers), maxCompletions)], " ")
	if len(offers) > maxCompletions {
		next += " …"
	}
	if first, _, found := strings.Cut(a.commandLine.text, " "); found {
		for _, word := range commandWords() {
			if word.name == first {
				doc = word.doc
				if next == "" {
					next = word.args
				}
			}
		}
	}
	line = cells.Truncate(line+" "+t.Paint(themes.Dim, next), w)
	if doc == "" {
		return line
	}
	return cells.JoinFitting(w, " — ", line, t.Paint(themes.Dim, doc))
}

// first offers a list for the first argument.
func first(list func(App) []string) func(App, []string) []string {
	return func(a App, given []string) []string {
		if len(given) > 0 {
			return nil
		}
		return list(a)
	}
}

// oneOf offers some words for the first argument.
func oneOf(words ...string) func(App, []string) []string {
	return first(func(App) []string { return words })
}

// offerTerms offers what a term of a filter may begin with.
func offerTerms(App, []string) []string {
	var all []string
	for _, f := range query.Fields() {
		all = append(all, f.Name)
	}
	for _, f := range model.Fates() {
		all = append(all, "fate:"+f.String())
	}
	return all
}

func offerForms(_ App, given []string) []string {
	switch {
	case len(given) == 0:
		return []string{"shown", "md", "csv", "jsonl", "txt", "svg"}
	case len(given) == 1 && given[0] == "shown":
		return []string{"md", "csv", "jsonl"}
	}
	return nil
}

func (a App) stepNumbers() []string {
	var all []string
	for _, s := range a.snap.Steps {
		all = append(all, strconv.FormatInt(s.Number, 10))
	}
	return all
}

func (a App) scaleNames() []string {
	var names []string
	if e, err := a.settings.now.Entry(); err == nil {
		for _, s := range e.Scales {
			names = append(names, string(s))
		}
	}
	return names
}

func (a App) estimatorNames() []string {
	var names []string
	for _, e := range estimatorsOf(a.settings.now.Framework) {
		names = append(names, e.Name)
	}
	return names
}

// rewardNames are the components that can be typed.
func (a App) rewardNames() []string {
	return slices.DeleteFunc(slices.Clone(a.snap.Run.Components), func(name string) bool { return sanitize.Line(name) != name })
}

func themeNames(App) []string {
	var names []string
	for _, t := range themes.All() {
		names = append(names, t.Name)
	}
	return names
}

func runStep(a App, args []string) (App, tea.Cmd, error) {
	if len(args) != 1 {
		return a, nil, fmt.Errorf("step takes a number")
	}
	n, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return a, nil, fmt.Errorf("step takes a number, not %q", args[0])
	}
	i, ok := a.snap.Find(n)
	if !ok {
		return a, nil, fmt.Errorf("there is no step %d", n)
	}
	a, cmd := a.showStep(i)
	return a, cmd, nil
}

func runKeep(a App, args []string) (App, tea.Cmd, error) {
	if len(args) != 2 || args[0] != "pos" && args[0] != "neg" {
		return a, nil, fmt.Errorf("keep takes pos or neg and a ratio: keep pos 0.7")
	}
	set, err := a.settings.now.Set("keep_"+args[0]+"_ratio", args[1])
	if err == nil {
		err = set.Validate()
	}
	if err != nil {
		return a, nil, err
	}
	a, cmd := a.apply(a.settings.withSettings(set))
	return a, cmd, nil
}

func runFilter(a App, args []string) (App, tea.Cmd, error) {
	return a.setFilter(strings.Join(args, " "))
}

func runTheme(a App, args []string) (App, tea.Cmd, error) {
	if len(args) == 1 {
		if t, ok := themes.Find(args[0]); ok {
			a.display = a.display.withTheme(t)
			return a, nil, nil
		}
	}
	return a, nil, fmt.Errorf("the themes are %s", themes.Names())
}

func runMouse(a App, args []string) (App, tea.Cmd, error) {
	if len(args) != 1 || args[0] != "on" && args[0] != "off" {
		return a, nil, fmt.Errorf("mouse takes on or off")
	}
	a.display.mouse = args[0] == "on"
	if a.display.mouse {
		a.notice = "mouse on: the wheel scrolls, a click selects; hold Shift to select text"
	}
	return a, nil, nil
}

// runExport writes what is analysed: the report as text or Markdown, the steps as a
// table, or every sample; or the screen as a picture.
func runExport(a App, args []string) (App, tea.Cmd, error) {
	if len(args) == 1 && args[0] == "svg" {
		a, cmd := a.saveFile("screen.svg", a.screenSVG(), "screen.svg", nil)
		return a, cmd, nil
	}
	if len(args) > 0 && args[0] == "shown" {
		return exportShown(a, args[1:])
	}
	if a.result.trend == nil {
		return a, nil, fmt.Errorf("nothing to export yet")
	}
	if !a.result.trend.Complete() {
		return a, nil, fmt.Errorf("not all steps are computed yet: %s, try again in a moment", a.trendProgress())
	}
	if len(args) != 1 {
		return a, nil, fmt.Errorf("export takes one of md, csv, jsonl, txt and svg, or shown and one of md, csv and jsonl")
	}
	var b bytes.Buffer
	var err error
	switch args[0] {
	case "md":
		_, err = report.Markdown(&b, report.FromTrend(a.snap, a.result.trend))
	case "txt":
		_, err = report.Text(&b, report.FromTrend(a.snap, a.result.trend))
	case "csv":
		_, err = report.CSV(&b, report.FromTrend(a.snap, a.result.trend))
	case "jsonl":
		i := a.stepIndex()
		chosen, _ := query.Parse(a.settings.filter) // it was understood when it was kept
		err = report.SamplesJSONL(context.Background(), &b, a.snap.Only(a.snap.Steps[i:i+1]), a.settings.now, chosen)
	default:
		err = fmt.Errorf("export writes md, csv, jsonl (the samples of the step that the filter shows), txt and svg (the screen), not %q", args[0])
	}
	if err != nil {
		return a, nil, err
	}
	a, cmd := a.saveFile("export."+args[0], b.String(), "export."+args[0], nil)
	return a, cmd, nil
}
