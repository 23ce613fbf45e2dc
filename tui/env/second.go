package env

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/compare"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/tui/cells"
	"vantage/tui/job"
)

// FirstTrendSamples is how many samples the first part of the trend has at least: few enough to be computed before a person
// notices. Each part has twice as many as the one before, so that the screen is drawn a few times, not once a step.
const FirstTrendSamples = 1 << 16

// ComputeTrend computes the trend of the newest steps up to so many samples, under the baseline too if there is one, then of twice as
// many. It reuses those that are known, and the analyses that are shown.
func ComputeTrend(snap model.Snapshot, set State, shown, base *analysis.Analysis, known Trends, samples int) job.Work[Trends] {
	return func(ctx context.Context) (next Trends, more job.Work[Trends], err error) {
		if next.Trend, err = analysis.ComputeTrend(ctx, snap, set.Now, known.Trend, shown, samples); err == nil && set.Base.On {
			next.Base, err = analysis.ComputeTrend(ctx, snap, set.Base.Settings, known.Base, base, samples)
		}
		if err == nil && (!next.Trend.Complete() || next.Base != nil && !next.Base.Complete()) {
			more = ComputeTrend(snap, set, shown, base, next, 2*samples)
		}
		return next, more, err
	}
}

// The sides.
const (
	SideBaseline = iota
	SideCandidate
)

// MaxRunName is the width at which the name of a run is cut, from the left: names differ at their ends.
const MaxRunName = 24

// RunNames returns the names of the two runs that are open, short and different: without the folders that
// both are in.
func (e Env) RunNames() [2]string {
	names := compare.Names(sanitize.Line(e.Title), sanitize.Line(e.Second.Title))
	for side := range names {
		names[side] = cells.TruncateLeft(names[side], MaxRunName)
	}
	if names[0] == names[1] { // they differ where they were cut
		return compare.Names("", "")
	}
	return names
}

// AgainstSecond says which run this one is compared with, if two are open.
func (e Env) AgainstSecond() string {
	if e.Second.Source == nil {
		return ""
	}
	return " against " + e.RunNames()[SideCandidate]
}

// OfRun says of which run a table is, if two are open.
func (e Env) OfRun() string {
	if e.Second.Source == nil {
		return ""
	}
	return " of " + e.RunNames()[SideBaseline]
}

// SecondRun is the candidate that the first run, the baseline, is compared with prompt by prompt.
type SecondRun struct {
	Source Source // nil if there is none
	Title  string
	Store  *model.Store
	Chunks int   // that came
	Err    error // why nothing was read
	Trend  job.Job[SecondRunKey, Trends]
}

// SecondRunKey is what all that is computed of the second run depends on.
type SecondRunKey struct {
	chunks      int
	Set         model.Settings
	autoRewards bool // the second run has its own columns of the reward
}

// Of returns the settings for the second run: with its own columns of the reward, unless they were given.
func (k SecondRunKey) Of(ctx context.Context, snap model.Snapshot) model.Settings {
	set := k.Set
	if k.autoRewards {
		set.Weights = ""
		set, _ = match.ChooseRewards(ctx, snap, set, match.Given{})
	}
	return set
}

// SecondRunKey returns the key of what is computed of the second run now.
func (e Env) SecondRunKey() SecondRunKey {
	return SecondRunKey{chunks: e.Second.Chunks, Set: e.Settings.Now, autoRewards: e.RewardsAreOpen()}
}

// isOlder reports whether only chunks came since a request.
func (k SecondRunKey) isOlder(wanted SecondRunKey) bool {
	k.chunks = wanted.chunks
	return k == wanted
}

// Update computes the figures of the second run, in parts, while charts show them. If they cannot be computed, charts
// show the first run only.
func (s *SecondRun) Update(e Env, drawn bool, c *job.Queue, msg tea.Msg) {
	s.Trend.Take(c, msg)
	if s.Chunks == 0 || !drawn || e.Snap.Rows == 0 {
		if s.Trend.Busy() {
			s.Trend.Stop()
		}
		return
	}
	key := e.SecondRunKey()
	if !s.Trend.Lacks(key, SecondRunKey.isOlder) {
		return
	}
	snap := s.Store.Snapshot()
	if snap.Rows == 0 {
		return
	}
	known := s.Trend.Value
	s.Trend.Start(c, key, func(ctx context.Context) (Trends, job.Work[Trends], error) {
		return ComputeTrend(snap, State{Now: key.Of(ctx, snap)}, nil, nil, known, FirstTrendSamples)(ctx)
	})
}
