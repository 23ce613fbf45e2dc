package match

import (
	"context"
	"math"

	"vantage/model"
)

// retryFullGroups tries again without the groups that hold fewer samples than most: where a
// log was cut, the trainer has seen samples that are not in it. At least two groups
// of the usual size must be left.
func (r *Report) retryFullGroups(ctx context.Context, snap model.Snapshot, prepared []*model.Laid) error {
	usual, groups := commonGroupSize(prepared)
	again := &Report{}
	some := make([]*model.Laid, len(prepared))
	for i, l := range prepared {
		kept := *l
		kept.Given = maskShortGroups(l, usual)
		some[i] = &kept
		again.Compared += countLogged(kept.Given)
	}
	if groups < 2 || again.Compared == r.Compared {
		return nil
	}
	if err := again.tryAll(ctx, snap, some, 0); err != nil {
		return err
	}
	if again.HasMatch() {
		r.LeftOut, r.Compared, r.Matches, r.Others = r.Compared-again.Compared, again.Compared, again.Matches, again.Others
	}
	return nil
}

// commonGroupSize is the most common number of samples of a group, and how many groups
// have it.
func commonGroupSize(prepared []*model.Laid) (size, groups int) {
	counts := map[int]int{}
	for _, l := range prepared {
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

// maskShortGroups are the logged advantages, NaN in groups of fewer samples than usual.
func maskShortGroups(l *model.Laid, usual int) []float64 {
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
