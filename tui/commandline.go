package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/figures"
	"vantage/model/sweep"
	"vantage/themes"
	"vantage/tui/breakdown"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/trend"
	"vantage/tui/view"
)

// maxCommandBytes bounds a command, in bytes.
const maxCommandBytes = 1000

// commandLine is the line of a command.
type commandLine struct{ text string }

// Draw draws nothing: the view below fills the screen.
func (*commandLine) Draw(env.Env, int, int) []string { return nil }

// Text and the others make it a view with a line.
func (c *commandLine) Text() *string { return &c.text }

func (*commandLine) Limit() int { return maxCommandBytes }

func (*commandLine) Edited(env.Env, bool) view.Want { return nil }

// Keys of the line.
func (*commandLine) Keys() view.Section {
	return view.Section{Name: "command line", Bindings: []view.Binding{
		{Keys: []string{"enter"}, Label: "⏎", Hint: "Enter run", Doc: "run the command", Do: own(App.runCommand)},
		{Keys: []string{"tab"}, Label: "Tab", Hint: "Tab complete", Doc: "complete the word", Do: own(App.completeCommand)},
		{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc leave", Doc: "cancel", Do: own(App.closeLine)},
	}}
}

// runCommand runs the command line. A wrong command stays there, to be corrected.
func (a App) runCommand() App {
	words := strings.Fields(a.views.command.text)
	if len(words) == 0 {
		return a.closeLine()
	}
	c, ok := findCommand(words[0])
	if instead := model.Gone(":" + words[0]); instead != "" {
		return a.says(instead)
	}
	if !ok {
		near := view.DidYouMean(words[0], commandNames())
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
	line := a.overlays.input.line(a.views.command.text)
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
	a.views.command.text, a.overlays.input.behind = before+common+behind, len(behind)
	return a
}

// maxCompletions bounds the completions that are shown: a run has thousands of steps.
const maxCompletions = 24

// Prompt returns the line in w cells: what is typed, what it may be completed to, and
// what the command does.
func (*commandLine) Prompt(e env.Env, w int) string {
	t, typed := e.Display.Theme, e.Typing
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
		{"chain", "", "the stages from reward to loss", runWant(view.Push{View: view.Chain}), nil},
		{"groupfilter", "NAME|none", "which groups are trained on (dynamic sampling)", setOption("group_filter"), valuesOf("group_filter")},
		{"loss", "NAME|none", "how the loss weighs samples by their length", setOption("loss"), valuesOf("loss")},
		{"run", "", "the run at a glance", runWant(act(App.openGlance)), nil},
		{"steps", "", "the view of all steps", runWant(view.Push{View: view.Steps}), nil},
		{"metric", "[NAME]", "draw a metric over all steps; without a name: list them all", runFigure, firstArgument(trend.MetricNames)},
		{"metrics", "", "all metrics as small charts", runWant(view.Push{View: view.Figures}), nil},
		{"range", "FROM TO|last N|all", "which steps charts show", runRange, oneOf("last", "all")},
		{"sweep", "step|shown|last N|FROM TO|all", "map of every pair of keep ratios, over these steps", runSweep, oneOf("step", "shown", "last", "all")},
		{"groupsize", "", "dead groups and cost at other group sizes, estimated from the solve rates", runWant(view.Push{View: view.GroupSize}), nil},
		{"prompts", "", "which prompts teach, are solved, hopeless or suspect, over all steps", runWant(view.Push{View: view.Prompts}), nil},
		{"grep", "PATTERN", "the samples whose answer, prompt or truth matches, and their mean reward next to that of the others", runGrep, nil},
		{"by", "difficulty|length|fate|step|COLUMN", "breakdown: signal, Σ|A|, push and tokens of each part", runBy, firstArgument(breakdown.PartNames)},
		{"goal", "signal|balance|cost [SHARE]", "goal of the sweep's recommendation, and the least share of Σ|A| to keep", runGoal, oneOf(sweep.GoalNames()...)},
		{"forget", "", "reset settings and view of this run to the defaults", runWant(act(App.forget)), nil},
		{"problems", "", "how the log was read", runWant(view.Push{View: view.Problems}), nil},
		{"help", "", "explain metrics, signs, keys and commands", runWant(act(App.toggleHelp)), nil},
		{"q", "", "quit", runWant(act(App.quit)), nil},
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

func runWant(w view.Want) runCommand {
	return func(a App, _ []string) (App, error) { return a.grant(w), nil }
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
		if near := strings.Replace(view.DidYouMean(word, names), "=?", "?", 1); near != "" {
			return fmt.Errorf("%w%s", err, near)
		}
	}
	return err
}
