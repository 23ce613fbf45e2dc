package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/units"
)

// refusedGroups warns of a step that lacks what the estimator needs and other steps have.
func (a *Analysis) refusedGroups() *model.Warning {
	if a.refusal == nil || a.refusal.Kind != estimators.KindMissing {
		return nil
	}
	return a.ofAll(fmt.Sprintf("have no advantages: the step holds no %s, which %s reads", a.refusal.Text, a.Settings.Computes()),
		"check why the trainer did not log them at this step, or select another estimator (e)")
}

func (a *Analysis) invalidRewards() *model.Warning {
	w := a.ofSamples(a.shaped.invalid, "have a NaN or infinite reward", "check why the reward function failed; ")
	if w == nil {
		return nil
	}
	if missing := a.shaped.missing; missing > 0 {
		w.Text = fmt.Sprintf("have no usable reward (%d missing, %d NaN or infinite)", missing, w.Count-missing)
	}
	w.Advice += a.effectOfInvalid(a.unfiltered.rewards, 0, a.Rows)
	w.Example = a.firstGroup(func(g *Group) bool { return g.Invalid > 0 })
	return w
}

// assumedRewards warns of a log without totals in which nothing says which columns are rewards, not even their names, or whether a penalty
// is subtracted.
func (a *Analysis) assumedRewards() *model.Warning {
	columns := a.plan.snap.Run.SummedColumns()
	if len(columns) < 2 || a.Settings.Reward != "" || a.Settings.Weights != "" {
		return nil
	}
	if a.plan.snap.Run.NamesRewards {
		return a.positivePenalty(columns)
	}
	return a.ofSamples(a.Rows,
		fmt.Sprintf("have the sum of all %d numeric columns as reward, because nothing shows which are rewards: %s", len(columns),
			strings.Join(columns, ", ")),
		"name the reward columns with their weights: --reward NAME,NAME=WEIGHT (:reward); or open the folder with trainer_state.json, "+
			"which names them")
}

// positivePenalty warns of a penalty above 0 in the sum of columns: the trainer may subtract it.
func (a *Analysis) positivePenalty(columns []string) *model.Warning {
	weights, positive := make([]string, len(columns)), ""
	for i, name := range columns {
		weights[i] = name
		part := a.grouped.step.Component(a.InputRow, slices.Index(a.plan.snap.Run.ComponentNames, name))
		isBelow := slices.ContainsFunc(part, func(x float64) bool { return x < 0 })
		isAbove := slices.ContainsFunc(part, func(x float64) bool { return x > 0 })
		if strings.HasSuffix(strings.ToLower(name), "penalty") && isAbove && !isBelow {
			weights[i], positive = name+"=-1", name
		}
	}
	if positive == "" {
		return nil
	}
	return a.ofSamples(a.Rows,
		fmt.Sprintf("have the sum of %s as reward, though %s is above 0 and may be subtracted", strings.Join(columns, ", "), positive),
		"log the total as reward; or, if it is subtracted, --reward "+strings.Join(weights, ","))
}

// partsMissing warns of rewards that are sums of columns of which one is NaN or missing, while others of the group have it.
func (a *Analysis) partsMissing() *model.Warning {
	run, components := &a.plan.snap.Run, a.grouped.step.Components
	if !run.SumsComponents && a.Settings.Weights == "" || a.Settings.Reward != "" {
		return nil
	}
	var names []string
	lacks, count := make([]bool, a.Rows), 0
	for _, k := range run.RewardFunctions(a.Settings.Weights) {
		if k >= len(components) || components[k] == nil {
			continue
		}
		part, before := a.grouped.step.Component(a.InputRow, k), count
		for g := range a.Table {
			lo, hi := a.Table[g].Start, a.Table[g].End
			if !slices.ContainsFunc(part[lo:hi], math.IsNaN) || !slices.ContainsFunc(part[lo:hi], units.IsFinite[float64]) {
				continue
			}
			for i := lo; i < hi; i++ {
				if math.IsNaN(part[i]) && units.IsFinite(a.LoggedRewards[i]) && !lacks[i] {
					lacks[i], count = true, count+1
				}
			}
		}
		if count > before {
			names = append(names, run.ComponentNames[k])
		}
	}
	w := a.ofSamples(count, "lack "+strings.Join(names, " or ")+", which others of their group have: their reward is the sum without it",
		"see why the reward function gave no number")
	if w != nil {
		w.Example = a.firstGroup(func(g *Group) bool { return slices.Contains(lacks[g.Start:g.End], true) })
	}
	return w
}

