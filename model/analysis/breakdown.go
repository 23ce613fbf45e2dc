package analysis

import (
	"math"

	"vantage/estimators/lossweight"
	"vantage/model"
)

// Breakdown says who pays: the figures of steps, part by part.
type Breakdown struct {
	Parts []Part // in the order in which they were found
	All   Part   // the samples of all parts, and their groups counted once
	Steps int

	index map[string]int
}

// Part is the samples of some steps that have something in common. Groups count in each part that they
// have samples in.
type Part struct {
	Name string

	Samples, Groups int
	Signal          int // groups with signal
	Admitted        int // groups that the group filter admits
	Kept            int // samples kept
	Nonzero         int // samples whose processed advantage is a number other than 0
	Solved, Judged  int // samples solved, of those whose rewards say so

	RewardSum float64 // of the finite rewards that train
	Rewards   int     // how many these are
	Tokens    int64   // of the responses of known length

	AbsOriginal, AbsProcessed float64 // Σ|A| of the finite advantages
	Push                      float64 // ΣA of the processed ones
	Mass                      lossweight.Mass
}

// Reward is the mean of the finite rewards, NaN if there are none.
func (p *Part) Reward() float64 { return p.RewardSum / float64(p.Rewards) }

// Add counts the samples of a step: part returns the name of that of sample i of group g, "" for none.
func (b *Breakdown) Add(a *Analysis, part func(g, i int) string) {
	b.Steps++
	for g := range a.Table {
		row := &a.Table[g]
		last := -1 // the part of the sample before: most groups are of one
		counted := map[int]bool{}
		for i := row.Start; i < row.End; i++ {
			name := part(g, i)
			if name == "" {
				continue
			}
			if last < 0 || b.Parts[last].Name != name {
				last = b.find(name)
			}
			for _, p := range []*Part{&b.Parts[last], &b.All} {
				p.addSample(a, row, i)
			}
			if len(counted) == 0 {
				b.All.addGroup(row)
			}
			if !counted[last] {
				counted[last] = true
				b.Parts[last].addGroup(row)
			}
		}
	}
}

// find returns the index of a part, new or not.
func (b *Breakdown) find(name string) int {
	if i, found := b.index[name]; found {
		return i
	}
	if b.index == nil {
		b.index = map[string]int{}
	}
	b.index[name] = len(b.Parts)
	b.Parts = append(b.Parts, Part{Name: name})
	return len(b.Parts) - 1
}

func (p *Part) addGroup(g *Group) {
	p.Groups++
	p.Admitted += count01(g.Admitted)
	p.Signal += count01(g.hasSignal())
}

func (p *Part) addSample(a *Analysis, g *Group, i int) {
	p.Samples++
	p.Kept += count01(a.Keep[i])
	if r := a.Rewards[i]; isFinite(r) {
		p.RewardSum += r
		p.Rewards++
	}
	if l := a.Lengths[i]; l >= 0 {
		p.Tokens += int64(l)
	}
	if g.HasSolved {
		p.Judged++
		p.Solved += count01(a.plan.of(g).IsSolved(a.LoggedRewards[i]))
	}
	if x := a.Original[i]; isFinite(x) {
		p.AbsOriginal += math.Abs(x)
	}
	if y := a.Processed[i]; isFinite(y) {
		p.AbsProcessed += math.Abs(y)
		p.Push += y
		p.Nonzero += count01(y != 0)
	}
	if a.LossWeights != nil {
		p.Mass = p.Mass.Plus(lossweight.MassOf(a.LossWeights[i:i+1], a.Processed[i:i+1]))
	}
}

// hasSignal reports whether the group counts in Summary.Signal.
func (g *Group) hasSignal() bool { return g.Fate == model.FateAlive || g.Fate == model.FateShort }

// Difficulty names the part of a group by the share of its samples that is solved.
func (a *Analysis) Difficulty(g int) string {
	row := &a.Table[g]
	if !row.HasSolved || row.Counted == 0 {
		return "solve rate unknown"
	}
	rate := float64(row.Solved) / float64(row.Counted)
	for bin, bound := range solveBins() {
		if rate <= bound {
			return difficulties()[bin]
		}
	}
	return difficulties()[len(difficulties())-1]
}

// difficulties are the names of the parts of solveBins, the hardest first.
func difficulties() []string {
	return []string{"none solved", "up to 25% solved", "up to 50% solved", "up to 75% solved", "below 100% solved", "all solved"}
}

// lengthQuarters returns the name of the part of each sample by its length, in quarters of the step.
func (a *Analysis) lengthQuarters() []string {
	names := make([]string, a.Rows)
	lengths := knownLengths(a.Lengths)
	if lengths == nil {
		for i := range names {
			names[i] = "length unknown"
		}
		return names
	}
	quartiles := lossweight.Quartiles(lengths)
	quarters := []string{"shortest quarter", "second quarter", "third quarter", "longest quarter"}
	for i, l := range lengths {
		k := 0
		for _, q := range quartiles {
			k += count01(l > q)
		}
		names[i] = quarters[k]
	}
	return names
}

// PartOrder sorts the names of parts of Difficulty and lengthQuarters: hard before easy, short before
// long; 0 for others.
func PartOrder(name string) int {
	for i, known := range append(append([]string{"solve rate unknown", "length unknown"}, difficulties()...), "shortest quarter", "second quarter", "third quarter", "longest quarter") {
		if name == known {
			return i
		}
	}
	return 0
}
