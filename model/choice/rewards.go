package choice

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/rewardcolumns"
	"vantage/model/units"
)

// FromState is the origin of what the trainer's own record names: trainer_state.json.
const FromState Origin = "trainer's record"

// Rewards says which columns of a log make up the reward, and who says so. The zero value is a log with
// one reward per sample, where there is nothing to choose.
type Rewards struct {
	Origin     Origin
	From       string        // the file that names the columns, if Origin is FromState
	Formula    string        // "accuracy + 0.3·format"
	Weights    model.Weights // "" for one column, or the sum of all
	Column     string        // "" for a sum
	NotCounted []string      // numeric columns of the log that are not part of it
	Agreeing   int           // logged advantages that the columns reproduce
	Compared   int           // 0 if none were compared
	OnlyRatio  bool          // the logged advantages tell the weights but for a factor
	Undecided  []string      // columns of which no advantage tells whether they count
	Absent     string        // what --config names, but the log lacks
}

// ChooseRewards returns set with the columns that make up the reward, in a log that has a column for
// each reward function and no total. In this order: what flags and --config say, what the trainer's
// record names, what reproduces the logged advantages, and else the sum of all columns, which is
// assumed. The weights of functions that the record names come from the logged advantages, or are 1.
func ChooseRewards(ctx context.Context, snap model.Snapshot, set model.Settings, given Given) (model.Settings, Rewards) {
	columns := snap.Run.SummedColumns()
	r := Rewards{Origin: Assumed}
	if given.Rewards == FromConfig && snap.Run.CheckReward(set) != nil {
		r.Absent = set.Reward + set.Weights.Formula(nil) // named otherwise in the log
		set.Reward, set.Weights = "", ""
	}
	if set.Reward != "" || set.Weights != "" {
		origin := given.Rewards
		if origin == "" {
			origin = FromScreen
		}
		return set, DescribeRewards(snap, set, Rewards{Origin: origin})
	}
	if len(columns) < 2 && r.Absent == "" {
		return set, Rewards{}
	}
	if len(columns) < 2 {
		return set, DescribeRewards(snap, set, r)
	}
	named := slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return !slices.Contains(snap.Run.RewardNames, name) })
	if slices.ContainsFunc(columns, func(name string) bool { return strings.Contains(name, ",") || strings.TrimSpace(name) != name }) {
		return set, DescribeRewards(snap, set, r) // weights could not be written with such names
	}
	candidates := named
	if len(named) == 0 {
		candidates = columns
	}
	var found rewardcolumns.Found
	ok := false
	for _, trainer := range advantagesFrom(snap, set, given) {
		if found, ok = rewardcolumns.Find(ctx, snap, set, trainer, candidates, len(named) > 0); ok {
			break
		}
	}
	switch {
	case len(named) > 0:
		r.Origin, r.From = FromState, snap.Run.RewardNamesFrom
		set.Weights = model.NewWeights(strings.Join(named, ",")) // 1 each
	case ok:
		r.Origin = FromAdvantages
	}
	if ok {
		set.Weights = found.Weights
		r.Agreeing, r.Compared, r.OnlyRatio, r.Undecided = found.Agreeing, found.Compared, found.OnlyRatio, found.Undecided
	}
	return set, DescribeRewards(snap, set, r)
}

// advantagesFrom returns the trainers whose arithmetic may have given the logged advantages: that of the log,
// whatever other arithmetic a person asks for, then the one that is asked for.
func advantagesFrom(snap model.Snapshot, set model.Settings, given Given) []string {
	logged := snap.Run.Framework
	switch {
	case logged == "":
		return []string{set.Framework}
	case given.Framework != "" && set.Framework != logged:
		return []string{logged, set.Framework}
	}
	return []string{logged}
}

// DescribeRewards returns r with the columns that the settings take for the reward.
func DescribeRewards(snap model.Snapshot, set model.Settings, r Rewards) Rewards {
	columns := snap.Run.SummedColumns()
	r.Weights, r.Column, r.NotCounted = set.Weights, set.Reward, nil
	counted := set.Weights.Names()
	switch {
	case set.Reward != "":
		r.Formula, counted = set.Reward, []string{set.Reward}
	case set.Weights != "":
		r.Formula = set.Weights.Formula(snap.Run.ComponentNames)
	case len(columns) == 0:
		r.Formula = "the log's own reward"
	default:
		r.Formula, counted = strings.Join(columns, " + "), columns
	}
	for _, name := range columns {
		if !slices.Contains(counted, name) {
			r.NotCounted = append(r.NotCounted, name)
		}
	}
	return r
}

// IsChoice reports whether there was something to choose.
func (r Rewards) IsChoice() bool { return r.Origin != "" }

// String returns "accuracy + 0.3·format (960/960 logged advantages prove it); not counted: tokens;
// --reward NAME=WEIGHT,… changes it".
func (r Rewards) String() string {
	if !r.IsChoice() {
		return ""
	}
	text := r.Formula + " (" + r.Evidence() + ")"
	if len(r.NotCounted) > 0 {
		text += "; not counted: " + strings.Join(r.NotCounted, ", ")
	}
	if r.Absent != "" {
		text += "; --config names " + r.Absent + ", which the log lacks"
	}
	if r.Origin != FromFlag && r.Origin != FromConfig {
		text += "; --reward NAME=WEIGHT,… changes it"
	}
	return text
}

// Evidence says why these columns are the reward, and what of it is not known.
func (r Rewards) Evidence() string {
	var text string
	switch {
	case r.Origin == FromAdvantages:
		text = fmt.Sprintf("%s logged advantages prove it", units.Fraction(r.Agreeing, r.Compared))
	case r.Origin == FromState && r.Compared > 0:
		text = fmt.Sprintf("named in %s; %s logged advantages prove the weights", r.From, units.Fraction(r.Agreeing, r.Compared))
	case r.Origin == FromState:
		return "named in " + r.From + "; that each weighs 1 is assumed, since no logged advantages tell"
	case r.Origin == Assumed && r.Absent != "":
		return "assumed"
	case r.Origin == Assumed:
		return "assumed: all numeric columns, since nothing says which are rewards"
	default:
		return r.Origin.phrase()
	}
	if r.OnlyRatio {
		text += ", but for a common factor"
	}
	if len(r.Undecided) > 0 {
		text += ", but say nothing of " + strings.Join(r.Undecided, ", ") + ", equal within every group"
	}
	return text
}
