package commands

import (
	"context"
	"io"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/check"
	"vantage/model/match"
)

// Logs of healthy runs pass the default rules; a comment says why a log fails one.
func TestDefaultRules(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	for path, want := range map[string]string{
		"verl/SYNTHETIC_v1/rollout_data": "",
		"easyr1/SYNTHETIC_ckpt":          "",
		"ms-swift/SYNTHETIC_hf":          "",
		"ms-swift/SYNTHETIC_ray":         "",
		"roll":                           "",
		"open-instruct":                  "",
		"tinker-cookbook/SYNTHETIC":      "",
		"nemo-rl/SYNTHETIC":              "alarm>0",  // its log-probs are drawn, and differ by a third of a nat
		"rllm":                           "signal=0", // a step of two groups, neither with a difference
		"skyrl":                          "",
		"areal":                          "",
		"prime-rl/SYNTHETIC_v1":          "",
		"prime-rl/hosted_training_samples/h4y9hb6fjom4xfbclitb2938": "",
		"prime-rl/hosted_training_samples/iiy65ubvx5xwke4dfb9vos64": "",
		"verifiers/wordle--gpt-4.1-mini":                            "",
		"verifiers/sv-env-network-logs--gpt-4.1-mini":               "",
		"unstable-baselines":                                        "",
		"wandb":                                                     "",
		"tunix":                                                     "",
		"verl/SYNTHETIC_v0_dapo/rollout_data":                       "invalid>0 invalid-rewards>0", // a reward that is NaN
		"verl/verl_dev_1.jsonl":                                     "signal=0",                    // one sample per prompt
		"verifiers/wiki-search--gpt-5":                              "signal=0",                    // one sample per prompt
		"verifiers/gsm8k--gpt-4.1-mini":                             "signal=0",                    // all rewards are 0
		"trl":                                                       "signal=0",                    // steps of one group, all correct or all wrong
	} {
		t.Run(path, func(t *testing.T) {
			if got := failing(t, repotest.SampleLog(t, path)); got != want {
				t.Errorf("fails %q, want %q", got, want)
			}
		})
	}
}

// failing returns the default rules that a log fails.
func failing(t *testing.T, path string) string {
	t.Helper()
	rules, err := check.ParseAll(check.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	format := checkFormat{findings: func(_ io.Writer, result check.Result, _ match.Choice) error {
		for i := range result.Findings {
			if !result.Findings[i].Passed() {
				failed = append(failed, result.Findings[i].Rule.String())
			}
		}
		return nil
	}}
	p := &program{split: "train"}
	if _, err := (&call{p: p, paths: []string{path}, set: model.DefaultSettings(), format: "text"}).evaluate(context.Background(), &checkOptions{rules: rules, write: format}); err != nil && exitCode(err) != exitRule {
		t.Fatal(err)
	}
	return strings.Join(failed, " ")
}
