package diagnosis

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// Limits of what rows and prompts tell.
const (
	samePrompts  = 0.9  // of the prompts of a step are those of the step before
	stuckSteps   = 3    // in a row: two may be a resumed run
	againShare   = 0.8  // of the groups of a step were in an earlier one
	leastAgain   = 32   // groups of prompts that come again tell how often they have the same numbers
	twinBits     = 20   // of chance that rows without twins would have left: one run in a million
	stuckAlone   = 8    // steps in a row of one prompt: a single one comes again by chance
	aloneShare   = 0.9  // of the groups of a probe are one answer to a prompt
	probeGap     = 20   // steps between two that are logged: trainers evaluate so seldom, and log their batches more often
	mixedFrom    = 0.1  // of groups hold several prompts
	leastMixed   = 10   // groups: fewer are some rows of an evaluation
	tornFrom     = 1.5  // group ids a prompt: half of the prompts are in two groups
	tornPieces   = 1.95 // where it was never otherwise: some prompts may be drawn twice, hardly all
	templates    = 2    // prompts in a whole log are no prompts, but what stands before them
	mixedPrompts = 1.25 // times as many ids as prompts, or more prompts than that, are not ids of prompts, or prompts with a state of their own
)

// stuck finds steps that train on the same again.
func stuck(e *evidence) ([]Finding, string) {
	if e.snap.Run.EvaluatesOnly {
		return nil, "evaluations may ask the same prompts each time"
	}
	for _, find := range []func() (Finding, bool){e.rowsTwice, e.stepsAgain, e.sameBatch, e.replayed, e.onePrompt} {
		if f, found := find(); found {
			return []Finding{f}, ""
		}
	}
	switch {
	case !e.prompts:
		return nil, "the log has no prompts"
	case e.isProbe():
		return nil, fmt.Sprintf("the same prompts come every %s: they may be an evaluation", units.Plural(int(e.usualGap()), "steps"))
	case e.beginAlike():
		return nil, "answers of several groups begin with one prompt, as in an environment that shows its task later"
	}
	return nil, ""
}

// areTurns reports whether in most steps most rows are turns of longer answers.
func (o *Observations) areTurns() bool {
	steps := 0
	for i := range o.Steps {
		steps += model.Count01(o.Steps[i].turns)
	}
	return 2*steps > len(o.Steps)
}

// beginAlike reports whether rows are turns, and the first prompt of an answer does not tell which task it is of: groups share it.
func (e *evidence) beginAlike() bool {
	if !e.areTurns() {
		return false
	}
	groups, prompts := 0, 0
	for i := range e.Steps {
		groups, prompts = groups+len(e.Steps[i].Groups), prompts+len(e.promptsOf(i, i+1))
	}
	return float64(groups) > mixedPrompts*float64(prompts)
}

// sameBatch finds steps with the prompts of the step before.
func (e *evidence) sameBatch() (Finding, bool) {
	if !e.prompts || e.beginAlike() {
		return Finding{}, false
	}
	s, alone := make(series, len(e.Steps)), true
	for i := 1; i < len(e.Steps); i++ {
		s[i] = e.repeated(i)
		alone = alone && s[i].N <= 1
	}
	from, to := longestStretch(s, func(m Moments) bool { return m.N > 0 && m.Sum >= samePrompts*float64(m.N) })
	if to-from < stuckSteps || alone && to-from < stuckAlone || to-from == len(s)-1 && e.isProbe() {
		return Finding{}, false
	}
	usual, span := 0.0, s.span() // where few prompts are drawn again and again a step may have those of the last by chance
	for _, near := range []Moments{s.pooled(from-span, from), s.pooled(to, to+span)} {
		if near.N > 0 {
			usual = max(usual, near.mean())
		}
	}
	if float64(len(s))*math.Pow(usual, s.pooled(from, to).Sum) > rare {
		return Finding{}, false
	}
	f := e.finding(s, "prompts of the step before", from, to, true, "prompts")
	f.Title = fmt.Sprintf("%s in a row have the prompts of the step before", units.Plural(to-from, "steps"))
	f.Example = e.example(from, func(*GroupFacts) bool { return true })
	return f, true
}

