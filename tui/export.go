package tui

import (
	"encoding/base64"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/tui/export"
	"vantage/tui/layout"
	"vantage/tui/view"
)

// FileSaver saves copies and exports as files, none of them near the log. Main passes one
// in.
type FileSaver interface {
	// Save writes a file of that name, or of one like it, and returns its path.
	Save(name string, data []byte) (path string, err error)

	// SaveAs writes a new file at a path that the person typed, which may begin with ~, and returns
	// its full path. It refuses to overwrite a file, and to write beside a log: the error says so.
	SaveAs(path string, data []byte) (full string, err error)
}

// save writes a file under a path that was typed, or among the program's own.
func (o outside) save(path, name, text string) (saved string, err error) {
	switch {
	case o.files == nil:
		return "", fmt.Errorf("nothing can be saved: there is no home directory")
	case path == "":
		saved, err = o.files.Save(name, []byte(text))
	default:
		saved, err = o.files.SaveAs(path, []byte(text))
	}
	return sanitize.Line(saved), err
}

// runExport exports the run as a report in Markdown or text, its steps as a table, the samples of the step
// that the filter shows, or the table on the screen, under a path or among the program's files.
func runExport(a App, args []string) (App, error) {
	r, err := export.Parse(args)
	if err != nil {
		return a, err
	}
	name := "export." + r.Format
	var what, text string
	switch {
	case r.Shown:
		name = "shown." + r.Format
		what, text, err = a.exportShown(r.Format)
	default:
		what = strings.TrimSpace(a.env.OfRun())
		text, err = export.Run(a.env, r.Format)
	}
	if err != nil {
		return a, err
	}
	saved, err := a.outside.save(r.Path, name, text)
	if err != nil {
		return a, err
	}
	if a.overlays.notice = "saved " + saved; what != "" {
		a.overlays.notice += ": " + sanitize.Line(what)
	}
	return a, nil
}

// exportShown returns the table of the view on the screen, filtered and sorted as it is
// there, with its title.
func (a App) exportShown(format string) (title, text string, err error) {
	of, ok := a.viewOpen().(view.Exporter)
	if a.position.view == view.Overview && a.views.panes.Focus == layout.Steps {
		of = &a.views.steps
	}
	if !ok {
		return "", "", fmt.Errorf("there is no table here to export")
	}
	s := of.Exported(a.env)
	if len(s.Rows) == 0 {
		return "", "", fmt.Errorf("the table is empty: there is nothing to export")
	}
	if a.position.view != view.Compare {
		s.Title += a.env.OfRun()
	}
	text, err = export.Table(format, s)
	return s.Title, text, err
}

// copying is the line of what can be copied.
type copying struct{ view.LastLine }

// Keys of the line.
func (copying) Keys() view.Section {
	return view.Section{Name: "copy", Bindings: []view.Binding{
		{
			Keys: []string{"t"}, Label: "t", Hint: "t table",
			Doc: "the table of groups that the filter shows, of two runs that of the prompts",
			Do:  own(App.copyTable),
		},
		{Keys: []string{"g"}, Label: "g", Hint: "g group", Doc: "the samples of the group under the cursor", Do: own(App.copyGroup)},
		{Keys: []string{"s"}, Label: "s", Hint: "s screen", Doc: "the screen as text", Do: own(App.copyScreen)},
		{Keys: []string{"f"}, Label: "f", Hint: "f flags", Doc: "the settings in each trainer's syntax", Do: own(App.copyFlags)},
		{Keys: []string{"esc", "y"}, Label: "Esc", Hint: "Esc leave", Doc: "copy nothing", Do: view.Ask(view.CloseLine{})},
	}}
}

func (a App) openCopy() App {
	if a.env.Result.Analysis == nil {
		return a.says("nothing to copy yet")
	}
	return a.openLine(view.Copy)
}

func (a App) copyTable() App {
	if a.position.drawn() == view.Compare {
		return a.copyAndSave("prompts.tsv", export.TSV(a.views.compare.Exported(a.env)))
	}
	return a.copyAndSave("groups.tsv", export.GroupsTSV(a.env))
}

func (a App) copyGroup() App {
	g := a.env.SelectedGroup()
	if g == nil {
		a.overlays.notice = "no group under the cursor"
		return a.closeLine()
	}
	return a.copyAndSave("group.tsv", export.GroupTSV(a.env, g))
}

func (a App) copyScreen() App {
	a = a.closeLine()
	a.overlays.notice = ""
	lines := strings.Split(ansi.Strip(a.frame()), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return a.copyAndSave("screen.txt", strings.Join(lines, "\n")+"\n")
}

func (a App) copyFlags() App {
	return a.copyAndSave("flags.txt", export.Flags(a.env.Settings.Now))
}

// copyAndSave copies a text to the clipboard, unless it is too long for a terminal, and
// saves it as a file.
func (a App) copyAndSave(name, text string) App {
	if a.position.view == view.Copy {
		a.position.view = a.position.viewBelow
	}
	size := units.Bytes(int64(len(text)))
	if base64.StdEncoding.EncodedLen(len(text)) > maxClipboard {
		a.overlays.notice = name + " has " + size + ", too large for the terminal's clipboard"
	} else {
		a.overlays.notice = "copied " + name + ": " + size
		a.commands.Start(tea.Raw(a.outside.clipboardSequence(text)))
	}
	if a.outside.files == nil {
		return a
	}
	saved, err := a.outside.save("", name, text)
	if err != nil {
		a.overlays.notice += "; it could not be saved to a file: " + err.Error()
		return a
	}
	a.overlays.notice += "; saved " + saved
	return a
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
func (o outside) clipboardSequence(text string) string {
	seq := ansi.SetSystemClipboard(text)
	switch o.multiplexer {
	case Tmux:
		return ansi.TmuxPassthrough(seq)
	case Screen:
		return ansi.ScreenPassthrough(seq, 76) // the size of its buffer
	case NoMultiplexer:
	}
	return seq
}
