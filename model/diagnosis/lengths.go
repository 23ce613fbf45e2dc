package diagnosis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// Limits of what lengths tell.
const (
	lengthBand   = 1.3  // times the usual length: within it lengths drift in every run
	lengthDouble = 2    // times: a budget doubles
	rewardGain   = 0.1  // of the range of rewards: what longer answers must win for the length to pay
	rewardHeld   = 0.03 // of the range of rewards: within it the reward holds
	stubTimes    = 3    // times shorter are stubs
	wordsTimes   = 8    // times shorter are a few words, which may win without an answer
	cutFrom      = 0.2  // of answers end at the limit: then the advantage measures length
	cutBelow     = 0.15 // of the range of rewards that cut answers may have above the floor
	cutSpread    = 1    // standard deviation of the rewards that cut answers have less than the others
	limitSteps   = 0.1  // of the steps in which several samples are the longest have that length, if it is a limit
	cutLength    = 16   // tokens that a limit has at least: shorter answers of one length are choices
	closingForm  = 0.5  // of the short answers that lose have a word that closes answers, right or wrong
	leastAllCut  = 20   // answers that were read, where none of the run wins
	allCutFrom   = 0.9  // of them are cut off then
	inMiddle     = 0.5  // of answers of one length stop in the middle, else their length is no limit
	finishedWins = 0.05 // of the answers that win may end in the middle, for such an end to mean anything
	leastOfShare = 10   // answers that a share is of: fewer are a few
	cutLonger    = 0.85 // the probability that a cut answer is longer than another
)

func (o *Observations) logLengths() series {
	return o.seriesOf(func(s *Observed) Moments { return s.Length })
}

// explosion finds lengths that more than double without a gain of the reward.
func explosion(e *evidence) ([]Finding, string) {
	return e.lengthChange(1, "answers grow from %s to %s %s", func(_, gain, z float64) Severity {
		switch {
		case gain > rewardGain && z > 2:
			return "" // it pays
		case gain > rewardHeld && z > 3:
			return Watch // a little, at twice the cost
		}
		return Alarm
	})
}

// shrinking finds answers that shrink to stubs and win less often.
func shrinking(e *evidence) ([]Finding, string) {
	return e.lengthChange(-1, "answers shrink from %s to %s %s", func(times, gain, z float64) Severity {
		doubt := math.Abs(gain / z)
		switch {
		case gain > rewardGain && z > 2 && times >= wordsTimes:
			return Watch // a few words are left, and they pay
		case gain > rewardGain && z > 2:
			return ""
		case gain < -rewardHeld && z < -2:
			return Alarm
		case times >= stubTimes && gain < rewardHeld && gain-2*doubt < -2*rewardHeld:
			return Alarm // nothing shows that stubs win as often
		}
		return Watch
	})
}

