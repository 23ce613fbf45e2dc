package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/model"
	"vantage/model/units"
)

// Group is a group of a step: what its rewards tell, and what the settings make of it.
type Group struct {
	Step    int64
	Name    string // the log's id, the hash of prompt and ground truth, or the index
	Preview string // beginning of the prompt, as logged: sanitise before showing

	Start, End            int     // samples [Start:End] of the columns
	Rollouts              int     // that the samples are outputs of: as many as samples, unless some have several
	Counted               int     // how many of these, or of the samples, the estimator counts: see estimators.Outputs
	RewardMean, RewardStd float64 // of the finite rewards that are counted; the std has ddof 1, and is NaN for one reward
	Invalid               int     // of these rewards: NaN, infinite or missing
	Solved                int     // of these rewards: those that count as solved: see model.RewardScale
	HasSolved             bool    // whether its run's rewards say which are solved
	IsPart                bool    // whether the log lacks samples of it whose rewards do not follow: mean and std are those it tells, or NaN
	WholeSize             int     // of a part, the samples of the whole; 0 if the log does not tell
	Run                   int     // number of its run: see model.Snapshot.RunOf

	Admitted                   bool    // by the group filter, which admits all if there is none
	KeptPos, KeptZero, KeptNeg int32   // kept samples by the sign of their unfiltered advantage, of which residue counts as 0
	Nonzero                    int32   // samples whose processed advantage is a number other than 0, and no Residue
	IsResidue                  bool    // its advantages are only what float arithmetic leaves of equal rewards: they count as 0
	Residue                    int32   // samples whose processed advantage is that, or what it leaves of a reward at the mean, and not 0
	ResidueBound               float64 // of the last: see ResidueBound
	ResidueBefore              float64 // that of the unfiltered advantages
	Flips                      Flips   // kept samples whose advantage changed sign
	KeptCounted                int     // of Counted
	Fate                       model.Fate
}

// Size returns the number of samples.
func (g *Group) Size() int { return g.End - g.Start }

// SizeText returns the number of samples, after that of rollouts if it is another: "16", "8/21".
func (g *Group) SizeText() string {
	if g.Rollouts == g.Size() {
		return units.Count(g.Size())
	}
	return units.Count(g.Rollouts) + "/" + units.Count(g.Size())
}

// CanKeepTwo reports whether some filter would keep two samples with advantages: not of an invalid group, nor of one that has only
// one, nor of residue.
func (g *Group) CanKeepTwo() bool {
	return g.Fate != model.FateInvalid && g.Fate != model.FateSingle && !g.IsResidue
}

// Kept returns the number of kept samples.
func (g *Group) Kept() int { return int(g.KeptPos) + int(g.KeptZero) + int(g.KeptNeg) }

// FlipKind is a change of sign: from the sign of an unfiltered advantage to another sign of the
// processed one.
type FlipKind struct {
	Name     string // in reports and rules: "pos_to_neg"
	Label    string // "+→−"
	from, to int    // signs: -1, 0, 1
}

// flipKinds are in the order of [Flips]: first the changes between + and −, then those from and to 0.
var flipKinds = [...]FlipKind{
	{"pos_to_neg", "+→−", 1, -1},
	{"neg_to_pos", "−→+", -1, 1},
	{"zero_to_pos", "0→+", 0, 1},
	{"zero_to_neg", "0→−", 0, -1},
	{"pos_to_zero", "+→0", 1, 0},
	{"neg_to_zero", "−→0", -1, 0},
}

// FlipKinds returns all kinds, in the order of [Flips].
func FlipKinds() []FlipKind { return flipKinds[:] }

// Flips counts the kept samples whose advantage has another sign after the filter than before it, by
// kind. The signs are +, − and 0. A sample that the filter drops has the advantage 0 afterwards, but
// counts as dropped, not as flipped. NaN has no sign.
type Flips [len(flipKinds)]int32

// Total returns the number of flips of all kinds.
func (f *Flips) Total() int {
	n := 0
	for _, of := range f {
		n += int(of)
	}
	return n
}

// Add adds the counts of more.
func (f *Flips) Add(more *Flips) {
	for k, n := range more {
		f[k] += n
	}
}

// Count counts the change of a sample from one advantage to another, if their signs differ.
func (f *Flips) Count(before, after float64) {
	for k, kind := range flipKinds {
		if kind.from == signOf(before) && kind.to == signOf(after) {
			f[k]++
		}
	}
}

// String names the kinds that occur: "198 +→−, 100 0→−, 314 +→0"; "" if there are none.
func (f Flips) String() string {
	var parts []string
	for k, n := range f {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", units.Count(int(n)), flipKinds[k].Label))
		}
	}
	return strings.Join(parts, ", ")
}

