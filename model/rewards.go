package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
	"vantage/model/units"
)

// Rewards returns the rewards of rows of a step, in the given order of rows: as logged, from a
// column, or the weighted sum of several, as the settings say. They must not be changed. It fails if the log has no such column.
func (s Snapshot) Rewards(step Step, order []int32, set Settings) ([]float64, error) {
	names := s.Run.ComponentNames
	if err := s.Run.CheckReward(set); err != nil {
		return nil, err
	}
	switch {
	case set.Weights != "":
		factors, _ := set.Weights.Factors(names)
		return weightedSum(step, order, s.Run.ComponentIndexes(set.Weights.Names()), factors), nil
	case set.Reward != "":
		rewards := step.Component(order, slices.Index(names, set.Reward))
		for i, x := range rewards {
			if math.IsNaN(x) {
				rewards[i] = estimators.MissingReward()
			}
		}
		return rewards, nil
	}
	trainer := s.Run.Framework
	sumsInFloat32 := trainer == "ms-swift" || trainer == "trl" || strings.HasPrefix(trainer, "trl-") // each sum of two
	if columns := s.Run.SummedColumns(); len(columns) > 1 && sumsInFloat32 {
		ones := slices.Repeat([]float64{1}, len(names))
		return weightedSum(step, order, s.Run.ComponentIndexes(columns), ones), nil
	}
	return InOrder(&s, step.Rewards, order), nil
}

// weightedSum adds components, in the order of the log, as trainers do.
func weightedSum(step Step, order []int32, indexes []int, factors []float64) []float64 {
	var components [][]float64
	var weights []float64
	for _, k := range slices.Sorted(slices.Values(indexes)) {
		components = append(components, step.Component(order, k))
		weights = append(weights, factors[k])
	}
	sum := make([]float64, len(order))
	estimators.WeightedRewards(sum, components, weights)
	return sum
}

// ComponentIndexes are the indexes of components by name, without those that the log lacks.
func (r *Run) ComponentIndexes(names []string) []int {
	var all []int
	for _, name := range names {
		if k := slices.Index(r.ComponentNames, name); k >= 0 {
			all = append(all, k)
		}
	}
	return all
}

// Component returns what reward function k gave to rows of the step, in the given order, NaN where nothing.
func (s *Step) Component(order []int32, k int) []float64 {
	values := make([]float64, len(order))
	for i, row := range order {
		values[i] = math.NaN()
		if k < len(s.Components) && s.Components[k] != nil {
			values[i] = s.Components[k][row]
		}
	}
	return values
}

// Verdicts returns the column that says whether rows of a step are correct, with 0 or 1, in that order; nil if the log has none.
func (s Snapshot) Verdicts(step Step, order []int32) []float64 {
	if s.verdictColumn == 0 {
		return nil
	}
	return step.Component(order, s.verdictColumn-1)
}

func baselineNames() []string {
	return []string{"reward_baseline", "reward_baselines", "baseline", "greedy_reward"}
}

// BaselineColumn is the index of the component with the rewards of greedy responses, -1 if there is none.
func (r *Run) BaselineColumn() int {
	return slices.IndexFunc(r.ComponentNames, func(name string) bool { return slices.Contains(baselineNames(), name) })
}

// InputColumn is the index of the component that holds a column which an estimator reads beside the rewards,
// -1 if there is none.
func (r *Run) InputColumn(c estimators.Column) int {
	for _, name := range c.Names() {
		if k := slices.Index(r.ComponentNames, name); k >= 0 {
			return k
		}
	}
	return -1
}

// HoldsNames reports whether a component is a column of names, which its values only stand for.
func HoldsNames(component string) bool {
	c, ok := estimators.ColumnNamed(component)
	return ok && c.HoldsNames()
}

// RewardFunctions are the indices of the components that an estimator of several rewards reads: those
// in the weights if weights are given, else all but the baseline, what an estimator reads beside rewards,
// and the log's metrics, some of which are no rewards (counts of turns).
func (r *Run) RewardFunctions(w Weights) []int {
	if w != "" {
		return slices.Sorted(slices.Values(r.ComponentIndexes(w.Names())))
	}
	var all []int
	for k, name := range r.ComponentNames {
		c, isColumn := estimators.ColumnNamed(name)
		isInput := isColumn && c != estimators.StepReward
		if !slices.Contains(baselineNames(), name) && !strings.HasPrefix(name, "metrics/") && !isInput {
			all = append(all, k)
		}
	}
	return all
}

// SummedColumns are the columns whose sum is the reward of the log, in their order: nil if the log has a
// total.
func (r *Run) SummedColumns() []string {
	if !r.SumsComponents {
		return nil
	}
	return Mapped(r.RewardFunctions(""), func(k int) string { return r.ComponentNames[k] })
}

