package scalars

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/fileio"
)

// Averages are read in every container in which they come, by their shape: the values are those that a person reads in the files.
func TestContainers(t *testing.T) {
	for _, c := range []struct{ file, format, name, want, notes string }{
		{"tables/metrics.csv", "CSV of averages", "mean_reward", "[1 2] [0.25 0.5] []", "[]"},
		{"tables/metrics.csv", "CSV of averages", "loss", "[1] [0.5] [2]", "[]"},
		{"tables/metrics.csv", "CSV of averages", "kl", "[1] [0.125] []", "[]"},
		{"tables/metrics.tsv", "CSV of averages", "grad_norm", "[1 2] [0.001 0.002] []", "[]"},
		{"tables/metrics.json", "JSON document of averages", "reward", "[1 2] [0.25 0.5] []", "[]"},
		{"tables/columns.json", "JSON document of averages", "reward", "[1 2] [0.25 0.5] []", "[]"},
		{"tables/columns.json", "JSON document of averages", "grad_norm", "[1 2 3] [1 2 3] []", "[]"},
		{"tables/list.json", "JSON document of averages", "reward", "[1 2 3] [0.25 0.5 0.75] []", "[]"},
		{"tables/saved.json", "trainer_state.json", "reward", "[5 10] [0.25 0.5] []", "[]"},
		{"tables/wandb_export.csv", "W&B chart", "train/reward", "[10 20] [0.25 0.5] []", "[the chart has several runs: read is the first, run-7]"},
		{"tables/wandb_export.csv", "W&B chart", "run-8 - train/reward", "[10] [0.125] []", "[the chart has several runs: read is the first, run-7]"},
		{"tables/wandb_export.csv", "W&B chart", "train/reward__MIN", "none", "[the chart has several runs: read is the first, run-7]"},
		{"tables/run-a-tag-train_reward.csv", "TensorBoard chart", "train/reward", "[10 20] [0.25 0.5] []", "[]"},
		{"tables/train_reward.csv", "TensorBoard chart", "train_reward", "[10 20 30] [0.25 0.5 0.5] []", "[]"},
		{"tables/runs.csv", "CSV of averages", "mean_reward", "[1 2 3] [0.25 0.5 0.75] []", "[the log has 2 runs: read is the first, a; give a file with one for another]"},
		{"tables/woven.jsonl", "JSON lines", "reward", "[1 2 3] [0.25 0.5 0.75] []", "[the log has 2 runs: read is the first, a; give a file with one for another]"},
		{"tables/resumed.csv", "CSV of averages", "reward", "[1 2 3 4 5 6] [0.25 0.5 0.5 0.75 0.75 0.75] []", "[]"},
		{"tables/long.csv", "CSV of averages", "train/reward", "[1 2 3] [0.25 0.5 0.75] []", "[]"},
		{"tables/long.csv", "CSV of averages", "train/grad_norm", "[1 2] [1.5 1.5] []", "[]"},
		{"tables/long.jsonl", "JSON lines", "train/reward", "[1 2 3] [0.25 0.5 0.75] []", "[]"},
		{"tables/texts.jsonl", "JSON lines", "reward", "[1 2] [0.25 0.5] []", "[]"},
		{"tables/texts.jsonl", "JSON lines", "loss", "[1] [0.5] [2]", "[]"},
		{"tables/comma.csv", "CSV of averages", "reward", "[1 2] [0.25 0.5] []", "[]"},
		{"tables/bystep.json", "JSON document of averages", "reward", "[1 2 10] [0.25 0.5 0.75] []", "[]"},
		{"tables/pairs.json", "JSON document of averages", "reward", "[1 2 3] [0.25 0.5 0.75] []", "[]"},

		{"printed/nohup.out", "standard output", "reward", "[10 20 30] [0.25 0.5 0.75] []", "[4 other lines: ValueError: a made-up  end no step in the rows: it is that of the progress bar]"},
		{"printed/nohup.out", "standard output", "loss", "[10 20] [0 0.5] [30]", ""},
		{"printed/nohup.out", "standard output", "grad_norm", "[10 30] [1.5 2.5] [20]", ""},
		{"printed/nohup.out", "standard output", "reward_std", "[10 20 30] [0.25 0.25 0.25] []", ""},
		{"printed/nohup.out", "standard output", "completions/mean_length", "[10 20 30] [100 200 300] []", ""},
		{"printed/nohup.out", "standard output", "kl", "none", ""},
		{"printed/strings.log", "standard output", "reward", "[1 2 3] [0.25 0.5 0.75] []", "[1 other line is not read no step: rows are counted]"},
		{"printed/strings.log", "standard output", "eval_reward", "[2] [0.125] []", ""},
		{"printed/swift.log", "standard output", "reward", "[1 2] [0.5 0.625] []", "[1 other line is not read]"},
		{"printed/slurm-7.out", "standard output", "critic/score/mean", "[1 2] [0.25 0.375] []", "[2 other lines are not read]"},
		{"printed/slurm-7.out", "standard output", "actor/entropy", "[1 2] [0.5 0.5] []", ""},
		{"printed/slime.log", "standard output", "rollout/raw_reward", "[0 1] [0.25 0.5] []", "[]"},
		{"printed/slime.log", "standard output", "train/grad_norm", "[0 1] [1.5 1.5] []", "[]"},
		{"printed/orchestrator.log", "standard output", "reward", "[0 1 2] [0.25 0.5 0.75] []", "[]"},
		{"printed/mlx.out", "standard output", "total_rewards_mean", "[10 20] [0.25 0.5] []", "[1 other line is not read]"},
		{"printed/own.txt", "standard output", "reward", "[1 2] [0.25 0.5] []", "[1 other line is not read]"},
		{"printed/postfix.log", "standard output", "reward", "[1 2 3] [0.25 0.5 0.75] []", "[1 other line is not read no step in the rows: it is that of the progress bar]"},
		{"printed/named-bar.log", "standard output", "policy_loss", "[1 3] [-0.001 0.001] [2]", "[no step in the rows: it is that of the progress bar]"},
		{"printed/wrapped.log", "standard output", "reward", "[1 2 3] [0.25 0.5 0.75] []", "[1 other line is not read]"},
		{"printed/wrapped.log", "standard output", "kl", "[1] [0.5] [2 3]", ""},
		{"printed/pretty.log", "standard output", "reward", "[1 2] [0.25 0.5] []", "[2 other lines are not read]"},
		{"printed/two.log", "standard output", "reward", "[1 2 3 4] [0.25 0.5 0.75 1] []", "[1 other line is not read no step: rows are counted]"},
		{"printed/results.log", "standard output", "avg_reward", "[1 2] [0.25 0.5] []", "[4 other lines are not read]"},
		{"printed/results.log", "standard output", "mean_generation_length", "[1 2] [100 200] []", ""},
		{"printed/rich.log", "standard output", "reward/mean", "[1 2] [0.25 0.5] []", "[4 other lines are not read]"},
		{"printed/json.log", "standard output", "reward/mean", "[1 2] [0.25 0.5] []", "[2 other lines are not read]"},
	} {
		path := filepath.Join("testdata", c.file)
		f := found(t, path)
		if got := points(f, c.name); got != c.want || f.Format != c.format || c.notes != "" && fmt.Sprint(f.Notes) != c.notes {
			t.Errorf("%s: %s %s is %s, want %s; %q", c.file, f.Format, c.name, got, c.want, f.Notes)
		}
		text := string(filetest.Read(t, path))
		inFolder := filepath.Join(t.TempDir(), filepath.Base(path))
		filetest.Write(t, inFolder, text)
		folder := filepath.Dir(inFolder)
		if f, err := Read(nil, folder); err != nil || points(f, c.name) != c.want || !Alone(nil, folder) {
			t.Errorf("%s in its folder: %v, alone %v", c.file, err, Alone(nil, folder))
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		filetest.Write(t, inFolder+".gz", packed.String())
		if f, err := Read(nil, inFolder+".gz"); err != nil || points(f, c.name) != c.want && c.format != "TensorBoard chart" {
			t.Errorf("%s, packed: %v", c.file, err)
		}
	}
}

// A Parquet table of averages is read too.
func TestParquetOfAverages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.parquet")
	type row struct {
		Step     float64 `parquet:"step"`
		Reward   float64 `parquet:"reward"`
		GradNorm float64 `parquet:"grad_norm"`
	}
	if err := parquet.WriteFile(path, []row{{1, 0.25, 1.5}, {2, 0.5, 1.5}, {3, 0.75, 1.5}}); err != nil {
		t.Fatal(err)
	}
	if f := found(t, path); f.Format != "Parquet of averages" || points(f, "reward") != "[1 2 3] [0.25 0.5 0.75] []" {
		t.Errorf("%s: %s", f.Format, points(f, "reward"))
	}
}

