// Package groupsize estimates what groups of another size would do to the prompts of a run: how many
// would be dead, and how many samples must be generated for a group that is not. In go the groups of a
// run with how many of their samples are solved, out comes a [Result]. The command and the screen call
// it.
//
// A group of n samples of a prompt that is solved at rate p is dead, all solved or none, with
// probability pⁿ + (1−p)ⁿ. Nobody knows p: s of the n samples seen are solved. The rates of a run are
// taken for a Beta(a, b) distribution, fitted to all groups, and the rate of each group for its
// posterior Beta(a+s, b+n−s). The probability is averaged over it, exactly:
//
//	E[pᵐ] = B(a+s+m, b+n−s) / B(a+s, b+n−s)
//
// a and b are the most likely ones. Each estimate has a range for 90 % of repeats, in which
// the same prompts are sampled once more: see [Estimate].
package groupsize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Result is what other sizes of groups would do to the prompts of a run.
type Result struct {
	Steps   int
	Groups  int
	Counts  []Count // by size, then solved
	Prior   Prior
	Solved  []string // which rewards are solved, and why: see model.Snapshot.SolvedEvidence
	Dead    int      // groups of which all samples are solved, or none
	Partial int      // of these those with rewards that differ, and so with signal
	LeftOut int      // groups with invalid rewards, or whose rewards do not say what is solved
	Sizes   []Estimate
}

// DefaultSizes are the sizes that are asked about.
func DefaultSizes() []int { return []int{4, 6, 8, 12, 16, 24, 32, 48, 64} }

// Run estimates what groups of other sizes would do to the prompts of a snapshot. An open step is left
// out, unless it is the only one. If all groups seen have one size that is added. It fails if samples
// cannot be grouped, if rewards do not say what is solved, or if ctx ends.
func Run(ctx context.Context, snap model.Snapshot, set model.Settings, sizes []int) (*Result, error) {
	return run(snap, set, sizes, func(visit func([]analysis.Group)) error {
		return analysis.EachGroups(ctx, snap, set, visit)
	})
}

// RunSelected is Run over the groups of which selected returns the indexes. Steps without one do not count.
func RunSelected(ctx context.Context, snap model.Snapshot, set model.Settings, sizes []int, selected func(*analysis.Analysis) []int) (*Result, error) {
	return run(snap, set, sizes, func(visit func([]analysis.Group)) error {
		return analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
			if a.Open && len(snap.Steps) > 1 {
				return nil
			}
			groups := model.Mapped(selected(a), func(g int) analysis.Group { return a.Table[g] })
			if len(groups) > 0 {
				visit(groups)
			}
			return nil
		})
	})
}

// run estimates from the groups that each passes on step by step.
func run(snap model.Snapshot, set model.Settings, sizes []int, each func(visit func([]analysis.Group)) error) (*Result, error) {
	r := &Result{}
	counts := map[Count]int{}
	err := each(func(groups []analysis.Group) {
		r.Steps++
		for i := range groups {
			r.count(counts, &groups[i])
		}
	})
	if err != nil {
		return nil, err
	}
	scales := snap.RewardScales(set)
	for c, n := range counts {
		c.Groups = n
		r.Counts = append(r.Counts, c)
	}
	slices.SortFunc(r.Counts, func(x, y Count) int { return cmp.Or(x.Size-y.Size, x.Solved-y.Solved) })
	if why := r.whyNone(scales); why != "" {
		return nil, errors.New("other group sizes cannot be estimated: " + why)
	}
	r.Solved = snap.SolvedEvidence(scales)
	f := fitPrior(r.Counts)
	r.Prior = f.Prior
	if own := r.OwnSize(); own > 1 {
		sizes = append(slices.Clone(sizes), own)
	}
	sizes = slices.Clone(sizes)
	slices.Sort(sizes)
	for _, size := range slices.Compact(sizes) {
		r.Sizes = append(r.Sizes, estimate(r.Counts, f, size))
	}
	return r, nil
}

func (r *Result) count(counts map[Count]int, g *analysis.Group) {
	if !g.HasSolved || g.Invalid > 0 {
		r.LeftOut++
		return
	}
	r.Groups++
	counts[Count{Size: g.Counted, Solved: g.Solved}]++
	if g.Counted > 1 && (g.Solved == 0 || g.Solved == g.Counted) {
		r.Dead++
		if g.RewardStd > 1e-9*max(1, math.Abs(g.RewardMean)) {
			r.Partial++
		}
	}
}

