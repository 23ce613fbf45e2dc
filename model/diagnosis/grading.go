package diagnosis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// result is what an answer arrives at, and what its ground truth stands for.
type result struct {
	final  Final
	truths []string // none if the log has no ground truth
	lacks  bool     // the truth is nowhere in the answer
	form   form
}

// form is what a grader may ask of an answer besides its result: which tags it has, and how often.
type form [6]uint8

// resultBytes is how long a result is at most.
const resultBytes = 100

func resultOf(text model.Text) result {
	r := result{final: FinalOf(text.Response)}
	if len(r.final.Said) > resultBytes || len(r.final.Answer) > resultBytes {
		r.final = Final{}
	}
	r.final.Said, r.final.Answer = strings.Clone(r.final.Said), strings.Clone(r.final.Answer)
	for i, mark := range []string{"<think>", "</think>", "<answer>", "</answer>", `\boxed{`} {
		r.form[i] = uint8(min(2, strings.Count(text.Response, mark)))
	}
	r.form[5] = uint8(model.Count01(unfinished(text.Response)))
	if text.Truth != "" {
		r.truths = model.Mapped(TruthsOf(text.Truth), strings.Clone)
		r.lacks = !slices.Contains(r.truths, r.final.Answer) && !slices.ContainsFunc(r.truths, holds(text.Response))
	}
	return r
}

// isTrue reports whether an answer is that of its ground truth.
func (a *answer) isTrue() bool {
	return a.final.Answer != "" && slices.Contains(a.truths, a.final.Answer)
}

// grade is what a grader says of an answer.
type grade int

const (
	noGrade grade = iota // something between, or nothing
	gradedWrong
	gradedRight
)

// gradeOf returns how answers are graded: by the reward column that is right or wrong and about correctness by its name, else by the
// reward, unless that is of degrees.
func (e *evidence) gradeOf() func(*answer) grade {
	of := func(x, low, high float64) grade {
		switch x {
		case low:
			return gradedWrong
		case high:
			return gradedRight
		}
		return noGrade
	}
	for c, name := range e.Parts {
		level, n := Level{}, 0
		for i := range e.texts.answers {
			if a := &e.texts.answers[i]; c < len(a.parts) && units.IsFinite(a.parts[c]) {
				level.add(a.parts[c])
				n++
			}
		}
		isVerdict := n > 0 && level.AtLow+level.AtHigh == n && level.Low < level.High
		if isSubstance(name) && isVerdict {
			return func(a *answer) grade {
				if c >= len(a.parts) {
					return noGrade
				}
				return of(a.parts[c], level.Low, level.High)
			}
		}
	}
	return func(a *answer) grade {
		switch {
		case e.continuous, !units.IsFinite(a.reward):
			return noGrade
		case a.reward >= e.High:
			return gradedRight
		}
		return of(a.reward, e.Low, math.NaN())
	}
}

// verdicts are answers that give one result in the same form, by how they are graded.
type verdicts struct {
	step, group  int
	prompt       uint32
	said         string
	right, wrong []*answer
}

// differ reports whether they are graded both right and wrong.
func (v *verdicts) differ() bool { return len(v.right) > 0 && len(v.wrong) > 0 }

// unlike is how many of the answers are graded unlike most that say the same.
func (v *verdicts) unlike() int { return min(len(v.right), len(v.wrong)) }

// Limits of final answers that are graded in several ways.
const (
	unlikeFrom  = 0.03 // of final answers that come again, or that are the truth, are graded unlike the others
	unlikeAlarm = 0.05 // of the answers: with fewer a run learns what most of its grades say
	leastUnlike = 10   // such answers, of three prompts
	telling     = 0.2  // more of the answers with one result are graded alike than with another: else it is not what is graded
	ofOneForm   = 0.9  // of the right ones lose in a form that elsewhere wins: then the grader asks for a form
)

// likeness is how often two answers of a group are graded alike: of one result, and of such a one and another.
type likeness struct{ same, other Moments }

// tells reports whether grades follow the result.
func (l *likeness) tells() bool { return l.other.N == 0 || l.same.mean()-l.other.mean() >= telling }

// verdictsOf returns the answers that give one result several times in a group, in a form alike.
func (e *evidence) verdictsOf(grade func(*answer) grade) (all []verdicts, alike likeness) {
	type key struct {
		said, way string
		form      form
		cut       bool
		prompt    uint32
	}
	e.texts.byGroup(func(group []answer) {
		byKey, order, results := map[key]*verdicts{}, []*verdicts(nil), map[string][2]int{}
		right, n := 0, 0
		for i := range group {
			a := &group[i]
			g := grade(a)
			if a.final.Answer == "" || g == noGrade {
				continue
			}
			k := key{a.final.Said, a.final.Way, a.form, a.cut, a.prompt}
			v := byKey[k]
			if v == nil {
				v = &verdicts{step: a.step, group: a.group, prompt: a.prompt, said: a.final.Said}
				byKey[k], order = v, append(order, v)
			}
			n++
			of := results[a.final.Answer]
			if g == gradedRight {
				right++
				of[1]++
				v.right = append(v.right, a)
			} else {
				of[0]++
				v.wrong = append(v.wrong, a)
			}
			results[a.final.Answer] = of
		}
		for _, of := range results {
			if m := of[0] + of[1]; m > 1 && m < n && right > 0 && right < n {
				alike.same.N, alike.same.Sum = alike.same.N+m*(m-1)/2, alike.same.Sum+float64(of[0]*(of[0]-1)/2+of[1]*(of[1]-1)/2)
				alike.other.N, alike.other.Sum = alike.other.N+m*(n-m), alike.other.Sum+float64(of[0]*(n-right-of[0])+of[1]*(right-of[1]))
			}
		}
		for _, v := range order {
			if len(v.right)+len(v.wrong) > 1 {
				all = append(all, *v)
			}
		}
	})
	return all, alike
}

