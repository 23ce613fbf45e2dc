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

	"vantage/loaders/clickhouse/address"
)

// maxPassword is the largest file of a password.
const maxPassword = 4096

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
		if !address.Is(full) {
			p.note(p.outputFormat, "the password in an address is not used, and can be seen by everybody who lists the processes of this machine: leave it out; ssh, and the keys of buckets, are as configured for ssh and for AWS's tools")
			continue
		}
		if p.passwords == nil {
			p.passwords = map[string]string{}
		}
		if t, err := address.Parse(full); err == nil {
			p.passwords[without] = t.Password
		}
		p.note(p.outputFormat, "a password in an address can be seen by everybody who lists the processes of this machine: put it into CLICKHOUSE_PASSWORD, or a file for --password-file")
	}
	return hidden
}

// withoutPassword returns an argument without the password of an address in it, and whether there was one.
func withoutPassword(arg string) (string, bool) {
	label, full := cutLabel(arg)
	without, has := address.WithoutPassword(full)
	return label + without, has
}

// cutLabel cuts label=ADDRESS after the sign, where it is one; else the label is empty.
func cutLabel(arg string) (label, rest string) {
	before, _, _ := strings.Cut(arg, "://")
	at := strings.LastIndexByte(before, '=') + 1
	return arg[:at], arg[at:]
}

// passwordFor returns the password for a table: of --password-file, the address, the environment, or a person.
func (p *Program) passwordFor(table string, t address.Target) (string, error) {
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
	data, err := os.ReadFile(path)
	switch {
	case err != nil:
		return "", Usage(fmt.Errorf("--password-file: %w", err))
	case len(data) > maxPassword:
		return "", Usage(fmt.Errorf("--password-file %s holds more than a password", path))
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return strings.TrimSuffix(string(line), "\r"), nil
}

// askPassword asks on the terminal, before the screen opens.
func askPassword(t address.Target) (string, error) {
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
func parseTable(paths []string) (address.Target, error) {
	if len(paths) > 1 {
		return address.Target{}, Usage(errors.New("a table is opened alone: give one address, or label=ADDRESS twice to compare"))
	}
	t, err := address.Parse(paths[0])
	if err != nil {
		return t, Usage(err)
	}
	return t, nil
}
