package offpolicy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
)

// criterion is one of the tests of a rejection as verl wrote it first and Unsloth has it too: an estimator of the
// divergence, of a token or of its row, within bounds.
type criterion struct {
	name      string // "token_k1", "seq_mean_k3"
	low, high float32
}

// criteria are the names of all tests.
func criteria() []string {
	return []string{
		"token_k1", "token_k2", "token_k3", "seq_sum_k1", "seq_sum_k2", "seq_sum_k3",
		"seq_mean_k1", "seq_mean_k2", "seq_mean_k3", "seq_max_k2", "seq_max_k3",
	}
}

// criteriaOf reads the list of tests and the thresholds, one for each or one for all. k1 is bounded on both sides, by the
// logarithms of two ratios, of which the lower is the reciprocal of the upper if only that is given.
func criteriaOf(tests, thresholds string) ([]criterion, error) {
	names := []string{}
	for _, name := range words(tests) {
		if !slices.Contains(criteria(), name) {
			return nil, valueError(fmt.Sprintf("Invalid rollout_rs option: %s. Must be one of %s.", name, strings.Join(criteria(), ", ")))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	specs := words(thresholds)
	switch {
	case thresholds == "none" || len(specs) == 0:
		return nil, valueError("rollout_rs_threshold must be provided for rejection sampling.")
	case len(specs) == 1:
		specs = slices.Repeat(specs, len(names))
	case len(specs) != len(names):
		return nil, valueError(fmt.Sprintf("rollout_rs_threshold expects either one threshold shared by all options or exactly %d "+
			"thresholds to match the provided rollout_rs options.", len(names)))
	}
	var all []criterion
	for i, name := range names {
		c, err := criterionOf(name, specs[i])
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func criterionOf(name, spec string) (criterion, error) {
	low, high, ok := lowHigh(spec, func(high float64) float64 { return 1 / high })
	ofRatio := strings.HasSuffix(name, "k1")
	switch {
	case !ofRatio && strings.Contains(spec, "_"):
		return criterion{}, valueError(fmt.Sprintf("rollout_rs_threshold for option '%s' must provide a single upper bound without '_'. "+
			"Received '%s'.", name, spec))
	case !ok:
		return criterion{}, valueError(fmt.Sprintf("Invalid numeric threshold '%s' for option '%s'.", spec, name))
	case high <= 0 || low <= 0:
		return criterion{}, valueError(fmt.Sprintf("Threshold for option '%s' must be positive, got %s.", name, spec))
	case ofRatio && low > high:
		return criterion{}, valueError(fmt.Sprintf("Thresholds for option '%s' must be lower <= upper, got %s.", name, spec))
	case ofRatio:
		return criterion{name, float32(math.Log(low)), float32(math.Log(high))}, nil
	}
	return criterion{name, float32(math.Inf(-1)), float32(high)}, nil
}

// estimator is the divergence of a token by its log ratio; third is the trainer's way to write k3.
func (c criterion) estimator(third func(float32) float32) func(float32) float32 {
	switch {
	case strings.HasSuffix(c.name, "k1"):
		return k1
	case strings.HasSuffix(c.name, "k2"):
		return k2
	}
	return third
}

// ofRow is the statistic of a row, by the divergences of its tokens that count.
func (c criterion) ofRow(x *row, divergences []float32) float32 {
	switch total := x.sum(x.onMask(divergences, x.mask)); {
	case strings.HasPrefix(c.name, "seq_sum"):
		return total
	case strings.HasPrefix(c.name, "seq_mean"):
		return x.mean(total, x.mask)
	}
	most := largest(divergences, x.mask)
	if math.IsInf(float64(most), -1) {
		return 0
	}
	return most
}

// rejectBy takes what fails a test out of the mask: tokens, or the row. Each test reads the logged mask.
func (x *row) rejectBy(tests []criterion, safe []float32, third func(float32) float32) {
	for _, c := range tests {
		divergences := x.mapped(safe, c.estimator(third))
		if strings.HasPrefix(c.name, "token") {
			x.reject(func(i int) bool { return !within(divergences[i], c.low, c.high) })
		} else {
			x.rejectAll(!within(c.ofRow(x, divergences), c.low, c.high))
		}
	}
}

// rejectionOptions are the two options of the tests.
func rejectionOptions(also ...string) []estimators.Option {
	return []estimators.Option{
		text("rollout_rs", "none", "tests with commas between them", "what must be within bounds: "+estimators.Alternatives(criteria()),
			also...),
		text("rollout_rs_threshold", "none", "LOW_HIGH or HIGH, with commas", "the bounds, one for all tests or one for each"),
	}
}
