package offpolicy

import "vantage/estimators"

// staleness is a limit on how old the policy of a row may be.
type staleness struct {
	name, key, byDefault string
	formula, source, doc string

	// keeps says whether a row stays at a step: weights of version step − 1 train there.
	keeps func(step int, v Versions, limit int) bool
}

// versionLimit is the rule of a limit. Its option is also called limit.
func versionLimit(s staleness) *Rule {
	option := estimators.Option{
		Key: s.key, Aliases: []string{"limit"}, Kind: estimators.OrNone(estimators.Count(0)), Default: s.byDefault,
		Meaning: "T, in versions of the weights",
	}
	text := "off"
	if s.byDefault != "none" {
		text = "T = " + s.byDefault + " (inclusive)"
	}
	return &Rule{
		Entry: estimators.Entry{
			Name: s.name, Key: s.key, Formula: s.formula, Source: s.source, Doc: s.doc, Options: []estimators.Option{option},
		},
		Level: "version", Bounds: text, DropsRows: true, BeforeAdvantages: true, Denominator: denominatorRows,
		Needs: Needs{Versions: true}, Swept: Swept{[]string{s.key}, AsVersions, OfVersions},
		apply: func(v estimators.Values) (rowRule, func([]*row) error, error) {
			limit := v.Whole(s.key)
			off := v.Text(s.key) == "none"
			return func(x *row, step int) { x.rejectAll(!off && !s.keeps(step, *x.Versions, limit)) }, nil, nil
		},
	}
}
