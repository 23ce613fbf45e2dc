package loaders

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vantage/model"
)

// run is a trainer that writes a file of four rows per step; its rewards tell the start that wrote it.
type run struct {
	trainer
	name func(step int) string
}

func newRun(t *testing.T) run {
	t.Helper()
	return run{trainer{t, t.TempDir()}, func(step int) string { return fmt.Sprintf("%d.jsonl", step) }}
}

// writes lets a start write steps from one to another, a minute each, the first at a time.
func (w run) writes(start float64, from, to int, at time.Time) time.Time {
	w.t.Helper()
	for step := from; step <= to; step++ {
		at = at.Add(time.Minute)
		w.replace(w.name(step), rows(step, start))
		w.date(w.name(step), at)
	}
	return at
}

func (w run) date(name string, at time.Time) {
	w.t.Helper()
	if err := os.Chtimes(w.path(name), at, at); err != nil {
		w.t.Fatal(err)
	}
}

// rows are the rows of a step.
func rows(step int, start float64) string {
	return row(step, start) + row(step, start) + strings.ReplaceAll(row(step, start)+row(step, start), `"q"`, `"r"`)
}

// shown tells the steps of a snapshot, and which start wrote them: "1-3:2 4:1".
func shown(snap model.Snapshot) string {
	var parts []string
	for i := 0; i < len(snap.Steps); {
		what, from := fromStart(snap.Steps[i]), i
		for i++; i < len(snap.Steps) && snap.Steps[i].Number == snap.Steps[i-1].Number+1 && fromStart(snap.Steps[i]) == what; i++ {
		}
		name := fmt.Sprint(snap.Steps[from].Number)
		if i-from > 1 {
			name += fmt.Sprint("-", snap.Steps[i-1].Number)
		}
		parts = append(parts, name+":"+what)
	}
	return strings.Join(parts, " ")
}

// fromStart tells the starts that wrote the rows of a step, with their number if that is not four.
func fromStart(s model.Step) string {
	var starts []string
	for _, r := range slices.Compact(slices.Clone(s.Rewards)) {
		starts = append(starts, fmt.Sprint(r))
	}
	if len(s.Rewards) != 4 {
		return fmt.Sprintf("%s×%d", strings.Join(starts, "+"), len(s.Rewards))
	}
	return strings.Join(starts, "+")
}

