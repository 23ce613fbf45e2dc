package scalars

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/loaders/fileio"
	"vantage/model"
	"vantage/model/scalars"
)

// points are the points of a series as text.
func points(f *Found, name string) string {
	for i := range f.Series {
		if s := &f.Series[i]; s.Name == name {
			return fmt.Sprint(s.Steps, s.Values, s.Broken)
		}
	}
	return "none"
}

func found(t *testing.T, path string) *Found {
	t.Helper()
	f, err := Read(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Each format is read as its trainer writes it. The TensorBoard file is of tensorboardX 2.6.5, with a text and a histogram; the W&B file of
// wandb 0.19.11's DataStore, with a configuration larger than a block.
func TestFormats(t *testing.T) {
	verl := `{"step":1,"data":{"critic/score/mean":0.5,"training/global_step":1}}` + "\n" + `{"step":2,"data":{"critic/score/mean":0.75,"actor/grad_norm":null}}` + "\n"
	for _, c := range []struct{ file, text, format, name, want string }{
		{"testdata/tensorboard", "", "TensorBoard", "train/reward", "[1 2 3 4 5] [0.125 0.25 0.375 0.5 0.625] []"},
		{"testdata/tensorboard/events.out.tfevents.1700000000.node", "", "TensorBoard", "train/grad_norm", "[1 2 3 5] [2.5 5 7.5 12.5] [4]"},
		{"testdata/wandb/run-a1.wandb", "", "W&B", "critic/score/mean", "[10 20 30 40 50] [0.25 0.5 0.75 1 1.25] []"},
		{"testdata/wandb", "", "W&B", "actor/kl_loss", "[10 20 30 40 50] [0.5 1 1.5 2 2.5] []"},
		{"testdata/wandb", "", "W&B", "actor/grad_norm", "[10 20 30 40] [1 1 1 1] [50]"},
		{"exp.jsonl", verl, "JSON lines", "critic/score/mean", "[1 2] [0.5 0.75] []"},
		{"exp.jsonl", verl + `{"step":3,"data":{"critic/sco`, "JSON lines", "critic/score/mean", "[1 2] [0.5 0.75] []"},
		{"metrics.jsonl", `{"step": 0, "optim/lr": 1e-05, "env/all/reward/total": 0.21}` + "\n" + `{"step": 1, "env/all/reward/total": 0.25}`, "JSON lines", "env/all/reward/total", "[0 1] [0.21 0.25] []"},
		{"metrics.jsonl", `{"step": 4, "time": 1.7e9, "train/agg/all/agent/reward/mean": 0.5}`, "JSON lines", "train/agg/all/agent/reward/mean", "[4] [0.5] []"},
		{"logging.jsonl", `{"loss": 0.0, "reward": 0.5, "global_step/max_steps": "10/438", "elapsed_time": "3m"}` + "\n" + `{"loss": 0.1, "reward": NaN, "global_step/max_steps": "20/438"}`, "JSON lines", "reward", "[10] [0.5] [20]"},
		{"logging.jsonl", `{"loss": 0.5, "reward": 0.5, "global_step/max_steps": "1/2"}` + "\n" + `{"train_loss": 1, "log_history": [{"reward": 9, "step": 1}], "global_step": 2}`, "JSON lines", "reward", "[1] [0.5] []"},
		{"experiment_log.jsonl", `{"step": 1, "reward": {"overall": 0.25, "format": 1}, "loss": 1}`, "JSON lines", "reward/overall", "[1] [0.25] []"},
		{"log.jsonl", `{"step": 3, "reward": 0.5, "grad_norm": 2, "learning_rate": 1e-6, "rewards/a/mean": 1}`, "JSON lines", "grad_norm", "[3] [2] []"},
		{"trainer_state.json", `{"best_metric": null, "log_history": [{"loss": 0.1, "reward": 0.5, "step": 1}, {"eval_reward": 0.25, "step": 1}, {"reward": 0.75, "step": 2}], "max_steps": 9}`, "trainer_state.json", "reward", "[1 2] [0.5 0.75] []"},
	} {
		path := c.file
		if c.text != "" {
			path = filepath.Join(t.TempDir(), c.file)
			filetest.Write(t, path, c.text)
		}
		f := found(t, path)
		if got := points(f, c.name); got != c.want || f.Format != c.format || len(f.Notes) > 0 {
			t.Errorf("%s: %s %s is %s, want %s; %q", c.file, f.Format, c.name, got, c.want, f.Notes)
		}
		if c.text == "" {
			continue
		}
		if f, err := Read(nil, filepath.Dir(path)); err != nil || points(f, c.name) != c.want {
			t.Errorf("%s in its folder: %v", c.file, err)
		}
	}
}

// Samples, settings and other texts are no scalars.
func TestNoScalars(t *testing.T) {
	for name, text := range map[string]string{
		"rows.jsonl":   `{"prompt": "p", "completion": "c", "reward": 1, "step": 1}`,
		"scores.jsonl": `{"step": 1, "reward": 0.5}`,
		"groups.jsonl": `{"step": 1, "group_id": 7, "reward": 0.5, "completion_length": 120}`,
		"short.jsonl":  `{"step": 1, "prompt": "2 + 2?", "reward": 1, "length": 3}`,
		"train.jsonl":  `{"input": "` + strings.Repeat("x", 100) + `", "output": "b", "score": 1.0, "step": 1}`,
		"config.json":  `{"learning_rate": 1e-6}`,
		"text.wandb":   "text",
		"empty.jsonl":  "",
	} {
		path := filepath.Join(t.TempDir(), name)
		filetest.Write(t, path, text)
		for _, p := range []string{path, filepath.Dir(path)} {
			if f, err := Read(nil, p); !errors.Is(err, ErrNone) {
				t.Errorf("%s: %v %v", name, f, err)
			}
		}
	}
	if _, err := Read(nil, filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// Of checkpoints the newest counts, and the state of the run before it. Each start of a trainer begins a file of TensorBoard.
func TestNewest(t *testing.T) {
	dir := t.TempDir()
	state := func(reward string) string {
		return `{"log_history": [{"loss": 1, "reward": ` + reward + `, "step": 1}]}`
	}
	filetest.Write(t, filepath.Join(dir, "checkpoint-90", "trainer_state.json"), state("0.5"))
	filetest.Write(t, filepath.Join(dir, "checkpoint-100", "trainer_state.json"), state("0.75"))
	if got := points(found(t, dir), "reward"); got != "[1] [0.75] []" {
		t.Error(got)
	}
	filetest.Write(t, filepath.Join(dir, "trainer_state.json"), state("1"))
	if got := points(found(t, dir), "reward"); got != "[1] [1] []" {
		t.Error(got)
	}
	events := filetest.Read(t, "testdata/tensorboard/events.out.tfevents.1700000000.node")
	board := filepath.Join(t.TempDir(), "runs", "a")
	filetest.Write(t, filepath.Join(board, "events.out.tfevents.1.node"), string(events))
	filetest.Write(t, filepath.Join(board, "events.out.tfevents.2.node"), string(events))
	if f := found(t, filepath.Dir(filepath.Dir(board))); f.Files != 2 || points(f, "train/reward") != "[1 2 3 4 5] [0.125 0.25 0.375 0.5 0.625] []" {
		t.Errorf("%d files: %s", f.Files, points(f, "train/reward"))
	}
}

// The scalars of a run lie beside its samples or a folder above, if that is the run's: not in one that may hold other runs. Links that lead
// out are not followed, and pipes not opened.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	metrics := `{"step": 1, "loss": 1, "reward": 0.5}`
	filetest.Write(t, filepath.Join(dir, "logging.jsonl"), metrics)
	filetest.Write(t, filepath.Join(dir, "rollouts", "1.jsonl"), `{"prompt":"p","response":"r","reward":1}`)
	filetest.Write(t, filepath.Join(dir, "my-run", "1.jsonl"), `{"prompt":"p","response":"r","reward":1}`)
	outside := filepath.Join(t.TempDir(), "metrics.jsonl")
	filetest.Write(t, outside, metrics)
	for path, want := range map[string]bool{"rollouts": true, "rollouts/1.jsonl": true, "my-run": false, "": true} {
		if _, err := Beside(&fileio.Disk{}, filepath.Join(dir, path)); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "my-run", "metrics.jsonl")); err != nil {
		t.Skip(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "my-run", "trainer_state.json"), 0o600); err != nil {
		t.Skip(err)
	}
	done := make(chan error)
	go func() {
		_, err := Beside(&fileio.Disk{}, filepath.Join(dir, "my-run"))
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, ErrNone) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("waits for a pipe")
	}
}

// objects are a bucket: texts by their keys.
type objects map[string]string

func (b objects) Name() string      { return "s3://made/" }
func (b objects) Link() model.Link  { return model.Link{} }
func (b objects) Close() error      { return nil }
func (b objects) WillRead([]string) {}
func (b objects) all() (all []fileio.Object) {
	for key, text := range b {
		all = append(all, fileio.Object{Path: key, Bytes: int64(len(text)), Version: "1"})
	}
	return all
}

func (b objects) Stat(name string) (fs.FileInfo, error) {
	for _, o := range b.all() {
		if o.Path == name {
			return o, nil
		}
		if strings.HasPrefix(o.Path, name+"/") {
			return fileio.Object{Path: name, Folder: true}, nil
		}
	}
	return nil, fs.ErrNotExist
}

func (b objects) Tree(dir string) (fs.FS, error) {
	if dir == "." || dir == "run" {
		return nil, errors.New("the folder above may be anything")
	}
	return fileio.NewObjectTree(dir+"/", b.all()), nil
}

func (b objects) Open(name string) (fileio.Handle, error) {
	text, ok := b[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return fileio.NewRanged(fileio.Object{Path: name, Bytes: int64(len(text))}, strings.NewReader(text).ReadAt), nil
}

// In a storage the same files are read, of the folder above those whose names are known.
func TestBesideInAStorage(t *testing.T) {
	metrics, sample := `{"step": 1, "loss": 1, "reward": 0.5}`, `{"prompt":"p","response":"r","reward":1}`
	events := filetest.Read(t, "testdata/tensorboard/events.out.tfevents.1700000000.node")
	for name, c := range map[string]struct {
		files objects
		path  string
		want  string // the format
	}{
		"in the folder":   {objects{"run/rollouts/1.jsonl": sample, "run/rollouts/tb/events.out.tfevents.1.node": string(events)}, "run/rollouts", "TensorBoard"},
		"above":           {objects{"run/rollouts/1.jsonl": sample, "run/logging.jsonl": metrics}, "run/rollouts", "JSON lines"},
		"beside a file":   {objects{"run/rollouts.jsonl": sample, "run/trainer_state.json": `{"log_history": [` + metrics + `]}`}, "run/rollouts.jsonl", "trainer_state.json"},
		"of another run":  {objects{"run/my-run/1.jsonl": sample, "run/logging.jsonl": metrics}, "run/my-run", ""},
		"at the top":      {objects{"rollouts/1.jsonl": sample, "metrics.jsonl": metrics}, "rollouts", "JSON lines"},
		"nothing is here": {objects{}, "run", ""},
	} {
		f, err := Beside(c.files, c.path)
		if (err == nil) != (c.want != "") || err == nil && f.Format != c.want {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}

// Of a log that is too large the end is read, in each format, and that is said.
func TestReadsTheNewest(t *testing.T) {
	var lines, state strings.Builder
	for step := range 1000 {
		entry := fmt.Sprintf(`{"loss": 1, "reward": %d, "step": %d}`, step, step)
		lines.WriteString(entry + "\n")
		state.WriteString(", " + entry)
	}
	events := filetest.Read(t, "testdata/tensorboard/events.out.tfevents.1700000000.node")
	board := filetest.Read(t, "testdata/wandb/run-a1.wandb")
	bucket := objects{
		"a/metrics.jsonl": lines.String(), "a/trainer_state.json": `{"log_history": [` + state.String()[2:] + `], "max_steps": 9}`,
		"a/events.out.tfevents.1": string(events), "a/events.out.tfevents.2": string(events), "a/run.wandb": string(board),
	}
	d := &folder{storage: bucket, path: "a"}
	for _, c := range []struct {
		format string
		files  []string
		limit  int64
		name   string
		steps  string
	}{
		{"JSON lines", []string{"metrics.jsonl"}, 100, "reward", "[998 999]"},
		{"trainer_state.json", []string{"trainer_state.json"}, 150, "reward", "[998 999]"},
		{"TensorBoard", []string{"events.out.tfevents.1"}, int64(len(events)) - 420, "train/reward", "[5]"},
		{"TensorBoard", []string{"events.out.tfevents.1", "events.out.tfevents.2"}, int64(len(events)), "train/reward", "[1 2 3 4 5]"},
		{"W&B", []string{"run.wandb"}, int64(len(board)) - 1, "critic/score/mean", ""},
	} {
		all := allFormats()
		f := all[slices.IndexFunc(all, func(f format) bool { return f.name == c.format })]
		got, err := d.read(&source{format: f, files: c.files}, c.limit)
		if err != nil || len(got.Notes) != 1 || got.Notes[0] != "only the newest 256 MB are read" {
			t.Errorf("%s: %v %+v", c.format, err, got)
			continue
		}
		s := got.Series[slices.IndexFunc(got.Series, func(s scalars.Series) bool { return s.Name == c.name })]
		if c.steps != "" && fmt.Sprint(s.Steps) != c.steps || s.Steps[len(s.Steps)-1] < 5 {
			t.Errorf("%s of %d bytes: %v", c.format, c.limit, s.Steps)
		}
	}
}

// What is before damage is read, and the damage is told; a file that is still being written is whole as far as it goes.
func TestDamage(t *testing.T) {
	for _, file := range []string{"testdata/tensorboard/events.out.tfevents.1700000000.node", "testdata/wandb/run-a1.wandb"} {
		whole := filetest.Read(t, file)
		path := filepath.Join(t.TempDir(), filepath.Base(file))
		filetest.Write(t, path, string(whole[:len(whole)-7]))
		if f := found(t, path); len(f.Notes) > 0 || f.Steps != 4 && f.Steps != 5 {
			t.Errorf("%s, cut: %d steps, %q", file, f.Steps, f.Notes)
		}
		broken := bytes.Clone(whole)
		broken[len(broken)-100] ^= 1
		filetest.Write(t, path, string(broken))
		if f := found(t, path); len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "is damaged") || f.Steps > 5 {
			t.Errorf("%s, damaged: %d steps, %q", file, f.Steps, f.Notes)
		}
	}
}

// Logs of real runs say what a person reads in them.
func TestRealLogs(t *testing.T) {
	tinker := found(t, repotest.SampleLog(t, "tinker-cookbook/joanvelja_qwen3-30b/metrics.jsonl"))
	if r := tinker.Of(scalars.Reward, 1); r == nil || r.Name != "env/all/reward/total" || len(r.Values) != 51 || r.Values[0] != 0.21909179687500002 || tinker.Last != 50 {
		t.Errorf("%+v", r)
	}
	verl := found(t, repotest.SampleLog(t, "verl/file_logger/verl_grpo_example_gsm8k_0217/qwen3-0.6b-function-reward-minimal-fsdp-size1.jsonl"))
	if r := verl.Of(scalars.Truncated, 1); r == nil || len(r.Values) != 5 || r.Last() != 0.977343738079071 {
		t.Errorf("%+v", r)
	}
}

// Whatever bytes a file has, reading it ends, within the bounds, in finite values at rising steps.
func FuzzRead(f *testing.F) {
	for _, file := range []string{"testdata/tensorboard/events.out.tfevents.1700000000.node", "testdata/wandb/run-a1.wandb"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[max(0, len(data)-2000):])
		f.Add(data[:min(len(data), 2000)])
	}
	for _, folder := range []string{"testdata/printed", "testdata/tables"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range entries {
			f.Add(filetest.Read(f, filepath.Join(folder, e.Name())))
		}
	}
	f.Add([]byte(`{"log_history": [{"reward": 1, "step": 1e300}, {"a": {"b": NaN}, "step": -1}`))
	f.Add([]byte(`{"step": "3/4", "data": {"reward": 1e999}}` + "\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range allFormats() {
			for _, start := range []string{"", wandbHeader} {
				var log scalars.Log
				text := append([]byte(start), data...)
				read := &table{log: &log}
				in := &input{name: "a", head: text, text: bytes.NewReader(text), cut: len(data)%2 > 0, file: bytes.NewReader(text), size: int64(len(text))}
				format.is(in)
				if err := format.read(read, in); err != nil && !errors.Is(err, errDamaged) {
					t.Fatal(err)
				}
				read.decide()
				s := log.Scalars()
				for i := range s.Series {
					for k, x := range s.Series[i].Values {
						if x-x != 0 || k > 0 && s.Series[i].Steps[k] <= s.Series[i].Steps[k-1] {
							t.Fatalf("%s: %v", format.name, s.Series[i])
						}
					}
				}
				scalars.Diagnose(s)
			}
		}
		var log scalars.Log // what is behind checksums
		addEvent(&log, data)
		addHistory(&table{log: &log}, data)
	})
}
