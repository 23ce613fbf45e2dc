package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"

	"vantage/loaders"
	"vantage/loaders/clickhouse"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	logged "vantage/loaders/scalars"
	"vantage/model"
	"vantage/model/check"
	"vantage/model/fault"
	"vantage/model/units"
)

// open opens the paths with the options of the flags; with follow it waits for more at
// their end.
func (p *program) open(paths []string, follow bool) (*loaders.Source, error) {
	if p.opening != nil {
		p.opening(paths)
	}
	if !slices.Contains([]string{"train", "val", "all"}, p.split) {
		return nil, usage(fmt.Errorf("unknown split %q: choose train, val or all", p.split))
	}
	if p.inputFormat != "" {
		if _, known := formats.Find(p.inputFormat); !known {
			return nil, usage(fmt.Errorf("--input-format: %w", unknownFormat(p.inputFormat)))
		}
	}
	attempt, err := loaders.ParseAttempt(p.attempt)
	isTable := slices.ContainsFunc(paths, clickhouse.IsAddress)
	switch {
	case err != nil:
		return nil, usage(err)
	case isTable && len(paths) > 1:
		return nil, usage(errors.New("a table is opened alone: give one address, or label=ADDRESS twice to compare"))
	case !isTable && p.passwordFile != "":
		return nil, usage(errors.New("--password-file is for the address of a table: clickhouse://user@host/database/table"))
	}
	storage, err := p.storageOptions()
	if err != nil {
		return nil, err
	}
	return loaders.Open(paths, loaders.Options{
		KeepFault: keepFault, Storage: storage, Tables: loaders.Scheme{Names: clickhouse.IsAddress, Open: p.openTable},
		Disk: p.disk, Stdin: p.in, Follow: follow, Wait: p.waits,
		Format: p.inputFormat, Split: discover.Split(p.split), Attempt: attempt, Columns: p.columns, MemoryLimit: p.memoryLimit,
	})
}

func (p *program) openTable(address string, o *loaders.Options) (fileio.Origin, string, error) {
	t, err := clickhouse.ParseAddress(address)
	if err != nil {
		return nil, "", usage(err)
	}
	password, err := p.passwordFor(address, t)
	if err != nil {
		return nil, "", err
	}
	table, err := clickhouse.Open(address, clickhouse.Options{
		Follow: o.Follow, Disk: o.Disk, Password: password, Columns: o.Columns,
		Split: o.Split, Attempt: int(o.Attempt), MemoryLimit: o.MemoryLimit,
	})
	return table, "", err
}

// sayWhenSilent says, until ctx ends, when a disk does not answer: once, and not again before it has answered. While a screen is open, it
// says so itself.
func (p *program) sayWhenSilent(ctx context.Context, args []string, screenIsOpen func() bool) {
	for said := false; ctx.Err() == nil; time.Sleep(fileio.Patience / 10) {
		path, silent := p.disk.Silent()
		if silent > 0 && !said && !screenIsOpen() {
			text := fmt.Sprintf("the disk of %s has not answered for %s: it is waited for, ^C ends", path, units.ShortDuration(silent))
			writeMessage(p.errOut, wantsJSON(args), "note", text)
		}
		said = silent > 0
	}
}

func (p *program) readAll(ctx context.Context, paths []string) (model.Snapshot, error) {
	source, snap, err := p.readOpen(ctx, paths)
	if err == nil {
		source.Close()
	}
	return snap, err
}

