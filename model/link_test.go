package model

import (
	"testing"
	"time"
)

func TestLinkText(t *testing.T) {
	for want, l := range map[string]Link{
		"":                                 {},
		"node7":                            {Host: "node7"},
		"node7 · 12 ms":                    {Host: "node7", Latency: 12 * time.Millisecond},
		"node7 · connecting":               {Host: "node7", State: LinkConnecting},
		"node7 · 12 ms · reconnecting 4 s": {Host: "node7", Latency: 12 * time.Millisecond, State: LinkLost, Retry: 4 * time.Second},
		"node7 · 12 ms · reconnecting":     {Host: "node7", Latency: 12 * time.Millisecond, State: LinkLost},
	} {
		if got := l.String(); got != want {
			t.Errorf("%+v: %q, want %q", l, got, want)
		}
	}
}

// A latency that varies a little is no change; another state, wait or reason is.
func TestLinkChanged(t *testing.T) {
	at := func(d time.Duration) Link { return Link{Host: "node7", Latency: d} }
	lost := Link{Host: "node7", State: LinkLost, Retry: time.Second, Reason: "refused"}
	later := lost
	later.Retry = 2 * time.Second
	for _, c := range []struct {
		from, to Link
		want     bool
	}{
		{Link{}, Link{}, false},
		{Link{}, at(0), true},
		{at(0), at(time.Microsecond), true},
		{at(12 * time.Millisecond), at(23 * time.Millisecond), false},
		{at(12 * time.Millisecond), at(25 * time.Millisecond), true},
		{at(30 * time.Millisecond), at(12 * time.Millisecond), true},
		{at(50 * time.Microsecond), at(time.Millisecond), false},
		{at(0), lost, true},
		{lost, lost, false},
		{lost, later, true},
	} {
		if got := c.to.Changed(c.from); got != c.want {
			t.Errorf("from %+v to %+v: %v", c.from, c.to, got)
		}
	}
}
