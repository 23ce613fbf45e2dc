// Package offpolicy is the view of how far the samples are from the policy that trains them, why, and what the trainers' rules would keep.
package offpolicy

import (
	"context"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model/fault"
	"vantage/model/figures"
	study "vantage/model/offpolicy"
	"vantage/model/report"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/job"
	"vantage/tui/view"
)

// View is the state of the view. What it shows is computed by package model/offpolicy.
type View struct {
	figure int // of the course: index in figuresOfCourse
	by     int // what the bars divide, among the divisions that the log has
	cursor int // rule
	front  int // of what has no room side by side

	Job job.Job[Key, *answer]
}

// Key is all that the figures depend on: a hash of the complete steps.
type Key struct{ steps uint64 }

// answer is a study with what the view draws of it at each frame.
type answer struct {
	*study.Study
	steps  []study.Span
	cause  study.Cause
	best   study.Answer
	force  study.InForce
	tried  []study.Tried
	groups []division
	again  time.Time // see [job.Again]
	isPart bool      // of the log: the rest is being read
}

// Work requests the figures while the view is open, once the log was read.
func (v *View) Work(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	before := v.Job.Value
	isUnmoved := before == nil || before.isPart && v.cursor == before.firstRule()
	if v.Job.Take(c, msg) && v.Job.Err == nil && isUnmoved {
		v.cursor = v.Job.Value.firstRule()
	}
	if !open {
		v.Job.Stop()
		return
	}
	key := Key{e.Findings.Steps}
	canBeAsked := e.Tokens.Reader != nil && !e.IsReading() && key.steps != 0
	if !canBeAsked || v.isAnswered(key) || !v.Job.Lacks(key, job.InTurn) {
		return
	}
	reader, again := e.Tokens.Reader, time.Time{}
	if v.Job.Value != nil {
		again = v.Job.Value.again
	}
	v.Job.Start(c, key, func(ctx context.Context) (*answer, job.Work[*answer], error) {
		if err := job.Rest(ctx, again); err != nil {
			return nil, nil, err
		}
		return read(ctx, reader)(ctx)
	})
}

// isAnswered reports whether all of an answer is there.
func (v *View) isAnswered(key Key) bool {
	isWhole := v.Job.Value == nil || !v.Job.Value.isPart
	return key == v.Job.Of && !v.Job.Busy() && isWhole
}

// outcome is the whole answer, or why there is none.
type outcome struct {
	*answer
	err error
}

