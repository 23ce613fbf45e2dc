package model

import "math"

// tally sums up what the filter made of the samples.
type tally struct {
	returns, processed moments // processed advantages over tokens: all, and those that are not zero
	filtered           int     // samples that are not kept or have no tokens
	up, down           int     // kept samples with tokens, by the sign of their original advantage
	sum, abs, squares  float64 // of the processed advantages that are finite

	// Around the pivot: one pass is then as exact as two.
	push, push2            float64 // of advantages that are not zero, over tokens
	known                  float64 // samples of known length and finite advantage
	length, length2        float64 // of their lengths
	advantage, advantage2  float64 // of their advantages
	both                   float64 // of the products
	pivotPush, pivotLength float64
}

// pivot returns sums around a value of each column: if all are like it they are 0.
func (a *Analysis) pivot() tally {
	var t tally
	for i, y := range a.Processed {
		if finite(y) && y != 0 {
			t.pivotPush, t.pivotLength = y, a.ground.count[i]
			break
		}
	}
	return t
}

// count takes the samples of a group into its row and into the sums. It is the busiest
// loop of a key press: which samples are kept is hard to guess, so it is added up
// without a branch.
func (a *Analysis) count(g *Group, t *tally) {
	tokens, kept, original := a.ground.count[g.Start:g.End], a.Keep[g.Start:g.End], a.Original[g.Start:g.End]
	for i, y := range a.Processed[g.Start:g.End] {
		x, w, k := original[i], tokens[i], one(kept[i])
		up, down, live := one(x > 0)&k, one(x < 0)&k, one(w != 0)
		g.KeptPos += up
		g.KeptNeg += down
		g.KeptZero += k &^ (up | down)
		g.Flips += one(x*y < 0) & k
		t.up += up & live
		t.down += down & live
		t.filtered += 1 &^ (k & live)
		t.returns.add(y, w)
		if y != 0 {
			g.after = true
			t.processed.add(y, w)
			d := y - t.pivotPush
			t.push += w * d
			t.push2 += w * d * d
		}
		if finite(y) {
			t.add(y, w, a.Lengths[g.Start+i] >= 0)
		}
	}
}

// add sums up for the figures that are ours: one group that has no advantages, as one
// of a single sample, must not leave the step without them.
func (t *tally) add(y, w float64, known bool) {
	t.sum += y
	t.abs += math.Abs(y)
	t.squares += y * y
	if known {
		l, d := w-t.pivotLength, y-t.pivotPush
		t.known++
		t.length += l
		t.length2 += l * l
		t.advantage += d
		t.advantage2 += d * d
		t.both += l * d
	}
}

func (t *tally) merge(o *tally) {
	t.returns.merge(o.returns)
	t.processed.merge(o.processed)
	t.filtered, t.up, t.down = t.filtered+o.filtered, t.up+o.up, t.down+o.down
	t.sum, t.abs, t.squares = t.sum+o.sum, t.abs+o.abs, t.squares+o.squares
	t.push, t.push2, t.known = t.push+o.push, t.push2+o.push2, t.known+o.known
	t.length, t.length2 = t.length+o.length, t.length2+o.length2
	t.advantage, t.advantage2 = t.advantage+o.advantage, t.advantage2+o.advantage2
	t.both += o.both
}

// processedStd is the unbiased std over the tokens of advantages that are not zero.
func (t *tally) processedStd() float64 {
	if t.processed.n == 0 {
		return 0
	}
	w := t.processed.weight
	return math.Sqrt(around(t.push2, t.push, w) / (w - 1))
}

// lengthCorrelation is Pearson's r between response length and processed advantage;
// NaN if either is constant.
func (t *tally) lengthCorrelation() float64 {
	xy := t.both - t.length*t.advantage/t.known
	xx, yy := around(t.length2, t.length, t.known), around(t.advantage2, t.advantage, t.known)
	return xy / math.Sqrt(xx*yy)
}

// around turns a sum of squares around a pivot into one around the mean; rounding must
// not make it negative.
func around(squares, sum, n float64) float64 { return max(0, squares-sum*sum/n) }

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
