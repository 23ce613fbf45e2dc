// Package estimators turns rewards into advantages, in the arithmetic of the framework
// that trains, to the last bit.
//
// # Words
//
// A batch is one training step: N samples in G groups. A group holds the samples
// (responses) of one prompt, in the order of the trainer's batch. Each sample has one
// reward. An estimator maps rewards to advantages, one per sample. A framework is a
// trainer; it has several estimators.
//
// # Two layers
//
//   - frameworks_*.go: the entries of the frameworks, a function for each, by family: those that grew out of
//     verl or TRL, on Megatron, for agents, and so on. What a trainer calls things: name, scales, defaults,
//     exceptions, and the file and revision that it was read from. catalogue.go lists the frameworks.
//   - Chapters of arithmetic that knows no framework, one for each shape of formula: groupwise.go, numpy.go,
//     scatter.go, nanmean.go, whiten.go, baselines.go, passk.go, rewards of steps in trajectories.go, and in
//     selection.go those that choose their samples. A formula is a function that writes the advantages of a
//     [Batch]; its parameters are what frameworks do differently. formula.go has its type and functions that
//     build one from another or add an exception.
//
// Package torchsum adds in the order of PyTorch and numpy, eight groups at once where they are of one size.
// process.go and filter.go apply an estimator.
//
// # Shapes
//
// Rewards, advantages and kept flags are slices of length N in which the samples of a
// group are adjacent; group g is the half-open range Offsets[g]:Offsets[g+1]. A slice
// that is written is called dst and comes first. Slices of the wrong length panic.
//
// # Numbers
//
// All values are float64. Where a framework computes in float32 (nearly all do) every
// advantage is exactly representable in float32, and equal, bit for bit, to that of the
// framework's own code under PyTorch on a CPU, with AVX2's order of sums and the IEEE square
// root. Estimator.Float is the precision.
//
// A trainer may have another runtime. The square root of PyTorch's wheels with MKL misses the
// IEEE one by a unit in the last place for 0.7 % of the values, which can move the advantages
// of a group or batch by one or two. CUDA sums in another order, which nobody compared here.
//
// Two families are not equal to the bit: estimators that whiten over response tokens
// (REINFORCE++) are summed in float64 and agree to 1e-4; NeMo-RL adds in the order of its
// BLAS, and the sums here agree to 1e-5. Estimator.Tolerance says so.
//
// A reward that a log does not hold (null, None, an absent key) is [MissingReward], a NaN
// that [IsMissing] tells from others.
//
// # Needs
//
// Most estimators need rewards and groups. [Needs] says which need response lengths, the
// components of the reward, the reward of a greedy response, or a [Column] as the name of
// the agent, and which no reward log can feed, with the reason. The latter have no Advantage (see [Estimator.Computable])
// and are in the list so that a reader finds them. [Estimator.MissingIn] compares the
// needs with a batch.
//
// What a framework's configuration changes of the numbers is a scale, an entry of its own, or an
// [Option], which [Estimator.With] sets: see option.go for their kinds, and for
// those that several frameworks have. An option may name a scale or an entry
// (norm_adv_by_std_in_grpo is scale none in verl): [Option].Selects. What no entry and no option
// says is at the framework's default: no KL in the reward, gamma 1.
//
// # From logged rewards to processed advantages
//
//  1. [Estimator.CleanInto]: what the trainer does to the logged rewards.
//  2. [Estimator.Advantage]: the unfiltered advantages.
//  3. [Keep]: which samples of each group stay; dropped ones get 0. Some estimators leave
//     out samples by themselves: [Estimator.Select].
//  4. [Recompute], optional: the estimator again, over the kept samples.
//
// [Result.Filter] does 3 and 4.
//
// # Errors
//
// A batch that the framework's code refuses is computed all the same: dst is filled by
// the formula where it is defined for a group and with NaN where it is not, and the error
// is a [Refusal] with the framework's own text.
//
// # A new estimator
//
//  1. Formula. Look for it in the chapters: GRPO and RLOO with another eps, baseline or group of one are
//     values of groupwise. Else write it in the chapter of its shape, after maxRL: the formula in the
//     comment, with its paper, then the operations in the framework's precision and order, without allocation
//     per group.
//  2. Entry. A row in the function of its framework, after tinker; the comments of [Entry] and [Estimator]
//     say what each field holds. A release or a fork is written as changes on another list, as trl15 is. A
//     new framework is a function in the chapter of its family and a line of catalogue. If no public code
//     exists, set NoPublicCode, and name paper and equation in Source.
//  3. Golden cases. Add testdata/golden/NAME.json and a row in golden_test.go, whose head
//     says what the file holds: numbers that the framework's code printed or, with
//     NoPublicCode, numbers calculated by hand. Cases under other options than the
//     defaults set them in golden_options_test.go.
//  4. go test ./estimators. It checks DependsOnBatch, Tolerance and CanFilter, and that
//     shifts, permutations and sums behave as for GRPO. Where the formula does not, name
//     it with the reason among the exceptions of the test that fails, in invariant_test.go
//     or process_test.go.
//  5. go test ./model/report -run CataloguePages -update writes its name to the page
//     .github/docs/estimators.md, go test ./tui -run Golden -update the frames that show
//     the list. Nothing else in the repository repeats it.
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
	Framework string // as commands and JSON name it: "easyr1", "twinkle", …; set by [Catalogue]; people read its [Title]
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

