package model

import (
	"testing"

	"vantage/estimators"
)

// settingsWith are the default settings with some set by name.
func settingsWith(t *testing.T, pairs ...string) Settings {
	t.Helper()
	set := DefaultSettings()
	for i := 0; i < len(pairs); i += 2 {
		var err error
		if set, err = set.Set(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return set
}

func TestSetByName(t *testing.T) {
	tests := []struct {
		key, value string
		want       func(Settings) bool
		err        string
	}{
		{"algorithm.keep_pos_ratio", "0.7", func(s Settings) bool { return s.KeepPos == 0.7 }, ""},
		{"keep-neg-ratio", "0.5", func(s Settings) bool { return s.KeepNeg == 0.5 }, ""},
		{"algorithm.compute_new_adv", "True", func(s Settings) bool { return s.Recompute }, ""},
		{"algorithm.adv_estimator", "rloo", func(s Settings) bool { return s.Estimator == "rloo" && s.Scale == "none" }, ""},
		{"framework", "twinkle", func(s Settings) bool { return s.Framework == "twinkle" && s.Estimator == "grpo" }, ""},
		{"reward", "format", func(s Settings) bool { return s.Reward == "format" }, ""},
		{"reward", " b = 0.50,a=1", func(s Settings) bool { return s.Weights == "a=1,b=0.5" }, ""},
		{"reward", "r=x=2", func(s Settings) bool { return s.Weights == "r=x=2" }, ""},
		{"reward", "a", func(s Settings) bool { return s.Reward == "a" && s.Weights == "" }, ""},
		{"reward", "a=1,a=2", nil, `reward must be a column or a weighted sum such as correctness=1,format=0.5, each name once, got "a=1,a=2"`},
		{"reward", "a=nan", nil, `reward must be a column or a weighted sum such as correctness=1,format=0.5, each name once, got "a=nan"`},
		{"keep_pos_ratio", "much", nil, `keep_pos_ratio must be a number in [0.0, 1.0], got "much"`},
		{"solved_at", "much", nil, `solved_at must be a finite number or auto, got "much"`},
		{"solved_at", "NaN", nil, `solved_at must be a finite number or auto, got "NaN"`},
		{"num_generations", "0", nil, `num_generations must be a positive whole number, got "0"`},
		{"algorithm.keep_ratio", "1", nil, `unknown setting "algorithm.keep_ratio": known are framework, adv_estimator, scale, keep_pos_ratio, keep_neg_ratio, compute_new_adv, reward, solved_at, num_generations, group_by, truncated, overlong, group_filter, off_policy, loss, option, and what ` + "`vantage list estimators`, `vantage list filters` and `vantage list losses` name"},
	}
	for _, test := range tests {
		got, err := DefaultSettings().Set(test.key, test.value)
		switch {
		case test.err != "":
			if err == nil || err.Error() != test.err {
				t.Errorf("%s=%s: %v, want %s", test.key, test.value, err, test.err)
			}
		case err != nil || !test.want(got):
			t.Errorf("%s=%s: %+v, %v", test.key, test.value, got, err)
		}
	}
}

// Effective drops the ratios for an estimator that cannot be filtered; the settings keep them.
func TestEffectiveLeavesTheSettings(t *testing.T) {
	set := settingsWith(t, "keep_pos_ratio", "0.5", "compute_new_adv", "true").WithEstimator("rloo")
	if e := set.Effective(); e.Filtering() || e.Recompute {
		t.Errorf("rloo is computed with %+v", e)
	}
	if back := set.WithEstimator("grpo").Effective(); back.KeepPos != 0.5 || !back.Recompute {
		t.Errorf("grpo again: %+v", back)
	}
}

func TestValidateRefusesTheScaleOfAnotherFramework(t *testing.T) {
	set := DefaultSettings()
	set.Scale = "batch"
	if err := set.Validate(); err == nil || err.Error() != `EasyR1 (Brian's fork) grpo has no scale "batch": it has group` {
		t.Error(err)
	}
}

// The filter can be tried on all estimators of the GRPO family.
func TestValidateAllowsFiltersOfTheGRPOFamily(t *testing.T) {
	for _, e := range estimators.All() {
		set := DefaultSettings()
		set.Framework, set.Estimator, set.Scale, set.KeepPos = e.Framework, e.Name, e.Scales[0], 0.5
		if err := set.Validate(); (err == nil) != (e.CanFilter && e.Computable()) {
			t.Errorf("%s %s with keep_pos_ratio 0.5: %v", e.Framework, e.Name, err)
		}
	}
}
