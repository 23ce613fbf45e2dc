package analysis

import (
	"context"
	"errors"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	"vantage/model"
)

// weighted is what the loss multiplies each advantage by.
type weighted struct {
	weights []float64 // by sample; nil if the settings name no loss, or whyNone says why there are none
	whyNone string
}

// weigh is the stage of the loss. Samples that a group filter takes out of the batch have weight 0 and count in no denominator; those
// that it masks count where the trainer counts them. Samples that the keep rule drops stay in the batch with advantage 0,
// and with a loss mask of 0 if the trainer gives them one.
func (a *Analysis) weigh(_ context.Context, set model.Settings) error {
	a.weighted = weighted{}
	loss, values, err := set.FindLoss()
	if err != nil || loss == nil {
		return err
	}
	b, rows := a.lossBatch(loss)
	weights := make([]float64, len(b.Advantages))
	if err := loss.Weigh(weights, b, values); err != nil {
		a.weighted.whyNone, err = whyNotApplied(&loss.Entry, err, ", which the log lacks")
		return err
	}
	if a.weighted.weights = weights; rows != nil {
		a.weighted.weights = make([]float64, len(a.grouped.InputRow))
		for k, i := range rows {
			a.weighted.weights[i] = weights[k]
		}
	}
	if a.shrinks() {
		for i := range a.weighted.weights { // the mean over the tokens that are left, of which the advantage has its share already
			if left := a.corrected.left(i); left > 0 {
				a.weighted.weights[i] /= left
			}
		}
	}
	return nil
}

// shrinks reports whether tokens that the off-policy rule removes no longer count in the denominator of the loss.
func (a *Analysis) shrinks() bool {
	return a.corrected.judgements != nil && a.plan.offPolicy.ShrinksLoss()
}

// leavesBatch reports whether the off-policy rule takes sample i out of the batch.
func (a *Analysis) leavesBatch(i int) bool {
	return a.corrected.judgements != nil && a.plan.offPolicy.DropsRows && a.corrected.left(i) == 0
}

// lengthsInLoss are the lengths of the tokens that count in the denominator of the loss.
func (a *Analysis) lengthsInLoss() []int32 {
	if !a.shrinks() || a.long.lengths == nil {
		return a.long.lengths
	}
	lengths := slices.Clone(a.long.lengths)
	for i, l := range lengths {
		lengths[i] = int32(math.Round(float64(l) * a.corrected.left(i)))
	}
	return lengths
}

// longAnswers says which answers are among the longest quarter, for the share of the loss that they have.
type longAnswers struct {
	lengths []int32 // 0 for unknown ones; nil if all are
	limit   int32   // what three quarters of them do not exceed, or fewer if that is the longest
}

// findLong is the stage that finds the longest answers, where there is a loss. It stands where no filter has it computed again.
func (a *Analysis) findLong(_ context.Context, set model.Settings) error {
	a.long = longAnswers{}
	if set.Loss != "" {
		a.long = longestQuarter(a.grouped.Lengths)
	}
	return nil
}

func longestQuarter(lengths []int32) longAnswers {
	l := longAnswers{lengths: knownLengths(lengths)}
	if len(l.lengths) > 0 {
		l.limit = -1
		longest := slices.Max(l.lengths)
		for _, q := range lossweight.Quartiles(l.lengths) {
			if q < longest {
				l.limit = q
			}
		}
	}
	return l
}

// lossMass is what samples do to an optimizer step.
type lossMass struct{ all, longest lossweight.Mass }

// sumMass adds up what the samples do to an optimizer step.
func (a *Analysis) sumMass(ctx context.Context) {
	parts := make([]lossMass, len(a.shaped.blocks))
	eachBlock(ctx, a.shaped.blocks, func(k int, b block) {
		parts[k].all = lossweight.MassOf(a.LossWeights[b.lo:b.hi], a.Processed[b.lo:b.hi])
		for i := b.lo; i < b.hi && a.long.lengths != nil; i++ {
			if a.long.lengths[i] > a.long.limit {
				parts[k].longest = parts[k].longest.Plus(lossweight.MassOf(a.LossWeights[i:i+1], a.Processed[i:i+1]))
			}
		}
	})
	for _, part := range parts {
		a.mass.all, a.mass.longest = a.mass.all.Plus(part.all), a.mass.longest.Plus(part.longest)
	}
}

