package match

import (
	"context"
	"fmt"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// commonGroupSizes returns the usual numbers of samples per prompt.
func commonGroupSizes() []int { return []int{8, 16, 4, 32, 64, 2, 5, 6, 10, 12, 20, 24, 48, 128} }

// maxRegrouped is the largest step that is regrouped: more samples would take seconds.
const maxRegrouped = 100_000

// alternative is another way to read the log.
type alternative struct {
	set     model.Settings
	flags   string // "with --group-by prompt"
	meaning string // what it means if an estimator matches this way

	wholeStep bool // all rows of each step are one group
}

// tryAlternatives tries other groups and other rewards: first on a step that the nearest candidate does not
// reproduce, which most fail, and then on all. It returns a clue for the first that an estimator matches
// everywhere.
func (r *Report) tryAlternatives(ctx context.Context, snap model.Snapshot, set model.Settings, compared []*analysis.GroupedStep) ([]string, error) {
	if len(r.Others) == 0 || r.Others[0].FirstMismatch == nil {
		return nil, nil
	}
	at, _ := snap.Find(r.Others[0].FirstMismatch.Step)
	if len(snap.Steps[at].Rewards) > maxRegrouped {
		return nil, nil
	}
	steps := make([]int, len(compared))
	for i, s := range compared {
		steps[i], _ = snap.Find(s.Step)
	}
	all := alternatives(snap, set, len(snap.Steps[at].Rewards))
	snap.Run.Positional = true // groups by position are only tried here
	for _, other := range all {
		grouping, err := snap.Grouping(other.set)
		if err != nil || grouping == r.Grouping && other.set.Reward == set.Reward && other.set.Weights == set.Weights {
			continue
		}
		found, err := other.match(ctx, snap, []int{at})
		if err == nil && found != nil && len(steps) > 1 {
			found, err = other.match(ctx, snap, steps)
		}
		if err != nil {
			return nil, err
		}
		if found != nil {
			return []string{fmt.Sprintf("%s, %s reproduces %s: %s", other.flags, *found, units.Plural(len(steps), "steps"), other.meaning)}, nil
		}
	}
	return nil, nil
}

// match returns the best candidate that reproduces some steps, nil if there is none, or if they cannot be read
// in this way.
func (o alternative) match(ctx context.Context, snap model.Snapshot, steps []int) (*Candidate, error) {
	r := &Report{options: o.set.Options}
	var grouped []*analysis.GroupedStep
	for _, i := range steps {
		if o.wholeStep {
			o.set.NumGenerations = len(snap.Steps[i].Rewards)
		}
		one, err := groupSteps(snap, o.set, []int{i})
		if err != nil {
			return nil, nil
		}
		grouped = append(grouped, one...)
		r.Compared += countLogged(one[0].LoggedAdvantages)
	}
	if err := r.tryAll(ctx, snap, grouped, variant{}); err != nil || !r.HasMatch() {
		return nil, err
	}
	return &r.Matches[0].Candidate, nil
}

func alternatives(snap model.Snapshot, set model.Settings, rows int) []alternative {
	const wrongKey = "the groups are found by the wrong key"
	how := "with %d consecutive rows as a group"
	if snap.Run.Positional || set.GroupBy == model.GroupByID || set.GroupBy == model.GroupByPrompt {
		how = "with --group-by position --num-generations %d"
	}
	all := otherRewards(snap, set)
	for _, by := range []model.GroupBy{model.GroupByID, model.GroupByPrompt} {
		other := set
		other.GroupBy = by
		all = append(all, alternative{other, "with --group-by " + string(by), wrongKey, false})
	}
	set.GroupBy = model.GroupByPosition
	set.NumGenerations = rows
	all = append(all, alternative{set, "with the whole step as one group", "the trainer took the batch for a group", true})
	for _, n := range commonGroupSizes() {
		set.NumGenerations = n
		all = append(all, alternative{set, fmt.Sprintf(how, n), wrongKey, false})
	}
	return all
}

// otherRewards returns an alternative per reward component of the log.
func otherRewards(snap model.Snapshot, set model.Settings) []alternative {
	var all []alternative
	set.Weights = ""
	for _, name := range snap.Run.ComponentNames {
		if model.HoldsNames(name) {
			continue
		}
		set.Reward = name
		all = append(all, alternative{set, "with --reward " + sanitize.Line(name), "the advantages are those of this column", false})
	}
	return all
}
