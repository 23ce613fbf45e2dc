package compressed

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
)

// gzipped returns a gzip file of one member, whose header has every field.
func gzipped(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
	_, _ = w.Write(text)
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func readGzip(file []byte) (string, error) {
	text, err := io.ReadAll(newGzipReader(bytes.NewReader(file)))
	return string(text), err
}

// Several members, and zeros after the last, read as one text.
func TestGzipMembers(t *testing.T) {
	var members []byte
	for _, text := range []string{"one\n", "", "two\n"} {
		members = append(members, gzipped(t, []byte(text))...)
	}
	for _, padding := range []string{"", "\x00", strings.Repeat("\x00", 600)} {
		if got, err := readGzip(append(bytes.Clone(members), padding...)); got != "one\ntwo\n" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	got, err := readGzip(append(bytes.Clone(members), "garbage after the end"...))
	if got != "one\ntwo\n" || err == nil || err.Error() != "no gzip file, or something else behind its end" {
		t.Errorf("garbage after the end: %q, %v", got, err)
	}
}

// A file that is cut anywhere gives a beginning of its text, and is known to be cut.
func TestGzipIsCut(t *testing.T) {
	text := strings.Repeat("some words that repeat, and some that do not\n", 3)
	packed := gzipped(t, []byte(text))
	for size := 1; size < len(packed); size++ {
		if got, err := readGzip(packed[:size]); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(text, got) {
			t.Errorf("cut after %d of %d bytes: %q, %v", size, len(packed), got, err)
		}
	}
}

// Damage anywhere, and a wrong checksum, are errors in plain words.
func TestGzipDamage(t *testing.T) {
	text, _ := zstdFile(t, 300_000)
	packed := gzipped(t, text)
	wrongSum := bytes.Clone(packed)
	wrongSum[len(wrongSum)-8]++
	if _, err := readGzip(wrongSum); err == nil || err.Error() != "it is damaged: its checksum does not hold" {
		t.Errorf("another checksum: %v", err)
	}
	for at := 40; at < len(packed); at += 997 {
		damaged := bytes.Clone(packed)
		damaged[at] ^= 0x55
		if _, err := readGzip(damaged); !errors.Is(err, errDamaged) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("damage at %d: %v", at, err)
		}
	}
}
