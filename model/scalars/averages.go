package scalars

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

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
	ofRewards   figure = iota // their mean
	ofEqual                   // share of groups with equal rewards
	ofGroups                  // number of groups
	ofLeast                   // least advantage
	ofGreatest                // greatest advantage
	ofZeros                   // share of advantages that are 0
	ofFiltered                // of other samples than those that are logged, or changed before: not compared
	figureCount = ofFiltered + 1
)

// witnesses are the averages that are compared, and those under like names that are not.
func witnesses() []witness {
	return []witness{
		{"critic/score/mean", ofRewards, "all rows that train, after dynamic sampling; aborted answers left out", "verl trainer/ppo/metric_utils.py compute_data_metrics"},
		{"critic/rewards/mean", ofFiltered, "as critic/score, less the KL penalty where that is in the reward", "verl trainer/ppo/metric_utils.py compute_data_metrics"},
		{"critic/advantages/min", ofLeast, "tokens of all rows that train", "verl trainer/ppo/metric_utils.py compute_data_metrics"},
		{"critic/advantages/max", ofGreatest, "tokens of all rows that train", "verl trainer/ppo/metric_utils.py compute_data_metrics"},
		{"critic/advantages/mean", ofFiltered, "tokens, so that long answers count more", "verl trainer/ppo/metric_utils.py compute_data_metrics"},
		{"reward", ofRewards, "all completions of all processes, mean of the steps between two logs", "trl trainer/grpo_trainer.py _generate_and_score_completions, log"},
		{"frac_reward_zero_std", ofEqual, "groups of all processes, mean of the steps between two logs", "trl trainer/grpo_trainer.py _generate_and_score_completions, log"},
		{"groups/num_groups", ofGroups, "groups of trajectories after the filter", "rllm trainer/algorithms/transform.py"},
		{"advantage/*/fraction_zero", ofZeros, "trajectories of a role after the filter", "rllm experimental/common/advantage.py collect_reward_and_advantage_from_trajectory_groups"},
		{"advantages/min", ofLeast, "tokens of all rows that train", "nemo_rl algorithms/grpo.py"},
		{"advantages/max", ofGreatest, "tokens of all rows that train", "nemo_rl algorithms/grpo.py"},
		{"env/all/reward/total", ofRewards, "all trajectories, before constant groups are left out", "tinker_cookbook rl/metric_util.py compute_trajectory_metrics"},
		{"reward/all/mean", ofFiltered, "rollouts before the filter, of which the log may hold those after it", "prime-rl orchestrator/metrics.py"},
		{"rollout/rewards", ofFiltered, "rewards after normalisation", "slime observability/rollout_metrics.py"},
		{"rollout/raw_reward", ofRewards, "all samples of the rollout", "slime observability/rollout_metrics.py"},
	}
}

// witnessed is an average of a trainer beside that of the samples, at the steps that both have.
type witnessed struct {
	*witness
	*Series
	steps  []int // indexes in the figures of the samples
	logged []float64
}

// witnessesOf are the averages of a trainer of a figure.
func (r *run) witnessesOf(of figure) (all []witnessed) {
	for _, w := range witnesses() {
		if w.of != of {
			continue
		}
		named := r.named(w.pattern)
		if len(named) != 1 {
			continue // none, or one for each role: the samples are of all
		}
		seen := witnessed{witness: &w, Series: named[0]}
		for k := range r.own.Steps {
			if at, found := slices.BinarySearch(seen.Steps, r.own.Steps[k].Step); found {
				seen.steps, seen.logged = append(seen.steps, k), append(seen.logged, seen.Values[at])
			}
		}
		if len(seen.steps) >= leastWitnessed {
			all = append(all, seen)
		}
	}
	return all
}

