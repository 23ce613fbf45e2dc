package tui

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// drawer is a desk that remembers.
type drawer struct {
	name string
	data string
	err  error
}

func (d *drawer) Save(name string, data []byte) (string, error) {
	d.name, d.data = name, string(data)
	return "/state/" + name, d.err
}

// typeKeys presses each character.
func (d *door) typeKeys(text string) {
	for _, c := range text {
		d.press(string(c))
	}
}

func TestCopy(t *testing.T) {
	play(t, madeRun(3), 120, 36, filtered(), func(d *door) {
		desk := &drawer{}
		d.app.files = desk
		d.press("y", "t")
		if lines := strings.Split(desk.data, "\n"); desk.name != "groups.tsv" || len(lines) != len(d.app.result.rows)+2 || strings.ContainsRune(desk.data, '\x1b') {
			t.Errorf("%s: %d lines", desk.name, len(lines))
		}
		if !strings.Contains(d.app.notice, "copied groups.tsv") || !strings.Contains(d.app.notice, "it is in /state/groups.tsv") || d.app.position.view != viewOverview {
			t.Errorf("%q", d.app.notice)
		}
		d.press("y", "f")
		if !strings.Contains(desk.data, "algorithm.keep_neg_ratio=0.5") || !strings.Contains(desk.data, "GRPOAdvantage()(rewards") {
			t.Error(desk.data)
		}
		d.press("y", "s")
		if !strings.HasPrefix(desk.data, " vantage  runs/made") || strings.Contains(desk.data, "copy what?") {
			t.Error(desk.data)
		}
		desk.err = errors.New("no space left")
		d.press("y", "g")
		if desk.name != "group.tsv" || !strings.Contains(d.app.notice, "no space left") {
			t.Errorf("%s, %q", desk.name, d.app.notice)
		}
		d.press("y", "esc")
		if d.app.position.view != viewOverview {
			t.Error("Esc does not leave")
		}
	})
}

// The sequence is OSC 52 with the text in base64, wrapped for a multiplexer; a text
// beyond the limit goes to the file only.
func TestClipboard(t *testing.T) {
	a := App{}
	plain := a.clipboardSequence("héllo")
	if want := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("héllo")) + "\a"; plain != want {
		t.Errorf("%q, want %q", plain, want)
	}
	a.multiplexer = Tmux
	if got := a.clipboardSequence("x"); !strings.HasPrefix(got, "\x1bPtmux;\x1b\x1b]52;c;") || !strings.HasSuffix(got, "\x1b\\") {
		t.Errorf("%q", got)
	}
	a.multiplexer = Screen
	if got := a.clipboardSequence("x"); !strings.HasPrefix(got, "\x1bP\x1b]52;c;") {
		t.Errorf("%q", got)
	}
	desk := &drawer{}
	a.files = desk
	next, cmd := a.copyAndSave("big.txt", strings.Repeat("x", maxClipboard))
	if cmd != nil || len(desk.data) != maxClipboard || !strings.Contains(next.notice, "too much for a terminal's clipboard") {
		t.Errorf("%q", next.notice)
	}
}

func TestCommandLine(t *testing.T) {
	play(t, madeRun(30), 120, 36, filtered(), func(d *door) {
		desk := &drawer{}
		d.app.files = desk
		run := func(text string) { d.press(":"); d.typeKeys(text); d.press("enter") }
		run("step 12")
		if got := d.app.result.analysis.Step; got != 12 || d.app.position.follow {
			t.Errorf("step %d", got)
		}
		run("keep pos .4")
		run("scale group")
		run("recompute off")
		if set := d.app.settings.now; set.KeepPos != 0.4 || set.Recompute {
			t.Errorf("%+v", set)
		}
		run("filter fate:alive")
		if d.app.settings.filter != "fate:alive" {
			t.Error(d.app.settings.filter)
		}
		run("export md")
		if desk.name != "export.md" || !strings.HasPrefix(desk.data, "## made") {
			t.Errorf("%s %.40q", desk.name, desk.data)
		}
		d.press("S")
		run("export svg")
		if desk.name != "screen.svg" || !strings.Contains(desk.data, ">keep_pos</text>") || strings.Contains(desk.data, ":export") || !strings.Contains(d.app.notice, "it is in /state/screen.svg") {
			t.Errorf("%s: %q %.400q", desk.name, d.app.notice, desk.data)
		}
		d.press("esc")
		run("theme light")
		if d.app.display.theme.Name != "light" {
			t.Error(d.app.display.theme.Name)
		}
		for text, want := range map[string]string{
			"stpe 3": `no command is called "stpe"`, "step x": "step takes a number", "step 99": "there is no step 99",
			"keep pos 7": "must be in", "theme pink": "the themes are dark", "export pdf": "export writes md",
		} {
			run(text)
			if !strings.Contains(d.app.notice, want) || d.app.position.view != viewCommand {
				t.Errorf("%s: %q", text, d.app.notice)
			}
			d.press("esc")
		}
		d.press(":")
		d.typeKeys("export sv")
		if d.press("tab"); d.app.commandLine.text != "export svg " {
			t.Errorf("completed to %q", d.app.commandLine.text)
		}
		d.press("esc", ":")
		d.typeKeys("fra")
		d.press("tab")
		if d.app.commandLine.text != "framework " {
			t.Errorf("completed to %q", d.app.commandLine.text)
		}
		d.typeKeys("tw")
		d.press("tab", "enter")
		if d.app.settings.now.Framework != "twinkle" {
			t.Error(d.app.settings.now.Framework)
		}
	})
}

// The mouse is off until it is asked for; then a click goes to a pane and a group.
func TestMouse(t *testing.T) {
	play(t, madeRun(3), 120, 36, filtered(), func(d *door) {
		if d.app.View().MouseMode != tea.MouseModeNone {
			t.Error("the mouse is on")
		}
		d.press(":")
		d.typeKeys("mouse on")
		d.press("enter")
		if d.app.View().MouseMode != tea.MouseModeCellMotion {
			t.Error("the mouse is off")
		}
		d.send(tea.MouseClickMsg(tea.Mouse{X: 10, Y: 9}))
		if d.app.position.cursor != 4 {
			t.Errorf("a click on the fifth row: cursor %d", d.app.position.cursor)
		}
		if lines := strings.Split(ansi.Strip(d.frame()), "\n"); !strings.Contains(lines[9], "│") {
			t.Error(lines[9])
		}
		d.send(tea.MouseWheelMsg(tea.Mouse{Button: tea.MouseWheelDown}))
		if d.app.position.cursor != 7 {
			t.Errorf("the wheel: cursor %d", d.app.position.cursor)
		}
	})
}
