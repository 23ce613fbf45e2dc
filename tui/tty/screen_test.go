package tty

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Of a key whose repeats wait for one another most are dropped, also where the program waits for a processor now and then; of a key
// that is handled before the next one comes, and of keys that alternate, none.
func TestBacklog(t *testing.T) {
	for _, c := range []struct {
		name                  string
		keys                  string
		busy, gap, longGap    time.Duration // of 20 gaps one is long
		fewest, most, presses int
	}{
		{"waiting", "f", 7 * time.Millisecond, 50 * time.Microsecond, 0, 3700, 4000, 4000},
		{"waiting on a busy machine", "f", 7 * time.Millisecond, time.Millisecond, 30 * time.Millisecond, 2000, 4000, 4000},
		{"in time", "f", 14 * time.Millisecond, 19 * time.Millisecond, 19 * time.Millisecond, 0, 0, 1000},
		{"alternating", "][", 30 * time.Millisecond, 0, 0, 0, 0, 1000},
	} {
		var b backlog
		now, dropped := time.Unix(1, 0), 0
		for i := range c.presses {
			if now = now.Add(c.gap); i%20 == 19 {
				now = now.Add(c.longGap)
			}
			if b.drops(tea.KeyPressMsg{Code: rune(c.keys[i%len(c.keys)])}, now) {
				dropped++
				continue
			}
			now = now.Add(c.busy)
			b.handled(now)
		}
		if dropped < c.fewest || dropped > c.most {
			t.Errorf("%s: %d of %d were dropped", c.name, dropped, c.presses)
		}
	}
}
