package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/choice"
	"vantage/model/compare"
)

// secondRun is the candidate that the first run, the baseline, is compared with prompt by prompt.
type secondRun struct {
	source Source // nil if there is none
	title  string
	store  *model.Store
	chunks int   // that came
	err    error // why nothing was read

	job       job[comparisonKey, comparison]
	cursor    int  // row of the table of prompts
	bestFirst bool // prompts on which the candidate is better come first

	trend job[secondTrendKey, *analysis.Trend]
}

// comparisonKey is all that a comparison depends on.
type comparisonKey struct {
	revision int // of the first run
	secondRunKey
}

// secondRunKey is what all that is computed of the second run depends on.
type secondRunKey struct {
	chunks      int
	set         model.Settings
	autoRewards bool // the second run has its own columns of the reward
}

// of returns the settings for the second run: with its own columns of the reward, unless they were given.
func (k secondRunKey) of(ctx context.Context, snap model.Snapshot) model.Settings {
	set := k.set
	if k.autoRewards {
		set.Weights = ""
		set, _ = choice.ChooseRewards(ctx, snap, set, choice.Given{})
	}
	return set
}

func (a App) secondRunKey() secondRunKey {
	return secondRunKey{chunks: a.second.chunks, set: a.settings.now, autoRewards: a.rewardsAreOpen()}
}

// comparison is the comparison with the second run.
type comparison struct {
	result *compare.Result
	sets   [2]model.Settings // of the baseline and of the candidate: which columns are the reward
	unit   model.LengthUnit  // of the candidate's lengths
}

// readSecond is readChunk for the second run.
func readSecond(ctx context.Context, s Source, pause time.Duration) tea.Cmd {
	return func() tea.Msg {
		chunk, err := nextAfter(ctx, s, pause)
		return secondChunkMsg{chunk, err}
	}
}

func (a App) onSecondChunk(msg secondChunkMsg) App {
	if msg.err != nil {
		if a.second.store.Snapshot().Rows == 0 && !errors.Is(msg.err, context.Canceled) {
			a.second.err = msg.err
		}
		return a
	}
	a.second.store.Append(msg.chunk)
	a.second.chunks++
	return a.starts(readSecond(a.ctx, a.second.source, pauseAfter(msg.chunk.Progress)))
}

// updateComparison requests the comparison while its view is open. The cursor stays on its prompt, at the top it stays there.
func (a App) updateComparison(msg tea.Msg) App {
	before, wasSelected := a.selectedPair()
	var isAnswer bool
	if a.second.job, _, isAnswer = a.second.job.take(msg); isAnswer {
		if r := a.second.job.value.result; wasSelected && r != nil && (a.second.cursor > 0 || a.position.view != viewCompare) {
			for i := range r.Pairs {
				if a.pairAt(i).Hash == before.Hash {
					a.second.cursor = i
				}
			}
		}
	}
	key := comparisonKey{a.snap.Revision, a.secondRunKey()}
	if a.position.view != viewCompare || a.second.chunks == 0 || a.snap.Rows == 0 || !a.second.job.lacks(key, inTurn) {
		return a
	}
	first, second, names := a.snap, a.second.store.Snapshot(), a.runNames()
	if second.Rows == 0 {
		return a
	}
	var cmd tea.Cmd
	a.second.job, cmd = a.second.job.start(a.ctx, key, once(func(ctx context.Context) (c comparison, err error) {
		c.unit, c.sets = second.Run.LengthUnit, [2]model.Settings{key.set, key.of(ctx, second)}
		c.result, err = compare.Runs(ctx, compare.Run{Name: names[sideBaseline], Snap: first, Set: c.sets[sideBaseline]},
			compare.Run{Name: names[sideCandidate], Snap: second, Set: c.sets[sideCandidate]})
		return c, err
	}))
	return a.starts(cmd)
}

// secondTrendKey is all that the figures of the second run over its steps depend on.
type secondTrendKey struct{ secondRunKey }

// isOlder reports whether only chunks came since a request.
func (k secondTrendKey) isOlder(wanted secondTrendKey) bool {
	k.chunks = wanted.chunks
	return k == wanted
}

// updateSecondTrend computes the figures of the second run, in parts, while charts show them. If they cannot be computed, charts
// show the first run only.
func (a App) updateSecondTrend(msg tea.Msg) App {
	var more tea.Cmd
	a.second.trend, more, _ = a.second.trend.take(msg)
	if a.second.chunks == 0 || !a.drawsSteps() || a.snap.Rows == 0 {
		if a.second.trend.busy() {
			a.second.trend = a.second.trend.stop()
		}
		return a
	}
	a = a.starts(more)
	key := secondTrendKey{a.secondRunKey()}
	if !a.second.trend.lacks(key, secondTrendKey.isOlder) {
		return a
	}
	snap := a.second.store.Snapshot()
	if snap.Rows == 0 {
		return a
	}
	var cmd tea.Cmd
	a.second.trend, cmd = a.second.trend.start(a.ctx, key, computeSecondTrend(key, snap, a.second.trend.value, firstTrendSamples))
	return a.starts(cmd)
}

func computeSecondTrend(key secondTrendKey, snap model.Snapshot, known *analysis.Trend, samples int) work[*analysis.Trend] {
	return func(ctx context.Context) (*analysis.Trend, work[*analysis.Trend], error) {
		trend, err := analysis.ComputeTrend(ctx, snap, key.of(ctx, snap), known, nil, samples)
		if err != nil || trend.Complete() {
			return trend, nil, err
		}
		return trend, computeSecondTrend(key, snap, trend, 2*samples), nil
	}
}

// viewInSight returns the view on the screen, or the one under a line of input or of choices.
func (a App) viewInSight() viewName {
	switch v := a.position.view; v {
	case viewCommand, viewNote, viewCopy:
		return a.position.viewBelow
	default:
		return v
	}
}

// drawsSteps reports whether charts over the steps are in sight.
func (a App) drawsSteps() bool { return a.viewInSight() == viewSteps || a.viewInSight() == viewFigures }
