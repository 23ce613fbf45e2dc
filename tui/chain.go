package tui

import (
	"fmt"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// chainState is where in the view of the chain the person is.
type chainState struct {
	stage int // under the cursor
	line  int // the first line in sight of what it means
}

// chainStage is a stage between the reward of a sample and its weight in the loss.
type chainStage struct {
	name   string
	choice func(App) string                       // what is set
	effect func(App, *analysis.Analysis) []string // what it does to the step
	move   func(App, int) App                     // to the next choice or the one before; nil: elsewhere
	how    string                                 // how it is set, where left and right do not
	about  func(App) []paragraph                  // what the choice means
	active func(App) bool                         // whether it changes anything
	off    []model.Option                         // settings that turn it off; nil if nothing does
}

// paragraph is a text with its heading.
type paragraph struct{ heading, text string }

// chainStages returns the stages in the order in which a trainer goes through them.
func chainStages() []chainStage {
	return []chainStage{
		{name: "reward", choice: App.rewardWords, effect: rewardEffect, how: ":reward selects another column, or a weighted sum", active: always},
		{
			name: "length penalty", choice: func(a App) string { return a.settings.now.Overlong }, effect: overlongEffect,
			move: moveChoice("overlong"), about: App.overlongAbout, active: func(a App) bool { return a.settings.now.Overlong != "" },
			off: []model.Option{{Name: "overlong", Value: "none"}},
		},
		{
			name: "groups admitted", choice: func(a App) string { return a.settings.now.GroupFilter }, effect: admissionEffect,
			move: moveChoice("group_filter"), about: App.groupFilterAbout, active: func(a App) bool { return a.settings.now.GroupFilter != "" }, off: []model.Option{{Name: "group_filter", Value: "none"}},
		},
		{
			name: "samples kept", choice: App.keepWords, effect: keepEffect, how: "p P m M r change the ratios, S shows the effect of all", active: func(a App) bool { return a.settings.now.Effective().Filtering() },
			off: []model.Option{{Name: "keep_pos_ratio", Value: "1"}, {Name: "keep_neg_ratio", Value: "1"}, {Name: "compute_new_adv", Value: "false"}},
		},
		{
			name: "advantage", choice: func(a App) string {
				return fmt.Sprintf("%s %s, scale %s", a.settings.now.Framework, a.settings.now.Estimator, a.settings.now.Scale)
			}, effect: advantageEffect,
			move: App.moveEstimator, about: App.estimatorAbout, active: always,
		},
		{
			name: "weight in the loss", choice: func(a App) string { return a.settings.now.Loss }, effect: lossEffect,
			move: moveChoice("loss"), about: App.lossAbout, active: func(a App) bool { return a.settings.now.Loss != "" }, off: []model.Option{{Name: "loss", Value: "none"}},
		},
	}
}

func always(App) bool { return true }

func chainKeys() keySection {
	return keySection{"chain", []binding{
		{[]string{"j", "down"}, "j ↓", "j k stage", "next stage", func(a App) App { return a.moveRow(onStage, 1) }},
		{[]string{"k", "up"}, "k ↑", "", "previous stage", func(a App) App { return a.moveRow(onStage, -1) }},
		{[]string{"l", "right", "enter"}, "→", "← → choice", "next choice of the stage", move(App.moveStageChoice, 1)},
		{[]string{"h", "left"}, "←", "", "previous choice", move(App.moveStageChoice, -1)},
		{[]string{"ctrl+d", "pgdown"}, "^D", "^D text", "a page of the text below down", move(App.scrollStage, 1)},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page of the text below up", move(App.scrollStage, -1)},
		{[]string{"0", "backspace"}, "0", "0 off", "turn the stage off", App.clearStage},
		{[]string{"v"}, "v", "v parts", "break the figures down by difficulty, length, fate or a column", App.openBreakdown},
		{[]string{"esc", "C"}, "Esc", "Esc back", "back", App.escape},
	}}
}

func (a App) openChain() App { return a.pushView(viewChain) }

// stageMoved shows the text on another stage from its beginning.
func (a App) stageMoved() App {
	a.chain.line = 0
	return a
}

// stagePane returns where the text on the stage under the cursor is, in a view of w×h cells, and its lines.
func (a App) stagePane(w, h int) (layout.Rect, []string) {
	r := layout.Rect{W: w, H: h - min(len(chainStages())+2, h)}
	return r, a.stagePage(chainStages()[a.chain.stage], min(r.Inner().W-1, maxProseWidth))
}

// scrollStage scrolls the text on the stage by pages, no further than until its last line is at the bottom.
func (a App) scrollStage(pages int) App {
	r, lines := a.stagePane(a.display.w, a.display.h-len(a.header(a.display.w))-1)
	visible := max(1, r.Inner().H)
	a.chain.line = clampIndex(a.chain.line+pages*max(1, visible-1), max(1, len(lines)-visible+1))
	return a
}

func (a App) moveStageChoice(by int) App {
	s := chainStages()[a.chain.stage]
	if s.move == nil {
		a.notice = s.name + ": " + s.how
		return a
	}
	return s.move(a, by)
}

func (a App) clearStage() App {
	off := chainStages()[a.chain.stage].off
	if off == nil {
		a.notice = "this stage cannot be turned off"
		return a
	}
	set := a.settings.now
	for _, o := range off {
		set, _ = set.Set(o.Name, o.Value)
	}
	return a.switchTo(set)
}

// moveChoice returns the move through the values of a setting, of which the first is "none".
func moveChoice(setting string) func(App, int) App {
	return func(a App, by int) App {
		s, _ := model.FindSetting(setting)
		all := s.Values(a.settings.now)
		next := all[(max(0, slices.Index(all, s.Get(a.settings.now)))+by+len(all))%len(all)]
		set, err := a.settings.now.Set(setting, next)
		if err != nil {
			a.notice = err.Error()
			return a
		}
		return a.switchTo(set)
	}
}

func (a App) moveEstimator(by int) App {
	if by > 0 {
		return a.nextEstimator()
	}
	list := estimatorsOf(a.settings.now.Framework)
	at := slices.IndexFunc(list, func(e *estimators.Estimator) bool { return e.Name == a.settings.now.Estimator })
	for i := 1; i <= len(list); i++ {
		if e := list[(at-i+len(list))%len(list)]; a.snap.Missing(e) == nil {
			return a.switchTo(a.settings.now.WithEstimator(e.Name))
		}
	}
	return a
}

// chainView draws the stages, and below what the one under the cursor means.
func (a App) chainView(w, h int) []string {
	stages := chainStages()
	above := min(len(stages)+2, h)
	lines := a.box(layout.Rect{W: w, H: above}, true, a.stageTable(w-2))
	if r, text := a.stagePane(w, h); r.H > 0 {
		c := paneContent{title: " " + stages[a.chain.stage].name}.scrolledTo(a.chain.line, text, r.H)
		lines = append(lines, a.box(r, false, c)...)
	}
	return cells.FitLines(lines, w, h)
}

// stageTable has a line per stage: what is set, and what it does to the step.
func (a App) stageTable(w int) paneContent {
	t := a.display.theme
	const name = 20
	stages, choice := chainStages(), 0
	words := make([]string, len(stages))
	for i, s := range stages {
		if words[i] = s.choice(a); words[i] == "" {
			words[i] = "none"
		}
		choice = min(max(choice, cells.Width(words[i])+2), max(16, w-name-22))
	}
	c := paneContent{title: " the chain of " + a.scopeWords() + ", from reward to loss"}
	for i, s := range stages {
		role := themes.Accent
		if !s.active(a) {
			role = themes.Dim
		}
		line := " " + cells.Fit(s.name, name) + t.Paint(role, cells.Fit(words[i], choice)) + cells.JoinFitting(max(0, w-name-choice-2), "  ", s.effect(a, a.result.analysis)...)
		a.addRow(&c, target{onStage, i}, line, w, i == a.chain.stage)
	}
	return c
}

func (a App) stagePage(s chainStage, w int) []string {
	t := a.display.theme
	var lines []string
	if s.about != nil {
		for _, p := range s.about(a) {
			if p.text == "" {
				continue
			}
			lines = append(lines, " "+t.Paint(themes.Title, p.heading))
			for _, line := range cells.Wrap(p.text, w-3) {
				lines = append(lines, "   "+line)
			}
		}
	}
	if s.how != "" {
		lines = append(lines, " "+t.Paint(themes.Dim, s.how))
	}
	return lines
}

func (a App) rewardWords() string {
	switch set := a.settings.now; {
	case set.Reward != "":
		return sanitize.Line(set.Reward)
	case set.Weights != "":
		return sanitize.Line(string(set.Weights))
	}
	return "as logged"
}

func (a App) keepWords() string {
	set := a.settings.now.Effective()
	if !set.Filtering() {
		return ""
	}
	text := fmt.Sprintf("pos %s  neg %s", units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2))
	if set.Recompute {
		text += "  recompute"
	}
	return text
}

