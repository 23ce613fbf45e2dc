package diagnosis

import (
	"fmt"
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

// unearned finds answers that win more and more without the ground truth in them, as where a way of writing wins a judge. What lacks it
// from the first step on is given in another form than the log has it.
func (e *evidence) unearned() (Finding, bool) {
	if !e.hasTexts() || e.tooFew() != "" {
		return Finding{}, false
	}
	grade := e.gradeOf()
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
