package analysis

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// Metric is a figure of a step under the name that a trainer logs it by. Names that begin with
// "vantage/" are ours.
type Metric struct {
	Name  string
	Value float64
}

// metrics are the figures of a step.
//
// Names and definitions under critic/, sample_distribution/ and response_length*/ are those of
// Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/metrics.py, compute_data_metrics: advantages are
// weighted by response tokens, processed ones leave out every exact zero, and
// sample_distribution/total counts no sample whose advantage is zero. If a log has no token counts
// the weights are what LengthUnit says, or 1; if it has no lengths the metrics of lengths are left
// out. Sums are float64: the trainer's float32 sums differ in the sixth digit. frac_reward_zero_std
// is that of TRL and ms-swift (see estimators.Estimator.ZeroStd); for other frameworks, which do not
// log it, it is the share of samples in groups of equal rewards. Metrics under vantage/ are over samples with a finite
// advantage, and those of rewards over the finite ones where another would make all of them NaN; those of advantages and returns are
// then NaN, as the trainer's are.
func (a *Analysis) metrics() []Metric {
	in, s := &a.shaped, &a.sums
	zeroStd := 0 // samples whose standard deviation the trainer takes for zero
	for i := range a.Table {
		zeroStd += model.Count01(a.unfiltered.zeroStd[i]) * a.Table[i].Size()
	}
	room := 64
	if a.plan.onlyMeans {
		room = meansRoom
	}
	m := make([]Metric, 0, room)
	a.InvalidRewards = in.invalid
	rewards := a.meantRewards()
	m = rewards.appendTo(m, "critic/score/mean", "critic/score/max", "critic/score/min")
	a.AbsUnfiltered, a.AbsProcessed, a.Squares = s.sumAbsUnfiltered, s.sumAbsProcessed, s.sumSquares
	m = rewards.appendTo(m, "critic/rewards/mean", "critic/rewards/max", "critic/rewards/min")
	if a.plan.onlyMeans {
		return a.lengthMetrics(m)
	}
	m = s.unfiltered.appendTo(m, "critic/advantages/mean", "critic/advantages/max", "critic/advantages/min")
	m = s.processed.appendTo(m, "critic/advantages_processed/mean", "critic/advantages_processed/max", "critic/advantages_processed/min")
	m = append(m, Metric{"critic/advantages_processed/std", s.processedStd()})
	m = s.returns.appendTo(m, "critic/returns/mean", "critic/returns/max", "critic/returns/min")
	if in.hasLengths {
		m = a.lengthMetrics(m)
		m = s.positive.appendTo(m, "response_length_positive/mean", "response_length_positive/max", "response_length_positive/min")
		m = s.negative.appendTo(m, "response_length_negative/mean", "response_length_negative/max", "response_length_negative/min")
	}
	m = append(m,
		Metric{"sample_distribution/num_positive", float64(s.positive.n)},
		Metric{"sample_distribution/num_negative", float64(s.negative.n)},
		Metric{"sample_distribution/total", float64(s.positive.n + s.negative.n)},
		Metric{"sample_distribution/num_kept_positive", float64(s.keptPositive)},
		Metric{"sample_distribution/num_kept_negative", float64(s.keptNegative)},
		Metric{"sample_distribution/num_filtered", float64(s.filtered)},
		Metric{"sample_distribution/kept_total", float64(s.keptPositive + s.keptNegative)},
		Metric{"frac_reward_zero_std", float64(zeroStd) / float64(a.Rows)},
		// no trainer logs these
		Metric{"vantage/signal", float64(a.Signal) / float64(a.Groups)},
		Metric{"vantage/kept", float64(a.Kept) / float64(a.Rows)},
		Metric{"vantage/nonzero_advantages", float64(a.Nonzero)},
		Metric{"vantage/flips", float64(a.Flips.Total())},
		Metric{"vantage/abs_advantage_ratio", s.sumAbsProcessed / s.sumAbsUnfiltered},
		Metric{"vantage/effective_samples", s.sumAbsProcessed * s.sumAbsProcessed / s.sumSquares},
		Metric{"vantage/length_correlation", s.lengthCorrelation()},
	)
	if a.admitted.rule != nil {
		m = append(m,
			Metric{"vantage/admitted", float64(a.AdmittedGroups) / float64(a.Groups)},
			Metric{"vantage/refill", float64(a.Groups) / float64(a.AdmittedGroups)},
		)
	}
	m = append(m, a.policyMetrics()...)
	m = append(m, a.lossMetrics()...)
	return append(m, in.solveMetrics...)
}

