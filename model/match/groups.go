package match

import (
	"context"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// prover looks for groups with which an estimator gives the logged advantages, if the log's own are
// others: a prompt that comes twice in a step has one id, but makes two groups.
type prover struct {
	snap  model.Snapshot
	set   model.Settings // without proof
	steps []int          // to compare
	own   *Report        // the comparison under the groups of set, without groups if they fail
}

// minProvingGroups is how many full groups with advantages other than 0 must agree: one group of few
// rows may agree by chance.
const minProvingGroups = 2

// prove returns the groups that the logged advantages prove. They are the log's own ids or prompts in
// blocks of consecutive rows, where the runs that were opened together may differ in the size; for a
// log of one run also those of another key, or by position alone. The result is zero if nothing proves
// others than the settings name.
func (p prover) prove(ctx context.Context) (model.ProvedGroups, error) {
	keys, runs := p.keys(), p.snap.RunCount()
	if runs > 1 && len(keys) > 1 {
		keys = keys[:1]
	}
	for i, by := range keys {
		proved := model.ProvedGroups{By: by}
		var whole []int // runs whose ids or prompts are groups
		found, all := false, true
		for run := range min(runs, model.MaxDividedRuns) {
			size, ok, err := p.proveRun(ctx, by, run)
			if err != nil {
				return model.ProvedGroups{}, err
			}
			proved.Sizes[run] = int32(size)
			found, all = found || size > 0 || ok && i > 0, all && size > 0
			if ok && size == 0 {
				whole = append(whole, run)
			}
		}
		if found && (all || by != model.GroupByPosition) { // by position every run needs a size
			return p.withCommonSize(ctx, proved, whole)
		}
	}
	return model.ProvedGroups{}, nil
}

// withCommonSize gives runs that need no size that of the others, if all those have one and it does them no
// harm: flags can say it then.
func (p prover) withCommonSize(ctx context.Context, proved model.ProvedGroups, whole []int) (model.ProvedGroups, error) {
	common := slices.Max(proved.Sizes[:])
	if slices.ContainsFunc(proved.Sizes[:], func(n int32) bool { return n != 0 && n != common }) {
		return proved, nil
	}
	for _, run := range whole {
		with := proved
		with.Sizes[run] = common
		r, err := p.compare(ctx, with, run, p.steps)
		if err != nil {
			return proved, err
		}
		if r.HasMatch() {
			proved = with
		}
	}
	return proved, nil
}

// keys are what rows may be grouped by, the log's own key first: none but that of the settings if they
// name one. Settings that decide on the groups by themselves leave nothing to prove.
func (p prover) keys() []model.GroupBy {
	set := p.set
	decided := set.GroupBy != model.GroupAutomatic && set.GroupBy != "" && set.GroupBy != model.GroupByPosition && set.NumGenerations == 0
	own, err := p.snap.Grouping(set)
	switch {
	case decided || err == nil && own.Divides() && !own.Assumed:
		return nil
	case set.GroupBy == model.GroupByPosition:
		return []model.GroupBy{model.GroupByPosition}
	case set.GroupBy == model.GroupByID || set.GroupBy == model.GroupByPrompt:
		return []model.GroupBy{set.GroupBy}
	}
	all := []model.GroupBy{model.GroupByID, model.GroupByPrompt, model.GroupByPosition}
	all = slices.DeleteFunc(all, func(by model.GroupBy) bool {
		_, err := p.snap.Grouping(model.Settings{GroupBy: by})
		return by != model.GroupByPosition && err != nil
	})
	if at := slices.Index(all, own.By); err == nil && at > 0 {
		all = slices.Insert(slices.Delete(all, at, at+1), 0, own.By)
	}
	return all
}

// proveRun returns how many consecutive rows of a key are a group in a run: 0 if all its rows of a step
// are. ok is false if no estimator agrees with either.
func (p prover) proveRun(ctx context.Context, by model.GroupBy, run int) (size int, ok bool, err error) {
	at := p.steps[0] // the step to try first
	if by != model.GroupByPosition {
		whole, err := p.compareWhole(ctx, by, run)
		if err != nil || p.confirms(whole) || len(whole.Others) == 0 || whole.Others[0].FirstMismatch == nil {
			return 0, err == nil && p.confirms(whole), err
		}
		at, _ = p.snap.Find(whole.Others[0].FirstMismatch.Step)
	}
	if len(p.snap.Steps[at].Rewards) > maxRegrouped {
		return 0, false, nil
	}
	for _, size := range p.sizes(by, run, at) {
		groups := model.ProvedGroups{By: by}
		groups.Sizes[run] = int32(size)
		if ok, err := p.proves(ctx, groups, run, at); ok || err != nil {
			return size, ok, err
		}
	}
	return 0, false, nil
}

func (p prover) compareWhole(ctx context.Context, by model.GroupBy, run int) (*Report, error) {
	if p.snap.RunCount() == 1 && p.own.Grouping.By == by && !p.own.Grouping.Divides() {
		return p.own, nil
	}
	return p.compare(ctx, model.ProvedGroups{By: by}, run, p.steps)
}

// proves reports whether an estimator gives the advantages of a run under some groups: in a step, which
// most groups fail, and then in all.
func (p prover) proves(ctx context.Context, groups model.ProvedGroups, run, at int) (bool, error) {
	if !p.mayProve(groups, run, at) {
		return false, nil
	}
	for _, steps := range [][]int{{at}, p.steps} {
		r, err := p.compare(ctx, groups, run, steps)
		if err != nil || !p.confirms(r) {
			return false, err
		}
	}
	return p.countProving(groups, run) >= minProvingGroups, nil
}

// mayProve reports whether the full groups of a step are affine, which is known without an estimator. A
// few estimators of several rewards are not affine in their sum: they are tried under ids and prompts.
func (p prover) mayProve(groups model.ProvedGroups, run, at int) bool {
	if groups.By != model.GroupByPosition && len(p.snap.Run.ComponentNames) > 1 {
		return true
	}
	grouped, err := p.group(groups, run, []int{at})
	if err != nil {
		return false
	}
	s := grouped[0]
	for g := range len(s.Offsets) - 1 {
		lo, hi := s.Offsets[g], s.Offsets[g+1]
		if hi-lo == s.FullSize(g) && !isAffine(s.LoggedRewards[lo:hi], s.LoggedAdvantages[lo:hi]) {
			return false
		}
	}
	return true
}

func (p prover) confirms(r *Report) bool { return r.confirmsGroups(p.snap.Run.Framework) }

// compare compares the advantages of a run under some groups with those of every estimator.
func (p prover) compare(ctx context.Context, groups model.ProvedGroups, run int, steps []int) (*Report, error) {
	grouped, err := p.group(groups, run, steps)
	if err != nil {
		return &Report{}, nil // such as a log without that key: nothing matches
	}
	r := &Report{options: p.set.Options}
	for _, s := range grouped {
		r.Compared += countLogged(s.LoggedAdvantages)
	}
	if r.Compared == 0 {
		return r, nil
	}
	return r, r.compareAll(ctx, p.snap, grouped, nil)
}

// group groups steps, without the logged advantages of the other runs.
func (p prover) group(groups model.ProvedGroups, run int, steps []int) ([]*analysis.GroupedStep, error) {
	set := p.set
	set.Proved = groups
	grouped, err := groupSteps(p.snap, set, steps)
	if err != nil || p.snap.RunCount() == 1 {
		return grouped, err
	}
	for _, s := range grouped {
		for g := range len(s.Offsets) - 1 {
			if s.Run(g) == run {
				continue
			}
			for i := s.Offsets[g]; i < s.Offsets[g+1]; i++ {
				s.LoggedAdvantages[i] = math.NaN()
			}
		}
	}
	return grouped, nil
}

// sizes are the numbers of consecutive rows to try in a run, the largest first: the divisors of the
// sizes that its groups have in a step, and common ones.
func (p prover) sizes(by model.GroupBy, run, at int) []int {
	if n := p.set.NumGenerations; n > 0 {
		return []int{n}
	}
	grouped, err := p.group(model.ProvedGroups{By: by}, run, []int{at})
	if err != nil {
		return nil
	}
	var all []int
	largest := 0
	for g := range len(grouped[0].Offsets) - 1 {
		n := grouped[0].Offsets[g+1] - grouped[0].Offsets[g]
		if grouped[0].Run(g) != run || slices.Contains(all, n) {
			continue
		}
		largest = max(largest, n)
		for d := 1; d*d <= n; d++ {
			if n%d == 0 {
				all = append(all, d, n/d)
			}
		}
	}
	all = append(all, commonGroupSizes()...)
	all = slices.DeleteFunc(all, func(n int) bool { return n < 2 || n >= largest || n > maxGroupSize })
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Reverse(all)
	return all
}

const maxGroupSize = 512

// countProving counts the full groups of a run whose logged advantages are not all 0.
func (p prover) countProving(groups model.ProvedGroups, run int) int {
	grouped, err := p.group(groups, run, p.steps)
	if err != nil {
		return 0
	}
	count := 0
	for _, s := range grouped {
		for g := range len(s.Offsets) - 1 {
			logged := s.LoggedAdvantages[s.Offsets[g]:s.Offsets[g+1]]
			if len(logged) == s.FullSize(g) && hasSignal(logged) {
				count++
			}
		}
	}
	return count
}

// affineTolerance is how far an advantage may be from a line through the others of its group, relative to
// the largest of them: logs of three decimals pass.
const affineTolerance = 5e-3

// isAffine reports whether the advantages of a group lie on a rising line over its rewards, as those of
// nearly all estimators do that read one reward. Values that are not finite lie on every line.
func isAffine(rewards, advantages []float64) bool {
	low, high, largest := -1, -1, 0.0
	for i, r := range rewards {
		if !areFinite(r, advantages[i]) {
			continue
		}
		largest = max(largest, math.Abs(advantages[i]))
		if low < 0 || r < rewards[low] {
			low = i
		}
		if high < 0 || r > rewards[high] {
			high = i
		}
	}
	if low < 0 {
		return true
	}
	slope := 0.0
	if width := rewards[high] - rewards[low]; width > 0 {
		slope = (advantages[high] - advantages[low]) / width
	}
	for i, r := range rewards {
		onLine := advantages[low] + slope*(r-rewards[low])
		if areFinite(r, advantages[i]) && math.Abs(advantages[i]-onLine) > affineTolerance*largest {
			return false
		}
	}
	return slope >= 0
}

func areFinite(x, y float64) bool { return units.IsFinite(x) && units.IsFinite(y) }
