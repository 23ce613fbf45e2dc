package commands

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vantage/model/report"
)

// showOptions are the flags of show.
type showOptions struct {
	best, worst bool
	chars       int
	steps       stepRange
	format      answerFlag[*report.Show]
}

// defaultChars is how many characters of a text are shown.
const defaultChars = 400

func (p *Program) show() *cobra.Command {
	o := showOptions{format: newAnswerFlag(report.ShowText, report.ShowJSON)}
	cmd := &cobra.Command{
		Use:   "show GROUP PATH... [algorithm.key=value...]",
		Short: "Print the prompt of a group and the text of its best and its worst answer",
		Long: `show prints the prompt and the ground truth of a group, and its answers with the best
and the worst reward. Texts are cut in the middle, to at most 400 characters, so that all
fit into 2 KB; --text N gives more. Control characters are replaced by visible ones.`,
		Example: `vantage show 3f2a runs/qwen-math/rollouts
vantage show 3f2a runs/qwen-math/rollouts --worst --text 4000 --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := o.format.writer("show")
			if err != nil {
				return err
			}
			if o.chars < 1 {
				return Usage(fmt.Errorf("--text %d: expected a number of characters", o.chars))
			}
			source, y, err := p.openGroup(cmd.Context(), "show", args, o.steps)
			if err != nil {
				return err
			}
			defer source.Close()
			s := report.Show{Why: y, Chars: o.chars, Explicit: o.chars > defaultChars}
			if s.Shown, err = o.texts(cmd.Context(), source, &y); err != nil {
				return err
			}
			p.noteConfig(o.format.name)
			return write(p.output(cmd.Context(), o.format.name), &s)
		},
	}
	cmd.Flags().BoolVar(&o.best, "best", false, "only the answer with the best reward")
	cmd.Flags().BoolVar(&o.worst, "worst", false, "only the answer with the worst reward")
	cmd.Flags().IntVar(&o.chars, "text", defaultChars, "characters of each text, its beginning and its end")
	o.format.addTo(cmd)
	o.steps.addFlags(cmd.Flags())
	p.addUnweighedFlags(cmd)
	return cmd
}

// texts reads the answers that are asked for, both unless one is.
func (o *showOptions) texts(ctx context.Context, source Source, y *report.Why) ([]report.ShownText, error) {
	var all []report.ShownText
	if o.best || !o.worst {
		all = append(all, report.ShownText{Which: "best", Column: y.Best()})
	}
	if o.worst || !o.best {
		all = append(all, report.ShownText{Which: "worst", Column: y.Worst()})
	}
	i, _ := y.Snap.Find(y.Analysis.Step)
	for k := range all {
		text, err := source.Text(ctx, y.Snap.Steps[i].Place(int(y.Analysis.InputRow[all[k].Column])))
		if err != nil {
			return nil, err
		}
		all[k].Text = text
	}
	return all, nil
}
