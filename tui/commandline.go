package tui

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/model/sweep"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// commandLine is the line that : opens.
type commandLine struct {
	text         string
	history      []string // commands that were run, the latest last
	historyIndex int      // of the command that text was taken from; len(history): none
}

// maxCommandBytes bounds a command, in bytes.
const maxCommandBytes = 200

func commandKeys() keySection {
	return keySection{"command line", []binding{
		{[]string{"enter"}, "⏎", "Enter run", "run the command", App.runCommand},
		{[]string{"tab"}, "Tab", "Tab complete", "complete the word", App.completeCommand},
		{[]string{"up"}, "↑", "", "previous command", move(App.recallCommand, -1)},
		{[]string{"down"}, "↓", "", "next command", move(App.recallCommand, 1)},
		{[]string{"backspace"}, "⌫", "", "delete the last character", App.backspaceCommand},
		{[]string{"esc"}, "Esc", "Esc leave", "cancel", App.closeLine},
	}}
}

func (a App) openCommand() App {
	a.commandLine.text, a.commandLine.historyIndex = "", len(a.commandLine.history)
	return a.openLine(viewCommand)
}

func (a App) backspaceCommand() App {
	if a.commandLine.text == "" {
		return a.closeLine()
	}
	return a.backspace()
}

func (a App) recallCommand(by int) App {
	a.commandLine.historyIndex = max(0, min(a.commandLine.historyIndex+by, len(a.commandLine.history)))
	a.commandLine.text = ""
	if a.commandLine.historyIndex < len(a.commandLine.history) {
		a.commandLine.text = a.commandLine.history[a.commandLine.historyIndex]
	}
	return a
}

// runCommand runs the command line. A wrong command stays there, to be corrected.
func (a App) runCommand() App {
	words := strings.Fields(a.commandLine.text)
	if len(words) == 0 {
		return a.closeLine()
	}
	c, ok := findCommand(words[0])
	if !ok {
		near := didYouMean(words[0], commandNames())
		if near == "" {
			near = ": there are " + strings.Join(commandNames(), " ")
		}
		return a.says(fmt.Sprintf("no command is called %q%s", words[0], near))
	}
	below := a
	below.position.view = a.position.viewBelow
	next, err := c.run(below, words[1:])
	if err != nil {
		return a.says(below.suggestFor(c, words[1:], err).Error())
	}
	next.commandLine.history = append(slices.Clip(a.commandLine.history), a.commandLine.text)
	next.commandLine.text = ""
	return next
}

// completions returns what the last word may be completed to, and the text before it.
func (a App) completions() (before string, fitting []string) {
	at := strings.LastIndexAny(a.commandLine.text, " ,(") + 1 // a column of several, a term in parentheses
	before, last := a.commandLine.text[:at], a.commandLine.text[at:]
	var all []string
	if words := strings.Fields(before); len(words) > 0 {
		if c, ok := findCommand(words[0]); ok && c.completions != nil {
			all = c.completions(a, words[1:])
			all = append(all, valuesAfter(all, last)...)
		}
	} else if at == 0 {
		all = commandNames()
	}
	return before, withPrefix(all, last)
}

func withPrefix(all []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(word string) bool { return !strings.HasPrefix(word, prefix) })
}

// completeCommand completes the last word as far as all completions agree.
func (a App) completeCommand() App {
	before, all := a.completions()
	if len(all) == 0 {
		return a
	}
	common := all[0]
	for _, word := range all[1:] {
		for !strings.HasPrefix(word, common) {
			common = common[:len(common)-1]
		}
	}
	a.commandLine.text = before + common
	if len(all) == 1 && !strings.ContainsRune(":~=", rune(common[len(common)-1])) {
		a.commandLine.text += " "
	}
	return a
}

// maxCompletions bounds the completions that are shown: a run has thousands of steps.
const maxCompletions = 24

// commandPrompt returns the line in w cells: what is typed, what it may be completed to, and
// what the command does.
func (a App) commandPrompt(w int) string {
	t := a.display.theme
	_, all := a.completions()
	next, doc := strings.Join(all[:min(len(all), maxCompletions)], " "), ""
	if len(all) > maxCompletions {
		next += " …"
	}
	if name, _, spaced := strings.Cut(a.commandLine.text, " "); spaced {
		c, _ := findCommand(name)
		doc = c.doc
		if next == "" {
			next = c.args
		}
	}
	line := cells.Truncate(" "+t.Paint(themes.Accent, ":"+a.commandLine.text+"▏")+" "+t.Paint(themes.Dim, next), w)
	if doc == "" {
		return line
	}
	return cells.JoinFitting(w, " — ", line, t.Paint(themes.Dim, doc))
}

