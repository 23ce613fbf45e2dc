package match

import (
	"fmt"
	"math"
	"strconv"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Filter is a sample filter whose advantages a log may hold: see model.Settings.
type Filter struct {
	KeepPos, KeepNeg float64
	Recompute        bool
}

// FilterOf returns the filter of the settings, nil if they keep all samples.
func FilterOf(set model.Settings) *Filter {
	if !set.Filtering() || estimators.CheckRatios(set.KeepPos, set.KeepNeg) != nil {
		return nil
	}
	return &Filter{set.KeepPos, set.KeepNeg, set.Recompute}
}

// String returns "keep_pos_ratio 0.5, keep_neg_ratio 0.25, compute_new_adv".
func (f Filter) String() string {
	return f.text("", "")
}

// text has something behind each ratio.
func (f Filter) text(pos, neg string) string {
	text := "keep_pos_ratio " + ratioText(f.KeepPos) + pos + ", keep_neg_ratio " + ratioText(f.KeepNeg) + neg
	if f.Recompute {
		text += ", compute_new_adv"
	}
	return text
}

func ratioText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Flags returns the options that name the filter.
func (f Filter) Flags() string {
	text := "--keep-pos-ratio " + ratioText(f.KeepPos) + " --keep-neg-ratio " + ratioText(f.KeepNeg)
	if f.Recompute {
		text += " --compute-new-adv"
	}
	return text
}

// FoundFilter is an estimator that reproduces a log after a filter that the settings do not name.
type FoundFilter struct {
	Candidate
	Filter

	pos, neg ratioRange // the ratios that keep the same samples
}

// findFilter looks for keep ratios with which an estimator reproduces all steps, nil if there are none. A
// filter shows as zeros where the estimator gives something else. Estimators whose trainer has the filter
// come first, then those that assume least.
func (r *Report) findFilter(snap model.Snapshot, grouped []*analysis.GroupedStep) *FoundFilter {
	var best *FoundFilter
	least := 0
	for _, e := range r.estimators() {
		if !e.CanFilter || snap.Missing(e) != nil {
			continue
		}
		for at, scale := range e.Scales {
			assumptions := countAssumptions(snap.Run.Framework, e, at)
			if e.TrainerFilters {
				assumptions = -1
			}
			if best != nil && least <= assumptions {
				continue
			}
			for _, f := range possibleFilters(grouped, e, scale) {
				if reproducesFiltered(grouped, e, scale, f.Filter) {
					f.Candidate = candidateOf(e, scale)
					best, least = &f, assumptions
					break
				}
			}
		}
	}
	return best
}

// possibleFilters returns the filters that are worth a comparison: by the numbers of samples kept, and
// with recomputed advantages, which hide these, those of a grid. It is empty if no sample was dropped.
func possibleFilters(grouped []*analysis.GroupedStep, e *estimators.Estimator, scale estimators.Scale) []FoundFilter {
	pos, neg, dropped := ratioRange{0, 1}, ratioRange{0, 1}, false
	for _, s := range grouped {
		original := s.Advantages(e, scale)
		if original == nil {
			return nil
		}
		for g := range len(s.Offsets) - 1 {
			lo, hi := s.Offsets[g], s.Offsets[g+1]
			p, n := countKept(original[lo:hi], s.LoggedAdvantages[lo:hi])
			dropped = dropped || p.kept < p.all || n.kept < n.all
			pos, neg = pos.with(p), neg.with(n)
		}
	}
	if !dropped {
		return nil
	}
	var all []FoundFilter
	if pos.lo <= pos.hi && neg.lo <= neg.hi {
		for _, recompute := range []bool{false, true} {
			all = append(all, FoundFilter{Filter: Filter{pos.round(), neg.round(), recompute}, pos: pos, neg: neg})
		}
	}
	if e.TrainerFilters {
		all = append(all, recomputedGrid()...)
	}
	return all
}

// recomputedGrid returns filters with recomputed advantages for pairs of ratios in steps of 0.05.
func recomputedGrid() []FoundFilter {
	const parts = 20
	var all []FoundFilter
	for p := range parts + 1 {
		for n := range parts + 1 {
			all = append(all, FoundFilter{Filter: Filter{float64(p) / parts, float64(n) / parts, true}})
		}
	}
	return all
}

// keptOf is how many of the samples of one sign in a group were kept.
type keptOf struct{ kept, all int }

// countKept counts the positive and the negative samples of a group, and those whose logged advantage is not 0.
func countKept(original, logged []float64) (pos, neg keptOf) {
	for i, x := range original {
		c := &pos
		switch {
		case x == 0 || x != x || logged[i] != logged[i]:
			continue
		case x < 0:
			c = &neg
		}
		c.all++
		if logged[i] != 0 {
			c.kept++
		}
	}
	return pos, neg
}

// ratioRange is the keep ratios that keep some numbers of samples: from lo up to, but for 0 and 1, below hi.
type ratioRange struct{ lo, hi float64 }

// with returns the part of the range that keeps so many of the samples of one sign in a group.
func (r ratioRange) with(c keptOf) ratioRange {
	kept, all := c.kept, c.all
	lo, hi := float64(kept)/float64(all), math.Nextafter(float64(kept+1)/float64(all), 0)
	switch {
	case all == 0:
		return r
	case kept == 0:
		lo, hi = 0, 0
	case kept == all && all == 1:
		lo, hi = math.SmallestNonzeroFloat64, 1
	case kept == all:
		lo, hi = 1, 1
	case kept == 1: // at least one is kept
		lo = math.SmallestNonzeroFloat64
	}
	return ratioRange{max(r.lo, lo), min(r.hi, hi)}
}

// round returns the roundest ratio of the range.
func (r ratioRange) round() float64 {
	for _, parts := range []float64{1, 2, 4, 10, 20, 100, 1000} {
		if x := math.Ceil(r.lo*parts) / parts; x >= r.lo && x <= r.hi {
			return x
		}
	}
	return r.lo
}

// reproducesFiltered reports whether an estimator gives all logged advantages after a filter.
func reproducesFiltered(grouped []*analysis.GroupedStep, e *estimators.Estimator, scale estimators.Scale, f Filter) bool {
	tolerance := roundingTolerance(loggedDecimals(grouped))
	for _, s := range grouped {
		v := Verdict{Candidate: candidateOf(e, scale)}
		if !v.evaluate([]*analysis.GroupedStep{s}, e, variant{tolerance, &f}) || v.FirstMismatch != nil {
			return false
		}
	}
	return true
}

// clue says which filter the log shows.
func (f *FoundFilter) clue() string {
	return fmt.Sprintf("%s reproduces it after a sample filter: %s. With %s it is compared so",
		f.Candidate, f.text(f.pos.String(), f.neg.String()), f.Flags())
}

// String says which other ratios keep the same samples, "" if that is one only.
func (r ratioRange) String() string {
	if r.lo >= r.hi {
		return ""
	}
	from := units.Short(r.lo)
	if r.lo == math.SmallestNonzeroFloat64 {
		from = "any above 0"
	}
	return fmt.Sprintf(" (%s to %s keep the same)", from, units.Short(r.hi))
}
