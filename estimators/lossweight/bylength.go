package lossweight

import (
	"math"
	"math/bits"
	"slices"
)

// LengthBin is the rows whose length is from From to To, both included.
type LengthBin struct {
	From, To int32
	Tokens   int64
	Mass
}

// ByLength returns the mass of each quarter of the rows by length, the shortest first: a quarter that
// has more than a quarter of the push dominates the step. Rows of one length are in one bin, so bins
// have not the same number of rows where lengths repeat, and there are less than four where a quarter
// has a single length. The slices have equal lengths; the result is nil if they are empty.
func ByLength(weights, advantages []float64, lengths []int32) []LengthBin {
	if len(lengths) == 0 {
		return nil
	}
	q := Quartiles(lengths)
	var quarters [4]quarter
	for i, l := range lengths {
		quarters[less(q[0], l)+less(q[1], l)+less(q[2], l)].add(l, weights[i], advantages[i])
	}
	var bins []LengthBin
	for k := range quarters {
		bin := quarters[k].bin()
		if bin.Rows == 0 {
			continue
		}
		if bin.To = slices.Max(lengths); k < len(q) {
			bin.To = q[k]
		}
		bins = append(bins, bin)
	}
	return bins
}

// quarter is a bin that is being filled. Rows wait until there are enough for [MassOf], which is several
// times as fast as adding each to one of four.
type quarter struct {
	sum         LengthBin
	waiting     int
	weights     [128]float64
	advantages  [128]float64
	belowLength int32 // math.MaxInt32 - From
}

func (q *quarter) add(l int32, w, a float64) {
	q.weights[q.waiting], q.advantages[q.waiting] = w, a
	q.waiting++
	q.sum.Tokens += int64(l)
	q.belowLength = max(q.belowLength, math.MaxInt32-l)
	if q.waiting == len(q.weights) {
		q.sumUp()
	}
}

func (q *quarter) sumUp() {
	q.sum.Mass = q.sum.Plus(MassOf(q.weights[:q.waiting], q.advantages[:q.waiting]))
	q.waiting = 0
}

// bin returns the sums of all rows, without To.
func (q *quarter) bin() LengthBin {
	q.sumUp()
	q.sum.From = math.MaxInt32 - q.belowLength
	return q.sum
}

// less is 1 if a < b.
func less(a, b int32) int {
	if a < b {
		return 1
	}
	return 0
}

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
