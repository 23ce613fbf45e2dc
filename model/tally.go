package model

import "math"

// tally sums up what the filter made of the samples.
type tally struct {
	returns, processed moments // processed advantages over tokens: all, and those that are not zero
	sum, abs, squares  float64 // of the processed advantages that are finite
	filtered           int     // samples that are not kept or have no tokens
	up, down           int     // kept samples with tokens, by the sign of their original advantage

	known, length, advantage float64 // such samples whose length is known too, and the sums of both
}

// count takes the samples of a group into its row and into the sums.
func (a *Analysis) count(g *Group, t *tally) {
	for i := g.Start; i < g.End; i++ {
		x, y, w, keep := a.Original[i], a.Processed[i], a.ground.count[i], a.Keep[i]
		g.after = g.after || y != 0
		if keep {
			g.keep(x, y)
		}
		t.returns.add(y, w)
		if y != 0 {
			t.processed.add(y, w)
		}
		if w == 0 || !keep {
			t.filtered++
		} else {
			t.up += one(x > 0)
			t.down += one(x < 0)
		}
		if finite(y) {
			t.add(y, w, a.Lengths[i] >= 0)
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
		t.known++
		t.length += w
		t.advantage += y
	}
}

func (t *tally) merge(o *tally) {
	t.returns.merge(o.returns)
	t.processed.merge(o.processed)
	t.sum, t.abs, t.squares = t.sum+o.sum, t.abs+o.abs, t.squares+o.squares
	t.filtered, t.up, t.down = t.filtered+o.filtered, t.up+o.up, t.down+o.down
	t.known, t.length, t.advantage = t.known+o.known, t.length+o.length, t.advantage+o.advantage
}

// squares are sums around the means, which a first look at all samples gave.
type squares struct {
	processed  float64 // of processed advantages that are not zero, over tokens
	xy, xx, yy float64 // of lengths and processed advantages
}

func (a *Analysis) square(t *tally) (all squares) {
	mean, long, push := t.processed.mean(), t.length/t.known, t.advantage/t.known
	parts := make([]squares, len(a.ground.parts))
	eachPart(a.ground.parts, func(k int, p part) {
		s := &parts[k]
		for i := p.lo; i < p.hi; i++ {
			y, w := a.Processed[i], a.ground.count[i]
			if y != 0 {
				s.processed += w * (y - mean) * (y - mean)
			}
			if a.Lengths[i] >= 0 && finite(y) {
				dx, dy := w-long, y-push
				s.xy, s.xx, s.yy = s.xy+dx*dy, s.xx+dx*dx, s.yy+dy*dy
			}
		}
	})
	for _, s := range parts {
		all.processed += s.processed
		all.xy, all.xx, all.yy = all.xy+s.xy, all.xx+s.xx, all.yy+s.yy
	}
	return all
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
