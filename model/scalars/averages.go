package scalars

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// A trainer's averages are a witness of what it did with its samples. Where both are logged they are compared step by step: what agrees
// shows how it computed, and what no rounding, window or filter explains is a finding.

// witness is an average of a trainer.
type witness struct {
	pattern    string // of its name, after train/; * is one part
	of         figure
	population string // which samples are averaged
	source     string // where the trainer computes it
}

// figure is what of the samples an average is of.
type figure int

const (
	ofRewards    figure = iota // their mean
	ofEqual                    // share of groups with equal rewards
	ofMixed                    // share of groups with others
	ofPart                     // mean of a reward column, which the * names
	ofSpread                   // mean over groups of the standard deviation of their rewards, or that of the whole step
	ofPartSpread               // standard deviation of a reward column
	ofHighest                  // greatest reward
	ofLowest                   // least reward
	ofLength                   // mean length in tokens
	ofLongest                  // length of the longest answer
	ofShortest                 // length of the shortest answer
	ofAtLongest                // share of answers that are as long as the longest, where some are cut off
	ofGroups                   // number of groups
	ofLeast                    // least advantage
	ofGreatest                 // greatest advantage
	ofTokens                   // mean advantage over the tokens
	ofZeros                    // share of advantages that are 0
	ofFiltered                 // of other samples than those that are logged, or changed before: not compared
	figureCount  = ofFiltered + 1
)

// isDetail reports whether a figure costs a pass over the rows of a step.
func (f figure) isDetail() bool {
	return f == ofPart || f == ofSpread || f == ofPartSpread || f >= ofLength && f <= ofAtLongest
}

// The averages that show how the trainer computed where they agree with the samples. Of the extremes and of lengths a difference shows
// nothing: a filter changes them, and which tokens count is the trainer's.
func agreeable() []figure {
	return []figure{
		ofRewards, ofEqual, ofMixed, ofPart, ofSpread, ofPartSpread, ofHighest, ofLowest, ofLength, ofLongest, ofShortest,
		ofAtLongest,
	}
}

// Where the sources of averages are.
const (
	ofVerl   = "verl trainer/ppo/metric_utils.py compute_data_metrics"
	ofTRL    = "trl trainer/grpo_trainer.py _generate_and_score_completions, log; ms-swift rlhf_trainers/grpo_trainer.py alike"
	ofRLLM   = "rllm experimental/common/advantage.py collect_reward_and_advantage_from_trajectory_groups"
	ofNeMo   = "nemo_rl algorithms/grpo.py"
	ofTinker = "tinker_cookbook rl/metric_util.py compute_trajectory_metrics"
	ofSlime  = "slime observability/rollout_metrics.py"
)

// Populations that several averages have.
const (
	trainedRows = "all rows that train, after dynamic sampling; aborted answers left out"
	trainedTok  = "tokens of all rows that train"
	completions = "all completions of all processes, mean of the steps between two logs"
	scored      = "completions that the reward function gives a number, of all processes, mean of the steps between two logs"
	trlGroups   = "groups of all processes, mean of the steps between two logs"
)