type lineCommand struct {
	name, args, doc string
	run             runCommand
	completions     func(a App, before []string) []string // of the argument after those before; nil: none
}

// runCommand runs a command with its arguments. An error leaves App as it was.
type runCommand = func(a App, args []string) (App, error)

func lineCommands() []lineCommand {
	return []lineCommand{
		{"step", "N", "go to a step", runStep, firstArgument(App.stepNumbers)},
		{"scope", "step|last [N]|all", "the steps on the screen: this one, the last N up to it, or all", runScope, oneOf("step", "last", "all")},
		{"framework", "NAME", "the framework whose estimators are used", setOption("framework"), valuesOf("framework")},
		{"est", "NAME", "the advantage estimator", setOption("adv_estimator"), valuesOf("adv_estimator")},
		{"scale", "NAME", "group, batch or none", setOption("scale"), valuesOf("scale")},
		{"option", "KEY=VALUE", "set an option of the estimator, the group filter or the loss by the trainer's key; KEY= resets it", runOption, firstArgument(App.optionKeys)},
		{"keep", "pos|neg RATIO", "keep_pos_ratio or keep_neg_ratio", runKeep, oneOf("pos", "neg")},
		{"recompute", "on|off", "compute_new_adv", setOption("compute_new_adv"), valuesOf("compute_new_adv")},
		{"reward", "NAME[=WEIGHT],…|auto", "use this column, or a weighted sum of several, as the reward", runReward, firstArgument(App.rewardNames)},
		{"solved", "X|auto", "count a sample as solved if its reward is at least X", setOption("solved_at"), valuesOf("solved_at")},
		{"truncated", "train|mask|drop", "what the trainer does with samples that were cut off", setOption("truncated"), valuesOf("truncated")},
		{"filter", "QUERY", "show only the groups that match", runFilter, filterTerms},
		{"sort", "COLUMN", "order the groups by this column; again: the other way round", runSort, firstArgument(func(App) []string { return orderNames() })},
		{"theme", "NAME", "colour theme", runTheme, firstArgument(themeNames)},
		{"mouse", "on|off", "clicks, drags and the wheel; hold Shift to select text", runMouse, oneOf("on", "off")},
		{"export", "[shown] md|csv|jsonl|txt|svg [PATH]", "write it to a file, also `export report.md`; svg: the screen; shown: its table", runExport, exportForms},
		{"chain", "", "the stages from reward to loss", runAction(App.openChain), nil},
		{"groupfilter", "NAME|none", "which groups are trained on (dynamic sampling)", setOption("group_filter"), valuesOf("group_filter")},
		{"loss", "NAME|none", "how the loss weighs samples by their length", setOption("loss"), valuesOf("loss")},
		{"run", "", "the run at a glance", runAction(App.openGlance), nil},
		{"steps", "", "the view of all steps", runAction(App.openSteps), nil},
		{"figure", "[NAME]", "draw a figure over all steps; without a name: list them all", runFigure, firstArgument(App.metricNames)},
		{"figures", "", "all figures as small charts", runAction(App.openFigures), nil},
		{"range", "FROM TO|last N|all", "which steps charts show", runRange, oneOf("last", "all")},
		{"sweep", "step|shown|last N|FROM TO|all", "map of every pair of keep ratios, over these steps", runSweep, oneOf("step", "shown", "last", "all")},
		{"groupsize", "", "dead groups and cost at other group sizes, estimated from the solve rates", runAction(App.openGroupSize), nil},
		{"prompts", "", "which prompts teach, are solved, hopeless or suspect, over all steps", runAction(App.openPrompts), nil},
		{"grep", "PATTERN", "the samples whose answer, prompt or truth matches, and what the match is worth", runGrep, nil},
		{"by", "difficulty|length|fate|step|COLUMN", "breakdown: signal, Σ|A|, push and tokens of each part", runBy, firstArgument(App.partNames)},
		{"goal", "signal|balance|cost [SHARE]", "goal of the sweep's recommendation, and the least share of Σ|A| to keep", runGoal, oneOf(sweep.GoalNames()...)},
		{"mark", "", "mark or unmark what is under the cursor", runAction(App.toggleMark), nil},
		{"note", "TEXT", "mark it and write a note on it", runNote, nil},
		{"marks", "", "list the marks of the run", runAction(App.openMarks), nil},
		{"forget", "", "reset settings and view of this run to the defaults; marks stay", runAction(App.forget), nil},
		{"problems", "", "how the log was read", runAction(App.openProblems), nil},
		{"help", "", "explain figures, signs, keys and commands", runAction(App.toggleHelp), nil},
		{"q", "", "quit", runAction(App.quit), nil},
	}
}

