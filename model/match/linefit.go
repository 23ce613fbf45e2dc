package match

import (
	"fmt"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
)

// linearFit is the least-squares fit logged = slope·computed + shift.
type linearFit struct {
	slope, shift float64
	maxResidual  float64 // relative to the largest logged advantage
	mean, std    float64 // of computed, ddof 1
}

// linearClue looks for a candidate whose advantages differ from the logged ones by one factor and one shift
// at every step: from a scaled reward, or normalised again over the batch, where each step has its own. It
// is "" if there is none.
func (r *Report) linearClue(snap model.Snapshot, grouped []*analysis.GroupedStep) string {
	clue, fewest := "", 0
	for _, e := range r.estimators() {
		if snap.Missing(e) != nil {
			continue
		}
		for at, scale := range e.Scales {
			assumptions := countAssumptions(snap.Run.Framework, e, at)
			if scale == estimators.ScaleNone { // a factor of rewards says more than one of rewards divided by their std
				assumptions -= 2
			}
			if clue != "" && assumptions >= fewest {
				continue
			}
			if text := linearRelation(grouped, e, scale); text != "" {
				clue, fewest = text, assumptions
			}
		}
	}
	return clue
}

// linearRelation says how the logged advantages follow from those of an estimator, "" if they do not at some
// step.
func linearRelation(grouped []*analysis.GroupedStep, e *estimators.Estimator, scale estimators.Scale) string {
	var fits []linearFit
	for _, s := range grouped {
		if !hasSignal(s.LoggedAdvantages) {
			continue
		}
		l, ok := fitLine(s.Advantages(e, scale), s.LoggedAdvantages)
		if !ok || l.maxResidual > 1e-4 {
			return ""
		}
		fits = append(fits, l)
	}
	c := candidateOf(e, scale)
	switch {
	case len(fits) == 0:
		return ""
	case !slices.ContainsFunc(fits, func(l linearFit) bool { return !l.isNormalised() }):
		return fmt.Sprintf("at every step the logged advantages are those of %s, less their mean over the batch and divided by their std: normalised twice", c)
	case slices.ContainsFunc(fits, func(l linearFit) bool { return !l.like(fits[0]) }):
		return ""
	}
	text := fmt.Sprintf("at every step the logged advantages are %.5g times those of %s%s", fits[0].slope, c, signedTerm(fits[0].shift))
	if scale == estimators.ScaleNone {
		text += ", as if the reward was scaled before"
	}
	return text
}

// isNormalised reports whether the logged advantages have mean 0 and std 1.
func (l linearFit) isNormalised() bool {
	return math.Abs(l.slope*l.std-1) < 2e-3 && math.Abs(l.slope*l.mean+l.shift) < 1e-3
}

// like reports whether another step has the same factor and shift.
func (l linearFit) like(o linearFit) bool {
	return math.Abs(l.slope-o.slope) < 1e-3*math.Abs(o.slope) && math.Abs(l.shift-o.shift) < 1e-3*math.Abs(o.slope)
}

func signedTerm(by float64) string {
	if math.Abs(by) < 1e-6 {
		return ""
	}
	return fmt.Sprintf(", %+.5g", by)
}

// fitLine returns false if there are too few points, or no more different ones than the line needs.
func fitLine(x, y []float64) (linearFit, bool) {
	if x == nil {
		return linearFit{}, false
	}
	var n, sx, sy float64
	different := map[float64]bool{}
	for i := range x {
		if !math.IsNaN(y[i]) {
			n, sx, sy = n+1, sx+x[i], sy+y[i]
			if different[float64(float32(x[i]))] = true; len(different) > 3 {
				delete(different, float64(float32(x[i])))
			}
		}
	}
	mx, my := sx/n, sy/n
	var xx, xy, maxAbs float64
	for i := range x {
		if !math.IsNaN(y[i]) {
			xx += (x[i] - mx) * (x[i] - mx)
			xy += (x[i] - mx) * (y[i] - my)
			maxAbs = max(maxAbs, math.Abs(y[i]))
		}
	}
	l := linearFit{slope: xy / xx, mean: mx, std: math.Sqrt(xx / (n - 1))}
	l.shift = my - l.slope*mx
	for i := range x {
		if !math.IsNaN(y[i]) {
			l.maxResidual = max(l.maxResidual, math.Abs(l.slope*x[i]+l.shift-y[i])/maxAbs)
		}
	}
	needed := 2 // points that fit every line
	if math.Abs(l.shift) < 1e-6*maxAbs {
		needed = 1 // every line through 0
	}
	const minPoints = 4
	return l, n >= minPoints && len(different) > needed && xx > 0 && l.slope > 1e-6 && !math.IsNaN(l.maxResidual)
}
