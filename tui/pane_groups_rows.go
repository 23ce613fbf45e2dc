package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/query"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// order is how the table of groups is sorted.
type order struct {
	column int // index of orders
	turned bool
}

// sorting is a way to sort: by fate the worst come first, by a number the greatest,
// by a text the first of the alphabet.
type sorting struct {
	name    string // of the column, as the header has it
	says    string
	compare func(a, b *model.Group) int
}

// orders are the ways to sort, the usual one first.
func orders() []sorting {
	by := func(name, says string, of func(g *model.Group) float64) sorting {
		return sorting{name, says, func(a, b *model.Group) int { return cmp.Compare(of(b), of(a)) }}
	}
	return []sorting{
		{"fate", "worst first", func(a, b *model.Group) int { return int(a.Fate) - int(b.Fate) }},
		{"prompt", "by prompt", func(a, b *model.Group) int { return strings.Compare(a.Preview, b.Preview) }},
		by("n", "by size", func(g *model.Group) float64 { return float64(g.Size()) }),
		by("kept", "by kept", func(g *model.Group) float64 { return float64(g.Kept()) }),
		by("reward", "by reward", func(g *model.Group) float64 { return g.Mean }),
		by("", "by std of reward", func(g *model.Group) float64 { return g.Std }),
		by("", "by flips", func(g *model.Group) float64 { return float64(g.Flips) }),
	}
}

func (a App) nextOrder() (App, tea.Cmd) {
	return a.apply(a.set.sorted(order{column: (a.set.order.column + 1) % len(orders())}))
}

func (a App) turnOrder() (App, tea.Cmd) {
	return a.apply(a.set.sorted(order{a.set.order.column, !a.set.order.turned}))
}

// columnName is a column's header, with a mark if the table is sorted by it.
func (a App) columnName(name string) string {
	if a.set.order == (order{}) || orders()[a.set.order.column].name != name {
		return name
	}
	up := a.set.order.turned != (a.set.order.column == 1) // text runs the other way
	return name + a.look.glyphs.SortArrow(up)
}

// tableTitle says how many groups are shown, in which order, and by which filter.
func (a App) tableTitle() string {
	x := a.result.analysis
	title := "groups  " + units.Count(x.Groups)
	if a.filterText() != "" {
		title = "groups  " + a.shownOfAll()
	}
	says := orders()[a.set.order.column].says
	if a.set.order.turned {
		says += ", turned"
	}
	if text := sanitize.Line(a.filterText()); a.place.view == viewFilter {
		return title + " · " + text + "▏"
	} else if text != "" {
		return title + " · " + text + " · " + says
	}
	return title + " · " + says
}

// cause is why the group under the cursor has no signal.
func (a App) cause() string {
	if len(a.result.rows) == 0 {
		return ""
	}
	g := a.result.rows[a.place.cursor]
	why := sanitize.Line(a.result.analysis.Cause(a.snap, g)) // it names components, which are the log's
	if note := a.noteHere(); note != "" {
		why = strings.TrimSuffix("* "+note+" — "+why, " — ")
	}
	if was, differs := a.fateUnderBase(g); differs {
		why = strings.TrimSuffix(fmt.Sprintf("A %s, B %s: %s", was, a.result.analysis.Fate(g), why), ": ")
	}
	return why
}

// filterText is the filter in force: the one that is typed while it is.
func (a App) filterText() string {
	if a.place.view == viewFilter {
		return a.place.draft
	}
	return a.set.filter
}

// arranged sorts and filters anew; the cursor stays on its group.
func (a App) arranged() App {
	if a.result.analysis == nil {
		return a
	}
	selected := ""
	if g := a.selected(); g != nil {
		selected = g.Name
	}
	return a.arrange(selected).scrolled()
}

// arrange puts the groups that the filter shows in order, and the cursor on the one
// of that name. What cannot be parsed, half typed, filters nothing.
func (a App) arrange(selected string) App {
	x := a.result.analysis
	q, err := query.Parse(a.filterText())
	if err != nil {
		q = query.Query{}
	}
	from := ordered{x, a.set.order}
	switch {
	case !q.Empty():
		from, a.result.rows = ordered{}, a.set.order.sorted(x, matching(x, q))
	case !a.result.ordered.as(from):
		a.result.rows = a.set.order.all(x)
	}
	a.result.ordered, a.result.shown = from, nil
	if len(a.result.rows) < x.Groups {
		a.result.shown = make([]bool, x.Rows)
		for _, g := range a.result.rows {
			for i := x.Offsets[g]; i < x.Offsets[g+1]; i++ {
				a.result.shown[i] = true
			}
		}
	}
	if selected == "" {
		return a
	}
	for row, g := range a.result.rows {
		if x.Members(g).Name == selected {
			a.place.cursor = row
			break
		}
	}
	return a
}

// ordered is what rows come from that are all groups of a table.
type ordered struct {
	of *model.Analysis // nil if they are not all
	by order
}

// as reports whether others have the same rows: many a key leaves the fates as they are.
func (o ordered) as(other ordered) bool {
	return o.of != nil && o.by == other.by && o.by.column == 0 && o.of.SameFates(other.of)
}

