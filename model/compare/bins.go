package compare

import "math"

// Bin summarises the pairs of one difficulty: with a mean reward over both runs in [Lo, Hi), for the
// last bin in [Lo, Hi].
type Bin struct {
	Lo, Hi float64
	Pairs  int
	Delta  float64 // mean of candidate − baseline; NaN without pairs
	StdErr float64 // of Delta; NaN for less than two pairs
}

// maxBins is the number of difficulties.
const maxBins = 5

// binsOf divides the pairs into difficulties of equal width, nil without pairs.
//
// Difficulty is over as many samples of either run, so that chance moves it no further along with one
// run than with the other: of runs of one policy each bin then has a mean difference of 0. By the
// baseline's rewards alone hard prompts would seem to win, and easy ones to lose.
func binsOf(pairs []Pair) []Bin {
	if len(pairs) == 0 {
		return nil
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range pairs {
		lo, hi = min(lo, p.Difficulty()), max(hi, p.Difficulty())
	}
	n := maxBins
	if hi-lo < tieTolerance { // as sums of floats differ
		n = 1
	}
	width := (hi - lo) / float64(n)
	bins, deltas := make([]Bin, n), make([]moments, n)
	for _, p := range pairs {
		k := 0
		if n > 1 {
			k = min(n-1, int((p.Difficulty()-lo)/width))
		}
		deltas[k].add(p.Delta())
	}
	for k := range bins {
		bins[k] = Bin{lo + float64(k)*width, lo + float64(k+1)*width, int(deltas[k].n), deltas[k].mean(), deltas[k].stdErr()}
	}
	return bins
}
