package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// The off-policy rule, a stage of its own:
//
//	processed advantages of the kept samples → off-policy rule → processed advantages, each by what the rule leaves of its sample
//
// A sample that the rule removes is dropped as by the keep rule. Of another each token has a weight, 0 if it is removed: the advantage is
// multiplied by their mean. No trainer computes means of groups again for it. Which samples a rule judges how is no setting and no column
// of the log, whose log-probs are read again for it: see model.Judged.

// corrected is what the off-policy rule leaves of the samples.
type corrected struct {
	keep         []bool    // by sample
	samples      []float64 // advantages by sample
	isUnfiltered bool      // nothing at all is filtered: they are the unfiltered advantages

	// Of a rule that does something; else nil.
	before     []float64 // advantages by sample, before it
	keptBefore []bool    // the same of which are kept
	judgements []model.Judgement
	whyNone    string // why the rule that the settings name does nothing; "" if it does, or there is none

	removed, unjudged int    // samples that were kept: which the rule removes, and which it cannot judge
	tokens            tokens // of those that it judges
	doubt             string // of the numbers; "" if there is none
}

// tokens are those that trained before the rule, those that do after it, and the sum of their weights.
type tokens struct{ all, left, weight float64 }

// notRead is why a rule does nothing whose log-probs are still to be read.
const notRead = "its log-probs are not read yet"

// correct is the stage of the off-policy rule.
func (a *Analysis) correct(_ context.Context, set model.Settings) error {
	c := &a.corrected
	*c = corrected{keep: a.kept.samples, samples: a.recomputed.samples, isUnfiltered: a.recomputed.isUnfiltered}
	if set.OffPolicy == "" {
		return nil
	}
	switch judged := a.plan.judged; {
	case judged == nil:
		c.whyNone = set.OffPolicy + ": " + notRead
		return nil
	case judged.WhyNone != "":
		c.whyNone = judged.WhyNone
		return nil
	default:
		c.judgements = judged.Of(&a.grouped.step, a.grouped.InputRow)
		if c.doubt = judged.Inexact; judged.Fails != "" {
			c.doubt = judged.Fails
		}
	}
	c.isUnfiltered, c.before, c.keptBefore = false, c.samples, c.keep
	c.keep, c.samples = slices.Clone(c.keep), a.memory.numbers(len(c.before))
	for i := range c.samples {
		c.samples[i], c.keep[i] = Correct(&c.judgements[i], c.before[i], c.keep[i])
	}
	c.count()
	return nil
}

// add appends what the rule makes of samples [lo, hi) of another analysis.
func (c *corrected) add(of *corrected, lo, hi int) {
	c.isUnfiltered = c.isUnfiltered && of.isUnfiltered
	c.whyNone, c.doubt = cmp.Or(c.whyNone, of.whyNone), cmp.Or(c.doubt, of.doubt)
	if of.judgements != nil {
		c.before, c.keptBefore = append(c.before, of.before[lo:hi]...), append(c.keptBefore, of.keptBefore[lo:hi]...)
		c.judgements = append(c.judgements, of.judgements[lo:hi]...)
	}
}

// Correct is what a rule leaves of the advantage of a sample, and whether the sample is still kept.
func Correct(j *model.Judgement, advantage float64, kept bool) (float64, bool) {
	share := j.Of(advantage)
	switch {
	case share.Left == 0:
		return 0, false
	case advantage == 0: // also if the weight is not finite: the trainer's loss is not, but nothing of this sample
		return 0, kept
	}
	return advantage * float64(share.Weight), kept
}

// count counts what the rule does to the samples that were kept.
func (c *corrected) count() {
	c.removed, c.unjudged, c.tokens = 0, 0, tokens{}
	for i, isKept := range c.keptBefore {
		if !isKept {
			continue
		}
		j := &c.judgements[i]
		if j.Tokens == 0 {
			c.unjudged += model.Count01(c.before[i] != 0) // others train nothing, and some trainers log no tokens of them
			continue
		}
		share, n := j.Of(c.before[i]), float64(j.Tokens)
		c.removed += model.Count01(share.Left == 0)
		c.tokens.all, c.tokens.left = c.tokens.all+n, c.tokens.left+n*float64(share.Left)
		if weight := float64(share.Weight); units.IsFinite(weight) {
			c.tokens.weight += n * weight
		}
	}
}

// left is what the rule leaves of the tokens of sample i, as a share.
func (c *corrected) left(i int) float64 { return float64(c.judgements[i].Of(c.before[i]).Left) }

// Judgements are what the off-policy rule of the settings makes of the samples; nil if it does nothing, or there is none.
func (a *Analysis) Judgements() []model.Judgement { return a.corrected.judgements }

// OnlyJudged returns the analysis with the judgements of those samples alone that train.
func (a *Analysis) OnlyJudged(trains []bool) *Analysis {
	if a.corrected.judgements == nil {
		return a
	}
	some := *a
	some.corrected.judgements = nil
	for i, j := range a.corrected.judgements {
		if trains[i] {
			some.corrected.judgements = append(some.corrected.judgements, j)
		}
	}
	return &some
}

// WhyUncorrected says why the off-policy rule of the settings does nothing; "" if it does, or there is none.
func (a *Analysis) WhyUncorrected() string { return a.corrected.whyNone }

// Corrected returns how many of the kept samples the off-policy rule removes, and how many it cannot judge.
func (a *Analysis) Corrected() (removed, unjudged int) {
	return a.corrected.removed, a.corrected.unjudged
}

func (a *Analysis) policyMetrics() []Metric {
	if a.plan.settings.OffPolicy == "" {
		return nil
	}
	c := &a.corrected
	removed, unjudged := float64(c.removed), float64(c.unjudged)
	if c.judgements == nil {
		removed, unjudged = math.NaN(), math.NaN()
	}
	return []Metric{
		{"vantage/off_policy/removed", removed},
		{"vantage/off_policy/unjudged", unjudged},
		{"vantage/off_policy/tokens_kept", c.tokens.left / c.tokens.all},
		{"vantage/off_policy/mean_weight", c.tokens.weight / c.tokens.left},
	}
}

// unjudgedSamples warns of samples that the off-policy rule cannot judge.
func (a *Analysis) unjudgedSamples() *model.Warning {
	if a.corrected.unjudged == 0 {
		return nil
	}
	return a.ofSamples(a.corrected.unjudged,
		fmt.Sprintf("have no log-probs or versions that %s could judge: they train as without it", a.Settings.OffPolicy),
		"`vantage offpolicy PATH` shows which rows are compared")
}

// policyDoubt warns of numbers of the off-policy rule that are not the trainer's.
func (a *Analysis) policyDoubt() *model.Warning {
	if a.corrected.doubt == "" {
		return nil
	}
	return a.ofAll(fmt.Sprintf("are judged by %s on a doubt: %s", a.Settings.OffPolicy, a.corrected.doubt),
		"`vantage offpolicy PATH --off-policy "+a.Settings.OffPolicy+"` has the rule token by token, with --per sample")
}
