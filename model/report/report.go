// Package report writes what the screen shows without a screen: a page of text,
// Markdown, JSON, a table, or one line per sample. It writes to the io.Writer that it is
// given and nowhere else, and holds one step at a time: a report of a long run takes no
// more memory than one of a short run.
package report

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// Report is what is written of a run. Each of [Text], [Markdown], [CSV] and [JSON] goes
// through its steps once.
type Report struct {
	Snap       model.Snapshot
	Settings   model.Settings // effective
	Grouping   model.Grouping
	Per        Per
	ChartsFile string // a file that Markdown and text refer to, which [SVG] writes; "" if none

	eachStep func(show func(*model.Summary, *model.Analysis) error) error
}

// Per is what a report has a row for.
type Per string

// A row for each step, for each group of each step, or one for the whole run.
const (
	PerStep  Per = "step"
	PerGroup Per = "group"
	PerRun   Per = "run"
)

// PerValues are what a report can have rows for.
func PerValues() []Per { return []Per{PerStep, PerGroup, PerRun} }

// New is a report that computes step after step while it is written. It fails where the
// samples cannot be grouped; what else cannot be done is said before anything is written.
func New(ctx context.Context, snap model.Snapshot, set model.Settings) (*Report, error) {
	grouping, err := snap.Grouping(set)
	if err != nil {
		return nil, err
	}
	return &Report{
		Snap: snap, Settings: set.Effective(), Grouping: grouping, Per: PerStep,
		eachStep: func(show func(*model.Summary, *model.Analysis) error) error {
			return snap.Each(ctx, set, func(a *model.Analysis) error { return show(&a.Summary, a) })
		},
	}, nil
}

// FromTrend is a report per step of what has been computed already; it has no distribution of
// advantages.
func FromTrend(snap model.Snapshot, t *model.Trend) *Report {
	return &Report{
		Snap: snap, Settings: t.Settings, Grouping: t.Grouping, Per: PerStep,
		eachStep: func(show func(*model.Summary, *model.Analysis) error) error {
			for i := range t.Steps {
				if err := show(&t.Steps[i], nil); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// pageFormat is how a report looks: what comes first, what for each step, what for each
// group of a step, and what at the end.
type pageFormat struct {
	head, foot func(*page)
	step       func(*page, *model.Summary)
	groups     func(*page, *model.Analysis)
}

// page is a report while it is written.
type page struct {
	*Report
	out         *bufio.Writer
	metricNames []string // of the metrics that some step has
	rows        int      // written
	total       runTotal
	charts      *Charts
	newest      *model.Summary // the newest complete step

	jsonElements int // of the JSON array that is open
}

// write goes through the steps. Nothing is written before the first is computed: what
// refuses the settings or the log says so by itself.
func (r *Report) write(w io.Writer, l pageFormat) (*Charts, error) {
	names, err := r.Snap.MetricNames(r.Settings)
	if err != nil {
		return nil, err
	}
	p := &page{Report: r, out: bufio.NewWriter(w), metricNames: names, total: newRunTotal(names), charts: newCharts(r)}
	err = r.eachStep(func(s *model.Summary, a *model.Analysis) error {
		if p.total.Steps == 0 {
			l.head(p)
		}
		p.add(s, a)
		switch {
		case r.Per == PerStep:
			p.rows++
			l.step(p, s)
		case r.Per == PerGroup && a != nil:
			p.rows += a.Groups
			l.groups(p, a)
		}
		_, err := p.out.Write(nil) // an earlier write may have failed: nobody wants the rest
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.total.Steps == 0 {
		l.head(p)
	}
	if r.Per == PerRun {
		p.rows = 1
	}
	l.foot(p)
	return p.charts, p.out.Flush()
}

func (p *page) add(s *model.Summary, a *model.Analysis) {
	p.total.add(s)
	p.charts.add(s, a)
	if !s.Open {
		last := *s // not the analysis that it is a part of
		p.newest = &last
	}
}

// completeLine is the last thing on a page: what ends without it is not whole.
func (p *page) completeLine() string {
	return fmt.Sprintf("complete: %s, one per %s", units.Plural(p.rows, "rows"), p.Per)
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

func (p *page) lines(lines []string) {
	for _, line := range lines {
		p.printf("%s\n", strings.TrimRight(line, " "))
	}
}
