package groupfilter

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/estimators/torchsum"
)

// decided returns the verdict of a filter with options on groups of rewards.
func decided(t *testing.T, framework, name string, o estimators.Options, groups ...[]float64) (Admission, Batch) {
	t.Helper()
	f := find(t, framework, name)
	b := Batch{Offsets: []int{0}}
	for _, g := range groups {
		b.Rewards = append(b.Rewards, g...)
		b.Offsets = append(b.Offsets, len(b.Rewards))
	}
	b.Advantages = b.Rewards
	var v Admission
	if err := f.Decide(&v, b, valuesOf(t, f, o)); err != nil {
		t.Fatal(err)
	}
	return v, b
}

// Variances by hand, ddof 1: of 0 0 1 1 it is 1/3, of 0 0 0 1 it is 1/4, of 0 0 2 2 it is 4/3, of equal
// rewards 0. Together 1/3 + 1/4 + 4/3 + 1/4 = 13/6.
func TestRagenTopP(t *testing.T) {
	groups := [][]float64{{0, 0, 1, 1}, {1, 1, 1, 1}, {0, 0, 0, 1}, {0, 0, 2, 2}, {0, 1, 0, 0}, {5}, {0, math.NaN()}}
	for _, c := range []struct {
		p    string
		want []int
	}{
		{"0", nil},
		{"0.6", []int{3}},                // 1.3 of 1.333
		{"0.7", []int{0, 3}},             // 1.517 of 1.667
		{"0.8", []int{0, 2, 3}},          // 1.733 of 1.917: of two of 1/4 the first
		{"0.9", []int{0, 2, 3, 4}},       // 1.95 of 2.167
		{"1", []int{0, 2, 3, 4}},         // those without variance never
		{"0.61538", []int{3}},            // 8/13 = 0.615384…
		{"0.61539", []int{0, 3}},         // a little more
		{"0.6153846153846154", []int{3}}, // 8/13, up to rounding
	} {
		v, _ := decided(t, "ragen", "top_p", estimators.Options("rollout_filter_value="+c.p), groups...)
		var got []int
		for g, admitted := range v.Admitted {
			if admitted {
				got = append(got, g)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("p = %s: groups %v, want %v", c.p, got, c.want)
		}
	}
	v, _ := decided(t, "ragen", "top_p", "", groups...)
	for g, want := range map[int]string{1: "variance 0", 5: "variance 0", 6: "variance"} {
		if got := v.Reasons[g].String(); got != want {
			t.Errorf("group %d: %q, want %q", g, got, want)
		}
	}
}

// Ten groups of the same variance: half of it is five of them, whatever rounding makes of the sums.
func TestRagenTopPOfEqualVariances(t *testing.T) {
	var groups [][]float64
	for range 10 {
		groups = append(groups, []float64{0.1, 0.4, 0.7})
	}
	for p, want := range map[string]int{"0.1": 1, "0.3": 3, "0.5": 5, "0.7": 7, "0.75": 8, "0.9": 9} {
		v, _ := decided(t, "ragen", "top_p", estimators.Options("rollout_filter_value="+p), groups...)
		if got := v.admitted(); got != want {
			t.Errorf("p = %s: %d groups, want %d", p, got, want)
		}
	}
}

// Three rewards of 0.1 have np.std 1.4e-17 (0.1+0.1+0.1 is 0.30000000000000004), which is not 0; those of
// 0 and 0.5 have 0. Ranges and thresholds see no difference.
func TestEqualRewardsThatStay(t *testing.T) {
	tenths, halves := []float64{0.1, 0.1, 0.1}, []float64{0.5, 0.5, 0.5}
	for _, c := range []struct {
		framework, name string
		o               estimators.Options
		want            int
	}{
		{"open-instruct", "filter_zero_std_samples", "", 1},
		{"skyrl", "dynamic_sampling_filter", "", 1},
		{"skyrl", "zero_variance_filter", "", 0},
		{"slime", "check_reward_nonzero_std", "", 0},
		{"verl", "filter_groups", "", 0}, // the metric reward is float32
		{"cosmos-rl", "dynamic_sampling", "", 0},
		{"rllm", "filter_uniform_groups", "", 0},
		{"easyr1-upstream", "online_filtering", "", 2}, // no rule about spread
		{"openrlhf", "dynamic_filtering", "", 2},
		{"roll", "sample_level_mask", "difficulty_mask=true", 2},
	} {
		v, b := decided(t, c.framework, c.name, c.o, halves, tenths, []float64{0, 1, 1})
		got, first := v.EqualButAdmitted(b.Rewards, b.Offsets)
		wantFirst := []int{-1, 1, 0}[c.want]
		if got != c.want || first != wantFirst {
			t.Errorf("%s %s keeps %d groups of equal rewards, the first is %d; want %d, %d", c.framework, c.name, got, first, c.want, wantFirst)
		}
		if !v.Admitted[2] {
			t.Errorf("%s %s drops a group of 0 1 1", c.framework, c.name)
		}
	}
}

func TestReasons(t *testing.T) {
	for _, c := range []struct {
		framework, name string
		o               estimators.Options
		rewards         []float64
		want            string
	}{
		{"verl", "filter_groups", "", []float64{1, 1}, "std 0"},
		{"openrlhf", "dynamic_filtering", "", []float64{1, 1}, "too easy: mean 1"},
		{"openrlhf", "dynamic_filtering", "", []float64{0, 0}, "too hard: mean 0"},
		{"openrlhf", "dynamic_filtering", "dynamic_filtering_range=0.2,0.5", []float64{0, 1}, "too easy: mean 0.5"},
		{"easyr1-upstream", "online_filtering", "", []float64{0, math.NaN()}, "mean NaN"},
		{"slime", "check_reward_nonzero_std", "", []float64{1}, "one row"},
		{"slime", "check_reward_nonzero_std", "", []float64{1, math.NaN()}, "std NaN"},
		{"skyrl", "zero_variance_filter", "zero_variance_filter_tol=0.5", []float64{0, 0.5}, "spread 0.5"},
		{"tinker", "remove_constant_reward_groups", "", []float64{2, 2}, "equal rewards"},
		{"prime-rl", "advantage_range", "", []float64{0, 0}, "every advantage within the range"},
		{"prime-rl", "filter_zero_advantages", "", []float64{0, 0}, "every advantage 0"},
		{"nemo-rl", "use_dynamic_sampling", "", []float64{1, 0}, "std 0"}, // the other row alone has none
		{"rllm", "filter_uniform_groups", "min_trajs_per_group=3", []float64{0, 1}, "too few rows: 2"},
		{"trinity", "std_threshold", "std_threshold=0.5", []float64{0, 0.5}, "std 0.3536"},
		{"roll", "query_filter", "type=mean_filter\nthreshold_up=0.5", []float64{0, 1}, "too easy: mean 0.5"},
	} {
		v, _ := decided(t, c.framework, c.name, c.o, c.rewards, []float64{0, 1, 0.25, 0})
		if got := v.Reasons[0].String(); v.Admitted[0] || got != c.want {
			t.Errorf("%s %s of %v: admitted %v, %q, want %q", c.framework, c.name, c.rewards, v.Admitted[0], got, c.want)
		}
	}
}

// What a rule reads and the log does not hold is said, and nothing is dropped.
func TestMissing(t *testing.T) {
	b := Batch{Rewards: []float64{1, 1}, Offsets: []int{0, 2}}
	for _, c := range []struct {
		framework, name string
		o               estimators.Options
		want            string
	}{
		{"verl", "filter_groups", "metric=acc", "missing: column acc, which algorithm.filter_groups.metric names"},
		{"easyr1-upstream", "online_filtering", "filter_key=accuracy", "missing: column accuracy, which algorithm.filter_key names"},
		{"cosmos-rl", "dynamic_sampling", "filter_reward_metric=format", "missing: column format, which train.train_policy.filter_reward_metric names"},
		{"prime-rl", "advantage_range", "", "missing: advantages"},
		{"roll", "sample_level_mask", "max_len_mask=true", "missing: response lengths"},
	} {
		f := find(t, c.framework, c.name)
		var v Admission
		err := f.Decide(&v, b, valuesOf(t, f, c.o))
		var refusal *estimators.Refusal
		if !errors.As(err, &refusal) || refusal.Kind != estimators.KindMissing || err.Error() != c.want {
			t.Errorf("%s %s: %v, want %s", c.framework, c.name, err, c.want)
		}
		if !v.Admitted[0] {
			t.Errorf("%s %s drops a group that it cannot judge", c.framework, c.name)
		}
	}
}

// verl raises if a row of its metric has no value; the error names the groups.
func TestVerlMetricMissingInRow(t *testing.T) {
	b := Batch{Rewards: []float64{1, 1, 0, 1}, Offsets: []int{0, 2, 4}}
	b.Column = func(string) []float64 { return []float64{1, 1, estimators.MissingReward(), 1} }
	var v Admission
	f := find(t, "verl", "filter_groups")
	err := f.Decide(&v, b, valuesOf(t, f, "algorithm.filter_groups.metric=acc"))
	var refusal *estimators.Refusal
	if !errors.As(err, &refusal) || err.Error() != "RuntimeError: Finished groups are missing DAPO metric 'acc'" || !slices.Equal(refusal.Groups, []int{1}) {
		t.Errorf("%v", err)
	}
}

// A verdict is used again for another batch and another rule.
func TestVerdictIsUsedAgain(t *testing.T) {
	var v Admission
	b := Batch{Rewards: []float64{1, 1, 0, 1, 0, 0}, Offsets: []int{0, 2, 4, 6}, Advantages: make([]float64, 6)}
	zero := find(t, "prime-rl", "filter_zero_advantages")
	if err := zero.Decide(&v, b, estimators.Values{}); err != nil || v.Kept == nil || v.admitted() != 0 {
		t.Fatalf("%v, kept %v, %d admitted", err, v.Kept, v.admitted())
	}
	tinker := find(t, "tinker", "remove_constant_reward_groups")
	if err := tinker.Decide(&v, b, estimators.Values{}); err != nil || v.Kept != nil || !slices.Equal(v.Admitted, []bool{false, true, false}) {
		t.Errorf("%v, kept %v, admitted %v", err, v.Kept, v.Admitted)
	}
	b.Offsets = []int{0, 6}
	if err := tinker.Decide(&v, b, estimators.Values{}); err != nil || !slices.Equal(v.Admitted, []bool{true}) || len(v.Reasons) != 1 {
		t.Errorf("%v, admitted %v, reasons %v", err, v.Admitted, v.Reasons)
	}
}

// No rule allocates for a group, and a batch without groups is none to fail on.
func TestEveryFilter(t *testing.T) {
	small, large := benchBatch().first(64), benchBatch().first(4096)
	for _, f := range All() {
		name := f.Framework + " " + f.Name
		if f.Setting() == "" || f.Formula == "" || f.Doc == "" || f.Source == "" {
			t.Errorf("%s lacks a description", name)
		}
		if !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: a sentence ends with a full stop", name)
		}
		values := valuesOf(t, f, benchOptions[name])
		var v Admission
		if err := f.Decide(&v, Batch{Offsets: []int{0}, Rewards: []float64{}, Lengths: []int32{}, Advantages: []float64{}}, values); err != nil {
			t.Errorf("%s of nothing: %v", name, err)
		}
		allocations := func(b Batch) float64 {
			_ = f.Decide(&v, b, values)
			return testing.AllocsPerRun(5, func() { _ = f.Decide(&v, b, values) })
		}
		if few, many := allocations(small), allocations(large); many > few {
			t.Errorf("%s allocates %v times for 8 groups and %v times for 512", name, few, many)
		}
	}
}

