package analysis

import (
	"slices"

	"vantage/model"
)

// FirstWarning is the first warning of a kind in a trend.
type FirstWarning struct {
	model.Warning
	StepIndex int // in Trend.Steps
}

// FirstWarnings are the first warnings of each kind, by step and then as the step lists them. Steps
// after a pending one are left out, since the pending one may have the first.
func (t *Trend) FirstWarnings() []FirstWarning {
	var all []FirstWarning
	for i := range t.Steps {
		if t.Steps[i].Pending {
			break
		}
		for _, w := range t.Steps[i].Warnings {
			if !slices.ContainsFunc(all, func(first FirstWarning) bool { return first.Kind == w.Kind }) {
				all = append(all, FirstWarning{w, i})
			}
		}
	}
	return all
}