func (e *evidence) lengthChange(sign float64, title string, judge func(times, gain, z float64) Severity) ([]Finding, string) {
	if !e.lengths {
		return nil, "the log has no lengths above 0"
	}
	if why := e.tooFew(); why != "" {
		return nil, why
	}
	s := e.logLengths()
	k, found := s.shiftOf(sign)
	if !found || sign*k.done() < math.Log(lengthDouble) {
		return nil, ""
	}
	from := max(1, s.turn(k.a, k.level.mean()+sign*math.Log(lengthBand), sign))
	if from >= len(s) || e.newSourcesOnly(k.a, from) {
		return nil, ""
	}
	rewards, span := e.rewards(), s.span()
	if sign > 0 && k.done()-e.growthOfPrompts(&k) < math.Log(lengthDouble) {
		return nil, "" // answers are longer because their prompts are
	}
	wasAsNow := func(x float64) bool { return sign*(k.settled.mean()-x) < math.Log(lengthBand) }
	if k.a >= span && slices.ContainsFunc(s[:k.a].smooth(span), wasAsNow) {
		return nil, "" // back to what it was
	}
	settled := max(from, s.turn(k.a, k.level.mean()+0.8*k.done(), sign))
	settled = min(settled, len(s)-span)
	part, _ := e.within(func(g *GroupFacts) float64 { return float64(g.Length) }, [2]int{k.a, from}, [2]int{settled, len(s)})
	if part < 0.5 && part*sign*k.done() < math.Log(lengthDouble) {
		return nil, ""
	}
	reward := rewards.compare(from-2*span, from, settled, len(s))
	if soon := rewards.compare(from-2*span, from, settled, settled+2*span); soon.change() < reward.change() {
		reward = soon // what is learned much later is not won by the length
	}
	times := math.Exp(sign * k.done())
	severity := judge(times, reward.change()/(e.High-e.Low), reward.z)
	if severity == "" {
		return nil, ""
	}
	f := Finding{Severity: severity, first: from, last: len(s) - 1, Series: Series{"length", model.Mapped(s.values(), math.Exp)}}
	length := e.around(s, "typical length", from, len(s), false, "samples")
	length.Before, length.After = math.Exp(length.Before), math.Exp(length.After)
	shown := e.around(rewards, "reward", from, len(s), false, "samples")
	f.Title = fmt.Sprintf(title, units.Short(length.Before), units.Short(length.After), e.Unit)
	if sign > 0 {
		f.Title += rewardOfLonger((shown.After - shown.Before) / (e.High - e.Low))
	}
	f.Evidence = []Evidence{length, shown}
	f.Example = e.example(len(s)-1, func(g *GroupFacts) bool { return sign*(float64(g.Length)-k.settled.mean()) >= 0 })
	return []Finding{f}, ""
}

// rewardOfLonger says what the reward gains, as a share of its range, while answers become longer.
func rewardOfLonger(gain float64) string {
	switch {
	case gain > rewardGain:
		return ", and the gain of the reward comes later"
	case gain > rewardHeld:
		return ", and the reward gains little"
	}
	return ", and the reward does not gain"
}

// growthOfPrompts is the logarithm of how much longer prompts are at the end than at the level before a change, as in a curriculum; 0
// where they are not known, or hold the turns of an answer.
func (e *evidence) growthOfPrompts(k *shift) float64 {
	s := e.askedLengths()
	span := s.span()
	before, after := s.pooled(k.a, k.a+span), s.pooled(len(s)-span, len(s))
	if min(before.N, after.N) == 0 {
		return 0
	}
	return max(0, after.mean()-before.mean())
}

// askedLengths are the logarithms of the lengths of the prompts that were read: none where they hold the turns of an answer.
func (e *evidence) askedLengths() series {
	s := make(series, len(e.Steps))
	if !e.hasTexts() || e.areTurns() {
		return s
	}
	for i := range e.texts.answers {
		if a := &e.texts.answers[i]; a.asked > 0 {
			s[a.step].add(math.Log(float64(a.asked)))
		}
	}
	return s
}

// Limits of prompts that are of another kind from a step on.
const (
	askedTimes = 1.25 // times as long, or as short
	askedSure  = 5.0  // standard errors by which lengths differ
)

// asksOtherwise reports whether the prompts are longer, or shorter, from about the onset of a change on: other data, which may be harder. A
// model that becomes worse does not choose its prompts.
func (e *evidence) asksOtherwise(k *shift) bool {
	s := e.askedLengths()
	span := s.span()
	after := min(k.b, len(s)-span)
	c := s.compare(after-2*span, after, after, after+2*span)
	return c.asksOthers()
}

// asksOthers reports whether prompts are that much longer or shorter after than before.
func (c *contrast) asksOthers() bool {
	return math.Abs(c.z) >= askedSure && math.Abs(c.change()) >= math.Log(askedTimes)
}

