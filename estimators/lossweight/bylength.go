package lossweight

import "math/bits"

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
	quartiles := Quartiles(lengths)
	var bins [4]LengthBin
	for i, l := range lengths {
		k := 0
		for _, q := range quartiles {
			if l > q {
				k++
			}
		}
		bins[k].count(l)
		bins[k].add(weights[i], advantages[i])
	}
	var some []LengthBin
	for _, bin := range bins {
		if bin.Rows > 0 {
			some = append(some, bin)
		}
	}
	return some
}

// count widens the bin to a length.
func (b *LengthBin) count(l int32) {
	if b.Rows == 0 {
		b.From, b.To = l, l
	}
	b.From, b.To = min(b.From, l), max(b.To, l)
	b.Tokens += int64(l)
}

// Quartiles returns the three lengths that a quarter, half and three quarters of the rows do not exceed:
// of n lengths in order, those at n/4, n/2 and 3n/4, counted from 1 and rounded up. lengths is not empty
// and holds no negative number; it is read a few times and not sorted.
func Quartiles(lengths []int32) [3]int32 {
	var quartiles [3]int32
	for k := range quartiles {
		quartiles[k] = nth(lengths, ((k+1)*len(lengths)+3)/4)
	}
	return quartiles
}

// nth returns the length at a place in order, counted from 1. It finds the digits of the length in
// turn, the highest first, by counting the lengths that agree so far.
func nth(lengths []int32, place int) int32 {
	const digit = 11 // bits
	var longest int32
	for _, l := range lengths {
		longest = max(longest, l)
	}
	var found int32
	shift := (bits.Len32(uint32(longest)) + digit - 1) / digit * digit
	for shift > 0 {
		var count [1 << digit]int
		for _, l := range lengths {
			if l>>shift == found>>shift {
				count[l>>(shift-digit)&(1<<digit-1)]++
			}
		}
		shift -= digit
		d := 0
		for ; count[d] < place; d++ {
			place -= count[d]
		}
		found |= int32(d) << shift
	}
	return found
}
