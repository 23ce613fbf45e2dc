package commands

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vantage/model/units"
)

// manualSection is a section of the manual page: terms with descriptions. A term without
// description is a heading.
type manualSection struct {
	Title   string
	Entries [][2]string
}

// manual returns the command that writes the manual page, from the commands and a further
// section, which is made when the page is. The page has the date of the sources, so that it is reproducible.
func (p *program) manual(more func() manualSection) *cobra.Command {
	return &cobra.Command{
		Use:    "man",
		Short:  "Print the manual page",
		Args:   noArguments,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sections := append([]manualSection{more()}, manualSections()...)
			return writeManual(p.output(cmd.Context(), "text"), p.sharedFlags(), cmd.Root(), sections)
		},
	}
}

func manualSections() []manualSection {
	return []manualSection{
		{Title: "EXIT STATUS", Entries: [][2]string{
			{"0", "Success; for check: no rule fails; for match: an estimator reproduces the log."},
			{"1", "Failure, with a sentence on standard error; for match: no estimator reproduces the log."},
			{"2", "Usage error."},
			{"3", "For check: a rule fails."},
			{"128 and more", "Ended by a signal, such as 130 for SIGINT: the output is incomplete."},
		}},
		{Title: "ENVIRONMENT", Entries: [][2]string{
			{"NO_COLOR", "If set and not empty, disables colour."},
			{"XDG_CONFIG_HOME", "Directory of the screen's configuration; `vantage config` prints a sample."},
			{"XDG_STATE_HOME", "Directory of the screen's copies, exports and sessions."},
			{"GOMEMLIMIT, GOGC", "Limits of memory. If neither is set, the limit is a quarter of the available memory."},
		}},
	}
}

// writeManual writes the page for man(1).
func writeManual(w io.Writer, shared []topic, root *cobra.Command, more []manualSection) error {
	m := &manualWriter{out: bufio.NewWriter(w), shared: shared}
	date, _, _ := strings.Cut(readBuildInfo().Date, "T")
	m.raw(`.TH VANTAGE 1 "%s" "vantage" "User Commands"`, date)
	m.section("NAME")
	m.text(root.Name() + " - " + lowerFirst(root.Short))
	m.section("SYNOPSIS")
	m.raw(".B %s", escapeRoff(root.UseLine()))
	for _, c := range documentedCommands(root) {
		m.raw(".br\n.B %s", escapeRoff(c.UseLine()))
	}
	m.section("DESCRIPTION")
	m.text(root.Long)
	m.section("COMMANDS")
	for _, c := range documentedCommands(root) {
		m.raw(".SS %s", escapeRoff(c.UseLine()))
		m.text(cmp.Or(c.Long, c.Short+"."))
		m.ownFlags(c)
		m.example(c.Example)
	}
	m.section("OPTIONS")
	m.text("Options of every command that reads a log:")
	for _, t := range shared {
		m.flags(t.flags)
	}
	m.text("Options of the screen:")
	m.ownFlags(root)
	for _, t := range more {
		m.section(t.Title)
		for _, e := range t.Entries {
			if e[1] == "" {
				m.raw(".SS %s", escapeRoff(e[0]))
				continue
			}
			m.raw(".TP\n.B %s\n%s", escapeRoff(e[0]), escapeRoff(e[1]))
		}
	}
	m.section("EXAMPLES")
	m.example(root.Example)
	return m.out.Flush()
}

// documentedCommands returns the commands, and in place of one that has others those.
func documentedCommands(root *cobra.Command) (all []*cobra.Command) {
	for _, c := range root.Commands() {
		switch {
		case c.Hidden || c.Name() == "help" || c.Name() == "completion":
		case c.HasAvailableSubCommands():
			all = append(all, documentedCommands(c)...)
		default:
			all = append(all, c)
		}
	}
	return all
}

type manualWriter struct {
	out          *bufio.Writer
	shared       []topic // described once for all commands
	underHeading bool    // what was written last is a heading
}

func (m *manualWriter) raw(format string, args ...any) {
	fmt.Fprintf(m.out, format+"\n", args...)
	m.underHeading = strings.HasPrefix(format, ".S")
}

