package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
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
			set: func(s *model.Settings) { s.KeepPos, s.KeepNeg = 1, 0 },
		},
		{
			name: "group", alt: "The samples of a group, best first, and the best answer against a wrong one, word by word",
			keys: append(withText("/", "prompt~triangle"), "enter", "enter", "d"),
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
	t.Parallel()
	dir := filepath.Join("..", ".github", "pictures")
	left := map[string]bool{}
	files, err := os.ReadDir(dir)
	if err != nil && !repotest.Updating() {
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
			d.dressForPicture()
			d.press(p.keys...)
			matchFile(t, filepath.Join(dir, p.name+".svg"), d.app.screenSVG())
		})
	}
	alts := map[string]string{}
	for _, p := range docPictures() {
		alts[p.name] = p.alt
	}
	for _, f := range docFilms() {
		alts[f.name] = f.alt
	}
	for name, alt := range alts {
		delete(left, name+".svg")
		if want := fmt.Sprintf("![%s](", alt); !strings.Contains(pages, want) || !strings.Contains(pages, "pictures/"+name+".svg)") {
			t.Errorf("no page shows %s as %s…)", name, want)
		}
	}
	for name := range left {
		t.Errorf("%s is no picture of the program", name)
	}
}

// dressForPicture makes the screen look as in the pictures of the documentation.
func (d *driver) dressForPicture() {
	d.app.display.theme, d.app.display.noColor = themes.Default(true), false
	d.app.title = "runs/qwen-math/rollouts"
}

// matchFile compares a file with what it should be, or writes it.
func matchFile(t *testing.T, path, text string) {
	t.Helper()
	if repotest.Updating() {
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