// effectOfInvalid says what the trainer makes of the first reward that is not finite among those from lo to
// hi, of which there must be one, given the rewards as it cleans them.
func (a *Analysis) effectOfInvalid(cleaned []float64, lo, hi int) string {
	i := lo + slices.IndexFunc(a.LoggedRewards[lo:hi], func(r float64) bool { return !units.IsFinite(r) })
	switch reward := cleaned[i]; {
	case units.IsFinite(reward):
		return "the trainer counts it as reward " + units.Short(reward)
	case a.Unfiltered[i] == 0:
		return "the trainer leaves it out and gives it 0"
	}
	return "one such sample makes its whole group NaN"
}

func (a *Analysis) undefinedAdvantages() *model.Warning {
	return a.ofGroups(
		func(g *Group) bool {
			return g.Invalid == 0 && g.Counted > 1 && slices.ContainsFunc(a.Unfiltered[g.Start:g.End], math.IsNaN)
		},
		"have no defined advantage under this estimator, although their rewards are numbers",
		"select another estimator (e); the list (E) has the formulas")
}

// partialGroups warns of groups of which the log holds some samples, and does not tell the rewards of the others.
func (a *Analysis) partialGroups() *model.Warning {
	rows, whole, isTold := 0, 0, true
	for i := range a.Table {
		if g := &a.Table[i]; g.IsPart {
			rows, whole, isTold = rows+g.Size(), whole+g.WholeSize, isTold && g.WholeSize > 0
		}
	}
	if rows == 0 {
		return nil
	}
	of := ", and does not tell of how many"
	if isTold {
		of = " of " + units.Count(whole)
	}
	return a.ofGroups(func(g *Group) bool { return g.IsPart },
		fmt.Sprintf("are only a part of those of the trainer: the log holds %s%s. Their std and solve rate are not known, "+
			"and advantages are those of the log, or compare a part if it has none", units.Plural(rows, "samples"), of),
		"log every sample, or the rewards of the whole group in each row as group_rewards")
}

// completedGroups warns of groups of which some samples have no row, and their rewards follow from the others.
func (a *Analysis) completedGroups() *model.Warning {
	if !slices.Contains(a.Status, model.StatusUnlogged) {
		return nil
	}
	samples := 0
	isCompleted := func(g *Group) bool { return a.StatusesOf(g)[model.StatusUnlogged] > 0 }
	for i := range a.Table {
		if g := &a.Table[i]; isCompleted(g) {
			samples += g.Size()
		}
	}
	missing := 0
	for _, s := range a.Status {
		missing += model.Count01(s == model.StatusUnlogged)
	}
	return a.ofGroups(isCompleted,
		fmt.Sprintf("have samples without a row: the log holds %d of %s. The other rewards are those that rows tell of the whole group, "+
			"as group_rewards, and lengths and texts are those of the rows alone", samples-missing, units.Plural(samples, "samples")),
		"log every sample if its text or length counts")
}

// singleSampleGroups is silent where the trainer refuses the batch, which says more.
func (a *Analysis) singleSampleGroups() *model.Warning {
	if a.refusal != nil {
		return nil
	}
	return a.ofFate(model.FateSingle, "have only one sample, so there is nothing to compare it with",
		"check how the groups were found, or raise the number of generations")
}

// visitsOfKeys warns of a log without steps in which ids or prompts come again.
func (a *Analysis) visitsOfKeys() *model.Warning {
	g := a.plan.grouping
	switch {
	case g.Visits == "":
		return nil
	case g.Assumed:
		return a.ofAll(g.Visits, "log the step, or a group id; --num-generations N names another number of rows")
	}
	return a.ofAll(g.Visits, "log the step, or a group id; if each N consecutive rows are a group, set --num-generations N")
}

