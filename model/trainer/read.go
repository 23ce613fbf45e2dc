package trainer

import (
	"fmt"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/units"
)

// Option is one line of a trainer's configuration: a path of keys with dots between
// them, and its value as text.
type Option struct{ Key, Value string }

// Config is what was made of a configuration.
type Config struct {
	Framework string         // whose it is
	UsedKeys  []string       // the keys that were taken over
	Ignored   int            // keys that say nothing of advantages
	Warnings  []string       // what looks as if it mattered, or contradicts itself, and why
	settings  []model.Option // in the order in which they are to be set
}

// Settings are what the configuration says, as names and values for
// model.Settings.Set, the framework first.
func (r *Config) Settings() []model.Option { return r.settings }

// Summary says in a line what was understood.
func (r *Config) Summary() string {
	text := fmt.Sprintf("%s understood as %s's (%s), %d ignored", units.Plural(len(r.UsedKeys), "settings"), r.Framework, strings.Join(r.UsedKeys, ", "), r.Ignored)
	for _, doubt := range r.Warnings {
		text += "; " + doubt
	}
	return text
}

// keyRule says what a key of a framework sets.
type keyRule struct {
	key     string // what the path ends in, after a dot or from the start
	convert func(value string) (model.Option, error)
}

// asIs takes a value as it stands.
func asIs(name string) func(string) (model.Option, error) {
	return func(value string) (model.Option, error) { return model.Option{Name: name, Value: value}, nil }
}

// parseScaleRewards reads TRL's and ms-swift's scale_rewards, which was a boolean once. ms-swift's
// gdpo is an estimator of its own here.
func parseScaleRewards(value string) (model.Option, error) {
	scale := func(s estimators.Scale) (model.Option, error) {
		return model.Option{Name: "scale", Value: string(s)}, nil
	}
	switch strings.ToLower(value) {
	case "true", "group":
		return scale(estimators.ScaleGroup)
	case "false", "none":
		return scale(estimators.ScaleNone)
	case "batch":
		return scale(estimators.ScaleBatch)
	case "gdpo":
		return model.Option{Name: "adv_estimator", Value: "gdpo"}, nil
	}
	return model.Option{}, fmt.Errorf("scale_rewards is %s, which has no counterpart here", value)
}

// parseNormByStd reads verl's norm_adv_by_std_in_grpo.
func parseNormByStd(value string) (model.Option, error) {
	switch strings.ToLower(value) {
	case "true":
		return model.Option{Name: "scale", Value: string(estimators.ScaleGroup)}, nil
	case "false":
		return model.Option{Name: "scale", Value: string(estimators.ScaleNone)}, nil
	}
	return model.Option{}, fmt.Errorf("norm_adv_by_std_in_grpo is %s: expected True or False", value)
}

// parseAggregation reads how TRL makes one advantage of several rewards.
func parseAggregation(value string) (model.Option, error) {
	switch value {
	case "sum_then_normalize":
		return model.Option{Name: "adv_estimator", Value: "grpo"}, nil
	case "normalize_then_sum":
		return model.Option{Name: "adv_estimator", Value: "grpo_normalize_then_sum"}, nil
	}
	return model.Option{}, fmt.Errorf("multi_objective_aggregation is %s, which has no counterpart here", value)
}

// keyRules are what is understood of each framework's configuration; of two that set the
// same the later counts.
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
		return []keyRule{{"adv_estimator", asIs("adv_estimator")}, {"norm_adv_by_std_in_grpo", parseNormByStd}, {"rollout.n", asIs("num_generations")}}
	case "trl":
		return []keyRule{{"multi_objective_aggregation", parseAggregation}, {"scale_rewards", parseScaleRewards}, {"num_generations", asIs("num_generations")}}
	default:
		return []keyRule{{"advantage_estimator", asIs("adv_estimator")}, {"scale_rewards", parseScaleRewards}, {"num_generations", asIs("num_generations")}}
	}
}