// named are the series whose names, after train/, are as a pattern says.
func (r *run) named(pattern string) (all []*Series) {
	for i := range r.Series {
		if ok, _ := path.Match(pattern, strings.TrimPrefix(r.Series[i].Name, "train/")); ok {
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
	for _, look := range []func(*run) (diagnosis.Finding, bool){(*run).otherGroups, (*run).rawAdvantages, (*run).otherZeros, (*run).otherRewards} {
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
			Name: name, After: diagnosis.Median(values[from:]), AfterFrom: step(from), AfterTo: step(len(w.steps) - 1), AfterSamples: len(values) - from, Of: "steps",
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
			title := fmt.Sprintf("the trainer itself counts 1 group (%s) where its samples have %s: it compares the answers to all prompts of a step with each other", name, units.Short(diagnosis.Median(own[from:])))
			return w.finding(r, diagnosis.Alarm, from, title, own), true
		}
		if from := since(ones); from >= 0 {
			title := fmt.Sprintf("the trainer itself counts a group for each sample (%s %s) where these have %s: groups of one compare nothing", name, units.Short(diagnosis.Median(w.logged[from:])), units.Short(diagnosis.Median(own[from:])))
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
		least, most, _, ok := r.own.Advantages(k)
		if !ok || x.Alive == 0 {
			continue
		}
		own[i] = least
		isRaw := isNear(low.logged[i], x.Low, x) && isNear(high.logged[i], x.High, x)
		isRule := isNear(low.logged[i], least, x) && isNear(high.logged[i], most, x)
		at, greatest = append(at, i), append(greatest, most)
		raw = append(raw, isRaw && !isRule)
	}
	from := since(raw)
	if from < 0 {
		return diagnosis.Finding{}, false
	}
	first := at[from]
	title := fmt.Sprintf("%s is %s and the greatest %s, those of the raw rewards, where the rule gives %s and %s: no group is compared, as with groups of one",
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
			_, _, zero, ok := r.own.Advantages(k)
			if !ok || zero < leastZeros {
				continue
			}
			shown.steps, shown.logged, own = append(shown.steps, k), append(shown.logged, w.logged[i]), append(own, zero)
			none = append(none, w.logged[i] <= zero/4)
		}
		if from := since(none); from >= 0 {
			title := fmt.Sprintf("%s is %s where the rule gives %s of the samples an advantage of 0: the trainer's groups, or its estimator, are others",
				sanitize.Line(w.Name), units.Share(diagnosis.Median(shown.logged[from:])), units.Share(diagnosis.Median(own[from:])))
			return shown.finding(r, diagnosis.Watch, from, title, own), true
		}
	}
	return diagnosis.Finding{}, false
}

// otherRewards finds a mean reward, or a share of groups with equal ones, that is not that of the samples at any shift by a step.
func (r *run) otherRewards() (diagnosis.Finding, bool) {
	for _, w := range append(r.witnessesOf(ofRewards), r.witnessesOf(ofEqual)...) {
		if len(w.steps) < leastPoints || r.agreeing(&w) >= 1-mostShare {
			continue
		}
		own := r.ownOf(&w, 0)
		reach := 1.0
		if w.of == ofRewards {
			reach = r.own.Reach()
		}
		differ, by := make([]bool, len(own)), make([]float64, len(own))
		for i := range own {
			by[i] = w.logged[i] - own[i]
			differ[i] = math.Abs(by[i]) >= otherAverage*reach
		}
		from := since(differ)
		if from < 0 || reach <= 0 || len(by)-from < leastPoints || !isConsistent(by[from:]) {
			continue
		}
		title := fmt.Sprintf("%s is %s where the samples give %s: %s", sanitize.Line(w.Name), units.Short(diagnosis.Median(w.logged[from:])),
			units.Short(diagnosis.Median(own[from:])), r.explain(&w, from))
		return w.finding(r, diagnosis.Watch, from, title, own), true
	}
	return diagnosis.Finding{}, false
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

// ownOf is the figure of the samples at the steps of an average, so many of their steps later.
func (r *run) ownOf(w *witnessed, shift int) []float64 {
	own := make([]float64, len(w.steps))
	for i, k := range w.steps {
		own[i] = math.NaN()
		if k += shift; k >= 0 && k < len(r.own.Steps) {
			if own[i] = r.own.Steps[k].Mean; w.of == ofEqual {
				own[i] = r.own.Steps[k].Equal
			}
		}
	}
	return own
}

// agreeing is the share of steps at which an average is that of the samples: at the same step, a step off, or as the mean of all steps
// since the last one that was logged.
func (r *run) agreeing(w *witnessed) (best float64) {
	window := r.ownOf(w, 0)
	for i := 1; i < len(window); i++ {
		sum := 0.0
		for k := w.steps[i-1] + 1; k <= w.steps[i]; k++ {
			if w.of == ofEqual {
				sum += r.own.Steps[k].Equal
			} else {
				sum += r.own.Steps[k].Mean
			}
		}
		window[i] = sum / float64(w.steps[i]-w.steps[i-1])
	}
	for _, own := range [][]float64{r.ownOf(w, 0), r.ownOf(w, -1), r.ownOf(w, 1), window} {
		n := 0
		for i, k := range w.steps {
			if isNear(w.logged[i], own[i], &r.own.Steps[k]) {
				n++
			}
		}
		best = max(best, float64(n)/float64(len(w.steps)))
	}
	return best
}

// explain says what would make an average another one.
func (r *run) explain(w *witnessed, from int) string {
	if w.of == ofEqual {
		return "the trainer's groups are others, or rows are missing from the log"
	}
	var shifts []float64
	own := r.ownOf(w, 0)
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
	for _, of := range []figure{ofRewards, ofEqual} {
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
		least, most, _, ok := r.own.Advantages(low.steps[i])
		if !ok || x.Alive == 0 {
			continue
		}
		if n++; isNear(low.logged[i], least, x) && isNear(high.logged[i], most, x) {
			agree++
		}
	}
	return n >= leastWitnessed && float64(agree) >= agreeShare*float64(n)
}
