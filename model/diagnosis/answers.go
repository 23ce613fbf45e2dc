package diagnosis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Limits of what answers tell.
const (
	collapsedTo    = 1.0 / 3 // of what they were are the distinct answers of a group
	oneAnswer      = 0.9     // of the groups hold one answer, if nothing is sampled
	leastAnswers   = 3       // of a group that were read, for them to be compared
	garbledFrom    = 0.1     // of answers are no language
	usualGarbled   = 0.05    // of the first answers that have a property, for it to be how this log is written
	ruined         = 0.5     // of the answers have it from the first step to the last, for it to be broken from the start
	ruinedWrong    = 0.95    // of these get the lowest reward
	moreSurprise   = 2.0     // bits per character more than usual: text of the same language differs by less than one
	languageBits   = 4.0     // bits per character after its own kind: prose, code, formulas and calls of tools have 2 to 3.5, random signs more than 5
	templateFrom   = 1.0 / 3 // of an answer's words stand after the same word in the answer to another prompt
	templateRise   = 0.2     // that this share must rise by: a style that all answers have from the start is none
	templateWords  = 8       // fewer words are a choice, not a template
	noiseFrom      = 0.05    // of repeated texts are graded in several ways
	leastNoisy     = 3       // repeated texts, of two prompts at least
	sameReward     = 0.01    // of the range of rewards that equal texts may differ by: rounding
	hackedRise     = 0.15    // of its range that a reward column gains
	hackedFall     = 0.15    // of its range that another loses
	hackedFallPart = 0.25    // of its level that it loses
)

const noTexts = "the log has no texts that can be read, or only empty ones"

// whyNotWhole says why answers cannot be compared as wholes; "" if they can.
func (e *evidence) whyNotWhole() string {
	switch {
	case !e.hasTexts():
		return noTexts
	case e.areTurns():
		return "most rows look like turns of answers, and turns may be equal where answers are not"
	}
	return e.ungrouped()
}

func (e *evidence) hasTexts() bool { return e.texts != nil && len(e.texts.answers) > 0 }

// answersCollapse finds groups whose answers become one answer.
func answersCollapse(e *evidence) ([]Finding, string) {
	if why := cmp.Or(e.whyNotWhole(), e.tooFew()); why != "" {
		return nil, why
	}
	s := make(series, len(e.Steps))
	groups := 0
	e.texts.byGroup(func(group []answer) {
		if len(group) < leastAnswers {
			return
		}
		groups++
		if e.isSolvedBriefly(group) {
			return
		}
		distinct := map[uint64]bool{}
		for i := range group {
			distinct[group[i].whole] = true
		}
		s[group[0].step].add(float64(len(distinct)) / float64(len(group)))
	})
	if groups < 2*leastSteps {
		return nil, fmt.Sprintf("fewer than %d groups have %d answers that were read", 2*leastSteps, leastAnswers)
	}
	if f, is := e.oneAnswerFromTheStart(); is {
		return []Finding{f}, ""
	}
	k, found := s.shiftOf(-1)
	limit := collapsedTo * k.level.mean()
	if !found || k.settled.mean() > 1.1*limit {
		return nil, ""
	}
	from := min(s.turn(k.a, max(limit, k.settled.mean()-0.1*k.done()), -1), len(s)-1)
	f := Finding{Severity: Alarm, first: from, last: len(s) - 1, Series: Series{"distinct answers of a group", s.values()}}
	f.Evidence = []Evidence{e.around(s, "distinct answers", from, len(s), true, "groups")}
	f.Title = fmt.Sprintf("the answers to one prompt become one: %s of a group were distinct, now %s",
		units.Share(f.Evidence[0].Before), units.Share(f.Evidence[0].After))
	f.Example = e.textExample(from, func(*answer) bool { return true })
	return []Finding{f}, ""
}