func rewardEffect(_ App, x *analysis.Analysis) []string {
	return []string{"mean " + headerReward(x.LoggedMean()), units.Plural(x.Rows, "samples"), units.Plural(x.Groups, "groups")}
}

func overlongEffect(a App, x *analysis.Analysis) []string {
	switch {
	case a.settings.now.Overlong == "":
		return nil
	case x.WhyUnshaped() != "":
		return []string{x.WhyUnshaped()}
	}
	return []string{units.Fraction(x.Shaped(), x.Rows) + " lowered", "mean " + headerReward(x.Metric("critic/score/mean"))}
}

func admissionEffect(a App, x *analysis.Analysis) []string {
	text := units.Fraction(x.AdmittedGroups, x.Groups) + " groups"
	if a.settings.now.GroupFilter == "" || x.AdmittedGroups == 0 {
		return []string{text}
	}
	return []string{text, "refill " + units.Times(x.Metric("vantage/refill"))}
}

func keepEffect(_ App, x *analysis.Analysis) []string {
	return []string{units.Fraction(x.Kept, x.Rows) + " samples", "Σ|A| " + units.Times(x.Metric("vantage/abs_advantage_ratio"))}
}

func advantageEffect(_ App, x *analysis.Analysis) []string {
	return []string{"A≠0 " + units.Fraction(x.Nonzero, x.Rows), "signal " + units.Fraction(x.Signal, x.Groups)}
}

