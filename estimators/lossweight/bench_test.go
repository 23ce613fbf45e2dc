package lossweight

import (
	"math/rand/v2"
	"testing"

	"vantage/estimators"
)

// stepOf returns a step of rows in groups of 8, as a long run has them.
func stepOf(rows int) Batch {
	random := rand.New(rand.NewPCG(3, 4))
	b := Batch{Offsets: []int{0}}
	for i := range rows {
		b.Lengths = append(b.Lengths, 200+random.Int32N(8000))
		b.Advantages = append(b.Advantages, float64(random.IntN(3)-1))
		if i%8 == 7 {
			b.Offsets = append(b.Offsets, i+1)
		}
	}
	return b
}

func BenchmarkWeigh(bench *testing.B) {
	b := stepOf(131072)
	dst := make([]float64, len(b.Lengths))
	for _, l := range All() {
		if l.MissingIn(b) != "" {
			continue
		}
		v, err := estimators.Options("max_seq_len=8192").Values(l.Options)
		if err != nil {
			bench.Fatal(err)
		}
		bench.Run(l.Framework+"/"+l.Name, func(bench *testing.B) {
			bench.ReportAllocs()
			for bench.Loop() {
				if err := l.Weigh(dst, b, v); err != nil {
					bench.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFigures(bench *testing.B) {
	b := stepOf(131072)
	dst := make([]float64, len(b.Lengths))
	if err := verl()[0].Weigh(dst, b, estimators.Values{}); err != nil {
		bench.Fatal(err)
	}
	bench.Run("mass", func(bench *testing.B) {
		bench.ReportAllocs()
		for bench.Loop() {
			MassOf(dst, b.Advantages)
		}
	})
}
