package tui

import (
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
	caption string
	seconds float64
	shows   string // what the screen must show, so that the caption is true
}

// docFilms returns the animated pictures of the documentation.
func docFilms() []film {
	return []film{{
		name: "outage", alt: "Demo: a grader failed for three steps. vantage shows since when, the evidence and the cost; right answers have reward 0",
		shots: []shot{
			{[]string{"0", "enter"}, "", "What ails the run, since when, and what did it cost?", 6, "generated since then"},
			{[]string{"enter"}, "Enter", "Is it the model? The answer is right, the reward 0.", 6, "<answer>3</answer>"},
			{[]string{"j"}, "j", "And the next one? The grader fails, not the model.", 4, "<answer>3</answer>"},
			{[]string{"esc", "esc", "0"}, "0", "What else is there? The run at a glance.", 5, "grader outage"},
		},
	}}
}

// The screen of a film can be read on a telephone.
const filmWidth, filmHeight = 66, 28

// The animated pictures are frames of the program too, and of a size that a page loads at once.
func TestPicturesThatMove(t *testing.T) {
	t.Parallel()
	for _, f := range docFilms() {
		set := model.DefaultSettings().WithFramework("verl")
		driveDemo(t, set, filmWidth, filmHeight, func(d *driver) {
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
	return cells.Fit("", w) + "\n" + cells.Fit(caption+t.Paint(themes.Title, s.caption), w)
}
