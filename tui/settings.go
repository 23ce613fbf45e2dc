package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
)

// ratioStep is how far one key press moves a ratio.
const ratioStep = 0.05

// trySettings computes under set. If the trainer would refuse it, its message is shown
// and nothing changes.
func (a App) trySettings(set model.Settings) App { return a.applyUnless(set.Validate(), set) }

// switchTo is trySettings for another framework, estimator or scale: filter settings that
// it does not support are kept but have no effect, instead of being refused.
func (a App) switchTo(set model.Settings) App { return a.applyUnless(set.Effective().Validate(), set) }

func (a App) applyUnless(err error, set model.Settings) App {
	if err != nil {
		return a.says(err.Error())
	}
	return a.change(func(s *undoState) { s.now = set })
}

// change changes the settings, the filter or the order; undo takes it back.
func (a App) change(of func(*undoState)) App {
	s := a.env.settings.undoState
	of(&s)
	return a.apply(a.env.settings.push(s))
}

// apply takes h as the settings, filter and order, and computes what differs.
func (a App) apply(h undoHistory) App {
	sameRows := h.filter == a.env.settings.filter && h.order == a.env.settings.order
	if a.env.settings = h; sameRows {
		return a
	}
	return a.rearrange()
}

func (a App) nextScale() App {
	entry, err := a.env.settings.now.FindEstimator()
	if err != nil {
		return a.says(err.Error())
	}
	if len(entry.Scales) == 1 {
		return a.says(entry.Title() + " has one scale only: " + string(entry.Scales[0]))
	}
	set := a.env.settings.now
	set.FromLog = false
	set.Scale = entry.Scales[(slices.Index(entry.Scales, set.Scale)+1)%len(entry.Scales)]
	return a.switchTo(set)
}

// moveRatio returns the action that moves a ratio by some steps along the grid of hundredths, within 0 and 1: to 0.35, not to
// 0.35000000000000003.
func moveRatio(of ratio, by float64) action {
	return func(a App) App {
		set := a.env.settings.now
		value := of.of(&set)
		*value = min(1, max(0, math.Round((*value+by*ratioStep)*100)/100))
		if set == a.env.settings.now {
			return a.says(fmt.Sprintf("%s is %.2f already", of.option(), *value))
		}
		return a.trySettings(set)
	}
}

func (a App) toggleRecompute() App {
	set := a.env.settings.now
	set.Recompute = !set.Recompute
	return a.trySettings(set)
}

func (a App) undo() App {
	h, last := a.env.settings, len(a.env.settings.past)-1
	if last < 0 {
		return a.says("nothing to undo")
	}
	return a.apply(undoHistory{h.past[last], h.past[:last], append(slices.Clip(h.next), h.undoState)})
}

func (a App) redo() App {
	h, last := a.env.settings, len(a.env.settings.next)-1
	if last < 0 {
		return a.says("nothing to redo")
	}
	return a.apply(undoHistory{h.next[last], append(slices.Clip(h.past), h.undoState), h.next[:last]})
}

// nextFramework switches to the next framework with an estimator that the log supports:
// that of the same name, if it does. It says which frameworks it skips.
func (a App) nextFramework() App {
	var skipped []string
	names := estimators.Frameworks()
	at := slices.Index(names, a.env.settings.now.Framework)
	for i := 1; i <= len(names); i++ {
		set := a.env.settings.now.WithFramework(names[(at+i)%len(names)])
		if set, ok := a.env.supported(set); ok {
			return a.switchToSkipping(set, skipped)
		}
		skipped = append(skipped, set.Trainer()+" (the log lacks what its estimators need)")
	}
	return a
}

// supported returns set if the log has all that its estimator needs, else set with the
// first such estimator of the framework; ok is false if there is none.
func (e env) supported(set model.Settings) (model.Settings, bool) {
	if entry, err := set.FindEstimator(); err == nil && e.snap.Missing(entry) == nil {
		return set, true
	}
	for _, estimator := range estimators.Of(set.Framework) {
		if e.snap.Missing(estimator) == nil {
			return set.WithEstimator(estimator.Name), true
		}
	}
	return set, false
}

