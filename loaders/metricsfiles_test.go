package loaders

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files of averages are refused with the words of their trainer, by themselves and in their directory.
func TestFilesOfAveragesSayWhereTheSamplesAre(t *testing.T) {
	const tensorBoard = "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7fK\"\t\x00\x00\xc0\xe8\x9e\x81\xdaA\x1a\rbrain.Event:2"
	for name, c := range map[string]struct{ file, text, alone, beside string }{
		"verl in TensorBoard":   {"events.out.tfevents.1.host", tensorBoard + strings.Repeat("\x00\x01", 5000) + "\n\x14training/global_step\x15\x00\x00\x80?", "is a TensorBoard file, which holds averages of steps: verl writes samples, one row each, to DIR/{step}.jsonl with trainer.rollout_data_dir=DIR", "holds no logs: it has 1 other file (.tfevents); TensorBoard's files hold averages of steps; verl writes samples, one row each, to DIR/{step}.jsonl"},
		"nobody in TensorBoard": {"events.out.tfevents.1.host", tensorBoard, "`vantage formats` says how each trainer writes its samples", "verl writes them with trainer.rollout_data_dir=DIR, TRL with"},
		"TRL in W&B":            {"run-a1.wandb", ":W&B\xa7\x1c\x00\x01\x02train/frac_reward_zero_std\x12\x030.5", "is a W&B run file, which holds averages of steps: TRL writes samples, one row each, to DIR/completions/completions_{step}.parquet with log_completions=True", "TRL writes samples, one row each, to"},
		"nobody in W&B":         {"run-a1.wandb", ":W&B\xa7\x1c\x00", "open that, if it is there", "the folder files/media/table beside it tables of samples"},
		"a trainer's state":     {"trainer_state.json", `{"global_step":1,"log_history":[{"reward":0.5,"step":1}]}`, "", "trainer_state.json holds averages of steps; TRL writes samples to DIR/completions/completions_{step}.parquet"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.file)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
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
