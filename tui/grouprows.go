package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/tui/cells"
)

type order struct {
	column   int // index in sortings
	reversed bool
}

// sorting is a way to sort: by fate the worst first, by a number the largest, by a text in
// alphabetical order.
type sorting struct {
	column  string // the header of its column; "" if it has none
	words   string
	compare func(a, b *analysis.Group) int
	ascends bool // its arrow is that of ascending values unless it is reversed
}

func sortings() []sorting {
	by := func(name, words string, of func(g *analysis.Group) float64) sorting {
		return sorting{column: name, words: words, compare: func(a, b *analysis.Group) int { return cmp.Compare(of(b), of(a)) }}
	}
	return []sorting{
		{column: "fate", words: "worst first", compare: func(a, b *analysis.Group) int { return int(a.Fate) - int(b.Fate) }},
		{column: "prompt", words: "by prompt", compare: func(a, b *analysis.Group) int { return strings.Compare(a.Preview, b.Preview) }, ascends: true},
		by("n", "by size", func(g *analysis.Group) float64 { return float64(g.Size()) }),
		by("kept", "by kept", func(g *analysis.Group) float64 { return float64(g.Kept()) }),
		by("reward", "by reward", func(g *analysis.Group) float64 { return g.RewardMean }),
		by("", "by std of reward", func(g *analysis.Group) float64 { return g.RewardStd }),
		by("", "by flips", func(g *analysis.Group) float64 { return float64(g.Flips.Total()) }),
		by("step", "by step", func(g *analysis.Group) float64 { return float64(g.Step) }), // the last: see nextOrder
	}
}

func (a App) nextOrder() App {
	all := len(sortings())
	if !a.env.isWide() {
		all-- // without the step
	}
	return a.change(func(s *undoState) { s.order = order{column: (a.env.settings.order.column + 1) % all} })
}

// sortBy sorts the groups by a column, given by its index in sortings, or the other way round if they are.
func (a App) sortBy(column int) App {
	if a.env.settings.order.column == column {
		return a.reverseOrder()
	}
	return a.change(func(s *undoState) { s.order = order{column: column} })
}

func (a App) reverseOrder() App {
	return a.change(func(s *undoState) { s.order = order{a.env.settings.order.column, !a.env.settings.order.reversed} })
}

// groupsTitle says how many groups are shown, by which filter and in which order.
func (e env) groupsTitle(w int) string {
	x := e.result.analysis
	title := "groups" + e.ofRun() + "  " + units.Count(x.Groups)
	if e.result.filter != "" {
		title = "groups" + e.ofRun() + "  " + e.shownCount()
	}
	title = e.withScopeWords(title, w)
	words := sortings()[e.settings.order.column].words
	if e.settings.order.reversed {
		words += ", reversed"
	}
	if text := sanitize.Line(e.result.filter); text != "" {
		return title + " · " + text + " · " + words
	}
	return title + " · " + words
}

// cause says why the group under the cursor has no signal, after its fates if they differ from the baseline's.
func (e env) cause() string {
	if len(e.result.rows) == 0 {
		return ""
	}
	g := e.result.rows[e.place.row]
	why := sanitize.Line(e.result.analysis.Cause(g)) // it names components, which are the log's
	if was, differs := e.baselineFate(g); differs {
		why = strings.TrimSuffix(fmt.Sprintf("A %s, B %s: %s", was, e.result.analysis.Table[g].Fate, why), ": ")
	}
	return why
}

// rearrange filters and sorts the groups again; the cursor stays on its group.
func (a App) rearrange() App {
	if a.env.result.analysis == nil {
		return a
	}
	selected := groupKey{}
	if g := a.env.selectedGroup(); g != nil {
		selected = keyOf(g)
	}
	return a.arrangeRows(selected).clampCursor()
}

// arrangeRows filters and sorts the groups, and puts the cursor on the selected one, or on that of the same
// name in another step. A filter that is no query, as while it is typed, shows all groups.
func (a App) arrangeRows(selected groupKey) App {
	x := a.env.result.analysis
	if a.env.result.filter = a.env.settings.filter; a.position.view == viewFilter {
		a.env.result.filter = a.panes.filterDraft
	}
	q, err := figures.ParseQuery(a.env.result.filter)
	if err != nil {
		q = figures.Query{}
	}
	var rows []int
	for g := range x.Groups {
		if q.MatchesGroup(x, g) {
			rows = append(rows, g)
		}
	}
	a.env.result.rows, a.env.result.shownSamples = a.env.settings.order.sortRows(x, rows), nil
	if len(a.env.result.rows) < x.Groups {
		a.env.result.shownSamples = make([]bool, x.Rows)
		for _, g := range a.env.result.rows {
			for i := x.Offsets[g]; i < x.Offsets[g+1]; i++ {
				a.env.result.shownSamples[i] = true
			}
		}
	}
	if selected == (groupKey{}) {
		return a
	}
	row := slices.IndexFunc(a.env.result.rows, func(g int) bool { return keyOf(&x.Table[g]) == selected })
	if row < 0 {
		row = slices.IndexFunc(a.env.result.rows, func(g int) bool { return x.Table[g].Name == selected.name })
	}
	if row >= 0 {
		a.env.place.row = row
	}
	return a
}

// sortRows sorts groups; equal ones stay in order.
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

// minSharedPrompt is how many bytes prompts share at least where the table leaves them out: the first
// word of a question says something, and costs little.
const minSharedPrompt = 12

// shortPrompt is how many columns the longest of the prompts takes at most where they are left whole.
const shortPrompt = 16

// sharedPrompt returns how many bytes at the beginning of the prompts of all groups are the same, up to
// the end of a word: 0 if they are few, if all prompts are short, or if there are no two different ones. Groups without a
// prompt do not count.
func sharedPrompt(groups []analysis.Group) int {
	return sharedBeginning(len(groups), func(i int) string { return groups[i].Preview })
}

func sharedBeginning(n int, prompt func(i int) string) int {
	first, same, several, longest := "", 0, false, 0
	for i := range n {
		text := prompt(i)
		if longest <= shortPrompt {
			longest = max(longest, cells.Width(sanitize.Line(text)))
		}
		switch {
		case text == "" || text == first:
		case first == "":
			first, same = text, len(text)-1
		default:
			several = true
			same = min(commonBytes(first[:same], text), len(text)-1) // something is left of each
		}
	}
	if !several || longest <= shortPrompt || wordStart(first, same) < minSharedPrompt {
		return 0
	}
	return wordStart(first, same)
}

// withoutShared returns a prompt as it is shown beside others that share its first n bytes.
func withoutShared(prompt string, n int) string {
	if n > 0 && n < len(prompt) {
		return "…" + sanitize.Line(prompt[n:])
	}
	return sanitize.Line(prompt)
}

func commonBytes(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// wordStart returns the last place of a text, at most at, that follows a space, or a character of a
// script without spaces.
func wordStart(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	for at > 0 {
		before, size := utf8.DecodeLastRuneInString(text[:at])
		if unicode.IsSpace(before) || unicode.In(before, unicode.Han, unicode.Hiragana, unicode.Katakana) || strings.ContainsRune("，。、；：？！（）「」", before) {
			return at
		}
		at -= size
	}
	return 0
}
