// Package report writes what the screen shows without a screen. A snapshot with settings,
// a grid, a comparison, the findings of a check or the result of a match goes in; text,
// Markdown, CSV, JSON, JUnit or SVG goes to the io.Writer that the caller passes. The
// commands call it, and the screen for its exports.
//
// Reports and exports hold one step at a time, so the memory they take does not grow with
// the number of steps. The last line of every page, "complete" in JSON, says that it is not
// cut; of a table that is said by the exit code alone.
package report

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/glance"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Report is a run to be written by [Text], [Markdown], [CSV], [JSON] or [HTML]. Each of them goes
// through the steps once.
type Report struct {
	Head       Head // what the report is of; the caller sets it
	Snap       model.Snapshot
	Settings   model.Settings // effective
	Choice     match.Choice   // who chose the estimator of Settings; the caller sets it
	Grouping   model.Grouping
	Per        Per
	Refusals   Refusals // of the groups written so far
	ChartsFile string   // the file that the caller writes with [SVG], to be named in the report; "" if none
	Parts      HTMLParts

	Diagnosis *diagnosis.Diagnosis // the caller sets it; nil: nobody looked

	eachStep func(show func(*analysis.StepFigures, *analysis.Analysis) error) error
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
	r.eachStep = func(visit func(*analysis.StepFigures, *analysis.Analysis) error) error {
		return analysis.EachPassing(ctx, snap, set, func(a *analysis.Analysis) error {
			r.warnAlike(&a.StepFigures, a)
			return visit(&a.StepFigures, a)
		})
	}
	return r, nil
}

// warnAlike adds the warning that the answers of a step are alike, which steps do not raise themselves.
func (r *Report) warnAlike(s *analysis.StepFigures, a *analysis.Analysis) {
	if r.Diagnosis == nil {
		return
	}
	if w := glance.AlikeWarning(r.Diagnosis.Answers, s, a); w != nil {
		s.Warnings = append(slices.Clip(s.Warnings), *w)
	}
}

