package commands

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"vantage/loaders"
	"vantage/loaders/formats"
	logged "vantage/loaders/scalars"
	"vantage/model/report"
	"vantage/model/scalars"
)

// orScalars is what summary does: where a path has no samples, it sums up the scalars that lie there, if any do.
func orScalars(ofSamples func(context.Context, *call, func(io.Writer, *report.Summary) error) error) func(context.Context, *call, func(io.Writer, *report.Summary) error) error {
	return func(ctx context.Context, c *call, write func(io.Writer, *report.Summary) error) error {
		refused := ofSamples(ctx, c, write)
		var unopened *loaders.Error
		if errors.Is(refused, errNoSamples) || errors.As(refused, &unopened) {
			if ok, err := c.p.writeScalars(ctx, c.paths, c.format); ok {
				return err
			}
		}
		return refused
	}
}

// ScalarsAlone returns what writes, as text, what the scalars at a path say of a run, if nothing else is there; else nil. A screen shows samples.
func (p *Program) ScalarsAlone(ctx context.Context, paths []string) (write func() error) {
	if len(paths) != 1 || !logged.Alone(p.Disk, paths[0]) {
		return nil
	}
	var text bytes.Buffer
	to := *p
	to.Out = &text
	if ok, err := to.writeScalars(ctx, paths, "text"); !ok || err != nil {
		return nil
	}
	return func() error {
		_, err := p.output(ctx, "text").Write(text.Bytes())
		return err
	}
}

// writeScalars writes what the scalars at a path say; ok: there are some. If not, [loaders.Open] says why nothing can be read there.
func (p *Program) writeScalars(ctx context.Context, paths []string, format string) (ok bool, err error) {
	if len(paths) != 1 || loaders.IsElsewhere(paths[0]) {
		return false, nil
	}
	found, err := logged.Read(p.Disk, paths[0])
	if err != nil {
		return false, nil
	}
	s := &report.Scalars{Path: Title(paths), File: filepath.Clean(found.File), Format: found.Format, Run: found.Scalars, Diagnosis: scalars.Diagnose(found.Scalars), Notes: found.Notes}
	var names strings.Builder
	for i := range found.Series {
		names.WriteString(found.Series[i].Name + "\n")
	}
	switch s.Advice = formats.WhereSamplesAre([]byte(names.String())); {
	case s.Advice != "":
	case found.IsState():
		s.Advice = formats.WhereSamplesOfStateAre()
	default:
		s.Advice = "samples tell more: `vantage formats` lists how each trainer writes them"
	}
	write := report.ScalarsText
	if format == "json" {
		write = report.ScalarsJSON
	}
	return true, write(p.output(ctx, format), s)
}
