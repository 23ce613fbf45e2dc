package lossweight

// Loss is how one framework averages the losses of tokens and rows: its description and its
// arithmetic. It is a value in the list [All].
type Loss struct {
	Framework string // whose loss, as in estimators.Estimator
	Name      string // as the framework's option spells it: "token-mean"
	Default   bool   // it is what the framework does without the option

	Formula string // one line: l tokens of the row, T of the batch, N rows: "l / T"
	Doc     string // empty rows, masked rows, micro-batches: a few sentences
	Source  string // repository@revision, file and function

	// Weigh writes the weight of each row of b to dst: the loss if the loss of each of its tokens is 1
	// and that of all others 0, which is what multiplies the row's advantage at ratio 1. The error is a
	// *estimators.Refusal if the trainer's own code would raise; dst is filled all the same.
	Weigh func(dst []float64, b Batch) error
}

// Batch is the rows of one optimizer step. N is their number; groups are adjacent.
type Batch struct {
	Lengths    []int32   // N: response tokens with loss mask 1
	Offsets    []int     // number of groups + 1: group g is the half-open range Offsets[g]:Offsets[g+1]
	Advantages []float64 // N: what trains; read by losses that leave out rows of advantage 0
	Masked     []bool    // N: rows with a loss mask of 0; nil if there are none
	Rollouts   []int32   // N: number of the rollout that the row is an output of; nil if each row is one
	Width      int       // of the padded responses in tokens, 0 if it is that of the longest
}
