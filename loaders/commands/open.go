package commands

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"

	"vantage/loaders"
	"vantage/loaders/clickhouse"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/model"
	"vantage/model/check"
	"vantage/model/units"
)

// Source is an open log.
type Source interface {
	// Next returns the next chunk, and [io.EOF] when nothing more comes.
	Next(context.Context) (*model.Chunk, error)

	// Text returns the text of a sample, and Lines the lines at which the records of samples begin, 0 of those that have none.
	Text(context.Context, model.Place) (model.Text, error)
	Lines(context.Context, []model.Place) ([]int64, error)

	// MissingColumns returns the columns that a person named and that no row has had so far.
	MissingColumns() []string

	Close() error
}

// Open opens the paths with the options of the flags; with follow it waits for more at
// their end.
func (p *Program) Open(paths []string, follow bool) (Source, error) {
	if !slices.Contains([]string{"train", "val", "all"}, p.split) {
		return nil, Usage(fmt.Errorf("unknown split %q: choose train, val or all", p.split))
	}
	if _, known := formats.Find(p.inputFormat); !known && p.inputFormat != "" {
		return nil, Usage(fmt.Errorf("--input-format: %w", unknownFormat(p.inputFormat)))
	}
	attempt, err := loaders.ParseAttempt(p.attempt)
	switch {
	case err != nil:
		return nil, Usage(err)
	case slices.ContainsFunc(paths, clickhouse.IsAddress):
		return p.openTable(paths, attempt, follow)
	case p.passwordFile != "":
		return nil, Usage(errors.New("--password-file is for the address of a table: clickhouse://user@host/database/table"))
	}
	reach, err := p.storageOptions()
	if err != nil {
		return nil, err
	}
	return loaders.Open(paths, loaders.Options{Storage: reach, Disk: p.Disk, Follow: follow, Wait: p.Waits, Format: p.inputFormat, Split: discover.Split(p.split), Attempt: attempt, Columns: p.columns, Stdin: p.In, MemoryLimit: p.MemoryLimit})
}

// SayWhenSilent says, until ctx ends, when a disk does not answer: once, and not again before it has answered. While a screen is open, it
// says so itself.
func (p *Program) SayWhenSilent(ctx context.Context, args []string, screenIsOpen func() bool) {
	for said := false; ctx.Err() == nil; time.Sleep(fileio.Patience / 10) {
		path, silent := p.Disk.Silent()
		if silent > 0 && !said && !screenIsOpen() {
			writeMessage(p.ErrOut, wantsJSON(args), "note", fmt.Sprintf("the disk of %s has not answered for %s: it is waited for, ^C ends", path, units.ShortDuration(silent)))
		}
		said = silent > 0
	}
}

func (p *Program) readAll(ctx context.Context, paths []string) (model.Snapshot, error) {
	source, snap, err := p.readOpen(ctx, paths)
	if err == nil {
		source.Close()
	}
	return snap, err
}

// readOpen is readAll, and leaves the source open so that texts can be read; it is closed after an error.
func (p *Program) readOpen(ctx context.Context, paths []string) (Source, model.Snapshot, error) {
	source, err := p.Open(paths, false)
	if err != nil {
		return nil, model.Snapshot{}, err
	}
	snap, err := p.readSource(ctx, source, paths)
	if err != nil {
		source.Close()
		return nil, snap, err
	}
	return source, snap, nil
}

func (p *Program) readSource(ctx context.Context, source Source, paths []string) (model.Snapshot, error) {
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
	if names := source.MissingColumns(); len(names) > 0 {
		return snap, fmt.Errorf("no row of %s has a column %q: check the name; without it the log is read as %s", Title(paths), names[0], snap.Run.Provenance)
	}
	if p.ConfigSummary != "" {
		snap.Run.Config = p.ConfigSummary
	}
	snap.Run.Progress.Open = check.LastIsOpen(snap, time.Now())
	snap.Run.Progress.RowTime = rowTime(ctx, source, snap)
	if snap.Rows > 0 {
		return snap, nil
	}
	a, problems := snap.Run.Attempts, snap.Run.Problems
	switch {
	case a.Count > 0 && a.Shown > a.Count:
		return snap, Usage(fmt.Errorf("%s has no attempt %d: the run was started %s", Title(paths), a.Shown, units.Plural(a.Count, "times")))
	case len(problems) > 0:
		return snap, fmt.Errorf("%w in %s: %s", errNoSamples, Title(paths), problems[0])
	case p.split == "val":
		return snap, fmt.Errorf("no samples in %s: nothing shows that rows in it are those of an evaluation; --split train reads them", Title(paths))
	case snap.Run.Evaluation != nil && snap.Run.Evaluation.Rows > 0:
		return snap, fmt.Errorf("no samples of training in %s: %s", Title(paths), strings.Join(snap.Run.LeftOut(), "; "))
	}
	return snap, fmt.Errorf("no samples in %s: it is empty", Title(paths))
}

