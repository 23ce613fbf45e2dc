package sftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pkg/sftp"

	"vantage/loaders/fileio"
	"vantage/model"
	"vantage/model/fault"
)

// The wait before a lost connection is made again doubles from the first to the longest, less up to a quarter by
// chance, so that many programs do not knock at once.
const (
	firstWait   = time.Second
	longestWait = 30 * time.Second
	steadyAfter = 10 * time.Second // a connection that lasted so long was no part of the trouble
)

// connection is the way to a node. It connects when it is first asked for something, and again when it was lost.
type connection struct {
	target   target
	patience time.Duration
	terminal bool
	silence  time.Duration // without an answer: the connection is lost, whatever TCP hopes
	opening  time.Duration // without sftp: a handshake never comes to its end
	ctx      context.Context
	cancel   context.CancelCauseFunc // is called with errClosed

	mu       sync.Mutex
	live     *session        // nil if there is none
	attempt  chan struct{}   // closed when the attempt that is being made ends; nil if none is
	failure  *fileio.Failure // why there is none; nil before the first attempt
	failures int             // attempts in a row
	wait     time.Duration   // before the next
	next     time.Time       // when that is made
	wasUp    bool            // it was there once
	isMute   bool            // the last attempt had no answer, and nothing said why
	lost     time.Time       // when the trouble began that is not over; zero if there is none
	latency  time.Duration   // of a round trip
}

// do makes a request. If the connection is lost on the way, it waits for another and makes the request again, as long as the patience for
// the link lasts: it is one for all requests, and counts from when the trouble began.
func (c *connection) do(request func(*session) error) error {
	for {
		s, err := c.session()
		if err != nil {
			return err
		}
		if err = s.request(request); lost(err) {
			err = c.lose(s)
		}
		var failure *fileio.Failure
		if !errors.As(err, &failure) || !failure.Lost || !time.Now().Before(c.until()) {
			return err
		}
	}
}

// until returns when the patience ends.
func (c *connection) until() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost.IsZero() {
		return time.Now().Add(c.patience)
	}
	return c.lost.Add(c.patience)
}

// session returns the session that is up. The first time it waits for it; later, while there is none, until the patience ends.
func (c *connection) session() (*session, error) {
	for {
		until := c.until()
		c.mu.Lock()
		now, live, failure, isFinal, isClosed := time.Now(), c.live, c.failure, c.isFinal(), c.ctx.Err() != nil
		if due := live == nil && c.attempt == nil && !now.Before(c.next); due && !isFinal && !isClosed {
			attempt := make(chan struct{})
			c.attempt = attempt
			fault.Go(func() { c.connect(attempt) })
		}
		attempt, tried, wake := c.attempt, now, until
		if attempt == nil {
			tried, wake = c.next, c.next
		}
		c.mu.Unlock()
		var timer <-chan time.Time
		switch {
		case isClosed:
			return nil, errClosed
		case live != nil:
			return live, nil
		case isFinal, failure != nil && !tried.Before(until):
			return nil, failure
		case failure != nil:
			timer = time.After(time.Until(wake))
		}
		select {
		case <-attempt:
		case <-timer:
		case <-c.ctx.Done():
		}
	}
}

// isFinal reports whether no other attempt is made: nobody waits for a host that was never there.
func (c *connection) isFinal() bool {
	return c.failure != nil && (!c.failure.Lost || !c.wasUp && !c.isMute && c.patience > 0)
}

func (c *connection) connect(attempt chan struct{}) {
	began, limit := time.Now(), c.opening
	if c.terminal {
		limit = typingTimeout
	}
	ctx, cancel := context.WithTimeoutCause(c.ctx, limit, errSilent)
	defer cancel()
	s, words, err := open(ctx, c.target, c.terminal)
	if err == nil {
		fault.Go(func() { s.watch(c.silence, func() bool { return c.patience > 0 && !time.Now().Before(c.until()) }) })
	}
	defer close(attempt)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempt = nil
	if err != nil {
		c.failure = connectFailure(c.target, words, err)
		c.failure.Lost, c.isMute = c.failure.Lost || c.wasUp, errors.Is(err, errSilent)
		if c.lost.IsZero() {
			c.lost = time.Now()
			if silent := began.Add(c.silence); silent.Before(c.lost) {
				c.lost = silent
			}
		}
		c.failures++
		c.delay()
		return
	}
	if c.ctx.Err() != nil {
		s.close()
		return
	}
	c.live, c.wasUp, c.failure = s, true, nil
}

