package inflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

func zip(tb testing.TB, level int, text []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		tb.Fatal(err)
	}
	_, _ = w.Write(text)
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// texts of every kind: nothing, noise, runs, and words.
func texts() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	var words strings.Builder
	for words.Len() < 500_000 {
		fmt.Fprintf(&words, `{"step":%d,"prompt":"what is %d?","reward":%v}`+"\n", words.Len(), random.IntN(1e6), random.NormFloat64())
	}
	skewed := make([]byte, 200_000)
	for i := range skewed {
		skewed[i] = byte(random.ExpFloat64() * 9)
	}
	return map[string][]byte{
		"nothing": nil, "a byte": []byte("x"), "noise": noise, "a run": bytes.Repeat([]byte("a"), 300_000),
		"words": []byte(words.String()), "skewed": skewed, "far": append(append(bytes.Clone(noise[:window]), noise[:window]...), 1),
	}
}

func TestReader(t *testing.T) {
	for name, text := range texts() {
		for _, level := range []int{flate.NoCompression, flate.HuffmanOnly, 1, 6, 9} {
			packed := zip(t, level, text)
			got, err := io.ReadAll(NewReader(bytes.NewReader(packed)))
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s at level %d: %d bytes of %d, %v", name, level, len(got), len(text), err)
			}
			got, err = io.ReadAll(NewReader(iotest.OneByteReader(bytes.NewReader(packed[:min(len(packed), 5000)]))))
			if len(packed) > 5000 && (!errors.Is(err, io.ErrUnexpectedEOF) || !bytes.HasPrefix(text, got)) {
				t.Errorf("%s at level %d, cut off: %d bytes, %v", name, level, len(got), err)
			}
		}
	}
}

// Members follow each other, in headers that say this and that, and padding follows the last.
func TestMembers(t *testing.T) {
	var b bytes.Buffer
	for _, text := range []string{"one\n", "", "two\n"} {
		w := gzip.NewWriter(&b)
		w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
		_, _ = io.WriteString(w, text)
		_ = w.Close()
	}
	whole := b.Bytes()
	for _, padding := range []string{"", "\x00", strings.Repeat("\x00", 600)} {
		got, err := io.ReadAll(NewReader(strings.NewReader(string(whole) + padding)))
		if string(got) != "one\ntwo\n" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := io.ReadAll(NewReader(strings.NewReader(string(whole) + "garbage"))); !errors.Is(err, ErrHeader) {
		t.Errorf("garbage behind the end: %v", err)
	}
}

func TestDamage(t *testing.T) {
	packed := zip(t, 6, texts()["words"])
	sum := bytes.Clone(packed)
	sum[len(sum)-8]++
	if _, err := io.ReadAll(NewReader(bytes.NewReader(sum))); !errors.Is(err, ErrChecksum) {
		t.Errorf("another checksum: %v", err)
	}
	for at := 20; at < len(packed); at += 4999 {
		bad := bytes.Clone(packed)
		bad[at] ^= 0x55
		if _, err := io.ReadAll(NewReader(bytes.NewReader(bad))); err == nil {
			t.Errorf("damage at %d is not noticed", at)
		}
	}
}

// From every mark the rest reads as it did.
func TestMarks(t *testing.T) {
	for name, text := range texts() {
		packed := append(zip(t, 6, text), zip(t, 1, text)...)
		whole := append(bytes.Clone(text), text...)
		r := NewReader(bytes.NewReader(packed))
		var marks []Mark
		r.Marks(func(r *Reader) { marks = append(marks, r.Mark()) })
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Fatal(err)
		}
		for _, m := range marks {
			from, err := From(bytes.NewReader(packed), m)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(from)
			if err != nil || !bytes.Equal(got, whole[m.Text:]) {
				t.Fatalf("%s from %d: %d bytes of %d, %v", name, m.Text, len(got), len(whole)-int(m.Text), err)
			}
		}
	}
}

// Whatever the bytes are, they unpack as the standard library unpacks them, or neither
// does.
func FuzzReader(f *testing.F) {
	for _, text := range texts() {
		f.Add(zip(f, 6, text[:min(len(text), 4000)]))
	}
	f.Add(zip(f, 0, []byte("stored")))
	f.Add(zip(f, flate.HuffmanOnly, []byte("huffman")))
	flagged := zip(f, 6, []byte("a flag without a meaning"))
	flagged[3] |= 0x20
	f.Add(flagged)
	f.Fuzz(func(t *testing.T, packed []byte) {
		got, err := io.ReadAll(NewReader(bytes.NewReader(packed)))
		var want []byte
		r, bad := gzip.NewReader(bytes.NewReader(packed))
		if bad == nil {
			want, bad = io.ReadAll(r)
		}
		if err == nil && bad == nil && !bytes.Equal(got, want) {
			t.Errorf("%d bytes, want %d", len(got), len(want))
		}
		if err != nil && bad == nil {
			t.Errorf("%v, which the standard library reads", err)
		}
		if err == nil && bad != nil && !bytes.HasPrefix(got, want) {
			t.Errorf("%d bytes are not those before %v", len(got), bad)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	text := texts()["words"]
	packed := zip(b, 6, text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, _ = io.Copy(io.Discard, NewReader(bytes.NewReader(packed)))
	}
}
