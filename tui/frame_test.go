package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vantage/model"
	"vantage/tui/layout"
)

// filtered are settings under which every part of the screen has something to say.
func filtered() model.Settings {
	set := model.DefaultSettings()
	set.KeepPos, set.KeepNeg, set.Recompute = 0.7, 0.5, true
	return set
}

// The help has three states: the keys, the estimator at work, closed.
func TestHelpCloses(t *testing.T) {
	play(t, madeRun(3), 120, 36, filtered(), func(d *door) {
		d.press("?")
		d.says("type to look for a key")
		d.press("?")
		d.says("easyr1 grpo", "any key closes this page")
		d.press("?")
		if d.app.help || d.app.about {
			t.Error("the third ? does not close the help")
		}
	})
}

// Whatever the size and wherever one has walked, the frame fills the screen
// exactly: no line is longer or shorter, none is missing.
func TestFrameFillsTheScreen(t *testing.T) {
	play(t, madeRun(3), 120, 36, filtered(), func(d *door) {
		keys := []string{"j", "k", "w", "W", "tab", "1", "2", "3", "4", "5", "e", "f", "s", "p", "m", "r", "=", "esc", "?", "G", "g", "[", "]", "E", "down", "enter", "S", "v", "a", "!", "c", ":", "y", "f", "b", "B", "3", "w", "V", "/", "x", "o", "O", "L", "l", "h", "backspace"}
		rapid.Check(t, func(t *rapid.T) {
			w, h := rapid.IntRange(1, 240).Draw(t, "w"), rapid.IntRange(1, 80).Draw(t, "h")
			d.send(tea.WindowSizeMsg{Width: w, Height: h})
			d.press(rapid.SliceOfN(rapid.SampledFrom(keys), 0, 4).Draw(t, "keys")...)
			lines := strings.Split(d.frame(), "\n")
			if len(lines) != h {
				t.Fatalf("%d lines at %d×%d", len(lines), w, h)
			}
			for i, line := range lines {
				if got := ansi.StringWidth(line); got != w {
					t.Fatalf("line %d of %d×%d has %d cells: %q", i, w, h, got, line)
				}
			}
		})
	})
}

func TestEveryPaneFillsItsPlace(t *testing.T) {
	play(t, madeRun(3), 120, 36, filtered(), func(d *door) {
		rapid.Check(t, func(t *rapid.T) {
			r := layout.Rect{W: rapid.IntRange(2, 150).Draw(t, "w"), H: rapid.IntRange(2, 60).Draw(t, "h")}
			p := layout.Pane(rapid.IntRange(0, layout.Panes-1).Draw(t, "pane"))
			lines := d.app.pane(p, r)
			if len(lines) != r.H {
				t.Fatalf("pane %d has %d lines of %d", p, len(lines), r.H)
			}
			for _, line := range lines {
				if got := ansi.StringWidth(line); got != r.W {
					t.Fatalf("pane %d: %d cells of %d: %q", p, got, r.W, line)
				}
			}
		})
	})
}

// What models wrote reaches the terminal as text, never as control.
func TestNothingOfTheLogControlsTheTerminal(t *testing.T) {
	hostile := "\x1b]52;c;ZXZpbA==\a\x1b[2J\u009b31m\u202e\u200b\x00"
	source := &madeSource{chunks: []*model.Chunk{{
		Format: "made", Files: []string{hostile}, HasTruth: true,
		Records:  []model.Record{{Step: 1, Prompt: 1, Preview: hostile, Reward: 1}, {Step: 1, Prompt: 1, Preview: hostile}},
		Problems: []model.Problem{{File: hostile, Line: 3, Reason: hostile}},
		Progress: model.Progress{CaughtUp: true},
	}}}
	play(t, source, 120, 36, filtered(), func(d *door) {
		d.app.title = hostile
		d.press("w")
		text := ansi.Strip(d.frame())
		for _, r := range text {
			if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u200b') {
				t.Fatalf("%U reaches the screen", r)
			}
		}
		if strings.Contains(d.frame(), "\x1b]") || strings.Contains(d.frame(), "\x1b[2J") {
			t.Error("an escape sequence of the log reaches the terminal")
		}
		if !strings.Contains(text, "␛") {
			t.Error("the escape is not shown either")
		}
	})
}