// repeated counts the prompts of a step, and how many of them the step before has.
func (e *evidence) repeated(i int) Moments {
	before := e.promptsOf(i-1, i)
	now, both := map[uint32]bool{}, 0
	for _, g := range e.Steps[i].Groups {
		if g.Prompt > 0 && !now[g.Prompt] {
			now[g.Prompt] = true
			if before[g.Prompt] {
				both++
			}
		}
	}
	return Moments{N: len(now), Sum: float64(both), Squares: float64(both)}
}

// isProbe reports whether the steps look like those of evaluations on fixed prompts: each is as many steps after the one before, which
// are not logged, but for the first and the last, and has one answer to each prompt. Several answers to each may be a batch of a trainer
// that logs now and then, unless that is very seldom and without advantages.
func (e *evidence) isProbe() bool {
	gap := e.usualGap()
	if gap < 2 || !e.prompts {
		return false
	}
	groups, alone, advantages := 0, 0, false
	for i := range e.Steps {
		s, isEnd := &e.Steps[i], i == 1 || i == len(e.Steps)-1
		if i > 0 && !isEnd && (s.Step-e.Steps[i-1].Step)%gap != 0 {
			return false
		}
		for k := range s.Groups {
			groups, alone = groups+1, alone+model.Count01(s.Groups[k].N == 1)
		}
		advantages = advantages || e.snap.Steps[s.Index].LoggedAdvantages != nil
	}
	return float64(alone) >= aloneShare*float64(groups) || gap >= probeGap && !advantages
}

// usualGap is the most common number of steps from one that is logged to the next, 0 in a log of less than three.
func (e *evidence) usualGap() int64 {
	if len(e.Steps) < 3 {
		return 0
	}
	gaps := map[int]int{}
	for i := 1; i < len(e.Steps); i++ {
		gaps[int(e.Steps[i].Step-e.Steps[i-1].Step)]++
	}
	return int64(model.MostCommon(gaps))
}

// promptsOf are the prompts of steps [from, to), with 0 if a group has none.
func (e *evidence) promptsOf(from, to int) map[uint32]bool {
	prompts := map[uint32]bool{}
	for i := from; i < to; i++ {
		for _, g := range e.Steps[i].Groups {
			prompts[g.Prompt] = true
		}
	}
	return prompts
}

// longestStretch returns the longest stretch of steps of which something holds.
func longestStretch(s series, holds func(Moments) bool) (from, to int) {
	for i := 0; i < len(s); i++ {
		k := i
		for k < len(s) && holds(s[k]) {
			k++
		}
		if k-i > to-from {
			from, to = i, k
		}
		i = max(i, k-1)
	}
	return from, to
}

// rowsTwice finds steps in which every row has a twin.
func (e *evidence) rowsTwice() (Finding, bool) {
	s := make(series, len(e.Steps)) // 1 if all groups have twins; the bits are in Squares
	for i := range e.Steps {
		bits, all := 0, len(e.Steps[i].Groups) > 0
		for _, g := range e.Steps[i].Groups {
			all = all && g.Twins
			bits += int(g.Differ) - 1
		}
		s[i] = Moments{N: 1}
		if all {
			s[i].Sum, s[i].Squares = 1, float64(bits)
		}
	}
	from, to := longestStretch(s, func(m Moments) bool { return m.Sum == 1 })
	for from < to && s[from].Squares == 0 {
		from++
	}
	if s.pooled(from, to).Squares < twinBits {
		return Finding{}, false
	}
	f := Finding{Severity: Alarm, first: from, last: to - 1, Series: Series{"all rows twice", s.values()}}
	f.Title = "every row is there twice"
	switch logged := e.factsFrom(from); { // who halves the groups sees other deviations than the trainer, if that saw both copies
	case logged.Whole > logged.Living()/2 && logged.Whole > 2*logged.Halved:
		f.Title = fmt.Sprintf("each answer is there twice in its group, and the trainer trained on both copies: %s of %s have the "+
			"logged advantages of all their samples",
			units.Count(logged.Whole), units.Plural(logged.Living(), "groups"))
		f.Advice = "the engines sample the same: give each inference engine, or data-parallel rank, its own seed; until then a group " +
			"holds half as many distinct answers as it has samples"
	case logged.Halved > logged.Living()/2 && logged.Halved > 2*logged.Whole:
		f.Title += fmt.Sprintf(": the log was written twice, since %s of %s have the logged advantages of half their samples",
			units.Count(logged.Halved), units.Plural(logged.Living(), "groups"))
	}
	f.Evidence = []Evidence{e.around(s, "steps in which every row is there twice", from, to, true, "steps")}
	f.Example = e.example(from, func(g *GroupFacts) bool { return g.Twins && g.Differ > 1 })
	return f, true
}

