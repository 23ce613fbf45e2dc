package match

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
)

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
	candidates := r.mixable(trainer)
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
		if (v.Framework == framework) != (w.Framework == framework) {
			if v.Framework == framework {
				return -1
			}
			return 1
		}
		return cmp.Compare(v.assumptions, w.assumptions)
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

// mixable returns the verdicts on estimators that may be part of a mixture.
func (r *Report) mixable(trainer string) []Verdict {
	var all []Verdict
	for _, v := range r.Others {
		e, err := estimators.Find(v.Framework, v.Estimator)
		if err == nil && (!e.DependsOnBatch || v.IsOf(trainer)) {
			all = append(all, v)
		}
	}
	return all
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
	for _, s := range grouped {
		for g := range len(s.Offsets) - 1 {
			if hasSignal(s.LoggedAdvantages[s.Offsets[g]:s.Offsets[g+1]]) {
				n++
			}
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
	parts := []string{fmt.Sprintf("%s gives %s", all[0].Candidate, stepRange(all[0].From, all[0].To))}
	for _, s := range all[1:] {
		part := fmt.Sprintf("from step %d %s", s.From, s.Candidate)
		if s.To != all[len(all)-1].To {
			part = fmt.Sprintf("from step %d to %d %s", s.From, s.To, s.Candidate)
		}
		parts = append(parts, part)
	}
	return []string{"the estimator changes with the steps: " + strings.Join(parts, ", ")}
}

func stepRange(from, to int64) string {
	if from == to {
		return fmt.Sprintf("step %d", from)
	}
	return fmt.Sprintf("steps %d to %d", from, to)
}
