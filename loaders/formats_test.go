package loaders

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vantage/loaders/formats"
	"vantage/model"
)

// exampleLog is a small log as its trainer would write it, and the samples that it holds.
type exampleLog struct {
	format, name, log string
	want              []model.Record // Step, Group, Reward, Advantage, Length; NaN advantages may be left 0
	components        []string
}

func exampleLogs() []exampleLog {
	none := math.NaN()
	return []exampleLog{
		{
			format: "verl", name: "3.jsonl",
			log:  `{"input":"q","output":"aa","gts":"1","score":0.5,"step":3,"uid":"u7_0_1"}` + "\n",
			want: []model.Record{{Step: 3, Group: "u7", Reward: 0.5, Advantage: none, Length: 2}},
		},
		{
			format: "easyr1", name: "generations.log",
			log:  "[prompt] a\nb\n[output] it says [score] 9\n[ground_truth] g\n[score] 0.25\n\n[prompt] c\n[output] d\n[ground_truth] g\n[score] nan\n\n",
			want: []model.Record{{Reward: 0.25, Advantage: none, Length: 17}, {Reward: none, Advantage: none, Length: 1}},
		},
		{
			format: "ms-swift", name: "completions.jsonl",
			log:        `{"step":["4","4"],"prompt":["p","p"],"completion":["abc","d"],"Accuracy":[1.0,0.0],"Format":[0.5,NaN],"advantages":[0.7,-0.7],"num_turns":[1,2]}` + "\n",
			want:       []model.Record{{Step: 4, Reward: 1.5, Advantage: 0.7, Length: 3, Components: []float64{1, 0.5}}, {Step: 4, Reward: 0, Advantage: -0.7, Length: 1, Components: []float64{0, none}}},
			components: []string{"Accuracy", "Format"},
		},
		{
			format: "ms-swift-ray", name: "completions.jsonl",
			log:  `{"gen_step":2,"prompt":"p","completion":"abcd","reward":1}` + "\n",
			want: []model.Record{{Step: 2, Reward: 1, Advantage: none, Length: 4}},
		},
		{
			format: "nemo-rl", name: "train_data_step5.jsonl",
			log:  `{"content":[["q","a"]],"rewards":[0.5],"token_ids":[[1,2,3]],"token_loss_mask":[[0,1,1]],"advantages":[[0.0,-0.25,-0.25]],"idx":0}` + "\n",
			want: []model.Record{{Step: 5, Reward: 0.5, Advantage: -0.25, Length: 2}},
		},
		{
			format: "roll", name: "rollout_dump_data.step_1.jsonl",
			log:  `{"global_step":[1,1],"id":["x","y"],"prompt":["p","q"],"responses":["a","bb"],"scores":[1.0,0.0]}` + "\n",
			want: []model.Record{{Step: 1, Group: "x", Reward: 1, Advantage: none, Length: 1}, {Step: 1, Group: "y", Advantage: none, Length: 2}},
		},
		{
			format: "skyrl", name: "global_step_10_evals/d.jsonl",
			log:  `{"input_prompt":"p","output_response":"r","score":[0.0,0.0,0.75],"env_class":"e","env_extras":{"reward_spec":{"ground_truth":"g"}}}` + "\n",
			want: []model.Record{{Step: 10, Reward: 0.75, Advantage: none, Length: 1}},
		},
		{
			format: "areal", name: "rollout/7/3.jsonl",
			log:  `{"task_id":3,"sample_idx":0,"seqlen":60,"prompt_len":20,"head_version":6,"tail_version":7,"reward":1.0,"prompt":"p","completion":"c"}` + "\n",
			want: []model.Record{{Step: 7, Group: "3", Reward: 1, Advantage: none, Length: 40}},
		},
		{
			format: "areal-text", name: "7/q9.txt",
			log: "idx: 1 / 2, seqlen: 33, reward is 1.0.\nprompt is \n\x1b[33m\x1b[2mp\x1b[0m\nsequence is: \n\x1b[33m\x1b[2mabc\x1b[0m\n" +
				"idx: 2 / 2, seqlen: 34, reward is -0.5.\nprompt is \n\x1b[33m\x1b[2mp\x1b[0m\nsequence is: \n\x1b[33m\x1b[2mde\x1b[0m\n",
			want: []model.Record{{Step: 7, Group: "q9", Reward: 1, Advantage: none, Length: 3}, {Step: 7, Group: "q9", Reward: -0.5, Advantage: none, Length: 2}},
		},
		{
			format: "prime-rl", name: "step_2/train/effective/traces.jsonl",
			log: `{"id":"e","task":{"data":{"prompt":"p","answer":"g"}},"group":{"id":"g0"},"run":{"work":{"step":2}},"traces":[` +
				`{"id":"t0","nodes":[{"message":{"role":"user","content":"p"}},{"message":{"role":"assistant","content":"abc"},"sampled":true}],"rewards":{"ok":{"score":1.0,"weight":1.0},"len":{"score":0.5,"weight":0.1}},"metrics":{"num_turns":3},"info":{"advantage":0.25}},` +
				`{"id":"t1","rewards":{"ok":{"score":0.0,"weight":1.0}},"info":{"advantage":-0.25}}]}` + "\n",
			want:       []model.Record{{Step: 2, Group: "g0", Reward: 1.05, Advantage: 0.25, Length: 3, Components: []float64{1, 0.05, 3}}, {Step: 2, Group: "g0", Reward: 0, Advantage: -0.25, Length: -1, Components: []float64{0, none, none}}},
			components: []string{"ok", "len", "metrics/num_turns"},
		},
		{
			format: "prime-hosted", name: "results.jsonl",
			log:        `{"run_id":"r","problem_id":4,"sample_id":1,"step":6,"reward":1.0,"advantage":-1.49e-08,"prompt":"[{\"role\":\"user\",\"content\":\"p\"}]","completion":"[{\"role\":\"assistant\",\"content\":\"abc\"}]","num_output_tokens":0,"metrics":{"judge":0.5}}` + "\n",
			want:       []model.Record{{Step: 6, Group: "4", Reward: 1, Advantage: -1.49e-08, Length: 3, Components: []float64{0.5}}},
			components: []string{"metrics/judge"},
		},
		{
			format: "verifiers", name: "results.jsonl",
			log:        `{"example_id":2,"prompt":[{"role":"user","content":"p"}],"completion":[{"role":"assistant","content":"abcd"}],"answer":"g","reward":2.15,"format_reward_func":1.0}` + "\n",
			want:       []model.Record{{Group: "2", Reward: 2.15, Advantage: none, Length: 4, Components: []float64{1}}},
			components: []string{"format_reward_func"},
		},
		{
			format: "open-instruct", name: "x_rollouts_000000.jsonl",
			log:  `{"step":1,"sample_idx":0,"prompt_idx":5,"prompt_tokens":[1,2],"response_tokens":[3,4,5],"reward":10.0,"advantage":0.67,"ground_truth":[1]}` + "\n",
			want: []model.Record{{Step: 1, Group: "5", Reward: 10, Advantage: 0.67, Length: 3}},
		},
		{
			format: "tinker", name: "iteration_000002/train_rollout_summaries.jsonl",
			log:  `{"split":"train","iteration":2,"group_idx":1,"traj_idx":0,"total_reward":0.5,"final_reward":0.0,"steps":[{"ac_len":10,"reward":0.5},{"ac_len":5,"reward":0}]}` + "\n",
			want: []model.Record{{Step: 2, Group: "1", Reward: 0.5, Advantage: none, Length: 15}},
		},
		{
			format: "rllm", name: "train_step_1_epoch_0/episode_hash_id.json",
			log:  "{\n  \"training_step\": 1,\n  \"task\": {\"question\": \"q\", \"ground_truth\": \"4\"},\n  \"task_hash\": \"h\",\n  \"trajectories\": [\n    {\"name\": \"solver\", \"reward\": 1.0, \"steps\": [{\"model_response\": \"ab\"}, {\"model_response\": \"c\"}]},\n    {\"name\": \"judge\", \"reward\": 0.5}\n  ]\n}",
			want: []model.Record{{Step: 1, Group: "h:solver", Reward: 1, Advantage: none, Length: 5}, {Step: 1, Group: "h:judge", Reward: 0.5, Advantage: none, Length: -1}},
		},
		{
			format: "tunix", name: "trajectory_log_1.csv",
			log: "conversation_text,conversation_masks,trajectory_reward,policy_version,original_input,group_id\n" +
				"\"[{'role': 'user', 'content': 'a\nb'}]\",\"[0, 1, 1]\",0.5,3,\"{'prompt': 'it''s', 'answer': '4'}\",8\n",
			want: []model.Record{{Step: 3, Group: "8", Reward: 0.5, Advantage: none, Length: 2}},
		},
		{
			format: "unstable-baselines", name: "train_data_step_9.csv",
			log:  "pid,obs,act,reward\r\n0,\"board\n1\",\"[4]\",-1.25\r\n1,board,x,1.25\r\n",
			want: []model.Record{{Step: 9, Reward: -1.25, Advantage: none, Length: 3}, {Step: 9, Reward: 1.25, Advantage: none, Length: 1}},
		},
		{
			format: "wandb-table", name: "completions_3_ab.table.json",
			log:        `{"columns":["step","prompt","completion","fmt_reward","advantage"],"data":[[3,"p","abc",1.0,0.5],[3,"p","d",NaN,-0.5]]}`,
			want:       []model.Record{{Step: 3, Reward: 1, Advantage: 0.5, Length: 3, Components: []float64{1}}, {Step: 3, Reward: none, Advantage: -0.5, Length: 1, Components: []float64{none}}},
			components: []string{"fmt_reward"},
		},
		{
			format: "json", name: "samples.json",
			log:  "{\"limit\": 2, \"samples\": [{\"group_id\": \"a\", \"reward\": 1},\n {\"group_id\": \"a\", \"reward\": 0}]}",
			want: []model.Record{{Group: "a", Reward: 1, Advantage: none, Length: -1}, {Group: "a", Advantage: none, Length: -1}},
		},
		{
			format: "csv", name: "log.tsv",
			log:  "step\tgroup\treward\tcorrect_reward\n1\t7\t0.5\tTrue\n1\t7\t\tFalse\n",
			want: []model.Record{{Step: 1, Group: "7", Reward: 0.5, Advantage: none, Length: -1, Components: []float64{1}}, {Step: 1, Group: "7", Reward: none, Advantage: none, Length: -1, Components: []float64{0}}},

			components: []string{"correct_reward"},
		},
	}
}