// The metrics of a run of MLflow are read from its folder and from those above it; nothing else that lies in a folder of that name is one.
func TestMLflow(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "mlruns", "0", "0123456789abcdef0123456789abcdef")
	filetest.Write(t, filepath.Join(run, "meta.yaml"), "run_name: calm\n")
	filetest.Write(t, filepath.Join(run, "metrics", "train", "reward"), "1700000000000 0.25 1\n1700000001000 0.5 2\n")
	filetest.Write(t, filepath.Join(run, "metrics", "loss"), "1700000000000 0.5 1\n1700000001000 nan 2\n")
	filetest.Write(t, filepath.Join(dir, "other", "metrics", "notes"), "three words here\n")
	for _, path := range []string{dir, filepath.Join(dir, "mlruns"), run} {
		f := found(t, path)
		name := "train/reward"
		if got := points(f, name); f.Format != "MLflow" || got != "[1 2] [0.25 0.5] []" || points(f, "loss") != "[1] [0.5] [2]" {
			t.Errorf("%s: %s %s", path, f.Format, got)
		}
	}
	if f := found(t, filepath.Join(run, "metrics", "loss")); points(f, "loss") != "[1] [0.5] [2]" {
		t.Errorf("one file: %s", points(f, "loss"))
	}
	if f, err := Read(nil, filepath.Join(dir, "other")); !errors.Is(err, ErrNone) {
		t.Errorf("notes: %v %v", f, err)
	}
}

