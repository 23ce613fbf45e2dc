package estimators

import "math"

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
	case n.Components && !allOfLength(b.Components, len(b.Rewards)):
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

// allOfLength reports whether there are components and each has n values.
func allOfLength(components [][]float64, n int) bool {
	for _, c := range components {
		if len(c) != n {
			return false
		}
	}
	return len(components) > 0
}

// notComputable returns the entry of an estimator that no reward log can feed, so that
// a reader finds it in the list, with the reason.
func notComputable(name, formula, source, why string) *Estimator {
	return &Estimator{Entry: Entry{Name: name, Formula: formula, Doc: why, Source: source, NotComputable: why}}
}

// teacherNeeded ends the reason of estimators that distil a teacher.
const teacherNeeded = "A log would need the log-probability of every token under the policy and under the teacher."

// missingBits is a quiet NaN whose payload no arithmetic produces.
const missingBits = 0x7ff8_0000_0000_07a2

// MissingReward returns the NaN that stands for a reward that the log does not hold.
func MissingReward() float64 { return math.Float64frombits(missingBits) }

// IsMissing reports whether x is [MissingReward]. A NaN that arithmetic gave is not.
func IsMissing(x float64) bool { return math.Float64bits(x) == missingBits }

// fillNaN marks advantages that nothing defines.
func fillNaN(dst []float64) {
	for i := range dst {
		dst[i] = math.NaN()
	}
}
