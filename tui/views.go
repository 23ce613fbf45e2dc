package tui

import (
	tea "charm.land/bubbletea/v2"

	"vantage/tui/breakdown"
	"vantage/tui/chain"
	"vantage/tui/env"
	"vantage/tui/estimatorlist"
	"vantage/tui/glance"
	"vantage/tui/grep"
	"vantage/tui/groupsize"
	"vantage/tui/job"
	"vantage/tui/offpolicy"
	"vantage/tui/overview"
	"vantage/tui/pairs"
	"vantage/tui/problems"
	"vantage/tui/promptlist"
	"vantage/tui/ratios"
	"vantage/tui/reader"
	"vantage/tui/steps"
	"vantage/tui/sweepmap"
	"vantage/tui/view"
)

// views are the states of the views. Some names share one, see [view.Sharing].
type views struct {
	sampleReader reader.Group
	sweep        sweepmap.View
	groupSize    groupsize.View
	breakdown    breakdown.View
	offPolicy    offpolicy.View
	prompts      promptlist.View
	grep         grep.View
	compare      pairs.View
	answers      reader.Answers
	finding      int // index of the one whose view is shown
	glance       glance.View
	steps        steps.View
	chain        chain.View
	picker       estimatorlist.View
	problems     problems.View
	panes        overview.Panes
	command      commandLine
	ratios       ratios.View
	destination  *env.Destination // of the cursor, when its step is analysed; nil: none
}

// all returns the views by their names: a new one is a package, a name and a line here.
func (v *views) all() [view.Count]view.View {
	return [view.Count]view.View{
		view.Overview:     openOverview{&v.panes},
		view.Filter:       groupFilter{&v.panes},
		view.Finding:      openFinding{&v.panes, v.finding},
		view.Glance:       &v.glance,
		view.Group:        &v.sampleReader,
		view.Search:       reader.Search{Group: &v.sampleReader},
		view.Steps:        &v.steps,
		view.Figures:      steps.Small{View: &v.steps},
		view.FigureList:   steps.List{View: &v.steps},
		view.Sweep:        &v.sweep,
		view.Chain:        &v.chain,
		view.GroupSize:    &v.groupSize,
		view.Breakdown:    &v.breakdown,
		view.Prompts:      &v.prompts,
		view.OffPolicy:    &v.offPolicy,
		view.PromptFilter: promptlist.Filter{View: &v.prompts},
		view.Grep:         &v.grep,
		view.Compare:      &v.compare,
		view.Answers:      &v.answers,
		view.Problems:     &v.problems,
		view.Estimators:   &v.picker,
		view.Command:      &v.command,
		view.Ratios:       &v.ratios,
		view.Copy:         copying{},
	}
}

func (v *views) at(name view.Name) view.View { return v.all()[name] }

// work has each view work that has something to compute or to read, those of one state once.
func (v *views) work(e env.Env, open view.Name, c *job.Queue, msg tea.Msg) {
	for name, one := range v.all() {
		if working, ok := one.(view.Working); ok && stateOf(one, view.Name(name)) == view.Name(name) {
			working.Work(e, stateOf(v.at(open), open) == view.Name(name), c, msg)
		}
	}
}

// stateOf names the view whose state one draws: itself, or that with which it shares it.
func stateOf(v view.View, name view.Name) view.Name {
	if shares, ok := v.(view.Sharing); ok {
		return shares.StateOf()
	}
	return name
}

// viewOpen returns the view that has the keys. What it changes is in a.
func (a *App) viewOpen() view.View { return a.views.at(a.position.view) }

// viewDrawn returns the one that fills the screen: that below a line of input or of choices.
func (a *App) viewDrawn() view.View { return a.views.at(a.position.drawn()) }

// line returns the line that is typed in, nil if none is.
func (a *App) line() view.Typed {
	line, _ := a.viewOpen().(view.Typed)
	return line
}

// drawsEarly reports whether the view that is open can be drawn before a step is computed.
func (a *App) drawsEarly() bool {
	_, is := a.viewOpen().(view.Early)
	return is
}

// envToDraw is env with the line that is typed.
func (a *App) envToDraw() env.Env {
	e := a.env
	if line := a.line(); line != nil {
		e.Typing = a.overlays.input.line(*line.Text())
	}
	return e
}

