package figures

import "strings"

const pageHead = `# Every figure, and how it is computed

What the screen, reports, JSON, CSV and rules show. The names are those of the columns and keys; figures that trainers log have the
trainers' names.

| symbol | |
| --- | --- |
| r | reward of a sample, as the estimator reads it |
| A | its advantage before the filter (*original*) |
| A′ | its advantage after filter and recompute (*processed*): what trains |
| l | length of its response in tokens, or in what the report's line *lengths* says |
| n, c | samples of a group, and those of them that are [solved](reporting.md#solved-samples) |
| N, G | samples and groups of the step |
| #{…} | how many samples or groups are so |

A figure of a run is the sum over its complete steps if it is a count, whatever its name. Of a metric it is the largest or the least where
the name ends in max or min; the mean of all samples of critic/score/mean, critic/rewards/mean, response_length/mean,
response_length/clip_ratio, frac_reward_zero_std and vantage/kept, of all groups of vantage/signal and vantage/admitted; and else the mean
over the steps. Where rewards are no numbers, the mean reward of a run is that of the others. *ddof* is what is
taken off the number of values in the divisor of a standard deviation. *Near* are figures of trainers that are computed otherwise. What
trainers call a figure was read in their code; names without a trainer's are ours.
`

// Page returns the page of the documentation.
func Page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, s := range sections() {
		b.WriteString("\n## " + s.title + "\n\n" + s.intro + "\n\n| figure | unit | formula | meaning | trainers call it |\n| --- | --- | --- | --- | --- |\n")
		for _, e := range s.entries {
			cells := []string{"`" + strings.Join(splitNames(e.Names), "`, `") + "`", e.Unit, e.Formula, e.Meaning, e.Trainers}
			for i := range cells {
				cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
			}
			b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		}
	}
	return b.String()
}
