package estimators

import (
	"fmt"
	"math"
	"strings"
)

// Scale says what centred rewards are divided by.
type Scale string

// The three scales of the field. A framework without a choice has exactly one.
const (
	ScaleGroup Scale = "group" // the standard deviation of the sample's group
	ScaleBatch Scale = "batch" // the standard deviation of the whole batch
	ScaleNone  Scale = "none"  // nothing
)

// Float is the precision in which a framework computes.
type Float int

// The precisions met in the frameworks.
const (
	Float32 Float = 32
	Float64 Float = 64
)

// Batch is one training step as an estimator sees it. What comes after Offsets is
// optional: [Needs] says which estimators read it.
type Batch struct {
	Rewards []float64 // length N, groups contiguous, batch order within a group
	Offsets []int     // length G+1, ascending from 0 to N; group g is Rewards[Offsets[g]:Offsets[g+1]]

	Lengths    []int32     // length N: response tokens in the loss
	Components [][]float64 // K slices of length N: what each reward function gave, NaN where it gave nothing
	Weights    []float64   // length K: what the components are multiplied by; nil means 1 each
	Baselines  []float64   // length N: reward of the greedy response to the same prompt
}

// Groups returns G, the number of groups.
func (b Batch) Groups() int { return max(0, len(b.Offsets)-1) }

// Group returns the rewards of group g, in batch order.
func (b Batch) Group(g int) []float64 { return b.Rewards[b.Offsets[g]:b.Offsets[g+1]] }

// Estimator is one estimator of one framework: what a person has to know about
// it, and the function. It is a value in the list [All]; nothing registers.
type Estimator struct {
	Framework      string  // whose arithmetic: "easyr1", "twinkle", …
	Name           string  // as that framework's option spells it: "grpo", "rloo"
	Scales         []Scale // the scales that the framework offers, its default first
	ScaleError     string  // what the framework says of any other scale, with %s for it; "" if nothing
	TrainerFilters bool    // the framework's trainer accepts keep_pos_ratio, keep_neg_ratio and compute_new_adv with it
	CanFilter      bool    // it is of the GRPO family, so the filter can be tried on it
	DependsOnBatch bool    // other groups of the batch bear on the advantages of a group, whatever the scale: their size, if nothing else
	Float          Float   // the precision of the arithmetic

	// Tolerance is how far the advantages here may be from the framework's,
	// relative to the largest of the batch or to 1 if that is more. 0 is equal to
	// the bit.
	Tolerance float64

	Formula string // one line: r reward, μ and s mean and std of the group, n its size
	Doc     string // ddof, eps, groups of one, constant groups, ragged groups, NaN: a few sentences
	Source  string // repository, revision, file and function or lines

	// Clean is what the trainer makes of the logged rewards before any estimator
	// sees them (NaN to 0, say); [Estimator.CleanInto] does it. 0 is nothing but the
	// rounding to Float.
	Clean Cleaning

	// Needs is what a log must hold beside rewards and groups, or why no log
	// that holds only such things will do.
	Needs Needs

	// Advantage writes the advantages of the batch to dst, len(dst) == N. The
	// rewards are those that CleanInto wrote. The error, if any, is a *Refusal;
	// dst is filled all the same. It is nil if Needs.NotComputable is not empty.
	Advantage func(dst []float64, b Batch, s Scale) error
}

// Precision says in what a framework computes, and how near the numbers here are:
// "float32, to the bit", "float32, to 1e-4".
func (e *Estimator) Precision() string {
	switch {
	case !e.Computable():
		return fmt.Sprintf("float%d", e.Float)
	case e.Tolerance == 0:
		return fmt.Sprintf("float%d, to the bit", e.Float)
	}
	return fmt.Sprintf("float%d, to 1e%.0f", e.Float, math.Log10(e.Tolerance))
}

// HasScale reports whether the framework offers s with this estimator.
func (e *Estimator) HasScale(s Scale) bool {
	for _, have := range e.Scales {
		if have == s {
			return true
		}
	}
	return false
}

// CheckScale returns what the framework raises for a scale that it lacks, a
// [Refusal], where it raises anything; else an error that says what there is.
func (e *Estimator) CheckScale(s Scale) error {
	if e.HasScale(s) {
		return nil
	}
	if e.ScaleError != "" {
		return valueError(e.ScaleError, s)
	}
	names := make([]string, len(e.Scales))
	for i, s := range e.Scales {
		names[i] = string(s)
	}
	return fmt.Errorf("%s %s has no scale %q: it has %s", e.Framework, e.Name, s, strings.Join(names, ", "))
}

// Refusal is what the framework's own code raises for a batch or, with the kind
// [KindMissing], what the batch lacks of the estimator's needs.
type Refusal struct {
	Kind   string // the exception's type: "ValueError"
	Text   string // its message
	Groups []int  // the groups that cause it; nil if the batch as a whole does
}

// Error is the type and the message, as a traceback ends.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Kind, r.Text) }

// missingBits is a quiet NaN whose payload no arithmetic produces.
const missingBits = 0x7ff8_0000_0000_07a2

// MissingReward is the reward of a sample whose log has none.
func MissingReward() float64 { return math.Float64frombits(missingBits) }

// IsMissing reports whether x is [MissingReward]. NaN results of arithmetic are not.
func IsMissing(x float64) bool { return math.Float64bits(x) == missingBits }

// OneGroup returns samples [lo, hi), one group, as a batch of their own. It shares the
// memory of b.
func (b Batch) OneGroup(lo, hi int) Batch { return b.part(lo, hi, []int{0, hi - lo}) }

// GroupRange returns groups [from, to) as a batch of their own. It shares the memory of b.
func (b Batch) GroupRange(from, to int) Batch {
	lo := b.Offsets[from]
	offsets := make([]int, to-from+1)
	for i := range offsets {
		offsets[i] = b.Offsets[from+i] - lo
	}
	return b.part(lo, b.Offsets[to], offsets)
}

func (b Batch) part(lo, hi int, offsets []int) Batch {
	part := Batch{Rewards: b.Rewards[lo:hi:hi], Offsets: offsets, Weights: b.Weights}
	if b.Lengths != nil {
		part.Lengths = b.Lengths[lo:hi:hi]
	}
	if b.Baselines != nil {
		part.Baselines = b.Baselines[lo:hi:hi]
	}
	for _, c := range b.Components {
		part.Components = append(part.Components, c[lo:hi:hi])
	}
	return part
}

// Separable reports whether some groups of the batch may be computed apart from the others:
// their advantages are the same to the bit, and if e refuses the batch it refuses one of
// the parts. Groups must have one size, since frameworks refuse what is ragged.
func (e *Estimator) Separable(b Batch, s Scale) bool {
	if e.DependsOnBatch || s == ScaleBatch {
		return false
	}
	for g := 1; g < len(b.Offsets); g++ {
		if b.Offsets[g]-b.Offsets[g-1] != b.Offsets[1] {
			return false
		}
	}
	return true
}
