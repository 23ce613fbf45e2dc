package match

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
)

func commonGroupSizes() []int { return []int{8, 16, 4, 32, 64, 2, 5, 6, 10, 12, 20, 24, 48, 128} }

// maxRegrouped is the largest step that is regrouped: more samples would take seconds.
const maxRegrouped = 100_000

type alternative struct {
	set     model.Settings
	flags   string // "with --group-by prompt"
	meaning string // what it means if an estimator matches this way

	wholeStep bool // all rows of each step are one group
}

// tryAlternatives tries other groups and other rewards: first on a step that the nearest candidate does not
// reproduce, which most fail, and then on all. It returns a clue for the first that an estimator matches
// everywhere.
func (r *Report) tryAlternatives(ctx context.Context, snap model.Snapshot, set model.Settings,
	compared []*analysis.GroupedStep,
) ([]string, error) {
	if len(r.Others) == 0 || r.Others[0].FirstMismatch == nil {
		return nil, nil
	}
	at, _ := snap.Find(r.Others[0].FirstMismatch.Step)
	if len(snap.Steps[at].Rewards) > maxRegrouped {
		return nil, nil
	}
	steps := make([]int, len(compared))
	for i, s := range compared {
		steps[i], _ = snap.Find(s.Step)
	}
	all := alternatives(snap, set, len(snap.Steps[at].Rewards))
	snap.Run.Positional = true // groups by position are only tried here
	for _, other := range all {
		grouping, err := snap.Grouping(other.set)
		if err != nil || grouping == r.Grouping && other.set.Reward == set.Reward && other.set.Weights == set.Weights {
			continue
		}
		found, err := other.match(ctx, snap, []int{at})
		if err == nil && found != nil && len(steps) > 1 {
			found, err = other.match(ctx, snap, steps)
		}
		if err != nil {
			return nil, err
		}
		if found != nil {
			return []string{fmt.Sprintf("%s, %s reproduces %s: %s", other.flags, *found, units.Plural(len(steps), "steps"), other.meaning)},
				nil
		}
	}
	return nil, nil
}

// match returns the best candidate that reproduces some steps, nil if there is none, or if they cannot be read
// in this way.
func (o alternative) match(ctx context.Context, snap model.Snapshot, steps []int) (*Candidate, error) {
	r := &Report{options: o.set.Options}
	var grouped []*analysis.GroupedStep
	for _, i := range steps {
		if o.wholeStep {
			o.set.NumGenerations = len(snap.Steps[i].Rewards)
		}
		one, err := groupSteps(snap, o.set, []int{i})
		if err != nil {
			return nil, nil
		}
		grouped = append(grouped, one...)
		r.Compared += countLogged(one[0].LoggedAdvantages)
	}
	if err := r.tryAll(ctx, snap, grouped, variant{}); err != nil || !r.HasMatch() {
		return nil, err
	}
	return &r.Matches[0].Candidate, nil
}

func alternatives(snap model.Snapshot, set model.Settings, rows int) []alternative {
	const wrongKey = "the groups are found by the wrong key"
	how := "with %d consecutive rows as a group"
	if snap.Run.Positional || set.GroupBy == model.GroupByID || set.GroupBy == model.GroupByPrompt {
		how = "with --group-by position --num-generations %d"
	}
	all := otherRewards(snap, set)
	for _, by := range []model.GroupBy{model.GroupByID, model.GroupByPrompt} {
		other := set
		other.GroupBy = by
		all = append(all, alternative{other, "with --group-by " + string(by), wrongKey, false})
	}
	set.GroupBy = model.GroupByPosition
	set.NumGenerations = rows
	all = append(all, alternative{set, "with the whole step as one group", "the trainer took the batch for a group", true})
	for _, n := range commonGroupSizes() {
		set.NumGenerations = n
		all = append(all, alternative{set, fmt.Sprintf(how, n), wrongKey, false})
	}
	return all
}

func otherRewards(snap model.Snapshot, set model.Settings) (all []alternative) {
	set.Weights = ""
	for _, name := range snap.Run.ComponentNames {
		if set.Reward = name; !model.HoldsNames(name) {
			all = append(all, alternative{set, "with --reward " + sanitize.Line(name), "the advantages are those of this column", false})
		}
	}
	return all
}

