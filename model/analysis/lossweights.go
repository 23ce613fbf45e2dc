package analysis

import (
	"context"
	"errors"
	"slices"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	"vantage/model"
)

// weigh computes what the loss of the settings multiplies each advantage by. Samples that a group
// filter takes out of the batch have weight 0 and count in no denominator; those that it masks count
// where the trainer counts them. Samples that the keep rule drops stay in the batch with advantage 0,
// and with a loss mask of 0 if the trainer gives them one.
func (a *Analysis) weigh(previous *Analysis) error {
	loss, values, err := a.Settings.FindLoss()
	if err != nil || loss == nil {
		return err
	}
	a.loss = newLossInput(a.input, previous)
	b, rows := a.lossBatch(loss)
	weights := make([]float64, len(b.Advantages))
	if err := loss.Weigh(weights, b, values); err != nil {
		a.NoLoss, err = whyNotApplied(&loss.Entry, err, ", which the log lacks")
		return err
	}
	if a.LossWeights = weights; rows != nil {
		a.LossWeights = make([]float64, a.Rows)
		for k, i := range rows {
			a.LossWeights[i] = weights[k]
		}
	}
	return nil
}

// lossInput is what the loss reads of a step, whatever the settings.
type lossInput struct {
	of      *stepInput
	lengths []int32 // 0 for unknown ones; nil if all are
	long    int32   // what three quarters of them do not exceed, or fewer if that is the longest

	all, longest lossweight.Mass // of all samples, and of those that are longer
}

// newLossInput is that of previous, which may be nil, if the step is the same.
func newLossInput(in *stepInput, previous *Analysis) lossInput {
	if previous != nil && previous.loss.of == in {
		return lossInput{of: in, lengths: previous.loss.lengths, long: previous.loss.long}
	}
	l := lossInput{of: in, lengths: knownLengths(in.Lengths)}
	if len(l.lengths) > 0 {
		l.long = -1
		longest := slices.Max(l.lengths)
		for _, q := range lossweight.Quartiles(l.lengths) {
			if q < longest {
				l.long = q
			}
		}
	}
	return l
}

// sumMass adds up what the samples do to an optimizer step.
func (a *Analysis) sumMass(ctx context.Context) {
	parts := make([][2]lossweight.Mass, len(a.input.blocks))
	eachBlock(ctx, a.input.blocks, func(k int, b block) {
		parts[k][0] = lossweight.MassOf(a.LossWeights[b.lo:b.hi], a.Processed[b.lo:b.hi])
		for i := b.lo; i < b.hi && a.loss.lengths != nil; i++ {
			if a.loss.lengths[i] > a.loss.long {
				parts[k][1] = parts[k][1].Plus(lossweight.MassOf(a.LossWeights[i:i+1], a.Processed[i:i+1]))
			}
		}
	})
	for _, part := range parts {
		a.loss.all, a.loss.longest = a.loss.all.Plus(part[0]), a.loss.longest.Plus(part[1])
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
	b = lossweight.Batch{
		Lengths: a.loss.lengths, Offsets: a.Offsets, Advantages: a.Processed,
		Masked: a.masked(loss),
	}
	if r := a.input.rollouts; r != nil { // else each row is one
		b.Rollouts = renumbered(r.of)
	}
	filtered := a.admission != nil && !a.admission.all && a.admission.rule.Dropped != groupfilter.Masked
	isIn := func(i int) bool { // Masked samples are, with a loss mask of 0.
		return (!filtered || a.Trains(i)) && (a.Status == nil || a.Status[i] <= model.StatusMasked)
	}
	if !filtered && !slices.ContainsFunc(a.Status, func(s model.Status) bool { return s > model.StatusMasked }) {
		return b, nil
	}
	rows = make([]int32, 0, a.Rows)
	offsets := append(make([]int, 0, a.Groups+1), 0)
	for g := range a.Groups {
		for i := a.Offsets[g]; i < a.Offsets[g+1]; i++ {
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
	filter := a.admission != nil && a.admission.rule.Dropped == groupfilter.Masked
	dropped := loss.MasksDropped && a.Kept < a.Rows
	byStatus := slices.Contains(a.Status, model.StatusMasked)
	if !filter && !dropped && !byStatus {
		return nil
	}
	masked := make([]bool, a.Rows)
	for i := range masked {
		masked[i] = filter && !a.Trains(i) || dropped && !a.Keep[i] || byStatus && a.Status[i] == model.StatusMasked
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
	mass := a.loss.all
	metrics := []Metric{
		{"vantage/loss/mass", mass.Total()},
		{"vantage/loss/negative_to_positive", mass.NegativeToPositive()},
		{"vantage/loss/dilution", mass.Dilution()},
	}
	if a.loss.lengths != nil {
		metrics = append(metrics, Metric{"vantage/loss/longest_quarter", a.loss.longest.ShareOf(mass)})
	}
	return metrics
}
