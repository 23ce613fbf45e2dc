package model

import (
	"fmt"
	"slices"
	"strconv"

	"vantage/estimators"
)

// Layout sorts the rows of a step by group. order lists row indices, group after group, in batch
// order within each; group g is order[offsets[g]:offsets[g+1]]. open says that the step is still
// being written.
func (g Grouping) Layout(step Step, open bool) (order []int32, offsets []int, err error) {
	n := len(step.Rewards)
	if g.By == GroupByPosition {
		return positionLayout(n, g.Size, open)
	}
	keys := step.prompts
	if g.By == GroupByID {
		keys = step.groups
	}
	var sizes []int
	groupOf := make([]int32, n) // of each row
	groups := newDenseIndex(keys)
	for i, key := range keys {
		g := groups.indexOf(key)
		if int(g) == len(sizes) {
			sizes = append(sizes, 0)
		}
		groupOf[i] = g
		sizes[g]++
	}
	offsets = make([]int, len(sizes)+1)
	for g, size := range sizes {
		offsets[g+1] = offsets[g] + size
	}
	next := slices.Clone(offsets) // where the next row of each group goes
	order = make([]int32, n)
	for i, g := range groupOf {
		order[next[g]] = int32(i)
		next[g]++
	}
	return order, offsets, nil
}

// positionLayout is that of consecutive blocks of rows. While the step is open the last block may be
// incomplete; then it is twinkle's error.
func positionLayout(n, size int, open bool) (order []int32, offsets []int, err error) {
	whole := n
	if open && size > 0 {
		whole = n - n%size
	}
	offsets, err = estimators.EqualGroups(whole, size)
	if err != nil {
		return nil, nil, fmt.Errorf("%d rows are not a multiple of --num-generations %d: %w", n, size, err)
	}
	if whole < n {
		offsets = append(offsets, n)
	}
	return InputOrder(n), offsets, nil
}

// GroupName names group index of a step, in which row is: the log's id, PromptName, or the index.
func (s Snapshot) GroupName(g Grouping, step Step, row, index int) string {
	switch g.By {
	case GroupByID:
		return s.groupIDs.at(int(step.groups[row]) - 1)
	case GroupByPrompt:
		return s.PromptName(step, row)
	case GroupByPosition, GroupAutomatic:
	}
	return strconv.Itoa(index)
}

// InputOrder lists n rows in input order.
func InputOrder(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// numberAt is the number of a row in an optional column.
func numberAt(column []uint32, row int) uint32 {
	if column == nil {
		return 0
	}
	return column[row]
}
