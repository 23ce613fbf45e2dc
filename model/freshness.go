package model

import (
	"fmt"
	"time"

	"vantage/model/units"
)

// Freshness says whether a log that is followed still grows.
type Freshness int

// The states, each after the one before it when nothing is written.
const (
	Live  Freshness = iota // also if it is unknown when the log was written
	Idle                   // nothing was written for longer than between two steps
	Ended                  // nothing was written for so long that the run has probably stopped
)

// The rule of freshness. A log is idle after twice the usual time between its steps without a
// write and ended after twenty times that, within these bounds; where no time between steps is
// known, after unknownIdle and maxEnded.
const (
	idleSteps, endedSteps = 2, 20
	minIdle, maxIdle      = 2 * time.Minute, 12 * time.Hour
	minEnded, maxEnded    = time.Hour, 24 * time.Hour
	unknownIdle           = 5 * time.Minute
)

// IdleAfter returns how long nothing must be written for the log to be idle.
func (p Progress) IdleAfter() time.Duration {
	if p.StepTime <= 0 {
		return unknownIdle
	}
	return min(max(idleSteps*min(p.StepTime, maxIdle), minIdle), maxIdle)
}

// endedAfter returns how long nothing must be written for the log to have ended.
func (p Progress) endedAfter() time.Duration {
	if p.StepTime <= 0 {
		return maxEnded
	}
	return min(max(endedSteps*min(p.StepTime, maxEnded), minEnded), maxEnded)
}

// Freshness returns the state at a time.
func (p Progress) Freshness(now time.Time) Freshness {
	switch quiet := now.Sub(p.LastWrite); {
	case p.LastWrite.IsZero() || quiet < p.IdleAfter():
		return Live
	case quiet < p.endedAfter():
		return Idle
	}
	return Ended
}

// FreshnessText returns the state in words, "idle 14 min", which are true until the time until: no
// less than a minute later, and the zero time if they stay true while nothing is written.
func (p Progress) FreshnessText(now time.Time) (text string, until time.Time) {
	switch p.Freshness(now) {
	case Ended:
		return "ended", time.Time{}
	case Idle:
		quiet, unit, name := now.Sub(p.LastWrite), time.Minute, "min"
		if quiet >= time.Hour {
			unit, name = time.Hour, "h"
		}
		n := quiet / unit
		return fmt.Sprintf("idle %d %s", n, name), p.LastWrite.Add(min((n+1)*unit, p.endedAfter()))
	case Live:
	}
	if p.LastWrite.IsZero() {
		return "live", time.Time{}
	}
	return "live", p.LastWrite.Add(p.IdleAfter())
}

// FreshnessRule says when the log counts as idle and as ended.
func (p Progress) FreshnessRule() string {
	why := "time between steps unknown"
	if p.StepTime > 0 {
		why = "usually " + units.ApproxDuration(p.StepTime) + " between steps"
	}
	return fmt.Sprintf("idle after %s without a write, ended after %s (%s)", units.ApproxDuration(p.IdleAfter()), units.ApproxDuration(p.endedAfter()), why)
}
