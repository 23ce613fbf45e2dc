package lossweight

import (
	"cmp"
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

	weigh weigh
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
func Find(framework, name string) (*Loss, error) { return catalogue().FindOrDefault(framework, name) }

// byTokens is a loss in which the weight of a row depends on its tokens, byRows one in which it does not.
func byTokens(e estimators.Entry, w weigh) *Loss {
	return &Loss{Entry: e, NeedsLengths: true, weigh: w}
}
func byRows(e estimators.Entry, w weigh) *Loss { return &Loss{Entry: e, weigh: w} }

// entry describes a loss whose name is the value that selects it.
func entry(name, formula, doc string, options ...estimators.Option) estimators.Entry {
	return estimators.Entry{Name: name, Value: name, Formula: formula, Doc: doc, Options: options}
}

// switched describes a loss that a switch turns on, or off.
func switched(name, value, formula, doc string) estimators.Entry {
	e := entry(name, formula, doc)
	e.Value = value
	return e
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

// weigh writes the weights of the rows of a batch; its errors are those of [Loss.Weigh].
type weigh = func(dst []float64, b Batch, v estimators.Values) error

func ofStep(w weighing) weigh {
	return func(dst []float64, b Batch, v estimators.Values) error {
		b.set(dst, 0, len(dst), w(b, 0, len(dst), v))
		return nil
	}
}

// inMicroBatches weighs the rows within each micro-batch, and then averages over these: cut says how many rows
// one has, 0 for all, and by what each weight is divided in turn.
func inMicroBatches(cut func(rows int, v estimators.Values) (size int, then, last float32), w weighing) weigh {
	return func(dst []float64, b Batch, v estimators.Values) error {
		size, then, last := cut(len(dst), v)
		for lo, hi := range microBatches(len(dst), size) {
			within := w(b, lo, hi, v).dividedBy(then, last)
			if within.total == 0 {
				return ErrNaN
			}
			b.set(dst, lo, hi, within)
		}
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
func (l *Loss) Weigh(dst []float64, b Batch, v estimators.Values) (err error) {
	if missing := l.MissingIn(b); missing != "" {
		err = &estimators.Refusal{Kind: estimators.KindMissing, Text: missing}
	} else if err = l.weigh(dst, b, v); err == nil && len(dst) > 0 && math.IsNaN(dst[0]) {
		err = ErrNaN // no row of the step has a token: all of them are 0 / 0
	}
	for i := range dst {
		if err != nil {
			dst[i] = math.NaN()
		}
	}
	return err
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

// weighing says how rows lo to hi of a batch weigh among themselves.
type weighing func(b Batch, lo, hi int, v estimators.Values) weight

// perToken gives each token the weight 1/total.
func perToken(total divisor) weighing {
	return func(b Batch, lo, hi int, v estimators.Values) weight { return weightOf(total(b, lo, hi, v)) }
}

// perRow gives each row that has tokens the weight 1/total.
func perRow(total divisor) weighing {
	return func(b Batch, lo, hi int, v estimators.Values) weight {
		w := weightOf(total(b, lo, hi, v))
		w.perRow = true
		return w
	}
}

// weightOf is that of tokens which weigh 1/total each.
func weightOf(total float32) weight { return weight{total: total, then: 1, last: 1} }

// divisor is what the tokens, or the rows, of rows lo to hi are divided by. One that reads options or all rows is for
// the step, not for each micro-batch.
type divisor func(b Batch, lo, hi int, v estimators.Values) float32

func tokens(b Batch, lo, hi int, _ estimators.Values) float32 { return b.tokens(lo, hi) }
func rows(_ Batch, lo, hi int, _ estimators.Values) float32   { return float32(hi - lo) }
func rowsWithTokens(b Batch, lo, hi int, _ estimators.Values) float32 {
	return b.rowsWithTokens(lo, hi)
}

func atLeastOne(d divisor) divisor {
	return func(b Batch, lo, hi int, v estimators.Values) float32 { return max(d(b, lo, hi, v), 1) }
}

func plus(d divisor, eps float32) divisor {
	return func(b Batch, lo, hi int, v estimators.Values) float32 { return d(b, lo, hi, v) + eps }
}

// rowsBy is the number of all rows if a switch is set so, else of those with tokens.
func rowsBy(key string, all bool) divisor {
	return func(b Batch, lo, hi int, v estimators.Values) float32 {
		if v.Bool(key) == all {
			return rows(b, lo, hi, v)
		}
		return b.rowsWithTokens(lo, hi)
	}
}

// width is that of the padded responses in tokens: the value of an option or, if that is none, of the longest response,
// masked or not.
func width(key string) divisor {
	return func(b Batch, _, _ int, v estimators.Values) float32 {
		longest := int32(0)
		for _, l := range b.Lengths {
			longest = max(longest, l)
		}
		return cmp.Or(float32(v.Number(key)), float32(longest))
	}
}

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
