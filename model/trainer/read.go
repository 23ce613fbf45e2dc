// Package trainer translates between settings and the options of trainers: [Dialect.Emit]
// writes settings as options or a call, [ReadConfig] takes settings from a trainer's
// configuration, whose options the caller has already parsed. The commands and the screen
// call it.
package trainer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/estimators/offpolicy"
	"vantage/model"
	"vantage/model/units"
)

// Option is a value of a trainer's configuration: its keys joined by dots, and its text.
type Option struct{ Key, Value string }

// Config is the result of reading a trainer's configuration.
type Config struct {
	Framework string
	UsedKeys  []string
	Ignored   int            // number of keys not used
	Warnings  []string       // keys that matter but are not supported, or contradict each other
	Settings  []model.Option // names and values for model.Settings.Set, the framework first
}

// Summary says in a line what was read.
func (r *Config) Summary() string {
	text := fmt.Sprintf("%s understood as %s's (%s), %d ignored", units.Plural(len(r.UsedKeys), "settings"), r.Framework,
		strings.Join(r.UsedKeys, ", "), r.Ignored)
	for _, warning := range r.Warnings {
		text += "; " + warning
	}
	return text
}

// keyRule converts a key of a framework's configuration into a setting.
type keyRule struct {
	key     string // the last keys of the path
	convert func(value string) (model.Option, error)
}

func asIs(name string) func(string) (model.Option, error) {
	return func(value string) (model.Option, error) { return model.Option{Name: name, Value: value}, nil }
}

// among returns a conversion of a key's values, as spell writes them, each into a setting NAME=VALUE. refusal is for others.
func among(spell func(string) string, settings map[string]string, refusal string) func(string) (model.Option, error) {
	return func(value string) (model.Option, error) {
		setting, found := settings[spell(value)]
		if !found {
			return model.Option{}, fmt.Errorf(refusal, value)
		}
		name, value, _ := strings.Cut(setting, "=")
		return model.Option{Name: name, Value: value}, nil
	}
}

// scaleRewards converts scale_rewards of TRL and ms-swift, a boolean in old versions. ms-swift's value gdpo is an estimator here.
func scaleRewards() keyRule {
	return keyRule{"scale_rewards", among(strings.ToLower, map[string]string{
		"true": "scale=group", "group": "scale=group", "false": "scale=none", "none": "scale=none", "batch": "scale=batch",
		"gdpo": "adv_estimator=gdpo",
	}, "scale_rewards is %s, which has no counterpart here")}
}

// masksTruncated converts a switch that masks samples that were cut off.
func masksTruncated(key string) keyRule {
	return keyRule{key, among(strings.ToLower, map[string]string{"true": "truncated=mask", "false": "truncated=train"},
		key+" is %s: expected true or false")}
}

// keyRules returns the rules of a framework; of two for the same setting the later wins.
func keyRules(framework string) []keyRule {
	switch framework {
	case "easyr1":
		return []keyRule{
			{"adv_estimator", asIs("adv_estimator")},
			{"keep_pos_ratio", asIs("keep_pos_ratio")},
			{"keep_neg_ratio", asIs("keep_neg_ratio")},
			{"compute_new_adv", asIs("compute_new_adv")},
			{"rollout.n", asIs("num_generations")},
		}
	case "verl":
		normByStd := among(strings.ToLower, map[string]string{"true": "scale=group", "false": "scale=none"},
			"norm_adv_by_std_in_grpo is %s: expected True or False")
		return []keyRule{
			{"adv_estimator", asIs("adv_estimator")},
			{"norm_adv_by_std_in_grpo", normByStd},
			{"rollout.n", asIs("num_generations")},
		}
	case "trl":
		aggregation := among(strings.Clone, map[string]string{
			"sum_then_normalize": "adv_estimator=grpo",
			"normalize_then_sum": "adv_estimator=grpo_normalize_then_sum",
		},
			"multi_objective_aggregation is %s, which has no counterpart here")
		return []keyRule{
			{"multi_objective_aggregation", aggregation},
			scaleRewards(),
			{"num_generations", asIs("num_generations")},
			masksTruncated("mask_truncated_completions"),
		}
	default:
		return []keyRule{
			{"advantage_estimator", asIs("adv_estimator")},
			scaleRewards(),
			{"num_generations", asIs("num_generations")},
			masksTruncated("overlong_filter"),
		}
	}
}

// unsupported lists keys that affect advantages and are not supported, and the values with
// which they have no effect. Others give a warning.
var unsupported = []struct {
	key      string
	harmless []string
}{
	{"reward_weights", nil},
	{"norm_adv_by_std_in_grpo", nil},
	{"use_kl_in_reward", falseValues},
	{"kl_in_reward", falseValues},
	{"gamma", oneValues},
	{"lam", oneValues},
	{"filter_groups.enable", falseValues},
	{"online_filtering", falseValues},
	{"dynamic_sample", falseValues},
	{"use_pf_ppo", falseValues},
	{"multi_objective_aggregation", []string{"sum_then_normalize"}},
	{"reward_clip_range", nil},
	{"normalize_advantages", falseValues},
}

