// Package compare compares two runs, the first (baseline in the code) and the second (candidate), prompt by prompt: the same task under
// both says more than averages over different tasks. Two snapshots go in; pairs, wins and losses with a
// sign test, and differences by difficulty come out. The compare command and the screen call it.
//
// Only what both runs have is compared, so that two runs of one policy differ by chance alone:
//
//   - steps that both have and that are complete, since a run that went further has learned more;
//   - prompts that both saw in these steps;
//   - of each prompt as many samples of either run, since the mean of few is more often far off, which
//     gives wins to one side; the samples are spread evenly over those of the run, in their order;
//   - by difficulty over the samples of both: a prompt that is easy by the luck of the baseline's draw
//     alone would be expected to lose (regression to the mean).
//
// What is left out is counted for each run: see [Scope].
package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
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
// ctx ends; the error then begins with the name of the run. Without pairs the result says what is missing.
func Runs(ctx context.Context, baseline, candidate Run) (*Result, error) {
	baseline.Name, candidate.Name = cmp.Or(baseline.Name, firstRun), cmp.Or(candidate.Name, secondRun)
	runs, sides := [2]Run{baseline, candidate}, [2]*side{}
	for i, run := range runs {
		var err error
		if sides[i], err = newSide(ctx, run, runs[1-i].Snap); err != nil {
			return nil, fmt.Errorf("%s: %w", run.Name, err)
		}
	}
	a, b := sides[0], sides[1]
	pairs := pairSides(a, b)
	for i, s := range sides {
		if err := s.sum(ctx, pairs, i); err != nil {
			return nil, fmt.Errorf("%s: %w", s.run.Name, err)
		}
	}
	r := &Result{Names: [2]string{baseline.Name, candidate.Name}, Steps: len(a.shared), Scales: differentScales(baseline, candidate)}
	for _, p := range pairs {
		r.Pairs = append(r.Pairs, p.pair(a, b))
	}
	r.Baseline, r.Candidate = a.scope(len(pairs)), b.scope(len(pairs))
	slices.SortStableFunc(r.Pairs, func(p, q Pair) int { return cmp.Compare(p.Delta(), q.Delta()) })
	r.aggregate()
	return r, nil
}

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
	r.WinShare = analysis.Wilson(r.Wins, r.Wins+r.Losses)
	r.Bins = binsOf(r.Pairs)
}

// moments are sums over differences.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { m.n, m.sum, m.squares = m.n+1, m.sum+x, m.squares+x*x }

func (m *moments) mean() float64 { return m.sum / m.n }

// stdErr is the standard error of the mean, NaN for less than two values.
func (m *moments) stdErr() float64 {
	if m.n < 2 {
		return math.NaN()
	}
	return math.Sqrt(max(0, m.squares-m.sum*m.sum/m.n) / (m.n - 1) / m.n)
}

// Bin summarises the pairs of one difficulty: with a mean reward over both runs in [Lo, Hi), for the
// last bin in [Lo, Hi].
type Bin struct {
	Lo, Hi float64
	Pairs  int
	Delta  float64 // mean of candidate − baseline; NaN without pairs
	StdErr float64 // of Delta; NaN for less than two pairs
}

const maxBins = 5

