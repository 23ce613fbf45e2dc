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

// The tables of the page on tuning that are about group filters and losses. -update writes them.
func TestChainPageIsCurrent(t *testing.T) {
	repotest.OneGoroutine(t)
	repotest.Part(t, ".github/docs/tuning.md", "filters", filterTable(t))
	repotest.Part(t, ".github/docs/tuning.md", "losses", lossTable(t))
}

// tenths are 0.1 or 0.7 for all samples of half of the groups: equal, and not exact in binary.
func tenths(random *rand.Rand, group []float64) {
	if random.IntN(2) == 0 {
		binaryRewards(random, group)
		return
	}
	for i := range group {
		group[i] = 0.1
	}
}

// filterTable says what group filters admit.
func filterTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| group filter | rewards 0 or 1: admitted | refill | a judge: admitted | half the groups 0.1 throughout: admitted |\n|---|---|---|---|---|\n")
	for _, row := range [][]string{
		{"verl/filter_groups"},
		{"openrlhf/dynamic_filtering"},
		{"openrlhf/dynamic_filtering", "algo.dynamic_filtering_range=0.2 0.8"},
		{"slime/check_reward_nonzero_std"},
		{"skyrl/dynamic_sampling_filter"},
		{"tinker/remove_constant_reward_groups"},
		{"nemo-rl/use_dynamic_sampling"},
		{"ragen/top_p"},
	} {
		set := model.DefaultSettings()
		set.GroupFilter = row[0]
		name := "`" + row[0] + "`"
		for _, option := range row[1:] {
			var err error
			if set, err = set.Set("option", option); err != nil {
				t.Fatal(err)
			}
			name += " `" + option + "`"
		}
		binary, judge, equal := analyzeGroups(t, set, binaryRewards), analyzeGroups(t, set, continuousRewards), analyzeGroups(t, set, tenths)
		fmt.Fprintf(&b, "| %s | %s | %.2f | %s | %s |\n", name, units.Percent(binary.AdmittedGroups, binary.Groups), binary.Metric("vantage/refill"),
			units.Percent(judge.AdmittedGroups, judge.Groups), units.Percent(equal.AdmittedGroups, equal.Groups))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// lossTable says what losses make of a step in which wrong answers are longer than right ones.
func lossTable(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(16, 2000))
	chunk := &model.Chunk{Format: "made", HasTruth: true, LengthUnit: model.LengthTokens}
	group := make([]float64, 16)
	for g := range 2000 {
		binaryRewards(random, group)
		for _, r := range group {
			length := 400 * math.Exp(0.5*random.NormFloat64()+0.7*(1-r))
			chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: uint64(g + 1), Reward: r, Advantage: math.NaN(), Length: int32(length)})
		}
	}
	store := model.NewStore()
	store.Append(chunk)
	var b strings.Builder
	b.WriteString("| loss | negative to positive | dilution | share that the longest quarter has |\n|---|---|---|---|\n")
	for _, name := range []string{"verl/token-mean", "verl/seq-mean-token-mean", "verl/seq-mean-token-sum", "trl/dapo", "trl/grpo", "trl/dr_grpo", "prime-rl/default", "slime/sample_mean"} {
		set := model.DefaultSettings()
		set.Loss = name
		a, err := analysis.Analyze(context.Background(), store.Snapshot(), 0, set)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "| `%s` | %.2f | %.2f | %.0f%% |\n", name, a.Metric("vantage/loss/negative_to_positive"), a.Metric("vantage/loss/dilution"), 100*a.Metric("vantage/loss/longest_quarter"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
