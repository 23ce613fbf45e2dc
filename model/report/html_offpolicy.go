package report

import (
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
	h.note("What each trainer's rule would keep: vantage offpolicy PATH --rules.")
}

// maxOffPolicyRows bounds the tables.
const maxOffPolicyRows = 40