// rowTime is the time that the newest row of a log gives itself, zero if it gives none: see model.TimeOf.
func rowTime(ctx context.Context, log Texts, snap model.Snapshot) time.Time {
	n := len(snap.Steps)
	if n == 0 || len(snap.Steps[n-1].Rewards) == 0 {
		return time.Time{}
	}
	newest := &snap.Steps[n-1]
	text, err := log.Text(ctx, newest.Place(len(newest.Rewards)-1))
	if err != nil {
		return time.Time{}
	}
	return model.TimeOf(text, time.Now())
}

// errNoSamples is the error of a log that was read and has none.
var errNoSamples = errors.New("no samples")

// Title returns a short name for the paths.
func Title(paths []string) string {
	switch {
	case len(paths) > 1:
		return fmt.Sprintf("%s and %d more", paths[0], len(paths)-1)
	case paths[0] == "-":
		return "standard input"
	case loaders.IsElsewhere(paths[0]):
		return paths[0]
	}
	return filepath.Clean(paths[0])
}

// classifyError makes a usage error of one that another option would avoid: the log cannot
// be grouped by itself, or lacks a column that the estimator needs.
func classifyError(err error) error {
	var lack *model.MissingError
	if errors.Is(err, model.ErrUngrouped) || errors.As(err, &lack) {
		return Usage(err)
	}
	return err
}

func (p *Program) openTable(paths []string, attempt loaders.Attempt, follow bool) (Source, error) {
	if len(paths) > 1 {
		return nil, Usage(errors.New("a table is opened alone: give one address, or label=ADDRESS twice to compare"))
	}
	t, err := clickhouse.ParseAddress(paths[0])
	if err != nil {
		return nil, Usage(err)
	}
	password, err := p.passwordFor(paths[0], t)
	if err != nil {
		return nil, err
	}
	return clickhouse.Open(paths[0], clickhouse.Options{
		Follow: follow, Password: password, Columns: p.columns, Split: discover.Split(p.split), Attempt: int(attempt), MemoryLimit: p.MemoryLimit,
	})
}

const maxPassword = 4096

// passwordFor returns the password for a table: of the first line of --password-file, the address, the environment, or a person.
func (p *Program) passwordFor(table string, t clickhouse.Target) (string, error) {
	if p.passwordFile != "" {
		data, err := readSmallFile("--password-file", p.passwordFile, maxPassword, "password")
		if err != nil {
			return "", Usage(err)
		}
		line, _, _ := bytes.Cut(data, []byte("\n"))
		return strings.TrimSuffix(string(line), "\r"), nil
	}
	if known, ok := p.passwords[table]; ok {
		return known, nil
	}
	if given, ok := os.LookupEnv("CLICKHOUSE_PASSWORD"); ok {
		return given, nil
	}
	if !t.NamesUser || !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stderr.Fd()) {
		return "", nil
	}
	typed, err := askPassword(t)
	if err == nil {
		p.keepPassword(table, typed)
	}
	return typed, err
}

func (p *Program) keepPassword(table, password string) {
	if p.passwords == nil {
		p.passwords = map[string]string{}
	}
	p.passwords[table] = password
}

// askPassword asks on the terminal, before the screen opens.
func askPassword(t clickhouse.Target) (string, error) {
	before, err := term.GetState(os.Stdin.Fd())
	if err != nil {
		return "", fmt.Errorf("the password cannot be read: %w", err)
	}
	_, _ = fmt.Fprintf(os.Stderr, "password of %s on %s (Enter for none): ", t.User, t.Host)
	defer func() { _, _ = fmt.Fprintln(os.Stderr) }()
	type line struct {
		text []byte
		err  error
	}
	typed, interrupted := make(chan line, 1), make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(interrupted)
	go func() {
		text, err := term.ReadPassword(os.Stdin.Fd())
		typed <- line{text, err}
	}()
	select {
	case got := <-typed:
		return string(got.text), got.err
	case s := <-interrupted: // reading a line does not end by itself
		_ = term.Restore(os.Stdin.Fd(), before)
		return "", &SignalError{Signal: s}
	}
}

// hidePasswords takes the passwords out of addresses among the arguments, so that no title, session or error shows
// them.
func (p *Program) hidePasswords(args []string) []string {
	hidden := make([]string, len(args))
	for i, arg := range args {
		shown, has := withoutPassword(arg)
		if hidden[i] = shown; !has {
			continue
		}
		_, without := cutLabel(shown)
		_, full := cutLabel(arg)
		if !clickhouse.IsAddress(full) {
			p.note(p.OutputFormat, "the password in an address is not used, and can be seen by everybody who lists the processes of this machine: leave it out; ssh, and the keys of buckets, are as configured for ssh and for AWS's tools")
			continue
		}
		if t, err := clickhouse.ParseAddress(full); err == nil {
			p.keepPassword(without, t.Password)
		}
		p.note(p.OutputFormat, "a password in an address can be seen by everybody who lists the processes of this machine: put it into CLICKHOUSE_PASSWORD, or a file for --password-file")
	}
	return hidden
}