// Segment is some consecutive steps that one estimator reproduces.
type Segment struct {
	Candidate
	From, To int64 // numbers of the first and the last step
	Steps    int
}

// The limits of a mixture: beyond them steps agree by chance, or by an exception in each.
const (
	maxSegments       = 4
	minSegmentSignals = 2 // groups of a segment with an advantage other than 0
)

// findMixture returns the fewest runs of steps, in their order, each of which one estimator reproduces; nil
// if a step is reproduced by none, or if there are too many. Of several estimators those of one framework
// that has one for all runs come first, then those that assume least. Estimators that do not take the groups
// as they are match wherever groups are wrong: they count only if they are the trainer's own.
func (r *Report) findMixture(trainer string, grouped []*analysis.GroupedStep) []Segment {
	// verdicts on estimators that may be part of a mixture
	candidates := slices.DeleteFunc(slices.Clone(r.Others), func(v Verdict) bool {
		e, err := estimators.Find(v.Framework, v.Estimator)
		return err != nil || e.DependsOnBatch && !v.isOf(trainer)
	})
	var all []Segment
	var fitting [][]Verdict                // of each segment
	for at := len(grouped) - 1; at >= 0; { // the newest step comes first
		length := 0
		for i := range candidates {
			length = max(length, candidates[i].agreeingFrom(at))
		}
		if length == 0 || len(all) == maxSegments || signals(grouped[at-length+1:at+1]) < minSegmentSignals {
			return nil
		}
		all = append(all, Segment{From: grouped[at].Step, To: grouped[at-length+1].Step, Steps: length})
		fitting = append(fitting, slices.DeleteFunc(slices.Clone(candidates), func(v Verdict) bool { return v.agreeingFrom(at) < length }))
		at -= length
	}
	if len(all) < 2 {
		return nil
	}
	framework := commonFramework(fitting)
	for i := range all {
		all[i].Candidate = leastAssuming(fitting[i], framework).Candidate
	}
	return all
}

// commonFramework returns the framework with an estimator for each segment that assumes least in all, "" if
// none has.
func commonFramework(fitting [][]Verdict) string {
	best, least := "", 0
	for _, v := range fitting[0] {
		sum := 0
		for _, segment := range fitting {
			one := leastAssuming(segment, v.Framework)
			if one.Framework != v.Framework {
				sum = -1
				break
			}
			sum += one.assumptions
		}
		if sum >= 0 && (best == "" || sum < least) {
			best, least = v.Framework, sum
		}
	}
	return best
}

// leastAssuming returns the verdict of a framework that assumes least, of another if that has none.
func leastAssuming(all []Verdict, framework string) Verdict {
	return slices.MinFunc(all, func(v, w Verdict) int {
		return cmp.Or(model.Count01(w.Framework == framework)-model.Count01(v.Framework == framework), v.assumptions-w.assumptions)
	})
}

// lookForMixture looks for a mixture, and if there is none among advantages as they are, once rounded to the
// decimals that the log has.
func (r *Report) lookForMixture(ctx context.Context, snap model.Snapshot, grouped []*analysis.GroupedStep) error {
	r.Mixture = r.findMixture(snap.Run.Framework, grouped)
	d := loggedDecimals(grouped)
	if len(r.Mixture) > 0 || d == 0 {
		return nil
	}
	rounded := r.again(r.Compared)
	if err := rounded.tryAll(ctx, snap, grouped, variant{tolerance: roundingTolerance(d)}); err != nil {
		return err
	}
	if r.Mixture = rounded.findMixture(snap.Run.Framework, grouped); len(r.Mixture) > 0 {
		r.Decimals, r.Others = d, rounded.Others
	}
	return nil
}

// agreeingFrom returns how many steps agree in a row, from one on towards newer ones.
func (v *Verdict) agreeingFrom(at int) int {
	n := 0
	for at-n >= 0 && at < len(v.agreeing) && v.agreeing[at-n] {
		n++
	}
	return n
}

