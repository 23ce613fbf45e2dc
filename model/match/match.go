// Package match finds the estimator that wrote the advantages of a log: it
// computes them under every framework, estimator and scale that the log can feed,
// and compares.
//
// A logged advantage is one of three things to a computed one: equal to the bit in
// the precision of the framework; near, that is within the digits that logs lose
// (1e-6 of the largest advantage of the step, or what the estimator itself
// promises, see [estimators.Estimator.Tolerance]); or off. If nothing is near
// throughout and the log was written with three to five decimals, what rounds to
// them is near; if still nothing is, groups that hold fewer samples than the others
// are left out, since logs are cut.
package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/units"
)

// ErrNothingLogged says that there is nothing to compare with.
var ErrNothingLogged = errors.New("the log holds no advantages: match compares with those that the trainer logged (TRL, ms-swift, prime-rl, NeMo-RL and open-instruct log them)")

// Candidate is one way to compute advantages.
type Candidate struct {
	Framework string
	Estimator string
	Scale     estimators.Scale
}

// String names it as a person would.
func (c Candidate) String() string {
	return fmt.Sprintf("%s %s with scale %s", c.Framework, c.Estimator, c.Scale)
}

// Verdict is how well a candidate reproduces the log.
type Verdict struct {
	Candidate
	Exact  int       // samples that are equal to the bit of the candidate's precision
	Agreeing   int       // samples that are equal or near
	AgreeingGroups int       // groups all of whose logged advantages are near
	Groups     int       // groups with a logged advantage
	MaxGap float64   // largest |logged − computed| of samples that are not equal
	FirstMismatch  *Mismatch // the first sample that is not near; nil if all are

	assumptions int // how much has to be assumed beside rewards and groups
}

// Mismatch is a sample whose logged advantage is not the computed one.
type Mismatch struct {
	Step             int64
	Group            string
	Row              int // of the step, from 0, in input order
	Logged, Computed float64
}

// Report is the outcome of a comparison.
type Report struct {
	Steps    int  // compared
	Compared int  // samples with a logged advantage
	Candidates    int  // candidates
	Sampled  bool // the log has more of them, which were not looked at
	Decimals int  // if not 0: near means equal after rounding to so many decimals, as the log was
	LeftOut      int  // samples left out since their groups hold fewer than the others: the log was cut there
	Grouping model.Grouping
	Matches  []Verdict // that agree on every sample: the most bits first, then the fewest assumptions
	Others   []Verdict // the rest, the most agreeing samples first
	Clues    []string  // if nothing matches: what the logged values say, and what it usually means
}

// HasMatch reports whether anything reproduces the log.
func (r *Report) HasMatch() bool { return len(r.Matches) > 0 }

// DefaultLimit is how many samples a comparison looks at unless told otherwise: whole
// steps, the newest first.
const DefaultLimit = 20_000

// Run compares the newest complete steps of the snapshot, until there are limit
// samples with a logged advantage. Of the settings it takes grouping and reward;
// the filter is left out: advantages are logged as the estimator gave them. It
// returns [ErrNothingLogged], the reason why rows cannot be grouped, or ctx's end.
func Run(ctx context.Context, snap model.Snapshot, set model.Settings, limit int) (*Report, error) {
	r := &Report{}
	steps := r.chooseSteps(snap, limit)
	if len(steps) == 0 {
		return nil, ErrNothingLogged
	}
	var err error
	if r.Grouping, err = snap.Grouping(set); err != nil {
		return nil, err
	}
	prepared, err := prepare(snap, set, steps)
	if err != nil {
		return nil, err
	}
	if err := r.tryAll(ctx, snap, prepared, 0); err != nil {
		return nil, err
	}
	for _, relax := range []func(context.Context, model.Snapshot, []*model.Laid) error{r.retryRounded, r.retryFullGroups} {
		if r.HasMatch() {
			return r, nil
		}
		if err := relax(ctx, snap, prepared); err != nil {
			return nil, err
		}
	}
	if r.HasMatch() {
		return r, nil
	}
	r.Clues, err = r.explain(ctx, snap, set, prepared)
	return r, err
}

// chooseSteps returns the indices of the steps to compare, the newest first.
func (r *Report) chooseSteps(snap model.Snapshot, limit int) []int {
	var steps []int
	for i := len(snap.Steps) - 1; i >= 0; i-- {
		n := countLogged(snap.Steps[i].Logged)
		if n == 0 || snap.Open(i) {
			continue
		}
		if r.Compared >= limit {
			r.Sampled = true
			break
		}
		r.Compared += n
		steps = append(steps, i)
	}
	r.Steps = len(steps)
	return steps
}

