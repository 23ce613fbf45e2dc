package commands

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/runlist"
	"vantage/tui/runpicker"
)

// chooseFromList shows the logs under a folder, or under the current directory and the recent runs if that is "", and opens what is chosen.
// Without a terminal it lists them; that nothing is opened is an error even so, for a script whose
// variable is empty.
func (p *explorer) chooseFromList(cmd *cobra.Command, set model.Settings, folder, title string) error {
	const nothing = "nothing to open: give a log file or directory, or try `vantage demo`"
	if p.outputFormat != "" || !isTerminal(p.out) && cmd.Flags().NFlag() > 0 {
		return usage(errors.New(nothing))
	}
	if !isTerminal(p.out) {
		if err := p.listRuns(cmd.Context()); err != nil {
			return err
		}
		return usage(errors.New(nothing))
	}
	if isPiped(p.in) {
		return usage(errors.New("nothing to open: for what comes through a pipe, give - as the path"))
	}
	if err := p.checkTheme(); err != nil {
		return err
	}
	o := p.options(set, []openRun{{}}, openHomeOf(nil)) // as far as the list of runs has them
	picker := runpicker.New(cmd.Context(), runpicker.Options{
		Dir: title, Look: func(longer bool) runpicker.Finder { return p.findRuns(folder, longer) },
		Examine: func(ctx context.Context, r runlist.Run) runlist.Contents { return p.examine(ctx, set, r) },
		ASCII:   o.ASCII, NoColor: o.NoColor, Theme: o.Theme, Assumed: o.Assumed, Mouse: o.Mouse,
	})
	last, err := p.runScreen(cmd.Context(), picker, o.NoColor)
	if err != nil {
		return err
	}
	var names []string
	var runs [][]string
	if left, ok := last.(runpicker.Picker); ok {
		for _, r := range left.Chosen() {
			if folder != "" {
				r.Paths = []string{filepath.Join(folder, r.Name)}
			}
			names, runs = append(names, r.Name), append(runs, r.Paths)
		}
	}
	if len(runs) == 0 {
		return stopped(cmd.Context())
	}
	return p.lookThenGo(cmd, strings.Join(names, " "), func() (aim, error) { return p.aimAtRuns(set, names, runs) })
}