// witnesses are the averages that are compared, and those under like names that are not.
func witnesses() []witness {
	return []witness{
		{"critic/score/mean", ofRewards, trainedRows, ofVerl},
		{"critic/score/max", ofHighest, trainedRows, ofVerl},
		{"critic/score/min", ofLowest, trainedRows, ofVerl},
		{"critic/rewards/*", ofFiltered, "as critic/score, less the KL penalty where that is in the reward", ofVerl},
		{"critic/advantages/min", ofLeast, trainedTok, ofVerl},
		{"critic/advantages/max", ofGreatest, trainedTok, ofVerl},
		{"critic/advantages/mean", ofTokens, "tokens of the mask of all rows that train, so that long answers count more", ofVerl},
		{"response_length/mean", ofLength, trainedRows, ofVerl},
		{"response_length/max", ofLongest, trainedRows, ofVerl},
		{"response_length/min", ofShortest, trainedRows, ofVerl},
		{"response_length/clip_ratio", ofAtLongest, "rows whose answer has the length of the padded batch", ofVerl},
		{"prompt_length/*", ofFiltered, "tokens of prompts, which no row of a log counts", ofVerl},
		{"reward", ofRewards, completions, ofTRL},
		{"reward_std", ofSpread, "groups, or with scale_rewards=batch the batch of all processes, mean of the steps between two logs", ofTRL},
		{"rewards/*/mean", ofPart, scored, ofTRL},
		{"rewards/*/std", ofPartSpread, scored, ofTRL},
		{"rewards/*", ofPart, "as rewards/NAME/mean, in releases before that name", ofTRL},
		{"frac_reward_zero_std", ofEqual, trlGroups, ofTRL},
		{"completions/mean_length", ofLength, completions, ofTRL},
		{"completions/max_length", ofLongest, completions, ofTRL},
		{"completions/min_length", ofShortest, completions, ofTRL},
		{"completions/clipped_ratio", ofFiltered, "completions without an end token, which no row of a log names", ofTRL},
		{"completions/*_terminated_length", ofFiltered, "completions with an end token, which no row of a log names", ofTRL},
		{"groups/num_groups", ofGroups, "groups of trajectories after the filter", "rllm trainer/algorithms/transform.py"},
		{"advantage/*/fraction_zero", ofZeros, "trajectories of a role after the filter", ofRLLM},
		{"advantage/*/mean", ofFiltered, "trajectories of a role after the filter, where the mean of any rule is near 0", ofRLLM},
		{"advantages/min", ofLeast, trainedTok, ofNeMo},
		{"advantages/max", ofGreatest, trainedTok, ofNeMo},
		{"advantages/mean", ofFiltered, "rows, or tokens in other releases", ofNeMo},
		{"baseline_reward/*", ofFiltered, "baselines of samples, which leave the sample out by a setting", ofNeMo},
		{"env/all/reward/total", ofRewards, "all trajectories, before constant groups are left out", ofTinker},
		{"env/all/by_group/frac_mixed", ofMixed, "all groups, before constant groups are left out", ofTinker},
		{
			"reward/all/mean", ofFiltered, "rollouts before the filter, of which the log may hold those after it",
			"prime-rl orchestrator/metrics.py",
		},
		{"rollout/rewards", ofFiltered, "rewards after normalisation", ofSlime},
		{"rollout/raw_reward", ofRewards, "all samples of the rollout", ofSlime},
	}
}

// witnessed is an average of a trainer beside that of the samples, at the steps that both have.
type witnessed struct {
	*witness
	*Series
	part     string // what the * of the pattern stands for
	steps    []int  // indexes in the figures of the samples
	before   []int  // of each, that of the step that was logged before; -1 of the first
	logged   []float64
	rounding float64 // half of the last digit that is logged
}

// witnessesOf are the averages of a trainer of a figure.
func (r *run) witnessesOf(of figure) (all []witnessed) {
	for _, w := range witnesses() {
		if w.of != of {
			continue
		}
		named := r.named(w.pattern)
		isOfParts := of == ofPart || of == ofPartSpread
		if len(named) != 1 && !isOfParts {
			continue // none, or one for each role: the samples are of all
		}
		for _, series := range named {
			seen := r.beside(&w, series)
			if len(seen.steps) >= leastWitnessed && (!isOfParts || r.hasPart(&seen)) {
				all = append(all, seen)
			}
		}
	}
	return all
}

// detailSteps are the steps, spread over those of the log, at which figures are compared that cost a pass over their rows.
const detailSteps = 64

// beside holds an average next to the samples.
func (r *run) beside(w *witness, series *Series) witnessed {
	seen := witnessed{witness: w, Series: series, part: starOf(w.pattern, series.Name), rounding: roundingOf(series.Values)}
	last := -1
	for k := range r.own.Steps {
		if at, found := slices.BinarySearch(series.Steps, r.own.Steps[k].Step); found {
			seen.steps, seen.before, seen.logged = append(seen.steps, k), append(seen.before, last), append(seen.logged, series.Values[at])
			last = k
		}
	}
	if n := len(seen.steps); w.of.isDetail() && n > detailSteps {
		some := seen
		some.steps, some.before, some.logged = nil, nil, nil
		for i := range detailSteps {
			k := i * (n - 1) / (detailSteps - 1)
			some.steps, some.before, some.logged = append(some.steps, seen.steps[k]), append(some.before, seen.before[k]),
				append(some.logged, seen.logged[k])
		}
		return some
	}
	return seen
}

