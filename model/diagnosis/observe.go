package diagnosis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/match"
	"vantage/model/units"
)

// Observations are what detectors look at of each step, ascending: sums over its samples, and a row for each group. Steps that are
// still being written are none.
type Observations struct {
	Steps     []Observed
	Parts     []string // reward columns, as Observed.Parts
	Unit      model.LengthUnit
	Low, High float64 // the reward of what is wrong and of what is solved; NaN without finite rewards

	rows       int
	continuous bool // no reward is the one of what is solved
	rule       model.GroupRule
	prompts    bool // some rows have one
	byPrompt   bool // groups are of one prompt, or of the turns that begin with one: what each does can be told
	lengths    bool // some rows have one
	oneID      bool // see hasOneID
	total      *Sum // nil if the reward is not seen to be a sum of its parts
	snap       model.Snapshot
	set        model.Settings
}

// Observed is a step. A rollout of several rows is its last row.
type Observed struct {
	Step    int64
	Index   int // in the snapshot
	Rows    int
	Invalid int     // rewards that are NaN, infinite or missing, but for those of rollouts that failed
	Reward  Moments // of the finite rewards
	Level   Level   // of the finite rewards
	Top     int     // how many are those of what is solved, or more
	Bottom  int     // how many are those of what is wrong, or less
	Tokens  int64   // sum of the known lengths
	Length  Moments // of the logarithms of the lengths
	Longest Longest
	Parts   []Part // by reward column
	rest    Part   // what the sum of the columns leaves of the reward
	Groups  []GroupFacts
	Logged  match.Facts // of the advantages that the trainer logged

	fates    [model.FateCount]int // of the groups
	revision int
	onlyID   string // of the group, where the step is one of several rows; else ""
	rows     int    // of all rollouts: Rows counts each once
	prompts  int    // distinct ones of rows
	mixed    int    // ids of groups whose rows have several prompts
	ids      int    // ids of groups
	several  int    // groups whose rows have several prompts, where the logged advantages prove groups
	turns    bool   // most rows look like turns of longer answers
}

// Moments are a number of values with their sum and sum of squares.
type Moments struct {
	N            int
	Sum, Squares float64
}

func (m *Moments) add(x float64) { m.N, m.Sum, m.Squares = m.N+1, m.Sum+x, m.Squares+x*x }

// Level says how many of the values are the least and the greatest.
type Level struct {
	Low, High     float64
	AtLow, AtHigh int
}

// add has no branch on whether a value is an extreme, which nobody can predict of rewards that are few.
func (l *Level) add(x float64) {
	if l.AtLow == 0 || x < l.Low {
		l.Low, l.AtLow = x, 0
	}
	if l.AtHigh == 0 || x > l.High {
		l.High, l.AtHigh = x, 0
	}
	l.AtLow += model.Count01(x == l.Low)
	l.AtHigh += model.Count01(x == l.High)
}

// join adds the values of another.
func (l *Level) join(o Level) {
	switch {
	case o.AtLow == 0:
	case l.AtLow == 0:
		*l = o
	default:
		if o.Low <= l.Low {
			if o.Low < l.Low {
				l.Low, l.AtLow = o.Low, 0
			}
			l.AtLow += o.AtLow
		}
		if o.High >= l.High {
			if o.High > l.High {
				l.High, l.AtHigh = o.High, 0
			}
			l.AtHigh += o.AtHigh
		}
	}
}

// Constant reports whether all values are one.
func (l *Level) Constant() bool { return l.AtLow > 0 && l.Low == l.High }

// Longest are the rows whose length is the greatest of the step.
type Longest struct {
	Length    int32
	N         int
	RewardSum float64   // of those with a finite reward
	Valid     int       // how many these are
	parts     []Moments // of their reward columns
}

// Part is a reward column in a step.
type Part struct {
	Moments
	Level
	Missing int
}

// GroupFacts are a group of a step.
type GroupFacts struct {
	Prompt  uint32 // number of its first row's prompt, 0 if none
	N       int32
	Valid   int32   // rows with a finite reward
	Mean    float32 // of these
	Length  float32 // mean logarithm of the known lengths; NaN if there are none
	Differ  int32   // how many rows differ in their numbers
	Equal   float32 // how many pairs of rows do not
	Fate    model.Fate
	Twins   bool   // each row has a twin of the same numbers
	Several bool   // its rows have several prompts, where the logged advantages prove groups
	Print   uint64 // the same for groups of the same prompt with the same numbers, in whatever order
}

