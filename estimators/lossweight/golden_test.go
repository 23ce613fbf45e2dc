package lossweight

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/internal/testkit/filetest"
)

// goldenRow says how the cases of a file name a loss and its options.
//
// A file of testdata/golden was printed by the framework's own code. Its head names the code and the
// machine. weights has, for each row, the loss when the loss of each of the row's tokens is 1 and that of
// all others 0; float32, as the shortest decimals that read back the same.
type goldenRow struct {
	file, framework string
	option          string            // the parameter that selects the loss
	values          map[string]string // its values that are not names, by name
	rename          map[string]string // parameters whose name here is another; "" makes no difference
	exactly         bool              // to the bit, else to 2e-6
}

var goldenRows = []goldenRow{
	{
		file: "verl", framework: "verl", option: "loss_agg_mode", exactly: true,
		rename: map[string]string{"response_length": "data.max_response_length", "micro_batch_size": "", "dp_size": ""},
	},
	{file: "trl", framework: "trl", option: "loss_type", exactly: true},
	{file: "swift", framework: "ms-swift", option: "loss_type", exactly: true},
	{
		file: "openrlhf", framework: "openrlhf", option: "loss_agg_mode", exactly: true,
		rename: map[string]string{"micro_train_batch_size": "train.micro_batch_size", "dp_size": ""},
	},
	{file: "prime_rl", framework: "prime-rl", option: "loss", exactly: true},
	{
		file: "slime", framework: "slime", option: "calculate_per_token_loss", exactly: true,
		values: map[string]string{"false": "sample_mean", "true": "per_token"},
	},
	{
		file: "nemo_rl", framework: "nemo-rl", option: "token_level_loss", exactly: true,
		values: map[string]string{"false": "sequence_level", "true": "token_level"},
	},
	// The weight of a row of SkyRL is a sum that the trainer never forms. Its factor on each token is
	// compared to the bit: see compareTokens.
	{file: "skyrl", framework: "skyrl", option: "loss_reduction"},
	{file: "roll", framework: "roll", option: "loss_agg_mode", exactly: true, rename: map[string]string{"global_totals": "global_valid_samples"}},
	{file: "tunix", framework: "tunix", option: "loss_agg_mode", exactly: true, rename: map[string]string{"response_length": "max_tokens_to_generate"}},
	{
		file: "easyr1_brian", framework: "easyr1", option: "loss_agg_mode", exactly: true,
		rename: map[string]string{"response_length": "data.max_response_length"},
	},
	{file: "easyr1", framework: "easyr1-upstream", option: "loss_avg_mode", exactly: true},
}

type goldenCase struct {
	Name         string         `json:"name"`
	Groups       []int          `json:"groups"`
	Lengths      []int32        `json:"response_lengths"`
	Params       map[string]any `json:"params"`
	Advantages   []float64      `json:"advantages"`
	SampleMask   []int          `json:"sample_mask"`
	MaskedRows   []int          `json:"masked_rows"`
	RolloutIDs   []int          `json:"rollout_ids"`
	Weights      []goldenWeight `json:"weights"`
	TokenWeights []float32      `json:"token_weights"`
	Error        *string        `json:"error"`
}

// goldenWeight is a float32, or "NaN".
type goldenWeight float32

func (w *goldenWeight) UnmarshalJSON(data []byte) error {
	if string(data) == `"NaN"` {
		*w = goldenWeight(math.NaN())
		return nil
	}
	return json.Unmarshal(data, (*float32)(w))
}

func TestGolden(t *testing.T) {
	cases := 0
	for _, row := range goldenRows {
		t.Run(row.file, func(t *testing.T) {
			used := map[string]bool{}
			for _, c := range readGolden(t, row.file) {
				loss, given := row.loss(t, c)
				used[loss.Name] = true
				t.Run(c.Name, func(t *testing.T) { c.compare(t, row, loss, given) })
				cases++
			}
			for _, l := range All() {
				if l.Framework == row.framework && l.NotComputable == "" && !used[l.Name] {
					t.Errorf("no case of %s %s", l.Framework, l.Name)
				}
			}
		})
	}
	if cases < 740 {
		t.Errorf("%d cases were compared, want 740", cases)
	}
}

func (c goldenCase) compare(t *testing.T, row goldenRow, loss *Loss, given estimators.Options) {
	t.Helper()
	got := make([]float64, len(c.Groups))
	err := loss.Weigh(got, c.batch(), values(t, loss, given))
	isNaN := func(w goldenWeight) bool { return w != w }
	if slices.ContainsFunc(c.Weights, isNaN) != errors.Is(err, ErrNaN) {
		t.Fatalf("weights %v, error %v", c.Weights, err)
	} else if err != nil {
		return
	}
	for i, want := range c.Weights {
		apart := math.Abs(got[i] - float64(want))
		if row.exactly && goldenWeight(got[i]) != want || !(apart <= 2e-6*max(1, math.Abs(float64(want)))) {
			t.Fatalf("%s, %s: row %d of %d tokens weighs %v, want %v", loss.Name, given, i, c.Lengths[i], got[i], want)
		}
	}
	c.compareTokens(t, got)
}

// compareTokens holds the factor on each token, of files that have it.
func (c goldenCase) compareTokens(t *testing.T, got []float64) {
	t.Helper()
	for i, want := range c.TokenWeights {
		if l := c.Lengths[i]; l > 0 && float32(got[i]/float64(l)) != want {
			t.Fatalf("row %d: a token weighs %v, want %v", i, got[i]/float64(l), want)
		}
	}
}

