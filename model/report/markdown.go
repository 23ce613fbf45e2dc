package report

import (
	"fmt"
	"io"
	"strings"

	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/sanitize"
)

// Markdown writes a page like that of [Text] for issues, chats and notebooks.
func Markdown(w io.Writer, r *Report) (*Charts, error) {
	return r.write(w, pageFormat{hasCharts: true, head: markdownHead, step: markdownStep, groups: markdownGroups, foot: markdownFoot})
}

func markdownHead(p *page) {
	for _, f := range p.facts(", ", "log", "path", "report", "settings", "options", "reward", "config", "read", "groups", "lengths",
		"rollouts", "statuses",
		"last row", "left out", "solved") {
		if f.Key == "log" {
			p.printf("## %s\n\n", f.Text)
		} else {
			p.printf("- **%s** %s\n", f.Label, escapeMarkdown(f.Text))
		}
	}
	for _, f := range p.foundFacts() {
		if f.Label == "" {
			p.printf("  - %s\n", escapeMarkdown(f.Text))
		} else {
			p.printf("- **%s** %s\n", f.Label, escapeMarkdown(f.Text))
		}
	}
	if p.Per == PerGroup {
		p.printf("\n"+markdownGroupRow+"| ---: | :--- | ---: | :--- | ---: | ---: | ---: | :--- |\n",
			append(anyNames(p.groupTable), "prompt")...)
		return
	}
	heads := append(anyNames(p.stepTable), "needs a look")
	for k := range heads {
		heads[k] = strings.ReplaceAll(heads[k].(string), "|", `\|`)
	}
	p.printf("\n"+markdownStepRow+"| ---: | ---: | ---: | ---: | :--- | :--- | :--- | ---: | ---: | :--- |\n", heads...)
}

// Rows of the tables.
const (
	markdownStepRow  = "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n"
	markdownGroupRow = "| %s | %s | %s | %s | %s | %s | %s | %s |\n"
)

func markdownStep(p *page, s *analysis.StepFigures) []byte {
	return fmt.Appendf(nil, markdownStepRow, append(anyTexts(p.stepTable, s, figures.Number.Digits), notableFates(s))...)
}

func markdownGroups(p *page, a *analysis.Analysis) (rows []byte) {
	for _, i := range worstFirst(a) {
		g := figures.NewGroupOf(a, i)
		label := escapeMarkdown(labelInReport(g, g.Preview))
		rows = fmt.Appendf(rows, markdownGroupRow, append(anyTexts(p.groupTable, g, figures.Number.Digits), label)...)
	}
	return rows
}

func markdownFoot(p *page) {
	switch {
	case p.Per == PerGroup:
		p.printf("\nTogether: %s.\n", fateCounts(p.total.sum.Fates))
	case p.Per == PerRun || p.total.Steps > 1:
		p.printf(markdownStepRow, p.totalRow(figures.Number.Digits)...)
		p.printf("\nIn the last row counts are added up; reward is the mean of %s, Σ|A| of all samples.\n", p.total.rewardsMeant())
	}
	for _, line := range p.legend() {
		p.printf("\n%s.\n", line)
	}
	if p.ChartsFile != "" {
		p.printf("\n![advantages, metrics over the steps, solve rate](<%s>)\n", strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "").
			Replace(p.ChartsFile))
	} else if lines := p.charts.Text(); len(lines) > 0 {
		p.printf("\n```text\n")
		p.lines(lines[1:]) // the first is blank
		p.printf("```\n")
	}
	if p.newest != nil && p.Per != PerRun {
		p.markdownWarnings(p.newest)
	}
	for _, problem := range p.Snap.Run.Problems[:min(len(p.Snap.Run.Problems), maxProblems)] {
		p.printf("- could not read %s\n", escapeMarkdown(problem.String()))
	}
	if text := p.notChecked(); text != "" {
		p.printf("\n%s\n", escapeMarkdown(text))
	}
	p.printf("\n*%s*\n", p.completeLine())
}

func (p *page) markdownWarnings(s *analysis.StepFigures) {
	p.printf("\n### step %d\n\n", s.Step)
	if len(s.Warnings) == 0 {
		p.printf("No warnings.\n")
	}
	for _, w := range s.Warnings {
		p.printf("- ⚠ %s — %s", escapeMarkdown(w.Sentence()), escapeMarkdown(withoutKeys(w.Advice)))
		if e := p.example(w); e != nil {
			p.printf(" (for example `%s`)", strings.ReplaceAll(strings.TrimSpace(e.Group+" "+e.Prompt), "`", "'"))
		}
		p.printf("\n")
	}
}

// escapeMarkdown escapes text of a log so that it breaks no table or list, and links to and
// loads nothing.
func escapeMarkdown(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'", "[", `\[`).Replace(sanitize.Line(s))
}