func countLogged(advantages []float64) int {
	n := 0
	for _, x := range advantages {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}

func prepare(snap model.Snapshot, set model.Settings, steps []int) ([]*model.Laid, error) {
	prepared := make([]*model.Laid, len(steps))
	for at, i := range steps {
		var err error
		if prepared[at], err = snap.Lay(i, set); err != nil {
			return nil, err
		}
	}
	return prepared, nil
}

// tryAll tries every candidate that the log can feed. A sample is near within the
// tolerance, if that is more than the candidate's own.
func (r *Report) tryAll(ctx context.Context, snap model.Snapshot, prepared []*model.Laid, tolerance float64) error {
	r.Candidates, r.Matches, r.Others = 0, nil, nil
	for _, e := range estimators.All() {
		if snap.Lacks(e) != nil {
			continue
		}
		for at, scale := range e.Scales {
			if err := ctx.Err(); err != nil {
				return err
			}
			v := Verdict{Candidate: Candidate{e.Framework, e.Name, scale}, assumptions: countAssumptions(snap.Run.Format, e, at)}
			if v.evaluate(prepared, e, tolerance) {
				r.record(v)
			}
		}
	}
	slices.SortStableFunc(r.Matches, func(v, w Verdict) int {
		return cmp.Or(cmp.Compare(w.Exact, v.Exact), cmp.Compare(v.assumptions, w.assumptions))
	})
	slices.SortStableFunc(r.Others, func(v, w Verdict) int {
		return cmp.Or(cmp.Compare(w.Agreeing, v.Agreeing), cmp.Compare(v.MaxGap, w.MaxGap), cmp.Compare(v.assumptions, w.assumptions))
	})
	return nil
}

// countAssumptions counts what a candidate takes for granted: most of all another
// framework than the one whose log it is, then needs, then another estimator than
// grpo, which most people run, then a scale that is not the framework's default.
func countAssumptions(format string, e *estimators.Estimator, scale int) int {
	n := min(scale, 1)
	if e.Name != "grpo" {
		n += 2
	}
	if e.Needs.Lengths || e.Needs.Components || e.Needs.Baselines {
		n += 4
	}
	switch {
	case e.Framework == format:
	case strings.HasPrefix(e.Framework, format):
		n += 8
	default:
		n += 16
	}
	return n
}

func (r *Report) record(v Verdict) {
	r.Candidates++
	if v.Agreeing == r.Compared {
		r.Matches = append(r.Matches, v)
	} else {
		r.Others = append(r.Others, v)
	}
}

// evaluate compares the candidate; false if a step lacks what it needs.
func (v *Verdict) evaluate(prepared []*model.Laid, e *estimators.Estimator, tolerance float64) bool {
	for _, l := range prepared {
		computed := l.Under(e, v.Scale)
		if computed == nil {
			return false
		}
		v.addStep(l, computed, e.Float, max(tolerance, model.ToleranceOf(e, computed)))
	}
	return true
}

func (v *Verdict) addStep(l *model.Laid, computed []float64, precision estimators.Float, tolerance float64) {
	for g := range len(l.Offsets) - 1 {
		logged, off := 0, 0
		for i := l.Offsets[g]; i < l.Offsets[g+1]; i++ {
			if math.IsNaN(l.Given[i]) {
				continue
			}
			logged++
			if v.addSample(l.Given[i], computed[i], precision, tolerance) {
				continue
			}
			off++
			if v.FirstMismatch == nil {
				v.FirstMismatch = &Mismatch{Step: l.Step, Group: l.Group(g), Row: int(l.Order[i]), Logged: l.Given[i], Computed: computed[i]}
			}
		}
		if logged > 0 {
			v.Groups++
		}
		if logged > 0 && off == 0 {
			v.AgreeingGroups++
		}
	}
}

// addSample counts one sample and reports whether it is near.
func (v *Verdict) addSample(logged, computed float64, precision estimators.Float, tolerance float64) bool {
	if equalIn(logged, computed, precision) {
		v.Exact++
		v.Agreeing++
		return true
	}
	gap := math.Abs(logged - computed)
	if math.IsNaN(gap) {
		gap = math.Inf(1)
	}
	v.MaxGap = max(v.MaxGap, gap)
	if gap > tolerance {
		return false
	}
	v.Agreeing++
	return true
}

// equalIn compares in the precision of the framework: a log may write a float32 with
// more digits than it has.
func equalIn(logged, computed float64, precision estimators.Float) bool {
	if precision == estimators.Float64 {
		return logged == computed
	}
	return float32(logged) == float32(computed)
}

// explain says what the log looks like where nothing reproduces it: how it would be
// reproduced, if there is a way, else what is seen.
func (r *Report) explain(ctx context.Context, snap model.Snapshot, set model.Settings, prepared []*model.Laid) ([]string, error) {
	clues, err := r.tryAlternatives(ctx, snap, set)
	if err != nil || len(clues) > 0 {
		return clues, err
	}
	if clues = linearClue(snap, prepared); len(clues) > 0 {
		return clues, nil
	}
	return append(r.partialAgreement(), evidenceClues(prepared)...), nil
}

// partialAgreement says that the nearest candidate is right for whole groups and wrong for
// others, if it is: then it is rarely the arithmetic.
func (r *Report) partialAgreement() []string {
	if len(r.Others) == 0 || 2*r.Others[0].AgreeingGroups < r.Others[0].Groups {
		return nil
	}
	v := r.Others[0]
	return []string{fmt.Sprintf("%s agrees on %s: look at the others for rows that the log lacks, or that belong elsewhere",
		v.Candidate, units.Fraction(v.AgreeingGroups, v.Groups)+" groups")}
}
