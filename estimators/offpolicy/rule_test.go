package offpolicy

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/internal/testkit/filetest"
)

func apply(t *testing.T, framework, name string, given estimators.Options, b Batch) (Result, error) {
	t.Helper()
	rule, err := Find(framework, name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := rule.Values(given)
	if err != nil {
		t.Fatal(err)
	}
	return rule.Apply(b, v)
}

// Limits on versions, as the trainers' own functions decided.
func TestGoldenStaleness(t *testing.T) {
	var f struct {
		Cases []struct {
			Batch        string
			Options      struct{ Limit int }
			Prime        []int `json:"prime_rl"`
			OpenInstruct []int `json:"open_instruct"`
			Nemo         []int `json:"nemo_rl"`
		}
	}
	filetest.JSON(t, filepath.Join("testdata", "golden", "staleness_limits.json"), &f)
	all := batches(t)
	for _, c := range f.Cases {
		for rule, want := range map[[2]string][]int{
			{"prime-rl", "max_off_policy_steps"}: c.Prime, {"open-instruct", "max_result_age"}: c.OpenInstruct, {"nemo-rl", "max_trajectory_age"}: c.Nemo,
		} {
			limit := estimators.Options("").With("limit", string(rune('0'+c.Options.Limit)))
			got, err := apply(t, rule[0], rule[1], limit, all[c.Batch])
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				if kept := strings.Contains(got.Rows[i].Letters(), "1"); kept != (w == 1) && strings.Trim(got.Rows[i].Letters(), ".") != "" {
					t.Errorf("%s, %v %d: row %d is kept: %v, want %v", c.Batch, rule, c.Options.Limit, i, kept, w == 1)
				}
			}
		}
	}
	if len(f.Cases) < 80 {
		t.Errorf("%d cases", len(f.Cases))
	}
}

// Step 10 is trained by version 9. Each limit of 2 keeps what its trainer counts as 2 and drops what it counts as 3.
func TestStaleness(t *testing.T) {
	row := func(version int) Row {
		return Row{Versions: &Versions{version, version}, Mask: []bool{true, false, true}}
	}
	for _, c := range []struct {
		framework, name string
		oldest          int // that stays
	}{
		{"trl", "max_staleness", 7},
		{"miles", "max_weight_staleness", 7},
		{"verl", "max_off_policy_threshold", 8},
		{"prime-rl", "max_off_policy_steps", 7},
	} {
		got, err := apply(t, c.framework, c.name, "limit=2", Batch{Step: 10, Rows: []Row{row(c.oldest), row(c.oldest - 1)}})
		if err != nil || got.Rows[0].Letters() != "1.1" || got.Rows[1].Letters() != "0.0" {
			t.Errorf("%s %s: %+v, %v", c.framework, c.name, got.Rows, err)
		}
		var refusal *estimators.Refusal
		if _, err = apply(t, c.framework, c.name, "", Batch{Rows: []Row{{}}}); !errors.As(err, &refusal) || refusal.Kind != estimators.KindMissing {
			t.Errorf("%s %s without versions: %v", c.framework, c.name, err)
		}
	}
	oldestCounts := Row{Versions: &Versions{First: 3, Last: 9}, Mask: []bool{true}}
	if got, err := apply(t, "miles", "max_weight_staleness", "max_weight_staleness=2", Batch{Step: 10, Rows: []Row{oldestCounts}}); err != nil || got.Rows[0].Letters() != "0" {
		t.Errorf("miles judges by the oldest version: %+v, %v", got, err)
	}
}

