package model

import (
	"cmp"
	"context"
	"math"
	"reflect"
	"sync/atomic"

	"vantage/model/fault"
)

// Mapped returns what becomes of each element.
func Mapped[T, R any](all []T, of func(T) R) []R {
	each := make([]R, len(all))
	for i, one := range all {
		each[i] = of(one)
	}
	return each
}

// Indexes returns 0 to n-1.
func Indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Pick returns the values at some indexes; nil of nil.
func Pick[T any](values []T, indexes []int32) []T {
	if values == nil {
		return nil
	}
	some := make([]T, len(indexes))
	for k, i := range indexes {
		some[k] = values[i]
	}
	return some
}

// MostCommon returns the key with the greatest count, the least of several; the zero value of none.
func MostCommon[K cmp.Ordered](counts map[K]int) (most K) {
	for key, n := range counts {
		if n > counts[most] || n == counts[most] && key < most {
			most = key
		}
	}
	return most
}

// HashTable returns n zero values, to be read and written in no order. A page of new memory that is read before it is written costs
// two faults, so that a value of each page is written here.
func HashTable[T any](n int) []T {
	table := make([]T, n)
	for i := 0; i < n; i += max(1, 4096/int(reflect.TypeFor[T]().Size())) {
		var zero T
		table[i] = zero
	}
	return table
}

// Ordinal returns a whole number for each number but NaN, in their order: the compiler makes no branch of min and max of those.
func Ordinal(x float64) int64 { return flipped(int64(math.Float64bits(x))) }

// OfOrdinal returns the number of an [Ordinal].
func OfOrdinal(k int64) float64 { return math.Float64frombits(uint64(flipped(k))) }

// flipped turns the bits of a negative number around, but for the sign.
func flipped(bits int64) int64 { return bits ^ bits>>63&math.MaxInt64 }

// Count01 is 1 if yes, else 0; the compiler makes no branch of it.
func Count01(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// InParallel calls do with each index below n, the lowest first, in at most so many goroutines, this one among them, until ctx ends.
func InParallel(ctx context.Context, goroutines, n int, do func(int)) {
	if min(goroutines, n) < 2 {
		for i := 0; i < n && ctx.Err() == nil; i++ {
			do(i)
		}
		return
	}
	var next atomic.Int64
	work := func() {
		fault.Plant("parallel", "")
		for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	var all fault.Group
	for range min(goroutines, n) - 1 {
		all.Go(work)
	}
	all.Here(work)
	all.Wait()
}
