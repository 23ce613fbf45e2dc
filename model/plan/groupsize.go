package plan

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

// GroupSizes is what other sizes of groups would do to the prompts of a run: how many would be dead, and how many samples must
// be generated for a group that is not.
//
// A group of n samples of a prompt that is solved at rate p is dead, all solved or none, with
// probability pⁿ + (1−p)ⁿ. Nobody knows p: s of the n samples seen are solved. The rates of a run are
// taken for a mixture of Beta(a, b) distributions and of points, fitted to all groups: see [Rates]. The rate
// of a group is taken for the posterior Beta(a+s, b+n−s) of each, and the probability averaged over it:
//
//	E[pᵐ] = B(a+s+m, b+n−s) / B(a+s, b+n−s)
//
// Each estimate has a range that holds 90 % of repeats, in which the same prompts are sampled once more, whichever mixture that
// the counts leave possible is true: see [rateFit].
type GroupSizes struct {
	Steps   int
	Groups  int      // all, those that are left out too
	Counts  []Count  // by size, then solved
	Rates   Rates    // of the prompts
	Solved  []string // which rewards are solved, and why: see model.Snapshot.SolvedEvidence
	Dead    int      // groups of which all samples are solved, or none
	Partial int      // of these those with rewards that differ, and so with signal
	LeftOut int      // groups with invalid rewards, or whose rewards do not say what is solved
	Sizes   []Estimate
}

// DefaultSizes are the sizes that are asked about.
func DefaultSizes() []int { return []int{4, 6, 8, 12, 16, 24, 32, 48, 64} }

// EstimateSizes estimates what groups of other sizes would do to the prompts of a snapshot: of all groups, or of those of which selected
// returns the indexes; steps without one do not count. An open step is left out, unless it is the only one. If all groups seen have one
// size that is added. It fails if samples cannot be grouped, if rewards do not say what is solved, or if ctx ends.
func EstimateSizes(ctx context.Context, snap model.Snapshot, set model.Settings, sizes []int,
	selected func(*analysis.Analysis) []int,
) (*GroupSizes, error) {
	r := &GroupSizes{}
	counts := map[Count]int{}
	visit := func(groups []analysis.Group) {
		r.Steps++
		for i := range groups {
			r.count(counts, &groups[i])
		}
	}
	var err error
	if selected == nil {
		err = analysis.EachGroups(ctx, snap, set, visit)
	} else {
		err = analysis.EachComplete(ctx, snap, set, func(a *analysis.Analysis) error {
			if groups := model.Mapped(selected(a), func(g int) analysis.Group { return a.Table[g] }); len(groups) > 0 {
				visit(groups)
			}
			return nil
		})
	}
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
	f := fitRates(r.Counts)
	r.Rates = f.Rates
	if own := r.OwnSize(); own > 1 {
		sizes = append(slices.Clone(sizes), own)
	}
	sizes = slices.Clone(sizes)
	slices.Sort(sizes)
	r.Sizes = estimate(r.Counts, f, slices.Compact(sizes))
	return r, nil
}

func (r *GroupSizes) count(counts map[Count]int, g *analysis.Group) {
	r.Groups++
	if !g.HasSolved || g.Invalid > 0 {
		r.LeftOut++
		return
	}
	counts[Count{Size: g.Counted, Solved: g.Solved}]++
	if g.Counted > 1 && (g.Solved == 0 || g.Solved == g.Counted) {
		r.Dead++
		if g.RewardStd > 1e-9*max(1, math.Abs(g.RewardMean)) {
			r.Partial++
		}
	}
}

// Judged is how many groups say how many of their samples are solved: the estimates are from them.
func (r *GroupSizes) Judged() int { return r.Groups - r.LeftOut }

func (r *GroupSizes) whyNone(scales []model.RewardScale) string {
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
		return fmt.Sprintf("none of the %s is solved; --solved-at X sets the reward from which one is", units.Plural(samples, "samples"))
	case solved == samples:
		return fmt.Sprintf("all of the %s are solved; --solved-at X sets the reward from which one is", units.Plural(samples, "samples"))
	}
	return ""
}

// OwnSize returns the size of the groups of the run, 0 if they differ.
func (r *GroupSizes) OwnSize() int {
	if first := r.Counts[0].Size; first == r.Counts[len(r.Counts)-1].Size {
		return first
	}
	return 0
}

// Count is how many groups have so many samples, of which so many are solved.
type Count struct{ Size, Solved, Groups int }

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
	LowDead    float64 // between LowDead and HighDead is the share of dead groups in 90 % of repeats, in each of which
	HighDead   float64 // all prompts are sampled once more, under each mixture that the counts leave possible
}

// Dead returns the share of groups without signal: all solved or none.
func (e Estimate) Dead() float64 { return e.NoneSolved + e.AllSolved }

