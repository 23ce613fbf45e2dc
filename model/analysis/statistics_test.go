package analysis

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vantage/model"
	"vantage/model/units"
)

// drawStep is a step of groups with rewards that may be NaN, infinite, nearly equal or large, and
// lengths that may be unknown or 0.
func drawStep(t *rapid.T) model.Snapshot {
	lengths := rapid.SampledFrom([][]int32{{-1}, {7}, {1, 20, 300}, {0, 5, 90}, {-1, 0, 40}}).Draw(t, "lengths")
	rewards := rapid.SampledFrom([][]float64{{0, 1}, {0, 0.25, 0.5, 3}, {-2, 0, 1, math.NaN()}, {1, 2, math.Inf(1)}, {1}, {1, 1 + 1e-7, 1 + 2e-7}, {1e3, 1001, 1004}}).Draw(t, "rewards")
	c := &model.Chunk{Format: "made", Files: []string{"x"}, LengthUnit: model.LengthTokens}
	for g := range rapid.IntRange(1, 40).Draw(t, "groups") {
		for range rapid.IntRange(1, 9).Draw(t, "size") {
			c.Records = append(c.Records, model.Record{
				Step: 1, Group: fmt.Sprint(g), Advantage: math.NaN(),
				Reward: rapid.SampledFrom(rewards).Draw(t, "reward"), Length: rapid.SampledFrom(lengths).Draw(t, "length"),
			})
		}
	}
	return stepsOf(c)
}

// weightedValues are values whose figures are computed by definition.
type weightedValues struct{ x, w []float64 }

func (p *weightedValues) add(x, w float64) {
	if w != 0 {
		p.x, p.w = append(p.x, x), append(p.w, w)
	}
}

func (p *weightedValues) mean() float64 {
	sum, weight := 0.0, 0.0
	for i, x := range p.x {
		sum, weight = sum+x*p.w[i], weight+p.w[i]
	}
	if len(p.x) == 0 {
		return 0
	}
	return sum / weight
}

func (p *weightedValues) std() float64 {
	squares, weight, mean := 0.0, 0.0, p.mean()
	for i, x := range p.x {
		squares, weight = squares+p.w[i]*(x-mean)*(x-mean), weight+p.w[i]
	}
	if len(p.x) == 0 {
		return 0
	}
	return math.Sqrt(squares / (weight - 1))
}

func (p *weightedValues) min() float64 { return -(&weightedValues{x: negated(p.x)}).max() }

func (p *weightedValues) max() float64 {
	most := math.Inf(-1)
	for _, x := range p.x {
		most = max(most, x)
	}
	if len(p.x) == 0 {
		return 0
	}
	return most
}

func negated(x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = -x[i]
	}
	return y
}

func TestMetricsEqualTheirDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := model.DefaultSettings()
		set.GroupBy = model.GroupByID
		set.KeepPos, set.KeepNeg = rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "pos"), rapid.SampledFrom([]float64{0.3, 1}).Draw(t, "neg")
		set.Recompute = rapid.Bool().Draw(t, "recompute")
		a, err := Analyze(context.Background(), drawStep(t), 0, set)
		if err != nil {
			t.Skip(err)
		}
		var before, processed, returns, positive, negative, abs, length, finiteOnes weightedValues
		kept, filtered := [2]int{}, 0
		for i, x := range a.Unfiltered {
			y, w := a.Processed[i], 1.0
			if a.Lengths[i] >= 0 {
				w = float64(a.Lengths[i])
			}
			before.add(x, w)
			returns.add(y, w)
			if y != 0 {
				processed.add(y, w)
			}
			if x > 0 {
				positive.add(w, one64(w))
				kept[0] += model.Count01(a.Keep[i] && w != 0)
			}
			if x < 0 {
				negative.add(w, one64(w))
				kept[1] += model.Count01(a.Keep[i] && w != 0)
			}
			filtered += model.Count01(!a.Keep[i] || w == 0)
			if units.IsFinite(y) {
				abs.add(math.Abs(y), 1)
				if a.Lengths[i] >= 0 {
					length.add(w, 1)
					finiteOnes.add(y, 1)
				}
			}
		}
		want := map[string]float64{
			"critic/advantages/mean": before.mean(), "critic/advantages/max": before.max(), "critic/advantages/min": before.min(),
			"critic/advantages_processed/mean": processed.mean(), "critic/advantages_processed/max": processed.max(),
			"critic/advantages_processed/min": processed.min(), "critic/advantages_processed/std": processed.std(),
			"critic/returns/mean": returns.mean(), "critic/returns/max": returns.max(), "critic/returns/min": returns.min(),
			"sample_distribution/num_positive": float64(len(positive.x)), "sample_distribution/num_negative": float64(len(negative.x)),
			"sample_distribution/num_kept_positive": float64(kept[0]), "sample_distribution/num_kept_negative": float64(kept[1]),
			"sample_distribution/num_filtered": float64(filtered),
		}
		if a.shaped.hasLengths {
			want["response_length_positive/mean"], want["response_length_positive/min"] = positive.mean(), positive.min()
			want["response_length_negative/max"], want["response_length_negative/mean"] = negative.max(), negative.mean()
		}
		if r := correlation(length.x, finiteOnes.x); !math.IsNaN(r) {
			want["vantage/length_correlation"] = r
		}
		for name, want := range want {
			if got := a.Metric(name); !nearlyEqual(got, want) {
				t.Errorf("%s is %v, by definition %v", name, got, want)
			}
		}
	})
}