// leftOut tells what was left out: "1: 11-40 in 30 files, 120 rows".
func leftOut(a model.RunAttempts) string {
	var parts []string
	for _, l := range a.LeftOut {
		text := fmt.Sprintf("%d: %d-%d in %d, %d rows", l.Attempt, l.First, l.Last, l.Files, l.Samples)
		if l.Cause == model.Resumed {
			text += fmt.Sprintf(" before %d", l.Step)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// yesterday is before the files are made, so that they seem to be a copy with its times: when they were
// created is not known.
var yesterday = time.Now().Add(-24 * time.Hour)

func openAttempt(t *testing.T, path string, which Attempt) model.Snapshot {
	t.Helper()
	s := open(t, Options{Attempt: which}, path)
	return snapshotOf(t, s)
}

// A finished folder shows the newest attempt, and says what it left out.
func TestAttemptsOfAFolder(t *testing.T) {
	t.Parallel()
	type scene struct {
		write   func(w run)
		want    string // the steps that are shown, and what start wrote them
		leftOut string
		count   int // of attempts
		doubts  int
	}
	for name, c := range map[string]scene{
		"one run": {func(w run) { w.writes(1, 1, 40, yesterday) }, "1-40:1", "", 1, 0},
		"run again over old files": {func(w run) {
			w.writes(2, 1, 10, w.writes(1, 1, 40, yesterday).Add(10*time.Minute))
		}, "1-10:2", "1: 11-40 in 30, 120 rows", 2, 0},
		"run again beyond the old files": {func(w run) {
			w.writes(2, 1, 20, w.writes(1, 1, 10, yesterday))
		}, "1-20:2", "", 1, 0},
		"run thrice": {func(w run) {
			w.writes(3, 1, 4, w.writes(2, 1, 10, w.writes(1, 1, 40, yesterday).Add(time.Hour)).Add(time.Hour))
		}, "1-4:3", "1: 11-40 in 30, 120 rows; 2: 5-10 in 6, 24 rows", 3, 0},
		"resumed, and beyond the old files": {func(w run) {
			w.writes(2, 9, 20, w.writes(1, 1, 13, yesterday).Add(10*time.Minute))
		}, "1-8:1 9-20:2", "", 1, 0},
		"resumed, not yet beyond": {func(w run) {
			w.writes(2, 21, 25, w.writes(1, 1, 40, yesterday).Add(10*time.Minute))
		}, "1-20:1 21-25:2", "1: 26-40 in 15, 60 rows before 21", 1, 0},
		"run again, then resumed": {func(w run) {
			at := w.writes(2, 1, 10, w.writes(1, 1, 40, yesterday).Add(10*time.Minute))
			w.writes(3, 6, 7, at.Add(10*time.Minute))
		}, "1-5:2 6-7:3", "1: 11-40 in 30, 120 rows; 2: 8-10 in 3, 12 rows before 6", 2, 0},
		"a single new file": {func(w run) {
			w.writes(2, 1, 1, w.writes(1, 1, 40, yesterday).Add(10*time.Minute))
		}, "1:2 2-40:1", "", 1, 1},
		"a touched file": {func(w run) {
			w.writes(1, 1, 40, yesterday)
			w.date("17.jsonl", yesterday.Add(5*time.Hour))
		}, "1-40:1", "", 1, 1},
		"one process is late": {func(w run) {
			w.writes(1, 1, 40, yesterday)
			w.date("38.jsonl", yesterday.Add(40*time.Minute+5*time.Second))
			w.date("39.jsonl", yesterday.Add(40*time.Minute+10*time.Second))
		}, "1-40:1", "", 1, 0},
		"few steps after a long pause": {func(w run) {
			w.writes(2, 1, 2, w.writes(1, 1, 5, yesterday).Add(10*time.Minute))
		}, "1-2:2", "1: 3-5 in 3, 12 rows", 2, 0},
		"few steps without a pause": {func(w run) {
			w.writes(2, 1, 2, w.writes(1, 1, 5, yesterday))
		}, "1-2:2 3-5:1", "", 1, 1},
		"copied by name": {func(w run) {
			w.writes(1, 1, 19, yesterday)
			w.copyInOrder(func(names []string) { slices.Sort(names) }, time.Minute)
		}, "1-19:1", "", 1, 0},
		"copied by name, from step 2": {func(w run) {
			w.writes(1, 2, 15, yesterday)
			w.copyInOrder(func(names []string) { slices.Sort(names) }, time.Minute)
		}, "2-15:1", "", 1, 1},
		"copied backwards": {func(w run) {
			w.writes(1, 1, 19, yesterday)
			w.copyInOrder(func(names []string) { slices.Sort(names); slices.Reverse(names) }, time.Minute)
		}, "1-19:1", "", 1, 0},
		"copied at one time": {func(w run) {
			w.writes(1, 1, 19, yesterday)
			w.copyInOrder(func([]string) {}, 0)
		}, "1-19:1", "", 1, 0},
		"files of two processes": {func(w run) {
			for p := range 2 {
				w.name = func(step int) string { return fmt.Sprintf("%d_rank%d.jsonl", step, p) }
				w.writes(1, 1, 12, yesterday.Add(time.Duration(p)*20*time.Second))
			}
		}, "1-12:1×8", "", 1, 0},
		"files of two processes, run again": {func(w run) {
			for p := range 2 {
				w.name = func(step int) string { return fmt.Sprintf("%d_rank%d.jsonl", step, p) }
				lag := time.Duration(p) * 20 * time.Second
				w.writes(2, 1, 5, w.writes(1, 1, 12, yesterday.Add(lag)).Add(time.Hour))
			}
		}, "1-5:2×8", "1: 6-12 in 14, 56 rows", 2, 0},
		"a directory per version": {func(w run) {
			w.name = func(step int) string { return fmt.Sprintf("%d/a.jsonl", step) }
			w.writes(2, 1, 5, w.writes(1, 1, 12, yesterday).Add(time.Hour))
		}, "1-5:2", "1: 6-12 in 7, 28 rows", 2, 0},
		"runs of a sweep": {func(w run) {
			for _, name := range []string{"lr1", "lr2"} {
				w.name = func(step int) string { return fmt.Sprintf("%s/%d.jsonl", name, step) }
				w.writes(1, 1, 12, yesterday.Add(time.Duration(len(name))*time.Hour))
			}
		}, "1-12:1×8", "", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRun(t)
			c.write(w)
			snap := openAttempt(t, w.dir, NewestAttempt)
			a := snap.Run.Attempts
			if got := shown(snap); got != c.want || leftOut(a) != c.leftOut || max(1, a.Count) != c.count || len(a.Doubts) != c.doubts {
				t.Errorf("shown %q, left out %q, %d attempts, doubts %q\nnotes %q", got, leftOut(a), a.Count, a.Doubts, snap.Run.Notes)
			}
			if (len(a.LeftOut) > 0 || len(a.Doubts) > 0) && !strings.Contains(strings.Join(snap.Run.Notes, "\n"), "--attempt ") {
				t.Errorf("no flag in %q", snap.Run.Notes)
			}
		})
	}
}

// copyInOrder dates the files as if they had been copied in an order of names.
func (w run) copyInOrder(sort func(names []string), pause time.Duration) {
	w.t.Helper()
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	sort(names)
	for i, name := range names {
		w.date(name, yesterday.Add(time.Duration(i)*pause))
	}
}

// An attempt is chosen by its number, or all are counted as one.
func TestChosenAttempt(t *testing.T) {
	t.Parallel()
	w := newRun(t)
	w.writes(2, 1, 10, w.writes(1, 1, 40, yesterday).Add(10*time.Minute))
	for which, want := range map[Attempt]string{1: "11-40:1", 2: "1-10:2", 3: "", AllAttempts: "1-10:2 11-40:1"} {
		if got := shown(openAttempt(t, w.dir, which)); got != want {
			t.Errorf("attempt %d: %s, want %s", which, got, want)
		}
	}
	doubtful := newRun(t)
	doubtful.writes(2, 1, 1, doubtful.writes(1, 1, 40, yesterday).Add(10*time.Minute))
	if got := shown(openAttempt(t, doubtful.dir, 2)); got != "1:2" {
		t.Error("a number does not believe a doubtful start:", got)
	}
}

// However the files of a finished run were copied, none is left out: if by chance they are in the order
// of a start, it is a doubt.
func TestCopiedFolderIsOneAttempt(t *testing.T) {
	t.Parallel()
	seeds := uint64(60)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 1))
		w := newRun(t)
		n := 2 + random.IntN(12)
		w.writes(1, 1, n, yesterday)
		w.copyInOrder(func(names []string) { random.Shuffle(n, func(i, j int) { names[i], names[j] = names[j], names[i] }) }, time.Duration(random.IntN(int(20*time.Second))))
		snap := openAttempt(t, w.dir, NewestAttempt)
		if len(snap.Steps) != n || len(snap.Run.Attempts.LeftOut) != 0 {
			t.Errorf("seed %d: %s of %d steps, left out %s", seed, shown(snap), n, leftOut(snap.Run.Attempts))
		}
	}
}

