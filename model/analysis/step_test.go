package analysis

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/units"
)

// fanOutRow is a row of a log with several outputs per rollout.
type fanOutRow struct {
	uid    string // {prompt}_{session}_{output}
	reward float64
	length int32
	want   float64
}

// fanOutStep is a step of one snapshot with such rows, sorted as verl sorts its dump.
func fanOutStep(tb testing.TB, rows []fanOutRow) model.Snapshot {
	tb.Helper()
	parse := func(uid string) (string, model.Rollout) {
		parts := strings.Split(uid, "_")
		session, err := strconv.Atoi(parts[1])
		output, err2 := strconv.Atoi(parts[2])
		if err != nil || err2 != nil {
			tb.Fatal(uid)
		}
		return parts[0], model.Rollout{Number: int32(session) + 1, Output: int32(output)}
	}
	slices.SortStableFunc(rows, func(x, y fanOutRow) int {
		g, r := parse(x.uid)
		h, s := parse(y.uid)
		return slices.Compare([]int32{int32(strings.Compare(g, h)), r.Number, r.Output}, []int32{0, s.Number, s.Output})
	})
	chunk := &model.Chunk{Format: "verl", Files: []string{"1.jsonl"}, LengthUnit: model.LengthTokens}
	for i, row := range rows {
		group, rollout := parse(row.uid)
		prompt := uint64(1) // of the group's first outputs: later ones have what the agent made of it
		for _, c := range []byte(group) {
			prompt = prompt<<8 | uint64(c)
		}
		if rollout.Output > 0 {
			prompt += uint64(i) << 32
		}
		chunk.Records = append(chunk.Records, model.Record{
			Step: 1, Group: group, Rollout: rollout, Prompt: prompt, Reward: row.reward, Length: row.length, Advantage: math.NaN(), Offset: int64(i),
		})
	}
	return stepsOf(chunk)
}

// analyzeFanOut analyses the step under an estimator of verl.
func analyzeFanOut(tb testing.TB, rows []fanOutRow, name string, scale estimators.Scale) *Analysis {
	tb.Helper()
	set := model.DefaultSettings().WithFramework("verl").WithEstimator(name)
	set.Scale = scale
	return analyzeFanOutUnder(tb, rows, set)
}

