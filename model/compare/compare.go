package compare

import (
	"math"
	"slices"

	"vantage/model/analysis"
)

// Pair is a prompt of both runs.
type Pair struct {
	Preview            string
	A, B               float64 // mean rewards
	SamplesA, SamplesB int
}

// Delta returns B − A.
func (p Pair) Delta() float64 { return p.B - p.A }

// Bin summarises the pairs of one difficulty: with a mean reward under A in [Lo, Hi), for
// the last bin in [Lo, Hi].
type Bin struct {
	Lo, Hi float64
	Pairs  int
	Delta  float64 // mean of B − A; NaN without pairs
}

// Result is the comparison of two runs.
type Result struct {
	Pairs        []Pair // worst delta first
	OnlyA, OnlyB int    // prompts of one run only
	Wins         int    // B better
	Losses       int    // A better
	Ties         int
	Delta        float64    // mean of B − A over the pairs; NaN without pairs
	PValue       float64    // of SignTest
	WinShare     [2]float64 // Wilson interval of wins among wins and losses
	Bins         []Bin
}

// tieTolerance is the difference up to which two means count as equal.
const tieTolerance = 1e-9

// maxBins is the number of difficulties.
const maxBins = 5

// Runs compares two runs, given their prompts ascending by hash.
func Runs(a, b []analysis.PromptMean) *Result {
	r := &Result{}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i].Hash < b[j].Hash:
			i++
			r.OnlyA++
		case a[i].Hash > b[j].Hash:
			j++
			r.OnlyB++
		default:
			r.Pairs = append(r.Pairs, Pair{a[i].Preview, a[i].RewardMean, b[j].RewardMean, a[i].Samples, b[j].Samples})
			i++
			j++
		}
	}
	r.OnlyA += len(a) - i
	r.OnlyB += len(b) - j
	slices.SortStableFunc(r.Pairs, func(p, q Pair) int {
		switch {
		case p.Delta() < q.Delta():
			return -1
		case p.Delta() > q.Delta():
			return 1
		}
		return 0
	})
	r.aggregate()
	return r
}

func (r *Result) aggregate() {
	sum, lo, hi := 0.0, math.Inf(1), math.Inf(-1)
	for _, p := range r.Pairs {
		d := p.Delta()
		sum += d
		lo, hi = min(lo, p.A), max(hi, p.A)
		switch {
		case d > tieTolerance:
			r.Wins++
		case d < -tieTolerance:
			r.Losses++
		default:
			r.Ties++
		}
	}
	r.Delta = sum / float64(len(r.Pairs))
	r.PValue = SignTest(r.Wins, r.Losses)
	r.WinShare = Wilson(r.Wins, r.Wins+r.Losses)
	if len(r.Pairs) > 0 {
		r.fillBins(lo, hi)
	}
}

// fillBins divides the pairs into difficulties of equal width.
func (r *Result) fillBins(lo, hi float64) {
	n := maxBins
	if lo == hi {
		n = 1
	}
	width := (hi - lo) / float64(n)
	r.Bins = make([]Bin, n)
	for k := range r.Bins {
		r.Bins[k] = Bin{Lo: lo + float64(k)*width, Hi: lo + float64(k+1)*width}
	}
	for _, p := range r.Pairs {
		k := 0
		if width > 0 {
			k = min(n-1, int((p.A-lo)/width))
		}
		r.Bins[k].Pairs++
		r.Bins[k].Delta += p.Delta()
	}
	for k := range r.Bins {
		r.Bins[k].Delta /= float64(r.Bins[k].Pairs)
	}
}

// SignTest returns the exact two-sided p-value of wins and losses under equal odds, 1 if
// there are none.
func SignTest(wins, losses int) float64 {
	n, k := wins+losses, min(wins, losses)
	if n == 0 {
		return 1
	}
	total := 0.0
	for i := 0; i <= k; i++ {
		total += math.Exp(logChoose(n, i) - float64(n)*math.Ln2)
	}
	return min(1, 2*total)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// Wilson returns the 95 % score interval of the share k/n (E. B. Wilson, 1927), [0, 1] if n
// is 0.
func Wilson(k, n int) [2]float64 {
	if n == 0 {
		return [2]float64{0, 1}
	}
	const z = 1.959963984540054
	p, m := float64(k)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return [2]float64{max(0, middle-half), min(1, middle+half)}
}
