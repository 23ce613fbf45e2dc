package estimators

import (
	"math"
	"slices"
	"strings"
)

// changed returns the estimator of that name in a list, as another release of its framework or a fork has it.
func changed(list []*Estimator, name string, change func(e *Estimator)) *Estimator {
	e := list[slices.IndexFunc(list, func(e *Estimator) bool { return e.Name == name })]
	change(e)
	return e
}

func (e *Estimator) configurable(build func(Values) formula, options ...Option) *Estimator {
	e.Options = append(e.Options, options...)
	e.build(build)
	return e
}

func (e *Estimator) build(formulaOf func(Values) formula) {
	e.configure = func(e *Estimator, v Values) { e.Advantage = formulaOf(v) }
	e.Advantage = formulaOf(Values{list: e.Options})
}

// configured is configurable for options that change more than the formula.
func (e *Estimator) configured(configure func(*Estimator, Values), options ...Option) *Estimator {
	e.Options = append(e.Options, options...)
	e.configure = configure
	configure(e, Values{list: e.Options})
	return e
}

// discounted completes e, which whitens what f gives, with the discount of a trainer.
func (e *Estimator) discounted(key string, w whitening, f formula) *Estimator {
	return e.configurable(func(v Values) formula { return w.discounted(f, v.Number(key)) }, discount(key))
}

// discount is the option of REINFORCE++ that makes a token's return smaller the earlier it is.
func discount(key string) Option {
	return Number(0, 1).Option(key, "1", "discount per token before the last; a sample has the mean over its tokens here")
}

// clipRange is the option that cuts rewards or shaped rewards.
func clipRange(key, byDefault, meaning string) Option {
	return Option{Key: key, Kind: Interval(), Default: byDefault, Meaning: meaning}
}

// divideByStd is the option of frameworks whose scale is a switch.
func divideByStd(key string) Option {
	return Option{
		Key: key, Kind: Switch(), Default: "true", Meaning: "divide by the standard deviation: true is scale group, false scale none",
		Selects: map[string]Selection{"true": {Scale: ScaleGroup}, "false": {Scale: ScaleNone}},
	}
}

func withoutStd(key string) Option {
	return Option{
		Key: key, Kind: Switch(), Default: "false", Meaning: "do not divide by the standard deviation: true is scale none, false scale group",
		Selects: map[string]Selection{"true": {Scale: ScaleNone}, "false": {Scale: ScaleGroup}},
	}
}

// scaleByName is the option of frameworks that name their scales, the default first.
func scaleByName(key string, scales ...Scale) Option {
	o := Option{Key: key, Default: string(scales[0]), Meaning: "the scale", Selects: map[string]Selection{}}
	var names []string
	for _, s := range scales {
		names = append(names, string(s))
		o.Selects[string(s)] = Selection{Scale: s}
	}
	o.Kind = OneOf(names...)
	return o
}

// scaleRewards is scaleByName for trainers in which scale_rewards was a switch once: true is group, false
// none. refusal is as in [Option].
func scaleRewards(refusal string, scales ...Scale) Option {
	o := scaleByName("scale_rewards", scales...)
	o.Refusal = refusal
	word := o.Kind.parse
	o.Kind.parse = func(text string) (string, bool) {
		switch strings.ToLower(text) {
		case "true":
			text = string(ScaleGroup)
		case "false":
			text = string(ScaleNone)
		}
		return word(text)
	}
	return o
}

// otherEntry is a switch that is an entry of its own here: of is its name where the switch is on, off
// where it is off.
func otherEntry(key string, byDefault bool, on, off, meaning string) Option {
	o := Option{
		Key: key, Kind: Switch(), Default: "false", Meaning: meaning,
		Selects: map[string]Selection{"true": {Estimator: on}, "false": {Estimator: off}},
	}
	if byDefault {
		o.Default = "true"
	}
	return o
}

func anyNumber() Kind { return Number(math.Inf(-1), math.Inf(1)) }
