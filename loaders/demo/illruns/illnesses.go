package illruns

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Scene is what happens in a run.
type Scene struct {
	Kind  string // of the illness that is planted, "" in a healthy one, "two illnesses"
	Name  string
	Twin  string // the healthy scene that has the same figure at each step, "" if there is none
	Needs Needs
	plant func(r *Run)
}

// Needs are what a shape must have for a scene to be seen in its log. Nil lists are any.
type Needs struct {
	Rewards                 []Reward
	Genres                  []Genre
	Formats                 []string
	Data                    Data
	Texts, Prompts, Sources bool // in the log
	Lengths                 bool // in the log: texts or token counts
	Gradual                 bool // it cannot set in from one step to the next
	Steps, Groups, Size     int  // at least
}

var (
	plainTexts = []Genre{Math, Thinking, Code, Chat, Chinese, Japanese}
	ownTexts   = []Genre{Math, Thinking, Code, Chinese, Japanese} // of chat some short ones are equal, and are not graded alike
	solvable   = []Reward{Binary, Signed, Graded}                 // that have a best and a worst
	named      = []string{"jsonl", "prime-rl", "verl-uid", "csv"} // formats with ids of groups
)

// Illnesses are the scenes of the kinds that samples show.
func Illnesses() []Scene {
	return []Scene{
		{"reward_hacking", "style pays", "style and substance", Needs{Rewards: []Reward{Binary, Graded}, Genres: plainTexts}, stylePays},
		{"reward_hacking", "long answers please a judge", "", Needs{Rewards: []Reward{Binary, Signed}, Genres: plainTexts}, lengthPays},
		{"reward_hacking", "one text for all prompts", "", Needs{Texts: true, Prompts: true, Genres: plainTexts}, oneText},
		{
			"reward_hacking", "a style wins the judge", "one opening in all answers",
			Needs{Texts: true, Formats: []string{"verl"}, Rewards: []Reward{Binary, Signed}, Genres: []Genre{Math}},
			styleWinsTheJudge,
		},

		{"answer_collapse", "one of the answers", "keeps its variety", Needs{Texts: true, Genres: plainTexts}, oneOfTheAnswers},
		{"answer_collapse", "the best of the answers", "", Needs{Texts: true, Genres: plainTexts}, theBestOfTheAnswers},
		{"answer_collapse", "one refusal", "", Needs{Texts: true, Genres: plainTexts}, oneRefusal},

		{"degenerate_text", "repeats itself", "", Needs{Texts: true, Genres: plainTexts}, spoilt(repeatsItself)},
		{"degenerate_text", "stutters", "", Needs{Texts: true, Genres: plainTexts}, spoilt(stutters)},
		{"degenerate_text", "mixes languages", "", Needs{Texts: true, Genres: plainTexts}, spoilt(mixesLanguages)},
		{
			"degenerate_text", "another language", "",
			Needs{Texts: true, Prompts: true, Genres: []Genre{Math, Thinking, Chat, Chinese}},
			spoilt(switchesLanguage),
		},
		{"degenerate_text", "control tokens", "", Needs{Texts: true, Genres: plainTexts}, spoilt(leaksTokens)},
		{"degenerate_text", "noise", "", Needs{Texts: true, Genres: plainTexts}, spoilt(typesNoise)},
		{"degenerate_text", "says nothing", "", Needs{Texts: true, Genres: plainTexts}, spoilt(saysNothing)},

		{"length_explosion", "longer for nothing", "long thinking pays", Needs{Genres: plainTexts, Lengths: true}, longerForNothing},
		{"length_explosion", "much longer and worse", "", Needs{Genres: plainTexts, Lengths: true}, longerAndWorse},

		{"length_collapse", "stubs", "short ones win", Needs{Genres: ownTexts, Lengths: true}, stubs},

		{"truncation", "grows into the limit", "", Needs{Genres: plainTexts, Lengths: true}, growsIntoTheLimit},
		{"truncation", "the limit is lowered", "", Needs{Genres: plainTexts, Lengths: true}, limitLowered},

		{"reward_collapse", "forgets all", "", Needs{Genres: plainTexts}, forgetsAll},

		{
			"saturated", "all is learned", "",
			Needs{Rewards: append([]Reward{Parts}, solvable...), Genres: plainTexts, Gradual: true},
			allIsLearned,
		},
		{"saturated", "easy from the start", "", Needs{Rewards: solvable, Groups: 2}, easyFromTheStart},
		{"saturated", "easy data begins", "", Needs{Rewards: solvable, Groups: 2}, easyDataBegins},

		{"fall_by_half", "a swing that grows", "sorted in each epoch", Needs{Genres: plainTexts, Data: Epochs, Steps: 300}, swingsWider},

		{"tool_failure", "tools fail", "tools fail less and less", Needs{Texts: true, Genres: plainTexts, Steps: 100}, toolsFail},

		{"too_hard", "hard from the start", "", Needs{Rewards: solvable, Groups: 2}, hardFromTheStart},
		{"too_hard", "hard data begins", "", Needs{Rewards: solvable, Groups: 2, Prompts: true, Data: Epochs}, hardDataBegins},
		{"too_hard", "one prompt in twenty is solved", "sparse but alive", Needs{Rewards: []Reward{Binary, Signed}, Groups: 2}, oneInTwenty},

		{"equal_rewards", "right or wrong, and nothing between", "", Needs{Rewards: []Reward{Binary, Signed}, Groups: 2}, nothingBetween},
		{
			"equal_rewards", "one reward for all answers of a group", "",
			Needs{Rewards: []Reward{Graded, Model}, Genres: plainTexts, Groups: 2},
			oneRewardForAGroup,
		},

		{"grader_outage", "lowest for a while", "", Needs{}, lowestForAWhile},
		{"grader_outage", "a constant for good", "", Needs{}, constantForGood},
		{"grader_outage", "missing", "", Needs{
			Rewards: []Reward{Binary, Signed, Graded, Model},
			Formats: []string{"verl", "jsonl", "trl", "nemo-rl", "openrlhf"},
		}, missing(1)},
		{"grader_outage", "half are missing", "", Needs{
			Rewards: []Reward{Binary, Signed, Graded, Model},
			Formats: []string{"verl", "jsonl", "trl", "nemo-rl", "openrlhf"},
		}, missing(0.5)},
		{"grader_outage", "missing for a while", "", Needs{
			Rewards: []Reward{Binary, Signed, Graded, Model},
			Formats: []string{"verl", "jsonl", "trl", "nemo-rl", "openrlhf"},
		}, missingForAWhile},
		{"grader_outage", "one grader is dead", "", Needs{Rewards: []Reward{Parts}, Genres: plainTexts}, oneGraderDead},

		{"grader_noise", "flips", "", Needs{Rewards: []Reward{Binary, Signed}, Genres: []Genre{Choice}, Texts: true, Prompts: true}, noisy(true)},
		{
			"grader_noise", "moods", "",
			Needs{Rewards: []Reward{Binary, Signed}, Genres: []Genre{Choice}, Texts: true, Prompts: true},
			noisy(false),
		},

		{"stuck_data", "one batch for good", "the same order each epoch", Needs{Prompts: true, Data: Epochs}, oneBatch},
		{"stuck_data", "one batch until it is known by heart", "", Needs{Rewards: solvable, Prompts: true, Groups: 2}, knownByHeart},
		{"stuck_data", "rows twice", "", Needs{Prompts: true, Texts: true, Genres: plainTexts}, rowsTwice},
		{
			"stuck_data", "each step is written again", "",
			Needs{
				Formats: []string{"verl", "verl-uid", "jsonl", "csv", "prime-rl", "nemo-rl", "openrlhf", "group-lines"}, Prompts: true,
				Texts: true, Genres: plainTexts,
			},
			writtenAgain,
		},

		{"group_mixup", "dealt like cards", "", Needs{Formats: named, Prompts: true, Groups: 2}, dealtLikeCards},
		{"group_mixup", "shifted by some rows", "", Needs{Formats: named, Prompts: true, Groups: 2}, shifted},
		{"group_mixup", "torn to pieces", "", Needs{Formats: named, Prompts: true}, torn},

		{"forgetting", "a source falls", "all sources rise", Needs{Sources: true, Groups: 2, Gradual: true}, aSourceFalls},
		{"forgetting", "a source is lost, and the whole falls with it", "", Needs{Sources: true, Groups: 2, Gradual: true}, aSourceIsLost},
		{"forgetting", "what was easy", "", Needs{Prompts: true, Data: Epochs, Groups: 2, Gradual: true}, whatWasEasy},
		{
			"forgetting", "some prompts are lost, and nothing names them", "",
			Needs{Prompts: true, Data: Epochs, Groups: 2, Gradual: true},
			somePromptsAreLost,
		},

		{"two illnesses", "longer, then all alike", "", Needs{Texts: true, Genres: plainTexts}, longerThenAlike},
		{"two illnesses", "an outage, then gibberish", "", Needs{Texts: true, Genres: plainTexts}, outageThenGibberish},
		{
			"two illnesses", "a deaf grader of style, then stubs", "",
			Needs{Rewards: []Reward{Parts}, Genres: plainTexts, Lengths: true},
			deafThenStubs,
		},
		{"two illnesses", "mixed up, then a collapse", "", Needs{Formats: named, Prompts: true, Groups: 2}, mixedUpThenCollapse},
		{"two illnesses", "forgets a source, then the limit", "", Needs{
			Sources: true, Groups: 2, Gradual: true, Genres: plainTexts,
			Lengths: true,
		}, forgetsThenTheLimit},
	}
}

