package commands

import (
	"context"
	"fmt"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/choice"
	"vantage/model/match"
)

// choose returns the settings to compute a log with, and who chose the columns of the reward and the
// estimator. It compares the logged advantages of all steps, so that the choice does not depend on the
// steps that a command shows.
func (p *Program) choose(ctx context.Context, snap model.Snapshot, set model.Settings) (model.Settings, choice.Choice, error) {
	set, rewards := choice.ChooseRewards(ctx, snap, set, p.Given())
	logged, err := match.Run(ctx, snap, set, match.DefaultLimit)
	if err != nil { // nothing was logged, or the rows cannot be grouped, which the command itself says
		logged = nil
	}
	set, chosen := choice.Choose(set, p.Given(), snap.Run.Framework, logged)
	chosen.Rewards = rewards
	if err := set.Validate(); err != nil {
		return set, chosen, Usage(err)
	}
	return set, chosen.WithGroups(snap, set, p.groupsGiven()), ctx.Err()
}

// groupsGiven says whether flags or --config say how rows are grouped, "" if neither.
func (p *Program) groupsGiven() choice.Origin {
	var given choice.Origin
	for i, o := range p.settings {
		switch name := optionName(o); {
		case name != "group_by" && name != "num_generations":
		case i < p.configSettings:
			given = choice.FromConfig
		default:
			given = choice.FromFlag
		}
	}
	return given
}

// Given says which of framework, estimator and scale flags or --config set. A configuration
// decides all three: what it leaves out is the trainer's default.
func (p *Program) Given() choice.Given {
	given := choice.Given{}
	for i, o := range p.settings {
		origin := choice.FromFlag
		if i < p.configSettings {
			origin = choice.FromConfig
		}
		switch optionName(o) {
		case "framework":
			given.Framework = origin
			if origin == choice.FromConfig {
				given = choice.Given{Framework: origin, Estimator: origin, Scale: origin, Rewards: given.Rewards}
			}
		case "adv_estimator":
			given.Estimator = origin
		case "scale":
			given.Scale = origin
		case "reward", "weights":
			given.Rewards = origin
		}
	}
	return given
}

// validate refuses settings as far as that needs no log: without a framework, estimator, scale and
// options have to be those of some framework.
func (p *Program) validate(set model.Settings) error {
	given := p.Given()
	if given.Framework != "" || !given.HasEstimator() && set.Options == "" {
		return set.Validate()
	}
	for key := range set.Options.All() {
		if !estimators.HasOption(key) {
			return fmt.Errorf("no estimator has an option %s: `vantage estimators FRAMEWORK NAME` lists those of one", key)
		}
	}
	for _, e := range estimators.All() {
		if (given.Estimator == "" || e.Name == set.Estimator) && (given.Scale == "" || e.HasScale(set.Scale)) {
			other := set
			other.Framework, other.Estimator, other.Scale = e.Framework, e.Name, e.Scales[0]
			if other.Validate() == nil {
				return nil
			}
		}
	}
	if err := anyRefusal(set.Options); err != nil {
		return err
	}
	if names := estimatorNames(); given.Estimator != "" && !slices.Contains(names, set.Estimator) {
		return fmt.Errorf("no framework has an estimator %q%s: `vantage estimators` lists all", set.Estimator, orMeant(set.Estimator, names))
	}
	return set.Validate()
}

// anyRefusal returns what the first estimator that has the options says of their values.
func anyRefusal(options estimators.Options) error {
	for _, e := range estimators.All() {
		if options.Of(e.Options) != options {
			continue
		}
		if _, err := e.With(options); err != nil {
			return err
		}
	}
	return nil
}
