package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/model/sweep"
	"vantage/themes"
)

// lineCommand is a command of the line that : opens.
type lineCommand struct {
	name, args, doc string
	run             runCommand
	completions     func(a App, before []string) []string // of the argument after those before; nil: none
}

// runCommand runs a command with its arguments. An error leaves App as it was.
type runCommand = func(a App, args []string) (App, error)

// lineCommands returns all commands.
func lineCommands() []lineCommand {
	return []lineCommand{
		{"step", "N", "go to a step", runStep, firstArgument(App.stepNumbers)},
		{"scope", "step|last [N]|all", "the steps on the screen: this one, the last N up to it, or all", runScope, oneOf("step", "last", "all")},
		{"framework", "NAME", "the framework whose arithmetic is used", setOption("framework"), firstArgument(func(App) []string { return estimators.Frameworks() })},
		{"est", "NAME", "the advantage estimator", setOption("adv_estimator"), firstArgument(App.estimatorNames)},
		{"scale", "NAME", "group, batch or none", setOption("scale"), firstArgument(App.scaleNames)},
		{"option", "KEY=VALUE", "set an option of the estimator, the group filter or the loss by the trainer's key; KEY= resets it", runOption, firstArgument(App.optionKeys)},
		{"keep", "pos|neg RATIO", "keep_pos_ratio or keep_neg_ratio", runKeep, oneOf("pos", "neg")},
		{"recompute", "on|off", "compute_new_adv", setOption("compute_new_adv"), oneOf("on", "off")},
		{"reward", "NAME[=WEIGHT],…|auto", "use this column, or a weighted sum of several, as the reward", runReward, firstArgument(App.rewardNames)},
		{"solved", "X|auto", "count a sample as solved if its reward is at least X", setOption("solved_at"), oneOf("auto")},
		{"filter", "QUERY", "show only the groups that match", runFilter, filterTerms},
		{"sort", "COLUMN", "order the groups by this column; again: the other way round", runSort, firstArgument(func(App) []string { return orderNames() })},
		{"theme", "NAME", "colour theme", runTheme, firstArgument(themeNames)},
		{"mouse", "on|off", "clicks, drags and the wheel; hold Shift to select text", runMouse, oneOf("on", "off")},
		{"export", "[shown] md|csv|jsonl|txt|svg [PATH]", "write it to a file, also `export report.md`; svg: the screen; shown: its table", runExport, exportForms},
		{"chain", "", "the stages from reward to loss", runAction(App.openChain), nil},
		{"groupfilter", "NAME|none", "which groups are trained on (dynamic sampling)", setOption("group_filter"), firstArgument(func(a App) []string { return orNone(groupFilterNames(a.settings.now.Framework)) })},
		{"loss", "NAME|none", "how the loss weighs samples by their length", setOption("loss"), firstArgument(func(a App) []string { return orNone(lossNames(a.settings.now.Framework)) })},
		{"run", "", "the run at a glance", runAction(App.openGlance), nil},
		{"steps", "", "the view of all steps", runAction(App.openSteps), nil},
		{"figure", "[NAME]", "draw a figure over all steps; without a name: list them all", runFigure, firstArgument(App.metricNames)},
		{"figures", "", "all figures as small charts", runAction(App.openFigures), nil},
		{"range", "FROM TO|last N|all", "which steps charts show", runRange, oneOf("last", "all")},
		{"sweep", "step|shown|last N|FROM TO|all", "map of every pair of keep ratios, over these steps", runSweep, oneOf("step", "shown", "last", "all")},
		{"groupsize", "", "dead groups and cost at other group sizes, estimated from the solve rates", runAction(App.openGroupSize), nil},
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

// findCommand returns the command of that name, if there is one.
func findCommand(name string) (lineCommand, bool) {
	all := lineCommands()
	i := slices.IndexFunc(all, func(c lineCommand) bool { return c.name == name })
	if i < 0 {
		return lineCommand{}, false
	}
	return all[i], true
}

func commandNames() []string {
	var names []string
	for _, c := range lineCommands() {
		names = append(names, c.name)
	}
	return names
}

// setOption returns the command that sets an option of the settings.
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

// runAction returns the command that does what a key does.
func runAction(f action) runCommand {
	return func(a App, _ []string) (App, error) {
		a = f(a)
		return a, nil
	}
}

// firstArgument completes the first argument to an element of list.
func firstArgument(list func(App) []string) func(App, []string) []string {
	return func(a App, before []string) []string {
		if len(before) > 0 {
			return nil
		}
		return list(a)
	}
}

// oneOf completes the first argument to one of some words.
func oneOf(words ...string) func(App, []string) []string {
	return firstArgument(func(App) []string { return words })
}

// filterTerms completes a term of a filter to a field, one that holds a text with its operator.
func filterTerms(App, []string) []string {
	var all []string
	for _, f := range figures.Fields() {
		all = append(all, f.Name+f.Operator)
	}
	return all
}

// valuesAfter returns what a word that ends one of some names may go on with: after fate: the fates.
func valuesAfter(names []string, word string) []string {
	var all []string
	if strings.HasPrefix(word, "fate:") && slices.Contains(names, "fate:") {
		for _, f := range model.Fates() {
			all = append(all, "fate:"+f.Key())
		}
	}
	return all
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
	var all []string
	for _, s := range a.snap.Steps {
		all = append(all, strconv.FormatInt(s.Number, 10))
	}
	return all
}

func (a App) scaleNames() []string {
	var names []string
	if e, err := a.settings.now.FindEstimator(); err == nil {
		for _, s := range e.Scales {
			names = append(names, string(s))
		}
	}
	return names
}

// optionKeys returns the options of the estimator and of the stages that are set.
func (a App) optionKeys() []string {
	var keys []string
	for _, o := range a.settings.now.KnownOptions() {
		keys = append(keys, o.Key+"=")
	}
	return keys
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
	a = a.apply(a.settings.withSettings(set))
	return a, nil
}

func (a App) estimatorNames() []string {
	var names []string
	for _, e := range estimatorsOf(a.settings.now.Framework) {
		names = append(names, e.Name)
	}
	return names
}

// rewardNames returns the reward components whose names can be typed.
func (a App) rewardNames() []string {
	return slices.DeleteFunc(slices.Clone(a.snap.Run.ComponentNames), func(name string) bool { return sanitize.Line(name) != name })
}

func themeNames(App) []string {
	var names []string
	for _, t := range themes.All() {
		names = append(names, t.Name)
	}
	return names
}

func runStep(a App, args []string) (App, error) {
	if len(args) != 1 {
		return a, fmt.Errorf("step takes a number")
	}
	n, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return a, fmt.Errorf("step takes a number, not %q", args[0])
	}
	i, ok := a.snap.Find(n)
	if !ok {
		return a, fmt.Errorf("there is no step %d: the run has steps %s", n, a.stepSpan())
	}
	a = a.showStep(i)
	return a, nil
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
	set := a.settings.now
	set.Reward, set.Weights = "", ""
	if text := strings.Join(args, " "); text == "auto" {
		set.Weights = a.session.autoWeights
	} else {
		var err error
		if set, err = set.Set("reward", text); err != nil {
			return a, err
		}
	}
	if err := a.snap.Run.CheckReward(set); err != nil {
		return a, err
	}
	a = a.apply(a.settings.withSettings(set))
	return a, nil
}

func runKeep(a App, args []string) (App, error) {
	if len(args) != 2 || args[0] != "pos" && args[0] != "neg" {
		return a, fmt.Errorf("keep takes pos or neg and a ratio: keep pos 0.7")
	}
	set, err := a.settings.now.Set("keep_"+args[0]+"_ratio", args[1])
	if err == nil {
		err = set.Validate()
	}
	if err != nil {
		return a, err
	}
	a = a.apply(a.settings.withSettings(set))
	return a, nil
}

func runFilter(a App, args []string) (App, error) {
	return a.setFilter(strings.Join(args, " "))
}

// orderNames names the orders of the groups by their columns.
func orderNames() []string {
	var names []string
	for _, s := range sortings() {
		name := s.column
		if name == "" {
			name = strings.Fields(s.words)[1] // by std of reward
		}
		names = append(names, name)
	}
	return names
}

// runSort orders the groups by a column, or the other way round if they are.
func runSort(a App, args []string) (App, error) {
	names := orderNames()
	i := slices.Index(names, strings.Join(args, " "))
	if i < 0 {
		return a, fmt.Errorf("there is no column %q: choose %s", strings.Join(args, " "), estimators.Alternatives(names))
	}
	a = a.sortBy(i)
	return a, nil
}

func runTheme(a App, args []string) (App, error) {
	name := strings.Join(args, " ")
	if t, ok := themes.Find(name); ok {
		a.display = a.display.withTheme(t)
		a.notice = "theme: " + t.Name + ", " + t.Doc
		return a, nil
	}
	return a, fmt.Errorf("there is no theme %q: choose %s", name, themes.Names())
}

func runMouse(a App, args []string) (App, error) {
	if len(args) != 1 || args[0] != "on" && args[0] != "off" {
		return a, fmt.Errorf("mouse takes on or off, not %q", strings.Join(args, " "))
	}
	a.display.mouse = args[0] == "on"
	if a.display.mouse {
		a.notice = "mouse on: click, click twice, drag, turn the wheel (? says what each does); hold Shift to select text"
	}
	return a, nil
}
