package estimators

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// goldenFile is testdata/golden/NAME.json: the cases of one estimator. Float32 values are
// the shortest decimals that read back the same.
type goldenFile struct {
	Source string       `json:"source"` // see goldenRow
	Cases  []goldenCase `json:"cases"`
}

// goldenCase is one call: its arguments and its results. Slices have a value per sample.
type goldenCase struct {
	Name       string         `json:"name"`
	Rewards    []goldenReal   `json:"rewards"`
	Components [][]goldenReal `json:"rewards_per_func"` // one row per sample
	Groups     []int          `json:"groups"`           // ids
	Lengths    []int32        `json:"response_lengths"` // or in Params
	Rollouts   []int32        `json:"rollout_ids"`
	Trajectory []int32        `json:"trajectories"` // the same in another framework's words
	Params     goldenParams   `json:"params"`       // the options of the call
	Advantages []goldenReal   `json:"advantages"`   // after filter and recompute, if any
	Tokens     [][]goldenReal `json:"advantages_tokens"`
	Original   []goldenReal   `json:"advantages_original"` // before the filter
	Kept       []float64      `json:"kept"`                // 0 or 1
	Metrics    goldenMetrics  `json:"metrics"`
	Stdout     *string        `json:"stdout"`
	Error      *string        `json:"error"` // the last line of the traceback
}

// goldenMetrics are figures that the framework logs of the call.
type goldenMetrics struct {
	ZeroStd *goldenReal `json:"frac_reward_zero_std"`
}

// goldenParams are the options of all frameworks. A framework that has a number of
// samples per prompt knows a group by its position.
type goldenParams struct {
	NumGenerations *int               `json:"num_generations"`
	SamplesPrompt  *int               `json:"n_samples_per_prompt"`
	NSample        *int               `json:"n_sample"`
	GroupSize      *int               `json:"group_size"`
	SamplesRollout *int               `json:"num_samples_per_prompt_rollout"`
	RolloutBatch   *int               `json:"rollout_batch_size"`
	Scale          Scale              `json:"scale"`
	ScaleRewards   goldenScale        `json:"scale_rewards"`
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
	ClipRange      []goldenReal       `json:"clip_range"`
	Backend        string             `json:"backend"`
	UnbiasedAdv    bool               `json:"unbiased_advantage"`
	AdvType        string             `json:"adv_type"`
	Function       string             `json:"function"`
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

// batch returns the case as a batch and, in order, the row of each of its samples.
// Groups go by position if the framework does so, else by id in order of first
// appearance.
func (c goldenCase) batch(e *Estimator) (order []int, b Batch, err error) {
	order, offsets, err := c.group()
	if err != nil {
		return nil, Batch{}, err
	}
	b = Batch{Offsets: offsets, Weights: c.Params.Weights}
	if c.Params.GDPOWeights != nil {
		b.Weights = c.Params.GDPOWeights
	}
	b.Components = c.components(order)
	b.Lengths, b.Rollouts = pick(c.Params.Lengths, order), pick(c.rollouts(), order)
	if c.Lengths != nil {
		b.Lengths = pick(c.Lengths, order)
	}
	b.Baselines = pick(floats(c.Params.Baselines), order)
	if c.Rewards == nil || len(b.Weights) == 1 {
		b.Rewards = make([]float64, len(order))
		WeightedRewards(b.Rewards, b.Components, b.Weights)
		e.CleanInto(b.Rewards, b.Rewards)
		return order, b, nil
	}
	rewards := floats(c.Rewards)
	e.CleanInto(rewards, rewards) // before the rows move: the result depends on the whole batch
	b.Rewards = pick(rewards, order)
	return order, b, nil
}

// components returns the reward components as columns; a single reward is one component.
func (c goldenCase) components(order []int) [][]float64 {
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

// group returns the rows by group and the offsets of the groups.
func (c goldenCase) group() (order, offsets []int, err error) {
	if n := c.Params.samplesPerPrompt(); n != nil && c.Trajectory == nil {
		for row := range c.Groups {
			order = append(order, row)
		}
		offsets, err = EqualGroups(len(order), *n)
		if err != nil && c.Params.ScaleRewards != "" {
			// trl: groups of the size given, and the remainder.
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
		order = append(order, c.byRollout(rows[id])...)
		offsets = append(offsets, len(order))
	}
	return order, offsets, nil
}

func (c goldenCase) rollouts() []int32 {
	if c.Trajectory != nil {
		return c.Trajectory
	}
	return c.Rollouts
}

// byRollout returns rows with those of one rollout together, by first appearance.
func (c goldenCase) byRollout(rows []int) []int {
	ids := c.rollouts()
	if ids == nil {
		return rows
	}
	var order []int
	seen := map[int32]bool{}
	for _, first := range rows {
		if seen[ids[first]] {
			continue
		}
		seen[ids[first]] = true
		for _, row := range rows {
			if ids[row] == ids[first] {
				order = append(order, row)
			}
		}
	}
	return order
}

// goldenScale is the name of a scale, or whether there is one.
type goldenScale Scale

func (s *goldenScale) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "true":
		*s = goldenScale(ScaleGroup)
	case "false":
		*s = goldenScale(ScaleNone)
	default:
		return json.Unmarshal(data, (*Scale)(s))
	}
	return nil
}

// samplesPerPrompt returns the size of a group, nil where groups have ids.
func (p goldenParams) samplesPerPrompt() *int {
	if p.RolloutBatch != nil && len(p.Lengths) != *p.RolloutBatch**p.SamplesPrompt {
		return nil // slime: the ids tell that sizes differ
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

// pick returns x in the given order; nil for nil.
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
