package model

import (
	"math"
	"slices"
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
// frac_reward_zero_std is TRL's name, over exactly equal rewards.
func (a *Analysis) metrics(best float64) []Metric {
	m := make([]Metric, 0, 64)
	m = appendMoments(m, "critic/score", a.Rewards)
	m = appendMoments(m, "critic/rewards", a.Rewards)
	weights, longest := a.weights()
	m = a.tokens(m, weights)
	if slices.ContainsFunc(a.Lengths, func(l int32) bool { return l >= 0 }) {
		m = a.lengths(m, weights, longest)
	}
	m = a.distribution(m, weights)
	m = append(m, Metric{"frac_reward_zero_std", a.constantShare()})
	return a.ours(m, best)
}

// weights returns how many tokens each response counts for, and the longest.
func (a *Analysis) weights() ([]float64, float64) {
	w := make([]float64, a.Rows)
	longest := 0.0
	for i, l := range a.Lengths {
		w[i] = 1
		if l >= 0 {
			w[i] = float64(l)
		}
		longest = max(longest, w[i])
	}
	return w, longest
}

// moments accumulates mean and extremes of weighted values.
type moments struct {
	weight, sum, lo, hi float64
	n                   int
}

func (m *moments) add(x, w float64) {
	if w == 0 {
		return
	}
	if m.n == 0 {
		m.lo, m.hi = x, x
	}
	m.n++
	m.weight += w
	m.sum += x * w
	// NaN goes through, as torch's max and min let it
	m.lo, m.hi = min(m.lo, x), max(m.hi, x)
}

func (m *moments) mean() float64 { return m.sum / m.weight }

func appendMoments(to []Metric, name string, values []float64) []Metric {
	var m moments
	for _, v := range values {
		m.add(v, 1)
	}
	return m.append(to, name)
}

func (m *moments) append(to []Metric, name string) []Metric {
	mean := 0.0
	if m.n > 0 {
		mean = m.mean()
	}
	return append(to, Metric{name + "/mean", mean}, Metric{name + "/max", m.hi}, Metric{name + "/min", m.lo})
}

// tokens are the figures over response tokens.
func (a *Analysis) tokens(to []Metric, w []float64) []Metric {
	var original, final, processed moments
	for i := range w {
		original.add(a.Original[i], w[i])
		final.add(a.Processed[i], w[i])
		if a.Processed[i] != 0 {
			processed.add(a.Processed[i], w[i])
		}
	}
	to = original.append(to, "critic/advantages")
	to = processed.append(to, "critic/advantages_processed")
	to = append(to, Metric{"critic/advantages_processed/std", a.processedStd(w, &processed)})
	return final.append(to, "critic/returns")
}

// processedStd is the unbiased std over the tokens of advantages that are not zero.
func (a *Analysis) processedStd(w []float64, m *moments) float64 {
	if m.n == 0 {
		return 0
	}
	squares, mean := 0.0, m.mean()
	for i, x := range a.Processed {
		if x != 0 {
			squares += w[i] * (x - mean) * (x - mean)
		}
	}
	return math.Sqrt(squares / (m.weight - 1))
}

// lengths are the figures over responses; a response as long as the longest of
// the batch counts as cut off.
func (a *Analysis) lengths(to []Metric, w []float64, longest float64) []Metric {
	var all, whole, positive, negative moments
	cut := 0
	for i, l := range w {
		all.add(l, 1)
		if l < longest {
			whole.add(l, 1)
		} else {
			cut++
		}
		switch {
		case l == 0:
		case a.Original[i] > 0:
			positive.add(l, 1)
		case a.Original[i] < 0:
			negative.add(l, 1)
		}
	}
	to = all.append(to, "response_length")
	to = append(to, Metric{"response_length/clip_ratio", float64(cut) / float64(len(w))})
	to = whole.append(to, "response_length_no_cutoff")
	to = append(to, Metric{"response_length_no_cutoff/count", float64(whole.n)})
	to = positive.append(to, "response_length_positive")
	return negative.append(to, "response_length_negative")
}

// distribution counts samples by the sign of their original advantage.
func (a *Analysis) distribution(to []Metric, w []float64) []Metric {
	var positive, negative, keptPositive, keptNegative, filtered float64
	for i, x := range a.Original {
		if w[i] == 0 || !a.Keep[i] {
			filtered++
		}
		switch {
		case w[i] == 0:
		case x > 0:
			positive++
			keptPositive += one(a.Keep[i])
		case x < 0:
			negative++
			keptNegative += one(a.Keep[i])
		}
	}
	return append(to,
		Metric{"sample_distribution/num_positive", positive},
		Metric{"sample_distribution/num_negative", negative},
		Metric{"sample_distribution/total", positive + negative},
		Metric{"sample_distribution/num_kept_positive", keptPositive},
		Metric{"sample_distribution/num_kept_negative", keptNegative},
		Metric{"sample_distribution/num_filtered", filtered},
		Metric{"sample_distribution/kept_total", keptPositive + keptNegative},
	)
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// constantShare is the share of samples whose group has one reward throughout.
func (a *Analysis) constantShare() float64 {
	n := 0
	for i := range a.Table {
		if a.Table[i].equal {
			n += a.Table[i].Size()
		}
	}
	return float64(n) / float64(a.Rows)
}

// ours are the figures that no trainer logs. best is the best reward of the
// run: a sample that has it counts as solved.
func (a *Analysis) ours(to []Metric, best float64) []Metric {
	before, after, squares := 0.0, 0.0, 0.0
	for i, x := range a.Processed {
		before += math.Abs(a.Original[i])
		after += math.Abs(x)
		squares += x * x
	}
	to = append(to,
		Metric{"vantage/signal", float64(a.Signal) / float64(a.Groups)},
		Metric{"vantage/kept", float64(a.Kept) / float64(a.Rows)},
		Metric{"vantage/flips", float64(a.Flips)},
		Metric{"vantage/abs_advantage_ratio", after / before},
		Metric{"vantage/effective_samples", after * after / squares},
		Metric{"vantage/length_correlation", a.lengthCorrelation()},
	)
	return a.solved(to, best)
}

// lengthCorrelation is Pearson's r between response length and processed
// advantage over the samples whose length is known; NaN if either is constant.
func (a *Analysis) lengthCorrelation() float64 {
	n, sx, sy := 0.0, 0.0, 0.0
	for i, l := range a.Lengths {
		if l >= 0 {
			n, sx, sy = n+1, sx+float64(l), sy+a.Processed[i]
		}
	}
	var xy, xx, yy float64
	for i, l := range a.Lengths {
		if l >= 0 {
			dx, dy := float64(l)-sx/n, a.Processed[i]-sy/n
			xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
		}
	}
	return xy / math.Sqrt(xx*yy)
}

// SolveBins are the bounds of the solve-rate histogram: bin i counts the groups
// of which more than SolveBins[i-1] and at most SolveBins[i] of the samples
// reach the best reward of the run; the first holds those with none.
func SolveBins() []float64 { return []float64{0, 0.25, 0.5, 0.75, 0.999, 1} }

// solved are pass@k (unbiased, 1 - C(n-c,k)/C(n,k), Chen et al. 2021, mean over
// the groups with at least k samples) and the solve-rate histogram.
func (a *Analysis) solved(to []Metric, best float64) []Metric {
	solved := make([]int, a.Groups)
	largest := 0
	for at := range a.Table {
		g := &a.Table[at]
		largest = max(largest, g.Size())
		for i := g.Start; i < g.End; i++ {
			if a.Logged[i] == best {
				solved[at]++
			}
		}
	}
	for k := 1; k <= largest; k *= 2 {
		to = append(to, Metric{"pass@" + strconv.Itoa(k), a.passAt(k, solved)})
	}
	bins := SolveBins()
	counts := make([]float64, len(bins))
	for at := range a.Table {
		rate := float64(solved[at]) / float64(a.Table[at].Size())
		for i, bound := range bins {
			if rate <= bound {
				counts[i]++
				break
			}
		}
	}
	names := []string{"0", "to_25", "to_50", "to_75", "below_100", "100"}
	for i, name := range names {
		to = append(to, Metric{"vantage/solve_rate/" + name, counts[i]})
	}
	return to
}

func (a *Analysis) passAt(k int, solved []int) float64 {
	sum, groups := 0.0, 0
	for at := range a.Table {
		n := a.Table[at].Size()
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
