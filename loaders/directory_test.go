package loaders

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/formatstest"
	"vantage/internal/testkit/parquettest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
)

// A stream reads like the file, but has no name that could hold the step or name a line.
func TestStreamReadsLikeFile(t *testing.T) {
	for _, log := range formatstest.Logs(t, "formats/testdata") {
		if log.Format == "areal-text" {
			continue // its name holds group and step
		}
		for _, text := range []string{log.Text, gzipped(t, log.Text)} {
			s := open(t, Options{Stdin: io.NopCloser(strings.NewReader(text))}, "-")
			got := drain(t, s)
			want := slices.Clone(log.Want)
			for i := range want {
				if strings.Contains(got.Provenance, "no step") {
					want[i].Step = 0
				}
				want[i].Group = strings.Replace(want[i].Group, log.Name+":", "stdin:", 1) // of a line
			}
			if diff := formatstest.Diff(want, formatstest.Samples(got.Records)); got.Format != log.Format || diff != "" {
				t.Errorf("%s: read as %q, problems %v; -want +got\n%s", log.Format, got.Format, got.Problems, diff)
			}
			_ = s.Close()
		}
	}
}

// A conversation that ends with a response is split, so two responses to one question are in
// one group, whether the fast reader reads them or not.
func TestConversationSplitsIntoPromptAndResponse(t *testing.T) {
	t.Parallel()
	const start = `{"step":1,"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"}`
	one, two := start+`,{"role":"assistant","content":"ab"}],"reward":1}`+"\n", start+`,{"role":"assistant","content":"cde"},{"role":"tool","content":"4"}],"reward":0}`+"\n"
	w := trainer{t, t.TempDir()}
	w.add("a.jsonl", one+two)
	s, all := openAndRead(t, w.path("a.jsonl"))
	if len(all) != 2 || all[0].Prompt != all[1].Prompt || all[0].Length != 2 || all[1].Length != 4 {
		t.Fatalf("%+v", all)
	}
	text, err := s.Text(t.Context(), model.Place{File: all[1].File, Offset: all[1].Offset})
	if err != nil || text.Prompt != "system: s\n\nuser: q" || text.Response != "assistant: cde\n\ntool: 4" {
		t.Errorf("%+v, %v", text, err)
	}
	w.add("long.jsonl", strings.Repeat(one+two, 20_000))
	prompts := map[uint64]bool{}
	for _, r := range readAll(t, w.path("long.jsonl")).Records {
		prompts[r.Prompt] = true
	}
	w.add("prompt.jsonl", start+`],"reward":1}`+"\n")
	if only := readAll(t, w.path("prompt.jsonl")); len(prompts) != 1 || !prompts[only.Records[0].Prompt] {
		t.Errorf("%d prompts", len(prompts))
	}
}

// damagedRows is how many rows each file of logsToDamage has.
const damagedRows = 40

// logsToDamage are a log in each framing, packing and codec, by file name.
func logsToDamage(t *testing.T) map[string][]byte {
	t.Helper()
	var lines, table, list strings.Builder
	table.WriteString("step,group_id,response,reward\n")
	var rows []trlRow
	for i := range damagedRows {
		text := fmt.Sprintf("answer %d ", i*7919) // no two rows are equal
		fmt.Fprintf(&lines, `{"step":1,"group_id":"g%d","response":"%s","reward":%d}`+"\n", i/4, text, i%2)
		fmt.Fprintf(&table, "1,g%d,\"%s\",%d\n", i/4, text, i%2)
		fmt.Fprintf(&list, `,{"step":1,"group_id":"g%d","response":"%s","reward":%d}`, i/4, text, i%2)
		rows = append(rows, trlRow{1, fmt.Sprint("q", i/4), text, float64(i % 2), 0, 0})
	}
	logs := map[string][]byte{"a.jsonl": []byte(lines.String()), "a.csv": []byte(table.String()), "samples.json": []byte("[" + list.String()[1:] + "]")}
	for name, log := range map[string][]byte{"a.jsonl": logs["a.jsonl"], "a.csv": logs["a.csv"], "snappy.parquet": trlTable(t, rows)} {
		logs[name+".gz"], logs[name+".zst"] = []byte(gzipped(t, string(log))), []byte(zstdCompressed(t, string(log)))
	}
	for _, codec := range parquettest.Codecs() {
		var b bytes.Buffer
		if err := parquet.Write(&b, rows, parquet.Compression(codec)); err != nil {
			t.Fatal(err)
		}
		logs[strings.ToLower(codec.String())+".parquet"] = b.Bytes()
	}
	return logs
}

