package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/model"
	"vantage/themes"
	"vantage/tui"
)

// explorer adds the screen to the commands.
type explorer struct {
	program

	end   *ending
	ascii bool
	mouse bool
	theme string
}

func (p *explorer) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "vantage [PATH...] [algorithm.key=value...]",
		Short: "See which samples of your RL run train the model, and what ails the run",
		Long: `vantage reads the reward log that a trainer writes, shows which samples train and what
ails the run, and recomputes the advantages exactly as the trainer does.

Other settings show what would change. A log that grows is followed. vantage summary
reads averages of steps too, and what a trainer prints. PATH is a file, a folder, host:path (through your ssh), s3://, gs://,
hf:// or clickhouse://, or - for standard input. Without a PATH, vantage lists the logs
below the current folder and recent runs.`,
		Example: `vantage
vantage demo
vantage runs/qwen-math/rollouts
vantage base=runs/a new=runs/b
vantage report runs/a --keep-pos-ratio 0.7 --keep-neg-ratio 0.5`,
		Args: cobra.ArbitraryArgs,
		RunE: p.runRoot,

		SuggestionsMinimumDistance: 2,
	}
	root.SetFlagErrorFunc(flagError)
	p.addFlags(root, ofLogs)
	p.addScreenFlags(root)
	p.addWaitFlag(root.Flags())
	root.Flags().StringVar(&p.outputFormat, "format", "",
		"write a report or a comparison instead of opening the screen: text, md, csv, json or (report) html")
	p.registerCompletions(root)
	root.AddCommand(p.demo(), p.manual(func() (keys manualSection) {
		keys.Title = "KEYS"
		for _, g := range tui.Keys() {
			keys.Entries = append(keys.Entries, [2]string{g.Name})
			for _, k := range g.Keys {
				keys.Entries = append(keys.Entries, [2]string{k.Key, k.Doc})
			}
		}
		return keys
	}))
	root.AddCommand(p.all()...)
	return root
}

func (p *explorer) addScreenFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.ascii, "ascii", asciiTerminal(), "draw with ASCII characters only")
	cmd.Flags().BoolVar(&p.mouse, "mouse", false, "use the mouse on the screen; hold Shift to select text")
	cmd.Flags().StringVar(&p.theme, "theme", "",
		estimators.Alternatives(themes.Names())+"; by default chosen by the background of the terminal")
	completeFlag(cmd, "theme", themes.Names()...)
}

// runRoot does what a command line without a command asks for: it opens the screen, or writes a report if the output is no terminal.
func (p *explorer) runRoot(cmd *cobra.Command, args []string) error {
	return p.lookThenGo(cmd, strings.Join(args, " "), func() (aim, error) { return p.aimOf(cmd, args) })
}

// lookThenGo asks disks what is where, behind a screen that says so, and then does what that comes to.
func (p *explorer) lookThenGo(cmd *cobra.Command, title string, look func() (aim, error)) error {
	var to aim
	err := p.waitForDisk(cmd.Context(), title, func() (err error) {
		to, err = look()
		return err
	})
	if errors.Is(err, errLeft) {
		return nil
	}
	if err != nil {
		return err
	}
	return p.goTo(cmd, to)
}

// aim is what a command line asks for, once its paths were looked at. It is one of a list of runs, runs on the screen, and what is written.
type aim struct {
	set model.Settings

	folder string // whose runs are listed; "" if the list has those of the current folder, and recent ones
	title  string // of the list; "" if there is none

	runs []openRun // that the screen shows

	paths      []string // that a report or a comparison is written of
	comparison bool
	scalars    []byte // what was read of averages, as text; nil: samples are there
}

