package loaders

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vantage/model"
)

// A log that comes in pieces, cut anywhere, gives what it gives as a whole: the same
// samples and problems, at the same places, in the same order.
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
				for begin := len(r.Records); len(r.Records) == begin; { // what comes of it, if anything does
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
			got := r.collected
			for i := range got.Problems {
				got.Problems[i].File = "whole.jsonl"
			}
			if diff := cmp.Diff(want.Problems, got.Problems); diff != "" {
				t.Errorf("problems: -whole +pieces\n%.2000s", diff)
			}
			if len(want.Records) != len(got.Records) || want.Skipped != got.Skipped || want.Provenance != got.Provenance {
				t.Fatalf("%d samples, %d skipped, %q; want %d, %d, %q", len(got.Records), got.Skipped, got.Provenance, len(want.Records), want.Skipped, want.Provenance)
			}
			for i, one := range want.Records {
				one = withoutEmptyComponents(one)
				if have := withoutEmptyComponents(got.Records[i]); !cmp.Equal(one, have, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(model.Record{}, "Line")) {
					t.Fatalf("sample %d: -whole +pieces\n%s", i, cmp.Diff(one, have, cmpopts.EquateNaNs()))
				}
			}
			if r.s.files[0].appender == nil {
				t.Error("all of it was read line by line")
			}
		})
	}
}