// moveEstimator switches to the next estimator of the framework that the log supports, and says which it skips and why; for a
// negative by to the previous one.
func (a App) moveEstimator(by int) App {
	var skipped []string
	all := estimators.Of(a.env.settings.now.Framework)
	at := slices.IndexFunc(all, func(e *estimators.Estimator) bool { return e.Name == a.env.settings.now.Estimator })
	for i := range all {
		e := all[(at+by*(i+1)+len(all))%len(all)]
		why := a.env.snap.Missing(e)
		switch {
		case why == nil:
			return a.switchToSkipping(a.env.settings.now.WithEstimator(e.Name), skipped)
		case by > 0:
			skipped = append(skipped, e.Name+" ("+why.Short()+")")
		}
	}
	return a
}

func (a App) switchToSkipping(set model.Settings, skipped []string) App {
	a = a.switchTo(set)
	if a.overlays.notice == "" && len(skipped) > 0 {
		a.overlays.notice = fmt.Sprintf("skipped %s; E lists all estimators and what each needs in the log", strings.Join(skipped, ", "))
	}
	return a
}

// undoState is what undo brings back.
type undoState struct {
	now    model.Settings
	base   baseline
	filter string // a query; "" shows all groups
	order  order
}

// undoHistory is the present state and those that undo and redo lead to, the nearest last.
// It is a value: the slices are never written in place.
type undoHistory struct {
	undoState
	past, next []undoState
}

// withProved returns h with the groups that the logged advantages prove in every state: they are a fact of
// the log, which undo does not take back.
func (h undoHistory) withProved(proved model.ProvedGroups) undoHistory {
	with := func(s undoState) undoState {
		s.now.Proved = proved
		if s.base.on {
			s.base.settings.Proved = proved
		}
		return s
	}
	return undoHistory{undoState: with(h.undoState), past: model.Mapped(h.past, with), next: model.Mapped(h.next, with)}
}

// maxUndo is how many changes can be undone: each change copies them.
const maxUndo = 100

func (h undoHistory) push(s undoState) undoHistory {
	if s == h.undoState {
		return h
	}
	return undoHistory{undoState: s, past: append(slices.Clip(h.past[max(0, len(h.past)-maxUndo+1):]), h.undoState)}
}

// hasChanges reports whether the person has changed anything but the order, even if it was
// undone.
func (h undoHistory) hasChanges() bool {
	differs := func(s undoState) bool {
		s.order = h.order
		return s != h.undoState
	}
	return slices.ContainsFunc(h.past, differs) || slices.ContainsFunc(h.next, differs)
}

// baseline is the settings that the present ones are compared with: A, those being B.
type baseline struct {
	on       bool
	settings model.Settings
}

// setBaseline makes the present settings the baseline, or removes it if they are.
func (a App) setBaseline() App {
	next := baseline{on: true, settings: a.env.settings.now}
	if a.env.settings.base == next {
		next = baseline{}
		a.overlays.notice = "baseline removed"
	} else {
		a.overlays.notice = "baseline (A): " + settingsInWords(a.env.settings.now) + " — changes from now on are the candidate (B), Δ is B − A; the key B swaps the two"
	}
	return a.change(func(s *undoState) { s.base = next })
}

func (a App) swapBaseline() App {
	if !a.env.settings.base.on {
		return a.says("no baseline to swap with: b sets one")
	}
	return a.change(func(s *undoState) { s.now, s.base = s.base.settings, baseline{true, s.now} })
}

func settingsInWords(s model.Settings) string {
	text := fmt.Sprintf("%s, scale %s", s.Computes(), s.Scale)
	if s.Options != "" {
		text += ", " + sanitize.Line(s.Options.String())
	}
	if s.Filtering() {
		text += fmt.Sprintf(", keep %s+ %s−", units.Fixed(s.KeepPos, 2), units.Fixed(s.KeepNeg, 2))
		if s.Recompute {
			text += ", recompute"
		}
	}
	for _, stage := range []struct{ name, choice string }{{"samples that were cut off:", s.Truncated}, {"length penalty", s.Overlong}, {"group filter", s.GroupFilter}, {"loss", s.Loss}} {
		if stage.choice != "" {
			text += ", " + stage.name + " " + stage.choice
		}
	}
	if s.SolvedAt != "" {
		text += ", solved from reward " + string(s.SolvedAt)
	}
	return text
}

