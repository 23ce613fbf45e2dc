package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/sweep"
	"vantage/themes"
	"vantage/tui/env"
	"vantage/tui/steps"
	"vantage/tui/sweepmap"
	"vantage/tui/trend"
	"vantage/tui/view"
)

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

func runBy(a App, args []string) (App, error) {
	if len(args) == 0 {
		return a, fmt.Errorf("by takes %s, or a column of the log", strings.Join(analysis.PartKinds(), ", "))
	}
	a.views.breakdown.DivideBy(strings.Join(args, " "))
	return a.pushView(view.Breakdown), nil
}

// runGrep opens the view of the samples whose texts match a pattern.
func runGrep(a App, args []string) (App, error) {
	if err := a.views.grep.Find(strings.Join(args, " ")); err != nil {
		return a, err
	}
	return a.pushView(view.Grep), nil
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

// runFigure draws a figure over the steps; without a name it opens the list.
func runFigure(a App, args []string) (App, error) {
	if len(args) == 0 {
		return a.pushView(view.FigureList), nil
	}
	a.views.steps.Picker.Query = strings.Join(args, " ")
	list := a.views.steps.PickedFigures(a.env)
	if len(list) == 0 {
		return a, fmt.Errorf("no metric is called %q: :metric without a name lists all", sanitize.Line(strings.Join(args, " ")))
	}
	return a.drawFigure(list[0]), nil
}

func runScope(a App, args []string) (App, error) {
	s, err := env.ParseScopeWords(args, a.env.Place.Scope.LastSteps())
	if err != nil {
		return a, err
	}
	return a.chooseScope(s), nil
}

// runRange shows some steps in charts: "100 200", "last 50", "all".
func runRange(a App, args []string) (App, error) {
	usage := fmt.Errorf("range takes two steps (100 200), last and a count (last 50), or all")
	if a.env.Result.Trend == nil {
		return a, fmt.Errorf("no step is computed yet")
	}
	switch {
	case len(args) == 1 && args[0] == "all":
		a.views.steps.Window = steps.StepWindow{}
	case len(args) == 2 && args[0] == "last":
		n, err := strconv.ParseInt(args[1], 10, 32)
		if err != nil || n < 2 {
			return a, usage
		}
		a.views.steps.Window = steps.StepWindow{Last: n}
	case len(args) == 2:
		from, err := strconv.ParseInt(args[0], 10, 64)
		to, errTo := strconv.ParseInt(args[1], 10, 64)
		areSteps := err == nil && errTo == nil && from < to
		if all := trend.AxisOfAllSteps(a.env); !areSteps || float64(to) <= all.Lo || float64(from) >= all.Hi {
			return a, usage
		}
		a.views.steps.ShowWindow(a.env, float64(from), float64(to))
	default:
		return a, usage
	}
	if !a.position.drawsSteps() {
		a = a.pushView(view.Steps)
	}
	return a, nil
}

func runGoal(a App, args []string) (App, error) {
	g, err := sweep.ParseGoal(strings.Join(args, " "))
	if err != nil {
		return a, err
	}
	a.views.sweep.Goal = g
	return a.pushView(view.Sweep), nil
}

func runSweep(a App, args []string) (App, error) {
	if len(args) > 0 {
		s, err := sweepmap.ParseScope(args)
		if err != nil {
			return a, err
		}
		a.views.sweep.Scope = s
		if s.Kind == env.ScopeRange {
			a.views.sweep.LastRange = s
		}
	}
	return a.pushView(view.Sweep), nil
}
