// Package textsearch finds the samples of a run whose texts match a pattern, and says what the match is worth: the
// mean reward and advantage of the samples with it and without it. The text of each sample is read once, in the order
// of the log. The command grep and the screen call it.
package textsearch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/units"
)

// Search is what is looked for, and where.
type Search struct {
	Pattern *regexp.Regexp
	In      []Part // in the order in which they are tried
	Where   figures.Query
	CountBy string // one of [CountKinds], or ""
	Most    int    // of the matches are kept
}

// Part is a text of a sample.
type Part string

// Compile compiles a pattern. The error says where it is wrong.
func Compile(text string) (*regexp.Regexp, error) {
	pattern, err := regexp.Compile(text)
	if wrong := (*syntax.Error)(nil); errors.As(err, &wrong) {
		at := strings.LastIndex(text, wrong.Expr)
		return nil, fmt.Errorf("the pattern %q is wrong at character %d, %q: %s", text, len([]rune(text[:max(0, at)]))+1, wrong.Expr,
			wrong.Code)
	}
	return pattern, err
}

// Parts returns the texts of a sample, the answer first.
func Parts() []Part { return []Part{"answer", "prompt", "truth"} }

func (p Part) of(t *model.Text) string {
	switch p {
	case "prompt":
		return t.Prompt
	case "truth":
		return t.Truth
	}
	return t.Response
}

// CountKinds lists what matches can be counted by.
func CountKinds() []string { return []string{"step", "fate", "source"} }

// Result is what was found.
type Result struct {
	Steps         int
	With, Without Tally
	Counts        []*Count // by CountBy, those of steps ascending, of others the most matches first
	Matches       []Match  // the first ones
	Unread        int      // samples whose text cannot be read, which are in no tally
	WhyUnread     string   // of the first of them
}

// Match is a sample that matches.
type Match struct {
	Step                int64
	Group               string
	Sample              int // of the group, from 1, in the order of the log
	Index               int // row of the step, from 0, in the order of the log
	Reward, Advantage   float64
	In                  Part
	Before, Text, After string // of the first match, as logged: sanitise before showing
}

// Count is the samples that have something in common.
type Count struct {
	Name    string
	Samples int
	With    Tally
	number  int64 // of a step
}

// Tally is the rewards and advantages of some samples.
type Tally struct {
	Samples           int
	Reward, Advantage Moments
}

// Moments are the sums of some finite numbers.
type Moments struct {
	N            int
	sum, squares float64
}

func (m *Moments) add(x float64) {
	if units.IsFinite(x) {
		m.N, m.sum, m.squares = m.N+1, m.sum+x, m.squares+x*x
	}
}

// Mean is NaN of none.
func (m Moments) Mean() float64 { return m.sum / float64(m.N) }

// Less returns how much greater the mean is than that of others, and its standard error (Welch), NaN where one has fewer than two.
func (m Moments) Less(o Moments) (difference, err float64) {
	square := func(m Moments) float64 {
		n := float64(m.N)
		if n < 2 {
			return math.NaN()
		}
		return max(0, m.squares-m.sum*m.sum/n) / (n - 1) / n
	}
	return m.Mean() - o.Mean(), math.Sqrt(square(m) + square(o))
}

func (t *Tally) add(a *analysis.Analysis, i int) {
	t.Samples++
	t.Reward.add(a.LoggedRewards[i])
	t.Advantage.add(a.Processed[i])
}

// found is what was read of the samples of a step.
type found struct {
	a       *analysis.Analysis
	rows    []int   // columns of the analysis, in the order of the log
	groups  []int   // of these
	matches []Match // with Step 0: none
	sources []string
	errs    []error
}

// Run searches the steps of a snapshot. It fails if they cannot be analysed, if nothing can be read, or if ctx ends.
func (s *Search) Run(ctx context.Context, snap model.Snapshot, set model.Settings, read analysis.ReadTexts) (*Result, error) {
	r := &Result{}
	counts := map[string]*Count{}
	var tooMany error
	steps := analysis.NewPipeline(func(f *found) error {
		s.count(r, counts, f)
		if len(counts) > maxCounts && s.CountBy == "source" {
			tooMany = fmt.Errorf("there are more than %d sources: the field numbers prompts", maxCounts)
		}
		return tooMany
	})
	defer steps.Close()
	err := analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
		i, _ := snap.Find(a.Step)
		return steps.Add(a.Rows, func() (*found, error) { return s.step(ctx, snap.Steps[i], a, read) })
	})
	if err = errors.Join(err, steps.End()); err != nil {
		return nil, err
	}
	if r.With.Samples+r.Without.Samples == 0 && r.Unread > 0 {
		return nil, errors.New(r.WhyUnread)
	}
	for _, c := range counts {
		r.Counts = append(r.Counts, c)
	}
	slices.SortFunc(r.Counts, func(x, y *Count) int {
		return cmp.Or(cmp.Compare(x.number, y.number), cmp.Compare(y.With.Samples, x.With.Samples), cmp.Compare(x.Name, y.Name))
	})
	return r, nil
}

// maxCounts bounds what samples have in common.
const maxCounts = 10_000