// mergedGroups warns of groups that hold a multiple of the usual number of samples, if all groups hold
// multiples of it or fewer: a task that comes twice in a step has one id or prompt, but is two groups.
func (a *Analysis) mergedGroups() *model.Warning {
	rule := a.plan.grouping.GroupRule
	if rule.By == model.GroupByPosition || rule.Divides() || a.plan.grouping.Visits != "" {
		return nil
	}
	usual := a.usualSize()
	isLarger := func(g *Group) bool { return g.Size() > usual }
	isMultiple := func(g *Group) bool { return g.Size() > usual && g.Size()%usual == 0 }
	if usual < 2 || a.firstGroup(isLarger) < 0 || a.firstGroup(func(g *Group) bool { return isLarger(g) && !isMultiple(g) }) >= 0 {
		return nil
	}
	of := "a prompt"
	if rule.By == model.GroupByID {
		of = "an id"
	}
	text := fmt.Sprintf("have a multiple of the usual %d samples: %s that appears more than once in a step is one group here, but may be "+
		"several in the trainer", usual, of)
	if doubt := a.plan.grouping.Doubt; doubt != "" {
		text += "; " + doubt
	}
	advice := fmt.Sprintf("if each %d consecutive rows are a group, set --num-generations %d; a group id in the log is better", usual,
		usual)
	if run := a.plan.snap.Run; !run.Positional {
		advice = fmt.Sprintf("log a group id: the order of rows in %s files does not tell which %d belong together", run.Format, usual)
	}
	return a.ofGroups(isMultiple, text, advice)
}

// usualSize is the most common group size, the smallest of equally common ones.
func (a *Analysis) usualSize() int {
	groups := map[int]int{} // by size
	for i := range a.Table {
		groups[a.Table[i].Size()]++
	}
	return model.MostCommon(groups)
}

// rolloutsAssumed warns where rollouts have several rows and the framework is not known to count them.
func (a *Analysis) rolloutsAssumed() *model.Warning {
	e := a.plan.estimator
	hasSeveralRows := func(g *Group) bool { return g.Rollouts < g.Size() }
	if e.Outputs != estimators.OutputsUnknown || a.firstGroup(hasSeveralRows) < 0 {
		return nil
	}
	return a.ofGroups(hasSeveralRows,
		"have rollouts of several rows: "+model.CountedRollouts(e),
		"take verl grpo (f, e) if verl wrote the log")
}

// turnsAsSamples warns where the rows of a group look like turns of answers, and neither a rollout id nor logged advantages tell
// how they count.
func (a *Analysis) turnsAsSamples() *model.Warning {
	step := &a.grouped.step
	if step.UnfoldingIDs == 0 || a.plan.grouping.By != model.GroupByID || step.LoggedAdvantages != nil {
		return nil
	}
	return &model.Warning{
		Count: step.UnfoldingIDs, Of: a.Groups, Unit: "groups", Example: -1,
		Text: "have several prompts, as a row for each turn of an answer has: every row counts as a sample, where a trainer may count " +
			"an answer once",
		Advice: "log which answer a row is of, as traj_uid or trajectory_id: its turns are one rollout then",
	}
}

// approximateLengths warns where something else stands in for the tokens that the estimator weights by.
func (a *Analysis) approximateLengths() *model.Warning {
	e, unit := a.plan.estimator, a.plan.snap.Run.LengthUnit
	const penalty = "the length penalty"
	var affected []string
	if e.Needs.Lengths {
		affected = append(affected, "the advantages of "+e.Name)
	}
	if a.Settings.Overlong != "" && a.shaped.whyNot == "" {
		affected = append(affected, penalty)
	}
	if a.Settings.Loss != "" && a.NoLoss == "" {
		affected = append(affected, "the weights in the loss")
	}
	if affected == nil {
		return nil
	}
	what := strings.Join(affected, " and ") + " are"
	if len(affected) == 1 && affected[0] == penalty {
		what = penalty + " is"
	}
	count, text := a.Rows, fmt.Sprintf("are weighted by %s, because the log has no token counts: %s approximate", unit, what)
	if unit == model.LengthTokens {
		count, text = 0, fmt.Sprintf("have no length and count for no token: %s approximate", what)
		for _, l := range a.Lengths {
			count += model.Count01(l < 0)
		}
	}
	return a.ofSamples(count, text, "log the tokens of each response in the loss as response_length")
}

