package estimators

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// goldenRow says how the cases of a file are run and compared.
type goldenRow struct {
	file, framework, name string
	cases                 int

	// tolerance is relative to the largest advantage of the case, or to 1 if that
	// is more; 0 asks for every bit.
	tolerance float64

	// adapt turns the entry into what the options of the case ask for and returns
	// the scale; nil leaves both as the framework has them by default.
	adapt func(e *Estimator, p goldenParams) Scale

	// skip names the cases that no one can reproduce, by a part of their names.
	skip []string
}

func goldenRows() []goldenRow {
	// Differences of nearly equal large sums, and variances near zero whose sign is
	// the BLAS's.
	ill := []string{"large_offset_", "all_equal_nondyadic_single_group"}
	zero := []string{"large_offset_", "near_equal", "all_equal"}
	return []goldenRow{
		{"twinkle_grpo", "twinkle", "grpo", 135, 0, byOption, nil},
		{"twinkle_rloo", "twinkle", "rloo", 137, 0, byOption, nil},
		{"easyr1_brian_grpo", "easyr1", "grpo", 560, 0, nil, nil},
		{"easyr1_brian_grpo_large", "easyr1", "grpo", 8, 0, nil, nil},
		{"easyr1_brian_rloo", "easyr1", "rloo", 40, 0, nil, nil},
		{"easyr1_brian_reinforce_plus_plus", "easyr1", "reinforce_plus_plus", 68, 1e-4, functionOnly, ill},
		{"easyr1_brian_remax", "easyr1", "remax", 39, 0, functionOnly, nil},
		{"easyr1_brian_gae", "easyr1", "gae", 24, 0, nil, nil},
		{"easyr1_upstream_grpo", "easyr1-upstream", "grpo", 40, 0, nil, nil},
		{"easyr1_upstream_grpo_passk", "easyr1-upstream", "grpo_passk", 39, 0, nil, nil},
		{"verl_grpo", "verl", "grpo", 81, 0, byOption, nil},
		{"verl_grpo_vectorized", "verl", "grpo_vectorized", 80, 0, byOption, nil},
		{"verl_2026_01_grpo_vectorized", "verl-2026-01", "grpo_vectorized", 40, 0, byOption, nil},
		{"verl_grpo_passk", "verl", "grpo_passk", 78, 0, byOption, nil},
		{"verl_rloo", "verl", "rloo", 40, 0, nil, nil},
		{"verl_rloo_vectorized", "verl", "rloo_vectorized", 40, 0, nil, nil},
		{"verl_opo", "verl", "opo", 40, 0, nil, nil},
		{"verl_gpg", "verl", "gpg", 40, 0, nil, nil},
		{"verl_reinforce_plus_plus", "verl", "reinforce_plus_plus", 68, 1e-4, nil, ill},
		{"verl_reinforce_plus_plus_baseline", "verl", "reinforce_plus_plus_baseline", 40, 1e-4, nil, ill},
		{"verl_gdpo_single_reward", "verl", "gdpo", 39, 1e-4, nil, ill},
		{"verl_gdpo_multi_reward", "verl", "gdpo", 20, 1e-6, nil, nil},
		{"verl_remax", "verl", "remax", 39, 0, nil, nil},
		{"verl_gae", "verl", "gae", 24, 0, nil, nil},
		{"verl_optimal_token_baseline", "verl", "optimal_token_baseline", 6, 0, nil, nil},
		{"verl_tir_optimal_token_baseline", "verl", "tir_optimal_token_baseline", 6, 0, nil, nil},
		{"trl_grpo", "trl", "grpo", 120, 0, byOption, nil},
		{"trl_grpo_multi_reward", "trl", "grpo", 44, 0, trlMulti, nil},
		{"trl_rloo", "trl", "rloo", 77, 0, trlOptions, nil},
		{"trl_async_grpo", "trl", "async_grpo", 41, 0, nil, nil},
		{"openrlhf_rloo", "openrlhf", "rloo", 73, 0, openRLHFOptions, nil},
		{"openrlhf_group_norm", "openrlhf", "group_norm", 73, 0, openRLHFOptions, nil},
		{"openrlhf_dr_grpo", "openrlhf", "dr_grpo", 73, 0, openRLHFOptions, nil},
		{"openrlhf_reinforce_baseline", "openrlhf", "reinforce_baseline", 70, 1e-4, openRLHFOptions, ill},
		{"openrlhf_reinforce", "openrlhf", "reinforce", 105, 1e-4, openRLHFOptions, ill},
		{"swift_grpo", "ms-swift", "grpo", 143, 0, swiftOptions, nil},
		{"swift_rloo", "ms-swift", "rloo", 108, 0, byOption, nil},
		{"swift_reinforce_plus_plus", "ms-swift", "reinforce_plus_plus", 108, 0, byOption, nil},
		{"swift_dynamic", "ms-swift", "grpo_dynamic", 156, 0, swiftOptions, nil},
		{"nemo_rl_grpo", "nemo-rl", "grpo", 156, 1e-5, nemoOptions, zero},
		{"nemo_rl_reinforce_plus_plus", "nemo-rl", "reinforce_plus_plus", 78, 1e-4, nemoOptions, append([]string{"near_equal"}, ill...)},
		{"nemo_rl_gdpo", "nemo-rl", "gdpo", 30, 1e-5, nemoOptions, zero},
		{"slime_grpo", "slime", "grpo", 80, 0, slimeOptions, nil},
		{"slime_reinforce_plus_plus_baseline", "slime", "reinforce_plus_plus_baseline", 39, 1e-4, nil, ill},
		{"slime_reinforce_plus_plus", "slime", "reinforce_plus_plus", 68, 1e-4, nil, ill},
		{"roll_reward_norm", "roll", "reward_norm", 210, 0, rollOptions, nil},
		{"roll_agentic_reward_norm", "roll", "agentic_reward_norm", 156, 0, rollOptions, nil},
		{"roll_reinforce_whiten", "roll", "reinforce_whiten_advantages", 60, 1e-4, rollOptions, ill},
		{"skyrl_grpo", "skyrl", "grpo", 78, 0, byOption, nil},
		{"skyrl_rloo", "skyrl", "rloo", 39, 0, nil, nil},
		{"skyrl_maxrl", "skyrl", "maxrl", 39, 0, nil, nil},
		{"skyrl_reinforce_plus_plus", "skyrl", "reinforce_plus_plus", 34, 1e-4, nil, ill},
		{"skyrl_grpo_batch_normalize", "skyrl", "grpo_batch_normalize", 31, 1e-4, nil, ill},
		{"prime_rl_grpo", "prime-rl", "grpo", 39, 0, nil, nil},
		{"prime_rl_max_rl", "prime-rl", "max_rl", 39, 0, nil, nil},
		{"prime_rl_grpo_length_penalty", "prime-rl", "grpo_length_penalty", 30, 0, primeOptions, nil},
		{"prime_rl_rae", "prime-rl", "rae", 30, 0, nil, nil},
		{"verifiers_group", "verifiers", "group", 39, 0, nil, nil},
		{"open_instruct", "open-instruct", "standard", 71, 0, openInstructOptions, nil},
		{"tinker", "tinker", "centered", 39, 0, nil, nil},
		{"areal_reward_norm", "areal", "reward_norm", 210, 0, arealOptions, nil},
		{"areal_adv_norm_batch", "areal", "adv_norm_batch", 35, 1e-4, nil, ill},
	}
}

