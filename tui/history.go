package tui

import "vantage/model"

// history is the settings now, and those to go back and forth to. It is a
// value: the slices are never written in place.
type history struct {
	now        model.Settings
	past, next []model.Settings
}

// with makes set the settings; what had been undone is forgotten.
func (h history) with(set model.Settings) history {
	if set == h.now {
		return h
	}
	past := append(h.past[:len(h.past):len(h.past)], h.now)
	return history{now: set, past: past}
}

// changed reports whether the person has changed anything yet.
func (h history) changed() bool { return len(h.past)+len(h.next) > 0 }

// undo goes one change back, if there is one.
func (h history) undo() (history, bool) {
	n := len(h.past)
	if n == 0 {
		return h, false
	}
	next := append(h.next[:len(h.next):len(h.next)], h.now)
	return history{now: h.past[n-1], past: h.past[:n-1], next: next}, true
}

// redo takes an undo back.
func (h history) redo() (history, bool) {
	n := len(h.next)
	if n == 0 {
		return h, false
	}
	past := append(h.past[:len(h.past):len(h.past)], h.now)
	return history{now: h.next[n-1], past: past, next: h.next[:n-1]}, true
}
