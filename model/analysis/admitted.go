package analysis

import (
	"context"
	"errors"
	"slices"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/model"
)

// admitted is what trains by the group filter and by the status of samples, and the advantages that this leaves.
type admitted struct {
	rule    *groupfilter.Filter // nil without a group filter
	verdict groupfilter.Admission
	samples []bool              // whether the rule lets each train; nil without one
	all     bool                // every sample trains by the rule
	refusal *estimators.Refusal // what the trainer's own code would raise for the step, nil if nothing

	isWhole    bool      // every sample trains, by status too: nothing is taken out of the unfiltered advantages
	trains     []bool    // of the batch; nil if isWhole
	advantages []float64 // of the batch, 0 of what does not train
}

// admit is the stage that asks the group filter, and leaves out what it drops and what does not train by its status. The filter counts
// every row, those of one rollout too, as trainers do.
func (a *Analysis) admit(_ context.Context, set model.Settings) error {
	ad := &a.admitted
	*ad = admitted{all: true, isWhole: true, advantages: a.unfiltered.advantages}
	rule, values, err := set.FindGroupFilter()
	if err != nil {
		return err
	}
	if rule != nil {
		ad.rule = rule
		if err := rule.Decide(&ad.verdict, a.filterBatch(), values); err != nil && !errors.As(err, &ad.refusal) {
			return err
		}
		ad.findSamples(a.grouped.Offsets)
		a.dropSkipped(set.Scale)
	}
	if isUntrained := func(s model.Status) bool { return !s.Trains() }; slices.ContainsFunc(a.grouped.Status, isUntrained) {
		a.dropUntrained()
	}
	return nil
}

// findSamples finds the samples that the rule lets train.
func (ad *admitted) findSamples(offsets []int) {
	ad.samples, ad.all = make([]bool, offsets[len(offsets)-1]), ad.verdict.Kept == nil
	for g, isAdmitted := range ad.verdict.Admitted {
		ad.all = ad.all && isAdmitted
		for i := offsets[g]; i < offsets[g+1] && isAdmitted; i++ {
			ad.samples[i] = ad.verdict.Kept == nil || ad.verdict.Kept[i]
		}
	}
}

func (a *Analysis) filterBatch() groupfilter.Batch {
	g := &a.grouped
	return groupfilter.Batch{
		Rewards: a.shaped.rewards, Raw: g.LoggedRewards, Offsets: g.Offsets, Advantages: a.unfiltered.samples,
		Lengths: knownLengths(g.Lengths),
		Column: func(name string) []float64 {
			for k, column := range a.plan.snap.Run.ComponentNames {
				if column == name && k < len(g.step.Components) && g.step.Components[k] != nil {
					return g.step.Component(g.InputRow, k)
				}
			}
			return nil
		},
	}
}

// dropSkipped takes out the samples that the rule drops. Where the advantages of a group depend on others they are computed again, unless
// the dropped samples stay in the batch under a mask.
func (a *Analysis) dropSkipped(scale estimators.Scale) {
	ad := &a.admitted
	if ad.all {
		return
	}
	ad.isWhole, ad.trains = false, lastOf(a.shaped.countedRollouts, ad.samples)
	before := ad.advantages
	if e := a.plan.estimator; ad.rule.Dropped != groupfilter.Masked && !e.Separable(a.unfiltered.batch, scale) {
		before = a.estimateAdmitted(scale)
	}
	ad.advantages = zeroUnless(ad.trains, before)
}

// estimateAdmitted returns the advantages of a batch without the groups that are not admitted, 0 of these.
func (a *Analysis) estimateAdmitted(scale estimators.Scale) []float64 {
	batch := a.unfiltered.batch
	inBatch := make([]bool, len(batch.Rewards))
	for g, isAdmitted := range a.admitted.verdict.Admitted {
		lo, hi := a.shaped.countedRollouts.ofGroup(g, a.grouped.Offsets)
		for i := lo; i < hi; i++ {
			inBatch[i] = isAdmitted
		}
	}
	rest := batch.Kept(inBatch)
	again := make([]float64, len(rest.Rewards))
	_ = a.plan.estimator.Compute(again, rest, scale) // what the trainer would raise was reported for the whole step
	advantages, next := make([]float64, len(inBatch)), 0
	for i, isIn := range inBatch {
		if isIn {
			advantages[i] = again[next]
			next++
		}
	}
	return advantages
}

// dropUntrained takes out the samples that do not train by their status.
func (a *Analysis) dropUntrained() {
	ad := &a.admitted
	before := ad.trains
	ad.isWhole, ad.trains = false, make([]bool, len(ad.advantages))
	for i, s := range lastOf(a.shaped.countedRollouts, a.grouped.Status) {
		ad.trains[i] = s.Trains() && (before == nil || before[i])
	}
	ad.advantages = zeroUnless(ad.trains, ad.advantages)
}

// zeroUnless returns the advantages of what trains, and 0 for the rest.
func zeroUnless(trains []bool, advantages []float64) []float64 {
	rest := make([]float64, len(advantages))
	for i, x := range advantages {
		rest[i] = estimators.IfKept(trains[i], x)
	}
	return rest
}

// Admitted reports whether the group filter admits group g; without a filter every group is.
func (a *Analysis) Admitted(g int) bool {
	return a.admitted.rule == nil || a.admitted.verdict.Admitted[g]
}

// Trains reports whether the group filter lets sample i train.
func (a *Analysis) Trains(i int) bool { return a.admitted.rule == nil || a.admitted.samples[i] }

// WhySkipped says what the group filter measured of group g: "std 0"; "" if it is admitted.
func (a *Analysis) WhySkipped(g int) string {
	if a.Admitted(g) {
		return ""
	}
	return a.admitted.verdict.Reasons[g].String()
}
