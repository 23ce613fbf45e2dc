package loaders

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
)

// largeLog returns rows of all sizes, some broken, some with fields that no row had before.
func largeLog(tb testing.TB, seed uint64) string {
	tb.Helper()
	data := filetest.Read(tb, "decode/fast/testdata/unusual_rows.jsonl")
	rows := strings.SplitAfter(string(data), "\n")
	rows = rows[:len(rows)-1]
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for n := 0; b.Len() < 14<<20; n++ {
		size := random.IntN(2000)
		switch random.IntN(4000) {
		case 0:
			size = 2 << 20 // longer than a stride
		case 1:
			b.WriteString("{\"prompt\": \"torn\n\n")
			continue
		case 2:
			b.WriteString("{\"prompt\": \"zero\x00\"}\n")
			continue
		case 3, 4, 5, 6, 7, 8:
			b.WriteString(rows[n%len(rows)])
			continue
		case 9:
			fmt.Fprintf(&b, `{"prompt": "q%d", "reward": 1, "style%d_reward": 0.5}`+"\n", n, n%3)
			continue
		}
		fmt.Fprintf(&b, `{"step": %d, "group_id": "g%d", "prompt": "question \"%d\"", "response": "%s", "reward": %.3f, "answer": "é%d"}`+"\n",
			n/500, n/8, n/8, strings.Repeat("word ünd ", size/10), random.Float64(), n/8)
	}
	return b.String()
}

// largeTable returns a CSV table with texts of several lines, some broken rows, and quotes where none
// should be.
func largeTable(tb testing.TB, seed uint64) string {
	tb.Helper()
	random := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	b.WriteString("step,group_id,prompt,response,reward,format_reward,advantage,note\r\n")
	for n := 0; b.Len() < 14<<20; n++ {
		text := strings.Repeat("line \"\"one\"\"\nline, ünd\n", random.IntN(80))
		reward, last := fmt.Sprint(random.Float64()), []string{"", "x", `"a ""b"""`, "1.5"}[random.IntN(4)]
		switch random.IntN(3000) {
		case 0:
			text = strings.Repeat("longer than a stride\n", 100_000)
		case 1:
			b.WriteString("too,few\n\n")
			continue
		case 2:
			text = "a NUL \x00"
		case 3:
			last = `5" or 6" pipes`
		case 4:
			reward = []string{"", "True", "nan", `"0.5"`, "1e-3", "0x1p-2", "-0.0"}[n%7]
		case 5:
			text = `[{""role"": ""assistant"", ""content"": ""a conversation""}]`
		case 6:
			if seed == 2 {
				last = `a quote " without another`
			}
		}
		advantage := []string{"", "0.25", "-1"}[random.IntN(3)]
		fmt.Fprintf(&b, "%d,g%d,\"question \"\"%d\"\"\",\"%s\",%s,%d,%s,%s\r\n", n/500, n/8, n/8, text, reward, n%2, advantage, last)
	}
	return b.String()
}

// withoutEmptyComponents returns r without components if none has a value: a block has no rows without them.
func withoutEmptyComponents(r model.Record) model.Record {
	if !slices.ContainsFunc(r.Components, func(x float64) bool { return x == x }) {
		r.Components = nil
	}
	return r
}

// Several workers give the same samples and problems in the same order as one, wherever the log ends.
func TestWorkersReadLikeOne(t *testing.T) {
	t.Parallel()
	for n := range uint64(repotest.Times(2, 6)) {
		path, log := t.TempDir()+"/large.jsonl", largeLog
		if n%2 == 1 {
			path, log = t.TempDir()+"/large.csv", largeTable
		}
		text := log(t, n/2)
		filetest.Write(t, path, text[:len(text)-37*int(n)])
		var got [2]collected
		for i, serial := range []bool{true, false} {
			s, err := Open([]string{path}, Options{serial: serial})
			if err != nil {
				t.Fatal(err)
			}
			got[i] = drain(t, s)
			_ = s.Close()
		}
		compareCollected(t, got[0], got[1])
	}
}

