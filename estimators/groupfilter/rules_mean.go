package groupfilter

import (
	"math"
	"slices"

	"vantage/estimators"
	"vantage/estimators/torchsum"
)

// openRLHF keeps groups whose mean score lies inside a range.
func openRLHF() []*Filter {
	const bounds = "algo.dynamic_filtering_range"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "dynamic_filtering", Key: "algo.dynamic_filtering_enable", Value: "true",
			Formula: "LOW < mean(scores) < HIGH",
			Source:  "openrlhf wheel openrlhf==0.11.2 openrlhf/trainer/ppo_utils/samples_generator.py:_generate_vllm",
			Doc: "The mean adds float32 scores from left to right in float64; both comparisons are strict, and there is no " +
				"standard deviation: a mixed group whose mean is exactly LOW or HIGH goes, equal scores of 0.5 stay although they have " +
				"no signal, and with scores outside 0 to 1 the default range drops useful groups. It reads scores, not " +
				"rewards, so no shaping by length; a group with a row without a score stays, one with a NaN is dropped.",
			Options: []estimators.Option{estimators.Interval().Option(bounds, "0 1",
				"LOW and HIGH; groups whose mean score is LOW, HIGH or beyond are dropped")},
		},
		Dropped: Refilled, SeesRaw: true, columns: func(estimators.Values) []string { return []string{"scores"} },
		decide: func(v *Admission, b Batch, o estimators.Values) error {
			low, high := o.Interval(bounds)
			values := b.column("scores")
			if values == nil {
				values = b.raw()
				v.Assumed = "the log has no column scores: the rewards, before shaping by length, stand for them"
			}
			v.eachGroup(b, values, func(_ *Admission, r []float64) (bool, Reason) {
				if slices.ContainsFunc(r, estimators.IsMissing) {
					return true, Reason{}
				}
				sum := 0.0
				for _, x := range r {
					sum += float64(float32(x))
				}
				return insideOpen(sum/float64(len(r)), low, high)
			})
			return nil
		},
	}}
}

// easyR1Upstream keeps groups of a middling mean.
func easyR1Upstream() []*Filter {
	const key, low, high = "algorithm.filter_key", "algorithm.filter_low", "algorithm.filter_high"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "online_filtering", Key: "algorithm.online_filtering", Value: "true",
			Formula: "filter_low < mean(filter_key) < filter_high",
			Source:  "hiyouga/EasyR1@b44b311b669bf1fd1aa2fc36f2251482ba33cb16 verl/trainer/ray_trainer.py:_make_batch_data",
			Doc: "The mean is np.mean in float64; both comparisons are strict. Nothing looks at the spread: a group of equal rewards of " +
				"0.5 stays although it has no signal, and with rewards outside 0 to 1 the default range drops useful groups. A group of " +
				"one row is treated like any other; one with a NaN is dropped. If no group is left the trainer stops with a RuntimeError.",
			Options: []estimators.Option{
				{
					Key: key, Kind: estimators.Name("overall or the name of a column"), Default: "overall",
					Meaning: "the value that is averaged: overall is the reward, another name a column of the log",
				},
				{Key: low, Kind: anyNumber(), Default: "0.01", Meaning: "groups whose mean is this or less are dropped"},
				{Key: high, Kind: anyNumber(), Default: "0.99", Meaning: "groups whose mean is this or more are dropped"},
			},
		},
		Dropped: Refilled, columns: func(o estimators.Values) []string { return []string{o.Text(key)} },
		decide: func(v *Admission, b Batch, o estimators.Values) error {
			values, name, from, to := b.Rewards, o.Text(key), o.Number(low), o.Number(high)
			if name != "overall" {
				if values = b.column(name); values == nil {
					return missing("column " + name + ", which " + key + " names")
				}
			}
			v.eachGroup(b, values, func(_ *Admission, r []float64) (bool, Reason) { return insideOpen(torchsum.MeanNumpy(r), from, to) })
			if v.admitted() == 0 {
				return &estimators.Refusal{Kind: "RuntimeError", Text: "No sample is kept after filtering. Please check your data."}
			}
			return nil
		},
	}}
}

const rollCode = "alibaba/ROLL@8eb27cc2dc34c4d1310b169d9b86d339004d811a "

