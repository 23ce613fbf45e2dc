package runlist

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"vantage/model/fuzzy"
	"vantage/model/units"
)

// List is the runs found so far: those below the current directory first, those written last on
// top; then those opened before that lie elsewhere, those opened last on top. Its methods change
// nothing of it.
type List struct{ runs []Run }

// Runs returns all runs, in order. They must not be changed.
func (l List) Runs() []Run { return l.runs }

// Add returns the list with more runs. One that is in the list already is one run: what was found
// below the current directory counts, of two such what was found last, with the time at which the run
// was opened.
func (l List) Add(more ...Run) List {
	runs := slices.Clone(l.runs)
	for _, r := range more {
		if i := slices.IndexFunc(runs, func(o Run) bool { return o.ID == r.ID }); i >= 0 {
			runs[i] = merge(runs[i], r)
		} else {
			runs = append(runs, r)
		}
	}
	slices.SortStableFunc(runs, before)
	return List{runs}
}

// merge joins what was known of a run with what was found.
func merge(known, found Run) Run {
	opened := known.Opened
	if found.Opened.After(opened) {
		opened = found.Opened
	}
	if found.Elsewhere && !known.Elsewhere {
		found = known
	}
	found.Opened = opened
	return found
}

func before(a, b Run) int {
	switch {
	case a.Elsewhere != b.Elsewhere && b.Elsewhere:
		return -1
	case a.Elsewhere != b.Elsewhere:
		return 1
	case a.Elsewhere:
		return cmp.Or(b.Opened.Compare(a.Opened), cmp.Compare(a.ID, b.ID))
	}
	return cmp.Or(b.LastWrite.Compare(a.LastWrite), cmp.Compare(a.ID, b.ID))
}

// Find returns the position of the run of that ID, -1 if it is not in the list.
func (l List) Find(id string) int {
	return slices.IndexFunc(l.runs, func(r Run) bool { return r.ID == id })
}

// Match returns the positions of the runs that a query means, in order: those whose name or
// format contains it at the start of a word, then those that contain it at all. If there are none,
// those that contain its letters in this order. Each word of the query must be met. Everything
// matches "".
func (l List) Match(query string) []int {
	words := strings.Fields(strings.ToLower(query))
	byRank := make([][]int, ranks)
	for i, r := range l.runs {
		if rank := r.rank(words); rank < ranks {
			byRank[rank] = append(byRank[rank], i)
		}
	}
	if contained := slices.Concat(byRank[:inOrder]...); len(contained) > 0 {
		return contained
	}
	return byRank[inOrder]
}

// The ranks of matches, the best first.
const (
	atWord  = iota // at the start of a word
	within         // within a word
	inOrder        // the letters only

	ranks
)

// rank returns how well a run meets the worst of some words, ranks if it does not.
func (r Run) rank(words []string) int {
	text, worst := r.searched(), atWord
	for _, word := range words {
		worst = max(worst, rankOf(word, text))
	}
	return worst
}

// rankOf returns how well a text contains a word.
func rankOf(word, text string) int {
	best := inOrder
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			break
		}
		if at += i; at == 0 || strings.ContainsRune(" /_-.=", rune(text[at-1])) {
			return atWord
		}
		best, at = within, at+1
	}
	if best == within {
		return within
	}
	if fuzzy.HasLettersInOrder(text, word) {
		return inOrder
	}
	return ranks
}

// Write writes the list as a table of plain text, a run a line: path, format, how much there is,
// size, last write, and when it was opened last. What is unknown is a dash.
func (l List) Write(w io.Writer, now time.Time) error {
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "path\tformat\thow much\tsize\tlast write\topened")
	for _, r := range l.runs {
		cells := []string{r.Label(), r.Format, r.Extent(), r.SizeText(), Age(r.LastWrite, now), Age(r.Opened, now)}
		for i, cell := range cells {
			cells[i] = cmp.Or(cell, units.Missing)
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}

// Looked says how far was looked for runs.
type Looked struct {
	Entries int           // files and directories that were listed
	Limit   time.Duration // the time that was allowed
	Timeout bool          // the time was over before everything was listed
	TooMany bool          // there are more entries, or deeper directories, than are listed
}

// Text says it in a sentence: "listed 312 files and directories", and what was not listed.
func (l Looked) Text() string {
	text := "listed " + units.Plural(l.Entries, "entries")
	if l.Entries == 1 {
		text = "listed 1 entry"
	}
	switch {
	case l.Timeout:
		text += fmt.Sprintf(", stopped after %g s", l.Limit.Seconds())
	case l.TooMany:
		text += ", not all there are"
	}
	return text
}

// Partial reports whether there may be more runs.
func (l Looked) Partial() bool { return l.Timeout || l.TooMany }
