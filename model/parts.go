package model

import (
	"math"
	"slices"
)

// Whole is what the log says of a group of which it may hold only some samples. Rows may share it.
type Whole struct {
	Size int     // samples, 0 if it is only known that there may be more
	Mean float64 // of the rewards; NaN if the log does not tell
	Std  float64 // of the rewards, with whatever ddof; NaN if the log does not tell
}

// Parts are the groups of which the log holds only some samples: it tells a size that is more than their rows, or none, and the
// rows have not the std that it tells. Nil if there are none.
func (s *Step) Parts() map[*Whole]bool {
	if s.Wholes == nil {
		return nil
	}
	rows, byID := map[*Whole]int{}, map[uint32][]int{}
	for i, w := range s.Wholes {
		rows[w]++
		if w != nil && w.Size == 0 && s.groups != nil {
			byID[s.groups[i]] = append(byID[s.groups[i]], i)
		}
	}
	delete(rows, nil)
	for _, of := range byID {
		if s.areWhole(of) {
			for _, i := range of {
				delete(rows, s.Wholes[i])
			}
		}
	}
	var parts map[*Whole]bool
	for w, n := range rows {
		if w.Size > 0 && w.Size <= n {
			continue
		}
		if parts == nil {
			parts = map[*Whole]bool{}
		}
		parts[w] = true
	}
	return parts
}

// sameFigure is how far a figure of rows may be from that of their group, which a log may round.
const sameFigure = 1e-4

// areWhole reports whether rows of a group have its std and its mean, in which advantages are 0: then it does not matter whether
// there are more.
func (s *Step) areWhole(rows []int) bool {
	told, n := s.Wholes[rows[0]].Std, float64(len(rows))
	if math.IsNaN(told) || s.LoggedAdvantages == nil {
		return false
	}
	sum, squares, advantages := 0.0, 0.0, 0.0
	for _, i := range rows {
		sum, advantages = sum+s.Rewards[i], advantages+s.LoggedAdvantages[i]
	}
	for _, i := range rows {
		squares += (s.Rewards[i] - sum/n) * (s.Rewards[i] - sum/n)
	}
	near := sameFigure * max(1, told)
	isStd := math.Abs(math.Sqrt(squares/n)-told) <= near || math.Abs(math.Sqrt(squares/(n-1))-told) <= near
	return isStd && math.Abs(advantages)/n <= sameFigure
}

// WithoutParts returns the snapshot without the logged advantages of groups of which the log holds only some samples: nothing can
// compute those.
func (s Snapshot) WithoutParts() Snapshot {
	steps := slices.Clone(s.Steps)
	changed := false
	for i := range steps {
		parts := steps[i].Parts()
		if parts == nil || steps[i].LoggedAdvantages == nil {
			continue
		}
		logged := slices.Clone(steps[i].LoggedAdvantages)
		for row, w := range steps[i].Wholes {
			if parts[w] {
				logged[row] = math.NaN()
			}
		}
		steps[i].LoggedAdvantages, changed = logged, true
	}
	if !changed {
		return s
	}
	return s.Only(steps)
}
