// Package plan says what other settings of the next launch would give, as far as a log can answer: groups of
// another size, prompts that are not drawn again, a group filter, another scale, keep ratios. In goes a
// snapshot, out comes a [Plan]: a row per setting, each against what was run, and the change that is worth it.
//
// Filters, scales and ratios are computed from the samples of the log. Sizes and prompts need samples that
// nobody drew: the rewards of a group are drawn from the rate of its prompt ([Rates]), which is estimated
// from the account of each (package ledger), whose states also say which prompts are not drawn again.
// [EstimateSizes] asks about sizes alone, and needs no advantages.
package plan

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/ledger"
	"vantage/model/sweep"
	"vantage/model/units"
)

// Plan is what was run, and what other settings would give.
type Plan struct {
	Settings model.Settings
	Steps    int
	Groups   int
	Signal   int    // groups that carry signal
	Unit     string // of what is generated: "tokens", "characters", or "samples" if the log does not say lengths
	Rows     []Row  // the first is what was run
	Best     int    // the row that is worth changing to, 0 if none is
	Missing  []string
}

// Row is a setting.
type Row struct {
	Kind     Kind
	Name     string
	Settings model.Settings // with it; those of the run if no setting says it
	Model    bool           // it is of samples that nobody drew

	Alive     Range // share of groups with signal
	Generated Range // what is generated for a pass over the prompts, against the run
	Abs       Range // Σ|A| of that pass, against the run; NaN for another scale, whose advantages are of another size
	Batch     Range // share of the generated samples that the training step computes
	Effective Range // effective samples, (Σ|A|)²/ΣA², as a share of those generated
	Yield     Range // effective samples of as many generated tokens, against the run

	changes int     // how many things are changed
	kept    float64 // Σ|A| against that of all prompts, where some are not drawn again, or groups or samples are left out
}

// The largest size that is tried, how many tries of a prompt count at most, and the most kinds of accounts that are modelled.
const (
	MaxSize   = 1024
	maxTries  = 64
	maxCounts = 2000
)

// Kind is what a row changes.
type Kind string

// The kinds of rows.
const (
	Run    Kind = "run"
	Size   Kind = "size"
	Retire Kind = "retire"
	Both   Kind = "retire and size"
	Filter Kind = "group filter"
	Scale  Kind = "scale"
	Keep   Kind = "keep ratios"
)

// Range is a figure with the ends of the range that holds it in 90 % of repeats, with as many prompts.
type Range struct{ Value, Low, High float64 }

// What a change must give to be worth it.
const (
	LeastGain = 1.10 // as much yield, against the run
	LeastKept = 0.90 // as much of Σ|A| must be left, where prompts, groups or samples are left out
	leastMore = 1.25 // as much yield, against each of two changes alone
	leastSeen = 30   // groups: of fewer a model knows too little
	nearBest  = 0.90 // of the settings that give as much of the best one's yield that of the fewest changes is taken
)

// TriedSizes are the group sizes that a plan tries.
func TriedSizes() []int { return []int{4, 8, 16, 32, 64} }

// New plans from a snapshot. An open step is left out, unless it is the only one. It fails if the steps
// cannot be computed under the settings, or if ctx ends.
func New(ctx context.Context, snap model.Snapshot, set model.Settings, sizes []int) (*Plan, error) {
	run, err := observe(ctx, snap, set)
	if err != nil {
		return nil, err
	}
	all := run.all()
	p := &Plan{Settings: set, Steps: run.steps, Groups: int(all.groups), Signal: int(all.alive), Unit: run.unit(snap)}
	if all.groups == 0 {
		return nil, errors.New("nothing to plan from: the log has no group")
	}
	if all.abs == 0 {
		p.Missing = append(p.Missing, "signal: every advantage is 0, so that nothing can be compared")
	}
	p.Rows = append(p.Rows, run.row(run, Row{Kind: Run, Name: "as run", Settings: set}))
	l, err := ledger.Of(ctx, snap, set, ledger.Options{Single: true})
	if err != nil {
		return nil, err
	}
	m := newOutlook(l)
	if why := m.whyNot(run, set); why != "" {
		p.Missing = append(p.Missing, "group sizes and prompts: "+why)
	} else {
		m.fit = fitRates(m.counts)
		p.addModelled(m, sizes)
	}
	if err := p.addObserved(ctx, snap, run); err != nil {
		return nil, err
	}
	p.choose()
	return p, nil
}

