package loaders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"vantage/estimators"
	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/loaders/discover"
	"vantage/loaders/framing"
	"vantage/model"
	"vantage/model/analysis"
)

func TestMain(m *testing.M) { repotest.Run(m) }

func TestOpenErrors(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("empty.jsonl", "")
	w.add("x.parquet", "PAR1\x15\x04")
	w.add("x.bin", "\x7fELF\x02\x01\x01\x00\x00")
	w.add("other/a.txt", "x")
	w.add("other/b.pt", "x")
	w.add("x.pt", "PK\x03\x04 and so on")
	w.add("utf32.jsonl", "\xff\xfe\x00\x00{\x00\x00\x00")
	w.add("a.jsonl.xz", "\xfd7zXZ\x00\x00")
	w.add("a.tar", "a.jsonl"+strings.Repeat("\x00", 250)+"ustar\x0000")
	w.add("train/1.jsonl", row(1, 1))
	w.add("linked/notes.txt", "x")
	_ = os.Symlink(w.path("train"), w.path("linked/rollouts"))
	_ = os.Symlink(w.path("train"), w.path("linked/latest"))
	w.add("events.out.tfevents.1", "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22\x09\x00\x00\x00\x00\x00\x1a\x0dbrain.Event:2")
	if err := os.Mkdir(w.path("none"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		o    Options
		want string
	}{
		{"missing", Options{}, "does not exist: check the path"},
		{"missing", Options{Follow: true}, "does not exist: check the path"},
		{"empty.jsonl", Options{}, "is empty: "},
		{"events.out.tfevents.1", Options{}, "is a TensorBoard file"},
		{"x.bin", Options{}, "is not text: its first bytes are 7f 45 4c 46 02 01 01 00: "},
		{"utf32.jsonl", Options{}, "is text in UTF-32: turn it into UTF-8: iconv -f UTF-32"},
		{"a.jsonl.xz", Options{}, "is packed by xz: unpack it: xz -dk"},
		{"a.tar", Options{}, "is a tar archive: unpack it: tar -xf"},
		{"train", Options{Split: discover.SplitVal}, "holds no logs of validation: --split train reads those of training: 1.jsonl"},
		{"train", Options{Split: discover.SplitVal, Follow: true}, ""},
		{"linked", Options{}, "holds no logs: symbolic links are not followed: rollouts; give where they lead"},
		{"none", Options{}, "holds no logs: verl writes them with trainer.rollout_data_dir=DIR"},
		{"other", Options{}, "it has 2 other files (.pt .txt); of .pt files only slime's and miles' rollouts are read, {rollout_id}.pt; verl"},
		{"empty.jsonl", Options{Format: "nope"}, "--input-format nope names no format: take one of verl, "},
		{"empty.jsonl", Options{Follow: true}, ""},
		{"none", Options{Follow: true}, ""},
	} {
		s, err := Open([]string{w.path(c.path)}, c.o)
		var e *Error
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.path, err)
		case c.want == "":
			_ = s.Close()
		case err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &e):
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
	}
}

func TestOpenForbidden(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 1))
	_ = os.Chmod(w.path("1.jsonl"), 0)
	if _, err := Open([]string{w.path("1.jsonl")}, Options{}); err == nil || !strings.Contains(err.Error(), "may not be read") {
		t.Error(err)
	}
}

// A followed directory without logs notes what else is in it.
func TestFollowedDirectoryNotesUnreadableFiles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.add("model/optimizer.pt", "PK")
		w.add("events.out.tfevents.17.node", "")
		w.add("step_1/train_trajectories.jsonl.zip", "PK")
		_ = os.Symlink("/", w.path("rollouts"))
		r := follow(t, w.dir, Options{polling: true})
		r.until("the notes", func(r *follower) bool { return len(r.Notes) > 0 })
		want := []string{
			"symbolic links are not followed: rollouts; give where they lead, or the links themselves",
			"of .pt files only slime's and miles' rollouts are read, {rollout_id}.pt",
			"TensorBoard's files hold averages of steps",
			"a .zip is not read, as Agent-Lightning's, so unpack it",
		}
		if !slices.Equal(r.Notes, want) {
			t.Errorf("%q", r.Notes)
		}
		w.add("model/scheduler.pt", "PK")
		r.expectNothing(5 * time.Second)
	})
}

// A directory that may not be listed is noted.
func TestForbiddenDirectoryIsNoted(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may list everything")
	}
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 1))
	w.add("more/2.jsonl", row(2, 2))
	_ = os.Chmod(w.path("more"), 0)
	defer func() { _ = os.Chmod(w.path("more"), 0o755) }()
	if got := readAll(t, w.dir); got.rewards() != "1" || !slices.Contains(got.Notes, "no permission to list more: ask its owner for it") {
		t.Error(got.rewards(), got.Notes)
	}
}

