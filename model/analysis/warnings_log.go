package analysis

import (
	"fmt"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model"
)

// The warnings here are about the log: what it lacks of the estimator's needs, and
// where its own advantages are others than those computed.

// warnLengths says which length stands in for the tokens that the estimator
// weights by.
func (a *Analysis) warnLengths(e *estimators.Estimator) (model.Warning, bool) {
	if !e.Needs.Lengths {
		return model.Warning{}, false
	}
	unknown := 0
	for _, l := range a.Lengths {
		if l < 0 {
			unknown++
		}
	}
	w := model.Warning{
		Kind: model.WarnLengths, Count: a.Rows, Of: a.Rows, Unit: "samples", Example: -1,
		Text:   fmt.Sprintf("are weighted by %s, since the log has no token counts: the advantages of %s are approximate", a.lengthUnit, e.Name),
		Advice: "log the tokens of each response in the loss as response_length",
	}
	if a.lengthUnit == model.LengthTokens {
		w.Count = unknown
		w.Text = fmt.Sprintf("have no length and count for no token: the advantages of %s are approximate", e.Name)
	}
	return w, w.Count > 0
}

// warnUndefined names the groups for which the formula gives no number although
// their rewards are numbers.
func (a *Analysis) warnUndefined() (model.Warning, bool) {
	undefined := func(g *Group) bool {
		return g.Invalid == 0 && g.Size() > 1 && slices.ContainsFunc(a.Original[g.Start:g.End], math.IsNaN)
	}
	return a.groups(model.WarnUndefined, undefined,
		"have no defined advantage under this estimator, though their rewards are numbers",
		"take another estimator (e); the list of all (E) has the formula")
}

// warnLogged compares with what the trainer logged. It says nothing where the
// settings are a what-if on purpose: with a filter.
func (a *Analysis) warnLogged(e *estimators.Estimator) (model.Warning, bool) {
	if a.Settings.Filtering() {
		return model.Warning{}, false
	}
	tolerance := ToleranceOf(e, a.Original)
	off, of, worst, example := 0, 0, 0.0, -1
	for g := range a.Groups {
		for i := a.Offsets[g]; i < a.Offsets[g+1]; i++ {
			if math.IsNaN(a.LoggedAdvantages[i]) {
				continue
			}
			of++
			if gap := math.Abs(a.LoggedAdvantages[i] - a.Original[i]); !(gap <= tolerance) {
				off++
				if isFinite(gap) {
					worst = max(worst, gap)
				}
				if example < 0 {
					example = g
				}
			}
		}
	}
	by := "one of the two is no number"
	if worst > 0 {
		by = fmt.Sprintf("by up to %.2g", worst)
	}
	return model.Warning{
		Kind: model.WarnLogged, Count: off, Of: of, Unit: "samples", Example: example,
		Text:   fmt.Sprintf("have another advantage in the log than %s %s gives, %s", a.Settings.Framework, a.Settings.Estimator, by),
		Advice: "`vantage match` finds the estimator that wrote the log",
	}, off > 0
}

// Digits is how much of a value a log may lose by writing it, relative to the
// largest advantage of the step: a little more than half of what seven digits hold.
const Digits = 1e-6

// ToleranceOf is how far a logged advantage may be from the one that e computed and
// pass for the same: the digits that logs lose or what e itself promises, relative
// to the largest of the step.
func ToleranceOf(e *estimators.Estimator, computed []float64) float64 {
	largest := 0.0
	for _, x := range computed {
		if size := math.Abs(x); size > largest && isFinite(size) {
			largest = size
		}
	}
	return largest * max(Digits, e.Tolerance)
}