// stepsAgain finds steps that hold the groups of an earlier one.
func (e *evidence) stepsAgain() (Finding, bool) {
	if !e.lengths {
		return Finding{}, false // rewards alone are too often the same
	}
	if !e.printsComeAgain() {
		return Finding{}, false
	}
	s, first, n, last := e.groupsAgain(e.bitsOfGroups()), -1, 0, 0
	for i, m := range s {
		if m.Sum >= againShare && (len(e.Steps[i].Groups) > 1 || e.Steps[i].Rows > 4) {
			if n++; first < 0 {
				first = i
			}
			last = i
		}
	}
	if n < 2 {
		return Finding{}, false
	}
	f := e.finding(s, "groups of an earlier step", first, last+1, true, "steps")
	f.Title = fmt.Sprintf("%s hold the answers of an earlier step", units.Plural(n, "steps"))
	f.Example = e.example(first, func(*GroupFacts) bool { return true })
	return f, true
}

// groupsAgain is the share of the groups of each step that were together in an earlier one, 0 where that may be chance.
func (e *evidence) groupsAgain(bits func(*GroupFacts) float64) series {
	at := map[uint64]int{} // the newest step that had such a group
	s := make(series, len(e.Steps))
	for i := range e.Steps {
		same, most := map[int]Moments{}, Moments{} // groups of an earlier step, with the bits of their match
		seen := map[uint64]bool{}
		for k := range e.Steps[i].Groups {
			g := &e.Steps[i].Groups[k]
			if before, found := at[g.Print]; found && g.N > 1 {
				m, twin := same[before], seen[g.Print] // which tells no more than the first
				m.N++
				if seen[g.Print] = true; !twin {
					m.Sum += bits(g)
				}
				if same[before] = m; m.N > most.N {
					most = m
				}
			}
		}
		orders, _ := math.Lgamma(float64(len(e.Steps[i].Groups) + 1)) // in which the groups of a step may be those of another
		if most.Sum-orders/math.Ln2-math.Log2(float64(i+1)) < twinBits {
			most.N = 0
		}
		s[i].add(float64(most.N) / float64(max(1, len(e.Steps[i].Groups))))
		for _, g := range e.Steps[i].Groups {
			at[g.Print] = i
		}
	}
	return s
}

// printsComeAgain reports whether two groups of several rows may have the same numbers, as they do in few runs.
func (e *evidence) printsComeAgain() bool {
	n := 0
	for i := range e.Steps {
		n += len(e.Steps[i].Groups)
	}
	table := model.HashTable[uint32](1 << bits.Len(uint(2*n))) // by linear probing; 0 where there is none
	mask := uint64(len(table) - 1)
	for i := range e.Steps {
		for k := range e.Steps[i].Groups {
			g := &e.Steps[i].Groups[k]
			if g.N < 2 {
				continue
			}
			at, rest := g.Print&mask, uint32(g.Print>>32)|1
			for ; table[at] != 0; at = (at + 1) & mask {
				if table[at] == rest {
					return true
				}
			}
			table[at] = rest
		}
	}
	return false
}