// whyNone says why there is nothing to estimate from, "" if there is something.
func (r *Result) whyNone(scales []model.RewardScale) string {
	samples, solved, largest := 0, 0, 0
	for _, c := range r.Counts {
		samples += c.Size * c.Groups
		solved += c.Solved * c.Groups
		largest = max(largest, c.Size)
	}
	for i := range scales {
		if text := scales[i].WhyNone(); text != "" && samples == 0 {
			return text
		}
	}
	switch {
	case samples == 0:
		return "no group has valid rewards only"
	case largest < 2:
		return "every group is of one sample, so that it is not known how much prompts differ"
	case solved == 0:
		return fmt.Sprintf("none of the %s is solved; --solved-at X says from which reward one is", units.Plural(samples, "samples"))
	case solved == samples:
		return fmt.Sprintf("all of the %s are solved; --solved-at X says from which reward one is", units.Plural(samples, "samples"))
	}
	return ""
}

// OwnSize returns the size of the groups of the run, 0 if they differ.
func (r *Result) OwnSize() int {
	if first := r.Counts[0].Size; first == r.Counts[len(r.Counts)-1].Size {
		return first
	}
	return 0
}

// Count is how many groups have so many samples, of which so many are solved.
type Count struct{ Size, Solved, Groups int }

// Prior is the Beta(A, B) distribution of the solve rates of a run's groups.
type Prior struct{ A, B float64 }

// Mean returns A/(A+B), the mean solve rate.
func (p Prior) Mean() float64 { return p.A / (p.A + p.B) }

// logLikelihood returns the log likelihood of the counts, less what does not depend on the prior.
func (p Prior) logLikelihood(counts []Count) float64 {
	sum, whole := 0.0, logBeta(p.A, p.B)
	for _, c := range counts {
		sum += float64(c.Groups) * (logBeta(p.A+float64(c.Solved), p.B+float64(c.Size-c.Solved)) - whole)
	}
	return sum
}

// coordinates of a prior are the logarithms of A/B and of A+B.
type coordinates [2]float64

func (c coordinates) prior() Prior {
	mean, sum := 1/(1+math.Exp(-c[0])), math.Exp(c[1])
	return Prior{mean * sum, (1 - mean) * sum}
}

// fit is the most likely prior, and how sure it is.
type fit struct {
	Prior
	at        coordinates
	curvature [2][2]float64 // second derivatives of its log density there
}

// The bounds of A+B, below which every prompt is always or never solved, and above which all have one
// rate; and that of log A/B.
const (
	minConcentration = 1e-2
	maxConcentration = 1e4
	maxLogRatio      = 16
)

// fitPrior returns the most likely prior: solved samples of a group are beta-binomial, and a and b have
// the diffuse density (a+b)^(−5/2) of Gelman et al., Bayesian Data Analysis, 5.3, which keeps a few
// groups from proving that all prompts have one rate, or that a rate is 0.
func fitPrior(counts []Count) fit {
	likelihood := func(c coordinates) float64 {
		p := c.prior()
		// the density of the coordinates: a·b·(a+b)^(−5/2)
		return math.Log(p.A) + math.Log(p.B) - 2.5*math.Log(p.A+p.B) + p.logLikelihood(counts)
	}
	bestMean := func(logSum float64) coordinates {
		return coordinates{argmax(-maxLogRatio, maxLogRatio, func(x float64) float64 { return likelihood(coordinates{x, logSum}) }), logSum}
	}
	at := bestMean(argmax(math.Log(minConcentration), math.Log(maxConcentration), func(logSum float64) float64 { return likelihood(bestMean(logSum)) }))
	return fit{at.prior(), at, curvature(at, likelihood)}
}

// derivativeStep is the difference of coordinates by which derivatives are taken.
const derivativeStep = 1e-3

// moved returns the coordinates with those i and j moved on.
func (c coordinates) moved(i int, di float64, j int, dj float64) coordinates {
	c[i] += di
	c[j] += dj
	return c
}