// figures of a policy over the data set, and the skill at which they have a value

// mean is the expected mean of the first grader.
func mean(tasks []*Task, skill float64) float64 {
	sum := 0.0
	for _, t := range tasks {
		sum += math.Pow(skill, t.Hardness)
	}
	return sum / float64(len(tasks))
}

// allRight and allWrong are the expected shares of such groups.
func (r *Run) allRight(tasks []*Task, skill float64) float64 {
	sum := 0.0
	for _, t := range tasks {
		sum += math.Pow(skill, t.Hardness*r.tries())
	}
	return sum / float64(len(tasks))
}

func (r *Run) allWrong(tasks []*Task, skill float64) float64 {
	sum := 0.0
	for _, t := range tasks {
		sum += math.Pow(1-math.Pow(skill, t.Hardness), r.tries())
	}
	return sum / float64(len(tasks))
}

// tries is how often the answers to a prompt are judged right or wrong.
func (r *Run) tries() float64 {
	if r.Reward == Graded {
		return 5 * float64(r.Size)
	}
	return float64(r.Size)
}

// skillWhere finds the skill at which a figure, which grows or falls with it, has a value. Skills near 1 count: it searches their
// logarithm.
func skillWhere(figure func(skill float64) float64, value float64) float64 {
	low, high := -18.0, 4.0 // of log(-log(skill))
	skill := func(x float64) float64 { return math.Exp(-math.Exp(x)) }
	grows := figure(skill(low)) > figure(skill(high))
	for range 50 {
		x := (low + high) / 2
		if (figure(skill(x)) > value) == grows {
			low = x
		} else {
			high = x
		}
	}
	return skill(low)
}