// comparedFields returns the fields that tests compare.
func comparedFields(records []model.Record) []model.Record {
	var all []model.Record
	for _, r := range records {
		all = append(all, model.Record{Step: r.Step, Group: r.Group, Reward: r.Reward, Advantage: r.Advantage, Length: r.Length, Components: r.Components})
	}
	return all
}

var nearlyEqual = []cmp.Option{cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-12)}

func TestFormats(t *testing.T) {
	tried := map[string]bool{"jsonl": true, "trl": true, "parquet": true} // with tests of their own
	for _, m := range exampleLogs() {
		tried[m.format] = true
		chunks := Decode(m.name, []byte(m.log))
		if len(chunks) != 1 {
			t.Errorf("%s: %d chunks", m.format, len(chunks))
			continue
		}
		c := chunks[0]
		if c.Format != m.format || len(c.Problems) > 0 {
			t.Errorf("%s: read as %q, problems %v", m.format, c.Format, c.Problems)
		}
		if diff := cmp.Diff(m.want, comparedFields(c.Records), nearlyEqual...); diff != "" {
			t.Errorf("%s: -want +got\n%s", m.format, diff)
		}
		if !slices.Equal(c.ComponentNames, m.components) {
			t.Errorf("%s: components %q, want %q", m.format, c.ComponentNames, m.components)
		}
	}
	for _, f := range formats.All() {
		if !tried[f.Name] {
			t.Errorf("%s has no example log", f.Name)
		}
		if f.Doc == "" || f.TrainerOption == "" {
			t.Errorf("%s does not say what it is or how it is written", f.Name)
		}
	}
}

