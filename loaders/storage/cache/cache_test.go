package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/fileio"
	"vantage/model"
)

// far is a storage in memory that counts what it is asked for.
type far struct {
	mu    sync.Mutex
	files map[string]fileio.Object
	data  map[string][]byte
	asked []string
	err   error
}

func (f *far) Name() string                     { return "far:" }
func (f *far) Stat(string) (fs.FileInfo, error) { return nil, errors.ErrUnsupported }
func (f *far) Tree(string) (fs.FS, error)       { return nil, errors.ErrUnsupported }
func (f *far) WillRead([]string)                {}
func (f *far) Link() model.Link                 { return model.Link{} }
func (f *far) Close() error                     { return nil }
func (f *far) Open(n string) (fileio.Handle, error) {
	data := f.data[n]
	return fileio.NewRanged(f.files[n], func(p []byte, offset int64) (int, error) { return f.readAt(data, p, offset) }), nil
}

// put writes a file of random bytes.
func (f *far) put(name string, size int, version string, age time.Duration) []byte {
	b := make([]byte, size)
	r := rand.New(rand.NewPCG(uint64(size), uint64(len(version))))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	if f.files == nil {
		f.files, f.data = map[string]fileio.Object{}, map[string][]byte{}
	}
	f.files[name] = fileio.Object{Path: name, Bytes: int64(size), Version: version, Modified: time.Now().Add(-age).Truncate(time.Second)}
	f.data[name] = b
	return b
}

// take returns what was asked for since the last call.
func (f *far) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := f.asked
	f.asked = nil
	return asked
}

func (f *far) readAt(data, p []byte, offset int64) (int, error) {
	f.mu.Lock()
	f.asked = append(f.asked, fmt.Sprint(offset, "+", len(p)))
	err := f.err
	f.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return bytes.NewReader(data).ReadAt(p, offset)
}

// readWhole reads a file through a storage, in parts of that size.
func readWhole(t *testing.T, s fileio.Storage, name string, part int) []byte {
	t.Helper()
	h, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close() }()
	var all []byte
	for b := make([]byte, part); ; {
		n, err := h.Read(b)
		all = append(all, b[:n]...)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever is read, in whatever order, is what the storage has; and a second program finds it on the disk.
func TestReadsWhatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, size := range []int{1, pageSize, pageSize + 1, blockSize - 1, blockSize, 5*blockSize + 12345} {
			f := &far{}
			want := f.put("a", size, "v1", 0)
			dir := t.TempDir()
			for range 2 {
				s := Wrap(f, NewDisk(dir, 1e9))
				if got := readWhole(t, s, "a", 100_000); !bytes.Equal(got, want) {
					t.Fatalf("%d bytes: others", size)
				}
				h, _ := s.Open("a")
				for i := range 200 {
					at := (i * 7919 * 131) % size
					p := make([]byte, min(i*5000+1, size-at))
					if n, err := h.ReadAt(p, int64(at)); n != len(p) || err != nil || !bytes.Equal(p, want[at:at+n]) {
						t.Fatalf("%d bytes at %d of %d: %d, %v", len(p), at, size, n, err)
					}
				}
				if n, err := h.ReadAt(make([]byte, 1), int64(size)); n != 0 || !errors.Is(err, io.EOF) {
					t.Errorf("%d, %v at the end", n, err)
				}
			}
			synctest.Wait() // for what is fetched ahead
			f.take()
			if readWhole(t, Wrap(f, NewDisk(dir, 1e9)), "a", 1<<20); len(f.take()) > 0 {
				t.Errorf("%d bytes: the storage was asked for what is on the disk", size)
			}
		}
	})
}

// Each byte is asked for once, in few requests: small files whole, large ones by megabytes as they are read through, and no
// more than a page where somebody looks once.
func TestAsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &far{}
		f.put("small", 300_000, "v", 0)
		f.put("large", 8*blockSize, "v", 0)
		s := Wrap(f, nil)
		readWhole(t, s, "small", 1000)
		if asked := f.take(); len(asked) != 1 {
			t.Errorf("small: %v", asked)
		}
		h, _ := s.Open("large")
		_, _ = h.ReadAt(make([]byte, 100), 5*blockSize+10)
		if asked := f.take(); len(asked) != 1 || !strings.HasSuffix(asked[0], fmt.Sprint("+", pageSize)) {
			t.Errorf("one look: %v", asked)
		}
		readWhole(t, s, "large", 256<<10)
		synctest.Wait()
		bytes := 0
		asked := f.take()
		for _, a := range asked {
			var at, n int
			_, _ = fmt.Sscanf(a, "%d+%d", &at, &n)
			bytes += n
		}
		if len(asked) > 12 || bytes != 8*blockSize-pageSize {
			t.Errorf("%d bytes in %d requests: %v", bytes, len(asked), asked)
		}
	})
}

// A file that changed is never what was kept: by its version, or by its time if that is old enough to tell.
func TestChangedFileIsAnother(t *testing.T) {
	f := &far{}
	s := Wrap(f, NewDisk(t.TempDir(), 1e9))
	for i, version := range []string{"v1", "version2", "v3.."} {
		want := f.put("a", 100_000, version, 0)
		if got := readWhole(t, s, "a", 4096); !bytes.Equal(got, want) {
			t.Errorf("%d: what was kept of another version", i)
		}
	}
	dir := t.TempDir()
	f.put("b", 100_000, "", 0)
	readWhole(t, Wrap(f, NewDisk(dir, 1e9)), "b", 4096)
	if u := Measure(dir); u.Blocks != 0 {
		t.Errorf("%+v of a file that was written just now and has no version", u)
	}
	f.put("b", 100_000, "", time.Hour)
	readWhole(t, Wrap(f, NewDisk(dir, 1e9)), "b", 4096)
	if u := Measure(dir); u.Blocks != 1 {
		t.Errorf("%+v of an old file", u)
	}
}

