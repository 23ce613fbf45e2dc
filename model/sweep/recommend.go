package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// Recommendation is the setting that suits a goal best, and those that it was chosen from.
type Recommendation struct {
	Goal   Goal
	Cell   *Cell   // nil if the log has no signal: then every setting gives the same nothing
	Front  []*Cell // settings that no other beats in what is judged, the most signal first: see Grid.Recommend
	Rule   string  // how Cell was chosen, in a sentence
	Reason string  // the numbers that decided

	NotInTrainer bool // the trainer has no such filter, so that Cell is no filter whatever the goal
}

// Recommend chooses for a goal among the cells with the given values of recompute and no filter at all.
//
// The front is of the settings that no other beats in Σ|A| against no filter, effective samples, flips,
// groups killed or short, and what the goal asks for; they keep the share of Σ|A| that the goal asks for. The choice raises no warning of
// package analysis that the log does not raise by itself: it kills no group, leaves none with fewer than 2 samples, flips
// no sign, does not push one way, and keeps the shares that its ratios say. If the trainer has no filter,
// the choice is no filter.
func (g *Grid) Recommend(goal Goal, recompute ...bool) Recommendation {
	k := goal.kind()
	a := Recommendation{Goal: goal, Rule: "among the settings that raise no warning: " + goal.Doc()}
	if !g.HasSignal() {
		a.Reason = fmt.Sprintf("no signal in %s: no setting changes anything", units.Plural(g.unfiltered.Groups, "groups")+" of "+
			units.Plural(g.Steps, "steps"))
		return a
	}
	all := slices.DeleteFunc(g.candidates(k, recompute), func(c candidate) bool {
		return k.usesLeast && c.cell.Filtering() && !(c.cell.AbsRatio() >= goal.Least-rounding)
	})
	a.Front = front(all)
	if e, err := g.Settings.FindEstimator(); err != nil || !e.TrainerFilters {
		a.Cell, a.NotInTrainer = &g.unfiltered, true
		a.Reason = g.Settings.Trainer() + " has no such filter, so there is nothing to set; EasyR1-Brian has it (framework easyr1)"
		return a
	}
	// That without a filter raises no warning, and keeps all.
	eligible := slices.DeleteFunc(all, func(c candidate) bool { return c.cell.Warned != StepWarnings{} })
	most := math.Inf(-1)
	for _, c := range eligible {
		most = max(most, k.merit(c.cell))
	}
	// The most signal comes first.
	first := slices.IndexFunc(eligible, func(c candidate) bool { return k.merit(c.cell) >= most-k.tolerance })
	a.Cell = eligible[max(0, first)].cell
	a.Reason = g.reason(k, a.Cell)
	return a
}

// IsChoice reports whether a cell has the recommended ratios: both 1, whatever recompute, if no filter is.
func (a Recommendation) IsChoice(c *Cell) bool { return a.Cell != nil && a.Cell.hasSettingsOf(c) }

// OnFront reports whether a cell has the settings of one on the front.
func (a Recommendation) OnFront(c *Cell) bool { return slices.ContainsFunc(a.Front, c.hasSettingsOf) }

// hasSettingsOf reports whether two cells have the same settings; without a filter recompute is none.
func (c *Cell) hasSettingsOf(o *Cell) bool {
	return c.KeepPos == o.KeepPos && c.KeepNeg == o.KeepNeg && (c.Recompute == o.Recompute || !c.Filtering())
}

func (g *Grid) reason(k goalKind, c *Cell) string {
	if c.Filtering() {
		return "against no filter it " + c.Against(&g.unfiltered)
	}
	switch k.name {
	case "signal":
		return "no pair of the grid keeps more: a filter trades signal for fewer samples or another balance; see the other goals"
	case "balance":
		return fmt.Sprintf("without a filter positive and negative mass are %s, and no pair of the grid that raises no warning is "+
			"nearer to equal", c.MassText())
	}
	return "no pair of the grid trains on fewer samples without a warning or losing more of Σ|A|"
}

// Name returns the settings of a cell in few words.
func (c *Cell) Name() string {
	if !c.Filtering() {
		return "no filter"
	}
	text := units.Fixed(c.KeepPos, 2) + "/" + units.Fixed(c.KeepNeg, 2)
	if c.Recompute {
		return text + " recompute on"
	}
	return text + " recompute off"
}

// Sentence says what a cell does: "0.70/0.50 recompute off: keeps 61% of Σ|A|, trains on 96/192 samples
// (50%), kills 0, flips 0".
func (c *Cell) Sentence() string {
	text := fmt.Sprintf("%s: keeps %s of Σ|A|, trains on %s/%s samples (%s), kills %s, flips %s", c.Name(), percent("%.0f%%", c.AbsRatio()),
		units.Count(c.Trained), units.Count(c.Samples), units.Percent(c.Trained, c.Samples), units.Count(c.Killed), units.Count(c.Flips))
	if c.Short > 0 {
		text += ", leaves " + units.Count(c.Short) + " short"
	}
	return text
}

