package loaders

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/logprobs"
	"vantage/model/offpolicy"
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
	study, err := source.OffPolicy(t.Context(), nil)
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
	if _, err := source.OffPolicy(t.Context(), nil); !errors.Is(err, logprobs.ErrNone) {
		t.Errorf("%v", err)
	}
	if _, err := source.TokensOf(t.Context(), snap.Steps[0].Place(0)); !errors.Is(err, logprobs.ErrNone) {
		t.Errorf("%v", err)
	}
}

// What is known of a log that grows is what a new reader knows of all of it, whether rules are tried or not, and however it was read before:
// also if its newest step gets more rows, or a step comes late.
func TestTokensOfALogThatGrows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, step, rows int, d float64) {
		t.Helper()
		var lines strings.Builder
		for i := range rows {
			fmt.Fprintf(&lines, `{"step": %d, "prompt": "q%d", "response": "a", "reward": %d, "policy_version": %d, `, step, i/2, i%2, step-1-i%2)
			fmt.Fprintf(&lines, `"advantage": %d, "rollout_log_probs": [-1, -2], "old_log_probs": [%g, -2]}`+"\n", 1-2*(i%2), -1+d*float64(i))
		}
		filetest.Write(t, filepath.Join(dir, name), lines.String())
	}
	write("1.jsonl", 1, 12, 0.1)
	write("2.jsonl", 2, 5, 0.05)
	source, _ := readForRules(t, dir)
	compare := func(when string) {
		t.Helper()
		fresh, _ := readForRules(t, dir)
		source.tokens.took = 0 // no pause
		for _, rules := range []bool{false, true} {
			got, err := source.LogProbs(false)
			want, wrong := fresh.LogProbs(false)
			if rules {
				got, err = source.OffPolicy(t.Context(), nil)
				want, wrong = fresh.OffPolicy(t.Context(), nil)
			}
			if err != nil || wrong != nil {
				t.Fatal(err, wrong)
			}
			if a, b := studyText(got, rules), studyText(want, rules); a != b {
				t.Errorf("%s, rules %v:\n%s\nwant\n%s", when, rules, a, b)
			}
		}
	}
	compare("at first")
	write("2.jsonl", 2, 12, 0.05)
	compare("with more of step 2")
	write("3.jsonl", 3, 8, 0.3)
	write("4.jsonl", 4, 8, 0.3)
	compare("with two steps more")
	write("1.jsonl", 1, 3, 0.4)
	compare("written anew")
}

// studyText is what a study says: of its steps, its cause, its rules and, if all were tried, its answer.
func studyText(s *offpolicy.Study, all bool) string {
	var b strings.Builder
	for _, step := range append(s.Steps(), offpolicy.Span{Tally: s.Total}) {
		fmt.Fprintf(&b, "%d: %d rows %d tokens %.9g %.9g %.9g %.9g lag %.9g\n", step.First, step.Rows, step.Tokens, step.MeanAbs(), step.K3(),
			step.EffectiveShare(), step.Top, step.Lag())
	}
	c := s.Cause()
	fmt.Fprintf(&b, "%s %s %v %.9g\n", c.Verdict, c.Why, s.Writer(), s.Signs[0].EffectiveShare())
	if all {
		fmt.Fprintln(&b, s.Answer().Text)
	}
	for _, t := range s.Trials {
		if t.Rule.OnByDefault && t.Bound == "" {
			fmt.Fprintf(&b, "%s %s: %s %d %d %d %d of %d %.9g %.9g\n", t.Name(), t.Bound, t.Reason(), t.RowsKept, t.TokensKept, t.Clipped, t.Emptied,
				t.Groups, t.Mass().Share(), t.Effective())
		}
	}
	return b.String()
}
