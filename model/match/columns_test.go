package match_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vantage/internal/testkit/loaderstest"
	"vantage/model"
	"vantage/model/match"
)

// The weights with which TRL was started are found in what it logged.
func TestWeightsOfTRLAreFound(t *testing.T) {
	for name, want := range map[string]model.Weights{
		"extra":   "accuracy=1,format=1",
		"weights": "accuracy=1,format=0.3",
		"third":   "accuracy=1,format=0.3333333",
		"zero":    "accuracy=1",
		"batch":   "accuracy=0.7,format=0.25",
		"none":    "accuracy=2,format=0.3",
		"gdpo":    "accuracy=1,format=0.3",
		"maybe":   "accuracy=1,maybe_reward=0.5",
		"rloo":    "accuracy=1,format=0.3",
	} {
		t.Run(name, func(t *testing.T) {
			snap := loaderstest.Read(t, "testdata/"+name)
			found, ok := match.FindColumns(context.Background(), snap, model.DefaultSettings(), "trl", snap.Run.SummedColumns(), false)
			if !ok || found.Weights != want || found.Agreeing != found.Compared || found.Compared == 0 || found.OnlyRatio {
				t.Errorf("found %+v, %v, want %s", found, ok, want)
			}
			if !slices.Equal(found.Undecided, []string{"level"}) {
				t.Errorf("undecided %q: level is of the prompt", found.Undecided)
			}
		})
	}
}

// Known functions all count, even one of weight 0, which takes part in the order of the sum.
func TestKnownFunctionsAllCount(t *testing.T) {
	for name, want := range map[string]model.Weights{"weights": "accuracy=1,format=0.3", "zero": "accuracy=1,format=0"} {
		found, ok := match.FindColumns(context.Background(), loaderstest.Read(t, "testdata/"+name), model.DefaultSettings(), "trl", []string{"accuracy", "format"}, true)
		if !ok || found.Weights != want {
			t.Errorf("%s: found %+v, %v, want %s", name, found, ok, want)
		}
	}
}

