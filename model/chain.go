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

// The stages of a trainer's chain beside estimator and keep ratios, each named FRAMEWORK/NAME, or by the
// framework alone for its default.

// FindGroupFilter returns the group filter that the settings name, nil if they name none, and the
// values of its options.
func (s Settings) FindGroupFilter() (*groupfilter.Filter, estimators.Values, error) {
	if s.GroupFilter == "" {
		return nil, estimators.Values{}, nil
	}
	framework, name, _ := strings.Cut(s.GroupFilter, "/")
	f, err := groupfilter.Find(framework, name)
	if err != nil {
		return nil, estimators.Values{}, err
	}
	values, err := s.filterOptions(f).Values(f.Options)
	return f, values, err
}

// filterOptions are the options of a group filter: one that asks for the estimator takes that of the
// settings, if it is of the same framework and not given.
func (s Settings) filterOptions(f *groupfilter.Filter) estimators.Options {
	for _, o := range f.Options {
		given := s.StageOptions.Of([]estimators.Option{o}) != ""
		if given || s.Framework != f.Framework || !strings.HasSuffix(o.Key, ".adv_estimator") {
			continue
		}
		named := s.StageOptions.With(o.Key, s.Estimator)
		if _, err := named.Values(f.Options); err == nil {
			return named
		}
	}
	return s.StageOptions
}

// FindOverlong returns the penalty for long responses that the settings name, nil if they name none, and
// the values of its options.
func (s Settings) FindOverlong() (*overlong.Shaping, estimators.Values, error) {
	if s.Overlong == "" {
		return nil, estimators.Values{}, nil
	}
	framework, name, _ := strings.Cut(s.Overlong, "/")
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
	framework, name, _ := strings.Cut(s.Loss, "/")
	l, err := lossweight.Find(framework, name)
	if err != nil {
		return nil, estimators.Values{}, err
	}
	values, err := s.StageOptions.Values(l.Options)
	return l, values, err
}

// withFullStageNames names the default of a framework where only the framework is named. Names that do
// not exist stay, for Validate to refuse.
func (s Settings) withFullStageNames() Settings {
	if shaping, _, err := s.FindOverlong(); err == nil && shaping != nil {
		s.Overlong = shaping.Framework + "/" + shaping.Name
	}
	if filter, _, err := s.FindGroupFilter(); err == nil && filter != nil {
		s.GroupFilter = filter.Framework + "/" + filter.Name
	}
	if loss, _, err := s.FindLoss(); err == nil && loss != nil {
		s.Loss = loss.Framework + "/" + loss.Name
	}
	return s
}

// stageOptions returns the options of the frameworks of the stages that the settings name: a trainer's
// configuration has keys of stages that are not chosen, too.
func (s Settings) stageOptions() (list []estimators.Option, err error) {
	add := func(options []estimators.Option) {
		for _, o := range options {
			if !slices.ContainsFunc(list, func(known estimators.Option) bool { return known.Key == o.Key }) {
				list = append(list, o)
			}
		}
	}
	shaping, _, shapingErr := s.FindOverlong()
	if shaping != nil {
		add(shaping.Options)
	}
	filter, _, filterErr := s.FindGroupFilter()
	if filter != nil {
		add(filter.Options)
		for _, f := range groupfilter.All() {
			if f.Framework == filter.Framework {
				add(f.Options)
			}
		}
	}
	loss, _, lossErr := s.FindLoss()
	if loss != nil {
		add(loss.Options)
		for _, l := range lossweight.All() {
			if l.Framework == loss.Framework {
				add(l.Options)
			}
		}
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

// withOption returns the settings with an option of the trainer: what turns a stage on or off, or a
// value that a stage or the estimator reads.
func (s Settings) withOption(key, value string) Settings {
	if f, isSwitch := groupfilter.Enabled(key, value); isSwitch {
		switch now, _, _ := s.FindGroupFilter(); {
		case f != nil:
			s.GroupFilter = f.Framework + "/" + f.Name
		case now != nil && now.EnabledBy(key):
			s.GroupFilter = ""
		}
		return s
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
	stages, _ := s.stageOptions()
	_, ofStage := estimators.FindOption(stages, key)
	ofStage = ofStage || isStageOption(key) && !estimators.HasOption(key)
	if ofStage {
		s.StageOptions = s.StageOptions.With(key, value)
	}
	if !ofStage || s.estimatorHas(key) {
		s.Options = s.Options.With(key, value)
	}
	return s
}

// estimatorHas reports whether the estimator of the settings has an option that the key means.
func (s Settings) estimatorHas(key string) bool {
	e, err := estimators.Find(s.Framework, s.Estimator)
	if err != nil {
		return false
	}
	_, found := estimators.FindOption(e.Options, key)
	return found
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
		if (l.Key == key || strings.Contains(key, "loss") && strings.HasSuffix(l.Key, "."+key)) && strings.EqualFold(l.Value, value) && (found == nil || l.Framework == framework) {
			found = l
		}
	}
	return found
}

// IsOption reports whether an estimator or a stage has an option of exactly this name.
func IsOption(key string) bool {
	if estimators.IsOption(key) {
		return true
	}
	has := func(o estimators.Option) bool { return o.Key == key }
	for _, f := range groupfilter.All() {
		if f.EnabledBy(key) || slices.ContainsFunc(f.Options, has) {
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
