package figures

import "strings"

const pageHead = `# Glossary

    vantage list metrics                # all, a line each
    vantage list metrics signal         # one: formula, unit, and what trainers call it
    vantage list metrics sweep          # all of a place, or of a command
    vantage list metrics warning

These are the words of the screen, reports, JSON, CSV and rules. Metrics that trainers log have the trainers' names; ` + "`vantage/`" + ` marks ours.
` + "`?`" + ` on the screen explains the number under the cursor.

| symbol | |
| --- | --- |
| r | reward of a sample, as the estimator reads it |
| A | its advantage before the filter (*original*) |
| A′ | its advantage after filter and recompute (*processed*): what trains |
| l | length of its response in tokens, or in the unit of the report's line *lengths* |
| n, c | samples of a group, and those of them that are [solved](decisions.md#which-samples-are-solved) |
| N, G | samples and groups of the step |
| #{…} | how many samples or groups match |

*ddof*: a standard deviation divides by n − ddof. *near* marks trainer metrics that are similar but computed differently.

**Over a run**, a count is the sum over the complete steps. A metric whose name ends in max or min is the largest or the smallest. These are means
over all samples: critic/score/mean, critic/rewards/mean, response_length/mean, response_length/clip_ratio, frac_reward_zero_std, vantage/kept.
vantage/signal and vantage/admitted are means over all groups. Other metrics are means over the steps. Rewards that are not numbers are left
out of the mean.
`

// Page returns the page of the documentation: the symbols, the metrics that a newcomer meets first with their formulas, and the places of
// the others.
func Page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	b.WriteString("\n## Met first\n\n")
	for _, name := range []string{"samples", "groups", "signal", "train", "kept", "Σ|A|", "flips", "effective", "admitted", "Σw|A|"} {
		e, ok := entryOf(All(Step), name)
		if !ok {
			panic("the glossary has no " + name)
		}
		b.WriteString("* `" + e.Name() + "`: " + e.Explanation() + "\n")
	}
	b.WriteString("\n## Fates of a group\n\n")
	for _, e := range All(Fates) {
		b.WriteString("* `" + e.Name() + "`: " + e.Meaning + "\n")
	}
	b.WriteString("\n## Places\n\n`vantage list metrics PLACE` describes all that is shown there: ")
	var places []string
	for _, place := range Places() {
		places = append(places, "`"+string(place)+"`")
	}
	b.WriteString(strings.Join(places, ", ") + ".\n")
	return b.String()
}
