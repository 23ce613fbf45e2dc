package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/choice"
	"vantage/model/match"
)

// Configure splits the arguments into paths and settings. It applies the settings of
// --config, then flags, then arguments algorithm.key=value and other keys of options; the last of
// several wins.
// Framework and estimator are applied before the rest, whatever their order.
func (p *Program) Configure(args []string) (paths []string, set model.Settings, err error) {
	if p.configPath != "" {
		r, err := parseFile("--config", p.configPath, maxConfig, "trainer's configuration", parseTrainerConfig)
		if err != nil {
			return nil, set, Usage(err)
		}
		p.ConfigSummary, p.configSettings = p.configPath+": "+r.Summary(), len(r.Settings())
		p.settings = append(r.Settings(), p.settings...)
	}
	paths, fromArgs, err := p.splitArguments(p.hidePasswords(args))
	if err != nil {
		return nil, set, err
	}
	p.noteSentPlain(paths)
	p.settings = append(p.settings, fromArgs...)
	set = model.DefaultSettings()
	ordered := slices.Clone(p.settings)
	slices.SortStableFunc(ordered, model.CompareRank)
	for _, o := range ordered {
		if set, err = set.Set(o.Name, o.Value); err != nil {
			return nil, set, Usage(err)
		}
	}
	set = p.selectColumns(set)
	if err := p.validate(set); err != nil {
		return nil, set, Usage(err)
	}
	if warns := set.TrainerWarning(); warns != "" && p.configPath != "" {
		p.ConfigSummary += "; " + set.Framework + " warns: " + warns
	}
	return paths, set, nil
}

func (p *Program) splitArguments(args []string) (paths []string, settings []model.Option, err error) {
	for _, arg := range args {
		key, value, found := strings.Cut(arg, "=")
		if !found {
			paths = append(paths, arg)
			continue
		}
		_, statErr := p.Disk.Stat(arg)
		isPath := !errors.Is(statErr, fs.ErrNotExist)
		_, setErr := model.DefaultSettings().Set("algorithm."+key, value)
		switch {
		case strings.HasPrefix(key, "algorithm."), model.IsOption(key) && !isPath:
			settings = append(settings, model.Option{Name: key, Value: value})
		case setErr == nil && !isPath:
			return nil, nil, Usage(fmt.Errorf("%s is not a path: as a setting write algorithm.%s", arg, arg))
		default:
			paths = append(paths, arg)
		}
	}
	return paths, settings, nil
}

func (p *Program) selectColumns(set model.Settings) model.Settings {
	if !slices.Contains(append(model.Groupings(), ""), set.GroupBy) {
		p.columns.Group, set.GroupBy = string(set.GroupBy), model.GroupByID
	}
	p.columns.Rewards = set.Weights.Names()
	if set.Reward != "" {
		p.columns.Rewards = append(p.columns.Rewards, set.Reward)
	}
	if filter, values, err := set.FindGroupFilter(); err == nil && filter != nil {
		p.columns.Rewards = append(p.columns.Rewards, filter.Columns(values)...)
	}
	if e, err := set.FindEstimator(); err == nil {
		for _, c := range (e.Needs.Columns | e.Needs.Optional).List() {
			p.columns.Inputs = append(p.columns.Inputs, c.Names()...)
		}
	}
	return set
}

// IsSet reports whether the command line or --config sets an option, by its trainer's name.
func (p *Program) IsSet(option string) bool { return p.given(option) != "" }

// given says where options are from, by their trainer's names: the last of those that the command line or --config sets;
// "" if neither sets any.
func (p *Program) given(options ...string) (from choice.Origin) {
	for i, o := range p.settings {
		s, _ := model.FindSetting(o.Name)
		switch {
		case !slices.Contains(options, s.Name):
		case i < p.configSettings:
			from = choice.FromConfig
		default:
			from = choice.FromFlag
		}
	}
	return from
}

// Given says which of framework, estimator and scale flags or --config set. A configuration
// decides all three: what it leaves out is the trainer's default.
func (p *Program) Given() choice.Given {
	given := choice.Given{Framework: p.given("framework"), Estimator: p.given("adv_estimator"), Scale: p.given("scale"), Rewards: p.given("reward")}
	isFramework := func(o model.Option) bool {
		s, _ := model.FindSetting(o.Name)
		return s.Name == "framework"
	}
	if slices.ContainsFunc(p.settings[:p.configSettings], isFramework) {
		given.Estimator, given.Scale = cmp.Or(given.Estimator, choice.FromConfig), cmp.Or(given.Scale, choice.FromConfig)
	}
	return given
}

// choose returns the settings to compute a log with, and who chose the columns of the reward and the
// estimator. It compares the logged advantages of all steps, so that the choice does not depend on the
// steps that a command shows.
func (p *Program) choose(ctx context.Context, snap model.Snapshot, set model.Settings) (model.Settings, choice.Choice, error) {
	set, rewards := choice.ChooseRewards(ctx, snap, set, p.Given())
	logged, err := match.Run(ctx, snap, set, match.DefaultLimit)
	if err != nil {
		logged = nil // nothing was logged, or the rows cannot be grouped, which the command itself says
	}
	set, chosen := choice.Choose(set, p.Given(), snap.Run.Framework, logged)
	chosen.Rewards = rewards
	if err := set.Validate(); err != nil {
		return set, chosen, Usage(err)
	}
	return set, chosen.WithGroups(snap, set, p.given("group_by", "num_generations")), ctx.Err()
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
	fits := func(e *estimators.Estimator) bool {
		if given.Estimator != "" && e.Name != set.Estimator || given.Scale != "" && !e.HasScale(set.Scale) {
			return false
		}
		other := set
		other.Framework, other.Estimator, other.Scale = e.Framework, e.Name, e.Scales[0]
		return other.Validate() == nil
	}
	if slices.ContainsFunc(estimators.All(), fits) {
		return nil
	}
	for _, e := range estimators.All() { // what the first one that has the options says of their values
		if set.Options.Of(e.Options) == set.Options {
			if _, err := e.With(set.Options); err != nil {
				return err
			}
		}
	}
	if names := estimatorNames(); given.Estimator != "" && !slices.Contains(names, set.Estimator) {
		return fmt.Errorf("no framework has an estimator %q%s: `vantage estimators` lists all", set.Estimator, orMeant(set.Estimator, names))
	}
	return set.Validate()
}
