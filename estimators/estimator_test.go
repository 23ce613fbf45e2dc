package estimators

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// constantAndMixed returns a batch of a constant group of eight and a mixed one.
func constantAndMixed(constant float64) Batch {
	c := constant
	return Batch{
		Rewards: []float64{c, c, c, c, c, c, c, c, 1, 0, 1, 0, 0, 1, 0, 0},
		Offsets: []int{0, 8, 16},
	}
}

// Equal rewards have advantages since float32 misses their mean. The numbers are those of
// the frameworks' code under PyTorch, to the digits given.
func TestEqualRewardsHaveTheTrainersResidue(t *testing.T) {
	for _, c := range []struct {
		constant                      float64
		twinkle, twinkleAlone, easyR1 float64
	}{
		{0.1, -0.745, -0.415, 0},
		{0.7, 5.96, 0.81, 0},
		{10.1, 95.4, 0.93, 0.935},
		{100.3, 763, 0.93, 0.935},
	} {
		b := constantAndMixed(c.constant)
		alone := Batch{Rewards: b.Rewards[:8], Offsets: b.Offsets[:2]}
		checkClose(t, "twinkle, two groups", firstAdvantage(t, "twinkle", b), c.twinkle)
		checkClose(t, "twinkle, one group", firstAdvantage(t, "twinkle", alone), c.twinkleAlone)
		checkClose(t, "easyr1", firstAdvantage(t, "easyr1", b), c.easyR1)
	}
}

// firstAdvantage returns the advantage of the first sample under GRPO by group.
func firstAdvantage(t *testing.T, framework string, b Batch) float64 {
	t.Helper()
	dst := make([]float64, len(b.Rewards))
	if err := find(t, framework, "grpo").Advantage(dst, b, ScaleGroup); err != nil {
		t.Fatal(err)
	}
	return dst[0]
}

// The same batch in other frameworks. The numbers of OpenRLHF are those before it clips
// at 10.
func TestEqualRewardsElsewhere(t *testing.T) {
	for _, c := range []struct {
		framework                     string
		of0_1, of0_7, of10_1, of100_3 float64
	}{
		{"easyr1-upstream", -0.0074, 0.056, 0.47, 0.83},
		{"verl", -0.0074, 0.056, 0.47, 0.83},
		{"skyrl", -0.0074, 0.056, 0.47, 0.83},
		{"slime", -0.0075, 0.060, 0.95, 7.6},
		{"roll", -0.0075, 0.060, 0.95, 7.6},
	} {
		for constant, want := range map[float64]float64{0.1: c.of0_1, 0.7: c.of0_7, 10.1: c.of10_1, 100.3: c.of100_3} {
			checkClose(t, c.framework, firstAdvantage(t, c.framework, constantAndMixed(constant)), want)
		}
	}
	for constant, want := range map[float64]float64{0.1: -7.45, 0.7: 59.6, 10.1: 954, 100.3: 7629} {
		b := constantAndMixed(constant)
		dst := make([]float64, len(b.Rewards))
		_ = grpo(1e-9).advantages(dst, b, ScaleGroup)
		checkClose(t, "openrlhf", dst[0], want)
	}
	for framework, want := range map[string]float64{"trl": 0.071, "ms-swift": 0.076} {
		checkClose(t, framework, firstAdvantage(t, framework, constantAndMixed(100.3)), want)
	}
}

// checkClose compares to the two or three digits that a table gives.
func checkClose(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.01*math.Abs(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Five samples, in groups of 2, 2 and 1, are no matrix: a framework that needs one raises.
func TestRaggedBatches(t *testing.T) {
	b := Batch{
		Rewards: []float64{1, 0, 0, 1, 3}, Offsets: []int{0, 2, 4, 5},
		Lengths: []int32{1, 2, 3, 4, 5}, Components: [][]float64{{1, 0, 0, 1, 3}},
	}
	const view, reshape = "RuntimeError: shape '[-1, 2]' is invalid for input of size 5", "ValueError: cannot reshape array of size 5 into shape (2)"
	for _, c := range []struct{ framework, name, want string }{
		{"trl", "grpo", view},
		{"trl", "grpo_normalize_then_sum", view},
		{"trl", "rloo", view},
		{"openrlhf", "group_norm", view},
		{"openrlhf", "reinforce_baseline", view},
		{"openrlhf", "reinforce", ""},
		{"ms-swift", "grpo", view},
		{"ms-swift", "grpo_dynamic", ""},
		{"ms-swift", "gdpo", view},
		{"roll", "grpo", view},
		{"roll", "agentic_reward_norm", ""},
		{"open-instruct", "centered", reshape},
		{"slime", "grpo", ""},
		{"areal", "reward_norm", ""},
		{"verl", "grpo", ""},
	} {
		e, dst := find(t, c.framework, c.name), make([]float64, 5)
		err := e.Advantage(dst, b, e.Scales[0])
		if got := errorText(err); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.framework, c.name, got, c.want)
		}
		var refusal *Refusal
		if errors.As(err, &refusal) {
			if diff := cmp.Diff([]int{2}, refusal.Groups); diff != "" {
				t.Errorf("%s %s: %s", c.framework, c.name, diff)
			}
		}
		if dst[0] <= dst[1] {
			t.Errorf("%s %s: a reward of 1 gets %v, 0 gets %v", c.framework, c.name, dst[0], dst[1])
		}
	}
}

