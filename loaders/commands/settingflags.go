package commands

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"vantage/model"
)

// Configure splits the arguments into paths and settings. It applies the settings of
// --config, then flags, then arguments algorithm.key=value and other keys of options; the last of
// several wins.
// Framework and estimator are applied before the rest, whatever their order.
func (p *Program) Configure(args []string) (paths []string, set model.Settings, err error) {
	options, err := p.options()
	if err != nil {
		return nil, set, err
	}
	paths, fromArgs, err := splitArguments(p.hidePasswords(args))
	if err != nil {
		return nil, set, err
	}
	p.noteSentPlain(paths)
	p.settings = append(options, fromArgs...)
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
		p.ConfigSummary += "; " + set.Framework + " says: " + warns
	}
	return paths, set, nil
}

// splitArguments separates paths from settings.
func splitArguments(args []string) (paths []string, settings []model.Option, err error) {
	for _, arg := range args {
		key, value, found := strings.Cut(arg, "=")
		if !found {
			paths = append(paths, arg)
			continue
		}
		_, statErr := os.Stat(arg)
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

// options returns the settings of --config, then those of flags.
func (p *Program) options() ([]model.Option, error) {
	if p.configPath == "" {
		return p.settings, nil
	}
	r, err := parseFile("--config", p.configPath, maxConfig, "trainer's configuration", parseTrainerConfig)
	if err != nil {
		return nil, Usage(err)
	}
	p.ConfigSummary = p.configPath + ": " + r.Summary()
	p.configSettings = len(r.Settings())
	return append(r.Settings(), p.settings...), nil
}

// selectColumns has the loader read the columns that the settings name.
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
func (p *Program) IsSet(option string) bool {
	return slices.ContainsFunc(p.settings, func(o model.Option) bool { return optionName(o) == option })
}

// optionName returns the trainer's name of an option, "" if it is none of the settings.
func optionName(o model.Option) string {
	s, _ := model.FindSetting(o.Name)
	return s.Name
}

func (p *Program) pathsAndSettings(args []string) ([]string, model.Settings, error) {
	paths, set, err := p.Configure(args)
	if err == nil && len(paths) == 0 {
		err = Usage(errors.New("nothing to read: give a log file, a directory, or - for standard input"))
	}
	return paths, set, err
}
