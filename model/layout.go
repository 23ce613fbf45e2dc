package model

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"vantage/estimators"
)

// Layout sorts the rows of step i by group. order lists row indices, group after group, in batch
// order within each; group g is order[offsets[g]:offsets[g+1]]. Groups into which one id or prompt
// is divided follow one another. It fails if rows are left over, unless they are those of a step that
// is still being written or the rule is proved.
func (s Snapshot) Layout(rule GroupRule, i int) (order []int32, offsets []int, err error) {
	step := &s.Steps[i]
	if starts := step.starts(rule); starts != nil {
		return s.InputOrder(len(step.Rewards)), starts, nil
	}
	var rows []int32
	if rule.Divides() {
		rows = step.fileOrder()
	}
	order, offsets = sortByKey(s.InputOrder(len(step.Rewards)), s.groupKeys(rule, step), rows)
	if !rule.Divides() {
		return order, offsets, nil
	}
	if rule.By == GroupByPosition && !rule.Proved && !s.Open(i) {
		for k := range offsets[1:] {
			n := offsets[k+1] - offsets[k]
			if _, err := estimators.EqualGroups(n, rule.Size); err != nil {
				return nil, nil, fmt.Errorf("%d rows are not a multiple of --num-generations %d: %w", n, rule.Size, err)
			}
		}
	}
	return order, s.divided(rule, step, order, offsets), nil
}

// starts returns where each group begins, nil if that is not known.
func (s *Step) starts(rule GroupRule) []int {
	switch {
	case rule.Divides():
		return nil
	case rule.By == GroupByID:
		return s.groupStarts
	case rule.By == GroupByPrompt:
		return s.promptStarts
	}
	return nil
}

// groupKeys returns a key for each row: rows of different keys are never in one group. By position
// there is one key for each run; nil stands for one key.
func (s Snapshot) groupKeys(rule GroupRule, step *Step) []uint32 {
	switch rule.By {
	case GroupByID:
		return step.groups
	case GroupByPrompt:
		return step.prompts
	case GroupByPosition, GroupAutomatic:
	}
	if s.RunCount() == 1 {
		return nil
	}
	keys := make([]uint32, len(step.Rewards))
	for row := range keys {
		keys[row] = uint32(s.RunOf(step, row))
	}
	return keys
}

// sortByKey sorts rows by key, the keys in the order in which they come first. rows is the order to
// keep within each, nil for input order.
func sortByKey(inputOrder []int32, keys []uint32, rows []int32) (order []int32, offsets []int) {
	n, isInput := len(inputOrder), rows == nil
	if isInput {
		rows = inputOrder
	}
	if keys == nil {
		return rows, []int{0, n}
	}
	if isInput {
		if starts := startsOf(keys); starts != nil {
			return inputOrder, starts
		}
	}
	var sizes []int
	groupOf := make([]int32, n) // of each row
	groups := newDenseIndex(keys)
	for _, row := range rows {
		g := groups.indexOf(keys[row])
		if int(g) == len(sizes) {
			sizes = append(sizes, 0)
		}
		groupOf[row] = g
		sizes[g]++
	}
	offsets = make([]int, len(sizes)+1)
	for g, size := range sizes {
		offsets[g+1] = offsets[g] + size
	}
	next := slices.Clone(offsets) // where the next row of each group goes
	order = make([]int32, n)
	for _, row := range rows {
		g := groupOf[row]
		order[next[g]] = row
		next[g]++
	}
	return order, offsets
}

// startsOf returns where each key begins, and how many there are, if keys never fall, as in most logs: a key is numbered when its first row
// comes. It returns nil if one falls, or if there are none.
func startsOf(keys []uint32) []int {
	if len(keys) == 0 {
		return nil
	}
	starts := append(make([]int, 0, len(keys)/8+2), 0)
	for i := 1; i < len(keys); i++ {
		if keys[i] < keys[i-1] {
			return nil
		}
		if keys[i] > keys[i-1] {
			starts = append(starts, i)
		}
	}
	return append(starts, len(keys))
}

// divided cuts groups into those of consecutive rows. The last of each may be short.
func (s Snapshot) divided(rule GroupRule, step *Step, order []int32, offsets []int) []int {
	cut := []int{0}
	for k := range offsets[1:] {
		lo, hi := offsets[k], offsets[k+1]
		if lo == hi {
			continue
		}
		if size := rule.FullSize(s.RunOf(step, int(order[lo]))); size > 0 {
			for at := lo + size; at < hi; at += size {
				cut = append(cut, at)
			}
		}
		cut = append(cut, hi)
	}
	return cut
}

// fileOrder lists the rows of the step file by file, nil if that is their input order: while several
// files are followed their rows come in turn.
func (s *Step) fileOrder() []int32 {
	if slices.IsSortedFunc(s.fileSpans, compareFiles) {
		return nil
	}
	rows, byFile := inputOrder(len(s.Rewards)), map[int32][]int32{}
	for span, to := range spansOf(s.fileSpans, len(rows)) {
		byFile[span.file] = append(byFile[span.file], rows[span.startRow:to]...)
	}
	var sorted []int32
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		sorted = append(sorted, byFile[file]...)
	}
	return sorted
}

func compareFiles(a, b fileSpan) int { return int(a.file) - int(b.file) }

// GroupName names group k of a step's layout: the log's id, PromptName, or k. The second group into
// which an id or a prompt is divided has #2 behind that, and so on.
func (s *Snapshot) GroupName(rule GroupRule, step *Step, order []int32, offsets []int, k int) string {
	name, keys := "", step.prompts
	row := order[offsets[k]]
	switch rule.By {
	case GroupByID:
		name, keys = s.groupNames.at(int(step.groups[row])-1), step.groups
	case GroupByPrompt:
		name = s.PromptName(step, int(row))
	case GroupByPosition, GroupAutomatic:
		return strconv.Itoa(k)
	}
	part := 1
	for at := k - 1; at >= 0 && rule.Divides() && keys[order[offsets[at]]] == keys[row]; at-- {
		part++
	}
	if part == 1 {
		return name
	}
	return fmt.Sprintf("%s#%d", name, part)
}

// InputOrder lists n rows in input order. It must not be changed: all steps share it.
func (s Snapshot) InputOrder(n int) []int32 {
	if n > len(s.inputOrder) {
		return inputOrder(n)
	}
	return s.inputOrder[:n:n]
}

// InOrder returns the values of a column in an order of rows, which must not be changed: the column itself
// if that is the order of [Snapshot.InputOrder].
func InOrder[T any](s *Snapshot, column []T, order []int32) []T {
	if len(order) > 0 && len(s.inputOrder) > 0 && &order[0] == &s.inputOrder[0] {
		return column[:len(order):len(order)]
	}
	return Pick(column, order)
}

func inputOrder(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

func numberAt(column []uint32, row int) uint32 {
	if column == nil {
		return 0
	}
	return column[row]
}