func findCommand(name string) (c lineCommand, ok bool) {
	all := lineCommands()
	if i := slices.IndexFunc(all, func(c lineCommand) bool { return c.name == name }); i >= 0 {
		return all[i], true
	}
	return c, false
}

func commandNames() []string {
	return model.Mapped(lineCommands(), func(c lineCommand) string { return c.name })
}

func setOption(option string) runCommand {
	return func(a App, args []string) (App, error) {
		if len(args) != 1 {
			return a, fmt.Errorf("%s takes one value", option)
		}
		set, err := a.settings.now.Set(option, args[0])
		if err == nil {
			_, err = set.FindEstimator() // before what the trainer says of its ratios
		}
		return a.applyValid(set, err)
	}
}

func runAction(f action) runCommand {
	return func(a App, _ []string) (App, error) { return f(a), nil }
}

// firstArgument completes the first argument to an element of list.
func firstArgument(list func(App) []string) func(App, []string) []string {
	return func(a App, before []string) (all []string) {
		if len(before) == 0 {
			all = list(a)
		}
		return all
	}
}

// valuesOf completes the first argument to a value of a setting.
func valuesOf(setting string) func(App, []string) []string {
	s, _ := model.FindSetting(setting)
	return firstArgument(func(a App) []string { return s.Values(a.settings.now) })
}

// oneOf completes the first argument to one of some words.
func oneOf(words ...string) func(App, []string) []string {
	return firstArgument(func(App) []string { return words })
}

// filterTerms completes a term of a filter to a field, one that holds a text with its operator.
func filterTerms(App, []string) []string {
	return model.Mapped(figures.Fields(), func(f figures.Field) string { return f.Name + f.Operator })
}

// valuesAfter returns what a word that ends one of some names may go on with: after fate: the fates.
func valuesAfter(names []string, word string) []string {
	if !strings.HasPrefix(word, "fate:") || !slices.Contains(names, "fate:") {
		return nil
	}
	return model.Mapped(model.Fates(), func(f model.Fate) string { return "fate:" + f.Key() })
}

func exportForms(_ App, before []string) []string {
	switch {
	case len(before) == 0:
		return append([]string{"shown"}, exportFormats(false)...)
	case len(before) == 1 && before[0] == "shown":
		return exportFormats(true)
	}
	return nil
}

func (a App) stepNumbers() []string {
	return model.Mapped(a.snap.Steps, func(s model.Step) string { return strconv.FormatInt(s.Number, 10) })
}

// optionKeys returns the options of the estimator and of the stages that are set.
func (a App) optionKeys() []string {
	return model.Mapped(a.settings.now.KnownOptions(), func(o estimators.Option) string { return o.Key + "=" })
}

// runOption gives an option of the estimator or of a stage a value, or with "key=" its default.
func runOption(a App, args []string) (App, error) {
	key, value, err := estimators.ParseOption(strings.Join(args, " ")) // a value may be two numbers
	if err != nil {
		return a, err
	}
	set := a.settings.now
	if option, found := estimators.FindOption(set.KnownOptions(), key); found && value == "" {
		value = option.Default
	}
	if set, err = set.Set("option", key+"="+value); err == nil {
		set, err = set.Resolved()
	}
	return a.applyValid(set, err)
}

// applyValid takes settings unless err, or their trainer, refuses them.
func (a App) applyValid(set model.Settings, err error) (App, error) {
	if err == nil {
		err = set.Effective().Validate()
	}
	if err != nil {
		return a, err
	}
	return a.change(func(s *undoState) { s.now = set }), nil
}

// rewardNames returns the reward components whose names can be typed.
func (a App) rewardNames() []string {
	return slices.DeleteFunc(slices.Clone(a.snap.Run.ComponentNames), func(name string) bool { return sanitize.Line(name) != name })
}

func themeNames(App) []string {
	return model.Mapped(themes.All(), func(t *themes.Theme) string { return t.Name })
}