// Against says what a cell gives and takes against another one of the same samples.
func (c *Cell) Against(o *Cell) string {
	return fmt.Sprintf("trains on %s instead of %s samples (%s), with %s of its Σ|A| and %s of its effective samples; positive and "+
		"negative mass are %s, not %s",
		units.Count(c.Trained), units.Count(o.Trained), percent("%+.0f%%", float64(c.Trained)/float64(o.Trained)-1),
		percent("%.0f%%", c.sumAbs/o.sumAbs), percent("%.0f%%", c.Effective()/o.Effective()), c.MassText(), o.MassText())
}

// MassText returns the shares of Σ|A| that are positive and negative: "50:50".
func (c *Cell) MassText() string {
	push := c.Push()
	if push != push {
		return units.Missing
	}
	up := math.Round(50 * (1 + push))
	return fmt.Sprintf("%.0f:%.0f", up, 100-up)
}

func percent(format string, share float64) string {
	if !units.IsFinite(share) {
		return units.Missing
	}
	return fmt.Sprintf(format, 100*share)
}

// Goal is what a recommendation is for. Only a person can choose it: a filter takes signal away, and
// gives fewer samples to train on, or another balance.
type Goal struct {
	Name  string
	Least float64 // share of Σ|A| against no filter that must be kept
}

type goalKind struct {
	name, doc string
	aim       string // in a word or two, for a title
	usesLeast bool
	merit     func(*Cell) float64 // more is better; also a criterion of the front
	tolerance float64             // merits that differ by no more are equal, and Σ|A| decides
}

// goalKinds are all goals, the default first.
func goalKinds() []goalKind {
	return []goalKind{
		{"signal", "keep the most Σ|A|", "most Σ|A|", false, (*Cell).AbsRatio, rounding},
		{
			"balance", "positive and negative mass as equal as possible", "even push up and down", true,
			func(c *Cell) float64 { return -math.Abs(c.Push()) }, equalPush,
		},
		{"cost", "train on the fewest samples", "fewest samples", true, func(c *Cell) float64 { return -float64(c.Trained) }, 0},
	}
}

// equalPush is the difference of balance that nobody sees: half a percent of the mass.
const equalPush = 0.005

// DefaultLeast is the share of Σ|A| that a goal must keep unless it is given.
const DefaultLeast = 0.8

// GoalNames returns the names of all goals, the default first.
func GoalNames() []string {
	return model.Mapped(goalKinds(), func(k goalKind) string { return k.name })
}

// DefaultGoal returns the first goal.
func DefaultGoal() Goal { return Goal{Name: goalKinds()[0].name, Least: DefaultLeast} }

// UsualGoal is that of the screen, which has a price: the fewest samples for most of Σ|A|. The default has only one answer, no filter.
func UsualGoal() Goal { return Goal{Name: "cost", Least: DefaultLeast} }

// ParseGoal parses signal, balance or cost; the last two with the share of Σ|A| to keep: cost:0.9.
func ParseGoal(text string) (Goal, error) {
	name, share, given := strings.Cut(strings.ReplaceAll(strings.TrimSpace(text), " ", ":"), ":")
	g := Goal{Name: name, Least: DefaultLeast}
	i := slices.Index(GoalNames(), name)
	if i < 0 || given && !goalKinds()[i].usesLeast {
		return g, fmt.Errorf("there is no goal %q: choose signal, balance or cost, the last two with the share of Σ|A| to keep, "+
			"as cost:0.9", text)
	}
	if !given {
		return g, nil
	}
	least, err := strconv.ParseFloat(share, 64)
	if err != nil || !(least > 0 && least <= 1) {
		return g, fmt.Errorf("goal %s: the share of Σ|A| to keep must be above 0 and at most 1, got %q", name, share)
	}
	g.Least = least
	return g, nil
}

// String returns the goal as ParseGoal reads it.
func (g Goal) String() string {
	if g.Least == DefaultLeast {
		return g.Name
	}
	return g.Name + ":" + strconv.FormatFloat(g.Least, 'g', -1, 64)
}

// KeepsShare reports whether the goal takes signal away down to Least.
func (g Goal) KeepsShare() bool { return g.kind().usesLeast }

// Aim says what the goal asks for in a title: "fewest samples, 80%+ of Σ|A|".
func (g Goal) Aim() string {
	k := g.kind()
	if k.usesLeast {
		return fmt.Sprintf("%s, %.3g%%+ of Σ|A|", k.aim, 100*g.Least)
	}
	return k.aim
}

// Doc says what the goal asks for.
func (g Goal) Doc() string {
	k := g.kind()
	if k.usesLeast {
		return fmt.Sprintf("%s, with at least %.3g%% of Σ|A|", k.doc, 100*g.Least)
	}
	return k.doc
}

