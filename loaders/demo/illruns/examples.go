package illruns

import (
	"fmt"
	"math"
	"strings"
)

// HealthyName is the example of a run that nothing ails.
const HealthyName = "healthy"

// Example is a small log of one illness: each that the program names has one.
type Example struct {
	Kind string // of the illness, or [HealthyName]

	plant func(r *Run)
	shape func(s *Shape) // what its log has and those of others have not; nil: nothing
}

// Examples are one for each kind of illness, in their order, after that of a healthy run.
func Examples() []Example {
	return []Example{
		{HealthyName, func(*Run) {}, nil},
		{"grader_outage", lowestForAWhile, nil},
		{"stuck_data", func(r *Run) { r.stuckFrom(r.onset()) }, nil},
		{"group_mixup", func(r *Run) { r.deals(r.onset()) }, func(s *Shape) { s.Format = "verl-uid" }},
		{"grader_noise", evenly(flipsFrom), func(s *Shape) { s.Genre = Choice }},
		{"reward_hacking", stylePays, nil},
		{"degenerate_text", comesApart, nil},
		{"truncation", evenly(growsIntoTheLimit), func(s *Shape) { s.Genre = Chat }},
		{"length_explosion", longerForNothing, func(s *Shape) { s.Groups = 6 }},
		{"length_collapse", evenly(stubs), nil},
		{"answer_collapse", evenly(theBestOfTheAnswers), nil},
		{"reward_collapse", forgetsAll, nil},
		{"too_hard", hardDataBegins, nil},
		{"saturated", allIsLearned, gradually},
		{"equal_rewards", nothingBetween, nil},
		{"forgetting", aSourceFalls, gradually},
		{"nothing_trains", noGradient, func(s *Shape) { s.Format = trainerState.Name }},
		{"not_learning", neverGains, nil},
		{"fall_by_half", evenly(losesAThird), func(s *Shape) { s.Groups, s.Data, s.Pace = 12, Once, 0 }},
		{"part_against", aPartAgainst, nil},
		{"advantages_differ", bestPushedDown, func(s *Shape) { s.Format = "ms-swift" }},
		{"few_outweigh", dividedByAlmostNothing, func(s *Shape) { s.Format = "ms-swift" }},
		{"tool_failure", toolsFail, nil},
		{"tool_disuse", evenly(toolsUnused), nil},
		{"no_right_answer", evenly(onlyLengthDiffers), nil},
		{"new_phrase", evenly(sandboxErrors), nil},
		{"part_outweighs", evenly(formOutweighs), nil},
		{"source_outweighs", aSourceOutweighs, func(s *Shape) { s.Format, s.Groups = "prime-rl", 6 }},
		{"shifted_logprobs", tokenLate, logsTokens("verl")},
		{"wrong_logprobs", otherTemperature, logsTokens("nemo-rl")},
		{"top_p_mismatch", cutByTopP, logsTokens("verl")},
		{"weights_not_synced", weightsStay, logsTokens("verl")},
		{"stale_rollouts", oldSamples, logsTokens("prime-rl")},
		{"one_sequence_dominates", oneLongAnswer, logsTokens("verl")},
		{"filter_eats_batch", filterEats, logsTokens("prime-rl")},
		{"entropy_collapse", entropyFalls, nil},
		{"kl_drift", klBends, nil},
		{"gradient_spikes", gradientsSpike, nil},
		{"eval_divergence", heldOutFalls, nil},
		{"averages_differ", groupsOfOne, nil},
		{"engine_mismatch", enginesPart, nil},
	}
}

// evenly plants something in a run whose prompts are all as hard, so that its level does not hang on which of them a step has.
func evenly(plant func(r *Run)) func(r *Run) {
	return func(r *Run) {
		for _, t := range r.tasks {
			t.Hardness = 1
		}
		plant(r)
	}
}

func gradually(s *Shape) { s.Pace = 0.2 }

// Make makes the run of a seed: verl's log of 60 steps of 8 groups of 8, unless the illness needs another. It has neither good days nor bad
// ones, so that the illness is plain whatever the seed is.
func (x Example) Make(seed uint64) *Run {
	shape := Shape{
		Steps: 60, Groups: 8, Size: 8, Reward: Binary, Format: "verl", Genre: Math, Data: Epochs, Onset: 0.5, Pace: 0.08, Every: 1,
		First: 1, Words: 35,
	}
	if x.shape != nil {
		x.shape(&shape)
	}
	plant := func(r *Run) {
		r.calm()
		x.plant(r)
	}
	return Make(Scene{Kind: x.Kind, Name: x.Kind, plant: plant}, shape, fmt.Sprintf("%s %d", x.Kind, seed))
}

