package layout_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vantage/tui/layout"
)

// drawn draws the body with the number of a pane for every 8×2 cells.
func drawn(s layout.Screen, w, h int) string {
	var b strings.Builder
	for y := s.Header.H; y < h-s.Hints.H; y += 2 {
		for x := 0; x < w; x += 8 {
			c := byte('.')
			for p, r := range s.Panes {
				if x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H {
					c = byte('1' + p)
				}
			}
			b.WriteByte(c)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestNewScreen(t *testing.T) {
	for _, test := range []struct {
		name  string
		w, h  int
		front layout.Pane
		held  layout.Held
		want  string
	}{
		{"narrow", 80, 24, layout.Groups, layout.Held{Groups: 100}, `
1111111111
1111111111
1111111111
1111111111
1111111111
1111111111
2222223333
2222223333
2222224444
2222224444
`},
		{"narrow with the metrics in front", 80, 24, layout.Metrics, layout.Held{Groups: 100}, `
1111111111
1111111111
1111111111
1111111111
1111111111
1111111111
5555555555
5555555555
5555555555
5555555555
`},
		{"medium", 120, 36, layout.Groups, layout.Held{Groups: 100}, `
111111111122222
111111111122222
111111111122222
111111111122222
111111111122222
111111111122222
111111111122222
111111111122222
111111111122222
111111111122222
111111111122222
111111111122222
333333444444444
333333444444444
333333444444444
333333444444444
`},
	} {
		if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), drawn(layout.NewScreen(test.w, test.h, test.front, test.held), test.w, test.h)); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
}

// Every cell of the screen belongs to exactly one rectangle.
func TestScreenIsTiled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(layout.MinWidth, 400).Draw(t, "w"), rapid.IntRange(layout.MinHeight, 120).Draw(t, "h")
		s := layout.NewScreen(w, h, layout.Pane(rapid.IntRange(0, layout.PaneCount-1).Draw(t, "front")), layout.Held{Groups: rapid.IntRange(0, 200).Draw(t, "groups"), OneStep: rapid.Bool().Draw(t, "one step")})
		owners := make([]int, w*h)
		for _, r := range append(s.Panes[:], s.Header, s.Hints) {
			for y := r.Y; y < r.Y+r.H; y++ {
				for x := r.X; x < r.X+r.W; x++ {
					owners[y*w+x]++
				}
			}
		}
		for at, n := range owners {
			if n != 1 {
				t.Fatalf("cell %d,%d of %d×%d belongs to %d rectangles", at%w, at/w, w, h, n)
			}
		}
	})
}

func TestTooSmall(t *testing.T) {
	if !layout.NewScreen(59, 40, 0, layout.Held{Groups: 100}).TooSmall || !layout.NewScreen(80, 15, 0, layout.Held{Groups: 100}).TooSmall || layout.NewScreen(60, 16, 0, layout.Held{Groups: 100}).TooSmall {
		t.Error("60×16 is the smallest size")
	}
}

// Samples and text fill the body, side by side if it is wide enough; one above the other,
// the part with the focus is taller.
func TestGroupView(t *testing.T) {
	for _, test := range []struct {
		w, h, tableWidth int
		count            int
		textFocused      bool
		samples, text    layout.Rect
	}{
		{80, 20, 60, 16, false, layout.Rect{W: 80, H: 10}, layout.Rect{Y: 10, W: 80, H: 10}},
		{80, 20, 60, 4, false, layout.Rect{W: 80, H: 8}, layout.Rect{Y: 8, W: 80, H: 12}},
		{80, 20, 60, 16, true, layout.Rect{W: 80, H: 5}, layout.Rect{Y: 5, W: 80, H: 15}},
		{60, 12, 60, 16, false, layout.Rect{W: 60, H: 6}, layout.Rect{Y: 6, W: 60, H: 6}},
		{120, 32, 40, 16, true, layout.Rect{W: 50, H: 32}, layout.Rect{X: 50, W: 70, H: 32}},
		{120, 32, 90, 16, false, layout.Rect{W: 60, H: 32}, layout.Rect{X: 60, W: 60, H: 32}},
		{200, 56, 70, 16, false, layout.Rect{W: 72, H: 56}, layout.Rect{X: 72, W: 128, H: 56}},
	} {
		samples, text := layout.GroupView(test.w, test.h, test.tableWidth, test.count, test.textFocused)
		if samples != test.samples || text != test.text {
			t.Errorf("%d×%d: %+v and %+v, want %+v and %+v", test.w, test.h, samples, text, test.samples, test.text)
		}
	}
}
