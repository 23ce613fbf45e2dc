package chart

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkBin bins a million values, half of them used.
func BenchmarkBin(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	values, use := make([]float64, 1<<20), make([]bool, 1<<20)
	for i := range values {
		if use[i] = random.IntN(2) == 0; use[i] {
			values[i] = float64(random.IntN(40)-20) / 10
		}
	}
	for b.Loop() {
		Bin(Axis{-2, 2}, 61, values, use)
	}
}
