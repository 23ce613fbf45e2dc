package model

import (
	"math"
	"strconv"
)

// Metric is one figure of a step under the name that a trainer's log gives it;
// names under "vantage/" are our own.
type Metric struct {
	Name  string
	Value float64
}

// metrics computes the figures of a step.
//
// Names and definitions under critic/, sample_distribution/ and
// response_length*/ are those of Coobiw/EasyR1-Brian@c414ee81ef06
// verl/trainer/metrics.py, compute_data_metrics: advantages are weighted by
// response tokens, processed ones leave out every exact zero, and
// sample_distribution/total counts no sample whose advantage is zero. Where a
// log has no token counts the weights are what LengthUnit says, or 1, and
// without any lengths there are no figures of lengths.
// Sums are float64: the trainer's own float32 sums differ in the sixth digit.
// frac_reward_zero_std is TRL's name, over exactly equal rewards. Those under vantage/
// are over the samples that have a finite advantage.
func (a *Analysis) metrics(t *tally) []Metric {
	g, o := a.ground, a.origin
	m := make([]Metric, 0, 64)
	m = o.score.append(m, "critic/score")
	m = o.score.append(m, "critic/rewards")
	m = o.tokens.append(m, "critic/advantages")
	m = t.processed.append(m, "critic/advantages_processed")
	m = append(m, Metric{"critic/advantages_processed/std", t.processedStd()})
	returns := a.returns(t)
	m = returns.append(m, "critic/returns")
	if g.known {
		m = a.lengthMetrics(m)
	}
	m = append(m,
		Metric{"sample_distribution/num_positive", float64(o.upTokens)},
		Metric{"sample_distribution/num_negative", float64(o.downTokens)},
		Metric{"sample_distribution/total", float64(o.upTokens + o.downTokens)},
		Metric{"sample_distribution/num_kept_positive", float64(t.up)},
		Metric{"sample_distribution/num_kept_negative", float64(t.down)},
		Metric{"sample_distribution/num_filtered", float64(t.filtered)},
		Metric{"sample_distribution/kept_total", float64(t.up + t.down)},
		Metric{"frac_reward_zero_std", float64(o.flat) / float64(a.Rows)},
		// what no trainer logs
		Metric{"vantage/signal", float64(a.Signal) / float64(a.Groups)},
		Metric{"vantage/kept", float64(a.Kept) / float64(a.Rows)},
		Metric{"vantage/flips", float64(a.Flips)},
		Metric{"vantage/abs_advantage_ratio", t.abs / o.abs},
		Metric{"vantage/effective_samples", t.abs * t.abs / t.squares},
		Metric{"vantage/length_correlation", t.lengthCorrelation()},
	)
	return append(m, g.solved...)
}

// returns are the processed advantages over tokens, with those that are zero.
func (a *Analysis) returns(t *tally) moments {
	m := t.processed
	if m.n == 0 {
		m.lo, m.hi = 0, 0
	}
	if zeros := a.ground.live - m.n; zeros > 0 {
		m.lo, m.hi = min(m.lo, 0), max(m.hi, 0)
	}
	m.n, m.weight = a.ground.live, a.ground.all.sum
	return m
}

// lengthMetrics are the figures over responses; a response as long as the longest of
// the batch counts as cut off.
func (a *Analysis) lengthMetrics(to []Metric) []Metric {
	g, o := a.ground, a.origin
	to = g.all.append(to, "response_length")
	to = append(to, Metric{"response_length/clip_ratio", float64(g.cut) / float64(a.Rows)})
	to = g.whole.append(to, "response_length_no_cutoff")
	to = append(to, Metric{"response_length_no_cutoff/count", float64(g.whole.n)})
	to = o.positive.append(to, "response_length_positive")
	return o.negative.append(to, "response_length_negative")
}

// SolveBins are the bounds of the solve-rate histogram: bin i counts the groups
// of which more than SolveBins[i-1] and at most SolveBins[i] of the samples
// reach the best reward of the run; the first holds those with none.
func SolveBins() []float64 { return []float64{0, 0.25, 0.5, 0.75, 0.999, 1} }

// SolveNames are the names of those bins under vantage/solve_rate/.
func SolveNames() []string { return []string{"0", "to_25", "to_50", "to_75", "below_100", "100"} }

// solvedMetrics are pass@k (unbiased, 1 - C(n-c,k)/C(n,k), Chen et al. 2021, mean over
// the groups with at least k samples) and the solve-rate histogram; solved is how many
// samples of each group reach the best reward.
func solvedMetrics(table []Members, solved []int) []Metric {
	var to []Metric
	largest := 0
	for at := range table {
		largest = max(largest, table[at].Size())
	}
	for k := 1; k <= largest; k *= 2 {
		to = append(to, Metric{"pass@" + strconv.Itoa(k), passAt(k, table, solved)})
	}
	bins := SolveBins()
	counts := make([]float64, len(bins))
	for at := range table {
		rate := float64(solved[at]) / float64(table[at].Size())
		for i, bound := range bins {
			if rate <= bound {
				counts[i]++
				break
			}
		}
	}
	for i, name := range SolveNames() {
		to = append(to, Metric{"vantage/solve_rate/" + name, counts[i]})
	}
	return to
}

func passAt(k int, table []Members, solved []int) float64 {
	sum, groups := 0.0, 0
	for at := range table {
		n := table[at].Size()
		if n < k {
			continue
		}
		groups++
		miss := 1.0 // C(n-c,k)/C(n,k), factor by factor
		for i := range k {
			miss *= float64(max(0, n-solved[at]-i)) / float64(n-i)
		}
		sum += 1 - miss
	}
	return sum / float64(groups)
}

// Metric returns the figure with the given name, NaN if there is none.
func (s *Summary) Metric(name string) float64 {
	value, _ := s.metricNear(name, 0)
	return value
}

// metricNear is Metric where the figure may stand at a known index; it returns where
// it does.
func (s *Summary) metricNear(name string, hint int) (value float64, at int) {
	if hint < len(s.Metrics) && s.Metrics[hint].Name == name {
		return s.Metrics[hint].Value, hint
	}
	for i := range s.Metrics {
		if s.Metrics[i].Name == name {
			return s.Metrics[i].Value, i
		}
	}
	return math.NaN(), hint
}