// choose takes the row that gives the most yield, if its range says that it gives more than the run;
// of those nearly as good that which changes and generates least. A scale is not chosen: how evenly samples
// push does not say what is better.
func (p *Plan) choose() {
	worth := func(r Row) bool {
		return r.Kind != Scale && r.Yield.Low > 1 && r.Yield.Value >= LeastGain && r.kept >= LeastKept
	}
	most := 0.0
	for _, r := range p.Rows[1:] {
		if worth(r) {
			most = max(most, r.Yield.Value)
		}
	}
	for i, r := range p.Rows[1:] {
		best := p.Rows[p.Best]
		isNearBest := worth(r) && r.Yield.Value >= nearBest*most
		isSimpler := cmp.Or(r.changes-best.changes, cmp.Compare(r.Generated.Value, best.Generated.Value)) < 0
		if isNearBest && (p.Best == 0 || isSimpler) {
			p.Best = i + 1
		}
	}
}

func (p *Plan) addObserved(ctx context.Context, snap model.Snapshot, run *observed) error {
	e, _ := p.Settings.FindEstimator() // which observe has found
	var rows []Row
	for setting, filter := range model.StagesOf(p.Settings.Framework) {
		if setting == "group_filter" && p.Settings.GroupFilter == "" {
			r := Row{Kind: Filter, Name: filter.Name, Settings: p.Settings}
			r.Settings.GroupFilter = filter.Framework + "/" + filter.Name
			rows = append(rows, r)
		}
	}
	for _, scale := range e.Scales {
		if scale != p.Settings.Scale {
			r := Row{Kind: Scale, Name: "scale " + string(scale), Settings: p.Settings}
			r.Settings.Scale = scale
			rows = append(rows, r)
		}
	}
	if e.TrainerFilters {
		ratios, err := bestRatios(ctx, snap, p.Settings)
		if err != nil {
			p.Missing = append(p.Missing, "keep ratios: "+err.Error())
		}
		rows = append(rows, ratios...)
	} else {
		p.Missing = append(p.Missing, "keep ratios: "+p.Settings.Trainer()+" has none; EasyR1-Brian has")
	}
	for _, r := range rows {
		r.changes = 1
		other, err := observe(ctx, snap, r.Settings)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			p.Missing = append(p.Missing, r.Name+": "+err.Error())
			continue
		}
		if r = other.row(run, r); r.Kind != Filter || !slices.ContainsFunc(p.Rows, r.doesAs) {
			p.Rows = append(p.Rows, r)
		}
	}
	return nil
}

// doesAs reports whether another filter leaves the same samples to the training step, and the same signal.
func (r Row) doesAs(o Row) bool {
	return o.Kind == Filter && o.Batch == r.Batch && o.Alive == r.Alive && o.Yield == r.Yield
}

// bestRatios are the pairs of keep ratios that leave the fewest samples to train on with most of Σ|A|, without
// recompute and with it.
func bestRatios(ctx context.Context, snap model.Snapshot, set model.Settings) (rows []Row, err error) {
	grid, err := sweep.Run(ctx, snap, snap.CompleteSteps(), set, sweep.DefaultRatios())
	if err != nil {
		return nil, err
	}
	for _, recompute := range []bool{false, true} {
		best := grid.Recommend(sweep.Goal{Name: "cost", Least: sweep.DefaultLeast}, recompute).Cell
		if best == nil || !best.Filtering() {
			continue
		}
		name := "keep +" + units.Fixed(best.KeepPos, 2) + " −" + units.Fixed(best.KeepNeg, 2)
		if recompute {
			name += " anew"
		}
		rows = append(rows, Row{Kind: Keep, Name: name, Settings: best.Apply(set)})
	}
	return rows, nil
}

