package loaders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vantage/internal/testkit/filetest"
	"vantage/model/runlist"
)

const (
	verlRow  = `{"input":"q","output":"a","gts":"1","score":1.0,"step":1}` + "\n"
	trainRow = `{"idx":0,"prompt":"q","response":"a","reward":1}` + "\n" // which no trainer writes so
)

// findAll returns what a finder finds, and how far it looked. It takes its time: a test does not
// depend on how busy the machine is.
func findAll(t *testing.T, o FinderOptions) (runlist.List, runlist.Looked) {
	t.Helper()
	if o.Time == 0 {
		o.Time = time.Minute
	}
	f := NewFinder(o)
	var list runlist.List
	for {
		runs, err := f.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return list, f.Looked()
		}
		if err != nil {
			t.Fatal(err)
		}
		list = list.Add(runs...)
	}
}

// summaries returns name, format and extent of each run, by name.
func summaries(list runlist.List) map[string]string {
	all := map[string]string{}
	for _, r := range list.Runs() {
		all[r.Name] = strings.TrimSpace(r.Format + " " + r.Extent())
	}
	return all
}

// The paths that a person would open are found: the directory of a run whose steps have files or
// directories of their own, a file that stands by itself.
func TestFindsWhatAPersonWouldOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(elements ...string) string { return filepath.Join(append([]string{dir}, elements...)...) }
	for step := range 12 {
		filetest.Write(t, at("runs", "a", "rollouts", fmt.Sprintf("%d.jsonl", step+1)), verlRow)
		filetest.Write(t, at("runs", "b", fmt.Sprintf("global_step_%d", step), "dump", "rows.jsonl"), verlRow)
	}
	filetest.Write(t, at("runs", "a", "rollouts", "13.jsonl"), "") // is being written
	filetest.Write(t, at("runs", "a", "val", "5.jsonl"), verlRow)
	filetest.Write(t, at("sweep", "0", "rollouts.jsonl"), trainRow)
	filetest.Write(t, at("sweep", "1", "rollouts.jsonl"), trainRow)
	filetest.Write(t, at("mixed", "one.jsonl"), trainRow)
	filetest.Write(t, at("mixed", "two.jsonl"), trainRow)
	filetest.Write(t, at("mixed", "val.jsonl"), trainRow)
	filetest.Write(t, at("mixed", "dataset.jsonl"), `{"question":"q"}`+"\n")
	filetest.Write(t, at("mixed", "notes.txt"), "reward")
	filetest.Write(t, at("table.csv"), "prompt,reward\nq,1\n")
	filetest.Write(t, at(".hidden", "1.jsonl"), verlRow)
	filetest.Write(t, at("node_modules", "1.jsonl"), verlRow)
	filetest.Write(t, at("out", "checkpoint-100", "1.jsonl"), verlRow)
	list, looked := findAll(t, FinderOptions{Dir: dir})
	want := map[string]string{
		"runs/a/rollouts": "verl steps 1–13", "runs/a/val": "verl step 5", "runs/b": "verl steps 0–11",
		"sweep/0/rollouts.jsonl": "jsonl", "sweep/1/rollouts.jsonl": "jsonl",
		"mixed/one.jsonl": "jsonl", "mixed/two.jsonl": "jsonl", "table.csv": "csv",
	}
	if diff := cmp.Diff(want, summaries(list)); diff != "" {
		t.Errorf("-want +found\n%s", diff)
	}
	if looked.Partial() || looked.Entries < 40 {
		t.Errorf("%+v", looked)
	}
	if got, want := looked.LeftOutText(), "left out: mixed/dataset.jsonl, which holds no samples"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The current directory may be the run itself.
func TestFindsTheCurrentDirectory(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, "1.jsonl"), verlRow)
	filetest.Write(t, filepath.Join(dir, "2.jsonl"), verlRow)
	list, _ := findAll(t, FinderOptions{Dir: dir})
	if diff := cmp.Diff(map[string]string{".": "verl steps 1–2"}, summaries(list)); diff != "" {
		t.Error(diff)
	}
}

