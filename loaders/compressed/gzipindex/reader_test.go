package gzipindex

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

func compress(tb testing.TB, level int, text []byte) []byte {
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

// sampleTexts returns texts of every kind: nothing, noise, runs, and words.
func sampleTexts() map[string][]byte {
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
		"words": []byte(words.String()), "skewed": skewed,
		"a match at the window's start": append(append(bytes.Clone(noise[:windowSize]), noise[:windowSize]...), 1),
	}
}

// Every level decompresses to the text, and a truncated file to its start.
func TestReader(t *testing.T) {
	for name, text := range sampleTexts() {
		for _, level := range []int{flate.NoCompression, flate.HuffmanOnly, 1, 6, 9} {
			packed := compress(t, level, text)
			got, err := io.ReadAll(NewReader(bytes.NewReader(packed)))
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s at level %d: %d bytes of %d, %v", name, level, len(got), len(text), err)
			}
			got, err = io.ReadAll(NewReader(iotest.OneByteReader(bytes.NewReader(packed[:min(len(packed), 5000)]))))
			if len(packed) > 5000 && (!errors.Is(err, io.ErrUnexpectedEOF) || !bytes.HasPrefix(text, got)) {
				t.Errorf("%s at level %d, truncated: %d bytes, %v", name, level, len(got), err)
			}
		}
	}
}

// Several members with every header field, and padding after the last, read as one text.
func TestMembers(t *testing.T) {
	var b bytes.Buffer
	for _, text := range []string{"one\n", "", "two\n"} {
		w := gzip.NewWriter(&b)
		w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
		_, _ = io.WriteString(w, text)
		_ = w.Close()
	}
	members := b.String()
	for _, padding := range []string{"", "\x00", strings.Repeat("\x00", 600)} {
		got, err := io.ReadAll(NewReader(strings.NewReader(members + padding)))
		if string(got) != "one\ntwo\n" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := io.ReadAll(NewReader(strings.NewReader(members + "garbage"))); !errors.Is(err, ErrHeader) {
		t.Errorf("garbage after the end: %v", err)
	}
}

// Damage anywhere, and a wrong checksum, are errors.
func TestDamage(t *testing.T) {
	packed := compress(t, 6, sampleTexts()["words"])
	wrongSum := bytes.Clone(packed)
	wrongSum[len(wrongSum)-8]++
	if _, err := io.ReadAll(NewReader(bytes.NewReader(wrongSum))); !errors.Is(err, ErrChecksum) {
		t.Errorf("another checksum: %v", err)
	}
	for at := 20; at < len(packed); at += 4999 {
		damaged := bytes.Clone(packed)
		damaged[at] ^= 0x55
		if _, err := io.ReadAll(NewReader(bytes.NewReader(damaged))); err == nil {
			t.Errorf("damage at %d is not noticed", at)
		}
	}
}

// From every checkpoint the text reads as it did.
func TestResume(t *testing.T) {
	for name, text := range sampleTexts() {
		packed := append(compress(t, 6, text), compress(t, 1, text)...)
		twice := append(bytes.Clone(text), text...)
		r := NewReader(bytes.NewReader(packed))
		var checkpoints []Checkpoint
		r.OnBlock = func(r *Reader) { checkpoints = append(checkpoints, r.Checkpoint()) }
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Fatal(err)
		}
		for _, c := range checkpoints {
			resumed, err := Resume(bytes.NewReader(packed), c)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resumed)
			if err != nil || !bytes.Equal(got, twice[c.Offset:]) {
				t.Fatalf("%s from %d: %d bytes of %d, %v", name, c.Offset, len(got), len(twice)-int(c.Offset), err)
			}
		}
	}
}

// Any bytes decompress as the standard library decompresses them, or neither does.
func FuzzReader(f *testing.F) {
	for _, text := range sampleTexts() {
		f.Add(compress(f, 6, text[:min(len(text), 4000)]))
	}
	f.Add(compress(f, 0, []byte("stored")))
	f.Add(compress(f, flate.HuffmanOnly, []byte("huffman")))
	unknownFlag := compress(f, 6, []byte("a flag without a meaning"))
	unknownFlag[3] |= 0x20
	f.Add(unknownFlag)
	f.Fuzz(func(t *testing.T, packed []byte) {
		got, err := io.ReadAll(NewReader(bytes.NewReader(packed)))
		var want []byte
		r, wantErr := gzip.NewReader(bytes.NewReader(packed))
		if wantErr == nil {
			want, wantErr = io.ReadAll(r)
		}
		if err == nil && wantErr == nil && !bytes.Equal(got, want) {
			t.Errorf("%d bytes, want %d", len(got), len(want))
		}
		if err != nil && wantErr == nil {
			t.Errorf("%v, which the standard library reads", err)
		}
		if err == nil && wantErr != nil && !bytes.HasPrefix(got, want) {
			t.Errorf("%d bytes are not those before %v", len(got), wantErr)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	text := sampleTexts()["words"]
	packed := compress(b, 6, text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, _ = io.Copy(io.Discard, NewReader(bytes.NewReader(packed)))
	}
}