// paragraph begins a paragraph. Right under a heading one has begun: mandoc warns of a second.
func (m *manualWriter) paragraph() {
	if !m.underHeading {
		m.raw(".PP")
	}
}

func (m *manualWriter) section(title string) { m.raw(".SH %s", title) }

// text writes paragraphs, which blank lines separate.
func (m *manualWriter) text(text string) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		m.paragraph()
		m.raw("%s", escapeRoff(strings.Join(strings.Fields(paragraph), " ")))
	}
}

// ownFlags describes the flags that only this command has, and names those of others if it has not all of them.
func (m *manualWriter) ownFlags(c *cobra.Command) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	var shared []string
	readsLog := false
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		i := topicOf(m.shared, f)
		if i < 0 {
			own.AddFlag(f)
			return
		}
		readsLog = readsLog || m.shared[i].set == reading
		shared = append(shared, "--"+f.Name)
	})
	m.flags(own)
	if len(shared) > 0 && !readsLog {
		m.text("Among the options of a command that reads a log, it takes " + join(shared, "and") + ".")
	}
}

func (m *manualWriter) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		m.raw(".TP\n.B %s\n%s", escapeRoff(strings.TrimSpace("--"+f.Name+" "+valuePlaceholder(f))), escapeRoff(f.Usage))
	})
}

// valuePlaceholder names the value of a flag, "" if it takes none.
func valuePlaceholder(f *pflag.Flag) string {
	names := map[string]string{
		"int": "N", "uint64": "N", "float64": "X", "duration": "TIME", // kinds of values; the others are flags
		"where": "QUERY", "steps": "FROM:TO", "keep-pos-ratio": "RATIOS", "keep-neg-ratio": "RATIOS", "cache": "SIZE",
		"compute-new-adv": "WHICH", "attempt": "WHICH", "split": "WHICH", "ill": "KIND", "fail-on": "RULE", "endpoint": "URL",
		"rules": "FILE", "junit": "FILE", "prom": "FILE", "svg": "FILE", "output": "FILE", "config": "FILE", "password-file": "FILE",
		"write": "DIR", "input-format": "FORMAT", "emit": "FORMAT", "prompt": "COLUMN", "step": "COLUMN", "id": "COLUMN",
		"by": "WHAT", "per": "WHAT", "count-by": "WHAT", "in": "TEXT", "sort": "METRIC", "figure": "METRICS", "retire": "STATES",
	}
	switch kind := f.Value.Type(); {
	case f.NoOptDefVal != "":
		return ""
	case strings.HasPrefix(kind, "string"):
		return cmp.Or(names[f.Name], strings.ToUpper(f.Name))
	default:
		return cmp.Or(names[kind], kind)
	}
}

func (m *manualWriter) example(text string) {
	if text == "" {
		return
	}
	m.paragraph()
	m.raw(".RS\n.nf")
	for line := range strings.SplitSeq(text, "\n") {
		m.raw("%s", escapeRoff(line))
	}
	m.raw(".fi\n.RE")
}

func escapeRoff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// helpWidth is the columns of a terminal that nobody has made wider.
const helpWidth = 80

// firstVerbs are the commands that people use first, in that order: the help of the program names them on the first screen.
func firstVerbs() []string {
	return []string{"demo", "summary", "why", "report", "check", "tail", "compare", "plan", "prompts", "grep", "export", "list"}
}

// help writes what a command does, its usage, examples, commands and its own flags. Those of several commands are a line, and
// a page of their own. Of a program with more commands than a screen has lines, the first ones come right after the usage.
func (p *program) help(cmd *cobra.Command, _ []string) {
	out := bufio.NewWriter(cmd.OutOrStdout())
	defer out.Flush()
	about := cmp.Or(cmd.Long, strings.TrimSuffix(cmd.Short, ".")+".")
	first, others := splitCommands(cmd)
	rest := ""
	if len(first) > 0 {
		about, rest, _ = strings.Cut(about, "\n\n")
	}
	writeParagraphs(out, about)
	use := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		use += "\n  " + cmd.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(out, "USAGE\n  %s\n", use)
	writeCommands(out, "COMMANDS", first)
	before := "\n"
	if rest != "" {
		fmt.Fprintln(out)
		writeParagraphs(out, rest)
		before = ""
	}
	if cmd.Example != "" {
		fmt.Fprintf(out, "%sEXAMPLES\n  %s\n", before, strings.ReplaceAll(cmd.Example, "\n", "\n  "))
	}
	heading := "COMMANDS"
	if len(first) > 0 {
		heading = "MORE COMMANDS"
	}
	writeCommands(out, heading, others)
	var shared []string
	for _, set := range p.flagsByTitle(cmd) {
		if set.topic != "" {
			shared = append(shared, set.topic)
			continue
		}
		fmt.Fprintf(out, "\nFLAGS\n")
		writeFlags(out, set.flags)
	}
	if len(shared) > 0 {
		topics, page := "  "+strings.Join(shared, ", ")+": ", "see `vantage help "+settingsPage+"`"
		if len(topics)+len(page) > helpWidth {
			topics = strings.TrimSuffix(topics, " ") + "\n  "
		}
		fmt.Fprintf(out, "\nSETTINGS\n%s%s\n", topics, page)
	}
}

