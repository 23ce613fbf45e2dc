package match_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/loaderstest"
	"vantage/model"
	"vantage/model/match"
)

func estimator(framework, name string, scale estimators.Scale) match.Candidate {
	return match.Candidate{Framework: framework, Estimator: name, Scale: scale}
}

// reproduces returns a comparison of 8 advantages that the candidates reproduce, near ones in all
// but one bit, and that easyr1's grpo does not.
func reproduces(exact, near []match.Candidate) *match.Report {
	r := &match.Report{Compared: 8, Others: []match.Verdict{{Candidate: estimator("easyr1", "grpo", "group"), Exact: 1, Agreeing: 3}}}
	for _, c := range exact {
		r.Matches = append(r.Matches, match.Verdict{Candidate: c, Exact: 8, Agreeing: 8})
	}
	for _, c := range near {
		r.Matches = append(r.Matches, match.Verdict{Candidate: c, Exact: 7, Agreeing: 8})
	}
	return r
}

func TestChooseInOrderOfPrecedence(t *testing.T) {
	type list = []match.Candidate
	trl, swift := estimator("trl", "grpo", "group"), estimator("ms-swift", "grpo", "group")
	older := estimator("verl-2026-01", "grpo_vectorized", "group")
	flag := match.FromFlag
	fromConfig := match.Given{Framework: match.FromConfig, Estimator: match.FromConfig, Scale: match.FromConfig}
	for name, test := range map[string]struct {
		set     [3]string // as given; "" for the default
		given   match.Given
		trainer string
		logged  *match.Report
		want    match.Candidate
		reason  string
	}{
		"nothing known":                {want: estimator("easyr1", "grpo", "group"), reason: "(assumed: mean and std of the group, eps 1e-6)"},
		"nothing matches":              {logged: reproduces(nil, nil), want: estimator("easyr1", "grpo", "group"), reason: "(assumed: mean and std of the group, eps 1e-6) ! 3/8 as logged · samples, signal and Σ|A| are of the logged advantages"},
		"trainer":                      {trainer: "verl", want: estimator("verl", "grpo", "group"), reason: "(assumed: the trainer's default)"},
		"trainer without grpo":         {trainer: "tinker", want: estimator("tinker", "centered", "none"), reason: "(assumed: the trainer's default)"},
		"trainer of another scale":     {trainer: "prime-rl", want: estimator("prime-rl", "grpo", "none"), reason: "(assumed: the trainer's default)"},
		"match wins over trainer":      {trainer: "verl", logged: reproduces(list{trl}, nil), want: trl, reason: "✓ 8/8 as logged"},
		"own match wins":               {trainer: "trl", logged: reproduces(list{swift, trl}, nil), want: trl, reason: "✓ 8/8 as logged"},
		"its default wins over others": {trainer: "trl", logged: reproduces(list{swift, estimator("trl", "sdpo", "group")}, list{trl}), want: trl, reason: "≈ 8/8 as logged, 7 exactly"},
		"own match wins when near":     {trainer: "trl", logged: reproduces(list{swift}, list{trl}), want: trl, reason: "≈ 8/8 as logged, 7 exactly"},
		"version of the trainer":       {trainer: "verl", logged: reproduces(list{swift, older}, nil), want: older, reason: "✓ 8/8 as logged"},
		"first match of no trainer":    {logged: reproduces(list{swift, trl}, nil), want: swift, reason: "✓ 8/8 as logged"},
		"config wins over match": {
			set: [3]string{"easyr1", "grpo", "group"}, given: fromConfig,
			trainer: "trl", logged: reproduces(list{trl}, nil), want: estimator("easyr1", "grpo", "group"), reason: "(--config) ! 3/8 as logged",
		},
		"flag wins over match": {
			set: [3]string{"easyr1", "", ""}, given: match.Given{Framework: flag},
			trainer: "trl", logged: reproduces(list{trl}, nil), want: estimator("easyr1", "grpo", "group"), reason: "(given) ! 3/8 as logged",
		},
		"match completes a flag": {
			set: [3]string{"trl", "", ""}, given: match.Given{Framework: flag},
			logged: reproduces(list{swift, estimator("trl", "rloo", "none")}, nil), want: estimator("trl", "rloo", "none"), reason: "(given) ✓ 8/8 as logged",
		},
		"trainer completes a flag": {
			set: [3]string{"", "rloo", ""}, given: match.Given{Estimator: flag},
			trainer: "trl", want: estimator("trl", "rloo", "none"), reason: "(given)",
		},
		"flag over config": {
			set: [3]string{"trl", "grpo", "none"}, given: match.Given{Framework: match.FromConfig, Estimator: match.FromConfig, Scale: flag},
			trainer: "verl", want: estimator("trl", "grpo", "none"), reason: "(given)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			set := model.DefaultSettings()
			for i, key := range []string{"framework", "estimator", "scale"} {
				if test.set[i] != "" {
					set, _ = set.Set(key, test.set[i])
				}
			}
			got, c := match.Choose(set, test.given, test.trainer, test.logged)
			if have := estimator(got.Framework, got.Estimator, got.Scale); have != test.want || c.Candidate != test.want {
				t.Errorf("chose %v and says %v, want %v", have, c.Candidate, test.want)
			}
			if c.Reason() != test.reason {
				t.Errorf("says %q, want %q", c.Reason(), test.reason)
			}
		})
	}
}

