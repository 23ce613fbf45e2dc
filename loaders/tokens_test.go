package loaders

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vantage/loaders/logprobs"
)

// The log-probs of a sample are found at the place that the screen has for it: d is 0.1 · step in its first token and 0 in its second.
func TestTokensAreFoundAtTheirSamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for step := 1; step <= 2; step++ {
		var lines strings.Builder
		for i := range 4 {
			fmt.Fprintf(&lines, `{"step": %d, "prompt": "q%d", "response": "a", "reward": %d, `, step, i/2, i%2)
			fmt.Fprintf(&lines, `"rollout_log_probs": [-1, -2], "old_log_probs": [%g, -2]}`+"\n", -1+0.1*float64(step))
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", step)), []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, snap := readForRules(t, dir)
	if source.RowFigures() != nil {
		t.Error("figures are there before they were read")
	}
	if _, err := source.LogProbs(false); err != nil {
		t.Fatal(err)
	}
	study, err := source.OffPolicy(t.Context())
	if err != nil || study.Total.Compared != 8 {
		t.Fatalf("%+v, %v", study.Total, err)
	}
	for i := range snap.Steps {
		step := &snap.Steps[i]
		for row, f := range source.RowFigures().Of(step) {
			want := math.Exp(0.05 * float64(step.Number))
			if math.Abs(f.Ratio()-want) > 1e-5 {
				t.Errorf("step %d row %d: ratio %v, want %v", step.Number, row, f.Ratio(), want)
			}
			sample, err := source.TokensOf(t.Context(), step.Place(row))
			d := sample.Differences()
			if err != nil || len(d) != 2 || math.Abs(float64(d[0])-0.1*float64(step.Number)) > 1e-5 || d[1] != 0 {
				t.Errorf("step %d row %d: %v, %v", step.Number, row, d, err)
			}
		}
	}
	if n := len(source.RowFigures().Of(&snap.Steps[1])); n != 4 {
		t.Errorf("%d rows of step 2", n)
	}
}

// A log without log-probs says that it has none.
func TestTokensOfALogWithout(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(`{"step": 1, "prompt": "q", "response": "a", "reward": 1}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	source, snap := readForRules(t, path)
	if _, err := source.OffPolicy(t.Context()); !errors.Is(err, logprobs.ErrNone) {
		t.Errorf("%v", err)
	}
	if _, err := source.TokensOf(t.Context(), snap.Steps[0].Place(0)); !errors.Is(err, logprobs.ErrNone) {
		t.Errorf("%v", err)
	}
}
