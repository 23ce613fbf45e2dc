package match

import (
	"context"
	"math"

	"vantage/model"
)

// whole tries again without the groups that hold fewer samples than most: where a
// log was cut, the trainer has seen samples that are not in it. At least two groups
// of the usual size must be left.
func (r *Report) whole(ctx context.Context, snap model.Snapshot, laid []*model.Laid) error {
	usual, groups := usualSize(laid)
	again := &Report{}
	some := make([]*model.Laid, len(laid))
	for i, l := range laid {
		kept := *l
		kept.Given = without(l, usual)
		some[i] = &kept
		again.Compared += logged(kept.Given)
	}
	if groups < 2 || again.Compared == r.Compared {
		return nil
	}
	if err := again.all(ctx, snap, some, 0); err != nil {
		return err
	}
	if again.Match() {
		r.Cut, r.Compared, r.Matches, r.Others = r.Compared-again.Compared, again.Compared, again.Matches, again.Others
	}
	return nil
}

// usualSize is the most common number of samples of a group, and how many groups
// have it.
func usualSize(laid []*model.Laid) (size, groups int) {
	counts := map[int]int{}
	for _, l := range laid {
		for g := 1; g < len(l.Offsets); g++ {
			counts[l.Offsets[g]-l.Offsets[g-1]]++
		}
	}
	for n, c := range counts {
		if c > groups || c == groups && n > size {
			size, groups = n, c
		}
	}
	return size, groups
}

// without are the logged advantages, NaN in groups of fewer samples than usual.
func without(l *model.Laid, usual int) []float64 {
	given := append([]float64(nil), l.Given...)
	for g := 1; g < len(l.Offsets); g++ {
		if lo, hi := l.Offsets[g-1], l.Offsets[g]; hi-lo < usual {
			for i := lo; i < hi; i++ {
				given[i] = math.NaN()
			}
		}
	}
	return given
}
