package tui

import (
	"slices"

	"vantage/model"
)

// undoState is what undo goes back to: the settings, what they are compared with, what the
// table is narrowed to, and how it is sorted.
type undoState struct {
	now    model.Settings
	base   baseline
	filter string // a query; "" shows all groups
	order  order
}

// undoHistory is the moment now, and those to go back and forth to. It is a value: the slices
// are never written in place.
type undoHistory struct {
	undoState
	past, next []undoState
}

// withSettings makes set the settings; what had been undone is forgotten.
func (h undoHistory) withSettings(set model.Settings) undoHistory {
	m := h.undoState
	m.now = set
	return h.push(m)
}

// withFilter makes filter the filter.
func (h undoHistory) withFilter(filter string) undoHistory {
	m := h.undoState
	m.filter = filter
	return h.push(m)
}

// withOrder makes by the order.
func (h undoHistory) withOrder(by order) undoHistory {
	m := h.undoState
	m.order = by
	return h.push(m)
}

// withBaseline makes base the baseline.
func (h undoHistory) withBaseline(base baseline) undoHistory {
	m := h.undoState
	m.base = base
	return h.push(m)
}

// swapped makes the baseline the settings, and these the baseline.
func (h undoHistory) swapped() undoHistory {
	m := h.undoState
	m.now, m.base = h.base.settings, baseline{true, h.now}
	return h.push(m)
}

func (h undoHistory) push(m undoState) undoHistory {
	if m == h.undoState {
		return h
	}
	return undoHistory{undoState: m, past: append(slices.Clip(h.past), h.undoState)}
}

// hasChanges reports whether the person has changed a number yet, or what is seen of them.
func (h undoHistory) hasChanges() bool {
	elsewhere := func(m undoState) bool {
		m.order = h.order
		return m != h.undoState
	}
	return slices.ContainsFunc(h.past, elsewhere) || slices.ContainsFunc(h.next, elsewhere)
}

// undo goes one change back, if there is one.
func (h undoHistory) undo() (undoHistory, bool) {
	n := len(h.past)
	if n == 0 {
		return h, false
	}
	return undoHistory{undoState: h.past[n-1], past: h.past[:n-1], next: append(slices.Clip(h.next), h.undoState)}, true
}

// redo takes an undo back.
func (h undoHistory) redo() (undoHistory, bool) {
	n := len(h.next)
	if n == 0 {
		return h, false
	}
	return undoHistory{undoState: h.next[n-1], past: append(slices.Clip(h.past), h.undoState), next: h.next[:n-1]}, true
}
