package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vantage/model/figures"
	"vantage/tui/layout"
)

func filterKeys() keySection {
	return keySection{"filter", []binding{
		{[]string{"enter"}, "⏎", "Enter keep", "keep the filter", App.applyFilter},
		{[]string{"tab"}, "Tab", "Tab field", "complete a field, and after fate: a fate; again: the next", App.completeField},
		{[]string{"backspace"}, "⌫", "", "delete the last character", App.backspaceFilter},
		{[]string{"down"}, "↓", "↓ ↑ group", "down", move(App.moveFocused, 1)},
		{[]string{"up"}, "↑", "", "up", move(App.moveFocused, -1)},
		{[]string{"esc"}, "Esc", "Esc clear", "show all groups", App.clearFilter},
	}}
}

// openFilter opens the line for the filter; the table follows what is typed.
func (a App) openFilter() App {
	if a.result.analysis == nil {
		a.notice = "no groups to filter yet"
		return a
	}
	a.panes.filterDraft = a.settings.filter
	a = a.focusPane(layout.Groups)
	return a.openView(viewFilter)
}

func (a App) typeFilter(typed string) App {
	a.panes.filterDraft = appendTyped(a.panes.filterDraft, typed, figures.MaxQuery)
	return a.rearrange()
}

func (a App) backspaceFilter() App {
	a.panes.filterDraft = backspace(a.panes.filterDraft)
	return a.rearrange()
}

// applyFilter applies the filter. A wrong one stays in the line, to be corrected.
func (a App) applyFilter() App {
	a, err := a.setFilter(a.panes.filterDraft)
	if err != nil {
		a.notice = err.Error()
		return a
	}
	a.position.view = viewOverview
	return a.rearrange()
}

// setFilter makes text the filter, if it is a query.
func (a App) setFilter(text string) (App, error) {
	text = strings.TrimSpace(text)
	if _, err := figures.ParseQuery(text); err != nil {
		near := ""
		if wrong := (*figures.QueryError)(nil); errors.As(err, &wrong) {
			near = didYouMean(wrong.Word, wrong.Known)
		}
		return a, fmt.Errorf("invalid filter: %w%s", err, near)
	}
	a = a.apply(a.settings.withFilter(text))
	return a, nil
}

func (a App) clearFilter() App {
	a.position.view, a.panes.filterDraft = viewOverview, ""
	a = a.apply(a.settings.withFilter(""))
	return a.rearrange()
}

// completeField completes the last word to a field, with the operator of one that holds a text, and after
// fate: to a fate; a complete one becomes the next.
func (a App) completeField() App {
	at := strings.LastIndexAny(a.panes.filterDraft, " (") + 1
	last := a.panes.filterDraft[at:]
	all := filterTerms(a, nil)
	if values := valuesAfter(all, last); len(values) > 0 {
		all = values
	}
	fitting := slices.DeleteFunc(slices.Clone(all), func(term string) bool { return !strings.HasPrefix(term, last) })
	switch i := slices.Index(all, last); {
	case i >= 0 && len(fitting) > 1: // reward also begins rewards/format
		fitting = fitting[(slices.Index(fitting, last)+1)%len(fitting):]
	case i >= 0 && strings.Contains(last, ":"):
		fitting = all[(i+1)%len(all):]
	case i >= 0:
		a.notice = "type < > = and a number, as in " + last + ">0"
		return a
	}
	if len(fitting) == 0 {
		a.notice = "the fields are " + fieldNames()
		return a
	}
	a.panes.filterDraft = a.panes.filterDraft[:at] + fitting[0]
	return a.rearrange()
}

func fieldNames() string {
	var names []string
	for _, f := range figures.Fields() {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

// activeFilter returns the filter at work: while one is typed, that.
func (a App) activeFilter() string {
	if a.position.view == viewFilter {
		return a.panes.filterDraft
	}
	return a.settings.filter
}
