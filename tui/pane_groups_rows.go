package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/query"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// order is how the table of groups is sorted.
type order struct {
	column   int // index of orders
	reversed bool
}

// sorting is a way to sort: by fate the worst come first, by a number the greatest,
// by a text the first of the alphabet.
type sorting struct {
	column  string // of the column, as the header has it
	words   string
	compare func(a, b *analysis.Group) int
}

// sortings are the ways to sort, the usual one first.
func sortings() []sorting {
	by := func(name, says string, of func(g *analysis.Group) float64) sorting {
		return sorting{name, says, func(a, b *analysis.Group) int { return cmp.Compare(of(b), of(a)) }}
	}
	return []sorting{
		{"fate", "worst first", func(a, b *analysis.Group) int { return int(a.Fate) - int(b.Fate) }},
		{"prompt", "by prompt", func(a, b *analysis.Group) int { return strings.Compare(a.Preview, b.Preview) }},
		by("n", "by size", func(g *analysis.Group) float64 { return float64(g.Size()) }),
		by("kept", "by kept", func(g *analysis.Group) float64 { return float64(g.Kept()) }),
		by("reward", "by reward", func(g *analysis.Group) float64 { return g.RewardMean }),
		by("", "by std of reward", func(g *analysis.Group) float64 { return g.RewardStd }),
		by("", "by flips", func(g *analysis.Group) float64 { return float64(g.Flips) }),
	}
}

func (a App) nextOrder() (App, tea.Cmd) {
	return a.apply(a.settings.withOrder(order{column: (a.settings.order.column + 1) % len(sortings())}))
}

func (a App) reverseOrder() (App, tea.Cmd) {
	return a.apply(a.settings.withOrder(order{a.settings.order.column, !a.settings.order.reversed}))
}

// columnHeader is a column's header, with a mark if the table is sorted by it.
func (a App) columnHeader(name string) string {
	if a.settings.order == (order{}) || sortings()[a.settings.order.column].column != name {
		return name
	}
	up := a.settings.order.reversed != (a.settings.order.column == 1) // text runs the other way
	return name + a.display.glyphs.SortArrow(up)
}

// groupsTitle says how many groups are shown, in which order, and by which filter.
func (a App) groupsTitle() string {
	x := a.result.analysis
	title := "groups  " + units.Count(x.Groups)
	if a.activeFilter() != "" {
		title = "groups  " + a.shownCount()
	}
	says := sortings()[a.settings.order.column].words
	if a.settings.order.reversed {
		says += ", turned"
	}
	if text := sanitize.Line(a.activeFilter()); a.position.view == viewFilter {
		return title + " · " + text + "▏"
	} else if text != "" {
		return title + " · " + text + " · " + says
	}
	return title + " · " + says
}

// causeUnderCursor is why the group under the cursor has no signal.
func (a App) causeUnderCursor() string {
	if len(a.result.rows) == 0 {
		return ""
	}
	g := a.result.rows[a.position.cursor]
	why := sanitize.Line(a.result.analysis.Cause(a.snap, g)) // it names components, which are the log's
	if note := a.noteUnderCursor(); note != "" {
		why = strings.TrimSuffix("* "+note+" — "+why, " — ")
	}
	if was, differs := a.baselineFate(g); differs {
		why = strings.TrimSuffix(fmt.Sprintf("A %s, B %s: %s", was, a.result.analysis.Table[g].Fate, why), ": ")
	}
	return why
}

// activeFilter is the filter in force: the one that is typed while it is.
func (a App) activeFilter() string {
	if a.position.view == viewFilter {
		return a.position.filterDraft
	}
	return a.settings.filter
}

// rearrange sorts and filters anew; the cursor stays on its group.
func (a App) rearrange() App {
	if a.result.analysis == nil {
		return a
	}
	selected := ""
	if g := a.selectedGroup(); g != nil {
		selected = g.Name
	}
	return a.arrangeRows(selected).clampCursor()
}

// arrangeRows puts the groups that the filter shows in order, and the cursor on the one
// of that name. What cannot be parsed, half typed, filters nothing.
func (a App) arrangeRows(selected string) App {
	x := a.result.analysis
	q, err := query.Parse(a.activeFilter())
	if err != nil {
		q = query.Query{}
	}
	a.result.rows, a.result.shownSamples = a.settings.order.sortRows(x, matchingGroups(x, q)), nil
	if len(a.result.rows) < x.Groups {
		a.result.shownSamples = make([]bool, x.Rows)
		for _, g := range a.result.rows {
			for i := x.Offsets[g]; i < x.Offsets[g+1]; i++ {
				a.result.shownSamples[i] = true
			}
		}
	}
	if selected == "" {
		return a
	}
	for row, g := range a.result.rows {
		if x.Table[g].Name == selected {
			a.position.cursor = row
			break
		}
	}
	return a
}

