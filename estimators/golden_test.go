package estimators

import (
	"strings"
	"testing"
)

// A golden file, testdata/golden/NAME.json, holds cases of one estimator: rewards,
// options and the advantages expected of them. Its "source" says where these come from:
//
//   - the function of the framework, cut out of the repository at the revision given, run
//     under the "runtime" given;
//   - "by hand: " and the paper and equation, if the entry has NoPublicCode. Such a file
//     needs nothing but "source" and "cases" with "name", "rewards", "groups" (an id for
//     each sample) and "advantages". Use numbers that the precision of the entry holds
//     exactly, or state a tolerance.
//
// goldenCase in golden_read_test.go lists all that a case can hold.

// goldenRow says how the cases of a file are run and compared.
type goldenRow struct {
	file, framework, name string
	cases                 int // in the file

	// tolerance is relative to the largest advantage of the case, or to 1 if that
	// is more; 0 compares every bit.
	tolerance float64

	// applyOptions changes the entry to what the options of the case select and returns
	// the scale; nil leaves both at the framework's default.
	applyOptions func(e *Estimator, p goldenParams) Scale

	// skip names the cases that cannot be reproduced, by a part of their names.
	skip []string
}

func goldenRows() []goldenRow {
	// Differences of nearly equal large sums, and variances near zero whose sign
	// depends on the BLAS.
	illConditioned := []string{"large_offset_", "all_equal_nondyadic_single_group"}
	// One standard deviation is one unit in the last place off: MKL's square root. With it the case is equal.
	mklRoot := []string{"normalize_then_sum_19"}
	nearZeroStd := []string{"large_offset_", "near_equal", "all_equal"}
	return []goldenRow{
		{"twinkle_grpo", "twinkle", "grpo", 135, 0, scaleOption, nil},
		{"twinkle_rloo", "twinkle", "rloo", 137, 0, scaleOption, nil},
		{"easyr1_brian_grpo", "easyr1", "grpo", 560, 0, nil, nil},
		{"easyr1_brian_grpo_large", "easyr1", "grpo", 8, 0, nil, nil},
		{"easyr1_brian_rloo", "easyr1", "rloo", 40, 0, nil, nil},
		{"easyr1_brian_reinforce_plus_plus", "easyr1", "reinforce_plus_plus", 68, 1e-4, uncleaned, illConditioned},
		{"easyr1_brian_remax", "easyr1", "remax", 39, 0, uncleaned, nil},
		{"easyr1_brian_gae", "easyr1", "gae", 24, 0, nil, nil},
		{"easyr1_upstream_grpo", "easyr1-upstream", "grpo", 40, 0, nil, nil},
		{"easyr1_upstream_grpo_passk", "easyr1-upstream", "grpo_passk", 39, 0, nil, nil},
		{"verl_grpo", "verl", "grpo", 81, 0, scaleOption, nil},
		{"verl_grpo_vectorized", "verl", "grpo_vectorized", 80, 0, scaleOption, nil},
		{"verl_2026_01_grpo_vectorized", "verl-2026-01", "grpo_vectorized", 40, 0, scaleOption, nil},
		{"verl_grpo_passk", "verl", "grpo_passk", 78, 0, scaleOption, nil},
		{"verl_rloo", "verl", "rloo", 40, 0, nil, nil},
		{"verl_rloo_vectorized", "verl", "rloo_vectorized", 40, 0, nil, nil},
		{"verl_opo", "verl", "opo", 40, 0, nil, nil},
		{"verl_gpg", "verl", "gpg", 40, 0, nil, nil},
		{"verl_reinforce_plus_plus", "verl", "reinforce_plus_plus", 68, 1e-4, discountOption, illConditioned},
		{"verl_reinforce_plus_plus_baseline", "verl", "reinforce_plus_plus_baseline", 40, 1e-4, nil, illConditioned},
		{"verl_gdpo_single_reward", "verl", "gdpo", 39, 1e-4, nil, illConditioned},
		{"verl_gdpo_multi_reward", "verl", "gdpo", 20, 1e-6, nil, nil},
		{"verl_remax", "verl", "remax", 39, 0, nil, nil},
		{"verl_gae", "verl", "gae", 24, 0, nil, nil},
		{"verl_optimal_token_baseline", "verl", "optimal_token_baseline", 6, 0, nil, nil},
		{"verl_tir_optimal_token_baseline", "verl", "tir_optimal_token_baseline", 6, 0, nil, nil},
		{"trl_grpo", "trl", "grpo", 120, 0, scaleOption, nil},
		{"trl_grpo_multi_reward", "trl", "grpo", 44, 0, trlAggregation, nil},
		{"trl_rloo", "trl", "rloo", 77, 0, trlOptions, nil},
		{"trl_async_grpo", "trl", "async_grpo", 41, 0, nil, nil},
		{"trl_1_16_grpo", "trl", "grpo", 144, 0, scaleOption, nil},
		{"trl_1_16_grpo_multi_reward", "trl", "grpo", 78, 0, trlAggregation, nil},
		{"trl_1_16_rloo", "trl", "rloo", 78, 0, trlOptions, nil},
		{"trl_1_16_async_grpo", "trl", "async_grpo", 60, 0, nil, nil},
		{"trl_1_5_grpo", "trl-1.5", "grpo", 144, 0, scaleOption, nil},
		{"trl_1_5_grpo_multi_reward", "trl-1.5", "grpo", 78, 0, trlAggregation, nil},
		{"trl_1_5_rloo", "trl-1.5", "rloo", 78, 0, trlOptions, nil},
		{"swift_gdpo_multi_reward", "ms-swift", "gdpo", 82, 0, nil, nil},
		{"skyrl_rloo_singletons", "skyrl", "rloo", 30, 0, nil, nil},
		{"openrlhf_rloo", "openrlhf", "rloo", 73, 0, openRLHFOptions, nil},
		{"openrlhf_group_norm", "openrlhf", "group_norm", 73, 0, openRLHFOptions, nil},
		{"openrlhf_dr_grpo", "openrlhf", "dr_grpo", 73, 0, openRLHFOptions, nil},
		{"openrlhf_reinforce_baseline", "openrlhf", "reinforce_baseline", 70, 1e-4, openRLHFOptions, illConditioned},
		{"openrlhf_reinforce", "openrlhf", "reinforce", 105, 1e-4, openRLHFOptions, illConditioned},
		{"swift_grpo", "ms-swift", "grpo", 143, 0, swiftOptions, nil},
		{"swift_rloo", "ms-swift", "rloo", 108, 0, scaleOption, nil},
		{"swift_reinforce_plus_plus", "ms-swift", "reinforce_plus_plus", 108, 0, scaleOption, nil},
		{"swift_dynamic", "ms-swift", "grpo_dynamic", 156, 0, swiftOptions, nil},
		{"nemo_rl_grpo", "nemo-rl", "grpo", 156, 1e-5, nemoOptions, nearZeroStd},
		{"nemo_rl_reinforce_plus_plus", "nemo-rl", "reinforce_plus_plus", 78, 1e-4, nemoOptions, append([]string{"near_equal"}, illConditioned...)},
		{"nemo_rl_gdpo", "nemo-rl", "gdpo", 30, 1e-5, nemoOptions, nearZeroStd},
		{"slime_grpo", "slime", "grpo", 80, 0, slimeOptions, nil},
		{"slime_reinforce_plus_plus_baseline", "slime", "reinforce_plus_plus_baseline", 39, 1e-4, nil, illConditioned},
		{"slime_reinforce_plus_plus", "slime", "reinforce_plus_plus", 68, 1e-4, discountOption, illConditioned},
		{"roll_reward_norm", "roll", "reward_norm", 210, 0, rollOptions, nil},
		{"roll_agentic_reward_norm", "roll", "agentic_reward_norm", 156, 0, rollOptions, nil},
		{"roll_reinforce_whiten", "roll", "reinforce_whiten_advantages", 60, 1e-4, rollOptions, illConditioned},
		{"skyrl_grpo", "skyrl", "grpo", 78, 0, scaleOption, nil},
		{"skyrl_rloo", "skyrl", "rloo", 39, 0, nil, nil},
		{"skyrl_maxrl", "skyrl", "maxrl", 39, 0, nil, nil},
		{"skyrl_reinforce_plus_plus", "skyrl", "reinforce_plus_plus", 34, 1e-4, nil, illConditioned},
		{"skyrl_grpo_batch_normalize", "skyrl", "grpo_batch_normalize", 31, 1e-4, nil, illConditioned},
		{"prime_rl_grpo", "prime-rl", "grpo", 39, 0, nil, nil},
		{"prime_rl_max_rl", "prime-rl", "max_rl", 39, 0, nil, nil},
		{"prime_rl_grpo_length_penalty", "prime-rl", "grpo_length_penalty", 30, 0, primeOptions, nil},
		{"prime_rl_rae", "prime-rl", "rae", 30, 0, nil, nil},
		{"verifiers_group", "verifiers", "group", 39, 0, nil, nil},
		{"open_instruct", "open-instruct", "standard", 71, 0, openInstructOptions, nil},
		{"tinker", "tinker", "centered", 39, 0, nil, nil},
		{"prime_rl_length_penalty_default", "prime-rl", "grpo_length_penalty", 60, 0, primeOptions, nil},
		{"prime_rl_hierarchical_grpo", "prime-rl", "hierarchical_grpo", 50, 0, hierarchicalOptions, nil},
		{"trinity", "trinity", "grpo", 96, 0, trinityOptions, nil},
		{"trinity_multi_step", "trinity", "step_wise_grpo", 60, 0, trinityOptions, nil},
		{"roll_gigpo", "roll", "gigpo", 60, 1e-6, rollGiGPOOptions, nil},
		{"pkpo", "papers", "pkpo_s", 120, 1e-12, pkpoOptions, nil},
		{"pkpo", "papers", "pkpo_sloo", 120, 1e-12, pkpoOptions, nil},
		{"pkpo", "papers", "pkpo_sloo_minus_one", 120, 1e-12, pkpoOptions, nil},
		{"pods_max_variance", "papers", "pods", 80, 0, podsOptions, nil},
		{"rlvr_decomposed", "papers", "w_reinforce", 45, 0, signOptions, nil},
		{"areal_reward_norm", "areal", "reward_norm", 210, 0, arealOptions, nil},
		{"openrlhf_flash_reinforce", "openrlhf", "flash_reinforce", 60, 0, flashOptions, nil},
		{"trl_sdpo", "trl", "sdpo", 72, 0, scaleOption, nil},
		{"rllm", "rllm", "grpo", 90, 0, rllmOptions, nil},
		{"torchtitan", "torchtitan", "centered", 67, 1e-12, scaleOption, nil},
		{"areno", "areno", "grpo", 34, 0, nil, nil},
		{"tunix", "tunix", "grpo", 75, 0, tunixOptions, nil},
		{"art", "art", "local", 90, 0, artOptions, nil},
		{"cosmos_rl_grpo", "cosmos-rl", "grpo", 60, 0, cosmosOptions, nil},
		{"axolotl_async_grpo", "axolotl", "grpo", 60, 0, trlAggregation, mklRoot},
		{"rlinf", "rlinf", "grpo", 72, 0, rlinfOptions, nil},
		{"miles_per_rollout", "miles", "grpo", 90, 0, milesOptions, nil},
		{"swift_4_6_gdpo_multi_reward", "ms-swift", "gdpo", 80, 0, swiftGDPOOptions, nil},
		{"areal_adv_norm_batch", "areal", "adv_norm_batch", 35, 1e-4, nil, illConditioned},
	}
}

