package diagnosis

import "testing"

// The level at a step is the mean of the span around it, whichever steps that has, also where it begins or ends beyond the run.
func TestSmooth(t *testing.T) {
	for n := 1; n <= 23; n++ {
		s := make(series, n)
		for i := range s {
			s[i] = Moments{N: i % 3, Sum: float64(i*i%7) / 4, Squares: float64(i)}
		}
		for span := 1; span <= n; span++ {
			for i, got := range s.around(span) {
				if want := s.pooled(i-span/2, i-span/2+span); got != want {
					t.Fatalf("%d steps, span %d: %v at step %d, want %v", n, span, got, i, want)
				}
			}
		}
	}
}
