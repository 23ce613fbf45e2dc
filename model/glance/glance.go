// Package glance sums up a run for a person who sees it for the first time: how many samples train, what
// became of its groups, which steps are worst and why, and what to do about it, with what that costs.
//
//	analysis.Trend ────┐
//	                   ├→ Of → Glance: counts, Spans (worst first), Advice for a diagnosis
//	diagnosis.Answers ─┘
//
// [AlikeWarning] is the doubt about a step whose answers are alike, as those of a model are that refuses. The screen calls it.
package glance

import (
	"cmp"
	"fmt"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/units"
)

// Glance is a run at a glance, under the settings of its trend. Steps that are still being written or not
// computed yet count in none of the sums.
type Glance struct {
	Steps, Pending int     // of the trend, and of these those that are not computed yet
	Open           []int64 // numbers of the steps that are still being written
	Counts
	Spans []Span // the worst first; none where every group carries signal
	Harsh string // what the sample filter leaves, if that is little: see [figures.HarshFilter]

	run        model.Run
	cut        bool   // the log ends within a group, of which it has one row
	ofSettings string // what to change in them, and what that costs; "" for nothing
	suspects   int    // steps of mostly wrong groups, and of these those of which no answer was read, though some are
	unread     int
}

// Counts are sums over steps.
type Counts struct {
	Rows, Nonzero  int // samples, and those that train: their advantage is not 0, nor float residue
	SinglesTrain   int // of these the only ones of their group
	Residue        int // samples whose advantage is float residue
	Statuses       model.StatusCounts
	Groups, Signal int // groups, and those that carry signal
	Admitted       int // groups that the group filter admits
	Fates          [model.FateCount]int
	InvalidRewards int  // samples whose reward is NaN or missing
	InvalidCount   bool // these count in the mean reward, as the trainer counts them
	differing      int  // samples whose logged advantage is not that computed
	partial        int  // groups of which the log lacks rows
	reward, length figures.RunMetric
	kept, push     figures.RunMetric // what the sample filter leaves of the samples, and of Σ|A|
}

// The metrics of which a glance has the means.
const meanReward, meanLength = "critic/score/mean", "response_length/mean"

// Dead returns the number of groups without signal.
func (c *Counts) Dead() int { return c.Groups - c.Signal }

func (c *Counts) add(s *analysis.StepFigures) {
	c.Rows, c.Nonzero, c.SinglesTrain, c.Residue = c.Rows+s.Rows, c.Nonzero+s.Nonzero, c.SinglesTrain+s.SinglesTrain, c.Residue+s.Residue
	c.Statuses.Add(&s.Statuses)
	c.Groups, c.Signal, c.Admitted = c.Groups+s.Groups, c.Signal+s.Signal, c.Admitted+s.AdmittedGroups
	for f, n := range s.Fates {
		c.Fates[f] += n
	}
	_, counted := figures.Reward(s)
	c.InvalidRewards, c.InvalidCount = c.InvalidRewards+s.InvalidRewards, c.InvalidCount || counted
	c.differing += warning(s, analysis.WarnLoggedDiffers).Count
	c.partial += warning(s, analysis.WarnPartialGroups).Count
	c.reward.Add(s, meanReward)
	c.length.Add(s, meanLength)
	c.kept.Add(s, "vantage/kept")
	c.push.Add(s, "vantage/abs_advantage_ratio")
}

// SamplesText says how many samples train.
func (g *Glance) SamplesText() string {
	text := figures.TrainText(g.Nonzero, g.SinglesTrain, g.Residue, g.Rows, g.Statuses, g.run.Evaluates())
	if g.cut {
		text += "; so does the last row, by its logged advantage: the log cuts its group"
	}
	return text
}

// Unread is of how many steps of mostly wrong groups no answer was read, though answers are read of others like them.
func (g *Glance) Unread() int { return g.unread }

// UnreadText says of how many steps answers were read of those like which others are read; "" if of all of them.
func (g *Glance) UnreadText() string {
	if g.unread == 0 {
		return ""
	}
	return fmt.Sprintf("answers were read of %s of %s that are mostly all wrong, spread evenly",
		units.Count(g.suspects-g.unread), units.Plural(g.suspects, "steps"))
}

// Reward returns the mean reward, NaN if there is none.
func (c *Counts) Reward() float64 { return c.reward.Value() }

// Length returns the mean length of the responses, NaN if none is known.
func (c *Counts) Length() float64 { return c.length.Value() }

