package tui

import (
	"slices"

	"vantage/model"
)

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

// withSettings returns h with other settings; redo leads nowhere then.
func (h undoHistory) withSettings(set model.Settings) undoHistory {
	s := h.undoState
	s.now = set
	return h.push(s)
}

func (h undoHistory) withFilter(filter string) undoHistory {
	s := h.undoState
	s.filter = filter
	return h.push(s)
}

func (h undoHistory) withOrder(by order) undoHistory {
	s := h.undoState
	s.order = by
	return h.push(s)
}

func (h undoHistory) withBaseline(base baseline) undoHistory {
	s := h.undoState
	s.base = base
	return h.push(s)
}

// swapped exchanges the settings and the baseline.
func (h undoHistory) swapped() undoHistory {
	s := h.undoState
	s.now, s.base = h.base.settings, baseline{true, h.now}
	return h.push(s)
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
	all := func(states []undoState) []undoState {
		changed := make([]undoState, len(states))
		for i, s := range states {
			changed[i] = with(s)
		}
		return changed
	}
	return undoHistory{undoState: with(h.undoState), past: all(h.past), next: all(h.next)}
}

func (h undoHistory) push(s undoState) undoHistory {
	if s == h.undoState {
		return h
	}
	return undoHistory{undoState: s, past: append(slices.Clip(h.past), h.undoState)}
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

// undo goes back by one change, if there is one.
func (h undoHistory) undo() (undoHistory, bool) {
	n := len(h.past)
	if n == 0 {
		return h, false
	}
	return undoHistory{undoState: h.past[n-1], past: h.past[:n-1], next: append(slices.Clip(h.next), h.undoState)}, true
}

// redo goes forth by one change, if one was undone.
func (h undoHistory) redo() (undoHistory, bool) {
	n := len(h.next)
	if n == 0 {
		return h, false
	}
	return undoHistory{undoState: h.next[n-1], past: append(slices.Clip(h.past), h.undoState), next: h.next[:n-1]}, true
}