func curvature(at coordinates, f func(coordinates) float64) (second [2][2]float64) {
	const h = derivativeStep
	for i := range 2 {
		for j := range 2 {
			second[i][j] = (f(at.moved(i, h, j, h)) - f(at.moved(i, h, j, -h)) - f(at.moved(i, -h, j, h)) + f(at.moved(i, -h, j, -h))) / (4 * h * h)
		}
	}
	return second
}

// variance returns that of a function of the prior, given the error of the fit: as of a normal
// distribution around it. 0 if its density has no peak, as at a bound.
func (f fit) variance(of func(Prior) float64) float64 {
	const h = derivativeStep
	var g [2]float64
	for i := range 2 {
		g[i] = (of(f.at.moved(i, h, i, 0).prior()) - of(f.at.moved(i, -h, i, 0).prior())) / (2 * h)
	}
	c := f.curvature
	determinant := c[0][0]*c[1][1] - c[0][1]*c[1][0]
	if !(c[0][0] < 0 && determinant > 0) {
		return 0
	}
	return -(g[0]*g[0]*c[1][1] - 2*g[0]*g[1]*c[0][1] + g[1]*g[1]*c[0][0]) / determinant
}

// argmax returns where between lo and hi a function with one maximum is greatest, by golden section.
func argmax(lo, hi float64, f func(float64) float64) float64 {
	const ratio, tolerance = 0.6180339887498949, 1e-7
	x, y := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	fx, fy := f(x), f(y)
	for hi-lo > tolerance {
		if fx >= fy {
			hi, y, fy = y, x, fx
			x = hi - ratio*(hi-lo)
			fx = f(x)
		} else {
			lo, x, fx = x, y, fy
			y = lo + ratio*(hi-lo)
			fy = f(y)
		}
	}
	return (lo + hi) / 2
}

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// Estimate is what groups of Size samples would do to the prompts of a run.
type Estimate struct {
	Size       int
	NoneSolved float64 // share of groups of which no sample is solved
	AllSolved  float64 // share of groups of which every sample is solved
	LowDead    float64 // between LowDead and HighDead is the share of dead groups in 90 % of repeats,
	HighDead   float64 // in each of which all prompts are sampled once more
}

// Dead returns the share of groups without signal: all solved or none.
func (e Estimate) Dead() float64 { return e.NoneSolved + e.AllSolved }

// Cost returns how many samples are generated for each group with signal; +Inf if there is none.
func (e Estimate) Cost() float64 { return float64(e.Size) / (1 - e.Dead()) }

// CostRange returns the cost at LowDead and at HighDead.
func (e Estimate) CostRange() (low, high float64) {
	return float64(e.Size) / (1 - e.LowDead), float64(e.Size) / (1 - e.HighDead)
}

// estimate returns the estimate for groups of a size. Its range is the normal approximation of two
// uncertainties: each group is dead or not by its own chance, and the prior has the error of its fit.
func estimate(counts []Count, f fit, size int) Estimate {
	e := Estimate{Size: size}
	groups, variance := 0.0, 0.0
	for _, c := range counts {
		all, none := f.solvedAlike(c, size)
		n := float64(c.Groups)
		e.AllSolved += all * n
		e.NoneSolved += none * n
		variance += n * (all + none) * (1 - all - none)
		groups += n
	}
	e.AllSolved, e.NoneSolved = e.AllSolved/groups, e.NoneSolved/groups
	variance = variance/(groups*groups) + f.variance(func(p Prior) float64 { return p.deadShare(counts, size) })
	const quantile = 1.6448536269514722 // of the normal distribution at 0.95: 90 % lie within
	reach := quantile * math.Sqrt(variance)
	e.LowDead, e.HighDead = max(0, e.Dead()-reach), min(1, e.Dead()+reach)
	return e
}

func (p Prior) deadShare(counts []Count, size int) float64 {
	dead, groups := 0.0, 0.0
	for _, c := range counts {
		all, none := p.solvedAlike(c, size)
		dead += (all + none) * float64(c.Groups)
		groups += float64(c.Groups)
	}
	return dead / groups
}

// solvedAlike returns the probabilities that all or none of size samples are solved, for the prompt of a
// group that was seen.
func (p Prior) solvedAlike(c Count, size int) (all, none float64) {
	a, b, m := p.A+float64(c.Solved), p.B+float64(c.Size-c.Solved), float64(size)
	whole := logBeta(a, b)
	return math.Exp(logBeta(a+m, b) - whole), math.Exp(logBeta(a, b+m) - whole)
}
