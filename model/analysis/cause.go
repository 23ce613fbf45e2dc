package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// Cause says in a sentence, with its evidence, why a group carries no signal, or not
// the signal that it seems to; "" if nothing is to be said. It asks the columns of
// reward functions, so it needs the snapshot that the analysis is of.
func (a *Analysis) Cause(s model.Snapshot, g int) string {
	group := &a.Table[g]
	n, all := group.Size(), fmt.Sprintf("all %d rewards are %s", group.Size(), units.Short(a.LoggedRewards[group.Start]))
	switch group.Fate {
	case model.FateInvalid:
		if group.Invalid == 0 {
			return "its advantages are not numbers, though its rewards are"
		}
		return fmt.Sprintf("%d of %d rewards are NaN or missing", group.Invalid, n)
	case model.FateSingle:
		return "one sample only: there is nothing to compare it with"
	case model.FateRight, model.FateWrong, model.FateStuck:
		if lo, hi := slices.Min(a.Rewards[group.Start:group.End]), slices.Max(a.Rewards[group.Start:group.End]); lo < hi {
			return fmt.Sprintf("rewards from %.9g to %.9g, yet every advantage is 0: they differ by less, or are larger, than the estimator can tell", lo, hi)
		}
		return all + a.whyEqual(s, group)
	case model.FateNoise:
		return fmt.Sprintf("%s, yet advantages are up to %s: float residue, divided by a tiny std", all, units.Short(a.largest(group)))
	case model.FateKilled:
		return a.whyKilled(group)
	case model.FateShort:
		return fmt.Sprintf("%d of %d kept: too few to recompute, the original value stays", group.Kept(), n)
	case model.FateAlive:
		if group.Flips > 0 {
			return fmt.Sprintf("%d of %d kept samples change sign in the recompute", group.Flips, group.Kept())
		}
	case model.FateOpen:
	}
	return ""
}

// whyEqual looks for what makes all rewards equal: components that cancel, or
// responses that were all cut off.
func (a *Analysis) whyEqual(s model.Snapshot, g *Group) string {
	if names := a.varying(s, g); len(names) > 1 {
		return ", though " + strings.Join(names, " and ") + " vary: they cancel"
	}
	if length, cut := a.truncated(g); cut && g.Fate != model.FateRight {
		return fmt.Sprintf(", and all responses end at %s %s, the longest of the step: cut off", units.Count(int(length)), a.lengthUnit)
	}
	if g.Fate == model.FateRight {
		return ", the best of the run: too easy now"
	}
	if g.Fate == model.FateWrong {
		return ", the worst of the run: too hard yet"
	}
	return ", neither the best nor the worst of the run: stuck there"
}

// varying names the reward functions that do not give all samples of a group the same.
func (a *Analysis) varying(s model.Snapshot, g *Group) []string {
	i, ok := s.Find(a.Step)
	if !ok {
		return nil
	}
	var names []string
	for k, part := range s.Steps[i].Parts {
		if part == nil || len(part) < a.Rows {
			continue
		}
		first := part[a.Order[g.Start]]
		for at := g.Start + 1; at < g.End; at++ {
			if x := part[a.Order[at]]; x != first && !(math.IsNaN(x) && math.IsNaN(first)) {
				names = append(names, s.Run.Components[k])
				break
			}
		}
	}
	return names
}

// truncated reports whether all responses of a group are as long as the longest of
// the step, which others are not.
func (a *Analysis) truncated(g *Group) (length int32, yes bool) {
	longest, shorter := int32(0), false
	for _, l := range a.Lengths {
		longest = max(longest, l)
	}
	for _, l := range a.Lengths {
		shorter = shorter || l >= 0 && l < longest
	}
	for _, l := range a.Lengths[g.Start:g.End] {
		if l != longest {
			return 0, false
		}
	}
	return longest, shorter && longest > 0
}

func (a *Analysis) largest(g *Group) float64 {
	largest := 0.0
	for _, x := range a.Processed[g.Start:g.End] {
		largest = max(largest, math.Abs(x))
	}
	return largest
}

func (a *Analysis) whyKilled(g *Group) string {
	switch {
	case g.KeptPos+g.KeptNeg == 0:
		return fmt.Sprintf("the filter drops all %d samples with an advantage", g.Size()-int(g.KeptZero))
	case g.KeptNeg == 0:
		return fmt.Sprintf("only %d positive ones are kept, all equal: recompute gives 0", g.KeptPos)
	case g.KeptPos == 0:
		return fmt.Sprintf("only %d negative ones are kept, all equal: recompute gives 0", g.KeptNeg)
	}
	return fmt.Sprintf("the %d kept samples have equal rewards: recompute gives 0", g.Kept())
}