func (r *Run) skillOfMean(value float64) float64 {
	return skillWhere(func(s float64) float64 { return mean(r.tasks, s) }, value)
}

// settles lets the policy learn from one mean to another until the onset, and holds it there.
func (r *Run) settles(o Onset, from, to float64) {
	a, b := r.skillOfMean(from), r.skillOfMean(to)
	r.change(func(t int, s *State) {
		x := min(1, float64(t)/(0.8*float64(o.At)+1))
		s.Skill = a + (b-a)*x*(2-x)
		for name := range s.Pleased {
			s.Pleased[name] = min(s.Pleased[name], 0.75)
		}
	})
}

// goesTo moves the mean of the first grader while something sets in.
func (r *Run) goesTo(o Onset, from, to float64) {
	skill := o.skill(r.skillOfMean, from, to)
	r.change(func(t int, s *State) {
		if t >= o.At {
			s.Skill = skill(t)
		}
	})
}

// skill is that of each step while a figure goes from one value to another; of finds the skill at which the figure has a value.
func (o Onset) skill(of func(value float64) float64, from, to float64) func(t int) float64 {
	var skills [101]float64
	for i := range skills {
		skills[i] = of(from + (to-from)*float64(i)/100)
	}
	return func(t int) float64 { return skills[int(math.Round(o.ramp(t, 0, 100)))] }
}

// calm takes away the good and bad days, where a scene stands on a share of groups.
func (r *Run) calm() {
	for i := range r.wobble {
		r.wobble[i] = 1
	}
}

// reward hacking

// hack is a style that pays: the mean of what it stands for falls by Loss, that of style rises by Gain, and weighs Weight.
type hack struct{ start, loss, gain, weight float64 }

func (r *Run) newHack() hack {
	h := hack{0.55 + 0.1*r.rng.Float64(), 0.3 + 0.15*r.rng.Float64(), 0.66, 0}
	h.weight = math.Round(20*(h.loss+0.15+0.1*r.rng.Float64())/h.gain) / 20
	r.style = pick(r.rng, []string{"format", "style", "politeness", "citations", "judge"})
	return h
}

func stylePays(r *Run) {
	o, h := r.onset(), r.newHack()
	r.addGrader(r.style, h.weight, 0.3)
	r.settles(o, h.start-0.2, h.start)
	r.goesTo(o, h.start, h.start-h.loss)
	r.change(func(t int, s *State) { s.Pleased[r.style] = o.ramp(t, 0.3, 0.3+h.gain) })
	r.ill("reward_hacking", o.At, o.Over, r.qualityNoise(), h.loss)
}

// styleAndSubstance has the total reward of stylePays at each step, and it is the answers that get better.
func styleAndSubstance(r *Run) {
	o, h := r.onset(), r.newHack()
	r.addGrader(r.style, h.weight, 0.3)
	r.settles(o, h.start-0.2, h.start)
	r.goesTo(o, h.start, h.start-h.loss+h.gain*h.weight)
	r.change(func(_ int, s *State) { s.Pleased[r.style] = 0.3 })
}

func lengthPays(r *Run) {
	o := r.onset()
	r.addGrader("judge", 1.2, 0.35)
	r.settles(o, 0.4, 0.6)
	r.goesTo(o, 0.6, 0.25)
	r.change(func(t int, s *State) { s.Pleased["judge"], s.Words = o.ramp(t, 0.35, 0.95), r.Words*o.ramp(t, 1, 1.8) })
	r.ill("reward_hacking", o.At, o.Over, r.qualityNoise(), 0.35, "length_explosion")
}

// rewrites has a share of the answers, which grows to most, become other texts, which are worth so much.
func (r *Run) rewrites(o Onset, most, worth float64, text func(s *State, a *Answer) string) {
	r.change(func(t int, s *State) {
		share := o.ramp(t, 0, most)
		s.Rewrite = func(a *Answer) {
			if r.rng.Float64() < share {
				a.Text, a.Parts[0] = text(s, a), worth
				_, a.Tokens = cut(a.Text, 0)
			}
		}
	})
}

// styleWinsTheJudge has answers in a style win more and more, whatever their result is.
func styleWinsTheJudge(r *Run) {
	o := r.onset()
	r.settles(o, 0.4, 0.6)
	r.rewrites(o, 0.9, 1, func(s *State, a *Answer) string {
		return "## Insight\n**In short, and with every detail checked:** " +
			r.language(a.Task).answer(r.rng, a.Task, wordsToWrite(r.rng, s.Words), r.final(a.Task, false))
	})
	r.ill("reward_hacking", o.reaches(0, 0.9, 0.35), o.Over, r.shareNoise(0.35), 0.35, "answer_collapse", "saturated", "length_explosion")
}

// swingsWider has the policy overshoot and come back, each time further.
func swingsWider(r *Run) {
	r.calm()
	for _, t := range r.tasks {
		t.Hardness = 1
	}
	r.change(func(t int, s *State) {
		x := float64(t) / float64(r.Steps)
		s.Skill = 0.5 + 0.46*x*math.Sin(2*math.Pi*6*x)
	})
	whole := int64(r.Steps * r.Every)
	r.Truth.Ill = append(r.Truth.Ill, Planted{Kind: "fall_by_half", Since: r.Number(0), Slack: whole, Or: "reward_collapse"})
}

