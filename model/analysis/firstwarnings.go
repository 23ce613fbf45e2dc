package analysis

import (
	"slices"

	"vantage/model"
)

// Onset is the first step at which a kind of warning appears.
type Onset struct {
	model.Warning
	At int // index of Trend.Steps
}

// Onsets are the first steps of all kinds of warnings that appear, ascending; kinds
// that appear together stand worst first. Steps after one that is pending are left out: what
// they show may have begun before.
func (t *Trend) Onsets() []Onset {
	var all []Onset
	for i := range t.Steps {
		if t.Steps[i].Pending {
			break
		}
		for _, w := range t.Steps[i].Warnings {
			if !slices.ContainsFunc(all, func(o Onset) bool { return o.Kind == w.Kind }) {
				all = append(all, Onset{w, i})
			}
		}
	}
	return all
}