// first returns the first n rows.
func (b Batch) first(n int) Batch {
	b.Offsets, _ = estimators.EqualGroups(n, 8)
	b.Rewards, b.Lengths, b.Advantages = b.Rewards[:n], b.Lengths[:n], b.Advantages[:n]
	return b
}

func TestFind(t *testing.T) {
	if f, err := Find("skyrl", ""); err != nil || f.Name != "zero_variance_filter" || f.Framework != "skyrl" {
		t.Errorf("%v, %v", f, err)
	}
	for _, c := range []struct{ framework, name, want string }{
		{"skyrl", "x", `skyrl has no group filter "x": choose zero_variance_filter, dynamic_sampling_filter or dynamic_sampling_replace`},
		{"x", "", `no framework with a group filter is called "x": choose verl, `},
	} {
		if _, err := Find(c.framework, c.name); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// The shortcut never says more than the sums do.
func TestClearlyAbove(t *testing.T) {
	for _, c := range []struct {
		r     []float64
		limit float64
		want  bool
	}{
		{[]float64{0, 1}, 0, true},
		{[]float64{1, 1}, 0, false},
		{[]float64{0, math.NaN()}, 0, false},
		{[]float64{math.NaN(), 0}, 0, false},
		{[]float64{0, math.Inf(1)}, 0, false},
		{[]float64{math.Inf(1), math.Inf(1)}, 0, false},
		{[]float64{0, 1e-40}, 0, false},   // its square is no number of float32
		{[]float64{0, 1e200}, 0, false},   // its square is infinite
		{[]float64{0, 1e-6}, 1e-6, false}, // std 0.7e-6
		{[]float64{0, 1}, 0.5, false},     // std 0.707, but it cannot tell
	} {
		if got := clearlyAbove(c.r, c.limit); got != c.want {
			t.Errorf("%v above %v: %v, want %v", c.r, c.limit, got, c.want)
		}
	}
}

func TestZeroStdLabel(t *testing.T) {
	for x, want := range map[float64]string{
		0: "zero_std_0.0", 1: "zero_std_1.0", 0.25: "zero_std_0.2", -3.3: "zero_std_-3.3", 0.04: "zero_std_0.0", 1e22: "zero_std_1e+22",
	} {
		if got := zeroStdLabel([]float64{x}); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
	if got := zeroStdLabel([]float64{math.NaN()}); got != "zero_std_nan" {
		t.Error(got)
	}
}

func TestWrongRange(t *testing.T) {
	f := find(t, "prime-rl", "advantage_range")
	var v Admission
	err := f.Decide(&v, Batch{Rewards: []float64{1}, Advantages: []float64{1}, Offsets: []int{0, 1}}, valuesOf(t, f, "reject_min=1"))
	if got := errorText(err); got != "ValueError: reject_min must be less than or equal to reject_max" || !v.Admitted[0] {
		t.Errorf("%q, admitted %v", got, v.Admitted)
	}
}

// Rules that read rewards before shaping by length do not see the shaped ones.
func TestRawRewards(t *testing.T) {
	for _, f := range All() {
		if f.NeedsAdvantages {
			continue
		}
		shaped, raw := []float64{0.9, 0.4, 0.2, 0.6}, []float64{0, 0, 0, 0}
		b := Batch{Rewards: shaped, Raw: raw, Offsets: []int{0, 4}, Lengths: []int32{1, 2, 3, 4}}
		var v Admission
		if err := f.Decide(&v, b, valuesOf(t, f, benchOptions[f.Framework+" "+f.Name])); err != nil {
			t.Fatal(err)
		}
		if v.Admitted[0] == f.SeesRaw {
			t.Errorf("%s %s: admitted %v, sees raw rewards %v", f.Framework, f.Name, v.Admitted[0], f.SeesRaw)
		}
	}
}

// Whatever the shortcut says is above a limit is so in every order of sums.
func TestShortcutAgreesWithSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	scales := []float64{0, 1e-34, 1e-29, 1e-17, 1e-9, 1e-7, 1e-6, 1e-3, 1}
	offsets := []float64{0, 0.1, 0.7, 1, 1e6, 1e12, -1e30}
	above := 0
	for range 40_000 {
		n := 1 + rng.IntN(64)
		scale, offset := scales[rng.IntN(len(scales))], offsets[rng.IntN(len(offsets))]
		r, x := make([]float64, n), make([]float32, n)
		for i := range r {
			r[i] = offset + scale*float64(rng.IntN(4))
			x[i] = float32(r[i])
		}
		v := Admission{buf: make([]float64, n)}
		for _, limit := range []float64{0, 1e-8, 1e-6, 0.25} {
			if clearlyAbove(r, limit) {
				above++
				if numpy, torch := v.numpyStd(r), torchsum.Std64(r); !(numpy > limit && torch > limit) {
					t.Fatalf("%v above %v: numpy %v, torch %v", r, limit, numpy, torch)
				}
			}
			if clearlyAbove(x, limit) {
				if one, row := torchsum.Std(x), torchsum.StdOfRow(x); !(one > float32(limit) && row > float32(limit)) {
					t.Fatalf("%v above %v: %v, %v", x, limit, one, row)
				}
			}
		}
	}
	if above < 10_000 {
		t.Errorf("only %d groups are clearly above", above)
	}
}

func TestEnabled(t *testing.T) {
	for _, c := range []struct {
		key, value, want string
		isSwitch         bool
	}{
		{"algorithm.filter_groups.enable", "True", "verl filter_groups", true},
		{"algorithm.filter_groups.enable", "false", "", true},
		{"trainer.algorithm.dynamic_sampling.type", "replace", "skyrl dynamic_sampling_replace", true},
		{"trainer.algorithm.dynamic_sampling.type", "null", "", true},
		{"dynamic-sampling-filter-path", "miles.rollout.filter_hub.dynamic_sampling_filters.check_reward_nonzero_std", "miles check_reward_nonzero_std", true},
		{"actor_rollout_ref.rollout.rollout_filter_strategy", "top_p", "ragen rollout_filter", true},
		{"algorithm.advantage_fn_args.std_threshold", "0", "", false}, // an option, which a number turns on
		{"algorithm.gamma", "1", "", false},
	} {
		f, isSwitch := Enabled(c.key, c.value)
		got := ""
		if f != nil {
			got = f.Framework + " " + f.Name
		}
		if got != c.want || isSwitch != c.isSwitch {
			t.Errorf("%s=%s: %q, switch %v; want %q, %v", c.key, c.value, got, isSwitch, c.want, c.isSwitch)
		}
	}
	for _, f := range All() {
		if f.Value != "" && slices.ContainsFunc(f.Options, func(o estimators.Option) bool { return o.Key == f.Key }) {
			t.Errorf("%s %s: %s both turns it on and is an option", f.Framework, f.Name, f.Key)
		}
	}
}
