// Package offpolicy says how far the samples of a log are from the policy that trains them, whether the engine or staleness is why,
// and what rules keep of them.
//
// In: the samples of a log, one at a time, given to [Study.Add]. Out: the [Study] itself: figures over steps, lags and signs of the
// advantage, a [Trial] of each rule, a [Cause] and an [Answer]. Package report writes it.
//
// # Memory
//
// The log is read once, and a sample is reduced to sums when it comes: a few numbers for each step, lag and rule stay of it. Rules see the
// samples of one step together, as trainers do, so what they look at is kept until the step ends: merged, a place for all tokens that they
// treat alike, and the tokens themselves for the rule that was asked for alone. A step of more than a few million of either is judged in
// parts, as a trainer judges micro-batches: what is kept does not grow with the log.
package offpolicy

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"vantage/estimators"
	rules "vantage/estimators/offpolicy"
	"vantage/model"
	"vantage/model/units"
)

// Sample is a row of a log with its log-probs.
type Sample struct {
	rules.Row
	File      string
	Line      int64
	Step      int
	ID, Group string
	Writer    string // the framework whose trainer writes such rows, empty if several do
	Place     *Place // where the program has the sample, nil if nowhere
}

// Lag is by how many versions the first token is older than the weights that train. found is false if nobody knows.
func (s Sample) Lag() (lag int, found bool) {
	if s.VersionLag == nil {
		return 0, false
	}
	return *s.VersionLag, true
}

// Visit takes a sample whose line is not known yet. Several goroutines may call it; what it returns is called in the order of the log, with
// the line.
type Visit = func(x Sample) (take func(line int64) error)

// Asked is the rule that a person or a configuration names.
type Asked struct {
	Rule    *rules.Rule // nil: none is named
	Values  estimators.Values
	Options estimators.Options // that the values were read from
	By      string             // who names it: "asked for", "by algorithm.rollout_correction.rollout_is"
	Must    bool               // it is refused where the log lacks what it needs
	Still   bool               // the learning rate is 0 throughout: no weights change
	Off     string             // the option of a configuration that turns every rule off, empty if none does
}

// Study is what is known of a log.
type Study struct {
	Asked   Asked
	Sweeps  bool // move the bounds of the rules, too
	Samples int

	Total  Tally
	Lags   []Lag           // by lag, the smallest first
	Signs  [3]Tally        // of rows with A < 0, A = 0 and A > 0
	Tenths [10]Probability // by the sampler's probability of the token, the least probable first
	Own    *Trial          // of the asked rule, nil without one
	Trials []*Trial        // of all rules at their defaults, in their order, each followed by its sweep
	Rows   Rows            // of the samples that have a place
	Lacks  map[string]int  // rows of which no token can be compared, by what they lack
	Gaps   int             // unscored tokens of other rows

	steps   map[int]*Tally
	fresh   map[int]*Tally // by step, of rows of lag 0
	lags    map[int]*Tally
	aged    map[age]*spread // of rows whose lag is known
	traits  traits
	writers map[string]int

	merger *rules.Merger
	merged rules.Batch // of the step
	whole  rules.Batch // the same with all tokens, for Own
	groups []string
	tokens int // in both
}

// age is that of rows at the step that trains them.
type age struct{ step, lag int }

// Lag is the rows that are older by so many versions.
type Lag struct {
	Versions int
	Tally
}

// Probability is the tokens whose probability is in a tenth.
type Probability struct {
	Tokens int
	sumAbs float64
}

// MeanAbs is the mean |d|, NaN without tokens.
func (p Probability) MeanAbs() float64 { return p.sumAbs / float64(p.Tokens) }

// Bounds of what is kept.
const (
	maxBatch = 2 << 20 // tokens, or places of merged ones, that rules see together
	maxLags  = 10_000
	maxAges  = 100_000
)

// New returns an empty study.
func New(asked Asked, sweeps bool) *Study {
	s := newStudy(asked, sweeps)
	if asked.Rule != nil {
		s.Own = &Trial{Rule: asked.Rule, Options: asked.Options, values: asked.Values}
	}
	for _, r := range rules.All() {
		s.Trials = append(s.Trials, trialsOf(r, sweeps)...)
	}
	var uses []rules.Use
	for _, t := range s.Trials {
		if !t.never {
			uses = append(uses, rules.Use{Rule: t.Rule, Values: t.values})
		}
	}
	s.merger = rules.NewMerger(uses)
	return s
}

