package trainer

import (
	"fmt"
	"strings"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	"vantage/estimators/overlong"
	"vantage/model"
)

// stage is a stage of the chain that a key of the configuration turns on.
type stage struct {
	key, value string // what turns it on
	setting    model.Option
	options    []estimators.Option
}

// stages returns those of a framework.
func stages(framework string) []stage {
	var all []stage
	for _, s := range overlong.All() {
		if s.Framework == framework && s.Value == "true" {
			all = append(all, stage{s.Key, s.Value, model.Option{Name: "overlong", Value: framework + "/" + s.Name}, s.Options})
		}
	}
	for _, f := range groupfilter.All() {
		if f.Framework == framework && f.Value != "" {
			all = append(all, stage{f.Key, f.Value, model.Option{Name: "group_filter", Value: framework + "/" + f.Name}, f.Options})
		}
	}
	for _, l := range lossweight.All() {
		if l.Framework == framework && l.Key != "" && l.NotComputable == "" {
			all = append(all, stage{l.Key, l.Value, model.Option{Name: "loss", Value: framework + "/" + l.Name}, l.Options})
		}
	}
	return all
}

// applyStages takes over the stages that the configuration turns on, and their options.
func (r *Config) applyStages(options []Option) error {
	for _, s := range stages(r.Framework) {
		on := false
		k := keyRule{s.key, func(value string) (model.Option, error) {
			on = strings.EqualFold(value, s.value)
			return s.setting, nil
		}}
		before := *r
		if err := r.apply(k, options); err != nil {
			return err
		}
		if !on {
			*r = before
			continue
		}
		for _, option := range s.options {
			k := keyRule{option.Key, func(value string) (model.Option, error) {
				if _, err := estimators.Options("").With(option.Key, value).Values([]estimators.Option{option}); err != nil {
					return model.Option{}, fmt.Errorf("%s: %w", s.setting.Value, err)
				}
				return model.Option{Name: "option", Value: option.Key + "=" + value}, nil
			}}
			if err := r.apply(k, options); err != nil {
				return err
			}
		}
	}
	return nil
}
