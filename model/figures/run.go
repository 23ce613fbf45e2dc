package figures

import (
	"math"
	"slices"
	"strings"

	"vantage/model/analysis"
)

// Over is how the metric of a run is made of those of its steps, so that it means of the run what it means of a step.
type Over int

// The ways. What is weighted by tokens is a mean over the steps, since a step does not keep its tokens.
const (
	MeanOfSteps Over = iota
	MeanOfSamples
	MeanOfGroups
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

// PartOfRun returns what a step adds to a mean over steps: its metric, and how often that counts. A mean reward that is not
// finite is that of the rewards that are.
func PartOfRun(s *analysis.StepFigures, metric string) (x, weight float64) {
	x, weight = s.Metric(metric), 1
	switch OverSteps(metric) {
	case MeanOfSamples:
		weight = float64(s.Rows)
	case MeanOfGroups:
		weight = float64(s.Groups)
	case MeanOfSteps, SumOfSteps, MostOfSteps, LeastOfSteps:
	}
	if x-x != 0 && s.FiniteRewards > 0 && (metric == "critic/score/mean" || metric == "critic/rewards/mean") {
		x, weight = s.RewardSum/float64(s.FiniteRewards), float64(s.FiniteRewards)
	}
	return x, weight
}

// RunMetric adds up the metric of steps. The zero value is that of no step.
type RunMetric struct {
	sum, weight float64
	steps       int
}

// Add adds the metric of a step. A step without a finite one adds nothing.
func (r *RunMetric) Add(s *analysis.StepFigures, metric string) {
	x, weight := PartOfRun(s, metric)
	if x-x != 0 {
		return
	}
	over := OverSteps(metric)
	switch r.steps++; {
	case over == MostOfSteps && r.steps > 1:
		r.sum = max(r.sum, x)
	case over == LeastOfSteps && r.steps > 1:
		r.sum = min(r.sum, x)
	default:
		r.sum, r.weight = r.sum+x*weight, r.weight+weight
	}
}

// Value returns the metric of the run, NaN if no step had one.
func (r *RunMetric) Value(metric string) float64 {
	switch over := OverSteps(metric); {
	case r.steps == 0:
		return math.NaN()
	case over == SumOfSteps || over == MostOfSteps || over == LeastOfSteps:
		return r.sum
	}
	return r.sum / r.weight
}
