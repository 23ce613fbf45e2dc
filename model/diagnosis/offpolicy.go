package diagnosis

import (
	"fmt"
	"slices"
)

// The kinds that the log-probs of tokens tell, by sampler and by trainer: package offpolicy finds them. EngineMismatch is one more, which a
// trainer's own scalars tell too.
const (
	ShiftedLogProbs      Kind = "shifted_logprobs"
	WrongLogProbs        Kind = "wrong_logprobs"
	TopPMismatch         Kind = "top_p_mismatch"
	WeightsNotSynced     Kind = "weights_not_synced"
	StaleRollouts        Kind = "stale_rollouts"
	OneSequenceDominates Kind = "one_sequence_dominates"
	FilterEatsBatch      Kind = "filter_eats_batch"
)

// What the kinds that log-probs tell are told by: differences d of a token's log-probs in nats, and shares. Package offpolicy detects by
// them.
const (
	ShiftedAbs     = 0.1 // mean |d| from which one side may be of the next token
	ApartAbs       = 0.3 // from which it may be of other tokens
	LeastAgreement = 0.5 // correlation of the two sides below which it is

	LeastFit = 0.35 // share of the variance of d that goes with the log-prob

	NoChance         = -10.0 // d of a token that the trainer gives no chance
	CutShare         = 1e-4  // of all tokens
	AlarmingCutShare = 1e-3

	GrownAbs   = 0.06 // where a growing mean |d| leaves what is normal
	NormalAbs  = 0.04 // the most that is
	GrownTimes = 2.5
	AlarmingK3 = 0.015 // prime-rl asks less of a new model

	LeastGrowth = 0.02 // of mean |d|, from the least to the largest lag
	AlarmingAbs = 0.2  // the weight of a typical token is off by a fifth

	DominantTokens = 2 * NormalAbs // the most mean |d| at which one row outweighs others by itself

	EatenTokens   = 0.2 // share that a rule removes
	EatenRows     = 0.5 // the same of rows, and of tokens where it is an alarm
	EatenNegative = 0.05
)

// OfLogProbs reports whether a kind is told by log-probs of tokens alone, which few logs have.
func (k Kind) OfLogProbs() bool {
	return slices.Contains([]Kind{
		ShiftedLogProbs, WrongLogProbs, TopPMismatch, WeightsNotSynced, StaleRollouts, OneSequenceDominates, FilterEatsBatch,
	}, k)
}

// Explains reports whether another kind follows from k, and is then no finding of its own.
func (k Kind) Explains(other Kind) bool {
	return slices.ContainsFunc(Kinds(), func(info KindInfo) bool { return info.Name == k && slices.Contains(info.follows, other) })
}

