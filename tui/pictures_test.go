package tui

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vantage/model"
	"vantage/themes"
)

// docPicture is a picture of the documentation, with its alternative text.
type docPicture struct {
	name, alt string
	keys      []string
	set       func(*model.Settings)
}

// docPictures returns all pictures of the documentation.
func docPictures() []docPicture {
	return []docPicture{
		{
			name: "overview", alt: "The groups of a step, worst first, each with its advantages on an axis; the distribution before and after the filter; figures over the steps; warnings",
			set: func(s *model.Settings) { s.KeepNeg = 0 },
		},
		{
			name: "group", alt: "The samples of a group, best first, and the best answer against a wrong one, word by word",
			keys: []string{"o", "o", "o", "o", "O", "g", "enter", "d"}, // the lowest mean of rewards
		},
		{
			name: "sweep", alt: "Every pair of keep ratios as a map of how many samples are kept, and what the pair under the cursor does",
			keys: []string{"S", "v", "j", "j", "l", "l"},
		},
		{
			name: "steps", alt: "Two figures over all steps, where warnings appear first, and a table of the steps",
			keys: []string{"3", "3", "+", "k", "k"},
		},
	}
}

// The pictures of the documentation are frames of the program; -update draws them. Each is
// shown by a page, and there is no other.
func TestPictures(t *testing.T) {
	dir := filepath.Join("..", ".github", "pictures")
	left := map[string]bool{}
	files, err := os.ReadDir(dir)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for _, f := range files {
		left[f.Name()] = true
	}
	pages := allPages(t)
	for _, p := range docPictures() {
		set := filterSettings()
		if p.set != nil {
			p.set(&set)
		}
		drive(t, storyRunWithTexts(30), 110, 31, set, func(d *driver) {
			d.app.display.theme, d.app.display.noColor = themes.Default(true), false
			d.app.title = "runs/qwen-math/rollouts"
			d.press(p.keys...)
			matchFile(t, filepath.Join(dir, p.name+".svg"), d.app.screenSVG())
		})
		delete(left, p.name+".svg")
		if want := fmt.Sprintf("![%s](", p.alt); !strings.Contains(pages, want) || !strings.Contains(pages, "pictures/"+p.name+".svg)") {
			t.Errorf("no page shows %s as %s…)", p.name, want)
		}
	}
	for name := range left {
		t.Errorf("%s is no picture of the program", name)
	}
}

// matchFile compares a file with what it should be, or writes it.
func matchFile(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
		t.Errorf("%s is not what the program draws (%v): go test ./tui -run Pictures -update draws it again", path, err)
	}
}

// allPages returns the text of every page.
func allPages(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", ".github", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, path := range append(paths, filepath.Join("..", "README.md")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
	}
	return all
}

// storyRunWithTexts is storyRun with the texts of areaText.
func storyRunWithTexts(steps int) *textSource {
	s := &textSource{madeSource: storyRun(steps), text: areaText, records: map[int64]model.Record{}}
	for _, chunk := range s.chunks {
		for i := range chunk.Records {
			r := &chunk.Records[i]
			r.Line, r.Offset = int64(i+1), 1000*r.Step+int64(i)
			s.records[r.Offset] = *r
		}
	}
	return s
}

// areaText returns a response on the area of a triangle, a wrong one for rewards below 0.5.
func areaText(r model.Record) (model.Text, error) {
	height, end := "By Heron $s = \\frac{13 + 14 + 15}{2} = 21$, so $A = \\sqrt{21 \\cdot 8 \\cdot 7 \\cdot 6} = \\sqrt{7056}$.", "\\boxed{84}"
	if r.Reward < 0.5 {
		height, end = "Take $14$ as the base; the height is about $13$, so $A = \\frac{14 \\cdot 13}{2}$.", "\\boxed{91}"
	}
	return model.Text{
		Prompt:   r.Preview,
		Response: "<think>\nSides 13, 14, 15. " + strings.Repeat("Let me check that once more. ", int(r.Offset%9)) + "\n</think>\n**Solution.** The sides are $13$, $14$ and $15$.\n\n" + height + "\n\nThe area is $" + end + "$.",
		Truth:    "84",
	}, nil
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
			Format: "verl", Framework: "easyr1", Provenance: "made for a picture", Files: []string{"made.jsonl"}, LengthUnit: model.LengthTokens, HasTruth: true,
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
