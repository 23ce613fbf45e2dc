package sftp

import (
	"io"
	"testing"

	"vantage/internal/testkit/sshtest"
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
