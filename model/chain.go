package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	"vantage/estimators/overlong"
)

// The stages of a trainer's chain beside estimator and keep ratios, each named FRAMEWORK/NAME.

// FindGroupFilter returns the group filter that the settings name, nil if they name none, and the
// values of its options.
func (s Settings) FindGroupFilter() (*groupfilter.Filter, estimators.Values, error) {
	if s.GroupFilter == "" {
		return nil, estimators.Values{}, nil
	}
	framework, name, err := cutStage("group filter", s.GroupFilter)
	if err != nil {
		return nil, estimators.Values{}, err
	}
	f, err := groupfilter.Find(framework, name)
	if err != nil {
		return nil, estimators.Values{}, err
	}
	values, err := s.StageOptions.Values(f.Options)
	return f, values, err
}

// FindOverlong returns the penalty for long responses that the settings name, nil if they name none, and
// the values of its options.
func (s Settings) FindOverlong() (*overlong.Shaping, estimators.Values, error) {
	if s.Overlong == "" {
		return nil, estimators.Values{}, nil
	}
	framework, name, err := cutStage("length penalty", s.Overlong)
	if err != nil {
		return nil, estimators.Values{}, err
	}
	shaping, err := overlong.Find(framework, name)
	if err != nil {
		return nil, estimators.Values{}, err
	}
	values, err := s.StageOptions.Values(shaping.Options)
	return shaping, values, err
}

// FindLoss returns the loss that the settings name, nil if they name none, and the values of its options.
func (s Settings) FindLoss() (*lossweight.Loss, estimators.Values, error) {
	if s.Loss == "" {
		return nil, estimators.Values{}, nil
	}
	framework, name, err := cutStage("loss", s.Loss)
	if err != nil {
		return nil, estimators.Values{}, err
	}
	l, err := lossweight.Find(framework, name)
	if err != nil {
		return nil, estimators.Values{}, err
	}
	values, err := s.StageOptions.Values(l.Options)
	return l, values, err
}

// cutStage splits FRAMEWORK/NAME.
func cutStage(what, text string) (framework, name string, err error) {
	framework, name, found := strings.Cut(text, "/")
	if !found {
		return "", "", fmt.Errorf("the %s must be FRAMEWORK/NAME, as in verl/filter_groups or trl/dapo, got %q", what, text)
	}
	return framework, name, nil
}

// stageOptions returns the options of the stages that the settings name.
func (s Settings) stageOptions() (list []estimators.Option, err error) {
	shaping, _, shapingErr := s.FindOverlong()
	if shaping != nil {
		list = append(list, shaping.Options...)
	}
	filter, _, filterErr := s.FindGroupFilter()
	if filter != nil {
		list = append(list, filter.Options...)
	}
	loss, _, lossErr := s.FindLoss()
	if loss != nil {
		list = append(list, loss.Options...)
	}
	return list, errors.Join(shapingErr, filterErr, lossErr)
}

// KnownOptions returns the options of the estimator and of the stages that the settings name.
func (s Settings) KnownOptions() []estimators.Option {
	var list []estimators.Option
	if e, err := estimators.Find(s.Framework, s.Estimator); err == nil {
		list = slices.Clone(e.Options)
	}
	stages, _ := s.stageOptions()
	return append(list, stages...)
}

// withResolvedStages returns the settings with StageOptions as their trainers write them, without those
// at their default. It refuses stages that do not exist, and options that none of those that are named
// has.
func (s Settings) withResolvedStages() (Settings, error) {
	list, err := s.stageOptions()
	if err != nil {
		return s, err
	}
	names := slices.DeleteFunc([]string{s.Overlong, s.GroupFilter, s.Loss}, func(name string) bool { return name == "" })
	if s.StageOptions != "" && len(names) == 0 {
		return s, fmt.Errorf("%s is an option of a length penalty, a group filter or a loss: name it by --overlong, --group-filter or --loss", s.StageOptions)
	}
	s.StageOptions, err = s.StageOptions.Resolve(strings.Join(names, " and "), list)
	return s, err
}

// withKnownStageOptions drops the options that none of the stages has.
func (s Settings) withKnownStageOptions() Settings {
	if list, err := s.stageOptions(); err == nil {
		s.StageOptions = s.StageOptions.Of(list)
	}
	return s
}

// withOption returns the settings with an option of the trainer: what turns a stage on or off, or a
// value that a stage or the estimator reads.
func (s Settings) withOption(key, value string) Settings {
	for _, f := range groupfilter.All() {
		if on, isSwitch := switchedBy(f.Enable, key, value); isSwitch {
			if on {
				s.GroupFilter = f.Framework + "/" + f.Name
			} else if framework, _, _ := strings.Cut(s.GroupFilter, "/"); framework == f.Framework {
				s.GroupFilter = ""
			}
			return s
		}
	}
	for _, shaping := range overlong.All() {
		if shaping.Value == "true" && shaping.Key == key {
			s.Overlong = ""
			if strings.EqualFold(value, "true") {
				s.Overlong = shaping.Framework + "/" + shaping.Name
			}
			return s
		}
	}
	if l := lossOf(s.Framework, key, value); l != nil {
		s.Loss = l.Framework + "/" + l.Name
		return s
	}
	if isStageOption(key) && !estimators.HasOption(key) {
		s.StageOptions = s.StageOptions.With(key, value)
	} else {
		s.Options = s.Options.With(key, value)
	}
	return s
}

// isStageOption reports whether a stage has an option that the key means.
func isStageOption(key string) bool {
	has := func(list []estimators.Option) bool {
		_, found := estimators.FindOption(list, key)
		return found
	}
	return slices.ContainsFunc(overlong.All(), func(s *overlong.Shaping) bool { return has(s.Options) }) ||
		slices.ContainsFunc(groupfilter.All(), func(f *groupfilter.Filter) bool { return has(f.Options) }) ||
		slices.ContainsFunc(lossweight.All(), func(l *lossweight.Loss) bool { return has(l.Options) })
}

// lossOf returns the loss that key=value selects in a trainer, that of the framework if several trainers
// have the key; nil if there is none.
func lossOf(framework, key, value string) (found *lossweight.Loss) {
	for _, l := range lossweight.All() {
		if l.Key == key && l.Value == value && (found == nil || l.Framework == framework) {
			found = l
		}
	}
	return found
}

// switchedBy reports whether key=value turns on what enable, as in "algorithm.filter_groups.enable=true",
// does; isSwitch is false if it is another key.
func switchedBy(enable, key, value string) (on, isSwitch bool) {
	name, word, found := strings.Cut(enable, "=")
	if !found || name != key {
		return false, false
	}
	return strings.EqualFold(word, value), true
}

// IsOption reports whether an estimator or a stage has an option of exactly this name.
func IsOption(key string) bool {
	if estimators.IsOption(key) {
		return true
	}
	has := func(o estimators.Option) bool { return o.Key == key }
	for _, f := range groupfilter.All() {
		if name, _, found := strings.Cut(f.Enable, "="); found && name == key || slices.ContainsFunc(f.Options, has) {
			return true
		}
	}
	for _, s := range overlong.All() {
		if s.Value == "true" && s.Key == key || slices.ContainsFunc(s.Options, has) {
			return true
		}
	}
	for _, l := range lossweight.All() {
		if l.Key == key || slices.ContainsFunc(l.Options, has) {
			return true
		}
	}
	return false
}
