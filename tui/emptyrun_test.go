package tui

import (
	"fmt"
	"strings"
	"testing"
)

// A key does no harm in any view of a run of which nothing has been read.
func TestEveryKeyBeforeTheFirstStep(t *testing.T) {
	t.Parallel()
	drive(t, &madeSource{}, 100, 30, filterSettings(), func(d *driver) {
		start, keys, seen := d.app, []string{}, map[string]bool{}
		for _, s := range allKeys() {
			for _, b := range s.Bindings {
				keys = append(keys, b.Keys...)
			}
		}
		for _, first := range keys {
			for _, opening := range [][]string{{first}, {first, first}, {first, "enter"}} {
				d.app = start
				d.press(opening...)
				opened, at := d.app, fmt.Sprintf("%+v", d.app.position)
				if seen[at] {
					continue
				}
				seen[at] = true
				for _, key := range keys {
					d.app = opened
					d.press(key)
					if lines := strings.Count(d.frame(), "\n") + 1; lines != 30 {
						t.Fatalf("%d lines after %q and %q", lines, opening, key)
					}
				}
			}
		}
	})
}
