package overlong

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/internal/testkit/filetest"
)

// A file of testdata/golden was printed by the framework's own code, which its head names. shaped is
// float32, as the shortest decimals that read back the same.
type goldenFile struct {
	Cases []struct {
		Name    string         `json:"name"`
		Rewards []float64      `json:"rewards"`
		Lengths []int32        `json:"response_lengths"`
		Params  map[string]any `json:"params"` // keys of the trainer
		Shaped  []float32      `json:"shaped"`
	} `json:"cases"`
}

func TestGolden(t *testing.T) {
	files := map[string]string{
		"verl": "verl", "trl": "trl", "swift": "ms-swift", "openrlhf": "openrlhf", "nemo_rl": "nemo-rl",
		"skyrl": "skyrl", "areal": "areal", "easyr1": "easyr1-upstream",
	}
	held := map[string]bool{}
	for file, framework := range files {
		var f goldenFile
		filetest.JSON(t, filepath.Join("testdata", "golden", file+".json"), &f)
		s, err := Find(framework, "")
		if err != nil {
			t.Fatal(err)
		}
		held[framework] = true
		for _, c := range f.Cases {
			var given estimators.Options
			for key, value := range c.Params {
				given = given.With(key, fmt.Sprint(value))
			}
			got := make([]float64, len(c.Rewards))
			changed, err := s.Shape(got, c.Rewards, c.Lengths, values(t, s, given))
			if err != nil {
				t.Fatal(framework, c.Name, err)
			}
			for i, want := range c.Shaped {
				if float32(got[i]) != want {
					t.Errorf("%s %s: a reward of %v at %d tokens becomes %v, want %v", framework, c.Name, c.Rewards[i], c.Lengths[i], got[i], want)
				}
			}
			if changed == 0 {
				t.Errorf("%s %s: no reward is changed", framework, c.Name)
			}
		}
	}
	for _, s := range All() {
		if !held[s.Framework] && s.NotComputable == "" {
			t.Errorf("no case of %s %s", s.Framework, s.Name)
		}
	}
}

// The example of TRL's documentation: 90 of 100 tokens, the last 20 punished.
func TestShape(t *testing.T) {
	s, err := Find("trl", "soft_overlong_punishment")
	if err != nil {
		t.Fatal(err)
	}
	rewards := []float64{0, 1, estimators.MissingReward(), math.Inf(1)}
	changed, err := s.Shape(rewards, rewards, []int32{90, 80, 90, 100}, values(t, s, "max_completion_len=100\nsoft_punish_cache=20"))
	if err != nil || changed != 2 {
		t.Fatalf("%d changed, error %v; want 2", changed, err)
	}
	if rewards[0] != -0.5 || rewards[1] != 1 || !estimators.IsMissing(rewards[2]) || !math.IsInf(rewards[3], 1) {
		t.Errorf("shaped: %v", rewards)
	}
}

// A buffer of no tokens: TRL punishes what is longer, OpenRLHF nothing.
func TestShapeWithoutBuffer(t *testing.T) {
	for framework, want := range map[string]float64{"trl": -1, "openrlhf": 0} {
		s, err := Find(framework, "")
		if err != nil {
			t.Fatal(err)
		}
		dst := []float64{0}
		if _, err := s.Shape(dst, dst, []int32{101}, values(t, s, "max_completion_len=100\nsoft_punish_cache=0\nmax_new_tokens=100\noverlong_buffer_len=0")); err != nil || dst[0] != want {
			t.Errorf("%s: reward %v, error %v; want %v", framework, dst[0], err, want)
		}
	}
}

// What the trainer asserts is said in its words, and no reward is changed.
func TestShapeRefuses(t *testing.T) {
	for _, c := range []struct {
		framework string
		given     estimators.Options
		want      string
	}{
		{"verl", "", "AssertionError: max_resp_len must be provided"},
		{"verl", "max_resp_len=256\noverlong_buffer_cfg.len=512", "AssertionError: max_resp_len must be larger than overlong_buffer.len"},
		{"verl", "data.max_response_length=256\nreward_model.overlong_buffer.len=0", "AssertionError: overlong_buffer.len must be positive when overlong penalty is enabled,but got 0."},
		{"ms-swift", "", "AssertionError: The soft_cache_length must be set when using soft overlong rewards."},
		{"ms-swift", "soft_cache_length=512", "AssertionError: assert args.soft_cache_length < args.soft_max_length"},
		{"verl", "max_resp_len=256\noverlong_buffer_cfg.len=12", "missing: the option reward.reward_kwargs.overlong_buffer_cfg.penalty_factor, which has no default"},
		{"areal", "", "missing: the option actor.overlong_tokens, which has no default"},
		{"openrlhf", "", "missing: the option rollout.max_new_tokens, which has no default"},
		{"openrlhf", "max_new_tokens=100\noverlong_buffer_len=200", "AssertionError: max_new_tokens (100) must be >= overlong_buffer_len (200.0)"},
		{"nemo-rl", "", "ValueError: Reward function is enabled but only DAPO reward shaping"},
		{"nemo-rl", "max_response_length=9\noverlong_buffer_length=3\noverlong_buffer_penalty=-1", "AssertionError: overlong_buffer_penalty=-1 must be >=0"},
		{"tunix", "", "missing: the characters of the responses"},
		{"trl", "soft_punish_cache=many", `soft_punish_cache must be a whole number from 0 on, got "many"`},
	} {
		s, err := Find(c.framework, "")
		if err != nil {
			t.Fatal(err)
		}
		dst := []float64{0.5}
		v, err := c.given.Values(s.Options)
		if err == nil {
			_, err = s.Shape(dst, dst, []int32{250}, v)
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %s: error %v, want %s", c.framework, c.given, err, c.want)
		}
		if dst[0] != 0.5 {
			t.Errorf("%s: reward %v after an error", c.framework, dst[0])
		}
	}
	var refusal *estimators.Refusal
	s := trl()[0]
	if _, err := s.Shape([]float64{0}, []float64{1}, nil, values(t, s, "")); !errors.As(err, &refusal) || refusal.Kind != estimators.KindMissing {
		t.Errorf("without lengths: %v", err)
	}
	if _, err := Find("verl", "soft"); err == nil || !strings.Contains(err.Error(), "it has dapo") {
		t.Errorf("verl soft: %v", err)
	}
	if _, err := Find("slime", ""); err == nil || !strings.Contains(err.Error(), "choose verl, trl,") {
		t.Errorf("slime: %v", err)
	}
}

func values(t *testing.T, s *Shaping, given estimators.Options) estimators.Values {
	t.Helper()
	v, err := given.Values(s.Options)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