// A block that is damaged, cut, or another's is fetched again. Files and folders are the person's alone.
func TestDamagedBlockIsFetchedAgain(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"flipped": func(b []byte) []byte { b[len(b)-5] ^= 1; return b },
		"cut":     func(b []byte) []byte { return b[:len(b)/2] },
		"empty":   func([]byte) []byte { return nil },
		"header":  func(b []byte) []byte { b[len(magic)+32+7] ^= 1; return b },
		"length":  func(b []byte) []byte { b[len(magic)+32] = 0xff; return b },
		"other":   func(b []byte) []byte { b[len(magic)] ^= 1; return b },
	} {
		t.Run(name, func(t *testing.T) {
			f, dir := &far{}, t.TempDir()
			want := f.put("a", 300_000, "v", 0)
			readWhole(t, Wrap(f, NewDisk(dir, 1e9)), "a", 4096)
			blocks := storedBlocks(dir, time.Now())
			if len(blocks) != 1 {
				t.Fatal(blocks)
			}
			for path := blocks[0].path; path != filepath.Dir(dir); path = filepath.Dir(path) {
				if info, err := os.Stat(path); err != nil || path != dir && info.Mode().Perm()&0o077 != 0 {
					t.Errorf("%s: %v, %v", path, info.Mode(), err)
				}
			}
			data := filetest.Read(t, blocks[0].path)
			filetest.Write(t, blocks[0].path, damage(data))
			f.take()
			if got := readWhole(t, Wrap(f, NewDisk(dir, 1e9)), "a", 4096); !bytes.Equal(got, want) {
				t.Error("other bytes")
			}
			if len(f.take()) == 0 {
				t.Error("nothing was fetched again")
			}
		})
	}
}

// The disk holds no more than its limit, and what was used last; a temporary file of a killed program goes after an hour, and
// what is not the cache's stays.
func TestDiskIsBounded(t *testing.T) {
	f, dir := &far{}, t.TempDir()
	const limit = 4 << 20
	d := NewDisk(dir, limit)
	for i := range 12 {
		name := fmt.Sprint(i)
		f.put(name, 900_000+i, name, 0)
		readWhole(t, Wrap(f, d), name, 1<<20)
		for _, b := range storedBlocks(dir, time.Now()) {
			old := b.used.Add(-time.Minute) // so that they differ
			_ = os.Chtimes(b.path, old, old)
		}
		if u := Measure(dir); u.Bytes > limit {
			t.Fatalf("%+v", u)
		}
	}
	f.take()
	readWhole(t, Wrap(f, NewDisk(dir, limit)), "11", 1<<20)
	if len(f.take()) > 0 {
		t.Error("the newest is not there")
	}
	folder := filepath.Dir(storedBlocks(dir, time.Now())[0].path)
	part, mine := filepath.Join(folder, fileio.PartPrefix+"x"), filepath.Join(dir, "mine")
	for _, name := range []string{part, mine} {
		filetest.Write(t, name, "x")
	}
	if storedBlocks(dir, time.Now()); !exists(part) {
		t.Error("a program may still write the temporary file")
	}
	if storedBlocks(dir, time.Now().Add(2*time.Hour)); exists(part) {
		t.Error("the temporary file is still there")
	}
	if u, err := Clear(dir); err != nil || u.Blocks == 0 || Measure(dir).Blocks != 0 || !exists(mine) {
		t.Errorf("%+v, %v", u, err)
	}
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// Two programs with one folder read the same, and neither sees half a block.
func TestTwoProgramsAtOnce(t *testing.T) {
	f, dir := &far{}, t.TempDir()
	want := f.put("a", 3*blockSize+99, "v", 0)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 5 {
				if got := readWhole(t, Wrap(f, NewDisk(dir, int64(2+i)<<20)), "a", 64<<10); !bytes.Equal(got, want) {
					t.Error("other bytes")
				}
			}
		})
	}
	wg.Wait()
}

// An error is the storage's own, and the next call asks again.
func TestErrorIsAskedAgain(t *testing.T) {
	f := &far{}
	want := f.put("a", 100, "v", 0)
	s := Wrap(f, nil)
	f.err = &fileio.Failure{What: "is away", Lost: true}
	h, _ := s.Open("a")
	if _, err := h.ReadAt(make([]byte, 10), 0); !fileio.IsLost(err) {
		t.Error(err)
	}
	f.err = nil
	if got := readWhole(t, s, "a", 10); !bytes.Equal(got, want) {
		t.Error("other bytes")
	}
}

// What is read next is fetched before it is read, once.
func TestFetchesAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &far{}
		var names []string
		for i := range 40 {
			names = append(names, fmt.Sprint(i))
			f.put(names[i], 1000+i, "v", 0)
		}
		s := Wrap(f, nil)
		for range 3 {
			s.WillRead(names)
			synctest.Wait()
		}
		if asked := f.take(); len(asked) != 40 {
			t.Errorf("%d requests", len(asked))
		}
		for i, name := range names {
			if got := readWhole(t, s, name, 100); !bytes.Equal(got, f.data[name]) {
				t.Errorf("%d: other bytes", i)
			}
		}
		if asked := f.take(); len(asked) > 0 {
			t.Errorf("%v were asked for again", asked)
		}
	})
}