func analyzeFanOutUnder(tb testing.TB, rows []fanOutRow, set model.Settings) *Analysis {
	tb.Helper()
	a, err := Analyze(tb.Context(), fanOutStep(tb, rows), 0, set)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// compareAdvantages compares with advantages within two units in the last place of a float32, since torch's
// square root is off by one in some, or within a tolerance relative to the largest one.
func compareAdvantages(tb testing.TB, what string, rows []fanOutRow, a *Analysis, tolerance float64) {
	tb.Helper()
	largest := 0.0
	for _, row := range rows {
		if units.IsFinite(row.want) {
			largest = max(largest, math.Abs(row.want))
		}
	}
	for i, got := range a.Unfiltered {
		want := rows[a.InputRow[i]].want
		if got == want || got != got && want != want {
			continue
		}
		if !(math.Abs(got-want) <= max(tolerance*largest, 2*math.Abs(want)/(1<<23), math.SmallestNonzeroFloat32)) {
			tb.Errorf("%s: %s has advantage %v, verl gives %v", what, rows[a.InputRow[i]].uid, got, want)
			return
		}
	}
}

func readGolden(tb testing.TB, name string, into any) {
	tb.Helper()
	data, err := os.ReadFile("testdata/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// verl's own function gives grpo the last output of each rollout, and its siblings the same advantage.
// The rows of some cases were shuffled; only then do the sums, in another order, differ.
func TestRolloutsOfVerl(t *testing.T) {
	var golden struct {
		Cases []struct {
			Name                string
			Rewards, Advantages []number
			Keys                []string
			Params              struct {
				ByStd bool `json:"norm_adv_by_std_in_grpo"`
			}
		}
	}
	readGolden(t, "verl_v1_multi_trajectories", &golden)
	for _, c := range golden.Cases {
		rows := make([]fanOutRow, len(c.Keys))
		for i, key := range c.Keys {
			rows[i] = fanOutRow{key, float64(c.Rewards[i]), 1, float64(c.Advantages[i])}
		}
		before, scale, tolerance := slices.Clone(rows), estimators.ScaleNone, 0.0
		if c.Params.ByStd {
			scale = estimators.ScaleGroup
		}
		a := analyzeFanOut(t, rows, "grpo", scale)
		if !slices.EqualFunc(rows, before, func(x, y fanOutRow) bool { return x.uid == y.uid }) {
			tolerance = 1e-5
		}
		compareAdvantages(t, c.Name, rows, a, tolerance)
	}
}

// Three rows of one rollout and one of another: by hand, the mean of a reward per rollout is ½, that of
// the rows ¾. RLinf's trajectory mode takes the mean of a trajectory's rows: ⅓ and 1 have the mean ⅔.
func TestEstimatorsThatKnowRollouts(t *testing.T) {
	for _, c := range []struct {
		framework, name, option string
		scale                   estimators.Scale
		rewards, want           []float64
		counted                 string
	}{
		{"miles", "grpo", "", "none", []float64{1, 1, 1, 0}, []float64{0.5, 0.5, 0.5, -0.5}, "miles grpo gets each row and which rollout it is of"},
		{"slime", "grpo", "", "none", []float64{1, 1, 1, 0}, []float64{0.5, 0.5, 0.5, -0.5}, "slime grpo is assumed to count each rollout once, by its last row, as verl grpo does"},
		{"verl", "rloo_vectorized", "", "none", []float64{1, 1, 1, 0}, []float64{1. / 3, 1. / 3, 1. / 3, -1}, "verl rloo_vectorized counts each row as a sample: in its trainer only grpo counts rollouts"},
		{"rlinf", "grpo_dynamic", "", "group", []float64{1, 0, 0, 1}, []float64{0.8660239, -0.8660239, -0.8660239, 0.8660239}, ""},
		{"rlinf", "grpo_dynamic", "algorithm.advantage_mode=trajectory", "group", []float64{1, 0, 0, 1}, []float64{-0.7071053, -0.7071053, -0.7071053, 0.7071053}, ""},
	} {
		set := model.DefaultSettings().WithFramework(c.framework).WithEstimator(c.name)
		set.Scale, set.Options = c.scale, estimators.Options(c.option)
		var rows []fanOutRow
		for i, reward := range c.rewards {
			rows = append(rows, fanOutRow{[]string{"u0_0_0", "u0_0_1", "u0_0_2", "u0_1_0"}[i], reward, 1, c.want[i]})
		}
		a := analyzeFanOutUnder(t, rows, set)
		compareAdvantages(t, c.framework+" "+c.name, rows, a, 1e-6)
		if e, _ := set.FindEstimator(); c.counted != "" && model.CountedRollouts(e) != c.counted {
			t.Errorf("%s", model.CountedRollouts(e))
		}
	}
	set := model.DefaultSettings().WithFramework("miles")
	a := analyzeFanOutUnder(t, []fanOutRow{{"u0_0_0", 1, 1, 0}, {"u0_0_1", 0, 1, 0}, {"u0_1_0", 0, 1, 0}}, set)
	if got := a.Refusal(); got != "ValueError: all samples in rollout 0 must share one reward; rows [0, 1] have rewards [1.0, 0.0]" {
		t.Error(got)
	}
}

// Only grpo counts rollouts, and verl's metrics are those of all rows.
func TestEstimatorsAndMetricsOfVerlWithRollouts(t *testing.T) {
	var golden struct {
		Cases []struct {
			Rows [][]any
			Runs []struct {
				Estimator  string
				Scale      estimators.Scale
				Advantages []number
				Metrics    map[string]number
			}
		}
	}
	readGolden(t, "verl_fan_out", &golden)
	for _, c := range golden.Cases {
		for _, run := range c.Runs {
			rows := make([]fanOutRow, len(c.Rows))
			for i, row := range c.Rows {
				rows[i] = fanOutRow{row[0].(string), row[1].(float64), int32(row[2].(float64)), float64(run.Advantages[i])}
			}
			a := analyzeFanOut(t, rows, run.Estimator, run.Scale)
			compareAdvantages(t, run.Estimator, rows, a, a.plan.estimator.Tolerance)
			for name, want := range run.Metrics {
				if strings.HasPrefix(name, "critic/returns/") {
					continue // verl's are of another kind than EasyR1's
				}
				if got := a.Metric(name); !(math.Abs(got-float64(want)) <= 1e-5*max(1, math.Abs(float64(want)))) {
					t.Errorf("%s: %s is %v, verl logs %v", run.Estimator, name, got, want)
				}
			}
		}
	}
}

// lastRows are the rows that count for their rollouts, with the length of all its rows.
func lastRows(rows []fanOutRow) []fanOutRow {
	var last []fanOutRow
	length := int32(0)
	for i, row := range rows {
		length += row.length
		if session := row.uid[:strings.LastIndexByte(row.uid, '_')+1]; i+1 == len(rows) || !strings.HasPrefix(rows[i+1].uid, session) {
			row.uid, row.length = session+"0", length
			last, length = append(last, row), 0
		}
	}
	return last
}

// Whatever the settings, a log with several rows per rollout gives what one of the last rows alone
// gives, and all rows of a rollout share it.
func TestRolloutsCountOnce(t *testing.T) {
	repotest.OneGoroutine(t)
	random, choice := rand.New(rand.NewPCG(3, 3)), rand.New(rand.NewPCG(4, 4)) // a new estimator changes no log
	for range repotest.Times(4, 20) {
		var rows []fanOutRow
		for group := range 3 {
			for session := range 8 {
				for output := range 1 + random.IntN(3) {
					rows = append(rows, fanOutRow{fmt.Sprintf("p%d_%d_%d", group, session, output), float64(random.IntN(4)) / 4, 1 + random.Int32N(9), 0})
				}
			}
		}
		all, alone := fanOutStep(t, rows), fanOutStep(t, lastRows(rows))
		for _, e := range estimators.All() {
			if getsEachOutput(e) {
				continue
			}
			for _, keep := range []float64{1, 0.4, 0.1} {
				set := model.DefaultSettings().WithFramework(e.Framework).WithEstimator(e.Name)
				set.KeepPos, set.KeepNeg, set.Recompute = keep, keep, choice.IntN(2) == 0
				want, err := Analyze(t.Context(), alone, 0, set)
				if err != nil {
					continue // what the log lacks
				}
				got := analyze(t, all, set)
				compareRollouts(t, got, want)
			}
		}
	}
}

// compareRollouts compares the analysis of all rows with that of the last row of each rollout.
func compareRollouts(t *testing.T, got, want *Analysis) {
	t.Helper()
	name := fmt.Sprintf("%s %s keep %v", got.Settings.Framework, got.Settings.Estimator, got.Settings.KeepPos)
	by := got.ByRollout()
	if !slices.Equal(by.LoggedRewards, want.LoggedRewards) || !slices.Equal(by.Lengths, want.Lengths) || !slices.Equal(by.Unfiltered, want.Unfiltered) ||
		!slices.Equal(by.Processed, want.Processed) || !slices.Equal(by.Keep, want.Keep) || by.Rows != want.Rows {
		t.Fatalf("%s: rollouts differ", name)
	}
	for g := range want.Table {
		x, y := got.Table[g], want.Table[g]
		if x.Fate != y.Fate || x.RewardMean != y.RewardMean || x.Solved != y.Solved || x.Rollouts != y.Size() || x.KeptCounted != y.Kept() || got.Cause(g) != want.Cause(g) {
			t.Fatalf("%s: group %+v, want as %+v", name, x, y)
		}
		first := 0
		for i := x.Start; i < x.End; i++ {
			k, last, _ := got.RolloutOf(&x, i)
			at := y.Start + k
			if got.Unfiltered[i] != want.Unfiltered[at] || got.Processed[i] != want.Processed[at] || got.Keep[i] != want.Keep[at] || k < first {
				t.Fatalf("%s: row %d differs from its rollout %d", name, i, k)
			}
			if last {
				first = k + 1
			}
		}
	}
}

// The group's numbers are of rollouts, the step's of rows.
func TestRolloutsOfGroup(t *testing.T) {
	a := analyzeFanOut(t, []fanOutRow{
		{"p_0_0", 0, 10, 0}, {"p_0_1", 1, 20, 0}, {"p_1_0", 0, 5, 0}, {"p_2_0", 0, 1, 0}, {"p_2_1", 1, 1, 0}, {"p_2_2", 0, 1, 0},
	}, "grpo", estimators.ScaleNone)
	g := a.Table[0]
	if g.Rollouts != 3 || g.Size() != 6 || g.Solved != 1 || g.SizeText() != "3/6" || a.Rollouts != 3 || a.Rows != 6 {
		t.Errorf("%+v", g)
	}
	// r is 1, 0, 0 by rollout; its mean 1/3
	want := []float64{2. / 3, 2. / 3, -1. / 3, -1. / 3, -1. / 3, -1. / 3}
	for i, x := range a.Unfiltered {
		if math.Abs(x-want[i]) > 1e-6 {
			t.Errorf("advantages %v, want %v", a.Unfiltered, want)
			break
		}
	}
	if got := a.Metric("pass@1"); math.Abs(got-1./3) > 1e-12 {
		t.Errorf("pass@1 %v", got)
	}
	for _, w := range a.Warnings {
		if w.Kind == WarnRolloutsAssumed {
			t.Error("verl's own rule is no assumption")
		}
	}
	one := analyzeFanOut(t, []fanOutRow{{"p_0_0", 0, 1, 0}, {"p_0_1", 1, 1, 0}}, "grpo", estimators.ScaleGroup)
	if one.Table[0].Fate != model.FateSingle {
		t.Errorf("a group of one rollout is %s", one.Table[0].Fate)
	}
}