func values(t *testing.T, l *Loss, given estimators.Options) estimators.Values {
	t.Helper()
	v, err := given.Values(l.Options)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func readGolden(t *testing.T, name string) []goldenCase {
	t.Helper()
	var f struct{ Cases []goldenCase }
	filetest.JSON(t, filepath.Join("testdata", "golden", name+"_loss_weights.json"), &f)
	return f.Cases
}

// loss returns what the parameters of a case select.
func (row goldenRow) loss(t *testing.T, c goldenCase) (*Loss, estimators.Options) {
	t.Helper()
	name := fmt.Sprint(c.Params[row.option])
	if row.values != nil {
		name = row.values[name]
	}
	loss, err := Find(row.framework, name)
	if err != nil {
		t.Fatal(err)
	}
	var given estimators.Options
	for _, key := range slices.Sorted(maps.Keys(c.Params)) {
		value := c.Params[key]
		if as, renamed := row.rename[key]; renamed {
			key = as
		}
		if _, known := estimators.FindOption(loss.Options, key); known && value != nil {
			given = given.With(key, fmt.Sprint(value))
		} else if key != "" && key != row.option && value != nil && !row.hasOption(key) {
			t.Fatalf("%s has no option %s", row.framework, key)
		}
	}
	return loss, given
}

// hasOption reports whether any loss of the framework has the option.
func (row goldenRow) hasOption(key string) bool {
	return slices.ContainsFunc(All(), func(l *Loss) bool {
		_, found := estimators.FindOption(l.Options, key)
		return found && l.Framework == row.framework
	})
}

func (c goldenCase) batch() Batch {
	b := Batch{Lengths: c.Lengths, Advantages: c.Advantages, Offsets: []int{0}}
	for i := 1; i <= len(c.Groups); i++ {
		if i == len(c.Groups) || c.Groups[i] != c.Groups[i-1] {
			b.Offsets = append(b.Offsets, i)
		}
	}
	if c.SampleMask != nil || len(c.MaskedRows) > 0 {
		b.Masked = make([]bool, len(c.Groups))
	}
	for i, m := range c.SampleMask {
		b.Masked[i] = m == 0
	}
	for _, i := range c.MaskedRows {
		b.Masked[i] = true
	}
	for _, id := range c.RolloutIDs {
		b.Rollouts = append(b.Rollouts, int32(id))
	}
	return b
}

// A loss weighs rows, or says why it does not and leaves no number behind.
func TestWeighRefuses(t *testing.T) {
	for _, b := range []Batch{
		{Offsets: []int{0, 1}},
		{Offsets: []int{0, 1}, Lengths: []int32{0}, Advantages: []float64{1}},
		{Offsets: []int{0, 1}, Lengths: []int32{5}, Advantages: []float64{1}, Masked: []bool{true}},
		{Offsets: []int{0, 1}, Lengths: []int32{5}, Advantages: []float64{1}},
	} {
		for _, l := range All() {
			dst := []float64{1}
			err := l.Weigh(dst, b, values(t, l, ""))
			if math.IsNaN(dst[0]) != (err != nil) {
				t.Errorf("%s %s of %+v: weight %v, error %v", l.Framework, l.Name, b, dst[0], err)
			}
			var refusal *estimators.Refusal
			if missing := l.MissingIn(b); missing != "" && (!errors.As(err, &refusal) || refusal.Text != missing) {
				t.Errorf("%s %s of %+v: error %v, but %s is missing", l.Framework, l.Name, b, err, missing)
			}
		}
	}
}

// SkyRL does not start without the length to divide by, and Tunix has words of its own for a bad one.
func TestWeighTellsTheTrainersOwnWords(t *testing.T) {
	for _, c := range []struct {
		framework, name string
		given           estimators.Options
		want            string
	}{
		{"skyrl", "seq_mean_token_sum_norm", "", "ValueError: `trainer.algorithm.max_seq_len` must be set explicitly"},
		{"tunix", "sequence-mean-token-sum-norm", "norm=0", "Invalid 'norm' value: 0. Must be a positive number."},
		{"verl", "seq-mean-token-sum-norm", "loss_scale_factor=1.5", "must be a whole number from 1 on, or none"},
	} {
		l, err := Find(c.framework, c.name)
		if err != nil {
			t.Fatal(err)
		}
		v, err := c.given.Values(l.Options)
		if err == nil {
			err = l.Weigh([]float64{0}, Batch{Offsets: []int{0, 1}, Lengths: []int32{5}}, v)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %s: error %v, want %q", c.framework, c.name, c.given, err, c.want)
		}
	}
}

// Each framework has one default, the first of its list, and names once.
func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range All() {
		if seen[l.Framework+" "+l.Name] {
			t.Errorf("%s %s is there twice", l.Framework, l.Name)
		}
		seen[l.Framework+" "+l.Name] = true
		if l.Key == "" || l.Formula == "" || l.Doc == "" || l.Source == "" {
			t.Errorf("%s %s is not described: %+v", l.Framework, l.Name, l)
		}
		for _, o := range l.Options {
			if o.Meaning == "" || o.Default == "" {
				t.Errorf("%s %s: option %s is not described", l.Framework, l.Name, o.Key)
			}
		}
	}
	for _, f := range catalogue().Frameworks() {
		if d, err := Find(f, ""); err != nil || !d.Default || d.Framework != f {
			t.Errorf("the default of %s is %+v, %v", f, d, err)
		}
	}
	if _, err := Find("none", ""); err == nil {
		t.Error("a framework that is not there has a default")
	}
	if _, err := Find("verl", "dapo"); err == nil || !strings.Contains(err.Error(), "choose token-mean,") {
		t.Errorf("verl dapo: %v", err)
	}
}