func (s *Search) step(ctx context.Context, step model.Step, a *analysis.Analysis, read analysis.ReadTexts) (*found, error) {
	f := &found{a: a}
	group, columns := make([]int, a.Rows), make([]int, 0, a.Rows)
	for g := range a.Table {
		for i := a.Table[g].Start; i < a.Table[g].End; i++ {
			if group[i] = g; s.Where.MatchesSample(a, g, i) {
				columns = append(columns, i)
			}
		}
	}
	slices.SortFunc(columns, func(x, y int) int { return cmp.Compare(a.InputRow[x], a.InputRow[y]) })
	f.rows = columns
	places := make([]model.Place, len(columns))
	f.groups, f.matches, f.errs = make([]int, len(columns)), make([]Match, len(columns)), make([]error, len(columns))
	for k, i := range columns {
		places[k], f.groups[k] = step.Place(int(a.InputRow[i])), group[i]
	}
	mayHold := s.mayHold()
	if s.CountBy == "source" { // which is known of every sample
		mayHold, f.sources = nil, make([]string, len(columns))
	}
	err := read(ctx, places, mayHold, func(k int, t model.Text, err error) {
		if f.errs[k] = err; err != nil {
			return
		}
		f.matches[k] = s.match(&t)
		if f.sources != nil {
			f.sources[k] = diagnosis.SourceOf(t.Fields)
		}
	})
	return f, err
}

// Around the match so many bytes of the text are kept, and of itself at most so many.
const (
	keptAround = 60
	keptMatch  = 200
)

func (s *Search) match(t *model.Text) Match {
	for _, part := range s.In {
		text := part.of(t)
		if at := s.Pattern.FindStringIndex(text); at != nil {
			from, to := max(0, at[0]-keptAround), min(len(text), at[1]+keptAround)
			for from < at[0] && !utf8.RuneStart(text[from]) {
				from++
			}
			for to > at[1] && to < len(text) && !utf8.RuneStart(text[to]) {
				to--
			}
			m := Match{
				In: part, Before: strings.Clone(text[from:at[0]]), Text: strings.Clone(text[at[0]:at[1]]),
				After: strings.Clone(text[at[1]:to]),
			}
			if len(m.Text) > keptMatch {
				m.Text, m.After = strings.ToValidUTF8(m.Text[:keptMatch], "")+"…", ""
			}
			return m
		}
	}
	return Match{}
}

func (s *Search) count(r *Result, counts map[string]*Count, f *found) {
	r.Steps++
	for k, i := range f.rows {
		if f.errs[k] != nil {
			if r.Unread++; r.WhyUnread == "" {
				r.WhyUnread = f.errs[k].Error()
			}
			continue
		}
		m, group := &f.matches[k], &f.a.Table[f.groups[k]]
		var c *Count
		if s.CountBy != "" {
			one := Count{}
			switch s.CountBy {
			case "step":
				one.Name, one.number = strconv.FormatInt(f.a.Step, 10), f.a.Step
			case "fate":
				one.Name = group.Fate.String()
			default:
				one.Name = cmp.Or(f.sources[k], "unknown")
			}
			if c = counts[one.Name]; c == nil {
				c = &one
				counts[one.Name] = c
			}
			c.Samples++
		}
		if m.In == "" {
			r.Without.add(f.a, i)
			continue
		}
		r.With.add(f.a, i)
		if c != nil {
			c.With.add(f.a, i)
		}
		if s.Most == 0 || len(r.Matches) < s.Most {
			m.Step, m.Group, m.Index = f.a.Step, group.Name, int(f.a.InputRow[i])
			m.Sample = i - group.Start + 1
			m.Reward, m.Advantage = f.a.LoggedRewards[i], f.a.Processed[i]
			r.Matches = append(r.Matches, *m)
		}
	}
}

// mayHold returns what says of the bytes of a record that a text in it may match: that they hold the longest word which is in every
// match, of letters and digits that no format escapes. It is nil if there is no such word, or if the word may be of a speaker, whose name
// is not in every log.
func (s *Search) mayHold() func([]byte) bool {
	tree, err := syntax.Parse(s.Pattern.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	word, fold := needed(tree)
	speakers := []string{"user", "assistant", "system", "tool", "human", "model", "developer", "function"}
	if len(word) < 2 || slices.ContainsFunc(speakers, func(name string) bool { return strings.Contains(name, strings.ToLower(word)) }) {
		return nil
	}
	bare := []byte(word)
	if fold {
		return func(record []byte) bool { return containsFold(record, bare) }
	}
	return func(record []byte) bool { return bytes.Contains(record, bare) }
}

// needed returns the longest word that every match of a pattern holds, and whether in any case of its letters.
func needed(re *syntax.Regexp) (word string, fold bool) {
	switch {
	case re.Op == syntax.OpLiteral:
		fold = re.Flags&syntax.FoldCase != 0
		runs := strings.FieldsFunc(string(re.Rune), func(r rune) bool {
			foldsFromBeyondASCII := fold && strings.ContainsRune("kKsS", r)
			isOfWord := r < utf8.RuneSelf && syntax.IsWordChar(r) && r != '_'
			return !isOfWord || foldsFromBeyondASCII
		})
		for _, w := range runs {
			if len(w) > len(word) {
				word = w
			}
		}
	case re.Op == syntax.OpConcat, re.Op == syntax.OpCapture, re.Op == syntax.OpPlus, re.Op == syntax.OpRepeat && re.Min > 0:
		for _, part := range re.Sub {
			if w, f := needed(part); len(w) > len(word) {
				word, fold = w, f
			}
		}
	}
	return word, fold
}

// containsFold reports whether a text holds a word of ASCII in any case.
func containsFold(text, word []byte) bool {
	lower, upper := word[0]|0x20, word[0]&^0x20
	if word[0] < 'A' { // a digit
		lower, upper = word[0], word[0]
	}
	for at := 0; at+len(word) <= len(text); at++ {
		i := bytes.IndexByte(text[at:], lower)
		if k := bytes.IndexByte(text[at:at+max(0, min(i, len(text)-at))], upper); i < 0 {
			i = bytes.IndexByte(text[at:], upper)
		} else if k >= 0 {
			i = k
		}
		if i < 0 {
			return false
		}
		if at += i; at+len(word) <= len(text) && bytes.EqualFold(text[at:at+len(word)], word) {
			return true
		}
	}
	return false
}
