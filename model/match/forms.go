package match

import (
	"context"
	"fmt"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/estimators/torchsum"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// plainForm is what scripts of one's own compute with numpy's arrays of float64:
//
//	A = (r − mean of the group) / (std + eps) ;  scale "none": A = r − mean
//
// where std is that of the group or of the batch, of a sample (ddof 1) or of a population (ddof 0,
// numpy's default). If std and eps are both 0 the advantage is 0: numpy gives NaN, which nobody trains on.
type plainForm struct {
	scale estimators.Scale
	ddof  int
	eps   float64
}

func plainForms() []plainForm {
	all := []plainForm{{scale: estimators.ScaleNone}}
	for _, scale := range []estimators.Scale{estimators.ScaleGroup, estimators.ScaleBatch} {
		for _, eps := range []float64{0, 1e-8, 1e-6, 1e-4, 1e-5, 1e-3, 1e-12, 1e-10, 1e-9, 1e-7, 1e-2} {
			for ddof := range 2 {
				all = append(all, plainForm{scale, ddof, eps})
			}
		}
	}
	return all
}

// String returns "(r − mean) / (std + 1e-6) of each group with ddof 0".
func (f plainForm) String() string {
	if f.scale == estimators.ScaleNone {
		return "r − mean of each group"
	}
	divisor := "std"
	if f.eps > 0 {
		divisor = fmt.Sprintf("(std + 1e-%d)", int(math.Round(-math.Log10(f.eps))))
	}
	of := "of each group"
	if f.scale == estimators.ScaleBatch {
		of = "with the mean of each group and the std of the batch"
	}
	return fmt.Sprintf("(r − mean) / %s %s, ddof %d", divisor, of, f.ddof)
}

// findPlainForm returns the form that gives all logged advantages, to the bit if one does; cut and within are those of a verdict on it.
func findPlainForm(grouped []*analysis.GroupedStep, how variant) (form plainForm, exact, ok bool) {
	for _, f := range plainForms() {
		near, bits, cut, within := true, true, 0, 0
		for i := len(grouped) - 1; i >= 0 && near; i-- {
			computed := f.advantages(grouped[i])
			cut, within = how.clip.apply(computed, grouped[i].LoggedAdvantages, cut, within)
			near, bits = f.compare(grouped[i], computed, how.tolerance, bits)
		}
		near = near && how.clip.isTold(cut, within)
		if near && bits {
			return f, true, true
		}
		if near && !ok {
			form, ok = f, true
		}
	}
	return form, false, ok
}

// compare reports whether the logged advantages of a step are near those of the form, and whether all are
// equal to the bit, if they were until then.
func (f plainForm) compare(s *analysis.GroupedStep, computed []float64, tolerance float64, bits bool) (near, exact bool) {
	for lo, hi := range s.Groups() {
		largest := 0.0
		for _, x := range computed[lo:hi] {
			largest = max(largest, math.Abs(x))
		}
		for i := lo; i < hi; i++ {
			logged := s.LoggedAdvantages[i]
			if math.IsNaN(logged) {
				continue
			}
			bits = bits && logged == computed[i]
			const near = 1e-6
			if !(math.Abs(logged-computed[i]) <= max(tolerance, near*largest)) {
				return false, false
			}
		}
	}
	return true, bits
}

func (f plainForm) advantages(s *analysis.GroupedStep) []float64 {
	all := make([]float64, len(s.LoggedRewards))
	buf := make([]float64, len(all))
	batch := torchsum.StdNumpy(s.LoggedRewards, torchsum.MeanNumpy(s.LoggedRewards), f.ddof, buf)
	for lo, hi := range s.Groups() {
		mean := torchsum.MeanNumpy(s.LoggedRewards[lo:hi])
		std := batch
		if f.scale == estimators.ScaleGroup {
			std = torchsum.StdNumpy(s.LoggedRewards[lo:hi], mean, f.ddof, buf)
		}
		for i := lo; i < hi; i++ {
			all[i] = s.LoggedRewards[i] - mean
			switch {
			case f.scale == estimators.ScaleNone:
			case std+f.eps == 0 || math.IsNaN(std): // equal rewards, or a group of one
				all[i] = 0
			default:
				all[i] /= std + f.eps
			}
		}
	}
	return all
}

// arithmetic says that the advantages are those of a plain form to the bit, "" if they are not, or if all are
// float32 values, which frameworks give.
func arithmetic(grouped []*analysis.GroupedStep) string {
	if anyLogged(grouped, func(x float64) bool { return x == x && float64(float32(x)) != x }) {
		if f, exact, _ := findPlainForm(grouped, variant{}); exact {
			return "every logged advantage matches numpy in float64 bit for bit: " + f.String()
		}
	}
	return ""
}

// plainFormClue names the form that gives all logged advantages, or that they are rounded from, "" if there is none.
func plainFormClue(grouped []*analysis.GroupedStep) string {
	f, exact, ok := findPlainForm(grouped, variant{})
	switch {
	case exact:
		return fmt.Sprintf("they match numpy in float64 bit for bit: %s. No framework here computes this", f)
	case ok:
		return fmt.Sprintf("they equal %s up to rounding. No framework here computes this", f)
	}
	d := loggedDecimals(grouped)
	if f, _, ok = findPlainForm(grouped, variant{tolerance: roundingTolerance(d)}); d == 0 || !ok {
		return ""
	}
	return fmt.Sprintf("they equal %s, rounded to %d decimals. No framework here computes this", f, d)
}

type clip struct{ low, high float64 }

// clipClue names the estimator, or else the plain form, that gives all logged advantages once they are cut to the largest of them, of both
// signs alike or each to its own, "" if none does.
func (r *Report) clipClue(ctx context.Context, snap model.Snapshot, grouped []*analysis.GroupedStep) (string, error) {
	own := clip{math.Inf(1), math.Inf(-1)}
	anyLogged(grouped, func(x float64) bool {
		if x == x {
			own.low, own.high = min(own.low, x), max(own.high, x)
		}
		return false
	})
	most, rounded := max(-own.low, own.high), roundingTolerance(loggedDecimals(grouped))
	for _, how := range []variant{
		{clip: &clip{-most, most}},
		{clip: &own},
		{clip: &clip{-most, most}, tolerance: rounded},
		{clip: &own, tolerance: rounded},
	} {
		retry, c := r.again(r.Compared), how.clip
		if err := retry.tryAll(ctx, snap, grouped, how); err != nil {
			return "", err
		}
		for _, v := range retry.Matches {
			if !c.isTold(v.cut, v.within) {
				continue
			}
			text := fmt.Sprintf("%s reproduces it clipped to %s after normalisation, which cuts %s", v.Candidate, c,
				units.Plural(v.cut, "samples"))
			if v.Framework == "nemo-rl" {
				text += fmt.Sprintf(". With --option grpo.advantage_clip_low=%.9g --option grpo.advantage_clip_high=%.9g it is computed so",
					c.low, c.high)
			}
			return text, nil
		}
		if f, _, ok := findPlainForm(grouped, how); ok {
			return fmt.Sprintf("they equal %s, clipped to %s after normalisation. No framework here computes this", f, c), nil
		}
	}
	return "", nil
}

// apply cuts computed advantages, and adds how many it changes to cut, and how many others whose logged advantage is not 0 to within.
func (c *clip) apply(computed, logged []float64, cut, within int) (int, int) {
	if c == nil {
		return cut, within
	}
	for i, x := range computed {
		const slack = 1e-4 // rounding is no clip
		switch {
		case x > c.high+slack*math.Abs(c.high), x < c.low-slack*math.Abs(c.low):
			cut++
		case logged[i] != 0 && logged[i] > c.low && logged[i] < c.high:
			within++
		}
		computed[i] = min(max(x, c.low), c.high)
	}
	return cut, within
}

// isTold reports whether so many samples tell a clip from another estimator; no clip needs none.
func (c *clip) isTold(cut, within int) bool { return c == nil || cut >= 2 && within >= 4 }

// String is "±5", or "-2 to 5".
func (c *clip) String() string {
	if c.low == -c.high {
		return fmt.Sprintf("±%.5g", c.high)
	}
	return fmt.Sprintf("%.5g to %.5g", c.low, c.high)
}

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
	for e, c := range r.candidates(snap) {
		if c.Scale == estimators.ScaleNone { // a factor of rewards says more than one of rewards divided by their std
			c.assumptions -= 2
		}
		if clue != "" && c.assumptions >= fewest {
			continue
		}
		if text := linearRelation(grouped, e, c.Scale); text != "" {
			clue, fewest = text, c.assumptions
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
	case !slices.ContainsFunc(fits, func(l linearFit) bool { // mean 0 and std 1
		return !(math.Abs(l.slope*l.std-1) < 2e-3 && math.Abs(l.slope*l.mean+l.shift) < 1e-3)
	}):
		return fmt.Sprintf("at every step the logged advantages are those of %s, less their mean over the batch and divided by their "+
			"std: normalised twice", c)
	case slices.ContainsFunc(fits, func(l linearFit) bool { // another factor or shift
		near := 1e-3 * math.Abs(fits[0].slope)
		return !(math.Abs(l.slope-fits[0].slope) < near && math.Abs(l.shift-fits[0].shift) < near)
	}):
		return ""
	}
	text := fmt.Sprintf("at every step the logged advantages are %.5g times those of %s", fits[0].slope, c)
	if shift := fits[0].shift; !(math.Abs(shift) < 1e-6) {
		text += fmt.Sprintf(", %+.5g", shift)
	}
	if scale == estimators.ScaleNone {
		text += ", as if the reward was scaled before"
	}
	return text
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
	isDetermined := n >= minPoints && len(different) > needed && xx > 0
	return l, isDetermined && l.slope > 1e-6 && !math.IsNaN(l.maxResidual)
}
