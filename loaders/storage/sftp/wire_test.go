package sftp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"vantage/internal/testkit/sshtest"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
)

// number and text are fields of a packet.
func number(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
func text(s string) []byte   { return append(number(uint32(len(s))), s...) }

// packetOf returns a packet of such fields.
func packetOf(kind byte, fields ...[]byte) []byte {
	body := bytes.Join(append([][]byte{{kind}}, fields...), nil)
	return append(number(uint32(len(body))), body...)
}

// namesOf returns the answer that these names are in a directory, as files of 7 bytes.
func namesOf(request []byte, names ...string) []byte {
	fields := [][]byte{request, number(uint32(len(names)))}
	for _, name := range names {
		fields = append(fields, text(name), text("-rw-r--r-- "+name),
			number(hasSize|hasOwner|hasMode|hasTimes|hasExtended), number(0), number(7), number(1000), number(1000), number(0o100644), number(1), number(1_700_000_000),
			number(1), text("key"), text("value"))
	}
	return packetOf(kindNames, fields...)
}

// madeNode is the other end of a wire.
type madeNode struct {
	*wire
	requests io.Reader
	answers  io.WriteCloser
}

func newMadeNode(t *testing.T) madeNode {
	t.Helper()
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	n := madeNode{newWire(in, out), requests, answers}
	t.Cleanup(func() { _, _ = requests.Close(), answers.Close() })
	go func() { _, _ = io.Copy(io.Discard, n.wire) }() // the client, for which nothing comes
	return n
}

// next returns the next request: its kind, its number, and the rest.
func (n madeNode) next() (kind byte, request, rest []byte) {
	var size [4]byte
	if _, err := io.ReadFull(n.requests, size[:]); err != nil {
		return 0, nil, nil
	}
	p := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(n.requests, p); err != nil {
		return 0, nil, nil
	}
	return p[0], p[1:5], p[5:]
}

// A directory of 200 files is listed in two round trips: a node that answers none of the requests for entries before the
// last of them has come, and never that which closes the directory, is not waited for.
func TestListingTakesTwoRoundTrips(t *testing.T) {
	for expected, together := range map[int]int{0: 4, 150: 3, 200: 4} {
		n := newMadeNode(t)
		closed := make(chan string, 1)
		go func() {
			kind, request, _ := n.next()
			if kind != kindOpenDir {
				t.Errorf("%d is the first request", kind)
			}
			_, _ = n.answers.Write(packetOf(kindHandle, request, text("h")))
			var asked [][]byte
			for range together {
				_, request, _ := n.next()
				asked = append(asked, request)
			}
			left := 150
			for _, request := range asked {
				if left == 0 {
					_, _ = n.answers.Write(packetOf(kindStatus, request, number(1), text("end"), text("")))
					continue
				}
				var names []string
				for range min(left, 100) {
					names = append(names, fmt.Sprintf("%d.jsonl", left))
					left--
				}
				_, _ = n.answers.Write(namesOf(request, names...))
			}
			_, _, handle := n.next()
			closed <- string(handle)
		}()
		entries, err := n.readDir("/runs", expected, time.Minute)
		if err != nil || len(entries) != 150 {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		want := fileio.Object{Path: "/runs/150.jsonl", Bytes: 7, Modified: time.Unix(1_700_000_000, 0)}
		if entries[0] != want {
			t.Errorf("%+v, want %+v", entries[0], want)
		}
		if handle := <-closed; handle != string(text("h")) {
			t.Errorf("%q is closed", handle)
		}
	}
}

// The client of package sftp reads its own answers and no others, however they come.
func TestWireDividesAnswers(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var all, client []byte
	banner := packetOf(kindVersion, number(ownNumber|3))
	all, client = append(all, banner...), append(client, banner...)
	for i := range uint32(500) {
		p := packetOf(kindNames, number(i+1), make([]byte, r.Intn(1000)))
		if i%3 == 0 {
			p = packetOf(kindNames, number(ownNumber|i), make([]byte, r.Intn(1000)))
		} else {
			client = append(client, p...)
		}
		all = append(all, p...)
	}
	for name, reader := range map[string]io.Reader{
		"whole": bytes.NewReader(all), "byte by byte": iotest.OneByteReader(bytes.NewReader(all)), "with the end": iotest.DataErrReader(bytes.NewReader(all)),
	} {
		got, err := io.ReadAll(newWire(nil, reader))
		if err != nil || !bytes.Equal(got, client) {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(client), err)
		}
	}
	long := append(number(maxPacket), append([]byte{kindNames}, number(ownNumber)...)...)
	if _, err := io.ReadAll(newWire(nil, bytes.NewReader(long))); !errors.Is(err, errLongPacket) {
		t.Error(err)
	}
}

// A connection that ends is an error for whoever waits, and for whoever asks later.
func TestWireEnds(t *testing.T) {
	n := newMadeNode(t)
	go func() {
		_, _, _ = n.next()
		_ = n.answers.Close()
	}()
	for range 2 {
		if _, err := n.readDir("/runs", 0, time.Minute); !errors.Is(err, io.ErrUnexpectedEOF) || !lost(err) {
			t.Error(err)
		}
	}
}

// What a node answers is an error or entries of the directory: no name leads out of it.
func TestListingAnswers(t *testing.T) {
	status := func(code uint32, words string) answer {
		return answer{kindStatus, bytes.Join([][]byte{number(code), text(words), text("")}, nil)}
	}
	names := answer{kindNames, namesOf(nil, ".", "..", "", "a", "../b", "/etc/passwd", "c/d", "e\x00f", "..g")[5:]}
	entries, err := names.entries("/runs")
	if err != nil || len(entries) != 2 || entries[0].Path != "/runs/a" || entries[1].Path != "/runs/..g" {
		t.Errorf("%+v, %v", entries, err)
	}
	for _, c := range []struct {
		a    answer
		want error
	}{
		{status(1, ""), io.EOF}, {status(2, ""), fs.ErrNotExist}, {status(3, ""), fs.ErrPermission}, {status(0, ""), errMalformed}, {answer{}, io.ErrUnexpectedEOF}, {names, nil},
	} {
		if err := c.a.err(); !errors.Is(err, c.want) {
			t.Errorf("%d: %v, want %v", c.a.kind, err, c.want)
		}
	}
	failed := pathError("list", "/runs", status(4, "no\x1bway"+strings.Repeat("x", 1000)).err())
	if text := failed.Error(); !strings.HasPrefix(text, `list /runs: its node reports: sftp: "no\x1bwayxxx`) || !strings.HasSuffix(text, "(failure)") || lost(failed) {
		t.Error(text)
	}
	for cut := range names.body {
		if _, err := (answer{kindNames, names.body[:cut]}).entries("/runs"); !errors.Is(err, errMalformed) {
			t.Fatalf("%d bytes: %v", cut, err)
		}
	}
	many := answer{kindNames, number(1 << 31)} // of which none come
	if _, err := many.entries("/runs"); !errors.Is(err, errMalformed) {
		t.Error(err)
	}
	if _, err := status(4, "").handle(); !errors.Is(err, errMalformed) {
		t.Error(err)
	}
}

// No answer makes a listing fail otherwise than with an error, or names a file elsewhere.
func FuzzListingAnswer(f *testing.F) {
	f.Add(byte(kindNames), namesOf(nil, "a", "../b")[5:])
	f.Add(byte(kindStatus), bytes.Join([][]byte{number(4), text("no"), text("")}, nil))
	f.Add(byte(kindHandle), text("h"))
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		a := answer{kind, body}
		_, _ = a.handle()
		if err := a.err(); err != nil {
			_ = err.Error()
		}
		entries, _ := a.entries("/runs")
		for _, e := range entries {
			if name, below := strings.CutPrefix(e.Path, "/runs/"); !below || strings.Contains(name, "/") || e.Bytes < 0 {
				t.Errorf("%+v", e)
			}
		}
	})
}

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
