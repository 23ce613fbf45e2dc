package logprobs

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/fileio"
)

// read returns the samples of files, each as a line that a person can check.
func read(t *testing.T, files map[string]string) ([]string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		filetest.Write(t, filepath.Join(dir, name), text)
	}
	return readAt(dir)
}

func readAt(path string) (got []string, err error) {
	err = Read(&fileio.Disk{}, path, func(s Sample) error {
		versions := "no versions"
		if s.Versions != nil {
			versions = fmt.Sprint("versions ", s.Versions.First, " ", s.Versions.Last)
		}
		if s.VersionLag != nil {
			versions += fmt.Sprint(" lag ", *s.VersionLag)
		} else if s.VersionSpan != nil {
			versions += fmt.Sprint(" span ", *s.VersionSpan)
		}
		got = append(got, fmt.Sprintf("%s:%d step %d id %q group %q r%v o%v n%v mask%v A %v %s", filepath.ToSlash(s.File), s.Line, s.Step, s.ID,
			s.Group, s.Sampler, s.Trainer, s.Policy, s.Mask, s.Advantage, versions))
		return nil
	})
	return got, err
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"the usual names": {map[string]string{"step_3.jsonl": `{"id": "a", "group": 7, "rollout_log_probs": [-1, -2, null], "old_log_probs": [-1, -2.5, -3], "response_mask": [1, 0, 1], "policy_version": [1, 2], "advantage": 0.5}
{"rollout_log_probs": [-1], "log_probs": [-2], "step": 9, "policy_version": 4, "advantages": [-1]}
{"rollout_log_probs": [-1], "old_log_probs": [-2], "log_probs": [-3]}
{"rollout_log_probs": [-1, -2], "old_log_probs": [-2]}
{"reward": 1}
`}, []string{
			`step_3.jsonl:1 step 3 id "a" group "7" r[-1 -2 NaN] o[-1 -2.5 -3] n[] mask[true false true] A 0.5 versions 1 2 lag 1`,
			`step_3.jsonl:2 step 9 id "" group "" r[-1] o[-2] n[] mask[] A -1 versions 4 4 lag 4`,
			`step_3.jsonl:3 step 3 id "" group "" r[-1] o[-2] n[-3] mask[] A NaN no versions`,
			`step_3.jsonl:4 step 3 id "" group "" r[-1 -2] o[-2] n[] mask[] A NaN no versions`,
		}},
		"NeMo-RL, and its rows that are out or have no log-probs of the trainer": {map[string]string{"exp_001/train_data_step4.jsonl": `{"generation_logprobs": [[0, -1, -2, 0]], "prev_logprobs": [[0, -1, -3, 0]], "token_loss_mask": [[0, 1, 1, 0]], "sample_loss_mask": [1], "advantages": [[0, 0.5, 0.5, 0]], "idx": [0]}
{"generation_logprobs": [[0, -1]], "prev_logprobs": [[0, 0]], "token_loss_mask": [[0, 1]], "sample_loss_mask": [1.0], "advantages": [[0, 1]]}
{"generation_logprobs": [[0, -1]], "prev_logprobs": [[0, -1]], "token_loss_mask": [[0, 1]], "sample_loss_mask": [0.0], "advantages": [[0, 1]]}
`}, []string{
			`exp_001/train_data_step4.jsonl:1 step 4 id "" group "" r[-1 -2] o[-1 -3] n[] mask[true true] A 0.5 no versions`,
			`exp_001/train_data_step4.jsonl:2 step 4 id "" group "" r[-1] o[] n[] mask[true] A 1 no versions`,
			`exp_001/train_data_step4.jsonl:3 step 4 id "" group "" r[-1] o[-1] n[] mask[false] A 1 no versions`,
		}},
		"open-instruct": {map[string]string{"run_rollouts_000000.jsonl": `{"step": 2, "prompt_idx": 3, "response_tokens": [5, 6], "advantage": 0.5, "logprobs": [-1, NaN]}
`}, []string{`run_rollouts_000000.jsonl:1 step 2 id "" group "3" r[-1 NaN] o[] n[] mask[] A 0.5 no versions`}},
		"AReaL, whose step nobody knows": {map[string]string{"rollout/3/40.jsonl": `{"task_id": 40, "sample_idx": 1, "head_version": 2, "tail_version": 3, "reward": 1}
{"task_id": 40, "sample_idx": 2, "head_version": null, "tail_version": 3}
`}, []string{`rollout/3/40.jsonl:1 step 3 id "1" group "40" r[] o[] n[] mask[] A NaN no versions span 1`}},
		"tinker-cookbook, its evaluations and what takes turns": {map[string]string{"iteration_000004/train_rollout_summaries.jsonl": `{"split": "train", "iteration": 4, "group_idx": 1, "traj_idx": 2, "sampling_client_step": 2}
{"split": "train", "iteration": 4, "group_idx": 1, "traj_idx": 3, "sampling_client_step": null}
{"split": "eval", "iteration": 4, "group_idx": 1, "traj_idx": 2, "sampling_client_step": 2}
`}, []string{`iteration_000004/train_rollout_summaries.jsonl:1 step 4 id "2" group "1" r[] o[] n[] mask[] A NaN versions 1 1 lag 2`}},
		"traces": {map[string]string{"rollouts/step_2/train/all/traces.jsonl": `{"id": "e", "group": {"id": "g"}, "run": {"work": {"step": 1, "policy": {"start": 0, "end": 1}}}, "traces": [{"nodes": [{"token_ids": [1], "mask": [false], "logprobs": []}, {"token_ids": [2, 3, 4], "mask": [true, false, true], "logprobs": [-1, -2], "trainer_logprobs": [-1, -3]}], "info": {"advantage": -0.5}}]}
`}, []string{`rollouts/step_2/train/all/traces.jsonl:1 step 2 id "e" group "g" r[-1 0 -2] o[-1 0 -3] n[] mask[true false true] A -0.5 versions 0 1 lag 1`}},
		"traces and their token export": {map[string]string{
			"rollouts/step_2/train/all/traces.jsonl": `{"id": "e", "group": {"id": "g"}, "run": {"work": {"step": 1, "policy": {"start": 0, "end": 1}}}, "traces": [{"nodes": [{"token_ids": [1, 2], "mask": [false, true], "logprobs": [-1]}], "info": {"advantage": -0.5}}]}
{"id": "f", "traces": [{"nodes": [{"token_ids": [1, 9], "mask": [false, true], "logprobs": [-1]}], "info": {"advantage": 0}}]}
`,
			"token_exports/step_2/rank_0.jsonl": `{"step": 2, "token_ids": [1, 2], "loss_mask": [false, true], "advantages": [0, -0.5], "inference_logprobs": [0, -1.25], "trainer_logprobs": [0, -1.5]}
`,
		}, []string{
			`rollouts/step_2/train/all/traces.jsonl:1 step 2 id "e" group "g" r[-1.25] o[-1.5] n[] mask[true] A -0.5 versions 0 1 lag 1`,
			`rollouts/step_2/train/all/traces.jsonl:2 step 2 id "f" group "" r[0 -1] o[] n[] mask[false true] A 0 no versions`,
		}},
	} {
		got, err := read(t, c.files)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v\n%q, want\n%q", name, err, got, c.want)
		}
	}
}

