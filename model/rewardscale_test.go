package model

import (
	"math"
	"strings"
	"testing"
)

// rewardCounts are rewards and how many samples have them.
type rewardCounts map[float64]int

func scaleOf(t *testing.T, counts rewardCounts, set Settings) RewardScale {
	t.Helper()
	chunk := &Chunk{Files: []string{"x"}}
	for reward, n := range counts {
		for range n {
			chunk.Records = append(chunk.Records, Record{Step: int64(len(chunk.Records) % 7), Prompt: 1, Reward: reward, Advantage: math.NaN()})
		}
	}
	s := NewStore()
	s.Append(chunk)
	return s.Snapshot().RewardScales(set)[0]
}

// Which rewards are solved and wrong, by the rule of RewardScale worked out by hand.
func TestRewardScale(t *testing.T) {
	many := rewardCounts{}
	for i := range 33 {
		many[float64(i)] = 100
	}
	few := rewardCounts{}
	for i := range 5 {
		few[float64(i)] = 3
	}
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		rewards       rewardCounts
		at            string
		wrong, solved float64
		known         bool
		says          string
	}{
		"two values":                          {rewardCounts{0: 3, 1: 1}, "", 0, 1, true, "at least 1: 1/4 (25%) samples"},
		"one outlier above":                   {rewardCounts{0: 1843, 1: 3276, 1.5: 1}, "", 0, 1, true, "1 above it, up to 1.50, are too few"},
		"one outlier above in a small run":    {rewardCounts{0: 100, 1: 155, 1.5: 1}, "", 0, 1, true, "1 above it"},
		"one outlier below":                   {rewardCounts{-7: 1, 0: 3000, 1: 2000}, "", 0, 1, true, "wrong is 0 or less, because 1 below it, down to -7"},
		"outliers at both ends":               {rewardCounts{-7: 1, 0: 3000, 1: 2000, 9: 2}, "", 0, 1, true, "2 above it"},
		"a best reward that is rare but real": {rewardCounts{0: 2000, 0.1: 3000, 1.1: 25}, "", 0, 1.1, false, "the best reward seen is 1.10, and nothing shows that it is full marks"},
		"solved is rare among wrong":          {rewardCounts{0: 5119, 1: 1}, "", 0, 1, true, "at least 1"},
		"graded rewards":                      {rewardCounts{0: 40, 0.25: 10, 0.5: 10, 0.75: 10, 1: 10}, "", 0, 1, true, "at least 1"},
		"one positive value":                  {rewardCounts{1: 8}, "", -inf, 1, true, "at least 1"},
		"one positive value other than 1":     {rewardCounts{0.2: 8}, "", -inf, inf, false, "the best reward seen is 0.200"},
		"ten for right":                       {rewardCounts{0: 8, 10: 8}, "", 0, 10, true, "at least 10"},
		"two partial credits":                 {rewardCounts{0.2: 8, 0.5: 8}, "", 0.2, 0.5, false, "the best reward seen is 0.500"},
		"one value that is not positive":      {rewardCounts{0: 8}, "", 0, inf, true, "no reward: all are 0"},
		"more than 32 values":                 {many, "", 0, 32, false, "continuous"},
		"few samples of each value":           {few, "", 0, 4, false, "continuous"},
		"no finite reward":                    {rewardCounts{inf: 3}, "", inf, inf, false, "no reward is a finite number"},
		"given":                               {rewardCounts{0: 30, 0.5: 30, 1: 30}, "0.5", 0, 0.5, true, "--solved-at"},
		"given to continuous rewards":         {many, "30", 0, 30, true, "at least 30"},
		"given below all":                     {rewardCounts{0: 3, 1: 1}, "-1", -inf, -1, true, "at least -1"},
	} {
		set, err := DefaultSettings().Set("solved_at", c.at)
		if err != nil {
			t.Fatal(err)
		}
		got := scaleOf(t, c.rewards, set)
		if got.Wrong != c.wrong || got.Solved != c.solved || got.Known != c.known || !strings.Contains(got.Evidence(), c.says) {
			t.Errorf("%s: wrong %v, solved %v, known %t: %s", name, got.Wrong, got.Solved, got.Known, got.Evidence())
		}
	}
}

