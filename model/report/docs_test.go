package report

import (
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vantage/model"
)

// The page on reports shows charts as they are printed; -update rewrites it.
func TestReportingPage(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	store := model.NewStore()
	for step := range 40 {
		chunk := &model.Chunk{Format: "synthetic", LengthUnit: model.LengthTokens, HasTruth: true}
		for prompt := range 64 {
			ease := random.Float64() + float64(step)/100
			for range 8 {
				reward := 0.0
				if random.Float64() < ease {
					reward = 1
				}
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(step + 1), Prompt: uint64(prompt + 1), Reward: reward, Advantage: math.NaN(), Length: int32(300 + 4*step + random.IntN(200)),
				})
			}
		}
		store.Append(chunk)
	}
	set := model.DefaultSettings()
	set.KeepPos, set.KeepNeg, set.Recompute = 0.7, 0.5, true
	r, err := New(t.Context(), store.Snapshot(), set)
	if err != nil {
		t.Fatal(err)
	}
	charts, err := Text(io.Discard, r)
	if err != nil {
		t.Fatal(err)
	}
	lines := charts.Text()[1:]
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	matchPart(t, filepath.Join("..", "..", ".github", "docs", "reporting.md"), "charts", "```text\n"+strings.Join(lines, "\n")+"\n```")
}

// matchPart compares the text between the marks of a part of a page.
func matchPart(t *testing.T, path, part, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "<!-- "+part+": written by a test -->\n")
	got, after, ended := strings.Cut(rest, "\n<!-- end of "+part+" -->")
	if !found || !ended {
		t.Fatalf("%s has no part %q", path, part)
	}
	if *update {
		updated := before + "<!-- " + part + ": written by a test -->\n" + want + "\n<!-- end of " + part + " -->" + after
		if err := os.WriteFile(path, []byte(updated), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s, %s: go test ./model/report -run Page -update writes it anew\n%s", path, part, diff)
	}
}
