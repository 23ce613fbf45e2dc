package model

import (
	"fmt"
	"testing"
	"time"
)

// The words on freshness by how long nothing was written and by the time between steps, and how long
// they stay true.
func TestFreshnessText(t *testing.T) {
	written := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		stepTime, quiet time.Duration
		want            string
	}{
		{0, 0, "live for 5m0s"},
		{0, 14*time.Minute + 20*time.Second, "idle 14 min for 40s"},
		{0, 59*time.Minute + 59*time.Second, "idle 59 min for 1s"},
		{0, 23*time.Hour + 30*time.Minute, "idle 23 h for 30m0s"},
		{0, 24 * time.Hour, "ended"},
		{0, -time.Minute, "live for 6m0s"}, // the file's clock is ahead
		{time.Second, 119 * time.Second, "live for 1s"},
		{time.Second, 2 * time.Minute, "idle 2 min for 1m0s"},
		{time.Second, time.Hour, "ended"},
		{10 * time.Minute, 19 * time.Minute, "live for 1m0s"},
		{10 * time.Minute, 3*time.Hour + 15*time.Minute, "idle 3 h for 5m0s"}, // until it has ended
		{10 * time.Minute, 200 * time.Minute, "ended"},
		{100 * time.Hour, 11 * time.Hour, "live for 1h0m0s"},
		{100 * time.Hour, 24 * time.Hour, "ended"},
		{1 << 62, 24 * time.Hour, "ended"},
	} {
		p := Progress{LastWrite: written, StepTime: c.stepTime}
		now := written.Add(c.quiet)
		got, until := p.FreshnessText(now)
		if !until.IsZero() {
			got += fmt.Sprint(" for ", until.Sub(now))
		}
		if got != c.want {
			t.Errorf("steps each %v, nothing for %v: %q, want %q", c.stepTime, c.quiet, got, c.want)
		}
	}
	if got, until := (Progress{}).FreshnessText(written); got != "live" || !until.IsZero() {
		t.Errorf("without a time: %q until %v", got, until)
	}
}

func TestFreshnessRule(t *testing.T) {
	for stepTime, want := range map[time.Duration]string{
		0:               "idle after 5 min without a write, ended after 24 h (time between steps unknown)",
		3 * time.Minute: "idle after 6 min without a write, ended after 60 min (usually 3 min between steps)",
	} {
		if got := (Progress{StepTime: stepTime}).FreshnessRule(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
