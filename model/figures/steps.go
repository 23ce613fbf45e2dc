package figures

import (
	"fmt"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// step is a step, or the sum of several.
type step = *analysis.StepFigures

// Steps returns the figures of a step, and summed or averaged of a run: also the groups of each fate, the flips of each
// kind.
func Steps() []Of[step] {
	fates := fateFigures()
	for i := range fates {
		for _, name := range fates[i].AllNames() {
			fates[i].Names = append(fates[i].Names, name+"_groups")
		}
	}
	flips := flipFigures(func(s step) (*analysis.Flips, int) { return &s.Flips, s.Kept })
	return slices.Concat(stepFigures(), fates, flips)
}

// Metric returns the metric of a step of that name, which steps may lack.
func Metric(name string) Column[step] {
	e, _ := Explain(Metrics, name)
	return Column[step]{Name: name, Of: Of[step]{Value: func(s step) Number { return Mean(s.Metric(name)) }, Entry: e}}
}

// signal is not known of a step that is still being written.
func signal(s step) Number {
	n := Share(s.Signal, s.Groups)
	if s.Open {
		return n.As(units.Missing)
	}
	return n
}

// stepFigures are those of a step, and summed or averaged those of a run.
func stepFigures() []Of[step] {
	return []Of[step]{
		{
			Value: func(s step) Number { return Ordinal(s.Step) },
			Entry: Entry{
				Names: []string{"step", "steps"}, Unit: "–",
				Meaning: "a training batch, as the log numbers it; for a run the number of steps",
			},
		},
		{
			Value: func(s step) Number { return Count(s.Rows) },
			Entry: Entry{
				Names: []string{"samples", "rows", "N"}, Unit: "samples", Formula: "rows of the log in the step",
				Meaning:  "responses, whether they train or not",
				Trainers: "OpenRLHF `rollout/num_samples`",
			},
		},
		{
			Value: func(s step) Number { return Count(s.Rollouts) },
			Entry: Entry{
				Names: []string{"rollouts"}, Unit: "rollouts",
				Meaning: "rollouts of the step, where one rollout has several rows",
			},
		},
		{
			Value: func(s step) Number { return Count(s.Groups) },
			Entry: Entry{
				Names: []string{"groups", "G"}, Unit: "groups",
				Meaning: "samples of one prompt that are compared with each other",
			},
		},
		{
			Value: func(s step) Number { mean, _ := Reward(s); return Mean(mean) },
			Entry: Entry{
				Names: []string{"reward", "reward_mean"}, Unit: "reward", Formula: "Σr / #{finite r}",
				Meaning:  "mean reward of the step: critic/score/mean",
				Trainers: "TRL, ms-swift `reward`; verl, EasyR1, ROLL `critic/score/mean`",
			},
		},
		{
			Value: signal,
			Entry: Entry{
				Names: []string{"signal", "signal_groups"}, Unit: "groups, share of G", Formula: "alive + short",
				Meaning: "groups that still have a gradient: some advantage is not 0 after the filter, rounding errors aside; a " +
					"group with NaN or missing rewards counts as its trainer computes it",
				Trainers: "tinker `by_group/frac_mixed`; prime-rl `solved_some`; near: NeMo-RL `baseline_reward/pct_mixed`, " +
					"OpenRLHF `dynamic_filtering_pass_rate` (while it filters)",
			},
		},
		{
			Value: func(s step) Number { return Share(s.Nonzero, s.Rows) },
			Entry: Entry{
				Names: []string{"train", "A≠0", "A!=0", "nonzero", "nonzero_samples"}, Unit: "samples, share of N", Formula: "#{A′ ≠ 0}",
				Meaning: "samples that train: their advantage after the filter is not 0; what float arithmetic leaves of equal " +
					"rewards counts as 0, unless division by a tiny std makes it large: the fate rounding",
			},
		},
		{
			Value: func(s step) Number { return Share(s.Kept, s.Rows) },
			Entry: Entry{
				Names: []string{"kept", "kept_samples"}, Unit: "samples, share of N",
				Formula: "N − dropped by keep_pos_ratio and keep_neg_ratio",
				Meaning: "samples that the filter keeps, except those that don't train according to the log; samples with A = 0 " +
					"are always kept but do not train, so fewer train",
			},
		},
		{
			Value: func(s step) Number { return Ratio(s.Metric("vantage/abs_advantage_ratio")) },
			Entry: Entry{
				Names: []string{"Σ|A|"}, Unit: "ratio", Formula: "Σ|A′| / Σ|A|",
				Meaning: "how much of the total advantage the filter leaves: 1.00× is all of it",
			},
		},
		{
			Entry: Entry{
				Names: []string{"Δ"}, Unit: "as its metric", Formula: "candidate (B) − baseline (A)",
				Meaning: "difference between the current settings and the baseline that b set",
			},
		},
		{
			Value: func(s step) Number { return CountOf(s.Flips.Total(), s.Kept) },
			Entry: Entry{
				Names: []string{"flips"}, Unit: "kept samples", Formula: "#{kept: sign A′ ≠ sign A}",
				Meaning: "kept samples whose advantage changes sign in recompute, also from or to 0; dropped samples do not count",
			},
		},
		{
			Entry: Entry{
				Names:   []string{"flips/{pos_to_neg,neg_to_pos,zero_to_pos,zero_to_neg,pos_to_zero,neg_to_zero}", "flip_kinds"},
				Unit:    "kept samples",
				Meaning: "flips of one kind: +→− `pos_to_neg`, +→0 `pos_to_zero` and so on",
			},
		},
		{
			Entry: Entry{
				Names: []string{"max |A|"}, Unit: "advantage", Formula: "max |A|, |A′|",
				Meaning: "the largest advantage of either sign, before or after the filter",
			},
		},
		{
			Value: func(s step) Number { return Mean(s.Metric("vantage/effective_samples")) },
			Entry: Entry{
				Names: []string{"effective", "ESS"}, Unit: "samples", Formula: "(Σ|A′|)² / ΣA′²",
				Meaning: "effective sample size: so many samples of equal |A| would make as concentrated an update; it is below the " +
					"number that train if a few of them dominate",
			},
		},
		{
			Entry: Entry{
				Names: []string{"original"}, Unit: "samples; advantage", Formula: "n; mean ΣA / n",
				Meaning: "advantages before the filter: count and mean over all samples",
			},
		},
		{
			Entry: Entry{
				Names: []string{"processed"}, Unit: "samples; advantage", Formula: "n; mean ΣA′ / n",
				Meaning: "advantages after filter and recompute: count and mean over the kept samples",
			},
		},
		{
			Entry: Entry{
				Names: []string{"A baseline", "baseline"}, Unit: "samples; advantage", Formula: "n; mean ΣA′ / n",
				Meaning: "processed advantages under the baseline settings (b sets them)",
			},
		},
		{
			Entry: Entry{
				Names: []string{"B candidate", "candidate"}, Unit: "samples; advantage", Formula: "n; mean ΣA′ / n",
				Meaning: "processed advantages under the current settings",
			},
		},
		{
			Entry: Entry{
				Names: []string{"std"}, Unit: "advantage or reward", Formula: "√(Σ(x − mean)² / (n − 1)), ddof 1",
				Meaning: "spread of the histogram's values: every sample counts once, zeros too. The std of steps and metrics is " +
					"the trainer's instead: weighted by length, A = 0 left out",
			},
		},
		{
			Entry: Entry{
				Names: []string{"at 0"}, Unit: "samples", Formula: "#{A = 0}",
				Meaning: "samples at exactly 0: part of mean and std, but not drawn",
			},
		},
		{
			Value: func(s step) Number { return Count(s.InvalidRewards) },
			Entry: Entry{
				Names: []string{"invalid_rewards"}, Unit: "samples", Formula: "#{r not finite}",
				Meaning: "rewards that are NaN, infinite or missing: the mean, the least and the greatest reward are of the " +
					"others, but where the trainer takes such a reward for a number",
			},
		},
		{
			Value: func(s step) Number { return Mean(s.Metric("response_length/mean")) },
			Entry: Entry{
				Names: []string{"length", "length_mean"}, Unit: "tokens", Formula: "response_length/mean",
				Meaning: "mean length of a response",
			},
		},
		{
			Value: func(s step) Number { return Flag(s.Open) },
			Entry: Entry{
				Names: []string{"open", "open_steps"}, Unit: "yes or no",
				Meaning: "the step is still being written: it raises no warnings and is left out of trends",
			},
		},
		{
			Entry: Entry{
				Names: []string{"open_samples"}, Unit: "samples",
				Meaning: "samples of the steps that are still being written, which no sum counts",
			},
		},
		{
			Value: func(s step) Number { return Share(s.AdmittedGroups, s.Groups) },
			Entry: Entry{
				Names: []string{"admitted"}, Unit: "groups",
				Meaning: "groups that the group filter admits to training",
			},
		},
		{
			Value: func(s step) Number { return Ratio(s.Metric("vantage/refill")) },
			Entry: Entry{
				Names: []string{"refill"}, Unit: "ratio", Formula: "G / admitted",
				Meaning: "groups that must be generated for each one that is admitted",
			},
		},
		{
			Entry: Entry{
				Names: []string{"lowered"}, Unit: "samples, share of N",
				Meaning: "samples whose reward the length penalty lowers",
			},
		},
		{
			Value: func(s step) Number { return Mean(s.Metric("vantage/off_policy/removed")) },
			Entry: Entry{
				Names: []string{"removed"}, Unit: "samples",
				Meaning: "kept samples that the off-policy rule removes: vantage/off_policy/removed",
			},
		},
		{
			Value: func(s step) Number { return Mean(s.Metric("vantage/off_policy/unjudged")) },
			Entry: Entry{
				Names: []string{"unjudged"}, Unit: "samples",
				Meaning: "kept samples with an advantage that the off-policy rule cannot judge, and that train as without it",
			},
		},
		{
			Value: func(s step) Number { return Ratio(s.Metric("vantage/off_policy/tokens_kept")) },
			Entry: Entry{
				Names: []string{"tokens kept"}, Unit: "share of the tokens that it judges",
				Meaning: "tokens that still train after the off-policy rule: vantage/off_policy/tokens_kept",
			},
		},
		{
			Value: func(s step) Number { return Mean(s.Metric("vantage/off_policy/mean_weight")) },
			Entry: Entry{
				Names: []string{"mean w"}, Unit: "weight", Formula: "Σ w / tokens kept",
				Meaning: "weight that the off-policy rule gives a token that it keeps: vantage/off_policy/mean_weight",
			},
		},
		{
			Value: func(s step) Number { return Mean(s.Metric("vantage/loss/mass")) },
			Entry: Entry{
				Names: []string{"Σw|A|"}, Unit: "weight × advantage", Formula: "Σ w·|A′|",
				Meaning: "total advantage after the loss's weights: vantage/loss/mass",
			},
		},
		{
			Value: func(s step) Number { return Ratio(s.Metric("vantage/loss/negative_to_positive")) },
			Entry: Entry{
				Names: []string{"−/+"}, Unit: "ratio", Formula: "Σ w·|A′| over A′ < 0 / Σ w·A′ over A′ > 0",
				Meaning: "push down for each unit of push up in the loss; 1.00× is balance",
			},
		},
		{
			Value: func(s step) Number { return Ratio(s.Metric("vantage/loss/dilution")) },
			Entry: Entry{
				Names: []string{"dilution"}, Unit: "ratio", Formula: "Σw / Σw over A′ ≠ 0",
				Meaning: "how much samples with A = 0 shrink the loss average: at 2.00× the others weigh half as much as they would alone",
			},
		},
		{
			Entry: Entry{
				Names: []string{"longest quarter"}, Unit: "share", Formula: "Σ w·|A′| of the longest quarter of the samples / of all",
				Meaning: "share of the loss that the longest responses have",
			},
		},
		{
			Entry: Entry{
				Names: []string{"as logged"}, Unit: "samples", Formula: "exact or near / compared",
				Meaning: "logged advantages that the estimator reproduces: see match",
			},
		},
	}
}

// metrics are those that analysis computes, under the trainers' names.
func metrics() []Entry {
	return []Entry{
		{
			Names: []string{"critic/score/{mean,max,min}"}, Unit: "reward", Formula: "Σr / #{finite r}; max; min",
			Meaning: "rewards that the estimator reads: as logged, or a chosen or weighted column; of the finite ones where some " +
				"are not: see invalid_rewards",
			Trainers: "verl, EasyR1, ROLL the same; TRL, ms-swift `reward`; OpenRLHF `rollout/reward_mean`; SkyRL " +
				"`reward/avg_raw_reward`; tinker `reward/total`; prime-rl `reward/all/mean`; slime `rollout/raw_reward`; AReaL " +
				"`task_reward`",
		},
		{
			Names: []string{"critic/rewards/{mean,max,min}"}, Unit: "reward", Formula: "as critic/score",
			Meaning:  "in a trainer the score minus the KL penalty; a log has no KL, so here it equals critic/score",
			Trainers: "verl, EasyR1, ROLL the same; SkyRL `loss/avg_final_rewards`; AReaL `final_reward`, over tokens",
		},
		{
			Names: []string{"critic/advantages/{mean,max,min}"}, Unit: "advantage",
			Formula: "Σ l·A / Σ l; max; min over samples with l > 0",
			Meaning: "advantages before the filter, weighted by tokens",
			Trainers: "EasyR1 the same; verl, ROLL the same of what trains; SkyRL `loss/avg_raw_advantages`; NeMo-RL " +
				"`advantages/mean`; AReaL `advantages`; slime `rollout/advantages`, by rollout",
		},
		{
			Names: []string{"critic/advantages_processed/{mean,max,min}"}, Unit: "advantage",
			Formula:  "Σ l·A′ / Σ l over A′ ≠ 0; max; min",
			Meaning:  "advantages after the filter, weighted by tokens, without exact zeros; 0 if there are none",
			Trainers: "EasyR1 with the filter the same",
		},
		{
			Names: []string{"critic/advantages_processed/std"}, Unit: "advantage",
			Formula:  "√(Σ l·(A′ − mean)² / (Σ l − 1)) over A′ ≠ 0, ddof 1 over tokens",
			Meaning:  "their spread: unlike the std of the histogram it is weighted by length, and samples with A = 0 are left out",
			Trainers: "EasyR1 with the filter the same",
		},
		{
			Names: []string{"critic/returns/{mean,max,min}"}, Unit: "advantage", Formula: "Σ l·A′ / Σ l; max; min",
			Meaning:  "advantages after the filter, weighted by tokens, zeros included",
			Trainers: "verl, EasyR1, ROLL the same",
		},
		{
			Names: []string{"response_length/{mean,max,min}"}, Unit: "tokens", Formula: "Σ l / N; max; min",
			Meaning: "lengths of all responses",
			Trainers: "verl, EasyR1, ROLL the same; TRL, ms-swift `completions/mean_length`; OpenRLHF " +
				"`rollout/response_length_mean`; SkyRL `generate/avg_num_tokens`; NeMo-RL `mean_gen_tokens_per_sample`",
		},
		{
			Names: []string{"response_length/clip_ratio"}, Unit: "share of samples", Formula: "#{l = longest of the step} / N",
			Meaning: "responses that were probably cut off; trainers compare with their limit, or ask for an end token",
			Trainers: "verl, EasyR1 the same; TRL, ms-swift `completions/clipped_ratio`; OpenRLHF `rollout/truncated_rate`; " +
				"slime `rollout/truncated_ratio`; NeMo-RL `truncation_rate`; prime-rl `is_truncated/all/mean`; AReaL " +
				"`no_eos_ratios`",
		},
		{
			Names: []string{"response_length_no_cutoff/{mean,max,min}"}, Unit: "tokens", Formula: "over l < longest of the step",
			Meaning:  "lengths of the responses that were not cut off",
			Trainers: "EasyR1 with the filter the same; TRL `completions/mean_terminated_length`",
		},
		{
			Names: []string{"response_length_no_cutoff/count"}, Unit: "samples", Formula: "#{l < longest of the step}",
			Meaning:  "how many responses were not cut off",
			Trainers: "EasyR1 with the filter the same",
		},
		{
			Names: []string{"response_length_positive/{mean,max,min}"}, Unit: "tokens", Formula: "over A > 0 and l > 0",
			Meaning:  "lengths of the responses with a positive advantage; 0 if there are none",
			Trainers: "EasyR1 with the filter the same; near: AReaL `correct_seq_len` (reward > 0, with the prompt)",
		},
		{
			Names: []string{"response_length_negative/{mean,max,min}"}, Unit: "tokens", Formula: "over A < 0 and l > 0",
			Meaning:  "lengths of the responses with a negative advantage; 0 if there are none",
			Trainers: "EasyR1 with the filter the same; near: AReaL `incorrect_seq_len` (reward ≤ 0, with the prompt)",
		},
		{
			Names: []string{"sample_distribution/num_positive"}, Unit: "samples", Formula: "#{A > 0, l > 0}",
			Meaning:  "samples with a positive advantage before the filter",
			Trainers: "EasyR1 with the filter the same",
		},
		{
			Names: []string{"sample_distribution/num_negative"}, Unit: "samples", Formula: "#{A < 0, l > 0}",
			Meaning:  "samples with a negative advantage before the filter",
			Trainers: "EasyR1 with the filter the same",
		},
		{
			Names: []string{"sample_distribution/total"}, Unit: "samples", Formula: "num_positive + num_negative",
			Meaning:  "samples with an advantage other than 0",
			Trainers: "EasyR1 with the filter the same",
		},
		{
			Names: []string{"sample_distribution/num_kept_positive"}, Unit: "samples", Formula: "#{kept, A > 0, l > 0}",
			Meaning:  "positive ones that the filter keeps",
			Trainers: "EasyR1 with the filter the same",
		},
		{
			Names: []string{"sample_distribution/num_kept_negative"}, Unit: "samples", Formula: "#{kept, A < 0, l > 0}",
			Meaning:  "negative ones that the filter keeps",
			Trainers: "EasyR1 with the filter the same",
		},
		{
			Names: []string{"sample_distribution/num_filtered"}, Unit: "samples", Formula: "#{dropped or l = 0}",
			Meaning:  "samples that the filter drops, or that have no tokens",
			Trainers: "EasyR1 with the filter the same",
		},
		{
			Names: []string{"sample_distribution/kept_total"}, Unit: "samples", Formula: "num_kept_positive + num_kept_negative",
			Meaning:  "samples with an advantage before the filter that it keeps: recompute may give them 0, so this is not how many train",
			Trainers: "EasyR1 with the filter the same",
		},
		{
			Names: []string{"frac_reward_zero_std"}, Unit: "share of samples",
			Formula: "samples in groups whose std the trainer takes for 0 / N",
			Meaning: "samples without signal by the trainer's own test; for a trainer without one, by equal rewards",
			Trainers: "TRL, ms-swift the same; near: slime `rollout/zero_std/count_R` (groups), SkyRL " +
				"`reward/num_zero_variance_filtered` (while it filters)",
		},
		{
			Names: []string{"vantage/signal"}, Unit: "share of groups", Formula: "signal / G",
			Meaning:  "groups with signal",
			Trainers: "see signal",
		},
		{
			Names: []string{"vantage/kept"}, Unit: "share of samples", Formula: "kept / N",
			Meaning: "samples that the filter keeps",
		},
		{
			Names: []string{"vantage/nonzero_advantages"}, Unit: "samples", Formula: "#{A′ ≠ 0}",
			Meaning: "samples that train",
		},
		{
			Names: []string{"vantage/flips"}, Unit: "kept samples", Formula: "#{kept: sign A′ ≠ sign A}",
			Meaning: "flips of all kinds",
		},
		{
			Names: []string{"vantage/abs_advantage_ratio"}, Unit: "ratio", Formula: "Σ|A′| / Σ|A|",
			Meaning: "Σ|A| on the screen, of a run over all its samples; each sample counts once, whatever its length",
		},
		{
			Names: []string{"vantage/effective_samples"}, Unit: "samples", Formula: "(Σ|A′|)² / ΣA′²",
			Meaning: "effective on the screen: equals the number of samples that train if all |A′| are equal, else it is " +
				"smaller; of a run that of all its samples",
		},
		{
			Names: []string{"vantage/length_correlation"}, Unit: "−1 to 1",
			Formula: "Pearson's r of l and A′ over samples of known length",
			Meaning: "above 0 long responses are pushed up, below 0 short ones; NaN if either is constant",
		},
		{
			Names: []string{"vantage/admitted"}, Unit: "share of groups", Formula: "admitted / G",
			Meaning:  "groups that the group filter admits to training",
			Trainers: "near: OpenRLHF `dynamic_filtering_pass_rate`",
		},
		{
			Names: []string{"vantage/refill"}, Unit: "groups", Formula: "G / admitted",
			Meaning: "groups that must be generated for each one that is admitted",
		},
		{
			Names: []string{"vantage/off_policy/removed"}, Unit: "samples",
			Meaning: "kept samples of which the off-policy rule leaves no token",
		},
		{
			Names: []string{"vantage/off_policy/unjudged"}, Unit: "samples",
			Meaning: "kept samples with an advantage that the off-policy rule cannot judge: they train as without it",
		},
		{
			Names: []string{"vantage/off_policy/tokens_kept"}, Unit: "share", Formula: "tokens kept / tokens",
			Meaning: "tokens of the kept samples that still train after the off-policy rule",
		},
		{
			Names: []string{"vantage/off_policy/mean_weight"}, Unit: "weight", Formula: "Σ w / tokens kept",
			Meaning: "weight that the off-policy rule gives a token that it keeps; 1 if it has no weights",
		},
		{
			Names: []string{"vantage/loss/mass"}, Unit: "weight × advantage", Formula: "Σ w·|A′|",
			Meaning: "total advantage after the loss's weights w, of either sign",
		},
		{
			Names: []string{"vantage/loss/negative_to_positive"}, Unit: "ratio", Formula: "Σ w·|A′| over A′ < 0 / Σ w·A′ over A′ > 0",
			Meaning: "push down for each unit of push up: 1 is balance",
		},
		{
			Names: []string{"vantage/loss/dilution"}, Unit: "ratio", Formula: "Σw / Σw over A′ ≠ 0",
			Meaning: "how much samples with A = 0 shrink the loss average: at 2 the others weigh half as much as they would alone",
		},
		{
			Names: []string{"vantage/loss/longest_quarter"}, Unit: "share",
			Formula: "Σ w·|A′| of the longest quarter of the samples / of all",
			Meaning: "share of the loss that the longest responses have",
		},
		{
			Names: []string{"pass@k"}, Unit: "share", Formula: "mean over groups of n ≥ k of 1 − C(n − c, k) / C(n, k), c of n solved",
			Meaning:  "chance that one of k responses is solved, unbiased (Chen et al. 2021); a reward of NaN is not solved",
			Trainers: "slime `pass@k`; SkyRL `reward/avg_pass_at_n`, for k = n",
		},
		{
			Names: []string{"vantage/solve_rate/0"}, Unit: "groups", Formula: "#{c = 0}",
			Meaning:  "groups without a solved sample",
			Trainers: "tinker `by_group/frac_all_bad`; prime-rl `solved_none`; near: NeMo-RL `baseline_reward/pct_0`",
		},
		{
			Names: []string{"vantage/solve_rate/{to_25,to_50,to_75,below_100}"}, Unit: "groups",
			Formula: "#{c/n in (0, 0.25], (0.25, 0.5], (0.5, 0.75], (0.75, 1)}",
			Meaning: "groups by the share of their samples that are solved",
		},
		{
			Names: []string{"vantage/solve_rate/100"}, Unit: "groups", Formula: "#{c = n}",
			Meaning:  "groups of which every sample is solved",
			Trainers: "tinker `by_group/frac_all_good`; prime-rl `solved_all`; near: NeMo-RL `baseline_reward/pct_1`",
		},
	}
}

// TrainText says how many of some samples train, and what the log says of the others: "28/32 (88%) train: their advantage is not 0; 3
// masked"; of evaluations none does. singles are those of them that are the only ones of their group: they train, though their group
// compares nothing and so carries no signal.
func TrainText(nonzero, singles, residue, rows int, statuses model.StatusCounts, evaluates bool) string {
	text := units.Fraction(nonzero, rows) + " train: their advantage is not 0"
	if evaluates {
		text = fmt.Sprintf("evaluation: none of %s trains; %s have an advantage that is not 0",
			units.Count(rows), units.Fraction(nonzero, rows))
	}
	if singles > 0 {
		text += fmt.Sprintf("; of these %s alone in a group, which then carries no signal", units.Count(singles))
	}
	switch {
	case residue == 1:
		text += "; 1 holds a rounding error, at the mean of its group"
	case residue > 1:
		text += fmt.Sprintf("; %s hold a rounding error, at the mean of their group", units.Count(residue))
	}
	if says := statuses.String(); says != "" {
		text += "; " + says
	}
	return text
}

func fateFigures() []Of[step] {
	var all []Of[step]
	for _, f := range model.Fates() {
		names := []string{f.String()}
		if f.Key() != f.String() {
			names = append(names, f.Key())
		}
		all = append(all, Of[step]{
			Value: func(s step) Number { return CountOf(s.Fates[f], s.Groups) },
			Entry: Entry{Names: names, Unit: "–", Meaning: f.Doc()},
		})
	}
	return all
}

// flipFigures count the flips of each kind of a step or a group.
func flipFigures[T any](of func(T) (flips *analysis.Flips, kept int)) []Of[T] {
	var all []Of[T]
	for k, kind := range analysis.FlipKinds() {
		value := func(x T) Number {
			flips, kept := of(x)
			return CountOf(int(flips[k]), kept)
		}
		all = append(all, Of[T]{
			Value: value,
			Entry: Entry{Names: []string{"flips/" + kind.Name}, Unit: "kept samples", Meaning: "flips " + kind.Label},
		})
	}
	return all
}
