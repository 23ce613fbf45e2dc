package loaders

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vantage/model"
)

// soakMinutes is the environment variable that says how long the soak takes; it is not run without. .ci/soak sets it.
const soakMinutes = "VANTAGE_SOAK_MINUTES"

const (
	soakSteps   = 1440 // of a day with a step a minute: a hundredfold faster in 14 minutes
	soakRows    = 64   // of a step
	soakPrompts = 512  // that come again and again
)

// soakWriter writes the logs of one day: a folder of a file per step, a log that is rotated, a CSV file that is
// replaced, and tables.
type soakWriter struct {
	trainer
	random      *rand.Rand
	start, step int // of the folder of files: how often it was begun, and where it is
	rotations   int
	counts      map[string]int // of what happened
}

// write writes what belongs to one minute of the day.
func (w *soakWriter) write(minute int) {
	w.step++
	switch x := w.random.IntN(200); {
	case x == 0 && w.step > 20:
		w.start, w.step = w.start+1, 1
		w.counts["reruns"]++
	case x < 5 && w.step > 10:
		w.step -= w.random.IntN(10)
		w.counts["resumes"]++
	}
	w.torn(fmt.Sprintf("steps/%d.jsonl", w.step), w.rows(w.step, jsonLines), os.O_TRUNC)
	w.torn("rotated/log.jsonl", w.rows(minute, jsonLines), os.O_APPEND)
	if w.random.IntN(20) == 0 {
		w.rotate()
	}
	if w.random.IntN(30) == 0 {
		w.add("table/.new", w.rows(minute, csvTable))
		w.rename("table/.new", "table/log.csv")
		w.counts["files replaced"]++
	} else {
		_, rows, _ := strings.Cut(w.rows(minute, csvTable), "\n")
		if _, err := os.Stat(w.path("table/log.csv")); err == nil {
			w.torn("table/log.csv", rows, os.O_APPEND)
		}
	}
	w.torn(fmt.Sprintf("trl/completions_%05d.parquet", minute%200), w.rows(minute, trlText), os.O_TRUNC)
}

func trlText(t *testing.T, rows []trlRow) string {
	t.Helper()
	return string(trlTable(t, rows))
}

// rows are the rows of a step, as a kind of log has them.
func (w *soakWriter) rows(step int, text func(*testing.T, []trlRow) string) string {
	rows := make([]trlRow, soakRows)
	for i := range rows {
		rows[i] = trlRow{int64(step), fmt.Sprintf("question %d", w.random.IntN(soakPrompts)), strings.Repeat("word ", w.random.IntN(200)), float64(w.random.IntN(5)) / 4, math.NaN(), 0.5}
	}
	return text(w.t, rows)
}

// torn writes a text in some pieces that end anywhere.
func (w *soakWriter) torn(name, text string, flags int) {
	for n := w.random.IntN(4); n > 0 && len(text) > 0; n-- {
		at := w.random.IntN(len(text))
		w.trainer.write(name, text[:at], flags)
		text, flags = text[at:], os.O_APPEND
		w.counts["torn rows"]++
		time.Sleep(time.Millisecond)
	}
	w.trainer.write(name, text, flags)
}

// rotate renames the log, or copies and truncates it, and deletes what was rotated long ago.
func (w *soakWriter) rotate() {
	w.rotations++
	older := fmt.Sprintf("rotated/older_%d.jsonl", w.rotations)
	if w.rotations%3 == 0 {
		text, err := os.ReadFile(w.path("rotated/log.jsonl"))
		if err != nil {
			w.t.Error(err)
		}
		w.add(older, string(text))
		w.replace("rotated/log.jsonl", "")
	} else {
		w.rename("rotated/log.jsonl", older)
	}
	_ = os.Remove(w.path(fmt.Sprintf("rotated/older_%d.jsonl", w.rotations-5)))
	w.counts["rotations"]++
}

func (w *soakWriter) rename(from, to string) {
	if err := os.Rename(w.path(from), w.path(to)); err != nil {
		w.t.Error(err)
	}
}

// soaked is what the process holds at a moment.
type soaked struct{ handles, goroutines, heap, samples, files int }

// hold measures it. Memory is what is left after a collection.
func hold(stores ...*model.Store) soaked {
	h := soaked{goroutines: runtime.NumGoroutine(), heap: heap()}
	open, _ := os.ReadDir("/proc/self/fd") // none where the system has no such folder
	h.handles = len(open)
	for _, s := range stores {
		snap := s.Snapshot()
		h.samples += snap.Rows
		h.files += len(snap.Run.Files)
		for _, l := range snap.Run.Attempts.LeftOut {
			h.samples += l.Samples
		}
	}
	return h
}