// A row that cannot be scored has no letters, and changes nothing of the others.
func TestUnscoredRows(t *testing.T) {
	full := Row{Sampler: []float32{-1, -2}, Trainer: []float32{-1, -1}, Advantage: 1}
	short := Row{Sampler: []float32{-1, -2}, Trainer: []float32{-1}, Advantage: 1}
	masked := Row{Sampler: []float32{-1, -2}, Trainer: []float32{-1, -1}, Mask: []bool{true}, Advantage: 1}
	empty := Row{Sampler: []float32{}, Trainer: []float32{}, Advantage: -1}
	none := Row{Sampler: []float32{-1}, Trainer: []float32{-2}, Mask: []bool{false}, Advantage: -1}
	unknown := Row{Sampler: []float32{-1}, Advantage: NoAdvantage()}
	for _, rule := range All() {
		if rule.Versions {
			continue
		}
		v, err := rule.Values(rule.Usual)
		if err != nil {
			t.Fatal(rule.Name, err)
		}
		alone, err := rule.Apply(Batch{Rows: []Row{full}}, v)
		if err != nil {
			t.Fatal(rule.Name, err)
		}
		got, err := rule.Apply(Batch{Rows: []Row{short, masked, unknown, full, {}}}, v)
		if err != nil {
			t.Fatal(rule.Name, err)
		}
		for i, row := range got.Rows {
			if want := i != 3; row.Unscored != want || want && row.Letters() != "" {
				t.Errorf("%s %s: row %d: %+v", rule.Framework, rule.Name, i, row)
			}
		}
		if got.Rows[3].Letters() != alone.Rows[0].Letters() {
			t.Errorf("%s %s: %s, alone %s", rule.Framework, rule.Name, got.Rows[3].Letters(), alone.Rows[0].Letters())
		}
		got, err = rule.Apply(Batch{Rows: []Row{empty, none, full}}, v)
		if err != nil || got.Rows[0].Letters() != "" || got.Rows[1].Letters() != "." {
			t.Errorf("%s %s of no token: %+v, %v", rule.Framework, rule.Name, got.Rows, err)
		}
		if _, err = rule.Apply(Batch{}, v); err != nil && !strings.HasPrefix(err.Error(), "ValueError: response_mask must contain") {
			t.Errorf("%s %s of no row: %v", rule.Framework, rule.Name, err)
		}
	}
}

