package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/session"
	"vantage/model/units"
	"vantage/themes"
)

// loggedMatch is the comparison of the logged advantages with those of every estimator.
type loggedMatch struct {
	job     job[int, matched] // by the number of complete steps that are compared
	latest  matched           // that has a report
	rewards match.Rewards     // the columns that the log shows to be the reward
}

// matched says which estimator wrote the advantages in the log, and which columns are its reward.
type matched struct {
	report  *match.Report  // nil: there is nothing to compare
	set     model.Settings // with which the report was made
	rewards match.Rewards
}

// maxMatchSamples bounds the samples that are compared, so that nobody waits for it.
const maxMatchSamples = 4096

// updateMatch takes the comparison, and starts it when the first step is complete, and again whenever
// there are twice as many: on few samples more than one estimator fits. It does so too if a newer step
// is the first that disagrees: a prompt may come twice in it; and if the steps before tell no estimators apart.
func (a App) updateMatch(msg tea.Msg) App {
	if a.env.loggedMatch.job.take(&a.commands, msg) {
		a = a.onMatch(a.env.loggedMatch.job.value, a.env.loggedMatch.job.err).requestAnalysis()
	}
	steps, before := len(a.env.snap.Steps), a.env.loggedMatch.job.key
	if steps > 0 && a.env.snap.Open(steps-1) {
		steps--
	}
	enough := steps >= max(1, 2*before) || steps > before && (a.env.newStepDisagrees() || a.env.loggedMatch.undecided())
	if !a.env.snap.Run.Progress.CaughtUp || !enough || !a.env.loggedMatch.job.lacks(steps, inTurn) {
		return a
	}
	snap, set, given := a.env.snap, a.env.settings.now, a.env.session.given
	if given.Rewards == "" && a.env.rewardsAreOpen() {
		set.Weights = "" // the columns of the reward are to be chosen again, as more is known
	}
	a.env.loggedMatch.job.start(&a.commands, steps, once(func(ctx context.Context) (m matched, err error) {
		m.set, m.rewards = match.ChooseRewards(ctx, snap, set, given)
		if m.report, err = match.Run(ctx, snap, m.set, maxMatchSamples); errors.Is(err, match.ErrNotNumbers) {
			err = nil // which tells that no estimator gave them
		}
		return m, err
	}))
	return a
}

// undecided reports whether nothing in the comparison told estimators apart.
func (m loggedMatch) undecided() bool { return m.latest.report != nil && m.latest.report.Undecided }

// newStepDisagrees reports whether the estimator at work gives other advantages than the log has in the
// step on the screen, and gave those of all steps that were compared.
func (e env) newStepDisagrees() bool {
	now := e.result.analysis
	return now != nil && e.choice().Confirmed() &&
		slices.ContainsFunc(now.Warnings, func(w model.Warning) bool { return w.Kind == model.WarnLoggedDiffers })
}

// startAtTrainer begins with the estimator of the log's trainer, as soon as the format is known.
func (a App) startAtTrainer() App {
	if a.env.session.autoOrigin != "" || a.env.snap.Run.Format == "" {
		return a
	}
	set, chosen := match.Choose(a.env.settings.now, a.env.session.given, a.env.snap.Run.Framework, nil)
	if set.Effective().Validate() != nil {
		return a // the analysis says why
	}
	a.env.session.autoEstimator, a.env.session.autoOrigin = session.EstimatorOf(set), chosen.Origin
	if a.env.choiceIsOpen() {
		a.env.settings.now = set
	}
	return a
}

// choiceIsOpen reports whether the log may still decide: neither the session nor the person did.
func (e env) choiceIsOpen() bool { return !e.session.restored && !e.settings.hasChanges() }

func (a App) adoptGroups(proved model.ProvedGroups) App {
	if proved == a.env.settings.now.Proved {
		return a
	}
	h := a.env.settings.withProved(proved)
	g, err := a.env.snap.Grouping(h.now)
	if err != nil {
		return a
	}
	text := a.env.snap.Division(g.GroupRule)
	if text == "" {
		text = "they are " + g.Evidence + ", which the logged advantages prove"
	}
	return a.addNotice("groups changed: " + text).apply(h)
}

