package analysis_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// The tables of the page on tuning, each row from 2,000 groups of 16. -update writes them.
func TestTuningPageIsCurrent(t *testing.T) {
	repotest.OneGoroutine(t)
	repotest.Part(t, ".github/docs/tuning.md", "binary", tuningTable(t, binaryRewards))
	repotest.Part(t, ".github/docs/tuning.md", "continuous", tuningTable(t, continuousRewards))
}

// binaryRewards are 0 or 1, with a solve rate that is uniform over prompts.
func binaryRewards(random *rand.Rand, group []float64) {
	rate := random.Float64()
	for i := range group {
		group[i] = 0
		if random.Float64() < rate {
			group[i] = 1
		}
	}
}

// continuousRewards are like a judge's: normal around a mean that is uniform over prompts.
func continuousRewards(random *rand.Rand, group []float64) {
	mean := random.Float64()
	for i := range group {
		group[i] = mean + 0.2*random.NormFloat64()
	}
}

// tuningTable has a row for each pair of ratios: without recompute, where no group loses its signal and no sample flips, and with it.
func tuningTable(t *testing.T, rewards func(*rand.Rand, []float64)) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| keep_pos, keep_neg | signal | Σ\\|A\\| | recomputed: signal | killed | short | flips | Σ\\|A\\| |\n|---|---|---|---|---|---|---|---|\n")
	for _, ratios := range [][2]float64{{1, 1}, {1, 0}, {0, 1}, {0.5, 1}, {1, 0.5}, {0.7, 0.5}, {0.5, 0.5}} {
		set := model.DefaultSettings()
		set.KeepPos, set.KeepNeg = ratios[0], ratios[1]
		kept := analyzeGroups(t, set, rewards)
		if kept.Fates[model.FateKilled]+kept.Fates[model.FateShort]+kept.Flips.Total() > 0 {
			t.Errorf("%v without recompute: %d groups killed, %d short, %d samples flip", ratios, kept.Fates[model.FateKilled], kept.Fates[model.FateShort], kept.Flips.Total())
		}
		set.Recompute = true
		a := analyzeGroups(t, set, rewards)
		fmt.Fprintf(&b, "| %g, %g | %s | %s | %s | %s | %s | %s | %s |\n", set.KeepPos, set.KeepNeg,
			units.Percent(kept.Signal, kept.Groups), units.Times(absRatio(kept)),
			units.Percent(a.Signal, a.Groups), units.Percent(a.Fates[model.FateKilled], a.Groups),
			units.Percent(a.Fates[model.FateShort], a.Groups), units.Percent(a.Flips.Total(), a.Kept), units.Times(absRatio(a)))
	}
	return strings.TrimSpace(b.String())
}

// analyzeGroups is the analysis of one step of 2,000 groups of 16.
func analyzeGroups(t *testing.T, set model.Settings, rewards func(*rand.Rand, []float64)) *analysis.Analysis {
	t.Helper()
	random := rand.New(rand.NewPCG(16, 2000))
	chunk := &model.Chunk{Format: "made", HasTruth: true}
	group := make([]float64, 16)
	for g := range 2000 {
		rewards(random, group)
		for _, r := range group {
			chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: uint64(g + 1), Reward: r, Advantage: math.NaN(), Length: -1})
		}
	}
	store := model.NewStore()
	store.Append(chunk)
	a, err := analysis.Analyze(context.Background(), store.Snapshot(), 0, set)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// absRatio is Σ|A| after the filter relative to that before.
func absRatio(a *analysis.Analysis) float64 {
	var before, after float64
	for i := range a.Unfiltered {
		before += math.Abs(a.Unfiltered[i])
		after += math.Abs(a.Processed[i])
	}
	return after / before
}
