package tui

import (
	"slices"

	"vantage/model"
)

// moment is what undo goes back to: the settings, what they are compared with, what the
// table is narrowed to, and how it is sorted.
type moment struct {
	now    model.Settings
	base   baseline
	filter string // a query; "" shows all groups
	order  order
}

// history is the moment now, and those to go back and forth to. It is a value: the slices
// are never written in place.
type history struct {
	moment
	past, next []moment
}

// with makes set the settings; what had been undone is forgotten.
func (h history) with(set model.Settings) history {
	m := h.moment
	m.now = set
	return h.to(m)
}

// narrowed makes filter the filter.
func (h history) narrowed(filter string) history {
	m := h.moment
	m.filter = filter
	return h.to(m)
}

// sorted makes by the order.
func (h history) sorted(by order) history {
	m := h.moment
	m.order = by
	return h.to(m)
}

// against makes base the baseline.
func (h history) against(base baseline) history {
	m := h.moment
	m.base = base
	return h.to(m)
}

// swapped makes the baseline the settings, and these the baseline.
func (h history) swapped() history {
	m := h.moment
	m.now, m.base = h.base.set, baseline{true, h.now}
	return h.to(m)
}

func (h history) to(m moment) history {
	if m == h.moment {
		return h
	}
	return history{moment: m, past: append(slices.Clip(h.past), h.moment)}
}

// changed reports whether the person has changed a number yet, or what is seen of them.
func (h history) changed() bool {
	elsewhere := func(m moment) bool {
		m.order = h.order
		return m != h.moment
	}
	return slices.ContainsFunc(h.past, elsewhere) || slices.ContainsFunc(h.next, elsewhere)
}

// undo goes one change back, if there is one.
func (h history) undo() (history, bool) {
	n := len(h.past)
	if n == 0 {
		return h, false
	}
	return history{moment: h.past[n-1], past: h.past[:n-1], next: append(slices.Clip(h.next), h.moment)}, true
}

// redo takes an undo back.
func (h history) redo() (history, bool) {
	n := len(h.next)
	if n == 0 {
		return h, false
	}
	return history{moment: h.next[n-1], past: append(slices.Clip(h.past), h.moment), next: h.next[:n-1]}, true
}
