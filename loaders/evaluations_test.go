package loaders

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/discover"
	"vantage/model"
)

// completions writes the Parquet file of a step as TRL does: two rows for each letter, which is a
// prompt, with the step as the first reward.
func (w trainer) completions(step int, prompts string) {
	w.t.Helper()
	var rows []trlRow
	for _, p := range prompts {
		rows = append(rows, trlRow{int64(step), string(p), fmt.Sprint(step, prompts), float64(step), 0, 1}, trlRow{int64(step), string(p), "no", 0, 0, -1})
	}
	w.replace(fmt.Sprintf("completions/completions_%05d.parquet", step), string(trlTable(w.t, rows)))
}

// written sets when a file was last written, in seconds after a fixed time: the clock of a filesystem
// may be too coarse for what a test writes at once.
func (w trainer) written(at int, name string) {
	w.t.Helper()
	when := time.Date(2026, 11, 1, 0, 0, at, 0, time.UTC)
	if err := os.Chtimes(w.path(name), when, when); err != nil {
		w.t.Fatal(err)
	}
}

// step is completions with the time of the file.
func (w trainer) step(at, step int, prompts string) {
	w.t.Helper()
	w.completions(step, prompts)
	w.written(at, fmt.Sprintf("completions/completions_%05d.parquet", step))
}

// state writes a trainer_state.json as transformers does, with evaluations at some steps.
func (w trainer) state(name string, last int, evaluated ...int) {
	w.t.Helper()
	var entries []string
	for step := 1; step <= last; step++ {
		entries = append(entries, fmt.Sprintf(`{"epoch": 0.1, "loss": NaN, "reward": 0.5, "rewards/correct/mean": 0.5, "step": %d}`, step))
		if slices.Contains(evaluated, step) {
			entries = append(entries, fmt.Sprintf(`{"epoch": 0.1, "eval_loss": 0.0, "eval_reward": 0.5, "eval_rewards/correct/mean": 0.5, "step": %d}`, step))
		}
	}
	w.replace(name, fmt.Sprintf(`{"best_metric": null, "eval_steps": 4, "log_history": [%s], "global_step": %d}`, strings.Join(entries, ", "), last))
}

// stepsOf reads a run to its end, and returns its steps and what is known of evaluations.
func stepsOf(t *testing.T, path string, o Options) ([]int64, *model.Evaluation) {
	t.Helper()
	return stepNumbers(snapshotOf(t, open(t, o, path)))
}

func stepNumbers(snap model.Snapshot) (steps []int64, e *model.Evaluation) {
	for _, step := range snap.Steps {
		steps = append(steps, step.Number)
	}
	return steps, snap.Run.Evaluation
}

// Where columns tell the rows of evaluations, these do not count as training, and can be read alone: two steps of 4 rows, of which the second
// was evaluated with 2.
func TestEvaluationByColumn(t *testing.T) {
	t.Parallel()
	rows := func(format func(step, row int, isEvaluation bool) string) string {
		var text strings.Builder
		for step := 1; step <= 2; step++ {
			for row := range 4 {
				text.WriteString(format(step, row, false))
			}
			for row := range 2 * (step - 1) {
				text.WriteString(format(step, row, true))
			}
		}
		return text.String()
	}
	choose := func(yes bool, a, b string) string {
		if yes {
			return a
		}
		return b
	}
	jsonRows := func(column, evaluated, trained string) string {
		return rows(func(step, row int, isEvaluation bool) string {
			return fmt.Sprintf(`{"step": %d, "prompt": "q%d", "response": "r", "reward": %d, %q: %s}`+"\n", step, row/2, row%2, column, choose(isEvaluation, evaluated, trained))
		})
	}
	type markedRow struct {
		Step   int64   `parquet:"step"`
		Prompt string  `parquet:"prompt"`
		Reward float64 `parquet:"reward"`
		Split  string  `parquet:"split"`
	}
	var marked []markedRow
	rows(func(step, row int, isEvaluation bool) string {
		marked = append(marked, markedRow{int64(step), fmt.Sprint("q", row/2), float64(row % 2), choose(isEvaluation, "val", "train")})
		return ""
	})
	var table bytes.Buffer
	if err := parquet.Write(&table, marked); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"t.parquet":   table.String(),
		"split.jsonl": jsonRows("split", `"val"`, `"train"`),
		"phase.jsonl": jsonRows("phase", `"Eval"`, `"rollout"`),
		"flag.jsonl":  jsonRows("is_eval", "true", "false"),
		"type.jsonl":  jsonRows("type", `"eval"`, `"rollout"`),
		"other.jsonl": jsonRows("is_train", "0", "1"),
		"list.json":   "[" + strings.ReplaceAll(strings.TrimSpace(jsonRows("data_split", `"test"`, `"train"`)), "\n", ",") + "]",
		"table.csv": "step,prompt,reward,split\n" + rows(func(step, row int, isEvaluation bool) string {
			return fmt.Sprintf("%d,q%d,%d,%s\n", step, row/2, row%2, choose(isEvaluation, "validation", "train"))
		}),
	} {
		for split, want := range map[discover.Split]int{discover.SplitTrain: 8, discover.SplitVal: 2, discover.SplitAll: 10} {
			path := filepath.Join(t.TempDir(), name)
			filetest.Write(t, path, text)
			snap := snapshotOf(t, open(t, Options{Split: split}, path))
			if snap.Rows != want || len(snap.Run.Problems) > 0 {
				t.Errorf("%s has %d rows of %s, not %d; %v", name, snap.Rows, split, want, snap.Run.Problems)
			}
			notes := strings.Join(snap.Run.Notes, "; ")
			if says := strings.Contains(notes, "2 rows marked as evaluations, in "+name); says != (split == discover.SplitTrain) {
				t.Errorf("%s, rows of %s: %q", name, split, notes)
			}
			if snap.Run.EvaluatesOnly != (split == discover.SplitVal) {
				t.Errorf("%s, rows of %s: are all of evaluations? %t", name, split, snap.Run.EvaluatesOnly)
			}
		}
	}
}

