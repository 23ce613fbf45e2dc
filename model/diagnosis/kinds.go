package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model/units"
)

// Kind is the name of an illness, as JSON, rules and the screen have it.
type Kind string

// The kinds.
const (
	GraderOutage     Kind = "grader_outage"
	StuckData        Kind = "stuck_data"
	GroupMixup       Kind = "group_mixup"
	GraderNoise      Kind = "grader_noise"
	RewardHacking    Kind = "reward_hacking"
	DegenerateText   Kind = "degenerate_text"
	Truncation       Kind = "truncation"
	LengthExplosion  Kind = "length_explosion"
	LengthCollapse   Kind = "length_collapse"
	AnswerCollapse   Kind = "answer_collapse"
	RewardCollapse   Kind = "reward_collapse"
	Saturated        Kind = "saturated"
	TooHard          Kind = "too_hard"
	EqualRewards     Kind = "equal_rewards"
	Forgetting       Kind = "forgetting"
	NothingTrains    Kind = "nothing_trains"
	NotLearning      Kind = "not_learning"
	FallByHalf       Kind = "fall_by_half"
	PartAgainst      Kind = "part_against"
	AdvantagesDiffer Kind = "advantages_differ"
	FewOutweigh      Kind = "few_outweigh"
	ToolDisuse       Kind = "tool_disuse"
	ToolFailure      Kind = "tool_failure"
	NoRightAnswer    Kind = "no_right_answer"
	NewPhrase        Kind = "new_phrase"
	PartOutweighs    Kind = "part_outweighs"
	SourceOutweighs  Kind = "source_outweighs"
)

// Words is the kind as people say it: "reward hacking".
func (k Kind) Words() string { return strings.ReplaceAll(string(k), "_", " ") }

// KindInfo is an illness with its words.
type KindInfo struct {
	Name         Kind
	What         string   // what happens, one sentence
	How          []string // how it is found, with its limits: short sentences
	LooksLike    string   // what is healthy and looks like it
	Advice       string   // what to do, one sentence
	Sources      []Source
	detect       func(*evidence) (findings []Finding, blind string)
	texts        bool   // it is found in texts
	groups       bool   // it is a share of groups, or compares the answers to one prompt
	ofAdvantages bool   // it is found in logged advantages, which few logs have
	follows      []Kind // kinds that may follow from it, and are then no findings of their own
}

// Consequences are the kinds that may follow from it, and are then no findings of their own.
func (k KindInfo) Consequences() []Kind { return k.follows }

// Source is where an illness is described.
type Source struct{ Title, Address string }

