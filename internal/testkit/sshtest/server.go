package sshtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
)

// SFTPServer is the program that sshd starts for sftp.
const SFTPServer = "/usr/lib/openssh/sftp-server"

// Server is an sshd that the host node7 leads to.
type Server struct {
	*Proxy
	Dir    string // of its files
	config string
	cmd    *exec.Cmd
}

// Start starts an sshd, and puts an ssh first on the path whose configuration knows it as node7. The test is skipped
// where there is no sshd, unless CI=true.
func Start(tb testing.TB) *Server {
	tb.Helper()
	repotest.Slow(tb)
	for _, program := range []string{"/usr/sbin/sshd", SFTPServer, "/usr/bin/ssh", "/usr/bin/ssh-keygen"} {
		need(tb, program)
	}
	s := &Server{Dir: tb.TempDir()}
	if os.Getuid() == 0 { // where its service is not started nobody makes it
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	s.Key(tb, "hostkey")
	s.Key(tb, "userkey")
	s.write(tb, "sshd_config", fmt.Sprintf(`HostKey %s
AuthorizedKeysFile %s
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
MaxStartups 100
Subsystem sftp %s
`, s.path("hostkey"), s.path("userkey.pub"), SFTPServer))
	s.Proxy = NewProxy(tb, "")
	s.run(tb)
	tb.Cleanup(s.stop)
	me, err := user.Current()
	if err != nil {
		tb.Fatal(err)
	}
	_, proxyPort, _ := net.SplitHostPort(s.Address())
	s.config = fmt.Sprintf("HostName 127.0.0.1\nPort %s\nUser %s\nIdentityFile %s\nIdentitiesOnly yes\n", proxyPort, me.Username,
		s.path("userkey"))
	s.Configure(tb, "")
	s.Knows(tb, "hostkey")
	Wrap(tb, "exec /usr/bin/ssh -F "+s.path("ssh_config")+` "$@"`)
	return s
}

// need skips the test where a program is missing, unless CI=true.
func need(tb testing.TB, program string) {
	tb.Helper()
	if _, err := os.Stat(program); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		tb.Fatalf("%s is missing", program)
	}
	tb.Skipf("%s is missing", program)
}

// Wrap puts a shell script first on the path, under the name ssh.
func Wrap(tb testing.TB, script string) {
	tb.Helper()
	need(tb, SFTPServer)
	dir := tb.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ssh"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		tb.Fatal(err)
	}
	tb.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// Configure writes the configuration of ssh: these lines of it win.
func (s *Server) Configure(tb testing.TB, lines string) {
	tb.Helper()
	s.write(tb, "ssh_config", "Host node7\n"+lines+"\n"+s.config+"UserKnownHostsFile "+s.path("known_hosts")+"\n")
}

// Key makes a pair of keys.
func (s *Server) Key(tb testing.TB, name string) string {
	tb.Helper()
	if out, err := exec.Command("/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.path(name)).CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return s.path(name)
}

// Knows makes this key the one that ssh knows of the host, none for "".
func (s *Server) Knows(tb testing.TB, key string) {
	tb.Helper()
	text := ""
	if key != "" {
		host, port, _ := net.SplitHostPort(s.Address())
		text = fmt.Sprintf("[%s]:%s %s", host, port, filetest.Read(tb, s.path(key+".pub")))
	}
	s.write(tb, "known_hosts", text)
}

// Set replaces a line of sshd's configuration, and starts it anew.
func (s *Server) Set(tb testing.TB, old, line string) {
	tb.Helper()
	s.write(tb, "sshd_config", strings.ReplaceAll(string(filetest.Read(tb, s.path("sshd_config"))), old, line))
	s.stop()
	s.run(tb)
}

// run starts sshd at a free port, and at another if a program takes that meanwhile.
func (s *Server) run(tb testing.TB) {
	tb.Helper()
	for range 10 {
		address := fmt.Sprintf("127.0.0.1:%d", freePort(tb))
		if s.listens(tb, address) {
			s.setTarget(address)
			return
		}
	}
	log, _ := os.ReadFile(s.path("log"))
	tb.Fatalf("sshd does not start: %s", log)
}

// listens starts sshd, and reports whether it listens: some program answering at the address proves nothing.
func (s *Server) listens(tb testing.TB, address string) bool {
	tb.Helper()
	s.write(tb, "log", "")
	s.cmd = exec.Command("/usr/sbin/sshd", "-D", "-f", s.path("sshd_config"), "-E", s.path("log"), "-o", "ListenAddress="+address)
	if err := s.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		log, _ := os.ReadFile(s.path("log"))
		if strings.Contains(string(log), "Server listening on") {
			return true
		}
		if strings.Contains(string(log), "Cannot bind any address") {
			break
		}
	}
	s.stop()
	return false
}

func (s *Server) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *Server) path(name string) string { return filepath.Join(s.Dir, name) }

func (s *Server) write(tb testing.TB, name, text string) {
	tb.Helper()
	filetest.Write(tb, s.path(name), text)
}

func freePort(tb testing.TB) int {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}