// damages are what happens to a file, each with a random place.
var damages = map[string]func(file []byte, at int) []byte{
	"a bit":     func(file []byte, at int) []byte { file[at] ^= 1 << (at % 8); return file },
	"a cut":     func(file []byte, at int) []byte { return file[:at] },
	"a claim":   func(file []byte, at int) []byte { copy(file[at:], "\xff\xff\xff\x7f"); return file },
	"a varint":  func(file []byte, at int) []byte { copy(file[at:], "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"); return file },
	"zeros":     func(file []byte, at int) []byte { clear(file[at:min(at+512, len(file))]); return file },
	"a swap":    func(file []byte, at int) []byte { return append(file[at:len(file):len(file)], file[:at]...) },
	"a repeat":  func(file []byte, at int) []byte { return append(file, file[:at]...) },
	"no middle": func(file []byte, at int) []byte { return append(file[:at/2], file[at:]...) },
}

// Damage to a file is that file's problem: a sentence names it where rows are missing, the others of the
// folder are read, and it costs little memory and time.
func TestDamagedFileInAFolder(t *testing.T) {
	random, logs := rand.New(rand.NewPCG(1, 2)), logsToDamage(t)
	for _, name := range slices.Sorted(maps.Keys(logs)) { // the same places each time
		w, log := trainer{t, t.TempDir()}, logs[name]
		w.add("whole/b.jsonl", strings.Repeat(row(1, 7), 3))
		for _, what := range slices.Sorted(maps.Keys(damages)) {
			for range repotest.Times(3, 12) {
				checkDamaged(t, w, name, what, damages[what](bytes.Clone(log), random.IntN(len(log))))
			}
		}
	}
}

// checkDamaged reads a folder with a damaged file and a whole one.
func checkDamaged(t *testing.T, w trainer, name, what string, data []byte) {
	t.Helper()
	filetest.Write(t, w.path(name), data)
	before, start := allocatedBytes(), time.Now()
	got := readAll(t, w.dir)
	grown, took := allocatedBytes()-before, time.Since(start)
	if grown > 96<<20 || took > 10*time.Second {
		t.Errorf("%s, %s: %d bytes allocated for %d in %v", name, what, grown, len(data), took)
	}
	whole := 0
	for _, r := range got.Records {
		if r.Reward == 7 {
			whole++
		}
	}
	if whole != 3 {
		t.Errorf("%s, %s: %d rows of the file beside it", name, what, whole)
	}
	if read := len(got.Records) - whole; read < damagedRows && !strings.Contains(fmt.Sprint(got.Problems, got.Notes, model.Run{Evaluation: got.Evaluation}.LeftOut()), name) && !endsALine(name, data) {
		t.Errorf("%s, %s: %d rows and no word of it; %q", name, what, read, data)
	}
}

// endsALine reports whether the rows after a cut are not missed. A table may be nothing but its header, whose line is being written.
func endsALine(name string, data []byte) bool {
	isHeader := name == "a.csv" && bytes.IndexByte(data, '\n') < 0
	return len(data) == 0 || isHeader || (name == "a.jsonl" || name == "a.csv") && data[len(data)-1] == '\n'
}

func allocatedBytes() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// stateOf returns a trainer_state.json that names reward functions.
func stateOf(names ...string) string {
	text := `{"epoch": 0.1, "log_history": [{"grad_norm": NaN, "reward": 1.0`
	for _, name := range names {
		text += `, "eval_rewards/` + name + `x/mean": 1, "rewards/` + name + `/mean": 0.5, "rewards/` + name + `/std": 0.1`
	}
	return text + `}], "best_metric": null}`
}