func TestFiguresOfWhatCannotBeScored(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, c := range map[string]struct {
		row              Row
		tokens, unscored int
	}{
		"lengths differ":         {Row{Sampler: []float32{-1, -1, -1}, Trainer: []float32{-1}}, 0, 3},
		"lengths differ, masked": {Row{Sampler: []float32{-1, -1}, Trainer: []float32{-1}, Mask: []bool{true, false}}, 0, 1},
		"NaN and infinity":       {Row{Sampler: []float32{nan, inf, -1, -1}, Trainer: []float32{-1, -1, inf, nan}}, 0, 4},
		"empty":                  {Row{Sampler: []float32{}, Trainer: []float32{}}, 0, 0},
		"nothing":                {Row{}, 0, 0},
		"mask of zeros":          {Row{Sampler: []float32{-1}, Trainer: []float32{-2}, Mask: []bool{false}}, 0, 0},
		"one of two":             {Row{Sampler: []float32{-1, nan}, Trainer: []float32{-2, -2}}, 1, 1},
	} {
		got := FiguresOf(c.row)
		if got.Tokens != c.tokens || got.Unscored != c.unscored {
			t.Errorf("%s: %+v", name, got)
		}
		if known := got.MeanAbs == got.MeanAbs; known != (c.tokens > 0) {
			t.Errorf("%s: mean |d| is %v", name, got.MeanAbs)
		}
	}
	// d = −1, 2: by hand.
	got := FiguresOf(Row{Sampler: []float32{-1, -3}, Trainer: []float32{-2, -1}})
	for name, pair := range map[string][2]float64{
		"mean |d|": {got.MeanAbs, 1.5}, "max |d|": {got.MaxAbs, 2}, "k1": {got.K1, -0.5}, "Σd": {got.LogSequenceRatio, 1}, "mean d": {got.LogGeometricRatio, 0.5},
		"k3": {got.K3, (math.Exp(-1) + math.Exp(2) - 3) / 2},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
}

// What a rule lacks is said, and where n is o only at the first update.
func TestNeeds(t *testing.T) {
	sampler, trainer := []float32{-1, -1}, []float32{-3, -3}
	for _, c := range []struct {
		framework, name string
		row             Row
		want            string
	}{
		{"verl", "rollout_is", Row{Sampler: sampler}, "missing: log-probs of the trainer before the update"},
		{"slime", "tis", Row{Trainer: trainer}, "missing: log-probs of the engine that sampled"},
		{"prime-rl", "default", Row{Sampler: sampler, Trainer: trainer, Advantage: NoAdvantage()}, "missing: advantages"},
	} {
		if _, err := apply(t, c.framework, c.name, "", Batch{Rows: []Row{c.row}}); err == nil || err.Error() != c.want {
			t.Errorf("%s %s: %v, want %s", c.framework, c.name, err, c.want)
		}
	}
	row := Row{Sampler: sampler, Trainer: trainer, Advantage: -1}
	got, err := apply(t, "trl", "off_policy_mask", "off_policy_mask_threshold=0.5", Batch{Rows: []Row{row}})
	if err != nil || got.Rows[0].Letters() != "00" || !strings.Contains(got.Inexact, "exact at the first update") {
		t.Errorf("without n: %+v, %v", got, err)
	}
	row.Policy = sampler
	got, err = apply(t, "trl", "off_policy_mask", "off_policy_mask_threshold=0.5", Batch{Rows: []Row{row}})
	if err != nil || got.Rows[0].Letters() != "11" || got.Inexact != "" {
		t.Errorf("with n: %+v, %v", got, err)
	}
}

// An option that a rule does not have is refused with those that it has, and a bad value in the trainer's words.
func TestOptionsRefuse(t *testing.T) {
	row := Row{Sampler: []float32{-1}, Trainer: []float32{-1}, Policy: []float32{-1}, Advantage: -1}
	for _, c := range []struct {
		framework, name string
		given           estimators.Options
		want            string
	}{
		{"verl", "rollout_is", "vllm_importance_sampling_mode=x", "verl/rollout_is has no option vllm_importance_sampling_mode: it has algorithm.rollout_correction.rollout_is, algorithm.rollout"},
		{"trl", "vllm_importance_sampling", "mode=token_mask", "trl/vllm_importance_sampling has no option mode: it has vllm_importance_sampling_mode,"},
		{"trl", "vllm_importance_sampling", "vllm_importance_sampling_mode=geometric_mask", "vllm_importance_sampling_mode must be sequence_mask, sequence_truncate, token_mask or token_truncate"},
		{"prime-rl", "ipo", "type=default", "trainer.loss.type must be ipo"},
		{"verl", "rollout_is", "rollout_is_threshold=2_0.5", "ValueError: rollout_is_threshold lower bound must be <= upper bound."},
		{"verl", "rollout_is", "rollout_is_threshold=-1", "ValueError: rollout_is_threshold upper bound must be positive, got -1."},
		{"verl", "rollout_rs", "rollout_rs=token_k4\nrollout_rs_threshold=2", "ValueError: Invalid rollout_rs option: token_k4."},
		{"verl", "rollout_rs", "rollout_rs=token_k1", "ValueError: rollout_rs_threshold must be provided for rejection sampling."},
		{"verl", "rollout_rs", "rollout_rs=token_k2\nrollout_rs_threshold=0.5_2.0", "ValueError: rollout_rs_threshold for option 'token_k2' must provide a single upper bound"},
		{"openrlhf", "is_correction", "is_correction_level=seq\nis_correction_mode=clip", "ValueError: is_correction_mode=clip requires"},
		{"openrlhf", "is_correction", "is_correction_level=token\nis_correction_gating=tv", "ValueError: is_correction_gating=tv takes an upper bound only (a single delta)"},
		{"slime", "mis", "tis_mode=mask\ntis_lower_bound=2", "AssertionError: assert lower_bound < upper_bound"},
		{"roll", "train_infer_correction", `filters=[{"agg":"token"}]`, `ValueError: train_infer_correction.filters: unknown field "agg"`},
		{"roll", "train_infer_correction", `filters=[{"agg_type":"word"}]`, `ValueError: train_infer_correction has no level "word": choose token,`},
		{"roll", "train_infer_correction", `is_weight=[`, `train_infer_correction.is_weight must be JSON`},
		{"nemo-rl", "importance_sampling", "truncated_importance_sampling_type=icepop\ntruncated_importance_sampling_ratio=5", "TypeError: "},
	} {
		rule, err := Find(c.framework, c.name)
		if err != nil {
			t.Fatal(err)
		}
		v, err := rule.Values(c.given)
		if err == nil {
			_, err = rule.Apply(Batch{Rows: []Row{row}}, v)
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %s %s: error %v, want %s", c.framework, c.name, c.given, err, c.want)
		}
	}
	if _, err := Find("verl", "tis"); err == nil || !strings.Contains(err.Error(), "choose rollout_is,") {
		t.Errorf("verl tis: %v", err)
	}
	if _, err := Find("none", ""); err == nil || !strings.Contains(err.Error(), "choose verl, trl,") {
		t.Errorf("none: %v", err)
	}
}

// The full keys of a trainer's configuration, and its flags with dashes, mean what the short ones do.
func TestOptionsAreTheTrainersKeys(t *testing.T) {
	half, row := float32(math.Log(0.5)), Row{Trainer: []float32{-1}, Policy: []float32{-1}, Advantage: 1}
	same := row
	same.Sampler = row.Trainer
	row.Sampler = []float32{-1 - half - half} // ρ = 1/4
	for _, c := range []struct {
		framework, name string
		given           estimators.Options
	}{
		{"verl", "rollout_is", "algorithm.rollout_correction.rollout_is=token\nalgorithm.rollout_correction.rollout_is_threshold=0.5_2"},
		{"verl", "rollout_rs", "rollout_rs=token_k1\nrollout_rs_threshold=2"},
		{"trl", "vllm_importance_sampling", "--vllm-importance-sampling-mode=token_mask\nvllm_importance_sampling_clip_min=0.5"},
		{"unsloth", "vllm_importance_sampling", "UNSLOTH_GRPO_VLLM_IS_MODE=geometric_mask\nclip_min=0.5"},
		{"openrlhf", "is_correction", "--algo.advantage.is_correction_level=seq"},
		{"areal", "rejection_sampling", "actor.rejection_sampling.lower=0.5"},
		{"skyrl", "off_policy_correction", "trainer.algorithm.off_policy_correction.sequence_mask_metric=product"},
		{"roll", "train_infer_correction", `train_infer_correction.filters=[{}]`},
		{"nemo-rl", "importance_sampling", "loss_fn.truncated_importance_sampling_type=icepop\ntruncated_importance_sampling_ratio=5\ntruncated_importance_sampling_ratio_min=0.5"},
		{"nemo-rl", "seq_logprob_error", "grpo.seq_logprob_error_threshold=2"},
		{"slime", "icepop", "--tis-clip-low=0.5"},
		{"open-instruct", "rho", "--rho_mask_lower_bound=0.5"},
	} {
		var given estimators.Options
		for _, line := range strings.Split(string(c.given), "\n") {
			key, value, err := estimators.ParseOption(line)
			if err != nil {
				t.Fatal(err)
			}
			given = given.With(key, value)
		}
		if got, err := apply(t, c.framework, c.name, given, Batch{Rows: []Row{row, same}}); err != nil || got.Rows[0].Letters() != "0" || got.Rows[1].Letters() != "1" {
			t.Errorf("%s %s %s: %+v, %v", c.framework, c.name, c.given, got.Rows, err)
		}
		if got, err := apply(t, c.framework, c.name, "", Batch{Rows: []Row{row}}); err != nil || got.Rows[0].Letters() != "1" {
			t.Errorf("%s %s: %+v, %v", c.framework, c.name, got.Rows, err)
		}
	}
}

// Each rule is described, and its usual options are its own.
func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range All() {
		who := r.Framework + "/" + r.Name
		if seen[who] {
			t.Errorf("%s is there twice", who)
		}
		seen[who] = true
		changes := r.ChangesWeights || r.ChangesMask || r.DropsRows
		if r.Key == "" || r.Formula == "" || r.Doc == "" || r.Source == "" || r.Level == "" || r.Bounds == "" || r.Denominator == "" || !changes {
			t.Errorf("%s is not described: %+v", who, r)
		}
		for _, o := range r.Options {
			if o.Meaning == "" || o.Default == "" {
				t.Errorf("%s: option %s is not described", who, o.Key)
			}
		}
		if _, err := r.Values(r.Usual); err != nil {
			t.Errorf("%s: %v", who, err)
		}
	}
	for _, who := range strings.Fields(`verl/rollout_is verl/rollout_rs verl/dppo_tv verl/dppo_kl trl/vllm_importance_sampling trl/off_policy_mask
		unsloth/vllm_importance_sampling ms-swift/rollout_importance_sampling ms-swift/off_policy_sequence_mask openrlhf/is_correction
		skyrl/off_policy_correction skyrl/dppo skyrl/rollout_is skyrl/cispo areal/rejection_sampling slime/tis slime/icepop slime/mis slime/opsm
		nemo-rl/importance_sampling nemo-rl/seq_logprob_error prime-rl/default prime-rl/ipo roll/train_infer_correction open-instruct/rho
		prime-rl/max_off_policy_steps nemo-rl/max_trajectory_age open-instruct/max_result_age trl/max_staleness miles/max_weight_staleness
		verl/max_off_policy_threshold`) {
		if !seen[who] {
			t.Errorf("there is no %s", who)
		}
	}
}