// onMatch takes over the groups that the comparison proves, and the columns that the log shows to be the
// reward. At the first comparison, and if these columns change, it switches to the estimator that wrote
// the log, unless the person chose one or has changed something already.
func (a App) onMatch(m matched, err error) App {
	isOpen := a.env.choiceIsOpen()
	if err == nil {
		a = a.adoptGroups(m.report.Proved)
	}
	a, state, notice := a.learnRewards(m.rewards)
	if notice != "" {
		a = a.addNotice(notice)
		isOpen = isOpen || !a.env.session.restored && session.EstimatorOf(state.now) == a.env.session.autoEstimator
	}
	if err == nil { // else no advantages in the log, or no groups: nothing to compare
		isFirst := a.env.loggedMatch.latest.report == nil || a.env.loggedMatch.undecided() || notice != ""
		a.env.loggedMatch.latest = m
		set, chosen := match.Choose(state.now, a.env.session.given, a.env.snap.Run.Framework, m.report)
		if isFirst && isOpen && set.Effective().Validate() == nil {
			a.env.session.autoEstimator, a.env.session.autoOrigin = session.EstimatorOf(set), chosen.Origin
			if set != state.now {
				a = a.addNotice(fmt.Sprintf("the logged advantages match %s, so it is selected (u undoes)", chosen.Candidate))
			}
			state.now = set
		}
		if isFirst && a.env.session.restored {
			a = a.contradictSession(session.EstimatorOf(set), chosen, state.now)
		}
	}
	return a.apply(a.env.settings.push(state))
}

// contradictSession notes what the log itself would choose, where the estimator of the session was taken, and says so if the logged advantages
// prove another one.
func (a App) contradictSession(own session.Estimator, chosen match.Choice, now model.Settings) App {
	a.env.session.autoEstimator, a.env.session.autoOrigin = own, chosen.Origin
	isOther := own != session.EstimatorOf(now)
	if isOther && chosen.Origin == match.FromAdvantages && a.env.session.left(session.EstimatorOf(now)) {
		a = a.says(fmt.Sprintf("%s is as you left it, but the logged advantages match %s: :forget goes back", match.CandidateOf(now), chosen.Candidate))
	}
	return a
}

// left reports whether an estimator is the one that was at work when the log was left the last time.
func (s sessionState) left(estimator session.Estimator) bool {
	if !s.restored || s.current.View == nil {
		return false
	}
	saved := s.current.View.Estimator
	return saved != nil && *saved == estimator
}

// choice returns who chose the estimator at work, and what the log says of it.
func (e env) choice() match.Choice {
	origin := e.session.autoOrigin
	switch now := session.EstimatorOf(e.settings.now); {
	case now == e.session.autoEstimator:
	case e.session.left(now):
		origin = match.FromSession
	default:
		origin = match.FromScreen
	}
	c := match.Describe(e.settings.now, origin, e.loggedReport())
	if t := e.result.trend; t != nil {
		c = c.OfRule(e.snap, t.Grouping.GroupRule)
	}
	c.Rewards = e.rewards()
	return c
}

// loggedReport returns the comparison with the logged advantages, nil if it was made with another reward.
func (e env) loggedReport() *match.Report {
	m := e.loggedMatch.latest
	if set := e.settings.now; set.Reward != m.set.Reward || set.Weights != m.set.Weights {
		return nil
	}
	return m.report
}

// matchVerdict says in a few words whether an estimator reproduces the logged advantages.
func (e env) matchVerdict() string {
	r := e.loggedReport()
	if r == nil {
		return ""
	}
	t := e.display.theme
	switch r.Outcome() {
	case match.OutcomeCannotTell:
		if r.Residue {
			return t.Paint(themes.Dim, "log: only float residue so far")
		}
		return t.Paint(themes.Dim, "log: all advantages are 0 so far")
	case match.OutcomeMixture, match.OutcomeFiltered, match.OutcomeNone:
		return t.Paint(themes.Warn, "! "+nearestEstimator(r))
	case match.OutcomeMatch:
	}
	best, how, equal := r.Matches[0], "exact", r.Matches[0].Exact
	switch {
	case best.Equal() < r.Compared:
		how, equal = "up to rounding", best.Agreeing
	case best.OneULP > 0:
		how, equal = "within 1 ulp", best.Equal()
	}
	return t.Paint(themes.Good, e.display.glyphs.Dot) + fmt.Sprintf(" log = %s %s %s, %s/%s %s",
		estimators.Title(best.Framework), best.Estimator, best.Scale, units.Count(equal), units.Count(r.Compared), how)
}

