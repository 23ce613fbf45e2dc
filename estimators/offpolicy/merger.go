package offpolicy

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vantage/estimators"
)

// Merger shortens rows for rules that are tried on the same log: tokens that all of these rules treat alike become one place, which stands
// for several. A row of thousands of tokens has some dozen places then.
//
// Tokens are alike if no bound of a rule lies between them: neither between their ratios, nor between how far their probabilities moved.
// Counts of tokens, and Σd, are those of the row. What lies on a bound, or has a number that is not finite, stays alone: float32 decides.
//
// Several goroutines may use it.
type Merger struct {
	logs, moves edges     // bounds of d, and of e^o − e^r
	far         float64   // least divergence of the two probabilities that a bound may look at
	little      float64   // a growth e^d − 1 of a probability below 0.94 that no bound looks at
	still       int       // the cell of what moved down by less than any bound; the next is that of what moved up
	tables      sync.Pool // *table
}

// table is the cells of a row, and which have tokens.
type table struct {
	*Merger
	cells []cell
	used  []int32
}

// Use is a rule with its values.
type Use struct {
	Rule   *Rule
	Values estimators.Values
}

// cell is the tokens between neighbouring bounds.
type cell struct {
	n    int32
	d, r float64 // sums
}

// alone is by how much a token is off a bound if float32 does not matter.
const alone = 1e-6

// NewMerger returns the merger of rows for some rules.
func NewMerger(uses []Use) *Merger {
	m := &Merger{far: math.Inf(1)}
	logs, moves := []float64{0}, []float64{0}
	for _, u := range uses {
		if !strings.Contains(u.Rule.Level, "token") || u.Rule.Versions {
			continue
		}
		for _, option := range u.Rule.Options {
			for _, word := range numeral.FindAllString(u.Values.Text(option.Key), -1) {
				x, err := strconv.ParseFloat(word, 64)
				isDistance := u.Rule.Swept.As == AsDistance && slices.Contains(u.Rule.Swept.Keys, option.Key)
				switch isBound := err == nil && x > 0; {
				case !isBound:
				case !isDistance:
					logs = append(logs, math.Log(x), -math.Log(x))
				default:
					logs = append(logs, math.Log1p(x))
					if x < 1 {
						logs, moves, m.far = append(logs, math.Log1p(-x)), append(moves, x, -x), min(m.far, x)
					}
				}
			}
		}
	}
	m.logs, m.moves = newEdges(logs), newEdges(moves)
	m.still, _ = slices.BinarySearch(m.moves.sorted, 0)
	const room = 0.9 * 0.06 // q (1 − q) / p² is more for q below e^(−1/16), which p left by less than a tenth
	m.little = min(0.1, math.Sqrt(max(0, m.far-alone)*room))
	if above := m.still + 1; above < len(m.moves.sorted) {
		m.little = min(m.little, m.moves.sorted[above]-alone)
	}
	m.tables.New = func() any { return &table{Merger: m, cells: make([]cell, m.logs.cells()*m.moves.cells())} }
	return m
}

// Merge returns a shorter row that the rules treat as r, and the figures of r. It is r itself if that has few tokens, or cannot be
// compared.
func (m *Merger) Merge(r Row) (Row, Figures) {
	const few = 32
	if n := len(r.Sampler); !r.Even() || r.Policy != nil || r.Times != nil || n < few {
		return r, FiguresOf(r)
	}
	short := Row{
		Advantage: r.Advantage, Versions: r.Versions, VersionLag: r.VersionLag, VersionSpan: r.VersionSpan,
		Sampler: []float32{}, Trainer: []float32{},
	}
	put := func(sampler, trainer float32, times int32, trains bool) {
		short.Sampler, short.Trainer = append(short.Sampler, sampler), append(short.Trainer, trainer)
		short.Times, short.Mask = append(short.Times, times), append(short.Mask, trains)
	}
	t := m.tables.Get().(*table)
	defer m.tables.Put(t)
	var all sums
	for i, p := range r.Sampler {
		trains := r.Mask == nil || r.Mask[i]
		ended := !trains && i > 0 && r.Mask[i-1] // a segment is judged by itself
		if ended {
			t.flush(put)
			put(0, 0, 1, false)
		}
		if !trains {
			continue
		}
		o := r.Trainer[i]
		d := float64(o) - float64(p)
		if d-d != 0 {
			all.unscored++
			put(p, o, 1, true)
			continue
		}
		beyond := excess(d)
		all.add(d, beyond)
		if !t.joins(float64(p), d, d+beyond) {
			put(p, o, 1, true)
		}
	}
	t.flush(put)
	if 2*len(short.Sampler) > len(r.Sampler) {
		return r, all.figures()
	}
	return short, all.figures()
}

