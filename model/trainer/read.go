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

// Reading is what was made of a configuration.
type Reading struct {
	Framework  string         // whose it is
	Understood []string       // the keys that were taken over
	Ignored    int            // keys that say nothing of advantages
	Doubts     []string       // what looks as if it mattered, or contradicts itself, and why
	settings   []model.Option // in the order in which they are to be set
}

// Settings are what the configuration says, as names and values for
// model.Settings.Set, the framework first.
func (r *Reading) Settings() []model.Option { return r.settings }

// Sentence says in a line what was understood.
func (r *Reading) Sentence() string {
	text := fmt.Sprintf("%s understood as %s's (%s), %d ignored", units.Plural(len(r.Understood), "settings"), r.Framework, strings.Join(r.Understood, ", "), r.Ignored)
	for _, doubt := range r.Doubts {
		text += "; " + doubt
	}
	return text
}

// rule says what a key of a framework sets.
type rule struct {
	key  string // what the path ends in, after a dot or from the start
	name string // of the setting
	take func(value string) (string, error)
}

// same takes a value as it stands.
func same(value string) (string, error) { return value, nil }

// scaleOf reads TRL's and ms-swift's scale_rewards, which was a boolean once.
func scaleOf(value string) (string, error) {
	switch strings.ToLower(value) {
	case "true", "group":
		return string(estimators.ScaleGroup), nil
	case "false", "none":
		return string(estimators.ScaleNone), nil
	case "batch":
		return string(estimators.ScaleBatch), nil
	}
	return "", fmt.Errorf("scale_rewards is %s, which has no counterpart here", value)
}

// byStd reads verl's norm_adv_by_std_in_grpo.
func byStd(value string) (string, error) {
	if strings.EqualFold(value, "false") {
		return string(estimators.ScaleNone), nil
	}
	return string(estimators.ScaleGroup), nil
}

// rules are what is understood of each framework's configuration.
func rules(framework string) []rule {
	common := []rule{{"adv_estimator", "adv_estimator", same}}
	switch framework {
	case "easyr1":
		return append(common, rule{"keep_pos_ratio", "keep_pos_ratio", same}, rule{"keep_neg_ratio", "keep_neg_ratio", same},
			rule{"compute_new_adv", "compute_new_adv", same}, rule{"rollout.n", "num_generations", same})
	case "verl":
		return append(common, rule{"norm_adv_by_std_in_grpo", "scale", byStd}, rule{"rollout.n", "num_generations", same})
	case "trl":
		return []rule{{"scale_rewards", "scale", scaleOf}, {"num_generations", "num_generations", same}}
	default:
		return []rule{{"advantage_estimator", "adv_estimator", same}, {"scale_rewards", "scale", scaleOf}, {"num_generations", "num_generations", same}}
	}
}

// relevant are keys that bear on advantages and are not understood: better said than
// passed over.
var relevant = []string{"reward_weights", "norm_adv", "use_kl_in_reward", "gamma", "lam", "filter_groups.enable", "online_filtering", "multi_objective_aggregation"}

// Read makes settings of a configuration. It fails if nothing in it is understood, or
// if a value cannot be.
func Read(options []Option) (*Reading, error) {
	options = resolve(options)
	r := &Reading{Framework: frameworkOf(options)}
	if r.Framework == "" {
		return nil, fmt.Errorf("nothing in it says how advantages are computed: expected algorithm.adv_estimator, scale_rewards or advantage_estimator")
	}
	r.settings = []model.Option{{Name: "framework", Value: r.Framework}}
	known := rules(r.Framework)
	for _, o := range options {
		i := slices.IndexFunc(known, func(k rule) bool { return endsIn(o.Key, k.key) })
		if i < 0 {
			r.Ignored++
			r.doubt(o)
			continue
		}
		if strings.Contains(o.Value, "${") {
			r.Doubts = append(r.Doubts, fmt.Sprintf("%s is %s, which only the trainer can resolve", o.Key, o.Value))
			continue
		}
		value, err := known[i].take(o.Value)
		if err != nil {
			return nil, err
		}
		r.Understood = append(r.Understood, o.Key)
		r.settings = append(r.settings, model.Option{Name: known[i].name, Value: value})
	}
	// the estimator decides which scales there are
	slices.SortStableFunc(r.settings, func(a, b model.Option) int { return order(a.Name) - order(b.Name) })
	return r, nil
}

func order(name string) int {
	return max(0, slices.Index([]string{"framework", "adv_estimator", "scale", "keep_pos_ratio", "keep_neg_ratio", "compute_new_adv", "num_generations"}, name))
}

func (r *Reading) doubt(o Option) {
	for _, key := range relevant {
		if endsIn(o.Key, key) && !slices.Contains([]string{"", "false", "False", "0", "null", "None", "1.0", "1"}, o.Value) {
			r.Doubts = append(r.Doubts, fmt.Sprintf("%s is %s, which is not taken into account", o.Key, o.Value))
		}
	}
}

// endsIn reports whether a path is, or ends in, some keys.
func endsIn(path, keys string) bool { return path == keys || strings.HasSuffix(path, "."+keys) }

// frameworkOf tells whose configuration it is by keys that only one has.
func frameworkOf(options []Option) string {
	has := func(keys ...string) bool {
		return slices.ContainsFunc(options, func(o Option) bool {
			return slices.ContainsFunc(keys, func(key string) bool { return endsIn(o.Key, key) })
		})
	}
	begins := func(prefix string) bool {
		return slices.ContainsFunc(options, func(o Option) bool { return strings.HasPrefix(o.Key, prefix) })
	}
	switch {
	case has("keep_pos_ratio", "keep_neg_ratio", "compute_new_adv"), has("adv_estimator") && begins("worker."):
		return "easyr1"
	case has("adv_estimator"):
		return "verl"
	case has("advantage_estimator", "rlhf_type"):
		return "ms-swift"
	case has("scale_rewards"):
		return "trl"
	}
	return ""
}

// maxSteps bounds how far references are followed.
const maxSteps = 10

// resolve replaces values that are nothing but a reference, ${a.b}, by what stands
// there; what a resolver would compute, ${oc.env:X}, stays.
func resolve(options []Option) []Option {
	values := map[string]string{}
	for _, o := range options {
		values[o.Key] = o.Value
	}
	out := slices.Clone(options)
	for i := range out {
		for range maxSteps {
			path, whole := strings.CutSuffix(strings.TrimPrefix(out[i].Value, "${"), "}")
			if !whole || !strings.HasPrefix(out[i].Value, "${") || strings.ContainsAny(path, "${}:") {
				break
			}
			value, known := values[path]
			if !known {
				break
			}
			out[i].Value = value
		}
	}
	return out
}