// matchingGroups are the groups that a query shows.
func matchingGroups(x *analysis.Analysis, q query.Query) []int {
	var rows []int
	for g := range x.Groups {
		if q.MatchesGroup(x, g) {
			rows = append(rows, g)
		}
	}
	return rows
}

// sortRows puts rows of a table in order; equal ones stay as they are.
func (o order) sortRows(x *analysis.Analysis, rows []int) []int {
	if o.column == 0 { // the order of nearly every key press
		byFate := make([][]int, len(model.Fates()))
		for _, g := range rows {
			fate := x.Table[g].Fate
			byFate[fate] = append(byFate[fate], g)
		}
		if o.reversed {
			slices.Reverse(byFate)
		}
		return slices.Concat(byFate...)
	}
	compare := sortings()[o.column].compare
	slices.SortStableFunc(rows, func(g, h int) int {
		if o.reversed {
			g, h = h, g
		}
		return compare(&x.Table[g], &x.Table[h])
	})
	return rows
}

func filterKeys() keySection {
	return keySection{"filter", []binding{
		{[]string{"enter"}, "⏎", "Enter keep", "keep the filter", App.applyFilter},
		{[]string{"tab"}, "Tab", "Tab field", "complete the name of a field", App.completeField},
		{[]string{"backspace"}, "⌫", "", "take a character back", App.backspaceFilter},
		{[]string{"down"}, "↓", "↓ ↑ group", "down", move(App.moveFocused, 1)},
		{[]string{"up"}, "↑", "", "up", move(App.moveFocused, -1)},
		{[]string{"esc"}, "Esc", "Esc clear", "show all groups", App.clearFilter},
	}}
}

// openFilter types a filter; the table follows each character.
func (a App) openFilter() (App, tea.Cmd) {
	if a.result.analysis == nil {
		a.notice = "no groups to filter yet"
		return a, nil
	}
	a.position.filterDraft = a.settings.filter
	a.position.focus, a.position.frontPane = 0, 0
	return a.openView(viewFilter)
}

func (a App) typeFilter(typed string) App {
	a.position.filterDraft = appendTyped(a.position.filterDraft, typed, query.MaxLength)
	return a.rearrange()
}

func (a App) backspaceFilter() (App, tea.Cmd) {
	a.position.filterDraft = backspace(a.position.filterDraft)
	return a.rearrange(), nil
}

// applyFilter takes the filter over, if it can be understood.
func (a App) applyFilter() (App, tea.Cmd) {
	a, cmd, err := a.setFilter(a.position.filterDraft)
	if err != nil {
		a.notice = err.Error()
		return a, nil
	}
	a.position.view = viewOverview
	return a.rearrange(), cmd
}

// setFilter makes text the filter; one that cannot be understood changes nothing.
func (a App) setFilter(text string) (App, tea.Cmd, error) {
	text = strings.TrimSpace(text)
	if _, err := query.Parse(text); err != nil {
		return a, nil, fmt.Errorf("the filter cannot be understood: %w", err)
	}
	a, cmd := a.apply(a.settings.withFilter(text))
	return a, cmd, nil
}

func (a App) clearFilter() (App, tea.Cmd) {
	a.position.view, a.position.filterDraft = viewOverview, ""
	a, cmd := a.apply(a.settings.withFilter(""))
	return a.rearrange(), cmd
}

// completeField goes on with the name of a field that has been begun, or of a fate, or
// through those that begin so.
func (a App) completeField() (App, tea.Cmd) {
	at := strings.LastIndexAny(a.position.filterDraft, " (") + 1
	begun := a.position.filterDraft[at:]
	fit := slices.DeleteFunc(filterTerms(a, nil), func(term string) bool { return !strings.HasPrefix(term, begun) })
	if i := slices.Index(fit, begun); i >= 0 && len(fit) > 1 {
		fit = fit[(i+1)%len(fit):]
	}
	if len(fit) == 0 {
		a.notice = "the fields are " + fieldNames()
		return a, nil
	}
	a.position.filterDraft = a.position.filterDraft[:at] + fit[0]
	return a.rearrange(), nil
}

func fieldNames() string {
	var names []string
	for _, f := range query.Fields() {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}
