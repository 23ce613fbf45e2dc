package groupfilter

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
	"vantage/estimators/torchsum"
)

// verl drops groups whose metric does not vary.
func verl() []*Filter {
	const key = "algorithm.filter_groups.metric"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "filter_groups", Key: "algorithm.filter_groups.enable", Value: "true",
			Formula: "std(metric) ≠ 0, or one row",
			Source:  "verl wheel verl==0.9.1 verl/trainer/ppo/v1/replay_buffer.py:_dapo_filtered_keys",
			Doc: "std is np.std in float64, compared with exactly 0. The metric reward is float32, so groups of equal rewards " +
				"are dropped. Another metric stays float64, and np.std of equal values is not always 0: three of acc = 0.1 have " +
				"1.4e-17, so the trainer keeps such a group, while equal values of 0, 0.5 or 1 are dropped. A group of one row stays, " +
				"and one with a NaN. Every row of a prompt counts, also several outputs of one rollout.",
			Options: []estimators.Option{estimators.Name("reward or the name of a column").Option(key, "reward",
				"what must vary: reward, before KL, or a key of reward_extra_info such as acc, seq_final_reward")},
		},
		Dropped: Refilled,
		columns: func(o estimators.Values) []string { return []string{o.Text(key)} },
		decide: func(v *Admission, b Batch, o estimators.Values) error {
			metric := o.Text(key)
			if metric == "reward" {
				v.eachGroup(b, b.Rewards, func(v *Admission, r []float64) (bool, Reason) { return verlVaries(v, v.rounded(r)) })
				return nil
			}
			values := b.column(metric)
			if values == nil {
				return missing("column " + metric + ", which " + key + " names")
			}
			v.eachGroup(b, values, verlVaries)
			var groups []int
			for g := range b.Groups() {
				if slices.ContainsFunc(values[b.Offsets[g]:b.Offsets[g+1]], estimators.IsMissing) {
					groups = append(groups, g)
				}
			}
			if groups != nil {
				return &estimators.Refusal{
					Kind: "RuntimeError", Text: fmt.Sprintf("Finished groups are missing DAPO metric '%s'", metric), Groups: groups,
				}
			}
			return nil
		},
	}}
}

func verlVaries(v *Admission, r []float64) (bool, Reason) {
	return len(r) == 1 || clearlyAbove(r, 0) || v.numpyStd(r) != 0, Reason{"std", 0}
}

// swift drops groups whose weighted rewards do not vary.
func swift() []*Filter {
	const key = "dynamic_num_samples"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "dynamic_sample", Key: "dynamic_sample", Value: "true", Formula: "std(Σ_k w_k · r_k) > 0",
			Source: "ms-swift wheel ms-swift==4.6.0 swift/rlhf_trainers/grpo_trainer.py:compute_std",
			Doc: "float32, ddof 1; a reward without a score counts as 0. Groups of a fixed size are rows of a matrix, whose std is " +
				"exactly 0 for equal rewards, so they are dropped. With a single group, or dynamic_num_samples, each group is a tensor " +
				"of its own, whose std is a rounding error above 0 for most sizes of equal rewards of 0.1 or 0.7: the trainer keeps " +
				"those. A group of one row is dropped. After max_resample_times (3) the original batch trains, dead groups and all.",
			Options: []estimators.Option{estimators.Switch().Option(key, "false",
				"groups differ in size, as multi-turn servers return them: each is a tensor of its own")},
		},
		Dropped: Refilled,
		decide: func(v *Admission, b Batch, o estimators.Values) error {
			std := torchsum.StdOfRow
			switch {
			case o.Bool(key) || b.Groups() == 1:
				std = torchsum.Std
			case b.ragged():
				v.Assumed = "groups differ in size, which rows of a matrix cannot: each is judged as a row of its " +
					"own (dynamic_num_samples=true judges them differently)"
			}
			v.eachGroup(b, b.Rewards, func(v *Admission, r []float64) (bool, Reason) {
				if len(r) == 1 {
					return false, because("one row")
				}
				x := v.float32s(r)
				for i, y := range r {
					if y != y { // no score
						x[i] = 0
					}
				}
				if clearlyAbove(x, 0) {
					return true, Reason{}
				}
				s := std(x)
				return s > 0, Reason{"std", float64(s)}
			})
			return nil
		},
	}}
}

