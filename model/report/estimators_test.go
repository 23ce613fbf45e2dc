package report

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vantage/estimators"
)

var update = flag.Bool("update", false, "rewrite the pages of the documentation; read the difference before committing it")

// The page on estimators is what `vantage estimators NAME` prints for each of them.
func TestEstimatorsPage(t *testing.T) {
	const path = "../../.github/docs/estimators.md"
	pages := sectionsOf(t, "##", estimators.All(), func(e *estimators.Estimator) string { return e.Framework }, EstimatorPages)
	want := `# Estimators and their arithmetic

This is what ` + "`vantage estimators NAME`" + ` prints for every estimator. Try one:

    vantage estimators verl grpo
    vantage report rollouts.jsonl --framework verl --estimator grpo --scale none

r is the reward of a sample, μ and s mean and standard deviation of its group, n its size.

` + pages
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s is out of date: go test ./model/report -run EstimatorsPage -update\n%s", path, diff)
	}
}
