package choice_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"vantage/internal/testkit/loaderstest"
	"vantage/model"
	"vantage/model/choice"
)

// logsOfTRL is a folder for each way in which TRL was started: see its README.md.
const logsOfTRL = "../rewardcolumns/testdata/"

// withoutAdvantages returns a log of TRL's kind with two columns and no advantages.
func withoutAdvantages(names []string) model.Snapshot {
	c := &model.Chunk{Format: "trl", Framework: "trl", Files: []string{"a"}, ComponentNames: []string{"accuracy", "tokens"}, SumsComponents: true, RewardNames: names, RewardNamesFrom: "trainer_state.json"}
	for i := range 4 {
		x := float64(i % 2)
		c.Records = append(c.Records, model.Record{Step: 1, Group: "g", Reward: x + 40, Components: []float64{x, 40}, Advantage: math.NaN(), Length: -1})
	}
	s := model.NewStore()
	s.Append(c)
	return s.Snapshot()
}

func TestColumnsOfTheRewardInOrderOfPrecedence(t *testing.T) {
	for name, test := range map[string]struct {
		snap   model.Snapshot
		reward string // --reward
		given  choice.Origin
		want   model.Weights
		origin choice.Origin
		says   string
	}{
		"a flag wins":                   {loaderstest.Read(t, logsOfTRL+"weights"), "accuracy,tokens=0.5", choice.FromFlag, "accuracy=1,tokens=0.5", choice.FromFlag, "accuracy + 0.5·tokens (given); not counted: format, level, total"},
		"the trainer's record":          {loaderstest.Read(t, logsOfTRL+"weights"), "", "", "accuracy=1,format=0.3", choice.FromState, "named in trainer_state.json; 64/64 (100%) logged advantages prove the weights"},
		"the logged advantages":         {loaderstest.Read(t, logsOfTRL+"batch"), "", "", "accuracy=0.7,format=0.25", choice.FromAdvantages, "64/64 (100%) logged advantages prove it"},
		"a record and no advantages":    {withoutAdvantages([]string{"accuracy"}), "", "", "accuracy=1", choice.FromState, "that each weighs 1 is assumed"},
		"nothing":                       {withoutAdvantages(nil), "", "", "", choice.Assumed, "accuracy + tokens (assumed: all numeric columns, since nothing says which are rewards); --reward NAME=WEIGHT,… changes it"},
		"a record of another log":       {withoutAdvantages([]string{"other"}), "", "", "", choice.Assumed, "assumed"},
		"a configuration that fits":     {loaderstest.Read(t, logsOfTRL+"batch"), "accuracy,format", choice.FromConfig, "accuracy=1,format=1", choice.FromConfig, "(--config)"},
		"a configuration that does not": {loaderstest.Read(t, logsOfTRL+"batch"), "accuracy,nothing", choice.FromConfig, "accuracy=0.7,format=0.25", choice.FromAdvantages, "--config names accuracy + nothing, which the log lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			set := model.DefaultSettings()
			if test.reward != "" {
				set, _ = set.Set("reward", test.reward)
			}
			set, r := choice.ChooseRewards(context.Background(), test.snap, set, choice.Given{Rewards: test.given})
			if set.Weights != test.want || r.Weights != test.want || r.Origin != test.origin {
				t.Errorf("weights %s by %s, want %s by %s", set.Weights, r.Origin, test.want, test.origin)
			}
			if !strings.Contains(r.String(), test.says) {
				t.Errorf("says %q, want %q", r, test.says)
			}
		})
	}
}

// The columns are those of the log's trainer, whoever else's arithmetic is asked for.
func TestOtherArithmeticKeepsTheRewardOfTheLog(t *testing.T) {
	set := model.DefaultSettings() // of EasyR1, which logs no advantages
	set, r := choice.ChooseRewards(context.Background(), loaderstest.Read(t, logsOfTRL+"batch"), set, choice.Given{Framework: choice.FromFlag})
	if set.Weights != "accuracy=0.7,format=0.25" || r.Origin != choice.FromAdvantages {
		t.Errorf("%s, %+v", set.Weights, r)
	}
}

// The mean reward of each step is what TRL logged of its own rewards.
func TestRewardsAreTRLsOwn(t *testing.T) {
	for name, want := range map[string][]float64{
		"extra":   {1.3874999284744263, 1.4499999284744263, 1.1749999523162842, 1.28125},
		"weights": {0.8100000023841858, 0.8725000023841858, 0.6587499380111694, 0.7781250476837158},
		"maybe":   {0.6684239506721497, 0.764535665512085, 0.6496697664260864, 0.7432433366775513},
	} {
		snap := loaderstest.Read(t, logsOfTRL+name)
		set, _ := choice.ChooseRewards(context.Background(), snap, model.DefaultSettings(), choice.Given{})
		for i, step := range snap.Steps {
			rewards, err := snap.Rewards(step, model.InputOrder(len(step.Rewards)), set)
			if err != nil {
				t.Fatal(err)
			}
			mean, n := 0.0, 0.0
			for _, r := range rewards {
				if r == r {
					mean += r
					n++
				}
			}
			if mean /= n; math.Abs(mean-want[i]) > 1e-6 {
				t.Errorf("%s, step %d: mean reward %v, TRL logged %v", name, step.Number, mean, want[i])
			}
		}
	}
}

// A log with a total has nothing to choose.
func TestLogsWithATotal(t *testing.T) {
	c := &model.Chunk{ComponentNames: []string{"a", "b"}, HasTotal: true, Records: []model.Record{{Reward: 1, Components: []float64{1, 0}}}}
	s := model.NewStore()
	s.Append(c)
	if set, r := choice.ChooseRewards(context.Background(), s.Snapshot(), model.DefaultSettings(), choice.Given{}); r.IsChoice() || set != model.DefaultSettings() {
		t.Errorf("chose %s", r)
	}
}
