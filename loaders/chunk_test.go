package loaders

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"vantage/loaders/discover"
	"vantage/model"
	"vantage/model/analysis"
)

// groupsOf returns the sizes of the groups of each step, and the notes.
func groupsOf(t *testing.T, o Options, paths ...string) (sizes string, notes string) {
	t.Helper()
	s, err := Open(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	snap := snapshotOf(t, s)
	var all []string
	for i := range snap.Steps {
		a, err := analysis.Analyze(t.Context(), snap, i, model.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%d:", a.Step)
		for _, g := range a.Table {
			text += fmt.Sprint(" ", g.Size())
		}
		all = append(all, text)
	}
	return strings.Join(all, ", "), strings.Join(snap.Run.Notes, "\n")
}

// Runs below one directory may have the same prompts at the same step, and so may validation:
// they share no groups, and two runs are noted. Directories of steps and processes are one run.
func TestRunsShareNoGroups(t *testing.T) {
	t.Parallel()
	rows := func(step, n int) string { return strings.Repeat(row(step, 1), n) }
	const turn = `{"example_id":%d,"prompt":[{"role":"user","content":"p"}],"completion":[],"reward":1}` + "\n"
	tests := []struct {
		name  string
		files map[string]string
		o     Options
		want  string
		note  string // "" if two directories are not noted
	}{
		{"two runs", map[string]string{"a/1.jsonl": rows(1, 2), "b/1.jsonl": rows(1, 3)}, Options{}, "1: 2 3", "a and b, both step 1"},
		{"two runs with ids", map[string]string{"a/r.jsonl": strings.Repeat(fmt.Sprintf(turn, 4), 2), "b/r.jsonl": strings.Repeat(fmt.Sprintf(turn, 4), 3)}, Options{}, "0: 2 3", "a and b, both step 0"},
		{"a run that was resumed", map[string]string{"exp_001/1.jsonl": rows(1, 2), "exp_001/2.jsonl": rows(2, 2), "exp_002/2.jsonl": rows(2, 3), "exp_002/3.jsonl": rows(3, 2)}, Options{}, "1: 2, 2: 2 3, 3: 2", "exp_001 and exp_002, both step 2"},
		{"many rows", map[string]string{"a/1.jsonl": rows(1, 50_000), "b/1.jsonl": rows(1, 40_000)}, Options{}, "1: 50000 40000", "a and b"},
		{"validation", map[string]string{"rollouts/1.jsonl": rows(1, 2), "validation/1.jsonl": rows(1, 3)}, Options{Split: discover.SplitAll}, "1: 2 3", ""},
		{"one run in parts", map[string]string{"rank_0/1.jsonl": rows(1, 2), "rank_1/1.jsonl": rows(1, 3)}, Options{}, "1: 5", ""},
		{"runs of a sweep", map[string]string{"0/1.jsonl": rows(1, 2), "1/1.jsonl": rows(1, 3)}, Options{}, "1: 2 3", "0 and 1, both step 1"},
		{"a step that starts again", map[string]string{"epoch_0/1.jsonl": rows(1, 2), "epoch_1/1.jsonl": rows(1, 3)}, Options{}, "1: 2 3", "epoch_0 and epoch_1"},
		{"rows of the step before", map[string]string{"step_1/r.jsonl": rows(1, 2), "step_2/r.jsonl": rows(1, 1) + rows(2, 3)}, Options{}, "1: 3, 2: 3", ""},
		{"a folder for each step", map[string]string{"step_1/r.jsonl": rows(1, 2), "step_2/r.jsonl": rows(2, 3)}, Options{}, "1: 2, 2: 3", ""},
	}
	for _, test := range tests {
		w := trainer{t, t.TempDir()}
		for name, text := range test.files {
			w.add(name, text)
		}
		got, notes := groupsOf(t, test.o, w.dir)
		if got != test.want || (test.note == "") == strings.Contains(notes, "two folders") || !strings.Contains(notes, test.note) {
			t.Errorf("%s: %s, want %s; notes %q", test.name, got, test.want, notes)
		}
	}
}

// Which rewards are solved and wrong is of the own run, whatever is opened beside it.
func TestFateDependsOnTheOwnRunOnly(t *testing.T) {
	w := trainer{t, t.TempDir()}
	for dir, best := range map[string]int{"a": 1, "b": 10} {
		var text strings.Builder
		for i := range 40 {
			fmt.Fprintf(&text, `{"step":1,"prompt":"p%d","reward":%d}`+"\n", i/4, best*(i/4%2))
		}
		w.add(dir+"/1.jsonl", text.String())
	}
	s := open(t, Options{}, w.dir)
	a, err := analysis.Analyze(t.Context(), snapshotOf(t, s), 0, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if a.Fates[model.FateAllCorrect] != 10 || a.Fates[model.FateAllWrong] != 10 || a.Metric("pass@1") != 0.5 {
		t.Errorf("fates %v, pass@1 %v", a.Fates, a.Metric("pass@1"))
	}
}

// A run that starts while another is followed shares no groups with it.
func TestRunThatStartsLaterSharesNoGroups(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("a/1.jsonl", row(1, 1))
	r := follow(t, w.dir, Options{})
	r.until("the first run", hasRewards("1"))
	w.add("b/1.jsonl", row(1, 2))
	r.until("the second", hasRewards("1 2"))
	if one, two := r.Records[0].Prompt, r.Records[1].Prompt; one == two || two == 0 {
		t.Errorf("prompts %x and %x", one, two)
	}
}

// Next to a trainer's own log other tables are left out, whichever is read first.
func TestSideFilesAreLeftOut(t *testing.T) {
	const plain = `{"step":1,"reward":7,"prompt":"q"}` + "\n"
	table := `{"columns":["step","prompt","completion","fmt_reward"],"data":[[1,"q","o",7],[1,"q","o",8]]}`
	w := trainer{t, t.TempDir()}
	w.add("a/data.jsonl", plain)
	w.add("a/scores.csv", "reward\n7\n")
	w.add("m/1.jsonl", row(1, 1))
	w.add("wandb/media/table/x.table.json", table)
	w.add("z/data.jsonl", plain)
	w.add("z/completions.parquet", string(trlTable(t, []trlRow{{1, "q", "a", 2, 0, 0.5}}))) // a log of TRL
	got := readAll(t, w.dir)
	notes := strings.Join(got.Notes, "\n")
	if got.rewards() != "1 2" || got.Progress.BytesRead != got.Progress.BytesAll || !got.Progress.CaughtUp {
		t.Errorf("rewards %s, progress %+v", got.rewards(), got.Progress)
	}
	for _, want := range []string{"a/data.jsonl (jsonl) and the like, because the log of verl is next to it", "a/scores.csv (csv)", "x.table.json (wandb-table)"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q does not name %s", notes, want)
		}
	}
	if strings.Count(notes, "is next to it") != 3 {
		t.Error(notes)
	}
	if only := readAll(t, w.path("a")); only.rewards() != "7 7" {
		t.Error("a directory without a log:", only.rewards())
	}
	if named := readAll(t, w.path("m/1.jsonl"), w.path("a/data.jsonl")); named.rewards() != "1 7" {
		t.Error("files that were named:", named.rewards())
	}
}

// Next to a log, files without samples are noted; a log without rewards is a problem, and
// without a log every file is.
func TestFilesWithoutSamplesAreNoted(t *testing.T) {
	files := map[string]string{
		"checkpoints.jsonl":    `{"name":"000010","batch":10,"path":"x"}` + "\n",
		"step_1/metrics.jsonl": `{"step":1,"data":{"score":0.5}}` + "\n",
		"step_2/metrics.jsonl": `{"step":2,"data":{"score":0.5}}` + "\n",
		"2.jsonl":              `{"input":"q","output":"o","gts":"1","step":2}` + "\n",
	}
	w := trainer{t, t.TempDir()}
	for name, text := range files {
		w.add(name, text)
	}
	if alone := readAll(t, w.dir); len(alone.Problems) != 4 || len(alone.Notes) > 0 {
		t.Errorf("alone: problems %v, notes %q", alone.Problems, alone.Notes)
	}
	w.add("1.jsonl", row(1, 1))
	got := readAll(t, w.dir)
	if len(got.Problems) != 1 || got.Problems[0].File != "2.jsonl" || got.rewards() != "1" {
		t.Errorf("rewards %s, problems %v", got.rewards(), got.Problems)
	}
	want := []string{`checkpoints.jsonl: no reward field: the keys are "name", "batch", "path"`} // metrics.jsonl is not left out: the diagnosis reads it
	if !slices.Equal(got.Notes, want) {
		t.Errorf("notes %q", got.Notes)
	}
}

// A list of the wrong length, a group without rewards and rewards that are no numbers are counted, and the
// lines around them read.
func TestRaggedGroups(t *testing.T) {
	good := `{"step":1,"prompt":"p","completions":["a","b"],"rewards":[1,0]}` + "\n"
	for line, reason := range map[string]string{
		`{"step":1,"prompt":"p","completions":["a"],"rewards":[1,0]}`:                          `"completions" has 1 value but 2 in "rewards": it is unclear which belong together`,
		`{"step":1,"prompt":"p","completions":["a","b"],"rewards":[1,0],"advantages":[1,2,3]}`: `"advantages" has 3 values but 2 in "rewards": it is unclear which belong together`,
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

// So may one whose lists have other names, or hold objects with a reward.
func TestGroupTableOfOtherShapes(t *testing.T) {
	t.Parallel()
	type answer struct {
		Text   string  `parquet:"text"`
		Reward float64 `parquet:"reward"`
	}
	type named struct {
		Step    int64     `parquet:"step"`
		Prompt  string    `parquet:"prompt"`
		Mean    float64   `parquet:"mean_reward"`
		Outputs []string  `parquet:"sampled_outputs,list"`
		Scores  []float64 `parquet:"rollout_scores,list"`
	}
	type held struct {
		Step    int64    `parquet:"step"`
		Prompt  string   `parquet:"prompt"`
		Answers []answer `parquet:"answers,list"`
	}
	var names, objects bytes.Buffer
	if err := parquet.Write(&names, []named{{1, "p", 0.5, []string{"a", "b"}, []float64{1, 0}}, {2, "p", 1, []string{"c", "d"}, []float64{1, 1}}}); err != nil {
		t.Fatal(err)
	}
	if err := parquet.Write(&objects, []held{{1, "p", []answer{{"a", 1}, {"b", 0}}}, {2, "p", []answer{{"c", 1}, {"d", 1}}}}); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{names.String(), objects.String()} {
		w := trainer{t, t.TempDir()}
		w.add("a.parquet", table)
		s, all := openAndRead(t, w.path("a.parquet"))
		var got []string
		for _, r := range all {
			text, err := s.Text(context.Background(), model.Place{File: r.File, Offset: r.Offset, IndexInLine: r.IndexInLine})
			if err != nil {
				t.Error(err)
			}
			got = append(got, fmt.Sprintf("%d %s %v %s %v", r.Step, r.Group, r.Reward, text.Response, r.Components))
		}
		want := "1 a.parquet:1 1 a [], 1 a.parquet:1 0 b [], 2 a.parquet:2 1 c [], 2 a.parquet:2 1 d []"
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
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
		`{"prompt":["p","p","q"],"completion":["a","b"],"reward":[1,0,1]}`:                      `"completion" has 2 values but 3 in "reward": it is unclear which belong together`,
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

// Whether all rewards of a run are sums of components does not depend on the order of its files, which share a chunk.
func TestTotalsOfFilesOfAChunk(t *testing.T) {
	t.Parallel()
	total := `{"step":%d,"prompt":"p","response":"a","reward":2,"accuracy_reward":1}` + "\n"
	parts := `{"step":%d,"prompt":"p","response":"a","accuracy_reward":1}` + "\n"
	for _, c := range []struct {
		rows []string
		sums bool
	}{{[]string{total, parts}, false}, {[]string{parts, total}, false}, {[]string{parts, parts}, true}, {[]string{total, total}, false}} {
		w := trainer{t, t.TempDir()}
		for i, row := range c.rows {
			w.add(fmt.Sprintf("rows_%d.jsonl", i), fmt.Sprintf(row, i))
		}
		if snap := snapshotOf(t, open(t, Options{}, w.dir)); snap.Rows != 2 || snap.Run.SumsComponents != c.sums {
			t.Errorf("%q: %d rows, all sums: %v, want %v", c.rows, snap.Rows, snap.Run.SumsComponents, c.sums)
		}
	}
}
