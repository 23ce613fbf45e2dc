package formats_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/loaderstest"
	"vantage/loaders"
	"vantage/model"
)

// What a trainer writes of a sample beside its numbers is its status; the other fields of these rows say nothing of it.
func TestStatuses(t *testing.T) {
	const episode = `{"id":"e","task":{"data":{"prompt":"p"}},"group":{"id":"g"},"run":{"work":{"step":2}},"ok":false,"errors":[],"traces":[%s]}` + "\n"
	for name, c := range map[string]struct{ file, log, want string }{
		"prime-rl": {"rollouts/step_2/train/all/traces.jsonl", fmt.Sprintf(episode, strings.Join([]string{
			`{"ok":true,"rewards":{"a":{"score":1,"weight":1}},"stop_condition":"stop"}`,
			`{"ok":true,"rewards":{"a":{"score":1,"weight":1}},"stop_condition":"max_turns"}`,
			`{"ok":false,"rewards":null,"stop_condition":"error","nodes":[{"message":{"role":"assistant","content":"x"},"sampled":true}]}`,
			`{"rewards":{"a":{"score":1,"weight":1}}}`,
		}, ",")), "trains, cut off, errored, trains"},
		"nemo-rl": {"train_data_step5.jsonl", `{"content":[["q","a"]],"rewards":[0.5],"sample_loss_mask":[1.0],"token_loss_mask":[[0,1]],"idx":0}` + "\n" +
			`{"content":[["q","a"]],"rewards":[0.5],"sample_loss_mask":[0.0],"token_loss_mask":[[0,1]],"idx":1}` + "\n", "trains, masked"},
		"slime": {"7.jsonl", `{"step":7,"group_index":0,"prompt":"p","response":"r","reward":1,"remove_sample":false,"status":"completed"}` + "\n" +
			`{"step":7,"group_index":0,"prompt":"p","response":"r","reward":1,"remove_sample":false,"status":"truncated"}` + "\n" +
			`{"step":7,"group_index":0,"prompt":"p","response":"r","reward":1,"remove_sample":true,"status":"truncated"}` + "\n", "trains, cut off, masked"},
		"verifiers": {"train_rollouts.jsonl", `{"example_id":1,"prompt":[],"completion":[],"reward":0,"error":null,"is_filtered":false,"stop_condition":"done"}` + "\n" +
			`{"example_id":1,"prompt":[],"completion":[],"reward":0,"error":"Timeout","is_filtered":false}` + "\n" +
			`{"example_id":1,"prompt":[],"completion":[],"reward":0,"error":{},"is_filtered":true,"is_truncated":true}` + "\n" +
			`{"example_id":1,"prompt":[],"completion":[],"reward":0,"stop_condition":"gibberish"}` + "\n", "trains, errored, dropped, masked"},
		"open-instruct": {"a_rollouts_000000.jsonl", `{"step":1,"prompt_idx":5,"prompt_tokens":[1],"response_tokens":[3],"reward":1,"finish_reason":"length"}` + "\n", "cut off"},
		"miles":         {"3.jsonl", `{"sample_index":0,"group_index":4,"status":"truncated","reward":1,"prompt":"q","messages":[]}` + "\n", "cut off"},
		"tunix": {"trajectory_log_1.csv", "conversation_text,prompt_tokens,status,trajectory_reward,policy_version,group_id\n" +
			"a,[1],SUCCEEDED,1,0,g\nb,[1],MAX_CONTEXT_LIMIT_REACHED,0,0,g\n", "trains, cut off"},
		"jsonl": {"a.jsonl", `{"prompt":"p","response":"r","reward":1,"finish_reason":"stop"}` + "\n" + `{"prompt":"p","response":"r","reward":1,"finish_reason":"length"}` + "\n" +
			`{"prompt":"p","response":"r","reward":1,"is_truncated":true}` + "\n", "trains, cut off, cut off"},
		"csv":         {"a.csv", "prompt,response,reward,truncated\np,r,1,False\np,r,0,True\n", "trains, cut off"},
		"group-lines": {"a.jsonl", `{"prompt":"p","completions":["a","b"],"rewards":[1,0],"finish_reasons":["x","y"],"is_truncated":[false,true]}` + "\n", "trains, cut off"},
	} {
		var got []string
		for _, chunk := range loaders.Decode(c.file, []byte(c.log)) {
			if chunk.Format != name {
				t.Errorf("%s is read as %s", name, chunk.Format)
			}
			for _, r := range chunk.Records {
				got = append(got, r.Status.String())
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %s, want %s", name, strings.Join(got, ", "), c.want)
		}
	}
}

// A log that is read by blocks has the statuses of each row.
func TestStatusesOfBlocks(t *testing.T) {
	const rows = 20_000
	for name, row := range map[string]string{
		"a.jsonl": `{"step":1,"prompt":"p%d","response":"r","reward":1,"finish_reason":"%s"}` + "\n",
		"a.csv":   "p%d,r,1,%s\n",
	} {
		var log strings.Builder
		if name == "a.csv" {
			log.WriteString("prompt,response,reward,finish_reason\n")
		}
		for i := range rows {
			fmt.Fprintf(&log, row, i/8, []string{"stop", "length", "stop"}[i%3])
		}
		path := filepath.Join(t.TempDir(), name)
		filetest.Write(t, path, log.String())
		snap, cut := loaderstest.Read(t, path), 0
		for _, step := range snap.Steps {
			for _, status := range step.Statuses {
				cut += model.Count01(status == model.StatusCutOff)
			}
		}
		if want := (rows + 1) / 3; cut != want {
			t.Errorf("%s: %d are cut off, want %d", name, cut, want)
		}
	}
}