func newStudy(asked Asked, sweeps bool) *Study {
	return &Study{
		Asked: asked, Sweeps: sweeps, steps: map[int]*Tally{}, fresh: map[int]*Tally{}, lags: map[int]*Tally{}, writers: map[string]int{},
		Lacks: map[string]int{}, aged: map[age]*spread{},
	}
}

// Add takes a sample. Those of a step come together.
func (s *Study) Add(x Sample) { s.take(s.reduce(x)) }

// Visit is Add as a [Visit].
func (s *Study) Visit(x Sample) (take func(line int64) error) {
	r := s.reduce(x)
	return func(int64) error {
		s.take(r)
		return nil
	}
}

// reduced is a sample with sums over its tokens: all that is kept of them, but for the rule that was asked for.
type reduced struct {
	Sample
	figures rules.Figures
	short   rules.Row // as rules look at it
	lacks   string    // if no token can be compared
	tenths  [10]Probability
	traits  traits
}

func (s *Study) reduce(x Sample) *reduced {
	r := &reduced{lacks: cmp.Or(x.Lacks(), "no token that trains and has numbers of both sides")}
	r.short, r.figures = s.merger.Merge(x.Row)
	if x.Even() {
		r.probabilities(x.Row)
		r.traits.add(x.Row)
	}
	if s.Own == nil {
		x.Sampler, x.Trainer, x.Policy, x.Mask = nil, nil, nil, nil
	}
	r.Sample = x
	return r
}

func (s *Study) take(x *reduced) {
	if len(s.groups) > 0 && (s.merged.Step != x.Step || s.full(x.Sample)) {
		s.judge()
	}
	s.Samples++
	s.writers[x.Writer]++
	if x.figures.Tokens == 0 {
		s.Lacks[x.lacks]++
	} else {
		s.Gaps += x.figures.Unscored
	}
	s.tally(x.Sample, x.figures)
	if x.Place != nil {
		s.Rows.add(*x.Place, x.figures)
	}
	for i, p := range x.tenths {
		s.Tenths[i].Tokens, s.Tenths[i].sumAbs = s.Tenths[i].Tokens+p.Tokens, s.Tenths[i].sumAbs+p.sumAbs
	}
	s.traits.join(&x.traits)
	short := x.short
	s.merged.Step, s.merged.Rows, s.groups = x.Step, append(s.merged.Rows, short), append(s.groups, x.Group)
	s.tokens += max(len(short.Sampler), len(short.Trainer))
	if s.Own != nil {
		s.whole.Step, s.whole.Rows = x.Step, append(s.whole.Rows, x.Row)
		s.tokens += max(len(x.Sampler), len(x.Trainer))
	}
}

// full reports whether the batch is judged before x joins it: at the end of a group, unless that has no end.
func (s *Study) full(x Sample) bool {
	isSameGroup := x.Group != "" && x.Group == s.groups[len(s.groups)-1]
	return s.tokens > maxBatch && (!isSameGroup || s.tokens > 4*maxBatch)
}

func (s *Study) tally(x Sample, f rules.Figures) {
	s.Total.Add(f)
	of(s.steps, x.Step).Add(f)
	lag, found := x.Lag()
	if found {
		of(s.steps, x.Step).aged(lag)
		s.Total.aged(lag)
	}
	if found && lag == 0 {
		of(s.fresh, x.Step).Add(f)
	}
	if _, known := s.lags[lag]; found && (known || len(s.lags) < maxLags) {
		of(s.lags, lag).Add(f)
	}
	at := age{x.Step, lag}
	if _, known := s.aged[at]; found && lag >= 0 && f.Tokens > 0 && (known || len(s.aged) < maxAges) {
		of(s.aged, at).add(float64(f.Tokens), f.MeanAbs)
	}
	switch a := x.Advantage; {
	case a < 0:
		s.Signs[0].Add(f)
	case a == 0:
		s.Signs[1].Add(f)
	case a > 0:
		s.Signs[2].Add(f)
	}
}