func (p *Plan) addModelled(m *outlook, sizes []int) {
	own := m.sum(nil, 0)
	add := func(kind Kind, changes int, name string, drop []ledger.State, size int) {
		r := Row{Kind: kind, Name: name, Settings: p.Settings, Model: true, changes: changes}
		if size > 0 {
			r.Settings.NumGenerations = size
		}
		of := m.sum(drop, size)
		if of[0].groups == 0 || of[0].groups == own[0].groups && size == 0 {
			return
		}
		r.fill(func(f figure) Range { return m.quantiles(f, of, own) })
		r.kept = of[0].abs / m.sum(nil, size)[0].abs
		p.Rows = append(p.Rows, r)
	}
	sizes = slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return slices.Max(m.sizes) == n && slices.Min(m.sizes) == n })
	for _, n := range sizes {
		add(Size, 1, "groups of "+units.Count(n), nil, n)
	}
	before := len(p.Rows)
	both := []ledger.State{"solved", "hopeless"}
	add(Retire, 1, "drop solved", both[:1], 0)
	add(Retire, 1, "drop hopeless", both[1:], 0)
	name := p.Rows[len(p.Rows)-1].Name
	switch len(p.Rows) - before {
	case 0:
		p.Missing = append(p.Missing, "prompts to drop: none is proved solved or hopeless; 16 tries of a prompt can")
		return
	case 2:
		name = "drop both"
		add(Retire, 2, name, both, 0)
	}
	for _, n := range sizes {
		add(Both, 3, name+", groups of "+units.Count(n), both, n)
	}
	p.Rows = slices.DeleteFunc(slices.Clone(p.Rows), func(r Row) bool { return r.Kind == Both && !p.addsTo(r) })
}

// addsTo reports whether two changes give clearly more than each of them alone.
func (p *Plan) addsTo(both Row) bool {
	return !slices.ContainsFunc(p.Rows, func(r Row) bool {
		single := r.Kind == Retire || r.Kind == Size && r.Settings == both.Settings
		return single && both.Yield.Value < leastMore*r.Yield.Value
	})
}

func (m *outlook) whyNot(run *observed, set model.Settings) string {
	e, _ := set.FindEstimator() // which observe has found
	m.e, m.scale = e, set.Scale
	switch {
	case len(m.counts) == 0:
		return "the rewards don't show which samples are solved; use --solved-at X"
	case run.counted < 0.9*run.all().groups:
		return "the rewards of too many groups don't show which samples are solved"
	case len(m.counts) > maxCounts || slices.Max(m.sizes) > MaxSize:
		return "groups are too large, or of too many sizes"
	case e.ComparesGroups(set.Scale):
		return e.Title() + " compares groups with each other"
	case slices.Max(m.sizes) < 2:
		return "every group is of one sample"
	case run.partial > 0.1*run.counted:
		return units.Fraction(int(run.partial), int(run.counted)) + " groups have signal although all samples are solved, or none: a " +
			"solve rate can't describe how their rewards differ"
	case !slices.ContainsFunc(m.counts, func(c Count) bool { return c.Solved > 0 && c.Solved < c.Size }):
		return "no prompt has solved samples and others"
	case run.all().groups < leastSeen:
		return "too few groups to model prompts by, " + units.Count(int(run.all().groups)) + " of the " + units.Count(leastSeen) +
			" that it takes"
	}
	return ""
}

// outlook is what the model expects of the prompts, by their accounts: those of one count, state and size of group are one kind.
type outlook struct {
	counts   []Count // their later tries, and how many prompts are of the kind
	states   []ledger.State
	sizes    []int     // of their groups
	groups   []float64 // in the log
	tokens   []float64 // of a try
	fit      rateFit
	e        *estimators.Estimator
	scale    estimators.Scale
	expected map[int][][]totals // by size, with 0 for the size of each group; then by fit and count: of a group
}

func newOutlook(l *ledger.Ledger) *outlook {
	type kind struct {
		tries, solved, size int
		state               ledger.State
	}
	m, index := &outlook{expected: map[int][][]totals{}}, map[kind]int{}
	var tokens []float64
	unknown := false
	for i := range l.Prompts {
		p := &l.Prompts[i]
		tries, solved := p.Later()
		if !p.Known || p.Rewards < p.Tries || tries == 0 {
			continue
		}
		if tries > maxTries {
			if part := solved * maxTries / tries; solved > 0 {
				solved = max(1, part)
			}
			tries = maxTries
		}
		k := kind{tries, solved, (p.Tries + p.Seen/2) / p.Seen, p.State()}
		at, found := index[k]
		if !found {
			at = len(m.counts)
			index[k] = at
			m.counts, m.states, m.sizes = append(m.counts, Count{Size: tries, Solved: solved}), append(m.states, k.state),
				append(m.sizes, k.size)
			m.groups, m.tokens, tokens = append(m.groups, 0), append(m.tokens, 0), append(tokens, 0)
		}
		m.counts[at].Groups++
		m.groups[at] += float64(p.Seen)
		m.tokens[at] += float64(p.Tries)
		tokens[at] += float64(p.Tokens)
		unknown = unknown || p.Tokens == 0
	}
	for i, tries := range m.tokens {
		if m.tokens[i] = tokens[i] / tries; unknown { // what is generated is then counted in samples
			m.tokens[i] = 1
		}
	}
	return m
}

