// Package chain is the view of the stages from the reward of a sample to its weight in the loss.
package chain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/layout"
	"vantage/tui/mirror"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// View is where in the view of the chain the person is.
type View struct {
	stage int // under the cursor
	Line  int // the first line in sight of what it means
}

// chainStage is a stage between the reward of a sample and its weight in the loss.
type chainStage struct {
	name          string
	off           string // what it is when nothing is chosen
	how           string // it is set, where left and right do not
	setting       string // that names what a trainer has of it; "": other settings change it
	formula       string // what the formula of that is
	choice, about string // what there is to choose from, and what it does
}

// chainStages returns the stages in the order in which a trainer goes through them.
func chainStages() []chainStage {
	return []chainStage{
		{name: "reward", how: ":reward selects another column, or a weighted sum"},
		{
			name: "length penalty", off: "no penalty", setting: "overlong", formula: "reward used", choice: "length penalties",
			about: "Some trainers lower the reward of responses close to the length limit. If the logged rewards already include this penalty, " +
				"leave this stage off, or it is applied twice. → selects a rule",
		},
		{
			name: "groups admitted", off: "no filter", setting: "group_filter", formula: "admitted if", choice: "group filters",
			about: "Trainers with dynamic sampling drop groups without signal and generate others in their place. → selects a rule",
		},
		{name: "samples kept", off: "no filter", how: "p P m M r change the ratios, S shows the effect of all"},
		{name: "advantage"},
		{
			name: offPolicyRule, off: "no rule", setting: "off_policy", formula: "what stays", choice: "off-policy rules",
			about: "Trainers sample with one engine and train with another, often versions later. A rule weighs, masks or drops samples by how " +
				"far the two are apart. It needs a log with log-probs of both. → selects a rule",
		},
		{
			name: "weight in the loss", off: "not chosen", setting: "loss", formula: "weight of a sample", choice: "losses",
			about: "How a trainer averages the loss over tokens and samples decides how much long and short responses weigh. → selects a loss",
		},
	}
}

// offPolicyRule is the name of its stage.
const offPolicyRule = "off-policy rule"

// chosen says what is set of a stage; "": nothing, so that it changes nothing.
func (s chainStage) chosen(set model.Settings) string {
	switch s.name {
	case "reward":
		return cmp.Or(
			sanitize.Line(set.Reward), strings.TrimSuffix(strings.ReplaceAll(sanitize.Line(string(set.Weights))+",", "=1,", ","), ","),
			"as logged",
		)
	case "advantage":
		return fmt.Sprintf("%s, scale %s", set.Computes(), set.Scale)
	case "samples kept":
		if set = set.Effective(); !set.Filtering() {
			return ""
		}
		text := fmt.Sprintf("pos %s  neg %s", units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2))
		if set.Recompute {
			text += "  recompute"
		}
		return text
	}
	if setting, _ := model.FindSetting(s.setting); setting.Get(set) != "none" {
		return setting.Get(set)
	}
	return ""
}

// Rows makes the stages a list.
func (s *View) Rows(env.Env) (*int, int) { return &s.stage, len(chainStages()) }

// OpenRow takes the next choice of the stage.
func (s *View) OpenRow(e env.Env) view.Want { return s.moveChoice(e, 1) }

// OnRow goes to the beginning of what the stage means.
func (s *View) OnRow(env.Env) view.Want {
	s.Line = 0
	return nil
}

// OnMouse has the wheel go from stage to stage.
func (s *View) OnMouse(e env.Env, m view.Mouse) (view.Want, bool) {
	if m.Wheel == 0 || m.On.Kind != pane.OnBody {
		return nil, false
	}
	return view.MoveRow(s, e, m.Wheel), true
}

// Keys of the chain.
func (*View) Keys() view.Section {
	return view.Section{Name: "chain", Bindings: []view.Binding{
		{Keys: []string{"j", "down"}, Label: "j ↓", Hint: "j k stage", Doc: "next stage", Do: view.By((*View).moveStage, 1)},
		{Keys: []string{"k", "up"}, Label: "k ↑", Doc: "previous stage", Do: view.By((*View).moveStage, -1)},
		{
			Keys: []string{"l", "right", "enter"}, Label: "→", Hint: "← → choice",
			Doc: "next choice of the stage",
			Do:  view.By((*View).moveChoice, 1),
		},
		{Keys: []string{"h", "left"}, Label: "←", Doc: "previous choice", Do: view.By((*View).moveChoice, -1)},
		{
			Keys: []string{"ctrl+d", "pgdown"}, Label: "^D", Hint: "^D text",
			Doc: "a page of the text below down",
			Do:  view.By((*View).scroll, 1),
		},
		{Keys: []string{"ctrl+u", "pgup"}, Label: "^U", Doc: "a page of the text below up", Do: view.By((*View).scroll, -1)},
		{Keys: []string{"-", "backspace"}, Label: "-", Hint: "- off", Doc: "turn the stage off", Do: view.Key((*View).clear)},
		{
			Keys: []string{"i"}, Label: "i", Hint: "i parts",
			Doc: "break the metrics down by difficulty, length, fate or a column",
			Do:  view.Ask(view.Push{View: view.Breakdown}),
		},
		{Keys: []string{"esc", "C"}, Label: "Esc", Hint: "Esc back", Doc: "back", Do: view.Ask(view.Escape{})},
	}}
}

