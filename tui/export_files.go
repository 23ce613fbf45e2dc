package tui

import (
	"bytes"
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vantage/model/query"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/tui/framesvg"
)

// FileSaver saves copies and exports as files, none of them near the log. Main passes one
// in.
type FileSaver interface {
	// Save writes a file of that name, or of one like it, and returns its path.
	Save(name string, data []byte) (path string, err error)
}

// saveFile saves a text as a file, and adds to the notice where it is.
func (a App) saveFile(name, text, notice string) App {
	a.notice = notice
	if a.files == nil {
		return a
	}
	path, err := a.files.Save(name, []byte(text))
	if err != nil {
		a.notice += "; it could not be written to a file either: " + err.Error()
		return a
	}
	a.notice += "; it is in " + sanitize.Line(path)
	return a
}

// runExport exports the run as a report in Markdown or text, its steps as a table, the
// samples of the step that the filter shows, the table on the screen, or the screen.
func runExport(a App, args []string) (App, tea.Cmd, error) {
	if len(args) == 1 && args[0] == "svg" {
		return a.saveFile("screen.svg", a.screenSVG(), "screen.svg"), nil, nil
	}
	if len(args) > 0 && args[0] == "shown" {
		return exportShown(a, args[1:])
	}
	if a.result.trend == nil {
		return a, nil, fmt.Errorf("nothing to export yet")
	}
	if !a.result.trend.Complete() {
		return a, nil, fmt.Errorf("not all steps are computed yet: %s, try again in a moment", a.trendProgress())
	}
	if len(args) != 1 {
		return a, nil, fmt.Errorf("export takes one of md, csv, jsonl, txt and svg, or shown and one of md, csv and jsonl")
	}
	var b bytes.Buffer
	var err error
	switch args[0] {
	case "md":
		_, err = report.Markdown(&b, report.FromTrend(a.snap, a.result.trend))
	case "txt":
		_, err = report.Text(&b, report.FromTrend(a.snap, a.result.trend))
	case "csv":
		_, err = report.CSV(&b, report.FromTrend(a.snap, a.result.trend))
	case "jsonl":
		i := a.stepIndex()
		chosen, _ := query.Parse(a.settings.filter) // it was parsed when it was set
		err = report.SamplesJSONL(context.Background(), &b, a.snap.Only(a.snap.Steps[i:i+1]), a.settings.now, chosen)
	default:
		err = fmt.Errorf("export writes md, csv, jsonl (the samples of the step that the filter shows), txt and svg (the screen), not %q", args[0])
	}
	if err != nil {
		return a, nil, err
	}
	return a.saveFile("export."+args[0], b.String(), "export."+args[0]), nil, nil
}

// screenSVG returns the screen, without the notice, as an SVG.
func (a App) screenSVG() string {
	a.notice = ""
	t := a.display.theme
	return framesvg.SVG(a.frame(), "vantage "+sanitize.Line(a.title), framesvg.Colors{Background: t.Background, Foreground: t.Foreground})
}
