package analysis

import (
	"slices"

	"vantage/model"
)

// FirstWarning is the first step at which a kind of warning appears.
type FirstWarning struct {
	model.Warning
	StepIndex int // index of Trend.Steps
}

// FirstWarnings are the first steps of all kinds of warnings that appear, ascending; kinds
// that appear together stand worst first. Steps after one that is pending are left out: what
// they show may have begun before.
func (t *Trend) FirstWarnings() []FirstWarning {
	var all []FirstWarning
	for i := range t.Steps {
		if t.Steps[i].Pending {
			break
		}
		for _, w := range t.Steps[i].Warnings {
			if !slices.ContainsFunc(all, func(o FirstWarning) bool { return o.Kind == w.Kind }) {
				all = append(all, FirstWarning{w, i})
			}
		}
	}
	return all
}
