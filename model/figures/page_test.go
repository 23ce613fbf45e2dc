package figures

import (
	"slices"
	"strings"
)

const pageHead = `# Glossary

    vantage report rollouts.jsonl --format json
    vantage check rollouts.jsonl --fail-on 'signal<20%'

What the screen, reports, JSON, CSV and rules show, under the names of the columns and keys. Metrics that trainers log have the trainers'
names. The metrics of single commands, and the warnings, are on [a page of their own](glossary-commands.md).

| symbol | |
| --- | --- |
| r | reward of a sample, as the estimator reads it |
| A | its advantage before the filter (*original*) |
| A′ | its advantage after filter and recompute (*processed*): what trains |
| l | length of its response in tokens, or in the unit of the report's line *lengths* |
| n, c | samples of a group, and those of them that are [solved](decisions.md#which-samples-are-solved) |
| N, G | samples and groups of the step |
| #{…} | how many samples or groups match |

**Over a run**, a count is the sum over the complete steps. A metric whose name ends in max or min is the largest or the smallest. These are means
over all samples: critic/score/mean, critic/rewards/mean, response_length/mean, response_length/clip_ratio, frac_reward_zero_std, vantage/kept.
vantage/signal and vantage/admitted are means over all groups. Other metrics are means over the steps. Rewards that are not numbers are left
out of the mean.

*ddof*: a standard deviation divides by n − ddof. *near* marks trainer metrics that are similar but computed differently. The trainers' names
come from their code; names without a trainer are vantage's.
`

const commandsHead = `# Glossary of commands

    vantage sweep rollouts.jsonl
    vantage plan rollouts.jsonl --sizes-only

The metrics that single commands add, and all warnings. The symbols, and what steps, groups and samples have, are in [the glossary](glossary.md).
`

// Pages returns the pages of the documentation: what steps, groups and samples have, and what commands add.
func Pages() (common, commands string) {
	all := sections()
	at := slices.IndexFunc(all, func(s section) bool { return s.title == "Breakdown" })
	return page(pageHead, all[:at]), page(commandsHead, all[at:])
}

func page(head string, sections []section) string {
	var b strings.Builder
	b.WriteString(head)
	for _, s := range sections {
		b.WriteString("\n## " + s.title + "\n\n" + s.intro + "\n\n| metric | unit | formula | meaning | trainers call it |\n| --- | --- | --- | --- | --- |\n")
		for _, e := range s.entries {
			cells := []string{"`" + strings.Join(e.Names, "`, `") + "`", e.Unit, e.Formula, e.Meaning, e.Trainers}
			for i := range cells {
				cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
			}
			b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		}
	}
	return b.String()
}
