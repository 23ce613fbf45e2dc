package illruns

import (
	"cmp"
	"math"
	"slices"
)

// Healthy are the scenes of runs that nothing ails, though they look like it.
func Healthy() []Scene {
	h := func(name string, needs Needs, plant func(r *Run)) Scene { return Scene{"", name, "", needs, plant} }
	return []Scene{
		h("ordinary", Needs{}, func(*Run) {}),
		h("style and substance", Needs{Rewards: []Reward{Binary, Graded}, Genres: plainTexts}, styleAndSubstance),
		h("keeps its variety", Needs{Texts: true, Genres: plainTexts}, keepsItsVariety),
		h("a grader is full early", Needs{Rewards: []Reward{Parts}, Genres: plainTexts}, aGraderIsFull),
		h("a grader that is not used", Needs{Rewards: []Reward{Parts}, Genres: plainTexts}, aGraderThatIsNotUsed),
		h("one opening in all answers", Needs{Texts: true, Genres: plainTexts}, oneOpening),
		h("short answers", Needs{Texts: true, Genres: []Genre{Choice}}, func(*Run) {}),
		h("solved in other words", Needs{Rewards: solvable, Texts: true, Genres: plainTexts}, solvedInOtherWords),
		h("a little less variety", Needs{Texts: true, Genres: plainTexts}, lessVariety),
		h("long thinking pays", Needs{Genres: plainTexts}, longThinkingPays),
		h("somewhat longer", Needs{Genres: plainTexts}, somewhatLonger),
		h("as long as before", Needs{Genres: plainTexts}, asLongAsBefore),
		h("short ones win", Needs{Genres: ownTexts}, shortOnesWin),
		h("a few are cut off", Needs{Genres: plainTexts}, aFewAreCutOff),
		h("tables and lists", Needs{Texts: true, Genres: []Genre{Chat, Math}}, tablesAndLists),
		h("wait, wait", Needs{Texts: true, Genres: []Genre{Thinking}}, secondThoughts),
		h("two languages", Needs{Texts: true, Prompts: true, Genres: []Genre{Math, Chat}}, twoLanguages),
		h("one bad step", Needs{}, oneBadStep),
		h("a harder source begins", Needs{Sources: true}, aHarderSourceBegins),
		h("wanders", Needs{}, wanders),
		h("learns nothing", Needs{}, learnsNothing),
		h("half is solved", Needs{Rewards: solvable}, halfIsSolved),
		h("sparse but alive", Needs{Rewards: []Reward{Binary, Signed}, Size: 8}, sparseButAlive),
		h("sparse and rising", Needs{Rewards: solvable, Groups: 2}, sparseAndRising),
		h("a grader times out now and then", Needs{
			Formats: []string{"verl", "jsonl", "nemo-rl", "openrlhf"}, Rewards: []Reward{Binary, Graded, Model},
		}, timesOut),
		h("partial credit", Needs{Rewards: []Reward{Graded}}, func(*Run) {}),
		h("a price on length", Needs{Rewards: []Reward{Binary, Signed, Graded}}, priceOnLength),
		h("differ in one number", Needs{
			Rewards: []Reward{Binary, Signed, Parts}, Texts: true, Prompts: true, Genres: plainTexts,
		}, differInOneNumber),
		h("a small data set", Needs{Data: Epochs}, aSmallDataSet),
		h("the same order each epoch", Needs{Data: Epochs}, sameOrder),
		h("sorted in each epoch", Needs{Genres: plainTexts, Data: Epochs, Steps: 300}, sortedInEachEpoch),
		h("tools fail less and less", Needs{Texts: true, Genres: plainTexts, Steps: 100}, toolsFailLess),
		h("what was easy is drawn no more", Needs{Data: Epochs, Prompts: true, Groups: 2}, easyIsDrawnNoMore),
		h("prompts never come again", Needs{Data: Once}, func(*Run) {}),
		h("a curriculum", Needs{Data: Once}, curriculum),
		h("ragged groups", Needs{Size: 8, Formats: named}, raggedGroups),
		h("dynamic sampling", Needs{Rewards: solvable, Groups: 4, Formats: append([]string{"verl"}, named...)}, dynamicSampling),
		h("one prompt in two groups", Needs{Formats: named, Groups: 2}, twoGroups),
		h("all sources rise", Needs{Sources: true, Groups: 2}, allSourcesRise),
		h("the mixture shifts", Needs{Sources: true}, theMixtureShifts),
		h("the last step is small", Needs{Groups: 4, Data: Epochs}, lastIsSmall),
		h("a tenth is between", Needs{Rewards: []Reward{Binary, Signed}, Size: 8}, aTenthIsBetween),
	}
}

