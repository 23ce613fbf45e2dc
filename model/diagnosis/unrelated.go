package diagnosis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// Limits of ids whose prompts have nothing to do with each other.
const (
	unrelatedSteps = 16   // that are looked at
	unrelatedPairs = 20   // of prompts of one id, at least
	turnPrefix     = 0.8  // of the shorter prompt begins both: the later one is a turn of the earlier
	moreAlike      = 0.05 // share of words by which prompts of one id are more alike than others: what belongs together is
	evenRows       = 2    // times as many rows as another prompt of the id has one at most: the first turn of a group has more
)

// relation is what pairs of prompts show.
type relation struct {
	pairs, turns, truths, differ int     // of one id: all, prefixes of each other, with both truths, with different ones
	within, between              Moments // share of words that two prompts have in common, of one id and of two
}

// areUnrelated reports whether prompts of one id are of different problems: by their truths, or because they are no more alike than those
// of other ids.
func (r *relation) areUnrelated() bool {
	switch {
	case r.pairs < unrelatedPairs || 5*r.turns > r.pairs:
		return false
	case 2*r.truths > r.pairs:
		return 10*r.differ > 9*r.truths
	}
	return r.between.N >= unrelatedPairs && r.within.mean() <= r.between.mean()+moreAlike
}

// unrelated finds ids that hold the prompts of many problems where there are more prompts than ids, as if they were turns of rollouts.
func (e *evidence) unrelated() (Finding, bool) {
	s := e.seriesOf(func(s *Observed) Moments {
		if !e.hasMorePrompts(s) {
			return Moments{}
		}
		return Moments{N: s.ids, Sum: float64(s.mixed), Squares: float64(s.mixed)}
	})
	from := s.turn(0, mixedFrom, 1)
	after := s.pooled(from, len(s))
	if from == len(s) || after.mean() < mixedFrom || after.Sum < leastMixed || e.texts == nil {
		return Finding{}, false
	}
	steps := slices.DeleteFunc(model.Indexes(len(s)), func(i int) bool { return i < from || s[i].Sum == 0 })
	r := e.relationOfPrompts(spread(steps, unrelatedSteps))
	if !r.areUnrelated() {
		return Finding{}, false
	}
	f := e.finding(s, "groups of several prompts", from, len(s), true, "groups")
	f.Title = fmt.Sprintf("%s of group ids hold answers to several prompts that have nothing to do with each other",
		units.Share(after.mean()))
	if ids, steps := after.N, s[from:].steps(); ids == steps {
		f.Title = "one group id holds all prompts of a step"
	}
	f.Example = e.example(from, func(*GroupFacts) bool { return true })
	return f, true
}

// relationOfPrompts compares the prompts of one id with each other, and with those of the id before, at some steps.
func (e *evidence) relationOfPrompts(steps []int) (r relation) {
	read := e.readPrompts()
	var before []uint32 // of another id
	for _, i := range steps {
		for _, prompts := range e.promptsOfIDs(i) {
			prompts = slices.DeleteFunc(prompts, func(p uint32) bool { return read.texts[p] == "" })
			for k := 1; k < min(len(prompts), stepTexts); k++ {
				x, y := prompts[k-1], prompts[k]
				r.addPair(read, x, y)
				if k < len(before) && before[k] != y {
					r.between.add(commonWords(read.words(before[k]), read.words(y)))
				}
			}
			before = prompts
		}
	}
	return r
}

// addPair adds two prompts of one id.
func (r *relation) addPair(read *readPrompts, x, y uint32) {
	r.pairs++
	r.turns += model.Count01(isTurn(read.rest(x), read.rest(y)))
	if len(read.truths[x]) > 0 && len(read.truths[y]) > 0 {
		r.truths++
		r.differ += model.Count01(!slices.Equal(read.truths[x], read.truths[y]))
	}
	r.within.add(commonWords(read.words(x), read.words(y)))
}

// readPrompts are the prompts of the answers that were read.
type readPrompts struct {
	texts  map[uint32]string
	truths map[uint32][]string
	common int // bytes with which all of them begin
}

func (e *evidence) readPrompts() *readPrompts {
	read := &readPrompts{texts: map[uint32]string{}, truths: map[uint32][]string{}}
	for i := range e.texts.answers {
		a := &e.texts.answers[i]
		read.texts[a.prompt], read.truths[a.prompt] = a.asks, a.truths
	}
	read.common = commonPrefix(slices.Collect(maps.Values(read.texts)))
	return read
}

// rest is the text of a prompt after what is common to all.
func (p *readPrompts) rest(prompt uint32) string { return p.texts[prompt][p.common:] }

// words are the words of a prompt after what is common to all.
func (p *readPrompts) words(prompt uint32) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(p.rest(prompt)) {
		words[w] = true
	}
	return words
}

// hasMorePrompts reports whether a step has more prompts than ids, beyond what ids that mix whole groups would have, none of which unfolds.
func (e *evidence) hasMorePrompts(s *Observed) bool {
	return s.ids > 0 && float64(s.prompts) > mixedPrompts*float64(s.ids) && 10*e.snap.Steps[s.Index].UnfoldingIDs <= s.ids
}

// promptsOfIDs are the prompts of each id of step i, of those that have several of about as many rows each.
func (e *evidence) promptsOfIDs(i int) (all [][]uint32) {
	step := &e.snap.Steps[e.Steps[i].Index]
	rows, offsets, err := e.snap.Layout(model.GroupRule{By: model.GroupByID}, e.Steps[i].Index)
	if err != nil {
		return nil
	}
	for k := range len(offsets) - 1 {
		count, order := map[uint32]int{}, []uint32(nil)
		for _, row := range rows[offsets[k]:offsets[k+1]] {
			p := step.PromptNumber(int(row))
			if count[p]++; count[p] == 1 && p > 0 {
				order = append(order, p)
			}
		}
		counts := slices.Collect(maps.Values(count))
		if len(order) > 1 && slices.Max(counts) <= evenRows*slices.Min(counts) {
			all = append(all, order)
		}
	}
	return all
}

// isTurn reports whether one of two prompts begins with the other, or nearly.
func isTurn(a, b string) bool {
	shorter := min(len(a), len(b))
	return float64(commonPrefix([]string{a, b})) >= turnPrefix*float64(shorter)
}

// commonPrefix is how many bytes all texts begin with alike.
func commonPrefix(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	n := len(texts[0])
	for _, t := range texts[1:] {
		k := 0
		for k < min(n, len(t)) && t[k] == texts[0][k] {
			k++
		}
		n = k
	}
	return n
}

func commonWords(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		both += model.Count01(b[w])
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}
