package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/match"
)

// restTime is the least time between two refreshes that come from data.
const restTime = 500 * time.Millisecond

// read waits for the next chunk, after a pause. It is issued anew after each answer.
func read(ctx context.Context, s Source, pause time.Duration) tea.Cmd {
	return func() tea.Msg {
		chunk, err := nextAfter(ctx, s, pause)
		return chunkMsg{chunk: chunk, at: time.Now(), err: err}
	}
}

func nextAfter(ctx context.Context, s Source, pause time.Duration) (*model.Chunk, error) {
	if pause > 0 {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	return s.Next(ctx)
}

// pauseAfter is how long nothing needs to be read, since the screen rests: what comes
// meanwhile waits in its file, and costs nothing there. The writer of a stream would wait.
func pauseAfter(p model.Progress) time.Duration {
	if p.CaughtUp && p.BytesAll > 0 {
		return restTime
	}
	return 0
}

// analyze computes one step of a snapshot, under the baseline too if there is one. What
// is on the screen may be had over.
func analyze(ctx context.Context, revision int, snap model.Snapshot, step int, set history, known result) tea.Cmd {
	return func() tea.Msg {
		msg := analysisMsg{revision: revision}
		before := known.analysis
		if known.ahead != nil {
			before = known.ahead
		}
		if msg.analysis, msg.err = snap.AnalyzeAfter(ctx, step, set.now, before); msg.err != nil || !set.base.on {
			return msg
		}
		before = known.base
		if before == nil {
			before = msg.analysis
		}
		msg.base, msg.err = snap.AnalyzeAfter(ctx, step, set.base.set, before)
		return msg
	}
}

// follow computes as many steps of a snapshot as come to so many samples, newest
// first, taking over what has not changed and the step that is known.
func follow(ctx context.Context, revision int, snap model.Snapshot, set history, known result, samples int) tea.Cmd {
	return func() tea.Msg {
		msg := trendMsg{revision: revision, samples: samples}
		if msg.trend, msg.err = snap.TrendPart(ctx, set.now, known.trend, known.analysis, samples); msg.err == nil && set.base.on {
			msg.base, msg.err = snap.TrendPart(ctx, set.base.set, known.baseTrend, known.base, samples)
		}
		return msg
	}
}

// maxMatched is how many samples are compared: what a person does not wait for.
const maxMatched = 4096

// matchLogged finds the estimator that wrote the advantages of the log.
func matchLogged(ctx context.Context, snap model.Snapshot, set model.Settings) tea.Cmd {
	return func() tea.Msg {
		r, err := match.Run(ctx, snap, set, maxMatched)
		return matchMsg{r, err}
	}
}

// rest ends the pause after a refresh.
func rest() tea.Cmd {
	return tea.Tick(restTime, func(time.Time) tea.Msg { return restedMsg{} })
}