// The time of the newest file is that of the run, and its size that of all.
func TestTimeAndSize(t *testing.T) {
	dir := t.TempDir()
	old, fresh := time.Now().Add(-time.Hour), time.Now().Add(-time.Minute).Truncate(time.Second)
	for step, at := range []time.Time{old, old, fresh} {
		path := filepath.Join(dir, "r", fmt.Sprintf("%d.jsonl", step))
		filetest.Write(t, path, verlRow)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	list, _ := findAll(t, FinderOptions{Dir: dir})
	r := list.Runs()[0]
	if !r.LastWrite.Equal(fresh) || r.Size != int64(3*len(verlRow)) || r.Files != 3 {
		t.Errorf("%+v", r)
	}
}

// Links are not followed, pipes and sockets not opened, and what may not be listed is passed over.
func TestTouchesNothingElse(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	filetest.Write(t, filepath.Join(outside, "1.jsonl"), verlRow)
	filetest.Write(t, filepath.Join(dir, "run", "1.jsonl"), verlRow)
	filetest.Write(t, filepath.Join(dir, "locked", "1.jsonl"), verlRow)
	for link, target := range map[string]string{"out": outside, "loop": dir, "file.jsonl": filepath.Join(outside, "1.jsonl")} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.jsonl"), 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Chmod(filepath.Join(dir, "locked"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "locked"), 0o700) })
	want := map[string]string{"run": "verl step 1"}
	if os.Getuid() == 0 {
		want["locked"] = "verl step 1" // nothing is locked for root
	}
	list, _ := findAll(t, FinderOptions{Dir: dir})
	if diff := cmp.Diff(want, summaries(list)); diff != "" {
		t.Errorf("-want +found\n%s", diff)
	}
}

// Sessions whose files are gone are left out; the others say when they were opened, once.
func TestRecentRuns(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	here, there, alone := filepath.Join(dir, "here"), filepath.Join(home, "there"), filepath.Join(home, "x", "alone.jsonl")
	filetest.Write(t, filepath.Join(here, "1.jsonl"), verlRow)
	filetest.Write(t, filepath.Join(there, "rollouts", "7.jsonl"), verlRow)
	filetest.Write(t, alone, trainRow)
	pipe := filepath.Join(home, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	opened := time.Now().Add(-time.Hour)
	var recent []RecentRun
	for _, p := range []string{here, there, filepath.Join(home, "gone"), alone, pipe} {
		recent = append(recent, RecentRun{Paths: []string{p}, Opened: opened})
	}
	recent = append(recent, RecentRun{Paths: []string{here, there}, Opened: opened})
	list, _ := findAll(t, FinderOptions{Dir: dir, Home: home, Recent: recent})
	want := map[string]string{"here": "verl step 1", "~/there": "verl step 7", "~/x/alone.jsonl": "jsonl", "here and others": "verl step 1"}
	if diff := cmp.Diff(want, summaries(list)); diff != "" {
		t.Errorf("-want +found\n%s", diff)
	}
	for _, r := range list.Runs() {
		if !r.Opened.Equal(opened) {
			t.Errorf("%s was opened %s", r.Name, r.Opened)
		}
		for _, p := range r.Paths {
			if !filepath.IsAbs(p) {
				p = filepath.Join(dir, p)
			}
			if _, err := os.Stat(p); err != nil {
				t.Error(err)
			}
		}
	}
}

// A run on another node is listed as it was given, and not looked at.
func TestRecentRunElsewhere(t *testing.T) {
	opened := time.Now().Add(-time.Hour)
	list, _ := findAll(t, FinderOptions{Dir: t.TempDir(), Recent: []RecentRun{{Paths: []string{"me@node7:runs/a/"}, Opened: opened}, {Paths: []string{"s3://bucket/b", "/gone"}, Opened: opened}}})
	for i, want := range []string{"me@node7:runs/a/", "s3://bucket/b and others"} {
		if r := list.Runs()[i]; r.Name != want || !r.Opened.Equal(opened) || !r.LastWrite.IsZero() || !r.Elsewhere || r.Paths[0] != strings.TrimSuffix(want, " and others") {
			t.Errorf("%+v", r)
		}
	}
}

// A tree without end is left when the time is over, and what was found until then is shown.
func TestStopsInTime(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, "run", "1.jsonl"), verlRow)
	for i := range 30 {
		for j := range 30 {
			if err := os.MkdirAll(filepath.Join(dir, fmt.Sprint("d", i), fmt.Sprint("e", j)), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	began := time.Now()
	_, looked := findAll(t, FinderOptions{Dir: dir, Time: time.Millisecond})
	if took := time.Since(began); took > 20*time.Second || !looked.Timeout && looked.Entries < 900 {
		t.Errorf("took %s, %+v", took, looked)
	}
}

// Too many entries, and directories that are too deep, are said to be left out.
func TestBoundsAreTold(t *testing.T) {
	dir := t.TempDir()
	deep := dir
	for range 12 {
		deep = filepath.Join(deep, "d")
	}
	filetest.Write(t, filepath.Join(deep, "1.jsonl"), verlRow)
	if list, looked := findAll(t, FinderOptions{Dir: dir}); len(list.Runs()) > 0 || !looked.TooMany {
		t.Errorf("%v, %+v", summaries(list), looked)
	}
	w := &walker{over: context.Background(), here: dir, limit: 5, emit: func(runlist.Run) {}}
	for i := range 20 {
		filetest.Write(t, filepath.Join(dir, "many", fmt.Sprintf("%d.jsonl", i)), verlRow)
	}
	w.below(dir)
	if !w.tooMany.Load() {
		t.Error("a listing beyond its bound is not told of")
	}
}

func TestWithoutNumbers(t *testing.T) {
	for name, want := range map[string]string{
		"12.jsonl":                       "*.jsonl",
		"completions_00045.parquet":      "completions_*.parquet",
		"train_data_step7.jsonl":         "train_data_step*.jsonl",
		"episode_hash23ed668b_idt0.json": "episode_hash*_idt*.json",
		"completions_3_8f14e45fceea.csv": "completions_*_*.csv",
		"facade.jsonl":                   "facade.jsonl",
		"rollouts_a.jsonl":               "rollouts_a.jsonl",
		"":                               "",
	} {
		if got := withoutNumbers(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
