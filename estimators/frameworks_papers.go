package estimators

// papers are methods that no trainer here has, by their authors' code or by the paper itself.
func papers() []*Estimator {
	const (
		podsCode  = "arXiv:2504.13818; YixuanEvenXu/pods@187f43b648f69385103029c2dd0934521e17bb71 trainer/maxvargrpo_trainer.py:515-533"
		pkpoCode  = "arXiv:2505.15201; kpahwa16/pass-k-policy-optimization@1b0928e6eef4f28e355b88cd40f0247263bff22d pkpo_core.py:"
		signsCode = "arXiv:2506.01347; TianHongZXY/RLVR-Decomposed@a5d4e7c1df6016ebd7396bd6db83d885120adb6d " +
			"verl/trainer/ppo/core_algos.py:compute_psr_nsr_outcome_advantage"
		docSigns = "No groups and no baseline: groups of equal rewards train like any other. NaN stays."
	)
	taken := Count(2).Option("num_generations_grad", "8",
		"number of samples of a group that train: the subset with the largest reward variance")
	lambda := anyNumber().Option("algorithm.positive_advantage_weight", "0.1",
		"weight of correct responses, λ; the paper's value, while the default of the authors' configuration is 1")
	signs := Option{
		Key: "algorithm.advantage", Kind: OneOf("positive", "negative", "weighted"), Default: "positive",
		Meaning: "positive is the entry psr, negative nsr, weighted w_reinforce",
		Selects: map[string]Selection{
			"positive": {Estimator: "psr"}, "negative": {Estimator: "nsr"}, "weighted": {Estimator: "w_reinforce"},
		},
	}
	passAtK := func(name, formulaText, doc string, least int, build func(k int) pkpo) *Estimator {
		k := Option{Key: "k", Kind: Count(least), Default: "4", Meaning: "the k of pass@k; groups need k samples, and one more under sloo"}
		return about("pkpo_"+name, formulaText, pkpoCode+name,
			doc+" The largest reward of k samples is their pass@k where rewards are 0 and 1. Groups may differ in size; smaller ones "+
				"than it is defined for are refused. NaN makes its group NaN. Agrees to 1e-12 with the paper's definition in fractions.").
			by(Estimator{Float: Float64, Tolerance: 1e-12}).
			configurable(func(v Values) formula { return build(v.Whole(k.Key)).advantages }, k)
	}
	return []*Estimator{
		about("pods", "A = (r − μ) / (s + 1e-4) of the num_generations_grad samples of greatest variance, 0 of the others",
			podsCode,
			"Those are some of the best and some of the worst of the group, and μ and s, ddof 1, are theirs: a way to keep samples "+
				"as keep_pos_ratio and keep_neg_ratio are one, by a number and not by ratios. Equal rewards at the edge are kept in batch "+
				"order, PyTorch's sort takes any of them. Smaller groups raise RuntimeError. NaN makes its group NaN.").
			by(Estimator{Scales: []Scale{ScaleGroup}}).configured(func(e *Estimator, v Values) {
			w := pods{v.Whole(taken.Key)}
			e.Advantage, e.selects = w.advantages, w.selects
		}, taken),
		// W-REINFORCE.
		about("w_reinforce", "A = λ if r = 1, −1 if r = 0, else r; λ 0.1", signsCode,
			"λ is algorithm.positive_advantage_weight. "+docSigns).with(signs).
			by(Estimator{}).configurable(func(v Values) formula { return signWeights(float32(v.Number(lambda.Key))) }, lambda),
		// Negative sample reinforcement.
		about("nsr", "A = r − 1", signsCode,
			"Only wrong responses train. "+docSigns).with(signs).
			by(Estimator{Advantage: minusOne()}),
		// Positive sample reinforcement.
		about("psr", "A = r", signsCode,
			"Only correct responses train, if wrong ones have reward 0. "+docSigns).with(signs).
			by(Estimator{Advantage: rewardItself}),
		passAtK("sloo_minus_one", "A = mean over the subsets of k with the sample of (largest r − largest r without it) · k/n",
			"The least variance of the three. Only what a sample adds to the others counts, so it is never negative.", 2, pkpoSLOOMinusOne),
		passAtK("sloo", "A = s − mean of s of the others, in the group without the sample", "s is that of pkpo_s.", 1, pkpoSLOO),
		passAtK("s", "A = mean over the subsets of k with the sample of the largest r · k/n", "No baseline.", 1, pkpoS),
	}
}