// Title names the entry to a person: "TRL 1.5 grpo".
func (e *Entry) Title() string { return Title(e.Framework) + " " + e.Name }

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
	Title     string // what people call it, if that is not its name: see [Title]
	Newer     string // the framework that it is an older release of: see [Newest]; else ""
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
			{Framework: "easyr1", Title: "EasyR1 (Brian's fork)", Entries: easyR1},
			{Framework: "twinkle", Title: "Twinkle", Entries: twinkle},
			{Framework: "verl", Entries: verl},
			{Framework: "trl", Title: "TRL", Entries: trl},
			{Framework: "ms-swift", Entries: swift},
			{Framework: "openrlhf", Title: "OpenRLHF", Entries: openRLHF},
			{Framework: "nemo-rl", Title: "NeMo-RL", Entries: nemoRL},
			{Framework: "prime-rl", Entries: primeRL},
			{Framework: "slime", Entries: slime},
			{Framework: "skyrl", Title: "SkyRL", Entries: skyRL},
			{Framework: "roll", Title: "ROLL", Entries: roll},
			{Framework: "open-instruct", Entries: openInstruct},
			{Framework: "tinker", Title: "tinker-cookbook", Entries: tinker},
			{Framework: "verifiers", Entries: verifiers},
			{Framework: "areal", Title: "AReaL", Entries: areal},
			{Framework: "miles", Entries: miles},
			{Framework: "rllm", Title: "rLLM", Entries: rllm},
			{Framework: "torchtitan", Entries: torchTitan},
			{Framework: "areno", Entries: areno},
			{Framework: "tunix", Title: "Tunix", Entries: tunix},
			{Framework: "rlinf", Title: "RLinf", Entries: rlinf},
			{Framework: "axolotl", Title: "Axolotl", Entries: axolotl},
			{Framework: "art", Title: "ART", Entries: art},
			{Framework: "cosmos-rl", Title: "Cosmos-RL", Entries: cosmosRL},
			{Framework: "trinity", Title: "Trinity-RFT", Entries: trinity},
			{Framework: "papers", Entries: papers},
			{Framework: "easyr1-upstream", Title: "EasyR1", Entries: easyR1Upstream},
			{Framework: "verl-2026-01", Title: "verl of January 2026", Newer: "verl", Entries: verl202601},
			{Framework: "trl-1.5", Title: "TRL 1.5", Newer: "trl", Entries: trl15},
		},
	}
}

// All returns the estimators, the default one first.
func All() []*Estimator { return catalogue().All() }

// Frameworks returns the names of the frameworks, in the order of [All].
func Frameworks() []string { return catalogue().Frameworks() }

// Title returns what people call a framework: "TRL 1.5" for trl-1.5. A name that is not known is its own title.
func Title(framework string) string { return cmp.Or(listOf(framework).Title, framework) }

// Newest returns the framework of which this is an older release, trl for trl-1.5, or else the framework itself.
func Newest(framework string) string { return cmp.Or(listOf(framework).Newer, framework) }

func listOf(framework string) (found List[*Estimator]) {
	for _, l := range catalogue().Lists {
		if l.Framework == framework {
			return l
		}
	}
	return found
}

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