// withoutGolden lists the estimators without golden cases and why they need none.
var withoutGolden = map[string]string{
	"roll grpo":                           "the formula of reward_norm under scale group, whose cases it passes",
	"easyr1-upstream rloo":                "the formula of easyr1's, whose cases it passes",
	"easyr1-upstream reinforce_plus_plus": "the formula of easyr1's, whose cases it passes",
	"easyr1-upstream remax":               "the formula of easyr1's, whose cases it passes",
}

// goldenCounts counts the cases of a file by result.
type goldenCounts struct{ exact, withinTolerance, refused, skipped, zeroStd int }

// The advantages of every estimator are those of its golden cases.
func TestGolden(t *testing.T) {
	covered, rowsRun := map[string]bool{}, 0
	for _, row := range goldenRows() {
		t.Run(row.file, func(t *testing.T) {
			rowsRun++
			golden := readGolden(t, row.file)
			if byHand := strings.HasPrefix(golden.Source, "by hand: "); byHand != find(t, row.framework, row.name).NoPublicCode {
				t.Errorf("source %q: want \"by hand: …\" if and only if the entry has NoPublicCode", golden.Source)
			}
			var n goldenCounts
			for _, c := range golden.Cases {
				e := row.run(t, c, &n)
				covered[e.Framework+" "+e.Name] = true
			}
			t.Logf("%-35s %3d cases: %3d bit-exact, %3d within %g, %2d same error, %2d skipped, %3d of frac_reward_zero_std",
				row.file, len(golden.Cases), n.exact, n.withinTolerance, row.tolerance, n.refused, n.skipped, n.zeroStd)
			if ran := n.exact + n.withinTolerance + n.refused + n.skipped; ran != row.cases {
				t.Errorf("%d cases, want %d", ran, row.cases)
			}
		})
	}
	if rowsRun < len(goldenRows()) {
		return // -run selects some
	}
	for _, e := range All() {
		if name := e.Framework + " " + e.Name; e.Computable() && !covered[name] && withoutGolden[name] == "" {
			t.Errorf("%s has no golden cases", name)
		}
	}
}

