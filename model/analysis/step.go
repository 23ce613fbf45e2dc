package analysis

import (
	"context"
	"iter"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/units"
)

// Columns are the samples of a step sorted by group, in batch order within each.
type Columns struct {
	InputRow         []int32        // row of the step, in input order
	Offsets          []int          // group g is [Offsets[g]:Offsets[g+1]]
	LoggedRewards    []float64      // as logged, or by Settings.Reward or Settings.Weights
	Rewards          []float64      // these after Settings.Overlong, which is what trains: the same slice without it
	LoggedAdvantages []float64      // NaN where the log has none
	Lengths          []int32        // of the responses; -1 where unknown
	Status           []model.Status // as the trainer writes it; nil if it says nothing of any sample
}

// GroupedStep is a step sorted by group.
type GroupedStep struct {
	Step int64
	Columns

	Shaped      int    // how many of Rewards a length penalty lowers
	WhyUnshaped string // why the length penalty of the settings lowers none; "" if it could

	verdicts []float64 // whether each sample is correct, 0 or 1; nil if the log does not say
	snap     *model.Snapshot
	step     model.Step
	weights  model.Weights
	rule     model.GroupRule
	rollouts *rollouts
	scratch  *scratch              // for a step that nobody keeps, else nil
	parts    map[*model.Whole]bool // groups of which the log holds only some samples
	without  []bool                // samples that count in no mean and no advantage: the rollout failed, or was cut off and dropped; nil if all do
}

// GroupStep sorts step i by group. It reads grouping and reward of the settings. It fails if samples
// cannot be grouped, or if the log has no such reward.
func GroupStep(snap model.Snapshot, i int, set model.Settings) (*GroupedStep, error) {
	grouping, err := snap.Grouping(set)
	if err != nil {
		return nil, err
	}
	return groupStep(&snap, i, grouping.GroupRule, set, nil)
}

func groupStep(snap *model.Snapshot, i int, rule model.GroupRule, set model.Settings, memory *scratch) (*GroupedStep, error) {
	step := snap.Steps[i]
	order, offsets, err := snap.Layout(rule, i)
	if err != nil {
		return nil, err
	}
	rewards, err := snap.Rewards(step, order, set)
	if err != nil {
		return nil, err
	}
	g := stored(memory, func(s *scratch) *GroupedStep { return &s.step }, GroupedStep{
		Step: step.Number, Columns: Columns{
			InputRow: order, Offsets: offsets, LoggedRewards: rewards, Rewards: rewards,
			LoggedAdvantages: model.Pick(step.LoggedAdvantages, order), Lengths: model.InOrder(snap, step.Lengths, order),
			Status: step.StatusesOf(order),
		},
		verdicts: snap.Verdicts(step, order), snap: snap, step: step, weights: set.Weights, rule: rule,
		rollouts: newRollouts(step.FirstOutputs, order, offsets), scratch: memory, parts: step.Parts(),
	})
	if g.LoggedAdvantages == nil {
		g.LoggedAdvantages = memory.none(len(order))
	}
	for i, status := range g.Status {
		isDropped := status == model.StatusCutOff && set.Truncated == "drop"
		switch {
		case isDropped:
			g.Status[i] = model.StatusDropped
		case status == model.StatusCutOff && set.Truncated == "mask":
			g.Status[i] = model.StatusMasked
		}
		if isDropped || status == model.StatusErrored && math.IsNaN(g.LoggedAdvantages[i]) {
			if g.without == nil {
				g.without = make([]bool, len(order))
			}
			g.without[i] = true
		}
	}
	return g, g.shape(set)
}

func (g *GroupedStep) shape(set model.Settings) error {
	shaping, values, err := set.FindOverlong()
	if err != nil || shaping == nil {
		return err
	}
	g.Rewards = make([]float64, len(g.LoggedRewards))
	if g.Shaped, err = shaping.Shape(g.Rewards, g.LoggedRewards, knownLengths(g.Lengths), values); err != nil {
		g.WhyUnshaped, err = whyNotApplied(&shaping.Entry, err, "")
	}
	return err
}

// Advantages returns the unfiltered advantages under an estimator, nil if the step lacks what it needs.
func (g *GroupedStep) Advantages(e *estimators.Estimator, scale estimators.Scale) []float64 {
	return g.Filtered(e, scale, 1, 1, false)
}

