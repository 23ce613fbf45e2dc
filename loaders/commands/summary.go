package commands

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/glance"
	"vantage/model/report"
)

func (p *Program) summary() *cobra.Command {
	format := newAnswerFlag(report.SummaryText, report.SummaryJSON)
	cmd := &cobra.Command{
		Use:   "summary PATH... [algorithm.key=value...]",
		Short: "Answer in 2 KB what a run is, what trains, which steps are worst and why",
		Long: `summary answers in at most 2 KB: what the run is and whether it still grows, whose
arithmetic the numbers are and why, how many samples train, what became of the groups,
which steps are worst and why, and one line of advice. It is made for coding agents and
scripts; report has all figures.`,
		Example: `vantage summary runs/qwen-math/rollouts
vantage summary runs/qwen-math/rollouts --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			write, err := format.writer("summary")
			if err != nil {
				return err
			}
			s, err := p.summarize(cmd.Context(), paths, set)
			if err != nil {
				return err
			}
			return write(p.output(cmd.Context(), format.name), s)
		},
	}
	format.addTo(cmd)
	p.addUnweighedFlags(cmd)
	return cmd
}

// summarize computes all steps of a run, and reads a few answers of those whose groups are all wrong.
func (p *Program) summarize(ctx context.Context, paths []string, set model.Settings) (*report.Summary, error) {
	source, answer, err := p.openAnswer(ctx, paths, set)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	snap := answer.Snap
	run, trend, err := glanceAt(ctx, source, snap, answer.Settings)
	if err != nil {
		return nil, err
	}
	s := &report.Summary{Answer: answer, Trend: trend, Glance: run}
	for i := range s.Glance.Spans[:min(report.MaxWorst, len(s.Glance.Spans))] {
		name, err := deadGroup(ctx, snap, answer.Settings, &s.Glance.Spans[i])
		if err != nil {
			return nil, err
		}
		s.Examples = append(s.Examples, name)
	}
	return s, nil
}

// glanceAt computes all steps of a run and sums them up. It reads a few answers of the steps whose groups are mostly all wrong.
func glanceAt(ctx context.Context, source Source, snap model.Snapshot, set model.Settings) (*glance.Glance, *analysis.Trend, error) {
	trend, err := analysis.ComputeTrend(ctx, snap, set, nil, nil, math.MaxInt)
	if err != nil {
		return nil, nil, classifyError(err)
	}
	alike, err := readAlike(ctx, source, snap, trend)
	if err != nil {
		return nil, nil, err
	}
	return glance.Of(trend, alike, snap.Run.LengthUnit), trend, nil
}

// readAlike says of which steps of a trend answers are alike.
func readAlike(ctx context.Context, source Source, snap model.Snapshot, trend *analysis.Trend) (map[int64]glance.Alike, error) {
	reader := alikeReader{source, snap, trend.Settings}
	alike := map[int64]glance.Alike{}
	for i := len(trend.Steps) - 1; i >= 0 && len(alike) < maxAlikeSteps; i-- {
		if !glance.Suspect(&trend.Steps[i]) {
			continue
		}
		found, _, err := reader.of(ctx, i)
		if err != nil {
			return nil, err
		}
		alike[trend.Steps[i].Step] = found
	}
	return alike, nil
}

// deadGroup returns the name of a group of the first of some steps with the fate that most of their groups without
// signal have, "" if there is none.
func deadGroup(ctx context.Context, snap model.Snapshot, set model.Settings, span *glance.Span) (string, error) {
	fates := span.DeadFates()
	if len(fates) == 0 {
		return "", nil
	}
	for i := span.First; i <= span.Last; i++ {
		a, err := analysis.Analyze(ctx, snap, i, set)
		if err != nil {
			return "", err
		}
		for g := range a.Table {
			if a.Table[g].Fate == fates[0].Fate {
				return a.Table[g].Name, nil
			}
		}
	}
	return "", nil
}
