package model_test

import (
	"testing"

	"vantage/model"
)

func TestNearest(t *testing.T) {
	names := []string{"advantage_original", "advantage", "--framework", "--format", "grpo", "rloo", "trl/dapo", "reward.clip_range="}
	for word, want := range map[string]string{
		"--framwork": "--framework", // a letter is missing
		"gpro":       "grpo",        // two are swapped
		"RLO":        "rloo",        // its beginning
		"dapo":       "trl/dapo",    // a part of it
		"clip_rnge":  "reward.clip_range=",
		"advantag":   "advantage", // the shortest that begins so
		"sandwich":   "",
		"":           "",
	} {
		if got := model.Nearest(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestHasLettersInOrder(t *testing.T) {
	for word, want := range map[string]bool{"": true, "adv": true, "ats": true, "sta": false, "é": false} {
		if got := model.HasLettersInOrder("advantages", word); got != want {
			t.Errorf("%q: %t", word, got)
		}
	}
}