// goldenTally counts the cases of a file by how they came out.
type goldenTally struct{ exact, within, refused, skipped int }

func TestGolden(t *testing.T) {
	for _, row := range goldenRows() {
		t.Run(row.file, func(t *testing.T) {
			golden := readGolden(t, row.file)
			var n goldenTally
			for _, c := range golden.Cases {
				row.run(t, c, &n)
			}
			t.Logf("%-35s %3d cases: %3d bit-exact, %3d within %g, %2d same error, %2d skipped",
				row.file, len(golden.Cases), n.exact, n.within, row.tolerance, n.refused, n.skipped)
			if ran := n.exact + n.within + n.refused + n.skipped; ran != row.cases {
				t.Errorf("%d cases, want %d", ran, row.cases)
			}
		})
	}
}

// run runs one case and compares it.
func (row goldenRow) run(t *testing.T, c goldenCase, n *goldenTally) {
	t.Helper()
	for _, part := range row.skip {
		if strings.Contains(c.Name, part) {
			n.skipped++
			return
		}
	}
	e := find(t, row.framework, row.name)
	if !e.Computable() {
		n.skipped++ // TestEntriesAreComplete asks for the reason
		return
	}
	s := e.Scales[0]
	if row.adapt != nil {
		s = row.adapt(e, c.Params)
	}
	if c.Tokens != nil {
		row.tokens(t, c, e, n)
		return
	}
	var r Result
	order, err := c.compute(&r, e, s)
	if got, want := text(err), wanted(c.Error); got != want {
		t.Errorf("%s: error %q, want %q", c.Name, got, want)
		return
	}
	if c.Error != nil {
		n.refused++
		return
	}
	row.compare(t, c, &r, order, e, n)
}

// compute returns the rows of the case in the order in which r holds them.
func (c goldenCase) compute(r *Result, e *Estimator, s Scale) (order []int, err error) {
	order, b, err := c.batch(e)
	if err != nil {
		return nil, err
	}
	if len(order) == 0 {
		// Without samples there is no block, but its size alone can be refused: one
		// block of zeros stands for it.
		n := *c.Params.NumGenerations
		return order, e.Advantage(make([]float64, n), Batch{Rewards: make([]float64, n), Offsets: []int{0, n}}, s)
	}
	return order, Process(r, e, b, s, ratio(c.Params.KeepPos), ratio(c.Params.KeepNeg), c.Params.Recompute)
}