func TestRefusalsOfTwinkleAndEasyR1(t *testing.T) {
	missing := MissingReward()
	for _, c := range []struct {
		name, framework, estimator string
		rewards                    []float64
		offsets                    []int
		want                       *Refusal
	}{
		{"ragged", "twinkle", "grpo", []float64{1, 0, 1, 0, 1}, []int{0, 2, 4, 5}, &Refusal{"ValueError", "Invalid", []int{2}}},
		{"missing before ragged", "twinkle", "grpo", []float64{1, 0, 1, missing, missing, 1}, []int{0, 2, 5, 6}, &Refusal{"TypeError", "must be real number, not NoneType", []int{1}}},
		{"singles alone", "twinkle", "grpo", []float64{1, 0}, []int{0, 1, 2}, nil},
		{"singles alone", "twinkle", "rloo", []float64{1, 0}, []int{0, 1, 2}, &Refusal{"ValueError", "Invalid", []int{0, 1}}},
		{"ragged", "easyr1", "grpo", []float64{1, 0, 1, 0, 1}, []int{0, 2, 5}, nil},
		{"a single", "easyr1", "grpo", []float64{1, 0, 1}, []int{0, 2, 3}, &Refusal{"AssertionError", "GRPO needs rollout.n > 1.", []int{1}}},
		{"a single", "easyr1", "rloo", []float64{1, 0, 1}, []int{0, 2, 3}, &Refusal{"AssertionError", "RLOO needs rollout.n > 1.", []int{1}}},
		{"missing is zero", "easyr1", "rloo", []float64{1, missing}, []int{0, 2}, nil},
	} {
		e := find(t, c.framework, c.estimator)
		clean, dst := make([]float64, len(c.rewards)), make([]float64, len(c.rewards))
		e.CleanInto(clean, c.rewards)
		var got *Refusal
		if err := e.Advantage(dst, Batch{Rewards: clean, Offsets: c.offsets}, e.Scales[0]); err != nil && !errors.As(err, &got) {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s, %s (-want +got):\n%s", c.framework, c.estimator, c.name, diff)
		}
	}
}

// In a refused batch the valid groups have the advantages that they have alone: for 1 and
// 0 ±√½ under GRPO, ±1 under RLOO.
func TestRefusedBatchIsComputed(t *testing.T) {
	dst := make([]float64, 5)
	b := Batch{Rewards: []float64{1, 0, 0, 1, 3}, Offsets: []int{0, 2, 4, 5}}
	_ = find(t, "twinkle", "grpo").Advantage(dst, b, ScaleGroup)
	if float32(dst[0]) != 0.70710677 || float32(dst[3]) != 0.70710677 || !math.IsNaN(dst[4]) {
		t.Errorf("grpo: %v", dst)
	}
	_ = find(t, "easyr1", "rloo").Advantage(dst, b, ScaleNone)
	if dst[0] != 1 || dst[1] != -1 || !math.IsNaN(dst[4]) {
		t.Errorf("rloo: %v", dst)
	}
}

func TestClean(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name, framework string
		rewards, want   []float64
	}{
		{"with a NaN the infinities become finite", "easyr1", []float64{1, nan, inf, -inf}, []float64{1, 0, math.MaxFloat32, -math.MaxFloat32}},
		{"infinities alone stay", "easyr1", []float64{1, inf, 1e300}, []float64{1, inf, inf}},
		{"missing is NaN is 0", "easyr1", []float64{MissingReward(), 0.1}, []float64{0, float64(float32(0.1))}},
		{"only the rounding", "twinkle", []float64{0.1, inf, -0.5}, []float64{float64(float32(0.1)), inf, -0.5}},
	} {
		e, got := find(t, c.framework, "grpo"), make([]float64, len(c.rewards))
		e.CleanInto(got, c.rewards)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	kept := []float64{MissingReward()}
	find(t, "twinkle", "rloo").CleanInto(kept, kept)
	if !IsMissing(kept[0]) {
		t.Error("twinkle: a missing reward is no longer missing")
	}
}

// Groups go through the arithmetic four at a time, or alone where sizes change or are
// large. The tile does not matter: each has the advantages that it has in a pair.
func TestTilesDoNotMatter(t *testing.T) {
	e := find(t, "twinkle", "grpo")
	var b Batch
	b.Offsets = []int{0}
	for _, n := range []int{8, 8, 8, 8, 8, 3, 3, 2, 300, 300, 300, 1025, 1025, 600, 5, 5, 5, 5, 5, 5, 5} {
		for range n {
			b.Rewards = append(b.Rewards, float64(float32(len(b.Rewards)*7919%101)/10))
		}
		b.Offsets = append(b.Offsets, len(b.Rewards))
	}
	dst := make([]float64, len(b.Rewards))
	_ = e.Advantage(dst, b, ScaleGroup)
	for g := range b.Groups() {
		r := b.Group(g)
		pair := Batch{Rewards: append(append([]float64(nil), r...), r...), Offsets: []int{0, len(r), 2 * len(r)}}
		want := make([]float64, 2*len(r))
		if err := e.Advantage(want, pair, ScaleGroup); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[:len(r)], dst[b.Offsets[g]:b.Offsets[g+1]]); diff != "" {
			t.Errorf("group %d of %d:\n%s", g, len(r), diff)
		}
	}
}

