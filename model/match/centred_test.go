package match

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"vantage/model"
)

// Rewards less the mean of their group are a rule of the trainer's own, whatever each group is multiplied by, and whatever is masked; with
// another baseline, or the other way up, they are none.
func TestOwnRule(t *testing.T) {
	groups := [][]float64{{1, 0, 0, 0}, {1, 1, 1, 0}, {0.2, 0.9, 0.4, 0.1}, {2, 3, 3, 7}}
	mean := func(r []float64) float64 { return (r[0] + r[1] + r[2] + r[3]) / 4 }
	median := func(r []float64) float64 { s := slices.Sorted(slices.Values(r)); return (s[1] + s[2]) / 2 }
	for name, c := range map[string]struct {
		advantage func(r []float64, i, group int) float64
		want      bool
		clue      string
	}{
		"divided by the best":     {func(r []float64, i, _ int) float64 { return (r[i] - mean(r)) / max(r[0], r[1], r[2], r[3]) }, true, "less the mean of their group"},
		"a weight of each source": {func(r []float64, i, g int) float64 { return (r[i] - mean(r)) * float64(1+g%3) }, true, "less the mean of their group"},
		"the greater of std, 0.5": {func(r []float64, i, _ int) float64 { return (r[i] - mean(r)) / max(0.5, math.Abs(r[0]-r[3])) }, true, "times a factor of the group"},
		"the third row is masked": {func(r []float64, i, g int) float64 {
			return (r[i] - mean(r)) * float64(1+g%3) * float64(min(1, (i+2)%4))
		}, true, "as samples that are masked"},
		"the baseline is the best":   {func(r []float64, i, g int) float64 { return (r[i] - max(r[0], r[1], r[2], r[3])) * float64(1+g%3) }, false, ""},
		"the baseline is the median": {func(r []float64, i, _ int) float64 { return r[i] - median(r) }, true, "from a baseline within the group"},
		"bounded by tanh":            {func(r []float64, i, _ int) float64 { return math.Tanh(3 * (r[i] - mean(r))) }, true, "rise with the reward"},
		"losses weigh a half": {func(r []float64, i, _ int) float64 {
			return max(0, r[i]-mean(r)) + min(0, r[i]-mean(r))/2
		}, true, "rise with the reward"},
		"one baseline for all": {func(r []float64, i, _ int) float64 { return math.Tanh(r[i] - 0.55) }, false, ""},
		"the wrong way up":     {func(r []float64, i, g int) float64 { return (mean(r) - r[i]) * float64(1+g%3) }, false, ""},
	} {
		var rows []row
		for g := range 5 * len(groups) {
			rewards := groups[g%len(groups)]
			for i, r := range rewards {
				rows = append(rows, row{string(rune('a' + g)), r, c.advantage(rewards, i, g)})
			}
		}
		r := run(t, rows)
		if r.OwnRule != c.want || !strings.Contains(strings.Join(r.Clues, "; "), c.clue) {
			t.Errorf("%s: own rule %t, want %t; clues %q", name, r.OwnRule, c.want, r.Clues)
		}
	}
}

// Advantages that are divided by the length of their answer are a rule of the trainer's own.
func TestOwnRulePerLength(t *testing.T) {
	chunk := &model.Chunk{Format: "synthetic", Positional: true, Progress: model.Progress{CaughtUp: true}}
	for g := range 20 {
		for i, reward := range []float64{1, 0, 0, float64(g % 2)} {
			length := int32(10 + 7*i + g)
			mean := (1 + float64(g%2)) / 4
			chunk.Records = append(chunk.Records, model.Record{
				Step: 7, Group: string(rune('a' + g)), Reward: reward, Advantage: (reward - mean) / float64(length), Length: length,
			})
		}
	}
	set := model.DefaultSettings()
	set.GroupBy = model.GroupByID
	r, err := Run(context.Background(), snapshotOf(chunk), set, DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	if !r.OwnRule || !strings.Contains(strings.Join(r.Clues, "; "), "divided by the length of the answer") {
		t.Errorf("own rule %t, clues %q", r.OwnRule, r.Clues)
	}
}
