package loaders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/model"
)

// trainer writes logs below dir.
type trainer struct {
	t   *testing.T
	dir string
}

func (w trainer) path(name string) string { return filepath.Join(w.dir, name) }

func (w trainer) write(name, text string, flags int) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	h, err := os.OpenFile(w.path(name), os.O_WRONLY|os.O_CREATE|flags, 0o644)
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = h.WriteString(text)
	if err := errors.Join(err, h.Close()); err != nil {
		w.t.Fatal(err)
	}
}

func (w trainer) add(name, text string) { w.t.Helper(); w.write(name, text, os.O_APPEND) }

func (w trainer) replace(name, text string) { w.t.Helper(); w.write(name, text, os.O_TRUNC) }

// row is a verl row.
func row(step int, score float64) string {
	return fmt.Sprintf("{\"input\":\"q\",\"output\":\"o\",\"gts\":\"1\",\"score\":%v,\"step\":%d}\n", score, step)
}

// follower follows logs and collects what is read.
type follower struct {
	t *testing.T
	s *Source
	collected
}

func follow(t *testing.T, path string, o Options) *follower {
	t.Helper()
	o.Follow = true
	if o.Poll == 0 {
		o.Poll = 20 * time.Millisecond
	}
	if o.settleTime == 0 {
		o.settleTime = 150 * time.Millisecond
	}
	s := open(t, o, path)
	return &follower{t: t, s: s}
}

// until reads until something is reached; a minute is enough on any machine.
func (r *follower) until(what string, reached func(*follower) bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for !reached(r) {
		c, err := r.s.Next(ctx)
		if err != nil {
			r.t.Fatalf("waiting for %s: %v; so far rewards %v, problems %v, progress %+v", what, err, r.rewards(), r.Problems, r.Progress)
		}
		r.add(r.t, c)
	}
}

// expectNothing fails if Next returns a chunk within d.
func (r *follower) expectNothing(d time.Duration) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	c, err := r.s.Next(ctx)
	if !errors.Is(err, context.DeadlineExceeded) {
		r.t.Fatalf("got %+v, %v", c, err)
	}
}

func (a *collected) rewards() string {
	var text []string
	for _, r := range a.Records {
		text = append(text, fmt.Sprint(r.Reward))
	}
	return strings.Join(text, " ")
}

func hasRewards(want string) func(*follower) bool {
	return func(r *follower) bool { return r.rewards() == want && r.Progress.CaughtUp }
}

// A row that is written in parts is read once, when it is complete.
func TestFollowAppendedAndTorn(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 0))
	r := follow(t, w.path("1.jsonl"), Options{})
	r.until("the first row", hasRewards("0"))
	second := row(1, 0.5)
	w.add("1.jsonl", second[:20])
	time.Sleep(50 * time.Millisecond)
	w.add("1.jsonl", second[20:]+row(1, 1)[:5])
	r.until("the completed row", hasRewards("0 0.5"))
	w.add("1.jsonl", row(1, 1)[5:])
	r.until("the last row", hasRewards("0 0.5 1"))
	if last := r.Records[2]; last.Line != 3 || last.Offset != int64(len(row(1, 0))+len(second)) {
		t.Errorf("line %d, offset %d", last.Line, last.Offset)
	}
	if len(r.Problems) != 0 || len(r.Forget) != 0 {
		t.Error(r.Problems, r.Forget)
	}
}

// The last line of a finished file may lack its newline.
func TestFollowTakesAWholeLastLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.add("1.jsonl", row(1, 0)+strings.TrimSpace(row(1, 1)))
		r := follow(t, w.path("1.jsonl"), Options{polling: true})
		r.until("both rows", hasRewards("0 1"))
		w.add("1.jsonl", "\n"+row(1, 2))
		r.until("one more", hasRewards("0 1 2"))
		if r.Records[2].Line != 3 || len(r.Problems) != 0 {
			t.Errorf("line %d, problems %v", r.Records[2].Line, r.Problems)
		}
	})
}

