package sftp

import (
	"testing"
	"time"

	"vantage/internal/testkit/sshtest"
)

// patient is how long tests wait for what does not end by itself, or only when TCP gives up: a busy machine needs some of it.
const patient = 15 * time.Second // ssh gives up by itself after 20

// isConnecting reports whether an attempt is being made.
func (c *connection) isConnecting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.attempt != nil
}

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
		began := time.Now()
		_ = s.Close()
		if took := time.Since(began); took > patient {
			t.Errorf("silent %t: closed in %v", silent, took)
		}
		if !live.endedAfter(patient) {
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
	if err := <-failed; err == nil || time.Since(began) > patient {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	for s.connection.isConnecting() {
		if time.Since(began) > patient {
			t.Fatal("it is still connecting")
		}
		time.Sleep(10 * time.Millisecond)
	}
}
