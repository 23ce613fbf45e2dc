package model

import "math"

// tally sums up what the filter made of the samples.
type tally struct {
	fates                      [fates]int // groups by fate
	kept, keptPos, keptNeg     int        // samples, by the sign of their original advantage
	flips                      int
	short                      few     // groups that had signal, and of which fewer than 2 samples are kept
	filtered                   int     // samples that are not kept or have no tokens
	up, down                   int     // kept samples with tokens, by the sign of their original advantage
	processed                  moments // processed advantages over tokens, of those that are not zero
	largest, sum, abs, squares float64 // of |A|, A, |A| and A², processed and finite

	// Around the pivot: one pass is then as exact as two.
	push, push2            float64 // of advantages that are not zero, over tokens
	known                  float64 // samples of known length and finite advantage
	length, length2        float64 // of their lengths
	advantage, advantage2  float64 // of their advantages
	both                   float64 // of the products
	pivotPush, pivotLength float64
}

// pivot returns sums around a value of each column of a part: if all are like it they
// are 0.
func (a *Analysis) pivot(p part) tally {
	t := tally{processed: moments{lo: math.Inf(1), hi: math.Inf(-1)}}
	for i := p.lo; i < p.hi; i++ {
		if y := a.Processed[i]; finite(y) && y != 0 {
			t.pivotPush, t.pivotLength = y, a.ground.count[i]
			break
		}
	}
	return t
}

// count takes the samples of a group into its row and into the sums.
func (a *Analysis) count(g *Group, t *tally) {
	processed, tokens := a.Processed[g.Start:g.End], a.ground.count[g.Start:g.End]
	if a.Settings.Recompute && a.Settings.Filtering() {
		g.Flips = flips(a.Original[g.Start:g.End], processed)
	}
	t.keptPos, t.keptNeg, t.kept, t.flips = t.keptPos+g.KeptPos, t.keptNeg+g.KeptNeg, t.kept+g.Kept(), t.flips+g.Flips
	a.countTrained(g, t)
	nonzero, all := t.weigh(processed, tokens)
	if !all {
		nonzero = t.add(processed, tokens)
	}
	g.after = nonzero
	switch {
	case !a.ground.known:
	case all && !a.ground.mixed:
		t.correlate(processed, tokens)
	default:
		for i, l := range a.Lengths[g.Start:g.End] {
			if l >= 0 && finite(processed[i]) {
				t.correlate(processed[i:i+1], tokens[i:i+1])
			}
		}
	}
}

// flips counts the advantages whose sign has changed. Those of dropped samples are 0.
func flips(original, processed []float64) int {
	n := 0
	for i, y := range processed {
		n += one(original[i]*y < 0)
	}
	return n
}

// countTrained counts the samples of a group that are kept and have tokens: which they
// are is hard to guess, so it is added up without a branch.
func (a *Analysis) countTrained(g *Group, t *tally) {
	if g.live == g.Size() {
		t.up, t.down, t.filtered = t.up+g.KeptPos, t.down+g.KeptNeg, t.filtered+g.Size()-g.Kept()
		return
	}
	t.filtered += g.Size()
	tokens, keep := a.ground.count[g.Start:g.End], a.Keep[g.Start:g.End]
	for i, x := range a.Original[g.Start:g.End] {
		trained := one(keep[i]) & one(tokens[i] != 0)
		t.filtered -= trained
		t.up += one(x > 0) & trained
		t.down += one(x < 0) & trained
	}
}

// weigh takes in the advantages of a group, without a branch that would be hard to
// guess, and tells whether one is not zero. If one is not finite it takes in none: then
// all is false.
func (t *tally) weigh(processed, tokens []float64) (nonzero, all bool) {
	var weight, product, push, push2, sum, abs, squares float64
	lo, hi, largest := t.processed.lo, t.processed.hi, t.largest
	n, some := 0, 0
	for i, y := range processed {
		w, d := tokens[i], y-t.pivotPush
		is := one(y != 0)
		live := is & one(w != 0)
		some |= is
		n += live
		if y < lo && live != 0 {
			lo = y
		}
		if y > hi && live != 0 {
			hi = y
		}
		size := math.Abs(y)
		if size > largest {
			largest = size
		}
		sum += y
		abs += size
		squares += y * y
		product += y * w
		w = math.Float64frombits(math.Float64bits(w) & -uint64(live))
		weight += w
		push += w * d
		push2 += w * d * d
	}
	if !finite(sum) {
		return false, false
	}
	t.processed = moments{weight: t.processed.weight + weight, sum: t.processed.sum + product, lo: lo, hi: hi, n: t.processed.n + n}
	t.push, t.push2 = t.push+push, t.push2+push2
	t.largest, t.sum, t.abs, t.squares = largest, t.sum+sum, t.abs+abs, t.squares+squares
	return some != 0, true
}