// whyNotApplied says why a stage of the chain does nothing, given its error; what it needs is followed by more. Other errors
// are returned.
func whyNotApplied(stage *estimators.Entry, err error, more string) (string, error) {
	name := stage.Framework + "/" + stage.Name
	var refusal *estimators.Refusal
	switch {
	case errors.Is(err, lossweight.ErrNaN):
		return name + ": " + err.Error(), nil
	case !errors.As(err, &refusal):
		return "", err
	case refusal.Kind == estimators.KindMissing:
		return name + " needs " + refusal.Text + more, nil
	}
	return estimators.Title(stage.Framework) + " would stop: " + refusal.Error(), nil
}

// lossBatch is the batch that the loss averages over, and which samples its rows are; nil if they are
// all samples.
func (a *Analysis) lossBatch(loss *lossweight.Loss) (b lossweight.Batch, rows []int32) {
	g, statuses := &a.grouped, a.grouped.Status
	b = lossweight.Batch{Lengths: a.lengthsInLoss(), Offsets: g.Offsets, Advantages: a.corrected.samples, Masked: a.masked(loss)}
	if g.rollouts != nil { // else each row is one
		b.Rollouts = renumbered(g.rollouts.of)
	}
	leavesBatch := func(s model.Status) bool { return s > model.StatusMasked } // masked samples are in it, with a loss mask of 0
	isFiltered := !a.admitted.all && a.admitted.rule.Dropped != groupfilter.Masked
	isDropped := a.corrected.judgements != nil && a.plan.offPolicy.DropsRows
	if !isFiltered && !isDropped && !slices.ContainsFunc(statuses, leavesBatch) {
		return b, nil
	}
	isIn := func(i int) bool {
		return (!isFiltered || a.Trains(i)) && !a.leavesBatch(i) && (statuses == nil || !leavesBatch(statuses[i]))
	}
	rows = make([]int32, 0, len(g.InputRow))
	offsets := append(make([]int, 0, len(g.Offsets)), 0)
	for lo, hi := range g.Groups() {
		for i := lo; i < hi; i++ {
			if isIn(i) {
				rows = append(rows, int32(i))
			}
		}
		if n := len(rows); n > offsets[len(offsets)-1] {
			offsets = append(offsets, n)
		}
	}
	b.Offsets = offsets
	b.Lengths, b.Advantages, b.Masked = model.Pick(b.Lengths, rows), model.Pick(b.Advantages, rows), model.Pick(b.Masked, rows)
	b.Rollouts = renumbered(model.Pick(b.Rollouts, rows))
	return b, rows
}

// masked says which samples have a loss mask of 0; nil if none has.
func (a *Analysis) masked(loss *lossweight.Loss) []bool {
	isKept, statuses := a.kept.samples, a.grouped.Status
	byFilter := a.admitted.rule != nil && a.admitted.rule.Dropped == groupfilter.Masked
	byKeepRule := loss.MasksDropped && slices.Contains(isKept, false)
	byStatus := slices.Contains(statuses, model.StatusMasked)
	byPolicy := a.shrinks()
	if !byFilter && !byKeepRule && !byStatus && !byPolicy {
		return nil
	}
	masked := make([]bool, len(isKept))
	for i := range masked {
		isSkipped, isDropped := byFilter && !a.Trains(i), byKeepRule && !isKept[i]
		isRemoved := byPolicy && a.corrected.left(i) == 0
		masked[i] = isSkipped || isDropped || isRemoved || byStatus && statuses[i] == model.StatusMasked
	}
	return masked
}

// renumbered counts runs of equal numbers from 0; nil of nil.
func renumbered(numbers []int32) []int32 {
	from0 := slices.Clone(numbers)
	for k, number := range numbers {
		from0[k] = 0
		if k > 0 {
			from0[k] = from0[k-1] + int32(model.Count01(number != numbers[k-1]))
		}
	}
	return from0
}

func (a *Analysis) lossMetrics() []Metric {
	if a.LossWeights == nil {
		return nil
	}
	mass := a.mass.all
	metrics := []Metric{
		{"vantage/loss/mass", mass.Total()},
		{"vantage/loss/negative_to_positive", mass.NegativeToPositive()},
		{"vantage/loss/dilution", mass.Dilution()},
	}
	if a.long.lengths != nil {
		metrics = append(metrics, Metric{"vantage/loss/longest_quarter", a.mass.longest.ShareOf(mass)})
	}
	return metrics
}