func runStep(a App, args []string) (App, error) {
	n, err := strconv.ParseInt(strings.Join(args, " "), 10, 64)
	switch i, ok := a.snap.Find(n); {
	case len(args) != 1:
		return a, fmt.Errorf("step takes a number")
	case err != nil:
		return a, fmt.Errorf("step takes a number, not %q", args[0])
	case !ok:
		return a, fmt.Errorf("there is no step %d: the run has steps %s", n, a.stepSpan())
	default:
		return a.showStep(i), nil
	}
}

// stepSpan returns the first and the last step: "1 to 30".
func (e env) stepSpan() string {
	if len(e.snap.Steps) == 0 {
		return "none yet"
	}
	return fmt.Sprintf("%d to %d", e.snap.Steps[0].Number, e.snap.Steps[len(e.snap.Steps)-1].Number)
}

// runReward takes columns as the reward, or leaves it to the log again.
func runReward(a App, args []string) (App, error) {
	if len(args) == 0 {
		return a, fmt.Errorf("reward takes columns, such as accuracy,format=0.3, or auto")
	}
	set, err := a.settings.now, error(nil)
	set.Reward, set.Weights = "", ""
	if text := strings.Join(args, " "); text == "auto" {
		set.Weights = a.session.autoWeights
	} else {
		set, err = set.Set("reward", text)
	}
	if err == nil {
		err = a.snap.Run.CheckReward(set)
	}
	return a.applyValid(set, err)
}

func runKeep(a App, args []string) (App, error) {
	if len(args) != 2 || args[0] != "pos" && args[0] != "neg" {
		return a, fmt.Errorf("keep takes pos or neg and a ratio: keep pos 0.7")
	}
	set, err := a.settings.now.Set("keep_"+args[0]+"_ratio", args[1])
	if err == nil {
		err = set.Validate()
	}
	return a.applyValid(set, err)
}

func runFilter(a App, args []string) (App, error) { return a.setFilter(strings.Join(args, " ")) }

// orderNames names the orders of the groups by their columns.
func orderNames() []string {
	return model.Mapped(sortings(), func(s sorting) string {
		return cmp.Or(s.column, strings.Fields(s.words)[1]) // by std of reward
	})
}

// runSort orders the groups by a column, or the other way round if they are.
func runSort(a App, args []string) (App, error) {
	name, names := strings.Join(args, " "), orderNames()
	i := slices.Index(names, name)
	if i < 0 {
		return a, fmt.Errorf("there is no column %q: choose %s", name, estimators.Alternatives(names))
	}
	return a.sortBy(i), nil
}

func runTheme(a App, args []string) (App, error) {
	name := strings.Join(args, " ")
	if t, ok := themes.Find(name); ok {
		return a.chooseTheme(t), nil
	}
	return a, fmt.Errorf("there is no theme %q: choose %s", name, themes.Names())
}

func runMouse(a App, args []string) (App, error) {
	if len(args) != 1 || args[0] != "on" && args[0] != "off" {
		return a, fmt.Errorf("mouse takes on or off, not %q", strings.Join(args, " "))
	}
	a.display.mouse = args[0] == "on"
	if a.display.mouse {
		a.notice = "mouse on: click, click twice, drag, turn the wheel (? explains each); hold Shift to select text"
	}
	return a, nil
}

// didYouMean returns " — did you mean NAME?" for the nearest of some names, "" if none is near.
func didYouMean(word string, names []string) string {
	if name := model.Nearest(word, names); name != "" && name != word {
		return fmt.Sprintf(" — did you mean %s?", name)
	}
	return ""
}

// suggestFor adds to the error of a command the nearest of what its arguments can be, where one of them is
// none of these.
func (a App) suggestFor(c lineCommand, args []string, err error) error {
	if c.completions == nil || strings.Contains(err.Error(), "did you mean") {
		return err
	}
	for i, word := range args {
		names := c.completions(a, args[:i])
		if len(names) == 0 || slices.Contains(names, word) {
			continue
		}
		if strings.HasSuffix(names[0], "=") {
			word, _, _ = strings.Cut(word, "=")
		}
		if near := strings.Replace(didYouMean(word, names), "=?", "?", 1); near != "" {
			return fmt.Errorf("%w%s", err, near)
		}
	}
	return err
}

// textLine is a line that is typed in.
type textLine struct {
	text   func(*App) *string
	limit  int                          // in bytes
	prompt func(a App, w int) string    // the line where it is the last of the screen; nil: the view draws it
	edited func(a App, longer bool) App // what follows a change; nil: nothing
}

