package clickhouse

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/clickhousetest"
	"vantage/internal/testkit/filetest"
	"vantage/loaders"
	"vantage/loaders/discover"
	"vantage/model"
)

// written is a row with what a table says of the start that wrote it and of what it is for.
type written struct {
	row
	Start string `json:"start"`
	Split string `json:"split"`
	At    int64  `json:"at"` // seconds
}

const writtenTypes = rowTypes + ", start String, split String, at DateTime"

// writeOut writes what a start of the run writes of the rows.
func writeOut(rows []row, start, split string, at int64, from, to int) (out []written) {
	for i, r := range rows {
		if r.Step >= from && r.Step <= to {
			out = append(out, written{r, start, split, 1_700_000_000 + at + int64(i)})
		}
	}
	return out
}

// otherRows are those of another start: other rewards.
func otherRows(steps, groups int, by float64) []row {
	rows := madeRows("a", steps, groups)
	for i := range rows {
		if rows[i].Reward != nil {
			x := *rows[i].Reward + by
			rows[i].Reward = &x
		}
	}
	return rows
}

func linesOf(t *testing.T, rows []written) string {
	t.Helper()
	var b strings.Builder
	for _, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// fill makes a table of rows.
func fill(t *testing.T, c *clickhousetest.Cluster, table, columns string, rows []written) {
	t.Helper()
	c.Exec(t, 0, "CREATE TABLE %s ENGINE = MergeTree ORDER BY tuple() AS SELECT %s FROM format(JSONEachRow, '%s', %s) LIMIT 0", table, columns, writtenTypes, quoteText(linesOf(t, rows[:1])))
	add(t, c, table, columns, rows)
}

func add(t *testing.T, c *clickhousetest.Cluster, table, columns string, rows []written) {
	t.Helper()
	for part := range slices.Chunk(rows, 500) {
		c.Exec(t, 0, "INSERT INTO %s SELECT %s FROM format(JSONEachRow, '%s', %s)", table, columns, writtenTypes, quoteText(linesOf(t, part)))
	}
}

// readFolder reads a log of several files.
func readFolder(t *testing.T, files map[string][]written, o loaders.Options) model.Snapshot {
	t.Helper()
	dir := t.TempDir()
	for name, rows := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, path, linesOf(t, rows))
	}
	s, err := loaders.Open([]string{dir}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	snap, err := readAll(s)
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return snap
}

// samplesLeftOut tells what is left out of attempts, but in how many files.
func samplesLeftOut(a model.RunAttempts) string {
	text := fmt.Sprintf("%d of %d", a.Shown, a.Count)
	for _, l := range a.LeftOut {
		text += fmt.Sprintf("; %d: %d samples of %d steps %d-%d, resumed at %d", l.Attempt, l.Samples, l.Steps, l.First, l.Last, l.Step)
	}
	return text
}