// noteSentPlain notes which tables among the arguments are asked for over a network without encryption.
func (p *Program) noteSentPlain(args []string) {
	for _, arg := range args {
		_, full := cutLabel(arg)
		if !clickhouse.IsAddress(full) {
			continue
		}
		if t, err := clickhouse.ParseAddress(full); err == nil && t.PlainWarning() != "" {
			p.note(p.OutputFormat, t.PlainWarning())
		}
	}
}

func withoutPassword(arg string) (string, bool) {
	label, full := cutLabel(arg)
	without, has := clickhouse.WithoutPassword(full)
	return label + without, has
}

// cutLabel cuts label=ADDRESS after the sign, where it is one; else the label is empty.
func cutLabel(arg string) (label, rest string) {
	before, _, _ := strings.Cut(arg, "://")
	at := strings.LastIndexByte(before, '=') + 1
	return arg[:at], arg[at:]
}

// The node is training: take at most a quarter of its available memory, and collect earlier
// than Go's default. Reading stops before all of it is taken.
const (
	memoryDivisor  = 4
	minMemoryLimit = 256 << 20
	gcPercent      = 30
)

// LimitMemory sets a memory limit from the available memory, unless GOMEMLIMIT or GOGC is
// set. That limit is soft: beyond it the program gets slower. It returns the hard one, at which
// reading has to stop, 0 if it is unknown.
func LimitMemory() (hard int64) {
	free := availableMemory("/")
	if os.Getenv("GOMEMLIMIT") == "" && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
		if free > 0 {
			debug.SetMemoryLimit(max(minMemoryLimit, free/memoryDivisor))
		}
	}
	return free - free/8 // the rest is for what is not counted: stacks, code, the screen
}

// availableMemory returns how many bytes this process can still get: the least that the system, each
// control group above the process (of version 1 or 2), and its own limit of addresses leave. It is 0 if
// nothing tells. The files of the kernel are read below root, which is "/" but in tests.
func availableMemory(root string) int64 {
	free := number(root, "proc/meminfo", "MemAvailable:") << 10
	for _, left := range []int64{groupMemory(root), addressSpace(root)} {
		if left > 0 && (free == 0 || left < free) {
			free = left
		}
	}
	return free
}

// Go's runtime takes addresses by the arena, and ends the program if it gets none. A small log needs no more than it has at the start.
const (
	arena    = 64 << 20
	smallLog = 16 << 20
)

func addressSpace(root string) int64 {
	for line := range lines(root, "proc/self/limits") {
		rest, ok := strings.CutPrefix(line, "Max address space")
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return 0
		}
		if limit, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
			return max(smallLog, limit-number(root, "proc/self/status", "VmSize:")<<10-2*arena)
		}
	}
	return 0
}

// memoryController says where a version of control groups tells limit and use.
type memoryController struct {
	hierarchy               string // below root
	limit, usage, cacheName string // cacheName is in memory.stat: pages of files, which the kernel gives back
}

// groupMemory returns what the control groups of the process leave, 0 if they limit nothing.
func groupMemory(root string) int64 {
	v2 := memoryController{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"}
	v1 := memoryController{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
	left := int64(math.MaxInt64)
	for line := range lines(root, "proc/self/cgroup") {
		id, rest, _ := strings.Cut(line, ":")
		controllers, path, _ := strings.Cut(rest, ":")
		switch {
		case id == "0" && controllers == "":
			left = min(left, v2.leastLeft(root, path))
		case strings.Contains(","+controllers+",", ",memory,"):
			left = min(left, v1.leastLeft(root, path))
		}
	}
	if left == math.MaxInt64 {
		return 0
	}
	return max(1, left)
}

// leastLeft returns the least that a group and those above it leave. In a container the path may not be
// visible: its own group is then the top of the hierarchy.
func (c memoryController) leastLeft(root, path string) int64 {
	left := int64(math.MaxInt64)
	for path = filepath.Clean("/" + path); ; path = filepath.Dir(path) {
		dir := filepath.Join(c.hierarchy, path)
		if limit := number(root, filepath.Join(dir, c.limit), ""); limit > 0 && limit < 1<<60 { // version 1 has a number for none
			used := number(root, filepath.Join(dir, c.usage), "") - number(root, filepath.Join(dir, "memory.stat"), c.cacheName+" ")
			left = min(left, limit-max(0, used))
		}
		if path == "/" {
			return left
		}
	}
}

// lines yields the lines of a file of the kernel, none if it cannot be read.
func lines(root, name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		h, err := os.Open(filepath.Join(root, name)) //nolint:forbidigo // the kernel's files
		if err != nil {
			return
		}
		defer func() { _ = h.Close() }()
		for scanner := bufio.NewScanner(h); scanner.Scan(); {
			if !yield(scanner.Text()) {
				return
			}
		}
	}
}

// number returns the number behind a name that begins a line of a file of the kernel, with "" the last number of the file; 0 if
// it holds none ("max").
func number(root, file, name string) (n int64) {
	for line := range lines(root, file) {
		if value, ok := strings.CutPrefix(line, name); ok {
			n, _ = strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 10, 64)
		}
	}
	return n
}
