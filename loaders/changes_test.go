package loaders

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vantage/internal/testkit/filetest"

	"github.com/parquet-go/parquet-go"
)

// swiftLine returns a line of ms-swift's completions.jsonl: for each pair of a step and a
// question, four responses with rewards of the question's own.
func swiftLine(blocks ...[2]int) string {
	var steps, prompts, completions, rewards []string
	for _, b := range blocks {
		for n := range 4 {
			steps = append(steps, fmt.Sprintf(`"%d"`, b[0]))
			prompts = append(prompts, fmt.Sprintf(`"q%d"`, b[1]))
			completions = append(completions, `"a"`)
			rewards = append(rewards, fmt.Sprint(10*b[1]+n))
		}
	}
	list := func(values []string) string { return "[" + strings.Join(values, ",") + "]" }
	return `{"step":` + list(steps) + `,"prompt":` + list(prompts) + `,"completion":` + list(completions) + `,"Accuracy":` + list(rewards) + "}\n"
}

// Rows that a trainer logged twice count once: under another step, under the same one, before
// new rows, and in tables that grow.
func TestRepeatedRowsCountOnce(t *testing.T) {
	t.Parallel()
	table := func(steps ...int) string {
		var rows []string
		for _, s := range steps {
			for n := range 2 {
				rows = append(rows, fmt.Sprintf(`[%d,"q","a",%d]`, s, 10*s+n))
			}
		}
		return `{"columns":["step","prompt","completion","fmt_reward"],"data":[` + strings.Join(rows, ",") + "]}"
	}
	for name, c := range map[string]struct {
		files      map[string]string
		want, note string
	}{
		"another step":                       {map[string]string{"completions.jsonl": swiftLine([2]int{1, 1}) + swiftLine([2]int{2, 1})}, "10 11 12 13", "for step 2 are those of step 1"},
		"the same step":                      {map[string]string{"completions.jsonl": swiftLine([2]int{1, 1}) + swiftLine([2]int{1, 1})}, "10 11 12 13", "ms-swift logged again for the same step"},
		"with new rows":                      {map[string]string{"completions.jsonl": swiftLine([2]int{1, 1}) + swiftLine([2]int{1, 1}, [2]int{2, 2})}, "10 11 12 13 20 21 22 23", "for the same step"},
		"other rewards":                      {map[string]string{"completions.jsonl": swiftLine([2]int{1, 1}) + strings.ReplaceAll(swiftLine([2]int{1, 1}), "10,", "9,")}, "10 11 12 13 9 11 12 13", ""},
		"other responses of the same length": {map[string]string{"completions.jsonl": swiftLine([2]int{1, 1}) + strings.ReplaceAll(swiftLine([2]int{2, 1}), `"a"`, `"b"`)}, "10 11 12 13 10 11 12 13", ""},
		"growing tables":                     {map[string]string{"media/table/a_1.table.json": table(1), "media/table/a_2.table.json": table(1, 2)}, "10 11 20 21", "wandb-table logged again"},
		"alike by chance": {
			map[string]string{"a_1.table.json": `{"columns":["step","prompt","completion","fmt_reward"],"data":[[1,"q","a",1],[2,"q","a",1],[1,"q","a",1]]}`},
			"1 1 1", "",
		},
	} {
		w := trainer{t, t.TempDir()}
		for file, text := range c.files {
			w.add(file, text)
		}
		got := readAll(t, w.dir)
		if notes := strings.Join(got.Notes, "\n"); got.rewards() != c.want || !strings.Contains(notes, c.note) || (c.note == "") != (notes == "") {
			t.Errorf("%s: rewards %s, want %s; notes %q", name, got.rewards(), c.want, notes)
		}
	}
}

// Tables with other responses are no repetition, read by columns or by rows, prefetched or not.
func TestRepeatedTablesCountOnce(t *testing.T) {
	type columns struct { // which can be read by columns
		Step       int64   `parquet:"step"`
		Prompt     string  `parquet:"prompt,dict"`
		Completion string  `parquet:"completion,dict"`
		Correct    float64 `parquet:"correct_reward"`
		Advantage  float64 `parquet:"advantage"`
	}
	byRows := func(step int64, responses string) string {
		var all []trlRow
		for _, a := range responses {
			all = append(all, trlRow{step, "p", string(a), 0, 0, 0})
		}
		return string(trlTable(t, all))
	}
	byColumns := func(step int64, responses string) string {
		var all []columns
		for _, a := range responses {
			all = append(all, columns{step, "p", string(a), 0, 0})
		}
		var b bytes.Buffer
		if err := parquet.Write(&b, all); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for i, table := range []func(int64, string) string{byRows, byColumns, byRows, byColumns} {
		serial := i > 1
		w := trainer{t, t.TempDir()}
		w.add("completions_00001.parquet", table(1, "ABCD"))
		w.add("completions_00002.parquet", table(2, "BBCA"))
		w.add("completions_00003.parquet", table(3, "ABCD"))
		got := drain(t, open(t, Options{serial: serial}, w.dir))
		if len(got.Records) != 8 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "for step 3 are those of step 1") {
			t.Errorf("%d: %d rows, %q", i, len(got.Records), got.Notes)
		}
	}
}

