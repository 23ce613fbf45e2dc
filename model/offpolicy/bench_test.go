package offpolicy

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkStudy is of a step of 64 rows of a thousand tokens; the metric is nanoseconds for each token.
func BenchmarkStudy(b *testing.B) {
	for name, sweeps := range map[string]bool{"rules": false, "sweeps": true} {
		b.Run(name, func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 53))
			tokens, rows := 0, make([]Sample, 64)
			for i := range rows {
				rows[i] = rowOf(random, 1, i%2, 0.02)
				tokens += len(rows[i].Sampler)
			}
			s := New(Asked{}, sweeps)
			for b.Loop() {
				for _, x := range rows {
					s.Add(x)
				}
				s.judge()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*tokens), "ns/token")
		})
	}
}
