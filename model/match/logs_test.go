package match_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/loaderstest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/match"
)

// goldenCase is one call of a framework's own code.
type goldenCase struct {
	Name       string         `json:"name"`
	Rewards    []any          `json:"rewards"`
	Components [][]any        `json:"rewards_per_func"`
	Groups     []int          `json:"groups"`
	Advantages []any          `json:"advantages"`
	Params     map[string]any `json:"params"`
}

// jsonl returns the case as a log with one row per sample.
func (c goldenCase) jsonl() []byte {
	var b bytes.Buffer
	lengths, _ := c.Params["lengths"].([]any)
	for i, g := range c.Groups {
		row := map[string]any{"step": 1, "group_id": fmt.Sprint(g), "advantage": c.Advantages[i]}
		if c.Rewards != nil {
			row["reward"] = c.Rewards[i]
		}
		if lengths != nil {
			row["response_length"] = lengths[i]
		}
		if c.Components != nil {
			parts := map[string]any{}
			for k, x := range c.Components[i] {
				parts[fmt.Sprintf("r%d", k)] = x
			}
			row["rewards"] = parts
			if c.Rewards == nil {
				row["reward"] = 0
			}
		}
		line, err := json.Marshal(row)
		if err != nil {
			panic(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes()
}

// ordinary reports whether the case could be a step of a log: finite numbers, at least two
// groups, each contiguous and of two or more samples.
func (c goldenCase) ordinary() bool {
	if len(c.Advantages) != len(c.Groups) || len(c.Groups) == 0 {
		return false
	}
	for _, values := range [][]any{c.Rewards, c.Advantages} {
		for _, x := range values {
			if _, ok := x.(float64); !ok {
				return false
			}
		}
	}
	for _, row := range c.Components {
		for _, x := range row {
			if _, ok := x.(float64); !ok {
				return false
			}
		}
	}
	sizes := map[int]int{}
	for i, g := range c.Groups {
		if sizes[g] > 0 && c.Groups[i-1] != g {
			return false
		}
		sizes[g]++
	}
	for _, n := range sizes {
		if n < 2 {
			return false
		}
	}
	return len(sizes) > 1
}

// A log with the advantages of a framework's own code matches that framework's estimator,
// in every bit or within its tolerance, for all ordinary cases of these files.
func TestGoldenCasesMatch(t *testing.T) {
	equals := func(key string, want any) func(map[string]any) bool {
		return func(p map[string]any) bool { return p[key] == want }
	}
	both := func(f, g func(map[string]any) bool) func(map[string]any) bool {
		return func(p map[string]any) bool { return f(p) && g(p) }
	}
	always := func(map[string]any) bool { return true }
	for _, c := range []struct {
		file      string
		matches   func(map[string]any) bool
		candidate match.Candidate
		exact     bool
		minCases  int // fewer fail the test
	}{
		{"twinkle_grpo", equals("scale", "group"), match.Candidate{"twinkle", "grpo", "group", ""}, true, 10},
		{"verl_grpo", equals("norm_adv_by_std_in_grpo", true), match.Candidate{"verl", "grpo", "group", ""}, true, 10},
		{"verl_opo", always, match.Candidate{"verl", "opo", "none", ""}, true, 10},
		{"verl_gpg", always, match.Candidate{"verl", "gpg", "none", ""}, true, 10},
		{"trl_grpo", equals("scale_rewards", "batch"), match.Candidate{"trl", "grpo", "batch", ""}, true, 10},
		{"trl_async_grpo", always, match.Candidate{"trl", "async_grpo", "group", ""}, true, 10},
		{"openrlhf_group_norm", equals("reward_clip_range", nil), match.Candidate{"openrlhf", "group_norm", "group", ""}, true, 10},
		{"swift_rloo", equals("scale_rewards", "none"), match.Candidate{"ms-swift", "rloo", "none", ""}, true, 10},
		{"roll_agentic_reward_norm", both(equals("norm_mean_type", "group"), equals("norm_std_type", "group")), match.Candidate{"roll", "agentic_reward_norm", "group", ""}, true, 10},
		{"skyrl_maxrl", always, match.Candidate{"skyrl", "maxrl", "none", ""}, true, 10},
		{"prime_rl_grpo", always, match.Candidate{"prime-rl", "grpo", "none", ""}, true, 10},
		{"verifiers_group", always, match.Candidate{"verifiers", "group", "none", ""}, true, 10},
		{"open_instruct", equals("advantage_normalization_type", "standard"), match.Candidate{"open-instruct", "standard", "group", ""}, true, 10},
		{"tinker", always, match.Candidate{"tinker", "centered", "none", ""}, true, 10},
		{"verl_reinforce_plus_plus", equals("gamma", 1.0), match.Candidate{"verl", "reinforce_plus_plus", "none", ""}, false, 5},
		{"slime_reinforce_plus_plus_baseline", always, match.Candidate{"slime", "reinforce_plus_plus_baseline", "none", ""}, false, 5},
		{"trl_grpo_multi_reward", equals("multi_objective_aggregation", "normalize_then_sum"), match.Candidate{"trl", "grpo_normalize_then_sum", "group", ""}, true, 3},
		{"trl_1_5_grpo", equals("scale_rewards", "group"), match.Candidate{"trl-1.5", "grpo", "group", ""}, true, 10},
		{"trl_1_5_grpo", equals("scale_rewards", "batch"), match.Candidate{"trl-1.5", "grpo", "batch", ""}, true, 10},
		{"trl_1_16_grpo", equals("scale_rewards", "group"), match.Candidate{"trl", "grpo", "group", ""}, true, 10},
		{"trl_1_16_grpo_multi_reward", both(equals("multi_objective_aggregation", "sum_then_normalize"), equals("scale_rewards", "group")), match.Candidate{"trl", "grpo", "group", ""}, true, 3},
		{"trl_1_16_grpo_multi_reward", equals("multi_objective_aggregation", "normalize_then_sum"), match.Candidate{"trl", "grpo_normalize_then_sum", "group", ""}, true, 3},
		{"trl_1_5_grpo_multi_reward", equals("multi_objective_aggregation", "normalize_then_sum"), match.Candidate{"trl-1.5", "grpo_normalize_then_sum", "group", ""}, true, 3},
		{"swift_gdpo_multi_reward", equals("scale_rewards", "gdpo"), match.Candidate{"ms-swift", "gdpo", "group", ""}, true, 3},
	} {
		t.Run(c.file, func(t *testing.T) {
			tried := 0
			for _, one := range goldenCases(t, c.file) {
				illConditioned := strings.Contains(one.Name, "large_offset") || strings.Contains(one.Name, "equal") || strings.Contains(one.Name, "ragged")
				if !one.ordinary() || !c.matches(one.Params) || illConditioned {
					continue
				}
				tried++
				checkMatch(t, one, c.candidate, c.exact)
			}
			if tried < c.minCases {
				t.Errorf("%d cases only", tried)
			}
			t.Logf("%d cases", tried)
		})
	}
}

func goldenCases(t *testing.T, name string) []goldenCase {
	t.Helper()
	var file struct{ Cases []goldenCase }
	filetest.JSON(t, filepath.Join("..", "..", "estimators", "testdata", "golden", name+".json"), &file)
	return file.Cases
}

// checkMatch fails unless the candidate reproduces the log of the case.
func checkMatch(t *testing.T, c goldenCase, want match.Candidate, exact bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	filetest.Write(t, path, c.jsonl())
	set := model.DefaultSettings()
	set.GroupBy = model.GroupByID
	if w, ok := c.Params["reward_weights"].([]any); ok {
		var parts []string
		for k, x := range w {
			parts = append(parts, fmt.Sprintf("r%d=%v", k, x))
		}
		set, _ = set.Set("reward", strings.Join(parts, ","))
	}
	r, err := match.Run(context.Background(), loaderstest.Read(t, path), set, match.DefaultLimit)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	at := slices.IndexFunc(r.Matches, func(v match.Verdict) bool { return v.Candidate == want })
	switch {
	case at < 0:
		at = slices.IndexFunc(r.Others, func(v match.Verdict) bool { return v.Candidate == want })
		if at < 0 {
			t.Errorf("%s: %v was not tried", c.Name, want)
			return
		}
		t.Errorf("%s: %v does not reproduce it: %+v", c.Name, want, r.Others[at])
	case exact && r.Matches[at].Exact != r.Compared:
		t.Errorf("%s: only %d of %d bits", c.Name, r.Matches[at].Exact, r.Compared)
	}
}

// Two logs of prime-rl: one is cut within its last group; in the other, two groups have
// the same number, and the logged advantages prove that eight consecutive rows are a group.
func TestPrimeRLLogs(t *testing.T) {
	dir := repotest.SampleLog(t, "prime-rl/hosted_training_samples")
	cut, err := match.Run(context.Background(), loaderstest.Read(t, filepath.Join(dir, "iiy65ubvx5xwke4dfb9vos64", "results.jsonl")), model.DefaultSettings(), match.DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(cut.Matches, func(v match.Verdict) bool { return v.Candidate == match.Candidate{"prime-rl", "grpo", "none", ""} })
	if at < 0 || cut.LeftOut != 1 || cut.Matches[at].Exact != 24 {
		t.Errorf("%d left out, matches %+v", cut.LeftOut, cut.Matches)
	}
	merged, err := match.Run(context.Background(), loaderstest.Read(t, filepath.Join(dir, "h4y9hb6fjom4xfbclitb2938", "results.jsonl")), model.DefaultSettings(), match.DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(merged.Matches, func(v match.Verdict) bool { return v.Candidate == match.Candidate{"prime-rl", "grpo", "none", ""} }) || !strings.Contains(merged.Grouping.Evidence, "8 consecutive rows") {
		t.Errorf("matches %+v, groups %s", merged.Matches, merged.Grouping.Evidence)
	}
}
