package tui

import (
	"context"
	"errors"
	"testing"
	"time"

	"vantage/model"
)

// New rows of a file can wait there until the next refresh. A stream is read at once, since
// its writer would wait, and so is a file that is not read to its end.
func TestPauseOnlyBetweenRefreshesOfAFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		progress model.Progress
		want     time.Duration
	}{
		"a log that grows":    {model.Progress{BytesRead: 9, BytesAll: 9, CaughtUp: true}, refreshInterval},
		"a log that is large": {model.Progress{BytesRead: 3, BytesAll: 9}, 0},
		"a stream":            {model.Progress{BytesRead: 9, CaughtUp: true}, 0},
	} {
		if got := pauseAfter(c.progress); got != c.want {
			t.Errorf("after %s: %v, want %v", name, got, c.want)
		}
	}
}

// A pause ends when the program does.
func TestPauseEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	msg := readChunk(ctx, silentSource{}, time.Hour)()
	if answer, ok := msg.(chunkMsg); !ok || !errors.Is(answer.err, context.Canceled) {
		t.Errorf("%#v", msg)
	}
}

// silentSource is a source without any chunk.
type silentSource struct{}

func (silentSource) Next(ctx context.Context) (*model.Chunk, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
