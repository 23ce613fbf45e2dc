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

// Group is one group of a step under the settings: a row of the table. A step may have a
// million of them, and every key changes them all: they are made when they are asked for.
type Group struct {
	*Members // read only

	KeptPos, KeptZero, KeptNeg int32 // kept samples by sign of their original advantage
	Flips                      int32 // kept samples whose advantage changed sign
	Fate                       Fate
}

// Kept returns the number of kept samples.
func (g *Group) Kept() int { return int(g.KeptPos) + int(g.KeptZero) + int(g.KeptNeg) }

// traits are what the fate of a group depends on before the filter: its samples by the sign
// of their advantage.
type traits struct{ pos, zero, neg int32 }

// alive reports whether some advantage of a group of that size is not zero.
func (t *traits) alive(size int) bool { return int(t.zero) < size }

// vague reports whether some advantage is not a number.
func (t *traits) vague(size int) bool { return int(t.pos+t.zero+t.neg) < size }
