package loaders

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/model"
	"vantage/model/analysis"
)

// goldenBatch and goldenCase are of estimators/offpolicy/testdata/golden: what the trainers' own code made of made rows.
type goldenBatch struct {
	Name       string
	Mask       [][]int
	Old        [][]any
	Rollout    [][]any
	Advantages []float64
	Groups     []int
}

type goldenCase struct {
	Batch   string
	Options map[string]any
	Weights [][]any
	Kept    []string
	Error   string
}

// isComputed reports whether the trainer gives each row a log-prob other than 0: a row of zeros stands for one that it did not score.
func (b goldenBatch) isComputed() bool {
	for i, mask := range b.Mask {
		isScored := !slices.Contains(mask, 1)
		for k, m := range mask {
			isScored = isScored || m == 1 && b.Old[i][k] != 0.0
		}
		if !isScored {
			return false
		}
	}
	return true
}

func goldenFile(t *testing.T, name string, into any) {
	t.Helper()
	filetest.JSON(t, filepath.Join("..", "estimators", "offpolicy", "testdata", "golden", name), into)
}

// nemoLog writes a batch as NeMo-RL does: every value in a list of one, a number per token, padded to the longest row.
func nemoLog(t *testing.T, b goldenBatch) string {
	t.Helper()
	width := 0
	for _, mask := range b.Mask {
		width = max(width, len(mask))
	}
	padded := func(values []any) []any { return append(slices.Clone(values), make([]any, width-len(values))...) }
	var text strings.Builder
	for i := range b.Mask {
		mask, advantages := make([]any, 0, width), make([]any, 0, width)
		for _, m := range b.Mask[i] {
			mask, advantages = append(mask, m), append(advantages, b.Advantages[i])
		}
		fill := func(values []any) []any {
			values = padded(values)
			for k := range values {
				if values[k] == nil {
					values[k] = 0.0
				}
			}
			return values
		}
		line, err := json.Marshal(map[string]any{
			"content": []any{[]any{"question", "answer"}}, "rewards": []any{i % 2}, "idx": i, "group_id": []any{b.Groups[i]},
			"generation_logprobs": []any{fill(b.Rollout[i])}, "prev_logprobs": []any{fill(b.Old[i])}, "token_loss_mask": []any{fill(mask)},
			"sample_loss_mask": []any{1.0}, "advantages": []any{fill(advantages)}, "input_lengths": []any{width},
		})
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, "train_data_step1.jsonl"), text.String())
	return dir
}

func readForRules(t *testing.T, path string) (*Source, model.Snapshot) {
	t.Helper()
	source, err := Open([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = source.Close() })
	store := model.NewStore()
	for {
		chunk, err := source.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return source, store.Snapshot()
		}
		if err != nil {
			t.Fatal(err)
		}
		store.Append(chunk)
	}
}

