package loaders

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"vantage/model"
)

// A field with the name of a step may count rows, or turns. Where another counts the steps, that is the step; where it does not, or fields are
// what their names say, the preferred name is.
func TestStepAmongCounters(t *testing.T) {
	step := func(i int) int { return 1 + i/8 } // of two groups of four
	for name, c := range map[string]struct {
		row  func(i int) map[string]any
		want func(i int) int
		why  string
	}{
		"rows beside steps": {
			func(i int) map[string]any { return map[string]any{"global_step": i, "step": step(i)} }, step, "step from step (global_step counts rows)",
		},
		"rows beside steps, and an epoch": {
			func(i int) map[string]any {
				return map[string]any{"global_step": 100 + i, "epoch": 0, "iteration": step(i)}
			}, step,
			"step from iteration (global_step counts rows)",
		},
		"turns beside iterations": {
			func(i int) map[string]any {
				return map[string]any{"step": i % 2, "iteration": step(i), "prompt": fmt.Sprint(i/4, i%2)}
			}, step, "step from iteration (step counts turns)",
		},
		"answers beside iterations": {
			func(i int) map[string]any { return map[string]any{"step": i % 4, "iteration": step(i)} }, step, "step from iteration (step counts rows)",
		},
		"steps beside turns": {
			func(i int) map[string]any { return map[string]any{"global_step": step(i), "step": i % 2} }, step, "step from global_step,",
		},
		"steps beside an epoch": {
			func(i int) map[string]any { return map[string]any{"step": i, "epoch": 0} }, func(i int) int { return i }, "step from step,",
		},
		"steps of one sample beside rounds": {
			func(i int) map[string]any { return map[string]any{"step": i, "round": 1, "prompt": fmt.Sprint(i)} }, func(i int) int { return i },
			"step from step,",
		},
		"steps beside the same steps": {
			func(i int) map[string]any { return map[string]any{"step": step(i), "iteration": step(i)} }, step, "step from step,",
		},
		"steps beside rounds, after a resume": {
			func(i int) map[string]any { return map[string]any{"step": step(i % 24), "round": 1 + i/24} }, func(i int) int { return step(i % 24) },
			"step from step,",
		},
	} {
		var lines, table strings.Builder
		cells := csv.NewWriter(&table)
		for i := range 64 {
			row := map[string]any{"prompt": fmt.Sprint("p", i/4), "completion": "an answer", "reward": i % 2}
			maps.Copy(row, c.row(i))
			columns := slices.Sorted(maps.Keys(row))
			line, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
			if i == 0 {
				_ = cells.Write(columns)
			}
			values := make([]string, len(columns))
			for k, column := range columns {
				values[k] = fmt.Sprint(row[column])
			}
			_ = cells.Write(values)
		}
		cells.Flush()
		for file, log := range map[string]string{"a.jsonl": lines.String(), "a.csv": table.String()} {
			n := 0
			for _, chunk := range Decode(file, []byte(log)) {
				if !strings.Contains(chunk.Provenance+",", c.why) {
					t.Errorf("%s in %s: %s", name, file, chunk.Provenance)
				}
				for _, r := range chunk.Records {
					if r.Step != int64(c.want(n)) {
						t.Fatalf("%s in %s: row %d is of step %d, want %d", name, file, n, r.Step, c.want(n))
					}
					n++
				}
			}
			if n != 64 {
				t.Errorf("%s in %s: %d samples", name, file, n)
			}
		}
	}
}

// A table is read by the same rules.
func TestCountersInParquet(t *testing.T) {
	t.Parallel()
	type row struct {
		GlobalStep int64   `parquet:"global_step"`
		Step       int64   `parquet:"step"`
		Prompt     string  `parquet:"prompt"`
		Completion string  `parquet:"completion"`
		Length     int64   `parquet:"completion_len"`
		Reward     float64 `parquet:"reward"`
	}
	for unit, length := range map[model.LengthUnit]int64{model.LengthCharacters: 20, model.LengthTokens: 7} {
		var rows []row
		for i := range int64(64) {
			rows = append(rows, row{i, 1 + i/8, fmt.Sprint("p", i/4), strings.Repeat("wörd ", 4), length, float64(i % 2)})
		}
		path := filepath.Join(t.TempDir(), "a.parquet")
		if err := parquet.WriteFile(path, rows); err != nil {
			t.Fatal(err)
		}
		snap := snapshotOf(t, open(t, Options{}, path))
		if snap.Rows != 64 || len(snap.Steps) != 8 || snap.Run.LengthUnit != unit || !strings.Contains(snap.Run.Provenance, "(global_step counts rows)") {
			t.Errorf("%d rows of %d steps, %v: %s", snap.Rows, len(snap.Steps), snap.Run.LengthUnit, snap.Run.Provenance)
		}
	}
}

// A length that is the number of characters is no number of tokens, whatever its name. A short answer may have as many of both.
func TestLengthsThatCountCharacters(t *testing.T) {
	long := strings.Repeat("wörd ", 8)
	for row, want := range map[string]string{
		fmt.Sprintf(`"completion":%q,"completion_len":40`, long): "lengths in characters of completion",
		fmt.Sprintf(`"completion":%q,"completion_len":9`, long):  "lengths in tokens",
		`"completion":"word","completion_length":4`:              "lengths in tokens",
		`"completion":"word","completion_length":4}` + "\n" + `{"step":1,"prompt":"p","reward":1,"completion":"a longer word","completion_length":13`: "lengths in characters of completion",
		`"completion":"word","completion_length":4}` + "\n" + `{"step":1,"prompt":"p","reward":1,"completion":"a longer word","completion_length":3`:  "lengths in tokens",
		`"completion":"word"`: "lengths in characters of completion",
	} {
		chunks := Decode("a.jsonl", []byte(`{"step":1,"prompt":"p","reward":1,`+row+"}\n"))
		if len(chunks) == 0 || !strings.Contains(chunks[0].Provenance, want) {
			t.Errorf("%s: %+v, want %s", row, chunks, want)
		}
	}
}

// Parts are named r_correct too, and their total r_total.
func TestShortNamesOfParts(t *testing.T) {
	for log, want := range map[string]string{
		`{"step":1,"prompt":"p","completion":"a","r_correct":1,"r_format":0.2}`:               "1.2 r_correct=1 r_format=0.2",
		`{"step":1,"prompt":"p","completion":"a","r_correct":1,"r_format":0.2,"r_total":0.7}`: "0.7 r_correct=1 r_format=0.2",
		`{"step":1,"prompt":"p","completion":"a","reward":1,"r_id":3}`:                        "1",
	} {
		if got := parts("a.jsonl", log+"\n"); got != want {
			t.Errorf("%s: got %s, want %s", log, got, want)
		}
	}
}