// Of each run within the opened directory the newest trainer_state.json names the reward functions; of
// those written at once it is that of the last step.
func TestRewardFunctionsOfTheTrainersRecord(t *testing.T) {
	t.Parallel()
	const rows = `{"step":1,"prompt":"p","response":"a","rewards":{"a":1,"b":2}}` + "\n"
	for name, test := range map[string]struct {
		files map[string]string
		open  string
		want  []string
		from  string
	}{
		"of the output directory":     {map[string]string{"trainer_state.json": stateOf("a", "b"), "completions/1.jsonl": rows}, ".", []string{"a", "b"}, "trainer_state.json"},
		"of a checkpoint":             {map[string]string{"checkpoint-20/trainer_state.json": stateOf("a"), "checkpoint-100/trainer_state.json": stateOf("c"), "completions/1.jsonl": rows}, ".", []string{"c"}, "checkpoint-100/trainer_state.json"},
		"a checkpoint with nothing":   {map[string]string{"checkpoint-1/trainer_state.json": stateOf("a"), "checkpoint-2/trainer_state.json": `{"log_history": []}`, "completions/1.jsonl": rows}, ".", []string{"a"}, "checkpoint-1/trainer_state.json"},
		"outside of what is opened":   {map[string]string{"trainer_state.json": stateOf("a"), "completions/1.jsonl": rows}, "completions", nil, ""},
		"of a run without logs":       {map[string]string{"other/trainer_state.json": stateOf("a"), "run/1.jsonl": rows}, ".", nil, ""},
		"of two runs":                 {map[string]string{"x/trainer_state.json": stateOf("a"), "x/1.jsonl": rows, "y/trainer_state.json": stateOf("b", "a"), "y/1.jsonl": rows}, ".", []string{"a", "b"}, "x/trainer_state.json"},
		"with an escaped name":        {map[string]string{"trainer_state.json": stateOf(`a\"\u00e9`), "1.jsonl": rows}, ".", []string{`a"é`}, "trainer_state.json"},
		"cut":                         {map[string]string{"trainer_state.json": stateOf("a", "b")[:120], "1.jsonl": rows}, ".", []string{"a"}, "trainer_state.json"},
		"only far behind its start":   {map[string]string{"trainer_state.json": strings.Repeat(" ", maxStateBytes) + stateOf("a"), "1.jsonl": rows}, ".", nil, ""},
		"that is no JSON at all":      {map[string]string{"trainer_state.json": "\x00\xff", "1.jsonl": rows}, ".", nil, ""},
		"with more names than anyone": {map[string]string{"trainer_state.json": stateOf(strings.Split(strings.Repeat("a b c d e f g h ", 2)+"i", " ")...), "1.jsonl": rows}, ".", strings.Split("abcdefghi", ""), "trainer_state.json"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, text := range test.files {
				filetest.Write(t, filepath.Join(dir, path), text)
				if err := os.Chtimes(filepath.Join(dir, path), yesterday, yesterday); err != nil {
					t.Fatal(err)
				}
			}
			s := open(t, Options{}, filepath.Join(dir, test.open))
			run := snapshotOf(t, s).Run
			if !slices.Equal(run.RewardNames, test.want) || filepath.ToSlash(run.RewardNamesFrom) != test.from {
				t.Errorf("reward functions %q of %q, want %q of %q", run.RewardNames, run.RewardNamesFrom, test.want, test.from)
			}
		})
	}
}

// A link out of the directory is not followed.
func TestRecordBehindALinkIsNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, "out", "trainer_state.json"), stateOf("a"))
	filetest.Write(t, filepath.Join(dir, "run", "1.jsonl"), row(1, 1))
	if err := os.Symlink(filepath.Join(dir, "out", "trainer_state.json"), filepath.Join(dir, "run", "trainer_state.json")); err != nil {
		t.Skip(err)
	}
	s := open(t, Options{}, filepath.Join(dir, "run"))
	if run := snapshotOf(t, s).Run; run.RewardNames != nil {
		t.Errorf("read %q", run.RewardNames)
	}
}

// The first checkpoint of a run that is followed names them.
func TestFollowedRunLearnsItsRewardFunctions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, "completions", "1.jsonl"), row(1, 1))
	r := follow(t, dir, Options{Poll: 10 * time.Millisecond})
	r.until("the first row", hasRewards("1"))
	filetest.Write(t, filepath.Join(dir, "checkpoint-1", "trainer_state.json"), stateOf("a"))
	filetest.Write(t, filepath.Join(dir, "completions", "2.jsonl"), row(2, 2))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		c, err := r.s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(c.RewardNames, []string{"a"}) {
			return
		}
	}
}

