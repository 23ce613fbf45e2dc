package match

import (
	"context"
	"math"

	"vantage/model"
	"vantage/model/analysis"
)

// retryFullGroups tries again without the groups that have fewer samples than most of their run, or
// than its rows are divided into: the trainer saw samples that a cut log lacks. At least two groups of
// that size must remain in a run.
func (r *Report) retryFullGroups(ctx context.Context, snap model.Snapshot, grouped []*analysis.GroupedStep) error {
	sizes := fullSizes(grouped)
	retry := &Report{}
	masked := make([]*analysis.GroupedStep, len(grouped))
	for i, s := range grouped {
		copied := *s
		copied.LoggedAdvantages = maskShortGroups(s, sizes)
		masked[i] = &copied
		retry.Compared += countLogged(copied.LoggedAdvantages)
	}
	if retry.Compared == 0 || retry.Compared == r.Compared {
		return nil
	}
	if err := retry.tryAll(ctx, snap, masked, 0); err != nil {
		return err
	}
	if retry.HasMatch() {
		r.LeftOut, r.Compared, r.Matches, r.Others = r.Compared-retry.Compared, retry.Compared, retry.Matches, retry.Others
	}
	return nil
}

// fullSizes returns the size of a full group in each run: the most common one, of equally common ones
// the largest, and 0 if fewer than two groups have it.
func fullSizes(grouped []*analysis.GroupedStep) map[int]int {
	type runSize struct{ run, size int }
	counts := map[runSize]int{}
	for _, s := range grouped {
		for g := range len(s.Offsets) - 1 {
			counts[runSize{s.Run(g), s.Offsets[g+1] - s.Offsets[g]}]++
		}
	}
	sizes, most := map[int]int{}, map[int]int{}
	for at, n := range counts {
		if n >= 2 && (n > most[at.run] || n == most[at.run] && at.size > sizes[at.run]) {
			sizes[at.run], most[at.run] = at.size, n
		}
	}
	return sizes
}

// maskShortGroups returns the logged advantages, NaN in groups of fewer samples than full ones of their run.
func maskShortGroups(s *analysis.GroupedStep, sizes map[int]int) []float64 {
	advantages := append([]float64(nil), s.LoggedAdvantages...)
	for g := range len(s.Offsets) - 1 {
		full := s.FullSize(g)
		if full == 0 {
			full = sizes[s.Run(g)]
		}
		if lo, hi := s.Offsets[g], s.Offsets[g+1]; hi-lo < full {
			for i := lo; i < hi; i++ {
				advantages[i] = math.NaN()
			}
		}
	}
	return advantages
}