// oneAnswerFromTheStart finds groups of which each holds one answer of some words, again and again, from the first step to the last.
func (e *evidence) oneAnswerFromTheStart() (Finding, bool) {
	s := make(series, len(e.Steps))
	e.texts.byGroup(func(group []answer) {
		if len(group) < 3 || group[0].words < templateWords {
			return
		}
		isOne := !slices.ContainsFunc(group, func(a answer) bool { return a.whole != group[0].whole })
		s[group[0].step].add(float64(model.Count01(isOne)))
	})
	all := s.pooled(0, len(s))
	if all.N < 2*leastSteps || all.mean() < oneAnswer || s.beyond(oneAnswer) > 0 {
		return Finding{}, false
	}
	f := e.finding(s, "groups that are one answer", 0, len(s), true, "groups")
	f.Title = fmt.Sprintf("from the first step the answers to one prompt are one answer, word for word, in %s of the groups that were read",
		units.Share(all.mean()))
	f.Example = e.textExample(0, func(*answer) bool { return true })
	f.Advice = "look at how answers are sampled: a temperature of 0, one seed for all answers to a prompt, or a cache that gives the " +
		"first one again"
	return f, true
}

// isSolvedBriefly reports whether the answers of a group are one answer of a few words, and good: to an easy prompt there is not much
// else to say.
func (e *evidence) isSolvedBriefly(group []answer) bool {
	var rewards Moments
	for i := range group {
		if a := &group[i]; a.whole != group[0].whole || a.words >= templateWords || !units.IsFinite(a.reward) {
			return false
		}
		rewards.add(group[i].reward)
	}
	return rewards.mean() >= (e.Low+e.High)/2
}

// textExample is the group of the first answer from step i on that shows something.
func (e *evidence) textExample(i int, shows func(*answer) bool) Example {
	all := e.texts.all()
	for k := range all {
		if a := &all[k]; a.step >= i && shows(a) {
			return Example{Step: e.Steps[a.step].Step, Group: e.groupName(a.step, a.group)}
		}
	}
	return Example{Step: e.Steps[i].Step}
}

// garbledWay is a way in which answers are no language.
type garbledWay struct {
	name string
	has  func(*answer) bool
}

// garbled finds a growing share of answers that are no language.
func garbled(e *evidence) ([]Finding, string) {
	if !e.hasTexts() {
		return nil, noTexts
	}
	all := e.texts.all()
	early := all[len(all)/8].step
	early = max(early, e.stepWithAnswers(leastSteps))
	noWords, end, lowest := noWords(all, early), e.usualEnd(), e.lowest()
	notOfPrompts := notOfPrompts(all)
	if s := e.texts.share(func(a *answer) bool { return notOfPrompts[a] }); s.pooled(0, early+1).mean() < ruined {
		notOfPrompts = nil // what is new is told by noWords
	}
	ways := []garbledWay{
		{"repeat one phrase", func(a *answer) bool { return a.loops }},
		{"hold control tokens", func(a *answer) bool { return a.control || a.end != "" && a.end != end }},
		{"are in another script than their prompt, or in many", func(a *answer) bool { return a.foreign }},
		{"are not words", func(a *answer) bool { return noWords[a] }},
		{"are empty, with the lowest reward", func(a *answer) bool { return a.words == 0 && lowest.answer(a) }},
		{"are not words of their prompts' language", func(a *answer) bool { return notOfPrompts[a] }},
		{"are one sign or word, again and again", func(a *answer) bool { return a.broken && lowest.answer(a) }},
	}
	has := make([]func(*answer) bool, 0, len(ways))
	for _, w := range ways {
		if !e.isUsualWay(w.has, early, lowest) {
			has = append(has, w.has)
		}
	}
	isGarbled := func(a *answer) bool {
		return slices.ContainsFunc(has, func(is func(*answer) bool) bool { return is(a) })
	}
	s := e.texts.share(isGarbled)
	f, found := e.shareFrom(s, garbledFrom, "garbled answers", "answers")
	if !found {
		return nil, ""
	}
	most := e.mostFrequentWay(ways, f.first)
	f.Title = fmt.Sprintf("%s of answers are garbled: most %s", units.Share(s.pooled(len(s)-s.span(), len(s)).mean()), most.name)
	if q := e.quotation(f.first, most.has); q != "" {
		f.Title += ", as " + q
	}
	f.Example = e.textExample(f.first, isGarbled)
	return []Finding{f}, ""
}

