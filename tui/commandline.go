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
	"vantage/tui/export"
	"vantage/tui/trend"
	"vantage/tui/view"
)

// maxCommandBytes bounds a command, in bytes.
const maxCommandBytes = 1000

// commandLine is the line of a command.
type commandLine struct {
	view.LastLine
	text string
}

// Text and the others make it a view with a line.
func (c *commandLine) Text() *string { return &c.text }

func (*commandLine) Limit() int { return maxCommandBytes }

func (*commandLine) Edited(env.Env, bool) view.Want { return nil }

// Keys of the line.
func (*commandLine) Keys() view.Section {
	return view.Section{Name: "command line", Bindings: []view.Binding{
		{Keys: []string{"enter"}, Label: "⏎", Hint: "Enter run", Doc: "run the command", Do: own(App.runCommand)},
		{Keys: []string{"tab"}, Label: "Tab", Hint: "Tab complete", Doc: "complete the word", Do: own(App.completeCommand)},
		{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc leave", Doc: "cancel", Do: view.Ask(view.CloseLine{})},
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
		{
			name: "step", args: "N", doc: "go to a step",
			run: runStep, completions: firstArgument(func(e env.Env) []string {
				return model.Mapped(e.Snap.Steps, func(s model.Step) string { return strconv.FormatInt(s.Number, 10) })
			}),
		},
		{
			name: "scope", args: "step|last [N]|all", doc: "the steps on the screen: this one, the last N up to it, or all",
			run: runScope, completions: oneOf("step", "last", "all"),
		},
		{
			name: "framework", args: "NAME", doc: "the framework whose estimators are used",
			run: setOption("framework"), completions: valuesOf("framework"),
		},
		{name: "est", args: "NAME", doc: "the advantage estimator", run: setOption("adv_estimator"), completions: valuesOf("adv_estimator")},
		{name: "scale", args: "NAME", doc: "group, batch or none", run: setOption("scale"), completions: valuesOf("scale")},
		{
			name: "option", args: "KEY=VALUE",
			doc: "set an option of the estimator, the group filter, the off-policy rule or the loss by the trainer's key; KEY= resets it",
			run: runOption, completions: firstArgument(func(e env.Env) []string {
				return model.Mapped(e.Settings.Now.KnownOptions(), func(o estimators.Option) string { return o.Key + "=" })
			}),
		},
		{name: "keep", args: "pos|neg RATIO", doc: "keep_pos_ratio or keep_neg_ratio", run: runKeep, completions: oneOf("pos", "neg")},
		{
			name: "recompute", args: "on|off", doc: "compute_new_adv",
			run: setOption("compute_new_adv"), completions: valuesOf("compute_new_adv"),
		},
		{
			name: "reward", args: "NAME[=WEIGHT],…|auto", doc: "use this column, or a weighted sum of several, as the reward",
			run: runReward, completions: firstArgument(env.Env.RewardNames),
		},
		{
			name: "solved", args: "X|auto", doc: "count a sample as solved if its reward is at least X",
			run: setOption("solved_at"), completions: valuesOf("solved_at"),
		},
		{
			name: "truncated", args: "train|mask|drop", doc: "how the trainer treats samples that were cut off",
			run: setOption("truncated"), completions: valuesOf("truncated"),
		},
		{
			name: "filter", args: "QUERY", doc: "show only the groups that match, or list the samples: text~Wait,",
			run: func(a App, args []string) (App, error) { return a.setFilter(strings.Join(args, " ")) }, completions: filterTerms,
		},
		{
			name: "sort", args: "COLUMN", doc: "order the groups by this column; again: the other way round",
			run: runSort, completions: firstArgument(func(env.Env) []string { return orderNames() }),
		},
		{name: "theme", args: "NAME", doc: "colour theme", run: runTheme, completions: oneOf(themes.Names()...)},
		{
			name: "mouse", args: "on|off", doc: "clicks and the wheel; hold Shift to select text",
			run: runMouse, completions: oneOf("on", "off"),
		},
		{
			name: "export", args: "[shown] md|csv|jsonl|txt [PATH]",
			doc: "write it to a file, also `export report.md`; shown: the table on the screen",
			run: runExport, completions: exportForms,
		},
		{name: "chain", doc: "the stages from reward to loss", run: runWant(view.Push{View: view.Chain})},
		{
			name: "groupfilter", args: "NAME|none", doc: "which groups are trained on (dynamic sampling)",
			run: setOption("group_filter"), completions: valuesOf("group_filter"),
		},
		{
			name: "off-policy", args: "NAME|none", doc: "what becomes of samples of another policy than the one that trains",
			run: setOption("off_policy"), completions: valuesOf("off_policy"),
		},
		{
			name: "loss", args: "NAME|none", doc: "how the loss weighs samples by their length",
			run: setOption("loss"), completions: valuesOf("loss"),
		},
		{name: "run", doc: "the run at a glance", run: runWant(act(App.openGlance))},
		{name: "steps", doc: "the view of all steps", run: runWant(view.Push{View: view.Steps})},
		{
			name: "metric", args: "[NAME]", doc: "draw a metric over all steps; without a name: list them all",
			run: runFigure, completions: firstArgument(trend.MetricNames),
		},
		{name: "metrics", doc: "all metrics as small charts", run: runWant(view.Push{View: view.Figures})},
		{name: "range", args: "FROM TO|last N|all", doc: "which steps charts show", run: runRange, completions: oneOf("last", "all")},
		{
			name: "sweep", args: "step|shown|last N|FROM TO|all", doc: "map of every pair of keep ratios, over these steps",
			run: runSweep, completions: oneOf("step", "shown", "last", "all"),
		},
		{
			name: "groupsize", doc: "dead groups and cost at other group sizes, estimated from the solve rates",
			run: runWant(view.Push{View: view.GroupSize}),
		},
		{
			name: "offpolicy", doc: "how off-policy the samples are, why, and what each rule would keep",
			run: runWant(view.Push{View: view.OffPolicy}),
		},
		{
			name: "prompts", doc: "which prompts teach, are solved, hopeless or suspect, over all steps",
			run: runWant(view.Push{View: view.Prompts}),
		},
		{
			name: "grep", args: "PATTERN",
			doc: "the samples whose answer, prompt or truth matches, and their mean reward next to that of the others",
			run: runGrep,
		},
		{
			name: "by", args: "difficulty|length|fate|step|COLUMN", doc: "breakdown: signal, Σ|A|, push and tokens of each part",
			run: runBy, completions: firstArgument(breakdown.PartNames),
		},
		{
			name: "goal", args: "signal|balance|cost [SHARE]",
			doc: "goal of the sweep's recommendation, and the least share of Σ|A| to keep",
			run: runGoal, completions: oneOf(sweep.GoalNames()...),
		},
		{name: "forget", doc: "reset settings and view of this run to the defaults", run: runWant(act(App.forget))},
		{name: "problems", doc: "how the log was read", run: runWant(view.Push{View: view.Problems})},
		{name: "help", doc: "explain metrics, signs, keys and commands", run: runWant(act(App.toggleHelp))},
		{name: "q", doc: "quit", run: runWant(act(App.quit))},
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
		return append([]string{"shown"}, export.Formats(false)...)
	case len(before) == 1 && before[0] == "shown":
		return export.Formats(true)
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
