package loaders

import (
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"vantage/loaders/fileio"
	"vantage/model"
)

// failing makes one operation on a file fail.
type failing struct {
	op    string // "open", "stat" or "read"
	err   error
	left  int // how many times it still fails; forever if negative
	mu    sync.Mutex
	times []time.Time // of the failures
}

// failure returns the error of an operation that fails now.
func (f *failing) failure(op string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if op != f.op || f.left == 0 {
		return nil
	}
	f.left--
	f.times = append(f.times, time.Now())
	return f.err
}

// inject implements [fileio.FaultInjector].
func (f *failing) inject(path string, h fileio.Handle, err error) (fileio.Handle, error) {
	if bad := f.failure("open"); err == nil && bad != nil {
		_ = h.Close()
		return nil, &os.PathError{Op: "open", Path: path, Err: bad}
	}
	return faultyHandle{h, f}, err
}

// faultyHandle is a file on a failing network filesystem.
type faultyHandle struct {
	fileio.Handle
	fault *failing
}

func (f faultyHandle) Stat() (os.FileInfo, error) {
	if err := f.fault.failure("stat"); err != nil {
		return nil, err
	}
	return f.Handle.Stat()
}

func (f faultyHandle) ReadAt(p []byte, at int64) (int, error) {
	if err := f.fault.failure("read"); err != nil {
		return 0, err
	}
	return f.Handle.ReadAt(p, at)
}

func (f faultyHandle) Read(p []byte) (int, error) {
	if err := f.fault.failure("read"); err != nil {
		return 0, err
	}
	return f.Handle.Read(p)
}

const forever = -1

// failFor makes the next operations fail.
func (f *failing) failFor(left int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = left
}

// After a transient error of the filesystem the file is opened again, and nothing is reported.
func TestTransientErrorsAreRetried(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add("plain/1.jsonl", row(1, 1)+row(1, 2))
	w.add("zipped/1.jsonl.gz", gzipped(t, row(1, 1)+row(1, 2)))
	w.add("table/1.parquet", string(trlTable(t, []trlRow{{1, "p", "a", 1, 0, 0.5}, {1, "p", "a", 2, 0, 0.5}})))
	for _, dir := range []string{"plain", "zipped", "table"} {
		for _, op := range []string{"open", "stat", "read"} {
			for _, err := range []error{syscall.ESTALE, syscall.EIO} {
				for _, follows := range []bool{false, true} {
					synctest.Test(t, func(t *testing.T) {
						f := &failing{op: op, err: err, left: 2}
						s, bad := Open([]string{w.path(dir)}, Options{Follow: follows, polling: true, faults: f.inject})
						if bad != nil {
							t.Fatalf("%s %s %v: %v", dir, op, err, bad)
						}
						r := &follower{t: t, s: s}
						r.until("both rows", hasRewards("1 2"))
						_ = s.Close()
						if len(r.Problems) != 0 || len(f.times) != 2 {
							t.Errorf("%s %s %v: problems %v after %d failures", dir, op, err, r.Problems, len(f.times))
						}
					})
				}
			}
		}
	}
}

// A lasting error is reported once, with what to do.
func TestLastingErrorIsReportedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op   string
		err  error
		want string
	}{
		{"open", syscall.ESTALE, "it cannot be read: the file server replaced it while it was open (stale handle): read it again"},
		{"stat", syscall.ESTALE, "it cannot be read: the file server replaced it"},
		{"read", syscall.EIO, "it cannot be read: the disk or its server reports an error: look at the mount"},
		{"open", syscall.EIO, "it cannot be read: the disk or its server reports an error: look at the mount"},
		{"open", syscall.ETIMEDOUT, "it cannot be read: the file server does not answer"},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := trainer{t, t.TempDir()}
			w.add("1.jsonl", row(1, 1))
			f := &failing{op: c.op, err: c.err, left: forever}
			s := open(t, Options{faults: f.inject}, w.dir)
			if got := drain(t, s); len(got.Problems) != 1 || !strings.HasPrefix(got.Problems[0].Reason, c.want) || got.Problems[0].File != "1.jsonl" {
				t.Errorf("%s %v: %v", c.op, c.err, got.Problems)
			}
		})
	}
}

// What was read before a lasting error stays, and what comes after it is read. Attempts become
// rare.
func TestFollowSurvivesLastingError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.add("1.jsonl", row(1, 1))
		f := &failing{op: "read", err: syscall.EIO}
		r := follow(t, w.dir, Options{polling: true, Poll: 5 * time.Millisecond, faults: f.inject})
		r.until("the first row", hasRewards("1"))
		f.failFor(forever)
		w.add("1.jsonl", row(1, 2))
		r.until("the problem", func(r *follower) bool { return len(r.Problems) == 1 })
		if took := f.times[len(f.times)-1].Sub(f.times[0]); took < (20+40+80)*time.Millisecond {
			t.Errorf("four tries within %v", took)
		}
		if r.rewards() != "1" || len(r.Forget) > 0 {
			t.Errorf("rewards %s, forgotten %v", r.rewards(), r.Forget)
		}
		f.failFor(0)
		r.until("the second row", hasRewards("1 2"))
		if len(r.Problems) != 1 {
			t.Error(r.Problems)
		}
	})
}

// Reading a text is retried too.
func TestTextIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.add("1.jsonl", row(1, 1))
		f := &failing{op: "read", err: syscall.ESTALE}
		s := open(t, Options{faults: f.inject}, w.path("1.jsonl"))
		drain(t, s)
		f.failFor(1)
		if text, err := s.Text(t.Context(), model.Place{}); err != nil || text.Prompt != "q" {
			t.Errorf("%q, %v", text.Prompt, err)
		}
		f.failFor(forever)
		if _, err := s.Text(t.Context(), model.Place{}); err == nil || !strings.Contains(err.Error(), "1.jsonl cannot be read again: the file server replaced it") {
			t.Error(err)
		}
	})
}