func one64(w float64) float64 { return float64(model.Count01(w != 0)) }

func nearlyEqual(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-6*max(1, math.Abs(b))
}

// correlation is Pearson's r; NaN where a column is all but constant.
func correlation(x, y []float64) float64 {
	w := make([]float64, len(x))
	for i := range w {
		w[i] = 1
	}
	mx, my := (&weightedValues{x, w}).mean(), (&weightedValues{y, w}).mean()
	xx, yy, xy := 0.0, 0.0, 0.0
	for i := range x {
		xx, yy, xy = xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my), xy+(x[i]-mx)*(y[i]-my)
	}
	if xx < 1e-9 || yy < 1e-9 {
		return math.NaN()
	}
	return xy / math.Sqrt(xx*yy)
}

// A group of one has no advantage under easyr1 and changes no metric: two samples of ±0.707 are two
// effective samples, and Σ|A| is as before the filter.
func TestGroupOfOneLeavesMetricsAlone(t *testing.T) {
	s := model.NewStore()
	s.Append(&model.Chunk{Format: "made", Files: []string{"x"}, Records: []model.Record{
		{Step: 1, Group: "pair", Reward: 0, Advantage: math.NaN(), Length: 10},
		{Step: 1, Group: "pair", Reward: 1, Advantage: math.NaN(), Length: 20},
		{Step: 1, Group: "single", Reward: 1, Advantage: math.NaN(), Length: 5},
	}})
	set := model.DefaultSettings()
	set.GroupBy = model.GroupByID
	a := analyze(t, s.Snapshot(), set)
	for name, want := range map[string]float64{
		"vantage/abs_advantage_ratio": 1, "vantage/effective_samples": 2, "vantage/length_correlation": 1,
	} {
		if got := a.Metric(name); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}

// The literature has 0.5313 to 0.8881 for 15 of 20.
func TestWilson(t *testing.T) {
	got := Wilson(15, 20)
	if math.Abs(got[0]-0.5313) > 1e-4 || math.Abs(got[1]-0.8881) > 1e-4 {
		t.Error(got)
	}
	if got := Wilson(0, 0); got != [2]float64{0, 1} {
		t.Error(got)
	}
}

// Blocks of plain numbers, which have a loop of their own, sum to the bits of the loop for all blocks; a block with anything else
// is left to that.
func TestPlainBlocksSumAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "samples")
		rewards := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, -1, 0.3, math.Copysign(0, -1)}), n, n).Draw(t, "rewards")
		advantages := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-3, 3), rapid.SampledFrom([]float64{0, math.Copysign(0, -1)})), n, n).Draw(t, "advantages")
		lengths := rapid.SliceOfN(rapid.Int32Range(1, 5000), n, n).Draw(t, "lengths")
		keep := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "keep")
		odd := rapid.SampledFrom([]string{"", "no length", "no tokens", "NaN", "infinite", "no reward"}).Draw(t, "odd")
		a := &Analysis{
			Columns: Columns{Lengths: lengths}, Unfiltered: advantages, Processed: advantages, Keep: keep,
			stages: stages{
				shaped: shaped{tokenWeights: lengths}, unfiltered: unfiltered{rewards: rewards}, recomputed: recomputed{isUnfiltered: true},
			},
		}
		if rapid.Bool().Draw(t, "filtered") {
			a.Processed, a.recomputed.isUnfiltered = slices.Clone(advantages), false
			for i := range n {
				a.Processed[i] *= float64(model.Count01(keep[i]))
			}
		}
		if rapid.Bool().Draw(t, "residue") {
			a.residue = make([]residue, n)
			for i := range n {
				a.residue[i] = residue{rewards[i] == 0.3, keep[i]}
			}
		}
		switch at := rapid.IntRange(0, n-1).Draw(t, "at"); odd {
		case "no length":
			lengths[at] = -1
			a.shaped.tokenWeights = slices.Clone(lengths)
			a.shaped.tokenWeights[at] = 1
		case "no tokens":
			lengths[at] = 0
		case "NaN":
			advantages[at] = math.NaN()
		case "infinite":
			advantages[at] = math.Inf(-1)
		case "no reward":
			rewards[at] = math.NaN()
		}
		var plain, whole statistics
		whole.add(a, block{0, 0, 0, n})
		isPlain := plain.addPlain(a, block{0, 0, 0, n})
		if odd != "" && isPlain {
			t.Fatalf("a block with %s is taken for a plain one", odd)
		}
		if got, want := fmt.Sprintf("%x", plain), fmt.Sprintf("%x", whole); isPlain && got != want {
			t.Fatalf("a plain block sums to\n%s\nand by the loop for all to\n%s", got, want)
		}
		if odd == "" && !isPlain {
			t.Fatal("a plain block is not taken for one")
		}
	})
}
