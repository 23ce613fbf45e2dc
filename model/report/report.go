package report

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/choice"
	"vantage/model/units"
)

// Report is a run to be written by [Text], [Markdown], [CSV], [JSON] or [HTML]. Each of them goes
// through the steps once.
type Report struct {
	Head       Head // what the report is of; the caller sets it
	Snap       model.Snapshot
	Settings   model.Settings // effective
	Choice     choice.Choice  // who chose the estimator of Settings; the caller sets it
	Grouping   model.Grouping
	Per        Per
	Refusals   Refusals // of the groups written so far
	ChartsFile string   // the file that the caller writes with [SVG], to be named in the report; "" if none
	Parts      HTMLParts

	// More are warnings that the steps themselves do not raise, since they are about texts, by the number of the step.
	More map[int64]model.Warning

	eachStep func(show func(*analysis.Summary, *analysis.Analysis) error) error
}

// Per is what each row of a report stands for.
type Per string

// A row per step, per group of each step, or one for the run.
const (
	PerStep  Per = "step"
	PerGroup Per = "group"
	PerRun   Per = "run"
)

// PerValues returns all values of Per.
func PerValues() []Per { return []Per{PerStep, PerGroup, PerRun} }

// New returns a report that analyses each step while it is written. It fails if the
// samples cannot be grouped. Other errors come from the writers, before they write.
func New(ctx context.Context, snap model.Snapshot, set model.Settings) (*Report, error) {
	grouping, err := snap.Grouping(set)
	if err != nil {
		return nil, err
	}
	r := &Report{Snap: snap, Settings: set.Effective(), Grouping: grouping, Per: PerStep}
	r.eachStep = func(visit func(*analysis.Summary, *analysis.Analysis) error) error {
		return analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
			if w, found := r.More[a.Step]; found {
				a.Warnings = append(slices.Clip(a.Warnings), w)
			}
			return visit(&a.Summary, a)
		})
	}
	return r, nil
}

// FromTrend returns a report of the steps of t, which it does not compute again. It has no
// distribution of advantages.
func FromTrend(snap model.Snapshot, t *analysis.Trend) *Report {
	return &Report{
		Snap: snap, Settings: t.Settings, Grouping: t.Grouping, Per: PerStep,
		eachStep: func(visit func(*analysis.Summary, *analysis.Analysis) error) error {
			for i := range t.Steps {
				if err := visit(&t.Steps[i], nil); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// pageFormat writes the parts of a report; groups replaces step for a row per group.
type pageFormat struct {
	head, foot func(*page)
	step       func(*page, *analysis.Summary)
	groups     func(*page, *analysis.Analysis)
}

// page is a report being written.
type page struct {
	*Report
	out          *bufio.Writer
	metricNames  []string // of all steps
	rows         int      // written
	total        runTotal
	charts       *Charts
	rewardScales []model.RewardScale // by run
	newest       *analysis.Summary   // the newest complete step

	jsonElements int // written to the open JSON array
}

// write goes through the steps. It writes nothing before the first step is computed, so an
// error about settings or log comes without output.
func (r *Report) write(w io.Writer, l pageFormat) (*Charts, error) {
	p, err := r.newPage(w, mainTrends(), maxPoints)
	if err != nil {
		return nil, err
	}
	err = r.eachStep(func(s *analysis.Summary, a *analysis.Analysis) error {
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
		_, err := p.out.Write(nil) // returns the error of an earlier write
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

// newPage returns a page without steps, whose charts have these lines of at most so many points.
func (r *Report) newPage(w io.Writer, lines []trendLine, points int) (*page, error) {
	names, err := analysis.MetricNames(r.Snap, r.Settings)
	if err != nil {
		return nil, err
	}
	scales := r.Snap.RewardScales(r.Settings)
	return &page{
		Report: r, out: bufio.NewWriter(w), metricNames: names, total: newRunTotal(names),
		charts: newCharts(r, scales, lines, points), rewardScales: scales,
	}, nil
}

func (p *page) add(s *analysis.Summary, a *analysis.Analysis) {
	p.total.add(s)
	p.charts.add(s, a)
	if a != nil {
		p.Refusals.Add(a)
	}
	if !s.Open {
		newest := *s // a copy does not retain the analysis
		p.newest = &newest
	}
}

// completeLine is the last line of a page: without it the page was cut.
func (p *page) completeLine() string {
	return fmt.Sprintf("complete: %s, one per %s", units.Plural(p.rows, "rows"), p.Per)
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

func (p *page) lines(lines []string) {
	for _, line := range lines {
		p.printf("%s\n", strings.TrimRight(line, " "))
	}
}
