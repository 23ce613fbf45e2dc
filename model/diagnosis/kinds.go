package diagnosis

import (
	"slices"
	"strings"
)

// Kind is the name of an illness, as JSON, rules and the screen have it.
type Kind string

// The kinds.
const (
	GraderOutage    Kind = "grader_outage"
	StuckData       Kind = "stuck_data"
	GroupMixup      Kind = "group_mixup"
	GraderNoise     Kind = "grader_noise"
	RewardHacking   Kind = "reward_hacking"
	DegenerateText  Kind = "degenerate_text"
	Truncation      Kind = "truncation"
	LengthExplosion Kind = "length_explosion"
	LengthCollapse  Kind = "length_collapse"
	AnswerCollapse  Kind = "answer_collapse"
	RewardCollapse  Kind = "reward_collapse"
	Saturated       Kind = "saturated"
	TooHard         Kind = "too_hard"
	EqualRewards    Kind = "equal_rewards"
	Forgetting      Kind = "forgetting"
	NothingTrains   Kind = "nothing_trains"
	NotLearning     Kind = "not_learning"
	FallByHalf      Kind = "fall_by_half"
)

// Words is the kind as people say it: "reward hacking".
func (k Kind) Words() string { return strings.ReplaceAll(string(k), "_", " ") }

// KindInfo is an illness with its words.
type KindInfo struct {
	Name      Kind
	What      string // what happens, one sentence
	How       string // how it is found, with its limits
	LooksLike string // what is healthy and looks like it
	Advice    string // what to do, one sentence
	Sources   []Source
	detect    func(*evidence) (findings []Finding, blind string)
	texts     bool   // it is found in texts
	follows   []Kind // kinds that may follow from it, and are then no findings of their own
}

// Source is where an illness is described.
type Source struct{ Title, Address string }