// The text on a stage is next to its chart from this width on, if it has at least so many lines.
const widthForStageBeside, minStagePage = 110, 4

// heightForStageChart is from how many lines a chart stands above the text on a stage.
const heightForStageChart = 8

// Pane returns where the text on the stage under the cursor is, in a view of w×h cells, and its lines; those begin with what the
// stage does unless that stands beside them.
func (s View) Pane(e env.Env, w, h int) (layout.Rect, []string) {
	r := layout.Rect{W: w, H: h - min(len(chainStages())+2, h)}
	stage := chainStages()[s.stage]
	if page := stagePage(e, stage, min(w/2-3, pane.MaxProseWidth)); w >= widthForStageBeside && len(page) >= minStagePage {
		r.W = w / 2
		return r, page
	}
	page := stagePage(e, stage, min(r.Inner().W-1, pane.MaxProseWidth))
	if h := r.Inner().H; h >= heightForStageChart {
		page = append(stageChart(e, stage, r.Inner().W, max(min(max(6, h*2/3), 10), h-len(page))), page...)
	}
	return r, page
}

// stageChart draws in lines of w cells what a stage does to the step: what there is before it upwards, and what there is after it
// downwards if that differs.
func stageChart(e env.Env, s chainStage, w, h int) []string {
	x := e.Result.Analysis
	if x == nil {
		return nil
	}
	before, after := x.LoggedRewards, x.LoggedRewards
	var all, use []bool // of them; nil: all
	what := "reward"
	switch s.name {
	case "length penalty":
		after = x.Rewards
	case "groups admitted":
		use = make([]bool, x.Rows)
		for g := range x.Table {
			for i := x.Table[g].Start; i < x.Table[g].End; i++ {
				use[i] = x.Table[g].Fate != model.FateSkipped
			}
		}
	case "samples kept":
		what, before, after, use = "advantage", x.Unfiltered, x.Unfiltered, x.Keep
	case "advantage":
		what, before, after, use = "advantage", x.Unfiltered, x.Processed, x.Keep
	case offPolicyRule:
		what, before, after, use = "advantage", make([]float64, x.Rows), x.Processed, x.Keep
		for i := range before {
			before[i] = x.BeforePolicy(i)
		}
	case "weight in the loss":
		if x.LossWeights == nil {
			return nil
		}
		what, before, after, all, use = "weight of kept samples", x.LossWeights, x.LossWeights, x.Keep, x.Keep
	}
	width := mirror.OddWidth(w)
	lo, hi := chart.Range(before)
	least, most := chart.Range(after)
	lo, hi = min(lo, least), max(hi, most)
	axis := chart.SymmetricAxis(max(-lo, hi))
	bins, ruler := chart.Bin, mirror.AxisRuler(axis, width) // which leaves out those at 0: they are counted beside the chart
	isAdvantage := what == "advantage"
	n := width
	if !isAdvantage {
		axis, bins = chart.Axis{Lo: lo, Hi: hi}.Widened(), chart.BinWithZeros
		ruler = cells.Justify(units.Short(axis.Lo), units.Short(axis.Hi), width)
		if whole, count, ok := chart.WholeAxis(slices.Concat(before, after), width); ok {
			axis, n, ruler = whole, count, whole.BarLabels(count, width)
		}
	}
	m := mirror.Twins{Upper: bins(axis, n, before, all), Lower: bins(axis, n, after, use)}.Apart()
	upper, lower := what+" before ", what+" after  "
	if m.Same {
		upper = what + " "
	}
	lines := []string{" " + mirror.Moments(e, upper, m.Upper, isAdvantage, w-1)}
	var under []string
	if !m.Same {
		under = append(under, " "+mirror.Moments(e, lower, m.Lower, isAdvantage, w-1))
	}
	lines = append(lines, mirror.Lines(e, false, m.Upper, m.Lower, ruler, width, h-1-len(under))...)
	return append(lines, under...)
}

// scroll scrolls the text on the stage by pages, no further than until its last line is at the bottom.
func (s *View) scroll(e env.Env, pages int) view.Want {
	r, lines := s.Pane(e, e.Display.W, e.Display.BodyHeight())
	visible := max(1, r.Inner().H)
	s.Line = pane.ClampIndex(s.Line+pages*max(1, visible-1), max(1, len(lines)-visible+1))
	return nil
}

