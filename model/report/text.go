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

// maxProblems is how many unreadable places are listed.
const maxProblems = 10

// Text writes a page of text: what was read and how, a table with its total, charts, then
// metrics and warnings of the newest complete step.
func Text(w io.Writer, r *Report) (*Charts, error) {
	return r.write(w, pageFormat{head: textHead, step: textStep, groups: textGroups, foot: textFoot})
}

func textHead(p *page) {
	for _, f := range p.facts(" · ", "path", "report", "log", "read", "groups", "doubt", "rollouts", "left out", "lengths", "last row", "config",
		"settings", "overlong", "groups by", "loss", "stage options", "options", "reward", "solved") {
		if f.Key == "rollouts" {
			f.Text += p.sizeLegend()
		}
		if f.Key == "doubt" {
			f.Label = ""
		}
		p.printf("%-10s %s\n", f.Label, sanitize.Line(f.Text))
	}
	p.printf("\n")
	if p.Per == PerGroup {
		p.printf(textGroupRow, append(anyNames(p.groupTable), "prompt")...)
		return
	}
	p.printf(textStepRow, append(anyNames(p.stepTable), "fates that need a look")...)
}

// textStepRow lays out a row of the table of steps.
const textStepRow = "%7s %8s %7s %8s  %-16s %-20s %-20s %7s %6s  %s\n"

func textStep(p *page, s *analysis.StepFigures) {
	p.printf(textStepRow, append(anyTexts(p.stepTable, s, figures.Number.String), notableFates(s))...)
}

// textGroupRow lays out a row of the table of groups.
const textGroupRow = "%7s  %-11s %5s  %-10s %5s  %7s %6s  %.60s\n"

// textGroups writes the groups of a step, the worst first.
func textGroups(p *page, a *analysis.Analysis) {
	refused := refusedGroups(a)
	for _, i := range worstFirst(a) {
		g := figures.NewGroupOf(a, i)
		label := skippedText(g) + labelInReport(g.Group, sanitize.Line(g.Preview), refused)
		p.printf(textGroupRow, append(anyTexts(p.groupTable, g, figures.Number.Digits), label)...)
	}
}

// skippedText says why the group filter does not admit a group, before its prompt; "" if it does.
func skippedText(g figures.GroupOf) string {
	if g.Admitted {
		return ""
	}
	return "(" + sanitize.Line(g.In.WhySkipped(g.At)) + ") "
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

// notableFates counts the groups of a step that are not alive, by fate.
func notableFates(s *analysis.StepFigures) string {
	if s.Open {
		return "still being written"
	}
	var parts []string
	for _, f := range model.Fates() {
		if f != model.FateAlive && s.Fates[f] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", s.Fates[f], f))
		}
	}
	return strings.Join(parts, ", ")
}

func textFoot(p *page) {
	p.textTotal()
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
	textWarningSpans(p)
	textProblems(p, p.Snap.Run)
	p.printf("\n%s\n", p.completeLine())
}

// textTotal writes the total of the rows.
func (p *page) textTotal() {
	switch {
	case p.Per == PerGroup:
		p.printf("%7s  %s\n", "all", strings.Join(fateCounts(p.total.summary()), ", "))
	case p.Per == PerRun || p.total.Steps > 1:
		p.printf(textStepRow, p.totalRow(figures.Number.String)...)
		p.printf("%7s counts are added up, reward is the mean of %s, Σ|A| of the steps\n", "", p.total.rewardsMeant())
	}
}

// legend explains the figures of the table that are easily taken for others, and names the kinds of
// flips if there are any.
func (p *page) legend() []string {
	var lines []string
	if p.Per != PerGroup {
		lines = append(lines, "A≠0 counts the samples whose advantage is not 0: only these train, however many are kept")
	}
	for _, step := range p.total.Open {
		lines = append(lines, fmt.Sprintf("step %d is still being written: it counts in no sum and raises no warning", step))
	}
	if n := p.total.Flips.Total(); n > 0 {
		lines = append(lines, fmt.Sprintf("flips: %s of %s kept samples change sign in recompute: %s", units.Count(n), units.Count(p.total.Kept), p.total.Flips))
	}
	return lines
}

// fateCounts counts the groups by fate.
func fateCounts(s *analysis.StepFigures) []string {
	var parts []string
	for _, f := range model.Fates() {
		if s.Fates[f] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", s.Fates[f], f))
		}
	}
	return parts
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

// textWarningSpans writes the steps at which each kind of warning occurs.
func textWarningSpans(p *page) {
	if p.total.Steps < 2 || len(p.total.warningSpans) == 0 {
		return
	}
	p.printf("\nwarnings over the steps\n")
	for _, s := range p.total.warningSpans {
		p.printf("  %-26s from step %d, at %s\n", s.Kind, s.First, units.Fraction(s.Steps, p.total.Steps)+" of the steps")
	}
}

func textProblems(p *page, r model.Run) {
	if len(r.Problems) == 0 {
		return
	}
	all := max(r.Skipped, len(r.Problems))
	p.printf("\ncould not read %s\n", units.Plural(all, "places"))
	for i, problem := range r.Problems {
		if i == maxProblems {
			p.printf("  and %d more\n", all-i)
			break
		}
		p.printf("  %s\n", problem)
	}
}

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
