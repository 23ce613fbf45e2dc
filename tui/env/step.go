package env

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/tui/cells"
	"vantage/tui/pane"
)

// Analysed is the steps on the screen.
type Analysed struct {
	Scope    ScopeState // as it was decided, if it was not before
	Every    int        // see result
	Analysis *analysis.Analysis
	Base     *analysis.Analysis // under the baseline, nil if there is none
}

// Trends is the trend over all steps, or over the newest while the others are pending.
type Trends struct {
	Trend, Base *analysis.Trend // the latter under the baseline, nil if there is none
}

// stepsHash is another number for other steps, or for the same in other revisions: FNV-1a over whole numbers.
type stepsHash uint64

const hashOfNoSteps stepsHash = 14695981039346656037

func (h stepsHash) with(step int64, revision int) stepsHash {
	const prime = 1099511628211
	return ((h^stepsHash(step))*prime ^ stepsHash(revision)) * prime
}

// HashOfComplete is another number whenever a complete step is new or has changed.
func HashOfComplete(snap model.Snapshot) uint64 {
	h := hashOfNoSteps
	for i, s := range snap.Steps {
		if !snap.Open(i) {
			h = h.with(s.Number, s.Revision)
		}
	}
	return uint64(h)
}

// hashOfShown is another number for other steps on the screen.
func hashOfShown(x *analysis.Analysis) uint64 {
	h := hashOfNoSteps
	for _, part := range x.Parts() {
		h = h.with(part.Step, part.Revision)
	}
	return uint64(h)
}

// NewestStep returns the step to follow: the newest complete one, whose figures no longer change, or the first while it is the
// only one.
func (e Env) NewestStep() int64 {
	last := len(e.Snap.Steps) - 1
	if last > 0 && e.Snap.Open(last) {
		last--
	}
	return e.Snap.Steps[last].Number
}

// StepIndex returns the index of the step on the screen in the snapshot.
func (e Env) StepIndex() int {
	i, _ := e.Snap.Find(e.Place.Step)
	return min(i, len(e.Snap.Steps)-1)
}

// TrendProgress returns how many of the steps are computed: "312/1000 steps".
func (e Env) TrendProgress() string {
	t := e.Result.Trend
	return units.Count(len(t.Steps)-t.Pending) + "/" + units.Count(len(t.Steps)) + " steps"
}

// GroupsSoFar returns the groups of a step that is being written, out of as many as the step before had if that is known: the
// steps of a run are of about one size.
func (e Env) GroupsSoFar(s *analysis.StepFigures) string {
	if t := e.Result.Trend; t != nil {
		if i, ok := t.Find(s.Step); ok && i > 0 && t.Steps[i-1].Groups >= s.Groups {
			return units.Count(s.Groups) + "/" + units.Plural(t.Steps[i-1].Groups, "groups")
		}
	}
	return units.Plural(s.Groups, "groups")
}

// GroupKey is a group of a step; zero for none.
type GroupKey struct {
	step int64
	Name string
}

// KeyOf names a group of a step.
func KeyOf(g *analysis.Group) GroupKey { return GroupKey{g.Step, g.Name} }

// SelectedGroup returns the group under the cursor, nil if there is none.
func (e Env) SelectedGroup() *analysis.Group {
	if e.Result.Analysis == nil || e.Place.Row >= len(e.Result.Rows) {
		return nil
	}
	return &e.Result.Analysis.Table[e.Result.Rows[e.Place.Row]]
}

// SubsetKey is all that the figures of the groups that the filter shows depend on, while it leaves some out.
type SubsetKey struct {
	Analysis, Base *analysis.Analysis
	Filter         string
}

// Subset is these figures.
type Subset struct {
	Figures, BaseFigures analysis.StepFigures // the latter under the baseline, if there is one
}

// IsFiltered reports whether the filter leaves groups out.
func (e Env) IsFiltered() bool {
	return e.Result.Analysis != nil && len(e.Result.Rows) < e.Result.Analysis.Groups
}

