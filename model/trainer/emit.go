package trainer

import (
	"fmt"
	"strconv"

	"vantage/estimators"
	"vantage/model"
)

// Dialect writes settings as the options of a framework.
type Dialect struct {
	Framework string
	emit      func(model.Settings) []string
	option    string // format of a key and its value; "" if options are no keys there
}

// Dialects returns all dialects.
func Dialects() []Dialect {
	return []Dialect{
		{"easyr1", easyr1, "%s=%s"},
		{"verl", verl, "%s=%s"},
		{"trl", trl, "%s: %s"},
		{"ms-swift", swift, "--%s %s"},
		{"twinkle", twinkle, ""},
	}
}

// Emit returns settings as lines to copy: options, or a call. An estimator or scale of
// another framework becomes the nearest of this one. Lines that begin with # say what has
// no option.
func (d Dialect) Emit(set model.Settings) []string {
	set = set.Effective()
	translated := set
	var notes []string
	if d.Framework != set.Framework {
		translated = set.WithFramework(d.Framework)
	}
	if translated.Estimator != set.Estimator {
		notes = append(notes, fmt.Sprintf("# %s has no %s of %s: this is its %s", d.Framework, set.Estimator, set.Framework, translated.Estimator))
	}
	if translated.Scale != set.Scale {
		notes = append(notes, fmt.Sprintf("# %s %s has no scale %s: this is its %s", d.Framework, translated.Estimator, set.Scale, translated.Scale))
	}
	lines := append(notes, d.emit(translated)...)
	for key, value := range translated.Options.All() {
		if d.option != "" {
			lines = append(lines, fmt.Sprintf(d.option, key, value))
		}
	}
	if set.Options != translated.Options {
		lines = append(lines, fmt.Sprintf("# %s has not all of the options %s", d.Framework, set.Options))
	}
	return lines
}

// Names returns the frameworks with a dialect.
func Names() []string {
	var names []string
	for _, d := range Dialects() {
		names = append(names, d.Framework)
	}
	return names
}

// Find returns the dialect of a framework.
func Find(framework string) (Dialect, bool) {
	for _, d := range Dialects() {
		if d.Framework == framework || framework == "swift" && d.Framework == "ms-swift" {
			return d, true
		}
	}
	return Dialect{}, false
}

// easyr1 has the settings by their own names.
func easyr1(set model.Settings) (lines []string) {
	for _, name := range []string{"adv_estimator", "keep_pos_ratio", "keep_neg_ratio", "compute_new_adv"} {
		setting, _ := model.FindSetting(name)
		lines = append(lines, "algorithm."+name+"="+setting.Get(set))
	}
	return lines
}

func verl(set model.Settings) []string {
	lines := []string{"algorithm.adv_estimator=" + set.Estimator}
	switch set.Scale {
	case estimators.ScaleGroup:
		lines = append(lines, "algorithm.norm_adv_by_std_in_grpo=True")
	case estimators.ScaleNone:
		lines = append(lines, "algorithm.norm_adv_by_std_in_grpo=False")
	default:
		lines = append(lines, fmt.Sprintf("# verl has no scale %q", set.Scale))
	}
	return append(lines, filterNotes("verl", set)...)
}

func trl(set model.Settings) []string {
	lines := []string{"scale_rewards: " + string(set.Scale)}
	if set.Estimator != "grpo" {
		lines = append(lines, fmt.Sprintf("# TRL's GRPOTrainer has no option for the estimator %s", set.Estimator))
	}
	return append(lines, filterNotes("TRL", set)...)
}

func swift(set model.Settings) []string {
	return append([]string{"--advantage_estimator " + set.Estimator, "--scale_rewards " + string(set.Scale)}, filterNotes("ms-swift", set)...)
}

func twinkle(set model.Settings) []string {
	class := map[string]string{"grpo": "GRPOAdvantage", "rloo": "RLOOAdvantage"}[set.Estimator]
	if class == "" {
		return []string{"# twinkle has no estimator " + set.Estimator}
	}
	n := "num_generations"
	if set.NumGenerations > 0 {
		n = strconv.Itoa(set.NumGenerations)
	}
	call := fmt.Sprintf("%s()(rewards, num_generations=%s, scale='%s')", class, n, set.Scale)
	return append([]string{call}, filterNotes("twinkle", set)...)
}

// filterNotes returns a note for settings with a filter, which the framework lacks.
func filterNotes(name string, set model.Settings) []string {
	if !set.Filtering() {
		return nil
	}
	return []string{fmt.Sprintf("# %s has no keep_pos_ratio, keep_neg_ratio or compute_new_adv: only EasyR1 has this filter", name)}
}
