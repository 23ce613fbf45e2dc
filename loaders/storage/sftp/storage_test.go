package sftp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/internal/testkit/sshtest"
	"vantage/loaders/fileio"
	"vantage/loaders/storage/cache"
	"vantage/model"
)

// openAt opens a path of node7.
func openAt(tb testing.TB, path string, patience time.Duration) (*storage, string) {
	tb.Helper()
	s, inner, err := Open("node7:"+path, patience, false)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s.(*storage), inner
}

// write writes a file that other users may read: the server is one where the tests are root.
func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

// randomText returns text that differs everywhere.
func randomText(size int) string {
	r, b := rand.New(rand.NewSource(int64(size))), make([]byte, size)
	_, _ = r.Read(b)
	return string(b)
}

// What a server has is listed as it is: symbolic links as such, and what may not be listed as that.
func TestTree(t *testing.T) {
	server := "exec " + sshtest.SFTPServer
	if os.Getuid() == 0 { // root may list everything
		server = "exec setpriv --reuid=65534 --clear-groups " + sshtest.SFTPServer
	}
	sshtest.Wrap(t, server)
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/a/1.jsonl", "{}\n")
	write(t, dir+"/a/b/c/2.jsonl", "{}\n{}\n")
	write(t, dir+"/secret/3.jsonl", "")
	write(t, dir+"/hidden.jsonl", "x")
	if err := errors.Join(os.Symlink("a", dir+"/latest"), os.Chmod(dir+"/hidden.jsonl", 0), os.Chmod(dir+"/secret", 0)); err != nil {
		t.Fatal(err)
	}
	s, inner := openAt(t, dir, 0)
	if s.Link().State != model.LinkConnecting {
		t.Errorf("%+v before it is asked", s.Link())
	}
	tree, err := s.Tree(inner)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var walk func(string)
	walk = func(name string) {
		entries, err := fs.ReadDir(tree, name)
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			at := path.Join(name, e.Name())
			got = append(got, at)
			if e.IsDir() {
				walk(at)
				continue
			}
			info, _ := e.Info()
			if want, err := os.Stat(filepath.Join(dir, at)); err != nil || want.Size() != info.Size() || want.ModTime().Unix() != info.ModTime().Unix() {
				t.Errorf("%s: %+v, %v", at, info, err)
			}
		}
	}
	walk("a")
	if want := "a/1.jsonl,a/b,a/b/c,a/b/c/2.jsonl"; strings.Join(got, ",") != want {
		t.Errorf("%q", got)
	}
	if _, err := fs.ReadDir(tree, "secret"); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	entries, err := fs.ReadDir(tree, ".")
	if err != nil || len(entries) != 4 || entries[2].Type() != fs.ModeSymlink {
		t.Errorf("%v, %v", entries, err)
	}
	if _, err := s.Open(inner + "/hidden.jsonl"); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	if _, err := s.Stat(inner + "/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := s.Tree(inner + "/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if l := s.Link(); l.Host != "node7" || l.Latency == 0 || l.State != model.LinkUp {
		t.Errorf("%+v", l)
	}
}

