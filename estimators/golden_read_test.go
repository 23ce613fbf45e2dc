package estimators

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files under testdata/golden were written by the frameworks' own functions,
// cut out of the repositories that "source" names and run under torch 1.13.1 on a
// CPU (AVX2). Float32 values are the shortest decimals that read back the same.

// goldenFile is one estimator's cases.
type goldenFile struct {
	Source string       `json:"source"`
	Cases  []goldenCase `json:"cases"`
}

// goldenCase is one call: what went in and what came out, per sample.
type goldenCase struct {
	Name       string         `json:"name"`
	Rewards    []goldenReal   `json:"rewards"`
	Components [][]goldenReal `json:"rewards_per_func"` // one row per sample
	Groups     []int          `json:"groups"`
	Params     goldenParams   `json:"params"`
	Advantages []goldenReal   `json:"advantages"`
	Tokens     [][]goldenReal `json:"advantages_tokens"`
	Original   []goldenReal   `json:"advantages_original"`
	Kept       []float64      `json:"kept"`
	Stdout     *string        `json:"stdout"`
	Error      *string        `json:"error"`
}

// goldenParams are the options of all frameworks. Those with a number of samples
// per prompt know a group by its position.
type goldenParams struct {
	NumGenerations *int               `json:"num_generations"`
	SamplesPrompt  *int               `json:"n_samples_per_prompt"`
	NSample        *int               `json:"n_sample"`
	GroupSize      *int               `json:"group_size"`
	SamplesRollout *int               `json:"num_samples_per_prompt_rollout"`
	RolloutBatch   *int               `json:"rollout_batch_size"`
	Scale          Scale              `json:"scale"`
	ScaleRewards   Scale              `json:"scale_rewards"`
	NormType       string             `json:"advantage_normalization_type"`
	NormByStd      *bool              `json:"norm_adv_by_std_in_grpo"`
	GRPONormByStd  *bool              `json:"grpo_norm_by_std"`
	StdNorm        *bool              `json:"grpo_std_normalization"`
	NormRewards    *bool              `json:"normalize_rewards"`
	NormAdvantages bool               `json:"normalize_advantages"`
	LeaveOneOut    bool               `json:"use_leave_one_out_baseline"`
	MinusBaseline  bool               `json:"minus_baseline"`
	NoStdNorm      bool               `json:"no_std_norm"`
	NormMean       Scale              `json:"norm_mean_type"`
	NormStd        Scale              `json:"norm_std_type"`
	MeanLevel      Scale              `json:"mean_level"`
	MeanLeave      bool               `json:"mean_leave1out"`
	StdLevel       Scale              `json:"std_level"`
	Unbiased       bool               `json:"std_unbiased"`
	Aggregation    string             `json:"multi_objective_aggregation"`
	Estimator      string             `json:"advantage_estimator"`
	Clip           []goldenReal       `json:"reward_clip_range"`
	Weights        []float64          `json:"reward_weights"`
	GDPOWeights    []float64          `json:"gdpo_reward_weights"`
	Baselines      []goldenReal       `json:"reward_baselines"`
	Lengths        []int32            `json:"lengths"`
	Padded         int32              `json:"padded_length"`
	Gamma          *float64           `json:"gamma"`
	LengthPenalty  map[string]float64 `json:"length_penalty"`
	OutputTokens   []float64          `json:"num_output_tokens"`
	TotalTokens    []float64          `json:"num_total_tokens"`
	Turns          []float64          `json:"num_turns"`
	AdvEstimator   string             `json:"adv_estimator"`
	KeepPos        *goldenReal        `json:"keep_pos_ratio"`
	KeepNeg        *goldenReal        `json:"keep_neg_ratio"`
	Recompute      bool               `json:"compute_new_adv"`
}

// goldenReal is a number, "NaN", "Infinity", "-Infinity", or null for a missing
// reward.
type goldenReal float64

func (r *goldenReal) UnmarshalJSON(data []byte) error {
	var x float64
	switch text := strings.Trim(string(data), `"`); text {
	case "null":
		x = MissingReward()
	case "NaN":
		x = math.NaN()
	case "Infinity":
		x = math.Inf(1)
	case "-Infinity":
		x = math.Inf(-1)
	default:
		if err := json.Unmarshal(data, &x); err != nil {
			return err
		}
	}
	*r = goldenReal(x)
	return nil
}

func readGolden(t *testing.T, name string) goldenFile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var f goldenFile
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// batch lays the case out as the estimators take it: rows in order, groups by
// position where the framework does, else by id in order of first appearance.
func (c goldenCase) batch(e *Estimator) (order []int, b Batch, err error) {
	order, offsets, err := c.layout()
	if err != nil {
		return nil, Batch{}, err
	}
	b = Batch{Offsets: offsets, Weights: c.Params.Weights}
	if c.Params.GDPOWeights != nil {
		b.Weights = c.Params.GDPOWeights
	}
	b.Components = c.columns(order)
	b.Lengths = pick(c.Params.Lengths, order)
	b.Baselines = pick(floats(c.Params.Baselines), order)
	if c.Rewards == nil {
		b.Rewards = make([]float64, len(order))
		toFloat64(b.Rewards, weightedSum(componentsToFloat32(b.Components), b.Weights, true))
		return order, b, nil
	}
	rewards := floats(c.Rewards)
	e.CleanInto(rewards, rewards) // before the rows move: it looks at the batch as a whole
	b.Rewards = pick(rewards, order)
	return order, b, nil
}

// columns are the components, a single reward being one.
func (c goldenCase) columns(order []int) [][]float64 {
	if c.Components == nil {
		return [][]float64{pick(floats(c.Rewards), order)}
	}
	columns := make([][]float64, len(c.Components[0]))
	for k := range columns {
		for _, row := range order {
			columns[k] = append(columns[k], float64(c.Components[row][k]))
		}
	}
	return columns
}

// layout returns the rows in order and where groups begin.
func (c goldenCase) layout() (order, offsets []int, err error) {
	if n := c.Params.perPrompt(); n != nil {
		for row := range c.Groups {
			order = append(order, row)
		}
		offsets, err = EqualGroups(len(order), *n)
		if err != nil && c.Params.ScaleRewards != "" {
			// trl: blocks of the size asked for, and the rest.
			for at := 0; at < len(order); at += *n {
				offsets = append(offsets, at)
			}
			return order, append(offsets, len(order)), nil
		}
		return order, offsets, err
	}
	var ids []int
	rows := map[int][]int{}
	for row, id := range c.Groups {
		if rows[id] == nil {
			ids = append(ids, id)
		}
		rows[id] = append(rows[id], row)
	}
	offsets = []int{0}
	for _, id := range ids {
		order = append(order, rows[id]...)
		offsets = append(offsets, len(order))
	}
	return order, offsets, nil
}

// perPrompt is the size of a block, nil where groups have ids.
func (p goldenParams) perPrompt() *int {
	if p.RolloutBatch != nil && len(p.Lengths) != *p.RolloutBatch**p.SamplesPrompt {
		return nil // slime: that sizes differ is known from the ids
	}
	for _, n := range []*int{p.NumGenerations, p.SamplesPrompt, p.NSample, p.GroupSize, p.SamplesRollout} {
		if n != nil {
			return n
		}
	}
	return nil
}

func floats(x []goldenReal) []float64 {
	if x == nil {
		return nil
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// pick returns x in another order; nil for nil.
func pick[T any](x []T, order []int) []T {
	if x == nil {
		return nil
	}
	out := make([]T, len(order))
	for at, row := range order {
		out[at] = x[row]
	}
	return out
}
