package diagnosis

import (
	"fmt"

	"vantage/model"
	"vantage/model/units"
)

// Limits of a grader that is turned over from a step on: a sign that is lost, or arguments in another order.
const (
	turnedBefore = 0.2 // of the answers at most are graded unlike what they should be before
	turnedAfter  = 0.8 // of them at least after
	turnedEach   = 0.1 // of them at least win that should lose, and as many lose that should win: an outage has one of these
)

// turnedOver finds a grader that from some step on lets those answers lose that won before, and those win that lost.
func (e *evidence) turnedOver(grade func(*answer) grade) (Finding, bool) {
	r := e.rightAnswers(grade)
	unlike, lost, won := make(series, len(e.Steps)), make(series, len(e.Steps)), make(series, len(e.Steps))
	prompts, all := map[uint32]bool{}, e.texts.all()
	for i := range all {
		a, g := &all[i], grade(&all[i])
		is, known := r.isRight(a)
		if !known || g == noGrade {
			continue
		}
		lost[a.step].add(float64(model.Count01(is && g == gradedWrong)))
		won[a.step].add(float64(model.Count01(!is && g == gradedRight)))
		unlike[a.step].add(float64(model.Count01(is != (g == gradedRight))))
		prompts[a.prompt] = true
	}
	from := unlike.turn(0, (turnedBefore+turnedAfter)/2, 1)
	before, after := unlike.pooled(0, from), unlike.pooled(from, len(unlike))
	isFew := before.N < leastUnlike || after.N < 2*leastUnlike || unlike[from:].steps() < leastSteps || len(prompts) < 3
	if isFew || before.mean() > turnedBefore || after.mean() < turnedAfter {
		return Finding{}, false
	}
	losing, winning := lost.pooled(from, len(lost)).mean(), won.pooled(from, len(won)).mean()
	if min(losing, winning) < turnedEach {
		return Finding{}, false
	}
	f := e.finding(unlike, "answers graded unlike before", from, len(unlike), true, "answers")
	f.Title = fmt.Sprintf("right answers lose and wrong ones win: %s of final answers are graded the other way round than before",
		units.Share(after.mean()))
	f.Example = e.textExample(from, func(a *answer) bool {
		is, known := r.isRight(a)
		return known && is && grade(a) == gradedWrong
	})
	f.Advice = "look at what changed in the grader at this step: a sign, the order of its arguments, or the truth that it compares with; " +
		"then go back to the checkpoint before it"
	return f, true
}

// rightAnswers are the answers that won at the first step at which any to their prompt did, where they were one.
type rightAnswers struct {
	of    map[uint32]string // by prompt; "" if several won
	since map[uint32]int    // step
}

func (e *evidence) rightAnswers(grade func(*answer) grade) *rightAnswers {
	r := &rightAnswers{map[uint32]string{}, map[uint32]int{}}
	all := e.texts.all()
	for i := range all {
		a := &all[i]
		if a.final.Answer == "" || a.prompt == 0 || grade(a) != gradedRight {
			continue
		}
		if since, seen := r.since[a.prompt]; !seen {
			r.of[a.prompt], r.since[a.prompt] = a.final.Answer, a.step
		} else if since == a.step && r.of[a.prompt] != a.final.Answer {
			r.of[a.prompt] = ""
		}
	}
	return r
}

// isRight reports whether an answer is right by its ground truth, or else by what won at an earlier step; known is false if neither tells.
func (r *rightAnswers) isRight(a *answer) (is, known bool) {
	if a.final.Answer == "" {
		return false, false
	}
	if len(a.truths) > 0 {
		return a.isTrue(), true
	}
	right, since := r.of[a.prompt], r.since[a.prompt]
	return right == a.final.Answer, right != "" && a.step > since
}
