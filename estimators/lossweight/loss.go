package lossweight

import (
	"errors"
	"iter"
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

// entry describes a loss whose name is the value that selects it.
func entry(name, formula, doc string, options ...estimators.Option) estimators.Entry {
	return estimators.Entry{Name: name, Value: name, Formula: formula, Doc: doc, Options: options}
}

// told returns the losses of a framework with the key whose values select them, their source, and options
// that all have.
func told(key, source string, list []*Loss, options ...estimators.Option) []*Loss {
	for _, l := range list {
		l.Key, l.Source, l.Options = key, source, append(l.Options, options...)
	}
	return list
}

// countOrNone is an option that takes a number from 1 on, and has none by default.
func countOrNone(key, meaning string) estimators.Option {
	return estimators.Option{Key: key, Kind: estimators.OrNone(estimators.Count(1)), Default: "none", Meaning: meaning}
}

// ofStep weighs the rows of a step by one weight.
func ofStep(w func(b Batch, rows int, v estimators.Values) weight) func([]float64, Batch, estimators.Values) error {
	return func(dst []float64, b Batch, v estimators.Values) error {
		b.setAll(dst, w(b, len(dst), v))
		return nil
	}
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

// The arithmetic here knows no framework. It is float32, as that of the frameworks: a weight is the
// value that the framework's own division gives.

// weight is how the weight of a row follows from its tokens l: l / total or, if each row weighs the same,
// 1 / total for a row that has tokens. The result is divided by then and by last.
type weight struct {
	total, then, last float32
	perRow            bool
}

// perToken gives each token the weight 1/total.
func perToken(total float32) weight { return weight{total: total, then: 1, last: 1} }

// perRow gives each row that has tokens the weight 1/total.
func perRow(total float32) weight { return weight{total: total, then: 1, last: 1, perRow: true} }

// dividedBy divides what w gives, as perToken and perRow return it, by then and by last.
func (w weight) dividedBy(then, last float32) weight {
	w.then, w.last = then, last
	return w
}

func (w weight) of(l float32) float32 {
	if w.perRow {
		l = min(l, 1)
	}
	return l / w.total / w.then / w.last
}

// set writes the weights of rows lo to hi. A masked row has no tokens.
func (b Batch) set(dst []float64, lo, hi int, w weight) {
	empty, one := float64(w.of(0)), float64(w.of(1))
	for i := lo; i < hi && b.Lengths == nil; i++ {
		dst[i] = one
	}
	if b.Lengths != nil {
		w.setByLength(dst[lo:hi], b.Lengths[lo:hi], empty, one)
	}
	for i := lo; i < hi && b.Masked != nil; i++ {
		if b.Masked[i] {
			dst[i] = empty
		}
	}
}

// setByLength writes the weights of rows of so many tokens. It has a loop for each kind of weight, since
// it is most of the work.
func (w weight) setByLength(dst []float64, lengths []int32, empty, one float64) {
	dst = dst[:len(lengths)]
	switch {
	case w.perRow:
		for i, l := range lengths {
			dst[i] = one
			if l == 0 {
				dst[i] = empty
			}
		}
	case w.then == 1 && w.last == 1:
		for i, l := range lengths {
			dst[i] = float64(float32(l) / w.total)
		}
	default:
		for i, l := range lengths {
			dst[i] = float64(float32(l) / w.total / w.then / w.last)
		}
	}
}

func (b Batch) setAll(dst []float64, w weight) { b.set(dst, 0, len(dst), w) }

// length returns the tokens of row i that train: 0 if it is masked, 1 if lengths are unknown.
func (b Batch) length(i int) int32 {
	switch {
	case b.Masked != nil && b.Masked[i]:
		return 0
	case b.Lengths == nil:
		return 1
	}
	return b.Lengths[i]
}

func (b Batch) tokens(lo, hi int) float32 {
	var sum int64
	if b.Lengths != nil && b.Masked == nil {
		for _, l := range b.Lengths[lo:hi] {
			sum += int64(l)
		}
		return float32(sum)
	}
	for i := lo; i < hi; i++ {
		sum += int64(b.length(i))
	}
	return float32(sum)
}

func (b Batch) rowsWithTokens(lo, hi int) float32 {
	n := 0
	if b.Lengths != nil && b.Masked == nil {
		for _, l := range b.Lengths[lo:hi] {
			n += min(int(l), 1)
		}
		return float32(n)
	}
	for i := lo; i < hi; i++ {
		n += min(int(b.length(i)), 1)
	}
	return float32(n)
}

// longest returns the tokens of the longest response, masked or not.
func (b Batch) longest() float32 {
	var longest int32
	for _, l := range b.Lengths {
		longest = max(longest, l)
	}
	return float32(longest)
}

// microBatches returns the ranges of size rows each, the last one what remains; one range of all rows
// if size is 0.
func microBatches(rows, size int) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		if size <= 0 {
			size = max(rows, 1)
		}
		for lo := 0; lo < rows; lo += size {
			if !yield(lo, min(lo+size, rows)) {
				return
			}
		}
	}
}
