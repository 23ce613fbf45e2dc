package lossweight

import (
	"errors"
	"math"

	"vantage/estimators"
)

// Loss is how one framework averages the losses of tokens and rows: its description and its
// arithmetic. It is a value in the list [All]. Its Formula is the weight of a row: l tokens of the row, T of
// all rows, N rows.
type Loss struct {
	estimators.Entry

	NeedsLengths    bool // the weights depend on Batch.Lengths
	NeedsAdvantages bool // the weights depend on Batch.Advantages

	// MasksDropped: samples that the trainer's keep rule drops have a loss mask of 0.
	MasksDropped bool

	// weigh writes the weights of b to dst; its errors are those of Weigh.
	weigh func(dst []float64, b Batch, v estimators.Values) error
}

// catalogue lists the losses, in the order of package estimators, of each framework its default first.
func catalogue() estimators.Catalogue[*Loss] {
	return estimators.Catalogue[*Loss]{
		NoFramework: "no loss of the framework %q is known: choose %s", NoName: "%s has no loss %q: choose %s",
		Lists: []estimators.List[*Loss]{
			{Framework: "easyr1", Entries: easyR1},
			{Framework: "verl", Entries: verl},
			{Framework: "trl", Entries: trl},
			{Framework: "ms-swift", Entries: swift},
			{Framework: "openrlhf", Entries: openRLHF},
			{Framework: "nemo-rl", Entries: nemoRL},
			{Framework: "prime-rl", Entries: primeRL},
			{Framework: "slime", Entries: slime},
			{Framework: "skyrl", Entries: skyRL},
			{Framework: "roll", Entries: roll},
			{Framework: "tunix", Entries: tunix},
			{Framework: "easyr1-upstream", Entries: easyR1Upstream},
		},
	}
}

// All returns the losses, of each framework its default first.
func All() []*Loss { return catalogue().All() }

// Find returns the loss of a framework by its name; "" is the one of a trainer that is told nothing. The
// error lists the alternatives.
func Find(framework, name string) (*Loss, error) {
	if name == "" {
		return catalogue().Default(framework)
	}
	return catalogue().Find(framework, name)
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
