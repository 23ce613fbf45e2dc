package tui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/trainer"
	"vantage/model/units"
	"vantage/tui/env"
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

type export struct {
	format string // the end of its name
	path   string // as typed; "": among the program's own files
	shown  bool   // the table on the screen, not the run
}

func exportFormats(shown bool) []string {
	formats := []string{"md", "csv", "jsonl", "txt"}
	if shown {
		return formats[:3]
	}
	return formats
}

// parseExport parses [shown] FORMAT [PATH], and [shown] PATH that ends in a format.
func parseExport(args []string) (export, error) {
	var e export
	if len(args) > 0 && args[0] == "shown" {
		e.shown, args = true, args[1:]
	}
	formats := exportFormats(e.shown)
	if len(args) == 0 {
		return e, fmt.Errorf("export writes %s: give one, or a path that ends in one, such as ~/report.md",
			estimators.Alternatives(formats))
	}
	if slices.Contains(formats, args[0]) {
		e.format, e.path = args[0], strings.Join(args[1:], " ")
		return e, nil
	}
	e.path = strings.Join(args, " ")
	e.format = cmp.Or(strings.TrimPrefix(path.Ext(e.path), "."), args[0])
	if slices.Contains(formats, e.format) {
		return e, nil
	}
	if instead := model.Gone(":export " + e.format); instead != "" {
		return e, errors.New(instead)
	}
	return e, fmt.Errorf("export writes %s, not %q%s", estimators.Alternatives(formats), e.format, view.DidYouMean(e.format, formats))
}

// runExport exports the run as a report in Markdown or text, its steps as a table, the samples of the step
// that the filter shows, or the table on the screen, under a path or among the program's files.
func runExport(a App, args []string) (App, error) {
	e, err := parseExport(args)
	if err != nil {
		return a, err
	}
	name := "export." + e.format
	var what, text string
	switch {
	case e.shown:
		name = "shown." + e.format
		what, text, err = a.exportShown(e.format)
	default:
		what = strings.TrimSpace(a.env.OfRun())
		text, err = exportRun(a.env, e.format)
	}
	if err != nil {
		return a, err
	}
	saved, err := a.outside.save(e.path, name, text)
	if err != nil {
		return a, err
	}
	if a.overlays.notice = "saved " + saved; what != "" {
		a.overlays.notice += ": " + sanitize.Line(what)
	}
	return a, nil
}

func exportRun(e env.Env, format string) (text string, err error) {
	switch {
	case e.Result.Trend == nil:
		return "", fmt.Errorf("nothing to export yet")
	case !e.Result.Trend.Complete():
		return "", fmt.Errorf("not all steps are computed yet: %s, try again in a moment", e.TrendProgress())
	}
	var b bytes.Buffer
	r := report.FromTrend(e.Snap, e.Result.Trend)
	r.Choice = e.Choice()
	switch format {
	case "md":
		_, err = report.Markdown(&b, r)
	case "txt":
		_, err = report.Text(&b, r)
	case "csv":
		_, err = report.CSV(&b, r)
	default: // jsonl
		var steps []model.Step
		for _, part := range e.Result.Analysis.Parts() {
			if i, found := e.Snap.Find(part.Step); found {
				steps = append(steps, e.Snap.Steps[i])
			}
		}
		shown, _ := figures.ParseQuery(e.Settings.Filter) // it was parsed when it was set
		table := &report.SampleTable{
			Snap: e.Snap.Only(steps), Settings: e.Settings.Now, Where: shown, Columns: report.UsualSampleColumns(e.Snap),
		}
		err = report.SampleJSONL(context.Background(), &b, table)
	}
	return b.String(), err
}

// exportShown returns the table of the view on the screen, filtered and sorted as it is
// there, with its title.
func (a App) exportShown(format string) (title, text string, err error) {
	formats := map[string]func(io.Writer, report.Table) error{
		"csv": report.TableCSV, "jsonl": report.TableJSONL, "md": report.TableMarkdown,
	}
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
	var b bytes.Buffer
	err = formats[format](&b, s)
	return s.Title, b.String(), err
}

// copying is the line of what can be copied.
type copying struct{}

// Draw draws nothing: the view below fills the screen.
func (copying) Draw(env.Env, int, int) []string { return nil }

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
	if a.position.viewInSight() == view.Compare {
		return a.copyAndSave("prompts.tsv", tsv(a.views.compare.Exported(a.env)))
	}
	s := report.Table{Columns: []string{
		"fate", "group", "prompt", "size", "kept_pos", "kept_neg", "kept_zero", "reward_mean", "reward_std",
		"flips", "step",
	}}
	for _, i := range a.env.Result.Rows {
		g := &a.env.Result.Analysis.Table[i]
		s.Rows = append(s.Rows, []any{
			g.Fate, g.Name, g.Preview, g.Size(), g.KeptPos, g.KeptNeg, g.KeptZero,
			fmt.Sprintf("%.6g", g.RewardMean), fmt.Sprintf("%.6g", g.RewardStd), g.Flips.Total(), g.Step,
		})
	}
	_, untitled, _ := strings.Cut(tsv(s), "\n")
	return a.copyAndSave("groups.tsv", untitled)
}

func tsv(s report.Table) string {
	lines := model.Mapped(s.Rows, func(row []any) string {
		return strings.Join(model.Mapped(row, func(cell any) string { return sanitize.Line(fmt.Sprint(cell)) }), "\t") + "\n"
	})
	return "# " + s.Title + "\n" + strings.Join(s.Columns, "\t") + "\n" + strings.Join(lines, "")
}

func (a App) copyGroup() App {
	g := a.env.SelectedGroup()
	if g == nil {
		a.overlays.notice = "no group under the cursor"
		return a.closeLine()
	}
	return a.copyAndSave("group.tsv", groupTSV(a.env, g))
}

func groupTSV(e env.Env, g *analysis.Group) string {
	x := e.Result.Analysis
	s := report.Table{
		Title:   fmt.Sprintf("%s %s, step %d%s: %s", sanitize.Line(g.Name), sanitize.Line(g.Preview), g.Step, e.OfRun(), g.Fate),
		Columns: []string{"reward", "length", "advantage_original", "kept", "advantage"},
	}
	for i := g.Start; i < g.End; i++ {
		s.Rows = append(
			s.Rows,
			[]any{
				fmt.Sprintf("%.9g", x.LoggedRewards[i]), x.Lengths[i], fmt.Sprintf("%.9g", x.Unfiltered[i]), x.Keep[i],
				fmt.Sprintf("%.9g", x.Processed[i]),
			},
		)
	}
	return tsv(s)
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
	var b strings.Builder
	for _, d := range trainer.OwnFirst(a.env.Settings.Now.Framework) {
		fmt.Fprintf(&b, "# %s\n%s\n", d.Title(), strings.Join(d.Emit(a.env.Settings.Now), "\n"))
	}
	return a.copyAndSave("flags.txt", b.String())
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