func keepsItsVariety(r *Run) { r.settles(r.onset(), 0.35, 0.6) }

func aGraderThatIsNotUsed(r *Run) {
	r.addGrader("language", pick(r.rng, []float64{0, 0.1}), pick(r.rng, []float64{0, 1}))
}

func oneOpening(r *Run) {
	r.change(func(_ int, s *State) {
		s.Opening = "Let me think about this carefully before I answer. I will go through what is given, one thing after the other, and " +
			"check each. "
	})
}

func solvedInOtherWords(r *Run) {
	r.rightGroups(Onset{r.Steps / 10, r.Steps * 7 / 10}, 0.1, 0.6)
}

// lessVariety has a quarter of the answers equal in the end, as the entropy of a policy that learns falls.
func lessVariety(r *Run) {
	r.change(func(t int, s *State) { s.Copied = 0.3 * float64(t) / float64(r.Steps) })
}

func somewhatLonger(r *Run) {
	o := r.onset()
	r.settles(o, 0.4, 0.6)
	r.change(func(t int, s *State) { s.Words *= o.ramp(t, 1, 1.35) })
}

func tablesAndLists(r *Run) {
	r.change(func(_ int, s *State) {
		s.Rewrite = func(a *Answer) {
			text := "Here is an overview:\n\n| name | count | price |\n|------|-------|-------|\n"
			for range 3 + r.rng.IntN(12) {
				text += a.Task.fill(r.rng, "| {n} | {k} | {k} |\n")
			}
			for range r.rng.IntN(9) {
				text += a.Task.fill(r.rng, "- **{m}**: {k} of {x}\n")
			}
			a.Text = text + a.Text
			_, a.Tokens = cut(a.Text, 0)
		}
	})
}

// secondThoughts are long thoughts with a few phrases that come again and again.
func secondThoughts(r *Run) {
	r.change(func(_ int, s *State) {
		s.Words *= 2
		s.Rewrite = func(a *Answer) {
			text := "<think>\n"
			for range 4 + r.rng.IntN(8) {
				text += a.Task.fill(r.rng, pick(r.rng, r.language(a.Task).sentences)) +
					pick(r.rng, []string{
						" Wait, let me check that again. ", " Hmm. ", " Wait, ", " So far so good. ",
						" Let me re-read the question. ",
					})
			}
			a.Text = text + a.Text[len("<think>"):]
			_, a.Tokens = cut(a.Text, 0)
		}
	})
}

func twoLanguages(r *Run) {
	l := r.languages[Chinese]
	for i, t := range r.tasks {
		if i%3 == 0 {
			*t = *l.newTask(r.rng, t.ID, Chinese, t.Source, t.Hardness)
		}
	}
}

// asLongAsBefore: answers are short for a while, and then what they were.
func asLongAsBefore(r *Run) {
	r.change(func(t int, s *State) {
		if 10*t >= 4*r.Steps && 10*t < 7*r.Steps {
			s.Words *= 0.35
		}
	})
}

func oneBadStep(r *Run) {
	r.wobble[r.onset().At] = 12
}

// wanders: a large learning rate, and good and bad weeks.
func wanders(r *Run) {
	x := 0.0
	for i := range r.wobble {
		x = 0.9*x + 0.1*r.rng.NormFloat64()
		r.wobble[i] = math.Exp(x)
	}
}

func learnsNothing(r *Run) {
	skill := r.skillOfMean(0.3 + 0.3*r.rng.Float64())
	r.change(func(_ int, s *State) { s.Skill = skill })
}

