//go:build !linux

package loaders

import (
	"context"
	"time"
)

// nap is not known here: others sleep.
type nap struct{}

func newNap() nap { return nap{} }

func (nap) sleep(context.Context, time.Duration) bool { return false }

func (nap) close() {}
