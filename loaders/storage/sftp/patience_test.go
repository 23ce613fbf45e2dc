package sftp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/repotest"
	"vantage/internal/testkit/sshtest"
	"vantage/loaders/fileio"
)

// A link that loses its bytes, at whatever moment and in each connection that is made, is waited for once, however many files are read
// over it; one that does so only the first time is read on.
func TestOnePatienceForALink(t *testing.T) {
	const silence = 600 * time.Millisecond
	for i, bytes := range []int{0, 5, 150, 1200, 20_000} { // before and in the handshake, in the listing, in the files
		for k, recovers := range []bool{false, true} {
			if (i+2*k)%repotest.Times(4, 1) != 0 {
				continue
			}
			patience := silence
			if recovers {
				patience = patient
			}
			dir := t.TempDir()
			loses := fmt.Sprintf("%s | { dd bs=1 count=%d status=none; exec sleep 30; }", sshtest.SFTPServer, bytes)
			if recovers {
				loses = fmt.Sprintf("if mkdir %s/first; then %s; fi; exec %s", dir, loses, sshtest.SFTPServer)
			}
			sshtest.Wrap(t, loses)
			for i := range 25 {
				write(t, fmt.Sprintf("%s/%02d.jsonl", dir, i), randomText(10_000))
			}
			s, inner := openAt(t, dir, patience)
			s.connection.silence, s.connection.opening = silence, silence/2
			began, read, failed := time.Now(), 0, 0
			_, err := s.Stat(inner)
			for i := range 25 {
				h, openErr := s.Open(fmt.Sprintf("%s/%02d.jsonl", inner, i))
				if err = openErr; err == nil {
					_, err = h.ReadAt(make([]byte, 10_000), 0)
				}
				switch {
				case err == nil:
					read++
				case fileio.IsLost(err):
					failed++
				default:
					t.Errorf("%d bytes, recovers %v, file %d: %v", bytes, recovers, i, err)
				}
			}
			took := time.Since(began)
			if recovers && failed > 0 || !recovers && failed == 0 || took > patient {
				t.Errorf("%d bytes, recovers %v: %d files were read and %d not, the last for %v, in %v", bytes, recovers, read, failed, err, took)
			}
			if !recovers && !strings.Contains(fmt.Sprint(err), "answer") && !strings.Contains(fmt.Sprint(err), "lost") {
				t.Errorf("%d bytes: %v", bytes, err)
			}
			t.Logf("%d bytes, recovers %v: %v", bytes, recovers, took)
		}
	}
}
