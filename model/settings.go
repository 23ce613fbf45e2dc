package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
)

// Settings are all choices that change a number. They are comparable: equal settings of an equal
// step give equal results.
type Settings struct {
	Framework string // whose arithmetic
	Assumed   bool   // nothing says that the framework wrote the log: what its own code would refuse, the trainer has not refused
	FromLog   bool   // no estimator is known that gives the logged advantages, which are taken as they are
	OwnRule   bool   // with FromLog: they follow from the rewards by a rule of the trainer's own
	Estimator string // as the framework's option spells it
	Scale     estimators.Scale
	Options   estimators.Options // of the estimator, by the trainer's keys; see Resolved

	KeepPos   float64 // keep_pos_ratio: share of each group's positive samples that is kept, best first
	KeepNeg   float64 // keep_neg_ratio: share of each group's negative samples that is kept, worst first
	Recompute bool    // compute_new_adv: recompute the advantages of the kept samples

	Overlong    string // penalty for long responses that is added to the rewards: "verl/dapo", "" for none
	GroupFilter string // rule for which groups are trained on: "verl/filter_groups", "" for none
	OffPolicy   string // rule for samples of another policy: "trl/vllm_importance_sampling", "" for none
	Loss        string // how the loss weighs the samples: "trl/dapo", "" if that is not asked for

	Truncated string // what the trainer does with samples that the log says were cut off: "mask" or "drop", "" if they train

	StageOptions estimators.Options // of the four stages before, by their trainers' keys

	KLInReward bool // the trainer subtracts a KL penalty from the rewards, which no log holds: it changes no number, but raises a warning

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

// Drops names what drops samples under the settings, to a person: "the sample filter".
func (s Settings) Drops() string {
	switch {
	case s.OffPolicy == "":
		return "the sample filter"
	case s.Filtering():
		return "the sample filter with " + s.OffPolicy
	}
	return "the off-policy rule " + s.OffPolicy
}

// Trainer names whose arithmetic it is, to a person: "TRL 1.5". Of a log of no known trainer it is what most trainers compute.
func (s Settings) Trainer() string {
	if s.Assumed {
		return commonestRule
	}
	return estimators.Title(s.Framework)
}

// Computes names the estimator to a person: "TRL 1.5 grpo".
func (s Settings) Computes() string { return s.Trainer() + " " + s.Estimator }

// commonestRule stands for the trainer of a log that names none, before its estimator, and CommonestFormula is what that computes.
const (
	commonestRule    = "common"
	CommonestFormula = "mean and std of the group, eps 1e-6"
)

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
		return missingError(e, e.NotComputable)
	}
	if err := e.CheckScale(s.Scale); err != nil {
		return trainerError(err)
	}
	if !slices.Contains(Groupings(), s.GroupBy) {
		return fmt.Errorf("cannot group by %q: choose auto, id, prompt or position", s.GroupBy)
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
	s.Framework, s.Assumed, s.FromLog = framework, false, false
	if _, err := s.FindEstimator(); err != nil {
		if list := estimators.Of(framework); list != nil {
			s.Estimator = list[0].Name
		}
	}
	return s.withKnownOptions().withKnownScale()
}

// WithEstimator returns the settings with another estimator of the framework, and its first scale if
// it lacks that of the settings; options that it lacks go.
func (s Settings) WithEstimator(name string) Settings {
	s.Estimator, s.Assumed, s.FromLog = name, false, false
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
		var known []string
		for _, s := range SettingList() {
			if s.Flag() != "" {
				known = append(known, s.Name)
			}
		}
		return s, fmt.Errorf("unknown setting %q: known are %s, and what `vantage list estimators`, `vantage list filters` and "+
			"`vantage list losses` name", key, strings.Join(known, ", "))
	}
	return s.withOption(key, value), nil
}

// Option is a setting by name: see Settings.Set.
type Option struct{ Name, Value string }

// Setting is one of the choices that Settings hold: what it is called, and how it is given as text.
type Setting struct {
	Name  string // as a trainer's configuration has it, or like that: keep_pos_ratio
	Alias string // a second name, which is that of the flag; "" for none
	About Subject
	Rank  int // settings of a lower rank are set first: they decide which values the others may have

	Placeholder string // of the value in the help of the flag
	Doc         string // of the flag

	Get    func(Settings) string         // the value as Set takes it
	Set    func(*Settings, string) error // refuses a text that is no value of the setting
	Values func(Settings) []string       // to choose from under these settings; nil where any text may be a value
}

// Subject is what a setting is about. Commands take the settings of those subjects that they heed.
type Subject int

// The subjects.
const (
	NoFlag          Subject = iota // only a trainer's configuration sets it
	AboutArithmetic                // what a trainer's configuration has: how advantages are computed
	AboutGroups                    // which samples make a group
	AboutRewards                   // which columns are the reward
	AboutSamples                   // what is added to the reward of a sample, and which samples count
	AboutPolicy                    // what becomes of samples of another policy than the one that trains
	AboutLoss                      // what a sample weighs in the loss
)

