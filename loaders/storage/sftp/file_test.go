package sftp

import (
	"testing"

	"vantage/loaders/storage/sftp/sshtest"
)

// A file that was closed on the node just before it is read is opened again: that is no lost connection.
func TestReadOfClosedFile(t *testing.T) {
	sshtest.Wrap(t, "exec "+sshtest.SFTPServer)
	dir := t.TempDir()
	write(t, dir+"/a", "text")
	s, inner := openAt(t, dir, 0)
	h, err := s.Open(inner + "/a")
	if err != nil {
		t.Fatal(err)
	}
	f, live := h.(*handle).file, s.connection.live
	if err := f.remote.Close(); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 4)
	if _, err := f.fetch(p, 0); err != nil || string(p) != "text" || s.connection.live != live {
		t.Errorf("%q, %v", p, err)
	}
}
