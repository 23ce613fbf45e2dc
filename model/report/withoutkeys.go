package report

import (
	"regexp"
	"strings"
)

// withoutKeys returns an advice that was written for the screen, with commands and flags in the place of its keys: what is
// printed is read in a CI system, in a mail and by programs.
func withoutKeys(advice string) string {
	advice = strings.NewReplacer(
		"; S maps every pair", "; `vantage sweep` maps every pair", "(:option KEY=VALUE, --option)", "(--option KEY=VALUE)",
		"dynamic sampling (C)", "dynamic sampling (--group-filter)", ":groupsize asks", "`vantage groupsize` asks",
		"the estimator (e)", "the estimator (--framework, --estimator)", "another estimator (e)", "another estimator (--framework, --estimator)",
		"the list (E)", "`vantage estimators`", " (Enter)", "", " (:reward)", "", ": C shows the rule", ": `vantage filters` describes the rule",
	).Replace(advice)
	return letters.ReplaceAllString(advice, "")
}

// letters are keys behind what they change.
var letters = regexp.MustCompile(` \([a-zA-Z](, [a-zA-Z])*\)`)
