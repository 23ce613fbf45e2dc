package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Weights are the factors of reward functions, sorted by name: "a=1,b=0.5". "" is none. A function
// with factor 0 is one all the same: it counts in the order in which trainers add.
type Weights string

// NewWeights returns the weights that a text like a=1,b=0.5 gives, "" if it is none or a name would be
// misread.
func NewWeights(text string) Weights {
	w, err := parseWeights(text, true)
	if err != nil {
		return ""
	}
	return w
}

// parseWeights reads weights in any order; "" is none. If bare is set, a name alone has weight 1.
func parseWeights(text string, bare bool) (Weights, error) {
	if text == "" {
		return "", nil
	}
	var names, parts []string
	for part := range strings.SplitSeq(text, ",") {
		name, value := cutWeight(part)
		if bare && !strings.Contains(part, "=") {
			name, value = strings.TrimSpace(part), "1"
		}
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

// parseReward reads a column, or several with or without weights: "accuracy" or "accuracy,format=0.3".
// A column keeps the weights, with which it is refused later: see Settings.Validate.
func parseReward(text string, weights Weights) (column string, _ Weights, err error) {
	_, value := cutWeight(text)
	_, notNumber := strconv.ParseFloat(value, 64)
	if !strings.Contains(text, ",") && (!strings.Contains(text, "=") || notNumber != nil) {
		return text, weights, nil
	}
	weights, err = parseWeights(text, true)
	return "", weights, err
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
		if name, _ := cutWeight(part); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Factors returns the factor of each reward function in names, 0 for one without a weight, and the
// reward functions with a weight that are not in names.
func (w Weights) Factors(names []string) (factors []float64, unknown []string) {
	factors = make([]float64, len(names))
	if w == "" {
		return factors, nil
	}
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

// Formula returns the weighted sum in words, in the order of names: "accuracy + 0.3·format".
func (w Weights) Formula(names []string) string {
	factors, unknown := w.Factors(names)
	var parts []string
	for _, name := range append(slices.Clone(names), unknown...) {
		if !slices.Contains(w.Names(), name) {
			continue
		}
		part := name
		if k := slices.Index(names, name); k >= 0 && factors[k] != 1 {
			part = strconv.FormatFloat(factors[k], 'g', -1, 64) + "·" + name
		}
		parts = append(parts, part)
	}
	return strings.ReplaceAll(strings.Join(parts, " + "), "+ -", "− ")
}

// Times returns the weights times a number.
func (w Weights) Times(x float64) Weights {
	factors, names := []string{}, w.Names()
	all, _ := w.Factors(names)
	for k, name := range names {
		factors = append(factors, name+"="+strconv.FormatFloat(x*all[k], 'g', -1, 64))
	}
	return Weights(strings.Join(factors, ","))
}