func (s *View) moveStage(e env.Env, by int) view.Want { return view.MoveRow(s, e, by) }

func (s *View) moveChoice(e env.Env, by int) view.Want {
	stage, set := chainStages()[s.stage], e.Settings.Now
	switch setting, ok := model.FindSetting(stage.setting); {
	case stage.name == "advantage":
		return view.NextEstimator(by)
	case !ok:
		return view.Say(stage.name + ": " + stage.how)
	default: // through the values, of which the first is "none"
		all := setting.Values(set)
		at := max(0, slices.Index(all, setting.Get(set)))
		return withOptions(e, model.Option{Name: stage.setting, Value: all[(at+by+len(all))%len(all)]})
	}
}

func (s *View) clear(e env.Env) view.Want {
	switch stage := chainStages()[s.stage]; {
	case stage.setting != "":
		return withOptions(e, model.Option{Name: stage.setting, Value: "none"})
	case stage.name == "samples kept":
		return withOptions(
			e, model.Option{Name: "keep_pos_ratio", Value: "1"}, model.Option{Name: "keep_neg_ratio", Value: "1"},
			model.Option{Name: "compute_new_adv", Value: "false"},
		)
	}
	return view.Say("this stage cannot be turned off")
}

// withOptions switches to the settings with these options.
func withOptions(e env.Env, options ...model.Option) view.Want {
	set := e.Settings.Now
	for _, o := range options {
		var err error
		if set, err = set.Set(o.Name, o.Value); err != nil {
			return view.Say(err.Error())
		}
	}
	return view.UseEffective{Settings: set}
}

// Draw draws the stages, and below them the one under the cursor.
func (s *View) Draw(e env.Env, w, h int) []string {
	stages := chainStages()
	above := min(len(stages)+2, h)
	lines := e.Display.Box(layout.Rect{W: w, H: above}, true, s.table(e, w-2))
	if r, text := s.Pane(e, w, h); r.H > 0 {
		stage := stages[s.stage]
		below := e.Display.Box(r, false, pane.Content{Title: " " + stage.name}.ScrolledTo(s.Line, text, r.H))
		if beside := (layout.Rect{W: w - r.W, H: r.H}); beside.W > 0 {
			c := pane.Content{
				Title: " " + stage.name + " of " + e.ScopeWords(),
				Lines: stageChart(e, stage, beside.Inner().W, beside.Inner().H),
			}
			below = pane.JoinColumns(below, e.Display.Box(beside, false, c))
		}
		lines = append(lines, below...)
	}
	return cells.FitLines(lines, w, h)
}

// table has a line per stage: what is set, and what it does to the step.
func (s View) table(e env.Env, w int) pane.Content {
	t := e.Display.Theme
	const name = 20
	stages, choice, set := chainStages(), 0, e.Settings.Now
	words := make([]string, len(stages))
	for i, stage := range stages {
		words[i] = cmp.Or(stage.chosen(set), stage.off)
		choice = min(max(choice, cells.Width(words[i])+2), max(16, w-name-22))
	}
	c := pane.Content{Title: " the chain of " + e.ScopeWords() + ", from reward to loss"}
	for i, stage := range stages {
		role := themes.Accent
		if stage.chosen(set) == "" {
			role = themes.Dim
		}
		effect := cells.JoinFitting(max(0, w-name-choice-2), "  ", stage.effect(set, e.Result.Analysis)...)
		line := " " + cells.Fit(stage.name, name) + t.Paint(role, cells.Fit(cells.Truncate(words[i], choice-2), choice)) + effect
		e.Display.AddRow(&c, pane.Target{Kind: pane.OnRow, N: i}, line, w, i == s.stage)
	}
	return c
}

func stagePage(e env.Env, s chainStage, w int) []string {
	t, set := e.Display.Theme, e.Settings.Now
	var lines []string
	part := func(heading, text string) { lines = append(lines, e.Display.Paragraph(heading, text, w-3)...) }
	switch estimator, err := set.FindEstimator(); {
	case s.setting != "":
		of := set.Stage(s.setting)
		if of == nil {
			part(s.choice, s.about+s.offered(set))
			break
		}
		if isOwn := of.Framework == estimators.Newest(set.Framework); !isOwn && !set.Assumed {
			part("whose", fmt.Sprintf("the rule of %s, tried on a log of %s", estimators.Title(of.Framework), set.Trainer()))
		}
		part(s.formula, of.Formula)
		part("notes", of.Doc)
		for _, o := range of.Options {
			value := o.Default
			for key, v := range set.StageOptions.All() {
				if option, found := estimators.FindOption(of.Options, key); found && option.Key == o.Key {
					value = v
				}
			}
			part(":option "+o.Key+"="+value, o.Meaning)
		}
		part("in the trainer", of.Setting())
		part("source", of.Source)
	case s.name == "advantage" && err == nil:
		part("formula", estimator.Formula)
		part("notes", estimator.Doc)
		part("source", estimator.Source)
	}
	if s.how != "" {
		lines = append(lines, " "+t.Paint(themes.Dim, s.how))
	}
	return lines
}