// The default of every framework can be computed from rewards and groups alone.
func TestDefaultOfEveryFrameworkIsValid(t *testing.T) {
	for _, name := range estimators.Frameworks() {
		set, c := match.Choose(model.DefaultSettings(), match.Given{}, name, nil)
		if err := set.Validate(); err != nil || set.Framework != name || c.Origin != match.FromTrainer {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if e, err := set.FindEstimator(); err != nil || e.Needs != (estimators.Needs{}) {
			t.Errorf("%s %s needs more than rewards: %+v", name, set.Estimator, e.Needs)
		}
	}
}

// logsOfTRL is a folder for each way in which TRL was started: see its README.md.
const logsOfTRL = "testdata/"

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
		given  match.Origin
		want   model.Weights
		origin match.Origin
		says   string
	}{
		"a flag wins":                   {loaderstest.Read(t, logsOfTRL+"weights"), "accuracy,tokens=0.5", match.FromFlag, "accuracy=1,tokens=0.5", match.FromFlag, "accuracy + 0.5·tokens (given); not counted: format, level, total"},
		"the trainer's record":          {loaderstest.Read(t, logsOfTRL+"weights"), "", "", "accuracy=1,format=0.3", match.FromState, "named in trainer_state.json; 64/64 (100%) logged advantages prove the weights"},
		"the logged advantages":         {loaderstest.Read(t, logsOfTRL+"batch"), "", "", "accuracy=0.7,format=0.25", match.FromAdvantages, "64/64 (100%) logged advantages prove it"},
		"a record and no advantages":    {withoutAdvantages([]string{"accuracy"}), "", "", "accuracy=1", match.FromState, "weights of 1 are assumed"},
		"nothing":                       {withoutAdvantages(nil), "", "", "", match.Assumed, "accuracy + tokens (assumed: all numeric columns, because nothing shows which are rewards); --reward NAME=WEIGHT,… changes it"},
		"a record of another log":       {withoutAdvantages([]string{"other"}), "", "", "", match.Assumed, "assumed"},
		"a configuration that fits":     {loaderstest.Read(t, logsOfTRL+"batch"), "accuracy,format", match.FromConfig, "accuracy=1,format=1", match.FromConfig, "(--config)"},
		"a configuration that does not": {loaderstest.Read(t, logsOfTRL+"batch"), "accuracy,nothing", match.FromConfig, "accuracy=0.7,format=0.25", match.FromAdvantages, "--config names accuracy + nothing, which the log lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			set := model.DefaultSettings()
			if test.reward != "" {
				set, _ = set.Set("reward", test.reward)
			}
			set, r := match.ChooseRewards(context.Background(), test.snap, set, match.Given{Rewards: test.given})
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
	set, r := match.ChooseRewards(context.Background(), loaderstest.Read(t, logsOfTRL+"batch"), set, match.Given{Framework: match.FromFlag})
	if set.Weights != "accuracy=0.7,format=0.25" || r.Origin != match.FromAdvantages {
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
		set, _ := match.ChooseRewards(context.Background(), snap, model.DefaultSettings(), match.Given{})
		for i, step := range snap.Steps {
			rewards, err := snap.Rewards(step, snap.InputOrder(len(step.Rewards)), set)
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
	if set, r := match.ChooseRewards(context.Background(), s.Snapshot(), model.DefaultSettings(), match.Given{}); r.IsChoice() || set != model.DefaultSettings() {
		t.Errorf("chose %s", r)
	}
}

// Rows that anyone may have written, with the advantages of TRL: its formula, (r − μ) / (s + 1e-4) with ddof 1, of accuracy + 0.3·format.
func TestWeightsInALogOfAnyone(t *testing.T) {
	var text strings.Builder
	random := rand.New(rand.NewPCG(3, 4))
	for step := range 4 {
		for group := range 3 {
			var accuracy, format, total [8]float64
			mean, squares := 0.0, 0.0
			for i := range total {
				accuracy[i], format[i] = float64(random.IntN(2)), float64(random.IntN(3))/2
				total[i] = accuracy[i] + 0.3*format[i]
				mean += total[i] / 8
			}
			for _, r := range total {
				squares += (r - mean) * (r - mean)
			}
			for i, r := range total {
				fmt.Fprintf(&text, `{"step":%d,"prompt":"%d","completion":"c","accuracy_reward":%g,"format_reward":%g,"advantage":%.9g}`+"\n",
					step+1, 3*step+group, accuracy[i], format[i], (r-mean)/(math.Sqrt(squares/7)+1e-4))
			}
		}
	}
	path := filepath.Join(t.TempDir(), "log.jsonl")
	filetest.Write(t, path, text.String())
	set, r := match.ChooseRewards(t.Context(), loaderstest.Read(t, path), model.DefaultSettings(), match.Given{})
	if set.Weights != "accuracy_reward=1,format_reward=0.3" || r.Origin != match.FromAdvantages || r.Agreeing != 96 {
		t.Errorf("%q by %s, %d agree", set.Weights, r.Origin, r.Agreeing)
	}
}
