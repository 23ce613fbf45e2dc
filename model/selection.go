package model

import "context"

// Select returns the figures of some groups of the step, by their index in the table, as
// if the step held no others. Their advantages stay those of the whole step: they are
// what the trainer makes of these groups among the rest. Warnings are of steps, so
// there are none.
func (a *Analysis) Select(groups []int) Summary {
	sub := &Analysis{
		Summary:  Summary{Step: a.Step, Revision: a.Revision, Open: a.Open, Groups: len(groups)},
		Settings: a.Settings, lengthUnit: a.lengthUnit,
		ground: &ground{key: a.ground.key, arranged: &arranged{offsets: []int{0}}}, origin: &origin{cleaned: &cleaned{}},
	}
	for _, at := range groups {
		sub.take(a, at)
	}
	g, o := sub.ground, sub.origin
	sub.Rows, sub.Logged, sub.Lengths = len(g.order), g.logged, g.lengths
	o.rewards, o.advantages = sub.Rewards, sub.Original
	ctx := context.Background()
	g.sum(ctx, func(int) {})
	o.cleaned.sum(ctx, g, nothing)
	o.sum(ctx, g, nothing)
	sub.room(0, false)
	if a.flips != nil {
		sub.flips = make([]int32, len(groups))
	}
	sums := sub.tabulate(ctx, plan{lo: g.key.lo, hi: g.key.hi}, sub.there)
	sub.sum(&sums)
	return sub.Summary
}

// take appends a group of another analysis, and the columns that figures are made of.
func (a *Analysis) take(from *Analysis, at int) {
	row, g := from.ground.members[at], a.ground
	lo, hi := row.Start, row.End
	row.Start, row.End = len(g.order), len(g.order)+hi-lo
	g.members, g.offsets = append(g.members, row), append(g.offsets, row.End)
	g.order = append(g.order, from.Order[lo:hi]...)
	g.logged = append(g.logged, from.Logged[lo:hi]...)
	g.lengths = append(g.lengths, from.Lengths[lo:hi]...)
	a.Rewards = append(a.Rewards, from.Rewards[lo:hi]...)
	a.Original = append(a.Original, from.Original[lo:hi]...)
	a.fresh.wide = append(a.fresh.wide, from.ProcessedOf(&from.ground.members[at])...)
	for i := lo; i < hi; i++ {
		a.Keep = a.Keep.with(row.Start+i-lo, from.Keep.At(i))
	}
}