// meaning says what the worst kind that occurs does to the training.
func (f *Flips) meaning() string {
	switch {
	case f[0]+f[1] > 0:
		return "good answers are pushed down, or bad ones up"
	case f[2]+f[3] > 0:
		return "answers with A = 0, at the mean of their group, now get an advantage"
	}
	return "answers with an advantage now get 0 and no longer train"
}

// FlipOf returns the label of the change from an original to a processed advantage, "" if they have one
// sign, or if either is NaN.
func FlipOf(unfiltered, processed float64) string {
	if unfiltered != unfiltered || processed != processed {
		return ""
	}
	for _, k := range flipKinds {
		if k.from == signOf(unfiltered) && k.to == signOf(processed) {
			return k.Label
		}
	}
	return ""
}

// IsFlip reports whether a kept sample's advantages differ in sign.
func IsFlip(unfiltered, processed float64) bool {
	return signOf(unfiltered) != signOf(processed) && unfiltered == unfiltered && processed == processed
}

func signOf(x float64) int { return model.Count01(x > 0) - model.Count01(x < 0) }

func countFlips(unfiltered, processed []float64, keep []bool) (f Flips) {
	for i, x := range unfiltered { // without branches, which would be unpredictable
		y, k := processed[i], model.Count01(keep[i])
		pos, neg, zero := k&model.Count01(x > 0), k&model.Count01(x < 0), k&model.Count01(x == 0)
		posAfter, negAfter, zeroAfter := model.Count01(y > 0), model.Count01(y < 0), model.Count01(y == 0)
		f[0] += int32(pos & negAfter)
		f[1] += int32(neg & posAfter)
		f[2] += int32(zero & posAfter)
		f[3] += int32(zero & negAfter)
		f[4] += int32(pos & zeroAfter)
		f[5] += int32(neg & zeroAfter)
	}
	return f
}

// Cause says in a sentence why group g has its fate; "" if it is alive, no sample changed sign, and all
// rewards are numbers. Where rollouts are counted it speaks of these.
func (a *Analysis) Cause(g int) string { return a.Causes()(g) }

// Causes returns Cause for many groups: what those of a step share is computed once.
func (a *Analysis) Causes() func(g int) string {
	steps := map[*Analysis]*Analysis{}
	return func(g int) string {
		step, g := a.PartOf(g)
		if steps[step] == nil {
			steps[step] = step.ByRollout()
		}
		return step.withStatuses(g, steps[step].cause(g))
	}
}

// withStatuses adds to the cause of group g how many of its samples do not train by their status; that is all where none does.
func (a *Analysis) withStatuses(g int, cause string) string {
	n, size := a.StatusesOf(&a.Table[g]), a.Table[g].Size()
	if n.Untrained() == 0 {
		return cause
	}
	of := fmt.Sprintf("%s of %d, %s", n, size, a.Settings.StatusSource())
	if n.Untrained() == size {
		return of
	}
	return strings.TrimPrefix(cause+"; "+of, "; ")
}

func (a *Analysis) cause(g int) string {
	cause := a.causeOfFate(g)
	group := &a.Table[g]
	if group.Invalid == 0 || group.Fate == model.FateInvalid {
		return cause
	}
	invalid := fmt.Sprintf("%d of %d rewards are NaN or missing: %s", group.Invalid, group.Size(),
		a.effectOfInvalid(a.Batch.Rewards, group.Start, group.End))
	return strings.TrimSuffix(invalid+"; "+cause, "; ")
}

// StatusOf is the status of sample i.
func (a *Analysis) StatusOf(i int) model.Status {
	if a.Status == nil {
		return model.StatusTrains
	}
	return a.Status[i]
}

// StatusesOf counts the samples of a group by their status.
func (a *Analysis) StatusesOf(g *Group) (n model.StatusCounts) {
	if a.Status != nil {
		for _, s := range a.Status[g.Start:g.End] {
			n[s]++
		}
	}
	return n
}