func commonKeys() []view.Section {
	return []view.Section{
		{Name: "settings", Bindings: []view.Binding{
			{Keys: []string{"f"}, Label: "f", Doc: "next framework", Do: own(App.nextFramework)},
			{Keys: []string{"e"}, Label: "e", Doc: "next estimator of the framework", Do: own(move(App.moveEstimator, 1))},
			{
				Keys: []string{"E"}, Label: "E",
				Doc: "list of all estimators, and what each needs",
				Do:  view.Ask(view.Push{View: view.Estimators}),
			},
			{Keys: []string{"s"}, Label: "s", Doc: "next scale: group, batch, none", Do: own(App.nextScale)},
			{Keys: []string{"p"}, Label: "p", Doc: "keep_pos_ratio down by 0.05", Do: own(moveRatio(ratios.Positive, -1))},
			{Keys: []string{"P"}, Label: "P", Doc: "keep_pos_ratio up by 0.05", Do: own(moveRatio(ratios.Positive, 1))},
			{Keys: []string{"m"}, Label: "m", Doc: "keep_neg_ratio down by 0.05", Do: own(moveRatio(ratios.Negative, -1))},
			{Keys: []string{"M"}, Label: "M", Doc: "keep_neg_ratio up by 0.05", Do: own(moveRatio(ratios.Negative, 1))},
			{
				Keys: []string{"="}, Label: "=", Hint: "= value",
				Doc: "enter exact ratios; Tab goes to the other one",
				Do:  own(App.openRatios),
			},
			{Keys: []string{"r"}, Label: "r", Doc: "compute_new_adv on or off", Do: own(App.toggleRecompute)},
			{
				Keys: []string{"b"}, Label: "b", Hint: "b baseline",
				Doc: "keep the current settings as the baseline to compare with; again: stop comparing",
				Do:  own(App.setBaseline),
			},
			{Keys: []string{"B"}, Label: "B", Doc: "swap the baseline and the current settings", Do: own(App.swapBaseline)},
			{
				Keys: []string{"C"}, Label: "C", Hint: "C chain",
				Doc: "the chain from reward to loss: length penalty, groups admitted, samples kept, advantage, weight in the loss",
				Do:  view.Ask(view.Push{View: view.Chain}),
			},
			{
				Keys: []string{"c"}, Label: "c",
				Doc: "compare the two runs that were opened, prompt by prompt",
				Do:  view.Ask(view.Push{View: view.Compare}),
			},
			{
				Keys: []string{"L"}, Label: "L",
				Doc: "the prompts over all steps: which of them teach, are solved, hopeless or suspect",
				Do:  view.Ask(view.Push{View: view.Prompts}),
			},
			{
				Keys: []string{"R"}, Label: "R",
				Doc: "the ratios of trainer to sampler: how off-policy the samples are, why, and what each rule would keep",
				Do:  view.Ask(view.Push{View: view.OffPolicy}),
			},
			{
				Keys: []string{"S"}, Label: "S", Hint: "S sweep",
				Doc: "map of every pair of keep ratios",
				Do:  view.Ask(view.Push{View: view.Sweep}),
			},
			{
				Keys: []string{"u"}, Label: "u", Hint: "u undo",
				Doc: "undo the last change of settings, filter or order",
				Do:  own(App.undo),
			},
			{Keys: []string{"ctrl+r"}, Label: "^R", Doc: "redo", Do: own(App.redo)},
		}},
		{Name: "steps", Bindings: []view.Binding{
			{Keys: []string{"["}, Label: "[", Hint: "[ ] step", Doc: "previous step", Do: view.Ask(view.MoveStep(-1))},
			{Keys: []string{"]"}, Label: "]", Doc: "next step", Do: view.Ask(view.MoveStep(1))},
			{Keys: []string{"{"}, Label: "{", Doc: "ten steps back", Do: view.Ask(view.MoveStep(-10))},
			{Keys: []string{"}"}, Label: "}", Doc: "ten steps forward", Do: view.Ask(view.MoveStep(10))},
			{
				Keys: []string{">"}, Label: ">",
				Doc: "more steps together: the last 10 up to this one, then all; `:scope last 20` as many",
				Do:  own(move(App.moveScope, 1)),
			},
			{Keys: []string{"<"}, Label: "<", Doc: "fewer steps: the last 10, then this step alone", Do: own(move(App.moveScope, -1))},
			{Keys: []string{"F"}, Label: "F", Hint: "F newest", Doc: "follow the newest step", Do: own(App.followNewest)},
			{
				Keys: []string{"D"}, Label: "D",
				Doc: "draw a metric over all steps: a list of all to search",
				Do:  view.Ask(view.Push{View: view.FigureList}),
			},
		}},
		{Name: "program", Bindings: []view.Binding{
			{
				Keys: []string{"0"}, Label: "0", Hint: "0 run",
				Doc: "the run at a glance: what ails it, what trains, which groups are dead, the worst steps and why",
				Do:  own(App.openGlance),
			},
			{
				Keys: []string{":"}, Label: ":", Hint: ": command",
				Doc: "type a command: step 120, est rloo, keep pos 0.7, export md, …",
				Do:  own(func(a App) App { a.views.command.text = ""; return a.openLine(view.Command) }),
			},
			{
				Keys: []string{"y"}, Label: "y", Hint: "y copy",
				Doc: "copy the table, the group, the screen or the flags, to the clipboard and a file",
				Do:  own(App.openCopy),
			},
			{
				Keys: []string{"!"}, Label: "!",
				Doc: "how the log was read, and what could not be read",
				Do:  view.Ask(view.Push{View: view.Problems}),
			},
			{Keys: []string{"t"}, Label: "t", Doc: "next theme", Do: own(App.nextTheme)},
			{
				Keys: []string{"?"}, Label: "?", Hint: "? help",
				Doc: "explain the item under the cursor, the signs and the keys; type to search; again: the current estimator",
				Do:  own(App.toggleHelp),
			},
			{Keys: []string{"esc"}, Label: "Esc", Doc: "back to the previous view; never quits", Do: view.Ask(view.Escape{})},
			{
				Keys: []string{"ctrl+l"}, Label: "^L",
				Doc: "redraw the screen",
				Do:  own(func(a App) App { return a.starts(tea.ClearScreen) }),
			},
			{Keys: []string{"ctrl+z"}, Label: "^Z", Doc: "suspend; fg resumes", Do: own(App.suspend)},
			{Keys: []string{"q", "ctrl+c"}, Label: "q ^C", Hint: "q quit", Doc: "quit", Do: own(App.quit)},
		}},
	}
}

// typingKeys returns the common keys that still work where characters are typed.
func typingKeys() []view.Binding {
	return []view.Binding{
		{Keys: []string{"ctrl+z"}, Label: "^Z", Doc: "suspend; fg resumes", Do: own(App.suspend)},
		{Keys: []string{"ctrl+c"}, Label: "^C", Hint: "^C quit", Doc: "quit", Do: own(App.quit)},
	}
}

// allKeys returns those of every view, then the common ones.
func allKeys() (all []view.Section) {
	var v views
	for name := range view.Name(view.Count) {
		all = append(all, v.at(name).Keys())
	}
	return append(append(all, commonKeys()...), lineKeys())
}