func warning(s *analysis.StepFigures, kind model.WarningKind) (w model.Warning) {
	if i := slices.IndexFunc(s.Warnings, func(w model.Warning) bool { return w.Kind == kind }); i >= 0 {
		w = s.Warnings[i]
	}
	return w
}

// Of sums up a trend of a run, of which some answers were read.
func Of(t *analysis.Trend, answers diagnosis.Answers, run model.Run) *Glance {
	g := &Glance{Steps: len(t.Steps), Pending: t.Pending, run: run}
	usual := usualOf(t)
	usual.unit, usual.trainer = run.LengthUnit, run.Framework == t.Settings.Framework
	usual.drops = t.Settings.Drops()
	all, likeness := causes(), likenessOf(t, answers)
	g.Spans = make([]Span, 0, len(t.Steps)-t.Pending)
	for i := range t.Steps {
		s := &t.Steps[i]
		switch {
		case s.Pending:
		case s.Open:
			g.Open = append(g.Open, s.Step)
		case s.Groups > 0:
			g.add(s)
			if _, isRead := answers.Alike[s.Step]; Suspect(s) && answers.Read > 0 {
				g.suspects, g.unread = g.suspects+1, g.unread+model.Count01(!isRead)
			}
			f := facts{StepFigures: s, usual: &usual, alike: likeness[i]}
			g.Spans = appendSpan(g.Spans, i, f, all)
			single, differs := warning(s, analysis.WarnSingleSampleGroups), warning(s, analysis.WarnLoggedDiffers)
			g.cut = single.Count == 1 && differs.Count == 1 && single.Example == differs.Example
		}
	}
	g.Spans = worstFirst(slices.DeleteFunc(g.Spans, func(s Span) bool { return s.badness == 0 }))
	if t.Settings.Filtering() && !run.Evaluates() {
		g.Harsh = figures.HarshFilter(g.kept.Value(), g.push.Value())
	}
	g.ofSettings = ofSettings(t.Settings, g)
	return g
}

// worstFirst sorts spans, which are large, by their indexes.
func worstFirst(spans []Span) []Span {
	order := model.Indexes(len(spans))
	slices.SortFunc(order, func(i, k int) int {
		a, b := &spans[i], &spans[k]
		return cmp.Or(cmp.Compare(b.badness, a.badness), b.Dead()-a.Dead(), a.First-b.First)
	})
	return model.Mapped(order, func(i int) Span { return spans[i] })
}

// usual is what most steps of a run are like.
type usual struct {
	reward, length float64 // the medians of the means of complete steps; NaN if unknown
	rewardSpread   float64 // the median distance from that median
	atLimit        float64 // the median share of answers that are as long as the longest of their step
	unit           model.LengthUnit
	drops          string // what drops samples
	trainer        bool   // the settings are of the trainer that wrote the log: what it would refuse has not happened
}

func usualOf(t *analysis.Trend) usual {
	reward, median := t.Series(meanReward), diagnosis.Median
	u := usual{
		reward: median(reward), length: median(t.Series("response_length/mean")),
		atLimit: median(t.Series("response_length/clip_ratio")),
	}
	off := make([]float64, len(reward))
	for i, x := range reward {
		off[i] = max(x-u.reward, u.reward-x)
	}
	u.rewardSpread = median(off)
	return u
}

// FateCount is how many groups have a fate.
type FateCount struct {
	Fate   model.Fate
	Groups int
}

// DeadFates returns the fates of the groups without signal that occur, the most frequent first.
func (c *Counts) DeadFates() []FateCount {
	var all []FateCount
	for _, f := range model.Fates() {
		if f != model.FateAlive && f != model.FateShort && c.Fates[f] > 0 {
			all = append(all, FateCount{f, c.Fates[f]})
		}
	}
	slices.SortStableFunc(all, func(a, b FateCount) int { return b.Groups - a.Groups })
	return all
}

// The shares of groups from which something is advised.
const (
	killedShare = 0.1  // lost to the sample filter
	deadShare   = 0.25 // of equal rewards
)

// Advice is what to do about the run in one sentence: about what ails it, else about the settings. d is nil while that is not known.
func (g *Glance) Advice(d *diagnosis.Diagnosis) string {
	signal := units.Percent(g.Signal, g.Groups) + " of groups carry signal"
	switch {
	case g.Groups == 0:
		return ""
	case d.Alarms() == 0 && g.ofSettings != "":
		return g.ofSettings
	case d == nil || d.Steps == 0:
		return signal
	case len(d.Findings) > 0:
		worst := &d.Findings[0]
		return worst.Kind.Words() + " " + worst.When() + ": " + worst.Advice
	}
	if why := d.WhyUnknown(); why != "" {
		return why + "; " + signal
	}
	return "nothing to change: " + signal
}

