package tui

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

// memoryFiles is a FileSaver that holds the last file.
type memoryFiles struct {
	name string
	data string
	err  error
}

func (d *memoryFiles) Save(name string, data []byte) (string, error) {
	d.name, d.data = name, string(data)
	return "/state/" + name, d.err
}

func TestCopyWritesClipboardAndFile(t *testing.T) {
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		files := &memoryFiles{}
		d.app.files = files
		d.press("y", "t")
		if lines := strings.Split(files.data, "\n"); files.name != "groups.tsv" || len(lines) != len(d.app.result.rows)+2 || strings.ContainsRune(files.data, '\x1b') {
			t.Errorf("%s: %d lines", files.name, len(lines))
		}
		if !strings.Contains(d.app.notice, "copied groups.tsv") || !strings.Contains(d.app.notice, "it is in /state/groups.tsv") || d.app.position.view != viewOverview {
			t.Errorf("%q", d.app.notice)
		}
		d.press("y", "f")
		if !strings.Contains(files.data, "algorithm.keep_neg_ratio=0.5") || !strings.Contains(files.data, "GRPOAdvantage()(rewards") {
			t.Error(files.data)
		}
		d.press("y", "s")
		if !strings.HasPrefix(files.data, " vantage  runs/made") || strings.Contains(files.data, "copy what?") {
			t.Error(files.data)
		}
		files.err = errors.New("no space left")
		d.press("y", "g")
		if files.name != "group.tsv" || !strings.Contains(d.app.notice, "no space left") {
			t.Errorf("%s, %q", files.name, d.app.notice)
		}
		d.press("y", "esc")
		if d.app.position.view != viewOverview {
			t.Error("Esc does not leave")
		}
	})
}

// The sequence is OSC 52 with the text in base64, wrapped for a multiplexer. A text beyond
// the limit is saved as a file only.
func TestClipboardSequencePassesMultiplexers(t *testing.T) {
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
	files := &memoryFiles{}
	a.files = files
	next, cmd := a.copyAndSave("big.txt", strings.Repeat("x", maxClipboard))
	if cmd != nil || len(files.data) != maxClipboard || !strings.Contains(next.notice, "too much for a terminal's clipboard") {
		t.Errorf("%q", next.notice)
	}
}
