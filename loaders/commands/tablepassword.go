package commands

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"

	"vantage/loaders/clickhouse"
)

// maxPassword is the largest file of a password.
const maxPassword = 4096

// passwordFor returns the password for a table: of --password-file, the address, the environment, or a person.
func (p *Program) passwordFor(table string, t clickhouse.Target) (string, error) {
	if p.passwordFile != "" {
		return readPassword(p.passwordFile)
	}
	if known, ok := p.passwords[table]; ok {
		return known, nil
	}
	if given, ok := os.LookupEnv("CLICKHOUSE_PASSWORD"); ok {
		return given, nil
	}
	if !t.NamesUser || !isTerminalFile(os.Stdin) || !isTerminalFile(os.Stderr) {
		return "", nil
	}
	typed, err := askPassword(t)
	if err == nil {
		if p.passwords == nil {
			p.passwords = map[string]string{}
		}
		p.passwords[table] = typed
	}
	return typed, err
}

// readPassword reads the first line of a file.
func readPassword(path string) (string, error) {
	data, err := readSmallFile("--password-file", path, maxPassword, "password")
	if err != nil {
		return "", Usage(err)
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return strings.TrimSuffix(string(line), "\r"), nil
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

func isTerminalFile(f *os.File) bool { return term.IsTerminal(f.Fd()) }

// parseTable refuses paths that no table can stand beside.
func parseTable(paths []string) (clickhouse.Target, error) {
	if len(paths) > 1 {
		return clickhouse.Target{}, Usage(errors.New("a table is opened alone: give one address, or label=ADDRESS twice to compare"))
	}
	t, err := clickhouse.ParseAddress(paths[0])
	if err != nil {
		return t, Usage(err)
	}
	return t, nil
}