// Values that have no effect.
var (
	falseValues = []string{"false", "0"}
	oneValues   = []string{"1", "1.0"}
)

// ReadConfig reads settings from the options of a trainer's configuration. It fails if no
// key tells the framework, or if a value has no counterpart.
func ReadConfig(options []Option) (*Config, error) {
	policy, err := OffPolicy(options)
	if err != nil {
		return nil, err
	}
	options = resolve(options)
	r := &Config{Framework: detectFramework(options)}
	if r.Framework == "" {
		return r.ofPolicy(policy, options)
	}
	r.Settings = []model.Option{{Name: "framework", Value: r.Framework}}
	rules := keyRules(r.Framework)
	for _, k := range rules {
		if err := r.apply(k, options); err != nil {
			return nil, err
		}
	}
	r.undoUnheard(options, rules)
	if r.Framework == "trl" {
		r.applyRewardFunctions(options)
	}
	if err := r.applyOptions(options, rules); err != nil {
		return nil, err
	}
	if err := r.applyStages(options); err != nil {
		return nil, err
	}
	r.applyOffPolicy(policy)
	switch r.Framework {
	case "easyr1":
		if why := easyR1KL(options); why != "" {
			r.Warnings = append(r.Warnings, why)
			r.Settings = append(r.Settings, model.Option{Name: "kl_in_reward", Value: "true"})
		}
	case "verl", "ms-swift": // which key it is, warnUnsupported says
		if isTrue(options, "use_kl_in_reward") || isTrue(options, "kl_in_reward") {
			r.Settings = append(r.Settings, model.Option{Name: "kl_in_reward", Value: "true"})
		}
	}
	for _, o := range options {
		hasRule := slices.ContainsFunc(rules, func(k keyRule) bool { return endsInKey(o.Key, k.key) })
		if hasRule || slices.Contains(r.UsedKeys, truncate(o.Key)) {
			continue
		}
		r.Ignored++
		r.warnUnsupported(o)
	}
	slices.SortStableFunc(r.Settings, model.CompareRank)
	return r, nil
}

func (r *Config) warnUnsupported(o Option) {
	if r.Framework == "trl" && (endsInKey(o.Key, "reward_funcs") || endsInKey(o.Key, "reward_weights")) {
		return // applyRewardFunctions reads them
	}
	for _, k := range unsupported {
		value := strings.ToLower(o.Value)
		if endsInKey(o.Key, k.key) && !slices.Contains([]string{"", "null", "none"}, value) && !slices.Contains(k.harmless, value) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s is %s, which is not taken into account", truncate(o.Key), truncate(o.Value)))
		}
	}
}

// optionsOf returns the options that a rule converts: those in the trainer's own sections,
// if there are any, else all. Trainers ignore other sections, such as unused presets.
func (k keyRule) optionsOf(options []Option) []Option {
	var all, inSections []Option
	for _, o := range options {
		if !endsInKey(o.Key, k.key) {
			continue
		}
		all = append(all, o)
		if section, _, _ := strings.Cut(o.Key, "."); slices.Contains([]string{
			"algorithm", "worker", "actor_rollout_ref", "critic", "data",
			"trainer",
		}, section) {
			inSections = append(inSections, o)
		}
	}
	if inSections != nil {
		return inSections
	}
	return all
}

// apply applies a rule to its options; of several the last wins, as in trainers.
func (r *Config) apply(k keyRule, options []Option) error {
	var last Option
	for _, o := range k.optionsOf(options) {
		switch {
		case o.Value == "" || slices.Contains([]string{"null", "none", "~"}, strings.ToLower(o.Value)) && k.key != "scale_rewards":
			continue // the default stays
		case o.Value == missingValue:
			r.Warnings = append(r.Warnings,
				fmt.Sprintf("%s is %s, to be given at the start: the default stays", truncate(o.Key), missingValue))
			continue
		case strings.Contains(o.Value, "$"):
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s is %s, which only the trainer can resolve: the default stays", truncate(o.Key),
				truncate(o.Value)))
			continue
		case last.Value != "" && last.Key != o.Key && last.Value != o.Value:
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s is %s, but %s is %s: the last counts", truncate(last.Key), truncate(last.Value),
				truncate(o.Key), truncate(o.Value)))
		}
		last = o
	}
	if last.Value == "" {
		return nil
	}
	setting, err := k.convert(truncate(last.Value)) // no known value is longer
	if err != nil {
		return err
	}
	r.UsedKeys = append(r.UsedKeys, truncate(last.Key))
	r.Settings = append(r.Settings, setting)
	return nil
}

