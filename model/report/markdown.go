package report

import (
	"io"
	"strconv"
	"strings"
	"time"

	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Markdown writes a page like that of [Text] for issues, chats and notebooks.
func Markdown(w io.Writer, r *Report) (*Charts, error) {
	return r.write(w, pageFormat{head: markdownHead, step: markdownStep, groups: markdownGroups, foot: markdownFoot})
}

func markdownHead(p *page) {
	set, snap := p.Settings, p.Snap
	p.printf("## %s · %s · %s%s\n\n", snap.Run.Format, units.Plural(len(snap.Steps), "steps"), units.Plural(snap.Rows, "samples"), attemptText(snap.Run.Attempts))
	if p.Head.Path != "" {
		p.printf("- **path** %s\n", escapeMarkdown(p.Head.Path))
	}
	if at := p.Head.written(); at != "" {
		p.printf("- **report** of %s\n", escapeMarkdown(at))
	}
	p.printf("- **settings** %s, scale %s, keep_pos_ratio %s, keep_neg_ratio %s, compute_new_adv %s\n", estimatorText(set, p.Choice), set.Scale,
		units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2), onOff(set.Recompute))
	if set.Options != "" {
		p.printf("- **options** %s\n", escapeMarkdown(set.Options.String()))
	}
	if reward := rewardText(set, p.Choice.Rewards); reward != "" {
		p.printf("- **reward** %s\n", escapeMarkdown(reward))
	}
	if snap.Run.Config != "" {
		p.printf("- **config** %s\n", escapeMarkdown(snap.Run.Config))
	}
	p.printf("- **read** %s\n- **groups** %s\n- **lengths** %s\n", escapeMarkdown(snap.Run.Provenance), escapeMarkdown(p.Grouping.Evidence), snap.Run.LengthUnit.Doc())
	if text := snap.RolloutEvidence(set); text != "" {
		p.printf("- **rollouts** %s%s\n", text, p.sizeLegend())
	}
	if at := p.lastWrite(time.Local, time.DateTime); at != "" {
		p.printf("- **last row** written %s\n", at)
	}
	for _, note := range snap.Run.Notes {
		p.printf("- **left out** %s\n", escapeMarkdown(note))
	}
	for _, note := range snap.SolvedNotes(p.rewardScales) {
		p.printf("- **solved** %s\n", escapeMarkdown(note))
	}
	if p.Per == PerGroup {
		p.printf("\n| step | fate | n | kept | flips | reward | std | prompt |\n| ---: | :--- | ---: | :--- | ---: | ---: | ---: | :--- |\n")
		return
	}
	p.printf("\n| step | samples | groups | reward | signal | kept | A≠0 | Σ\\|A\\| | flips | needs a look |\n| ---: | ---: | ---: | ---: | :--- | :--- | :--- | ---: | ---: | :--- |\n")
}

func markdownStep(p *page, s *analysis.Summary) { p.markdownRow(strconv.FormatInt(s.Step, 10), s) }

func (p *page) markdownRow(name string, s *analysis.Summary) {
	p.printf("| %s | %d | %d | %s | %s | %s | %s | %s | %d | %s |\n", name, s.Rows, s.Groups, units.Short(s.Metric("critic/score/mean")),
		units.Fraction(s.Signal, s.Groups), units.Fraction(s.Kept, s.Rows), units.Fraction(s.Nonzero, s.Rows), units.Times(s.Metric("vantage/abs_advantage_ratio")), s.Flips.Total(), notableFates(s))
}

func markdownGroups(p *page, a *analysis.Analysis) {
	refused := refusedGroups(a)
	for _, g := range worstFirst(a) {
		p.printf("| %d | %s | %s | %s | %d | %s | %s | %s |\n", a.Step, g.Fate, g.SizeText(), keptText(g), g.Flips.Total(), units.Short(g.RewardMean), units.Short(g.RewardStd),
			escapeMarkdown(labelInReport(g, g.Preview, refused)))
	}
}

func markdownFoot(p *page) {
	switch {
	case p.Per == PerGroup:
		p.printf("\nTogether: %s.\n", strings.Join(fateCounts(p.total.summary()), ", "))
	case p.Per == PerRun || p.total.Steps > 1:
		p.markdownRow("all", p.total.summary())
		p.printf("\nIn the last row counts are added up; reward and Σ|A| are means over the steps.\n")
	}
	for _, line := range p.legend() {
		p.printf("\n%s.\n", line)
	}
	if p.ChartsFile != "" {
		p.printf("\n![advantages, figures over the steps, solve rate](<%s>)\n", strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "").Replace(p.ChartsFile))
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
	p.printf("\n*%s*\n", p.completeLine())
}

func (p *page) markdownWarnings(s *analysis.Summary) {
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