func halfIsSolved(r *Run) {
	for i, t := range r.tasks {
		t.Hardness *= 2
		if i%2 == 0 {
			t.Hardness = 1e-6
		}
	}
}

func sparseAndRising(r *Run) {
	from := skillWhere(func(s float64) float64 { return r.allWrong(r.tasks, s) }, 0.7)
	to := skillWhere(func(s float64) float64 { return r.allWrong(r.tasks, s) }, 0.4)
	r.change(func(t int, s *State) { s.Skill = from + (to-from)*float64(t)/float64(r.Steps) })
}

func timesOut(r *Run) {
	r.changeLog(func(_ int, answers []Answer) []Answer {
		for i := range answers {
			if r.rng.IntN(150) == 0 {
				answers[i].Reward, answers[i].Parts[0] = math.NaN(), math.NaN()
			}
		}
		return answers
	})
}

func priceOnLength(r *Run) {
	r.changeLog(func(_ int, answers []Answer) []Answer {
		for i := range answers {
			answers[i].Reward = math.Round(1e6*(answers[i].Reward-0.001*float64(answers[i].Tokens))) / 1e6
		}
		return answers
	})
}

func sameOrder(r *Run) {
	before := r.batch
	epoch := max(1, min(r.Steps, len(r.tasks)/r.Groups))
	r.batch = func(t int) []*Task { return before(t % epoch) }
}

// sortedInEachEpoch goes from easy to hard in each epoch.
func sortedInEachEpoch(r *Run) {
	slices.SortFunc(r.tasks, func(a, b *Task) int { return cmp.Compare(a.Hardness, b.Hardness) })
	epoch := max(1, len(r.tasks)/r.Groups)
	r.batch = func(t int) []*Task { return r.tasks[t%epoch*r.Groups : (t%epoch+1)*r.Groups] }
}

func toolsFailLess(r *Run) {
	o := Onset{0, r.Steps}
	r.settles(o, 0.35, 0.6)
	r.asksTools(func(int) float64 { return 0.9 }, func(t int) float64 { return o.ramp(t, 0.3, 0.05) })
}

// easyIsDrawnNoMore leaves the harder half of the prompts from the onset on: the reward falls, and that of no prompt does.
func easyIsDrawnNoMore(r *Run) {
	r.fewTasks()
	hard := slices.SortedFunc(slices.Values(r.tasks), func(a, b *Task) int { return cmp.Compare(b.Hardness, a.Hardness) })
	r.drawFrom(r.onset(), hard[:max(r.Groups, len(hard)/2)])
}

// curriculum goes from easy to hard as the policy learns.
func curriculum(r *Run) {
	slices.SortFunc(r.tasks, func(a, b *Task) int { return int(math.Copysign(1, a.Hardness-b.Hardness)) })
	r.batch = func(t int) []*Task { return r.tasks[t*r.Groups : (t+1)*r.Groups] }
	from, to := r.skillOfMean(0.35), r.skillOfMean(0.8)
	r.change(func(t int, s *State) { s.Skill = from + (to-from)*float64(t)/float64(r.Steps) })
}

// dynamicSampling logs only groups that have a signal.
func dynamicSampling(r *Run) {
	r.changeLog(func(_ int, answers []Answer) []Answer {
		var kept []Answer
		for group := range slices.Chunk(answers, r.Size) {
			if slices.ContainsFunc(group, func(a Answer) bool { return a.Reward != group[0].Reward }) {
				kept = append(kept, group...)
			}
		}
		if kept == nil {
			return answers
		}
		return kept
	})
}

// twoGroups has a prompt drawn twice for a batch now and then.
func twoGroups(r *Run) {
	before := r.batch
	r.batch = func(t int) []*Task {
		batch := slices.Clone(before(t))
		if t%3 == 0 {
			batch[len(batch)-1] = batch[0]
		}
		return batch
	}
}

func lastIsSmall(r *Run) {
	before := r.batch
	r.batch = func(t int) []*Task {
		if t == r.Steps-1 {
			return before(t)[:max(1, r.Groups/4)]
		}
		return before(t)
	}
}
