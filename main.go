// Command vantage explores the reward logs of reinforcement-learning runs. It recomputes
// the advantages under any estimator, scale and sample filter, in the trainer's own
// arithmetic, while the log grows.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/loaders/commands"
	"vantage/loaders/demo"
	"vantage/loaders/fileio"
	"vantage/loaders/userfiles"
	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/fault"
	"vantage/model/runlist"
	"vantage/model/session"
	"vantage/themes"
	"vantage/tui"
	"vantage/tui/runpicker"
	"vantage/tui/tty"
)

func main() {
	runtime.LockOSThread() // the kernel hands signals to the first thread, which must wait for no disk: that would hold them too
	end := newEnding()
	out := &output{File: os.Stdout}
	p := &program{Program: commands.Program{In: os.Stdin, Out: out, ErrOut: os.Stderr, Disk: &fileio.Disk{}}, end: end}
	args := os.Args[1:]
	var err error
	if p.MemoryLimit, err = commands.LimitMemory(); err != nil {
		commands.PrintError(os.Stderr, args, err)
		os.Exit(commands.ExitCode(err))
	}
	var opened atomic.Pointer[[]string]
	p.Opening = func(paths []string) { opened.Store(&paths) }
	done := fault.Later(func() error { return p.start(args) })
	var failed *fault.Fault
	select {
	case outcome := <-done:
		if err, failed = outcome.Result(); failed != nil {
			break
		}
		if err == nil && out.err != nil {
			err = out.err
			commands.PrintError(os.Stderr, args, err)
		}
		os.Exit(commands.ExitCode(err))
	case err := <-end.overdue:
		end.leave(func() {
			if err != nil {
				commands.PrintError(os.Stderr, args, err)
			}
		})
		os.Exit(commands.ExitCode(err))
	case failed = <-fault.Unheard():
	}
	end.leave(func() {
		var log []string
		if paths := opened.Load(); paths != nil {
			log = *paths
		}
		commands.PrintFault(os.Stderr, args, log, failed)
	})
	os.Exit(1)
}

// output remembers that a write failed: --help and version do not say so themselves.
type output struct {
	*os.File
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.File.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

func (o *output) WriteString(s string) (int, error) { return o.Write([]byte(s)) }

// start does what the command line asks for, and says what went wrong.
func (p *program) start(args []string) error {
	ctx := p.end.ctx
	fault.Go(func() { p.SayWhenSilent(ctx, args, func() bool { return p.end.screen.Load() != nil }) })
	root := p.root()
	root.SetArgs(commands.JoinSwitches(args))
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.ErrOut)
	p.CheckWords(root)
	root.SetHelpFunc(p.Help)
	root.Version, root.SilenceUsage, root.SilenceErrors = commands.ReadBuildInfo().Version, true, true
	err := commands.WithCause(ctx, root.ExecuteContext(ctx))
	if err != nil {
		commands.PrintError(p.ErrOut, args, err)
	}
	return err
}

// program adds the screen to the commands.
type program struct {
	commands.Program

	end   *ending
	ascii bool
	mouse bool
	theme string
}