// undoUnheard takes back what a rule made of an option that the release does not give to the estimator, and says so.
func (r *Config) undoUnheard(options []Option, rules []keyRule) {
	e := r.estimator()
	if e == nil {
		return
	}
	for _, o := range e.Options {
		k := slices.IndexFunc(rules, func(k keyRule) bool { return endsInKey(o.Key, k.key) })
		if o.Unheard == "" || k < 0 {
			continue
		}
		for _, given := range rules[k].optionsOf(options) {
			setting, err := rules[k].convert(truncate(given.Value))
			selected := o.Selects[o.Default].Scale
			i := slices.Index(r.Settings, setting)
			if err != nil || i < 0 || setting.Value == string(selected) {
				continue
			}
			r.Settings[i].Value = string(selected)
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s is %s, which has no effect on %s in %s: the standard deviation divides in any case",
				truncate(given.Key), truncate(given.Value), e.Name, o.Unheard))
		}
	}
}

// estimator is that which the settings so far name; nil if there is none.
func (r *Config) estimator() *estimators.Estimator {
	set := model.DefaultSettings()
	for _, s := range r.Settings {
		if s.Name != "framework" && s.Name != "adv_estimator" {
			continue
		}
		var err error
		if set, err = set.Set(s.Name, s.Value); err != nil {
			return nil // Configure says what is wrong
		}
	}
	e, err := set.FindEstimator()
	if err != nil {
		return nil
	}
	return e
}

// applyOptions takes over the options of the estimator that the settings so far name.
func (r *Config) applyOptions(options []Option, rules []keyRule) error {
	e := r.estimator()
	if e == nil {
		return nil
	}
	for _, option := range e.Options {
		if slices.ContainsFunc(rules, func(k keyRule) bool { return endsInKey(option.Key, k.key) }) {
			continue
		}
		if err := r.apply(optionRule(option), options); err != nil {
			return err
		}
	}
	return nil
}

func optionRule(option estimators.Option) keyRule {
	return keyRule{option.Key, func(value string) (model.Option, error) {
		_, err := estimators.Options("").With(option.Key, value).Values([]estimators.Option{option})
		return model.Option{Name: "option", Value: option.Key + "=" + value}, err
	}}
}

const maxShown = 120

func truncate(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

func endsInKey(path, keys string) bool { return path == keys || strings.HasSuffix(path, "."+keys) }

// detectFramework returns the framework by keys that only one has, "" if unknown.
func detectFramework(options []Option) string {
	has := func(keys ...string) bool {
		return slices.ContainsFunc(options, func(o Option) bool {
			return slices.ContainsFunc(keys, func(key string) bool { return endsInKey(o.Key, key) })
		})
	}
	hasPrefix := func(prefix string) bool {
		return slices.ContainsFunc(options, func(o Option) bool { return strings.HasPrefix(o.Key, prefix) })
	}
	switch {
	case has("keep_pos_ratio", "keep_neg_ratio", "compute_new_adv", "algorithm.disable_kl"), has("adv_estimator") && hasPrefix("worker."):
		return "easyr1"
	case has("adv_estimator"), has("norm_adv_by_std_in_grpo"):
		return "verl"
	case has("advantage_estimator", "rlhf_type"):
		return "ms-swift"
	case has("scale_rewards", "multi_objective_aggregation"), has("num_generations") && has("reward_funcs", "loss_type",
		"max_completion_length", "num_iterations"):
		return "trl"
	}
	return ""
}

// applyRewardFunctions takes TRL's reward_funcs and reward_weights for the columns of the reward. The
// weights are 1 if none are given. Without the functions the weights are of no known columns.
func (r *Config) applyRewardFunctions(options []Option) {
	functions, functionsKey := lastList(options, "reward_funcs")
	weights, weightsKey := lastList(options, "reward_weights")
	switch {
	case weightsKey != "" && functionsKey == "":
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("%s is [%s], but reward_funcs, which names the columns, is missing: use --reward NAME=WEIGHT,…", truncate(weightsKey),
				truncate(strings.Join(weights, ", "))))
		return
	case functionsKey == "":
		return
	case weightsKey != "" && len(weights) != len(functions):
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s has %d weights and %s %d functions: neither is taken into account", truncate(weightsKey),
			len(weights), truncate(functionsKey), len(functions)))
		return
	}
	var parts []string
	for i, f := range functions {
		part := functionName(f)
		if weightsKey != "" {
			part += "=" + weights[i]
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, ",")
	if _, err := (model.Settings{}).Set("reward", text); err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s is %s, which names no columns with weights: it is not taken into account",
			truncate(functionsKey), truncate(text)))
		return
	}
	r.UsedKeys = append(r.UsedKeys, truncate(functionsKey))
	if weightsKey != "" {
		r.UsedKeys = append(r.UsedKeys, truncate(weightsKey))
	}
	r.Settings = slices.Insert(r.Settings, 1, model.Option{Name: "reward", Value: text}) // after the framework
}

