package loaders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vantage/model"
)

// progressAtEnd reads a path to its end and returns the progress.
func progressAtEnd(t *testing.T, path string) (p model.Progress) {
	t.Helper()
	s, err := Open([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for {
		c, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return p
		}
		if err != nil {
			t.Fatal(err)
		}
		p = c.Progress
	}
}

// The last write is the time of the newest file with samples, whenever that is read, and the usual
// time between steps comes from the files' times.
func TestLastWriteIsTheTimeOfTheFiles(t *testing.T) {
	w := trainer{t, t.TempDir()}
	start := time.Now().Add(-50 * time.Hour).Truncate(time.Second)
	for step := 1; step <= 40; step++ {
		name := fmt.Sprintf("%d.jsonl", step)
		w.add(name, row(step, 1))
		at := start.Add(time.Duration(step) * 3 * time.Minute)
		if step == 30 {
			at = at.Add(time.Minute) // one step is late
		}
		if err := os.Chtimes(w.path(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	w.add("readme.txt", "not a log")
	w.add("metrics.jsonl", `{"step":1,"loss":2}`+"\n")
	p := progressAtEnd(t, w.dir)
	if want := start.Add(120 * time.Minute); !p.LastWrite.Equal(want) || p.StepTime != 3*time.Minute {
		t.Errorf("written %v, want %v; a step takes %v", p.LastWrite, want, p.StepTime)
	}
	if state := p.Freshness(time.Now()); state != model.Ended {
		t.Errorf("state %d", state)
	}
	if p := progressAtEnd(t, w.path("7.jsonl")); p.StepTime != 0 || time.Since(p.LastWrite) < 49*time.Hour {
		t.Errorf("one step: %+v", p)
	}
}

// A time ahead of this machine's clock counts as now.
func TestLastWriteIsNotInTheFuture(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 1))
	ahead := time.Now().Add(time.Hour)
	if err := os.Chtimes(w.path("1.jsonl"), ahead, ahead); err != nil {
		t.Fatal(err)
	}
	if p := progressAtEnd(t, w.dir); time.Until(p.LastWrite) > 0 || time.Since(p.LastWrite) > time.Minute {
		t.Error(p.LastWrite)
	}
}

// In a single file the time between steps is seen while it grows.
func TestStepTimeOfAGrowingFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		touch := func() {
			if err := os.Chtimes(w.path("a.jsonl"), time.Now(), time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		w.add("a.jsonl", row(1, 0))
		touch()
		r := follow(t, w.path("a.jsonl"), Options{polling: true})
		want := "0"
		r.until("the first row", hasRewards(want))
		for step := 2; step <= 6; step++ {
			time.Sleep(7 * time.Minute)
			w.add("a.jsonl", row(step, 1))
			touch()
			want += " 1"
			r.until("a step", hasRewards(want))
		}
		if d := r.Progress.StepTime - 7*time.Minute; d.Abs() > 2*time.Second {
			t.Error(r.Progress.StepTime)
		}
	})
}

// A path that does not exist is an error that names the flag, or is waited for.
func TestWaitForAPath(t *testing.T) {
	for name, create := range map[string]func(w trainer){
		"a file":                 func(w trainer) { w.add("run", row(1, 1)) },
		"a directory":            func(w trainer) { w.add("run/1.jsonl", row(1, 1)) },
		"a directory with a dir": func(w trainer) { w.add("run/rollouts/1.jsonl", row(1, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := trainer{t, t.TempDir()}
			_, err := Open([]string{w.path("run")}, Options{Follow: true})
			if err == nil || !strings.Contains(err.Error(), "does not exist: check the path, or wait for the run to create it with --wait") {
				t.Error(err)
			}
			if _, err := Open([]string{w.path("run")}, Options{Wait: true}); err == nil {
				t.Error("a log that is not followed is waited for")
			}
			r := follow(t, w.path("run"), Options{Wait: true})
			r.until("the path that is missing", func(r *follower) bool { return r.Progress.Awaited == w.path("run") })
			r.expectNothing(100 * time.Millisecond)
			create(w)
			r.until("the row", hasRewards("1"))
			if r.Progress.Awaited != "" {
				t.Error(r.Progress.Awaited)
			}
		})
	}
}

// While it is followed, a file that cannot be unpacked is a problem once it is not being written, and
// none any more when it has been written whole.
func TestFollowedBrokenTableIsAProblem(t *testing.T) {
	w := trainer{t, t.TempDir()}
	whole := "PAR1 this is no table"
	w.add("completions_00001.parquet", whole)
	r := follow(t, w.dir, Options{})
	r.until("the problem", func(r *follower) bool { return len(r.Problems) == 1 })
	if p := r.Problems[0]; p.File != "completions_00001.parquet" {
		t.Error(p)
	}
	r.expectNothing(200 * time.Millisecond)
}

// Rows that fit no format are counted until a format is found.
func TestTriedRows(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("a.jsonl", strings.Repeat(`{"foo":1}`+"\n", 7))
	if p := progressAtEnd(t, w.dir); p.Tried != 7 {
		t.Errorf("%d rows", p.Tried)
	}
	w.add("a.jsonl", row(1, 1))
	if p := progressAtEnd(t, w.dir); p.Tried != 0 {
		t.Errorf("%d rows besides a log", p.Tried)
	}
}
