package estimators

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Scale says what centred rewards are divided by.
type Scale string

// The three scales of the field. A framework without the option has exactly one.
const (
	ScaleGroup Scale = "group" // the standard deviation of the sample's group
	ScaleBatch Scale = "batch" // the standard deviation of the whole batch
	ScaleNone  Scale = "none"  // nothing
)

// Float is the precision in which a framework computes.
type Float int

// The precisions found in the frameworks.
const (
	Float32 Float = 32
	Float64 Float = 64
)

// Outputs says which outputs of a rollout the rewards of a batch are of. A rollout has several where
// an agent restarts its context.
type Outputs int

// The ways to count outputs.
const (
	OutputsUnknown Outputs = iota // the framework has no rollouts of several outputs, or they were not looked into
	LastOutput                    // the last one; its advantage is that of the others
	EachOutput                    // every output is a sample
	ByRollout                     // the estimator gets every output, and reads Batch.Rollouts
)

// Estimator is one estimator of one framework: its description and its arithmetic.
// It is a value in the list [All].
type Estimator struct {
	Entry

	Scales []Scale // the scales that the framework offers, its default first; [ScaleNone] alone if not given

	// ScaleError is the text of the framework's ValueError for any other scale, with
	// %s for the scale; empty if it raises none.
	ScaleError string

	TrainerFilters bool  // the framework's trainer accepts keep_pos_ratio, keep_neg_ratio and compute_new_adv with it
	CanFilter      bool  // it belongs to the GRPO family, so the filter can be tried on it
	DependsOnBatch bool  // the advantages of a group depend on the other groups, under any scale
	Float          Float // the precision of the arithmetic; [Float32] if not given

	// Tolerance is the largest difference to the framework's advantages, relative to
	// the largest one of the batch or to 1 if that is more. 0 means equal bit for bit.
	Tolerance float64

	// Clean is what the trainer does to the logged rewards before the estimator;
	// [Estimator.CleanInto] does it.
	Clean Cleaning

	// Needs is what a log must hold besides rewards and groups.
	Needs Needs

	// Outputs is how the trainer counts a rollout of several outputs.
	Outputs Outputs

	// Given are the options that are not at their default, as [Estimator.With] set them.
	Given Options

	// configure changes the estimator to what Options say; nil without Options.
	configure func(*Estimator, Values)

	// Draws: which samples the estimator leaves out is drawn at random by the trainer, how many is not.
	// [Estimator.Select] leaves out as many, but others.
	Draws bool

	// selects is which samples the estimator itself takes, nil if all; [Estimator.Select] calls it.
	selects selection

	// zeroStd is how the trainer computes the frac_reward_zero_std that it logs, nil if it
	// logs none; [Estimator.ZeroStd] calls it.
	zeroStd zeroStd

	// Advantage writes the advantages of the batch to dst, len(dst) == N, of the
	// rewards that CleanInto wrote. The error, if any, is a *Refusal; dst is filled
	// all the same. Advantage is nil if NotComputable is not empty.
	Advantage func(dst []float64, b Batch, s Scale) error
}

// With returns the estimator with options; those that it does not have do not count. The error is one
// sentence on a value that its option does not take.
func (e *Estimator) With(given Options) (*Estimator, error) {
	values, err := given.Values(e.Options)
	if err != nil || values.given == "" {
		return e, err
	}
	with := *e
	with.Given = values.given
	with.configure(&with, values)
	return &with, nil
}

// Precision returns the precision of the framework, how close the advantages are to its
// own, and on which machine: "float64, exactly as numpy or Python on a CPU".
func (e *Estimator) Precision() string {
	switch {
	case !e.Computable():
		return fmt.Sprintf("float%d", e.Float)
	case e.NoPublicCode:
		return fmt.Sprintf("float%d, from a description: no public code to compare with", e.Float)
	case e.Tolerance == 0:
		return fmt.Sprintf("float%d, exactly as %s", e.Float, e.Runtime())
	}
	return fmt.Sprintf("float%d, to 1e%.0f of %s", e.Float, math.Log10(e.Tolerance), e.Runtime())
}

// Runtime returns what the golden cases were run on, as in Precision; empty if there are none.
func (e *Estimator) Runtime() string {
	switch {
	case !e.Computable() || e.NoPublicCode:
		return ""
	case e.Float == Float64:
		return "numpy or Python on a CPU"
	case e.Tolerance > 0:
		return "PyTorch on a CPU; CUDA untested"
	}
	return "PyTorch on a CPU, IEEE square root; CUDA untested"
}

// HasScale reports whether the framework offers s with this estimator.
func (e *Estimator) HasScale(s Scale) bool { return slices.Contains(e.Scales, s) }

// CheckScale returns nil if the framework offers s, else the [Refusal] that it
// raises or, if it raises none, an error that names the scales there are.
func (e *Estimator) CheckScale(s Scale) error {
	if e.HasScale(s) {
		return nil
	}
	if e.ScaleError != "" {
		return valueError(e.ScaleError, s)
	}
	return fmt.Errorf("%s has no scale %q: it has %s", e.Title(), s, strings.Join(e.ScaleNames(), ", "))
}

