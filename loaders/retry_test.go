package loaders

import (
	"bytes"
	"compress/gzip"
	"io"
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

// flaw makes a file fail so many times at one thing.
type flaw struct {
	op   string // "open", "stat" or "read"
	err  error
	left int
	mu   sync.Mutex
	hit  []time.Time
}

// fails reports whether it fails now.
func (f *flaw) fails(op string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if op != f.op || f.left == 0 {
		return nil
	}
	f.left--
	f.hit = append(f.hit, time.Now())
	return f.err
}

func (f *flaw) through(path string, h fileio.Handle, err error) (fileio.Handle, error) {
	if bad := f.fails("open"); err == nil && bad != nil {
		_ = h.Close()
		return nil, &os.PathError{Op: "open", Path: path, Err: bad}
	}
	return flawed{h, f}, err
}

// flawed is a file on a network filesystem that fails now and then.
type flawed struct {
	fileio.Handle
	flaw *flaw
}

func (f flawed) Stat() (os.FileInfo, error) {
	if err := f.flaw.fails("stat"); err != nil {
		return nil, err
	}
	return f.Handle.Stat()
}

func (f flawed) ReadAt(p []byte, at int64) (int, error) {
	if err := f.flaw.fails("read"); err != nil {
		return 0, err
	}
	return f.Handle.ReadAt(p, at)
}

func (f flawed) Read(p []byte) (int, error) {
	if err := f.flaw.fails("read"); err != nil {
		return 0, err
	}
	return f.Handle.Read(p)
}

const forever = -1

// set has the file fail so many times from now on.
func (f *flaw) set(left int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = left
}

// An error of the filesystem that passes is not felt: the file is opened anew.
func TestErrorsThatPass(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(z, row(1, 1)+row(1, 2))
	_ = z.Close()
	w := trainer{t, t.TempDir()}
	w.add("plain/1.jsonl", row(1, 1)+row(1, 2))
	w.add("zipped/1.jsonl.gz", zipped.String())
	w.add("table/1.parquet", string(parquetOf(t, []completion{{1, "p", "a", 1, 0, 0.5}, {1, "p", "a", 2, 0, 0.5}})))
	for _, dir := range []string{"plain", "zipped", "table"} {
		for _, op := range []string{"open", "stat", "read"} {
			for _, err := range []error{syscall.ESTALE, syscall.EIO} {
				for _, follows := range []bool{false, true} {
					synctest.Test(t, func(t *testing.T) {
						f := &flaw{op: op, err: err, left: 2}
						s, bad := Open([]string{w.path(dir)}, Options{Follow: follows, polling: true, faults: f.through})
						if bad != nil {
							t.Fatalf("%s %s %v: %v", dir, op, err, bad)
						}
						r := &reader{t: t, s: s}
						r.until("both rows", rewards("1 2"))
						_ = s.Close()
						if len(r.Problems) != 0 || len(f.hit) != 2 {
							t.Errorf("%s %s %v: problems %v after %d failures", dir, op, err, r.Problems, len(f.hit))
						}
					})
				}
			}
		}
	}
}

// One that lasts is said once, with what to do, and the tries become rare.
func TestErrorsThatLast(t *testing.T) {
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
			f := &flaw{op: c.op, err: c.err, left: forever}
			s, err := Open([]string{w.dir}, Options{faults: f.through})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			if got := drain(t, s); len(got.Problems) != 1 || !strings.HasPrefix(got.Problems[0].Reason, c.want) || got.Problems[0].File != "1.jsonl" {
				t.Errorf("%s %v: %v", c.op, c.err, got.Problems)
			}
		})
	}
}

// While followed, what was read before a server broke stays on the screen, and what
// comes after it is read.
func TestErrorsThatComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.add("1.jsonl", row(1, 1))
		f := &flaw{op: "read", err: syscall.EIO}
		r := follow(t, w.dir, Options{polling: true, Poll: 5 * time.Millisecond, faults: f.through})
		r.until("the first row", rewards("1"))
		f.set(forever)
		w.add("1.jsonl", row(1, 2))
		r.until("the problem", func(r *reader) bool { return len(r.Problems) == 1 })
		if took := f.hit[len(f.hit)-1].Sub(f.hit[0]); took < (20+40+80)*time.Millisecond {
			t.Errorf("four tries within %v", took)
		}
		if r.rewards() != "1" || len(r.Forget) > 0 {
			t.Errorf("rewards %s, forgotten %v", r.rewards(), r.Forget)
		}
		f.set(0)
		r.until("the second row", rewards("1 2"))
		if len(r.Problems) != 1 {
			t.Error(r.Problems)
		}
	})
}

// The text of a sample is asked for again too.
func TestTextAfterStaleHandle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trainer{t, t.TempDir()}
		w.add("1.jsonl", row(1, 1))
		f := &flaw{op: "read", err: syscall.ESTALE}
		s, err := Open([]string{w.path("1.jsonl")}, Options{faults: f.through})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		drain(t, s)
		f.set(1)
		if text, err := s.Text(t.Context(), model.Place{}); err != nil || text.Prompt != "q" {
			t.Errorf("%q, %v", text.Prompt, err)
		}
		f.set(forever)
		if _, err := s.Text(t.Context(), model.Place{}); err == nil || !strings.Contains(err.Error(), "1.jsonl cannot be read again: the file server replaced it") {
			t.Error(err)
		}
	})
}
