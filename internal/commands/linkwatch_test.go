package commands

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"vantage/model"
)

// A link that is lost is noted once with its reason, and so is that it is there again; one that comes and goes within a minute
// is noted once.
func TestLinkIsNoted(t *testing.T) {
	t.Parallel()
	var notes []string
	watch := linkWatch{note: func(text string) { notes = append(notes, text) }}
	start := time.Now()
	up := model.Link{Host: "node7", Latency: time.Millisecond}
	lost := model.Link{Host: "node7", State: model.LinkLost, Reason: "cannot be reached: it is off"}
	for _, c := range []struct {
		after   int // seconds
		link    model.Link
		trouble string
		notes   []string
	}{
		{0, model.Link{}, "", nil}, // this machine
		{0, model.Link{Host: "node7", State: model.LinkConnecting}, "connecting to node7", nil},
		{9, model.Link{Host: "node7", State: model.LinkConnecting}, "connecting to node7 for 9 s", nil},
		{10, lost, "reconnecting to node7 for 10 s: cannot be reached: it is off", []string{"reconnecting to node7 for 10 s: cannot be reached: it is off"}},
		{11, lost, "reconnecting to node7 for 11 s: cannot be reached: it is off", nil},
		{12, up, "", []string{"node7 answers again, after 12 s"}},
		{20, lost, "reconnecting to node7: cannot be reached: it is off", nil},
		{21, up, "", nil},
		{71, lost, "reconnecting to node7: cannot be reached: it is off", []string{"reconnecting to node7: cannot be reached: it is off"}},
	} {
		notes = nil
		now := start.Add(time.Duration(c.after) * time.Second)
		watch.see(c.link, now)
		if got := watch.trouble(now); got != c.trouble || !slices.Equal(notes, c.notes) {
			t.Errorf("after %d s: %q, notes %q", c.after, got, notes)
		}
	}
}

// A link that is lost and tried again while a file is read puts the end of a tail not off.
func TestLostLinkEndsTail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var chunks []*model.Chunk
		for range 10 {
			chunks = append(chunks, &model.Chunk{Progress: model.Progress{BytesRead: 1000, BytesAll: 2000, Link: model.Link{Host: "node7", State: model.LinkLost}}})
		}
		source := newIdleSource(t.Context(), &madeChunks{chunks: chunks, pause: 20 * time.Second}, time.Minute)
		defer source.stop()
		start := time.Now()
		for source.ctx.Err() == nil {
			if _, err := source.Next(source.ctx); err != nil && source.ctx.Err() == nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took > 100*time.Second { // the first chunk brought bytes
			t.Errorf("it took %v", took)
		}
	})
}
