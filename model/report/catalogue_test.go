package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vantage/estimators"
)

var update = flag.Bool("update", false, "write the catalogues anew; look at them before keeping them")

// go doc and the page on estimators say what `vantage estimators` says.
func TestCatalogues(t *testing.T) {
	var pages bytes.Buffer
	if err := EstimatorPages(&pages, estimators.All()); err != nil {
		t.Fatal(err)
	}
	matchFile(t, filepath.Join("..", "..", "estimators", "catalogue.go"), goDoc(pages.String()))
	matchFile(t, filepath.Join("..", "..", ".github", "docs", "estimators.md"), estimatorPage(pages.String()))
}

func goDoc(pages string) string {
	var b strings.Builder
	b.WriteString("// Package estimators has a catalogue. This part is written by a test of model/report,\n")
	b.WriteString("// go test ./model/report -run Catalogues -update.\n//\n// # The estimators\n//\n// What follows is what every entry of [All] says of itself.\n//\n")
	for line := range strings.Lines(strings.TrimSpace(pages)) {
		b.WriteString(strings.TrimRight("//\t"+strings.TrimRight(line, "\n"), "\t ") + "\n")
	}
	return b.String() + "package estimators\n"
}

func estimatorPage(pages string) string {
	return `# Estimators and their arithmetic

This is what ` + "`vantage estimators NAME`" + ` prints for every estimator. Try one:

    vantage estimators verl grpo
    vantage report rollouts.jsonl --framework verl --estimator grpo --scale none

r is the reward of a sample, μ and s mean and standard deviation of its group, n its size.

` + "```text\n" + pages + "```\n"
}

func matchFile(t *testing.T, path, want string) {
	t.Helper()
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
		t.Errorf("%s is old: go test ./model/report -run Catalogues -update\n%s", path, diff)
	}
}