// Kinds are all, causes before what follows from them.
func Kinds() []KindInfo {
	return append([]KindInfo{
		{
			Name: GraderOutage, detect: outage, follows: []Kind{RewardCollapse, TooHard, Saturated, Forgetting, GraderNoise, EqualRewards},
			What:      "All rewards, or one reward column, become one value for every prompt from one step to the next, or are NaN or missing.",
			How:       "A value that every sample of two or more steps in a row has, or of the newest step, though groups had it so seldom before, and were not on the way to it, that chance is ruled out, and which has no exceptions soon after; and rewards that are NaN or missing from some step on: from 1% of them a watch, from 10% an alarm, until there are none.",
			LooksLike: "A column that is constant from the first step has weight 0 or is not used; a metric that becomes full step by step is learned; prompts that had that reward before, as the easiest ones at the start of each epoch.",
			Advice:    "look at the grader's own log at this step: a service that is down, a timeout or an expired key often counts as one reward; mask these steps, or go back to the checkpoint before them",
			Sources:   []Source{{"rllm 710: failures of the grader trained as answers that are wrong", "https://github.com/rllm-org/rllm/pull/710"}, {"verifiers 831: timeouts of a verifier counted as reward 0", "https://github.com/PrimeIntellect-ai/verifiers/pull/831"}},
		},
		{
			Name: StuckData, detect: stuck, follows: []Kind{AnswerCollapse, Saturated, GroupMixup, Forgetting, EqualRewards},
			What:      "The same batch of prompts comes at every step, or steps are written twice.",
			How:       "Nine of ten prompts of a step are those of the step before, three steps in a row (eight where a step has one prompt); four of five groups of two steps have the rewards and lengths of those of an earlier step, and so exactly that chance is ruled out; or every row has a twin.",
			LooksLike: "A small data set that comes again once an epoch, shuffled.",
			Advice:    "check the sampler of the data loader and its state after a resume: shuffling, the seed, how often a batch is repeated, and whether two processes write into one log",
			Sources:   []Source{{"TRL 3675: the sampler repeats the same prompts from step to step", "https://github.com/huggingface/trl/issues/3675"}},
		},
		{
			Name: GroupMixup, detect: mixup, follows: []Kind{GraderNoise, AnswerCollapse, Saturated, TooHard, EqualRewards},
			What:      "Groups hold answers to several prompts, or the answers to one prompt are torn into several small groups, so that advantages compare the wrong answers.",
			How:       "A tenth of the groups, and ten of them, hold several prompts, where there are about as many ids as prompts; or a prompt has one and a half ids on average from a step on, or nearly two from the first step. Groups as large as those of other prompts are whole, and not torn. It is a watch where every row has an id of its own: that may number rows.",
			LooksLike: "Dynamic sampling and asynchronous trainers: sizes differ, and a prompt may come twice as two whole groups.",
			Advice:    "check the id by which the trainer groups answers: it must be one per prompt and step, the same in all workers, and not made of what a rollout adds to its prompt",
			Sources:   []Source{{"Search-R1 88: answers to one prompt did not share an id", "https://github.com/PeterGriffinJin/Search-R1/issues/88"}, {"NeMo RL 4013: prompts with a path of their own became groups of one", "https://github.com/NVIDIA-NeMo/RL/pull/4013"}},
		},
		{
			Name: GraderNoise, detect: noise, texts: true,
			What:      "Equal answers to one prompt get different rewards.",
			How:       "Some answers come several times in a group, word for word. At least one in twenty of them, and at least three from two prompts, have rewards that differ by more than a hundredth of the range.",
			LooksLike: "Partial credits, penalties on length, and answers that differ in one number. Turns of an agent, a row each, may be equal where their answers are not: there it cannot be told.",
			Advice:    "grade one answer several times by hand: give a judge temperature 0, a sandbox more time, and a service that fails another try instead of a reward of 0",
			Sources:   []Source{{"verifiers 831: timeouts of a verifier counted as reward 0", "https://github.com/PrimeIntellect-ai/verifiers/pull/831"}, {"Lv et al. 2025, The Climb Carves Wisdom Deeper Than the Summit: On the Noisy Rewards in Learning to Reason", "https://arxiv.org/abs/2505.22653"}},
		},
		{
			Name: RewardHacking, detect: hacking, texts: true, follows: []Kind{AnswerCollapse, Saturated, Forgetting, LengthExplosion, LengthCollapse, GraderOutage, EqualRewards},
			What:      "The reward rises while the quality that it should measure falls: a column for form goes up as correctness goes down, or one wording takes over the answers to all prompts.",
			How:       "Two reward columns part: one gains 15% of its range while another, that is not about form by its name, loses 15% of its range and a quarter of its level, and the total does not fall; or the words, each with the one before, that an answer shares with the answer to another prompt rise by a fifth to a third of them, while the reward does not fall.",
			LooksLike: "A format that is full early while correctness goes on rising; one style in all answers from the first step.",
			Advice:    "read answers of this group; then pay for form only where the answer is right, or weigh it less, close the loophole that the texts show, and go back to a checkpoint before the onset",
			Sources:   []Source{{"Skalse et al. 2022, Defining and Characterizing Reward Hacking", "https://arxiv.org/abs/2209.13085"}, {"Open R1 255: the format reward rises, accuracy becomes 0", "https://github.com/huggingface/open-r1/issues/255"}},
		},
		{
			Name: DegenerateText, detect: garbled, texts: true, follows: []Kind{RewardCollapse, TooHard, LengthExplosion, LengthCollapse, Truncation, Forgetting, AnswerCollapse, EqualRewards},
			What:      "A growing share of answers is not language: one phrase repeated, gibberish, control tokens, or another script than the prompt's.",
			How:       "At least a tenth of the sampled answers, and ten of them, are empty and get the lowest reward, repeat one phrase over half of their end, go on after a control token or end on another than most, are in another script than their prompt or in four, or have letters that follow each other neither as in the first answers (two bits per character more) nor as in the other answers of that kind (four bits), in a wording that others do not share; what one in twenty of the first answers has, and not many more of the last, is how this log is written.",
			LooksLike: "Tables, code, lists, prompts in two languages, and a new source whose answers are code, calls of tools or another language.",
			Advice:    "stop here and go back to a checkpoint before the onset: lower the learning rate, add a KL penalty or a tighter clip, check that sampler and trainer agree in their log-probabilities, and give such answers the lowest reward",
			Sources:   []Source{{"Search-R1 162: answers become garbled late in training", "https://github.com/PeterGriffinJin/Search-R1/issues/162"}, {"ms-swift 5130: garbled text in GRPO", "https://github.com/modelscope/ms-swift/issues/5130"}, {"Unsloth 2424: answers repeat until the context is full", "https://github.com/unslothai/unsloth/issues/2424"}},
		},
		{
			Name: Truncation, detect: truncation, texts: true, follows: []Kind{LengthExplosion, LengthCollapse, RewardCollapse, TooHard, Forgetting, EqualRewards},
			What:      "A large share of answers ends at the length limit and is graded lowest, so that the advantage measures length.",
			How:       "From a step on at least a fifth of the samples are as long as the longest of their step, which is that of many steps, and graded lowest or a standard deviation lower than the others; where lengths are not in tokens, the same of sampled answers that the trainer calls cut off, that do not come to the word with which answers that win close, or that end in the middle.",
			LooksLike: "A few long answers that are cut off, with a steady share.",
			Advice:    "raise the response limit, or mask truncated answers in the loss (overlong filtering), or let the reward fall smoothly before the limit",
			Sources:   []Source{{"Yu et al. 2025, DAPO, section on overlong reward shaping", "https://arxiv.org/abs/2503.14476"}, {"TRL 5697: the default limit cuts nearly all answers, and the reward is 0", "https://github.com/huggingface/trl/issues/5697"}},
		},
		{
			Name: LengthExplosion, detect: explosion, follows: []Kind{RewardCollapse, TooHard, EqualRewards},
			What:      "The length more than doubles, and the reward does not gain.",
			How:       "A change of the typical (geometric mean) length to twice the level before, unlikely by chance at any step, and longer than before any dip, while the reward does not gain a tenth of its range soon; a watch where it gains a little.",
			LooksLike: "Long thinking that pays: length and reward rise together; a source of long answers whose share grows.",
			Advice:    "check how the loss is averaged: a mean over the tokens of each answer favours long wrong ones; divide by a constant or by all tokens, add a penalty on length, and read a long answer",
			Sources:   []Source{{"Liu et al. 2025, Understanding R1-Zero-Like Training: A Critical Perspective (Dr. GRPO)", "https://arxiv.org/abs/2503.20783"}, {"verl-agent 188: the length jumps, then the score falls", "https://github.com/langfengQ/verl-agent/issues/188"}},
		},
		{
			Name: LengthCollapse, detect: shrinking, follows: []Kind{RewardCollapse, TooHard, EqualRewards},
			What:      "Answers shrink to stubs and win less often; with an equal reward it is a watch.",
			How:       "A change of the typical (geometric mean) length to half the level before, unlikely by chance at any step; an alarm if the reward loses more than 3% of its range, or if answers are a third as long and nothing shows that the reward holds.",
			LooksLike: "Shorter answers that win as often, or more.",
			Advice:    "check what pays for being short: a penalty on length, a loss that is averaged over the tokens of each answer, an end token that is graded; compare the rewards of the shortest and the longest answers",
			Sources:   []Source{{"VLM-R1 280: answers become shorter and shorter", "https://github.com/om-ai-lab/VLM-R1/issues/280"}, {"Liu et al. 2025, Understanding R1-Zero-Like Training: A Critical Perspective (Dr. GRPO)", "https://arxiv.org/abs/2503.20783"}},
		},
		{
			Name: AnswerCollapse, detect: answersCollapse, texts: true, follows: []Kind{Truncation, Saturated, TooHard, LengthCollapse, LengthExplosion, RewardCollapse, Forgetting, GraderOutage, EqualRewards},
			What:      "The answers to one prompt become one answer, right or wrong, and groups have nothing left to compare.",
			How:       "The share of answers in a group that differ, of the sampled groups of three or more, falls to a third of its earlier level.",
			LooksLike: "Short answers to easy prompts; groups that are all right in different words. Turns of an agent, a row each: there it cannot be told.",
			Advice:    "go back to a checkpoint before the onset: raise the sampling temperature, keep entropy up (a higher upper clip, an entropy bonus or KL), and lower the learning rate",
			Sources:   []Source{{"Wang et al. 2025, RAGEN, on the echo trap", "https://arxiv.org/abs/2504.20073"}, {"Cui et al. 2025, The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models", "https://arxiv.org/abs/2505.22617"}},
		},
		{
			Name: RewardCollapse, detect: collapse, follows: []Kind{TooHard, Forgetting, EqualRewards},
			What:      "The mean reward was up, falls to its floor and stays there.",
			How:       "A fall of the mean reward, unlikely by chance at any step, that leaves at most a fifth of its height above its floor, or, of rewards without a floor, below any level before and by one and a half standard deviations of a step; a watch where it leaves up to half, or up to 70% of its height where the prompts come again and by themselves fall at least half as much and forgetting names no part of them, where only sources come that did not come before, where the sources by themselves, or the prompts that come again, fall by less than half as much (if by less than a quarter, the mixture is another one, and nothing fell), where only prompts come that did not come before although they came again until then, or where it takes more than a quarter of the run and no prompt is known to come again. A fall within one step to new prompts that are all wrong is too_hard.",
			LooksLike: "One bad step; a harder data source that begins while each source by itself holds.",
			Advice:    "go back to a checkpoint before the onset; compare answers before and after it, and the trainer's gradient norm, KL and entropy at that step: a learning rate too high or a mismatch of sampler and trainer are the usual causes",
			Sources:   []Source{{"ZeroSearch 23: the reward falls suddenly and stays", "https://github.com/Alibaba-NLP/ZeroSearch/issues/23"}, {"Search-R1 89: training collapses at step 600", "https://github.com/PeterGriffinJin/Search-R1/issues/89"}},
		},
		{
			Name: TooHard, detect: hopeless, follows: []Kind{RewardCollapse},
			What:      "Nearly all groups are all wrong: there is nothing to compare.",
			How:       "From a step on at least 85% of the groups are all wrong; a watch if they become fewer.",
			LooksLike: "Sparse rewards with a steady tenth of living groups that grows.",
			Advice:    "read answers first: a template, an answer format or a limit may make all of them wrong; then take easier prompts, more answers per prompt, partial credit, or a warm-up on solutions",
			Sources:   []Source{{"Yu et al. 2025, DAPO, section on dynamic sampling", "https://arxiv.org/abs/2503.14476"}, {"TRL 3452: the reward and the loss are 0", "https://github.com/huggingface/trl/issues/3452"}},
		},
		{
			Name: Saturated, detect: saturated,
			What:      "Nearly all groups are all right: nothing is left to learn.",
			How:       "From a step on at least 80% of the groups are all right.",
			LooksLike: "Half of the groups solved and the rest alive.",
			Advice:    "stop here or take harder prompts: drop the prompts that are solved, or refill batches by dynamic sampling (C), so that generation is spent on groups that teach",
			Sources:   []Source{{"Yu et al. 2025, DAPO, section on dynamic sampling", "https://arxiv.org/abs/2503.14476"}},
		},
		{
			Name: EqualRewards, detect: equalRewards,
			What:      "Nearly all groups have equal rewards (right, wrong or between): there is nothing to compare within them.",
			How:       "From a step on at least 95% of the groups of two or more have equal rewards, where it is neither too_hard nor saturated; a watch if they become fewer, or if it was so for a tenth of the run and is over. An estimator whose baseline is not the group's own may still learn from them.",
			LooksLike: "A data set of which most is solved or out of reach, and the rest alive.",
			Advice:    "take prompts between those that are all right and all wrong, more answers per prompt, or a reward that tells answers apart; where a reward is neither right nor wrong, read how it is made",
			Sources:   []Source{{"Yu et al. 2025, DAPO, section on dynamic sampling", "https://arxiv.org/abs/2503.14476"}, {"TRL 3452: the reward and the loss are 0", "https://github.com/huggingface/trl/issues/3452"}},
		},
		{
			Name: Forgetting, detect: forgetting,
			What:      "One data source, or one part of the prompts, falls while the rest holds or rises.",
			How:       "A fall of the mean reward of a source that the log names, or of a part of the prompts that come again, unlikely by chance at any step and for any part, by 30% of its level and 15% of the range, while the whole loses no more than 5% until then. Such a part is the third that was solved best before, the third that is solved worst now, or what has at most a tenth of the range now: every other visit of a prompt chooses it, the others measure it, and the part that falls most is told. Where the whole falls too, a source counts if the other sources together lose no more than 5%, or if at most a fifth of its level is left; a part of the prompts counts if the other prompts lose no more than 5% and at most half of its level is left. The advice is about the grader if all rewards of a source become one value.",
			LooksLike: "The mixture of sources shifts, and each of them holds.",
			Advice:    "raise the share of this source in the mixture, add a KL penalty to the reference model, and keep a held-out set of it; the checkpoint before the onset still has it",
			Sources:   []Source{{"Shenfeld et al. 2025, RL's Razor: Why Online Reinforcement Learning Forgets Less", "https://arxiv.org/abs/2509.04259"}},
		},
		{
			Name: NothingTrains, detect: namedByGroups, follows: []Kind{NotLearning},
			What:      "The gradient, or the spread of the rewards, is 0 from the first step to the last: no sample trains.",
			How:       "The norm of the gradient, or where that is not logged the spread of the rewards, is 0 at each of 20 steps or more. In a log of samples this is too_hard, saturated or equal_rewards.",
			LooksLike: "A trainer that logs a norm of 0 for the steps it skips.",
			Advice:    "read some rewards: if all are equal, mend the reward function or the template of the prompts; if they differ, look for a learning rate of 0, frozen weights, or a mask that leaves no token",
			Sources:   []Source{{"TRL 3452: the reward and the loss are 0", "https://github.com/huggingface/trl/issues/3452"}},
		},
		{
			Name: NotLearning, detect: learnsNothing,
			What:      "The reward does not gain, in as many steps as could show a gain.",
			How:       "Over 50 steps and more, the mean reward of the last third is not above that of the first by two standard errors (by batches of steps), though a gain of a tenth of the range would be. An alarm where most groups have equal rewards, or the gradient is 0.",
			LooksLike: "A run near its top, a short run, and a reward whose noise hides any gain: these get no alarm.",
			Advice:    "check that updates arrive: learning rate, gradient, weights of the sampler; then whether groups differ in reward at all, and whether the task is within reach; more answers per prompt show a smaller gain",
			Sources:   []Source{{"open-r1 474: rewards stay at one level", "https://github.com/huggingface/open-r1/issues/474"}},
		},
		{
			Name: FallByHalf, detect: fallsByHalf,
			What:      "The reward loses a third or more of its height and does not regain it, without reaching its floor.",
			How:       "The mean of the last tenth of the steps is a third or more of its height below the best tenth before, for a tenth of the run, beyond chance; an alarm from a half. A fall to the floor is reward_collapse.",
			LooksLike: "A dip that is regained, and prompts that become harder step by step.",
			Advice:    "compare answers before and after it; if the prompts are as hard as before, go back to a checkpoint before the fall with a lower learning rate or a larger KL coefficient",
			Sources:   []Source{{"ZeroSearch 23: the reward falls suddenly and stays", "https://github.com/Alibaba-NLP/ZeroSearch/issues/23"}},
		},
	}, scalarKinds()...)
}