// isUsualWay reports whether answers are so because of how this log is written, not because they are garbled.
func (e *evidence) isUsualWay(has func(*answer) bool, early int, lowest lowest) bool {
	s := e.texts.share(has)
	first, last := s.pooled(0, early+1).mean(), s.pooled(len(s)-s.span(), len(s)).mean()
	isNew := first <= usualGarbled || last > first+2*garbledFrom
	wrong := e.texts.share(func(a *answer) bool { return has(a) && lowest.answer(a) }).pooled(0, len(s)).Sum
	isRuin := min(first, last) >= ruined && wrong >= ruinedWrong*s.pooled(0, len(s)).Sum
	return !isNew && !isRuin
}

// mostFrequentWay is the way in which most answers from a step on are garbled, the first without any.
func (e *evidence) mostFrequentWay(ways []garbledWay, first int) garbledWay {
	most, count := 0, 0.0
	for i, w := range ways {
		s := e.texts.share(w.has)
		if n := s.pooled(first, len(s)).Sum; n >= count && n > 0 { // of equal ones the last, which says more
			most, count = i, n
		}
	}
	return ways[most]
}

// quotation shows the first answer from step i on that has a property: its beginning, and how long it is.
func (e *evidence) quotation(i int, has func(*answer) bool) string {
	const quoted = 24
	all := e.texts.all()
	for k := range all {
		a := &all[k]
		text := sanitize.Line(strings.Join(strings.Fields(a.begin), " "))
		if a.step < i || !has(a) || text == "" {
			continue
		}
		if r := []rune(text); len(r) > quoted {
			return fmt.Sprintf("“%s” and so on, %s", string(r[:quoted]), units.Plural(a.characters, "characters"))
		}
		return "“" + text + "”"
	}
	return ""
}

// noWords are answers whose letters follow each other as they do not in the prompts and answers up to an early step, nor in each other,
// in a wording that others do not share. What a new source is written in has an order of its own: code, another language that its prompts
// are in too.
func noWords(all []answer, early int) map[*answer]bool {
	usual := newLetters()
	for i := range all {
		if all[i].step <= early {
			usual.learn(all[i].begin)
			usual.learn(all[i].asks)
		}
	}
	bits := make([]float64, len(all))
	var first []float64
	for i := range all {
		bits[i] = usual.surprise(all[i].begin)
		if all[i].step <= early {
			first = append(first, bits[i])
		}
	}
	found, limit, unusual := map[*answer]bool{}, Median(first)+moreSurprise, newLetters()
	for i := range all {
		if a := &all[i]; bits[i] > limit && !(sharedWords(all, i) >= templateFrom) && !(usual.surprise(a.asks) > limit) {
			found[a] = true
			unusual.learn(a.begin)
		}
	}
	maps.DeleteFunc(found, func(a *answer, _ bool) bool { return !(unusual.surprise(a.begin) > languageBits) })
	return found
}

// notOfPrompts are answers whose letters follow each other neither as in the prompts nor as in each other, as where weights are broken from
// the first step on.
func notOfPrompts(all []answer) map[*answer]bool {
	usual, unusual, bits := newLetters(), newLetters(), []float64(nil)
	for i := range all {
		usual.learn(all[i].asks)
	}
	for i := range all {
		bits = append(bits, usual.surprise(all[i].asks))
	}
	found, limit := map[*answer]bool{}, Median(bits)+moreSurprise
	for i := range all {
		if a := &all[i]; usual.surprise(a.begin) > limit {
			found[a] = true
			unusual.learn(a.begin)
		}
	}
	maps.DeleteFunc(found, func(a *answer, _ bool) bool { return !(unusual.surprise(a.begin) > languageBits) })
	return found
}