// Observe looks at all steps of a run. Unchanged steps of previous, which may be nil, are reused. It fails if samples cannot be
// grouped, if the log has no such reward, or if ctx ends.
func Observe(ctx context.Context, snap model.Snapshot, set model.Settings, previous *Observations) (*Observations, error) {
	o := &Observations{Parts: snap.Run.ComponentNames, Unit: snap.Run.LengthUnit, Low: math.NaN(), High: math.NaN(), snap: snap, set: set}
	grouping, err := snap.Grouping(set)
	if err != nil {
		return nil, err
	}
	o.rule = grouping.GroupRule
	scales := snap.RewardScales(set)
	o.takeScales(scales)
	indexes := make([]int, 0, len(snap.Steps))
	for i := range snap.Steps {
		if !snap.Open(i) {
			indexes = append(indexes, i)
		}
	}
	o.Steps = make([]Observed, len(indexes))
	logs := newLogarithms()
	reusable := previous != nil && previous.set == set && previous.rule == o.rule && previous.Low == o.Low && previous.High == o.High
	errs := make([]error, len(indexes), len(indexes)+1)
	model.InParallel(ctx, runtime.GOMAXPROCS(0), len(indexes), func(k int) {
		i := indexes[k]
		if reusable {
			if old, found := previous.find(snap.Steps[i].Number); found && previous.Steps[old].revision == snap.Steps[i].Revision {
				o.Steps[k] = previous.Steps[old]
				o.Steps[k].Index = i
				return
			}
		}
		o.Steps[k], errs[k] = observe(snap, i, o.rule, set, scales, logs)
	})
	o.sumUp()
	if err := cmp.Or(append(errs, ctx.Err())...); err != nil {
		return o, err
	}
	o.total = o.sum()
	o.takeRest(ctx)
	return o, nil
}

// sumUp notes what the log has in any of its steps.
func (o *Observations) sumUp() {
	for i := range o.Steps {
		s := &o.Steps[i]
		o.rows += s.Rows
		o.lengths = o.lengths || s.Length.N > 0
		o.prompts = o.prompts || slices.ContainsFunc(s.Groups, func(g GroupFacts) bool { return g.Prompt > 0 })
	}
	o.oneID = o.hasOneID()
	o.byPrompt = o.prompts && (o.areTurns() || !o.holdSeveralPrompts())
}

// holdSeveralPrompts reports whether ids hold the answers to several prompts: then the first of a group does not tell whose rewards it has.
func (o *Observations) holdSeveralPrompts() bool {
	mixed, ids := 0, 0
	for i := range o.Steps {
		mixed, ids = mixed+o.Steps[i].mixed, ids+o.Steps[i].ids
	}
	return mixed >= leastMixed && float64(mixed) >= mixedFrom*float64(ids)
}

// grounds are what a word on the run rests on.
func (o *Observations) grounds() (g Grounds) {
	g.SampleSteps = len(o.Steps)
	for i := range o.Steps {
		g.Groups += len(o.Steps[i].Groups)
	}
	g.Uncompared = o.uncompared()
	if l := o.learning(); g.Uncompared == "" && (l == nil || !l.IsGain()) {
		g.Uncompared = o.ungrouped() // a gain shows that something trains
	}
	return g
}

// oneIDSteps is the share of the steps whose only group has the id of the run, or that of the step, from which no id is one of a prompt.
const oneIDSteps = 0.95

// ungrouped says why nothing is known of the answers to one prompt: the log has no prompts, and its group id is one for the whole run, or
// the number of the step.
func (o *Observations) ungrouped() string {
	if o.prompts || !o.oneID {
		return ""
	}
	return "the log has no prompts, and its group id is one for the whole run or the number of the step, so that nothing shows which answers " +
		"are to one prompt"
}

// hasOneID reports whether the steps are one group each, by an id of the run or of the step.
func (o *Observations) hasOneID() bool {
	ofStep, names := 0, map[string]int{}
	for i := range o.Steps {
		if id := o.Steps[i].onlyID; id != "" {
			names[id]++
			ofStep += model.Count01(id == strconv.FormatInt(o.Steps[i].Step, 10))
		}
	}
	most := max(ofStep, names[model.MostCommon(names)])
	return len(o.Steps) >= leastSteps && float64(most) >= oneIDSteps*float64(len(o.Steps))
}

// Limits of what trains nowhere.
const (
	comparedFrom  = 0.01 // of the groups, or of the samples, that train: with fewer nothing shows whether the run is well
	comparedSteps = 8    // that are computed to see whether any sample trains
)

