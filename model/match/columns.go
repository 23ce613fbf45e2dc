package match

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
	"vantage/estimators/torchsum"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// FoundColumns says which columns of a log make up its reward, and with which weights. TRL logs a column for each reward function,
// more columns that a person adds with log_extra, and no total; but it logs the advantages, and those follow from the weighted sum of the
// right columns.
type FoundColumns struct {
	Weights   model.Weights // of the columns that count; a function with weight 0 is among them if it is known to be one
	Exact     int           // logged advantages that the weights reproduce, to one float32 unit in the last place
	Agreeing  int           // or within the tolerance of [Verdict]
	Compared  int           // logged advantages that were looked at
	Undecided []string      // columns that are equal within every group: no advantage tells their weights
	OnlyRatio bool          // twice the weights would do as well
}

// minAgreeing is the share of the logged advantages that weights must reproduce. Some rows may be of
// groups that are cut or merged.
const minAgreeing = 0.9

// maxColumns is how many columns may be told apart: nobody weighs more.
const maxColumns = 32

// FindColumns returns the weights under which an estimator of the trainer gives the logged advantages; ok is
// false if there are none. It reads the grouping of the settings, and a bounded number of steps.
//
// columns are the candidates, in the order of the log: a trainer logs its reward functions before
// other columns. If known is set, all of them are reward functions, else some may be something else.
func FindColumns(ctx context.Context, snap model.Snapshot, set model.Settings, trainer string, columns []string,
	known bool,
) (found FoundColumns, ok bool) {
	if len(columns) == 0 || len(columns) > maxColumns {
		return found, false
	}
	set.Reward, set.Weights = "", ""
	s := sample(snap, set, columns)
	if len(s.steps) == 0 {
		return found, false
	}
	c := s.describe(columns, known)
	v := verifier{ctx: ctx, snap: snap, set: set, steps: s.indexes}
	for _, e := range estimators.AllWith(set.Options) { // of the trainer and of its other versions, those that the log can feed
		if candidateOf(e, "").isOf(trainer) && snap.Missing(e) == nil {
			v.estimators = append(v.estimators, e)
		}
	}
	if found = v.best(c, c.ones()); !found.complete() {
		if solved := v.best(c, s.solve(c)); solved.Agreeing > found.Agreeing {
			found = solved
		}
	}
	if found.Agreeing == 0 || float64(found.Agreeing) < minAgreeing*float64(found.Compared) || ctx.Err() != nil {
		return FoundColumns{}, false
	}
	found.Undecided = c.undecided()
	twice := v.verify(found.Weights.Times(2))
	found.OnlyRatio = twice.Agreeing >= found.Agreeing
	return found, true
}

// best returns the weights that reproduce most advantages. Of those that reproduce equally many the
// first wins, unless a later one is right in the last place for many more: leave-one-out is what no
// division is, with other weights, but for rounding.
func (v verifier) best(c *candidates, all [][]float64) FoundColumns {
	best := FoundColumns{}
	for _, factors := range all {
		for _, w := range c.complete(factors) {
			f := v.verify(w)
			if f.Agreeing > best.Agreeing || f.Agreeing == best.Agreeing && f.Exact > best.Exact+f.Compared/4 {
				best = f
			}
			if best.complete() && best.Exact == best.Compared || v.ctx.Err() != nil {
				return best
			}
		}
	}
	return best
}

func (f FoundColumns) complete() bool { return f.Compared > 0 && f.Agreeing == f.Compared }

// ones returns the factors to try first: each function counts as it is, and the reward functions come
// before the other columns.
func (c *candidates) ones() [][]float64 {
	var all [][]float64
	factors := make([]float64, len(c.names))
	for k := range c.names {
		if c.moves[k] {
			factors[k] = 1
			all = append(all, slices.Clone(factors))
		}
	}
	if c.known && len(all) > 0 {
		return all[len(all)-1:]
	}
	return all
}

// verifier computes the sampled steps under weights, and compares with the log.
type verifier struct {
	ctx        context.Context
	snap       model.Snapshot
	set        model.Settings
	steps      []int
	estimators []*estimators.Estimator
}

// verify returns how many advantages the best estimator reproduces with those weights.
func (v verifier) verify(w model.Weights) FoundColumns {
	set, best := v.set, FoundColumns{Weights: w}
	set.Weights = w
	var steps []*analysis.GroupedStep
	for _, i := range v.steps {
		step, err := analysis.GroupStep(v.snap, i, set)
		if err != nil {
			return FoundColumns{}
		}
		steps = append(steps, step)
	}
	for _, e := range v.estimators {
		for _, scale := range e.Scales {
			if v.ctx.Err() != nil {
				return FoundColumns{}
			}
			f := FoundColumns{Weights: w}
			for _, step := range steps {
				f.add(step, e, scale)
			}
			if f.Agreeing > best.Agreeing || f.Agreeing == best.Agreeing && f.Exact > best.Exact {
				best = f
			}
		}
	}
	return best
}