// Evaluations are told by trainer_state.json: that of the newest checkpoint, of the run's own folder
// or the opened one, unless the file is of a later run.
func TestEvaluationByTrainerState(t *testing.T) {
	for name, c := range map[string]struct {
		write func(w trainer)
		open  string
		want  []int64
	}{
		"a checkpoint": {func(w trainer) { w.state("checkpoint-3/trainer_state.json", 3, 2) }, ".", []int64{1, 3}},
		"the newest checkpoint": {func(w trainer) {
			w.state("checkpoint-1/trainer_state.json", 1, 1)
			w.state("checkpoint-3/trainer_state.json", 3, 2)
		}, ".", []int64{1, 3}},
		"at the end":          {func(w trainer) { w.state("trainer_state.json", 3, 2) }, ".", []int64{1, 3}},
		"without evaluations": {func(w trainer) { w.state("trainer_state.json", 3) }, ".", []int64{1, 2, 3}},
		"of another run":      {func(w trainer) { w.state("other/trainer_state.json", 3, 2) }, ".", []int64{1, 2, 3}},
		"torn":                {func(w trainer) { w.replace("trainer_state.json", `{"log_history": [{"eval_loss": 1, "st`) }, ".", []int64{1, 2, 3}},
		"outside":             {func(w trainer) { w.state("trainer_state.json", 3, 2) }, "completions", []int64{1, 2, 3}},
		"older than the file": {func(w trainer) {
			w.state("trainer_state.json", 3, 2)
			_ = os.Chtimes(w.path("trainer_state.json"), time.Time{}, time.Now().Add(-time.Hour))
		}, ".", []int64{1, 2, 3}},
		"copied, with the same prompts": {func(w trainer) {
			w.completions(4, "Z")
			w.state("trainer_state.json", 4, 2, 4)
			_ = os.Chtimes(w.path("trainer_state.json"), time.Time{}, time.Now().Add(-time.Hour))
		}, ".", []int64{1, 3}},
	} {
		w := trainer{t, t.TempDir()}
		for step, prompts := range []string{"ab", "Z", "cd"} {
			w.completions(step+1, prompts)
		}
		c.write(w)
		got, e := stepsOf(t, filepath.Join(w.dir, c.open), Options{})
		if !slices.Equal(got, c.want) || (e != nil) != (c.want[1] == 3) {
			t.Errorf("%s: steps %v, want %v; %+v", name, got, c.want, e)
		}
	}
}

