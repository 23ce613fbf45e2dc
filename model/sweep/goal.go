package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Goal is what a recommendation is for. Only a person can choose it: a filter takes signal away, and
// gives fewer samples to train on, or another balance.
type Goal struct {
	Name  string
	Least float64 // share of Σ|A| against no filter that must be kept
}

// goalKind is a goal and how it ranks cells.
type goalKind struct {
	name, doc string
	usesLeast bool
	merit     func(*Cell) float64 // more is better; also a criterion of the front
	tolerance float64             // merits that differ by no more are equal, and Σ|A| decides
}

// goalKinds are all goals, the default first.
func goalKinds() []goalKind {
	return []goalKind{
		{"signal", "keep the most Σ|A|", false, (*Cell).AbsRatio, rounding},
		{"balance", "positive and negative mass as equal as possible", true, func(c *Cell) float64 { return -math.Abs(c.Push()) }, equalPush},
		{"cost", "train on the fewest samples", true, func(c *Cell) float64 { return -float64(c.Trained) }, 0},
	}
}

// equalPush is the difference of balance that nobody sees: half a percent of the mass.
const equalPush = 0.005

// DefaultLeast is the share of Σ|A| that a goal must keep unless it is given.
const DefaultLeast = 0.8

// GoalNames returns the names of all goals, the default first.
func GoalNames() []string {
	var names []string
	for _, k := range goalKinds() {
		names = append(names, k.name)
	}
	return names
}

// DefaultGoal returns the first goal.
func DefaultGoal() Goal { return Goal{Name: goalKinds()[0].name, Least: DefaultLeast} }

// ParseGoal parses signal, balance or cost; the last two with the share of Σ|A| to keep: cost:0.9.
func ParseGoal(text string) (Goal, error) {
	name, share, given := strings.Cut(strings.ReplaceAll(strings.TrimSpace(text), " ", ":"), ":")
	g := Goal{Name: name, Least: DefaultLeast}
	i := slices.Index(GoalNames(), name)
	if i < 0 || given && !goalKinds()[i].usesLeast {
		return g, fmt.Errorf("there is no goal %q: choose signal, balance or cost, the last two with the share of Σ|A| to keep, as cost:0.9", text)
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

// Doc says what the goal asks for.
func (g Goal) Doc() string {
	k := g.kind()
	if k.usesLeast {
		return fmt.Sprintf("%s, with at least %.3g%% of Σ|A|", k.doc, 100*g.Least)
	}
	return k.doc
}

func (g Goal) kind() goalKind {
	for _, k := range goalKinds() {
		if k.name == g.Name {
			return k
		}
	}
	return goalKinds()[0]
}
