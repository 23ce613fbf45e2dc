package offpolicy

import (
	"math"
	"slices"
	"strings"
	"testing"

	"vantage/estimators"
)

// Each rule has a bound that its options take anywhere in the sweep, once the trainer's own.
func TestSweepsAreOfOptionsThatARuleTakes(t *testing.T) {
	for _, r := range All() {
		points, usual := r.Sweep(), 0
		for _, p := range points {
			values, err := r.Values(p.Options)
			if err == nil {
				_, err = r.Apply(Batch{Step: 9, Rows: []Row{{Sampler: []float32{-1}, Trainer: []float32{-1}, Advantage: 1, Versions: &Versions{8, 8}}}}, values)
			}
			if err != nil {
				t.Errorf("%s/%s at %s: %v", r.Framework, r.Name, p.Bound, err)
			}
			if p.IsUsual {
				usual++
			}
		}
		if _, off := r.AtDefault(); len(points) < 5 || off == (usual == 1) {
			t.Errorf("%s/%s has %d points, %d of them the trainer's", r.Framework, r.Name, len(points), usual)
		}
	}
}

func TestSweepMovesBounds(t *testing.T) {
	for name, want := range map[string][]string{
		"slime/tis":                   {"1.19", "1.41", "2", "4", "16"},                                                    // 2 to the power of 1/4 … 4
		"verl/rollout_rs":             {"0.99975_1.00025", "0.9995_1.0005", "0.999_1.001", "0.998_1.002", "0.99601_1.004"}, // in logarithms
		"prime-rl/ipo":                {"0.025", "0.05", "0.1", "0.2", "0.4"},                                              // times 1/4 … 4
		"roll/train_infer_correction": {"0.9457, 1.047", "0.894, 1.095", "0.8, 1.2", "0.64, 1.44", "0.41, 2.07"},           // the numbers in JSON
		"nemo-rl/max_trajectory_age":  {"0", "1", "2", "4", "8", "16"},                                                     // versions
		"nemo-rl/importance_sampling": {"0.841, 1.5", "0.707, 2.24", "0.5, 5", "0.25, 25", "0.0625, 625"},                  // two options together
	} {
		framework, rule, _ := strings.Cut(name, "/")
		r, err := Find(framework, rule)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range r.Sweep() {
			got = append(got, p.Bound)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A cap marks what it clips; a mask clips nothing. ρ is e, 1 and e⁻², so one of three is above 2.
func TestClipped(t *testing.T) {
	batch := Batch{Rows: []Row{{Sampler: []float32{-2, -1, -1}, Trainer: []float32{-1, -1, -3}, Advantage: 1}}}
	for name, want := range map[string]struct {
		options estimators.Options
		clipped int
		ofRow   bool
	}{
		"slime/tis":                            {"", 1, false},
		"slime/icepop":                         {"", 0, false},
		"slime/mis":                            {"", 0, false}, // the token above 2 is clipped, and rejected
		"verl/rollout_is":                      {"rollout_is=token", 1, false},
		"trl/vllm_importance_sampling":         {"", 0, true},
		"trl/off_policy_mask":                  {"", 0, true},
		"openrlhf/is_correction":               {"is_correction_level=token\nis_correction_mode=clip\nis_correction_threshold=0.5 2", 2, false},
		"skyrl/cispo":                          {"", 1, false}, // e⁻² is below 1
		"skyrl/off_policy_correction":          {"tis_ratio_type=token", 1, false},
		"open-instruct/rho":                    {"", 1, false},
		"areal/rejection_sampling":             {"action=clamp\nupper=2", 1, false},
		"roll/train_infer_correction":          {`is_weight={"enabled": true}`, 1, false},
		"nemo-rl/importance_sampling":          {"truncated_importance_sampling_type=tis\ntruncated_importance_sampling_ratio=2", 1, false},
		"ms-swift/rollout_importance_sampling": {"rollout_importance_sampling_mode=token_truncate", 1, false},
	} {
		framework, rule, _ := strings.Cut(name, "/")
		r, err := Find(framework, rule)
		if err != nil {
			t.Fatal(err)
		}
		values, err := r.Values(want.options)
		if err != nil {
			t.Fatal(err)
		}
		result, err := r.Apply(batch, values)
		if err != nil || result.Rows[0].Clipped != want.clipped || result.Rows[0].OfRow != want.ofRow {
			t.Errorf("%s clips %d, a weight of the row: %v (%v)", name, result.Rows[0].Clipped, result.Rows[0].OfRow, err)
		}
	}
}

// The bounds of other trainers for what a rule bounds, as their documents have them, and where they lie among the points of its sweep.
func TestElsewhere(t *testing.T) {
	for name, want := range map[string]string{
		"slime/tis":       "1.2 skyrl, roll · 2 ms-swift, miles, skyrl, open-instruct · 5 openrlhf, nemo-rl, areal · 6 skyrl",
		"verl/rollout_is": "3 trl, unsloth", "trl/max_staleness": "1 nemo-rl · 8 verl, prime-rl", "prime-rl/ipo": "0.2 verl, skyrl",
		"nemo-rl/seq_logprob_error": "", "slime/opsm": "0.0001 miles · 0.5 trl, ms-swift",
	} {
		framework, rule, _ := strings.Cut(name, "/")
		r, err := Find(framework, rule)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range r.Elsewhere() {
			got = append(got, e.Text())
		}
		if strings.Join(got, " · ") != want {
			t.Errorf("%s: %s, want %s", name, strings.Join(got, " · "), want)
		}
	}
	tis, err := Find("slime", "tis")
	if err != nil {
		t.Fatal(err)
	}
	sweep := []float64{math.Pow(2, 0.25), math.Pow(2, 0.5), 2, 4, 16} // each twice as wide as the one before
	for bound, want := range map[float64]float64{2: 2, 4: 3, math.Pow(2, 1.5): 2 + math.Log2(1.5), 16: 4} {
		if at, ok := tis.PlaceAmong(bound, sweep); !ok || math.Abs(at-want) > 1e-9 {
			t.Errorf("%v is at %v, want %v", bound, at, want)
		}
	}
	if at, ok := tis.PlaceAmong(1.01, sweep); ok {
		t.Errorf("1.01 is at %v", at)
	}
}