// offered says of whom the choices are.
func (s chainStage) offered(set model.Settings) string {
	setting, _ := model.FindSetting(s.setting)
	isOwn := func(choice string) bool { return strings.HasPrefix(choice, estimators.Newest(set.Framework)+"/") }
	switch {
	case set.Assumed:
		return ", of any trainer: which one wrote the log is not known."
	case slices.ContainsFunc(setting.Values(set), isOwn):
		return ", those of " + set.Trainer() + " first."
	}
	return ". " + set.Trainer() + " has none: those of other trainers can be tried on its log."
}

func (s chainStage) effect(set model.Settings, x *analysis.Analysis) []string {
	switch s.name {
	case "reward":
		return []string{"mean " + env.HeaderReward(x.LoggedMean()), units.Plural(x.Rows, "samples"), units.Plural(x.Groups, "groups")}
	case "length penalty":
		if why := x.WhyUnshaped(); set.Overlong != "" && why == "" {
			return []string{
				"mean " + env.HeaderReward(x.LoggedMean()) + " → " + env.HeaderReward(x.Metric("critic/score/mean")),
				units.Fraction(x.Shaped(), x.Rows) + " lowered",
			}
		} else if set.Overlong != "" {
			return []string{why}
		}
	case "groups admitted":
		if set.GroupFilter != "" && x.AdmittedGroups > 0 {
			return []string{fromTo("groups", x.Groups, x.AdmittedGroups), stepFigureText(x, "refill")}
		} else if set.GroupFilter != "" {
			return []string{fromTo("groups", x.Groups, 0)}
		}
	case "samples kept":
		return keptEffect(set, x)
	case "advantage":
		return []string{stepFigureText(x, "train"), stepFigureText(x, "signal")}
	case offPolicyRule:
		return policyEffect(set, x)
	case "weight in the loss":
		return lossEffect(set, x)
	}
	return nil
}

func keptEffect(set model.Settings, x *analysis.Analysis) (kept []string) {
	removed, _ := x.Corrected() // by the rule that comes later
	if n := x.Kept + removed; n < x.Rows || set.Effective().Filtering() {
		kept = []string{
			fromTo("samples", x.Rows, n), fromTo("signal", x.Signal+x.Fates[model.FateKilled], x.Signal), stepFigureText(x, "Σ|A|"),
		}
	}
	if not := x.Statuses.NotTraining(); not != "" {
		kept = append(kept, not+" by the log")
	}
	return kept
}

func lossEffect(set model.Settings, x *analysis.Analysis) []string {
	switch {
	case set.Loss == "":
		return nil
	case x.LossWeights == nil:
		return []string{x.NoLoss}
	}
	return []string{
		stepFigureText(x, "Σw|A|"), stepFigureText(x, "−/+"), stepFigureText(x, "dilution"),
		fmt.Sprintf("longest quarter %.0f%%", 100*x.Metric("vantage/loss/longest_quarter")),
	}
}

func policyEffect(set model.Settings, x *analysis.Analysis) []string {
	switch {
	case set.OffPolicy == "":
		return nil
	case x.Judgements() == nil:
		return []string{x.WhyUncorrected()}
	}
	return model.Mapped([]string{"removed", "tokens kept", "mean w", "Σ|A|", "unjudged"},
		func(name string) string { return stepFigureText(x, name) })
}

func stepFigureText(x *analysis.Analysis, name string) string {
	f, _ := figures.Find(figures.Steps(), name)
	return name + " " + f.Value(&x.StepFigures).String()
}

func fromTo(name string, before, after int) string {
	if before == after {
		return name + " " + units.Count(after) + " as before"
	}
	return name + " " + units.Count(before) + " → " + units.Count(after)
}

// Explains returns the figures of the stage under the cursor, then those of the others.
func (s *View) Explains(env.Env) glossary.List {
	stages := [][]string{
		{"reward", "samples", "groups"},
		{"lowered"},
		{"admitted", "refill"},
		{"kept", "Σ|A|"},
		{"train", "signal"},
		{"removed", "tokens kept", "mean w", "unjudged"},
		{"Σw|A|", "−/+", "dilution", "longest quarter"},
	}
	l := glossary.List{}.At(figures.Step, stages[s.stage]...)
	for _, names := range stages {
		l = l.At(figures.Step, names...)
	}
	return l.At(figures.OffPolicy, "rule")
}
