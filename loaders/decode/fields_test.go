package decode

import "testing"

// Names play the same role however they are written.
func TestNamesInOtherCases(t *testing.T) {
	f := UsualNames()
	for name, want := range map[string]Role{
		"group_id": RoleGroup, "groupId": RoleGroup, "Group ID": RoleGroup, "group-id": RoleGroup, "GROUP_ID": RoleGroup,
		"globalStep": RoleStep, "Generated Text": RoleResponse, "totalReward": RoleReward, "reward_total": RoleReward,
	} {
		if p, found := f.Lookup([]byte(name)); !found || p.Role != want {
			t.Errorf("%s: role %v (%t), want %v", name, p.Role, found, want)
		}
	}
	if p, found := f.Lookup([]byte("Re Ward")); found {
		t.Errorf("Re Ward has role %v", p.Role)
	}
}

// What a reward function returned is told by its name from statistics of rewards and from totals.
func TestComponentNames(t *testing.T) {
	for name, want := range map[string]bool{
		"accuracy_reward": true, "reward_accuracy": true, "rewards/format": true, "Reward Score": true, "reward_func_1": true,
		"reward_std": false, "reward_mean": false, "reward_model": false, "reward_total": false, "total_reward": false, "loss": false,
	} {
		if IsComponentName(name) != want {
			t.Errorf("%s: a component is %t", name, !want)
		}
	}
}