// Filtered is Advantages after the sample filter of these keep ratios, and recomputed for the kept samples if
// asked for.
func (g *GroupedStep) Filtered(e *estimators.Estimator, scale estimators.Scale, keepPos, keepNeg float64, recompute bool) []float64 {
	rollouts := g.countedBy(e)
	b := g.batch(&g.snap.Run, e, rollouts)
	if e.MissingIn(b) != "" {
		return nil
	}
	original := make([]float64, len(b.Rewards))
	// A refusal does not matter: the log shows that the trainer raised nothing.
	_ = e.Advantage(original, b, scale)
	if keepPos >= 1 && keepNeg >= 1 && !recompute {
		return toOutputs(rollouts, original)
	}
	processed, kept := make([]float64, len(original)), make([]bool, len(original))
	estimators.Keep(kept, processed, original, b.Offsets, keepPos, keepNeg)
	if recompute {
		estimators.Recompute(processed, e, b, scale, original, kept)
	}
	return toOutputs(rollouts, processed)
}

// Groups yields where each group begins and ends.
func (g *GroupedStep) Groups() iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		for k := 1; k < len(g.Offsets) && yield(g.Offsets[k-1], g.Offsets[k]); k++ {
		}
	}
}

// GroupName is the name of group k.
func (g *GroupedStep) GroupName(k int) string {
	return g.snap.GroupName(g.rule, &g.step, g.InputRow, g.Offsets, k)
}

// Run is the number of the run of group k: see model.Snapshot.RunOf.
func (g *GroupedStep) Run(k int) int { return g.snap.RunOf(&g.step, g.firstRow(k)) }

// FullSize is how many consecutive rows are a group in the run of group k, 0 if it is not divided.
func (g *GroupedStep) FullSize(k int) int { return g.rule.FullSize(g.Run(k)) }

func (g *GroupedStep) firstRow(k int) int { return int(g.InputRow[g.Offsets[k]]) }

// stepInput is the part of an analysis that depends only on the step, its grouping and the chosen
// reward. It is computed once and reused for other estimators and filters.
type stepInput struct {
	*GroupedStep
	countedRollouts *rollouts // what the estimator counts; nil if that is each sample
	key             inputKey
	blocks          []block
	groups          []Group // without what the settings make of them
	tokenWeights    []int32 // of the responses: the length, or 1 where unknown

	hasLengths       bool    // some length is known
	length           moments // of all responses
	uncutLength      moments // of those shorter than the longest, which were probably cut off
	invalid, missing int     // rewards that are not finite, and those of them that the log lacks
	solveMetrics     []Metric
	noSolved         string // see StepFigures.NoSolved
}

type inputKey struct {
	step       int64
	revision   int
	open       bool
	rule       model.GroupRule
	reward     string
	weights    model.Weights
	thresholds string // see rewardScales
	overlong   string
	truncated  string
	options    estimators.Options // of that penalty
	eachOutput bool               // rollouts of several outputs do not count as one
}

func (p *plan) inputKey(i int) inputKey {
	step, options := p.snap.Steps[i], estimators.Options("")
	if shaping, _, err := p.settings.FindOverlong(); err == nil && shaping != nil {
		options = p.settings.StageOptions.Of(shaping.Options)
	}
	return inputKey{
		step.Number, step.Revision, p.snap.Open(i), p.grouping.GroupRule, p.settings.Reward, p.settings.Weights, p.thresholds,
		p.settings.Overlong, p.settings.Truncated, options,
		step.FirstOutputs != nil && getsEachOutput(p.estimator),
	}
}

func (p *plan) stepInput(ctx context.Context, i int, previous *Analysis, memory *scratch) (*stepInput, error) {
	key := p.inputKey(i)
	if previous != nil && previous.input.key == key {
		return previous.input, nil
	}
	step, err := groupStep(&p.snap, i, p.grouping.GroupRule, p.settings, memory)
	if err != nil {
		return nil, err
	}
	in := stored(memory, func(s *scratch) *stepInput { return &s.input }, stepInput{
		GroupedStep: step, countedRollouts: step.countedBy(p.estimator), key: key,
		groups: zeros(memory, func(s *scratch) *[]Group { return &s.groups }, len(step.Offsets)-1),
	})
	in.blocks = blocksOf(in.Offsets)
	logged, trained, verdicts := lastOf(in.countedRollouts, in.LoggedRewards), lastOf(in.countedRollouts, in.Rewards), lastOf(in.countedRollouts, in.verdicts)
	eachBlock(ctx, in.blocks, func(_ int, b block) {
		for g := b.from; g < b.to; g++ {
			in.groups[g] = in.describe(g, logged, trained, verdicts, &p.rewardScales)
		}
	})
	in.summarize()
	if in.solveMetrics == nil && len(in.groups) > 0 {
		in.noSolved = p.rewardScales.of(&in.groups[0]).WhyNone()
	}
	return in, nil
}

