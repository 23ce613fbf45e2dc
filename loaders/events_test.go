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

// followByEvents follows where nothing but the kernel tells of changes.
func followByEvents(t *testing.T, path string) *follower {
	t.Helper()
	r := follow(t, path, Options{Poll: time.Hour, settleTime: time.Hour})
	if r.s.schedule.watcher.NeedsPolling() {
		t.Skip("the kernel tells of nothing here")
	}
	return r
}

// everyMillisecond does something each millisecond, until the test ends or it is told to stop.
func everyMillisecond(t *testing.T, do func(i int)) (stop func()) {
	t.Helper()
	var wg sync.WaitGroup
	over := make(chan struct{})
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-over:
				return
			case <-time.After(time.Millisecond):
				do(i)
			}
		}
	})
	stop = sync.OnceFunc(func() { close(over); wg.Wait() })
	t.Cleanup(stop)
	return stop
}

// includes looks for the rewards of some rows among those of a log that goes on.
func includes(want ...float64) func(*follower) bool {
	return func(r *follower) bool {
		found := map[float64]bool{}
		for _, one := range r.Records {
			found[one.Reward] = true
		}
		for _, x := range want {
			if !found[x] {
				return false
			}
		}
		return r.Progress.CaughtUp
	}
}

// hasMoreThan expects more rows than so many.
func hasMoreThan(rows int) func(*follower) bool {
	return func(r *follower) bool { return len(r.Records) > rows && r.Progress.CaughtUp }
}

// While one log is written all the time, the kernel is heard seldom; what it tells of
// others is not lost.
func TestEventsOfOthersWhileOneLogIsBusy(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add("busy.jsonl", row(1, 0))
	w.add("rests.jsonl", row(1, 1))
	r := followByEvents(t, w.dir)
	r.until("all", includes(0, 1))
	everyMillisecond(t, func(int) { w.add("busy.jsonl", row(1, 0)) })
	r.until("the busy log", hasMoreThan(100))
	w.add("rests.jsonl", row(1, 2))
	r.until("the log that rested", includes(2))
	w.add("new.jsonl", row(1, 3))
	r.until("a new log", includes(3))
	w.add("deep/new.jsonl", row(1, 4))
	r.until("a log in a new directory", includes(4))
}

// A log that is busy may be truncated, rewritten or rotated between two looks.
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
			for _, one := range r.Records {
				if one.Step != 2 {
					t.Fatalf("a row of step %d, which is not there any more", one.Step)
				}
			}
			if len(r.Problems) != 0 {
				t.Error(r.Problems)
			}
		})
	}
}

// However often a log is written, and whatever else is in its directory, that does not
// wake the reader each time.
func TestFrequentWritesAreDebounced(t *testing.T) {
	for name, write := range map[string]func(w trainer, i int){
		"a busy log":              func(w trainer, _ int) { w.add("1.jsonl", row(1, 1)) },
		"another file":            func(w trainer, _ int) { w.add("train.txt", "loss 0.1\n") },
		"other files that come":   func(w trainer, i int) { w.add(fmt.Sprintf("shard-%d.pt", i), "") },
		"a log that is left out":  func(w trainer, _ int) { w.add("val/1.jsonl", row(1, 1)) },
		"a log that is no log":    func(w trainer, _ int) { w.add("metrics.jsonl", `{"step":1,"data":{"x":1}}`+"\n") },
		"a log by fits and jerks": func(w trainer, i int) { w.add("1.jsonl", row(1, 1)[i%2*20:(i%2+1)*20]) },
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
			begin, wakes := time.Now(), 0
			for ctx.Err() == nil {
				r.s.fillChunk(ctx)
				r.s.takeChunk()
				_ = r.s.wait(ctx)
				wakes++
			}
			if most := int(time.Since(begin)/watch.DensePause)*3/2 + 20; wakes > most {
				t.Errorf("%d wake-ups in %v, more than %d", wakes, time.Since(begin), most)
			}
		})
	}
}

// A wait without an event in sight ends with its context, and with the source.
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

// A file that has rested for long is not looked at each poll, and yet found to have grown.
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

// A listing tells the sizes of all files, so that what their turn has not come to is found.
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

// The watch on a directory goes with it, and comes back with it.
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
	r.until("a row of the directory that came back", includes(2))
	w.add("deep/2.jsonl", row(2, 3))
	r.until("another", includes(3))
}

// What reading on takes is given back where nothing comes any more.
func TestIdleFilesReleaseMemory(t *testing.T) {
	now := time.Now()
	l := schedule{}
	for i := range 2 * maxActive {
		f := &file{disk: &fileio.File{}, appender: &worker{}, fileReader: fileReader{index: int32(i), changed: now.Add(-time.Hour)}}
		l.activate(f)
		l.deactivate(now, time.Second)
	}
	if len(l.active) != alwaysActive {
		t.Errorf("%d files are warm", len(l.active))
	}
	f := &file{disk: &fileio.File{}, appender: &worker{}, fileReader: fileReader{changed: now.Add(-time.Hour)}}
	l.active = append(l.active, f)
	l.deactivate(now, time.Second)
	if f.appender != nil {
		t.Error("a file that rests holds on to memory")
	}
}

// What is kept of the newest step is what a look at all files would tell.
func TestNewestStepOfAllFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n newestStep
		var files []*file
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			if len(files) == 0 || rapid.Bool().Draw(t, "another") {
				name := fmt.Sprintf("%d.jsonl", rapid.IntRange(0, 5).Draw(t, "name"))
				f := &file{fileReader: fileReader{index: int32(len(files)), name: name}, disk: &fileio.File{Root: "run"}}
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
			f.noteStep(rapid.Int64Range(0, 5).Draw(t, "step"))
			f.changed = time.Unix(int64(f.index), f.newestStep)
			n.update(f)
		}
		if got, want := n.openUntil(time.Second), openUntilOf(files); !got.Equal(want) {
			t.Fatalf("open until %v, want %v", got, want)
		}
	})
}

// openUntilOf looks at all files.
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