// nearestEstimator names the newest estimator of a mixture, or that of a filtered log, else the one that
// reproduces most of the logged advantages, if it reproduces half of them.
func nearestEstimator(r *match.Report) string {
	if r.Found != nil {
		return fmt.Sprintf("log = %s %s %s, filtered", estimators.Title(r.Found.Framework), r.Found.Estimator, r.Found.Scale)
	}
	if n := len(r.Mixture); n > 0 {
		newest := r.Mixture[n-1]
		return fmt.Sprintf("log = %s %s %s from step %d on", estimators.Title(newest.Framework), newest.Estimator, newest.Scale, newest.From)
	}
	if len(r.Others) == 0 || 2*r.Others[0].Agreeing < r.Compared {
		return "log = no known estimator"
	}
	v := r.Others[0]
	return fmt.Sprintf("log ≈ %s %s %s, %s/%s", estimators.Title(v.Framework), v.Estimator, v.Scale, units.Count(v.Agreeing), units.Count(r.Compared))
}

// matchWarning is the warning that no estimator reproduces the logged advantages.
func (e env) matchWarning() []warningLine {
	r := e.loggedReport()
	if r == nil || r.HasMatch() || r.Undecided {
		return nil
	}
	return []warningLine{{
		kind:   model.WarnLoggedDiffers,
		text:   fmt.Sprintf("none of %d estimators and scales reproduces all logged advantages", r.Candidates),
		advice: sanitize.Line(strings.Join(r.Clues, "; ")) + " — `vantage match` has the details", group: -1,
	}}
}

// rewardsAreOpen reports whether the log may still decide which of its columns are the reward: the
// person has named none, nor taken back what the log said.
func (e env) rewardsAreOpen() bool {
	if e.session.given.Rewards == match.FromConfig && e.snap.Run.CheckReward(e.settings.now) != nil {
		return true // it names what the log lacks
	}
	return e.session.given.Rewards == "" && e.settings.now.Reward == "" && e.settings.now.Weights == e.session.autoWeights
}

// learnRewards takes over which columns the log says are the reward. It returns the settings with these
// columns, and a notice if they are others than before.
func (a App) learnRewards(r match.Rewards) (_ App, learned undoState, notice string) {
	learned = a.env.settings.undoState
	if !a.env.rewardsAreOpen() || !r.IsChoice() {
		return a, learned, ""
	}
	a.env.loggedMatch.rewards = r
	before := learned.now.Weights
	if r.Absent != "" {
		a.env.session.given.Rewards, a.env.session.defaults.Reward, a.env.session.defaults.Weights = "", "", ""
	}
	if a.env.session.autoWeights = r.Weights; r.Weights == before && r.Absent == "" {
		return a, learned, ""
	}
	learned.now.Reward, learned.now.Weights = "", r.Weights
	if base := &learned.base; base.on && base.settings.Reward == "" && base.settings.Weights == before {
		base.settings.Weights = r.Weights
	}
	return a, learned, "reward = " + sanitize.Line(r.Formula) + ", found in the log (u undoes, ! has the evidence)"
}

func (e env) rewards() match.Rewards {
	set := e.settings.now
	if e.rewardsAreOpen() && e.loggedMatch.rewards.IsChoice() {
		return e.loggedMatch.rewards
	}
	if set.Reward == "" && set.Weights == "" && len(e.snap.Run.SummedColumns()) < 2 {
		return match.Rewards{}
	}
	origin := e.session.given.Rewards
	if set.Reward != e.session.defaults.Reward || set.Weights != e.session.defaults.Weights {
		origin = match.FromScreen
	}
	if set.Reward == "" && set.Weights == "" {
		origin = match.Assumed
	}
	return match.DescribeRewards(e.snap, set, match.Rewards{Origin: origin})
}