// describe returns group k with what its rewards tell by the scale of its run. logged are those of the
// step that the estimator counts, trained the same after the length penalty, verdicts what the log says of whether they are correct.
func (in *stepInput) describe(k int, logged, trained, verdicts []float64, scales *rewardScales) Group {
	g := Group{Step: in.Step, Name: in.GroupName(k), Preview: in.snap.Preview(&in.step, in.firstRow(k)), Start: in.Offsets[k], End: in.Offsets[k+1]}
	g.Run = in.Run(k)
	g.HasSolved = scales.of(&g).Known
	from, to := in.rollouts.ofGroup(k, in.Offsets)
	lo, hi := in.countedRollouts.ofGroup(k, in.Offsets)
	g.Rollouts, g.Counted = to-from, hi-lo
	sum, squares := 0.0, 0.0
	rewards := trained[lo:hi]
	for _, r := range rewards {
		sum += r
	}
	if !units.IsFinite(sum) {
		rewards, sum = slices.DeleteFunc(slices.Clone(rewards), func(r float64) bool { return !units.IsFinite(r) }), 0
		for _, r := range rewards {
			sum += r
		}
	}
	n := len(rewards)
	mean := sum / float64(n)
	for _, r := range rewards {
		squares += (r - mean) * (r - mean)
	}
	g.Invalid, g.RewardMean = g.Counted-n, mean
	if verdicts != nil {
		verdicts = verdicts[lo:hi]
	}
	g.Solved = scales.of(&g).CountSolved(logged[lo:hi], verdicts)
	g.RewardStd = math.Sqrt(squares / float64(n-1))
	if in.parts != nil {
		in.describePart(&g)
	}
	return g
}

// describePart takes back what the samples of a group do not tell if the log lacks others of it: the mean stays only if the log tells that of the
// whole group, or if it follows from advantages that are r − μ.
func (in *stepInput) describePart(g *Group) {
	whole := in.step.Wholes[in.InputRow[g.Start]]
	rewards, advantages := in.LoggedRewards[g.Start:g.End], in.LoggedAdvantages[g.Start:g.End]
	if !in.parts[whole] {
		return
	}
	g.IsPart, g.WholeSize, g.HasSolved, g.RewardStd, g.RewardMean = true, whole.Size, false, math.NaN(), whole.Mean
	if math.IsNaN(g.RewardMean) {
		g.RewardMean = meanByAdvantages(rewards, advantages)
	}
	if whole.Std == 0 {
		g.RewardStd = 0
	}
}

// meanByAdvantages returns the mean of a group of which the log holds some rewards and their advantages, NaN if it does not follow: r − A is one
// value for different rewards only where nothing divides A.
func meanByAdvantages(rewards, advantages []float64) float64 {
	mean, largest := rewards[0]-advantages[0], 0.0
	for _, r := range rewards {
		largest = max(largest, math.Abs(r))
	}
	for i, r := range rewards {
		if !(math.Abs(r-advantages[i]-mean) <= loggedPrecision*largest) {
			return math.NaN()
		}
	}
	if isAllZero := advantages[0] == 0; allEqual(rewards) && !isAllZero {
		return math.NaN()
	}
	return mean
}

// at returns element i, NaN of nil.
func at(values []float64, i int) float64 {
	if values == nil {
		return math.NaN()
	}
	return values[i]
}