// A log without log-probs says so, and hostile lines are no rows.
func TestReadNothing(t *testing.T) {
	for name, text := range map[string]string{
		"no log-probs": `{"reward": 1}` + "\n", "torn": `{"rollout_log_probs": [-1`, "not a list": `{"traces": 7, "id": {}}` + "\n",
		"empty": "", "no object": "[1]\nnull\n",
	} {
		if got, err := read(t, map[string]string{"log.jsonl": text}); !errors.Is(err, ErrNone) || len(got) > 0 {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// The episodes of a step are those that trained, once, and their exports are found next to them.
func TestEpisodesOnce(t *testing.T) {
	dir := t.TempDir()
	episode := func(id string, token int) string {
		return fmt.Sprintf(`{"id": %q, "run": {"work": {"step": 1, "policy": {"start": 0}}}, "traces": [{"nodes": [{"token_ids": [%d], "mask": [true], "logprobs": [-1]}]}]}`+"\n", id, token)
	}
	for name, text := range map[string]string{
		"rollouts/step_2/train/all/traces.jsonl": episode("a", 1) + episode("dropped", 2), "rollouts/step_2/train/effective/traces.jsonl": episode("a", 1),
		"rollouts/step_2/eval/all/traces.jsonl": episode("evaluated", 3), "rollouts/step_3/train/all/traces.jsonl": episode("b", 4),
		"token_exports/step_2/rank_0.jsonl": `{"token_ids": [1], "loss_mask": [true], "advantages": [0.5], "inference_logprobs": [-1.25], "trainer_logprobs": [-1.5]}` + "\n",
	} {
		filetest.Write(t, filepath.Join(dir, name), text)
	}
	const a = `train/effective/traces.jsonl:1 step 2 id "a" group "" r[-1.25] o[-1.5] n[] mask[true] A 0.5 versions 0 0 lag 1`
	const b = `rollouts/step_3/train/all/traces.jsonl:1 step 3 id "b" group "" r[-1] o[] n[] mask[true] A NaN versions 0 0 lag 2`
	for path, want := range map[string]string{
		"": "rollouts/step_2/" + a + b, "rollouts": "rollouts/step_2/" + a + b, "token_exports": "rollouts/step_2/" + a + b,
		"rollouts/step_3": strings.TrimPrefix(b, "rollouts/step_3/"),
	} {
		got, err := readAt(filepath.Join(dir, path))
		if err != nil || strings.Join(got, "") != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", path, err, strings.Join(got, "\n"), want)
		}
	}
}