// The last row of a CSV table waits for its newline: its last number may go on.
func TestFollowedCSVRowWaitsForItsNewline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.add("a.csv", "step,prompt,reward\n1,q,1\n1,q,0")
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(w.path("a.csv"), old, old); err != nil {
			t.Fatal(err)
		}
		r := follow(t, w.path("a.csv"), Options{polling: true})
		r.until("the first row", hasRewards("1"))
		r.expectNothing(time.Minute)
		if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "not counted until it ends: the last row, a.csv:3, has no newline") {
			t.Errorf("notes %q", notes)
		}
		w.add("a.csv", ".25\n1,q,0.")
		r.until("the completed row", hasRewards("1 0.25"))
		r.until("the end of the step", func(r *follower) bool { return !r.Progress.Open })
		r.expectNothing(time.Minute)
		w.add("a.csv", "5\n")
		r.until("the last row", hasRewards("1 0.25 0.5"))
	})
}

// The last row of a CSV table that is not followed is counted, and it is said that it may be cut off.
func TestCSVRowWithoutNewline(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("a.csv", "step;prompt;reward\n1;q, r;1\n1;q, r;0.5")
	got := readAll(t, w.path("a.csv"))
	if notes := strings.Join(got.Notes, "\n"); got.rewards() != "1 0.5" || !strings.Contains(notes, "counted as it is: the last row, a.csv:3, has no newline") {
		t.Errorf("rewards %s, notes %q", got.rewards(), notes)
	}
	if preview := got.Records[0].Preview; preview != "q, r" {
		t.Errorf("prompt %q", preview)
	}
}

// A key may be written with escapes.
func TestEscapedKeys(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("a.jsonl", `{"st\u0065p":3,"prompt":"q","rew\u0061rd":0.5}`+"\n"+`{"step":3,"prompt":"q","reward":1}`+"\n")
	if got := readAll(t, w.path("a.jsonl")); got.rewards() != "0.5 1" || got.Records[0].Step != 3 {
		t.Errorf("rewards %s, problems %v", got.rewards(), got.Problems)
	}
}

// Bytes that were changed in the middle of a file are read, though size and time of modification are as before.
func TestFollowFileRewrittenUnnoticeably(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the time of change")
	}
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", strings.Repeat(row(1, 1), 40)+row(1, 2)+row(1, 3)+row(1, 4))
	info, err := os.Stat(w.path("1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	r := follow(t, w.dir, Options{})
	ends := func(with string) func(*follower) bool {
		return func(r *follower) bool { return strings.HasSuffix(r.rewards(), with) && len(r.Records) == 43 }
	}
	r.until("all rows", ends("1 2 3 4"))
	h, err := os.OpenFile(w.path("1.jsonl"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.WriteAt([]byte(row(1, 7)), int64(40*len(row(1, 1))))
	if err := errors.Join(err, h.Close(), os.Chtimes(w.path("1.jsonl"), info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	r.until("the new row", ends("1 7 3 4"))
}

// New logs are found in a directory and below, other files are not read.
func TestFollowDirectory(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	r := follow(t, w.dir, Options{})
	r.until("an empty directory", func(r *follower) bool { return r.Progress.CaughtUp })
	w.add("1.jsonl", row(1, 1))
	r.until("a file", hasRewards("1"))
	w.add("deep/er/2.jsonl", row(2, 2))
	r.until("a file in a new directory", hasRewards("1 2"))
	w.add("notes.txt", "x")
	w.add(".hidden.jsonl", row(3, 3))
	w.add("4.jsonl", row(4, 4))
	r.until("the last file", hasRewards("1 2 4"))
	if got := strings.Join(r.Files, " "); got != "1.jsonl "+filepath.Join("deep", "er", "2.jsonl")+" 4.jsonl" {
		t.Error(got)
	}
}

// Without events of the kernel polling finds all changes.
func TestFollowByPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.add("1.jsonl", row(1, 1))
		r := follow(t, w.dir, Options{polling: true})
		r.until("a row", hasRewards("1"))
		if !r.Progress.Polling {
			t.Error("Progress does not say that it polls")
		}
		w.add("1.jsonl", row(1, 2))
		r.until("another row", hasRewards("1 2"))
		w.add("2.jsonl", row(2, 3))
		r.until("another file", hasRewards("1 2 3"))
	})
}

// A change of a directory is not lost while listing is postponed, as it is after a slow listing.
func TestFollowWhileListingIsPostponed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		r := follow(t, w.dir, Options{polling: true})
		r.until("an empty directory", func(r *follower) bool { return r.Progress.CaughtUp })
		now := time.Now()
		r.s.reading.schedule.list.next, r.s.reading.schedule.list.nextChanged = now.Add(time.Hour), now.Add(discover.ClockTick+500*time.Millisecond)
		w.add("1.jsonl", row(1, 1))
		r.until("a file", hasRewards("1"))
		if took := time.Since(now); took > time.Minute {
			t.Errorf("found after %v", took)
		}
	})
}

