package estimators

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
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
	Params     goldenParams   `json:"params"`     // the options of the call
	Advantages []goldenReal   `json:"advantages"` // after filter and recompute, if any
	Tokens     [][]goldenReal `json:"advantages_tokens"`
	Unfiltered []goldenReal   `json:"advantages_original"` // before the filter
	Kept       []goldenFlag   `json:"kept"`
	Selected   [][]goldenReal `json:"selected_rewards"` // of each group, ascending: which of equal rewards stay is open
	Exact      goldenExact    `json:"exact"`
	Agents     []goldenName   `json:"agents"`
	Episodes   []goldenName   `json:"episodes"`
	Runs       []goldenName   `json:"runs"`
	Trajectory []goldenName   `json:"trajectories"`
	Steps      []goldenReal   `json:"steps"`
	EnvHash    []goldenName   `json:"env_state_hash"`
	StateHash  []goldenName   `json:"state_hash"`
	StepReward []goldenReal   `json:"step_reward"`
	StepScores []goldenReal   `json:"step_scores"`
	Metrics    goldenMetrics  `json:"metrics"`
	Stdout     *string        `json:"stdout"`
	Error      *string        `json:"error"` // the last line of the traceback
}

// goldenExact are the advantages of pkpo by its definition, null where it has none.
type goldenExact struct {
	S            []goldenReal `json:"s"`
	SLOO         []goldenReal `json:"sloo"`
	SLOOMinusOne []goldenReal `json:"sloo_minus_one"`
}

// goldenMetrics are figures that the framework logs of the call.
type goldenMetrics struct {
	ZeroStd *goldenReal `json:"frac_reward_zero_std"`
}

// goldenParams are the options of all frameworks. A framework that has a number of
// samples per prompt knows a group by its position.
type goldenParams struct {
	NumGenerations *int             `json:"num_generations"`
	SamplesPrompt  *int             `json:"n_samples_per_prompt"`
	NSample        *int             `json:"n_sample"`
	GroupSize      *int             `json:"group_size"`
	SamplesRollout *int             `json:"num_samples_per_prompt_rollout"`
	RolloutBatch   *int             `json:"rollout_batch_size"`
	Scale          Scale            `json:"scale"`
	ScaleRewards   goldenScale      `json:"scale_rewards"`
	NormType       string           `json:"advantage_normalization_type"`
	NormByStd      *bool            `json:"norm_adv_by_std_in_grpo"`
	GRPONormByStd  *bool            `json:"grpo_norm_by_std"`
	StdNorm        *bool            `json:"grpo_std_normalization"`
	ShouldNorm     *bool            `json:"should_std_normalize"`
	NormRewards    *bool            `json:"normalize_rewards"`
	NormAdvantages bool             `json:"normalize_advantages"`
	LeaveOneOut    bool             `json:"use_leave_one_out_baseline"`
	MinusBaseline  bool             `json:"minus_baseline"`
	NoStdNorm      bool             `json:"no_std_norm"`
	NormMean       Scale            `json:"norm_mean_type"`
	NormStd        Scale            `json:"norm_std_type"`
	MeanLevel      Scale            `json:"mean_level"`
	MeanLeave      bool             `json:"mean_leave1out"`
	StdLevel       Scale            `json:"std_level"`
	Unbiased       bool             `json:"std_unbiased"`
	Aggregation    string           `json:"multi_objective_aggregation"`
	Estimator      string           `json:"advantage_estimator"`
	Clip           []goldenReal     `json:"reward_clip_range"`
	Weights        []float64        `json:"reward_weights"`
	GDPOWeights    []float64        `json:"gdpo_reward_weights"`
	Baselines      []goldenReal     `json:"reward_baselines"`
	Lengths        []int32          `json:"lengths"`
	Padded         int32            `json:"padded_length"`
	Gamma          *float64         `json:"gamma"`
	LengthPenalty  map[string]any   `json:"length_penalty"`
	OutputTokens   []goldenReal     `json:"num_output_tokens"`
	TotalTokens    []goldenReal     `json:"num_total_tokens"`
	Turns          []goldenReal     `json:"num_turns"`
	EpisodeAgents  []string         `json:"episode_agents"`
	AdvEstimator   string           `json:"adv_estimator"`
	AdvantageFn    string           `json:"advantage_fn"`
	StdCalLevel    Scale            `json:"std_cal_level"`
	StdNormalize   bool             `json:"std_normalize"`
	BaselineShift  *float64         `json:"baseline_shift"`
	OPMDBaseline   string           `json:"opmd_baseline"`
	Tau            float64          `json:"tau"`
	StepNorm       bool             `json:"enable_step_norm"`
	StdThreshold   *float64         `json:"std_threshold"`
	Omega          float64          `json:"omega"`
	FNorm          string           `json:"fnorm"`
	StepGamma      float64          `json:"step_reward_gamma"`
	EpisodeWeight  float64          `json:"episode_reward_weight"`
	StepWeight     float64          `json:"step_reward_weight"`
	RewardNorm     goldenRewardNorm `json:"reward_normalization"`
	Advantage      string           `json:"advantage"`
	PositiveWeight float64          `json:"positive_advantage_weight"`
	K              int              `json:"k"`
	Taken          int              `json:"num_generations_grad"`
	ClipRange      []goldenReal     `json:"clip_range"`
	Backend        string           `json:"backend"`
	UnbiasedAdv    bool             `json:"unbiased_advantage"`
	AdvType        string           `json:"adv_type"`
	Function       string           `json:"function"`
	KeepPos        *goldenReal      `json:"keep_pos_ratio"`
	KeepNeg        *goldenReal      `json:"keep_neg_ratio"`
	Recompute      bool             `json:"compute_new_adv"`
}

