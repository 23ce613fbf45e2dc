package loaders

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A log that grows by any pieces gives the same samples and problems in the same order as a
// whole one.
func TestGrowingLogReadsLikeWhole(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		log := largeLog(t, seed)
		log = log[:strings.LastIndexByte(log[:1<<20], '\n')+1]
		w := trainer{t, t.TempDir()}
		w.add("whole.jsonl", log)
		s, err := Open([]string{w.path("whole.jsonl")}, Options{serial: true})
		if err != nil {
			t.Fatal(err)
		}
		want := drain(t, s)
		_ = s.Close()

		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 5))
			w.add("grows.jsonl", "")
			r := follow(t, w.path("grows.jsonl"), Options{polling: true})
			for at := 0; at < len(log); {
				n := min(len(log)-at, 1+random.IntN(1<<(4+random.IntN(15))))
				w.add("grows.jsonl", log[at:at+n])
				at += n
				for before := len(r.Records); len(r.Records) == before; { // until nothing comes
					ctx, cancel := context.WithTimeout(t.Context(), 40*time.Millisecond)
					c, err := r.s.Next(ctx)
					cancel()
					if err != nil {
						break
					}
					r.add(t, c)
				}
			}
			r.until("all of it", func(r *follower) bool {
				return len(r.Records) >= len(want.Records) && r.Skipped >= want.Skipped
			})
			compareCollected(t, want, r.collected)
			if r.s.files[0].appender == nil {
				t.Error("all of it was read line by line")
			}
		})
	}
}