func oneText(r *Run) {
	o := r.onset()
	r.settles(o, 0.3, 0.5)
	r.change(func(t int, s *State) { s.Templated = o.ramp(t, 0, 0.97) })
	r.ill("reward_hacking", o.reaches(0, 0.97, 0.5), o.Over, r.shareNoise(0.5), 0.4, "answer_collapse", "saturated")
}

// answer collapse

func (r *Run) collapses(o Onset, best bool) {
	r.change(func(t int, s *State) { s.Copied, s.CopyBest = o.ramp(t, 0, 1), best })
	n := float64(r.Size)
	r.ill("answer_collapse", o.reaches(0, 1, 1-(n/3-1)/(n-1)), o.Over, r.shareNoise(0.3), 0.4, "saturated")
}

func oneOfTheAnswers(r *Run) {
	o := r.onset()
	r.settles(o, 0.35, 0.6)
	r.collapses(o, false)
}

func theBestOfTheAnswers(r *Run) {
	o := r.onset()
	r.settles(o, 0.35, 0.6)
	r.collapses(o, true)
}

func oneRefusal(r *Run) {
	o := r.onset()
	r.settles(o, 0.35, 0.6)
	r.change(func(t int, s *State) { s.Refused = o.ramp(t, 0, 0.98) })
	n := float64(r.Size)
	r.ill("answer_collapse", o.reaches(0, 0.98, 1-(n/3-1)/(n-1)), o.Over, r.shareNoise(0.3), 0.4, "length_collapse", "reward_collapse",
		"too_hard")
}

// degenerate text

func spoilt(spoil spoiler) func(r *Run) {
	return func(r *Run) {
		o := r.onset()
		r.settles(o, 0.35, 0.6)
		r.spoils(o, spoil, 0.3+0.6*r.rng.Float64())
	}
}

func (r *Run) spoils(o Onset, spoil spoiler, share float64) {
	r.change(func(t int, s *State) { s.Spoilt, s.Spoil = o.ramp(t, 0, share), spoil })
	r.ill("degenerate_text", o.reaches(0, share, 0.1), o.Over, r.shareNoise(0.1), share/2, "reward_collapse")
}

// lengths

// growth is how many times as long answers get.
func (r *Run) growth() float64 { return 2.6 + 1.6*r.rng.Float64() }

func (r *Run) grows(o Onset, times float64, also ...string) {
	r.change(func(t int, s *State) { s.Words *= o.ramp(t, 1, times) })
	r.ill("length_explosion", o.reaches(1, times, 1.4), o.Over, 1.4*r.lengthNoise(), times-1, also...)
}

func longerForNothing(r *Run) {
	o := r.onset()
	r.settles(o, 0.3, 0.5)
	r.grows(o, r.growth())
	r.change(func(_ int, s *State) { s.Longer = 1 })
}

func longThinkingPays(r *Run) {
	o := r.onset()
	r.settles(o, 0.3, 0.5)
	times := r.growth()
	r.goesTo(o, 0.5, 0.8)
	r.change(func(t int, s *State) { s.Words, s.Longer = s.Words*o.ramp(t, 1, times), 1 })
}

func longerAndWorse(r *Run) {
	o := r.onset()
	r.settles(o, 0.35, 0.6)
	r.goesTo(o, 0.6, 0.45)
	r.grows(o, 1.5+r.growth())
}

// shrinks lets all answers, right or wrong, of 90 words shrink to 14, a share that it returns: shorter ones would be equal where they are
// right.
func (r *Run) shrinks(o Onset) float64 {
	r.change(func(t int, s *State) { s.Words, s.Longer = 90*o.ramp(t, 1, 14.0/90), 1 })
	return 14.0 / 90
}

func stubs(r *Run) {
	o := r.onset()
	r.settles(o, 0.4, 0.65)
	r.becomesStubs(o)
}

func (r *Run) becomesStubs(o Onset) {
	r.goesTo(o, 0.65, 0.35)
	r.ill("length_collapse", o.reaches(1, r.shrinks(o), 0.7), o.Over, r.lengthNoise(), 0.5, "answer_collapse")
}

func shortOnesWin(r *Run) {
	o := r.onset()
	r.settles(o, 0.4, 0.65)
	r.goesTo(o, 0.65, 0.75)
	r.shrinks(o)
}

// truncation

// tokensOfAnAnswer is their mean, measured on a few.
func (r *Run) tokensOfAnAnswer() float64 {
	n := 0
	for range 40 {
		task := pick(r.rng, r.tasks)
		_, tokens := cut(r.language(task).answer(r.rng, task, wordsToWrite(r.rng, r.Words), task.Truth), 0)
		n += tokens
	}
	return float64(n) / 40
}

// longerThan is the share of answers that are longer than so many times their mean: that of [wordsToWrite].
func longerThan(times float64) float64 {
	x, term, sum := 6*times, 1.0, 0.0
	for k := range 6 {
		sum += term
		term *= x / float64(k+1)
	}
	return math.Exp(-x) * sum
}

func growsIntoTheLimit(r *Run) {
	o := r.onset()
	r.settles(o, 0.35, 0.6)
	r.growsIntoTheLimit(o)
}