// FromTrend returns a report of the steps of t, which it does not compute again. It has no
// distribution of advantages.
func FromTrend(snap model.Snapshot, t *analysis.Trend) *Report {
	return &Report{
		Snap: snap, Settings: t.Settings, Grouping: t.Grouping, Per: PerStep,
		eachStep: func(visit func(*analysis.StepFigures, *analysis.Analysis) error) error {
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
	hasCharts  bool
	head, foot func(*page)
	step       func(*page, *analysis.StepFigures) []byte // changes nothing: several run at once
	groups     func(*page, *analysis.Analysis) []byte
	between    string // what is of one step and of the next
}

type page struct {
	*Report
	out          *bufio.Writer
	metricNames  []string                                // of all steps
	stepTable    []figures.Column[*analysis.StepFigures] // the table of steps of a page
	groupTable   []figures.Column[figures.GroupOf]       // the same of groups
	counts       []figures.Column[*analysis.StepFigures] // of a row of CSV and an object of JSON
	groupKeys    []figures.Column[figures.GroupOf]       // of a group in JSON
	rows         int                                     // written
	total        runTotal
	charts       *Charts
	chartless    bool                  // nobody draws charts, which are then empty
	rewardScales []model.RewardScale   // by run
	newest       *analysis.StepFigures // the newest complete step
}

// write goes through the steps, and returns the charts, which are empty if neither the format nor ChartsFile has any. It
// writes nothing before the first step is computed, so an error about settings or log comes without output.
func (r *Report) write(w io.Writer, l pageFormat) (*Charts, error) {
	p, err := r.newPage(w, mainTrends(), maxPoints)
	if err != nil {
		return nil, err
	}
	p.chartless = !l.hasCharts && r.ChartsFile == ""
	if err := p.showSteps(l); err != nil {
		return nil, err
	}
	if p.total.Steps == 0 {
		l.head(p)
	}
	switch r.Per {
	case PerRun:
		p.rows = 1
	case PerStep:
		p.rows = p.total.Steps
	case PerGroup:
	}
	l.foot(p)
	return p.charts, p.out.Flush()
}

// show writes what is of a step.
func (p *page) show(s *analysis.StepFigures, rows []byte, between string) error {
	if p.total.Steps > 0 && rows != nil {
		p.printf("%s", between)
	}
	p.add(s)
	_, err := p.out.Write(rows)
	return err
}

// formattedSteps are neighbouring steps and what is shown of each: one takes so little time that handing it over takes as much.
type formattedSteps struct {
	of   []analysis.StepFigures
	rows [][]byte
}

const stepsAtOnce = 16

// showSteps goes through the steps once, and shows them.
func (p *page) showSteps(l pageFormat) error {
	formatted := analysis.NewPipeline(func(steps formattedSteps) error {
		for i, rows := range steps.rows {
			if err := p.show(&steps.of[i], rows, l.between); err != nil {
				return err
			}
		}
		return nil
	})
	defer formatted.Close()
	some, isHeaded := make([]analysis.StepFigures, 0, stepsAtOnce), false
	add := func() error {
		of := some
		some = make([]analysis.StepFigures, 0, stepsAtOnce)
		return formatted.Add(1, func() (formattedSteps, error) {
			rows := make([][]byte, len(of))
			for i := range of {
				if p.Per == PerStep {
					rows[i] = l.step(p, &of[i])
				}
			}
			return formattedSteps{of, rows}, nil
		})
	}
	err := p.eachStep(func(s *analysis.StepFigures, a *analysis.Analysis) error {
		p.measure(s, a)
		if !isHeaded {
			l.head(p)
			isHeaded = true
		}
		if p.Per == PerGroup && a != nil {
			p.rows += a.Groups
			a.NameGroups()
			return p.show(s, l.groups(p, a), l.between)
		}
		if some = append(some, *s); len(some) == stepsAtOnce { // a copy does not retain the analysis
			return add()
		}
		return nil
	})
	if err == nil {
		err = add()
	}
	if err != nil {
		return err
	}
	return formatted.End()
}

// newPage returns a page without steps, whose charts have these lines of at most so many points.
func (r *Report) newPage(w io.Writer, lines []trendLine, points int) (*page, error) {
	names, err := analysis.MetricNames(r.Snap, r.Settings)
	if err != nil {
		return nil, err
	}
	scales := r.Snap.RewardScales(r.Settings)
	return &page{
		Report: r, out: bufio.NewWriter(w), metricNames: names,
		total:      runTotal{metricNames: names, metrics: make([]figures.RunMetric, len(names))},
		stepTable:  figures.Select(figures.Steps(), "step", "samples", "groups", "reward", "signal", "kept", "train", "Σ|A|", "flips"),
		groupTable: figures.Select(figures.Groups(), "step", "fate", "n", "kept", "flips", "reward", "std"),
		groupKeys: figures.Select(figures.Groups(), "group", "fate", "samples", "rollouts", "kept_pos", "kept_zero", "kept_neg", "nonzero",
			"flips",
			"reward_mean", "reward_std", "invalid", "prompt", "refused", "admitted", "why_skipped"),
		counts: figures.Select(figures.Steps(), "samples", "groups", "signal_groups", "kept_samples", "nonzero_samples", "flips",
			"invalid_rewards"),
		charts: newCharts(r, scales, lines, points), rewardScales: scales,
	}, nil
}

func (p *page) measure(s *analysis.StepFigures, a *analysis.Analysis) {
	if !p.chartless {
		p.charts.add(s, a)
	}
	if a != nil {
		p.Refusals.Add(a)
	}
}

func (p *page) add(s *analysis.StepFigures) {
	p.total.add(s)
	if !s.Open {
		if p.newest == nil {
			p.newest = new(analysis.StepFigures)
		}
		*p.newest = *s // a copy does not retain the analysis
	}
}

// completeLine is the last line of a page: without it the page was cut.
func (p *page) completeLine() string {
	return fmt.Sprintf("complete: %s, one per %s", units.Plural(p.rows, "rows"), p.Per)
}

func anyNames[T any](columns []figures.Column[T]) []any {
	return model.Mapped(columns, func(c figures.Column[T]) any { return c.Name })
}

func anyTexts[T any](columns []figures.Column[T], of T, write func(figures.Number) string) []any {
	return model.Mapped(columns, func(c figures.Column[T]) any { return write(c.Value(of)) })
}

func (p *page) totalRow(write func(figures.Number) string) []any {
	s := p.total.summary()
	cells := append(anyTexts(p.stepTable, s, write), notableFates(s))
	cells[0] = "all"
	return cells
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

func (p *page) lines(lines []string) {
	for _, line := range lines {
		p.printf("%s\n", strings.TrimRight(line, " "))
	}
}

// runTotal sums counts over the complete steps, and makes each metric of the run of those of the steps: see [figures.OverSteps].
type runTotal struct {
	Steps int     // all
	Open  []int64 // numbers of those that are still being written

	openRows int // samples of these

	sum          analysis.StepFigures // of the complete steps, without metrics
	notNumbers   int                  // rewards that the mean reward leaves out
	metricNames  []string
	metrics      []figures.RunMetric // by name
	warningSpans warningSpans
}

// warningSpans are the kinds of warnings in the order in which they come first.
type warningSpans []warningSpan

type warningSpan struct {
	Kind  model.WarningKind `json:"kind"`
	First int64             `json:"first_step"`
	Steps int               `json:"steps"`

	last   int64           // of the steps
	newest []model.Warning // of that: several if one kind warns of both ratios
}

func (t *runTotal) complete() int { return t.Steps - len(t.Open) }

func (t *runTotal) add(s *analysis.StepFigures) {
	t.Steps++
	if s.Open {
		t.Open, t.openRows = append(t.Open, s.Step), t.openRows+s.Rows
		return
	}
	all := &t.sum
	all.Rows, all.InvalidRewards = all.Rows+s.Rows, all.InvalidRewards+s.InvalidRewards
	all.Rollouts += s.Rollouts
	all.Groups += s.Groups
	all.Signal += s.Signal
	all.Kept += s.Kept
	all.Nonzero += s.Nonzero
	all.Statuses.Add(&s.Statuses)
	all.Flips.Add(&s.Flips)
	if x := s.Metric("critic/score/mean"); !units.IsFinite(x) || s.FiniteRewards > 0 {
		t.notNumbers += s.Rows - s.FiniteRewards
	}
	for f, n := range s.Fates {
		all.Fates[f] += n
	}
	for i, name := range t.metricNames {
		t.metrics[i].AddNear(s, name, i)
	}
	t.warningSpans.add(s)
}

func (l *warningSpans) add(s *analysis.StepFigures) {
	for _, w := range s.Warnings {
		i := slices.IndexFunc(*l, func(x warningSpan) bool { return x.Kind == w.Kind })
		if i < 0 {
			i = len(*l)
			*l = append(*l, warningSpan{Kind: w.Kind, First: w.Step})
		}
		x := &(*l)[i]
		if x.newest == nil || x.last != s.Step {
			x.Steps, x.last, x.newest = x.Steps+1, s.Step, x.newest[:0]
		}
		x.newest = append(x.newest, w)
	}
}

// rewardsMeant says which rewards the mean reward is of.
func (t *runTotal) rewardsMeant() string {
	if t.notNumbers > 0 {
		return "the rewards that are numbers"
	}
	if n := t.sum.InvalidRewards; n > 0 {
		return "all samples, " + figures.InvalidText(n, true)
	}
	return "all samples"
}

func (t *runTotal) summary() *analysis.StepFigures {
	s := t.sum
	for i, name := range t.metricNames {
		s.Metrics = append(s.Metrics, analysis.Metric{Name: name, Value: t.metrics[i].Value()})
	}
	return &s
}

// Refusals counts the groups for which the trainer's own code would have raised an error. Their
// advantages are computed all the same: NaN or a number that no training saw.
type Refusals struct {
	Written int // samples of all groups that were written
	Residue int // samples of all groups whose advantage is not 0 only by float arithmetic
	steps   int // with such groups
	refused int // groups
	groups  int // all, of all steps

	framework, group, text string // of the first
	step                   int64
}

// Add counts the groups of a step. It does nothing if r is nil.
func (r *Refusals) Add(a *analysis.Analysis) {
	if r == nil {
		return
	}
	r.groups += a.Groups
	r.Residue += a.Residue
	text := a.Refusal()
	if text == "" {
		return
	}
	r.steps++
	for g := range a.Table {
		if !a.Refused(g) {
			continue
		}
		if r.refused++; r.text == "" {
			r.framework, r.group, r.text, r.step = a.Settings.Framework, a.Named(g).Name, text, a.Step
		}
	}
}

// labelInReport returns the prompt of a group, or its name if there is none, and says if the trainer
// would refuse it.
func labelInReport(g figures.GroupOf, prompt string) string {
	label := groupLabel(prompt, g.Name)
	if g.In.Refused(g.At) {
		return "(refused by the trainer) " + label
	}
	return label
}

// String says how many groups the trainer would refuse, with an example; "" if none.
func (r *Refusals) String() string {
	if r.refused == 0 {
		return ""
	}
	return fmt.Sprintf("%s would have stopped at %s for %s of %s, such as group %s of step %d (%s): no training saw their advantages; "+
		"check --framework and --group-by",
		r.framework, units.Plural(r.steps, "steps"), fmt.Sprint(r.refused), units.Plural(r.groups, "groups"), sanitize.Line(r.group),
		r.step, sanitize.Line(r.text))
}

// Err is an error if the trainer would refuse every group: then nothing was computed that it would
// have computed.
func (r *Refusals) Err() error {
	if r.refused == 0 || r.refused < r.groups {
		return nil
	}
	return errors.New("no advantage could be computed: " + r.String())
}
