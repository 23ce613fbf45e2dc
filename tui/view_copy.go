package tui

import (
	"encoding/base64"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/model/analysis"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/trainer"
	"vantage/model/units"
)

// copyKeys returns the keys that choose what is copied.
func copyKeys() keySection {
	return keySection{"copy", []binding{
		{[]string{"t"}, "t", "t table", "the table of groups that the filter shows, of two runs that of the prompts", App.copyTable},
		{[]string{"g"}, "g", "g group", "the samples of the group under the cursor", App.copyGroup},
		{[]string{"s"}, "s", "s screen", "the screen as text", App.copyScreen},
		{[]string{"f"}, "f", "f flags", "the settings in each trainer's syntax", App.copyFlags},
		{[]string{"esc", "y"}, "Esc", "Esc leave", "copy nothing", App.closeLine},
	}}
}

func (a App) openCopy() App {
	if a.result.analysis == nil {
		a.notice = "nothing to copy yet"
		return a
	}
	return a.openLine(viewCopy)
}

func (a App) copyTable() App {
	if a.viewInSight() == viewCompare {
		return a.copyAndSave("prompts.tsv", tsv(a.exportedPairs()))
	}
	var b strings.Builder
	b.WriteString("fate\tgroup\tprompt\tsize\tkept_pos\tkept_neg\tkept_zero\treward_mean\treward_std\tflips\tstep\n")
	for _, i := range a.result.rows {
		g := &a.result.analysis.Table[i]
		fmt.Fprintf(&b, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%.6g\t%.6g\t%d\t%d\n", g.Fate, sanitize.Line(g.Name), sanitize.Line(g.Preview), g.Size(),
			g.KeptPos, g.KeptNeg, g.KeptZero, g.RewardMean, g.RewardStd, g.Flips.Total(), g.Step)
	}
	return a.copyAndSave("groups.tsv", b.String())
}

// tsv returns a table as lines of values with tabs between them.
func tsv(s report.Table) string {
	var b strings.Builder
	b.WriteString("# " + s.Title + "\n" + strings.Join(s.Columns, "\t") + "\n")
	for _, row := range s.Rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(sanitize.Line(fmt.Sprint(cell)))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (a App) copyGroup() App {
	g := a.selectedGroup()
	if g == nil {
		a.notice = "no group under the cursor"
		return a.closeLine()
	}
	return a.copyAndSave("group.tsv", a.groupTSV(g))
}

// groupTSV returns the samples of a group, a line each.
func (a App) groupTSV(g *analysis.Group) string {
	var b strings.Builder
	x := a.result.analysis
	fmt.Fprintf(&b, "# %s %s, step %d%s: %s\nreward\tlength\tadvantage_original\tkept\tadvantage\n", sanitize.Line(g.Name), sanitize.Line(g.Preview), g.Step, a.ofRun(), g.Fate)
	for i := g.Start; i < g.End; i++ {
		fmt.Fprintf(&b, "%.9g\t%d\t%.9g\t%t\t%.9g\n", x.LoggedRewards[i], x.Lengths[i], x.Original[i], x.Keep[i], x.Processed[i])
	}
	return b.String()
}

func (a App) copyScreen() App {
	a = a.closeLine()
	a.notice = ""
	lines := strings.Split(ansi.Strip(a.frame()), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return a.copyAndSave("screen.txt", strings.Join(lines, "\n")+"\n")
}

func (a App) copyFlags() App {
	var b strings.Builder
	for _, d := range trainer.Dialects() {
		fmt.Fprintf(&b, "# %s\n%s\n", d.Framework, strings.Join(d.Emit(a.settings.now), "\n"))
	}
	return a.copyAndSave("flags.txt", b.String())
}

// copyAndSave copies a text to the clipboard, unless it is too long for a terminal, and
// saves it as a file.
func (a App) copyAndSave(name, text string) App {
	if a.position.view == viewCopy {
		a.position.view = a.position.viewBelow
	}
	size := units.Bytes(int64(len(text)))
	if base64.StdEncoding.EncodedLen(len(text)) > maxClipboard {
		return a.saveFile(name, text, name+" has "+size+", too large for the terminal's clipboard")
	}
	return a.saveFile(name, text, "copied "+name+": "+size).starts(tea.Raw(a.clipboardSequence(text)))
}

// Multiplexer is the program, between this one and the terminal, that passes the
// clipboard's sequence on only if it is wrapped for it.
type Multiplexer int

// The multiplexers.
const (
	NoMultiplexer Multiplexer = iota
	Tmux
	Screen
)

// maxClipboard bounds the base64 text for the terminal: many truncate at that, and more
// would block a slow link.
const maxClipboard = 75 << 10

// clipboardSequence returns the sequence that sets the terminal's clipboard (OSC 52),
// wrapped for the multiplexer.
func (a App) clipboardSequence(text string) string {
	seq := ansi.SetSystemClipboard(text)
	switch a.outside.multiplexer {
	case Tmux:
		return ansi.TmuxPassthrough(seq)
	case Screen:
		return ansi.ScreenPassthrough(seq, 76) // the size of its buffer
	case NoMultiplexer:
	}
	return seq
}
