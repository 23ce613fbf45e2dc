package sftp

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"
	"time"

	"vantage/internal/testkit/sshtest"
	"vantage/loaders/fileio"
)

// A file that was closed on the node just before it is read is opened again: that is no lost connection.
func TestReadOfClosedFile(t *testing.T) {
	sshtest.Wrap(t, "exec "+sshtest.SFTPServer)
	dir := t.TempDir()
	write(t, dir+"/a", "text")
	s, inner := openAt(t, dir, 0)
	if _, err := s.Open(inner + "/a"); err != nil {
		t.Fatal(err)
	}
	f, live := s.files.files[inner+"/a"], s.connection.live
	if err := f.remote.Close(); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 4)
	if _, err := f.fetch(p, 0); err != nil || string(p) != "text" || s.connection.live != live {
		t.Errorf("%q, %v", p, err)
	}
}

// A small file that is read next is requested whole as soon as it is open, and not its start first: that would be a round trip
// more before the first rows.
func TestFileReadNextIsRequestedWhole(t *testing.T) {
	sshtest.Wrap(t, "exec "+sshtest.SFTPServer)
	dir := t.TempDir()
	text := randomText(100 << 10)
	write(t, dir+"/a", text)
	s, inner := openAt(t, dir, 0)
	if _, err := s.Tree(inner); err != nil {
		t.Fatal(err)
	}
	s.WillRead([]string{inner + "/a"})
	h, err := s.Open(inner + "/a")
	if err != nil {
		t.Fatal(err)
	}
	f, requested := s.files.files[inner+"/a"], int64(0)
	f.mu.Lock()
	for _, g := range f.segments {
		requested += g.size
	}
	f.mu.Unlock()
	if requested != int64(len(text)) {
		t.Errorf("%d bytes are requested", requested)
	}
	got, err := io.ReadAll(h)
	if err != nil || string(got) != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// A file that is replaced by one of the same size, in the second in which it was read, is another one as soon as that second is
// over; one that was not replaced stays the same.
func TestReplacedInTheSameSecond(t *testing.T) {
	sshtest.Wrap(t, "exec "+sshtest.SFTPServer)
	dir, second := t.TempDir(), time.Now().Truncate(time.Second)
	writeThen := func(name, text string) {
		t.Helper()
		write(t, dir+"/"+name, text)
		if err := os.Chtimes(dir+"/"+name, second, second); err != nil {
			t.Fatal(err)
		}
	}
	writeThen("a", "old text")
	writeThen("b", "old text")
	s, inner := openAt(t, dir, 0)
	read := func(name string) (string, fs.FileInfo) {
		t.Helper()
		h, err := s.Open(inner + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(h)
		info, statErr := h.Stat()
		if err := errors.Join(err, statErr, h.Close()); err != nil {
			t.Fatal(err)
		}
		return string(text), info
	}
	if _, err := s.Tree(inner); err != nil {
		t.Fatal(err)
	}
	for _, now := range []string{"new text", "2nd text"} {
		_, before := read("a")
		_, other := read("b")
		writeThen("a", now)
		listed, seen := fileio.Object{}, false
		for until := time.Now().Add(time.Minute); !seen && time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
			listed, _ = s.listed(inner + "/a")
			seen = !fileio.Unchanged(before, listed)
		}
		is, err := s.Stat(inner + "/a")
		if err != nil || !seen || !fileio.Unchanged(is, listed) || is.ModTime().Unix() != second.Unix() {
			t.Fatalf("%q: %+v is listed, %+v is there, %v", now, listed, is, err)
		}
		if text, info := read("a"); text != now || !fileio.Unchanged(is, info) {
			t.Errorf("%q, %+v", text, info)
		}
		if _, still := read("b"); !fileio.Unchanged(other, still) {
			t.Errorf("%+v was %+v", still, other)
		}
	}
}

// What is told of a replaced file holds until it is written in another second or size.
func TestReplacements(t *testing.T) {
	r := replacements{made: map[string]replacement{}}
	o := fileio.Object{Path: "/a", Bytes: 8, Modified: time.Unix(1000, 0)}
	r.add(r.apply(o))
	r.add(r.apply(o))
	if got := r.apply(o); got.Modified != o.Modified.Add(2) {
		t.Errorf("%v", got.Modified)
	}
	if other := (fileio.Object{Path: "/b", Bytes: 8, Modified: o.Modified}); r.apply(other) != other {
		t.Error("another file is told to be replaced")
	}
	later := o
	later.Modified = time.Unix(1001, 0)
	if r.apply(later) != later || len(r.made) > 0 {
		t.Errorf("%v, %v", r.apply(later), r.made)
	}
}
