package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/repotest"
	"vantage/internal/testkit/screenpicture"
	"vantage/loaders/demo"
	"vantage/loaders/demo/illruns"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/themes"
)

// docPicture is a picture of the documentation, with its alternative text.
type docPicture struct {
	name, alt string
	keys      []string
	set       func(*model.Settings)
	ill       diagnosis.Kind // of the log, which is an example of it; "": the demo
}

// docPictures returns all pictures of the documentation.
func docPictures() []docPicture {
	return []docPicture{
		{
			name: "overview", alt: "The groups of a step, worst first, each with its advantages on an axis; the distribution before and after the filter; metrics over the steps; warnings",
		},
		{
			name: "group", alt: "The samples of a group, best first, and the best answer against a wrong one, word by word",
			keys: append(withText("/", "prompt~triangle"), "enter", "enter", "d"),
		},
		{
			name: "sweep", alt: "Map of all pairs of keep ratios by how many samples each keeps, with the effect of the pair under the cursor",
			keys: []string{"S", "v", "j", "j", "l", "l"},
			set:  func(s *model.Settings) { s.KeepPos, s.KeepNeg = 0.7, 0.5 },
		},
		{
			name: "steps", alt: "Two metrics over all steps, where warnings appear first, and a table of the steps",
			keys: []string{"3", "3", "+", "k", "k"},
		},
		{
			name: "offpolicy", alt: "How far the samples are from the policy that trains, why, over the steps and by version lag; what each trainer's rule keeps, and the sweep of one bound",
			keys: []string{"R", "j"},
			ill:  diagnosis.StaleRollouts,
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
		set := model.DefaultSettings().WithFramework("verl")
		if p.set != nil {
			p.set(&set)
		}
		draw := func(d *driver) {
			d.press(p.keys...)
			matchFile(t, filepath.Join(dir, p.name+".svg"), d.app.picture())
		}
		if i := slices.IndexFunc(illruns.Examples(), func(x illruns.Example) bool { return x.Kind == string(p.ill) }); i >= 0 {
			driveExample(t, illruns.Examples()[i], 110, 31, draw)
			continue
		}
		driveDemo(t, set, 110, 31, draw)
	}
	alts := map[string]string{}
	for _, p := range docPictures() {
		alts[p.name] = p.alt
	}
	for _, f := range docFilms() {
		alts[f.name] = f.alt
	}
	for _, p := range galleryPictures() {
		alts[p.name] = p.alt
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

// driveDemo drives App on the 24 steps that `vantage demo` begins with, and looks at what ails them, on a screen of w×h.
func driveDemo(t *testing.T, set model.Settings, w, h int, f func(*driver)) {
	t.Helper()
	source := demoSource{demo.New(demo.Options{Seed: 1, Steps: 24})}
	look := func(ctx context.Context, snap model.Snapshot, set model.Settings, previous *diagnosis.Look) (*diagnosis.Look, error) {
		return diagnosis.See(ctx, snap, set, diagnosis.Reading{Texts: analysis.ReadTextsOf(source)}, previous)
	}
	driveWith(t, source, w, h, Options{Settings: set, Look: look}, func(d *driver) {
		d.dressForPicture()
		f(d)
	})
}

// demoSource is the demo without the time of the clock.
type demoSource struct{ *demo.Source }

func (s demoSource) Next(ctx context.Context) (*model.Chunk, error) {
	chunk, err := s.Source.Next(ctx)
	if err == nil {
		chunk.Progress.LastWrite, chunk.Progress.StepTime = time.Time{}, 0
	}
	return chunk, err
}

// dressForPicture makes the screen look as in the pictures of the documentation.
func (d *driver) dressForPicture() {
	d.app.env.Display.Theme, d.app.env.Display.NoColor = themes.Default(true), false
	d.app.env.Title = "runs/qwen-math/rollouts"
}

// picture draws the screen.
func (a App) picture() string {
	a.overlays.notice = ""
	return screenpicture.SVG(a.frame(), "vantage "+a.env.Title+a.env.AgainstSecond(), pictureColors(a.env.Display.Theme))
}

func pictureColors(t *themes.Theme) screenpicture.Colors {
	return screenpicture.Colors{Background: t.Background, Foreground: t.Foreground}
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
