package tui

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/tui/framesvg"
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