// data and graders, where the onset is not left to chance

func (r *Run) stuckFrom(o Onset) {
	r.settles(o, 0.35, 0.6)
	before := r.batch
	r.batch = func(t int) []*Task { return before(min(t, o.At)) }
	r.ill("stuck_data", o.At+1, 2, 0, 1, "saturated")
}

func flipsFrom(r *Run) {
	o := r.onset()
	r.change(func(t int, s *State) {
		if t >= o.At {
			s.Flipped = 0.25
		}
	})
	r.ill("grader_noise", o.At, 1, r.groupNoise(0.5), 0.4)
}

// texts

// comesApart repeats itself, and gets nothing for it.
func comesApart(r *Run) {
	o := r.onset()
	r.settles(o, 0.35, 0.6)
	r.rewrites(o, 0.6, 0, func(_ *State, a *Answer) string { return repeatsItself(r.rng, a.Task, a.Text) })
	r.ill("degenerate_text", o.reaches(0, 0.6, 0.1), o.Over, r.shareNoise(0.1), 0.3, "reward_collapse")
}

// learning

// noGradient has rewards that differ and no update: a learning rate of 0, or a mask that leaves no token.
func noGradient(r *Run) {
	r.settles(Onset{0, 1}, 0.4, 0.4)
	r.changeMetrics(func(_ int, m metrics) { m["grad_norm"], m["loss"] = 0, 0 })
	r.ill("nothing_trains", 0, 1, 0, 1, "not_learning")
}

// neverGains has prompts that are always solved or never, and others whose chances become a little worse. Each third of the run has all of
// them.
func neverGains(r *Run) {
	r.tasks = r.tasks[:r.Groups*5]
	r.batch = r.order(r.tasks)
	r.change(func(t int, s *State) {
		s.Chance = func(task *Task) float64 {
			if task.ID%5 == 2 {
				return 0.6 - 0.2*float64(t)/float64(r.Steps)
			}
			return float64(task.ID % 2)
		}
	})
	r.ill("not_learning", 0, 1, 0, 1)
}

func losesAThird(r *Run) {
	o := r.onset()
	r.settles(o, 0.4, 0.7)
	r.goesTo(o, 0.7, 0.43)
	r.ill("fall_by_half", o.At, o.Over, r.qualityNoise(), 0.27)
}

// aPartAgainst has a score of how helpful answers are that is subtracted from the reward.
func aPartAgainst(r *Run) {
	o := r.onset()
	r.settles(o, 0.3, 0.5)
	r.addGrader("helpfulness", -0.5, 0.8)
	r.goesTo(o, 0.5, 0.6)
	r.change(func(t int, s *State) { s.Pleased["helpfulness"] = o.ramp(t, 0.8, 0.2) })
	r.ill("part_against", 0, 1, 0, 1)
}

// advantages

func bestPushedDown(r *Run) {
	r.advantageOf = func(own float64, group moments) float64 { return (group.mean() - own) / (group.deviation() + 1e-4) }
	r.ill("advantages_differ", 0, 1, 0, 1)
}

// dividedByAlmostNothing divides by the deviation of the other rewards, which is nearly 0 where these are equal.
func dividedByAlmostNothing(r *Run) {
	r.advantageOf = func(own float64, group moments) float64 {
		others := group.with(own, -1)
		return (own - others.mean()) / (others.deviation() + 1e-3)
	}
	r.ill("few_outweigh", 0, 1, 0, 1)
}

// agents

// asksTools has a share of the answers ask a tool in their middle, a share of whose results are errors.
func (r *Run) asksTools(share, failing func(t int) float64) {
	r.change(func(t int, s *State) {
		asks, fails := share(t), failing(t)
		s.Rewrite = func(a *Answer) {
			if r.rng.Float64() >= asks {
				return
			}
			result := a.Task.fill(r.rng, "{k}")
			if r.rng.Float64() < fails {
				result = a.Task.fill(r.rng, pick(r.rng, toolErrors()))
				a.Parts[0], a.Text = 0, r.language(a.Task).answer(r.rng, a.Task, wordsToWrite(r.rng, s.Words), r.final(a.Task, false))
			}
			begin := half(a.Text, 0.5)
			a.Text = begin + a.Task.fill(r.rng, "\n<tool_call>{x} * {k}</tool_call>\n<tool_response>") + result + "</tool_response>\n" +
				a.Text[len(begin):]
			_, a.Tokens = cut(a.Text, 0)
		}
	})
}

