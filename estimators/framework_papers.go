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
	taken := Option{
		Key: "num_generations_grad", Kind: Count(2), Default: "8",
		Meaning: "number of samples of a group that train: the subset with the largest reward variance",
	}
	lambda := Option{
		Key: "algorithm.positive_advantage_weight", Kind: anyNumber(), Default: "0.1",
		Meaning: "weight of correct responses, λ; the paper's value, while the default of the authors' configuration is 1",
	}
	signs := Option{
		Key: "algorithm.advantage", Kind: OneOf("positive", "negative", "weighted"), Default: "positive",
		Meaning: "positive is the entry psr, negative nsr, weighted w_reinforce",
		Selects: map[string]Selection{"positive": {Estimator: "psr"}, "negative": {Estimator: "nsr"}, "weighted": {Estimator: "w_reinforce"}},
	}
	passAtK := func(name, formulaText, doc string, least int, build func(k int) pkpo) *Estimator {
		k := Option{Key: "k", Kind: Count(least), Default: "4", Meaning: "the k of pass@k; groups need k samples, and one more under sloo"}
		return configurable(Estimator{
			Entry: Entry{
				Name: "pkpo_" + name, Formula: formulaText, Source: pkpoCode + name,
				Doc: doc + " The largest reward of k samples is their pass@k where rewards are 0 and 1. Groups may differ in size; smaller ones " +
					"than it is defined for are refused. NaN makes its group NaN. Agrees to 1e-12 with the paper's definition in fractions.",
			},
			Float: Float64, Tolerance: 1e-12,
		}, func(v Values) formula { return build(v.Whole(k.Key)).advantages }, k)
	}
	return []*Estimator{
		configured(Estimator{
			Entry: Entry{
				Name:    "pods",
				Formula: "A = (r − μ) / (s + 1e-4) of the num_generations_grad samples of greatest variance, 0 of the others",
				Source:  podsCode,
				Doc: "Those are some of the best and some of the worst of the group, and μ and s, ddof 1, are theirs: a way to keep samples " +
					"as keep_pos_ratio and keep_neg_ratio are one, by a number and not by ratios. Equal rewards at the edge are kept in batch " +
					"order, PyTorch's sort takes any of them. Smaller groups raise RuntimeError. NaN makes its group NaN.",
			},
			Scales: []Scale{ScaleGroup},
		}, func(e *Estimator, v Values) {
			w := pods{v.Whole(taken.Key)}
			e.Advantage, e.selects = w.advantages, w.selects
		}, taken),
		// W-REINFORCE.
		configurable(Estimator{
			Entry: Entry{
				Name: "w_reinforce", Formula: "A = λ if r = 1, −1 if r = 0, else r; λ 0.1", Source: signsCode,
				Doc:     "λ is algorithm.positive_advantage_weight. " + docSigns,
				Options: []Option{signs},
			},
		}, func(v Values) formula { return signWeights(float32(v.Number(lambda.Key))) }, lambda),
		// Negative sample reinforcement.
		{
			Entry: Entry{
				Name: "nsr", Formula: "A = r − 1", Source: signsCode,
				Doc:     "Only wrong responses train. " + docSigns,
				Options: []Option{signs},
			},
			Advantage: minusOne(),
		},
		// Positive sample reinforcement.
		{
			Entry: Entry{
				Name: "psr", Formula: "A = r", Source: signsCode,
				Doc:     "Only correct responses train, if wrong ones have reward 0. " + docSigns,
				Options: []Option{signs},
			},
			Advantage: rewardItself,
		},
		passAtK("sloo_minus_one", "A = mean over the subsets of k with the sample of (largest r − largest r without it) · k/n",
			"The least variance of the three. Only what a sample adds to the others counts, so it is never negative.", 2, pkpoSLOOMinusOne),
		passAtK("sloo", "A = s − mean of s of the others, in the group without the sample", "s is that of pkpo_s.", 1, pkpoSLOO),
		passAtK("s", "A = mean over the subsets of k with the sample of the largest r · k/n", "No baseline.", 1, pkpoS),
	}
}
