package compare

import (
	"cmp"
	"context"
	"math"
	"slices"

	"vantage/model"
)

// Run is a run with the settings that choose its reward.
type Run struct {
	Name string // that sentences call it by; see [Names]
	Snap model.Snapshot
	Set  model.Settings

	Prompts map[uint64]bool // hashes of the prompts that are compared; nil: all. It must be the same for both runs
}

// Pair is a prompt of both runs.
type Pair struct {
	Hash    uint64 // of prompt and ground truth: the same in every run
	Preview string

	Baseline, Candidate float64 // mean rewards
	Samples             int     // of either run that are compared
	OfBaseline          int     // samples that the baseline has of it in the steps of both runs
	OfCandidate         int
	SameSteps           bool // both runs saw it at the same steps
}

// Delta returns candidate − baseline.
func (p Pair) Delta() float64 { return p.Candidate - p.Baseline }

// Difficulty returns the mean reward over the compared samples of both runs.
func (p Pair) Difficulty() float64 { return (p.Baseline + p.Candidate) / 2 }

// Scope says how much of a run is compared.
type Scope struct {
	Steps, LeftOutSteps     int   // steps of the run; of these, what the other lacks or is open
	OpenSteps               int   // of the steps, those that are still being written
	First, Last             int64 // numbers of its first and last step
	Prompts, LeftOutPrompts int
	Samples, LeftOutSamples int // rollouts; left out are those of the steps and prompts above, and the two below
	InvalidSamples          int // of the left out, in what both have: without a finite reward
	SurplusSamples          int // of the left out: those beyond as many as the other run has of a prompt
}

// Result is the comparison of two runs.
type Result struct {
	Names               [2]string // of the two runs
	Steps               int       // that both have, complete
	Pairs               []Pair    // worst delta first
	Baseline, Candidate Scope
	OtherSteps          int        // pairs that the runs saw at different steps
	Wins                int        // candidate better
	Losses              int        // baseline better
	Ties                int        //
	Delta, StdErr       float64    // mean of candidate − baseline over the pairs, and its standard error; NaN without pairs, or with one
	PValue              float64    // of SignTest
	WinShare            [2]float64 // Wilson interval of wins among wins and losses
	Bins                []Bin
	Scales              string // a sentence if the rewards of the runs are on different scales, "" if not
}

// tieTolerance is the difference up to which two means count as equal.
const tieTolerance = 1e-9

// Runs compares two runs. It fails if some rows of one have no prompt, if it has no such reward, or if
// ctx ends; the error is then a [*RunError]. Without pairs the result says what is missing.
func Runs(ctx context.Context, baseline, candidate Run) (*Result, error) {
	baseline.Name, candidate.Name = cmp.Or(baseline.Name, firstRun), cmp.Or(candidate.Name, secondRun)
	a, err := newSide(ctx, baseline, candidate.Snap)
	if err != nil {
		return nil, &RunError{baseline.Name, err}
	}
	b, err := newSide(ctx, candidate, baseline.Snap)
	if err != nil {
		return nil, &RunError{candidate.Name, err}
	}
	r := &Result{Names: [2]string{baseline.Name, candidate.Name}, Steps: len(a.shared), Scales: differentScales(baseline, candidate)}
	pairs := pairSides(a, b)
	if err := a.sum(ctx, pairs, func(p pairing) promptCount { return p.baseline }); err != nil {
		return nil, &RunError{baseline.Name, err}
	}
	if err := b.sum(ctx, pairs, func(p pairing) promptCount { return p.candidate }); err != nil {
		return nil, &RunError{candidate.Name, err}
	}
	for _, p := range pairs {
		r.Pairs = append(r.Pairs, p.pair(a, b))
	}
	r.Baseline, r.Candidate = a.scope(len(pairs)), b.scope(len(pairs))
	slices.SortStableFunc(r.Pairs, func(p, q Pair) int {
		switch {
		case p.Delta() < q.Delta():
			return -1
		case p.Delta() > q.Delta():
			return 1
		}
		return 0
	})
	r.aggregate()
	return r, nil
}

// RunError is the reason why a run cannot be compared.
type RunError struct {
	Name string // of the run
	Err  error
}

func (e *RunError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *RunError) Unwrap() error { return e.Err }

func (r *Result) aggregate() {
	var deltas moments
	for _, p := range r.Pairs {
		d := p.Delta()
		deltas.add(d)
		if !p.SameSteps {
			r.OtherSteps++
		}
		switch {
		case d > tieTolerance:
			r.Wins++
		case d < -tieTolerance:
			r.Losses++
		default:
			r.Ties++
		}
	}
	r.Delta, r.StdErr = deltas.mean(), deltas.stdErr()
	r.PValue = SignTest(r.Wins, r.Losses)
	r.WinShare = Wilson(r.Wins, r.Wins+r.Losses)
	r.Bins = binsOf(r.Pairs)
}

// moments are sums over differences.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { m.n, m.sum, m.squares = m.n+1, m.sum+x, m.squares+x*x }

// mean is NaN without values.
func (m *moments) mean() float64 { return m.sum / m.n }

// stdErr is the standard error of the mean, NaN for less than two values.
func (m *moments) stdErr() float64 {
	if m.n < 2 {
		return math.NaN()
	}
	return math.Sqrt(max(0, m.squares-m.sum*m.sum/m.n) / (m.n - 1) / m.n)
}