// starOf is what the * of a pattern stands for in a name.
func starOf(pattern, name string) string {
	before, after, _ := strings.Cut(pattern, "*")
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(name, "train/"), before), after)
}

// hasPart reports whether the samples have the reward column of an average.
func (r *run) hasPart(w *witnessed) bool {
	return slices.ContainsFunc(w.steps, func(k int) bool {
		_, has := r.own.Detail(k).Parts[w.part]
		return has
	})
}

// roundingOf is half of the last digit to which values are rounded, 0 if they are not.
func roundingOf(values []float64) float64 {
	const mostDigits = 4
	for digits := range mostDigits + 1 {
		unit := math.Pow10(digits)
		isRounded := !slices.ContainsFunc(values, func(x float64) bool { return math.Abs(x*unit-math.Round(x*unit)) > 1e-6 })
		if isRounded {
			return 0.5 / unit
		}
	}
	return 0
}

// named are the series whose names, after train/, are as a pattern says.
func (r *run) named(pattern string) (all []*Series) {
	for i := range r.Series {
		if ok, _ := path.Match(pattern, strings.TrimPrefix(r.Series[i].Name, "train/")); ok && !r.Series[i].ofSamples {
			all = append(all, &r.Series[i])
		}
	}
	return all
}

// When averages differ, or agree.
const (
	leastWitnessed = 5    // steps
	mostShare      = 0.9  // of the steps at which it must be so
	agreeShare     = 0.8  // of the steps that show an agreement: the last of a log may be cut
	sameAverage    = 1e-3 // of the range: what rounding makes of an average
	mostRounding   = 1e-2 // of it, that the digits of a log may hide
	otherAverage   = 0.1  // of the range: what no subset drawn at random makes of it at most steps
	otherErrors    = 4    // standard errors of the mean difference, which a random subset does not have
	leastZeros     = 0.2  // share of zeros of which a trainer should have seen some
	ruleSteps      = 32   // steps at which advantages are computed
)

// averagesDiffer finds that the trainer's own averages are not those of its samples.
func (r *run) averagesDiffer() ([]diagnosis.Finding, string) {
	if r.own == nil {
		return nil, "no samples are next to the trainer's averages"
	}
	known := 0
	for of := range figureCount {
		known += len(r.witnessesOf(of))
	}
	if known == 0 {
		return nil, "the trainer's metrics have no average that the samples have too"
	}
	for _, look := range []func(*run) (diagnosis.Finding, bool){
		(*run).otherGroups, (*run).rawAdvantages, (*run).otherZeros,
		(*run).otherRewards,
	} {
		if f, found := look(r); found {
			return []diagnosis.Finding{f}, ""
		}
	}
	return nil, ""
}

// since is the first place from which something holds at most places, -1 if it holds at too few.
func since(holds []bool) int {
	n, first := 0, -1
	for i := len(holds) - 1; i >= 0; i-- {
		if !holds[i] {
			continue
		}
		if n++; n >= leastWitnessed && float64(n) >= mostShare*float64(len(holds)-i) {
			first = i
		}
	}
	return first
}

// finding is that an average of the trainer is not that of the samples from a place on.
func (w *witnessed) finding(r *run, severity diagnosis.Severity, from int, title string, own []float64) diagnosis.Finding {
	step := func(i int) int64 { return r.own.Steps[w.steps[i]].Step }
	evidence := func(name string, values []float64) diagnosis.Evidence {
		return diagnosis.Evidence{
			Name: name, After: diagnosis.Median(values[from:]), AfterFrom: step(from), AfterTo: step(len(w.steps) - 1),
			AfterSamples: len(values) - from, Of: "steps",
		}
	}
	name := sanitize.Line(w.Name)
	return diagnosis.Finding{
		Severity: severity, Since: step(from), Title: title, Example: diagnosis.Example{Step: step(from)},
		Series:   diagnosis.Series{Name: w.Name, Values: w.Values},
		Evidence: []diagnosis.Evidence{evidence(name+" as logged", w.logged), evidence("the same of the samples", own)},
	}
}

