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