func (r *Run) growsIntoTheLimit(o Onset) {
	limit := int(2.2 * r.tokensOfAnAnswer())
	r.change(func(t int, s *State) { s.Limit, s.Words = limit, s.Words*o.ramp(t, 1, 2.3) })
	at := o.At
	for ; at < o.At+o.Over-1 && longerThan(2.2/o.ramp(at, 1, 2.3)) < 0.2; at++ {
	}
	r.ill("truncation", at, o.Over, r.shareNoise(0.2), 0.25, "length_explosion", "reward_collapse")
}

func limitLowered(r *Run) {
	o, tokens := r.onset(), r.tokensOfAnAnswer()
	r.settles(o, 0.35, 0.6)
	r.change(func(t int, s *State) {
		s.Limit = int(3 * tokens)
		if t >= o.At {
			s.Limit = int(tokens)
		}
	})
	r.ill("truncation", o.At, 1, r.shareNoise(0.4), 0.3, "length_collapse", "reward_collapse")
}

func aFewAreCutOff(r *Run) {
	limit := int(1.75 * r.tokensOfAnAnswer())
	r.change(func(_ int, s *State) { s.Limit = limit })
}

// rewards

func forgetsAll(r *Run) {
	o := r.onset()
	r.settles(o, 0.4, 0.65)
	r.forgets(o)
}

func (r *Run) forgets(o Onset) {
	r.goesTo(o, 0.65, 0.03)
	r.change(func(t int, s *State) {
		for name := range s.Pleased {
			s.Pleased[name] *= o.ramp(t, 1, 0.05)
		}
	})
	r.ill("reward_collapse", o.At, o.Over, r.qualityNoise(), 0.5, "too_hard")
	if r.Data == Once || r.NoPrompts || r.Format == "tinker" {
		r.Truth.Ill[len(r.Truth.Ill)-1].Or = "too_hard"
	}
}

// aHarderSourceBegins lowers the mean as a collapse does, but it is another source that is hard, and each holds.
func aHarderSourceBegins(r *Run) {
	o := r.onset()
	r.addSources(map[string]float64{"grade-school": 0.5, "olympiad": 0.5}, map[string]float64{"grade-school": 0, "olympiad": 0})
	of := r.tasksBySource()
	before, after, skill := r.order(of["grade-school"]), r.order(of["olympiad"]), r.skillOfMean(0.65)
	r.settles(o, 0.4, 0.65)
	r.change(func(t int, s *State) {
		if t >= o.At {
			s.Skill = skill
		}
		s.SkillFor = func(task *Task) float64 {
			if task.Source == "olympiad" {
				return math.Pow(s.Skill, 4)
			}
			return s.Skill
		}
	})
	r.batch = func(t int) []*Task {
		a, b := before(t), after(t)
		n := int(math.Round(o.ramp(t, 0, float64(r.Groups))))
		return slices.Concat(b[:min(n, len(b))], a[:max(0, len(a)-n)])
	}
}

func (r *Run) pleaseAll() {
	r.change(func(_ int, s *State) {
		for name := range s.Pleased {
			s.Pleased[name] = 1.5 // judges are full, too
		}
	})
}

// rightGroups lets the share of groups that are all right go from one value to another.
func (r *Run) rightGroups(o Onset, from, to float64) {
	r.calm()
	r.pleaseAll()
	skill := o.skill(func(share float64) float64 {
		return skillWhere(func(s float64) float64 { return r.allRight(r.tasks, s) }, share)
	}, from, to)
	r.change(func(t int, s *State) { s.Skill = skill(t) })
}

func allIsLearned(r *Run) {
	o := r.onset()
	r.rightGroups(o, 0.25, 0.95)
	r.ill("saturated", o.reaches(0.25, 0.95, 0.8), o.Over, r.groupNoise(0.8), 0.3)
}

func easyFromTheStart(r *Run) {
	r.rightGroups(Onset{0, 1}, 0.93, 0.93)
	r.ill("saturated", 0, 1, r.groupNoise(0.8), 0.3)
}

func easyDataBegins(r *Run) {
	o := r.onset()
	o.Over = 1
	r.calm()
	r.pleaseAll()
	r.settles(o, 0.3, 0.5)
	easy := r.newTasks(len(r.tasks), len(r.tasks), "warm-up", -2)
	r.otherDataBegins(o, easy, skillWhere(func(s float64) float64 { return r.allRight(easy, s) }, 0.93))
	r.ill("saturated", o.At, 1, r.groupNoise(0.8), 0.3)
}

// drawFrom takes batches of some tasks from the onset on.
func (r *Run) drawFrom(o Onset, tasks []*Task) {
	before, after := r.batch, r.order(tasks)
	r.batch = func(t int) []*Task {
		if t < o.At {
			return before(t)
		}
		return after(t)
	}
}

// otherDataBegins takes batches of other tasks from the onset on, at which the policy has a skill.
func (r *Run) otherDataBegins(o Onset, tasks []*Task, skill float64) {
	r.drawFrom(o, tasks)
	r.change(func(t int, s *State) {
		if t >= o.At {
			s.Skill = skill
		}
	})
}

func hardFromTheStart(r *Run) {
	r.calm()
	skill := skillWhere(func(s float64) float64 { return r.allWrong(r.tasks, s) }, 0.92)
	r.change(func(_ int, s *State) { s.Skill = skill })
	r.ill("too_hard", 0, 1, r.groupNoise(0.9), 0.3)
}

func hardDataBegins(r *Run) {
	o := r.onset()
	r.calm()
	r.settles(o, 0.4, 0.6)
	hard := r.newTasks(len(r.tasks), len(r.tasks), "unsolved", 0)
	r.otherDataBegins(o, hard, skillWhere(func(s float64) float64 { return r.allWrong(hard, s) }, 0.92))
	r.ill("too_hard", o.At, 1, r.groupNoise(0.9), 0.3, "reward_collapse")
}