// nemoRL drops rows whose baseline group has no standard deviation.
func nemoRL() []*Filter {
	const (
		leaveOut = "grpo.use_leave_one_out_baseline"
		prompts  = "grpo.num_prompts_per_step"
		size     = "grpo.num_generations_per_prompt"
	)
	count := estimators.NumberOrNone(1, math.Inf(1))
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "use_dynamic_sampling", Key: "grpo.use_dynamic_sampling", Value: "true",
			Formula: "rows with s ≠ 0, s = √((E[r²] − E[r]²) · m/(m − 1)) of the group's other rows",
			Source:  "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/grpo.py:dynamic_sampling",
			Doc: "Per row, float32, NaN counts as 0. With use_leave_one_out_baseline a row's own reward is left out: of one " +
				"success among failures, or one failure among successes, that row alone is dropped and the others stay; groups of two " +
				"are always dropped. A group of one is always dropped. Rewards are those before shaping by length. Equal " +
				"rewards of 0 or 1 are dropped; those of 0.1 or 0.7 can stay by rounding, and a small spread around a large value can " +
				"vanish. Rows beyond num_prompts_per_step · num_generations_per_prompt are cut; with fewer sampling goes on.",
			Options: []estimators.Option{
				{
					Key: leaveOut, Kind: estimators.Switch(), Default: "true",
					Meaning: "baseline and standard deviation of a row are those of the others",
				},
				{Key: prompts, Kind: count, Default: "none", Meaning: "prompts of a step; none: as many as stay"},
				{Key: size, Kind: count, Default: "none", Meaning: "rows per prompt; none: those of the first group"},
			},
		},
		Dropped: Refilled, SeesRaw: true,
		decide: func(v *Admission, b Batch, o estimators.Values) error {
			rewards, kept, others := b.raw(), v.rows(b), o.Bool(leaveOut)
			for g := range v.Admitted {
				lo, hi := b.Offsets[g], b.Offsets[g+1]
				v.nemoVaries(kept[lo:hi], rewards[lo:hi], others)
			}
			v.dropEmpty(b, Reason{"std", 0})
			perStep, perPrompt := int(o.NumberOr(prompts, 0)), int(o.NumberOr(size, 0))
			if perStep == 0 || b.Groups() == 0 {
				return nil
			}
			if perPrompt == 0 {
				perPrompt = b.Offsets[1]
			}
			rows := howMany(kept)
			if v.SamplesOn = rows < perStep*perPrompt; v.SamplesOn {
				v.Note = fmt.Sprintf("%d rows are fewer than %d · %d: nothing trains yet, and sampling goes on", rows, perStep, perPrompt)
				return nil
			}
			v.cut(b, perStep*perPrompt, because("beyond num_prompts_per_step"))
			return nil
		},
	}}
}

// nemoVaries says of each row of a group whether its standard deviation is not 0: whether the variance that
// stands for it is a number above 0. The sums are float64, then rounded; the framework adds in the order
// of its BLAS, which differs from machine to machine.
func (v *Admission) nemoVaries(dst []bool, r []float64, leaveOut bool) {
	if len(r) == 1 {
		dst[0] = false
		return
	}
	x := v.float32s(r)
	sum, squares := 0.0, 0.0
	for _, y := range x {
		sum += float64(y)
		squares += float64(y * y)
	}
	m := float32(len(r))
	if !leaveOut {
		varies := nemoVariance(sum, squares, m) > 0
		for i := range dst {
			dst[i] = varies
		}
		return
	}
	for i, y := range x {
		dst[i] = nemoVariance(sum-float64(y), squares-float64(y*y), m-1) > 0
	}
}

// nemoVariance is (E[r²] − E[r]²) · m/(m − 1) of m rewards, in float32.
func nemoVariance(sum, squares float64, m float32) float32 {
	mean, square := float32(sum)/m, float32(squares)/m
	return (square - float32(mean*mean)) * (m / (m - 1))
}

const docNonzeroStd = "std is torch's in float64, ddof 1, on all rows of the group; the comparison is strict. The threshold is far above " +
	"rounding, so that groups of equal rewards are dropped, whatever their value. A group of one row has no std and is dropped, and so " +
	"is one with a NaN."