func (in *stepInput) summarize() {
	in.tokenWeights = in.Lengths
	all := sumLengths(in.Lengths)
	in.hasLengths = all.n > 0 && all.hi >= 0
	if all.n > 0 && all.lo < 0 { // some are unknown
		in.tokenWeights = slices.Clone(in.Lengths)
		for i, l := range in.tokenWeights {
			if l < 0 {
				in.tokenWeights[i] = 1
			}
		}
		all = sumLengths(in.tokenWeights)
	}
	counted := in.tokenWeights
	if slices.Contains(in.Status, model.StatusUnlogged) {
		counted = nil
		for i, l := range in.tokenWeights {
			if in.Status[i] != model.StatusUnlogged {
				counted = append(counted, l)
			}
		}
		all = sumLengths(counted)
	}
	cut, longestUncut := 0, int32(0)
	for _, l := range counted {
		isCut := model.Count01(int(l) == all.hi)
		cut += isCut
		longestUncut = max(longestUncut, l&int32(isCut-1))
	}
	uncut := lengthSum{all.n - cut, all.sum - cut*all.hi, all.lo, int(longestUncut)}
	in.length, in.uncutLength = all.moments(), uncut.moments()
	for i, r := range in.LoggedRewards {
		if !units.IsFinite(r) && (in.Status == nil || in.Status[i] != model.StatusErrored) {
			in.invalid++
			in.missing += model.Count01(estimators.IsMissing(r))
		}
	}
	in.solveMetrics = solveRates(in.groups)
}

// EachGroups calls visit with the groups of each step, ascending, with what their rewards tell and
// without what an estimator or a filter makes of them. An open step is left out, unless it is the only
// one. It fails as [Analyze] does.
func EachGroups(ctx context.Context, snap model.Snapshot, set model.Settings, visit func([]Group)) error {
	p, err := newPlan(snap, set, nil)
	if err != nil {
		return err
	}
	return eachStep(ctx, snap, snap.CompleteSteps(), func(ctx context.Context, i int) ([]Group, error) {
		in, err := p.stepInput(ctx, i, nil, nil)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		return in.groups, nil
	}, func(groups []Group) error {
		visit(groups)
		return nil
	})
}

// rollouts say which samples of a step are outputs of one rollout, where some rollouts have several.
// An estimator that knows rollouts gets one reward of each, that of its last output, and all outputs
// get the advantage. Nil stands for one sample per rollout.
type rollouts struct {
	offsets []int   // rollouts of group g are [offsets[g]:offsets[g+1]]
	last    []int32 // of each rollout: the sample that is its last output
	of      []int32 // of each sample: its rollout, -1 if the estimator gets none of it
}

// newRollouts finds the rollouts of the samples of a step, sorted into groups. firstOutputs are those
// of the step's rows. Outputs of a rollout in different groups are taken for rollouts of their own.
func newRollouts(firstOutputs, inputRow []int32, offsets []int) *rollouts {
	if firstOutputs == nil {
		return nil
	}
	r := &rollouts{offsets: make([]int, 1, len(offsets)), of: make([]int32, len(inputRow))}
	numbers := make([]int, len(firstOutputs)) // of rollouts, from 1, by the row of their first output
	for g := 1; g < len(offsets); g++ {
		for i := offsets[g-1]; i < offsets[g]; i++ {
			number := &numbers[firstOutputs[inputRow[i]]]
			if *number <= r.offsets[g-1] { // none of this group
				r.last = append(r.last, 0)
				*number = len(r.last)
			}
			r.last[*number-1], r.of[i] = int32(i), int32(*number-1)
		}
		r.offsets = append(r.offsets, len(r.last))
	}
	return r
}

// countedBy returns what an estimator counts of the step: nil if it gets every sample. Of a group whose samples all failed it gets them all.
func (g *GroupedStep) countedBy(e *estimators.Estimator) *rollouts {
	r := g.rollouts
	if getsEachOutput(e) {
		r = nil
	}
	if g.without == nil {
		return r
	}
	counted, numbers := &rollouts{offsets: make([]int, 1, len(g.Offsets)), of: slices.Repeat([]int32{-1}, len(g.InputRow))}, []int32(nil)
	samples := lastOf(r, g.snap.InputOrder(len(g.InputRow)))
	for k := range len(g.Offsets) - 1 {
		lo, hi := r.ofGroup(k, g.Offsets)
		all := !slices.ContainsFunc(samples[lo:hi], func(i int32) bool { return !g.without[i] })
		for _, i := range samples[lo:hi] {
			number := int32(-1)
			if all || !g.without[i] {
				number = int32(len(counted.last))
				counted.last = append(counted.last, i)
			}
			numbers = append(numbers, number)
		}
		counted.offsets = append(counted.offsets, len(counted.last))
	}
	if r == nil {
		counted.of = numbers
		return counted
	}
	for i, k := range r.of {
		counted.of[i] = numbers[k]
	}
	return counted
}