// unsupported are keys that bear on advantages and are not understood: better said than
// passed over. Beside each are the values that change nothing.
var unsupported = []struct {
	key  string
	idle []string
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

// What is as if it were not given.
var (
	falseValues = []string{"false", "0"}
	oneValues   = []string{"1", "1.0"}
)

// ReadConfig makes settings of a configuration. It fails if nothing in it is understood, or
// if a value cannot be.
func ReadConfig(options []Option) (*Config, error) {
	options = resolve(options)
	r := &Config{Framework: detectFramework(options)}
	if r.Framework == "" {
		return nil, fmt.Errorf("nothing in it says how advantages are computed: expected algorithm.adv_estimator, scale_rewards or advantage_estimator")
	}
	r.settings = []model.Option{{Name: "framework", Value: r.Framework}}
	known := keyRules(r.Framework)
	for _, k := range known {
		if err := r.apply(k, options); err != nil {
			return nil, err
		}
	}
	for _, o := range options {
		if !slices.ContainsFunc(known, func(k keyRule) bool { return endsInKey(o.Key, k.key) }) {
			r.Ignored++
			r.warnUnsupported(o)
		}
	}
	// the estimator decides which scales there are
	slices.SortStableFunc(r.settings, func(a, b model.Option) int { return settingOrder(a.Name) - settingOrder(b.Name) })
	return r, nil
}

// optionsOf are the options that a rule is about: those of the trainer's own parts, if there
// are such. What stands elsewhere, as a preset that nothing refers to, is then not read by
// the trainer either.
func (k keyRule) optionsOf(options []Option) []Option {
	var all, own []Option
	for _, o := range options {
		if !endsInKey(o.Key, k.key) {
			continue
		}
		all = append(all, o)
		if part, _, _ := strings.Cut(o.Key, "."); slices.Contains([]string{"algorithm", "worker", "actor_rollout_ref", "critic", "data", "trainer"}, part) {
			own = append(own, o)
		}
	}
	if own != nil {
		return own
	}
	return all
}

// apply applies a rule to the options that it is about; of several the last counts, as
// for the trainers.
func (r *Config) apply(k keyRule, options []Option) error {
	var last Option
	for _, o := range k.optionsOf(options) {
		switch {
		case o.Value == "" || slices.Contains([]string{"null", "none", "~"}, strings.ToLower(o.Value)) && k.key != "scale_rewards":
			continue // the default stays
		case o.Value == missingValue:
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s is %s, to be given at the start: the default stays", truncate(o.Key), missingValue))
			continue
		case strings.Contains(o.Value, "$"):
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s is %s, which only the trainer can resolve: the default stays", truncate(o.Key), truncate(o.Value)))
			continue
		case last.Value != "" && last.Key != o.Key && last.Value != o.Value:
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s is %s, but %s is %s: the last counts", truncate(last.Key), truncate(last.Value), truncate(o.Key), truncate(o.Value)))
		}
		last = o
	}
	if last.Value == "" {
		return nil
	}
	set, err := k.convert(truncate(last.Value)) // what is longer is none of those that are known
	if err != nil {
		return err
	}
	r.UsedKeys = append(r.UsedKeys, truncate(last.Key))
	r.settings = append(r.settings, set)
	return nil
}

// maxShown is how many bytes of a key or a value are shown: a file may hold anything.
const maxShown = 120

func truncate(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

func settingOrder(name string) int {
	return max(0, slices.Index([]string{"framework", "adv_estimator", "scale", "keep_pos_ratio", "keep_neg_ratio", "compute_new_adv", "num_generations"}, name))
}

func (r *Config) warnUnsupported(o Option) {
	for _, k := range unsupported {
		idle := o.Value == "" || slices.Contains([]string{"null", "none"}, strings.ToLower(o.Value)) || slices.Contains(k.idle, strings.ToLower(o.Value))
		if endsInKey(o.Key, k.key) && !idle {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s is %s, which is not taken into account", truncate(o.Key), truncate(o.Value)))
		}
	}
}

// endsInKey reports whether a path is, or ends in, some keys.
func endsInKey(path, keys string) bool { return path == keys || strings.HasSuffix(path, "."+keys) }

// detectFramework tells whose configuration it is by keys that only one has.
func detectFramework(options []Option) string {
	has := func(keys ...string) bool {
		return slices.ContainsFunc(options, func(o Option) bool {
			return slices.ContainsFunc(keys, func(key string) bool { return endsInKey(o.Key, key) })
		})
	}
	begins := func(prefix string) bool {
		return slices.ContainsFunc(options, func(o Option) bool { return strings.HasPrefix(o.Key, prefix) })
	}
	switch {
	case has("keep_pos_ratio", "keep_neg_ratio", "compute_new_adv"), has("adv_estimator") && begins("worker."):
		return "easyr1"
	case has("adv_estimator"), has("norm_adv_by_std_in_grpo"):
		return "verl"
	case has("advantage_estimator", "rlhf_type"):
		return "ms-swift"
	case has("scale_rewards", "multi_objective_aggregation"), has("num_generations") && has("reward_funcs", "loss_type", "max_completion_length", "num_iterations"):
		return "trl"
	}
	return ""
}
