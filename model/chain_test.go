package model

import "testing"

// A trainer's own key=value turns its filter on, another value off, and those of other trainers change
// nothing.
func TestGroupFilterByItsOwnKey(t *testing.T) {
	for _, c := range []struct {
		now, option, want string
	}{
		{"", "algorithm.filter_groups.enable=True", "verl/filter_groups"},
		{"verl/filter_groups", "algorithm.filter_groups.enable=false", ""},
		{"roll/query_filter", "algorithm.filter_groups.enable=false", "roll/query_filter"},
		{"", "trainer.algorithm.dynamic_sampling.type=replace", "skyrl/dynamic_sampling_replace"},
		{"skyrl/dynamic_sampling_filter", "trainer.algorithm.dynamic_sampling.type=replace", "skyrl/dynamic_sampling_replace"},
		{"skyrl/zero_variance_filter", "trainer.algorithm.dynamic_sampling.type=none", "skyrl/zero_variance_filter"},
		{"", "--dynamic-sampling-filter-path=miles.rollout.filter_hub.dynamic_sampling_filters.check_reward_nonzero_std", "miles/check_reward_nonzero_std"},
		{"slime/check_reward_nonzero_std", "dynamic_sampling_filter_path=my.filter", ""},
	} {
		s := DefaultSettings()
		s.GroupFilter = c.now
		s, err := s.Set("option", c.option)
		if err != nil || s.GroupFilter != c.want {
			t.Errorf("%q with %s: %q, want %q, %v", c.now, c.option, s.GroupFilter, c.want, err)
		}
	}
}

// A framework alone stands for its default, options go with the stage that has them, and those of the
// same framework's other choices are ignored.
func TestStagesByName(t *testing.T) {
	s, err := DefaultSettings().Set("loss", "trl")
	if err != nil || s.Loss != "trl/dapo" {
		t.Errorf("%q, %v", s.Loss, err)
	}
	if s, err = s.Set("option", "max_completion_length=256"); err != nil || s.Validate() != nil {
		t.Errorf("an option of dr_grpo under dapo: %v, %v", err, s.Validate())
	}
	if s, _ = s.Set("loss", "none"); s.Loss != "" || s.StageOptions != "" {
		t.Errorf("%q %q stay without the loss", s.Loss, s.StageOptions)
	}
	s, _ = s.Set("option", "max_completion_length=256")
	if err := s.Validate(); err == nil {
		t.Error("an option without a stage that reads it is accepted")
	}
	for setting, name := range map[string]string{"group_filter": "verl/nothing", "loss": "nobody/dapo", "overlong": "slime"} {
		if s, _ := DefaultSettings().Set(setting, name); s.Validate() == nil {
			t.Errorf("%s %s is accepted", setting, name)
		}
	}
}

// A key that a stage and some estimator share goes to the stage that is named.
func TestOptionOfStageAndEstimator(t *testing.T) {
	s := DefaultSettings().WithFramework("nemo-rl")
	s, _ = s.Set("group_filter", "nemo-rl/use_dynamic_sampling")
	s, err := s.Set("option", "grpo.use_leave_one_out_baseline=false")
	if err != nil || s.StageOptions == "" || s.Validate() != nil {
		t.Errorf("%q %q %v", s.Options, s.StageOptions, s.Validate())
	}
}
