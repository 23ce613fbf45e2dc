package commands

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/choice"
	"vantage/model/groupsize"
	"vantage/model/report"
)

func (p *Program) groupSize() *cobra.Command {
	format := newFormatFlag("text", report.GroupSizeText).or("csv", report.GroupSizeCSV).or("json", report.GroupSizeJSON)
	var sizes string
	var steps stepRange
	where := whereFlag{of: "groups"}
	cmd := &cobra.Command{
		Use:   "groupsize PATH...",
		Short: "Print how many groups of another size would be dead, and what one that is not costs",
		Long: `groupsize estimates, from the solve rates of a log, what groups of 4 to 64 samples of
the same prompts would do: how many would be dead (all samples solved, or none), and how
many samples must be generated for each group that is not dead. Larger groups are less
often dead and cost more. It needs rewards that say what is solved: see --solved-at.`,
		Example: `vantage groupsize runs/qwen-math/rollouts --sizes 8,16,32`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.runGroupSize(cmd.Context(), args, sizes, steps, where, format)
		},
	}
	cmd.Flags().StringVar(&sizes, "sizes", joinSizes(groupsize.DefaultSizes()), "sizes to ask about")
	steps.addFlags(cmd.Flags())
	where.addTo(cmd.Flags())
	format.addTo(cmd)
	p.addUnweighedFlags(cmd)
	return cmd
}

// runGroupSize reads a log and writes what groups of other sizes would do.
func (p *Program) runGroupSize(ctx context.Context, args []string, sizes string, steps stepRange, where whereFlag, format formatFlag[func(io.Writer, report.GroupSize) error]) error {
	paths, set, err := p.pathsAndSettings(args)
	if err != nil {
		return err
	}
	write, err := format.writer("groupsize")
	if err != nil {
		return err
	}
	asked, err := parseSizes(sizes)
	if err != nil {
		return Usage(err)
	}
	selected, err := newSelection(where)
	if err != nil {
		return err
	}
	snap, err := p.readAll(ctx, paths)
	if err != nil {
		return err
	}
	p.noteConfig(format.name)
	p.noteLeftOut(format.name, snap)
	set, rewards := choice.ChooseRewards(ctx, snap, set, p.Given())
	if snap, err = steps.selectFrom(snap); err != nil {
		return err
	}
	result, err := estimateSizes(ctx, snap, set, asked, selected)
	if err != nil {
		return err
	}
	if err := write(p.output(ctx, format.name), report.GroupSize{Result: result, Rewards: rewards, Where: selected.sentence()}); err != nil {
		return err
	}
	if format.name == "csv" {
		p.noteRewards(format.name, "", rewards)
		p.noteSelection(format.name, selected)
	}
	return nil
}

// estimateSizes estimates from the groups that are selected.
func estimateSizes(ctx context.Context, snap model.Snapshot, set model.Settings, sizes []int, selected *selection) (*groupsize.Result, error) {
	if selected.where.text == "" {
		result, err := groupsize.Run(ctx, snap, set, sizes)
		return result, classifyError(err)
	}
	result, err := groupsize.RunSelected(ctx, snap, set, sizes, selected.of)
	if selected.steps > 0 && selected.matching == 0 {
		return nil, selected.where.nothing()
	}
	return result, classifyError(err)
}

func joinSizes(sizes []int) string {
	texts := make([]string, len(sizes))
	for i, n := range sizes {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}

// maxGroupSize is the largest size to ask about.
const maxGroupSize = 1 << 16

func parseSizes(text string) ([]int, error) {
	var sizes []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 2 || n > maxGroupSize {
			return nil, fmt.Errorf("--sizes %s: expected sizes from 2 to %d, as 8,16,32", text, maxGroupSize)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}
