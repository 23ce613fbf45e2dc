// Package groupfilter decides which groups of a batch are trained on, by the rules of the frameworks, to
// the last flag: dynamic sampling, online filtering, masks.
//
// # Words
//
// Words, shapes and numbers are those of package estimators. A group is admitted if at least one of its
// rows trains. A [Filter] is the rule of one framework, a value in the list [All]; its [Admission] on a
// [Batch] says which groups it admits, why it drops the others, and which rows train if it drops single
// ones. [Dropped] says what becomes of the dropped rows: others are generated in their place, or nothing is,
// or they stay in the batch with a loss mask of 0.
//
// # Numbers
//
// Each rule takes mean and standard deviation in the framework's precision and order of sums, and compares
// as strictly. That decides groups of equal rewards: three of 0.1 have a np.std of 1.4e-17, so a rule
// "std ≠ 0" keeps them, while ranges, thresholds and torch's std of the rows of a matrix drop them. Doc of
// each filter says which it is, and [Admission.EqualButAdmitted] counts such groups.
//
// The orders are those of package torchsum: numpy's, and PyTorch's on a CPU with AVX2 or AVX-512. NeMo-RL's
// standard deviation comes out of a matrix product, whose order of sums differs from one processor to the
// next: of groups of nearly equal rewards the flags are those of float64 sums, not of one machine.
//
// # What a log does not hold
//
// A rule that reads a column or lengths that are not there admits all groups and returns a refusal of the
// kind estimators.KindMissing. What stands for something that is not there, such as rewards for OpenRLHF's
// scores, is named in Admission.Assumed. Random choices (SkyRL's replacements, trinity's duplicates) are not
// in a log: such rows are left out, and Admission.Note or Doc says so.
//
// # A new filter
//
//  1. A row in the function of its framework, in the chapter of what the rule looks at: rules_spread.go,
//     rules_mean.go, rules_advantage.go; trinity is a short one. The comments of estimators.Entry
//     and [Filter] say what each field holds. Options have the trainer's own keys and defaults. Doc says in
//     a sentence what becomes of groups of equal rewards. A new framework is a function and a line of
//     catalogue, in filter.go, named as in package estimators.
//  2. Its rule, in the same row, asks about each group (byRewards, eachGroup) or each row (rows, dropEmpty): the
//     operations in the framework's precision and order, without allocation per group. admission.go has what
//     rules share.
//  3. Golden cases. Add testdata/golden/NAME.json and a row in golden_test.go, whose head says what the file
//     holds: flags that the framework's code gave. With NoPublicCode, cases calculated by hand in filter_test.go.
//  4. go test ./estimators/groupfilter, and -bench Decide: a rule should cost no more than GRPO does.
//  5. go test ./model/report -run CataloguePages -update writes its name to the page .github/docs/filters.md.
package groupfilter

import (
	"math"
	"strings"

	"vantage/estimators"
)

// Filter is the rule of one framework for which groups of a batch are trained on: its description and
// its arithmetic. It is a value in the list [All].
type Filter struct {
	// Entry says what turns the rule on in the trainer, which [Enabled] looks up, and as Formula which groups
	// stay: "std(metric) ≠ 0".
	estimators.Entry

	Dropped Dropped // what becomes of the rows that are dropped

	SeesRaw         bool // the rule reads rewards before shaping by length: Batch.Raw
	NeedsAdvantages bool // the rule reads Batch.Advantages
	NeedsLengths    bool // the rule reads Batch.Lengths, and does without where there are none

	// Label is what the trainer's own log calls the reason for dropping a group of such rewards; nil if
	// it logs none.
	Label func(rewards []float64) string

	columns func(o estimators.Values) []string // that decide reads; nil if none
	decide  decide
}

// decide writes a verdict that has been reset: all groups admitted, no row named.
type decide func(v *Admission, b Batch, o estimators.Values) error

func catalogue() estimators.Catalogue[*Filter] {
	return estimators.Catalogue[*Filter]{
		NoFramework: "no framework with a group filter is called %q: choose %s", NoName: "%s has no group filter %q: choose %s",
		Lists: []estimators.List[*Filter]{
			{Framework: "verl", Entries: verl},
			{Framework: "ms-swift", Entries: swift},
			{Framework: "openrlhf", Entries: openRLHF},
			{Framework: "nemo-rl", Entries: nemoRL},
			{Framework: "prime-rl", Entries: primeRL},
			{Framework: "slime", Entries: slime},
			{Framework: "miles", Entries: miles},
			{Framework: "skyrl", Entries: skyRL},
			{Framework: "roll", Entries: roll},
			{Framework: "open-instruct", Entries: openInstruct},
			{Framework: "tinker", Entries: tinker},
			{Framework: "easyr1-upstream", Entries: easyR1Upstream},
			{Framework: "trinity", Entries: trinity},
			{Framework: "rllm", Entries: rLLM},
			{Framework: "cosmos-rl", Entries: cosmosRL},
			{Framework: "ragen", Entries: ragen},
		},
	}
}