// Windows programs put a byte order mark before a log.
func TestByteOrderMark(t *testing.T) {
	for _, m := range append(exampleLogs(), exampleLog{format: "csv", name: "a.csv", log: "reward,group\n1,a\n", want: []model.Record{{Group: "a", Reward: 1, Advantage: math.NaN(), Length: -1}}}) {
		c := Decode(m.name, []byte("\xef\xbb\xbf"+m.log))[0]
		if diff := cmp.Diff(m.want, comparedFields(c.Records), nearlyEqual...); c.Format != m.format || diff != "" {
			t.Errorf("%s: read as %q, problems %v; -want +got\n%s", m.format, c.Format, c.Problems, diff)
		}
	}
}

// A log that arrives in pieces gives the same samples.
func TestPiecesDoNotChangeSamples(t *testing.T) {
	logs := exampleLogs()
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(logs).Draw(t, "log")
		out := newChunkQueue()
		f := newFileReader(0, m.name, formats.All(), out)
		data := []byte(m.log)
		first := min(len(data), 16) // enough to detect the framing
		cuts := []int{first}
		cuts = append(cuts, rapid.SliceOfN(rapid.IntRange(first, len(data)), 0, 6).Draw(t, "cuts")...)
		slices.Sort(cuts)
		from := 0
		for _, at := range append(cuts, len(data)) {
			for piece := bytes.Clone(data[from:at]); len(piece) > 0; {
				piece = piece[f.feed(piece):]
			}
			from = at
		}
		f.finish()
		if diff := cmp.Diff(m.want, comparedFields(out.pending.records), nearlyEqual...); diff != "" {
			t.Fatalf("%s cut at %v: -want +got\n%s", m.format, cuts, diff)
		}
	})
}

