package analysis

import (
	"errors"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
)

// weigh computes what the loss of the settings multiplies each advantage by. Samples that a group
// filter takes out of the batch have weight 0 and count in no denominator; those that it masks count
// where the trainer counts them. Samples that the keep rule drops stay in the batch with advantage 0.
func (a *Analysis) weigh() error {
	loss, values, err := a.Settings.FindLoss()
	if err != nil || loss == nil {
		return err
	}
	b, rows := a.lossBatch()
	weights := make([]float64, len(rows))
	var refusal *estimators.Refusal
	switch err := loss.Weigh(weights, b, values); {
	case errors.As(err, &refusal) && refusal.Kind == estimators.KindMissing:
		a.NoLoss = loss.Framework + "/" + loss.Name + " needs " + refusal.Text + ", which the log lacks"
		return nil
	case errors.As(err, &refusal):
		a.NoLoss = loss.Framework + " would stop: " + refusal.Error()
		return nil
	case err != nil:
		return err
	}
	a.LossWeights = make([]float64, a.Rows)
	for k, i := range rows {
		a.LossWeights[i] = weights[k]
	}
	return nil
}

// lossBatch is the batch that the loss averages over, and which samples its rows are.
func (a *Analysis) lossBatch() (b lossweight.Batch, rows []int32) {
	masks := a.admission != nil && a.admission.rule.Fate == groupfilter.Masked
	lengths := knownLengths(a.Lengths)
	b.Offsets = []int{0}
	for g := range a.Groups {
		for i := a.Offsets[g]; i < a.Offsets[g+1]; i++ {
			if a.Trains(i) || masks {
				rows = append(rows, int32(i))
			}
		}
		if n := len(rows); n > b.Offsets[len(b.Offsets)-1] {
			b.Offsets = append(b.Offsets, n)
		}
	}
	b.Advantages = make([]float64, len(rows))
	if lengths != nil {
		b.Lengths = make([]int32, len(rows))
	}
	for k, i := range rows {
		b.Advantages[k] = a.Processed[i]
		if lengths != nil {
			b.Lengths[k] = lengths[i]
		}
		if masks {
			b.Masked = append(b.Masked, !a.Trains(int(i)))
		}
	}
	if r := a.input.rollouts; r != nil {
		b.Rollouts = make([]int32, len(rows))
		for k := 1; k < len(rows); k++ { // numbered without a gap
			b.Rollouts[k] = b.Rollouts[k-1] + int32(one(r.of[rows[k]] != r.of[rows[k-1]]))
		}
	}
	return b, rows
}

// Mass is what the samples of the step, and what each quarter of them by length, do to an optimizer
// step; ok is false if there are no LossWeights.
func (a *Analysis) Mass() (all lossweight.Mass, byLength []lossweight.LengthBin, ok bool) {
	if a.LossWeights == nil {
		return all, nil, false
	}
	if lengths := knownLengths(a.Lengths); lengths != nil {
		byLength = lossweight.ByLength(a.LossWeights, a.Processed, lengths)
	}
	return lossweight.MassOf(a.LossWeights, a.Processed), byLength, true
}

// lossMetrics are the figures of the loss.
func (a *Analysis) lossMetrics() []Metric {
	mass, byLength, ok := a.Mass()
	if !ok {
		return nil
	}
	metrics := []Metric{
		{"vantage/loss/mass", mass.Total()},
		{"vantage/loss/negative_to_positive", mass.NegativeToPositive()},
		{"vantage/loss/dilution", mass.Dilution()},
	}
	if len(byLength) > 0 {
		longest := byLength[len(byLength)-1]
		metrics = append(metrics, Metric{"vantage/loss/longest_quarter", longest.ShareOf(mass)})
	}
	return metrics
}
