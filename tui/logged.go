package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/session"
	"vantage/tui/env"
	"vantage/tui/job"
)

// maxMatchSamples bounds the samples that are compared, so that nobody waits for it.
const maxMatchSamples = 4096

// updateMatch takes the comparison, and starts it when the first step is complete, and again whenever
// there are twice as many: on few samples more than one estimator fits. It does so too if a newer step
// is the first that disagrees: a prompt may come twice in it; and if the steps before tell no estimators apart.
func (a App) updateMatch(msg tea.Msg) App {
	if a.env.LoggedMatch.Job.Take(&a.commands, msg) {
		a = a.onMatch(a.env.LoggedMatch.Job.Value, a.env.LoggedMatch.Job.Err).requestAnalysis()
	}
	steps, before := len(a.env.Snap.Steps), a.env.LoggedMatch.Job.Key
	if steps > 0 && a.env.Snap.Open(steps-1) {
		steps--
	}
	enough := steps >= max(1, 2*before) || steps > before && (a.env.NewStepDisagrees() || a.env.LoggedMatch.Undecided())
	if !a.env.Snap.Run.Progress.CaughtUp || !enough || !a.env.LoggedMatch.Job.Lacks(steps, job.InTurn) {
		return a
	}
	snap, set, given := a.env.Snap, a.env.Settings.Now, a.env.Session.Given
	if given.Rewards == "" && a.env.RewardsAreOpen() {
		set.Weights = "" // the columns of the reward are to be chosen again, as more is known
	}
	a.env.LoggedMatch.Job.Start(&a.commands, steps, job.Once(func(ctx context.Context) (m env.Matched, err error) {
		m.Set, m.Rewards = match.ChooseRewards(ctx, snap, set, given)
		if m.Report, err = match.Run(ctx, snap, m.Set, maxMatchSamples); errors.Is(err, match.ErrNotNumbers) {
			err = nil // which tells that no estimator gave them
		}
		return m, err
	}))
	return a
}

// startAtTrainer begins with the estimator of the log's trainer, as soon as the format is known.
func (a App) startAtTrainer() App {
	if a.env.Session.AutoOrigin != "" || a.env.Snap.Run.Format == "" {
		return a
	}
	set, chosen := match.Choose(a.env.Settings.Now, a.env.Session.Given, a.env.Snap.Run.Framework, nil)
	if set.Effective().Validate() != nil {
		return a // the analysis says why
	}
	a.env.Session.AutoEstimator, a.env.Session.AutoOrigin = session.EstimatorOf(set), chosen.Origin
	if a.env.ChoiceIsOpen() {
		a.env.Settings.Now = set
	}
	return a
}

func (a App) adoptGroups(proved model.ProvedGroups) App {
	if proved == a.env.Settings.Now.Proved {
		return a
	}
	h := a.env.Settings.WithProved(proved)
	g, err := a.env.Snap.Grouping(h.Now)
	if err != nil {
		return a
	}
	text := a.env.Snap.Division(g.GroupRule)
	if text == "" {
		text = "they are " + g.Evidence + ", which the logged advantages prove"
	}
	return a.addNotice("groups changed: " + text).apply(h)
}

// onMatch takes over the groups that the comparison proves, and the columns that the log shows to be the
// reward. At the first comparison, and if these columns change, it switches to the estimator that wrote
// the log, unless the person chose one or has changed something already.
func (a App) onMatch(m env.Matched, err error) App {
	isOpen := a.env.ChoiceIsOpen()
	if err == nil {
		a = a.adoptGroups(m.Report.Proved)
	}
	a, state, notice := a.learnRewards(m.Rewards)
	if notice != "" {
		a = a.addNotice(notice)
		isOpen = isOpen || !a.env.Session.Restored && session.EstimatorOf(state.Now) == a.env.Session.AutoEstimator
	}
	if err == nil { // else no advantages in the log, or no groups: nothing to compare
		isFirst := a.env.LoggedMatch.Latest.Report == nil || a.env.LoggedMatch.Undecided() || notice != ""
		a.env.LoggedMatch.Latest = m
		set, chosen := match.Choose(state.Now, a.env.Session.Given, a.env.Snap.Run.Framework, m.Report)
		if isFirst && isOpen && set.Effective().Validate() == nil {
			a.env.Session.AutoEstimator, a.env.Session.AutoOrigin = session.EstimatorOf(set), chosen.Origin
			if set != state.Now && chosen.Origin == match.FromAdvantages {
				a = a.addNotice(fmt.Sprintf("the logged advantages match %s, so it is selected (u undoes)", chosen.Candidate))
			}
			state.Now = set
		}
		if isFirst && a.env.Session.Restored {
			a = a.contradictSession(session.EstimatorOf(set), chosen, state.Now)
		}
	}
	return a.apply(a.env.Settings.Push(state))
}

// contradictSession notes what the log itself would choose, where the estimator of the session was taken, and says so if the logged
// advantages prove another one.
func (a App) contradictSession(own session.Estimator, chosen match.Choice, now model.Settings) App {
	a.env.Session.AutoEstimator, a.env.Session.AutoOrigin = own, chosen.Origin
	isOther := own != session.EstimatorOf(now)
	if isOther && chosen.Origin == match.FromAdvantages && a.env.Session.Left(session.EstimatorOf(now)) {
		a = a.says(fmt.Sprintf("%s is as you left it, but the logged advantages match %s: :forget goes back", match.CandidateOf(now),
			chosen.Candidate))
	}
	return a
}

// learnRewards takes over which columns the log says are the reward. It returns the settings with these
// columns, and a notice if they are others than before.
func (a App) learnRewards(r match.Rewards) (_ App, learned env.State, notice string) {
	learned = a.env.Settings.State
	if !a.env.RewardsAreOpen() || !r.IsChoice() {
		return a, learned, ""
	}
	a.env.LoggedMatch.Rewards = r
	before := learned.Now.Weights
	if r.Absent != "" {
		a.env.Session.Given.Rewards, a.env.Session.Defaults.Reward, a.env.Session.Defaults.Weights = "", "", ""
	}
	if a.env.Session.AutoWeights = r.Weights; r.Weights == before && r.Absent == "" {
		return a, learned, ""
	}
	learned.Now.Reward, learned.Now.Weights = "", r.Weights
	if base := &learned.Base; base.On && base.Settings.Reward == "" && base.Settings.Weights == before {
		base.Settings.Weights = r.Weights
	}
	return a, learned, "reward = " + sanitize.Line(r.Formula) + ", found in the log (u undoes, ! has the evidence)"
}
