package sweep

import (
	"cmp"
	"math"
	"slices"
)

// criteria are what a cell is judged by, more is better: signal kept, effective samples, flips, groups
// killed or short, and what the goal asks for.
type criteria [5]float64

func criteriaOf(c *Cell, k goalKind) criteria {
	return criteria{c.AbsRatio(), c.Effective(), -float64(c.Flips), -float64(c.Lost()), k.merit(c)}
}

// compare orders by signal kept, then by the other criteria; sums that differ in the last digits are equal.
func (x criteria) compare(y criteria) int {
	for i := range x {
		if d := compareNearly(x[i], y[i]); d != 0 {
			return d
		}
	}
	return 0
}

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

// candidate is a cell and what it is judged by.
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

// side is what the ratios of one sign keep.
type side struct {
	kept []int // by ratio: samples of the sign that are kept
	far  []int // by ratio: steps in which it keeps another share than it says
	all  int   // samples of the sign
}

func newSide(ratios []float64) side {
	return side{kept: make([]int, len(ratios)), far: make([]int, len(ratios))}
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
func front(all []candidate) []*Cell {
	var unbeaten []candidate
	for _, c := range all {
		if !slices.ContainsFunc(unbeaten, func(o candidate) bool { return c.isBeatenBy(o.criteria) }) {
			unbeaten = append(unbeaten, c)
		}
	}
	cells := make([]*Cell, len(unbeaten))
	for i, c := range unbeaten {
		cells[i] = c.cell
	}
	return cells
}
