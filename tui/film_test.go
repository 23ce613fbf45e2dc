package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vantage/model"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/framesvg"
)

// film is an animated picture of the documentation.
type film struct {
	name, alt string
	shots     []shot
}

// shot is some keys, and for how long the screen is shown after them.
type shot struct {
	keys    []string
	shown   string // the key that the caption names
	caption func(App) string
	seconds float64
	shows   string // what the screen must show, so that the caption is true
}

// docFilms returns the animated pictures of the documentation.
func docFilms() []film {
	say := func(text string) func(App) string { return func(App) string { return text } }
	alive := func(a App) int { return a.result.analysis.Signal }
	lower := say("lower keep_neg_ratio: fewer of the wrong answers are kept")
	return []film{{
		name: "filter", alt: "A filter that keeps only right answers kills groups; the map of every pair of keep ratios has a star at a pair that kills none",
		shots: []shot{
			{nil, "", func(a App) string {
				return fmt.Sprintf("%d of %d groups of this step carry signal. What would a filter do?", alive(a), len(a.result.analysis.Table))
			}, 3.5, "kept 224/224"},
			{[]string{"b"}, "b", say("keep these settings as the baseline"), 1.8, "baseline"},
			{repeated("m", 5), "m", lower, 0.5, "alive"},
			{repeated("m", 5), "m", lower, 0.5, "alive"},
			{repeated("m", 5), "m", lower, 0.5, "alive"},
			{repeated("m", 4), "m", lower, 0.9, "keep_neg 0.05"},
			{[]string{"m"}, "m", func(a App) string {
				return fmt.Sprintf("at 0 only right answers are left, with nothing to compare them to: %d groups are killed", a.result.analysis.Fates[model.FateKilled])
			}, 4.5, "× killed"},
			{[]string{"S"}, "S", say("what every pair of the two ratios would do"), 2.5, "keep_pos"},
			{repeated("V", 4), "V", say("the same for Σ|A|, how hard the step pushes"), 2, "Σ|A|, times no filter"},
			{[]string{"o", "o"}, "o", say("goal cost: ★ keeps most of the push with the fewest samples, and kills no group"), 4, "kills 0"},
			{[]string{"enter", "esc"}, "Enter", func(a App) string {
				return fmt.Sprintf("sets it: %d groups carry signal, and y copies the flags for the trainer", alive(a))
			}, 4.5, "none at this step"},
		},
	}}
}

func repeated(key string, n int) []string { return strings.Split(strings.Repeat(key, n), "") }

// The animated pictures are frames of the program too, and of a size that a page loads at once.
func TestPicturesThatMove(t *testing.T) {
	t.Parallel()
	for _, f := range docFilms() {
		set := model.DefaultSettings()
		set.Recompute = true
		drive(t, storyRunWithTexts(30), 110, 31, set, func(d *driver) {
			d.dressForPicture()
			var frames []animationFrame
			for _, s := range f.shots {
				d.press(s.keys...)
				d.wantText(s.shows)
				frames = append(frames, animationFrame{content: d.frame() + "\n" + d.app.captionLines(s), seconds: s.seconds})
			}
			theme := d.app.display.theme
			svg := animation(frames, "vantage: "+f.alt, framesvg.Colors{Background: theme.Background, Foreground: theme.Foreground})
			if limit := 300_000; len(svg) > limit {
				t.Errorf("%s has %d bytes, more than %d", f.name, len(svg), limit)
			}
			matchFile(t, filepath.Join("..", ".github", "pictures", f.name+".svg"), svg)
		})
	}
}

// captionLines returns the lines below a frame that say which key was pressed, and what it did.
func (a App) captionLines(s shot) string {
	t, w := a.display.theme, a.display.w
	caption := " "
	if s.shown != "" {
		caption += t.Underlay(themes.Cursor, " "+t.Paint(themes.Key, s.shown)+" ") + "  "
	}
	return cells.Fit("", w) + "\n" + cells.Fit(caption+t.Paint(themes.Title, s.caption(a)), w)
}
