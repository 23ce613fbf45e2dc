package model

import (
	"errors"
	"fmt"
	"strings"

	"vantage/estimators"
)

// Settings are all choices that change a number. They are comparable: equal settings of an equal
// step give equal results.
type Settings struct {
	Framework string // whose arithmetic
	Estimator string // as the framework's option spells it
	Scale     estimators.Scale
	Options   estimators.Options // of the estimator, by the trainer's keys; see Resolved

	KeepPos   float64 // keep_pos_ratio: share of each group's positive samples that is kept, best first
	KeepNeg   float64 // keep_neg_ratio: share of each group's negative samples that is kept, worst first
	Recompute bool    // compute_new_adv: recompute the advantages of the kept samples

	Overlong    string // penalty for long responses that is added to the rewards: "verl/dapo", "" for none
	GroupFilter string // rule for which groups are trained on: "verl/filter_groups", "" for none
	Loss        string // how the loss weighs the samples: "trl/dapo", "" if that is not asked for

	StageOptions estimators.Options // of these three, by their trainers' keys

	KLInReward bool // the trainer subtracts a KL penalty from the rewards: it changes no number here, since no log holds it, but raises WarnKLInReward

	Reward  string  // reward column, "" for the log's own reward
	Weights Weights // of reward columns whose sum is the reward, "" for no sum

	SolvedAt SolvedAt // reward from which a sample is solved, "" for RewardScale's rule

	GroupBy        GroupBy
	NumGenerations int          // rows per group, where the order of rows tells which belong together; 0 if not given
	Proved         ProvedGroups // by the logged advantages; it wins, since it is only looked for where the two above leave it open or ask for it
}

// DefaultSettings are those of a trainer without configuration: the first estimator of the list,
// no filter.
func DefaultSettings() Settings {
	first := estimators.All()[0]
	return Settings{
		Framework: first.Framework, Estimator: first.Name, Scale: first.Scales[0],
		KeepPos: 1, KeepNeg: 1, GroupBy: GroupAutomatic,
	}
}

// Filtering reports whether some ratio is below 1, or NaN, which Validate refuses.
func (s Settings) Filtering() bool { return !(s.KeepPos >= 1 && s.KeepNeg >= 1) }

// FindEstimator returns the estimator that the settings name, with its options.
func (s Settings) FindEstimator() (*estimators.Estimator, error) {
	e, err := estimators.Find(s.Framework, s.Estimator)
	if err != nil {
		return nil, err
	}
	return e.With(s.Options)
}

// Resolved returns the settings with the options as their trainer writes them, without those at their
// default, and with the scale or the entry that an option names here. The error is one sentence: a key
// that nothing at work has, or a value that its option does not take.
func (s Settings) Resolved() (Settings, error) {
	s, err := s.withResolvedStages()
	if err != nil {
		return s, err
	}
	for s.Options != "" {
		e, err := estimators.Find(s.Framework, s.Estimator)
		if err != nil {
			return s, err
		}
		given, err := s.Options.Resolve(e.Framework+" "+e.Name, e.Options)
		if err != nil {
			return s, err
		}
		rest, selected, found := given.Select(e.Options)
		s.Options = rest
		if !found {
			break
		}
		if selected.Estimator != "" {
			s.Estimator = selected.Estimator
			s = s.withKnownScale()
		}
		if selected.Scale != "" {
			s.Scale = selected.Scale
		}
	}
	return s, nil
}

// Effective are the settings as computed: without a filter if the estimator cannot be filtered. The
// settings themselves keep the ratios, for the next estimator.
func (s Settings) Effective() Settings {
	if e, err := s.FindEstimator(); err == nil && !e.CanFilter {
		s.KeepPos, s.KeepNeg, s.Recompute = 1, 1, false
	}
	return s
}

// Validate refuses what the trainer's configuration refuses, with its messages and in its order
// (Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/config.py,
// PPOConfig.post_init), and then what no framework has.
func (s Settings) Validate() error {
	e, err := s.FindEstimator()
	family := s.Estimator
	if err == nil && e.CanFilter {
		family = "grpo" // the filter can be tried on the whole family, whatever a framework calls it
	}
	if _, err := estimators.CheckConfig(family, s.KeepPos, s.KeepNeg, s.Recompute); err != nil {
		return trainerError(err)
	}
	if err != nil {
		return err
	}
	if _, err := s.Resolved(); err != nil {
		return err
	}
	if !e.Computable() {
		return missingError(e, e.Needs.NotComputable)
	}
	if err := e.CheckScale(s.Scale); err != nil {
		return trainerError(err)
	}
	switch s.GroupBy {
	case GroupAutomatic, GroupByID, GroupByPrompt, GroupByPosition:
	default:
		return fmt.Errorf("cannot group by %q: choose auto, id, prompt or position", s.GroupBy)
	}
	if s.Reward != "" && s.Weights != "" {
		return fmt.Errorf("the reward is either the column %q or the sum %q: give one of --reward and --weights", s.Reward, s.Weights)
	}
	if s.NumGenerations < 0 {
		return fmt.Errorf("--num-generations must be positive, got %d", s.NumGenerations)
	}
	return nil
}

// trainerError is a trainer's refusal without the kind of the exception.
func trainerError(err error) error {
	var refusal *estimators.Refusal
	if errors.As(err, &refusal) {
		return errors.New(refusal.Text)
	}
	return err
}

// TrainerWarning is what the trainer prints about settings that it accepts, without its warning
// sign; "" if nothing.
func (s Settings) TrainerWarning() string {
	text, _ := estimators.CheckConfig(s.Estimator, s.KeepPos, s.KeepNeg, s.Recompute)
	return strings.TrimPrefix(text, "⚠️ Warning: ")
}

// WithFramework returns the settings with another framework, and its first estimator or scale if it
// lacks that of the settings; options that it lacks go.
func (s Settings) WithFramework(framework string) Settings {
	s.Framework = framework
	if _, err := s.FindEstimator(); err != nil {
		for _, e := range estimators.All() {
			if e.Framework == framework {
				s.Estimator = e.Name
				break
			}
		}
	}
	return s.withKnownOptions().withKnownScale()
}

// WithEstimator returns the settings with another estimator of the framework, and its first scale if
// it lacks that of the settings; options that it lacks go.
func (s Settings) WithEstimator(name string) Settings {
	s.Estimator = name
	return s.withKnownOptions().withKnownScale()
}

func (s Settings) withKnownOptions() Settings {
	if e, err := estimators.Find(s.Framework, s.Estimator); err == nil {
		s.Options = s.Options.Of(e.Options)
	}
	return s
}

func (s Settings) withKnownScale() Settings {
	if e, err := s.FindEstimator(); err == nil && !e.HasScale(s.Scale) {
		s.Scale = e.Scales[0]
	}
	return s
}

// Set returns the settings with one changed, by its name in trainers or flags: keep_pos_ratio,
// keep-pos-ratio, algorithm.keep_pos_ratio; or by the key of an option of an estimator or a stage.
func (s Settings) Set(key, value string) (Settings, error) {
	if setting, found := FindSetting(key); found {
		err := setting.Set(&s, value)
		return s, err
	}
	if !IsOption(key) {
		return s, fmt.Errorf("unknown setting %q: known are %s, and what `vantage estimators`, `vantage filters` and `vantage losses` name", key, strings.Join(flagSettings(), ", "))
	}
	return s.withOption(key, value), nil
}

// Option is a setting by name: see Settings.Set.
type Option struct{ Name, Value string }
