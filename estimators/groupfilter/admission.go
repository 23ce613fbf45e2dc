package groupfilter

import (
	"math"
	"slices"
	"strconv"

	"vantage/estimators/torchsum"
)

// Admission is what a rule says of a batch.
type Admission struct {
	Admitted []bool   // by group: at least one row trains
	Reasons  []Reason // by group: why it is dropped; zero for admitted groups

	// Kept says which rows train, where a rule drops single rows; nil if all rows of admitted groups do.
	Kept []bool

	// SamplesOn: what is admitted is not enough for the trainer. It generates more before it trains.
	SamplesOn bool

	// Excluded says of each group whether its prompt is never drawn again; nil if the rule retires none.
	Excluded []bool

	// Assumed says what stands for something that the log does not hold: "the log has no column scores:
	// the rewards stand for it". Empty if nothing does.
	Assumed string

	// Note is about the batch as a whole: "nothing varies: the first group is kept". Empty if there is
	// nothing to say.
	Note string

	kept, excluded []bool    // the memory of Kept and Excluded
	order          []scored  // of rules that sort groups
	sums           []float64 // of such rules, by bucket
	x              []float64 // the values of a group
	buf            []float64 // what a sum goes over
	x32            []float32
	scores         []float32 // of groups
}

// Reason is why a group is dropped: "std 0", "mean 0.97".
type Reason struct {
	What  string  // constant text: "std", "too easy: mean", "one row"
	Value float64 // of what was measured; NaN if there is no number to show, or the number is no number
}

// String returns what was measured and its value: "too easy: mean 0.97".
func (r Reason) String() string {
	if math.IsNaN(r.Value) {
		return r.What
	}
	return r.What + " " + strconv.FormatFloat(r.Value, 'g', 4, 64)
}

func because(what string) Reason { return Reason{what, math.NaN()} }

func (v *Admission) reset(b Batch) {
	groups := b.Groups()
	v.Admitted = slices.Grow(v.Admitted[:0], groups)[:groups]
	v.Reasons = slices.Grow(v.Reasons[:0], groups)[:groups]
	for g := range v.Admitted {
		v.Admitted[g] = true
	}
	clear(v.Reasons)
	v.Kept, v.Excluded = nil, nil
	v.SamplesOn, v.Assumed, v.Note = false, "", ""
	largest := 0
	for g := range groups {
		largest = max(largest, b.Offsets[g+1]-b.Offsets[g])
	}
	v.x, v.buf = slices.Grow(v.x[:0], largest)[:largest], slices.Grow(v.buf[:0], largest)[:largest]
	v.x32 = slices.Grow(v.x32[:0], largest)[:largest]
}

func (v *Admission) drop(g int, why Reason) { v.Admitted[g], v.Reasons[g] = false, why }

// admit takes back that group g is dropped.
func (v *Admission) admit(g int) { v.Admitted[g], v.Reasons[g] = true, Reason{} }

func (v *Admission) admitted() int { return howMany(v.Admitted) }

func howMany(all []bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

// rows names the rows that train, for a rule to drop some: so far those of admitted groups.
func (v *Admission) rows(b Batch) []bool {
	v.kept = slices.Grow(v.kept[:0], len(b.Rewards))[:len(b.Rewards)]
	v.Kept = v.kept
	for g, admitted := range v.Admitted {
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			v.Kept[i] = admitted
		}
	}
	return v.Kept
}

func (v *Admission) dropEmpty(b Batch, why Reason) {
	for g := range v.Admitted {
		if v.Admitted[g] && !slices.Contains(v.Kept[b.Offsets[g]:b.Offsets[g+1]], true) {
			v.drop(g, why)
		}
	}
}

// cut keeps the first of so many rows, and drops the groups that lose all by it.
func (v *Admission) cut(b Batch, rows int, why Reason) {
	for i, kept := range v.Kept {
		if kept && rows <= 0 {
			v.Kept[i] = false
		}
		if kept {
			rows--
		}
	}
	v.dropEmpty(b, why)
}

// retire names the groups whose prompts are never drawn again, for a rule to say which: none so far.
func (v *Admission) retire(b Batch) []bool {
	v.excluded = slices.Grow(v.excluded[:0], b.Groups())[:b.Groups()]
	clear(v.excluded)
	v.Excluded = v.excluded
	return v.Excluded
}

// EqualButAdmitted counts the groups of several equal rewards that v admits, and returns the first of
// them, −1 if there are none: rounding gives them a standard deviation that is not 0, or the rule does
// not ask for one. Rewards are those that the rule reads.
func (v *Admission) EqualButAdmitted(rewards []float64, offsets []int) (count, first int) {
	first = -1
	for g, admitted := range v.Admitted {
		r := rewards[offsets[g]:offsets[g+1]]
		if !admitted || len(r) < 2 || !allEqual(r) {
			continue
		}
		if count++; count == 1 {
			first = g
		}
	}
	return count, first
}

// allEqual reports whether all of r equal the first; NaN equals nothing.
func allEqual(r []float64) bool {
	for _, x := range r {
		if x != r[0] {
			return false
		}
	}
	return true
}

// verdictOn says whether a group of rewards r stays and, if not, why. It may overwrite the memory of v
// for the values of a group.
type verdictOn func(v *Admission, r []float64) (stays bool, why Reason)

// eachGroup asks about the values of every group; values has one for each row of b.
func (v *Admission) eachGroup(b Batch, values []float64, ask verdictOn) {
	for g := range v.Admitted {
		if stays, why := ask(v, values[b.Offsets[g]:b.Offsets[g+1]]); !stays {
			v.drop(g, why)
		}
	}
}

// numpyStd is np.std, ddof 0. It overwrites the memory of v for a sum.
func (v *Admission) numpyStd(r []float64) float64 {
	return torchsum.StdNumpy(r, torchsum.MeanNumpy(r), 0, v.buf)
}

// float32s returns r in float32, in the memory of v.
func (v *Admission) float32s(r []float64) []float32 {
	x := v.x32[:len(r)]
	for i, y := range r {
		x[i] = float32(y)
	}
	return x
}

// rounded returns r as float64 of float32, in the memory of v.
func (v *Admission) rounded(r []float64) []float64 {
	x := v.x[:len(r)]
	for i, y := range r {
		x[i] = float64(float32(y))
	}
	return x
}

// clearlyAbove reports that the standard deviation of r is above limit in every precision and order of
// sums, without adding anything: two of n values that are D apart have Σ(r − m)² ≥ D²/2, whatever m is. It
// is false if it cannot tell. Most groups vary so much; the others are computed.
func clearlyAbove[T float32 | float64](r []T, limit float64) bool {
	const smallest, largest = 1e-30, 1e140 // so that no square becomes 0 or infinite
	first, most := float64(r[0]), uint64(0)
	for _, x := range r {
		most = max(most, math.Float64bits(math.Abs(float64(x)-first))) // as numbers, and NaN is the largest
	}
	apart := math.Float64frombits(most)
	return apart > smallest && apart < largest && apart*apart > 8*limit*limit*float64(len(r))
}

func insideOpen(mean, low, high float64) (bool, Reason) {
	switch {
	case low < mean && mean < high:
		return true, Reason{}
	case mean >= high:
		return false, Reason{"too easy: mean", mean}
	case mean <= low:
		return false, Reason{"too hard: mean", mean}
	}
	return false, because("mean NaN")
}
