package report

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/model/units"
)

const maxProblems = 10

// Text writes a page of text: what was read and how, a table with its total, charts, then
// metrics and warnings of the newest complete step.
func Text(w io.Writer, r *Report) (*Charts, error) {
	return r.write(w, pageFormat{hasCharts: true, head: textHead, step: textStep, groups: textGroups, foot: textFoot})
}

func textHead(p *page) {
	facts := p.facts(" · ", "path", "report", "log", "read", "groups", "doubt", "rollouts", "statuses", "left out", "lengths", "last row",
		"config",
		"settings", "overlong", "groups by", "off-policy", "loss", "stage options", "options", "reward", "solved")
	for i := range facts {
		if facts[i].Key == "doubt" {
			facts[i].Label = ""
		}
	}
	writeFacts(p.out, 10, facts...)
	if found := p.foundFacts(); found != nil {
		p.printf("\n")
		writeFacts(p.out, 10, found...)
	}
	p.printf("\n")
	if p.Per == PerGroup {
		p.printf(textGroupRow, append(anyNames(p.groupTable), "prompt")...)
		return
	}
	p.printf(textStepRow, append(anyNames(p.stepTable), "fates that need a look")...)
}

const textStepRow = "%7s %8s %7s %8s  %-16s %-20s %-20s %7s %6s  %s\n"

func textStep(p *page, s *analysis.StepFigures) []byte {
	return fmt.Appendf(nil, textStepRow, append(anyTexts(p.stepTable, s, figures.Number.String), notableFates(s))...)
}

const textGroupRow = "%7s  %-11s %5s  %-10s %5s  %7s %6s  %.60s\n"

// textGroups writes the groups of a step, the worst first.
func textGroups(p *page, a *analysis.Analysis) (rows []byte) {
	for _, i := range worstFirst(a) {
		g := figures.NewGroupOf(a, i)
		label := labelInReport(g, sanitize.Line(g.Preview))
		if !g.Admitted {
			label = "(" + sanitize.Line(a.WhySkipped(i)) + ") " + label
		}
		rows = fmt.Appendf(rows, textGroupRow, append(anyTexts(p.groupTable, g, figures.Number.Digits), label)...)
	}
	return rows
}

// worstFirst returns the groups of a step by fate, in log order within each.
func worstFirst(a *analysis.Analysis) []int {
	list := make([]int, len(a.Table))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(x, y int) int { return int(a.Table[x].Fate) - int(a.Table[y].Fate) })
	return list
}

// groupLabel returns the prompt of a group, or its name if there is none.
func groupLabel(preview, name string) string {
	if preview == "" {
		return sanitize.Line(name)
	}
	return preview
}

func notableFates(s *analysis.StepFigures) string {
	if s.Open {
		return "still being written"
	}
	notable := s.Fates
	notable[model.FateAlive] = 0
	return fateCounts(notable)
}

func textFoot(p *page) {
	switch {
	case p.Per == PerGroup:
		p.printf("%7s  %s\n", "all", fateCounts(p.total.sum.Fates))
	case p.Per == PerRun || p.total.Steps > 1:
		p.printf(textStepRow, p.totalRow(figures.Number.String)...)
		p.printf("%7s counts are added up, reward is the mean of %s, Σ|A| of all samples\n", "", p.total.rewardsMeant())
	}
	for _, line := range p.legend() {
		p.printf("%7s %s\n", "", line)
	}
	p.lines(p.charts.Text())
	if p.ChartsFile != "" {
		p.printf("\nthe charts are drawn in %s\n", sanitize.Line(p.ChartsFile))
	}
	if p.newest != nil && p.Per != PerRun {
		p.textStepDetails(p.newest)
	}
	if p.total.Steps > 1 && len(p.total.warningSpans) > 0 {
		p.printf("\nwarnings over the steps\n")
		for _, s := range p.total.warningSpans {
			p.printf("  %-26s from step %d, at %s\n", s.Kind, s.First, units.Fraction(s.Steps, p.total.complete())+" of the steps")
		}
	}
	if problems, all := p.problems(); all > 0 {
		p.printf("\ncould not read %s\n", units.Plural(all, "places"))
		for _, problem := range problems {
			p.printf("  %s\n", problem)
		}
		if len(problems) < len(p.Snap.Run.Problems) {
			p.printf("  and %d more\n", all-len(problems))
		}
	}
	if text := p.notChecked(); text != "" {
		p.printf("\n%s\n", text)
	}
	p.printf("\n%s\n", p.completeLine())
}

// legend explains the figures of the table that are easily taken for others, and names the kinds of
// flips if there are any.
func (p *page) legend() []string {
	var lines []string
	if p.Per != PerGroup {
		lines = append(lines, "train counts the samples whose advantage is not 0, however many are kept")
	}
	for _, step := range p.total.Open {
		lines = append(lines, fmt.Sprintf("step %d is still being written: it counts in no sum and raises no warning", step))
	}
	if n := p.total.sum.Flips.Total(); n > 0 {
		lines = append(lines, fmt.Sprintf("flips: %s of %s kept samples change sign in recompute: %s", units.Count(n),
			units.Count(p.total.sum.Kept), p.total.sum.Flips))
	}
	return lines
}

// fateCounts counts the groups by fate: "3 all wrong, 5 alive".
func fateCounts(counts [model.FateCount]int) string {
	var parts []string
	for _, f := range model.Fates() {
		if counts[f] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[f], f))
		}
	}
	return strings.Join(parts, ", ")
}

func (p *page) textStepDetails(s *analysis.StepFigures) {
	p.printf("\nmetrics of step %d\n", s.Step)
	for _, m := range s.Metrics {
		p.printf("  %-40s %s\n", m.Name, units.Short(m.Value))
	}
	if len(s.Warnings) == 0 {
		p.printf("\nno warnings at step %d\n", s.Step)
		return
	}
	p.printf("\nwarnings at step %d\n", s.Step)
	for _, w := range s.Warnings {
		p.printf("  ! %s\n", w.Sentence())
		if e := p.example(w); e != nil {
			p.printf("    example: %s\n", sanitize.Line(strings.TrimSpace(e.Group+" "+e.Prompt)))
		}
		p.printf("    %s\n", withoutKeys(w.Advice))
	}
}

func (p *page) problems() (first []model.Problem, all int) {
	first = p.Snap.Run.Problems
	if len(first) > 0 {
		all = max(p.Snap.Run.Skipped, len(first))
	}
	return first[:min(len(first), maxProblems)], all
}

// withoutKeys returns an advice that was written for the screen, with commands and flags in the place of its keys: what is
// printed is read in a CI system, in a mail and by programs.
func withoutKeys(advice string) string {
	advice = strings.NewReplacer(
		"; S maps every pair", "; `vantage sweep` maps every pair", "(:option KEY=VALUE, --option)", "(--option KEY=VALUE)",
		"dynamic sampling (C)", "dynamic sampling (--group-filter)", ":groupsize asks", "`vantage plan --sizes-only` asks",
		"the estimator (e)", "the estimator (--framework, --estimator)", "another estimator (e)", "another estimator (--framework, --estimator)",
		"the list (E)", "`vantage list estimators`", " (Enter)", "", " (:reward)", "", ": C shows the rule",
		": `vantage list filters` describes the rule",
	).Replace(advice)
	return letters.ReplaceAllString(advice, "")
}

// letters are keys behind what they change.
var letters = regexp.MustCompile(` \([a-zA-Z](, [a-zA-Z])*\)`)
