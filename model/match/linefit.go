package match

import (
	"fmt"
	"math"

	"vantage/estimators"
	"vantage/model"
)

// linearFit is logged = slope·computed + shift over all samples, fitted by least
// squares.
type linearFit struct {
	slope, shift float64
	maxResidual        float64 // largest residual, relative to the largest logged advantage
	mean, std    float64 // of computed, the std with n−1
}

// linearClue looks for a candidate whose advantages became the logged ones by one
// factor and one shift for all samples: a second normalisation over the batch, or
// a reward that was scaled. With one step only: a batch has a mean and std of its
// own.
func linearClue(snap model.Snapshot, prepared []*model.Laid) []string {
	clue, least := "", 0
	for _, e := range estimators.All() {
		if snap.Lacks(e) != nil {
			continue
		}
		for at, scale := range e.Scales {
			l, ok := fitLine(prepared[0].Under(e, scale), prepared[0].Given)
			assumes := countAssumptions(snap.Run.Format, e, at)
			if ok && l.maxResidual < 1e-4 && (clue == "" || assumes < least) {
				clue, least = l.sentence(prepared[0].Step, Candidate{e.Framework, e.Name, scale}), assumes
			}
		}
	}
	if clue == "" {
		return nil
	}
	return []string{clue}
}

func (l linearFit) sentence(step int64, c Candidate) string {
	if math.Abs(l.slope*l.std-1) < 2e-3 && math.Abs(l.slope*l.mean+l.shift) < 1e-3 {
		return fmt.Sprintf("at step %d the logged advantages are those of %s, less their mean over the batch and divided by their std: normalised twice", step, c)
	}
	return fmt.Sprintf("at step %d the logged advantages are %.5g times those of %s%s: the reward was scaled, or weighted with others, before", step, l.slope, c, signedTerm(l.shift))
}

func signedTerm(by float64) string {
	if math.Abs(by) < 1e-6 {
		return ""
	}
	return fmt.Sprintf(", %+.5g", by)
}

// fitLine is false where there is too little to fit, or nothing that varies.
func fitLine(x, y []float64) (linearFit, bool) {
	var n, sx, sy float64
	for i := range x {
		if !math.IsNaN(y[i]) {
			n, sx, sy = n+1, sx+x[i], sy+y[i]
		}
	}
	mx, my := sx/n, sy/n
	var xx, xy, largest float64
	for i := range x {
		if !math.IsNaN(y[i]) {
			xx += (x[i] - mx) * (x[i] - mx)
			xy += (x[i] - mx) * (y[i] - my)
			largest = max(largest, math.Abs(y[i]))
		}
	}
	l := linearFit{slope: xy / xx, mean: mx, std: math.Sqrt(xx / (n - 1))}
	l.shift = my - l.slope*mx
	for i := range x {
		if !math.IsNaN(y[i]) {
			l.maxResidual = max(l.maxResidual, math.Abs(l.slope*x[i]+l.shift-y[i])/largest)
		}
	}
	const few = 4
	return l, n >= few && xx > 0 && math.Abs(l.slope) > 1e-6 && !math.IsNaN(l.maxResidual)
}