// sum returns the totals of the groups of the log without the prompts of some states, by fit, the best one first.
func (m *outlook) sum(without []ledger.State, size int) []totals {
	if m.expected[size] == nil {
		m.expected[size] = m.expect(size)
	}
	sums := make([]totals, len(m.expected[size]))
	for f := range sums {
		for i, c := range m.counts {
			if slices.Contains(without, m.states[i]) {
				continue
			}
			groups := m.groups[i]
			if f > 0 {
				groups *= m.fit.Drawn[(f-1)%len(m.fit.Drawn)][i] / float64(c.Groups)
			}
			sums[f].add(m.expected[size][f][i], groups)
		}
	}
	return sums
}

// expect returns the totals of a group of each count: what is expected under the best fit, and what came of
// the prompts that were drawn again for each of the others.
func (m *outlook) expect(size int) [][]totals {
	const many = 5000 // groups of a count, beyond which chance evens out
	random := rand.New(rand.NewPCG(uint64(size), 1))
	fits := append([]Rates{m.fit.Rates}, slices.Concat(m.fit.Near...)...)
	all := make([][]totals, len(fits))
	profiles := map[int][]totals{}
	for f, rates := range fits {
		for i, c := range m.counts {
			n := size
			if n == 0 {
				n = m.sizes[i]
			}
			if profiles[n] == nil {
				profiles[n] = profile(m.e, m.scale, n)
			}
			chances, t := make([]float64, n+1), totals{}
			rates.solvedOf(c, chances)
			if f > 0 {
				drawn := m.fit.Drawn[(f-1)%len(m.fit.Drawn)][i] / float64(c.Groups) * m.groups[i]
				if drawn > 0 && drawn < many {
					draw(random, chances, int(drawn+0.5))
				}
			}
			for k, chance := range chances {
				t.add(profiles[n][k], chance)
			}
			t.tokens = m.tokens[i] * float64(n)
			all[f] = append(all[f], t)
		}
	}
	return all
}

// draw replaces chances by the shares of so many draws. Of each draw's place between 0 and 1, cut into as many equal parts as there are
// chances, first says from which chance on it is found.
func draw(random *rand.Rand, chances []float64, times int) {
	upTo, first, sum := make([]float64, len(chances)), make([]int, len(chances)), 0.0
	for k, chance := range chances {
		sum += chance
		upTo[k] = sum
	}
	parts := float64(len(chances))
	for i, k := 0, 0; i < len(first); i++ {
		for upTo[k] < float64(i)/parts*sum {
			k++
		}
		first[i] = k
	}
	clear(chances)
	for range times {
		x := random.Float64()
		k := first[int(x*parts)]
		for upTo[k] < x*sum {
			k++
		}
		chances[k] += 1 / float64(times)
	}
}

// profile returns the totals of groups of n samples, of which 0 to n are solved. Where an estimator needs
// more than rewards, or a batch, the advantage is reward − mean, which is in proportion to it.
func profile(e *estimators.Estimator, scale estimators.Scale, n int) []totals {
	b := estimators.Batch{Offsets: []int{0}}
	for k := range n + 1 {
		for i := range n {
			b.Rewards = append(b.Rewards, float64(model.Count01(i < k)))
		}
		b.Offsets = append(b.Offsets, len(b.Rewards))
	}
	advantages := make([]float64, len(b.Rewards))
	own := e.MissingIn(b) == "" && e.Separable(b, scale) && e.Advantage(advantages, b, scale) == nil
	all := make([]totals, n+1)
	for k := range all {
		t := &all[k]
		t.groups, t.samples, t.batch = 1, float64(n), float64(n)
		if k == 0 || k == n {
			continue
		}
		t.alive = 1
		for i := range n {
			x := advantages[k*n+i]
			if !own {
				x = b.Rewards[k*n+i] - float64(k)/float64(n)
			}
			t.abs += math.Abs(x)
			t.squares += x * x
		}
	}
	return all
}

// totals are sums over groups.
type totals struct{ groups, alive, samples, batch, tokens, abs, squares float64 }

func (t *totals) add(o totals, times float64) {
	t.groups += times * o.groups
	t.alive += times * o.alive
	t.samples += times * o.samples
	t.batch += times * o.batch
	t.tokens += times * o.tokens
	t.abs += times * o.abs
	t.squares += times * o.squares
}