// slime drops groups whose rewards do not vary; the fallback stops when too few groups are left.
func slime() []*Filter {
	const (
		file    = "THUDM/slime@624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/rollout/filter_hub/dynamic_sampling_filters.py:"
		hub     = "slime.rollout.filter_hub.dynamic_sampling_filters."
		limit   = 1e-6
		size    = "rollout_batch_size"
		started = "over_sampling_batch_size"
	)
	groups := estimators.NumberOrNone(1, math.Inf(1))
	return []*Filter{
		{
			Entry: estimators.Entry{
				Name: "check_reward_nonzero_std", Key: "dynamic_sampling_filter_path", Value: hub + "check_reward_nonzero_std",
				Formula: "std(r) > 1e-6",
				Source:  file + "check_reward_nonzero_std",
				Doc:     docNonzeroStd,
			},
			Dropped: Refilled, Label: zeroStdLabel, decide: byRewards(stdAbove(limit)),
		},
		{
			Entry: estimators.Entry{
				Name: "check_reward_nonzero_std_with_fallback", Key: "dynamic_sampling_filter_path", Value: hub +
					"check_reward_nonzero_std_with_fallback",
				Formula: "std(r) > 1e-6, or no group to spare", Source: file + "check_reward_nonzero_std_with_fallback",
				Doc: docNonzeroStd + " But a group is dropped only while more than rollout_batch_size groups remain of those " +
					"started: the last dead groups of a step are trained on. So the verdict depends on the order in which groups arrive, " +
					"for which the order of the log is taken, and without over-sampling nothing is dropped.",
				Options: []estimators.Option{
					{Key: size, Kind: groups, Default: "none", Meaning: "groups of a step that train; none: all groups of the log"},
					{
						Key: started, Kind: groups, Default: "none",
						Meaning: "groups started for a step; none: as many as the log has (slime starts rollout_batch_size, so that none can be dropped)",
					},
				},
			},
			Dropped: Refilled, Label: zeroStdLabel,
			decide: func(v *Admission, b Batch, o estimators.Values) error {
				all := float64(b.Groups())
				switch {
				case o.Text(size) == "none":
					v.Assumed = "rollout_batch_size is not given: all groups of the log train, and none can be spared"
				case o.Text(started) == "none":
					v.Assumed = "over_sampling_batch_size is not given: the groups of the log are taken for those started"
				}
				slimeFallback(v, b, limit, int(o.NumberOr(size, all)), int(o.NumberOr(started, all)))
				return nil
			},
		},
	}
}

func stdAbove(limit float64) verdictOn {
	return func(_ *Admission, r []float64) (bool, Reason) {
		if clearlyAbove(r, limit) {
			return true, Reason{}
		}
		std := torchsum.Std64(r)
		switch {
		case std > limit:
			return true, Reason{}
		case len(r) == 1:
			return false, because("one row")
		case std != std:
			return false, because("std NaN")
		}
		return false, Reason{"std", std}
	}
}

// slimeFallback goes through the groups as they arrive until size of them are kept. A dead one is
// dropped only while more than size remain of those started.
func slimeFallback(v *Admission, b Batch, limit float64, size, started int) {
	ask, remaining, kept := stdAbove(limit), started, 0
	for g := range v.Admitted {
		if kept >= size {
			v.drop(g, because("batch full"))
			continue
		}
		stays, why := ask(v, b.Rewards[b.Offsets[g]:b.Offsets[g+1]])
		if !stays && remaining > size {
			v.drop(g, why)
			remaining--
			continue
		}
		kept++
	}
	v.SamplesOn = kept < size
}

// zeroStdLabel is zero_std_ and the first reward, rounded to one decimal, as Python writes it.
func zeroStdLabel(rewards []float64) string {
	x, _ := strconv.ParseFloat(strconv.FormatFloat(rewards[0], 'f', 1, 64), 64)
	text := strconv.FormatFloat(x, 'f', 1, 64)
	if math.Abs(x) >= 1e16 {
		text = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return "zero_std_" + strings.ToLower(text)
}

// miles is slime's rule with a smaller threshold.
func miles() []*Filter {
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "check_reward_nonzero_std", Key: "dynamic_sampling_filter_path",
			Value: "miles.rollout.filter_hub.dynamic_sampling_filters.check_reward_nonzero_std", Formula: "std(r) > 1e-8",
			Source: "radixark/miles@31f1ca961a94cb860cec3b2dea34ec332bfa8f76 " +
				"miles/rollout/filter_hub/dynamic_sampling_filters.py:check_reward_nonzero_std",
			Doc: docNonzeroStd + " Every row of a rollout of several outputs counts.",
		},
		Dropped: Refilled, Label: zeroStdLabel, decide: byRewards(stdAbove(1e-8)),
	}}
}

