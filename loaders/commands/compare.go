package commands

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/pairing"
	"vantage/model/report"
)

func (p *Program) compare() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two runs prompt by prompt: wins, losses, ties and how sure that is",
		Long: `compare pairs the prompts that both runs have, by their text and ground truth, and
compares the mean rewards of each over all steps: wins, losses and ties, an exact
sign test, and the difference by how difficult a prompt was under A.`,
		Example: `vantage compare runs/baseline/rollouts runs/candidate/rollouts --format md`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := map[string]func(io.Writer, report.Comparison) error{
				"text": report.CompareText, "json": report.CompareJSON, "csv": report.CompareCSV, "md": report.CompareMarkdown,
			}[format]
			if !ok {
				return Usage(fmt.Errorf("compare has no format %q: it has text, md, csv and json", format))
			}
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			if len(paths) != 2 {
				return Usage(errors.New("compare takes two runs: vantage compare A B"))
			}
			var prompts [2][]model.PromptMean
			for i, path := range paths {
				snap, err := p.readAll(cmd.Context(), []string{path})
				if err != nil {
					return err
				}
				if prompts[i], err = snap.Prompts(set); err != nil {
					return asked(fmt.Errorf("%s: %w", path, err))
				}
			}
			return write(p.Out, report.Comparison{A: paths[0], B: paths[1], Result: pairing.Compare(prompts[0], prompts[1])})
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, md, csv or json")
	return cmd
}
