package analysis

import (
	"context"
	"errors"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
)

// admission is what the group filter of the settings says of a step; nil without one.
type admission struct {
	rule    *groupfilter.Filter
	verdict groupfilter.Verdict
	trains  []bool              // by sample: whether it trains
	refusal *estimators.Refusal // what the trainer's own code would raise for the batch, nil if nothing
	groups  int                 // admitted
	all     bool                // every sample trains
}

// admit asks the group filter, unless previous, which may be nil, did so already. It counts every row,
// those of one rollout too, as trainers do.
func (a *Analysis) admit(previous *Analysis) error {
	rule, values, err := a.Settings.FindGroupFilter()
	if err != nil || rule == nil {
		return err
	}
	if previous.hasAdmissionOf(a, rule) {
		a.admission = previous.admission
		return nil
	}
	ad := &admission{rule: rule, trains: make([]bool, a.Rows)}
	if err := rule.Decide(&ad.verdict, a.filterBatch(), values); err != nil && !errors.As(err, &ad.refusal) {
		return err
	}
	for g, admitted := range ad.verdict.Admitted {
		ad.groups += count01(admitted)
		if admitted && ad.verdict.Kept == nil {
			fill(ad.trains[a.Offsets[g]:a.Offsets[g+1]])
			continue
		}
		for i := a.Offsets[g]; i < a.Offsets[g+1]; i++ {
			ad.trains[i] = admitted && ad.verdict.Kept[i]
		}
	}
	ad.all = ad.groups == a.Groups && ad.verdict.Kept == nil
	a.admission = ad
	return nil
}

// hasAdmissionOf reports whether the group filter said the same of a before.
func (a *Analysis) hasAdmissionOf(o *Analysis, rule *groupfilter.Filter) bool {
	return a != nil && a.admission != nil && a.input == o.input && a.Settings.GroupFilter == o.Settings.GroupFilter && a.Settings.StageOptions == o.Settings.StageOptions &&
		a.Settings.Estimator == o.Settings.Estimator && a.Settings.Framework == o.Settings.Framework && (!rule.NeedsAdvantages || a.original == o.original)
}

func fill(flags []bool) {
	for i := range flags {
		flags[i] = true
	}
}

// filterBatch is the step as a group filter reads it.
func (a *Analysis) filterBatch() groupfilter.Batch {
	b := groupfilter.Batch{Rewards: a.Rewards, Raw: a.LoggedRewards, Offsets: a.Offsets, Advantages: a.Original, Lengths: knownLengths(a.Lengths)}
	b.Column = func(name string) []float64 {
		for k, column := range a.plan.snap.Run.ComponentNames {
			if column == name && k < len(a.input.step.Components) && a.input.step.Components[k] != nil {
				return a.input.step.Component(a.InputRow, k)
			}
		}
		return nil
	}
	return b
}

// Admitted reports whether the group filter admits group g; without a filter every group is.
func (a *Analysis) Admitted(g int) bool { return a.admission == nil || a.admission.verdict.Admitted[g] }

// Trains reports whether the group filter lets sample i train.
func (a *Analysis) Trains(i int) bool { return a.admission == nil || a.admission.trains[i] }

// WhySkipped says what the group filter measured of group g: "std 0"; "" if it is admitted.
func (a *Analysis) WhySkipped(g int) string {
	if a.Admitted(g) {
		return ""
	}
	return a.admission.verdict.Reasons[g].String()
}

// admittedAdvantages are the advantages of a batch whose dropped samples train no more: 0 for these.
// Where those of a group depend on others they are computed again, unless the dropped samples stay in
// the batch under a mask.
func (a *Analysis) admittedAdvantages(original []float64) (advantages []float64, trains []bool) {
	trains = lastOf(a.input.countedRollouts, a.admission.trains)
	if a.admission.all {
		return original, nil
	}
	advantages = make([]float64, len(original))
	e, scale := a.plan.estimator, a.Settings.Scale
	if a.admission.rule.Fate == groupfilter.Masked || e.Separable(a.Batch, scale) {
		a.copyOfTraining(advantages, original, trains)
		return advantages, trains
	}
	inBatch := make([]bool, len(original))
	for g, admitted := range a.admission.verdict.Admitted {
		lo, hi := a.input.countedRollouts.ofGroup(g, a.Offsets)
		for i := lo; i < hi; i++ {
			inBatch[i] = admitted
		}
	}
	kept := a.Batch.Kept(inBatch)
	again := make([]float64, len(kept.Rewards))
	_ = e.Compute(again, kept, scale) // what the trainer would raise was reported for the whole step
	next := 0
	for i, in := range inBatch {
		if in {
			advantages[i] = ifTrue(trains[i], again[next])
			next++
		}
	}
	return advantages, trains
}

// copyOfTraining writes the advantages of the samples that train, and 0 for the others.
func (a *Analysis) copyOfTraining(dst, advantages []float64, trains []bool) {
	eachBlock(context.Background(), a.original.blocks, func(_ int, b block) {
		for i := b.lo; i < b.hi; i++ {
			dst[i] = ifTrue(trains[i], advantages[i])
		}
	})
}

// ifTrue returns x if yes, else 0.
func ifTrue(yes bool, x float64) float64 {
	if yes {
		return x
	}
	return 0
}