func toolErrors() []string {
	return []string{
		"Error: connection refused by sandbox {k}", "Request {k} timed out", "503 service unavailable, try {k} later",
		"TimeoutError: no answer of node {k} within {k} s",
		"Traceback (most recent call last): line {k}: OSError",
	}
}

func toolsFail(r *Run) {
	o := r.onset()
	r.settles(o, 0.35, 0.6)
	r.asksTools(func(int) float64 { return 0.8 }, func(t int) float64 { return o.ramp(t, 0.02, 0.5) })
	r.ill("tool_failure", o.At, o.Over, r.shareNoise(0.5), 0.5)
}

func toolsUnused(r *Run) {
	o := r.onset()
	r.settles(o, 0.3, 0.7)
	r.goesTo(Onset{o.At + 3, r.Steps / 4}, 0.7, 0.5)
	r.asksTools(func(t int) float64 { return o.ramp(t, 0.9, 0.05) }, func(int) float64 { return 0 })
	r.ill("tool_disuse", o.At, o.Over, r.shareNoise(0.5), 0.8)
}

// groups and phrases

// onlyLengthDiffers subtracts a price on length, so that groups whose answers are all wrong still differ.
func onlyLengthDiffers(r *Run) {
	r.settles(Onset{r.Steps, 1}, 0.04, 0.18)
	r.Graders = append(r.Graders, Grader{"length", 1})
	r.changeLog(func(_ int, answers []Answer) []Answer {
		for i := range answers {
			a := &answers[i]
			a.Parts[len(a.Parts)-1] = -math.Round(float64(a.Tokens)) / 1000
			a.Reward = r.total(a.Parts)
		}
		return answers
	})
	r.ill("no_right_answer", 0, 1, 0, 1)
}

// formOutweighs has a reward for form that counts twice what a right answer does.
func formOutweighs(r *Run) {
	r.settles(r.onset(), 0.25, 0.65)
	r.addGrader("format", 2, 0.6)
	r.ill("part_outweighs", 0, 1, 0, 1)
}

// aSourceOutweighs pays ten times as much for one source as for the other.
func aSourceOutweighs(r *Run) {
	r.settles(r.onset(), 0.4, 0.6)
	r.addSources(map[string]float64{"code": 0.5, "math": 0.5}, map[string]float64{"code": 0, "math": 0})
	r.changeLog(func(_ int, answers []Answer) []Answer {
		for i := range answers {
			if a := &answers[i]; a.Task.Source == "code" {
				a.Reward *= 10
			}
		}
		return answers
	})
	r.ill("source_outweighs", 0, 1, 0, 1)
}

func sandboxErrors(r *Run) {
	o := r.onset()
	r.settles(o, 0.35, 0.6)
	r.rewrites(o, 0.35, 0, func(_ *State, a *Answer) string {
		return strings.TrimRight(half(a.Text, 0.6), " ") + "\nThe calculator service did not answer in time, so I stop here."
	})
	r.ill("new_phrase", o.At, o.Over, r.shareNoise(0.35), 0.35)
}

// what the trainer's own metrics tell

func entropyFalls(r *Run) {
	o := r.onset()
	r.settles(o, 0.35, 0.55)
	r.changeMetrics(func(t int, m metrics) { m["actor/entropy"] = r.near(0.6*math.Exp(-o.ramp(t, 0, 4)), 0.05) })
	r.ill("entropy_collapse", o.At, o.Over, 0, 1)
}

func klBends(r *Run) {
	o := r.onset()
	r.changeMetrics(func(t int, m metrics) { m["actor/kl_loss"] += r.near(0.08*float64(max(0, t-o.At)), 0.03) })
	r.ill("kl_drift", o.At, 1, 0, 1)
}

func gradientsSpike(r *Run) {
	steps := map[int]bool{r.Steps * 5 / 10: true, r.Steps * 7 / 10: true, r.Steps * 8 / 10: true}
	r.changeMetrics(func(t int, m metrics) {
		if steps[t] {
			m["actor/grad_norm"] = r.near(14, 0.2)
		}
	})
	r.ill("gradient_spikes", r.Steps*5/10, 1, 0, 1)
}

