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
}

func newSorter(g *Grid, a *model.Analysis, groups []model.Group, entry *estimators.Estimator) *sorter {
	return &sorter{g, a, groups, entry, a.Settings.Scale != estimators.ScaleBatch && entry.Local()}
}

// class is the groups that have as many positive and as many negative samples: the
// ratios keep the same numbers of them.
type class struct{ pos, neg int }

// answer is what the pairs of numbers of kept samples do: of index a among the
// numbers of positive ones, and b of negative ones, at a*len(neg)+b.
type answer struct {
	pos, neg []int // the numbers that some ratio keeps, ascending
	off, on  []tally
	full     tally // both ratios 1: nothing is filtered
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
			off, on := ans.off[a*len(ans.neg)+b], ans.on[a*len(ans.neg)+b]
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
		if !seen || w.unlike {
			one = w.empty()
			w.fill(one)
			if len(known) < maxKnown {
				known[w.key] = one
			}
		}
		total.add(one)
	}
	return all
}

// maxKnown bounds how many groups are remembered: judged in tenths there are few
// that differ, judged by a model nearly all do.
const maxKnown = 1 << 12

func (a *answer) add(o *answer) {
	for k := range a.off {
		a.off[k].add(o.off[k])
		a.on[k].add(o.on[k])
	}
	a.full.add(o.full)
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
	zeros     int
	kept      []bool
	processed []float64
	bytes     []byte
}

func (w *worker) load(g *model.Group) {
	lo, hi := g.Start, g.End
	w.group, w.original = g, w.a.Original[lo:hi]
	w.batch = w.a.Batch().Slice(lo, hi)
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
	a.off, a.on = make([]tally, len(a.pos)*len(a.neg)), make([]tally, len(a.pos)*len(a.neg))
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

// fill computes the group.
func (w *worker) fill(to *answer) {
	n := len(w.original)
	w.sort()
	w.kept = slices.Grow(w.kept[:0], n)[:n]
	w.processed = slices.Grow(w.processed[:0], n)[:n]
	alive := w.group.Fate == model.FateAlive
	for i := range w.kept {
		w.kept[i] = true
	}
	to.full = count(alive, false, w.original, w.original, w.kept)
	for a, pos := range to.pos {
		for b, neg := range to.neg {
			w.keep(pos, neg)
			for i, keep := range w.kept {
				w.processed[i] = 0
				if keep {
					w.processed[i] = w.original[i]
				}
			}
			at := a*len(to.neg) + b
			to.off[at] = count(alive, false, w.original, w.processed, w.kept)
			if !w.local {
				continue
			}
			if pos+neg+w.zeros >= 2 { // else the originals stay
				estimators.Recompute(w.processed, w.entry, w.batch, w.a.Settings.Scale, w.original, w.kept)
			}
			to.on[at] = count(alive, true, w.original, w.processed, w.kept)
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