// Bytes are those of the file, in whatever order they are read.
func TestRead(t *testing.T) {
	sshtest.Wrap(t, "exec "+sshtest.SFTPServer)
	dir := t.TempDir()
	text := randomText(9<<20 + 12345)
	write(t, dir+"/large", text)
	s, inner := openAt(t, dir, 0)
	h, err := cache.Wrap(s, nil).Open(inner + "/large")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(h)
	if err != nil || string(got) != text {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	r := rand.New(rand.NewSource(1))
	for range 300 {
		p := make([]byte, 1+r.Intn(1<<uint(r.Intn(20))))
		offset := int64(r.Intn(len(text) + 1000))
		n, err := h.ReadAt(p, offset)
		want, wantErr := strings.NewReader(text).ReadAt(make([]byte, len(p)), offset)
		if n != want || !errors.Is(err, wantErr) || n > 0 && !bytes.Equal(p[:n], []byte(text[offset:offset+int64(n)])) {
			t.Fatalf("%d bytes at %d: %d, %v", len(p), offset, n, err)
		}
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// Every reason why a host cannot be read is a sentence of its own. Nothing is asked on the terminal.
func TestFailures(t *testing.T) {
	server := sshtest.Start(t)
	check := func(name, want string, isLost bool) {
		t.Helper()
		s, inner := openAt(t, "/", 0)
		_, err := s.Stat(inner)
		if err == nil || !strings.Contains(err.Error(), want) || fileio.IsLost(err) != isLost {
			t.Errorf("%s: %v", name, err)
		}
	}
	server.Knows(t, "")
	check("unknown key", "was not connected to: ssh does not know the key of its host: run `ssh node7` once and compare the key", false)
	server.Key(t, "otherkey")
	server.Knows(t, "otherkey")
	check("changed key", "the key of its host is not the one that ssh knows", false)
	server.Knows(t, "hostkey")
	server.Configure(t, "IdentityFile "+server.Dir+"/otherkey\nIdentityAgent none")
	if err := os.Remove(server.Dir + "/userkey"); err != nil {
		t.Fatal(err)
	}
	check("denied", "may not be read by you: the host does not let you in: run `ssh node7` once, or use a key, an agent or a ControlMaster (", false)
	server.Configure(t, "HostName nohost.invalid")
	check("no such host", "was not found: no host has this name", false)
	server.Configure(t, "Port 1")
	check("refused", "cannot be reached: no ssh server listens on the host: look at host and port (ssh: connect to host 127.0.0.1 port 1: Connection refused)", true)
	server.Configure(t, "ProxyCommand false")
	check("proxy", "cannot be reached: the host, or a proxy on the way, closed the connection while it was made: try again, or ask who runs it (", true)
	sshtest.Wrap(t, "echo Welcome to node7; exec "+sshtest.SFTPServer)
	check("talkative", "its host does not answer with sftp", false)
	t.Setenv("PATH", t.TempDir())
	check("no ssh", "cannot be reached: there is no ssh on this machine: install OpenSSH's client", false)
}

// A host without sftp says so.
func TestNoSubsystem(t *testing.T) {
	server := sshtest.Start(t)
	server.Set(t, "Subsystem sftp", "#")
	s, inner := openAt(t, "/", 0)
	if _, err := s.Stat(inner); err == nil || !strings.Contains(err.Error(), "cannot be read: its host has no sftp") {
		t.Error(err)
	}
}

// What ssh says in other cases, as it says it.
func TestComplaints(t *testing.T) {
	for said, want := range map[string]string{
		"ssh: connect to host node7 port 22: Connection timed out\r\n":                                "cannot be reached: the host does not answer: look at its name, or at the VPN (ssh: connect to host node7 port 22: Connection timed out)",
		"ssh: connect to host node7 port 22: No route to host\r\n":                                    "cannot be reached: no network leads to the host: look at its name, or at the VPN (ssh: connect to host node7 port 22: No route to host)",
		"Welcome\r\nReceived disconnect from 1.2.3.4 port 22:2: Too many authentication failures\r\n": "may not be read by you: the host gave up after too many keys",
		"subsystem request failed on channel 0\r\n":                                                   "cannot be read: its host has no sftp",
		"kex_exchange_identification: read: Connection reset by peer\r\n\x1b[31mred\u202e\r\n":        "cannot be reached: ssh has ended (",
		"channel 0: open failed: connect failed: Connection refused\r\nstdio forwarding failed\r\n":   "cannot be reached: no ssh server listens on the host: look at host and port (ssh: stdio forwarding failed)",
	} {
		words := &lastWords{}
		_, _ = words.Write([]byte(said))
		got := connectFailure(target{host: "me@node7"}, words, errors.New("EOF")).Error()
		if !strings.HasPrefix(got, want) || strings.ContainsAny(got, "\r\n\x1b\u202e") {
			t.Errorf("%q: %q", said, got)
		}
	}
}

// A connection that is cut is made again, and a read goes on where it was if the file is the same.
func TestReadGoesOn(t *testing.T) {
	repotest.Slow(t)
	server := sshtest.Start(t)
	dir := t.TempDir()
	text := randomText(6 << 20)
	write(t, dir+"/a", text)
	s, inner := openAt(t, dir, time.Minute)
	h, err := s.Open(inner + "/a")
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 1000)
	if _, err := h.ReadAt(p, 0); err != nil {
		t.Fatal(err)
	}
	server.SetAway(true)
	time.AfterFunc(2*time.Second, func() { server.SetAway(false) })
	began := time.Now()
	if _, err := h.ReadAt(p, 5<<20); err != nil || string(p) != text[5<<20:5<<20+1000] {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	server.Cut()
	write(t, dir+"/a", text[:len(text)-10])
	if _, err := h.ReadAt(p, 3<<20); !errors.Is(err, errReplaced) {
		t.Error(err)
	}
}

// A connection that does not come back is an error after a while; without patience at once. Close ends calls that wait.
func TestLost(t *testing.T) {
	server := sshtest.Start(t)
	dir := t.TempDir()
	write(t, dir+"/a", "text")
	s, inner := openAt(t, dir, 4*time.Second) // of 3 the second attempt may come too late, and is not waited for
	hasty, _ := openAt(t, dir, 0)
	for _, s := range []*storage{s, hasty} {
		if _, err := s.Stat(inner); err != nil {
			t.Fatal(err)
		}
	}
	server.SetAway(true)
	began := time.Now()
	if _, err := hasty.Stat(inner); !fileio.IsLost(err) || time.Since(began) > patient {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	l := hasty.Link()
	if l.State != model.LinkLost || l.Retry != firstWait || l.Reason == "" {
		t.Errorf("%+v", l)
	}
	if _, err := s.Stat(inner); !fileio.IsLost(err) || time.Since(began) < 2*time.Second || time.Since(began) > patient {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	server.SetAway(false)
	server.SetSilent(true)
	defer server.SetSilent(false)
	s, _ = openAt(t, dir, time.Minute)
	time.AfterFunc(200*time.Millisecond, func() { _ = s.Close() })
	began = time.Now()
	if _, err := s.Stat(inner); err == nil || time.Since(began) > patient {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

// A network that loses everything is a lost connection after a while, although no end of it was seen.
func TestSilence(t *testing.T) {
	server := sshtest.Start(t)
	dir := t.TempDir()
	write(t, dir+"/a", "text")
	s, inner := openAt(t, dir, time.Minute)
	s.connection.silence = time.Second
	if _, err := s.Stat(inner); err != nil {
		t.Fatal(err)
	}
	server.SetSilent(true)
	go func() {
		for until := time.Now().Add(patient); s.Link().State != model.LinkLost; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(until) {
				t.Errorf("%+v", s.Link())
				break
			}
		}
		server.SetSilent(false)
	}()
	if _, err := s.Stat(inner + "/a"); err != nil {
		t.Error(err)
	}
}

// At a round trip of 50 ms blocks are not fetched one after the other.
func TestSlowLink(t *testing.T) {
	server := sshtest.Start(t)
	dir := t.TempDir()
	write(t, dir+"/large", randomText(8<<20))
	for i := range 200 {
		write(t, fmt.Sprintf("%s/small/%03d.jsonl", dir, i), randomText(50<<10+i))
	}
	server.SetDelay(25 * time.Millisecond)
	s, inner := openAt(t, dir, 0)
	began := time.Now()
	if _, err := s.Stat(inner + "/small"); err != nil {
		t.Fatal(err)
	}
	t.Logf("connected in %v", time.Since(began))
	tree, err := s.Tree(inner + "/small")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := fs.ReadDir(tree, ".")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("connected and listed %d files in %v", len(entries), time.Since(began))
	together := mostTogether(t, s)
	began = time.Now()
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = inner + "/small/" + e.Name()
	}
	cached := cache.Wrap(s, nil)
	for i, name := range names {
		cached.WillRead(names[i:min(len(names), i+64)])
		h, err := cached.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(h)
		if err != nil || string(got) != randomText(50<<10+i) {
			t.Fatalf("%s: %d bytes, %v", name, len(got), err)
		}
		_ = h.Close()
	}
	small, files := time.Since(began), together()
	together = mostTogether(t, s)
	began = time.Now()
	h, err := cached.Open(inner + "/large")
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 256<<10)
	for offset := int64(0); err == nil; offset += int64(len(buf)) {
		_, err = h.ReadAt(buf, offset)
	}
	large := time.Since(began)
	parts := together()
	t.Logf("200 files of 50 KB in %v, %d requests together; 8 MB in %v, %d together", small, files, large, parts)
	if files < 8 || parts < 4 {
		t.Error("too few requests are made together")
	}
}

// mostTogether returns a function that says how many requests waited for an answer at the same time since then, at most.
func mostTogether(t *testing.T, s *storage) func() int32 {
	t.Helper()
	s.connection.mu.Lock()
	live := s.connection.live
	s.connection.mu.Unlock()
	stop, most := make(chan struct{}), make(chan int32)
	go func() {
		var n int32
		for {
			n = max(n, live.waiting.Load())
			select {
			case <-stop:
				most <- n
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() int32 { close(stop); return <-most }
}

// A run in which nothing changes is asked for once a second, however many files and directories it has; and yet what
// changes anywhere is seen. Nothing is written.
func TestFewRequests(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	sshtest.Wrap(t, "exec "+sshtest.SFTPServer+" -e -l DEBUG3 2>>"+log)
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for i := range 300 {
		name := fmt.Sprintf("%s/run%d/%d.jsonl", dir, i%12, i)
		write(t, name, "{}\n")
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 {
		if err := os.Chtimes(fmt.Sprintf("%s/run%d", dir, i), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(dir, old, old); err != nil {
		t.Fatal(err)
	}
	requests := func() int {
		text := filetest.Read(t, log)
		return len(regexp.MustCompile(`request \d+: (limits|stat|lstat|fstat|opendir|readdir|close|open|read)\b`).FindAll(text, -1))
	}
	s, inner := openAt(t, dir, 0)
	tree := s.tree(inner)
	for _, f := range entriesOf(t, tree, ".") { // none is being listed when the clock is another
		entriesOf(t, tree, f)
	}
	now := time.Now()
	tree.mu.Lock()
	tree.now = func() time.Time { return now }
	tree.mu.Unlock()
	refresh := func(seconds int, done func() bool) {
		t.Helper()
		for range seconds {
			now = now.Add(time.Second)
			if err := tree.refresh(); err != nil {
				t.Fatal(err)
			}
			if done != nil && done() {
				return
			}
		}
		if done != nil {
			t.Error("a change is not seen")
		}
	}
	first := requests()
	refresh(4, nil) // what was written in this second is listed again
	tree.mu.Lock()
	tree.changed = time.Time{}
	tree.mu.Unlock()
	before := requests()
	refresh(300, nil)
	t.Logf("%d requests at first, %d in 300 s", first, requests()-before)
	if n := requests() - before; n > 305 || n < 100 {
		t.Errorf("%d requests in 300 s", n)
	}
	write(t, dir+"/run3/new.jsonl", "{}\n")
	refresh(100, func() bool { _, ok := tree.listed(inner + "/run3/new.jsonl"); return ok })
	write(t, dir+"/run3/new.jsonl", "{}\n{}\n")
	refresh(3, func() bool { o, _ := tree.listed(inner + "/run3/new.jsonl"); return o.Bytes == 6 })
	if err := os.RemoveAll(dir + "/run5"); err != nil {
		t.Fatal(err)
	}
	refresh(3, func() bool { _, ok := tree.listed(inner + "/run5/5.jsonl"); return !ok })
	if _, err := fs.ReadDir(tree, "run5"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	h, err := s.Open(inner + "/run3/new.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(h); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(log) // nothing is asked for that could change something
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range regexp.MustCompile(`request \d+: .*`).FindAllString(string(text), -1) {
		if !regexp.MustCompile(`: (sent|stat|opendir|readdir|read|close)\b|: open flags 1\s*$`).MatchString(line) {
			t.Error(line)
		}
	}
}

func entriesOf(t *testing.T, tree *tree, dir string) (names []string) {
	t.Helper()
	entries, err := tree.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, path.Join(dir, e.Name()))
	}
	return names
}

// What scp takes for another host is one; addresses of other storages, and paths of this machine, are not.
func TestNames(t *testing.T) {
	for path, want := range map[string]bool{
		"node7:runs/a": true, "me@node7:/data/run:1": true, "node7:": true, "[::1]:x": true, "me@[fe80::1%eth0]:x": true, "ssh://node7/data": true,
		"node7:~/x": true, "n:x": true, "-oProxyCommand=id:x": true,
		"runs/a": false, "./node7:x": false, "runs/a:b": false, "/a:b": false, ":x": false, "s3://bucket/x": false, "http://node7/x": false, "hf://datasets/x": false,
		`C:\logs`: false, "-": false, "": false,
	} {
		if Names(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

func TestParse(t *testing.T) {
	for path, want := range map[string][5]string{ // name, host, port, path, short name
		"node7:runs/a":                        {"node7:", "node7", "", "runs/a", "node7"},
		"node7:":                              {"node7:", "node7", "", ".", "node7"},
		"node7:~":                             {"node7:", "node7", "", ".", "node7"},
		"node7:~/runs//a/":                    {"node7:", "node7", "", "runs/a", "node7"},
		"me@node7:/data/run:1":                {"me@node7:", "me@node7", "", "/data/run:1", "node7"},
		"[::1]:x":                             {"[::1]:", "::1", "", "x", "::1"},
		"me@[::1]:/x":                         {"me@[::1]:", "me@::1", "", "/x", "::1"},
		"me@corp@node7:x":                     {"me@corp@node7:", "me@corp@node7", "", "x", "node7"},
		"ssh://node7":                         {"ssh://node7/", "node7", "", ".", "node7"},
		"ssh://node7/":                        {"ssh://node7/", "node7", "", "/", "node7"},
		"ssh://node7/~/runs":                  {"ssh://node7/", "node7", "", "runs", "node7"},
		"ssh://me@node7:2222/data/my%20runs/": {"ssh://me@node7:2222/", "me@node7", "2222", "/data/my runs", "node7"},
		"ssh://[::1]:22/x":                    {"ssh://[::1]:22/", "::1", "22", "/x", "::1"},
	} {
		got, inner, err := parse(path)
		if have := [5]string{got.name, got.host, got.port, inner, got.shortName()}; err != nil || have != want {
			t.Errorf("%s: %q, %v", path, have, err)
		}
	}
}

// No path makes ssh, or a shell that its configuration starts, run something.
func TestHostIsNoOption(t *testing.T) {
	for _, path := range []string{
		"-oProxyCommand=id:x", "-F:x", "me@-F:x", "me@corp@-F:x", "-l@node7:x", "ssh://-oProxyCommand=id/x", "ssh://-F@node7/x", "node7;id:x", "$(id):x", "`id`:x", "a b:x", "a\nb:x", "a|b:x",
		"@node7x'y:x", "me@:x", "ssh:///x", "ssh://me:secret@node7/x", "ssh://node7/x?a=b", "ssh://node7:port/x",
	} {
		if got, _, err := parse(path); err == nil {
			t.Errorf("%q is taken for the host %q", path, got.host)
		}
	}
	args := target{host: "node7", port: "2222"}.sshArgs(false)
	if i := slices.Index(args, "--"); i < 0 || !slices.Equal(args[i:], []string{"--", "node7", "sftp"}) || !slices.Contains(args, "-oBatchMode=yes") {
		t.Errorf("%q", args)
	}
}