// The step of a rollout of torchtitan is the newest policy so far, which may have been seen in another stride: the policy of the first
// group is the newest of all here, and that of most groups is older.
func TestNewestPolicyIsSeenByAllStrides(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for group := range 3000 {
		policy := 1 + group%5
		if group == 0 {
			policy = 9
		}
		fmt.Fprintf(&b, `{"group_id": %d, "rollout_id": 0, "reward": 1, "reward_breakdown": {"correct": 1}, "turns": [{"max_policy_version": %d, `+
			`"prompt_messages": [{"role": "user", "content": "q"}], "completion_message": {"role": "assistant", "content": %q}}]}`+"\n",
			group, policy, strings.Repeat("word ", 200))
	}
	path := t.TempDir() + "/rollout_samples.jsonl"
	filetest.Write(t, path, b.String())
	got := drain(t, open(t, Options{}, path))
	if len(got.Records) != 3000 {
		t.Fatalf("%d samples", len(got.Records))
	}
	for i := range got.Records {
		if step := got.Records[i].Step; step != 9 {
			t.Fatalf("sample %d is of step %d, want 9", i, step)
		}
	}
}

// A log that grows by any pieces gives the same samples and problems in the same order as a
// whole one.
func TestGrowingLogReadsLikeWhole(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		log := largeLog(t, seed)
		log = log[:strings.LastIndexByte(log[:1<<20], '\n')+1]
		w := trainer{t, t.TempDir()}
		w.add("whole.jsonl", log)
		want := drain(t, open(t, Options{serial: true}, w.path("whole.jsonl")))

		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 5))
			w.add("grows.jsonl", "")
			r := follow(t, w.path("grows.jsonl"), Options{polling: true})
			for at := 0; at < len(log); {
				n := min(len(log)-at, 1+random.IntN(1<<(4+random.IntN(15))))
				w.add("grows.jsonl", log[at:at+n])
				at += n
				for before := len(r.Records); len(r.Records) == before; { // until nothing comes
					ctx, cancel := context.WithTimeout(t.Context(), 40*time.Millisecond)
					c, err := r.s.Next(ctx)
					cancel()
					if err != nil {
						break
					}
					r.add(t, c)
				}
			}
			r.until("all of it", func(r *follower) bool {
				return len(r.Records) >= len(want.Records) && r.Skipped >= want.Skipped
			})
			compareCollected(t, want, r.collected)
			if r.s.reading.files[0].appender == nil {
				t.Error("all of it was read line by line")
			}
		})
	}
}

// fanOutLog is a dump of verl's v1 trainer, in which rollouts have up to three outputs, and the first
// output of each row's rollout.
func fanOutLog(rows int) (log string, firstOutputs []int32) {
	random := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	for group := 0; len(firstOutputs) < rows; group++ {
		for session := range 12 {
			first := int32(len(firstOutputs))
			for output := range 1 + random.IntN(3) {
				fmt.Fprintf(&b, `{"input": "p%d %d", "output": %q, "gts": "g", "score": %d, "step": 1, "uid": "u%d-x_%d_%d"}`+"\n",
					group, output, strings.Repeat("word ", random.IntN(200)), random.IntN(2), group, session, output)
				firstOutputs = append(firstOutputs, first)
			}
		}
	}
	return b.String(), firstOutputs
}

// Outputs of a rollout stay together across the strides of workers.
func TestRolloutsOfVerlLog(t *testing.T) {
	log, want := fanOutLog(12000)
	path := t.TempDir() + "/1.jsonl"
	filetest.Write(t, path, log)
	for _, serial := range []bool{true, false} {
		snap := snapshotOf(t, open(t, Options{serial: serial}, path))
		if got := snap.Steps[0].FirstOutputs; !slices.Equal(got, want) {
			t.Errorf("serial %t: %d rollouts", serial, snap.Rollouts())
		}
		by, err := snap.Grouping(model.DefaultSettings())
		if err != nil || by.By != model.GroupByID || !strings.Contains(by.Evidence, "rows of 12.0 rollouts each") || len(snap.Run.Notes) > 0 {
			t.Error(err, by, snap.Run.Notes)
		}
	}
}

