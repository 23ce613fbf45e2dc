package estimators

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Option is a key of a trainer's configuration that changes numbers: of an estimator, of a filter of
// groups, or of the weights in the loss.
type Option struct {
	Key     string   // as the trainer spells it: "algorithm.gamma"
	Aliases []string // what other releases of the trainer call it
	Kind    Kind     // what values it takes
	Default string   // its value if nobody gives it, as Kind writes it
	Meaning string   // one line: what it does, and what the trainer's name hides

	// Refusal is the trainer's own text for a value that it refuses, with %s for the value; empty if it
	// has none.
	Refusal string

	// Selects are values that name another entry or a scale here, by value. They are settings then, and
	// no longer options.
	Selects map[string]Selection

	// Unheard is the release of the trainer in which the estimator does not get the option, so that no value of it has an effect; "" if it
	// does.
	Unheard string
}

// Selection is what a value of an option selects. "" changes nothing.
type Selection struct {
	Estimator string // of the same framework
	Scale     Scale
}

// String returns the option as a line of help: "algorithm.gamma=1: …".
func (o Option) String() string { return o.Key + "=" + o.Default + ": " + o.Meaning }

// parse returns a value as Kind writes it, or one sentence that says what it must be.
func (o Option) parse(text string) (string, error) {
	value, ok := o.Kind.parse(strings.TrimSpace(text))
	switch {
	case ok:
		return value, nil
	case o.Refusal != "":
		return "", fmt.Errorf(o.Refusal, text)
	}
	return "", fmt.Errorf("%s must be %s, got %q", o.Key, o.Kind, text)
}

// Kind says which values an option takes, and writes each in one way.
type Kind struct {
	text  string
	parse func(string) (value string, ok bool)
}

// Option returns the option that takes such values.
func (k Kind) Option(key, byDefault, meaning string) Option {
	return Option{Key: key, Kind: k, Default: byDefault, Meaning: meaning}
}

// String describes the values: "a number from 0 to 1".
func (k Kind) String() string { return k.text }

// Custom takes what parse takes, and writes it in one way; text describes the values: "a list of numbers".
func Custom(text string, parse func(text string) (value string, ok bool)) Kind {
	return Kind{text, parse}
}

// Number takes finite numbers from low to high, both included; infinite bounds are none.
func Number(low, high float64) Kind {
	text := "a number"
	switch {
	case !math.IsInf(low, 0) && !math.IsInf(high, 0):
		text = fmt.Sprintf("a number from %v to %v", low, high)
	case !math.IsInf(low, 0):
		text = fmt.Sprintf("a number from %v on", low)
	}
	return Kind{text, func(text string) (string, bool) {
		x, ok := parseFinite(text)
		return formatNumber(x), ok && x >= low && x <= high
	}}
}

// Switch takes true and false, in the spellings of YAML and Python.
func Switch() Kind {
	return Kind{"true or false", func(text string) (string, bool) {
		switch strings.ToLower(text) {
		case "true", "1", "yes", "on":
			return "true", true
		case "false", "0", "no", "off":
			return "false", true
		}
		return "", false
	}}
}

// Interval takes two numbers, the lower first, or none: "-10 10".
func Interval() Kind {
	return Kind{"two numbers, LOW HIGH, or none", func(text string) (string, bool) {
		words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,[]()", r) })
		if isNone(text) {
			return "none", true
		}
		if len(words) != 2 {
			return "", false
		}
		low, ok := parseFinite(words[0])
		high, ok2 := parseFinite(words[1])
		return formatNumber(low) + " " + formatNumber(high), ok && ok2 && low <= high
	}}
}

// OneOf takes some words; none is also null, as YAML writes it.
func OneOf(words ...string) Kind {
	return Kind{Alternatives(words), func(text string) (string, bool) {
		if isNone(text) {
			text = "none"
		}
		return text, slices.Contains(words, text)
	}}
}

func isNone(text string) bool {
	return slices.Contains([]string{"none", "null", "~"}, strings.ToLower(text))
}

func parseFinite(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && x-x == 0
}

func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Options are the options that a person or a configuration gives, "key=value" each on a line of its
// own. "" is none. They are comparable: equal ones give equal numbers.
type Options string