const (
	skyCode   = "skyrl wheel skyrl==0.4.0 skyrl/train/utils/trainer_utils.py:"
	skySize   = "generator.n_samples_per_prompt"
	skyBatch  = "trainer.train_batch_size"
	skyRatio  = "trainer.algorithm.dynamic_sampling.min_replace_ratio"
	skyTol    = "trainer.algorithm.zero_variance_filter_tol"
	docSkyStd = "std is np.std in float64, compared with exactly 0, and np.std of equal rewards is not always 0: three of 0.1 have " +
		"1.4e-17, so the trainer keeps such a group, while equal rewards of 0, 0.5 or 1 are dropped. A group with a NaN is " +
		"dropped. With generator.n_samples_per_prompt = 1 every group stays, whatever its own size. "
)

// skyRL has a mask of groups without variance, and two ways of dynamic sampling.
func skyRL() []*Filter {
	size := estimators.NumberOrNone(1, math.Inf(1)).Option(skySize, "none", "rows generated per prompt; none: as the groups of the log")
	return []*Filter{
		{
			Entry: estimators.Entry{
				Name: "zero_variance_filter", Key: "trainer.algorithm.zero_variance_filter", Value: "true",
				Formula: "max(r) − min(r) > zero_variance_filter_tol", Source: skyCode + "zero_variance_filter",
				Doc: "float64; a spread that equals the tolerance is dropped. It is a range, no standard deviation, so groups of equal " +
					"rewards are dropped, whatever their value. Only rows with a token in the loss count; groups with one or none of " +
					"them stay. A NaN as the first such row keeps the group, a later one is passed over. Dropped rows stay in the " +
					"batch with a loss mask of 0 and still count where the loss counts sequences or prompts.",
				Options: []estimators.Option{estimators.Number(0, math.Inf(1)).Option(skyTol, "1e-06",
					"groups whose rewards spread by this or less are dropped")},
			},
			Dropped: Masked,
			decide: func(v *Admission, b Batch, o estimators.Values) error {
				tol := o.Number(skyTol)
				for g := range v.Admitted {
					if spread, live := skySpread(b, b.Offsets[g], b.Offsets[g+1], tol); live > 1 && spread <= tol {
						v.drop(g, Reason{"spread", spread})
					}
				}
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "dynamic_sampling_filter", Key: "trainer.algorithm.dynamic_sampling.type", Value: "filter",
				Formula: "std(r) > 0", Source: skyCode + "handle_filter_sampling",
				Doc: docSkyStd + "With fewer than train_batch_size groups nothing trains yet and sampling goes on; with more the " +
					"batch is cut to train_batch_size · n_samples_per_prompt rows, which can cut a ragged group in two.",
				Options: []estimators.Option{size, {
					Key: skyBatch, Kind: estimators.NumberOrNone(1, math.Inf(1)), Default: "none",
					Meaning: "groups that train in a step; none: as many as stay",
				}},
			},
			Dropped: Refilled,
			decide: func(v *Admission, b Batch, o estimators.Values) error {
				n, batch := int(o.NumberOr(skySize, 0)), int(o.NumberOr(skyBatch, 0))
				skyDropFlat(v, b, n)
				if batch == 0 {
					return nil
				}
				good := v.admitted()
				v.rows(b)
				if v.SamplesOn = good < batch; v.SamplesOn {
					v.Note = fmt.Sprintf("%d groups are fewer than %s = %d: nothing trains yet, and sampling goes on", good, skyBatch,
						batch)
					return nil
				}
				if n == 0 {
					n = b.Offsets[1] - b.Offsets[0]
				}
				v.cut(b, batch*n, because("beyond train_batch_size"))
				return nil
			},
		},
		{
			Entry: estimators.Entry{
				Name: "dynamic_sampling_replace", Key: "trainer.algorithm.dynamic_sampling.type", Value: "replace",
				Formula: "std(r) > 0; the others are overwritten by good groups, or the batch is refused",
				Source:  skyCode + "handle_replace_sampling",
				Doc: docSkyStd + "If more than min_replace_ratio of the groups are good, copies of random good groups take the " +
					"places of the others; which ones is not in a log, and vantage leaves the places empty. Else the whole batch is " +
					"refused and sampled again.",
				Options: []estimators.Option{size, {
					Key: skyRatio, Kind: anyNumber(), Default: "0.3", Meaning: "the share of good groups must be more than this",
				}},
			},
			Dropped: Removed,
			decide: func(v *Admission, b Batch, o estimators.Values) error {
				ratio := o.Number(skyRatio)
				skyDropFlat(v, b, int(o.NumberOr(skySize, 0)))
				good, all := v.admitted(), b.Groups()
				switch {
				case float64(good) <= float64(all)*ratio:
					v.SamplesOn = true
					v.Note = fmt.Sprintf("%d of %d groups are good, not more than %s = %v: the batch is refused and another one sampled",
						good, all, skyRatio, ratio)
					for g, admitted := range v.Admitted {
						if admitted {
							v.drop(g, because("batch refused"))
						}
					}
				case good < all:
					v.Note = fmt.Sprintf("copies of random good groups take the places of the %d others; they are not counted here",
						all-good)
				}
				return nil
			},
		},
	}
}