// Each split reads its rows, and says what it knows.
func TestEvaluationSplits(t *testing.T) {
	w := trainer{t, t.TempDir()}
	for step, prompts := range []string{"WXYZ", "abcd", "efgh", "ijkl", "WXYZ", "mnop", "qrst", "uvab", "WXYZ"} {
		w.completions(step, prompts)
	}
	for _, serial := range []bool{true, false} {
		for split, want := range map[discover.Split][]int64{
			"": {1, 2, 3, 5, 6, 7}, discover.SplitTrain: {1, 2, 3, 5, 6, 7}, discover.SplitVal: {0, 4, 8}, discover.SplitAll: {0, 1, 2, 3, 4, 5, 6, 7, 8},
		} {
			got, e := stepsOf(t, w.dir, Options{Split: split, serial: serial})
			if !slices.Equal(got, want) || (e == nil) != (split == discover.SplitAll) {
				t.Errorf("%q: steps %v, want %v; %+v", split, got, want, e)
			}
			if e == nil {
				continue
			}
			if e.Rows != 24 || !slices.Equal(e.Steps, []int64{0, 4, 8}) || !slices.Equal(e.Lost, []int64{4, 8}) || len(e.Kept) > 0 || e.Shown != (split == discover.SplitVal) {
				t.Errorf("%q: %+v", split, e)
			}
			if len(e.Evidence) != 2 || e.Evidence[0] != (model.EvaluationEvidence{Kind: "same prompts", Why: "the same prompts come in the same order at regular steps, and at no other", Steps: 2, First: 4, File: "completions/completions_00004.parquet"}) {
				t.Errorf("%q: %+v", split, e.Evidence)
			}
		}
	}
}

// Validation that has a folder of its own is read as before.
func TestValidationFolderOfTRL(t *testing.T) {
	w := trainer{t, filepath.Join(t.TempDir(), "eval")}
	w.completions(0, "ab")
	w.completions(1, "ab")
	for _, split := range []discover.Split{discover.SplitTrain, discover.SplitVal} {
		if got, e := stepsOf(t, filepath.Dir(w.dir), Options{Split: split}); !slices.Equal(got, []int64{0, 1}) || e != nil {
			t.Errorf("%s: %v, %+v", split, got, e)
		}
	}
}

// followRun follows a run into a store.
type followRun struct {
	*follower
	store *model.Store
}

func newFollowRun(t *testing.T, w trainer) followRun {
	t.Helper()
	return followRun{follow(t, w.dir, Options{polling: true}), model.NewStore()}
}

// settle reads what is there, and returns the steps.
func (r followRun) settle() ([]int64, *model.Evaluation) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for {
		c, err := r.s.Next(ctx)
		if err != nil {
			break
		}
		r.store.Append(c)
	}
	synctest.Wait() // for a call to the disk that Next has left: it must not see half of what the test writes next
	return stepNumbers(r.store.Snapshot())
}

// attempts returns what is left out since the run was started again.
func (r followRun) attempts() model.RunAttempts { return r.store.Snapshot().Run.Attempts }

// Rows of training that were read before an evaluation overwrote them stay, while the evaluation is
// written too. Their text is gone, and that is said.
func TestOverwrittenTrainingStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.step(10, 1, "ab")
		w.step(20, 2, "cd")
		r := newFollowRun(t, w)
		r.settle()
		const file = "completions/completions_00002.parquet"
		w.replace(file, "")
		if steps, e := r.settle(); !slices.Equal(steps, []int64{1, 2}) || e != nil {
			t.Error("an empty file:", steps, e)
		}
		w.replace(file, "PAR1 and so on, far from its end")
		if steps, e := r.settle(); !slices.Equal(steps, []int64{1, 2}) || e != nil {
			t.Error("a file that is being written:", steps, e)
		}
		w.step(25, 2, "YZ")
		steps, e := r.settle()
		if !slices.Equal(steps, []int64{1, 2}) || e == nil || e.Rows != 4 || !slices.Equal(e.Kept, []int64{2}) || len(e.Lost) > 0 {
			t.Errorf("overwritten: %v, %+v", steps, e)
		}
		w.written(26, file)
		if steps, e := r.settle(); !slices.Equal(steps, []int64{1, 2}) || e == nil || !slices.Equal(e.Kept, []int64{2}) {
			t.Errorf("touched: %v, %+v", steps, e)
		}
		if a := r.attempts(); a.Count > 1 || len(a.LeftOut)+len(a.Doubts) > 0 {
			t.Errorf("an evaluation is no attempt: %+v", a)
		}
		snap := r.store.Snapshot()
		if _, err := r.s.Text(t.Context(), snap.Steps[1].Place(0)); err == nil || !strings.Contains(err.Error(), "was overwritten by the evaluation of its step") {
			t.Error(err)
		}
		w.state("checkpoint-2/trainer_state.json", 2, 2)
		w.written(27, "checkpoint-2/trainer_state.json")
		if steps, e := r.settle(); !slices.Equal(steps, []int64{1, 2}) || !slices.Equal(e.Kept, []int64{2}) {
			t.Errorf("after the checkpoint: %v, %+v", steps, e)
		}
		w.step(30, 3, "ef")
		w.step(40, 2, "gh") // by a run that was started again
		if steps, e := r.settle(); !slices.Equal(steps, []int64{1, 2}) || e != nil {
			t.Errorf("written anew: %v, %+v", steps, e)
		}
		if a := r.attempts(); len(a.LeftOut) != 1 || a.LeftOut[0].Cause != model.Resumed || a.LeftOut[0].Step != 2 || a.LeftOut[0].First != 3 {
			t.Errorf("written anew: %+v", a)
		}
		if text, err := r.s.Text(t.Context(), r.store.Snapshot().Steps[1].Place(0)); err != nil || text.Prompt != "g" {
			t.Error(text, err)
		}
	})
}