// meantRewards are the rewards that metrics are of: all, or the finite ones where others would make their mean no number. An infinite mean
// is as the trainer logs it.
func (a *Analysis) meantRewards() moments {
	a.FiniteRewards = 0
	if units.IsFinite(a.sums.rewards.mean()) {
		return a.sums.rewards
	}
	var finite moments
	for _, r := range a.unfiltered.rewards {
		if units.IsFinite(r) {
			finite.add(r, 1)
		}
	}
	if a.FiniteRewards, a.RewardSum = finite.n, finite.sum; finite.n == 0 || !math.IsNaN(a.sums.rewards.mean()) {
		return a.sums.rewards
	}
	return finite
}

// lengthMetrics appends those of all responses, if some length is known.
func (a *Analysis) lengthMetrics(m []Metric) []Metric {
	in := &a.shaped
	if !in.hasLengths {
		return m
	}
	m = in.length.appendTo(m, "response_length/mean", "response_length/max", "response_length/min")
	m = append(m, Metric{"response_length/clip_ratio", float64(in.length.n-in.uncutLength.n) / float64(in.length.n)})
	m = in.uncutLength.appendTo(m, "response_length_no_cutoff/mean", "response_length_no_cutoff/max", "response_length_no_cutoff/min")
	return append(m, Metric{"response_length_no_cutoff/count", float64(in.uncutLength.n)})
}

// solveBins are the bounds of the solve-rate histogram. Bin i counts the groups of which more than
// solveBins[i-1] and at most solveBins[i] of the samples are solved; bin 0 those without any.
func solveBins() []float64 { return []float64{0, 0.25, 0.5, 0.75, 0.999, 1} }

// solveBin is the index of the bin of a group that has samples.
func (g *Group) solveBin() int {
	rate := float64(g.Solved) / float64(g.Counted)
	return slices.IndexFunc(solveBins(), func(bound float64) bool { return rate <= bound })
}

const solveRatePrefix = "vantage/solve_rate/"

// SolveRateNames are the metrics of the bins, written out because each step has them.
func SolveRateNames() []string {
	return []string{
		solveRatePrefix + "0", solveRatePrefix + "to_25", solveRatePrefix + "to_50", solveRatePrefix + "to_75",
		solveRatePrefix + "below_100", solveRatePrefix + "100",
	}
}

// passAtName is the metric pass@k.
func passAtName(k int) string {
	usual := [...]string{"pass@1", "pass@2", "pass@4", "pass@8", "pass@16", "pass@32", "pass@64"}
	if power := bits.Len(uint(k)) - 1; power < len(usual) && k == 1<<power {
		return usual[power]
	}
	return "pass@" + strconv.Itoa(k)
}

// IsSolveMetric reports whether a metric counts solved samples, so that steps lack it whose rewards do
// not say which samples are solved: see StepFigures.NoSolved.
func IsSolveMetric(name string) bool {
	return strings.HasPrefix(name, "pass@") || strings.HasPrefix(name, solveRatePrefix)
}

// solveRates are pass@k (unbiased, 1 - C(n-c,k)/C(n,k), Chen et al. 2021, mean over the groups with
// at least k samples) and the solve-rate histogram, both over the groups whose run has a solved reward:
// see model.RewardScale. They are nil if there are no such groups.
func solveRates(groups []Group) []Metric {
	maxSize := 0
	bins := make([]float64, len(solveBins()))
	for i := range groups {
		if g := &groups[i]; g.HasSolved && g.Counted > 0 {
			maxSize = max(maxSize, g.Counted)
			bins[g.solveBin()]++
		}
	}
	if maxSize == 0 {
		return nil
	}
	metrics := make([]Metric, 0, len(bins)+bits.Len(uint(maxSize)))
	for k := 1; k <= maxSize; k *= 2 {
		metrics = append(metrics, Metric{Name: passAtName(k), Value: passAt(k, groups)})
	}
	for bin, name := range SolveRateNames() {
		metrics = append(metrics, Metric{Name: name, Value: bins[bin]})
	}
	return metrics
}