// binsOf divides the pairs into difficulties of equal width, nil without pairs.
//
// Difficulty is over as many samples of either run, so that chance moves it no further along with one
// run than with the other: of runs of one policy each bin then has a mean difference of 0. By the
// baseline's rewards alone hard prompts would seem to win, and easy ones to lose.
func binsOf(pairs []Pair) []Bin {
	if len(pairs) == 0 {
		return nil
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range pairs {
		lo, hi = min(lo, p.Difficulty()), max(hi, p.Difficulty())
	}
	n := maxBins
	if hi-lo < tieTolerance { // as sums of floats differ
		n = 1
	}
	width := (hi - lo) / float64(n)
	bins, deltas := make([]Bin, n), make([]moments, n)
	for _, p := range pairs {
		k := 0
		if n > 1 {
			k = min(n-1, int((p.Difficulty()-lo)/width))
		}
		deltas[k].add(p.Delta())
	}
	for k := range bins {
		bins[k] = Bin{lo + float64(k)*width, lo + float64(k+1)*width, int(deltas[k].n), deltas[k].mean(), deltas[k].stdErr()}
	}
	return bins
}

// SignTest returns the exact two-sided p-value of wins and losses under equal odds, 1 if
// there are none.
func SignTest(wins, losses int) float64 {
	n, k := wins+losses, min(wins, losses)
	if n == 0 {
		return 1
	}
	total := 0.0
	for i := 0; i <= k; i++ {
		total += math.Exp(logChoose(n, i) - float64(n)*math.Ln2)
	}
	return min(1, 2*total)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// What runs are called that have no name of their own.
const (
	firstRun  = "first run"
	secondRun = "second run"
)

// Names returns names for two runs of some titles, which may be paths: short and different, without the folders that both
// are in. Runs of one title are the first and the second.
func Names(first, second string) [2]string {
	for {
		a, rest, more := strings.Cut(first, "/")
		b, otherRest, alsoMore := strings.Cut(second, "/")
		if !more || !alsoMore || a != b {
			break
		}
		first, second = rest, otherRest
	}
	first, second = strings.TrimSuffix(first, "/"), strings.TrimSuffix(second, "/")
	if first == second {
		return [2]string{firstRun, secondRun}
	}
	return [2]string{cmp.Or(first, firstRun), cmp.Or(second, secondRun)}
}

// differentScales returns a sentence if the two runs have discrete rewards whose wrong and solved values
// differ, such as 0 and 1 against −1 and 1: a difference of means then says nothing. It is "" if they
// agree, or if one of them does not show its scale.
func differentScales(baseline, candidate Run) string {
	wrongA, solvedA, ok := ends(baseline)
	wrongB, solvedB, alsoOK := ends(candidate)
	if !ok || !alsoOK || wrongA == wrongB && solvedA == solvedB {
		return ""
	}
	return fmt.Sprintf("the rewards are not on one scale: %s has %s for wrong and %s for solved, %s %s and %s (--reward chooses columns "+
		"that both have)",
		baseline.Name, units.Short(wrongA), units.Short(solvedA), candidate.Name, units.Short(wrongB), units.Short(solvedB))
}

func ends(r Run) (wrong, solved float64, ok bool) {
	set := r.Set
	set.SolvedAt = ""
	scales := r.Snap.RewardScales(set)
	s := &scales[0]
	hasEnds := s.Wrong < s.Solved && units.IsFinite(s.Wrong) && units.IsFinite(s.Solved)
	return s.Wrong, s.Solved, len(scales) == 1 && s.Discrete && hasEnds
}

// WhyNothing says why there are no pairs, "" if there are.
func (r *Result) WhyNothing() string {
	a, b := r.Baseline, r.Candidate
	switch {
	case len(r.Pairs) > 0:
		return ""
	case r.Steps > 0:
		return "the runs saw no prompt in common in the " + units.Plural(r.Steps, "steps") + " that both have"
	case a.OpenSteps+b.OpenSteps > 0 && a.First <= b.Last && b.First <= a.Last:
		return "the runs have no complete step in common yet: " + r.stepRanges()
	}
	return "the runs have no step in common: " + r.stepRanges()
}

func (r *Result) stepRanges() string {
	ranges := [2]string{"none", "none"}
	for i, s := range [2]Scope{r.Baseline, r.Candidate} {
		if s.Steps > 0 {
			ranges[i] = units.Steps(s.First, s.Last)
		}
	}
	return fmt.Sprintf("%s has %s, %s %s", r.Names[0], ranges[0], r.Names[1], ranges[1])
}

type side struct {
	run     Run
	shared  []model.Step // complete in both runs
	all     Scope        // of the whole run
	prompts []promptCount

	sums     []float64 // by prompt number less one: of the compared rewards
	compared int       // samples
}

// promptCount is a prompt in the steps of both runs.
type promptCount struct {
	hash    uint64
	number  uint32
	samples int    // with a finite reward
	steps   uint64 // a sum of hashes of the steps in which it was seen: equal sets have equal sums
	last    int    // index of the latest of these steps
}

func newSide(ctx context.Context, run Run, other model.Snapshot) (*side, error) {
	s := &side{run: run, shared: sharedSteps(run.Snap, other)}
	s.all = Scope{Steps: len(run.Snap.Steps), Samples: run.Snap.Rollouts()}
	if n := len(run.Snap.Steps); n > 0 {
		s.all.First, s.all.Last = run.Snap.Steps[0].Number, run.Snap.Steps[n-1].Number
		if run.Snap.Open(n - 1) {
			s.all.OpenSteps = 1
		}
	}
	counts := make([]promptCount, run.Snap.PromptCount())
	isShared := make([]bool, len(run.Snap.Steps))
	for i, step := range run.Snap.Steps {
		_, isShared[i] = slices.BinarySearchFunc(s.shared, step.Number, func(t model.Step, n int64) int { return cmp.Compare(t.Number, n) })
	}
	err := analysis.EachPromptReward(ctx, run.Snap, run.Set, func(p analysis.PromptReward) {
		c := &counts[p.Prompt-1]
		if c.number == 0 {
			*c = promptCount{run.Snap.Prompt(p.Prompt).Hash, p.Prompt, 0, 0, -1}
			s.all.Prompts++
		}
		switch {
		case !isShared[p.Step]:
		case !units.IsFinite(p.Reward):
			s.all.InvalidSamples++
		default:
			c.samples++
			if c.last != p.Step {
				c.last, c.steps = p.Step, c.steps+scramble(uint64(run.Snap.Steps[p.Step].Number))
			}
		}
	})
	s.prompts = slices.DeleteFunc(counts, func(c promptCount) bool { return c.samples == 0 || run.Prompts != nil && !run.Prompts[c.hash] })
	slices.SortFunc(s.prompts, func(p, q promptCount) int { return cmp.Compare(p.hash, q.hash) })
	return s, err
}

func sharedSteps(run, other model.Snapshot) []model.Step {
	var shared []model.Step
	for i, step := range run.Steps {
		if j, found := other.Find(step.Number); found && !run.Open(i) && !other.Open(j) {
			shared = append(shared, step)
		}
	}
	return shared
}

// scramble makes a hash of a number (the last step of SplitMix64).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// pairing is a prompt of both sides, in their order.
type pairing [2]promptCount

func pairSides(a, b *side) []pairing {
	var pairs []pairing
	for i, j := 0, 0; i < len(a.prompts) && j < len(b.prompts); {
		p, q := a.prompts[i], b.prompts[j]
		switch {
		case p.hash < q.hash:
			i++
		case p.hash > q.hash:
			j++
		default:
			pairs = append(pairs, pairing{p, q})
			i++
			j++
		}
	}
	return pairs
}

func (p pairing) samples() int { return min(p[0].samples, p[1].samples) }

func (p pairing) pair(a, b *side) Pair {
	n := float64(p.samples())
	return Pair{
		Hash: p[0].hash, Preview: a.run.Snap.Prompt(p[0].number).Preview,
		Baseline: a.sums[p[0].number-1] / n, Candidate: b.sums[p[1].number-1] / n, Samples: p.samples(),
		OfBaseline: p[0].samples, OfCandidate: p[1].samples, SameSteps: p[0].steps == p[1].steps,
	}
}

// sum adds the rewards of the compared samples of each pair, of which own is the side's half.
func (s *side) sum(ctx context.Context, pairs []pairing, own int) error {
	s.sums = make([]float64, s.run.Snap.PromptCount())
	type spread struct{ take, of, seen int }
	spreads := make([]spread, len(s.sums))
	for _, p := range pairs {
		half := p[own]
		spreads[half.number-1] = spread{take: p.samples(), of: half.samples}
		s.all.SurplusSamples += half.samples - p.samples()
		s.compared += p.samples()
	}
	return analysis.EachPromptReward(ctx, s.run.Snap.Only(s.shared), s.run.Set, func(r analysis.PromptReward) {
		p := &spreads[r.Prompt-1]
		if p.of == 0 || !units.IsFinite(r.Reward) {
			return
		}
		if (p.seen+1)*p.take/p.of > p.seen*p.take/p.of {
			s.sums[r.Prompt-1] += r.Reward
		}
		p.seen++
	})
}

// scope says how much of the run is compared, of which so many prompts.
func (s *side) scope(prompts int) Scope {
	c := s.all
	c.LeftOutSteps, c.LeftOutPrompts, c.LeftOutSamples = c.Steps-len(s.shared), c.Prompts-prompts, c.Samples-s.compared
	return c
}

// Answer is a sample of a prompt.
type Answer struct {
	Step     int64
	Revision int // of the step
	Place    model.Place
	Reward   float64
	Length   int32 // -1 if unknown
}

// Answers returns the samples of a prompt, given by its hash, in the steps that other has too: the best
// reward first, those without a finite one last, else in the order of the log. It fails as [Runs] does.
func Answers(ctx context.Context, run Run, other model.Snapshot, hash uint64) ([]Answer, error) {
	snap := run.Snap.Only(sharedSteps(run.Snap, other))
	var all []Answer
	err := analysis.EachPromptReward(ctx, snap, run.Set, func(p analysis.PromptReward) {
		if snap.Prompt(p.Prompt).Hash == hash {
			step := snap.Steps[p.Step]
			all = append(all, Answer{step.Number, step.Revision, step.Place(p.Row), p.Reward, step.Lengths[p.Row]})
		}
	})
	slices.SortStableFunc(all, func(x, y Answer) int { return cmp.Compare(rank(y), rank(x)) })
	return all, err
}

// rank is the reward, and NaN, which is less than all numbers, for one that is not finite.
func rank(a Answer) float64 { return a.Reward + 0*a.Reward }