func (p *program) root() *cobra.Command {
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
	root.SetFlagErrorFunc(commands.FlagError)
	p.AddFlags(root, commands.OfLogs)
	p.addScreenFlags(root)
	p.AddWaitFlag(root.Flags())
	root.Flags().StringVar(&p.OutputFormat, "format", "", "write a report or a comparison instead of opening the screen: text, md, csv, json or (report) html")
	p.RegisterCompletions(root)
	root.AddCommand(p.demo(), p.Manual(func() (keys commands.ManualSection) {
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

func (p *program) addScreenFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.ascii, "ascii", asciiTerminal(), "draw with ASCII characters only")
	cmd.Flags().BoolVar(&p.mouse, "mouse", false, "use the mouse on the screen; hold Shift to select text")
	cmd.Flags().StringVar(&p.theme, "theme", "", estimators.Alternatives(themes.Names())+"; by default chosen by the background of the terminal")
	commands.CompleteFlag(cmd, "theme", themes.Names()...)
}

// explore opens the screen, or writes a report if the output is no terminal.
func (p *program) explore(cmd *cobra.Command, args []string) error {
	return p.showBehind(cmd.Context(), strings.Join(args, " "), func() (show func() error, err error) {
		paths, set, err := p.Configure(args)
		if err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			here := p.CurrentDir()
			return func() error { return p.choose(cmd, set, "", here) }, nil
		}
		if word := paths[0]; len(paths) > 1 {
			if _, err := p.Disk.Stat(word); errors.Is(err, fs.ErrNotExist) && len(cmd.SuggestionsFor(word)) > 0 {
				return nil, commands.Usage(fmt.Errorf("no command or file %s: did you mean %s?", word, cmd.SuggestionsFor(word)[0]))
			}
		}
		if written := !isTerminal(p.Out) || p.OutputFormat != ""; written {
			paths = p.OneRun(cmd.Context(), paths)
		} else if !p.Merge && len(paths) == 1 {
			if runs, _ := p.RunsBelow(cmd.Context(), paths[0], false); len(runs) > 0 {
				return func() error { return p.choose(cmd, set, paths[0], paths[0]) }, nil
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
func (p *program) showBehind(ctx context.Context, title string, prepare func() (func() error, error)) error {
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

func (p *program) openSamples(ctx context.Context, paths []string, set model.Settings) (show func() error, err error) {
	names, runs, err := commands.SplitLabels(paths)
	if err != nil {
		return nil, err
	}
	written := !isTerminal(p.Out) || p.OutputFormat != ""
	switch {
	case written && p.Waits:
		return nil, commands.Usage(errors.New("--wait needs a terminal: without one use `vantage check --watch --wait PATH`"))
	case written && len(names) > 0:
		return func() error { return p.WriteComparison(ctx, paths, set) }, nil
	case written:
		return func() error { return p.WriteReport(ctx, paths, set) }, nil
	case len(names) == 0:
		names, runs = []string{commands.Title(paths)}, [][]string{paths}
	}
	return p.open(ctx, set, names, runs)
}

// open opens a run, or two to compare; show runs the screen on them.
func (p *program) open(ctx context.Context, set model.Settings, names []string, runs [][]string) (show func() error, err error) {
	var opened []openRun
	var sources []commands.Source
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
func (p *program) show(ctx context.Context, set model.Settings, runs ...openRun) error {
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
			commands.PrintError(p.ErrOut, nil, err)
		}
	}
	commands.RememberRuns(model.Mapped(runs, func(r openRun) []string { return r.paths }))
	return commands.Stopped(ctx)
}

// choose shows the logs under a folder, or under the current directory and the recent runs if that is "", and opens what is chosen.
// Without a terminal it lists them; that nothing is opened is an error even so, for a script whose
// variable is empty.
func (p *program) choose(cmd *cobra.Command, set model.Settings, folder, title string) error {
	const nothing = "nothing to open: give a log file or directory, or try `vantage demo`"
	if p.OutputFormat != "" || !isTerminal(p.Out) && cmd.Flags().NFlag() > 0 {
		return commands.Usage(errors.New(nothing))
	}
	if !isTerminal(p.Out) {
		if err := p.ListRuns(cmd.Context()); err != nil {
			return err
		}
		return commands.Usage(errors.New(nothing))
	}
	if commands.IsPiped(p.In) {
		return commands.Usage(errors.New("nothing to open: for what comes through a pipe, give - as the path"))
	}
	if err := p.checkTheme(); err != nil {
		return err
	}
	o := p.options(set, []openRun{{}}, openHomeOf(nil)) // as far as the list of runs has them
	picker := runpicker.New(cmd.Context(), runpicker.Options{
		Dir: title, Look: func(longer bool) runpicker.Finder { return p.FindRuns(folder, longer) },
		Examine: func(ctx context.Context, r runlist.Run) runlist.Contents { return p.Examine(ctx, set, r) },
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
		return commands.Stopped(cmd.Context())
	}
	return p.showBehind(cmd.Context(), strings.Join(names, " "), func() (func() error, error) { return p.open(cmd.Context(), set, names, runs) })
}

func (p *program) checkTheme() error {
	if _, ok := themes.Find(p.theme); !ok && p.theme != "" {
		return commands.Usage(fmt.Errorf("unknown theme %q: choose %s", p.theme, estimators.Alternatives(themes.Names())))
	}
	return nil
}

// runScreen runs a screen until it quits or ctx ends, and returns its last state.
func (p *program) runScreen(ctx context.Context, first tea.Model, noColor bool) (last tea.Model, err error) {
	profile := colorprofile.ASCII
	if !noColor {
		profile = colorprofile.Detect(p.Out, os.Environ())
	}
	screen, err := tty.New(first, p.Out, profile)
	if err != nil {
		return first, err
	}
	stop := context.AfterFunc(ctx, screen.Quit)
	defer stop()
	p.end.screen.Store(screen)
	defer p.end.screen.Store(nil)
	return screen.Run()
}

// options returns the screen's options from the command line, the saved session and the
// user's configuration, in this order of precedence.
func (p *program) options(set model.Settings, runs []openRun, home home) tui.Options {
	o := tui.Options{
		Title: runs[0].title, Settings: set, Given: p.Given(), SetByFlag: p.IsSet, ASCII: p.ascii, Theme: p.theme, Assumed: assumedTheme(),
		NoColor: os.Getenv("NO_COLOR") != "",
	}
	if suspend := commands.SuspendFunc(); suspend != nil {
		o.Suspend = func() error { return p.end.screen.Load().Outside(suspend) }
	}
	if texts, ok := runs[0].source.(tui.TextReader); ok {
		o.Look = func(ctx context.Context, snap model.Snapshot, set model.Settings, previous *diagnosis.Look) (*diagnosis.Look, error) {
			return commands.LookAt(ctx, texts, snap, set, previous)
		}
	}
	if len(runs) > 1 {
		o.Second, o.SecondTitle = runs[1].source, runs[1].title
	}
	o.ASCII, o.Mouse, o.KeyMap = o.ASCII || home.config.ASCII, p.mouse || home.config.Mouse, home.config.Keys
	switch {
	case os.Getenv("TMUX") != "":
		o.Multiplexer = tui.Tmux
	case os.Getenv("STY") != "":
		o.Multiplexer = tui.Screen
	}
	o.SessionStore, o.Session = home.store, home.session
	if home.files != nil {
		for _, run := range runs {
			home.files = home.files.Protect(run.paths) // nothing is saved beside the logs
		}
		o.Files = home.files
	}
	if o.Theme == "" && o.Session.View != nil && !o.NoColor {
		o.Theme = o.Session.View.Theme
	}
	o.Theme = cmp.Or(o.Theme, home.config.Theme)
	o.Notice = p.ConfigSummary
	for _, err := range home.errs {
		o.Notice = strings.TrimPrefix(o.Notice+"; "+err.Error(), "; ")
	}
	return o
}

func (p *program) demo() *cobra.Command {
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
				return commands.Usage(fmt.Errorf("demo reads no files, got %q", paths[0]))
			}
			source := demo.New(demo.Options{Seed: seed})
			defer source.Close()
			if !isTerminal(p.Out) {
				return commands.Usage(errors.New("demo needs a terminal: for text run `vantage report PATH`"))
			}
			return p.show(cmd.Context(), set, openRun{source, "demo", nil})
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the synthetic run")
	p.AddFlags(cmd, commands.OfSamples)
	p.addScreenFlags(cmd)
	return cmd
}

// home is what the program keeps in the person's home directory.
type home struct {
	config  userfiles.Config
	files   *userfiles.Files // nil: there is no home directory, and nothing is saved
	store   tui.SessionStore // of the run; nil for standard input
	session session.Session
	marks   []string // of an earlier release, to be printed, since they are kept no more
	errs    []error  // what could not be read
}

// openHomeOf is openHome as long as its disk is waited for.
func openHomeOf(paths []string) home {
	h, answers := fileio.Within(fileio.HomePatience, func() home { return openHome(paths) })
	if !answers {
		h.errs = []error{errors.New("the disk of your home directory does not answer: your settings and views are neither read nor saved")}
	}
	return h
}

func openHome(paths []string) (h home) {
	note := func(err error) {
		if err != nil {
			h.errs = append(h.errs, err)
		}
	}
	var err error
	h.config, err = userfiles.LoadConfig()
	note(err)
	if h.files, err = userfiles.Open(); err != nil || len(paths) == 0 || slices.Contains(paths, "-") {
		return h
	}
	m, err := h.files.Session(paths)
	if err == nil {
		h.store = m
		h.session, err = m.Load()
		if err == nil {
			h.marks, err = m.TakeMarks()
		}
	}
	note(err)
	return h
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(term.File)
	return ok && term.IsTerminal(f.Fd())
}

// assumedTheme returns the theme for the background that ends COLORFGBG, which some terminals set: 7 and 15
// are light; nil if it is not set.
func assumedTheme() *themes.Theme {
	colours := os.Getenv("COLORFGBG")
	if colours == "" {
		return nil
	}
	last := colours[strings.LastIndexByte(colours, ';')+1:]
	return themes.Default(last != "7" && last != "15")
}

// asciiTerminal guesses whether the terminal shows only ASCII: a bare console, or a locale
// without UTF-8.
func asciiTerminal() bool {
	switch os.Getenv("TERM") {
	case "linux", "dumb", "vt100":
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(os.Getenv(name)); locale != "" {
			return !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
		}
	}
	return false
}
