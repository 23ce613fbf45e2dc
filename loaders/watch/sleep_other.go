//go:build !linux

package watch

import (
	"context"
	"time"
)

// Sleeper does not exist on this system: callers use a timer of the runtime instead.
type Sleeper struct{}

// NewSleeper returns a sleeper that never sleeps.
func NewSleeper() Sleeper { return Sleeper{} }

// Sleep returns false at once.
func (Sleeper) Sleep(context.Context, time.Duration) bool { return false }

// Close does nothing.
func (Sleeper) Close() {}