func getsEachOutput(e *estimators.Estimator) bool {
	return e.Outputs == estimators.EachOutput || e.Outputs == estimators.ByRollout
}

// ofGroup returns which rollouts, or samples, are those of group k of a step with these offsets.
func (r *rollouts) ofGroup(k int, offsets []int) (lo, hi int) {
	if r != nil {
		offsets = r.offsets
	}
	return offsets[k], offsets[k+1]
}

// sample is what is counted as the i-th: a sample, or the last of a rollout.
func (r *rollouts) sample(i int) int {
	if r == nil {
		return i
	}
	return int(r.last[i])
}

// lastOf returns the samples that are the last of their rollouts; nil of nil.
func lastOf[T any](r *rollouts, samples []T) []T {
	if r == nil {
		return samples
	}
	return model.Pick(samples, r.last)
}

func toOutputs[T any](r *rollouts, values []T) []T {
	if r == nil {
		return values
	}
	samples := make([]T, len(r.of))
	for i, k := range r.of {
		if k >= 0 {
			samples[i] = values[k]
		}
	}
	return samples
}

// lengths returns the sum of the known lengths of each rollout, -1 if none is known.
func (r *rollouts) lengths(samples []int32) []int32 {
	if r == nil {
		return samples
	}
	sums := slices.Repeat([]int32{-1}, len(r.last))
	for i, k := range r.of {
		if l := samples[i]; l >= 0 && k >= 0 {
			sums[k] = max(0, sums[k]) + l
		}
	}
	return sums
}

// perRollout is the advantages and what the filter makes of them, by rollout: what the estimator counts.
// Without rollouts of several samples they are those of the Analysis.
type perRollout struct {
	original, processed []float64
	keep                []bool
}

// CountsRollouts reports whether the estimator counts rollouts, of which some have several samples.
func (a *Analysis) CountsRollouts() bool {
	counts := func(in *stepInput) bool { return in.rollouts != nil && in.countedRollouts != nil }
	return counts(a.input) || slices.ContainsFunc(a.steps, func(p oneStep) bool { return counts(p.input) })
}

// CountedRows returns how many rows of a group the estimator counts, or the rollout of which it counts: all but those that count in no mean.
func (a *Analysis) CountedRows(g *Group) int {
	n := g.Size()
	if r := a.input.countedRollouts; r != nil {
		for _, k := range r.of[g.Start:g.End] {
			n -= model.Count01(k < 0)
		}
	}
	return n
}

// ByRollout returns the analysis with one sample for each rollout that the estimator counts, the last
// output, and without metrics and warnings: a itself if that is each sample.
func (a *Analysis) ByRollout() *Analysis {
	r := a.input.countedRollouts
	if r == nil {
		return a
	}
	by := *a
	by.Original, by.Processed, by.Keep = a.perRollout.original, a.perRollout.processed, a.perRollout.keep
	by.Columns = Columns{
		InputRow: lastOf(r, a.InputRow), Offsets: r.offsets, LoggedRewards: lastOf(r, a.LoggedRewards), Rewards: lastOf(r, a.Rewards),
		LoggedAdvantages: lastOf(r, a.LoggedAdvantages), Lengths: r.lengths(a.Lengths), Status: lastOf(r, a.Status),
	}
	by.Rows, by.Metrics, by.Warnings = len(r.last), nil, nil
	by.Table = slices.Clone(a.Table)
	for k := range by.Table {
		g := &by.Table[k]
		g.Start, g.End = r.offsets[k], r.offsets[k+1]
		by.countSamples(g)
	}
	in := *a.input
	in.countedRollouts, by.input = nil, &in
	return &by
}

// RolloutOf returns the rollout of sample i of a group, from 0 within the group, and whether the sample
// is its last output; ok is false if no rollout of the step has several outputs.
func (a *Analysis) RolloutOf(g *Group, i int) (rollout int, last, ok bool) {
	of, first := a, g.Start
	if a.steps != nil {
		s := a.steps[a.stepIndex(func(p *oneStep) int { return p.sample }, g.Start)]
		of, first = s.Analysis, g.Start-s.sample
	}
	r := of.input.rollouts
	if r == nil {
		return 0, false, false
	}
	i -= g.Start - first
	k := r.of[i]
	return int(k - r.of[first]), int(r.last[k]) == i, true
}