// The starts of a run that a column tells apart give what a file gives to which they were written one after the other: a
// run that is resumed replaces what was beyond the checkpoint, one that begins again is another attempt.
func TestAttempts(t *testing.T) {
	c := clickhousetest.Start(t, 1)
	c.Exec(t, 0, "CREATE DATABASE rl")
	first, second, third := otherRows(12, 6, 0), otherRows(12, 6, 1), otherRows(12, 6, 2)
	for name, rows := range map[string][]written{
		"once":                 writeOut(first, "0", "", 0, 1, 12),
		"resumed":              slices.Concat(writeOut(first, "0", "", 0, 1, 8), writeOut(second, "1", "", 9000, 6, 12)),
		"resumed_not_beyond":   slices.Concat(writeOut(first, "9", "", 0, 1, 12), writeOut(second, "10", "", 9000, 6, 8)),
		"resumed_twice":        slices.Concat(writeOut(first, "0", "", 0, 1, 9), writeOut(second, "1", "", 9000, 6, 9), writeOut(third, "2", "", 19000, 3, 7)),
		"again":                slices.Concat(writeOut(first, "0", "", 0, 1, 12), writeOut(second, "1", "", 9000, 1, 5)),
		"again_then_resumed":   slices.Concat(writeOut(first, "0", "", 0, 1, 12), writeOut(second, "1", "", 9000, 1, 8), writeOut(third, "2", "", 19000, 5, 6)),
		"continued":            slices.Concat(writeOut(first, "0", "", 0, 1, 5), writeOut(second, "1", "", 9000, 6, 12)),
		"names_and_times":      slices.Concat(writeOut(first, "z8f1", "", 0, 1, 8), writeOut(second, "a03b", "", 9000, 6, 12)),
		"names_and_times_back": slices.Concat(writeOut(first, "b", "", 0, 1, 12), writeOut(second, "a", "", 9000, 1, 3)),
	} {
		columns := "* EXCEPT (start, split, at), toUInt8(start) AS run_attempt"
		query := ""
		if strings.HasPrefix(name, "names") {
			columns, query = "* EXCEPT split", "attempt=start&written=at"
		}
		fill(t, c, "rl."+name, columns, rows)
		for _, attempt := range []loaders.Attempt{loaders.NewestAttempt, loaders.AllAttempts, 1, 2} {
			want := readFolder(t, map[string][]written{"log.jsonl": rows}, loaders.Options{Attempt: attempt})
			got := readTable(t, c.Address(0, clickhousetest.Viewer, "rl/"+name, query), Options{Attempt: int(attempt)})
			t.Run(fmt.Sprintf("%s %d", name, attempt), func(t *testing.T) {
				if attempt != loaders.AllAttempts {
					compareRows(t, got, want)
				} else if got.Rows != want.Rows || len(got.Run.Notes) > 0 {
					t.Errorf("%d rows, want %d, %v", got.Rows, want.Rows, got.Run.Notes)
				}
				if a, b := samplesLeftOut(got.Run.Attempts), samplesLeftOut(want.Run.Attempts); a != b && attempt != loaders.AllAttempts && want.Rows > 0 {
					t.Errorf("%s, want %s", a, b)
				}
				t.Log(got.Run.Notes)
			})
		}
	}
}

// Rows of evaluations that a column tells are left out or read as a folder of training and validation is.
func TestEvaluations(t *testing.T) {
	c := clickhousetest.Start(t, 1)
	c.Exec(t, 0, "CREATE DATABASE rl")
	train, val := writeOut(otherRows(8, 6, 0), "", "train", 0, 1, 8), []written(nil)
	for _, r := range writeOut(otherRows(8, 4, 5), "", "val", 0, 1, 8) {
		if r.Step%4 == 0 {
			val = append(val, r)
		}
	}
	both := map[string][]written{"train/log.jsonl": train, "val/log.jsonl": val}
	all := slices.Concat(train, val)
	fill(t, c, "rl.split", "* EXCEPT (start, at)", all)
	fill(t, c, "rl.few", "* EXCEPT (start, at, split), CAST(split AS LowCardinality(Nullable(String))) AS phase", all)
	fill(t, c, "rl.flag", "* EXCEPT (start, at, split), toUInt8(split = 'val') AS is_eval", all)
	fill(t, c, "rl.truth", "* EXCEPT (start, at, split), split = 'train' AS is_train", all)
	fill(t, c, "rl.other", "* EXCEPT (start, at, split), multiIf(split = 'val', 'test', NULL) AS kind", all)
	for table, query := range map[string]string{"split": "", "few": "", "flag": "", "truth": "", "other": "split=kind"} {
		for _, split := range []discover.Split{discover.SplitTrain, discover.SplitVal} {
			want := readFolder(t, both, loaders.Options{Split: split})
			got := readTable(t, c.Address(0, clickhousetest.Viewer, "rl/"+table, query), Options{Split: split})
			compareRows(t, got, want)
			e := got.Run.Evaluation
			if e == nil || e.Rows != len(val) || !slices.Equal(e.Steps, []int64{4, 8}) || e.Shown != (split == discover.SplitVal) {
				t.Errorf("%s: %+v", table, e)
			}
			t.Log(got.Run.Notes, got.Run.Provenance)
		}
		if got := readTable(t, c.Address(0, clickhousetest.Viewer, "rl/"+table, query), Options{Split: discover.SplitAll}); got.Rows != len(all) || got.Run.Evaluation != nil {
			t.Errorf("%s: %d rows, %+v", table, got.Rows, got.Run.Evaluation)
		}
	}
	fill(t, c, "rl.alone", "* EXCEPT (start, at)", val)
	got := readTable(t, c.Address(0, clickhousetest.Viewer, "rl/alone", ""), Options{})
	compareRows(t, got, readFolder(t, map[string][]written{"val/log.jsonl": val}, loaders.Options{}))
	if !slices.Contains(got.Run.Notes, "training: as long as there is none, validation is read") {
		t.Error(got.Run.Notes)
	}
	fill(t, c, "rl.none", "* EXCEPT (start, at)", train)
	if got := readTable(t, c.Address(0, clickhousetest.Viewer, "rl/none", ""), Options{Split: discover.SplitVal}); got.Rows > 0 {
		t.Errorf("%d rows", got.Rows)
	}
}

