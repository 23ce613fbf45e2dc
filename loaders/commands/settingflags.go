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

// setting is a flag that sets one of model.Settings, by name.
type setting struct{ flag, value, usage string }

// settingFlag notes a setting that was given on the command line.
type settingFlag struct {
	p          *Program
	name, kind string
}

func (f *settingFlag) String() string { return "" }
func (f *settingFlag) Type() string   { return f.kind }

// Set notes the value; whether it is valid can only be said of all together.
func (f *settingFlag) Set(value string) error {
	f.p.settings = append(f.p.settings, setting{flag: f.name, value: value})
	return nil
}

// Configure splits the arguments into paths and settings and returns the
// settings that all of them give: the trainer's configuration first, then flags, then
// key=value as trainers take them; of what is given twice the last counts. Framework
// and estimator come before the rest, whatever their order.
func (p *Program) Configure(args []string) (paths []string, set model.Settings, err error) {
	given, err := p.options()
	if err != nil {
		return nil, set, err
	}
	paths, typed, err := splitArguments(args)
	if err != nil {
		return nil, set, err
	}
	given = append(given, typed...)
	p.settings = given
	set = model.DefaultSettings()
	for _, names := range []string{" framework ", " estimator adv_estimator algorithm.adv_estimator ", ""} {
		for _, s := range given {
			first := strings.Contains(" framework estimator adv_estimator algorithm.adv_estimator ", " "+s.flag+" ")
			if names == "" && first || names != "" && !strings.Contains(names, " "+s.flag+" ") {
				continue
			}
			if set, err = set.Set(s.flag, s.value); err != nil {
				return nil, set, Usage(err)
			}
		}
	}
	set = p.selectColumns(set)
	if err := set.Validate(); err != nil {
		return nil, set, Usage(err)
	}
	if warns := set.TrainerWarns(); warns != "" && p.configPath != "" {
		p.ConfigSummary += "; " + set.Framework + " says: " + warns
	}
	return paths, set, nil
}

// splitArguments tells paths from settings.
func splitArguments(args []string) (paths []string, settings []setting, err error) {
	for _, arg := range args {
		key, value, found := strings.Cut(arg, "=")
		switch {
		case found && strings.HasPrefix(key, "algorithm."):
			settings = append(settings, setting{flag: key, value: value})
		case found && isSetting(key, value) && doesNotExist(arg):
			return nil, nil, Usage(fmt.Errorf("%s is no path: as a setting it is algorithm.%s", arg, arg))
		default:
			paths = append(paths, arg)
		}
	}
	return paths, settings, nil
}

// isSetting reports whether an argument would be a setting, were it written in full.
func isSetting(key, value string) bool {
	_, err := model.DefaultSettings().Set("algorithm."+key, value)
	return err == nil
}

// doesNotExist reports whether there is no such file.
func doesNotExist(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// options are the settings of --config, then those of flags.
func (p *Program) options() ([]setting, error) {
	if p.configPath == "" {
		return p.settings, nil
	}
	r, err := readTrainerConfig(p.configPath)
	if err != nil {
		return nil, err
	}
	p.ConfigSummary = p.configPath + ": " + r.Summary()
	var given []setting
	for _, o := range r.Settings() {
		given = append(given, setting{flag: o.Name, value: o.Value})
	}
	return append(given, p.settings...), nil
}

// selectColumns has the loader keep the columns that the settings name.
func (p *Program) selectColumns(set model.Settings) model.Settings {
	if !slices.Contains(append(model.Groupings(), ""), set.GroupBy) {
		p.columns.Group, set.GroupBy = string(set.GroupBy), model.GroupByID
	}
	p.columns.Rewards = set.Weights.Names()
	if set.Reward != "" {
		p.columns.Rewards = append(p.columns.Rewards, set.Reward)
	}
	return set
}

// EstimatorChosen reports whether the person said whose arithmetic they want.
func (p *Program) EstimatorChosen() bool {
	return p.IsSet("framework") || p.IsSet("adv_estimator") || p.IsSet("scale")
}

// IsSet reports whether the command line, or the configuration that it names, has a
// setting: by the name of the trainer's option.
func (p *Program) IsSet(option string) bool {
	return slices.ContainsFunc(p.settings, func(s setting) bool {
		name := strings.ReplaceAll(strings.TrimPrefix(s.flag, "algorithm."), "-", "_")
		return name == option || name == "estimator" && option == "adv_estimator"
	})
}

func (p *Program) pathsAndSettings(args []string) ([]string, model.Settings, error) {
	paths, set, err := p.Configure(args)
	if err == nil && len(paths) == 0 {
		err = Usage(errors.New("nothing to read: give a log file, a directory, or - for standard input"))
	}
	return paths, set, err
}
