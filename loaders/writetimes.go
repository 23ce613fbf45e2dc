package loaders

import (
	"maps"
	"slices"
	"time"
)

// writeTimes knows when the logs were last written, and how long a step usually takes.
type writeTimes struct {
	last  time.Time
	steps map[int64]time.Time // when the newest steps were last written
	usual time.Duration       // what stepTime returns, unless stale
	stale bool
}

// maxTimedSteps is how many steps tell the usual time between two, minStepTimes how many times
// between steps must be known.
const maxTimedSteps, minStepTimes = 32, 3

// note notes when a file with samples was last written: its own time, so that a log untouched for
// days does not look new. A time ahead of this machine's clock counts as now.
func (w *writeTimes) note(f *file) {
	if !f.hasStep {
		return
	}
	at := time.Now()
	if f.disk != nil && f.disk.Info != nil && f.disk.Modified().Before(at) {
		at = f.disk.Modified()
	}
	if f.disk == nil {
		at = f.changed
	}
	if at.After(w.last) {
		w.last = at
	}
	if w.steps == nil {
		w.steps = map[int64]time.Time{}
	}
	if at.After(w.steps[f.newestStep]) {
		w.steps[f.newestStep], w.stale = at, true
	}
	if len(w.steps) > maxTimedSteps {
		oldest := f.newestStep
		for step := range w.steps {
			oldest = min(oldest, step)
		}
		delete(w.steps, oldest)
	}
}

// stepTime returns the median time between the newest steps, 0 if too few are known. Steps that were
// written at one time, as the rows of a file that is read from its start, tell none.
func (w *writeTimes) stepTime() time.Duration {
	if !w.stale {
		return w.usual
	}
	w.stale, w.usual = false, 0
	var times []time.Duration
	steps := slices.Sorted(maps.Keys(w.steps))
	for i := 1; i < len(steps); i++ {
		if d := w.steps[steps[i]].Sub(w.steps[steps[i-1]]); d > 0 {
			times = append(times, d/time.Duration(steps[i]-steps[i-1]))
		}
	}
	if len(times) >= minStepTimes {
		slices.Sort(times)
		w.usual = times[len(times)/2]
	}
	return w.usual
}
