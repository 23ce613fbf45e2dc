package env

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
	"vantage/tui/pane"
)

// Scope is which steps are on the screen together: those up to the one where the person is.
type Scope struct {
	Kind     ScopeKind // ScopeStep, ScopeLast or ScopeAll, of a sweep also the others
	Last     int       // the number of steps of ScopeLast
	From, To int64     // the steps of ScopeRange
}

// ScopeState is the scope, and how it came about.
type ScopeState struct {
	Scope
	Decided  bool  // by the person, by the session, or by the size of the first steps
	Chosen   bool  // by one of the first two: it is saved
	Moved    bool  // the widest scope has moved to the newest step, from back
	Back     int64 // the step before
	Followed bool  // the newest step was followed there
}

const (
	// fewGroups is the largest number of groups in each step with which a run opens with its last steps.
	fewGroups = 2

	// MaxScopeSamples is how many samples are computed for one scope at most: beyond, every n-th of its steps is. A sample takes
	// about 130 bytes.
	MaxScopeSamples = 1 << 17

	// MaxScopeSteps is how many steps are.
	MaxScopeSteps = 1 << 10
)

// Indexes returns the indexes of the steps of the scope that ends at index end of a snapshot, ascending:
// every n-th of them if they are too many, and always the last. A step that is still being written is one
// of them only if it is the only one.
func (s Scope) Indexes(snap model.Snapshot, end int) (steps []int, every int) {
	if s.Kind == ScopeStep {
		return []int{end}, 1
	}
	if steps = s.complete(snap, end); len(steps) == 0 {
		return []int{end}, 1
	}
	samples := 0
	for _, i := range steps {
		samples += len(snap.Steps[i].Rewards)
	}
	every = max(1, (samples+MaxScopeSamples-1)/MaxScopeSamples, (len(steps)+MaxScopeSteps-1)/MaxScopeSteps)
	var some []int
	for k := len(steps) - 1; k >= 0; k-- { // the first of steps is the last step
		if i := steps[k]; k == 0 || every < len(steps) && i%every == 0 {
			some = append(some, i)
		}
	}
	return some, every
}

// StepsOf returns the steps of the scope that ends at index end of a snapshot, ascending.
func (s Scope) StepsOf(snap model.Snapshot, end int) []model.Step {
	if s.Kind == ScopeAll {
		return snap.Steps
	}
	steps := model.Mapped(s.complete(snap, max(0, end)), func(i int) model.Step { return snap.Steps[i] })
	slices.Reverse(steps)
	return steps
}

// complete returns the indexes of the complete steps of the scope up to index end of a snapshot, the newest first.
func (s Scope) complete(snap model.Snapshot, end int) (steps []int) {
	for i := end; i >= 0 && (s.Kind != ScopeLast || len(steps) < s.Last); i-- {
		if n := snap.Steps[i].Number; !snap.Open(i) && (s.Kind != ScopeRange || s.From <= n && n <= s.To) {
			steps = append(steps, i)
		}
	}
	return steps
}

// Analyze computes the steps of the scope that ends at index end of a snapshot, and reuses what it can of
// known, which may be nil.
func (s Scope) Analyze(ctx context.Context, snap model.Snapshot, end int, set model.Settings,
	known *analysis.Analysis,
) (*analysis.Analysis, error) {
	steps, _ := s.Indexes(snap, end)
	return analysis.AnalyzeSteps(ctx, snap, steps, set, known)
}

// Decide returns the scope of a run and its analysis, given that of the step at index end: if each of the
// last steps has few groups, these steps together. It leaves open what cannot be known yet.
func (s ScopeState) Decide(ctx context.Context, snap model.Snapshot, end int, set model.Settings,
	step *analysis.Analysis,
) (ScopeState, *analysis.Analysis, error) {
	wide := Scope{Kind: ScopeLast, Last: DefaultLastSteps}
	steps, _ := wide.Indexes(snap, end)
	switch {
	case s.Decided || step.Open:
		return s, step, nil
	case step.Groups > fewGroups || len(steps) < 2:
		s.Decided = step.Groups > fewGroups
		return s, step, nil
	}
	joined, err := analysis.AnalyzeSteps(ctx, snap, steps, set, step)
	if err != nil {
		return s, nil, err
	}
	s.Decided = true
	if slices.ContainsFunc(joined.Parts(), func(p *analysis.Analysis) bool { return p.Groups > fewGroups }) {
		return s, step, nil
	}
	s.Scope = wide
	return s, joined, nil
}