func lossEffect(a App, x *analysis.Analysis) []string {
	switch {
	case a.settings.now.Loss == "":
		return nil
	case x.LossWeights == nil:
		return []string{x.NoLoss}
	}
	return []string{
		"Σw|A| " + units.Short(x.Metric("vantage/loss/mass")), "−/+ " + units.Times(x.Metric("vantage/loss/negative_to_positive")),
		"dilution " + units.Times(x.Metric("vantage/loss/dilution")), fmt.Sprintf("longest quarter %.0f%%", 100*x.Metric("vantage/loss/longest_quarter")),
	}
}

// optionParagraphs describes options and their values.
func optionParagraphs(list []estimators.Option, given estimators.Options) []paragraph {
	var all []paragraph
	for _, o := range list {
		value := o.Default
		for key, v := range given.All() {
			if option, found := estimators.FindOption(list, key); found && option.Key == o.Key {
				value = v
			}
		}
		all = append(all, paragraph{":option " + o.Key + "=" + value, o.Meaning})
	}
	return all
}

func (a App) groupFilterAbout() []paragraph {
	f, _, err := a.settings.now.FindGroupFilter()
	if f == nil || err != nil {
		return []paragraph{{"group filters", "Trainers with dynamic sampling drop groups without signal and generate others in their place. " +
			"→ selects a rule, those of " + a.settings.now.Framework + " first."}}
	}
	all := []paragraph{{"admitted if", f.Formula}, {"notes", f.Doc}}
	return append(append(all, optionParagraphs(f.Options, a.settings.now.StageOptions)...), paragraph{"in the trainer", f.Setting()}, paragraph{"source", f.Source})
}

func (a App) lossAbout() []paragraph {
	l, _, err := a.settings.now.FindLoss()
	if l == nil || err != nil {
		return []paragraph{{"losses", "How a trainer averages the loss over tokens and samples decides how much long and short responses weigh. " +
			"→ selects a loss, those of " + a.settings.now.Framework + " first."}}
	}
	all := []paragraph{{"weight of a sample", l.Formula}, {"notes", l.Doc}}
	return append(append(all, optionParagraphs(l.Options, a.settings.now.StageOptions)...), paragraph{"in the trainer", l.Key + "=" + l.Value}, paragraph{"source", l.Source})
}

func (a App) overlongAbout() []paragraph {
	s, _, err := a.settings.now.FindOverlong()
	if s == nil || err != nil {
		return []paragraph{{"length penalties", "Some trainers lower the reward of responses close to the length limit. If the logged rewards already include this " +
			"penalty, leave this stage off, or it is applied twice. → selects a rule, those of " + a.settings.now.Framework + " first."}}
	}
	all := []paragraph{{"reward used", s.Formula}, {"notes", s.Doc}}
	return append(append(all, optionParagraphs(s.Options, a.settings.now.StageOptions)...), paragraph{"in the trainer", s.Key + "=" + s.Value}, paragraph{"source", s.Source})
}

func (a App) estimatorAbout() []paragraph {
	e, err := a.settings.now.FindEstimator()
	if err != nil {
		return nil
	}
	return []paragraph{{"formula", e.Formula}, {"notes", e.Doc}, {"source", e.Source}}
}
