package env

import (
	"fmt"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/match"
	"vantage/model/session"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/job"
)

// loggedMatch is the comparison of the logged advantages with those of every estimator.
type loggedMatch struct {
	Job     job.Job[int, Matched] // by the number of complete steps that are compared
	Latest  Matched               // that has a report
	Rewards match.Rewards         // the columns that the log shows to be the reward
}

// Matched says which estimator wrote the advantages in the log, and which columns are its reward.
type Matched struct {
	Report  *match.Report  // nil: there is nothing to compare
	Set     model.Settings // with which the report was made
	Rewards match.Rewards
}

// Undecided reports whether nothing in the comparison told estimators apart.
func (m loggedMatch) Undecided() bool { return m.Latest.Report != nil && m.Latest.Report.Undecided }

// NewStepDisagrees reports whether the estimator at work gives other advantages than the log has in the
// step on the screen, and gave those of all steps that were compared.
func (e Env) NewStepDisagrees() bool {
	now := e.Result.Analysis
	return now != nil && e.Choice().Confirmed() &&
		slices.ContainsFunc(now.Warnings, func(w model.Warning) bool { return w.Kind == analysis.WarnLoggedDiffers })
}

// ChoiceIsOpen reports whether the log may still decide: neither the session nor the person did.
func (e Env) ChoiceIsOpen() bool { return !e.Session.Restored && !e.Settings.hasChanges() }

// Left reports whether an estimator is the one that was at work when the log was left the last time.
func (s SessionState) Left(estimator session.Estimator) bool {
	if !s.Restored || s.Current.View == nil {
		return false
	}
	saved := s.Current.View.Estimator
	return saved != nil && *saved == estimator
}

// Choice returns who chose the estimator at work, and what the log says of it.
func (e Env) Choice() match.Choice {
	origin := e.Session.AutoOrigin
	switch now := session.EstimatorOf(e.Settings.Now); {
	case now == e.Session.AutoEstimator:
	case e.Session.Left(now):
		origin = match.FromSession
	default:
		origin = match.FromScreen
	}
	c := match.Describe(e.Settings.Now, origin, e.LoggedReport())
	if t := e.Result.Trend; t != nil {
		c = c.OfRule(e.Snap, t.Grouping.GroupRule)
	}
	c.Rewards = e.Rewards()
	return c
}

// LoggedReport returns the comparison with the logged advantages, nil if it was made with another reward.
func (e Env) LoggedReport() *match.Report {
	m := e.LoggedMatch.Latest
	if set := e.Settings.Now; set.Reward != m.Set.Reward || set.Weights != m.Set.Weights {
		return nil
	}
	return m.Report
}

// MatchVerdict says in a few words whether an estimator reproduces the logged advantages.
func (e Env) MatchVerdict() string {
	r := e.LoggedReport()
	if r == nil {
		return ""
	}
	t := e.Display.Theme
	switch r.Outcome() {
	case match.OutcomeCannotTell:
		if r.Residue {
			return t.Paint(themes.Dim, "log: only rounding errors so far")
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
	return t.Paint(themes.Good, e.Display.Glyphs.Dot) + fmt.Sprintf(" log = %s %s %s, %s/%s %s",
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
		return fmt.Sprintf("log = %s %s %s from step %d on", estimators.Title(newest.Framework), newest.Estimator, newest.Scale,
			newest.From)
	}
	if len(r.Others) == 0 || 2*r.Others[0].Agreeing < r.Compared {
		return "log = no known estimator"
	}
	v := r.Others[0]
	return fmt.Sprintf(
		"log ≈ %s %s %s, %s/%s", estimators.Title(v.Framework), v.Estimator, v.Scale, units.Count(v.Agreeing), units.Count(r.Compared),
	)
}

// RewardsAreOpen reports whether the log may still decide which of its columns are the reward: the
// person has named none, nor taken back what the log said.
func (e Env) RewardsAreOpen() bool {
	if e.Session.Given.Rewards == match.FromConfig && e.Snap.Run.CheckReward(e.Settings.Now) != nil {
		return true // it names what the log lacks
	}
	return e.Session.Given.Rewards == "" && e.Settings.Now.Reward == "" && e.Settings.Now.Weights == e.Session.AutoWeights
}

// Rewards says which columns are the reward, and who chose them.
func (e Env) Rewards() match.Rewards {
	set := e.Settings.Now
	if e.RewardsAreOpen() && e.LoggedMatch.Rewards.IsChoice() {
		return e.LoggedMatch.Rewards
	}
	if set.Reward == "" && set.Weights == "" && len(e.Snap.Run.SummedColumns()) < 2 {
		return match.Rewards{}
	}
	origin := e.Session.Given.Rewards
	if set.Reward != e.Session.Defaults.Reward || set.Weights != e.Session.Defaults.Weights {
		origin = match.FromScreen
	}
	if set.Reward == "" && set.Weights == "" {
		origin = match.Assumed
	}
	return match.DescribeRewards(e.Snap, set, match.Rewards{Origin: origin})
}

// SessionState is the session, and how the estimator was chosen.
type SessionState struct {
	Current         session.Session
	Defaults        model.Settings    // without a session
	Given           match.Given       // by the command line
	Restored        bool              // the session holds an estimator: the log's own is not used
	EstimatorChosen bool              // by the command line or in the session
	AutoEstimator   session.Estimator // that the program chose from what was given and from the log: not saved, unless something was given
	AutoOrigin      match.Origin      // of AutoEstimator; "" before the log is known
	AutoWeights     model.Weights     // of the columns that the log shows to be the reward; "" if it does not
}