// Where it is known when files were created, a start needs no pause, and a folder that was copied in
// two parts is no start.
func TestAttemptsByBirth(t *testing.T) {
	t.Parallel()
	write := func(w run, start float64, from, to int) {
		for step := from; step <= to; step++ {
			w.replace(w.name(step), rows(step, start))
			time.Sleep(15 * time.Millisecond)
		}
	}
	again := newRun(t)
	write(again, 1, 1, 6)
	write(again, 2, 1, 3)
	if snap := openAttempt(t, again.dir, NewestAttempt); shown(snap) != "1-3:2" {
		if len(snap.Run.Attempts.Doubts) == 1 {
			t.Skip("the filesystem does not tell when files were created")
		}
		t.Error("run again:", shown(snap))
	}
	parts := newRun(t)
	write(parts, 1, 7, 14)
	write(parts, 1, 1, 6)
	if snap := openAttempt(t, parts.dir, NewestAttempt); shown(snap) != "1-14:1" || len(snap.Run.Attempts.Doubts) != 1 {
		t.Error("copied in two parts:", shown(snap), snap.Run.Notes)
	}
}

// Attempts within one file are told by its steps.
func TestAttemptsInOneFile(t *testing.T) {
	t.Parallel()
	span := func(start float64, from, to int) string {
		text := ""
		for step := from; step <= to; step++ {
			text += rows(step, start)
		}
		return text
	}
	for name, c := range map[string]struct{ log, want, leftOut string }{
		"run again":                        {span(1, 1, 40) + span(2, 1, 10), "1-10:2", "1: 1-40 in 1, 160 rows"},
		"run again, at its first step":     {span(1, 1, 40) + span(2, 1, 1), "1:2", "1: 1-40 in 1, 160 rows"},
		"run again, within its first step": {span(1, 1, 4) + row(1, 2), "1:1+2×5 2-4:1", ""},
		"run thrice":                       {span(1, 1, 9) + span(2, 1, 5) + span(3, 1, 12), "1-12:3", "1: 1-9 in 1, 36 rows; 2: 1-5 in 1, 20 rows"},
		"resumed":                          {span(1, 1, 100) + span(2, 91, 120), "1-90:1 91-120:2", "1: 91-100 in 1, 40 rows before 91"},
		"resumed, not yet beyond":          {span(1, 1, 100) + span(2, 91, 95), "1-90:1 91-95:2", "1: 91-100 in 1, 40 rows before 91"},
		"resumed twice":                    {span(1, 1, 30) + span(2, 21, 25) + span(3, 21, 40), "1-20:1 21-40:3", "1: 21-30 in 1, 60 rows before 21"},
		"resumed within a step":            {span(1, 1, 30) + row(31, 1) + span(2, 21, 40), "1-20:1 21-40:2", "1: 21-31 in 1, 41 rows before 21"},
		"run again and resumed":            {span(1, 1, 9) + span(2, 1, 8) + span(3, 5, 9), "1-4:2 5-9:3", "1: 1-9 in 1, 36 rows; 2: 5-8 in 1, 16 rows before 5"},
		"late rows":                        {span(1, 1, 20) + row(18, 1) + row(19, 1) + span(1, 21, 30), "1-17:1 18-19:1×5 20-30:1", ""},
		"newest first":                     {span(1, 3, 3) + span(1, 2, 2) + span(1, 1, 1), "1-3:1", ""},
		"turns":                            {strings.Repeat(row(0, 1)+row(1, 1)+row(2, 1), 2), "0-2:1×2", ""},
		"two halves of each step":          {strings.Repeat("", 1) + halves(12), "1-12:1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := trainer{t, t.TempDir()}
			w.add("log.jsonl", c.log)
			for _, path := range []string{w.dir, w.path("log.jsonl")} {
				snap := openAttempt(t, path, NewestAttempt)
				if got := shown(snap); got != c.want || leftOut(snap.Run.Attempts) != c.leftOut {
					t.Errorf("%s: shown %q, left out %q", path, got, leftOut(snap.Run.Attempts))
				}
			}
			if all := openAttempt(t, w.dir, AllAttempts); all.Rows != strings.Count(c.log, "\n") {
				t.Errorf("%d rows of all attempts", all.Rows)
			}
		})
	}
}