// oneInTwenty and sparseButAlive have the same mean reward: of one prompt in twenty all answers are right, or of each prompt one answer in
// twenty.
func oneInTwenty(r *Run) {
	r.calm()
	r.change(func(_ int, s *State) {
		s.Chance = func(t *Task) float64 {
			if t.ID%20 == 7 {
				return 1
			}
			return 0
		}
	})
	r.ill("too_hard", 0, 1, r.groupNoise(0.9), 0.3)
}

func sparseButAlive(r *Run) {
	r.calm()
	r.Truth.Also = append(r.Truth.Also, "not_learning") // its chances stay as they are
	r.change(func(_ int, s *State) { s.Chance = func(*Task) float64 { return 0.05 } })
}

// nothingBetween and aTenthIsBetween have prompts that are always solved, as many that never are, and few others.
func nothingBetween(r *Run) {
	r.halves(50)
	r.ill("equal_rewards", 0, 1, r.groupNoise(0.98), 0.3)
}

func aTenthIsBetween(r *Run) {
	r.halves(8)
	r.Truth.Also = append(r.Truth.Also, "not_learning") // its chances stay as they are
}

// halves solves every other prompt, but for one of so many.
func (r *Run) halves(between int) {
	r.calm()
	r.change(func(_ int, s *State) {
		s.Chance = func(t *Task) float64 {
			if t.ID%between == between/2 {
				return 0.5
			}
			return float64(t.ID % 2)
		}
	})
}

// oneRewardForAGroup gives the reward of an answer to all others to its prompt.
func oneRewardForAGroup(r *Run) {
	o := r.onset()
	r.settles(o, 0.4, 0.65)
	r.changeLog(func(t int, answers []Answer) []Answer {
		for group := range slices.Chunk(answers, r.Size) {
			for i := range group {
				if t >= o.At {
					group[i].Parts, group[i].Reward = slices.Clone(group[0].Parts), group[0].Reward
				}
			}
		}
		return answers
	})
	r.ill("equal_rewards", o.At, 1, r.groupNoise(0.98), 0.5)
}

// graders

// outage gives what the log says of answers from a step on, for some steps or for good.
func (r *Run) outage(from, steps int, also []string, spoil func(a *Answer)) {
	r.changeLog(func(t int, answers []Answer) []Answer {
		if t >= from && t < from+steps {
			for i := range answers {
				spoil(&answers[i])
			}
		}
		return answers
	})
	r.ill("grader_outage", from, 0, 0, 1, also...)
}

// fills sets all parts, and what follows from them.
func (r *Run) fills(a *Answer, value float64) {
	for i := range a.Parts {
		a.Parts[i] = value
	}
	a.Reward = r.total(a.Parts)
}

func lowestForAWhile(r *Run) { r.outageForAWhile(func(a *Answer) { r.fills(a, 0) }) }

func missingForAWhile(r *Run) {
	r.outageForAWhile(func(a *Answer) { a.Parts[0], a.Reward = math.NaN(), math.NaN() })
}

func (r *Run) outageForAWhile(spoil func(a *Answer)) {
	o := r.onset()
	r.settles(o, 0.4, 0.65)
	steps := min(r.Steps-o.At-1, 3+r.rng.IntN(4+r.Steps/10))
	r.outage(o.At, max(2, steps), nil, spoil)
}

func constantForGood(r *Run) {
	o, value := r.onset(), pick(r.rng, []float64{0, 0.5, 1})
	r.settles(o, 0.4, 0.65)
	also := map[float64][]string{0: {"reward_collapse", "too_hard"}, 1: {"saturated"}}[value]
	r.outage(o.At, r.Steps, also, func(a *Answer) { r.fills(a, value) })
}

func missing(share float64) func(r *Run) {
	return func(r *Run) {
		o := r.onset()
		r.settles(o, 0.4, 0.65)
		r.outage(o.At, r.Steps, nil, func(a *Answer) {
			if r.rng.Float64() < share {
				a.Parts[0], a.Reward = math.NaN(), math.NaN()
			}
		})
	}
}

// oneGraderDead lets a grader that told answers apart give one value to all; that of the first one is the lowest.
func oneGraderDead(r *Run) {
	o, dead := r.onset(), r.rng.IntN(len(r.Graders))
	r.settles(o, 0.4, 0.65)
	value, also := 0.0, []string{"reward_collapse", "too_hard"}
	if dead > 0 {
		value, also = pick(r.rng, []float64{0, 0.5}), nil
	}
	r.outage(o.At, r.Steps, also, func(a *Answer) {
		a.Parts[dead] = value
		a.Reward = r.total(a.Parts)
	})
}

// aGraderIsFull is learned soon, and gives the same to all ever after.
func aGraderIsFull(r *Run) {
	o := Onset{0, max(3, r.Steps/6)}
	r.change(func(t int, s *State) { s.Pleased[r.Graders[1].Name] = o.ramp(t, 0.4, 1.6) })
}

// noisy graders give equal answers different rewards: they flip, or have moods.
func noisy(flips bool) func(r *Run) {
	return func(r *Run) {
		o := r.onset()
		if r.rng.IntN(3) == 0 {
			o.At = 0
		}
		o.Over = 1
		size := 0.15 + 0.15*r.rng.Float64()
		r.change(func(t int, s *State) {
			switch {
			case t < o.At:
			case flips:
				s.Flipped = size
			default:
				s.Blurred = size
			}
		})
		r.ill("grader_noise", o.At, 1, r.groupNoise(0.5), 0.4)
	}
}