// The same prompts again, and a file of a step that is over, are training.
func TestRewrittenTrainingReplaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.step(10, 1, "ab")
		w.step(20, 2, "cd")
		r := newFollowRun(t, w)
		r.settle()
		w.step(30, 2, "cd")
		if steps, e := r.settle(); !slices.Equal(steps, []int64{1, 2}) || e != nil {
			t.Error("the same prompts:", steps, e)
		}
		w.step(40, 1, "ef") // a new run
		w.step(50, 2, "gh")
		if steps, e := r.settle(); !slices.Equal(steps, []int64{1, 2}) || e != nil {
			t.Error("a new run:", steps, e)
		}
	})
}

// An evaluation that was read as training is left out once a checkpoint tells, and read again if the
// file is that of another run.
func TestEvaluationIsToldLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.step(10, 1, "ab")
		w.step(20, 2, "YZ")
		r := newFollowRun(t, w)
		if steps, _ := r.settle(); !slices.Equal(steps, []int64{1, 2}) {
			t.Error("before:", steps)
		}
		w.state("checkpoint-2/trainer_state.json", 2, 2)
		w.written(21, "checkpoint-2/trainer_state.json")
		if steps, e := r.settle(); !slices.Equal(steps, []int64{1}) || e == nil || !slices.Equal(e.Lost, []int64{2}) {
			t.Errorf("told: %v, %+v", steps, e)
		}
		w.step(30, 2, "cd")
		if steps, e := r.settle(); !slices.Equal(steps, []int64{1, 2}) || e != nil {
			t.Errorf("another run: %v, %+v", steps, e)
		}
	})
}

// Logs that go on in one file, and W&B's tables, have an evaluation after the rows of its step.
func TestEvaluationAfterTraining(t *testing.T) {
	table := func(step int, prompt string) string {
		return fmt.Sprintf(`{"columns":["step","prompt","completion","fmt_reward","advantage"],"data":[[%d,%q,"x",%d,1],[%d,%q,"y",0,-1]]}`, step, prompt, step, step, prompt)
	}
	swift := map[string]string{"completions.jsonl": swiftLine([2]int{1, 1}) + swiftLine([2]int{2, 2}) + swiftLine([2]int{2, 9}) + swiftLine([2]int{3, 9}) + swiftLine([2]int{4, 4}) + swiftLine([2]int{4, 9})}
	tables := map[string]string{
		"media/table/completions_0_a.table.json": table(0, "z"), "media/table/completions_1_b.table.json": table(1, "a"),
		"media/table/completions_2_c.table.json": table(2, "b"), "media/table/completions_3_d.table.json": table(2, "z"),
	}
	for name, c := range map[string]struct {
		files      map[string]string
		split      discover.Split
		want       string
		evaluation []int64
	}{
		"ms-swift":             {swift, "", "10 11 12 13 20 21 22 23 40 41 42 43", []int64{2}},
		"ms-swift, evaluation": {swift, discover.SplitVal, "90 91 92 93", []int64{2}},
		"ms-swift, all":        {swift, discover.SplitAll, "10 11 12 13 20 21 22 23 90 91 92 93 40 41 42 43", nil},
		"ms-swift of Megatron": {map[string]string{"completions.jsonl": strings.ReplaceAll(swiftLine([2]int{1, 1})+swiftLine([2]int{1, 2}), `"step"`, `"gen_step"`)}, "", "10 11 12 13 20 21 22 23", nil},
		"W&B":                  {tables, "", "1 0 2 0", []int64{0, 2}},
		"W&B, evaluation":      {tables, discover.SplitVal, "0 0 2 0", []int64{0, 2}},
	} {
		w := trainer{t, t.TempDir()}
		for file, text := range c.files {
			w.add(file, text)
		}
		got := drain(t, open(t, Options{Split: c.split}, w.dir))
		if got.rewards() != c.want {
			t.Errorf("%s: rewards %s, want %s; notes %q", name, got.rewards(), c.want, got.Notes)
		}
		if _, e := stepsOf(t, w.dir, Options{Split: c.split}); c.evaluation == nil && e != nil || c.evaluation != nil && (e == nil || !slices.Equal(e.Steps, c.evaluation) || len(e.Lost) > 0) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// A run that is started again over its old files writes other prompts into them: that is no evaluation,
// and its evaluations are those of the new attempt.
func TestRunAgainWithEvaluations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		r := newFollowRun(t, w)
		at := 0
		write := func(step int, prompts string) ([]int64, *model.Evaluation) {
			at += 10
			w.step(at, step, prompts)
			return r.settle()
		}
		for i, prompts := range []string{"ab", "cd", "ef"} {
			write(i+1, prompts)
		}
		write(3, "YZ")
		if steps, e := write(4, "gh"); !slices.Equal(steps, []int64{1, 2, 3, 4}) || e == nil || !slices.Equal(e.Kept, []int64{3}) {
			t.Fatalf("the first attempt: %v, %+v", steps, e)
		}
		write(1, "ij")
		write(2, "kl")
		if steps, e := write(3, "mn"); !slices.Equal(steps, []int64{1, 2, 3}) || e != nil {
			t.Errorf("written anew: %v, %+v", steps, e)
		}
		steps, e := write(3, "YZ")
		if !slices.Equal(steps, []int64{1, 2, 3}) || e == nil || !slices.Equal(e.Kept, []int64{3}) || e.Rows != 4 {
			t.Errorf("evaluated again: %v, %+v", steps, e)
		}
		if a := r.attempts(); a.Count != 2 || a.Shown != 2 || len(a.LeftOut) != 1 || a.LeftOut[0].First != 4 || a.LeftOut[0].Samples != 4 {
			t.Errorf("attempts: %+v", a)
		}
	})
}

