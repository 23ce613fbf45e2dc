package estimators

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Entry describes one thing that one framework does: an estimator, and in packages groupfilter, lossweight
// and overlong a group filter, a loss and a shaping of rewards by length. Their types embed it.
type Entry struct {
	Framework string // a name that people know: "easyr1", "twinkle", …; set by [Catalogue]
	Name      string // as the framework's option or function spells it: "grpo", "filter_groups"
	Default   bool   // it is the first one of its framework; set by [Catalogue]

	// Key and Value are what selects it in the trainer's configuration: "algorithm.filter_groups.enable",
	// "true". Where that is not one setting, Key says it in a few words and Value is empty. Estimators
	// have neither: their scales and options do.
	Key, Value string

	Formula string // one line: r reward, μ and s mean and standard deviation of the group, n its size
	Doc     string // precision, ddof, eps, groups of one, equal rewards, ragged groups, NaN: a few sentences
	Source  string // repository@revision or wheel==version, file and function or lines; if NoPublicCode, paper and equation, with arXiv:N or https://

	// NoPublicCode: no code has been published that could be run. Source is then a paper or a document, and
	// the cases of the tests are calculated by hand.
	NoPublicCode bool

	// NotComputable says why no log is enough, and what one would have to hold; empty if one is.
	NotComputable string

	// Options are the keys of the trainer's configuration that change the numbers, with its defaults.
	Options []Option
}

// about returns what most entries say of themselves.
func about(name, formula, source, doc string) Entry {
	return Entry{Name: name, Formula: formula, Source: source, Doc: doc}
}

func (e Entry) with(options ...Option) Entry {
	e.Options = options
	return e
}

// by is what computes the entry, with the usual scale and precision if it names none.
func (e Entry) by(x Estimator) *Estimator {
	x.Entry = e
	if x.Scales == nil {
		x.Scales = []Scale{ScaleNone}
	}
	x.Float = cmp.Or(x.Float, Float32)
	return &x
}

// About returns the description.
func (e *Entry) About() *Entry { return e }

// Setting says how the trainer is told: "algorithm.filter_groups.enable=true".
func (e *Entry) Setting() string {
	if e.Value == "" {
		return e.Key
	}
	return e.Key + "=" + e.Value
}

// Described is what embeds an [Entry].
type Described interface{ About() *Entry }

// Catalogue lists what each framework has of one kind. Framework and Name identify an entry: each call makes
// new values, so pointers do not compare.
type Catalogue[T Described] struct {
	Lists []List[T]

	// NoFramework and NoName are the errors of [Catalogue.Find], with verbs for the framework, in NoName for
	// the name, and for the alternatives.
	NoFramework, NoName string
}

// List is what one framework has, the default first.
type List[T Described] struct {
	Framework string
	Entries   func() []T
}

// completed returns the entries of a framework, which know that they are its.
func (l List[T]) completed() []T {
	list := l.Entries()
	for i, x := range list {
		x.About().Framework, x.About().Default = l.Framework, i == 0
	}
	return list
}

// All returns the entries of all frameworks.
func (c Catalogue[T]) All() []T {
	var all []T
	for _, l := range c.Lists {
		all = append(all, l.completed()...)
	}
	return all
}

// Frameworks returns the names of the frameworks, in the order of All.
func (c Catalogue[T]) Frameworks() []string {
	var names []string
	for _, l := range c.Lists {
		names = append(names, l.Framework)
	}
	return names
}

// Of returns the entries of a framework. The error lists the frameworks.
func (c Catalogue[T]) Of(framework string) ([]T, error) {
	for _, l := range c.Lists {
		if l.Framework == framework {
			return l.completed(), nil
		}
	}
	return nil, fmt.Errorf(c.NoFramework, framework, Alternatives(c.Frameworks()))
}

// Find returns the entry of a framework by its name. The error lists the alternatives.
func (c Catalogue[T]) Find(framework, name string) (found T, err error) {
	list, err := c.Of(framework)
	if err != nil {
		return found, err
	}
	var names []string
	for _, x := range list {
		if x.About().Name == name {
			return x, nil
		}
		names = append(names, x.About().Name)
	}
	return found, fmt.Errorf(c.NoName, framework, name, Alternatives(names))
}