// typed adds to the line of the view, unless that makes it longer than its limit.
func (a App) typed(text string) App {
	return a.edited(func(before string) string { return appendTyped(before, text, a.currentView().line.limit) }, true)
}

// appendTyped returns text with what was typed, unless that makes it longer than limit bytes.
func appendTyped(text, typed string, limit int) string {
	if len(text)+len(typed) > limit {
		return text
	}
	return text + typed
}

func (a App) backspace() App { return a.edited(backspace, false) }

func (a App) edited(change func(string) string, longer bool) App {
	line := a.currentView().line
	at := line.text(&a)
	*at = change(*at)
	if line.edited != nil {
		return line.edited(a, longer)
	}
	return a
}

func backspaceKey() binding {
	return binding{[]string{"backspace"}, "⌫", "", "delete the last character", App.backspace}
}

// narrowed returns what follows a change of the words that narrow a list: its cursor goes to the top when there are more.
func narrowed(of targetKind) func(App, bool) App {
	return func(a App, longer bool) App {
		if longer {
			return a.toRow(of, 0)
		}
		return a.moveRow(of, 0)
	}
}

func backspace(text string) string {
	_, n := utf8.DecodeLastRuneInString(text)
	return text[:len(text)-n]
}

func filterKeys() keySection {
	return keySection{"filter", []binding{
		{[]string{"enter"}, "⏎", "Enter keep", "keep the filter", App.applyFilter},
		{[]string{"tab"}, "Tab", "Tab field", "complete a field, and after fate: a fate; again: the next", App.completeField},
		backspaceKey(),
		{[]string{"down"}, "↓", "↓ ↑ group", "down", move(App.moveFocused, 1)},
		{[]string{"up"}, "↑", "", "up", move(App.moveFocused, -1)},
		{[]string{"esc"}, "Esc", "Esc clear", "show all groups", App.clearFilter},
	}}
}

// openFilter opens the line for the filter; the table follows what is typed.
func (a App) openFilter() App {
	if a.result.analysis == nil {
		return a.says("no groups to filter yet")
	}
	a.panes.filterDraft = a.settings.filter
	a = a.focusPane(layout.Groups)
	return a.openView(viewFilter)
}

// applyFilter applies the filter. A wrong one stays in the line, to be corrected.
func (a App) applyFilter() App {
	a, err := a.setFilter(a.panes.filterDraft)
	if err != nil {
		return a.says(err.Error())
	}
	a.position.view = viewOverview
	return a.rearrange()
}

func (a App) setFilter(text string) (App, error) {
	text = strings.TrimSpace(text)
	if _, err := figures.ParseQuery(text); err != nil {
		near := ""
		if wrong := (*figures.QueryError)(nil); errors.As(err, &wrong) {
			near = didYouMean(wrong.Word, wrong.Known)
		}
		return a, fmt.Errorf("invalid filter: %w%s", err, near)
	}
	return a.change(func(s *undoState) { s.filter = text }), nil
}

func (a App) clearFilter() App {
	a.position.view, a.panes.filterDraft = viewOverview, ""
	return a.change(func(s *undoState) { s.filter = "" }).rearrange()
}

// completeField completes the last word to a field, with the operator of one that holds a text, and after
// fate: to a fate; a complete one becomes the next.
func (a App) completeField() App {
	at := strings.LastIndexAny(a.panes.filterDraft, " (") + 1
	last := a.panes.filterDraft[at:]
	all := filterTerms(a, nil)
	if values := valuesAfter(all, last); len(values) > 0 {
		all = values
	}
	fitting := withPrefix(all, last)
	switch i := slices.Index(all, last); {
	case i >= 0 && len(fitting) > 1: // reward also begins rewards/format
		fitting = fitting[(slices.Index(fitting, last)+1)%len(fitting):]
	case i >= 0 && strings.Contains(last, ":"):
		fitting = all[(i+1)%len(all):]
	case i >= 0:
		return a.says("type < > = and a number, as in " + last + ">0")
	}
	if len(fitting) == 0 {
		return a.says("the fields are " + strings.Join(model.Mapped(figures.Fields(), func(f figures.Field) string { return f.Name }), " "))
	}
	a.panes.filterDraft = a.panes.filterDraft[:at] + fitting[0]
	return a.rearrange()
}

// activeFilter returns the filter at work: while one is typed, that.
func (a App) activeFilter() string {
	if a.position.view == viewFilter {
		return a.panes.filterDraft
	}
	return a.settings.filter
}