// finalNoise finds one final answer that is graded right and wrong in a group, though it is what the grades follow. looked reports whether
// enough final answers come again.
func (e *evidence) finalNoise(grade func(*answer) grade) (f Finding, found, looked bool) {
	all, alike := e.verdictsOf(grade)
	tells := alike.tells()
	s, prompts := make(series, len(e.Steps)), map[uint32]bool{}
	var both []verdicts
	for _, v := range all {
		s[v.step].add(float64(model.Count01(v.differ())))
		if v.differ() {
			prompts[v.prompt] = true
			both = append(both, v)
		}
	}
	from := s.beyond(unlikeFrom)
	looked = tells && s.pooled(0, len(s)).N >= 4*leastUnlike
	after := s.pooled(from, len(s))
	isRare := after.Sum < leastUnlike || after.mean() < unlikeFrom || len(prompts) < 3
	if !tells || from >= len(s) || isRare || s.isUnlikeNoMore() || isByLength(both) {
		return Finding{}, false, looked
	}
	f = e.finding(s, "final answers graded both ways", from, len(s), true, "answers")
	if shareUnlike(all, from) < unlikeAlarm {
		f.Severity = Watch
	}
	first := &both[slices.IndexFunc(both, func(v verdicts) bool { return v.step >= from })]
	f.Title = fmt.Sprintf("equal final answers are graded both right and wrong in %s of %s that have some, as “%s”%s",
		units.Count(groupsOf(both, from)), units.Plural(groupsOf(all, from), "groups"), first.said, whichLose(both))
	f.Example = Example{Step: e.Steps[first.step].Step, Group: e.groupName(first.step, first.group)}
	return f, true, true
}

// isUnlikeNoMore reports whether the last steps have hardly any answers that are graded unlike others.
func (s series) isUnlikeNoMore() bool {
	last := s.pooled(len(s)-2*s.span(), len(s))
	return last.N > 10 && last.mean() < unlikeFrom
}

// shareUnlike is the share of the answers from a step on that are graded unlike most that say the same.
func shareUnlike(all []verdicts, from int) float64 {
	unlike, n := 0, 0
	for i := range all {
		if v := &all[i]; v.step >= from {
			unlike, n = unlike+v.unlike(), n+len(v.right)+len(v.wrong)
		}
	}
	return float64(unlike) / float64(max(1, n))
}

// groupsOf is how many groups some verdicts are of, from a step on.
func groupsOf(all []verdicts, from int) int {
	groups := map[[2]int]bool{}
	for i := range all {
		if all[i].step >= from {
			groups[[2]int{all[i].step, all[i].group}] = true
		}
	}
	return len(groups)
}

// isByLength reports whether one length parts those that are graded right from the others: then the grader has a limit.
func isByLength(all []verdicts) bool {
	longest, shortest := 0, math.MaxInt
	for _, v := range all {
		for _, a := range v.right {
			longest = max(longest, a.words)
		}
		for _, a := range v.wrong {
			shortest = min(shortest, a.words)
		}
	}
	return shortest > longest
}

// whichLose says whether length or position tells which of equal final answers lose: ": those graded wrong are longer".
func whichLose(all []verdicts) string {
	for _, by := range []struct {
		value      func(*answer) float64
		more, less string
	}{
		{func(a *answer) float64 { return float64(a.words) }, "longer", "shorter"},
		{func(a *answer) float64 { return float64(a.row) }, "later in the log", "earlier in the log"},
	} {
		var d Moments
		for _, v := range all {
			var right, wrong Moments
			for _, a := range v.right {
				right.add(by.value(a))
			}
			for _, a := range v.wrong {
				wrong.add(by.value(a))
			}
			d.add(math.Copysign(1, wrong.mean()-right.mean()))
		}
		z := d.Sum / math.Sqrt(float64(max(1, d.N)))
		if word := map[bool]string{true: by.more, false: by.less}[z > 0]; math.Abs(z) > 4 && math.Abs(d.mean()) > 0.3 {
			return ": those graded wrong are mostly " + word
		}
	}
	return ""
}

