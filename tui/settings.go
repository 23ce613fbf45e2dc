package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/tui/env"
	"vantage/tui/ratios"
	"vantage/tui/view"
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
	return a.change(func(s *env.State) { s.Now = set })
}

// change changes the settings, the filter or the order; undo takes it back.
func (a App) change(of func(*env.State)) App {
	s := a.env.Settings.State
	of(&s)
	return a.apply(a.env.Settings.Push(s))
}

// apply takes h as the settings, filter and order, and computes what differs.
func (a App) apply(h env.History) App {
	sameRows := h.Filter == a.env.Settings.Filter && h.Order == a.env.Settings.Order
	if a.env.Settings = h; sameRows {
		return a
	}
	return a.rearrange()
}

func (a App) nextScale() App {
	entry, err := a.env.Settings.Now.FindEstimator()
	if err != nil {
		return a.says(err.Error())
	}
	if len(entry.Scales) == 1 {
		return a.says(entry.Title() + " has one scale only: " + string(entry.Scales[0]))
	}
	set := a.env.Settings.Now
	set.FromLog = false
	set.Scale = entry.Scales[(slices.Index(entry.Scales, set.Scale)+1)%len(entry.Scales)]
	return a.switchTo(set)
}

// moveRatio returns the action that moves a ratio by some steps along the grid of hundredths, within 0 and 1: to 0.35, not to
// 0.35000000000000003.
func moveRatio(of ratios.Ratio, by float64) act {
	return func(a App) App {
		before := a.env.Settings.Now
		set := before
		value := of.Of(&set)
		*value = min(1, max(0, math.Round((*value+by*ratioStep)*100)/100))
		if isAtEnd := set == before; isAtEnd {
			return a.says(fmt.Sprintf("%s is %.2f already", of.Option(), *value))
		}
		return a.trySettings(set)
	}
}

// openRatios opens the line for both ratios.
func (a App) openRatios() App {
	a.views.ratios = ratios.View{}
	return a.openLine(view.Ratios)
}

func (a App) toggleRecompute() App {
	set := a.env.Settings.Now
	set.Recompute = !set.Recompute
	return a.trySettings(set)
}

func (a App) undo() App {
	h, last := a.env.Settings, len(a.env.Settings.Past)-1
	if last < 0 {
		return a.says("nothing to undo")
	}
	return a.apply(env.History{State: h.Past[last], Past: h.Past[:last], Next: append(slices.Clip(h.Next), h.State)})
}

func (a App) redo() App {
	h, last := a.env.Settings, len(a.env.Settings.Next)-1
	if last < 0 {
		return a.says("nothing to redo")
	}
	return a.apply(env.History{State: h.Next[last], Past: append(slices.Clip(h.Past), h.State), Next: h.Next[:last]})
}

// nextFramework switches to the next framework with an estimator that the log supports:
// that of the same name, if it does. It says which frameworks it skips.
func (a App) nextFramework() App {
	var skipped []string
	names := estimators.Frameworks()
	at := slices.Index(names, a.env.Settings.Now.Framework)
	for i := 1; i <= len(names); i++ {
		set := a.env.Settings.Now.WithFramework(names[(at+i)%len(names)])
		if set, ok := supported(a.env, set); ok {
			return a.switchToSkipping(set, skipped)
		}
		skipped = append(skipped, set.Trainer()+" (the log lacks what its estimators need)")
	}
	return a
}

// supported returns set if the log has all that its estimator needs, else set with the
// first such estimator of the framework; ok is false if there is none.
func supported(e env.Env, set model.Settings) (model.Settings, bool) {
	if entry, err := set.FindEstimator(); err == nil && e.Snap.Missing(entry) == nil {
		return set, true
	}
	for _, estimator := range estimators.Of(set.Framework) {
		if e.Snap.Missing(estimator) == nil {
			return set.WithEstimator(estimator.Name), true
		}
	}
	return set, false
}

// moveEstimator switches to the next estimator of the framework that the log supports, and says which it skips and why; for a
// negative by to the previous one.
func (a App) moveEstimator(by int) App {
	var skipped []string
	all := estimators.Of(a.env.Settings.Now.Framework)
	at := slices.IndexFunc(all, func(e *estimators.Estimator) bool { return e.Name == a.env.Settings.Now.Estimator })
	for i := range all {
		e := all[(at+by*(i+1)+len(all))%len(all)]
		why := a.env.Snap.Missing(e)
		switch {
		case why == nil:
			return a.switchToSkipping(a.env.Settings.Now.WithEstimator(e.Name), skipped)
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

// setBaseline makes the present settings the baseline, or removes it if they are.
func (a App) setBaseline() App {
	next := env.Baseline{On: true, Settings: a.env.Settings.Now}
	if a.env.Settings.Base == next {
		next = env.Baseline{}
		a.overlays.notice = "baseline removed"
	} else {
		a.overlays.notice = "baseline (A): " + env.SettingsInWords(a.env.Settings.Now) + " — changes from now on are the candidate (B), " +
			"Δ is B − A; the key B swaps the two"
	}
	return a.change(func(s *env.State) { s.Base = next })
}

func (a App) swapBaseline() App {
	if !a.env.Settings.Base.On {
		return a.says("no baseline to swap with: b sets one")
	}
	return a.change(func(s *env.State) { s.Now, s.Base = s.Base.Settings, env.Baseline{On: true, Settings: s.Now} })
}