// A log in NeMo-RL's shape of rows that its own code filtered: the chain keeps the rows of which that keeps a token, and multiplies the
// advantage by the mean of the weights that it gave the tokens.
func TestAnOffPolicyRuleKeepsWhatItsTrainerKeeps(t *testing.T) {
	var batches struct{ Batches []goldenBatch }
	goldenFile(t, "batches.json", &batches)
	tried := 0
	for rule, file := range map[string]string{
		"nemo-rl/importance_sampling": "nemo_rl_is.json", "nemo-rl/seq_logprob_error": "nemo_rl_seq_logprob_error.json",
		"trl/vllm_importance_sampling": "trl_vllm_is.json", "slime/mis": "slime_mis.json", "prime-rl/default": "prime_rl_dppo.json",
	} {
		var golden struct{ Cases []goldenCase }
		goldenFile(t, file, &golden)
		for _, b := range batches.Batches {
			kind, _, _ := strings.Cut(b.Name, "_")
			if !slices.Contains([]string{"ordinary", "mismatch", "bounds", "tools", "dominated", "ties"}, kind) || !b.isComputed() {
				continue
			}
			source, snap := readForRules(t, nemoLog(t, b))
			for _, c := range golden.Cases {
				if isOther := rule == "prime-rl/default" && c.Options["type"] != "default"; c.Batch != b.Name || c.Error != "" || isOther {
					continue
				}
				set := settingsOf(t, rule, c.Options)
				judged, err := source.Judge(t.Context(), snap, set)
				if err != nil {
					t.Fatalf("%s %v: %v", rule, c.Options, err)
				}
				a, err := analysis.Analyze(t.Context(), snap.WithJudged(judged), 0, set)
				if err != nil {
					t.Fatal(err)
				}
				tried++
				compareWithTrainer(t, fmt.Sprintf("%s %v, %s", rule, c.Options, b.Name), a, b, c)
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d cases were tried, want 100", tried)
	}
}

func settingsOf(t *testing.T, rule string, options map[string]any) model.Settings {
	t.Helper()
	set := model.DefaultSettings().WithFramework("twinkle") // advantages r − μ
	set.Scale = "none"
	set, err := set.Set("off_policy", rule)
	for _, key := range slices.Sorted(maps.Keys(options)) {
		text, _ := json.Marshal(options[key])
		if err == nil {
			set, err = set.Set("option", key+"="+strings.Trim(string(text), `"`))
		}
	}
	if err == nil {
		set, err = set.Resolved()
	}
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func compareWithTrainer(t *testing.T, where string, a *analysis.Analysis, b goldenBatch, c goldenCase) {
	t.Helper()
	for k, row := range a.InputRow {
		letters, trainable, sum := c.Kept[row], 0, 0.0
		if isOfOtherSign := strings.HasPrefix(where, "prime-rl") && (a.Unfiltered[k] > 0) != (b.Advantages[row] > 0); isOfOtherSign {
			continue // the rule looks at it, and the rewards of the log are not those of the batch
		}
		for i, letter := range letters {
			if letter == '.' {
				continue
			}
			trainable++
			switch {
			case letter != '1':
			case c.Weights == nil:
				sum++
			default:
				weight, _ := c.Weights[row][i].(float64)
				sum += weight
			}
		}
		isRemoved := trainable > 0 && !strings.ContainsAny(letters, "1ni")
		if a.Keep[k] == isRemoved {
			t.Errorf("%s: row %d with %s is kept: %v", where, row, letters, a.Keep[k])
		}
		want := a.Unfiltered[k]
		if trainable > 0 {
			want *= sum / float64(trainable)
		}
		isNumber := !strings.ContainsAny(letters, "ni")
		if gap := a.Processed[k] - want; isNumber && !(gap <= 1e-5 && gap >= -1e-5) {
			t.Errorf("%s: row %d with %s has advantage %v, want %v", where, row, letters, a.Processed[k], want)
		}
	}
}

// A log without what a rule reads says which option of its trainer writes that.
func TestARuleWithoutLogProbs(t *testing.T) {
	for name, c := range map[string]struct{ file, text, rule, want string }{
		"verl": {
			"1.jsonl", `{"input": "q", "output": "a", "gts": "a", "score": 1, "step": 1}`, "trl/vllm_importance_sampling",
			"trl/vllm_importance_sampling needs log-probs of the engine that sampled, which the log lacks: verl keeps them in memory " +
				"(actor_rollout_ref.rollout.calculate_log_probs) and writes averages alone, which `vantage summary` reads",
		},
		"versions": {
			"x.jsonl", `{"step": 1, "prompt": "q", "reward": 1, "rollout_log_probs": [-1], "old_log_probs": [-1]}`, "prime-rl/max_off_policy_steps",
			"prime-rl/max_off_policy_steps needs the versions of the policies that sampled the rows, which the log lacks: no option of its " +
				"trainer is known to write them, and any JSON lines or Parquet with rollout_log_probs and old_log_probs are read",
		},
	} {
		dir := t.TempDir()
		filetest.Write(t, filepath.Join(dir, c.file), c.text+"\n")
		source, snap := readForRules(t, dir)
		if _, err := source.Judge(t.Context(), snap, settingsOf(t, c.rule, nil)); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Samples and log-probs of several files, some compressed lines apart, find each other: those of slime are in another file than the samples.
func TestRowsFindTheirLogProbs(t *testing.T) {
	dir := t.TempDir()
	lines := ""
	for i := range 6 {
		lines += fmt.Sprintf(`{"step": %d, "prompt": "q%d", "reward": %d, "response": "é\u00e9", "rollout_log_probs": [-1, -1], "old_log_probs": [%d, -1]}`+"\n\n", 1+i/4, i/2, i%2, -i)
	}
	filetest.Write(t, filepath.Join(dir, "a.jsonl"), lines)
	filetest.Write(t, filepath.Join(dir, "b.jsonl"), `{"step": 2, "prompt": "q9", "reward": 1}`+"\n")
	source, snap := readForRules(t, dir)
	set := settingsOf(t, "trl/vllm_importance_sampling", map[string]any{"vllm_importance_sampling_mode": "token_mask"})
	judged, err := source.Judge(t.Context(), snap, set)
	if err != nil {
		t.Fatal(err)
	}
	removed := 0.0
	for i := range snap.Steps {
		a, err := analysis.Analyze(t.Context(), snap.WithJudged(judged), i, set)
		if err != nil {
			t.Fatal(err)
		}
		if kept := a.Metric("vantage/off_policy/tokens_kept"); i == 0 && kept != 1 {
			t.Errorf("%v of the tokens of step 1 are kept, want all: no ratio is above 3", kept)
		}
		removed += a.Metric("vantage/off_policy/removed")
	}
	if judged.Samples() != 6 || removed != 0 {
		t.Errorf("%d samples are judged and %v removed, want 6 and 0", judged.Samples(), removed)
	}
}

// What a rule makes of a log that grew between two questions is what it makes of the whole log, also where its weights are of all rows of a
// step; and a log that is written anew is read from its beginning.
func TestARuleAboutALogThatGrows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rollouts.jsonl")
	set := settingsOf(t, "slime/mis", map[string]any{"tis_batch_normalize": true})
	row := func(step int, d float64) string {
		return fmt.Sprintf(`{"step": %d, "prompt": "q", "response": "a", "reward": 1, "rollout_log_probs": [-1, -2], "old_log_probs": [%g, -2]}`+"\n",
			step, d-1)
	}
	var text strings.Builder
	write := func(rows ...string) {
		for _, r := range rows {
			text.WriteString(r)
		}
		filetest.Write(t, path, text.String())
	}
	write(row(1, 0.5), row(1, 0.1), row(2, 0.9))
	source, _ := readForRules(t, path)
	judge := func(source *Source, snap model.Snapshot) (all [][]model.Judgement) {
		judged, err := source.Judge(t.Context(), snap, set)
		if err != nil {
			t.Fatal(err)
		}
		for i := range snap.Steps {
			step := &snap.Steps[i]
			rows := make([]int32, len(step.Rewards))
			for k := range rows {
				rows[k] = int32(k)
			}
			all = append(all, judged.Of(step, rows))
		}
		return all
	}
	compare := func(what string) {
		t.Helper()
		fresh, snap := readForRules(t, path)
		if got, want := judge(source, snap), judge(fresh, snap); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	compare("at first")
	write(row(2, -0.7), row(2, 0.2), row(3, 0.4))
	compare("grown")
	write(row(3, 0.3), row(4, 0.2))
	compare("grown again")
	text.Reset()
	write(row(1, 0.3), row(1, 0.6), row(2, 0.4), row(3, 0.4), row(4, -0.4), row(5, 0.2), row(6, 0.1), row(7, 0.1), row(8, 0.1))
	compare("written anew")
}