// Turns of an answer are one rollout by the id of their trajectory, whoever reads them.
func TestTurnsOfOwnLog(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	var lines, table strings.Builder
	table.WriteString("step,trajectory_id,prompt,reward\n")
	var want []int32
	for group := 0; len(want) < 12000; group++ {
		for k := range 8 {
			first := int32(len(want))
			for turn := range 1 + random.IntN(3) {
				prompt := fmt.Sprintf("task %d", group)
				if turn > 0 {
					prompt += fmt.Sprintf(" and turn %d of %d", turn, k)
				}
				fmt.Fprintf(&lines, `{"step": 1, "trajectory_id": "t%d-%d", "prompt": %q, "reward": %d}`+"\n", group, k, prompt, k%2)
				fmt.Fprintf(&table, "1,t%d-%d,%s,%d\n", group, k, prompt, k%2)
				want = append(want, first)
			}
		}
	}
	dir := t.TempDir()
	filetest.Write(t, dir+"/own.jsonl", lines.String())
	filetest.Write(t, dir+"/own.csv", table.String())
	for _, name := range []string{"own.jsonl", "own.csv"} {
		for _, serial := range []bool{true, false} {
			snap := snapshotOf(t, open(t, Options{serial: serial}, dir+"/"+name))
			if got := snap.Steps[0].FirstOutputs; !slices.Equal(got, want) {
				t.Errorf("%s, serial %t: %d rollouts", name, serial, snap.Rollouts())
			}
			by, err := snap.Grouping(model.DefaultSettings())
			if err != nil || by.By != model.GroupByPrompt || snap.Rollouts() != 8*snap.Steps[0].Prompts {
				t.Error(name, err, by, snap.Steps[0].Prompts, snap.Rollouts())
			}
		}
	}
}

// plainRow is a row as another reader reads it.
type plainRow struct {
	group  string
	reward float64
	length int // of the response, in characters; -1 if there is none
	step   int64
}

// decodeAll reads a log in memory.
func decodeAll(name string, log []byte) (records []model.Record, problems []model.Problem) {
	for _, c := range Decode(name, log) {
		records, problems = append(records, c.Records...), append(problems, c.Problems...)
	}
	return records, problems
}

func compareRows(t *testing.T, log string, want []plainRow, records []model.Record, problems []model.Problem) {
	t.Helper()
	if len(records) != len(want) {
		t.Fatalf("%q: %d rows, want %d; %v", log, len(records), len(want), problems)
	}
	for i, w := range want {
		r := records[i]
		if got := (plainRow{r.Group, r.Reward, int(r.Length), r.Step}); got.group != w.group || got.length != w.length || got.step != w.step ||
			got.reward != w.reward && (got.reward == got.reward || w.reward == w.reward) {
			t.Fatalf("%q, row %d: %+v, want %+v", log, i, got, w)
		}
	}
}

// CSV has the rows and cells that encoding/csv reads in it. What differs on purpose is left out: a
// quote that is never closed or stands inside a cell, for which encoding/csv gives up; a NUL, with
// which a row is refused; \r\n inside quotes, which encoding/csv shortens; and what is no UTF-8, whose
// characters each reader counts in its own way.
func FuzzCSVRows(f *testing.F) {
	for _, rows := range []string{
		"g,1,r,2\n", "\"g,\"\"1\"\"\",-0.5,\"two\nlines\",3\r\nh,1e3,,2\n\ni,nan,é,1", "g,True,x,1\ng,False,x\n,1,x,1\n", " g ,0x1p-2,x,2\n\t,-0,\",\",1\n",
	} {
		f.Add(rows)
	}
	f.Fuzz(func(t *testing.T, rows string) {
		returns := strings.Count(rows, "\r")
		if strings.Contains(rows, "\x00") || !utf8.ValidString(rows) || returns != strings.Count(rows, "\r\n") || returns > 0 && strings.Contains(rows, `"`) {
			return
		}
		want, ok := readCSV(rows)
		if !ok {
			return
		}
		log := "group_id,reward,response,step\nfirst,1,r,1\n" + rows
		records, problems := decodeAll("a.csv", []byte(log))
		compareRows(t, log, append([]plainRow{{"first", 1, 1, 1}}, want...), records, problems)
	})
}

// readCSV reads rows with encoding/csv. A row with another number of cells, or without a group, is none.
func readCSV(rows string) (all []plainRow, ok bool) {
	r := csv.NewReader(strings.NewReader(rows))
	r.FieldsPerRecord = -1
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, true
		}
		if err != nil {
			return nil, false
		}
		if len(cells) != 4 || cells[0] == "" {
			continue
		}
		reward, isNumber := csvNumber(cells[1])
		step, stepErr := strconv.ParseInt(cells[3], 10, 32)
		if !isNumber || stepErr != nil || strings.HasPrefix(cells[2], "[{") {
			return nil, false // steps that are none take the step of the file; a conversation is measured in its messages
		}
		row := plainRow{cells[0], reward, utf8.RuneCountInString(cells[2]), step}
		if cells[2] == "" {
			row.length = -1
		}
		all = append(all, row)
	}
}

// csvNumber is the number that a cell is for Python and pandas.
func csvNumber(cell string) (float64, bool) {
	switch cell {
	case "True", "true":
		return 1, true
	case "False", "false":
		return 0, true
	}
	x, err := strconv.ParseFloat(cell, 64)
	if errors.Is(err, strconv.ErrRange) {
		return x, true
	}
	return x, err == nil
}