// No file, whatever its name and bytes, makes a decoder panic.
func FuzzFormats(f *testing.F) {
	for _, m := range exampleLogs() {
		f.Add(m.name, []byte(m.log))
	}
	f.Fuzz(func(_ *testing.T, name string, log []byte) {
		Decode(name, log)
	})
}

// If a verl dump holds an overlong penalty, its score may not be the reward that was trained on.
func TestOverlongPenaltyIsNoted(t *testing.T) {
	for extra, want := range map[string]bool{`, "overlong_reward": -0.5, "overlong": true`: true, `, "acc": 1`: false} {
		chunks := Decode("1.jsonl", []byte(`{"input": "p", "output": "a", "gts": "1", "score": 1.0, "step": 1`+extra+"}\n"))
		if how := chunks[0].Provenance; strings.Contains(how, "score may lack the penalty for overlong responses") != want {
			t.Errorf("%s: %s", extra, how)
		}
	}
}

// Columns that play no role are named: a person may have meant one of them.
func TestUnusedColumnsAreNamed(t *testing.T) {
	for name, c := range map[string]struct{ file, log, want string }{
		"a component without its suffix": {"a.jsonl", `{"prompt":"p","accuracy_reward":1,"length_penalty":-1}`, "; not used: length_penalty"},
		"a nested field":                 {"a.jsonl", `{"input_prompt":"p","output_response":"r","score":1,"env_class":"e","env_extras":{"reward_spec":{"ground_truth":"g"}},"stop_reason":"s"}`, "; not used: env_class, stop_reason"},
		"objects of rewards":             {"a.jsonl", `{"prompt":"p","reward":1,"metrics":{"turns":2}}`, ""},
		"a second step":                  {"a.csv", "step,epoch,reward\n1,2,1\n", "; not used: epoch"},
		"many":                           {"a.jsonl", `{"reward":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}`, "; not used: b, c, d, e, f, g and 2 more"},
	} {
		how := Decode(c.file, []byte(c.log))[0].Provenance
		if _, got, _ := strings.Cut(how, "; "); got != strings.TrimPrefix(c.want, "; ") {
			t.Errorf("%s: %s", name, how)
		}
	}
}