// When another folder takes the place of one, its evaluations are left out with its rows, and nothing is
// concluded from them.
func TestFolderWithEvaluationsIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, filepath.Join(t.TempDir(), "run")}
		w.step(10, 0, "YZ")
		w.step(20, 1, "ab")
		w.step(30, 2, "YZ")
		w.state("checkpoint-2/trainer_state.json", 2, 2)
		w.written(31, "checkpoint-2/trainer_state.json")
		r := newFollowRun(t, w)
		if steps, e := r.settle(); !slices.Equal(steps, []int64{1}) || e == nil || !slices.Equal(e.Steps, []int64{0, 2}) {
			t.Fatalf("before: %v, %+v", steps, e)
		}
		if err := os.Rename(w.dir, w.dir+".old"); err != nil {
			t.Fatal(err)
		}
		w.step(110, 1, "cd")
		w.step(120, 2, "ef")
		r.settle()
		w.step(130, 3, "gh")
		steps, e := r.settle()
		if !slices.Equal(steps, []int64{1, 2, 3}) || e != nil {
			t.Errorf("after: %v, %+v", steps, e)
		}
		if a := r.attempts(); a.Count != 2 || a.Shown != 2 || len(a.LeftOut) != 1 || a.LeftOut[0].Cause != model.FolderReplaced || a.LeftOut[0].Samples != 4 {
			t.Errorf("attempts: %+v", a)
		}
	})
}

// A folder is read in which a run with evaluations was started again: the rows of the newest attempt
// are shown, of training or of evaluations.
func TestFolderOfAttemptsWithEvaluations(t *testing.T) {
	w := trainer{t, t.TempDir()}
	at := 0
	// Each fourth step is evaluated, and the last.
	write := func(last int, first rune) {
		for step := 1; step <= last; step++ {
			prompts := string([]rune{first, first + 1, first + 2, first + 3})
			first += 4
			if step%4 == 0 || step == last {
				prompts = "WXYZ"
			}
			at++
			w.step(at, step, prompts)
		}
	}
	write(11, 0x400)
	at += 600
	write(9, 0x500)
	for split, want := range map[discover.Split][]int64{discover.SplitTrain: {1, 2, 3, 5, 6, 7}, discover.SplitVal: {4, 8, 9}} {
		snap := snapshotOf(t, open(t, Options{Split: split}, w.dir))
		if steps, e := stepNumbers(snap); !slices.Equal(steps, want) || e == nil || !slices.Equal(e.Steps, []int64{4, 8, 9}) {
			t.Errorf("%s: %v, %+v", split, steps, e)
		}
		if a := snap.Run.Attempts; a.Count != 2 || a.Shown != 2 || len(a.LeftOut) != 1 || a.LeftOut[0].Last != map[discover.Split]int64{discover.SplitTrain: 10, discover.SplitVal: 11}[split] {
			t.Errorf("%s: %+v", split, a)
		}
	}
}
