package match

import (
	"cmp"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model/analysis"
)

// Verdict says how well a candidate reproduces the log.
type Verdict struct {
	Candidate
	Exact          int       // samples equal in every bit of the framework's precision
	OneULP         int       // samples one float32 unit in the last place off, which count as equal too
	Agreeing       int       // samples equal or near
	AgreeingGroups int       // groups without a mismatch
	Groups         int       // groups with a logged advantage
	MaxGap         float64   // largest |logged − computed| of samples that are not equal
	FirstMismatch  *Mismatch // nil if all samples agree

	assumptions int    // see countAssumptions
	off         int    // samples that do not agree
	agreeing    []bool // by step, in the order of the comparison
	cut, within int    // samples that the clip of the variant changes, and others whose logged advantage is not 0
}

// Equal returns how many samples are equal: in every bit, or but for one float32 unit in the
// last place. By so much the square root of PyTorch's wheels with MKL misses that of IEEE 754.
func (v Verdict) Equal() int { return v.Exact + v.OneULP }

// Mismatch is a sample whose logged advantage is not near the computed one.
type Mismatch struct {
	Step             int64
	Group            string
	Row              int // in its step, from 0, in input order
	Logged, Computed float64
}

// evaluate compares the candidate with all steps. It returns false if a step lacks a
// column.
func (v *Verdict) evaluate(grouped []*analysis.GroupedStep, e *estimators.Estimator, how variant) bool {
	f := cmp.Or(how.filter, &Filter{KeepPos: 1, KeepNeg: 1})
	for _, s := range grouped {
		computed := s.Filtered(e, v.Scale, f.KeepPos, f.KeepNeg, f.Recompute)
		if computed == nil {
			return false
		}
		v.cut, v.within = how.clip.apply(computed, s.LoggedAdvantages, v.cut, v.within)
		near := analysis.NewLoggedTolerance(e, v.Scale, s.LoggedRewards, computed)
		before := v.off
		for g := range len(s.Offsets) - 1 {
			lo, hi := s.Offsets[g], s.Offsets[g+1]
			logged, offBefore, tolerance := false, v.off, max(how.tolerance, near.Within(lo, hi))
			for i := lo; i < hi; i++ {
				x := s.LoggedAdvantages[i]
				isLogged := !math.IsNaN(x)
				logged = logged || isLogged
				if !isLogged || v.addSample(x, computed[i], e.Float, tolerance) {
					continue
				}
				if v.off++; v.FirstMismatch == nil {
					v.FirstMismatch = &Mismatch{Step: s.Step, Group: s.GroupName(g), Row: int(s.InputRow[i]), Logged: x, Computed: computed[i]}
				}
			}
			if logged {
				v.Groups++
			}
			if logged && v.off == offBefore {
				v.AgreeingGroups++
			}
		}
		v.agreeing = append(v.agreeing, v.off == before)
	}
	return true
}

func (v *Verdict) addSample(logged, computed float64, precision estimators.Float, tolerance float64) bool {
	switch {
	case analysis.EqualIn(logged, computed, precision):
		v.Exact++
	case precision == estimators.Float32 && analysis.OneULP(logged, computed):
		v.OneULP++
	default:
		gap := math.Abs(logged - computed)
		if math.IsNaN(gap) {
			gap = math.Inf(1)
		}
		if v.MaxGap = max(v.MaxGap, gap); gap > tolerance {
			return false
		}
	}
	v.Agreeing++
	return true
}

// The decimals for which rounding is tried: with fewer nearly everything agrees, with more
// the tolerance suffices even in groups of small advantages.
const (
	minDecimals = 3
	maxDecimals = 7
)

// loggedDecimals returns how many decimals the logged advantages have, 0 if fewer than
// minDecimals or more than maxDecimals.
func loggedDecimals(grouped []*analysis.GroupedStep) int {
	for d := range maxDecimals + 1 {
		unit := math.Pow10(d)
		more := func(x float64) bool {
			return math.Abs(x*unit-math.Round(x*unit)) > 1e-9*max(1, math.Abs(x*unit))
		}
		if !anyLogged(grouped, more) {
			if d < minDecimals {
				return 0
			}
			return d
		}
	}
	return 0
}

// anyLogged reports whether something holds for a logged advantage, which may be NaN.
func anyLogged(grouped []*analysis.GroupedStep, holds func(x float64) bool) bool {
	return slices.ContainsFunc(grouped, func(s *analysis.GroupedStep) bool { return slices.ContainsFunc(s.LoggedAdvantages, holds) })
}

// roundingTolerance is half a unit of the last of d decimals, and a little more for the comparison's own
// arithmetic; 0 for none.
func roundingTolerance(d int) float64 {
	if d == 0 {
		return 0
	}
	return 0.5 * math.Pow10(-d) * (1 + 1e-6)
}
