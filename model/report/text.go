package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/choice"
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
	set, snap := p.Settings, p.Snap
	if p.Head.Path != "" {
		p.printf("path       %s\n", sanitize.Line(p.Head.Path))
	}
	if at := p.Head.written(); at != "" {
		p.printf("report     of %s\n", at)
	}
	p.printf("log        %s · %s · %s%s\n", snap.Run.Format, units.Plural(len(snap.Steps), "steps"), units.Plural(snap.Rows, "samples"), attemptText(snap.Run.Attempts))
	p.printf("read       %s\n", sanitize.Line(snap.Run.Provenance))
	p.printf("groups     %s\n", p.Grouping.Evidence)
	if p.Grouping.Doubt != "" {
		p.printf("           %s\n", p.Grouping.Doubt)
	}
	if text := snap.RolloutEvidence(set); text != "" {
		p.printf("rollouts   %s%s\n", text, p.sizeLegend())
	}
	for _, note := range snap.Run.Notes {
		p.printf("left out   %s\n", sanitize.Line(note))
	}
	p.printf("lengths    %s\n", snap.Run.LengthUnit.Doc())
	if at := p.lastWrite(time.Local, time.DateTime); at != "" {
		p.printf("last row   written %s\n", at)
	}
	if snap.Run.Config != "" {
		p.printf("config     %s\n", sanitize.Line(snap.Run.Config))
	}
	p.printf("settings   %s · scale %s · keep_pos_ratio %s · keep_neg_ratio %s · compute_new_adv %s\n",
		estimatorText(set, p.Choice), set.Scale, units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2), onOff(set.Recompute))
	for _, stage := range [][2]string{{"overlong", set.Overlong}, {"groups by", set.GroupFilter}, {"loss", set.Loss}} {
		if stage[1] != "" {
			p.printf("%-10s %s\n", stage[0], sanitize.Line(stage[1]))
		}
	}
	if set.StageOptions != "" {
		p.printf("           %s\n", sanitize.Line(set.StageOptions.String()))
	}
	if set.Options != "" {
		p.printf("options    %s\n", sanitize.Line(set.Options.String()))
	}
	if reward := rewardText(set, p.Choice.Rewards); reward != "" {
		p.printf("reward     %s\n", reward)
	}
	for _, note := range snap.SolvedNotes(p.rewardScales) {
		p.printf("solved     %s\n", sanitize.Line(note))
	}
	p.printf("\n")
	if p.Per == PerGroup {
		p.printf("%7s  %-11s %5s  %-10s %5s  %7s %6s  %s\n", "step", "fate", "n", "kept", "flips", "reward", "std", "prompt")
		return
	}
	p.printf("%7s %8s %7s %8s  %-16s %-20s %-20s %7s %6s  %s\n", "step", "samples", "groups", "reward", "signal", "kept", "A≠0", "Σ|A|", "flips", "fates that need a look")
}

// sizeLegend explains the sizes of groups in a log whose rollouts have several rows.
func (p *page) sizeLegend() string {
	if p.Per != PerGroup {
		return ""
	}
	return "; n is rollouts/rows"
}

// attemptText says which of several attempts is reported.
func attemptText(a model.RunAttempts) string {
	if !a.Several() {
		return ""
	}
	return " · " + a.String()
}

// estimatorText names framework and estimator, and says who chose them if that is known.
func estimatorText(set model.Settings, c choice.Choice) string {
	if c.Origin == "" {
		return set.Framework + " " + set.Estimator
	}
	return c.String()
}

// rewardText says which columns are the reward and who says so; "" if there was nothing to choose.
func rewardText(set model.Settings, r choice.Rewards) string {
	if r.IsChoice() {
		return sanitize.Line(r.String())
	}
	return sanitize.Line(set.Reward + string(set.Weights))
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func textStep(p *page, s *analysis.Summary) { p.textRow(fmt.Sprint(s.Step), s) }

func (p *page) textRow(name string, s *analysis.Summary) {
	p.printf("%7s %8s %7s %8s  %-16s %-20s %-20s %7s %6s  %s\n",
		name, units.Count(s.Rows), units.Count(s.Groups), units.Short(s.Metric("critic/score/mean")),
		units.Fraction(s.Signal, s.Groups), units.Fraction(s.Kept, s.Rows), units.Fraction(s.Nonzero, s.Rows),
		units.Times(s.Metric("vantage/abs_advantage_ratio")), units.Count(s.Flips.Total()), notableFates(s))
}

// textGroups writes the groups of a step, the worst first.
func textGroups(p *page, a *analysis.Analysis) {
	refused := refusedGroups(a)
	for _, g := range worstFirst(a) {
		p.printf("%7d  %-11s %5s  %-10s %5d  %7s %6s  %.60s\n", a.Step, g.Fate, g.SizeText(), keptText(g), g.Flips.Total(),
			units.Short(g.RewardMean), units.Short(g.RewardStd), skippedText(a, g)+labelInReport(g, sanitize.Line(g.Preview), refused))
	}
}

// skippedText says why the group filter does not admit a group, before its prompt; "" if it does.
func skippedText(a *analysis.Analysis, g *analysis.Group) string {
	if g.Admitted {
		return ""
	}
	i, _ := slices.BinarySearchFunc(a.Table, g.Start, func(x analysis.Group, start int) int { return x.Start - start })
	return "(" + sanitize.Line(a.WhySkipped(i)) + ") "
}

// worstFirst returns the groups of a step by fate, in log order within each.
func worstFirst(a *analysis.Analysis) []*analysis.Group {
	table := a.Table
	list := make([]*analysis.Group, len(table))
	for i := range table {
		list[i] = &table[i]
	}
	slices.SortStableFunc(list, func(x, y *analysis.Group) int { return int(x.Fate) - int(y.Fate) })
	return list
}

// keptText writes how many are kept of each sign: 5+3−, with 2· for advantage 0.
func keptText(g *analysis.Group) string {
	text := fmt.Sprintf("%d+%d−", g.KeptPos, g.KeptNeg)
	if g.KeptZero > 0 {
		text += fmt.Sprintf("%d·", g.KeptZero)
	}
	return text
}

// groupLabel returns the prompt of a group, or its name if there is none.
func groupLabel(preview, name string) string {
	if preview == "" {
		return sanitize.Line(name)
	}
	return preview
}

// notableFates counts the groups of a step that are not alive, by fate.
func notableFates(s *analysis.Summary) string {
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
		p.textRow("all", p.total.summary())
		p.printf("%7s counts are added up, reward and Σ|A| are means over the steps\n", "")
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
func fateCounts(s *analysis.Summary) []string {
	var parts []string
	for _, f := range model.Fates() {
		if s.Fates[f] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", s.Fates[f], f))
		}
	}
	return parts
}

func (p *page) textStepDetails(s *analysis.Summary) {
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
