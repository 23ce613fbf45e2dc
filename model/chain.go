package model

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	"vantage/estimators/offpolicy"
	"vantage/estimators/overlong"
)

// stage is a stage of a trainer's chain beside estimator and keep ratios. Settings name an entry of it FRAMEWORK/NAME, or
// by the framework alone for its default.
type stage struct {
	name   string
	about  Subject
	doc    string                                     // of the flag
	choice func(*Settings) *string                    // "" for none
	check  func(Settings) error                       // what is wrong with the choice or its options
	all    func() []*estimators.Entry                 // of all frameworks
	isKey  func(e *estimators.Entry, key string) bool // whether some value of a trainer's key turns the entry on
	inAll  bool                                       // a trainer's configuration has keys of entries that are not chosen, too
}

func stages() []stage {
	return []stage{
		{
			name: "overlong", about: AboutSamples,
			doc:    "add this penalty for long responses to the rewards; see `vantage list overlong`",
			choice: func(s *Settings) *string { return &s.Overlong },
			check:  func(s Settings) error { _, _, err := s.FindOverlong(); return err },
			all:    entries(overlong.All),
			isKey:  func(e *estimators.Entry, key string) bool { return e.Value == "true" && e.Key == key },
		}, {
			name: "group_filter", about: AboutSamples,
			doc:    "train on the groups that this rule admits (dynamic sampling); see `vantage list filters`",
			choice: func(s *Settings) *string { return &s.GroupFilter },
			check:  func(s Settings) error { _, _, err := s.FindGroupFilter(); return err },
			all:    entries(groupfilter.All),
			isKey:  func(e *estimators.Entry, key string) bool { return (&groupfilter.Filter{Entry: *e}).EnabledBy(key) },
			inAll:  true,
		}, {
			name: "off_policy", about: AboutPolicy,
			doc:    "apply this off-policy rule to the log-probs of the samples; see `vantage list off-policy-rules`",
			choice: func(s *Settings) *string { return &s.OffPolicy },
			check:  func(s Settings) error { _, _, err := s.FindOffPolicy(); return err },
			all:    entries(offpolicy.All),
			isKey:  func(*estimators.Entry, string) bool { return false }, // which keys name a rule, package trainer knows
		}, {
			name: "loss", about: AboutLoss,
			doc:    "weigh samples by their length as this loss does; see `vantage list losses`",
			choice: func(s *Settings) *string { return &s.Loss },
			check:  func(s Settings) error { _, _, err := s.FindLoss(); return err },
			all:    entries(lossweight.All),
			isKey:  func(e *estimators.Entry, key string) bool { return e.Key == key },
			inAll:  true,
		},
	}
}

func entries[T estimators.Described](all func() []T) func() []*estimators.Entry {
	return func() []*estimators.Entry { return Mapped(all(), T.About) }
}

// StagesOf returns what a key of a framework's configuration turns on, Key=Value, with the name of the setting that says so.
func StagesOf(framework string) iter.Seq2[string, *estimators.Entry] {
	return func(yield func(setting string, e *estimators.Entry) bool) {
		for _, t := range stages() {
			for _, e := range t.all() {
				if e.Framework == framework && t.isKey(e, e.Key) && e.NotComputable == "" && !yield(t.name, e) {
					return
				}
			}
		}
	}
}

// chosen returns the entry that the settings name, nil if they name none or one that does not exist.
func (t stage) chosen(s Settings) *estimators.Entry {
	if *t.choice(&s) == "" { // mostly: a sweep validates some hundred settings
		return nil
	}
	framework, name, _ := strings.Cut(*t.choice(&s), "/")
	for _, e := range t.all() {
		if e.Framework == framework && (e.Name == name || name == "" && e.Default) {
			return e
		}
	}
	return nil
}