// heldOutFalls is evaluated at every fourth step.
func heldOutFalls(r *Run) {
	o := r.onset()
	r.settles(Onset{r.Steps, 1}, 0.35, 0.8)
	r.changeMetrics(func(t int, m metrics) {
		if t%4 == 0 {
			m["val-core/math/acc/mean@8"] = r.near(0.3+
				0.2*min(1, float64(t)/float64(o.At))-0.3*max(0, float64(t-o.At)/float64(r.Steps-o.At)), 0.02)
		}
	})
	r.ill("eval_divergence", o.At, 1, 0, 1)
}

// groupsOfOne has a trainer that gives each answer a group of its own, whose advantage is then the reward.
func groupsOfOne(r *Run) {
	r.changeMetrics(func(_ int, m metrics) {
		m["critic/advantages/mean"], m["critic/advantages/min"], m["critic/advantages/max"] = m["critic/score/mean"], 0, 1
	})
	r.ill("averages_differ", 0, 1, 0, 1)
}

func enginesPart(r *Run) {
	o := r.onset()
	r.settles(o, 0.35, 0.6)
	r.changeMetrics(func(t int, m metrics) { m["training/rollout_probs_diff_mean"] = r.near(o.ramp(t, 0.006, 0.13), 0.05) })
	r.ill("engine_mismatch", o.At, o.Over, 0, 1)
}

// what the log-probs of tokens show, in runs of which the rewards are healthy

// logsTokens is a log in a format that has log-probs, of fewer answers: they are long lines.
func logsTokens(format string) func(s *Shape) {
	return func(s *Shape) { s.Format, s.Groups, s.Size = format, 4, 4 }
}

// parted plants what parts sampler and trainer from a step on.
func parted(r *Run, kind string, at int, e Engines) {
	r.settles(Onset{r.Steps, 1}, 0.35, 0.6)
	if e.Length == nil {
		e.Length = func(int, int) int { return 30 }
	}
	r.withEngines(e)
	r.ill(kind, at, 1, 0, 1)
}

func tokenLate(r *Run) {
	parted(r, "shifted_logprobs", 0, Engines{Change: func(_, _ int, p *TokenProbs) { p.Trainer = append(p.Trainer[1:], p.Trainer[0]) }})
}

func otherTemperature(r *Run) {
	parted(r, "wrong_logprobs", 0, Engines{Change: func(_, _ int, p *TokenProbs) {
		for k, x := range p.Sampler {
			p.Trainer[k] += 0.43 * x
		}
	}})
}

// cutByTopP is sampled of 0.95 of the probability, by which the engine renormalises.
func cutByTopP(r *Run) {
	parted(r, "top_p_mismatch", 0, Engines{
		Noise: func(int, int) float64 { return 0.002 },
		Change: func(_, _ int, p *TokenProbs) {
			for k := range p.Trainer {
				p.Trainer[k] -= 0.01 + 0.04*p.Random.Float64()
			}
		},
	})
}

func weightsStay(r *Run) {
	at := r.onset().At
	parted(r, "weights_not_synced", at, Engines{
		Noise: func(_, lag int) float64 { return healthyNoise + 0.01*float64(lag) },
		Lag:   func(t, _ int) int { return max(0, t-at) },
	})
}

func oldSamples(r *Run) {
	parted(r, "stale_rollouts", 0, Engines{
		Noise: func(_, lag int) float64 { return healthyNoise + 0.03*float64(lag) },
		Lag:   func(_, i int) int { return i % 5 },
	})
}

func oneLongAnswer(r *Run) {
	parted(r, "one_sequence_dominates", 0, Engines{
		Length: func(t, i int) int {
			if i == t%(r.Groups*r.Size) {
				return 300
			}
			return 40
		},
		Change: func(_, _ int, p *TokenProbs) {
			for k := range p.Trainer {
				if len(p.Trainer) == 300 {
					p.Trainer[k] = min(0, p.Trainer[k]+0.04)
				}
			}
		},
	})
}

// filterEats moves sure tokens of losing answers by more than prime-rl lets them.
func filterEats(r *Run) {
	parted(r, "filter_eats_batch", 0, Engines{Change: func(_, _ int, p *TokenProbs) {
		for k, x := range p.Sampler {
			if p.Advantage < 0 && x > -0.1 && p.Random.IntN(5) > 0 {
				p.Trainer[k] = x - 0.27
			}
		}
	}})
}
