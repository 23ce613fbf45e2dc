package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vantage/model"
	"vantage/model/analysis"
)

// row is a sample of a made run.
type row struct {
	step     int64
	prompt   uint64
	reward   float64
	response string
	truth    string
	text     string // of the prompt
}

func ledgerOf(t *testing.T, rows []row, texts bool) *Ledger {
	t.Helper()
	chunk := model.Chunk{Format: "made", Files: []string{"x"}, HasTotal: true}
	for i, r := range rows {
		chunk.Records = append(chunk.Records, model.Record{
			Step: r.step, Prompt: r.prompt, Preview: fmt.Sprint("prompt ", r.prompt), Reward: r.reward, Advantage: math.NaN(), Length: 100, Offset: int64(i),
		})
	}
	store := model.NewStore()
	store.Append(&chunk)
	snap, set := store.Snapshot(), model.DefaultSettings()
	set.GroupBy = model.GroupByPrompt
	var read analysis.ReadTexts
	if texts {
		read = func(_ context.Context, places []model.Place, _ func([]byte) bool, visit func(int, model.Text, error)) error {
			for i, at := range places {
				r := rows[at.Offset]
				visit(i, model.Text{Prompt: r.text, Response: r.response, Truth: r.truth}, nil)
			}
			return nil
		}
	}
	l, err := Of(t.Context(), snap, set, Options{Read: read, Texts: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The account of a prompt, by hand: three groups of two, of which 0, 1 and 2 are solved. Wilson's interval of 3 of 6 is 0.188 to 0.812; the trend is
// that of the last against the first group, 1 ± √(0.25·(1/2 + 1/2)) = 0.5. A group of one right and one wrong has |A| = (0.5/0.7071)·2.
func TestAccountOfAPrompt(t *testing.T) {
	l := ledgerOf(t, []row{
		{step: 1, prompt: 7, reward: 0},
		{step: 1, prompt: 7, reward: 0},
		{step: 2, prompt: 7, reward: 0},
		{step: 2, prompt: 7, reward: 1},
		{step: 2, prompt: 8, reward: 1},
		{step: 2, prompt: 8, reward: 1},
		{step: 4, prompt: 7, reward: 1},
		{step: 4, prompt: 7, reward: 1},
	}, false)
	if len(l.Prompts) != 2 || l.Steps != 3 {
		t.Fatalf("%d prompts in %d steps", len(l.Prompts), l.Steps)
	}
	p := &l.Prompts[0]
	low, high := p.Interval()
	change, err := p.Trend()
	for name, c := range map[string][2]float64{
		"seen": {float64(p.Seen), 3}, "samples": {float64(p.Samples), 6}, "first": {float64(p.First), 1}, "last": {float64(p.Last), 4},
		"signal": {float64(p.Signal), 1}, "tokens": {float64(p.Tokens), 600}, "rate": {p.Rate(), 0.5}, "low": {low, 0.188}, "high": {high, 0.812},
		"trend": {change, 1}, "error": {err, 0.5}, "Σ|A|": {p.Abs, 1.414}, "Σ|A| per 1,000 tokens": {p.PerThousand(), 1.414 / 0.6},
	} {
		if math.Abs(c[0]-c[1]) > 1e-3 {
			t.Errorf("%s is %v, want %v", name, c[0], c[1])
		}
	}
	if p.State() != "unsure" || l.Prompts[1].State() != "rare" {
		t.Errorf("%s, %s", p.State(), l.Prompts[1].State())
	}
}

// Visits beyond those that are kept apart are joined in pairs: of 20 groups, whose rates rise from 0 to 1 in the middle, the halves stay apart.
func TestLongHistoryKeepsItsHalves(t *testing.T) {
	p := Prompt{Known: true}
	for k := range 20 {
		v := visits{tries: 4}
		if k >= 12 {
			v.solved = 4
		}
		p.note(v)
		p.Tries, p.Solved = p.Tries+4, p.Solved+int(v.solved)
	}
	all := p.pooled(0, p.used)
	if all.tries != 80 || all.solved != 32 {
		t.Errorf("%v", all)
	}
	if change, _ := p.Trend(); change < 0.75 {
		t.Errorf("trend %v", change)
	}
}

// world makes a run of prompts with a rate at each of some visits.
func world(r *rand.Rand, from uint64, prompts, visits, size int, rate func(visit int) float64) (rows []row) {
	for v := range visits {
		for p := range prompts {
			for range size {
				reward := 0.0
				if r.Float64() < rate(v) {
					reward = 1
				}
				rows = append(rows, row{step: int64(v), prompt: from + uint64(p), reward: reward})
			}
		}
	}
	return rows
}

// Prompts of planted kinds are in the states that they are made for, and others are hardly ever.
func TestPlantedStates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n, visits = 200, 8
	at := func(p float64) func(int) float64 { return func(int) float64 { return p } }
	kinds := []struct {
		state State
		rate  func(int) float64
		least int // of n
	}{
		{"learning", func(v int) float64 { return 0.1 + 0.8*float64(v)/(visits-1) }, n * 85 / 100},
		{"solved", at(1), n},
		{"solved", at(0.99), n * 95 / 100},
		{"hopeless", at(0), n},
		{"flat", at(0.5), n * 40 / 100},
		{"forgotten", func(v int) float64 { return []float64{1, 0.05}[v/(visits-2)] }, n * 90 / 100},
	}
	var rows []row
	for k, kind := range kinds {
		rows = append(rows, world(r, uint64(1+k*n), n, visits, 8, kind.rate)...)
	}
	l := ledgerOf(t, rows, false)
	got := make([]map[State]int, len(kinds))
	for i := range l.Prompts {
		k := int(l.Prompts[i].hash-1) / n
		if got[k] == nil {
			got[k] = map[State]int{}
		}
		got[k][l.Prompts[i].State()]++
	}
	for k, kind := range kinds {
		if got[k][kind.state] < kind.least {
			t.Errorf("made %s: %v", kind.state, got[k])
		}
		for _, alarm := range []State{"learning", "solved", "hopeless", "forgotten", "suspect"} {
			if alarm != kind.state && got[k][alarm] > n/50 {
				t.Errorf("made %s: %d are %s", kind.state, got[k][alarm], alarm)
			}
		}
	}
}

// In a run of one epoch tries tell what is solved and what is hopeless, and nothing else is said. Rates are those of Beta(½, ½), sin²(πu/2), as of
// prompts that are mostly easy or hard; of those that are called solved, or hopeless, at most 2 % have a rate below 0.8, or above 0.2.
func TestOneEpoch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		tries, told int // prompts of 2,000 that are told at least
	}{{8, 0}, {16, 500}, {64, 500}} {
		var rows []row
		rates := make([]float64, 2000)
		for i := range rates {
			rates[i] = math.Pow(math.Sin(math.Pi/2*r.Float64()), 2)
			for range c.tries {
				rows = append(rows, row{step: int64(i / 100), prompt: uint64(1 + i), reward: float64(model.Count01(r.Float64() < rates[i]))})
			}
		}
		l := ledgerOf(t, rows, false)
		got, wrong := map[State]int{}, map[State]int{}
		for i := range l.Prompts {
			p := &l.Prompts[i]
			s, rate := p.State(), rates[p.hash-1]
			got[s]++
			wrong[s] += model.Count01(s == "solved" && rate < solvedFrom || s == "hopeless" && rate > hopelessTo)
		}
		told := got["solved"] + got["hopeless"]
		if told < c.told || told+got["rare"] != len(rates) || 50*wrong["solved"] > got["solved"] || 50*wrong["hopeless"] > got["hopeless"] {
			t.Errorf("%d tries: %v, of which wrongly %v", c.tries, got, wrong)
		}
	}
}

