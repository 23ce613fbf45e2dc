package torchsum

// SumLeftToRight returns the sum of x from left to right, in float32: the order of
// index_add_ and of bincount.
func SumLeftToRight(x []float32) float32 {
	var s float32
	for _, v := range x {
		s += v
	}
	return s
}
