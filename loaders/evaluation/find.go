package evaluation

import (
	"cmp"
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
		find(tables)
	}
	for i, tables := range attempts {
		for j, others := range attempts {
			if i != j {
				carry(tables, others)
			}
		}
	}
}

// carry marks the tables that end like an evaluation of another attempt.
func carry(tables, others []*Table) {
	for _, t := range tables {
		if t.Evidence == "" && !t.unknown() && t.groups > 1 && slices.ContainsFunc(others, func(o *Table) bool { return o.Evidence != "" && o.EndsLike(t) }) {
			t.Evidence = SamePrompts
		}
	}
}

// find is Find for one attempt.
func find(tables []*Table) {
	slices.SortStableFunc(tables, func(a, b *Table) int { return cmp.Compare(a.Step, b.Step) })
	bySize(tables)
	for n := tailGroups; n > 0; n-- {
		if byPrompts(tables, n) {
			return
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