// otherGroups finds that the trainer had one group for a whole step, or one for each sample.
func (r *run) otherGroups() (diagnosis.Finding, bool) {
	for _, w := range r.witnessesOf(ofGroups) {
		whole, ones, own := make([]bool, len(w.steps)), make([]bool, len(w.steps)), make([]float64, len(w.steps))
		for i, k := range w.steps {
			x := &r.own.Steps[k]
			own[i] = float64(x.Groups)
			whole[i] = w.logged[i] == 1 && x.Many > 1 && r.holdsAll(x)
			ones[i] = w.logged[i] == float64(x.Rows) && x.Many > 1
		}
		name := sanitize.Line(w.Name)
		if from := since(whole); from >= 0 {
			title := fmt.Sprintf("the trainer itself counts 1 group (%s) where its samples have %s: it compares the answers to all "+
				"prompts of a step with each other", name, units.Short(diagnosis.Median(own[from:])))
			return w.finding(r, diagnosis.Alarm, from, title, own), true
		}
		if from := since(ones); from >= 0 {
			title := fmt.Sprintf("the trainer itself counts a group for each sample (%s %s) where these have %s: groups of one "+
				"compare nothing", name, units.Short(diagnosis.Median(w.logged[from:])), units.Short(diagnosis.Median(own[from:])))
			return w.finding(r, diagnosis.Alarm, from, title, own), true
		}
	}
	return diagnosis.Finding{}, false
}

// leastOfAll is which share of the samples of a step are in its one group, or how many groups the samples have where that is not logged: a
// filter may leave one group of few.
const (
	leastOfAll     = 0.75
	leastRemaining = 4
)

// holdsAll reports whether the one group that a trainer counts at a step is that of its samples.
func (r *run) holdsAll(x *diagnosis.Averaged) bool {
	if sizes := r.named("groups/avg_group_size"); len(sizes) == 1 {
		at, found := slices.BinarySearch(sizes[0].Steps, x.Step)
		return found && sizes[0].Values[at] >= leastOfAll*float64(x.Rows)
	}
	return x.Many >= leastRemaining
}

// rawAdvantages finds that the advantages of the trainer have the extremes of the raw rewards, at steps with groups that differ.
func (r *run) rawAdvantages() (diagnosis.Finding, bool) {
	for _, low := range r.witnessesOf(ofLeast) {
		for _, high := range r.witnessesOf(ofGreatest) {
			if !slices.Equal(low.steps, high.steps) {
				continue
			}
			if f, found := r.rawBetween(&low, &high); found {
				return f, true
			}
		}
	}
	return diagnosis.Finding{}, false
}

func (r *run) rawBetween(low, high *witnessed) (diagnosis.Finding, bool) {
	var at []int                              // places of the steps at which the rule was applied
	every := max(1, len(low.steps)/ruleSteps) // a step costs as much as its samples
	own := slices.Repeat([]float64{math.NaN()}, len(low.steps))
	raw := []bool{}
	greatest := []float64{}
	for i := 0; i < len(low.steps); i += every {
		k := low.steps[i]
		x := &r.own.Steps[k]
		rule, ok := r.own.Advantages(k)
		if !ok || x.Alive == 0 {
			continue
		}
		own[i] = rule.Low
		isRaw := isNear(low.logged[i], x.Low, x) && isNear(high.logged[i], x.High, x)
		isRule := isNear(low.logged[i], rule.Low, x) && isNear(high.logged[i], rule.High, x)
		at, greatest = append(at, i), append(greatest, rule.High)
		raw = append(raw, isRaw && !isRule)
	}
	from := since(raw)
	if from < 0 {
		return diagnosis.Finding{}, false
	}
	first := at[from]
	title := fmt.Sprintf("%s is %s and the greatest %s, those of the raw rewards, where the rule gives %s and %s: no group is compared, "+
		"as with groups of one",
		sanitize.Line(low.Name), units.Short(diagnosis.Median(low.logged[first:])), units.Short(diagnosis.Median(high.logged[first:])),
		units.Short(diagnosis.Median(own[first:])), units.Short(diagnosis.Median(greatest[from:])))
	return low.finding(r, diagnosis.Alarm, first, title, own), true
}

