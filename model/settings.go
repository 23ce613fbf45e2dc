package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"vantage/estimators"
)

// Settings are all the choices that change a number. They are comparable: equal
// settings on an equal step give equal results.
type Settings struct {
	Framework string // whose arithmetic
	Estimator string // as the framework's option spells it
	Scale     estimators.Scale

	KeepPos   float64 // keep_pos_ratio: share of each group's positive samples that is kept, best first
	KeepNeg   float64 // keep_neg_ratio: share of each group's negative samples that is kept, worst first
	Recompute bool    // compute_new_adv: advantages anew over the kept samples

	GroupBy        GroupBy
	NumGenerations int // rows per group where groups are known by position only; 0 if not given
}

// DefaultSettings is what a trainer that nobody configured does: the first
// estimator of the list, nothing filtered.
func DefaultSettings() Settings {
	first := estimators.All()[0]
	return Settings{
		Framework: first.Framework, Estimator: first.Name, Scale: first.Scales[0],
		KeepPos: 1, KeepNeg: 1, GroupBy: GroupAutomatic,
	}
}

// Filtering reports whether a ratio is below 1.
func (s Settings) Filtering() bool { return s.KeepPos < 1 || s.KeepNeg < 1 }

// Entry returns the estimator that the settings name.
func (s Settings) Entry() (*estimators.Estimator, error) {
	return estimators.Find(s.Framework, s.Estimator)
}

// Effective is the settings as computed: without the filter where the estimator
// is not one that can be filtered. A person who walks through the estimators
// finds the ratios again where they left them.
func (s Settings) Effective() Settings {
	if e, err := s.Entry(); err == nil && !e.Filters {
		s.KeepPos, s.KeepNeg, s.Recompute = 1, 1, false
	}
	return s
}

// Validate refuses what the trainer's configuration refuses, in its words and in
// its order (Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/config.py,
// PPOConfig.post_init), and then what no framework has.
func (s Settings) Validate() error {
	if err := ratioInRange("keep_neg_ratio", "negative", s.KeepNeg); err != nil {
		return err
	}
	if err := ratioInRange("keep_pos_ratio", "positive", s.KeepPos); err != nil {
		return err
	}
	if err := s.filterAccepted(); err != nil {
		return err
	}
	e, err := s.Entry()
	if err != nil {
		return err
	}
	if !e.HasScale(s.Scale) {
		return fmt.Errorf("%s %s has no scale %q: it has %s", s.Framework, s.Estimator, s.Scale, scaleNames(e.Scales))
	}
	switch s.GroupBy {
	case GroupAutomatic, GroupByID, GroupByPrompt, GroupByPosition:
	default:
		return fmt.Errorf("cannot group by %q: choose auto, id, prompt or position", s.GroupBy)
	}
	if s.NumGenerations < 0 {
		return fmt.Errorf("--num-generations must be positive, got %d", s.NumGenerations)
	}
	return nil
}

// TrainerError is a refusal in the words of the trainer's own configuration.
type TrainerError string

func (e TrainerError) Error() string { return string(e) }

func trainerSays(format string, args ...any) error {
	return TrainerError(fmt.Sprintf(format, args...))
}

func ratioInRange(name, sign string, ratio float64) error {
	if ratio >= 0 && ratio <= 1 {
		return nil
	}
	return trainerSays("%[1]s must be in the range [0.0, 1.0]. Got %[1]s=%[2]s. 0.0 means discard all %[3]s samples, 1.0 means keep all %[3]s samples.", name, pyFloat(ratio), sign)
}

func (s Settings) filterAccepted() error {
	if s.Estimator == "grpo" {
		return nil
	}
	if s.Filtering() {
		return trainerSays("keep_neg_ratio and keep_pos_ratio are currently only supported for grpo algorithm. Got adv_estimator='%s' with keep_neg_ratio=%s, keep_pos_ratio=%s. Please either set adv_estimator='grpo', or set both keep_neg_ratio=1.0 and keep_pos_ratio=1.0.", s.Estimator, pyFloat(s.KeepNeg), pyFloat(s.KeepPos))
	}
	if s.Recompute {
		return trainerSays("compute_new_adv is currently only supported for grpo algorithm. Got adv_estimator='%s' with compute_new_adv=True. Please either set adv_estimator='grpo', or set compute_new_adv=False.", s.Estimator)
	}
	return nil
}

// RecomputeWithoutFilter is what the trainer prints when compute_new_adv is set
// and nothing is filtered.
const RecomputeWithoutFilter = "compute_new_adv=True but keep_neg_ratio=1.0 and keep_pos_ratio=1.0. compute_new_adv is only effective when sample filtering is enabled (keep_neg_ratio < 1.0 or keep_pos_ratio < 1.0). The computed advantages will be the same as the original GRPO advantages."

// pyFloat writes a float as Python's repr does.
func pyFloat(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	if abs := math.Abs(x); abs >= 1e16 || abs > 0 && abs < 1e-4 {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

func scaleNames(scales []estimators.Scale) string {
	names := make([]string, len(scales))
	for i, s := range scales {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// WithFramework returns the settings under another framework: the same
// estimator and scale if it has them, else its first.
func (s Settings) WithFramework(framework string) Settings {
	s.Framework = framework
	if _, err := s.Entry(); err != nil {
		for _, e := range estimators.All() {
			if e.Framework == framework {
				s.Estimator = e.Name
				break
			}
		}
	}
	return s.withKnownScale()
}

// WithEstimator returns the settings with another estimator of the framework.
func (s Settings) WithEstimator(name string) Settings {
	s.Estimator = name
	return s.withKnownScale()
}

func (s Settings) withKnownScale() Settings {
	if e, err := s.Entry(); err == nil && !e.HasScale(s.Scale) {
		s.Scale = e.Scales[0]
	}
	return s
}

// Set changes one setting by the name that trainers and flags give it, with or
// without "algorithm." in front: keep_pos_ratio, keep-pos-ratio.
func (s Settings) Set(key, value string) (Settings, error) {
	name := strings.ReplaceAll(strings.TrimPrefix(key, "algorithm."), "-", "_")
	var err error
	switch name {
	case "framework":
		s = s.WithFramework(value)
		_, err = s.Entry()
	case "adv_estimator", "estimator":
		s = s.WithEstimator(value)
	case "scale":
		s.Scale = estimators.Scale(value)
	case "keep_pos_ratio":
		s.KeepPos, err = parseRatio(name, value)
	case "keep_neg_ratio":
		s.KeepNeg, err = parseRatio(name, value)
	case "compute_new_adv":
		s.Recompute, err = parseBool(name, value)
	case "num_generations":
		s.NumGenerations, err = strconv.Atoi(value)
		if err != nil || s.NumGenerations <= 0 {
			err = fmt.Errorf("num_generations must be a positive whole number, got %q", value)
		}
	case "group_by":
		s.GroupBy = GroupBy(value)
	default:
		err = fmt.Errorf("unknown setting %q: known are framework, adv_estimator, scale, keep_pos_ratio, keep_neg_ratio, compute_new_adv, num_generations, group_by", key)
	}
	return s, err
}

func parseRatio(name, value string) (float64, error) {
	ratio, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, fmt.Errorf("%s must be a number in [0.0, 1.0], got %q", name, value)
	}
	return ratio, nil
}

func parseBool(name, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "true", "1", "yes", "on":
		return true, nil
	case "false", "0", "no", "off":
		return false, nil
	}
	return false, fmt.Errorf("%s must be true or false, got %q", name, value)
}
