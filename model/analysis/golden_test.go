package analysis

import (
	"context"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/model"
)

// number is a JSON number, or a word for one that JSON lacks.
type number float64

func (n *number) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	if text == "null" {
		*n = number(math.NaN())
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	*n = number(v)
	return err
}

type goldenCase struct {
	Name    string
	Rewards []number
	Groups  []int
	Params  struct {
		KeepPos   number `json:"keep_pos_ratio"`
		KeepNeg   number `json:"keep_neg_ratio"`
		Recompute bool   `json:"compute_new_adv"`
		Lengths   []int32
		MaxLength float64 `json:"max_response_length"`
		Estimator string  `json:"adv_estimator"`
	}
	Metrics map[string]number
	Error   string
	Stdout  string
}

func golden(t *testing.T, name string) []goldenCase {
	t.Helper()
	var file struct{ Cases []goldenCase }
	filetest.JSON(t, filepath.Join("..", "..", "estimators", "testdata", "golden", name), &file)
	return file.Cases
}

// snapshot is a run of one step with the samples of a case.
func (c goldenCase) snapshot() model.Snapshot {
	chunk := &model.Chunk{Format: "golden", LengthUnit: model.LengthTokens}
	for i, r := range c.Rewards {
		chunk.Records = append(chunk.Records, model.Record{
			Step: 1, Prompt: uint64(c.Groups[i]) + 1, Reward: float64(r), Advantage: math.NaN(), Length: c.Params.Lengths[i],
		})
	}
	return stepsOf(chunk)
}

// Metrics equal those of EasyR1-Brian up to the order of its float32 sums.
func TestMetricsEqualTheTrainers(t *testing.T) {
	checked := 0
	for _, file := range []string{"easyr1_brian_grpo.json", "easyr1_brian_grpo_large.json"} {
		for _, c := range golden(t, file) {
			if len(c.Metrics) == 0 || c.Params.MaxLength > 0 {
				continue // logs do not have the padded width of the batch
			}
			checked++
			set := model.DefaultSettings()
			set.KeepPos, set.KeepNeg, set.Recompute = float64(c.Params.KeepPos), float64(c.Params.KeepNeg), c.Params.Recompute
			a, err := Analyze(context.Background(), c.snapshot(), 0, set)
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			for name, want := range c.Metrics {
				if got := a.Metric(name); !near(got, float64(want), c.scale(name)) {
					t.Errorf("%s %s: %s = %v, want %v", file, c.Name, name, got, want)
				}
			}
		}
	}
	if checked < 540 {
		t.Errorf("checked the metrics of %d cases, want at least 540", checked)
	}
	t.Logf("%d cases", checked)
}

// scale is the size of the values of a metric: the error of a float32 sum is relative to it, not to
// the mean.
func (c goldenCase) scale(metric string) float64 {
	largest := 1.0
	if !strings.HasPrefix(metric, "critic/score") && !strings.HasPrefix(metric, "critic/rewards") {
		return largest
	}
	for _, r := range c.Rewards {
		if a := math.Abs(float64(r)); a > largest && a-a == 0 {
			largest = a
		}
	}
	return largest
}

func near(got, want, scale float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return got == want || math.IsNaN(got) && math.IsNaN(want)
	}
	return math.Abs(got-want) <= 1e-5*max(scale, math.Abs(want))
}

// Validate refuses the settings that the trainer's configuration refuses, with its messages.
func TestValidateEqualsTheTrainers(t *testing.T) {
	cases := golden(t, "easyr1_brian_config_validation.json")
	if len(cases) != 16 {
		t.Fatalf("%d cases, want 16", len(cases))
	}
	for _, c := range cases {
		set := model.DefaultSettings()
		if strings.Contains(c.Name, "keep_pos_ratio") {
			set.KeepPos = float64(c.Params.KeepPos)
		}
		if strings.Contains(c.Name, "keep_neg_ratio") {
			set.KeepNeg = float64(c.Params.KeepNeg)
		}
		set.Recompute = c.Params.Recompute
		if c.Params.Estimator != "" {
			set = set.WithEstimator(c.Params.Estimator)
		}
		got := ""
		if err := set.Validate(); err != nil {
			got = "ValueError: " + err.Error()
		}
		if got != c.Error {
			t.Errorf("%s:\n got %q\nwant %q", c.Name, got, c.Error)
		}
		if got := set.TrainerWarning(); got == "" && c.Stdout != "" || !strings.HasSuffix(c.Stdout, got) {
			t.Errorf("%s: the trainer prints %q, we say %q", c.Name, c.Stdout, got)
		}
	}
}
