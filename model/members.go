package model

// Members are the samples of a group, and what their rewards alone tell.
type Members struct {
	Name    string // the log's id, a hash of prompt and truth, or the position
	Preview string // beginning of the prompt, as logged: sanitise before showing

	Start, End int     // its samples are Analysis columns [Start:End]
	Mean, Std  float64 // of its finite rewards; Std with n-1, NaN for one
	Invalid    int     // NaN, infinite or missing rewards
}

// Size returns the number of samples.
func (m *Members) Size() int { return m.End - m.Start }

// Group is a row of the table: a group of a step under the settings.
type Group struct {
	*Members // read only

	KeptPos, KeptZero, KeptNeg int32 // kept samples by sign of their original advantage
	Flips                      int32 // kept samples whose advantage changed sign
	Fate                       Fate
}

// Kept returns the number of kept samples.
func (g *Group) Kept() int { return int(g.KeptPos) + int(g.KeptZero) + int(g.KeptNeg) }
