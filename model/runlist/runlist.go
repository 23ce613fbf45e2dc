// Package runlist holds the runs that the program offers when it is started without a path: what
// is known of each without reading it, which come first, and which of them a few typed letters
// mean. In come runs as they are found ([List.Add]), out come rows ([List.Match]) and a table of
// plain text ([List.Write]). loaders.Finder finds runs, tui/runpicker shows them. The functions
// know no files: all they are told is in a [Run].
package runlist

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Run is a log that can be opened.
type Run struct {
	Paths     []string // to open: one, unless several were opened together before
	ID        string   // equal for two runs with the same files: their absolute paths
	Name      string   // that a person reads: relative to the current directory, or with ~ for the home directory
	Format    string   // of the log, as --input-format spells it; "" if unknown
	FirstStep int64    // by the names of files or directories; see HasSteps
	LastStep  int64
	HasSteps  bool
	Files     int       // 0 if unknown
	Samples   int64     // 0 if unknown: few formats say how many there are without being read
	Size      int64     // in bytes; 0 if unknown
	LastWrite time.Time // zero if unknown
	Opened    time.Time // by the user, last; zero if never
	Elsewhere bool      // not below the current directory
}

// Contents is what reading a run tells of it. The zero value is of one that was not read.
type Contents struct {
	Steps   int
	Samples int64
	Size    int64     // in bytes
	Newest  time.Time // that the newest row gives itself; zero if it gives none
	Health  string    // in a few words: see diagnosis.Diagnosis.HealthText
	Ill     bool      // has an alarm
	Watched bool      // has a watch and no alarm
	Healthy bool      // else it is unknown
}

// Label returns the name as one line that is safe to print.
func (r Run) Label() string { return sanitize.Line(r.Name) }

// Extent returns how much there is, by the best that is known: steps, samples, files, or nothing.
func (r Run) Extent() string {
	switch {
	case r.HasSteps && r.FirstStep == r.LastStep:
		return fmt.Sprintf("step %d", r.LastStep)
	case r.HasSteps:
		return fmt.Sprintf("steps %d–%d", r.FirstStep, r.LastStep)
	case r.Samples > 0:
		return units.Plural(int(r.Samples), "samples")
	case r.Files > 1:
		return units.Plural(r.Files, "files")
	}
	return ""
}

// SizeText returns the size, "" if it is unknown.
func (r Run) SizeText() string {
	if r.Size <= 0 {
		return ""
	}
	return units.Bytes(r.Size)
}

// IsLive reports whether the log was written a moment ago, by the rule of the header of an open run
// whose time between steps is unknown.
func (r Run) IsLive(now time.Time) bool {
	return !r.LastWrite.IsZero() && now.Sub(r.LastWrite) < model.Progress{}.IdleAfter()
}

// Age returns how long ago a time was: "3 min ago", "5 days ago"; "" for the zero time. A time in
// the future, by the clock of another machine, is "now".
func Age(at, now time.Time) string {
	const day = 24 * time.Hour
	switch ago := now.Sub(at); {
	case at.IsZero():
		return ""
	case ago < time.Minute:
		return "now"
	case ago < time.Hour:
		return fmt.Sprintf("%d min ago", ago/time.Minute)
	case ago < 2*day:
		return fmt.Sprintf("%d h ago", ago/time.Hour)
	case ago < 100*day:
		return fmt.Sprintf("%d days ago", ago/day)
	}
	return at.Local().Format(time.DateOnly)
}

// NextAge returns when Age says another thing, the zero time if never.
func NextAge(at, now time.Time) time.Time {
	const day = 24 * time.Hour
	unit := time.Minute
	switch ago := now.Sub(at); {
	case at.IsZero() || ago >= 100*day:
		return time.Time{}
	case ago >= 2*day:
		unit = day
	case ago >= time.Hour:
		unit = time.Hour
	}
	return at.Add((max(0, now.Sub(at))/unit + 1) * unit)
}

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
	sort.SliceStable(runs, func(i, j int) bool { return before(&runs[i], &runs[j]) })
	return List{runs}
}

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

// before reports whether a run stands above another.
func before(a, b *Run) bool {
	switch {
	case a.Elsewhere != b.Elsewhere:
		return b.Elsewhere
	case a.Elsewhere:
		return cmp.Or(b.Opened.Compare(a.Opened), cmp.Compare(a.ID, b.ID)) < 0
	}
	return cmp.Or(b.LastWrite.Compare(a.LastWrite), cmp.Compare(a.ID, b.ID)) < 0
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

// HasWord reports whether the label or the format of a run has a word that begins with a prefix.
func (l List) HasWord(prefix string) bool {
	return slices.ContainsFunc(l.runs, func(r Run) bool { return r.rank([]string{strings.ToLower(prefix)}) == atWord })
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
	text, worst := strings.ToLower(r.Label()+" "+r.Format), atWord
	for _, word := range words {
		worst = max(worst, rankOf(word, text))
	}
	return worst
}

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
	if best == within || model.HasLettersInOrder(text, word) {
		return best
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
	LeftOut int           // files of a kind that logs have, which hold no samples
	Example string        // one of these, as a person reads it
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

// LeftOutText says which files are no runs, "" if there are none.
func (l Looked) LeftOutText() string {
	switch l.LeftOut {
	case 0:
		return ""
	case 1:
		return "left out: " + sanitize.Line(l.Example) + ", which holds no samples"
	}
	return fmt.Sprintf("left out: %s that hold no samples, such as %s", units.Plural(l.LeftOut, "files"), sanitize.Line(l.Example))
}

// Partial reports whether there may be more runs.
func (l Looked) Partial() bool { return l.Timeout || l.TooMany }
