package compressed

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"vantage/internal/testkit/repotest"
)

// panicReader is a decompressor that meets what it did not expect.
type panicReader struct{ text io.Reader }

func (p panicReader) Read(b []byte) (int, error) {
	n, err := p.text.Read(b)
	if err != nil {
		panic("index out of range")
	}
	return n, nil
}

// A panic while a file is decompressed is that file's error, after the text before it.
func TestPanicIsTheFilesError(t *testing.T) {
	d := startDecompressor(io.NopCloser(panicReader{strings.NewReader("text")}), &countingReader{})
	defer d.Stop()
	text, _, err := d.Next()
	if string(text) != "text" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	if _, _, err = d.Next(); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
}

// zstdFile returns a text of at least n bytes, half of which repeats, and its file.
func zstdFile(tb testing.TB, n int, options ...zstd.EOption) (text, file []byte) {
	tb.Helper()
	random := rand.NewChaCha8([32]byte{1})
	for len(text) < n {
		piece := make([]byte, 300)
		_, _ = random.Read(piece)
		text = append(append(text, piece...), bytes.Repeat([]byte(`{"step": 1, "reward": 0.5}`+"\n"), 12)...)
	}
	e, err := zstd.NewWriter(nil, options...)
	if err != nil {
		tb.Fatal(err)
	}
	return text, e.EncodeAll(text, nil)
}

// decompressWhole returns the text of a file as a Decompressor has it, and the error at its end.
func decompressWhole(t *testing.T, file []byte) (text []byte, err error) {
	t.Helper()
	d, err := Decompress(Zstd, bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Stop()
	for {
		piece, _, err := d.Next()
		text = append(text, piece...)
		if err != nil {
			return text, err
		}
	}
}

// A damaged file gives what it gives without goroutines: the same text and an error, or at least a
// beginning of it.
func FuzzZstd(f *testing.F) {
	_, file := zstdFile(f, 300_000)
	for _, at := range []uint32{0, 1, 4, 8, 20, 1000, 50_000, 120_000} {
		f.Add(at, uint32(len(file)), byte(0x40))
		f.Add(at, at, byte(0))
	}
	f.Fuzz(func(t *testing.T, at, size uint32, change byte) {
		damaged := bytes.Clone(file[:min(int(size), len(file))])
		if len(damaged) > 0 {
			damaged[int(at)%len(damaged)] ^= change
		}
		serial, err := NewReader(Zstd, bytes.NewReader(damaged))
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := io.ReadAll(serial)
		got, gotErr := decompressWhole(t, damaged)
		if wantOK, gotOK := wantErr == nil, errors.Is(gotErr, io.EOF); wantOK != gotOK {
			t.Fatalf("%v, without goroutines %v", gotErr, wantErr)
		}
		if longer, shorter := want, got; !bytes.HasPrefix(longer, shorter) && !bytes.HasPrefix(shorter, longer) {
			t.Fatalf("other texts: %d and %d bytes", len(got), len(want))
		}
	})
}

// Stop ends all goroutines, wherever the file is.
func TestStopEndsGoroutines(t *testing.T) {
	text, file := zstdFile(t, 8<<20)
	for pieces := range 5 {
		before := runtime.NumGoroutine()
		d, err := Decompress(Zstd, bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for i, at := 0, 0; i < pieces; i++ {
			piece, _, err := d.Next()
			if err != nil || !bytes.HasPrefix(text[at:], piece) {
				t.Fatalf("at %d: %v", at, err)
			}
			at += len(piece)
		}
		d.Stop()
		for start := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Since(start) > 10*time.Second {
				t.Fatalf("%d goroutines are left after %d pieces", runtime.NumGoroutine()-before, pieces)
			}
		}
	}
}

// A file that demands more memory than it may is not unpacked, and the error says what to do.
func TestZstdWindow(t *testing.T) {
	repotest.OneGoroutine(t)
	_, file := zstdFile(t, 32<<20, zstd.WithWindowSize(32<<20), zstd.WithSingleSegment(false))
	if _, err := decompressWhole(t, file); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(100 << 20))
	_, err := decompressWhole(t, file)
	const want = "it was packed with zstd --long, and to unpack it takes more than 12 MB of memory, too much here: unpack it with zstd -d --long=31"
	if !errors.Is(err, ErrWindow) || err.Error() != want {
		t.Error(err)
	}
}
