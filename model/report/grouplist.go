package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// GroupList is some groups of a run, in an order: those that a query selects, or the first by a figure.
type GroupList struct {
	Head     Head   // what it is of; the caller sets it
	Where    string // what was selected, in a sentence; "" for all groups
	Settings model.Settings
	Choice   match.Choice
	Refusals Refusals

	order   string // the figure by which they are sorted, with - before it for the least first; "" for that of the log
	figure  figures.Column[figures.GroupOf]
	most    int // that are kept, 0 for all
	columns []figures.Column[figures.GroupOf]
	shown   []figures.Column[figures.GroupOf] // of the text
	rows    []listedGroup

	steps, groups, matching int
}

// listedGroup is a row: it does not retain the analysis of its step.
type listedGroup struct {
	value        figures.Number // by which it is sorted
	cells, texts []any
}

// NewGroupList returns a list without groups, sorted by a figure of [figures.Groups]: the greatest first, with - before its name the
// least. It keeps the first groups, so many at most. The error is that there is no such figure.
func NewGroupList(order string, most int) (*GroupList, error) {
	l := &GroupList{
		order: order, most: most, columns: groupColumns(), shown: figures.Select(figures.Groups(), "step", "fate", "n", "kept", "reward",
			"std"),
	}
	if order == "" {
		return l, nil
	}
	var found bool
	if l.figure, found = figures.Find(figures.Groups(), strings.TrimPrefix(order, "-")); !found {
		names := model.Mapped(figures.Groups(), func(f figures.Of[figures.GroupOf]) string { return f.Name() })
		return nil, fmt.Errorf("there is no metric %q of a group: choose %s", strings.TrimPrefix(order, "-"), strings.Join(names, ", "))
	}
	isShown := func(c figures.Column[figures.GroupOf]) bool { return slices.Contains(c.AllNames(), l.figure.Name) }
	if !slices.ContainsFunc(append(slices.Clip(l.shown), figures.Select(figures.Groups(), "group", "prompt")...), isShown) {
		l.shown = append(l.shown, l.figure)
	}
	return l, nil
}

// groupColumns are the columns of a table of groups.
func groupColumns() []figures.Column[figures.GroupOf] {
	flips := model.Mapped(analysis.FlipKinds(), func(k analysis.FlipKind) string { return "flips/" + k.Name })
	return figures.Select(figures.Groups(), slices.Concat([]string{
		"step", "group", "fate", "samples", "kept_pos", "kept_zero", "kept_neg", "flips", "reward_mean", "reward_std", "invalid", "prompt",
		"refused", "rollouts", "nonzero",
	}, flips, []string{"admitted", "why_skipped"})...)
}

// Add adds groups of a step, by their indexes.
func (l *GroupList) Add(a *analysis.Analysis, selected []int) {
	l.steps, l.groups, l.matching = l.steps+1, l.groups+a.Groups, l.matching+len(selected)
	l.Refusals.Add(a)
	for _, i := range selected {
		g := figures.NewGroupOf(a, i)
		row := listedGroup{cells: cellsOf(l.columns, g), texts: anyTexts(l.shown, g, figures.Number.Digits)}
		if l.order != "" {
			row.value = l.figure.Value(g)
		}
		label := shorten(g.Name, maxGroupName)
		if prompt := sanitize.Line(g.Preview); prompt != "" && prompt != label {
			label += "  " + cut(prompt, 60)
		}
		row.texts = append(row.texts, label)
		l.rows = append(l.rows, row)
	}
	const spare = 1 << 10
	if l.most > 0 && len(l.rows) > l.most+spare {
		l.sort()
	}
}

// sort puts the rows in order, and keeps the first.
func (l *GroupList) sort() {
	if l.order != "" {
		values := model.Mapped(l.rows, func(r listedGroup) figures.Number { return r.value })
		l.rows = model.Mapped(figures.Ranked(values, strings.HasPrefix(l.order, "-")), func(i int) listedGroup { return l.rows[i] })
	}
	if l.most > 0 {
		l.rows = l.rows[:min(l.most, len(l.rows))]
	}
}

// Matching is how many groups were selected.
func (l *GroupList) Matching() int { return l.matching }

// Table is a row per group, with the columns of [CSV].
func (l *GroupList) Table() Table {
	l.sort()
	names := model.Mapped(l.columns, func(c figures.Column[figures.GroupOf]) string { return c.Name })
	return Table{Title: "groups", Columns: names, Rows: model.Mapped(l.rows, func(r listedGroup) []any { return r.cells })}
}

// GroupListText writes a table for people, with the names by which why takes the groups.
func GroupListText(w io.Writer, l *GroupList) error {
	l.sort()
	out := bufio.NewWriter(w)
	if line := l.Head.line(); line != "" {
		fmt.Fprintln(out, line)
	}
	writeComputedAs(out, l.Choice)
	if l.Where != "" {
		fmt.Fprintln(out, sanitize.Line(l.Where))
	}
	format := "%7s  %-11s %7s  %-10s %7s %6s" + strings.Repeat(" %12s", len(l.shown)-6) + "  %s\n"
	fmt.Fprintf(out, "\n"+format, append(anyNames(l.shown), "group")...)
	for _, r := range l.rows {
		fmt.Fprintf(out, format, r.texts...)
	}
	order := "in the order of the log"
	if name, least := strings.CutPrefix(l.order, "-"); least {
		order = "by " + name + ", lowest first"
	} else if name != "" {
		order = "by " + name + ", highest first"
	}
	fmt.Fprintf(out, "\ncomplete: %s of %s, %s\n", units.Count(len(l.rows)), units.Plural(l.matching, "groups"), order)
	return out.Flush()
}

// GroupListMarkdown writes a table of Markdown.
func GroupListMarkdown(w io.Writer, l *GroupList) error { return TableMarkdown(w, l.Table()) }

// GroupListJSON writes the object that the schema groups@1 describes: its by_group has the columns of the table.
func GroupListJSON(w io.Writer, l *GroupList) error {
	return writeDocument(w, "vantage/groups@1", object{
		{"where", some(l.Where)},
		{"order", some(l.order)},
		{"steps", l.steps},
		{"groups", l.groups},
		{"matching", l.matching},
		{"settings", settingsJSON(l.Settings)},
	}, choiceJSON(l.Choice), object{{"by_group", l.Table()}})
}