// CheckReward refuses settings that name a column that the log lacks.
func (r *Run) CheckReward(set Settings) error {
	if _, unknown := set.Weights.Factors(r.ComponentNames); len(unknown) > 0 {
		return noColumn(unknown[0], r.ComponentNames)
	}
	if set.Reward != "" && !slices.Contains(r.ComponentNames, set.Reward) {
		return noColumn(set.Reward, r.ComponentNames)
	}
	return nil
}

func noColumn(name string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("the log has no reward column %q: it has one reward per sample and no components", name)
	}
	return fmt.Errorf("the log has no reward column %q: it has %s", name, strings.Join(names, ", "))
}

// Weights are the factors of reward functions, sorted by name: "a=1,b=0.5". "" is none. A function
// with factor 0 is one all the same: it counts in the order in which trainers add.
type Weights string

// NewWeights returns the weights that a text like a=1,b=0.5 gives, "" if it is none or a name would be
// misread.
func NewWeights(text string) Weights {
	w, err := parseWeights(text)
	if err != nil {
		return ""
	}
	return w
}

// parseWeights reads weights in any order; "" is none. A name alone has weight 1.
func parseWeights(text string) (Weights, error) {
	if text == "" {
		return "", nil
	}
	var names, parts []string
	for part := range strings.SplitSeq(text, ",") {
		name, value := cutWeight(part)
		if !strings.Contains(part, "=") {
			name, value = strings.TrimSpace(part), "1"
		}
		x, err := strconv.ParseFloat(value, 64)
		if name == "" || err != nil || !units.IsFinite(x) || slices.Contains(names, name) {
			return "", fmt.Errorf("reward must be a column or a weighted sum such as correctness=1,format=0.5, each name once, got %q",
				text)
		}
		names = append(names, name)
		parts = append(parts, name+"="+strconv.FormatFloat(x, 'g', -1, 64))
	}
	slices.Sort(parts)
	return Weights(strings.Join(parts, ",")), nil
}

// parseReward reads a column, or several with or without weights: "accuracy" or "accuracy,format=0.3".
func parseReward(text string) (column string, weights Weights, err error) {
	_, value := cutWeight(text)
	_, notNumber := strconv.ParseFloat(value, 64)
	if !strings.Contains(text, ",") && (!strings.Contains(text, "=") || notNumber != nil) {
		return text, "", nil
	}
	weights, err = parseWeights(text)
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

// MissingError says that a log lacks what an estimator needs.
type MissingError struct {
	Estimator string // framework and name
	What      string // "response lengths", or why no reward log suffices
	Do        string // what to log; "" if no reward log suffices
}

func (e *MissingError) Error() string {
	if e.Do == "" {
		return e.Estimator + " cannot be computed from rewards: " + e.What
	}
	return fmt.Sprintf("%s needs %s, which the log does not hold: %s", e.Estimator, e.What, e.Do)
}

// Short is the error in a few words.
func (e *MissingError) Short() string {
	if e.Do == "" {
		return "not from rewards"
	}
	return "needs " + e.What
}

// Missing says what an estimator needs and the run lacks, nil if it lacks nothing. A single step
// may still lack what others have.
func (s Snapshot) Missing(e *estimators.Estimator) *MissingError {
	n := 1
	b := estimators.Batch{Rewards: make([]float64, n)}
	if s.Run.LengthUnit != LengthUnknown {
		b.Lengths = make([]int32, n)
	}
	if s.Run.BaselineColumn() >= 0 {
		b.Baselines = make([]float64, n)
	}
	b.Columns = s.inputColumns(e.Needs, n)
	for range s.Run.RewardFunctions("") {
		b.Components = append(b.Components, make([]float64, n))
	}
	return missingError(e, e.MissingIn(b))
}

func missingError(e *estimators.Estimator, missing string) *MissingError {
	if missing == "" {
		return nil
	}
	do := map[string]string{ // for each answer of estimators.Estimator.MissingIn
		"response lengths":  "log the response or its number of tokens as response_length",
		"reward components": "log what each reward function gave in a column of its own",
		"greedy baselines":  "log the reward of the greedy response to the same prompt as reward_baseline",
	}[missing]
	for _, c := range e.Needs.Columns.List() {
		if c.String() == missing { // it is read only for an estimator that was named at the start, so that other logs cost nothing
			do = fmt.Sprintf("log them as %s, and start with --framework %s --estimator %s, because only this estimator reads the column",
				c.Names()[0], e.Framework, e.Name)
		}
	}
	return &MissingError{Estimator: e.Title(), What: missing, Do: do}
}

func (s Snapshot) inputColumns(needs estimators.Needs, n int) [][]float64 {
	var columns [][]float64
	for _, c := range needs.Columns.List() {
		has := s.Run.InputColumn(c) >= 0
		if c == estimators.InputTokens {
			has = has || s.Run.InputColumn(estimators.TotalTokens) >= 0 && s.Run.LengthUnit == LengthTokens
		}
		for has && len(columns) <= int(c) {
			columns = append(columns, nil)
		}
		if has {
			columns[c] = make([]float64, n)
		}
	}
	return columns
}