// figure is a figure of a setting against what was run.
type figure func(of, run totals) float64

func (r *Row) fill(of func(figure) Range) {
	r.Alive = of(func(t, _ totals) float64 { return t.alive / t.groups })
	r.Abs = of(func(t, run totals) float64 { return t.abs / run.abs })
	r.Generated = of(func(t, run totals) float64 { return t.tokens / run.tokens })
	r.Batch = of(func(t, _ totals) float64 { return t.batch / t.samples })
	r.Effective = of(func(t, _ totals) float64 { return t.abs * t.abs / t.squares / t.samples })
	r.Yield = of(func(t, run totals) float64 {
		return t.abs * t.abs / t.squares / t.tokens / (run.abs * run.abs / run.squares / run.tokens)
	})
	if r.Kind == Scale {
		r.Abs = Range{math.NaN(), math.NaN(), math.NaN()}
	}
}

// quantiles returns a figure of the best fit, and the range of those of prompts and groups drawn again.
func (m *outlook) quantiles(f figure, of, run []totals) Range {
	value := f(of[0], run[0])
	low, high := m.fit.span(func(near, draw int, to []float64) []float64 {
		at := 1 + near*len(m.fit.Drawn) + draw
		if x := f(of[at], run[at]); x == x { // few groups drawn again may all be of one kind
			to = append(to, x)
		}
		return to
	})
	return Range{value, min(value, low), max(value, high)}
}

// observed are the groups of a log under some settings.
type observed struct {
	steps   int
	blocks  [40]totals // each group is in one of them, by its number
	counted float64    // groups whose rewards say what is solved
	partial float64    // of these those with signal, although all samples are solved, or none
	unknown bool       // some lengths are
}

// observe goes over the groups of a log. Groups of one sample count, and have no signal.
func observe(ctx context.Context, snap model.Snapshot, set model.Settings) (*observed, error) {
	o, seen := &observed{}, 0
	err := analysis.EachComplete(ctx, snap, set, func(a *analysis.Analysis) error {
		o.steps++
		a = a.ByRollout()
		for k := range a.Table {
			g := &a.Table[k]
			t := o.totalsOf(a, g)
			o.blocks[seen%len(o.blocks)].add(t, 1)
			seen++
			if g.HasSolved && g.Invalid == 0 && g.Counted > 0 {
				o.counted++
				if g.Solved == 0 || g.Solved == g.Counted {
					o.partial += t.alive
				}
			}
		}
		return nil
	})
	if err == nil && o.unknown { // what is generated is then counted in samples
		for i := range o.blocks {
			o.blocks[i].tokens = o.blocks[i].samples
		}
	}
	return o, err
}

func (o *observed) totalsOf(a *analysis.Analysis, g *analysis.Group) totals {
	t := totals{groups: 1, samples: float64(g.Size())}
	for i := g.Start; i < g.End; i++ {
		o.unknown = o.unknown || a.Lengths[i] < 0
		t.tokens += float64(a.Lengths[i])
		if x := a.Processed[i]; a.Moves(i) && units.IsFinite(x) {
			t.abs += math.Abs(x)
			t.squares += x * x
		}
	}
	if t.abs > 0 {
		t.alive = 1
	}
	if g.Admitted {
		t.batch = t.samples
	}
	return t
}

func (o *observed) all() (sum totals) {
	for _, b := range o.blocks {
		sum.add(b, 1)
	}
	return sum
}

func (o *observed) unit(snap model.Snapshot) string {
	if o.unknown {
		return "samples"
	}
	return snap.Run.LengthUnit.String()
}

// row returns a row against the run. Its ranges are those of the jackknife: the figures without each block.
func (o *observed) row(run *observed, r Row) Row {
	of, ran := o.all(), run.all()
	r.fill(func(f figure) Range {
		value, variance, n := f(of, ran), 0.0, math.Min(float64(len(o.blocks)), of.groups)
		for i := range int(n) {
			a, b := of, ran
			a.add(o.blocks[i], -1)
			b.add(run.blocks[i], -1)
			d := f(a, b) - value
			variance += d * d * (n - 1) / n
		}
		const quantile = 1.6448536269514722 // of the normal distribution at 0.95
		reach := quantile * math.Sqrt(variance)
		return Range{value, max(0, value-reach), value + reach}
	})
	r.kept = r.Abs.Value
	r.Alive.High, r.Batch.High, r.Effective.High = min(1, r.Alive.High), min(1, r.Batch.High), min(1, r.Effective.High)
	return r
}
