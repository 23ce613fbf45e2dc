package offpolicy

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/internal/testkit/filetest"
)

// goldenRow says which rules the cases of a file are of.
//
// A file of testdata/golden was printed by the framework's own code, which its head names with the machine. Its cases name
// a batch of batches.json and options in the trainer's words. weights has a float32 per token, as the shortest decimal that
// reads back the same, and null where the mask is 0; kept and loss_mask have the letters of Kept. Numbers that JSON does not
// have are words.
type goldenRow struct {
	file, framework, name string
	by                    string // an option whose value is the name of the rule
}

var goldenRows = []goldenRow{
	{file: "verl_rollout_is", framework: "verl", name: "rollout_is"},
	{file: "verl_rollout_rs", framework: "verl", name: "rollout_rs"},
	{file: "verl_dppo", framework: "verl", by: "loss_mode"},
	{file: "trl_vllm_is", framework: "trl", name: "vllm_importance_sampling"},
	{file: "trl_off_policy_mask", framework: "trl", name: "off_policy_mask"},
	{file: "unsloth_vllm_is", framework: "unsloth", name: "vllm_importance_sampling"},
	{file: "swift_rollout_is", framework: "ms-swift", name: "rollout_importance_sampling"},
	{file: "swift_off_policy_sequence_mask", framework: "ms-swift", name: "off_policy_sequence_mask"},
	{file: "openrlhf_is_correction", framework: "openrlhf", name: "is_correction"},
	{file: "skyrl_off_policy_correction", framework: "skyrl", name: "off_policy_correction"},
	{file: "skyrl_rollout_losses", framework: "skyrl", by: "policy_loss_type"},
	{file: "areal_rejection_sampling", framework: "areal", name: "rejection_sampling"},
	{file: "slime_tis", framework: "slime", by: "function"},
	{file: "slime_mis", framework: "slime", name: "mis"},
	{file: "slime_opsm", framework: "slime", name: "opsm"},
	{file: "slime_tis", framework: "miles", by: "function"},
	{file: "slime_mis", framework: "miles", name: "mis"},
	{file: "slime_opsm", framework: "miles", name: "opsm"},
	{file: "nemo_rl_is", framework: "nemo-rl", name: "importance_sampling"},
	{file: "nemo_rl_seq_logprob_error", framework: "nemo-rl", name: "seq_logprob_error"},
	{file: "prime_rl_dppo", framework: "prime-rl", by: "type"},
	{file: "roll_train_infer_correction", framework: "roll", name: "train_infer_correction"},
	{file: "open_instruct_rho", framework: "open-instruct", name: "rho"},
}

// golden is a number of a log: JSON has words for what is not finite, and null is NaN.
type golden float64

func (g *golden) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	if text == "null" {
		text = "NaN"
	}
	x, err := strconv.ParseFloat(text, 64)
	*g = golden(x)
	return err
}

type goldenBatch struct {
	Name       string     `json:"name"`
	Mask       [][]int    `json:"mask"`
	Old        [][]golden `json:"old"`
	Rollout    [][]golden `json:"rollout"`
	New        [][]golden `json:"new"`
	Advantages []float64  `json:"advantages"`
	Step       int        `json:"step"`
	First      []int      `json:"version_start"`
	Last       []int      `json:"version_end"`
}

type goldenCase struct {
	Batch    string         `json:"batch"`
	Options  map[string]any `json:"options"`
	Weights  [][]golden     `json:"weights"`
	Kept     []string       `json:"kept"`
	LossMask []string       `json:"loss_mask"`
	Fragile  []string       `json:"fragile"`
	Error    string         `json:"error"`
}

func batches(t *testing.T) map[string]Batch {
	t.Helper()
	var f struct{ Batches []goldenBatch }
	filetest.JSON(t, filepath.Join("testdata", "golden", "batches.json"), &f)
	all := map[string]Batch{}
	for _, b := range f.Batches {
		batch := Batch{Step: b.Step}
		for i := range b.Old {
			mask := []bool{}
			for _, m := range b.Mask[i] {
				mask = append(mask, m != 0)
			}
			batch.Rows = append(batch.Rows, Row{
				Sampler: float32s(b.Rollout[i]), Trainer: float32s(b.Old[i]), Policy: float32s(b.New[i]), Mask: mask,
				Advantage: b.Advantages[i], Versions: &Versions{b.First[i], b.Last[i]},
			})
		}
		all[b.Name] = batch
	}
	return all
}

func float32s(list []golden) []float32 {
	out := make([]float32, len(list))
	for i, x := range list {
		out[i] = float32(x)
	}
	return out
}

