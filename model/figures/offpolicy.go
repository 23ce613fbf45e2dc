package figures

import "vantage/model"

// OffPolicyNames are those of the figures of off-policy samples, in the order of the view.
func OffPolicyNames() []string { return model.Mapped(offPolicyFigures(), Entry.Name) }

// offPolicyFigures are computed by package model/offpolicy.
func offPolicyFigures() []Entry {
	return []Entry{
		{
			Names: []string{"mean |d|", "mean_abs"}, Unit: "nats a token", Formula: "Σ|d| / tokens",
			Meaning:  "how far trainer and sampler are apart: 0.005 to 0.04 is normal with bf16 and the same weights",
			Trainers: "TRL `sampling/sampling_logp_difference/mean`, slime `train_rollout_logprob_abs_diff`",
		},
		{
			Names: []string{"k3"}, Unit: "nats a token", Formula: "mean(e^d − 1 − d)",
			Meaning:  "estimate of the KL divergence of the two: up to 1e-3 is normal",
			Trainers: "NeMo-RL `gen_kl_error`, verl `rollout_corr/k3_kl`, prime-rl `mismatch_kl`",
		},
		{
			Names: []string{"ESS", "ess_share"}, Unit: "share of rows", Formula: "(Σw)² / (n Σw²) within a step, w = e^Σd",
			Meaning:  "rows that count, if each weighs the product of its ratios; of a rule after it",
			Trainers: "near: verl `rollout_corr/rollout_is_eff_sample_size`, of tokens and after the clip",
		},
		{
			Names: []string{"top 1", "top_share"}, Unit: "share of Σw", Formula: "max w / Σw",
			Meaning: "share of the heaviest row of a step in all weight: above a half one row is the step",
		},
		{
			Names: []string{"unscored"}, Unit: "tokens",
			Meaning: "tokens that train without a finite number of both sides: they are counted and never taken for 0",
		},
		{
			Names: []string{"lag"}, Unit: "versions", Formula: "step − 1 − version of the first token",
			Meaning:  "by how many updates the weights that sampled are older than those that train",
			Trainers: "prime-rl `off_policy/mean`, SkyRL `async/staleness_mean`",
		},
		{
			Names: []string{"engine"}, Unit: "–",
			Meaning: "the cause where trainer and sampler differ with the same weights: precision, temperature, raw log-probs",
		},
		{
			Names: []string{"staleness"}, Unit: "–",
			Meaning: "the cause where mean |d| grows with the lag",
		},
		{
			Names: []string{"tokens kept"}, Unit: "share of tokens",
			Meaning: "tokens that still train after a rule",
		},
		{
			Names: []string{"rows kept"}, Unit: "share of rows",
			Meaning: "rows of which a token still trains after a rule",
		},
		{
			Names: []string{"emptied"}, Unit: "groups",
			Meaning: "groups of which a rule leaves no token",
		},
		{
			Names: []string{"Σ|A| kept"}, Unit: "share of Σ|A|",
			Meaning: "logged |A| that a rule leaves, of each row by the share of its tokens that is kept; also of rows with A > 0 and A < 0 alone",
		},
		{
			Names: []string{"rule"}, Unit: "–",
			Meaning: "what a trainer does to tokens or rows whose ratio is beyond a bound: clip, mask, drop",
		},
		{
			Names: []string{"sweep of a bound"}, Unit: "share",
			Meaning: "ESS, tokens and Σ|A| that the rule under the cursor keeps, with its bound at a quarter to four times the trainer's, " +
				"which ● marks; ★ marks the bound that keeps most of all",
		},
	}
}