// bitsOfGroups returns how much it says that a group has the numbers of an earlier one: the logarithm of how seldom any two of its size
// do, or of how seldom its rows would all meet again by chance, in whatever order, whichever is more.
func (e *evidence) bitsOfGroups() func(*GroupFacts) float64 {
	type printed struct {
		of uint64
		n  int32
	}
	var prints []printed
	groups, same, rows := map[int32]float64{}, map[int32]float64{}, Moments{N: 1, Sum: 1} // rows: pairs of a group, and equal ones
	for i := range e.Steps {
		for _, g := range e.Steps[i].Groups {
			prints = append(prints, printed{g.Print, g.N})
			groups[g.N]++
			rows.N, rows.Sum = rows.N+pairs(g.N), rows.Sum+float64(g.Equal)
		}
	}
	sort.Slice(prints, func(i, k int) bool { return prints[i].of < prints[k].of })
	for lo, hi := 0, 1; hi <= len(prints); hi++ {
		if hi == len(prints) || prints[hi].of != prints[lo].of {
			same[prints[lo].n] += float64(hi-lo) * float64(hi-lo-1)
			lo = hi
		}
	}
	ofPrompt := e.bitsOfPrompts()
	return func(g *GroupFacts) float64 {
		n, p := groups[g.N], max(rows.mean(), float64(g.Equal)/float64(max(1, pairs(g.N))))
		orders, _ := math.Lgamma(float64(g.N) + 1)
		return max(min(math.Log2(max(1, n*(n-1))/(1+same[g.N])), ofPrompt), -float64(g.N)*math.Log2(p)-orders/math.Ln2)
	}
}

// bitsOfPrompts returns how much it says at most that a group has the numbers of the last one of its prompt: little where prompts that come
// again often do, as those that are solved each time, in answers of one length. Steps that may be earlier ones say nothing of that.
func (e *evidence) bitsOfPrompts() float64 {
	last, again, same := map[uint32]uint64{}, 0, 0
	for i := range e.Steps {
		groups := e.Steps[i].Groups
		seen, equal := 0, 0
		for k := range groups {
			if before, found := last[groups[k].Prompt]; found && groups[k].Prompt > 0 {
				seen++
				equal += model.Count01(before == groups[k].Print)
			}
		}
		if float64(equal) < againShare*float64(len(groups)) {
			again, same = again+seen, same+equal
		}
		for k := range groups {
			last[groups[k].Prompt] = groups[k].Print
		}
	}
	if again < leastAgain {
		return math.Inf(1)
	}
	return math.Log2(float64(again+1) / float64(same+1))
}

func pairs(n int32) int { return int(n) * int(n-1) / 2 }

// mixup finds groups of several prompts, and prompts whose answers are torn into several groups.
func mixup(e *evidence) ([]Finding, string) {
	if f, found := e.answersAway(); found {
		return []Finding{f}, ""
	}
	ids := 0
	mixed := e.seriesOf(func(s *Observed) Moments {
		ids += s.ids
		n := s.prompts
		if s.ids == 0 || float64(s.ids) > mixedPrompts*float64(n) || float64(n) > mixedPrompts*float64(s.ids) {
			return Moments{}
		}
		return Moments{N: s.ids, Sum: float64(s.mixed), Squares: float64(s.mixed)}
	})
	if f, found := e.provedMixed(); found {
		return []Finding{f}, ""
	}
	if ids == 0 && e.groupsAreProved() {
		return nil, ""
	}
	if ids == 0 {
		return nil, "the log has prompts but no group ids"
	}
	from := mixed.turn(0, mixedFrom, 1)
	if after := mixed.pooled(from, len(mixed)); from < len(mixed) && after.Sum >= leastMixed && after.mean() >= mixedFrom {
		f := e.finding(mixed, "groups of several prompts", from, len(mixed), true, "groups")
		f.Title = fmt.Sprintf("%s of groups hold answers to several prompts", units.Share(after.mean()))
		f.Example = e.example(from, func(*GroupFacts) bool { return true })
		return []Finding{f}, ""
	}
	for _, find := range []func() (Finding, bool){e.unrelated, e.torn} {
		if f, found := find(); found {
			return []Finding{f}, ""
		}
	}
	return nil, ""
}

// provedMixed finds groups that the logged advantages prove, and that hold several prompts.
func (e *evidence) provedMixed() (Finding, bool) {
	if !e.rule.Proved || e.areTurns() {
		return Finding{}, false
	}
	mixed := e.seriesOf(func(s *Observed) Moments {
		if n := len(s.Groups); float64(s.prompts) <= mixedPrompts*float64(n) {
			return shareOf(s.several, n)
		}
		return Moments{} // rows have prompts of their own
	})
	from := mixed.turn(0, mixedFrom, 1)
	after := mixed.pooled(from, len(mixed))
	if after.Sum < leastMixed || after.mean() < mixedFrom {
		return Finding{}, false
	}
	f := e.finding(mixed, "groups of several prompts", from, len(mixed), true, "groups")
	f.Title = fmt.Sprintf("%s of %s hold answers to several prompts: %s",
		units.Count(int(after.Sum)), units.Plural(after.N, "groups"), e.snap.Division(e.rule))
	f.Advice = "check how the trainer makes groups of rows: a reshape to (−1, answers per prompt) needs the answers to one prompt in " +
		"consecutive rows, whatever the batch of a device; group by an id of the prompt instead"
	f.Example = e.exampleAt(from, func(step, group int) bool { return e.Steps[step].Groups[group].Several })
	return f, true
}