// joins puts a token into its cell: r, d, which is finite, and e^d − 1. It returns false if it has none.
func (m *table) joins(r, d, grown float64) bool {
	at, ok := m.logs.of(d)
	if !ok {
		return false
	}
	by, ok := m.moveOf(r, d, grown)
	if !ok {
		return false
	}
	i := at*m.moves.cells() + by
	c := &m.cells[i]
	if c.n == 0 {
		m.used = append(m.used, int32(i))
	}
	c.n, c.d, c.r = c.n+1, c.d+d, c.r+r
	return true
}

// moveOf returns the cell of how far the probability of a token moved; ok is false if a bound may look at it itself. What moved by less
// than any bound, from a probability that is neither near 0 nor near 1, needs no exponential.
func (m *table) moveOf(r, d, grown float64) (cell int, ok bool) {
	const rare, sure, hardly = -6, -1. / 16, 5e-4 // e^rare · hardly is more than alone
	if size := math.Abs(grown); size > hardly && size < m.little && r > rare && r < sure && r+d < sure {
		if grown < 0 {
			return m.still, true
		}
		return m.still + 1, true
	}
	p := math.Exp(r)
	moved := p * grown
	cell, ok = m.moves.of(moved)
	return cell, ok && !m.isFar(p, moved, d)
}

// isFar reports whether a bound may look at the divergence of a token whose probability p moved: it is at most moved² / (q (1 − q)).
func (m *table) isFar(p, moved, d float64) bool {
	const hardly = 3e-3 // moves less than any bound of a divergence could look at
	if moved <= hardly && moved >= -hardly {
		return false
	}
	q := p + moved
	if q > 0 && q < 1 && moved*moved <= (m.far-alone)*q*(1-q) {
		return false
	}
	return (1-p)*math.Log((1-p+1e-8)/(1-q+1e-8))-p*d > m.far
}

// flush makes places of the cells, and empties them. A place has their mean d, and a probability that moved between the same bounds.
func (m *table) flush(put func(sampler, trainer float32, times int32, trains bool)) {
	slices.Sort(m.used)
	for _, i := range m.used {
		c := &m.cells[i]
		d, r := c.d/float64(c.n), c.r/float64(c.n)
		low, high := m.moves.around(int(i) % m.moves.cells())
		factor := math.Expm1(d)
		switch moved := math.Exp(r) * factor; {
		case moved <= low+alone:
			r = math.Log((low + 2*alone) / factor)
		case moved >= high-alone:
			r = math.Log((high - 2*alone) / factor)
		}
		put(float32(r), float32(r)+float32(d), c.n, true)
		*c = cell{}
	}
	m.used = m.used[:0]
}

// edges are sorted numbers, and a table of where those near 0 lie among them.
type edges struct {
	sorted []float64
	table  [slots]int16 // the cell of all numbers of a slot, −1 if an edge is in it or near
}

const (
	slots   = 4096
	reach   = 2.0 // the table is of numbers from −reach to reach
	perUnit = slots / (2 * reach)
)

func newEdges(numbers []float64) (e edges) {
	slices.Sort(numbers)
	e.sorted = slices.Compact(numbers)
	for slot := range e.table {
		from, to := float64(slot)/perUnit-reach, float64(slot+1)/perUnit-reach
		first, ok := e.search(from)
		last, fine := e.search(to)
		if e.table[slot] = int16(first); !ok || !fine || first != last {
			e.table[slot] = -1
		}
	}
	return e
}

func (e *edges) cells() int { return len(e.sorted) + 1 }

// of returns the cell of a number; ok is false if it is near an edge, or not finite.
func (e *edges) of(x float64) (cell int, ok bool) {
	if x > -reach && x < reach {
		if cell := e.table[int((x+reach)*perUnit)]; cell >= 0 {
			return int(cell), true
		}
	}
	return e.search(x)
}

func (e *edges) search(x float64) (cell int, ok bool) {
	i, _ := slices.BinarySearch(e.sorted, x)
	isNear := i < len(e.sorted) && e.sorted[i]-x < alone || i > 0 && x-e.sorted[i-1] < alone
	return i, x-x == 0 && !isNear
}

// around returns the edges of a cell.
func (e *edges) around(cell int) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if cell > 0 {
		low = e.sorted[cell-1]
	}
	if cell < len(e.sorted) {
		high = e.sorted[cell]
	}
	return low, high
}
