package tui

import "vantage/model"

// moment is what undo goes back to: the settings, what they are compared with, and
// what the table is narrowed to.
type moment struct {
	set    model.Settings
	base   baseline
	filter string
}

// history is the settings and the filter now, and those to go back and forth to. It
// is a value: the slices are never written in place.
type history struct {
	now        model.Settings
	base       baseline
	filter     string // a query; "" shows all groups
	past, next []moment
}

// with makes set the settings; what had been undone is forgotten.
func (h history) with(set model.Settings) history { return h.to(moment{set, h.base, h.filter}) }

// narrowed makes filter the filter.
func (h history) narrowed(filter string) history { return h.to(moment{h.now, h.base, filter}) }

// against makes base the baseline.
func (h history) against(base baseline) history { return h.to(moment{h.now, base, h.filter}) }

// swapped makes the baseline the settings, and these the baseline.
func (h history) swapped() history {
	return h.to(moment{h.base.set, baseline{true, h.now}, h.filter})
}

func (h history) to(m moment) history {
	if m == h.moment() {
		return h
	}
	past := append(h.past[:len(h.past):len(h.past)], h.moment())
	return history{now: m.set, base: m.base, filter: m.filter, past: past}
}

func (h history) moment() moment { return moment{h.now, h.base, h.filter} }

// changed reports whether the person has changed anything yet.
func (h history) changed() bool { return len(h.past)+len(h.next) > 0 }

// undo goes one change back, if there is one.
func (h history) undo() (history, bool) {
	n := len(h.past)
	if n == 0 {
		return h, false
	}
	next := append(h.next[:len(h.next):len(h.next)], h.moment())
	return history{now: h.past[n-1].set, base: h.past[n-1].base, filter: h.past[n-1].filter, past: h.past[:n-1], next: next}, true
}

// redo takes an undo back.
func (h history) redo() (history, bool) {
	n := len(h.next)
	if n == 0 {
		return h, false
	}
	past := append(h.past[:len(h.past):len(h.past)], h.moment())
	return history{now: h.next[n-1].set, base: h.next[n-1].base, filter: h.next[n-1].filter, past: past, next: h.next[:n-1]}, true
}
