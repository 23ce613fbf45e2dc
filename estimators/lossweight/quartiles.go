package lossweight

import (
	"math/bits"
	"slices"
)

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