func TestDirectoryOrder(t *testing.T) {
	w := trainer{t, t.TempDir()}
	for _, n := range []int{10, 2, 1, 100, 9} {
		w.add(fmt.Sprintf("%d.jsonl", n), row(n, float64(n)))
	}
	w.add("sub/3.ndjson", row(3, 3))
	w.add("a.jsonl.swp", "x")
	w.add(".git/4.jsonl", row(4, 4))
	outside := t.TempDir()
	trainer{t, outside}.add("secret.jsonl", row(5, 5))
	_ = os.Symlink(outside, w.path("link"))
	_ = os.Symlink(filepath.Join(outside, "secret.jsonl"), w.path("5.jsonl"))
	got := readAll(t, w.dir)
	if got.rewards() != "1 2 9 10 100 3" {
		t.Error(got.rewards(), got.Files)
	}
	if !got.Progress.CaughtUp || got.Progress.Open || got.Progress.BytesRead != got.Progress.BytesAll || got.Progress.Files != 6 {
		t.Errorf("%+v", got.Progress)
	}
	for i, r := range got.Records {
		if int(r.File) != i || r.Line != 1 {
			t.Errorf("record %d: file %d line %d", i, r.File, r.Line)
		}
	}
}

// Links that are not followed are noted, and that validation is read where there is no training.
func TestSkippedFilesAreNoted(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("run/1.jsonl", row(1, 1))
	_ = os.Symlink(w.path("run"), w.path("run/more"))
	_ = os.Symlink(w.path("run/1.jsonl"), w.path("run/2.jsonl"))
	_ = os.Symlink(w.path("run/1.jsonl"), w.path("run/latest.jsonl"))
	_ = os.Symlink(w.path("run/1.jsonl"), w.path("run/debug.log"))
	w.add("evals/1.jsonl", row(1, 1))
	for _, c := range []struct{ path, want string }{
		{"run", "symbolic links are not followed: 2.jsonl and 1 more; give where they lead, or the links themselves"},
		{"", "symbolic links are not followed: run/2.jsonl and 1 more; give where they lead, or the links themselves; validation is not read: evals/1.jsonl; --split val reads it instead"},
		{"run/latest.jsonl", ""},
	} {
		if got := strings.Join(readAll(t, w.path(c.path)).Notes, "; "); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q: %q, want %q", c.path, got, c.want)
		}
	}
	only := trainer{t, t.TempDir()}
	only.add("evals/1.jsonl", row(1, 1))
	if got := strings.Join(readAll(t, only.dir).Notes, "; "); got != "training: as long as there is none, validation is read" {
		t.Error(got)
	}
}

func TestSeveralPaths(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("a/1.jsonl", row(1, 1))
	w.add("b/1.jsonl", row(1, 2))
	got := readAll(t, w.path("a"), w.path("b"), w.path("a/1.jsonl"))
	if got.rewards() != "1 2" || got.Files[0] != w.path("a/1.jsonl") || got.Files[1] != w.path("b/1.jsonl") {
		t.Error(got.rewards(), got.Files)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	deep := strings.Repeat("d/", discover.MaxDepth+1)
	w.add(deep+"1.jsonl", row(1, 1))
	w.add(strings.Repeat("d/", discover.MaxDepth)+"2.jsonl", row(2, 2))
	for n := range 5 {
		w.add(fmt.Sprintf("x/%d.jsonl", n), row(n, float64(n)))
	}
	s := open(t, Options{MaxFiles: 4}, w.dir)
	got := drain(t, s)
	if got.rewards() != "2 0 1 2" || len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Reason, "at most 4 files, 8 directories deep") {
		t.Error(got.rewards(), got.Problems)
	}
}