// uncompared says why hardly any sample trains: groups have one sample each, which the estimator compares with nothing. It returns "" if
// samples train, by what the log or the estimator says, or if what keeps them from it is not their number.
func (o *Observations) uncompared() string {
	groups, alive, single := 0, 0, 0
	for i := range o.Steps {
		s := &o.Steps[i]
		if s.Logged.Low != 0 || s.Logged.High != 0 {
			return ""
		}
		groups, alive, single = groups+len(s.Groups), alive+s.fates[model.FateAlive], single+s.fates[model.FateSingle]
	}
	isCompared := float64(alive) >= comparedFrom*float64(groups)
	if isCompared || 2*single < groups || o.trains() {
		return ""
	}
	return fmt.Sprintf("no sample trains: %s of %s have one sample each, so that nothing is compared; log an id that the answers to one "+
		"prompt share", units.Count(single), units.Plural(groups, "groups"))
}

// trains reports whether the estimator of the settings gives samples of some steps an advantage other than 0.
func (o *Observations) trains() bool {
	e, err := o.set.FindEstimator()
	if err != nil || e.Advantage == nil {
		return false
	}
	samples, trains := 0, 0
	for _, s := range spread(o.Steps, comparedSteps) {
		grouped, err := analysis.GroupStep(o.snap, s.Index, o.set)
		if err != nil {
			return false
		}
		for _, a := range grouped.Advantages(e, o.set.Scale) {
			samples, trains = samples+1, trains+model.Count01(math.Abs(a) > analysis.ResidueShare)
		}
	}
	return float64(trains) >= comparedFrom*float64(samples) && samples > 0
}

// takeScales notes which rewards are wrong and which solved, of all runs of the log.
func (o *Observations) takeScales(scales []model.RewardScale) {
	for _, s := range scales {
		if s.Min <= s.Max {
			o.continuous = o.continuous || !s.Discrete
			o.Low, o.High = fmin(o.Low, s.Wrong), fmax(o.High, min(s.Solved, s.Max))
		}
	}
}

// fmin returns the least of two values, the other one of NaN.
func fmin(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return min(a, b)
}

func fmax(a, b float64) float64 {
	if a != a {
		return b
	}
	return max(a, b)
}

// rewardsOf returns the rows of step i by group, where each group begins among them, and their rewards.
func (o *Observations) rewardsOf(i int) (rows []int32, offsets []int, rewards []float64, err error) {
	at := o.Steps[i].Index
	if rows, offsets, err = o.snap.Layout(o.rule, at); err != nil {
		return nil, nil, nil, err
	}
	rewards, err = o.snap.Rewards(o.snap.Steps[at], rows, o.set)
	return rows, offsets, rewards, err
}

func (o *Observations) find(number int64) (int, bool) {
	return slices.BinarySearchFunc(o.Steps, number, func(s Observed, n int64) int { return int(s.Step - n) })
}

// logarithms are those of small whole numbers: most lengths come often.
type logarithms []float64

func newLogarithms() logarithms {
	l := make(logarithms, 1<<14)
	for i := range l {
		l[i] = math.Log(float64(i))
	}
	return l
}

func (l logarithms) of(n int32) float64 {
	if int(n) < len(l) {
		return l[n]
	}
	return math.Log(float64(n))
}