// A rewritten file may hold the same rows as before.
func TestRewrittenFileIsNoRepetition(t *testing.T) {
	w := trainer{t, t.TempDir()}
	line := swiftLine([2]int{1, 1})
	w.add("completions.jsonl", line)
	r := follow(t, w.dir, Options{})
	r.until("the first step", hasRewards("10 11 12 13"))
	_ = os.Remove(w.path("completions.jsonl"))
	w.add("completions.jsonl", line+swiftLine([2]int{2, 2}))
	r.until("the new file", hasRewards("10 11 12 13 20 21 22 23"))
}

// A table whose responses are not read is recognised again, whether it was prefetched or not.
func TestRepeatedTableWithoutResponseHashes(t *testing.T) {
	type lengths struct {
		Step       int64   `parquet:"step"`
		Prompt     string  `parquet:"prompt,dict"`
		Completion string  `parquet:"completion,dict"`
		Length     int64   `parquet:"completion_length"` // so completions are not read
		Reward     float64 `parquet:"correct_reward"`
		Advantage  float64 `parquet:"advantage"`
	}
	table := func(step int64) string {
		var b bytes.Buffer
		if err := parquet.Write(&b, []lengths{{step, "p", "a", 5, 1, 0}, {step, "p", "a", 6, 0, 0}, {step, "p", "a", 7, 0, 0}, {step, "p", "a", 8, 1, 0}}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.add("completions_00001.parquet", table(1)) // alone, so not prefetched
		r := follow(t, w.dir, Options{polling: true})
		r.until("the first table", hasRewards("1 0 0 1"))
		w.add("completions_00002.parquet", table(2))
		w.add("completions_00003.parquet", table(3))
		r.until("the others", func(r *follower) bool { return r.Progress.Files == 3 && r.Progress.CaughtUp })
		if len(r.Records) != 4 || len(r.Notes) != 2 {
			t.Errorf("rewards %s, notes %q", r.rewards(), r.Notes)
		}
	})
}

// conversation is a row of the lines that miles writes beside a rollout.
const conversation = `{"sample_index":0,"group_index":0,"status":"completed","reward":0.5,"prompt":"q","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}` + "\n"

const torchRollout = "compressed/torchfile/testdata/protocol2.pt" // 8 samples of rollout 3

// Of a rollout that miles writes twice the torch file is read, in whatever folders the two lie; lines without such a file are read.
func TestRolloutsOfMilesCountOnce(t *testing.T) {
	for name, c := range map[string]struct {
		files string // of lines, and torch files
		rows  int
		note  string
	}{
		"--dump-details":    {"d/rollout_data/3.pt d/trajectory/3.jsonl", 8, "counted once: d/trajectory/3.jsonl, because d/rollout_data/3.pt holds the same samples; give it by itself to read it"},
		"one folder":        {"3.jsonl 3.pt", 8, "counted once: 3.jsonl, because 3.pt holds the same samples; give it by itself to read it"},
		"several":           {"a/3.jsonl a/4.jsonl a/5.jsonl b/3.pt b/4.pt", 17, "counted once: a/3.jsonl and 1 more, because b/3.pt and the like hold the same samples; give them by themselves to read them"},
		"two runs":          {"one/a/3.jsonl two/b/3.pt", 9, ""},
		"a rollout of less": {"3.jsonl rollout_3.pt", 9, ""},
	} {
		dir := t.TempDir()
		for _, file := range strings.Fields(c.files) {
			writeTwin(t, filepath.Join(dir, file))
		}
		s := open(t, Options{}, dir)
		got := drain(t, s)
		var notes []string
		for _, note := range got.Notes {
			if strings.HasPrefix(note, "counted once") {
				notes = append(notes, note)
			}
		}
		if len(got.Records) != c.rows || strings.Join(notes, "|") != c.note || len(got.Problems) > 0 {
			t.Errorf("%s: %d rows, %q, %v", name, len(got.Records), notes, got.Problems)
		}
	}
}

// miles writes the lines first: they are read until the rollout is there.
func TestRolloutThatComesLater(t *testing.T) {
	dir := t.TempDir()
	writeTwin(t, filepath.Join(dir, "trajectory/3.jsonl"))
	r := follow(t, dir, Options{polling: true, Poll: time.Millisecond})
	r.until("the lines", func(r *follower) bool { return len(r.Records) == 1 })
	writeTwin(t, filepath.Join(dir, "rollout_data/3.pt"))
	r.until("the rollout", func(r *follower) bool { return len(r.Records) == 8 && r.Progress.CaughtUp })
}

// writeTwin writes a file whole: lines, or a rollout of torch.
func writeTwin(t *testing.T, path string) {
	t.Helper()
	data := []byte(conversation)
	if filepath.Ext(path) == ".pt" {
		var err error
		if data, err = os.ReadFile(torchRollout); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, path+".part", data)
	if err := os.Rename(path+".part", path); err != nil {
		t.Fatal(err)
	}
}