// ParseOption splits "key=value"; a key may have the dashes of a flag.
func ParseOption(text string) (key, value string, err error) {
	key, value, found := strings.Cut(text, "=")
	if key = strings.TrimLeft(strings.TrimSpace(key), "-"); !found || key == "" || strings.Contains(text, "\n") {
		return "", "", fmt.Errorf("an option is a key of the trainer's configuration and its value, key=value, got %q", text)
	}
	return key, strings.TrimSpace(value), nil
}

// All returns keys and values.
func (o Options) All() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for line := range strings.SplitSeq(string(o), "\n") {
			if key, value, found := strings.Cut(line, "="); found && !yield(key, value) {
				return
			}
		}
	}
}

// With returns o with a value for a key, instead of an earlier one.
func (o Options) With(key, value string) Options {
	out := o.Without(key)
	if out != "" {
		out += "\n"
	}
	return out + Options(key+"="+value)
}

// Without returns o without a key.
func (o Options) Without(key string) Options {
	var lines []string
	for k, value := range o.All() {
		if k != key {
			lines = append(lines, k+"="+value)
		}
	}
	return Options(strings.Join(lines, "\n"))
}

// List returns each as "key=value".
func (o Options) List() []string {
	var list []string
	for key, value := range o.All() {
		list = append(list, key+"="+value)
	}
	return list
}

// String joins them in one line: "algorithm.gamma=0.9, reward.clip_range=-1 1".
func (o Options) String() string { return strings.Join(o.List(), ", ") }

// FindOption returns the option of a list that a key means: its name, whatever dashes and underscores,
// or the end of exactly one name ("gamma").
func FindOption(list []Option, key string) (Option, bool) {
	key = strings.ReplaceAll(key, "-", "_")
	var ends []Option
	for _, o := range list {
		end := false
		for _, name := range append([]string{o.Key}, o.Aliases...) {
			name = strings.ReplaceAll(name, "-", "_")
			if name == key {
				return o, true
			}
			end = end || strings.HasSuffix(name, "."+key)
		}
		if end {
			ends = append(ends, o)
		}
	}
	if len(ends) == 1 {
		return ends[0], true
	}
	return Option{}, false
}

// Resolve returns the options as the list writes them, in its order and without those that are at their
// default and select nothing. who has the list: "verl grpo". The error is one sentence: a key that is
// not in the list, or a value that its option does not take.
func (o Options) Resolve(who string, list []Option) (Options, error) {
	values := map[string]string{}
	for key, text := range o.All() {
		option, found := FindOption(list, key)
		if !found {
			keys := []string{}
			for _, option := range list {
				keys = append(keys, option.Key)
			}
			return o, fmt.Errorf("%s has no option %s: it has %s", who, key, cmp.Or(strings.Join(keys, ", "), "none"))
		}
		value, err := option.parse(text)
		if err != nil {
			return o, err
		}
		values[option.Key] = value
		if _, selects := option.Selects[value]; value == option.Default && !selects {
			delete(values, option.Key)
		}
	}
	var out Options
	for _, option := range list {
		if value, given := values[option.Key]; given {
			out = out.With(option.Key, value)
		}
	}
	return out, nil
}

// Select takes the first option out that selects something.
func (o Options) Select(list []Option) (rest Options, selected Selection, found bool) {
	for key, value := range o.All() {
		option, _ := FindOption(list, key)
		if selected, found = option.Selects[value]; found {
			return o.Without(key), selected, true
		}
	}
	return o, selected, false
}

// Of returns those that the list has.
func (o Options) Of(list []Option) Options {
	var some Options
	for key, value := range o.All() {
		if _, found := FindOption(list, key); found {
			some = some.With(key, value)
		}
	}
	return some
}

// Values are the options of a list: what is given, and the defaults of the rest.
type Values struct {
	list  []Option
	given Options
}

// Values returns the values of a list of options; keys of other lists and what only selects do not
// count. The error is one sentence on a value that its option does not take.
func (o Options) Values(list []Option) (Values, error) {
	given, err := o.Of(list).Resolve("", list)
	for selects := err == nil; selects; {
		given, _, selects = given.Select(list)
	}
	return Values{list, given}, err
}

