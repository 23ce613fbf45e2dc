package sftp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/sshtest"
	"vantage/loaders/discover"
)

// endlessPause is the variable that makes this program the server of a directory without end, with a pause before each packet.
const endlessPause = "VANTAGE_TEST_ENDLESS"

// A node that lists a directory without end is stopped, before it fills the memory and after a while, and is read on.
func TestEndlessListing(t *testing.T) {
	if pause := os.Getenv(endlessPause); pause != "" {
		d, _ := time.ParseDuration(pause)
		serveEndless(d)
		os.Exit(0)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for pause, want := range map[string]string{"0s": errEndless.Error(), "50ms": errSlow.Error()} {
		sshtest.Wrap(t, fmt.Sprintf("%s=%s exec %s -test.run='^TestEndlessListing$'", endlessPause, pause, program))
		s, inner := openAt(t, "/runs", 0)
		if pause != "0s" {
			s.longest = time.Second
		}
		began := time.Now()
		_, err := s.Tree(inner)
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		t.Logf("%s: %v after %v, %d MB", pause, err, time.Since(began), memory.HeapSys>>20)
		if err == nil || !strings.Contains(err.Error(), want) || memory.HeapSys > 1<<30 {
			t.Errorf("%s: %v, %d MB", pause, err, memory.HeapSys>>20)
		}
		live := s.connection.live
		if _, err := s.describe(inner); err != nil || live == nil || s.connection.live != live {
			t.Errorf("%s: %v, not the same connection", pause, err)
		}
	}
}

// A node in whose every directory there are 900 others is not listed without end, and no more directories are listed at a time
// than are meant to be.
func TestEndlessDirectories(t *testing.T) {
	if os.Getenv(endlessPause) != "" {
		serveEndless(0)
		os.Exit(0)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sshtest.Wrap(t, fmt.Sprintf("%s=directories exec %s -test.run='^TestEndlessDirectories$'", endlessPause, program))
	s, inner := openAt(t, "/runs", 0)
	tree, err := s.Tree(inner)
	if err != nil {
		t.Fatal(err)
	}
	listed := make(chan error, 1)
	go func() {
		_, err := discover.ListTree(tree, 1000)
		listed <- err
	}()
	most := 0
	for {
		select {
		case err := <-listed:
			t.Logf("%v, %d goroutines", err, most)
			if !errors.Is(err, errEndless) || most > 500 {
				t.Errorf("%v, %d goroutines", err, most)
			}
			return
		case <-time.After(time.Millisecond):
			most = max(most, runtime.NumGoroutine())
		}
	}
}

// serveEndless speaks sftp.
func serveEndless(pause time.Duration) {
	directories, listed := os.Getenv(endlessPause) == "directories", map[string]bool{}
	send := func(kind byte, parts ...[]byte) {
		_, _ = os.Stdout.Write(packetOf(kind, parts...))
	}
	const entries = 900
	var names [][]byte
	for i := range entries {
		names = append(names, text(fmt.Sprintf("%d%s", i, strings.Repeat("x", 100))), text(""), number(hasMode), number(0o40755))
	}
	for {
		var size [4]byte
		if _, err := io.ReadFull(os.Stdin, size[:]); err != nil {
			return
		}
		p := make([]byte, binary.BigEndian.Uint32(size[:]))
		if _, err := io.ReadFull(os.Stdin, p); err != nil {
			return
		}
		switch kind, id := p[0], p[1:min(5, len(p))]; kind {
		case 1: // the version
			send(kindVersion, number(3))
		case kindOpenDir: // a directory is opened
			send(kindHandle, id, p[5:]) // its path
		case kindReadDir: // it is read
			time.Sleep(pause)
			if handle := string(p[5:]); directories && listed[handle] {
				send(kindStatus, id, number(1), text(""), text(""))
			} else {
				listed[handle] = true
				send(kindNames, append([][]byte{id, number(entries)}, names...)...)
			}
		case 17: // something is described, as a directory
			send(105, id, number(hasMode), number(0o40755))
		default:
			send(kindStatus, id, make([]byte, 12))
		}
	}
}
