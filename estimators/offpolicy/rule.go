package offpolicy

import (
	"math"
	"slices"

	"vantage/estimators"
)

// Rule is one trainer's correction or filter: its description and its arithmetic. It is a value in the list [All].
type Rule struct {
	estimators.Entry

	Level  string // what its bound looks at: "token", "sequence" (Σd), "geometric" (mean d), "row", "version"
	Bounds string // at the trainer's defaults, with what happens at the bound: "ρ ≤ 2"

	// Where its defaults leave it off, Usual are options that switch it on, with the bounds of its trainer's documents or
	// presets where they name any.
	Usual estimators.Options

	OnByDefault bool  // the trainer applies it unless it is told not to
	Swept       Swept // its main bound

	ChangesWeights bool // tokens get a weight
	ChangesMask    bool // tokens leave the loss mask
	DropsRows      bool // rows leave the batch before the step

	BeforeAdvantages bool // it happens before the advantages are computed; else after
	Denominator      string

	Needs

	apply arithmetic
}

// Needs are what a rule reads next to the log-probs of sampler and trainer.
type Needs struct {
	Policy     bool // n; without it a rule is exact only where n = o
	Advantages bool
	Versions   bool // and neither log-probs nor a mask
}

// What happens to the loss denominator: the number of tokens, or of rows, that the trainer divides by.
const (
	denominatorStays    = "stays: a removed token still counts"
	denominatorShrinks  = "shrinks: a removed token no longer counts"
	denominatorOriginal = "stays: the mask changes, but the count of before divides"
	denominatorRows     = "has fewer rows, or others in their place"
)

// ShrinksLoss reports whether what the rule removes no longer counts in the denominator of the loss.
func (r *Rule) ShrinksLoss() bool { return r.Denominator == denominatorShrinks }

// catalogue lists the rules, in the order of package estimators; the first of a framework is not more usual than others.
func catalogue() estimators.Catalogue[*Rule] {
	return estimators.Catalogue[*Rule]{
		NoFramework: "no off-policy rule of the framework %q is known: choose %s", NoName: "%s has no off-policy rule %q: choose %s",
		Lists: []estimators.List[*Rule]{
			{Framework: "verl", Entries: verl},
			{Framework: "trl", Entries: trl},
			{Framework: "unsloth", Entries: unsloth},
			{Framework: "ms-swift", Entries: swift},
			{Framework: "openrlhf", Entries: openRLHF},
			{Framework: "nemo-rl", Entries: nemoRL},
			{Framework: "prime-rl", Entries: primeRL},
			{Framework: "slime", Entries: slime},
			{Framework: "miles", Entries: miles},
			{Framework: "skyrl", Entries: skyRL},
			{Framework: "roll", Entries: roll},
			{Framework: "open-instruct", Entries: openInstruct},
			{Framework: "areal", Entries: areal},
		},
	}
}

// All returns the rules.
func All() []*Rule { return catalogue().All() }

// Find returns the rule of a framework by its name. The error lists the alternatives.
func Find(framework, name string) (*Rule, error) { return catalogue().Find(framework, name) }

// Values returns the values of the rule's options. The error is one sentence: an option that the rule does not have, with
// those that it has, or a value that its option does not take.
func (r *Rule) Values(given estimators.Options) (estimators.Values, error) {
	resolved, err := given.Resolve(r.Framework+"/"+r.Name, r.Options)
	if err != nil {
		return estimators.Values{}, err
	}
	return resolved.Values(r.Options)
}

const withoutPolicy = "no log-probs of the policy within the update are there: exact at the first update of a batch, " +
	"where they are the trainer's"

// Result is what a rule does to a batch.
type Result struct {
	Rows []Outcome

	// Inexact says why the numbers are not those of every update; empty if they are.
	Inexact string
}

// Apply returns what the rule does to each row of b. v are values of r.Options: see [Rule.Values].
//
// The error is a *estimators.Refusal: what the trainer raises or, of the kind estimators.KindMissing, what b lacks.
func (r *Rule) Apply(b Batch, v estimators.Values) (Result, error) {
	each, settle, err := r.begin(b, v)
	if err != nil {
		return Result{}, err
	}
	return r.whole(b, each, settle)
}

// whole is [Rule.Apply] with the arithmetic of the rule.
func (r *Rule) whole(b Batch, each rowRule, settle func([]*row) error) (result Result, err error) {
	rows, scored := make([]row, len(b.Rows)), make([]*row, 0, len(b.Rows))
	m := &memory{}
	for i, x := range b.Rows {
		if !r.scores(x) {
			continue
		}
		rows[i] = r.reading(x, m)
		each(&rows[i], b.Step)
		scored = append(scored, &rows[i])
	}
	if settle != nil {
		err = settle(scored)
	}
	result.Inexact = r.inexact(b)
	result.Rows = make([]Outcome, len(b.Rows))
	for i, x := range b.Rows {
		if r.scores(x) {
			result.Rows[i] = rows[i].outcome()
		} else {
			result.Rows[i].Unscored = true
		}
	}
	return result, err
}