// halves is a log of two writers, which take turns every two steps.
func halves(steps int) string {
	text := ""
	for step := 1; step < steps; step += 2 {
		for range 2 {
			text += row(step, 1) + row(step, 1) + row(step+1, 1) + row(step+1, 1)
		}
	}
	return text
}

// watched is a followed log with its snapshot.
type watched struct {
	t     *testing.T
	s     *Source
	store *model.Store
}

func watchRun(t *testing.T, path string, o Options) *watched {
	t.Helper()
	return &watched{t, follow(t, path, o).s, model.NewStore()}
}

// until follows until these steps are shown, and nothing is unread.
func (w *watched) until(what, want, out string) model.Snapshot {
	w.t.Helper()
	deadline := time.After(time.Minute)
	var snap model.Snapshot
	for {
		chunks := make(chan *model.Chunk, 1)
		go func() {
			if c, err := w.s.Next(w.t.Context()); err == nil {
				chunks <- c
			} else if !errors.Is(err, io.EOF) {
				close(chunks)
			}
		}()
		select {
		case c, ok := <-chunks:
			if !ok {
				w.t.Fatalf("%s: reading ended", what)
			}
			w.store.Append(c)
		case <-deadline:
			w.t.Fatalf("%s: shown %q, left out %q, want %q, %q; notes %q", what, shown(snap), leftOut(snap.Run.Attempts), want, out, snap.Run.Notes)
		}
		snap = w.store.Snapshot()
		if snap.Run.Progress.CaughtUp && shown(snap) == want && leftOut(snap.Run.Attempts) == out {
			return snap
		}
	}
}