// readOpen is readAll, and leaves the source open so that texts can be read; it is closed after an error.
func (p *program) readOpen(ctx context.Context, paths []string) (*loaders.Source, model.Snapshot, error) {
	source, err := p.open(paths, false)
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

func (p *program) readSource(ctx context.Context, source *loaders.Source, paths []string) (model.Snapshot, error) {
	snap, err := readToEnd(ctx, source, math.MaxInt64)
	if err != nil {
		return snap, err
	}
	if names := source.MissingColumns(); len(names) > 0 {
		return snap, fmt.Errorf("no row of %s has a column %q: check the name; without it the log is read as %s",
			titleOf(paths), names[0], snap.Run.Provenance)
	}
	if p.configSummary != "" {
		snap.Run.Config = p.configSummary
	}
	snap.Run.Progress.Open = check.LastIsOpen(snap, time.Now())
	snap.Run.Progress.RowTime = rowTime(ctx, source, snap)
	if snap.Rows > 0 {
		return snap, nil
	}
	a, problems := snap.Run.Attempts, snap.Run.Problems
	switch {
	case a.Count > 0 && a.Shown > a.Count:
		return snap, usage(fmt.Errorf("%s has no attempt %d: the run was started %s", titleOf(paths), a.Shown,
			units.Plural(a.Count, "times")))
	case len(problems) > 0:
		return snap, fmt.Errorf("%w in %s: %s%s", errNoSamples, titleOf(paths), problems[0], p.whereAverages(paths))
	case p.split == "val":
		return snap, fmt.Errorf("no samples in %s: nothing shows that rows in it are those of an evaluation; --split train reads them",
			titleOf(paths))
	case snap.Run.Evaluation != nil && snap.Run.Evaluation.Rows > 0:
		return snap, fmt.Errorf("no samples of training in %s: %s", titleOf(paths), strings.Join(snap.Run.LeftOut(), "; "))
	}
	if notes := snap.Run.Notes; len(notes) > 0 {
		return snap, fmt.Errorf("no samples of training in %s: %s", titleOf(paths), strings.Join(notes, "; "))
	}
	return snap, fmt.Errorf("no samples in %s: it is empty", titleOf(paths))
}

var errLarge = errors.New("the log is larger than that")

// readToEnd reads a log of at most so many bytes to its current end.
func readToEnd(ctx context.Context, source *loaders.Source, most int64) (model.Snapshot, error) {
	store := model.NewStore()
	for {
		chunk, err := source.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return store.Snapshot(), nil
		case err != nil:
			return model.Snapshot{}, err
		case chunk.Progress.BytesAll > most:
			return model.Snapshot{}, errLarge
		}
		store.Append(chunk)
	}
}

// whereAverages names the command that takes a log without samples, "" if none does.
func (p *program) whereAverages(paths []string) string {
	if len(paths) != 1 || loaders.IsElsewhere(paths[0]) || !logged.Alone(p.disk, paths[0]) {
		return ""
	}
	return "; `vantage summary PATH` shows the averages"
}

// rowTime is the time that the newest row of a log gives itself, zero if it gives none: see model.TimeOf.
func rowTime(ctx context.Context, log textReader, snap model.Snapshot) time.Time {
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

// titleOf returns a short name for the paths.
func titleOf(paths []string) string {
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
		return usage(err)
	}
	return err
}

const maxPassword = 4096

// passwordFor returns the password for a table: of the first line of --password-file, the address, the environment, or a person.
func (p *program) passwordFor(table string, t clickhouse.Target) (string, error) {
	if p.passwordFile != "" {
		data, err := readSmallFile(p.disk, "--password-file", p.passwordFile, maxPassword, "password")
		if err != nil {
			return "", usage(err)
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

func (p *program) keepPassword(table, password string) {
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
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(interrupted)
	typed := fault.Later(func() line {
		text, err := term.ReadPassword(os.Stdin.Fd())
		return line{text: text, err: err}
	})
	select {
	case outcome := <-typed:
		got := outcome.Get()
		return string(got.text), got.err
	case s := <-interrupted: // reading a line does not end by itself
		_ = term.Restore(os.Stdin.Fd(), before)
		return "", &signalError{Signal: s}
	}
}

// hidePasswords takes the passwords out of addresses among the arguments, so that no title, session or error shows
// them.
func (p *program) hidePasswords(args []string) []string {
	hidden := make([]string, len(args))
	for i, arg := range args {
		shown, has := withoutPassword(arg)
		if hidden[i] = shown; !has {
			continue
		}
		_, without := cutLabel(shown)
		_, full := cutLabel(arg)
		if !clickhouse.IsAddress(full) {
			p.note(p.outputFormat, "the password in an address is not used, and can be seen by everybody who lists the processes of "+
				"this machine: leave it out; ssh, and the keys of buckets, are as configured for ssh and for AWS's tools")
			continue
		}
		if t, err := clickhouse.ParseAddress(full); err == nil {
			p.keepPassword(without, t.Password)
		}
		p.note(p.outputFormat, "a password in an address can be seen by everybody who lists the processes of this machine: put it "+
			"into CLICKHOUSE_PASSWORD, or a file for --password-file")
	}
	return hidden
}

// noteSentPlain notes which tables among the arguments are asked for over a network without encryption.
func (p *program) noteSentPlain(args []string) {
	for _, arg := range args {
		_, full := cutLabel(arg)
		if !clickhouse.IsAddress(full) {
			continue
		}
		if t, err := clickhouse.ParseAddress(full); err == nil && t.PlainWarning() != "" {
			p.note(p.outputFormat, t.PlainWarning())
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
