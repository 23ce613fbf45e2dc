// Command vantage explores the reward logs of reinforcement-learning runs: it
// recomputes the advantages under any estimator, scale and sample filter, in the
// trainer's own arithmetic, while a person watches.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"charm.land/fang/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/estimators"
	"vantage/loaders"
	"vantage/loaders/demo"
	"vantage/model"
	"vantage/model/match"
	"vantage/model/report"
	"vantage/themes"
	"vantage/tui"
)

// The exit codes: 0 all went well.
const (
	exitFailed = 1 // it could not be done: the input, the terminal
	exitUsage  = 2 // it was asked for wrongly
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program. What it writes to errOut is one sentence.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root := (&program{in: in, out: out, errOut: errOut}).root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := fang.Execute(ctx, root, fang.WithVersion(version()), fang.WithErrorHandler(
		func(w io.Writer, _ fang.Styles, err error) { _, _ = fmt.Fprintln(w, "vantage: "+err.Error()) }))
	var usage *usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		return exitUsage
	}
	return exitFailed
}

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// version is the module's version, or the revision that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return info.Main.Version
}

// program is what the commands share.
type program struct {
	in     io.Reader
	out    io.Writer
	errOut io.Writer

	settings []setting
	ascii    bool
	theme    string
	format   string
	split    string
}

// setting is a flag that sets one of model.Settings, by name.
type setting struct{ flag, value, usage string }

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "vantage [PATH...] [algorithm.key=value...]",
		Short: "See what the advantages of your RL run would be under another estimator, scale or filter",
		Long: `vantage reads the reward logs that a trainer writes, follows them while they
grow, and recomputes the advantages as the settings change, in the arithmetic of
the trainer. PATH is a file, a directory or - for standard input.`,
		Example: `vantage demo
vantage runs/qwen-math/rollouts
vantage report runs/qwen-math/rollouts --keep-pos-ratio 0.7 --keep-neg-ratio 0.5`,
		Args: cobra.ArbitraryArgs,
		RunE: p.explore,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	p.addSettings(root.PersistentFlags())
	p.addScreen(root.Flags())
	root.AddCommand(p.demo(), p.report(), p.export(), p.match(), p.estimators(), p.formats())
	return root
}

// addSettings declares a flag for every setting; what is given is kept in order.
func (p *program) addSettings(flags *pflag.FlagSet) {
	for _, s := range []setting{
		{"framework", "NAME", "whose arithmetic: easyr1, twinkle, verl, trl, …; `vantage estimators` lists them"},
		{"estimator", "NAME", "advantage estimator, by the framework's name: grpo, rloo, …"},
		{"scale", "SCALE", "divide by the std of the group, the batch, or none"},
		{"keep-pos-ratio", "RATIO", "share of each group's positive samples to keep, best first (0 to 1)"},
		{"keep-neg-ratio", "RATIO", "share of each group's negative samples to keep, worst first (0 to 1)"},
		{"reward", "NAME", "take this column of the log as the reward"},
		{"weights", "a=1,b=0.5", "take the weighted sum of these columns as the reward"},
		{"num-generations", "N", "rows per group where the log has neither group id nor prompt"},
		{"group-by", "RULE", "group rows by auto, id, prompt or position"},
	} {
		flags.Var(&settingFlag{p, s.flag, s.value}, s.flag, s.usage)
	}
	flags.Var(&settingFlag{p, "compute-new-adv", "bool"}, "compute-new-adv", "recompute advantages over the kept samples")
	flags.Lookup("compute-new-adv").NoOptDefVal = "true"
	flags.StringVar(&p.format, "input-format", "", "read the log as this format instead of finding out; `vantage formats` lists them")
	flags.StringVar(&p.split, "split", "train", "which logs of a directory: train, val or all")
}

// addScreen declares the flags of the commands that open the screen.
func (p *program) addScreen(flags *pflag.FlagSet) {
	flags.BoolVar(&p.ascii, "ascii", plainTerminal(), "draw with ASCII characters only")
	flags.StringVar(&p.theme, "theme", "", "dark, light or mono; the terminal is asked if not given")
}

// settingFlag notes a setting that was given on the command line.
type settingFlag struct {
	p          *program
	name, kind string
}

func (f *settingFlag) String() string { return "" }
func (f *settingFlag) Type() string   { return f.kind }

// Set notes the value; whether it is valid can only be said of all together.
func (f *settingFlag) Set(value string) error {
	f.p.settings = append(f.p.settings, setting{flag: f.name, value: value})
	return nil
}

