package loaders

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"vantage/model"
)

// A list of the wrong length, a group without rewards and rewards that are no numbers are counted, and the
// lines around them read.
func TestRaggedGroups(t *testing.T) {
	good := `{"step":1,"prompt":"p","completions":["a","b"],"rewards":[1,0]}` + "\n"
	for line, reason := range map[string]string{
		`{"step":1,"prompt":"p","completions":["a"],"rewards":[1,0]}`:                          `"completions" has 1 value beside 2 in "rewards": nobody knows which belong together`,
		`{"step":1,"prompt":"p","completions":["a","b"],"rewards":[1,0],"advantages":[1,2,3]}`: `"advantages" has 3 values beside 2 in "rewards": nobody knows which belong together`,
		`{"step":1,"prompt":"p","completions":["a","b"],"rewards":[]}`:                         "no list of rewards, or an empty one",
		`{"step":1,"prompt":"p","completions":["a","b"],"rewards":[[1],[0]]}`:                  "no list of rewards, or an empty one",
		`{"step":1,"prompt":"p","completions":["a","b"]}`:                                      "no list of rewards, or an empty one",
	} {
		for _, log := range []string{good + line + "\n" + good, line + "\n" + good + good} {
			chunks := Decode("a.jsonl", []byte(log))
			if len(chunks) != 1 || chunks[0].Format != "group-lines" || len(chunks[0].Records) != 4 || chunks[0].Skipped != 1 {
				t.Fatalf("%s: %+v", line, chunks)
			}
			if p := chunks[0].Problems; len(p) != 1 || p[0].Reason != reason {
				t.Errorf("%s: %v, want %s", line, p, reason)
			}
		}
	}
}

// What holds lists of numbers is no group for that.
func TestNotGroups(t *testing.T) {
	for _, log := range []string{
		`{"step":1,"loss":0.1,"rewards":[0.1,0.2]}`,
		`{"rewards":[0.1,0.2]}`,
		`{"prompt":"p","response":"a b","rewards":[0,1]}`,
		`{"prompt":"p","completion":[{"role":"assistant","content":"a"}],"rewards":[0,1]}`,
	} {
		for _, chunk := range Decode("a.jsonl", []byte(log+"\n")) {
			if len(chunk.Records) > 0 {
				t.Errorf("%s: read as %s: %+v", log, chunk.Format, chunk.Records)
			}
		}
	}
}

// A file that workers read gives each line a group of its own, with its own number.
func TestManyGroupLines(t *testing.T) {
	t.Parallel()
	const lines = 40_000
	var b strings.Builder
	for n := range lines {
		fmt.Fprintf(&b, `{"step":%d,"prompt":"question %d","completions":["answer %d","no %d"],"rewards":[1,%d]}`+"\n", n/64, n%7, n, n, n)
	}
	w := trainer{t, t.TempDir()}
	w.add("a.jsonl", b.String())
	s, all := openAndRead(t, w.path("a.jsonl"))
	if len(all) != 2*lines {
		t.Fatalf("%d samples", len(all))
	}
	for _, i := range []int{0, 1, 4001, lines, 2*lines - 1} {
		r := all[i]
		if want := fmt.Sprintf("a.jsonl:%d", i/2+1); r.Group != want || r.Line != int64(i/2+1) || int(r.IndexInLine) != i%2 {
			t.Errorf("sample %d: group %s, line %d, index %d, want %s", i, r.Group, r.Line, r.IndexInLine, want)
		}
		text, err := s.Text(context.Background(), model.Place{File: r.File, Offset: r.Offset, IndexInLine: r.IndexInLine})
		if want := fmt.Sprintf("%s %d", []string{"answer", "no"}[i%2], i/2); err != nil || text.Response != want {
			t.Errorf("sample %d: %q, %v, want %q", i, text.Response, err, want)
		}
	}
}

type groupRow struct {
	Step        int64     `parquet:"step"`
	Prompt      string    `parquet:"prompt"`
	Completions []string  `parquet:"completions,list"`
	Rewards     []float64 `parquet:"rewards,list"`
}

