package match

import (
	"fmt"
	"math"

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

// linearClue looks for a candidate whose advantages differ from the logged ones by one
// factor and one shift: normalised again over the batch, or from a scaled reward. It
// compares one step, since each batch has its own mean and std.
func linearClue(snap model.Snapshot, grouped []*analysis.GroupedStep) []string {
	clue, fewest := "", 0
	for _, e := range estimators.All() {
		if snap.Missing(e) != nil {
			continue
		}
		for at, scale := range e.Scales {
			l, ok := fitLine(grouped[0].Advantages(e, scale), grouped[0].LoggedAdvantages)
			assumptions := countAssumptions(snap.Run.Framework, e, at)
			if ok && l.maxResidual < 1e-4 && (clue == "" || assumptions < fewest) {
				clue, fewest = l.sentence(grouped[0].Step, Candidate{e.Framework, e.Name, scale, e.Given}), assumptions
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

// fitLine returns false if there are too few points or x does not vary.
func fitLine(x, y []float64) (linearFit, bool) {
	var n, sx, sy float64
	for i := range x {
		if !math.IsNaN(y[i]) {
			n, sx, sy = n+1, sx+x[i], sy+y[i]
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
	const minPoints = 4
	return l, n >= minPoints && xx > 0 && math.Abs(l.slope) > 1e-6 && !math.IsNaN(l.maxResidual)
}
