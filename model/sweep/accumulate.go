package sweep

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"math"
	"runtime"
	"slices"
	"sync"

	"vantage/estimators"
	"vantage/model"
)

// sorter adds the groups of a step to the grid.
type sorter struct {
	grid   *Grid
	a      *model.Analysis
	groups []model.Group // of a
	entry  *estimators.Estimator
	local  bool // a group's advantages depend on nothing but the group
	law    law
	lawful bool // there is one
}

func newSorter(g *Grid, a *model.Analysis, groups []model.Group, entry *estimators.Estimator) *sorter {
	s := &sorter{grid: g, a: a, groups: groups, entry: entry}
	s.law, s.lawful = lawOf(entry, a.Settings.Scale)
	s.local = a.Settings.Scale != estimators.ScaleBatch && (!entry.DependsOnBatch || s.lawful)
	return s
}

// class is the groups that have as many positive and as many negative samples: the
// ratios keep the same numbers of them.
type class struct{ pos, neg int }

// answer is what the pairs of numbers of kept samples do to some groups of a class.
// With recompute that is a tally for each pair: of index a among the numbers of
// positive samples, and b of negative ones, at a*len(neg)+b. Without, the two signs add
// up to it.
type answer struct {
	pos, neg []int // the numbers that some ratio keeps, ascending
	on       []tally
	up, down []sums // of the original advantages, by index of the numbers
	full     tally  // both ratios 1: nothing is filtered

	groups, alive, zeros int
}

// sums are those of some advantages of one sign.
type sums struct{ sum, squares float64 }

// off is what a pair does without recompute.
func (a *answer) off(i, j int) tally {
	n, up, down := a.pos[i]+a.neg[j], a.up[i], a.down[j]
	t := tally{kept: a.groups*n + a.zeros, sum: up.sum + down.sum, squares: up.squares + down.squares, abs: up.sum - down.sum}
	if n > 0 {
		t.signal = a.alive
	} else {
		t.killed = a.alive
	}
	return t
}

func (s *sorter) run(ctx context.Context) error {
	n := max(1, min(runtime.GOMAXPROCS(0), len(s.groups)/1024))
	found := make([]map[class]*answer, n)
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() {
			from, to := k*len(s.groups)/n, (k+1)*len(s.groups)/n
			found[k] = s.part(ctx, s.groups[from:to])
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, part := range found {
		for c, ans := range part {
			s.spread(c, ans)
		}
	}
	return nil
}

// spread adds what a class does to the cells.
func (s *sorter) spread(c class, ans *answer) {
	g := s.grid
	for i, pos := range g.Pos {
		a, _ := slices.BinarySearch(ans.pos, estimators.KeepCount(c.pos, pos))
		for j, neg := range g.Neg {
			b, _ := slices.BinarySearch(ans.neg, estimators.KeepCount(c.neg, neg))
			off, on := ans.off(a, b), ans.on[a*len(ans.neg)+b]
			if pos >= 1 && neg >= 1 {
				off, on = ans.full, ans.full
			}
			g.At(false, i, j).add(off)
			if s.local {
				g.At(true, i, j).add(on)
			}
		}
	}
}

// part adds groups up, class by class. Groups with the same rewards and advantages
// are computed once.
func (s *sorter) part(ctx context.Context, table []model.Group) map[class]*answer {
	all := map[class]*answer{}
	known := map[uint64]*answer{}
	w := worker{sorter: s, seed: maphash.MakeSeed()}
	for i := range table {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil
		}
		w.load(&table[i])
		total := all[w.class]
		if total == nil {
			total = w.empty()
			all[w.class] = total
		}
		one, seen := known[w.key]
		if !seen && (w.unlike || len(known) == maxKnown) {
			w.fill(total)
			continue
		}
		if !seen {
			one = w.empty()
			w.fill(one)
			known[w.key] = one
		}
		total.add(one)
	}
	return all
}

// maxKnown bounds how many groups are remembered: judged in tenths there are few
// that differ, judged by a model nearly all do.
const maxKnown = 1 << 12

func (a *answer) add(o *answer) {
	for k := range a.on {
		a.on[k].add(o.on[k])
	}
	a.full.add(o.full)
	addSums(a.up, o.up)
	addSums(a.down, o.down)
	a.groups, a.alive, a.zeros = a.groups+o.groups, a.alive+o.alive, a.zeros+o.zeros
}

func addSums(to, more []sums) {
	for k, s := range more {
		to[k].sum += s.sum
		to[k].squares += s.squares
	}
}

// worker has one group at hand.
type worker struct {
	*sorter
	seed   maphash.Seed
	class  class
	key    uint64 // of what decides the answer
	unlike bool   // more than rewards and advantages decides it
	group  *model.Group

	original  []float64
	batch     estimators.Batch
	rank      []int // positive samples best first, then negative ones worst first
	ranked    ranked
	waiting   []pair
	places    []int
	some      estimators.Batch // the kept rewards of the pairs that wait, a group for each
	before    []float64        // their original advantages
	fresh     []float64        // and those that are computed anew
	all       []bool
	zeros     int
	kept      []bool
	processed []float64
	bytes     []byte
}

func (w *worker) load(g *model.Group) {
	lo, hi := g.Start, g.End
	w.group, w.original = g, w.a.Original[lo:hi]
	w.batch = w.a.Batch().OneGroup(lo, hi)
	w.unlike = w.batch.Lengths != nil && w.entry.Needs.Lengths || w.entry.Needs.Baselines || w.entry.Needs.Components
	w.rank = w.rank[:0]
	w.class, w.zeros = class{}, 0
	w.bytes = append(w.bytes[:0], byte(g.Fate))
	for i, x := range w.original {
		w.bytes = binary.LittleEndian.AppendUint64(w.bytes, math.Float64bits(x))
		w.bytes = binary.LittleEndian.AppendUint64(w.bytes, math.Float64bits(w.batch.Rewards[i]))
		if x > 0 {
			w.class.pos++
		} else if x < 0 {
			w.class.neg++
		} else if x == 0 {
			w.zeros++
		}
	}
	w.key = maphash.Bytes(w.seed, w.bytes)
}