// matching are the groups that a query shows.
func matching(x *model.Analysis, q query.Query) []int {
	var rows []int
	for g := range x.Groups {
		if q.Group(x, g) {
			rows = append(rows, g)
		}
	}
	return rows
}

// all puts all groups of a table in order. By fate is the order of every key press: there
// are so few, whose groups are counted already, that each is put where it belongs.
func (o order) all(x *model.Analysis) []int {
	rows := make([]int, x.Groups)
	if o.column == 0 {
		place := o.seats(x.Fates[:])
		for g := range rows {
			place.put(rows, g, x.Fate(g))
		}
		return rows
	}
	for g := range rows {
		rows[g] = g
	}
	return o.sorted(x, rows)
}

// sorted puts rows of a table in order; equal ones stay as they are.
func (o order) sorted(x *model.Analysis, rows []int) []int {
	if o.column == 0 {
		return o.byFate(x, rows)
	}
	compare, table := orders()[o.column].compare, x.Table()
	slices.SortStableFunc(rows, func(g, h int) int {
		if o.turned {
			return compare(&table[h], &table[g])
		}
		return compare(&table[g], &table[h])
	})
	return rows
}

func (o order) byFate(x *model.Analysis, rows []int) []int {
	groups := make([]int, len(model.Fates()))
	for _, g := range rows {
		groups[x.Fate(g)]++
	}
	sorted, place := make([]int, len(rows)), o.seats(groups)
	for _, g := range rows {
		place.put(sorted, g, x.Fate(g))
	}
	return sorted
}

// seats are the rows of the next group of each fate.
type seats []int

// seats begins with those of the first groups, of so many by fate.
func (o order) seats(groups []int) seats {
	fates := model.Fates()
	if o.turned {
		slices.Reverse(fates)
	}
	first, before := make(seats, len(fates)), 0
	for _, fate := range fates {
		first[fate], before = before, before+groups[fate]
	}
	return first
}

func (s seats) put(rows []int, g int, fate model.Fate) {
	rows[s[fate]] = g
	s[fate]++
}

func filterKeys() section {
	return section{"filter", []binding{
		{[]string{"enter"}, "⏎", "Enter keep", "keep the filter", App.keepFilter},
		{[]string{"tab"}, "Tab", "Tab field", "complete the name of a field", App.completeField},
		{[]string{"backspace"}, "⌫", "", "take a character back", App.shortenFilter},
		{[]string{"down"}, "↓", "↓ ↑ group", "down", App.down},
		{[]string{"up"}, "↑", "", "up", App.up},
		{[]string{"esc"}, "Esc", "Esc clear", "show all groups", App.clearFilter},
	}}
}

// openFilter types a filter; the table follows each character.
func (a App) openFilter() (App, tea.Cmd) {
	if a.result.analysis == nil {
		a.notice = "no groups to filter yet"
		return a, nil
	}
	a.place.draft = a.set.filter
	a.place.focus, a.place.front = 0, 0
	return a.open(viewFilter)
}

func (a App) typeFilter(text string) App {
	if len(a.place.draft)+len(text) <= query.MaxLength {
		a.place.draft += text
	}
	return a.arranged()
}

func (a App) shortenFilter() (App, tea.Cmd) {
	_, n := utf8.DecodeLastRuneInString(a.place.draft)
	a.place.draft = a.place.draft[:len(a.place.draft)-n]
	return a.arranged(), nil
}

// keepFilter takes the filter over, if it can be understood.
func (a App) keepFilter() (App, tea.Cmd) {
	a, cmd, err := a.narrow(a.place.draft)
	if err != nil {
		a.notice = err.Error()
		return a, nil
	}
	a.place.view = viewOverview
	return a.arranged(), cmd
}

// narrow makes text the filter; one that cannot be understood changes nothing.
func (a App) narrow(text string) (App, tea.Cmd, error) {
	text = strings.TrimSpace(text)
	if _, err := query.Parse(text); err != nil {
		return a, nil, fmt.Errorf("the filter cannot be understood: %w", err)
	}
	a, cmd := a.apply(a.set.narrowed(text))
	return a, cmd, nil
}

func (a App) clearFilter() (App, tea.Cmd) {
	a.place.view, a.place.draft = viewOverview, ""
	a, cmd := a.apply(a.set.narrowed(""))
	return a.arranged(), cmd
}

// completeField goes on with the name of a field that has been begun, or of a fate, or
// through those that begin so.
func (a App) completeField() (App, tea.Cmd) {
	at := strings.LastIndexAny(a.place.draft, " (") + 1
	begun := a.place.draft[at:]
	fit := slices.DeleteFunc(offerTerms(a, nil), func(term string) bool { return !strings.HasPrefix(term, begun) })
	if i := slices.Index(fit, begun); i >= 0 && len(fit) > 1 {
		fit = fit[(i+1)%len(fit):]
	}
	if len(fit) == 0 {
		a.notice = "the fields are " + fieldNames()
		return a, nil
	}
	a.place.draft = a.place.draft[:at] + fit[0]
	return a.arranged(), nil
}

func fieldNames() string {
	var names []string
	for _, f := range query.Fields() {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}
