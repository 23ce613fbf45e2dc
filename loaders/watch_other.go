//go:build !linux

package loaders

import (
	"context"
	"time"
)

// sleeper does not exist on this system: callers use a timer of the runtime instead.
type sleeper struct{}

// newSleeper returns a sleeper that never sleeps.
func newSleeper() sleeper { return sleeper{} }

// sleep returns false at once.
func (sleeper) sleep(context.Context, time.Duration) bool { return false }

// close does nothing.
func (sleeper) close() {}

// reportsRemoteChanges is not known on this system: a watch that can be set is relied on.
func reportsRemoteChanges(string) bool { return true }
