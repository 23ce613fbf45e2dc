package model

import (
	"context"
	"math"
	"slices"

	"vantage/estimators"
)

// ground is what no setting but the grouping and the choice of the reward changes of
// a step. It is computed once, and every key that a person presses builds on it.
type ground struct {
	key groundKey
	*arranged
	parts    []part
	members  []Members
	byReward []uint16 // of each group, its places from the best reward to the worst; nil if not orderly
	reaches  []reach  // by group, of what its responses count for
	mute     []bool   // parts with a response that has no tokens
	odd      []bool   // parts with a reward that is no number: the order is not asked
	count    []int32  // how many tokens each response counts for: its length, or 1

	around []lengthSums // of the lengths that responses count for, by part

	known            bool    // some length is
	mixed            bool    // and some is not
	live             int     // responses that have tokens
	all, whole       moments // lengths of the responses, and of those below the longest
	cut              int     // responses as long as the longest
	invalid, missing int     // rewards that are not finite, and those of them that the log lacks
	solved           []Metric
}

// reach is the least and the greatest length.
type reach struct{ lo, hi int32 }

func reachOf(lengths []int32) reach {
	r := reach{lo: math.MaxInt32}
	for _, l := range lengths {
		r.lo, r.hi = min(r.lo, l), max(r.hi, l)
	}
	return r
}

// groundKey is all that a ground depends on, within one store.
type groundKey struct {
	step     int64
	revision int
	open     bool
	by       GroupBy
	size     int
	reward   string
	weights  Weights
	lo, hi   float64
}

func (s Snapshot) groundKey(i int, p plan) groundKey {
	step := s.Steps[i]
	return groundKey{step.Number, step.Revision, s.Open(i), p.grouping.By, p.grouping.Size, p.set.Reward, p.set.Weights, p.lo, p.hi}
}

// ground returns that of step i, the one before if that still holds.
func (s Snapshot) ground(ctx context.Context, i int, p plan, before *Analysis) (*ground, error) {
	step, key := s.Steps[i], s.groundKey(i, p)
	if before != nil && before.ground.key == key {
		return before.ground, nil
	}
	columns, err := s.arrange(i, p.grouping, p.set)
	if err != nil {
		return nil, err
	}
	g := &ground{key: key, arranged: columns, members: make([]Members, len(columns.offsets)-1)}
	g.sum(ctx, func(at int) { g.describe(s, step, p.grouping, at) })
	return g, nil
}

// sum takes the figures of the step, and describes its groups on the way.
func (g *ground) sum(ctx context.Context, describe func(at int)) {
	g.parts = partsOf(g.offsets)
	longest := g.weigh()
	tallies := make([]groundTally, len(g.parts))
	g.around = make([]lengthSums, len(g.parts))
	solved := make([]int, len(g.members))
	g.odd, g.mute, g.reaches = make([]bool, len(g.parts)), make([]bool, len(g.parts)), make([]reach, len(g.members))
	if g.orderly() {
		g.byReward = make([]uint16, len(g.logged))
	}
	eachPart(ctx, g.parts, func(k int, part part) {
		for at := part.from; at < part.to; at++ {
			describe(at)
			g.reaches[at] = reachOf(g.count[g.offsets[at]:g.offsets[at+1]])
			solved[at] = g.solvedIn(at)
			g.odd[k] = g.odd[k] || g.members[at].Invalid > 0
			g.mute[k] = g.mute[k] || g.reaches[at].lo == 0
		}
		if g.byReward != nil && !g.odd[k] {
			estimators.Order(g.byReward, g.logged, g.offsets[part.from:part.to+1])
		}
		tallies[k] = g.tally(part, longest)
		g.around[k] = sumLengths(g.count[part.lo:part.hi])
	})
	for k, t := range tallies {
		g.live += g.around[k].live
		g.all.merge(t.all)
		g.whole.merge(t.whole)
		g.cut, g.invalid, g.missing = g.cut+t.cut, g.invalid+t.invalid, g.missing+t.missing
	}
	g.solved = solvedMetrics(g.members, solved)
}

// orderly reports whether the groups can be put in order, and whether that is of use: where
// only some lengths are known each is asked.
func (g *ground) orderly() bool {
	for i, hi := range g.offsets[1:] {
		if hi-g.offsets[i] > estimators.OrderMax {
			return false
		}
	}
	return !g.mixed
}

// weigh counts the tokens of each response and returns the most.
func (g *ground) weigh() (longest int32) {
	unknown := 0
	for _, l := range g.lengths {
		unknown += one(l < 0)
	}
	g.known, g.mixed = unknown < len(g.lengths), unknown > 0 && unknown < len(g.lengths)
	if g.count = g.lengths; unknown > 0 {
		g.count = slices.Clone(g.lengths)
		for i, l := range g.count {
			if l < 0 {
				g.count[i] = 1
			}
		}
	}
	for _, l := range g.count {
		longest = max(longest, l)
	}
	return longest
}

// describe fills in what is known of a group without an estimator.
func (g *ground) describe(s Snapshot, step Step, by Grouping, at int) {
	row := &g.members[at]
	row.Start, row.End = g.offsets[at], g.offsets[at+1]
	first := int(g.order[row.Start])
	row.Name, row.Preview = s.groupName(by, step, first, at), s.preview(step, first)
	sum, n := 0.0, 0
	for _, r := range g.logged[row.Start:row.End] {
		if finite(r) {
			sum += r
			n++
		}
	}
	row.Invalid = row.Size() - n
	row.Mean = sum / float64(n)
	row.Std = spread(g.logged[row.Start:row.End], row.Mean, n)
}

// solvedIn counts the samples of a group that have the best reward of the run.
func (g *ground) solvedIn(at int) int {
	n, best := 0, g.key.hi
	for _, r := range g.logged[g.offsets[at]:g.offsets[at+1]] {
		if r == best {
			n++
		}
	}
	return n
}

type groundTally struct {
	all, whole            moments
	cut, invalid, missing int
}

func (g *ground) tally(p part, longest int32) (t groundTally) {
	for i := p.lo; i < p.hi; i++ {
		l := g.count[i]
		t.all.add(float64(l), 1)
		if l < longest {
			t.whole.add(float64(l), 1)
		} else {
			t.cut++
		}
		if r := g.logged[i]; !finite(r) {
			t.invalid++
			if estimators.IsMissing(r) {
				t.missing++
			}
		}
	}
	return t
}