// loggedDiffers warns of logged advantages that are not those computed. With a filter the settings
// are a what-if, so that they differ on purpose; by a rule of the trainer's own they differ, and nothing is wrong.
func (a *Analysis) loggedDiffers() *model.Warning {
	if !a.comparesLogged() {
		return nil
	}
	computed := a.Unfiltered
	if a.unfiltered.ofRule != nil && a.shaped.countedRollouts == nil {
		computed = a.unfiltered.ofRule
	}
	near := NewLoggedTolerance(a.plan.estimator, a.Settings.Scale, a.LoggedRewards, computed)
	w := &model.Warning{Unit: "samples", Example: -1, Advice: "`vantage match` finds the estimator that computed the logged advantages"}
	largestGap := 0.0
	for g := range a.Table {
		lo, hi := a.Table[g].Start, a.Table[g].End
		tolerance := near.Within(lo, hi)
		for i := lo; i < hi; i++ {
			if math.IsNaN(a.LoggedAdvantages[i]) {
				continue
			}
			w.Of++
			gap := math.Abs(a.LoggedAdvantages[i] - computed[i])
			isResidue := a.Table[g].IsResidue && math.Abs(a.LoggedAdvantages[i]) <= ResidueShare*math.Abs(a.Rewards[i])
			if gap <= tolerance || a.LoggedAdvantages[i] == computed[i] || isResidue {
				continue
			}
			if w.Count++; w.Count == 1 {
				w.Example = g
			}
			if units.IsFinite(gap) {
				largestGap = max(largestGap, gap)
			}
		}
	}
	if w.Count == 0 {
		return nil
	}
	by := "one of them is NaN"
	if largestGap > 0 {
		by = fmt.Sprintf("by up to %.2g", largestGap)
	}
	w.Text = fmt.Sprintf("have a logged advantage that differs from %s, %s", a.Settings.Computes(), by)
	return w
}

// comparesLogged reports whether the settings are to give the logged advantages, if there are any.
func (a *Analysis) comparesLogged() bool {
	hasOwnRule := a.Settings.FromLog && a.Settings.OwnRule
	return a.grouped.step.LoggedAdvantages != nil && !hasOwnRule && !a.Settings.Filtering()
}

// loggedPrecision is how much of a value a log may lose by writing it, relative to the largest
// advantage of its group: a little more than half of what seven digits hold.
const loggedPrecision = 1e-6

// float32Unit is the relative distance of neighbouring float32 values.
const float32Unit = 1.0 / (1 << 23)

// LoggedTolerance is how far a logged advantage may be from the computed one to pass for the same: by what logs lose, relative to
// the largest computed advantage of the group, or by the estimator's own tolerance. The latter is relative to the largest of the
// step if groups depend on each other: their errors then have the size of that, of a float32 unit of it at least: a group of equal
// rewards has nothing else. Where nothing is divided by a std it is at least a float32 unit of the largest reward of the group: by
// so much the mean of equal rewards depends on the order of sums.
type LoggedTolerance struct {
	computed   []float64
	rewards    []float64 // of undivided advantages, else nil
	ofGroup    float64   // relative to the largest of the group
	everywhere float64   // absolute
}

// NewLoggedTolerance returns the tolerance for the advantages of a step that e computed from rewards with a scale.
func NewLoggedTolerance(e *estimators.Estimator, scale estimators.Scale, rewards, computed []float64) LoggedTolerance {
	t := LoggedTolerance{computed: computed, ofGroup: max(loggedPrecision, e.Tolerance)}
	if e.DependsOnBatch || scale == estimators.ScaleBatch {
		t.ofGroup, t.everywhere = loggedPrecision, max(float32Unit, e.Tolerance)*largestFinite(computed)
	}
	if scale == estimators.ScaleNone {
		t.rewards = rewards
	}
	return t
}

// Within returns the tolerance for the group that is rows lo to hi.
func (t LoggedTolerance) Within(lo, hi int) float64 {
	near := max(t.everywhere, t.ofGroup*largestFinite(t.computed[lo:hi]))
	if t.rewards != nil {
		near = max(near, float32Unit*largestFinite(t.rewards[lo:hi]))
	}
	return near
}

// EqualIn compares in the precision of the framework, as a log may write a float32 with
// more digits than it has.
func EqualIn(logged, computed float64, precision estimators.Float) bool {
	if precision == estimators.Float64 {
		return logged == computed
	}
	return float32(logged) == float32(computed)
}

// OneULP reports whether two finite values are neighbours in float32.
func OneULP(x, y float64) bool {
	a, b := float32(x), float32(y)
	return units.IsFinite(a) && units.IsFinite(b) && math.Nextafter32(a, b) == b
}

func largestFinite(values []float64) float64 {
	largest := 0.0
	for _, x := range values {
		if size := math.Abs(x); size > largest && units.IsFinite(size) {
			largest = size
		}
	}
	return largest
}
