package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
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
	values, err := s.Options.Values(f.Options)
	return f, values, err
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
	values, err := s.Options.Values(l.Options)
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

// checkStages returns the first error of the stages.
func (s Settings) checkStages() error {
	_, _, filter := s.FindGroupFilter()
	_, _, loss := s.FindLoss()
	return errors.Join(filter, loss)
}

// optionList returns the options of an estimator and of the stages that the settings name.
func (s Settings) optionList(e *estimators.Estimator) []estimators.Option {
	list := slices.Clone(e.Options)
	if f, _, err := s.FindGroupFilter(); err == nil && f != nil {
		list = append(list, f.Options...)
	}
	if l, _, err := s.FindLoss(); err == nil && l != nil {
		list = append(list, l.Options...)
	}
	return list
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
	for _, l := range lossweight.All() {
		if l.Key == key && l.Value == value && (l.Framework == s.Framework || key != "loss_type" && key != "loss_agg_mode") {
			s.Loss = l.Framework + "/" + l.Name
			return s
		}
	}
	s.Options = s.Options.With(key, value)
	return s
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
	for _, l := range lossweight.All() {
		if l.Key == key || slices.ContainsFunc(l.Options, has) {
			return true
		}
	}
	return false
}
