package analysis

import (
	"vantage/model"
)

// Group is a group of a step: what its rewards tell, and what the settings make of it.
type Group struct {
	Name    string // the log's id, the hash of prompt and ground truth, or the index
	Preview string // beginning of the prompt, as logged: sanitise before showing

	Start, End            int     // samples [Start:End] of the columns
	RewardMean, RewardStd float64 // of the finite rewards; the std has ddof 1, and is NaN for one reward
	Invalid               int     // rewards that are NaN, infinite or missing
	Solved                int     // samples that count as solved: see model.RewardScale
	HasSolved             bool    // whether its run's rewards say which are solved
	Run                   int     // number of its run: see model.Snapshot.RunOf

	KeptPos, KeptZero, KeptNeg int32 // kept samples by the sign of their original advantage
	Flips                      int32 // kept samples whose advantage changed sign
	Fate                       model.Fate
}

// Size returns the number of samples.
func (g *Group) Size() int { return g.End - g.Start }

// Kept returns the number of kept samples.
func (g *Group) Kept() int { return int(g.KeptPos) + int(g.KeptZero) + int(g.KeptNeg) }