// isNear reports whether two figures of a step are the same but for rounding.
func isNear(a, b float64, x *diagnosis.Averaged) bool {
	return math.Abs(a-b) <= sameAverage*max(1e-9, x.High-x.Low, math.Abs(b))
}

// otherZeros finds that the trainer has hardly any advantage that is 0, where groups with equal rewards give them.
func (r *run) otherZeros() (diagnosis.Finding, bool) {
	for _, w := range r.witnessesOf(ofZeros) {
		var none []bool
		shown := w // at the steps that should have some
		shown.steps, shown.logged = nil, nil
		var own []float64
		for i := 0; i < len(w.steps); i += max(1, len(w.steps)/ruleSteps) {
			k := w.steps[i]
			rule, ok := r.own.Advantages(k)
			if !ok || rule.Zero < leastZeros {
				continue
			}
			shown.steps, shown.logged, own = append(shown.steps, k), append(shown.logged, w.logged[i]), append(own, rule.Zero)
			none = append(none, w.logged[i] <= rule.Zero/4)
		}
		if from := since(none); from >= 0 {
			title := fmt.Sprintf("%s is %s where the rule gives %s of the samples an advantage of 0: the trainer's groups, or its "+
				"estimator, are others",
				sanitize.Line(w.Name), units.Share(diagnosis.Median(shown.logged[from:])), units.Share(diagnosis.Median(own[from:])))
			return shown.finding(r, diagnosis.Watch, from, title, own), true
		}
	}
	return diagnosis.Finding{}, false
}

// otherRewards finds a mean reward, of all or of a column, a share of groups with equal ones, or a standard deviation, that is not that of
// the samples at any shift by a step.
func (r *run) otherRewards() (diagnosis.Finding, bool) {
	for _, of := range []figure{ofRewards, ofEqual, ofMixed, ofPart, ofSpread, ofPartSpread} {
		for _, w := range r.witnessesOf(of) {
			if f, found := r.otherThan(&w); found {
				return f, true
			}
		}
	}
	return diagnosis.Finding{}, false
}

// otherThan finds that an average is not that of the samples.
func (r *run) otherThan(w *witnessed) (diagnosis.Finding, bool) {
	if len(w.steps) < leastPoints || r.agreeing(w) >= 1-mostShare || !r.isOfSamples(w) {
		return diagnosis.Finding{}, false
	}
	all := r.ownOf(w, 0)
	own, reach := all[0], r.reachOf(w)
	differ, by := make([]bool, len(own)), make([]float64, len(own))
	for i := range own {
		by[i] = w.logged[i] - own[i]
		differ[i] = true
		for _, other := range all { // each way in which trainers compute it
			differ[i] = differ[i] && math.Abs(w.logged[i]-other[i]) >= otherAverage*reach
		}
	}
	from := since(differ)
	if from < 0 || reach <= 0 || len(by)-from < leastPoints || !isConsistent(by[from:]) {
		return diagnosis.Finding{}, false
	}
	title := fmt.Sprintf("%s is %s where the samples give %s: %s", sanitize.Line(w.Name), units.Short(diagnosis.Median(w.logged[from:])),
		units.Short(diagnosis.Median(own[from:])), r.explain(w, from))
	return w.finding(r, diagnosis.Watch, from, title, own), true
}

// isOfSamples reports whether an average is known to be of the samples that are logged: a standard deviation is if the mean next to it is.
func (r *run) isOfSamples(w *witnessed) bool {
	mean, known := map[figure]figure{ofSpread: ofRewards, ofPartSpread: ofPart}[w.of]
	return !known || slices.ContainsFunc(r.witnessesOf(mean), func(m witnessed) bool {
		return (w.of == ofSpread || m.part == w.part) && r.agreeing(&m) >= agreeShare
	})
}

