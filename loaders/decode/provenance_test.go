package decode

import (
	"testing"
)

// The step is the number of a numbered file, or the one after a word; a directory that is only a
// number may be an id.
func TestStepFromPath(t *testing.T) {
	for in, want := range map[string]int64{
		"12.jsonl": 12, "a/0012.jsonl": 12, "train_data_step3.jsonl": 3, "iteration_000012/train.jsonl": 12,
		"global_step_10_evals/openai_gsm8k.jsonl": 10, "73850758/results.jsonl": 0, "steps.jsonl": 0, "x.jsonl": 0,
		"rollout_10.parquet": 10, "completions/completions_00010.parquet": 10, "iter_0000010/rank_0.jsonl": 10, "epoch_0_batch_7.jsonl": 7,
		"rank_3_step_4.jsonl": 4, "checkpoint-500/samples.jsonl": 500, "samples_20260102.jsonl": 0, "rank_3.jsonl": 0, "batch_64/rollouts.jsonl": 0,
	} {
		if got, _ := stepFromPath(in); got != want {
			t.Errorf("%s: %d, want %d", in, got, want)
		}
	}
}