// configure splits the arguments into paths and settings and returns the
// settings that all of them give: flags first, then key=value as trainers take
// them. Framework and estimator come before the rest, whatever their order.
func (p *program) configure(args []string) (paths []string, set model.Settings, err error) {
	given := p.settings
	for _, arg := range args {
		key, value, found := strings.Cut(arg, "=")
		if !found || !strings.HasPrefix(key, "algorithm.") {
			paths = append(paths, arg)
			continue
		}
		given = append(given, setting{flag: key, value: value})
	}
	p.settings = given
	set = model.DefaultSettings()
	for _, names := range []string{" framework ", " estimator algorithm.adv_estimator ", ""} {
		for _, s := range given {
			first := strings.Contains(" framework estimator algorithm.adv_estimator ", " "+s.flag+" ")
			if names == "" && first || names != "" && !strings.Contains(names, " "+s.flag+" ") {
				continue
			}
			if set, err = set.Set(s.flag, s.value); err != nil {
				return nil, set, &usageError{err}
			}
		}
	}
	if err := set.Validate(); err != nil {
		return nil, set, &usageError{err}
	}
	return paths, set, nil
}

// chosen reports whether the person said whose arithmetic they want.
func (p *program) chosen() bool {
	return slices.ContainsFunc(p.settings, func(s setting) bool {
		return slices.Contains([]string{"framework", "estimator", "algorithm.adv_estimator", "scale"}, s.flag)
	})
}

// explore opens the screen, or writes the report where there is no terminal.
func (p *program) explore(cmd *cobra.Command, args []string) error {
	paths, set, err := p.configure(args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return &usageError{errors.New("nothing to open: give a log file or directory, or try `vantage demo`")}
	}
	if !isTerminal(p.out) {
		return p.writeReport(cmd.Context(), paths, set, "text")
	}
	source, err := p.open(paths, true)
	if err != nil {
		return err
	}
	defer source.Close()
	return p.show(cmd.Context(), source, title(paths), set)
}

func title(paths []string) string {
	if len(paths) > 1 {
		return fmt.Sprintf("%s and %d more", paths[0], len(paths)-1)
	}
	if paths[0] == "-" {
		return "standard input"
	}
	return filepath.Clean(paths[0])
}

func (p *program) open(paths []string, follow bool) (*loaders.Source, error) {
	if !slices.Contains([]string{"train", "val", "all"}, p.split) {
		return nil, &usageError{fmt.Errorf("there is no split %q: choose train, val or all", p.split)}
	}
	return loaders.Open(paths, loaders.Options{Follow: follow, Format: p.format, Split: loaders.Split(p.split), Stdin: p.in})
}

// show runs the screen until the person leaves it.
func (p *program) show(ctx context.Context, source tui.Source, title string, set model.Settings) error {
	if _, ok := themes.Find(p.theme); !ok && p.theme != "" {
		return &usageError{fmt.Errorf("there is no theme %q: choose dark, light or mono", p.theme)}
	}
	noColor := os.Getenv("NO_COLOR") != ""
	app := tui.New(ctx, source, tui.Options{Title: title, Settings: set, Chosen: p.chosen(), ASCII: p.ascii, NoColor: noColor, Theme: p.theme})
	// signals end ctx, and that quits: Bubble Tea's own handler would race with it
	options := []tea.ProgramOption{tea.WithOutput(p.out), tea.WithoutSignalHandler()}
	if noColor {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	screen := tea.NewProgram(app, options...)
	stop := context.AfterFunc(ctx, screen.Quit)
	defer stop()
	_, err := screen.Run()
	return err
}

func (p *program) demo() *cobra.Command {
	var seed uint64
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Explore a made run that grows while you watch",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.configure(args)
			if err != nil {
				return err
			}
			if len(paths) > 0 {
				return &usageError{fmt.Errorf("demo reads no files, got %q", paths[0])}
			}
			source := demo.New(demo.Options{Seed: seed})
			defer source.Close()
			if !isTerminal(p.out) {
				return &usageError{errors.New("demo needs a terminal: for text run `vantage report PATH`")}
			}
			return p.show(cmd.Context(), source, "demo", set)
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "which run to make")
	p.addScreen(cmd.Flags())
	return cmd
}

func (p *program) report() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "report PATH... [algorithm.key=value...]",
		Short: "Print the same numbers without a screen",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			return p.writeReport(cmd.Context(), paths, set, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func (p *program) export() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export PATH... [algorithm.key=value...]",
		Short: "Write every sample with its advantages",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			if format != "jsonl" {
				return &usageError{fmt.Errorf("export has no format %q: it has jsonl", format)}
			}
			snap, err := p.readAll(cmd.Context(), paths)
			if err != nil {
				return err
			}
			if problems := snap.Run.Problems; len(problems) > 0 {
				_, _ = fmt.Fprintf(p.errOut, "vantage: left out what could not be read, first %s\n", problems[0])
			}
			return asked(report.Samples(cmd.Context(), p.out, snap, set))
		},
	}
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl")
	return cmd
}