// truncation finds a share of answers that end at the length limit and are graded lowest.
func truncation(e *evidence) ([]Finding, string) {
	if e.Unit == model.LengthTokens {
		if f, found := e.cutAt(e.atLimit(), "answers at the length limit", "samples", endsAtLimit); found {
			return []Finding{f}, ""
		}
		if f, found := e.allAtLimit(); found {
			return []Finding{f}, ""
		}
	}
	if !e.hasTexts() {
		if e.Unit != model.LengthTokens {
			return nil, "the log has neither token counts nor texts that can be read, or only empty ones"
		}
		return nil, ""
	}
	if e.allCut() {
		isCut := func(a *answer) bool { return a.cut }
		f, found := e.cutAt(e.texts.share(isCut), "answers cut off", "answers", "%s of answers are cut off, by the trainer's own word, "+
			"and none wins")
		if found {
			return []Finding{f}, ""
		}
	}
	closing, finished := e.closing(), e.finished()
	for _, way := range []struct {
		is    func(*answer) bool
		title string
	}{
		{func(a *answer) bool { return a.cut }, "%s of answers are cut off, by the trainer's own word, and graded lowest: the advantage " +
			"measures length"},
		{func(a *answer) bool { return closing != "" && !slices.Contains(a.tail, closing) && !finished(a) }, stopsInMiddle},
		{func(a *answer) bool { return a.unfinished && !finished(a) }, stopsInMiddle},
	} {
		if !e.gradedLowest(way.is) {
			continue
		}
		if f, found := e.cutAt(e.texts.share(way.is), "answers cut off", "answers", way.title); found {
			return []Finding{f}, ""
		}
	}
	if f, found := e.allInMiddle(); found {
		return []Finding{f}, ""
	}
	return nil, ""
}

// allAtLimit finds answers that nearly all have one length and stop in the middle: a limit cuts them, and none is left beside which they
// could be graded lower. It is a watch while the reward gains all the same.
func (e *evidence) allAtLimit() (Finding, bool) {
	if !e.hasTexts() {
		return Finding{}, false
	}
	limits := map[int32]int{} // of the steps
	for i := range e.Steps {
		limits[e.Steps[i].Longest.Length]++
	}
	limit := model.MostCommon(limits)
	s := e.seriesOf(func(s *Observed) Moments {
		m := Moments{N: s.Length.N}
		if s.Longest.Length == limit && s.Longest.N > 1 {
			m.Sum, m.Squares = float64(s.Longest.N), float64(s.Longest.N)
		}
		return m
	})
	f, found := e.shareFrom(s, allCutFrom, "answers at the length limit", "samples")
	middle := e.texts.share(func(a *answer) bool { return a.cut || a.unfinished }).pooled(f.first, len(s)).mean()
	if !found || limit < cutLength || middle < inMiddle {
		return Finding{}, false
	}
	f.Title = fmt.Sprintf("%s of answers end at the length limit of %d tokens, %s",
		units.Share(s.pooled(len(s)-s.span(), len(s)).mean()), limit, e.whileCut(&f))
	return f, true
}

// allCut reports whether nearly all answers are cut off by the trainer's own word in a run in which no answer ever won: then none is left
// beside which they could be graded lower.
func (e *evidence) allCut() bool {
	n, cut := 0, 0
	for i := range e.texts.answers {
		n++
		cut += model.Count01(e.texts.answers[i].cut)
	}
	return e.High <= 0 && e.High == e.Low && n >= leastAllCut && float64(cut) >= allCutFrom*float64(n)
}

// What is said of answers that are cut off. A limit is named where one was seen.
const (
	endsAtLimit   = "%s of answers end at the length limit and are graded lowest: the advantage measures length"
	stopsInMiddle = "%s of answers stop in the middle and are graded lowest: the advantage measures length"
)

// finished says whether an answer ends as those end that win: on a tag, a command or a sign, whatever the words before it are. Letters
// and digits end nothing.
func (e *evidence) finished() func(*answer) bool {
	won, wins := map[string]int{}, 0
	middle := e.rewards().pooled(0, len(e.Steps)).mean()
	for i := range e.texts.answers {
		if a := &e.texts.answers[i]; a.reward > middle {
			won[a.ending]++
			wins++
		}
	}
	return func(a *answer) bool {
		isTelling := strings.Trim(a.ending, "a0") != ""
		return isTelling && float64(won[a.ending]) >= finishedWins*float64(wins) && wins > 0
	}
}

