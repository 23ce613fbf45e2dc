package tui

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"vantage/tui/view"
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

// SaveAs refuses a name that is taken, as the real one does.
func (d *memoryFiles) SaveAs(path string, data []byte) (string, error) {
	if path == "taken.md" {
		return "", errors.New("taken.md exists, and nothing is overwritten: give another name")
	}
	d.name, d.data = path, string(data)
	return "/here/" + path, d.err
}

func TestCopyWritesClipboardAndFile(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		files := &memoryFiles{}
		d.app.outside.files = files
		d.press("y", "t")
		if lines := strings.Split(files.data, "\n"); files.name != "groups.tsv" || len(lines) != len(d.app.env.Result.Rows)+2 || strings.ContainsRune(files.data, '\x1b') {
			t.Errorf("%s: %d lines", files.name, len(lines))
		}
		if !strings.Contains(d.app.overlays.notice, "copied groups.tsv") || !strings.Contains(d.app.overlays.notice, "saved /state/groups.tsv") || d.app.position.view != view.Overview {
			t.Errorf("%q", d.app.overlays.notice)
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
		if files.name != "group.tsv" || !strings.Contains(d.app.overlays.notice, "no space left") {
			t.Errorf("%s, %q", files.name, d.app.overlays.notice)
		}
		d.press("y", "esc")
		if d.app.position.view != view.Overview {
			t.Error("Esc does not leave")
		}
	})
}

// The sequence is OSC 52 with the text in base64, wrapped for a multiplexer. A text beyond
// the limit is saved as a file only.
func TestClipboardSequencePassesMultiplexers(t *testing.T) {
	t.Parallel()
	a := App{}
	plain := a.outside.clipboardSequence("héllo")
	if want := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("héllo")) + "\a"; plain != want {
		t.Errorf("%q, want %q", plain, want)
	}
	a.outside.multiplexer = Tmux
	if got := a.outside.clipboardSequence("x"); !strings.HasPrefix(got, "\x1bPtmux;\x1b\x1b]52;c;") || !strings.HasSuffix(got, "\x1b\\") {
		t.Errorf("%q", got)
	}
	a.outside.multiplexer = Screen
	if got := a.outside.clipboardSequence("x"); !strings.HasPrefix(got, "\x1bP\x1b]52;c;") {
		t.Errorf("%q", got)
	}
	files := &memoryFiles{}
	a.outside.files = files
	next := a.withoutCommands().copyAndSave("big.txt", strings.Repeat("x", maxClipboard))
	if next.commands.Started != nil || len(files.data) != maxClipboard || !strings.Contains(next.overlays.notice, "too large for the terminal's clipboard") {
		t.Errorf("%q", next.overlays.notice)
	}
}

// An export takes a path, whose end names the format if nothing else does, and the notice says where it is.
func TestExportTakesAPath(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		files := &memoryFiles{}
		d.app.outside.files = files
		for text, want := range map[string][3]string{ // name, beginning of the file, notice
			"export csv ~/x.csv":            {"~/x.csv", "step,", "saved /here/~/x.csv"},
			"export report.md":              {"report.md", "## made", "saved /here/report.md"},
			"export my report.txt":          {"my report.txt", "log  ", "saved /here/my report.txt"},
			"export md report":              {"report", "## made", "saved /here/report"},
			"export shown groups.csv":       {"groups.csv", "step,fate,", "saved /here/groups.csv: groups of step 3"},
			"export shown jsonl ../x.jsonl": {"../x.jsonl", "{", "saved /here/../x.jsonl: groups of step 3"},
			"export jsonl":                  {"export.jsonl", "{", "saved /state/export.jsonl"},
		} {
			d.press(":")
			d.typeText(text)
			d.press("enter")
			if files.name != want[0] || !strings.HasPrefix(files.data, want[1]) || d.app.overlays.notice != want[2] {
				t.Errorf("%s: %s %.40q, notice %q", text, files.name, files.data, d.app.overlays.notice)
			}
		}
		for text, want := range map[string]string{
			"export": "or a path that ends in one, such as ~/report.md", "export report": "not \"report\"", "export x.pdf": "not \"pdf\"", "export x.jsnl": "did you mean jsonl?",
			"export shown svg": "pictures of the screen are gone", "export out/screen.svg": "pictures of the screen are gone", "export shown txt": "export writes md, csv or jsonl, not", "export taken.md": "nothing is overwritten: give another name",
		} {
			d.press(":")
			d.typeText(text)
			d.press("enter")
			if !strings.Contains(d.app.overlays.notice, want) || d.app.position.view != view.Command {
				t.Errorf("%s: %q, want %q", text, d.app.overlays.notice, want)
			}
			d.press("esc")
		}
	})
}