// FindOrDefault is Find, and the first entry of the framework for no name.
func (c Catalogue[T]) FindOrDefault(framework, name string) (found T, err error) {
	if name != "" {
		return c.Find(framework, name)
	}
	list, err := c.Of(framework)
	if err != nil {
		return found, err
	}
	return list[0], nil
}

// catalogue lists the estimators: the default first, the frameworks that most people run before the others.
func catalogue() Catalogue[*Estimator] {
	return Catalogue[*Estimator]{
		NoFramework: "no framework %q: choose %s", NoName: "%s has no estimator %q: choose %s",
		Lists: []List[*Estimator]{
			{Framework: "easyr1", Entries: easyR1},
			{Framework: "twinkle", Entries: twinkle},
			{Framework: "verl", Entries: verl},
			{Framework: "trl", Entries: trl},
			{Framework: "ms-swift", Entries: swift},
			{Framework: "openrlhf", Entries: openRLHF},
			{Framework: "nemo-rl", Entries: nemoRL},
			{Framework: "prime-rl", Entries: primeRL},
			{Framework: "slime", Entries: slime},
			{Framework: "skyrl", Entries: skyRL},
			{Framework: "roll", Entries: roll},
			{Framework: "open-instruct", Entries: openInstruct},
			{Framework: "tinker", Entries: tinker},
			{Framework: "verifiers", Entries: verifiers},
			{Framework: "areal", Entries: areal},
			{Framework: "miles", Entries: miles},
			{Framework: "rllm", Entries: rllm},
			{Framework: "tunix", Entries: tunix},
			{Framework: "rlinf", Entries: rlinf},
			{Framework: "axolotl", Entries: axolotl},
			{Framework: "art", Entries: art},
			{Framework: "cosmos-rl", Entries: cosmosRL},
			{Framework: "trinity", Entries: trinity},
			{Framework: "papers", Entries: papers},
			{Framework: "easyr1-upstream", Entries: easyR1Upstream},
			{Framework: "verl-2026-01", Entries: verl202601},
			{Framework: "trl-1.5", Entries: trl15},
		},
	}
}

// All returns the estimators, the default one first.
func All() []*Estimator { return catalogue().All() }

// Frameworks returns the names of the frameworks, in the order of [All].
func Frameworks() []string { return catalogue().Frameworks() }

// Of returns the estimators of a framework, the default first; nil if there is no such framework.
func Of(framework string) []*Estimator {
	list, _ := catalogue().Of(framework)
	return list
}

// Default returns the name of the estimator that a framework computes unless told otherwise: grpo where it has that.
func Default(framework string) string {
	list := Of(framework)
	if len(list) == 0 || slices.ContainsFunc(list, func(e *Estimator) bool { return e.Name == "grpo" }) {
		return "grpo"
	}
	return list[0].Name
}

// Find returns the estimator of a framework by its name. The error lists the alternatives.
func Find(framework, name string) (*Estimator, error) { return catalogue().Find(framework, name) }

// AllWith returns the estimators, those with options that have all of the keys.
func AllWith(options Options) []*Estimator {
	all := All()
	for i, e := range all {
		if options == "" || options.Of(e.Options) != options {
			continue
		}
		if with, err := e.With(options); err == nil {
			all[i] = with
		}
	}
	return all
}

// HasOption reports whether an estimator has an option that the key means: see [FindOption].
func HasOption(key string) bool {
	return slices.ContainsFunc(All(), func(e *Estimator) bool {
		_, found := FindOption(e.Options, key)
		return found
	})
}

// IsOption reports whether an estimator has an option of exactly this name.
func IsOption(key string) bool {
	return slices.ContainsFunc(All(), func(e *Estimator) bool {
		return slices.ContainsFunc(e.Options, func(o Option) bool { return o.Key == key })
	})
}

// Alternatives joins names: "a", "a or b", "a, b or c".
func Alternatives(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