// skySpread returns max − min of the rows [lo, hi) that have a token in the loss, as Python finds them, and
// how many there are. It stops where the spread is known to be more than enough.
func skySpread(b Batch, lo, hi int, enough float64) (spread float64, live int) {
	first, least, most := 0.0, 0.0, 0.0
	for i := lo; i < hi; i++ {
		if !b.live(i) {
			continue
		}
		x := b.Rewards[i]
		if live++; live == 1 {
			first, least, most = x, x, x
		}
		if d := math.Abs(x - first); d > enough {
			return d, live
		}
		if x < least {
			least = x
		}
		if x > most {
			most = x
		}
	}
	return most - least, live
}

// skyDropFlat drops the groups that do not vary; n is generator.n_samples_per_prompt, 0 if unknown.
func skyDropFlat(v *Admission, b Batch, n int) {
	if n == 1 {
		return
	}
	v.eachGroup(b, b.Rewards, func(v *Admission, r []float64) (bool, Reason) {
		if clearlyAbove(r, 0) {
			return true, Reason{}
		}
		std := v.numpyStd(r)
		if std != std {
			return false, because("std NaN")
		}
		return std > 0 || n == 0 && len(r) == 1, Reason{"std", std}
	})
}

// openInstruct drops groups without spread, and retires prompts that are solved.
func openInstruct() []*Filter {
	const drop, rate, best = "filter_zero_std_samples", "no_resampling_pass_rate", "max_possible_score"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "filter_zero_std_samples", Key: "filter_zero_std_samples, on by default", Formula: "std(r) ≠ 0",
			Source: "allenai/open-instruct@e6c3044aa6201c8bfa4573c1b03142af599e730d open_instruct/data_loader.py:process_group",
			Doc: "std is np.std in float64, compared with exactly 0, and np.std of equal scores is not always 0: three of 0.1 have " +
				"1.4e-17, so the trainer keeps such a group, while equal scores of 0, 0.5 or 10 are dropped. A group of one row is " +
				"dropped; one with a NaN stays. With no_resampling_pass_rate a prompt whose mean reaches that share of the best " +
				"possible score is never drawn again, whether its group trains or not.",
			Options: []estimators.Option{
				{Key: drop, Kind: estimators.Switch(), Default: "true", Meaning: "drop groups without spread"},
				{
					Key: rate, Kind: estimators.NumberOrNone(math.Inf(-1), math.Inf(1)), Default: "none",
					Meaning: "prompts solved at this rate or more are never drawn again",
				},
				{
					Key: best, Kind: anyNumber(), Default: "10",
					Meaning: "the best score: verification_reward, plus r1_style_format_reward where that is added",
				},
			},
		},
		Dropped: Refilled,
		decide: func(v *Admission, b Batch, o estimators.Values) error {
			if solved := o.NumberOr(rate, math.NaN()); solved == solved {
				for g, excluded := 0, v.retire(b); g < len(excluded); g++ {
					excluded[g] = torchsum.MeanNumpy(b.Rewards[b.Offsets[g]:b.Offsets[g+1]])/o.Number(best) >= solved
				}
			}
			if o.Bool(drop) {
				v.eachGroup(b, b.Rewards, func(v *Admission, r []float64) (bool, Reason) {
					return clearlyAbove(r, 0) || v.numpyStd(r) != 0, Reason{"std", 0}
				})
			}
			return nil
		},
	}}
}

