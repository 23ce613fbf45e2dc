package tui

import (
	"fmt"
	"path/filepath"
	"testing"

	"vantage/model"
	"vantage/themes"
	"vantage/tui/cells"
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
	return []film{{
		name: "outage", alt: "Demo: vantage names what ails a run, a grader that failed for three steps; the group behind it shows right answers with reward 0",
		shots: []shot{
			{nil, "", func(a App) string {
				return fmt.Sprintf("%d of %d groups of this step train the model. Is the run well?", a.env.Result.Analysis.Signal, len(a.env.Result.Analysis.Table))
			}, 4, "grader outage"},
			{[]string{"0"}, "0", say("the run at a glance: what ails it, first"), 4.5, "reward is 0 for every sample"},
			{[]string{"enter"}, "Enter", say("since when, how sure that is, and what it cost"), 5, "grader outage"},
			{[]string{"enter"}, "Enter", say("a group of these steps: the answer is that of the ground truth, and its reward is 0"), 6, "<answer>3</answer>"},
			{[]string{"j"}, "j", say("the next one too: it is the grader that fails, not the model"), 4, "<answer>3</answer>"},
		},
	}}
}

// The animated pictures are frames of the program too, and of a size that a page loads at once.
func TestPicturesThatMove(t *testing.T) {
	t.Parallel()
	for _, f := range docFilms() {
		set := model.DefaultSettings().WithFramework("verl")
		driveDemo(t, set, func(d *driver) {
			var frames []animationFrame
			for _, s := range f.shots {
				d.press(s.keys...)
				d.wantText(s.shows)
				frames = append(frames, animationFrame{content: d.frame() + "\n" + d.app.captionLines(s), seconds: s.seconds})
			}
			svg := animation(frames, "vantage: "+f.alt, pictureColors(d.app.env.Display.Theme))
			if limit := 300_000; len(svg) > limit {
				t.Errorf("%s has %d bytes, more than %d", f.name, len(svg), limit)
			}
			matchFile(t, filepath.Join("..", ".github", "pictures", f.name+".svg"), svg)
		})
	}
}

// captionLines returns the lines below a frame that say which key was pressed, and what it did.
func (a App) captionLines(s shot) string {
	t, w := a.env.Display.Theme, a.env.Display.W
	caption := " "
	if s.shown != "" {
		caption += t.Underlay(themes.Cursor, " "+t.Paint(themes.Key, s.shown)+" ") + "  "
	}
	return cells.Fit("", w) + "\n" + cells.Fit(caption+t.Paint(themes.Title, s.caption(a)), w)
}
