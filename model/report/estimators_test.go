package report

import (
	"testing"

	"vantage/estimators"
	"vantage/internal/testkit/repotest"
)

// The page on estimators is what `vantage estimators NAME` prints for each of them.
func TestEstimatorsPage(t *testing.T) {
	pages := sectionsOf(t, "##", estimators.All(), func(e *estimators.Estimator) string { return e.Framework }, EstimatorPages)
	want := `# Estimators and their arithmetic

This is what ` + "`vantage estimators NAME`" + ` prints for every estimator. Try one:

    vantage estimators verl grpo
    vantage report rollouts.jsonl --framework verl --estimator grpo --scale none

r is the reward of a sample, μ and s mean and standard deviation of its group, n its size.

` + pages
	repotest.Page(t, ".github/docs/estimators.md", want)
}