// An empty directory is watched, and a new one below it.
func TestWatchesEmptyDirectories(t *testing.T) {
	w := trainer{t, t.TempDir()}
	r := follow(t, w.dir, Options{})
	if r.s.reading.schedule.watcher.needsPolling() {
		t.Skip("no events of the kernel here")
	}
	r.until("an empty directory", func(r *follower) bool { return r.Progress.CaughtUp })
	if err := os.Mkdir(w.path("7"), 0o755); err != nil {
		t.Fatal(err)
	}
	for !r.s.reading.schedule.watcher.watched[w.path("7")] {
		r.s.fillChunk(t.Context())
		if err := r.s.wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !r.s.reading.schedule.watcher.watched[w.dir] {
		t.Error("the directory itself is not watched")
	}
}

// The newest step is open until its file has not changed for a while, or a newer one is there.
func TestNewestStepIsOpenUntilSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		write := func(name, text string, age time.Duration) {
			w.add(name, text)
			changed := time.Now().Add(-age)
			if err := os.Chtimes(w.path(name), changed, changed); err != nil {
				t.Fatal(err)
			}
		}
		write("1.jsonl", row(1, 1), time.Hour)
		r := follow(t, w.dir, Options{polling: true})
		r.until("a row", hasRewards("1"))
		if r.Progress.Open {
			t.Error("an old step is open")
		}
		write("2.jsonl", row(2, 2), 0)
		r.until("a new step", hasRewards("1 2"))
		if !r.Progress.Open {
			t.Error("a new step is not open")
		}
		r.until("the settled step", func(r *follower) bool { return !r.Progress.Open })
		write("2.jsonl", row(2, 3), 0)
		r.until("open again", func(r *follower) bool { return r.Progress.Open })
		write("3.jsonl", "", 0)
		r.until("a newer file", func(r *follower) bool { return r.Progress.Files == 3 })
		if r.Progress.Open {
			t.Error("step 2 is open although step 3 has begun")
		}
	})
}

// NFS shows zeros where data has yet to arrive: they are read again.
func TestFollowReadsZerosAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		second := row(1, 2)
		w.add("1.jsonl", row(1, 1)+second[:10]+strings.Repeat("\x00", len(second)-10))
		r := follow(t, w.dir, Options{polling: true})
		r.until("the first row", hasRewards("1"))
		r.expectNothing(5 * time.Second)
		h, err := os.OpenFile(w.path("1.jsonl"), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.WriteAt([]byte(second[10:]), int64(len(row(1, 1))+10))
		if err := errors.Join(err, h.Close()); err != nil {
			t.Fatal(err)
		}
		r.until("the second row", hasRewards("1 2"))
		if len(r.Problems) != 0 || len(r.Forget) != 0 {
			t.Error(r.Problems, r.Forget)
		}
	})
}

// A log whose first rows hold no reward is read when later rows do; metrics stay a problem.
func TestFollowLogWhoseSamplesStartLate(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("a.jsonl", `{"prompt":"p","completion":"c"}`+"\n")
	w.add("m.jsonl", `{"step":1,"data":{"x":1}}`+"\n")
	r := follow(t, w.dir, Options{})
	r.until("two problems", func(r *follower) bool { return len(r.Problems) == 2 })
	w.add("a.jsonl", `{"prompt":"p","completion":"c","reward":1}`+"\n")
	w.add("m.jsonl", `{"step":2,"data":{"x":1}}`+"\n")
	r.until("a sample", func(r *follower) bool { return len(r.Records) == 2 && r.Progress.CaughtUp })
	if r.Skipped != 0 || len(r.Problems) != 2 {
		t.Error(r.Skipped, r.Problems)
	}
}

