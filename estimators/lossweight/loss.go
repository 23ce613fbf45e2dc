// Package lossweight tells what each row of a batch weighs in the loss, by the framework's own
// averaging of tokens and rows, to the last bit of float32.
//
// # Words
//
// The losses of a step's tokens are averaged to one number. The weight of a row is that number if the
// loss of each of the row's tokens is 1 and that of all other tokens 0: at ratio 1 it multiplies the
// row's advantage. A batch is the rows of one optimizer step: N rows in groups, with l tokens each, T
// in all.
//
// # What is here
//
//   - losses_verl.go and losses_trl.go: the losses of the frameworks, a function for each: the name and the
//     key in the trainer's configuration, formula, the options that change the weights, and file and
//     release that it was read from. Of each framework the default is the first.
//   - loss.go: [Loss], the list of the frameworks, the arithmetic that they share, and
//     what the weights mean for a step: Σw·|A|, push down to push up, dilution by dead groups.
//
// # What is assumed
//
// Where a framework averages over micro-batches, the weights depend on how the step is cut. Options
// named as in the trainer's configuration say so; without them the step is one micro-batch. Rows are
// taken in the order of the log, which is not that of a trainer that shuffles (TRL does). A step of
// several mini-batches has these weights within each of them. [Loss].Doc says which of that matters.
//
// Lengths are those of tokens with a loss mask of 1.
//
// # A new loss
//
//  1. A row in the function of its framework, the default first; the comments of estimators.Entry and
//     [Loss] say what each field holds. The divisions are done in the framework's order, since each
//     rounds; nothing is allocated per row or micro-batch. A new framework is a function and a line of
//     catalogue, in loss.go.
//  2. Golden cases: testdata/golden/X_loss_weights.json, numbers that the framework's own code printed,
//     and a row in golden_test.go. The test fails for a loss that no case has.
//  3. go test ./estimators/lossweight, then go test ./model/report -run CataloguePages -update, which
//     writes its name to the page .github/docs/losses.md. Nothing else in the repository repeats it.
package lossweight

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"math/bits"
	"slices"

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

// Mass is what a set of rows does to an optimizer step: sums over weight and advantage, of rows whose
// weight and advantage are numbers. Add two for the mass of both sets.
type Mass struct {
	Rows       int     // in the set
	Live       int     // with an advantage other than 0
	Weight     float64 // Σw
	LiveWeight float64 // Σw of the live ones
	Positive   float64 // Σw·A over A > 0
	Negative   float64 // Σw·|A| over A < 0
}

// MassOf returns the mass of rows by their weights and advantages, slices of equal length. A row whose
// weight or advantage is not finite counts in Rows alone.
func MassOf(weights, advantages []float64) Mass {
	var live uint64
	var weight, liveWeight, push, absolute float64
	for i, w := range weights {
		x := w * advantages[i]
		if x-x != 0 {
			continue
		}
		// No branch on the advantage: it would be guessed wrong for half of the rows.
		mask := liveMask(advantages[i])
		live += mask & 1
		weight += w
		liveWeight += math.Float64frombits(math.Float64bits(w) & mask)
		push += x
		absolute += math.Abs(x)
	}
	return Mass{
		Rows: len(weights), Live: int(live), Weight: weight, LiveWeight: liveWeight,
		Positive: (absolute + push) / 2, Negative: (absolute - push) / 2,
	}
}

// liveMask has all bits set if a is not 0, else none.
func liveMask(a float64) uint64 {
	live := uint64(0)
	if a != 0 {
		live = 1
	}
	return -live
}

// Plus returns the mass of both sets.
func (m Mass) Plus(o Mass) Mass {
	return Mass{
		m.Rows + o.Rows, m.Live + o.Live, m.Weight + o.Weight, m.LiveWeight + o.LiveWeight,
		m.Positive + o.Positive, m.Negative + o.Negative,
	}
}

// Total is Σw·|A|: how hard the rows push, whichever way.
func (m Mass) Total() float64 { return m.Positive + m.Negative }

// NegativeToPositive is the push down for each unit of push up: 1 is balance, +Inf if nothing pushes
// up, NaN if nothing pushes.
func (m Mass) NegativeToPositive() float64 { return m.Negative / m.Positive }

// Dilution is how much the rows of advantage 0 thin the step: Σw of all rows over Σw of the live ones. 1
// is none; at 2 half of the weight goes to rows that teach nothing, and the others push half as hard as
// they would alone. +Inf if no row is live, NaN if there is no weight.
func (m Mass) Dilution() float64 { return m.Weight / m.LiveWeight }

// ShareOf returns m's part of the push of all, 0 to 1; NaN if nothing pushes.
func (m Mass) ShareOf(all Mass) float64 { return m.Total() / all.Total() }

// Quartiles returns the three lengths that a quarter, half and three quarters of the rows do not exceed:
// of n lengths in order, those at n/4, n/2 and 3n/4, counted from 1 and rounded up. lengths is not empty
// and holds no negative number; it is read and not sorted.
func Quartiles(lengths []int32) [3]int32 {
	const coarse = 12 // bits that are counted first
	shift := max(bits.Len32(uint32(slices.Max(lengths)))-coarse, 0)
	var high [1 << coarse]int32
	for _, l := range lengths {
		high[l>>shift]++
	}
	var quartiles [3]int32
	low := make([]int32, 1<<shift)
	for k := range quartiles {
		bucket, place := at(high[:], ((k+1)*len(lengths)+3)/4)
		clear(low)
		for _, l := range lengths {
			if l>>shift == bucket {
				low[l&(1<<shift-1)]++
			}
		}
		rest, _ := at(low, place)
		quartiles[k] = bucket<<shift | rest
	}
	return quartiles
}

// at finds the bucket of a place, counted from 1, and the place within the bucket.
func at(counts []int32, place int) (bucket int32, within int) {
	for bucket, n := range counts {
		if place <= int(n) {
			return int32(bucket), place
		}
		place -= int(n)
	}
	panic("lossweight: no such place")
}