// Text returns the value of an option as its Kind writes it. It panics if the list has no such key.
func (v Values) Text(key string) string {
	for given, value := range v.given.All() {
		if given == key {
			return value
		}
	}
	for _, o := range v.list {
		if o.Key == key {
			return o.Default
		}
	}
	panic("estimators: no option " + key)
}

// Bool returns the value of a [Switch].
func (v Values) Bool(key string) bool { return v.Text(key) == "true" }

// Number returns the value of a [Number].
func (v Values) Number(key string) float64 { return v.NumberOr(key, 0) }

// Interval returns the bounds of an [Interval], infinite ones for none.
func (v Values) Interval(key string) (low, high float64) {
	a, b, _ := strings.Cut(v.Text(key), " ")
	low, ok := parseFinite(a)
	if !ok {
		return math.Inf(-1), math.Inf(1)
	}
	high, _ = parseFinite(b)
	return low, high
}

// Count takes whole numbers from low on.
func Count(low int) Kind {
	return Kind{"a whole number from " + strconv.Itoa(low) + " on", func(text string) (string, bool) {
		x, ok := parseFinite(strings.ReplaceAll(text, "_", ""))
		return strconv.FormatFloat(x, 'f', -1, 64), ok && x == math.Trunc(x) && x >= float64(low) && x < 1<<53
	}}
}

// OrNone takes what k takes, and none; null is the same. [Values.Number] of none is 0.
func OrNone(k Kind) Kind {
	return Kind{k.text + ", or none", func(text string) (string, bool) {
		if isNone(text) {
			return "none", true
		}
		return k.parse(text)
	}}
}

// NumberOrNone takes finite numbers from low to high, both included, and none.
func NumberOrNone(low, high float64) Kind { return OrNone(Number(low, high)) }

// Name takes one word, such as the name of a column; what says which: "the name of a column".
func Name(what string) Kind {
	return Kind{what, func(text string) (string, bool) {
		text = strings.TrimSpace(text)
		return text, text != "" && !strings.ContainsAny(text, "\n=")
	}}
}

// Names takes one name or more, with commas between them: "solver, judge". Brackets and quotes, as lists
// have them in TOML and YAML, do not count.
func Names() Kind {
	return Kind{"names with commas between them", func(text string) (string, bool) {
		names := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(` ,[]"'`, r) })
		return strings.Join(names, ","), len(names) > 0
	}}
}

// NumberOr returns the value of a [NumberOrNone], and otherwise for none.
func (v Values) NumberOr(key string, otherwise float64) float64 {
	if x, ok := parseFinite(v.Text(key)); ok {
		return x
	}
	return otherwise
}

// Optional returns the value of a [NumberOrNone], nil for none.
func (v Values) Optional(key string) *float64 {
	if x, ok := parseFinite(v.Text(key)); ok {
		return &x
	}
	return nil
}

// Whole returns the value of a [Count].
func (v Values) Whole(key string) int { return int(v.Number(key)) }

// Names returns the value of [Names].
func (v Values) Names(key string) []string { return strings.Split(v.Text(key), ",") }

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

func divideByStd(key string) Option {
	return Option{
		Key: key, Kind: Switch(), Default: "true", Meaning: "divide by the standard deviation: true is scale group, false scale none",
		Selects: map[string]Selection{"true": {Scale: ScaleGroup}, "false": {Scale: ScaleNone}},
	}
}

// unheardIn is an option for the scale that a release does not give to the estimator: it divides by the standard deviation in any case.
func (o Option) unheardIn(release string) Option {
	o.Meaning, o.Unheard = "no effect in "+release+": the standard deviation divides in any case", release
	selects := map[string]Selection{}
	for value := range o.Selects {
		selects[value] = Selection{Scale: ScaleGroup}
	}
	o.Selects = selects
	return o
}

func withoutStd(key string) Option {
	return Option{
		Key: key, Kind: Switch(), Default: "false", Meaning: "do not divide by the standard deviation: true is scale none, false " +
			"scale group",
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