// baselineAnalysis returns the steps on the screen under the baseline, nil if there is none.
func (e env) baselineAnalysis() *analysis.Analysis {
	if !e.settings.base.on || e.result.base == nil || !e.result.base.SameSteps(e.result.analysis) || e.result.base.Rows != e.result.analysis.Rows {
		return nil
	}
	return e.result.base
}

// stepDelta returns how much now exceeds what the newest step has under the baseline, as " Δ+4", or "" without a baseline.
func (e env) stepDelta(now float64, was func(*analysis.Analysis) float64) string {
	base := e.baselineAnalysis()
	if base == nil {
		return ""
	}
	return e.display.paintDelta(now - was(base.Last()))
}

func (d display) paintDelta(x float64) string {
	return d.theme.Paint(signRole(x), " Δ"+signedShort(x))
}

func signedShort(d float64) string {
	switch {
	case d != d:
		return units.Missing
	case d == 0:
		return "0"
	case d > 0:
		return "+" + units.Short(d)
	}
	return "−" + units.Short(-d)
}

func (e env) baselineFate(g int) (model.Fate, bool) {
	base := e.baselineAnalysis()
	if base == nil || g >= base.Groups {
		return 0, false
	}
	fate := base.Table[g].Fate
	return fate, fate != e.result.analysis.Table[g].Fate
}

// maxTyped bounds a number or a name that is typed, in bytes.
const maxTyped = 20

// ratio is one of the two ratios of the filter.
type ratio int

const (
	ofPositive ratio = iota // keep_pos_ratio
	ofNegative              // keep_neg_ratio
	ratioCount
)

// option is the name of the ratio among the settings.
func (r ratio) option() string { return [ratioCount]string{"keep_pos_ratio", "keep_neg_ratio"}[r] }

func (r ratio) of(s *model.Settings) *float64 {
	if r == ofNegative {
		return &s.KeepNeg
	}
	return &s.KeepPos
}

// typedValues are the ratios that are typed: one is, the other waits for Tab.
type typedValues struct {
	field ratio
	texts [ratioCount]string
}

func valueKeys() keySection {
	return keySection{"exact ratios", []binding{
		{[]string{"enter"}, "⏎", "Enter apply", "set the ratios that were typed", App.applyTypedValues},
		{[]string{"tab", "shift+tab"}, "Tab", "Tab other", "the other ratio", App.otherRatio},
		{[]string{"esc"}, "Esc", "Esc leave", "cancel", App.closeLine},
	}}
}

// openValues opens the line for both ratios.
func (a App) openValues() App {
	a.overlays.value = typedValues{}
	return a.openLine(viewValue)
}

// otherRatio goes to the field of the other ratio. What was typed in this one stays.
func (a App) otherRatio() App {
	a.overlays.value.field = (a.overlays.value.field + 1) % ratioCount
	a.overlays.input.behind = 0
	return a
}

// keepDigits leaves of what was typed what a ratio is written with.
func (v *typedValues) keepDigits() {
	text := &v.texts[v.field]
	*text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789.", r) {
			return r
		}
		return -1
	}, *text)
}

// applyTypedValues applies the ratios that were typed. If one is wrong, the line stays, to be corrected.
func (a App) applyTypedValues() App {
	set := a.env.settings.now
	for r, text := range a.overlays.value.texts {
		if text == "" {
			continue
		}
		var err error
		if set, err = set.Set(ratio(r).option(), text); err != nil {
			return a.says(err.Error())
		}
	}
	if err := set.Validate(); err != nil {
		return a.says(err.Error())
	}
	if a = a.closeLine(); set == a.env.settings.now {
		return a
	}
	return a.trySettings(set)
}

func (v typedValues) prompt(e env, typed cells.Line, w int) string {
	t := e.display.theme
	line := ""
	for r := range ratioCount {
		switch {
		case r == v.field:
			line += t.Paint(themes.Accent, fmt.Sprintf(" %s = %s ", r.option(), typed.Shown(w/4)))
		case v.texts[r] != "":
			line += fmt.Sprintf(" %s = %s ", r.option(), v.texts[r])
		default:
			line += t.Paint(themes.Dim, fmt.Sprintf(" %s %.2f ", r.option(), *r.of(&e.settings.now)))
		}
	}
	return cells.JoinFitting(w, "· ", line, e.display.markKey("tab", "Tab the other "), e.display.markKey("enter", "Enter apply "), e.display.markKey("esc", "Esc leave"))
}
