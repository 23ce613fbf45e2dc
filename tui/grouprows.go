package tui

import (
	"slices"

	"vantage/model/figures"
	"vantage/tui/env"
	"vantage/tui/view"
)

func (a App) nextOrder() App {
	all := len(env.Sortings())
	if !a.env.IsWide() {
		all-- // without the step
	}
	return a.change(func(s *env.State) { s.Order = env.Order{Column: (a.env.Settings.Order.Column + 1) % all} })
}

// sortBy sorts the groups by a column, given by its index in env.Sortings, or the other way round if they are.
func (a App) sortBy(column int) App {
	if a.env.Settings.Order.Column == column {
		return a.reverseOrder()
	}
	return a.change(func(s *env.State) { s.Order = env.Order{Column: column} })
}

func (a App) reverseOrder() App {
	return a.change(func(s *env.State) {
		s.Order = env.Order{Column: a.env.Settings.Order.Column, Reversed: !a.env.Settings.Order.Reversed}
	})
}

// rearrange filters and sorts the groups again; the cursor stays on its group.
func (a App) rearrange() App {
	if a.env.Result.Analysis == nil {
		return a
	}
	selected := env.GroupKey{}
	if g := a.env.SelectedGroup(); g != nil {
		selected = env.KeyOf(g)
	}
	return a.arrangeRows(selected).clampCursor()
}

// arrangeRows filters and sorts the groups, and puts the cursor on the selected one, or on that of the same
// name in another step. A filter that is no query, as while it is typed, shows all groups.
func (a App) arrangeRows(selected env.GroupKey) App {
	x := a.env.Result.Analysis
	if a.env.Result.Filter = a.env.Settings.Filter; a.position.view == view.Filter {
		a.env.Result.Filter = a.views.panes.FilterDraft
	}
	q, err := figures.ParseQuery(a.env.Result.Filter)
	if err != nil {
		q = figures.Query{}
	}
	var rows []int
	for g := range x.Groups {
		if q.MatchesGroup(x, g) {
			rows = append(rows, g)
		}
	}
	a.env.Result.Rows, a.env.Result.ShownSamples = a.env.Settings.Order.SortRows(x, rows), nil
	if len(a.env.Result.Rows) < x.Groups {
		a.env.Result.ShownSamples = make([]bool, x.Rows)
		for _, g := range a.env.Result.Rows {
			for i := x.Offsets[g]; i < x.Offsets[g+1]; i++ {
				a.env.Result.ShownSamples[i] = true
			}
		}
	}
	if selected == (env.GroupKey{}) {
		return a
	}
	row := slices.IndexFunc(a.env.Result.Rows, func(g int) bool { return env.KeyOf(&x.Table[g]) == selected })
	if row < 0 {
		row = slices.IndexFunc(a.env.Result.Rows, func(g int) bool { return x.Table[g].Name == selected.Name })
	}
	if row >= 0 {
		a.env.Place.Row = row
	}
	return a
}
