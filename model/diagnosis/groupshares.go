package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// Shares of groups from which a run has little to learn: of its samples, and of what its trainer logs.
const (
	SaturatedFrom = 0.8  // are all right: four of five samples are generated for nothing
	TooHardFrom   = 0.85 // are all wrong: sparse rewards that still teach leave a tenth alive, and more from step to step
	EqualFrom     = 0.95 // have equal rewards, right, wrong or between: one in twenty is left to learn from
)

// leastGroups is of how many groups a share is: fewer are a few prompts.
const leastGroups = 20

// groupShare is a share of groups that ends what a run can learn, where it stays beyond a limit.
type groupShare struct {
	name  string // of the groups: "all wrong groups"
	fates []model.Fate
	limit float64
	title string // with %s for the share
	eases bool   // it is a watch where they become fewer
}

func solvedShare() groupShare {
	return groupShare{"all correct groups", []model.Fate{model.FateAllCorrect}, SaturatedFrom, "%s of groups are all right: nothing is " +
		"left to learn from them", false}
}

func hopelessShare() groupShare {
	return groupShare{"all wrong groups", []model.Fate{model.FateAllWrong}, TooHardFrom, "%s of groups are all wrong: the model learns " +
		"nothing from them", true}
}

// saturated finds runs in which nearly all groups are all right.
func saturated(e *evidence) ([]Finding, string) { return e.beyondShare(solvedShare()), "" }

// hopeless finds runs in which nearly all groups are all wrong, and do not become fewer.
func hopeless(e *evidence) ([]Finding, string) {
	if found := e.beyondShare(hopelessShare()); found != nil {
		return found, ""
	}
	return e.wasBeyond(hopelessShare()), ""
}

// equalRewards finds runs in which nearly all groups have equal rewards, where neither right nor wrong ones alone are that many, or in
// which all samples of a step have one.
func equalRewards(e *evidence) ([]Finding, string) {
	if f, found := e.oneRewardPerStep(); found {
		return []Finding{f}, ""
	}
	equal := groupShare{
		"groups with equal rewards",
		equalFates(),
		EqualFrom,
		"%s of groups have equal rewards: within them no answer is better than another", true,
	}
	found := e.beyondShare(equal)
	if found == nil {
		if tooHard, _ := hopeless(e); len(tooHard) > 0 {
			return nil, ""
		}
		return e.wasBeyond(equal), ""
	}
	if found != nil && (e.beyondShare(solvedShare()) != nil || e.beyondShare(hopelessShare()) != nil) {
		return nil, ""
	}
	return found, ""
}

// equalFates are those of groups whose rewards are equal.
func equalFates() []model.Fate {
	return []model.Fate{model.FateAllCorrect, model.FateAllWrong, model.FateConstant}
}

// beyondShare finds groups beyond a share, from a step to the end.
func (e *evidence) beyondShare(g groupShare) []Finding {
	s := e.seriesOf(func(s *Observed) Moments { return s.shareOf(g.fates) })
	from := s.beyond(g.limit)
	after, last := s.pooled(from, len(s)), s.pooled(len(s)-s.span(), len(s))
	if jump := s.turn(0, (s.pooled(0, from).mean()+after.mean())/2, 1); jump < from {
		if m := s.pooled(jump, from); (m.mean()-g.limit)/math.Sqrt(g.limit*(1-g.limit)/float64(m.N)) > -3 {
			from = jump // it may as well be beyond the limit from where it jumps
		}
	}
	if s.mayBeChance(from, g.limit) {
		return nil
	}
	variance, dof := s.variance(len(s)-s.span(), len(s))
	if len(s)-from < leastSteps || after.N < leastGroups || after.mean() < g.limit || normal(last.mean()-g.limit, variance, dof) < -2 {
		return nil
	}
	f := e.shareFinding(g, s, from, len(s), last.mean())
	middle := (from + len(s)) / 2
	if k := s.compare(from, middle, middle, len(s)); g.eases && k.z < -3 {
		f.Severity = Watch
	}
	return []Finding{f}
}

// mayBeChance reports whether a share that is beyond a limit from a step on may be so by chance: it was not another one before, as far as
// its steps differ, and is not beyond the limit by more than they do. Of all steps at which it may begin the best one was chosen.
func (s series) mayBeChance(from int, limit float64) bool {
	if from == 0 || from >= len(s) || chance(s.compare(0, from, from, len(s)).z, len(s)) <= 0.01 {
		return false
	}
	variance, dof := s.variance(from, len(s))
	return normal(s.pooled(from, len(s)).mean()-limit, variance, dof) < 2
}

// shareFinding is that groups of steps [from, to) are beyond a share; share is the one that it names.
func (e *evidence) shareFinding(g groupShare, s series, from, to int, share float64) Finding {
	f := e.finding(s, g.name, from, to, true, "groups")
	f.Title = fmt.Sprintf(g.title, units.Share(share))
	f.Example = e.example(from, func(facts *GroupFacts) bool { return slices.Contains(g.fates, facts.Fate) })
	return f
}

// wasBeyond finds groups that were beyond a share for a stretch that is over.
func (e *evidence) wasBeyond(g groupShare) []Finding {
	s := e.seriesOf(func(s *Observed) Moments { return s.shareOf(g.fates) })
	return e.overShare(s, g.limit, func(from, to int) Finding { return e.shareFinding(g, s, from, to, s.pooled(from, to).mean()) })
}