func TestBadLines(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", "\xef\xbb\xbf"+row(1, 1)+"{\"input\": \x1b]0;evil\x07\n"+"{\"x\":1}\n\r\n"+strings.ReplaceAll(row(1, 2), "\n", "\r\n")+`{"input":"q","out`)
	got := readAll(t, w.path("1.jsonl"))
	want := []model.Problem{
		{File: "1.jsonl", Line: 2, Reason: `column 11: "\x1b]0;evil\a" where a value should be`},
		{File: "1.jsonl", Line: 3, Reason: "not a sample: the row has no reward, prompt or response"},
		{File: "1.jsonl", Line: 6, Reason: `incomplete last line: column 18: the line ends where a closing quote should be`},
	}
	if got.rewards() != "1 2" || got.Skipped != 3 || fmt.Sprint(got.Problems) != fmt.Sprint(want) {
		t.Errorf("%s, %d skipped\n got %v\nwant %v", got.rewards(), got.Skipped, got.Problems, want)
	}
	if got.Records[1].Line != 5 {
		t.Errorf("line %d", got.Records[1].Line)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	w := trainer{t, t.TempDir()}
	for n := range 15 {
		w.add(fmt.Sprintf("%d.jsonl", n), row(n, 1)+strings.Repeat("bad\n", 200)+row(n, 2))
	}
	got := readAll(t, w.dir)
	if len(got.Records) != 30 || got.Skipped != 3000 || len(got.Problems) != 1000 {
		t.Errorf("%d records, %d skipped, %d problems", len(got.Records), got.Skipped, len(got.Problems))
	}
	of := map[string]int{}
	for _, p := range got.Problems {
		of[p.File]++
	}
	if of["0.jsonl"] != 100 {
		t.Errorf("%d problems of one file", of["0.jsonl"])
	}
}

func TestNotJSON(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("1.log", strings.Repeat("INFO step\n", 500))
	got := readAll(t, w.path("1.log"))
	if n := len(got.Problems); n != 51 || !strings.Contains(got.Problems[50].Reason, "none of its first 50 lines is a JSON object") || got.Skipped != 50 {
		t.Error(n, got.Skipped, got.Problems)
	}
}

func TestManyRows(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	var b strings.Builder
	for n := range 20_000 {
		b.WriteString(row(n/1000, float64(n)))
	}
	w.add("1.jsonl", b.String())
	got := readAll(t, w.path("1.jsonl"))
	if len(got.Records) != 20_000 || got.chunks < 5 {
		t.Fatalf("%d records in %d chunks", len(got.Records), got.chunks)
	}
	for n, r := range got.Records {
		if r.Reward != float64(n) || r.Line != int64(n+1) {
			t.Fatalf("record %d: %+v", n, r)
		}
	}
}

// A chunk has one format and one unit of lengths. Averages next to samples are not left out: the diagnosis reads them.
func TestMixedDirectory(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 1))
	w.add("2.jsonl", `{"gen_step":2,"reward":2,"response_length":7,"prompt":"p","completion":"c"}`+"\n")
	w.add("empty.jsonl", "")
	w.add("metrics.jsonl", `{"step":1,"data":{"loss":1}}`+"\n")
	s := open(t, Options{}, w.dir)
	var kinds []string
	var got collected
	for {
		c, err := s.Next(t.Context())
		if err != nil {
			break
		}
		got.add(t, c)
		if len(c.Records) > 0 {
			kinds = append(kinds, fmt.Sprint(c.Format, " ", int(c.LengthUnit), c.Positional, c.HasTruth, len(c.Records)))
		}
	}
	if want := "[verl 2 false true 1 ms-swift-ray 1 true false 1]"; fmt.Sprint(kinds) != want {
		t.Error(kinds)
	}
	if len(got.Problems) != 1 || got.Problems[0].Reason != "it is empty" || len(got.Notes) > 0 {
		t.Error(got.Problems, got.Notes)
	}
}

// Reading needs no permission to write, and leaves a directory as it was.
func TestNothingIsWritten(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 1))
	_ = os.Chmod(w.path("1.jsonl"), 0o444)
	_ = os.Chmod(w.dir, 0o555)
	defer func() { _ = os.Chmod(w.dir, 0o755) }()
	if got := readAll(t, w.dir); got.rewards() != "1" {
		t.Error(got.rewards())
	}
	if entries, _ := os.ReadDir(w.dir); len(entries) != 1 {
		t.Error(entries)
	}
}

func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "1.jsonl")
	var text strings.Builder
	for n := range 5000 {
		fmt.Fprintf(&text, "{\"input\": \"system\\nS\\nuser\\nquestion %d\\nassistant\\n\", \"output\": %q, \"gts\": \"%d\", \"score\": 0.5, \"step\": 1}\n",
			n/16, strings.Repeat("First, compute this and that.\n", 120), n/16)
	}
	filetest.Write(b, path, text.String())
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		s, err := Open([]string{path}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = s.Next(b.Context())
		}
		_ = s.Close()
	}
}