func (c *connection) delay() {
	c.wait = min(firstWait<<min(max(c.failures-1, 0), 10), longestWait)
	c.wait -= rand.N(c.wait / 4)
	c.next = time.Now().Add(c.wait)
}

func (c *connection) lose(s *session) error {
	s.kill()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live == s {
		c.live = nil
		c.failure = &fileio.Failure{What: "cannot be read now", Do: "the connection is lost" + says(s.words), Lost: true}
		if s.lastHeard().Sub(s.up) > steadyAfter {
			c.failures, c.lost = 0, time.Time{}
		}
		if c.lost.IsZero() {
			c.lost = time.Now()
		}
		c.failures++
		c.delay()
	}
	if c.failure != nil {
		return c.failure
	}
	return &fileio.Failure{What: "cannot be read now", Do: "the connection was lost", Lost: true}
}

func (c *connection) link() model.Link {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := model.Link{Host: c.target.shortName(), Latency: c.latency}
	switch {
	case c.live != nil:
	case c.failure == nil:
		l.State = model.LinkConnecting
	default:
		l.State, l.Reason = model.LinkLost, c.failure.Error()
		if c.attempt == nil {
			l.Retry = max(c.wait.Round(time.Second), time.Second)
		}
	}
	return l
}

// close ends the connection, and the calls that wait for it. It returns when ssh has ended, or will: the program may end then.
func (c *connection) close() {
	c.mu.Lock()
	c.cancel(errClosed)
	live, attempt := c.live, c.attempt
	c.live = nil
	c.mu.Unlock()
	if live != nil {
		live.close()
	}
	if attempt != nil {
		select {
		case <-attempt:
		case <-time.After(2 * endTimeout):
		}
	}
}

// complaint is what ssh says if something is wrong, and what that means.
type complaint struct {
	says   string // in its standard error
	what   string // PATH what: do
	do     string // %s is the host
	passes bool   // it may be otherwise in a moment: a host that starts again, a network that comes back
}

// complaints are looked for in this order: later ones may be consequences of those before.
var complaints = [...]complaint{
	{
		"REMOTE HOST IDENTIFICATION HAS CHANGED", "was not connected to",
		"the key of its host is not the one that ssh knows: ask who runs it; if it was set up anew, take the old key out with `ssh-keygen -R`",
		false,
	},
	{
		"Host key verification failed", "was not connected to", "ssh does not know the key of its host: run `ssh %s` once and compare the key",
		false,
	},
	{
		"Could not resolve hostname", "was not found", "no host has this name: look at its spelling, at Host in ~/.ssh/config, or at the VPN",
		false,
	},
	{
		"Too many authentication failures", "may not be read by you",
		"the host gave up after too many keys: name the right one with IdentityFile and IdentitiesOnly in ~/.ssh/config", false,
	},
	{
		"Permission denied (", "may not be read by you",
		"the host does not let you in: run `ssh %s` once, or use a key, an agent or a ControlMaster", false,
	},
	{"subsystem request failed", "cannot be read", "its host has no sftp: ask who runs it for `Subsystem sftp` in sshd_config", false},
	{"Connection refused", "cannot be reached", "no ssh server listens on the host: look at host and port", true},
	{"timed out", "cannot be reached", "the host does not answer: look at its name, or at the VPN", true},
	{"Broken pipe", "cannot be reached", "the connection broke while it was made: look at the network, or at the VPN", true},
	{
		"closed by remote host", "cannot be reached",
		"the host, or a proxy on the way, closed the connection while it was made: try again, or ask who runs it", true,
	},
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
		f.What, f.Do, f.Lost = "cannot be read", "its host does not answer with sftp: a line that ~/.bashrc prints there has the "+
			"same effect"+says(words), false
	}
	return f
}

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
	case err == nil, errors.As(err, &failure), errors.Is(err, io.EOF), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission),
		errors.Is(err, errReplaced):
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
		err = fmt.Errorf("its node reports: %w", err)
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
