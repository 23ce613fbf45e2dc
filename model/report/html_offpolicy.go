package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	rules "vantage/estimators/offpolicy"
	"vantage/model/offpolicy"
	"vantage/model/units"
)

// writeOffPolicy says how far the samples are from the policy that trains them, and why.
func (h *htmlPage) writeOffPolicy() {
	s := h.Parts.OffPolicy
	h.note("d is the log-prob of the trainer less that of the engine that sampled, in nats. " + units.Plural(s.Total.Compared, "samples") +
		" with " + units.Plural(s.Total.Tokens, "tokens") + " can be compared.")
	cause, force := s.Cause(), s.InForce()
	facts := []markup{factTag("Cause", string(cause.Verdict)+": "+cause.Why), factTag("Rule of the run", forceText(force))}
	if text := signsText(s); text != "" {
		facts = append(facts, factTag("Signs", text))
	}
	h.put(tag("dl", class("facts"), facts), lineBreak)
	columns := []tableColumn{
		{"steps", "number", ""},
		{"rows", "number", ""},
		{"tokens", "number", "with log-probs of both sides"},
		{"mean |d|", "number", "nats a token; equal weights in bfloat16 differ by 0.005 to 0.04"},
		{"k3", "number", "an estimate of the KL divergence, nats a token"},
		{"ESS", "share", "how many rows count as much, if each weighs the product of its ratios"},
		{"top 1", "share", "the share of the heaviest row"},
		{"lag", "number", "in versions of the weights"},
	}
	line := func(name string, t *offpolicy.Tally, lag string) []markup {
		return []markup{
			tag("th", attr("scope", "row"), name), tag("td", units.Count(t.Rows)), tag("td", units.Count(t.Tokens)),
			tag("td", offpolicy.Nats(t.MeanAbs())),
			tag("td", offpolicy.Nats(t.K3())), tag("td", offpolicy.Share(t.EffectiveShare())), tag("td", offpolicy.Share(t.Top)),
			tag("td", lag),
		}
	}
	course := s.Course(maxOffPolicyRows)
	h.writeTable("off-policy", "Over the steps", columns, len(course), func(i int) []markup {
		return line(rangeText(course[i]), &course[i].Tally, offpolicy.Nats(course[i].Lag()))
	})
	if len(s.Lags) > 1 {
		columns[0] = tableColumn{"lag", "number", "in versions of the weights"}
		lags := s.Lags[:min(len(s.Lags), maxOffPolicyRows)]
		h.writeTable("lags", "By how old the weights were that sampled", columns[:len(columns)-1], len(lags), func(i int) []markup {
			cells := line(units.Count(lags[i].Versions), &lags[i].Tally, "")
			return cells[:len(cells)-1]
		})
	}
	h.writeBounds(force.Trial)
	h.note("What each trainer's rule would keep: vantage offpolicy PATH --rules.")
}

// writeBounds writes the bound of the rule of the run among those that other trainers have for the same.
func (h *htmlPage) writeBounds(t *offpolicy.Trial) {
	if t == nil {
		return
	}
	own, isKnown := t.Rule.BoundOf(t.Options)
	all := t.Rule.Elsewhere()
	if !isKnown || len(all) == 0 {
		return
	}
	i, isShared := slices.BinarySearchFunc(all, own, func(e rules.Elsewhere, own float64) int { return cmp.Compare(e.Bound, own) })
	if !isShared {
		all = slices.Insert(all, i, rules.Elsewhere{Bound: own})
	}
	all[i].Frameworks = slices.Insert(all[i].Frameworks, 0, t.Name())
	columns := []tableColumn{
		{"bound", "number", "of the " + string(t.Rule.Swept.Of)},
		{"whose", "text", "the rule of the run, and the trainers whose default it is"},
	}
	h.writeTable("bounds", "Where trainers bound what "+t.Name()+" does", columns, len(all), func(i int) []markup {
		bound := tag("th", attr("scope", "row"), strconv.FormatFloat(all[i].Bound, 'g', -1, 64))
		return []markup{bound, tag("td", strings.Join(all[i].Frameworks, ", "))}
	})
}

// maxOffPolicyRows bounds the tables.
const maxOffPolicyRows = 40
