package analysis

import (
	"fmt"
	"strings"

	"vantage/model"
)

// rewardScales say which rewards of each run are solved and wrong.
type rewardScales struct {
	scales     []model.RewardScale // by run
	thresholds string              // equal if and only if fates and solved samples are
}

func newRewardScales(snap model.Snapshot, set model.Settings) rewardScales {
	r := rewardScales{scales: snap.RewardScales(set)}
	var b strings.Builder
	for i := range r.scales {
		s := &r.scales[i]
		fmt.Fprintf(&b, "%x %x %t;", s.Wrong, s.Solved, s.Discrete)
	}
	r.thresholds = b.String()
	return r
}

// of is the scale of the run that a group is of.
func (r *rewardScales) of(g *Group) *model.RewardScale { return &r.scales[g.Run] }