// roll has a filter of groups while it generates, and masks of rows after it.
func roll() []*Filter {
	return []*Filter{
		{
			Entry: estimators.Entry{
				Name: "query_filter", Key: "rewards.DOMAIN.query_filter_config.type: mean_filter or std_filter",
				Formula: "mean_filter: threshold_down < mean(r) < threshold_up; std_filter: std(r) > std_threshold",
				Source:  rollCode + "roll/distributed/scheduler/user_defined_rollout_loop.py:query_filter",
				Doc: "float32, std with ddof 1; a value that equals a threshold is dropped. By default nothing but a mean of −1 " +
					"or less is dropped: set the thresholds. std_filter with std_threshold 0 keeps most groups of equal rewards of 0.1 " +
					"or 0.7, whose std in torch is a rounding error above 0, and drops those of 0, 0.5 or 1. A group of one row " +
					"stays, and so does one with a NaN. Only with is_num_return_sequences_expand: true (ROLL's default is false) do " +
					"the rows of a prompt arrive one by one; a group that arrives as one batch is never dropped.",
				Options: []estimators.Option{
					{
						Key: "query_filter_config.type", Kind: estimators.OneOf("no_filter", "mean_filter", "std_filter"), Default: "no_filter",
						Meaning: "which of the two rules; no_filter drops nothing",
					},
					{
						Key: "query_filter_config.filter_args.threshold_down", Kind: anyNumber(), Default: "-1",
						Meaning: "mean_filter: groups whose mean is this or less are dropped",
					},
					{
						Key: "query_filter_config.filter_args.threshold_up", Kind: estimators.NumberOrNone(math.Inf(-1), math.Inf(1)), Default: "none",
						Meaning: "mean_filter: groups whose mean is this or more are dropped; none: infinite",
					},
					{
						Key: "query_filter_config.filter_args.std_threshold", Kind: anyNumber(), Default: "-1",
						Meaning: "std_filter: groups whose standard deviation is this or less are dropped",
					},
				},
			},
			Dropped: Refilled,
			decide: func(v *Admission, b Batch, o estimators.Values) error {
				switch o.Text("query_filter_config.type") {
				case "mean_filter":
					down := float32(o.Number("query_filter_config.filter_args.threshold_down"))
					up := float32(o.NumberOr("query_filter_config.filter_args.threshold_up", math.Inf(1)))
					v.eachGroup(b, b.Rewards, rollMeanFilter(down, up))
				case "std_filter":
					v.eachGroup(b, b.Rewards, std32Above(float32(o.Number("query_filter_config.filter_args.std_threshold")), true))
				default:
					v.Note = "type is no_filter, ROLL's default: nothing is dropped; set type to mean_filter or std_filter"
					return nil
				}
				v.Assumed = "rows are taken to arrive one by one (is_num_return_sequences_expand: true; with ROLL's default, false, no " +
					"group is dropped)"
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "sample_level_mask", Key: "difficulty_mask, max_len_mask or error_max_len_clip: true",
				Formula: "difficulty_mask: low < mean(r) < high; max_len_mask: not cut; error_max_len_clip: r = 1, or r = 0 and short",
				Source:  rollCode + "roll/utils/functionals.py:get_sample_level_mask, difficulty_mask",
				Doc: "float32, per row after the rollout; a row stays if every mask that is on keeps it. difficulty_mask " +
					"compares strictly, and looks at no spread: equal rewards of 0.5 stay although they have no signal. Its groups " +
					"are so many rows in the order of the batch; groups of one row stay. error_max_len_clip drops every row of a " +
					"reward other than 0 or 1. A NaN mean drops its rows. Dropped rows stay in the batch with a loss mask of 0.",
				Options: []estimators.Option{
					{Key: "max_len_mask", Kind: estimators.Switch(), Default: "false", Meaning: "drop rows as long as response_length"},
					{Key: "difficulty_mask", Kind: estimators.Switch(), Default: "false", Meaning: "drop rows of groups that are too hard or too easy"},
					{Key: "difficulty_low_threshold", Kind: anyNumber(), Default: "0", Meaning: "groups whose mean is this or less are dropped"},
					{Key: "difficulty_high_threshold", Kind: anyNumber(), Default: "1", Meaning: "groups whose mean is this or more are dropped"},
					{
						Key: "error_max_len_clip", Kind: estimators.Switch(), Default: "false",
						Meaning: "drop rows of reward 0 that are error_max_len_threshold long, and of other rewards than 0 and 1",
					},
					{
						Key: "error_max_len_threshold", Kind: anyNumber(), Default: "9999999999",
						Meaning: "from how many tokens on a wrong answer is dropped",
					},
					{
						Key: "num_return_sequences_in_group", Kind: estimators.NumberOrNone(1, math.Inf(1)), Default: "none",
						Meaning: "rows of a group for difficulty_mask; none: the groups of the log",
					},
					{
						Key: "response_length", Kind: estimators.NumberOrNone(1, math.Inf(1)), Default: "none",
						Meaning: "tokens a response may have, for max_len_mask; none: those of the longest one of the step",
					},
				},
			},
			Dropped: Masked, NeedsLengths: true,
			decide: func(v *Admission, b Batch, o estimators.Values) error {
				return rollMask{
					maxLen: o.Bool("max_len_mask"), difficulty: o.Bool("difficulty_mask"), errorClip: o.Bool("error_max_len_clip"),
					low: float32(o.Number("difficulty_low_threshold")), high: float32(o.Number("difficulty_high_threshold")),
					errorLen: o.Number("error_max_len_threshold"), groupSize: int(o.NumberOr("num_return_sequences_in_group", 0)),
					width: int32(o.NumberOr("response_length", 0)),
				}.decide(v, b)
			},
		},
	}
}