// usualEnd is the control token on which most answers end, of those that end on one.
func (e *evidence) usualEnd() string {
	count := map[string]int{}
	for i := range e.texts.answers {
		count[e.texts.answers[i].end]++
	}
	delete(count, "")
	return model.MostCommon(count)
}

// stepWithAnswers is the index of the k-th step that has answers, or of the last one.
func (e *evidence) stepWithAnswers(k int) int {
	last, n := -1, 0
	for _, a := range e.texts.all() {
		if a.step != last {
			last = a.step
			if n++; n == k {
				return last
			}
		}
	}
	return last
}

// template finds one wording that takes over the answers to all prompts while the reward rises.
func (e *evidence) template() (Finding, bool) {
	if !e.hasTexts() || e.tooFew() != "" {
		return Finding{}, false
	}
	s, counts := e.sharedWords()
	rewards := e.rewards()
	k, found := s.shiftOf(1)
	if !found || k.done() < templateRise || k.settled.mean() < templateFrom {
		return Finding{}, false
	}
	span := s.span()
	if counts.pooled(len(s)-span, len(s)).mean() < counts.pooled(k.a, k.b).mean() {
		return Finding{}, false // answers are shorter, and share no more words than before
	}
	before, after := rewards.pooled(k.b-span, k.b).mean(), rewards.pooled(len(s)-span, len(s)).mean()
	if after < before {
		return Finding{}, false
	}
	from := min(len(s)-1, s.turn(k.a, k.level.mean()+k.done()/2, 1))
	f := e.finding(s, "words shared with the answer to another prompt", from, len(s), true, "answers")
	f.Title = fmt.Sprintf("one wording takes over the answers to all prompts, and the reward goes from %s to %s",
		units.Short(before), units.Short(after))
	f.Evidence = append(f.Evidence, e.around(rewards, "reward", from, len(s), false, "samples"))
	f.Example = e.textExample(from, func(*answer) bool { return true })
	return f, true
}

// sharedWords are the series of the words that answers share with one to another prompt, as shares of their words, and how many these are.
func (e *evidence) sharedWords() (shares, counts series) {
	all := e.texts.all()
	shares, counts = make(series, len(e.Steps)), make(series, len(e.Steps))
	for i := range all {
		if share := sharedWords(all, i); share == share {
			shares[all[i].step].add(share)
			counts[all[i].step].add(share * float64(all[i].words))
		}
	}
	return shares, counts
}

// sharedWords is the largest share of words that an answer has with one to another prompt of its step, or of the step before that was
// read where its step has one prompt; NaN if there is none.
func sharedWords(all []answer, i int) float64 {
	a, most, step := &all[i], math.NaN(), all[i].step
	compare := func(b *answer) {
		if b.prompt != a.prompt && min(a.words, b.words) >= templateWords {
			most = fmax(most, alike(a.bag, b.bag))
		}
	}
	for k := i + 1; k < len(all) && all[k].step == a.step; k++ {
		compare(&all[k])
	}
	for k := i - 1; k >= 0 && (all[k].step == step || most != most && step == a.step); k-- {
		step = all[k].step
		compare(&all[k])
	}
	return most
}

// alike is the share of two ascending bags of words that is in both.
func alike(a, b []uint64) float64 {
	both := 0
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i] < b[k]:
			i++
		case a[i] > b[k]:
			k++
		default:
			both++
			i++
			k++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// repeat is an answer that comes several times in a group.
type repeat struct {
	*answer
	differs bool // its rewards do
}

// repeats returns the answers of a group that come several times to one prompt.
func (e *evidence) repeats(group []answer) (all []repeat) {
	seen := map[uint64]bool{}
	for i := range group {
		a := &group[i]
		if a.words == 0 || seen[a.whole] {
			continue
		}
		seen[a.whole] = true
		n, least, most := 0, math.Inf(1), math.Inf(-1)
		for k := range group {
			if b := &group[k]; b.whole == a.whole && b.prompt == a.prompt && units.IsFinite(b.reward) {
				n++
				least, most = min(least, b.reward), max(most, b.reward)
			}
		}
		if n > 1 {
			all = append(all, repeat{a, most-least > sameReward*(e.High-e.Low)})
		}
	}
	return all
}