// empty has a place for each pair of numbers that the ratios keep.
func (w *worker) empty() *answer {
	a := &answer{pos: counts(w.class.pos, w.grid.Pos), neg: counts(w.class.neg, w.grid.Neg)}
	a.on, a.up, a.down = make([]tally, len(a.pos)*len(a.neg)), make([]sums, len(a.pos)), make([]sums, len(a.neg))
	return a
}

func counts(n int, ratios []float64) []int {
	var all []int
	for _, r := range ratios {
		all = append(all, estimators.KeepCount(n, r))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// fill adds the group.
func (w *worker) fill(to *answer) {
	n := len(w.original)
	w.sort()
	w.ranked.load(w.batch.Rewards, w.original, w.rank, w.class.pos)
	w.kept = slices.Grow(w.kept[:0], n)[:n]
	w.processed = slices.Grow(w.processed[:0], n)[:n]
	alive := w.group.Fate == model.FateAlive
	for i := range w.kept {
		w.kept[i] = true
	}
	to.full.add(count(alive, false, w.original, w.original, w.kept))
	to.groups, to.zeros = to.groups+1, to.zeros+w.zeros
	if alive {
		to.alive++
	}
	w.ranked.pos.addTo(to.up, to.pos)
	w.ranked.neg.addTo(to.down, to.neg)
	if !w.local {
		return
	}
	for a, pos := range to.pos {
		for b, neg := range to.neg {
			w.anew(to, pair{a*len(to.neg) + b, pos, neg}, alive)
		}
	}
	w.together(to, alive)
}

// pair is two numbers of kept samples, and where their answer goes.
type pair struct{ at, pos, neg int }

// anew adds what a pair does to a cell with recompute, or has it wait for the others
// of its kind.
func (w *worker) anew(to *answer, p pair, alive bool) {
	if p.pos+p.neg+w.zeros < 2 { // the originals stay
		w.ranked.short(&to.on[p.at], p.pos, p.neg, alive)
		return
	}
	if w.lawful && w.ranked.differ(p.pos, p.neg) {
		if !w.ranked.anew(&to.on[p.at], w.law, p.pos, p.neg, alive) {
			w.waiting = append(w.waiting, p)
		}
		return
	}
	w.keep(p.pos, p.neg)
	estimators.Recompute(w.processed, w.entry, w.batch, w.a.Settings.Scale, w.original, w.kept)
	to.on[p.at].add(count(alive, true, w.original, w.processed, w.kept))
}

// together asks the estimator for all pairs that wait, each as a group of one batch:
// asked one by one it would spend its time on being asked.
func (w *worker) together(to *answer, alive bool) {
	if len(w.waiting) == 0 {
		return
	}
	w.place()
	b := estimators.Batch{Rewards: w.some.Rewards[:0], Offsets: append(w.some.Offsets[:0], 0), Weights: w.batch.Weights}
	w.before = w.before[:0]
	for _, p := range w.waiting {
		for i, at := range w.places {
			if at <= p.pos && -at <= p.neg {
				b.Rewards, w.before = append(b.Rewards, w.batch.Rewards[i]), append(w.before, w.original[i])
			}
		}
		b.Offsets = append(b.Offsets, len(b.Rewards))
	}
	n := len(b.Rewards)
	w.fresh, w.all = slices.Grow(w.fresh[:0], n)[:n], slices.Grow(w.all[:0], n)[:n]
	for i := range w.all {
		w.all[i] = true
	}
	_ = w.entry.Compute(w.fresh, b, w.a.Settings.Scale) // the filter made these groups: see estimators.Recompute
	for k, p := range w.waiting {
		lo, hi := b.Offsets[k], b.Offsets[k+1]
		to.on[p.at].add(count(alive, true, w.before[lo:hi], w.fresh[lo:hi], w.all[lo:hi]))
	}
	w.some, w.waiting = b, w.waiting[:0]
}

// place notes of each sample where it stands in the rank: the k-th best as k, the k-th
// worst as -k, those at zero as 0.
func (w *worker) place() {
	w.places = slices.Grow(w.places[:0], len(w.original))[:len(w.original)]
	clear(w.places)
	for k, i := range w.rank {
		if k < w.class.pos {
			w.places[i] = k + 1
		} else {
			w.places[i] = w.class.pos - k - 1
		}
	}
}

// sort ranks the samples of each sign: the largest first, as the filter keeps them;
// of equal ones those that come first in the batch.
func (w *worker) sort() {
	w.rank = w.rank[:0]
	for i, x := range w.original {
		if x > 0 || x < 0 {
			w.rank = append(w.rank, i)
		}
	}
	slices.SortStableFunc(w.rank, func(i, j int) int {
		x, y := w.original[i], w.original[j]
		switch {
		case x > 0 != (y > 0):
			if x > 0 {
				return -1
			}
			return 1
		case math.Abs(x) > math.Abs(y):
			return -1
		case math.Abs(x) < math.Abs(y):
			return 1
		}
		return 0
	})
}

// keep marks the samples that stay.
func (w *worker) keep(pos, neg int) {
	for i, x := range w.original {
		w.kept[i] = x == 0
	}
	for _, i := range w.rank[:pos] {
		w.kept[i] = true
	}
	for _, i := range w.rank[w.class.pos : w.class.pos+neg] {
		w.kept[i] = true
	}
}