// signals counts the groups with an advantage other than 0.
func signals(grouped []*analysis.GroupedStep) int {
	n := 0
	for g := range groupsOf(grouped) {
		if hasSignal(g.logged) {
			n++
		}
	}
	return n
}

// mixtureClues says which steps are whose: "the estimator changes with the steps: trl grpo with scale group
// gives steps 1 to 2, from step 3 trl rloo with scale none". It is empty without a mixture.
func mixtureClues(all []Segment) []string {
	if len(all) == 0 {
		return nil
	}
	parts := []string{fmt.Sprintf("%s gives %s", all[0].Candidate, units.Steps(all[0].From, all[0].To))}
	for _, s := range all[1:] {
		part := fmt.Sprintf("from step %d %s", s.From, s.Candidate)
		if s.To != all[len(all)-1].To {
			part = fmt.Sprintf("from step %d to %d %s", s.From, s.To, s.Candidate)
		}
		parts = append(parts, part)
	}
	return []string{"the estimator changes with the steps: " + strings.Join(parts, ", ")}
}

// Filter is a sample filter whose advantages a log may hold: see model.Settings.
type Filter struct {
	KeepPos, KeepNeg float64
	Recompute        bool
}

// filterOf returns the filter of the settings, nil if they keep all samples.
func filterOf(set model.Settings) *Filter {
	if !set.Filtering() || estimators.CheckRatios(set.KeepPos, set.KeepNeg) != nil {
		return nil
	}
	return &Filter{set.KeepPos, set.KeepNeg, set.Recompute}
}

// String returns "keep_pos_ratio 0.5, keep_neg_ratio 0.25, compute_new_adv".
func (f Filter) String() string {
	return f.text("", "")
}

func (f Filter) text(pos, neg string) string {
	text := fmt.Sprintf("keep_pos_ratio %v%s, keep_neg_ratio %v%s", f.KeepPos, pos, f.KeepNeg, neg)
	if f.Recompute {
		text += ", compute_new_adv"
	}
	return text
}

// Flags returns the options that name the filter.
func (f Filter) Flags() string {
	text := fmt.Sprintf("--keep-pos-ratio %v --keep-neg-ratio %v", f.KeepPos, f.KeepNeg)
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
	for e, c := range r.candidates(snap) {
		if e.TrainerFilters {
			c.assumptions = -1
		}
		if !e.CanFilter || best != nil && least <= c.assumptions {
			continue
		}
		for _, f := range possibleFilters(grouped, e, c.Scale) {
			if reproducesFiltered(grouped, e, c.Candidate, f.Filter) {
				f.Candidate = c.Candidate
				best, least = &f, c.assumptions
				break
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
		unfiltered := s.Advantages(e, scale)
		if unfiltered == nil {
			return nil
		}
		for lo, hi := range s.Groups() {
			p, n := countKept(unfiltered[lo:hi], s.LoggedAdvantages[lo:hi])
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
		const parts = 20
		for p := range parts + 1 {
			for n := range parts + 1 {
				all = append(all, FoundFilter{Filter: Filter{float64(p) / parts, float64(n) / parts, true}})
			}
		}
	}
	return all
}

type keptOf struct{ kept, all int }

// countKept counts the positive and the negative samples of a group, and those whose logged advantage is not 0.
func countKept(unfiltered, logged []float64) (pos, neg keptOf) {
	for i, x := range unfiltered {
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

func (r ratioRange) round() float64 {
	for _, parts := range []float64{1, 2, 4, 10, 20, 100, 1000} {
		if x := math.Ceil(r.lo*parts) / parts; x >= r.lo && x <= r.hi {
			return x
		}
	}
	return r.lo
}

func reproducesFiltered(grouped []*analysis.GroupedStep, e *estimators.Estimator, c Candidate, f Filter) bool {
	how := variant{tolerance: roundingTolerance(loggedDecimals(grouped)), filter: &f}
	return !slices.ContainsFunc(grouped, func(s *analysis.GroupedStep) bool {
		v := Verdict{Candidate: c}
		return !v.evaluate([]*analysis.GroupedStep{s}, e, how) || v.FirstMismatch != nil
	})
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
