package diagnosis

// The kinds that a trainer's own scalars tell, and samples do not: package scalars finds them.
const (
	EntropyCollapse Kind = "entropy_collapse"
	KLDrift         Kind = "kl_drift"
	GradientSpikes  Kind = "gradient_spikes"
	EvalDivergence  Kind = "eval_divergence"
)

// OfScalars reports whether a kind is told by a trainer's own scalars alone, which few logs have beside their samples.
func (k Kind) OfScalars() bool {
	return k == EntropyCollapse || k == KLDrift || k == GradientSpikes || k == EvalDivergence
}

// scalarKinds are these with their words. To samples alone they are blind.
func scalarKinds() []KindInfo {
	blind := func(*evidence) ([]Finding, string) {
		return nil, "the trainer's own scalars do not lie beside the samples"
	}
	return []KindInfo{
		{
			Name: EntropyCollapse, detect: blind,
			What:      "The policy has hardly any choice left, and the reward no longer gains: what is sampled is the same again and again.",
			How:       "The entropy stays below a tenth of its start, and from then on the reward, or else the held-out score, gains nothing that matters. A run whose log begins after the collapse is not told.",
			LooksLike: "An entropy that falls while the reward rises (that is learning), or at the end of a task that is solved.",
			Advice:    "go back to the checkpoint before it and keep the choice open: a higher upper clip, a small entropy bonus, a higher sampling temperature, harder prompts",
			Sources:   []Source{{"Cui et al. 2025, The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models", "https://arxiv.org/abs/2505.22617"}, {"Yu et al. 2025, DAPO", "https://arxiv.org/abs/2503.14476"}},
		},
		{
			Name: KLDrift, detect: blind,
			What:      "The policy leaves its reference, or what it is sampled with, faster and faster.",
			How:       "The KL divergence turns into a course at least 2.5 times as steep, and its level matters: a nat per token from the reference, a tenth of that from what sampled.",
			LooksLike: "A KL that rises steadily, or fast at first and then less.",
			Advice:    "look at samples from before and after; go back to the checkpoint before the bend with a lower learning rate or a larger KL coefficient",
			Sources:   []Source{{"Gao et al. 2023, Scaling Laws for Reward Model Overoptimization", "https://arxiv.org/abs/2210.10760"}},
		},
		{
			Name: GradientSpikes, detect: blind,
			What:      "Single updates are far larger than those around them, or the gradient is no number any more.",
			How:       "A norm ten times the median of its neighbours and far outside of their spread, at few of the steps, after the warm-up; or nothing but NaN and infinity to the end. Missing values are none.",
			LooksLike: "A gradient that is twice as large at times, or always as uneven.",
			Advice:    "look at the samples of those steps, lower the learning rate or clip the norm nearer to its median",
			Sources:   []Source{{"Pascanu et al. 2013, On the difficulty of training recurrent neural networks", "https://arxiv.org/abs/1211.5063"}},
		},
		{
			Name: EvalDivergence, detect: blind,
			What:      "The training reward gains, and the score on held-out data does not, or falls.",
			How:       "From an evaluation on, the reward gains what matters while the held-out score falls by more than its noise, or gains less than a sixth of that. Evaluations without a score do not count.",
			LooksLike: "A held-out score that lags, or is lower by a steady gap.",
			Advice:    "read samples with the best rewards from after the turn: the grader may be tricked, or the prompts learned by heart; keep the checkpoint with the best held-out score",
			Sources:   []Source{{"Gao et al. 2023, Scaling Laws for Reward Model Overoptimization", "https://arxiv.org/abs/2210.10760"}},
		},
	}
}
