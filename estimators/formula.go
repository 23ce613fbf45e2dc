package estimators

import (
	"fmt"
	"math"

	"vantage/estimators/torchsum"
)

// formula is the arithmetic of an [Estimator]: it writes the advantages of b to dst,
// len(dst) == len(b.Rewards). The error, if any, is a *Refusal.
//
// A formula is a value; the functions here build formulas of formulas.
type formula = func(dst []float64, b Batch, s Scale) error

// perGroup is the formula that calls f for each group, in float32, whatever the scale:
// f writes to dst the advantages of the rewards r, of the same length.
func perGroup(f func(dst, r []float32)) formula {
	return func(dst []float64, b Batch, _ Scale) error {
		mustHaveLength(dst, b)
		n := largestGroup(b.Offsets)
		r, a := make([]float32, n), make([]float32, n)
		for g := range b.Groups() { // not by ranges, whose function would move r and a to the heap
			lo, hi := b.Offsets[g], b.Offsets[g+1]
			toFloat32(r[:hi-lo], b.Rewards[lo:hi])
			f(a[:hi-lo], r[:hi-lo])
			toFloat64(dst[lo:hi], a[:hi-lo])
		}
		return nil
	}
}

// largestInTile is the size of groups up to which eight are computed at once, a variable for the
// tests only.
var largestInTile = torchsum.Limit()

// perGroup64 is perGroup in float64.
func perGroup64(f func(dst, r []float64, s Scale)) formula {
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		for lo, hi := range b.ranges() {
			f(dst[lo:hi], b.Rewards[lo:hi], s)
		}
		return nil
	}
}

// inTiles calls small for groups of one size, up to eight at a time, with a tile of their size, and
// large for each group that is too large for that.
func inTiles(b Batch, small func(tile torchsum.Tile, q *torchsum.Groups), large func(lo, hi int)) {
	var waiting [onStack + 1]torchsum.Waiting
	var tile torchsum.Tile
	q := torchsum.GroupsOf(b.Offsets, largestInTile, waiting[:])
	for q.Next() {
		if q.Alone() {
			large(q.Starts[0], q.Starts[0]+q.Size)
			continue
		}
		tile = resize(tile, q.Size)
		small(tile, &q)
	}
}

// withScale is f under one scale, whatever the scale of the call.
func withScale(f formula, s Scale) formula {
	return func(dst []float64, b Batch, _ Scale) error { return f(dst, b, s) }
}

// clipped is f with its results clipped to [low, high].
func clipped(f formula, low, high float32) formula {
	return func(dst []float64, b Batch, s Scale) error {
		err := f(dst, b, s)
		for i, a := range dst {
			dst[i] = clip(a, float64(low), float64(high))
		}
		return err
	}
}

func onClipped(f formula, v Values, option Option) formula {
	low, high := v.Interval(option.Key)
	if math.IsInf(low, 0) && math.IsInf(high, 0) {
		return f
	}
	return func(dst []float64, b Batch, s Scale) error {
		rewards := make([]float64, len(b.Rewards))
		_ = clipped(rewardItself, float32(low), float32(high))(rewards, b, s)
		b.Rewards = rewards
		return f(dst, b, s)
	}
}

// raggedAsOneGroup is f for a framework that takes a batch of groups of different
// sizes for one single group.
func raggedAsOneGroup(f formula) formula {
	return func(dst []float64, b Batch, s Scale) error {
		if raggedGroups(b.Offsets, 1) != nil {
			b.Offsets = []int{0, len(b.Rewards)}
		}
		return f(dst, b, s)
	}
}

func rewardItself(dst []float64, b Batch, _ Scale) error {
	copy(dst, b.Rewards)
	return nil
}

func mustHaveLength(dst []float64, b Batch) {
	if len(dst) != len(b.Rewards) {
		panic("estimators: dst and rewards differ in length")
	}
}

func toFloat32(dst []float32, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float32(v)
	}
}

func toFloat64(dst []float64, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float64(v)
	}
}

func nan32() float32 { return float32(math.NaN()) }

// clip limits x to [low, high]; NaN stays.
func clip(x, low, high float64) float64 {
	switch {
	case x < low:
		return low
	case x > high:
		return high
	}
	return x
}

// Refusal is the exception that the framework's own code raises for a batch or, with
// the kind [KindMissing], what the estimator needs and the batch lacks.
type Refusal struct {
	Kind   string // the exception's type: "ValueError"
	Text   string // its message
	Groups []int  // the groups that cause it; nil if the batch as a whole does
}

// Error returns type and message, like the last line of a traceback.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Kind, r.Text) }

func valueError(format string, values ...any) error {
	return &Refusal{Kind: "ValueError", Text: fmt.Sprintf(format, values...)}
}

func groupsOfOne(b Batch) []int {
	var groups []int
	for g := range b.Groups() {
		if b.Offsets[g+1]-b.Offsets[g] == 1 {
			groups = append(groups, g)
		}
	}
	return groups
}

// refuseGroupsOfOne returns f for a framework that raises an exception for groups of one: they get NaN.
func refuseGroupsOfOne(f formula, kind, text string) formula {
	return func(dst []float64, b Batch, s Scale) error {
		err := f(dst, b, s)
		groups := groupsOfOne(b)
		if groups == nil {
			return err
		}
		for _, g := range groups {
			dst[b.Offsets[g]] = math.NaN()
		}
		return &Refusal{Kind: kind, Text: text, Groups: groups}
	}
}

// refuseRagged returns f for a framework that holds the batch as a tensor of rows of
// one size: it raises what torch raises for groups of different sizes.
//
// If the number of samples happens to be a multiple of the size, torch raises nothing
// and the framework compares samples of different prompts; that is refused here too.
func refuseRagged(f formula) formula {
	return refuseRaggedWith(f, "RuntimeError", "shape '[-1, %[2]d]' is invalid for input of size %[1]d")
}

// refuseReshape is [refuseRagged] for a framework that holds the batch as an array of numpy.
func refuseReshape(f formula) formula {
	return refuseRaggedWith(f, "ValueError", "cannot reshape array of size %d into shape (%d)")
}

// refuseRaggedWith is [refuseRagged] with another exception. format takes the number
// of samples and the common size of a group.
func refuseRaggedWith(f formula, kind, format string) formula {
	return func(dst []float64, b Batch, s Scale) error {
		if err := f(dst, b, s); err != nil {
			return err
		}
		groups := raggedGroups(b.Offsets, 1)
		if groups == nil {
			return nil
		}
		return &Refusal{Kind: kind, Text: fmt.Sprintf(format, len(b.Rewards), commonSize(b.Offsets)), Groups: groups}
	}
}