// SettingList returns all settings, in the order in which errors name them.
func SettingList() []Setting {
	list := []Setting{
		{
			Name: "framework", About: AboutArithmetic, Placeholder: "NAME",
			Doc: "framework whose estimator to use: verl, trl, easyr1, …; see `vantage list estimators`",
			Get: func(s Settings) string { return s.Framework },
			Set: func(s *Settings, value string) error {
				*s = s.WithFramework(value)
				_, err := s.FindEstimator()
				return err
			},
			Values: func(Settings) []string { return estimators.Frameworks() },
		},
		{
			Name: "adv_estimator", Alias: "estimator", About: AboutArithmetic, Rank: 1, Placeholder: "NAME",
			Doc:    "advantage estimator, by the framework's name for it: grpo, rloo, …",
			Get:    func(s Settings) string { return s.Estimator },
			Set:    func(s *Settings, value string) error { *s = s.WithEstimator(value); return nil },
			Values: estimatorNames,
		},
		{
			Name: "scale", About: AboutArithmetic, Rank: 2, Placeholder: "SCALE",
			Doc:    "divide advantages by the std of the group or the batch, or not: group, batch or none",
			Get:    func(s Settings) string { return string(s.Scale) },
			Set:    func(s *Settings, value string) error { s.Scale = estimators.Scale(value); return nil },
			Values: scaleNames,
		},
		ratioSetting("keep_pos_ratio", "share of each group's positive samples to keep, best first (0 to 1)",
			func(s *Settings) *float64 { return &s.KeepPos }),
		ratioSetting("keep_neg_ratio", "share of each group's negative samples to keep, worst first (0 to 1)",
			func(s *Settings) *float64 { return &s.KeepNeg }),
		switchSetting("compute_new_adv", AboutArithmetic, "recompute advantages over the kept samples",
			func(s *Settings) *bool { return &s.Recompute }),
		switchSetting("kl_in_reward", NoFlag, "", func(s *Settings) *bool { return &s.KLInReward }),
		{
			Name: "reward", About: AboutRewards, Rank: 2, Placeholder: "NAME",
			Doc: "reward column, or a weighted sum of several: accuracy,format=0.3",
			Get: func(s Settings) string { return cmp.Or(s.Reward, string(s.Weights)) },
			Set: func(s *Settings, value string) (err error) {
				s.Reward, s.Weights, err = parseReward(value)
				return err
			},
		},
		{
			Name: "solved_at", About: AboutSamples, Rank: 2, Placeholder: "X",
			Doc:    "lowest reward that counts as solved, for pass@k, solve rate, all correct and all wrong; auto finds it",
			Get:    func(s Settings) string { return string(s.SolvedAt) },
			Set:    func(s *Settings, value string) (err error) { s.SolvedAt, err = parseSolvedAt(value); return err },
			Values: func(Settings) []string { return []string{"auto"} },
		},
		{
			Name: "num_generations", About: AboutGroups, Rank: 2, Placeholder: "N",
			Doc: "rows per group, consecutive ones (of the same id or prompt if the log has them)",
			Get: func(s Settings) string { return strconv.Itoa(s.NumGenerations) },
			Set: func(s *Settings, value string) (err error) {
				if s.NumGenerations, err = strconv.Atoi(value); err != nil || s.NumGenerations <= 0 {
					return fmt.Errorf("num_generations must be a positive whole number, got %q", value)
				}
				return nil
			},
		},
		{
			Name: "group_by", About: AboutGroups, Rank: 2, Placeholder: "RULE",
			Doc:    "what makes a group: auto, id, prompt, position, or a column of the log",
			Get:    func(s Settings) string { return string(s.GroupBy) },
			Set:    func(s *Settings, value string) error { s.GroupBy = GroupBy(value); return nil },
			Values: func(Settings) []string { return Mapped(Groupings(), func(g GroupBy) string { return string(g) }) },
		},
	}
	list = append(list, Setting{
		Name: "truncated", About: AboutSamples, Rank: 2, Placeholder: "WHAT",
		Doc: "how the trainer treats truncated samples: train; mask (in mean and std, not in the loss: TRL, ms-swift, SkyRL, Tunix, " +
			"NeMo-RL); drop (in neither: open-instruct, rLLM)",
		Get: func(s Settings) string { return cmp.Or(s.Truncated, "train") },
		Set: func(s *Settings, value string) error {
			if !slices.Contains(truncations(*s), value) {
				return fmt.Errorf("truncated must be train, mask or drop, got %q", value)
			}
			s.Truncated = strings.TrimPrefix(value, "train")
			return nil
		},
		Values: truncations,
	})
	for _, stage := range stages() {
		list = append(list, stage.setting())
	}
	return append(list, Setting{
		Name: "option", About: AboutArithmetic, Rank: 3, Placeholder: "KEY=VALUE",
		Doc: "option of the estimator, filter, penalty, off-policy rule or loss, by the trainer's key: algorithm.gamma=0.9; repeatable; " +
			"listed by `vantage list estimators NAME` and so on",
		Get: func(s Settings) string { return strings.Join(append(s.Options.List(), s.StageOptions.List()...), ", ") },
		Set: func(s *Settings, value string) error {
			key, value, err := estimators.ParseOption(value)
			if err == nil {
				*s = s.withOption(key, value)
			}
			return err
		},
	})
}

