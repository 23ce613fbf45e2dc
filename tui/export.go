package tui

import (
	"bytes"
	"context"
	"encoding/base64"
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
	"vantage/model/sweep"
	"vantage/model/trainer"
	"vantage/model/units"
	"vantage/tui/framesvg"
	"vantage/tui/layout"
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

// saveFile saves a text as a file, and adds to the notice where it is.
func (a App) saveFile(name, text, notice string) App {
	a.notice = notice
	if a.outside.files == nil {
		return a
	}
	path, err := a.outside.files.Save(name, []byte(text))
	if err != nil {
		a.notice += "; it could not be saved to a file: " + err.Error()
		return a
	}
	a.notice += "; saved " + sanitize.Line(path)
	return a
}

// export is a file to write.
type export struct {
	format string // the end of its name
	path   string // as typed; "": among the program's own files
	shown  bool   // the table on the screen, not the run
}

// exportFormats are the formats of the run, and of them those of a table.
func exportFormats(shown bool) []string {
	if shown {
		return []string{"md", "csv", "jsonl"}
	}
	return []string{"md", "csv", "jsonl", "txt", "svg"}
}

// parseExport parses [shown] FORMAT [PATH], and [shown] PATH that ends in a format.
func parseExport(args []string) (export, error) {
	var e export
	if len(args) > 0 && args[0] == "shown" {
		e.shown, args = true, args[1:]
	}
	formats := exportFormats(e.shown)
	if len(args) == 0 {
		return e, fmt.Errorf("export writes %s: give one, or a path that ends in one, such as ~/report.md", estimators.Alternatives(formats))
	}
	if e.format = args[0]; slices.Contains(formats, e.format) {
		e.path = strings.Join(args[1:], " ")
		return e, nil
	}
	e.path = strings.Join(args, " ")
	e.format = strings.TrimPrefix(path.Ext(e.path), ".")
	if slices.Contains(formats, e.format) {
		return e, nil
	}
	unknown := e.format
	if unknown == "" {
		unknown = args[0]
	}
	return e, fmt.Errorf("export writes %s, not %q%s", estimators.Alternatives(formats), unknown, didYouMean(unknown, formats))
}

// runExport exports the run as a report in Markdown or text, its steps as a table, the samples of the step
// that the filter shows, the table on the screen, or the screen, under a path or among the program's files.
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
	case e.format == "svg":
		name, text = "screen.svg", a.screenSVG()
	default:
		what = strings.TrimSpace(a.ofRun())
		text, err = a.exportRun(e.format)
	}
	if err != nil {
		return a, err
	}
	a, err = a.saveExport(e.path, name, what, text)
	return a, err
}

// saveExport writes an export and says where it is.
func (a App) saveExport(path, name, what, text string) (App, error) {
	if a.outside.files == nil {
		return a, fmt.Errorf("nothing can be saved: there is no home directory")
	}
	var saved string
	var err error
	if path == "" {
		saved, err = a.outside.files.Save(name, []byte(text))
	} else {
		saved, err = a.outside.files.SaveAs(path, []byte(text))
	}
	if err != nil {
		return a, err
	}
	a.notice = "saved " + sanitize.Line(saved)
	if what != "" {
		a.notice += ": " + sanitize.Line(what)
	}
	return a, nil
}

// exportRun returns a report of the run, or the samples of the step.
func (a App) exportRun(format string) (text string, err error) {
	switch {
	case a.result.trend == nil:
		return "", fmt.Errorf("nothing to export yet")
	case !a.result.trend.Complete():
		return "", fmt.Errorf("not all steps are computed yet: %s, try again in a moment", a.trendProgress())
	}
	var b bytes.Buffer
	switch format {
	case "md":
		_, err = report.Markdown(&b, a.report())
	case "txt":
		_, err = report.Text(&b, a.report())
	case "csv":
		_, err = report.CSV(&b, a.report())
	default: // jsonl
		var steps []model.Step
		for _, i := range slices.Backward(a.shownSteps()) {
			steps = append(steps, a.snap.Steps[i])
		}
		shown, _ := figures.ParseQuery(a.settings.filter) // it was parsed when it was set
		err = report.SamplesJSONL(context.Background(), &b, a.snap.Only(steps), a.settings.now, shown, nil)
	}
	return b.String(), err
}

