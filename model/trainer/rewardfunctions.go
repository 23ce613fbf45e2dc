package trainer

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model"
)

// applyRewardFunctions takes TRL's reward_funcs and reward_weights for the columns of the reward. The
// weights are 1 if none are given. Without the functions the weights are of no known columns.
func (r *Config) applyRewardFunctions(options []Option) {
	functions, functionsKey := lastList(options, "reward_funcs")
	weights, weightsKey := lastList(options, "reward_weights")
	switch {
	case weightsKey != "" && functionsKey == "":
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s is [%s], but without reward_funcs nothing says of which columns: --reward NAME=WEIGHT,… does", truncate(weightsKey), truncate(strings.Join(weights, ", "))))
		return
	case functionsKey == "":
		return
	case weightsKey != "" && len(weights) != len(functions):
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s has %d weights and %s %d functions: neither is taken into account", truncate(weightsKey), len(weights), truncate(functionsKey), len(functions)))
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
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s is %s, which names no columns with weights: it is not taken into account", truncate(functionsKey), truncate(text)))
		return
	}
	r.UsedKeys = append(r.UsedKeys, truncate(functionsKey))
	if weightsKey != "" {
		r.UsedKeys = append(r.UsedKeys, truncate(weightsKey))
	}
	r.settings = slices.Insert(r.settings, 1, model.Option{Name: "reward", Value: text}) // after the framework
}

// isRewardKey reports whether applyRewardFunctions reads a key.
func isRewardKey(framework, key string) bool {
	return framework == "trl" && slices.ContainsFunc([]string{"reward_funcs", "reward_weights"}, func(name string) bool { return endsInKey(key, name) })
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
