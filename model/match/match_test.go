package match

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vantage/estimators"
	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/analysis"
)

func TestMain(m *testing.M) { repotest.Run(m) }

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
	var file struct {
		Cases []struct {
			Rewards    []any          `json:"rewards"`
			Groups     []int          `json:"groups"`
			Params     map[string]any `json:"params"`
			Advantages []any          `json:"advantages"`
		} `json:"cases"`
	}
	filetest.JSON(t, filepath.Join("..", "..", "estimators", "testdata", "golden", name), &file)
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
	if got := want.String(); got != "OpenRLHF dr_grpo with scale none and reward.clip_range=-0.1 0.1" {
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
		if analysis.OneULP(c.x, c.y) != c.want {
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

// The default of the trainer comes before an experimental estimator of it that is nearer by a last bit: TRL's sdpo takes the deviation as
// 1.5's grpo does, today's grpo in another way.
func TestDefaultOfTheTrainerComesFirst(t *testing.T) {
	wrong := row{"a", 0, -0.40814831852912903}
	snap := logOf([]row{wrong, wrong, wrong, {"a", 1, 2.040741443634033}, wrong, wrong})
	snap.Run.Framework = "trl"
	set := model.DefaultSettings()
	set.GroupBy = model.GroupByID
	r, err := Run(context.Background(), snap, set, DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	at := func(framework, estimator string) int {
		return slices.IndexFunc(r.Matches, func(v Verdict) bool { return v.Framework == framework && v.Estimator == estimator })
	}
	older, today, experimental := at("trl-1.5", "grpo"), at("trl", "grpo"), at("trl", "sdpo")
	if older != 0 || today < older || experimental < today || r.Matches[today].Exact >= r.Matches[experimental].Exact {
		t.Errorf("trl-1.5 grpo at %d, trl grpo at %d, trl sdpo at %d of %+v", older, today, experimental, r.Matches)
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

// step is a step of a made log: rewards of its groups, and what gives their advantages.
type step struct {
	groups     [][]float64
	advantages func([]float64) []float64
}

// logOfSteps numbers the steps from 1. Of each row keep decides whether it is in the log.
func logOfSteps(keep func(row int) bool, steps ...step) model.Snapshot {
	chunk := &model.Chunk{Format: "synthetic", Positional: true, Progress: model.Progress{CaughtUp: true}}
	n := 0
	for s, one := range steps {
		for g, rewards := range one.groups {
			for i, a := range one.advantages(rewards) {
				if n++; !keep(n) {
					continue
				}
				name := fmt.Sprintf("%d-%d", s, g)
				chunk.Records = append(chunk.Records, model.Record{Step: int64(s + 1), Group: name, Prompt: uint64(g + 1), Preview: name, Reward: rewards[i], Advantage: a, Length: -1})
			}
		}
	}
	return snapshotOf(chunk)
}

func all(int) bool { return true }

func reportOn(t *testing.T, snap model.Snapshot, change func(*model.Settings)) *Report {
	t.Helper()
	set := model.DefaultSettings()
	if change != nil {
		change(&set)
	}
	r, err := Run(context.Background(), snap, set, DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// made are groups with rewards that random gives.
func made(groups, size int, reward func() float64) [][]float64 {
	all := make([][]float64, groups)
	for g := range all {
		for range size {
			all[g] = append(all[g], reward())
		}
	}
	return all
}

// The formulas of the papers, in plain arithmetic: RLOO is r − mean of the others, GRPO r − mean over the std
// with ddof 1 and 1e-4.
func rlooOf(rewards []float64) []float64 {
	sum, out := 0.0, make([]float64, len(rewards))
	for _, r := range rewards {
		sum += r
	}
	for i, r := range rewards {
		out[i] = r - (sum-r)/float64(len(rewards)-1)
	}
	return out
}

func grpoOf(ddof int, eps float64) func([]float64) []float64 {
	return func(rewards []float64) []float64 {
		mean, squares, out := 0.0, 0.0, make([]float64, len(rewards))
		for _, r := range rewards {
			mean += r / float64(len(rewards))
		}
		for _, r := range rewards {
			squares += (r - mean) * (r - mean)
		}
		for i, r := range rewards {
			if squares > 1e-12 {
				out[i] = (r - mean) / (math.Sqrt(squares/float64(len(rewards)-ddof)) + eps)
			}
		}
		return out
	}
}

func tenths(random *rand.Rand) func() float64 {
	return func() float64 { return float64(random.IntN(11)) / 10 }
}

func coin(random *rand.Rand) func() float64 { return func() float64 { return float64(random.IntN(2)) } }

// GRPO up to step 2 and RLOO from step 3: the step is named, and neither groups nor rewards are blamed.
func TestMixtureIsFoundByStep(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, reward := range map[string]func() float64{"tenths": tenths(random), "binary": coin(random)} {
		var steps []step
		for s := range 8 {
			steps = append(steps, step{made(6, 8, reward), grpoOf(1, 1e-4)})
			if s >= 2 {
				steps[s].advantages = rlooOf
			}
		}
		r := reportOn(t, logOfSteps(all, steps...), nil)
		if r.Outcome() != OutcomeMixture || len(r.Mixture) != 2 || r.Mixture[0].To != 2 || r.Mixture[1].From != 3 || r.Mixture[1].To != 8 || r.Mixture[1].Estimator != "rloo" {
			t.Errorf("%s: %s %+v %q", name, r.Outcome(), r.Mixture, r.Clues)
			continue
		}
		want := fmt.Sprintf("the estimator changes with the steps: %s gives steps 1 to 2, from step 3 %s", r.Mixture[0].Candidate, r.Mixture[1].Candidate)
		if len(r.Clues) != 1 || r.Clues[0] != want || !strings.Contains(want, "grpo") || !strings.Contains(want, "rloo") {
			t.Errorf("%s: %q", name, r.Clues)
		}
	}
}

// A mixture is found in rounded logs; one step that nothing gives makes none, nor does one group.
func TestMixtureNeedsEvidence(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	rounded := func(f func([]float64) []float64) func([]float64) []float64 {
		return func(rewards []float64) []float64 {
			out := f(rewards)
			for i := range out {
				out[i] = math.Round(out[i]*1e4) / 1e4
			}
			return out
		}
	}
	grpo, rloo := step{made(6, 8, tenths(random)), rounded(grpoOf(1, 1e-4))}, step{made(6, 8, tenths(random)), rounded(rlooOf)}
	if r := reportOn(t, logOfSteps(all, grpo, grpo, rloo), nil); r.Outcome() != OutcomeMixture || r.Decimals != 4 {
		t.Errorf("rounded: %s, %d decimals, %q", r.Outcome(), r.Decimals, r.Clues)
	}
	grpo.advantages, rloo.advantages = grpoOf(1, 1e-4), rlooOf
	noise := step{made(6, 8, tenths(random)), func(r []float64) []float64 { return made(1, len(r), random.NormFloat64)[0] }}
	one := step{rloo.groups[:1], rlooOf}
	for name, steps := range map[string][]step{"noise": {grpo, noise, rloo}, "one group": {grpo, grpo, one}} {
		if r := reportOn(t, logOfSteps(all, steps...), nil); r.Outcome() != OutcomeNone {
			t.Errorf("%s: %s %q", name, r.Outcome(), r.Clues)
		}
	}
}

// Rewards that are all equal fit nearly everything: that tells nothing, and is no match.
func TestEqualRewardsCannotTell(t *testing.T) {
	zero := func(rewards []float64) []float64 { return make([]float64, len(rewards)) }
	r := reportOn(t, logOfSteps(all, step{made(4, 8, func() float64 { return 1 }), zero}, step{made(4, 8, func() float64 { return 0 }), zero}), nil)
	if r.HasMatch() || r.Outcome() != OutcomeCannotTell || len(r.Clues) != 1 || !strings.Contains(r.Clues[0], "all 64 logged advantages are 0") {
		t.Errorf("%s %q, %d matches", r.Outcome(), r.Clues, len(r.Matches))
	}
	if len(r.Others) < 50 || r.Others[0].Agreeing != 64 {
		t.Errorf("%d others", len(r.Others))
	}
	// one group with signal decides
	r = reportOn(t, logOfSteps(all, step{append(made(4, 8, func() float64 { return 1 }), []float64{1, 0, 0, 0, 0, 0, 0, 0}), rlooOf}), nil)
	if !slices.ContainsFunc(r.Matches, func(v Verdict) bool { return v.Estimator == "rloo" }) {
		t.Errorf("%s %+v", r.Outcome(), r.Matches[:min(1, len(r.Matches))])
	}
	// zeros where rewards differ fit nothing
	r = reportOn(t, logOfSteps(all, step{[][]float64{{1, 0, 1, 0}, {1, 1, 1, 0}}, zero}), nil)
	if r.Outcome() != OutcomeCannotTell || !strings.Contains(r.Clues[0], "all 8 logged advantages are 0, and rewards differ within groups: ") { // max@k minus the next is 0
		t.Errorf("%s %q", r.Outcome(), r.Clues)
	}
	r = reportOn(t, logOfSteps(all, step{[][]float64{{1, 0, 0.5, 0}, {1, 0.2, 0.7, 0}}, zero}), nil)
	if r.Outcome() != OutcomeNone || !strings.Contains(strings.Join(r.Clues, " "), "every logged advantage is 0, although rewards differ") {
		t.Errorf("%s %q", r.Outcome(), r.Clues)
	}
}

// numpy 2.4.6: r = np.array([0.1, 0.7, 0.4, 0.9, 0.3, 0.3, 0.8]); (r-r.mean())/(r.std(ddof=d)+eps), and the same
// of np.array([1., 0, 0, 1, 1]). No estimator here adds 1e-3, or 1e-4 to a std of ddof 0.
func TestNumpyArithmeticIsNamed(t *testing.T) {
	rewards := [][]float64{{0.1, 0.7, 0.4, 0.9, 0.3, 0.3, 0.8}, {1, 0, 0, 1, 1}}
	for _, c := range numpyCases() {
		row := 0
		given := func([]float64) []float64 {
			row++
			return c.advantages[row-1]
		}
		r := reportOn(t, logOfSteps(all, step{rewards, given}), nil)
		text := r.Arithmetic + strings.Join(r.Clues, " ")
		if r.HasMatch() != c.near || !strings.Contains(text, c.want) || !strings.Contains(text, "bit for bit") {
			t.Errorf("%s: %s, %q", c.want, r.Outcome(), text)
		}
	}
}

// Golden samples of the trainer with the filter: the ratios given are used, and those that were not are found.
func TestKeepRatios(t *testing.T) {
	for _, ratios := range [][2]float64{{0.5, 0.5}, {1, 0}, {0.3, 1}} {
		for _, recompute := range []bool{false, true} {
			snap, n := filteredGolden(t, ratios, recompute)
			given := reportOn(t, snap, func(s *model.Settings) { s.KeepPos, s.KeepNeg, s.Recompute = ratios[0], ratios[1], recompute })
			if given.Outcome() != OutcomeMatch || given.Filter == nil || given.Matches[0].Exact != given.Compared {
				t.Errorf("%v %v given, %d cases: %s %+v", ratios, recompute, n, given.Outcome(), given.Filter)
			}
			r := reportOn(t, snap, nil)
			if r.Outcome() != OutcomeFiltered || r.Found.Framework != "easyr1" || r.Found.Recompute != recompute {
				t.Errorf("%v %v, %d cases: %s %q", ratios, recompute, n, r.Outcome(), r.Clues)
				continue
			}
			if f := r.Found; !reproducesKept(ratios, f) {
				t.Errorf("%v %v: found %v", ratios, recompute, f.Filter)
			}
			if text := strings.Join(r.Clues, " "); strings.Contains(text, "KL") || strings.Contains(text, "penalty") || !strings.Contains(text, r.Found.Flags()) {
				t.Errorf("%q", text)
			}
		}
	}
}

// reproducesKept reports whether a found ratio keeps as many samples as the true one, of up to 16.
func reproducesKept(ratios [2]float64, f *FoundFilter) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) < 0.35 && (x == 0) == (y == 0) && (x == 1) == (y == 1) }
	return near(ratios[0], f.KeepPos) && near(ratios[1], f.KeepNeg)
}

// filteredGolden returns all golden cases of a filter as steps of one log.
func filteredGolden(t *testing.T, ratios [2]float64, recompute bool) (snap model.Snapshot, cases int) {
	t.Helper()
	var file struct {
		Cases []struct {
			Rewards, Advantages []any
			Groups              []int
			Params              map[string]any
		}
	}
	filetest.JSON(t, filepath.Join("..", "..", "estimators", "testdata", "golden", "easyr1_brian_grpo.json"), &file)
	chunk := &model.Chunk{Format: "synthetic", Progress: model.Progress{CaughtUp: true}}
	for k, c := range file.Cases {
		if c.Params["keep_pos_ratio"] != ratios[0] || c.Params["keep_neg_ratio"] != ratios[1] || c.Params["compute_new_adv"] != recompute || len(c.Advantages) != len(c.Groups) {
			continue
		}
		var records []model.Record
		for i, g := range c.Groups {
			reward, ok := c.Rewards[i].(float64)
			advantage, alsoOK := c.Advantages[i].(float64)
			if !ok || !alsoOK {
				records = nil
				break
			}
			records = append(records, model.Record{Step: int64(k), Group: fmt.Sprint(k, "-", g), Reward: reward, Advantage: advantage, Length: -1})
		}
		if len(records) > 0 {
			cases++
		}
		chunk.Records = append(chunk.Records, records...)
	}
	if cases < 3 {
		t.Fatalf("%d golden cases of %v", cases, ratios)
	}
	return snapshotOf(chunk), cases
}

// A tenth of all rows is missing: where enough groups are whole these match; and where none is, but rewards
// are binary, the log still shows it.
func TestMissingRowsAreNamed(t *testing.T) {
	for _, c := range []struct {
		size, groups int
		match        bool
	}{{8, 12, true}, {16, 24, true}, {64, 8, false}} {
		random := rand.New(rand.NewPCG(5, 6))
		var steps []step
		for range 8 {
			steps = append(steps, step{made(c.groups, c.size, coin(random)), grpoOf(1, 1e-4)})
		}
		kept := 0
		r := reportOn(t, logOfSteps(func(int) bool {
			keep := random.IntN(10) > 0
			if keep {
				kept++
			}
			return keep
		}, steps...), nil)
		missing := 8*c.groups*c.size - kept
		switch {
		case c.match && (r.Outcome() != OutcomeMatch || r.MissingRows != missing || r.Compared+r.LeftOut != kept || r.AllGroups != 8*c.groups):
			t.Errorf("%d: %s, %d of %d rows missing, %q", c.size, r.Outcome(), r.MissingRows, missing, r.Clues)
		case !c.match && (r.Outcome() != OutcomeNone || len(r.Clues) != 1 || !strings.Contains(r.Clues[0], "rows are missing: no group can be compared, but with 64 rows in each") || !strings.Contains(r.Clues[0], fmt.Sprintf("%d/%d", missing, 8*c.groups*c.size))):
			t.Errorf("%d: %s, %d missing, %q", c.size, r.Outcome(), missing, r.Clues)
		}
	}
}

// Numbers that fit nothing get no cause: neither a key nor a penalty nor a second normalisation.
func TestNoiseHasNoCause(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	normal := func(r []float64) []float64 { return made(1, len(r), random.NormFloat64)[0] }
	for name, advantages := range map[string]func([]float64) []float64{
		"normal":              normal,
		"uniform":             func(r []float64) []float64 { return made(1, len(r), random.Float64)[0] },
		"normalised by group": func(r []float64) []float64 { return grpoOf(1, 0)(normal(r)) },
		"of the negated reward": func(r []float64) []float64 {
			x := rlooOf(r)
			for i := range x {
				x[i] *= -x[i] * x[i]
			}
			return x
		},
	} {
		for rewards, reward := range map[string]func() float64{"tenths": tenths(random), "binary": coin(random)} {
			var steps []step
			for range 8 {
				steps = append(steps, step{made(12, 8, reward), advantages})
			}
			r := reportOn(t, logOfSteps(all, steps...), nil)
			text := strings.Join(r.Clues, "; ")
			for _, cause := range []string{"key", "KL", "penalty", "normalised", "took", "scaled", "missing", "belong", "changes", "filter"} {
				if strings.Contains(text, cause) {
					t.Errorf("%s, %s: %q", name, rewards, text)
				}
			}
			if r.Outcome() != OutcomeNone || text == "" {
				t.Errorf("%s, %s: %s %q", name, rewards, r.Outcome(), text)
			}
		}
	}
}

// Advantages that float arithmetic leaves of equal rewards tell no estimator from another.
func TestResidueTellsNothing(t *testing.T) {
	chunk := &model.Chunk{Format: "made", Framework: "prime-rl", Progress: model.Progress{CaughtUp: true}}
	for i := range 16 {
		chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: uint64(i/8 + 1), Reward: 0.2, Advantage: 1.4901161193847656e-08, Length: int32(i%3 + 1)})
	}
	r, err := Run(t.Context(), snapshotOf(chunk), model.DefaultSettings(), DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	if r.HasMatch() {
		t.Errorf("it matches %v", r.Matches[0].Candidate)
	}
}