// add compares the advantages of a step. Groups whose logged advantages are all 0 would agree with any
// weights of columns that are equal in them, and count only if they do not agree.
func (f *FoundColumns) add(step *analysis.GroupedStep, e *estimators.Estimator, scale estimators.Scale) {
	computed := step.Advantages(e, scale)
	if computed == nil {
		return
	}
	near := analysis.NewLoggedTolerance(e, scale, step.LoggedRewards, computed)
	for lo, hi := range step.Groups() {
		tolerance, dead, compared, v := near.Within(lo, hi), true, 0, Verdict{}
		for i := lo; i < hi; i++ {
			if logged := step.LoggedAdvantages[i]; !math.IsNaN(logged) {
				dead = dead && logged == 0
				compared++
				v.addSample(logged, computed[i], e.Float, tolerance)
			}
		}
		if !dead || v.Agreeing < compared {
			f.Compared, f.Exact, f.Agreeing = f.Compared+compared, f.Exact+v.Equal(), f.Agreeing+v.Agreeing
		}
	}
}

// candidates are columns that may be reward functions, in the order of the log.
type candidates struct {
	names  []string
	known  bool   // all are reward functions
	moves  []bool // some group has more than one value of it
	varies []bool // the log has more than one value of it
	zero   []bool // all values are 0
}

func (s *samples) describe(names []string, known bool) *candidates {
	n := len(names)
	c := &candidates{names: names, known: known, moves: make([]bool, n), varies: make([]bool, n), zero: make([]bool, n)}
	for k := range names {
		first := s.steps[0].columns[k][0]
		c.zero[k] = true
		for _, step := range s.steps {
			values := step.columns[k]
			for lo, hi := range step.Groups() {
				for _, x := range values[lo:hi] {
					c.moves[k] = c.moves[k] || x != values[lo]
					c.varies[k] = c.varies[k] || x != first
					c.zero[k] = c.zero[k] && x == 0
				}
			}
		}
	}
	return c
}

func (c *candidates) undecided() []string {
	var names []string
	for k, name := range c.names {
		if !c.moves[k] && !c.zero[k] {
			names = append(names, name)
		}
	}
	return names
}

// complete returns weights with those factors of the columns that move advantages. Of the others a
// known function counts once, as does what has one value everywhere and stands before a column that
// counts, or is called a reward: a function that all samples satisfy. What differs between prompts but
// never within a group belongs to the prompt. A function that always gives 0 changes no sum but
// torch's order of it. The last weights have no such column at all.
func (c *candidates) complete(factors []float64) []model.Weights {
	last := -1
	for k, x := range factors {
		if x != 0 {
			last = k
		}
	}
	full, bare := &strings.Builder{}, &strings.Builder{}
	for k, x := range factors {
		counts := x != 0 || c.known
		if counts && c.moves[k] {
			add(full, c.names[k], x)
			add(bare, c.names[k], x)
			continue
		}
		isNamedReward := strings.Contains(strings.ToLower(c.names[k]), "reward")
		isConstant := !c.varies[k] && (k < last || isNamedReward)
		if !c.moves[k] && (c.known || isConstant) {
			add(full, c.names[k], 1)
		}
	}
	all := []model.Weights{model.NewWeights(full.String())}
	if w := model.NewWeights(bare.String()); w != all[0] && !c.known {
		all = append(all, w)
	}
	return slices.DeleteFunc(all, func(w model.Weights) bool { return w == "" })
}

func add(b *strings.Builder, name string, x float64) {
	if b.Len() > 0 {
		b.WriteByte(',')
	}
	b.WriteString(name + "=" + strconv.FormatFloat(x, 'g', -1, 64))
}

// The bounds of what is looked at.
const (
	maxSteps   = 16
	maxSamples = 8192 // of these steps; the last may go beyond
)

// samples are some steps of a log, spread over it: a column that is the same everywhere at the end may
// have differed at the beginning.
type samples struct {
	indexes []int // of the steps in the snapshot
	steps   []sampledStep
}

type sampledStep struct {
	*analysis.GroupedStep
	columns [][]float64 // by candidate and row; 0 where the log has nothing, as in TRL's sum
	hasNull []bool      // by row: some candidate has nothing
}