// aimOf looks at the paths of a command line.
func (p *explorer) aimOf(cmd *cobra.Command, args []string) (aim, error) {
	paths, set, err := p.configure(args)
	if err != nil {
		return aim{}, err
	}
	if len(paths) == 0 {
		return aim{set: set, title: p.currentDir()}, nil
	}
	if word := paths[0]; len(paths) > 1 {
		if _, err := p.disk.Stat(word); errors.Is(err, fs.ErrNotExist) && len(cmd.SuggestionsFor(word)) > 0 {
			return aim{}, usage(fmt.Errorf("no command or file %s: did you mean %s?", word, cmd.SuggestionsFor(word)[0]))
		}
	}
	if p.isWritten() {
		paths = p.oneRun(cmd.Context(), paths)
	} else if !p.merge && len(paths) == 1 {
		if runs, _ := p.runsBelow(cmd.Context(), paths[0], false); len(runs) > 0 {
			return aim{set: set, folder: paths[0], title: paths[0]}, nil
		}
	}
	if p.outputFormat == "" && !p.waits {
		if text := p.scalarsAlone(cmd.Context(), paths, set); text != nil {
			return aim{scalars: text}, nil
		}
	}
	return p.aimAtSamples(paths, set)
}

// isWritten reports whether a report is written instead of opening the screen.
func (p *explorer) isWritten() bool { return !isTerminal(p.out) || p.outputFormat != "" }

// aimAtSamples is about paths that hold samples: of one run, or of two that have names.
func (p *explorer) aimAtSamples(paths []string, set model.Settings) (aim, error) {
	names, runs, err := splitLabels(paths)
	switch {
	case err != nil:
		return aim{}, err
	case p.isWritten() && p.waits:
		return aim{}, usage(errors.New("--wait needs a terminal: without one use `vantage check --watch --wait PATH`"))
	case p.isWritten():
		return aim{set: set, paths: paths, comparison: len(names) > 0}, nil
	case len(names) == 0:
		names, runs = []string{titleOf(paths)}, [][]string{paths}
	}
	return p.aimAtRuns(set, names, runs)
}

// aimAtRuns opens a run, or two to compare.
func (p *explorer) aimAtRuns(set model.Settings, names []string, runs [][]string) (aim, error) {
	to := aim{set: set}
	for i, paths := range runs {
		source, err := p.open(paths, true)
		if err != nil {
			closeRuns(to.runs)
			return aim{}, err
		}
		to.runs = append(to.runs, openRun{source: source, title: names[i], paths: paths})
	}
	return to, nil
}

// goTo lists runs, shows them or writes of them.
func (p *explorer) goTo(cmd *cobra.Command, to aim) error {
	ctx := cmd.Context()
	switch {
	case to.title != "":
		return p.chooseFromList(cmd, to.set, to.folder, to.title)
	case to.scalars != nil:
		_, err := p.output(ctx, "text").Write(to.scalars)
		return err
	case to.comparison:
		return p.writeComparison(ctx, to.paths, to.set)
	case to.paths != nil:
		return p.writeReport(ctx, to.paths, to.set)
	}
	defer closeRuns(to.runs)
	return p.showRuns(ctx, to.set, to.runs...)
}

// openRun is a run whose log is open.
type openRun struct {
	source openSource
	title  string
	paths  []string // nil: no session is saved
}

// openSource is a source that is closed after the screen.
type openSource interface {
	tui.Source
	io.Closer
}

func closeRuns(runs []openRun) {
	for _, r := range runs {
		_ = r.source.Close() // it was only read
	}
}

// showRuns runs the screen on one run, or on two to compare, until the user quits.
func (p *explorer) showRuns(ctx context.Context, set model.Settings, runs ...openRun) error {
	if err := p.checkTheme(); err != nil {
		return err
	}
	home := openHomeOf(runs[0].paths)
	for _, line := range home.marks {
		_, _ = fmt.Fprintln(p.errOut, "vantage: "+line)
	}
	o := p.options(set, runs, home)
	last, err := p.runScreen(ctx, tui.New(ctx, runs[0].source, o), o.NoColor)
	p.end.soon()
	if err != nil { // after a panic nothing is saved: the view may have caused it
		return err
	}
	if left, ok := last.(tui.App); ok {
		if err := left.SaveSession(); err != nil {
			printError(p.errOut, nil, err)
		}
	}
	rememberRuns(model.Mapped(runs, func(r openRun) []string { return r.paths }))
	return stopped(ctx)
}
