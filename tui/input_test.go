package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// A pasted text is typed where a line is open, as one line and without what a terminal would obey.
func TestPasteIsOneSafeLine(t *testing.T) {
	drive(t, madeRunWithTexts(2, proofText), 120, 36, filterSettings(), func(d *driver) {
		paste := func(text string) { d.send(tea.PasteMsg{Content: text}) }
		paste("step 1")
		d.wantText("nothing is typed here")
		d.press(":")
		paste("  step\n1\x1b[2J\u202e\n")
		if got := d.app.views.command.text; !strings.HasPrefix(got, "step 1") || strings.ContainsAny(got, "\n\x1b\u202e") {
			t.Errorf("pasted as %q", got)
		}
		paste(strings.Repeat("x", maxCommandBytes))
		d.wantText("bytes fit into this line")
		d.press("esc", "=")
		paste("keep 0.25")
		d.press("enter")
		if got := d.app.env.Settings.Now.KeepPos; got != 0.25 {
			t.Errorf("keep_pos is %v", got)
		}
		d.press("?")
		paste("fate: alive")
		d.wantText("fate: alive▏")
	})
}

// Each kind of line has a history of its own; going past the newest line gives back what was typed.
func TestHistoryOfLines(t *testing.T) {
	drive(t, madeRun(12), 120, 36, filterSettings(), func(d *driver) {
		for _, line := range []string{":step 3", "/size>2", ":step 4", ":step 4"} {
			d.typeText(line)
			d.press("enter")
		}
		d.typeText(":st")
		for _, want := range []string{"step 4", "step 3", "step 3"} {
			if d.press("up"); d.app.views.command.text != want {
				t.Errorf("%q, want %q", d.app.views.command.text, want)
			}
		}
		if d.press("ctrl+n", "down"); d.app.views.command.text != "st" {
			t.Errorf("what was typed came back as %q", d.app.views.command.text)
		}
		d.press("esc", "/", "ctrl+u", "up")
		d.wantText("/size>2▏")
	})
}

// In the middle of a line the word before the cursor is completed, and what is behind it stays.
func TestCompletionInTheMiddle(t *testing.T) {
	drive(t, madeRun(2), 120, 36, filterSettings(), func(d *driver) {
		d.typeText(":filter ki and size>2")
		d.press("ctrl+a", "alt+f", "alt+f")
		d.press("ctrl+w")
		d.typeText("fate:ki")
		if d.press("tab"); d.app.views.command.text != "filter fate:killed and size>2" {
			t.Errorf("completed to %q", d.app.views.command.text)
		}
		d.press("esc", "/")
		d.wantText("text~Wait,")
		d.typeText("fa")
		d.wantText("/fa▏ fate:")
		d.press("tab")
		d.wantText("/fate:▏ fate:")
	})
}

// text~ searches what the samples say, and lists them.
func TestFilterSearchesTexts(t *testing.T) {
	drive(t, madeRunWithTexts(2, proofText), 120, 36, filterSettings(), func(d *driver) {
		d.typeText("/text~\"red\"")
		d.press("enter")
		d.wantText("grep red — samples whose answer, prompt or truth matches")
		d.press("esc")
		d.typeText("/fate:alive text~x")
		d.press("enter")
		d.wantText("must be alone")
	})
}
