package runs

import (
	"cmp"
	"math"
	"slices"
)

// Find marks the tables of a run that hold an evaluation, by the size of their groups and by prompts
// that come again. Tables that have evidence already keep it, and tell of others. A run that was started
// again has several attempts, each with its steps; the evaluations of one tell of those of the others.
//
// An evaluation asks the same prompts each time, in the same order, at multiples of eval_steps:
// huggingface/trl@1.16.0 trl/trainer/grpo_trainer.py:1318 makes the sampler anew from one seed.
func Find(attempts ...[]*Table) {
	for _, tables := range attempts {
		slices.SortStableFunc(tables, func(a, b *Table) int { return cmp.Compare(a.Step, b.Step) })
		bySize(tables)
		for n := tailGroups; n > 0 && !byPrompts(tables, n); n-- {
		}
	}
	for i, tables := range attempts {
		for j, others := range attempts {
			for _, t := range tables {
				isLike := func(o *Table) bool { return o.Evidence != "" && o.EndsLike(t) }
				if i != j && t.Evidence == "" && !t.unknown() && t.groups > 1 && slices.ContainsFunc(others, isLike) {
					t.Evidence = SamePrompts
				}
			}
		}
	}
}

// bySize marks tables whose groups have another size than those of most tables, if the tables around it
// have the usual one: a run that is resumed with another num_generations keeps that. Once the size of
// evaluations is known, the newest table needs no other after it.
func bySize(tables []*Table) {
	usual, ok := usualSize(tables)
	if !ok {
		return
	}
	known := map[int]bool{} // sizes of evaluations
	for range 2 {
		for i, t := range tables {
			size := t.groupSize()
			if t.Evidence == "" && !t.unknown() && size != usual && (known[size] || isAlone(tables, i, usual)) {
				t.Evidence, known[size] = GroupSize, true
			}
		}
	}
}

// usualSize returns the size of the groups of most tables, ok if more than half have it.
func usualSize(tables []*Table) (size int, ok bool) {
	counts, all := map[int]int{}, 0
	for _, t := range tables {
		if t.Evidence == "" && !t.unknown() {
			counts[t.groupSize()]++
			all++
		}
	}
	for n, count := range counts {
		if 2*count > all && n > 0 {
			return n, true
		}
	}
	return 0, false
}

// isAlone reports whether the tables of training before and after table i have groups of the usual
// size. There may be none before it.
func isAlone(tables []*Table, i, usual int) bool {
	before, after := i-1, i+1
	for before >= 0 && tables[before].Evidence != "" {
		before--
	}
	for after < len(tables) && tables[after].Evidence != "" {
		after++
	}
	return (before < 0 || tables[before].groupSize() == usual) && after < len(tables) && tables[after].groupSize() == usual
}

// The chance that training asks the same prompts at regular steps must be below 1 in 10,000, given how
// often its prompts come again; 1 in 10 is enough if one of the steps is known to be an evaluation.
const (
	minDigits      = 4
	minKnownDigits = 1
)

// maxShift is which share of the other steps may have the prompts of the step that is one period
// before: data that is not shuffled comes again in each epoch, with all of its steps.
const maxShift = 0.1

// class is the tables whose last groups have the same prompts, ascending by step.
type class []*Table

// byPrompts marks the tables that end with the same n groups at regular steps. It returns whether
// there are some.
func byPrompts(tables []*Table, n int) bool {
	classes := map[[tailGroups]uint64]class{}
	for _, t := range tables {
		if prompts, ok := t.end(n); ok {
			classes[prompts] = append(classes[prompts], t)
		}
	}
	found, seen := false, map[[tailGroups]uint64]bool{}
	for _, t := range tables {
		prompts, _ := t.end(n)
		c := classes[prompts]
		if seen[prompts] {
			continue
		}
		seen[prompts] = true
		if len(c) > 1 && slices.ContainsFunc(c, func(t *Table) bool { return t.Evidence == "" }) && c.isEvaluation(tables, classes, n) {
			for _, t := range c {
				if t.Evidence == "" {
					t.Evidence = SamePrompts
				}
			}
			found = true
		}
	}
	return found
}