func (row goldenRow) compare(t *testing.T, c goldenCase, r *Result, order []int, e *Estimator, n *goldenTally) {
	t.Helper()
	if len(c.Advantages) != len(order) {
		t.Fatalf("%s: %d advantages for %d samples", c.Name, len(c.Advantages), len(order))
	}
	result := verdict{float: e.Float}
	result.take(pick(floats(c.Advantages), order), r.Processed)
	if c.Original != nil {
		result.take(pick(floats(c.Original), order), r.Original)
	}
	for at, i := range order {
		if c.Kept != nil && r.Kept[at] != (c.Kept[i] != 0) {
			t.Errorf("%s: sample %d kept %v, want %v", c.Name, i, r.Kept[at], c.Kept[i])
		}
	}
	row.count(t, c, result, n)
}

// count files a comparison under what the row asks for.
func (row goldenRow) count(t *testing.T, c goldenCase, result verdict, n *goldenTally) {
	t.Helper()
	switch {
	case result.worst == 0:
		n.exact++
	case result.worst <= row.tolerance:
		n.within++
	default:
		t.Errorf("%s: off by %.3g: %s", c.Name, result.worst, result.where)
	}
}

// verdict is the worst difference seen, relative to the largest value or to 1.
type verdict struct {
	float Float
	worst float64
	where string
}

// take compares bits; -0 is 0 and NaN is NaN.
func (v *verdict) take(want, got []float64) {
	largest := 1.0
	for _, w := range want {
		if size := math.Abs(w); size > largest && !math.IsInf(w, 0) {
			largest = size
		}
	}
	for i, w := range want {
		if v.float == Float32 {
			w = float64(float32(w))
		}
		g := got[i]
		if g == w || math.IsNaN(g) && math.IsNaN(w) {
			continue
		}
		off := math.Abs(g-w) / largest
		if math.IsNaN(off) {
			off = math.Inf(1)
		}
		if off > v.worst {
			v.worst, v.where = off, fmt.Sprintf("value %d is %v, want %v", i, g, w)
		}
	}
}

// tokens compares a discounted case token by token: no sample has one value.
func (row goldenRow) tokens(t *testing.T, c goldenCase, e *Estimator, n *goldenTally) {
	t.Helper()
	w, ok := map[string]whitening{
		"easyr1": maskedWhiten(), "verl": maskedWhiten(), "slime": slimeWhitening(), "openrlhf": flooredWhiten(),
	}[row.framework]
	if !ok {
		t.Fatalf("%s: no whitening", c.Name)
	}
	w.meanOnly = c.Params.NoStdNorm
	order, b, err := c.batch(e)
	if err != nil {
		t.Fatal(err)
	}
	gamma := *c.Params.Gamma
	by := w.fit(tokenValues{b.Rewards, b.Lengths, gamma})
	result := verdict{float: e.Float}
	for at, i := range order {
		got := make([]float64, b.Lengths[at])
		x := b.Rewards[at]
		for k := len(got) - 1; k >= 0; k-- {
			got[k] = by.at(x)
			x *= gamma
		}
		result.take(floats(c.Tokens[i]), got)
	}
	row.count(t, c, result, n)
}

func ratio(r *goldenReal) float64 {
	if r == nil {
		return 1
	}
	return float64(*r)
}

// text is what a traceback ends with.
func text(err error) string {
	var refusal *Refusal
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refusal):
		return fmt.Sprintf("%s: %s", refusal.Kind, refusal.Text)
	}
	return "not a refusal: " + err.Error()
}

func wanted(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestGoldenConfig: the options that EasyR1-Brian's configuration takes or refuses.
func TestGoldenConfig(t *testing.T) {
	golden := readGolden(t, "easyr1_brian_config_validation")
	for _, c := range golden.Cases {
		name := c.Params.AdvEstimator
		if name == "" {
			name = "grpo"
		}
		warning, err := CheckConfig(name, ratio(c.Params.KeepPos), ratio(c.Params.KeepNeg), c.Params.Recompute)
		if got, want := text(err), wanted(c.Error); got != want {
			t.Errorf("%s: error %q, want %q", c.Name, got, want)
		}
		if want := wanted(c.Stdout); warning != want {
			t.Errorf("%s: warning %q, want %q", c.Name, warning, want)
		}
	}
	if n := len(golden.Cases); n != 16 {
		t.Errorf("%d cases, want 16", n)
	}
}

// TestToleranceIsThatOfTheFrameworksNumbers: what an entry promises is what its
// file is held to.
func TestToleranceIsThatOfTheFrameworksNumbers(t *testing.T) {
	for _, row := range goldenRows() {
		e := find(t, row.framework, row.name)
		if row.tolerance > e.Tolerance && row.file != "verl_gdpo_multi_reward" {
			t.Errorf("%s is held to %g, %s %s promises %g", row.file, row.tolerance, e.Framework, e.Name, e.Tolerance)
		}
		if row.tolerance == 0 && e.Tolerance > 0 {
			t.Errorf("%s %s reaches every bit of %s and promises %g only", e.Framework, e.Name, row.file, e.Tolerance)
		}
	}
}