// Twice seen is too rarely for a change: a prompt that is never solved and then always is neither learning nor solved, and one that is solved and
// then not is not forgotten.
func TestSeenTwiceHasNoTrend(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rows := append(world(r, 1, 20, 2, 16, func(v int) float64 { return float64(v) }), world(r, 21, 20, 2, 16, func(v int) float64 { return float64(1 - v) })...)
	for _, p := range ledgerOf(t, rows, false).Prompts {
		if s := p.State(); s != "rare" {
			t.Errorf("%d is %s", p.hash, s)
		}
	}
}

// Where rewards are continuous there is no solve rate: states are of the trend alone.
func TestContinuousRewards(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var rows []row
	for v := range 8 {
		for range 16 {
			rows = append(rows, row{step: int64(v), prompt: 1, reward: r.NormFloat64() + float64(v)}, row{step: int64(v), prompt: 2, reward: r.NormFloat64()})
		}
	}
	l := ledgerOf(t, rows, false)
	if l.Known || l.Prompts[0].State() != "learning" || l.Prompts[1].State() == "learning" || !math.IsNaN(l.Prompts[0].SolveRate()) || l.Prompts[0].Rate() != l.Prompts[0].Reward() {
		t.Errorf("%v %s %s", l.Known, l.Prompts[0].State(), l.Prompts[1].State())
	}
}

