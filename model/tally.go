package model

import "math"

// tally sums up what the filter made of the samples.
type tally struct {
	fates                      [fates]int // groups by fate
	kept, flips                int
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
	a.countKept(g, t)
	processed, tokens, lengths := a.Processed[g.Start:g.End], a.ground.count[g.Start:g.End], a.Lengths[g.Start:g.End]
	switch {
	case !a.ground.mixed && t.weigh(processed, tokens):
		if a.ground.known {
			t.correlate(processed, tokens)
		}
	default:
		for i, y := range processed {
			t.add(y, tokens[i], lengths[i] >= 0)
		}
	}
}

// countKept is a busy loop of every key press: which samples are kept is hard to guess,
// so it is added up without a branch.
func (a *Analysis) countKept(g *Group, t *tally) {
	tokens, keep, original := a.ground.count[g.Start:g.End], a.Keep[g.Start:g.End], a.Original[g.Start:g.End]
	kept, pos, neg, flips, after := 0, 0, 0, 0, 0
	trained, up, down := 0, 0, 0
	for i, y := range a.Processed[g.Start:g.End] {
		x, k := original[i], one(keep[i])
		plus, minus, live := one(x > 0)&k, one(x < 0)&k, one(tokens[i] != 0)
		kept += k
		pos += plus
		neg += minus
		flips += one(x*y < 0) & k
		after |= one(y != 0)
		trained += k & live
		up += plus & live
		down += minus & live
	}
	g.KeptPos, g.KeptZero, g.KeptNeg, g.Flips, g.after = pos, kept-pos-neg, neg, flips, after != 0
	t.kept, t.flips, t.filtered = t.kept+kept, t.flips+flips, t.filtered+g.Size()-trained
	t.up, t.down = t.up+up, t.down+down
}

// weigh takes in the advantages of a group, without a branch that would be hard to
// guess. If one is not finite it takes in none, and returns false.
func (t *tally) weigh(processed, tokens []float64) bool {
	var weight, product, push, push2, sum, abs, squares float64
	lo, hi, largest, n := t.processed.lo, t.processed.hi, t.largest, 0
	for i, y := range processed {
		w, d := tokens[i], y-t.pivotPush
		live := one(y != 0) & one(w != 0)
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
		return false
	}
	t.processed = moments{weight: t.processed.weight + weight, sum: t.processed.sum + product, lo: lo, hi: hi, n: t.processed.n + n}
	t.push, t.push2 = t.push+push, t.push2+push2
	t.largest, t.sum, t.abs, t.squares = largest, t.sum+sum, t.abs+abs, t.squares+squares
	return true
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

// add takes in one sample. The figures that are ours leave out what is not finite: one
// group that has no advantages, as one of a single sample, must not leave the step
// without them.
func (t *tally) add(y, w float64, known bool) {
	if y != 0 && w != 0 {
		t.processed.add(y, w)
		d := y - t.pivotPush
		t.push += w * d
		t.push2 += w * d * d
	}
	if !finite(y) {
		return
	}
	t.largest = max(t.largest, math.Abs(y))
	t.sum += y
	t.abs += math.Abs(y)
	t.squares += y * y
	if known {
		t.correlate([]float64{y}, []float64{w})
	}
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
	t.kept, t.flips, t.filtered = t.kept+o.kept, t.flips+o.flips, t.filtered+o.filtered
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