func (h soaked) String() string {
	return fmt.Sprintf("%d samples in %d files, %.1f MB of heap (%.0f bytes a sample), %d handles, %d goroutines",
		h.samples, h.files, float64(h.heap)/1e6, float64(h.heap)/float64(max(1, h.samples)), h.handles, h.goroutines)
}

// A day of steps, rotations, resumes, reruns, torn rows and replaced files is followed with as many handles and
// goroutines at its end as at its start, and memory for its samples only; and what is shown then is on the disk.
func TestSoak(t *testing.T) {
	minutes, err := strconv.ParseFloat(os.Getenv(soakMinutes), 64)
	if err != nil {
		t.Skip("it takes minutes: .ci/soak runs it")
	}
	w := &soakWriter{trainer: trainer{t, t.TempDir()}, random: rand.New(rand.NewPCG(1, 2)), counts: map[string]int{}}
	w.write(0)
	base := heap()
	var sources []*Source
	var stores []*model.Store
	var paths []string // by themselves: next to a trainer's own log other tables would be left out
	for _, name := range []string{"steps", "rotated", "table", "trl"} {
		if err := os.MkdirAll(w.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, w.path(name))
	}
	for _, which := range []Attempt{NewestAttempt, AllAttempts} {
		s, err := Open(paths, Options{Follow: true, Attempt: which, Poll: 100 * time.Millisecond, settleTime: 300 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		sources, stores = append(sources, s), append(stores, model.NewStore())
	}
	begin, pause := time.Now(), time.Duration(minutes*float64(time.Minute)/soakSteps)
	var first, last soaked
	for minute := 1; minute < soakSteps; minute++ {
		w.write(minute)
		for {
			left := time.Until(begin.Add(time.Duration(minute) * pause))
			for i, s := range sources {
				readFor(t, s, stores[i], max(left/2, time.Millisecond))
			}
			if left <= 0 {
				break
			}
		}
		if minute%(soakSteps/10) == 0 {
			last = hold(stores...)
			if first.handles == 0 {
				first = last
			}
			t.Logf("%2d %%: %v", minute*100/soakSteps, last)
		}
	}
	for i, s := range sources {
		readFor(t, s, stores[i], 5*time.Second)
	}
	last = hold(stores...)
	t.Logf("in %v, a day of %v: %v", time.Since(begin).Round(time.Second), w.counts, last)
	if last.handles > first.handles+8 || last.goroutines > first.goroutines+4 {
		t.Errorf("after a tenth: %v", first)
	}
	const shared, sample, file = 24 << 20, 40, 4 << 10
	if limit := base + shared + last.samples*sample + last.files*file; last.heap > limit {
		t.Errorf("%d bytes of heap, at most %d are for what is held", last.heap, limit)
	}
	compareWithDisk(t, paths, stores[1].Snapshot())
	runtime.KeepAlive(stores)
}

// readFor reads for a while.
func readFor(t *testing.T, s *Source, store *model.Store, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	for ctx.Err() == nil {
		switch c, err := s.Next(ctx); {
		case err == nil:
			store.Append(c)
		case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
			t.Fatal(err)
		}
	}
}

// compareWithDisk fails if a snapshot of all attempts has other rows of the files that are there than a fresh load.
func compareWithDisk(t *testing.T, paths []string, snap model.Snapshot) {
	t.Helper()
	s, err := Open(paths, Options{Attempt: AllAttempts})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	fresh := snapshotOf(t, s)
	shown, onDisk := rowsByFile(snap), rowsByFile(fresh)
	for name := range shown {
		if _, err := os.Stat(name); err != nil {
			delete(shown, name) // rotated away
		}
	}
	for name := range onDisk {
		if diff := cmp.Diff(onDisk[name], shown[name]); diff != "" {
			t.Errorf("%s on disk (-) and shown (+):\n%.2000s", name, diff)
		}
	}
	for name := range shown {
		if onDisk[name] == nil {
			t.Errorf("%s is shown, and not on the disk", name)
		}
	}
	if fresh.Rows == 0 || len(snap.Run.Problems) > 0 || len(fresh.Run.Problems) > 0 {
		t.Errorf("%d rows; problems %v, %v", fresh.Rows, snap.Run.Problems, fresh.Run.Problems)
	}
}

// rowsByFile tells the rows of each file, sorted.
func rowsByFile(snap model.Snapshot) map[string][]string {
	rows := map[string][]string{}
	for _, line := range shownRows(snap) {
		name := strings.Fields(line)[2]
		name = name[:strings.LastIndexByte(name, ':')]
		before, prompt, _ := strings.Cut(line, " prompt ") // a hash, which runs do not share, and the beginning
		_, preview, _ := strings.Cut(prompt, " ")
		rows[name] = append(rows[name], before+" "+preview)
	}
	for _, lines := range rows {
		slices.Sort(lines)
	}
	return rows
}