// atLimit is the share of samples that are as long as the longest of the step, where several are and they are graded lowest. A limit is the
// longest in many steps: equal lengths in one may be chance. A length that all answers of some steps have, and win with, is none.
func (e *evidence) atLimit() series {
	lowest := e.lowest()
	steps, won, several := map[int32]int{}, map[int32]int{}, 0 // in which several samples are the longest, by its length
	for i := range e.Steps {
		if s, l := &e.Steps[i], &e.Steps[i].Longest; l.N > 1 {
			steps[l.Length]++
			several++
			won[l.Length] += model.Count01(l.N == s.Rows && !lowest.reward(s.Reward.mean()))
		}
	}
	return e.seriesOf(func(s *Observed) Moments {
		m, l := Moments{N: s.Length.N}, &s.Longest
		lost := lowest.reward(l.RewardSum / float64(l.Valid))
		if rest := s.Reward.N - l.Valid; rest > 0 && l.Valid > 0 {
			mean := s.Reward.mean()
			spread := math.Sqrt(max(0, s.Reward.Squares/float64(s.Reward.N)-mean*mean))
			lost = lost || l.RewardSum/float64(l.Valid) < (s.Reward.Sum-l.RewardSum)/float64(rest)-cutSpread*spread
		}
		for c := range l.parts {
			lost = lost || lowest.part(c, l.parts[c].mean())
		}
		isLimit := won[l.Length] < leastSteps && l.Length >= cutLength
		if l.N > 1 && lost && isLimit && float64(steps[l.Length]) >= limitSteps*float64(several) {
			m.Sum, m.Squares = float64(l.N), float64(l.N)
		}
		return m
	})
}

// lowest says which means of the reward, or of a reward column, are next to the lowest, where those of the run are not.
type lowest struct {
	limit float64
	parts []float64 // limits; NaN for a column that is low anyway
}

func (e *evidence) lowest() lowest {
	l := lowest{limit: e.Low + cutBelow*(e.High-e.Low), parts: make([]float64, len(e.Parts))}
	for c := range e.Parts {
		all, level := Moments{}, Level{}
		for i := range e.Steps {
			if p := e.Steps[i].part(c); p.N > 0 {
				all.join(p.Moments)
				level.add(p.Low)
				level.add(p.High)
			}
		}
		l.parts[c] = level.Low + cutBelow*(level.High-level.Low)
		if !(all.mean() > level.Low+2*cutBelow*(level.High-level.Low)) {
			l.parts[c] = math.NaN()
		}
	}
	return l
}

func (l *lowest) reward(mean float64) bool { return mean <= l.limit }

func (l *lowest) part(c int, mean float64) bool { return c < len(l.parts) && mean <= l.parts[c] }

// answer reports whether the reward of an answer, or a column of it, is next to the lowest.
func (l *lowest) answer(a *answer) bool {
	lost := l.reward(a.reward)
	for c, x := range a.parts {
		lost = lost || l.part(c, x)
	}
	return lost
}

// closing is a word near the end of nearly all answers that win, such as "answer" or "boxed", of most short ones that lose, and of the
// fewest others; "" if there is none. An answer that is cut off does not come to it. A word that no loser says tells right from wrong.
func (e *evidence) closing() string {
	won, lost, wins := map[string]int{}, map[string]int{}, 0
	short, shorts := e.tailsOfShortLosers()
	middle := e.rewards().pooled(0, len(e.Steps)).mean()
	for i := range e.texts.answers {
		a := &e.texts.answers[i]
		count := lost
		if a.reward > middle {
			count = won
			wins++
		}
		for k, w := range a.tail {
			if !slices.Contains(a.tail[:k], w) {
				count[w]++
			}
		}
	}
	best := ""
	for w, n := range won {
		isForm := float64(short[w]) >= closingForm*float64(shorts)
		isOfWinners := float64(n) >= (1-finishedWins)*float64(wins)
		isSeldomer := best == "" || lost[w] < lost[best] || lost[w] == lost[best] && w < best // in answers that lose
		if isForm && isOfWinners && isSeldomer {
			best = w
		}
	}
	return best
}

