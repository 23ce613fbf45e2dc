package offpolicy

import (
	"fmt"
	"math"
	"strings"

	"vantage/estimators"
	"vantage/model/units"
)

// InForce is the rule of the run, and who says so.
type InForce struct {
	Trial *Trial // nil: none
	By    string // "asked for", "by KEY", "the default of prime-rl"; without a rule a sentence on why
}

// InForce is the asked rule; else the default of the trainer whose rows they are.
func (s *Study) InForce() InForce {
	writer := s.Writer()
	switch {
	case s.Own != nil:
		return InForce{s.Own, s.Asked.By}
	case s.Asked.Off != "":
		return InForce{nil, "none: " + s.Asked.Off + " turns it off"}
	case writer == "":
		return InForce{nil, "no rule known: the rows do not show which trainer wrote them; name its rule with --off-policy or --config"}
	}
	isKnown := false
	for _, t := range s.Trials {
		if t.Rule.Framework == writer && t.Rule.OnByDefault && t.Bound == "" {
			return InForce{t, "the default of " + estimators.Title(writer)}
		}
		isKnown = isKnown || t.Rule.Framework == writer
	}
	if !isKnown {
		return InForce{nil, "no rule known: what " + estimators.Title(writer) + " applies is in no log"}
	}
	return InForce{nil, "none: " + estimators.Title(writer) + " applies no rule unless it is told to; name yours with --off-policy " +
		"or --config"}
}

// Answer is which bound to take.
type Answer struct {
	Verdict string // "none needed", "bound", "no bound helps", "cannot tell"
	Trial   *Trial // the rule, for "bound"
	Text    string // one sentence
}

// Bounds of what needs no rule, and of what one must gain.
const (
	fineEffective = 0.9
	fineTop       = 0.5
	fineK3        = 2e-3
	leastGain     = 0.02 // of the rows
	tie           = 0.005
)

// Answer says which rule keeps most effective rows, and what it loses.
func (s *Study) Answer() Answer {
	t := &s.Total
	effective := t.EffectiveShare()
	isNear := t.MeanAbs() <= normalAbs && t.K3() <= fineK3
	oneDominates := t.Top > fineTop && t.Compared > 2*len(s.steps)
	isFine := isNear && effective >= fineEffective && !oneDominates
	switch {
	case t.Compared == 0:
		return Answer{"cannot tell", nil, "It cannot be told which rule is needed: no row has log-probs of both sampler and trainer."}
	case t.MaxAbs() == 0:
		return Answer{"cannot tell", nil, "It cannot be told which rule is needed: every difference is exactly 0, so one side may have " +
			"been written twice."}
	case isFine:
		return Answer{"none needed", nil, fmt.Sprintf("No rule is needed: mean |d| is %.2g, k3 %.2g, and %s of the rows count.",
			t.MeanAbs(), t.K3(), percent(effective))}
	}
	best, mine := s.best(""), s.best(s.framework())
	if mine != nil && !best.beats(mine) {
		best = mine
	}
	if best == nil || best.sound() < effective+leastGain {
		return Answer{
			"no bound helps", nil,
			fmt.Sprintf("No rule that was tried helps: %s of the rows count without one, and none keeps %.0f points more unclipped.",
				percent(effective), 100*leastGain),
		}
	}
	clips := ""
	if best.bent > 0 {
		clips = fmt.Sprintf(", and clips %s of the rows", percent(best.bent/float64(best.Rows)))
	}
	return Answer{"bound", best, fmt.Sprintf("%s keeps most effective samples: %s of the rows count after it, %s without a rule; it "+
		"drops %s%s.%s",
		best.Label(), percent(best.Effective()), percent(effective), best.loss(), clips, ofTheRun(mine, best, effective))}
}

// framework is that of the run's trainer, empty if nobody knows it.
func (s *Study) framework() string {
	if s.Own != nil {
		return s.Own.Rule.Framework
	}
	return s.Writer()
}

// ofTheRun says of the rule that keeps most of those of the run's own trainer, if the best one is another's, what it keeps.
func ofTheRun(mine, best *Trial, effective float64) string {
	switch {
	case mine == nil || mine.Rule.Framework == best.Rule.Framework:
		return ""
	case mine.sound() < effective+leastGain:
		return fmt.Sprintf(" No rule of %s that was tried helps.", estimators.Title(mine.Rule.Framework))
	}
	return fmt.Sprintf(" Of the rules of %s, %s keeps most: %s.", estimators.Title(mine.Rule.Framework), mine.Label(),
		percent(mine.Effective()))
}

// sound is the share of the rows that count, less those that are clipped: narrow caps make all weights alike, and all of them wrong.
func (t *Trial) sound() float64 { return t.Effective() - t.bent/float64(t.Rows) }

// beats reports whether more rows count after t, or as many with less lost, or as much and exactly.
func (t *Trial) beats(other *Trial) bool {
	switch gain, cost := t.sound()-other.sound(), t.lost()-other.lost(); {
	case math.Abs(gain) > tie:
		return gain > 0
	case math.Abs(cost) > tie:
		return cost < 0
	}
	return other.Inexact && !t.Inexact
}

// best is the trial after which most rows count unclipped, of equal ones that which loses least; only those of a framework, if it is not
// empty. Rules of versions bound no ratio.
func (s *Study) best(framework string) (best *Trial) {
	for _, t := range s.Trials {
		isKnown := t.weighted > 0 && units.IsFinite(t.sound())
		isOther := framework != "" && t.Rule.Framework != framework
		if !isKnown || isOther || t.Rule.Versions || t.Fails != "" {
			continue
		}
		if best == nil || t.beats(best) {
			best = t
		}
	}
	return best
}

// lost is the share of Σ|A| that a rule removes, or of tokens where no advantage is known.
func (t *Trial) lost() float64 {
	if m := t.Mass(); m.All > 0 {
		return 1 - m.Share()
	}
	return 1 - float64(t.TokensKept)/float64(t.Tokens)
}

func (t *Trial) loss() string {
	tokens := percent(1-float64(t.TokensKept)/float64(t.Tokens)) + " of tokens"
	if m := t.Mass(); m.All > 0 {
		return percent(1-m.Share()) + " of Σ|A| and " + tokens
	}
	return tokens
}

const maxLabel = 100

// Label names a rule and its bound: "trl/vllm_importance_sampling (seq ≤ 3 (inclusive))".
func (t *Trial) Label() string {
	text := strings.NewReplacer("[", "", "]", "", "{", "", "}", "", `"`, "").Replace(t.Options.String())
	if t.Bound != "" {
		text = shortKeys(t.Rule.Swept.Keys) + " " + t.Bound
	}
	if text == "" {
		text, _, _ = strings.Cut(t.Rule.Bounds, " (")
	}
	if long := []rune(text); len(long) > maxLabel {
		text = string(long[:maxLabel]) + "…"
	}
	return t.Name() + " (" + text + ")"
}

// shortKeys are the last words of keys.
func shortKeys(keys []string) string {
	var words []string
	for _, key := range keys {
		words = append(words, key[strings.LastIndexByte(key, '.')+1:])
	}
	return strings.Join(words, ", ")
}

// percent writes a share; 0% and 100% only if exact.
func percent(share float64) string {
	switch {
	case math.IsNaN(share):
		return "—"
	case share > 0 && share < 0.001:
		return "<0.1%"
	case share < 1 && share > 0.999:
		return ">99.9%"
	}
	return fmt.Sprintf("%.3g%%", 100*share)
}