// report returns the report of the run.
func (a App) report() *report.Report {
	r := report.FromTrend(a.snap, a.result.trend)
	r.Choice = a.choice()
	return r
}

// screenSVG returns the screen, without the notice, as an SVG.
func (a App) screenSVG() string {
	a.notice = ""
	t := a.display.theme
	return framesvg.SVG(a.frame(), "vantage "+sanitize.Line(a.title)+a.againstSecond(), framesvg.Colors{Background: t.Background, Foreground: t.Foreground})
}

// exportShown returns the table of the view on the screen, filtered and sorted as it is
// there, with its title.
func (a App) exportShown(format string) (title, text string, err error) {
	formats := map[string]func(io.Writer, report.Table) error{"csv": report.TableCSV, "jsonl": report.TableJSONL, "md": report.TableMarkdown}
	table := a.currentView().exported
	if table == nil {
		return "", "", fmt.Errorf("there is no table here to export")
	}
	s := table(a)
	if len(s.Rows) == 0 {
		return "", "", fmt.Errorf("the table is empty: there is nothing to export")
	}
	if a.position.view != viewCompare {
		s.Title += a.ofRun()
	}
	var b bytes.Buffer
	err = formats[format](&b, s)
	return s.Title, b.String(), err
}

// exportedPane returns the table of the focused pane.
func (a App) exportedPane() report.Table {
	switch a.panes.focus {
	case layout.Steps:
		return a.exportedSteps()
	case layout.Metrics:
		return a.exportedMetrics()
	default:
		return a.exportedGroups()
	}
}

// exportedGroups returns the groups that the filter shows, in the order of the table.
func (a App) exportedGroups() report.Table {
	x := a.result.analysis
	s := report.Table{Columns: []string{
		"step", "fate", "group", "prompt", "size", "kept_pos", "kept_neg", "kept_zero", "reward_mean", "reward_std", "flips", "note", "flip_kinds",
	}}
	if x == nil {
		return s
	}
	s.Title = "groups of " + a.scopeWords()
	if of := a.shownCount(); of != "" {
		s.Title += fmt.Sprintf(" %s · %s", of, a.activeFilter())
	}
	for _, i := range a.result.rows {
		g := &x.Table[i]
		s.Rows = append(s.Rows, []any{
			g.Step, g.Fate.Key(), g.Name, g.Preview, g.Size(), g.KeptPos, g.KeptNeg, g.KeptZero, g.RewardMean, g.RewardStd, g.Flips.Total(),
			a.noteOf(g.Step, g.Name), g.Flips.String(),
		})
	}
	return s
}

