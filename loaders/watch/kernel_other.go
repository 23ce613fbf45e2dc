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

// reportsRemoteChanges is not known on this system: a watch that can be set is relied on.
func reportsRemoteChanges(string) bool { return true }
