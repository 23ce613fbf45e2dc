package match

import (
	"fmt"
	"math"

	"vantage/model/analysis"
	"vantage/model/units"
)

// missingRowsClue says that rows are missing, if the log shows it although no group of it is whole: groups
// differ in size; the advantages of each lie on a rising line over its rewards, as those of nearly all
// estimators do; and where that line is 0, which is the mean of all rows, is not the mean of the rows in
// the log, but one that the rewards of more rows could have. It returns "" otherwise.
func missingRowsClue(grouped []*analysis.GroupedStep) string {
	lines, largest, rows, differ := []groupLine{}, 0, 0, false
	for _, s := range grouped {
		for g := range len(s.Offsets) - 1 {
			lo, hi := s.Offsets[g], s.Offsets[g+1]
			differ = differ || largest > 0 && hi-lo != largest
			largest, rows = max(largest, hi-lo), rows+hi-lo
			if !isAffine(s.LoggedRewards[lo:hi], s.LoggedAdvantages[lo:hi]) {
				return ""
			}
			if l, ok := lineOf(s.LoggedRewards[lo:hi], s.LoggedAdvantages[lo:hi]); ok {
				lines = append(lines, l)
			}
		}
	}
	if !differ || len(lines) < minProvingGroups {
		return ""
	}
	groups := 0
	for _, s := range grouped {
		groups += len(s.Offsets) - 1
	}
	for size := largest; size <= 2*largest; size++ {
		if fitsSize(lines, size) {
			return fmt.Sprintf("rows are missing: no group can be compared, but with %d rows in each the logged advantages of all groups fit rows that are not in the log, %s",
				size, units.Fraction(size*groups-rows, size*groups))
		}
	}
	return ""
}

// groupLine is the line of the advantages of a group over its rewards.
type groupLine struct {
	rows      int
	sum       float64 // of the rewards
	zero      float64 // the reward of advantage 0: the mean of all rows of the group
	low, high float64 // rewards
	binary    bool    // all rewards are low or high
}

// lineOf returns false if rewards or advantages of the group are all equal.
func lineOf(rewards, advantages []float64) (groupLine, bool) {
	l := groupLine{rows: len(rewards), low: math.Inf(1), high: math.Inf(-1), binary: true}
	var below, above float64 // advantages at low and high
	for i, r := range rewards {
		if !areFinite(r, advantages[i]) {
			return l, false
		}
		l.sum += r
		if r < l.low {
			l.low, below = r, advantages[i]
		}
		if r > l.high {
			l.high, above = r, advantages[i]
		}
	}
	for _, r := range rewards {
		l.binary = l.binary && (r == l.low || r == l.high)
	}
	if l.low == l.high || above <= below {
		return l, false
	}
	l.zero = l.low - below*(l.high-l.low)/(above-below)
	return l, true
}

// fitsSize reports whether all groups may have had so many rows. Groups of two rewards must then have had whole
// numbers of either; of others the missing rewards must have been among those in sight. At least one must
// lack rows, and half of all must be of two rewards, since the others prove little.
func fitsSize(lines []groupLine, size int) bool {
	lacking, binary := false, 0
	for _, l := range lines {
		missing := float64(size - l.rows)
		total := l.zero*float64(size) - l.sum // the sum of the missing rewards
		const tolerance = 1e-3
		if missing < 0 || total < l.low*missing-tolerance || total > l.high*missing+tolerance {
			return false
		}
		lacking = lacking || missing > 0
		if l.binary {
			binary++
			if high := (total - l.low*missing) / (l.high - l.low); math.Abs(high-math.Round(high)) > tolerance*float64(size) {
				return false
			}
		}
	}
	return lacking && 2*binary >= len(lines)
}