// errNoMatch is the answer of match where nothing reproduces the log: it has
// been printed already, and only the exit code is left to say.
var errNoMatch = errors.New("no estimator reproduces the advantages of the log")

func (p *program) match() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "match PATH...",
		Short: "Find the estimator that wrote the advantages of a log",
		Long: `match computes the advantages of a log under every framework, estimator and
scale that it can feed, and tells which reproduce those that the trainer logged.
The exit code is 0 if one does, and 1 if none does or the log holds none.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			write, ok := map[string]func(io.Writer, *match.Report) error{"text": report.MatchText, "json": report.MatchJSON}[format]
			if !ok {
				return &usageError{fmt.Errorf("match has no format %q: it has text and json", format)}
			}
			snap, err := p.readAll(cmd.Context(), paths)
			if err != nil {
				return err
			}
			found, err := match.Run(cmd.Context(), snap, set, match.Enough)
			if err != nil {
				return asked(err)
			}
			if err := write(p.out, found); err != nil {
				return err
			}
			if !found.Match() {
				return errNoMatch
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func (p *program) estimators() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "estimators [FRAMEWORK] [NAME]",
		Short: "List the estimators, or tell everything about some: formula, special cases, needs, source",
		Args:  cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			list := slices.DeleteFunc(estimators.All(), func(e *estimators.Estimator) bool {
				for _, arg := range args {
					if arg != e.Framework && arg != e.Name {
						return true
					}
				}
				return false
			})
			if len(list) == 0 {
				return &usageError{fmt.Errorf("no estimator is called %q: the frameworks are %s", strings.Join(args, " "), strings.Join(estimators.Frameworks(), ", "))}
			}
			switch {
			case format == "json":
				return report.EstimatorJSON(p.out, list)
			case format != "text":
				return &usageError{fmt.Errorf("estimators has no format %q: it has text and json", format)}
			case len(args) == 0:
				return report.EstimatorList(p.out, list)
			}
			return report.EstimatorPages(p.out, list)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func (p *program) formats() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "List the logs that can be read, and what makes each trainer write its own",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var list []report.Format
			for _, f := range loaders.Formats() {
				list = append(list, report.Format{Name: f.Name, Doc: f.Doc, Writes: f.Writes})
			}
			switch format {
			case "text":
				return report.FormatText(p.out, list)
			case "json":
				return report.FormatJSON(p.out, list)
			}
			return &usageError{fmt.Errorf("formats has no format %q: it has text and json", format)}
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func (p *program) pathsAndSettings(args []string) ([]string, model.Settings, error) {
	paths, set, err := p.configure(args)
	if err == nil && len(paths) == 0 {
		err = &usageError{errors.New("nothing to read: give a log file, a directory, or - for standard input")}
	}
	return paths, set, err
}

func (p *program) writeReport(ctx context.Context, paths []string, set model.Settings, format string) error {
	write := report.Text
	switch format {
	case "text":
	case "json":
		write = report.JSON
	default:
		return &usageError{fmt.Errorf("report has no format %q: it has text and json", format)}
	}
	snap, err := p.readAll(ctx, paths)
	if err != nil {
		return err
	}
	trend, err := snap.Trend(ctx, set, nil)
	if err != nil {
		return asked(err)
	}
	return write(p.out, snap, trend)
}

// asked makes it a matter of usage that a log cannot be grouped without an
// option, or cannot feed the estimator.
func asked(err error) error {
	var lack *model.LackError
	if errors.Is(err, model.ErrUngrouped) || errors.As(err, &lack) {
		return &usageError{err}
	}
	return err
}

// readAll reads everything that is there now.
func (p *program) readAll(ctx context.Context, paths []string) (model.Snapshot, error) {
	source, err := p.open(paths, false)
	if err != nil {
		return model.Snapshot{}, err
	}
	defer source.Close()
	store := model.NewStore()
	for {
		chunk, err := source.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return model.Snapshot{}, err
		}
		store.Append(chunk)
	}
	snap := store.Snapshot()
	if snap.Rows > 0 {
		return snap, nil
	}
	if problems := snap.Run.Problems; len(problems) > 0 {
		return snap, fmt.Errorf("no samples in %s: %s", title(paths), problems[0])
	}
	return snap, fmt.Errorf("no samples in %s: it is empty", title(paths))
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(term.File)
	return ok && term.IsTerminal(f.Fd())
}

// plainTerminal guesses whether the terminal shows ASCII only: a bare console,
// or a locale that says so. No locale at all says nothing.
func plainTerminal() bool {
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
