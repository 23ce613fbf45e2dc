package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
)

// Control characters in a log are shown, never sent to the terminal.
func TestLogDoesNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	hostile := "\x1b]52;c;ZXZpbA==\a\x1b[2J\u009b31m\u202e\u200b\x00"
	source := &madeSource{chunks: []*model.Chunk{{
		Format: "made", Files: []string{hostile}, HasTruth: true,
		Records:  []model.Record{{Step: 1, Prompt: 1, Preview: hostile, Reward: 1}, {Step: 1, Prompt: 1, Preview: hostile}},
		Problems: []model.Problem{{File: hostile, Line: 3, Reason: hostile}},
		Progress: model.Progress{CaughtUp: true},
	}}}
	drive(t, source, 120, 36, filterSettings(), func(d *driver) {
		d.app.env.Title = hostile
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

// The keys of tuning are named at the usual sizes, in a word each or together, in the overview and the run at a glance.
func TestKeysOfTuningAreNamed(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		drive(t, madeRun(3), size[0], size[1], filterSettings(), func(d *driver) {
			for _, keys := range [][]string{{"1"}, {"0"}} {
				d.press(keys...)
				lines := strings.Split(ansi.Strip(d.frame()), "\n")
				words := strings.Fields(lines[size[1]-1])
				for _, key := range []string{"=", "b", "C", "S", "?", "q"} {
					if !slices.Contains(words, key) {
						t.Errorf("%v after %v: %q names no %s", size, keys, words, key)
					}
				}
			}
		})
	}
}