// noise finds equal answers to one prompt that are graded in several ways.
func noise(e *evidence) ([]Finding, string) {
	if why := e.whyNotWhole(); why != "" {
		return nil, why
	}
	if f, found := e.turnedOver(e.gradeOf()); found {
		return []Finding{f}, ""
	}
	byFinal, looked := e.gradesUnlike()
	if byFinal != nil {
		return byFinal, ""
	}
	s, prompts, first := e.gradesOfRepeats()
	switch repeated := s.pooled(0, len(s)); {
	case repeated.N < leastNoisy && looked:
		return nil, ""
	case repeated.N < leastNoisy:
		return nil, whyFewRepeats(repeated.N)
	}
	from := s.turn(0, noiseFrom, 1)
	from += max(0, slices.IndexFunc(s[from:], func(m Moments) bool { return m.N > 0 })) // before, no answer came again
	after, last := s.pooled(from, len(s)), s.pooled(len(s)-2*s.span(), len(s))
	isRare := after.Sum < leastNoisy || after.mean() < noiseFrom
	isOver := last.N > 10 && last.mean() < noiseFrom
	if from == len(s) || isRare || prompts < 2 || isOver {
		return nil, ""
	}
	f := e.finding(s, "repeated answers graded in several ways", from, len(s), true, "answers")
	f.Title = fmt.Sprintf("%s of answers that come several times in a group are graded in several ways", units.Share(after.mean()))
	f.Example = e.exampleAt(from, func(step, group int) bool {
		g, found := first[step]
		return found && g == group
	})
	return []Finding{f}, ""
}

// gradesOfRepeats is the share of repeated answers that are graded in several ways, the number of their prompts, and by step the first
// group with such answers.
func (e *evidence) gradesOfRepeats() (differ series, prompts int, first map[int]int) {
	differ, first = make(series, len(e.Steps)), map[int]int{}
	seen := map[uint32]bool{}
	e.texts.byGroup(func(group []answer) {
		for _, r := range e.repeats(group) {
			differ[r.step].add(float64(model.Count01(r.differs)))
			if !r.differs {
				continue
			}
			seen[r.prompt] = true
			if _, found := first[r.step]; !found {
				first[r.step] = r.group
			}
		}
	})
	return differ, len(seen), first
}

// whyFewRepeats says why so few repeated answers show nothing.
func whyFewRepeats(n int) string {
	if n == 0 {
		return "no answer that was read comes twice in a group, so that nothing shows whether equal ones are graded alike"
	}
	return fmt.Sprintf("fewer than %d of the answers that were read come again in their group, "+
		"too few to show whether equal ones are graded alike", leastNoisy)
}

// hacking finds a reward that rises while what it stands for falls.
func hacking(e *evidence) ([]Finding, string) {
	for _, find := range []func() (Finding, bool){e.partsDiverge, e.middleTakesOver, e.unearned, e.template} {
		if f, found := find(); found {
			return []Finding{f}, ""
		}
	}
	if f, found := e.winningPhrase(); found {
		return []Finding{f}, ""
	}
	if len(e.Parts) < 2 && !e.hasTexts() {
		return nil, "the log has neither several reward columns nor texts"
	}
	return nil, ""
}

// bothRare reports whether two changes at once are no chance, of which each alone is unlikely.
func bothRare(up, down float64, places int) bool {
	p, q := chance(up, places), chance(down, places)
	return up > 0 && down < 0 && max(p, q) < 0.01 && p*q < rare
}

