package analysis

import (
	"context"

	"vantage/model"
)

// stage computes a value of an analysis from those of the stages before it.
type stage struct {
	name string

	// forget makes settings do nothing that only this stage and later ones read. What no stage forgets the first one may read, so that a
	// new setting that is forgotten here costs time and makes no value stale.
	forget func(*model.Settings)

	// compute reads no settings but those that it is given: what the stage and the ones before it read.
	compute func(*Analysis, context.Context, model.Settings) error
}

// stages are the values, each of the stage of this name.
type stages struct {
	grouped    GroupedStep
	shaped     shaped
	unfiltered unfiltered
	long       longAnswers
	admitted   admitted
	kept       kept
	recomputed recomputed
	corrected  corrected
	weighted   weighted
}

// stageList are the stages in their order: see the documentation of the package.
func stageList() []stage {
	return []stage{
		{name: "grouped", forget: func(*model.Settings) {}, compute: (*Analysis).group},
		{name: "shaped", forget: func(s *model.Settings) { *s = s.WithoutStage("overlong") }, compute: (*Analysis).shape},
		{name: "unfiltered", forget: forgetEstimator, compute: (*Analysis).estimate},
		{name: "long", forget: func(s *model.Settings) { s.Loss = "" }, compute: (*Analysis).findLong},
		{name: "admitted", forget: func(s *model.Settings) { *s = s.WithoutStage("group_filter") }, compute: (*Analysis).admit},
		{name: "kept", forget: func(s *model.Settings) { s.KeepPos, s.KeepNeg = 1, 1 }, compute: (*Analysis).keep},
		{name: "recomputed", forget: func(s *model.Settings) { s.Recompute = false }, compute: (*Analysis).recompute},
		{name: "corrected", forget: func(s *model.Settings) { *s = s.WithoutStage("off_policy") }, compute: (*Analysis).correct},
		{name: "weighted", forget: forgetLoss, compute: (*Analysis).weigh},
		{name: "counted", forget: func(*model.Settings) {}, compute: (*Analysis).count},
	}
}

// stagesOfRewards is how many stages need no estimator: groups are known after them.
const stagesOfRewards = 2

func forgetEstimator(s *model.Settings) {
	s.Framework, s.Estimator, s.Scale, s.Options, s.Assumed, s.FromLog, s.OwnRule = "", "", "", "", false, false, false
}

// forgetLoss leaves whether there is a loss, which is all that an earlier stage reads of it.
func forgetLoss(s *model.Settings) {
	if s.Loss != "" {
		*s = s.WithoutStage("loss")
		s.Loss = "some"
	}
}

// readBy returns, for each of some stages, the settings that it and those before it read. The others do nothing.
func readBy(list []stage, set model.Settings) []model.Settings {
	read := make([]model.Settings, len(list))
	for k := len(list) - 1; k >= 0; k-- {
		read[k] = set
		list[k].forget(&set)
	}
	return read
}

// key says what a stage of an analysis is computed from: where it is the same, so is the value.
type key struct {
	step     stepKey
	settings model.Settings // that the stage and those before it read

	judged *model.Judged // by the off-policy rule, from its stage on

	// What the last stage, which warns, says of the log besides.
	grouping model.Grouping
	unit     model.LengthUnit
}

// stepKey says which samples an analysis is of, and what the rest of the log makes of them.
type stepKey struct {
	number     int64
	revision   int
	open       bool
	rule       model.GroupRule
	thresholds string // see rewardScales
	eachOutput bool   // rollouts of several outputs do not count as one
}

func (p *plan) stepKey(i int) stepKey {
	step := &p.snap.Steps[i]
	return stepKey{
		number: step.Number, revision: step.Revision, open: p.snap.Open(i), rule: p.grouping.GroupRule, thresholds: p.thresholds,
		eachOutput: step.FirstOutputs != nil && getsEachOutput(p.estimator),
	}
}

// key is that of stage k of a step.
func (p *plan) key(step stepKey, k int) key {
	of := key{step: step, settings: p.read[k]}
	if of.settings.OffPolicy != "" { // only that stage and later ones read it
		of.judged = p.judged
	}
	if k == len(p.stages)-1 {
		of.grouping, of.unit = p.grouping, p.snap.Run.LengthUnit
	}
	return of
}

// unchanged returns how many stages of step i have the value that they have in an analysis, which may be nil: the first ones.
func (p *plan) unchanged(i int, in *Analysis) int {
	if in == nil {
		return 0
	}
	n, step := 0, p.stepKey(i)
	for n < len(p.stages) && in.plan.key(in.key, n) == p.key(step, n) {
		n++
	}
	return n
}

// isOf reports whether a, which may be nil, is the analysis of step i under a plan.
func (a *Analysis) isOf(p *plan, i int) bool { return p.unchanged(i, a) == len(p.stages) }