// Kinds are all, causes before what follows from them.
func Kinds() []KindInfo {
	return append([]KindInfo{
		{
			Name: GraderOutage, detect: outage,
			follows: []Kind{RewardCollapse, TooHard, Saturated, Forgetting, GraderNoise, EqualRewards},
			What: "All rewards, or one reward column, become one value for every prompt from one step to the next, or are NaN or " +
				"missing.",
			How: []string{
				"From some step on, every sample of two steps in a row or more has one value, or every sample of the newest step.",
				fmt.Sprintf("Groups had that value so seldom before, and were so little on the way to it, that chance is ruled out "+
					"(%s).", units.Short(rareOutage)),
				"It has no exceptions soon after.",
				"In a trainer's own averages a component is one value to its last digit at each of the last 10 steps, between those that " +
					"it had before.",
				fmt.Sprintf("Or rewards are NaN or missing from some step on, until there are none: from %s of them a watch, from "+
					"%s an alarm.", units.Share(invalidWatch), units.Share(invalidAlarm)),
			},
			LooksLike: "A column that is constant from the first step has weight 0 or is not used; a metric that becomes full step " +
				"by step is learned; prompts that had that reward before, as the easiest ones at the start of each epoch.",
			Advice: "look at the grader's own log at this step: a service that is down, a timeout or an expired key often counts as " +
				"one reward; mask these steps, or go back to the checkpoint before them",
			Sources: []Source{
				{
					Title:   "rllm 710: failures of the grader trained as answers that are wrong",
					Address: "https://github.com/rllm-org/rllm/pull/710",
				},
				{
					Title:   "verifiers 831: timeouts of a verifier counted as reward 0",
					Address: "https://github.com/PrimeIntellect-ai/verifiers/pull/831",
				},
			},
		},
		{
			Name: StuckData, detect: stuck,
			follows: []Kind{AnswerCollapse, Saturated, GroupMixup, Forgetting, EqualRewards},
			What: "The same batch of prompts comes at every step, batches of before come again, one prompt fills the steps, or " +
				"steps are written twice.",
			How: []string{
				fmt.Sprintf("At least %s of the prompts of a step are those of the step before, %d steps in a row (%d where a step "+
					"has one prompt).", units.Share(samePrompts), stuckSteps, stuckAlone),
				fmt.Sprintf("Or %s of the groups of two steps have the rewards and lengths of those of an earlier step, so exactly "+
					"that chance is ruled out.", units.Share(againShare)),
				"Or every row has a twin.",
				fmt.Sprintf("It is a watch where the prompts of a step come again together, %d steps in a row at one distance.",
					stuckSteps),
				"It is an alarm where that goes round in a few batches.",
				fmt.Sprintf("Or one prompt has %s of the samples of each step, %d times as many as any other.",
					units.Share(fillsFrom), fillsTimes),
				fmt.Sprintf("Or it is in %s of the newer steps, and no other in more than %s.", units.Share(fillsSame),
					units.Share(othersCome)),
			},
			LooksLike: "A small data set that comes again once an epoch, shuffled, or in one order for more than two epochs.",
			Advice: "check the sampler of the data loader and its state after a resume: shuffling, the seed, how often a batch is " +
				"repeated, and whether two processes write into one log",
			Sources: []Source{
				{
					Title:   "TRL 3675: the sampler repeats the same prompts from step to step",
					Address: "https://github.com/huggingface/trl/issues/3675",
				},
			},
		},
		{
			Name: GroupMixup, detect: mixup, groups: true,
			follows: []Kind{GraderNoise, AnswerCollapse, Saturated, TooHard, EqualRewards, Forgetting},
			What: "Groups hold answers to several prompts, or the answers to one prompt are torn into several small groups, or " +
				"answers are graded at the prompts of others, so that advantages compare the wrong answers.",
			How: []string{
				fmt.Sprintf("At least %s of the groups, and %d of them, hold several prompts, where there are about as many ids as "+
					"prompts.", units.Share(mixedFrom), leastMixed),
				"Where there are more prompts than ids, they aren't turns of each other: their ground truths differ, or they are as " +
					"little alike as those of other ids.",
				fmt.Sprintf("Or the final answers are ground truths of other prompts of their step: %s of them more than match one "+
					"of another step, and more than match their own.", units.Share(placedAway)),
				fmt.Sprintf("Or a prompt has %s ids on average from a step on, or %s from the first step.",
					units.Short(tornFrom), units.Short(tornPieces)),
				"Groups as large as those of other prompts are whole, and not torn.",
				"It is a watch where every row has an id of its own: that may number rows.",
			},
			LooksLike: "Dynamic sampling and asynchronous trainers: sizes differ, and a prompt may come twice as two whole groups.",
			Advice: "check the id by which the trainer groups answers: it must be one per prompt and step, the same in all workers, " +
				"and not made of what a rollout adds to its prompt",
			Sources: []Source{
				{
					Title:   "Search-R1 88: answers to one prompt did not share an id",
					Address: "https://github.com/PeterGriffinJin/Search-R1/issues/88",
				},
				{
					Title:   "NeMo RL 4013: prompts with a path of their own became groups of one",
					Address: "https://github.com/NVIDIA-NeMo/RL/pull/4013",
				},
			},
		},
		{
			Name: GraderNoise, detect: noise, texts: true,
			What: "Equal answers to one prompt get different rewards, or right ones count as wrong.",
			How: []string{
				fmt.Sprintf("At least %s of the answers that come several times in a group, word for word, and %d from two "+
					"prompts, have rewards that differ.", units.Share(noiseFrom), leastNoisy),
				fmt.Sprintf("Rewards differ that are more than %s of the range apart.", units.Share(sameReward)),
				fmt.Sprintf("Or one final answer in the same form is graded right and wrong in a group: %s of those that come "+
					"again, and %d of them, where grades follow it.", units.Share(unlikeFrom), leastUnlike),
				fmt.Sprintf("Or %s of the final answers that are the ground truth, and %d of them, are graded wrong, in a form that "+
					"others win with.", units.Share(unlikeFrom), leastUnlike),
				fmt.Sprintf("It is a watch while less than %s of the final answers are graded unlike the others.",
					units.Share(unlikeAlarm)),
				"One length that parts right and wrong ones is a limit of the grader.",
				fmt.Sprintf("Or from a step on %s of the final answers get the grade of the others, by the ground truth or by what won "+
					"before.", units.Share(turnedAfter)),
			},
			LooksLike: "Partial credits, penalties on length, and answers that differ in one number. Turns of an agent, a row each, " +
				"may be equal where their answers are not: there it cannot be told.",
			Advice: "grade one answer several times by hand: give a judge temperature 0, a sandbox more time, and a service that " +
				"fails another try instead of a reward of 0",
			Sources: []Source{
				{
					Title:   "verifiers 831: timeouts of a verifier counted as reward 0",
					Address: "https://github.com/PrimeIntellect-ai/verifiers/pull/831",
				},
				{
					Title:   "Lv et al. 2025, The Climb Carves Wisdom Deeper Than the Summit: On the Noisy Rewards in Learning to Reason",
					Address: "https://arxiv.org/abs/2505.22653",
				},
			},
		},
		{
			Name: RewardHacking, detect: hacking, texts: true,
			follows: []Kind{AnswerCollapse, Saturated, Forgetting, LengthExplosion, LengthCollapse, GraderOutage, EqualRewards},
			What: "The reward rises while the quality that it should measure falls: a column for form goes up as correctness goes " +
				"down, a reward between right and wrong takes over, or one wording takes over the answers to all prompts.",
			How: []string{
				fmt.Sprintf("One reward column gains %s of its range while another, not about form by its name, loses %s of its "+
					"range and %s of its level.", units.Share(hackedRise), units.Share(hackedFall), units.Share(hackedFallPart)),
				"Meanwhile the total does not fall.",
				"What a fitted sum of the columns leaves of the reward counts as a column.",
				"Where they do not explain the reward, the whole counts, against a column for correctness.",
				fmt.Sprintf("Or, of a reward of few levels, the best loses %s of its samples while those between gain %s of all, "+
					"and the mean does not fall.", units.Share(topFall), units.Share(middleRise)),
				fmt.Sprintf("Or the words, each with the one before, that an answer shares with one to another prompt rise by %s, "+
					"to %s of its words.", units.Share(templateRise), units.Share(templateFrom)),
				"Meanwhile the reward does not fall.",
				fmt.Sprintf("Or %s of the answers that win lack the ground truth, and at most %s of them did before.",
					units.Share(unearnedAfter), units.Share(unearnedBefore)),
				fmt.Sprintf("Or at most %s as many answers hold it as before, those still win in their groups, and the reward rises.",
					units.Share(heldAfter)),
				fmt.Sprintf("Or a phrase that is new (see new_phrase) opens %s of the newest answers, which get more than others of "+
					"their group.", units.Share(phraseFrom)),
				fmt.Sprintf("So does the name of a file that seems to hold the result, which the prompt lacks, in %s of them.",
					units.Share(phraseFrom)),
				fmt.Sprintf("Such a phrase is an alarm if it names a file, or tells the result and %s of these are right; else it "+
					"is a watch.", units.Share(leaksRight)),
			},
			LooksLike: "A format that is full early while correctness goes on rising; one style in all answers from the first step.",
			Advice: "read answers of this group; then pay for form only where the answer is right, or weigh it less, close the " +
				"loophole that the texts show, and go back to a checkpoint before the onset",
			Sources: []Source{
				{Title: "Skalse et al. 2022, Defining and Characterizing Reward Hacking", Address: "https://arxiv.org/abs/2209.13085"},
				{
					Title:   "Open R1 255: the format reward rises, accuracy becomes 0",
					Address: "https://github.com/huggingface/open-r1/issues/255",
				},
			},
		},
		{
			Name: DegenerateText, detect: garbled, texts: true,
			follows: []Kind{
				GraderOutage, GraderNoise, RewardCollapse, TooHard, LengthExplosion, LengthCollapse, Truncation, Forgetting,
				AnswerCollapse, EqualRewards, NewPhrase, NothingTrains, NotLearning,
			},
			What: "A growing share of answers is not language: one phrase repeated, gibberish, control tokens, or another script " +
				"than the prompt's.",
			How: []string{
				fmt.Sprintf("At least %s of the sampled answers, and %d of them, are not language, in one of these ways or several.",
					units.Share(garbledFrom), leastOfShare),
				fmt.Sprintf("They are empty and get the lowest reward, or repeat one phrase over %s of their end.",
					units.Share(loopedShare)),
				"They go on after a control token, or end on another than most.",
				fmt.Sprintf("They are in another script than their prompt, or in %d of them, or begin with one sign or word again "+
					"and again.", salad),
				fmt.Sprintf("Or their letters follow each other unlike those of the first answers (%s bits per character more) and "+
					"of each other (%s bits), in a wording of their own.", units.Short(moreSurprise), units.Short(languageBits)),
				fmt.Sprintf("What %s of the first answers have, and not many more of the last, is how this log is written.",
					units.Share(usualGarbled)),
				fmt.Sprintf("It counts nevertheless if %s of all answers have it from the first step to the last, and get the "+
					"lowest reward.", units.Share(ruined)),
			},
			LooksLike: "Tables, code, lists, prompts in two languages, and a new source whose answers are code, calls of tools or " +
				"another language.",
			Advice: "stop here and go back to a checkpoint before the onset: lower the learning rate, add a KL penalty or a tighter " +
				"clip, check that sampler and trainer agree in their log-probabilities, and give such answers the lowest reward",
			Sources: []Source{
				{
					Title:   "Search-R1 162: answers become garbled late in training",
					Address: "https://github.com/PeterGriffinJin/Search-R1/issues/162",
				},
				{Title: "ms-swift 5130: garbled text in GRPO", Address: "https://github.com/modelscope/ms-swift/issues/5130"},
				{
					Title:   "Unsloth 2424: answers repeat until the context is full",
					Address: "https://github.com/unslothai/unsloth/issues/2424",
				},
			},
		},
		{
			Name: Truncation, detect: truncation, texts: true,
			follows: []Kind{LengthExplosion, LengthCollapse, RewardCollapse, TooHard, Forgetting, EqualRewards},
			What: "A large share of answers ends at the length limit, or in the middle, and is graded lowest, so that the advantage " +
				"measures length.",
			How: []string{
				fmt.Sprintf("From a step on at least %s of the samples are as long as the longest of their step, which is that of "+
					"many steps.", units.Share(cutFrom)),
				fmt.Sprintf("They are graded lowest, or lower by %s; or %s of all have one length and stop in the middle "+
					"(a watch while the reward gains).", units.Plural(cutSpread, "standard deviations"), units.Share(allCutFrom)),
				"Where lengths are not in tokens, the same is asked of sampled answers that look cut off.",
				"An answer looks so if the trainer calls it cut off, or if it lacks the word with which answers close, right or " +
					"wrong.",
				"So does one that ends in the middle, is longer than others of its group, and does not end on a tag or sign on which " +
					"winners end.",
				fmt.Sprintf("Or %s of all stop in the middle of sentences, on many words, at about one length.", units.Share(allCutFrom)),
			},
			LooksLike: "A few long answers that are cut off, with a steady share; answers that lose without the words of those that " +
				"win.",
			Advice: "raise the response limit, or mask truncated answers in the loss (overlong filtering), or let the reward fall " +
				"smoothly before the limit",
			Sources: []Source{
				{Title: "Yu et al. 2025, DAPO, section on overlong reward shaping", Address: "https://arxiv.org/abs/2503.14476"},
				{
					Title:   "TRL 5697: the default limit cuts nearly all answers, and the reward is 0",
					Address: "https://github.com/huggingface/trl/issues/5697",
				},
			},
		},
		{
			Name: LengthExplosion, detect: explosion,
			follows: []Kind{RewardCollapse, TooHard, EqualRewards},
			What:    "The length more than doubles, and the reward does not gain.",
			How: []string{
				fmt.Sprintf("The typical (geometric mean) length becomes %d times the level before, unlikely by chance at any step, "+
					"and longer than before any dip.", lengthDouble),
				fmt.Sprintf("The reward does not gain %s of its range soon.", units.Share(rewardGain)),
				"It is a watch where the reward gains a little.",
			},
			LooksLike: "Long thinking that pays: length and reward rise together; a source of long answers whose share grows; " +
				"prompts that grow as their answers do.",
			Advice: "check how the loss is averaged: a mean over the tokens of each answer favours long wrong ones; divide by a " +
				"constant or by all tokens, add a penalty on length, and read a long answer",
			Sources: []Source{
				{
					Title:   "Liu et al. 2025, Understanding R1-Zero-Like Training: A Critical Perspective (Dr. GRPO)",
					Address: "https://arxiv.org/abs/2503.20783",
				},
				{
					Title:   "verl-agent 188: the length jumps, then the score falls",
					Address: "https://github.com/langfengQ/verl-agent/issues/188",
				},
			},
		},
		{
			Name: LengthCollapse, detect: shrinking,
			follows: []Kind{RewardCollapse, TooHard, EqualRewards},
			What:    "Answers shrink to stubs and win less often; with an equal reward it is a watch.",
			How: []string{
				fmt.Sprintf("The typical (geometric mean) length becomes %d times shorter than the level before, unlikely by chance "+
					"at any step.", lengthDouble),
				fmt.Sprintf("It is an alarm if the reward loses more than %s of its range.", units.Share(rewardHeld)),
				fmt.Sprintf("It is one, too, if answers are %d times shorter and nothing shows that the reward holds.", stubTimes),
				fmt.Sprintf("Answers that win are a watch where they are %d times shorter.", wordsTimes),
			},
			LooksLike: "Shorter answers that win as often, or more.",
			Advice: "check what pays for being short: a penalty on length, a loss that is averaged over the tokens of each answer, " +
				"an end token that is graded; compare the rewards of the shortest and the longest answers",
			Sources: []Source{
				{Title: "VLM-R1 280: answers become shorter and shorter", Address: "https://github.com/om-ai-lab/VLM-R1/issues/280"},
				{
					Title:   "Liu et al. 2025, Understanding R1-Zero-Like Training: A Critical Perspective (Dr. GRPO)",
					Address: "https://arxiv.org/abs/2503.20783",
				},
			},
		},
		{
			Name: AnswerCollapse, detect: answersCollapse, texts: true,
			follows: []Kind{
				Truncation, Saturated, TooHard, LengthCollapse, LengthExplosion, RewardCollapse, Forgetting, GraderOutage, EqualRewards,
			},
			What: "The answers to one prompt become one answer, right or wrong, and groups have nothing left to compare.",
			How: []string{
				fmt.Sprintf("The share of answers in a group that differ falls to %s of its earlier level.", units.Share(collapsedTo)),
				fmt.Sprintf("The groups are those of which %d answers or more were read.", leastAnswers),
				fmt.Sprintf("A group of one right answer of fewer than %d words is none of them: an easy prompt has "+
					"few other answers.", templateWords),
			},
			LooksLike: "Short answers to easy prompts; groups that are all right in different words. Turns of an agent, a row each: " +
				"there it cannot be told.",
			Advice: "go back to a checkpoint before the onset: raise the sampling temperature, keep entropy up (a higher upper " +
				"clip, an entropy bonus or KL), and lower the learning rate",
			Sources: []Source{
				{Title: "Wang et al. 2025, RAGEN, on the echo trap", Address: "https://arxiv.org/abs/2504.20073"},
				{
					Title:   "Cui et al. 2025, The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models",
					Address: "https://arxiv.org/abs/2505.22617",
				},
			},
		},
		{
			Name: RewardCollapse, detect: func(e *evidence) ([]Finding, string) { return e.collapses() },
			follows: []Kind{TooHard, Forgetting, LengthExplosion, EqualRewards},
			What:    "The mean reward was up, falls to its floor and stays there.",
			How: []string{
				fmt.Sprintf("The mean reward falls, unlikely by chance at any step, and at most %s of its height above its floor is "+
					"left.", units.Share(floorShare)),
				fmt.Sprintf("Rewards without a floor fall below any level before, and by %s standard deviations of a step.",
					units.Short(floorSpread)),
				fmt.Sprintf("It is a watch where up to %s of the height is left.", units.Share(halfShare)),
				fmt.Sprintf("It is an alarm up to %s where prompts that come again fall at least half as much by themselves, and "+
					"forgetting names no part of them.", units.Share(mostShare)),
				"It is a watch where only sources come that did not come before, or only new prompts although prompts came again until " +
					"then.",
				fmt.Sprintf("So it is where prompts become %s times as long, or as short, at about the onset.", units.Short(askedTimes)),
				"It is one where the sources by themselves, or the prompts that come again, fall by less than half as much.",
				"If they fall by less than a quarter as much, the mixture is another one, and nothing fell.",
				"It is one where the fall takes more than a quarter of the run, and no prompt is known to come again.",
				"A fall within one step to new prompts that are all wrong is too_hard.",
				"It is a watch where from one step to the next mean, spread, best and worst change by one factor, and no column " +
					"falls.",
				"So it is where the columns have other weights from then on, and none of them falls.",
			},
			LooksLike: "One bad step; a reward that went down as far before, for as long, and came back; a harder data source that " +
				"begins while each source by itself holds.",
			Advice: "go back to a checkpoint before the onset; compare answers before and after it, and the trainer's gradient " +
				"norm, KL and entropy at that step: a learning rate too high or a mismatch of sampler and trainer are the usual " +
				"causes",
			Sources: []Source{
				{
					Title:   "ZeroSearch 23: the reward falls suddenly and stays",
					Address: "https://github.com/Alibaba-NLP/ZeroSearch/issues/23",
				},
				{
					Title:   "Search-R1 89: training collapses at step 600",
					Address: "https://github.com/PeterGriffinJin/Search-R1/issues/89",
				},
			},
		},
		{
			Name: TooHard, detect: hopeless, groups: true,
			follows: []Kind{RewardCollapse},
			What:    "Nearly all groups are all wrong: there is nothing to compare.",
			How: []string{
				fmt.Sprintf("From a step on at least %s of the groups are all wrong.", units.Share(TooHardFrom)),
				"It is a watch if they become fewer.",
			},
			LooksLike: "Sparse rewards with a steady tenth of living groups that grows.",
			Advice: "read answers first: a template, an answer format or a limit may make all of them wrong; then take easier " +
				"prompts, more answers per prompt, partial credit, or a warm-up on solutions",
			Sources: []Source{
				{Title: "Yu et al. 2025, DAPO, section on dynamic sampling", Address: "https://arxiv.org/abs/2503.14476"},
				{Title: "TRL 3452: the reward and the loss are 0", Address: "https://github.com/huggingface/trl/issues/3452"},
			},
		},
		{
			Name: Saturated, detect: saturated, groups: true,
			What: "Nearly all groups are all right: nothing is left to learn.",
			How: []string{
				fmt.Sprintf("From a step on at least %s of the groups are all right.", units.Share(SaturatedFrom)),
			},
			LooksLike: "Half of the groups solved and the rest alive.",
			Advice: "stop here or take harder prompts: drop the prompts that are solved, or refill batches by dynamic sampling (C), " +
				"so that generation is spent on groups that teach",
			Sources: []Source{
				{Title: "Yu et al. 2025, DAPO, section on dynamic sampling", Address: "https://arxiv.org/abs/2503.14476"},
			},
		},
		{
			Name: EqualRewards, detect: equalRewards, groups: true,
			What: "Nearly all groups have equal rewards (right, wrong or between), or all samples of a step have one: there is " +
				"nothing to compare within them.",
			How: []string{
				fmt.Sprintf("From a step on at least %s of the groups of two or more have equal rewards, where it is neither "+
					"too_hard nor saturated.", units.Share(EqualFrom)),
				"It is a watch if they become fewer, or if it was so for a tenth of the run and is over.",
				fmt.Sprintf("Where all samples have one reward in %s of the steps, another from step to step, the reward function "+
					"returns one value for the batch.", units.Share(oneOfSteps)),
				"An estimator whose baseline is not the group's own may still learn from them.",
			},
			LooksLike: "A data set of which most is solved or out of reach, and the rest alive.",
			Advice: "take prompts between those that are all right and all wrong, more answers per prompt, or a reward that tells " +
				"answers apart; where a reward is neither right nor wrong, read how it is made",
			Sources: []Source{
				{Title: "Yu et al. 2025, DAPO, section on dynamic sampling", Address: "https://arxiv.org/abs/2503.14476"},
				{Title: "TRL 3452: the reward and the loss are 0", Address: "https://github.com/huggingface/trl/issues/3452"},
			},
		},
		{
			Name: Forgetting, detect: func(e *evidence) ([]Finding, string) { return e.forgets() },
			What: "One data source, or one part of the prompts, falls while the rest holds or rises.",
			How: []string{
				"The mean reward falls of a source that the log names, or of a part of the prompts that come again.",
				fmt.Sprintf("It falls by %s of its level and %s of the range, unlikely by chance at any step and for any part.",
					units.Share(partFall), units.Share(partFallRange)),
				fmt.Sprintf("The whole loses no more than %s until then.", units.Share(restHeld)),
				fmt.Sprintf("A part is the third solved best before, the third solved worst now, or what has at most %s of the "+
					"range now.", units.Share(floorBand)),
				"Every other visit of a prompt chooses it, the others measure it, and the part that falls most is told.",
				fmt.Sprintf("Where the whole falls too, a source counts if the others lose no more than %s, or at most %s of its "+
					"level is left.", units.Share(restHeld), units.Share(floorShare)),
				fmt.Sprintf("A part of the prompts then counts if the others lose no more than %s and at most %s of its level is "+
					"left.", units.Share(restHeld), units.Share(halfShare)),
				"The advice is about the grader if all rewards of a source become one value.",
			},
			LooksLike: "The mixture of sources shifts, and each of them holds.",
			Advice: "raise the share of this source in the mixture, add a KL penalty to the reference model, and keep a held-out " +
				"set of it; the checkpoint before the onset still has it",
			Sources: []Source{
				{
					Title:   "Shenfeld et al. 2025, RL's Razor: Why Online Reinforcement Learning Forgets Less",
					Address: "https://arxiv.org/abs/2509.04259",
				},
			},
		},
		{
			Name: NothingTrains, detect: namedByGroups,
			follows: []Kind{NotLearning},
			What:    "The gradient, or the spread of the rewards, is 0 from the first step to the last: no sample trains.",
			How: []string{
				"The norm of the gradient, else the spread of the rewards, or all advantages, are 0 at each of 20 steps or more.",
				"Or the reward, its greatest and its least value are one value at each of them.",
				"Or the learning rate is 0, and the reward does not gain; samples show too_hard, saturated or equal_rewards instead.",
			},
			LooksLike: "A trainer that logs a norm of 0 for the steps it skips; a learning rate that is rounded to 0.",
			Advice: "read some rewards: if all are equal, mend the reward function or the template of the prompts; if they differ, " +
				"look for a learning rate of 0, frozen weights, or a mask that leaves no token",
			Sources: []Source{
				{Title: "TRL 3452: the reward and the loss are 0", Address: "https://github.com/huggingface/trl/issues/3452"},
			},
		},
		{
			Name: NotLearning, detect: learnsNothing,
			What: "The reward does not gain, in as many steps as could show a gain.",
			How: []string{
				fmt.Sprintf("Over %d steps and more, the mean reward of the last third is not above that of the first by %d "+
					"standard errors (by batches of steps).", LeastLearning, gainErrors),
				fmt.Sprintf("A gain of %s of the range would be, and may not be there by one of these errors.", units.Share(leastPower)),
				"Prompts that come again count by themselves, else sources do.",
				"It is a watch also where all of the gain is in a column for the form, or in what no column holds, and one for " +
					"correctness gains nothing.",
				"It is an alarm where most groups have equal rewards, or the gradient is 0, and a gain as large is surely not there.",
			},
			LooksLike: "A run near its top, a short run, and a reward whose noise hides any gain: these get no alarm.",
			Advice: "check that updates arrive: learning rate, gradient, weights of the sampler; then whether groups differ in " +
				"reward at all, and whether the task is within reach; more answers per prompt show a smaller gain",
			Sources: []Source{
				{Title: "open-r1 474: rewards stay at one level", Address: "https://github.com/huggingface/open-r1/issues/474"},
			},
		},
		{
			Name: FallByHalf, detect: fallsByHalf,
			What: "The reward loses a third or more of its height and does not regain it, without reaching its floor.",
			How: []string{
				fmt.Sprintf("The mean of the last %s of the steps is %s of its height or more below the best %s before, beyond "+
					"chance.", units.Share(windowSteps), units.Share(FallShare), units.Share(windowSteps)),
				fmt.Sprintf("It has been so for %s of the run.", units.Share(fallSteps)),
				"In a trainer's own averages it is an alarm from a half.",
				"In these it is a watch where prompts become 1.25 times as long or a metric of difficulty changes, and so is a collapse.",
				"A fall to the floor is reward_collapse.",
				fmt.Sprintf("Or it falls %d times in %d steps and more, with a rise between, and loses %s of its height the last time.",
					leastSwings, LeastSwung, units.Share(swingFalls)),
				fmt.Sprintf("Then the later half of the falls is %s times as deep as the earlier one.", units.Short(swingGrows)),
			},
			LooksLike: "A dip that is regained, a swing that is as wide as ever, and prompts that become harder step by step.",
			Advice: "compare answers before and after it; if the prompts are as hard as before, go back to a checkpoint before the " +
				"fall with a lower learning rate or a larger KL coefficient",
			Sources: []Source{
				{
					Title:   "ZeroSearch 23: the reward falls suddenly and stays",
					Address: "https://github.com/Alibaba-NLP/ZeroSearch/issues/23",
				},
			},
		},
		{
			Name: PartAgainst, detect: against,
			What: "A part of the reward that should raise it lowers it: it counts with the wrong sign.",
			How: []string{
				fmt.Sprintf("The logged reward is fitted as a weighted sum of its columns within groups, and the sum explains %s of "+
					"it.", units.Share(againstFit)),
				"A column that is the better the more there is of it, by its name (reward, score, accuracy), has a negative weight.",
				"The column also goes against the reward.",
				"It is an alarm if that column falls over the run while the reward gains.",
			},
			LooksLike: "A penalty, a length or a count of errors, which should lower the reward.",
			Advice: "look at how the reward is put together: the sign of this part's weight, and whether its function returns a " +
				"cost; then go back to a checkpoint from before it mattered",
			Sources: []Source{
				{
					Title:   "alpamayo-recipes 29: a part of the reward counts with the wrong sign",
					Address: "https://github.com/NVlabs/alpamayo-recipes/issues/29",
				},
			},
		},
		{
			Name: AdvantagesDiffer, detect: advantagesDiffer, ofAdvantages: true,
			follows: []Kind{NothingTrains, NotLearning},
			What:    "The advantages in the log are not those that the trainer's rule gives on these rewards, or are NaN or infinite.",
			How: []string{
				fmt.Sprintf("NaN or infinite advantages are a watch from %s of the samples, and an alarm from %s.",
					units.Share(invalidAdvantages), units.Share(noAdvantages)),
				"Else no estimator, scale, filter, clipping or rounding that vantage knows gives the advantages, and most groups " +
					"whose rewards differ show a defect.",
				"Defects are that the best answers are pushed down, or that the baseline is the reward of one sample.",
				"So are a divisor that is the variance, and advantages that are all one value or become 0.",
				"Where the trainer is known, it is a defect, too, that advantages are the reward itself, or have one sign.",
				"So it is that they do not sum to 0, or differ for equal rewards.",
				"Where the trainer is unknown, these are a watch.",
				"Rows that are turns are not judged.",
			},
			LooksLike: "An estimator of one's own: leave-one-out, a baseline of the batch, a value model, a penalty on length that " +
				"the reward does not hold; groups of which the log has a part. Rewards less the mean of their group are a rule of the " +
				"trainer's own whatever each group is multiplied by, whatever is clipped or masked, and so are advantages that rise with " +
				"the reward from a baseline within the group, or are divided by the length.",
			Advice: "compute the advantages of one group by hand from its logged rewards, and compare them with the log: `vantage " +
				"match` has the nearest rule and the first sample that differs; look at how rewards are ordered, reshaped into " +
				"groups and normalised",
			Sources: []Source{
				{
					Title:   "PipelineRL 54: the baseline was the reward of the first rollout",
					Address: "https://github.com/ServiceNow/PipelineRL/pull/54",
				},
				{Title: "ms-swift 8123: advantages of NaN", Address: "https://github.com/modelscope/ms-swift/issues/8123"},
			},
		},
		{
			Name: FewOutweigh, detect: fewOutweigh, ofAdvantages: true,
			What: "A few samples hold much of all advantage, so that they alone move the policy.",
			How: []string{
				fmt.Sprintf("The %s of the samples with the largest logged advantages hold at least %s of the sum of all their "+
					"sizes.", units.Share(fewSamples), units.Share(fewHold)),
				fmt.Sprintf("The least of these is %s times the median.", units.Short(fewTimes)),
				"It is a watch.",
			},
			LooksLike: "Groups of which one answer in many wins: its advantage is the root of the size of the group at most.",
			Advice: "look at the groups of these samples: a deviation that leaves the sample out, or is of rewards that hardly " +
				"differ, divides by almost nothing; add an eps that matters, clip the advantages, or do not divide by the " +
				"deviation",
			Sources: []Source{
				{
					Title:   "NeMo RL 2431: groups without a right answer train on their penalties",
					Address: "https://github.com/NVIDIA-NeMo/RL/issues/2431",
				},
			},
		},
		{
			Name: ToolFailure, detect: toolFailure, texts: true,
			follows: []Kind{RewardCollapse, FallByHalf, TooHard, EqualRewards},
			What:    "The tools of an agent answer with errors, or their results are cut off too early.",
			How: []string{
				fmt.Sprintf("At least %s of the answers that hold results of tools in tags have an error among them, three times as "+
					"many as before.", units.Share(failedFrom)),
				fmt.Sprintf("Or %s have one from the first step on.", units.Share(failedAlways)),
				fmt.Sprintf("Or from a step on %s of them have one result but for its digits, three times as many as before, and the reward "+
					"does not gain.", units.Share(oneResultFrom)),
				fmt.Sprintf("It is a watch where in %s of them a result is marked as truncated.", units.Share(cutResults)),
			},
			LooksLike: "Code that fails at first and less and less: an agent learns by its errors.",
			Advice: "read such a result, then the log of the tool's server; keep answers out of the loss whose tool failed, and " +
				"raise the limit of results (verl: max_tool_response_length) where they are cut off",
			Sources: []Source{
				{
					Title:   "verl 4918: results of tools are cut off at a number of characters",
					Address: "https://github.com/verl-project/verl/issues/4918",
				},
			},
		},
		{
			Name: ToolDisuse, detect: disuse, texts: true,
			What: "An agent stops calling its tools, or takes fewer turns, and does not win more.",
			How: []string{
				fmt.Sprintf("The turns of a rollout after its first, or the share of answers that call a tool, fall by %s, unlikely "+
					"by chance at any step.", units.Share(disuseFall)),
				"Meanwhile the reward does not gain.",
				fmt.Sprintf("It is an alarm where the reward loses more than %s of its range.", units.Share(rewardHeld)),
			},
			LooksLike: "An agent that needs fewer turns and wins more.",
			Advice: "compare the rewards of rollouts with calls and without; look for what makes calls cost more than they win: a " +
				"format that is hard to meet, errors of the tool, a penalty, or turns that are compared with other turns",
			Sources: []Source{
				{
					Title:   "Agent Lightning 489: as training goes on the agent stops calling tools",
					Address: "https://github.com/microsoft/agent-lightning/issues/489",
				},
			},
		},
		{
			Name: NoRightAnswer, detect: phantomGroups, groups: true,
			What: "Groups train though none of their answers is right: the advantage measures length or form in them.",
			How: []string{
				fmt.Sprintf("At least %s of the groups whose rewards differ hold no right answer.", units.Share(phantomFrom)),
				"Right is told by a column of correctness, or by a reward above that of most wrong ones.",
				fmt.Sprintf("Within these groups the rewards go with the length, or with a column about form (a correlation of %s).",
					units.Short(phantomFollows)),
			},
			LooksLike: "Partial credits, which tell better answers from worse ones.",
			Advice: "filter groups by correctness, before penalties on length and rewards for form are added; or give these only to " +
				"right answers",
			Sources: []Source{
				{
					Title:   "NeMo RL 2431: groups that differ by a penalty alone pass dynamic sampling",
					Address: "https://github.com/NVIDIA-NeMo/RL/issues/2431",
				},
			},
		},
		{
			Name: NewPhrase, detect: losingPhrase, texts: true,
			follows: []Kind{
				GraderOutage, RewardCollapse, FallByHalf, TooHard, EqualRewards, Forgetting, LengthCollapse, AnswerCollapse, NotLearning,
			},
			What: "A phrase that was not there comes up in the answers to many prompts, and these get the lowest reward: a refusal, " +
				"an error of a tool.",
			How: []string{
				fmt.Sprintf("At least %d words in a row (%d characters of Chinese or Japanese) are in %s of the newest answers, to "+
					"%d prompts or more.", phraseWords, hanWords, units.Share(phraseFrom), phrasePrompts),
				fmt.Sprintf("At most %s of the first answers have them, and their prompts lack them.", units.Share(phraseBefore)),
				fmt.Sprintf("They get at most %s of the range, %s of it less than others of their group, %s standard errors apart.",
					units.Share(phraseFloor), units.Share(phraseLoss), units.Short(phraseSure)),
				fmt.Sprintf("Or nearly all answers have them, and those before got %s of the range more.", units.Share(phraseLoss)),
			},
			LooksLike: "A turn of phrase that right and wrong answers share, and a closing word that only winners have.",
			Advice: "read answers of this group: mend the tool or service that the phrase names, mask such answers in the loss, and " +
				"look at where the model learned it",
			Sources: []Source{
				{
					Title:   "ToRL 27: errors of a sandbox in 62% of executions, which nothing shows",
					Address: "https://github.com/GAIR-NLP/ToRL/issues/27",
				},
				{
					Title:   "verifiers 1416: rollouts whose tools all failed, and a mask for them",
					Address: "https://github.com/PrimeIntellect-ai/verifiers/pull/1416",
				},
			},
		},
		{
			Name: PartOutweighs, detect: partOutweighs, groups: true,
			What: "Wrong answers win over right ones: another part of the reward outweighs rightness.",
			How: []string{
				"A column tells which answers are right.",
				fmt.Sprintf("In at least %s of the pairs of a right and a wrong answer to one prompt, and of %d pairs, the wrong one "+
					"has the higher reward.", units.Share(wrongWinsFrom), leastPairs),
				"Where the reward is seen to be a sum of its columns, the one that lifts them most is named.",
				"It is a watch.",
				fmt.Sprintf("At most %d answers of a group are compared, spread over it.", pairRows),
			},
			LooksLike: "A bonus for form, or a penalty on length, that is smaller than what a right answer wins.",
			Advice: "give rightness a weight above all that the other parts can add up to, or pay for form and length only where the " +
				"answer is right",
			Sources: []Source{{
				"NeMo RL 2431: groups without a right answer train on their penalties",
				"https://github.com/NVIDIA-NeMo/RL/issues/2431",
			}},
		},
		{
			Name: SourceOutweighs, detect: sourceOutweighs,
			What: "The rewards of one source of prompts differ so much more than those of another that they alone move the policy.",
			How: []string{
				"The scale is batch or none, so that advantages are as large as rewards differ.",
				fmt.Sprintf("Within groups the rewards of one source are %d times as far from their mean as those of another.",
					sourceTimes),
				fmt.Sprintf("That is told by %d groups of each whose rewards differ.", leastOfSources),
				"It is a watch.",
			},
			LooksLike: "Sources whose rewards have one range; a scale by group, which makes each group count alike.",
			Advice:    "bring the rewards of all sources to one range, or scale by group",
			Sources: []Source{{
				"Liu et al. 2025, Understanding R1-Zero-Like Training: A Critical Perspective (Dr. GRPO)",
				"https://arxiv.org/abs/2503.20783",
			}},
		},
	}, append(logProbKinds(), scalarKinds()...)...)
}

