package compare

import "math"

// SignTest returns the exact two-sided p-value of wins and losses under equal odds, 1 if
// there are none.
func SignTest(wins, losses int) float64 {
	n, k := wins+losses, min(wins, losses)
	if n == 0 {
		return 1
	}
	total := 0.0
	for i := 0; i <= k; i++ {
		total += math.Exp(logChoose(n, i) - float64(n)*math.Ln2)
	}
	return min(1, 2*total)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// Wilson returns the 95 % score interval of the share k/n (E. B. Wilson, 1927), [0, 1] if n
// is 0.
func Wilson(k, n int) [2]float64 {
	if n == 0 {
		return [2]float64{0, 1}
	}
	const z = 1.959963984540054
	p, m := float64(k)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return [2]float64{max(0, middle-half), min(1, middle+half)}
}
