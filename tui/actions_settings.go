package tui

import (
	"math"
	"slices"

	"vantage/model"
)

// ratioStep is how far one key press moves a ratio.
const ratioStep = 0.05

// trySettings computes under set. If the trainer would refuse it, its message is shown
// and nothing changes.
func (a App) trySettings(set model.Settings) App {
	if err := set.Validate(); err != nil {
		a.notice = err.Error()
		return a
	}
	return a.apply(a.settings.withSettings(set))
}

// switchTo is trySettings for another framework, estimator or scale: filter settings that
// it does not support are kept but have no effect, instead of being refused.
func (a App) switchTo(set model.Settings) App {
	if err := set.Effective().Validate(); err != nil {
		a.notice = err.Error()
		return a
	}
	return a.apply(a.settings.withSettings(set))
}

// apply takes h as the settings, filter and order, and computes what differs.
func (a App) apply(h undoHistory) App {
	sameNumbers := h.now == a.settings.now && h.base == a.settings.base
	sameRows := h.filter == a.settings.filter && h.order == a.settings.order
	a.settings = h
	if !sameRows {
		a = a.rearrange()
	}
	if sameNumbers {
		return a
	}
	return a
}

func (a App) nextScale() App {
	entry, err := a.settings.now.FindEstimator()
	if err != nil {
		a.notice = err.Error()
		return a
	}
	if len(entry.Scales) == 1 {
		a.notice = entry.Framework + " " + entry.Name + " has one scale only: " + string(entry.Scales[0])
		return a
	}
	set := a.settings.now
	set.Scale = entry.Scales[(slices.Index(entry.Scales, set.Scale)+1)%len(entry.Scales)]
	return a.switchTo(set)
}

func (a App) moveKeepPos(by int) App {
	set := a.settings.now
	set.KeepPos = stepRatio(set.KeepPos, by)
	a.valuePrompt.negative = false
	return a.trySettings(set)
}

func (a App) moveKeepNeg(by int) App {
	set := a.settings.now
	set.KeepNeg = stepRatio(set.KeepNeg, by)
	a.valuePrompt.negative = true
	return a.trySettings(set)
}

// stepRatio moves a ratio by some steps along the grid of hundredths, within 0 and 1: it
// returns 0.35, not 0.35000000000000003.
func stepRatio(ratio float64, by int) float64 {
	return min(1, max(0, math.Round((ratio+float64(by)*ratioStep)*100)/100))
}

func (a App) toggleRecompute() App {
	set := a.settings.now
	set.Recompute = !set.Recompute
	return a.trySettings(set)
}

func (a App) undo() App {
	h, ok := a.settings.undo()
	if !ok {
		a.notice = "nothing to undo"
	}
	return a.apply(h)
}

func (a App) redo() App {
	h, ok := a.settings.redo()
	if !ok {
		a.notice = "nothing to redo"
	}
	return a.apply(h)
}