// A folder that is followed goes over to a new attempt when it begins.
func TestFollowedAttempts(t *testing.T) {
	pause := func() { time.Sleep(60 * time.Millisecond) }
	for name, play := range map[string]func(w run, r *watched){
		"run again over old files": func(w run, r *watched) {
			w.replace("1.jsonl", rows(1, 2))
			snap := r.until("the first step again", "1:2", "1: 2-5 in 4, 16 rows")
			if a := snap.Run.Attempts; a.String() != "attempt 2 of 2" || !a.Several() {
				w.t.Error(a)
			}
			pause()
			w.replace("2.jsonl", rows(2, 2))
			r.until("the second", "1-2:2", "1: 3-5 in 3, 12 rows")
			for step := 3; step <= 6; step++ {
				pause()
				w.replace(w.name(step), rows(step, 2))
			}
			r.until("all", "1-6:2", "")
		},
		"resumed": func(w run, r *watched) {
			w.replace("3.jsonl", rows(3, 2))
			snap := r.until("a step again", "1-2:1 3:2", "1: 4-5 in 2, 8 rows before 3")
			if snap.Run.Attempts.Several() {
				w.t.Error(snap.Run.Attempts)
			}
			for step := 4; step <= 6; step++ {
				pause()
				w.replace(w.name(step), rows(step, 2))
			}
			r.until("all", "1-2:1 3-6:2", "")
		},
		"folder removed and made again": func(w run, r *watched) {
			_ = os.RemoveAll(w.dir)
			pause()
			w.add("1.jsonl", rows(1, 2))
			r.until("the first step again", "1:2", "1: 1-5 in 5, 20 rows")
			pause()
			w.add("2.jsonl", rows(2, 2))
			r.until("the second", "1-2:2", "1: 1-5 in 5, 20 rows")
		},
		"files removed": func(w run, r *watched) {
			for step := 1; step <= 5; step++ {
				_ = os.Remove(w.path(w.name(step)))
			}
			pause()
			w.add("1.jsonl", rows(1, 2))
			r.until("the first step again", "1:2", "1: 2-5 in 4, 16 rows")
		},
		"files removed, new ones with other names": func(w run, r *watched) {
			for step := 1; step <= 5; step++ {
				_ = os.Remove(w.path(w.name(step)))
			}
			pause()
			w.add("b1.jsonl", rows(1, 2))
			r.until("the first step again", "1:2", "1: 1-5 in 5, 20 rows")
		},
		"files rotated away": func(w run, r *watched) {
			for step := 1; step <= 5; step++ {
				_ = os.Remove(w.path(w.name(step)))
			}
			w.add("6.jsonl", rows(6, 1))
			r.until("the next step", "1-6:1", "")
		},
		"folder made again with the same files": func(w run, r *watched) {
			if err := os.Rename(w.dir, w.dir+"-old"); err != nil {
				w.t.Fatal(err)
			}
			for step := 1; step <= 5; step++ {
				w.add(w.name(step), rows(step, 1))
			}
			pause()
			w.add("6.jsonl", rows(6, 1))
			r.until("the next step", "1-6:1", "")
		},
	} {
		for _, polling := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, polling %v", name, polling), func(t *testing.T) {
				t.Parallel()
				w := newRun(t)
				w.dir = filepath.Join(w.dir, "rollouts")
				for step := 1; step <= 5; step++ {
					w.add(w.name(step), rows(step, 1))
					time.Sleep(5 * time.Millisecond)
				}
				r := watchRun(t, w.dir, Options{polling: polling})
				r.until("the old run", "1-5:1", "")
				pause()
				play(w, r)
			})
		}
	}
}

