package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Signs is a run under two settings: how the signs of its advantages change from the first to the second. A sample that a setting drops has
// the advantage 0 there, as has float residue; one that has no number under either is counted apart.
type Signs struct {
	Steps, Samples, Groups int            // complete steps, and what of them is compared
	Changes                analysis.Flips // samples whose sign changes, by kind
	Unknown                int            // samples without an advantage under one of the settings
	Train, Signal          [2]int         // samples whose advantage is not 0, and groups with signal
	Push                   [2]float64     // Σ|A|
	Fates                  int            // groups that have another fate
	Changed                []SignGroup    // groups in which a sign or the fate changes, most changes first
}

// SignGroup is a group under both settings.
type SignGroup struct {
	Step         int64
	Name, Prompt string
	Samples      int
	Changes      analysis.Flips
	Fates        [2]model.Fate
}

// Settings compares a run under two settings, in the groups of each step that selected names by their indexes under the first. The groups
// must be the same under both.
func Settings(ctx context.Context, snap model.Snapshot, first, second model.Settings,
	selected func(*analysis.Analysis) []int,
) (*Signs, error) {
	s := &Signs{}
	for i := range snap.Steps {
		if snap.Open(i) {
			continue
		}
		var both [2]*analysis.Analysis
		for k, set := range []model.Settings{first, second} {
			var err error
			if both[k], err = analysis.Analyze(ctx, snap, i, set); err != nil {
				return nil, err
			}
		}
		if !slices.Equal(both[0].InputRow, both[1].InputRow) || !slices.Equal(both[0].Offsets, both[1].Offsets) {
			return nil, fmt.Errorf("step %d has other groups under the second settings: compare settings that leave the groups as they are",
				both[0].Step)
		}
		s.Steps++
		for _, g := range selected(both[0]) {
			s.add(both, g)
		}
	}
	slices.SortStableFunc(s.Changed, func(x, y SignGroup) int { return cmp.Compare(y.Changes.Total(), x.Changes.Total()) })
	return s, nil
}

// add counts a group, by its index.
func (s *Signs) add(both [2]*analysis.Analysis, g int) {
	group := &both[0].Table[g]
	one := SignGroup{
		Step: group.Step, Name: group.Name, Prompt: group.Preview, Samples: group.Size(),
		Fates: [2]model.Fate{group.Fate, both[1].Table[g].Fate},
	}
	for i := group.Start; i < group.End; i++ {
		var advantages [2]float64
		for k, a := range both {
			if advantages[k] = a.Processed[i]; units.IsFinite(advantages[k]) && !a.Pushes(i) {
				advantages[k] = 0
			}
			if a.Pushes(i) {
				s.Train[k]++
				s.Push[k] += max(advantages[k], -advantages[k])
			}
		}
		if units.IsFinite(advantages[0]) && units.IsFinite(advantages[1]) {
			one.Changes.Count(advantages[0], advantages[1])
		} else {
			s.Unknown++
		}
	}
	s.Groups, s.Samples = s.Groups+1, s.Samples+one.Samples
	s.Changes.Add(&one.Changes)
	for k, fate := range one.Fates {
		s.Signal[k] += model.Count01(fate == model.FateAlive || fate == model.FateShort)
	}
	hasOtherFate := one.Fates[0] != one.Fates[1]
	s.Fates += model.Count01(hasOtherFate)
	if hasOtherFate || one.Changes.Total() > 0 {
		s.Changed = append(s.Changed, one)
	}
}
