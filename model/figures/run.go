package figures

import (
	"math"
	"slices"
	"strings"

	"vantage/model/analysis"
	"vantage/model/units"
)

// Over is how the metric of a run is made of those of its steps, so that it means of the run what it means of a step.
type Over int

// The ways. What is weighted by tokens is a mean over the steps, since a step does not keep its tokens.
const (
	MeanOfSteps Over = iota
	MeanOfSamples
	MeanOfGroups
	ShareOfAdvantage // of Σ|A|
	EffectiveSamples
	SumOfSteps
	MostOfSteps
	LeastOfSteps
)

// OverSteps returns how the metric of that name is made of those of some steps.
func OverSteps(metric string) Over {
	switch {
	case slices.Contains([]string{
		"critic/score/mean", "critic/rewards/mean", "response_length/mean", "response_length/clip_ratio", "frac_reward_zero_std", "vantage/kept",
	}, metric):
		return MeanOfSamples
	case metric == "vantage/signal" || metric == "vantage/admitted":
		return MeanOfGroups
	case metric == "vantage/abs_advantage_ratio":
		return ShareOfAdvantage
	case metric == "vantage/effective_samples":
		return EffectiveSamples
	case strings.HasSuffix(metric, "/max"):
		return MostOfSteps
	case strings.HasSuffix(metric, "/min"):
		return LeastOfSteps
	case strings.HasPrefix(metric, "sample_distribution/") || strings.HasPrefix(metric, "vantage/solve_rate/"),
		slices.Contains([]string{"response_length_no_cutoff/count", "vantage/nonzero_advantages", "vantage/flips"}, metric):
		return SumOfSteps
	}
	return MeanOfSteps
}

// RunMetric is the metric of some steps. The zero value is that of no step.
type RunMetric struct {
	sum, weight float64
	steps       int
}

// MetricOf returns the metric of one step. A mean reward that is not finite is that of the rewards that are.
func MetricOf(s *analysis.StepFigures, metric string) RunMetric {
	x, weight := s.Metric(metric), 1.0
	switch OverSteps(metric) {
	case MeanOfSamples:
		weight = float64(s.Rows)
	case MeanOfGroups:
		weight = float64(s.Groups)
	case ShareOfAdvantage:
		return RunMetric{s.AbsProcessed, s.AbsOriginal, 1}
	case EffectiveSamples:
		return RunMetric{s.AbsProcessed, s.Squares, 1}
	case MeanOfSteps, SumOfSteps, MostOfSteps, LeastOfSteps:
	}
	if x-x != 0 && s.FiniteRewards > 0 && (metric == "critic/score/mean" || metric == "critic/rewards/mean") {
		x, weight = s.RewardSum/float64(s.FiniteRewards), float64(s.FiniteRewards)
	}
	return RunMetric{x * weight, weight, 1}
}

// Reward returns the mean reward of a step, and whether rewards that are NaN, infinite or missing count in it, as they do for the trainer:
// else it is the mean of the others.
func Reward(s *analysis.StepFigures) (mean float64, counted bool) {
	const metric = "critic/score/mean"
	r := MetricOf(s, metric)
	return r.Value(metric), s.InvalidRewards > 0 && s.FiniteRewards == 0
}

// Rewards is the mean reward of each step, by [Reward]: NaN where a step is pending or open.
func Rewards(t *analysis.Trend) []float64 {
	all := t.Series("critic/score/mean")
	for i := range t.Steps {
		if s := &t.Steps[i]; !s.Open && !s.Pending {
			all[i], _ = Reward(s)
		}
	}
	return all
}

// InvalidText says how many rewards are no numbers, and if they count in the mean next to it; "" if all are.
func InvalidText(invalid int, counted bool) string {
	switch {
	case invalid == 0:
		return ""
	case counted:
		return units.Count(invalid) + " NaN or missing as the trainer counts them"
	}
	return units.Count(invalid) + " NaN or missing"
}

// Join adds the metric of other steps.
func (r *RunMetric) Join(o RunMetric, metric string) {
	switch over := OverSteps(metric); {
	case r.steps == 0:
		*r = o
		return
	case over == MostOfSteps:
		r.sum = max(r.sum, o.sum)
	case over == LeastOfSteps:
		r.sum = min(r.sum, o.sum)
	default:
		r.sum, r.weight = r.sum+o.sum, r.weight+o.weight
	}
	r.steps += o.steps
}

// Add adds the metric of a step. A step without a finite one adds nothing.
func (r *RunMetric) Add(s *analysis.StepFigures, metric string) {
	if o := MetricOf(s, metric); o.sum-o.sum == 0 {
		r.Join(o, metric)
	}
}

// Value returns the metric of the steps, NaN if there are none.
func (r *RunMetric) Value(metric string) float64 {
	switch over := OverSteps(metric); {
	case r.steps == 0:
		return math.NaN()
	case over == SumOfSteps || over == MostOfSteps || over == LeastOfSteps:
		return r.sum
	case over == EffectiveSamples:
		return r.sum * r.sum / r.weight
	}
	return r.sum / r.weight
}

// OfAStep returns the metric as that of one step: of a sum over the steps the mean of a step.
func (r *RunMetric) OfAStep(metric string) float64 {
	if OverSteps(metric) == SumOfSteps {
		return r.sum / r.weight
	}
	return r.Value(metric)
}
