package clickhouse

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vantage/loaders/discover"
	"vantage/model/units"
)

// doubled is what a step that was read tells of rows that may have been written twice.
type doubled struct {
	rows     int    // of the step
	size     int    // of its groups, 0 if they differ
	numbered bool   // a column numbers the samples of a group
	repeated int    // rows with the group and the number of another
	example  string // of these
}

// noteDoubled notes what a step tells of rows that may have been written twice.
func (r *reader) noteDoubled(rows *stepRows) {
	d := doubled{rows: len(rows.group), size: rows.groupSize(), numbered: rows.isNumbered(), repeated: rows.repeated}
	if d.repeated > 0 {
		i := rows.example
		d.example = fmt.Sprintf("%s %d of group %s", r.table.m.sample.name, rows.number[i], rows.keys[rows.group[i]].name())
	}
	r.doubled[rows.step] = d
}

// name is how a group is called in a sentence.
func (k groupKey) name() string {
	if k.id == "" {
		return fmt.Sprintf("%016x", k.hash)
	}
	return k.id
}

// groupSize is the size of the groups of a step, 0 if they differ.
func (s *stepRows) groupSize() int {
	sizes := make([]int, len(s.keys))
	for _, g := range s.group {
		sizes[g]++
	}
	if len(sizes) == 0 || slices.Min(sizes) != slices.Max(sizes) {
		return 0
	}
	return sizes[0]
}

// isNumbered reports whether all samples have a number.
func (s *stepRows) isNumbered() bool { return !slices.Contains(s.number, noNumber) }

// mostFrequent returns the value with the highest count, the smallest of several.
func mostFrequent(counts map[int]int) (value int) {
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		if counts[v] > counts[value] {
			value = v
		}
	}
	return value
}

// usual is what most of the steps are like; 0 if more than half of them are not alike.
type usual struct{ rows, size int }

func usualOf(steps map[int64]doubled) usual {
	rows, sizes := map[int]int{}, map[int]int{}
	for _, d := range steps {
		rows[d.rows]++
		sizes[d.size]++
	}
	u := usual{mostFrequent(rows), mostFrequent(sizes)}
	if 2*rows[u.rows] <= len(steps) {
		u.rows = 0
	}
	if 2*sizes[u.size] <= len(steps) {
		u.size = 0
	}
	return u
}

// surplus returns how many rows a step has more than expected, and how that shows.
func (d doubled) surplus(u usual) (rows int, shows string) {
	switch {
	case d.repeated > 0:
		return d.repeated, d.example + " is there more than once"
	case u.size == 0 || d.size == 0:
		return 0, "" // the numbers of rows differ anyway
	case !d.numbered && d.size >= 2*u.size && d.size%u.size == 0:
		return d.rows - d.rows/(d.size/u.size), fmt.Sprintf("its groups have %d samples, and those of most steps %d", d.size, u.size)
	case u.rows > 0 && d.size == u.size && d.rows >= 2*u.rows && d.rows%u.rows == 0:
		return d.rows - u.rows, fmt.Sprintf("it has %d rows, and most steps have %d", d.rows, u.rows)
	}
	return 0, ""
}

// doubledSentence says which steps have more rows than expected, with an example, and what to do; "" if none has, or if
// a person asked for all attempts or for evaluations as well.
func (r *reader) doubledSentence() string {
	steps, surplus, example := r.findDoubled()
	if o := &r.source.options; len(steps) == 0 || o.Attempt < 0 || o.Split == discover.SplitAll {
		return ""
	}
	return fmt.Sprintf("counted, though they may have been written twice, as by a run that was resumed, or be of an evaluation: %s of %s (%s); %s", units.Plural(surplus, "rows"), spanOf(steps), example, r.table.m.adviceForDoubled())
}

// findDoubled returns the steps that have more rows than expected, ascending, how many that are, and the first of them as
// an example. Where that shows by the number of rows alone, later steps must have the usual one: else the run was given
// larger batches.
func (r *reader) findDoubled() (steps []int64, surplus int, example string) {
	u, isLast := usualOf(r.doubled), true
	known := slices.Sorted(maps.Keys(r.doubled))
	for _, step := range slices.Backward(known) {
		d := r.doubled[step]
		rows, shows := d.surplus(u)
		if isLast = isLast && rows > 0; rows == 0 || isLast && d.repeated == 0 {
			continue
		}
		steps, surplus = append(steps, step), surplus+rows
		example = fmt.Sprintf("%s, %d rows more than expected: %s", r.fileName(step), rows, shows)
	}
	slices.Reverse(steps)
	return steps, surplus, example
}

// spanOf names some steps, ascending.
func spanOf(steps []int64) string {
	if first, last := steps[0], steps[len(steps)-1]; first != last {
		return fmt.Sprintf("%s from %d to %d", units.Plural(len(steps), "steps"), first, last)
	}
	return fmt.Sprintf("step %d", steps[0])
}

// adviceForDoubled says what can be done about rows that are there twice.
func (m *mapping) adviceForDoubled() string {
	column := "COLUMN"
	for _, name := range m.unused {
		lower := strings.ToLower(name)
		if slices.Contains(runNames, lower) || strings.Contains(lower, "attempt") || strings.Contains(lower, "restart") {
			column = name
			break
		}
	}
	advice := fmt.Sprintf("if a column tells the starts of a run apart, attempt=%s in the address counts what was written last, and split=COLUMN leaves out evaluations", column)
	if m.attempt.name != "" {
		advice = fmt.Sprintf("the column %s, which tells the starts of the run apart, does not tell them apart", m.attempt.name)
	}
	return advice + "; final=1 counts the newest row alone of a table that is a ReplacingMergeTree; else leave out the older rows in a view of the table"
}