// exportedSamples returns the samples of the open group, the best first, with the values
// of every reward component.
func (a App) exportedSamples() report.Table {
	g, x := a.selectedGroup(), a.result.analysis
	s := report.Table{Columns: []string{"step", "group", "rank", "row", "reward", "length", "advantage_original", "kept", "advantage"}}
	if g == nil {
		return s
	}
	s.Title = fmt.Sprintf("samples of %s, step %d", a.promptOrName(g), g.Step)
	components := a.components()
	for _, c := range components {
		s.Columns = append(s.Columns, c.name)
	}
	for rank, i := range a.rankedSamples(g) {
		row := []any{g.Step, g.Name, rank + 1, i - g.Start + 1, x.LoggedRewards[i], int(x.Lengths[i]), x.Original[i], x.Keep[i], x.Processed[i]}
		for _, c := range components {
			row = append(row, c.values[x.InputRow[i]])
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// exportedSteps returns the computed steps, with every figure of the table and the one
// that is drawn.
func (a App) exportedSteps() report.Table {
	drawn := a.drawnMetric()
	s := report.Table{Title: "steps", Columns: []string{"step", "samples", "groups", "signal", "kept", "nonzero", "flips", "critic/score/mean", "vantage/abs_advantage_ratio"}}
	extra := drawn != "critic/score/mean" && drawn != "vantage/abs_advantage_ratio"
	if extra {
		s.Columns = append(s.Columns, drawn)
	}
	s.Columns = append(s.Columns, "note")
	if a.result.trend == nil {
		return s
	}
	for i := range a.result.trend.Steps {
		x := &a.result.trend.Steps[i]
		if x.Pending {
			continue
		}
		row := []any{x.Step, x.Rows, x.Groups, x.Signal, x.Kept, x.Nonzero, x.Flips.Total(), x.Metric("critic/score/mean"), x.Metric("vantage/abs_advantage_ratio")}
		if extra {
			row = append(row, x.Metric(drawn))
		}
		s.Rows = append(s.Rows, append(row, a.noteOf(x.Step, "")))
	}
	return s
}

// exportedSweep returns the cells of the map, with every figure.
func (a App) exportedSweep() report.Table {
	s := report.Table{Title: "keep ratios over " + a.scopeText(), Columns: []string{"keep_pos_ratio", "keep_neg_ratio", "compute_new_adv", "samples", "groups"}}
	figures := sweep.Figures()
	for _, f := range figures {
		s.Columns = append(s.Columns, f.Name)
	}
	g := a.sweep.grid
	if g == nil {
		return s
	}
	for i := range g.Pos {
		for j := range g.Neg {
			c := g.At(a.settings.now.Recompute, i, j)
			row := []any{c.KeepPos, c.KeepNeg, a.settings.now.Recompute, c.Samples, c.Groups}
			for _, f := range figures {
				row = append(row, f.Value(c))
			}
			s.Rows = append(s.Rows, row)
		}
	}
	return s
}

// exportedPairs returns the prompts that both runs have, in the order of the table.
func (a App) exportedPairs() report.Table {
	names := a.runNames()
	s := report.Table{Title: fmt.Sprintf("%s against %s, prompt by prompt", names[sideCandidate], names[sideBaseline]), Columns: []string{
		"prompt", "reward of " + names[sideBaseline], "reward of " + names[sideCandidate], "delta",
		"samples of " + names[sideBaseline], "samples of " + names[sideCandidate], "samples_compared", "same_steps",
	}}
	if a.second.job.value.result == nil {
		return s
	}
	pairs := a.second.job.value.result.Pairs
	for i := range pairs {
		p := pairs[i]
		if a.second.bestFirst {
			p = pairs[len(pairs)-1-i]
		}
		s.Rows = append(s.Rows, []any{p.Preview, p.Baseline, p.Candidate, p.Delta(), p.OfBaseline, p.OfCandidate, p.Samples, p.SameSteps})
	}
	return s
}

// exportedProblems returns the places that could not be read.
func (a App) exportedProblems() report.Table {
	s := report.Table{Title: "what could not be read", Columns: []string{"file", "line", "reason"}}
	for _, p := range a.snap.Run.Problems {
		s.Rows = append(s.Rows, []any{p.File, p.Line, p.Reason})
	}
	return s
}

// exportedMarks returns the marks with their notes.
func (a App) exportedMarks() report.Table {
	s := report.Table{Title: "marks", Columns: []string{"step", "group", "row", "prompt", "note"}}
	for _, m := range a.session.current.Marks {
		s.Rows = append(s.Rows, []any{m.Step, m.Group, m.Sample, m.Label, m.Note})
	}
	return s
}

// exportedMetrics returns the metrics of the groups that the filter shows.
func (a App) exportedMetrics() report.Table {
	s := report.Table{Title: "metrics", Columns: []string{"metric", "value"}}
	var x *analysis.StepFigures
	if a.result.analysis != nil {
		x = a.shownFigures()
	}
	if x == nil {
		return s
	}
	s.Title = fmt.Sprintf("metrics of %s %s", a.scopeWords(), a.shownCount())
	for _, m := range x.Metrics {
		s.Rows = append(s.Rows, []any{m.Name, m.Value})
	}
	return s
}

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