func truncations(Settings) []string { return []string{"train", "mask", "drop"} }

func ratioSetting(name, doc string, field func(*Settings) *float64) Setting {
	return Setting{
		Name: name, About: AboutArithmetic, Rank: 2, Placeholder: "RATIO", Doc: doc,
		Get: func(s Settings) string { // as YAML and Python write a float: 1.0, never 1
			text := strconv.FormatFloat(*field(&s), 'f', -1, 64)
			if !strings.Contains(text, ".") {
				text += ".0"
			}
			return text
		},
		Set: func(s *Settings, value string) error {
			ratio, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return fmt.Errorf("%s must be a number in [0.0, 1.0], got %q", name, value)
			}
			*field(s) = ratio
			return nil
		},
	}
}

func switchSetting(name string, about Subject, doc string, field func(*Settings) *bool) Setting {
	return Setting{
		Name: name, About: about, Rank: 2, Placeholder: "bool", Doc: doc,
		Get: func(s Settings) string { return strconv.FormatBool(*field(&s)) },
		Set: func(s *Settings, value string) error {
			switch strings.ToLower(value) {
			case "true", "1", "yes", "on":
				*field(s) = true
			case "false", "0", "no", "off":
				*field(s) = false
			default:
				return fmt.Errorf("%s must be true or false, got %q", name, value)
			}
			return nil
		},
		Values: func(Settings) []string { return []string{"on", "off"} },
	}
}

// setting is the choice of an entry. Options that no stage has any more go with the one that had them.
func (t stage) setting() Setting {
	return Setting{
		Name: t.name, About: t.about, Rank: 2, Placeholder: "FRAMEWORK/NAME", Doc: t.doc,
		Get: func(s Settings) string { return cmp.Or(*t.choice(&s), "none") },
		Set: func(s *Settings, value string) error {
			if value == "none" {
				value = ""
			}
			*t.choice(s) = value
			for _, stage := range stages() { // where only the framework is named it is its default; Validate refuses what does not exist
				if e := stage.chosen(*s); e != nil && stage.check(*s) == nil {
					*stage.choice(s) = e.Framework + "/" + e.Name
				}
			}
			if list, err := s.stageOptions(); err == nil {
				s.StageOptions = s.StageOptions.Of(list)
			}
			return nil
		},
		Values: func(s Settings) []string { // none, those of the framework of the settings, then those of the others
			names, trainer := []string{"none"}, estimators.Newest(s.Framework) // whose releases share their stages
			for _, own := range []bool{true, false} {
				for _, e := range t.all() {
					if (e.Framework == trainer) == own {
						names = append(names, e.Framework+"/"+e.Name)
					}
				}
			}
			return names
		},
	}
}

func estimatorNames(s Settings) []string {
	return Mapped(estimators.Of(s.Framework), func(e *estimators.Estimator) string { return e.Name })
}

func scaleNames(s Settings) (names []string) {
	if e, err := s.FindEstimator(); err == nil {
		names = e.ScaleNames()
	}
	return names
}

// FindSetting returns the setting that a key means: its name or alias as a trainer's option or as a flag.
func FindSetting(key string) (Setting, bool) {
	name := strings.ReplaceAll(strings.TrimPrefix(key, "algorithm."), "-", "_")
	all := SettingList()
	i := slices.IndexFunc(all, func(s Setting) bool { return name != "" && (s.Name == name || s.Alias == name) })
	if i < 0 {
		return Setting{Rank: 2}, false
	}
	return all[i], true
}

// Flag returns the name of the flag that sets the setting, "" if none does.
func (s Setting) Flag() string {
	if s.About == NoFlag {
		return ""
	}
	return strings.ReplaceAll(cmp.Or(s.Alias, s.Name), "_", "-")
}

// CompareRank orders options for Settings.Set, whatever the order in which they were given: the framework decides which
// estimators there are, and the estimator which scales.
func CompareRank(a, b Option) int {
	first, _ := FindSetting(a.Name)
	second, _ := FindSetting(b.Name)
	return cmp.Compare(first.Rank, second.Rank)
}