func sample(snap model.Snapshot, set model.Settings, columns []string) samples {
	var complete []int
	for i, step := range snap.Steps {
		if step.LoggedAdvantages != nil && !snap.Open(i) {
			complete = append(complete, i)
		}
	}
	s, rows := samples{}, 0
	n := min(maxSteps, len(complete))
	for k := range n { // the newest, then evenly back to the first
		i := complete[len(complete)-1-k*(len(complete)-1)/max(1, n-1)]
		step, err := sampleStep(snap, i, set, columns)
		if err != nil || len(step.LoggedAdvantages) == 0 {
			continue
		}
		s.indexes, s.steps = append(s.indexes, i), append(s.steps, step)
		if rows += len(step.LoggedAdvantages); rows >= maxSamples {
			break
		}
	}
	return s
}

func sampleStep(snap model.Snapshot, i int, set model.Settings, columns []string) (sampledStep, error) {
	g, err := analysis.GroupStep(snap, i, set)
	if err != nil {
		return sampledStep{}, err
	}
	s := sampledStep{GroupedStep: g, hasNull: make([]bool, len(g.InputRow))}
	for _, k := range snap.Run.ComponentIndexes(columns) {
		values := snap.Steps[i].Component(g.InputRow, k)
		for row, x := range values {
			if math.IsNaN(x) {
				values[row], s.hasNull[row] = 0, true
			}
		}
		s.columns = append(s.columns, values)
	}
	return s, nil
}

// eachGroup calls f with the bounds of the groups whose advantages are all logged and finite.
func (s *sampledStep) eachGroup(f func(lo, hi int)) {
	for lo, hi := range s.Groups() {
		if hi-lo > 1 && !slices.ContainsFunc(s.LoggedAdvantages[lo:hi], func(a float64) bool { return !units.IsFinite(a) }) {
			f(lo, hi)
		}
	}
}

// block is rows whose weighted sum is proportional to the advantages.
type block struct {
	step       int         // of the sample
	columns    [][]float64 // by column and row, with mean 0
	advantages []float64
}

// groups returns a block for each group. Those with a sample that a column has nothing for come only
// if there are few others: TRL leaves a sample out of the mean if no reward function gave it anything.
func (s *samples) groups(columns []int) []block {
	if whole := s.groupBlocks(columns, false); len(whole) >= 4*len(columns) {
		return whole
	}
	return s.groupBlocks(columns, true)
}

func (s *samples) groupBlocks(columns []int, withNulls bool) []block {
	var all []block
	for at := range s.steps {
		step := &s.steps[at]
		step.eachGroup(func(lo, hi int) {
			if !withNulls && slices.Contains(step.hasNull[lo:hi], true) {
				return
			}
			b := block{step: at, advantages: step.LoggedAdvantages[lo:hi]}
			for _, k := range columns {
				b.columns = append(b.columns, lessMean(step.columns[k][lo:hi]))
			}
			all = append(all, b)
		})
	}
	return all
}

// normalisedSteps returns a block for each step, with columns that are normalised by group: TRL's
// multi_objective_aggregation="normalize_then_sum".
func (s *samples) normalisedSteps(columns []int) []block {
	var all []block
	for at := range s.steps {
		step := &s.steps[at]
		b := block{step: at, columns: make([][]float64, len(columns))}
		step.eachGroup(func(lo, hi int) {
			b.advantages = append(b.advantages, step.LoggedAdvantages[lo:hi]...)
			for i, k := range columns {
				values := lessMean(step.columns[k][lo:hi])
				divisor := std(values) + trlEps
				for _, x := range values {
					b.columns[i] = append(b.columns[i], x/divisor)
				}
			}
		})
		if len(b.advantages) == 0 {
			continue
		}
		for i := range b.columns {
			b.columns[i] = lessMean(b.columns[i])
		}
		all = append(all, b)
	}
	return all
}

func (s *samples) stepStds(columns []int, w []float64) []float64 {
	var all []float64
	for at := range s.steps {
		var values [][]float64
		for _, k := range columns {
			values = append(values, s.steps[at].columns[k])
		}
		all = append(all, std(lessMean(weightedColumns(values, w))))
	}
	return all
}

func lessMean(values []float64) []float64 {
	mean := torchsum.SumLeftToRight(values) / float64(len(values))
	out := make([]float64, len(values))
	for i, x := range values {
		out[i] = x - mean
	}
	return out
}

// std returns the standard deviation of values with mean 0, with ddof 1.
func std(values []float64) float64 {
	return math.Sqrt(dot(values, values) / float64(max(1, len(values)-1)))
}
