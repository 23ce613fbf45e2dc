package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Weights are the factors of reward functions, sorted by name: "a=1,b=0.5". "" is none.
type Weights string

// parseWeights reads weights in any order; "" is none.
func parseWeights(text string) (Weights, error) {
	if text == "" {
		return "", nil
	}
	var names, parts []string
	for part := range strings.SplitSeq(text, ",") {
		name, value := cutWeight(part)
		x, err := strconv.ParseFloat(value, 64)
		if name == "" || err != nil || !isFinite(x) || slices.Contains(names, name) {
			return "", fmt.Errorf("weights must be like correctness=1,format=0.5, each name once, got %q", text)
		}
		names = append(names, name)
		parts = append(parts, name+"="+strconv.FormatFloat(x, 'g', -1, 64))
	}
	slices.Sort(parts)
	return Weights(strings.Join(parts, ",")), nil
}

// cutWeight splits at the last "=", since a name may contain one.
func cutWeight(part string) (name, value string) {
	at := strings.LastIndexByte(part, '=')
	return strings.TrimSpace(part[:max(0, at)]), strings.TrimSpace(part[at+1:])
}

// Names are the reward functions with a weight.
func (w Weights) Names() []string {
	var names []string
	for part := range strings.SplitSeq(string(w), ",") {
		if name, _, found := strings.Cut(part, "="); found {
			names = append(names, name)
		}
	}
	return names
}

// Factors returns the factor of each reward function in names, 0 for one without a weight, and the
// reward functions with a weight that are not in names.
func (w Weights) Factors(names []string) (factors []float64, unknown []string) {
	factors = make([]float64, len(names))
	for part := range strings.SplitSeq(string(w), ",") {
		name, value := cutWeight(part)
		x, _ := strconv.ParseFloat(value, 64)
		if k := slices.Index(names, name); k >= 0 {
			factors[k] = x
		} else {
			unknown = append(unknown, name)
		}
	}
	return factors, unknown
}
