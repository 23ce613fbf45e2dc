// Package match finds the estimator that wrote the advantages of a log: it
// computes them under every framework, estimator and scale that the log can feed,
// and compares.
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

// Verdict is how well a candidate reproduces the log.
type Verdict struct {
	Candidate
	Equal  int       // samples that are equal to the bit of the candidate's precision
	Near   int       // samples that are equal but for digits that logs lose: see [model.Agree]
	Groups int       // groups all of whose logged advantages are near
	Of     int       // groups with a logged advantage
	MaxGap float64   // largest |logged − computed| of samples that are not equal
	First  *Mismatch // the first sample that is not near; nil if all are
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
	Sampled  bool // the log has more of them, which were not looked at
	Grouping model.Grouping
	Matches  []Verdict // that agree on every sample, the most bits first, then the list's order
	Others   []Verdict // the rest, the most agreeing samples first
	Clues    []string  // if nothing matches: what the logged values say, and what it usually means
}

// Match reports whether anything reproduces the log.
func (r *Report) Match() bool { return len(r.Matches) > 0 }

// Enough is how many samples a comparison looks at unless told otherwise: whole
// steps, the newest first.
const Enough = 20_000

// Run compares the newest complete steps of the snapshot, until there are limit
// samples with a logged advantage. Of the settings it takes grouping and reward;
// the filter is left out: advantages are logged as the estimator gave them. It
// returns [ErrNothingLogged], the reason why rows cannot be grouped, or ctx's end.
func Run(ctx context.Context, snap model.Snapshot, set model.Settings, limit int) (*Report, error) {
	r := &Report{}
	steps := r.choose(snap, limit)
	if len(steps) == 0 {
		return nil, ErrNothingLogged
	}
	var err error
	if r.Grouping, err = snap.Grouping(set); err != nil {
		return nil, err
	}
	if err := r.all(ctx, snap, steps, set); err != nil {
		return nil, err
	}
	if r.Match() {
		return r, nil
	}
	r.Clues, err = clues(ctx, snap, steps, set)
	if err != nil {
		return nil, err
	}
	r.Clues = append(r.partly(), r.Clues...)
	regrouped, err := r.regroup(ctx, snap, steps, set)
	r.Clues = append(regrouped, r.Clues...)
	return r, err
}

// all tries every candidate that the log can feed.
func (r *Report) all(ctx context.Context, snap model.Snapshot, steps []int, set model.Settings) error {
	for _, e := range estimators.All() {
		if snap.Lacks(e) != nil {
			continue
		}
		for _, scale := range e.Scales {
			v, ok, err := try(ctx, snap, steps, candidate(set, e, scale), e.Float)
			if err != nil {
				return err
			}
			if ok {
				r.file(v)
			}
		}
	}
	home := func(v Verdict) int { // the framework whose log it is comes first among equals
		return strings.Index(v.Framework, snap.Run.Format)
	}
	slices.SortStableFunc(r.Matches, func(v, w Verdict) int {
		return cmp.Or(cmp.Compare(w.Equal, v.Equal), cmp.Compare(home(w), home(v)))
	})
	slices.SortStableFunc(r.Others, func(v, w Verdict) int {
		return cmp.Or(cmp.Compare(w.Near, v.Near), cmp.Compare(v.MaxGap, w.MaxGap), cmp.Compare(home(w), home(v)))
	})
	return nil
}

// choose returns the indices of the steps to compare, the newest first.
func (r *Report) choose(snap model.Snapshot, limit int) []int {
	var steps []int
	for i := len(snap.Steps) - 1; i >= 0; i-- {
		n := logged(snap.Steps[i])
		if n == 0 || snap.Open(i) && i > 0 {
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

func candidate(set model.Settings, e *estimators.Estimator, scale estimators.Scale) model.Settings {
	set.Framework, set.Estimator, set.Scale = e.Framework, e.Name, scale
	set.KeepPos, set.KeepNeg, set.Recompute = 1, 1, false
	return set
}

// try compares one candidate; ok is false where a step lacks what it needs.
func try(ctx context.Context, snap model.Snapshot, steps []int, set model.Settings, precision estimators.Float) (v Verdict, ok bool, err error) {
	v.Candidate = Candidate{set.Framework, set.Estimator, set.Scale}
	for _, i := range steps {
		a, err := snap.Compute(ctx, i, set)
		var lack *model.LackError
		if errors.As(err, &lack) {
			return v, false, nil
		}
		if err != nil {
			return v, false, err
		}
		v.compare(snap, a, precision)
	}
	return v, true, nil
}

func (v *Verdict) compare(snap model.Snapshot, a *model.Analysis, precision estimators.Float) {
	for g := range len(a.Offsets) - 1 {
		logged, off := 0, 0
		for i := a.Offsets[g]; i < a.Offsets[g+1]; i++ {
			if math.IsNaN(a.Given[i]) {
				continue
			}
			logged++
			if v.sample(a.Given[i], a.Original[i], precision) {
				continue
			}
			off++
			if v.First == nil {
				name, _ := snap.Group(a.Grouping, a.Step, g)
				v.First = &Mismatch{Step: a.Step, Group: name, Row: int(a.Order[i]), Logged: a.Given[i], Computed: a.Original[i]}
			}
		}
		if logged > 0 {
			v.Of++
		}
		if logged > 0 && off == 0 {
			v.Groups++
		}
	}
}

// sample counts one sample and reports whether it is near.
func (v *Verdict) sample(logged, computed float64, precision estimators.Float) bool {
	if same(logged, computed, precision) {
		v.Equal++
		v.Near++
		return true
	}
	if gap := math.Abs(logged - computed); gap > v.MaxGap || math.IsNaN(gap) {
		v.MaxGap = gap
	}
	if !model.Agree(logged, computed) {
		return false
	}
	v.Near++
	return true
}

// same compares in the precision of the framework: a log may write a float32 with
// more digits than it has.
func same(logged, computed float64, precision estimators.Float) bool {
	if precision == estimators.Float64 {
		return logged == computed
	}
	return float32(logged) == float32(computed)
}

func (r *Report) file(v Verdict) {
	if v.Near == r.Compared {
		r.Matches = append(r.Matches, v)
	} else {
		r.Others = append(r.Others, v)
	}
}

// partly says that the nearest candidate is right for whole groups and wrong for
// others, if it is: then it is rarely the arithmetic.
func (r *Report) partly() []string {
	if len(r.Others) == 0 || 2*r.Others[0].Groups < r.Others[0].Of {
		return nil
	}
	v := r.Others[0]
	return []string{fmt.Sprintf("%s %s with scale %s agrees on %s: look at the others for rows that the log lacks, or that belong elsewhere",
		v.Framework, v.Estimator, v.Scale, units.Fraction(v.Groups, v.Of)+" groups")}
}
