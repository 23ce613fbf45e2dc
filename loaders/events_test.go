package loaders

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"vantage/loaders/decode"
	"vantage/loaders/fileio"
	"vantage/loaders/watch"
)

// followByEvents follows a path without polling it.
func followByEvents(t *testing.T, path string) *follower {
	t.Helper()
	r := follow(t, path, Options{Poll: time.Hour, settleTime: time.Hour})
	if r.s.schedule.watcher.NeedsPolling() {
		t.Skip("no events of the kernel here")
	}
	return r
}

// everyMillisecond calls do each millisecond, until stop is called or the test ends.
func everyMillisecond(t *testing.T, do func(i int)) (stop func()) {
	t.Helper()
	var wg sync.WaitGroup
	stopped := make(chan struct{})
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stopped:
				return
			case <-time.After(time.Millisecond):
				do(i)
			}
		}
	})
	stop = sync.OnceFunc(func() { close(stopped); wg.Wait() })
	t.Cleanup(stop)
	return stop
}

// includes reports whether rows with these rewards are among those read.
func includes(want ...float64) func(*follower) bool {
	return func(r *follower) bool {
		found := map[float64]bool{}
		for _, record := range r.Records {
			found[record.Reward] = true
		}
		for _, x := range want {
			if !found[x] {
				return false
			}
		}
		return r.Progress.CaughtUp
	}
}

// hasMoreThan reports whether more rows have been read.
func hasMoreThan(rows int) func(*follower) bool {
	return func(r *follower) bool { return len(r.Records) > rows && r.Progress.CaughtUp }
}

// While one log is written all the time events are taken seldom; none of other files is lost.
func TestEventsOfOthersWhileOneLogIsBusy(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add("busy.jsonl", row(1, 0))
	w.add("idle.jsonl", row(1, 1))
	r := followByEvents(t, w.dir)
	r.until("all", includes(0, 1))
	everyMillisecond(t, func(int) { w.add("busy.jsonl", row(1, 0)) })
	r.until("the busy log", hasMoreThan(100))
	w.add("idle.jsonl", row(1, 2))
	r.until("the idle log", includes(2))
	w.add("new.jsonl", row(1, 3))
	r.until("a new log", includes(3))
	w.add("deep/new.jsonl", row(1, 4))
	r.until("a log in a new directory", includes(4))
}

// A busy log may be truncated, rewritten or rotated between two polls.
func TestBusyLogIsReplaced(t *testing.T) {
	for name, change := range map[string]func(w trainer){
		"truncated": func(w trainer) { w.replace("log.jsonl", row(2, 1)+row(2, 2)) },
		"rotated": func(w trainer) {
			if err := os.Rename(w.path("log.jsonl"), w.path("log.old")); err != nil {
				w.t.Fatal(err)
			}
			w.add("log.jsonl", row(2, 1)+row(2, 2))
		},
		"rewritten longer": func(w trainer) {
			info, err := os.Stat(w.path("log.jsonl"))
			if err != nil {
				w.t.Fatal(err)
			}
			text := row(2, 1) + row(2, 2)
			for int64(len(text)) <= info.Size() {
				text += row(2, 2)
			}
			w.replace("log.jsonl", text)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := trainer{t, t.TempDir()}
			w.add("log.jsonl", row(1, 0))
			r := followByEvents(t, w.dir)
			stop := everyMillisecond(t, func(int) { w.add("log.jsonl", row(1, 0)) })
			r.until("a busy log", hasMoreThan(50))
			stop()
			change(w)
			r.until("the new rows", func(r *follower) bool { return len(r.Forget) > 0 && includes(1, 2)(r) })
			for _, record := range r.Records {
				if record.Step != 2 {
					t.Fatalf("a row of step %d, which is not there any more", record.Step)
				}
			}
			if len(r.Problems) != 0 {
				t.Error(r.Problems)
			}
		})
	}
}

// Not every write to a log, or beside it, wakes the reader.
func TestFrequentWritesAreDebounced(t *testing.T) {
	for name, write := range map[string]func(w trainer, i int){
		"a busy log":              func(w trainer, _ int) { w.add("1.jsonl", row(1, 1)) },
		"another file":            func(w trainer, _ int) { w.add("train.txt", "loss 0.1\n") },
		"other new files":         func(w trainer, i int) { w.add(fmt.Sprintf("shard-%d.pt", i), "") },
		"a log that is left out":  func(w trainer, _ int) { w.add("val/1.jsonl", row(1, 1)) },
		"a log without samples":   func(w trainer, _ int) { w.add("metrics.jsonl", `{"step":1,"data":{"x":1}}`+"\n") },
		"a log in halves of rows": func(w trainer, i int) { w.add("1.jsonl", row(1, 1)[i%2*20:(i%2+1)*20]) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := trainer{t, t.TempDir()}
			w.add("1.jsonl", row(1, 1))
			w.add("val/1.jsonl", row(1, 1))
			r := followByEvents(t, w.dir)
			r.until("a row", hasMoreThan(0))
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			everyMillisecond(t, func(i int) { write(w, i) })
			start, wakes := time.Now(), 0
			for ctx.Err() == nil {
				r.s.fillChunk(ctx)
				r.s.takeChunk()
				_ = r.s.wait(ctx)
				wakes++
			}
			if limit := int(time.Since(start)/watch.DensePause)*3/2 + 20; wakes > limit {
				t.Errorf("%d wake-ups in %v, more than %d", wakes, time.Since(start), limit)
			}
		})
	}
}