// A Parquet file may have a group in each row too.
func TestGroupTable(t *testing.T) {
	t.Parallel()
	rows := []groupRow{
		{1, "p", []string{`"a"`, "b\n"}, []float64{1, math.NaN()}},
		{1, "q", []string{"a", "b"}, []float64{1, 0, 0.5}},
		{2, "p", nil, []float64{0.25, 1}},
		{2, "r", []string{"käse \\"}, []float64{math.Inf(1)}},
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, parquet.MaxRowsPerRowGroup(3)); err != nil {
		t.Fatal(err)
	}
	w := trainer{t, t.TempDir()}
	w.add("a.parquet", b.String())
	s, all := openAndRead(t, w.path("a.parquet"))
	var got []string
	for _, r := range all {
		text, err := s.Text(context.Background(), model.Place{File: r.File, Offset: r.Offset, IndexInLine: r.IndexInLine})
		if err != nil {
			t.Error(err)
		}
		got = append(got, fmt.Sprintf("%d %s %s %v %q", r.Step, r.Group, text.Prompt, r.Reward, text.Response))
	}
	want := []string{`1 a.parquet:1 p 1 "\"a\""`, `1 a.parquet:1 p NaN "b\n"`, `2 a.parquet:3 p 0.25 ""`, `2 a.parquet:3 p 1 ""`, `2 a.parquet:4 r +Inf "käse \\"`}
	if strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A document may be a table: lists side by side, or what pandas writes.
func TestDocumentOfLists(t *testing.T) {
	for log, want := range map[string]string{
		`{"prompt":["p","p","q"],"completion":["a","b","c"],"reward":[1,0,null],"step":[1,1,2]}`: "1 p 1, 1 p 0, 2 q NaN",
		`{"reward":[1,0],"group_id":[7,7]}`:                                                     "0  1, 0  0",
		`{"step":3,"prompt":"p","responses":["a","b"],"rewards":[1,0]}`:                         "3 p 1, 3 p 0",
		`{"prompt":{"0":"p","2":"q"},"reward":{"0":1,"2":0},"step":{"0":3,"2":4}}`:              "3 p 1, 4 q 0",
		`{"prompt":{"0":"p","1":"q"},"reward":{"0":1,"2":0},"step":{"0":3,"1":4}}`:              `"prompt" has other rows than "reward"`,
		`{"prompt":["p","p","q"],"completion":["a","b"],"reward":[1,0,1]}`:                      `"completion" has 2 values beside 3 in "reward": nobody knows which belong together`,
		`{"prompt":["p","p"],"completion":["a","b"],"reward":[1,0],"metrics":{"format":[1,0]}}`: "0 p 1, 0 p 0",
	} {
		var got []string
		for _, chunk := range Decode("a.json", []byte(log)) {
			for _, r := range chunk.Records {
				got = append(got, fmt.Sprint(r.Step, " ", r.Preview, " ", r.Reward))
			}
			for _, p := range chunk.Problems {
				got = append(got, p.Reason)
			}
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", log, got, want)
		}
	}
}

// What an agent said and did opens as a conversation.
func TestTextOfAgents(t *testing.T) {
	for path, want := range map[string][]string{
		"nemo-gym/rollouts.jsonl": {
			"assistant: hm\n\nassistant: get_weather({\"city\":\"sf\"})\n\ntool: cold\n\nassistant: It is cold.", "assistant: Warm.", "",
		},
		"miles/12.jsonl":            {"abc", "assistant: ab\n\ntool: c\n\nassistant: de", "a"},
		"agilerl/completions.jsonl": {"a", "b", "c"},
		"atropos/groups.jsonl":      {"a b", "c", "q a", "q b c", "", ""},
		"step-data/rollouts.jsonl":  {"ab", "abc", "a", "bcde", "a", "b", "c"},
	} {
		s, all := openAndRead(t, "formats/testdata/"+path)
		var got []string
		for _, r := range all {
			text, err := s.Text(t.Context(), model.Place{File: r.File, Offset: r.Offset, IndexInLine: r.IndexInLine})
			if err != nil {
				t.Error(err)
			}
			got = append(got, text.Response)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s:\ngot  %q\nwant %q", path, got, want)
		}
	}
}

// A task that NeMo Gym tries again is counted, not read.
func TestFailedRollouts(t *testing.T) {
	row := `{"responses_create_params":{"input":"q"},"response":{},"reward":0,"_ng_task_index":0%s}` + "\n"
	chunks := Decode("rollouts_failures.jsonl", []byte(fmt.Sprintf(row, `,"_ng_failure_class":"timeout"`)+fmt.Sprintf(row, "")))
	if len(chunks) != 1 || len(chunks[0].Records) != 1 || chunks[0].Skipped != 1 {
		t.Errorf("%+v", chunks)
	}
}
