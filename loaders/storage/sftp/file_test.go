package sftp

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"
	"time"

	"vantage/internal/testkit/repotest"
	"vantage/internal/testkit/sshtest"
	"vantage/loaders/fileio"
	"vantage/loaders/storage/cache"
)

// A file whose end was read is closed on the node, and opened again to be read again.
func TestReadOfClosedFile(t *testing.T) {
	sshtest.Wrap(t, "exec "+sshtest.SFTPServer)
	dir := t.TempDir()
	write(t, dir+"/a", "text")
	s, inner := openAt(t, dir, 0)
	h, err := s.Open(inner + "/a")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p := make([]byte, 4)
		if _, err := h.ReadAt(p, 0); err != nil || string(p) != "text" {
			t.Errorf("%q, %v", p, err)
		}
		if f := s.files[inner+"/a"]; f.remote != nil {
			t.Error("it is still open")
		}
	}
}

// A file that is replaced by one of the same size, in the second in which it was read, is another one as soon as that second is
// over; one that was not replaced stays the same.
func TestReplacedInTheSameSecond(t *testing.T) {
	repotest.Slow(t)
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
	cached := cache.Wrap(s, nil)
	read := func(name string) (string, fs.FileInfo) {
		t.Helper()
		h, err := cached.Open(inner + "/" + name)
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
			listed, _ = s.tree(inner).listed(inner + "/a")
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
	r := replacements{}
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
	if r.apply(later) != later || len(r) > 0 {
		t.Errorf("%v, %v", r.apply(later), r)
	}
}