// Standard input is read as it comes, to its end.
func TestStdin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		s := open(t, Options{Follow: true, polling: true, Stdin: in}, "-")
		go func() {
			for _, piece := range []string{row(1, 1) + row(1, 2)[:9], row(1, 2)[9:] + "oops\n", strings.TrimSpace(row(2, 3))} {
				_, _ = io.WriteString(out, piece)
				time.Sleep(time.Minute)
			}
			_ = out.Close()
		}()
		got := drain(t, s)
		if got.rewards() != "1 2 3" || len(got.Problems) != 1 || got.Problems[0].Line != 3 || got.Progress.Open || got.Progress.BytesAll != 0 {
			t.Errorf("%s %v %+v", got.rewards(), got.Problems, got.Progress)
		}
	})
}

// Close wakes Next and ends all goroutines.
func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 1))
	for range 5 {
		in, _ := io.Pipe()
		s, err := Open([]string{w.dir, "-"}, Options{Follow: true, Stdin: in})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			for {
				if _, err := s.Next(context.Background()); err != nil {
					done <- err
					return
				}
			}
		}()
		time.Sleep(10 * time.Millisecond)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, os.ErrClosed) {
			t.Fatal(err)
		}
		_ = s.Close()
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// Without changes a followed log wakes the reader once a poll.
func TestFollowWakesOncePerPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.add("1.jsonl", row(1, 1))
		r := follow(t, w.dir, Options{polling: true, Poll: 50 * time.Millisecond})
		r.until("all", func(r *follower) bool { return r.Progress.CaughtUp && !r.Progress.Open })
		ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
		defer cancel()
		wakes := 0
		for ctx.Err() == nil {
			r.s.fillChunk(ctx)
			_ = r.s.wait(ctx)
			wakes++
		}
		if wakes > 9 {
			t.Errorf("%d wake-ups in 8 polls", wakes)
		}
	})
}

// Nothing follows the last record of several lines to end it: it is read when the file has not
// changed for a while.
func TestFollowTakesLastMultilineRecord(t *testing.T) {
	for name, log := range map[string]string{
		"generations.log": "[prompt] a\n[output] b\n[ground_truth] g\n[score] %d\n\n",
		"7/q9.txt":        "idx: 1 / 2, seqlen: 33, reward is %d.0.\nprompt is \np\nsequence is: \nabc\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			w := trainer{t, t.TempDir()}
			w.add(name, fmt.Sprintf(log, 1))
			r := follow(t, w.dir, Options{polling: true})
			r.until("the first record", hasRewards("1"))
			w.add(name, fmt.Sprintf(log, 2)+fmt.Sprintf(log, 3))
			r.until("the last", hasRewards("1 2 3"))
		})
	}
}

// A complete document is read without waiting: nothing can follow it.
func TestFollowTakesCompleteDocumentAtOnce(t *testing.T) {
	w := trainer{t, t.TempDir()}
	r := follow(t, w.dir, Options{settleTime: time.Hour})
	episode := "{\n \"training_step\": 1,\n \"task_hash\": \"h\",\n \"trajectories\": [\n  {\"reward\": %d}\n ]\n}"
	w.add("episode_1.json", fmt.Sprintf(episode, 1))
	r.until("the first episode", hasRewards("1"))
	text := fmt.Sprintf(episode, 2)
	w.add("episode_2.json", text[:len(text)-4]) // ends with a brace
	r.until("its start", func(r *follower) bool { return r.Progress.BytesRead > int64(len(text)) && r.Progress.CaughtUp })
	w.add("episode_2.json", text[len(text)-4:])
	r.until("the second", hasRewards("1 2"))
}