func passAt(k int, groups []Group) float64 {
	sum, enough := 0.0, 0 // groups with at least k samples
	for i := range groups {
		n := groups[i].Counted
		if n < k || !groups[i].HasSolved {
			continue
		}
		enough++
		fails := 1.0 // C(n-c,k)/C(n,k), factor by factor
		for j := range k {
			fails *= float64(max(0, n-groups[i].Solved-j)) / float64(n-j)
		}
		sum += 1 - fails
	}
	return sum / float64(enough)
}

// Means is a copy for a trend as [ComputeMeans] has it: the other metrics take three quarters of the memory.
func (s *StepFigures) Means(set model.Settings) StepFigures {
	means := *s
	if set.Filtering() {
		return means
	}
	means.Metrics = make([]Metric, 0, meansRoom)
	for _, m := range s.Metrics {
		if isOfMeans(m.Name) {
			means.Metrics = append(means.Metrics, m)
		}
	}
	return means
}

// meansRoom is enough for the metrics of [ComputeMeans].
const meansRoom = 16

// isOfMeans reports whether [ComputeMeans] computes a metric.
func isOfMeans(name string) bool {
	isOfRewards := strings.HasPrefix(name, "critic/score/") || strings.HasPrefix(name, "critic/rewards/")
	return isOfRewards || strings.HasPrefix(name, "response_length/") || strings.HasPrefix(name, "response_length_no_cutoff/")
}

// Metric returns the metric with a name, NaN if there is none.
func (s *StepFigures) Metric(name string) float64 {
	value, _ := s.MetricNear(name, 0)
	return value
}

// MetricNear is Metric, given the index at which the metric probably is; it returns where it is.
func (s *StepFigures) MetricNear(name string, hint int) (value float64, index int) {
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

// MetricNames are the names of the metrics that any step of the run has, in the order in which steps
// list them: what a table needs before its first row. They depend on whether the log has lengths, and
// on the size of the largest group, and they lack pass@k and the solve rate if the rewards of no run say
// what is solved. It fails if samples cannot be grouped.
func MetricNames(snap model.Snapshot, set model.Settings) ([]string, error) {
	grouping, err := snap.Grouping(set)
	if err != nil {
		return nil, err
	}
	hasLengths, maxSize := false, 0
	for i, step := range snap.Steps {
		_, offsets, err := snap.Layout(grouping.GroupRule, i)
		if err != nil {
			return nil, err
		}
		for g := range offsets[1:] {
			maxSize = max(maxSize, offsets[g+1]-offsets[g])
		}
		hasLengths = hasLengths || slices.ContainsFunc(step.Lengths, func(l int32) bool { return l >= 0 })
	}
	hasSolved := slices.ContainsFunc(snap.RewardScales(set), func(r model.RewardScale) bool { return r.Known })
	return metricNames(set, hasLengths, maxSize, hasSolved)
}

// metricNames are those of a step with one sample, of known length or not, under the group filter and
// the loss of set, and if hasSolved pass@k for groups of up to maxSize samples.
func metricNames(set model.Settings, hasLength bool, maxSize int, hasSolved bool) ([]string, error) {
	store := model.NewStore()
	store.Append(&model.Chunk{Records: []model.Record{{Prompt: 1, Advantage: math.NaN(), Length: int32(2*model.Count01(hasLength) - 1)}}})
	plain := model.DefaultSettings()
	plain.Overlong, plain.GroupFilter, plain.OffPolicy, plain.Loss = set.Overlong, set.GroupFilter, set.OffPolicy, set.Loss
	plain.StageOptions = set.StageOptions
	a, err := Analyze(context.Background(), store.Snapshot(), 0, plain)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range a.Metrics {
		if IsSolveMetric(m.Name) && !hasSolved {
			continue
		}
		names = append(names, m.Name)
		if m.Name == "pass@1" {
			for k := 2; k <= maxSize; k *= 2 {
				names = append(names, passAtName(k))
			}
		}
	}
	return names, nil
}
