package clickhouse

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"vantage/loaders/discover"
)

// choice is which parts of the steps are read. The zero value reads all.
type choice struct {
	attempts    [][]start // oldest first, each the starts of which it consists; nil if no column tells them
	shown       int       // number of the attempt that is read, from 1; 0 is all
	evaluations []string  // values of the column for splits that mean an evaluation
	split       discover.Split
}

// start is one start of the run.
type start struct {
	value string
	first int64   // step
	later []int64 // the first steps of later starts of the same attempt, which replace what stands from there on
}

// replacedAt returns the step at which the run was resumed so that rows of a step were replaced.
func (s start) replacedAt(step int64) (resumed int64, replaced bool) {
	i := slices.IndexFunc(s.later, func(first int64) bool { return first <= step })
	if i < 0 {
		return 0, false
	}
	return s.later[i], true
}

// choose decides what to read of the parts: attempt as [Options.Attempt]. Doubt is a sentence on starts that cannot be
// told apart.
func (t *table) choose(parts tally, attempt int, split discover.Split) (c choice, doubt string) {
	c.split = cmp.Or(split, discover.SplitTrain)
	hasTraining := false
	values := map[string]bool{}
	for _, all := range parts {
		for _, p := range all {
			values[p.split] = true
		}
	}
	for _, value := range slices.Sorted(maps.Keys(values)) {
		if isEvaluation(t.m.split.name, value) {
			c.evaluations = append(c.evaluations, value)
		} else {
			hasTraining = true
		}
	}
	if c.split == discover.SplitTrain && !hasTraining && len(c.evaluations) > 0 {
		c.split = discover.SplitVal
	}
	starts, known := c.findStarts(parts)
	if !known {
		doubt = fmt.Sprintf("counted as one run, though %s has %d values (%s, %s, …) and nothing tells which is the newest: name the column that says when rows were written with written=COLUMN in the address", t.m.attempt.name, len(starts), nameOf(starts[0].value), nameOf(starts[1].value))
		starts = nil
	}
	if c.shown = max(0, attempt); len(starts) > 1 {
		c.attempts = toAttempts(starts)
		if attempt == newestAttempt {
			c.shown = len(c.attempts)
		}
	}
	return c, doubt
}

// nameOf is a value of a column as it is shown.
func nameOf(value string) string {
	if value == "" {
		return "NULL"
	}
	return value
}

// findStarts returns the starts of the run in their order: that of their numbers, or of when their first rows were
// written. It reports whether the order is known.
func (c *choice) findStarts(parts tally) (starts []start, known bool) {
	found, written := map[string]int64{}, map[string]float64{}
	for step, all := range parts {
		for _, p := range all {
			if !c.isOfSplit(p.split) {
				continue
			}
			if first, ok := found[p.attempt]; !ok || step < first {
				found[p.attempt] = step
			}
			if at, ok := written[p.attempt]; !ok || p.written < at {
				written[p.attempt] = p.written
			}
		}
	}
	number := func(value string) float64 {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil && value != "" { // rows of before there was such a column
			known = false
		}
		return n
	}
	known = true
	order := map[string]float64{}
	for value, first := range found {
		order[value] = number(value)
		starts = append(starts, start{value: value, first: first})
	}
	if !known {
		order, known = written, len(starts) < 2 || !slices.Contains(slices.Collect(maps.Values(written)), 0)
	}
	slices.SortFunc(starts, func(a, b start) int {
		return cmp.Or(cmp.Compare(order[a.value], order[b.value]), cmp.Compare(a.value, b.value))
	})
	return starts, known
}

// toAttempts divides starts into attempts as package attempts does for files: one from the first step of its attempt, or
// before, is a new attempt, any other continues it and replaces what was written from its first step on.
func toAttempts(starts []start) (all [][]start) {
	for _, s := range starts {
		if len(all) == 0 || s.first <= all[len(all)-1][0].first {
			all = append(all, []start{s})
			continue
		}
		newest := &all[len(all)-1]
		for i := range *newest {
			(*newest)[i].later = append((*newest)[i].later, s.first)
		}
		*newest = append(*newest, s)
	}
	return all
}

// newestAttempt is the value of [Options.Attempt] for the newest.
const newestAttempt = 0

// isOfSplit reports whether rows with a value in the column for splits are asked for.
func (c *choice) isOfSplit(value string) bool {
	return c.split == discover.SplitAll || slices.Contains(c.evaluations, value) == (c.split == discover.SplitVal)
}

// startOf returns the start that wrote a part, and the number of its attempt, from 1.
func (c *choice) startOf(p part) (number int, s start) {
	for i, starts := range c.attempts {
		for _, s := range starts {
			if s.value == p.attempt {
				return i + 1, s
			}
		}
	}
	return 1, s
}

// keeps reports whether a part of a step is read.
func (c *choice) keeps(step int64, p part) bool {
	return c.isOfSplit(p.split) && c.isShown(step, p)
}

// isShown reports whether a part of a step is of the attempt that is read, and was not replaced.
func (c *choice) isShown(step int64, p part) bool {
	number, s := c.startOf(p)
	_, replaced := s.replacedAt(step)
	return c.shown == 0 || number == c.shown && !replaced
}

// counts returns how many rows are read of each step.
func (t *table) counts(parts tally) map[int64]stepCount {
	counts := map[int64]stepCount{}
	for step, all := range parts {
		if step < t.target.First || step > t.target.Last {
			continue
		}
		now := stepCount{step: step}
		for _, p := range all {
			if t.choice.keeps(step, p) {
				now.rows, now.mark, now.parts = now.rows+p.rows, now.mark+p.mark, now.parts+p.attempt+"\x00"+p.split+"\x00"
			}
		}
		if now.rows > 0 {
			counts[step] = now
		}
	}
	return counts
}

// chosen is the condition for what is read of the steps, nothing if that is all.
func (t *table) chosen() (conditions []string) {
	c := &t.choice
	if len(c.evaluations) > 0 && c.split != discover.SplitAll {
		in := " IN ("
		if c.split == discover.SplitTrain {
			in = " NOT IN ("
		}
		values := make([]string, len(c.evaluations))
		for i, value := range c.evaluations {
			values[i] = quoteText(value)
		}
		conditions = append(conditions, orEmpty(t.m.split)+in+strings.Join(values, ", ")+")")
	}
	if len(c.attempts) == 0 || c.shown == 0 || c.shown > len(c.attempts) {
		return conditions
	}
	var parts []string
	for _, s := range c.attempts[c.shown-1] {
		one := orEmpty(t.m.attempt) + " = " + quoteText(s.value)
		if len(s.later) > 0 {
			one += fmt.Sprintf(" AND %s < %d", quoteName(t.m.step.name), slices.Min(s.later))
		}
		parts = append(parts, one)
	}
	return append(conditions, "("+strings.Join(parts, " OR ")+")")
}

// isEvaluation reports whether a value of a column says that a row is of an evaluation: split = 'val', is_eval = 1,
// is_train = 0.
func isEvaluation(column, value string) bool {
	switch strings.ToLower(value) {
	case "1", "true", "yes":
		return discover.IsValidation(column)
	case "0", "false", "no":
		words := strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return !unicode.IsLetter(r) })
		return slices.Contains(words, "train") || slices.Contains(words, "training")
	case "test", "dev":
		return true
	}
	return discover.IsValidation(value)
}
