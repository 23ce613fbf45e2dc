package figures

import (
	"math"
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
	switch metric {
	case "critic/score/mean", "critic/rewards/mean", "response_length/mean", "response_length/clip_ratio", "frac_reward_zero_std",
		"vantage/kept":
		return MeanOfSamples
	case "vantage/signal", "vantage/admitted":
		return MeanOfGroups
	case "vantage/abs_advantage_ratio":
		return ShareOfAdvantage
	case "vantage/effective_samples":
		return EffectiveSamples
	case "response_length_no_cutoff/count", "vantage/nonzero_advantages", "vantage/flips":
		return SumOfSteps
	}
	switch {
	case strings.HasSuffix(metric, "/max"):
		return MostOfSteps
	case strings.HasSuffix(metric, "/min"):
		return LeastOfSteps
	case strings.HasPrefix(metric, "sample_distribution/"), strings.HasPrefix(metric, "vantage/solve_rate/"):
		return SumOfSteps
	}
	return MeanOfSteps
}

// RunMetric is a metric of some steps. The zero value is that of no step.
type RunMetric struct {
	over        Over
	sum, weight float64
	steps       int
}

// MetricOf returns the metric of one step.
func MetricOf(s *analysis.StepFigures, metric string) RunMetric {
	return metricOf(s, metric, OverSteps(metric), s.Metric(metric))
}

func metricOf(s *analysis.StepFigures, metric string, over Over, x float64) RunMetric {
	weight := 1.0
	switch over {
	case MeanOfSamples:
		weight = float64(s.Rows)
	case MeanOfGroups:
		weight = float64(s.Groups)
	case ShareOfAdvantage:
		return RunMetric{over, s.AbsProcessed, s.AbsUnfiltered, 1}
	case EffectiveSamples:
		return RunMetric{over, s.AbsProcessed, s.Squares, 1}
	case MeanOfSteps, SumOfSteps, MostOfSteps, LeastOfSteps:
	}
	if s.FiniteRewards > 0 && (metric == "critic/score/mean" || metric == "critic/rewards/mean") {
		x, weight = s.RewardSum/float64(s.FiniteRewards), float64(s.FiniteRewards)
	}
	return RunMetric{over, x * weight, weight, 1}
}

// Reward returns the mean reward of a step, and whether rewards that are NaN, infinite or missing count in it, as they do for the trainer:
// else it is the mean of the others.
func Reward(s *analysis.StepFigures) (mean float64, counted bool) {
	r := MetricOf(s, "critic/score/mean")
	return r.Value(), s.InvalidRewards > 0 && s.FiniteRewards == 0
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

// Join adds the same metric of other steps.
func (r *RunMetric) Join(o RunMetric) {
	switch {
	case r.steps == 0:
		*r = o
		return
	case o.over == MostOfSteps:
		r.sum = max(r.sum, o.sum)
	case o.over == LeastOfSteps:
		r.sum = min(r.sum, o.sum)
	default:
		r.sum, r.weight = r.sum+o.sum, r.weight+o.weight
	}
	r.steps += o.steps
}

// Add adds the metric of a step. A step without a finite one adds nothing.
func (r *RunMetric) Add(s *analysis.StepFigures, metric string) { r.AddNear(s, metric, 0) }

// AddNear is Add of a metric that is probably the one at an index in the step: most steps list the same metrics.
func (r *RunMetric) AddNear(s *analysis.StepFigures, metric string, index int) {
	over := r.over
	if r.steps == 0 {
		over = OverSteps(metric)
	}
	x, _ := s.MetricNear(metric, index)
	if o := metricOf(s, metric, over, x); units.IsFinite(o.sum) {
		r.Join(o)
	}
}

// Value returns the metric of the steps, NaN if there are none.
func (r *RunMetric) Value() float64 {
	switch {
	case r.steps == 0:
		return math.NaN()
	case r.over == SumOfSteps || r.over == MostOfSteps || r.over == LeastOfSteps:
		return r.sum
	case r.over == EffectiveSamples:
		return r.sum * r.sum / r.weight
	}
	return r.sum / r.weight
}

// OfAStep returns the metric as that of one step: of a sum over the steps the mean of a step.
func (r *RunMetric) OfAStep() float64 {
	if r.over == SumOfSteps {
		return r.sum / r.weight
	}
	return r.Value()
}