// truthMissed finds final answers that are the ground truth and are graded wrong, or are another number and graded right.
func (e *evidence) truthMissed(grade func(*answer) grade) (Finding, bool) {
	grades := e.gradesByTruth(grade)
	if !grades.followTruth() {
		return Finding{}, false // the grade is of something else
	}
	missed := e.missedTruths(grade, grades)
	if grades.truthful.right > 0 {
		missed.removeOutages()
	}
	shares := missed.shares
	from := shares.beyond(unlikeFrom)
	after := shares.pooled(from, len(shares))
	isRare := after.Sum < leastUnlike || after.mean() < unlikeFrom || len(missed.prompts) < 3
	if from >= len(shares) || isRare || missed.areTooLong() || shares.isUnlikeNoMore() {
		return Finding{}, false
	}
	f := e.finding(shares, "answers that are the truth and graded wrong", from, len(shares), true, "answers")
	if after.mean() < unlikeAlarm {
		f.Severity = Watch
	}
	first := missed.first
	f.Title = fmt.Sprintf("%s of final answers that are the ground truth, as “%s”, are graded wrong",
		units.Share(after.mean()), first.final.Said)
	f.Example = Example{Step: e.Steps[first.step].Step, Group: e.groupName(first.step, first.group)}
	return f, true
}

// gradeTally counts the grades of answers.
type gradeTally struct{ right, wrong int }

func (t *gradeTally) add(g grade) {
	t.right, t.wrong = t.right+model.Count01(g == gradedRight), t.wrong+model.Count01(g == gradedWrong)
}

// shareRight is the share of the answers that are graded right.
func (t gradeTally) shareRight() float64 { return float64(t.right) / float64(max(1, t.right+t.wrong)) }

// gradesByTruth are the grades of final answers that are the ground truth, also by form, and of those that are not.
type gradesByTruth struct {
	truthful, untruthful gradeTally
	byForm               map[form]gradeTally // of the truthful ones
}

// gradesByTruth counts the grades of the answers that have a ground truth, a final answer and a grade.
func (e *evidence) gradesByTruth(grade func(*answer) grade) *gradesByTruth {
	counts := &gradesByTruth{byForm: map[form]gradeTally{}}
	all := e.texts.all()
	for i := range all {
		a, g := &all[i], grade(&all[i])
		if len(a.truths) == 0 || a.final.Answer == "" || g == noGrade {
			continue
		}
		if !a.isTrue() {
			counts.untruthful.add(g)
			continue
		}
		counts.truthful.add(g)
		ofForm := counts.byForm[a.form]
		ofForm.add(g)
		counts.byForm[a.form] = ofForm
	}
	return counts
}

// followTruth reports whether the grades depend on the truth, as far as they show.
func (c *gradesByTruth) followTruth() bool {
	return c.truthful.right == 0 || c.truthful.shareRight()-c.untruthful.shareRight() >= 0.5
}

// isRefused reports whether an answer has a form that the grader does not take.
func (c *gradesByTruth) isRefused(a *answer) bool {
	t := c.byForm[a.form]
	return c.truthful.right > 0 && float64(t.wrong) >= ofOneForm*float64(t.right+t.wrong)
}

// missedTruths are the final answers that are the ground truth and are graded wrong.
type missedTruths struct {
	shares            series // of the final answers that are the ground truth
	prompts           map[uint32]bool
	longest, shortest int     // words of the longest answer that is graded right, and of the shortest that is graded wrong
	first             *answer // that is graded wrong
}

// missedTruths looks for answers that are graded wrong among those that are the ground truth in a form that the grader takes.
func (e *evidence) missedTruths(grade func(*answer) grade, grades *gradesByTruth) *missedTruths {
	m := &missedTruths{shares: make(series, len(e.Steps)), prompts: map[uint32]bool{}, shortest: math.MaxInt}
	all := e.texts.all()
	for i := range all {
		a := &all[i]
		if g := grade(a); a.isTrue() && g != noGrade && !grades.isRefused(a) && a.final.Way != "number" {
			m.add(a, g)
		}
	}
	return m
}

func (m *missedTruths) add(a *answer, g grade) {
	m.shares[a.step].add(float64(model.Count01(g == gradedWrong)))
	if g == gradedRight {
		m.longest = max(m.longest, a.words)
		return
	}
	m.shortest = min(m.shortest, a.words)
	m.prompts[a.prompt] = true
	if m.first == nil {
		m.first = a
	}
}

// removeOutages removes the steps at which all are graded wrong: an outage of a step has a name of its own.
func (m *missedTruths) removeOutages() {
	for i, share := range m.shares {
		if isOut := share.Sum == float64(share.N); isOut {
			m.shares[i] = Moments{}
		}
	}
}

// areTooLong reports whether all that are graded wrong are longer than all that are graded right, as with a limit.
func (m *missedTruths) areTooLong() bool { return m.longest > 0 && m.shortest > m.longest }

// gradesUnlike finds a grader that errs, by final answers. looked reports whether there are enough of them to tell.
func (e *evidence) gradesUnlike() (found []Finding, looked bool) {
	grade := e.gradeOf()
	if f, is := e.truthMissed(grade); is {
		return []Finding{f}, true
	}
	f, is, looked := e.finalNoise(grade)
	if is {
		found = []Finding{f}
	}
	return found, looked
}