// logProbKinds are these with their words. To rewards and texts they are blind.
func logProbKinds() []KindInfo {
	blind := func(*evidence) ([]Finding, string) {
		return nil, "the log has no log-probs of the tokens: 'vantage offpolicy --help' names the logs that have them"
	}
	return []KindInfo{
		{
			Name: ShiftedLogProbs, detect: blind, follows: []Kind{
				WrongLogProbs, TopPMismatch, WeightsNotSynced, StaleRollouts, EngineMismatch,
				OneSequenceDominates,
			},
			What: "The log-probs of sampler and trainer are not of the same tokens: one side is a token early or late, or has another template.",
			How: []string{
				fmt.Sprintf("The mean |d| is above %g, and three times as large as against the next or the last token.", ShiftedAbs),
				fmt.Sprintf("Or it is above %g, and the two sides correlate by less than %g.", ApartAbs, LeastAgreement),
				"It is a watch where the first token of an answer differs by more than a nat and the others do not.",
			},
			LooksLike: "A large mismatch of the engine, in which both sides still agree on which tokens are likely.",
			Advice: "compare the token ids that the engine returned with those that the trainer scores: position 0, the end of the prompt, " +
				"special tokens, and text that was tokenised again",
			Sources: []Source{{
				"prime-rl, development.md: the KL of sampler and trainer that a new model must stay below",
				"https://github.com/PrimeIntellect-ai/prime-rl",
			}},
		},
		{
			Name: WrongLogProbs, detect: blind, follows: []Kind{TopPMismatch, WeightsNotSynced, StaleRollouts, EngineMismatch, OneSequenceDominates},
			What: "The log-probs of one side are of another distribution: of another temperature, or raw where the other side's are processed.",
			How: []string{
				"The difference d grows with the log-prob: by a tenth of it or more, an alarm from a fifth.",
				fmt.Sprintf("That explains at least %.0f%% of the variance of d.", 100*LeastFit),
			},
			LooksLike: "Differences that are larger where tokens are improbable, but go both ways.",
			Advice: "give trainer and sampler one temperature, and let the engine return processed log-probs " +
				"(vLLM: logprobs_mode processed_logprobs)",
			Sources: []Source{{
				"TRL grpo_trainer.py: a warning of servers that return raw log-probs",
				"https://github.com/huggingface/trl/blob/main/trl/trainer/grpo_trainer.py",
			}},
		},
		{
			Name: TopPMismatch, detect: blind, follows: []Kind{EngineMismatch, OneSequenceDominates},
			What: "One side cuts the distribution by top-p or top-k, and the other does not.",
			How: []string{
				fmt.Sprintf("The trainer gives no chance to tokens that were drawn: d is below −%g, or −∞.", -NoChance),
				fmt.Sprintf("These are five at least and one in %s, an alarm from one in %s.", oneIn(CutShare), oneIn(AlarmingCutShare)),
				"It is a watch where d has one sign in nine of ten rows.",
			},
			LooksLike: "Single tokens of NaN, and a drift that moves most tokens a little in either direction.",
			Advice:    "sample with top-p 1 and without top-k, or let the trainer apply the same cut before it takes log-probs",
			Sources:   []Source{{"NeMo RL: the trainer masks what its own top-p removes", "https://github.com/NVIDIA-NeMo/RL"}},
		},
		{
			Name: WeightsNotSynced, detect: blind, follows: []Kind{StaleRollouts, OneSequenceDominates},
			What: "New weights do not reach the engine that samples: it goes on with old ones while the trainer moves away.",
			How: []string{
				"One version samples the last steps: three at least, and twice as many as any version before.",
				fmt.Sprintf("Meanwhile the mean |d| doubles, to at least %g.", NormalAbs),
				fmt.Sprintf("Or the mean |d| of fresh rows went to %g times its start and at least %g, and stays.", GrownTimes, GrownAbs),
				"Where the log has no versions, that is the mean |d| of all rows.",
				fmt.Sprintf("It is an alarm from a k3 of %g.", AlarmingK3),
			},
			LooksLike: "An asynchronous trainer that sends weights every few steps: the lag comes and goes.",
			Advice: "check that weights arrive: a sleeping engine, an adapter that is not merged, an update that failed in one worker, " +
				"a prefix cache that is kept; then go back to a checkpoint before it set in",
			Sources: []Source{{"TRL 5312: weights do not reach vLLM in sleep mode", "https://github.com/huggingface/trl/issues/5312"}},
		},
		{
			Name: StaleRollouts, detect: blind, follows: []Kind{OneSequenceDominates},
			What: "Samples are of weights that are several versions old, and the older they are the more they differ.",
			How: []string{
				"The mean |d| grows with the lag in versions, beyond chance.",
				fmt.Sprintf("From the least to the largest lag it grows by %g or more, and by a quarter of its level at lag 0.", LeastGrowth),
				fmt.Sprintf("It is an alarm from a mean |d| of %g.", AlarmingAbs),
			},
			LooksLike: "Old samples whose log-probs differ no more than fresh ones.",
			Advice: "bound the lag (prime-rl max_off_policy_steps, NeMo RL max_trajectory_age_steps), send weights more often, " +
				"or correct for it: `vantage offpolicy --rules` shows what each rule would keep",
			Sources: []Source{{
				"prime-rl training.md: a mismatch that grows is the early warning",
				"https://github.com/PrimeIntellect-ai/prime-rl",
			}},
		},
		{
			Name: OneSequenceDominates, detect: blind,
			What: "Weighed by the product of its ratios, one answer outweighs all others of its step, though its tokens differ no more than they may.",
			How: []string{
				"One row of eight or more has over half of the sum of the weights.",
				fmt.Sprintf("That is so at half of the steps, two at least, where the mean |d| is at most %g.", DominantTokens),
				"It is a watch.",
			},
			LooksLike: "Long answers whose products spread, none of which has most.",
			Advice:    "correct by token or by the geometric mean, or cap the product: a bound on a product is a bound on length",
			Sources:   []Source{{"verl rollout_corr_helper.py: effective sample size of sequence weights", "https://github.com/verl-project/verl"}},
		},
		{
			Name: FilterEatsBatch, detect: blind,
			What: "The off-policy rule of the run removes much of the batch, or nearly only what pushes down.",
			How: []string{
				"The rule is that of the trainer's configuration, or its default.",
				fmt.Sprintf("It removes over %.0f%% of the tokens, an alarm from %.0f%%, or over half of the rows.", 100*EatenTokens, 100*EatenRows),
				fmt.Sprintf("It is a watch where it removes %.0f%% of the tokens, of which four fifths have A < 0.", 100*EatenNegative),
				"The title names whom it removes: negative, long or improbable.",
			},
			LooksLike: "A bound that clips many weights and removes none.",
			Advice:    "find why sampler and trainer differ before the bound is moved; then compare bounds with `vantage offpolicy --rules`",
			Sources:   []Source{{"OpenRLHF: binary KL in float32 drops tokens on which both sides agree", "https://github.com/OpenRLHF/OpenRLHF"}},
		},
	}
}

// oneIn is how many there are of which a share is one: "10,000".
func oneIn(share float64) string {
	n := int(1/share + 0.5)
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