// What a row lacks is named, and only a row that lacks nothing can be scored.
func TestLacks(t *testing.T) {
	two := []float32{-1, -2}
	for want, r := range map[string]Row{
		"":                            {Sampler: two, Trainer: two},
		"no log-probs":                {},
		"no log-probs of the trainer": {Sampler: two},
		"no log-probs of the sampler": {Trainer: two},
		"not as many log-probs of one side as of the other, or as tokens": {Sampler: two, Trainer: two, Mask: []bool{true}},
	} {
		if got := r.Lacks(); got != want || r.Even() != (want == "") {
			t.Errorf("%+v lacks %q, want %q", r, got, want)
		}
	}
}

// What is made of a row does not depend on whether its numbers lie where those of the row before did.
func TestEachRowIsAsInItsBatch(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 53))
	b := Batch{Step: 7}
	for i := range 12 {
		row := Row{Advantage: float64(i%3 - 1), Versions: &Versions{First: i % 8, Last: i % 8}}
		for range 3 + 40*(i%4) {
			r := -0.4 * random.ExpFloat64()
			row.Sampler = append(row.Sampler, float32(r))
			row.Trainer = append(row.Trainer, float32(min(0, r+0.4*random.NormFloat64())))
			row.Mask = append(row.Mask, i%2 == 0 || random.IntN(3) > 0)
		}
		b.Rows = append(b.Rows, row)
	}
	b.Rows = append(b.Rows, Row{}) // unscored
	for _, use := range uses(t) {
		name := use.Rule.Framework + "/" + use.Rule.Name
		want, err := use.Rule.Apply(b, use.Values)
		visited := 0
		inexact, failed := use.Rule.Each(b, use.Values, func(i int, o Outcome) {
			w := want.Rows[i]
			isSame := o.Letters() == w.Letters() && o.Mask() == w.Mask() && o.Tokens == w.Tokens && o.Left == w.Left && o.Clipped == w.Clipped &&
				slices.EqualFunc(o.Weights, w.Weights, func(x, y float32) bool { return x == y || x != x && y != y })
			if i != visited || o.Unscored != w.Unscored || !isSame {
				t.Errorf("%s, row %d: %s %v, in the batch %s %v", name, i, o.Letters(), o.Weights, w.Letters(), w.Weights)
			}
			visited++
		})
		if (err == nil) != (failed == nil) || inexact != want.Inexact || err == nil && visited != len(b.Rows) {
			t.Errorf("%s: %v and %v, %q and %q, %d rows", name, err, failed, want.Inexact, inexact, visited)
		}
	}
}
