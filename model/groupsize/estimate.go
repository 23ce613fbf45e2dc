package groupsize

import "math"

// Estimate is what groups of Size samples would do to the prompts of a run.
type Estimate struct {
	Size       int
	NoneSolved float64 // share of groups of which no sample is solved
	AllSolved  float64 // share of groups of which every sample is solved
	LowDead    float64 // between LowDead and HighDead is the share of dead groups in 90 % of repeats,
	HighDead   float64 // in each of which all prompts are sampled once more
}

// Dead returns the share of groups without signal: all solved or none.
func (e Estimate) Dead() float64 { return e.NoneSolved + e.AllSolved }

// Cost returns how many samples are generated for each group with signal; +Inf if there is none.
func (e Estimate) Cost() float64 { return float64(e.Size) / (1 - e.Dead()) }

// CostRange returns the cost at LowDead and at HighDead.
func (e Estimate) CostRange() (low, high float64) {
	return float64(e.Size) / (1 - e.LowDead), float64(e.Size) / (1 - e.HighDead)
}

// estimate returns the estimate for groups of a size. Its range is the normal approximation of two
// uncertainties: each group is dead or not by its own chance, and the prior has the error of its fit.
func estimate(counts []Count, f fit, size int) Estimate {
	e := Estimate{Size: size}
	groups, variance := 0.0, 0.0
	for _, c := range counts {
		all, none := f.solvedAlike(c, size)
		n := float64(c.Groups)
		e.AllSolved += all * n
		e.NoneSolved += none * n
		variance += n * (all + none) * (1 - all - none)
		groups += n
	}
	e.AllSolved, e.NoneSolved = e.AllSolved/groups, e.NoneSolved/groups
	variance = variance/(groups*groups) + f.variance(func(p Prior) float64 { return p.deadShare(counts, size) })
	const quantile = 1.6448536269514722 // of the normal distribution at 0.95: 90 % lie within
	reach := quantile * math.Sqrt(variance)
	e.LowDead, e.HighDead = max(0, e.Dead()-reach), min(1, e.Dead()+reach)
	return e
}

// deadShare returns the share of groups of a size that would be dead.
func (p Prior) deadShare(counts []Count, size int) float64 {
	dead, groups := 0.0, 0.0
	for _, c := range counts {
		all, none := p.solvedAlike(c, size)
		dead += (all + none) * float64(c.Groups)
		groups += float64(c.Groups)
	}
	return dead / groups
}

// solvedAlike returns the probabilities that all or none of size samples are solved, for the prompt of a
// group that was seen.
func (p Prior) solvedAlike(c Count, size int) (all, none float64) {
	a, b, m := p.A+float64(c.Solved), p.B+float64(c.Size-c.Solved), float64(size)
	whole := logBeta(a, b)
	return math.Exp(logBeta(a+m, b) - whole), math.Exp(logBeta(a, b+m) - whole)
}
