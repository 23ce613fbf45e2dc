package tui

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vantage/model"
)

// The pages list the keys of the key table; -update writes them.
func TestPagesShowTheKeys(t *testing.T) {
	matchPart(t, "README.md", "keys", keysAsMarkdown(firstKeys()))
	matchPart(t, filepath.Join(".github", "docs", "screen.md"), "keys", keysAsMarkdown(allKeys()))
}

// firstKeys returns the keys in the hints and in the header: those to begin with.
func firstKeys() []keySection {
	first := keySection{name: "key"}
	for _, s := range append([]keySection{overviewKeys()}, commonKeys()...) {
		for _, b := range s.bindings {
			if b.hint != "" || strings.Contains("fespPmMr]", b.keys[0]) {
				first.bindings = append(first.bindings, b)
			}
		}
	}
	return []keySection{first}
}

// storyRun returns a run like a real one: prompts from easy to impossible, rewards of 0 or 1
// and some in tenths.
func storyRun(steps int) *madeSource {
	random := rand.New(rand.NewPCG(3, 4))
	prompts := []string{
		"Let ABC be a triangle with sides 13, 14 and 15. What is its area?", "Compute 12 · 13",
		"What is the remainder of 7^100 on division by 13?", "一个盒子里有三个红球和两个蓝球，取出两个同色的概率是多少？",
		"Find the sum of all integers n for which n² + 1 divides n³ + 3", "A bag contains red and blue balls. Two are drawn.",
		"Prove that the square root of 2 is irrational", "How many trailing zeros has 2026! in base 12?",
		"Write a function that reverses a linked list", "In how many ways can 5 people sit at a round table?",
		"Evaluate the integral of x·eˣ from 0 to 1", "What is the last digit of 3^2026?",
		"A regular hexagon has side 4. What is its area?", "Summarise the second law of thermodynamics",
	}
	source := &madeSource{}
	for step := range steps {
		chunk := &model.Chunk{
			Format: "verl", Provenance: "made for a picture", Files: []string{"made.jsonl"}, LengthUnit: model.LengthTokens, HasTruth: true,
			Progress: model.Progress{Files: 1, CaughtUp: true},
		}
		for g, prompt := range prompts {
			ease := float64((g*5)%len(prompts))/10 - 0.3 + float64(step)/100
			for range 16 {
				reward := math.Round(min(1, max(0, ease+random.Float64()-0.35)))
				if g%7 == 6 {
					reward = math.Round(10*min(1, max(0, ease/2+random.Float64()/2))) / 10
				}
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(step + 1), Prompt: uint64(g + 1), Preview: prompt, Reward: reward,
					Advantage: math.NaN(), Length: int32(200 + random.IntN(800)),
				})
			}
		}
		source.chunks = append(source.chunks, chunk)
	}
	return source
}

func keysAsMarkdown(sections []keySection) string {
	var b strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&b, "\n| %s | |\n|---|---|\n", s.name)
		for _, k := range s.bindings {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(k.label, " ", "` `"), strings.ReplaceAll(k.doc, "|", `\|`))
		}
	}
	return strings.TrimSpace(b.String())
}

// matchPart compares a part of a page, between its marks, with what it should be.
func matchPart(t *testing.T, page, part, want string) {
	t.Helper()
	path := filepath.Join("..", page)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+part+": written by a test -->\n", "<!-- end of "+part+" -->"
	before, rest, found := strings.Cut(string(text), begin)
	got, after, also := strings.Cut(rest, end)
	if !found || !also {
		t.Fatalf("%s has no part %q", page, part)
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+want+"\n"+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want+"\n", "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s, %s: go test ./tui -run Pages -update writes it anew\n%s", page, part, diff)
	}
}
