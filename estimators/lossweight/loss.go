package lossweight

import (
	"errors"
	"math"

	"vantage/estimators"
)

// Loss is how one framework averages the losses of tokens and rows: its description and its
// arithmetic. It is a value in the list [All].
type Loss struct {
	Framework string // whose loss, as in estimators.Estimator; set by all.go
	Name      string // as the framework's option spells it: "token-mean"
	Default   bool   // it is what the framework does without the option; set by all.go

	// Key and Value are how the trainer is told: "actor_rollout_ref.actor.loss_agg_mode", "token-mean".
	Key, Value string

	Formula string // one line: l tokens of the row, T of all rows, N rows: "l / T"
	Doc     string // empty rows, masked rows, micro-batches: a few sentences
	Source  string // repository@revision or wheel, file and function

	Options []estimators.Option // what else of the trainer's configuration changes the weights

	NeedsLengths    bool // the weights depend on Batch.Lengths
	NeedsAdvantages bool // the weights depend on Batch.Advantages

	// MasksDropped: samples that the trainer's keep rule drops have a loss mask of 0.
	MasksDropped bool

	// NotComputable says why the loss gives no weight to a row; empty if it does.
	NotComputable string

	// weigh writes the weights of b to dst; its errors are those of Weigh.
	weigh func(dst []float64, b Batch, v estimators.Values) error
}

// Batch is the rows of one optimizer step, in the order of the trainer's batch. N is their number;
// groups are adjacent. Rows that the trainer takes out of its batch are not in it; those that it keeps
// with a loss mask of 0 are Masked.
type Batch struct {
	Lengths    []int32   // N: response tokens with loss mask 1; nil if unknown
	Offsets    []int     // number of groups + 1: group g is the half-open range Offsets[g]:Offsets[g+1]
	Advantages []float64 // N: what trains; read by losses that leave out rows of advantage 0
	Masked     []bool    // N: rows with a loss mask of 0, whatever Lengths says; nil if there are none

	// Rollouts is, for each row, the number of the rollout that it is an output of, from 0 without a
	// gap; nil if each row is a rollout of its own.
	Rollouts []int32
}

// MissingIn names what the loss needs and b does not hold: "response lengths", "advantages", or why the
// loss gives no weights. It is empty if b holds all of it.
func (l *Loss) MissingIn(b Batch) string {
	switch {
	case l.NotComputable != "":
		return l.NotComputable
	case l.NeedsLengths && b.Lengths == nil:
		return "response lengths"
	case l.NeedsAdvantages && b.Advantages == nil:
		return "advantages"
	}
	return ""
}

// Weigh writes the weight of each row of b to dst: the loss if the loss of each of its tokens is 1 and
// that of all others 0, which is what multiplies the row's advantage at ratio 1. len(dst) is the number
// of rows; v are values of l.Options.
//
// The error is a *estimators.Refusal: what the trainer raises or, of the kind estimators.KindMissing,
// what b lacks. Or it is ErrNaN. dst is NaN then.
func (l *Loss) Weigh(dst []float64, b Batch, v estimators.Values) error {
	err := l.tryWeigh(dst, b, v)
	if err != nil {
		for i := range dst {
			dst[i] = math.NaN()
		}
	}
	return err
}

func (l *Loss) tryWeigh(dst []float64, b Batch, v estimators.Values) error {
	if missing := l.MissingIn(b); missing != "" {
		return &estimators.Refusal{Kind: estimators.KindMissing, Text: missing}
	}
	if err := l.weigh(dst, b, v); err != nil || len(dst) == 0 {
		return err
	}
	if math.IsNaN(dst[0]) { // no row of the step has a token: all of them are 0 / 0
		return ErrNaN
	}
	return nil
}

// ErrNaN is that the trainer's loss is not a number.
var ErrNaN = errors.New("the trainer's loss is NaN: it divides by the tokens of rows that have none in the loss")