// A row of a table that lost cells is told and not read: which are missing nothing shows. Cells may be separated by bars.
func TestDamagedRowsOfAverages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "metrics.csv")
	filetest.Write(t, path, "step|reward|loss\n1|0.25|0.5\n2|0.5|0.5\n3|0.75|0.5\n4|0.5\n5|1|0.5\n")
	f := found(t, path)
	if got, want := points(f, "reward"), "[1 2 3 5] [0.25 0.5 0.75 1] []"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := "1 row with another number of cells than the header: not read"; !slices.Contains(f.Notes, want) {
		t.Errorf("%q", f.Notes)
	}
}

// The step is the column that moves.
func TestStep(t *testing.T) {
	rows := func(row func(i int) string) string {
		var all []string
		for i := range 40 {
			all = append(all, row(i))
		}
		return strings.Join(all, "\n")
	}
	for name, c := range map[string]struct {
		text string
		last int64
		note string
	}{
		"one that stands still": {rows(func(i int) string {
			return fmt.Sprintf(`{"_step": %d, "train/global_step": 0, "train/reward": 0.5}`, i+7)
		}), 46, ""},
		"the surest of two that move": {rows(func(i int) string {
			return fmt.Sprintf(`{"_step": %d, "train/global_step": %d, "train/reward": 0.5}`, 4*i, i+1)
		}), 40, ""},
		"one that moves once":   {rows(func(i int) string { return fmt.Sprintf(`{"_step": %d, "step": %d, "train/reward": 0.5}`, i, i/39) }), 39, ""},
		"an epoch of many rows": {rows(func(i int) string { return fmt.Sprintf(`{"epoch": %d, "loss": 1, "train/reward": 0.5}`, i/10) }), 40, "no step: rows are counted"},
		"an epoch a row":        {rows(func(i int) string { return fmt.Sprintf(`{"epoch": %d, "loss": 1, "train/reward": 0.5}`, i) }), 39, ""},
		"none":                  {rows(func(int) string { return `{"loss": 1, "reward": 0.5}` }), 40, "no step: rows are counted"},
	} {
		path := filepath.Join(t.TempDir(), "rows.jsonl")
		filetest.Write(t, path, c.text)
		f := found(t, path)
		isTold := c.note == "" && len(f.Notes) == 0 || slices.Contains(f.Notes, c.note)
		if f.Last != c.last || f.Steps != 40 || !isTold {
			t.Errorf("%s: last %d of %d, %q; want %d", name, f.Last, f.Steps, f.Notes, c.last)
		}
	}
}

