package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/choice"
	"vantage/model/compare"
	"vantage/model/report"
)

func comparisonFormats() formatFlag[func(io.Writer, report.Comparison) error] {
	return newFormatFlag("text", report.CompareText).or("md", report.CompareMarkdown).or("csv", report.CompareCSV).or("json", report.CompareJSON)
}

func (p *Program) compare() *cobra.Command {
	format := comparisonFormats()
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two runs prompt by prompt: wins, losses, ties and their significance",
		Long: `compare pairs the prompts of both runs by text and ground truth, and compares their
mean rewards over all steps: wins, losses and ties, an exact sign test, and the
difference by the difficulty of a prompt under A.`,
		Example: `vantage compare runs/baseline/rollouts runs/candidate/rollouts --format md`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			if len(paths) != 2 {
				return Usage(errors.New("compare takes two runs: vantage compare A B"))
			}
			names, runs, err := SplitLabels(paths)
			if err != nil {
				return err
			}
			if len(names) == 0 {
				names, runs = paths, [][]string{paths[:1], paths[1:]}
			}
			return p.writeComparison(cmd.Context(), names, runs, set, format)
		},
	}
	format.addTo(cmd)
	return cmd
}

// WriteComparison reads two runs and writes their comparison as text.
func (p *Program) WriteComparison(ctx context.Context, names []string, runs [][]string, set model.Settings) error {
	return p.writeComparison(ctx, names, runs, set, comparisonFormats())
}

func (p *Program) writeComparison(ctx context.Context, names []string, runs [][]string, set model.Settings, format formatFlag[func(io.Writer, report.Comparison) error]) error {
	write, err := format.writer("compare")
	if err != nil {
		return err
	}
	p.noteConfig(format.name)
	var prompts [2][]analysis.PromptMean
	for i, paths := range runs {
		snap, err := p.readAll(ctx, paths)
		if err != nil {
			return err
		}
		p.noteLeftOut(format.name, snap)
		set, rewards := choice.ChooseRewards(ctx, snap, set, p.Given())
		p.noteRewards(format.name, names[i]+": ", rewards)
		if prompts[i], err = analysis.PromptMeans(ctx, snap, set); err != nil {
			return classifyError(fmt.Errorf("%s: %w", names[i], err))
		}
	}
	return write(p.output(ctx, format.name), report.Comparison{A: names[0], B: names[1], Result: compare.Runs(prompts[0], prompts[1])})
}

// SplitLabels splits two arguments label=path into names and paths of two runs. It returns
// none if no argument has a label: then all paths are one run.
func SplitLabels(paths []string) (names []string, runs [][]string, err error) {
	for _, path := range paths {
		label, rest, ok := strings.Cut(path, "=")
		if !ok || label == "" || strings.ContainsAny(label, "/.") || rest == "" {
			continue
		}
		names, runs = append(names, label), append(runs, []string{rest})
	}
	switch {
	case len(names) == 0:
		return nil, nil, nil
	case len(names) != 2 || len(paths) != 2:
		return nil, nil, Usage(errors.New("expected two runs: give label=path twice, and nothing else"))
	}
	return names, runs, nil
}
