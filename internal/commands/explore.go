package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/loaders/demo"
	"vantage/model"
	"vantage/themes"
	"vantage/tui"
)

// explorer adds the screen to the commands.
type explorer struct {
	Program

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
		RunE: p.explore,

		SuggestionsMinimumDistance: 2,
	}
	root.SetFlagErrorFunc(FlagError)
	p.AddFlags(root, OfLogs)
	p.addScreenFlags(root)
	p.AddWaitFlag(root.Flags())
	root.Flags().StringVar(&p.OutputFormat, "format", "", "write a report or a comparison instead of opening the screen: text, md, csv, json or (report) html")
	p.RegisterCompletions(root)
	root.AddCommand(p.demo(), p.Manual(func() (keys ManualSection) {
		keys.Title = "KEYS"
		for _, g := range tui.Keys() {
			keys.Entries = append(keys.Entries, [2]string{g.Name})
			for _, k := range g.Keys {
				keys.Entries = append(keys.Entries, [2]string{k.Key, k.Doc})
			}
		}
		return keys
	}))
	root.AddCommand(p.All()...)
	return root
}

func (p *explorer) addScreenFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.ascii, "ascii", asciiTerminal(), "draw with ASCII characters only")
	cmd.Flags().BoolVar(&p.mouse, "mouse", false, "use the mouse on the screen; hold Shift to select text")
	cmd.Flags().StringVar(&p.theme, "theme", "", estimators.Alternatives(themes.Names())+"; by default chosen by the background of the terminal")
	CompleteFlag(cmd, "theme", themes.Names()...)
}

// explore opens the screen, or writes a report if the output is no terminal.
func (p *explorer) explore(cmd *cobra.Command, args []string) error {
	return p.showBehind(cmd.Context(), strings.Join(args, " "), func() (show func() error, err error) {
		paths, set, err := p.Configure(args)
		if err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			here := p.CurrentDir()
			return func() error { return p.chooseRun(cmd, set, "", here) }, nil
		}
		if word := paths[0]; len(paths) > 1 {
			if _, err := p.Disk.Stat(word); errors.Is(err, fs.ErrNotExist) && len(cmd.SuggestionsFor(word)) > 0 {
				return nil, Usage(fmt.Errorf("no command or file %s: did you mean %s?", word, cmd.SuggestionsFor(word)[0]))
			}
		}
		if written := !isTerminal(p.Out) || p.OutputFormat != ""; written {
			paths = p.OneRun(cmd.Context(), paths)
		} else if !p.Merge && len(paths) == 1 {
			if runs, _ := p.RunsBelow(cmd.Context(), paths[0], false); len(runs) > 0 {
				return func() error { return p.chooseRun(cmd, set, paths[0], paths[0]) }, nil
			}
		}
		if p.OutputFormat == "" && !p.Waits {
			if write := p.ScalarsAlone(cmd.Context(), paths, set); write != nil {
				return write, nil
			}
		}
		return p.openSamples(cmd.Context(), paths, set)
	})
}

// showBehind prepares what is shown, which asks disks, behind a screen, and then shows it.
func (p *explorer) showBehind(ctx context.Context, title string, prepare func() (func() error, error)) error {
	var show func() error
	err := p.behind(ctx, title, func() (err error) {
		show, err = prepare()
		return err
	})
	if errors.Is(err, errLeft) {
		return nil
	}
	if err != nil {
		return err
	}
	return show()
}

func (p *explorer) openSamples(ctx context.Context, paths []string, set model.Settings) (show func() error, err error) {
	names, runs, err := SplitLabels(paths)
	if err != nil {
		return nil, err
	}
	written := !isTerminal(p.Out) || p.OutputFormat != ""
	switch {
	case written && p.Waits:
		return nil, Usage(errors.New("--wait needs a terminal: without one use `vantage check --watch --wait PATH`"))
	case written && len(names) > 0:
		return func() error { return p.WriteComparison(ctx, paths, set) }, nil
	case written:
		return func() error { return p.WriteReport(ctx, paths, set) }, nil
	case len(names) == 0:
		names, runs = []string{Title(paths)}, [][]string{paths}
	}
	return p.open(ctx, set, names, runs)
}

// open opens a run, or two to compare; show runs the screen on them.
func (p *explorer) open(ctx context.Context, set model.Settings, names []string, runs [][]string) (show func() error, err error) {
	var opened []openRun
	var sources []Source
	end := func() {
		for _, s := range sources {
			s.Close()
		}
	}
	for i, paths := range runs {
		source, err := p.Open(paths, true)
		if err != nil {
			end()
			return nil, err
		}
		sources, opened = append(sources, source), append(opened, openRun{source, names[i], paths})
	}
	return func() error {
		defer end()
		return p.show(ctx, set, opened...)
	}, nil
}

type openRun struct {
	source tui.Source
	title  string
	paths  []string // nil: no session is saved
}

// show runs the screen on one run, or on two to compare, until the user quits.
func (p *explorer) show(ctx context.Context, set model.Settings, runs ...openRun) error {
	if err := p.checkTheme(); err != nil {
		return err
	}
	home := openHomeOf(runs[0].paths)
	for _, line := range home.marks {
		_, _ = fmt.Fprintln(p.ErrOut, "vantage: "+line)
	}
	o := p.options(set, runs, home)
	last, err := p.runScreen(ctx, tui.New(ctx, runs[0].source, o), o.NoColor)
	p.end.soon()
	if err != nil { // after a panic nothing is saved: the view may have caused it
		return err
	}
	if left, ok := last.(tui.App); ok {
		if err := left.SaveSession(); err != nil {
			PrintError(p.ErrOut, nil, err)
		}
	}
	RememberRuns(model.Mapped(runs, func(r openRun) []string { return r.paths }))
	return Stopped(ctx)
}

func (p *explorer) demo() *cobra.Command {
	var seed uint64
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Explore a synthetic run that grows while you watch",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.Configure(args)
			if err != nil {
				return err
			}
			if len(paths) > 0 {
				return Usage(fmt.Errorf("demo reads no files, got %q", paths[0]))
			}
			source := demo.New(demo.Options{Seed: seed})
			defer source.Close()
			if !isTerminal(p.Out) {
				return Usage(errors.New("demo needs a terminal: for text run `vantage report PATH`"))
			}
			return p.show(cmd.Context(), set, openRun{source, "demo", nil})
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the synthetic run")
	p.AddFlags(cmd, OfSamples)
	p.addScreenFlags(cmd)
	return cmd
}