// madeStep is a step of two groups of four with advantages r − mean of Σ w·column.
func madeStep(columns map[string][]float64, weights map[string]float64, noise float64) model.Snapshot {
	c := &model.Chunk{Format: "trl", Framework: "trl", Files: []string{"a"}, SumsComponents: true}
	for _, name := range []string{"a", "b", "c"} {
		if columns[name] != nil {
			c.ComponentNames = append(c.ComponentNames, name)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for group := range 2 {
		mean, rewards := 0.0, [4]float64{}
		for i := range rewards {
			for name, w := range weights {
				rewards[i] += w * columns[name][4*group+i]
			}
			mean += rewards[i] / 4
		}
		for i := range rewards {
			r := model.Record{Step: 1, Group: string(rune('g' + group)), Length: -1, Advantage: float64(float32(rewards[i]-mean)) + noise*random.Float64()}
			for _, name := range c.ComponentNames {
				r.Components = append(r.Components, columns[name][4*group+i])
				r.Reward += columns[name][4*group+i]
			}
			c.Records = append(c.Records, r)
		}
	}
	s := model.NewStore()
	s.Append(c)
	return s.Snapshot()
}

func TestColumnsThatCannotBeToldApart(t *testing.T) {
	a := []float64{1, 0, 0, 1, 0, 0, 1, 0}
	b := []float64{0.5, 0, 1, 0.25, 0.25, 1, 0, 0}
	double := make([]float64, len(a))
	for i, x := range a {
		double[i] = 2 * x
	}
	constant, ofPrompt := slices.Repeat([]float64{1}, 8), []float64{3, 3, 3, 3, 5, 5, 5, 5}
	for name, test := range map[string]struct {
		columns   map[string][]float64
		weights   map[string]float64
		want      model.Weights
		undecided []string
	}{
		"the first of two that follow from each other": {map[string][]float64{"a": a, "b": double}, map[string]float64{"a": 1}, "a=1", nil},
		"a property of the prompt":                     {map[string][]float64{"a": a, "b": ofPrompt}, map[string]float64{"a": 1}, "a=1", []string{"b"}},
		"one value before a reward function":           {map[string][]float64{"a": constant, "b": b}, map[string]float64{"b": 1}, "a=1,b=1", []string{"a"}},
		"one value after it":                           {map[string][]float64{"a": a, "b": constant}, map[string]float64{"a": 1}, "a=1", []string{"b"}},
		"a negative weight":                            {map[string][]float64{"a": a, "b": b}, map[string]float64{"a": 1, "b": -0.5}, "a=1,b=-0.5", nil},
		"the last columns only":                        {map[string][]float64{"a": a, "b": b, "c": ofPrompt}, map[string]float64{"b": 0.25}, "b=0.25", []string{"c"}},
	} {
		t.Run(name, func(t *testing.T) {
			snap := madeStep(test.columns, test.weights, 0)
			found, ok := match.FindColumns(context.Background(), snap, model.DefaultSettings(), "trl", snap.Run.SummedColumns(), false)
			if !ok || found.Weights != test.want || !slices.Equal(found.Undecided, test.undecided) {
				t.Errorf("found %+v, %v, want %s", found, ok, test.want)
			}
		})
	}
}

// Advantages that follow from no sum of columns name none.
func TestNothingIsFoundInOtherAdvantages(t *testing.T) {
	columns := map[string][]float64{"a": {1, 0, 0, 1, 0, 0, 1, 0}, "b": {0.5, 0, 1, 0.25, 0.25, 1, 0, 0}}
	snap := madeStep(columns, map[string]float64{"a": 1, "b": 0.3}, 0.01)
	for _, names := range [][]string{snap.Run.SummedColumns(), nil, {"a"}} {
		if found, ok := match.FindColumns(context.Background(), snap, model.DefaultSettings(), "trl", names, false); ok {
			t.Errorf("%q: found %+v", names, found)
		}
	}
	if found, ok := match.FindColumns(context.Background(), snap, model.DefaultSettings(), "no trainer", snap.Run.SummedColumns(), false); ok {
		t.Errorf("without an estimator: %+v", found)
	}
	zero := madeStep(columns, map[string]float64{"a": 0}, 0)
	if found, ok := match.FindColumns(context.Background(), zero, model.DefaultSettings(), "trl", zero.Run.SummedColumns(), false); ok {
		t.Errorf("all advantages 0: %+v", found)
	}
	hostile := madeStep(map[string][]float64{"a": {math.Inf(1), 0, 0, 1, 0, 0, 1, 0}, "b": {1e308, -1e308, 1, 0, 0, 1, 0, 0}}, map[string]float64{"a": 1}, 0)
	if found, ok := match.FindColumns(context.Background(), hostile, model.DefaultSettings(), "trl", hostile.Run.SummedColumns(), false); ok && found.Agreeing != found.Compared {
		t.Errorf("infinite rewards: %+v", found)
	}
}

func TestCancelledSearchFindsNothing(t *testing.T) {
	snap := loaderstest.Read(t, "testdata/weights")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if found, ok := match.FindColumns(ctx, snap, model.DefaultSettings(), "trl", snap.Run.SummedColumns(), false); ok {
		t.Errorf("found %+v", found)
	}
}

func BenchmarkFind(b *testing.B) {
	columns, weights := map[string][]float64{}, map[string]float64{"a": 1, "b": 0.3}
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"a", "b", "c"} {
		for range 8 {
			columns[name] = append(columns[name], random.Float64())
		}
	}
	snap := madeStep(columns, weights, 0)
	for b.Loop() {
		match.FindColumns(context.Background(), snap, model.DefaultSettings(), "trl", snap.Run.SummedColumns(), false)
	}
}