// isConsistent reports whether differences have one direction, as those of a random subset have not.
func isConsistent(by []float64) bool {
	m := mean(by)
	squares := 0.0
	for _, x := range by {
		squares += (x - m) * (x - m)
	}
	n := float64(len(by))
	return math.Abs(m) >= otherErrors*math.Sqrt(squares/n/n)
}

// valuesOf are the figure of the samples of a step, in each way in which trainers compute it; NaN where its rows do not tell.
func (r *run) valuesOf(w *witnessed, k int) []float64 {
	x := &r.own.Steps[k]
	if of, known := map[figure]float64{
		ofRewards: x.Mean, ofEqual: x.Equal, ofMixed: mixedOf(x), ofHighest: x.High, ofLowest: x.Low,
	}[w.of]; known {
		return []float64{of}
	}
	d := r.own.Detail(k)
	part, has := d.Parts[w.part]
	if !has {
		part = diagnosis.PartOfStep{Mean: math.NaN(), Spread: math.NaN()}
	}
	return map[figure][]float64{
		ofPart: {part.Mean}, ofPartSpread: {part.Spread}, ofSpread: {d.Spread, d.Whole},
		ofLength: {d.Length}, ofLongest: {d.Long}, ofShortest: {d.Short}, ofAtLongest: {d.AtLong},
	}[w.of]
}

// mixedOf is the share of groups whose rewards are not equal; NaN with groups of one: whether an answer is equal to itself is the
// trainer's.
func mixedOf(x *diagnosis.Averaged) float64 {
	if x.Many < x.Groups {
		return math.NaN()
	}
	return 1 - x.Equal
}

// ways is in how many ways trainers compute a figure.
func (f figure) ways() int { return 1 + model.Count01(f == ofSpread) }

// ownOf is the figure of the samples at the steps of an average, so many of their steps later, in each way.
func (r *run) ownOf(w *witnessed, shift int) [][]float64 {
	own := make([][]float64, w.of.ways())
	for way := range own {
		own[way] = slices.Repeat([]float64{math.NaN()}, len(w.steps))
	}
	for i, k := range w.steps {
		if k += shift; k >= 0 && k < len(r.own.Steps) {
			for way, x := range r.valuesOf(w, k) {
				own[way][i] = x
			}
		}
	}
	return own
}

// mostWindow is of how many steps an average is compared that costs a pass over the rows of each.
const mostWindow = 16

// windowOf is the same as the mean of all steps since the last one that was logged.
func (r *run) windowOf(w *witnessed) [][]float64 {
	own := r.ownOf(w, 0)
	for i, k := range w.steps {
		n := k - w.before[i]
		if w.before[i] < 0 || n == 1 || w.of.isDetail() && n > mostWindow {
			continue
		}
		for way := range own {
			own[way][i] = 0
		}
		for at := w.before[i] + 1; at <= k; at++ {
			for way, x := range r.valuesOf(w, at) {
				own[way][i] += x / float64(n)
			}
		}
	}
	return own
}

// agreeing is the share of steps at which an average is that of the samples: at the same step, a step off, or as the mean of all steps
// since the last one that was logged.
func (r *run) agreeing(w *witnessed) (best float64) {
	for _, of := range [][][]float64{r.ownOf(w, 0), r.ownOf(w, -1), r.ownOf(w, 1), r.windowOf(w)} {
		for _, own := range of {
			n, known := 0, 0
			for i, k := range w.steps {
				known += model.Count01(!math.IsNaN(own[i]))
				n += model.Count01(w.isNear(i, own[i], &r.own.Steps[k]))
			}
			if known >= leastWitnessed {
				best = max(best, float64(n)/float64(known))
			}
		}
	}
	return best
}

