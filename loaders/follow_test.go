package loaders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vantage/loaders/discover"
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
	s, err := Open([]string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &follower{t: t, s: s}
}

// until reads until something is reached; half a minute is enough on any machine.
func (r *follower) until(what string, reached func(*follower) bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
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
	if notes := strings.Join(got.Notes, "\n"); got.rewards() != "1 0.5" || !strings.Contains(notes, "counted as it stands: the last row, a.csv:3, has no newline") {
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
		r.s.schedule.nextList, r.s.schedule.nextChangedList = now.Add(time.Hour), now.Add(discover.ClockTick+500*time.Millisecond)
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
	if r.s.schedule.watcher.NeedsPolling() {
		t.Skip("no events of the kernel here")
	}
	r.until("an empty directory", func(r *follower) bool { return r.Progress.CaughtUp })
	if err := os.Mkdir(w.path("7"), 0o755); err != nil {
		t.Fatal(err)
	}
	for !r.s.schedule.watcher.Watches(w.path("7")) {
		r.s.fillChunk(t.Context())
		if err := r.s.wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !r.s.schedule.watcher.Watches(w.dir) {
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
		s, err := Open([]string{"-"}, Options{Follow: true, polling: true, Stdin: in})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
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
