package sftp

import (
	"testing"
	"time"

	"vantage/loaders/storage/sftp/sshtest"
)

// endedAfter reports whether ssh has ended after so long.
func (s *session) endedAfter(d time.Duration) bool {
	select {
	case <-s.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// No ssh is left after Close, also if the node does not answer any more while nothing waits for it.
func TestCloseEndsSSH(t *testing.T) {
	server := sshtest.Start(t)
	for _, silent := range []bool{false, true} {
		s, inner := openAt(t, t.TempDir(), 0)
		if _, err := s.Stat(inner); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Tree(inner); err != nil {
			t.Fatal(err)
		}
		live := s.connection.live
		server.SetSilent(silent)
		began, wait := time.Now(), 20*time.Second
		_ = s.Close()
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("silent %t: closed in %v", silent, took)
		}
		if silent {
			wait = time.Second // the program may have ended
		}
		if !live.endedAfter(wait) {
			t.Errorf("silent %t: ssh is left", silent)
		}
	}
	server.SetSilent(false)
}

// No ssh is left that was connecting.
func TestCloseEndsAttempt(t *testing.T) {
	server := sshtest.Start(t)
	server.SetSilent(true)
	defer server.SetSilent(false)
	s, inner := openAt(t, t.TempDir(), 0)
	failed := make(chan error, 1)
	go func() {
		_, err := s.Stat(inner)
		failed <- err
	}()
	time.Sleep(300 * time.Millisecond)
	began := time.Now()
	_ = s.Close()
	if err := <-failed; err == nil || time.Since(began) > 15*time.Second { // ssh gives up after 20
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if s.connection.attempt != nil {
		t.Error("it is still connecting")
	}
}