// A run that is followed is started again: what the second start replaces is left out as soon as it is written.
func TestFollowAttempts(t *testing.T) {
	c := clickhousetest.Start(t, 1)
	c.Exec(t, 0, "CREATE DATABASE rl")
	first, second := otherRows(8, 6, 0), otherRows(8, 6, 1)
	rows := writeOut(first, "0", "train", 0, 1, 8)
	const columns = "* EXCEPT (start, at), toUInt8(start) AS run_attempt"
	fill(t, c, "rl.run", columns, rows)
	f := follow(t, c.Address(0, clickhousetest.Viewer, "rl/run", ""))
	same := func() func(model.Snapshot) bool {
		want := readFolder(t, map[string][]written{"log.jsonl": rows}, loaders.Options{})
		return func(got model.Snapshot) bool {
			return got.Run.Progress.CaughtUp && slices.EqualFunc(got.Steps, want.Steps, func(g, w model.Step) bool {
				return g.Number == w.Number && sameBits(g.Rewards, w.Rewards)
			}) && samplesLeftOut(got.Run.Attempts) == samplesLeftOut(want.Run.Attempts)
		}
	}
	f.until("the first start is there", same())
	for _, now := range [][]written{
		writeOut(second, "1", "train", 9000, 5, 6), writeOut(second, "1", "train", 9000, 7, 7), writeOut(first, "2", "train", 19000, 1, 2), writeOut(first, "2", "train", 19000, 3, 5),
	} {
		add(t, c, "rl.run", columns, now)
		rows = append(rows, now...)
		f.until(fmt.Sprintf("start %s wrote step %d", now[0].Start, now[len(now)-1].Step), same())
	}
	evaluated := writeOut(second, "2", "eval", 29000, 4, 4)
	add(t, c, "rl.run", columns, evaluated)
	f.until("an evaluation is there", func(s model.Snapshot) bool {
		return s.Run.Evaluation != nil && s.Run.Evaluation.Rows == len(evaluated) && same()(s)
	})
	text, err := f.s.Text(t.Context(), f.store.Snapshot().Steps[3].Place(0))
	if err != nil || !strings.Contains(fmt.Sprint(text.Fields), "run_attempt 2") {
		t.Errorf("%+v, %v", text.Fields, err)
	}
}