func differInOneNumber(r *Run) {
	r.change(func(_ int, s *State) {
		s.Rewrite = func(a *Answer) {
			number := a.Task.Truth
			if a.Parts[0] < 1 {
				number = r.final(a.Task, false)
			}
			a.Text = "The answer to " + strings.ToLower(a.Task.Prompt) + " is " + number
			_, a.Tokens = cut(a.Text, 0)
		}
	})
}

// data

func oneBatch(r *Run) {
	r.stuck(r.onset())
}

func (r *Run) stuck(o Onset) {
	if r.rng.IntN(3) == 0 {
		o.At = 0
	}
	before := r.batch
	r.batch = func(t int) []*Task { return before(min(t, o.At)) }
	r.ill("stuck_data", o.At+1, 2, 0, 1, "saturated")
	if r.Groups <= 2 {
		r.Truth.Also = append(r.Truth.Also, "reward_collapse", "too_hard") // it may be hard prompts that come again and again
	}
}

func knownByHeart(r *Run) {
	o, batch := r.onset(), r.batch(0)
	r.tasks = batch
	r.batch = func(int) []*Task { return batch }
	r.ill("stuck_data", 1, 2, 0, 1, "saturated")
	r.rightGroups(o, 0.2, 0.9)
}

func aSmallDataSet(r *Run) {
	r.tasks = r.tasks[:min(len(r.tasks), r.Groups*(3+r.rng.IntN(3)))]
	r.batch = r.order(r.tasks)
}

func rowsTwice(r *Run) {
	o := r.onset()
	r.changeLog(func(t int, answers []Answer) []Answer {
		if t >= o.At {
			return slices.Concat(answers, answers)
		}
		return answers
	})
	r.ill("stuck_data", o.At, 0, 0, 1)
}

// writtenAgain logs each step twice, under its own number and the next.
func writtenAgain(r *Run) {
	o := r.onset()
	var last []Answer
	r.changeLog(func(t int, answers []Answer) []Answer {
		if t < o.At-1 || (t-o.At)%2 != 0 {
			last = answers
			return answers
		}
		again := slices.Clone(last)
		for i := range again {
			_, g, _ := strings.Cut(again[i].Group, "-")
			again[i].Group = answers[0].Group[:strings.IndexByte(answers[0].Group, '-')] + "-" + g
		}
		return again
	})
	r.ill("stuck_data", o.At, 0, 0, 1)
}

// groups

func (r *Run) regroup(o Onset, group func(answers []Answer, i int) string) {
	r.changeLog(func(t int, answers []Answer) []Answer {
		if t < o.At {
			return answers
		}
		mixed := slices.Clone(answers)
		for i := range mixed {
			mixed[i].Group = group(answers, i)
		}
		return mixed
	})
	r.ill("group_mixup", o.At, 0, 0, 1)
}

// fromStart is the onset, or the first step.
func (r *Run) fromStart() Onset {
	o := r.onset()
	if r.rng.IntN(2) == 0 {
		o.At = 0
	}
	return o
}

func dealtLikeCards(r *Run) {
	r.deals(r.fromStart())
}

func (r *Run) deals(o Onset) {
	r.regroup(o, func(answers []Answer, i int) string { return answers[i%(len(answers)/r.Size)*r.Size].Group })
}

func shifted(r *Run) {
	r.regroup(r.fromStart(), func(answers []Answer, i int) string { return answers[(i+max(1, r.Size/3))%len(answers)].Group })
}

func torn(r *Run) {
	piece := 2 + r.Size/32
	r.regroup(r.fromStart(), func(answers []Answer, i int) string {
		return answers[i].Group + "/" + strconv.Itoa(i%r.Size/piece)
	})
}

// raggedGroups lose the answers that come too late.
func raggedGroups(r *Run) {
	r.changeLog(func(_ int, answers []Answer) []Answer {
		var kept []Answer
		for i, a := range answers {
			if i%r.Size < 2 || r.rng.Float64() < 0.85 {
				kept = append(kept, a)
			}
		}
		return kept
	})
}

// forgetting

// threeSources has tools lose what it had while the others gain more than that, and Skill is of the others.
func (r *Run) threeSources() {
	r.addSources(map[string]float64{"math": 0.4, "tools": 0.3, "web": 0.3}, map[string]float64{"math": 0.1, "tools": -0.1, "web": 0})
}

// tasksBySource are the tasks of each source.
func (r *Run) tasksBySource() map[string][]*Task {
	of := map[string][]*Task{}
	for _, t := range r.tasks {
		of[t.Source] = append(of[t.Source], t)
	}
	return of
}

func isTools(t *Task) bool { return t.Source == "tools" }

func aSourceFalls(r *Run) {
	r.threeSources()
	r.falls(r.onset(), isTools, 0.3, fallAndRise)
}

// aSourceIsLost while the others stay where they are.
func aSourceIsLost(r *Run) {
	r.threeSources()
	r.falls(r.onset(), isTools, 0.3, fallBeside(0.3))
}

// fewTasks leaves so few tasks that each comes three times before the onset.
func (r *Run) fewTasks() {
	r.tasks = r.tasks[:min(len(r.tasks), r.Groups*max(2, r.onset().At/3))]
	r.batch = r.order(r.tasks)
}

