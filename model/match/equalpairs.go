package match

import (
	"fmt"
	"math"

	"vantage/model/units"
)

// equalPairs are samples of one group with equal rewards: whatever an estimator does, it
// gives them the same advantage.
type equalPairs struct {
	groups, differing int // groups that hold such samples; of these, in which advantages differ
	differentLength         int // pairs of neighbours whose advantages differ and whose lengths do
	longerIsLower        int // of these, in which the longer response has the lower one
}

// equalTolerance is how much of the greatest advantage two values may differ by and pass
// for the same.
const equalTolerance = 1e-4

func (p *equalPairs) add(advantages, rewards []float64, lengths []int32, largest float64) {
	last := map[float64]int{} // the latest sample with a reward
	found, differ := false, false
	for i, r := range rewards {
		j, seen := last[r]
		last[r] = i
		if !seen {
			continue
		}
		found = true
		gap := advantages[i] - advantages[j]
		if math.Abs(gap) <= equalTolerance*largest {
			continue
		}
		differ = true
		if lengths[i] >= 0 && lengths[j] >= 0 && lengths[i] != lengths[j] {
			p.differentLength++
			if gap < 0 == (lengths[i] > lengths[j]) {
				p.longerIsLower++
			}
		}
	}
	if found {
		p.groups++
	}
	if differ {
		p.differing++
	}
}

// sentence is empty if equal rewards have equal advantages throughout.
func (p *equalPairs) sentence() string {
	const fewest, most = 8, 0.95
	switch {
	case p.differing == 0:
		return ""
	case p.differentLength >= fewest && float64(p.longerIsLower) > most*float64(p.differentLength):
		return fmt.Sprintf("%s give samples of equal reward different advantages, and the longer response nearly always the lower one: a length penalty was taken off the reward after it was logged",
			units.Fraction(p.differing, p.groups)+" groups")
	}
	return fmt.Sprintf("%s give samples of equal reward different advantages: the reward that was trained is not the one in the log (a KL or length penalty, an overlong buffer), or rows are in the wrong groups",
		units.Fraction(p.differing, p.groups)+" groups")
}