// isNear reports whether what is logged at a place is a figure but for rounding, as far as the log's own digits tell.
func (w *witnessed) isNear(i int, own float64, x *diagnosis.Averaged) bool {
	if w.of == ofAtLongest && w.logged[i] == 0 { // none is cut off, and the longest is at no limit
		return false
	}
	reach := max(1e-9, math.Abs(own))
	if slices.Contains([]figure{ofRewards, ofHighest, ofLowest, ofSpread}, w.of) {
		reach = max(reach, x.High-x.Low)
	}
	rounding := min(w.rounding, mostRounding*reach)
	return math.Abs(w.logged[i]-own) <= max(sameAverage*reach, rounding*(1+1e-9))
}

// reachOf is the range of an average.
func (r *run) reachOf(w *witnessed) float64 {
	if w.of == ofEqual || w.of == ofMixed {
		return 1
	}
	if w.of != ofPart && w.of != ofPartSpread {
		return r.own.Reach()
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, k := range w.steps {
		if part, has := r.own.Detail(k).Parts[w.part]; has {
			low, high = min(low, part.Low), max(high, part.High)
		}
	}
	return high - low
}

// explain says what would make an average another one.
func (r *run) explain(w *witnessed, from int) string {
	if w.of == ofEqual || w.of == ofMixed {
		return "the trainer's groups are others, or rows are missing from the log"
	}
	if w.of == ofSpread {
		return "the mean next to it agrees, so that the trainer's groups are others"
	}
	if w.of == ofPartSpread {
		return "the mean next to it agrees, so that the trainer has other values of the same mean"
	}
	var shifts []float64
	own := r.ownOf(w, 0)[0]
	for i := from; i < len(own); i++ {
		shifts = append(shifts, w.logged[i]-own[i])
	}
	if spread := slices.Max(shifts) - slices.Min(shifts); spread <= sameAverage*r.own.Reach() {
		return "a constant is added"
	}
	return "other weights or terms of the reward, or rows missing from the log"
}

// agreement names the averages that are those of the samples, "" if none is, and says whether those of advantages are by the rule.
func (r *run) agreement() (text string, byRule bool) {
	if r.own == nil {
		return "", false
	}
	var names []string
	for _, of := range agreeable() {
		for _, w := range r.witnessesOf(of) {
			if r.agreeing(&w) >= agreeShare {
				names = append(names, w.Name)
			}
		}
	}
	rule := ""
	for _, low := range r.witnessesOf(ofLeast) {
		for _, high := range r.witnessesOf(ofGreatest) {
			if r.isByRule(&low, &high) {
				names = append(names, low.Name, high.Name)
				rule, byRule = ": advantages are those of "+r.own.Rule(), true
				names = append(names, r.tokenMeans()...)
			}
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return "the trainer's own averages agree with the samples (" + someNames(names) + ")" + rule, byRule
}

// isByRule reports whether the extremes of the advantages are those of the rule.
func (r *run) isByRule(low, high *witnessed) bool {
	if !slices.Equal(low.steps, high.steps) {
		return false
	}
	n, agree := 0, 0
	for i := 0; i < len(low.steps); i += max(1, len(low.steps)/ruleSteps) {
		x := &r.own.Steps[low.steps[i]]
		own, ok := r.own.Advantages(low.steps[i])
		if !ok || x.Alive == 0 {
			continue
		}
		if n++; isNear(low.logged[i], own.Low, x) && isNear(high.logged[i], own.High, x) {
			agree++
		}
	}
	return n >= leastWitnessed && float64(agree) >= agreeShare*float64(n)
}

// tokenMeans names the means of advantages over tokens that are those of the rule.
func (r *run) tokenMeans() (names []string) {
	for _, w := range r.witnessesOf(ofTokens) {
		n, agree := 0, 0
		for i := 0; i < len(w.steps); i += max(1, len(w.steps)/ruleSteps) {
			x := &r.own.Steps[w.steps[i]]
			if own, ok := r.own.Advantages(w.steps[i]); ok && x.Alive > 0 && !math.IsNaN(own.Mean) {
				n++
				agree += model.Count01(isNear(w.logged[i], own.Mean, x))
			}
		}
		if n >= leastWitnessed && float64(agree) >= agreeShare*float64(n) {
			names = append(names, w.Name)
		}
	}
	return names
}
