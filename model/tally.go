package model

import "math"

// tally sums up what the filter made of the samples.
type tally struct {
	fates                      [fates]few // groups by fate
	kept, keptPos, keptNeg     int        // samples, by the sign of their original advantage
	flips                      int
	flipped                    few     // groups that have any
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

// noTally is before anything was summed up of a part.
func (g *ground) noTally(p part) tally {
	return tally{processed: moments{lo: math.Inf(1), hi: math.Inf(-1)}, pivotLength: float64(g.count[p.lo])}
}

// pivot chooses the value that sums are taken around: if all are like it they are 0.
func (t *tally) pivot(processed []float64) {
	for _, y := range processed {
		if finite(y) && y != 0 {
			t.pivotPush = y
			return
		}
	}
}

// weigh takes in the advantages of a part.
func (t *tally) weigh(a *Analysis, k int, p part, processed []float64) {
	g := a.ground
	t.pivot(processed)
	count := g.count[p.lo:p.hi]
	all := t.weighAll(processed, count)
	if !all {
		t.weighEach(processed, count)
	}
	if all && g.known && !g.mixed {
		t.correlateAll(&g.around[k])
		return
	}
	t.advantage, t.advantage2 = 0, 0
	for i, l := range a.Lengths[p.lo:p.hi] {
		if l >= 0 && finite(processed[i]) {
			t.correlate(processed[i], float64(l))
		}
	}
}

// weighAll takes in advantages that are finite, without a branch that would be hard to
// guess. If one is not finite it takes in none.
func (t *tally) weighAll(processed []float64, count []int32) bool {
	var push, push2, abs, advantage, advantage2, largest float64
	lo, hi, pivot := t.processed.lo, t.processed.hi, t.pivotPush
	weight, n := 0, 0
	count = count[:len(processed)]
	for i, y := range processed {
		tokens, d := int(count[i])&-one(y != 0), y-pivot
		n += one(tokens != 0)
		weight += tokens
		if y < lo && tokens != 0 {
			lo = y
		}
		if y > hi && tokens != 0 {
			hi = y
		}
		size := math.Abs(y)
		if size > largest {
			largest = size
		}
		abs += size
		advantage += d
		advantage2 += d * d
		w := float64(tokens) * d
		push += w
		push2 += w * d
	}
	if !finite(abs) {
		return false
	}
	all := float64(len(processed))
	t.processed = moments{weight: float64(weight), sum: push + pivot*float64(weight), lo: lo, hi: hi, n: n}
	t.push, t.push2, t.advantage, t.advantage2 = push, push2, advantage, advantage2
	t.largest, t.abs = largest, abs
	t.sum, t.squares = advantage+all*pivot, advantage2+2*pivot*advantage+all*pivot*pivot
	return true
}

// weighEach is weighAll for all others. The figures that are ours leave out what is not
// finite: one group that has no advantages, as one of a single sample, must not leave
// the step without them.
func (t *tally) weighEach(processed []float64, count []int32) {
	for i, y := range processed {
		w := float64(count[i])
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
}

// correlate takes in a finite advantage, and the length of its response.
func (t *tally) correlate(y, length float64) {
	l, d := length-t.pivotLength, y-t.pivotPush
	t.known++
	t.length += l
	t.length2 += l * l
	t.advantage += d
	t.advantage2 += d * d
	t.both += l * d
}

// correlateAll is correlate for all that weighAll has taken in, whose sums are known.
func (t *tally) correlateAll(l *lengthSums) {
	zeros := l.total - t.processed.weight // tokens of responses whose advantage is 0
	t.known, t.length, t.length2 = l.n, l.sum, l.squares
	t.both = t.push - t.pivotPush*zeros - t.pivotLength*t.advantage
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
	for i := range o.fates {
		t.fates[i].merge(o.fates[i])
	}
	o.around(t.pivotPush, t.pivotLength)
	t.kept, t.keptPos, t.keptNeg = t.kept+o.kept, t.keptPos+o.keptPos, t.keptNeg+o.keptNeg
	t.flips, t.filtered = t.flips+o.flips, t.filtered+o.filtered
	t.short.merge(o.short)
	t.flipped.merge(o.flipped)
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

// processedStd is the unbiased std over the tokens of advantages that are not zero; equal ones
// have none, however they were rounded.
func (t *tally) processedStd() float64 {
	if t.processed.n == 0 {
		return 0
	}
	w, squares := t.processed.weight, 0.0
	if t.processed.lo != t.processed.hi {
		squares = rest(t.push2, t.push, t.processed.weight)
	}
	return math.Sqrt(squares / (w - 1))
}

// lengthCorrelation is Pearson's r between response length and processed advantage;
// NaN if either is constant.
func (t *tally) lengthCorrelation() float64 {
	xy := t.both - t.length*t.advantage/t.known
	xx, yy := rest(t.length2, t.length, t.known), rest(t.advantage2, t.advantage, t.known)
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
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