func (a *Analysis) causeOfFate(g int) string {
	group := &a.Table[g]
	n := group.Size()
	all := fmt.Sprintf("%s (%d/%d at %s)", group.Fate, n-group.Invalid, n, units.Short(a.firstFinite(group.Start, group.End)))
	switch group.Fate {
	case model.FateSkipped:
		if a.Admitted(g) {
			return "" // cause says which status its samples have
		}
		rule := a.admitted.rule
		text := fmt.Sprintf("not admitted by %s/%s: %s", rule.Framework, rule.Name, a.WhySkipped(g))
		if rule.Dropped == groupfilter.Refilled {
			text += "; replaced by another prompt"
		}
		return text
	case model.FateInvalid:
		if group.Invalid == 0 {
			return "its rewards are numbers, but its advantages are not"
		}
		return fmt.Sprintf("%d of %d rewards are NaN or missing", group.Invalid, n)
	case model.FateSingle:
		return "only one sample: nothing to compare it with"
	case model.FateAllCorrect, model.FateAllWrong, model.FateConstant:
		rewards := a.Batch.Rewards[group.Start:group.End]
		if lo, hi := slices.Min(rewards), slices.Max(rewards); lo < hi {
			return fmt.Sprintf("rewards from %.9g to %.9g, but all advantages are 0: the difference is below the estimator's precision",
				lo, hi)
		}
		return all + a.causeOfEqual(group)
	case model.FateNoise:
		return fmt.Sprintf("%s: adv up to %s from %s", all, units.Short(largestFinite(a.Processed[group.Start:group.End])), a.causeOfNoise())
	case model.FateKilled:
		return a.causeOfKilled(group)
	case model.FateShort:
		return fmt.Sprintf("%d of %d kept: too few to recompute, original values stay", group.Kept(), n)
	case model.FateAlive:
		if flips := group.Flips.Total(); flips > 0 {
			return fmt.Sprintf("%d of %d kept samples change sign in the recompute: %s", flips, group.Kept(), group.Flips)
		}
	case model.FateOpen:
	}
	return ""
}

// causeOfNoise says how equal rewards get advantages.
func (a *Analysis) causeOfNoise() string {
	switch a.Settings.Scale {
	case estimators.ScaleNone:
		return "float error"
	case estimators.ScaleBatch:
		return "float error over the std of the batch"
	case estimators.ScaleGroup:
	}
	return "float error over a tiny std"
}

// causeOfEqual says what makes all rewards equal: components that cancel, responses that were all
// truncated, or where on the reward scale the group is.
func (a *Analysis) causeOfEqual(g *Group) string {
	if names := a.varyingComponents(g); len(names) > 1 {
		return ": zero variance, though " + strings.Join(names, " and ") + " vary: they cancel"
	}
	if length, cut := a.cutOff(g); cut && g.Fate != model.FateAllCorrect && a.plan.snap.Run.LengthUnit == model.LengthTokens {
		return fmt.Sprintf(": zero variance; every response has %s tokens, as the longest of the step: perhaps cut off there",
			units.Count(int(length)))
	}
	scale, reward := a.plan.of(g), a.firstFinite(g.Start, g.End)
	switch {
	case g.Fate == model.FateAllCorrect && reward == scale.Max:
		return ": zero variance at the best reward of the run"
	case g.Fate == model.FateAllCorrect:
		return fmt.Sprintf(": zero variance; rewards from %s on count as solved", units.Short(scale.Solved))
	case g.Fate == model.FateAllWrong && reward == scale.Min:
		return ": zero variance at the worst reward of the run"
	case g.Fate == model.FateAllWrong:
		return fmt.Sprintf(": zero variance; rewards up to %s count as wrong", units.Short(scale.Wrong))
	case scale.IsAssumed():
		return ": zero variance between wrong and solved"
	}
	return ": zero variance between the worst and the best reward of the run"
}

func (a *Analysis) varyingComponents(g *Group) (names []string) {
	rows := a.InputRow[g.Start:g.End]
	for k, rewards := range a.grouped.step.Components {
		if rewards == nil {
			continue
		}
		first := rewards[rows[0]]
		differs := func(row int32) bool { return rewards[row] != first && !(math.IsNaN(rewards[row]) && math.IsNaN(first)) }
		if slices.ContainsFunc(rows, differs) {
			names = append(names, a.plan.snap.Run.ComponentNames[k])
		}
	}
	return names
}

// cutOff reports whether all responses of a group are as long as the longest of the step, and some
// others are shorter.
func (a *Analysis) cutOff(g *Group) (longest int32, yes bool) {
	longest = max(0, slices.Max(a.Lengths))
	isShorter := func(l int32) bool { return l >= 0 && l < longest }
	isOther := func(l int32) bool { return l != longest }
	return longest, longest > 0 && slices.ContainsFunc(a.Lengths, isShorter) && !slices.ContainsFunc(a.Lengths[g.Start:g.End], isOther)
}

func (a *Analysis) causeOfKilled(g *Group) string {
	switch {
	case g.KeptPos+g.KeptNeg == 0:
		filter := "the filter"
		if a.Settings.OffPolicy != "" {
			filter = a.Settings.Drops()
		}
		return fmt.Sprintf("%s drops all %d samples with an advantage", filter, g.Size()-int(g.KeptZero))
	case g.KeptNeg == 0:
		return fmt.Sprintf("only %d positive samples are kept, all with equal rewards: recompute gives 0", g.KeptPos)
	case g.KeptPos == 0:
		return fmt.Sprintf("only %d negative samples are kept, all with equal rewards: recompute gives 0", g.KeptNeg)
	}
	return fmt.Sprintf("the %d kept samples have equal rewards: recompute gives 0", g.Kept())
}