// first is what to settle before any setting is changed; "" for nothing.
func (g *Glance) first() string {
	switch worst := g.worst(func(s *Span) bool { return s.Refusals }); {
	case 100*g.InvalidRewards >= g.Rows:
		return fmt.Sprintf("%s of all rewards are NaN or missing: mend the reward function first", units.Percent(g.InvalidRewards, g.Rows))
	case g.refused() != nil:
		return fmt.Sprintf("the trainer's own code %s at %s: check how groups were found, and the estimator (e)", g.refused().detail,
			g.refused().Steps())
	case worst != nil:
		return fmt.Sprintf("read answers of %s first: %s; %s without signal", worst.Steps(), worst.alike,
			units.Plural(worst.Dead(), "groups"))
	case 2*g.differing > g.Rows:
		return fmt.Sprintf("the numbers are not those of the log at %s of samples: settle reward, estimator and scale first, as "+
			"`vantage match` finds them", units.Percent(g.differing, g.Rows))
	}
	return ""
}

// ofSettings is what to change in the settings in one sentence, with its cost; the first that applies.
func ofSettings(set model.Settings, g *Glance) string {
	if g.Groups == 0 {
		return ""
	}
	if text := g.first(); text != "" {
		return text
	}
	equal := g.Fates[model.FateAllWrong] + g.Fates[model.FateConstant] + g.Fates[model.FateAllCorrect]
	lost := g.Fates[model.FateKilled] + g.Fates[model.FateShort]
	groups := float64(g.Groups)
	switch {
	case g.run.Evaluates():
		return "an evaluation: nothing here trains, so there is nothing to set"
	case float64(lost) >= killedShare*groups:
		return ofKilled(set, units.Percent(lost, g.Groups))
	case g.Harsh != "":
		return "the sample filter is " + g.Harsh +
			" of what there is without it: raise keep_pos_ratio or keep_neg_ratio (P, M); S maps every pair"
	case set.GroupFilter != "" && g.Admitted < g.Groups && g.Admitted > 0:
		return fmt.Sprintf("the group filter skips %s of groups; to refill them costs %s generation",
			units.Percent(g.Groups-g.Admitted, g.Groups), times(groups/float64(g.Admitted)))
	case float64(equal) >= deadShare*groups && equal < g.Groups:
		text := fmt.Sprintf("dynamic sampling (C) would skip %s of groups; to refill them costs %s generation",
			units.Percent(equal, g.Groups), times(groups/float64(g.Groups-equal)))
		if g.partial < g.Groups { // sizes are estimated from groups that the log has whole
			text += ", :groupsize asks for larger groups"
		}
		return text
	case float64(g.Fates[model.FateSingle]) >= deadShare*groups:
		return g.ofSingles()
	case equal == g.Groups:
		return "no group carries signal: every group has equal rewards, so that no setting changes anything"
	}
	return ""
}

// ofKilled is what to change where a filter costs such a share of the groups.
func ofKilled(set model.Settings, share string) string {
	if set.OffPolicy != "" && !set.Filtering() {
		return fmt.Sprintf("widen the bound of %s (:option), or take another rule (:off-policy): it costs %s of groups", set.OffPolicy,
			share)
	}
	return fmt.Sprintf("raise keep_pos_ratio or keep_neg_ratio (P, M): the sample filter costs %s of groups; S maps every pair", share)
}

func (g *Glance) ofSingles() string {
	switch singles := g.Fates[model.FateSingle]; {
	case g.cut:
		return "the log ends within a group: its one row has an advantage that only others of its group can give; export the log whole"
	case singles == g.Groups:
		return "each prompt has one sample, and an estimator that compares those of a prompt has nothing to compare: name the trainer's " +
			"(e), or generate more per prompt"
	default:
		return fmt.Sprintf("%s of groups have one sample, with nothing to compare it with: check how groups were found, or generate more "+
			"per prompt", units.Percent(singles, g.Groups))
	}
}

// refused returns the worst span at which the trainer's own code would stop, nil if there is none.
func (g *Glance) refused() *Span { return g.worst(func(s *Span) bool { return s.detail != "" }) }

func (g *Glance) worst(holds func(*Span) bool) *Span {
	for i := range g.Spans {
		if holds(&g.Spans[i]) {
			return &g.Spans[i]
		}
	}
	return nil
}

func times(x float64) string { return units.Fixed(x, 1) + "×" }