// evidence is what detectors look at.
type evidence struct {
	*Observations
	texts *Texts // nil if none could be read
}

// The kinds that a trainer's own scalars tell, and samples do not: package scalars finds them.
const (
	EntropyCollapse Kind = "entropy_collapse"
	KLDrift         Kind = "kl_drift"
	GradientSpikes  Kind = "gradient_spikes"
	EvalDivergence  Kind = "eval_divergence"
)

// OfScalars reports whether a kind is told by a trainer's own scalars alone, which few logs have beside their samples.
func (k Kind) OfScalars() bool {
	return slices.ContainsFunc(scalarKinds(), func(info KindInfo) bool { return info.Name == k })
}

// scalarKinds are these with their words. To samples alone they are blind.
func scalarKinds() []KindInfo {
	blind := func(*evidence) ([]Finding, string) {
		return nil, "they need the trainer's metrics (trainer_state.json, metrics.jsonl …)"
	}
	return []KindInfo{
		{
			Name: EntropyCollapse, detect: blind,
			What:      "The policy has hardly any choice left, and the reward no longer gains: it samples the same answers again and again.",
			How:       "The entropy stays below a tenth of its start, and from then on the reward, or else the held-out score, gains nothing that matters. A run whose log begins after the collapse is not told.",
			LooksLike: "An entropy that falls while the reward rises (that is learning), or at the end of a task that is solved.",
			Advice:    "go back to the checkpoint before it and keep the choice open: a higher upper clip, a small entropy bonus, a higher sampling temperature, harder prompts",
			Sources:   []Source{{"Cui et al. 2025, The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models", "https://arxiv.org/abs/2505.22617"}, {"Yu et al. 2025, DAPO", "https://arxiv.org/abs/2503.14476"}},
		},
		{
			Name: KLDrift, detect: blind,
			What:      "The policy moves away from its reference, or from the policy that samples, faster and faster.",
			How:       "The KL divergence turns into a course at least 2.5 times as steep, and its level matters: a nat per token from the reference, a tenth of that from the policy that samples.",
			LooksLike: "A KL that rises steadily, or fast at first and then less.",
			Advice:    "look at samples from before and after; go back to the checkpoint before the bend with a lower learning rate or a larger KL coefficient",
			Sources:   []Source{{"Gao et al. 2023, Scaling Laws for Reward Model Overoptimization", "https://arxiv.org/abs/2210.10760"}},
		},
		{
			Name: GradientSpikes, detect: blind,
			What:      "Single updates are far larger than those around them, or the gradient stays NaN or infinite.",
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