// isEvaluation reports whether a class is that of evaluations: at all multiples of a number of steps,
// by more than chance, while other steps do not come again so.
func (c class) isEvaluation(tables []*Table, classes map[[tailGroups]uint64]class, n int) bool {
	period, ok := c.period(tables)
	if !ok || c.shifted(tables, period, n) > maxShift {
		return false
	}
	need := float64(minDigits)
	if slices.ContainsFunc(c, func(t *Table) bool { return t.Evidence != "" }) {
		need = minKnownDigits
	}
	return float64(len(c)-1)*digits(c, classes, n) >= need
}

// period returns the number of steps between two evaluations, at least 2, ok if the class has all
// steps that are multiples of it, from its first on. The newest step may differ: its evaluation may
// not be done, and one at the end of the run may come at any step.
func (c class) period(tables []*Table) (period int64, ok bool) {
	newest := tables[len(tables)-1].Step
	if p, ok := c.regular(tables, newest); ok {
		return p, true
	}
	if end := len(c) - 1; end > 1 && c[end].Step == newest {
		return c[:end].regular(tables, newest)
	}
	return 0, false
}

// regular is period without the exception for the end of the run.
func (c class) regular(tables []*Table, newest int64) (period int64, ok bool) {
	has, divisor := map[int64]bool{}, 0
	for _, t := range c {
		has[t.Step], divisor = true, gcd(divisor, int(t.Step))
	}
	if period = int64(divisor); period < 2 {
		return 0, false
	}
	for _, t := range tables {
		if t.Step%period == 0 && t.Step >= c[0].Step && t.Step < newest && !has[t.Step] {
			return 0, false
		}
	}
	return period, true
}

// shifted returns which share of the steps of training end with the same n groups as the step one
// period before. If no two steps are so far apart, it is 0 if all end differently, and else 1.
func (c class) shifted(tables []*Table, period int64, n int) float64 {
	own, ends := map[*Table]bool{}, map[int64][tailGroups]uint64{}
	for _, t := range c {
		own[t] = true
	}
	for _, t := range tables {
		if prompts, ok := t.end(n); ok && t.Evidence == "" && !own[t] {
			ends[t.Step] = prompts
		}
	}
	pairs, equal := 0, 0
	for step, prompts := range ends {
		if before, ok := ends[step-period]; ok {
			pairs++
			if before == prompts {
				equal++
			}
		}
	}
	if pairs == 0 {
		different := map[[tailGroups]uint64]bool{}
		for _, prompts := range ends {
			different[prompts] = true
		}
		if len(ends) > 1 && len(different) == len(ends) {
			return 0
		}
		return 1
	}
	return float64(equal) / float64(pairs)
}

// digits returns how improbable it is that two steps of training end with the same n groups, as the
// number of zeros: 3 for 1 in 1000.
func digits(c class, classes map[[tailGroups]uint64]class, n int) float64 {
	steps, equal, names := 0, 0, map[uint64]bool{}
	for prompts, other := range classes {
		if slices.Contains(other, c[0]) {
			continue
		}
		steps, equal = steps+len(other), equal+len(other)*(len(other)-1)/2
		for _, prompt := range prompts[:n] {
			names[prompt] = true
		}
	}
	pairs := max(1, steps*(steps-1)/2)
	if equal > 0 {
		return -math.Log10(float64(equal+1) / float64(pairs+1))
	}
	return max(math.Log10(float64(pairs)), float64(n)*math.Log10(float64(max(1, len(names)))))
}

// AskSamePrompts reports whether all steps of training, at least three, asked the same prompts in the
// same order. That is so if the data set is one batch, and if each logged step is an evaluation.
func AskSamePrompts(tables []*Table) bool {
	steps := map[int64]bool{}
	var first *Table
	for _, t := range tables {
		switch {
		case t.Evidence != "":
			continue
		case first == nil:
			first = t
		case t.unknown() || t.groups < 2 || !t.EndsLike(first):
			return false
		}
		steps[t.Step] = true
	}
	return len(steps) > 2
}