// Next waits until its context ends or the source is closed.
func TestWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.add("1.jsonl", row(1, 1))
		r := follow(t, w.dir, Options{polling: true, Poll: time.Hour, settleTime: time.Hour})
		r.until("a row", hasRewards("1"))
		r.expectNothing(time.Minute)
		r.expectNothing(time.Minute)
		time.AfterFunc(time.Minute, func() { _ = r.s.Close() })
		if _, err := r.s.Next(t.Context()); !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
}

// A file that has been idle for long is polled seldom, but its growth is found.
func TestIdleFilesArePolled(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	old := time.Now().Add(-time.Hour)
	for i := range 2 * maxActive {
		name := fmt.Sprintf("%d.jsonl", i)
		w.add(name, row(i, 0))
		if err := os.Chtimes(w.path(name), old, old.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	r := follow(t, w.dir, Options{polling: true})
	r.until("all", func(r *follower) bool { return len(r.Records) == 2*maxActive && r.Progress.CaughtUp })
	r.s.schedule.lastNews = old
	w.add("7.jsonl", row(7, 5))
	r.until("the new row", includes(5))
}

// A listing holds the sizes of all files, so it finds growth before their next poll.
func TestListingFindsGrownFiles(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 1))
	r := follow(t, w.dir, Options{polling: true, Poll: time.Hour, settleTime: time.Hour})
	r.until("a row", hasRewards("1"))
	r.s.schedule.active = nil
	w.add("1.jsonl", row(1, 2))
	r.s.listDirectories(time.Now().Add(2 * time.Hour))
	r.until("the new row", hasRewards("1 2"))
}

// A directory that is removed and created again is watched again.
func TestWatchesRecreatedDirectory(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add("deep/1.jsonl", row(1, 1))
	r := followByEvents(t, w.dir)
	r.until("a row", includes(1))
	if err := os.RemoveAll(w.path("deep")); err != nil {
		t.Fatal(err)
	}
	for r.s.schedule.watcher.Watches(w.path("deep")) {
		r.s.fillChunk(t.Context())
		_ = r.s.wait(t.Context())
	}
	w.add("deep/2.jsonl", row(2, 2))
	r.until("a row of the new directory", includes(2))
	w.add("deep/2.jsonl", row(2, 3))
	r.until("another", includes(3))
}

// Files that do not grow release the memory of their workers.
func TestIdleFilesReleaseMemory(t *testing.T) {
	now := time.Now()
	s := schedule{}
	for i := range 2 * maxActive {
		f := &file{disk: &fileio.File{}, appender: &worker{}, fileReader: fileReader{index: int32(i), changed: now.Add(-time.Hour)}}
		s.activate(f)
		s.deactivate(now, time.Second)
	}
	if len(s.active) != alwaysActive {
		t.Errorf("%d files are active", len(s.active))
	}
	f := &file{disk: &fileio.File{}, appender: &worker{}, fileReader: fileReader{changed: now.Add(-time.Hour)}}
	s.active = append(s.active, f)
	s.deactivate(now, time.Second)
	if f.appender != nil {
		t.Error("an idle file holds memory")
	}
}

// The newest step, updated file by file, is that of all files.
func TestNewestStepOfAllFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n newestStep
		var files []*file
		chunks := newChunkQueue()
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			if len(files) == 0 || rapid.Bool().Draw(t, "another") {
				name := fmt.Sprintf("%d.jsonl", rapid.IntRange(0, 5).Draw(t, "name"))
				f := &file{fileReader: fileReader{index: int32(len(files)), name: name, chunks: chunks}, disk: &fileio.File{Root: "run"}}
				files = append(files, f)
				n.addName(f)
				continue
			}
			f := rapid.SampledFrom(files).Draw(t, "file")
			if rapid.IntRange(0, 3).Draw(t, "rewritten") == 0 {
				f.hasStep, f.newestStep = false, 0
				n.remove(f, files)
				continue
			}
			f.noteStep(rapid.Int64Range(0, 5).Draw(t, "step"), 0, 1)
			f.changed = time.Unix(int64(f.index), f.newestStep)
			n.update(f)
		}
		if got, want := n.openUntil(time.Second), openUntilOf(files); !got.Equal(want) {
			t.Fatalf("open until %v, want %v", got, want)
		}
	})
}

// openUntilOf computes from all files until when the newest step is open.
func openUntilOf(files []*file) time.Time {
	var last *file
	for _, f := range files {
		if f.hasStep && (last == nil || f.newestStep >= last.newestStep) {
			last = f
		}
	}
	if last == nil {
		return time.Time{}
	}
	for _, f := range files {
		if n, _ := decode.StepFromNumberedFile(f.name); n > last.newestStep {
			return time.Time{}
		}
	}
	return last.changed.Add(time.Second)
}
