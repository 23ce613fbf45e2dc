package discover

import (
	"slices"
	"strings"
	"testing"
)

// Tests next to logs of training are left out and named; a log that is named so by itself is read, and so is all of it where a person says so.
func TestTestsAreNoTraining(t *testing.T) {
	for files, left := range map[string]string{
		"train.jsonl test.jsonl":                      "test.jsonl",
		"train_1.jsonl train_2.jsonl test_1.jsonl":    "test_1.jsonl",
		"rollouts.jsonl held_out_rollouts.jsonl":      "held_out_rollouts.jsonl",
		"train_a.jsonl dev_a.jsonl":                   "dev_a.jsonl",
		"train/a.jsonl test/a.jsonl":                  "test/a.jsonl",
		"run/train/1/a.jsonl run/test/1/a.jsonl":      "run/test/1/a.jsonl",
		"test.jsonl":                                  "",
		"test_1.jsonl test_2.jsonl":                   "",
		"base/a.jsonl test/a.jsonl":                   "",
		"contest.jsonl latest.jsonl":                  "",
		"verl_1.jsonl verl_dev_1.jsonl":               "",
		"test/train.jsonl test/a.jsonl":               "",
		"train.jsonl eval.jsonl test.jsonl":           "eval.jsonl test.jsonl",
		"test_run/step_1.jsonl test_run/step_2.jsonl": "",
		"a/train.jsonl b/test.jsonl":                  "",
	} {
		all := strings.Fields(files)
		chosen, notes := Choose(all, SplitTrain)
		var missing []string
		for _, f := range all {
			if !slices.Contains(chosen, f) {
				missing = append(missing, f)
			}
		}
		if got := strings.Join(missing, " "); got != left || len(missing) != len(notes) {
			t.Errorf("%s: left out %q, want %q; %q", files, got, left, notes)
		}
		if chosen, _ := Choose(all, SplitAll); len(chosen) != len(all) {
			t.Errorf("%s: all are %q", files, chosen)
		}
	}
}
