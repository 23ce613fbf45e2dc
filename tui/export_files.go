package tui

import (
	"encoding/base64"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/trainer"
	"vantage/model/units"
	"vantage/tui/framesvg"
)

// FileSaver is where what a person takes along is put: files, outside of the log. Whoever
// started the program hands one in.
type FileSaver interface {
	// Save writes a file of that name, or one like it, and returns its path.
	Save(name string, data []byte) (path string, err error)
}

// Multiplexer is what stands between the program and the terminal, and must be told
// to let the clipboard's sequence through.
type Multiplexer int

// The multiplexers.
const (
	NoMultiplexer Multiplexer = iota
	Tmux
	Screen
)

// maxClipboard is how much base64 text goes to the terminal: many cut at that, and a
// slow link should not be kept busy for longer.
const maxClipboard = 75 << 10

// copyKeys choose what is copied.
func copyKeys() keySection {
	return keySection{"copy", []binding{
		{[]string{"t"}, "t", "t table", "the table of groups, as far as the filter shows it", App.copyTable},
		{[]string{"g"}, "g", "g group", "the samples of the group under the cursor", App.copyGroup},
		{[]string{"s"}, "s", "s screen", "the screen as text", App.copyScreen},
		{[]string{"f"}, "f", "f flags", "the settings as every trainer takes them", App.copyFlags},
		{[]string{"esc", "y"}, "Esc", "Esc leave", "copy nothing", App.leaveCopy},
	}}
}

func (a App) openCopy() (App, tea.Cmd) {
	if a.result.analysis == nil {
		a.notice = "nothing to copy yet"
		return a, nil
	}
	a.position.viewBelow = a.position.view
	a.notice = "copy what? To the clipboard, and into a file"
	return a.openView(viewCopy)
}

func (a App) leaveCopy() (App, tea.Cmd) { return a.openView(a.position.viewBelow) }

// drawViewBelow draws the view that a line of choices was opened over.
func (a App) drawViewBelow(w, h int) []string {
	a.position.view = a.position.viewBelow
	return a.currentView().body(a, w, h)
}

func (a App) copyTable() (App, tea.Cmd) {
	var b strings.Builder
	b.WriteString("fate\tgroup\tprompt\tsize\tkept_pos\tkept_neg\tkept_zero\treward_mean\treward_std\tflips\n")
	for _, i := range a.result.rows {
		g := &a.result.analysis.Table[i]
		fmt.Fprintf(&b, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%.6g\t%.6g\t%d\n", g.Fate, sanitize.Line(g.Name), sanitize.Line(g.Preview), g.Size(),
			g.KeptPos, g.KeptNeg, g.KeptZero, g.Mean, g.Std, g.Flips)
	}
	return a.copyAndSave("groups.tsv", b.String())
}

func (a App) copyGroup() (App, tea.Cmd) {
	g := a.selectedGroup()
	if g == nil {
		a.notice = "no group under the cursor"
		return a.leaveCopy()
	}
	return a.copyAndSave("group.tsv", groupTSV(a.result.analysis, g))
}

// groupTSV is a group's samples, line by line.
func groupTSV(x *model.Analysis, g *model.Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s, step %d: %s\nreward\tlength\tadvantage_original\tkept\tadvantage\n", sanitize.Line(g.Name), sanitize.Line(g.Preview), x.Step, g.Fate)
	for i := g.Start; i < g.End; i++ {
		fmt.Fprintf(&b, "%.9g\t%d\t%.9g\t%t\t%.9g\n", x.LoggedRewards[i], x.Lengths[i], x.Original[i], x.Keep[i], x.Processed[i])
	}
	return b.String()
}

func (a App) copyScreen() (App, tea.Cmd) {
	a, _ = a.leaveCopy()
	a.notice = ""
	lines := strings.Split(ansi.Strip(a.frame()), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return a.copyAndSave("screen.txt", strings.Join(lines, "\n")+"\n")
}

// screenSVG is the screen as an SVG.
func (a App) screenSVG() string {
	a.notice = ""
	t := a.display.theme
	return framesvg.SVG(a.frame(), "vantage "+sanitize.Line(a.title), framesvg.Colors{Background: t.Background, Foreground: t.Foreground})
}

func (a App) copyFlags() (App, tea.Cmd) {
	var b strings.Builder
	for _, d := range trainer.Dialects() {
		fmt.Fprintf(&b, "# %s\n%s\n", d.Framework, strings.Join(d.Emit(a.settings.now), "\n"))
	}
	return a.copyAndSave("flags.txt", b.String())
}

// copyAndSave puts a text on the clipboard, if the terminal takes that much, and into a file.
func (a App) copyAndSave(name, text string) (App, tea.Cmd) {
	if a.position.view == viewCopy {
		a.position.view = a.position.viewBelow
	}
	encoded := base64.StdEncoding.EncodedLen(len(text))
	says, cmd := fmt.Sprintf("copied %s: %s", name, units.Bytes(int64(len(text)))), tea.Raw(a.clipboardSequence(text))
	if encoded > maxClipboard {
		says, cmd = fmt.Sprintf("%s has %s: too much for a terminal's clipboard", name, units.Bytes(int64(len(text)))), nil
	}
	return a.saveFile(name, text, says, cmd)
}

// saveFile writes a text to the desk and says where.
func (a App) saveFile(name, text, says string, also tea.Cmd) (App, tea.Cmd) {
	a.notice = says
	if a.files == nil {
		return a, also
	}
	path, err := a.files.Save(name, []byte(text))
	if err != nil {
		a.notice += "; it could not be written to a file either: " + err.Error()
		return a, also
	}
	a.notice += "; it is in " + sanitize.Line(path)
	return a, also
}

// clipboardSequence is the sequence that sets the terminal's clipboard (OSC 52), as it gets
// through a multiplexer.
func (a App) clipboardSequence(text string) string {
	seq := ansi.SetSystemClipboard(text)
	switch a.multiplexer {
	case Tmux:
		return ansi.TmuxPassthrough(seq)
	case Screen:
		return ansi.ScreenPassthrough(seq, 76) // what its buffer holds at a time
	case NoMultiplexer:
	}
	return seq
}