// read reads the log-probs in the background, and returns the work of waiting for parts of the answer.
func read(ctx context.Context, reader env.TokenReader) (next job.Work[*answer]) {
	began, parts := time.Now(), make(chan *answer)
	whole := fault.Later(func() outcome {
		s, err := reader.OffPolicy(ctx, func(s *study.Study) {
			part := answered(s, time.Time{})
			part.isPart = true
			select {
			case parts <- part:
			case <-ctx.Done():
			}
		})
		if err != nil {
			return outcome{err: err}
		}
		return outcome{answer: answered(s, job.Again(began))}
	})
	next = func(ctx context.Context) (*answer, job.Work[*answer], error) {
		select {
		case part := <-parts:
			return part, next, nil
		case all := <-whole:
			got := all.Get()
			return got.answer, nil, got.err
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	return next
}

func answered(s *study.Study, again time.Time) *answer {
	return &answer{
		Study: s, steps: s.Steps(), cause: s.Cause(), best: s.Answer(), force: s.InForce(), tried: s.Tried(), groups: divisions(s), again: again,
	}
}

// firstRule is the one to begin with: that which keeps most, else that of the run.
func (a *answer) firstRule() int {
	for _, t := range []*study.Trial{a.best.Trial, a.force.Trial} {
		i := slices.IndexFunc(a.tried, func(x study.Tried) bool { return t != nil && x.Name() == t.Name() })
		if i >= 0 {
			return i
		}
	}
	return 0
}

// isThere reports whether there is something to draw.
func (v *View) isThere() bool {
	return v.Job.Value != nil && v.Job.Err == nil && v.Job.Value.Total.Compared > 0
}

// Rows makes the rules a list.
func (v *View) Rows(env.Env) (*int, int) {
	if !v.isThere() {
		return &v.cursor, 0
	}
	return &v.cursor, len(v.Job.Value.tried)
}

// Keys of the view.
func (*View) Keys() view.Section {
	return view.Section{Name: "off-policy", Bindings: append(view.ListKeys("j k rule"),
		view.Binding{
			Keys: []string{"v"}, Label: "v", Hint: "v metric", Doc: "draw the next metric over the steps: mean |d|, k3, ESS, top 1, lag",
			Do: view.By((*View).moveFigure, 1),
		},
		view.Binding{Keys: []string{"V"}, Label: "V", Doc: "draw the previous metric", Do: view.By((*View).moveFigure, -1)},
		view.Binding{
			Keys: []string{"l", "right"}, Label: "→", Hint: "← → bars",
			Doc: "bars by the next: version lag, probability, sign of the advantage",
			Do:  view.By((*View).moveDivision, 1),
		},
		view.Binding{Keys: []string{"h", "left"}, Label: "←", Doc: "bars by the previous", Do: view.By((*View).moveDivision, -1)},
		view.Binding{
			Keys: []string{"tab"}, Label: "Tab", Hint: "Tab sweep",
			Doc: "the sweep of the bound of the rule under the cursor, the rules, the charts, where there is no room for all",
			Do:  view.Key((*View).turn),
		},
		view.Binding{
			Keys: []string{"enter"}, Label: "⏎", Hint: "Enter worst", Doc: "open the row that is worst by the metric, at the worst step",
			Do: view.Key((*View).openWorst),
		},
		view.Binding{Keys: []string{"esc", "R"}, Label: "Esc", Hint: "Esc back", Doc: "back", Do: view.Ask(view.Escape{})})}
}

// showCharts brings the charts to the screen where they are behind the rules.
func (v *View) showCharts(e env.Env) {
	if fronts(e) > frontCharts {
		v.front = frontCharts
	}
}

func (v *View) moveFigure(e env.Env, by int) view.Want {
	v.showCharts(e)
	n := len(figuresOfCourse())
	v.figure = (v.figure + by + n) % n
	return nil
}

func (v *View) moveDivision(e env.Env, by int) view.Want {
	v.showCharts(e)
	if v.isThere() {
		n := len(v.Job.Value.groups)
		v.by = (v.by + by + n) % n
	}
	return nil
}

func (v *View) turn(e env.Env) view.Want {
	n := fronts(e)
	if n == 1 {
		return view.Say("rules, sweep and charts are all on the screen")
	}
	v.front = (v.front%n + 1) % n
	return nil
}

// openWorst goes to the step that is worst by the figure of the course, and there to the row that is.
func (v *View) openWorst(e env.Env) view.Want {
	if !v.isThere() {
		return nil
	}
	f, a := figuresOfCourse()[v.figure], v.Job.Value
	var worst *study.Span
	for i := range a.steps {
		s := &a.steps[i]
		isThere := s.Compared > 0 && f.of(&s.Tally) == f.of(&s.Tally)
		if isThere && (worst == nil || f.isWorse(f.of(&s.Tally), f.of(&worst.Tally))) {
			worst = s
		}
	}
	if worst == nil {
		return view.Say("no step has a " + f.name)
	}
	to := view.GoTo{Step: int64(worst.First)}
	said := "step " + strconv.Itoa(worst.First) + " is worst by " + f.name + ": " + f.text(f.of(&worst.Tally))
	if at, found := e.Snap.Find(to.Step); found {
		if row := worstRow(a.Rows.Of(&e.Snap.Steps[at]), f.ofRow); row >= 0 {
			to.Row = row + 1
		}
	}
	return view.All{to, view.Say(said)}
}

// worstRow is the row with the largest figure, -1 if none can be compared.
func worstRow(rows []study.RowFigures, of func(study.RowFigures) float64) int {
	worst := -1
	for i, f := range rows {
		if f.Tokens > 0 && (worst < 0 || of(f) > of(rows[worst])) {
			worst = i
		}
	}
	return worst
}

// Exported returns the rules, with all bounds.
func (v *View) Exported(env.Env) report.Table {
	if !v.isThere() {
		return report.Table{}
	}
	return report.OffPolicyTrials(v.Job.Value.Study)
}

// Explains are those of the view, for the help.
func (v *View) Explains(env.Env) glossary.List {
	return glossary.List{}.At(figures.OffPolicy, slices.Concat([]string{figuresOfCourse()[v.figure].name}, figures.OffPolicyNames())...)
}
