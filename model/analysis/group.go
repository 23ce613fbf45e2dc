package analysis

import (
	"vantage/model"
)

// Group is a row of the table: a group of a step under the settings.
type Group struct {
	Name    string // the log's id, a hash of prompt and truth, or the position
	Preview string // beginning of the prompt, as logged: sanitise before showing

	Start, End            int     // its samples are [Start:End] of the columns
	RewardMean, RewardStd float64 // of its finite rewards; the std with n-1, NaN for one
	Invalid               int     // NaN, infinite or missing rewards

	KeptPos, KeptZero, KeptNeg int32 // kept samples by sign of their original advantage
	Flips                      int32 // kept samples whose advantage changed sign
	Fate                       model.Fate
}

// Size returns the number of samples.
func (g *Group) Size() int { return g.End - g.Start }

// Kept returns the number of kept samples.
func (g *Group) Kept() int { return int(g.KeptPos) + int(g.KeptZero) + int(g.KeptNeg) }