// All returns the filters.
func All() []*Filter { return catalogue().All() }

// Find returns the filter of a framework by its name; "" is its first one. The error lists the
// alternatives.
func Find(framework, name string) (*Filter, error) { return catalogue().FindOrDefault(framework, name) }

// Enabled returns the filter that key=value turns on in a trainer, nil if it turns none on; isSwitch
// says that another value of the key does, so that this one turns a filter off.
func Enabled(key, value string) (f *Filter, isSwitch bool) {
	for _, f := range All() {
		if !f.EnabledBy(key) {
			continue
		}
		if isSwitch = true; strings.EqualFold(f.Value, value) {
			return f, true
		}
	}
	return nil, isSwitch
}

// EnabledBy reports whether some value of the key turns f on in its trainer; dashes and underscores are
// the same.
func (f *Filter) EnabledBy(key string) bool {
	return f.Value != "" && f.Key == strings.ReplaceAll(key, "-", "_")
}

// Decide writes the verdict on b to v, whose slices it uses again. The error is a
// *estimators.Refusal: what the trainer's own code raises for the batch, or, of the kind
// estimators.KindMissing, what the rule reads and b does not hold; v admits all groups then. o are
// values of f.Options.
func (f *Filter) Decide(v *Admission, b Batch, o estimators.Values) error {
	v.reset(b)
	if b.Groups() == 0 {
		return nil
	}
	if f.NeedsAdvantages && len(b.Advantages) != len(b.Rewards) {
		return missing("advantages")
	}
	return f.decide(v, b, o)
}

// byRewards is the decision of a rule that asks about the rewards of each group, whatever the options.
func byRewards(ask verdictOn) decide {
	return func(v *Admission, b Batch, _ estimators.Values) error {
		v.eachGroup(b, b.Rewards, ask)
		return nil
	}
}

// Columns names the columns of the log that the rule reads besides the reward, for values of f.Options;
// a log need not have them.
func (f *Filter) Columns(o estimators.Values) []string {
	if f.columns == nil {
		return nil
	}
	return f.columns(o)
}

// missing is the refusal of a rule that reads what the log lacks.
func missing(what string) error {
	return &estimators.Refusal{Kind: estimators.KindMissing, Text: what}
}

// Dropped is what a trainer does with dropped rows.
type Dropped int

// What becomes of dropped rows.
const (
	Refilled Dropped = iota // other prompts are generated until the batch is full
	Removed                 // they are not trained on, and nothing takes their place
	Masked                  // they stay in the batch with a loss mask of 0, and count where the loss counts rows
)

// String returns the fate in a word.
func (d Dropped) String() string {
	switch d {
	case Removed:
		return "removed"
	case Masked:
		return "masked"
	default:
		return "refilled"
	}
}

// Batch is what a rule decides about: the rows of one step in the order in which they came, groups
// adjacent; group g is the half-open range Offsets[g]:Offsets[g+1]. N is the number of rows.
type Batch struct {
	Rewards []float64 // N: as they are trained on, after shaping by length
	Raw     []float64 // N: before that shaping; nil if there is none
	Offsets []int     // number of groups + 1

	Advantages []float64 // N: of the estimator, before any filter; nil unless NeedsAdvantages
	Lengths    []int32   // N: response tokens in the loss; nil if unknown

	// Column returns the values of a column of the log, N, nil if there is none; estimators.IsMissing
	// tells rows without a value. The function is nil if a log has no columns.
	Column func(name string) []float64
}

// Groups returns the number of groups.
func (b Batch) Groups() int { return max(0, len(b.Offsets)-1) }

func (b Batch) ragged() bool {
	g := 1
	for g < len(b.Offsets) && b.Offsets[g]-b.Offsets[g-1] == b.Offsets[1]-b.Offsets[0] {
		g++
	}
	return g < len(b.Offsets)
}

func (b Batch) column(name string) []float64 {
	if b.Column == nil {
		return nil
	}
	return b.Column(name)
}

// raw returns the rewards before shaping by length.
func (b Batch) raw() []float64 {
	if b.Raw != nil {
		return b.Raw
	}
	return b.Rewards
}

func (b Batch) live(i int) bool { return b.Lengths == nil || b.Lengths[i] > 0 }

func anyNumber() estimators.Kind { return estimators.Number(math.Inf(-1), math.Inf(1)) }
