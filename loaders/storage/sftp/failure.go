package sftp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"

	"github.com/pkg/sftp"

	"vantage/loaders/fileio"
)

// complaint is what ssh says if something is wrong, and what that means.
type complaint struct {
	says   string // in its standard error
	what   string // PATH what: do
	do     string // %s is the host
	passes bool   // it may be otherwise in a moment: a host that starts again, a network that comes back
}

// complaints are looked for in this order: later ones may be consequences of those before.
var complaints = [...]complaint{
	{"REMOTE HOST IDENTIFICATION HAS CHANGED", "was not connected to", "the key of its host is not the one that ssh knows: ask who runs it; if it was set up anew, take the old key out with `ssh-keygen -R`", false},
	{"Host key verification failed", "was not connected to", "ssh does not know the key of its host: run `ssh %s` once and compare the key", false},
	{"Could not resolve hostname", "was not found", "no host has this name: look at its spelling, at Host in ~/.ssh/config, or at the VPN", false},
	{"Too many authentication failures", "may not be read by you", "the host gave up after too many keys: name the right one with IdentityFile and IdentitiesOnly in ~/.ssh/config", false},
	{"Permission denied (", "may not be read by you", "the host does not let you in: run `ssh %s` once, or use a key, an agent or a ControlMaster", false},
	{"subsystem request failed", "cannot be read", "its host has no sftp: ask who runs it for `Subsystem sftp` in sshd_config", false},
	{"Connection refused", "cannot be reached", "no ssh server listens on the host: look at host and port", true},
	{"timed out", "cannot be reached", "the host does not answer: look at its name, or at the VPN", true},
	{"No route to host", "cannot be reached", "no network leads to the host: look at its name, or at the VPN", true},
	{"Network is unreachable", "cannot be reached", "there is no network: look at the connection of this machine", true},
}

// connectFailure says why there is no connection, from what ssh said before it ended. Its cause is none: a pipe to ssh that broke
// would be taken for that of the program's output.
func connectFailure(t target, words *lastWords, err error) *fileio.Failure {
	if errors.Is(err, exec.ErrNotFound) {
		return &fileio.Failure{What: "cannot be reached", Do: "there is no ssh on this machine: install OpenSSH's client", Err: err}
	}
	said := words.String()
	for _, c := range complaints {
		if strings.Contains(said, c.says) {
			do := c.do
			if strings.Contains(do, "%s") {
				do = fmt.Sprintf(do, t.host)
			}
			return &fileio.Failure{What: c.what, Do: do + says(words), Lost: c.passes}
		}
	}
	f := &fileio.Failure{What: "cannot be reached", Do: "ssh has ended" + says(words), Lost: true}
	switch {
	case errors.Is(err, errSilent):
		f.Do = "the host does not answer: look at its name, or at the VPN" + says(words)
	case errors.Is(err, errNoSFTP):
		f.What, f.Do, f.Lost = "cannot be read", "what answers on its host is no sftp: a line that ~/.bashrc prints there does so too"+says(words), false
	}
	return f
}

// says quotes the last words of ssh, in parentheses.
func says(words *lastWords) string {
	if last := words.last(); last != "" {
		return " (ssh: " + strings.TrimPrefix(last, "ssh: ") + ")"
	}
	return ""
}

var (
	errSilent = errors.New("no answer")
	errNoSFTP = errors.New("no answer of sftp")
	// errReplaced says that a file is another one since it was opened: it is read from its start again.
	errReplaced = syscall.ESTALE
	errClosed   = &fileio.Failure{What: "is not read any more", Do: "it was closed"}
)

// lost reports whether an error of a request says that the connection is not there any more.
func lost(err error) bool {
	var status *sftp.StatusError
	var failure *fileio.Failure
	switch {
	case err == nil, errors.As(err, &failure), errors.Is(err, io.EOF), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, errReplaced):
		return false
	case errors.As(err, &status):
		return status.FxCode() == sftp.ErrSSHFxConnectionLost || status.FxCode() == sftp.ErrSSHFxNoConnection
	}
	return true
}

// pathError describes the error of a request about a path; only that of a lost connection is a Failure before.
func pathError(op, name string, err error) error {
	var failure *fileio.Failure
	var status *sftp.StatusError
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.As(err, &failure):
		return err
	case errors.As(err, &status):
		err = fmt.Errorf("its node says: %w", err)
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