// tailsOfShortLosers counts the words near the end of the answers that lose and are no longer than half of their group, and these answers.
func (e *evidence) tailsOfShortLosers() (words map[string]int, n int) {
	words = map[string]int{}
	middle := e.rewards().pooled(0, len(e.Steps)).mean()
	e.texts.byGroup(func(group []answer) {
		lengths := model.Mapped(group, func(a answer) int { return a.words })
		slices.Sort(lengths)
		for i := range group {
			a := &group[i]
			if a.reward > middle || a.words > lengths[(len(lengths)-1)/2] {
				continue
			}
			n++
			for k, w := range a.tail {
				if !slices.Contains(a.tail[:k], w) {
					words[w]++
				}
			}
		}
	})
	return words, n
}

// gradedLowest reports whether answers that a rule calls cut are longer than the others of their group, lose, and seldom win: then the
// rule is right about this log.
func (e *evidence) gradedLowest(cut func(*answer) bool) bool {
	won, wonCut, reward, others := 0, 0, Moments{}, Moments{}
	parts := make([]Moments, len(e.Parts))
	lowest, middle := e.lowest(), e.rewards().pooled(0, len(e.Steps)).mean()
	longer, pairs := 0.0, 0.0
	var cutWords, otherWords []int
	all := e.texts.all()
	for i := range all {
		a := &all[i]
		is := cut(a)
		if a.reward > middle {
			won++
			wonCut += model.Count01(is)
		}
		if is {
			reward.add(a.reward)
			for c, x := range a.parts {
				if units.IsFinite(x) {
					parts[c].add(x)
				}
			}
			cutWords = append(cutWords, a.words)
		} else {
			others.add(a.reward)
			otherWords = append(otherWords, a.words)
		}
		if i+1 == len(all) || all[i+1].step != a.step || all[i+1].group != a.group {
			n := float64(len(cutWords) * len(otherWords))
			longer, pairs = longer+n*probabilityLonger(cutWords, otherWords), pairs+n
			cutWords, otherWords = cutWords[:0], otherWords[:0]
		}
	}
	spread := math.Sqrt(others.Squares/float64(others.N) - others.mean()*others.mean())
	isLower := lowest.reward(reward.mean()) || reward.mean() < others.mean()-cutSpread*spread
	loses := isLower && float64(wonCut) <= finishedWins*float64(won)
	for c := range parts {
		loses = loses || lowest.part(c, parts[c].mean())
	}
	return reward.N >= 10 && won >= 10 && loses && longer >= cutLonger*pairs
}

// probabilityLonger is the probability that one of a is greater than one of b; equal ones count half. It sorts b.
func probabilityLonger(a, b []int) float64 {
	slices.Sort(b)
	sum := 0.0
	for _, x := range a {
		lo, _ := slices.BinarySearch(b, x)
		hi, _ := slices.BinarySearch(b, x+1)
		sum += float64(lo+hi) / 2
	}
	return sum / float64(max(1, len(a)*len(b)))
}

func (e *evidence) cutAt(s series, name, of, title string) (Finding, bool) {
	f, found := e.shareFrom(s, cutFrom, name, of)
	if found {
		f.Title = fmt.Sprintf(title, units.Share(s.pooled(len(s)-s.span(), len(s)).mean()))
	}
	return f, found
}

// shareFrom finds a share that is beyond a limit from a step to the end.
func (e *evidence) shareFrom(s series, limit float64, name, of string) (Finding, bool) {
	from := s.beyond(limit)
	after, last := s.pooled(from, len(s)), s.pooled(len(s)-s.span(), len(s))
	if len(s)-from < leastSteps || after.Sum < leastOfShare || last.mean() < limit {
		return Finding{}, false
	}
	variance, dof := s.variance(from, len(s))
	if normal(after.mean()-limit, variance, dof) < 2 {
		return Finding{}, false
	}
	f := e.finding(s, name, from, len(s), true, of)
	f.Example = Example{Step: e.Steps[from].Step}
	return f, true
}
