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
			fates[i].Names += ", " + name + "_groups"
		}
	}
	flips := flipFigures(func(s step) (*analysis.Flips, int) { return &s.Flips, s.Kept })
	return slices.Concat(stepFigures(), fates, flips)
}

// Metric returns the metric of a step of that name, which steps may lack.
func Metric(name string) Column[step] {
	e, _ := Explain(Metrics, name)
	return Column[step]{name, Of[step]{func(s step) Number { return Mean(s.Metric(name)) }, e}}
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
		{func(s step) Number { return Ordinal(s.Step) }, Entry{"step, steps", "–", "", "a training batch, as the log numbers it; for a run the number of steps", ""}},
		{func(s step) Number { return Count(s.Rows) }, Entry{"samples, rows, N", "samples", "rows of the log in the step", "responses, whether they train or not", "OpenRLHF `rollout/num_samples`"}},
		{func(s step) Number { return Count(s.Rollouts) }, Entry{"rollouts", "rollouts", "", "rollouts of the step, where one rollout has several rows", ""}},
		{func(s step) Number { return Count(s.Groups) }, Entry{"groups, G", "groups", "", "samples of one prompt that are compared with each other", ""}},
		{func(s step) Number { mean, _ := Reward(s); return Mean(mean) }, Entry{"reward, reward_mean", "reward", "Σr / #{finite r}", "mean reward of the step: critic/score/mean", "TRL, ms-swift `reward`; verl, EasyR1, ROLL `critic/score/mean`"}},
		{signal, Entry{"signal, signal_groups", "groups, share of G", "alive + short", "groups that still have a gradient: some advantage is not 0 after the filter, rounding errors aside; a group with NaN or missing rewards counts as its trainer computes it", "tinker `by_group/frac_mixed`; prime-rl `solved_some`; near: NeMo-RL `baseline_reward/pct_mixed`, OpenRLHF `dynamic_filtering_pass_rate` (while it filters)"}},
		{func(s step) Number { return Share(s.Nonzero, s.Rows) }, Entry{"train, A≠0, A!=0, nonzero, nonzero_samples", "samples, share of N", "#{A′ ≠ 0}", "samples that train: their advantage after the filter is not 0; what float arithmetic leaves of equal rewards counts as 0, unless division by a tiny std makes it large: the fate rounding", ""}},
		{func(s step) Number { return Share(s.Kept, s.Rows) }, Entry{"kept, kept_samples", "samples, share of N", "N − dropped by keep_pos_ratio and keep_neg_ratio", "samples that the filter keeps, except those that don't train according to the log; samples with A = 0 are always kept but do not train, so fewer train", ""}},
		{func(s step) Number { return Ratio(s.Metric("vantage/abs_advantage_ratio")) }, Entry{"Σ|A|", "ratio", "Σ|A′| / Σ|A|", "how much of the total advantage the filter leaves: 1.00× is all of it", ""}},
		{Entry: Entry{"Δ", "as its metric", "candidate (B) − baseline (A)", "difference between the current settings and the baseline that b set", ""}},
		{func(s step) Number { return CountOf(s.Flips.Total(), s.Kept) }, Entry{"flips", "kept samples", "#{kept: sign A′ ≠ sign A}", "kept samples whose advantage changes sign in recompute, also from or to 0; dropped samples do not count", ""}},
		{Entry: Entry{"flips/{pos_to_neg,neg_to_pos,zero_to_pos,zero_to_neg,pos_to_zero,neg_to_zero}, flip_kinds", "kept samples", "", "flips of one kind: +→− `pos_to_neg`, +→0 `pos_to_zero` and so on", ""}},
		{Entry: Entry{"max |A|", "advantage", "max |A|, |A′|", "the largest advantage of either sign, before or after the filter", ""}},
		{func(s step) Number { return Mean(s.Metric("vantage/effective_samples")) }, Entry{"push like, ESS", "samples", "(Σ|A′|)² / ΣA′²", "effective sample size: the update is as concentrated as one of so many samples of equal |A|; below the number that train where a few dominate", ""}},
		{Entry: Entry{"original", "samples; advantage", "n; mean ΣA / n", "advantages before the filter: count and mean over all samples", ""}},
		{Entry: Entry{"processed", "samples; advantage", "n; mean ΣA′ / n", "advantages after filter and recompute: count and mean over the kept samples", ""}},
		{Entry: Entry{"A baseline, baseline", "samples; advantage", "n; mean ΣA′ / n", "processed advantages under the baseline settings (b sets them)", ""}},
		{Entry: Entry{"B candidate, candidate", "samples; advantage", "n; mean ΣA′ / n", "processed advantages under the current settings", ""}},
		{Entry: Entry{"std", "advantage or reward", "√(Σ(x − mean)² / (n − 1)), ddof 1", "spread of the histogram's values: every sample counts once, zeros too. The std of steps and metrics is the trainer's instead: weighted by length, A = 0 left out", ""}},
		{Entry: Entry{"at 0", "samples", "#{A = 0}", "samples at exactly 0: part of mean and std, but not drawn", ""}},
		{func(s step) Number { return Count(s.InvalidRewards) }, Entry{"invalid_rewards", "samples", "#{r not finite}", "rewards that are NaN, infinite or missing: the mean, the least and the greatest reward are of the others, but where the trainer takes such a reward for a number", ""}},
		{func(s step) Number { return Mean(s.Metric("response_length/mean")) }, Entry{"length, length_mean", "tokens", "response_length/mean", "mean length of a response", ""}},
		{func(s step) Number { return Flag(s.Open) }, Entry{"open, open_steps", "yes or no", "", "the step is still being written: it raises no warnings and is left out of trends", ""}},
		{Entry: Entry{"open_samples", "samples", "", "samples of the steps that are still being written, which no sum counts", ""}},
		{func(s step) Number { return Share(s.AdmittedGroups, s.Groups) }, Entry{"admitted", "groups", "", "groups that the group filter admits to training", ""}},
		{func(s step) Number { return Ratio(s.Metric("vantage/refill")) }, Entry{"refill", "ratio", "G / admitted", "groups that must be generated for each one that is admitted", ""}},
		{Entry: Entry{"lowered", "samples, share of N", "", "samples whose reward the length penalty lowers", ""}},
		{func(s step) Number { return Mean(s.Metric("vantage/loss/mass")) }, Entry{"Σw|A|", "weight × advantage", "Σ w·|A′|", "total advantage after the loss's weights: vantage/loss/mass", ""}},
		{func(s step) Number { return Ratio(s.Metric("vantage/loss/negative_to_positive")) }, Entry{"−/+", "ratio", "Σ w·|A′| over A′ < 0 / Σ w·A′ over A′ > 0", "push down for each unit of push up in the loss; 1.00× is balance", ""}},
		{func(s step) Number { return Ratio(s.Metric("vantage/loss/dilution")) }, Entry{"dilution", "ratio", "Σw / Σw over A′ ≠ 0", "how much samples with A = 0 shrink the loss average: at 2.00× the others weigh half as much as they would alone", ""}},
		{Entry: Entry{"longest quarter", "share", "Σ w·|A′| of the longest quarter of the samples / of all", "share of the loss that the longest responses have", ""}},
		{Entry: Entry{"as logged", "samples", "exact or near / compared", "logged advantages that the estimator reproduces: see match", ""}},
	}
}