// Files of averages are refused with the words of their trainer, by themselves and in their directory.
func TestFilesOfAveragesSayWhereTheSamplesAre(t *testing.T) {
	const tensorBoard = "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7fK\"\t\x00\x00\xc0\xe8\x9e\x81\xdaA\x1a\rbrain.Event:2"
	for name, c := range map[string]struct{ file, text, alone, beside string }{
		"verl in TensorBoard":   {"events.out.tfevents.1.host", tensorBoard + strings.Repeat("\x00\x01", 5000) + "\n\x14training/global_step\x15\x00\x00\x80?", "is a TensorBoard file, which holds averages of steps: verl writes samples, one row each, to DIR/{step}.jsonl with trainer.rollout_data_dir=DIR", "holds no logs: it has 1 other file (.tfevents); TensorBoard's files hold averages of steps; verl writes samples, one row each, to DIR/{step}.jsonl"},
		"nobody in TensorBoard": {"events.out.tfevents.1.host", tensorBoard, "`vantage list formats` lists how each trainer writes its samples", "verl writes them with trainer.rollout_data_dir=DIR, TRL with"},
		"TRL in W&B":            {"run-a1.wandb", ":W&B\xa7\x1c\x00\x01\x02train/frac_reward_zero_std\x12\x030.5", "is a W&B run file, which holds averages of steps: TRL writes samples, one row each, to DIR/completions/completions_{step}.parquet with log_completions=True", "TRL writes samples, one row each, to"},
		"nobody in W&B":         {"run-a1.wandb", ":W&B\xa7\x1c\x00", "open that, if it is there", "the folder files/media/table next to it has tables of samples"},
		"a trainer's state":     {"trainer_state.json", `{"global_step":1,"log_history":[{"reward":0.5,"step":1}]}`, "", "trainer_state.json holds averages of steps; TRL writes samples to DIR/completions/completions_{step}.parquet"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.file)
		filetest.Write(t, path, c.text)
		for path, want := range map[string]string{path: c.alone, dir: c.beside} {
			if want == "" {
				continue
			}
			if _, err := Open([]string{path}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\nwant %s", name, err, want)
			}
		}
	}
}

// artRow is a trajectory as ART writes it.
// OpenPipe/ART src/art/utils/trajectory_logging.py, write_trajectory_groups_parquet.
type artRow struct {
	GroupIndex    int64     `parquet:"group_index"`
	GroupMetadata *string   `parquet:"group_metadata,optional"`
	GroupMetrics  *string   `parquet:"group_metrics,optional"`
	GroupLogs     []string  `parquet:"group_logs,list"`
	Reward        float64   `parquet:"reward"`
	Metrics       *string   `parquet:"metrics,optional"`
	Metadata      *string   `parquet:"metadata,optional"`
	Tools         *string   `parquet:"tools,optional"`
	Logs          []string  `parquet:"logs,list"`
	Messages      []artTurn `parquet:"messages,list"`
}

type artTurn struct {
	Role       *string `parquet:"role,optional"`
	Content    *string `parquet:"content,optional"`
	ToolCalls  *string `parquet:"tool_calls,optional"`
	ToolCallID *string `parquet:"tool_call_id,optional"`
	Trainable  *bool   `parquet:"trainable,optional"`
}