// LastSteps returns how many steps the scope of the last ones has.
func (s Scope) LastSteps() int { return cmp.Or(s.Last, DefaultLastSteps) }

// ScopeEnd returns the index of the newest step that the scope may end with: of several steps all are
// complete.
func (e Env) ScopeEnd() int {
	last := len(e.Snap.Steps) - 1
	if e.Place.Scope.Kind != ScopeStep && last > 0 && e.Snap.Open(last) {
		last--
	}
	return last
}

// IsWide reports whether several steps are on the screen.
func (e Env) IsWide() bool { return e.Result.Analysis != nil && e.Result.Analysis.StepCount() > 1 }

// ScopeWords names the steps on the screen: "step 300", "steps 291-300", "6 steps of 1-45" where numbers are
// missing, "1 in 4 of steps 1-1000".
func (e Env) ScopeWords() string {
	if e.Result.Analysis == nil {
		return "this step"
	}
	n, first, last := e.Result.Analysis.StepCount(), e.Result.Analysis.Parts()[0].Step, e.Result.Analysis.Step
	text := fmt.Sprintf("steps %d-%d", first, last)
	switch {
	case n == 1:
		return fmt.Sprintf("step %d", last)
	case e.Result.Every > 1:
		return fmt.Sprintf("1 in %d of %s", e.Result.Every, text)
	case last-first >= int64(n): // the log has not every number
		return fmt.Sprintf("%s of %d-%d", units.Plural(n, "steps"), first, last)
	}
	return text
}

// WithScopeWords adds " · steps 291-300" to the title of a pane that is w wide inside, while several steps
// are on the screen and if there is room.
func (e Env) WithScopeWords(title string, w int) string {
	if !e.IsWide() {
		return title
	}
	return pane.WithRoom(title, " · "+e.ScopeWords(), w)
}

// ParseScopeWords parses step, all, last and last 20. last is the number of steps where none is given.
func ParseScopeWords(words []string, last int) (Scope, error) {
	kinds := map[string]ScopeKind{"step": ScopeStep, "last": ScopeLast, "all": ScopeAll}
	switch {
	case len(words) == 1:
		if kind, ok := kinds[words[0]]; ok {
			return Scope{Kind: kind, Last: last}, nil
		}
	case len(words) == 2 && words[0] == "last":
		if n, err := strconv.Atoi(words[1]); err == nil && n > 1 {
			return Scope{Kind: ScopeLast, Last: n}, nil
		}
	}
	return Scope{}, fmt.Errorf("scope takes step, last, all, or last and how many steps: scope last 20")
}

// InWords says the scope in a notice.
func (s Scope) InWords() string {
	return map[ScopeKind]string{ScopeStep: "one step", ScopeLast: fmt.Sprintf("the last %d steps", s.Last), ScopeAll: "all steps"}[s.Kind]
}

// String is what ParseScopeWords parses.
func (s Scope) String() string {
	return map[ScopeKind]string{ScopeStep: "step", ScopeLast: fmt.Sprintf("last %d", s.Last), ScopeAll: "all"}[s.Kind]
}

// ScopeKind is a kind of [Scope].
type ScopeKind int

// The kinds, in the order of Tab.
const (
	ScopeStep  ScopeKind = iota // the step on the screen
	ScopeShown                  // the groups on the screen that the filter shows
	ScopeLast                   // the last complete steps up to the one on the screen
	ScopeRange                  // the complete steps between two numbers
	ScopeAll                    // all complete steps
)

// DefaultLastSteps is the number of steps of ScopeLast unless it is given.
const DefaultLastSteps = 10

// ScopeSteps returns the indexes of the steps of a scope but of ScopeShown, the newest first. Only the step on
// the screen may be open: an open step has no fates yet.
func (e Env) ScopeSteps(s Scope) []int {
	switch s.Kind {
	case ScopeStep:
		return []int{e.StepIndex()}
	case ScopeLast:
		return s.complete(e.Snap, e.StepIndex())
	default:
		return s.complete(e.Snap, len(e.Snap.Steps)-1)
	}
}