// A link that is set to another run shows that alone.
func TestFollowedLinkToAnotherRun(t *testing.T) {
	t.Parallel()
	w := newRun(t)
	w.dir = filepath.Join(w.dir, "one")
	w.writes(1, 1, 5, yesterday)
	link := filepath.Join(filepath.Dir(w.dir), "latest")
	if err := os.Symlink("one", link); err != nil {
		t.Fatal(err)
	}
	r := watchRun(t, link, Options{})
	r.until("the first run", "1-5:1", "")
	w.dir = filepath.Join(filepath.Dir(w.dir), "two")
	w.writes(2, 3, 8, yesterday.Add(time.Hour))
	_ = os.Remove(link)
	if err := os.Symlink("two", link); err != nil {
		t.Fatal(err)
	}
	snap := r.until("the second run", "3-8:2", "1: 1-5 in 5, 20 rows")
	if _, err := r.s.Text(t.Context(), snap.Steps[0].Place(0)); err != nil {
		t.Error(err)
	}
	w.add("9.jsonl", rows(9, 2))
	r.until("its next step", "3-9:2", "1: 1-5 in 5, 20 rows")
}

// A file that is appended to by a run that is started again shows the new run from its first step on.
func TestFollowedAppendedAttempts(t *testing.T) {
	t.Parallel()
	w := newRun(t)
	for step := 1; step <= 9; step++ {
		w.add("log.jsonl", rows(step, 1))
	}
	r := watchRun(t, w.path("log.jsonl"), Options{settleTime: 5 * time.Second})
	r.until("the old run", "1-9:1", "")
	w.add("log.jsonl", rows(1, 2))
	r.until("the first step again", "1:2", "1: 1-9 in 1, 36 rows")
	w.add("log.jsonl", rows(2, 2)+rows(3, 2)+rows(4, 2))
	r.until("more", "1-4:2", "1: 1-9 in 1, 36 rows")
	w.add("log.jsonl", rows(3, 3))
	snap := r.until("resumed", "1-2:2 3:3", "1: 1-9 in 1, 36 rows; 2: 3-4 in 1, 8 rows before 3")
	if !snap.Run.Progress.Open {
		t.Error("the newest step is not open")
	}
}

// TRL's tables are kept apart as other files are, whether they are followed or not: a resumed run is one
// attempt, a rerun is shown alone, and an evaluation that overwrites the table of its step is no start.
func TestAttemptsOfTables(t *testing.T) {
	t.Parallel()
	w := newRun(t)
	w.name = func(step int) string { return fmt.Sprintf("completions/completions_%05d.parquet", step) }
	write := func(from, to int, start float64) {
		for step := from; step <= to; step++ {
			var rows []trlRow
			for i := range 4 {
				rows = append(rows, trlRow{int64(step), fmt.Sprint("q", i/2), fmt.Sprint(start, " answer ", i, " of step ", step), start, math.NaN(), 0})
			}
			w.replace(w.name(step), string(trlTable(t, rows)))
			time.Sleep(30 * time.Millisecond)
		}
	}
	write(1, 5, 1)
	r := watchRun(t, w.dir, Options{})
	r.until("the first run", "1-5:1", "")
	write(5, 5, 9)
	r.until("an evaluation", "1-4:1 5:9", "")
	write(4, 4, 2)
	r.until("resumed", "1-3:1 4:2", "1: 5-5 in 1, 4 rows before 4")
	write(5, 7, 2)
	r.until("beyond", "1-3:1 4-7:2", "")
	write(1, 3, 3)
	snap := r.until("run again", "1-3:3", "1: 4-7 in 4, 16 rows")
	if a := snap.Run.Attempts; a.Count != 2 || a.Shown != 2 {
		t.Error(a)
	}
	if again := openAttempt(t, w.dir, NewestAttempt); shown(again) != "1-3:3" && len(again.Run.Attempts.Doubts) == 0 {
		t.Error("opened afterwards:", shown(again), again.Run.Notes)
	}
}