// tinker removes groups of equal rewards.
func tinker() []*Filter {
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "remove_constant_reward_groups", Key: "remove_constant_reward_groups", Value: "True",
			Formula: "not all rewards equal",
			Source:  "tinker-cookbook wheel tinker-cookbook==0.6.1 tinker_cookbook/rl/data_processing.py:remove_constant_reward_groups",
			Doc: "Compared by ==, no standard deviation: groups of equal rewards are dropped, whatever their value, and a " +
				"difference in the last bit keeps a group. A group of one row is dropped; one with a NaN stays. If no group varies " +
				"the first one is kept, so that a batch is never empty. Nothing replaces the dropped groups.",
		},
		Dropped: Removed,
		decide: func(v *Admission, b Batch, _ estimators.Values) error {
			v.eachGroup(b, b.Rewards, func(_ *Admission, r []float64) (bool, Reason) { return !allEqual(r), because("equal rewards") })
			if len(v.Admitted) > 0 && v.admitted() == 0 {
				v.admit(0)
				v.Note = "all rewards are equal within their groups: the first group is kept, so that the batch is not empty"
			}
			return nil
		},
	}}
}

// cosmosRL drops groups of one distinct reward.
func cosmosRL() []*Filter {
	const key = "train.train_policy.filter_reward_metric"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "dynamic_sampling", Key: "train.train_policy.variant", Value: "dapo",
			Formula: "more than one distinct filter reward",
			Source:  "cosmos-rl wheel cosmos-rl==0.4.7 cosmos_rl/reward/local_calculator.py",
			Doc: "Compared exactly, in float64, no standard deviation: groups of equal rewards are dropped, whatever their value, and a " +
				"difference in the last bit keeps a group. The filter reward is the sum of the functions of " +
				"filter_reward_metric, the total reward if none is named. A group of one row is dropped. A NaN counts as a value of its " +
				"own here; in the trainer that depends on which object it is.",
			Options: []estimators.Option{estimators.Name("none or the names of columns, with commas").Option(key, "none",
				"the reward functions that must vary; none: the total reward")},
		},
		Dropped: Refilled, columns: func(o estimators.Values) []string { return strings.Split(o.Text(key), ",") },
		decide: func(v *Admission, b Batch, o estimators.Values) error {
			metric := o.Text(key)
			values := b.Rewards
			if metric != "none" {
				values = make([]float64, len(b.Rewards))
				for name := range strings.SplitSeq(metric, ",") {
					column := b.column(strings.TrimSpace(name))
					if column == nil {
						return missing("column " + name + ", which " + key + " names")
					}
					for i, x := range column {
						values[i] += x
					}
				}
			}
			v.eachGroup(b, values, func(_ *Admission, r []float64) (bool, Reason) {
				return len(r) > 1 && !allEqual(r), because("equal rewards")
			})
			return nil
		},
	}}
}

// trinity skips groups whose standard deviation is at most a threshold.
func trinity() []*Filter {
	const key = "algorithm.advantage_fn_args.std_threshold"
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "std_threshold", Key: key + ", a number", Formula: "std(r) > std_threshold, and several rows",
			Source: "trinity-rft wheel trinity-rft==0.6.0 " +
				"trinity/algorithm/advantage_fn/grpo_advantage.py:GRPOGroupedAdvantage.calculate_group_advantage",
			Doc: "float32, ddof 1; a standard deviation that equals the threshold is dropped. With a threshold of 0 most groups of " +
				"equal rewards of 0.1 or 0.7 stay, since their std in torch is a rounding error above 0; a threshold of 1e-6 drops them. " +
				"A group of one row is dropped, one with a NaN stays. With std_cal_level: batch the advantages still use the std of " +
				"all rows, of dropped groups too. duplicate_experiences then copies random groups, which is not in a log.",
			Options: []estimators.Option{estimators.NumberOrNone(math.Inf(-1), math.Inf(1)).Option(key, "none",
				"groups with this standard deviation or less are dropped; none: nothing is")},
		},
		Dropped: Removed,
		decide: func(v *Admission, b Batch, o estimators.Values) error {
			if o.Text(key) == "none" {
				v.Note = "std_threshold is none, trinity's default: nothing is dropped"
				return nil
			}
			v.eachGroup(b, b.Rewards, std32Above(float32(o.Number(key)), false))
			return nil
		},
	}}
}

// std32Above is the rule std > limit in torch's float32, ddof 1; a NaN stays. one says whether a group of one
// row stays.
func std32Above(limit float32, one bool) verdictOn {
	return func(v *Admission, r []float64) (bool, Reason) {
		if len(r) == 1 {
			return one, because("one row")
		}
		x := v.float32s(r)
		if clearlyAbove(x, float64(max(0, limit))) {
			return true, Reason{}
		}
		std := torchsum.Std(x)
		return !(std <= limit), Reason{"std", float64(std)}
	}
}