// The rate of a prompt that is graded by degrees is its mean reward between wrong and full marks, by hand: of 0.5, 0.7, 0.5 and 0.7 on a scale from
// −1 to 1 the grades are 0.75 and 0.85, their mean 0.8, its standard error √(0.01/3)/2 = 0.0289, and the interval ± 1.96 of that.
func TestRateOfDegrees(t *testing.T) {
	var rows []row
	for v := range int64(4) {
		for i := range 64 { // others make the scale
			rows = append(rows, row{step: v, prompt: 1, reward: float64(2*(i%2) - 1)})
		}
		rows = append(rows, row{step: v, prompt: 2, reward: 0.5 + 0.2*float64(v%2)})
	}
	l := ledgerOf(t, rows, false)
	p := &l.Prompts[1]
	low, high := p.Interval()
	for _, c := range [][2]float64{{p.Rate(), 0.8}, {low, 0.8 - 1.96*0.02887}, {high, 0.8 + 1.96*0.02887}, {p.SolveRate(), 0}, {p.Reward(), 0.6}} {
		if math.Abs(c[0]-c[1]) > 1e-4 {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
	if p.RateOf() != "mean reward" || l.Prompts[0].RateOf() != "solved" || l.Prompts[0].Rate() != 0.5 {
		t.Errorf("%s %s %v", p.RateOf(), l.Prompts[0].RateOf(), l.Prompts[0].Rate())
	}
}

// Planted poison: a wrong truth, which the answers contradict with one voice; a grader that draws. Honest prompts, hard ones whose wrong
// answers scatter among them, are hardly ever suspect.
func TestPoison(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var rows []row
	const wrongTruth, drawn, matched, honest, hard = 1, 101, 201, 301, 701
	add := func(step int64, prompt uint64, answer int, reward float64, truth string) {
		rows = append(rows, row{step: step, prompt: prompt, reward: reward, response: fmt.Sprintf("so \\boxed{%d}", answer), truth: truth})
	}
	for v := range int64(4) {
		for p := range uint64(10) {
			for range 8 {
				add(v, wrongTruth+p, 42, 0, "17") // with one voice, but for one in ten
				if r.Float64() < 0.1 {
					rows[len(rows)-1].response = fmt.Sprintf("\\boxed{%d}", r.IntN(100))
				}
				add(v, drawn+p, 5, float64(r.IntN(2)), "5")
			}
		}
		for p := range uint64(40) { // that a grader knows no right answer to says nothing about those who agree on another
			for range 8 {
				add(v, matched+p, 9, 0, "#### 9")
			}
		}
		for p := range uint64(300) {
			rate := 0.2 + 0.8*float64(p)/300
			for range 8 {
				if r.Float64() < rate {
					add(v, honest+p, 3, 1, "3")
				} else {
					add(v, honest+p, 100+r.IntN(20), 0, "3")
				}
			}
		}
		for p := range uint64(50) {
			for range 8 {
				add(v, hard+p, r.IntN(12), 0, "1000")
			}
		}
	}
	l := ledgerOf(t, rows, true)
	found, wrong := map[DoubtKind]int{}, 0
	for i := range l.Prompts {
		if p := &l.Prompts[i]; p.Doubt != nil && p.hash >= honest {
			wrong++
			t.Log(p.hash, p.Doubt)
		} else if p.Doubt != nil {
			found[p.Doubt.Kind]++
		}
	}
	if found[AgreeWrong] < 9 || found[TwoGrades] < 9 || found[TruthWrong] != 40 || wrong > 0 {
		t.Errorf("%v, %d false", found, wrong)
	}
}

// A prompt that is graded by degrees is neither hopeless, though it never has full marks, nor suspect, though equal answers have many grades.
func TestGradedByDegrees(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var rows []row
	for v := range int64(4) {
		for p := range uint64(100) {
			for range 8 {
				rows = append(rows, row{step: v, prompt: 1 + p, reward: float64(r.IntN(2)), response: "<answer>7</answer>"})
				if p%10 == 0 {
					rows = append(rows, row{step: v, prompt: 101 + p, reward: 0.7 + float64(r.IntN(2+int(p)%20/10))/10, response: "<answer>a rubric</answer>", truth: "rubric"})
				}
			}
		}
	}
	l := ledgerOf(t, rows, true)
	if !l.Known {
		t.Fatal(l.WhyNone)
	}
	for i := range l.Prompts {
		if p := &l.Prompts[i]; p.hash > 100 && (p.State() == "hopeless" || p.Doubt != nil) {
			t.Errorf("%d is %s: %s", p.hash, p.State(), p.Why())
		}
	}
}

// A prompt that is never solved is suspect where the prompts of its source and length are not, and in no doubt among others as hard. The odds
// of each of two among 79 others, of which the other one is as hard, are 80:2.
func TestFarBelowItsKin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	easy, hard := strings.Repeat("Add two numbers. ", 3), strings.Repeat("Prove it. ", 60)
	var rows []row
	for v := range int64(4) {
		for p := range uint64(140) {
			rate, text := 0.4+0.6*float64(p)/140, easy
			switch {
			case p < 2: // two of the easy ones are poisoned
				rate = 0
			case p >= 80:
				rate, text = 0.5*float64(p%2), hard
			}
			for range 8 {
				reward := 0.0
				if r.Float64() < rate {
					reward = 1
				}
				rows = append(rows, row{step: v, prompt: 1 + p, reward: reward, response: fmt.Sprintf("\\boxed{%d}", r.IntN(1000)), text: text})
			}
		}
	}
	l := ledgerOf(t, rows, true)
	for i := range l.Prompts {
		if p := &l.Prompts[i]; (p.Doubt != nil) != (p.hash <= 2) || p.Doubt != nil && (p.Doubt.Kind != FarBelow || p.Doubt.of != 79 || p.Doubt.Odds != 40) {
			t.Errorf("%d: %s", p.hash, p.Why())
		}
	}
}

// Prompts that differ only in white space or in a date are offered to be joined, and joined only when that is asked; those that differ in
// a number or in their truth are not.
func TestTwins(t *testing.T) {
	prompts := []model.Text{
		{Prompt: "Today is 2026-11-22. What is 2 + 2?", Truth: "4"},
		{Prompt: "Today is  2026-11-23.\nWhat is 2 + 2?", Truth: "4"},
		{Prompt: "Today is 2026-11-23. What is 2 + 3?", Truth: "5"},
		{Prompt: "Today is 2026-11-24. What is 2 + 2?", Truth: "5"},
		{Prompt: "What is 3 + 3?", Truth: "6"},
		{Prompt: "What is\n3 + 3?", Truth: "6"},
		{Prompt: "What is 3 + 3?", Truth: "7"},
		{Prompt: strings.Repeat("You are helpful. ", 20) + "4 + 4?", Truth: "8"},
		{Prompt: strings.Repeat("You are helpful. ", 20) + "4  + 4?", Truth: "8"},
		{Prompt: strings.Repeat("You are helpful. ", 20) + "4 + 5?", Truth: "9"},
	}
	preview := func(text string) string { // as of a loader: one line of at most 160 bytes
		line := strings.Join(strings.Fields(text), " ")
		return line[:min(len(line), 160)]
	}
	store, chunk := model.NewStore(), model.Chunk{Format: "made", Files: []string{"x"}}
	for i, p := range prompts {
		for range 2 {
			chunk.Records = append(chunk.Records, model.Record{Step: int64(i), Prompt: uint64(i + 1), Preview: preview(p.Prompt), Reward: 1, Length: -1, Advantage: math.NaN(), Offset: int64(i)})
		}
	}
	store.Append(&chunk)
	read := func(_ context.Context, places []model.Place, _ func([]byte) bool, visit func(int, model.Text, error)) error {
		for i, at := range places {
			visit(i, prompts[at.Offset], nil)
		}
		return nil
	}
	for join, want := range map[bool][2]int{false: {10, 3}, true: {7, 0}} {
		l, err := Of(t.Context(), store.Snapshot(), model.DefaultSettings(), Options{Read: read, Join: join})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int{len(l.Prompts), len(l.Twins)}; got != want || (l.TwinNote() == "") != join {
			t.Errorf("join %v: %v prompts and twins, want %v: %s", join, got, want, l.TwinNote())
		}
	}
}

// A log whose rows say nothing of their prompt is an error that names the flag.
func TestNoPrompts(t *testing.T) {
	store := model.NewStore()
	store.Append(&model.Chunk{Format: "made", Files: []string{"x"}, Positional: true, Records: []model.Record{{Step: 1, Reward: 1, Advantage: math.NaN()}, {Step: 1, Advantage: math.NaN()}}})
	set := model.DefaultSettings()
	set.NumGenerations = 2
	if _, err := Of(t.Context(), store.Snapshot(), set, Options{}); !errors.Is(err, ErrNoPrompts) {
		t.Error(err)
	}
}