// Columns that look as if they told attempts or splits, and do not: what numbers the samples of a group, what has many
// values, and texts of another meaning.
func TestColumnsThatTellNoParts(t *testing.T) {
	c := clickhousetest.Start(t, 1)
	c.Exec(t, 0, "CREATE DATABASE rl")
	rows := writeOut(otherRows(6, 8, 0), "0", "", 0, 1, 6)
	fill(t, c, "rl.samples", "* EXCEPT (start, split, at, sample_idx), sample_idx AS attempt", rows)
	fill(t, c, "rl.many", "* EXCEPT (start, split, at), response_length AS attempt_id", rows)
	fill(t, c, "rl.mode", "* EXCEPT (start, split, at), if(row % 2 = 0, 'think', 'short') AS mode", rows)
	for _, table := range []string{"samples", "many", "mode"} {
		got := readTable(t, c.Address(0, clickhousetest.Viewer, "rl/"+table, ""), Options{})
		if got.Rows != len(rows) || len(got.Run.Notes) > 0 || got.Run.Attempts.Count > 0 {
			t.Errorf("%s: %d rows of %d, %v", table, got.Rows, len(rows), got.Run.Notes)
		}
	}
	for query, want := range map[string]string{
		"attempt=response_length": "the column response_length of attempt= has more than 64 values: it tells something else",
		"attempt=reward":          "the column reward of attempt= is a Nullable(Float64), which holds no numbers or names",
		"split=nothing":           "the table has no column nothing for the split: it has",
	} {
		_, err := readAll(open(t, c.Address(0, clickhousetest.Viewer, "rl/mode", query), Options{}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// Rows that may be there twice are counted, with a note that says how many, where, and what to do.
func TestDoubledRowsAreNoted(t *testing.T) {
	c := clickhousetest.Start(t, 1)
	c.Exec(t, 0, "CREATE DATABASE rl")
	first := writeOut(otherRows(9, 6, 0), "a", "", 0, 1, 9)
	again := writeOut(otherRows(9, 6, 1), "b", "", 9000, 4, 6)
	var even, evenAgain, more []written // groups of four
	for step := 1; step <= 9; step++ {
		for i := range 24 {
			x := float64(i%7) / 7
			r := written{row: row{Run: "a", Step: step, Group: fmt.Sprint("g", i/4), Sample: i % 4, Reward: &x, Length: 9}}
			even = append(even, r)
			if step >= 4 && step <= 6 {
				evenAgain = append(evenAgain, r)
				r.Group += "b"
				more = append(more, r)
			}
		}
	}
	for _, x := range []struct {
		table, columns string
		rows           []written
		want           string
	}{
		{"numbered", "* EXCEPT (start, split, at), start AS run_id", slices.Concat(first, again), fmt.Sprintf("%d rows of 3 steps from 4 to 6 (rl.numbered step 4, 27 rows more than expected: sample_idx 0 of group g000 is there more than once); if a column tells the starts of a run apart, attempt=run_id in the address counts the rows that were written last", len(again))},
		{"unnumbered", "* EXCEPT (start, split, at, sample_idx, row)", slices.Concat(even, evenAgain), "72 rows of 3 steps from 4 to 6 (rl.unnumbered step 4, 24 rows more than expected: its groups have 8 samples, and those of most steps 4); if a column tells the starts of a run apart, attempt=COLUMN in"},
		{"larger", "* EXCEPT (start, split, at)", slices.Concat(even, more), "72 rows of 3 steps from 4 to 6 (rl.larger step 4, 24 rows more than expected: it has 48 rows, and most steps have 24)"},
		{"uneven", "* EXCEPT (start, split, at, sample_idx, row)", first, ""},
		{"grows", "* EXCEPT (start, split, at)", slices.Concat(even[:6*24], even[6*24:], moreOf(even[6*24:])), ""},
	} {
		fill(t, c, "rl."+x.table, x.columns, x.rows)
		got := readTable(t, c.Address(0, clickhousetest.Viewer, "rl/"+x.table, "run=a"), Options{})
		switch notes := got.Run.Notes; {
		case got.Rows != len(x.rows):
			t.Errorf("%s: %d rows of %d", x.table, got.Rows, len(x.rows))
		case x.want == "" && len(notes) > 0, x.want != "" && (len(notes) != 1 || !strings.Contains(notes[0], x.want)):
			t.Errorf("%s: %q\nwant %s", x.table, notes, x.want)
		}
	}
}

// moreOf are the rows of as many other groups.
func moreOf(rows []written) (more []written) {
	for _, r := range rows {
		r.Group += "c"
		more = append(more, r)
	}
	return more
}