// Stages are the names of what the settings name of the stages beside estimator and keep ratios, in the order of the chain.
func (s Settings) Stages() (names []string) {
	for _, stage := range stages() {
		if name := *stage.choice(&s); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Stage returns what the settings name of the stage that a setting is about, nil if they name nothing that could be used.
func (s Settings) Stage(setting string) *estimators.Entry {
	for _, stage := range stages() {
		if stage.name == setting && stage.check(s) == nil {
			return stage.chosen(s)
		}
	}
	return nil
}

// WithoutStage returns the settings without what they name of the stage that a setting is about, and without the options that no other
// stage has.
func (s Settings) WithoutStage(setting string) Settings {
	for _, stage := range stages() {
		if choice := stage.choice(&s); stage.name == setting && *choice != "" {
			*choice = ""
			others, _ := s.stageOptions()
			s.StageOptions = s.StageOptions.Of(others)
		}
	}
	return s
}

// FindOverlong returns the penalty for long responses that the settings name, nil if they name none, and
// the values of its options.
func (s Settings) FindOverlong() (*overlong.Shaping, estimators.Values, error) {
	return findStage(s.Overlong, overlong.Find, func(*overlong.Shaping) estimators.Options { return s.StageOptions })
}

// FindGroupFilter returns the group filter that the settings name, nil if they name none, and the
// values of its options.
func (s Settings) FindGroupFilter() (*groupfilter.Filter, estimators.Values, error) {
	return findStage(s.GroupFilter, groupfilter.Find, s.filterOptions)
}

// FindOffPolicy returns the off-policy rule that the settings name, nil if they name none, and the values of its options. The error is one
// sentence: also what the trainer itself says of the values.
func (s Settings) FindOffPolicy() (*offpolicy.Rule, estimators.Values, error) {
	rule, values, err := findStage(s.OffPolicy, offpolicy.Find, func(*offpolicy.Rule) estimators.Options { return s.StageOptions })
	if err == nil && rule != nil {
		err = rule.Check(values)
	}
	return rule, values, trainerError(err)
}

// FindLoss returns the loss that the settings name, nil if they name none, and the values of its options.
func (s Settings) FindLoss() (*lossweight.Loss, estimators.Values, error) {
	return findStage(s.Loss, lossweight.Find, func(*lossweight.Loss) estimators.Options { return s.StageOptions })
}

func findStage[T estimators.Described](
	choice string, find func(framework, name string) (T, error), given func(T) estimators.Options,
) (none T, _ estimators.Values, _ error) {
	if choice == "" {
		return none, estimators.Values{}, nil
	}
	framework, name, _ := strings.Cut(choice, "/")
	found, err := find(framework, name)
	if err != nil {
		return none, estimators.Values{}, err
	}
	values, err := given(found).Values(found.About().Options)
	return found, values, err
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

func (s Settings) stageOptions() (list []estimators.Option, err error) {
	for _, stage := range stages() {
		chosen := stage.chosen(s)
		if err = errors.Join(err, stage.check(s)); chosen == nil {
			continue
		}
		options := chosen.Options
		for _, e := range stage.all() {
			if stage.inAll && e.Framework == chosen.Framework {
				options = append(slices.Clip(options), e.Options...)
			}
		}
		for _, o := range options {
			if !slices.ContainsFunc(list, func(known estimators.Option) bool { return known.Key == o.Key }) {
				list = append(list, o)
			}
		}
	}
	return list, err
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
	names := s.Stages()
	if s.StageOptions != "" && len(names) == 0 {
		return s, fmt.Errorf("%s is an option of a length penalty, a group filter, an off-policy rule or a loss: name it by --overlong, "+
			"--group-filter, --off-policy or --loss", s.StageOptions)
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
	ofEstimator := false
	if e, err := estimators.Find(s.Framework, s.Estimator); err == nil {
		_, ofEstimator = estimators.FindOption(e.Options, key)
	}
	if !ofStage || ofEstimator {
		s.Options = s.Options.With(key, value)
	}
	return s
}

func isStageOption(key string) bool {
	return slices.ContainsFunc(stages(), func(s stage) bool {
		return slices.ContainsFunc(s.all(), func(e *estimators.Entry) bool {
			_, found := estimators.FindOption(e.Options, key)
			return found
		})
	})
}

// lossOf returns the loss that key=value selects in a trainer, that of the framework if several trainers
// have the key; nil if there is none.
func lossOf(framework, key, value string) (found *lossweight.Loss) {
	for _, l := range lossweight.All() {
		isKey := l.Key == key || strings.Contains(key, "loss") && strings.HasSuffix(l.Key, "."+key)
		isBetter := found == nil || l.Framework == framework
		if isKey && strings.EqualFold(l.Value, value) && isBetter {
			found = l
		}
	}
	return found
}

// IsOption reports whether an estimator or a stage has an option of exactly this name.
func IsOption(key string) bool {
	return estimators.IsOption(key) || slices.ContainsFunc(stages(), func(s stage) bool {
		return slices.ContainsFunc(s.all(), func(e *estimators.Entry) bool {
			return s.isKey(e, key) || slices.ContainsFunc(e.Options, func(o estimators.Option) bool { return o.Key == key })
		})
	})
}