// The tolerance of an entry is that of its golden file.
func TestToleranceIsThatOfGoldenRow(t *testing.T) {
	for _, row := range goldenRows() {
		e := find(t, row.framework, row.name)
		if row.tolerance > e.Tolerance && row.file != "verl_gdpo_multi_reward" {
			t.Errorf("%s is held to %g, %s %s promises %g", row.file, row.tolerance, e.Framework, e.Name, e.Tolerance)
		}
		if row.tolerance == 0 && e.Tolerance > 0 {
			t.Errorf("%s %s reaches every bit of %s and promises only %g", e.Framework, e.Name, row.file, e.Tolerance)
		}
	}
}

// CheckConfig takes and refuses what EasyR1-Brian's configuration does.
func TestGoldenConfig(t *testing.T) {
	golden := readGolden(t, "easyr1_brian_config_validation")
	for _, c := range golden.Cases {
		name := c.Params.AdvEstimator
		if name == "" {
			name = "grpo"
		}
		warning, err := CheckConfig(name, ratioOrOne(c.Params.KeepPos), ratioOrOne(c.Params.KeepNeg), c.Params.Recompute)
		if got, want := errorText(err), stringOrEmpty(c.Error); got != want {
			t.Errorf("%s: error %q, want %q", c.Name, got, want)
		}
		if want := stringOrEmpty(c.Stdout); warning != want {
			t.Errorf("%s: warning %q, want %q", c.Name, warning, want)
		}
	}
	if n := len(golden.Cases); n != 16 {
		t.Errorf("%d cases, want 16", n)
	}
}
