package tui

import (
	"testing"
	"time"

	"vantage/model"
	"vantage/tui/env"
)

// The remaining time follows from the bytes read so far: at 300 MB in 3 s the other 600 MB
// take 6 s. There is no estimate in the first second.
func TestReadRateEstimatesTheRemainingTime(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return time.Date(2026, 1, 2, 14, 3, second, 0, time.UTC) }
	var p env.ReadRate
	for _, c := range []struct {
		second int
		read   int64
		done   bool
		want   time.Duration
	}{
		{0, 100e6, false, 0},
		{0, 200e6, false, 0},
		{3, 400e6, false, 6 * time.Second},
		{9, 1000e6, true, 0},
		{20, 1000e6, false, 0}, // it grows again: from the start
	} {
		if p = p.Updated(at(c.second), model.Progress{BytesRead: c.read, BytesAll: 1000e6, CaughtUp: c.done}); p.Remaining != c.want {
			t.Errorf("%d bytes after %d s: %v left, want %v", c.read, c.second, p.Remaining, c.want)
		}
	}
}
