package tui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/tui/env"
)

// chunkMsg is a chunk of the source, or the error that ends reading.
type chunkMsg struct {
	chunk *model.Chunk
	at    time.Time // when it came
	err   error     // io.EOF: the source has ended
}

func (msg chunkMsg) on(a App) App {
	if msg.err != nil {
		a.env.SourceState.Ended = true
		a = a.chooseFirstView()
		if !errors.Is(msg.err, io.EOF) && !errors.Is(msg.err, context.Canceled) {
			a.env.SourceState.Err = msg.err
		}
		return a
	}
	a.store.Append(msg.chunk)
	a.env.SourceState.LastChunk = msg.at
	a.work.stale = true
	return a.starts(readChunk(a.commands.Ctx, a.source, pauseAfter(msg.chunk.Progress)))
}

// readChunk waits for the next chunk, after a pause. Each answer issues it again.
func readChunk(ctx context.Context, s env.Source, pause time.Duration) tea.Cmd {
	return func() tea.Msg {
		if pause > 0 {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
		chunk, err := s.Next(ctx)
		return chunkMsg{chunk: chunk, at: time.Now(), err: err}
	}
}

// pauseAfter returns how long reading can pause after a chunk. New rows of a file can wait
// in it for the next refresh; the writer of a stream must not be kept waiting.
func pauseAfter(p model.Progress) time.Duration {
	if p.CaughtUp && p.BytesAll > 0 {
		return refreshInterval
	}
	return 0
}

// clockMsg says that the words on how fresh the log is may have to change.
type clockMsg struct{ at time.Time }

func (msg clockMsg) on(a App) App { return a.onClock(msg.at) }

// onClock sets what the screen takes for now, and requests the moment at which its words on how fresh
// the log is change: once a minute at most, and never after the log has ended. Requests overtaken by
// an earlier one change nothing when they end.
func (a App) onClock(now time.Time) App {
	if now.After(a.env.SourceState.Clock) {
		a.env.SourceState.Clock = now
	}
	s := &a.env.SourceState
	_, until := a.env.Snap.Run.Progress.FreshnessText(s.Clock)
	if !s.NextClock.After(s.Clock) {
		s.NextClock = time.Time{} // it has come
	}
	if s.Ended || until.IsZero() || !s.NextClock.IsZero() && !until.Before(s.NextClock) {
		return a
	}
	s.NextClock = until
	return a.starts(tea.Tick(until.Sub(s.Clock), func(t time.Time) tea.Msg {
		if t.Before(until) { // the clock was set
			t = until
		}
		return clockMsg{t}
	}))
}

// secondChunkMsg is a chunk of the second run, or the error that ends reading.
type secondChunkMsg chunkMsg

func readSecond(ctx context.Context, s env.Source, pause time.Duration) tea.Cmd {
	read := readChunk(ctx, s, pause)
	return func() tea.Msg { return secondChunkMsg(read().(chunkMsg)) }
}

func (msg secondChunkMsg) on(a App) App {
	if msg.err != nil {
		if a.env.Second.Store.Snapshot().Rows == 0 && !errors.Is(msg.err, context.Canceled) {
			a.env.Second.Err = msg.err
		}
		return a
	}
	a.env.Second.Store.Append(msg.chunk)
	a.env.Second.Chunks++
	return a.starts(readSecond(a.commands.Ctx, a.env.Second.Source, pauseAfter(msg.chunk.Progress)))
}
