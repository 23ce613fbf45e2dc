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

// Desk is where what a person takes along is put: files, outside of the log. Whoever
// started the program hands one in.
type Desk interface {
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

// clipboardKeys choose what is copied.
func clipboardKeys() section {
	return section{"copy", []binding{
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
	a.place.under = a.place.view
	a.notice = "copy what? To the clipboard, and into a file"
	return a.open(viewCopy)
}

func (a App) leaveCopy() (App, tea.Cmd) { return a.open(a.place.under) }

// underneath draws the view that a line of choices was opened over.
func (a App) underneath(w, h int) []string {
	a.place.view = a.place.under
	return a.seen().body(a, w, h)
}

func (a App) copyTable() (App, tea.Cmd) {
	var b strings.Builder
	b.WriteString("fate\tgroup\tprompt\tsize\tkept_pos\tkept_neg\tkept_zero\treward_mean\treward_std\tflips\n")
	for _, i := range a.result.rows {
		g := a.result.analysis.Group(i)
		fmt.Fprintf(&b, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%.6g\t%.6g\t%d\n", g.Fate, sanitize.Line(g.Name), sanitize.Line(g.Preview), g.Size(),
			g.KeptPos, g.KeptNeg, g.KeptZero, g.Mean, g.Std, g.Flips)
	}
	return a.take("groups.tsv", b.String())
}

func (a App) copyGroup() (App, tea.Cmd) {
	g := a.selected()
	if g == nil {
		a.notice = "no group under the cursor"
		return a.leaveCopy()
	}
	return a.take("group.tsv", groupText(a.result.analysis, g))
}

// groupText is a group's samples, line by line.
func groupText(x *model.Analysis, g *model.Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s, step %d: %s\nreward\tlength\tadvantage_original\tkept\tadvantage\n", sanitize.Line(g.Name), sanitize.Line(g.Preview), x.Step, g.Fate)
	for i := g.Start; i < g.End; i++ {
		fmt.Fprintf(&b, "%.9g\t%d\t%.9g\t%t\t%.9g\n", x.Logged[i], x.Lengths[i], x.Original[i], x.Keep.At(i), x.Processed(i))
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
	return a.take("screen.txt", strings.Join(lines, "\n")+"\n")
}

// picture is the screen as an SVG.
func (a App) picture() string {
	a.notice = ""
	t := a.look.theme
	return framesvg.SVG(a.frame(), "vantage "+sanitize.Line(a.title), framesvg.Colors{Background: t.Background, Foreground: t.Foreground})
}

func (a App) copyFlags() (App, tea.Cmd) {
	var b strings.Builder
	for _, d := range trainer.Dialects() {
		fmt.Fprintf(&b, "# %s\n%s\n", d.Framework, strings.Join(d.Emit(a.set.now), "\n"))
	}
	return a.take("flags.txt", b.String())
}

// take puts a text on the clipboard, if the terminal takes that much, and into a file.
func (a App) take(name, text string) (App, tea.Cmd) {
	if a.place.view == viewCopy {
		a.place.view = a.place.under
	}
	encoded := base64.StdEncoding.EncodedLen(len(text))
	says, cmd := fmt.Sprintf("copied %s: %s", name, units.Bytes(int64(len(text)))), tea.Raw(a.clipboard(text))
	if encoded > maxClipboard {
		says, cmd = fmt.Sprintf("%s has %s: too much for a terminal's clipboard", name, units.Bytes(int64(len(text)))), nil
	}
	return a.save(name, text, says, cmd)
}

// save writes a text to the desk and says where.
func (a App) save(name, text, says string, also tea.Cmd) (App, tea.Cmd) {
	a.notice = says
	if a.desk == nil {
		return a, also
	}
	path, err := a.desk.Save(name, []byte(text))
	if err != nil {
		a.notice += "; it could not be written to a file either: " + err.Error()
		return a, also
	}
	a.notice += "; it is in " + sanitize.Line(path)
	return a, also
}

// clipboard is the sequence that sets the terminal's clipboard (OSC 52), as it gets
// through a multiplexer.
func (a App) clipboard(text string) string {
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