func TestEqualGroups(t *testing.T) {
	got, err := EqualGroups(6, 3)
	if diff := cmp.Diff([]int{0, 3, 6}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, c := range [][2]int{{6, 0}, {6, -2}, {6, 4}, {6, 7}} {
		if _, err := EqualGroups(c[0], c[1]); errorText(err) != "ValueError: Invalid" {
			t.Errorf("EqualGroups(%d, %d): %v", c[0], c[1], err)
		}
	}
}

func TestFind(t *testing.T) {
	if e := All()[0]; e.Framework != "easyr1" || e.Name != "grpo" {
		t.Errorf("the default is %s %s", e.Framework, e.Name)
	}
	if diff := cmp.Diff([]string{"easyr1", "twinkle", "verl", "trl"}, Frameworks()[:4]); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct{ framework, name, want string }{
		{"nope", "grpo", `no framework "nope": choose ` + Alternatives(Frameworks())},
		{"twinkle", "opo", `twinkle has no estimator "opo": choose grpo, rloo or gae`},
	} {
		if _, err := Find(c.framework, c.name); err == nil || err.Error() != c.want {
			t.Errorf("Find(%q, %q): %v, want %s", c.framework, c.name, err, c.want)
		}
	}
}

// Every entry is described in full, and no two have one name.
func TestEntriesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		name := e.Framework + " " + e.Name
		if seen[name] {
			t.Errorf("%s is listed twice", name)
		}
		seen[name] = true
		if len(e.Scales) == 0 || e.Formula == "" || e.Doc == "" || e.Float == 0 || e.Computable() != (e.NotComputable == "") {
			t.Errorf("%s is incomplete", name)
		}
		switch isCode := strings.Contains(e.Source, "@") && strings.Contains(e.Source, ".py:"); {
		case !isCode && !e.NoPublicCode:
			t.Errorf("%s: source %q has no revision or function; if no code is public, set NoPublicCode", name, e.Source)
		case e.NoPublicCode && !strings.Contains(e.Source, "arXiv:") && !strings.Contains(e.Source, "https://"):
			t.Errorf("%s: source %q has no paper or document", name, e.Source)
		}
		if e.TrainerFilters && !e.CanFilter {
			t.Errorf("%s: TrainerFilters without CanFilter", name)
		}
		if strings.HasPrefix(e.Name, "grpo") && !e.CanFilter {
			t.Errorf("%s: is GRPO without CanFilter", name)
		}
	}
}

func TestWrongLengthsPanic(t *testing.T) {
	e := find(t, "twinkle", "grpo")
	b := Batch{Rewards: []float64{1, 0}, Offsets: []int{0, 2}}
	for name, call := range map[string]func(){
		"Advantage": func() { _ = e.Advantage(make([]float64, 1), b, ScaleGroup) },
		"Keep":      func() { Keep(make([]bool, 1), b.Rewards, b.Rewards, b.Offsets, 0, 0) },
		"Recompute": func() { Recompute(make([]float64, 2), e, b, ScaleGroup, b.Rewards, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s accepts slices of different lengths", name)
				}
			}()
			call()
		}()
	}
}

// What is said to be equal to the bit names the runtime of which it holds.
func TestPrecisionNamesItsRuntime(t *testing.T) {
	for name, want := range map[[2]string]string{
		{"trl", "grpo"}:                 "float32, exactly as PyTorch on a CPU, IEEE square root; CUDA untested",
		{"trl", "async_grpo"}:           "float64, exactly as numpy or Python on a CPU",
		{"verl", "reinforce_plus_plus"}: "float32, to 1e-4 of PyTorch on a CPU; CUDA untested",
		{"trl", "rloo_kl_in_reward"}:    "float32",
	} {
		if got := find(t, name[0], name[1]).Precision(); got != want {
			t.Errorf("%v: %q, want %q", name, got, want)
		}
	}
}

// One sample alone has no standard deviation: SDPO's trainer takes 0 for that of the batch, and lets that of
// the group be NaN.
func TestSDPOOfASingleSample(t *testing.T) {
	e, dst := find(t, "trl", "sdpo"), make([]float64, 1)
	b := Batch{Rewards: []float64{0.5}, Offsets: []int{0, 1}}
	for scale, want := range map[Scale]float64{ScaleBatch: 0, ScaleNone: 0, ScaleGroup: math.NaN()} {
		if err := e.Advantage(dst, b, scale); err != nil || dst[0] != want && !math.IsNaN(want) || math.IsNaN(want) != math.IsNaN(dst[0]) {
			t.Errorf("%s: %v, want %v (%v)", scale, dst[0], want, err)
		}
	}
}
