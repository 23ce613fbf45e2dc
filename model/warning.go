package model

import (
	"fmt"

	"vantage/model/units"
)

// WarningKind names a doubt. The names are part of the report's format.
type WarningKind string

// The kinds, worst first.
const (
	WarnTrainerRefuses   WarningKind = "trainer-refuses"          // the framework's own code would raise an error
	WarnTooFewKept     WarningKind = "too-few-kept"             // groups with fewer than 2 kept samples
	WarnKilledGroups    WarningKind = "killed-groups"            // alive before the filter, all zero after it
	WarnSignFlips     WarningKind = "sign-flips"               // kept samples whose advantage changed sign
	WarnUndefinedAdvantages WarningKind = "undefined-advantages"     // the formula gives no number for a group
	WarnInvalidRewards   WarningKind = "invalid-rewards"          // NaN, infinite or missing rewards
	WarnFloatNoise     WarningKind = "float-noise"              // equal rewards, advantages not zero
	WarnRecomputeWithoutFilter      WarningKind = "recompute-without-filter" // compute_new_adv with both ratios 1
	WarnSingleSampleGroups   WarningKind = "single-sample-groups"     // groups of one
	WarnOneSidedPush  WarningKind = "one-sided-push"           // mean processed advantage far from 0
	WarnEffectiveRatio WarningKind = "effective-ratio"          // kept share far from the nominal ratio
	WarnFilterIsOurs      WarningKind = "filter-is-ours"           // the framework's trainer has no such filter
	WarnGroupingDoubt  WarningKind = "grouping-doubt"           // groups may be wrong
	WarnApproximateLengths   WarningKind = "approximate-lengths"      // weighted by tokens, and the log has none
	WarnLoggedDiffers    WarningKind = "logged-differs"           // advantages of the log are not those computed
)

// Warning is a doubt about a number, with what to do about it. It travels with
// the result, to the screen and to reports alike.
type Warning struct {
	Kind    WarningKind
	Step    int64
	Count   int    // how many groups or samples
	Of      int    // out of how many
	Unit    string // what is counted: "groups", "samples"
	Example int    // index of a group that shows it, -1 if none
	Text    string // what was seen, without the count
	Advice  string // what to change
}

// Sentence says in a line how many, out of how many, and what was seen:
// "9 of 128 groups kept fewer than 2 samples".
func (w Warning) Sentence() string {
	return fmt.Sprintf("%s of %s %s %s", units.Count(w.Count), units.Count(w.Of), w.Unit, w.Text)
}