func rollMeanFilter(down, up float32) verdictOn {
	return func(v *Admission, r []float64) (bool, Reason) {
		mean := torchsum.Mean(v.float32s(r))
		switch {
		case len(r) == 1:
		case mean <= down:
			return false, Reason{"too hard: mean", float64(mean)}
		case mean >= up:
			return false, Reason{"too easy: mean", float64(mean)}
		}
		return true, Reason{}
	}
}

// rollMask are the masks of rows that are on. groupSize 0 is that of the log, width 0 the longest row.
type rollMask struct {
	maxLen, difficulty, errorClip bool
	low, high                     float32
	errorLen                      float64
	groupSize                     int
	width                         int32
}

func (m rollMask) decide(v *Admission, b Batch) error {
	if (m.maxLen || m.errorClip) && len(b.Lengths) != len(b.Rewards) {
		return missing("response lengths")
	}
	if !m.maxLen && !m.errorClip && !m.difficulty {
		v.Note = "none of the masks is on, ROLL's default: nothing is dropped; set difficulty_mask, max_len_mask or error_max_len_clip"
	}
	kept := v.rows(b)
	if m.maxLen && m.width == 0 {
		m.width = slices.Max(b.Lengths)
		v.Assumed = "response_length is not given: the longest response of the step is taken for it"
	}
	for i := range kept {
		r := float32(b.Rewards[i])
		cut := m.maxLen && b.Lengths[i] == m.width
		wrongAndLong := m.errorClip && r != 1 && !(r == 0 && float64(b.Lengths[i]) < m.errorLen)
		kept[i] = !cut && !wrongAndLong
	}
	v.dropEmpty(b, because("every row is too long or neither 0 nor 1"))
	if m.difficulty {
		m.maskGroups(v, b)
	}
	return nil
}

// maskRows drops rows [lo, hi) if their mean is not between the thresholds.
func (m rollMask) maskRows(v *Admission, rewards []float64, lo, hi int) {
	if hi-lo == 1 {
		return
	}
	if mean := torchsum.Mean(v.float32s(rewards[lo:hi])); !(m.low < mean && mean < m.high) {
		clear(v.Kept[lo:hi])
	}
}

// maskGroups drops the rows of groups that are too hard or too easy, and groups without a row, with the mean as the reason.
func (m rollMask) maskGroups(v *Admission, b Batch) {
	if n := m.groupSize; n > 0 { // so many rows after each other are a group, whatever their prompts
		v.x32 = slices.Grow(v.x32[:0], n)[:n]
		for lo := 0; lo+n <= len(b.Rewards); lo += n {
			m.maskRows(v, b.Rewards, lo, lo+n)
		}
	} else {
		for g := range v.Admitted {
			m.maskRows(v, b.Rewards, b.Offsets[g], b.Offsets[g+1])
		}
	}
	for g := range v.Admitted {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		if v.Admitted[g] && !slices.Contains(v.Kept[lo:hi], true) {
			_, why := insideOpen(float64(torchsum.Mean(v.float32s(b.Rewards[lo:hi]))), float64(m.low), float64(m.high))
			if why.What == "" {
				why = because("every row is too long or neither 0 nor 1")
			}
			v.drop(g, why)
		}
	}
}
