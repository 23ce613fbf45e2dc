package loaders

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// A packed log gives the same samples and problems in the same order as a plain one.
func TestPackedLogReadsLikePlain(t *testing.T) {
	t.Parallel()
	log := largeLog(t, 7)
	log = log[:strings.LastIndexByte(log[:6<<20], '\n')]
	w := trainer{t, t.TempDir()}
	read := func(name, text string, serial bool) collected {
		w.add(name, text)
		s, err := Open([]string{w.path(name)}, Options{serial: serial})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		return drain(t, s)
	}
	want := read("log.jsonl", log, true)
	for name, text := range map[string]string{"log.jsonl.gz": gzipped(t, log), "log.jsonl.zst": zstdCompressed(t, log)} {
		compareCollected(t, want, read(name, text, false))
	}
}

// A packed log without text has no samples and ends.
func TestPackedEmptyLog(t *testing.T) {
	w := trainer{t, t.TempDir()}
	for name, text := range map[string]string{"log.jsonl.gz": gzipped(t, ""), "log.jsonl.zst": zstdCompressed(t, "")} {
		w.add(name, text)
		s, all := openAndRead(t, w.path(name))
		if _ = s.Close(); len(all) > 0 {
			t.Errorf("%s: %d samples", name, len(all))
		}
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstdCompressed(t *testing.T, text string) string {
	t.Helper()
	e, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(e.EncodeAll([]byte(text), nil))
}