// observe looks at step i.
func observe(snap model.Snapshot, i int, rule model.GroupRule, set model.Settings, scales []model.RewardScale,
	logs logarithms,
) (Observed, error) {
	step := snap.Steps[i]
	order, offsets, err := snap.Layout(rule, i)
	if err != nil {
		return Observed{}, err
	}
	logged, err := snap.Rewards(step, order, set)
	if err != nil {
		return Observed{}, err
	}
	s := Observed{Step: step.Number, Index: i, revision: step.Revision, Parts: make([]Part, len(step.Components))}
	s.Longest.parts = make([]Moments, len(step.Components))
	s.Groups = make([]GroupFacts, 0, len(offsets))
	prints := make([]uint64, 0, 64)
	for k := range len(offsets) - 1 {
		lo, hi := offsets[k], offsets[k+1]
		counted, rewards := order[lo:hi], logged[lo:hi]
		if step.FirstOutputs != nil {
			counted, rewards = lastOutputs(&step, counted, rewards)
		}
		g, scale := GroupFacts{Prompt: step.PromptNumber(int(order[lo])), N: int32(len(counted))}, &scales[snap.RunOf(&step, int(order[lo]))]
		valid, level := takeRewards(rewards)
		s.takeLevels(rewards, &level, scale)
		prints = slices.Grow(prints[:0], len(rewards))[:len(rewards)]
		s.takeRows(&step, counted, rewards, prints)
		if valid.N < len(rewards) {
			s.countInvalid(&step, counted, rewards)
		}
		lengths := s.takeLengths(&step, counted, rewards, logs)
		g.Valid, g.Mean, g.Length = int32(valid.N), float32(valid.Sum/float64(valid.N)), float32(lengths.Sum/float64(lengths.N))
		s.Length.join(lengths)
		s.Reward.join(valid)
		s.Level.join(level)
		s.Rows += int(g.N)
		g.Fate = fateOf(&level, valid.N, int(g.N), scale)
		s.fates[g.Fate]++
		prompt := uint64(0)
		if g.Prompt > 0 {
			prompt = snap.Prompt(g.Prompt).Hash
		}
		g.takePrints(prints, prompt)
		if rule.Proved {
			g.Several = slices.ContainsFunc(order[lo:hi], func(row int32) bool { return step.PromptNumber(int(row)) != g.Prompt })
			s.several += model.Count01(g.Several)
		}
		s.Groups = append(s.Groups, g)
	}
	if step.LoggedAdvantages != nil {
		s.Logged = loggedFacts(&step, order, offsets, logged)
	}
	if isOne := len(s.Groups) == 1 && s.Rows > 1; isOne && rule.By == model.GroupByID {
		s.onlyID = snap.GroupName(rule, &step, order, offsets, 0)
	}
	s.rows = len(step.Rewards)
	s.prompts, s.mixed, s.ids = step.Prompts, step.MixedIDs, step.GroupIDs
	s.turns = areTurns(&step, rule, s.Groups)
	return s, nil
}

// areTurns reports whether most answers of a step seem to have several rows, one for each turn: by their ids, by the prompts of their
// groups, or because most prompts have one row and others several, which the turns after the first are.
func areTurns(step *model.Step, rule model.GroupRule, groups []GroupFacts) bool {
	single := 0
	for i := range groups {
		single += model.Count01(groups[i].N == 1)
	}
	return 2*len(step.Rewards) > 3*step.Rollouts || 2*step.UnfoldingIDs > step.GroupIDs ||
		rule.By == model.GroupByPrompt && 2*single > len(groups) && single < len(groups)
}

// takeRows counts the parts of the rewards of some rows, and returns what the numbers of each row give for its print.
func (s *Observed) takeRows(step *model.Step, rows []int32, rewards []float64, numbers []uint64) {
	for i, row := range rows {
		numbers[i] = math.Float64bits(rewards[i])*0x9e3779b97f4a7c15 ^ uint64(uint32(step.Lengths[row])+1)*0xc2b2ae3d27d4eb4f
	}
	for c, part := range step.Components {
		if part == nil {
			continue
		}
		for i, row := range rows {
			s.Parts[c].take(part[row])
			numbers[i] = mix(numbers[i] ^ math.Float64bits(part[row])*uint64(2*c+3))
		}
	}
}

// countInvalid counts the rewards of some rows that are not finite, but for those of rollouts that failed.
func (s *Observed) countInvalid(step *model.Step, rows []int32, rewards []float64) {
	for i, row := range rows {
		if !units.IsFinite(rewards[i]) && !step.Failed(int(row)) {
			s.Invalid++
		}
	}
}

// takeLengths counts the lengths of some rows, and returns the moments of their logarithms.
func (s *Observed) takeLengths(step *model.Step, rows []int32, rewards []float64, logs logarithms) Moments {
	n, sum, squares, tokens := 0, 0.0, 0.0, int64(0) // which stay in registers
	for i, row := range rows {
		length := step.Lengths[row]
		if length <= 0 {
			continue
		}
		x := logs.of(length)
		n, sum, squares, tokens = n+1, sum+x, squares+x*x, tokens+int64(length)
		if length < s.Longest.Length {
			continue
		}
		s.Longest.take(length, rewards[i])
		for c, part := range step.Components {
			if part != nil && part[row]-part[row] == 0 {
				s.Longest.parts[c].add(part[row])
			}
		}
	}
	s.Tokens += tokens
	return Moments{n, sum, squares}
}

// lastOutputs returns the rows of a group, and their rewards, that are the last of their rollouts.
func lastOutputs(step *model.Step, rows []int32, rewards []float64) (last []int32, of []float64) {
	for i, row := range rows {
		if _, counts := step.CountedAs(int(row)); counts {
			last, of = append(last, row), append(of, rewards[i])
		}
	}
	return last, of
}