// ShownFigures returns the figures of the groups that the filter shows; nil before there is a step and while they are computed.
func (e Env) ShownFigures() *analysis.StepFigures {
	switch of := e.Subset.Of; {
	case e.Result.Analysis == nil:
		return nil
	case !e.IsFiltered():
		return &e.Result.Analysis.StepFigures
	case of.Filter != e.Result.Filter || !of.Analysis.SameSteps(e.Result.Analysis):
		return nil
	}
	figures := e.Subset.Value.Figures // the address of a's own would move all of a to the heap
	return &figures
}

// BaselineFigures is ShownFigures under the baseline, nil if there is none.
func (e Env) BaselineFigures() *analysis.StepFigures {
	switch base := e.BaselineAnalysis(); {
	case base == nil:
		return nil
	case !e.IsFiltered():
		return &base.StepFigures
	}
	return &e.Subset.Value.BaseFigures
}

// ShownCount returns how many groups the filter shows, as "[12/24]"; "" without a filter.
func (e Env) ShownCount() string {
	if e.Result.Filter == "" {
		return ""
	}
	return fmt.Sprintf("[%s/%s]", units.Count(len(e.Result.Rows)), units.Count(e.Result.Analysis.Groups))
}

// Sorting is a way to sort: by fate the worst first, by a number the largest, by a text in
// alphabetical order.
type Sorting struct {
	Column  string // the header of its column; "" if it has none
	Words   string
	Compare func(a, b *analysis.Group) int
	Ascends bool // its arrow is that of ascending values unless it is reversed
}

// Sortings returns the ways to sort the groups, that of the first column first.
func Sortings() []Sorting {
	by := func(name, words string, of func(g *analysis.Group) float64) Sorting {
		return Sorting{Column: name, Words: words, Compare: func(a, b *analysis.Group) int { return cmp.Compare(of(b), of(a)) }}
	}
	return []Sorting{
		{Column: "fate", Words: "worst first", Compare: func(a, b *analysis.Group) int { return int(a.Fate) - int(b.Fate) }},
		{
			Column: "prompt", Words: "by prompt",
			Compare: func(a, b *analysis.Group) int { return strings.Compare(a.Preview, b.Preview) }, Ascends: true,
		},
		by("n", "by size", func(g *analysis.Group) float64 { return float64(g.Size()) }),
		by("kept", "by kept", func(g *analysis.Group) float64 { return float64(g.Kept()) }),
		by("reward", "by reward", func(g *analysis.Group) float64 { return g.RewardMean }),
		by("", "by std of reward", func(g *analysis.Group) float64 { return g.RewardStd }),
		by("", "by flips", func(g *analysis.Group) float64 { return float64(g.Flips.Total()) }),
		by("step", "by step", func(g *analysis.Group) float64 { return float64(g.Step) }), // the last: of one step it orders nothing, and is skipped
	}
}

// Cause says why the group under the cursor has no signal, after its fates if they differ from the baseline's.
func (e Env) Cause() string {
	if len(e.Result.Rows) == 0 {
		return ""
	}
	g := e.Result.Rows[e.Place.Row]
	why := sanitize.Line(e.Result.Analysis.Cause(g)) // it names components, which are the log's
	if was, differs := e.BaselineFate(g); differs {
		why = strings.TrimSuffix(fmt.Sprintf("A %s, B %s: %s", was, e.Result.Analysis.Table[g].Fate, why), ": ")
	}
	return why
}