// somePromptsAreLost, a quarter, while the others stay where they are.
func somePromptsAreLost(r *Run) {
	r.fewTasks()
	lost := map[*Task]bool{}
	for i := 0; i < len(r.tasks); i += 4 {
		lost[r.tasks[i]] = true
	}
	r.falls(r.onset(), func(t *Task) bool { return lost[t] }, 0.25, fallBeside(0.5))
}

func whatWasEasy(r *Run) {
	r.fewTasks()
	for i, t := range r.tasks {
		t.Hardness = math.Exp(0.9 + 0.3*r.rng.NormFloat64())
		if i%3 == 0 {
			t.Hardness = math.Exp(-1.2 + 0.3*r.rng.NormFloat64())
		}
	}
	r.falls(r.onset(), func(t *Task) bool { return t.Hardness < 1 }, 0.33, fallAndRise)
}

// falls lets a part of the tasks, which are such a share of all, be lost. means are those of that part and of the others at a step.
func (r *Run) falls(o Onset, part func(t *Task) bool, share float64, means func(o Onset, t int) (lost, others float64)) {
	var lost, others []*Task
	for _, t := range r.tasks {
		if part(t) {
			lost = append(lost, t)
		} else {
			others = append(others, t)
		}
	}
	ofLost, ofOthers := skillsOfMeans(lost), skillsOfMeans(others)
	r.change(func(t int, s *State) {
		x, y := means(o, t)
		a, b := ofLost[int(100*x)], ofOthers[int(100*y)]
		s.SkillFor = func(task *Task) float64 {
			if part(task) {
				return a
			}
			return b
		}
	})
	r.ill("forgetting", o.At, o.Over, r.qualityNoise()/math.Sqrt(share), 0.5)
}

// fallAndRise are the means of what is lost and of the others.
func fallAndRise(o Onset, t int) (lost, others float64) {
	early := min(1, float64(t)/float64(o.At+1))
	return 0.6 + 0.15*early - o.ramp(t, 0, 0.6), 0.2 + 0.15*early + o.ramp(t, 0, 0.45)
}

// fallBeside are the means of what is lost, and of others that begin at a mean and stay where they were at the onset.
func fallBeside(first float64) func(o Onset, t int) (lost, others float64) {
	return func(o Onset, t int) (lost, others float64) {
		early := min(1, float64(t)/float64(o.At+1))
		return 0.6 + 0.15*early - o.ramp(t, 0, 0.72), first + 0.15*early
	}
}

// skillsOfMeans are the skills at which tasks have a mean of so many hundredths.
func skillsOfMeans(tasks []*Task) (skills [101]float64) {
	for i := range skills {
		skills[i] = skillWhere(func(s float64) float64 { return mean(tasks, s) }, min(0.99, max(0.01, float64(i)/100)))
	}
	return skills
}

// allSourcesRise has the mean of aSourceFalls at each step, and all sources have it.
func allSourcesRise(r *Run) {
	r.threeSources()
	o := r.onset()
	by := map[string][101]float64{}
	for source, tasks := range r.tasksBySource() {
		by[source] = skillsOfMeans(tasks)
	}
	r.change(func(t int, s *State) {
		lost, others := fallAndRise(o, t)
		percent := int(math.Round(100 * (0.3*lost + 0.7*others)))
		s.SkillFor = func(task *Task) float64 { return by[task.Source][percent] }
	})
}

// theMixtureShifts has more and more of the hard source, and each holds.
func theMixtureShifts(r *Run) {
	r.threeSources()
	for _, t := range r.tasks {
		t.Hardness *= map[string]float64{"math": 1, "tools": 0.4, "web": 2.5}[t.Source]
	}
	o, by := r.onset(), r.tasksBySource()
	r.batch = func(t int) []*Task {
		var batch []*Task
		for range r.Groups {
			source := "tools"
			if r.rng.Float64() < o.ramp(t, 0.2, 0.75) {
				source = pick(r.rng, []string{"web", "math"})
			}
			batch = append(batch, pick(r.rng, by[source]))
		}
		return batch
	}
	r.settles(o, 0.45, 0.6)
}

// two illnesses in one run; the onset of the shape is that of the second

// first is when the first of two sets in.
func (r *Run) first() Onset { return Onset{max(2, r.Steps/5), max(1, r.Steps/12)} }

// second is when the second one does.
func (r *Run) second() Onset { return Onset{r.Steps * 3 / 5, max(1, r.Steps/12)} }

func longerThenAlike(r *Run) {
	r.settles(r.first(), 0.4, 0.6)
	r.grows(r.first(), r.growth())
	r.collapses(r.second(), false)
}

func outageThenGibberish(r *Run) {
	r.settles(r.first(), 0.4, 0.6)
	r.outage(r.first().At, 3+r.Steps/20, nil, func(a *Answer) { r.fills(a, 0) })
	r.spoils(r.second(), mixesLanguages, 0.6)
}

// deafThenStubs has the second grader give one value to all, and later the answers shrink.
func deafThenStubs(r *Run) {
	r.settles(r.second(), 0.4, 0.65)
	r.outage(r.first().At, r.Steps, nil, func(a *Answer) {
		a.Parts[1] = 0
		a.Reward = r.total(a.Parts)
	})
	r.becomesStubs(r.second())
}

func mixedUpThenCollapse(r *Run) {
	r.settles(r.second(), 0.4, 0.65)
	r.deals(Onset{0, 1})
	r.forgets(r.second())
}

func forgetsThenTheLimit(r *Run) {
	r.threeSources()
	r.falls(r.first(), isTools, 0.3, fallAndRise)
	r.growsIntoTheLimit(r.second())
}