// JSON gives the rows that encoding/json reads in it, in each layout: lines, a list, a list of many
// lines. Rows that encoding/json refuses are left out, since Python writes more than JSON has, and so is
// what is no UTF-8.
func FuzzJSONRows(f *testing.F) {
	f.Add(`"g"`, "1", `"r"`, "2", `null`)
	f.Add(`"\u0067\n"`, "-0.5e1", `"é\ud83d\ude00\ud800"`, "0", `{"a": [1, {"reward": 2}], "": "}"}`)
	f.Add("\"\x7f\"", "1E400", `"\\\""`, "-1", `[[], {}, "]", 1.5]`)
	f.Add(` "g" `, " 0.10 ", "\t\"\"", " 7", `"group_id"`)
	f.Fuzz(func(t *testing.T, group, reward, response, step, other string) {
		row := `{"group_id":` + group + `,"reward":` + reward + `,"response":` + response + `,"step":` + step + `,"zzz":` + other + `}`
		want, ok := readJSON(row)
		if !ok || !utf8.ValidString(row) {
			return
		}
		first := `{"group_id":"first","reward":1,"response":"r","step":1,"zzz":0}`
		all := append([]plainRow{{"first", 1, 1, 1}}, want, want)
		var list bytes.Buffer
		if json.Indent(&list, []byte("["+first+","+row+","+row+"]"), "", "  ") != nil {
			return
		}
		logs := map[string]string{"a.json": "[" + first + "," + row + ",\n" + row + "]", "b.json": list.String()}
		if !strings.ContainsAny(row, "\n") {
			logs["a.jsonl"], logs["b.jsonl"] = first+"\n"+row+"\n"+row, first+"\r\n"+row+"\r\n\r\n"+row+"\r\n"
		}
		for name, log := range logs {
			records, problems := decodeAll(name, []byte(log))
			compareRows(t, name+": "+log, all, records, problems)
		}
	})
}

// readJSON reads a row with encoding/json. It is false if a field is of another type than a trainer
// gives it.
func readJSON(row string) (plainRow, bool) {
	var fields map[string]any
	d := json.NewDecoder(strings.NewReader(row))
	d.UseNumber()
	if !json.Valid([]byte(row)) || d.Decode(&fields) != nil || len(fields) != 5 {
		return plainRow{}, false
	}
	group, isText := fields["group_id"].(string)
	response, isText2 := fields["response"].(string)
	number, isNumber := fields["reward"].(json.Number)
	stepNumber, isNumber2 := fields["step"].(json.Number)
	if !isText || !isText2 || !isNumber || !isNumber2 || group == "" || strings.HasPrefix(response, "[{") {
		return plainRow{}, false
	}
	reward, err := strconv.ParseFloat(string(number), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return plainRow{}, false
	}
	step, err := strconv.ParseInt(string(stepNumber), 10, 32)
	return plainRow{group, reward, utf8.RuneCountInString(response), step}, err == nil && !math.IsNaN(reward)
}

// Rows without what rows before them have are refused by all workers, whichever of them met the first that has it.
func TestWorkersRefuseTheSameRows(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 200)
	row := func(rows int, fields string) string {
		return strings.Repeat(fmt.Sprintf(`{%s,"response":"%s","reward":1}`+"\n", fields, text), rows)
	}
	for name, c := range map[string]struct {
		log           string
		rows, refused int
	}{
		"rows.jsonl":       {row(3000, `"step":1,"prompt":""`) + row(1, `"step":1,"prompt":"p"`) + row(20_000, `"step":1,"prompt":""`), 3001, 20_000},
		"rows_step1.jsonl": {row(3000, `"step":1,"prompt":"p"`) + row(1, `"step":2,"prompt":"p"`) + row(20_000, `"prompt":"p"`), 3001, 20_000},
	} {
		w := trainer{t, t.TempDir()}
		w.add(name, c.log)
		w.add(name+".gz", gzipped(t, c.log))
		for _, path := range []string{w.path(name), w.path(name + ".gz")} {
			for _, serial := range []bool{true, false} {
				if got := drain(t, open(t, Options{serial: serial}, path)); len(got.Records) != c.rows || got.Skipped != c.refused {
					t.Errorf("%s, one worker: %v: %d rows and %d refused, want %d and %d", path, serial, len(got.Records), got.Skipped, c.rows, c.refused)
				}
			}
		}
	}
}