// followByEvents follows a path without polling it.
func followByEvents(t *testing.T, path string) *follower {
	t.Helper()
	r := follow(t, path, Options{Poll: time.Hour, settleTime: time.Hour})
	if r.s.reading.schedule.watcher.needsPolling() {
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

// A log that was added to a new directory after it was listed and before it was watched is in no event.
func TestLogAddedBeforeItsDirectoryIsWatched(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 1))
	r := followByEvents(t, w.dir)
	r.until("all", includes(1))
	if err := os.Mkdir(w.path("deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	event := <-r.s.reading.schedule.watcher.events // the news of it, which the listing below answers
	d := r.s.files.directories[0]
	found, err := discover.List(d.Storage, d.Path, r.s.options.MaxFiles)
	if err != nil || !slices.Contains(found.Dirs, "deep") {
		t.Fatal(event, found, err)
	}
	w.add("deep/new.jsonl", row(1, 2))
	r.s.files.addListed(d, found)
	r.until("the new log", includes(2))
}

// How long a listing makes the next one wait depends on the listing alone, not on what was read before it.
func TestSlowReadsPutOffNoListing(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 1))
	r := followByEvents(t, w.dir)
	r.until("all", includes(1))
	now := time.Now().Add(-time.Minute) // the reads took a minute
	r.s.reading.schedule.list.due = now
	r.s.files.listDirectories(now)
	w.add("deep/new.jsonl", row(1, 2))
	r.until("the new log", includes(2))
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
			if limit := int(time.Since(start)/densePause)*3/2 + 20; wakes > limit {
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
	r.s.reading.schedule.lastNews = old
	w.add("7.jsonl", row(7, 5))
	r.until("the new row", includes(5))
}

// A listing holds the sizes of all files, so it finds growth before their next poll.
func TestListingFindsGrownFiles(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 1))
	r := follow(t, w.dir, Options{polling: true, Poll: time.Hour, settleTime: time.Hour})
	r.until("a row", hasRewards("1"))
	r.s.reading.schedule.active = nil
	w.add("1.jsonl", row(1, 2))
	r.s.files.listDirectories(time.Now().Add(2 * time.Hour))
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
	for r.s.reading.schedule.watcher.watched[w.path("deep")] {
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

// progressAtEnd reads a path to its end and returns the progress.
func progressAtEnd(t *testing.T, path string) model.Progress {
	t.Helper()
	return readAll(t, path).Progress
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

// BenchmarkFollow follows the log named by VANTAGE_BENCH_LIVE, which .ci/bench/follow writes,
// until it stops growing. It reports how long after its writing a row was read, and the share
// of a processor that reading took.
func BenchmarkFollow(b *testing.B) {
	path := os.Getenv("VANTAGE_BENCH_LIVE")
	if path == "" {
		b.Skip("no log to follow")
	}
	s, err := Open([]string{path}, Options{Follow: true})
	if err != nil {
		b.Fatal(err)
	}
	delays := make([]float64, 4<<20) // touched now, so that page faults are not measured
	clear(delays)
	delays = delays[:0]
	start, usedBefore := time.Now(), processorTime()
	ctx, cancel := context.WithCancel(context.Background())
	idle := time.AfterFunc(3*time.Second, cancel)
	for {
		chunk, err := s.Next(ctx)
		idle.Reset(3 * time.Second)
		if err != nil {
			break
		}
		now := float64(time.Now().UnixMicro() % 1e14) // as .ci/bench/logs.go writes it
		for _, r := range chunk.Records {
			delays = append(delays, (now-r.Components[0])/1000)
		}
		for _, k := range chunk.Blocks {
			for _, written := range k.Components[0] {
				delays = append(delays, (now-written)/1000)
			}
		}
	}
	if len(delays) == 0 {
		b.Fatal("nothing was read")
	}
	share := (processorTime() - usedBefore).Seconds() / (time.Since(start).Seconds() - 3)
	slices.Sort(delays)
	b.ReportMetric(float64(len(delays)), "rows")
	b.ReportMetric(delays[len(delays)/2], "p50-ms")
	b.ReportMetric(delays[len(delays)*99/100], "p99-ms")
	b.ReportMetric(100*share, "processor-%")
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