// ScaleNames returns the scales by their names, the default first.
func (e *Estimator) ScaleNames() []string {
	names := make([]string, len(e.Scales))
	for i, s := range e.Scales {
		names[i] = string(s)
	}
	return names
}

// Separable reports whether any range of the groups of b can be computed on its own:
// the advantages are equal bit for bit, and e refuses the batch if and only if it
// refuses a range. All groups must have the same size, since frameworks refuse ragged ones.
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

// ComparesGroups reports whether a group of equal rewards gets advantages by the formula itself, since these compare its samples with
// those of other groups, with a baseline or with 0. If not, what is not 0 there is residue of float arithmetic. Estimators that need
// components compare these within the group; for them, and for those that need columns, it returns false.
func (e *Estimator) ComparesGroups(s Scale) bool {
	// Small integers in groups of four: no float misses the mean of a group.
	b := Batch{
		Rewards: []float64{1, 1, 1, 1, 0, 0, 1, 1}, Offsets: []int{0, 4, 8}, Lengths: []int32{1, 2, 3, 4, 1, 2, 3, 4},
		Baselines: make([]float64, 8), Rollouts: []int32{0, 1, 2, 3, 4, 5, 6, 7},
	}
	var a [8]float64
	if e.MissingIn(b) != "" {
		return false
	}
	_ = e.Advantage(a[:], b, s)
	return math.Abs(a[0]) > 1e-3 // the mean over the batch that some subtract at the end is missed by a bit
}

// Needs is what an estimator reads besides rewards and groups. The zero value means
// nothing more.
type Needs struct {
	Lengths    bool      // Batch.Lengths: response tokens in the loss
	Components bool      // Batch.Components: the reward of each reward function
	Baselines  bool      // Batch.Baselines: the reward of one greedy response per prompt
	Columns    ColumnSet // Batch.Columns
	Optional   ColumnSet // Batch.Columns that it reads if they are there
}

// NeedsOnlyRewards reports whether rewards and groups are enough.
func (e *Estimator) NeedsOnlyRewards() bool { return e.Needs == Needs{} && e.NotComputable == "" }

// KindMissing is the kind of a [Refusal] that no framework raises: the batch does not
// hold what [Needs] lists.
const KindMissing = "missing"

// Computable reports whether the advantages can be computed from what a [Batch] can
// hold. If not, Advantage is nil.
func (e *Estimator) Computable() bool { return e.Advantage != nil }

// MissingIn names what the estimator needs and b does not hold: "response lengths",
// "reward components", "greedy baselines", the first [Column] that is not there, or the
// reason why no batch is enough. It is empty if b holds all of it.
func (e *Estimator) MissingIn(b Batch) string {
	switch n := e.Needs; {
	case e.NotComputable != "":
		return e.NotComputable
	case n.Lengths && len(b.Lengths) != len(b.Rewards):
		return "response lengths"
	case n.Components && (len(b.Components) == 0 || slices.ContainsFunc(b.Components, func(c []float64) bool {
		return len(c) != len(b.Rewards)
	})):
		return "reward components"
	case n.Baselines && len(b.Baselines) != len(b.Rewards):
		return "greedy baselines"
	}
	for _, c := range e.Needs.Columns.List() {
		if len(b.Column(c)) != len(b.Rewards) {
			return c.String()
		}
	}
	return ""
}

// Compute is Advantage after a check of what b holds: if something is missing, dst
// becomes NaN and the error is a [Refusal] of the kind [KindMissing].
func (e *Estimator) Compute(dst []float64, b Batch, s Scale) error {
	if missing := e.MissingIn(b); missing != "" {
		fillNaN(dst)
		return &Refusal{Kind: KindMissing, Text: missing}
	}
	return e.Advantage(dst, b, s)
}

// notComputable returns the entry of an estimator that no reward log can feed, so that
// a reader finds it in the list, with the reason.
func notComputable(name, formula, source, why string) *Estimator {
	e := about(name, formula, source, why)
	e.NotComputable = why
	return e.by(Estimator{})
}

// teacherNeeded ends the reason of estimators that distil a teacher.
const teacherNeeded = "A log would need the log-probability of every token under the policy and under the teacher."

// missingBits is a quiet NaN whose payload no arithmetic produces.
const missingBits = 0x7ff8_0000_0000_07a2

// MissingReward returns the NaN that stands for a reward that the log does not hold.
func MissingReward() float64 { return math.Float64frombits(missingBits) }

// IsMissing reports whether x is [MissingReward]. A NaN that arithmetic gave is not.
func IsMissing(x float64) bool { return math.Float64bits(x) == missingBits }

// loggedNaNBits is another.
const loggedNaNBits = 0x7ff8_0000_0000_07a3

// LoggedNaN returns the NaN that stands for an advantage that is NaN in the log: any other says that the log has none there.
func LoggedNaN() float64 { return math.Float64frombits(loggedNaNBits) }

// IsLoggedNaN reports whether x is [LoggedNaN].
func IsLoggedNaN(x float64) bool { return math.Float64bits(x) == loggedNaNBits }

// fillNaN marks advantages that nothing defines.
func fillNaN(dst []float64) {
	for i := range dst {
		dst[i] = math.NaN()
	}
}
