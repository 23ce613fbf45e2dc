package sftp

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"vantage/loaders/storage/sftp/sshtest"
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

// serveEndless speaks sftp.
func serveEndless(pause time.Duration) {
	number := func(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
	send := func(kind byte, parts ...[]byte) {
		packet := []byte{kind}
		for _, p := range parts {
			packet = append(packet, p...)
		}
		_, _ = os.Stdout.Write(append(number(len(packet)), packet...))
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
		switch kind, id := p[0], p[1:5]; kind {
		case 1: // the version
			send(2, number(3))
		case 11: // a directory is opened
			send(102, id, number(1), []byte("d"))
		case 12: // it is read
			time.Sleep(pause)
			const entries = 900
			one := append(append(number(100), strings.Repeat("x", 100)...), make([]byte, 8)...)
			send(104, id, number(entries), []byte(strings.Repeat(string(one), entries)))
		case 17: // something is described, as a directory
			send(105, id, number(4), number(0o40755))
		default:
			send(101, id, make([]byte, 12))
		}
	}
}
