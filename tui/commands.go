package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
)

// readChunk waits for the next chunk, after a pause. Each answer issues it again.
func readChunk(ctx context.Context, s Source, pause time.Duration) tea.Cmd {
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

// pauseAfter returns how long reading can pause after a chunk. New rows of a file can wait
// in it for the next refresh; the writer of a stream must not be kept waiting.
func pauseAfter(p model.Progress) time.Duration {
	if p.CaughtUp && p.BytesAll > 0 {
		return refreshInterval
	}
	return 0
}