// of is what a key has, made if there is none.
func of[K comparable, V any](all map[K]*V, key K) *V {
	x, found := all[key]
	if !found {
		x = new(V)
		all[key] = x
	}
	return x
}

// probabilities counts the tokens of a row by their probability.
func (x *reduced) probabilities(r rules.Row) {
	for i, p := range r.Sampler {
		d := math.Abs(float64(r.Trainer[i]) - float64(p))
		if r.Mask != nil && !r.Mask[i] || !units.IsFinite(d) {
			continue
		}
		tenth := tenthOf(p)
		x.tenths[tenth].Tokens++
		x.tenths[tenth].sumAbs += d
	}
}

// tenthOf is the tenth of the probability whose logarithm is p.
func tenthOf(p float32) int {
	if p <= 0 && p > -tenthSlots/perUnit {
		if tenth := tenths[int(p*-perUnit)]; tenth >= 0 {
			return int(tenth)
		}
	}
	return searchTenth(p)
}

func searchTenth(p float32) (tenth int) {
	for tenth < 9 && p >= tenthLogs[tenth] {
		tenth++
	}
	return tenth
}

const (
	tenthSlots = 320
	perUnit    = 128
)

// tenths are those of all logarithms of a slot, −1 if it has the border of one, or is next to it.
var tenths = func() (all [tenthSlots]int8) {
	for i := range all {
		const near = 1e-4
		all[i] = int8(searchTenth(near - float32(i)/perUnit))
		if last := searchTenth(-near - float32(i+1)/perUnit); int(all[i]) != last {
			all[i] = -1
		}
	}
	return all
}()

// tenthLogs are the logarithms of 0.1 to 0.9.
var tenthLogs = func() (logs [9]float32) {
	for i := range logs {
		logs[i] = float32(math.Log(float64(i+1) / 10))
	}
	return logs
}()

// judge applies the rules to the samples of a step.
func (s *Study) judge() {
	if s.Own != nil {
		s.Own.apply(s.whole, s.groups)
	}
	model.InParallel(context.Background(), runtime.GOMAXPROCS(0), len(s.Trials), func(i int) { s.Trials[i].apply(s.merged, s.groups) })
	s.merged.Rows, s.whole.Rows, s.groups, s.tokens = nil, nil, nil, 0
}

// Finish judges the last step, and puts what was counted in order. Nothing is added after it.
func (s *Study) Finish() {
	s.judge()
	s.Rows.sort()
	for _, t := range s.Trials {
		t.copy()
	}
	s.Total.Effective, s.Total.Top = 0, math.NaN()
	for _, step := range s.steps {
		step.Settle()
		s.Total.pool(step)
	}
	for versions, t := range s.lags {
		t.Settle()
		s.Lags = append(s.Lags, Lag{versions, *t})
	}
	slices.SortFunc(s.Lags, func(a, b Lag) int { return a.Versions - b.Versions })
	for i := range s.Signs {
		s.Signs[i].Settle()
	}
}

// Refused is what a rule lacks that the log must have, nil if nothing.
func (s *Study) Refused() error {
	if s.Own == nil || !s.Asked.Must || s.Own.Rows > 0 || s.Own.missing == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.Own.Name(), s.Own.missing)
}

// Writer is the framework that wrote most rows whose writer is known, empty if none is.
func (s *Study) Writer() string {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(s.writers)) {
		if name != "" && (best == "" || s.writers[name] > s.writers[best]) {
			best = name
		}
	}
	return best
}

// Steps are the figures of each step, in order.
func (s *Study) Steps() (all []Span) {
	for _, step := range slices.Sorted(maps.Keys(s.steps)) {
		all = append(all, Span{step, step, *s.steps[step]})
	}
	return all
}

// Course is the figures of at most so many ranges of steps.
func (s *Study) Course(most int) (all []Span) {
	steps := s.Steps()
	size := (len(steps) + most - 1) / max(most, 1)
	for part := range slices.Chunk(steps, max(size, 1)) {
		span := Span{part[0].First, part[len(part)-1].Last, part[0].Tally}
		for i := range part[1:] {
			span.join(&part[1+i].Tally)
		}
		all = append(all, span)
	}
	return all
}
