package loaders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"vantage/loaders/framing"
	"vantage/model"
	"vantage/model/analysis"
)

// Values that no trainer means to write are read as JSON and Python do, or reported.
func TestUnusualValues(t *testing.T) {
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
		"single quotes are Python's":       {`{'reward': 1, ` + others, 0, "stands where a key should be"},
		"a list is no row":                 {`[1, 2]`, 0, "stands where an object should be"},
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
	const steps, tasks = 180, 25
	for step := range steps {
		if err := os.Mkdir(w.path(fmt.Sprint(step)), 0o755); err != nil {
			t.Fatal(err)
		}
		for task := range tasks {
			if err := os.WriteFile(w.path(fmt.Sprintf("%d/%d.jsonl", step, task)), []byte(row(step, float64(task))), 0o600); err != nil {
				t.Fatal(err)
			}
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
	s, err := Open([]string{w.dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
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

// A row without a prompt or id is skipped if others have one, read by one or several workers:
// with it no row would have a group.
func TestRowWithoutGroupIsSkipped(t *testing.T) {
	t.Parallel()
	const bare = `{"reward":1,"output":"o","step":1}` + "\n"
	many := strings.Repeat(row(1, 1), 50_000)
	for name, c := range map[string]struct {
		file, log string
		rows      int
		problem   string
	}{
		"among others":   {"1.jsonl", row(1, 1) + bare + strings.Replace(row(1, 1), `"q"`, `""`, 1) + row(1, 2), 2, "1.jsonl:2: no prompt: the rows before it have one"},
		"of many":        {"1.jsonl", many + bare + many + strings.Replace(row(1, 1), `"q"`, `""`, 1), 100_000, "1.jsonl:50001: no prompt"},
		"in a table":     {"a.csv", "prompt,reward\nq,1\n,1\nq,0\n", 2, "a.csv:3: no prompt"},
		"without groups": {"1.jsonl", bare + bare, 2, ""},
		"with an id":     {"a.jsonl", `{"prompt":"q","uid":"u","reward":1}` + "\n" + `{"uid":"u","reward":1}` + "\n", 2, ""},
		"several a line": {"a.jsonl", `{"samples":[{"prompt":"q","reward":1},{"reward":2}]}` + "\n", 2, ""},
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