// takeRewards returns the moments and the level of those of some rewards that are finite.
func takeRewards(rewards []float64) (m Moments, l Level) {
	n, sum, squares, least, most := 0, 0.0, 0.0, int64(math.MaxInt64), int64(math.MinInt64)
	for _, x := range rewards {
		if !units.IsFinite(x) {
			continue
		}
		n, sum, squares = n+1, sum+x, squares+x*x
		least, most = min(least, model.Ordinal(x)), max(most, model.Ordinal(x))
	}
	if n == 0 {
		return m, l
	}
	low, high, atLow, atHigh := model.OfOrdinal(least)+0, model.OfOrdinal(most)+0, 0, 0 // no -0
	for _, x := range rewards {
		atLow += model.Count01(x == low)
		atHigh += model.Count01(x == high)
	}
	return Moments{n, sum, squares}, Level{low, high, atLow, atHigh}
}

// takeLevels counts the rewards of what is solved, and of what is wrong: of most groups their level tells.
func (s *Observed) takeLevels(rewards []float64, level *Level, scale *model.RewardScale) {
	switch {
	case level.High < scale.Solved:
	case level.High == scale.Solved:
		s.Top += level.AtHigh
	default:
		for _, x := range rewards {
			s.Top += model.Count01(x >= scale.Solved) & model.Count01(x <= math.MaxFloat64)
		}
	}
	switch {
	case level.Low > scale.Wrong:
	case level.Low == scale.Wrong:
		s.Bottom += level.AtLow
	default:
		for _, x := range rewards {
			s.Bottom += model.Count01(x <= scale.Wrong) & model.Count01(x >= -math.MaxFloat64)
		}
	}
}

// part is reward column c, without values if the step does not have it.
func (s *Observed) part(c int) Part {
	if c >= len(s.Parts) {
		return Part{}
	}
	return s.Parts[c]
}

func (p *Part) take(x float64) {
	if !units.IsFinite(x) {
		p.Missing++
		return
	}
	p.Moments.add(x)
	p.Level.add(x)
}

// take counts a row that is as long as the longest so far, or longer.
func (l *Longest) take(length int32, reward float64) {
	if length > l.Length {
		*l = Longest{Length: length, parts: l.parts}
		clear(l.parts)
	}
	l.N++
	if units.IsFinite(reward) {
		l.RewardSum += reward
		l.Valid++
	}
}

// fateOf is what the rewards of a group tell before any filter.
func fateOf(l *Level, valid, n int, scale *model.RewardScale) model.Fate {
	switch {
	case valid < n:
		return model.FateInvalid
	case n == 1:
		return model.FateSingle
	case l.Constant():
		return scale.FateOfEqual(l.Low)
	}
	return model.FateAlive
}

// takePrints makes the prints of some rows of their numbers, and notes what they tell of a group: how many differ, and whether each has a
// twin. It sorts them, unless few of their bits show that all differ.
func (g *GroupFacts) takePrints(prints []uint64, prompt uint64) {
	sum, odd, seen, alike := uint64(0), uint64(0), [64]uint64{}, uint64(0)
	for i, numbers := range prints {
		p := mix(numbers)
		prints[i] = p
		sum += p
		odd ^= p
		word, bit := &seen[p>>58], p>>52&63
		alike |= *word >> bit
		*word |= 1 << bit
	}
	if g.Differ = int32(len(prints)); alike&1 == 1 {
		slices.Sort(prints)
		g.Differ = 0
		first := 0 // of those that are equal
		for k, p := range prints {
			if p != prints[first] {
				first = k
			}
			if k == first {
				g.Differ++
			}
			g.Equal += float32(k - first)
		}
	}
	g.Print, g.Twins = mix(sum^mix(prompt)), odd == 0 && len(prints) > 0
}

// mix is a hash of 64 bits (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// groupName is the name of a group of a step.
func (o *Observations) groupName(step, group int) string {
	i := o.Steps[step].Index
	order, offsets, err := o.snap.Layout(o.rule, i)
	if err != nil || group >= len(offsets)-1 {
		return ""
	}
	return o.snap.GroupName(o.rule, &o.snap.Steps[i], order, offsets, group)
}

// shareOf counts groups of some fates, of those with a verdict.
func (s *Observed) shareOf(fates []model.Fate) Moments {
	n := len(s.Groups) - s.fates[model.FateInvalid] - s.fates[model.FateSingle]
	of := 0
	for _, f := range fates {
		of += s.fates[f]
	}
	return Moments{n, float64(of), float64(of)}
}
