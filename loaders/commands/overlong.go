package commands

import (
	"github.com/spf13/cobra"

	"vantage/estimators/overlong"
	"vantage/model/report"
)

func (p *Program) overlong() *cobra.Command {
	format := newFormatFlag("text", report.OverlongPages).or("json", report.OverlongJSON)
	cmd := &cobra.Command{
		Use:   "overlong [FRAMEWORK]",
		Short: "List how rewards of long responses are lowered, or describe one: formula, options, source",
		Example: `vantage overlong
vantage overlong verl`,
		Args: atMostOne,

		ValidArgs: overlong.Frameworks(),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := overlong.All()
			if len(args) == 1 {
				one, err := overlong.Of(args[0])
				if err != nil {
					return Usage(err)
				}
				list = []*overlong.Shaping{one}
			}
			write, err := format.writer("overlong")
			if err != nil {
				return err
			}
			if format.name == "text" && len(args) == 0 {
				write = report.OverlongList
			}
			return write(p.output(cmd.Context(), format.name), list)
		},
	}
	format.addTo(cmd)
	return cmd
}
