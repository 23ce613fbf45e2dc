package diagnosis

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/units"
)

// Limits of a grader that is won over: it calls answers right in which the ground truth is not to be found.
const (
	unearnedBefore = 0.3 // of the answers that win lack it at most at first: graders take other forms of it
	unearnedAfter  = 0.7 // of them lack it at least from a step on
	heldBefore     = 0.2 // of all answers hold it at first, if fewer of them are to mean anything
	heldAfter      = 0.5 // of that share is left at most
)

// holds returns whether a word or phrase stands in a text, in whatever case.
func holds(text string) func(phrase string) bool {
	text = strings.ToLower(text)
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return func(phrase string) bool {
		for from := 0; ; {
			i := strings.Index(text[from:], phrase)
			if i < 0 || phrase == "" {
				return false
			}
			at := from + i
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			after, _ := utf8.DecodeRuneInString(text[at+len(phrase):])
			if !isWord(before) && !isWord(after) {
				return true
			}
			from = at + len(phrase)
		}
	}
}

// winsWithout is the share of the answers that win which lack their ground truth, and to how many prompts they are.
func (e *evidence) winsWithout(grade func(*answer) grade) (lacking series, prompts int) {
	of, all := map[uint32]bool{}, e.texts.all()
	lacking = make(series, len(e.Steps))
	for i := range all {
		if a := &all[i]; len(a.truths) > 0 && grade(a) == gradedRight {
			lacking[a.step].add(float64(model.Count01(a.lacks)))
			if a.lacks {
				of[a.prompt] = true
			}
		}
	}
	return lacking, len(of)
}

// gradeOrAbove is gradeOf; where that gives no grade, since rewards are of degrees, an answer wins with more than its group has.
func (e *evidence) gradeOrAbove() func(*answer) grade {
	byVerdict := e.gradeOf()
	return func(a *answer) grade {
		if g := byVerdict(a); g != noGrade || !e.continuous {
			return g
		}
		if a.reward > float64(e.Steps[a.step].Groups[a.group].Mean) {
			return gradedRight
		}
		return gradedWrong
	}
}

// rightAnswersFall finds a reward that gains while fewer and fewer answers hold their ground truth, though those that do are still graded
// above others of their group: something else pays more.
func (e *evidence) rightAnswersFall() (Finding, bool) {
	all := e.texts.all()
	holding, held := make(series, len(e.Steps)), make([]bool, len(all))
	for i := range all {
		if a := &all[i]; len(a.truths) > 0 {
			held[i] = !a.lacks
			holding[a.step].add(float64(model.Count01(held[i])))
		}
	}
	k, found := holding.shiftOf(-1)
	isClear := found && k.level.mean() >= heldBefore && k.settled.mean() <= heldAfter*k.level.mean() && k.before.N >= leastUnlike
	if !isClear {
		return Finding{}, false
	}
	rewards, n := e.rewards(), len(e.Steps)
	gain := rewards.compare(k.a, k.b, n-rewards.span(), n)
	reward := func(a *answer) float64 { return a.reward }
	first := sort.Search(len(all), func(i int) bool { return all[i].step >= k.b })
	still := e.effectOf(all[first:], held[first:], reward, nil)
	pays := still.n >= phraseGroups && still.change >= phraseLoss*(e.High-e.Low) && still.z > phraseSure
	if !pays || !(gain.change() > 0) || chance(gain.z, n) > rare {
		return Finding{}, false
	}
	f := e.finding(holding, "answers that hold the truth", k.b, n, true, "answers")
	f.Title = fmt.Sprintf("%s of the answers hold the ground truth, and %s did, while the reward rises: something else pays more",
		units.Share(k.settled.mean()), units.Share(k.level.mean()))
	f.Evidence = append(f.Evidence, e.around(rewards, "reward", k.b, n, false, "samples"))
	f.Example = e.textExample(k.b, func(a *answer) bool { return a.lacks })
	f.Advice = "see which parts the reward has: a penalty or a bonus that is worth more than a right answer wins against it; weigh it less, " +
		"or pay it for right answers alone, and go back to a checkpoint before the onset"
	return f, true
}

// unearned finds answers that win more and more without the ground truth in them, as where a way of writing wins a judge. What lacks it
// from the first step on is given in another form than the log has it.
func (e *evidence) unearned() (Finding, bool) {
	if !e.hasTexts() || e.tooFew() != "" {
		return Finding{}, false
	}
	if f, found := e.rightAnswersFall(); found {
		return f, true
	}
	grade := e.gradeOrAbove()
	lacking, prompts := e.winsWithout(grade)
	k, found := lacking.shiftOf(1)
	isClear := found && k.level.mean() <= unearnedBefore && k.settled.mean() >= unearnedAfter
	if !isClear || k.before.N < leastUnlike || k.settled.Sum < leastUnlike || prompts < leastPrompts {
		return Finding{}, false
	}
	rewards, n := e.rewards(), len(e.Steps)
	if gain := rewards.compare(k.a, k.b, n-rewards.span(), n); gain.change() < 0 && gain.z < -2 {
		return Finding{}, false
	}
	if dead, _ := outage(e); len(dead) > 0 {
		return Finding{}, false // all win, whatever they say
	}
	f := e.finding(lacking, "answers that win without the truth", k.b, n, true, "answers")
	f.Title = fmt.Sprintf("%s of the answers that win do not have the ground truth in them, and %s did not",
		units.Share(k.settled.mean()), units.Share(k.level.mean()))
	f.Evidence = append(f.Evidence, e.around(rewards, "reward", k.b, n, false, "samples"))
	f.Example = e.textExample(k.b, func(a *answer) bool { return a.lacks && grade(a) == gradedRight })
	f.Advice = "hold some of these answers against their ground truth: a way of writing wins the judge, or the comparison lets others " +
		"through; mend it, and go back to a checkpoint before the onset"
	return f, true
}