// groupsAreProved reports whether the logged advantages are those of the groups, because they sum to 0 in each.
func (e *evidence) groupsAreProved() bool {
	logged := e.factsFrom(0)
	return logged.Living() >= leastContradicted && logged.ZeroSum == logged.Living()
}

// wholeAgain counts the groups of prompts that came more than once, beyond the first of each, if they are as large as those of the
// prompts that came once, in this step or else in the last that had some: such prompts are drawn again, and not torn. usual is the size
// of these, which it also returns. again is 0 where groups are not those of the ids.
func (s *Observed) wholeAgain(usual int32) (again int, whole int32) {
	if len(s.Groups) != s.ids {
		return 0, usual
	}
	type visits struct {
		groups int
		least  int32 // samples of a group
	}
	byPrompt := map[uint32]visits{}
	for _, g := range s.Groups {
		v := byPrompt[g.Prompt]
		if v.groups++; v.groups == 1 || g.N < v.least {
			v.least = g.N
		}
		byPrompt[g.Prompt] = v
	}
	for _, v := range byPrompt {
		if v.groups == 1 {
			whole = max(whole, v.least)
		}
	}
	if whole == 0 {
		whole = usual
	}
	for _, v := range byPrompt {
		if v.groups > 1 && whole > 1 && v.least >= whole {
			again += v.groups - 1
		}
	}
	return again, whole
}

// torn finds prompts with several group ids.
func (e *evidence) torn() (Finding, bool) {
	rows, prompts, whole := 0, e.promptsOf(0, len(e.Steps)), int32(0)
	s := e.seriesOf(func(s *Observed) Moments {
		n := s.prompts
		if n == 0 || s.ids == 0 || n == 1 && len(prompts) <= templates {
			return Moments{}
		}
		rows += s.Rows
		ids := s.ids
		switch {
		case ids > n:
			var again int
			again, whole = s.wholeAgain(whole)
			ids -= again
		case ids == len(s.Groups):
			whole = slices.MaxFunc(s.Groups, func(a, b GroupFacts) int { return cmp.Compare(a.N, b.N) }).N
		}
		return Moments{N: n, Sum: float64(ids), Squares: float64(ids) * float64(ids) / float64(n)}
	})
	from := s.beyond(tornFrom)
	if from == len(s) {
		return Finding{}, false
	}
	before, after := s.pooled(0, from), s.pooled(from, len(s))
	if after.mean() < tornFrom || after.N < leastMixed || before.N == 0 && after.mean() < tornPieces {
		return Finding{}, false
	}
	f := e.finding(s, "group ids of a prompt", from, len(s), false, "prompts")
	f.Title = fmt.Sprintf("the answers to one prompt are torn into %s groups", units.Short(after.mean()))
	if int(after.Sum) == rows {
		f.Severity = Watch // ids may number rows
		f.Title = "every row has a group id of its own: groups of one sample teach nothing, unless the trainer groups by something else"
	}
	f.Example = e.example(from, func(*GroupFacts) bool { return true })
	return f, true
}

// The words by which names of reward columns tell what an answer is worth from how it is written.
var (
	substanceWords = []string{"accura", "correct", "exact", "answer", "solve", "pass", "test", "math", "verif", "success", "outcome", "f1"}
	styleWords     = []string{
		"format", "style", "tone", "polite", "citation", "length", "len_", "brevity", "tag", "think", "xml", "repeti",
		"penalty", "language", "lang", "markdown", "json", "soft", "strict",
	}
)

func isSubstance(name string) bool { return HasWord(name, substanceWords) && !isStyle(name) }

func isStyle(name string) bool { return HasWord(name, styleWords) }

// HasWord reports whether a name holds one of some words, in whatever case.
func HasWord(name string, words []string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}