// Close may be called at any time, also while the next chunk of a packed file is read in the background.
func TestCloseWhileReading(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rollouts.jsonl.gz")
	h, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(h)
	for step := range 400 {
		if _, err := packed.Write([]byte(verlStep(step, 50))); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		s, err := Open([]string{path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// collected is all that a source has returned.
type collected struct {
	model.Chunk
	chunks int
}

// drain reads a source to its end.
func drain(t *testing.T, s *Source) collected {
	t.Helper()
	var got collected
	for {
		c, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		got.add(t, c)
	}
}

// snapshotOf reads a source to its end into a store.
func snapshotOf(t *testing.T, s *Source) model.Snapshot {
	t.Helper()
	store := model.NewStore()
	for {
		c, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return store.Snapshot()
		}
		if err != nil {
			t.Fatal(err)
		}
		store.Append(c)
	}
}

func (a *collected) add(t *testing.T, c *model.Chunk) {
	t.Helper()
	if len(c.Records) > maxRecords {
		t.Fatalf("a chunk of %d records", len(c.Records))
	}
	for i := range c.Blocks {
		c.Records = append(c.Records, c.Blocks[i].Records()...)
	}
	for _, f := range c.Forget {
		kept := a.Records[:0]
		for _, r := range a.Records {
			if r.File != f {
				kept = append(kept, r)
			}
		}
		a.Records = kept
	}
	records, problems, skipped := append(a.Records, c.Records...), append(a.Problems, c.Problems...), a.Skipped+c.Skipped
	forget, notes := append(a.Forget, c.Forget...), append(a.Notes, c.Notes...)
	evaluation := a.Evaluation
	if c.Evaluation != nil {
		evaluation = c.Evaluation
	}
	a.Chunk = *c
	a.Records, a.Problems, a.Skipped, a.Forget, a.Notes, a.Evaluation = records, problems, skipped, forget, notes, evaluation
	a.chunks++
}

// open opens logs; the end of the test closes them.
func open(tb testing.TB, o Options, paths ...string) *Source {
	tb.Helper()
	s, err := Open(paths, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func readAll(t *testing.T, paths ...string) collected {
	t.Helper()
	return drain(t, open(t, Options{}, paths...))
}

// Sample logs give the figures that Python's json gives.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		path, format  string
		rows, prompts int
		sum           float64 // of the rewards that are numbers
		nan, missing  int
		problems      []string // prefixes
		unit          model.LengthUnit
	}{
		{path: "verl/SYNTHETIC_v0_dapo/rollout_data", format: "verl", rows: 48, prompts: 4, sum: 13, nan: 1, unit: model.LengthCharacters},
		{path: "verl/SYNTHETIC_v1/rollout_data", format: "verl", rows: 32, prompts: 4, sum: 14, unit: model.LengthCharacters},
		{path: "verl/verl_dev_1.jsonl", format: "verl", rows: 128, prompts: 128, sum: 2, unit: model.LengthCharacters},
		{path: "verl/file_logger", problems: []string{"metrics only, no samples"}},
		{path: "easyr1/SYNTHETIC_ckpt", format: "easyr1", rows: 16, prompts: 2, sum: 12, unit: model.LengthCharacters},
		{path: "tinker-cookbook/joanvelja_qwen3-30b", problems: []string{"metrics only, no samples"}},
		{path: "ms-swift/SYNTHETIC_hf", format: "ms-swift", rows: 48, prompts: 4, sum: 77, unit: model.LengthCharacters},
		{path: "roll", format: "roll", rows: 32, prompts: 4, sum: 17, unit: model.LengthCharacters},
		{path: "ms-swift/SYNTHETIC_ray", format: "ms-swift-ray", rows: 32, prompts: 4, sum: 19, unit: model.LengthCharacters},
		{path: "open-instruct", format: "open-instruct", rows: 32, sum: 230, unit: model.LengthTokens},
		{path: "prime-rl/hosted_training_samples/h4y9hb6fjom4xfbclitb2938/results.jsonl", format: "prime-hosted", rows: 16, prompts: 1, sum: 4, unit: model.LengthCharacters},
		{path: "tinker-cookbook/SYNTHETIC", format: "tinker", rows: 48, sum: 25, unit: model.LengthTokens},
		{path: "verifiers/wordle--gpt-4.1-mini", format: "verifiers", rows: 15, prompts: 5, sum: 28.2152380954, unit: model.LengthCharacters},
		{path: "verifiers/gsm8k--gpt-4.1-mini", format: "verifiers", rows: 150, prompts: 50, sum: 0, unit: model.LengthCharacters},
	} {
		t.Run(c.path, func(t *testing.T) {
			got := readAll(t, repotest.SampleLog(t, c.path))
			sum, nan, missing := 0.0, 0, 0
			prompts := map[uint64]bool{}
			for _, r := range got.Records {
				switch {
				case estimators.IsMissing(r.Reward):
					missing++
				case math.IsNaN(r.Reward):
					nan++
				default:
					sum += r.Reward
				}
				if r.Prompt != 0 {
					prompts[r.Prompt] = true
				}
			}
			if len(got.Records) != c.rows || len(prompts) != c.prompts || math.Abs(sum-c.sum) > 1e-9 || nan != c.nan || missing != c.missing {
				t.Errorf("%d rows, %d prompts, sum %v, %d NaN, %d missing; want %d, %d, %v, %d, %d",
					len(got.Records), len(prompts), sum, nan, missing, c.rows, c.prompts, c.sum, c.nan, c.missing)
			}
			if got.Format != c.format || got.LengthUnit != c.unit {
				t.Errorf("format %q unit %d, want %q %d", got.Format, got.LengthUnit, c.format, c.unit)
			}
			if len(got.Problems) != len(c.problems) {
				t.Fatalf("problems %v, want %q", got.Problems, c.problems)
			}
			for i, p := range got.Problems {
				if !strings.HasPrefix(p.Reason, c.problems[i]) {
					t.Errorf("problem %q, want %q", p.Reason, c.problems[i])
				}
			}
			t.Log(got.Provenance, got.Files)
		})
	}
}

// The whole folder of sample logs is read without a panic.
func TestAllSamples(t *testing.T) {
	got := readAll(t, repotest.SampleLog(t, "."))
	if len(got.Records) < 700 {
		t.Errorf("%d rows of all samples", len(got.Records))
	}
	for _, p := range got.Problems {
		t.Log(p)
	}
}

// compareCollected compares all that is read of one log in two ways, but for the file's name,
// the lines and components without a value.
func compareCollected(t *testing.T, want, got collected) {
	t.Helper()
	if diff := cmp.Diff(want.Problems, got.Problems, cmpopts.IgnoreFields(model.Problem{}, "File")); diff != "" {
		t.Errorf("problems: -want +got\n%.2000s", diff)
	}
	if len(want.Records) != len(got.Records) || want.Skipped != got.Skipped || want.Provenance != got.Provenance {
		t.Fatalf("%d samples, %d skipped, %q; want %d, %d, %q", len(got.Records), got.Skipped, got.Provenance, len(want.Records), want.Skipped, want.Provenance)
	}
	for i := range want.Records {
		want, got := withoutEmptyComponents(want.Records[i]), withoutEmptyComponents(got.Records[i])
		if !cmp.Equal(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(model.Record{}, "Line")) {
			t.Fatalf("sample %d: -want +got\n%s", i, cmp.Diff(want, got, cmpopts.EquateNaNs()))
		}
	}
}

// A followed file holds little of what was read of it: 4 KB, and 40 bytes a sample.
func TestFollowedFilesHoldLittleMemory(t *testing.T) {
	const files, rows, text = 200, 40, 4000
	dir := t.TempDir()
	for n := range files {
		var b strings.Builder
		for i := range rows {
			fmt.Fprintf(&b, `{"step": %d, "prompt": "question %d", "response": "%s", "reward": 1}`+"\n", n, i/8, strings.Repeat("x", text))
		}
		filetest.Write(t, filepath.Join(dir, fmt.Sprintf("%d.jsonl", n)), b.String())
	}
	before := heap()
	s := open(t, Options{Follow: true}, dir)
	store, samples := model.NewStore(), 0
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for samples < files*rows {
		chunk, err := s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		store.Append(chunk)
		samples = store.Snapshot().Rows
	}
	const shared = 3 << 20 // buffers and workers, however many files there are
	if held := heap() - before; held > files*4<<10+samples*40+shared {
		t.Errorf("%d files of %d bytes with %d samples hold %d bytes", files, rows*text, samples, held)
	}
	runtime.KeepAlive(store)
}

// heap returns the bytes that are in use.
func heap() int {
	runtime.GC()
	runtime.GC() // what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Where memory runs out, reading ends with a sentence, and what was read stays.
func TestReadingStopsAtTheMemoryLimit(t *testing.T) {
	repotest.OneGoroutine(t)
	w := trainer{t, t.TempDir()}
	for n := range 40 {
		w.add(fmt.Sprintf("%d.jsonl", n), strings.Repeat(row(n, 1), 40_000))
	}
	for _, following := range []bool{false, true} {
		debug.FreeOSMemory() // else what other tests took is there to be used again, and is not counted
		s, err := Open([]string{w.dir}, Options{Follow: following, MemoryLimit: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		store := model.NewStore()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		for !strings.Contains(fmt.Sprint(err, store.Snapshot().Run.Notes), "the system leaves no more") {
			var chunk *model.Chunk
			if chunk, err = s.Next(ctx); err == nil {
				store.Append(chunk)
			} else if following || ctx.Err() != nil {
				t.Fatal(err)
			}
		}
		if rows := store.Snapshot().Rows; rows == 0 || rows == 40*40_000 {
			t.Errorf("following %t: %d rows were read", following, rows)
		}
		cancel()
		_ = s.Close()
	}
}

// BenchmarkFollowedMemory measures the bytes per row of a log that grows by 1,000 rows at a time, beside
// the texts of its prompts, which repeat.
func BenchmarkFollowedMemory(b *testing.B) {
	const pieces, rows, stepRows, prompts = 300, 1000, 8192, 1000
	path := filepath.Join(b.TempDir(), "1.jsonl")
	log, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	s := open(b, Options{Follow: true}, path)
	store, samples, written := model.NewStore(), 0, 0
	grow := func() {
		var text strings.Builder
		for range rows {
			prompt := written / 8 % prompts
			fmt.Fprintf(&text, `{"step": %d, "group_id": %d, "prompt": "question %d", "reward": 0.%d, "length": %d}`+"\n", written/stepRows, prompt, prompt, written%10, written%4096)
			written++
		}
		if _, err := log.WriteString(text.String()); err != nil {
			b.Fatal(err)
		}
		for samples < written {
			chunk, err := s.Next(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			store.Append(chunk)
			samples = store.Snapshot().Rows
		}
	}
	for range prompts * 8 / rows {
		grow()
	}
	for b.Loop() {
		before, first := heap(), samples
		for range pieces {
			grow()
		}
		b.ReportMetric(float64(heap()-before)/float64(samples-first), "B/row")
	}
	runtime.KeepAlive(store)
}

// Values that no trainer means to write are read as JSON and Python do, or reported.
func TestUnusualValues(t *testing.T) {
	repotest.OneGoroutine(t)
	others := `"prompt": "q", "response": "r", "answer": "a"}`
	for name, c := range map[string]struct {
		line   string
		reward float64
		bad    string // the reason of the problem, if the row is refused
	}{
		"invalid UTF-8 is text":            {`{"reward": 1, "id": "` + "\xff\xfe" + `", ` + others, 1, ""},
		"a lone surrogate is text":         {`{"reward": 1, "id": "\ud800", ` + others, 1, ""},
		"of a key twice the last counts":   {`{"reward": 1, "reward": 0.5, ` + others, 0.5, ""},
		"beyond a float is infinite":       {`{"reward": 1e999, ` + others, math.Inf(1), ""},
		"below a float is zero":            {`{"reward": 1e-999, ` + others, 0, ""},
		"a number as text counts":          {`{"reward": "0.25", ` + others, 0.25, ""},
		"Python's NaN is missing":          {`{"reward": NaN, ` + others, math.NaN(), ""},
		"an object is no reward":           {`{"reward": {"mean": 1}, ` + others, math.NaN(), ""},
		"null is no reward":                {`{"reward": null, ` + others, math.NaN(), ""},
		"a step beyond an integer":         {`{"reward": 1, "step": 1e300, ` + others, 1, ""},
		"raw control bytes in a text":      {"{\"reward\": 1, \"id\": \"\x1b]0;x\x07\", " + others, 1, ""},
		"single quotes are Python's":       {`{'reward': 1, ` + others, 0, "where a key should be"},
		"a list is no row":                 {`[1, 2]`, 0, "where an object should be"},
		"a million fields":                 {`{` + strings.Repeat(`"k": 1, `, 1_000_000) + others, 0, "fields"},
		"a million brackets":               {`{"reward": ` + strings.Repeat("[", 1_000_000), 0, "levels of nesting"},
		"something after the row":          {`{"reward": 1, ` + others + `}`, 0, "nothing more"},
		"a number that JSON does not have": {`{"reward": 0x10, ` + others, 0, "should be"},
	} {
		t.Run(name, func(t *testing.T) {
			w := trainer{t, t.TempDir()}
			first, last := `{"reward": 7, `+others, `{"reward": 8, `+others
			w.add("x.jsonl", first+"\n"+c.line+"\n"+last+"\n")
			got := readAll(t, w.path("x.jsonl"))
			if c.bad != "" {
				if got.rewards() != "7 8" || len(got.Problems) != 1 || got.Problems[0].Line != 2 || !strings.Contains(got.Problems[0].Reason, c.bad) {
					t.Errorf("rewards %s, problems %v", got.rewards(), got.Problems)
				}
				return
			}
			if len(got.Records) != 3 || len(got.Problems) != 0 {
				t.Fatalf("rewards %s, problems %v", got.rewards(), got.Problems)
			}
			if x := got.Records[1].Reward; x != c.reward && (x == x || c.reward == c.reward) {
				t.Errorf("reward %v, want %v", x, c.reward)
			}
		})
	}
}

// A line over the limit is left out, and what follows it is read.
func TestTooLongLineIsSkipped(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/x.jsonl"
	h, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.WriteString(row(1, 1) + `{"input": "`)
	end, seekErr := h.Seek(framing.MaxLine, io.SeekCurrent) // a hole: no disk is filled
	_, writeErr := h.WriteString("\"}\n" + row(1, 2))
	if err := errors.Join(err, seekErr, writeErr, h.Close()); err != nil {
		t.Fatal(err)
	}
	got := readAll(t, path)
	if got.rewards() != "1 2" || len(got.Problems) != 1 || got.Problems[0].Line != 2 || !strings.Contains(got.Problems[0].Reason, "is not read: the limit is 67108864") {
		t.Errorf("rewards %s, problems %v, of %d bytes", got.rewards(), got.Problems, end)
	}
}

// A file of a few kilobytes that decompresses to gigabytes is read up to its limit.
func TestDecompressionBombIsStopped(t *testing.T) {
	repotest.Slow(t)
	t.Parallel()
	if raceEnabled {
		t.Skip("takes long")
	}
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	blank := e.EncodeAll(bytes.Repeat(append(bytes.Repeat([]byte{' '}, 1<<20-1), '\n'), 50), nil)
	packed := append(e.EncodeAll([]byte(row(1, 1)), nil), bytes.Repeat(blank, 24)...)
	w := trainer{t, t.TempDir()}
	w.add("x.jsonl.zst", string(packed))
	got := readAll(t, w.path("x.jsonl.zst"))
	if got.rewards() != "1" || len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Reason, "unpacks to more than 200 times its size") {
		t.Errorf("rewards %s, problems %v, %d bytes packed", got.rewards(), got.Problems, len(packed))
	}
}

// Symbolic links in a directory are not followed, neither in circles nor out of it.
func TestSymbolicLinksAreNotFollowed(t *testing.T) {
	w, elsewhere := trainer{t, t.TempDir()}, trainer{t, t.TempDir()}
	w.add("1.jsonl", row(1, 1))
	elsewhere.add("secret.jsonl", row(1, 9))
	for name, to := range map[string]string{
		"loop": ".", "out": elsewhere.dir, "2.jsonl": elsewhere.path("secret.jsonl"), "up": "..", "self.jsonl": "self.jsonl",
	} {
		if err := os.Symlink(to, w.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := readAll(t, w.dir); got.rewards() != "1" || len(got.Problems) != 0 {
		t.Errorf("rewards %s, problems %v", got.rewards(), got.Problems)
	}
}

// AReaL writes thousands of small files.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("takes long")
	}
	w := trainer{t, t.TempDir()}
	const steps, tasks = 60, 25
	for step := range steps {
		if err := os.Mkdir(w.path(fmt.Sprint(step)), 0o755); err != nil {
			t.Fatal(err)
		}
		for task := range tasks {
			filetest.Write(t, w.path(fmt.Sprintf("%d/%d.jsonl", step, task)), row(step, float64(task)))
		}
	}
	got := readAll(t, w.dir)
	if len(got.Records) != steps*tasks || len(got.Problems) != 0 || got.Records[0].Step != 0 || got.Records[steps*tasks-1].Step != steps-1 {
		t.Errorf("%d samples, problems %v", len(got.Records), got.Problems)
	}
}

// A file that shrinks while it is read is read again.
func TestFileShrinksWhileRead(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add("1.jsonl", strings.Repeat(row(1, 1), 200_000))
	r := follow(t, w.path("1.jsonl"), Options{})
	c, err := r.s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.add(t, c)
	w.replace("1.jsonl", row(1, 5)+row(1, 6))
	r.until("what is left", hasRewards("5 6"))
	if len(r.Problems) != 0 {
		t.Error(r.Problems)
	}
}

// A dump of 64 prompts with 16 responses each, in shuffled rows, groups by prompt.
func TestReorderedDumpGroupsByPrompt(t *testing.T) {
	var rows []string
	for n := range 64 * 16 {
		at := n * 389 % (64 * 16) // a permutation: 389 is odd
		rows = append(rows, fmt.Sprintf(`{"input":"user\nquestion %d\nassistant\n","output":"o","gts":"%d","score":%d,"step":3}`+"\n", at/16, at/16, at%2))
	}
	w := trainer{t, t.TempDir()}
	w.add("3.jsonl", strings.Join(rows, ""))
	s := open(t, Options{}, w.dir)
	snap, set := snapshotOf(t, s), model.DefaultSettings()
	a, err := analysis.Analyze(context.Background(), snap, 0, set)
	if err != nil {
		t.Fatal(err)
	}
	if by, err := snap.Grouping(set); err != nil || a.Groups != 64 || by.By != model.GroupByPrompt {
		t.Fatalf("%d groups, %s, %v", a.Groups, by.Evidence, err)
	}
	for _, g := range a.Table {
		if g.Size() != 16 || g.RewardMean != 0.5 {
			t.Errorf("group %s: %d samples, mean %v", g.Name, g.Size(), g.RewardMean)
		}
	}
}

// A row without a prompt or id, or without a step, is skipped if others have one, read by one or several workers:
// with it no row would have a group, or the run would begin anew.
func TestRowWithoutGroupOrStepIsSkipped(t *testing.T) {
	t.Parallel()
	const bare = `{"reward":1,"output":"o","step":1}` + "\n"
	many := strings.Repeat(row(1, 1), 50_000)
	torn := strings.Replace(row(1, 1), `"step":1`, `"step":null`, 1)
	type tableRow struct {
		Step   *int64  `parquet:"step,optional"`
		Prompt *string `parquet:"prompt,optional"`
		Reward float64 `parquet:"reward"`
	}
	table := func(rows ...tableRow) string {
		var b bytes.Buffer
		if err := parquet.Write(&b, rows, parquet.DataPageVersion(2)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	step, prompt := int64(3), "q"
	for name, c := range map[string]struct {
		file, log string
		rows      int
		problem   string
	}{
		"among others":       {"1.jsonl", row(1, 1) + bare + strings.Replace(row(1, 1), `"q"`, `""`, 1) + row(1, 2), 2, "1.jsonl:2: no prompt: the rows before it have one"},
		"of many":            {"1.jsonl", many + bare + many + strings.Replace(row(1, 1), `"q"`, `""`, 1), 100_000, "1.jsonl:50001: no prompt"},
		"in a table":         {"a.csv", "prompt,reward\nq,1\n,1\nq,0\n", 2, "a.csv:3: no prompt"},
		"without groups":     {"1.jsonl", bare + bare, 2, ""},
		"with an id":         {"a.jsonl", `{"prompt":"q","uid":"u","reward":1}` + "\n" + `{"uid":"u","reward":1}` + "\n", 2, ""},
		"no step":            {"a.jsonl", row(1, 3) + torn + row(1, 4), 2, "a.jsonl:2: no step: the rows before it have a whole number there"},
		"no step of many":    {"a.jsonl", many + torn + many, 100_000, "a.jsonl:50001: no step"},
		"step of the name":   {"7.jsonl", strings.ReplaceAll(row(1, 7), `"step":1`, `"step":7`) + torn, 2, ""},
		"no step in a table": {"a.csv", "prompt,reward,step\nq,1,3\nq,1,1e30\nq,0,3\n", 2, "a.csv:3: no step"},
		"no step in Parquet": {"a.parquet", table(tableRow{&step, &prompt, 1}, tableRow{nil, &prompt, 1}, tableRow{&step, &prompt, 0}), 2, "a.parquet:2: no step"},
		"no prompt there":    {"a.parquet", table(tableRow{&step, &prompt, 1}, tableRow{&step, &prompt, 0}, tableRow{&step, nil, 1}), 2, "a.parquet:3: no prompt"},
		"no step anywhere":   {"a.parquet", table(tableRow{nil, &prompt, 1}, tableRow{nil, &prompt, 1}), 2, ""},
		"several a line":     {"a.jsonl", `{"samples":[{"prompt":"q","reward":1},{"reward":2}]}` + "\n", 2, ""},
	} {
		w := trainer{t, t.TempDir()}
		w.add(c.file, c.log)
		got := readAll(t, w.path(c.file))
		problem := ""
		if len(got.Problems) > 0 {
			problem = got.Problems[0].String()
		}
		if len(got.Records) != c.rows || !strings.HasPrefix(problem, c.problem) || (problem == "") != (c.problem == "") {
			t.Errorf("%s: %d rows, want %d; %q", name, len(got.Records), c.rows, problem)
		}
	}
}