func TestGolden(t *testing.T) {
	all, cases, used := batches(t), 0, map[string]bool{}
	for _, row := range goldenRows {
		t.Run(row.framework+"/"+row.file, func(t *testing.T) {
			var f struct{ Cases []goldenCase }
			filetest.JSON(t, filepath.Join("testdata", "golden", row.file+".json"), &f)
			for _, c := range f.Cases {
				rule := row.rule(t, c)
				used[rule.Framework+" "+rule.Name] = true
				c.compare(t, rule, all[c.Batch])
				cases++
			}
		})
	}
	if cases < 3700 {
		t.Errorf("%d cases were compared, want 3,700", cases)
	}
	for _, r := range All() {
		who := r.Framework + " " + r.Name
		if !used[who] && !r.Versions { // limits on versions: TestGoldenStaleness and TestStaleness
			t.Errorf("no case of %s", who)
		}
	}
}

func (row goldenRow) rule(t *testing.T, c goldenCase) *Rule {
	t.Helper()
	name := row.name
	if row.by != "" {
		name = fmt.Sprint(c.Options[row.by])
	}
	rule, err := Find(row.framework, name)
	if err != nil {
		t.Fatal(err)
	}
	return rule
}

// options are those of a case as a person would write them.
func (c goldenCase) options(t *testing.T) estimators.Options {
	t.Helper()
	var given estimators.Options
	for _, key := range slices.Sorted(maps.Keys(c.Options)) {
		text, err := json.Marshal(c.Options[key])
		if err != nil {
			t.Fatal(err)
		}
		given = given.With(key, strings.Trim(string(text), `"`))
	}
	return given
}

func (c goldenCase) compare(t *testing.T, rule *Rule, b Batch) {
	t.Helper()
	given := c.options(t)
	v, err := rule.Values(given)
	if err != nil {
		t.Fatal(err)
	}
	got, err := rule.Apply(b, v)
	if c.Error != "" {
		var refusal *estimators.Refusal
		if !errors.As(err, &refusal) || refusal.Error() != c.Error {
			t.Errorf("%s, %s: error %v, want %s", c.Batch, given, err, c.Error)
		}
		return
	} else if err != nil {
		t.Errorf("%s, %s: %v", c.Batch, given, err)
		return
	}
	for i, row := range got.Rows {
		for k, want := range []byte(c.Kept[i]) {
			if byte(row.Kept[k]) != want && !c.fragile(i, k) {
				t.Errorf("%s, %s: token %d of row %d: %c, want %c", c.Batch, given, k, i, row.Kept[k], want)
			}
		}
		mask := row.Mask()
		for k := range mask {
			want := c.mask(b.Rows[i], i, k)
			said := c.LossMask != nil || !rule.ChangesMask
			if said && mask[k] != want {
				t.Errorf("%s, %s: mask of token %d of row %d: %c, want %c", c.Batch, given, k, i, mask[k], want)
			}
		}
		if c.Weights == nil {
			continue
		}
		for k, want := range c.Weights[i] {
			w := golden(1)
			if row.Weights != nil {
				w = golden(row.Weights[k])
			}
			if b.Rows[i].Mask[k] && !c.fragile(i, k) && !near(float64(w), float64(want), 1e-5) {
				t.Errorf("%s, %s: token %d of row %d weighs %v, want %v", c.Batch, given, k, i, w, want)
			}
		}
	}
}

// fragile says that the framework's flag depends on the last bit of a logarithm.
func (c goldenCase) fragile(row, token int) bool {
	return c.Fragile != nil && c.Fragile[row][token] == '1'
}

// mask is the letter of the loss mask afterwards: the logged one if the file has none.
func (c goldenCase) mask(r Row, row, token int) byte {
	switch {
	case c.LossMask != nil:
		return c.LossMask[row][token]
	case r.Mask[token]:
		return '1'
	}
	return '.'
}

func near(got, want, relative float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return got == want || math.IsNaN(got) && math.IsNaN(want)
	}
	return math.Abs(got-want) <= relative*max(math.Abs(want), 1e-30)
}

// The figures of a row are those of the definitions, in float64, of float32 numbers.
func TestGoldenFigures(t *testing.T) {
	var f struct {
		Cases []struct {
			Batch string
			Rows  []map[string]float64
		}
	}
	filetest.JSON(t, filepath.Join("testdata", "golden", "figures.json"), &f)
	all := batches(t)
	for _, c := range f.Cases {
		for i, want := range c.Rows {
			got := FiguresOf(all[c.Batch].Rows[i])
			if got.Tokens != int(want["n"]) || got.Unscored != int(want["unscored"]) {
				t.Errorf("%s, row %d: %d tokens, %d unscored, want %v", c.Batch, i, got.Tokens, got.Unscored, want)
			}
			for key, x := range map[string]float64{
				"mean_abs": got.MeanAbs, "max_abs": got.MaxAbs, "k1": got.K1, "k3": got.K3,
				"log_seq_ratio": got.LogSequenceRatio, "log_geo_ratio": got.LogGeometricRatio,
			} {
				there, known := want[key]
				if known != (x == x) || known && math.Abs(x-there) > 2e-6*max(1, math.Abs(there)) {
					t.Errorf("%s, row %d: %s is %v, want %v", c.Batch, i, key, x, there)
				}
			}
		}
	}
}