// lastList returns the elements of a list such as [1.0, 0.5], the last of several, and its key; no key
// if there is none, or not a short one of plain values.
func lastList(options []Option, name string) (elements []string, key string) {
	for _, o := range options {
		if !endsInKey(o.Key, name) || !strings.HasPrefix(o.Value, "[") || !strings.HasSuffix(o.Value, "]") {
			continue
		}
		inner := o.Value[1 : len(o.Value)-1]
		elements, key = nil, o.Key
		for part := range strings.SplitSeq(inner, ",") {
			elements = append(elements, strings.Trim(part, ` "'`))
		}
	}
	return elements, key
}

// functionName returns the column in which TRL logs a reward function: the name of the function, or of
// the model without its owner. huggingface/trl@1.16.0 trl/scripts/grpo.py, trl/trainer/grpo_trainer.py.
func functionName(text string) string {
	switch i := strings.LastIndexAny(text, "/"); {
	case i >= 0:
		return text[i+1:]
	case text == "get_soft_overlong_punishment":
		return "soft_overlong_punishment_reward"
	}
	return text[strings.LastIndexByte(text, '.')+1:]
}

func (r *Config) applyStages(options []Option) error {
	for setting, s := range model.StagesOf(r.Framework) {
		on, name := false, s.Framework+"/"+s.Name
		k := keyRule{s.Key, func(value string) (model.Option, error) {
			on = strings.EqualFold(value, s.Value)
			return model.Option{Name: setting, Value: name}, nil
		}}
		before := *r
		if err := r.apply(k, options); err != nil {
			return err
		}
		if !on {
			*r = before
			continue
		}
		for _, option := range s.Options {
			if err := r.apply(optionRule(option), options); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// OffPolicy is the off-policy rule that the options of a trainer's configuration name.
func OffPolicy(options []Option) (offpolicy.Configured, error) {
	return offpolicy.ByConfig(model.Mapped(resolve(options),
		func(o Option) offpolicy.Value { return offpolicy.Value{Key: o.Key, Text: o.Value} }))
}

// ofPolicy is what is read of a configuration that names no estimator: its off-policy rule, if there is one.
func (r *Config) ofPolicy(found offpolicy.Configured, options []Option) (*Config, error) {
	if found.Rule == nil {
		return nil, errors.New("it does not name an estimator: expected algorithm.adv_estimator, scale_rewards or advantage_estimator")
	}
	r.Framework = found.Rule.Framework
	r.applyOffPolicy(found)
	r.Ignored = len(options) - len(r.UsedKeys)
	return r, nil
}

// applyOffPolicy takes over the off-policy rule, if there is one.
func (r *Config) applyOffPolicy(found offpolicy.Configured) {
	if found.Rule == nil {
		return
	}
	r.Settings = append(r.Settings, model.Option{Name: "off_policy", Value: found.Rule.Framework + "/" + found.Rule.Name})
	for _, option := range found.Options.List() {
		r.Settings = append(r.Settings, model.Option{Name: "option", Value: option})
	}
	for _, key := range found.Keys {
		if key = truncate(key); !slices.Contains(r.UsedKeys, key) {
			r.UsedKeys = append(r.UsedKeys, key)
		}
	}
}

// easyR1KL says that EasyR1 subtracts the KL, "" if it does not or nothing is said of it. It does by default, unless one of
// disable_kl and use_kl_loss is true: hiyouga/EasyR1@b44b311b669b verl/trainer/config.py AlgorithmConfig, ray_trainer.py
// apply_kl_penalty. A launch script that names neither key may name a file that does.
func easyR1KL(options []Option) string {
	named := slices.IndexFunc(options, func(o Option) bool { return endsInKey(o.Key, "disable_kl") || endsInKey(o.Key, "use_kl_loss") })
	isElsewhere := isTrue(options, "disable_kl") || isTrue(options, "use_kl_loss")
	coefficient := lastOf(options, "kl_coef")
	isZero := coefficient == "0" || coefficient == "0.0"
	if named < 0 || isElsewhere || isZero {
		return ""
	}
	return fmt.Sprintf("%s is %s, and neither disable_kl nor use_kl_loss is true: EasyR1 subtracts kl_coef·KL from the rewards, which "+
		"is not in the log", truncate(options[named].Key), truncate(options[named].Value))
}

func isTrue(options []Option, key string) bool {
	value := strings.ToLower(lastOf(options, key))
	return value == "true" || value == "1"
}

func lastOf(options []Option, key string) string {
	value := ""
	for _, o := range options {
		if endsInKey(o.Key, key) {
			value = o.Value
		}
	}
	return value
}
