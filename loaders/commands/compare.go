package commands

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/choice"
	"vantage/model/compare"
	"vantage/model/report"
	"vantage/model/sanitize"
)

func comparisonFormats() formatFlag[func(io.Writer, report.Comparison) error] {
	return newFormatFlag("text", report.CompareText).or("md", report.CompareMarkdown).or("csv", report.CompareCSV).or("json", report.CompareJSON)
}

func (p *Program) compare() *cobra.Command {
	format, where := comparisonFormats(), whereFlag{of: "groups"}
	cmd := &cobra.Command{
		Use:   "compare FIRST SECOND",
		Short: "Compare two runs prompt by prompt: wins, losses, ties and their significance",
		Long: `compare pairs the prompts of both runs by text and ground truth, and compares their
mean rewards over the steps that both have and as many samples of each: wins,
losses and ties of the second run, an exact sign test, and the difference by
difficulty. Runs are named by the ends of their paths, or by the labels of label=path.
It says what it left out of each run. The exit code is 1 if they have no step or no
prompt in common. With --where it compares the prompts that have a matching group in
either run.`,
		Example: `vantage compare runs/baseline/rollouts runs/candidate/rollouts
vantage compare old=runs/a new=runs/b --format md`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			if len(paths) != 2 {
				return Usage(errors.New("compare takes two runs: vantage compare FIRST SECOND"))
			}
			names, runs, err := SplitLabels(paths)
			if err != nil {
				return err
			}
			if len(names) == 0 {
				names, runs = paths, [][]string{paths[:1], paths[1:]}
			}
			return p.writeComparison(cmd.Context(), names, runs, set, format, where)
		},
	}
	format.addTo(cmd)
	where.addTo(cmd.Flags())
	p.AddFlags(cmd, ofPrompts)
	return cmd
}

// WriteComparison reads two runs and writes their comparison, as text if the flags say nothing else.
func (p *Program) WriteComparison(ctx context.Context, names []string, runs [][]string, set model.Settings) error {
	format := comparisonFormats()
	format.name = cmp.Or(p.OutputFormat, format.name)
	return p.writeComparison(ctx, names, runs, set, format, whereFlag{of: "groups"})
}

func (p *Program) writeComparison(ctx context.Context, names []string, runs [][]string, set model.Settings, format formatFlag[func(io.Writer, report.Comparison) error], where whereFlag) error {
	write, err := format.writer("compare")
	if err != nil {
		return err
	}
	p.noteConfig(format.name)
	called := compare.Names(sanitize.Line(names[0]), sanitize.Line(names[1]))
	var read [2]compare.Run
	for i, paths := range runs {
		snap, err := p.readAll(ctx, paths)
		if err != nil {
			return err
		}
		p.noteLeftOut(format.name, snap)
		set, rewards := choice.ChooseRewards(ctx, snap, set, p.Given())
		p.noteRewards(format.name, names[i]+": ", rewards)
		read[i] = compare.Run{Name: called[i], Snap: snap, Set: set}
	}
	if err := p.selectPrompts(ctx, &read, where, format.name); err != nil {
		return err
	}
	result, err := compare.Runs(ctx, read[0], read[1])
	if err != nil {
		return classifyError(err)
	}
	if err := write(p.output(ctx, format.name), report.Comparison{Titles: [2]string(names), Result: result}); err != nil {
		return err
	}
	if why := result.WhyNothing(); why != "" {
		return errors.New("nothing to compare: " + why)
	}
	return nil
}

// selectPrompts has two runs compared by the prompts of which a group of either run matches: the choice
// favours neither.
func (p *Program) selectPrompts(ctx context.Context, runs *[2]compare.Run, where whereFlag, format string) error {
	selected, err := newSelection(where)
	if err != nil || where.text == "" {
		return err
	}
	hashes := map[uint64]bool{}
	for i := range runs {
		if err := selected.addPrompts(ctx, runs[i].Snap, runs[i].Set, hashes); err != nil {
			return classifyError(err)
		}
	}
	if len(hashes) == 0 {
		return where.nothing()
	}
	runs[0].Prompts, runs[1].Prompts = hashes, hashes
	p.noteSelection(format, selected)
	return nil
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