func (e *evidence) partsDiverge() (Finding, bool) {
	if e.tooFew() != "" {
		return Finding{}, false
	}
	columns := e.columnsOf(e.judgedParts())
	ups := columns
	if e.isUnexplained() {
		whole := judged{name: wholeName, of: func(s *Observed) Part { return Part{Moments: s.Reward, Level: s.Level} }}
		ups = slices.Concat(columns, e.columnsOf([]judged{whole}))
	}
	for i := range columns {
		if down := &columns[i]; !down.falls || isStyle(down.name) {
			continue
		}
		for k := range ups {
			if k == i || !ups[k].mayDriveAgainst(&columns[i]) || !bothRare(ups[k].up.z, columns[i].down.z, len(e.Steps)) {
				continue
			}
			if f, found := e.diverging(&ups[k], &columns[i]); found {
				return f, true
			}
		}
	}
	return Finding{}, false
}

// wholeName names the reward where no column explains it.
const wholeName = "reward"

// mayDriveAgainst reports whether a column rises that may be what a run is driven by while another falls. The whole reward is that only
// where the other one says what answers are worth: other columns may be mere metrics.
func (c *column) mayDriveAgainst(falls *column) bool {
	if c.name == wholeName {
		return c.rises && isSubstance(falls.name)
	}
	return c.rises && !isSubstance(c.name)
}

// column is a reward column over the steps.
type column struct {
	series
	name         string
	width        float64 // greatest less least value
	up, down     shift
	rises, falls bool // by what matters
}

// columns are the reward columns that are no constants.
func (e *evidence) columns() []column { return e.columnsOf(e.judgedParts()[:len(e.Parts)]) }

func (e *evidence) columnsOf(parts []judged) (all []column) {
	for _, part := range parts {
		level := Level{}
		k := column{name: part.name, series: e.seriesOf(func(s *Observed) Moments {
			p := part.of(s)
			if p.N > 0 {
				level.add(p.Low)
				level.add(p.High)
			}
			return p.Moments
		})}
		if k.width = level.High - level.Low; !(k.width > 0) {
			continue
		}
		k.up, _ = k.shiftOf(1)
		k.down, _ = k.shiftOf(-1)
		k.rises = k.up.done() >= hackedRise*k.width
		k.falls = -k.down.done() >= max(hackedFall*k.width, hackedFallPart*(k.down.level.mean()-level.Low))
		all = append(all, k)
	}
	return all
}

// diverging is the finding that one column rises while another falls, if most of what rises is still to come when the fall begins and
// the total does not fall with it.
func (e *evidence) diverging(up, down *column) (Finding, bool) {
	rewards := e.rewards()
	n, span, fall := len(rewards), rewards.span(), &down.down
	atOnset, top := up.pooled(fall.b-span, fall.b).mean(), up.up.settled.mean()
	before, after := rewards.pooled(fall.a, fall.b).mean(), rewards.pooled(n-span, n).mean()
	if top-atOnset < max(up.up.done()/3, hackedRise*up.width) || after < before-0.05*(e.High-e.Low) {
		return Finding{}, false
	}
	apart := make(series, n)
	for i := range apart {
		if a, b := up.series[i], down.series[i]; a.N > 0 && b.N > 0 {
			apart[i] = Moments{N: a.N, Sum: float64(a.N) * (a.mean()/up.width - b.mean()/down.width)}
		}
	}
	level, settled := apart.pooled(fall.a, fall.b).mean(), apart.pooled(n-span, n).mean()
	from := min(n-1, max(1, apart.turn(fall.a, level+onsetShare*(settled-level), 1)))
	f := Finding{Severity: Alarm, first: from, last: n - 1, Series: Series{down.name, down.values()}}
	rise, drop := e.around(up.series, up.name, from, n, false, "samples"), e.around(down.series, down.name, from, n, false, "samples")
	f.Evidence = []Evidence{rise, drop, e.around(rewards, "reward", from, n, false, "samples")}
	f.Title = fmt.Sprintf("%s rises from %s to %s while %s falls from %s to %s", up.name, units.Short(rise.Before), units.Short(rise.After),
		down.name, units.Short(drop.Before), units.Short(drop.After))
	f.Example = e.example(from, func(g *GroupFacts) bool { return g.N > 1 })
	return f, true
}
