package estimators

import (
	"fmt"
	"slices"
	"strings"
)

// All returns the estimators, the default one first, those of a framework side by
// side, the frameworks that most people run before the others. An estimator is known by its Framework and Name: each call makes new
// values, so pointers do not compare.
func All() []*Estimator {
	return []*Estimator{
		easyR1GRPO(),
		easyR1RLOO(),
		easyR1ReinforcePlusPlus(),
		easyR1ReMax(),
		easyR1GAE(),
		easyR1KL(),
		twinkleGRPO(),
		twinkleRLOO(),
		verlGRPO(),
		verlVectorized(),
		verlPassK(),
		verlRLOO(),
		verlRLOOVectorized(),
		verlOPO(),
		verlGPG(),
		verlReinforcePlusPlus(),
		verlReinforceBaseline(),
		verlReMax(),
		verlGDPO(),
		verlGAE(),
		verlTokenBaseline(),
		verlTurnBaseline(),
		verlKL(),
		trlGRPO(),
		trlNormalizeThenSum(),
		trlRLOO(),
		trlRLOONormalized(),
		trlAsync(),
		trlKL(),
		swiftGRPO(),
		swiftRLOO(),
		swiftReinforcePlusPlus(),
		swiftGRPODynamic(),
		swiftRLOODynamic(),
		swiftReinforcePlusPlusDynamic(),
		swiftGDPO(),
		swiftKL(),
		openRLHFGroupNorm(),
		openRLHFDrGRPO(),
		openRLHFRLOO(),
		openRLHFReinforce(),
		openRLHFReinforceBaseline(),
		openRLHFGAE(),
		openRLHFKL(),
		nemoGRPO(),
		nemoGRPOAll(),
		nemoReinforcePlusPlus(),
		nemoReinforcePlain(),
		nemoGDPO(),
		primeGRPO(),
		primeLengthPenalty(),
		primeMaxRL(),
		primeRAE(),
		slimeGRPO(),
		slimeReinforcePlusPlus(),
		slimeReinforceBaseline(),
		skyRLGRPO(),
		skyRLRLOO(),
		skyRLMaxRL(),
		skyRLReinforcePlusPlus(),
		skyRLBatchNormalize(),
		rollGRPO(),
		rollRewardNorm(),
		rollRewardNormBatch(),
		rollAgentic(),
		rollWhiten(),
		rollWhitenGroup(),
		openInstructCentered(),
		openInstructStandard(),
		tinkerCentered(),
		verifiersGroup(),
		arealRewardNorm(),
		arealRewardNormPopulation(),
		arealRewardNormBatch(),
		arealRLOO(),
		arealAdvNorm(),
		upstreamGRPO(),
		upstreamPassK(),
		upstreamRLOO(),
		upstreamReinforcePlusPlus(),
		upstreamReMax(),
		upstreamGAE(),
		verl202601Vectorized(),
	}
}

// Frameworks returns the names of the frameworks, in the order of [All].
func Frameworks() []string {
	var names []string
	for _, e := range All() {
		if !slices.Contains(names, e.Framework) {
			names = append(names, e.Framework)
		}
	}
	return names
}

// Find returns the estimator that a framework has under a name. The error says
// what there is instead.
func Find(framework, name string) (*Estimator, error) {
	var names []string
	for _, e := range All() {
		if e.Framework != framework {
			continue
		}
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	if names == nil {
		return nil, fmt.Errorf("no framework %q: choose %s", framework, oneOf(Frameworks()))
	}
	return nil, fmt.Errorf("%s has no estimator %q: choose %s", framework, name, oneOf(names))
}

// oneOf writes a list of alternatives: "a", "a or b", "a, b or c".
func oneOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
