package tui

import "math"

// pressMeter sets a ratio to where its slider was pressed.
func (a App) pressMeter(h hit) App { return a.setRatio(h.n, float64(h.x+1)/float64(h.w)) }

// dragMeter sets a ratio to where its slider is dragged.
func (a App) dragMeter(s spot, x, _ int) App {
	return a.setRatio(s.n, float64(x-s.rect.X+1)/float64(s.rect.W))
}

// dragRatio moves a ratio by a step for each column that its value is dragged.
func (a App) dragRatio(s spot, x, _ int) App {
	before := a.mouse.press.before.now
	value := before.KeepPos
	if s.n == 1 {
		value = before.KeepNeg
	}
	return a.setRatio(s.n, stepRatio(value, x-a.mouse.press.x))
}

// setRatio sets the ratio of that number to the nearest that a key reaches. All that is dragged with one press
// is undone at once.
func (a App) setRatio(n int, value float64) App {
	before := a.mouse.press.before
	set := before.now
	value = min(1, max(0, math.Round(value/ratioStep)*ratioStep))
	value = math.Round(100*value) / 100
	if n == 1 {
		set.KeepNeg = value
	} else {
		set.KeepPos = value
	}
	a.valuePrompt.negative = n == 1
	if err := set.Validate(); err != nil {
		a.notice = err.Error()
		return a
	}
	return a.apply(before.withSettings(set))
}

// scrollRatio moves a ratio by a step, up with the wheel.
func (a App) scrollRatio(n, by int) App {
	if n == 1 {
		return a.moveKeepNeg(-by)
	}
	return a.moveKeepPos(-by)
}

// typeRatio opens the line in which the exact ratio is typed.
func (a App) typeRatio(n int) App {
	a.valuePrompt.negative = n == 1
	return a.openValuePrompt()
}
