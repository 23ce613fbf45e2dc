package lossweight

import (
	"math"
	"math/bits"
	"slices"
)

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
