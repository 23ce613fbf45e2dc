package tui

import (
	"testing"

	"vantage/model/analysis"
	"vantage/tui/env"
)

// The beginning that prompts share ends at a word; each prompt keeps something.
func TestSharedPrompt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		want    string // what is left out
		prompts []string
	}{
		{"Solve the following problem. ", []string{"Solve the following problem. Compute 12", "Solve the following problem. Count 3", "", "Solve the following problem. Add"}},
		{"Solve the following problem. ", []string{"Solve the following problem. Compute", "Solve the following problem. Compare"}}, // not "Comp"
		{"Solve the following ", []string{"Solve the following problem", "Solve the following problem. And more"}},                  // the first is not empty then
		{"请一步一步地思考下面的问题，", []string{"请一步一步地思考下面的问题，三加四", "请一步一步地思考下面的问题，五加六"}},                                                      // 14 characters of 3 bytes
		{"Translate this: ", []string{"Translate this: été", "Translate this: èta"}},                                                // é and è begin with the same byte
		{"", []string{"Compute 1", "Compute 2"}},                                           // 8 bytes are few
		{"", []string{"Solve the following problem.", "Solve the following problem.", ""}}, // all the same
		{"", []string{"What is the area of a square?"}},                                    // one
		{"", []string{"Incomprehensibilities", "Incomprehensible"}},                        // within a word
		{"", []string{"What is the area of a square?", "How many primes are there?"}},      // nothing
		{"", []string{"what is 1 + 0?", "what is 1 + 12?"}},                                // 15 columns are seen in any table
		{"", nil}, // none
	} {
		var groups []analysis.Group
		for _, p := range test.prompts {
			groups = append(groups, analysis.Group{Preview: p})
		}
		if got := env.SharedPrompt(groups); got != len(test.want) {
			t.Errorf("%q: %d bytes, want %q", test.prompts, got, test.want)
		}
	}
}

// The table shows what differs, and finds its width at every step.
func TestPromptsLoseWhatAllShare(t *testing.T) {
	t.Parallel()
	shared := madeRun(3)
	for _, chunk := range shared.chunks {
		for i := range chunk.Records {
			chunk.Records[i].Preview = "Answer in one line. " + chunk.Records[i].Preview
		}
	}
	drive(t, shared, 120, 36, filterSettings(), func(d *driver) {
		d.wantText("…What is the remainder")
		d.press("o") // by prompt
		d.wantText("…Compute 12 · 13 (task 0)")
	})
}