// Each is Apply for rows of which only a few numbers are wanted: visit gets what the rule does to each, in order, in memory that the next
// one uses again. Rows of rules that need the whole batch come once all of them are done.
func (r *Rule) Each(b Batch, v estimators.Values, visit func(i int, o Outcome)) (inexact string, err error) {
	each, settle, err := r.begin(b, v)
	switch {
	case err != nil:
		return "", err
	case settle != nil:
		result, err := r.whole(b, each, settle)
		if err != nil {
			return "", err
		}
		for i, o := range result.Rows {
			visit(i, o)
		}
		return result.Inexact, nil
	}
	m, reading := &memory{}, row{}
	for i, x := range b.Rows {
		if !r.scores(x) {
			visit(i, Outcome{Unscored: true})
			continue
		}
		m.empty()
		reading = r.reading(x, m)
		each(&reading, b.Step)
		visit(i, reading.outcome())
	}
	return r.inexact(b), nil
}

// begin returns the arithmetic of a rule for a batch that has what it reads.
func (r *Rule) begin(b Batch, v estimators.Values) (each rowRule, settle func([]*row) error, err error) {
	if missing := r.MissingIn(b); missing != "" {
		return nil, nil, &estimators.Refusal{Kind: estimators.KindMissing, Text: missing}
	}
	return r.apply(v)
}

// inexact says why numbers of a batch are not those of every update; empty if they are.
func (r *Rule) inexact(b Batch) string {
	if r.Policy && slices.ContainsFunc(b.Rows, func(x Row) bool { return r.scores(x) && x.Policy == nil }) {
		return withoutPolicy
	}
	return ""
}

// Check returns what the trainer says of values, whatever the rows: nil if it takes them.
func (r *Rule) Check(v estimators.Values) error {
	_, _, err := r.apply(v)
	return err
}

// reading is a row for the rule: one that looks at versions alone needs no log-probs, and has a token at least to drop.
func (r *Rule) reading(x Row, m *memory) row {
	if !r.Versions {
		return m.reading(x)
	}
	mask := x.Mask
	if mask == nil {
		mask = m.truths(max(len(x.Sampler), len(x.Trainer), 1))
	}
	return row{Row: x, mask: mask, divided: 1, memory: m}
}

// MissingIn names what the rule needs and no row of b holds. It is empty if one does: see [Outcome.Unscored] for the others.
func (r *Rule) MissingIn(b Batch) string {
	if r.NotComputable != "" || len(b.Rows) == 0 {
		return r.NotComputable
	}
	has := func(there func(x Row) bool) bool { return slices.ContainsFunc(b.Rows, there) }
	switch {
	case r.Versions && !has(func(x Row) bool { return x.Versions != nil }):
		return "the versions of the policies that sampled the rows"
	case r.Versions:
		return ""
	case !has(func(x Row) bool { return x.Sampler != nil }):
		return "log-probs of the engine that sampled"
	case !has(func(x Row) bool { return x.Trainer != nil }):
		return "log-probs of the trainer before the update"
	case r.Advantages && !has(Row.advised):
		return "advantages"
	}
	return ""
}

// scores reports whether a row holds what the rule needs.
func (r *Rule) scores(x Row) bool {
	if r.Versions {
		return x.Versions != nil
	}
	return x.Even() && (!r.Advantages || x.advised())
}

// arithmetic reads the options of a rule and returns what it does to a row, and what it does once all rows are done, or nil.
type arithmetic func(v estimators.Values) (each rowRule, settle func([]*row) error, err error)

// rowRule is what a rule does to one row at a step.
type rowRule func(x *row, step int)

// byRow is a rule that looks at one row at a time, whatever the step.
func byRow(build func(v estimators.Values) func(x *row)) arithmetic {
	return func(v estimators.Values) (rowRule, func([]*row) error, error) {
		each := build(v)
		return func(x *row, _ int) { each(x) }, nil, nil
	}
}

// number returns the value of an option in the trainer's float32, and otherwise for none.
func number(v estimators.Values, key string, otherwise float64) float32 {
	return float32(v.NumberOr(key, otherwise))
}

// bounds returns two options in float32; none is infinite.
func bounds(v estimators.Values, low, high string) (float32, float32) {
	return number(v, low, math.Inf(-1)), number(v, high, math.Inf(1))
}

func valueError(text string) error { return &estimators.Refusal{Kind: "ValueError", Text: text} }