// The kinds that a trainer's own scalars tell, and samples do not: package scalars finds them.
const (
	EntropyCollapse Kind = "entropy_collapse"
	KLDrift         Kind = "kl_drift"
	GradientSpikes  Kind = "gradient_spikes"
	EvalDivergence  Kind = "eval_divergence"
	EngineMismatch  Kind = "engine_mismatch"
	AveragesDiffer  Kind = "averages_differ"
)

// OfScalars reports whether a kind is told by a trainer's own scalars alone, which few logs have beside their samples.
func (k Kind) OfScalars() bool {
	return slices.Contains([]Kind{EntropyCollapse, KLDrift, GradientSpikes, EvalDivergence, EngineMismatch, AveragesDiffer}, k)
}

// scalarKinds are these with their words. To samples alone they are blind.
func scalarKinds() []KindInfo {
	blind := func(*evidence) ([]Finding, string) {
		return nil, "they need the trainer's metrics (trainer_state.json, metrics.jsonl …)"
	}
	return []KindInfo{
		{
			Name: EntropyCollapse, detect: blind,
			What: "The policy has hardly any choice left, and the reward no longer gains: it samples the same answers again and " +
				"again.",
			How: []string{
				"The entropy stays below a tenth of its start.",
				"From then on the reward, or else the held-out score, gains nothing that matters.",
				"It is none if it is gone within the first tenth of the steps, and the reward gains after that.",
				"A run whose log begins after the collapse is not told.",
			},
			LooksLike: "An entropy that falls while the reward rises (that is learning), or at the end of a task that is solved.",
			Advice: "go back to the checkpoint before it and keep the choice open: a higher upper clip, a small entropy bonus, a " +
				"higher sampling temperature, harder prompts",
			Sources: []Source{
				{
					Title:   "Cui et al. 2025, The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models",
					Address: "https://arxiv.org/abs/2505.22617",
				},
				{Title: "Yu et al. 2025, DAPO", Address: "https://arxiv.org/abs/2503.14476"},
			},
		},
		{
			Name: KLDrift, detect: blind,
			What: "The policy moves away from its reference, or from the policy that samples, faster and faster.",
			How: []string{
				"The KL divergence turns into a course at least 2.5 times as steep.",
				"Its level matters: a nat per token from the reference, a tenth of that from the policy that samples.",
			},
			LooksLike: "A KL that rises steadily, or fast at first and then less.",
			Advice: "look at samples from before and after; go back to the checkpoint before the bend with a lower learning rate or " +
				"a larger KL coefficient",
			Sources: []Source{
				{Title: "Gao et al. 2023, Scaling Laws for Reward Model Overoptimization", Address: "https://arxiv.org/abs/2210.10760"},
			},
		},
		{
			Name: GradientSpikes, detect: blind,
			What: "Single updates are far larger than those around them, or the gradient stays NaN or infinite.",
			How: []string{
				"A norm is 10 times the median of its neighbours and far outside of their spread, at few of the steps, after the " +
					"warm-up.",
				"Or there is nothing but NaN and infinity to the end. Missing values are none.",
			},
			LooksLike: "A gradient that is twice as large at times, or always as uneven.",
			Advice:    "look at the samples of those steps, lower the learning rate or clip the norm nearer to its median",
			Sources: []Source{
				{
					Title:   "Pascanu et al. 2013, On the difficulty of training recurrent neural networks",
					Address: "https://arxiv.org/abs/1211.5063",
				},
			},
		},
		{
			Name: EvalDivergence, detect: blind,
			What: "The training reward gains, and the score on held-out data does not, or falls; or that score falls by itself and " +
				"stays there.",
			How: []string{
				"From an evaluation on, the reward gains what matters while the held-out score falls by more than its noise, or " +
					"gains less than a sixth of that.",
				"Or the score loses a fifth of its height and more, beyond its noise, to the end: a watch where the reward falls " +
					"with it.",
				"A score that does not gain is a watch in fewer than 8 evaluations: it may lag.",
				"Evaluations without a score do not count.",
			},
			LooksLike: "A held-out score that lags, or is lower by a steady gap.",
			Advice: "read samples with the best rewards from after the turn: the grader may be tricked, or the prompts learned by " +
				"heart; keep the checkpoint with the best held-out score",
			Sources: []Source{
				{Title: "Gao et al. 2023, Scaling Laws for Reward Model Overoptimization", Address: "https://arxiv.org/abs/2210.10760"},
			},
		},
		{
			Name: AveragesDiffer, detect: blind,
			What: "The trainer's own averages are not those of its samples: it grouped or weighed them in another way.",
			How: []string{
				"It holds at 90% of the steps that samples and averages share, and at 5 of them at least.",
				"The trainer counts one group, or one for each sample, where the samples have several groups of several.",
				"Or the least and the greatest advantage are those of the raw rewards, and not those of the rule.",
				"It is a watch where hardly any advantage is 0 though 20% should be.",
				"So it is where a mean reward, or a share of groups with equal rewards, is off by 10% of the range in one " +
					"direction.",
				"That must be so at 20 steps, and at no shift by a step.",
			},
			LooksLike: "Rounding, averages over several logged steps, a step that is counted from 1, samples that are a random part " +
				"of the batch, and averages before a filter.",
			Advice: "compare the ids by which the trainer groups with those in the log: one per prompt and step, not one per " +
				"trajectory and not one for all; for a mean, look for weights, penalties and rows that are not logged",
			Sources: []Source{
				{
					Title:   "rllm 605: advantages in groups of one are the raw rewards",
					Address: "https://github.com/rllm-org/rllm/issues/605",
				},
				{Title: "rllm 829: ids with a colon put a batch into one group", Address: "https://github.com/rllm-org/rllm/issues/829"},
			},
		},
		{
			Name: EngineMismatch, detect: blind,
			What: "The engine that samples and the trainer part: they give the same tokens other probabilities, so that the samples " +
				"are of another policy than the one that trains.",
			How: []string{
				"It is told by the trainer's own comparison.",
				"The log-probabilities differ by 0.2 nats on average (watch from 0.1, or from 0.05 where it is four times its " +
					"start).",
				"Or probabilities differ by a factor of 1.22 (watch: 1.1), or by 0.1 (0.05), or correlate by less than 0.7 (0.9).",
				"Or an importance ratio fell to a tenth (watch: 0.3), or there is a KL divergence of 0.1 (0.03).",
			},
			LooksLike: "The rounding of bfloat16 and FP8, 0.005 to 0.07 nats and level; an importance ratio of whole long answers " +
				"below 1, which is a watch at most.",
			Advice: "check that new weights reach the sampler: a sleeping engine, an adapter that is not merged, a prefix cache " +
				"that is kept; then precision, temperature and top-p of the two; go back to a checkpoint before it set in",
			Sources: []Source{
				{Title: "TRL 5312: weights do not reach vLLM in sleep mode", Address: "https://github.com/huggingface/trl/issues/5312"},
			},
		},
	}
}
