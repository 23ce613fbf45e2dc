package model

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vantage/estimators"
)

// Whether the order of the rewards is asked or each advantage, the groups, what is kept and
// the figures are the same, under every estimator.
func TestFallingIsPlain(t *testing.T) {
	asked := 0
	rapid.Check(t, func(t *rapid.T) {
		snap := orderedStep(t)
		e := rapid.SampledFrom(estimators.All()).Draw(t, "estimator")
		set := DefaultSettings().WithFramework(e.Framework).WithEstimator(e.Name)
		set.GroupBy, set.Scale = GroupByID, rapid.SampledFrom(e.Scales).Draw(t, "scale")
		ratios := []float64{0, 0.2, 0.5, 0.9, 1}
		set.KeepPos, set.KeepNeg = rapid.SampledFrom(ratios).Draw(t, "pos"), rapid.SampledFrom(ratios).Draw(t, "neg")
		set.Recompute = rapid.Bool().Draw(t, "recompute")
		got, err := snap.Analyze(context.Background(), 0, set)
		if err != nil {
			t.Skip(err)
		}
		plain := *got.ground
		plain.byReward = nil
		want, err := snap.AnalyzeAfter(context.Background(), 0, set, &Analysis{ground: &plain, origin: &origin{}})
		if err != nil || want.origin.falls[0] {
			t.Fatal("not plain", err)
		}
		for _, falls := range got.origin.falls {
			asked += one(falls)
		}
		near := cmpopts.EquateApprox(1e-6, 1e-9)
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), near, cmpopts.IgnoreUnexported(Analysis{})); diff != "" {
			t.Errorf("-plain +by order\n%s", diff)
		}
		if diff := cmp.Diff(want.Table(), got.Table(), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("-plain +by order\n%s", diff)
		}
	})
	if asked == 0 {
		t.Error("no order was asked")
	}
}

// orderedStep is a step whose rewards are few, many, nearly equal, or large.
func orderedStep(t *rapid.T) Snapshot {
	reward := rapid.SampledFrom([]func(float64) float64{
		math.Round,
		func(x float64) float64 { return x },
		func(x float64) float64 { return 1 + math.Round(x*9)*1e-8 },
		func(x float64) float64 { return 1e3 + math.Round(x*4) },
		func(x float64) float64 { return -math.Round(x * 3) },
	}).Draw(t, "reward")
	length := rapid.SampledFrom([]int32{-1, 0, 1, 4000}).Draw(t, "least length")
	c := &Chunk{Format: "made", Files: []string{"x"}, LengthUnit: LengthTokens}
	for g := range rapid.IntRange(1, 12).Draw(t, "groups") {
		size := rapid.SampledFrom([]int{1, 2, 7, 30}).Draw(t, "size")
		for range size {
			l := length
			if l >= 0 {
				l += int32(rapid.IntRange(0, 9).Draw(t, "length"))
			}
			c.Records = append(c.Records, Record{
				Step: 1, Group: fmt.Sprint(g), Advantage: math.NaN(), Length: l, Reward: reward(rapid.Float64Range(0, 1).Draw(t, "x")),
			})
		}
	}
	s := NewStore()
	s.Append(c)
	return s.Snapshot()
}