type goldenRewardNorm struct {
	Method string `json:"method"`
}

// goldenFlag is 0 or 1, or false or true.
type goldenFlag bool

func (f *goldenFlag) UnmarshalJSON(data []byte) error {
	*f = string(data) == "1" || string(data) == "true"
	return nil
}

// goldenName is a value of a [Column] that holds names: a text, a number or null.
type goldenName float64

func (n *goldenName) UnmarshalJSON(data []byte) error {
	switch x, err := strconv.ParseFloat(string(data), 64); {
	case string(data) == "null":
		*n = goldenName(math.NaN())
	case err == nil:
		*n = goldenName(x)
	default:
		*n = goldenName(NumberOfName(strings.Trim(string(data), `"`)))
	}
	return nil
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
	var f goldenFile
	filetest.JSON(t, filepath.Join("testdata", "golden", name+".json"), &f)
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
	b.Lengths, b.Rollouts = pick(c.lengths(), order), pick(c.rollouts(), order)
	b.Columns = c.columns(order)
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

// lengths returns the response tokens of the rows.
func (c goldenCase) lengths() []int32 {
	switch {
	case c.Lengths != nil:
		return c.Lengths
	case c.Params.OutputTokens == nil:
		return c.Params.Lengths
	}
	lengths := make([]int32, len(c.Params.OutputTokens))
	for i, n := range c.Params.OutputTokens {
		lengths[i] = int32(n)
	}
	return lengths
}

// columns returns the columns of the case in the order of the batch.
func (c goldenCase) columns(order []int) [][]float64 {
	input := floats(c.Params.TotalTokens)
	for i := range input {
		input[i] -= float64(c.Params.OutputTokens[i])
	}
	columns := make([][]float64, columnCount)
	for column, values := range map[Column][]float64{
		InputTokens: input, Turns: floats(c.Params.Turns), Agent: floats(c.Agents), Episode: floats(c.Episodes),
		Run: firstOf(floats(c.Runs), floats(c.Trajectory)), RunStep: floats(c.Steps),
		State: firstOf(floats(c.EnvHash), floats(c.StateHash)), StepReward: firstOf(floats(c.StepReward), floats(c.StepScores)),
	} {
		columns[column] = pick(values, order)
	}
	return columns
}

// firstOf returns the first that is not nil.
func firstOf(a, b []float64) []float64 {
	if a != nil {
		return a
	}
	return b
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
	if c.Trajectory == nil || c.StateHash != nil { // with states the rows are steps
		return c.Rollouts
	}
	ids := make([]int32, len(c.Trajectory))
	for i, id := range c.Trajectory {
		ids[i] = int32(id)
	}
	return ids
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

func floats[T goldenReal | goldenName](x []T) []float64 {
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
