package match

import (
	"context"
	"math"

	"vantage/model"
	"vantage/model/analysis"
)

// retryFullGroups tries again without the groups that have fewer samples than full ones, or than their rows
// are divided into: the trainer saw samples that the log lacks. Full is the most common size, and if that
// fails the largest, since where rows are missing everywhere most groups lack some. At least two groups of
// a size must be in a run.
func (r *Report) retryFullGroups(ctx context.Context, snap model.Snapshot, grouped []*analysis.GroupedStep) error {
	for _, sizes := range []map[int]int{fullSizes(grouped, mostCommon), fullSizes(grouped, largestSize)} {
		retry := r.again(0)
		masked := make([]*analysis.GroupedStep, len(grouped))
		for i, s := range grouped {
			copied := *s
			copied.LoggedAdvantages = retry.maskShortGroups(s, sizes)
			masked[i] = &copied
			retry.Compared += countLogged(copied.LoggedAdvantages)
		}
		if retry.Compared == 0 || retry.Compared == r.Compared {
			continue
		}
		if err := retry.tryAll(ctx, snap, masked, variant{}); err != nil {
			return err
		}
		if retry.HasMatch() && signals(masked) > 0 {
			r.LeftOut, r.Compared, r.Matches, r.Others = r.Compared-retry.Compared, retry.Compared, retry.Matches, retry.Others
			r.ShortGroups, r.AllGroups, r.MissingRows = retry.ShortGroups, retry.AllGroups, retry.MissingRows
			return nil
		}
	}
	return nil
}

// sizeCount is a number of rows and how many groups have it.
type sizeCount struct{ size, groups int }

func mostCommon(a, b sizeCount) bool {
	return a.groups > b.groups || a.groups == b.groups && a.size > b.size
}

func largestSize(a, b sizeCount) bool { return a.size > b.size }

// fullSizes returns the size of a full group in each run: of those that at least two groups have the first by
// an order.
func fullSizes(grouped []*analysis.GroupedStep, before func(a, b sizeCount) bool) map[int]int {
	type runSize struct{ run, size int }
	counts := map[runSize]int{}
	for _, s := range grouped {
		for g := range len(s.Offsets) - 1 {
			counts[runSize{s.Run(g), s.Offsets[g+1] - s.Offsets[g]}]++
		}
	}
	best := map[int]sizeCount{}
	for at, n := range counts {
		if c := (sizeCount{at.size, n}); n >= 2 && before(c, best[at.run]) {
			best[at.run] = c
		}
	}
	sizes := map[int]int{}
	for run, c := range best {
		sizes[run] = c.size
	}
	return sizes
}

// maskShortGroups returns the logged advantages, NaN in groups of fewer samples than full ones of their run. It
// counts these groups, and the rows that they lack.
func (r *Report) maskShortGroups(s *analysis.GroupedStep, sizes map[int]int) []float64 {
	advantages := append([]float64(nil), s.LoggedAdvantages...)
	for g := range len(s.Offsets) - 1 {
		full := s.FullSize(g)
		if full == 0 {
			full = sizes[s.Run(g)]
		}
		r.AllGroups++
		if lo, hi := s.Offsets[g], s.Offsets[g+1]; hi-lo < full {
			r.ShortGroups, r.MissingRows = r.ShortGroups+1, r.MissingRows+full-(hi-lo)
			for i := lo; i < hi; i++ {
				advantages[i] = math.NaN()
			}
		}
	}
	return advantages
}
