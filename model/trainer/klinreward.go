package trainer

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model"
)

// applyKL finds out whether the trainer subtracts a KL penalty from the rewards.
func (r *Config) applyKL(options []Option) {
	switch r.Framework {
	case "easyr1":
		if why := easyR1KL(options); why != "" {
			r.Warnings = append(r.Warnings, why)
			r.settings = append(r.settings, model.Option{Name: "kl_in_reward", Value: "true"})
		}
	case "verl", "ms-swift": // which key it is, warnUnsupported says
		if isTrue(options, "use_kl_in_reward") || isTrue(options, "kl_in_reward") {
			r.settings = append(r.settings, model.Option{Name: "kl_in_reward", Value: "true"})
		}
	}
}

// easyR1KL says that EasyR1 subtracts the KL, "" if it does not or nothing is said of it. It does by default, unless one of
// disable_kl and use_kl_loss is true: hiyouga/EasyR1@b44b311b669b verl/trainer/config.py AlgorithmConfig, ray_trainer.py
// apply_kl_penalty. A launch script that names neither key may name a file that does.
func easyR1KL(options []Option) string {
	named := slices.IndexFunc(options, func(o Option) bool { return endsInKey(o.Key, "disable_kl") || endsInKey(o.Key, "use_kl_loss") })
	if named < 0 || isTrue(options, "disable_kl") || isTrue(options, "use_kl_loss") || lastOf(options, "kl_coef") == "0" || lastOf(options, "kl_coef") == "0.0" {
		return ""
	}
	return fmt.Sprintf("%s is %s, and neither disable_kl nor use_kl_loss is true: EasyR1 subtracts kl_coef·KL from the rewards, which is not in the log", truncate(options[named].Key), truncate(options[named].Value))
}

// isTrue reports whether the last value of a key is true.
func isTrue(options []Option, key string) bool {
	value := strings.ToLower(lastOf(options, key))
	return value == "true" || value == "1"
}

// lastOf returns the last value of a key, "" if there is none.
func lastOf(options []Option, key string) string {
	value := ""
	for _, o := range options {
		if endsInKey(o.Key, key) {
			value = o.Value
		}
	}
	return value
}