// Cost returns how many samples are generated for each group with signal; +Inf if there is none.
func (e Estimate) Cost() float64 { return float64(e.Size) / (1 - e.Dead()) }

// CostRange returns the cost at LowDead and at HighDead.
func (e Estimate) CostRange() (low, high float64) {
	return float64(e.Size) / (1 - e.LowDead), float64(e.Size) / (1 - e.HighDead)
}

// estimate returns the estimates for groups of the sizes. Their ranges have three uncertainties: the counts leave several mixtures
// possible, each would be fitted otherwise to other prompts, and each group is dead or not by its own chance.
func estimate(counts []Count, f rateFit, sizes []int) []Estimate {
	all := make([]Estimate, len(sizes))
	for k, x := range solvedAlike(counts, f.Rates, sizes) {
		all[k] = Estimate{Size: sizes[k], NoneSolved: x.none, AllSolved: x.all}
	}
	drawn := make([][][]alike, len(f.Near)) // by mixture, draw and size
	for near, draws := range f.Near {
		for _, r := range draws {
			drawn[near] = append(drawn[near], solvedAlike(counts, r, sizes))
		}
	}
	var quantiles [19]float64 // of a normal distribution
	for i := range quantiles {
		quantiles[i] = math.Sqrt2 * math.Erfinv((2*float64(i)+1)/float64(len(quantiles))-1)
	}
	for k := range all {
		e := &all[k]
		e.LowDead, e.HighDead = f.span(func(near, draw int, to []float64) []float64 {
			x := drawn[near][draw][k]
			for _, z := range quantiles {
				to = append(to, min(1, max(0, x.all+x.none+z*math.Sqrt(x.variance))))
			}
			return to
		})
		for _, draws := range drawn { // where chance of a group adds little the expected share itself is to be in the range, in 95 %
			sum, squares, n := 0.0, 0.0, float64(len(draws))
			for _, x := range draws {
				dead := x[k].all + x[k].none
				sum, squares = sum+dead, squares+dead*dead
			}
			reach := 1.96 * math.Sqrt(max(0, squares/n-sum*sum/n/n))
			e.LowDead, e.HighDead = max(0, min(e.LowDead, sum/n-reach)), min(1, max(e.HighDead, sum/n+reach))
		}
	}
	return all
}

// alike are the shares of groups that are expected to be all solved, and none, for the prompts that were seen, and the variance of their
// sum.
type alike struct{ all, none, variance float64 }

// solvedAlike returns the shares for groups of each size. Those of a prompt are those of the parts of the mixture, by the chance that it is
// of each.
func solvedAlike(counts []Count, r Rates, sizes []int) []alike {
	f, groups := newFitter(counts), 0.0
	f.expect(r, make([]float64, len(counts)))
	mirrored := make([]Count, len(counts))
	for i, c := range counts {
		mirrored[len(counts)-1-i] = Count{c.Size, c.Size - c.Solved, c.Groups}
		groups += float64(c.Groups)
	}
	shares, all, none := make([]alike, len(sizes)), make([]float64, len(counts)), make([]float64, len(counts))
	for k, size := range sizes {
		clear(all)
		clear(none)
		for j, p := range r {
			p.addAllSolved(all, counts, size, func(i int) float64 { return f.chances[j][i] })
			Part{p.Share, p.B, p.A}.addAllSolved(none, mirrored, size, func(i int) float64 { return f.chances[j][len(counts)-1-i] })
		}
		x := &shares[k]
		for i, c := range counts {
			n, a, b := float64(c.Groups)/groups, all[i], none[len(counts)-1-i]
			x.all += n * a
			x.none += n * b
			x.variance += n / groups * (a + b) * max(0, 1-a-b)
		}
	}
	return shares
}

// addAllSolved adds the probability that all of size samples are solved, for the prompts of groups that were seen, by the chance that they
// are of the part. It goes from one count to that of fewer solved by a factor for each, which is quicker than the formula.
func (p Part) addAllSolved(to []float64, counts []Count, size int, chance func(i int) float64) {
	const far = 16
	m, x := float64(size), 1.0
	for i := len(counts) - 1; i >= 0 && p.A > 0; i-- {
		c, more := counts[i], math.MaxInt
		if i+1 < len(counts) && counts[i+1].Size == c.Size {
			more = counts[i+1].Solved - c.Solved
		}
		switch {
		case p.B == 0:
		case more < 0 || more > far:
			a, b := p.A+float64(c.Solved), p.B+float64(c.Size-c.Solved)
			x = math.Exp(logBeta(a+m, b) - logBeta(a, b))
		default:
			for s := range more {
				a := p.A + float64(c.Solved+s)
				x *= a / (a + m)
			}
		}
		to[i] += chance(i) * x
	}
}