// splitCommands returns the commands to be listed: those that come first, if there are any of them, and the others.
func splitCommands(cmd *cobra.Command) (first, others []*cobra.Command) {
	for _, c := range cmd.Commands() {
		switch {
		case !c.IsAvailableCommand():
		case slices.Contains(firstVerbs(), c.Name()):
			first = append(first, c)
		default:
			others = append(others, c)
		}
	}
	slices.SortFunc(first, func(a, b *cobra.Command) int {
		return slices.Index(firstVerbs(), a.Name()) - slices.Index(firstVerbs(), b.Name())
	})
	return first, others
}

func writeParagraphs(out io.Writer, text string) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		fmt.Fprintln(out, units.Wrap(paragraph, helpWidth, 0)+"\n")
	}
}

func writeCommands(out io.Writer, heading string, commands []*cobra.Command) {
	if len(commands) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s\n", heading)
	for _, c := range commands {
		fmt.Fprintln(out, hanging("  "+c.Name(), c.Short, 14))
	}
}

func writeFlags(out io.Writer, flags []*pflag.Flag) {
	for _, f := range flags {
		names := "  --" + f.Name
		if f.Shorthand != "" {
			names = "  -" + f.Shorthand + ", --" + f.Name
		}
		usage := f.Usage
		if !slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintln(out, hanging(strings.TrimRight(names+" "+valuePlaceholder(f), " "), usage, 28))
	}
}

// settingsPage is the word after help for the flags that several commands have.
const settingsPage = "settings"

// helpSettings writes the flags that several commands have, by what they are about.
func (p *program) helpSettings(w io.Writer) {
	out := bufio.NewWriter(w)
	defer out.Flush()
	writeParagraphs(out, `Commands share these flags: SETTINGS in the help of each names which it takes. They set
how the trainer computes, and how its log is read. A setting can be given under the
trainer's own key too, as algorithm.keep_pos_ratio=0.7, and --config reads a trainer's
configuration. What is not given follows from the log.`)
	after := ""
	for _, t := range p.sharedFlags() {
		var flags []*pflag.Flag
		t.flags.VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
		fmt.Fprintf(out, "%s%s: %s\n", after, strings.ToUpper(t.name), t.about)
		writeFlags(out, flags)
		after = "\n"
	}
}

type titledFlags struct {
	topic string // of a set that commands share; "" for the command's own
	flags []*pflag.Flag
}

func (p *program) flagsByTitle(cmd *cobra.Command) []titledFlags {
	all := make([]titledFlags, 1+len(p.sharedFlags()))
	for i, t := range p.sharedFlags() {
		all[1+i].topic = t.name
	}
	cmd.InitDefaultHelpFlag()
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		i := 1 + topicOf(p.sharedFlags(), f)
		if !f.Hidden {
			all[i].flags = append(all[i].flags, f)
		}
	})
	return slices.DeleteFunc(all, func(t titledFlags) bool { return len(t.flags) == 0 })
}

// hanging returns a term with its text from a column on, wrapped. A longer term has a line for itself.
func hanging(term, text string, column int) string {
	at := utf8.RuneCountInString(term)
	if at >= column {
		term, at = term+"\n", 0
	}
	return term + strings.Repeat(" ", column-at) + units.Wrap(text, helpWidth-column, column)
}