// What is printed of samples, of settings and of other programs is no log of averages, and neither is a table of samples.
func TestNotOfAverages(t *testing.T) {
	for name, text := range map[string]string{
		"config.out":   "starting\n{'learning_rate': 1e-06, 'batch_size': 8, 'model': 'made/up', 'betas': [0.9, 0.95]}\n",
		"settings.log": "starting\n{'learning_rate': 1e-06, 'beta': 0.04}\n",
		"samples.log":  "starting\n" + strings.Repeat("{'step': 1, 'reward': 0.5, 'length': 12}\n", 8),
		"debug.log":    strings.Repeat("reward=0.5 length=12\n", 8),
		"texts.log":    "starting\n{'prompt': 'What is 2 + 2?', 'completion': '4', 'reward': 1.0}\n",
		"access.log":   "GET /step/1 200 12ms\nGET /reward 404 1ms\n",
		"samples.csv":  "step,reward,length\n1,0.5,10\n1,0.25,12\n1,0.75,9\n2,0.5,8\n2,0.25,8\n2,0.125,8\n",
		"texts.csv":    "step,prompt,reward,loss\n1,a,0.5,1\n2,b,0.25,1\n3,c,0.5,1\n",
		"people.csv":   "name,age\nA,1\nB,2\n",
		"samples.json": `[{"step": 1, "reward": 0.5}, {"step": 1, "reward": 0.25}, {"step": 2, "reward": 0.5}, {"step": 2, "reward": 0.75}]`,
		"config.json":  `{"optimizer": {"learning_rate": 1e-06, "betas": [0.9, 0.95]}, "sizes": [1, 2, 3]}`,
		"columns.json": `{"reward": [1, 0, 1, 0], "prompt": ["a", "a", "b", "b"], "step": [1, 1, 2, 2]}`,
	} {
		path := filepath.Join(t.TempDir(), name)
		filetest.Write(t, path, text)
		for _, p := range []string{path, filepath.Dir(path)} {
			if f, err := Read(nil, p); !errors.Is(err, ErrNone) {
				t.Errorf("%s: %v %v", name, f, err)
			}
		}
	}
}

// Rows of averages in a folder of logs or metrics next to samples are heard, whatever their name.
func TestBesideInFolders(t *testing.T) {
	rows := `{"step": 1, "reward": 0.25, "loss": 0.5}` + "\n" + `{"step": 2, "reward": 0.5, "loss": 0.5}` + "\n"
	for _, name := range []string{"logs/train_log.jsonl", "logs/own.jsonl", "metrics/train.jsonl", "train_metrics.jsonl"} {
		dir := t.TempDir()
		filetest.Write(t, filepath.Join(dir, "rollouts", "1.jsonl"), `{"input": "p", "output": "a", "score": 1, "step": 1}`+"\n")
		filetest.Write(t, filepath.Join(dir, filepath.FromSlash(name)), rows)
		if f, err := Beside(&fileio.Disk{}, filepath.Join(dir, "rollouts")); err != nil || points(f, "reward") != "[1 2] [0.25 0.5] []" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
