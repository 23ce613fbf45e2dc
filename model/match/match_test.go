package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
)

// row is a sample of a log that holds advantages.
type row struct {
	group             string
	reward, advantage float64
}

func logOf(rows []row) model.Snapshot {
	chunk := &model.Chunk{Format: "synthetic", Positional: true, Progress: model.Progress{CaughtUp: true}}
	for _, r := range rows {
		chunk.Records = append(chunk.Records, model.Record{Step: 7, Group: r.group, Reward: r.reward, Advantage: r.advantage, Length: -1})
	}
	return snapshotOf(chunk)
}

func run(t interface {
	Helper()
	Fatal(...any)
}, rows []row,
) *Report {
	t.Helper()
	set := model.DefaultSettings()
	set.GroupBy = model.GroupByID
	r, err := Run(context.Background(), logOf(rows), set, DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// golden returns the first case of a golden file with several groups, finite rewards and
// mostly nonzero advantages.
func golden(t *testing.T, name string, matches func(map[string]any) bool) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "estimators", "testdata", "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Rewards    []any          `json:"rewards"`
			Groups     []int          `json:"groups"`
			Params     map[string]any `json:"params"`
			Advantages []any          `json:"advantages"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		if len(c.Advantages) != len(c.Rewards) || len(c.Groups) != len(c.Rewards) || !matches(c.Params) {
			continue
		}
		var rows []row
		sizes := map[int]int{}
		nonzero := 0
		for i, g := range c.Groups {
			reward, ok := c.Rewards[i].(float64)
			advantage, advantageOK := c.Advantages[i].(float64)
			if !ok || !advantageOK {
				rows = nil
				break
			}
			if math.Abs(advantage) > 0.1 {
				nonzero++
			}
			sizes[g]++
			rows = append(rows, row{fmt.Sprint(g), reward, advantage})
		}
		if len(sizes) > 2 && len(rows) >= 3*len(sizes) && nonzero > len(rows)/2 {
			return rows
		}
	}
	t.Fatalf("%s has no such case", name)
	return nil
}

func TestGoldenLogsMatchTheirFramework(t *testing.T) {
	scale := func(key, want string) func(map[string]any) bool {
		return func(p map[string]any) bool { return p[key] == want }
	}
	for _, c := range []struct {
		file    string
		matches func(map[string]any) bool
		want    Candidate
	}{
		{"twinkle_grpo.json", scale("scale", "group"), Candidate{"twinkle", "grpo", "group", ""}},
		{"twinkle_grpo.json", scale("scale", "batch"), Candidate{"twinkle", "grpo", "batch", ""}},
		{"twinkle_rloo.json", scale("scale", "none"), Candidate{"twinkle", "rloo", "none", ""}},
		{"trl_grpo.json", scale("scale_rewards", "group"), Candidate{"trl", "grpo", "group", ""}},
		{"trl_grpo.json", scale("scale_rewards", "batch"), Candidate{"trl", "grpo", "batch", ""}},
		{"openrlhf_rloo.json", func(map[string]any) bool { return true }, Candidate{"openrlhf", "rloo", "none", ""}},
		{"verl_rloo.json", func(map[string]any) bool { return true }, Candidate{"verl", "rloo", "none", ""}},
	} {
		rows := golden(t, c.file, c.matches)
		r := run(t, rows)
		at := slices.IndexFunc(r.Matches, func(v Verdict) bool { return v.Candidate == c.want })
		if at < 0 {
			t.Errorf("%s: %v is not among the %d matches", c.file, c.want, len(r.Matches))
			continue
		}
		if v := r.Matches[at]; v.Exact != len(rows) || v.MaxGap != 0 || v.FirstMismatch != nil {
			t.Errorf("%s: %+v, want all %d to the bit", c.file, v, len(rows))
		}
	}
}

// Advantages of r − μ that OpenRLHF cut to ±0.1 match under that clip range only, and only the estimators
// that have it are computed with it.
func TestOptionsOfTheSettings(t *testing.T) {
	snap := logOf([]row{{"a", 1, 0.1}, {"a", 0, -0.1}, {"b", 2, 0.1}, {"b", 1, -0.1}, {"c", 0, 0}, {"c", 0, 0}})
	set := model.DefaultSettings()
	set.GroupBy = model.GroupByID
	r, err := Run(context.Background(), snap, set, DefaultLimit)
	if err != nil || r.HasMatch() {
		t.Fatalf("%+v (%v)", r, err)
	}
	set.Options = "reward.clip_range=-0.1 0.1"
	if r, err = Run(context.Background(), snap, set, DefaultLimit); err != nil {
		t.Fatal(err)
	}
	want := Candidate{"openrlhf", "dr_grpo", "none", "reward.clip_range=-0.1 0.1"}
	if !slices.ContainsFunc(r.Matches, func(v Verdict) bool { return v.Candidate == want }) {
		t.Errorf("%v is not among %+v", want, r.Matches)
	}
	if got := want.String(); got != "openrlhf dr_grpo with scale none and reward.clip_range=-0.1 0.1" {
		t.Error(got)
	}
	for _, v := range append(r.Matches, r.Others...) {
		if (v.Options != "") != (v.Framework == "openrlhf") {
			t.Errorf("tried %v", v.Candidate)
		}
	}
}

// Two groups of four by hand: r − μ, but both have the same id.
func TestMergedGroupsGiveClue(t *testing.T) {
	r := run(t, []row{
		{"x", 1, 0.75},
		{"x", 0, -0.25},
		{"x", 0, -0.25},
		{"x", 0, -0.25},
		{"x", 1, 0.25},
		{"x", 1, 0.25},
		{"x", 1, 0.25},
		{"x", 0, -0.75},
	})
	if r.HasMatch() || !strings.Contains(strings.Join(r.Clues, " "), "--group-by position --num-generations 4") {
		t.Errorf("match %v, clues %q", r.HasMatch(), r.Clues)
	}
}

func TestClues(t *testing.T) {
	for _, c := range []struct {
		name, want string
		rows       []row
	}{
		{"a scaled reward", "1.5 times those of prime-rl grpo with scale none", []row{
			{"a", 1, 0.75}, {"a", 0, -0.75}, {"a", 0, -0.75}, {"a", 1, 0.75}, {"b", 3, 1.5}, {"b", 1, -1.5}, {"b", 3, 1.5}, {"b", 1, -1.5},
		}},
		// r − μ is ±0.5 and ±1, of std √(5/7) over the eight
		{
			"normalised twice", "those of prime-rl grpo with scale none, less their mean over the batch and divided by their std: normalised twice",
			[]row{
				{"a", 1, 0.5916080},
				{"a", 0, -0.5916080},
				{"a", 0, -0.5916080},
				{"a", 1, 0.5916080},
				{"b", 3, 1.1832160},
				{"b", 1, -1.1832160},
				{"b", 3, 1.1832160},
				{"b", 1, -1.1832160},
			},
		},
		{"a penalty in the reward", "1/1 (100%) groups give samples of equal reward different advantages: they come from more than this reward", []row{{"a", 1, 0.3}, {"a", 1, -0.3}, {"b", 3, 1.1}, {"b", 1, -1.1}}},
		{"rows that belong elsewhere", "agrees on 2/3 (67%) groups", []row{{"a", 1, 0.5}, {"a", 0, -0.5}, {"b", 3, 1}, {"b", 1, -1}, {"c", 1, 0.2}, {"c", 1, 0.3}}},
		// r − (5 − r)/3
		{"the batch taken for a group", "with the whole step as one group", []row{{"a", 1, -1. / 3}, {"a", 0, -5. / 3}, {"b", 3, 7. / 3}, {"b", 1, -1. / 3}}},
	} {
		r := run(t, c.rows)
		if r.HasMatch() || !strings.Contains(strings.Join(r.Clues, " "), c.want) {
			t.Errorf("%s: match %v, clues %q, want %q", c.name, r.HasMatch(), r.Clues, c.want)
		}
	}
	rows := []row{{"a", 1, math.NaN()}, {"a", 0, math.NaN()}}
	if _, err := Run(context.Background(), logOf(rows), model.DefaultSettings(), DefaultLimit); !errors.Is(err, ErrNothingLogged) {
		t.Errorf("a log without advantages: %v", err)
	}
}

// A length penalty is told from a KL penalty: the longer of two equally good responses
// always has the lower advantage.
func TestLengthPenaltyGivesClue(t *testing.T) {
	chunk := &model.Chunk{Format: "synthetic", LengthUnit: model.LengthTokens, Progress: model.Progress{CaughtUp: true}}
	for g := range 4 {
		for i := range 4 {
			length := 100 + 37*((i*3+g)%4)
			chunk.Records = append(chunk.Records, model.Record{
				Step: 1, Group: fmt.Sprint(g), Reward: float64(i % 2), Advantage: float64(i%2) - 0.5 - float64(length)/(1000+100*float64(g)), Length: int32(length),
			})
		}
	}
	r, err := Run(context.Background(), snapshotOf(chunk), model.DefaultSettings(), DefaultLimit)
	if err != nil || !strings.Contains(strings.Join(r.Clues, " "), "4/4 (100%) groups give samples of equal reward different advantages, and the longer response nearly always the lower one") {
		t.Errorf("%v, clues %q", err, r.Clues)
	}
}

// A group that is shorter than the others is left out.
func TestShortGroupsAreLeftOut(t *testing.T) {
	r := run(t, []row{{"a", 1, 0.5}, {"a", 0, -0.5}, {"b", 3, 1}, {"b", 1, -1}, {"c", 1, 0.2}})
	if !r.HasMatch() || r.LeftOut != 1 || r.Compared != 4 {
		t.Errorf("match %v without %d samples of %d, want one without 1 of 4", r.HasMatch(), r.LeftOut, r.Compared)
	}
}

// A log with four decimals matches, and the report says how many it has.
func TestRoundedLogsMatch(t *testing.T) {
	rows := golden(t, "trl_grpo.json", func(p map[string]any) bool { return p["scale_rewards"] == "group" })
	for i := range rows {
		rows[i].advantage = math.Round(rows[i].advantage*1e4) / 1e4
	}
	r := run(t, rows)
	at := slices.IndexFunc(r.Matches, func(v Verdict) bool { return v.Candidate == Candidate{"trl", "grpo", "group", ""} })
	if at < 0 || r.Decimals != 4 || r.Matches[at].Agreeing != len(rows) || r.Matches[at].Exact == len(rows) {
		t.Errorf("%d decimals, matches %+v", r.Decimals, r.Matches)
	}
}

// Seven significant digits are near, not equal.
func TestSevenDigitsMatch(t *testing.T) {
	rows := golden(t, "verl_grpo.json", func(p map[string]any) bool { return p["norm_adv_by_std_in_grpo"] == true })
	for i, r := range rows {
		rows[i].advantage, _ = strconv.ParseFloat(strconv.FormatFloat(r.advantage, 'g', 7, 64), 64)
	}
	r := run(t, rows)
	if at := slices.IndexFunc(r.Matches, func(v Verdict) bool { return v.Candidate == Candidate{"verl", "grpo", "group", ""} }); at < 0 || r.Decimals != 0 {
		t.Errorf("%d decimals, matches %+v", r.Decimals, r.Matches)
	}
}

// A difference of one float32 unit in the last place is equal, and counted.
func TestOneULPIsEqual(t *testing.T) {
	rows := golden(t, "trl_grpo.json", func(p map[string]any) bool { return p["scale_rewards"] == "group" })
	for i := range rows {
		if a := float32(rows[i].advantage); i%5 == 0 {
			rows[i].advantage = float64(math.Nextafter32(a, 2*a))
		}
	}
	r := run(t, rows)
	at := slices.IndexFunc(r.Matches, func(v Verdict) bool { return v.Candidate == Candidate{"trl", "grpo", "group", ""} })
	if at < 0 {
		t.Fatalf("no match: %+v", r.Others[0])
	}
	if v := r.Matches[at]; v.OneULP != (len(rows)+4)/5 || v.Equal() != len(rows) || v.Exact != len(rows)-v.OneULP || v.MaxGap != 0 {
		t.Errorf("%+v of %d", v, len(rows))
	}
	for _, c := range []struct {
		x, y float64
		want bool
	}{
		{1, float64(math.Nextafter32(1, 2)), true},
		{1, float64(math.Nextafter32(1, 0)), true},
		{1, float64(math.Nextafter32(math.Nextafter32(1, 2), 2)), false},
		{math.MaxFloat32, math.Inf(1), false},
		{math.NaN(), 1, false},
	} {
		if oneULP(c.x, c.y) != c.want {
			t.Errorf("%v and %v: want %v", c.x, c.y, c.want)
		}
	}
}

// One group with an advantage of 1e6 does not make a foreign group near: r − μ is ±0.5 there.
func TestNearIsWithinTheGroup(t *testing.T) {
	r := run(t, []row{{"a", 2e6, 1e6}, {"a", 0, -1e6}, {"b", 1, 0.3}, {"b", 0, -0.3}, {"c", 1, 0.3}, {"c", 0, -0.3}})
	if r.HasMatch() {
		t.Errorf("%+v matches", r.Matches[0])
	}
	r = run(t, []row{{"a", 2e6, 1e6}, {"a", 0, -1e6}, {"b", 1, 0.5}, {"b", 0, -0.5}, {"c", 1, 0.5000001}, {"c", 0, -0.5000001}})
	if !r.HasMatch() {
		t.Errorf("seven digits match no longer: %q", r.Clues)
	}
}

// The mean of eight 0.7 misses them by a bit in PyTorch's order on a CPU; in another order it does not.
func TestZerosOfEqualRewardsAreNearTheirResidue(t *testing.T) {
	rows := []row{{"b", 1, 0.75}, {"b", 0, -0.25}, {"b", 0, -0.25}, {"b", 0, -0.25}, {"b", 0.5, 0.25}, {"b", 0, -0.25}, {"b", 0, -0.25}, {"b", 0.5, 0.25}}
	for range 8 {
		rows = append(rows, row{"a", 0.7, 0})
	}
	r := run(t, rows)
	at := slices.IndexFunc(r.Matches, func(v Verdict) bool { return v.Candidate == Candidate{"trl", "grpo", "none", ""} })
	if at < 0 {
		t.Fatalf("no match: %q", r.Clues)
	}
	if v := r.Matches[at]; v.Equal() != 8 || v.Agreeing != 16 {
		t.Errorf("%+v", v)
	}
}

// Six decimals match in groups of small advantages too.
func TestSixDecimalsOfSmallAdvantagesMatch(t *testing.T) {
	r := run(t, []row{{"a", 1, 0.5}, {"a", 0, -0.5}, {"b", 0.0012345, 0.000617}, {"b", 0, -0.000617}, {"c", 1.234567, 0.617284}, {"c", 0, -0.617284}})
	if !r.HasMatch() || r.Decimals != 6 {
		t.Errorf("match %v, %d decimals", r.HasMatch(), r.Decimals)
	}
}

// Of several matches the framework that wrote the log comes first, then grpo, then
// default scales.
func TestFewestAssumptionsFirst(t *testing.T) {
	snap := logOf([]row{{"a", 1, 0.5}, {"a", 0, -0.5}, {"a", 1, 0.5}, {"a", 0, -0.5}, {"b", 3, 1}, {"b", 1, -1}, {"b", 3, 1}, {"b", 1, -1}})
	for framework, want := range map[string]Candidate{
		"": {"prime-rl", "grpo", "none", ""}, "trl": {"trl", "grpo", "none", ""}, "tinker": {"tinker", "centered", "none", ""},
	} {
		snap.Run.Framework = framework
		set := model.DefaultSettings()
		set.GroupBy = model.GroupByID
		r, err := Run(context.Background(), snap, set, DefaultLimit)
		if err != nil || !r.HasMatch() || r.Matches[0].Candidate != want {
			t.Errorf("%s: %+v first, want %v (%v)", framework, r.Matches[:min(1, len(r.Matches))], want, err)
		}
	}
}

// The name of a column, which a log gives, cannot control the terminal.
func TestCluesNameColumnsHarmlessly(t *testing.T) {
	chunk := &model.Chunk{
		Format: "synthetic", LengthUnit: model.LengthTokens, ComponentNames: []string{"a\x1b[2J\x00", "b"}, Progress: model.Progress{CaughtUp: true},
	}
	for i, column := range []float64{1, 0, 1, 0, 1, 1, 0, 1} {
		advantage := column - []float64{0.5, 0.75}[i/4]
		chunk.Records = append(chunk.Records, model.Record{Step: 1, Group: fmt.Sprint(i / 4), Reward: float64(i * i), Length: 9, Components: []float64{column, float64(i % 3)}, Advantage: advantage})
	}
	r, err := Run(context.Background(), snapshotOf(chunk), model.DefaultSettings(), DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	clues := strings.Join(r.Clues, "\n")
	if !strings.Contains(clues, "--reward a") || strings.ContainsAny(clues, "\x1b\x00") {
		t.Errorf("%q", clues)
	}
}

// The advantages of every estimator match that estimator in every bit. Where nothing tells estimators
// apart, as if all rewards are equal, it is among those that agree.
func TestEveryEstimatorMatchesItself(t *testing.T) {
	computable := slices.DeleteFunc(estimators.All(), func(e *estimators.Estimator) bool { return !e.Computable() })
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(computable).Draw(t, "estimator")
		scale := rapid.SampledFrom(e.Scales).Draw(t, "scale")
		tenths := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 10).Draw(t, "tenths")) / 10 })
		chunk := &model.Chunk{
			Format: "synthetic", LengthUnit: model.LengthTokens, ComponentNames: []string{"a", "b", "baseline"}, Progress: model.Progress{CaughtUp: true},
		}
		columns := (e.Needs.Columns | e.Needs.Optional).List()
		for _, c := range columns {
			chunk.ComponentNames = append(chunk.ComponentNames, c.Names()[0])
		}
		for g := range rapid.IntRange(2, 5).Draw(t, "groups") {
			for range 4 {
				chunk.Records = append(chunk.Records, model.Record{
					Step: 7, Group: fmt.Sprint(g), Reward: tenths.Draw(t, "reward"), Length: int32(rapid.IntRange(1, 50).Draw(t, "length")),
					Components: []float64{tenths.Draw(t, "a"), tenths.Draw(t, "b"), tenths.Draw(t, "baseline")},
				})
				last := &chunk.Records[len(chunk.Records)-1]
				for _, c := range columns {
					last.Components = append(last.Components, float64(rapid.IntRange(0, 3).Draw(t, c.String())))
				}
			}
		}
		l, err := analysis.GroupStep(snapshotOf(chunk), 0, model.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range l.Advantages(e, scale) {
			if x-x != 0 {
				t.Skip("not a number cannot be logged")
			}
			chunk.Records[l.InputRow[i]].Advantage = x
		}
		r, err := Run(context.Background(), snapshotOf(chunk), model.DefaultSettings(), DefaultLimit)
		if err != nil {
			t.Fatal(err)
		}
		verdicts := r.Matches
		if r.Undecided {
			verdicts = r.Others
		}
		at := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Candidate == Candidate{e.Framework, e.Name, scale, ""} })
		if at < 0 {
			t.Fatalf("%s %s %s is not found again", e.Framework, e.Name, scale)
		}
		if verdicts[at].Exact != len(chunk.Records) {
			t.Fatalf("%d of %d equal", verdicts[at].Exact, len(chunk.Records))
		}
	})
}

func snapshotOf(chunk *model.Chunk) model.Snapshot {
	store := model.NewStore()
	store.Append(chunk)
	return store.Snapshot()
}