// metrics are those that analysis computes, under the trainers' names.
func metrics() []Entry {
	return []Entry{
		{"critic/score/{mean,max,min}", "reward", "Σr / #{finite r}; max; min", "rewards that the estimator reads: as logged, or a chosen or weighted column; of the finite ones where some are not: see invalid_rewards", "verl, EasyR1, ROLL the same; TRL, ms-swift `reward`; OpenRLHF `rollout/reward_mean`; SkyRL `reward/avg_raw_reward`; tinker `reward/total`; prime-rl `reward/all/mean`; slime `rollout/raw_reward`; AReaL `task_reward`"},
		{"critic/rewards/{mean,max,min}", "reward", "as critic/score", "in a trainer the score minus the KL penalty; a log has no KL, so here it equals critic/score", "verl, EasyR1, ROLL the same; SkyRL `loss/avg_final_rewards`; AReaL `final_reward`, over tokens"},
		{"critic/advantages/{mean,max,min}", "advantage", "Σ l·A / Σ l; max; min over samples with l > 0", "advantages before the filter, weighted by tokens", "EasyR1 the same; verl, ROLL the same of what trains; SkyRL `loss/avg_raw_advantages`; NeMo-RL `advantages/mean`; AReaL `advantages`; slime `rollout/advantages`, by rollout"},
		{"critic/advantages_processed/{mean,max,min}", "advantage", "Σ l·A′ / Σ l over A′ ≠ 0; max; min", "advantages after the filter, weighted by tokens, without exact zeros; 0 if there are none", "EasyR1 with the filter the same"},
		{"critic/advantages_processed/std", "advantage", "√(Σ l·(A′ − mean)² / (Σ l − 1)) over A′ ≠ 0, ddof 1 over tokens", "their spread: unlike the std of the histogram it is weighted by length, and samples with A = 0 are left out", "EasyR1 with the filter the same"},
		{"critic/returns/{mean,max,min}", "advantage", "Σ l·A′ / Σ l; max; min", "advantages after the filter, weighted by tokens, zeros included", "verl, EasyR1, ROLL the same"},
		{"response_length/{mean,max,min}", "tokens", "Σ l / N; max; min", "lengths of all responses", "verl, EasyR1, ROLL the same; TRL, ms-swift `completions/mean_length`; OpenRLHF `rollout/response_length_mean`; SkyRL `generate/avg_num_tokens`; NeMo-RL `mean_gen_tokens_per_sample`"},
		{"response_length/clip_ratio", "share of samples", "#{l = longest of the step} / N", "responses that were probably cut off; trainers compare with their limit, or ask for an end token", "verl, EasyR1 the same; TRL, ms-swift `completions/clipped_ratio`; OpenRLHF `rollout/truncated_rate`; slime `rollout/truncated_ratio`; NeMo-RL `truncation_rate`; prime-rl `is_truncated/all/mean`; AReaL `no_eos_ratios`"},
		{"response_length_no_cutoff/{mean,max,min}", "tokens", "over l < longest of the step", "lengths of the responses that were not cut off", "EasyR1 with the filter the same; TRL `completions/mean_terminated_length`"},
		{"response_length_no_cutoff/count", "samples", "#{l < longest of the step}", "how many responses were not cut off", "EasyR1 with the filter the same"},
		{"response_length_positive/{mean,max,min}", "tokens", "over A > 0 and l > 0", "lengths of the responses with a positive advantage; 0 if there are none", "EasyR1 with the filter the same; near: AReaL `correct_seq_len` (reward > 0, with the prompt)"},
		{"response_length_negative/{mean,max,min}", "tokens", "over A < 0 and l > 0", "lengths of the responses with a negative advantage; 0 if there are none", "EasyR1 with the filter the same; near: AReaL `incorrect_seq_len` (reward ≤ 0, with the prompt)"},
		{"sample_distribution/num_positive", "samples", "#{A > 0, l > 0}", "samples with a positive advantage before the filter", "EasyR1 with the filter the same"},
		{"sample_distribution/num_negative", "samples", "#{A < 0, l > 0}", "samples with a negative advantage before the filter", "EasyR1 with the filter the same"},
		{"sample_distribution/total", "samples", "num_positive + num_negative", "samples with an advantage other than 0", "EasyR1 with the filter the same"},
		{"sample_distribution/num_kept_positive", "samples", "#{kept, A > 0, l > 0}", "positive ones that the filter keeps", "EasyR1 with the filter the same"},
		{"sample_distribution/num_kept_negative", "samples", "#{kept, A < 0, l > 0}", "negative ones that the filter keeps", "EasyR1 with the filter the same"},
		{"sample_distribution/num_filtered", "samples", "#{dropped or l = 0}", "samples that the filter drops, or that have no tokens", "EasyR1 with the filter the same"},
		{"sample_distribution/kept_total", "samples", "num_kept_positive + num_kept_negative", "samples with an advantage before the filter that it keeps: recompute may give them 0, so this is not how many train", "EasyR1 with the filter the same"},
		{"frac_reward_zero_std", "share of samples", "samples in groups whose std the trainer takes for 0 / N", "samples without signal by the trainer's own test; for a trainer without one, by equal rewards", "TRL, ms-swift the same; near: slime `rollout/zero_std/count_R` (groups), SkyRL `reward/num_zero_variance_filtered` (while it filters)"},
		{"vantage/signal", "share of groups", "signal / G", "groups with signal", "see signal"},
		{"vantage/kept", "share of samples", "kept / N", "samples that the filter keeps", ""},
		{"vantage/nonzero_advantages", "samples", "#{A′ ≠ 0}", "samples that train", ""},
		{"vantage/flips", "kept samples", "#{kept: sign A′ ≠ sign A}", "flips of all kinds", ""},
		{"vantage/abs_advantage_ratio", "ratio", "Σ|A′| / Σ|A|", "Σ|A| on the screen, of a run over all its samples; each sample counts once, whatever its length", ""},
		{"vantage/effective_samples", "samples", "(Σ|A′|)² / ΣA′²", "push like on the screen: equals the number of samples that train if all |A′| are equal, else it is smaller; of a run that of all its samples", ""},
		{"vantage/length_correlation", "−1 to 1", "Pearson's r of l and A′ over samples of known length", "above 0 long responses are pushed up, below 0 short ones; NaN if either is constant", ""},
		{"vantage/admitted", "share of groups", "admitted / G", "groups that the group filter admits to training", "near: OpenRLHF `dynamic_filtering_pass_rate`"},
		{"vantage/refill", "groups", "G / admitted", "groups that must be generated for each one that is admitted", ""},
		{"vantage/loss/mass", "weight × advantage", "Σ w·|A′|", "total advantage after the loss's weights w, of either sign", ""},
		{"vantage/loss/negative_to_positive", "ratio", "Σ w·|A′| over A′ < 0 / Σ w·A′ over A′ > 0", "push down for each unit of push up: 1 is balance", ""},
		{"vantage/loss/dilution", "ratio", "Σw / Σw over A′ ≠ 0", "how much samples with A = 0 shrink the loss average: at 2 the others weigh half as much as they would alone", ""},
		{"vantage/loss/longest_quarter", "share", "Σ w·|A′| of the longest quarter of the samples / of all", "share of the loss that the longest responses have", ""},
		{"pass@k", "share", "mean over groups of n ≥ k of 1 − C(n − c, k) / C(n, k), c of n solved", "chance that one of k responses is solved, unbiased (Chen et al. 2021); a reward of NaN is not solved", "slime `pass@k`; SkyRL `reward/avg_pass_at_n`, for k = n"},
		{"vantage/solve_rate/0", "groups", "#{c = 0}", "groups without a solved sample", "tinker `by_group/frac_all_bad`; prime-rl `solved_none`; near: NeMo-RL `baseline_reward/pct_0`"},
		{"vantage/solve_rate/{to_25,to_50,to_75,below_100}", "groups", "#{c/n in (0, 0.25], (0.25, 0.5], (0.5, 0.75], (0.75, 1)}", "groups by the share of their samples that are solved", ""},
		{"vantage/solve_rate/100", "groups", "#{c = n}", "groups of which every sample is solved", "tinker `by_group/frac_all_good`; prime-rl `solved_all`; near: NeMo-RL `baseline_reward/pct_1`"},
	}
}

// TrainText says how many of some samples train, and what the log says of the others: "28/32 (88%) train: their advantage is not 0; 3
// masked"; of evaluations none does. singles are those of them that are the only ones of their group: they train, though their group
// compares nothing and so carries no signal.
func TrainText(nonzero, singles, residue, rows int, statuses model.StatusCounts, evaluates bool) string {
	text := units.Fraction(nonzero, rows) + " train: their advantage is not 0"
	if evaluates {
		text = fmt.Sprintf("evaluation: none of %s trains; %s have an advantage that is not 0", units.Count(rows), units.Fraction(nonzero, rows))
	}
	if singles > 0 {
		text += fmt.Sprintf("; of these %s alone in a group, which then carries no signal", units.Count(singles))
	}
	if residue > 0 {
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
		name := f.String()
		if f.Key() != name {
			name += ", " + f.Key()
		}
		all = append(all, Of[step]{func(s step) Number { return CountOf(s.Fates[f], s.Groups) }, Entry{name, "–", "", f.Doc(), ""}})
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
		all = append(all, Of[T]{value, Entry{"flips/" + kind.Name, "kept samples", "", "flips " + kind.Label, ""}})
	}
	return all
}
