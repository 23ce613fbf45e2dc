package rewardcolumns

import (
	"context"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
)

// verifier computes the sampled steps under weights, and compares with the log.
type verifier struct {
	ctx        context.Context
	snap       model.Snapshot
	set        model.Settings
	steps      []int
	estimators []*estimators.Estimator
}

// estimatorsOf returns the estimators of a trainer and of its other versions that the log can feed.
func estimatorsOf(snap model.Snapshot, trainer string, options estimators.Options) []*estimators.Estimator {
	return slices.DeleteFunc(estimators.AllWith(options), func(e *estimators.Estimator) bool {
		isTrainers := e.Framework == trainer || strings.HasPrefix(e.Framework, trainer+"-")
		return !isTrainers || snap.Missing(e) != nil
	})
}

// verify returns how many advantages the best estimator reproduces with those weights.
func (v verifier) verify(w model.Weights) Found {
	set, best := v.set, Found{Weights: w}
	set.Weights = w
	var steps []*analysis.GroupedStep
	for _, i := range v.steps {
		step, err := analysis.GroupStep(v.snap, i, set)
		if err != nil {
			return Found{}
		}
		steps = append(steps, step)
	}
	for _, e := range v.estimators {
		for _, scale := range e.Scales {
			if v.ctx.Err() != nil {
				return Found{}
			}
			f := Found{Weights: w}
			for _, step := range steps {
				f.add(step, e, scale)
			}
			if f.Agreeing > best.Agreeing || f.Agreeing == best.Agreeing && f.Exact > best.Exact {
				best = f
			}
		}
	}
	return best
}

// add compares the advantages of a step. Groups whose logged advantages are all 0 would agree with any
// weights of columns that are equal in them, and count only if they do not agree.
func (f *Found) add(step *analysis.GroupedStep, e *estimators.Estimator, scale estimators.Scale) {
	computed := step.Advantages(e, scale)
	if computed == nil {
		return
	}
	near := analysis.NewLoggedTolerance(e, scale, step.LoggedRewards, computed)
	for g := range len(step.Offsets) - 1 {
		lo, hi := step.Offsets[g], step.Offsets[g+1]
		tolerance, dead := near.Within(lo, hi), true
		counted := Found{}
		for i := lo; i < hi; i++ {
			a, b := step.LoggedAdvantages[i], computed[i]
			if math.IsNaN(a) {
				continue
			}
			dead = dead && a == 0
			counted.Compared++
			switch {
			case isEqual(a, b, e.Float):
				counted.Exact++
				counted.Agreeing++
			case math.Abs(a-b) <= tolerance:
				counted.Agreeing++
			}
		}
		if dead && counted.Agreeing == counted.Compared {
			continue
		}
		f.Compared, f.Exact, f.Agreeing = f.Compared+counted.Compared, f.Exact+counted.Exact, f.Agreeing+counted.Agreeing
	}
}

// isEqual reports whether two values are equal in the precision of an estimator, or neighbours in
// float32: see package match.
func isEqual(logged, computed float64, precision estimators.Float) bool {
	if precision == estimators.Float64 {
		return logged == computed
	}
	a, b := float32(logged), float32(computed)
	return a == b || a-a == 0 && b-b == 0 && math.Nextafter32(a, b) == b
}
