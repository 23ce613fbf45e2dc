package estimators

// Needs is what an estimator reads beside rewards and groups. The zero value
// needs nothing more.
type Needs struct {
	Lengths    bool // Batch.Lengths: response tokens in the loss
	Components bool // Batch.Components: the reward of each reward function
	Baselines  bool // Batch.Baselines: the reward of one greedy response per prompt

	// NotComputable says why the advantages cannot be computed from a reward log, and
	// what a log would have to hold. Empty if they can.
	NotComputable string
}

// KindMissing is the kind of a [Refusal] that no framework raises: the batch does not
// hold what [Needs] asks for.
const KindMissing = "missing"

// Computable reports whether advantages can be computed at all from what a
// [Batch] can hold. Without it, Advantage is nil.
func (e *Estimator) Computable() bool { return e.Advantage != nil }

// MissingIn names what the estimator needs and the batch does not hold: "response
// lengths", "reward components", "greedy baselines", or the reason why nothing
// would do. It is empty if the batch has all that is needed.
func (e *Estimator) MissingIn(b Batch) string {
	switch n := e.Needs; {
	case n.NotComputable != "":
		return n.NotComputable
	case n.Lengths && len(b.Lengths) != len(b.Rewards):
		return "response lengths"
	case n.Components && !whole(b.Components, len(b.Rewards)):
		return "reward components"
	case n.Baselines && len(b.Baselines) != len(b.Rewards):
		return "greedy baselines"
	}
	return ""
}

// Compute is Advantage behind a look at what the batch holds: where it lacks
// something, dst becomes NaN and the refusal is of the kind [KindMissing].
func (e *Estimator) Compute(dst []float64, b Batch, s Scale) error {
	if lack := e.MissingIn(b); lack != "" {
		fillNaN(dst)
		return &Refusal{Kind: KindMissing, Text: lack}
	}
	return e.Advantage(dst, b, s)
}

// whole reports whether there are components and each has n values.
func whole(components [][]float64, n int) bool {
	for _, c := range components {
		if len(c) != n {
			return false
		}
	}
	return len(components) > 0
}

// notComputable is the entry of an estimator that a reward log cannot feed.
func notComputable(framework, name, formula, source, why string) *Estimator {
	return &Estimator{
		Framework: framework, Name: name, Scales: []Scale{ScaleNone}, Float: Float32,
		Formula: formula, Doc: why, Source: source,
		Needs: Needs{NotComputable: why},
	}
}
