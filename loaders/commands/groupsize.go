package commands

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model/groupsize"
	"vantage/model/report"
)

func (p *Program) groupSize() *cobra.Command {
	format := newFormatFlag("text", report.GroupSizeText).noting(noteReading).or("csv", report.GroupSizeCSV).noting(noteAll).or("json", report.GroupSizeJSON).noting(noteReading)
	var sizes string
	var asked []int
	var steps stepRange
	var selected *selection
	where := whereFlag{of: "groups"}
	return logCommand[report.GroupSize]{
		use:   "groupsize PATH...",
		short: "Print how many groups of another size would be dead, and what one that is not costs",
		long: `groupsize estimates, from the solve rates of a log, what groups of 4 to 64 samples of
the same prompts would do: how many would be dead (all samples solved, or none), and how
many samples must be generated for each group that is not dead. Larger groups are less
often dead and cost more. It needs rewards that say what is solved: see --solved-at.`,
		example:     `vantage groupsize runs/qwen-math/rollouts --sizes 8,16,32`,
		onlyRewards: true,
		format:      &format,
		sets:        unweighed,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&sizes, "sizes", strings.ReplaceAll(strings.Trim(fmt.Sprint(groupsize.DefaultSizes()), "[]"), " ", ","), "sizes to ask about")
			steps.addTo(cmd.Flags())
			where.addTo(cmd.Flags())
		},
		refuse: func() (err error) {
			if asked, err = parseSizes(sizes); err == nil {
				selected, err = newSelection(where)
			}
			return err
		},
		compute: func(ctx context.Context, log *openLog) (r report.GroupSize, err error) {
			log.noteReading()
			log.selected = selected
			if log.snap, err = steps.selectFrom(log.snap); err != nil {
				return r, err
			}
			if where.text == "" {
				r.Result, err = groupsize.Run(ctx, log.snap, log.set, asked)
			} else {
				r.Result, err = groupsize.RunSelected(ctx, log.snap, log.set, asked, selected.of)
			}
			if where.text != "" && selected.steps > 0 && selected.matching == 0 {
				return r, where.nothing()
			}
			r.Rewards, r.Where = log.choice.Rewards, selected.sentence()
			return r, err
		},
	}.command(p)
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