func artTable(t *testing.T, rewards ...float64) string {
	t.Helper()
	turn := func(role, content, calls string) artTurn {
		x := artTurn{Role: &role, Content: &content}
		if calls != "" {
			x.ToolCalls = &calls
		}
		return x
	}
	var rows []artRow
	for i, reward := range rewards {
		metrics := fmt.Sprintf(`{"turns": %d}`, i)
		rows = append(rows, artRow{GroupIndex: int64(i / 2), Reward: reward, Metrics: &metrics, Messages: []artTurn{
			turn("system", "s", ""), turn("user", fmt.Sprintf("q%d", i/2), ""),
			turn("assistant", "", `[{"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}]`),
			turn("tool", "found", ""), turn("assistant", fmt.Sprintf("a%d", i), ""),
		}})
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, parquet.Compression(&parquet.Zstd)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// ART's trajectories are found from wherever a person starts, an evaluation apart, and a call of a tool opens with
// its answer.
func TestART(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add(".art/p/models/m/trajectories/train/0003.parquet", artTable(t, 1, 0, 0.5, 1))
	w.add(".art/p/models/m/trajectories/train/0004.parquet", artTable(t, 0, 0, 0.5, 1))
	w.add(".art/p/models/m/trajectories/val/0003.parquet", artTable(t, 0, 0))
	w.add(".art/p/models/m/history.jsonl", `{"step":3,"recorded_at":"2026-01-01","train/reward":0.5}`+"\n")
	w.add(".art/p/models/m/state.json", `{"step":3}`)
	for _, folder := range []string{".art/p/models/m/trajectories/train", ".art/p/models/m/trajectories", ".art/p/models/m", ".art/p", ".art", "."} {
		s, all := openAndRead(t, w.path(folder))
		if len(all) != 8 {
			t.Fatalf("%s: %d samples", folder, len(all))
		}
		r := all[7]
		text, err := s.Text(t.Context(), model.Place{File: r.File, Offset: r.Offset, IndexInLine: r.IndexInLine})
		if r.Step != 4 || r.Group != "1" || r.Preview != "q1" || r.Reward != 1 || err != nil || text.Response != "assistant: look({})\n\ntool: found\n\nassistant: a3" {
			t.Errorf("%s: %+v, %q, %v", folder, r, text.Response, err)
		}
	}
	if c := readAll(t, w.path(".")); c.Format != "art" {
		t.Errorf("read as %s", c.Format)
	}
}

// The trials of a job are read from its folder; one that failed before its verifier is counted.
func TestHarborJob(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	trial := func(name, verifier string) {
		w.add("job/"+name+"/result.json", `{"task_name":"fix","trial_name":"`+name+`","agent_info":{"name":"a"},"agent_result":{"n_output_tokens":7},"verifier_result":`+verifier+`}`)
		w.add("job/"+name+"/agent/trajectory.json", `{"schema_version":"ATIF-v1.7","steps":[]}`)
	}
	trial("fix__1", `{"rewards":{"reward":1}}`)
	trial("fix__2", `{"rewards":{"reward":0}}`)
	trial("fix__3", `null`)
	w.add("job/result.json", `{"id":"j","n_total_trials":3,"stats":{"n_trials":3}}`)
	c := readAll(t, w.path("job"))
	if len(c.Records) != 2 || c.Format != "harbor" || c.Records[0].Group != "fix" || c.Records[1].Group != "fix" || c.Records[1].Reward != 0 || c.Skipped != 1 {
		t.Errorf("%s: %+v, %d skipped, %v", c.Format, c.Records, c.Skipped, c.Problems)
	}
}

// episodes are lines of verifiers' traces, each with a solver that is trained and a judge that is not.
func episodes(n int) string {
	random := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"e%d","task":{"data":{"prompt":"p%d"}},"run":{"work":{"step":%d}},"traces":[`+
			`{"id":"s","agent":{"name":"solver","trainable":true},"reward":%d,"completion":%q},`+
			`{"id":"j","agent":{"name":"judge","trainable": false },"reward":7,"completion":"fine"}]}`+"\n",
			i, i/4, i/64, i%2, strings.Repeat("word ", random.IntN(200)))
	}
	return b.String()
}

// Traces of agents that are not trained are no samples: they are counted by file, whoever reads them,
// and anew if the file is read again.
func TestTracesOfUntrainedAgents(t *testing.T) {
	for _, serial := range []bool{true, false} {
		const n = 9000
		path := t.TempDir() + "/traces.jsonl"
		filetest.Write(t, path, episodes(n))
		snap := snapshotOf(t, open(t, Options{serial: serial}, path))
		want := fmt.Sprintf("[not counted: %d traces of agents that are not trained (agent.trainable is false), in traces.jsonl]", n)
		if got := fmt.Sprint(snap.Run.Notes); snap.Rows != n || got != want {
			t.Errorf("serial %t: %d rows, notes %q, want %q", serial, snap.Rows, got, want)
		}
		for _, step := range snap.Steps {
			for _, reward := range step.Rewards {
				if reward == 7 {
					t.Fatal("the judge's reward is a sample's")
				}
			}
		}
	}
}
