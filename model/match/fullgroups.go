package match

import (
	"context"
	"math"

	"vantage/model"
	"vantage/model/analysis"
)

// retryFullGroups tries again without the groups that have fewer samples than most: the
// trainer saw samples that a cut log lacks. At least two groups of the common size must
// remain.
func (r *Report) retryFullGroups(ctx context.Context, snap model.Snapshot, grouped []*analysis.GroupedStep) error {
	size, groups := commonGroupSize(grouped)
	retry := &Report{}
	masked := make([]*analysis.GroupedStep, len(grouped))
	for i, s := range grouped {
		copied := *s
		copied.LoggedAdvantages = maskShortGroups(s, size)
		masked[i] = &copied
		retry.Compared += countLogged(copied.LoggedAdvantages)
	}
	if groups < 2 || retry.Compared == r.Compared {
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

// commonGroupSize returns the most common group size and how many groups have it; of
// equally common ones the largest.
func commonGroupSize(grouped []*analysis.GroupedStep) (size, groups int) {
	counts := map[int]int{}
	for _, s := range grouped {
		for g := 1; g < len(s.Offsets); g++ {
			counts[s.Offsets[g]-s.Offsets[g-1]]++
		}
	}
	for n, c := range counts {
		if c > groups || c == groups && n > size {
			size, groups = n, c
		}
	}
	return size, groups
}

// maskShortGroups returns the logged advantages, NaN in groups of fewer than size samples.
func maskShortGroups(s *analysis.GroupedStep, size int) []float64 {
	advantages := append([]float64(nil), s.LoggedAdvantages...)
	for g := 1; g < len(s.Offsets); g++ {
		if lo, hi := s.Offsets[g-1], s.Offsets[g]; hi-lo < size {
			for i := lo; i < hi; i++ {
				advantages[i] = math.NaN()
			}
		}
	}
	return advantages
}
