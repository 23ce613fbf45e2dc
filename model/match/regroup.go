package match

import (
	"context"
	"fmt"

	"vantage/model"
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
}

// tryAlternatives tries other groups and other rewards on a step that the nearest
// candidate does not reproduce. It returns a clue for the first that an estimator matches.
func (r *Report) tryAlternatives(ctx context.Context, snap model.Snapshot, set model.Settings) ([]string, error) {
	if len(r.Others) == 0 || r.Others[0].FirstMismatch == nil {
		return nil, nil
	}
	at, _ := snap.Find(r.Others[0].FirstMismatch.Step)
	step := snap.Steps[at]
	if len(step.Rewards) > maxRegrouped {
		return nil, nil
	}
	all := alternatives(snap, set, len(step.Rewards))
	snap.Run.Positional = true // groups by position are only tried here
	for _, other := range all {
		grouping, err := snap.Grouping(other.set)
		if err != nil || grouping == r.Grouping && other.set.Reward == set.Reward && other.set.Weights == set.Weights {
			continue
		}
		grouped, err := groupSteps(snap, other.set, []int{at})
		if err != nil {
			continue
		}
		retry := &Report{Compared: countLogged(step.LoggedAdvantages)}
		if err := retry.tryAll(ctx, snap, grouped, 0); err != nil {
			return nil, err
		}
		if retry.HasMatch() {
			return []string{fmt.Sprintf("%s, %s reproduces step %d: %s", other.flags, retry.Matches[0].Candidate, step.Number, other.meaning)}, nil
		}
	}
	return nil, nil
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
		all = append(all, alternative{other, "with --group-by " + string(by), wrongKey})
	}
	set.GroupBy = model.GroupByPosition
	set.NumGenerations = rows
	all = append(all, alternative{set, "with the whole step as one group", "the trainer took the batch for a group"})
	for _, n := range commonGroupSizes() {
		set.NumGenerations = n
		all = append(all, alternative{set, fmt.Sprintf(how, n), wrongKey})
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
		all = append(all, alternative{set, "with --reward " + name, "the advantages are those of this column"})
	}
	return all
}
