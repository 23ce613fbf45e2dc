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
			var groups []analysis.Group
			for _, g := range selected(a) {
				groups = append(groups, a.Table[g])
			}
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