// A reward above solved is solved too, one below wrong is wrong, an infinite one is neither.
func TestFateOfEqualRewards(t *testing.T) {
	scale := scaleOf(t, rewardCounts{-7: 1, 0: 3000, 0.5: 500, 1: 2000, 1.5: 1}, DefaultSettings())
	for reward, want := range map[float64]Fate{
		-7: FateAllWrong, 0: FateAllWrong, 0.5: FateConstant, 1: FateAllCorrect, 1.5: FateAllCorrect, math.Inf(1): FateConstant,
	} {
		if got := scale.FateOfEqual(reward); got != want || scale.IsSolved(reward, math.NaN()) != (want == FateAllCorrect) {
			t.Errorf("%v is %v", reward, got)
		}
	}
}

// A column that says of each row whether it is correct decides, whatever the reward; not where a row has none, nor one of another name.
func TestColumnOfVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		column string
		values []float64
		says   string
	}{
		"accuracy":        {"accuracy", []float64{1, 0, 1, 0}, "a sample whose accuracy is 1"},
		"reward_accuracy": {"reward_accuracy", []float64{1, 1, 1, 1}, "a sample whose reward_accuracy is 1"},
		"is_correct":      {"env.is_correct", []float64{0, 0, 0, 0}, "a sample whose env.is_correct is 1"},
		"one is missing":  {"accuracy", []float64{1, 0, 1, math.NaN()}, "the best reward seen is 1.50"},
		"graded":          {"accuracy", []float64{1, 0, 0.5, 0}, "the best reward seen is 1.50"},
		"format":          {"format", []float64{1, 0, 1, 0}, "the best reward seen is 1.50"},
	} {
		chunk := &Chunk{Files: []string{"x"}, ComponentNames: []string{c.column}}
		for i, reward := range []float64{1.5, 0.5, 1, 0} {
			chunk.Records = append(chunk.Records, Record{Step: int64(i % 2), Prompt: 1, Reward: reward, Components: []float64{c.values[i]}, Advantage: math.NaN()})
		}
		s := NewStore()
		s.Append(chunk)
		if got := s.Snapshot().RewardScales(DefaultSettings())[0].Evidence(); !strings.Contains(got, c.says) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Runs that were opened together have scales of their own, also for a chosen column.
func TestRewardScalesAreOfTheirOwnRun(t *testing.T) {
	chunk := &Chunk{Files: []string{"a/1.jsonl", "b/1.jsonl"}, FileRuns: []int32{0, 1}, ComponentNames: []string{"c"}}
	for i := range 40 {
		reward := float64(i % 2)
		chunk.Records = append(chunk.Records,
			Record{Step: 1, Prompt: 1, Reward: reward, Components: []float64{-reward}, Advantage: math.NaN()},
			Record{Step: 1, Prompt: 2, Reward: 10 * reward, Components: []float64{20 * reward}, Advantage: math.NaN(), File: 1})
	}
	s := NewStore()
	s.Append(chunk)
	snap := s.Snapshot()
	chosen, err := DefaultSettings().Set("reward", "c")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set  Settings
		want [2]float64 // solved
	}{{DefaultSettings(), [2]float64{1, 10}}, {chosen, [2]float64{0, 20}}} {
		scales := snap.RewardScales(c.set)
		if len(scales) != 2 || scales[0].Solved != c.want[0] || scales[1].Solved != c.want[1] {
			t.Errorf("scales %+v, want solved %v", scales, c.want)
		}
	}
	if notes := snap.SolvedNotes(snap.RewardScales(DefaultSettings())); len(notes) != 2 || !strings.HasPrefix(notes[1], "b: a reward of at least 10") {
		t.Errorf("notes %q", notes)
	}
	if snap.RunOf(&snap.Steps[0], 0) != 0 || snap.RunOf(&snap.Steps[0], 1) != 1 {
		t.Error("rows are of the wrong run")
	}
}
