package model

import "vantage/estimators"

// keeping is the rule by which a filter counts what it keeps.
type keeping struct {
	all, none bool
	pos, neg  float64
}

// keeping is the rule under the settings: a ratio that is refused keeps nothing.
func (s Settings) keeping() keeping {
	return keeping{all: !s.Filtering(), none: estimators.CheckRatios(s.KeepPos, s.KeepNeg) != nil, pos: s.KeepPos, neg: s.KeepNeg}
}

// of counts the samples that are kept of a group, by the sign of their original
// advantage; one that is not a number counts as zero if all are kept.
func (k keeping) of(t *traits, size int) (pos, zero, neg int32) {
	switch {
	case k.all:
		return t.pos, int32(size) - t.pos - t.neg, t.neg
	case k.none:
		return 0, 0, 0
	}
	return int32(estimators.KeepCount(int(t.pos), k.pos)), t.zero, int32(estimators.KeepCount(int(t.neg), k.neg))
}

// row decides what becomes of group at, of part k, and counts it. What its members say is asked
// only where it may matter: they are many, and far away. Its processed advantages are given
// where they are computed anew.
func (a *Analysis) row(at, k int, keeps keeping, processed []float64, t *tally, lo, hi float64) {
	traits := &a.origin.traits[at]
	size := a.ground.offsets[at+1] - a.ground.offsets[at]
	pos, zero, neg := keeps.of(traits, size)
	kept := int(pos) + int(zero) + int(neg)
	after := a.signal(at, pos+neg, traits, keeps, processed, size)
	t.keptPos, t.keptNeg, t.kept = t.keptPos+int(pos), t.keptNeg+int(neg), t.kept+kept
	if a.ground.mute[k] && a.ground.reaches[at].lo == 0 {
		a.countTrained(at, t)
	} else {
		t.up, t.down, t.filtered = t.up+int(pos), t.down+int(neg), t.filtered+size-kept
	}
	fate := a.fate(at, size, kept, a.ground.odd[k] && a.ground.members[at].Invalid > 0, after, lo, hi)
	a.fates[at] = fate
	t.fates[fate].add(at)
	if traits.alive(size) && kept < 2 {
		t.short.add(at)
	}
	if a.flips != nil && a.flips[at] > 0 {
		t.flips += int(a.flips[at])
		t.flipped.add(at)
	}
}

// signal reports whether some processed advantage of a group is not zero. Only where they
// are computed anew does it look at them, and counts the signs that changed.
func (a *Analysis) signal(at int, kept int32, before *traits, keeps keeping, processed []float64, size int) bool {
	switch {
	case keeps.all:
		return before.alive(size)
	case keeps.none:
		return true // NaN throughout
	case a.flips == nil:
		return kept > 0
	}
	some, flips := 0, 0
	original := a.Original[a.ground.offsets[at]:a.ground.offsets[at+1]]
	for i, y := range processed {
		some |= one(y != 0)
		flips += one(original[i]*y < 0)
	}
	a.flips[at] = int32(flips)
	return some != 0
}

// countTrained counts the samples of a group that are kept and have tokens, where some have
// none: which they are is hard to guess, so it is added up without a branch.
func (a *Analysis) countTrained(at int, t *tally) {
	g := &a.ground.members[at]
	t.filtered += g.Size()
	tokens := a.ground.count[g.Start:g.End]
	for i, x := range a.Original[g.Start:g.End] {
		trained := one(a.Keep.At(g.Start+i)) & one(tokens[i] != 0)
		t.filtered -= trained
		t.up += one(x > 0) & trained
		t.down += one(x < 0) & trained
	}
}