// correlate takes in the finite advantages of a group, and the lengths, all known.
func (t *tally) correlate(processed, lengths []float64) {
	var length, length2, advantage, advantage2, both float64
	for i, y := range processed {
		l, d := lengths[i]-t.pivotLength, y-t.pivotPush
		length += l
		length2 += l * l
		advantage += d
		advantage2 += d * d
		both += l * d
	}
	t.known += float64(len(processed))
	t.length, t.length2 = t.length+length, t.length2+length2
	t.advantage, t.advantage2 = t.advantage+advantage, t.advantage2+advantage2
	t.both += both
}

// add is weigh for a group that has advantages which are not finite. The figures that
// are ours leave those out: one group that has none, as one of a single sample, must not
// leave the step without them.
func (t *tally) add(processed, tokens []float64) (nonzero bool) {
	for i, y := range processed {
		w := tokens[i]
		nonzero = nonzero || y != 0
		if y != 0 && w != 0 {
			t.processed.add(y, w)
			d := y - t.pivotPush
			t.push += w * d
			t.push2 += w * d * d
		}
		if size := math.Abs(y); finite(size) {
			t.largest = max(t.largest, size)
			t.sum += y
			t.abs += size
			t.squares += y * y
		}
	}
	return nonzero
}

// merged adds up the tallies of parts, in their order, around the first pivot.
func merged(parts []tally) (t tally) {
	for i := range parts {
		if t.pivotPush == 0 {
			t.pivotPush, t.pivotLength = parts[i].pivotPush, parts[i].pivotLength
		}
	}
	for i := range parts {
		t.merge(&parts[i])
	}
	return t
}

func (t *tally) merge(o *tally) {
	for i, n := range o.fates {
		t.fates[i] += n
	}
	o.around(t.pivotPush, t.pivotLength)
	t.kept, t.keptPos, t.keptNeg = t.kept+o.kept, t.keptPos+o.keptPos, t.keptNeg+o.keptNeg
	t.flips, t.filtered = t.flips+o.flips, t.filtered+o.filtered
	t.short.merge(o.short)
	t.up, t.down = t.up+o.up, t.down+o.down
	t.processed.merge(o.processed)
	t.largest = max(t.largest, o.largest)
	t.sum, t.abs, t.squares = t.sum+o.sum, t.abs+o.abs, t.squares+o.squares
	t.push, t.push2, t.known = t.push+o.push, t.push2+o.push2, t.known+o.known
	t.length, t.length2 = t.length+o.length, t.length2+o.length2
	t.advantage, t.advantage2 = t.advantage+o.advantage, t.advantage2+o.advantage2
	t.both += o.both
}

// around moves the sums to another pivot.
func (t *tally) around(push, length float64) {
	d, l := t.pivotPush-push, t.pivotLength-length
	t.push2 += 2*d*t.push + d*d*t.processed.weight
	t.push += d * t.processed.weight
	t.both += d*t.length + l*t.advantage + d*l*t.known
	t.advantage2 += 2*d*t.advantage + d*d*t.known
	t.advantage += d * t.known
	t.length2 += 2*l*t.length + l*l*t.known
	t.length += l * t.known
	t.pivotPush, t.pivotLength = push, length
}

// processedStd is the unbiased std over the tokens of advantages that are not zero.
func (t *tally) processedStd() float64 {
	if t.processed.n == 0 {
		return 0
	}
	w := t.processed.weight
	return math.Sqrt(rest(t.push2, t.push, w) / (w - 1))
}

// lengthCorrelation is Pearson's r between response length and processed advantage;
// NaN if either is constant.
func (t *tally) lengthCorrelation() float64 {
	xy := t.both - t.length*t.advantage/t.known
	xx, yy := rest(t.length2, t.length, t.known), rest(t.advantage2, t.advantage, t.known)
	return xy / math.Sqrt(xx*yy)
}

// rest turns a sum of squares around a pivot into one around the mean; rounding must
// not make it negative.
func rest(squares, sum, n float64) float64 { return max(0, squares-sum*sum/n) }

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
