package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
)

// maxColumnsNamed bounds the columns that an error names.
const maxColumnsNamed = 12

// TextFunc reads the text of a sample from the log again.
type TextFunc func(context.Context, model.Place) (model.Text, error)

// PartKinds lists what samples can be divided by without a column of the log.
func PartKinds() []string { return []string{"difficulty", "length", "fate", "step"} }

// ErrNoColumn says that the log lacks the column that samples are divided by.
var ErrNoColumn = errors.New("the log has no such column")

// PartNames returns what names the part of sample i of group g for a Breakdown: by one of PartKinds, or by
// the value of a column of the log, "empty" if it has none. Numbers that are in memory are exact. Of other
// columns, the first and the last row of each group are read, and all its rows if these differ.
func (a *Analysis) PartNames(ctx context.Context, by string, read TextFunc) (func(g, i int) string, error) {
	switch by {
	case "step":
		name := strconv.FormatInt(a.Step, 10)
		return func(int, int) string { return name }, nil
	case "difficulty":
		return func(g, _ int) string { return a.Difficulty(g) }, nil
	case "length":
		names := a.lengthQuarters()
		return func(_, i int) string { return names[i] }, nil
	case "fate":
		return func(g, _ int) string { return a.Table[g].Fate.String() }, nil
	}
	names := a.componentNames(by)
	if names == nil {
		var err error
		if names, err = a.columnNames(ctx, by, read); err != nil {
			return nil, err
		}
	}
	return func(_, i int) string { return names[i] }, nil
}

// PartsNote says what is assumed of a column that is read from the log, "" where nothing is.
func PartsNote(run *model.Run, by string) string {
	if slices.Contains(PartKinds(), by) || slices.Contains(run.ComponentNames, by) && !model.HoldsNames(by) {
		return ""
	}
	return by + " is read in the first and the last row of each group, and in all of its rows where these differ"
}

// componentNames returns the values of a column of numbers that is in memory, nil if it is not.
func (a *Analysis) componentNames(column string) []string {
	k := slices.Index(a.plan.snap.Run.ComponentNames, column)
	if k < 0 || model.HoldsNames(column) {
		return nil
	}
	names := make([]string, a.Rows)
	for i, x := range a.input.step.Component(a.InputRow, k) {
		names[i] = "empty"
		if isFinite(x) {
			names[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return names
}

// columnNames reads a column of each sample from the log.
func (a *Analysis) columnNames(ctx context.Context, column string, read TextFunc) ([]string, error) {
	names := make([]string, a.Rows)
	for g := range a.Table {
		first, last := a.Table[g].Start, a.Table[g].End-1
		for _, i := range []int{first, last} {
			var err error
			if names[i], err = a.columnName(ctx, column, i, read); err != nil {
				return nil, err
			}
		}
		for i := first + 1; i < last; i++ {
			names[i] = names[first]
			if names[first] == names[last] {
				continue
			}
			var err error
			if names[i], err = a.columnName(ctx, column, i, read); err != nil {
				return nil, err
			}
		}
	}
	return names, nil
}

// columnName reads the column of sample i.
func (a *Analysis) columnName(ctx context.Context, column string, i int, read TextFunc) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	text, err := read(ctx, a.input.step.Place(int(a.InputRow[i])))
	if err != nil {
		return "", fmt.Errorf("the column is read from the log a second time: %w", err)
	}
	var known []string
	for _, f := range text.Fields {
		switch {
		case f.Name == column && f.Value == "":
			return "empty", nil
		case f.Name == column:
			return f.Value, nil
		}
		known = append(known, f.Name)
	}
	has := ""
	if len(known) > 0 {
		has = ", but " + strings.Join(known[:min(len(known), maxColumnsNamed)], ", ")
	}
	return "", fmt.Errorf("%w%s; by %s it goes without one", ErrNoColumn, has, strings.Join(PartKinds(), ", "))
}
