// Package lanes computes with eight groups of one size at once: value i of all eight is one
// [Vector], so that whatever is done to a group, in whatever order, is done to eight. No order of
// additions changes by that, and no bit: each group has a lane of its own.
//
// A [Tile] holds the values, float32. [Groups] finds groups of one size in a batch.
//
//	Load → Sum, Std or StdWelford → Normalize → Store     advantages
//	Load → Sort, Signs → Select → Store, StoreMarks       the filter
//
// A vector is a register of AVX2; see [Limit]. Elsewhere package torchsum computes one group after
// the other, and no [Tile] may be used. Tests compare the two bit for bit, but NaN is NaN: which of two NaN an addition
// gives depends on the order of its operands.
package lanes