func (g Goal) kind() goalKind { return goalKinds()[max(0, slices.Index(GoalNames(), g.Name))] }

// criteria are what a cell is judged by, more is better: signal kept, effective samples, flips, groups
// killed or short, and the measure of the goal.
type criteria [5]float64

func criteriaOf(c *Cell, k goalKind) criteria {
	return criteria{c.AbsRatio(), c.Effective(), -float64(c.Flips), -float64(c.Lost()), k.merit(c)}
}

// compare orders by signal kept, then by the other criteria; sums that differ in the last digits are equal.
func (x criteria) compare(y criteria) int { return slices.CompareFunc(x[:], y[:], compareNearly) }

// isBeatenBy reports whether y is worse in nothing and better in something. An undefined criterion of
// x, as of a cell without signal, is worse than any.
func (x criteria) isBeatenBy(y criteria) bool {
	better := false
	for i := range x {
		d := compareNearly(y[i], x[i])
		if d < 0 {
			return false
		}
		better = better || d > 0
	}
	return better
}

// rounding is the difference up to which criteria are equal, relative above 1: some sums are float32's.
const rounding = 2e-5

// compareNearly compares numbers, of which those are equal that differ by rounding; NaN is less than any.
func compareNearly(x, y float64) int {
	if math.Abs(x-y) <= rounding*max(1, math.Abs(x), math.Abs(y)) {
		return 0
	}
	return cmp.Compare(x, y)
}

type candidate struct {
	cell *Cell
	criteria
}

// candidates returns the cells that differ in what they do, with the given values of recompute, and the
// one without a filter; the most signal first, and of those that are judged equal the least one-sided.
func (g *Grid) candidates(k goalKind, recompute []bool) []candidate {
	all := []candidate{{&g.unfiltered, criteriaOf(&g.unfiltered, k)}}
	positive, negative := g.pos.distinct(g.Pos), g.neg.distinct(g.Neg)
	for _, on := range recompute {
		for _, i := range positive {
			for _, j := range negative {
				if g.pos.kept[i] < g.pos.all || g.neg.kept[j] < g.neg.all {
					c := g.At(on, i, j)
					all = append(all, candidate{c, criteriaOf(c, k)})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(x, y candidate) int {
		return cmp.Or(y.compare(x.criteria), compareNearly(math.Abs(x.cell.Push()), math.Abs(y.cell.Push())))
	})
	return all
}

type side struct {
	kept []int // by ratio: samples of the sign that are kept
	far  []int // by ratio: steps in which it keeps another share than it says
	all  int   // samples of the sign
}

func newSide(ratios []float64) side {
	return side{kept: make([]int, len(ratios)), far: make([]int, len(ratios))}
}

func (s *side) clear() {
	clear(s.kept)
	clear(s.far)
	s.all = 0
}

func (s side) clone() side {
	s.kept, s.far = slices.Clone(s.kept), slices.Clone(s.far)
	return s
}

func (s *side) merge(o side) {
	for i := range s.kept {
		s.kept[i] += o.kept[i]
		s.far[i] += o.far[i]
	}
	s.all += o.all
}

// every returns what every n-th of some ratios keeps, and these.
func (s side) every(n int, ratios []float64) (side, []float64) {
	few := side{all: s.all}
	var kept []float64
	for i := 0; i < len(ratios); i += n {
		few.kept, few.far, kept = append(few.kept, s.kept[i]), append(few.far, s.far[i]), append(kept, ratios[i])
	}
	return few, kept
}

// distinct returns the indexes of ratios that keep different samples. Of those that keep the same, as
// 0.80 and 0.85 do in small groups, it takes the one that says best what it keeps: the higher of two
// that are as near.
func (s side) distinct(ratios []float64) []int {
	var indexes []int
	better := func(i, j int) bool {
		share := float64(s.kept[i]) / float64(max(1, s.all))
		near, nearer := math.Abs(ratios[j]-share), math.Abs(ratios[i]-share)
		return s.far[i] < s.far[j] || s.far[i] == s.far[j] && nearer <= near+1e-9
	}
	for i := range ratios { // ascending, and so are the numbers kept
		last := len(indexes) - 1
		switch {
		case last < 0 || s.kept[indexes[last]] != s.kept[i]:
			indexes = append(indexes, i)
		case better(i, indexes[last]):
			indexes[last] = i
		}
	}
	return indexes
}

// front returns the candidates that no other beats, the most signal first. Candidates are sorted, so
// that none is beaten by a later one.
func front(all []candidate) (cells []*Cell) {
	var unbeaten []candidate
	for _, c := range all {
		if !slices.ContainsFunc(unbeaten, func(o candidate) bool { return c.isBeatenBy(o.criteria) }) {
			unbeaten, cells = append(unbeaten, c), append(cells, c.cell)
		}
	}
	return cells
}
