package match

import (
	"fmt"
	"strings"

	"vantage/estimators"
	"vantage/model"
)

// Candidate is an estimator with a scale and the options that are not at their default.
type Candidate struct {
	Framework string
	Estimator string
	Scale     estimators.Scale
	Options   estimators.Options
}

// CandidateOf returns that of some settings.
func CandidateOf(set model.Settings) Candidate {
	return Candidate{set.Framework, set.Estimator, set.Scale, set.Options}
}

// candidateOf returns an estimator, with the options it was made with, under a scale.
func candidateOf(e *estimators.Estimator, scale estimators.Scale) Candidate {
	return Candidate{e.Framework, e.Name, scale, e.Given}
}

// String returns "easyr1 grpo with scale group", and the options.
func (c Candidate) String() string {
	text := fmt.Sprintf("%s %s with scale %s", c.Framework, c.Estimator, c.Scale)
	if c.Options != "" {
		text += " and " + c.Options.String()
	}
	return text
}

// IsOf reports whether an estimator is a trainer's, or that of another version of it: verl-2026-01 is
// verl's. No estimator is of an unknown trainer, "".
func (c Candidate) IsOf(trainer string) bool {
	return trainer != "" && (c.Framework == trainer || strings.HasPrefix(c.Framework, trainer+"-"))
}