// SortRows sorts groups; equal ones stay in order.
func (o Order) SortRows(x *analysis.Analysis, rows []int) []int {
	if o.Column == 0 { // the order of nearly every key press
		byFate := make([][]int, len(model.Fates()))
		for _, g := range rows {
			fate := x.Table[g].Fate
			byFate[fate] = append(byFate[fate], g)
		}
		if o.Reversed {
			slices.Reverse(byFate)
		}
		return slices.Concat(byFate...)
	}
	compare := Sortings()[o.Column].Compare
	slices.SortStableFunc(rows, func(g, h int) int {
		if o.Reversed {
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

// SharedPrompt returns how many bytes at the beginning of the prompts of all groups are the same, up to
// the end of a word: 0 if they are few, if all prompts are short, or if there are no two different ones. Groups without a
// prompt do not count.
func SharedPrompt(groups []analysis.Group) int {
	return SharedBeginning(len(groups), func(i int) string { return groups[i].Preview })
}

// SharedBeginning is SharedPrompt of n prompts.
func SharedBeginning(n int, prompt func(i int) string) int {
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

// WithoutShared returns a prompt as it is shown beside others that share its first n bytes.
func WithoutShared(prompt string, n int) string {
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
		if unicode.IsSpace(before) || unicode.In(before, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
			strings.ContainsRune("，。、；：？！（）「」", before) {
			return at
		}
		at -= size
	}
	return 0
}

// NoneTrains stands for how many samples of an evaluation train.
const NoneTrains = "none (evaluation)"

// HeaderReward returns a mean reward with three decimals, so that its width is the same at
// every step, or a long one without.
func HeaderReward(x float64) string {
	return pane.FirstFitting(len("-999.999"), units.Fixed(x, 3), units.Short(x))
}

// ShowsFilter reports whether a filter or a baseline may make a difference: else what is kept, Σ|A| and flips say nothing.
func (e Env) ShowsFilter(x *analysis.StepFigures) bool {
	return e.Settings.Now.Effective().Filtering() || e.Settings.Base.On || x.Kept < x.Rows ||
		math.Abs(x.Metric("vantage/abs_advantage_ratio")-1) > RatioRounding
}

// AnalyzedStep returns a step on the screen, unless the snapshot has a newer revision of it than was analysed.
func (e Env) AnalyzedStep(number int64) (model.Step, bool) {
	i, found := e.Snap.Find(number)
	of := e.Result.Analysis.Of(number)
	if !found || of == nil || e.Snap.Steps[i].Revision != of.Revision {
		return model.Step{}, false
	}
	return e.Snap.Steps[i], true
}

// RankedSamples returns the samples of a group, the best first, by column.
func (e Env) RankedSamples(g *analysis.Group) []int { return report.Ranked(e.Result.Analysis, g) }

// LengthName names what lengths are counted in.
func (e Env) LengthName() string {
	if e.Snap.Run.LengthUnit == model.LengthTokens {
		return "tokens"
	}
	return "length"
}

type component struct {
	Name   string
	Values []float64
}

// Components returns the columns that rewards are summed from, of the group under the cursor.
func (e Env) Components() []component {
	var all []component
	g := e.SelectedGroup()
	if g == nil {
		return nil
	}
	step, _ := e.AnalyzedStep(g.Step)
	for k, values := range step.Components {
		if values != nil && k < len(e.Snap.Run.ComponentNames) && !model.HoldsNames(e.Snap.Run.ComponentNames[k]) {
			all = append(all, component{e.Snap.Run.ComponentNames[k], values})
		}
	}
	return all
}

// PromptOrName returns the prompt of a group on a line, or its name if the log has no prompts.
func (e Env) PromptOrName(g *analysis.Group) string {
	if prompt := sanitize.Line(g.Preview); prompt != "" {
		return prompt
	}
	return sanitize.Line(g.Name)
}

// RatioRounding is what sums over samples may lack of a ratio by rounding.
const RatioRounding = 1e-9

// HarshFilter says what the filter leaves if that is little: see [figures.HarshFilter]. It returns "" without a filter, and where it is not
// known yet.
func (e Env) HarshFilter() string {
	x := e.Result.Analysis
	if x == nil || x.Open || x.Rows == 0 || !x.Settings.Filtering() {
		return ""
	}
	return figures.HarshFilter(float64(x.Kept)/float64(x.Rows), x.Metric("vantage/abs_advantage_ratio"))
}
