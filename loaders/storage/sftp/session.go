package sftp

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pkg/sftp"

	"vantage/model/fault"
	"vantage/model/sanitize"
)

const (
	openTimeout   = 25 * time.Second // for a node to speak sftp; ssh gives up a host after 20
	typingTimeout = 2 * time.Minute  // the same, where a person may type: sshd waits no longer
	maxSilence    = 10 * time.Second // without an answer to a request
	endTimeout    = time.Second      // for ssh to end
)

// session is one run of ssh, and the client that speaks sftp with the node through it.
type session struct {
	*sftp.Client
	wire  *wire
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *os.File
	words *lastWords
	ended chan struct{} // closed when ssh has ended
	up    time.Time     // when sftp answered

	waiting atomic.Int32 // requests without an answer
	heard   atomic.Int64 // when the first of them was sent, or something came from the node since: Unix nanoseconds
}

// sshArgs returns the arguments of ssh. Agents, shown windows and forwarded ports of the person's configuration are for other uses. A host
// cannot be taken for an option: see check, and the -- before it.
func (t target) sshArgs(mayAsk bool) []string {
	args := []string{
		"-x", "-oForwardAgent=no", "-oClearAllForwardings=yes", "-oPermitLocalCommand=no", "-oRemoteCommand=none", "-oRequestTTY=no",
		"-oConnectTimeout=20",
	}
	if !mayAsk {
		args = append(args, "-oBatchMode=yes")
	}
	if t.port != "" {
		args = append(args, "-p", t.port)
	}
	return append(args, "-s", "--", t.host, "sftp")
}

// startSSH starts ssh. Only with the terminal free may it ask there for a password. Else it has no terminal, neither have
// the programs that it starts, so that none draws over the screen: it asks through the program that SSH_ASKPASS names, or not
// at all.
func startSSH(t target, terminal bool) (*session, error) {
	askpass := os.Getenv("SSH_ASKPASS") != ""
	s := &session{words: &lastWords{}, ended: make(chan struct{})}
	s.cmd = exec.Command("ssh", t.sshArgs(terminal || askpass)...)
	s.cmd.Stderr, s.cmd.WaitDelay = s.words, endTimeout // a shared connection may outlive it, with its standard error
	if !terminal {
		s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if askpass {
			s.cmd.Env = append(slices.Clip(os.Environ()), "SSH_ASKPASS_REQUIRE=force")
		}
	}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, outEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.out, s.cmd.Stdout = out, outEnd
	s.wire = newWire(s.in, reader{s})
	err = s.cmd.Start()
	_ = outEnd.Close()
	if err != nil {
		_ = out.Close()
		return nil, err
	}
	fault.Go(func() {
		_ = s.cmd.Wait()
		close(s.ended)
	})
	return s, nil
}

// canType reports whether ssh has a terminal on which to ask for a password.
func canType() bool {
	tty, err := os.Open("/dev/tty") //nolint:forbidigo // no disk
	if err == nil {
		_ = tty.Close()
	}
	return err == nil
}

// open starts ssh, and waits until the node speaks sftp.
func open(ctx context.Context, t target, terminal bool) (*session, *lastWords, error) {
	s, err := startSSH(t, terminal)
	if err != nil {
		return nil, &lastWords{}, err
	}
	opened := fault.Later(func() error {
		client, err := sftp.NewClientPipe(s.wire, s.wire, sftp.UseConcurrentReads(true))
		s.Client = client
		return err
	})
	select {
	case outcome := <-opened:
		err = outcome.Get()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err == nil {
		s.up = time.Now()
		return s, s.words, nil
	}
	if s.heard.Load() > 0 {
		err = errors.Join(err, errNoSFTP)
	}
	_ = s.in.Close()
	if !errors.Is(err, errSilent) {
		select { // what ssh has to say
		case <-s.ended:
		case <-ctx.Done():
		case <-time.After(2 * endTimeout):
		}
	}
	s.kill()
	return nil, s.words, err
}

// reader reads what comes from the node, and notes when.
type reader struct{ *session }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.out.Read(p)
	if n > 0 {
		r.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

func (s *session) request(of func(*session) error) error {
	if s.waiting.Add(1) == 1 {
		s.heard.Store(time.Now().UnixNano())
	}
	defer s.waiting.Add(-1)
	return of(s)
}

// lastHeard returns when something came last, or when the first request was sent that waits.
func (s *session) lastHeard() time.Time { return time.Unix(0, s.heard.Load()) }

// watch ends a session that is silent for too long: for less when the patience is over, unless it had lasted.
func (s *session) watch(silence time.Duration, isOver func() bool) {
	tick := time.NewTicker(silence / 10)
	defer tick.Stop()
	for {
		select {
		case <-s.ended:
			return
		case now := <-tick.C:
			limit := silence
			if s.lastHeard().Sub(s.up) < steadyAfter && isOver() {
				limit = silence / 3
			}
			if s.waiting.Load() > 0 && now.Sub(s.lastHeard()) > limit {
				_, _ = s.words.Write([]byte("\nno answer any more\n"))
				s.kill()
				return
			}
		}
	}
}

// kill ends ssh, whose own children end with it.
func (s *session) kill() {
	_ = s.in.Close()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.out.Close()
	fault.Go(func() {
		select {
		case <-s.ended:
		case <-time.After(endTimeout):
			_ = s.cmd.Process.Kill()
		}
	})
}

// close ends a session that is not needed any more. Where ssh shares its connection with other programs it lives on for
// these, unless the node is silent: nothing else would end it before TCP gives up.
func (s *session) close() {
	if s.isSilent() {
		s.kill()
		select {
		case <-s.ended:
		case <-time.After(2 * endTimeout):
		}
		return
	}
	_ = s.in.Close()
	_ = s.out.Close()
}

// isSilent reports whether the node does not answer any more. If nothing waits for an answer it is asked for something.
func (s *session) isSilent() bool {
	if s.waiting.Load() > 0 && time.Since(s.lastHeard()) > endTimeout {
		return true
	}
	answered := make(chan struct{})
	fault.Go(func() {
		defer close(answered)
		_, _ = s.RealPath(".")
	})
	select {
	case <-answered:
		return false
	case <-s.ended:
		return false
	case <-time.After(endTimeout):
		return true
	}
}

// maxWords is how much is kept of what ssh says.
const maxWords = 8 << 10

// lastWords keeps what ssh writes to its standard error: first banners, and in the end why it ended.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	if over := len(w.text) - maxWords; over > 0 {
		w.text = append(w.text[:0], w.text[over:]...)
	}
	return len(p), nil
}

func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}

// last returns the last line that says something, fit to be shown.
func (w *lastWords) last() string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(w.String(), "\r", "\n")), "\n")
	return sanitize.Line(strings.TrimSpace(lines[len(lines)-1]))
}
