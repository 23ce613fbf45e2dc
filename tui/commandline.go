package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/figures"
	"vantage/model/sweep"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
)

// maxCommandBytes bounds a command, in bytes.
const maxCommandBytes = 1000

func commandKeys() keySection {
	return keySection{"command line", []binding{
		{[]string{"enter"}, "⏎", "Enter run", "run the command", App.runCommand},
		{[]string{"tab"}, "Tab", "Tab complete", "complete the word", App.completeCommand},
		{[]string{"esc"}, "Esc", "Esc leave", "cancel", App.closeLine},
	}}
}

// runCommand runs the command line. A wrong command stays there, to be corrected.
func (a App) runCommand() App {
	words := strings.Fields(a.overlays.command)
	if len(words) == 0 {
		return a.closeLine()
	}
	c, ok := findCommand(words[0])
	if instead := model.Gone(":" + words[0]); instead != "" {
		return a.says(instead)
	}
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
		return a.says(c.suggestFor(a.env, words[1:], err).Error())
	}
	return next
}

// completions returns what the word before the cursor of a command may be completed to, and the text before it.
func completions(e env.Env, line cells.Line) (before string, fitting []string) {
	text, _ := line.Cut()
	at := strings.LastIndexAny(text, " ,(") + 1 // a column of several, a term in parentheses
	before, last := text[:at], text[at:]
	var all []string
	if words := strings.Fields(before); len(words) > 0 {
		if c, ok := findCommand(words[0]); ok && c.completions != nil {
			all = c.completions(e, words[1:])
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

// completeCommand completes the word before the cursor as far as all completions agree.
func (a App) completeCommand() App {
	line := a.overlays.input.line(a.overlays.command)
	before, all := completions(a.env, line)
	if len(all) == 0 {
		return a
	}
	common := all[0]
	for _, word := range all[1:] {
		for !strings.HasPrefix(word, common) {
			common = common[:len(common)-1]
		}
	}
	_, behind := line.Cut()
	if len(all) == 1 && behind == "" && !strings.ContainsRune(":~=", rune(common[len(common)-1])) {
		common += " "
	}
	a.overlays.command, a.overlays.input.behind = before+common+behind, len(behind)
	return a
}

// maxCompletions bounds the completions that are shown: a run has thousands of steps.
const maxCompletions = 24

// commandPrompt returns the line in w cells: what is typed, what it may be completed to, and
// what the command does.
func commandPrompt(e env.Env, typed cells.Line, w int) string {
	t := e.Display.Theme
	_, all := completions(e, typed)
	next, doc := strings.Join(all[:min(len(all), maxCompletions)], " "), ""
	if len(all) > maxCompletions {
		next += " …"
	}
	if name, _, spaced := strings.Cut(typed.Text, " "); spaced {
		c, _ := findCommand(name)
		doc = c.doc
		if next == "" {
			next = c.args
		}
	}
	line := cells.Truncate(" "+t.Paint(themes.Accent, ":"+typed.Shown(w-3))+" "+t.Paint(themes.Dim, next), w)
	if doc == "" {
		return line
	}
	return cells.JoinFitting(w, " — ", line, t.Paint(themes.Dim, doc))
}

type lineCommand struct {
	name, args, doc string
	run             runCommand
	completions     func(e env.Env, before []string) []string // of the argument after those before; nil: none
}

// runCommand runs a command with its arguments. An error leaves App as it was.
type runCommand = func(a App, args []string) (App, error)

func lineCommands() []lineCommand {
	return []lineCommand{
		{"step", "N", "go to a step", runStep, firstArgument(func(e env.Env) []string {
			return model.Mapped(e.Snap.Steps, func(s model.Step) string { return strconv.FormatInt(s.Number, 10) })
		})},
		{"scope", "step|last [N]|all", "the steps on the screen: this one, the last N up to it, or all", runScope, oneOf("step", "last", "all")},
		{"framework", "NAME", "the framework whose estimators are used", setOption("framework"), valuesOf("framework")},
		{"est", "NAME", "the advantage estimator", setOption("adv_estimator"), valuesOf("adv_estimator")},
		{"scale", "NAME", "group, batch or none", setOption("scale"), valuesOf("scale")},
		{"option", "KEY=VALUE", "set an option of the estimator, the group filter or the loss by the trainer's key; KEY= resets it", runOption, firstArgument(func(e env.Env) []string {
			return model.Mapped(e.Settings.Now.KnownOptions(), func(o estimators.Option) string { return o.Key + "=" })
		})},
		{"keep", "pos|neg RATIO", "keep_pos_ratio or keep_neg_ratio", runKeep, oneOf("pos", "neg")},
		{"recompute", "on|off", "compute_new_adv", setOption("compute_new_adv"), valuesOf("compute_new_adv")},
		{"reward", "NAME[=WEIGHT],…|auto", "use this column, or a weighted sum of several, as the reward", runReward, firstArgument(env.Env.RewardNames)},
		{"solved", "X|auto", "count a sample as solved if its reward is at least X", setOption("solved_at"), valuesOf("solved_at")},
		{"truncated", "train|mask|drop", "how the trainer treats samples that were cut off", setOption("truncated"), valuesOf("truncated")},
		{"filter", "QUERY", "show only the groups that match, or list the samples: text~Wait,", func(a App, args []string) (App, error) { return a.setFilter(strings.Join(args, " ")) }, filterTerms},
		{"sort", "COLUMN", "order the groups by this column; again: the other way round", runSort, firstArgument(func(env.Env) []string { return orderNames() })},
		{"theme", "NAME", "colour theme", runTheme, oneOf(themes.Names()...)},
		{"mouse", "on|off", "clicks and the wheel; hold Shift to select text", runMouse, oneOf("on", "off")},
		{"export", "[shown] md|csv|jsonl|txt [PATH]", "write it to a file, also `export report.md`; shown: the table on the screen", runExport, exportForms},
		{"chain", "", "the stages from reward to loss", runAction(pushing(viewChain)), nil},
		{"groupfilter", "NAME|none", "which groups are trained on (dynamic sampling)", setOption("group_filter"), valuesOf("group_filter")},
		{"loss", "NAME|none", "how the loss weighs samples by their length", setOption("loss"), valuesOf("loss")},
		{"run", "", "the run at a glance", runAction(App.openGlance), nil},
		{"steps", "", "the view of all steps", runAction(pushing(viewSteps)), nil},
		{"metric", "[NAME]", "draw a metric over all steps; without a name: list them all", runFigure, firstArgument(metricNames)},
		{"metrics", "", "all metrics as small charts", runAction(App.openFigures), nil},
		{"range", "FROM TO|last N|all", "which steps charts show", runRange, oneOf("last", "all")},
		{"sweep", "step|shown|last N|FROM TO|all", "map of every pair of keep ratios, over these steps", runSweep, oneOf("step", "shown", "last", "all")},
		{"groupsize", "", "dead groups and cost at other group sizes, estimated from the solve rates", runAction(func(a App) App { a.views.groupSize.topLine = 0; return a.pushView(viewGroupSize) }), nil},
		{"prompts", "", "which prompts teach, are solved, hopeless or suspect, over all steps", runAction(pushing(viewPrompts)), nil},
		{"grep", "PATTERN", "the samples whose answer, prompt or truth matches, and their mean reward next to that of the others", runGrep, nil},
		{"by", "difficulty|length|fate|step|COLUMN", "breakdown: signal, Σ|A|, push and tokens of each part", runBy, firstArgument(partNames)},
		{"goal", "signal|balance|cost [SHARE]", "goal of the sweep's recommendation, and the least share of Σ|A| to keep", runGoal, oneOf(sweep.GoalNames()...)},
		{"forget", "", "reset settings and view of this run to the defaults", runAction(App.forget), nil},
		{"problems", "", "how the log was read", runAction(App.openProblems), nil},
		{"help", "", "explain metrics, signs, keys and commands", runAction(App.toggleHelp), nil},
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
		set, err := a.env.Settings.Now.Set(option, args[0])
		if err == nil {
			_, err = set.FindEstimator() // before what the trainer says of its ratios
		}
		return a.applyValid(set, err)
	}
}

func runAction(f action) runCommand {
	return func(a App, _ []string) (App, error) { return f(a), nil }
}

func firstArgument(list func(env.Env) []string) func(env.Env, []string) []string {
	return func(e env.Env, before []string) (all []string) {
		if len(before) == 0 {
			all = list(e)
		}
		return all
	}
}

func valuesOf(setting string) func(env.Env, []string) []string {
	s, _ := model.FindSetting(setting)
	return firstArgument(func(e env.Env) []string { return s.Values(e.Settings.Now) })
}

func oneOf(words ...string) func(env.Env, []string) []string {
	return firstArgument(func(env.Env) []string { return words })
}

// filterTerms completes a term of a filter to a field, one that holds a text with its operator.
func filterTerms(env.Env, []string) []string {
	return model.Mapped(figures.Fields(), func(f figures.Field) string { return f.Name + f.Operator })
}

// valuesAfter returns what a word that ends one of some names may go on with: after fate: the fates.
func valuesAfter(names []string, word string) []string {
	if !strings.HasPrefix(word, "fate:") || !slices.Contains(names, "fate:") {
		return nil
	}
	return model.Mapped(model.Fates(), func(f model.Fate) string { return "fate:" + f.Key() })
}

func exportForms(_ env.Env, before []string) []string {
	switch {
	case len(before) == 0:
		return append([]string{"shown"}, exportFormats(false)...)
	case len(before) == 1 && before[0] == "shown":
		return exportFormats(true)
	}
	return nil
}

// runOption gives an option of the estimator or of a stage a value, or with "key=" its default.
func runOption(a App, args []string) (App, error) {
	key, value, err := estimators.ParseOption(strings.Join(args, " ")) // a value may be two numbers
	if err != nil {
		return a, err
	}
	set := a.env.Settings.Now
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
	return a.change(func(s *env.State) { s.Now = set }), nil
}

func runStep(a App, args []string) (App, error) {
	n, err := strconv.ParseInt(strings.Join(args, " "), 10, 64)
	switch i, ok := a.env.Snap.Find(n); {
	case len(args) != 1:
		return a, fmt.Errorf("step takes a number")
	case err != nil:
		return a, fmt.Errorf("step takes a number, not %q", args[0])
	case !ok:
		return a, fmt.Errorf("there is no step %d: the run has steps %s", n, stepSpan(a.env))
	default:
		return a.showStep(i), nil
	}
}

func stepSpan(e env.Env) string {
	if len(e.Snap.Steps) == 0 {
		return "none yet"
	}
	return fmt.Sprintf("%d to %d", e.Snap.Steps[0].Number, e.Snap.Steps[len(e.Snap.Steps)-1].Number)
}

// runReward takes columns as the reward, or leaves it to the log again.
func runReward(a App, args []string) (App, error) {
	if len(args) == 0 {
		return a, fmt.Errorf("reward takes columns, such as accuracy,format=0.3, or auto")
	}
	set, err := a.env.Settings.Now, error(nil)
	set.Reward, set.Weights = "", ""
	if text := strings.Join(args, " "); text == "auto" {
		set.Weights = a.env.Session.AutoWeights
	} else {
		set, err = set.Set("reward", text)
	}
	if err == nil {
		err = a.env.Snap.Run.CheckReward(set)
	}
	return a.applyValid(set, err)
}

func runKeep(a App, args []string) (App, error) {
	if len(args) != 2 || args[0] != "pos" && args[0] != "neg" {
		return a, fmt.Errorf("keep takes pos or neg and a ratio: keep pos 0.7")
	}
	set, err := a.env.Settings.Now.Set("keep_"+args[0]+"_ratio", args[1])
	if err == nil {
		err = set.Validate()
	}
	return a.applyValid(set, err)
}

func orderNames() []string {
	return model.Mapped(env.Sortings(), func(s env.Sorting) string {
		return cmp.Or(s.Column, strings.Fields(s.Words)[1]) // by std of reward
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
	return a, fmt.Errorf("there is no theme %q: choose %s", name, estimators.Alternatives(themes.Names()))
}

func runMouse(a App, args []string) (App, error) {
	if len(args) != 1 || args[0] != "on" && args[0] != "off" {
		return a, fmt.Errorf("mouse takes on or off, not %q", strings.Join(args, " "))
	}
	a.env.Display.Mouse = args[0] == "on"
	if a.env.Display.Mouse {
		a.overlays.notice = "mouse on: click, click twice, turn the wheel (? explains each); hold Shift to select text"
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
func (c lineCommand) suggestFor(e env.Env, args []string, err error) error {
	if c.completions == nil || strings.Contains(err.Error(), "did you mean") {
		return err
	}
	for i, word := range args {
		names := c.completions(e, args[:i])
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
