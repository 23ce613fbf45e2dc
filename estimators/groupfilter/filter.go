package groupfilter

// Filter is the rule of one framework for which groups of a batch are trained on: its description and
// its arithmetic. It is a value in the list [All].
type Filter struct {
	Framework string // whose rule, as in estimators.Estimator
	Name      string // as the framework's option spells it: "filter_groups"

	Rule   string // one line: which groups stay: "std(r) > 1e-6"
	Doc    string // strictness, precision, groups of one, NaN, equal rewards that are not dropped: a few sentences
	Source string // repository@revision, file and function

	Fate Fate // what becomes of the rows that are dropped

	NeedsAdvantages bool // the rule reads Batch.Advantages
	NeedsLengths    bool // the rule reads Batch.Lengths

	// Decide writes the verdict on b. len(v.Admitted) is the number of groups. The error is a
	// *estimators.Refusal if the trainer's own code would raise for the batch; v is filled all the same.
	Decide func(v *Verdict, b Batch) error
}

// Fate is what a trainer does with dropped rows.
type Fate int

// What becomes of dropped rows.
const (
	Refilled Fate = iota // other prompts are generated until the batch is full
	Removed              // they are not trained on, and nothing takes their place
	Masked               // they stay in the batch with a loss mask of 0, and count where the loss counts rows
)

// Batch is what a rule decides about: the rows of one step, groups adjacent; group g is the half-open
// range Offsets[g]:Offsets[g+1]. N is the number of rows.
type Batch struct {
	Rewards []float64 // N: as they are trained on, after shaping by length
	Raw     []float64 // N: before that shaping; nil if there is none
	Offsets []int     // number of groups + 1

	Advantages []float64 // N: of the estimator, before any filter; nil unless NeedsAdvantages
	Lengths    []int32   // N: response tokens; nil if unknown
	Components [][]float64
	Weights    []float64 // of the components; nil if all are 1

	// Column returns the values of a column of the log, nil if there is none.
	Column func(name string) []float64
}

// Verdict is what a rule says of a batch.
type Verdict struct {
	Admitted []bool   // by group: at least one row trains
	Reasons  []Reason // by group: why it is dropped; zero for admitted groups

	// Kept says which rows train, where a rule drops single rows; nil if all rows of admitted groups do.
	Kept []bool

	// Note is about the batch as a whole: "3 of 8 groups are good: less than min_replace_ratio, so the
	// batch is refused". Empty if there is nothing to say.
	Note string
}

// Reason is why a group is dropped: "std 0", "mean 0.97".
type Reason struct {
	What  string  // constant text: "std", "mean", "one row"
	Value float64 // of what was measured; NaN if there is no number to show
}
